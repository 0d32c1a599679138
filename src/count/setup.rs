//! What is to be counted, how, within which limits, and who is told of it.

use std::sync::Arc;

use super::checkpointer::Checkpointer;
use super::components::ComponentTable;
use super::options::{Method, Options};
use super::scratch::Scratch;
use crate::puzzle::Puzzle;
use crate::run::{Limits, Observer};
use crate::search::Cube;
use crate::solutions::Count;

/// What is known while a space takes long.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// The exact number of solutions, where that is known already: it is often much cheaper than the space.
    pub solutions: Option<Count>,
    /// Nodes of the graph so far.
    pub nodes: u64,
    /// Bytes that it takes so far.
    pub bytes: u64,
    /// Most bytes that it may take. When it takes more the count is stopped.
    pub most: u64,
}

/// Everything that is said of a count before it begins.
#[derive(Clone)]
pub(crate) struct Setup<'a> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) method: Method,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    /// The decisions that hold in every solution that is counted.
    pub(crate) cube: Cube,
    /// A component table that is shared with other counts of the puzzle.
    pub(crate) table: Option<Arc<ComponentTable>>,
    pub(crate) checkpointer: Option<&'a Checkpointer>,
    /// Where a sweep goes on when its memory ends.
    pub(crate) scratch: Option<&'a Scratch>,
    pub(crate) observer: Option<Observer<'a>>,
    pub(crate) teller: Option<&'a (dyn Fn(&Forecast) + Sync)>,
}
