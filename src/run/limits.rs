//! When a run must stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Bytes that a run may keep unless its limits say otherwise.
const MEMORY: u64 = 4 << 30;

/// Bounds on a run. Whatever strikes first stops it, and the answer says so.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Most solutions to find.
    pub solutions: Option<u64>,
    /// Longest time, from the start of the run.
    pub time: Option<Duration>,
    /// Most nodes of the search tree.
    pub nodes: Option<u64>,
    /// Most bytes for what has to be kept. Half of it is for the fillings of regions, which are searched in place beyond that; it
    /// never stops a run by itself, but a sink with the same limit does.
    pub memory: Option<u64>,
    /// Set by anyone, at any time, to stop the run.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Stop at the n-th time that the search asks whether to stop: makes stopping testable.
    #[doc(hidden)]
    pub checks: Option<u64>,
}

impl Limits {
    /// Bytes that the run may keep.
    pub(crate) fn bytes(&self) -> u64 {
        self.memory.unwrap_or(MEMORY)
    }
}
