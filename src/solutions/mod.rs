//! Sinks for solutions.
//!
//! The search passes its leaves on in a [`Batch`]: bundles, each a base grid and independent factors whose fillings multiply.
//! A [`Sink`] takes batches: [`CountSink`] adds up their sizes and never looks at a grid, [`Set`] keeps every grid once, [`Stream`]
//! passes batches to one writer thread through a bounded channel.

mod batch;
#[cfg(feature = "checked")]
pub(crate) mod checked;
mod count;
mod set;
mod sink;
mod stop;

pub(crate) use batch::expand;
pub use batch::{Batch, Factor};
pub use count::{Count, Rough};
pub use set::Set;
pub use sink::{Batches, CountSink, Sink, Stream};
pub use stop::Stop;

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use super::*;
    use crate::puzzle::Grid;

    /// Grids of 3x1: `#..` alone, and a bundle of `..#` and `.##` with a factor of one cell.
    fn batch() -> Batch {
        let mut batch = Batch::new(3, 1);
        batch.push_grid(&[0b001]);
        batch.push_bundle(&[0b100], &[Arc::new(Factor::new(vec![0], vec![0, 0b010]))]);
        batch
    }

    fn texts(grids: &[Grid]) -> Vec<String> {
        grids
            .iter()
            .map(|grid| grid.to_string().trim().to_owned())
            .collect()
    }

    #[test]
    fn every_sink_sees_the_same() {
        let counter = CountSink::new();
        assert!(counter.take(batch()).is_continue());
        assert_eq!(counter.into_count(), Count::from(3));

        let set = Set::new(1 << 20);
        assert!(set.take(batch()).is_continue() && set.take(batch()).is_continue());
        assert_eq!((set.len(), set.repeats()), (3, 3));
        assert_eq!(texts(&set.into_sorted(3, 1)), ["#..", ".##", "..#"]);
    }

    #[test]
    fn a_full_set_stops_the_run() {
        let set = Set::new(1);
        assert_eq!(set.take(batch()), ControlFlow::Break(Stop::Memory));
    }

    #[test]
    fn a_stream_ends_when_nobody_reads() {
        let (stream, batches) = Stream::new(1);
        assert!(stream.take(batch()).is_continue());
        assert_eq!(
            batches
                .into_iter()
                .next()
                .map(|batch| batch.count().clone()),
            Some(Count::from(3))
        );
        assert_eq!(stream.take(batch()), ControlFlow::Break(Stop::Closed));
    }

    #[test]
    fn a_batch_is_cut_in_the_middle_of_a_bundle() {
        for keep in 0..=3u64 {
            let mut cut = batch();
            cut.truncate(keep);
            let mut seen = Vec::new();
            cut.each(|words| seen.push(words[0]));
            assert_eq!(seen, [0b001, 0b100, 0b110][..keep as usize]);
            assert_eq!(cut.count(), &Count::from(keep));
        }
    }
}
