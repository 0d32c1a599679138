//! Regions searched separately, and the product of their results.
//!
//! When the unknown cells of a node split into regions, the largest region is the *pivot*. Each other region is searched by itself: its
//! leaves are collected in a [`RegionCollector`], as a list of fillings or as a number alone. When these searches are complete, the results
//! in their [`Product`] are passed to the search of the pivot, and each leaf of the pivot is combined with every filling of the others. So
//! every region is searched once, and only the lists of the smaller regions take memory.
//!
//! Several tasks may work on one region, and no task waits: a region search and a product are complete when their last `Arc` is dropped.
//! The task that drops the last `Arc` of a product searches the pivot, or spawns a task for it. If the task that split the node gets to the
//! pivot earlier, it stores the pivot in the product and goes on. The type of the pivot, `N` below, is chosen by the task module.

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
    pub(super) reserved: AtomicU64,
    pub(super) limit: u64,
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
        let reserved = &self.memory.reserved;
        reserved.fetch_sub(self.bytes, Ordering::Relaxed);
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

    /// Records that the run was stopped before the leaves were complete. A partial result is discarded, and its node handed back as a cube.
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
            let pivot = product.pivot.into_inner();
            match pivot.unwrap_or_else(PoisonError::into_inner) {
                Some(pivot) => return Some((pivot, product.results)),
                // No pivot is stored: it was handed back when the run was stopped. Releasing the outer target may complete an outer
                // product.
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
    /// Whether the run was stopped before the region was complete. Stored with release; read with acquire when the last `Arc` is dropped.
    is_abandoned: AtomicBool,
    /// As in [`CollectOptions`].
    max_fillings: u64,
    max_list_bytes: u64,
}

/// The results of all regions of a product but the pivot. A region has none if the run was stopped before it was complete.
#[derive(Debug)]
pub(super) struct ProductResults<W>(Vec<OnceLock<RegionResult<W>>>);

/// The result of one region.
#[derive(Debug)]
pub(super) enum RegionResult<W> {
    List(Arc<Factor>, Reservation),
    Number(Count),
    /// Its list exceeded a memory limit and was discarded. It is branched on again, and the pivot is searched below each of its fillings.
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
        let (mut lists, mut number, mut unlisted) = (Vec::new(), Count::ONE, Vec::new());
        for region in self.0 {
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
        Arc::new(Product {
            target,
            results: ProductResults((0..regions).map(|_| OnceLock::new()).collect()),
            is_zero: AtomicBool::new(false),
            pivot: Mutex::new(None),
        })
    }

    /// The results if every region is complete. If not, stores the node that `pivot` returns, for the task that completes the last region.
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
#[derive(Debug)]
pub(super) struct CollectOptions {
    /// Width of the grid.
    pub(super) width: usize,
    pub(super) with_grids: bool,
    /// Number of fillings after which no more are wanted, so that the search may end.
    pub(super) max_fillings: u64,
    pub(super) memory: Arc<MemoryBudget>,
    pub(super) max_list_bytes: u64,
}

impl<W: Word, N> RegionCollector<W, N> {
    /// The target of searching region `index` of a product.
    pub(super) fn target_of_region(
        product: &Arc<Product<W, N>>,
        index: usize,
        region: Arc<Region<W>>,
        options: &CollectOptions,
    ) -> LeafTarget<W, N> {
        let (word_indices, masks) = packed_words(region.rows(), options.width).unzip();
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
            let wanted = self.max_fillings;
            if number.to_u64().is_none_or(|number| number >= wanted) {
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
        let masked = self.word_indices.iter().zip(&self.masks);
        list.extend(masked.map(|(&index, mask)| words[index as usize] & mask));
        let fillings = (list.len() / self.word_indices.len()) as u64;
        let more_wanted = fillings < self.max_fillings;
        if !more_wanted {
            self.is_closed.store(true, Ordering::Relaxed);
        }
        more_wanted
    }

    /// Completes the search: stores its result in the product, unless it is abandoned, and returns its `Arc` of the product.
    fn finish(self) -> Arc<Product<W, N>> {
        let collected = self.collected.into_inner();
        // Acquire: see `LeafTarget::abandon`.
        if self.is_abandoned.load(Ordering::Acquire) {
            return self.product;
        }
        let (is_zero, result) = match collected.unwrap_or_else(PoisonError::into_inner) {
            Collected::List(list, reservation) => {
                let factor = Arc::new(Factor::new(self.word_indices, list));
                (factor.count() == 0, RegionResult::List(factor, reservation))
            }
            Collected::Number(count) => (count.is_zero(), RegionResult::Number(count)),
            Collected::Overflow => (false, RegionResult::Unlisted(self.region)),
        };
        if is_zero {
            self.product.is_zero.store(true, Ordering::Relaxed);
        }
        let slot = &self.product.results.0[self.index];
        slot.set(result).expect("a region search finishes once");
        self.product
    }
}

/// The words of a packed grid of this width in which cells of these rows lie: the index of each, and those cells in it.
pub(super) fn packed_words<W: Word>(
    rows: impl Iterator<Item = (usize, W)>,
    width: usize,
) -> impl Iterator<Item = (u32, u64)> {
    let stride = Grid::stride(width);
    let words = move |(r, cells): (usize, W)| {
        (0..stride).map(move |i| ((r * stride + i) as u32, cells.part(i)))
    };
    rows.flat_map(words).filter(|&(_, cells)| cells != 0)
}
