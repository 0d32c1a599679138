//! Plans, trials of plans, and their results.

use serde::{Deserialize, Serialize};

use super::components::ComponentValue;
use super::sweep::Direction;
use super::walk::order::Order;
use crate::run::Activity;

/// A method of counting a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) enum Plan {
    /// Branch in this order.
    Branch(Order),
    /// Sweep a frontier through the whole component.
    Sweep(Direction),
    /// Search the tree without the component table.
    Tree,
    /// Branch, and sweep components that have become narrow enough.
    BranchAndSweep,
}

impl Plan {
    pub(crate) fn is_sweep(self) -> bool {
        matches!(self, Plan::Sweep(_))
    }

    /// The activity that is shown while this plan is tried.
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

/// A plan that is to be tried on a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) component: usize,
    pub(crate) plan: Plan,
    /// Nanoseconds of work that it may take.
    pub(crate) budget: u64,
    /// Nanoseconds of work in earlier trials of the plan on this component, if this trial continues them.
    pub(crate) earlier_work: u64,
    /// Whether the oracle may be called and the trail is recorded. Short trials do without both.
    pub(crate) thorough: bool,
    /// Whether it is for one worker, without helpers.
    pub(crate) is_solo: bool,
}

#[cfg(test)]
impl Trial {
    /// A trial of the first component by one worker, without a budget, the oracle or a recorded trail.
    pub(crate) fn of(plan: Plan) -> Self {
        Trial {
            component: 0,
            plan,
            budget: u64::MAX,
            earlier_work: 0,
            thorough: false,
            is_solo: true,
        }
    }
}

/// How a trial ended.
#[derive(Debug)]
pub(crate) enum TrialEnd {
    /// The component is counted.
    Done(ComponentValue),
    /// The budget was used up.
    Spent {
        /// Forecast of the nanoseconds of work for the whole component.
        forecast: f64,
        /// Lower bound that it has proved for the count of the component, rounded.
        proved: f64,
        /// Whether the forecast is from the progress in the second half of the trial. Otherwise it is from that of the whole trial.
        is_recent: bool,
    },
    /// The budget of a sweep was used up.
    Paused {
        /// Forecast of the nanoseconds of work of the whole sweep.
        forecast: f64,
        /// Nanoseconds of work that the next trial of the sweep need not do again, if it finds the sweep in memory.
        kept: u64,
    },
    /// It needs more memory than it may take.
    Full,
    /// The run was stopped.
    Stopped,
}

/// The result of a trial that used up its budget.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) struct TrialResult {
    pub(crate) plan: Plan,
    /// Nanoseconds of work that it had; of a sweep those that it need not do again.
    pub(crate) spent: u64,
    /// Forecast of the nanoseconds of work for the whole component. For a walk it is `spent` divided by the share of the component that is
    /// done.
    pub(crate) forecast: f64,
    /// Lower bound that it has proved for the count of the component, rounded.
    pub(crate) proved: f64,
    /// Whether the forecast is from the progress in the second half of the last trial. Otherwise it is from that of the whole trial.
    #[cfg_attr(feature = "unstable", serde(default))]
    pub(crate) is_recent: bool,
}

impl TrialResult {
    /// Solutions proved per nanosecond of work.
    pub(crate) fn rate(&self) -> f64 {
        self.proved / self.spent.max(1) as f64
    }

    /// Forecast of the nanoseconds of work that are left.
    pub(crate) fn remaining(&self) -> f64 {
        self.forecast - self.spent as f64
    }

    /// Forecast of the nanoseconds of work for the whole component, from the progress since the plan's result in `before`, the results of
    /// the previous round; infinite without progress. This detects an order that is quick at first and then gets stuck in dead ends. A forecast
    /// that is already from recent progress is returned as it is.
    pub(crate) fn recent_forecast(&self, before: &[TrialResult]) -> f64 {
        let before = before.iter().find(|before| before.plan == self.plan);
        let Some(before) = before.filter(|before| !self.is_recent && before.spent < self.spent)
        else {
            return self.forecast;
        };
        let share = |tried: &TrialResult| tried.spent as f64 / tried.forecast;
        let (share, earlier) = (share(self), share(before));
        match share > earlier {
            true => {
                let rate = (self.spent - before.spent) as f64 / (share - earlier);
                self.spent as f64 + (1.0 - share).max(0.0) * rate
            }
            false => f64::INFINITY,
        }
    }

    /// Forecast of the nanoseconds of work that are left, as by [`recent_forecast`](Self::recent_forecast).
    pub(crate) fn recent_remaining(&self, before: &[TrialResult]) -> f64 {
        self.recent_forecast(before) - self.spent as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forecast_is_infinite_without_progress_since_the_trial_before() {
        let tried = |spent: u64, share: f64| TrialResult {
            plan: Plan::Branch(Order::Down),
            spent,
            forecast: spent as f64 / share,
            proved: 0.0,
            is_recent: false,
        };
        let first = tried(100, 0.1);
        assert_eq!(first.recent_forecast(&[]), 1000.0);
        // A share of 0.1 took 100 at first, and 300 after that.
        let forecast = tried(400, 0.2).recent_forecast(&[first]);
        assert!((forecast - 2800.0).abs() < 1e-6, "{forecast}");
        assert_eq!(tried(400, 0.1).recent_forecast(&[first]), f64::INFINITY);
        assert_eq!(
            tried(400, 0.0).recent_forecast(&[tried(100, 0.0)]),
            f64::INFINITY
        );
        assert_eq!(
            tried(400, 1.0).recent_forecast(&[tried(100, 1.0)]),
            f64::INFINITY
        );
        // The forecast of a shared walk is already from recent progress.
        let shared = TrialResult {
            is_recent: true,
            ..tried(400, 0.2)
        };
        assert_eq!(shared.recent_forecast(&[first]), 2000.0);
        // Without work since then there is nothing to forecast from.
        assert_eq!(tried(100, 0.2).recent_forecast(&[tried(100, 0.1)]), 500.0);
    }

    #[test]
    fn the_activity_names_the_order_or_the_direction() {
        for (plan, shown) in [
            (Plan::Branch(Order::Down), "branching down"),
            (Plan::Sweep(Direction::Down), "sweeping down"),
            (Plan::Sweep(Direction::Right), "sweeping right"),
            (Plan::Tree, "searching"),
            (Plan::BranchAndSweep, "branching and sweeping"),
        ] {
            assert_eq!(plan.activity().to_string(), shown);
        }
    }
}
