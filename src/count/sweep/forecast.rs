//! Forecasts how many combinations a sweep will read and generate.

use super::front::Front;
use super::fronts::Fronts;
use super::key::{Key, PathCount};
use super::lines::{End, Lines};
use super::meeting::Meeting;

/// The number of combinations approaches about this power of the product of the numbers of states of the lines across: 0.58 to 0.70 in the
/// last layers of twenty sweeps of random 15x15 puzzles.
const SATURATION: f64 = 0.6;

/// Combinations that are read or generated for each one of a new layer, and for each one of the last two layers when they meet.
const GENERATED_PER_COMBINATION: f64 = 3.0;
const GENERATED_AT_MEETING: f64 = 8.0;

/// Random walks underestimate the work behind the next line by about this factor for each line between the frontiers. Fitted to 33 sweeps of
/// tournament puzzles and random 15x15 puzzles: with it, nine in ten of 210 forecasts were 0.45 to 2.2 times the actual work.
pub(super) const GROWTH_PER_LINE: f64 = 1.2;

/// The share of a line that must be done before its rest is estimated from it.
const MIN_SHARE: f64 = 1.0 / 16.0;

/// The same for the meeting.
const MIN_MEETING_SHARE: f64 = 1.0 / 256.0;

/// The growth of a frontier.
#[derive(Debug)]
struct Growth {
    end: End,
    /// Number of lines passed.
    passed: usize,
    /// The logarithm of the number of combinations, and by how much a line increases it.
    log_len: f64,
    log_growth: f64,
    /// The number of combinations is at most this power of the product of the numbers of states.
    saturation: f64,
}

impl<K: Key, N: PathCount> Fronts<K, N> {
    /// Forecast of the combinations that are still to be read and generated for the part that is being swept. What is left of a line that is
    /// being passed, and of a meeting that has begun, is estimated from what is done of it.
    pub(super) fn forecast_of_part(&self, lines: &Lines) -> f64 {
        let done = self.meeting.as_ref().map_or(0.0, Meeting::share);
        let meeting_work = self.meeting.as_ref().map_or(0, |_| self.line_work) as f64;
        if done >= MIN_MEETING_SHARE {
            return (1.0 / done - 1.0) * meeting_work;
        }
        let by_walks = self.ahead.as_ref().map(|ahead| {
            let line = (ahead.line - self.line_work as f64).max(0.0);
            let line = self.left_of_line().unwrap_or(line);
            let is_passing = self.next_layer().is_some();
            let lines_behind = self.lines_between(lines) - usize::from(is_passing);
            let factor = GROWTH_PER_LINE.powi(lines_behind as i32);
            (line + ahead.rest, line + factor * ahead.rest)
        });
        let by_growth = self.forecast_by_growth(lines);
        let forecast = match by_walks {
            // The forecast by growth is an upper bound in most cases.
            Some((least, most)) => most.min(by_growth).max(least),
            None => by_growth,
        };
        forecast.max(meeting_work)
    }

    /// The combinations that are left of the line that is being passed, if enough of it is done.
    fn left_of_line(&self) -> Option<f64> {
        let share = self.next_layer()?.share();
        (share >= MIN_SHARE).then(|| (1.0 / share - 1.0) * self.line_work as f64)
    }

    /// Each line is assumed to multiply the combinations of a frontier as the lines that it has passed have done on average. But merging
    /// slows this growth down: there are at most as many combinations as the product of the numbers of states of the lines across, and
    /// frontiers are found to reach about the same root of it. See [`SATURATION`].
    fn forecast_by_growth(&self, lines: &Lines) -> f64 {
        let [mut near, mut far] = [&self.near, &self.far].map(|front| growth(front, lines));
        let mut between = self.lines_between(lines);
        let mut total = 0.0;
        if let (Some(next), Some(left_of_line)) = (self.next_layer(), self.left_of_line()) {
            let growth = match self.near_moves {
                true => &mut near,
                false => &mut far,
            };
            growth.advance(lines);
            growth.log_len = (next.len().max(1) as f64 / next.share()).ln();
            total += left_of_line;
            between -= 1;
        }
        for _ in 1..between {
            let growth = match near.log_len <= far.log_len {
                true => &mut near,
                false => &mut far,
            };
            growth.advance(lines);
            total += GENERATED_PER_COMBINATION * growth.log_len.exp();
        }
        total + GENERATED_AT_MEETING * (near.log_len.exp() + far.log_len.exp())
    }
}

/// The growth of a frontier so far.
fn growth<K: Key, N: PathCount>(front: &Front<K, N>, lines: &Lines) -> Growth {
    let log_len = (front.len as f64).ln();
    let possible = log_possible(lines, front.end, front.passed);
    Growth {
        end: front.end,
        passed: front.passed,
        log_len,
        log_growth: match front.passed {
            0 => f64::INFINITY,
            passed => log_len / passed as f64,
        },
        saturation: (log_len / possible.max(1.0)).max(SATURATION),
    }
}

impl Growth {
    /// Adds the growth by the next line.
    fn advance(&mut self, lines: &Lines) {
        self.passed += 1;
        let possible = self.saturation * log_possible(lines, self.end, self.passed);
        self.log_len = (self.log_len + self.log_growth).min(possible);
    }
}

/// The logarithm of the product of the numbers of states of the lines across, behind this number of lines from this end.
fn log_possible(lines: &Lines, end: End, passed: usize) -> f64 {
    let states = lines.states(end, passed);
    states.map(|states| (states as f64).ln()).sum()
}
