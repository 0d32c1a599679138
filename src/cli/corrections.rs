//! What `check` and `repair` say of a puzzle without a solution: which clues to change.

use std::time::Duration;

use omnogram::design::{Correction, Corrections};
use omnogram::puzzle::Puzzle;
use omnogram::search::Verdict;
use omnogram::solutions::Stop;
use serde::{Serialize, Serializer};

use super::session::Session;
use super::words::{Subject, counted};

/// The time for the search if `--time` does not limit it.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// The fewest clues of a puzzle whose change makes it solvable.
#[derive(Debug)]
pub(super) struct Proposals<'a> {
    puzzle: &'a Puzzle,
    corrections: Corrections,
    /// ` (stopped by --time 1s)`, or nothing.
    why_stopped: String,
}

/// A correction in JSON.
#[derive(Serialize)]
struct Fields {
    clues: Vec<ClueFields>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct ClueFields {
    /// `row 3`, counted from 1.
    line: String,
    old: Vec<usize>,
    new: Vec<usize>,
}

impl<'a> Proposals<'a> {
    /// Looks for corrections of a puzzle that has no solution.
    pub(super) fn find(session: &Session, subject: &Subject<'a>) -> Self {
        let limits = session.limits();
        let time = limits.time.unwrap_or(DEFAULT_TIME);
        let limits = limits.time(time);
        let puzzle = subject.puzzle;
        let corrections =
            session.run_observed(subject.name, false, |_| Corrections::of(puzzle, &limits));
        let why_stopped = match corrections.stopped {
            Some(_) if session.limits().time.is_none() => " (not all within 10 s)".to_owned(),
            stopped => session.why_stopped(stopped, None),
        };
        Proposals {
            puzzle,
            corrections,
            why_stopped,
        }
    }

    /// The nearest correction with which the puzzle has one solution.
    pub(super) fn unique(&self) -> Option<&Correction> {
        let mut found = self.corrections.found.iter();
        found.find(|correction| correction.verdict == Verdict::Unique)
    }

    pub(super) fn stopped(&self) -> Option<Stop> {
        self.corrections.stopped
    }

    /// The proposals as indented lines, or that there are none.
    pub(super) fn text(&self) -> String {
        let Corrections {
            found, at_least, ..
        } = &self.corrections;
        let why = &self.why_stopped;
        if self.corrections.without_given {
            return "  solvable without the given cells\n".to_owned();
        }
        let Some(first) = found.first() else {
            return match at_least {
                0 => String::new(),
                1 => format!("  no change of a clue found{why}\n"),
                _ => format!(
                    "  no change of up to {} makes it solvable{why}\n",
                    counted(*at_least as u64 - 1, "clue")
                ),
            };
        };
        let number = match first.clues.len() {
            1 => "another clue".to_owned(),
            clues => format!("{clues} other clues"),
        };
        let mut text = format!("  solvable with {number}, the nearest first{why}:\n");
        for correction in found {
            text += &format!("  {}\n", self.line(correction));
        }
        text
    }

    /// `row 3: 1 2 instead of 2 1, then unique`
    fn line(&self, correction: &Correction) -> String {
        let clues = correction.clues.iter();
        let clues = clues
            .map(|(line, clue)| format!("{line}: {clue} instead of {}", self.puzzle.clue(*line)));
        let clues = clues.collect::<Vec<_>>().join("; ");
        format!("{clues} ({})", correction.verdict)
    }
}

impl Serialize for Proposals<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let corrections = self.corrections.found.iter().map(|correction| Fields {
            clues: correction
                .clues
                .iter()
                .map(|(line, clue)| ClueFields {
                    line: line.to_string(),
                    old: self.puzzle.clue(*line).lengths().collect(),
                    new: clue.lengths().collect(),
                })
                .collect(),
            verdict: correction.verdict,
        });
        serializer.collect_seq(corrections)
    }
}
