//! What the PUZZLE arguments mean: files, packs, one puzzle of a pack, folders, standard input. Folders are searched for names with
//! a known ending; a file that is named directly is read whatever its name. Files are found first and read one at a time.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use omnogram::error::{Error, Kind};
use omnogram::format::{self, Entry};

/// Endings of the files that are looked for in folders.
const ENDINGS: [&str; 3] = ["non", "nonpack", "json"];

/// Bytes of the largest file that is read.
const LARGEST: u64 = 256 << 20;

/// Somewhere that puzzles come from.
#[derive(Debug)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
    /// One puzzle of a pack, by its number from 1: `pack.nonpack#2`, as answers name it.
    Pick(PathBuf, usize),
    /// An argument that leads nowhere, and its name.
    Wrong(String, Error),
}

/// Is this argument standard input?
pub(super) fn is_stdin(argument: &Path) -> bool {
    argument == Path::new("-")
}

/// How messages and answers name a path.
pub(super) fn name(path: &Path) -> String {
    match is_stdin(path) {
        true => "<stdin>".to_owned(),
        false => path.display().to_string(),
    }
}

/// Everything that the arguments name, in order; folders recursively, sorted by name.
pub(super) fn find(arguments: &[PathBuf]) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut stdin = false;
    for path in arguments {
        if is_stdin(path) {
            sources.push(match stdin {
                false => Source::Stdin,
                true => wrong(
                    path,
                    Error::new(Kind::Usage, "standard input can be read only once"),
                ),
            });
            stdin = true;
        } else if path.is_dir() {
            let before = sources.len();
            walk(path, &mut sources);
            if sources.len() == before {
                let endings = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
                let message = format!("no puzzle files ({endings}) in this folder");
                sources.push(wrong(path, Error::data(message)));
            }
        } else {
            sources.push(pick(path).unwrap_or_else(|| Source::File(path.clone())));
        }
    }
    sources
}

/// Is this file one of those that the arguments name?
pub(super) fn is_among(file: &Path, arguments: &[PathBuf]) -> bool {
    let file = file.canonicalize();
    file.is_ok_and(|file| files(arguments).contains(&file))
}

/// The files that the arguments name, by their full names.
pub(super) fn files(arguments: &[PathBuf]) -> HashSet<PathBuf> {
    let named = find(arguments)
        .into_iter()
        .filter_map(|source| match source {
            Source::File(path) | Source::Pick(path, _) => path.canonicalize().ok(),
            Source::Stdin | Source::Wrong(..) => None,
        });
    named.collect()
}

fn wrong(path: &Path, error: Error) -> Source {
    let name = name(path);
    let error = error.in_file(&name);
    Source::Wrong(name, error)
}

/// The puzzle of a pack that a path with a number after it means, unless there is a file of just that name.
fn pick(path: &Path) -> Option<Source> {
    let (pack, number) = path.to_str()?.rsplit_once('#')?;
    let number = number.parse().ok()?;
    let pack = PathBuf::from(pack);
    (!path.exists() && pack.is_file()).then_some(Source::Pick(pack, number))
}

/// Adds the puzzle files of a folder and of the folders in it, leaving out what is hidden. Linked folders are not entered: they
/// might lead round in a circle.
fn walk(folder: &Path, sources: &mut Vec<Source>) {
    let entries = fs::read_dir(folder).and_then(|entries| {
        let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
        entries.sort_unstable_by_key(|entry| entry.file_name());
        Ok(entries)
    });
    let entries = match entries {
        Ok(entries) => entries,
        Err(error) => return sources.push(wrong(folder, Error::io("", &error))),
    };
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, sources);
        } else if has_known_ending(&path) && (path.is_file() || !path.exists()) {
            // A link that leads nowhere gets its message; a pipe would be waited for.
            sources.push(Source::File(path));
        }
    }
}

fn has_known_ending(path: &Path) -> bool {
    let known = |ending: &OsStr| {
        ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    };
    path.extension().is_some_and(known)
}

impl Source {
    /// May reading it wait for somebody to write?
    pub(super) fn may_wait(&self) -> bool {
        match self {
            Source::Stdin => true,
            Source::File(path) | Source::Pick(path, _) => !path.is_file(),
            Source::Wrong(..) => false,
        }
    }

    /// The puzzles, or what is wrong with them; never none. May wait, for standard input or a pipe.
    pub(super) fn read(self) -> Vec<Entry> {
        match self {
            Source::Stdin => entries(io::stdin().lock(), "<stdin>"),
            Source::File(path) => open(&path, &name(&path)),
            Source::Pick(pack, number) => {
                let mut entries = open(&pack, &name(&pack));
                let wanted = format!("{}#{number}", name(&pack));
                let count = entries.len();
                entries.retain(|entry| entry.name == wanted || count == 1);
                if entries.is_empty() || (count == 1 && number != 1) {
                    let there = if count == 1 {
                        "there is 1 puzzle"
                    } else {
                        &format!("there are {count} puzzles")
                    };
                    let message = format!("{there} in this file, but no number {number}");
                    return vec![bad(&wanted, Error::data(message).in_file(&wanted))];
                }
                entries
            }
            Source::Wrong(name, error) => vec![bad(&name, error)],
        }
    }
}

fn bad(name: &str, error: Error) -> Entry {
    Entry {
        name: name.to_owned(),
        puzzle: Err(error),
    }
}

fn open(path: &Path, name: &str) -> Vec<Entry> {
    match File::open(path) {
        Ok(file) => entries(file, name),
        Err(error) => vec![bad(name, Error::io(name, &error))],
    }
}

fn entries(input: impl Read, name: &str) -> Vec<Entry> {
    let mut bytes = Vec::new();
    match input.take(LARGEST + 1).read_to_end(&mut bytes) {
        Err(error) => vec![bad(name, Error::io(name, &error))],
        Ok(_) if bytes.len() as u64 > LARGEST => {
            let message = format!(
                "more than {} MB are too much for a puzzle file: split the collection",
                LARGEST >> 20
            );
            vec![bad(name, Error::data(message).in_file(name))]
        }
        Ok(_) => format::read(&bytes, name),
    }
}
