//! `omnogram convert`: writes puzzles of any format in another, one by one as they are read.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use omnogram::error::{Error, Kind, Result};
use omnogram::format::{Entry, FORMATS, Format, Pack, ReadOptions, Threshold, TraceOptions};
use omnogram::puzzle::{MAX_SIDE, Puzzle};
use omnogram::sat::dimacs;

use super::options::Verbosity;
use super::output::{Output, Outputs, Replacing};
use super::plural::counted;
use super::session::goal_warning;
use super::status::{Answered, Halt, Status};
use super::{input_files, inputs, messages};

/// Write puzzles in another format
///
/// The input format is detected from the content unless --from is given. The output format is that of --to, or of the ending of OUT.
/// Several puzzles are written into one file if the format supports packs, otherwise into a folder, one file each, named after the input
/// files. Titles, authors, licences and goals are kept where the output format has them; a warning names what is lost. A picture is read as
/// the puzzle that has this picture as its goal; a puzzle can be written as a picture if it has a goal.
#[derive(Args, Debug)]
#[command(
    override_usage = "omnogram convert [OPTIONS] <IN>... <OUT>",
    after_help = help()
)]
pub(super) struct Options {
    /// IN: puzzle files, packs, folders, pictures, a game ID, or - for standard input; FILE#2 is the second puzzle of a pack. OUT, the
    /// last argument: the file to write, a folder, or - for standard output
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The format of all inputs [default: detected from the content]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<&'static Format>,

    /// The output format [default: that of the ending of OUT]
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,

    #[command(flatten)]
    replacing: Replacing,

    /// Set the title of every puzzle, or remove it if empty [default: its own title; in a pack, puzzles without one get their file's name]
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    /// Set the author of every puzzle, or remove it if empty [default: its own author]
    #[arg(long, value_name = "AUTHOR")]
    author: Option<String>,

    #[command(flatten)]
    tracing: TracingOptions,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// How pictures are turned into grids.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options for input pictures")]
struct TracingOptions {
    /// Scale the picture, which may have up to 200 megapixels, to W columns and H rows; with W alone, H keeps the proportions [default:
    /// one cell per pixel, up to 4096 per side]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(usize, Option<usize>)>,

    /// Fill pixels darker than this grey level, from 0 to 255; auto: choose the level by Otsu's method
    #[arg(long, value_name = "N|auto", default_value = "128", value_parser = threshold)]
    threshold: Threshold,

    /// Render greys as patterns of cells (Floyd-Steinberg dithering)
    #[arg(long)]
    dither: bool,

    /// Fill the light pixels instead of the dark ones
    #[arg(long)]
    invert: bool,
}

/// The output format.
#[derive(Clone, Copy, Debug)]
enum Target {
    Format(&'static Format),
    /// Clauses for a SAT solver; write-only.
    Dimacs,
}

/// The message for a format that cannot be written.
const READ_ONLY: &str =
    "this format can only be read; png and pbm can hold a picture with one pixel per cell";

const DIMACS: &str = "dimacs";
const DIMACS_ENDINGS: [&str; 2] = ["cnf", "dimacs"];

impl Target {
    fn name(self) -> &'static str {
        match self {
            Target::Format(format) => format.name,
            Target::Dimacs => DIMACS,
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Target::Format(format) => format.endings[0],
            Target::Dimacs => DIMACS_ENDINGS[0],
        }
    }

    /// The output format that the ending of a name stands for.
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        if DIMACS_ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
        {
            return Some(Target::Dimacs);
        }
        Format::of_ending(ending).map(Target::Format)
    }
}

