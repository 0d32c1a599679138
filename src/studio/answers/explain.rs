//! `explain` and `position`: how a person goes on from a position, and whether the position is right.

use serde::Serialize;

use super::engine::Run;
use super::question::Question;
use super::refusal::Refusal;
use crate::design::{Ending, Explainer, Standing};
use crate::format::plural;
use crate::puzzle::{Cell, Position, Puzzle};
use crate::solutions::Stop;

/// How an explanation ended.
#[derive(Serialize)]
struct Explained {
    ending: &'static str,
    steps: usize,
    unknown: usize,
    position: Vec<String>,
    /// The cells of the position of the question that have the other value in every solution.
    wrong: Vec<[usize; 2]>,
    stopped: Option<Stop>,
    words: String,
}

/// Whether a position is right.
#[derive(Serialize)]
struct Checked {
    standing: &'static str,
    wrong: Vec<[usize; 2]>,
    words: String,
}

pub(super) fn explain(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    let start = question.position()?;
    if let Some(position) = &start {
        position.check_size(puzzle.width(), puzzle.height())?;
    }
    run.begin();
    if let Some(position) = &start {
        let standing = standing(run, &puzzle, position)?;
        if standing != Standing::Right {
            let checked = checked(&standing);
            let ending = match standing {
                Standing::Unsolvable => "none",
                Standing::Undecided(_) => "stopped",
                _ => "wrong",
            };
            run.send(
                "explained",
                &Explained {
                    ending,
                    steps: 0,
                    unknown: position.unknown_cells(),
                    position: position.rows(),
                    wrong: checked.wrong,
                    stopped: match standing {
                        Standing::Undecided(stop) => Some(stop),
                        _ => None,
                    },
                    words: checked.words,
                },
            );
            return Ok(());
        }
    }
    let explained = run.engine.on_threads(|| {
        Explainer::new(&puzzle)
            .limits(run.limits())
            .position(start)
            .run(|step| {
                run.send("step", step);
                !question.hint
            })
    })?;
    let unknown = explained.position.unknown_cells();
    run.send(
        "explained",
        &Explained {
            ending: explained.ending.name(),
            steps: explained.steps,
            unknown,
            position: explained.position.rows(),
            wrong: Vec::new(),
            stopped: match explained.ending {
                Ending::Stopped(stop) => Some(stop),
                _ => None,
            },
            words: closing(explained.ending, explained.steps, unknown),
        },
    );
    Ok(())
}

pub(super) fn position(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    let Some(position) = question.position()? else {
        return Err(Refusal::bad("the question must have a position"));
    };
    position.check_size(puzzle.width(), puzzle.height())?;
    run.begin();
    let standing = standing(run, &puzzle, &position)?;
    run.send("position", &checked(&standing));
    Ok(())
}

fn standing(run: &Run<'_>, puzzle: &Puzzle, position: &Position) -> Result<Standing, Refusal> {
    let limits = run.limits();
    let standing = run.engine.on_threads(|| position.check(puzzle, &limits))?;
    Ok(standing)
}

fn checked(standing: &Standing) -> Checked {
    let (name, words) = match standing {
        Standing::Right => ("right", "There is no mistake.".to_owned()),
        Standing::Wrong(cells) if cells.len() == 1 => ("wrong", "One cell is wrong.".to_owned()),
        Standing::Wrong(cells) => ("wrong", format!("{} cells are wrong.", cells.len())),
        Standing::Together => (
            "together",
            "No solution agrees with all cells, although each of them is right in some solution."
                .to_owned(),
        ),
        Standing::Unsolvable => ("none", "The puzzle has no solution.".to_owned()),
        Standing::Undecided(_) => (
            "undecided",
            "Stopped before it was decided whether there is a mistake.".to_owned(),
        ),
    };
    let wrong: &[Cell] = match standing {
        Standing::Wrong(cells) => cells,
        _ => &[],
    };
    let places = wrong
        .iter()
        .map(|cell| [usize::from(cell.row) + 1, usize::from(cell.column) + 1]);
    Checked {
        standing: name,
        wrong: places.collect(),
        words,
    }
}

/// The last sentence of an explanation.
fn closing(ending: Ending, steps: usize, unknown: usize) -> String {
    let steps = plural(steps, "step");
    let remain = match unknown {
        1 => "One cell remains".to_owned(),
        unknown => format!("{unknown} cells remain"),
    };
    match ending {
        Ending::Solved => format!("Solved in {steps}."),
        Ending::Enough => format!("{remain} after {steps}."),
        Ending::Unsolvable(None) => "The puzzle has no solution.".to_owned(),
        Ending::Unsolvable(Some(line)) => {
            format!(
                "There is no way left to place the blocks of {line}: the puzzle has no solution."
            )
        }
        Ending::Several => {
            format!(
                "{remain} after {steps}: the puzzle has several solutions, so nothing more follows."
            )
        }
        Ending::Deeper => format!(
            "{remain} after {steps}: there is one solution, but trying single cells does not lead to it."
        ),
        Ending::Stopped(_) => format!("{remain} after {steps}: stopped."),
    }
}
