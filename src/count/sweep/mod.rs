//! Counting along a frontier (transfer matrix method): line by line through a component.
//!
//! A frontier moves across the component in one direction. It passes the lines *along* it one after the other; the lines *across* it are
//! those that cross them. The filled cells behind the frontier matter only through the state of each line across, that is, of the automaton
//! that reads the line. So a frontier keeps *combinations*, each with one state for every line across, and the *path count* of each: the
//! number of fillings behind the frontier that lead to it. Equal combinations are merged, so no work is ever repeated.
//!
//! Two frontiers start, one at either end (*near* and *far*). The one with fewer combinations moves, again and again, until one line is
//! left, where they meet. So no frontier has to pass all of a wide middle, and dead ends are often found early on one of the two sides. On
//! wide components with few solutions there are too many combinations; then the sweep goes on in [parts], or gives up.
//!
//! A sweep pauses when it has used up its work, and can go on later.

#[cfg(test)]
mod fixtures;
mod forecast;
mod front;
mod fronts;
mod key;
mod layer;
mod line_fillings;
mod line_states;
mod lines;
mod meeting;
mod nodes;
mod partitioner;
mod parts;
mod pass;
mod resources;
mod step;
mod table;
mod transition;
mod walks;

use fronts::{Fronts, Run};
use key::{Key, Pair};
pub(crate) use lines::Direction;
use lines::Lines;
use nodes::CellOrder;
use resources::Resources;
pub(crate) use resources::{Allowance, SweepEnd};

use super::components::{Component, Store};
use crate::board::Board;
use crate::graph::NodeId;
use crate::line::Word;
use crate::run::drop_aside;
use crate::solutions::Count;

/// A sweep of a component, to be run once or several times.
#[derive(Debug)]
pub(crate) struct Sweep {
    lines: Lines,
    fronts: Box<dyn Run>,
    /// The cells of the component, if its solution graph is to be built.
    cells: Option<CellOrder>,
    /// Whether the frontiers have the widest path counts.
    is_widest: bool,
    /// Bytes of memory that it held before the first line, and that it holds now.
    held_at_start: u64,
    held: u64,
    /// Nanoseconds of work so far.
    work_ns: u64,
}

impl Sweep {
    /// Begins to sweep a component. The board must be at a fixpoint. If `keeps_layers`, its solution graph can be built afterwards.
    /// [`SweepEnd::Full`] when lines are too long, or have too many states.
    pub(crate) fn new<W: Word>(
        board: &Board<'_, W>,
        component: &Component<W>,
        direction: Direction,
        keeps_layers: bool,
        allowance: Allowance<'_>,
    ) -> Result<Self, SweepEnd> {
        let resources = Resources::new(allowance, u64::COMBINATION_NS, 0);
        let lines = Lines::new(board, component, direction, &resources)?;
        let held = resources.held();
        Ok(Sweep {
            // Path counts have 64 bits, or 128 bits when that has overflowed.
            fronts: match lines.max_bits() {
                0..=64 => Box::new(Fronts::<u64, u64>::new(keeps_layers)),
                65..=128 => Box::new(Fronts::<Pair, u64>::new(keeps_layers)),
                _ => return Err(SweepEnd::Full),
            },
            cells: keeps_layers.then(|| CellOrder::new(&lines, direction)),
            is_widest: false,
            lines,
            held_at_start: held,
            held,
            work_ns: 0,
        })
    }

    /// Goes on with this allowance until the component is counted, or until the sweep pauses or ends: it can go on only after
    /// [`SweepEnd::Paused`].
    pub(crate) fn run(&mut self, allowance: Allowance<'_>) -> Result<Count, SweepEnd> {
        loop {
            let combination_ns = self.fronts.combination_ns();
            let mut resources = Resources::new(allowance, combination_ns, self.held);
            let ended = self.fronts.run(&self.lines, &mut resources);
            self.held = resources.held();
            self.work_ns += combination_ns * resources.spent;
            if ended != Err(SweepEnd::Overflow) || self.is_widest {
                return ended;
            }
            let keeps_layers = self.cells.is_some();
            self.fronts = match self.lines.max_bits() {
                0..=64 => Box::new(Fronts::<u64, Pair>::new(keeps_layers)),
                _ => Box::new(Fronts::<Pair, Pair>::new(keeps_layers)),
            };
            (self.is_widest, self.work_ns) = (true, 0);
            self.held = self.held_at_start;
        }
    }

