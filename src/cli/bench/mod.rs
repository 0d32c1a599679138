//! `omnogram bench`: measures the speed of the search on this machine, and how it scales with threads.
//!
//! A workload runs once on every number of threads before any run is repeated, so that a temporary slow-down of the machine affects all
//! numbers of threads alike and not the speed-up. The answer of every run is compared with the known one.

mod machine;
mod plot;
mod row;
mod table;
mod workload;

use std::io::{self, IsTerminal};
use std::iter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use omnogram::error::Result;
use omnogram::solutions::Stop;
use rayon::ThreadPool;

use self::machine::Machine;
use self::row::Row;
use self::workload::{Measurement, Name, RunError, Workload};
use super::interrupt::Interrupt;
use super::json::json_line;
use super::options::{Verbosity, When, time};
use super::output::{Outputs, Replacing, print};
use super::status::{Answered, Status};
use super::words::counted;
use super::{messages, progress, session};

/// Measure the speed of the search on this machine
///
/// Runs workloads with known answers on 1, 2, 4 and so on threads, up to the number of cores. Prints the median time of several runs in
/// seconds, with the lowest and highest time; nodes of the search tree per second; solutions or puzzles found per second; the speed-up
/// over one thread; and the efficiency, which is the speed-up divided by the number of threads. All figures of a line are those of the
/// median run. A wrong answer is an error and gives no figure.
///
/// With --json it prints one object for each line of the table, as soon as the workload is measured: `runs` has the times of all runs
/// in order, `statistics` and the rates are of the run that took `seconds`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram bench --quick
  omnogram bench --svg speed-up.svg
  omnogram bench --workload permutation --workload hard --threads 8 --repeat 11
  omnogram bench --json > figures.ndjson")]
pub(super) struct Options {
    /// Measure only this workload; may be given several times [default: all]
    #[arg(long, short, value_name = "NAME")]
    workload: Vec<Name>,

    /// Measure on 1, 2, 4 and so on up to this number of threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,

    /// Runs of each workload on each number of threads [default: 5, with --quick 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: Option<u16>,

    /// Stop measuring after this time: 500ms, 90s, 5m, 1h30m; measurements that are not finished by then are left out
    #[arg(long, short, allow_hyphen_values = true, value_name = "TIME", value_parser = time)]
    time: Option<Duration>,

    /// Show progress on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,

    /// Run smaller workloads, which take a few seconds on two cores. Their figures cannot be compared with those of the full workloads
    #[arg(long)]
    quick: bool,

    /// Draw the speed-up against the number of threads into this file
    #[arg(long, value_name = "FILE", help_heading = "Output options")]
    svg: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Output options")]
    replacing: Replacing,

    /// Print one JSON object for each workload and number of threads, on one line
    #[arg(long, help_heading = "Output options")]
    json: bool,

    #[command(flatten)]
    verbosity: Verbosity,
}

