//! The progress of a search on standard error: a bar on a terminal, otherwise one line per second. Nothing is shown in the first half
//! second.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use omnogram::search::{Activity, Snapshot};

use super::messages;
use super::options::When;
use super::words::counted;

/// The time before the bar is shown.
const MIN_SHOWN_TIME: Duration = Duration::from_millis(500);

/// Time between two lines without a bar.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Least time over which the rate of solutions is measured.
const MIN_RATE_INTERVAL: Duration = Duration::from_millis(900);

const BAR_STEPS: u64 = 10_000;

/// The display of the progress of one search.
#[derive(Debug)]
pub(super) enum Progress {
    Hidden,
    Bar(ProgressBar, Mutex<SolutionRate>),
    Lines {
        name: String,
        /// The time since the start of the search at which the next line is due.
        next: Mutex<Duration>,
        meter: Mutex<SolutionRate>,
    },
}

impl Progress {
    /// Chooses the display; `use_bar`: whether a bar would not overwrite other output on the terminal.
    pub(super) fn new(when: When, use_bar: bool, name: &str) -> Self {
        let terminal = io::stderr().is_terminal();
        match when {
            When::Auto | When::Always if use_bar && terminal => {
                Progress::Bar(bar(BAR_STEPS), Mutex::default())
            }
            When::Always => Progress::Lines {
                name: name.to_owned(),
                next: Mutex::new(LINE_INTERVAL),
                meter: Mutex::default(),
            },
            When::Auto | When::Never => Progress::Hidden,
        }
    }

    pub(super) fn is_shown(&self) -> bool {
        !matches!(self, Progress::Hidden)
    }

    /// Shows the state of the search at one moment.
    pub(super) fn show(&self, snapshot: &Snapshot) {
        match self {
            Progress::Hidden => {}
            Progress::Bar(bar, meter) => {
                let rate = lock(meter).rate(snapshot);
                if snapshot.elapsed >= MIN_SHOWN_TIME {
                    bar.set_message(status_text(snapshot, rate));
                    match snapshot.share {
                        Some(share) => bar.set_position((share * BAR_STEPS as f64) as u64),
                        // A spinner shows only that the search is running.
                        None => bar.set_style(style("{spinner} {wide_msg}")),
                    }
                    bar.tick();
                }
            }
            Progress::Lines { name, next, meter } => {
                let rate = lock(meter).rate(snapshot);
                let mut next = lock(next);
                if snapshot.elapsed >= *next {
                    *next = snapshot.elapsed + LINE_INTERVAL;
                    messages::note(&format!("{name}: {}", status_text(snapshot, rate)));
                }
            }
        }
    }

    /// Prints a message while the progress is shown.
    pub(super) fn note(&self, text: &str) {
        match self {
            Progress::Bar(bar, _) => bar.suspend(|| messages::note(text)),
            Progress::Hidden | Progress::Lines { .. } => messages::note(text),
        }
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        if let Progress::Bar(bar, _) = self {
            bar.finish_and_clear();
        }
    }
}

/// The progress of a run over a known number of puzzles: a bar on a terminal, otherwise one line per second.
#[derive(Debug)]
pub(super) struct Steps {
    bar: ProgressBar,
    total: u64,
    done: u64,
    started: Instant,
    /// Whether lines are printed instead of a bar, and when the next one is due.
    lines: Option<Duration>,
}

impl Steps {
    /// Chooses the display, as [`Progress::new`] does.
    pub(super) fn new(when: When, use_bar: bool, total: u64) -> Self {
        let terminal = io::stderr().is_terminal();
        let is_bar = when != When::Never && use_bar && terminal && total > 1;
        Steps {
            bar: if is_bar {
                bar(total)
            } else {
                ProgressBar::hidden()
            },
            total,
            done: 0,
            started: Instant::now(),
            lines: (when == When::Always && !is_bar).then_some(LINE_INTERVAL),
        }
    }

    /// Records one more finished puzzle.
    pub(super) fn advance(&mut self) {
        self.done += 1;
        let (elapsed, done) = (self.started.elapsed(), self.done);
        let due = self.lines.is_some_and(|next| elapsed >= next);
        if self.bar.is_hidden() && !due {
            return;
        }
        let left = elapsed.as_secs_f64() / done as f64 * self.total.saturating_sub(done) as f64;
        let of = counted(self.total, "puzzle");
        let text = format!("{done} of {of}, {} left", format_duration(left));
        if due {
            self.lines = Some(elapsed + LINE_INTERVAL);
            messages::note(&text);
        } else {
            self.bar.set_message(text);
            self.bar.set_position(done);
        }
    }

