//! Solutions in canonical order, from any number on.
//!
//! The graph decides cells in whatever order was good for counting. Canonical order goes through the cells in reading order, filled
//! before empty; so the graph is restricted to the first open cell being filled, then to its being empty, and so on, depth first, and
//! every restriction says how many solutions it leaves. Those that are passed over need no more than that. Where only small regions
//! are left, they are listed, sorted, and walked through as a product ([`SortedProduct`]).
//!
//! The open regions are kept apart: a decision restricts the one that has the cell.

use super::condition::{DONE, Layers, Mark, Stopped};
use super::fillings::list;
use super::picture::Canvas;
use super::runs::{EMPTY, FILLED, LEFT};
use super::solution_graph::SolutionGraph;
use super::sorted_product::SortedProduct;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// Most solutions of a region that is listed, and most words that they may take together.
const MOST: u64 = 4096;
const MOST_WORDS: u64 = 1 << 18;

/// An iterator over solutions in canonical order.
#[derive(Clone, Debug)]
pub struct Lexicographic<'a> {
    layers: Layers<'a>,
    /// Where the cells of open regions lie, one region after the other.
    places: Vec<u32>,
    /// The way down, not taken yet before the first solution.
    frames: Vec<Frame>,
    product: Option<SortedProduct>,
    /// Solutions to be passed over first.
    skip: Count,
    /// Most solutions of a region that is listed.
    most: Count,
}

/// A point on the way down: what is decided, and the open regions.
#[derive(Clone, Debug)]
struct Frame {
    picture: Canvas,
    open: Vec<OpenRegion>,
    /// What is laid over the graph there, and how many places there are.
    mark: Mark,
    places: usize,
    side: Side,
}

/// An open region: a node, and where its cells begin in the list of places.
#[derive(Clone, Copy, Debug)]
struct OpenRegion {
    node: u32,
    places: u32,
}

/// What has been done at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Nothing,
    Filled,
    Both,
}

impl SolutionGraph {
    /// The solutions in canonical order, that of [`Grid`], but for the first `skip` ones. These are passed over by counting, so that it
    /// does not matter how many they are.
    ///
    /// ```
    /// use omnogram::count::Counter;
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::solutions::Count;
    ///
    /// let ones = vec![Clue::new([1])?; 4];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let graph = Counter::new(&puzzle).graph().0.unwrap();
    /// let last = graph.lexicographic(&Count::from(23)).next().unwrap();
    /// assert_eq!(last.to_string(), "...#\n..#.\n.#..\n#...\n");
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    pub fn lexicographic(&self, skip: &Count) -> Lexicographic<'_> {
        let words = self.known().words().len() as u64;
        let mut lexicographic = Lexicographic {
            layers: Layers::new(self),
            places: Vec::new(),
            frames: Vec::new(),
            product: None,
            skip: skip.clone(),
            most: Count::from((MOST_WORDS / words).clamp(64, MOST)),
        };
        if skip < self.count() {
            let mut open = Vec::new();
            for root in self.roots() {
                open.push(OpenRegion {
                    node: root.node,
                    places: lexicographic.places.len() as u32,
                });
                lexicographic.places.extend_from_slice(&root.places);
            }
            lexicographic.enter(Canvas::new(self.known()), open);
        }
        lexicographic
    }
}

/// What a step towards the next solution has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// It is there: [`Lexicographic::words`].
    Found,
    /// Not there yet: a cell has been decided, which can take as long as going through the whole graph.
    Deciding,
    /// There is none.
    Done,
    /// It was asked to stop. The next step begins where this one did.
    Stopped,
}

