//! Regions searched apart, and put together again.
//!
//! Where the open cells of a node fall apart, each region but one is searched on its own: its leaves do not go to the sink but are
//! collected in a [`RegionSearch`], as a list of fillings or as a number alone. When all parts are complete, their [`Product`] is carried
//! into the search of the last region, the pivot: whatever is found there, and what it is a leaf of, multiplies with them. So every
//! region is searched once, solutions flow while the largest one is searched, and memory is bounded by the lists.
//!
//! Parts may be worked on by several tasks. Nobody waits: a part is complete when the last task that holds it lets go, and the
//! product when its last holder does; that one takes the pivot on, which lies ready if its owner has gone elsewhere. What a pivot is,
//! `N` below, is left to the task.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::board::Region;
use crate::line::Word;
use crate::puzzle::Grid;
use crate::solutions::{Count, Factor};

/// Bytes that all lists of a run hold together, and may hold.
#[derive(Debug)]
pub(super) struct Memory {
    /// Relaxed: a sum.
    held: AtomicU64,
    most: u64,
}

impl Memory {
    pub(super) fn new(most: u64) -> Self {
        Memory {
            held: AtomicU64::new(0),
            most,
        }
    }

    fn hold(&self, bytes: u64) -> bool {
        let fits = |held: u64| Some(held + bytes).filter(|&sum| sum <= self.most);
        self.held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .is_ok()
    }

    fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Bytes that are counted against a [`Memory`] for as long as this lives.
#[derive(Debug)]
pub(super) struct Held {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.release(self.bytes);
    }
}

/// What is done with the leaves of a search.
#[derive(Debug)]
pub(super) enum Goal<W: Word, N> {
    /// They are solutions.
    Root,
    /// They are fillings of one region.
    RegionSearch(Arc<RegionSearch<W, N>>),
}

// Derived, it would ask for a pivot that can be cloned.
impl<W: Word, N> Clone for Goal<W, N> {
    fn clone(&self) -> Self {
        match self {
            Goal::Root => Goal::Root,
            Goal::RegionSearch(part) => Goal::RegionSearch(Arc::clone(part)),
        }
    }
}

impl<W: Word, N> Goal<W, N> {
    /// Whether searching on is of no use.
    pub(super) fn is_closed(&self) -> bool {
        let mut goal = self;
        while let Goal::RegionSearch(part) = goal {
            // Relaxed: seen late, it costs a little work for nothing.
            if part.closed.load(Ordering::Relaxed) || part.product.dead.load(Ordering::Relaxed) {
                return true;
            }
            goal = &part.product.goal;
        }
        false
    }

    /// Notes that part of the work was handed back, so that what was collected is not everything.
    pub(super) fn abandon(&self) {
        if let Goal::RegionSearch(part) = self {
            // Release: whoever completes the part reads it after acquiring the last hold on the part.
            part.abandoned.store(true, Ordering::Release);
        }
    }

    /// Lets go of the goal. If that completed a product whose pivot lay waiting, returns the pivot and the product's results.
    pub(super) fn release(self) -> Option<(N, Results<W>)> {
        let mut goal = self;
        loop {
            let Goal::RegionSearch(part) = goal else {
                return None;
            };
            let product = Arc::into_inner(Arc::into_inner(part)?.finish())?;
            match product
                .pivot
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
            {
                Some(pivot) => return Some((pivot, product.results)),
                // Its owner handed it back when the run was stopped; what it belonged to still has to be let go.
                None => goal = product.goal,
            }
        }
    }
}

/// What was collected of one region.
#[derive(Debug)]
enum Collected {
    /// Fillings, and how many bytes they are counted for.
    List(Vec<u64>, u64),
    /// Too many to list.
    Overflow,
    Number(Count),
}

/// One region of a product, being searched.
#[derive(Debug)]
pub(super) struct RegionSearch<W: Word, N> {
    product: Arc<Product<W, N>>,
    index: usize,
    region: Arc<Region<W>>,
    /// Words of a packed grid that the region touches.
    spots: Vec<u32>,
    /// Its cells in those words.
    masks: Vec<u64>,
    collected: Mutex<Collected>,
    /// Enough was collected, or too much.
    closed: AtomicBool,
    abandoned: AtomicBool,
    /// More fillings than this are of no use.
    enough: u64,
    memory: Arc<Memory>,
    most_bytes: u64,
}

/// How all regions but the pivot came out.
#[derive(Debug)]
pub(super) struct Results<W> {
    parts: Vec<OnceLock<Filled<W>>>,
    abandoned: AtomicBool,
}

/// How one region came out.
#[derive(Debug)]
pub(super) enum Filled<W> {
    List(Arc<Factor>, Held),
    Number(Count),
    /// It has too many fillings to list: it has to be searched in place.
    Open(Arc<Region<W>>),
}

/// What a complete product is worth.
#[derive(Debug)]
pub(super) enum ProductValue<W> {
    /// Some region has no filling.
    Nothing,
    /// It was not finished; the node has to be handed back as a whole.
    Unknown,
    /// Lists, the product of all numbers, and the regions that stay to be searched in place.
    Factors {
        lists: Vec<(Arc<Factor>, Arc<Held>)>,
        number: Count,
        open: Vec<Arc<Region<W>>>,
    },
}

impl<W: Word> Results<W> {
    /// Puts the parts together.
    pub(super) fn worth(self) -> ProductValue<W> {
        // Acquire: pairs with the release in `Goal::abandon`, by way of the part.
        if self.abandoned.load(Ordering::Acquire) {
            return ProductValue::Unknown;
        }
        let (mut lists, mut number, mut open) = (Vec::new(), Count::ONE, Vec::new());
        for part in self.parts {
            match part.into_inner() {
                Some(Filled::List(factor, held)) => {
                    number *= &Count::from(factor.count() as u64);
                    lists.push((factor, Arc::new(held)));
                }
                Some(Filled::Number(count)) => number *= &count,
                Some(Filled::Open(region)) => open.push(region),
                None => return ProductValue::Unknown,
            }
        }
        match number.is_zero() {
            true => ProductValue::Nothing,
            false => ProductValue::Factors {
                lists,
                number,
                open,
            },
        }
    }
}

