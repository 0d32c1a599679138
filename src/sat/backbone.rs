//! The backbone: the cells that are the same in every solution.
//!
//! A cell that differs between two known solutions is *ambiguous*; every other undecided cell is a *candidate*. The SAT solver is asked for
//! a solution that flips at least one candidate of a chunk. If there is one, every candidate that it flips is ambiguous; if there is none,
//! the whole chunk belongs to the backbone. Cells whose values the solver proves meanwhile are decided as well. So there are never more
//! answers than undecided cells, and usually far fewer. A question that is too hard for now is asked again later.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::solver::{SatAnswer, SatSolver};
use crate::line::{Known, Word};
use crate::puzzle::Grid;
use crate::run::lock;

/// The cells that are the same in every solution, and those that are not, as far as decided.
///
/// The three grids are disjoint. A cell in none of them is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backbone {
    /// Cells that are filled in every solution.
    pub filled: Grid,
    /// Cells that are empty in every solution.
    pub empty: Grid,
    /// Cells that are filled in one solution found and empty in another.
    pub ambiguous: Grid,
}

impl Backbone {
    /// Every cell undecided.
    pub fn unknown(width: usize, height: usize) -> Self {
        let nothing = Grid::new(width, height);
        Backbone {
            filled: nothing.clone(),
            empty: nothing.clone(),
            ambiguous: nothing,
        }
    }

    /// The backbone of a puzzle whose only solution is this grid.
    pub fn of_single_solution(grid: &Grid) -> Self {
        let mut backbone = Backbone::unknown(grid.width(), grid.height());
        for row in 0..grid.height() {
            for column in 0..grid.width() {
                backbone.fix(row, column, grid.get(row, column));
            }
        }
        backbone
    }

    /// Number of cells that are the same in every solution.
    pub fn same(&self) -> usize {
        self.filled.filled() + self.empty.filled()
    }

    /// Number of ambiguous cells.
    pub fn differing(&self) -> usize {
        self.ambiguous.filled()
    }

    /// Number of undecided cells.
    pub fn undecided(&self) -> usize {
        self.filled.width() * self.filled.height() - self.same() - self.differing()
    }

    /// Whether every cell is decided.
    pub fn is_complete(&self) -> bool {
        self.undecided() == 0
    }

    /// The value of this cell in every solution, if that is known.
    ///
    /// # Panics
    ///
    /// When the cell is outside the grid.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> Option<bool> {
        let is_filled = self.filled.get(row, column);
        (is_filled || self.empty.get(row, column)).then_some(is_filled)
    }

    /// Whether this cell is in one of the grids.
    fn is_decided(&self, row: usize, column: usize) -> bool {
        self.ambiguous.get(row, column) || self.get(row, column).is_some()
    }

    /// The cells of a row that are the same in every solution.
    pub(crate) fn known_in_row<W: Word>(&self, row: usize) -> Known<W> {
        Known {
            filled: W::from_parts(self.filled.row(row)),
            empty: W::from_parts(self.empty.row(row)),
        }
    }

    /// Records the cells in which two solutions differ.
    pub(crate) fn record_difference(&mut self, first: &Grid, other: &Grid) {
        let ambiguous = self.ambiguous.words().iter();
        let words = ambiguous
            .zip(first.words())
            .zip(other.words())
            .map(|((ambiguous, first), other)| ambiguous | (first ^ other))
            .collect();
        self.ambiguous = Grid::from_words(first.width(), first.height(), words);
    }

    /// Records the value of a cell in every solution.
    pub(crate) fn fix(&mut self, row: usize, column: usize, filled: bool) {
        if filled {
            self.filled.set(row, column, true)
        } else {
            self.empty.set(row, column, true)
        }
    }
}

