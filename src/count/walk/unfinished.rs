//! Components and sides of which other workers count some terms or factors: the *gaps*. When the last gap is filled the value is complete
//! and is passed on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::count::components::{Component, ComponentValue, Rows};
use crate::graph::{Edge, NodeId};
use crate::line::Word;
use crate::run::lock;
use crate::solutions::Count;

/// Bytes of an [`Unfinished`] besides its key and its cells, including its entries in tables.
const OVERHEAD_BYTES: usize = 200;

/// A component with sides, or a side with components, that other workers count.
#[derive(Debug)]
pub(crate) struct Unfinished<W> {
    /// Whether the value is no longer needed. Relaxed: a hint that saves work.
    is_cancelled: AtomicBool,
    state: Mutex<State<W>>,
}

impl<W> Drop for Unfinished<W> {
    /// Drops those that it alone would have filled, one after the other: they form long chains.
    fn drop(&mut self) {
        let mut receivers = self.take_receivers();
        while let Some(receiver) = receivers.pop() {
            if let Some(mut unfinished) = Arc::into_inner(receiver) {
                receivers.append(&mut unfinished.take_receivers());
            }
        }
    }
}

impl<W> Unfinished<W> {
    /// Takes out those of which the value would fill a gap.
    fn take_receivers(&mut self) -> Vec<Arc<Self>> {
        let state = self.state.get_mut();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut state.destination, Destination::Nowhere) {
            Destination::Nowhere | Destination::WalkResult => Vec::new(),
            Destination::Gap(receiver) => vec![receiver],
            Destination::WaitingSides(waiting) => waiting.into_iter().map(|gap| gap.side).collect(),
        }
    }
}

#[derive(Debug)]
pub(super) struct State<W> {
    /// The sum of a component's sides, or the product of a side's components, so far.
    pub(super) value: Count,
    /// Number of missing terms or factors. As long as the component or side is on a stack, its frame is one of them.
    pub(super) gaps: usize,
    pub(super) kind: Kind<W>,
    pub(super) destination: Destination<W>,
}

/// A component or a side, with the data that the other one does not have.
#[derive(Debug)]
pub(crate) enum Kind<W> {
    Component {
        edges: Vec<Edge>,
        /// For the component table; `None` as long as the component is on a stack.
        record: Option<ComponentRecord<W>>,
    },
    Side {
        children: Vec<(NodeId, Rows<W>)>,
        /// Where a graph is kept: the cells of its component, and for each of their rows the filled cells.
        graph_cells: Option<(Rows<W>, Box<[W]>)>,
    },
}

/// A component, and its cost for the component table.
#[derive(Debug)]
pub(crate) struct ComponentRecord<W> {
    pub(crate) component: Component<W>,
    /// Nodes that it took.
    pub(crate) nodes: u64,
}

impl<W> ComponentRecord<W> {
    /// Bytes of the record and of its [`Unfinished`].
    pub(crate) fn bytes(&self) -> u64 {
        self.component.bytes() + OVERHEAD_BYTES as u64
    }
}

/// What the complete value is for.
#[derive(Debug)]
pub(crate) enum Destination<W> {
    /// Not known yet: the component or side is on a stack. Or nothing more: its value has been taken already.
    Nowhere,
    /// It fills a gap of this: the value of a side in its component, or that of a component in its side.
    Gap(Arc<Unfinished<W>>),
    /// It fills a gap in each of the sides that wait for this component.
    WaitingSides(Vec<WaitingSide<W>>),
    /// It is the result of the walk.
    WalkResult,
}

/// A side that waits for the value of a component.
#[derive(Debug)]
pub(crate) struct WaitingSide<W> {
    pub(crate) side: Arc<Unfinished<W>>,
    /// The cells of the component on that side, which may be others than where it is counted.
    pub(crate) cells: Rows<W>,
    /// The share of the walk that this occurrence of the component has.
    pub(crate) weight: u64,
}

impl<W> WaitingSide<W> {
    /// Bytes of this entry.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.cells) + size_of::<WaitingSide<W>>() + OVERHEAD_BYTES) as u64
    }
}

/// The value that fills a gap.
#[derive(Debug)]
pub(crate) struct GapValue<W> {
    pub(crate) count: Count,
    /// For a gap of a component, where a graph is kept: the edge of the side.
    pub(crate) edges: Vec<Edge>,
    /// For a gap of a side, where a graph is kept: the node and the cells of the component.
    pub(crate) children: Vec<(NodeId, Rows<W>)>,
}

