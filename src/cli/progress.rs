//! How far a search has come, on standard error: a bar on a terminal, otherwise a line a second. Nothing is shown of a search that is
//! over in half a second.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use omnogram::search::Snapshot;

use super::messages;
use super::options::When;

/// A search shorter than this is not worth a bar.
const SOON: Duration = Duration::from_millis(500);

/// Time between two lines where there is no bar.
const PAUSE: Duration = Duration::from_secs(1);

/// Steps of the bar.
const STEPS: u64 = 10_000;

/// Shows the progress of one search, or nothing.
#[derive(Debug)]
pub(super) enum Progress {
    Hidden,
    Bar(ProgressBar),
    /// The puzzle's name, and when the next line is due.
    Lines(String, Mutex<Duration>),
}

impl Progress {
    /// Shows it where that is wanted; `free` says whether it would be in nobody's way.
    pub(super) fn new(when: When, free: bool, name: &str) -> Self {
        let terminal = io::stderr().is_terminal();
        match when {
            When::Auto if free && terminal => Progress::Bar(bar(STEPS)),
            When::Always if free && terminal => Progress::Bar(bar(STEPS)),
            When::Always => Progress::Lines(name.to_owned(), Mutex::new(PAUSE)),
            When::Auto | When::Never => Progress::Hidden,
        }
    }

    /// Is there anything to show?
    pub(super) fn is_shown(&self) -> bool {
        !matches!(self, Progress::Hidden)
    }

    /// Shows this moment.
    pub(super) fn show(&self, snapshot: &Snapshot) {
        match self {
            Progress::Hidden => {}
            Progress::Bar(bar) => {
                if snapshot.elapsed >= SOON {
                    bar.set_message(words(snapshot));
                    bar.set_position((snapshot.share * STEPS as f64) as u64);
                    bar.tick();
                }
            }
            Progress::Lines(name, due) => {
                let mut due = due.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                if snapshot.elapsed >= *due {
                    *due = snapshot.elapsed + PAUSE;
                    messages::note(&format!("{name}: {}", words(snapshot)));
                }
            }
        }
    }

    /// Says something meanwhile.
    pub(super) fn note(&self, text: &str) {
        match self {
            Progress::Bar(bar) => bar.suspend(|| messages::note(text)),
            Progress::Hidden | Progress::Lines(..) => messages::note(text),
        }
    }

    /// Leaves no trace of a bar.
    pub(super) fn end(&self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// A bar of so many steps with room for words beside it. Where standard error is no terminal it does not show.
pub(super) fn bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:16} {wide_msg}")
        .map(|style| style.progress_chars("━╸ "))
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr()).with_style(style)
}

/// `12.3 %, 1234 solutions, 5.1 M nodes/s, 3 s left`, short enough to stand beside the bar.
fn words(snapshot: &Snapshot) -> String {
    let percent = snapshot.share * 100.0;
    let share = match percent {
        percent if percent >= 1.0 || percent == 0.0 => format!("{percent:.1} %"),
        percent if percent >= 0.001 => format!("{percent:.3} %"),
        _ => "<0.001 %".to_owned(),
    };
    let nodes = snapshot.nodes as f64 / snapshot.elapsed.as_secs_f64().max(1e-3);
    let left = snapshot.left().map_or(String::new(), |left| {
        format!(", {} left", roughly(left.as_secs_f64()))
    });
    format!(
        "{share}, {} solutions, {} nodes/s{left}",
        brief(snapshot.solutions as f64),
        brief(nodes)
    )
}

/// A number in a few digits.
fn brief(number: f64) -> String {
    match number {
        n if n < 1e4 => format!("{n:.0}"),
        n if n < 1e6 => format!("{:.1} k", n / 1e3),
        n if n < 1e9 => format!("{:.1} M", n / 1e6),
        n if n < 1e12 => format!("{:.1} G", n / 1e9),
        n => format!("{n:.2e}"),
    }
}

/// A time in its largest unit.
fn roughly(seconds: f64) -> String {
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

    fn at(share: f64, solutions: u64, seconds: u64) -> String {
        words(&Snapshot {
            share,
            nodes: 5_100_000 * seconds,
            solutions,
            elapsed: Duration::from_secs(seconds),
        })
    }

    #[test]
    fn says_it_in_few_words() {
        assert_eq!(
            at(0.25, 1234, 1),
            "25.0 %, 1234 solutions, 5.1 M nodes/s, 3 s left"
        );
        assert_eq!(
            at(1e-7, 25_000_000, 60),
            "<0.001 %, 25.0 M solutions, 5.1 M nodes/s, years left"
        );
        assert!(at(0.0, 0, 2).ends_with("5.1 M nodes/s"));
    }
}
