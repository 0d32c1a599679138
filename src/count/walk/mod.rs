//! The branching counter: depth first over decisions and components, on any number of workers, which count each component once. A *walk* is
//! one such run through one component.

mod bound;
mod frame;
mod piece;
mod pool;
mod probe;
#[cfg(test)]
mod tests;
mod unfinished;
mod walker;
mod work;

pub(crate) use pool::Walk;
pub(crate) use walker::Walker;
