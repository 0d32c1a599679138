//! The content of a drawing by `omnogram show`: the unsolved puzzle, solutions, the backbone, or the share of solutions in which each cell
//! is filled. All but the first are searched for within the limits; if the search fails, the unsolved puzzle is drawn and the reason
//! printed.

use std::mem;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use omnogram::error::Error;
use omnogram::format;
use omnogram::puzzle::{Grid, verify};
use omnogram::render::{Drawing, Letters, Mark, Sheet, Sides};
use omnogram::search::Verdict;
use omnogram::solutions::Stop;

use super::session::Session;
use super::status::{Answered, Status};
use super::words::{Subject, counted};
use super::{inputs, messages, shares};

/// The content to draw; none of these options: the unsolved puzzle.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("grids").args(["solution", "solutions", "solutions_from", "goal"]).multiple(true)))]
#[command(group(ArgGroup::new("what").args(["solution", "solutions", "goal", "ambiguous", "heat"])))]
pub(super) struct Content {
    /// Draw the first solution found
    #[arg(long)]
    solution: bool,

    /// Draw this many solutions side by side, or all if there are fewer; end: in PDF the puzzles first, and a solution of each on the pages
    /// after all puzzles
    #[arg(long, value_name = "N|end", value_parser = solutions)]
    solutions: Option<Solutions>,

    /// Draw the solutions in this file, a list as written by enumerate: the first N with --solutions N, otherwise up to 100. - is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["solution", "goal", "ambiguous", "heat"])]
    pub(super) solutions_from: Option<PathBuf>,

    /// Draw the goal that the puzzle file gives
    #[arg(long)]
    goal: bool,

    /// Draw the cells that are the same in every solution, and ambiguous cells chequered
    #[arg(long)]
    ambiguous: bool,

    /// Draw the share of solutions in which each cell is filled
    #[arg(long)]
    heat: bool,

    /// Draw the cells of each block of a row, or of a column, with a letter: A, B, C in the order of the clue
    #[arg(long, value_name = "LINES", num_args = 0..=1, require_equals = true, default_missing_value = "rows", requires = "grids")]
    letters: Option<Letters>,

    /// The sides of the grid on which the clues stand; several solutions side by side have none
    #[arg(
        long,
        value_name = "SIDES",
        default_value = "left-top",
        ignore_case = true,
        conflicts_with = "no_clues"
    )]
    clues: Sides,

    /// Leave out the clues
    #[arg(long)]
    no_clues: bool,
}

/// The value of `--solutions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Solutions {
    /// Up to this number, side by side.
    Number(u16),
    /// One, after all puzzles.
    End,
}

fn solutions(text: &str) -> Result<Solutions, String> {
    if text.eq_ignore_ascii_case("end") {
        return Ok(Solutions::End);
    }
    let number = text.parse().ok().filter(|&number| number > 0);
    number
        .map(Solutions::Number)
        .ok_or_else(|| format!("expected a number from 1 to {}, or end", u16::MAX))
}

/// Most solutions of a list that are drawn without `--solutions`.
const DEFAULT_MAX_LISTED: usize = 100;

/// A sheet, and the status of the search for its content.
#[derive(Debug)]
pub(super) struct Drawn<'a> {
    pub(super) sheet: Sheet<'a>,
    pub(super) status: Status,
    /// The heading of the content, if it reveals the solution; `None` for the unsolved puzzle.
    pub(super) reveals: Option<&'static str>,
}

pub(super) fn unsolved_sheet<'a>(subject: &Subject<'a>) -> Sheet<'a> {
    subject
        .titled_sheet()
        .drawings([Drawing::blank(subject.puzzle)])
}

impl Content {
    /// Whether solutions are drawn after all puzzles.
    pub(super) fn at_end(&self) -> bool {
        self.solutions == Some(Solutions::End)
    }

    /// The number of solutions that is asked for, if it is.
    fn number(&self) -> Option<usize> {
        match self.solutions? {
            Solutions::Number(number) => Some(number.into()),
            Solutions::End => None,
        }
    }

    /// The unsolved puzzle.
    pub(super) fn unsolved_sheet<'a>(&self, subject: &Subject<'a>) -> Sheet<'a> {
        let drawing = Drawing::blank(subject.puzzle).clues_on(self.clues);
        subject.titled_sheet().drawings([drawing])
    }

    pub(super) fn draw<'a>(&self, session: &Session, subject: &Subject<'a>) -> Answered<Drawn<'a>> {
        let mut drawn = if self.ambiguous {
            draw_backbone(session, subject)
        } else if self.heat {
            draw_shares(session, subject)
        } else {
            self.grids(session, subject)?
        };
        // Several drawings stand side by side without clues.
        let drawings = &mut drawn.sheet.drawings;
        let has_none = drawings.len() > 1 || self.no_clues;
        let with_clues = mem::take(drawings).into_iter();
        *drawings = with_clues
            .map(|drawing| match has_none {
                true => drawing.without_clues(),
                false => drawing.clues_on(self.clues),
            })
            .collect();
        Ok(drawn)
    }

    /// Draws solutions or the goal, or the unsolved puzzle.
    fn grids<'a>(&self, session: &Session, subject: &Subject<'a>) -> Answered<Drawn<'a>> {
        let puzzle = subject.puzzle;
        let (grids, status) = if let Some(file) = &self.solutions_from {
            (self.read_list(session, subject, file)?, Status::Complete)
        } else if self.goal {
            goal(subject)
        } else if self.solution || self.solutions.is_some() {
            find_solutions(session, subject, self.number().unwrap_or(1))
        } else {
            (Vec::new(), Status::Complete)
        };
        if grids.is_empty() {
            return Ok(unsolved(subject, status));
        }
        let several = grids.len() > 1;
        let drawings = grids.iter().enumerate().map(|(i, grid)| {
            let drawing = match self.letters {
                None => Drawing::solution(puzzle, grid),
                Some(letters) => Drawing::lettered(puzzle, grid, letters),
            };
            if several {
                drawing.captioned((i + 1).to_string())
            } else {
                drawing
            }
        });
        Ok(Drawn {
            sheet: subject.titled_sheet().drawings(drawings),
            status,
            reveals: Some(if several { "Solutions" } else { "Solution" }),
        })
    }

    /// Reads and verifies the solutions of a list.
    fn read_list(
        &self,
        session: &Session,
        subject: &Subject<'_>,
        file: &Path,
    ) -> Answered<Vec<Grid>> {
        let Subject { name, puzzle, .. } = subject;
        subject.require_single("--solutions-from is for one puzzle, and there are several")?;
        let called = inputs::name(file);
        let most = self.number().unwrap_or(DEFAULT_MAX_LISTED);
        let mut grids = Vec::new();
        let mut list = format::Solutions::new(inputs::open(file)?, &called);
        while let Some(grid) = session.interrupt.while_reading(|| list.next()) {
            let grid = grid?;
            if grids.len() == most {
                if self.number().is_none() {
                    session.note(&format!(
                        "{called}: only the first {most} solutions are drawn"
                    ));
                }
                break;
            }
            if let Err(mismatch) = verify(puzzle, &grid) {
                let line = list.line();
                let message = format!("{called}:{line}: not a solution of {name}: {mismatch}");
                return Err(Error::data(message).into());
            }
            grids.push(grid);
        }
        if grids.is_empty() {
            session.note(&format!("{called}: no solutions in this list"));
        }
        Ok(grids)
    }
}

