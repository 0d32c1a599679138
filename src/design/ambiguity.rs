//! Where a puzzle is ambiguous: its ambiguous cells in independent regions with their fillings, and two solutions that differ in few cells.
//!
//! The backbone leaves the ambiguous cells, and the cuts of the lines divide these into regions. Each region is then examined by itself,
//! with all other cells as in one solution: its fillings are listed, which divides it further, as far as it can be divided; if there are
//! too many, they are counted. All solutions are the product of the fillings of all regions.

use std::sync::Arc;

use super::fillings::{FillingList, FillingSink, LEAST_DIFFERENCE, max_fillings};
use super::picture::filled_cells;
use crate::board::{self, Board, Clues};
use crate::count::{ComponentTable, Counter};
use crate::line::{Word, by_width};
use crate::puzzle::{Cell, Grid, Puzzle};
use crate::render::differing;
use crate::run::{Control, Instant};
use crate::search::{
    Backbone, Cube, Limits, Outcome, Search, Total, reduce_difference, switched_solution,
};
use crate::solutions::Count;

/// Maximum number of nodes of the search tree for the list of a region. A region that needs more is counted.
const MAX_NODES_PER_LIST: u64 = 1 << 14;

/// Where a puzzle is ambiguous.
///
/// With the feature `serde` it is serialized as `check --full --json` prints it.
///
/// ```
/// use omnogram::Limits;
/// use omnogram::design::Ambiguity;
/// use omnogram::puzzle::{Grid, Puzzle};
///
/// let grid = Grid::from_rows(&["#..#.", ".#.#.", "...#.", "...#.", "#####"])?;
/// let ambiguity = Ambiguity::of(&Puzzle::from_grid(&grid), &Limits::default());
/// assert_eq!(ambiguity.outcome.solutions.to_string(), "2");
/// assert_eq!(ambiguity.regions.len(), 1);
/// assert_eq!(ambiguity.regions[0].bounds(), [0, 0, 2, 2]);
/// assert_eq!(ambiguity.regions[0].fillings.to_string(), "2");
/// assert_eq!(ambiguity.closest(), Some(4));
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ambiguity {
    /// The number of solutions, which is the product of the fillings of the regions; why the run stopped, if it did; and its statistics.
    pub outcome: Outcome,
    /// The cells that are the same in every solution, the ambiguous cells, and, if the run was stopped, those not decided.
    pub backbone: Backbone,
    /// The ambiguous cells in independent regions: the fillings of different regions combine freely. Ordered by their first cells.
    pub regions: Vec<Region>,
    /// Two solutions that differ in as few cells as were found; or the only solution; or none. If the puzzle has a goal that is a solution,
    /// it is one of the two, and then the first, provided that no two others are closer.
    pub solutions: Vec<Grid>,
    /// Whether no two solutions differ in fewer cells than those two.
    pub is_least: bool,
}

/// Ambiguous cells whose fillings are independent of all other cells. A region is as small as possible if its fillings could be listed
/// (up to 4096, fewer for more than a thousand cells); otherwise it may consist of several.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Region {
    /// Its cells, row by row.
    pub cells: Vec<Cell>,
    /// Number of its fillings, at least two.
    pub fillings: Total,
}

impl Region {
    /// The smallest rectangle that contains it: index of the top row, index of the left column, both from 0, height and width.
    pub fn bounds(&self) -> [usize; 4] {
        let rows = || self.cells.iter().map(|cell| usize::from(cell.row));
        let columns = || self.cells.iter().map(|cell| usize::from(cell.column));
        let (top, left) = (rows().min().unwrap_or(0), columns().min().unwrap_or(0));
        let height = rows().max().map_or(0, |bottom| bottom - top + 1);
        let width = columns().max().map_or(0, |right| right - left + 1);
        [top, left, height, width]
    }
}

impl Ambiguity {
    /// Examines a puzzle, on all threads of the rayon pool in which this is called.
    ///
    /// A limit on solutions has no effect. A run that was stopped gives what is known so far: the cells reported as ambiguous are, the
    /// numbers of fillings that are not exact are lower bounds, and the outcome says why it was stopped. Most puzzles take some
    /// milliseconds; without limits, the count of a large region can take very long.
    pub fn of(puzzle: &Puzzle, limits: &Limits) -> Self {
        Self::by(&Search::new(puzzle).limits(limits.clone()))
    }

    /// The same, for the puzzle of this search, with its limits, threads and observer.
    pub fn by(search: &Search<'_>) -> Self {
        Self::survey(search, None)
    }

    /// The same; counts share this component table, so that a component that an earlier puzzle had too is not counted again.
    pub fn sharing(search: &Search<'_>, table: &Arc<ComponentTable>) -> Self {
        Self::survey(search, Some(table))
    }