/// The regions of one node that are searched apart from its pivot.
#[derive(Debug)]
pub(super) struct Product<W: Word, N> {
    /// What the node itself is searched for.
    goal: Goal<W, N>,
    results: Results<W>,
    /// Some region has no filling, so that the others do not matter.
    dead: AtomicBool,
    /// The pivot, left by an owner who had other things to do.
    pivot: Mutex<Option<N>>,
}

impl<W: Word, N> Product<W, N> {
    /// A product of `parts` regions beside the pivot.
    pub(super) fn new(goal: Goal<W, N>, parts: usize) -> Arc<Self> {
        let parts = (0..parts).map(|_| OnceLock::new()).collect();
        let results = Results {
            parts,
            abandoned: AtomicBool::new(false),
        };
        Arc::new(Product {
            goal,
            results,
            dead: AtomicBool::new(false),
            pivot: Mutex::new(None),
        })
    }

    /// Takes the results if every part is complete, else leaves the pivot (made only if needed) for whoever completes the last one.
    pub(super) fn join(self: Arc<Self>, pivot: impl FnOnce() -> N) -> Option<Results<W>> {
        if Arc::strong_count(&self) > 1 {
            *self.pivot.lock().unwrap_or_else(PoisonError::into_inner) = Some(pivot());
        }
        // Should the last part have been completed in between, the pivot is not needed.
        Some(Arc::into_inner(self)?.results)
    }
}

/// What parts of a run have in common.
#[derive(Clone, Debug)]
pub(super) struct Collecting {
    pub(super) grids: bool,
    pub(super) enough: u64,
    pub(super) memory: Arc<Memory>,
    pub(super) most_bytes: u64,
}

impl<W: Word, N> RegionSearch<W, N> {
    /// Part `index` of a product, for a region of a grid of this width, as a goal to search for.
    pub(super) fn goal(
        product: &Arc<Product<W, N>>,
        index: usize,
        region: Arc<Region<W>>,
        width: usize,
        how: &Collecting,
    ) -> Goal<W, N> {
        let stride = Grid::stride(width);
        let (mut spots, mut masks) = (Vec::new(), Vec::new());
        for (r, cells) in region.rows() {
            for i in 0..stride {
                if cells.part(i) != 0 {
                    spots.push((r * stride + i) as u32);
                    masks.push(cells.part(i));
                }
            }
        }
        let collected = if how.grids {
            Collected::List(Vec::new(), 0)
        } else {
            Collected::Number(Count::ZERO)
        };
        Goal::RegionSearch(Arc::new(RegionSearch {
            product: Arc::clone(product),
            index,
            region,
            spots,
            masks,
            collected: Mutex::new(collected),
            closed: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            enough: how.enough,
            memory: Arc::clone(&how.memory),
            most_bytes: how.most_bytes,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Collects a number of fillings of which the pictures are not wanted.
    pub(super) fn collect_number(&self, more: &Count) {
        if let Collected::Number(number) = &mut *self.lock() {
            *number += more;
            if number.to_u64().is_none_or(|number| number >= self.enough) {
                self.closed.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Collects one filling from a packed picture that has it. Says whether more are wanted.
    pub(super) fn collect(&self, words: &[u64]) -> bool {
        let mut collected = self.lock();
        let Collected::List(list, bytes) = &mut *collected else {
            return false;
        };
        // Room is reserved by doubling, as the list itself grows.
        let size = (list.len() + self.spots.len()) as u64 * 8;
        if size > *bytes {
            let more = (*bytes).max(size);
            if *bytes + more > self.most_bytes || !self.memory.hold(more) {
                self.memory.release(*bytes);
                *collected = Collected::Overflow;
                self.closed.store(true, Ordering::Relaxed);
                return false;
            }
            *bytes += more;
        }
        list.extend(
            self.spots
                .iter()
                .zip(&self.masks)
                .map(|(&spot, mask)| words[spot as usize] & mask),
        );
        let wanted = ((list.len() / self.spots.len()) as u64) < self.enough;
        if !wanted {
            self.closed.store(true, Ordering::Relaxed);
        }
        wanted
    }

    /// Everything has been collected: notes the result in the product and lets go of it.
    fn finish(self) -> Arc<Product<W, N>> {
        let collected = self
            .collected
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        // Acquire: see `Goal::abandon`.
        if self.abandoned.load(Ordering::Acquire) {
            self.product
                .results
                .abandoned
                .store(true, Ordering::Release);
            if let Collected::List(_, bytes) = collected {
                self.memory.release(bytes);
            }
            return self.product;
        }
        let filled = match collected {
            Collected::List(list, bytes) => {
                let held = Held {
                    memory: self.memory,
                    bytes,
                };
                Filled::List(Arc::new(Factor::new(self.spots, list)), held)
            }
            Collected::Number(count) => Filled::Number(count),
            Collected::Overflow => Filled::Open(self.region),
        };
        let nothing = match &filled {
            Filled::List(factor, _) => factor.count() == 0,
            Filled::Number(count) => count.is_zero(),
            Filled::Open(_) => false,
        };
        if nothing {
            self.product.dead.store(true, Ordering::Relaxed);
        }
        let slot = &self.product.results.parts[self.index];
        slot.set(filled).expect("a part finishes once");
        self.product
    }
}
