//! `omnogram count --estimate`: about how many solutions, where nobody can count them.

use std::time::Duration;

use clap::Args;
use omnogram::estimate::{Estimate, Estimator};
use omnogram::search::{Limits, Verdict};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::counted::counted;
use super::report;
use super::session::Session;
use super::status::{Answered, Status};
use super::subject::Subject;

/// How long it takes where no limit is given.
const TIME: Duration = Duration::from_secs(10);

#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct Options {
    /// Estimate the number by random dives into the tree, for --time, 10s where no limit is given. A part of the time goes into the
    /// backbone and an exact count, which is the answer where it ends. The standard error is judged by how
    /// far crews of dives differ; a warning says where neither can be trusted, and why. With --threads 1 and --nodes, the same --seed
    /// gives the same estimate
    #[arg(long, conflicts_with_all = ["method", "algorithm"])]
    pub(super) estimate: bool,
}

/// What JSON says of an estimate.
#[derive(Debug, Serialize)]
struct Figures {
    /// In a few digits, as text: it may be greater than what JSON readers can hold.
    number: Option<String>,
    log10: Option<f64>,
    standard_error: Option<f64>,
    /// Are the number and its error to be relied on? If not, why.
    trusted: bool,
    warning: Option<String>,
    dives: u64,
    /// Share of the dives.
    dead_ends: f64,
    /// As text, as it may be greater than what JSON readers can hold.
    seed: String,
}

#[derive(Debug, Serialize)]
struct Extra {
    estimate: Figures,
}

pub(super) fn answer(session: &Session, subject: &Subject<'_>, seed: u64) -> Answered {
    let given = session.limits();
    let limits = Limits {
        time: given.time.or(given.nodes.is_none().then_some(TIME)),
        ..given
    };
    let run = Estimator::new(subject.puzzle).limits(limits).seed(seed);
    let estimate = session.on_threads(|| run.run());
    if session.json() {
        let extra = Extra {
            estimate: figures(&estimate, seed),
        };
        session.print(&report::answered(
            subject,
            &estimate.solutions,
            estimate.stopped,
            &estimate.statistics,
            estimate.elapsed,
            extra,
        ))?;
    } else if subject.several {
        session.print(&format!("{}: {}\n", subject.label(), words(&estimate)))?;
    } else {
        session.print(&format!("{}\n", words(&estimate)))?;
    }
    if estimate.solutions.is_exact() {
        return Ok(Status::Complete);
    }
    session.note(&format!(
        "{}: {}, {:.0} % of them dead ends, {:.3} s",
        subject.name,
        counted(estimate.dives, "dive"),
        100.0 * dead(&estimate),
        estimate.elapsed.as_secs_f64()
    ));
    if estimate.stopped == Some(Stop::Memory) {
        let message = "the memory allowed is too little for one dive; --memory allows more";
        session.warn(&format!("{}: {message}", subject.name));
    } else if let Some(doubt) = estimate.doubt {
        session.warn(&format!("{}: {doubt}", subject.name));
    }
    // An estimate is all that was asked for, so that it is no stopped run; but there has to be one.
    let found = estimate.number.is_some_and(|number| !number.is_zero());
    Ok(match found && estimate.stopped != Some(Stop::Interrupt) {
        true => Status::Complete,
        false => Status::Stopped,
    })
}

/// `about 5.2 x 10^15 (estimate; standard error 8 %, 20480 dives)`, or the number alone where it is exact.
fn words(estimate: &Estimate) -> String {
    if estimate.solutions.is_exact() {
        return estimate.solutions.to_string();
    }
    let dives = counted(estimate.dives, "dive");
    let Some(number) = estimate.number.filter(|number| !number.is_zero()) else {
        return format!("unknown (estimate; no solution found, {dives})");
    };
    let number = match number.to_f64() {
        small if small < 1e6 => format!("{small:.0}"),
        _ => number
            .rough(digits(estimate))
            .map_or_else(String::new, |rough| rough.to_string()),
    };
    let error = match estimate.standard_error {
        None => "unknown".to_owned(),
        Some(0.0) => "0 %".to_owned(),
        Some(error) if error < 0.001 => "below 0.1 %".to_owned(),
        Some(error) if error < 0.1 => format!("{:.1} %", error * 100.0),
        Some(error) if error < 10.0 => format!("{:.0} %", error * 100.0),
        Some(_) => "above 1000 %".to_owned(),
    };
    // Where the estimate may be far off, what is proved says something still.
    let least = match (estimate.doubt, estimate.solutions.verdict()) {
        (Some(_), Verdict::Multiple) => format!("; {}", estimate.solutions),
        _ => String::new(),
    };
    format!("about {number} (estimate; standard error {error}, {dives}{least})")
}

/// Digits that mean something: two, and more where the estimate is better than that.
fn digits(estimate: &Estimate) -> usize {
    match estimate.standard_error {
        Some(error) if error < 0.0005 => 4,
        Some(error) if error < 0.005 => 3,
        _ => 2,
    }
}

/// Share of the dives that found nothing.
fn dead(estimate: &Estimate) -> f64 {
    estimate.dead_ends as f64 / estimate.dives.max(1) as f64
}

fn figures(estimate: &Estimate, seed: u64) -> Figures {
    let number = estimate.number.filter(|number| !number.is_zero());
    let rough = number.and_then(|number| number.rough(4));
    Figures {
        number: match estimate.number {
            Some(number) if number.is_zero() => Some("0".to_owned()),
            _ => rough.map(|rough| format!("{rough:e}")),
        },
        log10: number.map(|number| report::micro(number.log10())),
        standard_error: estimate.standard_error.map(report::micro),
        trusted: estimate.doubt.is_none(),
        warning: estimate.doubt.map(|doubt| doubt.to_string()),
        dives: estimate.dives,
        dead_ends: report::micro(dead(estimate)),
        seed: seed.to_string(),
    }
}
