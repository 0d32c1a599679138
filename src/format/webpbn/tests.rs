use super::super::tests::{NOTCH, all, assert_refused, clues, failure, one};
use super::*;

/// A puzzle with its picture, in which `B` is a black, that is a filled, cell.
const TEXT: &str = r#"<?xml version="1.0"?>
<!DOCTYPE pbn SYSTEM "http://webpbn.com/pbn-0.3.dtd">
<puzzleset>
<puzzle type="grid" defaultcolor="black">
<source>own</source>
<title>Notch &amp; &eacute; &#10;O</title>
<color name="white" char=".">FFFFFF</color>
<color name="black" char="B">000000</color>
<clues type="columns">
<line><count>2</count></line>
<line><count>1</count><count>1</count></line>
<line><count>1</count><count>1</count></line>
<line><count>2</count></line>
</clues>
<clues type="rows">
<line><count>2</count></line>
<line><count> 1 </count><count>1</count></line>
<line><count>4</count></line>
</clues>
<solution type="goal"><image>
|.BB.|
|B..B|
|BBBB|
</image></solution>
</puzzle>
</puzzleset>
"#;

/// A puzzle of one cell, with this text in its element.
fn small(inside: &str) -> String {
    format!("<puzzleset><puzzle>{inside}</puzzle></puzzleset>")
}

const ONE: &str = "<clues type='rows'><line><count>1</count></line></clues><clues type='columns'><line><count>1</count></line></clues>";

#[test]
fn clue_types_distinguish_rows_from_columns() {
    let puzzle = one(read(TEXT));
    assert_eq!(clues(&puzzle), NOTCH);
    assert_eq!(puzzle.notes().title.as_deref(), Some("Notch & é \nO"));
    assert_eq!(
        puzzle.notes().goal.as_ref().unwrap().to_string(),
        ".##.\n#..#\n####\n"
    );
    assert_eq!(
        one(read(&format!("{OPEN}{}{CLOSE}", write(&puzzle).unwrap()))),
        puzzle
    );
    let loud = TEXT
        .replace("<clues type=\"rows\">", "<CLUES Type=\"ROWS\">")
        .replace("</clues>\n<solution", "</CLUES>\n<solution");
    assert_eq!(clues(&one(read(&loud))), NOTCH);
}

#[test]
fn missing_clues_are_derived_from_the_goal() {
    let start = TEXT.find("<clues").unwrap();
    let end = TEXT.find("<solution").unwrap();
    let text = format!("{}{}", &TEXT[..start], &TEXT[end..]);
    assert_eq!(clues(&one(read(&text))), NOTCH);
    let rows = TEXT.find("<clues type=\"rows\">").unwrap();
    let text = format!("{}{}", &TEXT[..rows], &TEXT[end..]);
    assert_eq!(clues(&one(read(&text))), NOTCH);
    assert_eq!(
        failure(read(&text.replace("|.BB.|", "|?BB.|"))),
        "4:1: this puzzle has neither clues for its rows nor a whole goal"
    );
    let unknown = TEXT.replace("|.BB.|", "|[.B]BB.|");
    assert_eq!(one(read(&unknown)).notes().goal, None);
}

#[test]
fn an_empty_clue_is_an_empty_line() {
    let text = small(
        "<clues type='rows'><line/><line><count>1</count></line></clues><clues type='columns'><line></line><line> <count>1</count> </line></clues>",
    );
    assert_eq!(clues(&one(read(&text))), "0/1 | 0/1");
}

#[test]
fn a_single_colour_is_accepted() {
    let text = TEXT
        .replace(
            "defaultcolor=\"black\"",
            "defaultcolor=\"Blue\" backgroundcolor=\"black\"",
        )
        .replace("name=\"white\" char=\".\"", "name=\"blue\" char=\"a\"")
        .replace("<count>4", "<count color=\"blue\">4")
        .replace("|.BB.|\n|B..B|\n|BBBB|", "|BaaB|\n|aBBa|\n|aaaa|");
    let puzzle = one(read(&text));
    assert_eq!(clues(&puzzle), NOTCH);
    assert_eq!(puzzle.notes().goal, one(read(TEXT)).notes().goal);
}

