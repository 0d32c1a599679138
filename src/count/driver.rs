//! The phases of a count: a quick trial, then rounds of a backbone search and a plan selection.
//!
//! Most puzzles are counted by the quick trial, or by the tree search that another thread does meanwhile, and that all threads go on with if
//! its end is in sight. For the others, each round first finds and decides backbone cells, as far as the effort of the round allows. If some
//! stay undecided, it also counts the solutions that agree with the witness outside the cells proved ambiguous, which gives a lower bound if
//! the count does not end. Then plan selection counts the components, until each plan has had the work of the round. The next round has more
//! effort and more work.
//!
//! The quick trial and the backbone searches are called the *opening*. Only [`Method::Auto`] and solution graphs have one. The effort of a
//! backbone search is its maximum number of ticks of the SAT solver. Work is in nanoseconds, computed from counters and not from a clock.

use std::sync::Arc;
use std::time::Instant;

use super::checkpointer::{Checkpointer, CountProgress};
use super::components::{ComponentTable, Store};
use super::graph_count::GraphCount;
use super::options::Method;
use super::plan::Plan;
use super::root::{cells_of, components, known_cells, propagate_root};
use super::selection::PlanSelection;
use super::selection::state::SelectionState;
use super::setup::Setup;
use super::shared::Shared;
use super::status::Status;
use super::walk::order::Order;
use crate::board::{Board, Clues};
use crate::graph::{Builder, SolutionGraph};
use crate::line::{Known, Word};
use crate::puzzle::Grid;
use crate::run::{Activity, Control, Statistics, lock, memory_plan};
use crate::sat::{Backbone, SatSolver};
use crate::search::{Effort, Outcome, Search, Total};
use crate::solutions::Count;

/// The plans of the quick trial: an order with cheap nodes, and one that probes.
const QUICK_PLANS: &[Plan] = &[Plan::Branch(Order::Down), Plan::Branch(Order::Probed)];

/// The plan for counting the solutions around the witness.
const AROUND_WITNESS_PLANS: &[Plan] = &[Plan::Branch(Order::Down)];

/// The work of that plan, as a multiple of [`Options::trial_ns`](super::options::Options::trial_ns).
const AROUND_WITNESS_WORK: u64 = 10;

/// Work limit of each plan in the first round, as a multiple of [`Options::trial_ns`](super::options::Options::trial_ns). There is a limit
/// as long as the backbone is incomplete.
const FIRST_ROUND_WORK: u64 = 1000;

/// Factor by which the work limit, and the effort of the backbone search, grow per round.
const ROUND_GROWTH: u64 = 8;

/// How often a backbone search that seems to be near its end may go on, in a round.
const MAX_EXTENSIONS: u32 = 1;

/// The result of a count: the graph, if it is kept and complete, and the outcome.
pub(crate) type Answer = (Option<SolutionGraph>, Outcome);

/// Counts the solutions; if `keeps_graph`, also builds the graph of all solutions.
pub(crate) fn drive<W: Word>(setup: &Setup<'_>, keeps_graph: bool) -> Answer {
    let began = Instant::now();
    let clues = Clues::new(setup.puzzle);
    let control = Arc::new(match &setup.run {
        Some(run) => run.part(u64::MAX),
        None => Control::new(&setup.limits, false),
    });
    let checkpointer = setup.checkpointer.filter(|_| !keeps_graph);
    let progress = checkpointer.map(Checkpointer::progress).unwrap_or_default();
    // The goal need not lie in the cube.
    let goal = setup.is_whole().then(|| setup.puzzle.solved_goal());
    let witness = progress.solution.as_ref().or(goal.flatten());
    let lower_bound = match witness {
        Some(_) => progress.lower_bound.clone().max(Count::ONE),
        None => progress.lower_bound.clone(),
    };
    let mut board = Board::<W>::new(&clues);
    let alive = propagate_root(setup, &mut board, &control, progress.cells.as_ref());
    let statistics = Statistics {
        settles: board.settles(),
        ..Statistics::default()
    };
    // If the run is stopped here, what was proved before still holds.
    let early_outcome = || {
        let count = match control.stopped() {
            true => lower_bound.clone(),
            false => Count::ZERO,
        };
        outcome(&control, began, count, false, statistics)
    };
    if !alive || control.stopped() {
        let is_unsatisfiable = keeps_graph && control.reason().is_none();
        let graph =
            is_unsatisfiable.then(|| SolutionGraph::unsatisfiable(clues.width(), clues.height()));
        return (graph, early_outcome());
    }
    let memory = setup.limits.bytes();
    let table = match &setup.table {
        Some(table) if !keeps_graph => Arc::clone(table),
        _ => Arc::new(ComponentTable::new(memory)),
    };
    let Some(components) = components(&board, &table.state_numbers, &control) else {
        return (None, early_outcome());
    };
    let graph_share = match setup.decides_cells {
        true => memory_plan::GRAPH,
        false => memory_plan::GRAPH_BESIDE_SWEEPS,
    };
    let store = Store::new(Arc::clone(&table), keeps_graph, graph_share.of(memory));
    let selection = PlanSelection::new_short(components.len(), setup.options.trial_ns, QUICK_PLANS);
    let status = Status::new(began, lower_bound.clone());
    let mut shared = Shared::new(setup, &clues, control, &status, memory, store, selection);
    shared.checkpointer = checkpointer;
    shared.rows = board.rows().to_vec();
    shared.components = components;
    shared.witness = witness.cloned();
    let driver = Driver {
        setup,
        checkpointer,
        keeps_graph,
        began,
        known_filled: known_cells(&board).filled,
        board,
        shared,
        statistics,
    };
    let answer = status.watch(setup.observer, checkpointer, || {
        let answer = driver.run(progress);
        let complete = answer.1.stopped.is_none();
        (answer, complete)
    });
    table.drop_aside();
    answer
}

