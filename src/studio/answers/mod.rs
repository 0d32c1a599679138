//! The answers to the questions of the page.
//!
//! A question has a name, such as `check`, and a body in JSON or the bytes of a file. It is answered on the calling thread, through a
//! [`Sink`]: with a whole [`Reply`], or with a stream of events, where the answer takes long or comes in parts.

mod check;
mod count;
mod edit;
mod engine;
mod enumerate;
mod explain;
mod files;
mod listing;
mod question;
mod refusal;
mod reply;
mod sink;
mod solve;
mod space;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;

use engine::{Engine, Run};
use files::Puzzles;
use question::Question;
use refusal::Refusal;

pub use reply::Reply;
pub use sink::Sink;

use crate::format::Entry;
use crate::run::Limits;

/// What all answers share: the limits, the puzzles with which the page begins, and what is kept from one answer to the next.
#[derive(Debug)]
pub struct Answers {
    engine: Engine,
    puzzles: Vec<Entry>,
}

/// A question that [`Answers`] knows.
#[derive(Clone, Copy, Debug)]
pub struct Verb(How);

/// How a question is answered.
#[derive(Clone, Copy, Debug)]
enum How {
    /// The same at any time, whatever the body.
    Fixed(fn(&Answers) -> Reply),
    /// At once, from the query of the address and the body.
    Whole(fn(&Run<'_>, &str, &[u8]) -> Result<Reply, Refusal>),
    /// With events.
    Stream(fn(&Run<'_>, &Question<'_>) -> Result<(), Refusal>),
}

/// The reply to `start`.
#[derive(Serialize)]
struct Start<'a> {
    version: &'static str,
    #[serde(flatten)]
    puzzles: Puzzles<'a>,
}

impl Verb {
    /// The question with this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(Verb(match name {
            "start" => How::Fixed(|answers| Reply::json(&answers.start())),
            "formats" => How::Fixed(|_| files::formats()),
            "read" => How::Whole(|_, query, body| files::read(query, body)),
            "write" => How::Whole(|_, _, body| files::write(&Question::parse(body)?)),
            "draw" => How::Whole(|run, _, body| files::draw(run, &Question::parse(body)?)),
            "solve" => How::Stream(solve::solve),
            "check" => How::Stream(check::check),
            "count" => How::Stream(count::count),
            "enumerate" => How::Stream(enumerate::enumerate),
            "repair" => How::Stream(edit::repair),
            "reveal" => How::Stream(edit::reveal),
            "explain" => How::Stream(explain::explain),
            "position" => How::Stream(explain::position),
            "cells" => How::Stream(space::cells),
            "solutions" => How::Stream(space::solutions),
            _ => return None,
        }))
    }

    /// Whether the answer is the same at any time, so that the question needs no body.
    pub fn is_fixed(self) -> bool {
        matches!(self.0, How::Fixed(_))
    }
}

impl Answers {
    /// Answers with the limits of each, but for the memory, which is that of all together: it is divided for `runs` questions at a time.
    /// Searches use this number of threads, 0 for all cores. The page begins with these puzzles.
    pub fn new(threads: usize, runs: usize, limits: Limits, puzzles: Vec<Entry>) -> Self {
        Answers {
            engine: Engine::new(threads, runs, limits),
            puzzles,
        }
    }

    /// Answers a question on the calling thread. `query` is that of the address, after the question mark.
    pub fn answer(&self, verb: Verb, query: &str, body: &[u8], sink: &dyn Sink) {
        // A panic must not leave the page waiting. Nothing that it may have left half changed is used again: locks that it poisoned are
        // taken all the same, and hold whole values.
        let answered = catch_unwind(AssertUnwindSafe(|| {
            self.try_answer(verb, query, body, sink)
        }));
        if let Err(refusal) = answered.unwrap_or_else(|_| Err(Refusal::failed())) {
            refusal.end(sink);
        }
    }

    fn try_answer(
        &self,
        verb: Verb,
        query: &str,
        body: &[u8],
        sink: &dyn Sink,
    ) -> Result<(), Refusal> {
        match verb.0 {
            How::Fixed(reply) => sink.reply(reply(self)),
            How::Whole(answer) => {
                let run = self.engine.begin(sink, None);
                sink.reply(answer(&run, query, body)?);
            }
            How::Stream(answer) => {
                let question = Question::parse(body)?;
                let run = self.engine.begin(sink, question.time()?);
                answer(&run, &question)?;
                run.send("done", &serde_json::json!({ "seconds": run.seconds() }));
            }
        }
        Ok(())
    }

    fn start(&self) -> Start<'_> {
        Start {
            version: env!("CARGO_PKG_VERSION"),
            puzzles: Puzzles::new(&self.puzzles, false),
        }
    }
}
