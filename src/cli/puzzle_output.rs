//! Puzzles as files in any format: one puzzle per file, several in a pack, or a folder with a file for each. An existing file is replaced
//! only if the command line allows it, and an input file never.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write};
use std::mem;
use std::path::{Path, PathBuf};

use omnogram::error::{Error, Kind, Result};
use omnogram::format::{FORMATS, Format, GIVEN_CELLS, Pack};
use omnogram::puzzle::Puzzle;
use omnogram::sat::dimacs;

use super::output::{Output, Outputs, Replacing, is_folder};
use super::status::{Answered, Failure, Status, usage};
use super::words::{counted, pack_number};
use super::{inputs, messages};

#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    name: &'static str,
    ending: &'static str,
    /// `None` for clauses for a SAT solver.
    format: Option<&'static Format>,
}

const READ_ONLY: &str =
    "this format can only be read; png and pbm can hold a picture with one pixel per cell";

pub(super) const DIMACS: &str = "dimacs";
pub(super) const DIMACS_ENDINGS: [&str; 2] = ["cnf", "dimacs"];

impl From<&'static Format> for Target {
    fn from(format: &'static Format) -> Self {
        Target {
            name: format.name,
            ending: format.endings[0],
            format: Some(format),
        }
    }
}

impl Target {
    const CLAUSES: Target = Target {
        name: DIMACS,
        ending: DIMACS_ENDINGS[0],
        format: None,
    };

    /// The output format that the ending of a name stands for.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let mut dimacs = DIMACS_ENDINGS.iter();
        if dimacs.any(|known| ending.eq_ignore_ascii_case(known)) {
            return Some(Target::CLAUSES);
        }
        Format::of_ending(ending).map(Target::from)
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
        return Ok(Target::CLAUSES);
    }
    let format = format(text).map_err(|message| format!("{message}, {DIMACS}"))?;
    if format.can_write() {
        Ok(format.into())
    } else {
        Err(READ_ONLY.to_owned())
    }
}