    /// Adds the solution graph of the component to the store, once the component is counted; the layers must have been kept. Returns its node.
    /// [`SweepEnd::Full`] if the memory, or that of the graph, does not suffice.
    pub(crate) fn add_nodes(
        &mut self,
        allowance: Allowance<'_>,
        store: &Store,
    ) -> Result<NodeId, SweepEnd> {
        let Some(cells) = &self.cells else {
            return Err(SweepEnd::Full);
        };
        // Once it is counted, it is not worth while to pause.
        let allowance = Allowance {
            work_ns: u64::MAX,
            ..allowance
        };
        let mut resources = Resources::new(allowance, self.fronts.combination_ns(), self.held);
        (self.fronts).add_nodes(&self.lines, cells, store, &mut resources)
    }

    /// Nanoseconds of work so far, computed from the combinations that were read or generated.
    pub(crate) fn work_ns(&self) -> u64 {
        self.work_ns
    }

    /// Forecast of the nanoseconds of work of the whole sweep.
    pub(crate) fn forecast_ns(&self) -> f64 {
        let remaining = self.fronts.forecast(&self.lines);
        self.work_ns as f64 + self.fronts.combination_ns() as f64 * remaining
    }

    /// Number of fillings that it has counted so far.
    pub(crate) fn proved(&self) -> Count {
        self.fronts.proved()
    }

    /// Bytes of memory that it holds.
    pub(crate) fn bytes(&self) -> u64 {
        self.held
    }

    /// Drops the sweep, [aside](drop_aside) if it is large.
    pub(crate) fn drop_aside(self) {
        let held = self.held;
        drop_aside(self, held);
    }

