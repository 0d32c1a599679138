//! Why a request is refused, and JSON on one line.

use hyper::StatusCode;
use serde::Serialize;

/// Why a request is refused: the status and a sentence.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Refusal {
            status,
            message: message.into(),
        }
    }

    /// For a body that is no valid question.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// The JSON of the error, as the body and as the data of an event.
    pub(super) fn json(message: &str) -> String {
        json_text(&serde_json::json!({ "error": message }))
    }
}

/// An error of the library is bad data from the client.
impl From<crate::Error> for Refusal {
    fn from(error: crate::Error) -> Self {
        Refusal::bad(error.to_string())
    }
}

/// JSON on one line. The values serialized here have text keys only and do not fail.
pub(super) fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("keys are texts, and no value fails")
}
