//! `omnogram repair`: the smallest edit of a picture that makes its puzzle unique.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use omnogram::Cell;
use omnogram::design::{Only, Repair, Repaired, Revealed};
use omnogram::error::{Error, Result};
use omnogram::format;
use omnogram::puzzle::{Grid, Position, Puzzle};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::corrections::Proposals;
use super::inputs;
use super::json::error_line;
use super::options::PuzzleOptions;
use super::output::{Replacing, print};
use super::puzzle_output::{PuzzleOutput, Target, target};
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::{Subject, counted};

/// Find the smallest edit of a picture that makes its puzzle unique
///
/// The picture is that of an image, or the goal of a puzzle; of a puzzle without a goal it is one of the solutions. If there is none, clues
/// are repaired instead: the fewest are named, one or two, whose change makes the puzzle solvable, nearest first. The picture is drawn
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
    #[arg(long, conflicts_with_all = ["budget", "keep", "only", "alternatives"])]
    reveal: bool,

    /// Print up to this number of further edits of the same size
    #[arg(long, value_name = "N", default_value = "0")]
    alternatives: usize,

    /// Write the repaired pictures to this file, in the format of its ending, with the edited picture as the goal, or with --reveal the
    /// puzzles with their given cells; several puzzles into a pack, or into a folder, one file each
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of the repaired pictures, as convert writes them [default: that of the ending of FILE]
    #[arg(long, value_name = "FORMAT", value_parser = target, requires = "output")]
    to: Option<Target>,

    #[command(flatten)]
    replacing: Replacing,
    #[command(flatten)]
    common: PuzzleOptions,
}

pub(super) fn run(options: &Options) -> Answered {
    let puzzles = options.common.puzzles();
    let files = options.keep.as_slice();
    inputs::check_stdin_once(puzzles, files)?;
    let mask = options.keep.as_deref().map(read_mask).transpose()?;
    let inputs = &options.common.inputs();
    let open =
        |path: &PathBuf| PuzzleOutput::new(path, options.to, options.replacing, inputs, files);
    let mut output = options.output.as_ref().map(open).transpose()?;
    let session = &Session::for_puzzles(&options.common)?.also_reading(files);
    let status = session.answer_each(puzzles, |subject| {
        answer(session, subject, options, mask.as_ref(), output.as_mut())
    })?;
    let Some(mut output) = output else {
        return Ok(status);
    };
    let status = status.and(output.finish());
    Ok(status.max(output.end(options.common.answer_options.verbosity.quiet)))
}

fn read_mask(path: &Path) -> Result<Grid> {
    let name = inputs::name(path);
    let puzzle = format::read_one(&inputs::read_file(path)?, &name)?;
    let goal = puzzle.notes().goal.clone();
    goal.ok_or_else(|| Error::data("this puzzle has no goal, so it is no mask").in_file(&name))
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    mask: Option<&Grid>,
    output: Option<&mut PuzzleOutput>,
) -> Answered {
    let started = Instant::now();
    let (width, height) = (subject.puzzle.width(), subject.puzzle.height());
    if let Some(mask) = mask.filter(|mask| (mask.width(), mask.height()) != (width, height)) {
        let message = format!(
            "the picture is {width}x{height}, the mask of --keep {}x{}",
            mask.width(),
            mask.height()
        );
        let error = Error::data(message).in_file(subject.raw_name);
        return session.answer_with_error(subject.raw_name, &error);
    }
    let (picture, stopped) = picture(session, subject);
    let Some(picture) = picture else {
        return match stopped {
            Some(stop) => no_picture(session, subject, stop),
            None => correct(session, subject, output),
        };
    };
    let repair = match Repair::new(&picture).given(subject.puzzle.given()) {
        Ok(repair) => repair,
        Err(error) => {
            return session.answer_with_error(subject.raw_name, &error.in_file(subject.raw_name));
        }
    };
    let repair = repair
        .keep(mask)
        .only(options.only)
        .line_solvable(options.line_solvable)
        .budget(options.budget)
        .alternatives(options.alternatives)
        .limits(session.limits_since(started));
    if options.reveal {
        let revealed = PictureAnswer {
            subject,
            result: observed(session, subject, repair, |repair| repair.reveal()),
            options,
            picture: &picture,
        };
        let status = session.answer(&revealed)?;
        let cells = revealed.result.cells.as_ref();
        let puzzle = cells.map(|cells| with_revealed(subject.puzzle, &picture, cells));
        write(session, subject, output, puzzle)?;
        return Ok(status);
    }
    let repaired = PictureAnswer {
        subject,
        result: observed(session, subject, repair, |repair| repair.run()),
        options,
        picture: &picture,
    };
    let status = session.answer(&repaired)?;
    let flips = repaired.result.flips.as_ref();
    let puzzle = flips.map(|flips| edited(subject.puzzle, &picture, flips));
    write(session, subject, output, puzzle)?;
    Ok(status)
}