/// The goal that the puzzle file gives, or a printed error.
fn goal(subject: &Subject<'_>) -> (Vec<Grid>, Status) {
    match &subject.puzzle.notes().goal {
        Some(goal) => (vec![goal.clone()], Status::Complete),
        None => {
            let error = Error::data("this file gives no goal").in_file(subject.name);
            (Vec::new(), messages::error(&error))
        }
    }
}

/// Up to `most` solutions, in canonical order.
fn find_solutions(session: &Session, subject: &Subject<'_>, most: usize) -> (Vec<Grid>, Status) {
    let (mut grids, outcome) =
        session.search(subject, session.limits(), true, |search| search.first(most));
    grids.sort_unstable();
    let status = match outcome.stopped {
        Some(stop) if grids.len() < most => {
            let found = match grids.len() {
                0 => "undecided,".to_owned(),
                few => format!("at least {},", counted(few as u64, "solution")),
            };
            note_stop(session, subject, &found, stop)
        }
        _ if grids.is_empty() => note_no_solution(session, subject),
        _ => Status::Complete,
    };
    (grids, status)
}

/// Prints how far a search came that was stopped.
fn note_stop(session: &Session, subject: &Subject<'_>, found: &str, stop: Stop) -> Status {
    let why = session.stop_reason(stop, None);
    session.note(&format!("{}: {found} {why}", subject.name));
    Status::Stopped
}

fn note_no_solution(session: &Session, subject: &Subject<'_>) -> Status {
    let why = subject.why_no_solution();
    session.note(&format!("{}: no solution{why}", subject.name));
    Status::Complete
}

fn draw_backbone<'a>(session: &Session, subject: &Subject<'a>) -> Drawn<'a> {
    let (backbone, outcome) =
        session.search(subject, session.limits(), true, |search| search.backbone());
    let status = match outcome.stopped {
        Some(stop) => {
            let open = counted(backbone.undecided() as u64, "cell");
            note_stop(session, subject, &format!("{open} undecided,"), stop)
        }
        None if outcome.solutions.verdict() == Verdict::None => {
            return unsolved(subject, note_no_solution(session, subject));
        }
        None => Status::Complete,
    };
    let marks = [
        (&backbone.filled, Mark::Filled),
        (&backbone.empty, Mark::Empty),
        (&backbone.ambiguous, Mark::Ambiguous),
    ];
    let filled = backbone.filled.filled();
    let empty = backbone.same() - filled;
    let legend = [
        (Mark::Filled, filled, "filled in every solution"),
        (Mark::Empty, empty, "empty in every solution"),
        (Mark::Ambiguous, backbone.differing(), "ambiguous"),
        (Mark::Unknown, backbone.undecided(), "undecided"),
    ];
    let shown = legend.into_iter().filter(|(_, cells, _)| *cells > 0);
    Drawn {
        sheet: subject
            .titled_sheet()
            .legend(shown.map(|(mark, _, words)| (mark, words.to_owned())))
            .drawings([Drawing::marked(subject.puzzle, &marks)]),
        status,
        reveals: Some("Ambiguous cells"),
    }
}

fn draw_shares<'a>(session: &Session, subject: &Subject<'a>) -> Drawn<'a> {
    let (cells, outcome) = shares::count_cells(session, subject);
    let status = match outcome.stopped {
        Some(stop) => {
            let found = format!("{} solutions, count not finished:", outcome.solutions);
            note_stop(session, subject, &found, stop)
        }
        None if cells.is_none() => note_no_solution(session, subject),
        None => Status::Complete,
    };
    let Some(cells) = cells else {
        return unsolved(subject, status);
    };
    Drawn {
        sheet: shares::sheet(subject, shares::drawing(subject.puzzle, &cells)),
        status,
        reveals: Some("How often each cell is filled"),
    }
}

/// The unsolved puzzle, instead of content that could not be found.
fn unsolved<'a>(subject: &Subject<'a>, status: Status) -> Drawn<'a> {
    Drawn {
        sheet: unsolved_sheet(subject),
        status,
        reveals: None,
    }
}
