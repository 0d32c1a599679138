//! What one thread of an estimate may still do: no node is made before it is allowed, and the other limits are asked at every node and
//! between the lines of every sweep.

use crate::run::Control;

/// Nodes that are reserved at a time.
const NODES: u64 = 64;

/// The limits as one thread sees them.
#[derive(Debug)]
pub(super) struct Steps<'c> {
    control: &'c Control,
    reserved: u64,
    nodes: u64,
}

impl<'c> Steps<'c> {
    pub(super) fn new(control: &'c Control) -> Self {
        Steps {
            control,
            reserved: 0,
            nodes: 0,
        }
    }

    /// May one more node be made? Then it is counted as made.
    pub(super) fn node(&mut self) -> bool {
        if self.stop() {
            return false;
        }
        if self.reserved == 0 {
            self.reserved = self.control.reserve_nodes(NODES);
        }
        if self.reserved == 0 {
            return false;
        }
        self.reserved -= 1;
        self.nodes += 1;
        true
    }

    /// Must the run stop?
    pub(super) fn stop(&self) -> bool {
        self.control.poll()
    }

    /// Nodes made since the last call.
    pub(super) fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}

impl Drop for Steps<'_> {
    fn drop(&mut self) {
        self.control.return_nodes(self.reserved);
    }
}
