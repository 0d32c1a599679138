//! Cuts a puzzle into cubes of about equal size.
//!
//! The largest cubes are cut in two until there are enough, by the sizes that [`size`](super::size) estimates. No decision depends on the
//! clock or on the threads, so the same puzzle and options give the same cubes.
//!
//! The cubes, and the results of probing them, each have a share of the memory. Where the results need more, those of the smallest cubes
//! are dropped, and such a cube is probed again when it is cut; where the cubes need more, there are fewer of them.

use std::sync::Arc;

use rayon::prelude::*;

use super::size::{ProbeState, SizeEstimator};
use crate::board::{Board, Clues, Prober, Region};
use crate::line::{Known, Word, by_width};
use crate::puzzle::{Cell, Puzzle};
use crate::run::{Control, Limits, memory_plan};
use crate::search::{Cube, Decision};
use crate::solutions::Stop;

/// Largest number of cubes that are cut in parallel. It influences which cubes are cut, so it must not depend on the machine.
const MAX_PARALLEL_CUTS: usize = 32;

/// The results of probing a cube are kept if it has at most this number of unknown cells; each cell takes some tens of bytes.
const MAX_UNKNOWN_TO_KEEP: usize = 1000;

/// Options for cutting a puzzle into cubes.
#[derive(Clone, Debug)]
pub struct Splitter<'a> {
    puzzle: &'a Puzzle,
    cubes: usize,
    within: Cube,
    seed: u64,
    limits: Limits,
}

/// The cubes into which a puzzle was cut.
#[derive(Clone, Debug, Default)]
pub struct Split {
    /// The cubes, each with its estimated size: the nodes of its tree, or after [`Splitter::rough`] its unknown cells. They are disjoint,
    /// and together they contain every solution.
    pub cubes: Vec<(Cube, f64)>,
    /// Number of unknown cells in each of them, in the same order.
    pub unknown: Vec<u32>,
    /// Number of these cubes in which every cell is decided.
    pub solved: usize,
    /// Number of cubes that were found to have no solution, and are not in the list.
    pub refuted: usize,
    /// The limit that ended cutting before there were enough cubes, if one did.
    pub stopped: Option<Stop>,
}

impl<'a> Splitter<'a> {
    /// Cuts into this number of cubes, or into fewer if no further cube can be cut.
    ///
    /// It runs on the threads of the current rayon pool.
    pub fn new(puzzle: &'a Puzzle, cubes: usize) -> Self {
        Splitter {
            puzzle,
            cubes,
            within: Cube::default(),
            seed: 1,
            limits: Limits::default(),
        }
    }

    /// Cuts only this cube. It must lie inside the puzzle.
    #[must_use]
    pub fn within(mut self, cube: Cube) -> Self {
        self.within = cube;
        self
    }