impl fmt::Display for Backbone {
    /// Rows of `#` and `.` for cells that are the same in every solution, `?` for ambiguous and `-` for undecided ones, each with a line
    /// break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::with_capacity(self.filled.width());
        for row in 0..self.filled.height() {
            let [filled, empty, ambiguous] =
                [&self.filled, &self.empty, &self.ambiguous].map(|grid| grid.row(row));
            line.clear();
            for column in 0..self.filled.width() {
                let has = |row: &[u64]| row[column / 64] >> (column % 64) & 1 == 1;
                line.push(match () {
                    () if has(filled) => '#',
                    () if has(empty) => '.',
                    () if has(ambiguous) => '?',
                    () => '-',
                });
            }
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// What a [`BackboneSearch`] has found.
#[derive(Clone, Debug)]
pub struct BackboneResult {
    /// The backbone, complete unless the search was stopped.
    pub backbone: Backbone,
    /// Number of solutions found, all different from each other and from those given.
    pub solutions: u64,
}

/// Cells per chunk. The size matters little, because the solver flips one cell after the other. Over 39 tournament puzzles this size was
/// fastest. Sizes 4 and 64 and a single chunk took up to a third longer, and a size that grew with every refutation and shrank with every
/// solution took longest.
const CELLS_PER_CHUNK: usize = 16;

/// Maximum conflicts per question: this number, plus the conflicts so far divided by [`CONFLICT_DIVISOR`]. A question that needs more is
/// postponed, so that easy cells are decided before a limit is reached.
const MIN_CONFLICTS: u64 = 2000;
const CONFLICT_DIVISOR: u64 = 8;

/// Conflicts after which a solver that does not work alone exchanges clauses, also amid a question. Over 13 tournament and random puzzles
/// eight solvers then needed 1.12 times the ticks of one. When they exchanged clauses only before each question, of 2000 conflicts and more,
/// four took 1.6 times the CPU time of one on four of these puzzles: each learnt again what others had learnt.
const CONFLICTS_PER_EXCHANGE: u64 = 50;

/// A backbone search, which one solver or several can work on at the same time, each on a thread of its own.
///
/// ```
/// use std::sync::Arc;
///
/// use omnogram::puzzle::{Clue, Grid, Puzzle};
/// use omnogram::sat::{BackboneSearch, SatAnswer, SatSolver};
///
/// let clue = |blocks: &[usize]| Clue::new(blocks.iter().copied()).unwrap();
/// let columns = vec![clue(&[3]), clue(&[1]), clue(&[1])];
/// let puzzle = Puzzle::new(vec![clue(&[1]), clue(&[2]), clue(&[1, 1])], columns).unwrap();
/// let unknown = Grid::new(3, 3);
/// let mut solver = SatSolver::new(&puzzle, &unknown, &unknown, u64::MAX, || false).unwrap();
/// let SatAnswer::Solution(first) = solver.solve(None) else {
///     panic!("there is one");
/// };
/// let search = BackboneSearch::new(&Arc::new(first), &[]);
/// search.ask(&mut solver, 1, |_, _| false);
/// assert_eq!(search.result().backbone.to_string(), "#..\n##.\n#.#\n");
/// ```
#[derive(Debug)]
pub struct BackboneSearch {
    first: Arc<Grid>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The undecided cells but for those that a solver is being asked about.
    candidates: Vec<(usize, usize)>,
    /// The cells of refuted chunks, in the order of the refutations.
    fixed: Vec<(usize, usize)>,
    found: BackboneResult,
}

impl BackboneSearch {
    /// A search that knows a solution, and `others`, all of them different.
    pub fn new(first: &Arc<Grid>, others: &[Grid]) -> Self {
        let (width, height) = (first.width(), first.height());
        let mut state = State {
            candidates: (0..height)
                .flat_map(|row| (0..width).map(move |column| (row, column)))
                .collect(),
            fixed: Vec::new(),
            found: BackboneResult {
                backbone: Backbone::unknown(width, height),
                solutions: 0,
            },
        };
        for other in others {
            state.found.backbone.record_difference(first, other);
        }
        state.drop_decided();
        BackboneSearch {
            first: Arc::clone(first),
            state: Mutex::new(state),
        }
    }

    /// Whether no cell is left to ask about. A solver may still be asked about others.
    pub(crate) fn has_no_candidates(&self) -> bool {
        lock(&self.state).candidates.is_empty()
    }

    /// Asks this solver until no cell is left to ask about. `solvers` is the number of solvers that work on the search.
    ///
    /// `stop` is called before every question with the number of undecided cells and the [ticks](SatSolver::ticks) so far, and ends the call
    /// when it returns `true`; the solver's own `stop` is called during a question. The result is then correct but incomplete. In any case, the
    /// backbone cells found stay fixed in the solver after the call.
    pub fn ask(
        &self,
        solver: &mut SatSolver,
        solvers: usize,
        mut stop: impl FnMut(usize, u64) -> bool,
    ) {
        let mut fixed_read = 0;
        while let Some((mut chunk, undecided)) = self.take_chunk(solver, solvers, &mut fixed_read) {
            let before = solver.conflicts();
            let max_conflicts = MIN_CONFLICTS + before / CONFLICT_DIVISOR;
            let answer = if stop(undecided, solver.ticks()) {
                None
            } else {
                let end = before + max_conflicts;
                Some(self.ask_about(&mut chunk, solver, solvers, end, &mut fixed_read))
            };
            let is_stopped = match &answer {
                // Fewer conflicts than the maximum: the solver was told to stop.
                Some(SatAnswer::Unknown) => solver.conflicts() - before < max_conflicts,
                _ => answer.is_none(),
            };
            let mut state = lock(&self.state);
            match answer {
                Some(SatAnswer::Solution(other)) => state.add_solution(&self.first, &other),
                Some(SatAnswer::None) => {
                    for (row, column) in chunk.drain(..) {
                        state
                            .found
                            .backbone
                            .fix(row, column, self.first.get(row, column));
                        state.fixed.push((row, column));
                    }
                }
                // Other cells come first.
                Some(SatAnswer::Unknown) if !is_stopped => {
                    state.candidates.splice(..0, chunk.drain(..));
                }
                Some(SatAnswer::Unknown) | None => {}
            }
            state.candidates.append(&mut chunk);
            state.take_proved(solver);
            if is_stopped {
                return;
            }
        }
    }

    /// Asks a solver for a solution that flips a cell of this chunk, until it has had `end` conflicts in all. If it does not work alone, it
    /// exchanges clauses with the others meanwhile, and the cells that they decide leave the chunk. No solution flips a cell of an empty chunk.
    fn ask_about(
        &self,
        chunk: &mut Vec<(usize, usize)>,
        solver: &mut SatSolver,
        solvers: usize,
        end: u64,
        fixed_read: &mut usize,
    ) -> SatAnswer {
        let max_conflicts = match solvers {
            1 => u64::MAX,
            _ => CONFLICTS_PER_EXCHANGE,
        };
        while !chunk.is_empty() {
            solver.exchange_clauses();
            solver.require_difference(&self.first, chunk);
            let before = solver.conflicts();
            let conflicts = (end - before).min(max_conflicts);
            let answer = solver.solve(u32::try_from(conflicts).ok());
            let is_stopped = solver.conflicts() - before < conflicts;
            if answer != SatAnswer::Unknown || is_stopped || solver.conflicts() >= end {
                return answer;
            }
            let mut state = lock(&self.state);
            self.fix_cells(&state, solver, fixed_read);
            state.take_proved(solver);
            chunk.retain(|&(row, column)| !state.found.backbone.is_decided(row, column));
        }
        SatAnswer::None
    }

    /// Fixes the cells in the solver that others have fixed since it was last told.
    fn fix_cells(&self, state: &State, solver: &mut SatSolver, fixed_read: &mut usize) {
        for &(row, column) in &state.fixed[*fixed_read..] {
            solver.fix_cell(row, column, self.first.get(row, column));
        }
        *fixed_read = state.fixed.len();
    }

    /// Takes the cells of the next question, after the solver has learnt the cells that others have fixed. Also returns the number of
    /// undecided cells.
    fn take_chunk(
        &self,
        solver: &mut SatSolver,
        solvers: usize,
        fixed_read: &mut usize,
    ) -> Option<(Vec<(usize, usize)>, usize)> {
        let mut state = lock(&self.state);
        self.fix_cells(&state, solver, fixed_read);
        state.take_proved(solver);
        let count = state.candidates.len();
        // The last cells are divided among the solvers.
        let size = count.div_ceil(solvers).min(CELLS_PER_CHUNK);
        let chunk = state.candidates.split_off(count - size);
        let undecided = state.found.backbone.undecided();
        (!chunk.is_empty()).then_some((chunk, undecided))
    }

    /// What is found so far.
    pub fn result(&self) -> BackboneResult {
        lock(&self.state).found.clone()
    }
}

impl State {
    /// Records the cells that this solution flips as ambiguous.
    fn add_solution(&mut self, first: &Grid, other: &Grid) {
        let before = self.found.backbone.differing();
        self.found.backbone.record_difference(first, other);
        // Two solvers may find the same solution at the same time. The first to flip a cell is different from all before.
        self.found.solutions += u64::from(self.found.backbone.differing() > before);
    }

    /// Records the cells whose values the solver has proved as backbone cells.
    fn take_proved(&mut self, solver: &SatSolver) {
        for &(row, column) in &self.candidates {
            if let Some(filled) = solver.fixed_cell(row, column) {
                self.found.backbone.fix(row, column, filled);
            }
        }
        self.drop_decided();
    }

    /// Removes the candidates that are decided.
    fn drop_decided(&mut self) {
        let backbone = &self.found.backbone;
        self.candidates
            .retain(|&(row, column)| !backbone.is_decided(row, column));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Clue, Puzzle};

    #[test]
    fn every_state_has_its_character() {
        let mut backbone = Backbone::unknown(3, 2);
        assert_eq!(backbone.to_string(), "---\n---\n");
        backbone.fix(0, 0, true);
        backbone.fix(0, 1, false);
        backbone.ambiguous.set(1, 2, true);
        assert_eq!(backbone.to_string(), "#.-\n--?\n");
        let numbers = (backbone.same(), backbone.differing(), backbone.undecided());
        assert_eq!(numbers, (2, 1, 3));
        assert!(!backbone.is_complete());
    }

    #[cfg(any(feature = "sat", feature = "sat-rust"))]
    #[test]
    fn known_solutions_save_questions() {
        let one = || Clue::new([1]).unwrap();
        let puzzle = Puzzle::new(vec![one(), one()], vec![one(), one()]).unwrap();
        let unknown = Grid::new(2, 2);
        let new = || SatSolver::new(&puzzle, &unknown, &unknown, u64::MAX, || false);
        let first = Grid::from_rows(&["#.", ".#"]).unwrap();
        let other = Grid::from_rows(&[".#", "#."]).unwrap();
        let asked = |others: &[Grid]| {
            let mut questions = 0;
            let search = BackboneSearch::new(&Arc::new(first.clone()), others);
            search.ask(&mut new().unwrap(), 1, |_, _| {
                questions += 1;
                false
            });
            let found = search.result();
            assert_eq!(found.backbone.to_string(), "??\n??\n");
            (questions, found.solutions)
        };
        assert_eq!(asked(&[]), (1, 1));
        assert_eq!(asked(&[other]), (0, 0));
    }

    /// Two solvers find the cells that one finds, and never report more solutions than there are.
    #[cfg(any(feature = "sat", feature = "sat-rust"))]
    #[test]
    fn two_solvers_find_the_cells_that_one_finds() {
        let mut state = 1_u64;
        for _ in 0..60 {
            let mut grid = Grid::new(7, 7);
            for i in 0..49 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                grid.set(i / 7, i % 7, state >> 62 == 0);
            }
            let puzzle = Puzzle::from_grid(&grid);
            let unknown = Grid::new(7, 7);
            let never = || false;
            let new = || SatSolver::new(&puzzle, &unknown, &unknown, u64::MAX, never);
            let grid = Arc::new(grid);
            let search = BackboneSearch::new(&grid, &[]);
            search.ask(&mut new().unwrap(), 1, |_, _| false);
            let one = search.result();
            let search = BackboneSearch::new(&grid, &[]);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| search.ask(&mut new().unwrap(), 2, |_, _| false));
                }
            });
            let two = search.result();
            assert_eq!(two.backbone, one.backbone);
            let mut solver = new().unwrap();
            for _ in 0..=two.solutions {
                let SatAnswer::Solution(other) = solver.solve(None) else {
                    panic!("there are at least {} solutions", two.solutions + 1);
                };
                solver.forbid(&other);
            }
        }
    }
}
