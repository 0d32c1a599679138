//! Counts solutions without listing them.
//!
//! A [`Counter`] finds the exact number of solutions of a puzzle that has too many to be listed. It branches and propagates as the search
//! does, splits the unknown cells into independent components, and looks each up in a table of those counted before. Components are equal
//! if their unknown cells allow the same fillings, wherever they lie and whatever surrounds them. The count can be kept as a
//! [`SolutionGraph`], which gives the number of solutions in which each cell is filled, samples solutions, and lists them from any
//! position on.

mod backbone;
mod components;
mod crew;
mod options;
mod race;
mod racers;
mod root;
mod run;
mod setup;
mod status;
mod sweep;
mod walk;
mod workers;

use std::fmt;
use std::sync::Arc;

use crate::graph::SolutionGraph;
use crate::line::by_width;
use crate::puzzle::Puzzle;
use crate::run::{Control, Limits, Observer};
use crate::search::{Cube, Outcome, Search};
pub use components::ComponentTable;
pub use options::Method;
use run::run;
use setup::Setup;
pub use setup::{GraphObserver, GraphProgress};

unstable! {
    use options::Options;
    use setup::{Slice, SliceObserver};
}

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
            .field("single_threaded", &self.setup.single_threaded)
            .finish_non_exhaustive()
    }
}

