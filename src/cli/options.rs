//! The options that verbs share, as they are typed; [`Session`](super::session::Session) builds the limits and threads from them.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use omnogram::search::Limits;
use omnogram::solutions::Count;

use super::given::GivenOption;

/// The puzzles to answer.
#[derive(Args, Debug)]
pub(super) struct Puzzles {
    /// Puzzle files in any format that convert reads, packs, folders (searched for files with an ending that only puzzles use), a game ID
    /// such as 2x2:1/1/1/1, an address of puzz.link, or - for standard input; FILE#2 is the second puzzle of a pack
    #[arg(value_name = "PUZZLE", required = true, help_heading = None)]
    pub(super) puzzles: Vec<PathBuf>,
}

/// Threads, limits and progress of a search.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Search options")]
pub(super) struct SearchOptions {
    /// Number of threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(super) threads: Option<u16>,

    /// Stop searching after this time on each puzzle: 500ms, 90s, 5m, 1h30m
    #[arg(long, short, allow_hyphen_values = true, value_name = "TIME", value_parser = time)]
    pub(super) time: Option<Duration>,

    /// Stop after this many nodes of the search tree on each puzzle
    #[arg(long, allow_hyphen_values = true, value_name = "N", value_parser = number)]
    pub(super) nodes: Option<u64>,

    /// Use at most about this much memory: 512M, 4G, 1T
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE", default_value = "4G", value_parser = size)]
    pub(super) memory: Bytes,

    /// Show progress on standard error
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub(super) progress: When,
}

/// The form of the answers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output options")]
pub(super) struct AnswerOptions {
    /// Print one JSON object for each puzzle, on one line
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) verbosity: Verbosity,
}

/// What the verbs take that answer puzzles one after the other.
#[derive(Args, Debug)]
pub(super) struct PuzzleOptions {
    #[command(flatten)]
    puzzles: Puzzles,
    #[command(flatten)]
    pub(super) given: GivenOption,
    #[command(flatten)]
    pub(super) search_options: SearchOptions,
    #[command(flatten)]
    pub(super) answer_options: AnswerOptions,
}

impl PuzzleOptions {
    pub(super) fn puzzles(&self) -> &[PathBuf] {
        &self.puzzles.puzzles
    }

    /// The files that are read whatever the verb: those of the puzzles, and that of the given cells. No output replaces them.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        [self.puzzles(), self.given.file()].concat()
    }
}

/// Whether messages are printed beside the answers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output options")]
pub(super) struct Verbosity {
    /// Print answers and errors only: no warnings, no summaries, no progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// When to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// When standard error is a terminal to which no solutions are written
    Auto,
    /// As a bar on a terminal, otherwise as one line per second
    Always,
    /// Show no progress
    Never,
}

impl SearchOptions {
    pub(super) fn limits(&self) -> Limits {
        Limits::default()
            .time(self.time)
            .nodes(self.nodes)
            .memory(self.memory.0)
    }
}

/// A number of bytes, displayed as [`size`] reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes(pub(super) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(40, "T"), (30, "G"), (20, "M"), (10, "K")];
        let unit = units
            .into_iter()
            .find(|(shift, _)| self.0 > 0 && self.0.trailing_zeros() >= *shift);
        match unit {
            Some((shift, letter)) => write!(f, "{}{letter}", self.0 >> shift),
            None => write!(f, "{}", self.0),
        }
    }
}

/// A seed for a run to which none is given, from the random keys of the standard library's hash maps.
pub(super) fn random_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// Parses a whole number; underscores may group its digits.
pub(super) fn number(text: &str) -> Result<u64, String> {
    let grouped = text.starts_with(|c: char| c.is_ascii_digit()) && !text.ends_with('_');
    let digits = text.replace('_', "");
    match digits.parse() {
        Ok(number) if grouped => Ok(number),
        _ if grouped && digits.bytes().all(|b| b.is_ascii_digit()) => {
            Err(format!("at most {}", u64::MAX))
        }
        _ => Err("expected a whole number, such as 5000 or 1_000_000".to_owned()),
    }
}

