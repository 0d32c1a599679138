//! `read`, `write`, `draw` and `formats`: files in and out, as `convert` and `show` do it.

use std::sync::Mutex;
use std::time::Duration;

use form_urlencoded::byte_serialize;
use serde::Serialize;

use super::engine::Run;
use super::question::{Question, What};
use super::refusal::Refusal;
use super::reply::Reply;
use crate::error::Error;
use crate::format::{self, Entry, FORMATS, Format, ReadOptions, TraceOptions};
use crate::puzzle::{Grid, Puzzle};
use crate::render::{self, Drawing, Html, HtmlSection, Pages, Paper, Pdf, Sheet};
use crate::run::lock;
use crate::sat::dimacs;
use crate::search::Search;

/// The name of the one format that only sat solvers read.
const DIMACS: &str = "dimacs";

/// Maximum number of puzzles that are read from a file.
const MAX_PUZZLES: usize = 10_000;

/// Held while a picture is traced: large ones take gigabytes.
static TRACING: Mutex<()> = Mutex::new(());

/// The puzzles of a file.
#[derive(Serialize)]
pub(super) struct Puzzles<'a> {
    puzzles: Vec<OfFile<'a>>,
    /// Whether the file is a picture, which the options of tracing turn into cells.
    image: bool,
}

/// A puzzle of a file, or what is wrong with it.
#[derive(Serialize)]
struct OfFile<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    puzzle: Option<&'a Puzzle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
}

impl<'a> Puzzles<'a> {
    pub(super) fn new(entries: &'a [Entry], image: bool) -> Self {
        let puzzles = entries.iter().map(|entry| OfFile {
            name: &entry.name,
            puzzle: entry.puzzle.as_ref().ok(),
            error: entry.puzzle.as_ref().err().map(ToString::to_string),
            warnings: &entry.warnings,
        });
        Puzzles {
            puzzles: puzzles.collect(),
            image,
        }
    }
}

#[derive(Serialize)]
struct Formats {
    formats: Vec<FormatFields>,
}

#[derive(Serialize)]
struct FormatFields {
    name: &'static str,
    title: &'static str,
    endings: &'static [&'static str],
    writes: bool,
    packs: bool,
    picture: bool,
}

/// All formats that are read or written.
pub(super) fn formats() -> Reply {
    let formats = FORMATS.iter().map(|format| FormatFields {
        name: format.name,
        title: format.title,
        endings: format.endings,
        writes: format.can_write(),
        packs: format.holds_several(),
        picture: format.is_picture(),
    });
    let dimacs = FormatFields {
        name: DIMACS,
        title: "clauses for SAT solvers and projected model counters; the projection is on the cells",
        endings: &["cnf", "dimacs"],
        writes: true,
        packs: false,
        picture: false,
    };
    Reply::json(&Formats {
        formats: formats.chain([dimacs]).collect(),
    })
}

/// The puzzles of a file, whose name and options of tracing are in `query`.
pub(super) fn read(query: &str, bytes: &[u8]) -> Result<Reply, Refusal> {
    let (mut file, mut tracing) = ("file".to_owned(), TraceOptions::default());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let bad = || Refusal::bad(format!("{value:?} is no {name} of a picture"));
        match &*name {
            "name" => file = value.into_owned(),
            "size" => tracing = tracing.size(TraceOptions::parse_size(&value).ok_or_else(bad)?),
            "threshold" => tracing = tracing.threshold(value.parse().map_err(|_| bad())?),
            "dither" => tracing = tracing.dither(value == "true"),
            "invert" => tracing = tracing.invert(value == "true"),
            "margin" => tracing = tracing.keep_margin(value == "true"),
            _ => return Err(Refusal::bad(format!("unknown option {name}"))),
        }
    }
    let image = format::detect(bytes, &file).is_ok_and(Format::is_picture);
    let _one = image.then(|| lock(&TRACING));
    let options = ReadOptions::default().tracing(tracing);
    let mut entries: Vec<Entry> = options
        .entries(bytes, &file)
        .take(MAX_PUZZLES + 1)
        .collect();
    if entries.len() > MAX_PUZZLES {
        let message = format!("only the first {MAX_PUZZLES} puzzles of this file were read");
        entries[MAX_PUZZLES] = Entry::new(&file, Err(Error::data(message).in_file(&file)));
    }
    Ok(Reply::json(&Puzzles::new(&entries, image)))
}

