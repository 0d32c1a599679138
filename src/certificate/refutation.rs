//! A refutation: clauses that together have no model, and the proof of that, in the LRAT format.
//!
//! The clauses are those of the puzzle, each of which follows from the clue of one line, and what says that some lemma is violated. So the
//! proof shows that every lemma holds in every solution; without lemmas, that there is no solution. A *lemma* is a clause over cells. For
//! one of a single literal, its violation is the opposite literal. For one of several, a variable of its own, greater than those of the
//! encoding, implies the opposite of each of its literals. The last clause is the disjunction of all violations.
//!
//! LRAT: Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, "Efficient Certified RAT Verification", CADE 2017. Every step adds a clause
//! and names the clauses by which unit propagation, from the opposite of its literals, comes to a contradiction. Steps that introduce a
//! clause by the RAT property are refused, because no proof here needs them.

use std::io::BufRead;

use rustc_hash::FxHashMap;

use super::clause::Variables;
use super::lemmas::Lemmas;
use super::text::{Bounds, TextLines, integers};
use crate::error::Result;
use crate::puzzle::Puzzle;

/// What a refutation has shown.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Refuted {
    /// Clauses that hold in every solution.
    pub lemmas: Lemmas,
    /// Whether the clauses of the puzzle alone were refuted.
    pub is_unsolvable: bool,
    /// Number of clauses of the puzzle, all of which were found to follow from a line.
    pub clauses: u64,
    /// Number of steps of the proof that were checked.
    pub steps: u64,
}

/// Checks that the clauses of a DIMACS text follow from the clues of the puzzle, but for those that say that a lemma is violated, and that
/// the LRAT text refutes them. Returns what this shows. The texts are called by the names beside them in errors.
///
/// O(blocks · cells of the line) per clause, and O(literals) per clause that a step names.
///
/// # Errors
///
/// Errors of the inputs; [`Kind::Data`](crate::error::Kind::Data), with the place, if a clause does not follow or a step is wrong; what
/// ends the check by its bounds.
pub fn check_refutation(
    puzzle: &Puzzle,
    (clauses, clauses_name): (&mut dyn BufRead, &str),
    (proof, proof_name): (&mut dyn BufRead, &str),
    bounds: &mut Bounds<'_>,
) -> Result<Refuted> {
    let mut lines = TextLines::new(clauses, clauses_name, bounds);
    let mut checker = Checker::default();
    let mut refuted = Refuted::default();
    checker.read_clauses(puzzle, &mut lines, &mut refuted)?;
    let mut lines = TextLines::new(proof, proof_name, bounds);
    refuted.steps = checker.check_steps(&mut lines)?;
    Ok(refuted)
}

/// The clauses that are known to hold, and the assignment of the current step.
#[derive(Debug, Default)]
struct Checker {
    clauses: FxHashMap<u64, Box<[i32]>>,
    /// The value of each variable: 1, -1, or 0 for none.
    values: Vec<i8>,
    /// The literals that are true.
    trail: Vec<i32>,
    /// Number of the last clause.
    last: u64,
    /// Approximate memory of the clauses.
    bytes: u64,
}

/// Approximate memory of a clause with its entry in the hash table, which is up to half empty and is copied when it grows.
fn clause_bytes(clause: &[i32]) -> u64 {
    (size_of_val(clause) + 96) as u64
}

impl Checker {
    fn read_clauses(
        &mut self,
        puzzle: &Puzzle,
        lines: &mut TextLines<'_, '_>,
        refuted: &mut Refuted,
    ) -> Result<()> {
        let mut variables = Variables::new(puzzle);
        let (max, max_cell) = (variables.max(), variables.max_cell());
        let mut sizes: Option<(i32, u64)> = None;
        let mut clause: Vec<i32> = Vec::new();
        // By the variable of its violation, each lemma of several literals.
        let mut long_lemmas: FxHashMap<i32, Vec<i32>> = FxHashMap::default();
        let mut violations: Option<Vec<i32>> = None;
        while let Some(text) = lines.next()? {
            if text.starts_with('c') || text.is_empty() {
                continue;
            }
            let Some((max_variable, count)) = sizes else {
                let words: Vec<&str> = text.split_whitespace().collect();
                sizes = match words[..] {
                    ["p", "cnf", most, count] => most.parse().ok().zip(count.parse().ok()),
                    _ => None,
                };
                let Some((max_variable, _)) = sizes.filter(|(most, _)| *most >= max) else {
                    return Err(lines.wrong("expected p cnf VARIABLES CLAUSES of this puzzle"));
                };
                self.bytes += max_variable as u64;
                lines.check_memory(self.bytes)?;
                self.values = vec![0; max_variable as usize + 1];
                continue;
            };
            let is_declared = |l: &i32| l.unsigned_abs() <= max_variable as u32;
            if !integers(&mut text.split_ascii_whitespace(), &mut clause)
                || !clause.iter().all(is_declared)
            {
                let message = "expected a clause: literals of the declared variables, and 0";
                return Err(lines.wrong(message));
            }
            if violations.is_some() {
                let message = "a clause after the one that says that a lemma is violated";
                return Err(lines.wrong(message));
            }
            self.last += 1;
            if self.last > count {
                return Err(lines.wrong(format!("more clauses than the {count} declared")));
            }
            self.insert(self.last, &clause);
            lines.check_memory(self.bytes)?;
            lines.work(variables.work_of(&clause))?;
            let cell = |literal: i32| literal.abs() <= max_cell;
            match clause[..] {
                [violation, opposite] if violation < -max && cell(opposite) => {
                    long_lemmas.entry(-violation).or_default().push(-opposite);
                }
                _ if clause.iter().all(|&l| l.abs() <= max) && variables.follows(&clause) => {
                    refuted.clauses += 1;
                }
                _ if clause.iter().all(|&l| l > max || cell(l)) => {
                    violations = Some(std::mem::take(&mut clause));
                }
                _ => {
                    let message = "this clause does not follow from any line of the puzzle";
                    return Err(lines.wrong(message));
                }
            }
        }
        let count = sizes.map_or(0, |(_, count)| count);
        if self.last != count || sizes.is_none() {
            let message = format!("{} clauses, but {count} declared", self.last);
            return Err(lines.wrong_as_a_whole(message));
        }
        refuted.is_unsolvable = violations.is_none();
        for violation in violations.unwrap_or_default() {
            refuted.lemmas.add(if violation > max {
                // A violation that implies nothing is always possible, so no proof can refute it.
                long_lemmas.remove(&violation).unwrap_or_default().into()
            } else {
                [-violation].into()
            });
        }
        Ok(())
    }

