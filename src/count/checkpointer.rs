//! How far a count has come, for a journal: what another process needs to go on from there.
//!
//! That is what the opening has found out, which are cells that are the same in every solution, and a solution; how the contest of the
//! ways to count stands; and above all the parts that have been counted, as far as they would take long to be counted again. With these
//! at hand a walk that begins again comes back to where it was in no time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::branch::trail::{self, Trail, TrailStep, Trails};
use super::components::{Book, ComponentTable, ComponentValue, Page};
use super::plan::Plan;
use super::selection_state::SelectionState;
use crate::error::{Error, Result};
use crate::puzzle::{Grid, Puzzle};
use crate::run::Snapshot;
use crate::sat::Backbone;
use crate::solutions::Count;

/// Least cost of recomputation, in nodes, of a part that is written to the journal: a few milliseconds. From an age of `GROWING` on it
/// grows with the age of the process, so that what a crash loses stays a small share of that age and the journal stays small.
const LEAST: u64 = 256;
const GROWING: Duration = Duration::from_secs(16);

/// It also grows when this many bytes have been written.
const LARGE: u64 = 128 << 20;

/// How often the backbone is begun in one round of the opening.
const TRIES: u32 = 2;

/// What a sweep of a part may take of the longest time that a process of this run has lived.
const BITE: u32 = 8;

/// What has changed since the last one: a line of a journal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// What is known of the cells, row by row: `#`, `.`, `?` where it is known to differ, `-` where nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cells: Option<String>,
    /// A solution, row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solution: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opening: Option<Opening>,
    #[serde(rename = "contest", default, skip_serializing_if = "Option::is_none")]
    selection: Option<SelectionState>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    trails: Vec<WrittenTrail>,
    /// The smallest part that was found too wide to be swept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wide: Option<u32>,
    /// The number of solutions that are proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    least: Option<String>,
    /// States and parts, as a book has them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    states: String,
    #[serde(rename = "parts", default, skip_serializing_if = "String::is_empty")]
    components: String,
}

/// A [`Trail`] as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenTrail {
    place: u64,
    plan: Plan,
    steps: String,
}

/// How far the opening has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opening {
    /// Has the first trial been?
    pub(crate) tried: bool,
    /// The round, from 0 on; each takes more effort.
    pub(crate) round: u32,
    /// How often the backbone was begun in this round.
    tries: u32,
    /// Whether the backbone is whole, once this round has done with it.
    pub(crate) whole: Option<bool>,
}

/// What a count finds when it goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resumed {
    pub(crate) cells: Option<Backbone>,
    pub(crate) solution: Option<Grid>,
    pub(crate) opening: Opening,
    pub(crate) selection: Option<SelectionState>,
    pub(crate) least: Count,
}

/// Keeps track of a count, so that it can be gone on with.
#[derive(Debug)]
pub struct Checkpointer {
    table: Arc<ComponentTable>,
    size: (usize, usize),
    /// Nodes from which on a part is written down.
    least: u64,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    book: Book,
    found: Resumed,
    trails: Trails,
    wide: Option<u32>,
    nodes: u64,
    /// What is not written down yet.
    fresh: Fresh,
    /// Bytes of parts that were read and written.
    bytes: u64,
    /// The longest time that a process of this run has lived, before this one.
    life: Duration,
}

#[derive(Debug, Default)]
struct Fresh {
    cells: bool,
    solution: bool,
    state: bool,
}

impl Checkpointer {
    /// For a count of this puzzle that may take `memory` bytes, of which about a third hold what is counted.
    pub fn new(puzzle: &Puzzle, memory: u64) -> Self {
        Self::of_components(puzzle, memory, LEAST)
    }

