//! What is left of a racer, from the progress that it has made so far.

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

    /// The share that was done when at most this much work was.
    fn done_at(&self, work: u64) -> Option<f64> {
        let earlier = self.samples.iter().rev().find(|sample| sample.0 <= work);
        earlier.map(|sample| sample.1)
    }

    /// The nanoseconds of work that are expected to be left.
    ///
    /// Several threads that work on one component begin at many places and soon end where it is easy, and a search can be quick at first and
    /// then get stuck. So the last two doublings of the work tell how much the next ones bring: each brings as many times more, or less, as the
    /// last one brought more than the one before; but no more than at a constant pace, which is twice as much. The shares are rough: they may
    /// promise none for ages. So what is left is taken to be at most [`MOST_LEFT`](crate::count::options::MOST_LEFT) times what is done.
    pub(crate) fn left(&self) -> f64 {
        let Some(&(work, done)) = self.samples.last() else {
            return 0.0;
        };
        // Where that is not known, at a constant pace.
        let half = self.done_at(work / 2).unwrap_or(done / 2.0);
        let quarter = self.done_at(work / 4).unwrap_or(half / 2.0);
        let mut progress = done - half;
        let growth = match half > quarter {
            true => (progress / (half - quarter)).min(2.0),
            false => 2.0,
        };
        let (mut left, mut doubling, mut open) = (0.0, work as f64, 1.0 - done);
        let most = options::MOST_LEFT * work as f64;
        while left < most {
            progress *= growth;
            if progress > 0.0 && progress >= open {
                left += doubling * open / progress;
                break;
            }
            left += doubling;
            doubling *= 2.0;
            open -= progress;
        }
        left.min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_doublings_of_the_work_go_on_as_the_last_two() {
        let left = |samples: &[(u64, f64)]| {
            let mut progress = Progress::default();
            samples
                .iter()
                .for_each(|&(work, done)| progress.record(work, done));
            progress.left().round()
        };
        assert_eq!(left(&[]), 0.0);
        // A constant pace.
        assert_eq!(left(&[(100, 0.25)]), 300.0);
        assert_eq!(left(&[(100, 0.1), (200, 0.2), (400, 0.4)]), 600.0);
        assert_eq!(
            left(&[(100, 0.1), (200, 0.2), (300, 0.3), (400, 0.4)]),
            600.0
        );
        // A pace that has grown is not expected to grow further.
        assert_eq!(left(&[(100, 0.01), (200, 0.02), (400, 0.36)]), 376.0);
        // Each doubling brings what the last one did: 0.2 by 800, and 0.2 by 1600.
        assert_eq!(left(&[(100, 0.3), (200, 0.5), (400, 0.7)]), 800.0);
        // Each brings a tenth: it never ends.
        assert_eq!(left(&[(100, 0.0), (200, 0.9), (400, 0.98)]), 3200.0);
        assert_eq!(left(&[(100, 0.5), (400, 0.5)]), 3200.0);
    }
}