#[test]
fn unsupported_features_are_named_in_errors() {
    for (from, to, message) in [
        (
            "<count>4",
            "<count color=\"red\">4",
            "18:7: \"black\" and \"red\" are two colours: only black-and-white puzzles can be read so far",
        ),
        (
            "<count>4",
            "<count>0",
            "18:7: a block of unknown length: blotted clues cannot be read so far; an empty line is <line/>",
        ),
        (
            "type=\"grid\"",
            "type=\"triddler\"",
            "4:1: a triddler: only rows and columns can be read so far",
        ),
        (
            "type=\"rows\"",
            "type=\"topleft\"",
            "15:1: a triddler: only rows and columns can be read so far",
        ),
        (
            "<count>4",
            "<count>5",
            "18:1: the clue 5 of row 3 needs 5 cells, but the line has 4",
        ),
        (
            "<count>4",
            "<count>four",
            "18:7: \"four\" is not a block length",
        ),
        (
            "|.BB.|",
            "|.BZ.|",
            "20:1: 'Z' in the image is not the letter of a colour",
        ),
        (
            "|.BB.|",
            "|.B.|",
            "20:1: the goal: row 2 is 4 long, the first 3",
        ),
    ] {
        let text = TEXT.replace(from, to);
        assert_eq!(failure(read(&text)), message, "{to}");
    }
}

#[test]
fn a_set_has_several_puzzles() {
    let text = format!(
        "<puzzleset><author>A</author><copyright>C</copyright><title>set</title><puzzle>{ONE}</puzzle><puzzle type='x'>{ONE}</puzzle><puzzle><author>B</author>{ONE}</puzzle></puzzleset>"
    );
    let found = all(read(&text));
    assert_eq!(found.len(), 3);
    let notes = |i: usize| found[i].as_ref().unwrap().notes().clone();
    assert_eq!(
        (notes(0).author.as_deref(), notes(0).title),
        (Some("A"), None)
    );
    assert_eq!(
        (notes(2).author.as_deref(), notes(2).copyright.as_deref()),
        (Some("B"), Some("C"))
    );
    assert!(
        found[1]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("of type \"x\"")
    );
}

#[test]
fn errors_of_xml_syntax_have_a_place() {
    let found = all(read("<puzzleset>\n<puzzle></clues>"));
    assert!(
        found[0].as_ref().unwrap_err().to_string().starts_with("2:"),
        "{found:?}"
    );
    assert_eq!(found.len(), 1);
    let cases = [
        (
            "<puzzleset>\n <puzzle><title>x",
            "2:10: the file ends before <title> is closed",
        ),
        ("<puzzle>\n", "1:1: the file ends before <puzzle> is closed"),
    ];
    assert_refused(read, &cases);
}

#[test]
fn entity_bombs_are_not_expanded() {
    let laughs =
        "<!DOCTYPE pbn [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    assert_eq!(
        failure(read(&format!("{laughs}\n{}", small("<title>&b;</title>")))),
        "2:27: &b; is not a known entity: entities that a file declares itself are not supported"
    );
    for bomb in [
        "<a>".repeat(300_000),
        format!("<puzzle>{}", "<line>".repeat(100_000)),
        format!("<a{}/>", " a=''".repeat(200_000)),
    ] {
        assert!(all(read(&bomb)).iter().all(Result::is_err));
    }
    let harmless = format!(
        "<puzzleset>{}{}<puzzle>{ONE}</puzzle></puzzleset>",
        "<a>".repeat(100_000),
        "</a>".repeat(100_000)
    );
    assert_eq!(clues(&one(read(&harmless))), "1 | 1");
}

/// An error was once built for each wrong element, with the number and a copy of its line: minutes for a file of megabytes.
#[test]
fn a_puzzle_with_many_errors_is_read_in_linear_time() {
    let clues = |inside: String| small(&format!("<clues type='rows'>{inside}</clues>"));
    for text in [
        clues(format!(
            "<line>{}</line>",
            "<count>0</count>".repeat(100_000)
        )),
        clues(format!(
            "<line>{}</line>",
            "<count>0</count>\n".repeat(100_000)
        )),
        clues("<line><count>0</count></line>".repeat(50_000)),
        small(&"<clues type='diagonals'/>".repeat(50_000)),
    ] {
        let began = std::time::Instant::now();
        assert!(failure(read(&text)).starts_with("1:"));
        // Generous, for a machine that does other work too.
        assert!(began.elapsed().as_secs() < 2, "{:?}", began.elapsed());
    }
}
