//! The cells that are the same in every solution: a race for the first two solutions, which answers most puzzles, then clause learning,
//! one chunk of cells after the other.

use std::sync::Arc;

use super::meter::{Meter, WHOLE};
use super::outcome::{Outcome, Total};
use super::portfolio::{Portfolio, guess};
use super::tree::Search;
use crate::board::Clues;
use crate::puzzle::Grid;
use crate::run::{Activity, Control, Snapshot, shares};
use crate::sat::SatSolver;
use crate::sat::{Backbone, BackboneResult, backbone};
use crate::solutions::{Count, Stop};

impl Search<'_> {
    /// Finds the cells that are the same in every solution, and those that are not.
    ///
    /// Of a run that was stopped, everything that it says is true, but some cells are undecided; before there is a solution, what is said
    /// to be the same is so in any that there may be. Where there is none, every cell is undecided and the outcome says so. The outcome
    /// has the number of solutions that were met, which is a lower bound unless it is 0 or 1 and nothing stopped the run.
    ///
    /// It asks about the whole puzzle: cubes that were set before do not count, nor does a limit on solutions. Clause learning, which it
    /// cannot do without, works on one thread once there are two solutions.
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
        let (backbone, _, outcome) = self.backbone_under(&control, None);
        (backbone, outcome)
    }

    /// Likewise, under a control that outlives it. After `effort` conflicts it leaves the other cells undecided. It also returns up to two
    /// of the solutions that it met.
    pub(crate) fn backbone_under(
        &self,
        control: &Arc<Control>,
        effort: Option<u64>,
    ) -> (Backbone, Vec<Grid>, Outcome) {
        let meter = Meter::new();
        let portfolio = Arc::new(Portfolio::new(self.puzzle, 2, None));
        // How much of the tree is done says nothing of how many cells are.
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
        let mut outcome = first.start_under(control, &*portfolio, Some(&portfolio));
        let (found, conflicts) = portfolio.result();
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
            (None, [only]) => known = Backbone::of_one(only),
            (None, _) => known = Backbone::unknown(self.puzzle.width(), self.puzzle.height()),
            (Some(why), [first, others @ ..]) => {
                others.iter().for_each(|other| known.differ(first, other));
                if why == Stop::Limit {
                    control.clear_solution_limit();
                }
                if !known.is_complete() && !control.stopped() {
                    let ask = || self.ask(control, &meter, &known, (first, others), effort);
                    if let Some((found, conflicts)) = self.ticking(&meter, ask) {
                        known = found.backbone;
                        number += found.solutions;
                        outcome.statistics.conflicts += conflicts;
                    }
                }
            }
            (Some(_), []) => {}
        }
        // A limit that struck when all was known did no harm.
        let known_anyway = number > 0 && known.is_complete();
        outcome.stopped = control.reason().filter(|_| !known_anyway);
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

    /// Asks a learner about the cells that are not known. What it found, and how many conflicts it met; `None` when it could not begin.
    fn ask(
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
        let memory = self.memory() / shares::SOLVER;
        let solver = SatSolver::new(self.puzzle, filled, empty, memory, stop, |_, _, _| {});
        let Some(mut solver) = solver else {
            // Unless something else has stopped it already.
            if effort.is_none() {
                control.stop(Stop::Memory);
            }
            return None;
        };
        // Where solutions are likely to be is also where cells are likely to differ: without that it takes twice as long.
        guess(&mut solver, &Clues::new(self.puzzle), (filled, empty), over)?;
        let all = known.undecided().max(1) as u64;
        let mut told = 0;
        let found = backbone(&mut solver, first, others, |undecided, conflicts| {
            let done = WHOLE / all * all.saturating_sub(undecided as u64);
            meter.add(done - told, 0);
            told = done;
            over() || effort.is_some_and(|effort| conflicts > effort)
        });
        Some((found, solver.conflicts()))
    }
}
