//! Runs in pieces: on one machine that may fail, or on many.
//!
//! The search tree is cut into [cubes](crate::search::Cube), which are paths of decisions. Each cube is answered once and its answer is
//! recorded. A [`UnitResult`] is complete, or it holds the solutions found so far and the cubes that stay open; these replace the cube that
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

mod census;
mod digest;
mod disjoint;
mod files;
mod journal;
mod journalled;
mod line;
mod list;
mod merge;
mod problems;
mod record;
mod size;
mod solutions;
mod split;
mod summation;
mod unit;
mod work;
mod worker;
mod worklist;

pub use census::{CensusOutcome, CensusRun};
pub use digest::{Digest, Id, SetDigest};
pub use files::{checked_file, is_file_name, lists_set, read_solutions};
pub use journal::{Attempt, Header, Journal, JournalRecord};
pub use journalled::JournalledRun;
pub use line::{RecordReader, seal};
pub use list::SolutionList;
pub use merge::{Merge, Merged};
pub use record::{OpenUnit, UnitResult, UnitTask};
pub use solutions::SolutionStore;
pub use split::{Split, Splitter};
pub use unit::WorkUnit;
pub use work::{CubeSolver, Mode};
pub use worker::{TaskReader, answer_slices};
