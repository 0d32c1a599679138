//! What readers of these formats fall for: one test for each trap.

use omnogram::format::{Entry, FORMATS, Format, ReadOptions, read};
use omnogram::puzzle::{Clue, Puzzle, verify};

/// A puzzle that is not square, in every text format.
const NOTCH: &[(&str, &str)] = &[
    (
        "json",
        "{\"rows\": [[2], [1, 1], [4]], \"columns\": [[2], [1, 1], [1, 1], [2]]}\n",
    ),
    (
        "webpbn",
        "<puzzleset>\n<puzzle>\n<clues type=\"columns\">\n<line><count>2</count></line>\n<line><count>1</count><count>1</count></line>\n<line><count>1</count><count>1</count></line>\n<line><count>2</count></line>\n</clues>\n<clues type=\"rows\">\n<line><count>2</count></line>\n<line><count>1</count><count>1</count></line>\n<line><count>4</count></line>\n</clues>\n</puzzle>\n</puzzleset>\n",
    ),
    (
        "picross",
        "GRID NotchO\nROWS\n[ 2 ]\n[ 1 1 ]\n[ 4 ]\nCOLUMNS\n[ 2 ]\n[ 1 1 ]\n[ 1 1 ]\n[ 2 ]\n",
    ),
    (
        "gno",
        "[Description]\nNotchO\nus\n[Dimensions]\n3\n4\n[Row clues]\n2\n1, 1\n4\n[Column clues]\n2\n1, 1\n1, 1\n2\n",
    ),
    (
        "toml",
        "[clues]\ncolumns = \"2, 1 1, 1 1, 2\"\nrows = \"2, 1 1, 4\"\n",
    ),
    (
        "ini",
        "[clues]\ncolumns = 2, 1 1, 1 1, 2\nrows = 2, 1 1, 4\n",
    ),
    ("tournament", "$1\n2\n1\t1\n1\t1\n2\n2\n1\t1\n4\n"),
    ("pattern", "4x3:2/1.1/1.1/2/2/1.1/4\n"),
    (
        "puzzlink",
        "https://puzz.link/p?nonogram/4/3/2g11112g2g114g\n",
    ),
    ("clues", "rows\n2\n1 1\n4\n\ncolumns\n2\n1 1\n1 1\n2\n"),
    ("text", ".##.\n#..#\n####\n"),
    ("mk", "3 4\n2\n1 1\n4\n#\n2\n1 1\n1 1\n2\n"),
    ("nin", "4 3\n2\n1 1\n4\n2\n1 1\n1 1\n2\n"),
    ("cwd", "3\n4\n2\n1 1\n4\n\n2\n1 1\n1 1\n2\n"),
    ("rosetta", "B AA D\nB AA AA B\n"),
    (
        "non",
        "width 4\nheight 3\n\nrows\n2\n1,1\n4\n\ncolumns\n2\n1,1\n1,1\n2\n",
    ),
    (
        "g",
        "comment\n: rows\n2\n1 1\n4\n: columns\n2\n1 1\n1 1\n2\n:\n",
    ),
];

fn clues(puzzle: &Puzzle) -> String {
    let join = |clues: &[Clue]| {
        clues
            .iter()
            .map(Clue::to_string)
            .collect::<Vec<_>>()
            .join("/")
    };
    format!("{} | {}", join(puzzle.rows()), join(puzzle.columns()))
}

const CLUES: &str = "2/1 1/4 | 2/1 1/1 1/2";

/// The clues of a puzzle, or the error.
fn outcome(entry: &Entry) -> String {
    match &entry.puzzle {
        Ok(puzzle) => clues(puzzle),
        Err(error) => error.to_string(),
    }
}

/// What a text is, read as what it looks like.
fn found(text: &str) -> String {
    let entries = read(text.as_bytes(), "x");
    assert_eq!(entries.len(), 1, "{text:?}");
    outcome(&entries[0])
}

/// What a text is in this format.
fn told(name: &str, text: &str) -> String {
    let reading = ReadOptions::default().format(Format::named(name));
    let entries: Vec<_> = reading.entries(text.as_bytes(), "x").collect();
    outcome(&entries[0])
}

