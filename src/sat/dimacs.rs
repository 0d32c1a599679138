//! The clauses of a puzzle as a DIMACS file, for any SAT solver or model counter.

use std::io::{self, Write};

use super::encode::Encoding;
use crate::puzzle::Puzzle;

/// Maximum number of possible block starts of a puzzle, because variables are `i32`.
const MAX_STARTS: usize = 1 << 30;

/// Writes the clauses in DIMACS CNF, in the format of the Model Counting Competitions (2021 to 2024): a header with `c t pmc`, the cells as
/// variables 1 to width x height, row by row, listed by `c p show` as projection variables. The variables with greater numbers are the
/// order encoding of the start of every block.
///
/// The other variables are determined by the cells, so that models and solutions correspond one to one, projected or not. `name` is written
/// in a comment. Clauses are generated twice, once to count and once to write them, and never stored: memory is some bytes per possible
/// start.
///
/// # Errors
///
/// Errors of `out`, and [`io::ErrorKind::FileTooLarge`] for a puzzle with more than 2^30 starts of blocks.
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
    let encoding =
        Encoding::of_whole(puzzle, MAX_STARTS, &mut || false).ok_or(io::ErrorKind::FileTooLarge)?;
    let (max_variable, clauses) = (encoding.starts.max_variable(), encoding.clauses(puzzle));

    let name = name.replace(char::is_control, " ");
    writeln!(out, "c t pmc")?;
    writeln!(out, "c nonogram {width}x{height}: {name}")?;
    writeln!(
        out,
        "c the cell in row r and column c, both from 1, is the variable (r - 1) * {width} + c, true if it is filled"
    )?;
    writeln!(out, "p cnf {max_variable} {clauses}")?;
    write!(out, "c p show")?;
    for (variable, _, _) in encoding.cells.each() {
        write!(out, " {variable}")?;
    }
    writeln!(out, " 0")?;
    let mut failed = Ok(());
    // After a write error no more lines are encoded.
    let stop = std::cell::Cell::new(false);
    encoding.encode(puzzle, &mut || stop.get(), |_, clause| {
        if failed.is_ok() {
            failed = clause
                .iter()
                .try_for_each(|literal| write!(out, "{literal} "))
                .and_then(|()| writeln!(out, "0"));
            stop.set(failed.is_err());
        }
    });
    failed
}
