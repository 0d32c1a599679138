//! `solve`: one solution.

use serde::Serialize;

use super::engine::Run;
use super::question::Question;
use super::refusal::Refusal;
use crate::puzzle::Grid;
use crate::search::{Outcome, Search};

#[derive(Serialize)]
struct Solved {
    #[serde(flatten)]
    outcome: Outcome,
    solution: Option<Grid>,
}

pub(super) fn solve(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    run.begin();
    let observer = |snapshot| run.progress(snapshot);
    let search = Search::new(&puzzle)
        .limits(run.limits())
        .observer(&observer);
    let (solution, outcome) = run.engine.on_threads(|| search.solve());
    run.send("solved", &Solved { outcome, solution });
    Ok(())
}
