//! The solver of a build with the feature `sat-rust`, but without `sat`: batsat, a MiniSat in Rust, which needs no C++ compiler, clock,
//! thread or file.
//!
//! What batsat lacks is made from what it has:
//!
//! - A clause for one call: its literals are assumed one after the other, until there is a model. So no learnt clause depends on it.
//! - A limit on conflicts: its callback for learnt clauses counts them, and its callback for stopping compares.
//! - Phases: it tries the value first that a variable had last. A call that assumes a new variable, which implies all phases, and stops as
//!   soon as they are assigned, makes them these values. Such a call stands before each hundred conflicts, which lead away from the phases.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use batsat::{Theory, TheoryArg};

use super::incremental::{Answer, IncrementalSolver};

/// The solver asks whether to stop at every decision. This many decisions ask the caller once.
const DECISIONS_PER_POLL: u32 = 10;

/// Ticks of a propagated literal. Over 13 backbones a tick took 26 to 40 nanoseconds then, and 28 to 45 with CaDiCaL.
const TICKS_PER_PROPAGATION: u64 = 4;

/// Conflicts after which the phases are set again. Over 12 hard puzzles `check` on one thread took 0.11 to 0.14 s (geometric mean) with 100,
/// 0.12 to 0.20 s with 30 to 1000, and 0.26 s without phases; with CaDiCaL 0.12 s.
const CONFLICTS_PER_PHASES: u64 = 100;

/// batsat, with the options that puzzles need.
pub(super) struct Batsat {
    solver: Solver<Watch>,
    /// The solver's variables, beginning with that of variable 1.
    variables: Vec<Var>,
    assumptions: Vec<Lit>,
    constraint: Option<Vec<Lit>>,
    /// The literal that is set as the phase of each of the solver's variables.
    phases: Vec<Option<Lit>>,
    /// Number of phases that are set.
    phases_set: usize,
    /// Number of conflicts at which they are set again.
    phases_until: u64,
    /// The assumptions that the last answer needed, as false literals.
    core: Vec<Lit>,
    /// Conflicts of the calls that set phases.
    phase_conflicts: u64,
}

/// What takes learnt clauses.
type Learnt = Box<dyn FnMut(&[i32])>;

/// What the solver calls.
struct Watch {
    stop: RefCell<Box<dyn FnMut() -> bool>>,
    /// Whether the call under way ends.
    is_over: Rc<Cell<bool>>,
    /// Decisions left until `stop` is called.
    decisions_left: Cell<u32>,
    conflicts_left: u64,
    max_literals: usize,
    learnt: Learnt,
    /// The variable of each of the solver's variables; 0 for one of its own.
    numbers: Vec<i32>,
    clause: Vec<i32>,
}

impl Watch {
    /// Before a call.
    fn begin(&mut self, conflicts_left: u64) {
        self.conflicts_left = conflicts_left;
        self.is_over.set(false);
        self.decisions_left.set(0);
    }

    fn number(&self, literal: Lit) -> i32 {
        let number = self.numbers[literal.var().idx() as usize];
        if literal.sign() { number } else { -number }
    }
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, clause: &[Lit], _: ClauseKind) {
        self.conflicts_left = self.conflicts_left.saturating_sub(1);
        if clause.len() > self.max_literals {
            return;
        }
        let mut numbers = std::mem::take(&mut self.clause);
        numbers.clear();
        numbers.extend(clause.iter().map(|&literal| self.number(literal)));
        if !numbers.contains(&0) {
            (self.learnt)(&numbers);
        }
        self.clause = numbers;
    }

    fn stop(&self) -> bool {
        if self.is_over.get() || self.conflicts_left == 0 {
            return true;
        }
        match self.decisions_left.get().checked_sub(1) {
            Some(left) => self.decisions_left.set(left),
            None => {
                self.decisions_left.set(DECISIONS_PER_POLL - 1);
                self.is_over.set((self.stop.borrow_mut())());
            }
        }
        self.is_over.get()
    }
}

