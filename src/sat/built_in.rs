//! Which solver this build has.

#[cfg(not(any(feature = "sat", feature = "sat-rust")))]
pub(super) use super::absent::Absent as Solver;
#[cfg(all(feature = "sat-rust", not(feature = "sat")))]
pub(super) use super::batsat::Batsat as Solver;
#[cfg(feature = "sat")]
pub(super) use super::cadical::Cadical as Solver;
