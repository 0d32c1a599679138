//! `enumerate`: all solutions, a part for each question, in the order in which one thread finds them.
//!
//! A question that does not go on where the last one ended begins the search anew.

use serde::Serialize;

use super::engine::Run;
use super::listing::Listing;
use super::question::{Question, most_solutions};
use super::refusal::Refusal;
use crate::puzzle::Grid;
use crate::solutions::Stop;

#[derive(Serialize)]
struct Part {
    from: u64,
    solutions: Vec<Grid>,
    /// Whether these are the last ones.
    complete: bool,
    stopped: Option<Stop>,
}

pub(super) fn enumerate(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    let from = question.from()?.to_u64().unwrap_or(u64::MAX);
    run.begin();
    let most = most_solutions(&puzzle);
    let number = question.number.unwrap_or(most).clamp(1, most);
    let kept = run.engine.kept_listing(&puzzle);
    let kept = kept.filter(|kept| kept.is_before(from));
    let mut listing = kept.unwrap_or_else(|| Listing::new(puzzle));
    let limits = run.limits();
    let (solutions, stopped) = run
        .engine
        .on_threads(|| listing.part(from, number, &limits));
    let part = Part {
        from,
        solutions,
        complete: listing.is_complete(),
        stopped,
    };
    run.engine.keep_listing(listing);
    run.send("enumerated", &part);
    Ok(())
}