/// The outcome of a count. If the run was stopped and the number is not `exact`, it is a lower bound.
fn outcome(
    control: &Control,
    began: Instant,
    count: Count,
    exact: bool,
    statistics: Statistics,
) -> Outcome {
    let stopped = control.reason();
    Outcome {
        solutions: match stopped {
            Some(_) if !exact => Total::AtLeast(count),
            _ => Total::Exactly(count),
        },
        stopped,
        cubes: Vec::new(),
        shares: Vec::new(),
        done: f64::from(stopped.is_none()),
        statistics: Statistics {
            nodes: statistics.nodes.max(1),
            ..statistics
        },
        elapsed: began.elapsed(),
    }
}

/// A count under way.
struct Driver<'r, 's, W: Word> {
    setup: &'r Setup<'r>,
    checkpointer: Option<&'r Checkpointer>,
    keeps_graph: bool,
    began: Instant,
    board: Board<'s, W>,
    /// The cells known to be filled.
    known_filled: Grid,
    shared: Shared<'s, W>,
    /// Statistics of the work outside of the workers.
    statistics: Statistics,
}

/// The result of the backbone search of a round.
enum BackboneResult {
    /// Cells were decided. `is_complete`: every cell is known to be of the backbone or ambiguous.
    Backbone { is_complete: bool },
    /// The search has proved that the puzzle has no solution, or exactly one.
    Answer(Box<Answer>),
    /// The run was stopped.
    Stopped,
}

impl<W: Word> Driver<'_, '_, W> {
    /// Counts from this progress to the answer.
    fn run(mut self, mut progress: CountProgress) -> Answer {
        let has_opening = self.keeps_graph || self.setup.method == Method::Auto;
        if let Some(checkpointer) = self.checkpointer.filter(|_| progress.cells.is_none()) {
            checkpointer.record_cells(known_cells(&self.board));
        }
        if has_opening && !progress.opening.quick_trial_begun {
            // Any plan counts most puzzles quickly. The trial is recorded before it begins, so that it is not repeated after an interrupt.
            if let Some(checkpointer) = self.checkpointer {
                checkpointer.record_quick_trial();
            }
            if let Some(count) = self.try_quickly() {
                self.statistics.add(&lock(&self.shared.statistics));
                return (None, self.outcome(count, true));
            }
        }
        let is_done = has_opening && lock(&self.shared.selection).is_over();
        let (mut effort, mut plan_work) = (
            self.setup.options.backbone_ticks,
            FIRST_ROUND_WORK * self.setup.options.trial_ns,
        );
        // After these rounds both are at their maximum. The number comes from a file.
        for _ in 0..progress.opening.round.min(u64::BITS) {
            (effort, plan_work) = next_round(effort, plan_work);
        }
        let mut graph_count = GraphCount::default();
        while !is_done && !self.is_stopped() {
            // The backbone search needs the SAT solver, and works on the whole puzzle, so it does not apply to a part of it.
            let has_backbone_search =
                has_opening && SatSolver::IS_BUILT_IN && self.setup.is_whole();
            // Once no more is to be expected of backbone searches, plans have no limit.
            let is_last_round = if !has_backbone_search {
                true
            } else if let Some(is_complete) = progress.opening.backbone_is_complete.take() {
                // An earlier process has ended the backbone search of this round.
                is_complete
            } else if self.checkpointer.is_some_and(|it| !it.begin_backbone()) {
                // The backbone search was interrupted too often.
                false
            } else {
                match self.search_backbone(effort) {
                    BackboneResult::Backbone { is_complete } => is_complete,
                    BackboneResult::Answer(answer) => return *answer,
                    BackboneResult::Stopped => break,
                }
            };
            let work_limit = if is_last_round { u64::MAX } else { plan_work };
            self.begin_selection(work_limit, progress.selection.take());
            match self.keeps_graph {
                true => graph_count.run(&mut self.shared, self.setup, work_limit),
                false => self.shared.run_workers(),
            }
            if lock(&self.shared.selection).is_over() || graph_count.is_zero() {
                break;
            }
            (effort, plan_work) = next_round(effort, plan_work);
            if let Some(checkpointer) = self.checkpointer.filter(|_| !self.is_stopped()) {
                checkpointer.begin_round();
            }
        }
        self.finish(graph_count)
    }

