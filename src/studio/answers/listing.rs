//! A search for all solutions whose state is kept between two parts, so that the next part begins where the last one ended.
//!
//! The state is the cubes that the search handed back. A search that was stopped in the middle of a product of regions hands back none; then
//! the same cubes are searched again, and the solutions that were found already are skipped, a batch at a time.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::puzzle::{Grid, Puzzle};
use crate::run::{Limits, lock};
use crate::search::{Cube, Options, Search};
use crate::solutions::{Batch, Sink, Stop};

/// A search for all solutions, of which some have been read.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) puzzle: Puzzle,
    /// What is still to be searched.
    cubes: Vec<Cube>,
    /// The number of solutions in `cubes` that were found already.
    found: u64,
    /// Solutions that were found and not read.
    unread: VecDeque<Grid>,
    /// The number of solutions that were read or skipped.
    read: u64,
}

/// Takes solutions until there are enough, then stops the run.
struct Taker {
    wanted: usize,
    interrupt: Arc<AtomicBool>,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    /// The number of solutions to skip.
    skip: u64,
    /// The number of solutions that came, with those that were skipped.
    found: u64,
    grids: VecDeque<Grid>,
}

impl Listing {
    pub(super) fn new(puzzle: Puzzle) -> Self {
        Listing {
            puzzle,
            cubes: vec![Cube::default()],
            found: 0,
            unread: VecDeque::new(),
            read: 0,
        }
    }

    /// Whether it has not gone beyond the solution with this index.
    pub(super) fn is_before(&self, from: u64) -> bool {
        self.read <= from
    }

    /// Whether all solutions were read.
    pub(super) fn is_complete(&self) -> bool {
        self.unread.is_empty() && self.cubes.is_empty()
    }

    /// The solutions from this index on, up to this many: fewer if these are the last ones or the search was stopped, as the second value
    /// tells. A part that is complete sets the interrupt of the limits.
    pub(super) fn part(
        &mut self,
        from: u64,
        number: usize,
        limits: &Limits,
    ) -> (Vec<Grid>, Option<Stop>) {
        self.read(usize::try_from(from - self.read).unwrap_or(usize::MAX));
        let mut stopped = None;
        if self.unread.len() < number && !self.cubes.is_empty() {
            stopped = self.search(from, number, limits);
        }
        (self.read(number), stopped)
    }

    /// Reads up to this many solutions that were found.
    fn read(&mut self, number: usize) -> Vec<Grid> {
        let number = number.min(self.unread.len());
        self.read += number as u64;
        self.unread.drain(..number).collect()
    }

    /// Looks for solutions from this index on, until this many are unread; returns why it was stopped, unless because there are enough.
    fn search(&mut self, from: u64, number: usize, limits: &Limits) -> Option<Stop> {
        let gap = from.saturating_sub(self.read + self.unread.len() as u64);
        let wanted = number - self.unread.len();
        let interrupt = limits.interrupt.clone().unwrap_or_default();
        let taker = Taker {
            wanted,
            interrupt: Arc::clone(&interrupt),
            taken: Mutex::new(Taken {
                skip: self.found.saturating_add(gap),
                ..Taken::default()
            }),
        };
        let cells = self.puzzle.width() * self.puzzle.height();
        let options = Options {
            batch_cells: (number * cells) as u64,
            ..Options::default()
        };
        let outcome = Search::new(&self.puzzle)
            .cubes(self.cubes.clone())
            .limits(limits.clone().interrupt(interrupt))
            .options(options)
            .single_threaded()
            .run(&taker);
        let taken = taker.taken.into_inner().unwrap_or_default();
        let is_enough = taken.grids.len() >= wanted;
        let new = taken.found.saturating_sub(self.found);
        self.read += new - taken.grids.len() as u64;
        self.unread.extend(taken.grids);
        if outcome.stopped.is_none() || !outcome.cubes.is_empty() {
            self.cubes = outcome.cubes;
            self.found = 0;
        } else {
            self.found = taken.found;
        }
        outcome.stopped.filter(|_| !is_enough)
    }
}

impl Sink for Taker {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut taken = lock(&self.taken);
        let count = batch.count().to_u64().unwrap_or(u64::MAX);
        taken.found = taken.found.saturating_add(count);
        if taken.skip >= count {
            taken.skip -= count;
            return ControlFlow::Continue(());
        }
        let skip = std::mem::take(&mut taken.skip) as usize;
        taken.grids.extend(batch.grids().into_iter().skip(skip));
        if taken.grids.len() >= self.wanted {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All solutions, read in parts of this many, each with these limits.
    fn all(puzzle: &Puzzle, number: usize, limits: impl Fn() -> Limits) -> Vec<String> {
        let mut listing = Listing::new(puzzle.clone());
        let mut found = Vec::new();
        while !listing.is_complete() {
            let (part, _) = listing.part(found.len() as u64, number, &limits());
            assert!(part.len() <= number);
            found.extend(part.iter().map(Grid::to_string));
        }
        found
    }

    /// The permutations of five columns, and of nine.
    fn puzzles() -> [Puzzle; 2] {
        // A product of regions: three pictures of two by two on a diagonal; and a tree.
        let diagonal = [
            "##.......",
            "#........",
            "...#.....",
            "....#....",
            ".....#...",
            "......#..",
            ".......#.",
        ];
        let ones = vec![[1]; 5];
        [
            Puzzle::from_grid(&Grid::from_rows(&diagonal).unwrap()),
            Puzzle::from_clues(&ones, &ones).unwrap(),
        ]
    }

    #[test]
    fn parts_of_any_size_are_all_solutions_each_once() {
        for puzzle in puzzles() {
            let (wanted, _) = Search::new(&puzzle).collect();
            let mut wanted: Vec<String> = wanted.iter().map(Grid::to_string).collect();
            wanted.sort();
            for number in [1, 2, 7, 1000] {
                let mut found = all(&puzzle, number, Limits::default);
                found.sort();
                assert!(found == wanted, "{number}");
            }
        }
    }

    #[test]
    fn a_part_that_is_stopped_goes_on() {
        for puzzle in puzzles() {
            let mut wanted = all(&puzzle, 1000, Limits::default);
            let stops = std::cell::Cell::new(0);
            let mut found = all(&puzzle, 3, || {
                stops.set(stops.get() + 1);
                Limits::default().checks(20 + 10 * stops.get())
            });
            // The cubes of a stopped search come back in another order.
            wanted.sort();
            found.sort();
            assert!(found == wanted, "{} {}", found.len(), wanted.len());
        }
    }

    #[test]
    fn a_listing_skips_to_an_index() {
        for puzzle in puzzles() {
            let wanted = all(&puzzle, 1000, Limits::default);
            for (from, number) in [(0, 3), (17, 4), (18, 1), (wanted.len() as u64, 1)] {
                let mut listing = Listing::new(puzzle.clone());
                listing.part(2, 5, &Limits::default());
                if !listing.is_before(from) {
                    listing = Listing::new(puzzle.clone());
                }
                let (part, stopped) = listing.part(from, number, &Limits::default());
                let part: Vec<String> = part.iter().map(Grid::to_string).collect();
                let end = wanted.len().min(from as usize + number);
                assert_eq!((&part[..], stopped), (&wanted[from as usize..end], None));
            }
        }
    }
}