/// Writes the repaired puzzle, if there is one and an output for it.
fn write(
    session: &Session,
    subject: &Subject<'_>,
    output: Option<&mut PuzzleOutput>,
    puzzle: Option<Puzzle>,
) -> Answered<()> {
    match (puzzle, output) {
        (Some(puzzle), Some(output)) => output.add(subject.raw_name.to_owned(), puzzle),
        (None, Some(_)) => {
            let name = subject.label();
            session.note(&format!("{name}: not repaired, so not written"));
            Ok(())
        }
        (_, None) => Ok(()),
    }
}

/// Runs something with progress.
fn observed<T: Send>(
    session: &Session,
    subject: &Subject<'_>,
    repair: Repair<'_>,
    run: impl FnOnce(&Repair<'_>) -> T + Send,
) -> T {
    session.run_observed(subject.name, true, |observer| match observer {
        Some(observer) => run(&repair.observer(observer)),
        None => run(&repair),
    })
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

/// The answer for a puzzle that has no solution: which clues to change. The nearest change that makes it unique is written.
fn correct(
    session: &Session,
    subject: &Subject<'_>,
    output: Option<&mut PuzzleOutput>,
) -> Answered {
    let corrected = Corrected {
        subject,
        corrections: Proposals::find(session, subject),
    };
    let status = session.answer(&corrected)?;
    let unique = corrected.corrections.unique();
    let puzzle = unique.map(|correction| correction.apply(subject.puzzle));
    write(session, subject, output, puzzle)?;
    Ok(status)
}

#[derive(Serialize)]
struct Corrected<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    corrections: Proposals<'a>,
}

impl Answer for Corrected<'_> {
    fn status(&self) -> Status {
        match (self.corrections.unique(), self.corrections.stopped()) {
            (Some(_), _) => Status::Complete,
            (None, None) => Status::NotUnique,
            (None, Some(_)) => Status::Stopped,
        }
    }

    fn text(&self, _: &Session) -> String {
        let (name, why) = (self.subject.label(), self.subject.why_no_solution());
        format!(
            "{name}: no solution{why}\n{}{}",
            self.corrections.text(),
            self.subject.blank_line()
        )
    }
}

/// The answer for a puzzle without a goal, the search for whose solution was stopped.
fn no_picture(session: &Session, subject: &Subject<'_>, stop: Stop) -> Answered {
    let reason = session.stop_reason(stop, None);
    if session.is_json() {
        let error = Error::data(format!("no picture: {reason}"));
        print(&error_line(subject.raw_name, &error))?;
    }
    let name = subject.label();
    session.note(&format!(
        "{name}: no solution found yet, {reason}, so there is no picture to repair"
    ));
    Ok(Status::Stopped)
}

#[derive(Serialize)]
struct PictureAnswer<'a, T> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    result: T,
    #[serde(skip)]
    options: &'a Options,
    #[serde(skip)]
    picture: &'a Grid,
}

impl<T> PictureAnswer<'_, T> {
    fn wanted(&self) -> &'static str {
        if self.options.line_solvable {
            "solvable line by line"
        } else {
            "unique"
        }
    }
}

impl PictureAnswer<'_, Repaired> {
    /// Whether it is proved that there is no edit within the budget.
    fn is_proved_impossible(&self) -> bool {
        let all = self.picture.width() * self.picture.height();
        let budget = self.options.budget.unwrap_or(all).min(all);
        self.result.flips.is_none() && self.result.none_within >= Some(budget)
    }
}

impl Answer for PictureAnswer<'_, Repaired> {
    fn status(&self) -> Status {
        match &self.result.flips {
            Some(_) => Status::Complete,
            None if self.is_proved_impossible() => Status::NotUnique,
            None => Status::Stopped,
        }
    }

    /// A sentence, the picture with the flipped cells marked, and the alternatives.
    fn text(&self, session: &Session) -> String {
        let (name, picture, repaired) = (self.subject.label(), self.picture, &self.result);
        let (wanted, why) = (self.wanted(), session.why_stopped(repaired.stopped, None));
        let up_to = |cells: usize| format!("no edit of up to {}", counted(cells as u64, "cell"));
        let Some(flips) = &repaired.flips else {
            if self.is_proved_impossible() {
                let edit = self.options.budget.map_or("no edit".to_owned(), up_to);
                return format!("{name}: {edit} makes it {wanted}: proven\n");
            }
            let proved = match repaired.none_within {
                None | Some(0) => String::new(),
                Some(within) => format!("; {} makes it {wanted}", up_to(within)),
            };
            return format!("{name}: no edit found{why}{proved}\n");
        };
        if flips.is_empty() {
            return format!("{name}: {wanted} as it is\n");
        }
        let proof = match (repaired.minimal, repaired.none_within) {
            (true, _) => "proven minimal".to_owned(),
            (false, Some(within)) if within > 0 => {
                format!("at least {} are needed{why}", within + 1)
            }
            (false, _) => format!("not proven minimal{why}"),
        };
        let cells = counted(flips.len() as u64, "cell");
        let list = flip_list(picture, flips);
        let mut text = format!("{name}: {cells} flipped, {proof}: {list}\n\n");
        text += &drawn(picture, |cell| {
            match (is_filled(picture, cell), flips.binary_search(&cell)) {
                (true, Ok(_)) => '-',
                (false, Ok(_)) => '+',
                (true, Err(_)) => '#',
                (false, Err(_)) => '.',
            }
        });
        let removes = |cell: &Cell| is_filled(picture, *cell);
        text += match (flips.iter().all(removes), flips.iter().any(removes)) {
            (true, _) => "\n  - emptied by the edit\n",
            (_, false) => "\n  + filled by the edit\n",
            (false, true) => "\n  + filled by the edit, - emptied by the edit\n",
        };
        for other in &repaired.alternatives {
            text += &format!("\n  or {}", flip_list(picture, other));
        }
        if !repaired.alternatives.is_empty() {
            text.push('\n');
        }
        text + self.subject.blank_line()
    }
}

