//! Incremental search: cubes are searched one after the other, each with its own limits, sink and outcome.
//!
//! Work that cubes have in common is done once: a [`CubeCursor`] keeps the decisions that a cube shares with the previous one, with their
//! propagation and probing results. The probing policy and the subproblem caches are passed on from cube to cube.

use std::sync::{Arc, Mutex};

use crossbeam::queue::SegQueue;

use super::cube::{Cube, Decision};
use super::meter::WHOLE;
use super::options::{Options, Probing};
use super::outcome::Outcome;
use super::probing_policy::ProbingPolicy;
use super::product::{ProductValue, RegionCollector};
use super::task::{Context, LeafTarget, Node, Product, Shared, SubproblemCache, run_all};
use super::tree::{Search, conclude};
use crate::board::{
    Board, Clues, NodeProbeResult, NodeRecords, Prober, ProberMark, Region, between_settles,
    split_unless,
};
use crate::line::{Word, by_width};
use crate::run::{Control, Limits, Pace, lock, memory_plan};
use crate::solutions::Sink;

/// The function that [`Search::incremental`] passes to its argument: it searches one cube within these limits, on the calling thread.
pub type CubeSearch<'f> = dyn FnMut(&Cube, &Limits, &dyn Sink) -> Outcome + 'f;

impl Search<'_> {
    /// Calls `work` with a function that searches one cube. `work` may call that function for any cubes in any order, each with a sink and
    /// limits for this cube. Of these limits, those on time and nodes and the interrupt flag apply; the sink has to enforce a limit on
    /// solutions. Of the limits of the search itself only the one on memory applies: it bounds the lists kept between cubes. Its cubes
    /// and observer are ignored.
    ///
    /// Cubes cost least when consecutive ones share a long prefix of decisions.
    ///
    /// ```
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::search::{Cube, Limits, Search};
    /// use omnogram::solutions::CountSink;
    ///
    /// let ones = vec![Clue::new([1])?; 4];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// Search::new(&puzzle).incremental(&mut |search_cube| {
    ///     let outcome = search_cube(&Cube::default(), &Limits::default(), &CountSink::new());
    ///     assert_eq!(outcome.solutions.to_string(), "24");
    /// });
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// When a cube decides a cell outside the puzzle.
    #[cfg(feature = "unstable")]
    pub fn incremental(&self, work: &mut dyn FnMut(&mut CubeSearch<'_>)) {
        // `work` is no type parameter, because the search would be compiled again for every caller.
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.incremental_for_width::<W>(work));
    }

    fn incremental_for_width<W: Word>(&self, work: &mut dyn FnMut(&mut CubeSearch<'_>)) {
        // A limit on solutions would truncate the lists that are kept from cube to cube.
        let search = Search {
            limits: self.limits.clone().solutions(None),
            ..self.clone()
        };
        let clues = Clues::new(self.puzzle);
        // One half is for the path to the cube, the other for the search of it.
        let probe_bytes = memory_plan::SEARCH_PROBES.part(self.limits.bytes(), 2);
        let mut cursor = CubeCursor::<W>::new(&clues, probe_bytes);
        let sums = self.puzzle.sums();
        let mut caches: SegQueue<SubproblemCache> = SegQueue::new();
        let (mut policy, mut memory, mut search_settles) = (None, None, 0);
        work(&mut |cube, limits, sink| {
            let control = Arc::new(Control::new(limits, false));
            #[cfg(feature = "checked")]
            let checked_sink = crate::solutions::checked::CheckedSink::new(self.puzzle, sink);
            #[cfg(feature = "checked")]
            let sink = &checked_sink;
            let mut shared = search.shared::<W>(&clues, &control, sink, None, 1);
            shared.caches = std::mem::take(&mut caches);
            shared.policy = Mutex::new(policy);
            shared.probe_bytes = probe_bytes;
            // One memory budget covers the lists kept from cube to cube.
            let memory = memory.get_or_insert_with(|| Arc::clone(&shared.collect_options.memory));
            shared.collect_options.memory = Arc::clone(memory);
            let (settles, probes) = (cursor.board.settles(), cursor.prober.probes());
            let probing = match self.options.probing {
                Probing::Always => true,
                Probing::Root | Probing::Never => false,
                Probing::Adaptive => {
                    policy.as_ref().is_none_or(ProbingPolicy::is_probing)
                        || cursor.probing_pays(search_settles)
                }
            };
            let moved = if sums.0 == sums.1 {
                cursor.move_to(cube, &shared, probing)
            } else {
                Some(None)
            };
            // If the run was stopped before the root of the cube was reached, the whole cube is handed back.
            if moved.is_none() {
                shared.cubes.push((cube.clone(), WHOLE));
            }
            if let Ok(totals) = shared.totals.get_mut() {
                totals.0.settles += cursor.board.settles() - settles;
                totals.0.probes += cursor.prober.probes() - probes;
            }
            match moved {
                None => shared.meter.add(0, 1),
                Some(None) => shared.meter.add(WHOLE, 1),
                Some(Some(context)) => {
                    let node = cursor.node(cube.clone(), WHOLE, context, &self.options);
                    run_all(&shared, node, None);
                }
            }
            caches = std::mem::take(&mut shared.caches);
            policy = *lock(&shared.policy);
            let outcome = conclude(shared);
            search_settles += outcome.statistics.settles;
            outcome
        });
    }
}

