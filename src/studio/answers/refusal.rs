//! Why a question is refused.

use super::reply::{Reply, event};
use super::sink::Sink;

/// Why a question is refused: the status in terms of HTTP, and a sentence.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    status: u16,
    message: String,
}

impl Refusal {
    /// For a body that is no valid question.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    /// For an answer that does not exist.
    pub(super) fn absent(message: &str) -> Self {
        Self::new(404, message)
    }

    /// For an answer that was not found in time.
    pub(super) fn busy(message: &str) -> Self {
        Self::new(503, message)
    }

    /// For a defect.
    pub(super) fn failed() -> Self {
        Self::new(500, "this is a defect of omnogram: the answer failed")
    }

    fn new(status: u16, message: impl Into<String>) -> Self {
        Refusal {
            status,
            message: message.into(),
        }
    }

    /// Ends an answer: as its reply, or as an event if events have begun.
    pub(super) fn end(self, sink: &dyn Sink) {
        if sink.has_begun() {
            let error = serde_json::json!({ "error": self.message });
            sink.send(event("error", &error));
        } else {
            sink.reply(Reply::refusal(self.status, &self.message));
        }
    }
}

/// An error of the library is bad data in the question.
impl From<crate::Error> for Refusal {
    fn from(error: crate::Error) -> Self {
        Refusal::bad(error.to_string())
    }
}
