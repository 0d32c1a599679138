//! How many nodes the search will take below a board, told by samples.
//!
//! A sample goes down the tree on several paths at once, one for each number of cells that are still unknown, or nearly so: of all
//! nodes met with about as many, one is kept, each as likely as it weighs, and it stands for all their weights together (P. C. Chen,
//! "Heterogeneous sampling: a method for predicting the performance of tree searching programs", SIAM Journal on Computing 21, 1992).
//! In the mean that is exactly the number of nodes. Single random dives (Knuth, 1975) are as true in the mean, but where nearly all
//! of them die soon, they say nothing of the one way that leads on.
//!
//! Regions that know nothing of each other are judged one by one, and added up, as the search takes them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::board::{Board, Cell, Inherited, Probed, Prober, Region, split_unless};
use crate::line::{Known, Word};
use crate::run::{Control, Pace};
use crate::search::narrowest;

/// The largest number of paths in a sample.
const PATHS: usize = 64;

/// Nodes after which a sample ends as it is.
const NODES: u32 = 4096;

/// The fewest samples of a region, and the most; settles after which there are no more than the fewest.
const SAMPLES: (u32, u32) = (1, 8);
const SETTLES: u64 = 20_000;

/// A subtree of which samples say that it has at most the first number of nodes is walked through, for samples may have missed much. The walk
/// ends after the second number of times as many nodes.
const SMALL: f64 = 500.0;
const SURELY: f64 = 4.0;

/// Samples of the root, with probing and without, by which it is judged what the search will do.
const TRIALS: u32 = 4;

/// Probing tells where to branch where it decides at least one in this number of the cells that are decided on the way down.
const GAIN: usize = 5;

/// Settles that a node's probing may take; it is of use without being complete.
const PROBING: u64 = 1 << 20;

/// What probing a node has left for its children.
pub(super) type Left<W> = (Prober<W>, Inherited);

/// Judges how much lies below a board.
#[derive(Clone)]
pub(super) struct SizeJudge<'a, W: Word> {
    pub(super) board: Board<'a, W>,
    prober: Prober<W>,
    control: &'a Control,
    /// Does the search probe, as far as can be seen? Then so do samples.
    probing: bool,
    /// Is it to branch where probing says that it is best?
    probing_leads: bool,
    /// Cells decided in samples by probing, and in all.
    gained: usize,
    decided: usize,
    random: Xoshiro256PlusPlus,
}

/// What a sample has come to.
struct Sample {
    nodes: f64,
    settles: f64,
}

/// A node of a sample.
struct SampleNode<W> {
    rows: Box<[Known<W>]>,
    unknown: usize,
    /// Where it branches, and what its probing has left.
    cell: Cell,
    left: Option<Left<W>>,
}

impl<'a, W: Word> SizeJudge<'a, W> {
    pub(super) fn new(board: Board<'a, W>, control: &'a Control, probing: bool) -> Self {
        SizeJudge {
            board,
            prober: Prober::default(),
            control,
            probing,
            probing_leads: probing,
            gained: 0,
            decided: 0,
            random: Xoshiro256PlusPlus::seed_from_u64(0),
        }
    }

    /// Judges from the present board whether probing makes the search cheaper, as the search itself will find out.
    pub(super) fn try_probing(&mut self, left: Option<&Left<W>>, seed: u64) {
        let (rows, whole) = (self.board.rows().to_vec(), Region::whole(&self.board));
        let [plain, probed] = [false, true].map(|probing| {
            self.probing = probing;
            self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut settles = 0.0;
            for _ in 0..TRIALS {
                if self.control.poll() {
                    break;
                }
                let node = self.node(&whole, left);
                settles += self.sample(node, &whole).settles;
                self.board.set_rows(&rows);
            }
            settles
        });
        self.probing = probed < plain;
        self.probing_leads = self.gained * GAIN >= self.decided;
    }

