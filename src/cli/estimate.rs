//! `omnogram count --estimate`: an estimate of the number of solutions, for puzzles that are too hard to count.

use std::time::Duration;

use clap::Args;
use omnogram::estimate::{Estimate, Estimator};
use omnogram::search::Verdict;
use omnogram::solutions::Stop;
use serde::Serialize;

use super::options::number;
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::{Subject, counted};

/// The time limit when neither a time nor a number of nodes is given.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct Options {
    /// Estimate the number by weighted random descents of the search tree (dives), within --time, or 10s if no limit is given. Part of the
    /// time is spent on the backbone and on an exact count, which is the answer if it finishes. The standard error is estimated from the
    /// differences between independent populations of dives; a warning says when and why neither figure can be trusted. With --threads 1
    /// and --nodes, the same --seed gives the same estimate
    #[arg(long, conflicts_with = "method")]
    pub(super) estimate: bool,

    /// Seed of the random numbers of --estimate
    #[arg(long, value_name = "S", default_value = "1", requires = "estimate", allow_hyphen_values = true, value_parser = number)]
    pub(super) seed: u64,
}

pub(super) fn answer(session: &Session, subject: &Subject<'_>, seed: u64) -> Answered {
    let mut limits = session.limits();
    if limits.nodes.is_none() {
        limits.time.get_or_insert(DEFAULT_TIME);
    }
    let run = Estimator::new(subject.puzzle).limits(limits).seed(seed);
    let estimate = session.pool.install(|| run.run());
    let answered = session.answer(&Estimated {
        subject,
        estimate: &estimate,
    })?;
    if estimate.solutions.is_exact() {
        return Ok(answered);
    }
    if estimate.stopped == Some(Stop::Memory) {
        let message = "--memory is too small for a single dive";
        session.warn(&format!("{}: {message}", subject.name));
    } else if let Some(doubt) = estimate.doubt {
        session.warn(&format!("{}: {doubt}", subject.name));
    }
    Ok(answered)
}

#[derive(Serialize)]
struct Estimated<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    estimate: &'a Estimate,
}

impl Answer for Estimated<'_> {
    fn text(&self, _: &Session) -> String {
        self.subject.line(&estimate_text(self.estimate))
    }

    fn note(&self, _: &Session) -> Option<String> {
        let estimate = self.estimate;
        if estimate.solutions.is_exact() {
            return None;
        }
        Some(format!(
            "{}: {}, {:.0} % of them dead ends, {:.3} s",
            self.subject.name,
            counted(estimate.particles, "dive"),
            100.0 * estimate.dead_end_share(),
            estimate.elapsed.as_secs_f64()
        ))
    }

    /// An estimate that a limit has ended is a complete answer, but there must be an estimate.
    fn status(&self) -> Status {
        let estimate = self.estimate;
        let found = estimate.number.is_some_and(|number| !number.is_zero());
        let interrupted = estimate.stopped == Some(Stop::Interrupt);
        Status::stopped_if(!estimate.solutions.is_exact() && (!found || interrupted))
    }
}

/// `about 5.2 x 10^15 (estimate; standard error 8 %, 20480 dives)`, or the number alone if it is exact.
fn estimate_text(estimate: &Estimate) -> String {
    if estimate.solutions.is_exact() {
        return estimate.solutions.to_string();
    }
    let dives = counted(estimate.particles, "dive");
    let Some(number) = estimate.number.filter(|number| !number.is_zero()) else {
        return format!("unknown (estimate; no solution found, {dives})");
    };
    let number = match number.to_f64() {
        small if small < 1e6 => format!("{small:.0}"),
        _ => number
            .rough(significant_digits(estimate))
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
    // If the estimate is not reliable, the proved lower bound is given too.
    let least = match (estimate.doubt, estimate.solutions.verdict()) {
        (Some(_), Verdict::Multiple) => format!("; {}", estimate.solutions),
        _ => String::new(),
    };
    format!("about {number} (estimate; standard error {error}, {dives}{least})")
}

/// The number of significant digits: two, or more for a smaller standard error.
fn significant_digits(estimate: &Estimate) -> usize {
    match estimate.standard_error {
        Some(error) if error < 0.0005 => 4,
        Some(error) if error < 0.005 => 3,
        _ => 2,
    }
}
