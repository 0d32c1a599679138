//! Files in and out: what is written reads back as the same puzzle, no bytes whatever cause a panic, bad files are refused in clear words,
//! and the puzzles of other people are read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::Random;
use crate::common::corpus::files;
use crate::common::reading;
use omnogram::error::Error;
use omnogram::format::{Entry, FORMATS, Format, ReadOptions, Solutions, read};
use omnogram::puzzle::{Clue, Grid, Notes, Position, Puzzle, verify};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Texts with all that could confuse a reader of quoted text in lines.
fn text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "\"", "\"\"", "&", "&amp;", "&eacute;", "&#10;", "&#", ";", "\n", "\r\n", "\r", " ", "\t",
        "=", "====", "\\", "\n====\n", "\u{feff}", "\u{2028}", "\u{0}", "rows", "0", "é",
    ];
    let piece = prop_oneof![
        select(PIECES).prop_map(str::to_owned),
        any::<char>().prop_map(String::from)
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn grid() -> impl Strategy<Value = Grid> {
    let side = || prop_oneof![4 => 1..12_usize, 1 => Just(1), 1 => 60..140_usize];
    (side(), side(), any::<u64>(), 0..=4_u64).prop_map(|(width, height, seed, density)| {
        Random(seed).grid(width, height, density as f64 / 4.0)
    })
}

/// A position of this size, with none, some or all of its cells known.
fn position(width: usize, height: usize, seed: u64) -> Position {
    let (mut position, mut random) = (Position::unknown(width, height), Random(seed));
    let share = [0.0, 0.03, 0.5, 1.0][random.below(4)];
    for (row, column) in (0..height).flat_map(|row| (0..width).map(move |c| (row, c))) {
        if random.chance(share) {
            position.set(row, column, Some(random.chance(0.5)));
        }
    }
    position
}

/// Puzzles with any notes and given cells, some of them without a solution.
fn puzzle() -> impl Strategy<Value = Puzzle> {
    let notes = (
        option::of(text()),
        option::of(text()),
        option::of(text()),
        option::of(prop_oneof![text(), Just("CC-BY-4.0".to_owned())]),
        option::of(text()),
    );
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (grid(), notes, flags, any::<u64>()).prop_map(|(grid, notes, flags, seed)| {
        let (goal, solvable, given) = flags;
        let mut puzzle = Puzzle::from_grid(&grid);
        if !solvable {
            let columns = vec![Clue::default(); puzzle.width()];
            puzzle = Puzzle::new(puzzle.rows().to_vec(), columns).unwrap();
        }
        let (title, author, copyright, license, catalogue) = notes;
        let goal = goal.then_some(grid);
        let position = |seed| position(puzzle.width(), puzzle.height(), seed);
        let saved: Vec<Position> = (0..seed % 3).map(position).collect();
        if given {
            let given = position(seed);
            puzzle = puzzle.with_given(given).unwrap();
        }
        puzzle
            .with_notes(
                Notes::default()
                    .title(title)
                    .author(author)
                    .copyright(copyright)
                    .license(license)
                    .catalogue(catalogue)
                    .goal(goal)
                    .saved(saved),
            )
            .unwrap()
    })
}

/// A file of these puzzles, as far as it can be written.
fn file(format: &'static Format, puzzles: &[Puzzle]) -> Vec<u8> {
    let Some(mut pack) = format.pack().filter(|_| puzzles.len() > 1) else {
        return format.write(&puzzles[0]).unwrap_or_default();
    };
    let mut bytes: Vec<u8> = puzzles
        .iter()
        .filter_map(|puzzle| pack.add(puzzle).ok())
        .collect::<Vec<_>>()
        .concat();
    bytes.extend(pack.end().bytes());
    bytes
}

/// One change to a file.
fn edit() -> impl Strategy<Value = (Index, Index, Vec<u8>)> {
    const PIECES: &[&str] = &[
        "",
        "",
        "\n",
        "\n\n",
        " ",
        ",",
        "0",
        "9",
        "-",
        "99999999999",
        "a",
        "rows\n",
        "width 3\n",
        "====\n",
        "\"",
        "[",
        "{",
        "}",
        "null",
        "#",
        ":",
        "<",
        ">",
        "/>",
        "&",
        "$2\n",
        "P1 ",
        "GRID\n",
        "[clues]\n",
        "[Dimensions]\n",
        "=",
        "A",
        "x",
        "é",
        "\u{feff}",
        "\ngiven \"1?\"\n",
        "\"given\":",
        "\"content\":[1,-1",
        ",aB",
        "type='saved'",
    ];
    let piece = prop_oneof![
        select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        vec(any::<u8>(), 1..3)
    ];
    (any::<Index>(), any::<Index>(), piece)
}

proptest! {
    // What it finds becomes a test with a name.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_pack_is_its_puzzles(puzzles in vec(puzzle(), 2..5)) {
        for format in FORMATS.iter().filter(|format| format.holds_several()) {
            let written: Vec<&Puzzle> = puzzles.iter().filter(|puzzle| format.write(puzzle).is_ok()).collect();
            if written.len() < 2 {
                continue;
            }
            let bytes = file(format, &puzzles);
            let reading = ReadOptions::default().format(format);
            let entries: Vec<Entry> = reading.entries(&bytes, "x").collect();
            prop_assert_eq!(entries.len(), written.len());
            for (i, (entry, puzzle)) in entries.into_iter().zip(written).enumerate() {
                prop_assert_eq!(entry.name, format!("x#{}", i + 1));
                prop_assert_eq!(&entry.puzzle.unwrap(), &format.kept(puzzle).0, "{}", format.name);
            }
        }
    }

    #[test]
    fn solutions_read_back(grids in vec(grid(), 0..5)) {
        let drawn: Vec<String> = grids.iter().map(Grid::to_string).collect();
        let object = |drawn: &String| {
            let rows: Vec<&str> = drawn.lines().collect();
            format!("{{\"solution\": {rows:?}}}\n")
        };
        for list in [drawn.join("\n\n"), drawn.iter().map(object).collect()] {
            let found: Result<Vec<Grid>, Error> = Solutions::new(list.as_bytes(), "x").collect();
            prop_assert_eq!(&found.unwrap(), &grids);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300)) {
        reading::any(None, &bytes);
        reading::any_solutions(&bytes);
        for format in FORMATS {
            reading::any(Some(format), &bytes);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(pieces in vec(edit(), 0..40)) {
        let bytes: Vec<u8> = pieces.into_iter().flat_map(|(_, _, piece)| piece).collect();
        reading::any(None, &bytes);
        for format in FORMATS {
            reading::any(Some(format), &bytes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused(puzzles in vec(puzzle(), 1..3), edits in vec(edit(), 1..6), format in any::<Index>()) {
        let format = format.get(FORMATS);
        let mut bytes = file(format, &puzzles);
        for (at, length, piece) in edits {
            let at = at.index(bytes.len() + 1);
            let end = (at + length.index(8)).min(bytes.len());
            bytes.splice(at..end, piece);
        }
        reading::any(Some(format), &bytes);
        reading::any(None, &bytes);
        reading::any_solutions(&bytes);
    }

    #[test]
    fn what_is_written_reads_back(puzzle in puzzle()) {
        for format in FORMATS.iter().filter(|format| format.can_write()) {
            reading::round_trip(format, &puzzle);
        }
    }
}

#[test]
fn a_hostile_megabyte_is_answered_at_once() {
    let long = |piece: &str| piece.repeat((1 << 20) / piece.len());
    let head = "width 4096\nheight 4096\nrows\n";
    let texts = [
        long("\n"),
        long("9"),
        long("rows\n"),
        long("title &amp;\n"),
        format!("rows\ntitle {}", long("&#")),
        long("====\nrows\n"),
        long("width 1\nheight 1\nrows\n1\ncolumns\n1\n====\n"),
        format!("{head}{}", long("1,")),
        format!("{head}{}", long("1\n")),
        format!("{head}{}", long("\n1")),
        format!("{head}{}columns\n{}", "0\n".repeat(4096), long("0\n")),
        "width 1000000000\nheight 1000000000\nrows\n1\n".to_owned(),
        long("["),
        long("{\"rows\":"),
        format!("[{}{{}}]", long("{},")),
        format!("[{}{{}}]", long("{},\n")),
        format!("[{}{{}}]", long("{\"rows\":[[]],\"cols\":[[]]},")),
        format!("{{\"rows\":[{}[]],\"columns\":[[]]}}", long("[],")),
        format!("{{\"rows\":[[{}1]],\"columns\":[[]]}}", long("1,")),
        format!(
            "{{\"rows\":{}{},\"columns\":[[]]}}",
            "[".repeat(1 << 19),
            "]".repeat(1 << 19)
        ),
        format!("{{{}\"a\":1}}", long("\"a\":1,")),
        format!(
            "{{\"rows\":[[]],\"cols\":[[]],\"goal\":[{}\"\"]}}",
            long("\"\",")
        ),
        long("<a>"),
        long("<puzzle>"),
        long("<puzzle/>"),
        format!("<a{}/>", long(" a=''")),
        format!("<puzzle><clues type='rows'>{}", long("<line/>")),
        format!(
            "<puzzle><clues type='rows'><line>{}",
            long("<count>1</count>")
        ),
        format!("<puzzle><solution><image>{}", long("|X")),
        format!("<puzzle><title>{}", long("&lt;")),
        long("&"),
        long("GRID\n"),
        format!("GRID\nROWS\n{}", long("[ ]\n")),
        long("$1\n"),
        format!("$1\n{}", long("\n")),
        format!("$1\n{}", long("1\n")),
        format!("$1\n{}1\n{}0\n", "1\n\n".repeat(1000), "\n".repeat(6000)),
        long("1x1:1/1\n"),
        format!("4096x4096:{}", long("/")),
        format!("4096x4096:{}", long("1.")),
        format!("1x1:/,{}", long("z")),
        format!("4096 4096\n{}", long("\n")),
        format!("4096 4096\n{}", long("1 ")),
        format!("4096\n4096\n{}", long("0\n")),
        format!("4096 4096\n{}#\n{}", long("0\n"), long("\n")),
        format!(":\n{}:\n", long("\n")),
        long(":\n"),
        long("A "),
        format!("{}\nA\n", long("A")),
        long("A\nA\n\n"),
        format!("[clues]\nrows = {}\ncolumns = 1\n", long("1,")),
        format!("[clues]\n{}", long("rows = 1\n")),
        format!(
            "[clues]\nrows = \"\"\"{}\"\"\"\ncolumns = '1'\n",
            long("0\n")
        ),
        format!(
            "[clues]\nrows = \"\"\"{}\"\"\"\ncolumns = '1'\n",
            long("\\n")
        ),
        format!("[clues]\nrows = '1'\ncolumns = '1'\nx = {}", long("[")),
        format!("[clues]\nrows = '1'\ncolumns = '1'\nx.{}x = 1", long("x.")),
        format!("[clues]\nrows = '1'\n{}", long("[a]\n")),
        format!("[Dimensions]\n4096\n4096\n[Solution grid]\n{}", long("1 ")),
        format!("[Dimensions]\n4096\n4096\n[Row clues]\n{}", long("1,1\n")),
        long("[Dimensions]\n"),
        format!("P1 1024 1024 {}", long("0")),
        "P1 1000000000 1000000000 1".to_owned(),
        "P4 1048576 1048576 ".to_owned(),
        format!("P1 {}", long("#\n")),
    ];
    for text in texts {
        assert!(!read(text.as_bytes(), "x").is_empty());
        for format in FORMATS {
            let reading = ReadOptions::default().format(format);
            let (start, began): (String, _) = (text.chars().take(40).collect(), Instant::now());
            assert!(reading.entries(text.as_bytes(), "x").count() > 0);
            // Generous, for a machine that does other work too.
            let time = began.elapsed();
            assert!(
                time < Duration::from_secs(5),
                "{start:?} as {}: {time:?}",
                format.name
            );
        }
        let began = Instant::now();
        assert_eq!(Solutions::new(text.as_bytes(), "x").flatten().count(), 0);
        let start: String = text.chars().take(40).collect();
        // Generous, for a machine that does other work too.
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "{start:?} took {:?}",
            began.elapsed()
        );
    }
}

/// Puzzle files that are read, and written in every format.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    puzzles: usize,
    goals: usize,
    /// Puzzles that a format could write, and those that it has no way to hold.
    written: usize,
    refused: usize,
}

/// Reads and writes every puzzle under a folder.
fn tally(folder: &Path) -> Tally {
    let mut paths = files(folder);
    paths.retain(|path| {
        let bad = path.parent().is_some_and(|folder| folder.ends_with("bad"));
        !bad && path
            .extension()
            .is_some_and(|end| end == "non" || end == "nonpack")
    });
    let mut tally = Tally {
        files: paths.len(),
        ..Tally::default()
    };
    for path in &paths {
        for entry in read(&fs::read(path).unwrap(), &path.to_string_lossy()) {
            let puzzle = entry.puzzle.unwrap_or_else(|error| panic!("{error}"));
            tally.puzzles += 1;
            if let Some(goal) = &puzzle.notes().goal {
                verify(&puzzle, goal).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
                tally.goals += 1;
            }
            for format in FORMATS.iter().filter(|format| format.can_write()) {
                if reading::round_trip(format, &puzzle) {
                    tally.written += 1
                } else {
                    tally.refused += 1
                }
            }
        }
    }
    tally
}

#[test]
fn our_puzzles_read_back_in_every_format() {
    let tally = tally(&root().join("puzzles"));
    println!("{tally:?}");
    assert!(tally.puzzles > 90 && tally.goals > 20 && tally.written > 1000);
}

/// The folder that OMNOGRAM_PUZZLES names, or the one beside the project.
#[test]
fn puzzles_of_other_people_are_read() {
    let folder = match std::env::var_os("OMNOGRAM_PUZZLES") {
        Some(folder) => PathBuf::from(folder),
        None => root().join("../shared/puzzles"),
    };
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let tally = tally(&folder);
    println!("{tally:?}");
    assert!(tally.puzzles >= tally.files && tally.goals > 0);
}

/// The README beside the files holds what is said of each, to the letter and in their order.
#[test]
fn bad_files_are_refused_in_clear_words() {
    let folder = root().join("puzzles/bad");
    let mut paths = files(&folder);
    paths.retain(|path| path.file_name().is_some_and(|name| name != "README.md"));
    let mut found = String::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        for entry in read(&fs::read(path).unwrap(), name) {
            if let Err(error) = entry.puzzle {
                found += &format!("| `{name}` | `{error}` |\n");
            }
        }
    }
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let (_, table) = readme.split_once("|---|---|\n").expect("a table");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let rows: String = rows.map(|row| format!("{row}\n")).collect();
    assert!(rows.lines().count() > 40 && found == rows, "{found}");
}

#[test]
fn a_bad_puzzle_spoils_no_other_of_its_pack() {
    let bytes = fs::read(root().join("puzzles/bad/in-pack.nonpack")).unwrap();
    let entries = read(&bytes, "in-pack.nonpack");
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "in-pack.nonpack#1",
            "in-pack.nonpack#2",
            "in-pack.nonpack#3"
        ]
    );
    assert!(entries[0].puzzle.is_ok() && entries[1].puzzle.is_err() && entries[2].puzzle.is_ok());
}

