//! Cubes searched one after the other, each with an answer of its own.
//!
//! A run over many small cubes must not pay again for what they have in common. So the puzzle is set up and its root propagated once,
//! the decisions that a cube shares with the one before it stay made, with all that probing has shown on the way, and what was learnt of
//! probing and of rests is passed on.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::queue::SegQueue;

use super::cube::{Cube, Decision};
use super::meter::WHOLE;
use super::options::{Options, Probing};
use super::outcome::Outcome;
use super::probing_policy::ProbingPolicy;
use super::product::{Held, ProductValue, RegionSearch};
use super::task::{Context, Goal, Node, Product, Rests, Shared, Task};
use super::tree::{Search, conclude};
use crate::board::{Board, Clues, Inherited, Probed, Prober, Region, split_unless};
use crate::line::{Word, by_width};
use crate::run::{Control, Limits, Pace};
use crate::solutions::{Count, Factor, Sink};

/// Searches one cube within these limits, on the calling thread.
pub type Ask<'f> = dyn FnMut(&Cube, &Limits, &dyn Sink) -> Outcome + 'f;

impl Search<'_> {
    /// Does some work that searches cubes one after the other, in any order, each with limits and a sink of its own. The limits and
    /// cubes of the search itself are not looked at.
    ///
    /// Cubes that follow each other in the tree cost least.
    ///
    /// ```
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::search::{Cube, Limits, Search};
    /// use omnogram::solutions::CountSink;
    ///
    /// let ones = vec![Clue::new([1])?; 4];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let outcome = Search::new(&puzzle).apart(|ask| ask(&Cube::default(), &Limits::default(), &CountSink::new()));
    /// assert_eq!(outcome.solutions.to_string(), "24");
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// When a cube decides a cell outside the puzzle.
    pub fn apart<T>(&self, work: impl FnOnce(&mut Ask<'_>) -> T) -> T {
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.each::<W, T>(work))
    }

    fn each<W: Word, T>(&self, work: impl FnOnce(&mut Ask<'_>) -> T) -> T {
        let clues = Clues::new(self.puzzle);
        let mut place = Place::<W>::new(&clues);
        let sums = self.puzzle.sums();
        let mut rests: SegQueue<Rests> = SegQueue::new();
        let (mut policy, mut memory, mut spent) = (None, None, 0);
        work(&mut |cube, limits, sink| {
            let control = Arc::new(Control::new(limits, false));
            let mut shared = self.shared::<W>(&clues, &control, sink, None, 1);
            shared.rests = std::mem::take(&mut rests);
            shared.policy = Mutex::new(policy);
            // What is kept from cube to cube is counted in one place.
            let memory = memory.get_or_insert_with(|| Arc::clone(&shared.collecting.memory));
            shared.collecting.memory = Arc::clone(memory);
            let (settles, probes) = (place.board.settles(), place.prober.probes());
            let probing = match self.options.probing {
                Probing::Always => true,
                Probing::Root | Probing::Never => false,
                Probing::Adaptive => {
                    policy.as_ref().is_none_or(ProbingPolicy::probing) || place.may_probe(spent)
                }
            };
            let go = match sums.0 == sums.1 {
                true => place.go_to(cube, &shared, probing),
                false => Some(None),
            };
            // Only a run that was stopped leaves it undecided.
            if go.is_none() {
                shared.cubes.push((cube.clone(), WHOLE));
            }
            if let Ok(totals) = shared.totals.get_mut() {
                totals.0.settles += place.board.settles() - settles;
                totals.0.probes += place.prober.probes() - probes;
            }
            match go {
                None => shared.meter.add(0, 1),
                Some(None) => shared.meter.add(WHOLE, 1),
                Some(Some(rest)) => run(&shared, place.node(cube, rest, &self.options)),
            }
            rests = std::mem::take(&mut shared.rests);
            policy = *shared.policy.lock().unwrap_or_else(PoisonError::into_inner);
            let outcome = conclude(shared);
            spent += outcome.statistics.settles;
            outcome
        })
    }
}

