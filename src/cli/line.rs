//! `omnogram line`: every arrangement of one line's clue, and the cells on which all arrangements agree.

use std::cell::Cell;
use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use clap::Args;
use omnogram::error::Result;
use omnogram::line::{self, Arrangements, arrangements};
use omnogram::puzzle::{Clue, MAX_SIDE};
use serde::{Serialize, Serializer};

use super::interrupt::Interrupt;
use super::options::{number, time};
use super::status::{Answered, Failure, Status, usage};

/// List the arrangements of one line
///
/// Prints every arrangement of the clue that fits the known cells, then their number, then the cells on which they all agree: '#' forced
/// filled, '.' forced empty, '?' others. The blocks are lettered A, B and so on, after Z from A again; a lower-case letter is on a
/// cell known to be filled, '_' is a cell known to be empty. If no arrangement fits, the line is reported as a contradiction, which is
/// a complete answer.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram line '2 1' --length 5                              three arrangements
  omnogram line '2 1' --known '?#.??'                         two, which agree on ##.??
  omnogram line --count '3 1 4 1 5 9 2 6 5 3 5' --length 100  too many to list

Techniques by which people solve a line, and the cells that they force:
  simple boxes           omnogram line '8' --length 10                ??######??
  simple boxes           omnogram line '4 3' --length 10              ??##???#??
  simple spaces          omnogram line '3 1' --known '???#????#?'     .??#??..#.
  forcing                omnogram line '3 2' --known '????.?.???'     ?##?...?#?
  glue                   omnogram line '5' --known '??#???????'       ??###??...
  glue                   omnogram line '1 3' --known '#?.?#?????'     #..?##?...
  joining and splitting  omnogram line '5 2 2' --known '??##?##???#?#??'
                                                                      ..#####..##.##.
  punctuating            omnogram line '1 2 3' --known '??#?##?????'  ..#.##.?##?
  mercury                omnogram line '3 2' --known '???#??????'     .??#??????")]
pub(super) struct Options {
    /// The lengths of the blocks, such as '2 1' or 2,1; 0 for an empty line
    #[arg(value_name = "CLUE", value_parser = clue)]
    clue: Clue,

    /// Number of cells of the line
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_SIDE as i64), required_unless_present = "known")]
    length: Option<u16>,

    /// The cells of the line: '#' filled, '.' empty, '?' unknown
    #[arg(long, short, value_name = "CELLS", value_parser = cells)]
    known: Option<LineCells>,

    /// Print the number of arrangements only
    #[arg(long, short)]
    count: bool,

    /// List only the first N arrangements; the number and the forced cells are still those of all arrangements
    #[arg(long, short = 'n', allow_hyphen_values = true, value_name = "N", value_parser = number, conflicts_with = "count")]
    limit: Option<u64>,

    /// Stop listing after this time: 500ms, 90s, 5m, 1h30m. The number and the forced cells are always computed, which takes up to about a
    /// second for a line of 4096 cells
    #[arg(long, short, allow_hyphen_values = true, value_name = "TIME", value_parser = time)]
    time: Option<Duration>,

    /// Print one JSON object, on one line
    #[arg(long)]
    json: bool,
}

/// The cells of a line: `None` for an unknown one, otherwise whether it is filled.
#[derive(Clone, Debug)]
struct LineCells(Vec<Option<bool>>);

#[derive(Serialize)]
struct LineAnswer<'a, I: Iterator<Item = String>> {
    clue: Vec<usize>,
    length: usize,
    known: String,
    /// As decimal text, since it may exceed the range of numbers in JSON readers.
    arrangements: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<String>,
    contradiction: bool,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_lazily"
    )]
    listed: Option<&'a Cell<Option<I>>>,
}

pub(super) fn run(options: &Options) -> Answered {
    let known = known(options)?;
    answer(options, &known).map_err(|error| Failure::writing("<stdout>", error))
}

/// The cells of the line, or an error if the options disagree on their number.
fn known(options: &Options) -> Result<Vec<Option<bool>>> {
    let Options { clue, length, .. } = options;
    let length = length.map(usize::from);
    let known = match (&options.known, length) {
        (Some(LineCells(known)), Some(length)) if known.len() != length => {
            let message = format!("--known has {} cells, --length is {length}", known.len());
            return Err(usage(message));
        }
        (Some(LineCells(known)), _) => known.clone(),
        (None, length) => vec![None; length.unwrap_or_default()],
    };
    if clue.span() > known.len() {
        let message = format!(
            "the clue {clue} needs {} cells, but the line has {}",
            clue.span(),
            known.len()
        );
        return Err(usage(message));
    }
    Ok(known)
}

