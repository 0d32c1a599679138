//! What is left of a racer, from what it has done since half of its work.

use crate::count::options;

/// The share of a component that is done, at the ends of the slices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Nanoseconds of work, and the share that was done by then, from 0 to 1.
    samples: Vec<(u64, f64)>,
}

impl Progress {
    /// Records that this share is done after this work.
    pub(crate) fn record(&mut self, work: u64, done: f64) {
        self.samples.push((work, done));
    }

    /// The nanoseconds of work that are expected to be left.
    ///
    /// Several threads that work on one component begin at many places and soon end where it is easy, and a search can be quick at first and
    /// then get stuck. So the pace is that since half of the work so far. The shares are rough: they may promise an early end, or none for
    /// ages. So what is left is taken to be at most [`MOST_LEFT`](crate::count::options::MOST_LEFT) times what is done.
    pub(crate) fn left(&self) -> f64 {
        let Some(&(work, done)) = self.samples.last() else {
            return 0.0;
        };
        let earlier = self
            .samples
            .iter()
            .rev()
            .find(|sample| sample.0 <= work / 2);
        let (earlier_work, earlier_done) = earlier.copied().unwrap_or((0, 0.0));
        let (worked, progress) = ((work - earlier_work) as f64, done - earlier_done);
        let most = options::MOST_LEFT * work as f64;
        match progress > 0.0 {
            true => (worked * (1.0 - done) / progress).min(most),
            false => most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_that_since_half_of_the_work() {
        let mut progress = Progress::default();
        assert_eq!(progress.left(), 0.0);
        progress.record(100, 0.1);
        assert_eq!(progress.left(), 800.0);
        // 0.1 took 100 at first, and 0.2 took 300 after that.
        progress.record(400, 0.3);
        assert!((progress.left() - 1050.0).abs() < 1e-6);
        progress.record(900, 0.3);
        assert_eq!(progress.left(), 7200.0);
    }
}
