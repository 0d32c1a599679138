//! The answer for programs: one JSON object for each puzzle, on one line.

use std::time::Duration;

use omnogram::error::Error;
use omnogram::puzzle::Grid;
use omnogram::search::{Outcome, Statistics, Total};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::subject::Subject;

/// What every verb that searches says of a puzzle; `Extra` is what one verb adds.
#[derive(Debug, Serialize)]
struct Report<'a, Extra> {
    puzzle: &'a str,
    /// What it is called, where the file says that.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    width: usize,
    height: usize,
    verdict: String,
    /// Decimal, as it may be greater than what JSON readers can hold.
    solutions: String,
    /// The same in a few digits, where it has many.
    #[serde(skip_serializing_if = "Option::is_none")]
    magnitude: Option<String>,
    exact: bool,
    stopped: Option<String>,
    nodes: u64,
    seconds: f64,
    statistics: Work,
    #[serde(flatten)]
    extra: Extra,
}

/// The statistics but for the nodes, which are named apart.
#[derive(Debug, Serialize)]
pub(super) struct Work {
    leaves: u64,
    dead_ends: u64,
    splits: u64,
    probes: u64,
    settles: u64,
    tasks: u64,
    conflicts: u64,
}

impl From<&Statistics> for Work {
    fn from(statistics: &Statistics) -> Self {
        let Statistics {
            nodes: _,
            leaves,
            dead_ends,
            splits,
            probes,
            settles,
            tasks,
            conflicts,
        } = *statistics;
        Work {
            leaves,
            dead_ends,
            splits,
            probes,
            settles,
            tasks,
            conflicts,
        }
    }
}

/// What is said of something that is not a puzzle, so that objects match inputs.
#[derive(Debug, Serialize)]
struct NotAPuzzle<'a> {
    puzzle: &'a str,
    error: String,
}

/// Nothing to add.
#[derive(Debug, Serialize)]
pub(super) struct NoExtra {}

/// The object for a puzzle and what a run of it came to, with its line break.
pub(super) fn searched(subject: &Subject<'_>, outcome: &Outcome, extra: impl Serialize) -> String {
    let Outcome {
        solutions,
        stopped,
        statistics,
        elapsed,
        ..
    } = outcome;
    answered(subject, solutions, *stopped, statistics, *elapsed, extra)
}

/// The same for any other run.
pub(super) fn answered(
    subject: &Subject<'_>,
    solutions: &Total,
    stopped: Option<Stop>,
    statistics: &Statistics,
    elapsed: Duration,
    extra: impl Serialize,
) -> String {
    let number = solutions.number();
    line(&Report {
        puzzle: subject.file,
        title: subject.title(),
        width: subject.puzzle.width(),
        height: subject.puzzle.height(),
        verdict: solutions.verdict().to_string(),
        solutions: number.to_string(),
        magnitude: number.rough().map(|rough| format!("{rough:e}")),
        exact: solutions.is_exact(),
        stopped: stopped.map(|stop| stop.to_string()),
        nodes: statistics.nodes,
        seconds: micro(elapsed.as_secs_f64()),
        statistics: Work::from(statistics),
        extra,
    })
}

/// The object for something that is not a puzzle.
pub(super) fn bad(name: &str, error: &Error) -> String {
    line(&NotAPuzzle {
        puzzle: name,
        error: error.to_string(),
    })
}

/// The rows of a picture.
pub(super) fn rows(grid: &Grid) -> Vec<String> {
    grid.to_string().lines().map(str::to_owned).collect()
}

/// A number to six places behind the point: nobody measures less than a microsecond.
pub(super) fn micro(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// An object on one line, with its line break.
pub(super) fn line(object: &impl Serialize) -> String {
    // Texts, numbers and lists of them can always be written as JSON.
    let mut line = serde_json::to_string(object).expect("plain data");
    line.push('\n');
    line
}
