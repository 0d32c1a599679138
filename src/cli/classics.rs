//! The options that put a classic algorithm in the place of the search, for all verbs that have them.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use omnogram::classic::{Algorithm, Classic, Needs};
use omnogram::error::{Error, Kind};

use super::messages;
use super::options::number;
use super::status::Status;

/// The seed where none is given.
pub(super) const SEED: u64 = 1;

/// How to solve, if not by the search.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Classic algorithms")]
pub(super) struct Classics {
    /// Solve by a published algorithm instead, as plainly as it was told, on one thread; --nodes bounds its steps
    #[arg(long, value_name = "NAME", value_parser = named())]
    pub(super) algorithm: Option<Algorithm>,

    /// Other random numbers, where some are drawn [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = number)]
    pub(super) seed: Option<u64>,
}

impl Classics {
    /// The classic that is wanted, if one is. `random`: something else of the verb draws random numbers.
    pub(super) fn classic(&self, random: bool) -> Result<Option<Classic>, Status> {
        let draws = random || self.algorithm == Some(Algorithm::BruteForce);
        if self.seed.is_some() && !draws {
            let message = "--seed is for what draws random numbers: --algorithm brute-force, or count --estimate";
            let error = Error::new(Kind::Usage, message);
            messages::error(&error);
            return Err(Status::from(&error));
        }
        let seed = self.seed.unwrap_or(SEED);
        Ok(self.algorithm.map(|name| Classic::new(name).seed(seed)))
    }
}

/// Reads a name, and tells all of them in the help.
fn named() -> impl TypedValueParser<Value = Algorithm> {
    let values = Algorithm::ALL
        .map(|algorithm| PossibleValue::new(algorithm.name()).help(algorithm.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Algorithm>())
}

/// What a classic lists before it begins, in words.
pub(super) fn words(needs: &Needs) -> String {
    format!(
        "{} arrangements to begin with, {}",
        rough(needs.arrangements, 1e15),
        bytes(needs.bytes)
    )
}

/// `1.2 MB`.
pub(super) fn bytes(bytes: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|&(unit, _)| bytes >= unit) {
        Some((unit, _)) if bytes >= 1e6 * unit => format!("{bytes:.1e} bytes"),
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

/// A whole number in full as long as it is below `most`.
fn rough(number: f64, most: f64) -> String {
    match number < most {
        true => format!("{number}"),
        false => format!("{number:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_words() {
        for (number, text) in [
            (16.0, "16 bytes"),
            (1600.0, "1.6 kB"),
            (2.5e9, "2.5 GB"),
            (3.25e14, "325.0 TB"),
            (1e30, "1.0e30 bytes"),
        ] {
            assert_eq!(bytes(number), text);
        }
    }
}
