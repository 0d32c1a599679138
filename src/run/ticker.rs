//! What a run on one thread does at intervals: it has no other thread that could do it, so it looks at the clock whenever it polls.

use std::cell::Cell;
use std::time::Duration;

use scoped_tls_hkt::scoped_thread_local;

use super::clock::Instant;

/// Interval between two ticks.
pub(crate) const TICK: Duration = Duration::from_millis(100);

scoped_thread_local!(static TICKER: for<'a> &'a Ticker<'a>);

struct Ticker<'a> {
    tell: &'a dyn Fn(),
    last: Cell<Instant>,
}

/// Runs `work`, and calls `tell` every [`TICK`] in the course of [`tick`]. It must not poll, nor wait for what the work may hold.
pub(super) fn ticking<T>(tell: &dyn Fn(), work: impl FnOnce() -> T) -> T {
    let ticker = Ticker {
        tell,
        last: Cell::new(Instant::now()),
    };
    TICKER.set(&ticker, work)
}

/// Calls what is due on this thread.
#[inline]
pub(super) fn tick() {
    if TICKER.is_set() {
        TICKER.with(|ticker| {
            if ticker.last.get().elapsed() >= TICK {
                ticker.last.set(Instant::now());
                (ticker.tell)();
            }
        });
    }
}
