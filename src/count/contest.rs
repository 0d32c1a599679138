//! Which order counts a part best: all are tried on the part itself.
//!
//! In rounds. In each, every order that is still in it walks the part for some work, and the half that has done less of it drops out;
//! the next round gives more, and the last one left goes to the end. What the losers have counted stays in the cache. On several
//! threads the orders of a round are tried side by side, and a worker that finds none left goes on with the one that leads.

use std::collections::VecDeque;

use super::order::Order;
use super::worker::Ended;
use crate::solutions::Count;

/// Work of a trial in the first round, in nanoseconds, and how many times more each round has.
const FIRST: u64 = 10_000_000;
const GROWTH: u64 = 4;

/// What a worker is to do next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) part: usize,
    pub(super) order: Order,
    pub(super) budget: u64,
    /// Does its outcome count, or does it only fill the time?
    rated: bool,
}

/// The contest for one part after the other.
#[derive(Debug)]
pub(super) struct Contest {
    /// The number of fillings of each part that is done, in order.
    counted: Vec<Count>,
    /// How many parts there are.
    parts: usize,
    /// Orders to be tried in this round.
    todo: VecDeque<Order>,
    running: usize,
    /// Those that were, with the share that they did.
    tried: Vec<(Order, u64)>,
    budget: u64,
}

impl Contest {
    pub(super) fn new(parts: usize) -> Self {
        let mut contest = Contest {
            counted: Vec::with_capacity(parts),
            parts,
            todo: VecDeque::new(),
            running: 0,
            tried: Vec::new(),
            budget: 0,
        };
        contest.begin_part();
        contest
    }

    fn begin_part(&mut self) {
        self.todo = match std::env::var("ORD") { Ok(x)=>[Order::ALL[x.parse::<usize>().unwrap()]].into(), _=>Order::ALL.into() };
        self.tried.clear();
        self.running = 0;
        self.budget = FIRST;
    }

    /// What to do next; `None` when all is counted.
    pub(super) fn next(&mut self) -> Option<Trial> {
        let part = self.counted.len();
        if part == self.parts {
            return None;
        }
        if self.todo.is_empty() && self.running == 0 {
            // The best first; in order where they are equal, so that a run repeats.
            self.tried.sort_by_key(|&(_, share)| std::cmp::Reverse(share));
            let left = self.tried.len().div_ceil(2);
            self.todo = self.tried.drain(..).take(left).map(|(order, _)| order).collect();
            self.budget = match left {
                1 => u64::MAX,
                _ => self.budget.saturating_mul(GROWTH),
            };
        }
        if let Some(order) = self.todo.pop_front() {
            self.running += 1;
            return Some(Trial {
                part,
                order,
                budget: self.budget,
                rated: true,
            });
        }
        let leader = self.tried.iter().max_by_key(|&&(_, share)| share);
        Some(Trial {
            part,
            order: leader.map_or(Order::ALL[0], |&(order, _)| order),
            // With the last one all go to the end together.
            budget: self.budget,
            rated: false,
        })
    }

    /// How a trial ended; says which part is to be counted now.
    pub(super) fn report(&mut self, trial: Trial, ended: Ended) -> usize {
        let part = self.counted.len();
        if trial.part == part {
            self.running -= usize::from(trial.rated);
            match ended {
                Ended::Done(worth) => {
                    self.counted.push(worth.count);
                    self.begin_part();
                }
                Ended::Spent(share) if trial.rated => self.tried.push((trial.order, share)),
                Ended::Spent(_) | Ended::Stopped => {}
            }
        }
        self.counted.len()
    }

    /// The product of the parts that are done, and how many are not.
    pub(super) fn result(&self) -> (Count, usize) {
        let mut product = Count::ONE;
        self.counted.iter().for_each(|count| product *= count);
        (product, self.parts - self.counted.len())
    }

    /// Is it clear that there is no solution?
    pub(super) fn is_void(&self) -> bool {
        self.counted.iter().any(Count::is_zero)
    }
}
