//! What happens to a puzzle that is counted.
//!
//! 1. The puzzle is propagated and probed. That makes the [root](super::root): the known cells, and the components of the unknown cells, the
//!    smallest first.
//! 2. The components are counted one after the other, each by a [race](super::race), unless the component table has its value. One of the
//!    racers looks for the backbone, the cells that are the same in every solution. When it reports cells, they make a new root with smaller
//!    components, and step 2 begins again; the component table stays.
//! 3. The number of solutions is the product of the counts.
//!
//! A solution graph is built by the same race, of those racers that can build one. If the nodes of the graph have to decide single cells, only
//! a walk can build it. Then the number is counted first, by all racers, as that is mostly much cheaper, and the walk begins at the root at
//! which the number was found.

use std::sync::Arc;

use super::backbone::Questions;
use super::components::{ComponentTable, ComponentValue, Store};
use super::crew::Crew;
use super::options::{self, Method, Way};
use super::race::{RaceEnd, Racer, Runner, SliceEnd, race};
use super::racers::{BackboneRacer, SweepRacer, WalkRacer};
use super::root::{Opened, Root, cells_of};
use super::setup::{GraphProgress, Setup, Slice};
use super::status::Status;
use super::workers::Workers;
use crate::board::Clues;
use crate::graph::{Builder, NodeId, SolutionGraph};
use crate::line::Word;
use crate::puzzle::Grid;
use crate::run::{Control, Instant, Limits, Statistics, memory_plan};
use crate::sat::SatSolver;
use crate::search::{Outcome, Search, Total};
use crate::solutions::{Count, Stop};

/// Counts the solutions; if `keeps_graph`, also builds the graph of all solutions, which is `None` when the run was stopped.
pub(crate) fn run<W: Word>(
    setup: &Setup<'_>,
    keeps_graph: bool,
) -> (Option<SolutionGraph>, Outcome) {
    let began = Instant::now();
    let clues = Clues::new(setup.puzzle);
    let control = Arc::new(match &setup.run {
        Some(run) => run.part(u64::MAX),
        None => Control::new(&setup.limits, false),
    });
    let table = match &setup.table {
        Some(table) if !keeps_graph => Arc::clone(table),
        _ => Arc::new(ComponentTable::new(setup.limits.bytes())),
    };
    let status = Status::new(began);
    let mut run = Run {
        setup,
        clues: &clues,
        control: &control,
        status: &status,
        table: &table,
        statistics: Statistics::default(),
    };
    let result = status.watch(setup.observer, || {
        let (graph, answer) = run.answer::<W>(keeps_graph);
        let is_answered = if keeps_graph {
            graph.is_some()
        } else {
            answer.is_some()
        };
        let outcome = run.outcome(began, answer, is_answered);
        let is_complete = outcome.stopped.is_none();
        ((graph, outcome), is_complete)
    });
    table.drop_aside();
    result
}

/// What a count works with.
struct Run<'r> {
    setup: &'r Setup<'r>,
    clues: &'r Clues,
    control: &'r Arc<Control>,
    status: &'r Status,
    table: &'r Arc<ComponentTable>,
    statistics: Statistics,
}

/// The components of a root, counted.
struct Counted<W> {
    root: Root<W>,
    values: Vec<ComponentValue>,
}

/// How counting the components of a root ended.
enum CountEnd<W> {
    Counted(Counted<W>),
    Unsatisfiable,
    /// The run was stopped, or the graph has outgrown its memory. The root by then.
    Stopped(Root<W>),
}

