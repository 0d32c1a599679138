//! Counting with the solution graph, in rounds that grow; and the number alone beside it, by any method, while that is cheap.

use super::frontier::Direction;
use super::options::Method;
use super::plan::Plan;
use super::plan_selection::PlanSelection;
use super::setup::{Forecast, Setup};
use super::shared::Shared;
use crate::line::Word;
use crate::run::lock;
use crate::solutions::{Count, Stop};

/// The work of each plan in the first round, as a multiple of a trial's, and the factor by which it grows. A round must not be short: the
/// contest breaks off at its end, and no order has more work than a round has, the one that leads included.
const SLICE: u64 = 96;
const LONGER: u64 = 4;

/// Before each round, the number alone is counted by sweeping, with this work of each sweep, as a multiple of a trial's, in the first round
/// and at most. It grows as that of the rounds does. A part that is too wide for both sweeps is left to branching, which the graph needs
/// anyway.
const SWEEPS: &[Plan] = &[Plan::Sweep(Direction::Down), Plan::Sweep(Direction::Right)];
const SWEEP: u64 = 4;
const CHEAP: u64 = 64;

/// How far the number alone has been counted.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    /// The number, once it is known.
    pub(crate) number: Option<Count>,
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
        let (mut slice, mut sweep) = (SLICE * trial, SWEEP * trial);
        loop {
            if sweep <= CHEAP * trial {
                let sweeps = PlanSelection::short(shared.components.len(), sweep, SWEEPS);
                self.count(shared, sweeps);
            }
            if shared.control.stopped() || self.is_void() {
                return;
            }
            lock(&shared.selection).go_on(slice.min(until));
            shared.work();
            if lock(&shared.selection).is_over() || shared.control.stopped() {
                return;
            }
            if shared.store.is_outgrown() {
                // The number may take as much work again. Its memory is free for that.
                shared.store.graph = None;
                let selection = PlanSelection::new(Method::Auto, shared.components.len(), trial);
                self.count(shared, selection.until(slice));
                shared.control.stop(Stop::Memory);
                return;
            }
            if slice >= until {
                return;
            }
            slice = slice.max(1).saturating_mul(LONGER);
            sweep = sweep.max(1).saturating_mul(LONGER);
            if let (Some(teller), Some(graph)) = (setup.teller, &shared.store.graph) {
                teller(&Forecast {
                    solutions: self.number.clone(),
                    nodes: graph.nodes() as u64,
                    bytes: graph.bytes(),
                    most: shared.store.max_graph_bytes,
                });
            }
        }
    }

    /// Counts the number alone by this contest, if it is not known yet.
    fn count<W: Word>(&mut self, shared: &mut Shared<'_, W>, selection: PlanSelection) {
        if self.number.is_some() {
            return;
        }
        let (graph, memory) = (shared.store.graph.take(), shared.memory);
        if graph.is_some() {
            shared.memory /= 4;
        }
        let kept = shared.begin(selection);
        shared.work();
        let selection = shared.begin(kept);
        if selection.is_over() {
            self.number = Some(selection.result().0);
        }
        shared.store.graph = graph;
        shared.memory = memory;
    }
}