/// Searches a node and all that comes of it.
fn run<W: Word>(shared: &Shared<'_, W>, node: Node<W>) {
    Task::run(shared, node, None, None);
    while let Some(node) = shared.pending.pop() {
        Task::run(shared, node, None, None);
    }
}

/// Probing on the way to a cube is worth its cost where it decides at least one in this number of the cells that are decided there.
const GAIN: u64 = 5;

/// It is also worth its cost where it takes at most one in this number of all settles.
const CHEAP: u64 = 20;

/// Where in the tree the board is: at the root of the last cube.
struct Place<'a, W: Word> {
    board: Board<'a, W>,
    prober: Prober<W>,
    /// Whether the root holds, once that is known.
    propagated: Option<bool>,
    /// The decisions that are made.
    steps: Vec<Step<W>>,
    here: Here<W>,
    /// Are pictures wanted of what was searched by itself?
    grids: bool,
    /// Cells decided on all ways so far by probing, and in all; and the settles that probing has taken.
    gained: u64,
    decided: u64,
    probing: u64,
}

/// A decision, and what there was before it.
struct Step<W: Word> {
    decision: Decision,
    /// Where the board was, and the prober's records.
    mark: usize,
    records: usize,
    here: Here<W>,
    /// Was anything left away that falls apart from this decision and all that follow?
    parts: bool,
}

/// What is known of a node.
struct Here<W: Word> {
    rest: Rest<W>,
    probed: bool,
    /// It holds no solution.
    dead: bool,
    /// What the last node on the way that was probed has left.
    inherited: Option<Inherited>,
    /// The regions that it falls apart into, once that is known, and how those came out that were searched by themselves.
    regions: Vec<(Arc<Region<W>>, Option<RegionResults>)>,
}

impl<W: Word> Here<W> {
    fn new(rest: Rest<W>, inherited: Option<Inherited>) -> Self {
        Here {
            rest,
            probed: false,
            dead: false,
            inherited,
            regions: Vec::new(),
        }
    }

    /// Do these decisions lie in one of several regions, so that all others can be searched by themselves? The first one says in which.
    fn parts(&self, path: &[Decision]) -> bool {
        let touched = |i: &usize| {
            let region = &self.regions[*i].0;
            path.iter().any(|decision| region.has(decision.cell))
        };
        let has = |next: &Decision| self.regions.iter().any(|(region, _)| region.has(next.cell));
        self.regions.len() > 1
            && path.first().is_some_and(has)
            && (0..self.regions.len()).filter(touched).count() == 1
    }
}

/// What is to be searched at a node, and what has fallen apart from it on the way and was searched by itself.
#[derive(Clone)]
struct Rest<W: Word> {
    region: Arc<Region<W>>,
    apart: RegionResults,
}

/// How regions came out.
#[derive(Clone)]
struct RegionResults {
    factors: Vec<Arc<Factor>>,
    /// The memory that those take.
    held: Vec<Arc<Held>>,
    number: Count,
    /// There are too many fillings to be kept, so that it is to be searched again and again.
    open: bool,
}

impl RegionResults {
    fn nothing() -> Self {
        RegionResults {
            factors: Vec::new(),
            held: Vec::new(),
            number: Count::ONE,
            open: false,
        }
    }
}

impl<'a, W: Word> Place<'a, W> {
    fn new(clues: &'a Clues) -> Self {
        let board = Board::new(clues);
        let rest = Rest {
            region: Arc::new(Region::whole(&board)),
            apart: RegionResults::nothing(),
        };
        Place {
            board,
            prober: Prober::default(),
            propagated: None,
            steps: Vec::new(),
            here: Here::new(rest, None),
            grids: false,
            gained: 0,
            decided: 0,
            probing: 0,
        }
    }

