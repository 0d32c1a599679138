//! The results in the JSON form that the command prints.
//!
//! Numbers of solutions are decimal text, since they may exceed the range of numbers in JSON readers; shares and seconds have six decimals.

#[cfg(feature = "design")]
mod design;

use serde::{Serialize, Serializer};

use crate::board::Cell;
use crate::estimate::Estimate;
use crate::format::json;
use crate::graph::CellCounts;
use crate::puzzle::{Clue, Grid, Puzzle};
use crate::run::Statistics;
use crate::search::{Outcome, Total, Verdict};
use crate::solutions::{Count, Rough, Stop};

/// The fields of a [`Total`].
#[derive(Serialize)]
struct TotalFields<'a> {
    verdict: Verdict,
    solutions: &'a Count,
    /// A large number in a few digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    magnitude: Option<Rough>,
    exact: bool,
}

/// The fields that all results of runs share.
#[derive(Serialize)]
struct OutcomeFields<'a> {
    #[serde(flatten)]
    solutions: &'a Total,
    stopped: Option<Stop>,
    nodes: u64,
    seconds: f64,
    statistics: &'a Statistics,
}

/// The fields of an [`Estimate`].
#[derive(Serialize)]
struct EstimateFields<'a> {
    #[serde(flatten)]
    outcome: OutcomeFields<'a>,
    estimate: EstimateFigures,
}

#[derive(Serialize)]
struct EstimateFigures {
    /// The estimate in a few digits, as text like the number of solutions.
    number: Option<String>,
    log10: Option<f64>,
    standard_error: Option<f64>,
    /// Whether the number and its standard error are reliable; if not, `warning` says why.
    trusted: bool,
    warning: Option<String>,
    dives: u64,
    /// The share of dives that ended in a dead end, from 0 to 1.
    dead_ends: f64,
    /// As text, since it may exceed the range of numbers in JSON readers.
    seed: String,
}

/// The fields of [`CellCounts`].
#[derive(Serialize)]
struct CellCountsFields<'a> {
    /// For each cell, row by row, the number of solutions in which it is filled.
    numerators: Vec<Vec<&'a Count>>,
    /// The number of all solutions.
    denominator: &'a Count,
}

/// As decimal text.
impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As text: `5.2e15`.
impl Serialize for Rough {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:e}"))
    }
}

/// As one word.
impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As one word.
impl Serialize for Stop {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As an object with the fields `verdict`, `solutions`, `magnitude` (only for ten digits or more) and `exact`.
impl Serialize for Total {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.number();
        let fields = TotalFields {
            verdict: self.verdict(),
            solutions: number,
            magnitude: number.rough(),
            exact: self.is_exact(),
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields of its [`Total`], `stopped`, `nodes`, `seconds` and `statistics`. The open cubes are not part of it.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = OutcomeFields {
            solutions: &self.solutions,
            stopped: self.stopped,
            nodes: self.statistics.nodes,
            seconds: round_to_micros(self.elapsed.as_secs_f64()),
            statistics: &self.statistics,
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields of an [`Outcome`], and `estimate`.
impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.number.filter(|number| !number.is_zero());
        let rough = number.and_then(|number| number.rough(4));
        let fields = EstimateFields {
            outcome: OutcomeFields {
                solutions: &self.solutions,
                stopped: self.stopped,
                nodes: self.statistics.nodes,
                seconds: round_to_micros(self.elapsed.as_secs_f64()),
                statistics: &self.statistics,
            },
            estimate: EstimateFigures {
                number: match self.number {
                    Some(number) if number.is_zero() => Some("0".to_owned()),
                    _ => rough.map(|rough| format!("{rough:e}")),
                },
                log10: number.map(|number| round_to_micros(number.log10())),
                standard_error: self.standard_error.map(round_to_micros),
                trusted: self.doubt.is_none(),
                warning: self.doubt.map(|doubt| doubt.to_string()),
                dives: self.particles,
                dead_ends: round_to_micros(self.dead_end_share()),
                seed: self.seed.to_string(),
            },
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields `numerators`, rows of decimal texts, and `denominator`, the number of all solutions.
impl Serialize for CellCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = |row| {
            let cells = (0..self.width()).map(|column| self.filled(Cell::new(row, column)));
            cells.collect()
        };
        let fields = CellCountsFields {
            numerators: (0..self.height()).map(row).collect(),
            denominator: self.count(),
        };
        fields.serialize(serializer)
    }
}

/// As the list of its rows: `["#.", ".#"]`.
impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.to_string().lines())
    }
}

/// As the list of the lengths of its blocks.
impl Serialize for Clue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.lengths())
    }
}

/// As an object in the [JSON format](crate::format::json).
impl Serialize for Puzzle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(json::members(self))
    }
}

/// A number rounded to six decimals, in seconds a microsecond.
fn round_to_micros(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).unwrap()
    }

    #[test]
    fn a_puzzle_is_the_same_as_in_its_format() {
        let mut puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.", "##"]).unwrap());
        let notes = puzzle.notes().clone().title("Corner".to_owned());
        puzzle = puzzle.with_notes(notes).unwrap();
        let text = json(&puzzle);
        let wanted =
            r#"{"title":"Corner","width":2,"height":2,"rows":[[1],[2]],"columns":[[2],[1]]}"#;
        assert_eq!(text, wanted);
        assert_eq!(text.parse::<Puzzle>().unwrap(), puzzle);
    }

    #[test]
    fn large_numbers_have_a_magnitude() {
        let number: Count = "12345678901234567890".parse().unwrap();
        let wanted = r#"{"verdict":"multiple","solutions":"12345678901234567890","magnitude":"1.2e19","exact":false}"#;
        assert_eq!(json(&Total::AtLeast(number)), wanted);
        let wanted = r#"{"verdict":"none","solutions":"0","exact":true}"#;
        assert_eq!(json(&Total::Exactly(Count::ZERO)), wanted);
    }
}
