//! The memory budget of a sweep: every allocation that can grow is charged before it is made.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use super::allowance::{Allowance, Beside, MakeRoom};

/// A memory budget.
pub(crate) struct Memory<'r> {
    /// Bytes in all, with those beside it.
    bytes: i64,
    /// Bytes charged; more than there are after [`Memory::reserve`] beyond the budget. Relaxed: a sum that guards no other memory.
    held: AtomicI64,
    make_room: MakeRoom<'r>,
    beside: Beside<'r>,
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&self.held).finish()
    }
}

impl<'r> Memory<'r> {
    /// The budget of this allowance, of which `held` bytes are charged already.
    pub(crate) fn new(allowance: Allowance<'r>, held: u64) -> Self {
        let signed = |bytes: u64| bytes.try_into().unwrap_or(i64::MAX);
        Memory {
            bytes: signed(allowance.bytes),
            held: AtomicI64::new(signed(held)),
            make_room: allowance.make_room,
            beside: allowance.beside,
        }
    }

    /// The bytes that may be charged in all, less what is beside them now.
    fn limit(&self) -> i64 {
        let beside = (self.beside)().try_into().unwrap_or(i64::MAX);
        self.bytes.saturating_sub(beside)
    }

    /// Charges this number of bytes if they remain; returns whether it did.
    pub(crate) fn try_reserve(&self, bytes: u64) -> bool {
        let Ok(bytes) = i64::try_from(bytes) else {
            return false;
        };
        let limit = self.limit();
        let take = |held: i64| (held.saturating_add(bytes) <= limit).then_some(held + bytes);
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
        self.limit().saturating_sub(held).max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Once, what was beside a sweep was read at its beginning alone, and both together outgrew their memory.
    #[test]
    fn what_is_beside_it_may_grow_into_what_is_not_held() {
        let beside = AtomicU64::new(0);
        let now = || beside.load(Ordering::Relaxed);
        let allowance = Allowance {
            beside: &now,
            ..Allowance::of(100, 0)
        };
        let memory = Memory::new(allowance, 20);
        assert!(memory.try_reserve(30));
        beside.store(40, Ordering::Relaxed);
        assert_eq!((memory.held(), memory.remaining()), (50, 10));
        assert!(!memory.try_reserve(11) && memory.try_reserve(10));
        beside.store(u64::MAX, Ordering::Relaxed);
        assert_eq!((memory.held(), memory.remaining()), (60, 0));
        assert!(!memory.try_reserve(1));
        beside.store(0, Ordering::Relaxed);
        assert_eq!(memory.remaining(), 40);
    }
}
