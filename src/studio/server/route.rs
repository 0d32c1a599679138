//! From a request to its reply.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Method, Request};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::body::{Bodies, busy};
use super::events::events;
use super::guard::Guard;
use super::page;
use super::reply::{HttpReply, stream, whole};
use crate::studio::answers::{Answers, Reply, Verb};

/// Maximum number of runs at a time.
pub(super) const MAX_RUNS: usize = 6;

/// Time for which a request waits for one of [`MAX_RUNS`] runs to end.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// What all requests share.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) guard: Guard,
    answers: Answers,
    bodies: Bodies,
    runs: Arc<Semaphore>,
}

impl Site {
    pub(super) fn new(guard: Guard, answers: Answers) -> Self {
        Site {
            guard,
            answers,
            bodies: Bodies::new(),
            runs: Arc::new(Semaphore::new(MAX_RUNS)),
        }
    }

    /// Replies to a request. There is always a reply.
    pub(super) async fn reply(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<HttpReply, Infallible> {
        Ok(self.route(request).await.unwrap_or_else(whole))
    }

    async fn route(self: Arc<Self>, request: Request<Incoming>) -> Result<HttpReply, Reply> {
        let uri = request.uri().clone();
        let path = self.guard.admit(&uri, request.headers())?;
        let method = request.method();
        let Some(name) = path.strip_prefix("api/") else {
            let file = page::file(path).filter(|_| [Method::GET, Method::HEAD].contains(method));
            return file.map(whole).ok_or_else(unknown);
        };
        let verb = Verb::named(name).ok_or_else(unknown)?;
        let right = if verb.is_fixed() {
            Method::GET
        } else {
            Method::POST
        };
        if method != right {
            return Err(unknown());
        }
        let query = uri.query().unwrap_or_default().to_owned();
        self.answer(verb, query, request.into_body()).await
    }

    /// A place among the runs.
    async fn place(&self) -> Result<OwnedSemaphorePermit, Reply> {
        match tokio::time::timeout(MAX_WAIT, Arc::clone(&self.runs).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(busy("too many questions at a time")),
        }
    }

    /// Answers on a thread of its own, which is interrupted when the client has gone.
    async fn answer(
        self: Arc<Self>,
        verb: Verb,
        query: String,
        body: Incoming,
    ) -> Result<HttpReply, Reply> {
        let content = self.bodies.read(body).await?;
        let place = self.place().await?;
        let bodies = self.bodies.clone();
        let (sink, body, replied) = events();
        tokio::task::spawn_blocking(move || {
            let _place = place;
            self.answers.answer(verb, &query, &content.bytes, &sink);
        });
        match replied.await {
            Ok(reply) => {
                let reserved = bodies.reserve(reply.body.len())?;
                let mut reply = whole(reply);
                reply.body_mut().reserved = Some(reserved);
                Ok(reply)
            }
            // The first event has dropped the sender.
            Err(_) => Ok(stream(body)),
        }
    }
}

fn unknown() -> Reply {
    Reply::refusal(404, "there is no such page")
}
