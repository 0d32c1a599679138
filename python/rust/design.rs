//! What a designer asks: repairs, explanations, profiles.

use std::sync::Arc;
use std::time::Instant;

use numpy::PyReadonlyArray2;
use omnogram::Cell;
use omnogram::design::{Ending, Explainer, Only, Profile, Repair, Step};
use omnogram::puzzle::Line;
use pyo3::prelude::*;

use crate::error::exception;
use crate::puzzle::NativePuzzle;
use crate::run::{Bounds, run};
use crate::values::{self, Place};

/// The flips of the edit, whether it is proven to be minimal, up to how many flips there is none, further edits, and why it stopped with its
/// seconds.
type Repaired = (
    Option<Vec<Place>>,
    bool,
    Option<usize>,
    Vec<Vec<Place>>,
    (Option<String>, f64),
);

/// The smallest edit of a picture that makes its puzzle unique. The options: cells to keep, `add` or `remove` only, the budget of flips,
/// whether lines alone must solve the puzzle, and the number of further edits.
#[pyfunction]
#[pyo3(signature = (puzzle, picture, keep, only, budget, line_solvable, alternatives, bounds, progress))]
#[expect(
    clippy::too_many_arguments,
    reason = "the options of the caller, each with its name there"
)]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    picture: PyReadonlyArray2<'py, u8>,
    keep: Option<PyReadonlyArray2<'py, u8>>,
    only: Option<&str>,
    budget: Option<usize>,
    line_solvable: bool,
    alternatives: usize,
    bounds: Bounds,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Repaired> {
    let only = match only {
        None => None,
        Some("add") => Some(Only::Add),
        Some("remove") => Some(Only::Remove),
        Some(other) => {
            let message = format!("only={other:?}: expected 'add' or 'remove'");
            return Err(exception(py, &omnogram::Error::data(message)));
        }
    };
    let keep = puzzle.fitting(py, keep)?;
    let picture = puzzle.fitting(py, Some(picture))?;
    let picture = picture.expect("a picture was given");
    let of = Arc::clone(&puzzle.0);
    let found = run(py, &bounds, progress.as_ref(), move |job| {
        let observer = job.observer();
        let repair = Repair::new(&picture).given(of.given())?;
        Ok(repair
            .keep(keep.as_ref())
            .only(only)
            .budget(budget)
            .line_solvable(line_solvable)
            .alternatives(alternatives)
            .limits(job.limits.clone())
            .observer(&observer)
            .run())
    })?;
    let found = found.map_err(|error: omnogram::Error| exception(py, &error))?;
    Ok((
        found.flips.as_deref().map(values::places),
        found.minimal,
        found.none_within,
        found
            .alternatives
            .iter()
            .map(|flips| values::places(flips))
            .collect(),
        (
            found.stopped.map(|stop| stop.to_string()),
            found.elapsed.as_secs_f64(),
        ),
    ))
}

/// A line as Python sees it: `row` or `column`, and its index from 0.
type LineName = (&'static str, usize);

/// A step: the line, the cells with their values, the name of the rule, and the sentence.
type Said = (LineName, Vec<(u16, u16, bool)>, &'static str, String);

fn line_name(line: Line) -> LineName {
    match line {
        Line::Row(index) => ("row", index),
        Line::Column(index) => ("column", index),
    }
}

fn said(step: &Step) -> Said {
    let cell = |&(Cell { row, column }, filled): &(Cell, bool)| (row, column, filled);
    (
        line_name(step.line),
        step.cells.iter().map(cell).collect(),
        step.reason.name(),
        step.words.clone(),
    )
}

/// Steps, the name of the ending, why it stopped, rows of `#`, `.` and `?`, and seconds.
type Explained = (Vec<Said>, &'static str, Option<String>, Vec<String>, f64);

/// The steps by which a person solves a puzzle, the name of the ending, why it stopped, and what is known in the end: rows of `#`, `.` and
/// `?`.
#[pyfunction]
#[pyo3(signature = (puzzle, bounds))]
pub(crate) fn explain(
    py: Python<'_>,
    puzzle: &NativePuzzle,
    bounds: Bounds,
) -> PyResult<Explained> {
    let (started, puzzle) = (Instant::now(), Arc::clone(&puzzle.0));
    let explained = run(py, &bounds, None, move |job| {
        let mut steps = Vec::new();
        let explainer = Explainer::new(&puzzle).limits(job.limits.clone());
        let explained = explainer.run(|step| {
            steps.push(said(step));
            true
        });
        explained.map(|explanation| (steps, explanation))
    })?;
    let (steps, explanation) = explained.map_err(|error| exception(py, &error))?;
    let stopped = match explanation.ending {
        Ending::Stopped(stop) => Some(stop.to_string()),
        _ => None,
    };
    Ok((
        steps,
        explanation.ending.name(),
        stopped,
        explanation.position.rows(),
        started.elapsed().as_secs_f64(),
    ))
}

/// How hard a puzzle is: the method, sweeps, rounds (helping lines, open lines, unknown cells), probes, depth, cells left unknown, the most
/// arrangements of a line, why it stopped, and seconds.
type Profiled<'py> = (
    &'static str,
    usize,
    Vec<(usize, usize, usize)>,
    u64,
    Option<u32>,
    usize,
    Option<Bound<'py, PyAny>>,
    Option<String>,
    f64,
);

/// How a puzzle is solved, and how hard that is.
#[pyfunction]
#[pyo3(signature = (puzzle, bounds))]
pub(crate) fn profile<'py>(
    py: Python<'py>,
    puzzle: &NativePuzzle,
    bounds: Bounds,
) -> PyResult<Profiled<'py>> {
    let (started, puzzle) = (Instant::now(), Arc::clone(&puzzle.0));
    let profile = run(py, &bounds, None, move |job| {
        Profile::of(&puzzle, &job.limits)
    })?;
    let hardest = profile
        .hardest
        .as_ref()
        .map(|number| values::int(py, number));
    let rounds = profile.rounds.iter();
    Ok((
        profile.method.name(),
        profile.sweeps,
        rounds
            .map(|round| (round.helping, round.open, round.unknown))
            .collect(),
        profile.probes,
        profile.depth,
        profile.unknown,
        hardest.transpose()?,
        profile.stopped.map(|stop| stop.to_string()),
        started.elapsed().as_secs_f64(),
    ))
}
