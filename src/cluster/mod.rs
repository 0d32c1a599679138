//! Runs in pieces: on one machine that may fail, or on many.
//!
//! One idea serves all: the tree is cut into [cubes](crate::search::Cube), paths of decisions, each is answered once, and each answer is
//! recorded. An [`Answer`] is complete, or says what it has found and which cubes stay open; these take the place of the one that was
//! asked about. So nothing is counted twice and nothing lost, however often a run is stopped.
//!
//! [`Splitter`] cuts a puzzle into cubes of about the same size, [`CubeSolver`] answers them, [`Merge`] checks that each is answered and
//! adds up. A [`Journal`] holds the same records for a run on one machine, and [`JournalledRun`] does what is still open in one. A cube is known by
//! an [`Id`] that follows from the puzzle and the path, whoever has cut it, so that answers from anywhere can be put together.
//!
//! Records are lines of JSON, each with a checksum of its own.

mod answer;
mod cube;
mod digest;
mod disjoint;
mod journal;
mod line;
mod merge;
mod problems;
mod run;
mod size;
mod solutions;
mod split;
mod state;
mod work;

pub use answer::{Answer, Open};
pub use cube::{Id, Piece};
pub use digest::{Digest, SetDigest};
pub use journal::{Header, Journal, JournalRecord, Progress};
pub use line::{Lines, seal};
pub use merge::{Merge, Sum};
pub use run::JournalledRun;
pub use solutions::{DigestSink, SolutionStore};
pub use split::{Split, Splitter};
pub use state::Appending;
pub use work::{CubeQueue, CubeSolver, Job, Task};
