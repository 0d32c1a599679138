//! What all kinds of runs share: limits, the control that stops them, progress reports and the memory plan.

mod aside;
#[cfg(feature = "checked")]
mod checked;
mod control;
mod limits;
mod lock;
pub(crate) mod memory_plan;
mod progress;

pub(crate) use aside::drop_aside;
pub(crate) use control::{Control, Pace};
pub use limits::Limits;
pub(crate) use lock::lock;
pub use progress::{Activity, Observer, Snapshot, Statistics};
pub(crate) use progress::{TICK, ticking};
