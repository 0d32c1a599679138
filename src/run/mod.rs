//! What all kinds of runs share: limits, the control that stops them, progress reports and the memory plan.

mod aside;
#[cfg(feature = "checked")]
mod checked;
mod clock;
mod control;
mod limits;
mod lock;
pub(crate) mod memory_plan;
mod progress;
mod ticker;

pub(crate) use aside::drop_aside;
pub(crate) use clock::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use clock::set_clock;
pub(crate) use control::{Control, Pace};
pub use limits::Limits;
pub(crate) use lock::lock;
pub(crate) use progress::ticking;
pub use progress::{Activity, Observer, Snapshot, Statistics};
pub(crate) use ticker::TICK;
