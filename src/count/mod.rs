//! Counting without listing, and the space of all solutions that is left of it.

mod builder;
mod cells;
mod fillings;
mod listed;
mod odometer;
mod ordered;
mod picture;
mod restrict;
mod sample;
mod space;
mod stand_in;
mod tally;

pub use builder::{Builder, Edge, NodeId};
pub use cells::Cells;
pub use ordered::{Advance, Ordered};
pub use sample::Samples;
pub use space::Space;
pub use stand_in::Counting;
