//! `omnogram merge`: combines the answers to cubes, and reports missing ones.

use std::cell::RefCell;
use std::io::BufRead;
use std::iter;
use std::path::{Path, PathBuf};

use clap::Args;
use omnogram::census::{Slice, Tally};
use omnogram::cluster::{
    Merge, Merged, RecordReader, UnitTask, WorkUnit, checked_file, read_solutions, seal,
};
use omnogram::error::{Error, Kind};
use omnogram::puzzle::Grid;
use omnogram::render::List;
use omnogram::search::{Cube, Total};
use omnogram::solutions::{Batch, Count, Set, Sink};
use serde::Serialize;

use super::json::{json_line, round_to_micros};
use super::options::{AnswerOptions, Bytes, size};
use super::output::{self, Output, Outputs, Replacing};
use super::solution_output::SolutionFolder;
use super::status::{Answered, Status};
use super::words::{counted, counted_solutions};
use super::writer::{WriteLimits, Writer};
use super::{census, input_files, inputs, messages};

/// Combine the answers to cubes
///
/// Checks that every cube is answered, and prints the total number of solutions. A repeated answer counts once. Errors are reported, the
/// first few of each file: damaged lines, results of another puzzle or of unknown cubes, results with more solutions than the unknown cells
/// of their cube have fillings, and answers that contradict each other. If answers are missing, the number begins with "at least" and the
/// exit status is 3; if answers contradict each other, or the file of cubes is incomplete or has overlapping cubes, it is 65. Of slices of
/// a census, the numbers are printed as census prints them.
#[derive(Args, Debug)]
#[command(
    mut_arg("json", |arg| arg.help("Print one JSON object, on one line")),
    mut_arg("solutions_dir", |arg| arg.help("Combine the files of solutions in this folder, which work --solutions-dir wrote, into one list")),
    after_help = "\
Examples:
  omnogram merge cubes.jsonl results-*.jsonl
  omnogram merge --missing again.jsonl cubes.jsonl results.jsonl
  omnogram merge slices.jsonl results.jsonl                       (of a census)
  omnogram merge --solutions-dir found/ --sort --output all.txt cubes.jsonl results.jsonl"
)]
pub(super) struct Options {
    /// The file of cubes that split wrote
    #[arg(value_name = "CUBES")]
    cubes: PathBuf,

    /// The results that work wrote: files, or - for standard input
    #[arg(value_name = "RESULTS")]
    results: Vec<PathBuf>,

    /// Write the cubes without an answer to this file, as input for work
    #[arg(long, value_name = "FILE")]
    missing: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    #[command(flatten)]
    solutions: SolutionFolder,

    /// Write the solutions to this file
    #[arg(long, short, value_name = "FILE", requires = "solutions_dir")]
    output: Option<PathBuf>,

    /// Write the solutions in canonical order, '#' before '.', and each once; until then they are held in memory (see --memory)
    #[arg(long, requires = "solutions_dir")]
    sort: bool,

    /// Use at most about this much memory for --sort: 512M, 4G, 1T
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE", default_value = "4G", value_parser = size)]
    memory: Bytes,

    #[command(flatten)]
    answer_options: AnswerOptions,
}

/// The answer as JSON: the number of solutions or the numbers of a census, and what they were merged from.
#[derive(Debug, Serialize)]
struct MergeAnswer<N> {
    #[serde(flatten)]
    numbers: N,
    exact: bool,
    cubes: u64,
    answers: usize,
    repeats: u64,
    missing: usize,
    problems: u64,
    nodes: u64,
    seconds: f64,
}

fn json<U>(merged: &Merged<U>, numbers: impl Serialize, exact: bool) -> String {
    json_line(&MergeAnswer {
        numbers,
        exact,
        cubes: merged.units,
        answers: merged.results.len(),
        repeats: merged.repeats,
        missing: merged.missing.len(),
        problems: merged.problem_count,
        nodes: merged.nodes,
        seconds: round_to_micros(merged.seconds),
    })
}

