//! What must hold whatever is read and written: the bodies of the property tests and of the fuzz targets.
#![allow(dead_code, reason = "each user takes its share")]

use omnogram::format::{Format, ReadOptions, Solutions, json, non, read};
use omnogram::puzzle::{Puzzle, verify};

/// Larger puzzles are not written again: time limits are those of reading.
const CELLS: usize = 1 << 18;

/// Reads anything as this format, or as what it looks like; whatever comes out must be in order.
pub(crate) fn any(format: Option<&'static Format>, bytes: &[u8]) {
    let reading = ReadOptions::default().format(format);
    let mut count = 0;
    for entry in reading.entries(bytes, "x") {
        count += 1;
        match entry.puzzle {
            Ok(puzzle) if puzzle.width() * puzzle.height() > CELLS => {}
            Ok(puzzle) => {
                let Some(format) = format.filter(|format| format.can_write()) else {
                    assert_eq!(only(&read(json::write(&puzzle).as_bytes(), "x")), &puzzle);
                    continue;
                };
                round_trip(format, &puzzle);
                assert_eq!(only(&read(non::write(&puzzle).as_bytes(), "x")), &puzzle);
            }
            Err(error) => {
                assert!(error.to_string().starts_with(&entry.name), "{error}");
                if let Some(place) = error.place() {
                    let lines = bytes.split(|&b| b == b'\n').count();
                    assert!(place.line <= lines.max(1), "{error}");
                    assert!(place.column <= place.text.chars().count() + 1, "{error}");
                }
                let _ = error.excerpt();
            }
        }
    }
    assert!(count > 0);
}

/// Reads anything as a list of solutions.
pub(crate) fn any_solutions(bytes: &[u8]) {
    for grid in Solutions::new(bytes, "x").flatten() {
        assert!(grid.width() > 0);
    }
}

/// The one puzzle of a file.
pub(crate) fn only(entries: &[omnogram::format::Entry]) -> &Puzzle {
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].name, "x");
    entries[0]
        .puzzle
        .as_ref()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What this format makes of a puzzle must read back as the same puzzle, but for what it cannot hold. `false` when it cannot be written at
/// all, which must have its reason.
pub(crate) fn round_trip(format: &'static Format, puzzle: &Puzzle) -> bool {
    let bytes = match format.write(puzzle) {
        Ok(bytes) => bytes,
        Err(error) => {
            let reason = match format.name {
                "rosetta" => puzzle.lines().any(|(_, clue)| {
                    clue.blocks().is_empty() || clue.lengths().any(|length| length > 26)
                }),
                "puzzlink" => puzzle
                    .lines()
                    .any(|(_, clue)| clue.lengths().any(|length| length > 255)),
                "tournament" => puzzle.width() != puzzle.height(),
                name if name == "text" || format.is_picture() => {
                    let goal = puzzle.notes().goal.as_ref();
                    goal.is_none_or(|goal| verify(puzzle, goal).is_err())
                }
                _ => false,
            };
            assert!(reason, "{}: {error}", format.name);
            return false;
        }
    };
    let kept = format.kept(puzzle).0;
    let shown = || format!("{}:\n{}", format.name, String::from_utf8_lossy(&bytes));
    let told = ReadOptions::default().format(format);
    let entries: Vec<_> = told.entries(&bytes, "x").collect();
    assert_eq!(only(&entries), &kept, "{}", shown());
    let name = format!("x.{}", format.endings[0]);
    let found = read(&bytes, &name);
    assert_eq!(found.len(), 1, "{}", shown());
    assert_eq!(
        found[0]
            .puzzle
            .as_ref()
            .unwrap_or_else(|error| panic!("{error}\n{}", shown())),
        &kept,
        "{}",
        shown()
    );
    true
}
