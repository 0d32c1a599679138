//! Regions searched separately, and the product of their results.
//!
//! When the unknown cells of a node split into regions, the largest region is the *pivot*, and each other region is searched by itself: its
//! leaves do not go to the sink but are collected in a [`RegionCollector`], as a list of fillings or as a number alone. When these searches
//! are complete, the results in their [`Product`] are passed to the search of the pivot. Each leaf of the pivot is combined with every
//! filling of the others. So every region is searched once, solutions are emitted while the pivot is searched, and only the lists of the
//! smaller regions take memory.
//!
//! Several tasks may work on one region. No task waits: a region search is complete when the last `Arc` of it is dropped, and a product
//! when its last `Arc` is dropped. The task that drops the last `Arc` of a product searches the pivot, or spawns a task for it. If the task
//! that split the node gets to the pivot earlier, it stores the pivot in the product and goes on with other work. The type of the pivot,
//! `N` below, is chosen by the task module.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::board::Region;
use crate::line::Word;
use crate::puzzle::Grid;
use crate::run::lock;
use crate::solutions::{Count, Factor};

/// Bytes reserved by all lists of a run together, and their limit.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    /// Relaxed: a sum.
    reserved: AtomicU64,
    limit: u64,
}

impl MemoryBudget {
    pub(super) fn new(limit: u64) -> Self {
        MemoryBudget {
            reserved: AtomicU64::new(0),
            limit,
        }
    }
}

/// Bytes of a [`MemoryBudget`], released on drop.
#[derive(Debug)]
pub(super) struct Reservation {
    memory: Arc<MemoryBudget>,
    bytes: u64,
}