pub(super) fn run(options: &Options) -> Answered {
    let read = iter::once(&options.cubes).chain(&options.results);
    let read: Vec<PathBuf> = read.cloned().collect();
    input_files::check_stdout(&[], &read)?;
    let mut outputs = Outputs::new(options.replacing, &[], &read);
    let mut missing = outputs.optional(options.missing.as_deref())?;
    let list = outputs.file(options.output.as_deref())?;
    let mut cubes = inputs::open(&options.cubes)?;
    if has_slices(&mut cubes) {
        if options.solutions.solutions_dir.is_some() {
            let message =
                "--solutions-dir is for cubes of a puzzle, but these are slices of a census";
            return Err(Error::new(Kind::Usage, message).into());
        }
        let (merged, status) = merge::<Slice>(options, cubes, missing.as_mut())?;
        answer_census(options, &merged, status)
    } else {
        let (merged, status) = merge::<Cube>(options, cubes, missing.as_mut())?;
        answer_puzzle(options, merged, status, list)
    }
}

/// Whether this is a file of slices of a census, by its first lines.
fn has_slices(cubes: &mut dyn BufRead) -> bool {
    let lines = cubes.fill_buf().unwrap_or_default();
    let is_slice = |line: &[u8]| serde_json::from_slice::<UnitTask<Slice>>(line).is_ok();
    lines.split(|&byte| byte == b'\n').any(is_slice)
}

/// Reads the cubes and all results, and adds them up. Prints the problems, and writes the cubes without an answer. Also returns the status
/// of the answer.
fn merge<U: WorkUnit>(
    options: &Options,
    cubes: impl BufRead,
    missing: Option<&mut Output>,
) -> Answered<(Merged<U>, Status)> {
    let mut merge = Merge::default();
    merge.read_units(RecordReader::new(cubes, &inputs::name(&options.cubes)))?;
    for path in &options.results {
        merge.read_results(RecordReader::new(inputs::open(path)?, &inputs::name(path)))?;
    }
    let merged = merge.finish();
    let status = match (merged.has_invalid_input, merged.solutions.is_exact()) {
        (true, _) => Status::Data,
        (false, true) => Status::Complete,
        (false, false) => Status::Stopped,
    };
    for problem in &merged.problems {
        if status != Status::Complete {
            messages::error(problem);
        } else if !options.answer_options.verbosity.quiet {
            // The total is complete in spite of this problem.
            messages::print_error("warning", problem);
        }
    }
    // Without any readable cube the missing cubes are unknown.
    if let Some(output) = missing.filter(|_| merged.units > 0) {
        output.begin()?;
        for task in &merged.missing {
            output.write(seal(task).as_bytes())?;
        }
        output.finish()?;
    }
    Ok((merged, status))
}

/// Prints the number of solutions, and combines their files if that is wanted.
fn answer_puzzle(
    options: &Options,
    mut merged: Merged,
    mut status: Status,
    mut list: Output,
) -> Answered {
    if let Some(folder) = &options.solutions.solutions_dir {
        let results = merged.results.iter();
        let files = results.filter_map(|(_, result)| Some(folder.join(result.file.as_ref()?)));
        list.refuse_overwrite(&files.collect::<Vec<_>>())?;
        status = status.max(join(options, folder, &mut list, &mut merged)?);
    }
    let solutions = &merged.solutions;
    if options.answer_options.json {
        let numbers = serde_json::json!({ "solutions": solutions.number().to_string() });
        output::print(&json(&merged, numbers, solutions.is_exact()))?;
    } else if options.solutions.solutions_dir.is_none() {
        output::print(&format!("{solutions}\n"))?;
    } else {
        // Standard output may hold the solutions.
        note(options, &counted_solutions(solutions));
    }
    note_work(options, &merged, "cube");
    Ok(status)
}

