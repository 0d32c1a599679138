//! Certificates that others can check: clauses with their refutation, and the lemmas that a counted graph needs. The module
//! [`certificate`](crate::certificate) says what is in them, and checks them.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use super::cadical::{self, ProofTracer, SatStatus, Terminator};
use super::encode::Encoding;
use super::incremental::literal;
use super::solver::{BYTES_PER_START, SatAnswer, SatSolver};
use crate::certificate::Lemmas;
use crate::puzzle::{Grid, Puzzle};
use crate::run::{Control, Limits};
use crate::solutions::Stop;

/// Maximum number of possible block starts of a puzzle, because variables are `i32`.
const MAX_STARTS: u64 = 1 << 28;

/// Bytes of text that are gathered before they are written.
const CHUNK_BYTES: usize = 1 << 16;

/// What a refutation is to show.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// That there is no solution.
    NoSolution,
    /// That this solution is the only one.
    OnlySolution(&'a Grid),
    /// That these clauses hold in every solution.
    Lemmas(&'a Lemmas),
}

/// How the writing of a refutation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// The claim is proved, and both texts are complete.
    Complete,
    /// The claim is wrong.
    Wrong,
    /// A limit stopped the proof.
    Stopped(Stop),
}

/// Writes the clauses of a puzzle with the opposite of a claim in DIMACS to `clauses`, and a proof that they have no model in LRAT to
/// `proof`, which is returned. [`check_refutation`](crate::certificate::check_refutation) says what is in them.
///
/// One run of CaDiCaL on the current thread, which has to find the proof from the clues alone. Of the limits, those on time and the
/// interrupt are respected; that on memory is compared with an estimate for the clauses; the others have no effect.
///
/// # Errors
///
/// Errors of the outputs.
pub fn write_refutation<W: Write + 'static>(
    puzzle: &Puzzle,
    claim: Claim<'_>,
    limits: &Limits,
    clauses: &mut dyn Write,
    proof: W,
) -> io::Result<(Refutation, W)> {
    let control = Arc::new(Control::new(limits, false));
    let stopped =
        |control: &Control| Refutation::Stopped(control.reason().unwrap_or(Stop::Interrupt));
    let mut stop = {
        let control = Arc::clone(&control);
        move || control.poll()
    };
    let memory = limits.memory.unwrap_or(u64::MAX);
    let max_starts = (memory / BYTES_PER_START).min(MAX_STARTS) as usize;
    let Some(encoding) = Encoding::of_whole(puzzle, max_starts, &mut stop) else {
        control.stop(Stop::Memory);
        return Ok((stopped(&control), proof));
    };
    let violations = Violations::new(claim, encoding.starts.max_variable());
    let count = violations.clauses.len() as u64 + encoding.clauses(puzzle);
    let (width, height) = (puzzle.width(), puzzle.height());
    writeln!(
        clauses,
        "c nonogram {width}x{height}, and {}",
        violations.comment
    )?;
    writeln!(clauses, "p cnf {} {count}", violations.max_variable)?;
    let tracer = Rc::new(RefCell::new(Tracer::new(proof, count)));
    let mut solver = cadical::configured();
    solver.connect_proof_tracer1(Rc::clone(&tracer), true, false);
    let mut text = Vec::with_capacity(2 * CHUNK_BYTES);
    let mut failed = Ok(());
    let mut add = |clause: &[i32]| {
        for &literal in clause {
            solver.add(literal);
            push_number(&mut text, i64::from(literal));
        }
        solver.add(0);
        text.extend_from_slice(b"0\n");
        if text.len() >= CHUNK_BYTES && failed.is_ok() {
            failed = clauses.write_all(&text);
            text.clear();
        }
    };
    let encoded = encoding.encode(puzzle, &mut stop, |_, clause| add(clause));
    violations.clauses.iter().for_each(|clause| add(clause));
    failed.and_then(|()| clauses.write_all(&text))?;

    let mut answer = Refutation::Wrong;
    if encoded.is_none() {
        answer = stopped(&control);
    } else {
        solver.connect_terminator(StopOrFailure(stop, Rc::clone(&tracer)));
        match solver.solve() {
            SatStatus::SATISFIABLE => {}
            SatStatus::UNSATISFIABLE => answer = Refutation::Complete,
            SatStatus::UNKNOWN => answer = stopped(&control),
        }
    }
    // Drops the tracer's other owners.
    drop(solver);
    let tracer = Rc::into_inner(tracer).expect("the solver owned the others");
    let (proof, is_refuted) = tracer.into_inner().finish()?;
    assert!(
        is_refuted || answer != Refutation::Complete,
        "the solver refutes the clauses without an empty clause in its proof"
    );
    Ok((answer, proof))
}

