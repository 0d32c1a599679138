//! Estimates by sampling how many nodes the search tree below a board has.
//!
//! A sample follows several paths down the tree at once. The nodes that it visits are grouped by their number of unknown cells, in
//! [`MAX_PATHS`] strata. Of each stratum one node is kept, with a probability proportional to its weight, and it stands for the weight
//! of all (P. C. Chen, "Heterogeneous sampling: a method for predicting the performance of tree searching programs", SIAM Journal on
//! Computing 21, 1992). The estimate is unbiased. So are single random descents (Knuth, 1975), but when nearly all of them end early,
//! they miss the few paths that lead deep.
//!
//! Independent regions are estimated one by one and their sizes added, as the search treats them one by one.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::board::{
    Board, NodeProbeResult, NodeRecords, Prober, Region, between_settles, split_unless,
};
use crate::line::{Known, Word};
use crate::puzzle::Cell;
use crate::run::{Control, Pace};
use crate::search::narrowest_cell;

/// Largest number of simultaneous paths in a sample: the number of strata.
const MAX_PATHS: usize = 64;

/// Nodes after which a sample ends, even if paths are still open.
const MAX_SAMPLE_NODES: u32 = 4096;

/// Minimum and maximum number of samples of a region, and the settles after which no more than the minimum are taken.
const MIN_SAMPLES: u32 = 1;
const MAX_SAMPLES: u32 = 8;
const MAX_SAMPLING_SETTLES: u64 = 20_000;

/// If the estimated size of a subtree is at most `MAX_ENUMERATED_SIZE` nodes, the subtree is enumerated, because samples may have missed
/// much of it. The enumeration ends after about `ENUMERATION_FACTOR` times the estimate.
const MAX_ENUMERATED_SIZE: f64 = 500.0;
const ENUMERATION_FACTOR: f64 = 4.0;

/// Number of samples of the root with probing, and number without, from which it is predicted whether the search will probe.
const PROBING_TRIALS: u32 = 4;

/// Probing chooses the branch cell if it decides at least one in `PROBING_GAIN_DIVISOR` of the cells that are decided in samples.
const PROBING_GAIN_DIVISOR: usize = 5;

/// Maximum settles for probing one node; incomplete probing is useful too.
const MAX_PROBE_SETTLES: u64 = 1 << 20;

/// The results of probing a node that its children can reuse.
pub(super) type ProbeState<W> = (Prober<W>, NodeRecords);

/// Estimates the size of the search tree below a board.
#[derive(Clone)]
pub(super) struct SizeEstimator<'a, W: Word> {
    pub(super) board: Board<'a, W>,
    prober: Prober<W>,
    pub(super) control: &'a Control,
    /// Whether the search is predicted to probe, so that samples probe too.
    probing: bool,
    /// Whether probing chooses the branch cell.
    probing_chooses_branch: bool,
    /// Cells decided in samples: by probing alone, and in all.
    decided_by_probing: usize,
    decided: usize,
    random: Xoshiro256PlusPlus,
}

/// A node of a sample.
struct SampleNode<W> {
    rows: Box<[Known<W>]>,
    unknown: usize,
    /// The cell to branch on, and the results of its probing.
    cell: Cell,
    state: Option<ProbeState<W>>,
}

impl<'a, W: Word> SizeEstimator<'a, W> {
    pub(super) fn new(
        board: Board<'a, W>,
        prober: Prober<W>,
        control: &'a Control,
        probing: bool,
    ) -> Self {
        SizeEstimator {
            board,
            prober,
            control,
            probing,
            probing_chooses_branch: probing,
            decided_by_probing: 0,
            decided: 0,
            random: Xoshiro256PlusPlus::seed_from_u64(0),
        }
    }

    /// Predicts by samples from the present board whether probing makes the search cheaper, which the search itself measures.
    pub(super) fn predict_probing(&mut self, state: Option<&ProbeState<W>>, seed: u64) {
        let (rows, whole) = (self.board.rows().to_vec(), Region::whole(&self.board));
        let [plain, probed] = [false, true].map(|probing| {
            self.probing = probing;
            self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut settles = 0.0;
            for _ in 0..PROBING_TRIALS {
                if self.control.poll() {
                    break;
                }
                let node = self.node(&whole, state);
                let (_, more) = self.sample(node, &whole);
                settles += more;
                self.board.set_rows(&rows);
            }
            settles
        });
        self.probing = probed < plain;
        self.probing_chooses_branch =
            self.decided_by_probing * PROBING_GAIN_DIVISOR >= self.decided;
    }

