//! What the SAT solving of puzzles asks of a solver. `cadical` and `batsat` are such solvers; `absent` stands in where a build has none.
//!
//! As in DIMACS, a variable is a number from 1, and a literal is a variable or its negative.

/// The answer of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Satisfiable,
    Unsatisfiable,
    /// A limit was met, or the solver was told to stop.
    Unknown,
}

/// A SAT solver with clause learning that is called repeatedly and keeps what it has learnt.
pub(super) trait IncrementalSolver: Sized {
    /// A new solver; `None` in a build that has none.
    fn new() -> Option<Self>;

    /// Adds a clause for all later calls.
    fn add_clause(&mut self, clause: &[i32]);

    /// Assumes a literal for the next call only.
    fn assume(&mut self, literal: i32);

    /// Requires for the next call only that one of these literals is true. At most once before each call.
    fn constrain(&mut self, clause: &[i32]);

    /// Sets the value that the variable of a literal is tried with first, so that the literal becomes true.
    fn set_phase(&mut self, literal: i32);

    /// Lets the solver choose again which value of a variable it tries first.
    fn clear_phase(&mut self, variable: i32);

    /// Calls `stop` at intervals during all later calls. A call ends soon after it returns `true`.
    fn stop_when(&mut self, stop: impl FnMut() -> bool + 'static);

    /// Passes every clause learnt from now on that has at most `max_literals` literals to `learnt`. Such a clause follows from the clauses
    /// added, whatever was assumed or required for a call.
    fn export_learnt(&mut self, max_literals: usize, learnt: impl FnMut(&[i32]) + 'static);

    /// Looks for a model, until this number of conflicts.
    fn solve(&mut self, max_conflicts: Option<u32>) -> Answer;

    /// After [`Answer::Satisfiable`], whether a variable is true in the model.
    fn is_true(&mut self, variable: i32) -> bool;

    /// After [`Answer::Unsatisfiable`], whether this assumption was needed for it.
    fn is_needed(&mut self, assumption: i32) -> bool;

    /// The value of a variable in all models, if it has been proved so far.
    fn fixed(&self, variable: i32) -> Option<bool>;

    /// Number of conflicts so far.
    fn conflicts(&self) -> u64;

    /// Work done so far: a deterministic measure, in units of about 30 nanoseconds.
    fn ticks(&self) -> u64;
}

/// The literal that says whether a variable is true.
pub(super) fn literal(variable: i32, is_true: bool) -> i32 {
    if is_true { variable } else { -variable }
}
