//! The puzzles of `puzzles/`, and the table of their answers.

use std::path::{Path, PathBuf};

use omnogram::format;
use omnogram::puzzle::Puzzle;

/// A row of `puzzles/answers.tsv`.
pub(crate) struct KnownPuzzle {
    /// The file, by its path from `puzzles/`; `#3` after it means the third puzzle in it.
    pub(crate) name: String,
    pub(crate) puzzle: Puzzle,
    /// How many solutions it has.
    pub(crate) solutions: String,
    /// Whether propagation alone solves it.
    pub(crate) line_solvable: bool,
    /// Whether its solutions can be listed within the time of a test.
    pub(crate) listable: bool,
}

impl KnownPuzzle {
    pub(crate) fn has_at_most(&self, solutions: u64) -> bool {
        self.solutions
            .parse()
            .is_ok_and(|all: u64| all <= solutions)
    }
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("puzzles")
}

/// Every file below a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let below = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    };
    paths.into_iter().flat_map(below).collect()
}

/// A puzzle by its [name](KnownPuzzle::name), or by an absolute path.
pub(crate) fn read(name: &str) -> Puzzle {
    let (path, number) = name.split_once('#').unwrap_or((name, "1"));
    let bytes = std::fs::read(folder().join(path)).expect(path);
    let number: usize = number.parse().unwrap();
    let entry = format::read(&bytes, path).swap_remove(number - 1);
    entry.puzzle.unwrap()
}

/// The table.
pub(crate) fn answers() -> Vec<KnownPuzzle> {
    let table = std::fs::read_to_string(folder().join("answers.tsv")).unwrap();
    let rows = table.lines().skip(1).map(|row| {
        let fields: Vec<&str> = row.split('\t').collect();
        let puzzle = read(fields[0]);
        let size = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        assert_eq!((puzzle.width(), puzzle.height()), size, "{}", fields[0]);
        KnownPuzzle {
            name: fields[0].to_owned(),
            puzzle,
            solutions: fields[3].to_owned(),
            line_solvable: fields[4] == "yes",
            listable: fields[6] == "yes",
        }
    });
    rows.collect()
}