impl Options {
    /// The workloads in the order asked for, each once.
    fn workloads(&self) -> Vec<Workload> {
        let asked = match &self.workload[..] {
            [] => Name::value_variants(),
            names => names,
        };
        let firsts = (asked.iter().enumerate()).filter(|(i, name)| !asked[..*i].contains(name));
        let workloads = firsts.map(|(_, &name)| Workload::new(name, self.quick));
        workloads.collect()
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let mut outputs = Outputs::new(options.replacing, &[], &[]);
    let mut svg = outputs.optional(options.svg.as_deref())?;
    let quiet = options.verbosity.quiet;
    let machine = Machine::this();
    let most = options.threads.map_or(machine.cores, usize::from);
    if !quiet {
        warn(&machine, most);
    }
    let pools = pools(most)?;
    let workloads = options.workloads();
    let default_repeat = if options.quick { 3 } else { 5 };
    let repeat = options.repeat.map_or(default_repeat, usize::from);
    let interrupt = Interrupt::install();
    let deadline = (options.time).and_then(|time| Instant::now().checked_add(time));
    let bar = if quiet || options.progress == When::Never {
        ProgressBar::hidden()
    } else {
        progress::bar((workloads.len() * repeat * pools.len()) as u64)
    };
    let lines = options.progress == When::Always && !quiet && !io::stderr().is_terminal();
    let show_current_run = |what: String| {
        if lines {
            messages::note(&what)
        } else {
            bar.set_message(what)
        }
    };

    if !options.json {
        print(&table::heading(&machine, repeat, options.quick))?;
    }
    let mut status = Status::Complete;
    let mut rows = Vec::new();
    for workload in &workloads {
        let (runs, run_error) = run_rounds(&pools, repeat, |pool| {
            let on = counted(pool.current_num_threads() as u64, "thread");
            show_current_run(format!("{} on {on}", workload.name));
            let run = pool.install(|| workload.run(interrupt, deadline));
            bar.inc(1);
            run
        });
        if let Some(RunError::Wrong(found)) = &run_error {
            bar.finish_and_clear();
            let solutions = &workload.solutions;
            messages::note(&format!(
                "error: {} found {found} solutions, but there are {solutions}: do not trust answers of this program on this machine",
                workload.name
            ));
            return Ok(Status::Wrong);
        }
        let measured = Row::of(workload, &machine, &runs);
        let text = measured.iter().enumerate().map(|(i, row)| {
            if options.json {
                json_line(row)
            } else {
                table::line(row, i == 0)
            }
        });
        let text: String = text.collect();
        bar.suspend(|| print(&text))?;
        rows.extend(measured);
        if let Some(RunError::Stopped(stop)) = run_error {
            status = Status::Stopped;
            let why = match stop {
                Stop::Time => format!("stopped by --time {:?}", options.time.unwrap_or_default()),
                _ => "interrupted".to_owned(),
            };
            if !quiet {
                bar.suspend(|| messages::note(&format!("{why}: the table is incomplete")));
            }
            break;
        }
    }
    bar.finish_and_clear();
    if !options.json && rows.iter().any(Row::is_noisy) {
        print(table::NOISY)?;
    }
    if let Some(output) = svg.as_mut().filter(|_| !rows.is_empty()) {
        output.write(plot::plot(&rows, &machine).as_bytes())?;
        output.finish()?;
    }
    Ok(status)
}

/// Warns of conditions that distort the figures.
fn warn(machine: &Machine, most: usize) {
    if most > machine.cores {
        let cores = counted(machine.cores as u64, "logical core");
        messages::warning(&format!("{most} threads on {cores}"));
    }
    if let Some(load) = machine.busy() {
        messages::warning(&format!(
            "the load of the last minute was {load:.2}: if other programs are still running, times and speed-ups are worse"
        ));
    }
}

/// Pools of 1, 2, 4 and so on threads below `most`, and of `most`.
fn pools(most: usize) -> Result<Vec<ThreadPool>> {
    let doubled = iter::successors(Some(1), |threads| Some(threads * 2));
    let below = doubled.take_while(|&threads| threads < most);
    below.chain([most]).map(session::pool).collect()
}

/// Runs a workload `repeat` times on each pool, or until a run fails. The runs are beside their number of threads.
fn run_rounds(
    pools: &[ThreadPool],
    repeat: usize,
    run: impl Fn(&ThreadPool) -> std::result::Result<Measurement, RunError>,
) -> (Vec<(usize, Vec<Measurement>)>, Option<RunError>) {
    let numbers = pools.iter().map(ThreadPool::current_num_threads);
    let mut all: Vec<_> = numbers.map(|threads| (threads, Vec::new())).collect();
    for _ in 0..repeat {
        for (pool, (_, runs)) in pools.iter().zip(&mut all) {
            match run(pool) {
                Ok(run) => runs.push(run),
                Err(run_error) => return (all, Some(run_error)),
            }
        }
    }
    (all, None)
}
