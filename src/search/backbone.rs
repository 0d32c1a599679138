//! The backbone: the portfolio looks for two solutions, which answers most puzzles, then SAT solvers on several threads decide the
//! remaining cells, one chunk after the other; without a solver, the tree search decides them one by one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use super::cube::Cube;
use super::meter::{Meter, WHOLE};
use super::outcome::{Outcome, Total};
use super::portfolio::Portfolio;
use super::tree::Search;
use crate::board::Clues;
use crate::puzzle::{Cell, Grid};
use crate::run::{Activity, Control, Snapshot, Statistics, lock, memory_plan};
use crate::sat::{Backbone, BackboneResult, BackboneSearch, SatSolver};
use crate::solutions::{Count, Stop};

/// The effort of a backbone search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Maximum number of ticks of the SAT solvers together. Then the remaining cells stay undecided.
    pub(crate) ticks: Option<u64>,
    /// Maximum number of SAT solvers, each on a thread.
    pub(crate) solvers: usize,
}

/// Maximum number of SAT solvers. Over 13 puzzles two took 1.04 times the CPU time of one, four 1.2 times, and eight 1.5 times.
const MAX_SOLVERS: usize = 8;

/// Bytes that each of several SAT solvers may take, with what it learns: after ten seconds on TAAI 2011 #590 each has about 8 MiB.
const BYTES_PER_SOLVER: u64 = 8 << 20;

/// Ticks of the first SAT solver after which the others join, less than a tenth of a second. Most searches take less, and the others first
/// have to encode the puzzle again.
const JOIN_TICKS: u64 = 2_000_000;

/// What the SAT solvers of a backbone search have done together: their ticks, and the share of the work that the meter has.
#[derive(Default)]
struct Progress {
    ticks: u64,
    reported: u64,
}