fn answer(options: &Options, known: &[Option<bool>]) -> io::Result<Status> {
    let started = Instant::now();
    let clue = &options.clue;
    let number = arrangements::count(clue, known);
    let mut out = BufWriter::new(io::stdout().lock());
    if options.count && !options.json {
        writeln!(out, "{number}")?;
        out.flush()?;
        return Ok(Status::Complete);
    }
    let interrupt = Interrupt::install();
    let most = options.limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let deadline = options.time.and_then(|time| started.checked_add(time));
    let stopped = Cell::new(false);
    let listed = (!options.count).then(|| {
        Arrangements::new(clue, known)
            .take(most)
            .take_while(|_| {
                let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                stopped.set(is_late || interrupt.is_requested());
                !stopped.get()
            })
            .map(|places| lettered(clue, known, &places))
    });
    let mut forced = known.to_vec();
    let fits = line::settle(clue, &mut forced);
    if options.json {
        let listed = listed.map(|list| Cell::new(Some(list)));
        serde_json::to_writer(
            &mut out,
            &LineAnswer {
                clue: clue.lengths().collect(),
                length: known.len(),
                known: drawn(known),
                arrangements: number.to_string(),
                forced: fits.then(|| drawn(&forced)),
                contradiction: !fits,
                listed: listed.as_ref(),
            },
        )?;
        writeln!(out)?;
    } else {
        for line in listed.into_iter().flatten() {
            writeln!(out, "{line}")?;
        }
        let plural = if number == 1u32.into() { "" } else { "s" };
        writeln!(out, "{number} arrangement{plural}")?;
        if fits {
            writeln!(out, "{}", drawn(&forced))?;
        } else {
            writeln!(out, "contradiction: no arrangement fits the known cells")?;
        }
    }
    out.flush()?;
    let is_stopped = interrupt.is_requested() || stopped.get();
    Ok(Status::stopped_if(is_stopped))
}

/// Serializes a list lazily, element by element.
fn serialize_lazily<S: Serializer, I: Iterator<Item = String>>(
    list: &Option<&Cell<Option<I>>>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let list = list.and_then(Cell::take);
    serializer.collect_seq(list.into_iter().flatten())
}

/// An arrangement as text, each block with its letter.
fn lettered(clue: &Clue, known: &[Option<bool>], places: &[usize]) -> String {
    let empty = known.iter().map(|cell| match cell {
        Some(false) => '_',
        _ => '.',
    });
    let mut cells: Vec<char> = empty.collect();
    let letters = ('A'..='Z').cycle();
    for ((&place, length), letter) in places.iter().zip(clue.lengths()).zip(letters) {
        for i in place..place + length {
            cells[i] = match known[i] {
                Some(true) => letter.to_ascii_lowercase(),
                _ => letter,
            };
        }
    }
    cells.into_iter().collect()
}

/// Cells as text, in the form of `--known`.
fn drawn(cells: &[Option<bool>]) -> String {
    cells
        .iter()
        .map(|cell| match cell {
            Some(true) => '#',
            Some(false) => '.',
            None => '?',
        })
        .collect()
}

fn clue(text: &str) -> std::result::Result<Clue, String> {
    let lengths: Option<Vec<usize>> = text
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().ok().filter(|_| !number.starts_with('+')))
        .collect();
    match lengths.as_deref() {
        None => Err("expected numbers, such as '2 1' or 2,1; 0 for an empty line".to_owned()),
        Some([0]) => Ok(Clue::default()),
        Some(lengths) => {
            let clue = Clue::new(lengths.iter().copied());
            clue.map_err(|error| error.message().to_owned())
        }
    }
}

fn cells(text: &str) -> std::result::Result<LineCells, String> {
    let mut known = Vec::new();
    for (i, c) in text.chars().enumerate() {
        known.push(match c {
            '#' => Some(true),
            '.' => Some(false),
            '?' => None,
            other => {
                return Err(format!(
                    "{other:?} is cell {}: a cell is '#' filled, '.' empty or '?' unknown",
                    i + 1
                ));
            }
        });
    }
    match known.len() {
        1..=MAX_SIDE => Ok(LineCells(known)),
        length => Err(format!("a line of {length} cells: from 1 to {MAX_SIDE}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clues_are_parsed() {
        for (text, blocks) in [
            ("2 1", &[2, 1][..]),
            ("2,1", &[2, 1]),
            (" 12 ,\t3 ", &[12, 3]),
            ("0", &[]),
            ("", &[]),
        ] {
            assert_eq!(clue(text).unwrap().lengths().collect::<Vec<_>>(), blocks);
        }
        for text in [
            "a",
            "2 x",
            "-1",
            "+1",
            "1.5",
            "1 0",
            "0 0",
            "5000",
            "99999999999999999999",
        ] {
            assert!(clue(text).is_err(), "{text}");
        }
    }

    #[test]
    fn letters_begin_again_after_z() {
        let clue = Clue::new(vec![1; 28]).unwrap();
        let known = vec![None; 55];
        let places: Vec<usize> = (0..28).map(|i| 2 * i).collect();
        let text = lettered(&clue, &known, &places);
        assert!(
            text.starts_with("A.B.C.") && text.ends_with("Y.Z.A.B"),
            "{text}"
        );
    }
}