    /// Sets the seed of the random numbers.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the limits; only time, memory and interrupts are observed. When one is reached, the result is valid but has fewer cubes.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Cuts the puzzle.
    pub fn run(&self) -> Split {
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.run_for_width::<W>(true))
    }

    /// Cuts the puzzle by propagation alone, without estimates by sampling: for a thread that has been asked to stop.
    pub fn rough(&self) -> Split {
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.run_for_width::<W>(false))
    }

    fn run_for_width<W: Word>(&self, estimates_size: bool) -> Split {
        let clues = Clues::new(self.puzzle);
        let control = Control::new(&self.limits, false);
        let memory = self.limits.bytes();
        let prober = Prober::new(memory_plan::CUTTERS.part(memory, MAX_PARALLEL_CUTS as u64));
        let board = Board::<W>::new(&clues);
        let mut cutter = Cutter {
            estimator: SizeEstimator::new(board, prober, &control, estimates_size),
            estimates_size,
            seed: self.seed,
        };
        let mut result = Split::default();
        let (rows, columns) = self.puzzle.sums();
        let is_consistent = rows == columns && cutter.move_to(&self.within, &control);
        let root = is_consistent.then(|| cutter.root(self.within.clone()));
        let Some(root) = root.flatten() else {
            // There is a contradiction, or the run was stopped: the cube to be cut is returned as the only cube.
            result.stopped = control.reason();
            return self.single_cube(result);
        };
        let (mut open, mut done): (Vec<_>, Vec<_>) =
            [root].into_iter().partition(|node| node.branch.is_some());
        while open.len() + done.len() < self.cubes && !open.is_empty() {
            let bytes: u64 = open.iter().chain(&done).map(|node| node.bytes).sum();
            if bytes > memory_plan::CUBES.of(memory) {
                control.stop(Stop::Memory);
            }
            if control.poll() {
                result.stopped = control.reason();
                break;
            }
            open.sort_by(|a, b| a.size.total_cmp(&b.size));
            let mut probe_bytes: u64 = open.iter().map(SplitNode::probe_bytes).sum();
            if probe_bytes > memory_plan::PROBED_CUBES.of(memory) {
                // The results of probing the smallest cubes are dropped, until at most half is left.
                let half = probe_bytes / 2;
                for node in &mut open {
                    if probe_bytes <= half {
                        break;
                    }
                    probe_bytes -= node.probe_bytes();
                    node.probe_state = None;
                }
            }
            let wanted = self.cubes - open.len() - done.len();
            // Cubes smaller than half the largest are left for later rounds.
            let min_size = open.last().map_or(0.0, |largest| largest.size / 2.0);
            let large = open.iter().rev().take_while(|node| node.size >= min_size);
            let take = large.count().clamp(1, MAX_PARALLEL_CUTS.min(wanted));
            let to_cut = open.split_off(open.len() - take);
            // The sides of each cube, `None` for one that is refuted. If the run is stopped first, the cube is its only side.
            let sides = to_cut
                .into_par_iter()
                .map_with(cutter.clone(), |cutter, node| {
                    if control.poll() {
                        vec![Some(node)]
                    } else {
                        cutter.cut(node).into()
                    }
                });
            for side in sides.collect::<Vec<_>>().into_iter().flatten() {
                let Some(side) = side else {
                    result.refuted += 1;
                    continue;
                };
                match side.branch {
                    Some(_) => open.push(side),
                    None => done.push(side),
                }
            }
        }
        result.solved = done.len();
        done.append(&mut open);
        if done.is_empty() {
            return self.single_cube(result);
        }
        // In depth-first order, so that neighbours share long path prefixes.
        done.sort_by(|a, b| tree_order(&a.cube, &b.cube));
        result.unknown = done.iter().map(|node| node.unknown).collect();
        let sized = done.into_iter().map(|node| (node.cube, node.size));
        result.cubes = sized.collect();
        result
    }

    /// Adds the cube to be cut, uncut, as the only cube of the result.
    fn single_cube(&self, mut result: Split) -> Split {
        let cells = self.puzzle.width() * self.puzzle.height();
        result.cubes.push((self.within.clone(), 1.0));
        result.unknown.push(cells as u32);
        result
    }
}

/// Depth-first order of the tree, filled side first. The paths of two of its nodes first differ in the value of the same cell.
fn tree_order(a: &Cube, b: &Cube) -> std::cmp::Ordering {
    let differ = a.path.iter().zip(&b.path).find(|(a, b)| a != b);
    match differ {
        Some((a, b)) => b.filled.cmp(&a.filled),
        None => a.path.len().cmp(&b.path.len()),
    }
}

