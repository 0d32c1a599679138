//! Cuts a puzzle into cubes of about the same size.
//!
//! The largest cubes are cut in two until there are enough. How large one is, in nodes, is told by random dives below it (Knuth,
//! "Estimating the efficiency of backtrack programs", 1975): a dive takes either side of a branch at random, and a node that it meets on a
//! path of probability `p` stands for `1/p`. No clock is looked at, so that the same puzzle and options give the same cubes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::board::{Board, Cell, Clues, Probed, Prober, Region, split};
use crate::line::{Known, Wide, Word};
use crate::puzzle::Puzzle;
use crate::search::{Control, Cube, Decision, Limits, Options, Search, narrowest};
use crate::solutions::{Counter, Stop};

/// Cubes that are cut side by side. The number says which are cut, so that it must not depend on the machine.
const AT_ONCE: usize = 32;

/// Dives below a cube, settles after which there are no more of them, and the fewest that there are all the same.
const DIVES: u32 = 24;
const SETTLES: u64 = 100_000;
const FEWEST: u32 = 6;

/// A side that is alive is taken at least so often.
const UNLIKELY: f64 = 0.1;

/// The fewest and the most nodes for which a cube is begun.
const LEAST: u64 = 16;
const MOST: u64 = 1000;

/// A cube that is not soon done with is at most so many times smaller than its parent.
const DROP: f64 = 8.0;

/// Dives from the root, by which it is judged whether probing is of use, and settles after which there are no more.
const TRIALS: (u32, u64) = (32, 400_000);

/// It is of use where it decides at least one in so many of the cells that are decided on the way down.
const GAIN: usize = 5;

/// Settles that a node's probing may take; it is of use without being complete.
const PROBING: u64 = 1 << 20;

/// How to cut a puzzle.
#[derive(Clone, Debug)]
pub struct Splitting<'a> {
    puzzle: &'a Puzzle,
    cubes: usize,
    within: Cube,
    seed: u64,
    limits: Limits,
}

/// What a puzzle was cut into.
#[derive(Clone, Debug)]
pub struct Split {
    /// Cubes, and about how many nodes each will take. They are disjoint, and hold every solution.
    pub cubes: Vec<(Cube, f64)>,
    /// Cubes in which all is decided, among these.
    pub solved: usize,
    /// Cubes that were seen to hold no solution, and left away.
    pub refuted: usize,
    /// Why it ended before there were enough, if it did not for want of anything to cut.
    pub stopped: Option<Stop>,
}

impl<'a> Splitting<'a> {
    /// Into so many cubes, or one more; fewer where there is nothing left to cut.
    ///
    /// It works on the threads of the rayon pool that it is run in.
    pub fn new(puzzle: &'a Puzzle, cubes: usize) -> Self {
        Splitting {
            puzzle,
            cubes,
            within: Cube::default(),
            seed: 1,
            limits: Limits::default(),
        }
    }

    /// Of this cube only. It must be inside the puzzle.
    #[must_use]
    pub fn within(mut self, cube: Cube) -> Self {
        self.within = cube;
        self
    }

    /// With random numbers from this seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Within these limits, of which only those on time and by interrupts are looked at. What there is then is as good an answer with
    /// fewer cubes.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Cuts.
    pub fn run(&self) -> Split {
        match self.puzzle.width().max(self.puzzle.height()) {
            0..=64 => self.drive::<u64>(true),
            65..=128 => self.drive::<u128>(true),
            129..=512 => self.drive::<Wide<8>>(true),
            _ => self.drive::<Wide<64>>(true),
        }
    }

    /// Cuts at once and by propagation alone, where there is no time for judging: whoever is to stop hands back pieces so.
    pub fn rough(&self) -> Split {
        match self.puzzle.width().max(self.puzzle.height()) {
            0..=64 => self.drive::<u64>(false),
            65..=128 => self.drive::<u128>(false),
            129..=512 => self.drive::<Wide<8>>(false),
            _ => self.drive::<Wide<64>>(false),
        }
    }

