//! Counting without listing.
//!
//! A [`Counting`] finds the exact number of a puzzle's solutions where they are too many to be listed. It branches and propagates as the
//! search does, but a part of the picture that it has counted once it never counts again: parts are compared by what their unknown
//! cells can still be, wherever they are and whatever lies around them. Kept as a graph, what was counted is a [`Space`], which knows how
//! often each cell is filled, draws solutions at random, and begins to list them anywhere. [`Estimating`] tells about how many there are
//! where nobody can count them.

mod book;
mod builder;
mod cache;
mod cells;
mod contest;
mod counted;
mod diagram;
mod digits;
mod estimate;
mod fillings;
mod frontier;
mod keeping;
mod listed;
mod odometer;
mod oracle;
mod order;
mod ordered;
mod part;
mod picture;
mod restrict;
mod runs;
mod sample;
mod scratch;
mod space;
mod tally;
mod trail;
mod walk;
mod worker;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;
use rustc_hash::FxHasher;

use crate::board::{Board, Cell, Clues, Prober, Region};
use crate::line::{Known, Wide, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::sat::Backbone;
use crate::search::{
    self, Control, Cube, Decision, Limits, Observer, Outcome, Pace, Search, Snapshot, Statistics,
    TICK, Total, WHOLE,
};
use crate::solutions::{Count, Stop};
pub use builder::{Becomes, Builder, Edge, NodeId};
pub use cells::Cells;
use contest::{Contest, Next, Plan};
pub use counted::Counted;
use diagram::{Lines, Numbers};
pub use estimate::{Doubt, Estimate, Estimating, Scaled};
pub use keeping::{Checkpoint, Keeping};
pub use ordered::{Advance, Ordered};
use part::{Part, Parts};
pub use sample::Samples;
pub use scratch::Scratch;
pub use space::Space;
use trail::Step;
use walk::Walk;
use worker::{Ended, Worker};

/// Bytes that a count may take unless the limits say otherwise.
const MEMORY: u64 = 4 << 30;

/// Work for counting the solutions near the first one, as a multiple of a trial's.
const NEAR: u64 = 20;

/// Where the backbone is not known: work of each way, as a multiple of a trial's, before more effort goes into the backbone; and the factor
/// by which effort and work grow then.
const UNTIL: u64 = 1000;
const MORE: u64 = 32;

/// Where the solution graph is kept: the first work of each way, as a multiple of a trial's, and the factor by which it grows.
const SLICE: u64 = 10;
const LONGER: u64 = 4;

/// Between two rounds of that, the number alone is counted by sweeping. This takes the round's work divided by the first number, and is
/// left out when that is more than the second number of trials.
const PART: u64 = 2;
const CHEAP: u64 = 200;

/// A worker with nothing to do looks this often for something.
const NAP: Duration = Duration::from_millis(1);

/// Work of each way, as a multiple of a trial's, from which on the forecast is told before a round.
const LONG: u64 = 100;

/// How to count. All ways give the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Whatever turns out best, for each part of the picture.
    #[default]
    Auto,
    /// Search the tree, every solution a leaf of its own, and multiply where it falls apart.
    Tree,
    /// Branch, fall apart, and look up what was counted before.
    Regions,
    /// Sweep along a frontier, and branch only where that outgrows the memory.
    Frontier,
}

/// Heuristics of counting.
#[derive(Clone, Debug)]
pub struct Options {
    /// When a side of a branch has shown no solution, and has taken so many hundredths of what a question costs, clause learning is
    /// asked whether there is one.
    pub patience: u64,
    /// Work of a first trial of a way to count a part, in nanoseconds as reckoned from what is done, whatever the clock says.
    pub trial: u64,
    /// Settles that may be spent on probing the root.
    pub probing: u64,
    /// Conflicts that may be spent on the backbone, before counting where it is not soon done.
    pub effort: u64,
    /// Regions of fewer unknown cells are not given to another worker: they are sooner counted than given away. Those of less than a third
    /// of it may be counted by two workers at once.
    pub shared: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            patience: 40,
            trial: 10_000_000,
            probing: 1 << 20,
            effort: 2000,
            shared: 24,
        }
    }
}

