//! The figures as JSON: one object for each row, on one line.

use omnogram::search::Statistics;
use serde::Serialize;

use super::super::answer::{self, round_to_micros};
use super::machine::Machine;
use super::row::Row;

#[derive(Debug, Serialize)]
struct Figures<'a> {
    workload: String,
    quick: bool,
    threads: usize,
    /// The time of the median run; all rates are of this run.
    seconds: f64,
    lowest: f64,
    highest: f64,
    runs: Vec<f64>,
    puzzles: usize,
    /// As decimal text, like the number of solutions of every verb.
    solutions: String,
    nodes: u64,
    statistics: &'a Statistics,
    nodes_per_second: f64,
    solutions_per_second: f64,
    puzzles_per_second: f64,
    speed_up: f64,
    efficiency: f64,
    machine: &'a Machine,
    version: &'static str,
}

/// The object for a row, with its line break.
pub(super) fn object(row: &Row<'_>, machine: &Machine, quick: bool) -> String {
    answer::json_line(&Figures {
        workload: row.workload.name.to_string(),
        quick,
        threads: row.threads,
        seconds: round_to_micros(row.seconds()),
        lowest: round_to_micros(row.lowest()),
        highest: round_to_micros(row.highest()),
        runs: row.times().map(round_to_micros).collect(),
        puzzles: row.workload.puzzles(),
        solutions: row.workload.solutions().to_string(),
        nodes: row.statistics().nodes,
        statistics: row.statistics(),
        nodes_per_second: row.nodes_per_second().round(),
        solutions_per_second: round_to_micros(row.solutions_per_second()),
        puzzles_per_second: round_to_micros(row.puzzles_per_second()),
        speed_up: round_to_micros(row.speed_up()),
        efficiency: round_to_micros(row.efficiency()),
        machine,
        version: env!("CARGO_PKG_VERSION"),
    })
}
