//! Cuts a puzzle into cubes of about the same size.
//!
//! The largest cubes are cut in two until there are enough; how large one is, [`size`](super::size) tells. No clock is looked at, so that
//! the same puzzle and options give the same cubes.

use std::sync::Arc;

use rayon::prelude::*;

use super::size::{Left, SizeJudge};
use crate::board::{Board, Cell, Clues, Region};
use crate::line::{Known, Word, by_width};
use crate::puzzle::Puzzle;
use crate::run::{Control, Limits};
use crate::search::{Cube, Decision};
use crate::solutions::Stop;

/// Cubes that are cut side by side. The number says which are cut, so that it must not depend on the machine.
const AT_ONCE: usize = 32;

/// What probing has shown of a cube is kept when the cube has at most this number of unknown cells; each takes some tens of bytes.
const KEPT: usize = 1000;

/// How to cut a puzzle.
#[derive(Clone, Debug)]
pub struct Splitter<'a> {
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
    /// How many cells are unknown in each of them, in the same order.
    pub unknown: Vec<u32>,
    /// Cubes in which all is decided, among these.
    pub solved: usize,
    /// Cubes that were seen to hold no solution, and left away.
    pub refuted: usize,
    /// Why it ended before there were enough, if it did not for want of anything to cut.
    pub stopped: Option<Stop>,
}

impl<'a> Splitter<'a> {
    /// Into this number of cubes, or one more; fewer where there is nothing left to cut.
    ///
    /// It works on the threads of the rayon pool that it is run in.
    pub fn new(puzzle: &'a Puzzle, cubes: usize) -> Self {
        Splitter {
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
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.drive::<W>(true))
    }