/// A count of the solutions of one puzzle.
///
/// ```
/// use omnogram::count::Counting;
/// use omnogram::puzzle::{Clue, Puzzle};
///
/// let ones = vec![Clue::new([1])?; 20];
/// let puzzle = Puzzle::new(ones.clone(), ones)?;
/// let outcome = Counting::new(&puzzle).run();
/// assert_eq!(outcome.solutions.to_string(), "2432902008176640000");
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Clone)]
pub struct Counting<'a> {
    puzzle: &'a Puzzle,
    method: Method,
    limits: Limits,
    options: Options,
    cube: Cube,
    counted: Option<Arc<Counted>>,
    keeping: Option<&'a Keeping>,
    scratch: Option<&'a Scratch>,
    observer: Option<Observer<'a>>,
    teller: Option<&'a (dyn Fn(&Forecast) + Sync)>,
}

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

impl fmt::Debug for Counting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counting")
            .field("puzzle", self.puzzle)
            .field("method", &self.method)
            .field("limits", &self.limits)
            .field("options", &self.options)
            .field("cube", &self.cube)
            .finish_non_exhaustive()
    }
}

/// What a part is worth.
#[derive(Clone, Debug)]
struct Worth {
    count: Count,
    /// Its node in the graph, where one is kept and there is a solution.
    node: Option<NodeId>,
}

/// What one worker tells of itself. Relaxed: for showing alone.
#[derive(Debug, Default)]
struct Meter {
    nodes: AtomicU64,
    done: AtomicU64,
}

/// What all workers of a run share.
#[derive(Debug)]
struct Shared<'a, W: Word> {
    puzzle: &'a Puzzle,
    clues: &'a Clues,
    options: &'a Options,
    control: Arc<Control>,
    keeping: Option<&'a Keeping>,
    scratch: Option<&'a Scratch>,
    /// Bytes for everything.
    memory: u64,
    workers: usize,
    /// The known cells at the root.
    rows: Vec<Known<W>>,
    /// A solution, if one is at hand.
    witness: Option<Grid>,
    /// The parts of the root, the smallest first.
    parts: Vec<Part<W>>,
    /// What has been counted. A graph's nodes are its own, so that a count that keeps one shares nothing with others.
    counted: Arc<Counted>,
    /// The graph, if it is kept, and most bytes of it.
    graph: Option<Mutex<Builder>>,
    most_of_graph: u64,
    /// Has it outgrown these? Relaxed: a hint, until all workers are back.
    outgrown: AtomicBool,
    contest: Mutex<Contest>,
    /// The walks that workers may join.
    walks: Mutex<Vec<Arc<Walk<W>>>>,
    /// May no more workers begin? A thread that waits for the pieces of its sweep runs whatever it finds, also a worker that has not begun,
    /// which would come to an end only when the sweep has. Relaxed: the thread that sets it is the one that must not miss it.
    closed: AtomicBool,
    /// The part that is being counted.
    current: AtomicUsize,
    meters: Vec<CachePadded<Meter>>,
    /// The best lower bound of the part that is being counted.
    bound: Mutex<Count>,
    /// The most that has been proved so far, and the furthest that any order has come: what is shown only grows.
    floor: Mutex<Count>,
    furthest: AtomicU64,
    /// Nodes that are not in the meters any more.
    nodes: u64,
    statistics: Mutex<Statistics>,
}

