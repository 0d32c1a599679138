//! Sweeps in a worker: those that are trials, which pause and go on in later rounds, and those of components within a walk.

use std::time::Instant;

use super::worker::{Worker, nodes_in};
use crate::count::components::{Component, ComponentValue};
use crate::count::plan::{Trial, TrialEnd};
use crate::count::sweep::{Allowance, Direction, Sweep, SweepEnd};
use crate::line::Word;
use crate::run::{lock, memory_plan};
use crate::solutions::Count;

impl<'s, 'a, W: Word> Worker<'s, 'a, W> {
    /// Sweeps the component of a trial, and goes on where the trial before has paused.
    pub(super) fn run_sweep(&mut self, trial: Trial, direction: Direction) -> TrialEnd {
        let component = trial.component;
        if std::mem::take(&mut self.has_moved) {
            self.board.set_rows(&self.shared.rows);
        }
        self.shared.helpers.close();
        let stop = self.stop_of_sweep(component);
        let paused_sweeps = &self.shared.paused_sweeps;
        let paused = lock(paused_sweeps).take(component, direction);
        let make_room = |bytes| {
            let dropped = lock(paused_sweeps).fit(bytes);
            self.shared.record_dropped_sweeps(component, &dropped);
        };
        let paused_walks = lock(&self.shared.paused_walks).bytes();
        let store = &self.shared.store;
        let keeps_graph = store.keeps_graph();
        let (workers, memory) = (self.shared.workers, self.shared.memory);
        let bytes = match keeps_graph {
            true => memory_plan::sweep_for_graph_on(workers, memory),
            false => memory_plan::sweep_in_parts_on(workers, memory),
        };
        let allowance = Allowance {
            bytes,
            work_ns: trial.budget,
            threads: workers,
            stop: &stop,
            make_room: &make_room,
            beside: &|| paused_walks + store.graph_bytes(),
        };
        let target = &self.shared.components[component];
        let sweep = match paused {
            Some(sweep) => Ok(sweep),
            None => Sweep::new(&self.board, target, direction, keeps_graph, allowance),
        };
        let keep = |value: &ComponentValue| {
            store.insert(target.key.clone(), value.clone(), u64::MAX, u64::MAX);
        };
        let ended = sweep.and_then(|mut sweep| {
            let ended = sweep.run(allowance).and_then(|count| {
                // The number is known also if there is no room for the graph.
                let mut value = ComponentValue::number(count);
                keep(&value);
                if keeps_graph && !value.count.is_zero() {
                    value.node = Some(sweep.add_nodes(allowance, store)?);
                    keep(&value);
                }
                Ok(value)
            });
            if ended.as_ref().err() == Some(&SweepEnd::Paused) {
                return Ok(Err(sweep));
            }
            if ended.is_err() {
                self.shared.raise_bound(component, sweep.proved());
            }
            self.drop_sweep(sweep);
            ended.map(Ok)
        });
        match ended {
            Ok(Ok(value)) => TrialEnd::Done(value),
            Ok(Err(sweep)) => {
                let (forecast, kept) = (sweep.forecast_ns(), sweep.work_ns());
                self.shared.raise_bound(component, sweep.proved());
                lock(paused_sweeps).keep(direction, sweep);
                TrialEnd::Paused { forecast, kept }
            }
            Err(SweepEnd::Stopped) => TrialEnd::Stopped,
            Err(SweepEnd::Full | SweepEnd::Overflow | SweepEnd::Paused) => TrialEnd::Full,
        }
    }

    /// Frees memory of paused sweeps if they hold more than a walk, the tree search and the graph leave them.
    pub(super) fn fit_paused_sweeps(&mut self) {
        let (workers, memory) = (self.shared.workers, self.shared.memory);
        let store = &self.shared.store;
        self.shrink_paused_sweeps(match store.keeps_graph() {
            true => memory_plan::paused_sweeps_beside(store.graph_bytes(), workers, memory),
            false => memory_plan::PAUSED_SWEEPS.of(memory),
        });
    }

    /// Frees memory for a trial that is not a sweep: paused sweeps may hold this number of bytes meanwhile.
    pub(super) fn shrink_paused_sweeps(&mut self, bytes: u64) {
        let mut sweeps = lock(&self.shared.paused_sweeps);
        let dropped = sweeps.fit(bytes);
        let component = sweeps.component();
        drop(sweeps);
        self.shared.record_dropped_sweeps(component, &dropped);
    }

