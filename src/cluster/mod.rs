//! Runs in pieces: on one machine that may fail, or on many.
//!
//! The search tree is cut into [cubes](crate::search::Cube), which are paths of decisions. Each cube is answered once and its answer is
//! recorded. An [`Answer`] is complete, or it holds the solutions found so far and the cubes that stay open; these replace the cube that
//! was to be answered. So no solution is counted twice or lost, however often a run is stopped.
//!
//! [`Splitter`] cuts a puzzle into cubes of about equal size, [`CubeSolver`] answers them, [`Merge`] checks that each is answered and
//! adds up the counts. A [`Journal`] holds the same records for a run on one machine, and [`JournalledRun`] answers the cubes that are
//! open in it. The [`Id`] of a cube depends only on the puzzle and the path, so answers from any machine can be merged.
//!
//! A [census](crate::census) is cut into [slices](crate::census::Slice) instead of cubes. Its records have the same form, with the
//! histogram of the slice, and [`Merge`] adds them up in the same way; [`CensusRun`] is a census on one machine.
//!
//! Records are lines of JSON, each with its own checksum.

mod answer;
mod census;
mod cube;
mod digest;
mod disjoint;
mod journal;
mod line;
mod merge;
mod part;
mod problems;
mod run;
mod size;
mod solutions;
mod split;
mod state;
mod summation;
mod work;

pub use answer::{Answer, Open};
pub use census::{CensusOutcome, CensusRun};
pub use cube::{CubeTask, Id};
pub use digest::{Digest, SetDigest};
pub use journal::{Attempt, Header, Journal, JournalRecord};
pub use line::{Lines, seal};
pub use merge::{Merge, Merged};
pub use part::Part;
pub use run::JournalledRun;
pub use solutions::{DigestSink, SolutionStore};
pub use split::{Split, Splitter};
pub use state::Appending;
pub use work::{CubeQueue, CubeSolver, Job, Mode};
