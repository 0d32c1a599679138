//! Counting with the solution graph, in rounds that grow; and the number alone beside it, by any method, while that is cheap.

use super::contest::Contest;
use super::options::Method;
use super::setup::{Forecast, Setup};
use super::shared::Shared;
use crate::line::Word;
use crate::run::lock;
use crate::solutions::{Count, Stop};

/// The first work of each plan, as a multiple of a trial's, and the factor by which it grows.
const SLICE: u64 = 10;
const LONGER: u64 = 4;

/// Between two rounds, the number alone is counted by sweeping. This takes the round's work divided by the first number, and is left out
/// when that is more than the second number of trials.
const PART: u64 = 2;
const CHEAP: u64 = 200;

/// Work of each plan, as a multiple of a trial's, from which on the forecast is told before a round.
const LONG: u64 = 100;

/// How far the number alone has been counted.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    /// The number, once it is known.
    pub(crate) number: Option<Count>,
    /// The contest to go on with.
    pub(crate) contest: Option<Contest>,
}

impl Alone {
    /// Is it clear that there is no solution?
    pub(crate) fn is_void(&self) -> bool {
        self.number.as_ref().is_some_and(Count::is_zero)
    }

    /// Counts all parts and keeps their graph, until each plan has had `until` nanoseconds of work; and the number alone while that is
    /// cheap.
    pub(crate) fn count_with_graph<W: Word>(
        &mut self,
        shared: &mut Shared<'_, W>,
        setup: &Setup<'_>,
        until: u64,
    ) {
        let trial = setup.options.trial;
        let mut slice = SLICE * trial;
        loop {
            lock(&shared.contest).go_on(slice.min(until));
            shared.work();
            if lock(&shared.contest).is_over() || shared.control.stopped() {
                return;
            }
            if shared.store.is_outgrown() {
                // The number may take as much work again. Its memory is free for that.
                shared.store.put_graph(None);
                self.contest = None;
                self.count(shared, setup, Method::Auto, slice);
                shared.control.stop(Stop::Memory);
                return;
            }
            if slice / PART <= CHEAP * trial {
                // Branching would not be much cheaper than it is with the graph.
                self.count(shared, setup, Method::Frontier, slice / PART);
            }
            if shared.control.stopped() || self.is_void() || slice >= until {
                return;
            }
            slice = slice.max(1).saturating_mul(LONGER);
            if let (Some(teller), Some(graph)) = (setup.teller, shared.store.graph())
                && slice >= LONG * trial
            {
                teller(&Forecast {
                    solutions: self.number.clone(),
                    nodes: graph.nodes() as u64,
                    bytes: graph.bytes(),
                    most: shared.store.most,
                });
            }
        }
    }

    /// Counts the number alone, if it is not known yet, until each plan has had `until` nanoseconds of work.
    fn count<W: Word>(
        &mut self,
        shared: &mut Shared<'_, W>,
        setup: &Setup<'_>,
        method: Method,
        until: u64,
    ) {
        if self.number.is_some() {
            return;
        }
        let (graph, memory) = (shared.store.take_graph(), shared.memory);
        if graph.is_some() {
            shared.memory /= 4;
        }
        let begin = || Contest::new(method, shared.parts.len(), setup.options.trial);
        let mut contest = self.contest.take().unwrap_or_else(begin);
        contest.go_on(until);
        let kept = shared.begin(contest);
        shared.work();
        let contest = shared.begin(kept);
        if contest.is_over() {
            self.number = Some(contest.result().0);
        } else {
            self.contest = Some(contest);
        }
        shared.store.put_graph(graph);
        shared.memory = memory;
    }
}
