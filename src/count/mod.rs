//! Counting without listing.
//!
//! A [`Counter`] finds the exact number of a puzzle's solutions where they are too many to be listed. It branches and propagates as the
//! search does, but a part of the picture that it has counted once it never counts again: parts are compared by what their unknown
//! cells can still be, wherever they are and whatever lies around them. Kept as a graph, what was counted is a [`SolutionGraph`], which knows how
//! often each cell is filled, draws solutions at random, and begins to list them anywhere.

mod beside;
mod branch;
mod checkpointer;
mod components;
mod driver;
mod frontier;
mod open_tree;
mod options;
mod plan;
mod plan_selection;
mod ranking;
mod root;
mod scratch;
mod selection_state;
mod setup;
mod shared;
mod status;
mod tree;
mod workers;

use std::fmt;
use std::sync::Arc;

use crate::graph::SolutionGraph;
use crate::line::by_width;
use crate::puzzle::Puzzle;
use crate::run::{Limits, Observer};
use crate::search::{self, Cube, Outcome, Search};
pub use checkpointer::{Checkpoint, Checkpointer};
pub use components::ComponentTable;
use driver::drive;
pub use options::{Method, Options};
pub use scratch::Scratch;
pub use setup::Forecast;
use setup::Setup;

/// A count of the solutions of one puzzle.
///
/// ```
/// use omnogram::count::Counter;
/// use omnogram::puzzle::{Clue, Puzzle};
///
/// let ones = vec![Clue::new([1])?; 20];
/// let puzzle = Puzzle::new(ones.clone(), ones)?;
/// let outcome = Counter::new(&puzzle).run();
/// assert_eq!(outcome.solutions.to_string(), "2432902008176640000");
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Clone)]
pub struct Counter<'a> {
    setup: Setup<'a>,
}

impl fmt::Debug for Counter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counter")
            .field("puzzle", self.setup.puzzle)
            .field("method", &self.setup.method)
            .field("limits", &self.setup.limits)
            .field("options", &self.setup.options)
            .field("cube", &self.setup.cube)
            .finish_non_exhaustive()
    }
}

impl<'a> Counter<'a> {
    /// A count without limits but for memory, of which it takes at most 4 GiB.
    ///
    /// It works on the threads of the rayon pool that it is run in.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Counter {
            setup: Setup {
                puzzle,
                method: Method::default(),
                limits: Limits::default(),
                options: Options::default(),
                cube: Cube::default(),
                table: None,
                checkpointer: None,
                scratch: None,
                observer: None,
                teller: None,
            },
        }
    }

    /// By this method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.setup.method = method;
        self
    }

    /// Within these limits; the one on solutions is not looked at.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.setup.limits = limits;
        self
    }

    /// With these heuristics.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.setup.options = options;
        self
    }

    /// Counts only the solutions in which these decisions hold.
    ///
    /// # Panics
    ///
    /// When it is run, if the cube decides a cell outside the puzzle.
    #[must_use]
    pub fn within(mut self, cube: Cube) -> Self {
        self.setup.cube = cube;
        self
    }

    /// Looks up what other counts of the same puzzle have kept there, and adds to it. The method of the tree keeps nothing.
    #[must_use]
    pub fn sharing(mut self, table: &Arc<ComponentTable>) -> Self {
        self.setup.table = Some(Arc::clone(table));
        self
    }

    /// Goes on where `checkpointer` says that an earlier count of the same cube has stopped, and keeps track there of how far it comes. The
    /// method of the tree does neither.
    #[must_use]
    pub fn checkpointer(mut self, checkpointer: &'a Checkpointer) -> Self {
        self.setup.table = Some(Arc::clone(checkpointer.table()));
        self.setup.checkpointer = Some(checkpointer);
        self
    }

    /// Goes on in a folder where a sweep needs more than its share of the memory: half of what the limits say. The method of the tree, and
    /// that of regions, do not need it.
    ///
    /// When reading or writing fails there the count is stopped, as for want of memory, and [`Scratch::error`] says why.
    #[must_use]
    pub fn scratch(mut self, scratch: &'a Scratch) -> Self {
        self.setup.scratch = Some(scratch);
        self
    }

    /// Calls `observer` ten times a second, from a thread of its own, and once at the end.
    #[must_use]
    pub fn observer(mut self, observer: Observer<'a>) -> Self {
        self.setup.observer = Some(observer);
        self
    }

    /// Where the space is kept: calls `teller` before each round that may take long. Each round may take several times as long as the
    /// one before it.
    #[must_use]
    pub fn teller(mut self, teller: &'a (dyn Fn(&Forecast) + Sync)) -> Self {
        self.setup.teller = Some(teller);
        self
    }

    /// Counts.
    pub fn run(&self) -> Outcome {
        if self.setup.method == Method::Tree {
            return self.search();
        }
        self.start(false).1
    }

    /// Counts, and keeps the whole space of solutions; `None` when the run was stopped. The method is that of regions.
    ///
    /// Where that takes long, the number alone is counted beside it by any method, if that is soon done. So the number can be exact
    /// although the run was stopped: when there was no time, or no memory, for the space.
    pub fn space(&self) -> (Option<SolutionGraph>, Outcome) {
        self.start(true)
    }

    fn start(&self, keep: bool) -> (Option<SolutionGraph>, Outcome) {
        let longest = self.setup.puzzle.width().max(self.setup.puzzle.height());
        by_width!(longest, W => drive::<W>(&self.setup, keep))
    }

    fn search(&self) -> Outcome {
        let options = search::Options {
            rests: false,
            ..search::Options::default()
        };
        let mut search = Search::new(self.setup.puzzle)
            .limits(self.setup.limits.clone())
            .options(options);
        if !self.setup.cube.path.is_empty() {
            search = search.cubes(vec![self.setup.cube.clone()]);
        }
        if let Some(observer) = self.setup.observer {
            search = search.observer(observer);
        }
        search.count()
    }
}
