//! The backbone: the portfolio looks for two solutions, which answers most puzzles, then the SAT solver decides the remaining cells, one
//! chunk after the other; without a solver, the tree search decides them one by one.

use std::sync::Arc;

use super::cube::{Cube, Decision};
use super::meter::{Meter, WHOLE};
use super::outcome::{Outcome, Total};
use super::portfolio::{Portfolio, guess_phases};
use super::tree::Search;
use crate::board::{Cell, Clues};
use crate::puzzle::Grid;
use crate::run::{Activity, Control, Snapshot, Statistics, memory_plan};
use crate::sat::{Backbone, BackboneResult, SatSolver, backbone};
use crate::solutions::{Count, Stop};

impl Search<'_> {
    /// Finds the cells that are the same in every solution, and those that are not.
    ///
    /// A run that was stopped returns correct but incomplete results: some cells are undecided. If it found no solution, the cells returned
    /// as the same are the same in every solution that may exist. If the puzzle has no solution, every cell is undecided and the
    /// outcome says so. The outcome has the number of solutions found, a lower bound unless it is 0 or 1 and the run was not stopped.
    ///
    /// The whole puzzle is examined: cubes and a limit on solutions are ignored. The SAT solver is always used, on one thread,
    /// once there are two solutions. In a build without the feature `sat` the tree search decides one cell after the other instead, which
    /// gives the same cells but can take far longer.
    ///
    /// ```
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::search::{Search, Verdict};
    ///
    /// let clue = |blocks: &[usize]| Clue::new(blocks.iter().copied()).unwrap();
    /// let rows = vec![clue(&[3]), clue(&[1]), clue(&[1])];
    /// let columns = vec![clue(&[1]), clue(&[1, 1]), clue(&[2])];
    /// let puzzle = Puzzle::new(rows, columns).unwrap();
    /// let (backbone, outcome) = Search::new(&puzzle).backbone();
    /// assert!(outcome.is_complete());
    /// assert_eq!(outcome.solutions.verdict(), Verdict::Unique);
    /// assert_eq!(backbone.to_string(), "###\n..#\n.#.\n");
    /// ```
    pub fn backbone(&self) -> (Backbone, Outcome) {
        let control = Arc::new(Control::new(&self.limits, false));
        let (backbone, _, outcome) = self.backbone_under(&control, None, None);
        (backbone, outcome)
    }

    /// The same, under a control that outlives the call. After `effort` ticks of the SAT solver the remaining cells stay undecided. Also
    /// returns up to two of the solutions found; if one is known beforehand, the `witness`, it is the first of them.
    pub(crate) fn backbone_under(
        &self,
        control: &Arc<Control>,
        effort: Option<u64>,
        witness: Option<&Grid>,
    ) -> (Backbone, Vec<Grid>, Outcome) {
        let meter = Meter::new();
        let portfolio = Arc::new(Portfolio::new(self.puzzle, 2, witness));
        // The finished share of the tree is no measure of the cells decided.
        let observe = |snapshot| {
            if let Some(observer) = self.observer {
                observer(Snapshot {
                    share: None,
                    activity: Activity::Backbone,
                    ..snapshot
                });
            }
        };
        let first = Search {
            cubes: None,
            observer: self.observer.and(Some(&observe)),
            ..self.clone()
        };
        let mut outcome = first.run_with(control, &*portfolio, Some(&portfolio));
        let (found, conflicts) = portfolio.take_result();
        outcome.statistics.conflicts = conflicts;
        outcome.cubes.clear();
        let (filled, empty) = portfolio.known(&found);
        let nothing = || Grid::new(self.puzzle.width(), self.puzzle.height());
        let mut known = Backbone {
            filled,
            empty,
            ambiguous: nothing(),
        };
        let mut number = found.len() as u64;
        meter.add(0, outcome.statistics.nodes);
        meter.add_solutions(number);
        match (control.reason(), found.as_slice()) {
            (None, [only]) => known = Backbone::of_single_solution(only),
            (None, _) => known = Backbone::unknown(self.puzzle.width(), self.puzzle.height()),
            (Some(why), [first, others @ ..]) => {
                others
                    .iter()
                    .for_each(|other| known.record_difference(first, other));
                if why == Stop::Limit {
                    control.clear_solution_limit();
                }
                if known.is_complete() || control.stopped() {
                } else if SatSolver::IS_BUILT_IN {
                    let ask = || self.ask_solver(control, &meter, &known, (first, others), effort);
                    if let Some((found, conflicts)) = self.report_progress(&meter, ask) {
                        known = found.backbone;
                        number += found.solutions;
                        outcome.statistics.conflicts += conflicts;
                    }
                } else if effort.is_none() {
                    let ask = || self.ask_tree(control, &meter, &mut known, first);
                    let (found, statistics) = self.report_progress(&meter, ask);
                    number += found;
                    outcome.statistics.add(&statistics);
                }
            }
            (Some(_), []) => {}
        }
        // A limit reached after every cell was decided does not matter.
        let is_complete = number > 0 && known.is_complete();
        outcome.stopped = control.reason().filter(|_| !is_complete);
        outcome.solutions = match (outcome.stopped, number) {
            (None, 0 | 1) => Total::Exactly(Count::from(number)),
            _ => Total::AtLeast(Count::from(number)),
        };
        if outcome.stopped.is_none() {
            meter.finish(number);
        }
        if let Some(observer) = self.observer {
            observer(meter.snapshot());
        }
        outcome.elapsed = meter.elapsed();
        (known, found, outcome)
    }

    /// Decides the unknown cells by the tree search, one after the other: looks for a solution in which the cell differs from `first`.
    /// Returns the number of solutions found.
    fn ask_tree(
        &self,
        control: &Arc<Control>,
        meter: &Meter,
        known: &mut Backbone,
        first: &Grid,
    ) -> (u64, Statistics) {
        let (mut solutions, mut statistics) = (0, Statistics::default());
        let all = known.undecided() as u64;
        let width = self.puzzle.width();
        for (row, column) in (0..width * self.puzzle.height()).map(|i| (i / width, i % width)) {
            if known.get(row, column).is_some() || known.ambiguous.get(row, column) {
                continue;
            }
            let undecided = known.undecided();
            let filled = first.get(row, column);
            let decision = Decision {
                cell: Cell::new(row, column),
                filled: !filled,
            };
            let path = vec![decision];
            let search = Search {
                cubes: Some(vec![Cube { path }]),
                observer: None,
                classic: None,
                ..self.clone()
            };
            let portfolio = Arc::new(Portfolio::new(self.puzzle, 1, None));
            let outcome = search.run_with(control, &*portfolio, Some(&portfolio));
            statistics.add(&outcome.statistics);
            match (control.reason(), portfolio.take_result().0.as_slice()) {
                (None, _) => known.fix(row, column, filled),
                (Some(Stop::Limit), [other]) => {
                    known.record_difference(first, other);
                    solutions += 1;
                    control.clear_solution_limit();
                }
                (Some(_), _) => break,
            }
            let decided = (undecided - known.undecided()) as u64;
            meter.add(WHOLE / all * decided, outcome.statistics.nodes);
        }
        (solutions, statistics)
    }

    /// Decides the unknown cells with a SAT solver. Returns its result and its number of conflicts; `None` when it could not begin.
    fn ask_solver(
        &self,
        control: &Arc<Control>,
        meter: &Meter,
        known: &Backbone,
        (first, others): (&Grid, &[Grid]),
        effort: Option<u64>,
    ) -> Option<(BackboneResult, u64)> {
        let over = || control.poll();
        let stop = {
            let control = Arc::clone(control);
            move || control.poll()
        };
        let (filled, empty) = (&known.filled, &known.empty);
        let memory = self.memory() / memory_plan::SOLVER;
        let solver = SatSolver::new(self.puzzle, filled, empty, memory, stop, |_, _, _| {});
        let Some(mut solver) = solver else {
            // Has no effect if the run has stopped for another reason.
            if effort.is_none() {
                control.stop(Stop::Memory);
            }
            return None;
        };
        // Phases from beliefs find differing cells sooner: without them it takes twice as long.
        guess_phases(&mut solver, &Clues::new(self.puzzle), (filled, empty), over)?;
        let all = known.undecided().max(1) as u64;
        let mut reported = 0;
        let found = backbone(&mut solver, first, others, |undecided, ticks| {
            let done = WHOLE / all * all.saturating_sub(undecided as u64);
            meter.add(done - reported, 0);
            reported = done;
            over() || effort.is_some_and(|effort| ticks > effort)
        });
        Some((found, solver.conflicts()))
    }
}