    /// Frees the memory of the [part](parts) that is being swept, or, if the sweep is not divided, of the class of fillings that is being
    /// joined.
    pub(crate) fn shrink(&mut self) {
        if let Some(held) = self.fronts.shrink() {
            self.held = held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fixtures::{MIB, permutations, with_components};
    use super::*;
    use crate::count::root;
    use crate::graph::SolutionGraph;
    use crate::puzzle::{Grid, Puzzle};

    /// Nanoseconds per combination of the puzzles of these tests.
    const NS: u64 = u64::COMBINATION_NS;

    /// How the sweeps of all components of a puzzle have ended.
    struct Swept {
        /// The number of solutions, unless a sweep ended without a count.
        count: Result<Count, SweepEnd>,
        work_ns: u64,
        pauses: u32,
        /// Whether a sweep was divided into parts.
        is_divided: bool,
    }

    /// Sweeps all components of a puzzle, and gives each sweep this allowance again and again. Now and then, where it pauses, its part under
    /// way is dropped.
    fn sweep_all(puzzle: &Puzzle, direction: Direction, allowance: Allowance<'_>) -> Swept {
        let mut swept = Swept {
            count: Ok(Count::ONE),
            work_ns: 0,
            pauses: 0,
            is_divided: false,
        };
        let mut count = |sweep: &mut Sweep| {
            let (mut work_ns, mut proved) = (0, Count::ZERO);
            let mut ended = sweep.run(allowance);
            while ended == Err(SweepEnd::Paused) {
                swept.pauses += 1;
                assert!(sweep.work_ns() > work_ns);
                assert!(sweep.forecast_ns() >= sweep.work_ns() as f64);
                if allowance.bytes < 64 * MIB && swept.pauses.is_power_of_two() {
                    sweep.shrink();
                }
                assert!(sweep.bytes() <= allowance.bytes);
                (work_ns, proved) = (sweep.work_ns(), proved.max(sweep.proved()));
                ended = sweep.run(allowance);
            }
            swept.work_ns += sweep.work_ns();
            swept.is_divided |= sweep.fronts.shrink().is_some();
            assert!(ended.as_ref().map_or(true, |count| *count >= proved));
            ended
        };
        let mut product = Count::ONE;
        let ended: Result<(), SweepEnd> = with_components(puzzle, |board, components, _| {
            components.iter().try_for_each(|component| {
                let sweep = Sweep::new(board, component, direction, false, allowance);
                product *= &count(&mut sweep?)?;
                Ok(())
            })
        });
        swept.count = ended.map(|()| product);
        swept
    }

    /// Of a picture with every third cell filled, roughly.
    fn puzzle(side: usize, seed: u64) -> Puzzle {
        let mut state = seed;
        let mut grid = Grid::new(side, side);
        for cell in 0..side * side {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            grid.set(cell / side, cell % side, state >> 33 & 0xff < 0x55);
        }
        Puzzle::from_grid(&grid)
    }

    #[test]
    fn a_sweep_that_pauses_repeats_nothing() {
        let puzzles = (1..6).map(|seed| puzzle(10, seed));
        let mut pauses = 0;
        for puzzle in puzzles.chain([permutations(11)]) {
            for direction in [Direction::Down, Direction::Right] {
                let sweep =
                    |work_ns| sweep_all(&puzzle, direction, Allowance::of(64 * MIB, work_ns));
                let whole = sweep(u64::MAX);
                assert!(whole.count.is_ok() && whole.pauses == 0 && !whole.is_divided);
                for work_ns in [NS, 1000 * NS] {
                    let swept = sweep(work_ns);
                    assert_eq!((&swept.count, swept.work_ns), (&whole.count, whole.work_ns));
                    pauses += swept.pauses;
                }
            }
        }
        assert!(pauses > 1000, "{pauses}");
    }

    /// The graph of a sweep has the solutions that branching finds, wherever its frontiers meet.
    #[test]
    fn the_graph_of_a_sweep_has_all_solutions() {
        let solutions = |graph: &SolutionGraph| -> Vec<String> {
            let all = graph.lexicographic(&Count::ZERO).take(3000);
            all.map(|grid| grid.to_string()).collect()
        };
        let small = Puzzle::from_clues(&[vec![1]], &[vec![1], vec![]]).unwrap();
        let puzzles = (1..9).map(|seed| puzzle(9, seed));
        let (mut compared, mut pauses) = (0, 0);
        for puzzle in puzzles.chain([small, permutations(2), permutations(6)]) {
            let (wanted, _) = crate::count::Counter::new(&puzzle).graph();
            let wanted = wanted.unwrap();
            // Work of a few combinations: the sweep pauses again and again, also amid the join.
            let (whole, parts) = (u64::MAX, 50 * NS);
            for (direction, threads, work_ns) in [
                (Direction::Down, 1, whole),
                (Direction::Down, 1, parts),
                (Direction::Right, 2, whole),
            ] {
                let allowance = Allowance {
                    threads,
                    ..Allowance::of(64 * MIB, work_ns)
                };
                let mut product = Count::ONE;
                let graph = with_components(&puzzle, |board, components, table| {
                    let mut store = Store::new(table, true, 64 * MIB);
                    let roots = components.iter().map(|component| {
                        let sweep = Sweep::new(board, component, direction, true, allowance);
                        let mut sweep = sweep.unwrap();
                        let mut ended = sweep.run(allowance);
                        while ended == Err(SweepEnd::Paused) {
                            pauses += 1;
                            ended = sweep.run(allowance);
                        }
                        product *= &ended.unwrap();
                        let node = sweep.add_nodes(allowance, &store).unwrap();
                        (node, root::cells_of(component))
                    });
                    let roots: Vec<_> = roots.collect();
                    let (width, height) = (puzzle.width(), puzzle.height());
                    let mut known = Grid::new(width, height);
                    for (r, row) in board.rows().iter().enumerate() {
                        row.filled.cells().for_each(|c| known.set(r, c, true));
                    }
                    store.graph.take().unwrap().join().finish(&known, roots)
                });
                assert_eq!([&product, graph.count()], [wanted.count(); 2]);
                let (found, wanted) = (solutions(&graph), solutions(&wanted));
                assert!(found == wanted, "{}", wanted.len());
                compared += found.len();
            }
        }
        assert!(compared > 2000 && pauses > 100, "{compared}, {pauses}");
    }

    /// Without room for the nodes the graph is not begun.
    #[test]
    fn a_sweep_without_memory_for_nodes_has_no_graph() {
        let ended = |bytes: u64, max_graph_bytes: u64| -> Result<Result<(), SweepEnd>, SweepEnd> {
            with_components(&permutations(8), |board, components, table| {
                let store = Store::new(table, true, max_graph_bytes);
                let allowance = Allowance::of(bytes, u64::MAX);
                let mut sweep =
                    Sweep::new(board, &components[0], Direction::Down, true, allowance)?;
                assert_eq!(sweep.run(allowance)?, Count::from(40_320));
                Ok(sweep.add_nodes(allowance, &store).map(|_| ()))
            })
        };
        assert_eq!(ended(MIB, MIB), Ok(Ok(())));
        assert_eq!(ended(MIB, 100), Ok(Err(SweepEnd::Full)));
        // With more and more memory: not even the number, the number alone, and the graph.
        let ends: Vec<_> = (4..120).map(|i| ended(i * MIB / 1024, MIB)).collect();
        let full = |end: &Result<Result<(), SweepEnd>, SweepEnd>| *end == Err(SweepEnd::Full);
        let number_alone = ends.iter().position(|end| !full(end)).unwrap();
        let graph = ends.iter().position(|end| *end == Ok(Ok(()))).unwrap();
        assert!(0 < number_alone && number_alone < graph, "{ends:?}");
        let between = &ends[number_alone..graph];
        assert!(between.iter().all(|end| *end == Ok(Err(SweepEnd::Full))));
        assert!(ends[graph..].iter().all(|end| *end == Ok(Ok(()))));
    }

    #[test]
    fn a_sweep_that_outgrows_the_memory_is_divided_into_parts() {
        let puzzles = (1..4).map(|seed| puzzle(14, seed));
        let (mut divided, mut pauses) = (0, 0);
        for puzzle in puzzles.chain([permutations(17)]) {
            let whole = Allowance::of(64 * MIB, u64::MAX);
            let wanted = sweep_all(&puzzle, Direction::Down, whole).count;
            for (i, direction) in (6..14).zip([Direction::Down, Direction::Right].iter().cycle()) {
                let little = Allowance {
                    bytes: (MIB as f64 * 0.75f64.powi(i - 10)) as u64,
                    threads: 1 + i as usize % 2,
                    work_ns: if i % 3 == 0 { 10_000 * NS } else { u64::MAX },
                    ..whole
                };
                let swept = sweep_all(&puzzle, *direction, little);
                assert!(swept.count == wanted || swept.count == Err(SweepEnd::Full));
                divided += u32::from(swept.is_divided && swept.count.is_ok());
                pauses += swept.pauses;
            }
        }
        assert!(divided > 2 && pauses > 20, "{divided}, {pauses}");
    }

    #[test]
    fn a_forecast_by_walks_is_close() {
        let (mut sweep, allowance) = sweep(&permutations(20), 100_000 * NS);
        let mut forecasts = Vec::new();
        while sweep.run(allowance) == Err(SweepEnd::Paused) {
            forecasts.push((sweep.work_ns(), sweep.forecast_ns()));
        }
        // By then there are enough combinations for walks.
        let work = sweep.work_ns() as f64;
        forecasts.retain(|&(done, _)| done as f64 > work / 3.0);
        assert!(forecasts.len() > 5, "{forecasts:?}");
        for (_, forecast) in forecasts {
            assert!((0.5..2.0).contains(&(forecast / work)), "{forecast} {work}");
        }
    }

    /// A sweep of a puzzle with one component, with this work at once.
    fn sweep(puzzle: &Puzzle, work_ns: u64) -> (Sweep, Allowance<'static>) {
        let allowance = Allowance::of(64 * MIB, work_ns);
        let sweep = with_components(puzzle, |board, components, _| {
            Sweep::new(board, &components[0], Direction::Down, false, allowance)
        });
        (sweep.unwrap(), allowance)
    }

    fn assert_close(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
    }

    #[test]
    fn a_forecast_by_growth_continues_the_growth_so_far() {
        // Before the first line: both frontiers are assumed to have 2^(0.6 * 10) combinations behind each line, and to generate three for each
        // of them on the way and eight at the meeting.
        let (ten, _) = sweep(&permutations(10), NS);
        assert_close(
            ten.forecast_ns(),
            NS as f64 * 64.0 * (9.0 * 3.0 + 2.0 * 8.0),
        );
        // Behind two lines of the near frontier and one of the far one, and one combination out of ten chunks with nine successors.
        let done = 21 + 21 + 20 * 20;
        let (mut twenty, allowance) = sweep(&permutations(20), NS * (done + 9));
        assert_eq!(twenty.run(allowance), Err(SweepEnd::Paused));
        assert_eq!(twenty.work_ns(), NS * (done + 10));
        let left_of_line = 9.0 * 10.0;
        // Then the far frontier moves from 90 combinations to 90 * 20, the near one from 190 to 190 * sqrt(190), and then each has 2^(0.6 * 20).
        let behind_lines = 1800.0 + 190.0 * 190f64.sqrt() + 13.0 * 4096.0;
        let rest = left_of_line + 3.0 * behind_lines + 8.0 * 2.0 * 4096.0;
        assert_close(
            twenty.forecast_ns(),
            NS as f64 * ((done + 10) as f64 + rest),
        );
    }

    #[test]
    fn a_forecast_at_the_meeting_is_by_its_share() {
        let lines = 2 * (11 + 10 * 10 + 45 * 9 + 120 * 8) + 210 * 7;
        // Each layer is half of the meeting, and read in nine chunks.
        for (done, share) in [(0, 1.0 / 18.0), (210 * 7, 10.0 / 18.0)] {
            let (mut sweep, allowance) = sweep(&permutations(10), NS * (lines + done + 1));
            assert_eq!(sweep.run(allowance), Err(SweepEnd::Paused));
            assert_eq!(sweep.work_ns(), NS * (lines + done + 2));
            let whole = (done + 2) as f64 / share;
            assert_close(sweep.forecast_ns(), NS as f64 * (lines as f64 + whole));
        }
    }

    #[test]
    fn a_sweep_shrinks_to_its_two_layers() {
        let lines = 2 * (11 + 10 * 10 + 45 * 9 + 120 * 8) + 210 * 7;
        let (mut sweep, mut allowance) = sweep(&permutations(10), NS * (lines + 1000));
        let at_first = sweep.bytes();
        assert!(at_first > 0);
        assert_eq!(sweep.run(allowance), Err(SweepEnd::Paused));
        // The layers before the first line, of one combination each, were not charged, but are released.
        let layers = at_first + (252 + 210 - 2) * 16;
        assert!(sweep.bytes() > layers);
        sweep.shrink();
        assert_eq!(sweep.bytes(), layers);
        allowance.work_ns = u64::MAX;
        assert_eq!(sweep.run(allowance), Ok(Count::from(3_628_800)));
    }

    #[test]
    fn a_combination_may_have_more_than_64_bits() {
        // Three blocks of 11 cells share 33 columns; at the second row each column has three states.
        let puzzle = Puzzle::from_clues(&[[11]; 3], &[[1]; 33]).unwrap();
        let (mut sweep, allowance) = sweep(&puzzle, u64::MAX);
        assert_eq!(sweep.lines.max_bits(), 66);
        assert_eq!(sweep.run(allowance), Ok(Count::from(6)));
    }
}
