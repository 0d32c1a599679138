//! Ctrl-C, and being told to terminate. The first time a search is asked to stop, so that what it has found is still reported; the
//! second time the process ends at once. While standard input is being read there is nothing to report, and the first time is enough.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::status::Status;

/// The flags that the signal handler shares with the rest. Relaxed throughout: each is a message of its own, and nothing is read by
/// their leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt {
    asked: Arc<AtomicBool>,
    reading: Arc<AtomicBool>,
}

impl Interrupt {
    /// Handles the signals from now on.
    pub(super) fn install() -> Self {
        let interrupt = Interrupt::default();
        let Interrupt { asked, reading } = interrupt.clone();
        // Without a handler the signal ends the process, which is the second best.
        let _ = ctrlc::set_handler(move || {
            if reading.load(Ordering::Relaxed) || asked.swap(true, Ordering::Relaxed) {
                process::exit(Status::Interrupted as i32);
            }
        });
        interrupt
    }

    /// Has there been one?
    pub(super) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The flag that a search looks at.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    /// Reads something that may take forever to come.
    pub(super) fn while_reading<T>(&self, read: impl FnOnce() -> T) -> T {
        self.reading.store(true, Ordering::Relaxed);
        let read = read();
        self.reading.store(false, Ordering::Relaxed);
        read
    }
}