impl Run<'_> {
    /// The graph, if it is kept, and the number of solutions; `None` if the number is not known.
    fn answer<W: Word>(&mut self, keeps_graph: bool) -> (Option<SolutionGraph>, Option<Count>) {
        if self.goal().is_some() {
            self.status.raise_bound(Count::ONE);
        }
        let unsatisfiable =
            || SolutionGraph::unsatisfiable(self.clues.width(), self.clues.height());
        let numbers = &self.table.state_numbers;
        let opened = Root::<W>::open(
            self.setup,
            self.clues,
            numbers,
            self.control,
            &mut self.statistics,
        );
        let root = match opened {
            Opened::Root(root) => root,
            Opened::Contradiction if self.control.reason().is_none() => {
                return (keeps_graph.then(unsatisfiable), Some(Count::ZERO));
            }
            Opened::Contradiction | Opened::Stopped => return (None, None),
        };
        if !keeps_graph {
            let number = match self.is_soon_unique(&root) {
                true => Some(Count::ONE),
                false => self.count(root, Keeps::Number).number(),
            };
            return (None, number);
        }
        let (root, number) = match self.setup.decides_cells {
            false => (root, None),
            true => match self.count(root, Keeps::Number) {
                CountEnd::Counted(counted) => {
                    let number = counted.product();
                    (counted.root, Some(number))
                }
                CountEnd::Unsatisfiable => return (Some(unsatisfiable()), Some(Count::ZERO)),
                CountEnd::Stopped(_) => return (None, None),
            },
        };
        let keeps = match self.setup.decides_cells {
            true => Keeps::Decisions(number.clone()),
            false => Keeps::Graph,
        };
        let mut builder = None;
        match self.count_keeping(root, &keeps, &mut builder) {
            CountEnd::Counted(counted) => {
                let number = counted.product();
                let graph =
                    builder.map(|builder: Builder| counted.graph(builder, self.clues.width()));
                (graph, Some(number))
            }
            CountEnd::Unsatisfiable => (Some(unsatisfiable()), Some(Count::ZERO)),
            CountEnd::Stopped(_) if self.control.reason().is_some() => (None, number),
            // There was no room for the graph. The number alone may take its memory now.
            CountEnd::Stopped(root) => {
                let number = number.or_else(|| self.count(root, Keeps::Number).number());
                self.control.stop(Stop::Memory);
                (None, number)
            }
        }
    }

    /// The goal of the puzzle if it is a solution and counts: it need not lie in the cube.
    fn goal(&self) -> Option<&Grid> {
        let goal = self.setup.puzzle.solved_goal();
        goal.filter(|_| self.setup.is_whole())
    }

    /// Where the goal is a solution, looks for another one near it with some nodes of the tree; returns whether there is none. The other
    /// methods, and racers that are named, count without it.
    fn is_soon_unique<W: Word>(&mut self, root: &Root<W>) -> bool {
        let is_auto = self.setup.method == Method::Auto && self.setup.options.ways.is_none();
        let goal = self
            .goal()
            .filter(|_| is_auto && !root.components.is_empty());
        let Some(goal) = goal else {
            return false;
        };
        let part = Arc::new(self.control.part(options::NEAR_NODES));
        let memory = memory_plan::NEAR.of(self.setup.limits.bytes());
        let search = Search::new(self.setup.puzzle).limits(Limits::default().memory(memory));
        let (other, outcome) = search.single_threaded().other_under(&part, goal);
        if other.is_some() {
            self.status.raise_bound(Count::from(2));
        }
        self.status.add_nodes(outcome.statistics.nodes);
        self.statistics.add(&outcome.statistics);
        outcome.stopped.is_none() && other.is_none()
    }

    fn count<W: Word>(&mut self, root: Root<W>, keeps: Keeps) -> CountEnd<W> {
        self.count_keeping(root, &keeps, &mut None)
    }

    /// Counts all components of a root. A graph that is kept is left in `builder`.
    fn count_keeping<W: Word>(
        &mut self,
        root: Root<W>,
        keeps: &Keeps,
        builder: &mut Option<Builder>,
    ) -> CountEnd<W> {
        let share = match keeps {
            Keeps::Graph => memory_plan::GRAPH_BESIDE_SWEEPS,
            Keeps::Number | Keeps::Decisions(_) => memory_plan::GRAPH,
        };
        let max_graph_bytes = share.of(self.setup.limits.bytes());
        // All counts of a run have one table, because the keys of the root belong to it. A graph takes no value that has no node.
        let table = Arc::clone(self.table);
        let keeps_graph = !matches!(keeps, Keeps::Number);
        let store = Store::new(table, keeps_graph, max_graph_bytes);
        let mut crew = Crew::new(
            self.setup,
            self.clues,
            self.control,
            self.status,
            store,
            &root.rows,
        );
        if let Some(goal) = self.goal() {
            crew.record_witness(&Arc::new(goal.clone()));
        }
        let end = Workers::scoped(&crew, |workers| {
            Counting {
                setup: self.setup,
                keeps,
                workers,
            }
            .run(root)
        });
        self.statistics.add(&crew.statistics());
        // A graph that is not complete gives its memory back.
        let graph = crew.store.graph.take();
        let graph = graph.filter(|_| matches!(end, CountEnd::Counted(_)));
        *builder = graph.map(|graph| graph.join());
        end
    }

    /// The outcome of a run with this number of solutions, if it is known. A run that has its answer was not stopped, even if a limit has been
    /// reached since.
    fn outcome(&self, began: Instant, number: Option<Count>, is_answered: bool) -> Outcome {
        let stopped = self.control.reason().filter(|_| !is_answered);
        Outcome {
            solutions: match number {
                Some(number) => Total::Exactly(number),
                None => Total::AtLeast(self.status.raise_bound(Count::ZERO)),
            },
            stopped,
            cubes: Vec::new(),
            shares: Vec::new(),
            done: f64::from(stopped.is_none()),
            statistics: Statistics {
                nodes: self.statistics.nodes.max(1),
                ..self.statistics
            },
            elapsed: began.elapsed(),
        }
    }
}