/// The opposite of a claim, as clauses.
struct Violations {
    clauses: Vec<Vec<i32>>,
    max_variable: i32,
    comment: &'static str,
}

impl Violations {
    /// `max_variable`: the greatest variable of the puzzle.
    fn new(claim: Claim<'_>, mut max_variable: i32) -> Self {
        let mut clauses = Vec::new();
        let mut violations = Vec::new();
        let comment = match claim {
            Claim::NoSolution => "nothing else",
            Claim::OnlySolution(grid) => {
                let cells = (0..grid.height())
                    .flat_map(|row| (0..grid.width()).map(move |column| grid.get(row, column)));
                violations.extend(
                    cells
                        .zip(1..)
                        .map(|(filled, variable)| -literal(variable, filled)),
                );
                "a solution that differs from the known one"
            }
            Claim::Lemmas(lemmas) => {
                for lemma in lemmas.clauses() {
                    if let [literal] = **lemma {
                        violations.push(-literal);
                        continue;
                    }
                    max_variable += 1;
                    violations.push(max_variable);
                    clauses.extend(lemma.iter().map(|&literal| vec![-max_variable, -literal]));
                }
                "a solution that violates a lemma"
            }
        };
        if !matches!(claim, Claim::NoSolution) {
            clauses.push(violations);
        }
        Violations {
            clauses,
            max_variable,
            comment,
        }
    }
}

/// Appends a number and a space.
fn push_number(text: &mut Vec<u8>, number: i64) {
    if number < 0 {
        text.push(b'-');
    }
    let mut number = number.unsigned_abs();
    let begin = text.len();
    loop {
        text.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text[begin..].reverse();
    text.push(b' ');
}

/// Writes what the solver derives as steps of a proof.
struct Tracer<W> {
    out: W,
    text: Vec<u8>,
    failed: Option<io::Error>,
    /// The number of each clause in the proof, by the solver's number.
    numbers: Vec<u64>,
    /// Number of the original clauses so far.
    originals: u64,
    /// The last number of a clause.
    last: u64,
    is_refuted: bool,
}

impl<W: Write> Tracer<W> {
    /// `originals`: the number of original clauses. They have the first numbers, even if the solver derives some clauses before the last of
    /// them is added.
    fn new(out: W, originals: u64) -> Self {
        Tracer {
            out,
            text: Vec::with_capacity(2 * CHUNK_BYTES),
            failed: None,
            numbers: Vec::new(),
            originals: 0,
            last: originals,
            is_refuted: false,
        }
    }

    fn name(&mut self, id: i64, number: u64) {
        let index = id as usize;
        if self.numbers.len() <= index {
            self.numbers.resize(index + 1, 0);
        }
        self.numbers[index] = number;
    }

    fn end_line(&mut self) {
        self.text.extend_from_slice(b"0\n");
        if self.text.len() >= CHUNK_BYTES {
            self.write();
        }
    }

    fn write(&mut self) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(&self.text).err();
        }
        self.text.clear();
    }

    /// The output, and whether the proof is complete.
    fn finish(mut self) -> io::Result<(W, bool)> {
        self.write();
        match self.failed {
            Some(error) => Err(error),
            None => Ok((self.out, self.is_refuted)),
        }
    }
}

