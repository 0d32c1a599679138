//! The check build's disturbances: threads give way at random, so that more interleavings happen, and a run can be made to panic.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// The state of a small random generator, different in each thread.
    static RANDOM: Cell<u64> = Cell::new(seed());
}

/// Number of threads so far. Relaxed: each thread only needs a number of its own.
static THREADS: AtomicU64 = AtomicU64::new(0);

/// Checks of the stop flag until one panics: the variable `OMNOGRAM_PANIC` of the environment. Relaxed: a sum.
static CHECKS_LEFT: LazyLock<Option<AtomicU64>> = LazyLock::new(|| {
    let checks = std::env::var("OMNOGRAM_PANIC").ok()?;
    checks.parse().ok().map(AtomicU64::new)
});

fn seed() -> u64 {
    (THREADS.fetch_add(1, Ordering::Relaxed) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Lets another thread go first, at one call in sixteen.
pub(crate) fn give_way() {
    let mut random = RANDOM.get();
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    RANDOM.set(random);
    if random.is_multiple_of(16) {
        std::thread::yield_now();
    }
}

/// Counts a check of the stop flag.
///
/// # Panics
///
/// At the check that `OMNOGRAM_PANIC` names.
pub(crate) fn count_check() {
    if let Some(left) = &*CHECKS_LEFT {
        let before = left.fetch_sub(1, Ordering::Relaxed);
        assert!(before != 1, "checked: the panic that OMNOGRAM_PANIC wants");
    }
}
