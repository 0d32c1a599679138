//! Ctrl-C and the request to terminate. The first signal asks the search to stop, so that its results are still reported; the second ends
//! the process at once. The first signal also ends the process while standard input is being read, when there is nothing to report, and for
//! verbs that do not poll for an interrupt. The process removes its drafts before it ends.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::drafts;
use super::status::Status;

/// The flags that the signal handler shares with the other threads. All accesses are relaxed: each flag stands alone and publishes no
/// other data.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt {
    requested: Arc<AtomicBool>,
    reading: Arc<AtomicBool>,
    /// Whether the verb polls `requested` and stops when it is set.
    polled: Arc<AtomicBool>,
}

/// The flags that the signal handler of this process sets.
static INSTALLED: OnceLock<Interrupt> = OnceLock::new();

impl Interrupt {
    /// Installs the signal handler for a verb that polls for an interrupt.
    pub(super) fn install() -> Self {
        let interrupt = Self::handle_signals();
        interrupt.polled.store(true, Ordering::Relaxed);
        interrupt
    }

    /// Installs the signal handler. The first signal ends the process, unless [`install`](Self::install) is called too.
    pub(super) fn handle_signals() -> Self {
        let handle = || {
            let interrupt = Interrupt::default();
            let Interrupt {
                requested,
                reading,
                polled,
            } = interrupt.clone();
            // Should this fail, a signal ends the process without removing its drafts.
            let _ = ctrlc::set_handler(move || {
                let again = requested.swap(true, Ordering::Relaxed);
                if again || reading.load(Ordering::Relaxed) || !polled.load(Ordering::Relaxed) {
                    drafts::remove_all();
                    process::exit(Status::Interrupted as i32);
                }
            });
            interrupt
        };
        INSTALLED.get_or_init(handle).clone()
    }

    /// Whether there has been a signal.
    pub(super) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// The flag that a search polls.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.requested)
    }

    /// Runs a read that may block forever; a signal meanwhile ends the process.
    pub(super) fn while_reading<T>(&self, read: impl FnOnce() -> T) -> T {
        self.reading.store(true, Ordering::Relaxed);
        let read = read();
        self.reading.store(false, Ordering::Relaxed);
        read
    }
}
