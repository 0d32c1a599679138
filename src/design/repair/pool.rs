//! The obstacles found so far, shared by all threads: each of them spares an examination of every later picture in which it stands.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::edit::{Edit, LineWords};
use super::obstacle::{Obstacle, Scratch};
use crate::design::picture::Picture;
use crate::line::Word;

/// The obstacles found so far.
#[derive(Debug)]
pub(super) struct Pool<W> {
    obstacles: RwLock<Vec<Arc<Obstacle<W>>>>,
    /// Their number. Relaxed: a hint that there are new ones; they are read under the lock.
    number: AtomicUsize,
    /// Bytes that further obstacles may take. Relaxed: a sum.
    bytes_left: AtomicU64,
}

impl<W: Word> Pool<W> {
    /// An empty pool, for obstacles of this number of bytes.
    pub(super) fn new(bytes: u64) -> Self {
        Pool {
            obstacles: RwLock::default(),
            number: AtomicUsize::new(0),
            bytes_left: AtomicU64::new(bytes),
        }
    }

    /// Adds obstacles as far as there is memory for them.
    pub(super) fn add(&self, found: Vec<Obstacle<W>>, original: &Picture<W>) {
        let guard = self.obstacles.write();
        let mut obstacles = guard.unwrap_or_else(PoisonError::into_inner);
        for obstacle in found {
            let bytes = obstacle.bytes(original);
            let take = |left: u64| left.checked_sub(bytes);
            let left = &self.bytes_left;
            if (left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)).is_ok() {
                obstacles.push(Arc::new(obstacle));
            }
        }
        self.number.store(obstacles.len(), Ordering::Relaxed);
    }
}

/// An obstacle, and its fallen lines beside it: most obstacles are dismissed by these alone.
#[derive(Clone, Debug)]
pub(super) struct Entry<W> {
    pub(super) fallen: LineWords<W>,
    pub(super) obstacle: Arc<Obstacle<W>>,
}

impl<W: Word> Entry<W> {
    /// Whether the obstacle stands after an edit.
    pub(super) fn stands(&self, edit: &Edit<'_, W>, scratch: &mut Scratch<W>) -> bool {
        edit.touched.covers(&self.fallen) && self.obstacle.stands(edit, scratch)
    }
}

/// The obstacles of a pool in the order that serves one task best: those first that excluded cells lately.
#[derive(Debug)]
pub(super) struct PoolView<'p, W: Word> {
    pool: &'p Pool<W>,
    pub(super) obstacles: Vec<Entry<W>>,
    /// Number of obstacles of the pool that are among `obstacles`.
    seen: usize,
    pub(super) scratch: Scratch<W>,
}

impl<'p, W: Word> PoolView<'p, W> {
    pub(super) fn new(pool: &'p Pool<W>) -> Self {
        let mut view = PoolView {
            pool,
            obstacles: Vec::new(),
            seen: 0,
            scratch: Scratch::default(),
        };
        view.update();
        view
    }

    /// Takes over the obstacles that other tasks have found.
    pub(super) fn update(&mut self) {
        if self.pool.number.load(Ordering::Relaxed) > self.seen {
            let guard = self.pool.obstacles.read();
            let all = guard.unwrap_or_else(PoisonError::into_inner);
            let new = all[self.seen..].iter().map(|obstacle| Entry {
                fallen: obstacle.fallen,
                obstacle: Arc::clone(obstacle),
            });
            self.obstacles.extend(new);
            self.seen = all.len();
        }
    }

    /// The first obstacle that stands after an edit, by its place.
    pub(super) fn standing(&mut self, edit: &Edit<'_, W>) -> Option<usize> {
        self.obstacles
            .iter()
            .position(|entry| entry.stands(edit, &mut self.scratch))
    }

    /// Moves an obstacle halfway to the front.
    pub(super) fn move_forward(&mut self, at: usize) {
        self.obstacles.swap(at, at / 2);
    }
}
