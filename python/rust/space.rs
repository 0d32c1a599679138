//! The set of all solutions, as a solution graph: numbers, shares, samples, solutions by their place.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray2, PyArray3};
use omnogram::count::ComponentTable;
use omnogram::graph::{Advance, SolutionGraph};
use omnogram::search::Cube;
use omnogram::solutions::{Count, Stop};
use omnogram::{Cell, Counter, Puzzle};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::cubes::{self, Given};
use crate::puzzle::NativePuzzle;
use crate::run::{Bounds, Job, run};
use crate::values::{self, Figures};

/// The solutions of a puzzle in which some cells have given values.
#[pyclass(frozen, name = "NativeSpace", module = "omnogram._omnogram")]
pub(crate) struct NativeSpace {
    puzzle: Arc<Puzzle>,
    given: Cube,
    graph: Arc<SolutionGraph>,
    /// The components counted so far, for spaces with more cells given.
    table: Arc<ComponentTable>,
}

/// Grids as bytes, and whether the run was stopped.
type Grids = (Vec<u8>, bool);

#[pymethods]
impl NativeSpace {
    /// The number of solutions.
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::int(py, self.graph.count())
    }

    /// Nodes and edges of the graph, and its size in bytes.
    fn size(&self) -> (usize, u64, u64) {
        (self.graph.nodes(), self.graph.edges(), self.graph.bytes())
    }

    /// For each cell the share of the solutions in which it is filled; `None` if the run was stopped.
    fn cells<'py>(
        &self,
        py: Python<'py>,
        bounds: Bounds,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let graph = Arc::clone(&self.graph);
        let cells = run(py, &bounds, None, move |job| {
            graph.cells_within(&job.limits)
        })?;
        let Ok(cells) = cells else { return Ok(None) };
        let (height, width) = (cells.height(), cells.width());
        let all = self.graph.count();
        let share = |(row, column)| share(cells.filled(Cell::new(row, column)), all);
        Ok(Some(
            Array2::from_shape_fn((height, width), share).into_pyarray(py),
        ))
    }

    /// Random solutions, each with the same probability; `None` if the run was stopped.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        seed: u64,
        bounds: Bounds,
    ) -> PyResult<Option<Bound<'py, PyArray3<u8>>>> {
        let graph = Arc::clone(&self.graph);
        let grids = run(py, &bounds, None, move |job| {
            let mut samples = graph.samples(seed);
            collect(job, &graph, number, |bytes| match samples.next_words() {
                Some(words) => {
                    values::push_cells(words, graph.width(), bytes);
                    true
                }
                None => false,
            })
        })?;
        self.arrays(py, grids)
    }

    /// Up to `number` solutions in lexicographic order of the rows, after the first `skip`, which is given as bytes from the least
    /// significant on; `None` if the run was stopped.
    fn slice<'py>(
        &self,
        py: Python<'py>,
        skip: &[u8],
        number: usize,
        bounds: Bounds,
    ) -> PyResult<Option<Bound<'py, PyArray3<u8>>>> {
        let (graph, skip) = (Arc::clone(&self.graph), values::count(skip));
        let grids = run(py, &bounds, None, move |job| {
            let mut solutions = graph.lexicographic(&skip);
            let interrupt = job.limits.interrupt.clone();
            // Relaxed: the flag publishes no other data.
            let mut stop = || {
                interrupt
                    .as_ref()
                    .is_some_and(|flag| flag.load(Ordering::Relaxed))
            };
            let mut stopped = false;
            let grids = collect(job, &graph, number, |bytes| {
                let advanced = loop {
                    match solutions.advance_unless(&mut stop) {
                        Advance::Deciding => {}
                        other => break other,
                    }
                };
                stopped |= advanced == Advance::Stopped;
                if advanced == Advance::Found {
                    values::push_cells(solutions.words(), graph.width(), bytes);
                }
                advanced == Advance::Found
            });
            grids.map(|(bytes, late)| (bytes, late || stopped))
        })?;
        self.arrays(py, grids)
    }

    /// The solutions in which further cells have given values: row, column, whether it is filled. `None` instead if the run was stopped; and
    /// the figures of the run.
    fn given(
        &self,
        py: Python<'_>,
        cells: Given,
        bounds: Bounds,
    ) -> PyResult<(Option<NativeSpace>, Figures)> {
        let mut cube = self.given.clone();
        cube.path.extend(cubes::cube(py, &self.puzzle, cells)?.path);
        build(py, &self.puzzle, cube, &self.table, &bounds, None)
    }
}

