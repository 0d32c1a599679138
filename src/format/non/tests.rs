use super::super::tests::{NOTCH as NOTCH_CLUES, clues, failure, of_pack, one};
use super::*;

const NOTCH: &str = "width 4\nheight 3\nrows\n2\n1,1\n4\ncolumns\n2\n1,1\n1,1\n2\n";

#[test]
fn sections_and_sizes_come_in_any_order() {
    for text in [
        NOTCH.to_owned(),
        NOTCH.replace('\n', "\r\n"),
        NOTCH.trim_end().to_owned(),
        NOTCH.replace('\n', "  \n"),
        NOTCH.replace('\n', "\n\n"),
        NOTCH.replace(',', " \t"),
        NOTCH.replace("1,1", " 1 ,, 1,"),
        NOTCH.replace("1,1", "0,1,0,1"),
        NOTCH.replace("width", "columns").replace("height", "rows"),
        NOTCH
            .replace("width", "Width")
            .replace("columns\n", "COLUMNS\n"),
        "columns\n2\n1 1\n1 1\n2\n\nrows\n2\n1 1\n4\n\nrows 3\ncolumns 004".to_owned(),
        format!("maxrule 4\ncolor a #ff0000\nsaved \"??01\n1?000001\"\nunknown\n3,4\n{NOTCH}"),
    ] {
        assert_eq!(clues(&one(read(&text))), NOTCH_CLUES, "{text}");
    }
}

#[test]
fn properties_are_unquoted_and_decoded() {
    let text = format!(
        "title \"\"A\" &eacute;&#233;&#xe9; &amp;amp; &copy;&nosuch; &\"\nby us & them\ncopyright \"\"\nlicense CC0-1.0\n\
         catalogue\n{NOTCH}title second"
    );
    let puzzle = one(read(&text));
    let notes = puzzle.notes();
    assert_eq!(notes.title.as_deref(), Some("\"A\" ééé &amp; ©&nosuch; &"));
    assert_eq!(notes.author.as_deref(), Some("us & them"));
    assert_eq!(notes.copyright.as_deref(), Some(""));
    assert_eq!(notes.license.as_deref(), Some("CC0-1.0"));
    assert_eq!(notes.catalogue, None);
    assert_eq!(one(read(&write(&puzzle))), puzzle);
}

#[test]
fn a_goal_may_extend_over_several_lines() {
    let drawn = ".##.\n#..#\n####\n";
    for goal in [
        "goal \"011010011111\"",
        "goal 011010011111",
        "goal \"0110\n1001\n\n1111\"",
        "goal\n0110\n1001\n1111",
        "goal \"|0110|\n \"|1001|\n1111\"",
    ] {
        for text in [format!("{NOTCH}{goal}\n"), format!("{goal}\n{NOTCH}goal 1")] {
            let puzzle = one(read(&text));
            assert_eq!(puzzle.notes().goal.as_ref().unwrap().to_string(), drawn);
        }
    }
    let with = |goal: &str| failure(read(&format!("{NOTCH}goal {goal}")));
    for (goal, expected) in [
        (
            "\"01\"",
            "12:6: the goal has 2 cells, but a 4x3 puzzle has 12",
        ),
        ("\"01\n2\"", "13:1: '2' in the goal: a cell is 0 or 1"),
        (
            "\"0a\"",
            "12:8: \"a\" is a colour: only black-and-white puzzles can be read so far",
        ),
    ] {
        assert_eq!(with(goal), expected, "{goal:?}");
    }
}

/// A puzzle of three columns, each with a clue, and these rows.
fn with_rows(count: usize, rows: &str, columns: &str) -> String {
    format!("width 3\nheight {count}\nrows\n{rows}columns\n{columns}")
}

#[test]
fn blank_lines_are_empty_clues_only_where_clues_are_missing() {
    for (count, rows, columns, wanted) in [
        // Enough clues: blank lines are ignored.
        (2, "\n1\n\n\n2\n\n", "1\n1\n1\n", "1/2"),
        // Between two clues.
        (3, "1\n\n2\n", "1\n1\n1\n", "1/0/2"),
        (3, "1\n\n2\n\n\n", "1\n1\n1\n", "1/0/2"),
        (3, "\n\n1\n\n2\n\n\n", "1\n1\n1\n", "1/0/2"),
        // Before the first, after the last.
        (3, "\n\n2\n", "1\n1\n0\n", "0/0/2"),
        (3, "1\n\n\n\n\n", "1\n0\n0\n", "1/0/0"),
        (3, "\n2\n\n", "1\n1\n0\n", "0/2/0"),
        // Only blank lines.
        (2, "\n\n\n", "0\n0\n0\n", "0/0"),
    ] {
        let text = with_rows(count, rows, columns);
        let columns = columns.trim().replace('\n', "/");
        let found = clues(&one(read(&text)));
        assert_eq!(found, format!("{wanted} | {columns}"), "{text}");
    }
    // The last section ends at the end of the file.
    let text = "height 1\nwidth 2\nrows\n1\ncolumns\n1\n\n";
    assert_eq!(clues(&one(read(text))), "1 | 1/0");
}

#[test]
fn ambiguous_blank_lines_are_refused() {
    let text = with_rows(2, "\n2\n\n", "1\n1\n0\n");
    assert_eq!(
        failure(read(&text)),
        "4:1: too few clues for 2 rows, and it is not clear which blank lines are empty clues: write 0 for an empty line"
    );
}

