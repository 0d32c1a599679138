//! Components and sides of which something is counted elsewhere: their gaps, and where their values go when the last gap is filled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::count::components::{Component, ComponentValue, Rows};
use crate::graph::{Edge, NodeId};
use crate::line::Word;
use crate::solutions::Count;

/// Bytes of an [`Unfinished`] besides its key and its cells, with its places in tables.
const OVERHEAD: usize = 200;

/// A component or a side of one, of which something is counted elsewhere.
#[derive(Debug)]
pub(crate) struct Unfinished<W> {
    /// Nobody needs it any more. Relaxed: a hint, which saves work.
    dead: AtomicBool,
    state: Mutex<State<W>>,
}

#[derive(Debug)]
struct State<W> {
    /// The sum of a component's sides, or the product of a side's components, so far.
    value: Count,
    /// Terms or factors that are missing; what is on a stack counts as one.
    gaps: usize,
    kind: Kind<W>,
    then: Then<W>,
}

#[derive(Debug)]
pub(crate) enum Kind<W> {
    Component {
        edges: Vec<Edge>,
        /// What is to be kept of it, when it has left the stack.
        record: Option<ComponentRecord<W>>,
    },
    Side {
        rest: Vec<(NodeId, Rows<W>)>,
        /// Where a graph is kept: the cells of its component, and which of them are known to be filled.
        known: Option<(Rows<W>, Box<[W]>)>,
    },
}

/// What the table keeps of a component.
#[derive(Debug)]
pub(crate) struct ComponentRecord<W> {
    pub(crate) component: Component<W>,
    /// Nodes that it took, and would take again.
    pub(crate) nodes: u64,
    pub(crate) again: u64,
}

impl<W> ComponentRecord<W> {
    /// Bytes that it and what it is a record of take.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.component.rows) + size_of_val(&*self.component.key) + OVERHEAD) as u64
    }
}

/// Where the value goes when it is complete.
#[derive(Debug)]
pub(crate) enum Then<W> {
    /// Nowhere yet: it is on a stack, or done with.
    Stays,
    /// A side into its component, or a component into the side that it belongs to.
    Into(Arc<Unfinished<W>>),
    /// Into all sides in which there is such a component.
    IntoAll(Vec<Waiting<W>>),
    /// It is the value of the walk.
    Ends,
}

/// A gap for a component.
#[derive(Debug)]
pub(crate) struct Waiting<W> {
    pub(crate) side: Arc<Unfinished<W>>,
    /// The cells of the component there.
    pub(crate) cells: Rows<W>,
    /// Its share of the walk.
    pub(crate) weight: u64,
}

impl<W> Waiting<W> {
    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.cells) + size_of::<Waiting<W>>() + OVERHEAD) as u64
    }
}

/// What fills a gap.
#[derive(Debug)]
pub(crate) struct Gift<W> {
    pub(crate) count: Count,
    /// For a component, where a graph is kept.
    pub(crate) edges: Vec<Edge>,
    /// For a side, where a graph is kept.
    pub(crate) rest: Vec<(NodeId, Rows<W>)>,
}

impl<W> Gift<W> {
    /// A number without a graph.
    pub(crate) fn number(count: Count) -> Self {
        Gift {
            count,
            edges: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// A component with these cells, for a side.
    pub(crate) fn of(value: &ComponentValue, cells: Rows<W>) -> Self {
        Gift {
            count: value.count.clone(),
            edges: Vec::new(),
            rest: value.node.map(|node| (node, cells)).into_iter().collect(),
        }
    }
}

impl<W: Word> Unfinished<W> {
    fn new(value: Count, kind: Kind<W>, then: Then<W>) -> Arc<Self> {
        Arc::new(Unfinished {
            dead: AtomicBool::new(false),
            state: Mutex::new(State {
                value,
                gaps: 1,
                kind,
                then,
            }),
        })
    }

    /// A component that is on a stack.
    pub(crate) fn open_component() -> Arc<Self> {
        let kind = Kind::Component {
            edges: Vec::new(),
            record: None,
        };
        Self::new(Count::ZERO, kind, Then::Stays)
    }

    /// A side that is on a stack.
    pub(crate) fn side() -> Arc<Self> {
        Self::product(Then::Stays)
    }

    /// A side that goes there.
    pub(crate) fn product(then: Then<W>) -> Arc<Self> {
        let kind = Kind::Side {
            rest: Vec::new(),
            known: None,
        };
        Self::new(Count::ONE, kind, then)
    }

    fn state(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One gap more.
    pub(crate) fn open(&self) {
        self.state().gaps += 1;
    }

    /// What has been filled in so far.
    pub(crate) fn value(&self) -> Count {
        self.state().value.clone()
    }

    /// Nobody needs it any more.
    pub(crate) fn kill(&self) {
        self.dead.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// A side has left the stack, and goes into this component; where a graph is kept, with its cells and those that are filled.
    pub(crate) fn close_side(&self, open_component: Arc<Self>, cells: Option<(Rows<W>, Box<[W]>)>) {
        let mut state = self.state();
        state.then = Then::Into(open_component);
        if let Kind::Side { known, .. } = &mut state.kind {
            *known = cells;
        }
    }

    /// A component leaves the stack with what has been summed up there: its whole value with its edges, or, when there are gaps left, the
    /// record back, to be [closed](Self::close_component) with.
    pub(crate) fn leave_stack(&self, sum: &Count, more: Vec<Edge>) -> Option<(Count, Vec<Edge>)> {
        let mut state = self.state();
        state.value += sum;
        let whole = state.gaps == 1;
        let State { value, kind, .. } = &mut *state;
        let Kind::Component { edges, .. } = kind else {
            unreachable!("a side is closed as a side");
        };
        edges.extend(more);
        whole.then(|| (std::mem::replace(value, Count::ZERO), std::mem::take(edges)))
    }

    /// A component that has left the stack with gaps goes into this side. The stack's own gap is still to be filled.
    pub(crate) fn close_component(&self, side: Arc<Self>, of: ComponentRecord<W>) {
        let mut state = self.state();
        state.then = Then::Into(side);
        if let Kind::Component { record, .. } = &mut state.kind {
            *record = Some(of);
        }
    }

    /// Fills a gap; what it is when it is complete.
    pub(crate) fn fill(&self, gift: Gift<W>) -> Option<(Count, Kind<W>, Then<W>)> {
        let mut state = self.state();
        let State {
            value, gaps, kind, ..
        } = &mut *state;
        *gaps = gaps.saturating_sub(1);
        let nothing = match kind {
            Kind::Component { edges, .. } => {
                *value += &gift.count;
                edges.extend(gift.edges);
                false
            }
            Kind::Side { rest, .. } => {
                *value *= &gift.count;
                rest.extend(gift.rest);
                value.is_zero()
            }
        };
        if nothing {
            // Whatever its other components are.
            self.kill();
        }
        if *gaps > 0 && !nothing || matches!(state.then, Then::Stays) {
            return None;
        }
        let empty = Kind::Side {
            rest: Vec::new(),
            known: None,
        };
        Some((
            std::mem::replace(&mut state.value, Count::ZERO),
            std::mem::replace(&mut state.kind, empty),
            std::mem::replace(&mut state.then, Then::Stays),
        ))
    }
}
