//! SAT solving: a [`SatSolver`] finds a solution, another one, or proves that there are no more; [`BackboneSearch`] finds the cells that all
//! solutions have in common; [`dimacs()`] writes the clauses for other solvers; [`write_refutation`] writes them with a proof that others can
//! check.
//!
//! On proofs where probing decides little, a solver that learns a clause from every conflict is far better than the tree search. With the
//! feature `sat` it is CaDiCaL (Biere, Faller, Fazekas, Fleury, Froleyks and Pollitt, "CaDiCaL 2.0", CAV 2024), with `sat-rust` alone it is
//! batsat, a MiniSat in Rust (Een and Sorensson, "An Extensible SAT-solver", SAT 2003); the encoding of puzzles is our own. A build
//! without these features has no solver: [`SatSolver::new`] returns `None`, and its callers do without. Proofs need CaDiCaL.

#[cfg(not(any(feature = "sat", feature = "sat-rust")))]
mod absent;
#[cfg(test)]
mod agreement;
mod backbone;
#[cfg(any(test, all(feature = "sat-rust", not(feature = "sat"))))]
mod batsat;
mod built_in;
#[cfg(feature = "sat")]
mod cadical;
#[cfg(all(feature = "sat", feature = "unstable"))]
mod certify;
mod dimacs;
mod encode;
mod exchange;
mod incremental;
mod line_solver;
mod solver;

pub use backbone::{Backbone, BackboneResult, BackboneSearch};
#[cfg(all(feature = "sat", feature = "unstable"))]
pub use certify::{Claim, LemmaFinder, Refutation, write_refutation};
pub use dimacs::dimacs;
pub(crate) use exchange::Exchange;
pub use line_solver::{LineAnswer, LineSolver};
pub use solver::{SatAnswer, SatSolver};
