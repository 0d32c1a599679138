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
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio::time::{Interval, interval};

use super::interrupt::Interrupter;
use crate::run::lock;
use crate::studio::answers::{Reply, Sink};

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
    /// Takes a whole reply as long as there was no event. The first event drops it.
    reply: Mutex<Option<oneshot::Sender<Reply>>>,
}

/// The receiving side: the body of a reply.
#[derive(Debug)]
pub(super) struct EventStream {
    receiver: Receiver<Bytes>,
    beat: Interval,
    _interrupter: Interrupter,
}

/// Both sides of a stream, and what receives a whole reply instead; an error there means that there is an event. Must be called on a thread
/// of the runtime.
pub(super) fn events() -> (Events, EventStream, oneshot::Receiver<Reply>) {
    let (sender, receiver) = channel(MAX_WAITING);
    let interrupter = Interrupter::default();
    let interrupt = interrupter.flag();
    let stream = EventStream {
        receiver,
        beat: interval(BEAT),
        _interrupter: interrupter,
    };
    let (reply, replied) = oneshot::channel();
    let events = Events {
        sender,
        runtime: Handle::current(),
        interrupt,
        reply: Mutex::new(Some(reply)),
    };
    (events, stream, replied)
}

/// Must not be used on a thread of the runtime, which `send` would block.
impl Sink for Events {
    fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.interrupt
    }

    fn reply(&self, reply: Reply) {
        if let Some(sender) = lock(&self.reply).take() {
            // Fails if the client has gone.
            let _ = sender.send(reply);
        }
    }

    fn begin(&self) {
        drop(lock(&self.reply).take());
    }

    fn has_begun(&self) -> bool {
        lock(&self.reply).is_none()
    }

    fn send(&self, event: String) {
        let sent = self.sender.send_timeout(event.into(), MAX_WAIT);
        if self.runtime.block_on(sent).is_err() {
            self.interrupt.store(true, Ordering::Relaxed);
        }
    }

    fn offer(&self, event: String) {
        if self.sender.capacity() > MAX_WAITING / 2 {
            // Fails if the stream is closed.
            let _ = self.sender.try_send(event.into());
        }
    }
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
