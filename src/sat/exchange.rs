//! The exchange of short learnt clauses between the SAT solvers of several threads.
//!
//! A learnt clause follows from the puzzle alone, whatever was assumed when it was learnt. So it holds for every solver of the same puzzle
//! with the same known cells, and all of these number their variables alike.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use crate::run::lock;

/// Maximum literals of a shared clause. With 2 literals eight threads needed 1.9 times the conflicts of one, with 5 literals 1.7 times,
/// with 12 literals 1.2 times (tcga2016 #535); with 40 literals conflicts were as few, but each cost more propagation.
pub(super) const MAX_LITERALS: usize = 12;

/// Maximum clauses of an exchange, which take about 5 MB. Clauses learnt later are not shared.
const MAX_CLAUSES: usize = 1 << 16;

/// The shared clauses, each with the number of the solver that learnt it.
#[derive(Debug, Default)]
pub(crate) struct Exchange(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    /// Number of solvers that have joined.
    members: u32,
    /// In the order of publication.
    clauses: Vec<(u32, Box<[i32]>)>,
}

/// One solver's membership in an exchange.
#[derive(Debug)]
pub(super) struct Member {
    exchange: Arc<Exchange>,
    number: u32,
    /// Number of clauses of the exchange that this solver has read.
    clauses_read: usize,
    /// The clauses that it has learnt since the last exchange.
    learnt: Learnt,
}

/// Learnt clauses, each ended by 0.
type Learnt = Rc<RefCell<Vec<i32>>>;

impl Member {
    pub(super) fn new(exchange: Arc<Exchange>) -> Self {
        let mut log = lock(&exchange.0);
        log.members += 1;
        let number = log.members;
        drop(log);
        Member {
            exchange,
            number,
            clauses_read: 0,
            learnt: Learnt::default(),
        }
    }

    /// What collects the short clauses that the solver learns.
    pub(super) fn listener(&self) -> impl FnMut(&[i32]) + 'static {
        let learnt = Rc::clone(&self.learnt);
        move |clause| {
            let mut learnt = learnt.borrow_mut();
            learnt.extend_from_slice(clause);
            learnt.push(0);
        }
    }

    /// Publishes the clauses learnt, and passes those of the other solvers to `add`.
    pub(super) fn exchange_clauses(&mut self, mut add: impl FnMut(&[i32])) {
        let mut log = lock(&self.exchange.0);
        for (author, clause) in &log.clauses[self.clauses_read..] {
            if *author != self.number {
                add(clause);
            }
        }
        let mut learnt = self.learnt.borrow_mut();
        for clause in learnt.split(|&literal| literal == 0) {
            if !clause.is_empty() && log.clauses.len() < MAX_CLAUSES {
                log.clauses.push((self.number, clause.into()));
            }
        }
        learnt.clear();
        self.clauses_read = log.clauses.len();
    }
}

#[cfg(any(feature = "sat", feature = "sat-rust"))]
#[cfg(test)]
mod tests {
    use super::super::{SatAnswer, SatSolver};
    use super::*;
    use crate::puzzle::{Grid, Puzzle};

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    fn has_solution(solver: &mut SatSolver, cells: &[(usize, usize, bool)]) -> bool {
        solver.exchange_clauses();
        (cells.iter()).for_each(|&(row, column, filled)| solver.assume(row, column, filled));
        match solver.solve(None) {
            SatAnswer::Solution(_) => true,
            SatAnswer::None => false,
            SatAnswer::Unknown => unreachable!("the solver is never stopped"),
        }
    }

    #[test]
    fn solvers_that_share_clauses_answer_like_one_alone() {
        let mut state = 0x9E37_79B9_7F4A_7C15;
        let (mut refuted, mut shared) = (0, 0);
        for _ in 0..20 {
            let mut picture = Grid::new(12, 12);
            for place in 0..144 {
                picture.set(place / 12, place % 12, random(&mut state).is_multiple_of(3));
            }
            let puzzle = Puzzle::from_grid(&picture);
            let nothing = Grid::new(12, 12);
            let new = || SatSolver::new(&puzzle, &nothing, &nothing, u64::MAX, || false);
            let (mut alone, mut one, mut other) = (new().unwrap(), new().unwrap(), new().unwrap());
            let exchange = Arc::new(Exchange::default());
            one.share_clauses(Arc::clone(&exchange));
            other.share_clauses(Arc::clone(&exchange));
            for turn in 0..60 {
                let cells: Vec<_> = (0..6)
                    .map(|_| {
                        let number = random(&mut state) as usize;
                        (
                            number % 12,
                            number / 12 % 12,
                            (number / 144).is_multiple_of(2),
                        )
                    })
                    .collect();
                let asked = if turn % 2 == 0 { &mut one } else { &mut other };
                let answer = has_solution(asked, &cells);
                assert_eq!(answer, has_solution(&mut alone, &cells), "{cells:?}");
                refuted += u32::from(!answer);
            }
            shared += lock(&exchange.0).clauses.len();
        }
        assert!(
            refuted > 100 && shared > 100,
            "{refuted} refuted, {shared} clauses"
        );
    }
}
