//! The memory budget of a sweep: every allocation that can grow is charged before it is made.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use super::allowance::MakeRoom;

/// A memory budget.
pub(crate) struct Memory<'r> {
    /// Remaining bytes; negative after [`Memory::reserve`] beyond the budget. Relaxed: a sum that guards no other memory.
    remaining: AtomicI64,
    make_room: MakeRoom<'r>,
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&self.remaining).finish()
    }
}

impl<'r> Memory<'r> {
    /// A budget of which this number of bytes remains. `make_room` is called with the bytes that remain after each charge.
    pub(crate) fn new(remaining: u64, make_room: MakeRoom<'r>) -> Self {
        Memory {
            remaining: AtomicI64::new(remaining.try_into().unwrap_or(i64::MAX)),
            make_room,
        }
    }

    /// Charges this number of bytes if they remain; returns whether it did.
    pub(crate) fn try_reserve(&self, bytes: u64) -> bool {
        let Ok(bytes) = i64::try_from(bytes) else {
            return false;
        };
        let take = |remaining: i64| (remaining >= bytes).then(|| remaining - bytes);
        let taken = self
            .remaining
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if taken.is_ok() {
            (self.make_room)(self.remaining());
        }
        taken.is_ok()
    }

    /// Charges this number of bytes even if they do not remain: for what is small or soon released.
    pub(crate) fn reserve(&self, bytes: u64) {
        self.remaining.fetch_sub(bytes as i64, Ordering::Relaxed);
        (self.make_room)(self.remaining());
    }

    /// Gives this number of bytes back.
    pub(crate) fn release(&self, bytes: u64) {
        self.remaining.fetch_add(bytes as i64, Ordering::Relaxed);
    }

    /// Gives back all that was charged since this number of bytes remained.
    pub(crate) fn restore(&self, remaining: u64) {
        let remaining = remaining.try_into().unwrap_or(i64::MAX);
        self.remaining.store(remaining, Ordering::Relaxed);
    }

    /// The number of remaining bytes.
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining.load(Ordering::Relaxed).max(0) as u64
    }
}
