//! The content of a drawing by `omnogram show`: the unsolved puzzle, solutions, the backbone, or the share of solutions in which each cell
//! is filled. All but the first are searched for within the limits; if the search fails, the unsolved puzzle is drawn and the reason
//! printed.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use omnogram::error::{Error, Kind};
use omnogram::format::Solutions;
use omnogram::puzzle::{Grid, verify};
use omnogram::render::{Drawing, Letters, Mark, Sheet};
use omnogram::search::{Outcome, Verdict};

use super::session::Session;
use super::status::{Failure, Status};
use super::words::{Subject, counted, why_unsolvable};
use super::{inputs, messages, shares};

/// The content to draw; none of these options: the unsolved puzzle.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("grids").args(["solution", "solutions", "solutions_from", "goal"]).multiple(true)))]
#[command(group(ArgGroup::new("what").args(["solution", "solutions", "goal", "ambiguous", "heat"])))]
pub(super) struct Content {
    /// Draw the first solution found
    #[arg(long)]
    solution: bool,

    /// Draw this many solutions side by side, or all if there are fewer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    solutions: Option<u16>,

    /// Draw the solutions in this file, a list as written by enumerate: the first N with --solutions N, otherwise up to 100. - is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["solution", "goal", "ambiguous", "heat"])]
    solutions_from: Option<PathBuf>,

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
    letters: Option<Lines>,

    /// Leave out the clues
    #[arg(long)]
    no_clues: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lines {
    Rows,
    Columns,
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

/// The unsolved puzzle.
pub(super) fn unsolved_sheet<'a>(subject: &Subject<'a>) -> Sheet<'a> {
    subject
        .titled_sheet()
        .drawings([Drawing::blank(subject.puzzle)])
}

impl Content {
    /// Whether clues are drawn: with a single drawing, unless `--no-clues` is given.
    fn draw_clues(&self, drawings: usize) -> bool {
        drawings == 1 && !self.no_clues
    }

    /// The file of solutions to read, if any.
    pub(super) fn list_file(&self) -> Option<&PathBuf> {
        self.solutions_from.as_ref()
    }

    /// Finds the content and draws it.
    pub(super) fn draw<'a>(
        &self,
        session: &Session,
        subject: &Subject<'a>,
    ) -> Result<Drawn<'a>, Failure> {
        let mut drawn = if self.ambiguous {
            draw_backbone(session, subject)
        } else if self.heat {
            draw_shares(session, subject)
        } else {
            self.grids(session, subject)?
        };
        let sheet = &mut drawn.sheet;
        if !self.draw_clues(sheet.drawings.len()) {
            let drawings = std::mem::take(&mut sheet.drawings);
            sheet.drawings = drawings.into_iter().map(Drawing::without_clues).collect();
        }
        Ok(drawn)
    }

    /// Draws solutions or the goal, or the unsolved puzzle.
    fn grids<'a>(&self, session: &Session, subject: &Subject<'a>) -> Result<Drawn<'a>, Failure> {
        let puzzle = subject.puzzle;
        let (grids, status) = if let Some(file) = &self.solutions_from {
            self.read_list(session, subject, file)?
        } else if self.goal {
            goal(subject)
        } else {
            match (self.solutions, self.solution) {
                (Some(most), _) => find_solutions(session, subject, usize::from(most)),
                (None, true) => find_solutions(session, subject, 1),
                (None, false) => (Vec::new(), Status::Complete),
            }
        };
        if grids.is_empty() {
            return Ok(Drawn {
                sheet: unsolved_sheet(subject),
                status,
                reveals: None,
            });
        }
        let several = grids.len() > 1;
        let draw = |(i, grid): (usize, &Grid)| {
            let drawing = match self.letters {
                None => Drawing::solution(puzzle, grid),
                Some(Lines::Rows) => Drawing::lettered(puzzle, grid, Letters::Rows),
                Some(Lines::Columns) => Drawing::lettered(puzzle, grid, Letters::Columns),
            };
            if several {
                drawing.captioned((i + 1).to_string())
            } else {
                drawing
            }
        };
        Ok(Drawn {
            sheet: subject
                .titled_sheet()
                .drawings(grids.iter().enumerate().map(draw)),
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
    ) -> Result<(Vec<Grid>, Status), Failure> {
        let Subject { name, puzzle, .. } = subject;
        let called = inputs::name(file);
        if subject.several {
            let message = "--solutions-from is for one puzzle, and there are several";
            return Err(Error::new(Kind::Usage, message).into());
        }
        let most = self.solutions.map_or(DEFAULT_MAX_LISTED, usize::from);
        let mut grids = Vec::new();
        let mut list = Solutions::new(open_list(file, &called)?, &called);
        while let Some(grid) = session.interrupt().while_reading(|| list.next()) {
            let grid = grid?;
            if grids.len() == most {
                if self.solutions.is_none() {
                    session.note(&format!(
                        "{called}: only the first {most} solutions are drawn"
                    ));
                }
                break;
            }
            if let Err(mismatch) = verify(puzzle, &grid) {
                let message = format!(
                    "{called}:{}: not a solution of {name}: {mismatch}",
                    list.line()
                );
                return Err(Error::data(message).into());
            }
            grids.push(grid);
        }
        if grids.is_empty() {
            session.note(&format!("{called}: no solutions in this list"));
        }
        Ok((grids, Status::Complete))
    }
}

