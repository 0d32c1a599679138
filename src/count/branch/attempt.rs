//! One trial of a way to count a part, by one worker or by all.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::worker::{Worker, nodes_in};
use crate::count::components::{Component, ComponentValue};
use crate::count::frontier::{Allowance, Direction, SweepEnd, sweep};
use crate::count::plan::{Ended, Plan, Trial};
use crate::line::Word;
use crate::run::shares;
use crate::solutions::{Count, Stop};

/// Nanoseconds that a combination of states takes in a sweep, roughly.
const STATE: u64 = 170;

impl<'s, 'a, W: Word> Worker<'s, 'a, W> {
    /// Counts a part as it is planned, or finds out that this takes too long.
    pub(crate) fn try_out(&mut self, trial: Trial) -> Ended {
        let component = trial.component;
        self.component = component;
        match trial.plan {
            Plan::Branch(_) | Plan::BranchAndSweep => self.walk(trial),
            Plan::Tree => {
                // A thread that waits for tasks of the tree takes over others, as one does that sweeps.
                self.shared.closed.store(true, Ordering::Relaxed);
                self.shared.search_tree(trial)
            }
            Plan::Sweep(way) => {
                if std::mem::take(&mut self.moved) {
                    self.board.set_rows(&self.shared.rows);
                }
                let allowance = Allowance {
                    threads: self.shared.workers,
                    scratch: self.shared.scratch,
                    ..self.allowance(1, trial.budget)
                };
                let swept = &self.shared.components[component];
                match sweep(&self.board, swept, way, allowance, &self.stop(component)) {
                    Ok(count) => {
                        let value = ComponentValue::number(count);
                        let store = &self.shared.store;
                        store.keep(swept.key.clone(), value.clone(), u64::MAX, u64::MAX);
                        Ended::Done(value)
                    }
                    Err(SweepEnd::Spent(passed)) => Ended::Spent {
                        foreseen: passed * STATE as f64,
                        proved: 0.0,
                    },
                    Err(SweepEnd::Full | SweepEnd::Overflow) => Ended::Full,
                    Err(SweepEnd::Scratch) => {
                        self.shared.control.stop(Stop::Memory);
                        Ended::Stopped
                    }
                    Err(SweepEnd::Stopped) => Ended::Stopped,
                }
            }
        }
    }

    /// For a sweep of this component that is about to begin: whether it must stop.
    fn stop(&self, component: usize) -> impl Fn() -> bool + Sync + use<'s, 'a, W> {
        let shared = self.shared;
        shared.closed.store(true, Ordering::Relaxed);
        move || shared.control.poll() || shared.is_obsolete(component)
    }

    /// What one of this number of sweeps may take on one thread, for this many nanoseconds of work.
    fn allowance(&self, sweeps: u64, budget: u64) -> Allowance<'s> {
        Allowance {
            bytes: self.shared.memory / shares::SWEEP / sweeps,
            passed: budget / STATE,
            threads: 1,
            scratch: None,
        }
    }

    /// Sweeps a part, if it is much narrower than the last one that was too wide. Tells how many nodes would have taken as long, too.
    pub(crate) fn sweep_component(&mut self, component: &Component<W>) -> Option<(Count, u64)> {
        // A sweep leaves no graph behind.
        if component.size > self.narrow - self.narrow / 8 || self.shared.store.keeps_graph() {
            return None;
        }
        let bite = self.shared.bite();
        let allowance = self.allowance(self.shared.workers as u64, bite);
        let (stop, began) = (self.stop(self.component), Instant::now());
        let count = [Direction::Down, Direction::Right]
            .into_iter()
            .find_map(|way| sweep(&self.board, component, way, allowance, &stop).ok());
        if count.is_none() {
            self.narrow = component.size;
            self.shared.is_too_wide(component.size);
        }
        let took = began.elapsed().as_nanos() as u64;
        if bite < u64::MAX {
            // Where nothing limits a sweep the clock has no say, so that a run repeats.
            self.swept += took;
        }
        count.map(|count| (count, nodes_in(took)))
    }
}