    /// Runs the quick trial. On most puzzles that it counts the tree search takes about as long, now longer, now less, so another thread
    /// searches the tree meanwhile, and all threads go on with the tree if its end is in sight. Returns the number of solutions if the tree
    /// search is done first.
    fn try_quickly(&self) -> Option<Count> {
        let shared = &self.shared;
        let trials = || {
            shared.run_one_worker();
            // The first repetition shows whether another one is worth while. It is for one worker, too, because the forecast of a short walk
            // that several workers share is too optimistic: they count the easy parts first.
            if lock(&shared.selection).retry_last() {
                shared.run_one_worker();
            }
        };
        if shared.workers > 1 && !self.keeps_graph && self.checkpointer.is_none() {
            let tree = shared.search_beside(trials);
            if !lock(&shared.selection).is_over()
                && let Some(count) = tree.and_then(|tree| shared.search_rest(tree))
            {
                return Some(count);
            }
        } else {
            trials();
        }
        while lock(&shared.selection).retry_last() {
            shared.run_workers();
        }
        None
    }

    fn is_stopped(&self) -> bool {
        self.shared.control.stopped()
    }

    fn outcome(&self, count: Count, exact: bool) -> Outcome {
        outcome(
            &self.shared.control,
            self.began,
            count,
            exact,
            self.statistics,
        )
    }

    /// Finds and decides backbone cells with this number of ticks, or more if the end seems near, and counts the solutions around the witness.
    fn search_backbone(&mut self, ticks: u64) -> BackboneResult {
        let setup = self.setup;
        self.shared.status.set_activity(Activity::Backbone);
        let effort = Effort {
            ticks: Some(ticks),
            extensions: MAX_EXTENSIONS,
            solvers: self.shared.workers,
        };
        // Several engines for the first two solutions would end sooner, but do several times the work. The SAT solvers share theirs.
        let (backbone, solutions, outcome) = Search::new(setup.puzzle)
            .single_threaded()
            .limits(setup.limits.clone())
            .backbone_under(&self.shared.control, effort, self.shared.witness.as_ref());
        self.shared.status.add_nodes(outcome.statistics.nodes);
        let witness = &mut self.shared.witness;
        *witness = solutions.into_iter().next().or(witness.take());
        self.statistics.add(&outcome.statistics);
        self.shared
            .status
            .raise_bound(outcome.solutions.number().clone());
        let is_complete = backbone.is_complete();
        // Of several solutions the backbone search knows only a lower bound.
        if let (Total::Exactly(number), None) = (&outcome.solutions, self.shared.control.reason()) {
            let graph = self.keeps_graph.then(|| match number.is_zero() {
                true => self.unsatisfiable_graph(),
                false => Builder::new().finish(&backbone.filled, Vec::new()),
            });
            return BackboneResult::Answer(Box::new((graph, self.outcome(number.clone(), true))));
        }
        let height = setup.puzzle.height();
        let known = (0..height).map(|row| (row, backbone.known_in_row(row)));
        let alive = self.board.decide_all(known, &self.shared.control);
        debug_assert!(alive != Some(false), "the backbone contradicts no solution");
        if alive.is_none() {
            return BackboneResult::Stopped;
        }
        self.known_filled = known_cells(&self.board).filled;
        if let Some(checkpointer) = self.checkpointer {
            checkpointer.record_cells(Backbone {
                ambiguous: backbone.ambiguous.clone(),
                ..known_cells(&self.board)
            });
            self.shared
                .witness
                .iter()
                .for_each(|grid| checkpointer.record_solution(grid));
            if !self.is_stopped() {
                checkpointer.record_backbone_end(is_complete);
            }
        }
        // Around a witness of a complete backbone lie all solutions, which the plans are to count.
        if !self.keeps_graph && !is_complete {
            let bound = self.count_around_witness(&backbone);
            self.shared.status.raise_bound(bound);
        }
        self.shared.rows = self.board.rows().to_vec();
        let numbers = &self.shared.store.table.state_numbers;
        let Some(components) = components(&self.board, numbers, &self.shared.control) else {
            return BackboneResult::Stopped;
        };
        self.shared.components = components;
        BackboneResult::Backbone { is_complete }
    }

