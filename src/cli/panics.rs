//! An internal error, which is a panic anywhere: one message, and the process ends at once with [`Status::Wrong`]. Threads that wait for
//! the one that has panicked would otherwise decide whether it ends, and when. A process that aborts, because an allocation or a stack
//! failed, ends with the same status after the standard library's message.

use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{process, thread};

use super::status::Status;
use super::{drafts, messages};

/// Whether a thread has panicked. Relaxed: it publishes no other data.
static PANICKED: AtomicBool = AtomicBool::new(false);

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

/// Makes an abort end the process with the status of an internal error, where the system has a signal for it. Drafts stay, because a
/// signal handler can remove no files.
pub(super) fn end_process_on_abort() {
    #[cfg(unix)]
    {
        use std::sync::Arc;

        use signal_hook::consts::SIGABRT;
        use signal_hook::flag::register_conditional_shutdown;

        let always = Arc::new(AtomicBool::new(true));
        // Should this fail, the process ends by the signal.
        let _ = register_conditional_shutdown(SIGABRT, Status::Wrong as i32, always);
    }
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
