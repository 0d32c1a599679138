//! The replies of the server and their headers.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::{Either, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;

use super::events::EventStream;
use crate::studio::answers::Reply;

/// The error of a body; there is none.
type BoxError = Box<dyn Error + Send + Sync>;

/// A reply.
pub(super) type HttpReply = Response<ReplyBody>;

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

/// A whole reply.
pub(super) fn whole(reply: Reply) -> HttpReply {
    let content = Either::Left(Full::new(reply.body.into()));
    let mut http = with_headers(reply.content_type, content);
    *http.status_mut() = StatusCode::from_u16(reply.status).expect("statuses are valid");
    let headers = http.headers_mut();
    for (name, value) in reply.headers {
        let value = HeaderValue::from_str(&value).expect("values of headers are ASCII");
        headers.insert(name, value);
    }
    if reply.status >= 400 {
        // The body of the request may not have been read.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    http
}

/// A stream of events.
pub(super) fn stream(events: EventStream) -> HttpReply {
    with_headers("text/event-stream", Either::Right(events))
}

fn with_headers(
    content_type: &'static str,
    content: Either<Full<Bytes>, EventStream>,
) -> HttpReply {
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