/// Probing on the paths to cubes pays if it decides at least one in `PROBING_GAIN_DIVISOR` of the cells decided there.
const PROBING_GAIN_DIVISOR: u64 = 5;

/// Probing on the paths to cubes also pays if it takes at most one in `PROBING_COST_DIVISOR` of all settles, on paths and inside cubes.
const PROBING_COST_DIVISOR: u64 = 20;

/// A board that moves from the root of one cube to the root of the next. It undoes only the decisions that the next cube does not share.
struct CubeCursor<'a, W: Word> {
    board: Board<'a, W>,
    prober: Prober<W>,
    /// Whether propagation at the root of the tree found no contradiction; `None` until it has ended.
    root_is_consistent: Option<bool>,
    /// The decisions made, each with the state before it.
    levels: Vec<Level<W>>,
    /// The present node.
    node: NodeState<W>,
    /// Whether the results of solved regions include the lists of their fillings, and not only the numbers.
    keeps_grids: bool,
    /// Cells that probing has decided on all paths so far.
    decided_by_probing: u64,
    /// Cells decided on all paths so far, in any way.
    decided: u64,
    /// Settles of probing on all paths so far.
    probing_settles: u64,
}

/// A decision, and the state before it.
struct Level<W: Word> {
    decision: Decision,
    /// Undo mark of the board.
    mark: usize,
    /// The state of the prober.
    prober_mark: ProberMark,
    node: NodeState<W>,
    /// Whether, at the node before it, this decision and the later ones of the cube lie in one region; see [`NodeState::confines`].
    is_confined: bool,
}

/// The search state of a node.
struct NodeState<W: Word> {
    /// The region to be searched, and the fillings of the regions that were split off on the path to it and searched by themselves.
    context: Context<W>,
    is_probed: bool,
    /// Whether the node is proved to have no solution.
    is_dead_end: bool,
    /// The probing records of this node if it is probed, otherwise those of its nearest probed ancestor.
    inherited: Option<NodeRecords>,
    /// Its independent regions, empty until they are computed.
    regions: Vec<SearchedRegion<W>>,
}

/// A region, with its fillings once it has been searched by itself.
type SearchedRegion<W> = (Arc<Region<W>>, Option<ProductValue<W>>);

impl<W: Word> NodeState<W> {
    fn new(context: Context<W>, inherited: Option<NodeRecords>) -> Self {
        NodeState {
            context,
            is_probed: false,
            is_dead_end: false,
            inherited,
            regions: Vec::new(),
        }
    }

    /// Whether the other regions can be searched by themselves: `path` begins in one of several regions, and never enters another.
    fn confines(&self, path: &[Decision]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        let regions = self.regions.iter().map(|(region, _)| region);
        let mut touched =
            regions.filter(|region| path.iter().any(|decision| region.has(decision.cell)));
        let confining = touched.next().filter(|_| touched.next().is_none());
        self.regions.len() > 1 && confining.is_some_and(|region| region.has(first.cell))
    }
}

