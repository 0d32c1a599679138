//! `omnogram repair`: the smallest edit of a picture that makes its puzzle unique.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use omnogram::Cell;
use omnogram::design::{self, Repaired, Revealed};
use omnogram::error::{Error, Result};
use omnogram::format;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::Limits;
use omnogram::solutions::Stop;

use super::answer::{self, NoExtra};
use super::inputs;
use super::options::{AnswerOptions, Puzzles, SearchOptions};
use super::output::Replacing;
use super::puzzle_output::{PuzzleOutput, Target, target};
use super::session::Session;
use super::status::{Answered, Status};
use super::words::{Subject, counted, why_unsolvable};

/// Find the smallest edit of a picture that makes its puzzle unique
///
/// The picture is that of an image, or the goal of a puzzle; of a puzzle without a goal it is one of the solutions. The picture is drawn
/// with the flipped cells marked: '+' is filled by the edit, '-' is emptied. The number of flips is always proven minimal up to three
/// flips, or up to --budget; beyond, where the proof is cheap. The text says which. Of several edits of the same size the one that hurts
/// the picture least is taken: one that leaves no lone pixels and breaks no outlines. Every edit is checked before it is printed. Give
/// --time for large pictures: the best edit found by then is printed.
///
/// With --json the object has `flips`, a list of [row, column] from 1, or null if no edit was found; `minimal`, whether it is proved that
/// fewer flips do not suffice; `none_within`, the largest number of flips that is proved not to suffice, or null; and `alternatives`, a
/// list of further edits. With --reveal it has `reveal` instead of `flips` and no alternatives.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram repair puzzles/pictures/key.non
  omnogram repair --line-solvable --alternatives 2 puzzles/pictures/key.non
  omnogram repair --only add --keep face.png --time 1m -o better.png portrait.png
  omnogram repair --reveal puzzles/pictures/key.non

Exit status: 0 if every picture was repaired, or is unique as it is; 1 if it is proved for some picture
that there is no such edit; 3 if some picture is undecided.")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,

    /// Flip at most this number of cells: prints such an edit, or that it is proved that there is none
    #[arg(long, value_name = "N")]
    budget: Option<usize>,

    /// Never flip the filled cells of this picture: an image, or a puzzle file with a goal, of the size of the picture. - is standard
    /// input
    #[arg(long, value_name = "MASK")]
    keep: Option<PathBuf>,

    /// Only add filled cells, or only remove them
    #[arg(long, value_name = "HOW")]
    only: Option<Only>,

    /// Make the puzzle solvable line by line, not only unique
    #[arg(long)]
    line_solvable: bool,

    /// Instead of an edit, find the smallest set of cells to give away at the start, so that the solution is unique; with --line-solvable,
    /// so that line solving finds it
    #[arg(long, conflicts_with_all = ["budget", "keep", "only", "alternatives", "output"])]
    reveal: bool,

    /// Print up to this number of further edits of the same size
    #[arg(long, value_name = "N", default_value = "0")]
    alternatives: usize,

    /// Write the repaired pictures to this file, in the format of its ending, with the edited picture as the goal; several puzzles into a
    /// pack, or into a folder, one file each
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of the repaired pictures, as convert writes them [default: that of the ending of FILE]
    #[arg(long, value_name = "FORMAT", value_parser = target, requires = "output")]
    to: Option<Target>,

    #[command(flatten)]
    replacing: Replacing,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

/// Which cells may be flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Fill empty cells
    Add,
    /// Empty filled cells
    Remove,
}

