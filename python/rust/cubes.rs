//! Cubes: parts of a puzzle's search in which some cells have given values.

use std::sync::Arc;

use omnogram::cluster::Splitter;
use omnogram::search::{Cube, Decision};
use omnogram::{Cell, Error, Puzzle};
use pyo3::prelude::*;

use crate::error::exception;
use crate::puzzle::NativePuzzle;
use crate::run::{Bounds, run};

/// Cells with their values: row, column, whether the cell is filled.
pub(crate) type Given = Vec<(usize, usize, bool)>;

/// The cube in which these cells have these values.
pub(crate) fn cube(py: Python<'_>, puzzle: &Puzzle, given: Given) -> PyResult<Cube> {
    let mut cube = Cube::default();
    for (row, column, filled) in given {
        if row >= puzzle.height() || column >= puzzle.width() {
            let message = format!(
                "cell ({row}, {column}) is outside of {} x {}",
                puzzle.height(),
                puzzle.width()
            );
            return Err(exception(py, &Error::data(message)));
        }
        cube.path.push(Decision {
            cell: Cell::new(row, column),
            filled,
        });
    }
    Ok(cube)
}

/// Cuts a cube into about this number of cubes, each with the estimated number of nodes of its tree, the largest first. They are disjoint,
/// and together they contain every solution of the cube.
#[pyfunction]
#[pyo3(signature = (puzzle, cubes, given, seed, bounds))]
pub(crate) fn split(
    py: Python<'_>,
    puzzle: &NativePuzzle,
    cubes: usize,
    given: Given,
    seed: u64,
    bounds: Bounds,
) -> PyResult<Vec<(Given, f64)>> {
    let within = cube(py, &puzzle.0, given)?;
    let puzzle = Arc::clone(&puzzle.0);
    let mut split = run(py, &bounds, None, move |job| {
        let splitter = Splitter::new(&puzzle, cubes).within(within).seed(seed);
        splitter.limits(job.limits.clone()).run()
    })?;
    split.cubes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let decided = |decision: &Decision| {
        let Decision { cell, filled } = *decision;
        (usize::from(cell.row), usize::from(cell.column), filled)
    };
    let given = |cube: &Cube| cube.path.iter().map(decided).collect();
    Ok(split
        .cubes
        .iter()
        .map(|(cube, size)| (given(cube), *size))
        .collect())
}