    /// Drops a sweep that has ended. If the run is stopped, nothing else needs the memory, and the answer does not wait for it.
    fn drop_sweep(&self, sweep: Sweep) {
        if self.shared.control.stopped() {
            sweep.drop_aside();
        }
    }

    /// A function that says whether a sweep of this component must stop.
    fn stop_of_sweep(&self, component: usize) -> impl Fn() -> bool + Sync + use<'s, 'a, W> {
        let shared = self.shared;
        move || shared.control.poll() || shared.is_obsolete(component)
    }

    /// Sweeps a component that is not larger than [`sweep_size_bound`](Self::sweep_size_bound) allows. Returns its count, and the number of
    /// nodes that would have taken the same time.
    pub(crate) fn sweep_component(&mut self, component: &Component<W>) -> Option<(Count, u64)> {
        // A sweep within a walk builds no graph.
        if component.size > self.sweep_size_bound - self.sweep_size_bound / 8
            || self.shared.store.keeps_graph()
        {
            return None;
        }
        let budget_ns = self.shared.sweep_budget_ns();
        let (stop, began) = (self.stop_of_sweep(self.component), Instant::now());
        let allowance = Allowance {
            bytes: memory_plan::SWEEP.part(self.shared.memory, self.shared.workers as u64),
            work_ns: budget_ns,
            // Helpers may begin beside it, so it must have no tasks.
            threads: 1,
            stop: &stop,
            make_room: &|_| (),
            beside: &|| 0,
        };
        let count = [Direction::Down, Direction::Right]
            .into_iter()
            .find_map(|direction| {
                let sweep = Sweep::new(&self.board, component, direction, false, allowance);
                let mut sweep = sweep.ok()?;
                let ended = sweep.run(allowance);
                self.drop_sweep(sweep);
                ended.ok()
            });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::plan::Plan;
    use crate::count::shared::tests::{setup, two_permutations, with_shared};
    use crate::graph::{CellFate, Edge};
    use crate::puzzle::Puzzle;
    use crate::solutions::Stop;

    /// Once, they had a fixed share beside a graph, and the better one of two sweeps began again although the graph was small.
    #[test]
    fn a_paused_sweep_is_kept_until_the_graph_needs_its_memory() {
        let ones = vec![[1]; 12];
        let puzzle = Puzzle::from_clues(&ones, &ones).unwrap();
        with_shared(&setup(&puzzle), true, |mut shared, _| {
            let direction = Direction::Down;
            let budget = 100_000;
            let trial = Trial {
                budget,
                ..Trial::of(Plan::Sweep(direction))
            };
            let ended = Worker::new(&shared, None).run_trial(trial);
            assert!(matches!(ended, TrialEnd::Paused { .. }));
            let sweep = lock(&shared.paused_sweeps).take(0, direction).unwrap();
            shared.memory = 3 * (sweep.bytes() + 1);
            lock(&shared.paused_sweeps).keep(direction, sweep);
            let edge = Edge::new([CellFate::Filled], Vec::new());
            let is_kept = || {
                Worker::new(&shared, None).fit_paused_sweeps();
                let sweep = lock(&shared.paused_sweeps).take(0, direction);
                let is_kept = sweep.is_some();
                if let Some(sweep) = sweep {
                    lock(&shared.paused_sweeps).keep(direction, sweep);
                }
                is_kept
            };
            assert!(is_kept());
            while shared.store.graph_bytes() < shared.memory / 8 {
                (shared.store).add_node(std::iter::once(edge.as_ref()), &Count::ONE);
            }
            assert!(!is_kept());
        });
    }

    #[test]
    fn a_sweep_stops_with_the_run_and_when_its_component_is_counted() {
        let puzzle = two_permutations();
        with_shared(&setup(&puzzle), false, |shared, _| {
            let worker = Worker::new(&shared, None);
            let (stop, stop_of_other) = (worker.stop_of_sweep(0), worker.stop_of_sweep(1));
            assert!(!stop() && stop_of_other());
            shared.control.stop(Stop::Time);
            assert!(stop());
        });
    }
}
