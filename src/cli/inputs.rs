//! The PUZZLE arguments: files, packs, one puzzle of a pack, folders, standard input, or a game ID or an address, which is the puzzle
//! itself. Folders are searched for names with a known ending; a file that is named directly is read whatever its name. All files are
//! found first and then read one at a time.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use omnogram::error::Error;
use omnogram::format::{self, Entry, FORMATS, Format, ReadOptions};

use super::messages;
use super::status::usage;
use super::words::counted;

/// Most characters of a game ID or an address in the name of its puzzle.
const MAX_WORD_CHARS: usize = 40;

/// Most bytes of an input file.
const MAX_FILE_BYTES: u64 = 256 << 20;

#[derive(Debug)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
    /// One puzzle of a pack, by its number from 1: `pack.nonpack#2`, as answers name it.
    PackPuzzle(PathBuf, usize),
    /// A game ID or an address on the command line, and its format.
    Word(String, &'static Format),
    /// The error of an argument that is no source, with its name.
    Invalid(Error),
}

pub(super) fn is_stdin(argument: &Path) -> bool {
    argument == Path::new("-")
}

/// Opens a file, or standard input for `-`.
pub(super) fn open_file(path: &Path) -> Result<Box<dyn Read + Send>, Error> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| Error::io(&name(path), error))?;
    Ok(Box::new(file))
}

/// An error if standard input is both a puzzle and one of the other files that a command reads.
pub(super) fn check_stdin_once(puzzles: &[PathBuf], files: &[PathBuf]) -> Result<(), Error> {
    let named = |paths: &[PathBuf]| paths.iter().any(|path| is_stdin(path));
    if named(puzzles) && named(files) {
        return Err(usage("standard input can be read only once"));
    }
    Ok(())
}

/// The name of an input path in messages and answers.
pub(super) fn name(path: &Path) -> String {
    if is_stdin(path) {
        return "<stdin>".to_owned();
    }
    path.display().to_string()
}

/// The sources that the arguments name, in order; folders recursively, sorted by name.
pub(super) fn find(arguments: &[PathBuf]) -> Vec<Source> {
    find_as(arguments, None)
}

/// The same; with a format, folders are searched only for its endings.
pub(super) fn find_as(arguments: &[PathBuf], format: Option<&Format>) -> Vec<Source> {
    let endings = searched_endings(format);
    let mut sources = Vec::new();
    let mut stdin = false;
    for path in arguments {
        if is_stdin(path) {
            sources.push(if stdin {
                invalid(path, usage("standard input can be read only once"))
            } else {
                Source::Stdin
            });
            stdin = true;
        } else if path.is_dir() {
            let (mut found, _) = search(path, &endings);
            if found.is_empty() {
                let message = format!("no puzzle files (.{}) in this folder", endings.join(", ."));
                found.push(invalid(path, Error::data(message)));
            }
            sources.append(&mut found);
        } else {
            let found = pack_puzzle(path).or_else(|| word(path));
            sources.push(found.unwrap_or_else(|| Source::File(path.clone())));
        }
    }
    sources
}

fn searched_endings(format: Option<&Format>) -> Vec<&'static str> {
    let formats = FORMATS.iter().filter(|other| match format {
        Some(format) => other.name == format.name,
        None => other.puzzles_only,
    });
    formats.flat_map(|format| format.endings).copied().collect()
}

/// Most endings of skipped files that a note lists.
const MAX_NAMED_KINDS: usize = 6;

/// Prints a note for each folder argument that contains files that are not read: their number, their endings and the reason.
pub(super) fn note_skipped(arguments: &[PathBuf], format: Option<&Format>) {
    let endings = searched_endings(format);
    let folders = arguments.iter().filter(|path| path.is_dir());
    let notes = folders.filter_map(|folder| skipped_note(folder, &endings));
    notes.for_each(|note| messages::note(&note));
}

fn skipped_note(folder: &Path, endings: &[&str]) -> Option<String> {
    let (read, skipped) = search(folder, endings);
    let example = skipped
        .iter()
        .find(|path| FORMATS.iter().any(|f| has_ending(path, f.endings)));
    // A folder without any puzzle file gets an error from `find_as` instead.
    if skipped.is_empty() || (read.is_empty() && example.is_none()) {
        return None;
    }
    let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
    for path in &skipped {
        let kind = match path.extension() {
            Some(ending) => format!(".{}", ending.to_string_lossy().to_lowercase()),
            None => "without an ending".to_owned(),
        };
        *numbers.entry(kind).or_default() += 1;
    }
    let mut kinds: Vec<_> = numbers.into_iter().collect();
    kinds.sort_by_key(|&(_, number)| Reverse(number));
    let most = kinds.iter().take(MAX_NAMED_KINDS);
    let most = most.map(|(kind, number)| format!("{number} {kind}"));
    let mut named: Vec<String> = most.collect();
    if kinds.len() > MAX_NAMED_KINDS {
        named.push("others".to_owned());
    }
    Some(format!(
        "{}: {} of {} skipped ({}): in a folder only .{} are read; to read others name them{}",
        folder.display(),
        skipped.len(),
        counted((read.len() + skipped.len()) as u64, "file"),
        named.join(", "),
        endings.join(", ."),
        example.map_or(String::new(), |path| format!(
            ", such as {}",
            path.display()
        )),
    ))
}

