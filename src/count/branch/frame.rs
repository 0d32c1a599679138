//! The stack of a worker: one frame for each component that it has begun, with the side of its branch that is under way.

use std::sync::Arc;

use super::unfinished::Unfinished;
use crate::board::{Cell, Inherited};
use crate::count::components::{Component, Rows};
use crate::graph::{Edge, NodeId};
use crate::line::Word;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// A part being counted, and the side of its branch that is under way.
#[derive(Debug)]
pub(crate) struct Frame<W> {
    pub(crate) component: Component<W>,
    /// Where the board was before the branch.
    pub(crate) mark: usize,
    /// Where the prober's records ended before the branch; and, where the side under way is probed, those of that.
    pub(crate) records: usize,
    pub(crate) probed: Option<Inherited>,
    /// The decision under way. The root has none.
    pub(crate) decision: Option<(Cell, bool)>,
    /// Is the other side still to come?
    pub(crate) more: bool,
    /// The side before, if it is done.
    pub(crate) sum: Count,
    /// The product of the side's parts counted so far, and those to come.
    pub(crate) product: Count,
    pub(crate) pending: Vec<Component<W>>,
    /// Where a graph is kept: the sides before, and the nodes of the parts counted so far.
    pub(crate) edges: Vec<Edge>,
    pub(crate) rest: Vec<(NodeId, Rows<W>)>,
    /// Into how many parts the side fell.
    pub(crate) components: u64,
    /// Is there a solution on this side? For a part among others: as far as it is concerned.
    pub(crate) alive: bool,
    /// Solutions of the puzzle that lie in the part, and on this side of it.
    pub(crate) within: Option<Arc<Grid>>,
    pub(crate) witness: Option<Arc<Grid>>,
    /// Is it in the table of parts in progress?
    pub(crate) claimed: bool,
    /// Are there parts of this side that are counted elsewhere?
    pub(crate) gaps: bool,
    /// Has the other side been given away?
    pub(crate) lent: bool,
    /// What others add to the part, and multiply into the side.
    pub(crate) open_component: Option<Arc<Unfinished<W>>>,
    pub(crate) side: Option<Arc<Unfinished<W>>>,
    /// The weight of what has been given away, out of that of the side and out of that of the component.
    pub(crate) lent_of_side: u64,
    pub(crate) lent_of_component: u64,
    /// Nodes before the part, and nanoseconds of work before the side.
    pub(crate) began: u64,
    pub(crate) side_began: u64,
    /// Work that the side has to take before the oracle is asked about it again.
    pub(crate) patience: u64,
    /// What its two sides weigh, and what was done before the present one.
    pub(crate) weights: [u64; 2],
    pub(crate) done: u64,
    /// What the worker would have to do again before the part.
    pub(crate) again: u64,
}

impl<W> Frame<W> {
    /// A frame at this mark of the board, of which nothing is begun yet. A solution lies `within` the part.
    pub(crate) fn new(component: Component<W>, mark: usize, within: Option<Arc<Grid>>) -> Self {
        Frame {
            component,
            mark,
            records: 0,
            probed: None,
            decision: None,
            more: false,
            sum: Count::ZERO,
            product: Count::ZERO,
            pending: Vec::new(),
            edges: Vec::new(),
            rest: Vec::new(),
            components: 1,
            alive: false,
            within,
            witness: None,
            claimed: false,
            gaps: false,
            lent: false,
            open_component: None,
            side: None,
            lent_of_side: 0,
            lent_of_component: 0,
            began: 0,
            side_began: 0,
            patience: 0,
            weights: [0, 0],
            done: 0,
            again: 0,
        }
    }

    /// The bottom of a stack on which nothing but this part is counted, for the side `of`.
    pub(crate) fn bottom(
        component: Component<W>,
        mark: usize,
        of: Arc<Unfinished<W>>,
        witness: Option<Arc<Grid>>,
    ) -> Self {
        Frame {
            product: Count::ONE,
            pending: vec![component],
            alive: witness.is_some(),
            witness,
            side: Some(of),
            ..Frame::new(Component::nothing(), mark, None)
        }
    }

    /// Notes what had been done before it: nodes, work, share, and nodes that would have to be done again.
    pub(crate) fn since(self, nodes: u64, work: u64, done: u64, again: u64) -> Self {
        Frame {
            began: nodes,
            side_began: work,
            done,
            again,
            ..self
        }
    }

    /// The solutions of the present side that are proved, without what fills its gaps. `inner` are those of the component that is being
    /// counted on this side, if there is one.
    pub(crate) fn proved(&self, inner: Option<&Count>) -> Count {
        let mut side = self.product.clone();
        match inner {
            _ if self.witness.is_some() => {
                // Parts not counted yet have a solution each.
                if let Some(inner) = inner.filter(|inner| !inner.is_zero()) {
                    side *= inner;
                }
                if side.is_zero() {
                    side = Count::ONE;
                }
            }
            None if !self.alive => side = Count::ZERO,
            _ if !self.pending.is_empty() => side = Count::ZERO,
            None => {}
            Some(inner) => side *= inner,
        }
        side
    }

    /// What the present side weighs of the whole.
    pub(crate) fn weight(&self) -> u64 {
        let filled = self.decision.is_some_and(|(_, filled)| filled);
        self.weights[usize::from(filled)]
    }
}

/// Solutions that are proved by now of what is on this stack: of its first frame's component.
pub(crate) fn bound<W: Word>(frames: &[Frame<W>]) -> Count {
    let mut inner: Option<Count> = None;
    for frame in frames.iter().rev() {
        let mut sum = match frame.gaps && frame.witness.is_none() {
            // What fills the gaps may be nothing.
            true => Count::ZERO,
            false => frame.proved(inner.as_ref()),
        };
        sum += &frame.sum;
        if let Some(open_component) = &frame.open_component {
            sum += &open_component.value();
        }
        inner = Some(sum);
    }
    inner.unwrap_or(Count::ZERO)
}
