//! `omnogram merge`: combines the answers to cubes, and reports missing ones.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::iter;
use std::path::{Path, PathBuf};

use clap::Args;
use omnogram::census::{Slice, Tally};
use omnogram::cluster::{Answer, CubeTask, Lines, Merge, Merged, Part, SetDigest, seal};
use omnogram::error::{Error, Kind};
use omnogram::format::Solutions;
use omnogram::puzzle::Grid;
use omnogram::render::{List, Listing};
use omnogram::search::{Cube, Total};
use omnogram::solutions::{Batch, Count, Set, Sink};
use serde::Serialize;

use super::answer;
use super::census;
use super::input_files;
use super::inputs;
use super::messages;
use super::options::{AnswerOptions, Bytes, size};
use super::output::{Output, Outputs, Replacing};
use super::status::{Answered, Status};
use super::words::counted;

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

    /// Combine the files of solutions in this folder, which work --solutions-dir wrote, into one list
    #[arg(long, alias = "solutions", value_name = "DIR")]
    solutions_dir: Option<PathBuf>,

    /// The format of the solutions
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        requires = "solutions_dir"
    )]
    format: Listing,

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

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Report {
    /// `None` for a census, which has other numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<String>,
    exact: bool,
    cubes: u64,
    answers: usize,
    repeats: u64,
    missing: usize,
    problems: u64,
    nodes: u64,
    seconds: f64,
}

