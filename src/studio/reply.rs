//! The replies of the server and their headers.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::{Either, Full};
use hyper::Response;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderValue};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use super::events::EventStream;
use super::refusal::{Refusal, json_text};

/// The error of a body; there is none.
type BoxError = Box<dyn Error + Send + Sync>;

/// A reply.
pub(super) type Reply = Response<ReplyBody>;

/// The body of a reply, whole or a stream of events, and the memory that is reserved until it is sent.
#[derive(Debug)]
pub(super) struct ReplyBody {
    content: Either<Full<Bytes>, EventStream>,
    pub(super) reserved: Option<OwnedSemaphorePermit>,
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Pin::new(&mut self.content).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.content.size_hint()
    }
}

/// What the page may load and do: only its own files and requests to this server. Pictures may also come from the page itself.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every reply. There is none that would let another origin read it.
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        let mut reply = whole("application/json", Refusal::json(&refusal.message));
        *reply.status_mut() = refusal.status;
        // The body of the request may not have been read.
        reply
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
        reply
    }
}

/// A whole reply with this content.
pub(super) fn whole(content_type: &'static str, content: impl Into<Bytes>) -> Reply {
    with_headers(content_type, Either::Left(Full::new(content.into())))
}

/// A whole reply in JSON.
pub(super) fn json(value: &impl Serialize) -> Reply {
    whole("application/json", json_text(value))
}

/// A stream of events.
pub(super) fn stream(events: EventStream) -> Reply {
    with_headers("text/event-stream", Either::Right(events))
}

fn with_headers(content_type: &'static str, content: Either<Full<Bytes>, EventStream>) -> Reply {
    let mut reply = Response::new(ReplyBody {
        content,
        reserved: None,
    });
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}
