//! The PUZZLE arguments: files, packs, one puzzle of a pack, folders, standard input, or a game ID, which is the puzzle itself. Folders are
//! searched for names with a known ending; a file that is named directly is read whatever its name. All files are found first and then read
//! one at a time.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use omnogram::error::{Error, Kind};
use omnogram::format::{self, Entry, FORMATS, Format, ReadOptions};

use super::words::counted;

/// Most characters of a game ID in the name of its puzzle.
const MAX_ID_CHARS: usize = 40;

/// Most bytes of an input file.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// One source of puzzles.
#[derive(Debug)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
    /// One puzzle of a pack, by its number from 1: `pack.nonpack#2`, as answers name it.
    PackPuzzle(PathBuf, usize),
    /// A game ID on the command line.
    GameId(String),
    /// The name of an argument that is no source, and its error.
    Invalid(String, Error),
}

/// Whether this argument means standard input.
pub(super) fn is_stdin(argument: &Path) -> bool {
    argument == Path::new("-")
}

/// Whether a name, joined to a folder, is that of a file in the folder. Both separators are refused on every system, so that a record means
/// the same everywhere; `C:x` leaves the folder on Windows.
pub(super) fn is_file_name(name: &str) -> bool {
    !name.contains(['/', '\\']) && Path::new(name).file_name() == Some(name.as_ref())
}

/// An error if standard input is both a puzzle and one of the other files that a command reads.
pub(super) fn check_stdin_once(puzzles: &[PathBuf], files: &[PathBuf]) -> Result<(), Error> {
    let named = |paths: &[PathBuf]| paths.iter().any(|path| is_stdin(path));
    if named(puzzles) && named(files) {
        Err(Error::new(
            Kind::Usage,
            "standard input can be read only once",
        ))
    } else {
        Ok(())
    }
}

/// The name of an input path in messages and answers.
pub(super) fn name(path: &Path) -> String {
    if is_stdin(path) {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    }
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
                invalid(
                    path,
                    Error::new(Kind::Usage, "standard input can be read only once"),
                )
            } else {
                Source::Stdin
            });
            stdin = true;
        } else if path.is_dir() {
            let before = sources.len();
            walk(path, &endings, &mut |found| match found {
                FolderEntry::Source(source) => sources.push(source),
                FolderEntry::Other(_) => {}
            });
            if sources.len() == before {
                let message = format!("no puzzle files (.{}) in this folder", endings.join(", ."));
                sources.push(invalid(path, Error::data(message)));
            }
        } else {
            let found = pack_puzzle(path).or_else(|| game_id(path));
            sources.push(found.unwrap_or_else(|| Source::File(path.clone())));
        }
    }
    sources
}

/// The endings that folders are searched for.
fn searched_endings(format: Option<&Format>) -> Vec<&'static str> {
    let formats = FORMATS.iter().filter(|other| match format {
        Some(format) => other.name == format.name,
        None => other.puzzles_only,
    });
    formats.flat_map(|format| format.endings).copied().collect()
}

/// Most endings of skipped files that a note lists.
const MAX_NAMED_KINDS: usize = 6;

/// A note for each folder argument that contains files that are not read: their number, their endings and the reason.
pub(super) fn skipped_notes(arguments: &[PathBuf], format: Option<&Format>) -> Vec<String> {
    let endings = searched_endings(format);
    let mut notes = Vec::new();
    for folder in arguments.iter().filter(|path| path.is_dir()) {
        let (mut all, mut skipped) = (0_u64, 0_u64);
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        let mut example = None;
        walk(folder, &endings, &mut |found| {
            all += 1;
            let FolderEntry::Other(path) = found else {
                return;
            };
            skipped += 1;
            let ending = path.extension().map(|ending| ending.to_string_lossy());
            let kind = ending.map_or("without an ending".to_owned(), |ending| {
                format!(".{ending}")
            });
            *kinds.entry(kind.to_lowercase()).or_default() += 1;
            let known = |path: &Path| FORMATS.iter().any(|f| has_ending(path, f.endings));
            if example.is_none() && known(&path) {
                example = Some(path);
            }
        });
        // A folder without any puzzle file gets an error from `find_as` instead.
        if skipped == 0 || (skipped == all && example.is_none()) {
            continue;
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let named = kinds.iter().take(MAX_NAMED_KINDS);
        let mut named: Vec<String> = named
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        if kinds.len() > MAX_NAMED_KINDS {
            named.push("others".to_owned());
        }
        let example = example.map_or(String::new(), |path| {
            format!(", such as {}", path.display())
        });
        notes.push(format!(
            "{}: {skipped} of {} skipped ({}): in a folder only .{} are read; to read others name them{example}",
            folder.display(),
            counted(all, "file"),
            named.join(", "),
            endings.join(", ."),
        ));
    }
    notes
}

/// The number at the end of a puzzle's name, if it is one of a pack: `2` of `pack.nonpack#2`.
pub(super) fn pack_number(name: &str) -> Option<&str> {
    let (_, number) = name.rsplit_once('#')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits.then_some(number)
}

/// The files that the arguments name.
pub(super) fn files(arguments: &[PathBuf]) -> Vec<PathBuf> {
    let named = find(arguments)
        .into_iter()
        .filter_map(|source| match source {
            Source::File(path) | Source::PackPuzzle(path, _) => Some(path),
            Source::Stdin | Source::GameId(_) | Source::Invalid(..) => None,
        });
    named.collect()
}

fn invalid(path: &Path, error: Error) -> Source {
    let name = name(path);
    let error = error.in_file(&name);
    Source::Invalid(name, error)
}

/// The puzzle of a pack that `FILE#NUMBER` names, unless a file of exactly this name exists.
fn pack_puzzle(path: &Path) -> Option<Source> {
    let (pack, number) = path.to_str()?.rsplit_once('#')?;
    let number = number.parse().ok()?;
    let pack = PathBuf::from(pack);
    (!path.exists() && pack.is_file()).then_some(Source::PackPuzzle(pack, number))
}

/// The argument as a game ID, unless a file of this name exists.
fn game_id(path: &Path) -> Option<Source> {
    let id = path.to_str().filter(|text| format::is_game_id(text))?;
    (!path.exists()).then(|| Source::GameId(id.to_owned()))
}

/// An entry of a folder: a source, or a file with an ending that is not searched for.
enum FolderEntry {
    Source(Source),
    Other(PathBuf),
}

/// Visits the files of a folder recursively, except hidden ones. Linked folders are not entered, as links may form a cycle.
fn walk(folder: &Path, endings: &[&str], found: &mut dyn FnMut(FolderEntry)) {
    let entries = fs::read_dir(folder).and_then(|entries| {
        let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
        entries.sort_unstable_by_key(|entry| entry.file_name());
        Ok(entries)
    });
    let entries = match entries {
        Ok(entries) => entries,
        Err(error) => return found(FolderEntry::Source(invalid(folder, Error::io("", error)))),
    };
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, endings, found);
        } else if has_ending(&path, endings) && (path.is_file() || !path.exists()) {
            // A dangling link is kept, so that reading it gives an error; a pipe is left out, as reading it might block.
            found(FolderEntry::Source(Source::File(path)));
        } else if path.is_file() {
            found(FolderEntry::Other(path));
        }
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let own = path.extension().unwrap_or_default();
    endings
        .iter()
        .any(|ending| own.eq_ignore_ascii_case(ending))
}

