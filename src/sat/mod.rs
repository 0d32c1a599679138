//! Clause learning: a [`SatSolver`] finds a solution, another one, or that there is no more; [`backbone()`] what all solutions have in
//! common; [`dimacs()`] writes down the question for other solvers.
//!
//! On proofs where probing decides little, a solver that learns a clause from every dead end sees what the tree never would. The
//! learning is CaDiCaL's (Biere, Faller, Fazekas, Fleury, Froleyks and Pollitt, "CaDiCaL 2.0", CAV 2024); what is ours is how a
//! puzzle is put to it.

mod backbone;
mod dimacs;
mod encode;
mod exchange;
mod solver;

pub use backbone::{Backbone, BackboneResult, backbone};
pub use dimacs::dimacs;
pub(crate) use exchange::Exchange;
pub use solver::{Answer, SatSolver};
