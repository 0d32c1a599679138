//! The stack of a worker: one frame for each component that it has begun, with the current side of its branch.
//!
//! A branch decides one cell of a component; its two *sides* are the two values of that cell. The count of a component is the sum of its
//! sides, and the count of a side is the product of the components into which it splits. A stack that counts one side begins with the
//! frame of that side. One that counts a component begins with a frame without a decision, where that component alone is pending.

use std::sync::Arc;

use super::unfinished::Unfinished;
use crate::board::{NodeRecords, ProberMark};
use crate::count::components::{Component, Rows};
use crate::graph::{Edge, NodeId};
use crate::puzzle::Cell;
use crate::solutions::Count;

/// A component that is being counted, and the current side of its branch.
#[derive(Debug)]
pub(crate) struct Frame<W> {
    pub(crate) component: Component<W>,
    /// The board's mark before the branch.
    pub(crate) mark: usize,
    /// The prober's mark before the branch; and the probing records of the current side, if it was probed.
    pub(crate) prober_mark: ProberMark,
    pub(crate) probed: Option<NodeRecords>,
    /// The decision of the current side; `None` in a frame made by [`Frame::bottom`].
    pub(crate) decision: Option<(Cell, bool)>,
    /// Whether this worker still has to count the other side.
    pub(crate) has_other_side: bool,
    /// The sum of the sides counted so far.
    pub(crate) sum: Count,
    /// The product of the side's components counted so far, and those still to be counted.
    pub(crate) product: Count,
    pub(crate) pending: Vec<Component<W>>,
    /// Where a graph is kept: an edge for each side counted so far; and the node and cells of each counted component of the current side.
    pub(crate) edges: Vec<Edge>,
    pub(crate) children: Vec<(NodeId, Rows<W>)>,
    /// Number of components into which the side has split.
    pub(crate) component_count: u64,
    /// Whether the component is in the table of components in progress, claimed by this frame.
    pub(crate) is_claimed: bool,
    /// Receives the sides of the component, and the components of the current side, that others count.
    pub(crate) open_component: Option<Arc<Unfinished<W>>>,
    pub(crate) open_side: Option<Arc<Unfinished<W>>>,
    /// The weight of what others count: in the current side, and elsewhere in the component.
    pub(crate) gap_weight_in_side: u64,
    pub(crate) gap_weight_in_component: u64,
    /// The worker's nodes before the component.
    pub(crate) nodes_before: u64,
    /// The weights of the two sides (empty, filled); and the worker's `share_done` before the current side.
    pub(crate) weights: [u64; 2],
    pub(crate) share_before_side: u64,
}

impl<W> Frame<W> {
    /// A frame at this mark of the board, before its first side.
    pub(crate) fn new(component: Component<W>, mark: usize) -> Self {
        Frame {
            component,
            mark,
            prober_mark: ProberMark::default(),
            probed: None,
            decision: None,
            has_other_side: false,
            sum: Count::ZERO,
            product: Count::ZERO,
            pending: Vec::new(),
            edges: Vec::new(),
            children: Vec::new(),
            component_count: 1,
            is_claimed: false,
            open_component: None,
            open_side: None,
            gap_weight_in_side: 0,
            gap_weight_in_component: 0,
            nodes_before: 0,
            weights: [0, 0],
            share_before_side: 0,
        }
    }

    /// The bottom frame of a stack that counts this component to fill a gap of `owner`.
    pub(crate) fn bottom(component: Component<W>, mark: usize, owner: Arc<Unfinished<W>>) -> Self {
        Frame {
            product: Count::ONE,
            pending: vec![component],
            open_side: Some(owner),
            ..Frame::new(Component::empty(), mark)
        }
    }

    /// A lower bound for the current side, without the components that others count. `inner` is the bound for the component of this side
    /// that is being counted, if there is one.
    pub(crate) fn proved(&self, inner: Option<&Count>) -> Count {
        match inner {
            _ if !self.pending.is_empty() => Count::ZERO,
            None => self.product.clone(),
            Some(inner) => {
                let mut side = self.product.clone();
                side *= inner;
                side
            }
        }
    }

    /// Bytes of the frame, without what it has of a graph.
    pub(crate) fn bytes(&self) -> u64 {
        let components = self.pending.iter().chain([&self.component]);
        let components = components.map(Component::bytes).sum::<u64>();
        size_of::<Self>() as u64 + components
    }

    /// The share of the walk that the current side has, out of [`WHOLE`](crate::search::WHOLE).
    pub(crate) fn weight(&self) -> u64 {
        let filled = self.decision.is_some_and(|(_, filled)| filled);
        self.weights[usize::from(filled)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(product: u64) -> Frame<u64> {
        Frame {
            decision: Some((Cell::new(0, 0), true)),
            product: Count::from(product),
            ..Frame::new(Component::empty(), 0)
        }
    }

    #[test]
    fn a_side_proves_what_its_components_do() {
        let inner = Count::from(5);
        assert_eq!(frame(3).proved(None), Count::from(3));
        assert_eq!(frame(3).proved(Some(&inner)), Count::from(15));
        let pending = |side: Frame<u64>| Frame {
            pending: vec![Component::empty()],
            ..side
        };
        assert_eq!(pending(frame(3)).proved(Some(&inner)), Count::ZERO);
    }

    #[test]
    fn a_frame_has_the_weight_of_its_current_side() {
        let mut frame = Frame {
            weights: [20, 30],
            ..frame(1)
        };
        assert_eq!(frame.weight(), 30);
        frame.decision = frame.decision.map(|(cell, filled)| (cell, !filled));
        assert_eq!(frame.weight(), 20);
    }
}
