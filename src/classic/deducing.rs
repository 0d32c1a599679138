//! Deducing: what all arrangements of a line have in common, rows and columns by turns, then guesses for the rest.
//!
//! *Idea.* List the arrangements of a line that match what is known of it. A cell that is filled in all of them is filled, one that is
//! empty in all is empty. Do so for all columns, then for all rows, and again, until a whole round changes nothing. Most published puzzles
//! are solved then. Where cells stay open, every row still has a few arrangements that match: combine them in all ways and check the
//! columns, as [backtracking](super::backtracking) does.
//!
//! *Cost.* A round lists the arrangements of every line, up to C(n - s + 1, k) of them, O(n) each, and there are at most wh rounds;
//! in practice a dozen. Lines of 20 cells take no time, a single line of 40 cells with ten blocks of one cell has 44 million
//! arrangements. The guessing is the product of the arrangements that are left, which is hopeless when much is left.
//!
//! *Source.* The second of three solvers in the Haskell wiki, "99 questions/Solutions/98", 2010 and before.

use super::rows::{columns_fit, picture};
use super::slide::Slide;
use super::watch::{End, Flow, Watch};
use crate::puzzle::{Clue, Puzzle};

/// A picture with what is known of its cells.
type Known = Vec<Vec<Option<bool>>>;

/// Every solution. A step is a block set down.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Watch) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    // What is known, its transpose, and what it was before.
    watch.keep(3 * (width * height) as u64)?;
    if let Some(known) = deduce(puzzle, watch)? {
        guess(puzzle, &known, watch)?;
    }
    Flow::Continue(End::Complete)
}

/// Everything that single lines tell, or `None` where they contradict each other.
fn deduce(puzzle: &Puzzle, watch: &mut dyn Watch) -> Flow<Option<Known>> {
    let mut known = vec![vec![None; puzzle.width()]; puzzle.height()];
    loop {
        let before = known.clone();
        for clues in [puzzle.columns(), puzzle.rows()] {
            // Columns become rows, and at the second time rows again.
            known = transpose(&known);
            for (clue, line) in clues.iter().zip(&mut known) {
                match common(clue, line, watch)? {
                    Some(cells) => *line = cells,
                    None => return Flow::Continue(None),
                }
            }
        }
        if known == before {
            return Flow::Continue(Some(known));
        }
    }
}

/// What all arrangements that match the known cells have in common; `None` if there are none.
fn common(
    clue: &Clue,
    known: &[Option<bool>],
    watch: &mut dyn Watch,
) -> Flow<Option<Vec<Option<bool>>>> {
    let mut matching = Slide::new(clue, known.to_vec());
    let mut common: Option<Vec<Option<bool>>> = None;
    while matching.advance(watch)? {
        let cells = matching.cells().into_iter().map(Some);
        match &mut common {
            None => common = Some(cells.collect()),
            Some(common) => {
                for (common, cell) in common.iter_mut().zip(cells) {
                    if *common != cell {
                        *common = None;
                    }
                }
            }
        }
    }
    Flow::Continue(common)
}

/// All combinations of what the rows can still be, the first row's slowest, as far as the columns come out right.
fn guess(puzzle: &Puzzle, known: &Known, watch: &mut dyn Watch) -> Flow {
    let matching = |row: usize| Slide::new(&puzzle.rows()[row], known[row].clone());
    let mut open = vec![matching(0)];
    let mut chosen: Vec<Vec<bool>> = Vec::new();
    while let Some(row) = open.last_mut() {
        if !row.advance(watch)? {
            open.pop();
            chosen.pop();
            continue;
        }
        chosen.push(row.cells());
        if chosen.len() < puzzle.height() {
            open.push(matching(chosen.len()));
            continue;
        }
        if columns_fit(puzzle, &chosen) {
            watch.found(picture(&chosen))?;
        }
        chosen.pop();
    }
    Flow::Continue(())
}

fn transpose(known: &Known) -> Known {
    (0..known[0].len())
        .map(|c| known.iter().map(|row| row[c]).collect())
        .collect()
}