fn answer_census(options: &Options, merged: &Merged<Slice>, mut status: Status) -> Answered {
    let mut tally = Tally::default();
    let tallies = merged.results.iter().map(|(_, result)| &result.tally);
    tallies.flatten().for_each(|more| tally.add(more));
    let slices = merged.results.iter().map(|(slice, _)| slice);
    let missing = merged.missing.iter().map(|task| &task.unit);
    let Some(census) = slices.chain(missing).map(Slice::census).next() else {
        return Ok(status);
    };
    let mut exact = merged.solutions.is_exact();
    if exact && (tally.pictures != census.pictures() || !tally.is_consistent()) {
        let message = format!(
            "these slices are not a whole census: their clue sets stand for {} pictures, but there are {}",
            tally.pictures,
            census.pictures()
        );
        status = status.max(messages::error(&Error::data(message)));
    }
    exact &= status == Status::Complete;
    output::print(&if options.answer_options.json {
        json(merged, census::Numbers::new(census, &tally, exact), exact)
    } else {
        census::text(census, &tally, exact)
    })?;
    note_work(options, merged, "slice");
    Ok(status)
}

fn note_work<U>(options: &Options, merged: &Merged<U>, what: &str) {
    let missing = match merged.missing.len() {
        0 => "none".to_owned(),
        missing => missing.to_string(),
    };
    let work = format!(
        "{missing} missing of {}, {}, {}, {:.3} s of work",
        counted(merged.units, what),
        counted(merged.results.len() as u64, "answer"),
        counted(merged.repeats, "repeat"),
        merged.seconds
    );
    note(options, &work);
}

/// Prints a message, unless `--quiet` is given.
fn note(options: &Options, text: &str) {
    if !options.answer_options.verbosity.quiet {
        messages::note(text);
    }
}

/// Most errors in files of solutions that are printed.
const MAX_PRINTED_ERRORS: u64 = 5;

/// Combines the files of solutions into one list. A file that does not match its result is left out, with an error.
fn join(options: &Options, folder: &Path, output: &mut Output, merged: &mut Merged) -> Answered {
    output.begin()?;
    let problems = RefCell::new((Status::Complete, 0));
    let report = |error: Error| {
        let (status, number) = &mut *problems.borrow_mut();
        *status = (*status).max(Status::from(&error));
        *number += 1;
        if *number <= MAX_PRINTED_ERRORS {
            messages::error(&error);
        }
    };
    let (mut files, mut size) = (Vec::new(), None);
    for (cube, result) in &merged.results {
        match checked_file(folder, cube, result, &mut size) {
            Ok(file) => files.extend(file),
            Err(error) => report(error),
        }
    }
    let mut written = 0;
    if let Some((width, height)) = size {
        let list = List::new(options.solutions.format, width, height);
        let writer = Writer::new(output, list, WriteLimits::default());
        let solutions = (files.iter())
            .filter_map(|file| read_solutions(file).map_err(&report).ok())
            .flatten()
            .filter_map(|grid| grid.map_err(&report).ok());
        (written, _) = if options.sort {
            writer.write_grids(&sorted(options, solutions, width, height)?)?
        } else {
            writer.write_each(|show| {
                for grid in solutions {
                    if !show(Some(grid.words())) {
                        break;
                    }
                }
            })?
        };
    }
    output.finish()?;
    let (status, number) = problems.into_inner();
    if number > MAX_PRINTED_ERRORS {
        let more = number - MAX_PRINTED_ERRORS;
        let error = Error::data(format!("{more} more problems with the files here"));
        messages::error(&error.in_file(&folder.display().to_string()));
    }
    if status != Status::Complete {
        merged.solutions = Total::AtLeast(Count::from(written));
    }
    Ok(status)
}

/// The solutions in canonical order, each once.
fn sorted(
    options: &Options,
    solutions: impl Iterator<Item = Grid>,
    width: usize,
    height: usize,
) -> Answered<Vec<Grid>> {
    let set = Set::new(options.memory.0);
    for grid in solutions {
        let mut batch = Batch::new(width, height);
        batch.push_grid(grid.words());
        if set.take(batch).is_break() {
            let memory = &options.memory;
            let message = format!("the solutions to sort need more than --memory {memory}");
            return Err(Error::new(Kind::Usage, message).into());
        }
    }
    Ok(set.into_sorted(width, height))
}