impl<'a> Counting<'a> {
    /// A count without limits but for memory, of which it takes at most 4 GiB.
    ///
    /// It works on the threads of the rayon pool that it is run in.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Counting {
            puzzle,
            method: Method::default(),
            limits: Limits::default(),
            options: Options::default(),
            cube: Cube::default(),
            counted: None,
            keeping: None,
            scratch: None,
            observer: None,
            teller: None,
        }
    }

    /// By this method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Within these limits; the one on solutions is not looked at.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With these heuristics.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Counts only the solutions in which these decisions hold.
    ///
    /// # Panics
    ///
    /// When it is run, if the cube decides a cell outside the puzzle.
    #[must_use]
    pub fn within(mut self, cube: Cube) -> Self {
        self.cube = cube;
        self
    }

    /// Looks up what other counts of the same puzzle have kept there, and adds to it. The method of the tree keeps nothing.
    #[must_use]
    pub fn sharing(mut self, counted: &Arc<Counted>) -> Self {
        self.counted = Some(Arc::clone(counted));
        self
    }

    /// Goes on where `keeping` says that an earlier count of the same cube has stopped, and keeps track there of how far it comes. The
    /// method of the tree does neither.
    #[must_use]
    pub fn keeping(mut self, keeping: &'a Keeping) -> Self {
        self.counted = Some(Arc::clone(keeping.counted()));
        self.keeping = Some(keeping);
        self
    }

    /// Goes on in a folder where a sweep needs more than its share of the memory: half of what the limits say. The method of the tree, and
    /// that of regions, do not need it.
    ///
    /// When reading or writing fails there the count is stopped, as for want of memory, and [`Scratch::error`] says why.
    #[must_use]
    pub fn scratch(mut self, scratch: &'a Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// Calls `observer` ten times a second, from a thread of its own, and once at the end.
    #[must_use]
    pub fn observer(mut self, observer: Observer<'a>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Where the space is kept: calls `teller` before each round that may take long. Each round may take several times as long as the
    /// one before it.
    #[must_use]
    pub fn teller(mut self, teller: &'a (dyn Fn(&Forecast) + Sync)) -> Self {
        self.teller = Some(teller);
        self
    }

    /// Counts.
    pub fn run(&self) -> Outcome {
        if self.method == Method::Tree {
            return self.search();
        }
        self.start(false).1
    }

    /// Counts, and keeps the whole space of solutions; `None` when the run was stopped. The method is that of regions.
    ///
    /// Where that takes long, the number alone is counted beside it by any method, if that is soon done. So the number can be exact
    /// although the run was stopped: when there was no time, or no memory, for the space.
    pub fn space(&self) -> (Option<Space>, Outcome) {
        self.start(true)
    }

    fn start(&self, keep: bool) -> (Option<Space>, Outcome) {
        match self.puzzle.width().max(self.puzzle.height()) {
            0..=64 => self.drive::<u64>(keep),
            65..=128 => self.drive::<u128>(keep),
            129..=512 => self.drive::<Wide<8>>(keep),
            _ => self.drive::<Wide<64>>(keep),
        }
    }

    fn search(&self) -> Outcome {
        let options = search::Options {
            rests: false,
            ..search::Options::default()
        };
        let mut search = Search::new(self.puzzle)
            .limits(self.limits.clone())
            .options(options);
        if !self.cube.path.is_empty() {
            search = search.cubes(vec![self.cube.clone()]);
        }
        if let Some(observer) = self.observer {
            search = search.observer(observer);
        }
        search.count()
    }

    fn drive<W: Word>(&self, keep: bool) -> (Option<Space>, Outcome) {
        let began = Instant::now();
        let clues = Clues::new(self.puzzle);
        let control = Arc::new(Control::new(&self.limits, false));
        let ended = |count: Count, exact: bool, statistics: Statistics| {
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
        };
        let keeping = self.keeping.filter(|_| !keep);
        let mut found = keeping.map(Keeping::found).unwrap_or_default();
        let mut board = Board::<W>::new(&clues);
        let alive = self.prepare(&mut board, &control, found.cells.as_ref());
        let mut statistics = Statistics {
            settles: board.settles(),
            ..Statistics::default()
        };
        let (width, height) = (clues.width(), clues.height());
        let mut known = Grid::new(width, height);
        for (r, row) in board.rows().iter().enumerate() {
            row.filled.cells().for_each(|c| known.set(r, c, true));
        }
        if !alive || control.stopped() {
            let nothing = keep && control.reason().is_none();
            let space = nothing.then(|| Space::none(width, height));
            return (space, ended(Count::ZERO, false, statistics));
        }
        let memory = self.limits.memory.unwrap_or(MEMORY);
        // A sweep leaves no graph behind.
        let method = if keep { Method::Regions } else { self.method };
        let workers = rayon::current_num_threads();
        let counted = match &self.counted {
            Some(counted) if !keep => Arc::clone(counted),
            _ => Arc::new(Counted::new(memory)),
        };
        let Some(parts) = parts(&board, &counted.numbers, &control) else {
            return (None, ended(Count::ZERO, false, statistics));
        };
        let mut shared = Shared {
            puzzle: self.puzzle,
            clues: &clues,
            options: &self.options,
            control: Arc::clone(&control),
            keeping,
            scratch: self.scratch,
            memory,
            workers,
            rows: board.rows().to_vec(),
            witness: found.solution,
            contest: Mutex::new(Contest::short(parts.len(), self.options.trial)),
            parts,
            counted,
            graph: keep.then(|| Mutex::new(Builder::new())),
            most_of_graph: memory / 3,
            outgrown: AtomicBool::new(false),
            walks: Mutex::default(),
            closed: AtomicBool::new(false),
            current: AtomicUsize::new(0),
            meters: (0..workers).map(|_| CachePadded::default()).collect(),
            bound: Mutex::new(Count::ZERO),
            floor: Mutex::new(found.least),
            furthest: AtomicU64::new(0),
            nodes: 0,
            statistics: Mutex::new(Statistics::default()),
        };
        let quick = keep || self.method == Method::Auto;
        if let Some(keeping) = keeping.filter(|_| found.cells.is_none()) {
            keeping.knows(known_cells(&board));
        }
        if quick && !found.opening.tried {
            // Most puzzles are soon counted by anything.
            shared.take_part(0);
            if let Some(keeping) = keeping {
                keeping.tried();
            }
        }
        let done = quick && lock(&shared.contest).is_over();
        // Then what is the same in all is taken out, with more and more effort, and the rest is counted.
        let (mut effort, mut later) = (self.options.effort, UNTIL * self.options.trial);
        for _ in 0..found.opening.round {
            (effort, later) = more(effort, later);
        }
        let mut alone = Alone::default();
        while !done && !control.stopped() {
            let mut whole = true;
            // What the backbone is asked about is the whole puzzle.
            let asks = quick && self.cube.path.is_empty();
            if let Some(is_whole) = found.opening.whole.take().filter(|_| asks) {
                // An earlier part of the run has asked.
                whole = is_whole;
            } else if asks && keeping.is_some_and(|keeping| !keeping.begins_backbone()) {
                // It has been cut short too often.
                whole = false;
            } else if asks {
                let (backbone, solutions, outcome) = self.backbone(&control, effort);
                whole = backbone.is_complete();
                shared.witness = solutions.into_iter().next().or(shared.witness.take());
                statistics.add(&outcome.statistics);
                shared.raise(outcome.solutions.number().clone());
                if let (Total::Exactly(number), None) = (&outcome.solutions, control.reason()) {
                    let space = keep.then(|| match number.is_zero() {
                        true => Space::none(width, height),
                        false => Builder::new().finish(&backbone.filled, Vec::new()),
                    });
                    return (space, ended(number.clone(), true, statistics));
                }
                let alive =
                    board.decide_all((0..height).map(|row| (row, known_of(&backbone, row))));
                debug_assert!(alive, "what holds in all solutions contradicts none");
                for (r, row) in board.rows().iter().enumerate() {
                    row.filled.cells().for_each(|c| known.set(r, c, true));
                }
                if let Some(keeping) = keeping {
                    keeping.knows(Backbone {
                        ambiguous: backbone.ambiguous.clone(),
                        ..known_cells(&board)
                    });
                    shared.witness.iter().for_each(|grid| keeping.has(grid));
                    if !control.stopped() {
                        keeping.ends_backbone(whole);
                    }
                }
                if !keep {
                    let work =
                        NEAR * self.options.trial * (effort / self.options.effort.max(1)).max(1);
                    let near = self.near(&mut shared, &mut board, &backbone, work);
                    shared.raise(near);
                }
                shared.rows = board.rows().to_vec();
                let again = self::parts(&board, &shared.counted.numbers, &control);
                let Some(parts) = again else {
                    break;
                };
                shared.parts = parts;
                alone.contest = None;
            }
            let until = if whole { u64::MAX } else { later };
            let contest = Contest::new(method, shared.parts.len(), self.options.trial);
            let contest = contest.until(until);
            // The work on other boards is no part of this.
            for meter in &shared.meters {
                meter.done.store(0, Ordering::Relaxed);
            }
            shared.contest = Mutex::new(match found.contest.take() {
                Some(standing) => contest.resume(standing),
                None => contest,
            });
            shared.current = AtomicUsize::new(0);
            *lock(&shared.bound) = Count::ZERO;
            if keep {
                self.keep(&mut shared, &mut alone, began, until);
            } else {
                self.observe(&shared, began, false, || shared.work());
            }
            shared.raise(shared.proved());
            if lock(&shared.contest).is_over() || alone.is_void() {
                break;
            }
            (effort, later) = more(effort, later);
            if let Some(keeping) = keeping.filter(|_| !control.stopped()) {
                keeping.ends_round();
            }
        }
        statistics.add(&lock(&shared.statistics));
        let mut count = shared.proved();
        let over = keep && lock(&shared.contest).is_over();
        if control.reason().is_some() && !over {
            count = shared.raise(count);
            let _ = shared.snapshot(began, false, false);
        }
        if let Some(number) = alone.number {
            let nothing = number.is_zero() && control.reason().is_none();
            let space = nothing.then(|| Space::none(width, height));
            if nothing || control.reason().is_some() {
                return (space, ended(number, true, statistics));
            }
        }
        let contest = shared
            .contest
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let graph = shared.graph.filter(|_| control.reason().is_none());
        let space = graph.map(|graph| match contest.nodes() {
            Some(nodes) => {
                let graph = graph.into_inner().unwrap_or_else(PoisonError::into_inner);
                let cells = shared.parts.iter().map(cells_of);
                graph.finish(&known, nodes.into_iter().zip(cells).collect())
            }
            None => Space::none(width, height),
        });
        (space, ended(count, over, statistics))
    }

    /// Counts all parts and keeps their graph, until each way has had `until` nanoseconds of work; and the number alone while that is
    /// cheap.
    fn keep<W: Word>(
        &self,
        shared: &mut Shared<'_, W>,
        alone: &mut Alone,
        began: Instant,
        until: u64,
    ) {
        let mut slice = SLICE * self.options.trial;
        loop {
            lock(&shared.contest).go_on(slice.min(until));
            self.observe(shared, began, false, || shared.work());
            shared.read_meters();
            let outgrown = shared.outgrown.load(Ordering::Relaxed);
            if lock(&shared.contest).is_over() || shared.control.stopped() {
                return;
            }
            if outgrown {
                // The number may take as much work again. Its memory is free for that.
                (shared.graph, alone.contest) = (None, None);
                self.alone(shared, alone, Method::Auto, began, slice);
                shared.control.stop(Stop::Memory);
                return;
            }
            if slice / PART <= CHEAP * self.options.trial {
                // Branching would not be much cheaper than it is with the graph.
                self.alone(shared, alone, Method::Frontier, began, slice / PART);
            }
            if shared.control.stopped() || alone.is_void() || slice >= until {
                return;
            }
            slice = slice.max(1).saturating_mul(LONGER);
            if let (Some(teller), Some(graph)) = (self.teller, &shared.graph)
                && slice >= LONG * self.options.trial
            {
                let graph = lock(graph);
                teller(&Forecast {
                    solutions: alone.number.clone(),
                    nodes: graph.nodes() as u64,
                    bytes: graph.bytes(),
                    most: shared.most_of_graph,
                });
            }
        }
    }

    /// Counts the number alone, if it is not known yet, until each way has had `until` nanoseconds of work.
    fn alone<W: Word>(
        &self,
        shared: &mut Shared<'_, W>,
        alone: &mut Alone,
        method: Method,
        began: Instant,
        until: u64,
    ) {
        if alone.number.is_some() {
            return;
        }
        let (graph, memory) = (shared.graph.take(), shared.memory);
        if graph.is_some() {
            shared.memory /= 4;
        }
        let begin = || Contest::new(method, shared.parts.len(), self.options.trial);
        let contest = alone.contest.take().unwrap_or_else(begin);
        let kept = std::mem::replace(&mut *lock(&shared.contest), contest);
        let enter = |shared: &Shared<'_, W>| {
            let part = lock(&shared.contest).part();
            shared.current.store(part, Ordering::Relaxed);
            *lock(&shared.bound) = Count::ZERO;
        };
        enter(shared);
        lock(&shared.contest).go_on(until);
        self.observe(shared, began, true, || shared.work());
        shared.read_meters();
        shared.raise(shared.proved());
        let contest = std::mem::replace(&mut *lock(&shared.contest), kept);
        if contest.is_over() {
            alone.number = Some(contest.result().0);
        } else {
            alone.contest = Some(contest);
        }
        enter(shared);
        (shared.graph, shared.memory) = (graph, memory);
    }

    /// Two solutions, if there are so many, and the cells that are the same in all, as far as so much effort finds out.
    fn backbone(&self, control: &Arc<Control>, effort: u64) -> (Backbone, Vec<Grid>, Outcome) {
        // Several engines side by side would be the sooner done with it, but do several times the work.
        Search::new(self.puzzle)
            .alone()
            .limits(self.limits.clone())
            .backbone_under(control, Some(effort))
    }

    /// How many solutions, or at least how many, differ from the one at hand only in cells that are known to be ambiguous: where all of
    /// them are too many to count, this is a bound that says something.
    fn near<W: Word>(
        &self,
        shared: &mut Shared<'_, W>,
        board: &mut Board<'_, W>,
        backbone: &Backbone,
        work: u64,
    ) -> Count {
        let Some(first) = shared.witness.clone() else {
            return Count::ZERO;
        };
        let row = |row: usize| {
            let filled = W::from_parts(first.row(row));
            let same = W::low(first.width()) & !W::from_parts(backbone.ambiguous.row(row));
            let empty = same & !filled;
            let filled = same & filled;
            (row, Known { filled, empty })
        };
        let mark = board.mark();
        let alive = board.decide_all((0..first.height()).map(row));
        debug_assert!(alive, "a solution contradicts nothing");
        let Some(near) = parts(board, &shared.counted.numbers, &shared.control) else {
            board.undo(mark);
            return Count::ZERO;
        };
        shared.rows = board.rows().to_vec();
        shared.parts = near;
        shared.contest = Mutex::new(Contest::short(shared.parts.len(), work));
        shared.current = AtomicUsize::new(0);
        *lock(&shared.bound) = Count::ZERO;
        board.undo(mark);
        shared.take_part(0);
        shared.proved()
    }

    /// Propagates and probes the root, unless it is known what comes of that; `false` is a contradiction.
    fn prepare<W: Word>(
        &self,
        board: &mut Board<'_, W>,
        control: &Control,
        known: Option<&Backbone>,
    ) -> bool {
        let (rows, columns) = self.puzzle.sums();
        // A settle reads a few words for each block of the line.
        let (mut pace, settle) = (Pace::new(control), W::BITS as u64);
        let propagated = board.propagate_unless(|| pace.spend(settle));
        if rows != columns || propagated == Some(false) {
            return false;
        }
        if propagated.is_none() {
            return true;
        }
        for &Decision { cell, filled } in &self.cube.path {
            let holds = match board.known(cell) {
                Some(known) => known == filled,
                None => board.decide(cell, filled),
            };
            if !holds {
                return false;
            }
        }
        if let Some(known) = known {
            let height = self.puzzle.height();
            return board.decide_all((0..height).map(|row| (row, known_of(known, row))));
        }
        let limit = board.settles() + self.options.probing;
        let mut settles = board.settles();
        let region = Region::whole(board);
        let probed = Prober::default().probe(board, &region, None, |board| {
            let since = board.settles() - std::mem::replace(&mut settles, board.settles());
            pace.spend(since * settle) || board.settles() >= limit
        });
        !matches!(probed, crate::board::Probed::Contradiction)
    }

    /// Runs `work`, and shows the observer how far it is. What is done `aside` brings the whole no further.
    fn observe<W: Word>(
        &self,
        shared: &Shared<'_, W>,
        began: Instant,
        aside: bool,
        work: impl FnOnce(),
    ) {
        let Some(observer) = self.observer else {
            return work();
        };
        let snapshot = |complete: bool| shared.snapshot(began, complete, aside);
        std::thread::scope(|threads| {
            let (finished, ticks) = crossbeam::channel::bounded::<()>(0);
            threads.spawn(move || {
                let ticks = || ticks.recv_timeout(TICK);
                while ticks().is_err_and(|error| error.is_timeout()) {
                    observer(snapshot(false));
                }
            });
            work();
            drop(finished);
        });
        let over = !aside && lock(&shared.contest).is_over();
        let complete = over && shared.control.reason().is_none();
        observer(snapshot(complete));
    }
}

