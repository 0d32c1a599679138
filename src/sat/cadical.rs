//! The solver of a build with the feature `sat`: CaDiCaL.

pub(super) use cadical_sys::{CaDiCal, ProofTracer, Status as SatStatus, Terminator};

use super::incremental::{Answer, IncrementalSolver};

/// CaDiCaL, with the options that puzzles need.
pub(super) struct Cadical(CaDiCal);

/// A new solver with the options that puzzles need.
pub(super) fn configured() -> CaDiCal {
    let mut solver = CaDiCal::new();
    // Puzzles are small, so simplifying the clauses takes longer than it saves. Stable mode, with few restarts and the phases of the
    // largest assignment so far, is faster for proofs and solutions than frequent restarts; measured over tournament and survey
    // puzzles.
    solver.configure("plain");
    solver.set("stabilizeonly", 1);
    solver.set("shrink", 0);
    // Keeps the common prefix of the assumptions assigned from one call to the next.
    solver.set("ilb", 1);
    // The option `lucky` tries simple rules that might satisfy all clauses at once. That never succeeds on a puzzle, and undoes the
    // assignment. It made each short call of the counter about ten times as expensive.
    solver.set("lucky", 0);
    solver
}

/// Calls a closure to ask whether to stop.
struct StopCallback<F>(F);

impl<F: FnMut() -> bool> Terminator for StopCallback<F> {
    fn terminated(&mut self) -> bool {
        (self.0)()
    }
}

/// Collects the literals of each short learnt clause, and passes it to a closure.
struct Learner<F> {
    max_literals: usize,
    clause: Vec<i32>,
    learnt: F,
}

impl<F: FnMut(&[i32])> cadical_sys::Learner for Learner<F> {
    fn learning(&mut self, size: i32) -> bool {
        size as usize <= self.max_literals
    }

    fn learn(&mut self, literal: i32) {
        if literal != 0 {
            self.clause.push(literal);
            return;
        }
        (self.learnt)(&self.clause);
        self.clause.clear();
    }
}

impl IncrementalSolver for Cadical {
    fn new() -> Option<Self> {
        Some(Cadical(configured()))
    }

    fn add_clause(&mut self, clause: &[i32]) {
        clause.iter().for_each(|&literal| self.0.add(literal));
        self.0.add(0);
    }

    fn assume(&mut self, literal: i32) {
        self.0.assume(literal);
    }

    fn constrain(&mut self, clause: &[i32]) {
        clause.iter().for_each(|&literal| self.0.constrain(literal));
        self.0.constrain(0);
    }

    fn set_phase(&mut self, literal: i32) {
        self.0.phase(literal);
    }

    fn clear_phase(&mut self, variable: i32) {
        self.0.unphase(variable);
    }

    fn stop_when(&mut self, stop: impl FnMut() -> bool + 'static) {
        self.0.connect_terminator(StopCallback(stop));
    }

    fn export_learnt(&mut self, max_literals: usize, learnt: impl FnMut(&[i32]) + 'static) {
        self.0.connect_learner(Learner {
            max_literals,
            clause: Vec::new(),
            learnt,
        });
    }

    fn solve(&mut self, max_conflicts: Option<u32>) -> Answer {
        if let Some(conflicts) = max_conflicts {
            let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
            self.0.limit("conflicts", conflicts);
        }
        match self.0.solve() {
            SatStatus::SATISFIABLE => Answer::Satisfiable,
            SatStatus::UNSATISFIABLE => Answer::Unsatisfiable,
            SatStatus::UNKNOWN => Answer::Unknown,
        }
    }

    fn is_true(&mut self, variable: i32) -> bool {
        self.0.val(variable) > 0
    }

    fn is_needed(&mut self, assumption: i32) -> bool {
        self.0.failed(assumption)
    }

    fn fixed(&self, variable: i32) -> Option<bool> {
        match self.0.fixed(variable) {
            0 => None,
            fixed => Some(fixed > 0),
        }
    }

    fn conflicts(&self) -> u64 {
        self.0.get_statistic_value("conflicts").max(0) as u64
    }

    fn ticks(&self) -> u64 {
        self.0.get_statistic_value("ticks").max(0) as u64
    }
}
