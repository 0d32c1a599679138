//! What every run has, whatever it does: limits, a control that stops it, and how far it has come.

mod control;
mod limits;
mod lock;
mod progress;
pub(crate) mod shares;

pub(crate) use control::{Control, Pace};
pub use limits::Limits;
pub(crate) use lock::lock;
pub use progress::{Activity, Snapshot, Statistics};
pub(crate) use progress::{Observer, TICK, ticking};