    /// The same with another least cost of recomputation of the parts that are written down: for tests on small puzzles.
    #[doc(hidden)]
    pub fn of_components(puzzle: &Puzzle, memory: u64, least: u64) -> Self {
        Checkpointer {
            table: Arc::new(ComponentTable::new(memory).logging(least)),
            size: (puzzle.width(), puzzle.height()),
            least,
            began: Instant::now(),
            state: Mutex::new(State {
                book: Book::new(),
                found: Resumed::default(),
                trails: Trails::default(),
                wide: None,
                nodes: 0,
                fresh: Fresh::default(),
                bytes: 0,
                life: Duration::ZERO,
            }),
        }
    }

    /// What has been counted.
    pub fn table(&self) -> &Arc<ComponentTable> {
        &self.table
    }

    /// Takes what another process has written down. `life` is how long that had lived by then.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when it is not in order.
    pub fn read(&self, checkpoint: Checkpoint, life: Duration) -> Result<()> {
        let wrong = |what: &str| Error::data(format!("this checkpoint has wrong {what}"));
        let mut state = self.lock();
        state.life = state.life.max(life);
        let Checkpoint {
            cells,
            solution,
            opening,
            selection,
            trails,
            wide,
            least,
            states,
            components,
        } = checkpoint;
        if let Some(text) = cells {
            state.found.cells = Some(self.cells(&text).ok_or_else(|| wrong("cells"))?);
        }
        if let Some(text) = solution {
            let cells = self.cells(&text).filter(Backbone::is_complete);
            state.found.solution = Some(cells.ok_or_else(|| wrong("cells"))?.filled);
        }
        if let Some(opening) = opening {
            state.found.opening = opening;
            // Both are of the same moment.
            state.found.selection = selection;
            state.wide = wide;
        }
        for WrittenTrail { place, plan, steps } in trails {
            let steps = trail::read(&steps).ok_or_else(|| wrong("steps"))?;
            state.trails.note(Trail { place, plan, steps }, true);
        }
        if let Some(text) = least {
            state.found.least = text.parse()?;
        }
        state.bytes += (states.len() + components.len()) as u64;
        let table = &self.table;
        let page = Page { states, components };
        let recall = |key, count| {
            let value = ComponentValue { count, node: None };
            table.recall(key, value, LEAST);
        };
        let read = state.book.read(&page, &table.numbers, recall);
        read.ok_or_else(|| wrong("parts"))
    }

    /// Forgets what is of one cube alone: the next one is begun.
    pub fn restart(&self) {
        let mut state = self.lock();
        state.found = Resumed::default();
        state.trails = Trails::default();
        (state.wide, state.nodes) = (None, 0);
        state.fresh = Fresh::default();
    }

