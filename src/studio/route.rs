//! From a request to its reply.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::{Method, Request, StatusCode};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::body::{Bodies, Content, busy};
use super::engine::{Engine, MAX_RUNS, Run};
use super::events::{Events, events};
use super::files::{self, Puzzles};
use super::guard::Guard;
use super::interrupt::Interrupter;
use super::question::Question;
use super::refusal::Refusal;
use super::reply::{Reply, json, stream};
use super::{check, edit, explain, page, space};
use crate::format::Entry;

/// Time for which a request waits for one of [`MAX_RUNS`] runs to end.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// What all requests share.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) guard: Guard,
    pub(super) engine: Engine,
    bodies: Bodies,
    runs: Arc<Semaphore>,
    /// The puzzles with which the page begins.
    puzzles: Vec<Entry>,
}

/// The reply to `start`.
#[derive(Serialize)]
struct Start<'a> {
    version: &'static str,
    #[serde(flatten)]
    puzzles: Puzzles<'a>,
}

/// The answer to a question as a stream of events.
type Answer = fn(&Run<'_>, &Question<'_>) -> Result<(), Refusal>;

impl Site {
    pub(super) fn new(guard: Guard, engine: Engine, puzzles: Vec<Entry>) -> Self {
        Site {
            guard,
            engine,
            bodies: Bodies::new(),
            runs: Arc::new(Semaphore::new(MAX_RUNS)),
            puzzles,
        }
    }

    /// Replies to a request. There is always a reply.
    pub(super) async fn reply(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Reply, Infallible> {
        Ok(self.route(request).await.unwrap_or_else(Reply::from))
    }

    async fn route(self: Arc<Self>, request: Request<Incoming>) -> Result<Reply, Refusal> {
        let uri = request.uri().clone();
        let path = self.guard.admit(&uri, request.headers())?;
        let Some(verb) = path.strip_prefix("api/") else {
            let file =
                page::file(path).filter(|_| [Method::GET, Method::HEAD].contains(request.method()));
            return file.ok_or_else(unknown);
        };
        match (request.method(), verb) {
            (&Method::GET, "formats") => return Ok(files::formats()),
            (&Method::GET, "start") => {
                return Ok(json(&Start {
                    version: env!("CARGO_PKG_VERSION"),
                    puzzles: Puzzles::new(&self.puzzles, false),
                }));
            }
            (&Method::POST, _) => {}
            _ => return Err(unknown()),
        }
        let answer: Answer = match verb {
            "check" => check::check,
            "repair" => edit::repair,
            "reveal" => edit::reveal,
            "explain" => explain::explain,
            "position" => explain::position,
            "cells" => space::cells,
            "solutions" => space::solutions,
            "read" | "write" | "draw" => return self.reply_whole(request, verb).await,
            _ => return Err(unknown()),
        };
        self.reply_stream(request, answer).await
    }

    /// A place among the runs.
    async fn place(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        match tokio::time::timeout(MAX_WAIT, Arc::clone(&self.runs).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(busy("too many questions at a time")),
        }
    }

    /// Answers at once, on a thread of its own.
    async fn reply_whole(
        self: Arc<Self>,
        request: Request<Incoming>,
        verb: &str,
    ) -> Result<Reply, Refusal> {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let verb = verb.to_owned();
        let content = self.bodies.read(request.into_body()).await?;
        let place = self.place().await?;
        // Dropped with this function when the client has gone.
        let interrupter = Interrupter::default();
        let interrupt = interrupter.flag();
        let bodies = self.bodies.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            match &*verb {
                "read" => files::read(&query, &content.bytes),
                "write" => files::write(&Question::parse(&content.bytes)?),
                _ => {
                    let question = Question::parse(&content.bytes)?;
                    let limits = self.engine.limits(question.time()?, interrupt);
                    files::draw(&self.engine, &question, limits)
                }
            }
        });
        let mut reply = done.await.unwrap_or_else(|_| Err(failed()))?;
        let bytes = reply.body().size_hint().exact().unwrap_or_default();
        reply.body_mut().reserved = Some(bodies.reserve(bytes as usize)?);
        Ok(reply)
    }

    /// Answers with events, from a thread of its own.
    async fn reply_stream(
        self: Arc<Self>,
        request: Request<Incoming>,
        answer: Answer,
    ) -> Result<Reply, Refusal> {
        let content = self.bodies.read(request.into_body()).await?;
        let place = self.place().await?;
        let (events, body, refused) = events();
        tokio::task::spawn_blocking(move || {
            let _place = place;
            self.answer(&content, events, answer);
        });
        match refused.await {
            Ok(refusal) => Err(refusal),
            // The first event has dropped the sender.
            Err(_) => Ok(stream(body)),
        }
    }

    /// Answers a question on the present thread.
    fn answer(&self, content: &Content, events: Events, answer: Answer) {
        let parsed = Question::parse(&content.bytes);
        let (question, time) = match parsed.and_then(|question| Ok((question.time()?, question))) {
            Ok((time, question)) => (question, time),
            Err(refusal) => return events.refuse(refusal),
        };
        let run = self.engine.begin(events, time);
        // A panic must not leave the page waiting. Nothing that it may have left half changed is used again: locks that it poisoned are
        // taken all the same, and hold whole values.
        let answered = catch_unwind(AssertUnwindSafe(|| answer(&run, &question)));
        match answered.unwrap_or_else(|_| Err(failed())) {
            Ok(()) => {
                let done = serde_json::json!({ "seconds": run.seconds() });
                run.events.send("done", &done)
            }
            Err(refusal) => run.events.refuse(refusal),
        }
    }
}

fn unknown() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is no such page")
}

fn failed() -> Refusal {
    let message = "this is a defect of omnogram: the answer failed";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}