    /// Is probing the way to a cube worth its while, where the search itself has given it up? It tells what falls apart, and once for many.
    fn may_probe(&self, spent: u64) -> bool {
        GAIN * self.gained >= self.decided || CHEAP * self.probing <= spent
    }

    /// Goes to the root of a cube: what is to be searched there? Nothing, if the cube is empty. `None` when the run was stopped on the
    /// way.
    ///
    /// If `probing`, the nodes on the way are probed, as the search itself does it; so nobody below has to do it all again. Likewise
    /// what falls apart from all that the cube decides is searched once, and not for every cube.
    fn go_to(
        &mut self,
        cube: &Cube,
        shared: &Shared<'_, W>,
        probing: bool,
    ) -> Option<Option<Rest<W>>> {
        if !self.propagate(shared)? {
            return Some(None);
        }
        if self.grids != shared.collecting.grids {
            self.grids = shared.collecting.grids;
            self.back_to(0);
            self.here.regions.clear();
        }
        let same = self.steps.iter().zip(&cube.path).enumerate();
        let same = same.take_while(|(i, (step, decision))| {
            step.decision == **decision && step.parts == step.here.parts(&cube.path[*i..])
        });
        self.back_to(same.count());
        loop {
            if !self.look(probing, shared)? {
                return Some(None);
            }
            let path = &cube.path[self.steps.len()..];
            let Some(rest) = self.rest(path, shared)? else {
                self.here.dead = true;
                return Some(None);
            };
            let Some(&next) = path.first() else {
                return Some(Some(rest));
            };
            if !self.decide(next, rest, self.here.parts(path)) {
                return Some(None);
            }
        }
    }

    /// A cube whose root is here.
    fn node(&self, cube: &Cube, rest: Rest<W>, options: &Options) -> Node<W> {
        let mut node = Node::root(&self.board, cube.clone(), WHOLE, options);
        let inherited = self.here.inherited;
        node.probed = inherited.map(|inherited| self.prober.branch(inherited));
        let RegionResults {
            factors,
            held,
            number,
            ..
        } = rest.apart;
        node.context = Context {
            factors,
            held,
            number,
            ..Context::apart(rest.region, Goal::Root)
        };
        node
    }

    /// Propagates the root.
    fn propagate(&mut self, shared: &Shared<'_, W>) -> Option<bool> {
        if self.propagated.is_none() {
            // What has been settled of it stays.
            let mut settles = 0u64;
            self.propagated = self.board.propagate_unless(|| {
                settles += 1;
                if settles.is_multiple_of(shared.breath) {
                    shared.control.poll();
                }
                shared.control.stopped()
            });
            if self.propagated.is_none() {
                self.board = Board::new(self.board.clues());
            }
        }
        self.propagated
    }

    /// Takes all decisions back but the first ones.
    fn back_to(&mut self, steps: usize) {
        if steps < self.steps.len() {
            let step = self.steps.swap_remove(steps);
            self.board.undo(step.mark);
            self.prober.backtrack(step.records);
            self.here = step.here;
            self.steps.truncate(steps);
        }
    }