impl<W> GapValue<W> {
    /// A count without a graph.
    pub(crate) fn number(count: Count) -> Self {
        GapValue {
            count,
            edges: Vec::new(),
            children: Vec::new(),
        }
    }

    /// The value of a component with these cells, for a gap of a side.
    pub(crate) fn of(value: &ComponentValue, cells: Rows<W>) -> Self {
        GapValue {
            count: value.count.clone(),
            edges: Vec::new(),
            children: value.node.map(|node| (node, cells)).into_iter().collect(),
        }
    }
}

impl<W: Word> Unfinished<W> {
    fn new(value: Count, kind: Kind<W>, destination: Destination<W>) -> Arc<Self> {
        Arc::new(Unfinished {
            is_cancelled: AtomicBool::new(false),
            state: Mutex::new(State {
                value,
                gaps: 1,
                kind,
                destination,
            }),
        })
    }

    /// For a component that is on a stack.
    pub(crate) fn open_component() -> Arc<Self> {
        let kind = Kind::Component {
            edges: Vec::new(),
            record: None,
        };
        Self::new(Count::ZERO, kind, Destination::Nowhere)
    }

    /// For a side that is on a stack.
    pub(crate) fn open_side() -> Arc<Self> {
        Self::product(Destination::Nowhere)
    }

    /// A product with a destination for its complete value.
    pub(crate) fn product(destination: Destination<W>) -> Arc<Self> {
        let kind = Kind::Side {
            children: Vec::new(),
            graph_cells: None,
        };
        Self::new(Count::ONE, kind, destination)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State<W>> {
        lock(&self.state)
    }

    /// Adds a gap.
    pub(crate) fn add_gap(&self) {
        self.state().gaps += 1;
    }

    /// Records that the value is no longer needed, so that workers can abandon it.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// For a side that leaves the stack: its value will fill a gap of `open_component`. Where a graph is kept, `cells` are the cells of the
    /// component and, for each of their rows, the filled ones.
    pub(crate) fn close_side(&self, open_component: Arc<Self>, cells: Option<(Rows<W>, Box<[W]>)>) {
        let mut state = self.state();
        state.destination = Destination::Gap(open_component);
        if let Kind::Side { graph_cells, .. } = &mut state.kind {
            *graph_cells = cells;
        }
    }

    /// For a component that leaves the stack: adds what was counted there. Returns the whole count and all edges if the stack's own gap is
    /// the only one; otherwise `None`, and the component must be [closed](Self::close_component).
    pub(crate) fn leave_stack(
        &self,
        sum: &Count,
        edges_of_stack: Vec<Edge>,
    ) -> Option<(Count, Vec<Edge>)> {
        let mut state = self.state();
        state.value += sum;
        let whole = state.gaps == 1;
        let State { value, kind, .. } = &mut *state;
        let Kind::Component { edges, .. } = kind else {
            unreachable!("leave_stack is for components only");
        };
        edges.extend(edges_of_stack);
        whole.then(|| (std::mem::replace(value, Count::ZERO), std::mem::take(edges)))
    }

    /// For a component that leaves the stack with gaps: its value will fill a gap of `side`. The caller still has to fill the stack's gap.
    pub(crate) fn close_component(&self, side: Arc<Self>, of: ComponentRecord<W>) {
        let mut state = self.state();
        state.destination = Destination::Gap(side);
        if let Kind::Component { record, .. } = &mut state.kind {
            *record = Some(of);
        }
    }

    /// Fills a gap. Returns the value and what to do with it when it is complete: no gap is left, or it is a product with a factor of 0.
    pub(crate) fn fill_gap(
        &self,
        gap_value: GapValue<W>,
    ) -> Option<(Count, Kind<W>, Destination<W>)> {
        let mut state = self.state();
        let State {
            value, gaps, kind, ..
        } = &mut *state;
        *gaps = gaps.saturating_sub(1);
        let is_zero_product = match kind {
            Kind::Component { edges, .. } => {
                *value += &gap_value.count;
                edges.extend(gap_value.edges);
                false
            }
            Kind::Side { children, .. } => {
                *value *= &gap_value.count;
                children.extend(gap_value.children);
                value.is_zero()
            }
        };
        if is_zero_product {
            // The other factors are not needed.
            self.cancel();
        }
        if *gaps > 0 && !is_zero_product || matches!(state.destination, Destination::Nowhere) {
            return None;
        }
        let empty = Kind::Side {
            children: Vec::new(),
            graph_cells: None,
        };
        Some((
            std::mem::replace(&mut state.value, Count::ZERO),
            std::mem::replace(&mut state.kind, empty),
            std::mem::replace(&mut state.destination, Destination::Nowhere),
        ))
    }
}
