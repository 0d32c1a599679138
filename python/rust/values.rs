//! Values of the engine as values of Python: numbers, arrays and tuples.

use numpy::ndarray::{Array2, ArrayView2};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use omnogram::puzzle::{Grid, MAX_SIDE};
use omnogram::search::{Backbone, Outcome, Snapshot, Total};
use omnogram::solutions::Count;
use omnogram::{Cell, Error};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

use crate::error;

/// A grid as Python sees it: height x width, 1 for a filled cell.
pub(crate) type Cells<'py> = Bound<'py, PyArray2<u8>>;

/// Where a cell is: row and column, from 0.
pub(crate) type Place = (u16, u16);

/// What every run tells: why it stopped, search tree nodes, seconds.
pub(crate) type Figures = (Option<String>, u64, f64);

pub(crate) fn figures(outcome: &Outcome) -> Figures {
    let stopped = outcome.stopped.map(|stop| stop.to_string());
    (
        stopped,
        outcome.statistics.nodes,
        outcome.elapsed.as_secs_f64(),
    )
}

pub(crate) fn places(cells: &[Cell]) -> Vec<Place> {
    cells.iter().map(|cell| (cell.row, cell.column)).collect()
}

/// A number of any size.
pub(crate) fn int<'py>(py: Python<'py>, count: &Count) -> PyResult<Bound<'py, PyAny>> {
    match count.to_u64() {
        Some(small) => Ok(small.into_pyobject(py)?.into_any()),
        None => {
            let bytes: Vec<u8> = count
                .to_words()
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect();
            let bytes = PyBytes::new(py, &bytes);
            py.get_type::<PyInt>()
                .call_method1("from_bytes", (bytes, "little"))
        }
    }
}

/// A number from its bytes, the least significant first.
pub(crate) fn count(bytes: &[u8]) -> Count {
    let words = bytes.chunks(8).map(|part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word)
    });
    Count::from_words(&words.collect::<Vec<u64>>())
}

/// A number of solutions, and whether it is exact.
pub(crate) fn total<'py>(py: Python<'py>, total: &Total) -> PyResult<(Bound<'py, PyAny>, bool)> {
    Ok((int(py, total.number())?, total.is_exact()))
}

/// The arguments of a progress callback: nodes, number of solutions so far, share of the work if known, seconds.
pub(crate) fn progress<'py>(
    py: Python<'py>,
    snapshot: &Snapshot,
) -> PyResult<(u64, Bound<'py, PyAny>, Option<f64>, f64)> {
    Ok((
        snapshot.nodes,
        int(py, &snapshot.solutions)?,
        snapshot.share,
        snapshot.elapsed.as_secs_f64(),
    ))
}

/// The eight cells of a byte, lowest bit first, as bytes 0 and 1.
fn spread(bits: u8) -> [u8; 8] {
    // Each byte keeps its own bit of the eight, and is then 0 or not 0.
    let own = u64::from(bits).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    (((own + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101).to_le_bytes()
}

/// Appends the cells of a grid of this width, whose rows are the words, as bytes.
pub(crate) fn push_cells(words: &[u64], width: usize, bytes: &mut Vec<u8>) {
    for row in words.chunks(Grid::stride(width)) {
        let end = bytes.len() + width;
        for part in row
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .take(width.div_ceil(8))
        {
            bytes.extend_from_slice(&spread(part));
        }
        bytes.truncate(end);
    }
}

pub(crate) fn array<'py>(py: Python<'py>, grid: &Grid) -> Cells<'py> {
    let mut bytes = Vec::with_capacity(grid.width() * grid.height() + 8);
    push_cells(grid.words(), grid.width(), &mut bytes);
    let cells = Array2::from_shape_vec((grid.height(), grid.width()), bytes);
    cells.expect("a byte for each cell").into_pyarray(py)
}

/// A copy of the bytes of one grid as an array.
pub(crate) fn array_of<'py>(
    py: Python<'py>,
    height: usize,
    width: usize,
    bytes: &[u8],
) -> Cells<'py> {
    let view = ArrayView2::from_shape((height, width), bytes);
    PyArray2::from_array(py, &view.expect("a byte for each cell"))
}

/// The backbone as three grids: filled in all solutions, empty in all, both in some.
pub(crate) fn backbone<'py>(py: Python<'py>, backbone: &Backbone) -> [Cells<'py>; 3] {
    [&backbone.filled, &backbone.empty, &backbone.ambiguous].map(|grid| array(py, grid))
}

/// A grid from an array in which every value but 0 means filled.
pub(crate) fn grid(py: Python<'_>, cells: &PyReadonlyArray2<'_, u8>) -> PyResult<Grid> {
    let cells = cells.as_array();
    let (height, width) = cells.dim();
    if [height, width]
        .iter()
        .any(|side| !(1..=MAX_SIDE).contains(side))
    {
        let message =
            format!("a picture has 1 to {MAX_SIDE} rows and columns, not {height} x {width}");
        return Err(error::exception(py, &Error::data(message)));
    }
    let mut grid = Grid::new(width, height);
    for ((row, column), &value) in cells.indexed_iter() {
        if value != 0 {
            grid.set(row, column, true);
        }
    }
    Ok(grid)
}