impl Batsat {
    /// Adds a variable of the solver; `number` is that of the caller, or 0.
    fn new_variable(&mut self, number: i32) -> Var {
        self.solver.cb_mut().numbers.push(number);
        self.phases.push(None);
        // A variable that the caller does not know is assumed in one call and never decided.
        self.solver.new_var(lbool::UNDEF, number != 0)
    }

    fn literal(&mut self, literal: i32) -> Lit {
        let index = literal.unsigned_abs() as usize - 1;
        while self.variables.len() <= index {
            let variable = self.new_variable(self.variables.len() as i32 + 1);
            self.variables.push(variable);
        }
        Lit::new(self.variables[index], literal > 0)
    }

    fn literals(&mut self, clause: &[i32]) -> Vec<Lit> {
        clause
            .iter()
            .map(|&literal| self.literal(literal))
            .collect()
    }

    /// The literal that is true if a variable is true; `None` where the solver has not seen it.
    fn known(&self, variable: i32) -> Option<Lit> {
        let variable = self.variables.get(variable as usize - 1)?;
        Some(Lit::new(*variable, true))
    }

    /// Makes the phases the values of the solver's last assignment.
    fn save_phases(&mut self) {
        let all = Lit::new(self.new_variable(0), true);
        let watch = self.solver.cb_mut();
        watch.begin(u64::MAX);
        let mut phases = Phases {
            all: [all],
            phases: &self.phases,
            is_over: Rc::clone(&watch.is_over),
            levels: 0,
        };
        let before = self.solver.num_conflicts();
        self.solver.solve_limited_th(&mut phases, &[all]);
        self.phase_conflicts += self.solver.num_conflicts() - before;
    }

    /// Calls the solver, with `also` assumed besides the assumptions.
    fn call(&mut self, also: Option<Lit>, max_conflicts: u64) -> Answer {
        self.assumptions.extend(also);
        let end = self.conflicts().saturating_add(max_conflicts);
        let answer = loop {
            let mut until = end;
            if self.phases_set > 0 {
                if self.conflicts() >= self.phases_until {
                    self.save_phases();
                    self.phases_until = self.conflicts() + CONFLICTS_PER_PHASES;
                }
                until = end.min(self.phases_until);
            }
            let max_conflicts = until.saturating_sub(self.conflicts());
            self.solver.cb_mut().begin(max_conflicts);
            let answer = self.solver.solve_limited(&self.assumptions);
            let is_over = self.solver.cb().is_over.get() || self.conflicts() >= end;
            if answer != lbool::UNDEF || is_over {
                break answer;
            }
        };
        let count = self.assumptions.len() - usize::from(also.is_some());
        self.assumptions.truncate(count);
        if answer == lbool::TRUE {
            Answer::Satisfiable
        } else if answer == lbool::FALSE {
            self.core.extend_from_slice(self.solver.unsat_core());
            Answer::Unsatisfiable
        } else {
            Answer::Unknown
        }
    }

    /// Calls the solver for each of these literals, until one of them can be true.
    fn call_for_each(&mut self, clause: &[Lit], max_conflicts: u64) -> Answer {
        let end = self.conflicts().saturating_add(max_conflicts);
        for &literal in clause {
            let value = self.solver.value_lvl_0(literal);
            if value == lbool::FALSE {
                continue;
            }
            let left = end.saturating_sub(self.conflicts());
            let answer = self.call(Some(literal), left);
            if answer != Answer::Unsatisfiable {
                return answer;
            }
        }
        Answer::Unsatisfiable
    }
}

impl IncrementalSolver for Batsat {
    fn new() -> Option<Self> {
        let watch = Watch {
            stop: RefCell::new(Box::new(|| false)),
            is_over: Rc::default(),
            decisions_left: Cell::new(0),
            conflicts_left: 0,
            max_literals: 0,
            learnt: Box::new(|_| ()),
            numbers: Vec::new(),
            clause: Vec::new(),
        };
        Some(Batsat {
            solver: Solver::new(options(), watch),
            variables: Vec::new(),
            assumptions: Vec::new(),
            constraint: None,
            phases: Vec::new(),
            phases_set: 0,
            phases_until: 0,
            core: Vec::new(),
            phase_conflicts: 0,
        })
    }

