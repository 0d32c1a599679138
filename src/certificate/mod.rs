//! Certificates: proofs that an answer is right, and the check of them.
//!
//! The code in this folder knows puzzles, and nothing of line solving, search, counting or clause learning: it shares no code with what it
//! checks. It is written to be short and plain rather than quick.
//!
//! - [`check_refutation`] checks that a puzzle has no solution, or that clauses over its cells hold in all of them: the clauses of a DIMACS
//!   file follow from the clues one by one, and an LRAT proof refutes them. If the clauses say that one of the cells of a known solution is
//!   different, that solution is the only one.
//! - [`check_formula`] checks that a decision-DNNF has the solutions of a puzzle as its models, each once, and counts them.
//!
//! Verified formulas for counting are an idea of Bryant, Nawrocki, Avigad and Heule, "Certified Knowledge Compilation with Application to
//! Verified Model Counting", SAT 2023; here the clues of a nonogram take the place of most of the proof.

mod clause;
mod equivalence;
mod formula;
mod language;
mod lemmas;
mod refutation;
mod text;

pub use equivalence::{Checked, check_formula};
pub use formula::Formula;
pub use lemmas::Lemmas;
pub use refutation::{Refuted, check_refutation};
pub use text::Bounds;
