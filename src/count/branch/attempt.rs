//! One trial of a plan on a component, by one worker or by all.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::worker::{Worker, nodes_in};
use crate::count::components::{Component, ComponentValue};
use crate::count::frontier::{Allowance, Direction, SweepEnd, sweep};
use crate::count::plan::{Plan, Trial, TrialEnd};
use crate::line::Word;
use crate::run::memory_plan;
use crate::solutions::{Count, Stop};

impl<'s, 'a, W: Word> Worker<'s, 'a, W> {
    /// Counts a component by the plan of the trial, until it is counted or the budget is used up.
    pub(crate) fn run_trial(&mut self, trial: Trial) -> TrialEnd {
        let component = trial.component;
        self.component = component;
        match trial.plan {
            Plan::Branch(_) | Plan::BranchAndSweep => self.run_walk(trial),
            Plan::Tree => {
                // A thread that waits for tasks of the tree search may run other tasks of the pool, see `closed_to_workers`.
                self.shared.closed_to_workers.store(true, Ordering::Relaxed);
                self.shared.search_tree(trial)
            }
            Plan::Sweep(direction) => {
                if std::mem::take(&mut self.has_moved) {
                    self.board.set_rows(&self.shared.rows);
                }
                let allowance = Allowance {
                    threads: self.shared.workers,
                    scratch: self.shared.scratch,
                    may_exceed: trial.may_exceed,
                    ..self.allowance(1, trial.budget)
                };
                let target = &self.shared.components[component];
                match sweep(
                    &self.board,
                    target,
                    direction,
                    allowance,
                    &self.begin_sweep(component),
                ) {
                    Ok(count) => {
                        let value = ComponentValue::number(count);
                        let store = &self.shared.store;
                        store.insert(target.key.clone(), value.clone(), u64::MAX, u64::MAX);
                        TrialEnd::Done(value)
                    }
                    Err(SweepEnd::Spent(forecast)) => TrialEnd::Spent {
                        forecast,
                        proved: 0.0,
                    },
                    Err(SweepEnd::Full | SweepEnd::Overflow) => TrialEnd::Full,
                    Err(SweepEnd::Scratch) => {
                        self.shared.control.stop(Stop::Memory);
                        TrialEnd::Stopped
                    }
                    Err(SweepEnd::Stopped) => TrialEnd::Stopped,
                }
            }
        }
    }

    /// Lets no more workers begin, because a sweep of this component begins. Returns a function that says whether the sweep must stop.
    fn begin_sweep(&self, component: usize) -> impl Fn() -> bool + Sync + use<'s, 'a, W> {
        let shared = self.shared;
        shared.closed_to_workers.store(true, Ordering::Relaxed);
        move || shared.control.poll() || shared.is_obsolete(component)
    }

    /// The allowance of one of `sweeps` simultaneous sweeps on one thread, for `budget` nanoseconds of work.
    fn allowance(&self, sweeps: u64, budget: u64) -> Allowance<'s> {
        Allowance {
            bytes: self.shared.memory / memory_plan::SWEEP / sweeps,
            work_ns: budget,
            may_exceed: false,
            threads: 1,
            scratch: None,
        }
    }

    /// Sweeps a component that is not larger than [`sweep_size_bound`](Self::sweep_size_bound) allows. Returns its count, and the number of
    /// nodes that would have taken the same time.
    pub(crate) fn sweep_component(&mut self, component: &Component<W>) -> Option<(Count, u64)> {
        // A sweep builds no graph.
        if component.size > self.sweep_size_bound - self.sweep_size_bound / 8
            || self.shared.store.keeps_graph()
        {
            return None;
        }
        let budget_ns = self.shared.sweep_budget_ns();
        let allowance = self.allowance(self.shared.workers as u64, budget_ns);
        let (stop, began) = (self.begin_sweep(self.component), Instant::now());
        let count = [Direction::Down, Direction::Right]
            .into_iter()
            .find_map(|direction| sweep(&self.board, component, direction, allowance, &stop).ok());
        if count.is_none() {
            self.sweep_size_bound = component.size;
            self.shared.record_too_wide(component.size);
        }
        let took = began.elapsed().as_nanos() as u64;
        if budget_ns < u64::MAX {
            // Without a time limit for sweeps the clock does not affect the work, so that runs are reproducible.
            self.sweep_ns += took;
        }
        count.map(|count| (count, nodes_in(took)))
    }
}
