//! `omnogram census`: every clue set of a small size.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use omnogram::census::{Census, Engine, Estimated, Figure, MAX_CELLS, Tables, Tally, estimate};
use omnogram::cluster::{CensusOutcome, CensusRun, Digest, Header};
use omnogram::format::TraceOptions;
use omnogram::search::Limits;
use omnogram::solutions::{Count, Stop};
use serde::Serialize;

use super::answer::{json_line, round_to_micros};
use super::journal;
use super::messages;
use super::options::{AnswerOptions, SearchOptions, number};
use super::session::Session;
use super::status::{Answered, Status};
use super::words::counted;

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
    size: Size,

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

/// Height and width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size(usize, usize);

/// Parses the size of a census: `4x6` is 4 rows and 6 columns.
pub(super) fn size(text: &str) -> Result<Size, String> {
    let Some((height, Some(width))) = TraceOptions::parse_size(text) else {
        return Err(format!(
            "expected a height and a width from 1 on, such as 4x6, with at most {MAX_CELLS} cells"
        ));
    };
    let census = Census::new(height, width, Engine::None);
    census.map_err(|error| error.message().to_owned())?;
    Ok(Size(height, width))
}

impl Size {
    /// The census of this size.
    pub(super) fn census(self, engine: Engine) -> Census {
        Census::new(self.0, self.1, engine).expect("the size has been checked")
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let census = options.size.census(options.engine);
    let session = &Session::new(&options.search_options, &options.answer_options)?;
    match options.sample {
        Some(tuples) => sample(session, census, tuples, options.seed),
        None => count(session, census, options.journal.as_deref()),
    }
}

/// The name of a census in messages.
fn name(census: Census) -> String {
    format!("{}x{}", census.height(), census.width())
}

/// Works out all clue sets.
fn count(session: &Session, census: Census, journal: Option<&Path>) -> Answered {
    let tables = Tables::new(census);
    let name = name(census);
    let journal = match journal {
        Some(path) => {
            let header = Header::new(Digest::of_census(census), format!("census {census}"));
            Some(journal::open(session, path, &header)?)
        }
        None => None,
    };
    let resumed = journal
        .as_ref()
        .is_some_and(|(_, records)| !records.is_empty());
    let run = CensusRun::new(census, &tables, journal, session.limits())?;
    if resumed {
        let (share, clue_sets) = run.done();
        session.note(&format!(
            "{name}: resuming at {:.1} %, with {clue_sets} clue sets so far",
            100.0 * share
        ));
    }
    let outcome = session.run_named(&name, |observer| run.run(observer))?;
    print(session, census, &outcome)
}

/// Prints the numbers of a census, and how it ended.
fn print(session: &Session, census: Census, outcome: &CensusOutcome) -> Answered {
    let CensusOutcome {
        tally,
        stopped,
        disagreement,
        elapsed,
        ..
    } = outcome;
    let name = name(census);
    if let Some(message) = disagreement {
        return Ok(wrong(message));
    }
    let exact = stopped.is_none();
    session.print(&if session.json() {
        json_line(&Report {
            numbers: Numbers::new(census, tally, exact),
            exact,
            stopped: stopped.map(|stop| stop.to_string()),
            worked_out: tally.worked_out,
            seconds: round_to_micros(elapsed.as_secs_f64()),
        })
    } else {
        text(census, tally, exact)
    })?;
    let engine = match census.engine() {
        Engine::Count => ", and counted again by the search",
        Engine::Lines => ", and solved by lines if unique",
        Engine::None => "",
    };
    let work = format!(
        "{} worked out{engine}, {:.3} s",
        counted(tally.worked_out, "clue set"),
        elapsed.as_secs_f64()
    );
    match stopped {
        Some(stop) => {
            let share = 100.0 * tally.pictures as f64 / census.pictures() as f64;
            let reason = session.stop_reason(*stop, None);
            session.note(&format!("{name}: {reason}, at {share:.1} %: {work}"));
            Ok(Status::Stopped)
        }
        None => {
            session.note(&format!("{name}: {work}"));
            Ok(Status::Complete)
        }
    }
}

/// Prints that an answer of the engine is wrong.
pub(super) fn wrong(message: &str) -> Status {
    messages::note(&format!("error: {message}"));
    Status::Wrong
}

/// The numbers of a census as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Numbers {
    height: usize,
    width: usize,
    engine: String,
    grids: u64,
    clue_sets: u64,
    unique: u64,
    line_solvable: Option<u64>,
    most: u64,
    /// `None` if the census was stopped, because it may grow or begin anew.
    most_clue_sets: Option<u64>,
    histogram: BTreeMap<u64, u64>,
}

