//! Tests that every solver answers what trying all assignments answers.

use std::cell::RefCell;
use std::rc::Rc;

use super::batsat::Batsat;
#[cfg(feature = "sat")]
use super::cadical::Cadical;
use super::encode::Encoding;
use super::incremental::{Answer, IncrementalSolver};
use crate::puzzle::{Grid, Puzzle};

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn literal(&mut self, variables: u64) -> i32 {
        let variable = 1 + self.below(variables) as i32;
        if self.below(2) == 0 {
            variable
        } else {
            -variable
        }
    }

    fn literals(&mut self, variables: u64, count: u64) -> Vec<i32> {
        (0..count).map(|_| self.literal(variables)).collect()
    }
}

/// Whether a literal is true in an assignment, which has the value of variable 1 in bit 0.
fn is_true(literal: i32, assignment: u32) -> bool {
    (assignment >> (literal.unsigned_abs() - 1) & 1 == 1) == (literal > 0)
}

fn satisfies(assignment: u32, clause: &[i32]) -> bool {
    clause.iter().any(|&literal| is_true(literal, assignment))
}

/// Asks a solver questions with assumptions, a clause for one call and phases, while clauses are added until there is no model.
fn answers_like_all_assignments<S: IncrementalSolver>() {
    let random = &mut Random(0x9E37_79B9_7F4A_7C15);
    let (mut answers, mut proved, mut learnt_clauses, mut unneeded) = ([0; 2], 0, 0, 0);
    for _ in 0..60 {
        let variables = 10 + random.below(4);
        let mut models: Vec<u32> = (0..1 << variables).collect();
        let mut solver = S::new().unwrap();
        let learnt = Rc::new(RefCell::new(Vec::new()));
        let list = Rc::clone(&learnt);
        solver.export_learnt(6, move |clause| list.borrow_mut().push(clause.to_vec()));
        for turn in 0.. {
            let size = if turn > 20 { 3 } else { 5 };
            let clause = random.literals(variables, size);
            solver.add_clause(&clause);
            models.retain(|&model| satisfies(model, &clause));
            for _ in 0..random.below(3) {
                solver.set_phase(random.literal(variables));
            }
            if random.below(4) == 0 {
                solver.clear_phase(random.literal(variables).abs());
            }
            let count = random.below(5);
            let assumptions = random.literals(variables, count);
            let count = random.below(4);
            let clause = (random.below(2) == 0).then(|| random.literals(variables, count));
            let is_answer = |model: u32, assumptions: &[i32]| {
                assumptions.iter().all(|&literal| is_true(literal, model))
                    && clause
                        .as_ref()
                        .is_none_or(|clause| satisfies(model, clause))
            };
            let ask = |solver: &mut S, assumptions: &[i32]| {
                (assumptions.iter()).for_each(|&literal| solver.assume(literal));
                if let Some(clause) = &clause {
                    solver.constrain(clause);
                }
                solver.solve(None)
            };
            match ask(&mut solver, &assumptions) {
                Answer::Satisfiable => {
                    let values = (1..=variables as i32).rev();
                    let model = values.fold(0, |model, variable| {
                        model << 1 | u32::from(solver.is_true(variable))
                    });
                    assert!(is_answer(model, &assumptions) && models.contains(&model));
                    answers[0] += 1;
                }
                Answer::Unsatisfiable => {
                    assert!(!models.iter().any(|&model| is_answer(model, &assumptions)));
                    // The assumptions that were needed suffice.
                    let mut needed = assumptions.clone();
                    needed.retain(|&literal| solver.is_needed(literal));
                    unneeded += assumptions.len() - needed.len();
                    assert_eq!(ask(&mut solver, &needed), Answer::Unsatisfiable);
                    answers[1] += 1;
                }
                Answer::Unknown => panic!("the solver is never stopped"),
            }
            for variable in 1..=variables as i32 {
                if let Some(value) = solver.fixed(variable) {
                    let literal = if value { variable } else { -variable };
                    assert!(models.iter().all(|&model| is_true(literal, model)));
                    proved += 1;
                }
            }
            for clause in learnt.borrow_mut().drain(..) {
                assert!(models.iter().all(|&model| satisfies(model, &clause)));
                learnt_clauses += 1;
            }
            if models.is_empty() {
                assert_eq!(solver.solve(None), Answer::Unsatisfiable);
                break;
            }
        }
        assert!(solver.conflicts() > 0 && solver.ticks() > 0);
    }
    let least = [answers[0], answers[1], proved, learnt_clauses, unneeded];
    assert!(least.iter().all(|&number| number > 50), "{least:?}");
}