    /// Looks at the present node, if that has not been done: `false` when it holds no solution.
    fn look(&mut self, probing: bool, shared: &Shared<'_, W>) -> Option<bool> {
        if self.here.dead {
            return Some(false);
        }
        if probing && !self.here.probed {
            let records = self.prober.mark();
            let inherited = self.here.inherited.take();
            let (settles, unknown) = (self.board.settles(), self.board.unknown());
            let mut looked = settles;
            let stop = |board: &Board<'_, W>| {
                if board.settles() - looked >= shared.breath {
                    looked = board.settles();
                    shared.control.poll();
                }
                shared.control.stopped()
            };
            let region = &self.here.rest.region;
            let probed = self.prober.probe(&mut self.board, region, inherited, stop);
            let decided = (unknown - self.board.unknown()) as u64;
            self.gained += decided;
            self.decided += decided;
            self.probing += self.board.settles() - settles;
            match probed {
                Probed::Contradiction => {
                    self.here.dead = true;
                    return Some(false);
                }
                Probed::Stopped => {
                    self.prober.backtrack(records);
                    return None;
                }
                Probed::Fixpoint(inherited, _) => {
                    self.here.probed = true;
                    self.here.inherited = Some(inherited);
                    // There may be more of them now.
                    self.here.regions.clear();
                }
            }
        }
        if shared.options.regions && self.here.regions.is_empty() {
            let region = &self.here.rest.region;
            let mut pace = Pace::new(&shared.control);
            let stop = || pace.spend(W::BITS as u64);
            let regions = split_unless(&mut self.board, region, stop)?;
            let regions = regions.into_iter().map(|region| (Arc::new(region), None));
            self.here.regions = regions.collect();
        }
        Some(true)
    }

    /// What is to be searched for a cube whose path goes on so: the region in which that lies, if it lies in one, and all others are
    /// searched by themselves. Nothing, if one of those holds nothing.
    fn rest(&mut self, path: &[Decision], shared: &Shared<'_, W>) -> Option<Option<Rest<W>>> {
        let mut rest = self.here.rest.clone();
        if !self.here.parts(path) {
            return Some(Some(rest));
        }
        let mut open = Vec::new();
        for i in 0..self.here.regions.len() {
            let (region, found) = &self.here.regions[i];
            let region = Arc::clone(region);
            if path.iter().any(|decision| region.has(decision.cell)) {
                open.push(region);
                continue;
            }
            let found = match found {
                Some(found) => found.clone(),
                None => {
                    let found = self.search(&region, shared)?;
                    self.here.regions[i].1 = Some(found.clone());
                    found
                }
            };
            if found.number.is_zero() {
                return Some(None);
            }
            if found.open {
                open.push(region);
            }
            rest.apart.factors.extend(found.factors);
            rest.apart.held.extend(found.held);
            rest.apart.number *= &found.number;
        }
        rest.region = Arc::new(Region::union(&open));
        Some(Some(rest))
    }

    /// Searches a region by itself; `None` when the run was stopped.
    fn search(&self, region: &Arc<Region<W>>, shared: &Shared<'_, W>) -> Option<RegionResults> {
        let product = Product::new(Goal::Root, 1);
        let width = shared.clues.width();
        let goal = RegionSearch::goal(&product, 0, Arc::clone(region), width, &shared.collecting);
        let mut node = Node::root(&self.board, Cube::default(), 0, shared.options);
        node.context = Context::apart(Arc::clone(region), goal);
        let inherited = self.here.inherited;
        node.probed = inherited.map(|inherited| self.prober.branch(inherited));
        run(shared, node);
        let results = product.join(|| unreachable!("all that belongs to it has ended"))?;
        let mut found = RegionResults::nothing();
        match results.worth() {
            ProductValue::Unknown => return None,
            ProductValue::Nothing => found.number = Count::ZERO,
            ProductValue::Factors {
                lists,
                number,
                open,
            } => {
                (found.factors, found.held) = lists.into_iter().unzip();
                found.number = number;
                found.open = !open.is_empty();
            }
        }
        Some(found)
    }

    /// Makes a decision, with this to be searched below it; `false` when it contradicts, and then it is not made.
    fn decide(&mut self, decision: Decision, rest: Rest<W>, parts: bool) -> bool {
        let Decision { cell, filled } = decision;
        let (mark, records) = (self.board.mark(), self.prober.mark());
        let unknown = self.board.unknown();
        self.board.take_changed();
        if self.board.follow([(cell, filled)], || false) != Some(true) {
            self.board.undo(mark);
            return false;
        }
        self.decided += (unknown - self.board.unknown()) as u64;
        let changed = self.board.take_changed();
        let inherited = self.here.inherited.map(|all| all.after(changed));
        let here = std::mem::replace(&mut self.here, Here::new(rest, inherited));
        self.steps.push(Step {
            decision,
            mark,
            records,
            here,
            parts,
        });
        true
    }
}