/// What a count keeps.
enum Keeps {
    Number,
    /// A graph by any racer.
    Graph,
    /// A graph whose nodes decide a cell; the number of solutions is known.
    Decisions(Option<Count>),
}

impl<W: Word> CountEnd<W> {
    fn number(self) -> Option<Count> {
        match self {
            CountEnd::Counted(counted) => Some(counted.product()),
            CountEnd::Unsatisfiable => Some(Count::ZERO),
            CountEnd::Stopped(_) => None,
        }
    }
}

impl<W: Word> Counted<W> {
    fn product(&self) -> Count {
        product(&self.values)
    }

    fn graph(&self, builder: Builder, width: usize) -> SolutionGraph {
        let nodes: Option<Vec<NodeId>> = self.values.iter().map(|value| value.node).collect();
        match nodes {
            Some(nodes) => {
                let cells = self.root.components.iter().map(cells_of);
                builder.finish(
                    &self.root.filled(width),
                    nodes.into_iter().zip(cells).collect(),
                )
            }
            None => SolutionGraph::unsatisfiable(width, self.root.rows.len()),
        }
    }
}

fn product(values: &[ComponentValue]) -> Count {
    let mut product = Count::ONE;
    values.iter().for_each(|value| product *= &value.count);
    product
}

/// The count of all components of a root.
struct Counting<'c, 'w, 'scope, 'env, 'a, W: Word> {
    setup: &'c Setup<'c>,
    keeps: &'c Keeps,
    workers: &'w mut Workers<'scope, 'env, 'a, W>,
}

impl<W: Word> Counting<'_, '_, '_, '_, '_, W> {
    fn run(self, mut root: Root<W>) -> CountEnd<W> {
        let crew = self.workers.crew();
        let questions = Arc::<Questions>::default();
        let mut observed_nodes = 0;
        'roots: loop {
            let mut values = Vec::with_capacity(root.components.len());
            for (i, component) in root.components.iter().enumerate() {
                let counted = product(&values);
                let mut report = |runner: &Runner<'_, W>, end: &SliceEnd| {
                    raise_bound(crew, &root, i, &counted, runner, end);
                    if let Some(observer) = self.setup.slice_observer {
                        observer(&slice_of(i, runner));
                    }
                    if matches!(end, SliceEnd::More) {
                        observe_graph(self.setup, self.keeps, crew, runner, &mut observed_nodes);
                    }
                };
                let mut end = match crew.store.get(&component.key) {
                    Some(value) => RaceEnd::Counted(value),
                    None => race(
                        runners(self.setup, self.keeps, &root, i, &questions),
                        self.workers,
                        &mut report,
                    ),
                };
                if matches!(end, RaceEnd::Out) && self.may_fall_back() {
                    end = race(vec![walk(&root, i)], self.workers, &mut report);
                }
                match end {
                    RaceEnd::Counted(value) if value.count.is_zero() => {
                        return CountEnd::Unsatisfiable;
                    }
                    RaceEnd::Counted(value) => values.push(value),
                    RaceEnd::Unsatisfiable => return CountEnd::Unsatisfiable,
                    RaceEnd::Stopped => return CountEnd::Stopped(root),
                    RaceEnd::Out => {
                        if !crew.store.is_outgrown() {
                            crew.control.stop(Stop::Memory);
                        }
                        return CountEnd::Stopped(root);
                    }
                    RaceEnd::Facts(cells) => {
                        let numbers = &crew.store.table.state_numbers;
                        match root.with(&cells, crew.clues, numbers, &crew.control) {
                            Opened::Root(smaller) => root = smaller,
                            Opened::Contradiction if crew.control.reason().is_none() => {
                                return CountEnd::Unsatisfiable;
                            }
                            Opened::Contradiction | Opened::Stopped => {
                                return CountEnd::Stopped(root);
                            }
                        }
                        continue 'roots;
                    }
                }
            }
            return CountEnd::Counted(Counted { root, values });
        }
    }

    /// Whether a component that the sweeps cannot count is left to a walk.
    fn may_fall_back(&self) -> bool {
        let is_frontier = self.setup.method == Method::Frontier;
        matches!(self.keeps, Keeps::Number) && is_frontier && self.setup.options.ways.is_none()
    }
}