    fn survey(search: &Search<'_>, table: Option<&Arc<ComponentTable>>) -> Self {
        let started = Instant::now();
        let control = Arc::new(Control::new(&search.limits, false));
        let goal = search.puzzle.solved_goal();
        let (backbone, solutions, outcome) =
            search.backbone_under(&control, search.whole_effort(), goal);
        let mut ambiguity = Ambiguity {
            outcome,
            backbone,
            regions: Vec::new(),
            solutions,
            is_least: false,
        };
        if let [first, second] = &mut ambiguity.solutions[..] {
            // One at the least possible distance from the first, or else the second, made more alike.
            *second = switched_solution(search.puzzle, first)
                .unwrap_or_else(|| reduce_difference(first, second));
            let base = first.clone();
            let survey = Survey {
                search,
                table,
                control: &control,
                base: &base,
                undecided_by_lines: Vec::new(),
                ambiguity: &mut ambiguity,
                is_listed: true,
            };
            survey.run();
        }
        ambiguity.outcome.elapsed = started.elapsed();
        ambiguity
    }

    /// Number of cells in which the two solutions differ; `None` if there are not two.
    pub fn closest(&self) -> Option<usize> {
        match &self.solutions[..] {
            [first, second] => Some(differing(first, second).len()),
            _ => None,
        }
    }
}

/// The examination of the regions of a puzzle with several solutions.
#[derive(Debug)]
struct Survey<'a> {
    search: &'a Search<'a>,
    /// The component table that counts share, if it is kept beyond this run.
    table: Option<&'a Arc<ComponentTable>>,
    control: &'a Arc<Control>,
    /// A solution: while a region is examined, all other cells are as here.
    base: &'a Grid,
    /// The cells that propagation of the clues alone leaves unknown, row by row.
    undecided_by_lines: Vec<Cell>,
    /// The result so far; its solutions are the two that differ in the fewest cells.
    ambiguity: &'a mut Ambiguity,
    /// Whether the fillings of all regions so far were listed.
    is_listed: bool,
}