impl<'a, W: Word> CubeCursor<'a, W> {
    fn new(clues: &'a Clues, probe_bytes: u64) -> Self {
        let board = Board::new(clues);
        CubeCursor {
            node: NodeState::new(Context::root(&board), None),
            board,
            prober: Prober::new(probe_bytes),
            root_is_consistent: None,
            levels: Vec::new(),
            keeps_grids: false,
            decided_by_probing: 0,
            decided: 0,
            probing_settles: 0,
        }
    }

    /// Whether to probe the path to a cube even if the search inside cubes has stopped probing: many cubes share the path, and regions are
    /// split off there. `total_settles` are all settles so far, including those of paths.
    fn probing_pays(&self, total_settles: u64) -> bool {
        PROBING_GAIN_DIVISOR * self.decided_by_probing >= self.decided
            || PROBING_COST_DIVISOR * self.probing_settles <= total_settles
    }

    /// Moves to the root of a cube and returns its context: `Some(None)` when the cube has no solution, `None` when the run was stopped.
    ///
    /// With `probing`, the nodes on the path are probed. Where a node confines the cube to a region, the others are searched once.
    fn move_to(
        &mut self,
        cube: &Cube,
        shared: &Shared<'_, W>,
        probing: bool,
    ) -> Option<Option<Context<W>>> {
        if self.root_is_consistent.is_none() {
            self.root_is_consistent = self.board.propagate_unless(shared.between_settles());
            if self.root_is_consistent.is_none() {
                self.board = Board::new(self.board.clues());
            }
        }
        if !self.root_is_consistent? {
            return Some(None);
        }
        if self.keeps_grids != shared.collect_options.with_grids {
            self.keeps_grids = shared.collect_options.with_grids;
            self.backtrack_to(0);
            self.node.regions.clear();
        }
        let levels = self.levels.iter().zip(&cube.path).enumerate();
        let common = levels.take_while(|&(i, (level, decision))| {
            level.decision == *decision && level.is_confined == level.node.confines(&cube.path[i..])
        });
        self.backtrack_to(common.count());
        loop {
            if !self.examine(probing, shared)? {
                return Some(None);
            }
            let path = &cube.path[self.levels.len()..];
            let is_confined = self.node.confines(path);
            let context = if is_confined {
                self.confined_context(path, shared)?
            } else {
                Some(self.node.context.clone())
            };
            let Some(context) = context else {
                self.node.is_dead_end = true;
                return Some(None);
            };
            let Some(&next) = path.first() else {
                return Some(Some(context));
            };
            if !self.decide(next, context, is_confined, &shared.control)? {
                return Some(None);
            }
        }
    }

    /// The node of a region, or of the whole cube, at the present node.
    fn node(&self, cube: Cube, weight: u64, context: Context<W>, options: &Options) -> Node<W> {
        let mut node = Node::root(&self.board, cube, weight, options);
        node.context = context;
        let inherited = self.node.inherited;
        node.probed = inherited.and_then(|inherited| self.prober.branch(inherited));
        node
    }

    /// Undoes all decisions but the first `levels`.
    fn backtrack_to(&mut self, levels: usize) {
        if levels < self.levels.len() {
            let level = self.levels.swap_remove(levels);
            self.board.undo(level.mark);
            self.prober.backtrack(level.prober_mark);
            self.node = level.node;
            self.levels.truncate(levels);
        }
    }

