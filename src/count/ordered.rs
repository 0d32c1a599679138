//! Solutions in canonical order, from any number on.
//!
//! The graph decides cells in whatever order was good for counting. Canonical order goes through the cells in reading order, filled
//! before empty; so the graph is restricted to the first open cell being filled, then to its being empty, and so on, depth first, and
//! every restriction says how many solutions it leaves. Those that are passed over need no more than that. Where only small regions
//! are left, they are listed, sorted, and walked through as a product ([`Odometer`]).
//!
//! The open regions are kept apart: a decision restricts the one that has the cell.

use super::Space;
use super::fillings::list;
use super::odometer::Odometer;
use super::picture::Canvas;
use super::restrict::{Layers, Mark, NONE};
use crate::puzzle::Grid;
use crate::solutions::Count;

/// Most solutions of a region that is listed, and most words that they may take together.
const MOST: u64 = 4096;
const MOST_WORDS: u64 = 1 << 18;

/// An iterator over solutions in canonical order.
#[derive(Clone, Debug)]
pub struct Ordered<'a> {
    layers: Layers<'a>,
    /// The way down, not taken yet before the first solution.
    frames: Vec<Frame>,
    odometer: Option<Odometer>,
    /// Solutions to be passed over first.
    skip: Count,
    /// Most solutions of a region that is listed.
    most: Count,
}

/// A point on the way down: what is decided, and the open regions.
#[derive(Clone, Debug)]
struct Frame {
    picture: Canvas,
    open: Vec<u32>,
    mark: Mark,
    side: Side,
}

/// What has been done at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Nothing,
    Filled,
    Both,
}

impl Space {
    /// The solutions in canonical order, that of [`Grid`], but for the first `skip` ones. These are passed over by counting, so that it
    /// does not matter how many they are.
    ///
    /// ```
    /// use omnogram::count::Counting;
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::solutions::Count;
    ///
    /// let ones = vec![Clue::new([1])?; 4];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let space = Counting::new(&puzzle).space().0.unwrap();
    /// let last = space.ordered(&Count::from(23)).next().unwrap();
    /// assert_eq!(last.to_string(), "...#\n..#.\n.#..\n#...\n");
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    pub fn ordered(&self, skip: &Count) -> Ordered<'_> {
        let layers = Layers::new(self);
        let words = self.known().words().len() as u64;
        let mut ordered = Ordered {
            odometer: None,
            skip: skip.clone(),
            most: Count::from((MOST_WORDS / words).clamp(64, MOST)),
            frames: Vec::new(),
            layers,
        };
        if skip < self.count() {
            let picture = Canvas::new(self.known());
            ordered.enter(picture, self.roots().to_vec());
        }
        ordered
    }
}

/// What a step towards the next solution has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// It is there: [`Ordered::words`].
    Found,
    /// Not there yet: a cell has been decided, which can take as long as going through the whole graph.
    Deciding,
    /// There is none.
    Done,
}

impl Ordered<'_> {
    /// The next one, packed as in [`Grid`].
    pub fn next_words(&mut self) -> Option<&[u64]> {
        loop {
            match self.advance() {
                Advance::Found => return Some(self.words()),
                Advance::Deciding => {}
                Advance::Done => return None,
            }
        }
    }

    /// One step towards the next one, for those who may not want to wait for it.
    #[inline]
    pub fn advance(&mut self) -> Advance {
        if self.odometer.as_mut().is_some_and(Odometer::advance) {
            return Advance::Found;
        }
        self.odometer = None;
        self.descend()
    }

    /// The one that was found, packed as in [`Grid`]; nothing before that.
    pub fn words(&self) -> &[u64] {
        self.odometer.as_ref().map_or(&[], Odometer::words)
    }

    /// Bytes held beside the graph, but for the lists of small regions.
    pub fn bytes(&self) -> u64 {
        self.layers.bytes()
    }

    /// Goes one cell further towards the next point where all that is open is small.
    fn descend(&mut self) -> Advance {
        while let Some(frame) = self.frames.last_mut() {
            // What was laid over the graph for the other side is not needed any more.
            self.layers.cut(frame.mark);
            let layers = &self.layers;
            let first = frame.open.iter().enumerate();
            let first = first.map(|(i, &node)| (layers.first(node), i)).min();
            let large = frame
                .open
                .iter()
                .any(|&node| layers.count(node) > self.most);
            let (cell, i) = match (first, frame.side) {
                (_, Side::Both) => {
                    self.frames.pop();
                    continue;
                }
                (Some(first), _) if large => first,
                _ => {
                    frame.side = Side::Both;
                    let lists = frame.open.iter().map(|&node| list(layers, node)).collect();
                    let picture = frame.picture.words().to_vec();
                    let skip = std::mem::take(&mut self.skip);
                    self.odometer = Some(Odometer::new(picture, lists, skip));
                    return Advance::Found;
                }
            };
            let filled = frame.side == Side::Nothing;
            frame.side = if filled { Side::Filled } else { Side::Both };
            let Some(node) = self.layers.restrict(frame.open[i], cell, filled) else {
                return Advance::Deciding;
            };
            if !self.skip.is_zero() {
                let mut open = frame.open.clone();
                open[i] = node;
                let count = self.layers.product(&open);
                if self.skip >= count {
                    self.skip -= &count;
                    return Advance::Deciding;
                }
            }
            let mut picture = frame.picture.clone();
            if filled {
                picture.fill(&[super::space::run(cell as usize, true, 1)]);
            }
            let mut open = frame.open.clone();
            open[i] = node;
            self.enter(picture, open);
            return Advance::Deciding;
        }
        Advance::Done
    }

    /// A new point with these open regions. Those that can go on in one way only do, and may fall apart.
    fn enter(&mut self, mut picture: Canvas, mut open: Vec<u32>) {
        let mut i = 0;
        while let Some(&node) = open.get(i) {
            if self.layers.first(node) == NONE {
                open.swap_remove(i);
                continue;
            }
            let (step, next) = self.layers.step(node, self.layers.start(node));
            if next.is_some() {
                i += 1;
                continue;
            }
            picture.fill(step.cells.runs);
            open.swap_remove(i);
            open.extend(step.rest);
        }
        self.frames.push(Frame {
            picture,
            open,
            mark: self.layers.mark(),
            side: Side::Nothing,
        });
    }
}

impl Iterator for Ordered<'_> {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        let (width, height) = (self.layers.space().width(), self.layers.space().height());
        let words = self.next_words()?.into();
        Some(Grid::from_words(width, height, words))
    }
}
