//! The progress of a count, for a journal: what another process needs to resume the count.
//!
//! It has three parts. The first is what the *opening* (the quick trial and the backbone search) has found: cells that are the same in
//! every solution, and a solution. The second is the state of plan selection. The third and most important are the counted components with
//! a high recomputation cost: with these in the table, a new walk soon gets back to where the old one was.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::components::{ComponentCodec, ComponentTable, ComponentText, ComponentValue};
use super::plan::Plan;
use super::selection::state::SelectionState;
use super::walk::trail::{self, Trail, TrailStep, Trails};
use crate::error::{Error, Result};
use crate::puzzle::{Grid, Puzzle};
use crate::run::{Snapshot, lock};
use crate::sat::Backbone;
use crate::solutions::Count;

/// Minimum recomputation cost of a component that is written to the journal, in nodes; 256 nodes take a few milliseconds. Once the
/// process is older than `GROWTH_AGE`, the bound grows in proportion to its age: the journal stays small, and a crash loses only a small
/// share of the work.
const MIN_LOGGED_NODES: u64 = 256;
const GROWTH_AGE: Duration = Duration::from_secs(16);

/// Above this number of bytes of components in the journal, the bound also grows with the square of their number of bytes.
const GROWTH_BYTES: u64 = 128 << 20;

/// Maximum number of times that the backbone search is begun in one round of the opening.
const MAX_BACKBONE_TRIES: u32 = 2;

/// The sweep of a component may take at most the longest lifetime of a process of this run, divided by this number.
const LIFETIME_DIVISOR: u32 = 8;

/// A line of a journal: what has changed since the last checkpoint.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize), serde(default))]
pub struct Checkpoint {
    /// The cells, row by row: `#` and `.` for the backbone, `?` for an ambiguous cell (not for an unknown one, as elsewhere),
    /// `-` where neither is known.
    cells: Option<String>,
    /// A solution, row by row.
    solution: Option<String>,
    opening: Option<Opening>,
    selection: Option<SelectionState>,
    trails: Vec<WrittenTrail>,
    /// The size in cells of the smallest component that was found too wide to be swept.
    too_wide: Option<u32>,
    /// The number of solutions that are proved: a lower bound.
    lower_bound: Option<String>,
    /// States and components as in [`ComponentText`].
    states: String,
    components: String,
}

/// A [`Trail`] in a checkpoint; `steps` is the text of [`trail::write`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
struct WrittenTrail {
    place: u64,
    plan: Plan,
    steps: String,
}

/// The progress of the opening: the quick trial, and the rounds of the backbone search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) struct Opening {
    /// Whether the quick trial has been begun.
    pub(crate) quick_trial_begun: bool,
    /// The round, from 0; each round has more effort than the one before.
    pub(crate) round: u32,
    /// Number of times that the backbone search was begun in this round.
    backbone_tries: u32,
    /// Whether every cell of the backbone is decided; `None` until the backbone search of this round has ended.
    pub(crate) backbone_is_complete: Option<bool>,
}

/// The progress of a count: at first what was read from the journal, then also what this process has recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountProgress {
    pub(crate) cells: Option<Backbone>,
    pub(crate) solution: Option<Grid>,
    pub(crate) opening: Opening,
    pub(crate) selection: Option<SelectionState>,
    /// The number of solutions that are proved to exist.
    pub(crate) lower_bound: Count,
}

/// Records the progress of a count, so that another process can resume it.
#[derive(Debug)]
pub struct Checkpointer {
    table: Arc<ComponentTable>,
    /// Width and height of the puzzle.
    dimensions: (usize, usize),
    /// Minimum recomputation cost of a component that is logged, in nodes, while the process is young and the journal small.
    min_logged_nodes: u64,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    codec: ComponentCodec,
    progress: CountProgress,
    trails: Trails,
    /// The work of the latest walk of each plan in this process, in nanoseconds.
    walk_work: Vec<(Plan, u64)>,
    /// The size in cells of the smallest component that was found too wide to be swept.
    too_wide: Option<u32>,
    /// Nodes of this process on the current cube.
    nodes: u64,
    unwritten: Unwritten,
    /// Bytes of components that were read and written.
    component_bytes: u64,
    /// The longest lifetime of an earlier process of this run; zero if there is none.
    lifetime: Duration,
}

