//! Sliding: generates every arrangement of a clue in a line with some known cells, one after the other.
//!
//! *Idea.* The first block slides from the left as far as the room for the others allows; for each of its places the others, which
//! are a smaller problem of the same kind, slide in the cells after it and one gap. Places that would cover a known empty cell, or
//! leave out a known filled cell, are skipped.
//!
//! *Cost.* C(n - s + 1, k) arrangements of k blocks with s cells in a line of n when no cell is known, O(n) each. Known cells are only
//! checked when a block is placed there, so a contradiction far to the right is found repeatedly, in the worst case for every placement
//! of the blocks before it.
//!
//! *Source.* Paddy3118, "Nonogram puzzle solver", a Python notebook in two parts in the blog Go deh!, March 2014. It slides blocks by a
//! recursive generator; here the recursion is a list of places, so that arrangements can be generated one at a time.

use super::watch::{Flow, Observer};
use crate::puzzle::Clue;

/// The arrangements of a clue in a line, in lexicographic order of the places of their blocks. A step is a block placed.
#[derive(Debug)]
pub(super) struct Slide {
    blocks: Vec<usize>,
    /// See [`room`].
    room: Vec<usize>,
    known: Vec<Option<bool>>,
    /// The first cells of the blocks that are placed.
    places: Vec<usize>,
    begun: bool,
}

/// For each block, the cells that it and the blocks after it need, including gaps; and 0 after the last block.
pub(super) fn room(blocks: &[usize]) -> Vec<usize> {
    let mut room = vec![0; blocks.len() + 1];
    for (block, length) in blocks.iter().enumerate().rev() {
        let gap = usize::from(block + 1 < blocks.len());
        room[block] = length + gap + room[block + 1];
    }
    room
}

impl Slide {
    /// The arrangements of `clue` in a line with these known cells.
    pub(super) fn new(clue: &Clue, known: Vec<Option<bool>>) -> Self {
        let blocks: Vec<usize> = clue.lengths().collect();
        Slide {
            room: room(&blocks),
            blocks,
            known,
            places: Vec::new(),
            begun: false,
        }
    }

    /// Goes to the next arrangement; `false` when there is none.
    pub(super) fn advance(&mut self, watch: &mut dyn Observer) -> Flow<bool> {
        let mut from = if self.begun {
            self.backtrack()
        } else {
            Some(0)
        };
        self.begun = true;
        while let Some(first) = from {
            let block = self.places.len();
            if block == self.blocks.len() {
                let rest = self.known.get(first..).unwrap_or_default();
                if !rest.contains(&Some(true)) {
                    return Flow::Continue(true);
                }
                from = self.backtrack();
                continue;
            }
            watch.step()?;
            from = match self.place(block, first) {
                Some(place) => {
                    self.places.push(place);
                    Some(place + self.blocks[block] + 1)
                }
                None => self.backtrack(),
            };
        }
        Flow::Continue(false)
    }

    /// The cells of the current arrangement.
    pub(super) fn cells(&self) -> Vec<bool> {
        let mut cells = vec![false; self.known.len()];
        for (&place, &block) in self.places.iter().zip(&self.blocks) {
            cells[place..place + block].fill(true);
        }
        cells
    }

    /// The first place for a block from this cell on, skipping only cells that may be empty.
    fn place(&self, block: usize, first: usize) -> Option<usize> {
        let last = self.known.len().checked_sub(self.room[block])?;
        for place in first..=last {
            if place > first && self.known[place - 1] == Some(true) {
                return None;
            }
            let end = place + self.blocks[block];
            let covers_empty = self.known[place..end].contains(&Some(false));
            let touches_filled = self.known.get(end) == Some(&Some(true));
            if !covers_empty && !touches_filled {
                return Some(place);
            }
        }
        None
    }

    /// Removes blocks from the end up to the last one that can move right, and returns the first cell of its next place.
    fn backtrack(&mut self) -> Option<usize> {
        while let Some(place) = self.places.pop() {
            if self.known[place] != Some(true) {
                return Some(place + 1);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Grid;

    fn all(clue: &[usize], known: &str) -> Vec<String> {
        let known = known.chars().map(|c| match c {
            '#' => Some(true),
            '.' => Some(false),
            _ => None,
        });
        let clue = Clue::new(clue.iter().copied()).unwrap();
        let mut slide = Slide::new(&clue, known.collect());
        let mut all = Vec::new();
        let mut watch: Vec<Grid> = Vec::new();
        while slide.advance(&mut watch) == Flow::Continue(true) {
            let cells = slide.cells().into_iter();
            all.push(cells.map(|filled| if filled { '#' } else { '.' }).collect());
        }
        all
    }

    #[test]
    fn blocks_slide_from_the_left() {
        assert_eq!(all(&[2, 1], "?????"), ["##.#.", "##..#", ".##.#"]);
        assert_eq!(all(&[2, 1], "?#.??"), ["##.#.", "##..#"]);
        assert_eq!(all(&[2, 1], "??#??"), [".##.#"]);
        assert_eq!(all(&[2, 1], "..???"), [""; 0]);
        assert_eq!(all(&[], "???"), ["..."]);
        assert_eq!(all(&[], "??#"), [""; 0]);
        assert_eq!(all(&[3], "###"), ["###"]);
        assert_eq!(all(&[4], "###"), [""; 0]);
        assert_eq!(all(&[1], "#?#"), [""; 0]);
    }
}
