//! Brute force: draw pictures at random until one fits.
//!
//! *Idea.* The clues determine how many cells are filled. Fill that many at random, check the rows and columns against the clues, and if
//! they do not match, draw again. It stops with the first picture that fits, and cannot tell whether there are others; without a solution
//! it never ends.
//!
//! *Cost.* O(wh) for each proposal, and on average C(wh, s) / solutions proposals for s filled cells in w times h: 126 for the package's
//! own example of 3x3, five million for a half-filled 5x5 with one solution, 10^29 for such a 10x10.
//!
//! *Source.* hrj21, "nonogram", a package for R that has this algorithm, called `force`, and [permutation
//! elimination](super::permutation_elimination).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::rows::{columns_fit, fits, picture};
use super::watch::{End, Flow, Observer};
use crate::puzzle::Puzzle;

/// Finds one solution, by proposals drawn from this seed. A step is a proposal.
pub(super) fn run(puzzle: &Puzzle, seed: u64, watch: &mut dyn Observer) -> Flow<End> {
    let (filled, wanted) = puzzle.sums();
    if filled != wanted {
        return Flow::Continue(End::Complete);
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (width, height) = (puzzle.width(), puzzle.height());
    watch.keep(2 * (width * height) as u64)?;
    let mut cells = vec![false; width * height];
    cells[..filled].fill(true);
    loop {
        watch.step()?;
        shuffle(&mut cells, &mut random);
        let mut rows = puzzle.rows().iter().zip(cells.chunks(width));
        if !rows.all(|(clue, row)| fits(clue, row.iter().copied())) {
            continue;
        }
        let rows: Vec<Vec<bool>> = cells.chunks(width).map(<[bool]>::to_vec).collect();
        if columns_fit(puzzle, &rows) {
            watch.found(picture(&rows))?;
            return Flow::Continue(End::Stuck(vec![vec![None; width]; height]));
        }
    }
}

/// Permutes the cells uniformly at random (Fisher and Yates).
fn shuffle(cells: &mut [bool], random: &mut impl Rng) {
    for i in (1..cells.len()).rev() {
        // The upper half of the product is uniform below i + 1, up to a negligible bias of less than i in 2^64.
        let other = (u128::from(random.next_u64()) * (i as u128 + 1)) >> 64;
        cells.swap(i, other as usize);
    }
}
