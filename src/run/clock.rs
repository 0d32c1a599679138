//! The clock of every run.
//!
//! Where the standard library has a clock, this is it. WebAssembly in a browser has none, and there `set_clock` names the function that tells
//! the time; without it no time passes, so that no limit on time is ever met.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use told::Instant;

/// Sets the function that tells the time since some fixed moment. Only the first call has an effect.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub fn set_clock(now: fn() -> std::time::Duration) {
    told::set(now);
}

/// The clock that somebody else tells. It has the methods of [`std::time::Instant`] that are used.
#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
mod told {
    use std::sync::OnceLock;
    use std::time::Duration;

    /// The function that tells the time since some fixed moment.
    static NOW: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the function that tells the time, if none is set.
    pub(super) fn set(now: fn() -> Duration) {
        let _ = NOW.set(now);
    }

    /// A moment.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) struct Instant(Duration);

    impl Instant {
        pub(crate) fn now() -> Self {
            Instant(NOW.get().map_or(Duration::ZERO, |now| now()))
        }

        pub(crate) fn checked_add(self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Instant)
        }

        /// Time since this moment; zero if the clock was set back.
        pub(crate) fn elapsed(self) -> Duration {
            Self::now().0.saturating_sub(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::told::{Instant, set};

    #[test]
    fn a_clock_that_is_told_stands_until_it_is_set() {
        let before = Instant::now();
        assert_eq!(before.elapsed(), Duration::ZERO);
        set(|| Duration::from_secs(5));
        set(|| Duration::from_secs(7));
        assert_eq!(before.elapsed(), Duration::from_secs(5));
        let end = Instant::now().checked_add(Duration::from_secs(1));
        assert!(end > Some(Instant::now()));
        assert_eq!(Instant::now().checked_add(Duration::MAX), None);
    }
}