impl Numbers {
    pub(super) fn new(census: Census, tally: &Tally, exact: bool) -> Self {
        let (most, most_clue_sets) = tally.most();
        Numbers {
            height: census.height(),
            width: census.width(),
            engine: census.engine().to_string(),
            grids: census.pictures(),
            clue_sets: tally.clue_sets,
            unique: tally.unique(),
            line_solvable: (census.engine() != Engine::None).then_some(tally.line_solvable),
            most,
            most_clue_sets: exact.then_some(most_clue_sets),
            histogram: tally.histogram.clone(),
        }
    }
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    numbers: Numbers,
    exact: bool,
    stopped: Option<String>,
    worked_out: u64,
    seconds: f64,
}

/// The numbers of a census as text; if they are not `exact`, as lower bounds.
pub(super) fn text(census: Census, tally: &Tally, exact: bool) -> String {
    let least = if exact { "" } else { "at least " };
    let (most, most_clue_sets) = tally.most();
    let most = if exact {
        format!("{most}, of {}", counted(most_clue_sets, "clue set"))
    } else {
        format!("{least}{most}")
    };
    let lines = match census.engine() {
        Engine::None => "unknown".to_owned(),
        Engine::Count | Engine::Lines => format!("{least}{}", tally.line_solvable),
    };
    let mut text = format!(
        "pictures:              {}\n\
         clue sets:             {least}{}\n\
         unique:                {least}{}\n\
         solved by lines alone: {lines}\n\
         most solutions:        {most}\n",
        census.pictures(),
        tally.clue_sets,
        tally.unique(),
    );
    if tally.histogram.is_empty() {
        return text;
    }
    text.push('\n');
    let heads = ["solutions", "clue sets"];
    let wide = |numbers: &mut dyn Iterator<Item = &u64>, head: &str| {
        let digits = numbers.map(|number| number.to_string().len()).max();
        digits.unwrap_or_default().max(head.len())
    };
    let widths = [
        wide(&mut tally.histogram.keys(), heads[0]),
        wide(&mut tally.histogram.values(), heads[1]),
    ];
    let mut row = |cells: [&str; 2]| {
        text.push_str(&format!(
            "{:>a$}  {:>b$}\n",
            cells[0],
            cells[1],
            a = widths[0],
            b = widths[1]
        ));
    };
    row(heads);
    for (solutions, number) in &tally.histogram {
        row([&solutions.to_string(), &number.to_string()]);
    }
    text
}

/// Estimates the time and the numbers of a census from random tuples of row clues.
fn sample(session: &Session, census: Census, tuples: u64, seed: u64) -> Answered {
    let tables = Tables::new(census);
    let limits: Limits = session.limits();
    let began = Instant::now();
    let estimated = match session.on_threads(|| estimate(&tables, tuples, seed, &limits)) {
        Ok(estimated) => estimated,
        Err(message) => return Ok(wrong(&message)),
    };
    session.print(&if session.json() {
        json_line(&SampleReport::new(census, &estimated))
    } else {
        sample_text(census, &estimated)
    })?;
    let reason = match estimated.stopped {
        Some(stop) => format!(", {}", session.stop_reason(stop, None)),
        None => String::new(),
    };
    session.note(&format!(
        "{}: {} of row clues{reason}, {:.3} s",
        name(census),
        counted(estimated.tuples, "random tuple"),
        began.elapsed().as_secs_f64()
    ));
    // A limit only makes the estimate less exact, but there must be one.
    let interrupted = estimated.stopped == Some(Stop::Interrupt);
    Ok(if estimated.tuples > 1 && !interrupted {
        Status::Complete
    } else {
        Status::Stopped
    })
}