/// Puzzles as a file.
pub(super) fn write(question: &Question<'_>) -> Result<Reply, Refusal> {
    let puzzles = question.puzzles()?;
    let title = puzzles[0].notes().title.as_deref().unwrap_or_default();
    let (bytes, ending, lost) = match (&*question.format, &puzzles[..]) {
        (DIMACS, [puzzle]) => {
            let mut bytes = Vec::new();
            dimacs(puzzle, title, &mut bytes).map_err(|error| Refusal::bad(error.to_string()))?;
            (bytes, "cnf", Vec::new())
        }
        (DIMACS, _) => return Err(Refusal::bad("this format holds one puzzle")),
        (name, puzzles) => written(name, puzzles)?,
    };
    let mut reply = Reply::new("application/octet-stream", bytes);
    let stem = match puzzles.len() {
        1 => file_stem(title),
        _ => "puzzles".to_owned(),
    };
    let encoded = |text: &str| {
        // A plus sign stands for a blank in forms alone.
        let text: String = byte_serialize(text.as_bytes()).collect();
        text.replace('+', "%20")
    };
    reply.headers = vec![
        ("omnogram-file", encoded(&format!("{stem}.{ending}"))),
        ("omnogram-lost", encoded(&lost.join(", "))),
    ];
    Ok(reply)
}

/// Puzzles in the format with this name, its ending, and what it cannot hold.
fn written(
    name: &str,
    puzzles: &[Puzzle],
) -> Result<(Vec<u8>, &'static str, Vec<String>), Refusal> {
    let format = Format::named(name)
        .filter(|format| format.can_write())
        .ok_or_else(|| Refusal::bad(format!("no format {name:?} can be written")))?;
    let mut all_lost: Vec<String> = Vec::new();
    let mut kept = |puzzle: &Puzzle| {
        let (kept, lost) = format.kept(puzzle);
        for what in lost {
            if !all_lost.contains(&what) {
                all_lost.push(what);
            }
        }
        kept
    };
    let bytes = match (puzzles, format.pack()) {
        ([puzzle], _) => format.write(&kept(puzzle))?,
        (_, None) => return Err(Refusal::bad(format!("{name} holds one puzzle"))),
        (puzzles, Some(mut pack)) => {
            let mut bytes = Vec::new();
            for puzzle in puzzles {
                bytes.extend(pack.add(&kept(puzzle))?);
            }
            bytes.extend(pack.end().bytes());
            bytes
        }
    };
    Ok((bytes, format.endings[0], all_lost))
}

/// A title as the name of a file: its letters and digits, with hyphens between them.
fn file_stem(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() {
        "puzzle".to_owned()
    } else {
        words.join("-").chars().take(80).collect()
    }
}

/// A drawing of a puzzle. Its solution, unless its goal is one, is searched.
pub(super) fn draw(run: &Run<'_>, question: &Question<'_>) -> Result<Reply, Refusal> {
    let puzzle = question.subject()?;
    let drawing = match question.what {
        What::Puzzle => Drawing::blank(&puzzle),
        What::Solution => match puzzle.solved_goal() {
            Some(goal) => Drawing::solution(&puzzle, goal),
            None => Drawing::solution(&puzzle, &solution(run, &puzzle, question.time()?)?),
        },
    };
    let notes = puzzle.notes();
    let mut sheet = Sheet::new([drawing]).title(notes.title.clone().unwrap_or_default());
    if let Some(author) = &notes.author {
        sheet = sheet.byline(format!("by {author}"));
    }
    match &*question.r#as {
        "svg" => Ok(Reply::new("image/svg+xml", render::svg(&sheet, None, None))),
        "png" => Ok(Reply::new("image/png", render::png(&sheet, None, None)?)),
        "pdf" => {
            let mut pdf = Pdf::new(Pages::Paper(Paper::A4, 1));
            pdf.add(&sheet)?;
            Ok(Reply::new("application/pdf", pdf.finish()))
        }
        "html" => {
            let page = Html::new(sheet.title.clone(), Paper::A4);
            let section = page.part(&HtmlSection::new(sheet));
            Ok(Reply::new(
                "text/html; charset=utf-8",
                page.head() + &section + page.foot(),
            ))
        }
        other => Err(Refusal::bad(format!(
            "no drawing {other:?}: it is svg, png, pdf or html"
        ))),
    }
}

/// A solution of a puzzle, found within this time.
fn solution(run: &Run<'_>, puzzle: &Puzzle, time: Option<Duration>) -> Result<Grid, Refusal> {
    let limits = run.limits();
    let time = limits.time.into_iter().chain(time).min();
    let search = Search::new(puzzle).limits(limits.time(time));
    let (solution, outcome) = run.engine.on_threads(|| search.solve());
    solution.ok_or_else(|| match outcome.stopped {
        None => Refusal::absent("there is no solution to draw"),
        Some(_) => Refusal::busy("stopped before a solution was found"),
    })
}
