//! The branching counter: depth first over decisions and components, on any number of workers, which count each component once. A *walk*
//! is one such run by one plan over one component; its *trail* is the path of decisions to where it has stopped.

mod attempt;
mod bound;
mod dissection;
mod frame;

pub(crate) mod order;
mod paused;
pub(crate) mod paused_sweeps;
pub(crate) mod paused_walks;
pub(crate) mod piece;
mod probe;
pub(crate) mod racer;
mod retrace;
mod share;
mod sweeping;
pub(crate) mod trail;
mod unfinished;
pub(crate) mod worker;