/// What a backbone says of a row.
fn known_of<W: Word>(backbone: &Backbone, row: usize) -> Known<W> {
    Known {
        filled: W::from_parts(backbone.filled.row(row)),
        empty: W::from_parts(backbone.empty.row(row)),
    }
}

/// The cells that are known on a board.
fn known_cells<W: Word>(board: &Board<'_, W>) -> Backbone {
    let mut cells = Backbone::unknown(board.clues().width(), board.clues().height());
    for (r, row) in board.rows().iter().enumerate() {
        row.filled
            .cells()
            .for_each(|c| cells.filled.set(r, c, true));
        row.empty.cells().for_each(|c| cells.empty.set(r, c, true));
    }
    cells
}

/// The effort of the next round, and the work of each way in it.
fn more(effort: u64, later: u64) -> (u64, u64) {
    let more = |before: u64| before.max(1).saturating_mul(MORE);
    (more(effort), more(later))
}

/// The parts of the root, the smallest first; `None` when the run has been stopped meanwhile.
fn parts<W: Word>(
    board: &Board<'_, W>,
    numbers: &Numbers,
    control: &Control,
) -> Option<Vec<Part<W>>> {
    let (width, height) = (board.clues().width(), board.clues().height());
    let rows: Vec<_> = (0..height).map(|row| (row as u16, W::low(width))).collect();
    let mut lines = Lines::new(width + height, u64::MAX);
    let mut parts = Vec::new();
    let mut pace = Pace::new(control);
    let mut splitter = Parts::new(width, height);
    splitter.split(board, &rows, &mut lines, numbers, &mut parts, &mut pace)?;
    parts.sort_by_key(|part| part.size);
    Some(parts)
}

