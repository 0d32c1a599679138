//! The progress of a count, for a journal: what another process needs to resume the count.
//!
//! It has three parts. The first is what the *opening* (the quick trial and the backbone search) has found: cells that are the same in
//! every solution, and a solution. The second is the state of plan selection. The third and most important are the counted components with
//! a high recomputation cost: with these in the table, a new walk soon gets back to where the old one was.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::branch::trail::{self, Trail, TrailStep, Trails};
use super::components::{ComponentCodec, ComponentTable, ComponentText, ComponentValue};
use super::plan::Plan;
use super::selection::state::SelectionState;
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
