//! The state of plan selection, for another process that resumes it.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::plan::{Plan, Tried};

/// The state of plan selection for one component.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SelectionState {
    /// Components in all, and the index of the one that is being counted.
    #[serde(rename = "parts")]
    pub(crate) components: usize,
    #[serde(rename = "part")]
    pub(crate) component: usize,
    pub(crate) budget: u64,
    /// The order that leads, and its work.
    #[serde(default)]
    pub(crate) favoured: Option<(Plan, u64)>,
    pub(crate) todo: Vec<Plan>,
    pub(crate) tried: Vec<Tried>,
    pub(crate) before: Vec<Tried>,
    pub(crate) waiting: Vec<Tried>,
    pub(crate) open: Vec<UnfinishedTrial>,
    /// The trials under way, since when.
    #[serde(skip)]
    pub(crate) running: Vec<(Plan, Instant)>,
}

/// A trial that was cut short.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct UnfinishedTrial {
    pub(crate) plan: Plan,
    /// Nanoseconds that it has had, a sweep in its longest try.
    pub(crate) spent: u64,
    pub(crate) tries: u32,
}

/// Greater than any work that can be foreseen: infinity is no number in JSON.
const ENDLESS: f64 = 1e300;

/// The same, with numbers that JSON has.
pub(crate) fn finite(tried: &[Tried]) -> Vec<Tried> {
    let finite = |&tried: &Tried| Tried {
        foreseen: tried.foreseen.min(ENDLESS),
        ..tried
    };
    tried.iter().map(finite).collect()
}

/// The same, with what [`finite`] has replaced.
pub(crate) fn endless(tried: &[Tried]) -> Vec<Tried> {
    let endless = |&tried: &Tried| Tried {
        foreseen: match tried.foreseen < ENDLESS {
            true => tried.foreseen,
            false => f64::INFINITY,
        },
        ..tried
    };
    tried.iter().map(endless).collect()
}

impl SelectionState {
    /// Which part it is about.
    pub(crate) fn component(&self) -> usize {
        self.component
    }

    /// Is a trial under way?
    pub(crate) fn is_under_way(&self) -> bool {
        !self.running.is_empty()
    }

    /// As it is now, for a file.
    pub(crate) fn settled(&self) -> SelectionState {
        let mut settled = self.clone();
        for (plan, since) in std::mem::take(&mut settled.running) {
            let time = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let place = settled.open.iter().position(|open| open.plan == plan);
            let place = place.unwrap_or_else(|| {
                settled.open.push(UnfinishedTrial {
                    plan,
                    spent: 0,
                    tries: 0,
                });
                settled.open.len() - 1
            });
            let open = &mut settled.open[place];
            open.tries += 1;
            open.spent = match plan.is_sweep() {
                true => open.spent.max(time),
                false => open.spent.saturating_add(time),
            };
        }
        settled
    }
}
