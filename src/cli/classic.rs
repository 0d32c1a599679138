//! `omnogram classic`: the published algorithms.

use clap::Args;
use omnogram::classic::{Algorithm, Classic, Needs};
use omnogram::error::{Error, Kind};
use omnogram::puzzle::verify;
use omnogram::search::{ClassicSearch, Outcome};
use omnogram::solutions::Stop;

use super::check::Checked;
use super::collection::{Collection, CollectionOptions, Found};
use super::enumerate::Listed;
use super::options::{AnswerOptions, PuzzleOptions, SearchOptions, When, number};
use super::output::Output;
use super::session::Session;
use super::solution_output::ListingOptions;
use super::solve::Solved;
use super::status::Answered;
use super::total::Counted;
use super::words::Subject;
use super::writer::write_streamed;

/// Solve with a published algorithm
///
/// Runs one of nine published algorithms, implemented as published, on one thread. It finds one solution, unless --all, --count or --check
/// asks for more; the answers are those of solve, enumerate, count and check. --nodes limits the steps of the algorithm, and with --json
/// `nodes` is their number. An algorithm that never guesses may get stuck: then `stopped` is `stuck`, and `decided` has the cells that are
/// known.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram classic set-based puzzles/known/wiki-test.non
  omnogram classic line-order --all --limit 5 puzzles/families/permutation-9.non
  omnogram classic deducing --count --time 10s puzzles/pictures
  omnogram classic permutation-elimination --check --memory 100M puzzles/pictures")]
pub(super) struct Options {
    /// The algorithm
    #[arg(value_name = "NAME")]
    algorithm: Algorithm,

    /// List every solution, as enumerate does
    #[arg(long, group = "answer")]
    all: bool,

    /// Count the solutions
    #[arg(long, group = "answer")]
    count: bool,

    /// Find out whether there is no solution, one, or several
    #[arg(long, group = "answer")]
    check: bool,

    /// Stop after this many solutions of each puzzle
    #[arg(long, short = 'n', value_name = "N", requires = "all", value_parser = number)]
    limit: Option<u64>,

    /// Seed of the random numbers of brute-force [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = number)]
    seed: Option<u64>,

    #[command(flatten)]
    common: PuzzleOptions,
}

pub(super) fn run(options: &Options) -> Answered {
    if options.seed.is_some() && options.algorithm != Algorithm::BruteForce {
        let message = "--seed is for brute-force, which uses random numbers";
        return Err(Error::new(Kind::Usage, message).into());
    }
    let search_options = SearchOptions {
        threads: Some(1),
        progress: When::Never,
        ..options.common.search_options.clone()
    };
    let AnswerOptions { json, verbosity } = &options.common.answer_options;
    let session = Session::new(&search_options, *json, verbosity)?;
    let session = &session.giving(&options.common.given, options.common.puzzles())?;
    let asks_for_more = options.all || options.count || options.check;
    if options.algorithm == Algorithm::BruteForce && asks_for_more {
        session.note(
            "brute-force ends with its first solution: it cannot tell whether there are more",
        );
    }
    let classic = Classic::new(options.algorithm).seed(options.seed.unwrap_or(1));
    let collection_options = CollectionOptions::default();
    let mut collection = Collection::new(&collection_options, session.form(), false);
    let status = session.answer_each(options.common.puzzles(), |subject| {
        answer(session, subject, options, &classic, &mut collection)
    })?;
    if collection.summarise(session) && classic.kept() > 0 {
        let kept = format_bytes(classic.kept() as f64);
        session.note(&format!(
            "{kept} of arrangements kept for reuse between puzzles"
        ));
    }
    Ok(status)
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    classic: &Classic,
    collection: &mut Collection<'_>,
) -> Answered {
    let puzzle = subject.puzzle;
    if let Err(error) = options.algorithm.check(puzzle) {
        return session.answer_with_error(subject.raw_name, &error.in_file(subject.raw_name));
    }
    let limits = session.limits().solutions(options.limit);
    if let Some(needs) = classic.needs(puzzle, limits.memory) {
        session.note(&format!("{}: {}", subject.name, needs_text(&needs)));
    }
    let search = ClassicSearch::new(puzzle, classic.clone()).limits(limits.clone());
    if options.all {
        let output = &mut Output::Stdout;
        let list = ListingOptions::default().begin(session, subject, output)?;
        let outcome = write_streamed(output, list, &limits, |stream| search.run(stream))?;
        session.answer(&Listed {
            subject,
            outcome,
            limit: options.limit,
        })
    } else if options.count {
        let outcome = &search.count();
        session.answer(&Counted { subject, outcome })
    } else if options.check {
        let goal = puzzle.notes().goal.as_ref();
        let goal = goal.filter(|goal| verify(puzzle, goal).is_ok());
        let found = Found::two(search.first(2, goal));
        collection.add(subject, &found)?;
        session.answer(&Checked::new(subject, &found, !subject.several, None, None))
    } else {
        let (solutions, outcome) = search.first(1, None);
        let decided = decided(subject, &outcome);
        session.answer(&Solved::new(subject, &solutions, outcome, decided))
    }
}

fn decided(subject: &Subject<'_>, outcome: &Outcome) -> Option<Vec<String>> {
    let [cube] = &*outcome.cubes else { return None };
    if outcome.stopped != Some(Stop::Stuck) {
        return None;
    }
    let mut rows = vec![vec!['-'; subject.puzzle.width()]; subject.puzzle.height()];
    for decision in &cube.path {
        let cell = &mut rows[usize::from(decision.cell.row)][usize::from(decision.cell.column)];
        *cell = if decision.filled { '#' } else { '.' };
    }
    Some(rows.into_iter().map(String::from_iter).collect())
}

/// The number and size of the arrangements that an algorithm lists before its first step, in words.
fn needs_text(needs: &Needs) -> String {
    let number = if needs.arrangements < 1e15 {
        format!("{}", needs.arrangements)
    } else {
        format!("{:.1e}", needs.arrangements)
    };
    let bytes = format_bytes(needs.bytes);
    format!("{number} arrangements before the first step, {bytes}")
}

/// A number of bytes with its unit: `1.2 MB`.
fn format_bytes(bytes: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|&(unit, _)| bytes >= unit) {
        Some((unit, _)) if bytes >= 1e6 * unit => format!("{bytes:.1e} bytes"),
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
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
            assert_eq!(format_bytes(number), text);
        }
    }
}