impl Report {
    fn new<P>(merged: &Merged<P>, exact: bool) -> Self {
        Report {
            solutions: None,
            exact,
            cubes: merged.cubes,
            answers: merged.answers.len(),
            repeats: merged.repeats,
            missing: merged.missing.len(),
            problems: merged.problem_count,
            nodes: merged.nodes,
            seconds: answer::round_to_micros(merged.seconds),
        }
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let read: Vec<PathBuf> = iter::once(&options.cubes)
        .chain(&options.results)
        .cloned()
        .collect();
    input_files::check_stdout(&[], &read)?;
    let mut outputs = Outputs::new(options.replacing, &[], &read);
    let missing = options.missing.as_deref();
    let mut missing = missing.map(|path| outputs.file(Some(path))).transpose()?;
    let list = outputs.file(options.output.as_deref())?;
    let cubes = inputs::name(&options.cubes);
    let mut reader = open(&options.cubes)?;
    if has_slices(&mut *reader) {
        let merged = merged::<Slice>(options, reader, &cubes)?;
        return merge_census(options, &merged, missing.as_mut());
    }
    let mut merged = merged::<Cube>(options, reader, &cubes)?;
    let mut status = report_problems(options, &merged);
    write_missing(&merged, missing.as_mut())?;
    let AnswerOptions { json, verbosity } = &options.answer_options;
    if let Some(folder) = &options.solutions_dir {
        let files = merged
            .answers
            .iter()
            .filter_map(|(_, answer)| answer.file.as_ref());
        let files: Vec<PathBuf> = files.map(|name| folder.join(name)).collect();
        list.refuse_overwrite(&files)?;
        let mut joiner = SolutionJoiner {
            options,
            folder,
            size: None,
            output: list,
            set: options.sort.then(|| Set::new(options.memory.0)),
            list: None,
            written: Count::ZERO,
        };
        status = status.max(joiner.join(&mut merged)?);
    }
    let print_or_note = |text: String| match (options.solutions_dir.is_some(), *json) {
        // Standard output may hold the solutions.
        (true, false) => {
            if !verbosity.quiet {
                messages::note(&text);
            }
            Ok(())
        }
        _ => Output::Stdout.write(format!("{text}\n").as_bytes()),
    };
    if *json {
        let report = Report {
            solutions: Some(merged.solutions.number().to_string()),
            ..Report::new(&merged, merged.solutions.is_exact())
        };
        print_or_note(answer::json_line(&report).trim_end().to_owned())?;
    } else {
        let unit = match (options.solutions_dir.is_some(), merged.solutions.number()) {
            (false, _) => "",
            (true, number) if *number == Count::ONE => " solution",
            (true, _) => " solutions",
        };
        print_or_note(format!("{}{unit}", merged.solutions))?;
    }
    note_work(options, &merged, "cube");
    Ok(status)
}

/// Whether this is a file of slices of a census, by its first lines.
fn has_slices(cubes: &mut dyn BufRead) -> bool {
    let lines = cubes.fill_buf().unwrap_or_default();
    let is_slice = |line: &[u8]| serde_json::from_slice::<CubeTask<Slice>>(line).is_ok();
    lines.split(|&byte| byte == b'\n').any(is_slice)
}

/// Reads the cubes and all results, and adds them up.
fn merged<P: Part>(
    options: &Options,
    reader: Box<dyn BufRead>,
    cubes: &str,
) -> Answered<Merged<P>> {
    let mut merge = Merge::<P>::default();
    merge.read_cubes(Lines::new(reader, cubes))?;
    let names: Vec<String> = options
        .results
        .iter()
        .map(|path| inputs::name(path))
        .collect();
    for (i, path) in options.results.iter().enumerate() {
        merge.read_results(Lines::new(open(path)?, &names[i]), i)?;
    }
    Ok(merge.finish(cubes, &names))
}

/// Prints the problems, and returns the status of the answer.
fn report_problems<P>(options: &Options, merged: &Merged<P>) -> Status {
    let status = match (merged.has_invalid_input, merged.solutions.is_exact()) {
        (true, _) => Status::Data,
        (false, true) => Status::Complete,
        (false, false) => Status::Stopped,
    };
    for problem in &merged.problems {
        match status {
            Status::Complete if options.answer_options.verbosity.quiet => {}
            // The total is complete in spite of this problem.
            Status::Complete => messages::error_as_warning(problem),
            _ => {
                messages::error(problem);
            }
        }
    }
    status
}

/// Writes the cubes without an answer.
fn write_missing<P: Part>(merged: &Merged<P>, output: Option<&mut Output>) -> Answered<()> {
    // Without any readable cube the missing cubes are unknown.
    if let Some(output) = output.filter(|_| merged.cubes > 0) {
        output.begin()?;
        for piece in &merged.missing {
            output.write(seal(piece).as_bytes())?;
        }
        output.finish()?;
    }
    Ok(())
}

/// Prints how much work is in the answers, unless `--quiet` is given.
fn note_work<P>(options: &Options, merged: &Merged<P>, what: &str) {
    if options.answer_options.verbosity.quiet {
        return;
    }
    messages::note(&format!(
        "{} of {}, {}, {}, {:.3} s of work",
        match merged.missing.len() {
            0 => "none missing".to_owned(),
            missing => format!("{missing} missing"),
        },
        counted(merged.cubes, what),
        counted(merged.answers.len() as u64, "answer"),
        counted(merged.repeats, "repeat"),
        merged.seconds
    ));
}

/// The numbers of a census as JSON.
#[derive(Debug, Serialize)]
struct CensusReport {
    #[serde(flatten)]
    numbers: census::Numbers,
    #[serde(flatten)]
    report: Report,
}

/// Prints the numbers of a census from the answers to its slices.
fn merge_census(
    options: &Options,
    merged: &Merged<Slice>,
    missing: Option<&mut Output>,
) -> Answered {
    if options.solutions_dir.is_some() {
        let message = "--solutions-dir is for cubes of a puzzle, but these are slices of a census";
        return Err(Error::new(Kind::Usage, message).into());
    }
    let mut status = report_problems(options, merged);
    write_missing(merged, missing)?;
    let mut tally = Tally::default();
    let tallies = merged.answers.iter().map(|(_, answer)| &answer.tally);
    tallies.flatten().for_each(|more| tally.add(more));
    let slices = merged.answers.iter().map(|(slice, _)| slice);
    let missing = merged.missing.iter().map(|task| &task.cube);
    let Some(census) = slices.chain(missing).map(Slice::census).next() else {
        return Ok(status);
    };
    let exact = merged.solutions.is_exact();
    if exact && (tally.pictures != census.pictures() || !tally.is_consistent()) {
        let message = format!(
            "these slices are not a whole census: their clue sets stand for {} pictures, but there are {}",
            tally.pictures,
            census.pictures()
        );
        messages::error(&Error::data(message));
        status = status.max(Status::Data);
    }
    let exact = exact && status == Status::Complete;
    let text = if options.answer_options.json {
        answer::json_line(&CensusReport {
            numbers: census::Numbers::new(census, &tally, exact),
            report: Report::new(merged, exact),
        })
    } else {
        census::text(census, &tally, exact)
    };
    Output::Stdout.write(text.as_bytes())?;
    note_work(options, merged, "slice");
    Ok(status)
}

fn open(path: &Path) -> Answered<Box<dyn BufRead>> {
    if inputs::is_stdin(path) {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::new(file))),
        Err(error) => Err(Error::io(&inputs::name(path), error).into()),
    }
}

/// Most errors in files of solutions that are printed.
const MAX_PRINTED_ERRORS: u64 = 5;

/// Combines the files of solutions into one list.
struct SolutionJoiner<'a> {
    options: &'a Options,
    folder: &'a Path,
    /// The width and height of the grids.
    size: Option<(usize, usize)>,
    output: Output,
    set: Option<Set>,
    list: Option<List>,
    written: Count,
}