    /// Gives every cell that is not proved ambiguous its value in the witness, and counts the solutions with these values, as far as
    /// [`AROUND_WITNESS_WORK`] allows. Returns a lower bound on their number, which is also one on the number of all solutions.
    fn count_around_witness(&mut self, backbone: &Backbone) -> Count {
        let work = AROUND_WITNESS_WORK * self.setup.options.trial_ns;
        let shared = &mut self.shared;
        let Some(witness) = shared.witness.clone() else {
            return Count::ZERO;
        };
        let row = |row: usize| {
            let filled = W::from_parts(witness.row(row));
            let fixed = W::low(witness.width()) & !W::from_parts(backbone.ambiguous.row(row));
            let empty = fixed & !filled;
            let filled = fixed & filled;
            (row, Known { filled, empty })
        };
        let mark = self.board.mark();
        let rows = (0..witness.height()).map(row);
        let alive = self.board.decide_all(rows, &shared.control);
        debug_assert!(
            alive != Some(false),
            "the cells of a solution cause no contradiction"
        );
        let numbers = &shared.store.table.state_numbers;
        let near = alive.and_then(|_| components(&self.board, numbers, &shared.control));
        let Some(near) = near else {
            self.board.undo(mark);
            return Count::ZERO;
        };
        shared.rows = self.board.rows().to_vec();
        shared.components = near;
        shared.replace_selection(PlanSelection::new_short(
            shared.components.len(),
            work,
            AROUND_WITNESS_PLANS,
        ));
        self.board.undo(mark);
        shared.run_one_worker();
        shared.lower_bound()
    }

    /// Begins the plan selection for all components, or resumes it from the `state` in which an earlier process has left it.
    fn begin_selection(&mut self, work_limit: u64, state: Option<SelectionState>) {
        let method = match (self.keeps_graph, self.setup.decides_cells) {
            (false, _) => self.setup.method,
            (true, false) => Method::Auto,
            // The edges of a sweep decide a line.
            (true, true) => Method::Regions,
        };
        let components = self.shared.components.len();
        // The tree of one component has the cells of the others as they are in a solution.
        let has_tree = components == 1 || self.shared.witness.is_some();
        let selection = PlanSelection::new(method, components, self.setup.options.trial_ns)
            .with_work_limit(work_limit);
        // With a checkpointer, the tree search is not among the plans: a checkpoint cannot hold its open cubes.
        let has_tree = has_tree && method == Method::Auto && self.checkpointer.is_none();
        let selection = match has_tree && !self.keeps_graph {
            true => selection.with_tree(),
            false => selection,
        };
        self.shared.replace_selection(match state {
            Some(state) => selection.resume(state),
            None => selection,
        });
    }

    /// The graph of the puzzle if it has no solution.
    fn unsatisfiable_graph(&self) -> SolutionGraph {
        SolutionGraph::unsatisfiable(self.setup.puzzle.width(), self.setup.puzzle.height())
    }

    /// The answer, from what has been counted: by plan selection, and by `graph_count`.
    fn finish(mut self, graph_count: GraphCount) -> Answer {
        self.statistics.add(&lock(&self.shared.statistics));
        lock(&self.shared.paused_sweeps).drop_aside();
        let reason = self.shared.control.reason();
        let mut count = self.shared.lower_bound();
        // Without a graph, the selection under way may be that of the solutions around the witness.
        let is_exact = self.keeps_graph && lock(&self.shared.selection).is_over();
        if reason.is_some() && !is_exact {
            count = self.shared.status.raise_bound(count);
        }
        if let Some(number) = graph_count.number {
            let is_unsatisfiable = number.is_zero() && reason.is_none();
            let graph = is_unsatisfiable.then(|| self.unsatisfiable_graph());
            if is_unsatisfiable || reason.is_some() {
                return (graph, self.outcome(number, true));
            }
        }
        let builder = self.shared.store.graph.take();
        let graph = builder.filter(|_| reason.is_none()).map(|builder| {
            let nodes = lock(&self.shared.selection).nodes();
            match nodes {
                Some(nodes) => {
                    let cells = self.shared.components.iter().map(cells_of);
                    let roots = nodes.into_iter().zip(cells).collect();
                    builder.join().finish(&self.known_filled, roots)
                }
                None => self.unsatisfiable_graph(),
            }
        });
        (graph, self.outcome(count, is_exact))
    }
}

