//! Streams of server-sent events, from the thread of a run to the connection of the page.
//!
//! The stream is the run's only tie to the page: when the connection is closed, hyper drops the [`EventStream`], which interrupts the run.
//! Where there is no event for a while, the stream sends an empty comment, because writing shows reliably that a client has gone.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio::time::{Interval, interval};

use super::interrupt::Interrupter;
use super::refusal::{Refusal, json_text};
use crate::run::lock;

/// Maximum number of events that wait for the connection.
const MAX_WAITING: usize = 64;

/// Maximum time for which a run waits until the page takes an event. Then it is interrupted.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// Interval of the empty comments.
const BEAT: Duration = Duration::from_millis(400);

/// The sending side, for the thread of a run.
#[derive(Debug)]
pub(super) struct Events {
    sender: Sender<Bytes>,
    runtime: Handle,
    /// Relaxed: it publishes no other data.
    interrupt: Arc<AtomicBool>,
    /// Takes a refusal as long as there was no event. The first event drops it.
    refusal: Mutex<Option<oneshot::Sender<Refusal>>>,
}

/// The receiving side: the body of a reply.
#[derive(Debug)]
pub(super) struct EventStream {
    receiver: Receiver<Bytes>,
    beat: Interval,
    _interrupter: Interrupter,
}

/// Both sides of a stream, and what receives a refusal before the first event; an error there means that there is an event. Must be called
/// on a thread of the runtime.
pub(super) fn events() -> (Events, EventStream, oneshot::Receiver<Refusal>) {
    let (sender, receiver) = channel(MAX_WAITING);
    let interrupter = Interrupter::default();
    let interrupt = interrupter.flag();
    let stream = EventStream {
        receiver,
        beat: interval(BEAT),
        _interrupter: interrupter,
    };
    let (refusal, refused) = oneshot::channel();
    let events = Events {
        sender,
        runtime: Handle::current(),
        interrupt,
        refusal: Mutex::new(Some(refusal)),
    };
    (events, stream, refused)
}

impl Events {
    /// The flag that is set when the page has closed the stream.
    pub(super) fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.interrupt
    }

    /// Begins the answer: from now on, what goes wrong is an event.
    pub(super) fn begin(&self) {
        drop(lock(&self.refusal).take());
    }

    /// Sends an event, and waits for its place in the queue. Must not be called on a thread of the runtime.
    pub(super) fn send(&self, name: &str, data: &impl Serialize) {
        self.send_text(name, &json_text(data));
    }

    /// Ends the answer with a refusal: as the reply to the request if there was no event yet, or else as an event.
    pub(super) fn refuse(&self, refusal: Refusal) {
        let reply = lock(&self.refusal).take();
        match reply {
            // Fails if the client has gone.
            Some(reply) => drop(reply.send(refusal)),
            None => self.send_text("error", &Refusal::json(&refusal.message)),
        }
    }

    fn send_text(&self, name: &str, json: &str) {
        self.begin();
        let sent = self.sender.send_timeout(event(name, json), MAX_WAIT);
        if self.runtime.block_on(sent).is_err() {
            self.interrupt.store(true, Ordering::Relaxed);
        }
    }

    /// Sends an event that the next one of its kind replaces: it is dropped if the page has not taken the earlier ones yet.
    pub(super) fn offer(&self, name: &str, data: &impl Serialize) {
        if self.sender.capacity() > MAX_WAITING / 2 {
            self.begin();
            let json = json_text(data);
            // Fails if the stream is closed.
            let _ = self.sender.try_send(event(name, &json));
        }
    }
}

/// An event as text. JSON on one line has no line break, which would end the data.
fn event(name: &str, json: &str) -> Bytes {
    format!("event: {name}\ndata: {json}\n\n").into()
}

impl Body for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let event = self.receiver.poll_recv(context);
        if event.is_pending() && self.beat.poll_tick(context).is_ready() {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b":\n\n")))));
        }
        event.map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
