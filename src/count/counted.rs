//! What has been counted so far: kept for one count, or shared by several of the same puzzle.

use super::Worth;
use super::cache::Cache;
use super::diagram::Numbers;

/// Parts of a puzzle that have been counted, and the numbers by which they are told apart. It belongs to one puzzle.
#[derive(Debug)]
pub struct Counted {
    pub(super) numbers: Numbers,
    pub(super) cache: Cache<Worth>,
}

impl Counted {
    /// Nothing counted yet. It will take about a third of so many bytes.
    pub fn new(memory: u64) -> Self {
        Self::with(memory / 16, memory / 4)
    }

    pub(super) fn with(numbers: u64, cache: u64) -> Self {
        Counted {
            numbers: Numbers::new(numbers),
            cache: Cache::new(cache),
        }
    }
}
