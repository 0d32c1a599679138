//! A whole answer, in the terms of HTTP, and an event of one that comes in parts.

use std::collections::BTreeMap;

use serde::Serialize;

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status: 200, or why the question was refused.
    pub status: u16,
    /// The value of the header `content-type`.
    pub content_type: &'static str,
    /// Further headers and their values, in ASCII.
    pub headers: Vec<(&'static str, String)>,
    /// The content.
    pub body: Vec<u8>,
}

impl Reply {
    pub(super) fn new(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Reply {
            status: 200,
            content_type,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    pub(super) fn json(value: &impl Serialize) -> Self {
        Self::new("application/json", json_text(value))
    }

    /// All headers as a JSON object.
    pub fn headers_json(&self) -> String {
        let content_type = ("content-type", self.content_type);
        let others = self.headers.iter().map(|(name, value)| (*name, &**value));
        let headers: BTreeMap<_, _> = others.chain([content_type]).collect();
        json_text(&headers)
    }

    /// The reply to a question that is refused, with a sentence that says why.
    pub fn refusal(status: u16, message: &str) -> Self {
        Reply {
            status,
            ..Self::json(&serde_json::json!({ "error": message }))
        }
    }
}

/// JSON on one line. The values serialized here have text keys only and do not fail.
fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("keys are texts, and no value fails")
}

/// A server-sent event. JSON on one line has no line break, which would end the data.
pub(super) fn event(name: &str, data: &impl Serialize) -> String {
    format!("event: {name}\ndata: {}\n\n", json_text(data))
}
