//! `omnogram census`: every clue set of a small size.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use omnogram::census::{Census, Engine, Estimated, Figure, MAX_CELLS, Tables, Tally, estimate};
use omnogram::cluster::{CensusOutcome, CensusRun, Digest, Header};
use omnogram::format::TraceOptions;
use omnogram::solutions::{Count, Stop};
use serde::Serialize;

use super::json::round_to_micros;
use super::options::{AnswerOptions, SearchOptions, number};
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::counted;
use super::{journal, messages};

/// Go through every clue set of a small size
///
/// A clue set is the clues of all rows and columns of some picture. For all those of a size, prints how many are unique and how many line
/// solving alone solves, the largest number of solutions, and how many clue sets have each number of solutions. The numbers come from an
/// enumeration of all pictures. The engine solves every clue set too, and a disagreement ends the census with exit status 70. Of mirror
/// images, half turns, and on squares transposes, one is worked out. When the census was stopped, its numbers are lower bounds and begin
/// with "at least", and the exit status is 3.
///
/// The time grows with the number of pictures, which is 2 to the power of the number of cells: 5x5 takes seconds, 6x6 hours. --sample says
/// how long a size takes.
#[derive(Args, Debug)]
#[command(
    mut_arg("time", |arg| arg.help("Stop after this time: 500ms, 90s, 5m, 1h30m")),
    mut_arg("nodes", |arg| arg.hide(true)),
    mut_arg("json", |arg| arg.help("Print one JSON object, on one line")),
    after_help = "\
Examples:
  omnogram census 4x4
  omnogram census --journal 5x6.journal 5x6
  omnogram census --sample 1000 --engine none 6x6
  omnogram split --census 5x5 --cubes 100 > slices.jsonl
  omnogram work --census slices.jsonl > results.jsonl
  omnogram merge slices.jsonl results.jsonl"
)]
pub(super) struct Options {
    /// Rows and columns: at most 16 of each, and 52 cells
    #[arg(value_name = "HxW", value_parser = size)]
    size: Census,

    /// What the engine does with every clue set
    #[arg(long, value_name = "WHAT", default_value = "count")]
    engine: Engine,

    /// Save the state of the census to this file every few seconds. If the run is stopped or killed, the same command resumes it
    #[arg(long, value_name = "FILE", conflicts_with = "sample")]
    journal: Option<PathBuf>,

    /// Work out only the clue sets of N random tuples of row clues, and estimate from them how long the census takes, and its numbers
    #[arg(long, value_name = "N", value_parser = number)]
    sample: Option<u64>,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value = "1", requires = "sample", value_parser = number)]
    seed: u64,

    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

/// Parses the size of a census: `4x6` is 4 rows and 6 columns.
pub(super) fn size(text: &str) -> Result<Census, String> {
    let Some((height, Some(width))) = TraceOptions::parse_size(text) else {
        return Err(format!(
            "expected a height and a width from 1 on, such as 4x6, with at most {MAX_CELLS} cells"
        ));
    };
    Census::new(height, width, Engine::None).map_err(|error| error.message().to_owned())
}

pub(super) fn run(options: &Options) -> Answered {
    let census = options.size.with_engine(options.engine);
    let AnswerOptions { json, verbosity } = &options.answer_options;
    let session = &Session::new(&options.search_options, *json, verbosity)?;
    match options.sample {
        Some(tuples) => sample(session, census, tuples, options.seed),
        None => count(session, census, options.journal.as_deref()),
    }
}

fn name(census: Census) -> String {
    format!("{}x{}", census.height(), census.width())
}

fn count(session: &Session, census: Census, journal: Option<&Path>) -> Answered {
    let tables = Tables::new(census);
    let name = name(census);
    let header = Header::new(Digest::of_census(census), format!("census {census}"));
    let journal = journal.map(|path| journal::open(session, path, &header));
    let journal = journal.transpose()?;
    let resumed = (journal.as_ref()).is_some_and(|(_, records)| !records.is_empty());
    let run = CensusRun::new(census, &tables, journal, session.limits())?;
    if resumed {
        let (share, clue_sets) = run.done();
        session.note(&format!(
            "{name}: resuming at {:.1} %, with {clue_sets} clue sets so far",
            100.0 * share
        ));
    }
    let outcome = session.run_observed(&name, true, |observer| run.run(observer))?;
    if let Some(message) = &outcome.disagreement {
        return Ok(wrong(message));
    }
    let exact = outcome.stopped.is_none();
    session.answer(&CensusAnswer {
        census,
        outcome: &outcome,
        numbers: Numbers::new(census, &outcome.tally, exact),
        exact,
        stopped: outcome.stopped,
        worked_out: outcome.tally.worked_out,
        seconds: round_to_micros(outcome.elapsed.as_secs_f64()),
    })
}