#[test]
fn a_blank_line_does_not_replace_a_missing_clue() {
    let text = with_rows(2, "2\n\n", "1\n2\n0\n");
    assert_eq!(failure(read(&text)), "6:1: only 1 clue for 2 rows");
    let text = "height 2\nwidth 2\nrows\n1\n1\ncolumns\n1\n\n";
    assert_eq!(failure(read(text)), "8:1: only 1 clue for 2 columns");
    // Different sums are not an error if every clue is written.
    one(read(&with_rows(2, "2\n0\n", "1\n2\n0\n")));
}

#[test]
fn errors_of_section_length_have_a_place() {
    let rows = |rows: &str| failure(read(&with_rows(2, rows, "1\n1\n1\n")));
    for (text, expected) in [
        ("1\n", "5:1: only 1 clue for 2 rows"),
        ("", "4:1: only 0 clues for 2 rows"),
        (
            "1\n\n\n1\n  1\n1\n",
            "8:3: 4 clues for 2 rows: from here on there are too many",
        ),
    ] {
        assert_eq!(rows(text), expected, "{text:?}");
    }
    // More blank lines between clues than are missing.
    let text = with_rows(3, "1\n\n\n2\n", "1\n1\n1\n");
    assert_eq!(failure(read(&text)), "8:1: only 2 clues for 3 rows");
    // A property in the middle ends the section.
    assert_eq!(rows("1\nx\n1\n"), "5:1: only 1 clue for 2 rows");
    let end = failure(read("height 1\nwidth 2\nrows\n1\ncolumns\n1"));
    assert_eq!(end, "6:1: only 1 clue for 2 columns");
}

#[test]
fn sizes_must_be_valid_and_given_once() {
    let size = |width: &str| failure(read(&NOTCH.replace("width 4", width)));
    for (line, expected) in [
        ("width", "1:1: the width is not given"),
        (
            "width 0",
            "1:7: the width is 0, but a puzzle has at least one cell",
        ),
        (
            "width 4097",
            "1:7: a width of 4097 is more than the 4096 that omnogram can hold",
        ),
        (
            &format!("width {}", "9".repeat(50)),
            "1:7: a width of 999999999999999999999999... is more than the 4096 that omnogram can hold",
        ),
        ("width -4", "1:7: the width must be one whole number"),
        ("width 4x3", "1:8: the width must be one whole number"),
        (
            "width 4\ncolumns 4",
            "2:1: a second width: the first is in line 1",
        ),
        ("title x", "1:1: this puzzle has no width"),
    ] {
        assert_eq!(size(line), expected, "{line:?}");
    }
    for (line, missing) in [
        ("height 3", "height"),
        ("rows", "rows section"),
        ("columns", "columns section"),
    ] {
        let expected = format!("1:1: this puzzle has no {missing}");
        assert_eq!(failure(read(&NOTCH.replace(line, ""))), expected);
    }
    let twice = format!("{NOTCH}rows\n");
    assert_eq!(
        failure(read(&twice)),
        "12:1: a second rows section: the first is in line 3"
    );
    assert_eq!(
        failure(read("width 1\nheight 1000000000\nrows\n")),
        "2:8: a height of 1000000000 is more than the 4096 that omnogram can hold"
    );
}

#[test]
fn junk_in_a_clue_is_shown() {
    let clue = |clue: &str| failure(read(&NOTCH.replacen("1,1", clue, 1)));
    for (text, expected) in [
        ("1;1", "5:2: ';' in a clue: a clue is a list of numbers"),
        ("1, é1", "5:4: 'é' in a clue: a clue is a list of numbers"),
        (
            "\"1,1\"",
            "5:1: '\"' in a clue: a clue is a list of numbers",
        ),
        (
            "1,-1",
            "5:3: a minus sign in a clue: a block has at least one cell",
        ),
        (
            "1a,1",
            "5:2: \"a\" is a colour: only black-and-white puzzles can be read so far",
        ),
        (
            "1 1 1",
            "5:1: the clue 1 1 1 of row 2 needs 5 cells, but the line has 4",
        ),
        (
            " 5",
            "5:2: the clue 5 of row 2 needs 5 cells, but the line has 4",
        ),
        (
            "1,00004097",
            "5:3: a block of 4097 cells is longer than the longest line, 4096",
        ),
    ] {
        assert_eq!(clue(text), expected, "{text:?}");
    }
}

#[test]
fn a_pack_has_a_line_of_equals_signs_between_puzzles() {
    let text = format!("{NOTCH}====\n\n====\n width 1\n=====\r\n{NOTCH}====\n");
    let found = of_pack(read(&text));
    assert_eq!(found.len(), 3);
    assert!(found[0].is_ok() && found[2].is_ok());
    assert_eq!(found[1], Err("15:2: this puzzle has no height".into()));
}

#[test]
fn clues_that_begin_with_a_colour_are_told_from_keywords() {
    let head = "width 2\nheight 1\nrows\nred 1 blue 1\ncolumns\n1\n1\n";
    assert_eq!(
        failure(read(head)),
        "4:1: \"red\" is a colour: only black-and-white puzzles can be read so far"
    );
    let palette = format!("color red FF0000 #\n{head}");
    assert_eq!(
        failure(read(&palette)),
        "1:1: a puzzle in colours: only black-and-white puzzles can be read so far"
    );
    // A palette binds nothing, and other keywords with a number may come after the clues.
    let usual = "color a #000000\nwidth 2\nheight 1\nrows\n2\ncolumns\n1\n1\nid 5\n";
    assert_eq!(clues(&one(read(usual))), "2 | 1/1");
}
