//! The answer as JSON: one object for each puzzle, on one line.

use std::time::Duration;

use omnogram::error::Error;
use omnogram::puzzle::Grid;
use omnogram::search::{Outcome, Statistics, Total};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::subject::Subject;

/// The fields of the answer that all searching verbs share; `Extra` holds those that one verb adds.
#[derive(Debug, Serialize)]
struct Report<'a, Extra> {
    puzzle: &'a str,
    /// The title in the file, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    width: usize,
    height: usize,
    verdict: String,
    /// As decimal text, since it may exceed the range of numbers in JSON readers.
    solutions: String,
    /// A large number of solutions in a few digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    magnitude: Option<String>,
    exact: bool,
    stopped: Option<String>,
    nodes: u64,
    seconds: f64,
    statistics: StatisticsFigures,
    #[serde(flatten)]
    extra: Extra,
}

/// The statistics except the nodes, which have a field of the answer.
#[derive(Debug, Serialize)]
pub(super) struct StatisticsFigures {
    leaves: u64,
    dead_ends: u64,
    splits: u64,
    probes: u64,
    settles: u64,
    tasks: u64,
    conflicts: u64,
}

impl From<&Statistics> for StatisticsFigures {
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
            ..
        } = *statistics;
        StatisticsFigures {
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

/// The object for an input that is not a puzzle, so that there is one object per input.
#[derive(Debug, Serialize)]
struct NotAPuzzle<'a> {
    puzzle: &'a str,
    error: String,
}

/// No additional fields.
#[derive(Debug, Serialize)]
pub(super) struct NoExtra {}

/// The object for a puzzle and the outcome of its search, with its line break.
pub(super) fn outcome_line(
    subject: &Subject<'_>,
    outcome: &Outcome,
    extra: impl Serialize,
) -> String {
    let Outcome {
        solutions,
        stopped,
        statistics,
        elapsed,
        ..
    } = outcome;
    answer_line(subject, solutions, *stopped, statistics, *elapsed, extra)
}

/// The same for a run whose result is not an [`Outcome`].
pub(super) fn answer_line(
    subject: &Subject<'_>,
    solutions: &Total,
    stopped: Option<Stop>,
    statistics: &Statistics,
    elapsed: Duration,
    extra: impl Serialize,
) -> String {
    let number = solutions.number();
    json_line(&Report {
        puzzle: subject.raw_name,
        title: subject.title(),
        width: subject.puzzle.width(),
        height: subject.puzzle.height(),
        verdict: solutions.verdict().to_string(),
        solutions: number.to_string(),
        magnitude: number.rough().map(|rough| format!("{rough:e}")),
        exact: solutions.is_exact(),
        stopped: stopped.map(|stop| stop.to_string()),
        nodes: statistics.nodes,
        seconds: round_to_micros(elapsed.as_secs_f64()),
        statistics: StatisticsFigures::from(statistics),
        extra,
    })
}

/// The object for an input that is not a puzzle, with its line break.
pub(super) fn error_line(name: &str, error: &Error) -> String {
    json_line(&NotAPuzzle {
        puzzle: name,
        error: error.to_string(),
    })
}

/// The rows of a grid as text.
pub(super) fn rows(grid: &Grid) -> Vec<String> {
    grid.to_string().lines().map(str::to_owned).collect()
}

/// A number rounded to six decimals, in seconds a microsecond.
pub(super) fn round_to_micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// An object on one line, with its line break.
pub(super) fn json_line(object: &impl Serialize) -> String {
    let mut line = serde_json::to_string(object)
        .expect("strings, numbers and lists of them can always be serialized");
    line.push('\n');
    line
}
