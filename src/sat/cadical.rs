//! CaDiCaL, as far as it is used. In a build without the feature `sat`, `absent` takes the place of this file.

pub(super) use cadical_sys::{CaDiCal, FixedAssignmentListener, Learner, Status, Terminator};

/// Whether this build has a solver.
pub(super) const IS_BUILT_IN: bool = true;

/// A new solver; `None` in a build that has none.
pub(super) fn new() -> Option<CaDiCal> {
    Some(CaDiCal::new())
}
