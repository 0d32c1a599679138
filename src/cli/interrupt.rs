//! Ctrl-C and the request to terminate. The first signal asks the search to stop, so that its results are still reported; the second ends
//! the process at once. The first signal also ends the process while standard input is being read, when there is nothing to report, and for
//! verbs that do not poll for an interrupt. The process removes its drafts before it ends.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use super::drafts;
use super::status::Status;

/// The flags that the signal handler shares with the other threads. All accesses are relaxed: each flag stands alone and publishes no
/// other data.
#[derive(Debug, Default)]
pub(super) struct Interrupt {
    requested: Arc<AtomicBool>,
    reading: AtomicBool,
    /// Whether the verb polls `requested` and stops when it is set.
    polled: AtomicBool,
}

/// The flags that the signal handler of this process sets.
static INSTALLED: LazyLock<Interrupt> = LazyLock::new(|| {
    // Should this fail, a signal ends the process without removing its drafts.
    let _ = ctrlc::set_handler(|| INSTALLED.handle_signal());
    Interrupt::default()
});

impl Interrupt {
    /// Installs the signal handler for a verb that polls for an interrupt.
    pub(super) fn install() -> &'static Self {
        INSTALLED.polled.store(true, Ordering::Relaxed);
        &INSTALLED
    }

    /// Installs the signal handler. The first signal ends the process, unless [`install`](Self::install) is called too.
    pub(super) fn handle_signals() {
        LazyLock::force(&INSTALLED);
    }

    fn handle_signal(&self) {
        let again = self.requested.swap(true, Ordering::Relaxed);
        let ends =
            again || self.reading.load(Ordering::Relaxed) || !self.polled.load(Ordering::Relaxed);
        if ends {
            drafts::remove_all();
            process::exit(Status::Interrupted as i32);
        }
    }

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