impl Source {
    /// Whether reading it may block until another process writes.
    pub(super) fn may_block(&self) -> bool {
        match self {
            Source::Stdin => true,
            Source::File(path) | Source::PackPuzzle(path, _) => !path.is_file(),
            Source::GameId(_) | Source::Invalid(..) => false,
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
            Source::Stdin => entries(io::stdin().lock(), "<stdin>", reading, take),
            Source::File(path) => open(&path, &name(&path), reading, take),
            Source::GameId(id) => {
                let name = match id.char_indices().nth(MAX_ID_CHARS) {
                    Some((end, _)) => format!("{}...", &id[..end]),
                    None => id.clone(),
                };
                let format = reading.format.or(Format::named("pattern"));
                let reading = reading.format(format);
                entries(id.as_bytes(), &name, &reading, take);
            }
            Source::PackPuzzle(pack, number) => {
                let file = name(&pack);
                let wanted = format!("{file}#{number}");
                let (mut count, mut found) = (0, false);
                open(&pack, &file, reading, &mut |entry| {
                    count += 1;
                    // The only puzzle of a file has no number in its name.
                    found = entry.name == wanted || (number == 1 && entry.name == file);
                    if found {
                        take(entry);
                        false
                    } else {
                        true
                    }
                });
                if !found {
                    let there = match count {
                        1 => "there is 1 puzzle".to_owned(),
                        count => format!("there are {count} puzzles"),
                    };
                    let message = format!("{there} in this file, but no number {number}");
                    take(error_entry(&wanted, Error::data(message).in_file(&wanted)));
                }
            }
            Source::Invalid(name, error) => {
                take(error_entry(&name, error));
            }
        }
    }
}

/// The bytes of a file that is read as a whole, or of standard input for `-`.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    let name = name(path);
    if is_stdin(path) {
        return read_bytes(io::stdin().lock(), &name);
    }
    let file = File::open(path).map_err(|error| Error::io(&name, error))?;
    read_bytes(file, &name)
}

/// All bytes of an input, or an error if there are too many for a puzzle file.
fn read_bytes(input: impl Read, name: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = input.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io(name, error))?;
    if bytes.len() as u64 <= MAX_FILE_BYTES {
        return Ok(bytes);
    }
    let message = format!(
        "a puzzle file may have at most {} MB: split the collection",
        MAX_FILE_BYTES >> 20
    );
    Err(Error::data(message).in_file(name))
}

fn error_entry(name: &str, error: Error) -> Entry {
    Entry::new(name, Err(error))
}

fn open(path: &Path, name: &str, reading: &ReadOptions, take: &mut dyn FnMut(Entry) -> bool) {
    match File::open(path) {
        Ok(file) => entries(file, name, reading, take),
        Err(error) => {
            take(error_entry(name, Error::io(name, error)));
        }
    }
}

fn entries(
    input: impl Read,
    name: &str,
    reading: &ReadOptions,
    take: &mut dyn FnMut(Entry) -> bool,
) {
    match read_bytes(input, name) {
        Ok(bytes) => {
            let _ = reading.entries(&bytes, name).all(take);
        }
        Err(error) => {
            take(error_entry(name, error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_file_name;

    /// Names were only searched for separators, so that on Windows `C:x` left the folder.
    #[test]
    fn a_record_names_a_file_inside_the_folder() {
        assert!(is_file_name("0123456789abcdef.txt"));
        for name in ["", ".", "..", "a/b", "a\\b", "/a", "a/", "a/."] {
            assert!(!is_file_name(name), "{name}");
        }
        assert_eq!(is_file_name("C:x"), cfg!(not(windows)));
    }
}