/// The backbone effort of the next round, and the work of each plan in it.
fn next_round(effort: u64, plan_work: u64) -> (u64, u64) {
    let grow = |before: u64| before.max(1).saturating_mul(ROUND_GROWTH);
    (grow(effort), grow(plan_work))
}

#[cfg(test)]
mod tests {
    use super::super::Counter;
    use super::super::setup::GraphProgress;
    use super::super::shared::tests::{setup, two_permutations, with_shared};
    use super::*;
    use crate::puzzle::Puzzle;
    use crate::run::Limits;
    use crate::solutions::Stop;

    /// The answer of a count of 12 solutions in which the plan selection has not begun, but this was counted without the graph.
    fn finish(number: Option<u64>, stop: Option<Stop>, keeps_graph: bool) -> Answer {
        let puzzle = two_permutations();
        let setup = setup(&puzzle);
        let mut answer = None;
        with_shared(&setup, keeps_graph, |shared, board| {
            if let Some(stop) = stop {
                shared.control.stop(stop);
            }
            let driver = Driver {
                setup: &setup,
                checkpointer: None,
                keeps_graph,
                began: Instant::now(),
                known_filled: known_cells(&board).filled,
                board,
                shared,
                statistics: Statistics::default(),
            };
            let number = number.map(Count::from);
            answer = Some(driver.finish(GraphCount { number }));
        });
        answer.unwrap()
    }

    #[test]
    fn a_number_that_was_counted_without_the_graph_is_exact() {
        let (graph, outcome) = finish(Some(12), Some(Stop::Memory), true);
        assert!(graph.is_none());
        assert_eq!(outcome.stopped, Some(Stop::Memory));
        assert_eq!(outcome.solutions, Total::Exactly(Count::from(12)));
        let (graph, outcome) = finish(Some(0), None, true);
        assert!(graph.unwrap().count().is_zero());
        assert_eq!(outcome.stopped, None);
        assert_eq!(outcome.solutions, Total::Exactly(Count::ZERO));
    }

    #[test]
    fn a_stopped_count_says_a_lower_bound() {
        for keeps_graph in [false, true] {
            let (graph, outcome) = finish(None, Some(Stop::Nodes), keeps_graph);
            assert!(graph.is_none());
            assert_eq!(outcome.stopped, Some(Stop::Nodes));
            assert_eq!(outcome.solutions, Total::AtLeast(Count::ZERO));
        }
    }

    #[test]
    fn a_graph_count_that_is_stopped_at_the_root_has_no_graph() {
        let ones = vec![vec![1]; 3];
        let puzzle = Puzzle::from_clues(&ones, &ones).unwrap();
        let counter = Counter::new(&puzzle).limits(Limits::default().checks(0));
        let (graph, outcome) = counter.graph();
        assert!(graph.is_none());
        assert_eq!(outcome.stopped, Some(Stop::Interrupt));
        assert_eq!(outcome.solutions, Total::AtLeast(Count::ZERO));
        let puzzle = Puzzle::from_clues(&ones, &[vec![3], vec![], vec![1]]).unwrap();
        let (graph, outcome) = Counter::new(&puzzle).graph();
        assert!(graph.unwrap().count().is_zero());
        assert_eq!(outcome.stopped, None);
        assert_eq!(outcome.solutions, Total::Exactly(Count::ZERO));
    }

    #[test]
    fn a_graph_may_take_a_third_of_the_memory() {
        let ones = vec![[1]; 11];
        let puzzle = Puzzle::from_clues(&ones, &ones).unwrap();
        let seen = std::sync::Mutex::new(Vec::new());
        let observer = |progress: &GraphProgress| lock(&seen).push(progress.max_bytes);
        let mut setup = setup(&puzzle);
        setup.limits.memory = Some(3 << 20);
        // The rounds are so short that the graph takes several.
        (setup.options.trial_ns, setup.options.max_probing_settles) = (0, 0);
        setup.options.backbone_ticks = 0;
        setup.graph_observer = Some(&observer);
        let (graph, _) = drive::<u64>(&setup, true);
        assert_eq!(graph.unwrap().count(), &Count::from(39_916_800));
        let seen = seen.into_inner().unwrap();
        assert!(!seen.is_empty() && seen.iter().all(|&bytes| bytes == 1 << 20));
    }
}
