//! The designer's questions: where a puzzle is ambiguous, how a person solves it, and how a picture becomes a good puzzle.

mod ambiguity;
mod correction;
mod explain;
mod fillings;
mod generate;
mod nested;
mod picture;
mod profile;
mod repair;
mod rounds;
mod standing;
mod symmetry;

pub use ambiguity::{Ambiguity, Region};
pub use correction::{Correction, Corrections};
pub use explain::{Ending, Explainer, Explanation, Reason, Step};
pub use generate::{Generated, Generator, Wanted};
pub use profile::{Method, Profile, line_solvable};
pub use repair::{Only, Repair, Repaired, Revealed};
pub use rounds::Round;
pub use standing::Standing;
pub use symmetry::{Canonical, Symmetry, Transform};