/// A cube of the split, with what is needed to cut it.
struct SplitNode<W: Word> {
    cube: Cube,
    rows: Box<[Known<W>]>,
    unknown: u32,
    /// Its independent regions, each with its estimated size.
    regions: Vec<(Arc<Region<W>>, f64)>,
    /// Where it is cut: the index of the region, and the cell. `None` if every cell is decided.
    branch: Option<(usize, Cell)>,
    /// The results of its probing, if they are kept.
    probe_state: Option<ProbeState<W>>,
    /// Estimated size; probably too small unless `is_reliable`.
    size: f64,
    is_reliable: bool,
    /// Its approximate size in memory in bytes, without the results of probing. A region that several cubes have counts in parts.
    bytes: u64,
}

impl<W: Word> SplitNode<W> {
    /// The same for the results of its probing.
    fn probe_bytes(&self) -> u64 {
        let prober = self.probe_state.as_ref().map(|(prober, _)| prober);
        prober.map_or(0, Prober::bytes)
    }
}

/// Cuts cubes.
#[derive(Clone)]
struct Cutter<'a, W: Word> {
    estimator: SizeEstimator<'a, W>,
    estimates_size: bool,
    seed: u64,
}

impl<W: Word> Cutter<'_, W> {
    /// Propagates the root and makes the decisions of a cube. `false` means that there is a contradiction, or that the run was stopped.
    fn move_to(&mut self, cube: &Cube, control: &Control) -> bool {
        let board = &mut self.estimator.board;
        board.propagate_unless(|| control.poll()) == Some(true)
            && board.follow(cube.decisions(), || control.poll()) == Some(true)
    }

    /// The root node at the present board; `None` when it has no solution.
    fn root(&mut self, cube: Cube) -> Option<SplitNode<W>> {
        let mut probe_state = None;
        if self.estimates_size {
            let (estimator, seed) = (&mut self.estimator, self.seed);
            probe_state = estimator.probe(None)?;
            if estimator.board.unknown() > 0 {
                estimator.predict_probing(probe_state.as_ref(), seed);
            }
        }
        Some(self.node(cube, probe_state, None))
    }

    /// Cuts a node in two; `None` is a side without a solution.
    fn cut(&mut self, node: SplitNode<W>) -> [Option<SplitNode<W>>; 2] {
        let (_, cell) = node.branch.expect("decided nodes are not cut");
        let mut sides = [true, false].map(|filled| {
            let board = &mut self.estimator.board;
            board.set_rows(&node.rows);
            board.take_changed();
            // If the run was stopped, the side is kept as not refuted.
            if board.decide_under(cell, filled, self.estimator.control) == Some(false) {
                return None;
            }
            let changed = board.take_changed();
            let mut probe_state = None;
            if self.estimates_size {
                let inherited = (node.probe_state.as_ref())
                    .map(|(prober, inherited)| (prober.clone(), inherited.after(changed)));
                probe_state = self.estimator.probe(inherited)?;
            }
            let mut cube = node.cube.clone();
            cube.path.push(Decision { cell, filled });
            Some(self.node(cube, probe_state, Some(&node)))
        });
        // An unreliable estimate is probably too small. It is raised to the size of the parent less that of the other side, or, if both are
        // unreliable, to half of the size of the parent; beside a refuted side, to the size of the parent.
        let [a, b] = [0, 1].map(|side: usize| match &sides[1 - side] {
            Some(other) if other.is_reliable => node.size - other.size,
            Some(_) => node.size / 2.0,
            None => node.size,
        });
        for (side, size_floor) in sides.iter_mut().zip([a, b]) {
            if let Some(side) = side.as_mut().filter(|side| !side.is_reliable) {
                side.size = side.size.max(size_floor);
            }
        }
        sides
    }

    /// The node of the present board.
    ///
    /// It will be cut in the region in which its parent was cut, or, if that region is fully decided, in the largest region. So the cubes
    /// decide cells in few regions, and every other region is searched only once for all of them.
    fn node(
        &mut self,
        cube: Cube,
        probe_state: Option<ProbeState<W>>,
        parent: Option<&SplitNode<W>>,
    ) -> SplitNode<W> {
        let unknown = self.estimator.board.unknown();
        let seed = self.seed_of(&cube);
        let (mut regions, mut is_reliable) = (Vec::new(), true);
        for region in self.estimator.regions() {
            let known = parent.map_or(&[][..], |parent| &parent.regions);
            if let Some(before) = known.iter().find(|(other, _)| **other == region) {
                regions.push(before.clone());
                continue;
            }
            let (mut size, mut reliable) = (region.size() as f64, true);
            if self.estimates_size {
                (size, reliable) = self.estimator.size(&region, probe_state.as_ref(), seed);
            }
            is_reliable &= reliable;
            regions.push((Arc::new(region), size));
        }
        let was_cut = parent.and_then(|parent| Some(&parent.regions[parent.branch?.0].0));
        let is_in_cut_region = |region: &Region<W>| {
            let first = region.unknown(&self.estimator.board).next();
            first.is_some_and(|first| was_cut.is_some_and(|was_cut| was_cut.has(first)))
        };
        let branch = (regions.iter().enumerate())
            .max_by(|(_, (a, a_size)), (_, (b, b_size))| {
                let by_place = is_in_cut_region(a).cmp(&is_in_cut_region(b));
                by_place.then(a_size.total_cmp(b_size))
            })
            .map(|(i, (region, _))| (i, self.estimator.choose_cell(region, probe_state.as_ref())));
        let rows: Box<[Known<W>]> = self.estimator.board.rows().into();
        let own = size_of::<SplitNode<W>>()
            + cube.path.capacity() * size_of::<Decision>()
            + size_of_val(&*rows)
            + size_of_val(&*regions);
        let part = |region: &Arc<Region<W>>| region.bytes() / Arc::strong_count(region) as u64;
        let bytes = own as u64 + regions.iter().map(|(region, _)| part(region)).sum::<u64>();
        SplitNode {
            cube,
            rows,
            bytes,
            unknown: unknown as u32,
            size: regions.iter().map(|(_, size)| size).sum::<f64>().max(1.0),
            is_reliable,
            regions,
            branch,
            probe_state: probe_state.filter(|_| (1..=MAX_UNKNOWN_TO_KEEP).contains(&unknown)),
        }
    }

    /// A seed for each cube, independent of the thread that estimates its size.
    fn seed_of(&self, cube: &Cube) -> u64 {
        cube.decisions().fold(self.seed, |seed, (cell, filled)| {
            let [row, column] = [cell.row, cell.column].map(u64::from);
            let mixed = seed ^ (row << 17 | column << 1 | u64::from(filled));
            mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Clue;
    use crate::search::Search;

    /// A split into 100,000 cubes had no limit on memory.
    #[test]
    fn with_little_memory_the_cubes_are_the_same_or_fewer() {
        let ones = || vec![Clue::new([1]).unwrap(); 8];
        let puzzle = Puzzle::new(ones(), ones()).unwrap();
        let split = |memory: u64| {
            let limits = Limits::default().memory(memory);
            Splitter::new(&puzzle, 100).limits(limits).run()
        };
        let whole = split(u64::MAX);
        assert_eq!((whole.cubes.len(), whole.stopped), (100, None));
        let number = |split: &Split| {
            let cubes = split.cubes.iter().map(|(cube, _)| cube.clone());
            let outcome = Search::new(&puzzle).cubes(cubes.collect()).count();
            outcome.solutions
        };
        let mut seen = [0, 0];
        for memory in (10..24).map(|bits| 1 << bits) {
            let split = split(memory);
            assert_eq!(number(&split), number(&whole));
            match split.stopped {
                None => assert_eq!(split.cubes, whole.cubes),
                Some(stop) => assert!(stop == Stop::Memory && split.cubes.len() < 100),
            }
            seen[usize::from(split.stopped.is_none())] += 1;
        }
        assert!(seen.iter().all(|&times| times > 2), "{seen:?}");
    }
}
