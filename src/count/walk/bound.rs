//! A lower bound for what a walk has counted when it ends early, from its stacks and the tasks that nobody has begun.
//!
//! Each of them fills the gap that it counts for with what it has proved so far, and the values are passed on as in the walk, but in copies,
//! so that the walk can go on later.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::frame::Frame;
use super::piece::WalkTask;
use super::unfinished::{Destination, Kind, Unfinished};
use crate::count::components::Key;
use crate::line::Word;
use crate::solutions::Count;

/// Receives a value.
#[derive(Clone, Debug)]
enum Target<W> {
    Node(usize),
    Unfinished(Arc<Unfinished<W>>),
    /// The bound itself.
    Result,
}

/// A copy of an [`Unfinished`], or one that a stack would have made.
#[derive(Debug)]
struct Node<W> {
    value: Count,
    gaps: usize,
    is_product: bool,
    /// Those that receive its value; none as long as it is on a stack.
    targets: Vec<Target<W>>,
    /// The key of a component: its value also goes to the sides that wait for this key.
    key: Option<Key>,
}

/// A bound under way. `waiting` returns the sides that wait for the component with a key.
pub(super) struct Bound<W, F> {
    nodes: Vec<Node<W>>,
    /// The index of the copy of each [`Unfinished`], by its address.
    copies: FxHashMap<*const Unfinished<W>, usize>,
    waiting: F,
    result: Count,
}

impl<W: Word, F: Fn(&Key) -> Vec<Arc<Unfinished<W>>>> Bound<W, F> {
    pub(super) fn new(waiting: F) -> Self {
        Bound {
            nodes: Vec::new(),
            copies: FxHashMap::default(),
            waiting,
            result: Count::ZERO,
        }
    }

    /// The bound; zero if something of the walk was not added.
    pub(super) fn result(self) -> Count {
        self.result
    }

    /// The index of the copy of this one.
    fn copy(&mut self, unfinished: &Arc<Unfinished<W>>) -> usize {
        let nodes = &mut self.nodes;
        *(self.copies)
            .entry(Arc::as_ptr(unfinished))
            .or_insert_with(|| {
                let state = unfinished.state();
                let target = |side: &Arc<_>| Target::Unfinished(Arc::clone(side));
                nodes.push(Node {
                    value: state.value.clone(),
                    gaps: state.gaps,
                    is_product: matches!(state.kind, Kind::Side { .. }),
                    targets: match &state.destination {
                        Destination::Nowhere => Vec::new(),
                        Destination::WalkResult => vec![Target::Result],
                        Destination::Gap(receiver) => vec![target(receiver)],
                        Destination::WaitingSides(waiting) => {
                            waiting.iter().map(|gap| target(&gap.side)).collect()
                        }
                    },
                    key: match &state.kind {
                        Kind::Component { record, .. } => {
                            record.as_ref().map(|record| record.component.key.clone())
                        }
                        Kind::Side { .. } => None,
                    },
                });
                nodes.len() - 1
            })
    }

    /// The index of the copy of this one; or of a new component or side that is on a stack.
    fn copy_or_new(&mut self, unfinished: Option<&Arc<Unfinished<W>>>, is_product: bool) -> usize {
        if let Some(unfinished) = unfinished {
            return self.copy(unfinished);
        }
        self.nodes.push(Node {
            value: if is_product { Count::ONE } else { Count::ZERO },
            gaps: 1,
            is_product,
            targets: Vec::new(),
            key: None,
        });
        self.nodes.len() - 1
    }

    /// Adds a task that nobody has begun.
    pub(super) fn add_task(&mut self, task: &WalkTask<W>) {
        let owner = self.copy(&task.owner);
        self.fill(owner, Count::ZERO);
    }

    /// Adds a stack: from the top down, fills the gaps that its frames would have filled. Sides that are not counted yet add nothing.
    pub(super) fn add_stack(&mut self, frames: &[Frame<W>]) {
        // The lower bound of the component of the frame above on the stack; `None` for the topmost frame. And the copy of the current side
        // if that component has left it a gap.
        let mut inner: Option<Count> = None;
        let mut side_with_gap: Option<usize> = None;
        for (depth, frame) in frames.iter().enumerate().rev() {
            let proved = frame.proved(inner.as_ref());
            let open_side = match (side_with_gap.take(), &frame.open_side) {
                (None, Some(side)) => Some(self.copy(side)),
                (side, _) => side,
            };
            if frame.decision.is_none() {
                if let Some(owner) = open_side {
                    self.fill(owner, proved);
                }
                return;
            }
            let mut sum = frame.sum.clone();
            let mut open_component = frame.open_component.as_ref().map(|it| self.copy(it));
            match open_side {
                None => sum += &proved,
                Some(side) => {
                    let component =
                        *open_component.get_or_insert_with(|| self.copy_or_new(None, false));
                    self.nodes[component].gaps += 1;
                    self.nodes[side].targets.push(Target::Node(component));
                    self.fill(side, proved);
                }
            }
            let Some(parent) = depth.checked_sub(1).map(|below| &frames[below]) else {
                if let Some(owner) = open_component {
                    self.fill(owner, sum);
                }
                return;
            };
            let Some(component) = open_component else {
                self.fill_waiting(frame, &sum);
                inner = Some(sum);
                continue;
            };
            let node = &mut self.nodes[component];
            node.value += &sum;
            if node.gaps == 1 {
                let whole = node.value.clone();
                self.fill_waiting(frame, &whole);
                inner = Some(whole);
                continue;
            }
            node.key = frame.is_claimed.then(|| frame.component.key.clone());
            let side = self.copy_or_new(parent.open_side.as_ref(), true);
            self.nodes[side].gaps += 1;
            self.nodes[component].targets.push(Target::Node(side));
            side_with_gap = Some(side);
            self.fill(component, Count::ZERO);
            // The value of the component multiplies the side when its own gap is filled. Until then its factor is one.
            inner = Some(Count::ONE);
        }
    }

    /// Passes the value of the component of a frame to the sides that wait for it.
    fn fill_waiting(&mut self, frame: &Frame<W>, value: &Count) {
        if frame.is_claimed {
            for side in (self.waiting)(&frame.component.key) {
                let side = self.copy(&side);
                self.fill(side, value.clone());
            }
        }
    }

    /// Fills a gap of a node. If that completes the node, passes its value on, and so on.
    fn fill(&mut self, node: usize, count: Count) {
        let mut fills = vec![(node, count)];
        while let Some((node, count)) = fills.pop() {
            let node = &mut self.nodes[node];
            node.gaps = node.gaps.saturating_sub(1);
            match node.is_product {
                true => node.value *= &count,
                false => node.value += &count,
            }
            let is_complete = node.gaps == 0 || node.is_product && node.value.is_zero();
            if !is_complete || node.targets.is_empty() {
                continue;
            }
            let value = node.value.clone();
            let targets = std::mem::take(&mut node.targets);
            let key = node.key.take();
            let waiting = key.map_or_else(Vec::new, |key| (self.waiting)(&key));
            let waiting = waiting.into_iter().map(Target::Unfinished);
            for target in targets.into_iter().chain(waiting) {
                match target {
                    Target::Node(node) => fills.push((node, value.clone())),
                    Target::Unfinished(unfinished) => {
                        let node = self.copy(&unfinished);
                        fills.push((node, value.clone()));
                    }
                    Target::Result => self.result = value.clone(),
                }
            }
        }
    }
}