/// A call ends at its limit on conflicts and when it is told to stop, and the next one continues.
fn calls_end_in_time<S: IncrementalSolver>() {
    // Seven items do not go into six places.
    let variable = |item: i32, place: i32| 1 + 6 * item + place;
    let mut solver = S::new().unwrap();
    for item in 0..7 {
        solver.add_clause(
            &(0..6)
                .map(|place| variable(item, place))
                .collect::<Vec<_>>(),
        );
        for (other, place) in (0..item).flat_map(|other| (0..6).map(move |place| (other, place))) {
            solver.add_clause(&[-variable(item, place), -variable(other, place)]);
        }
    }
    let told = Rc::new(RefCell::new((0, false)));
    let stop = Rc::clone(&told);
    solver.stop_when(move || {
        let (calls, is_told) = &mut *stop.borrow_mut();
        *calls += 1;
        *is_told
    });
    for clause in [None, Some([1, 2])] {
        let before = solver.conflicts();
        clause.iter().for_each(|clause| solver.constrain(clause));
        assert_eq!(solver.solve(Some(20)), Answer::Unknown);
        let conflicts = solver.conflicts() - before;
        assert!((20..25).contains(&conflicts), "{conflicts}");
    }
    let calls = told.borrow().0;
    assert!(calls > 0);
    told.borrow_mut().1 = true;
    let before = solver.conflicts();
    assert_eq!(solver.solve(None), Answer::Unknown);
    assert!(told.borrow().0 - calls <= 2 && solver.conflicts() - before < 20);
    told.borrow_mut().1 = false;
    assert_eq!(solver.solve(None), Answer::Unsatisfiable);
}

/// A solver whose phases are those of a model finds that model first, unless conflicts lead it away.
fn phases_lead_to_a_model<S: IncrementalSolver>() {
    let random = &mut Random(0x1234_5678_9ABC_DEF1);
    let mut found = 0;
    for _ in 0..50 {
        let picture = random.below(1 << 16);
        let mut grid = Grid::new(4, 4);
        (0..16).for_each(|i| grid.set(i / 4, i % 4, picture >> i & 1 == 1));
        let puzzle = Puzzle::from_grid(&grid);
        let encoding = Encoding::of_whole(&puzzle, usize::MAX, &mut || false).unwrap();
        let mut solver = S::new().unwrap();
        let add = |_, clause: &[i32]| solver.add_clause(clause);
        encoding.encode(&puzzle, &mut || false, add).unwrap();
        for (variable, row, column) in encoding.cells.each() {
            let is_filled = grid.get(row, column);
            solver.set_phase(if is_filled { variable } else { -variable });
        }
        assert_eq!(solver.solve(None), Answer::Satisfiable);
        found += u32::from(encoding.grid(|variable| solver.is_true(variable)) == grid);
    }
    assert!(found > 45, "{found}");
}

#[test]
fn batsat_answers_like_all_assignments() {
    answers_like_all_assignments::<Batsat>();
    calls_end_in_time::<Batsat>();
    phases_lead_to_a_model::<Batsat>();
}

#[cfg(feature = "sat")]
#[test]
fn cadical_answers_like_all_assignments() {
    answers_like_all_assignments::<Cadical>();
    calls_end_in_time::<Cadical>();
    phases_lead_to_a_model::<Cadical>();
}

/// The solver of this build finds exactly the solutions, and the backbone of all of them.
#[cfg(any(feature = "sat", feature = "sat-rust"))]
#[test]
fn solutions_and_backbones_are_those_of_all_grids() {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::{BackboneSearch, SatAnswer, SatSolver};

    let grids: Vec<(Grid, Puzzle)> = (0..1u32 << 12)
        .map(|cells| {
            let mut grid = Grid::new(4, 3);
            (0..12).for_each(|i| grid.set(i / 4, i % 4, cells >> i & 1 == 1));
            let puzzle = Puzzle::from_grid(&grid);
            (grid, puzzle)
        })
        .collect();
    let unknown = Grid::new(4, 3);
    let mut ambiguous = 0;
    for (first, puzzle) in grids.iter().step_by(7) {
        let same = |other: &&(Grid, Puzzle)| {
            other.1.rows() == puzzle.rows() && other.1.columns() == puzzle.columns()
        };
        let all: BTreeSet<String> = grids
            .iter()
            .filter(same)
            .map(|(grid, _)| grid.to_string())
            .collect();
        let new = || SatSolver::new(puzzle, &unknown, &unknown, u64::MAX, || false).unwrap();
        let (mut solver, mut found) = (new(), BTreeSet::new());
        while let SatAnswer::Solution(grid) = solver.solve(None) {
            solver.forbid(&grid);
            assert!(found.insert(grid.to_string()), "{grid} is found twice");
        }
        assert_eq!(found, all);
        let search = BackboneSearch::new(&Arc::new(first.clone()), &[]);
        search.ask(&mut new(), 1, |_, _| false);
        let found = search.result().backbone;
        assert!(found.is_complete());
        for (row, column) in (0..3).flat_map(|row| (0..4).map(move |column| (row, column))) {
            let differs = |grid: &String| {
                let line = grid.lines().nth(row).unwrap();
                (line.as_bytes()[column] == b'#') != first.get(row, column)
            };
            let expected = (!all.iter().any(differs)).then(|| first.get(row, column));
            assert_eq!(found.get(row, column), expected);
        }
        ambiguous += u32::from(all.len() > 1);
    }
    assert!(ambiguous > 50, "{ambiguous}");
}
