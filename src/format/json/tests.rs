use super::*;
use crate::format::tests::{assert_refused, clues, failure, of_pack, one};

const NOTCH: &str = r#####"{"rows": [[2], [1, 1], [4]], "cols": [[2], [1, 1], [1, 1], [2]],
        "title": "Caf\u00e9 \"N\"", "by": "us", "goal": [".##.", "#..#", "####"], "width": 4, "x": {"y": [null]}, "license": null}"#####;

#[test]
fn reads_what_programs_write() {
    let puzzle = one(read(NOTCH));
    assert_eq!((puzzle.width(), puzzle.height()), (4, 3));
    let notes = puzzle.notes();
    assert_eq!(notes.title.as_deref(), Some("Café \"N\""));
    assert_eq!(
        (notes.author.as_deref(), &notes.license),
        (Some("us"), &None)
    );
    let padded = r#" {"columns":[[0,2],[1,0,1],[1,1],[0,0,2]],"rows":[[0,2],[1,1],[4]]} "#;
    assert_eq!(one(read(padded)).rows(), puzzle.rows());
    assert_eq!(one(read(padded)).columns(), puzzle.columns());
    assert_eq!(one(read(r#"{"rows":[[]],"cols":[[]]}"#)).sums(), (0, 0));
    assert_eq!(one(read(&write(&puzzle))), puzzle);
}

/// As programs and people write it.
#[test]
fn clues_have_many_names() {
    let clues = one(read(r#"{"rows":[[1],[2],[1]],"columns":[[1],[3]]}"#));
    for (rows, columns) in [
        ("rows", "cols"),
        ("row", "column"),
        ("hor", "ver"),
        ("horizontal", "vertical"),
        ("rowsDef", "colsDef"),
        ("rowClues", "colClues"),
        ("row_clues", "column_clues"),
        ("Rows", "Columns"),
        ("rowHints", "columnHints"),
    ] {
        let text = format!(r#"{{"{columns}":[[1],[3]],"{rows}":[[1],[2],[1]]}}"#);
        assert_eq!(one(read(&text)), clues, "{text}");
    }
    // Under most names, what is no list is something else.
    let version = r#"{"ver":"1.0","picture":"x.png","rows":[[1],[2],[1]],"columns":[[1],[3]]}"#;
    assert_eq!(one(read(version)), clues);
    // Numbers of rows and columns are sizes.
    let sized = r#"{"rows":3,"cols":2,"rowsDef":[[1],[2],[1]],"colsDef":[[1],[3]]}"#;
    assert_eq!(one(read(sized)), clues);
    let wrong = sized.replace("\"cols\":2", "\"cols\":4");
    assert_eq!(
        failure(read(&wrong)),
        "1:18: the width is given as 4, but there are clues for 2"
    );
    for (text, expected) in [
        (
            "{}",
            "1:1: there are no keys here: a puzzle has rows and columns (also row and column, hor and ver, rowsDef and colsDef), or a goal",
        ),
        (
            r#"{"a":1,"b":[[1]]}"#,
            "1:1: the keys here are a, b: a puzzle has rows and columns (also row and column, hor and ver, rowsDef and colsDef), or a goal",
        ),
        (
            r#"{"hor":[[1]],"row":[[1]]}"#,
            "1:20: hor or row is given twice",
        ),
        (
            r#"{"ver":[[1]],"other":[[1]]}"#,
            "1:1: this puzzle has no rows",
        ),
    ] {
        assert_eq!(failure(read(text)), expected);
    }
}

#[test]
fn a_picture_alone_is_a_puzzle() {
    for text in [
        r###"{"goal":[".#","##",".#"]}"###,
        r#"{"picture":["01","11","01"],"width":2,"height":3}"#,
        r#"{"goal":[[0,1],[1,1],[0,1]]}"#,
        r#"{"picture":[[false,true],[true,true],[false,true]]}"#,
        r#"[[0,1],[1,1],[0,1]]"#,
        r###" [".#", "##", ".#"] "###,
        r#"["01","11","01"]"#,
    ] {
        let puzzle = one(read(text));
        assert_eq!(clues(&puzzle), "1/2/1 | 1/3", "{text}");
        assert!(puzzle.notes().goal.is_some());
    }
    for (text, expected) in [
        (
            "[[0,1],[1]]",
            "1:1: the drawing: row 2 is 1 long, the first 2",
        ),
        (
            "[[0,2]]",
            "1:5: the drawing[0][1]: 2 is not a cell: it is 0 or 1",
        ),
        (
            r###"["#.","?."]"###,
            "1:1: the drawing: '?' in row 2: a cell is '#' or '.'",
        ),
    ] {
        assert_eq!(failure(read(text)), expected);
    }
}

#[test]
fn an_invalid_puzzle_does_not_affect_others_of_its_pack() {
    let text = format!("[{NOTCH},\n{{\"rows\":[[1]],\n\"columns\":[[true]]}},\n[],{NOTCH}]");
    let found = of_pack(read(&text));
    assert!(found[0].is_ok() && found[3].is_ok() && found.len() == 4);
    assert_eq!(
        found[1],
        Err("4:13: columns[0][0]: true is not a block length".into())
    );
    assert_eq!(
        found[2],
        Err("5:1: an array is not a puzzle: a puzzle is an object with rows and columns".into())
    );
}

#[test]
fn semantic_errors_have_a_path_and_a_place() {
    let with = |rest: &str| failure(read(&format!("{{\"columns\":[[1],[]],\n\"rows\":{rest}}}")));
    for (rows, expected) in [
        ("[[1],[1,-2]]", "2:16: rows[1][1]: -2 is not a block length"),
        (
            "[[\"1\"]]",
            "2:10: rows[0][0]: a text is not a block length",
        ),
        ("[[1.5]]", "2:10: rows[0][0]: 1.5 is not a block length"),
        ("[1]", "2:9: rows[0]: 1 is not a clue"),
        ("{}", "2:8: rows: an object is not a list of clues"),
        (
            "[[99999999999999999999999999]]",
            "2:10: rows[0][0]: a block of 999999999999999999999999... cells is longer than the longest line, 4096",
        ),
        (
            "[[], [1,1]]",
            "2:13: the clue 1 1 of row 2 needs 3 cells, but the line has 2",
        ),
        ("[]", "2:8: this puzzle has no rows"),
        ("null", "1:1: this puzzle has no rows"),
    ] {
        assert_eq!(with(rows), expected, "{rows}");
    }
    for (member, expected) in [
        ("\"rows\":[]", "2:21: rows is given twice"),
        ("\"cols\":[]", "2:21: columns or cols is given twice"),
        (
            "\"width\":3",
            "2:22: the width is given as 3, but there are clues for 2",
        ),
        ("\"title\":3", "2:22: title: 3 is not a text"),
        ("\"goal\":[\"#\"]", "2:21: the goal is 1x1, the puzzle 2x1"),
        (
            "\"goal\":[\"#x\"]",
            "2:21: goal: 'x' in row 1: a cell is '#' or '.'",
        ),
        ("\"goal\":[2]", "2:22: goal[0]: 2 is not a row of cells"),
        (
            "\"title\":\"\\ud800\"",
            "2:29: this is not JSON: unexpected end of hex escape",
        ),
    ] {
        assert_eq!(with(&format!("[[1]],{member}")), expected, "{member}");
    }
}

#[test]
fn syntax_errors_have_a_place() {
    let cases = [
        (
            "{\"é\": 1,\n  \"rows\": [[1], oops]}",
            "2:17: this is not JSON: a value must come here",
        ),
        (
            "{\n\"rows\": [[1]",
            "2:12: the JSON ends in the middle of a value",
        ),
        (
            "{\"rows\":\n",
            "1:8: the JSON ends in the middle of a value",
        ),
        ("{} {}", "1:4: there is more text after the end of the JSON"),
        ("[1, 2", "1:5: the JSON ends in the middle of a value"),
    ];
    assert_refused(read, &cases);
}

#[test]
fn deep_nesting_does_not_use_the_stack() {
    for open in ["[", "{\"a\":", "{\"rows\":", "{\"rows\":[["] {
        assert!(failure(read(&open.repeat(200_000))).contains("in the middle"));
    }
    let deep = format!(
        "{{\"rows\":{}{}}}",
        "[".repeat(500_000),
        "]".repeat(500_000)
    );
    assert_eq!(
        failure(read(&deep)),
        "1:11: rows[0][0]: an array is not a block length"
    );
    let harmless = format!(
        "{{\"x\":{}{},\"rows\":[[]],\"columns\":[[]]}}",
        "[".repeat(300_000),
        "]".repeat(300_000)
    );
    one(read(&harmless));
}

#[test]
fn unknown_keys_are_listed_in_one_warning() {
    for (members, warning) in [
        ("\"title\":\"x\",\"width\":1,\"saved\":[]", None),
        ("\"id\":5", Some("the key id is not known and was skipped")),
        (
            "\"id\":5,\"saved\":true,\"ver\":2,\"picture\":\"cup.png\"",
            Some("the keys id, saved, ver, picture are not known and were skipped"),
        ),
    ] {
        let text = format!("{{{members},\"rows\":[[1]],\"columns\":[[1]]}}");
        let mut contents = read(&text);
        let found = contents.puzzles.next().unwrap().unwrap();
        assert_eq!(found.warnings.first().map(String::as_str), warning);
    }
}

#[test]
fn a_picture_may_have_the_characters_of_any_drawing() {
    for rows in [
        "\"⬜⬛⬛⬜\",\"⬛⬜⬜⬛\",\"⬛⬛⬛⬛\"",
        "\"0 1 1 0\",\"1 0 0 1\",\"1 1 1 1\"",
        // X is a filled cell.
        "\" XX \",\"X  X\",\"XXXX\"",
    ] {
        assert_eq!(
            clues(&one(read(&format!("{{\"goal\":[{rows}]}}")))),
            "2/1 1/4 | 2/1 1/1 1/2"
        );
        assert_eq!(
            clues(&one(read(&format!("[{rows}]")))),
            "2/1 1/4 | 2/1 1/1 1/2"
        );
    }
}

#[test]
fn blocks_with_colours_are_told() {
    for block in [
        "[\"y\",1]",
        "[3, \"red\"]",
        "\"3r\"",
        "\"red 3\"",
        "{\"color\":\"red\",\"length\":3}",
        "{\"n\":3,\"Colour\":1}",
    ] {
        let text = format!("{{\"rows\":[[{block}]],\"columns\":[[1]]}}");
        assert_eq!(
            failure(read(&text)),
            "1:11: rows[0][0]: a block with a colour: only black-and-white puzzles can be read so far"
        );
    }
}

#[test]
fn a_palette_makes_a_puzzle_in_colours() {
    let with = |member: &str| format!("{{\"rows\":[[1]],\"columns\":[[1]],{member}}}");
    for member in [
        "\"palette\":[\"white\",\"red\",\"blue\"]",
        "\"colors\":{\"a\":1,\"b\":2,\"c\":3}",
        "\"rowColors\":[[1]],\"columnColors\":[[1]]",
    ] {
        let message = failure(read(&with(member)));
        assert!(
            message.ends_with(": only black-and-white puzzles can be read so far"),
            "{message}"
        );
    }
    for member in ["\"colors\":[\"white\",\"black\"]", "\"color\":\"#000\""] {
        one(read(&with(member)));
    }
}
