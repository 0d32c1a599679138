//! The parts of CaDiCaL that are used. In a build without the feature `sat`, the module `absent` replaces this one.

pub(super) use cadical_sys::{CaDiCal, Learner, ProofTracer, Status as SatStatus, Terminator};

/// Whether this build has a solver.
pub(super) const IS_BUILT_IN: bool = true;

/// A new solver; `None` in a build that has none.
pub(super) fn new() -> Option<CaDiCal> {
    Some(CaDiCal::new())
}
