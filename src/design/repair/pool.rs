//! The obstacles found so far, shared by all threads: each of them spares an examination of every later picture in which it stands.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::obstacle::{Obstacle, Scratch, Touched};
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
    fn add(&self, found: Vec<Obstacle<W>>, original: &Picture<W>) {
        let mut obstacles = self
            .obstacles
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for obstacle in found {
            let bytes = obstacle.bytes(original);
            let take = |left: u64| left.checked_sub(bytes);
            let taken = self
                .bytes_left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
            if taken.is_ok() {
                obstacles.push(Arc::new(obstacle));
            }
        }
        self.number.store(obstacles.len(), Ordering::Relaxed);
    }

    fn since(&self, seen: usize) -> Vec<Arc<Obstacle<W>>> {
        let obstacles = self
            .obstacles
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        obstacles[seen..].to_vec()
    }
}

/// An obstacle, and its fallen lines beside it: most obstacles are dismissed by these alone.
#[derive(Clone, Debug)]
pub(super) struct Entry<W> {
    pub(super) fallen: Touched<W>,
    pub(super) obstacle: Arc<Obstacle<W>>,
}

impl<W: Word> Entry<W> {
    /// Whether the obstacle stands in the picture with the flips that touch these lines.
    pub(super) fn stands(
        &self,
        picture: &Picture<W>,
        touched: &Touched<W>,
        scratch: &mut Scratch<W>,
    ) -> bool {
        touched.covers(&self.fallen) && self.obstacle.stands(picture, touched, scratch)
    }
}

/// The obstacles of a pool in the order that serves one task best: those first that excluded cells lately.
#[derive(Debug)]
pub(super) struct View<'p, W: Word> {
    pool: &'p Pool<W>,
    pub(super) obstacles: Vec<Entry<W>>,
    /// Number of obstacles of the pool that are among `obstacles`.
    seen: usize,
    pub(super) scratch: Scratch<W>,
}

impl<'p, W: Word> View<'p, W> {
    pub(super) fn new(pool: &'p Pool<W>) -> Self {
        let mut view = View {
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
            let new = self.pool.since(self.seen);
            self.seen += new.len();
            let entry = |obstacle: Arc<Obstacle<W>>| Entry {
                fallen: obstacle.fallen(),
                obstacle,
            };
            self.obstacles.extend(new.into_iter().map(entry));
        }
    }

    /// Shares new obstacles with all tasks.
    pub(super) fn share(&mut self, found: Vec<Obstacle<W>>, original: &Picture<W>) {
        self.pool.add(found, original);
        self.update();
    }

    /// Whether an obstacle stands in this picture.
    pub(super) fn stands(&mut self, picture: &Picture<W>, touched: &Touched<W>) -> bool {
        let View {
            obstacles, scratch, ..
        } = self;
        let stands = |entry: &Entry<W>| entry.stands(picture, touched, scratch);
        match obstacles.iter().position(stands) {
            Some(at) => {
                self.move_to_front(at);
                true
            }
            None => false,
        }
    }

    /// Moves an obstacle halfway to the front.
    pub(super) fn move_to_front(&mut self, at: usize) {
        self.obstacles.swap(at, at / 2);
    }
}
