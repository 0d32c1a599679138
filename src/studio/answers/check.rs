//! `check`: everything that the page shows after a stroke. The answer comes in parts, the quickest first: the cells that lines decide, the
//! verdict, and then, with several solutions, the regions and their number, or, with one, how the puzzle is solved.
//!
//! The regions need the backbone. Where that takes long, the page asks `count` too, so that a lower bound grows meanwhile.

use serde::Serialize;

use super::engine::Run;
use super::question::Question;
use super::refusal::Refusal;
use crate::design::{Ambiguity, Profile, Region};
use crate::puzzle::{Grid, Line, Position, Puzzle, verify};
use crate::run::Limits;
use crate::search::{Outcome, Search, Verdict};

/// What line solving finds.
#[derive(Serialize)]
struct LineFields {
    position: Vec<String>,
    unknown: usize,
    contradiction: Option<String>,
}

/// The verdict, and up to two solutions.
#[derive(Serialize)]
struct VerdictFields<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    /// Whether the picture is a solution; `None` without a picture.
    goal: Option<bool>,
    examples: &'a [Grid],
}

/// Where the puzzle is ambiguous.
#[derive(Serialize)]
struct RegionsFields<'a> {
    #[serde(flatten)]
    found: VerdictFields<'a>,
    backbone: Vec<String>,
    ambiguous: usize,
    undecided: usize,
    regions: Vec<RegionCells<'a>>,
    closest: Option<usize>,
    is_least: bool,
}

#[derive(Serialize)]
struct RegionCells<'a> {
    #[serde(flatten)]
    region: &'a Region,
    /// Its cells, as row * width + column, from 0.
    members: Vec<usize>,
}

/// How a puzzle is solved.
#[derive(Serialize)]
struct ProfileFields<'a> {
    #[serde(flatten)]
    profile: &'a Profile,
    words: String,
    /// The narrowest place: what is known there, and the lines that help.
    narrowest_position: Option<Vec<String>>,
    narrowest_lines: Vec<String>,
}

pub(super) fn check(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    let by_lines = Position::by_lines(&puzzle, &run.limits());
    run.send("lines", &lines(&by_lines, &puzzle));
    let goal = puzzle.notes().goal.as_ref();
    let is_solution = goal.map(|goal| verify(&puzzle, goal).is_ok());
    let observer = |snapshot| run.progress(snapshot);
    let search = Search::new(&puzzle)
        .limits(run.limits())
        .observer(&observer);
    let (examples, mut outcome) = run.engine.on_threads(|| match goal {
        Some(goal) => search.second(goal),
        None => search.first(2),
    });
    let verdict = outcome.solutions.verdict();
    if verdict == Verdict::Multiple {
        // Two solutions are enough for the verdict, so nothing was left undone.
        outcome.stopped = None;
    }
    let found = |outcome, examples| VerdictFields {
        outcome,
        goal: is_solution,
        examples,
    };
    run.send("verdict", &found(&outcome, &examples));
    match verdict {
        Verdict::Multiple => {
            let ambiguity = survey(run, &puzzle);
            let found = found(&ambiguity.outcome, &ambiguity.solutions);
            run.send("regions", &regions(&ambiguity, found));
        }
        Verdict::Unique => {
            let profile = Profile::of_unique(&puzzle, &run.limits());
            run.send("profile", &solved(&profile, &puzzle, &run.limits()));
        }
        _ => {}
    }
    Ok(())
}

/// The regions of a puzzle with several solutions.
fn survey(run: &Run<'_>, puzzle: &Puzzle) -> Ambiguity {
    let table = run.engine.table();
    let observer = |snapshot| run.progress(snapshot);
    let search = Search::new(puzzle).limits(run.limits()).observer(&observer);
    (run.engine).on_threads(|| Ambiguity::sharing(&search, &table))
}

fn lines(by_lines: &Result<Position, Line>, puzzle: &Puzzle) -> LineFields {
    let (position, contradiction) = match by_lines {
        Ok(position) => (position.clone(), None),
        Err(line) => (known_from_start(puzzle), Some(line.to_string())),
    };
    LineFields {
        position: position.rows(),
        unknown: position.unknown_cells(),
        contradiction,
    }
}

/// The given cells alone.
fn known_from_start(puzzle: &Puzzle) -> Position {
    let unknown = || Position::unknown(puzzle.width(), puzzle.height());
    puzzle.given().cloned().unwrap_or_else(unknown)
}

fn regions<'a>(ambiguity: &'a Ambiguity, found: VerdictFields<'a>) -> RegionsFields<'a> {
    let width = ambiguity.backbone.ambiguous.width();
    let regions = ambiguity.regions.iter().map(|region| {
        let cells = region.cells.iter();
        let members = cells.map(|cell| usize::from(cell.row) * width + usize::from(cell.column));
        RegionCells {
            region,
            members: members.collect(),
        }
    });
    RegionsFields {
        found,
        backbone: (ambiguity.backbone.to_string().lines())
            .map(str::to_owned)
            .collect(),
        ambiguous: ambiguity.backbone.differing(),
        undecided: ambiguity.backbone.undecided(),
        regions: regions.collect(),
        closest: ambiguity.closest(),
        is_least: ambiguity.is_least,
    }
}

fn solved<'a>(profile: &'a Profile, puzzle: &Puzzle, limits: &Limits) -> ProfileFields<'a> {
    let place = profile.narrowest_place(puzzle, limits);
    ProfileFields {
        profile,
        words: profile.to_string(),
        narrowest_position: place.as_ref().map(|(position, _)| position.rows()),
        narrowest_lines: place
            .iter()
            .flat_map(|(_, lines)| lines.iter().map(Line::to_string))
            .collect(),
    }
}