impl NativeSpace {
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        grids: Result<Grids, TooLarge>,
    ) -> PyResult<Option<Bound<'py, PyArray3<u8>>>> {
        let (bytes, stopped) = grids.map_err(|TooLarge(number)| {
            let (height, width) = (self.graph.height(), self.graph.width());
            let message = format!("no memory for {number} solutions of {height} x {width} cells");
            PyMemoryError::new_err(message)
        })?;
        if stopped {
            return Ok(None);
        }
        let (height, width) = (self.graph.height(), self.graph.width());
        let shape = (bytes.len() / (height * width), height, width);
        Ok(Some(
            Array3::from_shape_vec(shape, bytes)
                .expect("whole grids")
                .into_pyarray(py),
        ))
    }
}

/// There is no memory for this number of grids.
struct TooLarge(usize);

/// Up to `number` grids, which `push` appends as bytes until it returns `false`; and whether the run was stopped.
fn collect(
    job: &Job,
    graph: &SolutionGraph,
    number: usize,
    mut push: impl FnMut(&mut Vec<u8>) -> bool,
) -> Result<Grids, TooLarge> {
    let started = std::time::Instant::now();
    let limits = &job.limits;
    let cells = graph.width() * graph.height();
    let total = if graph.count().is_zero() {
        0
    } else {
        number.checked_mul(cells).ok_or(TooLarge(number))?
    };
    // All memory is reserved at once: if there is too little, an error says so before anything is drawn.
    let within = limits.memory.unwrap_or(u64::MAX);
    let reserved = total.min(usize::try_from(within).unwrap_or(usize::MAX));
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(reserved)
        .map_err(|_| TooLarge(number))?;
    for grids in 0..number {
        // Relaxed: the flag publishes no other data.
        let interrupted = limits
            .interrupt
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed));
        let late = limits
            .time
            .is_some_and(|time| grids % 64 == 0 && started.elapsed() >= time);
        let size = (bytes.len() + cells) as u64;
        if interrupted || late || size > within {
            return Ok((bytes, true));
        }
        if !push(&mut bytes) {
            break;
        }
    }
    Ok((bytes, false))
}

/// The quotient of two numbers of which the first is not larger.
fn share(part: &Count, whole: &Count) -> f64 {
    if whole.is_zero() {
        return f64::NAN;
    }
    let mut scaled = part.clone();
    scaled *= &Count::from_words(&[0, 1]);
    // The quotient has at most 65 bits.
    scaled.div_rem(whole).0.to_f64() / 2_f64.powi(64)
}

fn build(
    py: Python<'_>,
    puzzle: &Arc<Puzzle>,
    given: Cube,
    table: &Arc<ComponentTable>,
    bounds: &Bounds,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Option<NativeSpace>, Figures)> {
    let (own, own_given, own_table) = (Arc::clone(puzzle), given.clone(), Arc::clone(table));
    let (graph, outcome) = run(py, bounds, progress, move |job| {
        let observer = job.observer();
        let counter = Counter::new(&own).within(own_given).sharing(&own_table);
        counter
            .limits(job.limits.clone())
            .observer(&observer)
            .quick_graph()
    })?;
    let mut figures = values::figures(&outcome);
    if graph.is_none() && figures.0.is_none() {
        // The number is known, but its graph does not fit.
        figures.0 = Some(Stop::Memory.to_string());
    }
    let space = graph.map(|graph| NativeSpace {
        puzzle: Arc::clone(puzzle),
        given,
        graph: Arc::new(graph),
        table: Arc::clone(table),
    });
    Ok((space, figures))
}

/// All solutions of a puzzle as a graph; `None` if the run was stopped; and the figures of the run.
#[pyfunction]
#[pyo3(signature = (puzzle, memory, bounds, progress))]
pub(crate) fn space<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    memory: u64,
    bounds: Bounds,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Option<NativeSpace>, Figures)> {
    let table = Arc::new(ComponentTable::new(memory));
    build(
        py,
        &puzzle.0,
        Cube::default(),
        &table,
        &bounds,
        progress.as_ref(),
    )
}