impl Survey<'_> {
    fn run(mut self) {
        let longest = self.base.width().max(self.base.height());
        match by_width!(longest, W => self.split::<W>()) {
            Some(regions) => regions.into_iter().for_each(|cells| self.examine(cells)),
            None => {
                let cells = filled_cells(&self.ambiguity.backbone.ambiguous).collect();
                self.add(cells, Total::AtLeast(Count::from(2)));
            }
        }
        let is_closest = self.is_closest();
        let ambiguity = self.ambiguity;
        let first_cell = |region: &Region| region.cells.first().copied();
        ambiguity.regions.sort_by_key(first_cell);
        let (mut product, mut is_exact) = (Count::ONE, ambiguity.backbone.is_complete());
        for region in &ambiguity.regions {
            product *= region.fillings.number();
            is_exact &= region.fillings.is_exact();
        }
        ambiguity.is_least = is_closest || is_exact && self.is_listed;
        let outcome = &mut ambiguity.outcome;
        let stopped = self.control.reason().or(outcome.stopped);
        outcome.stopped = stopped.filter(|_| !is_exact);
        outcome.solutions = if is_exact {
            Total::Exactly(product)
        } else {
            Total::AtLeast(product.max(outcome.solutions.number().clone()))
        };
    }

    /// Whether no two solutions can be closer than those found.
    fn is_closest(&self) -> bool {
        self.ambiguity.closest() <= Some(LEAST_DIFFERENCE)
    }

    /// The regions of the ambiguous cells, as far as the clues of single lines divide them. `None` when the control has stopped it.
    fn split<W: Word>(&mut self) -> Option<Vec<Vec<Cell>>> {
        let clues = Clues::new(self.search.puzzle);
        let mut board = Board::<W>::new(&clues);
        board.propagate_unless(|| self.control.poll())?;
        self.undecided_by_lines = board::Region::whole(&board).unknown(&board).collect();
        let backbone = &self.ambiguity.backbone;
        let rows = (0..clues.height()).map(|row| (row, backbone.known_in_row(row)));
        let mut alive = board.assign_rows(rows);
        alive &= board.propagate_unless(|| self.control.poll())?;
        debug_assert!(alive, "the backbone contradicts no solution");
        let whole = board::Region::whole(&board);
        let regions = board::split_unless(&mut board, &whole, || self.control.poll())?;
        let cells = |region: &board::Region<W>| region.unknown(&board).collect();
        Some(regions.iter().map(cells).collect())
    }

    /// Examines a region that is independent of all other cells.
    fn examine(&mut self, cells: Vec<Cell>) {
        if self.control.poll() {
            let cells = self.ambiguous(&cells);
            return self.add(cells, Total::AtLeast(Count::from(2)));
        }
        // The solutions that are as the base outside of this region.
        let outside = self.undecided_by_lines.iter().copied();
        let outside = outside.filter(|cell| cells.binary_search(cell).is_err());
        let cube = Cube::of(outside.map(|cell| (cell, cell.is_filled_in(self.base))));
        let (list, is_complete) = self.list(cells, cube.clone());
        if is_complete && let Some(groups) = list.groups(self.control) {
            for (i, cell) in list.cells.iter().enumerate() {
                let (row, column) = cell.place();
                if !groups.iter().any(|group| group.cells.contains(&i)) {
                    let backbone = &mut self.ambiguity.backbone;
                    backbone.fix(row, column, list.is_filled(0, i));
                }
            }
            for group in groups {
                self.compare(&list, &group.cells);
                let cells = group.cells.iter().map(|&i| list.cells[i]).collect();
                self.add(cells, Total::Exactly(Count::from(group.fillings() as u64)));
            }
            return;
        }
        self.is_listed = false;
        self.compare(&list, &(0..list.cells.len()).collect::<Vec<_>>());
        for i in list.varying() {
            self.mark_ambiguous(list.cells[i]);
        }
        let listed = Count::from(list.len().max(2) as u64);
        let fillings = match self.count(cube) {
            Total::Exactly(number) => Total::Exactly(number),
            Total::AtLeast(number) => Total::AtLeast(number.max(listed)),
        };
        let cells = self.ambiguous(&list.cells);
        self.add(cells, fillings);
    }

    /// Adds a region, unless it has no cells.
    fn add(&mut self, cells: Vec<Cell>, fillings: Total) {
        if !cells.is_empty() {
            cells.iter().for_each(|&cell| self.mark_ambiguous(cell));
            self.ambiguity.regions.push(Region { cells, fillings });
        }
    }

    fn mark_ambiguous(&mut self, cell: Cell) {
        let ambiguous = &mut self.ambiguity.backbone.ambiguous;
        ambiguous.set(cell.row.into(), cell.column.into(), true);
    }

    /// Those of these cells that are known to be ambiguous.
    fn ambiguous(&self, cells: &[Cell]) -> Vec<Cell> {
        let ambiguous = &self.ambiguity.backbone.ambiguous;
        let cells = cells.iter().copied();
        cells.filter(|cell| cell.is_filled_in(ambiguous)).collect()
    }

    /// Lists the fillings of a region, and returns whether these are all.
    fn list(&mut self, cells: Vec<Cell>, cube: Cube) -> (FillingList, bool) {
        let most = max_fillings(cells.len()) as u64 + 1;
        let fillings = FillingSink::new(cells);
        let control = Arc::new(self.control.part(MAX_NODES_PER_LIST));
        let limits = Limits::default().memory(self.search.limits.memory);
        let outcome = Search::new(self.search.puzzle)
            .cubes(vec![cube])
            .single_threaded()
            .limits(limits.solutions(most))
            .run_under(&control, &fillings);
        self.ambiguity.outcome.statistics.add(&outcome.statistics);
        (fillings.into_list(self.base), outcome.stopped.is_none())
    }

    /// Counts the fillings of a region.
    fn count(&mut self, cube: Cube) -> Total {
        if self.control.stopped() {
            return Total::AtLeast(Count::ONE);
        }
        let search = self.search;
        let mut counter = Counter::new(search.puzzle)
            .limits(search.limits.clone())
            .within(cube)
            .under(self.control);
        if search.single_threaded {
            counter = counter.single_threaded();
        }
        if let Some(observer) = search.observer {
            counter = counter.observer(observer);
        }
        if let Some(table) = self.table {
            counter = counter.sharing(table);
        }
        let outcome = counter.run();
        let own = &mut self.ambiguity.outcome;
        own.statistics.add(&outcome.statistics);
        own.stopped = own.stopped.or(outcome.stopped);
        outcome.solutions
    }

    /// Keeps the closest two of the solutions that have the fillings of a list in these cells, if they are closer than those found before.
    fn compare(&mut self, list: &FillingList, cells: &[usize]) {
        if self.is_closest() {
            return;
        }
        let Some(pair) = list.closest(cells, self.control) else {
            return;
        };
        if Some(pair.cells) < self.ambiguity.closest() {
            let fillings = [pair.first, pair.second].map(|filling| {
                let mut grid = self.base.clone();
                for &i in cells {
                    let (row, column) = list.cells[i].place();
                    grid.set(row, column, list.is_filled(filling, i));
                }
                grid
            });
            self.ambiguity.solutions = fillings.into();
        }
    }
}