/// Opens a list of solutions.
fn open_list(file: &Path, name: &str) -> Result<Box<dyn BufRead>, Error> {
    if inputs::is_stdin(file) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(file).map_err(|error| Error::io(name, error))?;
    Ok(Box::new(BufReader::new(file)))
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
                0 => "undecided".to_owned(),
                few => format!("at least {}", counted(few as u64, "solution")),
            };
            session.note(&format!(
                "{}: {found}, {}",
                subject.name,
                session.stop_reason(stop, None)
            ));
            Status::Stopped
        }
        _ => Status::Complete,
    };
    if grids.is_empty() && status == Status::Complete {
        note_no_solution(session, subject);
    }
    (grids, status)
}

/// Prints that there is no solution.
fn note_no_solution(session: &Session, subject: &Subject<'_>) {
    let why = why_unsolvable(subject.puzzle).map_or(String::new(), |why| format!(" ({why})"));
    session.note(&format!("{}: no solution{why}", subject.name));
}

/// Finds and draws the backbone and the ambiguous cells.
fn draw_backbone<'a>(session: &Session, subject: &Subject<'a>) -> Drawn<'a> {
    let (backbone, outcome) =
        session.search(subject, session.limits(), true, |search| search.backbone());
    let mut status = Status::Complete;
    if let Some(stop) = outcome.stopped {
        let open = counted(backbone.undecided() as u64, "cell");
        session.note(&format!(
            "{}: {open} undecided, {}",
            subject.name,
            session.stop_reason(stop, None)
        ));
        status = Status::Stopped;
    } else if outcome.solutions.verdict() == Verdict::None {
        note_no_solution(session, subject);
        return unsolved(subject, status);
    }
    let marks = [
        (&backbone.filled, Mark::Filled),
        (&backbone.empty, Mark::Empty),
        (&backbone.ambiguous, Mark::Ambiguous),
    ];
    let drawing = Drawing::marked(subject.puzzle, &marks);
    let filled = backbone.filled.filled();
    let legend = [
        (Mark::Filled, filled, "filled in every solution"),
        (
            Mark::Empty,
            backbone.same() - filled,
            "empty in every solution",
        ),
        (Mark::Ambiguous, backbone.differing(), "ambiguous"),
        (Mark::Unknown, backbone.undecided(), "undecided"),
    ];
    let legend = legend.iter().filter(|(_, cells, _)| *cells > 0);
    Drawn {
        sheet: subject
            .titled_sheet()
            .legend(legend.map(|&(mark, _, words)| (mark, words.to_owned())))
            .drawings([drawing]),
        status,
        reveals: Some("Ambiguous cells"),
    }
}

/// Counts and draws the share of solutions in which each cell is filled.
fn draw_shares<'a>(session: &Session, subject: &Subject<'a>) -> Drawn<'a> {
    let (cells, outcome) = shares::count_cells(session, subject);
    let Outcome {
        solutions, stopped, ..
    } = &outcome;
    let status = match stopped {
        None => Status::Complete,
        Some(stop) => {
            let why = session.stop_reason(*stop, None);
            session.note(&format!(
                "{}: {solutions} solutions, count not finished: {why}",
                subject.name
            ));
            Status::Stopped
        }
    };
    let Some(cells) = cells else {
        if status == Status::Complete {
            note_no_solution(session, subject);
        }
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
