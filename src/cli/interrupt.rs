//! Ctrl-C, and being told to terminate. The first time a search is asked to stop, so that what it has found is still reported; the
//! second time the process ends at once. While standard input is being read there is nothing to report, and the first time is enough;
//! so it is for verbs that do not search. No draft of a file is left.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::drafts;
use super::status::Status;

/// The flags that the signal handler shares with the rest. Relaxed throughout: each is a message of its own, and nothing is read by
/// their leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt {
    asked: Arc<AtomicBool>,
    reading: Arc<AtomicBool>,
    /// Is there anybody who stops when asked?
    heard: Arc<AtomicBool>,
}

/// The one that signals set: a process has one handler.
static HANDLED: OnceLock<Interrupt> = OnceLock::new();

impl Interrupt {
    /// Handles the signals from now on, for a verb that looks whether it is asked to stop.
    pub(super) fn install() -> Self {
        let interrupt = Self::handled();
        interrupt.heard.store(true, Ordering::Relaxed);
        interrupt
    }

    /// Handles the signals from now on. Until somebody looks whether there has been one, the first ends the process.
    pub(super) fn handled() -> Self {
        let handle = || {
            let interrupt = Interrupt::default();
            let Interrupt {
                asked,
                reading,
                heard,
            } = interrupt.clone();
            // Without a handler the signal ends the process, which is the second best.
            let _ = ctrlc::set_handler(move || {
                let again = asked.swap(true, Ordering::Relaxed);
                if again || reading.load(Ordering::Relaxed) || !heard.load(Ordering::Relaxed) {
                    drafts::remove_all();
                    process::exit(Status::Interrupted as i32);
                }
            });
            interrupt
        };
        HANDLED.get_or_init(handle).clone()
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
