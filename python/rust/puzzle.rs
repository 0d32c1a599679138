//! Puzzles: their clues, notes, formats and drawings.

use std::ffi::CString;
use std::sync::Arc;

use numpy::PyReadonlyArray2;
use omnogram::format::{Entry, FORMATS, Format, ReadOptions, Threshold, TraceOptions, detect};
use omnogram::puzzle::{Clue, Grid, Notes, Position, Puzzle};
use omnogram::render::{Drawing, Look, Sheet, svg, text};
use omnogram::{Error, error::Kind};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::cubes::{Given, cube};
use crate::error::exception;
use crate::values::{self, Cells};

/// The lengths of the blocks of some lines.
type Lengths = Vec<Vec<usize>>;

/// The texts of a puzzle's notes: title, author, copyright, license, catalogue.
type Texts = [Option<String>; 5];

/// A puzzle of the engine.
#[pyclass(frozen, name = "NativePuzzle", module = "omnogram._omnogram")]
pub(crate) struct NativePuzzle(pub(crate) Arc<Puzzle>);

impl NativePuzzle {
    fn new(py: Python<'_>, puzzle: Puzzle, texts: Texts, goal: Option<Grid>) -> PyResult<Self> {
        let [title, author, copyright, license, catalogue] = texts;
        let notes = Notes::default()
            .title(title)
            .author(author)
            .copyright(copyright)
            .license(license)
            .catalogue(catalogue)
            .goal(goal);
        let puzzle = puzzle.with_notes(notes);
        let puzzle = puzzle.map_err(|error| exception(py, &error))?;
        Ok(NativePuzzle(Arc::new(puzzle)))
    }
}

#[pymethods]
impl NativePuzzle {
    /// A puzzle with these lengths of blocks and these given cells.
    #[staticmethod]
    fn from_clues(
        py: Python<'_>,
        rows: Lengths,
        columns: Lengths,
        texts: Texts,
        goal: Option<PyReadonlyArray2<'_, u8>>,
        given: Given,
    ) -> PyResult<Self> {
        let puzzle = Puzzle::from_clues(&rows, &columns).map_err(|error| exception(py, &error))?;
        let puzzle = with_given(py, puzzle, given)?;
        let goal = goal.map(|cells| values::grid(py, &cells)).transpose()?;
        Self::new(py, puzzle, texts, goal)
    }

    /// The puzzle of a picture.
    #[staticmethod]
    fn from_grid(py: Python<'_>, cells: PyReadonlyArray2<'_, u8>, texts: Texts) -> PyResult<Self> {
        let grid = values::grid(py, &cells)?;
        Self::new(py, Puzzle::from_grid(&grid), texts, Some(grid))
    }

    fn rows(&self) -> Lengths {
        lengths(self.0.rows())
    }

    fn columns(&self) -> Lengths {
        lengths(self.0.columns())
    }

    fn shape(&self) -> (usize, usize) {
        (self.0.height(), self.0.width())
    }

    fn texts(&self) -> [Option<&str>; 5] {
        let notes = self.0.notes();
        let texts = [
            &notes.title,
            &notes.author,
            &notes.copyright,
            &notes.license,
            &notes.catalogue,
        ];
        texts.map(Option::as_deref)
    }

    fn goal<'py>(&self, py: Python<'py>) -> Option<Cells<'py>> {
        let goal = self.0.notes().goal.as_ref();
        goal.map(|goal| values::array(py, goal))
    }

    /// The cells that are given from the start.
    fn given(&self) -> Given {
        let cells = self.0.given_cells();
        cells
            .map(|(cell, filled)| (cell.row.into(), cell.column.into(), filled))
            .collect()
    }

    /// The puzzle in a format, and what the format cannot keep.
    fn write<'py>(
        &self,
        py: Python<'py>,
        format: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let format = named(py, format)?;
        let bytes = format
            .write(&self.0)
            .map_err(|error| exception(py, &error))?;
        Ok((PyBytes::new(py, &bytes), format.kept(&self.0).1))
    }

    /// A drawing in SVG: of the clues, and of a picture if one is given.
    fn svg(&self, py: Python<'_>, cells: Option<PyReadonlyArray2<'_, u8>>) -> PyResult<String> {
        let grid = self.fitting(py, cells)?;
        Ok(svg(&Sheet::new([self.drawing(grid.as_ref())]), None, None))
    }

    /// A drawing in characters.
    fn text(&self, py: Python<'_>, cells: Option<PyReadonlyArray2<'_, u8>>) -> PyResult<String> {
        let grid = self.fitting(py, cells)?;
        let drawn = text(&Sheet::new([self.drawing(grid.as_ref())]), &Look::default());
        let drawn = drawn.map_err(|error| exception(py, &error))?;
        Ok(drawn.lines.join("\n"))
    }
}