    /// What has changed since this was last asked, if anything has.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        let mut state = self.lock();
        let state = &mut *state;
        let growing = self.began.elapsed().as_secs_f64() / GROWING.as_secs_f64();
        let large = state.bytes as f64 / LARGE as f64;
        let least = self.least as f64 * growing.max(1.0) * large.max(1.0).powi(2);
        let news = self.table.cache.news(least as u64).into_iter();
        let news = news.map(|(key, value)| (key, value.count));
        let Page { states, components } = state.book.write(&self.table.numbers, news);
        let Fresh {
            cells,
            solution,
            state: changed,
        } = std::mem::take(&mut state.fresh);
        let trails = (state.trails.unwritten())
            .map(|trail| WrittenTrail {
                place: trail.place,
                plan: trail.plan,
                steps: trail::write(&trail.steps),
            })
            .collect();
        let found = &state.found;
        // Time that a trial has had counts, too.
        let under_way = found
            .selection
            .as_ref()
            .is_some_and(SelectionState::is_under_way);
        if !(cells || solution || changed || under_way || !components.is_empty()) {
            return None;
        }
        state.bytes += (states.len() + components.len()) as u64;
        let text = |backbone: &Backbone| backbone.to_string();
        Some(Checkpoint {
            cells: found.cells.as_ref().filter(|_| cells).map(text),
            solution: found.solution.as_ref().filter(|_| solution).map(|grid| {
                let only = Backbone::of_one(grid);
                text(&only)
            }),
            opening: Some(found.opening),
            selection: found.selection.as_ref().map(SelectionState::settled),
            trails,
            wide: state.wide,
            least: (!found.least.is_zero()).then(|| found.least.to_string()),
            states,
            components,
        })
    }

    /// Solutions that are proved to be there.
    pub fn least(&self) -> Count {
        self.lock().found.least.clone()
    }

    /// The nodes of this process.
    pub fn nodes(&self) -> u64 {
        self.lock().nodes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cells(&self, text: &str) -> Option<Backbone> {
        let (width, height) = self.size;
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

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        state.fresh.state = true;
    }

    /// What there is to go on with.
    pub(crate) fn found(&self) -> Resumed {
        self.lock().found.clone()
    }

    /// Notes what is known of the cells.
    pub(crate) fn knows(&self, cells: Backbone) {
        self.change(|state| {
            state.fresh.cells |= state.found.cells.as_ref() != Some(&cells);
            state.found.cells = Some(cells);
        });
    }

    /// Notes a solution.
    pub(crate) fn has(&self, solution: &Grid) {
        self.change(|state| {
            state.fresh.solution |= state.found.solution.as_ref() != Some(solution);
            state.found.solution = Some(solution.clone());
        });
    }

    /// Notes that the first trial is over.
    pub(crate) fn tried(&self) {
        self.change(|state| state.found.opening.tried = true);
    }

    /// The backbone is begun; `false` when that was done often enough in this round.
    pub(crate) fn begins_backbone(&self) -> bool {
        let mut more = true;
        self.change(|state| {
            let opening = &mut state.found.opening;
            opening.tries += 1;
            more = opening.tries <= TRIES;
        });
        more
    }

    /// This round is done with the backbone.
    pub(crate) fn ends_backbone(&self, whole: bool) {
        self.change(|state| state.found.opening.whole = Some(whole));
    }

    /// The next round of the opening begins.
    pub(crate) fn ends_round(&self) {
        self.change(|state| {
            let opening = &mut state.found.opening;
            *opening = Opening {
                round: opening.round + 1,
                ..Opening::default()
            };
            opening.tried = true;
            state.found.selection = None;
            state.wide = None;
        });
    }

    /// Notes how the contest stands.
    pub(crate) fn stands(&self, selection: Option<SelectionState>) {
        self.change(|state| {
            let component = |state_of_selection: &Option<SelectionState>| {
                state_of_selection.as_ref().map(SelectionState::component)
            };
            if component(&selection) != component(&state.found.selection) {
                state.wide = None;
            }
            state.found.selection = selection;
        });
    }

    /// The way that an earlier walk by this plan has left.
    pub(crate) fn trail(&self, place: u64, plan: Plan) -> Option<Vec<TrailStep>> {
        self.lock().trails.of(place, plan)
    }

    /// Notes the way to where a walk is.
    pub(crate) fn goes(&self, trail: Trail) {
        self.lock().trails.note(trail, false);
    }

    /// Notes how far it has come.
    pub(crate) fn comes(&self, snapshot: &Snapshot) {
        let mut state = self.lock();
        if state.found.least < snapshot.solutions {
            state.found.least = snapshot.solutions.clone();
            state.fresh.state = true;
        }
        state.nodes = snapshot.nodes;
    }

    /// What a sweep of a part may take, in nanoseconds, if there is reason to fear that the process does not live on: a part of the
    /// longest life of one so far.
    pub(crate) fn bite(&self) -> Option<u64> {
        let life = self.lock().life;
        let bite = life.max(self.began.elapsed()) / BITE;
        (!life.is_zero()).then(|| u64::try_from(bite.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The size of the smallest part that is known to be too wide for that.
    pub(crate) fn wide(&self) -> Option<u32> {
        self.lock().wide
    }

    /// Notes that a part of this size is too wide.
    pub(crate) fn is_too_wide(&self, size: u32) {
        self.change(|state| state.wide = Some(state.wide.map_or(size, |wide| wide.min(size))));
    }
}