impl<'a> Counter<'a> {
    /// A count with no limit but 4 GiB of memory.
    ///
    /// It uses the threads of the rayon pool in which it is run. The [goal](crate::puzzle::Notes::goal) of the puzzle is taken as a known
    /// solution, if it is one; [`Method::Tree`] does not use it.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Counter {
            setup: Setup {
                puzzle,
                method: Method::default(),
                decides_cells: true,
                limits: Limits::default(),
                options: Options::default(),
                cube: Cube::default(),
                run: None,
                single_threaded: false,
                table: None,
                observer: None,
                graph_observer: None,
                slice_observer: None,
            },
        }
    }

    /// Sets the method. [`Counter::graph`] ignores it.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.setup.method = method;
        self
    }

    /// Sets the limits. A limit on solutions has no effect.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.setup.limits = limits;
        self
    }

    /// Sets the heuristic parameters. [`Method::Tree`] ignores them.
    #[cfg(feature = "unstable")]
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.setup.options = options;
        self
    }

    /// Counts only the solutions in which these decisions hold.
    ///
    /// # Panics
    ///
    /// The run panics if the cube decides a cell outside the puzzle.
    #[must_use]
    pub fn within(mut self, cube: Cube) -> Self {
        self.setup.cube = cube;
        self
    }

    /// Counts as a part of this run, within its limits on time and nodes. [`Method::Tree`] does not support it.
    #[must_use]
    pub(crate) fn under(mut self, run: &Arc<Control>) -> Self {
        self.setup.run = Some(Arc::clone(run));
        self
    }

    /// Uses only the calling thread, even within a larger pool. [`Method::Tree`] and [`Counter::graph`] do not support it.
    #[must_use]
    pub(crate) fn single_threaded(mut self) -> Self {
        self.setup.single_threaded = true;
        self
    }

    /// Shares this component table with other counts, of the same puzzle or of others. [`Method::Tree`] and [`Counter::graph`] do not use
    /// it.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use omnogram::count::ComponentTable;
    /// use omnogram::{Counter, Puzzle};
    ///
    /// let table = Arc::new(ComponentTable::new(1 << 30));
    /// for size in [19, 20] {
    ///     let ones = vec![[1]; size];
    ///     let puzzle = Puzzle::from_clues(&ones, &ones)?;
    ///     println!("{}", Counter::new(&puzzle).sharing(&table).run().solutions);
    /// }
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    #[must_use]
    pub fn sharing(mut self, table: &Arc<ComponentTable>) -> Self {
        self.setup.table = Some(Arc::clone(table));
        self
    }

    /// Calls `observer` ten times a second, from a thread of its own, and once at the end.
    #[must_use]
    pub fn observer(mut self, observer: Observer<'a>) -> Self {
        self.setup.observer = Some(observer);
        self
    }

    /// Calls `graph_observer` before each round of [`Counter::graph`] that may take long. Each round may take several times as long as
    /// the one before it. [`Counter::run`] ignores it.
    #[must_use]
    pub fn graph_observer(mut self, graph_observer: GraphObserver<'a>) -> Self {
        self.setup.graph_observer = Some(graph_observer);
        self
    }

    /// Calls `slice_observer` after each slice of work of a racer. [`Method::Tree`] ignores it.
    #[cfg(feature = "unstable")]
    #[must_use]
    pub fn slice_observer(mut self, slice_observer: SliceObserver<'a>) -> Self {
        self.setup.slice_observer = Some(slice_observer);
        self
    }

    /// Counts the solutions.
    pub fn run(&self) -> Outcome {
        if self.setup.method == Method::Tree {
            return self.search();
        }
        self.drive(false).1
    }

    /// Counts the solutions and builds their graph, by [`Method::Regions`]; the graph is `None` when the run was stopped. The edges of a node
    /// give different values to one of its cells, as those of a decision-DNNF do.
    ///
    /// If that takes long, the number alone is also counted, by sweeps, as long as that is cheap. So the number can be exact although the run
    /// was stopped because there was not enough time or memory for the graph.
    pub fn graph(&self) -> (Option<SolutionGraph>, Outcome) {
        self.drive(true)
    }

    /// As [`graph`](Self::graph), but by any method: where a sweep counts the puzzle, it also builds the graph, in about the time of the
    /// count. The edges of such a graph decide whole lines, and two of one node may decide the same. It has the same solutions, and answers
    /// all questions alike, but [`SolutionGraph::write_nnf`] makes no decision-DNNF of it.
    ///
    /// ```
    /// use omnogram::Cell;
    /// use omnogram::{Counter, Puzzle};
    ///
    /// let ones = vec![[1]; 9];
    /// let puzzle = Puzzle::from_clues(&ones, &ones)?;
    /// let (graph, _) = Counter::new(&puzzle).quick_graph();
    /// let cells = graph.expect("nothing stops it").cells();
    /// // Of the 9! permutations, a ninth has its first element first.
    /// assert_eq!(cells.filled(Cell::new(0, 0)).to_string(), "40320");
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn quick_graph(&self) -> (Option<SolutionGraph>, Outcome) {
        let mut counter = self.clone();
        counter.setup.decides_cells = false;
        counter.drive(true)
    }

    fn drive(&self, keeps_graph: bool) -> (Option<SolutionGraph>, Outcome) {
        let longest = self.setup.puzzle.width().max(self.setup.puzzle.height());
        by_width!(longest, W => run::<W>(&self.setup, keeps_graph))
    }

    fn search(&self) -> Outcome {
        let mut search = Search::new(self.setup.puzzle)
            .limits(self.setup.limits.clone().solutions(None))
            .without_subproblem_cache();
        if !self.setup.cube.path.is_empty() {
            search = search.cubes(vec![self.setup.cube.clone()]);
        }
        if let Some(observer) = self.setup.observer {
            search = search.observer(observer);
        }
        search.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Cell;
    use crate::search::Decision;

    #[test]
    fn every_method_counts_only_the_solutions_of_the_cube() {
        let ones = vec![[1]; 4];
        let puzzle = Puzzle::from_clues(&ones, &ones).unwrap();
        let decision = |column, filled| Decision {
            cell: Cell::new(0, column),
            filled,
        };
        for (path, number) in [
            (vec![], 24),
            (vec![decision(0, true)], 6),
            (vec![decision(0, false), decision(1, false)], 12),
            (vec![decision(0, true), decision(1, true)], 0),
        ] {
            for method in [
                Method::Auto,
                Method::Tree,
                Method::Regions,
                Method::Frontier,
            ] {
                let cube = Cube { path: path.clone() };
                let counter = Counter::new(&puzzle).method(method).within(cube);
                let outcome = counter.run();
                assert!(outcome.is_complete());
                assert_eq!(outcome.solutions.to_string(), number.to_string());
            }
        }
    }
}