pub(super) fn files(arguments: &[PathBuf]) -> Vec<PathBuf> {
    let sources = find(arguments).into_iter();
    sources
        .filter_map(|source| match source {
            Source::File(path) | Source::PackPuzzle(path, _) => Some(path),
            Source::Stdin | Source::Word(..) | Source::Invalid(_) => None,
        })
        .collect()
}

fn invalid(path: &Path, error: Error) -> Source {
    Source::Invalid(error.in_file(&name(path)))
}

/// The puzzle of a pack that `FILE#NUMBER` names, unless a file of exactly this name exists.
fn pack_puzzle(path: &Path) -> Option<Source> {
    let (pack, number) = path.to_str()?.rsplit_once('#')?;
    let number = number.parse().ok()?;
    let pack = PathBuf::from(pack);
    (!path.exists() && pack.is_file()).then_some(Source::PackPuzzle(pack, number))
}

/// The argument as a puzzle itself, unless a file of this name exists.
fn word(path: &Path) -> Option<Source> {
    let word = path.to_str()?;
    let format = format::of_word(word)?;
    (!path.exists()).then(|| Source::Word(word.to_owned(), format))
}

/// The files of a folder and its subfolders, sorted by name: those with one of these endings as sources, and the others. Hidden files are
/// left out, and linked folders are not entered, as links may form a cycle.
fn search(folder: &Path, endings: &[&str]) -> (Vec<Source>, Vec<PathBuf>) {
    let (mut sources, mut others) = (Vec::new(), Vec::new());
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return (vec![invalid(folder, Error::io("", error))], others),
    };
    entries.sort_unstable_by_key(|entry| entry.file_name());
    for entry in entries {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let (mut sources_there, mut others_there) = search(&path, endings);
            sources.append(&mut sources_there);
            others.append(&mut others_there);
        } else if has_ending(&path, endings) && (path.is_file() || !path.exists()) {
            // A dangling link is kept, so that reading it gives an error; a pipe is left out, as reading it might block.
            sources.push(Source::File(path));
        } else if path.is_file() {
            others.push(path);
        }
    }
    (sources, others)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let own = path.extension().unwrap_or_default();
    endings.iter().any(|known| own.eq_ignore_ascii_case(known))
}

impl Source {
    /// Whether reading it may block until another process writes.
    pub(super) fn may_block(&self) -> bool {
        match self {
            Source::Stdin => true,
            Source::File(path) | Source::PackPuzzle(path, _) => !path.is_file(),
            Source::Word(..) | Source::Invalid(_) => false,
        }
    }

    /// Reads all puzzles, or errors in their place; at least one entry. May block on standard input or a pipe.
    pub(super) fn read(self) -> Vec<Entry> {
        let mut entries = Vec::new();
        self.each(&ReadOptions::default(), &mut |entry| {
            entries.push(entry);
            true
        });
        entries
    }

    /// Calls `take` with each puzzle, or the error in its place, as it is read, until `take` returns `false`.
    pub(super) fn each(self, reading: &ReadOptions, take: &mut dyn FnMut(Entry) -> bool) {
        match self {
            Source::Stdin => entries(read_file(Path::new("-")), "<stdin>", reading, take),
            Source::File(path) => entries(read_file(&path), &name(&path), reading, take),
            Source::Word(word, format) => {
                let name = match word.char_indices().nth(MAX_WORD_CHARS) {
                    Some((end, _)) => format!("{}...", &word[..end]),
                    None => word.clone(),
                };
                let format = reading.format.unwrap_or(format);
                entries(Ok(word.into_bytes()), &name, &reading.format(format), take);
            }
            Source::PackPuzzle(pack, number) => {
                let file = name(&pack);
                let wanted = format!("{file}#{number}");
                let (mut count, mut found) = (0, false);
                entries(read_file(&pack), &file, reading, &mut |entry| {
                    count += 1;
                    // The only puzzle of a file has no number in its name.
                    found = entry.name == wanted || (number == 1 && entry.name == file);
                    if found {
                        take(entry);
                    }
                    !found
                });
                if !found {
                    let there = match count {
                        1 => "there is 1 puzzle".to_owned(),
                        count => format!("there are {count} puzzles"),
                    };
                    let message = format!("{there} in this file, but no number {number}");
                    let error = Error::data(message).in_file(&wanted);
                    take(Entry::new(&wanted, Err(error)));
                }
            }
            Source::Invalid(error) => {
                let name = error.file().unwrap_or_default().to_owned();
                take(Entry::new(&name, Err(error)));
            }
        }
    }
}

/// Calls `take` with each puzzle of a file, or the error in its place, until `take` returns `false`.
fn entries(
    bytes: Result<Vec<u8>, Error>,
    name: &str,
    reading: &ReadOptions,
    take: &mut dyn FnMut(Entry) -> bool,
) {
    match bytes {
        Ok(bytes) => {
            let _ = reading.entries(&bytes, name).all(take);
        }
        Err(error) => {
            take(Entry::new(name, Err(error)));
        }
    }
}

/// The bytes of a file that is read as a whole, or of standard input for `-`; an error if there are too many for a puzzle file.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    let name = name(path);
    let mut bytes = Vec::new();
    open(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(&name, error))?;
    if bytes.len() as u64 <= MAX_FILE_BYTES {
        return Ok(bytes);
    }
    let message = format!(
        "a puzzle file may have at most {} MB: split the collection",
        MAX_FILE_BYTES >> 20
    );
    Err(Error::data(message).in_file(&name))
}

/// The same with a buffer.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    Ok(Box::new(BufReader::with_capacity(
        1 << 16,
        open_file(path)?,
    )))
}