    /// Probes the present node and computes its regions, unless done before: `false` when it has no solution, `None` when stopped.
    fn examine(&mut self, probing: bool, shared: &Shared<'_, W>) -> Option<bool> {
        if self.node.is_dead_end {
            return Some(false);
        }
        if probing && !self.node.is_probed {
            let prober_mark = self.prober.mark();
            let inherited = self.node.inherited.take();
            let (settles, unknown) = (self.board.settles(), self.board.unknown());
            let mut polled_at = settles;
            let stop = |board: &Board<'_, W>| {
                if board.settles() - polled_at >= shared.settles_per_poll {
                    polled_at = board.settles();
                    shared.control.poll();
                }
                shared.control.stopped()
            };
            let probed = self.prober.probe(
                &mut self.board,
                &self.node.context.region,
                inherited,
                between_settles::<W>(&shared.control),
                stop,
            );
            let decided = (unknown - self.board.unknown()) as u64;
            self.decided_by_probing += decided;
            self.decided += decided;
            self.probing_settles += self.board.settles() - settles;
            match probed {
                NodeProbeResult::Contradiction => {
                    self.node.is_dead_end = true;
                    return Some(false);
                }
                NodeProbeResult::Stopped => {
                    self.prober.backtrack(prober_mark);
                    return None;
                }
                NodeProbeResult::Fixpoint(inherited, _) => {
                    self.node.is_probed = true;
                    self.node.inherited = Some(inherited);
                    // The cells decided may split the node further.
                    self.node.regions.clear();
                }
            }
        }
        if shared.options.regions && self.node.regions.is_empty() {
            let mut pace = Pace::new(&shared.control);
            let region = &self.node.context.region;
            let regions = split_unless(&mut self.board, region, || pace.spend(W::BITS as u64))?;
            let regions = regions.into_iter();
            self.node.regions = regions.map(|region| (Arc::new(region), None)).collect();
        }
        Some(true)
    }

    /// The context below a node that confines a cube, with the decisions `path` left, to one region: that region, and those whose lists are
    /// too long to be kept. `Some(None)` when another region has no filling, `None` when stopped.
    fn confined_context(
        &mut self,
        path: &[Decision],
        shared: &Shared<'_, W>,
    ) -> Option<Option<Context<W>>> {
        let mut context = self.node.context.clone();
        let mut to_search = Vec::new();
        for i in 0..self.node.regions.len() {
            let region = Arc::clone(&self.node.regions[i].0);
            if path.iter().any(|decision| region.has(decision.cell)) {
                to_search.push(region);
                continue;
            }
            if self.node.regions[i].1.is_none() {
                self.node.regions[i].1 = Some(self.search_region(region, shared)?);
            }
            match &self.node.regions[i].1 {
                Some(ProductValue::Fillings(fillings)) => {
                    context.multiply(fillings);
                    to_search.extend_from_slice(&fillings.unlisted);
                }
                _ => return Some(None),
            }
        }
        context.region = Arc::new(Region::union(&to_search));
        Some(Some(context))
    }

    /// Searches a region by itself; `None` when the run was stopped.
    fn search_region(
        &self,
        region: Arc<Region<W>>,
        shared: &Shared<'_, W>,
    ) -> Option<ProductValue<W>> {
        let product = Product::new(LeafTarget::Root, 1);
        let (same, options) = (Arc::clone(&region), &shared.collect_options);
        let target = RegionCollector::target_of_region(&product, 0, same, options);
        let context = Context::for_region(region, target);
        let node = self.node(Cube::default(), 0, context, shared.options);
        run_all(shared, node, None);
        let unfinished = || unreachable!("every task of the region has ended");
        let results = product.results_or_store(unfinished)?;
        Some(results.combine()).filter(|value| !matches!(value, ProductValue::Unfinished))
    }

    /// Makes a decision, with this context below it. `Some(false)` is a contradiction, `None` the end of the run; it is then undone.
    fn decide(
        &mut self,
        decision: Decision,
        context: Context<W>,
        is_confined: bool,
        control: &Control,
    ) -> Option<bool> {
        let Decision { cell, filled } = decision;
        let (mark, prober_mark) = (self.board.mark(), self.prober.mark());
        let unknown = self.board.unknown();
        self.board.take_changed();
        let is_consistent = match self.board.known(cell) {
            Some(known) => Some(known == filled),
            None => self.board.decide_under(cell, filled, control),
        };
        if is_consistent != Some(true) {
            self.board.undo(mark);
            return is_consistent;
        }
        self.decided += (unknown - self.board.unknown()) as u64;
        let changed = self.board.take_changed();
        let inherited = self.node.inherited.map(|all| all.after(changed));
        let node = std::mem::replace(&mut self.node, NodeState::new(context, inherited));
        self.levels.push(Level {
            decision,
            mark,
            prober_mark,
            node,
            is_confined,
        });
        Some(true)
    }
}