impl State {
    fn record_walk_work(&mut self, plan: Plan, work: u64) {
        self.walk_work.retain(|(walked, _)| *walked != plan);
        self.walk_work.push((plan, work));
    }
}

/// What has changed since the last checkpoint: anything, the cells, the solution.
#[derive(Debug, Default)]
struct Unwritten {
    any: bool,
    cells: bool,
    solution: bool,
}

impl Checkpointer {
    /// For a count of this puzzle that may take `memory` bytes, of which about a third are for the component table.
    pub fn new(puzzle: &Puzzle, memory: u64) -> Self {
        Self::with_min_logged_nodes(puzzle, memory, MIN_LOGGED_NODES)
    }

    /// The same with another minimum recomputation cost of the components that are logged: for tests on small puzzles.
    #[doc(hidden)]
    pub fn with_min_logged_nodes(puzzle: &Puzzle, memory: u64, min_logged_nodes: u64) -> Self {
        Checkpointer {
            table: Arc::new(ComponentTable::new(memory).with_log(min_logged_nodes)),
            dimensions: (puzzle.width(), puzzle.height()),
            min_logged_nodes,
            began: Instant::now(),
            state: Mutex::new(State {
                codec: ComponentCodec::new(),
                progress: CountProgress::default(),
                trails: Trails::default(),
                walk_work: Vec::new(),
                too_wide: None,
                nodes: 0,
                unwritten: Unwritten::default(),
                component_bytes: 0,
                lifetime: Duration::ZERO,
            }),
        }
    }

    /// The components counted so far.
    pub fn table(&self) -> &Arc<ComponentTable> {
        &self.table
    }

    /// Takes over a checkpoint of another process. `lifetime` is the age of that process at the time of the checkpoint.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the checkpoint is malformed.
    pub fn read(&self, checkpoint: Checkpoint, lifetime: Duration) -> Result<()> {
        let wrong = |what: &str| Error::data(format!("this checkpoint has {what}"));
        let (width, height) = self.dimensions;
        let mut state = self.lock();
        state.lifetime = state.lifetime.max(lifetime);
        let Checkpoint {
            cells,
            solution,
            opening,
            selection,
            trails,
            too_wide,
            lower_bound,
            states,
            components,
        } = checkpoint;
        if let Some(text) = cells {
            state.progress.cells = Some(
                self.parse_cells(&text)
                    .ok_or_else(|| wrong("wrong cells"))?,
            );
        }
        if let Some(text) = solution {
            let has_all_values = |cells: &Backbone| cells.same() == width * height;
            let cells = self.parse_cells(&text).filter(has_all_values);
            state.progress.solution = Some(cells.ok_or_else(|| wrong("a wrong solution"))?.filled);
        }
        if let Some(opening) = opening {
            state.progress.opening = opening;
            // A checkpoint with an opening has the current values of these two, not only changed ones, so an absent value is `None`.
            state.progress.selection = selection;
            state.too_wide = too_wide;
        }
        for WrittenTrail { place, plan, steps } in trails {
            let steps = trail::read(&steps).ok_or_else(|| wrong("wrong steps"))?;
            state.trails.record(Trail { place, plan, steps }, true);
        }
        if let Some(text) = lower_bound {
            state.progress.lower_bound = text.parse()?;
        }
        state.component_bytes += (states.len() + components.len()) as u64;
        let table = &self.table;
        let text = ComponentText { states, components };
        let insert = |key, count| {
            let value = ComponentValue { count, node: None };
            table.insert_logged(key, value, MIN_LOGGED_NODES);
        };
        let read = state.codec.read(&text, &table.state_numbers, insert);
        read.ok_or_else(|| wrong("wrong parts"))
    }

