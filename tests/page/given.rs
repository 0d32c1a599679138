//! Given cells: those that are revealed and given, those of a puzzle that is opened, and play with them.

use serde_json::{Value, json};

use crate::browser::{Browser, DESKTOP, PHONE, Screen};
use crate::common::command;
use crate::{LEFT, RIGHT, SHIFT, SPACE, SWITCH, given, tab_to};

/// Reveals the fewest cells of [`SWITCH`] and gives them.
fn give_revealed_cells(browser: &Browser) -> Vec<(usize, usize)> {
    browser.click("#reveal");
    browser.until("window.studio.board.layer('revealed')");
    let revealed = browser.value("window.studio.board.layer('revealed')");
    let cells: Vec<(usize, usize)> = serde_json::from_value(revealed).unwrap();
    browser.checked(|browser| browser.click("#give"));
    browser.until("window.studio.board.layer('revealed') === null");
    cells
        .into_iter()
        .map(|(row, column)| (row - 1, column - 1))
        .collect()
}

/// Cells that are revealed become given ones, which follow the picture, and are kept by undo, files, links and reloads.
fn revealed_cells_are_given(screen: Screen) {
    let name = if screen.phone { "give-phone" } else { "give" };
    let Some(browser) = Browser::open(name, &[], screen, false) else {
        return;
    };
    browser.new_picture(5, 5);
    browser.checked(|browser| browser.draw(&SWITCH));
    assert_eq!(browser.verdict(), "multiple");
    assert_eq!(given(&browser), Value::Null);
    assert_eq!(
        browser.value("document.querySelector('#give').hidden"),
        true
    );
    let cells = give_revealed_cells(&browser);
    assert_eq!(cells.len(), 1);
    let (row, column) = cells[0];
    assert_eq!(browser.verdict(), "unique");
    let first = given(&browser);
    let value = &SWITCH[row][column..=column];
    assert_eq!(
        &first[row].as_str().unwrap()[column..=column],
        value,
        "{first}"
    );
    browser.checked(|browser| browser.click("#undo"));
    assert_eq!(
        (browser.verdict().as_str(), given(&browser)),
        ("multiple", Value::Null)
    );
    browser.checked(|browser| browser.click("#redo"));
    assert_eq!(
        (browser.verdict().as_str(), given(&browser)),
        ("unique", first.clone())
    );

    // A stroke changes the value of a given cell with the picture.
    browser.checked(|browser| browser.stroke(&cells));
    let other = if value == "#" { "." } else { "#" };
    assert_eq!(
        &given(&browser)[row].as_str().unwrap()[column..=column],
        other
    );
    browser.checked(|browser| browser.click("#undo"));
    // They go with the picture, or are dropped where it is cut off.
    let turned = |operations: &str| {
        browser.run(&format!(
            "const {{ drawing }} = window.studio; {operations}"
        ));
        given(&browser)
    };
    for there_and_back in [
        "drawing.invert(); drawing.invert();",
        "drawing.mirror('x'); drawing.mirror('x');",
        "drawing.rotate(1); drawing.rotate(-1);",
        "drawing.shift(2, 1); drawing.shift(-2, -1);",
        "drawing.resize({ left: 3, top: 1 }); drawing.resize({ left: -3, top: -1 });",
    ] {
        assert_eq!(turned(there_and_back), first, "{there_and_back}");
    }
    let cut = format!("drawing.resize({{ top: {} }});", -(row as i64) - 1);
    assert_eq!(turned(&cut), Value::Null);
    assert_eq!(turned("drawing.undo();"), first);
    let words = format!("window.studio.board.describe({{ row: {row}, column: {column} }})");
    let words = browser.value(&words);
    assert!(words.as_str().unwrap().contains("given"), "{words}");

    // A link and a file carry them, and they survive a reload.
    let fragment = browser.run_async(
        "const { fragment } = await import('./store.js'); return fragment(window.studio.drawing);",
    );
    let fragment = fragment.as_str().unwrap().trim_start_matches('#');
    browser.new_picture(3, 3);
    assert_eq!(given(&browser), Value::Null);
    browser.checked(|browser| browser.run(&format!("location.hash = '{fragment}';")));
    assert_eq!(given(&browser), first);
    browser.run("document.querySelector('#save-format').value = 'json';");
    browser.click("#save");
    let saved = browser.download("puzzle.json");
    browser.new_picture(3, 3);
    let file = browser.file("reopened.json", &saved);
    browser.checked(|browser| browser.send("#file", &file));
    assert_eq!(given(&browser), first);
    assert_eq!(browser.picture(), SWITCH);
    std::thread::sleep(std::time::Duration::from_millis(700));
    browser.reload();
    assert_eq!(given(&browser), first);
    assert_eq!(browser.verdict(), "unique");

    browser.checked(|browser| browser.click("#give-none"));
    assert_eq!(
        (browser.verdict().as_str(), given(&browser)),
        ("multiple", Value::Null)
    );
    assert_eq!(
        browser.value("document.querySelector('#give-none').hidden"),
        true
    );
    assert_eq!(
        browser.value("window.studio.drawing.marks.some((mark) => mark !== 0)"),
        false
    );
}

