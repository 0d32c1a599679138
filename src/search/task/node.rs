//! The data of a task: a [`Node`] that any task can search, the [`Context`] of its cells, the [`Finding`] at a node, and open stack
//! entries.

use std::sync::Arc;

use super::super::cube::{Cube, Decision};
use super::super::options::Options;
use super::super::probing_policy::ProbingPolicy;
use super::super::product::{self, ProductFillings, ProductResults, Reservation};
use crate::board::{Board, NodeRecords, Prober, ProberMark, Region};
use crate::line::{Known, Word};
use crate::puzzle::Cell;
use crate::solutions::{Count, Factor};

/// A target whose products have a node as their pivot.
pub(in crate::search) type LeafTarget<W> = product::LeafTarget<W, Node<W>>;

/// A product with a node as its pivot.
pub(in crate::search) type Product<W> = product::Product<W, Node<W>>;

/// A subtree as data: the known cells at its root, the decision to make there, and the use of its leaves.
#[derive(Debug)]
pub(in crate::search) struct Node<W: Word> {
    pub(super) rows: Vec<Known<W>>,
    pub(super) path: Vec<Decision>,
    /// The last decision of the path, still to be made on the board.
    pub(super) decision: Option<Decision>,
    pub(in crate::search) context: Context<W>,
    pub(super) weight: u64,
    pub(super) policy: ProbingPolicy,
    /// As in [`Task`](super::Task).
    pub(super) fewest_open_cells: usize,
    /// The probing records of this node, or else of its parent, and a prober that holds them.
    pub(in crate::search) probed: Option<(Prober<W>, NodeRecords)>,
    /// For a pivot: the results of the other regions.
    pub(super) results: Option<ProductResults<W>>,
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
            policy: ProbingPolicy::new(options.stretch_solutions, options.probing_settles),
            fewest_open_cells: usize::MAX,
            probed: None,
            results: None,
        }
    }

    /// Releases a target. If that completes a product whose pivot is stored, returns the pivot.
    pub(super) fn from_released(target: LeafTarget<W>) -> Option<Self> {
        let (node, results) = target.release()?;
        Some(Node {
            results: Some(results),
            ..node
        })
    }
}

/// The cells being decided, and what their fillings are used for.
#[derive(Clone, Debug)]
pub(in crate::search) struct Context<W: Word> {
    /// The cells to be decided.
    pub(in crate::search) region: Arc<Region<W>>,
    /// Number of unknown cells of the board outside the region. They stay unknown while the region is searched.
    pub(in crate::search) unknown_outside: usize,
    /// Regions to be decided after this one, each in place.
    pub(in crate::search) later_regions: Vec<Arc<Region<W>>>,
    pub(in crate::search) target: LeafTarget<W>,
    /// Lists of fillings of other regions, which multiply with the leaves, and the memory reserved for them.
    pub(in crate::search) factors: Vec<(Arc<Factor>, Arc<Reservation>)>,
    /// Number of fillings for which each leaf stands: the product of the numbers of fillings of all other regions, with a list or not.
    pub(in crate::search) fillings_per_leaf: Count,
}

impl<W: Word> Context<W> {
    /// All unknown cells of a board.
    pub(in crate::search) fn root(board: &Board<'_, W>) -> Self {
        Self::for_region(Arc::new(Region::whole(board)), LeafTarget::Root)
    }

    /// A region by itself.
    pub(in crate::search) fn for_region(region: Arc<Region<W>>, target: LeafTarget<W>) -> Self {
        Context {
            region,
            unknown_outside: 0,
            later_regions: Vec::new(),
            target,
            factors: Vec::new(),
            fillings_per_leaf: Count::ONE,
        }
    }

    /// Multiplies the leaves by the fillings of other regions, but for those without a list.
    pub(in crate::search) fn multiply(&mut self, others: &ProductFillings<W>) {
        self.factors.extend_from_slice(&others.lists);
        self.fillings_per_leaf *= &others.number;
    }

    /// Sets the number of unknown cells outside the region.
    pub(super) fn with_unknown_outside(mut self, board: &Board<'_, W>) -> Self {
        self.unknown_outside = board.unknown() - self.region.unknown(board).count();
        self
    }
}

/// The result of examining a node.
pub(super) enum Finding<W> {
    DeadEnd,
    Leaf,
    /// The number of leaves below it, and their fillings where solutions are listed.
    Fillings(u64, Option<Arc<Factor>>),
    Regions(Vec<Region<W>>),
    Branch(Cell),
    Stopped,
}

/// An open entry of the stack: the state of the task to be restored, and the work that is pending there.
pub(super) struct StackEntry<W: Word> {
    pub(super) mark: usize,
    pub(super) path_len: usize,
    /// Index of the context in the task's stack of contexts.
    pub(super) context_index: usize,
    pub(super) weight: u64,
    pub(super) inherited: Option<NodeRecords>,
    /// The state to which the prober returns. It cannot be read from `inherited`, which is `None` in a region decided in place.
    pub(super) prober_mark: ProberMark,
    pub(super) fewest_open_cells: usize,
    pub(super) pending: Pending<W>,
}

pub(super) enum Pending<W: Word> {
    /// The side of a branch that has not been searched.
    Sibling(Decision),
    /// A region to be searched by itself.
    Region(Arc<Region<W>>, LeafTarget<W>),
    /// The pivot of a product. Its other regions are above on the stack, or were given to other tasks.
    Join(Arc<Product<W>>, Arc<Region<W>>),
}
