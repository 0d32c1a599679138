//! The sweeps that go on in later rounds, and the memory that they hold meanwhile.

use crate::count::frontier::{Direction, Sweep};

/// The sweeps of one component that have paused, at most one in each direction.
#[derive(Debug, Default)]
pub(crate) struct PausedSweeps<'s> {
    component: usize,
    sweeps: Vec<(Direction, Sweep<'s>)>,
}

impl<'s> PausedSweeps<'s> {
    /// Takes out the sweep of this component in this direction. Drops all sweeps of other components.
    pub(super) fn take(&mut self, component: usize, direction: Direction) -> Option<Sweep<'s>> {
        if self.component != component {
            self.component = component;
            self.sweeps.clear();
        }
        let is_same = |(paused, _): &(Direction, Sweep<'s>)| *paused == direction;
        let place = self.sweeps.iter().position(is_same)?;
        Some(self.sweeps.swap_remove(place).1)
    }

    /// Keeps a sweep of the component of the last [`take`](Self::take).
    pub(super) fn keep(&mut self, direction: Direction, sweep: Sweep<'s>) {
        self.sweeps.push((direction, sweep));
    }

    /// The component of the sweeps.
    pub(super) fn component(&self) -> usize {
        self.component
    }

    /// Frees what the sweeps can do again with little work, if they hold more than this number of bytes.
    pub(super) fn shrink_beyond(&mut self, bytes: u64) {
        if self.bytes() > bytes {
            self.sweeps.iter_mut().for_each(|(_, sweep)| sweep.shrink());
        }
    }

    fn bytes(&self) -> u64 {
        self.sweeps.iter().map(|(_, sweep)| sweep.bytes()).sum()
    }

    /// Drops sweeps, the one that has paused first at first, until all together hold at most this number of bytes. Returns the directions of
    /// the dropped ones.
    pub(super) fn drop_beyond(&mut self, bytes: u64) -> Vec<Direction> {
        let mut held = self.bytes();
        let is_dropped = |(_, sweep): &mut (Direction, Sweep<'s>)| {
            let is_dropped = held > bytes;
            held -= if is_dropped { sweep.bytes() } else { 0 };
            is_dropped
        };
        let dropped = self.sweeps.extract_if(.., is_dropped);
        dropped.map(|(direction, _)| direction).collect()
    }
}
