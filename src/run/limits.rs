//! The limits of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::clock::Instant;

/// Default memory limit of a run, in bytes.
const DEFAULT_MEMORY_BYTES: u64 = 4 << 30;

/// The largest memory limit, in bytes. Where addresses have 32 bits, half of them is left for what the memory plan does not count.
const MAX_MEMORY_BYTES: u64 = 1 << (usize::BITS - 1);

/// Bounds on a run. The first one that is reached stops the run, and the answer names it.
///
/// Each bound is set by the method with its name, to a value or an `Option`; there is none by default.
///
/// ```
/// use omnogram::Limits;
/// use std::time::Duration;
///
/// let limits = Limits::default().solutions(10).time(Duration::from_secs(5));
/// assert_eq!((limits.solutions, limits.nodes), (Some(10), None));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use]
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
    /// Sets the maximum number of solutions to find.
    pub fn solutions(mut self, solutions: impl Into<Option<u64>>) -> Self {
        self.solutions = solutions.into();
        self
    }

    /// Sets the maximum time from the start of the run.
    pub fn time(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.time = time.into();
        self
    }

    /// Sets the maximum number of search tree nodes.
    pub fn nodes(mut self, nodes: impl Into<Option<u64>>) -> Self {
        self.nodes = nodes.into();
        self
    }

    /// Sets the maximum memory in bytes.
    pub fn memory(mut self, memory: impl Into<Option<u64>>) -> Self {
        self.memory = memory.into();
        self
    }

    /// Sets the flag that stops the run.
    pub fn interrupt(mut self, interrupt: impl Into<Option<Arc<AtomicBool>>>) -> Self {
        self.interrupt = interrupt.into();
        self
    }

    /// Sets the number of checks after which the run stops.
    #[doc(hidden)]
    pub fn checks(mut self, checks: impl Into<Option<u64>>) -> Self {
        self.checks = checks.into();
        self
    }

    /// The same limits for the rest of a run that began at this moment.
    pub(crate) fn left_since(&self, started: Instant) -> Self {
        let left = |time: Duration| time.saturating_sub(started.elapsed());
        self.clone().time(self.time.map(left))
    }

    /// The memory limit in bytes, or its default; at most what addresses allow.
    pub(crate) fn bytes(&self) -> u64 {
        (self.memory.unwrap_or(DEFAULT_MEMORY_BYTES)).min(MAX_MEMORY_BYTES)
    }
}
