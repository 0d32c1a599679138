//! Answers about one puzzle: solutions, verdicts, numbers, backbones.

use std::sync::Arc;

use omnogram::count::Method;
use omnogram::design::{Ambiguity, Region};
use omnogram::error::Kind;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::{Backbone, Outcome, Verdict};
use omnogram::{Counter, Error, Estimator, Search};
use pyo3::prelude::*;

use crate::cubes::{self, Given};
use crate::error::exception;
use crate::puzzle::NativePuzzle;
use crate::run::{Bounds, Job, run};
use crate::values::{self, Cells, Figures, Place};

/// A solution if there is one, the verdict, and the figures of the run.
#[pyfunction]
#[pyo3(signature = (puzzle, bounds, progress))]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    bounds: Bounds,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Option<Cells<'py>>, bool, Figures)> {
    let (grid, outcome) = searched(py, puzzle, &bounds, progress.as_ref(), |search| {
        search.solve()
    })?;
    // A solution that was found is an answer, although the search for others was stopped by the limit of one.
    let complete = grid.is_some() || outcome.is_complete();
    Ok((
        grid.map(|grid| values::array(py, &grid)),
        complete,
        answered(&outcome, complete),
    ))
}

/// The figures of a run; one that has answered the question was not stopped.
fn answered(outcome: &Outcome, complete: bool) -> Figures {
    let (stopped, nodes, seconds) = values::figures(outcome);
    (stopped.filter(|_| !complete), nodes, seconds)
}

/// Runs a search of a puzzle.
fn searched<T: Send + 'static>(
    py: Python<'_>,
    puzzle: &NativePuzzle,
    bounds: &Bounds,
    progress: Option<&Bound<'_, PyAny>>,
    find: impl FnOnce(&Search<'_>) -> T + Send + 'static,
) -> PyResult<T> {
    let puzzle = Arc::clone(&puzzle.0);
    run(py, bounds, progress, move |job| {
        let observer = job.observer();
        find(
            &Search::new(&puzzle)
                .limits(job.limits.clone())
                .observer(&observer),
        )
    })
}

/// Where a puzzle is ambiguous: the backbone, and the regions with their cells and numbers of fillings.
type Ambiguous<'py> = ([Cells<'py>; 3], Vec<(Vec<Place>, Bound<'py, PyAny>, bool)>);

/// The verdict, up to two solutions, where the puzzle is ambiguous if `full`, and the figures of the run.
pub(crate) type Checked<'py> = (String, Vec<Cells<'py>>, Option<Ambiguous<'py>>, Figures);

/// Whether a puzzle has no solution, one, or several.
#[pyfunction]
#[pyo3(signature = (puzzle, full, bounds, progress))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    full: bool,
    bounds: Bounds,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Checked<'py>> {
    if full {
        let found = searched(py, puzzle, &bounds, progress.as_ref(), Ambiguity::by)?;
        let region = |region: &Region| {
            let (number, exact) = values::total(py, &region.fillings)?;
            Ok((values::places(&region.cells), number, exact))
        };
        let regions = found.regions.iter().map(region).collect::<PyResult<_>>()?;
        let ambiguous = (values::backbone(py, &found.backbone), regions);
        let (verdict, grids, _, figures) = checked(py, &found.solutions, &found.outcome);
        return Ok((verdict, grids, Some(ambiguous), figures));
    }
    let own = Arc::clone(&puzzle.0);
    let (grids, outcome) = searched(py, puzzle, &bounds, progress.as_ref(), move |search| {
        first_two(search, &own)
    })?;
    Ok(checked(py, &grids, &outcome))
}

/// Up to two solutions. The goal is the first, if it is one.
pub(crate) fn first_two(search: &Search<'_>, puzzle: &Puzzle) -> (Vec<Grid>, Outcome) {
    match &puzzle.notes().goal {
        Some(goal) => search.second(goal),
        None => search.first(2),
    }
}

pub(crate) fn checked<'py>(py: Python<'py>, grids: &[Grid], outcome: &Outcome) -> Checked<'py> {
    let verdict = outcome.solutions.verdict();
    let grids = grids.iter().map(|grid| values::array(py, grid)).collect();
    // Two solutions are the answer, although the search was stopped by the limit of two.
    let figures = answered(outcome, verdict != Verdict::Undecided);
    (verdict.to_string(), grids, None, figures)
}

/// The number of solutions in which some cells have given values, whether it is exact, and the figures of the run.
#[pyfunction]
#[pyo3(signature = (puzzle, method, given, bounds, progress))]
pub(crate) fn count<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    method: &str,
    given: Given,
    bounds: Bounds,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, bool, Figures)> {
    let method = match method {
        "auto" => Method::Auto,
        "tree" => Method::Tree,
        "regions" => Method::Regions,
        "frontier" => Method::Frontier,
        _ => {
            let message =
                format!("there is no method {method:?}: expected auto, tree, regions or frontier");
            return Err(exception(py, &Error::new(Kind::Usage, message)));
        }
    };
    let cube = cubes::cube(py, &puzzle.0, given)?;
    let puzzle = Arc::clone(&puzzle.0);
    let outcome = run(py, &bounds, progress.as_ref(), move |job: &Job| {
        let observer = job.observer();
        let counter = Counter::new(&puzzle)
            .within(cube)
            .limits(job.limits.clone())
            .method(method);
        counter.observer(&observer).run()
    })?;
    let (number, exact) = values::total(py, &outcome.solutions)?;
    Ok((number, exact, values::figures(&outcome)))
}

/// Decimal logarithm of the estimate (`None` if nothing was found), relative standard error, what makes it doubtful, populations' particles,
/// and the seed.
type Estimated = (Option<f64>, Option<f64>, Option<String>, u64, u64);

/// About how many solutions there are; the number of solutions found, and whether it is exact; and the figures of the run.
#[pyfunction]
#[pyo3(signature = (puzzle, populations, seed, bounds))]
pub(crate) fn estimate<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    populations: Option<u64>,
    seed: Option<u64>,
    bounds: Bounds,
) -> PyResult<(Estimated, (Bound<'py, PyAny>, bool), Figures)> {
    let puzzle = Arc::clone(&puzzle.0);
    let found = run(py, &bounds, None, move |job| {
        let mut estimator = Estimator::new(&puzzle).limits(job.limits.clone());
        if let Some(populations) = populations {
            estimator = estimator.populations(populations);
        }
        if let Some(seed) = seed {
            estimator = estimator.seed(seed);
        }
        estimator.run()
    })?;
    let number = found.number.filter(|number| !number.is_zero());
    let estimated = (
        number.map(|number| number.log10()),
        found.standard_error,
        found.doubt.map(|doubt| doubt.to_string()),
        found.particles,
        found.seed,
    );
    let stopped = found.stopped.map(|stop| stop.to_string());
    let figures = (stopped, found.statistics.nodes, found.elapsed.as_secs_f64());
    Ok((estimated, values::total(py, &found.solutions)?, figures))
}

/// The cells that are the same in every solution, the verdict, and the figures of the run.
#[pyfunction]
#[pyo3(signature = (puzzle, bounds, progress))]
pub(crate) fn backbone<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    bounds: Bounds,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<([Cells<'py>; 3], String, Figures)> {
    let (found, outcome): (Backbone, Outcome) =
        searched(py, puzzle, &bounds, progress.as_ref(), |search| {
            search.backbone()
        })?;
    let verdict = outcome.solutions.verdict().to_string();
    Ok((
        values::backbone(py, &found),
        verdict,
        values::figures(&outcome),
    ))
}