impl Lexicographic<'_> {
    /// The next one, packed as in [`Grid`].
    pub fn next_words(&mut self) -> Option<&[u64]> {
        loop {
            match self.advance() {
                Advance::Found => return Some(self.words()),
                Advance::Deciding | Advance::Stopped => {}
                Advance::Done => return None,
            }
        }
    }

    /// One step towards the next one, for those who may not want to wait for it.
    #[inline]
    pub fn advance(&mut self) -> Advance {
        self.advance_unless(&mut || false)
    }

    /// The same, asking every now and then whether to stop.
    #[inline]
    pub fn advance_unless(&mut self, stop: &mut dyn FnMut() -> bool) -> Advance {
        if self.product.as_mut().is_some_and(SortedProduct::advance) {
            return Advance::Found;
        }
        self.product = None;
        self.descend(stop)
    }

    /// The one that was found, packed as in [`Grid`]; nothing before that.
    pub fn words(&self) -> &[u64] {
        self.product.as_ref().map_or(&[], SortedProduct::words)
    }

    /// Bytes held beside the graph, but for the lists of small regions.
    pub fn bytes(&self) -> u64 {
        let open: usize = self.frames.iter().map(|frame| frame.open.capacity()).sum();
        let held = self.places.capacity() * size_of::<u32>() + open * size_of::<OpenRegion>();
        self.layers.bytes() + held as u64
    }

    /// Goes one cell further towards the next point where all that is open is small.
    fn descend(&mut self, stop: &mut dyn FnMut() -> bool) -> Advance {
        while let Some(frame) = self.frames.last_mut() {
            // What was laid over the graph for the other side is not needed any more.
            self.layers.cut(frame.mark);
            self.places.truncate(frame.places);
            let (layers, places) = (&self.layers, &self.places);
            let first =
                |open: &OpenRegion| places[(open.places + layers.decided(open.node)) as usize];
            let firsts = frame.open.iter().enumerate();
            let firsts = firsts.map(|(i, open)| (first(open), i)).min();
            let large = |open: &OpenRegion| layers.count(open.node) > self.most;
            let (first, i) = match (firsts, frame.side) {
                (_, Side::Both) => {
                    self.frames.pop();
                    continue;
                }
                (Some(first), _) if frame.open.iter().any(large) => first,
                _ => {
                    let mut lists = Vec::with_capacity(frame.open.len());
                    for &OpenRegion { node, places: from } in &frame.open {
                        if stop() {
                            return Advance::Stopped;
                        }
                        let places = &places[from as usize..][..layers.size(node) as usize];
                        lists.push(list(layers, node, places));
                    }
                    frame.side = Side::Both;
                    let picture = frame.picture.words().to_vec();
                    let skip = std::mem::take(&mut self.skip);
                    self.product = Some(SortedProduct::new(picture, lists, skip));
                    return Advance::Found;
                }
            };
            let filled = frame.side == Side::Nothing;
            let node = match self.layers.condition(frame.open[i].node, filled, stop) {
                Err(Stopped) => return Advance::Stopped,
                Ok(node) => node,
            };
            frame.side = if filled { Side::Filled } else { Side::Both };
            let Some(node) = node else {
                return Advance::Deciding;
            };
            if !self.skip.is_zero() {
                let others = frame.open.iter().enumerate();
                let others = others.map(|(j, open)| if i == j { node } else { open.node });
                let count = self.layers.product(others);
                if self.skip >= count {
                    self.skip -= &count;
                    return Advance::Deciding;
                }
            }
            let (mut picture, mut open) = (frame.picture.clone(), frame.open.clone());
            if filled {
                picture.fill(&[first]);
            }
            open[i].node = node;
            self.enter(picture, open);
            return Advance::Deciding;
        }
        Advance::Done
    }

    /// A new point with these open regions. Those that can go on in one way only do, and may fall apart.
    fn enter(&mut self, mut picture: Canvas, mut open: Vec<OpenRegion>) {
        let mut ends = Vec::new();
        let mut i = 0;
        while let Some(&OpenRegion { node, places: from }) = open.get(i) {
            if node == DONE || self.layers.decided(node) == self.layers.size(node) {
                open.swap_remove(i);
                continue;
            }
            let (step, next) = self.layers.step(node, self.layers.start(node));
            if next.is_some() {
                i += 1;
                continue;
            }
            open.swap_remove(i);
            ends.clear();
            let mut end = self.places.len();
            for &node in step.rest {
                ends.push(end);
                open.push(OpenRegion {
                    node,
                    places: end as u32,
                });
                if node != DONE {
                    end += self.layers.size(node) as usize;
                }
            }
            let (mut from, list) = (from as usize, &mut self.places);
            list.resize(end, 0);
            for (becomes, length) in step.edge.runs() {
                let here = from..from + length as usize;
                from = here.end;
                match becomes {
                    EMPTY => {}
                    FILLED => picture.fill(&list[here]),
                    left => {
                        let i = (left - LEFT) as usize;
                        if step.rest[i] != DONE {
                            list.copy_within(here.clone(), ends[i]);
                            ends[i] += here.len();
                        }
                    }
                }
            }
        }
        self.frames.push(Frame {
            picture,
            open,
            mark: self.layers.mark(),
            places: self.places.len(),
            side: Side::Nothing,
        });
    }
}

impl Iterator for Lexicographic<'_> {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        let (width, height) = (self.layers.graph().width(), self.layers.graph().height());
        let words = self.next_words()?.into();
        Some(Grid::from_words(width, height, words))
    }
}
