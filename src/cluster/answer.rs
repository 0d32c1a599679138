//! The answer to a cube, as a record.

use serde::{Deserialize, Serialize};

use super::cube::Id;
use super::digest::Digest;
use super::part::{self, Part};
use crate::census::{Slice, Tally};
use crate::search::{Cube, Outcome};
use crate::solutions::{Count, Stop};

/// A cube that stays open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "P: Part")]
pub struct Open<P = Cube> {
    /// The decisions.
    #[serde(rename = "path", with = "part")]
    pub cube: P,
    /// Estimated share, from 0 to 1, of the work of the cube that was to be answered.
    pub share: f64,
}

/// The answer to a cube: a line of a file of results.
///
/// The part that was searched and the cubes left open are disjoint, and together they make up the whole cube.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "P: Part")]
pub struct Answer<P = Cube> {
    /// The cube.
    pub id: Id,
    /// The puzzle whose cube it is.
    pub puzzle: Digest,
    /// Solutions found, or for a slice of a census clue sets.
    #[serde(with = "decimal")]
    pub count: Count,
    /// The digest of the set of solutions, if they were listed.
    pub set: Option<Digest>,
    /// The cubes that stay open: none when the answer is complete.
    pub open: Vec<Open<P>>,
    /// Why the run was stopped, if it was.
    pub stopped: Option<String>,
    /// Nodes of the search tree, or for a slice clue sets that were worked out.
    pub nodes: u64,
    /// Seconds that the answer took.
    pub seconds: f64,
    /// The numbers of the clue sets of a slice of a census.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tally: Option<Tally>,
    /// The name of the file of solutions, in the folder of all such files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// In a journal: length of the list of solutions, in bytes, after those of this answer were appended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// In a journal: seconds that the run has taken so far, summed over its processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<f64>,
}

impl Answer {
    /// The answer that the outcome of a search of a cube gives.
    pub fn new(puzzle: Digest, id: Id, outcome: &Outcome, set: Option<Digest>) -> Self {
        let remaining = 1.0 - outcome.done.clamp(0.0, 1.0);
        let open = outcome.cubes.iter().zip(&outcome.shares);
        Answer {
            id,
            puzzle,
            count: outcome.solutions.number().clone(),
            set,
            open: open
                .map(|(cube, share)| Open {
                    cube: cube.clone(),
                    share: share * remaining,
                })
                .collect(),
            stopped: outcome.stopped.map(|stop| stop.to_string()),
            nodes: outcome.statistics.nodes,
            seconds: (outcome.elapsed.as_secs_f64() * 1e6).round() / 1e6,
            tally: None,
            file: None,
            length: None,
            elapsed: None,
        }
    }
}

impl<P> Answer<P> {
    /// Whether no cube stays open.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty()
    }
}

impl Answer<Slice> {
    /// The answer to a slice of a census that was worked out in this number of seconds: the numbers of the tuples that are done, and the
    /// slices that stay open.
    pub fn of_slice(
        slice: &Slice,
        tally: Tally,
        open: Vec<Slice>,
        stopped: Option<Stop>,
        seconds: f64,
    ) -> Self {
        let puzzle = Digest::of_census(slice.census());
        let tuples = |slice: &Slice| (slice.to() - slice.from()) as f64;
        let share = |open: &Slice| tuples(open) / tuples(slice).max(1.0);
        Answer {
            id: Id::of(puzzle, slice),
            puzzle,
            count: Count::from(tally.clue_sets),
            set: None,
            open: open
                .into_iter()
                .map(|cube| Open {
                    share: share(&cube),
                    cube,
                })
                .collect(),
            stopped: stopped.map(|stop| stop.to_string()),
            nodes: tally.worked_out,
            seconds: (seconds * 1e6).round() / 1e6,
            tally: Some(tally),
            file: None,
            length: None,
            elapsed: None,
        }
    }
}

/// Numbers of solutions as decimal strings, because they may exceed the range of JSON readers' numbers.
pub(super) mod decimal {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::solutions::Count;

    pub(crate) fn serialize<S: Serializer>(
        count: &Count,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(count)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Count, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