    /// Checks the steps up to the one that adds the empty clause, and returns their number.
    fn check_steps(&mut self, lines: &mut TextLines<'_, '_>) -> Result<u64> {
        let (mut steps, mut refuted) = (0, false);
        let mut clause: Vec<i32> = Vec::new();
        let mut hints: Vec<i64> = Vec::new();
        while let Some(text) = lines.next()? {
            let mut words = text.split_ascii_whitespace().peekable();
            let Some(number) = words.next().and_then(|word| word.parse::<u64>().ok()) else {
                return Err(lines.wrong("expected a step: a number, literals, 0, hints, 0"));
            };
            if words.next_if_eq(&"d").is_some() {
                if !integers(&mut words, &mut hints) {
                    return Err(lines.wrong("expected a deletion: a number, d, clauses, 0"));
                }
                for hint in &hints {
                    let Some(clause) = self.clauses.remove(&hint.unsigned_abs()) else {
                        return Err(lines.wrong(format!("there is no clause {hint}")));
                    };
                    self.bytes -= clause_bytes(&clause);
                }
                continue;
            }
            if number <= self.last {
                return Err(lines.wrong(format!("{number} is the number of an earlier clause")));
            }
            self.last = number;
            clause.clear();
            let max = self.values.len() as u32;
            let has_end = loop {
                match words.next().map(str::parse::<i32>) {
                    Some(Ok(0)) => break true,
                    Some(Ok(literal)) if literal.unsigned_abs() < max => clause.push(literal),
                    _ => break false,
                }
            };
            if !has_end || !integers(&mut words, &mut hints) {
                return Err(lines.wrong("expected a step: a number, literals, 0, hints, 0"));
            }
            if let Some(message) = self.check_step(&clause, &hints, lines)? {
                return Err(lines.wrong(message));
            }
            steps += 1;
            refuted |= clause.is_empty();
            self.insert(number, &clause);
            lines.check_memory(self.bytes)?;
        }
        if refuted {
            Ok(steps)
        } else {
            Err(lines.wrong_as_a_whole("the proof does not end with the empty clause"))
        }
    }

    /// Checks that the opposite of the clause's literals leads to a contradiction by the clauses that the hints name, each of which has one
    /// literal that is not yet false, or none. Returns what is wrong.
    fn check_step(
        &mut self,
        clause: &[i32],
        hints: &[i64],
        lines: &mut TextLines<'_, '_>,
    ) -> Result<Option<String>> {
        let mut contradiction = clause.iter().any(|&literal| !self.assign(-literal));
        let mut wrong = None;
        for &hint in hints {
            if contradiction {
                break;
            }
            let number = u64::try_from(hint).ok();
            let Some(named) = number.and_then(|number| self.clauses.get(&number)) else {
                wrong = Some(format!("there is no clause {hint}"));
                break;
            };
            lines.work(named.len())?;
            let values = &self.values;
            let value = |of: i32| values[of.unsigned_abs() as usize] * of.signum() as i8;
            let mut open = named.iter().filter(|&&literal| value(literal) != -1);
            match (open.next(), open.next()) {
                (None, _) => contradiction = true,
                (Some(&unit), None) => {
                    self.assign(unit);
                }
                _ => {
                    wrong = Some(format!("clause {hint} has two literals that are not false"));
                    break;
                }
            }
        }
        for literal in self.trail.drain(..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
        let no_contradiction = || "its hints do not lead to a contradiction".to_owned();
        Ok(wrong.or_else(|| (!contradiction).then(no_contradiction)))
    }

    fn insert(&mut self, number: u64, clause: &[i32]) {
        self.bytes += clause_bytes(clause);
        self.clauses.insert(number, clause.into());
    }

    /// Makes a literal true; `false` if it is false.
    fn assign(&mut self, literal: i32) -> bool {
        let value = &mut self.values[literal.unsigned_abs() as usize];
        let sign = literal.signum() as i8;
        if *value == 0 {
            *value = sign;
            self.trail.push(literal);
        }
        *value == sign
    }
}
