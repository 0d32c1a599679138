//! Interrupts what runs for somebody who has gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the flag that a run polls when it is dropped, by a panic too.
#[derive(Debug, Default)]
pub(super) struct Interrupter {
    flag: Arc<AtomicBool>,
}

impl Interrupter {
    /// The flag. Relaxed suffices for all accesses: it publishes no other data.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }
}

impl Drop for Interrupter {
    fn drop(&mut self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}