impl Search<'_> {
    /// Finds the cells that are the same in every solution, and those that are not.
    ///
    /// A run that was stopped returns correct but incomplete results: some cells are undecided. If it found no solution, the cells returned
    /// as the same are the same in every solution that may exist. If the puzzle has no solution, every cell is undecided and the
    /// outcome says so. The outcome has the number of solutions found, a lower bound unless it is 0 or 1 and the run was not stopped.
    ///
    /// The whole puzzle is examined: cubes and a limit on solutions are ignored. The SAT solver is always used, on up to eight threads,
    /// once there are two solutions. In a build without the features `sat` and `sat-rust` the tree search decides one cell after the other
    /// instead, which gives the same cells but can take far longer.
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
        let control = self.portfolio_control();
        let (backbone, _, outcome) = self.backbone_under(&control, self.whole_effort(), None);
        (backbone, outcome)
    }

    /// The effort of a search to the end, on all threads that this search may use.
    pub(crate) fn whole_effort(&self) -> Effort {
        Effort {
            ticks: None,
            solvers: self.threads(),
        }
    }

    /// The same, under a control that outlives the call. Also returns up to two of the solutions found, a known `witness` first.
    pub(crate) fn backbone_under(
        &self,
        control: &Arc<Control>,
        effort: Effort,
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
        let (found, mut outcome) = first.run_portfolio(control, &portfolio);
        outcome.cubes.clear();
        let mut known = portfolio.known(&found);
        let mut number = found.len() as u64;
        meter.add(0, outcome.statistics.nodes);
        meter.add_solutions(number);
        match (control.reason(), found.as_slice()) {
            (None, [only]) => known = Backbone::of_single_solution(only),
            (None, _) => known = Backbone::unknown(self.puzzle.width(), self.puzzle.height()),
            (Some(why), [first, others @ ..]) => {
                for other in others {
                    known.record_difference(first, other);
                }
                if why == Stop::Limit {
                    control.clear_solution_limit();
                }
                if known.is_complete() || control.stopped() {
                } else if SatSolver::IS_BUILT_IN {
                    let asked = self.report_progress(&meter, || {
                        self.ask_solvers(control, &meter, &known, (first, others), effort)
                    });
                    if let Some((found, conflicts)) = asked {
                        known = found.backbone;
                        number += found.solutions;
                        outcome.statistics.conflicts += conflicts;
                    }
                } else if effort.ticks.is_none() {
                    let (found, statistics) = self.report_progress(&meter, || {
                        self.ask_tree(control, &meter, &mut known, first)
                    });
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
        outcome.elapsed = meter.started.elapsed();
        (known, found, outcome)
    }

    /// Decides each unknown cell by a search for a solution in which it differs from `first`. Returns the number of solutions found.
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
            let search = Search {
                cubes: Some(vec![Cube::of([(Cell::new(row, column), !filled)])]),
                observer: None,
                ..self.clone()
            };
            let (found, outcome) = search.first_under(control, 1);
            statistics.add(&outcome.statistics);
            match (control.reason(), found.as_slice()) {
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

    /// Decides the unknown cells with SAT solvers: the result and the number of conflicts; `None` when it could not begin.
    fn ask_solvers(
        &self,
        control: &Arc<Control>,
        meter: &Meter,
        known: &Backbone,
        (first, others): (&Grid, &[Grid]),
        effort: Effort,
    ) -> Option<(BackboneResult, u64)> {
        let search = BackboneSearch::new(&Arc::new(first.clone()), others);
        let clues = Clues::new(self.puzzle);
        let memory = memory_plan::SOLVER.of(self.limits.bytes());
        // More solvers than cores take turns, and learn alone what another one has shared meanwhile.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let solvers = solvers_in(memory, effort.solvers.min(cores));
        let memory = memory / solvers as u64;
        let exchange = (solvers > 1).then(Arc::default);
        let all = known.undecided().max(1);
        let progress = Mutex::<Progress>::default();
        let conflicts = AtomicU64::new(0);
        // `join` is called before every question, with the ticks so far. The number of conflicts; `None` if the solver could not be built.
        let ask = |join: &mut dyn FnMut(u64)| {
            let polled = Arc::clone(control);
            let stop = move || polled.poll();
            let (filled, empty) = (&known.filled, &known.empty);
            let mut solver = SatSolver::new(self.puzzle, filled, empty, memory, stop)?;
            if let Some(exchange) = &exchange {
                solver.share_clauses(Arc::clone(exchange));
            }
            // Phases from beliefs find differing cells sooner: without them it takes twice as long.
            solver.guess_phases(&clues, || control.poll())?;
            let mut own_ticks = 0;
            search.ask(&mut solver, solvers, |undecided, ticks| {
                join(ticks);
                let mut progress = lock(&progress);
                progress.ticks += ticks - std::mem::replace(&mut own_ticks, ticks);
                let done = WHOLE / all as u64 * all.saturating_sub(undecided) as u64;
                meter.add(done.saturating_sub(progress.reported), 0);
                progress.reported = done.max(progress.reported);
                control.poll() || effort.ticks.is_some_and(|most| progress.ticks > most)
            });
            Some(solver.conflicts())
        };
        let own_conflicts = match solvers {
            1 => ask(&mut |_| {}),
            _ => rayon::scope(|scope| {
                let mut waiting = 1..solvers;
                ask(&mut |ticks| {
                    if ticks < JOIN_TICKS {
                        return;
                    }
                    for _ in waiting.by_ref() {
                        scope.spawn(|_| {
                            // A thread may come too late to help.
                            if !search.has_no_candidates() && !control.poll() {
                                // Relaxed: read when all threads have ended.
                                conflicts.fetch_add(ask(&mut |_| {}).unwrap_or(0), Relaxed);
                            }
                        });
                    }
                })
            }),
        };
        let Some(own_conflicts) = own_conflicts else {
            if solvers > 1 && !control.poll() {
                // There may be memory for fewer solvers.
                let effort = Effort {
                    solvers: solvers / 2,
                    ..effort
                };
                return self.ask_solvers(control, meter, known, (first, others), effort);
            }
            // Has no effect if the run has stopped for another reason.
            if effort.ticks.is_none() {
                control.stop(Stop::Memory);
            }
            return None;
        };
        Some((search.result(), conflicts.into_inner() + own_conflicts))
    }
}

/// How many of `wanted` solvers work on a search, if they may take this number of bytes together: at least one.
fn solvers_in(memory: u64, wanted: usize) -> usize {
    let room = usize::try_from(memory / BYTES_PER_SOLVER).unwrap_or(usize::MAX);
    wanted.min(MAX_SOLVERS).min(room).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under `--memory 40M`, which allows 10 MiB for all of them, eight solvers took 17 MiB more than two (TAAI 2011 #590).
    #[test]
    fn there_are_as_many_solvers_as_there_is_memory_for() {
        let mib = 1 << 20;
        for (memory, wanted, solvers) in [
            (0, 8, 1),
            (10 * mib, 8, 1),
            (25 * mib, 8, 3),
            (1 << 40, 2, 2),
            (1 << 40, 16, 8),
            (1 << 40, 0, 1),
        ] {
            assert_eq!(solvers_in(memory, wanted), solvers);
        }
    }
}
