//! What a cube has come to, as a record.

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
    /// What it is likely to hold of the cube that was to be answered, from 0 to 1.
    pub share: f64,
}

/// The answer to a cube: a line of a file of results.
///
/// What it has found and the cubes that it leaves open are disjoint and together the whole cube.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The cube.
    pub id: Id,
    /// The puzzle whose cube it is.
    pub puzzle: Digest,
    /// Solutions found.
    #[serde(with = "decimal")]
    pub count: Count,
    /// The digest of their set, where they were listed.
    pub set: Option<Digest>,
    /// What stays open. Nothing, where the answer is complete.
    pub open: Vec<Open>,
    /// Why it was stopped.
    pub stopped: Option<String>,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Time it took.
    pub seconds: f64,
    /// The file of the solutions, in the folder of all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// In a journal: bytes of the list of solutions with these at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// In a journal: seconds that the run has taken so far, all its parts together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<f64>,
}

impl Answer {
    /// What a run of a cube has come to.
    pub fn new(puzzle: Digest, id: Id, outcome: &Outcome, set: Option<Digest>) -> Self {
        let left = 1.0 - outcome.done.clamp(0.0, 1.0);
        let open = outcome.cubes.iter().zip(&outcome.shares);
        Answer {
            id,
            puzzle,
            count: outcome.solutions.number().clone(),
            set,
            open: open
                .map(|(cube, share)| Open {
                    cube: cube.clone(),
                    share: share * left,
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

    /// Is nothing left open?
    pub fn is_complete(&self) -> bool {
        self.open.is_empty()
    }
}

/// Numbers of solutions as decimal texts: they may be greater than what JSON readers can hold.
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