#[test]
fn revealed_cells_are_given_on_a_desktop() {
    revealed_cells_are_given(DESKTOP);
}

#[test]
fn revealed_cells_are_given_on_a_phone() {
    revealed_cells_are_given(PHONE);
}

/// A game begins with the given cells, which a player cannot change; a hint counts on them.
#[test]
fn given_cells_stay_while_playing() {
    let Some(browser) = Browser::open("play-given", &[], DESKTOP, false) else {
        return;
    };
    browser.new_picture(5, 5);
    browser.checked(|browser| browser.draw(&SWITCH));
    let (row, column) = give_revealed_cells(&browser)[0];
    browser.click("#play");
    browser.until("window.studio.drawing.mode === 'play'");
    assert!(browser.text("#play-words").contains("given"));
    let start = given(&browser);
    let marks = || browser.value("window.studio.drawing.positionText()");
    assert_eq!(marks(), start);
    // A click on it, a stroke through it, and a clearing leave it.
    browser.stroke(&[(row, column)]);
    assert_eq!(marks(), start);
    browser.until("document.querySelector('#status').textContent.includes('given cell')");
    let neighbour = if column == 0 { 1 } else { column - 1 };
    browser.stroke(&[(row, neighbour), (row, column)]);
    let stroked = marks();
    let line = stroked[row].as_str().unwrap();
    assert_eq!(&line[neighbour..=neighbour], "#");
    assert_eq!(
        line[column..=column],
        start[row].as_str().unwrap()[column..=column]
    );
    browser.click("#clear");
    assert_eq!(marks(), start);
    // Without the given cell there would be no end.
    for _ in 0..20 {
        if browser.value("document.body.dataset.solved === 'true'") == true {
            break;
        }
        let before = marks();
        browser.click("#hint");
        browser.until("document.querySelector('#hint').textContent === 'Fill in the hint'");
        browser.click("#hint");
        browser.until(&format!(
            "JSON.stringify(window.studio.drawing.positionText()) !== JSON.stringify({before})"
        ));
    }
    browser.until("document.body.dataset.solved === 'true'");
    browser.click("#play");
    browser.until("window.studio.drawing.mode === 'draw'");
    assert_eq!(browser.picture(), SWITCH);
    assert_eq!(given(&browser), start);
}