    /// Prints while the bar is shown.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar with this number of steps and room for a message beside it. It is hidden where standard error is not a terminal.
pub(super) fn bar(steps: u64) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    ProgressBar::with_draw_target(Some(steps), target).with_style(style("{bar:16} {wide_msg}"))
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .map(|style| style.progress_chars("━╸ "))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[derive(Debug, Default)]
pub(super) struct SolutionRate {
    /// The time of the last measurement, since the start of the search, and the solutions then.
    since: Duration,
    before: f64,
    /// Solutions per second.
    rate: f64,
}

impl SolutionRate {
    fn rate(&mut self, snapshot: &Snapshot) -> f64 {
        let (elapsed, solutions) = (snapshot.elapsed, snapshot.solutions.to_f64());
        let time = elapsed.saturating_sub(self.since);
        if time >= MIN_RATE_INTERVAL {
            self.rate = (solutions - self.before) / time.as_secs_f64();
            (self.since, self.before) = (elapsed, solutions);
        }
        self.rate
    }
}

/// The progress, short enough to stand beside the bar: `12.3 %, 1234 solutions, 5.1 M nodes/s, 3 s left`, or if the share is unknown,
/// `at least 1234 solutions, +5.1 M/s, branching down, 2.5 M nodes/s`.
fn status_text(snapshot: &Snapshot, rate: f64) -> String {
    let seconds = snapshot.elapsed.as_secs_f64().max(1e-3);
    let nodes = format_number(snapshot.nodes as f64 / seconds);
    let solutions = format_number(snapshot.solutions.to_f64());
    if snapshot.activity == Activity::Repairing {
        let pictures = format_number(snapshot.nodes as f64);
        return format!("{pictures} pictures examined");
    }
    let Some(share) = snapshot.share else {
        let grows = if rate > 0.0 {
            format!(", +{}/s", format_number(rate))
        } else {
            String::new()
        };
        let activity = snapshot.activity;
        return format!("at least {solutions} solutions{grows}, {activity}, {nodes} nodes/s");
    };
    // Rounded down, so that only a finished search shows 100 %.
    let percent = (share * 1e3).floor() / 10.0;
    let share = match share * 100.0 {
        least if least >= 1.0 || least == 0.0 => format!("{percent:.1} %"),
        least if least >= 0.001 => format!("{least:.3} %"),
        _ => "<0.001 %".to_owned(),
    };
    let left = snapshot.left().map_or(String::new(), |left| {
        format!(", {} left", format_duration(left.as_secs_f64()))
    });
    if snapshot.activity == Activity::Census {
        return format!("{share}, {solutions} clue sets{left}");
    }
    format!("{share}, {solutions} solutions, {nodes} nodes/s{left}")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number in a few digits, with a decimal prefix.
fn format_number(number: f64) -> String {
    match number {
        n if n < 1e4 => format!("{n:.0}"),
        n if n < 1e6 => format!("{:.1} k", n / 1e3),
        n if n < 1e9 => format!("{:.1} M", n / 1e6),
        n if n < 1e12 => format!("{:.1} G", n / 1e9),
        n => format!("{n:.2e}"),
    }
}

/// A time in its largest unit.
fn format_duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6e3 => format!("{:.0} min", s / 60.0),
        s if s < 1e5 => format!("{:.0} h", s / 3600.0),
        s if s < 1e8 => format!("{:.0} days", s / 86400.0),
        _ => "years".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(share: Option<f64>, solutions: u64, seconds: u64) -> String {
        let mut snapshot = Snapshot::default();
        snapshot.share = share;
        snapshot.nodes = 5_100_000 * seconds;
        snapshot.solutions = solutions.into();
        snapshot.activity = Activity::Branching;
        snapshot.elapsed = Duration::from_secs(seconds);
        status_text(&snapshot, SolutionRate::default().rate(&snapshot))
    }

    #[test]
    fn status_texts_are_short() {
        assert_eq!(
            at(Some(0.25), 1234, 1),
            "25.0 %, 1234 solutions, 5.1 M nodes/s, 3 s left"
        );
        assert_eq!(
            at(Some(1e-7), 25_000_000, 60),
            "<0.001 %, 25.0 M solutions, 5.1 M nodes/s, years left"
        );
        assert!(at(Some(0.0), 0, 2).ends_with("5.1 M nodes/s"));
        let mut snapshot = Snapshot::default();
        snapshot.activity = Activity::Census;
        snapshot.share = Some(0.5);
        snapshot.solutions = 14_390_910.into();
        snapshot.elapsed = Duration::from_secs(7);
        assert_eq!(
            status_text(&snapshot, 0.0),
            "50.0 %, 14.4 M clue sets, 7 s left"
        );
    }

    #[test]
    fn an_unfinished_search_is_not_shown_as_finished() {
        assert!(at(Some(0.999_96), 1, 1).starts_with("99.9 %, "));
        assert_eq!(
            at(None, 16_000_000, 10),
            "at least 16.0 M solutions, +1.6 M/s, branching, 5.1 M nodes/s"
        );
    }
}
