//! Where an answer goes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::reply::Reply;

/// Receives an answer: either a [`Reply`], or a stream of events.
pub trait Sink: Sync {
    /// The flag that interrupts the answer, because nobody waits for it any longer.
    fn interrupt(&self) -> &Arc<AtomicBool>;

    /// Takes the whole answer.
    fn reply(&self, reply: Reply);

    /// Begins a stream of events. Further calls have no effect.
    fn begin(&self);

    /// Whether the stream has begun, so that there can be no [reply](Self::reply) any more.
    fn has_begun(&self) -> bool;

    /// Takes an event, as the text of a server-sent event. It may wait until there is room.
    fn send(&self, event: String);

    /// Takes an event that the next one of its kind replaces, unless earlier ones still wait.
    fn offer(&self, event: String);
}