    fn add_clause(&mut self, clause: &[i32]) {
        let mut clause = self.literals(clause);
        self.solver.add_clause_reuse(&mut clause);
    }

    fn assume(&mut self, literal: i32) {
        let literal = self.literal(literal);
        self.assumptions.push(literal);
    }

    fn constrain(&mut self, clause: &[i32]) {
        self.constraint = Some(self.literals(clause));
    }

    fn set_phase(&mut self, literal: i32) {
        let literal = self.literal(literal);
        let before = self.phases[literal.var().idx() as usize].replace(literal);
        self.phases_set += usize::from(before.is_none());
        self.phases_until = 0;
    }

    /// The solver's own choice is the value that the variable had last.
    fn clear_phase(&mut self, variable: i32) {
        if let Some(literal) = self.known(variable) {
            let before = self.phases[literal.var().idx() as usize].take();
            self.phases_set -= usize::from(before.is_some());
        }
    }

    fn stop_when(&mut self, stop: impl FnMut() -> bool + 'static) {
        self.solver.cb_mut().stop = RefCell::new(Box::new(stop));
    }

    fn export_learnt(&mut self, max_literals: usize, learnt: impl FnMut(&[i32]) + 'static) {
        let watch = self.solver.cb_mut();
        watch.max_literals = max_literals;
        watch.learnt = Box::new(learnt);
    }

    fn solve(&mut self, max_conflicts: Option<u32>) -> Answer {
        self.core.clear();
        let max_conflicts = max_conflicts.map_or(u64::MAX, u64::from);
        let answer = match self.constraint.take() {
            Some(clause) => self.call_for_each(&clause, max_conflicts),
            None => self.call(None, max_conflicts),
        };
        self.assumptions.clear();
        answer
    }

    fn is_true(&mut self, variable: i32) -> bool {
        self.known(variable)
            .is_some_and(|literal| self.solver.value_lit(literal) == lbool::TRUE)
    }

    fn is_needed(&mut self, assumption: i32) -> bool {
        let assumption = self.literal(assumption);
        self.core.contains(&!assumption)
    }

    fn fixed(&self, variable: i32) -> Option<bool> {
        let value = self.solver.value_lvl_0(self.known(variable)?);
        (value != lbool::UNDEF).then_some(value == lbool::TRUE)
    }

    fn conflicts(&self) -> u64 {
        self.solver.num_conflicts() - self.phase_conflicts
    }

    fn ticks(&self) -> u64 {
        self.solver.num_propagations() * TICKS_PER_PROPAGATION
    }
}

/// The options that puzzles need.
fn options() -> SolverOpts {
    SolverOpts {
        // The limit on learnt clauses begins again with each call. Other restarts, decays and polarities made differences within the noise.
        learntsize_factor: 1.0,
        ..SolverOpts::default()
    }
}

/// Assigns all phases at once, below the assumption that implies them, and ends the call.
struct Phases<'a> {
    all: [Lit; 1],
    phases: &'a [Option<Lit>],
    is_over: Rc<Cell<bool>>,
    levels: usize,
}

impl Theory for Phases<'_> {
    fn partial_check(&mut self, solver: &mut TheoryArg<'_>) {
        if solver.value(self.all[0].var()) == lbool::UNDEF {
            return;
        }
        for &literal in self.phases.iter().flatten() {
            if solver.value(literal.var()) == lbool::UNDEF {
                solver.propagate(literal);
            }
        }
        self.is_over.set(true);
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        &self.all
    }

    fn final_check(&mut self, _: &mut TheoryArg<'_>) {}

    fn create_level(&mut self) {
        self.levels += 1;
    }

    fn pop_levels(&mut self, count: usize) {
        self.levels -= count;
    }

    fn n_levels(&self) -> usize {
        self.levels
    }
}
