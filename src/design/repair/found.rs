//! The best edits found so far: the smallest, and of these the ones that hurt the picture least.

use std::sync::Mutex;

use crate::board::Cell;
use crate::run::lock;

/// The best edits found so far, shared by all threads.
#[derive(Debug)]
pub(super) struct Found {
    /// Most edits to keep.
    wanted: usize,
    best: Mutex<Best>,
}

#[derive(Clone, Debug, Default)]
struct Best {
    /// Number of flips of the edits kept.
    size: Option<usize>,
    /// The edits with their harm, least harm first; of equal harm the first in reading order.
    edits: Vec<(u32, Vec<Cell>)>,
}

impl Found {
    /// Keeps up to this number of edits.
    pub(super) fn new(wanted: usize) -> Self {
        Found {
            wanted,
            best: Mutex::default(),
        }
    }

    /// Number of flips of the edits kept; `None` if there are none.
    pub(super) fn size(&self) -> Option<usize> {
        lock(&self.best).size
    }

    /// Whether an edit of this many flips and this harm would be kept.
    pub(super) fn wants(&self, size: usize, harm: u32) -> bool {
        let best = lock(&self.best);
        match best.size {
            Some(known) if known < size => false,
            Some(known) if known == size && best.edits.len() >= self.wanted => {
                best.edits.last().is_some_and(|(worst, _)| harm < *worst)
            }
            _ => true,
        }
    }

    /// Adds an edit, whose flips are sorted.
    pub(super) fn add(&self, harm: u32, flips: Vec<Cell>) {
        let mut best = lock(&self.best);
        match best.size {
            Some(known) if known < flips.len() => return,
            Some(known) if known == flips.len() => {}
            _ => {
                best.size = Some(flips.len());
                best.edits.clear();
            }
        }
        let edit = (harm, flips);
        if let Err(at) = best.edits.binary_search(&edit) {
            best.edits.insert(at, edit);
            best.edits.truncate(self.wanted);
        }
    }

    /// The edits, best first.
    pub(super) fn into_edits(self) -> Vec<Vec<Cell>> {
        let best = self.best.into_inner().unwrap_or_else(|e| e.into_inner());
        best.edits.into_iter().map(|(_, flips)| flips).collect()
    }
}