/// Parses the number of a solution, from 1, of any size; underscores may group its digits.
pub(super) fn ordinal(text: &str) -> Result<Count, String> {
    let grouped = text.starts_with(|c: char| c.is_ascii_digit()) && !text.ends_with('_');
    match text.replace('_', "").parse::<Count>() {
        Ok(number) if grouped && !number.is_zero() => Ok(number),
        _ => Err("expected a whole number from 1 on, such as 5000 or 1_000_000".to_owned()),
    }
}

/// Splits `1.5h` into a non-negative number and the text after it.
fn quantity(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

/// The names of each unit of time and its length in seconds, the longest unit first.
const TIME_UNITS: [(&[&str], f64); 5] = [
    (&["d"], 86400.0),
    (&["h"], 3600.0),
    (&["m", "min"], 60.0),
    (&["s", "sec"], 1.0),
    (&["ms"], 0.001),
];

/// Parses a time: numbers with units, the longest unit first, such as `90s`, `1h30m`, `1h 30m`. A number alone is seconds.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let seconds = match quantity(text) {
        Some((seconds, "")) => Some(seconds),
        _ => sum_of_times(text),
    };
    let seconds = seconds.ok_or("expected a time, such as 500ms, 90s, 1h30m or 1.5d")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "this is too long a time".to_owned())
}

fn sum_of_times(text: &str) -> Option<f64> {
    let (mut rest, mut units, mut seconds) = (text, &TIME_UNITS[..], 0.0);
    while !rest.is_empty() {
        let (number, after) = quantity(rest)?;
        let end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        // Every number needs a unit: `1h30` could mean minutes or seconds.
        let named = |(names, _): &(&[&str], f64)| {
            let mut names = names.iter();
            names.any(|name| name.eq_ignore_ascii_case(unit))
        };
        let place = units.iter().position(named)?;
        seconds += number * units[place].1;
        units = &units[place + 1..];
        rest = next.trim_start();
    }
    (!text.is_empty()).then_some(seconds)
}

/// Parses a number of bytes with an optional binary unit: `512M`, `4G`, `1.5KiB`.
pub(super) fn size(text: &str) -> Result<Bytes, String> {
    let bytes = quantity(text).and_then(|(number, unit)| {
        let unit = unit.to_ascii_lowercase();
        let letter = unit.trim_end_matches("ib").trim_end_matches('b');
        let letters = ["", "k", "m", "g", "t"];
        let shift = letters.iter().position(|&known| known == letter)?;
        Some(number * 1024f64.powi(shift as i32))
    });
    match bytes {
        // The largest number that still fits is far beyond any machine.
        Some(bytes) if bytes < 2f64.powi(63) => Ok(Bytes(bytes as u64)),
        Some(_) => Err("this is more memory than any machine has".to_owned()),
        None => Err("expected a number of bytes, such as 512M, 4G or 1.5T".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let cases = [
            ("500ms", 0.5),
            ("90s", 90.0),
            ("90", 90.0),
            ("1.5m", 90.0),
            ("2h", 7200.0),
            ("0", 0.0),
            ("1h30m", 5400.0),
            ("1h 30m", 5400.0),
            ("1m30s", 90.0),
            ("1M 30S", 90.0),
            ("2d1h1min1s500ms", 176_461.5),
        ];
        for (text, seconds) in cases {
            assert_eq!(time(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in [
            "",
            "s",
            "-1s",
            "1x",
            "1.2.3",
            "inf",
            "nan",
            "1e5",
            "99999999999999999999d",
            "1h30",
            "30m1h",
            "1m1m",
            "1h-30m",
            "1h,30m",
            "+5",
            "1h 30m x",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes, back) in [
            ("4G", 4 << 30, "4G"),
            ("512m", 512 << 20, "512M"),
            ("1.5KiB", 1536, "1536"),
            ("1TB", 1 << 40, "1T"),
            ("0", 0, "0"),
        ] {
            let size = size(text).unwrap();
            assert_eq!((size.0, size.to_string().as_str()), (bytes, back), "{text}");
        }
        for text in ["", "G", "4X", "-4G", "99999999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!((number("0"), number("1_000_000")), (Ok(0), Ok(1_000_000)));
        assert_eq!(number(&u64::MAX.to_string()), Ok(u64::MAX));
        for text in [
            "",
            "_1",
            "1_",
            "1e6",
            "-1",
            "+1",
            "1.0",
            "18446744073709551616",
        ] {
            assert!(number(text).is_err(), "{text}");
        }
    }
}