impl SolutionJoiner<'_> {
    /// Combines the solutions of all answers. A file that does not match its answer is left out, with an error.
    fn join(&mut self, merged: &mut Merged) -> Answered {
        self.output.begin()?;
        let mut status = Status::Complete;
        let mut bad = 0;
        for (cube, answer) in &merged.answers {
            if let Err(error) = self.check(cube, answer)? {
                bad += 1;
                if bad <= MAX_PRINTED_ERRORS {
                    messages::error(&error);
                }
                status = status.max(Status::from(&error));
            }
        }
        if bad > MAX_PRINTED_ERRORS {
            let more = format!(
                "{} more problems with the files here",
                bad - MAX_PRINTED_ERRORS
            );
            let folder = self.folder.display().to_string();
            messages::error(&Error::data(more).in_file(&folder));
        }
        if let Some(set) = self.set.take()
            && let Some((width, height)) = self.size
        {
            for grid in set.into_sorted(width, height) {
                self.push(&grid)?;
            }
        }
        self.flush()?;
        self.output.finish()?;
        if status != Status::Complete {
            merged.solutions = Total::AtLeast(self.written.clone());
        }
        Ok(status)
    }

    /// Reads the file of an answer twice: first to check its solutions, then to add them to the list. The inner result is an error of this
    /// file, the outer one of writing the list.
    fn check(&mut self, cube: &Cube, answer: &Answer) -> Answered<Result<(), Error>> {
        if answer.count.is_zero() {
            return Ok(Ok(()));
        }
        let wrong = |message: &str| Ok(Err(Error::data(format!("cube {}: {message}", answer.id))));
        let (Some(name), Some(expected)) = (&answer.file, answer.set) else {
            return wrong(
                "its solutions were counted but not written: answer it again with work --solutions-dir",
            );
        };
        if !inputs::is_file_name(name) {
            return wrong("its result names a file outside the folder");
        }
        let path = self.folder.join(name);
        let shown = path.display().to_string();
        let read = || match File::open(&path) {
            Ok(file) => Ok(Solutions::new(
                BufReader::with_capacity(1 << 18, file),
                &shown,
            )),
            Err(error) => Err(Error::io(&shown, error)),
        };
        let mut set = SetDigest::new();
        let mut count = Count::ZERO;
        let solutions = match read() {
            Ok(solutions) => solutions,
            Err(error) => return Ok(Err(error)),
        };
        for grid in solutions {
            let grid = match grid {
                Ok(grid) => grid,
                Err(error) => return Ok(Err(error)),
            };
            let size = (grid.width(), grid.height());
            let bad = |message: &str| Ok(Err(Error::data(message).in_file(&shown)));
            if *self.size.get_or_insert(size) != size {
                return bad("this solution has another size than those before it");
            }
            let holds = cube.path.iter().all(|decision| {
                let (row, column) = (
                    usize::from(decision.cell.row),
                    usize::from(decision.cell.column),
                );
                row < size.1 && column < size.0 && grid.get(row, column) == decision.filled
            });
            if !holds {
                return bad("this file has a solution outside its cube");
            }
            set.add(grid.words());
            count.add_one();
        }
        if count != answer.count || set.digest() != expected {
            let message = "the solutions in this file differ from those that the result recorded";
            return Ok(Err(Error::data(message).in_file(&shown)));
        }
        let solutions = match read() {
            Ok(solutions) => solutions,
            Err(error) => return Ok(Err(error)),
        };
        for grid in solutions {
            match (grid, &self.set) {
                (Err(error), _) => return Ok(Err(error)),
                (Ok(grid), None) => self.push(&grid)?,
                (Ok(grid), Some(set)) => {
                    let mut batch = Batch::new(grid.width(), grid.height());
                    batch.push_grid(grid.words());
                    if set.take(batch).is_break() {
                        let message = format!(
                            "the solutions to sort need more than --memory {}",
                            self.options.memory
                        );
                        return Err(Error::new(Kind::Usage, message).into());
                    }
                }
            }
        }
        Ok(Ok(()))
    }

    fn push(&mut self, grid: &Grid) -> Answered<()> {
        let listing = self.options.format;
        let list = self
            .list
            .get_or_insert_with(|| List::new(listing, grid.width(), grid.height()));
        list.push(grid.words());
        self.written.add_one();
        if list.is_full() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Answered<()> {
        if let Some(list) = &mut self.list {
            self.output.write(list.bytes())?;
            list.clear();
        }
        Ok(())
    }
}