    /// Probes a node, its parent having left this: `None` when it contradicts. What is decided stays decided.
    pub(super) fn probe(&mut self, left: Option<Left<W>>) -> Option<Option<Left<W>>> {
        let whole = Region::whole(&self.board);
        let mut inherited = None;
        if let Some((prober, of_parent)) = left {
            self.prober = prober;
            inherited = Some(of_parent);
        }
        let probed = self.look(&whole, inherited);
        let result = match probed {
            Probed::Contradiction => None,
            Probed::Stopped => Some(None),
            Probed::Fixpoint(inherited, _) => Some(Some(self.prober.branch(inherited))),
        };
        self.prober.backtrack(0);
        result
    }

    /// The regions that the present board falls apart into; all in one when the run has been stopped.
    pub(super) fn regions(&mut self) -> Vec<Region<W>> {
        let whole = Region::whole(&self.board);
        let mut pace = Pace::new(self.control);
        let regions = split_unless(&mut self.board, &whole, || pace.spend(W::BITS as u64));
        regions.unwrap_or_else(|| vec![whole])
    }

    /// Where to branch in a region of the present board.
    pub(super) fn branch(&self, region: &Region<W>, left: Option<&Left<W>>) -> Cell {
        self.cell(region, left.filter(|_| self.probing_leads))
    }

    /// About how many nodes lie below the present board in one of its regions; the same for the same seed. Where there turned out to be
    /// more than samples say, it is not sure. When the run has been stopped, it is as large as the region.
    pub(super) fn size(
        &mut self,
        region: &Region<W>,
        left: Option<&Left<W>>,
        seed: u64,
    ) -> (f64, bool) {
        if self.control.poll() {
            return (region.size() as f64, true);
        }
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let rows = self.board.rows().to_vec();
        let (mut sum, mut samples, began) = (0.0, 0, self.board.settles());
        while samples < SAMPLES.0 || samples < SAMPLES.1 && self.board.settles() - began < SETTLES {
            let node = self.node(region, left);
            sum += self.sample(node, region).nodes;
            samples += 1;
            self.board.set_rows(&rows);
            if self.control.poll() {
                break;
            }
        }
        let size = sum / f64::from(samples);
        if size > SMALL {
            return (size, true);
        }
        // All samples may have missed a narrow way that leads far.
        let most = SURELY * size + SURELY;
        match self.walk(region, left, most as u64) {
            Some(nodes) => (nodes as f64, true),
            None => (2.0 * most, false),
        }
    }

    /// Walks through all that lies below the present board in one of its regions: how many nodes it took, if they are no more than these.
    fn walk(&mut self, region: &Region<W>, left: Option<&Left<W>>, most: u64) -> Option<u64> {
        let base = self.board.mark();
        let mut inherited = None;
        self.prober.backtrack(0);
        if let Some((prober, of_root)) = left.filter(|_| self.probing) {
            self.prober.clone_from(prober);
            inherited = Some(*of_root);
        }
        let outside = self.board.unknown() - region.unknown(&self.board).count();
        let mut siblings = Vec::new();
        let mut best = Some(self.cell(region, left.filter(|_| self.probing)));
        let (mut alive, mut nodes) = (true, 1);
        let result = loop {
            if nodes > most || self.control.poll() {
                break None;
            }
            nodes += 1;
            let decision = if alive && self.board.unknown() > outside {
                let cell = best.unwrap_or_else(|| narrowest(&self.board, region));
                siblings.push((self.board.mark(), self.prober.mark(), inherited, cell));
                (cell, true)
            } else {
                let Some((mark, records, before, cell)) = siblings.pop() else {
                    break Some(nodes - 1);
                };
                self.board.undo(mark);
                self.prober.backtrack(records);
                inherited = before;
                (cell, false)
            };
            self.board.take_changed();
            alive = self.board.decide(decision.0, decision.1);
            let changed = self.board.take_changed();
            inherited = inherited.map(|inherited: Inherited| inherited.after(changed));
            best = None;
            if alive && self.probing {
                match self.look(region, inherited) {
                    Probed::Contradiction => alive = false,
                    Probed::Stopped => {}
                    Probed::Fixpoint(left, cell) => (inherited, best) = (Some(left), cell),
                }
            }
        };
        self.board.undo(base);
        self.prober.backtrack(0);
        result
    }

