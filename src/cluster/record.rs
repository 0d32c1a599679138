//! The records that are passed from one machine to another: a unit of work to be answered, and the result of answering it. A unit is a cube
//! of a puzzle, or a slice of a census.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::digest::{Digest, Id, as_text};
use super::unit::WorkUnit;
use crate::census::{Slice, Tally};
use crate::error::{Error, Result};
use crate::puzzle::Puzzle;
use crate::search::{Cube, Decision, Outcome};
use crate::solutions::{Count, Stop};

/// A unit to be answered: one line of a file of cubes or slices.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "U: WorkUnit")]
pub struct UnitTask<U = Cube> {
    /// The id of the unit.
    pub id: Id,
    /// The decisions of the cube, or the range of the slice.
    #[serde(rename = "path", with = "as_text")]
    pub unit: U,
    /// The puzzle or the census whose unit it is.
    pub puzzle: Digest,
    /// Number of units in the whole split.
    pub of: u64,
    /// Estimated number of nodes of its search tree, or for a slice of the pictures that its clue sets stand for.
    pub size: f64,
    /// Number of cells that its decisions leave unknown, if recorded: the cube has at most 2 to this power solutions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<u32>,
}

impl<U: WorkUnit> UnitTask<U> {
    /// A unit of this puzzle or census.
    pub fn new(puzzle: Digest, unit: U, of: u64, size: f64, unknown: Option<u32>) -> Self {
        UnitTask {
            id: Id::of(puzzle, &unit),
            unit,
            puzzle,
            of,
            size,
            unknown,
        }
    }
}

impl UnitTask<Slice> {
    /// Checks that the digest and the id are those of the slice.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when they are not.
    pub fn check_census(&self) -> Result<()> {
        let digest = Digest::of_census(self.unit.census());
        if self.puzzle != digest || self.id != Id::of(digest, &self.unit) {
            return Err(Error::data("the id of this slice does not match its range"));
        }
        Ok(())
    }
}

impl UnitTask {
    /// Checks that the cube belongs to this puzzle.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when it is of another puzzle, its id does not match its path, or a cell is outside.
    pub fn check(&self, puzzle: &Puzzle, digest: Digest) -> Result<()> {
        if self.puzzle != digest {
            let message = "this cube belongs to another puzzle: the digests differ";
            return Err(Error::data(message));
        }
        if self.id != Id::of(digest, &self.unit) {
            return Err(Error::data("the id of this cube does not match its path"));
        }
        check_inside(puzzle, &self.unit)
    }
}

/// Checks that all cells of a cube lie in the puzzle.
pub(super) fn check_inside(puzzle: &Puzzle, cube: &Cube) -> Result<()> {
    for Decision { cell, .. } in &cube.path {
        let (row, column) = cell.place();
        if row >= puzzle.height() || column >= puzzle.width() {
            let place = format!("{}:{}", row + 1, column + 1);
            return Err(Error::data(format!("cell {place} is outside the puzzle")));
        }
    }
    Ok(())
}

/// A unit that stays open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "U: WorkUnit")]
pub struct OpenUnit<U = Cube> {
    /// The decisions of the cube, or the range of the slice.
    #[serde(rename = "path", with = "as_text")]
    pub unit: U,
    /// Estimated share, from 0 to 1, of the work of the unit that was to be answered.
    pub share: f64,
}

/// The result of answering a unit, completely or in part: a line of a file of results.
///
/// The part that was searched and the units left open are disjoint, and together they make up the whole unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "U: WorkUnit")]
pub struct UnitResult<U = Cube> {
    /// The unit.
    pub id: Id,
    /// The puzzle or the census whose unit it is.
    pub puzzle: Digest,
    /// Solutions found, or for a slice of a census clue sets.
    #[serde(with = "as_text")]
    pub count: Count,
    /// The digest of the set of solutions, if they were listed.
    pub set: Option<Digest>,
    /// The units that stay open: none when the answer is complete.
    pub open: Vec<OpenUnit<U>>,
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

impl<U: WorkUnit> UnitResult<U> {
    /// A result without solutions or open units.
    fn empty(puzzle: Digest, unit: &U, stopped: Option<Stop>, took: Duration) -> Self {
        UnitResult {
            id: Id::of(puzzle, unit),
            puzzle,
            count: Count::ZERO,
            set: None,
            open: Vec::new(),
            stopped: stopped.map(|stop| stop.to_string()),
            nodes: 0,
            seconds: (took.as_secs_f64() * 1e6).round() / 1e6,
            tally: None,
            file: None,
            length: None,
            elapsed: None,
        }
    }

    /// Whether no unit stays open.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty()
    }

    /// The units that stay open, without their shares.
    pub(super) fn open_units(&self) -> Vec<&U> {
        self.open.iter().map(|open| &open.unit).collect()
    }
}

impl UnitResult {
    /// The result that the outcome of a search of a cube gives.
    pub fn new(puzzle: Digest, cube: &Cube, outcome: &Outcome, set: Option<Digest>) -> Self {
        let remaining = 1.0 - outcome.done.clamp(0.0, 1.0);
        let open = outcome
            .cubes
            .iter()
            .zip(&outcome.shares)
            .map(|(cube, share)| OpenUnit {
                unit: cube.clone(),
                share: share * remaining,
            });
        UnitResult {
            count: outcome.solutions.number().clone(),
            set,
            open: open.collect(),
            nodes: outcome.statistics.nodes,
            ..UnitResult::empty(puzzle, cube, outcome.stopped, outcome.elapsed)
        }
    }
}

impl UnitResult<Slice> {
    /// The result of a slice of a census that was worked out in this time, with the slices that stay open.
    pub fn of_slice(
        slice: &Slice,
        tally: Tally,
        open: Vec<Slice>,
        stopped: Option<Stop>,
        took: Duration,
    ) -> Self {
        let puzzle = Digest::of_census(slice.census());
        let tuples = slice.tuples().max(1) as f64;
        let open = open.into_iter().map(|open| OpenUnit {
            share: open.tuples() as f64 / tuples,
            unit: open,
        });
        UnitResult {
            count: Count::from(tally.clue_sets),
            open: open.collect(),
            nodes: tally.worked_out,
            tally: Some(tally),
            ..UnitResult::empty(puzzle, slice, stopped, took)
        }
    }
}
