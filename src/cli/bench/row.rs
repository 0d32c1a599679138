//! The figures of one workload on one number of threads.

use omnogram::search::Statistics;
use serde::Serialize;

use super::super::json::round_to_micros;
use super::machine::Machine;
use super::workload::{Measurement, Name, Workload};

/// A row of the table, a point of the plot, and a JSON object.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    pub(super) workload: Name,
    quick: bool,
    pub(super) threads: usize,
    /// The time of the median run, of two the faster one. All rates are of this run, so that they are consistent.
    pub(super) seconds: f64,
    pub(super) lowest: f64,
    pub(super) highest: f64,
    /// The times of all runs, in order.
    runs: Vec<f64>,
    pub(super) puzzles: usize,
    /// As decimal text, like the number of solutions of every verb.
    solutions: String,
    nodes: u64,
    statistics: Statistics,
    pub(super) nodes_per_second: f64,
    pub(super) solutions_per_second: f64,
    pub(super) puzzles_per_second: f64,
    pub(super) speed_up: f64,
    pub(super) efficiency: f64,
    machine: &'a Machine,
    version: &'static str,
}

/// Ratio of the slowest to the fastest run above which a row is noisy: the machine was busy with other work.
const NOISE_RATIO: f64 = 1.2;

impl<'a> Row<'a> {
    /// The rows of a workload, one for each number of threads that has runs; the first is of one thread.
    pub(super) fn of(
        workload: &Workload,
        machine: &'a Machine,
        all_runs: &[(usize, Vec<Measurement>)],
    ) -> Vec<Self> {
        let mut rows = Vec::new();
        let mut one_thread_seconds = None;
        for (threads, runs) in all_runs.iter().filter(|(_, runs)| !runs.is_empty()) {
            let mut sorted = runs.clone();
            sorted.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
            let median = sorted[(runs.len() - 1) / 2];
            let times = runs.iter().map(|run| round_to_micros(run.seconds));
            let per_second = |number: f64| round_to_micros(number / median.seconds);
            let speed_up = *one_thread_seconds.get_or_insert(median.seconds) / median.seconds;
            rows.push(Row {
                workload: workload.name,
                quick: workload.quick,
                threads: *threads,
                seconds: round_to_micros(median.seconds),
                lowest: round_to_micros(sorted[0].seconds),
                highest: round_to_micros(sorted[runs.len() - 1].seconds),
                runs: times.collect(),
                puzzles: workload.puzzles.len(),
                solutions: workload.solutions.to_string(),
                nodes: median.statistics.nodes,
                statistics: median.statistics,
                nodes_per_second: per_second(median.statistics.nodes as f64).round(),
                solutions_per_second: per_second(workload.solutions.to_f64()),
                puzzles_per_second: per_second(workload.puzzles.len() as f64),
                speed_up: round_to_micros(speed_up),
                efficiency: round_to_micros(speed_up / *threads as f64),
                machine,
                version: env!("CARGO_PKG_VERSION"),
            });
        }
        rows
    }

    /// Whether the times differ by more than the search itself varies.
    pub(super) fn is_noisy(&self) -> bool {
        self.highest > NOISE_RATIO * self.lowest
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Rows of these times on 1, 2, 4 and so on threads.
    pub(in super::super) fn rows<'a>(
        workload: &Workload,
        machine: &'a Machine,
        times: &[&[f64]],
    ) -> Vec<Row<'a>> {
        let runs = times.iter().enumerate().map(|(i, times)| {
            let mut statistics = Statistics::default();
            statistics.nodes = 7_257_601;
            let run = |&seconds: &f64| Measurement {
                seconds,
                statistics,
            };
            (1 << i, times.iter().map(run).collect())
        });
        Row::of(workload, machine, &runs.collect::<Vec<_>>())
    }

    #[test]
    fn figures_are_of_the_median_run() {
        let workload = Workload::new(Name::Permutation, true);
        let machine = Machine::this();
        let rows = rows(&workload, &machine, &[&[9.0, 1.0, 2.0], &[1.0, 0.8], &[]]);
        assert_eq!(rows.len(), 2);
        let (one, two) = (&rows[0], &rows[1]);
        assert_eq!((one.seconds, one.lowest, one.highest), (2.0, 1.0, 9.0));
        assert!(one.is_noisy() && one.runs == [9.0, 1.0, 2.0]);
        assert_eq!((one.speed_up, one.efficiency), (1.0, 1.0));
        assert_eq!(two.seconds, 0.8);
        assert_eq!((two.speed_up, two.efficiency), (2.5, 1.25));
        assert_eq!(one.solutions_per_second, 181_440.0);
    }
}
