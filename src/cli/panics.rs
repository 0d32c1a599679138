//! An internal error, which is a panic anywhere: one message, and the process ends at once with [`Status::Wrong`]. Threads that wait for
//! the one that has panicked would otherwise decide whether it ends, and when.

use std::panic::{self, PanicHookInfo};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::drafts;
use super::messages;
use super::status::Status;

/// Whether a thread has panicked. Relaxed: it publishes no other data.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Makes every panic end the process.
pub(super) fn end_process_on_panic() {
    panic::set_hook(Box::new(|info| {
        if PANICKED.swap(true, Ordering::Relaxed) {
            // Another thread is about to end the process.
            loop {
                thread::park();
            }
        }
        messages::note(&format!("error: internal error: {}", text(info)));
        drafts::remove_all();
        process::exit(Status::Wrong as i32);
    }));
}

/// What has panicked, and where.
fn text(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("unknown");
    match info.location() {
        Some(place) => format!("{what} ({}:{})", place.file(), place.line()),
        None => what.to_owned(),
    }
}
