//! The answer to a cube, as a record.

use serde::{Deserialize, Serialize};

use super::cube::{Id, as_text};
use super::digest::Digest;
use crate::search::{Cube, Outcome};
use crate::solutions::Count;

/// A cube that stays open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// The decisions.
    #[serde(rename = "path", with = "as_text")]
    pub cube: Cube,
    /// Estimated share, from 0 to 1, of the work of the cube that was to be answered.
    pub share: f64,
}

/// The answer to a cube: a line of a file of results.
///
/// The part that was searched and the cubes left open are disjoint, and together they make up the whole cube.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The cube.
    pub id: Id,
    /// The puzzle whose cube it is.
    pub puzzle: Digest,
    /// Solutions found.
    #[serde(with = "decimal")]
    pub count: Count,
    /// The digest of the set of solutions, if they were listed.
    pub set: Option<Digest>,
    /// The cubes that stay open: none when the answer is complete.
    pub open: Vec<Open>,
    /// Why the run was stopped, if it was.
    pub stopped: Option<String>,
    /// Nodes of the search tree.
    pub nodes: u64,
    /// Seconds that the answer took.
    pub seconds: f64,
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
            file: None,
            length: None,
            elapsed: None,
        }
    }

    /// Whether no cube stays open.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty()
    }
}

/// Numbers of solutions as decimal strings, because they may exceed the range of JSON readers' numbers.
mod decimal {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::solutions::Count;

    pub(super) fn serialize<S: Serializer>(
        count: &Count,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(count)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Count, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
