//! How a part is counted best: all ways are tried on the part itself.
//!
//! In rounds. In each, every order of branching that is still in it walks the part for some work, and the half that has done less of it
//! drops out; the next round gives more, and the last one left goes to the end. What the losers have counted stays in the cache. A
//! sweep of the frontier says nothing of how far it is from the end, so that both are tried again in every round but the last. On
//! several threads the ways of a round are tried side by side, and a worker that finds none left goes on with the order that leads.

use std::collections::VecDeque;

use super::frontier::Way;
use super::order::Order;
use super::worker::Ended;
use super::{Method, NodeId, Worth};
use crate::solutions::Count;

/// How many times more work than the last each round has.
const GROWTH: u64 = 4;

/// Up to this much work the last two go on by turns, for the first rounds judge by little.
const SURE: u64 = 10_000_000_000;

/// A way to count a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Branch in this order.
    Branch(Order),
    /// Sweep it; all at once or not at all.
    Sweep(Way),
    /// Branch, and sweep what has become narrow enough.
    BranchAndSweep,
}

/// What a worker is to do next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) part: usize,
    pub(super) plan: Plan,
    pub(super) budget: u64,
    /// Does its outcome count, or does it only fill the time?
    pub(super) rated: bool,
    /// May clause learning be asked? What is soon counted is counted without.
    pub(super) asks: bool,
}

/// The contest for one part after the other.
#[derive(Debug)]
pub(super) struct Contest {
    method: Method,
    /// Is there one trial only?
    short: bool,
    /// Work of a trial in the first round, in nanoseconds.
    first: u64,
    /// What each part is worth that is done, in order.
    counted: Vec<Worth>,
    /// How many parts there are.
    parts: usize,
    /// Ways to be tried in this round.
    todo: VecDeque<Plan>,
    running: usize,
    /// Orders that were, with the share that they did.
    tried: Vec<(Order, u64)>,
    budget: u64,
}

impl Contest {
    pub(super) fn new(method: Method, parts: usize, first: u64) -> Self {
        let mut contest = Contest {
            method,
            short: false,
            first,
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

    /// One that is over as soon as a part is not counted at the first trial.
    pub(super) fn short(parts: usize, first: u64) -> Self {
        Contest {
            short: true,
            ..Contest::new(Method::Regions, parts, first)
        }
    }

    fn begin_part(&mut self) {
        let sweeps = [Way::Down, Way::Right].map(Plan::Sweep);
        let branches = Order::ALL.map(Plan::Branch);
        self.todo = match self.method {
            Method::Regions => branches.into(),
            Method::Frontier => sweeps.into(),
            // Most parts are soon counted by anything.
            _ => [&branches[..1], &sweeps, &branches[1..]].concat().into(),
        };
        self.tried.clear();
        self.running = 0;
        self.budget = match self.method {
            Method::Frontier => u64::MAX,
            _ => self.first,
        };
    }

    /// What to do next; `None` when all is counted.
    pub(super) fn next(&mut self) -> Option<Trial> {
        let part = self.counted.len();
        if part == self.parts || self.short && !self.tried.is_empty() {
            return None;
        }
        if self.todo.is_empty() && self.running == 0 {
            // The best first; in order where they are equal, so that a run repeats.
            self.tried
                .sort_by_key(|&(_, share)| std::cmp::Reverse(share));
            let fewest = if self.budget < SURE { 2 } else { 1 };
            let left = self
                .tried
                .len()
                .div_ceil(2)
                .max(fewest)
                .min(self.tried.len());
            let best = self.tried.drain(..).take(left);
            self.todo = best.map(|(order, _)| Plan::Branch(order)).collect();
            match self.method {
                Method::Frontier => self.todo.push_back(Plan::BranchAndSweep),
                Method::Auto if left > 1 => {
                    self.todo.extend([Way::Down, Way::Right].map(Plan::Sweep))
                }
                _ => {}
            }
            self.budget = match left {
                0 | 1 => u64::MAX,
                _ => self.budget.saturating_mul(GROWTH),
            };
        }
        if let Some(plan) = self.todo.pop_front() {
            self.running += 1;
            return Some(Trial {
                part,
                plan,
                budget: self.budget,
                rated: true,
                asks: !self.short,
            });
        }
        let leader = self.tried.iter().max_by_key(|&&(_, share)| share);
        let order = leader.map_or(Order::ALL[0], |&(order, _)| order);
        Some(Trial {
            part,
            plan: match self.method {
                Method::Frontier => Plan::BranchAndSweep,
                _ => Plan::Branch(order),
            },
            // With the last one all go to the end together.
            budget: self.budget,
            rated: false,
            asks: true,
        })
    }

    /// How a trial ended; says which part is to be counted now.
    pub(super) fn report(&mut self, trial: Trial, ended: Ended) -> usize {
        let part = self.counted.len();
        if trial.part == part {
            self.running -= usize::from(trial.rated);
            match ended {
                Ended::Done(worth) => {
                    self.counted.push(worth);
                    self.begin_part();
                }
                Ended::Spent(share) => {
                    if let (true, Plan::Branch(order)) = (trial.rated, trial.plan) {
                        self.tried.push((order, share));
                    }
                }
                Ended::Stopped => {}
            }
        }
        self.counted.len()
    }

    /// The product of the parts that are done, and how many are not.
    pub(super) fn result(&self) -> (Count, usize) {
        let mut product = Count::ONE;
        self.counted
            .iter()
            .for_each(|worth| product *= &worth.count);
        (product, self.parts - self.counted.len())
    }

    /// Is all counted?
    pub(super) fn is_over(&self) -> bool {
        self.is_void() || self.counted.len() == self.parts
    }

    /// Is it clear that there is no solution?
    pub(super) fn is_void(&self) -> bool {
        self.counted.iter().any(|worth| worth.count.is_zero())
    }

    /// The nodes of all parts; `None` when one has no solution.
    pub(super) fn nodes(&self) -> Option<Vec<NodeId>> {
        self.counted.iter().map(|worth| worth.node).collect()
    }
}