/// A puzzle of clues keeps its given cells, also those that contradict a goal, which is then not its picture.
#[test]
fn opened_given_cells_bind_in_all_panels() {
    let clue = json!([[1], [1], [1]]);
    let rows = json!(["?#?", "???", "???"]);
    let puzzles = json!([
        { "rows": clue, "columns": clue, "given": rows },
        { "rows": clue, "columns": clue, "given": rows, "goal": ["#..", ".#.", "..#"], "title": "Other" },
    ]);
    let scratch = command::Scratch::new("page-given");
    let file = scratch.file("given.json");
    std::fs::write(&file, puzzles.to_string()).unwrap();
    let Some(browser) = Browser::open("opened-given", &[&file], DESKTOP, false) else {
        return;
    };
    browser.until("document.querySelectorAll('#collection li').length === 2");
    for puzzle in 1..=2 {
        if puzzle == 2 {
            browser.checked(|browser| browser.click("#collection li:nth-child(2) button"));
        }
        assert_eq!(browser.value("window.studio.drawing.kind"), "clues");
        assert_eq!(given(&browser), rows, "puzzle {puzzle}");
        browser.until("document.querySelector('#solutions').textContent.trim() === '2'");
    }
    // The number of solutions to step through, the shares of cells, and the steps of an explanation.
    browser.click("#next-solution");
    browser.until("!window.studio.board.layer('position').join('').includes('?')");
    let solution = browser.value("window.studio.board.layer('position')[0]");
    assert_eq!(solution, ".#.");
    browser.click("#solution-close");
    browser.click("#heat");
    browser.until("window.studio.board.layer('heat')");
    let shares = browser.value("window.studio.board.layer('heat')[0]");
    assert_eq!(shares, json!([0, 1, 0]));
    browser.click("#heat");
    browser.click("#explain");
    browser.until("window.studio.board.layer('step')");
    let position = browser.value("window.studio.board.layer('position')[0][1]");
    assert_eq!(position, "#");
    browser.click("#explain-close");
    // Mirroring carries them along, and the collection keeps the change across a reload.
    let mirrored = json!(["???", "???", "?#?"]);
    browser.checked(|browser| browser.click("#mirror-y"));
    assert_eq!(given(&browser), mirrored);
    browser.reload();
    browser.until("document.querySelectorAll('#collection li').length === 2");
    browser.checked(|browser| browser.click("#collection li:nth-child(1) button"));
    assert_eq!(given(&browser), rows);
    browser.checked(|browser| browser.click("#collection li:nth-child(2) button"));
    assert_eq!(given(&browser), mirrored);
    // Clues that are typed for the same grid leave them.
    browser.click("#clues");
    browser.until("document.querySelector('#clues-dialog').open");
    browser.run("const text = document.querySelector('#clues-text'); text.value = 'rows\\n1\\n0\\n1\\ncolumns\\n1\\n1\\n0\\n'; text.dispatchEvent(new Event('input', {bubbles: true}));");
    browser.until("!document.querySelector('#use-clues').disabled");
    browser.checked(|browser| browser.click("#use-clues"));
    assert_eq!(given(&browser), mirrored);
    assert_eq!(browser.verdict(), "unique");
}

/// The brush gives single cells and takes them back: with the mouse, the keyboard, and a finger.
#[test]
fn single_cells_are_given_with_a_brush() {
    for (screen, dark) in [(DESKTOP, false), (DESKTOP, true), (PHONE, false)] {
        let name = format!("brush-{}-{dark}", screen.width);
        let Some(browser) = Browser::open(&name, &[], screen, dark) else {
            return;
        };
        let stroke = |cells: &[(usize, usize)]| match screen.phone {
            true => browser.touch(cells, 0),
            false => browser.stroke(cells),
        };
        browser.new_picture(5, 5);
        browser.checked(|browser| browser.draw(&SWITCH));
        browser.click("[data-tool=give]");
        browser.until("window.studio.board.tool === 'give'");
        browser.checked(|_| stroke(&[(0, 0), (0, 1)]));
        let first_row = || given(&browser)[0].clone();
        assert_eq!(first_row(), "#.???");
        assert_eq!(browser.verdict(), "unique");
        assert_eq!(browser.picture(), SWITCH);
        // The first cell decides what the stroke does.
        stroke(&[(0, 1), (0, 2)]);
        assert_eq!(first_row(), "#????");
        stroke(&[(0, 2), (0, 0)]);
        assert_eq!(first_row(), "#..??");
        browser.click("#undo");
        browser.until("window.studio.drawing.redoName === 'Give cells'");
        assert_eq!(first_row(), "#????");
        if !screen.phone {
            tab_to(&browser, "#board");
            browser.press("p");
            browser.press("g");
            assert_eq!(browser.value("window.studio.board.tool"), "give");
            browser.run("window.studio.board.moveCursor(0, 2);");
            browser.press(SPACE);
            browser.press(&[RIGHT, SPACE].concat());
            assert_eq!(first_row(), "#?.#?");
            browser.press("x");
            assert_eq!(first_row(), "#?.??");
            browser.press(LEFT);
            browser.press(SPACE);
            browser.press(&[SHIFT, LEFT].concat());
            assert_eq!(first_row(), "#????");
        }
        // Play begins with it, and without what was taken back.
        stroke(&[(4, 4)]);
        stroke(&[(0, 0)]);
        browser.click("#play");
        browser.until("window.studio.drawing.mode === 'play'");
        let marks = browser.value("window.studio.drawing.positionText()");
        assert_eq!(marks, json!(["?????", "?????", "?????", "?????", "????#"]));
        assert_eq!(browser.value("window.studio.board.tool"), "pen");
        browser.click("#play");
        browser.until("window.studio.drawing.mode === 'draw'");
    }
}