    /// Cuts at once and by propagation alone, where there is no time for judging: whoever is to stop hands back pieces so.
    pub fn rough(&self) -> Split {
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.drive::<W>(false))
    }

    fn drive<W: Word>(&self, judging: bool) -> Split {
        let clues = Clues::new(self.puzzle);
        let control = Control::new(&self.limits, false);
        let mut cutter = Cutter {
            judge: SizeJudge::new(Board::<W>::new(&clues), &control, judging),
            judging,
            seed: self.seed,
        };
        let mut result = Split {
            cubes: Vec::new(),
            unknown: Vec::new(),
            solved: 0,
            refuted: 0,
            stopped: None,
        };
        let (rows, columns) = self.puzzle.sums();
        let alive = rows == columns && cutter.go_to(&self.within, &control);
        let root = alive.then(|| cutter.root(self.within.clone())).flatten();
        let Some(root) = root else {
            // One cube says so.
            result.stopped = control.reason();
            return self.one(result);
        };
        let (mut open, mut done): (Vec<_>, Vec<_>) =
            [root].into_iter().partition(|part| part.branch.is_some());
        while open.len() + done.len() < self.cubes && !open.is_empty() {
            if control.poll() {
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
            let cut: Vec<Cut<W>> = cut
                .into_par_iter()
                .map_with(cutter.clone(), |cutter, part| match control.poll() {
                    true => Cut::Left(Box::new(part)),
                    false => Cut::Sides(Box::new(cutter.cut(part))),
                })
                .collect();
            for cut in cut {
                match cut {
                    Cut::Left(whole) => open.push(*whole),
                    Cut::Sides(sides) => {
                        result.refuted += sides.iter().filter(|side| side.is_none()).count();
                        let sides = sides.into_iter().flatten();
                        let (cuttable, decided): (Vec<_>, Vec<_>) =
                            sides.partition(|part| part.branch.is_some());
                        open.extend(cuttable);
                        done.extend(decided);
                    }
                }
            }
        }
        result.solved = done.len();
        done.append(&mut open);
        if done.is_empty() {
            return self.one(result);
        }
        // In the order of the tree, so that neighbours have much in common.
        done.sort_by(|a, b| order(&a.cube, &b.cube));
        result.unknown = done.iter().map(|part| part.unknown).collect();
        result.cubes = done
            .into_iter()
            .map(|part| (part.cube, part.size))
            .collect();
        result
    }

    /// The whole as one cube.
    fn one(&self, mut result: Split) -> Split {
        let cells = self.puzzle.width() * self.puzzle.height();
        result.cubes.push((self.within.clone(), 1.0));
        result.unknown.push(cells as u32);
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
struct OpenCube<W: Word> {
    cube: Cube,
    rows: Box<[Known<W>]>,
    unknown: u32,
    /// What it falls apart into, each with its size.
    regions: Vec<(Arc<Region<W>>, f64)>,
    /// Where it is cut, by the place of the region and the cell; nowhere if all is decided.
    branch: Option<(usize, Cell)>,
    /// What its probing has left.
    left: Option<Left<W>>,
    /// About how many nodes lie below; if not `sure`, more than samples of it had shown.
    size: f64,
    sure: bool,
}

/// What has become of a cube that was to be cut.
enum Cut<W: Word> {
    /// The run has been stopped before.
    Left(Box<OpenCube<W>>),
    /// Its two sides, without those that are refuted.
    Sides(Box<[Option<OpenCube<W>>; 2]>),
}

/// Cuts cubes.
#[derive(Clone)]
struct Cutter<'a, W: Word> {
    judge: SizeJudge<'a, W>,
    judging: bool,
    seed: u64,
}

impl<W: Word> Cutter<'_, W> {
    /// Makes the decisions of a cube; `false` is a contradiction, or that the run has been stopped before.
    fn go_to(&mut self, cube: &Cube, control: &Control) -> bool {
        let board = &mut self.judge.board;
        board.propagate_unless(|| control.poll()) == Some(true)
            && board.follow(cube.decisions(), || control.poll()) == Some(true)
    }

    /// The first part; `None` when it holds no solution.
    fn root(&mut self, cube: Cube) -> Option<OpenCube<W>> {
        let mut left = None;
        if self.judging {
            left = self.judge.probe(None)?;
            if self.judge.board.unknown() > 0 {
                self.judge.try_probing(left.as_ref(), self.seed);
            }
        }
        Some(self.part(cube, left, None))
    }

    /// Cuts a part in two; a side that is refuted is not there.
    fn cut(&mut self, part: OpenCube<W>) -> [Option<OpenCube<W>>; 2] {
        let (_, cell) = part.branch.expect("what is decided is not cut");
        let mut sides = [true, false].map(|filled| {
            let board = &mut self.judge.board;
            board.set_rows(&part.rows);
            board.take_changed();
            if !board.decide(cell, filled) {
                return None;
            }
            let changed = board.take_changed();
            let mut left = None;
            if self.judging {
                let of_parent = part.left.clone();
                let of_parent =
                    of_parent.map(|(prober, inherited)| (prober, inherited.after(changed)));
                left = self.judge.probe(of_parent)?;
            }
            let mut cube = part.cube.clone();
            cube.path.push(Decision { cell, filled });
            Some(self.part(cube, left, Some(&part)))
        });
        // A side of which nobody is sure has what the other one has not.
        let [a, b] = [0, 1].map(|side: usize| match &sides[1 - side] {
            Some(other) if other.sure => part.size - other.size,
            Some(_) => part.size / 2.0,
            None => part.size,
        });
        for (side, rest) in sides.iter_mut().zip([a, b]) {
            if let Some(side) = side.as_mut().filter(|side| !side.sure) {
                side.size = side.size.max(rest);
            }
        }
        sides
    }

    /// A part at the present board.
    ///
    /// It is cut in the region in which its parent was, and only when nothing is left of that in another one, the largest. For what falls
    /// apart from all that a cube decides is searched once for all cubes; where cubes decided something of every region, all would be
    /// searched again and again.
    fn part(
        &mut self,
        cube: Cube,
        left: Option<Left<W>>,
        parent: Option<&OpenCube<W>>,
    ) -> OpenCube<W> {
        let unknown = self.judge.board.unknown();
        let seed = self.seed_of(&cube);
        let (mut regions, mut sure) = (Vec::new(), true);
        for region in self.judge.regions() {
            let same = |(other, _): &&(Arc<Region<W>>, f64)| **other == region;
            let before = parent.and_then(|parent| parent.regions.iter().find(same));
            regions.push(match before {
                Some(before) => before.clone(),
                None => {
                    let (size, known) = match self.judging {
                        true => self.judge.size(&region, left.as_ref(), seed),
                        false => (region.size() as f64, true),
                    };
                    sure &= known;
                    (Arc::new(region), size)
                }
            });
        }
        let inside = |region: &Region<W>| {
            let was_cut = parent.and_then(|parent| Some(&parent.regions[parent.branch?.0].0));
            let first = region.unknown(&self.judge.board).next();
            was_cut
                .zip(first)
                .is_some_and(|(was_cut, first)| was_cut.has(first))
        };
        let place = (0..regions.len()).max_by(|&i, &j| {
            let key = |i: usize| (inside(&regions[i].0), regions[i].1);
            let (a, b) = (key(i), key(j));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let branch = place.map(|i| (i, self.judge.branch(&regions[i].0, left.as_ref())));
        OpenCube {
            cube,
            rows: self.judge.board.rows().into(),
            unknown: unknown as u32,
            size: regions.iter().map(|(_, size)| size).sum::<f64>().max(1.0),
            sure,
            regions,
            branch,
            left: left.filter(|_| unknown <= KEPT),
        }
    }

    /// Random numbers of its own for every cube, whichever thread judges it.
    fn seed_of(&self, cube: &Cube) -> u64 {
        cube.path
            .iter()
            .fold(self.seed, |seed, &Decision { cell, filled }| {
                let here =
                    u64::from(cell.row) << 17 | u64::from(cell.column) << 1 | u64::from(filled);
                (seed ^ here)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29)
            })
    }
}