impl Answer for PictureAnswer<'_, Revealed> {
    fn status(&self) -> Status {
        match self.result.cells {
            Some(_) => Status::Complete,
            None => Status::Stopped,
        }
    }

    /// A sentence, and the picture with only the cells given away.
    fn text(&self, session: &Session) -> String {
        let (name, revealed) = (self.subject.label(), &self.result);
        let (wanted, why) = (self.wanted(), session.why_stopped(revealed.stopped, None));
        let least = revealed.none_within.map_or(0, |within| within + 1);
        let Some(cells) = &revealed.cells else {
            return format!("{name}: at least {least} cells must be given away{why}\n");
        };
        if cells.is_empty() {
            return format!("{name}: {wanted} as it is\n");
        }
        let proof = if revealed.minimal {
            "proven minimal".to_owned()
        } else {
            format!("at least {least} are needed{why}")
        };
        let given = counted(cells.len() as u64, "cell");
        let picture = drawn(self.picture, |cell| {
            match (cells.binary_search(&cell), is_filled(self.picture, cell)) {
                (Err(_), _) => '?',
                (Ok(_), true) => '#',
                (Ok(_), false) => '.',
            }
        });
        let blank = self.subject.blank_line();
        format!("{name}: {wanted} with {given} given away, {proof}\n\n{picture}{blank}")
    }
}

/// The puzzle of the edited picture, with the notes of the original one.
pub(super) fn edited(puzzle: &Puzzle, picture: &Grid, flips: &[Cell]) -> Puzzle {
    let mut edited = picture.clone();
    for &cell in flips {
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        edited.set(row, column, !is_filled(picture, cell));
    }
    of_picture(puzzle, &edited, puzzle.given().cloned())
}

/// The puzzle of the picture, with the notes of the original one, and these cells given beside those that are given already.
pub(super) fn with_revealed(puzzle: &Puzzle, picture: &Grid, cells: &[Cell]) -> Puzzle {
    let unknown = || Position::unknown(picture.width(), picture.height());
    let mut given = puzzle.given().cloned().unwrap_or_else(unknown);
    for &cell in cells {
        let filled = is_filled(picture, cell);
        given.set(cell.row.into(), cell.column.into(), Some(filled));
    }
    of_picture(puzzle, picture, Some(given))
}

/// The puzzle of a picture with these given cells, and with the notes of another puzzle of its size.
fn of_picture(puzzle: &Puzzle, picture: &Grid, given: Option<Position>) -> Puzzle {
    let notes = puzzle.notes().clone().goal(picture.clone());
    let puzzle = Puzzle::from_grid(picture).with_notes(notes);
    let puzzle = puzzle.expect("the notes had this size before");
    match given {
        Some(given) => (puzzle.with_given(given)).expect("the size of the picture"),
        None => puzzle,
    }
}

fn is_filled(picture: &Grid, cell: Cell) -> bool {
    picture.get(usize::from(cell.row), usize::from(cell.column))
}

/// `add row 4 column 7, remove row 9 column 2`
fn flip_list(picture: &Grid, flips: &[Cell]) -> String {
    let flips = flips.iter().map(|&cell| {
        let how = if is_filled(picture, cell) {
            "remove"
        } else {
            "add"
        };
        format!("{how} row {} column {}", cell.row + 1, cell.column + 1)
    });
    flips.collect::<Vec<_>>().join(", ")
}

/// A picture of which each cell is drawn as this character.
fn drawn(picture: &Grid, character: impl Fn(Cell) -> char) -> String {
    let mut text = String::new();
    for row in 0..picture.height() {
        text.push_str("  ");
        text.extend((0..picture.width()).map(|column| character(Cell::new(row, column))));
        text.push('\n');
    }
    text
}