    /// Forgets the progress on the current cube, because the next cube is begun; the component table stays.
    pub fn restart(&self) {
        let mut state = self.lock();
        state.progress = CountProgress::default();
        state.trails = Trails::default();
        (state.too_wide, state.nodes) = (None, 0);
        state.unwritten = Unwritten::default();
    }

    /// What has changed since the last call; `None` if nothing has.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        let mut state = self.lock();
        let state = &mut *state;
        let age = self.began.elapsed().as_secs_f64() / GROWTH_AGE.as_secs_f64();
        let size = state.component_bytes as f64 / GROWTH_BYTES as f64;
        let min_nodes = self.min_logged_nodes as f64 * age.max(1.0) * size.max(1.0).powi(2);
        let logged = self.table.cache.take_log(min_nodes as u64).into_iter();
        let logged = logged.map(|(key, value)| (key, value.count));
        let ComponentText { states, components } =
            state.codec.write(&self.table.state_numbers, logged);
        let unwritten = std::mem::take(&mut state.unwritten);
        let trails = (state.trails.take_unwritten())
            .map(|trail| WrittenTrail {
                place: trail.place,
                plan: trail.plan,
                steps: trail::write(&trail.steps),
            })
            .collect();
        let progress = &state.progress;
        // While a trial is under way, the state always changes, because what the trial has spent is part of it.
        let selection = progress.selection.as_ref();
        let is_under_way = selection.is_some_and(|selection| !selection.under_way.is_empty());
        if !unwritten.any && !is_under_way && components.is_empty() {
            return None;
        }
        state.component_bytes += (states.len() + components.len()) as u64;
        let cells = progress.cells.as_ref().filter(|_| unwritten.cells);
        let solution = (progress.solution.as_ref()).filter(|_| unwritten.solution);
        Some(Checkpoint {
            cells: cells.map(Backbone::to_string),
            solution: solution.map(Grid::to_string),
            opening: Some(progress.opening),
            selection: selection.map(|selection| selection.for_journal(&state.walk_work)),
            trails,
            too_wide: state.too_wide,
            lower_bound: (!progress.lower_bound.is_zero())
                .then(|| progress.lower_bound.to_string()),
            states,
            components,
        })
    }

    /// The number of solutions that are proved to exist.
    pub fn lower_bound(&self) -> Count {
        self.lock().progress.lower_bound.clone()
    }

    /// The number of nodes of this process on the current cube.
    pub fn nodes(&self) -> u64 {
        self.lock().nodes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Parses the `cells` or the `solution` of a [`Checkpoint`]; `None` when the text is malformed.
    fn parse_cells(&self, text: &str) -> Option<Backbone> {
        let (width, height) = self.dimensions;
        let mut cells = Backbone::unknown(width, height);
        let mut rows = text.lines();
        for row in 0..height {
            let line = rows.next().filter(|line| line.len() == width)?;
            for (column, cell) in line.bytes().enumerate() {
                match cell {
                    b'#' => cells.filled.set(row, column, true),
                    b'.' => cells.empty.set(row, column, true),
                    b'?' => cells.ambiguous.set(row, column, true),
                    b'-' => {}
                    _ => return None,
                }
            }
        }
        rows.next().is_none().then_some(cells)
    }

    /// Changes the state, and records that it has changed.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        state.unwritten.any = true;
    }

    /// The progress of the count so far.
    pub(crate) fn progress(&self) -> CountProgress {
        self.lock().progress.clone()
    }

    /// Records which cells are known to be the same in every solution, and which are known to be ambiguous.
    pub(crate) fn record_cells(&self, cells: Backbone) {
        self.change(|state| {
            state.unwritten.cells |= state.progress.cells.as_ref() != Some(&cells);
            state.progress.cells = Some(cells);
        });
    }

    /// Records a solution.
    pub(crate) fn record_solution(&self, solution: &Grid) {
        self.change(|state| {
            state.unwritten.solution |= state.progress.solution.as_ref() != Some(solution);
            state.progress.solution = Some(solution.clone());
        });
    }

    /// Records that the quick trial is begun: it is not repeated if the run is stopped during it.
    pub(crate) fn record_quick_trial(&self) {
        self.change(|state| state.progress.opening.quick_trial_begun = true);
    }

    /// Records that the backbone search is begun. `false` when it has been begun too often in this round and must be skipped.
    pub(crate) fn begin_backbone(&self) -> bool {
        let mut may_begin = true;
        self.change(|state| {
            let tries = &mut state.progress.opening.backbone_tries;
            *tries += 1;
            may_begin = *tries <= MAX_BACKBONE_TRIES;
        });
        may_begin
    }

    /// Records that the backbone search of this round has ended, and whether every cell of the backbone is decided.
    pub(crate) fn record_backbone_end(&self, is_complete: bool) {
        self.change(|state| state.progress.opening.backbone_is_complete = Some(is_complete));
    }

    /// Records that the next round of the opening begins.
    pub(crate) fn begin_round(&self) {
        self.change(|state| {
            let opening = &mut state.progress.opening;
            *opening = Opening {
                quick_trial_begun: true,
                round: opening.round.saturating_add(1),
                ..Opening::default()
            };
            state.progress.selection = None;
            state.too_wide = None;
        });
    }

    /// Records the state of plan selection.
    pub(crate) fn record_selection(&self, selection: Option<SelectionState>) {
        self.change(|state| {
            let of = |selection: &Option<SelectionState>| selection.as_ref().map(|it| it.component);
            if of(&selection) != of(&state.progress.selection) {
                state.too_wide = None;
            }
            state.progress.selection = selection;
        });
    }

    /// The trail of an earlier walk by this plan at this place.
    pub(crate) fn trail(&self, place: u64, plan: Plan) -> Option<Vec<TrailStep>> {
        self.lock().trails.of(place, plan)
    }

    /// Records that a walk of this plan begins.
    pub(crate) fn begin_walk(&self, plan: Plan) {
        self.lock().record_walk_work(plan, 0);
    }

    /// Records the trail of a walk, and its work so far in nanoseconds.
    pub(crate) fn record_trail(&self, trail: Trail, work: u64) {
        let mut state = self.lock();
        state.record_walk_work(trail.plan, work);
        state.trails.record(trail, false);
    }

    /// Records the nodes, and the solutions that are proved.
    pub(crate) fn record_progress(&self, snapshot: &Snapshot) {
        let mut state = self.lock();
        if state.progress.lower_bound < snapshot.solutions {
            state.progress.lower_bound = snapshot.solutions.clone();
            state.unwritten.any = true;
        }
        state.nodes = snapshot.nodes;
    }

    /// The time that the sweep of a component may take, in nanoseconds: a share of the longest lifetime of a process so far. `None`,
    /// without a bound, in the first process of a run, because nothing suggests that it will be ended early.
    pub(crate) fn sweep_budget_ns(&self) -> Option<u64> {
        let lifetime = self.lock().lifetime;
        let budget = lifetime.max(self.began.elapsed()) / LIFETIME_DIVISOR;
        (!lifetime.is_zero()).then(|| u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The size in cells of the smallest component that was found too wide to be swept in that time.
    pub(crate) fn too_wide(&self) -> Option<u32> {
        self.lock().too_wide
    }

    /// Records that a component of this size is too wide.
    pub(crate) fn record_too_wide(&self, size: u32) {
        self.change(|state| {
            state.too_wide = Some(state.too_wide.map_or(size, |other| other.min(size)))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::components::{END, Key, NONE};
    use super::super::options::Method;
    use super::super::selection::{Next, PlanSelection};
    use super::*;

    const MIN_NODES: u64 = 100;

    fn checkpointer() -> Checkpointer {
        let puzzle = Puzzle::from_clues(&[[1], [1]], &[[1], [1]]).unwrap();
        Checkpointer::with_min_logged_nodes(&puzzle, 1 << 24, MIN_NODES)
    }

    /// The state of a selection before its first trial, and while that trial is under way.
    fn selection_states() -> [SelectionState; 2] {
        let mut selection = PlanSelection::new(Method::Regions, 2, 10);
        let before = selection.state().unwrap();
        assert!(matches!(selection.next(), Next::Try(_)));
        [before, selection.state().unwrap()]
    }

    /// Adds a component with this many rows and this recomputation cost to the table. Each of its rows can only be empty.
    fn insert(checkpointer: &Checkpointer, rows: usize, cost: u64) {
        let table = &checkpointer.table;
        let state = table.state_numbers.number_of([END, NONE]).unwrap();
        let key: Key = [vec![0], vec![state; rows]].concat().into();
        let value = ComponentValue::number(Count::ONE);
        table.cache.insert(key, value, cost, cost);
    }

    /// Whether a component is written that has this recomputation cost and is counted after a checkpoint.
    fn is_written(checkpointer: &Checkpointer, rows: usize, cost: u64) -> bool {
        assert!(checkpointer.checkpoint().is_none());
        insert(checkpointer, rows, cost);
        checkpointer.checkpoint().is_some()
    }

    #[test]
    fn the_cost_of_written_components_grows_with_the_age_and_the_square_of_the_bytes() {
        let mut checkpointer = checkpointer();
        assert!(!is_written(&checkpointer, 1, MIN_NODES - 1));
        assert!(is_written(&checkpointer, 2, MIN_NODES));
        checkpointer.lock().component_bytes = 3 * GROWTH_BYTES;
        assert!(!is_written(&checkpointer, 3, 9 * MIN_NODES - 1));
        assert!(is_written(&checkpointer, 4, 9 * MIN_NODES + 1));
        let began = checkpointer.began.checked_sub(2 * GROWTH_AGE);
        checkpointer.began = began.expect("the machine is older");
        checkpointer.lock().component_bytes = 0;
        assert!(!is_written(&checkpointer, 5, 2 * MIN_NODES - 1));
        // The process gets older during this test.
        assert!(is_written(&checkpointer, 6, 4 * MIN_NODES));
    }

    #[test]
    fn the_bytes_of_components_that_are_read_and_written_add_up() {
        let [here, there] = [(); 2].map(|()| checkpointer());
        let mut bytes = 0;
        for rows in [1, 5] {
            insert(&here, rows, MIN_NODES);
            let written = here.checkpoint().unwrap();
            bytes += (written.states.len() + written.components.len()) as u64;
            there.read(written, Duration::ZERO).unwrap();
            assert_eq!(here.lock().component_bytes, bytes);
            assert_eq!(there.lock().component_bytes, bytes);
        }
        assert!(bytes > 10, "{bytes}");
    }

    #[test]
    fn a_checkpoint_is_written_when_something_has_changed_and_during_trials() {
        let checkpointer = checkpointer();
        let [before, under_way] = selection_states();
        checkpointer.record_selection(Some(before));
        assert!(checkpointer.checkpoint().is_some());
        assert!(checkpointer.checkpoint().is_none());
        checkpointer.record_selection(Some(under_way));
        assert!(checkpointer.checkpoint().is_some());
        assert!(checkpointer.checkpoint().is_some());
    }

    #[test]
    fn a_higher_bound_is_written_and_a_lower_one_is_not() {
        let checkpointer = checkpointer();
        let record = |nodes, solutions: u64| {
            checkpointer.record_progress(&Snapshot {
                nodes,
                solutions: Count::from(solutions),
                ..Snapshot::default()
            });
            let written = checkpointer.checkpoint();
            (checkpointer.nodes(), written.and_then(|it| it.lower_bound))
        };
        assert_eq!(record(7, 0), (7, None));
        assert_eq!(record(8, 3), (8, Some("3".to_owned())));
        assert_eq!(record(9, 3), (9, None));
        assert_eq!(record(10, 2), (10, None));
        assert_eq!(checkpointer.lower_bound(), Count::from(3));
        checkpointer.restart();
        assert_eq!(checkpointer.nodes(), 0);
        assert!(checkpointer.lower_bound().is_zero());
    }

    #[test]
    fn the_backbone_search_is_begun_twice_in_each_round() {
        let checkpointer = checkpointer();
        for round in 0..3 {
            let begins = [(); 3].map(|()| checkpointer.begin_backbone());
            assert_eq!(begins, [true, true, false]);
            checkpointer.record_backbone_end(false);
            assert_eq!(checkpointer.progress().opening.round, round);
            checkpointer.record_selection(Some(selection_states()[0].clone()));
            checkpointer.begin_round();
            let progress = checkpointer.progress();
            let expected = Opening {
                quick_trial_begun: true,
                round: round + 1,
                ..Opening::default()
            };
            assert_eq!(progress.opening, expected);
            assert!(progress.selection.is_none());
        }
    }

    #[test]
    fn what_a_trial_has_spent_is_the_work_of_its_walk_since_it_began() {
        let checkpointer = checkpointer();
        let [_, under_way] = selection_states();
        let plan = under_way.under_way[0].0;
        checkpointer.record_selection(Some(under_way));
        let spent = || {
            let selection = checkpointer.checkpoint().and_then(|it| it.selection);
            selection.map(|selection| selection.interrupted[0].spent)
        };
        let trail = Trail {
            place: 1,
            plan,
            steps: Vec::new(),
        };
        checkpointer.record_trail(trail, 500);
        assert_eq!(spent(), Some(500));
        checkpointer.begin_walk(plan);
        assert_eq!(spent(), Some(0));
    }

    #[test]
    fn a_sweep_may_take_a_share_of_the_longest_lifetime() {
        let mut checkpointer = checkpointer();
        assert_eq!(checkpointer.sweep_budget_ns(), None);
        for (lifetime, budget) in [(8, 1), (4, 1), (16, 2)] {
            let lifetime = Duration::from_secs(lifetime);
            checkpointer.read(Checkpoint::default(), lifetime).unwrap();
            let expected = Some(budget * 1_000_000_000);
            assert_eq!(checkpointer.sweep_budget_ns(), expected);
        }
        let began = checkpointer.began.checked_sub(Duration::from_secs(24));
        checkpointer.began = began.expect("the machine is older");
        assert!(checkpointer.sweep_budget_ns() >= Some(3_000_000_000));
    }

    #[test]
    fn components_that_are_too_wide_are_those_of_one_root_component_and_round() {
        let checkpointer = checkpointer();
        let [mut selection, _] = selection_states();
        checkpointer.record_selection(Some(selection.clone()));
        for size in [30, 20, 40] {
            checkpointer.record_too_wide(size);
        }
        assert_eq!(checkpointer.too_wide(), Some(20));
        checkpointer.record_selection(Some(selection.clone()));
        assert_eq!(checkpointer.too_wide(), Some(20));
        let resumed = self::checkpointer();
        let written = checkpointer.checkpoint().unwrap();
        resumed.read(written, Duration::ZERO).unwrap();
        assert_eq!(resumed.too_wide(), Some(20));
        selection.component = 1;
        checkpointer.record_selection(Some(selection));
        assert_eq!(checkpointer.too_wide(), None);
        resumed.begin_round();
        assert_eq!(resumed.too_wide(), None);
    }
}