fn help() -> String {
    let mut text = String::from(
        "\
Formats (r: read, w: written, p: packs of several puzzles):
",
    );
    let mut row = |name: &str, can: [bool; 3], endings: &[&str], title: &str| {
        let mark = |can, letter| if can { letter } else { '-' };
        let marks = [mark(can[0], 'r'), mark(can[1], 'w'), mark(can[2], 'p')];
        let marks = String::from_iter(marks);
        text.push_str(&format!(
            "  {name:<10} {marks}  {title} (.{})\n",
            endings.join(", .")
        ));
    };
    for format in FORMATS {
        let can = [true, format.can_write(), format.holds_several()];
        row(format.name, can, format.endings, format.title);
    }
    row(
        DIMACS,
        [false, true, false],
        &DIMACS_ENDINGS,
        "clauses for SAT solvers and projected model counters; the projection is on the cells",
    );
    text.push_str(
        "
Examples:
  omnogram convert heart.xml heart.non
  omnogram convert --to webpbn puzzles/pictures out/      one file each
  omnogram convert puzzles/pictures all.nonpack           all in one file
  omnogram convert photo.jpg --size 40 --threshold auto --title Photo photo.non
  omnogram convert 4x3:2/1.1/1.1/2/2/1.1/4 --to dimacs - | ganak

An existing file is replaced only with --force, and an input file never. No file is created when
there is nothing to write.",
    );
    text
}

fn format(text: &str) -> std::result::Result<&'static Format, String> {
    let names = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>();
    Format::named(text).ok_or_else(|| format!("expected one of {}", names().join(", ")))
}

fn target(text: &str) -> std::result::Result<Target, String> {
    if text == DIMACS {
        return Ok(Target::Dimacs);
    }
    let format = format(text).map_err(|message| format!("{message}, {DIMACS}"))?;
    match format.can_write() {
        true => Ok(Target::Format(format)),
        false => Err(READ_ONLY.to_owned()),
    }
}

fn size(text: &str) -> std::result::Result<(usize, Option<usize>), String> {
    let side = |text: &str| {
        text.parse()
            .ok()
            .filter(|side| (1..=MAX_SIDE).contains(side))
    };
    let size = match text.split_once('x') {
        Some((width, height)) => side(width)
            .zip(side(height))
            .map(|(width, height)| (width, Some(height))),
        None => side(text).map(|width| (width, None)),
    };
    size.ok_or_else(|| {
        format!("expected a width and a height from 1 to {MAX_SIDE}, such as 40x30, or a width")
    })
}

fn threshold(text: &str) -> std::result::Result<Threshold, String> {
    match text {
        "auto" => Ok(Threshold::Auto),
        text => {
            let grey = text.parse().map(Threshold::Fixed);
            grey.map_err(|_| "expected a grey from 0 to 255, or auto".to_owned())
        }
    }
}

pub(super) fn run(options: &Options) -> Status {
    let made = match options.paths.split_last() {
        Some((output, inputs)) if !inputs.is_empty() => {
            let read = input_files::check_stdout(inputs, &[]);
            let made = read.and_then(|()| Conversion::new(options, inputs, output));
            made.map(|conversion| (conversion, inputs))
        }
        _ => {
            let message = "expected at least two paths: the inputs and, last, the output";
            Err(Error::new(Kind::Usage, message))
        }
    };
    let (mut conversion, inputs) = match made {
        Ok(made) => made,
        Err(error) => return messages::fail(&error),
    };
    match conversion.run(options, inputs) {
        Ok(()) => {}
        Err(Halt::Closed) => conversion.status = conversion.status.max(Status::Stopped),
        Err(Halt::Failed(error)) => conversion.report_error(&error),
    }
    if !options.verbosity.quiet {
        conversion.report_lost_notes();
    }
    conversion.status
}

/// The destination of the puzzles.
#[derive(Debug)]
enum Destination {
    /// One file, or standard output.
    Single(Output),
    Folder(PathBuf),
}

/// The state of one conversion.
#[derive(Debug)]
struct Conversion {
    target: Target,
    outputs: Outputs,
    destination: Destination,
    /// Whether the folder of the output files exists.
    has_folder: bool,
    quiet: bool,
    title: Option<String>,
    author: Option<String>,
    /// The first puzzle and its name, until it is known whether it is the only one.
    first_puzzle: Option<(String, Puzzle)>,
    pack: Option<Pack>,
    /// For each kind of note that the output format cannot hold: the number of puzzles that lost it, and the name of the last one.
    lost_notes: BTreeMap<String, (u64, String)>,
    status: Status,
}

