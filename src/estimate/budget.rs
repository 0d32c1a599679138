//! The step budget of one thread of an estimate: nodes are reserved before they are visited, and other limits polled at every node and
//! line.

use crate::run::Control;

/// Nodes per reservation.
const NODES_PER_RESERVATION: u64 = 64;

/// The limits as one thread sees them.
#[derive(Debug)]
pub(super) struct Budget<'c> {
    pub(super) control: &'c Control,
    reserved: u64,
    nodes: u64,
}

impl<'c> Budget<'c> {
    pub(super) fn new(control: &'c Control) -> Self {
        Budget {
            control,
            reserved: 0,
            nodes: 0,
        }
    }

    /// Takes one node from the budget; `false` if the run must stop.
    pub(super) fn take_node(&mut self) -> bool {
        if self.must_stop() {
            return false;
        }
        if self.reserved == 0 {
            self.reserved = self.control.reserve_nodes(NODES_PER_RESERVATION);
        }
        if self.reserved == 0 {
            return false;
        }
        self.reserved -= 1;
        self.nodes += 1;
        true
    }

    /// Polls the control; whether the run must stop.
    pub(super) fn must_stop(&self) -> bool {
        self.control.poll()
    }

    /// Nodes taken since the last call.
    pub(super) fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        self.control.return_nodes(self.reserved);
    }
}
