//! The setup of a count: its puzzle, method, limits and observers.

use std::sync::Arc;

use super::components::ComponentTable;
use super::options::{Method, Options};
use crate::puzzle::Puzzle;
use crate::run::{Control, Limits, Observer};
use crate::search::Cube;
use crate::solutions::Count;

/// The progress of a solution graph that takes long to build.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GraphProgress {
    /// The exact number of solutions, if already known: the number is often much cheaper than the graph.
    pub solutions: Option<Count>,
    /// Nodes of the graph so far.
    pub nodes: u64,
    /// Bytes of the graph so far.
    pub bytes: u64,
    /// Maximum number of bytes of the graph. When it exceeds them the count is stopped.
    pub max_bytes: u64,
}

/// A function that receives the progress of a solution graph that takes long to build.
pub type GraphObserver<'a> = &'a (dyn Fn(&GraphProgress) + Sync);

/// A slice of work of one racer, for measurements.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Slice {
    /// The index of the component of the root.
    pub component: usize,
    /// The name of the racer.
    pub racer: String,
    /// The nanoseconds of work that it has had on this component.
    pub spent: u64,
    /// The nanoseconds of work that it is expected to need from now on.
    pub left: f64,
    /// The lower bound that it has proved for the count of the component.
    pub proved: Count,
}

/// A function that receives each slice when it has ended.
pub type SliceObserver<'a> = &'a (dyn Fn(&Slice) + Sync);

/// The parameters of a count.
#[derive(Clone)]
pub(crate) struct Setup<'a> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) method: Method,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    /// Whether each node of a solution graph decides a cell, so that the graph is built by branching alone.
    pub(crate) decides_cells: bool,
    /// Only solutions in which these decisions hold are counted.
    pub(crate) cube: Cube,
    /// The run that contains this count, instead of the limits on time and nodes.
    pub(crate) run: Option<Arc<Control>>,
    /// Whether only the calling thread is used.
    pub(crate) single_threaded: bool,
    /// A component table that is shared with other counts.
    pub(crate) table: Option<Arc<ComponentTable>>,
    pub(crate) observer: Option<Observer<'a>>,
    pub(crate) graph_observer: Option<GraphObserver<'a>>,
    pub(crate) slice_observer: Option<SliceObserver<'a>>,
}

impl Setup<'_> {
    /// Whether all solutions of the puzzle are counted.
    pub(crate) fn is_whole(&self) -> bool {
        self.cube.path.is_empty()
    }

    /// Number of threads to use.
    pub(crate) fn threads(&self) -> usize {
        match self.single_threaded {
            true => 1,
            false => rayon::current_num_threads(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Counter;
    use crate::puzzle::{Cell, Puzzle};
    use crate::search::{Cube, Decision};

    #[test]
    fn a_cube_with_a_decision_is_not_the_whole_puzzle() {
        let puzzle = Puzzle::from_clues(&[[1], [1]], &[[1], [1]]).unwrap();
        let counter = Counter::new(&puzzle);
        assert!(counter.setup.is_whole());
        let cell = Cell::new(0, 0);
        for filled in [false, true] {
            let path = vec![Decision { cell, filled }];
            let part = counter.clone().within(Cube { path });
            assert!(!part.setup.is_whole());
        }
    }

    #[test]
    fn a_count_uses_the_threads_of_the_pool_or_the_calling_one() {
        let puzzle = Puzzle::from_clues(&[[1]], &[[1]]).unwrap();
        let counter = Counter::new(&puzzle);
        let single = counter.clone().single_threaded();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let threads = || (counter.setup.threads(), single.setup.threads());
        assert_eq!(pool.unwrap().install(threads), (3, 1));
    }
}
