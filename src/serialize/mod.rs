//! The results in the JSON form that the command prints.
//!
//! Numbers of solutions are decimal text, since they may exceed the range of numbers in JSON readers; shares and seconds have six decimals.

#[cfg(feature = "design")]
mod design;

use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::estimate::Estimate;
use crate::format::json;
use crate::graph::CellCounts;
use crate::puzzle::{Cell, Clue, Grid, Puzzle};
use crate::search::{Outcome, Total, Verdict};
use crate::solutions::{Count, Rough, Stop};

/// A type that is serialized as an object.
trait Fields {
    /// Adds its fields to an object.
    fn add_to<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error>;
}

/// Adds fields to an object, with `?` after the name only if there is a value, and with `..` all those of another type.
macro_rules! add_fields {
    ($object:ident,) => {};
    ($object:ident, ..$base:expr, $($rest:tt)*) => {
        $base.add_to($object)?;
        add_fields!($object, $($rest)*);
    };
    ($object:ident, $name:literal?: $value:expr, $($rest:tt)*) => {
        if let Some(value) = &$value {
            $object.serialize_entry($name, value)?;
        }
        add_fields!($object, $($rest)*);
    };
    ($object:ident, $name:literal: $value:expr, $($rest:tt)*) => {
        $object.serialize_entry($name, &$value)?;
        add_fields!($object, $($rest)*);
    };
}

/// Serializes a type as an object with these fields.
macro_rules! object {
    ($(#[$doc:meta])* $type:ty, |$own:ident| { $($fields:tt)* }) => {
        impl Fields for $type {
            fn add_to<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
                let $own = self;
                add_fields!(object, $($fields)*);
                Ok(())
            }
        }

        $(#[$doc])*
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut object = serializer.serialize_map(None)?;
                self.add_to(&mut object)?;
                object.end()
            }
        }
    };
}
use {add_fields, object};

object! {
    /// As an object with the fields `verdict`, `solutions`, `magnitude` (only for ten digits or more) and `exact`.
    Total, |total| {
        "verdict": total.verdict(),
        "solutions": total.number(),
        "magnitude"?: total.number().rough(),
        "exact": total.is_exact(),
    }
}

object! {
    /// As an object with the fields of its [`Total`], `stopped`, `nodes`, `seconds` and `statistics`. The open cubes are not part of it.
    Outcome, |outcome| {
        ..outcome.solutions,
        "stopped": outcome.stopped,
        "nodes": outcome.statistics.nodes,
        "seconds": seconds(outcome.elapsed),
        "statistics": outcome.statistics,
    }
}

object! {
    /// As an object with the fields of an [`Outcome`], and `estimate`.
    Estimate, |estimate| {
        ..estimate.solutions,
        "stopped": estimate.stopped,
        "nodes": estimate.statistics.nodes,
        "seconds": seconds(estimate.elapsed),
        "statistics": estimate.statistics,
        "estimate": EstimateFigures(estimate),
    }
}

struct EstimateFigures<'a>(&'a Estimate);

object! {
    EstimateFigures<'_>, |figures| {
        // In a few digits, as text like the number of solutions.
        "number": figures.0.number.map(|number| match number.rough(4) {
            Some(rough) => format!("{rough:e}"),
            None => "0".to_owned(),
        }),
        "log10": figures.0.number.filter(|number| !number.is_zero()).map(|number| round_to_micros(number.log10())),
        "standard_error": figures.0.standard_error.map(round_to_micros),
        // Whether the number and its standard error are reliable; if not, `warning` says why.
        "trusted": figures.0.doubt.is_none(),
        "warning": figures.0.doubt.map(|doubt| doubt.to_string()),
        "dives": figures.0.particles,
        // The share of dives that ended in a dead end, from 0 to 1.
        "dead_ends": round_to_micros(figures.0.dead_end_share()),
        // As text, since it may exceed the range of numbers in JSON readers.
        "seed": figures.0.seed.to_string(),
    }
}

object! {
    /// As an object with the fields `numerators`, rows of decimal texts, and `denominator`, the number of all solutions.
    CellCounts, |counts| {
        "numerators": (0..counts.height())
            .map(|row| (0..counts.width()).map(|column| counts.filled(Cell::new(row, column))).collect())
            .collect::<Vec<Vec<&Count>>>(),
        "denominator": counts.count(),
    }
}

/// As an object in the [JSON format](crate::format::json).
impl Serialize for Puzzle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(json::members(self))
    }
}

impl Fields for Puzzle {
    fn add_to<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
        let mut members = json::members(self).into_iter();
        members.try_for_each(|(name, value)| object.serialize_entry(name, &value))
    }
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

/// A duration in seconds, rounded to microseconds.
fn seconds(duration: Duration) -> f64 {
    round_to_micros(duration.as_secs_f64())
}

/// A number rounded to six decimals.
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
