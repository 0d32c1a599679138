//! The racers: each way to count a component behind the one interface of the [race](super::race).

mod backbone;
mod progress;
mod sweep;
mod walk;

pub(crate) use backbone::BackboneRacer;
pub(crate) use sweep::SweepRacer;
pub(crate) use walk::WalkRacer;