impl<W: Write> ProofTracer for Tracer<W> {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32], restored: bool) {
        if !restored {
            self.originals += 1;
            self.name(id, self.originals);
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _redundant: bool,
        _witness: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        if self.is_refuted {
            return;
        }
        self.last += 1;
        self.name(id, self.last);
        push_number(&mut self.text, self.last as i64);
        for &literal in clause {
            push_number(&mut self.text, i64::from(literal));
        }
        push_number(&mut self.text, 0);
        for &antecedent in antecedents {
            push_number(&mut self.text, self.numbers[antecedent as usize] as i64);
        }
        self.end_line();
        self.is_refuted = clause.is_empty();
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        if self.is_refuted {
            return;
        }
        push_number(&mut self.text, self.last as i64);
        self.text.extend_from_slice(b"d ");
        push_number(&mut self.text, self.numbers[id as usize] as i64);
        self.end_line();
    }

    fn weaken_minus(&mut self, _id: i64, _clause: &[i32]) {}

    fn strengthen(&mut self, _id: i64) {}

    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}

    fn add_assumption(&mut self, _literal: i32) {}

    fn add_constraint(&mut self, _clause: &[i32]) {}

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, _id: i64, _clause: &[i32], _antecedents: &[i64]) {}

    fn conclude_sat(&mut self, _conclusion_type: i32, _model: &[i32]) {}

    fn conclude_unsat(&mut self, _conclusion_type: i32, _clause_ids: &[i64]) {}

    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}

/// Stops the solver when a limit is reached or the proof cannot be written.
struct StopOrFailure<S, W>(S, Rc<RefCell<Tracer<W>>>);

impl<S: FnMut() -> bool, W> Terminator for StopOrFailure<S, W> {
    fn terminated(&mut self) -> bool {
        // The solver does not call the tracer meanwhile.
        self.0() || self.1.borrow().failed.is_some()
    }
}

/// Finds the lemmas that the check of a counted graph needs: for a literal that holds on the path to a node, a clause of it and of opposites
/// of literals on the path.
#[derive(Debug)]
pub struct LemmaFinder {
    solver: SatSolver,
    width: usize,
    lemmas: Lemmas,
    control: Arc<Control>,
}

impl LemmaFinder {
    /// A finder for a puzzle; `None` if the solver would exceed the memory limit, or a limit on time or an interrupt stops the encoding.
    pub fn new(puzzle: &Puzzle, limits: &Limits) -> Option<Self> {
        let control = Arc::new(Control::new(limits, false));
        let unknown = Grid::new(puzzle.width(), puzzle.height());
        let memory = limits.memory.unwrap_or(u64::MAX);
        let solver_control = Arc::clone(&control);
        let solver = SatSolver::new(puzzle, &unknown, &unknown, memory, move || {
            solver_control.poll()
        })?;
        Some(LemmaFinder {
            solver,
            width: puzzle.width(),
            lemmas: Lemmas::default(),
            control,
        })
    }

    /// Finds a lemma for a literal, given those that hold on the path, and returns whether there is one: whether the literal holds. `false`
    /// too if a limit stops the solver.
    pub fn find(&mut self, holding: &[i32], literal: i32) -> bool {
        if self.lemmas.imply(holding, literal) {
            return true;
        }
        for assumed in holding.iter().copied().chain([-literal]) {
            let (row, column) = self.cell(assumed);
            self.solver.assume(row, column, assumed > 0);
        }
        if self.solver.solve(None) != SatAnswer::None {
            return false;
        }
        let mut lemma = vec![literal];
        for &held in holding {
            let (row, column) = self.cell(held);
            if self.solver.is_needed(row, column, held > 0) {
                lemma.push(-held);
            }
        }
        self.lemmas.add(lemma.into());
        true
    }

    /// Row and column of the cell of a literal.
    fn cell(&self, literal: i32) -> (usize, usize) {
        let index = literal.unsigned_abs() as usize - 1;
        (index / self.width, index % self.width)
    }

    /// Why a limit stopped the solver, if one did.
    pub fn stopped(&self) -> Option<Stop> {
        self.control.reason()
    }

    /// All lemmas that were found.
    pub fn into_lemmas(self) -> Lemmas {
        self.lemmas
    }
}
