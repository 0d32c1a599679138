//! Puzzles as files in any format: one puzzle per file, several in a pack, or a folder with a file for each. An existing file is replaced
//! only if the command line allows it, and an input file never.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use omnogram::error::{Error, Kind, Result};
use omnogram::format::{FORMATS, Format, Pack};
use omnogram::puzzle::Puzzle;
use omnogram::sat::dimacs;

use super::output::{Output, Outputs, Replacing};
use super::status::{Answered, Failure, Status};
use super::words::counted;
use super::{inputs, messages};

/// The output format.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Format(&'static Format),
    /// Clauses for a SAT solver; write-only.
    Dimacs,
}

/// The message for a format that cannot be written.
const READ_ONLY: &str =
    "this format can only be read; png and pbm can hold a picture with one pixel per cell";

pub(super) const DIMACS: &str = "dimacs";
pub(super) const DIMACS_ENDINGS: [&str; 2] = ["cnf", "dimacs"];

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
    pub(super) fn of(path: &Path) -> Option<Self> {
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

/// Parses the name of a format.
pub(super) fn format(text: &str) -> std::result::Result<&'static Format, String> {
    let names = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>();
    Format::named(text).ok_or_else(|| format!("expected one of {}", names().join(", ")))
}

/// Parses the name of an output format.
pub(super) fn target(text: &str) -> std::result::Result<Target, String> {
    if text == DIMACS {
        return Ok(Target::Dimacs);
    }
    let format = format(text).map_err(|message| format!("{message}, {DIMACS}"))?;
    if format.can_write() {
        Ok(Target::Format(format))
    } else {
        Err(READ_ONLY.to_owned())
    }
}

/// The destination of the puzzles.
#[derive(Debug)]
enum Destination {
    /// One file, or standard output.
    Single(Output),
    Folder(PathBuf),
}

/// Puzzles that are written one by one, as they come.
#[derive(Debug)]
pub(super) struct PuzzleOutput {
    target: Target,
    outputs: Outputs,
    destination: Destination,
    /// Whether the folder of the output files exists.
    has_folder: bool,
    /// The notes that the command line sets for all puzzles.
    pub(super) notes: SetNotes,
    /// The first puzzle and its name, until it is known whether it is the only one.
    first_puzzle: Option<(String, Puzzle)>,
    pack: Option<Pack>,
    /// For each kind of note that the output format cannot hold: the number of puzzles that lost it, and the name of the last one.
    lost_notes: BTreeMap<String, (u64, String)>,
    status: Status,
}

/// Which notes the command line sets for all puzzles.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SetNotes {
    pub(super) title: bool,
    /// Whether it sets an author that is not empty.
    pub(super) author: bool,
}

