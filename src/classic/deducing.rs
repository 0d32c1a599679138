//! Deducing: the cells on which all arrangements of a line agree, for columns and rows in turn, then guesses for the other cells.
//!
//! *Idea.* List the arrangements of a line that match its known cells. A cell that is filled in all of them is filled, and one that is
//! empty in all is empty. Do so for all columns, then for all rows, and repeat until a whole round changes nothing. Most published
//! puzzles are then solved. If cells stay unknown, enumerate all combinations of the arrangements of the rows that still match, and
//! check the columns, as [backtracking](super::backtracking) does.
//!
//! *Cost.* A round lists the arrangements of every line, up to C(n - s + 1, k) of them, O(n) each, and there are at most wh rounds;
//! in practice a dozen. Lines of 20 cells take no time, but a single line of 40 cells with ten blocks of one cell has 44 million
//! arrangements. Guessing costs the product of the numbers of remaining arrangements, which is hopeless when many remain.
//!
//! *Source.* The second of three solvers in the Haskell wiki, "99 questions/Solutions/98", 2010 and before.

use super::rows::{columns_fit, picture};
use super::slide::Slide;
use super::watch::{End, Flow, Observer};
use crate::puzzle::{Clue, Puzzle};

/// The known value of each cell, by rows.
type Known = Vec<Vec<Option<bool>>>;

/// Finds every solution. A step is a block placed.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Observer) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    // The known cells, their transpose, and the known cells of the round before.
    watch.keep(3 * (width * height) as u64)?;
    if let Some(known) = deduce(puzzle, watch)? {
        combine_rows(puzzle, &known, watch)?;
    }
    Flow::Continue(End::Complete)
}

/// All cells that follow from single lines, or `None` on a contradiction.
fn deduce(puzzle: &Puzzle, watch: &mut dyn Observer) -> Flow<Option<Known>> {
    let mut known = vec![vec![None; puzzle.width()]; puzzle.height()];
    loop {
        let before = known.clone();
        for clues in [puzzle.columns(), puzzle.rows()] {
            // The first transposition turns columns into rows, the second restores the rows.
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

/// The cells on which all arrangements that match the known cells agree; `None` if there are no arrangements.
fn common(
    clue: &Clue,
    known: &[Option<bool>],
    watch: &mut dyn Observer,
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

/// Finds the solutions among all combinations of the remaining arrangements of the rows, the first row's changing slowest.
fn combine_rows(puzzle: &Puzzle, known: &Known, watch: &mut dyn Observer) -> Flow {
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
