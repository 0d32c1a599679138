//! The limits of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Default memory limit of a run, in bytes.
const DEFAULT_MEMORY_BYTES: u64 = 4 << 30;

/// Bounds on a run. The first one that is reached stops the run, and the answer names it.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Maximum number of solutions to find.
    pub solutions: Option<u64>,
    /// Maximum time from the start of the run.
    pub time: Option<Duration>,
    /// Maximum number of search tree nodes.
    pub nodes: Option<u64>,
    /// Maximum memory in bytes. Half of it is for lists of fillings of regions; a region whose list does not fit is searched in place
    /// instead. The search itself never stops at this limit, but a sink with the same limit does.
    pub memory: Option<u64>,
    /// Flag that any thread may set at any time to stop the run.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Stop at the n-th check of the stop flag, so that tests can stop a run at any point.
    #[doc(hidden)]
    pub checks: Option<u64>,
}

impl Limits {
    /// The memory limit in bytes, or its default.
    pub(crate) fn bytes(&self) -> u64 {
        self.memory.unwrap_or(DEFAULT_MEMORY_BYTES)
    }
}
