//! Bodies of requests and replies, bounded in bytes, and those of requests in time.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::studio::answers::Reply;

/// Maximum number of bytes of a body: a photo fits.
const MAX_BYTES: usize = 32 << 20;

/// Maximum number of bytes of all bodies that are being read, answered or sent.
const MAX_BYTES_TOGETHER: usize = 8 * MAX_BYTES;

/// Time within which a body must be complete.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The memory for bodies, in units of [`UNIT`] bytes.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    units: Arc<Semaphore>,
}

const UNIT: usize = 1 << 10;

/// A body, and the memory that is reserved for it.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    _reserved: OwnedSemaphorePermit,
}

impl Bodies {
    pub(super) fn new() -> Self {
        Bodies {
            units: Arc::new(Semaphore::new(MAX_BYTES_TOGETHER / UNIT)),
        }
    }

    /// Reserves memory for this number of bytes, until the reserve is dropped.
    pub(super) fn reserve(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Reply> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let reserve = Arc::clone(&self.units).try_acquire_many_owned(units);
        reserve.map_err(|_| busy("too much data at a time"))
    }

    /// Reads the body of a request whole. A client that does not say its length in advance reserves the maximum.
    pub(super) async fn read(&self, body: Incoming) -> Result<Content, Reply> {
        let too_large = || {
            let message = format!("a request may have up to {} MiB", MAX_BYTES >> 20);
            Reply::refusal(413, &message)
        };
        let bytes = body.size_hint().exact().unwrap_or(MAX_BYTES as u64);
        if bytes > MAX_BYTES as u64 {
            return Err(too_large());
        }
        let reserved = self.reserve(bytes as usize)?;
        let read = tokio::time::timeout(MAX_TIME, Limited::new(body, MAX_BYTES).collect());
        let collected = read.await.map_err(|_| {
            let seconds = MAX_TIME.as_secs();
            let message = format!("the request was not complete after {seconds} seconds");
            Reply::refusal(408, &message)
        })?;
        let collected = collected.map_err(|error| {
            match error.downcast::<http_body_util::LengthLimitError>() {
                Ok(_) => too_large(),
                Err(_) => Reply::refusal(400, "the request ended in the middle of its body"),
            }
        })?;
        Ok(Content {
            bytes: collected.to_bytes().into(),
            _reserved: reserved,
        })
    }
}

/// The refusal of a server that has enough to do.
pub(super) fn busy(message: &str) -> Reply {
    Reply::refusal(503, message)
}