#[test]
fn the_place_is_shown_with_a_caret() {
    let bytes = fs::read(root().join("puzzles/bad/clue-too-long.non")).unwrap();
    let error = read(&bytes, "clue-too-long.non")
        .remove(0)
        .puzzle
        .unwrap_err();
    assert_eq!(error.excerpt().unwrap(), "7 | 2,2\n  | ^");
}

#[test]
fn every_format_has_its_fuzz_target() {
    for format in FORMATS {
        let path = format!(
            "tests/fuzz/fuzz_targets/{}.rs",
            format.name.replace('-', "_")
        );
        let target = fs::read_to_string(root().join(&path)).expect(&path);
        assert!(target.contains(&format!("Format::named(\"{}\")", format.name)));
    }
}

#[test]
fn the_documents_list_every_format() {
    let document = fs::read_to_string(root().join("docs/formats.md")).expect("a document");
    for format in FORMATS {
        let can = |can, word| if can { word } else { "" };
        let row = format!(
            "| `{}` | {} | {} | read{}{} |",
            format.name,
            format.title,
            format
                .endings
                .iter()
                .map(|ending| format!("`.{ending}`"))
                .collect::<Vec<_>>()
                .join(", "),
            can(format.can_write(), ", written"),
            can(format.holds_several(), ", packs"),
        );
        assert!(
            document.contains(&row),
            "docs/formats.md lacks the row\n{row}"
        );
    }
}