    /// Probes a node on the board, reusing the results of its parent. `None` is a contradiction; `Some(None)` means that it was stopped.
    pub(super) fn probe(&mut self, state: Option<ProbeState<W>>) -> Option<Option<ProbeState<W>>> {
        let whole = Region::whole(&self.board);
        let inherited = state.map(|(prober, inherited)| {
            self.prober = prober;
            inherited
        });
        let outcome = match self.probe_region(&whole, inherited) {
            NodeProbeResult::Contradiction => None,
            NodeProbeResult::Stopped => Some(None),
            NodeProbeResult::Fixpoint(inherited, _) => Some(self.prober.branch(inherited)),
        };
        self.prober.clear();
        outcome
    }

    /// The independent regions of the present board; a single one when the run has been stopped.
    pub(super) fn regions(&mut self) -> Vec<Region<W>> {
        let whole = Region::whole(&self.board);
        let mut pace = Pace::new(self.control);
        let regions = split_unless(&mut self.board, &whole, || pace.spend(W::BITS as u64));
        regions.unwrap_or_else(|| vec![whole])
    }

    /// The cell to branch on in a region of the present board.
    pub(super) fn choose_cell(&self, region: &Region<W>, state: Option<&ProbeState<W>>) -> Cell {
        self.best_cell(region, state.filter(|_| self.probing_chooses_branch))
    }

    /// The estimated number of nodes below the present board in one of its regions, deterministic for a seed, and whether it is reliable:
    /// it is not if the enumeration of a small tree was cut off. When the run has been stopped, the result is the size of the region.
    pub(super) fn size(
        &mut self,
        region: &Region<W>,
        state: Option<&ProbeState<W>>,
        seed: u64,
    ) -> (f64, bool) {
        if self.control.poll() {
            return (region.size() as f64, true);
        }
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let rows = self.board.rows().to_vec();
        let (mut sum, mut samples, settles_before) = (0.0, 0, self.board.settles());
        while samples < MIN_SAMPLES
            || samples < MAX_SAMPLES && self.board.settles() - settles_before < MAX_SAMPLING_SETTLES
        {
            let node = self.node(region, state);
            let (nodes, _) = self.sample(node, region);
            sum += nodes;
            samples += 1;
            self.board.set_rows(&rows);
            if self.control.poll() {
                break;
            }
        }
        let size = sum / f64::from(samples);
        if size > MAX_ENUMERATED_SIZE {
            return (size, true);
        }
        // All samples may have missed a narrow path that leads deep.
        let max_nodes = ENUMERATION_FACTOR * size + ENUMERATION_FACTOR;
        match self.enumerate(region, state, max_nodes as u64) {
            Some(nodes) => (nodes as f64, true),
            None => (2.0 * max_nodes, false),
        }
    }