impl PuzzleOutput {
    /// An output to this file or folder, of a command that reads the files that these PUZZLE arguments name, and these files. The format
    /// is `to`, or that of the ending.
    pub(super) fn new(
        path: &Path,
        to: Option<Target>,
        replacing: Replacing,
        inputs: &[PathBuf],
        files: &[PathBuf],
    ) -> Result<Self> {
        let name = inputs::name(path);
        let usage = |message: &str| Error::new(Kind::Usage, message);
        let folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let by_name = || Target::of(path).filter(|_| !folder && !inputs::is_stdin(path));
        let Some(target) = to.or_else(by_name) else {
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
        let mut outputs = Outputs::new(replacing, inputs, files);
        let destination = if folder {
            Destination::Folder(path.to_owned())
        } else {
            Destination::Single(outputs.file(Some(path))?)
        };
        Ok(PuzzleOutput {
            target,
            outputs,
            destination,
            has_folder: false,
            notes: SetNotes::default(),
            first_puzzle: None,
            pack: None,
            lost_notes: BTreeMap::new(),
            status: Status::Complete,
        })
    }

    /// An error if the format cannot hold this number of puzzles.
    pub(super) fn check_number(&self, puzzles: u64) -> Result<()> {
        let holds_several = match (&self.destination, self.target) {
            (Destination::Folder(_), _) => true,
            (Destination::Single(_), Target::Format(format)) => format.holds_several(),
            (Destination::Single(_), Target::Dimacs) => false,
        };
        if holds_several || puzzles < 2 {
            Ok(())
        } else {
            Err(self.several_puzzles_error())
        }
    }

    /// Prints an error that does not end the output.
    pub(super) fn report_error(&mut self, error: &Error) {
        self.status = self.status.max(messages::error(error));
    }

    /// Writes a puzzle with this name, or keeps it until it is known whether it is the only one. An error of this puzzle alone is printed.
    pub(super) fn add(&mut self, name: String, puzzle: Puzzle) -> Answered<()> {
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
                    return Err(self.several_puzzles_error().into());
                };
                self.pack = format.pack();
                if self.pack.is_none() {
                    return Err(self.several_puzzles_error().into());
                }
                if let Some((first, first_puzzle)) = self.first_puzzle.take() {
                    self.add_to_pack(&first, &first_puzzle)?;
                }
                self.add_to_pack(&name, &puzzle)
            }
        }
    }

    /// The error for a second puzzle where the output holds one.
    fn several_puzzles_error(&self) -> Error {
        let message = format!(
            "there are several puzzles, and a file in the format {} holds one: name a folder to write to, such as out/",
            self.target.name()
        );
        Error::new(Kind::Usage, message)
    }

    /// Adds a puzzle to the pack.
    fn add_to_pack(&mut self, name: &str, puzzle: &Puzzle) -> Answered<()> {
        let Some(pack) = &mut self.pack else {
            return Ok(());
        };
        // A puzzle without a title gets the name of its file, so that the puzzles of the pack can be told apart.
        let titled = file_title(name)
            .filter(|_| puzzle.notes().title.is_none() && !self.notes.title)
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
                write_piece(output, &bytes)?;
                self.record_lost_notes(name, puzzle);
            }
            (Ok(_), Destination::Folder(_)) => {}
            (Err(error), _) => self.report_error(&error.in_file(name)),
        }
        Ok(())
    }

    /// Writes the only puzzle, or the end of the pack.
    pub(super) fn finish(&mut self) -> Answered<()> {
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
                write_piece(output, pack.end().as_bytes())?;
                output.finish()
            }
            _ => Ok(()),
        }
    }

    /// Writes a puzzle to a file of its own. An error that concerns this puzzle alone is printed; one of the file system is returned.
    fn write_file(&mut self, name: &str, puzzle: &Puzzle, path: PathBuf) -> Answered<()> {
        if let Some(folder) = path.parent().filter(|_| !self.has_folder) {
            self.outputs.folder(folder)?;
            self.has_folder = true;
        }
        let mut output = match self.outputs.file(Some(&path)) {
            Ok(output) => output,
            Err(error) if error.kind() == Kind::Usage => {
                self.report_error(&error);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
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
            if self.notes.author {
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

    /// Ends the output: warns of notes that were lost, unless `quiet`, and returns the gravest status of the puzzles.
    pub(super) fn end(self, quiet: bool) -> Status {
        if !quiet {
            self.report_lost_notes();
        }
        self.status
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
            Ok(bytes) => write_piece(output, &bytes).map(Ok),
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

/// Writes a piece of a puzzle file. A terminal gets its text with control characters escaped, because titles may have some; every other
/// output gets the bytes themselves.
fn write_piece(output: &mut Output, bytes: &[u8]) -> Answered<()> {
    output.begin()?;
    match str::from_utf8(bytes) {
        Ok(text) if output.is_terminal() => output.write(messages::escaped_lines(text).as_bytes()),
        _ => output.write(bytes),
    }
}

/// An [`Output`] as an [`io::Write`]; keeps the error that ended the writing.
struct OutputWriter<'a> {
    output: &'a mut Output,
    halt: Option<Failure>,
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
    fn output_files_are_named_after_input_files() {
        assert_eq!(file_name("a/b.c.non", "xml"), "b.c.xml");
        assert_eq!(file_name("a/pack.nonpack#12", "nin"), "pack-12.nin");
        assert_eq!(file_name("a#b.non", "nin"), "a#b.nin");
        assert_eq!(file_name("<stdin>", "nin"), "stdin.nin");
        assert_eq!(file_name("<stdin>#2", "nin"), "stdin-2.nin");
        assert_eq!(file_name("1x1:1/1", "nin"), "1x1-1-1.nin");
    }
}