/// Puzzles that are written one by one, as they come.
#[derive(Debug)]
pub(super) struct PuzzleOutput {
    target: Target,
    outputs: Outputs,
    /// The folder that gets a file for each puzzle, if there is one.
    folder: Option<PathBuf>,
    /// The output of all puzzles otherwise.
    output: Output,
    /// Whether the command line sets the title of all puzzles.
    pub(super) sets_title: bool,
    /// Whether it sets an author that is not empty.
    pub(super) sets_author: bool,
    /// The first puzzle and its name, until it is known whether it is the only one.
    first_puzzle: Option<(String, Puzzle)>,
    pack: Option<Pack>,
    /// For given cells and each kind of note that the output format cannot hold: the number of puzzles that lost it, and the name of the last one.
    lost_notes: BTreeMap<String, (u64, String)>,
    /// Number of given cells that the output format cannot hold, of all puzzles.
    lost_given_cells: u64,
    status: Status,
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
        let is_stdout = inputs::is_stdin(path);
        let name = if is_stdout {
            "<stdout>".to_owned()
        } else {
            path.display().to_string()
        };
        let folder = Some(path.to_owned()).filter(|path| is_folder(path));
        let by_name = || Target::of(path).filter(|_| folder.is_none() && !is_stdout);
        let Some(target) = to.or_else(by_name) else {
            let message = "this name does not tell the output format: give it with --to FORMAT";
            return Err(usage(message).in_file(&name));
        };
        if target.format.is_some_and(|format| !format.can_write()) {
            return Err(usage(READ_ONLY).in_file(&name));
        }
        let mut outputs = Outputs::new(replacing, inputs, files);
        let output = match &folder {
            Some(_) => Output::Stdout,
            None => outputs.file(Some(path))?,
        };
        Ok(PuzzleOutput {
            target,
            outputs,
            folder,
            output,
            sets_title: false,
            sets_author: false,
            first_puzzle: None,
            pack: None,
            lost_notes: BTreeMap::new(),
            lost_given_cells: 0,
            status: Status::Complete,
        })
    }

    /// An error if the format cannot hold this number of puzzles.
    pub(super) fn check_number(&self, puzzles: u64) -> Result<()> {
        let holds_several = self.target.format.is_some_and(Format::holds_several);
        if self.folder.is_some() || holds_several || puzzles < 2 {
            return Ok(());
        }
        Err(self.several_puzzles_error())
    }

    /// Prints an error that does not end the output.
    pub(super) fn report_error(&mut self, error: &Error) {
        self.status = self.status.max(messages::error(error));
    }

    /// Writes a puzzle with this name, or keeps it until it is known whether it is the only one. An error of this puzzle alone is printed.
    pub(super) fn add(&mut self, name: String, puzzle: Puzzle) -> Answered<()> {
        if let Some(folder) = &self.folder {
            return match self.outputs.file_for(&name, folder, self.target.ending) {
                Ok(output) => self.write_file(&name, &puzzle, output),
                Err(error) if error.kind() == Kind::Usage => {
                    self.report_error(&error);
                    Ok(())
                }
                Err(error) => Err(error.into()),
            };
        }
        if self.pack.is_none() {
            if self.first_puzzle.is_none() {
                self.first_puzzle = Some((name, puzzle));
                return Ok(());
            }
            let pack = self.target.format.and_then(Format::pack);
            self.pack = Some(pack.ok_or_else(|| self.several_puzzles_error())?);
            if let Some((first, first_puzzle)) = self.first_puzzle.take() {
                self.add_to_pack(&first, &first_puzzle)?;
            }
        }
        self.add_to_pack(&name, &puzzle)
    }

    /// The error for a second puzzle where the output holds one.
    fn several_puzzles_error(&self) -> Error {
        let message = format!(
            "there are several puzzles, and a file in the format {} holds one: name a folder to write to, such as out/",
            self.target.name
        );
        usage(message)
    }

    fn add_to_pack(&mut self, name: &str, puzzle: &Puzzle) -> Answered<()> {
        let Some(pack) = &mut self.pack else {
            return Ok(());
        };
        // A puzzle without a title gets the name of its file, so that the puzzles of the pack can be told apart.
        let titled = file_title(name)
            .filter(|_| puzzle.notes().title.is_none() && !self.sets_title)
            .and_then(|title| {
                let notes = puzzle.notes().clone().title(title);
                puzzle.clone().with_notes(notes).ok()
            });
        match pack.add(titled.as_ref().unwrap_or(puzzle)) {
            Ok(bytes) => {
                write_piece(&mut self.output, &bytes)?;
                self.record_lost_notes(name, puzzle);
            }
            Err(error) => self.report_error(&error.in_file(name)),
        }
        Ok(())
    }

    /// Writes the only puzzle, or the end of the pack.
    pub(super) fn finish(&mut self) -> Answered<()> {
        if let Some((name, puzzle)) = self.first_puzzle.take() {
            let output = mem::replace(&mut self.output, Output::Stdout);
            return self.write_file(&name, &puzzle, output);
        }
        match self.pack.take() {
            Some(pack) if pack.has_begun() => {
                write_piece(&mut self.output, pack.end().as_bytes())?;
                self.output.finish()
            }
            _ => Ok(()),
        }
    }

    /// Writes a puzzle to a file of its own. An error that concerns this puzzle alone is printed; one of the file system is returned.
    fn write_file(&mut self, name: &str, puzzle: &Puzzle, mut output: Output) -> Answered<()> {
        match write(self.target, name, puzzle, &mut output)? {
            Ok(()) => {
                output.finish()?;
                self.record_lost_notes(name, puzzle);
            }
            Err(error) => self.report_error(&error.in_file(name)),
        }
        Ok(())
    }

    fn record_lost_notes(&mut self, name: &str, puzzle: &Puzzle) {
        let Some(format) = self.target.format else {
            // DIMACS holds the title as a comment. Other notes are dropped without a warning, unless an option set them.
            if self.sets_author {
                self.lost_notes
                    .insert("the author".to_owned(), (1, name.to_owned()));
            }
            return;
        };
        for lost in format.kept(puzzle).1 {
            if lost == GIVEN_CELLS {
                self.lost_given_cells += puzzle.given_cells().count() as u64;
            }
            let entry = self.lost_notes.entry(lost).or_default();
            *entry = (entry.0 + 1, messages::escaped(name).into_owned());
        }
    }

    /// Warns of given cells only that the format could not hold: the notes are of no one's making.
    pub(super) fn forgive_notes(&mut self) {
        self.lost_notes.retain(|lost, _| lost == GIVEN_CELLS);
    }

    /// Ends the output: warns of what the format could not hold, unless `quiet`, and returns the gravest status of the puzzles.
    pub(super) fn end(self, quiet: bool) -> Status {
        let lost = self.lost_notes.iter().map(|(lost, (count, _))| {
            let lost = match lost.as_str() {
                GIVEN_CELLS => counted(self.lost_given_cells, "given cell"),
                lost => lost.to_owned(),
            };
            match count {
                1 => lost,
                count => format!("{lost} of {}", counted(*count, "puzzle")),
            }
        });
        let texts: Vec<String> = lost.collect();
        let text = match texts.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => return self.status,
        };
        let puzzles: BTreeSet<_> = self.lost_notes.into_values().collect();
        // The name of the only puzzle that lost notes.
        let name = match puzzles.first() {
            Some((1, name)) if puzzles.len() == 1 => format!("{name}: "),
            _ => String::new(),
        };
        if !quiet {
            let format = self.target.name;
            messages::warning(&format!("{name}the format {format} cannot hold {text}"));
        }
        self.status
    }
}

/// Writes one puzzle. The inner result is an error of the puzzle, the outer one of the output file.
fn write(target: Target, name: &str, puzzle: &Puzzle, output: &mut Output) -> Answered<Result<()>> {
    if let Some(format) = target.format {
        return match format.write(puzzle) {
            Ok(bytes) => write_piece(output, &bytes).map(Ok),
            Err(error) => Ok(Err(error)),
        };
    }
    let title = puzzle.notes().title.as_deref().unwrap_or(name);
    let mut writer = BufWriter::with_capacity(1 << 16, output);
    let written = dimacs(puzzle, title, &mut writer).and_then(|()| writer.flush());
    // What is still in the buffer after an error is not written.
    let _ = writer.into_parts();
    match written {
        Ok(()) => Ok(Ok(())),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            let message = "this puzzle is too large to encode as clauses";
            Ok(Err(Error::data(message)))
        }
        Err(error) => Err(Failure::writing(name, error)),
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

/// The stem of the puzzle's file, as its title; `None` for a puzzle of a pack, standard input or a game ID.
fn file_title(name: &str) -> Option<String> {
    let path = Path::new(name);
    if pack_number(name).is_some() || !path.is_file() {
        return None;
    }
    Some(path.file_stem()?.to_string_lossy().into_owned())
}
