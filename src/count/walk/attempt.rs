//! One trial of a plan on a component, by one worker or by all.

use super::worker::Worker;
use crate::count::plan::{Plan, Trial, TrialEnd};
use crate::line::Word;

impl<W: Word> Worker<'_, '_, W> {
    /// Counts a component by the plan of the trial, until it is counted or the budget is used up.
    pub(crate) fn run_trial(&mut self, trial: Trial) -> TrialEnd {
        self.component = trial.component;
        match trial.plan {
            Plan::Sweep(_) => {}
            // The sweeps within the walk need the memory.
            Plan::BranchAndSweep => self.shrink_paused_sweeps(0),
            _ => self.fit_paused_sweeps(),
        }
        match trial.plan {
            Plan::Branch(_) | Plan::BranchAndSweep => self.run_walk(trial),
            Plan::Tree => {
                // On one thread the search has no tasks.
                if !trial.is_solo {
                    self.shared.helpers.close();
                }
                self.shared.search_tree(trial)
            }
            Plan::Sweep(direction) => self.run_sweep(trial, direction),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::*;
    use crate::count::shared::tests::{setup, with_shared};
    use crate::count::sweep::Direction;
    use crate::puzzle::{Clue, Puzzle};
    use crate::run::lock;

    #[test]
    fn a_paused_sweep_is_dropped_when_a_walk_needs_its_memory() {
        let ones = vec![Clue::new([1]).unwrap(); 9];
        let puzzle = Puzzle::new(ones.clone(), ones).unwrap();
        for (plan, is_kept) in [
            (Plan::Branch(Order::Down), true),
            (Plan::BranchAndSweep, false),
        ] {
            with_shared(&setup(&puzzle), false, |shared, _| {
                let mut worker = Worker::new(&shared, None);
                let trial = |plan| Trial {
                    budget: 45,
                    ..Trial::of(plan)
                };
                let ended = worker.run_trial(trial(Plan::Sweep(Direction::Down)));
                assert!(matches!(ended, TrialEnd::Paused { .. }));
                worker.run_trial(trial(plan));
                drop(worker);
                let paused = lock(&shared.paused_sweeps).take(0, Direction::Down);
                assert_eq!(paused.is_some(), is_kept);
            });
        }
    }
}