impl From<Only> for design::Only {
    fn from(only: Only) -> Self {
        match only {
            Only::Add => design::Only::Add,
            Only::Remove => design::Only::Remove,
        }
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let inputs = &options.puzzles.puzzles;
    let files: Vec<PathBuf> = options.keep.iter().cloned().collect();
    inputs::check_stdin_once(inputs, &files)?;
    let mask = mask(options.keep.as_deref())?;
    let output = options.output.as_deref();
    let output =
        output.map(|path| PuzzleOutput::new(path, options.to, options.replacing, inputs, &files));
    let mut output = output.transpose()?;
    let session =
        &Session::new(&options.search_options, &options.answer_options)?.also_reading(files);
    let status = session.answer_each(inputs, |subject| {
        answer(session, subject, options, mask.as_ref(), output.as_mut())
    })?;
    let Some(mut output) = output else {
        return Ok(status);
    };
    let status = status.and(output.finish());
    Ok(status.max(output.end(options.answer_options.verbosity.quiet)))
}

/// The mask of `--keep`.
fn mask(path: Option<&Path>) -> Result<Option<Grid>> {
    let Some(path) = path else {
        return Ok(None);
    };
    let name = inputs::name(path);
    let bytes = inputs::read_file(path)?;
    let puzzle = format::read_one(&bytes, &name)?;
    match &puzzle.notes().goal {
        Some(mask) => Ok(Some(mask.clone())),
        None => Err(Error::data("this puzzle has no goal, so it is no mask").in_file(&name)),
    }
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    mask: Option<&Grid>,
    output: Option<&mut PuzzleOutput>,
) -> Answered {
    let started = Instant::now();
    let size = |width: usize, height: usize| format!("{width}x{height}");
    let own = (subject.puzzle.width(), subject.puzzle.height());
    if let Some(mask) = mask.filter(|mask| (mask.width(), mask.height()) != own) {
        let message = format!(
            "the picture is {}, the mask of --keep {}",
            size(own.0, own.1),
            size(mask.width(), mask.height())
        );
        let error = Error::data(message).in_file(subject.raw_name);
        return session.skip(subject.raw_name, &error);
    }
    let (picture, stopped) = picture(session, subject);
    let Some(picture) = picture else {
        return no_picture(session, subject, stopped);
    };
    let limits = session.limits_since(started);
    if options.reveal {
        answer_reveal(session, subject, options, &picture, limits)
    } else {
        answer_repair(session, subject, options, (&picture, mask), limits, output)
    }
}

/// The picture to repair: the goal, or else a solution. Without one, the reason for which the search for a solution stopped.
fn picture(session: &Session, subject: &Subject<'_>) -> (Option<Grid>, Option<Stop>) {
    if let Some(goal) = &subject.puzzle.notes().goal {
        return (Some(goal.clone()), None);
    }
    let (solution, outcome) =
        session.search(subject, session.limits(), true, |search| search.solve());
    if solution.is_some() {
        let name = subject.label();
        session.note(&format!(
            "{name}: no goal in this file: its first solution is taken as the picture"
        ));
    }
    (solution, outcome.stopped)
}

/// The answer for a puzzle without a goal and without a known solution.
fn no_picture(session: &Session, subject: &Subject<'_>, stopped: Option<Stop>) -> Answered {
    if session.json() {
        let message = match stopped {
            Some(stop) => format!("no picture: {}", session.stop_reason(stop, None)),
            None => "no picture: neither a goal nor a solution".to_owned(),
        };
        session.print(&answer::error_line(subject.raw_name, &Error::data(message)))?;
    }
    let name = subject.label();
    let why = match stopped {
        Some(stop) => format!("no solution found yet, {}", session.stop_reason(stop, None)),
        None => match why_unsolvable(subject.puzzle) {
            Some(why) => format!("no goal and no solution ({why})"),
            None => "no goal and no solution".to_owned(),
        },
    };
    session.note(&format!("{name}: {why}, so there is no picture to repair"));
    Ok(match stopped {
        Some(_) => Status::Stopped,
        None => Status::NotUnique,
    })
}

fn answer_repair(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    (picture, mask): (&Grid, Option<&Grid>),
    limits: Limits,
    output: Option<&mut PuzzleOutput>,
) -> Answered {
    let repaired = session.run_observed(subject, true, |observer| {
        let mut repair = design::Repair::new(picture)
            .keep(mask)
            .only(options.only.map(design::Only::from))
            .line_solvable(options.line_solvable)
            .budget(options.budget)
            .alternatives(options.alternatives)
            .limits(limits);
        if let Some(observer) = observer {
            repair = repair.observer(observer);
        }
        repair.run()
    });
    if session.json() {
        session.print(&answer::answer_line(subject, &repaired, NoExtra {}))?
    } else {
        session.print(&text(session, subject, options, picture, &repaired))?
    }
    let name = subject.label();
    match (&repaired.flips, output) {
        (Some(flips), Some(output)) => {
            let puzzle = edited(subject.puzzle, picture, flips);
            output.add(subject.raw_name.to_owned(), puzzle)?;
        }
        (None, Some(_)) => session.note(&format!("{name}: not repaired, so not written")),
        (_, None) => {}
    }
    Ok(match &repaired.flips {
        Some(_) => Status::Complete,
        None if is_proved_impossible(options, picture, &repaired) => Status::NotUnique,
        None => Status::Stopped,
    })
}

/// Whether it is proved that there is no edit within the budget.
fn is_proved_impossible(options: &Options, picture: &Grid, repaired: &Repaired) -> bool {
    let all = picture.width() * picture.height();
    repaired.flips.is_none() && repaired.none_within >= Some(options.budget.unwrap_or(all).min(all))
}

/// The puzzle of the edited picture, with the notes of the original one.
fn edited(puzzle: &Puzzle, picture: &Grid, flips: &[Cell]) -> Puzzle {
    let mut edited = picture.clone();
    for cell in flips {
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        edited.set(row, column, !picture.get(row, column));
    }
    let notes = puzzle.notes().clone().goal(edited.clone());
    let edited = Puzzle::from_grid(&edited);
    edited.with_notes(notes).expect("the goal has its size")
}

/// The answer as text: a sentence, the picture with the flipped cells marked, and the alternatives.
fn text(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    picture: &Grid,
    repaired: &Repaired,
) -> String {
    let name = subject.label();
    let good = if options.line_solvable {
        "solvable line by line"
    } else {
        "unique"
    };
    let why = match repaired.stopped {
        Some(stop) => format!(" ({})", session.stop_reason(stop, None)),
        None => String::new(),
    };
    let Some(flips) = &repaired.flips else {
        if is_proved_impossible(options, picture, repaired) {
            let edit = match options.budget {
                Some(budget) => format!("no edit of up to {}", counted(budget as u64, "cell")),
                None => "no edit".to_owned(),
            };
            return format!("{name}: {edit} makes it {good}: proven\n");
        }
        let proved = match repaired.none_within {
            None | Some(0) => String::new(),
            Some(within) => format!(
                "; no edit of up to {} makes it {good}",
                counted(within as u64, "cell")
            ),
        };
        return format!("{name}: no edit found{why}{proved}\n");
    };
    if flips.is_empty() {
        return format!("{name}: {good} as it is\n");
    }
    let proof = match (repaired.minimal, repaired.none_within) {
        (true, _) => "proven minimal".to_owned(),
        (false, Some(within)) if within > 0 => {
            format!("at least {} are needed{why}", within + 1)
        }
        (false, _) => format!("not proven minimal{why}"),
    };
    let cells = counted(flips.len() as u64, "cell");
    let mut text = format!(
        "{name}: {cells} flipped, {proof}: {}\n\n",
        list(picture, flips)
    );
    text.push_str(&marked(picture, flips));
    let marks = [
        (false, "+ filled by the edit"),
        (true, "- emptied by the edit"),
    ];
    let used = marks.into_iter().filter(|(was_filled, _)| {
        let is_it = |cell: &Cell| is_filled(picture, *cell) == *was_filled;
        flips.iter().any(is_it)
    });
    let used: Vec<&str> = used.map(|(_, mark)| mark).collect();
    text.push_str(&format!("\n  {}\n", used.join(", ")));
    for other in &repaired.alternatives {
        text.push_str(&format!("\n  or {}", list(picture, other)));
    }
    if !repaired.alternatives.is_empty() {
        text.push('\n');
    }
    if subject.several {
        text.push('\n');
    }
    text
}

fn is_filled(picture: &Grid, cell: Cell) -> bool {
    picture.get(usize::from(cell.row), usize::from(cell.column))
}

/// `add row 4 column 7, remove row 9 column 2`
fn list(picture: &Grid, flips: &[Cell]) -> String {
    let flip = |cell: &Cell| {
        let how = if is_filled(picture, *cell) {
            "remove"
        } else {
            "add"
        };
        format!("{how} row {} column {}", cell.row + 1, cell.column + 1)
    };
    flips.iter().map(flip).collect::<Vec<_>>().join(", ")
}

/// The picture with these cells marked: '+' where it is empty, '-' where it is filled.
fn marked(picture: &Grid, cells: &[Cell]) -> String {
    let mut text = String::new();
    for row in 0..picture.height() {
        text.push_str("  ");
        for column in 0..picture.width() {
            let cell = Cell::new(row, column);
            text.push(
                match (picture.get(row, column), cells.binary_search(&cell)) {
                    (true, Ok(_)) => '-',
                    (false, Ok(_)) => '+',
                    (true, Err(_)) => '#',
                    (false, Err(_)) => '.',
                },
            );
        }
        text.push('\n');
    }
    text
}

fn answer_reveal(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    picture: &Grid,
    limits: Limits,
) -> Answered {
    let revealed = session.run_observed(subject, true, |observer| {
        let mut repair = design::Repair::new(picture)
            .line_solvable(options.line_solvable)
            .limits(limits);
        if let Some(observer) = observer {
            repair = repair.observer(observer);
        }
        repair.reveal()
    });
    if session.json() {
        session.print(&answer::answer_line(subject, &revealed, NoExtra {}))?
    } else {
        session.print(&reveal_text(session, subject, options, picture, &revealed))?
    }
    Ok(match revealed.cells {
        Some(_) => Status::Complete,
        None => Status::Stopped,
    })
}

/// The answer to `--reveal` as text: a sentence, and the picture with only the cells given away.
fn reveal_text(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    picture: &Grid,
    revealed: &Revealed,
) -> String {
    let name = subject.label();
    let good = if options.line_solvable {
        "solvable line by line"
    } else {
        "unique"
    };
    let why = match revealed.stopped {
        Some(stop) => format!(" ({})", session.stop_reason(stop, None)),
        None => String::new(),
    };
    let least = revealed.none_within.map_or(0, |within| within + 1);
    let Some(cells) = &revealed.cells else {
        return format!("{name}: at least {least} cells must be given away{why}\n");
    };
    if cells.is_empty() {
        return format!("{name}: {good} as it is\n");
    }
    let proof = if revealed.minimal {
        "proven minimal".to_owned()
    } else {
        format!("at least {least} are needed{why}")
    };
    let given = counted(cells.len() as u64, "cell");
    let mut text = format!("{name}: {good} with {given} given away, {proof}\n\n");
    for row in 0..picture.height() {
        text.push_str("  ");
        for column in 0..picture.width() {
            let is_given = cells.binary_search(&Cell::new(row, column)).is_ok();
            text.push(match (is_given, picture.get(row, column)) {
                (false, _) => '?',
                (true, true) => '#',
                (true, false) => '.',
            });
        }
        text.push('\n');
    }
    if subject.several {
        text.push('\n');
    }
    text
}
