//! The engine for browsers and Node: the answers of the studio as a WebAssembly module.
//!
//! The module imports its memory and four functions, and exports two:
//!
//! - `room(length)` makes room for a question, and returns its address;
//! - `ask(name, query)` answers the question that was written there: its name, the query of its address, both of these lengths, and its
//!   body. Meanwhile it calls `begin` and `event`, or `reply`, in the terms of HTTP and of server-sent events.
//!
//! A module answers one question at a time, on one thread. Whoever wants to stop an answer gives the module up. A defect ends in a trap, after
//! a call of `fail` with its words; memory that runs out ends in a trap without one.

#![cfg(all(target_family = "wasm", target_os = "unknown"))]

use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use omnogram::Limits;
use omnogram::studio::answers::{Answers, Reply, Sink, Verb};

/// Memory for all that the module answers and keeps, in bytes. Half of what can be addressed is left for what is not planned.
const MEMORY: u64 = 2 << 30;

/// What the module imports. Addresses and lengths are those of bytes in its memory, which the callee must read at once.
mod host {
    #[link(wasm_import_module = "omnogram")]
    unsafe extern "C" {
        /// Milliseconds since some fixed moment.
        pub(super) safe fn now() -> f64;
        /// Takes a whole answer: its status, the JSON of its headers, and its body.
        pub(super) safe fn reply(
            status: u32,
            headers: *const u8,
            headers_length: usize,
            body: *const u8,
            body_length: usize,
        );
        /// Takes an event as text.
        pub(super) safe fn event(text: *const u8, length: usize);
        /// Takes the words of a panic, before the trap.
        pub(super) safe fn fail(words: *const u8, length: usize);
    }
}

static ANSWERS: LazyLock<Answers> = LazyLock::new(|| {
    std::panic::set_hook(Box::new(fail));
    omnogram::set_clock(|| Duration::from_secs_f64(host::now().max(0.0) / 1e3));
    Answers::new(1, 1, Limits::default().memory(MEMORY), Vec::new())
});

thread_local! {
    /// The question that is being written.
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a question of this number of bytes, and returns its address.
#[unsafe(no_mangle)]
extern "C" fn room(length: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        *question = vec![0; length];
        question.as_mut_ptr()
    })
}

/// Answers the question: the lengths are those of its name and its query, and the rest is its body.
#[unsafe(no_mangle)]
extern "C" fn ask(name: usize, query: usize) {
    let question = QUESTION.take();
    let (name, rest) = question.split_at(name);
    let (query, body) = rest.split_at(query);
    let sink = HostSink::default();
    let verb = str::from_utf8(name).ok().and_then(Verb::named);
    match (verb, str::from_utf8(query)) {
        (Some(verb), Ok(query)) => ANSWERS.answer(verb, query, body, &sink),
        _ => sink.reply(Reply::refusal(404, "there is no such question")),
    }
}

/// Tells the host what went wrong.
fn fail(panic: &PanicHookInfo<'_>) {
    let words = panic.to_string();
    host::fail(words.as_ptr(), words.len());
}

/// Passes an answer to the host.
#[derive(Debug, Default)]
struct HostSink {
    interrupt: Arc<AtomicBool>,
    has_begun: AtomicBool,
}

impl Sink for HostSink {
    fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.interrupt
    }

    fn reply(&self, reply: Reply) {
        let headers = reply.headers_json();
        let body = &reply.body;
        host::reply(
            reply.status.into(),
            headers.as_ptr(),
            headers.len(),
            body.as_ptr(),
            body.len(),
        );
    }

    fn begin(&self) {
        self.has_begun
            .store(true, std::sync::atomic::Ordering::Relaxed);
    }

    fn has_begun(&self) -> bool {
        self.has_begun.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn send(&self, event: String) {
        host::event(event.as_ptr(), event.len());
    }

    fn offer(&self, event: String) {
        self.send(event);
    }
}
