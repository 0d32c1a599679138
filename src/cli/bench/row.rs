//! The figures of one workload on one number of threads.

use omnogram::search::Statistics;

use super::workload::{Measurement, Workload};

/// A row of the table, a point of the plot, a JSON object.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) workload: &'a Workload,
    pub(super) threads: usize,
    /// In the order of the runs; never empty.
    runs: Vec<Measurement>,
    /// Seconds of the median run on one thread.
    one_thread_seconds: f64,
}

/// Ratio of the slowest to the fastest run above which a row is noisy: the machine was busy with other work.
const NOISE_RATIO: f64 = 1.2;

impl<'a> Row<'a> {
    /// The rows of a workload, one for each number of threads that has runs; the first is of one thread.
    pub(super) fn of(workload: &'a Workload, runs: Vec<(usize, Vec<Measurement>)>) -> Vec<Self> {
        let mut rows = Vec::new();
        let mut one_thread_seconds = None;
        for (threads, runs) in runs {
            if runs.is_empty() {
                continue;
            }
            let mut row = Row {
                workload,
                threads,
                runs,
                one_thread_seconds: 0.0,
            };
            row.one_thread_seconds = *one_thread_seconds.get_or_insert(row.seconds());
            rows.push(row);
        }
        rows
    }

    /// The median run by time, of two the faster one. All figures are of this run, so that they are consistent.
    fn median(&self) -> &Measurement {
        let mut runs: Vec<&Measurement> = self.runs.iter().collect();
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        runs[(runs.len() - 1) / 2]
    }

    pub(super) fn seconds(&self) -> f64 {
        self.median().seconds
    }

    /// The times of all runs in seconds, in order.
    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        self.runs.iter().map(|run| run.seconds)
    }

    pub(super) fn lowest(&self) -> f64 {
        self.times().fold(f64::INFINITY, f64::min)
    }

    pub(super) fn highest(&self) -> f64 {
        self.times().fold(0.0, f64::max)
    }

    /// Whether the times differ by more than the search itself varies.
    pub(super) fn is_noisy(&self) -> bool {
        self.highest() > NOISE_RATIO * self.lowest()
    }

    pub(super) fn statistics(&self) -> &Statistics {
        &self.median().statistics
    }

    pub(super) fn nodes_per_second(&self) -> f64 {
        self.statistics().nodes as f64 / self.seconds()
    }

    pub(super) fn solutions_per_second(&self) -> f64 {
        self.workload.solutions().to_f64() / self.seconds()
    }

    pub(super) fn puzzles_per_second(&self) -> f64 {
        self.workload.puzzles() as f64 / self.seconds()
    }

    /// The time on one thread divided by this time.
    pub(super) fn speed_up(&self) -> f64 {
        self.one_thread_seconds / self.seconds()
    }

    /// The speed-up divided by the number of threads.
    pub(super) fn efficiency(&self) -> f64 {
        self.speed_up() / self.threads as f64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::workload::Name;
    use super::*;

    /// Rows of these times on 1, 2, 4 and so on threads.
    pub(in super::super) fn rows<'a>(workload: &'a Workload, times: &[&[f64]]) -> Vec<Row<'a>> {
        let runs = times.iter().enumerate().map(|(i, times)| {
            let mut statistics = Statistics::default();
            statistics.nodes = 7_257_601;
            let run = |&seconds: &f64| Measurement {
                seconds,
                statistics,
            };
            (1 << i, times.iter().map(run).collect())
        });
        Row::of(workload, runs.collect())
    }

    #[test]
    fn figures_are_of_the_median_run() {
        let workload = Workload::new(Name::Permutation, true);
        let rows = rows(&workload, &[&[9.0, 1.0, 2.0], &[1.0, 0.8], &[]]);
        assert_eq!(rows.len(), 2);
        let (one, two) = (&rows[0], &rows[1]);
        assert_eq!(
            (one.seconds(), one.lowest(), one.highest()),
            (2.0, 1.0, 9.0)
        );
        assert!(one.is_noisy() && one.times().eq([9.0, 1.0, 2.0]));
        assert_eq!((one.speed_up(), one.efficiency()), (1.0, 1.0));
        assert_eq!(two.seconds(), 0.8);
        assert_eq!((two.speed_up(), two.efficiency()), (2.5, 1.25));
        assert_eq!(one.solutions_per_second(), 181_440.0);
    }
}