/// The cells of a part.
fn cells_of<W: Word>(part: &Part<W>) -> Vec<Cell> {
    let row = |&(row, cells): &(u16, W)| {
        let cells = cells.cells();
        cells.map(move |column| Cell::new(row.into(), column))
    };
    part.rows.iter().flat_map(row).collect()
}

/// How far the number alone has been counted beside a space.
#[derive(Debug, Default)]
struct Alone {
    number: Option<Count>,
    contest: Option<Contest>,
}

impl Alone {
    /// Is it clear that there is no solution?
    fn is_void(&self) -> bool {
        self.number.as_ref().is_some_and(Count::is_zero)
    }
}

impl<W: Word> Shared<'_, W> {
    /// Does that suffice to know of a part? Where a graph is kept it must have a node, unless there is no solution.
    fn suffices(&self, worth: &Worth) -> bool {
        self.graph.is_none() || worth.node.is_some() || worth.count.is_zero()
    }

    /// The graph takes too much memory: nobody is to go on with it.
    fn give_graph_up(&self) {
        self.outgrown.store(true, Ordering::Relaxed);
        lock(&self.contest).halt();
        self.current.store(usize::MAX, Ordering::Relaxed);
    }

    /// Counts all parts on all threads.
    fn work(&self) {
        loop {
            self.closed.store(false, Ordering::Relaxed);
            match self.workers {
                1 => self.take_part(0),
                workers => rayon::scope(|scope| {
                    for index in 0..workers {
                        scope.spawn(move |_| {
                            if !self.closed.load(Ordering::Relaxed) {
                                self.take_part(index);
                            }
                        });
                    }
                }),
            }
            if !lock(&self.contest).regroup() || self.control.stopped() {
                break;
            }
        }
    }

    /// One worker's part in it.
    fn take_part(&self, index: usize) {
        let mut worker = Worker::new(self, index);
        loop {
            let next = {
                let mut contest = lock(&self.contest);
                let next = contest.next();
                self.note(&contest);
                next
            };
            let trial = match next {
                None => break,
                Some(Next::Try(trial)) => trial,
                Some(next) => {
                    self.help(&mut worker, matches!(next, Next::Help));
                    if self.control.stopped() {
                        break;
                    }
                    continue;
                }
            };
            let ended = worker.try_out(trial);
            let stopped = matches!(ended, Ended::Stopped);
            let mut contest = lock(&self.contest);
            let part = contest.report(trial, ended);
            self.note(&contest);
            if contest.is_void() {
                // No solution of this part, none at all.
                self.control.settle();
                self.current.store(usize::MAX, Ordering::Relaxed);
                break;
            }
            if part != trial.part {
                let mut bound = lock(&self.bound);
                *bound = Count::ZERO;
                self.current.store(part, Ordering::Relaxed);
            }
            if stopped {
                break;
            }
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Joins the walk that has the fewest workers, if that is `wanted`; else sweeps may have something to do.
    fn help(&self, worker: &mut Worker<'_, '_, W>, wanted: bool) {
        let walk = {
            let walks = lock(&self.walks);
            let walk = walks.iter().filter(|_| wanted);
            let walk = walk.min_by_key(|walk| walk.members()).cloned();
            walk.iter().for_each(|walk| walk.join());
            walk
        };
        match walk {
            Some(walk) => {
                worker.help(&walk);
                walk.leave();
            }
            None => {
                self.control.look();
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    std::thread::sleep(NAP);
                }
            }
        }
    }

    /// Lets other workers join a walk.
    fn begin_walk(&self, walk: &Arc<Walk<W>>) {
        if self.workers > 1 {
            lock(&self.walks).push(Arc::clone(walk));
        }
    }

    /// Lets no other worker join it any more.
    fn end_walk(&self, walk: &Arc<Walk<W>>) {
        lock(&self.walks).retain(|other| !Arc::ptr_eq(other, walk));
    }

    /// Most bytes of what a walk puts aside.
    fn put_aside(&self) -> u64 {
        self.memory / 16
    }

    /// The node of a part with these edges in the graph, where one is kept and there is a solution.
    fn node(&self, edges: Vec<Edge>) -> Option<NodeId> {
        let graph = self.graph.as_ref().filter(|_| !edges.is_empty())?;
        let mut graph = lock(graph);
        let node = graph.node(edges);
        let full = graph.bytes() > self.most_of_graph;
        drop(graph);
        if full {
            self.give_graph_up();
        }
        Some(node)
    }

    /// Notes that a part has at least `bound` fillings.
    fn raise_bound(&self, part: usize, bound: Count) {
        let mut best = lock(&self.bound);
        // Relaxed: it changes under this lock alone. What is proved of a part says nothing of the one after it.
        if self.current.load(Ordering::Relaxed) == part && bound > *best {
            *best = bound;
        }
    }

    /// Notes how a contest stands, where somebody keeps track of it.
    fn note(&self, contest: &Contest) {
        if let (Some(keeping), Some(standing)) = (self.keeping, contest.standing()) {
            keeping.stands(Some(standing));
        }
    }

    /// Tells the parts of all boards of a puzzle apart, in every process alike.
    fn place(&self, part: usize) -> u64 {
        let mut hasher = FxHasher::default();
        let mut hash = |number: usize, words: &[W]| {
            number.hash(&mut hasher);
            let parts = |word: &W| (0..W::BITS / 64).map(|i| word.part(i)).collect::<Vec<_>>();
            words.iter().for_each(|word| parts(word).hash(&mut hasher));
        };
        for (row, known) in self.rows.iter().enumerate() {
            hash(row, &[known.filled, known.empty]);
        }
        for &(row, cells) in &self.parts[part].rows {
            hash(row.into(), &[cells]);
        }
        hasher.finish()
    }

    /// The way that an earlier walk through a part by this plan has left.
    fn trail(&self, part: usize, plan: Option<Plan>) -> Option<Vec<Step>> {
        self.keeping?.trail(self.place(part), plan?)
    }

    /// Notes the way to where a walk is.
    fn note_trail(&self, part: usize, plan: Plan, steps: Vec<Step>) {
        if let Some(keeping) = self.keeping {
            keeping.goes(self.place(part), plan, steps);
        }
    }

    /// What a sweep of a part may take, in nanoseconds.
    fn bite(&self) -> u64 {
        self.keeping.and_then(Keeping::bite).unwrap_or(u64::MAX)
    }

    /// Parts of one of the whole, a good deal smaller than this, are swept.
    fn narrow(&self, part: usize) -> u32 {
        let wide = self.keeping.and_then(Keeping::wide);
        self.parts[part].size.min(wide.unwrap_or(u32::MAX))
    }

    /// Notes that a part of this size is too wide to be swept within a bite.
    fn is_too_wide(&self, size: u32) {
        if let Some(keeping) = self.keeping
            && keeping.bite().is_some()
            && !self.control.stopped()
        {
            keeping.is_too_wide(size);
        }
    }

    /// What is proved of the parts: the product of those that are done, with the bound of the one that is under way.
    fn proved(&self) -> Count {
        // Held until the bound is known, as both change together.
        let contest = lock(&self.contest);
        let (mut count, open) = contest.result();
        if open > 0 && !count.is_zero() {
            // Of parts that nobody has looked at nothing is known, but that they have a solution each where the whole has one.
            let bound = &*lock(&self.bound);
            match &self.witness {
                Some(_) if bound.is_zero() => {}
                None if open > 1 => count = Count::ZERO,
                _ => count *= bound,
            }
        }
        count
    }

    /// Notes that there are at least so many solutions; returns the most that was noted.
    fn raise(&self, least: Count) -> Count {
        let mut floor = lock(&self.floor);
        if *floor < least {
            *floor = least;
        }
        floor.clone()
    }

    /// Makes the meters ready for other workers.
    fn read_meters(&mut self) {
        for meter in &mut self.meters {
            self.nodes += *meter.nodes.get_mut();
            **meter = Meter::default();
        }
    }

    /// Of two snapshots the later one never shows less.
    fn snapshot(&self, began: Instant, complete: bool, aside: bool) -> Snapshot {
        let solutions = self.raise(self.proved());
        let nodes = self
            .meters
            .iter()
            .map(|meter| meter.nodes.load(Ordering::Relaxed));
        let done = self
            .meters
            .iter()
            .map(|meter| meter.done.load(Ordering::Relaxed));
        let done = done.max().filter(|_| !aside).unwrap_or(0);
        let done = done.max(self.furthest.fetch_max(done, Ordering::Relaxed));
        let snapshot = Snapshot {
            share: match complete {
                true => 1.0,
                false => done as f64 / WHOLE as f64,
            },
            nodes: self.nodes + nodes.sum::<u64>(),
            solutions: solutions.to_u64().unwrap_or(u64::MAX),
            elapsed: began.elapsed(),
        };
        if let Some(keeping) = self.keeping {
            keeping.comes(&snapshot, &solutions);
        }
        snapshot
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