fn text_of(name: &str) -> &'static str {
    NOTCH
        .iter()
        .find(|(format, _)| *format == name)
        .expect("an example")
        .1
}

#[test]
fn every_text_format_has_its_example() {
    let texts = FORMATS.iter().filter(|format| !format.is_picture());
    let names: Vec<&str> = texts.map(|format| format.name).collect();
    assert_eq!(
        names,
        NOTCH.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    for (name, text) in NOTCH {
        assert_eq!(found(text), CLUES, "{name}");
        assert_eq!(told(name, text), CLUES, "{name}");
    }
}

#[test]
fn trap_1_width_and_height_stand_in_both_orders() {
    // The other way round nothing fits, and nothing is guessed.
    for (name, right, wrong) in [
        ("nin", "4 3\n", "3 4\n"),
        ("mk", "3 4\n", "4 3\n"),
        ("cwd", "3\n4\n", "4\n3\n"),
        ("gno", "3\n4\n", "4\n3\n"),
        ("pattern", "4x3", "3x4"),
    ] {
        let text = text_of(name).replacen(right, wrong, 1);
        let message = told(name, &text);
        assert!(message.starts_with("x:"), "{name}: {message}");
    }
    // A square hides it; the clues are still those of rows first, or of columns first.
    assert_eq!(found("2 2\n2\n1\n2\n1\n"), "2/1 | 2/1");
}

#[test]
fn trap_2_columns_come_first_in_some() {
    assert_eq!(found("$1\n2\n0\n1\n1\n"), "1/1 | 2/0");
    assert_eq!(found("2x2:2//1/1"), "1/1 | 2/0");
    let rows_first = "<puzzle><clues type='rows'><line><count>1</count></line><line><count>1</count></line></clues><clues type='columns'><line><count>2</count></line><line/></clues></puzzle>";
    assert_eq!(found(rows_first), "1/1 | 2/0");
    // As in one file of nonogram-db.
    assert_eq!(
        found("width 2\nheight 2\ncolumns\n2\n0\nrows\n1\n1\n"),
        "1/1 | 2/0"
    );
}

#[test]
fn trap_3_an_empty_clue_is_written_in_five_ways() {
    let empty = "0/1 | 0/1";
    for text in [
        "2 2\n0\n1\n0\n1\n",
        "2\n2\n0\n1\n\n0\n1\n",
        "2 2\n0\n1\n#\n0\n1\n",
        "2 2\n\n1\n#\n\n1\n",
        "width 2\nheight 2\nrows\n0\n1\ncolumns\n0\n1\n",
        "width 2\nheight 2\nrows\n\n1\ncolumns\n\n1\n",
        "GRID\nROWS\n[ ]\n[ 1 ]\nCOLUMNS\n[]\n[ 1 ]\n",
        "<puzzle><clues type='rows'><line/><line><count>1</count></line></clues><clues type='columns'><line></line><line><count>1</count></line></clues></puzzle>",
        "2x2:/1//1",
        "$1\n\n1\n\n1\n",
        "$1\n0\n1\n0\n1\n",
        ":\n\n1\n:\n\n1\n:\n",
        "[clues]\nrows = 0, 1\ncolumns = 0, 1\n",
        "[clues]\nrows = \"0, 1\"\ncolumns = \"0, 1\"\n",
        "[Dimensions]\n2\n2\n[Row clues]\n0\n1\n[Column clues]\n0\n1\n",
        "{\"rows\": [[], [1]], \"columns\": [[], [1]]}",
        "{\"rows\": [[0], [1]], \"columns\": [[0], [1]]}",
    ] {
        assert_eq!(found(text), empty, "{text:?}");
    }
}

#[test]
fn trap_4_rows_with_a_number_is_the_height() {
    assert_eq!(
        found("rows 1\ncolumns 2\nrows\n1\ncolumns\n1\n0\n"),
        "1 | 1/0"
    );
}

#[test]
fn trap_5_line_ends_marks_and_blanks() {
    for (name, text) in NOTCH {
        let blanks = text.replace('\n', " \t\n");
        for variant in [
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}"),
            text.trim_end().to_owned(),
            blanks,
            format!("{}\r\n", text.trim_end()),
        ] {
            assert_eq!(found(&variant), CLUES, "{name}: {variant:?}");
        }
    }
    for name in ["nin", "mk", "cwd", "non", "gno", "tournament", "g"] {
        for between in [" ", "\t", ",", ", ", "  "] {
            let text = text_of(name)
                .replace("1,1", "1 1")
                .replace("1, 1", "1 1")
                .replace("1\t1", "1 1");
            let text = text.replace("1 1", &format!("1{between}1"));
            assert_eq!(told(name, &text), CLUES, "{name}: {text:?}");
        }
    }
}