impl Conversion {
    fn new(options: &Options, inputs: &[PathBuf], path: &Path) -> Result<Self> {
        let name = inputs::name(path);
        let usage = |message: &str| Error::new(Kind::Usage, message);
        let folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let by_name = || Target::of(path).filter(|_| !folder && !inputs::is_stdin(path));
        let Some(target) = options.to.or_else(by_name) else {
            let message = "this name does not tell the output format: give it with --to FORMAT";
            return Err(usage(message).in_file(if inputs::is_stdin(path) {
                "<stdout>"
            } else {
                &name
            }));
        };
        if let Target::Format(format) = target
            && !format.can_write()
        {
            return Err(usage(READ_ONLY).in_file(&name));
        }
        let mut outputs = Outputs::new(options.replacing, inputs, &[]);
        let destination = match folder {
            true => Destination::Folder(path.to_owned()),
            false => Destination::Single(outputs.file(Some(path))?),
        };
        Ok(Conversion {
            target,
            outputs,
            destination,
            has_folder: false,
            quiet: options.verbosity.quiet,
            title: options.title.clone(),
            author: options.author.clone(),
            first_puzzle: None,
            pack: None,
            lost_notes: BTreeMap::new(),
            status: Status::Complete,
        })
    }

    /// Prints an error that does not end the conversion.
    fn report_error(&mut self, error: &Error) {
        messages::error(error);
        self.status = self.status.max(Status::from(error));
    }

    fn run(&mut self, options: &Options, inputs: &[PathBuf]) -> Answered<()> {
        let TracingOptions {
            size,
            threshold,
            dither,
            invert,
        } = options.tracing;
        let reading = ReadOptions::default().format(options.from).tracing(
            TraceOptions::default()
                .size(size)
                .threshold(threshold)
                .dither(dither)
                .invert(invert),
        );
        let mut ended = Ok(());
        if !self.quiet {
            for note in inputs::skipped_notes(inputs, options.from) {
                messages::note(&note);
            }
        }
        for source in inputs::find_as(inputs, options.from) {
            source.each(&reading, &mut |entry| {
                ended = self.add_entry(entry);
                ended.is_ok()
            });
            std::mem::replace(&mut ended, Ok(()))?;
        }
        self.finish()
    }

    fn add_entry(&mut self, entry: Entry) -> Answered<()> {
        let Entry { name, puzzle, .. } = entry;
        let puzzle = match puzzle {
            Ok(puzzle) => self.with_title_and_author(puzzle),
            Err(error) => {
                self.report_error(&error);
                return Ok(());
            }
        };
        if let Some(warning) =
            goal_warning(&messages::escaped(&name), &puzzle).filter(|_| !self.quiet)
        {
            messages::warning(&warning);
        }
        match (&self.destination, &self.pack, &self.first_puzzle) {
            (Destination::Folder(folder), _, _) => {
                let path = folder.join(file_name(&name, self.target.ending()));
                self.write_file(&name, &puzzle, path)
            }
            (Destination::Single(_), None, None) => {
                self.first_puzzle = Some((name, puzzle));
                Ok(())
            }
            (Destination::Single(_), Some(_), _) => self.add_to_pack(&name, &puzzle),
            (Destination::Single(_), None, Some(_)) => {
                let Target::Format(format) = self.target else {
                    return Err(self.several_puzzles_error());
                };
                self.pack = format.pack();
                if self.pack.is_none() {
                    return Err(self.several_puzzles_error());
                }
                if let Some((first, first_puzzle)) = self.first_puzzle.take() {
                    self.add_to_pack(&first, &first_puzzle)?;
                }
                self.add_to_pack(&name, &puzzle)
            }
        }
    }

    /// The puzzle with the title and the author given by the options.
    fn with_title_and_author(&self, puzzle: Puzzle) -> Puzzle {
        if self.title.is_none() && self.author.is_none() {
            return puzzle;
        }
        let mut notes = puzzle.notes().clone();
        for (asked, text) in [
            (&self.title, &mut notes.title),
            (&self.author, &mut notes.author),
        ] {
            if let Some(asked) = asked {
                *text = Some(asked.clone()).filter(|asked| !asked.is_empty());
            }
        }
        puzzle.with_notes(notes).expect("the goal is unchanged")
    }