impl NativePuzzle {
    fn drawing(&self, grid: Option<&Grid>) -> Drawing<'_> {
        match grid {
            Some(grid) => Drawing::solution(&self.0, grid),
            None => Drawing::blank(&self.0),
        }
    }

    /// The picture, which must have the size of the puzzle.
    pub(crate) fn fitting(
        &self,
        py: Python<'_>,
        cells: Option<PyReadonlyArray2<'_, u8>>,
    ) -> PyResult<Option<Grid>> {
        let Some(cells) = cells else { return Ok(None) };
        let grid = values::grid(py, &cells)?;
        let ((height, width), own) = ((grid.height(), grid.width()), self.shape());
        if (height, width) != own {
            let message = format!(
                "a picture of {height} x {width} cells for a puzzle of {} x {}",
                own.0, own.1
            );
            return Err(exception(py, &Error::data(message)));
        }
        Ok(Some(grid))
    }
}

/// The puzzle with these given cells.
fn with_given(py: Python<'_>, puzzle: Puzzle, given: Given) -> PyResult<Puzzle> {
    let cells = cube(py, &puzzle, given)?;
    let mut position = Position::unknown(puzzle.width(), puzzle.height());
    for decision in cells.path {
        let (row, column) = (decision.cell.row.into(), decision.cell.column.into());
        position.set(row, column, Some(decision.filled));
    }
    puzzle
        .with_given(position)
        .map_err(|error| exception(py, &error))
}

fn lengths(clues: &[Clue]) -> Lengths {
    clues.iter().map(|clue| clue.lengths().collect()).collect()
}

fn named(py: Python<'_>, name: &str) -> PyResult<&'static Format> {
    let format = Format::named(name).or_else(|| Format::of_ending(name));
    format.ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let message = format!(
            "there is no format {name:?}; the formats are {}",
            names.join(", ")
        );
        exception(py, &Error::new(Kind::Usage, message))
    })
}

/// The options of images: width and height, threshold, dithering, inverting, keeping the margin.
type Tracing = (
    Option<(usize, Option<usize>)>,
    Option<String>,
    bool,
    bool,
    bool,
);

/// The puzzles in a file's bytes; with `only_pictures`, an error unless it is an image.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    bytes: &[u8],
    file: &str,
    format: Option<&str>,
    tracing: Tracing,
    only_pictures: bool,
) -> PyResult<Vec<NativePuzzle>> {
    let format = format.map(|name| named(py, name)).transpose()?;
    let (size, threshold, dither, invert, keep_margin) = tracing;
    let threshold = threshold.map_or(Ok(Threshold::default()), |text| text.parse());
    let tracing = TraceOptions::default()
        .size(size)
        .threshold(threshold.map_err(|error| exception(py, &error))?)
        .dither(dither)
        .invert(invert)
        .keep_margin(keep_margin);
    let failed = |error: Error| match error.file() {
        Some(_) => exception(py, &error),
        None => exception(py, &error.in_file(file)),
    };
    if only_pictures && !detect(bytes, file).map_err(failed)?.is_picture() {
        return Err(failed(Error::data("this is no image")));
    }
    let options = ReadOptions::default().format(format).tracing(tracing);
    let entries = py.detach(|| options.entries(bytes, file).collect::<Vec<_>>());
    let puzzle = |puzzle: Result<Puzzle, Error>| match puzzle {
        Ok(puzzle) => Ok(NativePuzzle(Arc::new(puzzle))),
        Err(error) => Err(failed(error)),
    };
    let warn = |entry: &Entry| {
        let category = py.get_type::<PyUserWarning>();
        entry.warnings.iter().try_for_each(|warning| {
            let words = format!("{}: {warning}", entry.name);
            PyErr::warn(py, &category, &CString::new(words)?, 2)
        })
    };
    let mut puzzles = Vec::new();
    for entry in entries {
        warn(&entry)?;
        puzzles.push(puzzle(entry.puzzle)?);
    }
    Ok(puzzles)
}