#[test]
fn trap_6_a_0_beside_other_numbers_is_nothing() {
    for (name, text) in NOTCH {
        // A count of 0 is a block of unknown length there, and there is no letter for it; an address has no blanks, a picture no clues.
        if ["webpbn", "rosetta", "puzzlink", "text"].contains(name) {
            continue;
        }
        let mut padded = (*text).to_owned();
        for between in [" ", ",", ", ", "\t", "."] {
            let clue = format!("1{between}1");
            padded = padded.replace(&clue, &format!("0{between}1{between}0{between}1"));
        }
        assert_ne!(padded, *text);
        assert_eq!(told(name, &padded), CLUES, "{name}: {padded:?}");
    }
    let blot = text_of("webpbn").replace("<count>4", "<count>0");
    assert!(found(&blot).contains("blotted"));
}

#[test]
fn trap_7_sizes_go_down_to_one_cell() {
    for (id, expected) in [
        ("1x1:1/1", "1 | 1"),
        ("1x1:/", "0 | 0"),
        ("1x3:1//1/", "0 | 1"),
        ("3x1:1.1/1//1", ""),
    ] {
        let puzzle = read(id.as_bytes(), "x").swap_remove(0).puzzle;
        let Ok(puzzle) = puzzle else {
            assert_eq!(expected, "");
            continue;
        };
        if !expected.is_empty() && (puzzle.width(), puzzle.height()) == (1, 1) {
            assert_eq!(clues(&puzzle), expected);
        }
        for format in FORMATS.iter().filter(|format| !format.is_picture()) {
            if let Ok(bytes) = format.write(&puzzle) {
                let text = String::from_utf8(bytes).expect("a text");
                assert_eq!(told(format.name, &text), clues(&puzzle), "{}", format.name);
            }
        }
    }
    for text in [
        "0 1\n1\n",
        "0x1:1",
        "width 0\nheight 1\nrows\n1\ncolumns\n",
        "1\n0\n1\n",
        "P1 0 1\n",
    ] {
        assert!(found(text).starts_with("x:"), "{text:?}");
    }
}

#[test]
fn trap_8_quotes_in_quotes_and_references() {
    let text = format!("title \"\"A\" &amp; &eacute;\"\n{}", text_of("non"));
    let puzzle: Puzzle = text.parse().expect("a puzzle");
    assert_eq!(puzzle.notes().title.as_deref(), Some("\"A\" & é"));
}

#[test]
fn trap_9_several_puzzles_in_a_file() {
    let non = text_of("non");
    let pack = format!("{non}====\n{non}");
    let names: Vec<String> = read(pack.as_bytes(), "x")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["x#1", "x#2"]);
}

#[test]
fn trap_10_a_goal_may_be_none() {
    let text = format!("{}goal \"111111111111\"\n", text_of("non"));
    let puzzle: Puzzle = text.parse().expect("a puzzle");
    let goal = puzzle.notes().goal.as_ref().expect("a goal");
    assert!(verify(&puzzle, goal).is_err());
    // It is no picture of this puzzle.
    let error = Format::named("pbm")
        .expect("a format")
        .write(&puzzle)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "its goal, the picture, is not a solution: row 1 has 4, its clue is 2"
    );
}
