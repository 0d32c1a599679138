//! The memory budget of a sweep: every allocation that can grow is charged before it is made.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use super::allowance::MakeRoom;

/// A memory budget.
pub(crate) struct Memory<'r> {
    /// Bytes in all.
    bytes: i64,
    /// Bytes charged; more than there are after [`Memory::reserve`] beyond the budget. Relaxed: a sum that guards no other memory.
    held: AtomicI64,
    make_room: MakeRoom<'r>,
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&self.held).finish()
    }
}

impl<'r> Memory<'r> {
    /// A budget of this number of bytes, of which `held` are charged already. `make_room` is called with the bytes that remain after each
    /// charge.
    pub(crate) fn new(bytes: u64, held: u64, make_room: MakeRoom<'r>) -> Self {
        let signed = |bytes: u64| bytes.try_into().unwrap_or(i64::MAX);
        Memory {
            bytes: signed(bytes),
            held: AtomicI64::new(signed(held)),
            make_room,
        }
    }

    /// Charges this number of bytes if they remain; returns whether it did.
    pub(crate) fn try_reserve(&self, bytes: u64) -> bool {
        let Ok(bytes) = i64::try_from(bytes) else {
            return false;
        };
        let take = |held: i64| (held.saturating_add(bytes) <= self.bytes).then_some(held + bytes);
        let taken = self
            .held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if taken.is_ok() {
            (self.make_room)(self.remaining());
        }
        taken.is_ok()
    }

    /// Charges this number of bytes even if they do not remain: for what is small or soon released.
    pub(crate) fn reserve(&self, bytes: u64) {
        self.held.fetch_add(bytes as i64, Ordering::Relaxed);
        (self.make_room)(self.remaining());
    }

    /// Gives this number of bytes back.
    pub(crate) fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes as i64, Ordering::Relaxed);
    }

    /// Gives back all that was charged since this number of bytes was held.
    pub(crate) fn restore(&self, held: u64) {
        let held = held.try_into().unwrap_or(i64::MAX);
        self.held.store(held, Ordering::Relaxed);
    }

    /// The number of bytes charged.
    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed).max(0) as u64
    }

    /// The number of remaining bytes.
    pub(crate) fn remaining(&self) -> u64 {
        let held = self.held.load(Ordering::Relaxed);
        self.bytes.saturating_sub(held).max(0) as u64
    }
}
