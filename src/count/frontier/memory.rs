//! The memory that a sweep may take: whatever grows is charged for it before.

use std::sync::atomic::{AtomicI64, Ordering};

/// Bytes that are left of those that a sweep may take.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Relaxed: a sum, by whose leave nothing is read.
    /// Less than 0 when more is owed.
    left: AtomicI64,
}

impl Memory {
    pub(crate) fn new(bytes: u64) -> Self {
        Memory {
            left: AtomicI64::new(bytes.try_into().unwrap_or(i64::MAX)),
        }
    }

    /// Takes this number of bytes, if they are left.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let Ok(bytes) = i64::try_from(bytes) else {
            return false;
        };
        let take = |left: i64| (left >= bytes).then(|| left - bytes);
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.is_ok()
    }

    /// Takes this number of bytes whether they are left or not: for what is small, or soon given back.
    pub(crate) fn owe(&self, bytes: u64) {
        self.left.fetch_sub(bytes as i64, Ordering::Relaxed);
    }

    /// Gives this number of bytes back.
    pub(crate) fn give(&self, bytes: u64) {
        self.left.fetch_add(bytes as i64, Ordering::Relaxed);
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed).max(0) as u64
    }
}