    /// The error for a second puzzle where the output holds one.
    fn several_puzzles_error(&self) -> Halt {
        let message = format!(
            "there are several puzzles, and a file in the format {} holds one: name a folder to write to, such as out/",
            self.target.name()
        );
        Halt::Failed(Error::new(Kind::Usage, message))
    }

    /// Adds a puzzle to the pack.
    fn add_to_pack(&mut self, name: &str, puzzle: &Puzzle) -> Answered<()> {
        let Some(pack) = &mut self.pack else {
            return Ok(());
        };
        // A puzzle without a title gets the name of its file, so that the puzzles of the pack can be told apart.
        let titled = file_title(name)
            .filter(|_| puzzle.notes().title.is_none() && self.title.is_none())
            .map(|title| {
                let notes = puzzle.notes().clone();
                let title = Some(title);
                puzzle.clone().with_notes(notes.title(title))
            });
        let titled = titled.and_then(Result::ok);
        match (
            pack.add(titled.as_ref().unwrap_or(puzzle)),
            &mut self.destination,
        ) {
            (Ok(bytes), Destination::Single(output)) => {
                output.write(&bytes)?;
                self.record_lost_notes(name, puzzle);
            }
            (Ok(_), Destination::Folder(_)) => {}
            (Err(error), _) => self.report_error(&error.in_file(name)),
        }
        Ok(())
    }

    /// Writes the only puzzle, or the end of the pack.
    fn finish(&mut self) -> Answered<()> {
        let Destination::Single(output) = &mut self.destination else {
            return Ok(());
        };
        if let Some((name, puzzle)) = self.first_puzzle.take() {
            let written = write(self.target, &name, &puzzle, output)?;
            if written.is_ok() {
                output.finish()?;
            }
            self.record_result(&name, &puzzle, written);
            return Ok(());
        }
        match self.pack.take() {
            Some(pack) if pack.has_begun() => {
                output.write(pack.end().as_bytes())?;
                output.finish()
            }
            _ => Ok(()),
        }
    }

    /// Writes a puzzle to a file of its own. An error that concerns this puzzle alone is printed; one of the file system is returned.
    fn write_file(&mut self, name: &str, puzzle: &Puzzle, path: PathBuf) -> Answered<()> {
        if let Some(folder) = path.parent().filter(|_| !self.has_folder) {
            self.outputs.folder(folder).map_err(Halt::Failed)?;
            self.has_folder = true;
        }
        let mut output = match self.outputs.file(Some(&path)) {
            Ok(output) => output,
            Err(error) if error.kind() == Kind::Usage => {
                self.report_error(&error);
                return Ok(());
            }
            Err(error) => return Err(Halt::Failed(error)),
        };
        let written = write(self.target, name, puzzle, &mut output)?;
        if written.is_ok() {
            output.finish()?;
        }
        self.record_result(name, puzzle, written);
        Ok(())
    }

    /// Records the result of writing a puzzle.
    fn record_result(&mut self, name: &str, puzzle: &Puzzle, written: Result<()>) {
        match written {
            Ok(()) => self.record_lost_notes(name, puzzle),
            Err(error) => self.report_error(&error.in_file(name)),
        }
    }

    fn record_lost_notes(&mut self, name: &str, puzzle: &Puzzle) {
        let Target::Format(format) = self.target else {
            // DIMACS holds the title as a comment. Other notes are dropped without a warning, unless an option set them.
            if self
                .author
                .as_ref()
                .is_some_and(|author| !author.is_empty())
            {
                self.lost_notes
                    .insert("the author".to_owned(), (1, name.to_owned()));
            }
            return;
        };
        for lost in format.kept(puzzle).1 {
            let entry = self.lost_notes.entry(lost).or_default();
            *entry = (entry.0 + 1, messages::escaped(name).into_owned());
        }
    }