    /// Where to branch in a region: where probing says that it is best, or else where the search would without it.
    fn cell(&self, region: &Region<W>, left: Option<&Left<W>>) -> Cell {
        let best = left.and_then(|(prober, inherited)| prober.best(*inherited, region));
        best.unwrap_or_else(|| narrowest(&self.board, region))
    }

    /// The present board, to begin a sample of a region with.
    fn node(&self, region: &Region<W>, left: Option<&Left<W>>) -> SampleNode<W> {
        let left = left.filter(|_| self.probing);
        SampleNode {
            rows: self.board.rows().into(),
            unknown: region.unknown(&self.board).count(),
            cell: self.cell(region, left),
            left: left.cloned(),
        }
    }

    /// A sample of what lies below a node, in one region. The board is left anywhere.
    fn sample(&mut self, root: SampleNode<W>, region: &Region<W>) -> Sample {
        let most = root.unknown.max(1);
        let mut paths = BTreeMap::from([(PATHS, (root, 1.0))]);
        let (mut sum, mut met) = (
            Sample {
                nodes: 1.0,
                settles: 0.0,
            },
            0,
        );
        while met < NODES && !self.control.poll() {
            let Some((_, (node, weight))) = paths.pop_last() else {
                break;
            };
            self.board.set_rows(&node.rows);
            let (mark, before) = (self.board.mark(), self.board.unknown());
            for filled in [true, false] {
                met += 1;
                let settles = self.board.settles();
                let (alive, left, cell) = self.step(node.cell, filled, node.left.as_ref(), region);
                sum.nodes += weight;
                sum.settles += weight * (self.board.settles() - settles) as f64;
                let unknown = node.unknown - (before - self.board.unknown());
                if alive && unknown > 0 {
                    let all = match paths.get(&(unknown * PATHS / most)) {
                        Some((_, others)) => others + weight,
                        None => weight,
                    };
                    // 53 bits are what the mantissa of a number below 1 holds.
                    let chance = (self.random.next_u64() >> 11) as f64 * 2f64.powi(-53);
                    match paths.entry(unknown * PATHS / most) {
                        Entry::Occupied(mut path) if chance * all >= weight => {
                            path.get_mut().1 = all
                        }
                        _ => {
                            let cell = cell.unwrap_or_else(|| narrowest(&self.board, region));
                            let node = SampleNode {
                                rows: self.board.rows().into(),
                                unknown,
                                cell,
                                left: left.map(|left| self.prober.branch(left)),
                            };
                            paths.insert(unknown * PATHS / most, (node, all));
                        }
                    }
                }
                self.board.undo(mark);
            }
        }
        sum.nodes += paths.into_values().map(|(_, weight)| weight).sum::<f64>();
        sum
    }

    /// Goes to one side of a branch: is there no contradiction, what has its probing left, and where is it best to branch?
    fn step(
        &mut self,
        cell: Cell,
        filled: bool,
        left: Option<&Left<W>>,
        region: &Region<W>,
    ) -> (bool, Option<Inherited>, Option<Cell>) {
        self.board.take_changed();
        let before = self.board.unknown();
        if !self.board.decide(cell, filled) {
            return (false, None, None);
        }
        if !self.probing {
            return (true, None, None);
        }
        let changed = self.board.take_changed();
        let inherited = left.map(|(prober, inherited)| {
            self.prober = prober.clone();
            inherited.after(changed)
        });
        let unknown = self.board.unknown();
        let probed = self.look(region, inherited);
        self.gained += unknown - self.board.unknown();
        self.decided += before - self.board.unknown();
        match probed {
            Probed::Contradiction => (false, None, None),
            Probed::Stopped => (true, None, None),
            Probed::Fixpoint(inherited, cell) => (true, Some(inherited), cell),
        }
    }

    fn look(&mut self, region: &Region<W>, inherited: Option<Inherited>) -> Probed {
        let limit = self.board.settles() + PROBING;
        let control = self.control;
        if inherited.is_none() {
            self.prober.backtrack(0);
        }
        let stop = |board: &Board<'_, W>| control.poll() || board.settles() >= limit;
        self.prober.probe(&mut self.board, region, inherited, stop)
    }
}