    /// Enumerates the tree below the present board in one of its regions: the number of its nodes, or `None` if there are more than
    /// `max_nodes` or the run has been stopped.
    fn enumerate(
        &mut self,
        region: &Region<W>,
        state: Option<&ProbeState<W>>,
        max_nodes: u64,
    ) -> Option<u64> {
        let base = self.board.mark();
        self.prober.clear();
        let mut inherited = state.filter(|_| self.probing).map(|(prober, inherited)| {
            self.prober.clone_from(prober);
            *inherited
        });
        let outside = self.board.unknown() - region.unknown(&self.board).count();
        let mut siblings = Vec::new();
        let mut best = Some(self.best_cell(region, state.filter(|_| self.probing)));
        let (mut is_consistent, mut nodes) = (true, 1);
        let outcome = loop {
            if nodes > max_nodes || self.control.poll() {
                break None;
            }
            nodes += 1;
            let (cell, filled) = if is_consistent && self.board.unknown() > outside {
                let cell = best.unwrap_or_else(|| narrowest_cell(&self.board, region));
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
            // If the run has ended, the loop does too.
            is_consistent = self.board.decide_under(cell, filled, self.control) != Some(false);
            let changed = self.board.take_changed();
            inherited = inherited.map(|inherited: NodeRecords| inherited.after(changed));
            best = None;
            if is_consistent && self.probing {
                match self.probe_region(region, inherited) {
                    NodeProbeResult::Contradiction => is_consistent = false,
                    NodeProbeResult::Stopped => {}
                    NodeProbeResult::Fixpoint(records, cell) => {
                        (inherited, best) = (Some(records), cell)
                    }
                }
            }
        };
        self.board.undo(base);
        self.prober.clear();
        outcome
    }

    /// The cell to branch on in a region: the best by the results of probing, or else the one that the search takes without probing.
    fn best_cell(&self, region: &Region<W>, state: Option<&ProbeState<W>>) -> Cell {
        let best = state.and_then(|(prober, inherited)| prober.best(*inherited, region));
        best.unwrap_or_else(|| narrowest_cell(&self.board, region))
    }

    /// The present board as the root of a sample of a region.
    fn node(&self, region: &Region<W>, state: Option<&ProbeState<W>>) -> SampleNode<W> {
        let state = state.filter(|_| self.probing);
        SampleNode {
            rows: self.board.rows().into(),
            unknown: region.unknown(&self.board).count(),
            cell: self.best_cell(region, state),
            state: state.cloned(),
        }
    }

    /// Takes one sample of the tree below a node, in one region: the estimated numbers of nodes and settles. It leaves the board in an
    /// arbitrary state.
    fn sample(&mut self, root: SampleNode<W>, region: &Region<W>) -> (f64, f64) {
        let root_unknown = root.unknown.max(1);
        let mut paths = BTreeMap::from([(MAX_PATHS, (root, 1.0))]);
        let (mut nodes, mut settles, mut visited) = (1.0, 0.0, 0);
        while visited < MAX_SAMPLE_NODES && !self.control.poll() {
            let Some((_, (node, weight))) = paths.pop_last() else {
                break;
            };
            self.board.set_rows(&node.rows);
            let (mark, before) = (self.board.mark(), self.board.unknown());
            for filled in [true, false] {
                visited += 1;
                let settles_before = self.board.settles();
                let (is_consistent, inherited, cell) =
                    self.step(node.cell, filled, node.state.as_ref(), region);
                nodes += weight;
                settles += weight * (self.board.settles() - settles_before) as f64;
                let unknown = node.unknown - (before - self.board.unknown());
                if is_consistent && unknown > 0 {
                    let stratum = unknown * MAX_PATHS / root_unknown;
                    let others = paths.get(&stratum).map_or(0.0, |(_, others)| *others);
                    let total_weight = others + weight;
                    // Uniform in [0, 1): 53 bits fill the mantissa.
                    let chance = (self.random.next_u64() >> 11) as f64 * 2f64.powi(-53);
                    let keeps = chance * total_weight >= weight;
                    if let Some(path) = paths.get_mut(&stratum).filter(|_| keeps) {
                        path.1 = total_weight;
                    } else {
                        let node = SampleNode {
                            rows: self.board.rows().into(),
                            unknown,
                            cell: cell.unwrap_or_else(|| narrowest_cell(&self.board, region)),
                            state: inherited.and_then(|inherited| self.prober.branch(inherited)),
                        };
                        paths.insert(stratum, (node, total_weight));
                    }
                }
                self.board.undo(mark);
            }
        }
        let open: f64 = paths.into_values().map(|(_, weight)| weight).sum();
        (nodes + open, settles)
    }

    /// Goes to one side of a branch. Returns whether it is free of contradiction, the results of its probing for its children, and the
    /// best cell to branch on next.
    fn step(
        &mut self,
        cell: Cell,
        filled: bool,
        state: Option<&ProbeState<W>>,
        region: &Region<W>,
    ) -> (bool, Option<NodeRecords>, Option<Cell>) {
        self.board.take_changed();
        let before = self.board.unknown();
        match self.board.decide_under(cell, filled, self.control) {
            Some(true) => {}
            Some(false) => return (false, None, None),
            None => return (true, None, None),
        }
        if !self.probing {
            return (true, None, None);
        }
        let changed = self.board.take_changed();
        let inherited = state.map(|(prober, inherited)| {
            self.prober = prober.clone();
            inherited.after(changed)
        });
        let unknown = self.board.unknown();
        let probed = self.probe_region(region, inherited);
        self.decided_by_probing += unknown - self.board.unknown();
        self.decided += before - self.board.unknown();
        match probed {
            NodeProbeResult::Contradiction => (false, None, None),
            NodeProbeResult::Stopped => (true, None, None),
            NodeProbeResult::Fixpoint(inherited, cell) => (true, Some(inherited), cell),
        }
    }

    fn probe_region(
        &mut self,
        region: &Region<W>,
        inherited: Option<NodeRecords>,
    ) -> NodeProbeResult {
        let limit = self.board.settles() + MAX_PROBE_SETTLES;
        let control = self.control;
        if inherited.is_none() {
            self.prober.clear();
        }
        self.prober.probe(
            &mut self.board,
            region,
            inherited,
            between_settles::<W>(control),
            |board| control.poll() || board.settles() >= limit,
        )
    }
}