    /// Warns of the notes that the output format could not hold.
    fn report_lost_notes(&self) {
        let format = self.target.name();
        let lost = |(lost, (count, _)): (&String, &(u64, String))| match count {
            1 => lost.clone(),
            count => format!("{lost} of {}", counted(*count, "puzzle")),
        };
        let all: Vec<String> = self.lost_notes.iter().map(lost).collect();
        let names = self
            .lost_notes
            .values()
            .map(|(_, name)| name)
            .collect::<HashSet<_>>();
        let single = names.len() == 1 && self.lost_notes.values().all(|(count, _)| *count == 1);
        let name = match names.iter().next() {
            Some(name) if single => format!("{name}: "),
            Some(_) => String::new(),
            None => return,
        };
        let text = match all.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => return,
        };
        messages::warning(&format!("{name}the format {format} cannot hold {text}"));
    }
}

/// Writes one puzzle. The inner result is an error of the puzzle, the outer one of the output file.
fn write(target: Target, name: &str, puzzle: &Puzzle, output: &mut Output) -> Answered<Result<()>> {
    match target {
        Target::Format(format) => match format.write(puzzle) {
            Ok(bytes) => output.write(&bytes).map(Ok),
            Err(error) => Ok(Err(error)),
        },
        Target::Dimacs => {
            let title = puzzle.notes().title.as_deref().unwrap_or(name);
            let writer = OutputWriter { output, halt: None };
            let mut writer = BufWriter::with_capacity(1 << 16, writer);
            let written = dimacs(puzzle, title, &mut writer).and_then(|()| writer.flush());
            let (writer, _) = writer.into_parts();
            match (written, writer.halt) {
                (_, Some(halt)) => Err(halt),
                (Ok(()), None) => Ok(Ok(())),
                (Err(_), None) => Ok(Err(Error::data(
                    "this puzzle is too large to encode as clauses",
                ))),
            }
        }
    }
}

/// An [`Output`] as an [`io::Write`]; keeps the error that ended the writing.
struct OutputWriter<'a> {
    output: &'a mut Output,
    halt: Option<Halt>,
}

impl Write for OutputWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.output.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(halt) => {
                self.halt = Some(halt);
                Err(io::ErrorKind::Other.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output file for the puzzle of this name: the stem of its input file, its number in a pack, and this ending.
fn file_name(name: &str, ending: &str) -> String {
    let number = name
        .rsplit_once('#')
        .filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
    let (file, number) = number.unwrap_or((name, ""));
    let path = Path::new(file);
    let stem = match path.file_stem() {
        // A game ID may have slashes.
        Some(stem) if !omnogram::format::is_game_id(file) => stem.to_string_lossy().into_owned(),
        _ => file.to_owned(),
    };
    let stem = stem.replace(|c: char| c.is_control() || "<>:\"/\\|?*".contains(c), "-");
    let stem = stem.trim_matches('-');
    match number {
        "" => format!("{stem}.{ending}"),
        number => format!("{stem}-{number}.{ending}"),
    }
}

/// The stem of the puzzle's file, as its title; `None` for a puzzle of a pack, standard input or a game ID.
fn file_title(name: &str) -> Option<String> {
    let path = Path::new(name);
    let numbered = inputs::pack_number(name).is_some();
    if numbered || !path.is_file() {
        return None;
    }
    Some(path.file_stem()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_thresholds() {
        assert_eq!(size("40x30"), Ok((40, Some(30))));
        assert_eq!(size("40"), Ok((40, None)));
        for text in ["", "x", "0x3", "3x0", "4097", "3x", "-1", "3 x 4"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(threshold("auto"), Ok(Threshold::Auto));
        assert_eq!(threshold("255"), Ok(Threshold::Fixed(255)));
        assert!(threshold("256").is_err() && threshold("dark").is_err());
    }

    #[test]
    fn output_files_are_named_after_input_files() {
        assert_eq!(file_name("a/b.c.non", "xml"), "b.c.xml");
        assert_eq!(file_name("a/pack.nonpack#12", "nin"), "pack-12.nin");
        assert_eq!(file_name("a#b.non", "nin"), "a#b.nin");
        assert_eq!(file_name("<stdin>", "nin"), "stdin.nin");
        assert_eq!(file_name("<stdin>#2", "nin"), "stdin-2.nin");
        assert_eq!(file_name("1x1:1/1", "nin"), "1x1-1-1.nin");
    }
}