pub(super) fn wrong(message: &str) -> Status {
    messages::note(&format!("error: {message}"));
    Status::Wrong
}

#[derive(Debug, Serialize)]
struct CensusFields {
    height: usize,
    width: usize,
    engine: String,
    grids: u64,
}

impl From<Census> for CensusFields {
    fn from(census: Census) -> Self {
        CensusFields {
            height: census.height(),
            width: census.width(),
            engine: census.engine().to_string(),
            grids: census.pictures(),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Numbers<'a> {
    #[serde(flatten)]
    census: CensusFields,
    clue_sets: u64,
    unique: u64,
    line_solvable: Option<u64>,
    most: u64,
    /// `None` if the census was stopped, because it may grow or begin anew.
    most_clue_sets: Option<u64>,
    histogram: &'a BTreeMap<u64, u64>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(census: Census, tally: &'a Tally, exact: bool) -> Self {
        let (most, most_clue_sets) = tally.most();
        Numbers {
            census: census.into(),
            clue_sets: tally.clue_sets,
            unique: tally.unique(),
            line_solvable: (census.engine() != Engine::None).then_some(tally.line_solvable),
            most,
            most_clue_sets: exact.then_some(most_clue_sets),
            histogram: &tally.histogram,
        }
    }
}

#[derive(Debug, Serialize)]
struct CensusAnswer<'a> {
    #[serde(skip)]
    census: Census,
    #[serde(skip)]
    outcome: &'a CensusOutcome,
    #[serde(flatten)]
    numbers: Numbers<'a>,
    exact: bool,
    stopped: Option<Stop>,
    worked_out: u64,
    seconds: f64,
}

impl Answer for CensusAnswer<'_> {
    fn text(&self, _: &Session) -> String {
        text(self.census, &self.outcome.tally, self.exact)
    }

    fn note(&self, session: &Session) -> Option<String> {
        let engine = match self.census.engine() {
            Engine::Count => ", and counted again by the search",
            Engine::Lines => ", and solved by lines if unique",
            Engine::None => "",
        };
        let tally = &self.outcome.tally;
        let share = 100.0 * tally.pictures as f64 / self.census.pictures() as f64;
        let reason = self.stopped.map_or(String::new(), |stop| {
            let reason = session.stop_reason(stop, None);
            format!("{reason}, at {share:.1} %: ")
        });
        Some(format!(
            "{}: {reason}{} worked out{engine}, {:.3} s",
            name(self.census),
            counted(tally.worked_out, "clue set"),
            self.outcome.elapsed.as_secs_f64()
        ))
    }

    fn status(&self) -> Status {
        Status::of(self.stopped)
    }
}

fn lines<const N: usize>(rows: [(&str, String); N]) -> String {
    let line = |(name, value)| format!("{:23}{value}\n", format!("{name}:"));
    rows.into_iter().map(line).collect()
}

/// The numbers of a census as text; if they are not `exact`, as lower bounds.
pub(super) fn text(census: Census, tally: &Tally, exact: bool) -> String {
    let least = if exact { "" } else { "at least " };
    let (most, most_clue_sets) = tally.most();
    let mut text = lines([
        ("pictures", census.pictures().to_string()),
        ("clue sets", format!("{least}{}", tally.clue_sets)),
        ("unique", format!("{least}{}", tally.unique())),
        (
            "solved by lines alone",
            match census.engine() {
                Engine::None => "unknown".to_owned(),
                Engine::Count | Engine::Lines => format!("{least}{}", tally.line_solvable),
            },
        ),
        (
            "most solutions",
            if exact {
                format!("{most}, of {}", counted(most_clue_sets, "clue set"))
            } else {
                format!("{least}{most}")
            },
        ),
    ]);
    if tally.histogram.is_empty() {
        return text;
    }
    let mut table = vec![["solutions".to_owned(), "clue sets".to_owned()]];
    table.extend((tally.histogram.iter()).map(|row| [row.0.to_string(), row.1.to_string()]));
    let [first, second] = [0, 1].map(|column: usize| {
        let widths = table.iter().map(|row| row[column].len());
        widths.max().unwrap_or_default()
    });
    text.push('\n');
    for [solutions, number] in table {
        text.push_str(&format!("{solutions:>first$}  {number:>second$}\n"));
    }
    text
}

