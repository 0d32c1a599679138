//! `repair` and `reveal`: the smallest edit of the picture that makes its puzzle unique, and the fewest cells to give away.

use serde::Serialize;

use super::engine::Run;
use super::question::Question;
use super::refusal::Refusal;
use crate::design::Repair;
use crate::format::plural;

/// An answer of the designer, and a sentence about it.
#[derive(Serialize)]
struct WithWords<'a, T> {
    #[serde(flatten)]
    answer: &'a T,
    words: String,
}

pub(super) fn repair(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let (picture, given) = question.picture()?;
    let keep = question.keep(&picture)?;
    let repair = Repair::new(&picture).given(given.as_ref())?;
    run.begin();
    let repaired = run.engine.on_threads(|| {
        repair
            .keep(keep.as_ref())
            .only(question.only())
            .line_solvable(question.line_solvable)
            .budget(question.budget)
            .alternatives(question.alternatives)
            .limits(run.limits())
            .observer(&|snapshot| run.progress(snapshot))
            .run()
    });
    let answer = WithWords {
        words: match &repaired.flips {
            Some(flips) if flips.is_empty() => format!("{} as it is", aim(question)),
            Some(flips) => {
                let proof = proof(repaired.minimal, repaired.none_within);
                format!("{} to flip, {proof}", plural(flips.len(), "cell"))
            }
            None => none_found(question, "edit", repaired.none_within),
        },
        answer: &repaired,
    };
    run.send("repaired", &answer);
    Ok(())
}

pub(super) fn reveal(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let (picture, given) = question.picture()?;
    let repair = Repair::new(&picture).given(given.as_ref())?;
    run.begin();
    let revealed = run.engine.on_threads(|| {
        repair
            .line_solvable(question.line_solvable)
            .limits(run.limits())
            .observer(&|snapshot| run.progress(snapshot))
            .reveal()
    });
    let answer = WithWords {
        words: match &revealed.cells {
            Some(cells) if cells.is_empty() => format!("{} as it is", aim(question)),
            Some(cells) => {
                let proof = proof(revealed.minimal, revealed.none_within);
                format!("{} to give away, {proof}", plural(cells.len(), "cell"))
            }
            None => none_found(question, "set of cells", revealed.none_within),
        },
        answer: &revealed,
    };
    run.send("revealed", &answer);
    Ok(())
}

fn aim(question: &Question<'_>) -> &'static str {
    if question.line_solvable {
        "solvable line by line"
    } else {
        "unique"
    }
}

fn proof(minimal: bool, none_within: Option<usize>) -> String {
    match (minimal, none_within) {
        (true, _) => "proven minimal".to_owned(),
        (false, Some(within)) if within > 0 => format!("at least {} are needed", within + 1),
        (false, _) => "not proven minimal".to_owned(),
    }
}

fn none_found(question: &Question<'_>, what: &str, none_within: Option<usize>) -> String {
    let aim = aim(question);
    match none_within {
        Some(within) if within > 0 => {
            format!(
                "no {what} found; none of up to {} makes it {aim}",
                plural(within, "cell")
            )
        }
        _ => format!("no {what} found that makes it {aim}"),
    }
}
