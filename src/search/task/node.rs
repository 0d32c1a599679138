//! Parts of the tree as data: a [`Node`] that can be given to any task, the context in which cells are decided, what a task finds at
//! a node, and what it has open on its stack.

use std::sync::Arc;

use super::super::cube::{Cube, Decision};
use super::super::options::Options;
use super::super::probing_policy::ProbingPolicy;
use super::super::product::{self, Held, Results};
use crate::board::{Board, Cell, Inherited, Prober, Region};
use crate::line::{Known, Word};
use crate::solutions::{Count, Factor};

/// A goal whose product goes on with a node.
pub(in crate::search) type Goal<W> = product::Goal<W, Node<W>>;

/// A product that goes on with a node.
pub(in crate::search) type Product<W> = product::Product<W, Node<W>>;

/// A subtree as data: the known cells at its root, what to decide there, and what its leaves are for.
#[derive(Debug)]
pub(in crate::search) struct Node<W: Word> {
    pub(super) rows: Vec<Known<W>>,
    pub(super) path: Vec<Decision>,
    /// The last decision of the path, still to be made on the board.
    pub(super) decision: Option<Decision>,
    pub(in crate::search) context: Context<W>,
    pub(super) weight: u64,
    pub(super) policy: ProbingPolicy,
    pub(super) split_at: usize,
    /// What probing it, or its parent, has shown, with the records that this is about.
    pub(in crate::search) probed: Option<(Prober<W>, Inherited)>,
    /// For a pivot: how the other regions came out.
    pub(super) results: Option<Results<W>>,
}

impl<W: Word> Node<W> {
    /// The root of a cube on a propagated board.
    pub(in crate::search) fn root(
        board: &Board<'_, W>,
        cube: Cube,
        weight: u64,
        options: &Options,
    ) -> Self {
        Node {
            rows: board.rows().to_vec(),
            path: cube.path,
            decision: None,
            context: Context::root(board),
            weight,
            policy: ProbingPolicy::new(options.stretch, options.patience),
            split_at: usize::MAX,
            probed: None,
            results: None,
        }
    }

    /// Lets go of a goal: the pivot of the product that this completes, if it lay waiting.
    pub(super) fn released(goal: Goal<W>) -> Option<Self> {
        let (node, results) = goal.release()?;
        Some(Node {
            results: Some(results),
            ..node
        })
    }
}

/// What the cells at hand are searched for.
#[derive(Clone, Debug)]
pub(in crate::search) struct Context<W: Word> {
    /// The cells to be decided.
    pub(in crate::search) region: Arc<Region<W>>,
    /// Unknown cells of the board outside the region; they stay unknown while it is searched.
    pub(in crate::search) outside: usize,
    /// Regions to be decided after it, each in place.
    pub(in crate::search) rest: Vec<Arc<Region<W>>>,
    pub(in crate::search) goal: Goal<W>,
    /// Fillings of regions searched before, to be multiplied in.
    pub(in crate::search) factors: Vec<Arc<Factor>>,
    /// The memory those are counted for.
    pub(in crate::search) held: Vec<Arc<Held>>,
    /// The product of their numbers.
    pub(in crate::search) number: Count,
}

impl<W: Word> Context<W> {
    /// The whole of a puzzle.
    pub(super) fn root(board: &Board<'_, W>) -> Self {
        Self::apart(Arc::new(Region::whole(board)), Goal::Root)
    }

    /// A region by itself.
    pub(in crate::search) fn apart(region: Arc<Region<W>>, goal: Goal<W>) -> Self {
        Context {
            region,
            outside: 0,
            rest: Vec::new(),
            goal,
            factors: Vec::new(),
            held: Vec::new(),
            number: Count::ONE,
        }
    }

    /// Notes how many unknown cells are not its own.
    pub(super) fn place(mut self, board: &Board<'_, W>) -> Self {
        self.outside = board.unknown() - self.region.unknown(board).count();
        self
    }
}

/// What a task finds at a node.
pub(super) enum Finding<W> {
    DeadEnd,
    Leaf,
    /// The number of leaves below it, and their fillings where solutions are listed.
    Rest(u64, Option<Arc<Factor>>),
    Regions(Vec<Region<W>>),
    Branch(Cell),
    Stopped,
}

/// Something open on the stack: where to go back to, and what to do there.
pub(super) struct StackEntry<W: Word> {
    pub(super) mark: usize,
    pub(super) path: usize,
    /// The context to go on in, by its place in the task's stack of contexts.
    pub(super) context: usize,
    pub(super) weight: u64,
    pub(super) inherited: Option<Inherited>,
    /// Where the prober's records end. That is not where the inherited ones do: there are none in a region decided in place.
    pub(super) records: usize,
    pub(super) split_at: usize,
    pub(super) what: Pending<W>,
}

pub(super) enum Pending<W: Word> {
    /// The other side of a branch.
    Sibling(Decision),
    /// A region to be searched apart.
    Region(Arc<Region<W>>, Goal<W>),
    /// All regions but the pivot lie above on the stack, or elsewhere: go on with the pivot.
    Join(Arc<Product<W>>, Arc<Region<W>>),
}