/// An estimate as JSON. Numbers that are not known are null.
#[derive(Debug, Serialize)]
struct SampleReport {
    height: usize,
    width: usize,
    engine: String,
    grids: u64,
    tuples: u64,
    cpu_seconds: FigureReport,
    longest_seconds: f64,
    clue_sets: FigureReport,
    unique: FigureReport,
    line_solvable: Option<FigureReport>,
    stopped: Option<String>,
}

#[derive(Debug, Serialize)]
struct FigureReport {
    estimate: Option<f64>,
    standard_error: Option<f64>,
}

impl From<Figure> for FigureReport {
    fn from(figure: Figure) -> Self {
        let known = |number: f64| number.is_finite().then(|| round_to_micros(number));
        FigureReport {
            estimate: known(figure.mean),
            standard_error: known(figure.standard_error),
        }
    }
}

impl SampleReport {
    fn new(census: Census, estimated: &Estimated) -> Self {
        let asked = census.engine() != Engine::None;
        SampleReport {
            height: census.height(),
            width: census.width(),
            engine: census.engine().to_string(),
            grids: census.pictures(),
            tuples: estimated.tuples,
            cpu_seconds: estimated.seconds.into(),
            longest_seconds: round_to_micros(estimated.longest),
            clue_sets: estimated.clue_sets.into(),
            unique: estimated.unique.into(),
            line_solvable: asked.then(|| estimated.line_solvable.into()),
            stopped: estimated.stopped.map(|stop| stop.to_string()),
        }
    }
}

fn sample_text(census: Census, estimated: &Estimated) -> String {
    let lines = match census.engine() {
        Engine::None => "unknown".to_owned(),
        Engine::Count | Engine::Lines => about(estimated.line_solvable),
    };
    format!(
        "pictures:              {}\n\
         CPU time:              {}\n\
         longest tuple:         {}\n\
         clue sets:             {}\n\
         unique:                {}\n\
         solved by lines alone: {lines}\n",
        census.pictures(),
        about_time(estimated.seconds),
        format_args!("{:.3} s", estimated.longest),
        about(estimated.clue_sets),
        about(estimated.unique),
    )
}

/// `about 5.2 x 10^10 (estimate; standard error 1.2 %)`
fn about(figure: Figure) -> String {
    if !figure.mean.is_finite() {
        return "unknown".to_owned();
    }
    let number = match Count::from(figure.mean.max(0.0) as u64).rough() {
        Some(rough) => rough.to_string(),
        None => format!("{:.0}", figure.mean),
    };
    format!("about {number} ({})", error_text(figure))
}

/// `about 7.9 hours (estimate; standard error 1.2 %)`
fn about_time(figure: Figure) -> String {
    let seconds = figure.mean;
    if !seconds.is_finite() {
        return "unknown".to_owned();
    }
    let time = match seconds {
        s if s < 100.0 => format!("{s:.3} s"),
        s if s < 6000.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} hours", s / 3600.0),
    };
    format!("about {time} ({})", error_text(figure))
}

fn error_text(figure: Figure) -> String {
    let relative = figure.standard_error / figure.mean;
    if relative.is_finite() {
        format!("estimate; standard error {:.1} %", 100.0 * relative)
    } else {
        "estimate; standard error unknown".to_owned()
    }
}
