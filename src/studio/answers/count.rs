//! `count`: the number of solutions, without listing them.

use super::engine::Run;
use super::question::Question;
use super::refusal::Refusal;
use crate::count::Counter;

pub(super) fn count(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    run.begin();
    let table = run.engine.table();
    let counted = run.engine.on_threads(|| {
        Counter::new(&puzzle)
            .limits(run.limits())
            .observer(&|snapshot| run.progress(snapshot))
            .sharing(&table)
            .run()
    });
    run.send("number", &counted);
    Ok(())
}