    fn drive<W: Word>(&self, judging: bool) -> Split {
        let clues = Clues::new(self.puzzle);
        let control = Control::new(&self.limits, false);
        let mut cutter = Cutter {
            board: Board::<W>::new(&clues),
            prober: Prober::default(),
            control: &control,
            judging,
            probing: judging,
            gained: 0,
            decided: 0,
            begin: LEAST,
            interrupt: self.limits.interrupt.clone(),
            search: Search::new(self.puzzle).options(Options {
                rests: false,
                ..Options::default()
            }),
            seed: self.seed,
        };
        let mut result = Split {
            cubes: Vec::new(),
            solved: 0,
            refuted: 0,
            stopped: None,
        };
        let (rows, columns) = self.puzzle.sums();
        let alive = rows == columns && cutter.go_to(&self.within);
        let root = alive.then(|| cutter.root(self.within.clone())).flatten();
        let Some(root) = root else {
            // One cube says so.
            result.cubes.push((self.within.clone(), 1.0));
            return result;
        };
        let (mut open, mut done): (Vec<_>, Vec<_>) =
            [root].into_iter().partition(|part| part.branch.is_some());
        while open.len() + done.len() < self.cubes && !open.is_empty() {
            control.look();
            if control.stopped() {
                result.stopped = control.reason();
                break;
            }
            open.sort_by(|a, b| a.size.total_cmp(&b.size));
            let wanted = self.cubes - open.len() - done.len();
            // Those a good deal smaller than the largest are left for later rounds.
            let least = open.last().map_or(0.0, |largest| largest.size / 2.0);
            let large = open.iter().rev().take_while(|part| part.size >= least);
            let take = large.count().clamp(1, AT_ONCE.min(wanted));
            let cut = open.split_off(open.len() - take);
            let children: Vec<[Option<Part<W>>; 2]> = cut
                .into_par_iter()
                .map_with(cutter.clone(), |cutter, part| cutter.cut(part))
                .collect();
            for child in children.into_iter().flatten() {
                match child {
                    None => result.refuted += 1,
                    Some(part) if part.branch.is_none() => done.push(part),
                    Some(part) => open.push(part),
                }
            }
        }
        result.solved = done.len();
        done.append(&mut open);
        if done.is_empty() {
            result.cubes.push((self.within.clone(), 1.0));
            return result;
        }
        // In the order of the tree, so that neighbours have much in common.
        done.sort_by(|a, b| order(&a.cube, &b.cube));
        result.cubes = done
            .into_iter()
            .map(|part| (part.cube, part.size))
            .collect();
        result
    }
}

/// Depth first, the filled side first. Two cubes part where the same cell is decided differently.
fn order(a: &Cube, b: &Cube) -> std::cmp::Ordering {
    let differ = a.path.iter().zip(&b.path).find(|(a, b)| a != b);
    match differ {
        Some((a, b)) => b.filled.cmp(&a.filled),
        None => a.path.len().cmp(&b.path.len()),
    }
}

/// A cube that may be cut.
struct Part<W> {
    cube: Cube,
    rows: Box<[Known<W>]>,
    /// Where it is cut; nowhere if all is decided.
    branch: Option<Cell>,
    size: f64,
}

/// Cuts cubes and judges how large they are.
#[derive(Clone)]
struct Cutter<'a, W: Word> {
    board: Board<'a, W>,
    prober: Prober<W>,
    control: &'a Control,
    judging: bool,
    /// Is probing of use? Then the search of a cube probes, and so it is to be cut and judged.
    probing: bool,
    /// Cells decided in dives by probing, and in all.
    gained: usize,
    decided: usize,
    /// Nodes for which the search itself begins a cube.
    begin: u64,
    interrupt: Option<Arc<AtomicBool>>,
    search: Search<'a>,
    seed: u64,
}

