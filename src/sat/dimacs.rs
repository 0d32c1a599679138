//! The clauses of a puzzle as a file, for any SAT solver or model counter.

use std::io::{self, Write};

use super::encode::{BlockStarts, CellVariables, encode};
use crate::puzzle::{Grid, Puzzle};

/// Starts of blocks that a file can number: variables are i32 elsewhere too.
const MOST: usize = 1 << 30;

/// Writes the clauses in DIMACS CNF, as the Model Counting Competitions have it (2021 to 2024): a header with `c t pmc`, the cells as
/// variables 1 to width x height, row by row, projected on by `c p show`, and the order encoding of every block's start above them.
///
/// The other variables are determined by the cells, so that the models are the solutions one to one, projected or not. `name` is said in a
/// comment. Clauses are made twice, to be counted and to be written, and never kept: memory is that of the starts, some bytes each.
///
/// # Errors
///
/// What `out` fails with, and [`io::ErrorKind::FileTooLarge`] for a puzzle with more than 2^30 starts of blocks.
///
/// ```
/// use omnogram::format;
/// use omnogram::sat::dimacs;
///
/// let puzzle = format::read(b"1x1:1/1", "dot").swap_remove(0).puzzle?;
/// let mut text = Vec::new();
/// dimacs(&puzzle, "dot", &mut text).unwrap();
/// assert!(text.ends_with(b"p cnf 1 2\nc p show 1 0\n1 0\n1 0\n"));
/// # Ok::<(), omnogram::error::Error>(())
/// ```
pub fn dimacs(puzzle: &Puzzle, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let (width, height) = (puzzle.width(), puzzle.height());
    // Nothing is known, so that every cell has its variable.
    let unknown = Grid::new(width, height);
    let cells = CellVariables::new(&unknown, &unknown);
    let starts = BlockStarts::new(puzzle, (&unknown, &unknown), &cells, MOST, &mut || false);
    let starts = starts.ok_or(io::ErrorKind::FileTooLarge)?;
    let mut clauses = 0_u64;
    let never = &mut || false;
    encode(puzzle, &unknown, &cells, &starts, never, |_| clauses += 1);

    let name = name.replace(char::is_control, " ");
    writeln!(out, "c t pmc")?;
    writeln!(out, "c nonogram {width}x{height}: {name}")?;
    writeln!(
        out,
        "c the cell in row r and column c, both from 1, is the variable (r - 1) * {width} + c, true if it is filled"
    )?;
    writeln!(out, "p cnf {} {clauses}", starts.top())?;
    write!(out, "c p show")?;
    for (variable, _, _) in cells.each() {
        write!(out, " {variable}")?;
    }
    writeln!(out, " 0")?;
    let mut failed = Ok(());
    // Once writing has failed no more lines are encoded.
    let mut stop = false;
    let stop = std::cell::Cell::from_mut(&mut stop);
    encode(
        puzzle,
        &unknown,
        &cells,
        &starts,
        &mut || stop.get(),
        |clause| {
            if failed.is_ok() {
                failed = clause
                    .iter()
                    .try_for_each(|literal| write!(out, "{literal} "))
                    .and_then(|()| writeln!(out, "0"));
                stop.set(failed.is_err());
            }
        },
    );
    failed
}
