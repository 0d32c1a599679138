//! A sweep in a direction as a racer.

use crate::board::Board;
use crate::count::components::ComponentValue;
use crate::count::options;
use crate::count::race::{Others, Racer, SliceEnd};
use crate::count::root::Root;
use crate::count::sweep::{Allowance, Direction, Sweep, SweepEnd};
use crate::count::workers::Workers;
use crate::line::Word;
use crate::run::{Activity, memory_plan};
use crate::solutions::Count;

/// A sweep of one component.
#[derive(Debug)]
pub(crate) struct SweepRacer<'r, W: Word> {
    root: &'r Root<W>,
    component: usize,
    direction: Direction,
    /// The sweep, once it has begun.
    sweep: Option<Sweep>,
    proved: Count,
    /// The forecast of the work that is left, made when the sweep last paused.
    left: f64,
}

impl<'r, W: Word> SweepRacer<'r, W> {
    pub(crate) fn new(root: &'r Root<W>, component: usize, direction: Direction) -> Self {
        SweepRacer {
            root,
            component,
            direction,
            sweep: None,
            proved: Count::ZERO,
            left: 0.0,
        }
    }
}

impl<W: Word> Racer<W> for SweepRacer<'_, W> {
    fn activity(&self) -> Activity {
        Activity::Sweeping(match self.direction {
            Direction::Down => "down",
            Direction::Right => "right",
        })
    }

    fn advance(
        &mut self,
        workers: &mut Workers<'_, '_, '_, W>,
        work: u64,
        others: &Others<'_, '_, W>,
    ) -> (u64, SliceEnd) {
        let crew = workers.crew();
        let (store, component) = (&crew.store, &self.root.components[self.component]);
        let (keeps_graph, kept) = (store.keeps_graph(), others.kept());
        let allowance = Allowance {
            bytes: match keeps_graph {
                true => memory_plan::sweep_for_graph_on(crew.workers, crew.memory),
                false => memory_plan::sweep_in_parts_on(crew.workers, crew.memory),
            },
            work_ns: work,
            threads: crew.workers,
            stop: &|| crew.control.poll(),
            make_room: &|bytes| others.fit(bytes),
            beside: &|| store.graph_bytes() + kept,
        };
        let mut sweep = match self.sweep.take() {
            Some(sweep) => sweep,
            None => {
                let board = Board::with_rows(crew.clues, &self.root.rows);
                match Sweep::new(&board, component, self.direction, keeps_graph, allowance) {
                    Ok(sweep) => sweep,
                    Err(SweepEnd::Full) if kept > 0 => return (work, SliceEnd::More),
                    Err(_) => return (0, SliceEnd::Out),
                }
            }
        };
        let before = sweep.work_ns();
        let ended = sweep.run(allowance);
        let spent = sweep.work_ns().saturating_sub(before);
        let proved = sweep.proved();
        if proved > self.proved {
            self.proved = proved;
        }
        let end = match ended {
            Ok(count) => {
                let mut value = ComponentValue::number(count);
                // The number is known also if there is no room for the graph.
                let has_graph = !keeps_graph || value.count.is_zero();
                let node = (!has_graph).then(|| sweep.add_nodes(allowance, store));
                match node.transpose() {
                    Ok(node) => {
                        value.node = node;
                        store.insert(component.key.clone(), value.clone(), u64::MAX);
                        SliceEnd::Counted(value)
                    }
                    Err(_) => SliceEnd::Out,
                }
            }
            Err(SweepEnd::Paused) => {
                self.left = sweep.forecast_ns() - sweep.work_ns() as f64;
                self.sweep = Some(sweep);
                return (spent, SliceEnd::More);
            }
            // A racer that is expected to end sooner has the memory that is lacking. This one begins again in its next turn.
            Err(SweepEnd::Full) if kept > 0 => {
                self.left += sweep.work_ns() as f64;
                return (spent.max(work), SliceEnd::More);
            }
            // The race sees that the run was stopped.
            Err(SweepEnd::Stopped) => SliceEnd::More,
            Err(_) => SliceEnd::Out,
        };
        if crew.control.stopped() {
            // Nothing else needs the memory, and the answer does not wait for it.
            sweep.drop_aside();
        }
        (spent, end)
    }

    fn left(&self) -> f64 {
        self.left
    }

    fn expected_slices(&self) -> u64 {
        options::SWEEP_EXPECTED
    }

    fn proved(&self) -> Count {
        self.proved.clone()
    }

    fn bytes(&self) -> u64 {
        self.sweep.as_ref().map_or(0, Sweep::bytes)
    }

    fn shrink(&mut self, all: bool) {
        if all {
            let done = self.sweep.take().map_or(0, |sweep| sweep.work_ns());
            self.left += done as f64;
        } else if let Some(sweep) = &mut self.sweep {
            sweep.shrink();
        }
    }
}