impl<W: Word> Cutter<'_, W> {
    /// Makes the decisions of a cube; `false` is a contradiction.
    fn go_to(&mut self, cube: &Cube) -> bool {
        self.board.propagate()
            && cube
                .path
                .iter()
                .all(|&Decision { cell, filled }| match self.board.known(cell) {
                    Some(known) => known == filled,
                    None => self.board.decide(cell, filled),
                })
    }

    /// The first part; and whether probing is of use is seen by dives.
    fn root(&mut self, cube: Cube) -> Option<Part<W>> {
        if self.judging {
            let whole = Region::whole(&self.board);
            if !self.probe(&whole).0 {
                return None;
            }
            let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
            let (began, mut dives, mut nodes) = (self.board.settles(), 0, 0);
            while dives < TRIALS.0 && self.board.settles() - began < TRIALS.1 {
                nodes += u64::from(self.dive(&mut random).1);
                dives += 1;
            }
            let each = (self.board.settles() - began) / nodes.max(1);
            self.begin = (SETTLES / each.max(1)).clamp(LEAST, MOST);
            self.probing = self.gained * GAIN >= self.decided;
        }
        let size = self.size(&cube, 0.0);
        Some(self.part(cube, size))
    }

    /// A part at the present board.
    fn part(&mut self, cube: Cube, size: f64) -> Part<W> {
        let branch = match self.board.unknown() {
            0 => None,
            _ => Some(self.branch()),
        };
        Part {
            cube,
            rows: self.board.rows().into(),
            branch,
            size,
        }
    }

    /// Cuts a part in two; a side that is refuted is not there.
    fn cut(&mut self, part: Part<W>) -> [Option<Part<W>>; 2] {
        let cell = part.branch.expect("what is decided is not cut");
        [true, false].map(|filled| {
            self.board = Board::with_rows(self.board.clues(), &part.rows);
            if !self.board.decide(cell, filled) {
                return None;
            }
            let whole = Region::whole(&self.board);
            if self.judging && !self.probe(&whole).0 {
                return None;
            }
            let mut cube = part.cube.clone();
            cube.path.push(Decision { cell, filled });
            let size = self.size(&cube, part.size);
            Some(self.part(cube, size))
        })
    }

    /// About how many nodes lie below the present board: the mean of some dives. They are random, but the same for the same cube. Dives
    /// that have all died say nothing of the one way that leads on; so the search itself begins the cube, and one that it is not soon done
    /// with is never thought to be very much smaller than its parent.
    fn size(&mut self, cube: &Cube, parent: f64) -> f64 {
        if !self.judging {
            return (1 + self.board.unknown()) as f64;
        }
        if let Some(nodes) = self.begun(cube) {
            return nodes;
        }
        let mut seed = self.seed;
        for Decision { cell, filled } in &cube.path {
            let here = u64::from(cell.row) << 17 | u64::from(cell.column) << 1 | u64::from(*filled);
            seed = (seed ^ here)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let began = self.board.settles();
        let (mut sum, mut dives) = (0.0, 0);
        while dives < FEWEST || dives < DIVES && self.board.settles() - began < SETTLES {
            let (nodes, met) = self.dive(&mut random);
            sum += nodes;
            dives += 1;
            if met <= 1 || self.control.stopped() {
                // There was nothing to choose.
                break;
            }
        }
        (sum / f64::from(dives))
            .max(2.0 * self.begin as f64)
            .max(parent / DROP)
    }

    /// How many nodes the search takes, if it is done with a few.
    fn begun(&self, cube: &Cube) -> Option<f64> {
        let limits = Limits {
            nodes: Some(self.begin),
            interrupt: self.interrupt.clone(),
            ..Limits::default()
        };
        let outcome = self.search.apart(|ask| ask(cube, &limits, &Counter::new()));
        outcome
            .is_complete()
            .then_some(outcome.statistics.nodes as f64)
    }

    /// A dive: what it says of the number of nodes, and how many it met. The board is left as it was. It does not see what falls apart:
    /// where there are many solutions the search hardly looks for that either, and a cube that is thought too large is only cut further.
    fn dive(&mut self, random: &mut Xoshiro256PlusPlus) -> (f64, u32) {
        let mark = self.board.mark();
        let region = Region::whole(&self.board);
        let (mut nodes, mut met, mut weight) = (0.0, 0, 1.0);
        let before = self.board.unknown();
        loop {
            nodes += weight;
            met += 1;
            let mut best = None;
            if self.probing {
                let unknown = self.board.unknown();
                let (alive, cell) = self.probe(&region);
                self.gained += unknown - self.board.unknown();
                best = cell;
                if !alive {
                    break;
                }
            }
            if self.board.unknown() == 0 {
                break;
            }
            let cell = best.unwrap_or_else(|| narrowest(&self.board, &region));
            let Some(taken) = self.toss(cell, random) else {
                // Either side is a dead end.
                nodes += 2.0 * weight;
                met += 2;
                break;
            };
            if taken == 1.0 {
                nodes += weight;
                met += 1;
            }
            weight /= taken;
            if self.control.stopped() {
                break;
            }
        }
        self.decided += before - self.board.unknown();
        self.board.undo(mark);
        (nodes, met)
    }

    /// Takes one side of a branch, rather the one that leaves more open, as more lies below it; returns how likely that was. A dead end is
    /// not taken; `None` if both are.
    fn toss(&mut self, cell: Cell, random: &mut Xoshiro256PlusPlus) -> Option<f64> {
        let mark = self.board.mark();
        let open = [true, false].map(|filled| {
            let alive = self.board.decide(cell, filled);
            let open = (1 + self.board.unknown()) as f64;
            self.board.undo(mark);
            if alive { open * open } else { 0.0 }
        });
        let sum = open[0] + open[1];
        if sum == 0.0 {
            return None;
        }
        let filled = match open {
            [_, 0.0] => 1.0,
            [0.0, _] => 0.0,
            _ => (open[0] / sum).clamp(UNLIKELY, 1.0 - UNLIKELY),
        };
        // 53 bits are what the mantissa of a number below 1 holds.
        let first = ((random.next_u64() >> 11) as f64 * 2f64.powi(-53)) < filled;
        let alive = self.board.decide(cell, first);
        debug_assert!(alive, "it was alive before");
        Some(if first { filled } else { 1.0 - filled })
    }

    /// Probes; is there no contradiction, and where is it best to branch? What is decided stays decided.
    fn probe(&mut self, region: &Region<W>) -> (bool, Option<Cell>) {
        let limit = self.board.settles() + PROBING;
        let control = self.control;
        let mut looked = self.board.settles();
        let stop = |board: &Board<'_, W>| {
            if board.settles() >= looked + 1024 {
                looked = board.settles();
                control.look();
            }
            control.stopped() || board.settles() >= limit
        };
        let probed = self.prober.probe(&mut self.board, region, None, stop);
        self.prober.backtrack(0);
        match probed {
            Probed::Contradiction => (false, None),
            Probed::Stopped => (true, None),
            Probed::Fixpoint(_, best) => (true, best),
        }
    }

    /// Where to cut: in the largest region, as all others are searched again in either half.
    fn branch(&mut self) -> Cell {
        let whole = Region::whole(&self.board);
        let regions = split(&mut self.board, &whole);
        let largest = regions
            .into_iter()
            .max_by_key(|region| region.unknown(&self.board).count())
            .unwrap_or(whole);
        // And where the search itself would branch: what it finds again and again, it finds in every cube.
        let best = match self.probing {
            true => self.probe(&largest).1,
            false => None,
        };
        best.unwrap_or_else(|| narrowest(&self.board, &largest))
    }
}