impl Reservation {
    /// Reserves more bytes; `false` if there are not as many left.
    fn grow(&mut self, bytes: u64) -> bool {
        let fits = |reserved: u64| Some(reserved + bytes).filter(|&sum| sum <= self.memory.limit);
        let reserved = &self.memory.reserved;
        let grown = reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        self.bytes += if grown.is_ok() { bytes } else { 0 };
        grown.is_ok()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory
            .reserved
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Where the leaves of a subtree go.
#[derive(Debug)]
pub(super) enum LeafTarget<W: Word, N> {
    /// The leaves are solutions of the puzzle and go to the sink.
    Root,
    /// The leaves are fillings of one region and are collected.
    RegionCollector(Arc<RegionCollector<W, N>>),
}

// A derived `Clone` would require `N: Clone`.
impl<W: Word, N> Clone for LeafTarget<W, N> {
    fn clone(&self) -> Self {
        match self {
            LeafTarget::Root => LeafTarget::Root,
            LeafTarget::RegionCollector(search) => LeafTarget::RegionCollector(Arc::clone(search)),
        }
    }
}

impl<W: Word, N> LeafTarget<W, N> {
    /// Whether further leaves are useless.
    pub(super) fn is_closed(&self) -> bool {
        let mut target = self;
        while let LeafTarget::RegionCollector(search) = target {
            // Relaxed: a stale value only costs some useless work.
            if search.is_closed.load(Ordering::Relaxed)
                || search.product.is_zero.load(Ordering::Relaxed)
            {
                return true;
            }
            target = &search.product.target;
        }
        false
    }

    /// Records that the run was stopped before the leaves of this target were complete. The partial result of a region is discarded, and
    /// the node that contains the region is handed back as a cube.
    pub(super) fn abandon(&self) {
        if let LeafTarget::RegionCollector(search) = self {
            // Release: read with acquire in `RegionCollector::finish`, by the task that drops the last `Arc` of the search.
            search.is_abandoned.store(true, Ordering::Release);
        }
    }

    /// Drops the target. If that completes a product whose pivot is stored, returns the pivot and the product's results.
    pub(super) fn release(self) -> Option<(N, ProductResults<W>)> {
        let mut target = self;
        loop {
            let LeafTarget::RegionCollector(search) = target else {
                return None;
            };
            let product = Arc::into_inner(Arc::into_inner(search)?.finish())?;
            match product
                .pivot
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
            {
                Some(pivot) => return Some((pivot, product.results)),
                // No pivot is stored: it was handed back when the run was stopped. The outer target must be released, which may complete an
                // outer product.
                None => target = product.target,
            }
        }
    }
}

/// What has been collected of one region so far.
#[derive(Debug)]
enum Collected {
    /// Fillings, one after the other, and the memory reserved for them.
    List(Vec<u64>, Reservation),
    /// The list exceeded a memory limit.
    Overflow,
    Number(Count),
}

/// One region of a product, being searched.
#[derive(Debug)]
pub(super) struct RegionCollector<W: Word, N> {
    product: Arc<Product<W, N>>,
    /// Index of the region in the results of the product.
    index: usize,
    region: Arc<Region<W>>,
    /// Indices of the words of a packed grid that contain cells of the region.
    word_indices: Vec<u32>,
    /// The cells of the region in those words.
    masks: Vec<u64>,
    collected: Mutex<Collected>,
    /// Whether no more fillings are needed: enough were collected, or the list overflowed. Relaxed: a hint that saves work.
    is_closed: AtomicBool,
    /// Whether the run was stopped before the region was complete. Stored with release and read with acquire, when the last `Arc` is
    /// dropped.
    is_abandoned: AtomicBool,
    /// Number of fillings after which no more are wanted, so that the search may end.
    max_fillings: u64,
    max_list_bytes: u64,
}

/// The results of all regions of a product but the pivot.
#[derive(Debug)]
pub(super) struct ProductResults<W> {
    regions: Vec<OnceLock<RegionResult<W>>>,
    /// Whether the run was stopped before some region was complete: as in [`RegionCollector`].
    is_abandoned: AtomicBool,
}

/// The result of one region.
#[derive(Debug)]
pub(super) enum RegionResult<W> {
    List(Arc<Factor>, Reservation),
    Number(Count),
    /// Its list of fillings exceeded a memory limit and was discarded. The region is branched on again, and the pivot is searched below
    /// each of its fillings.
    Unlisted(Arc<Region<W>>),
}

/// The combined value of a complete product.
#[derive(Debug)]
pub(super) enum ProductValue<W> {
    /// Some region has no filling.
    Zero,
    /// Some region was not finished: the node must be handed back as a whole.
    Unfinished,
    Fillings(ProductFillings<W>),
}

/// The fillings of the regions of a product.
#[derive(Debug)]
pub(super) struct ProductFillings<W> {
    /// The lists of fillings, each with the memory reserved for it.
    pub(super) lists: Vec<(Arc<Factor>, Arc<Reservation>)>,
    /// The product of the numbers of fillings of all regions but the unlisted ones.
    pub(super) number: Count,
    /// The regions whose lists exceeded a memory limit.
    pub(super) unlisted: Vec<Arc<Region<W>>>,
}

impl<W: Word> ProductResults<W> {
    /// Multiplies the results.
    pub(super) fn combine(self) -> ProductValue<W> {
        // Acquire: pairs with the release in `LeafTarget::abandon`, through `RegionCollector::finish`.
        if self.is_abandoned.load(Ordering::Acquire) {
            return ProductValue::Unfinished;
        }
        let (mut lists, mut number, mut unlisted) = (Vec::new(), Count::ONE, Vec::new());
        for region in self.regions {
            match region.into_inner() {
                Some(RegionResult::List(factor, reservation)) => {
                    number *= &Count::from(factor.count() as u64);
                    lists.push((factor, Arc::new(reservation)));
                }
                Some(RegionResult::Number(count)) => number *= &count,
                Some(RegionResult::Unlisted(region)) => unlisted.push(region),
                None => return ProductValue::Unfinished,
            }
        }
        if number.is_zero() {
            return ProductValue::Zero;
        }
        ProductValue::Fillings(ProductFillings {
            lists,
            number,
            unlisted,
        })
    }
}

/// The regions of one node, except its pivot, that are searched by themselves.
#[derive(Debug)]
pub(super) struct Product<W: Word, N> {
    /// The target of the node itself.
    target: LeafTarget<W, N>,
    results: ProductResults<W>,
    /// Whether some region has no filling, so that the others need not be searched. Relaxed: a hint that saves work.
    is_zero: AtomicBool,
    /// The pivot, stored when its owner reached it before all regions were complete.
    pivot: Mutex<Option<N>>,
}

impl<W: Word, N> Product<W, N> {
    /// A product of `regions` regions beside the pivot.
    pub(super) fn new(target: LeafTarget<W, N>, regions: usize) -> Arc<Self> {
        let regions = (0..regions).map(|_| OnceLock::new()).collect();
        let results = ProductResults {
            regions,
            is_abandoned: AtomicBool::new(false),
        };
        Arc::new(Product {
            target,
            results,
            is_zero: AtomicBool::new(false),
            pivot: Mutex::new(None),
        })
    }

    /// Returns the results if every region is complete. If not, stores the node that `pivot` returns, for the task that completes the last
    /// region.
    pub(super) fn results_or_store(
        self: Arc<Self>,
        pivot: impl FnOnce() -> N,
    ) -> Option<ProductResults<W>> {
        if Arc::strong_count(&self) > 1 {
            *lock(&self.pivot) = Some(pivot());
        }
        // If the last region was completed in the meantime, the stored pivot is not needed.
        Some(Arc::into_inner(self)?.results)
    }
}

/// How fillings of regions are collected, the same for all regions of a run.
#[derive(Clone, Debug)]
pub(super) struct CollectOptions {
    pub(super) with_grids: bool,
    pub(super) max_fillings: u64,
    pub(super) memory: Arc<MemoryBudget>,
    pub(super) max_list_bytes: u64,
}

impl<W: Word, N> RegionCollector<W, N> {
    /// The target of searching region `index` of a product, in a grid of this width.
    pub(super) fn target_of_region(
        product: &Arc<Product<W, N>>,
        index: usize,
        region: Arc<Region<W>>,
        width: usize,
        options: &CollectOptions,
    ) -> LeafTarget<W, N> {
        let stride = Grid::stride(width);
        let (mut word_indices, mut masks) = (Vec::new(), Vec::new());
        for (r, cells) in region.rows() {
            for i in 0..stride {
                if cells.part(i) != 0 {
                    word_indices.push((r * stride + i) as u32);
                    masks.push(cells.part(i));
                }
            }
        }
        let collected = if options.with_grids {
            let memory = Arc::clone(&options.memory);
            Collected::List(Vec::new(), Reservation { memory, bytes: 0 })
        } else {
            Collected::Number(Count::ZERO)
        };
        LeafTarget::RegionCollector(Arc::new(RegionCollector {
            product: Arc::clone(product),
            index,
            region,
            word_indices,
            masks,
            collected: Mutex::new(collected),
            is_closed: AtomicBool::new(false),
            is_abandoned: AtomicBool::new(false),
            max_fillings: options.max_fillings,
            max_list_bytes: options.max_list_bytes,
        }))
    }

    /// Adds a number of fillings, where the grids themselves are not needed.
    pub(super) fn collect_number(&self, more: &Count) {
        if let Collected::Number(number) = &mut *lock(&self.collected) {
            *number += more;
            if number
                .to_u64()
                .is_none_or(|number| number >= self.max_fillings)
            {
                self.is_closed.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Adds the region's part of this packed grid to the list. `false` if no more fillings are needed, or if no list is kept.
    pub(super) fn collect(&self, words: &[u64]) -> bool {
        let mut collected = lock(&self.collected);
        let Collected::List(list, reservation) = &mut *collected else {
            return false;
        };
        // The reservation doubles, as the capacity of the list does.
        let size = (list.len() + self.word_indices.len()) as u64 * 8;
        if size > reservation.bytes {
            let more = reservation.bytes.max(size);
            if reservation.bytes + more > self.max_list_bytes || !reservation.grow(more) {
                *collected = Collected::Overflow;
                self.is_closed.store(true, Ordering::Relaxed);
                return false;
            }
        }
        list.extend(
            self.word_indices
                .iter()
                .zip(&self.masks)
                .map(|(&index, mask)| words[index as usize] & mask),
        );
        let more_wanted = ((list.len() / self.word_indices.len()) as u64) < self.max_fillings;
        if !more_wanted {
            self.is_closed.store(true, Ordering::Relaxed);
        }
        more_wanted
    }

    /// Completes the search: stores its result in the product, and returns its `Arc` of the product.
    fn finish(self) -> Arc<Product<W, N>> {
        let collected = self
            .collected
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        // Acquire: see `LeafTarget::abandon`.
        if self.is_abandoned.load(Ordering::Acquire) {
            self.product
                .results
                .is_abandoned
                .store(true, Ordering::Release);
            return self.product;
        }
        let result = match collected {
            Collected::List(list, reservation) => {
                RegionResult::List(Arc::new(Factor::new(self.word_indices, list)), reservation)
            }
            Collected::Number(count) => RegionResult::Number(count),
            Collected::Overflow => RegionResult::Unlisted(self.region),
        };
        let has_no_filling = match &result {
            RegionResult::List(factor, _) => factor.count() == 0,
            RegionResult::Number(count) => count.is_zero(),
            RegionResult::Unlisted(_) => false,
        };
        if has_no_filling {
            self.product.is_zero.store(true, Ordering::Relaxed);
        }
        let slot = &self.product.results.regions[self.index];
        slot.set(result).expect("a region search finishes once");
        self.product
    }
}