fn sample(session: &Session, census: Census, tuples: u64, seed: u64) -> Answered {
    let tables = Tables::new(census);
    let limits = session.limits();
    let began = Instant::now();
    let estimated = (session.pool).install(|| estimate(&tables, tuples, seed, &limits));
    let estimated = match estimated {
        Ok(estimated) => estimated,
        Err(message) => return Ok(wrong(&message)),
    };
    let asked = census.engine() != Engine::None;
    session.answer(&SampleAnswer {
        of: census,
        estimated: &estimated,
        elapsed: began.elapsed(),
        census: census.into(),
        tuples: estimated.tuples,
        cpu_seconds: estimated.seconds.into(),
        longest_seconds: round_to_micros(estimated.longest),
        clue_sets: estimated.clue_sets.into(),
        unique: estimated.unique.into(),
        line_solvable: asked.then(|| estimated.line_solvable.into()),
        stopped: estimated.stopped,
    })
}

/// An estimate as JSON. Numbers that are not known are null.
#[derive(Debug, Serialize)]
struct SampleAnswer<'a> {
    #[serde(skip)]
    of: Census,
    #[serde(skip)]
    estimated: &'a Estimated,
    #[serde(skip)]
    elapsed: Duration,
    #[serde(flatten)]
    census: CensusFields,
    tuples: u64,
    cpu_seconds: FigureFields,
    longest_seconds: f64,
    clue_sets: FigureFields,
    unique: FigureFields,
    line_solvable: Option<FigureFields>,
    stopped: Option<Stop>,
}

#[derive(Debug, Serialize)]
struct FigureFields {
    estimate: Option<f64>,
    standard_error: Option<f64>,
}

impl From<Figure> for FigureFields {
    fn from(figure: Figure) -> Self {
        let known = |number: f64| number.is_finite().then(|| round_to_micros(number));
        FigureFields {
            estimate: known(figure.mean),
            standard_error: known(figure.standard_error),
        }
    }
}

impl Answer for SampleAnswer<'_> {
    fn text(&self, _: &Session) -> String {
        let estimated = self.estimated;
        lines([
            ("pictures", self.of.pictures().to_string()),
            ("CPU time", about(estimated.seconds, time)),
            ("longest tuple", format!("{:.3} s", estimated.longest)),
            ("clue sets", about(estimated.clue_sets, rough)),
            ("unique", about(estimated.unique, rough)),
            (
                "solved by lines alone",
                match self.of.engine() {
                    Engine::None => "unknown".to_owned(),
                    Engine::Count | Engine::Lines => about(estimated.line_solvable, rough),
                },
            ),
        ])
    }

    fn note(&self, session: &Session) -> Option<String> {
        let reason = self.stopped.map_or(String::new(), |stop| {
            format!(", {}", session.stop_reason(stop, None))
        });
        Some(format!(
            "{}: {} of row clues{reason}, {:.3} s",
            name(self.of),
            counted(self.tuples, "random tuple"),
            self.elapsed.as_secs_f64()
        ))
    }

    /// A limit only makes the estimate less exact, but there must be one.
    fn status(&self) -> Status {
        Status::stopped_if(self.tuples <= 1 || self.stopped == Some(Stop::Interrupt))
    }
}

/// `about 5.2 x 10^10 (estimate; standard error 1.2 %)`, with the estimate in these words.
fn about(figure: Figure, words: impl Fn(f64) -> String) -> String {
    if !figure.mean.is_finite() {
        return "unknown".to_owned();
    }
    let relative = figure.standard_error / figure.mean;
    let error = if relative.is_finite() {
        format!("{:.1} %", 100.0 * relative)
    } else {
        "unknown".to_owned()
    };
    let words = words(figure.mean);
    format!("about {words} (estimate; standard error {error})")
}

fn rough(number: f64) -> String {
    match Count::from(number.max(0.0) as u64).rough() {
        Some(rough) => rough.to_string(),
        None => format!("{number:.0}"),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.3} s"),
        s if s < 6000.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} hours", s / 3600.0),
    }
}