/// The racers for a component.
fn runners<'r, W: Word>(
    setup: &Setup<'_>,
    keeps: &Keeps,
    root: &'r Root<W>,
    component: usize,
    questions: &Arc<Questions>,
) -> Vec<Runner<'r, W>> {
    let method = match keeps {
        Keeps::Number => setup.method,
        Keeps::Graph => Method::Auto,
        Keeps::Decisions(_) => Method::Regions,
    };
    let ways = setup.options.ways.as_deref().unwrap_or(Way::of(method));
    let runners = ways.iter().filter_map(|&way| {
        let racer: Box<dyn Racer<W> + Send + 'r> = match way {
            Way::Walk => Box::new(WalkRacer::new(root, component)),
            // Its nodes decide a line.
            Way::Sweep(_) if matches!(keeps, Keeps::Decisions(_)) => return None,
            Way::Sweep(direction) => Box::new(SweepRacer::new(root, component, direction)),
            Way::Backbone if !SatSolver::IS_BUILT_IN => return None,
            Way::Backbone => Box::new(BackboneRacer::new(questions, root.unknown())),
        };
        Some(Runner {
            way,
            racer,
            spent: 0,
        })
    });
    let runners: Vec<_> = runners.collect();
    match runners.is_empty() {
        true => vec![walk(root, component)],
        false => runners,
    }
}

/// A walk through a component.
fn walk<W: Word>(root: &Root<W>, component: usize) -> Runner<'_, W> {
    Runner {
        way: Way::Walk,
        racer: Box::new(WalkRacer::new(root, component)),
        spent: 0,
    }
}

/// Tells the observer of a graph of its progress, if a racer has worked long and the graph has grown much since the observer was last called.
fn observe_graph<W: Word>(
    setup: &Setup<'_>,
    keeps: &Keeps,
    crew: &Crew<'_, W>,
    runner: &Runner<'_, W>,
    observed_nodes: &mut u64,
) {
    let (Some(observer), Some(graph)) = (setup.graph_observer, &crew.store.graph) else {
        return;
    };
    let nodes = graph.node_count() as u64;
    let is_long = runner.spent >= options::GRAPH_REPORT_SLICES * crew.options.slice_ns;
    if !is_long || nodes <= options::GRAPH_REPORT_GROWTH * *observed_nodes || crew.control.stopped()
    {
        return;
    }
    *observed_nodes = nodes;
    observer(&GraphProgress {
        solutions: match keeps {
            Keeps::Decisions(number) => number.clone(),
            Keeps::Number | Keeps::Graph => None,
        },
        nodes,
        bytes: graph.bytes(),
        max_bytes: crew.store.max_graph_bytes,
    });
}

/// Raises the lower bound after a slice on the component with this index: `counted` is the product of those before it. Of those after it it is
/// only known that each has a solution if the puzzle has one.
fn raise_bound<W: Word>(
    crew: &Crew<'_, W>,
    root: &Root<W>,
    component: usize,
    counted: &Count,
    runner: &Runner<'_, W>,
    end: &SliceEnd,
) {
    let mut bound = match end {
        SliceEnd::Counted(value) => value.count.clone(),
        _ => runner.racer.proved(),
    };
    if crew.witness().is_some() {
        bound = if bound.is_zero() { Count::ONE } else { bound };
    } else if component + 1 < root.components.len() {
        return;
    }
    bound *= counted;
    crew.status.raise_bound(bound);
}

/// The slice that a racer has just had on the component with this index.
fn slice_of<W: Word>(component: usize, runner: &Runner<'_, W>) -> Slice {
    Slice {
        component,
        racer: runner.way.to_string(),
        spent: runner.spent,
        left: runner.racer.left(),
        proved: runner.racer.proved(),
    }
}
