//! Ways to count a component, and trials of them.

use serde::{Deserialize, Serialize};

use super::branch::order::Order;
use super::components::ComponentValue;
use super::frontier::Direction;
use crate::run::Activity;

/// A way to count a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Plan {
    /// Branch in this order.
    Branch(Order),
    /// Sweep it; all at once or not at all.
    Sweep(Direction),
    /// Search the tree, without looking for components that were counted before.
    Tree,
    /// Branch, and sweep what has become narrow enough.
    BranchAndSweep,
}

impl Plan {
    pub(crate) fn is_sweep(self) -> bool {
        matches!(self, Plan::Sweep(_))
    }

    /// What is done by it.
    pub(crate) fn activity(self) -> Activity {
        match self {
            Plan::Branch(order) => Activity::Branching(order.name()),
            Plan::Tree => Activity::Searching,
            Plan::Sweep(Direction::Down) => Activity::Sweeping("down"),
            Plan::Sweep(Direction::Right) => Activity::Sweeping("right"),
            Plan::BranchAndSweep => Activity::Branching("and sweeping"),
        }
    }
}

/// A plan for a part, to be tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) component: usize,
    pub(crate) plan: Plan,
    /// Nanoseconds of work that it may take.
    pub(crate) budget: u64,
    /// Nanoseconds of work that the plan has had in this component before.
    pub(crate) had: u64,
    /// May clause learning be asked, and is the way to where the walk ends noted? What is soon counted is counted without.
    pub(crate) thorough: bool,
    /// Is it for the host alone?
    pub(crate) alone: bool,
}

/// How a trial ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// All is counted.
    Done(ComponentValue),
    /// It took more than it might.
    Spent {
        /// Nanoseconds of work that all of it would take, as far as can be foreseen.
        foreseen: f64,
        /// Solutions of the part that it has proved, roughly.
        proved: f64,
    },
    /// It would take more memory than there is.
    Full,
    /// The run must stop.
    Stopped,
}

/// A plan that has been tried and was not done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tried {
    pub(crate) plan: Plan,
    /// Nanoseconds of work that it had.
    pub(crate) spent: u64,
    /// Nanoseconds of work that it would take in all if its share of the whole grew evenly.
    pub(crate) foreseen: f64,
    /// Solutions of the part that it has proved, roughly.
    #[serde(default)]
    pub(crate) proved: f64,
}

impl Tried {
    /// Solutions that it has proved in a nanosecond of work.
    pub(crate) fn rate(&self) -> f64 {
        self.proved / self.spent.max(1) as f64
    }

    /// Nanoseconds of work that it would take in all if its share grew on as it has done since the trial `before`: infinite where it has
    /// not grown. An order that is quick at first and then stuck in dead ends is seen by that.
    pub(crate) fn forecast(&self, before: Option<&Tried>) -> f64 {
        let Some(before) = before.filter(|before| before.spent < self.spent) else {
            return self.foreseen;
        };
        let share = |tried: &Tried| tried.spent as f64 / tried.foreseen;
        let (share, earlier) = (share(self), share(before));
        match share > earlier {
            true => {
                let rate = (self.spent - before.spent) as f64 / (share - earlier);
                self.spent as f64 + (1.0 - share).max(0.0) * rate
            }
            false => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_comes_on_no_more_has_no_forecast() {
        let tried = |spent: u64, share: f64| Tried {
            plan: Plan::Branch(Order::Down),
            spent,
            foreseen: spent as f64 / share,
            proved: 0.0,
        };
        let first = tried(100, 0.1);
        assert_eq!(first.forecast(None), 1000.0);
        // A tenth in the first hundred, a tenth in the three hundred after them.
        let forecast = tried(400, 0.2).forecast(Some(&first));
        assert!((forecast - 2800.0).abs() < 1e-6, "{forecast}");
        assert_eq!(tried(400, 0.1).forecast(Some(&first)), f64::INFINITY);
        assert_eq!(
            tried(400, 0.0).forecast(Some(&tried(100, 0.0))),
            f64::INFINITY
        );
    }
}
