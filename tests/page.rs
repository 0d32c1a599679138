//! The page of the studio, in a real browser, as a designer uses it.

#![cfg(all(feature = "cli", feature = "studio", target_os = "linux"))]

#[path = "common/browser.rs"]
mod browser;
mod common;

use std::path::Path;

use browser::{Browser, DESKTOP, PHONE, Screen};
use common::command;
use omnogram::puzzle::Grid;
use serde_json::{Value, json};

/// Two solutions: the switch at the left.
const SWITCH: [&str; 5] = ["#..#.", ".#.#.", "...#.", "...#.", "#####"];

/// The keys of the WebDriver protocol.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const SPACE: &str = " ";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";
const HOME: &str = "\u{e011}";

/// What is known of [`SWITCH`] is shown, and a repair spares a protected cell; undo brings the first picture back.
fn a_designer_repairs_a_picture(screen: Screen) {
    let name = if screen.phone {
        "repair-phone"
    } else {
        "repair"
    };
    let Some(browser) = Browser::open(name, &[], screen, false) else {
        return;
    };
    browser.new_picture(5, 5);
    browser.checked(|browser| browser.draw(&SWITCH));
    browser.until("document.querySelector('#solutions').textContent.trim() === '2'");
    assert_eq!(browser.picture(), SWITCH);
    assert_eq!(browser.verdict(), "multiple");
    assert_eq!(browser.text("#ambiguous"), "4");
    let marked = browser.value("window.studio.board.layer('ambiguous')");
    assert_eq!(marked, json!(["??.#.", "??.#.", "...#.", "...#.", "#####"]));
    let regions = browser.value(
        "window.studio.board.layer('regions').map((region) => [region.box, region.fillings])",
    );
    assert_eq!(regions, json!([[[0, 0, 2, 2], "2"]]));

    // Protected: the corner that the smallest repairs would flip among others.
    browser.click("[data-tool=protect]");
    browser.stroke(&[(0, 0)]);
    browser.click("#repair");
    browser.until("document.querySelectorAll('#repair-list .proposal').length > 0");
    let proposals = browser.value("document.querySelectorAll('#repair-list .proposal').length");
    assert!(proposals.as_u64().unwrap() >= 2, "{proposals}");
    browser.click("#repair-list .proposal");
    let flips = browser.value("window.studio.board.layer('flips')");
    assert!(!flips.as_array().unwrap().is_empty());
    assert!(
        !flips.as_array().unwrap().contains(&json!([1, 1])),
        "{flips}"
    );
    browser.checked(|browser| browser.click("#apply"));
    assert_eq!(browser.verdict(), "unique");
    assert_eq!(browser.text("#solutions"), "1");
    let repaired = browser.picture();
    assert_eq!(&repaired[0][..1], "#");
    assert_ne!(repaired, SWITCH);
    browser.checked(|browser| browser.click("#undo"));
    assert_eq!(browser.verdict(), "multiple");
    assert_eq!(browser.picture(), SWITCH);
    browser.checked(|browser| browser.click("#redo"));
    assert_eq!(browser.picture(), repaired);
    // It survives a reload.
    browser.until("localStorage.length > 0");
    std::thread::sleep(std::time::Duration::from_millis(700));
    browser.reload();
    assert_eq!(browser.picture(), repaired);
    assert_eq!(browser.verdict(), "unique");
    let own = |url: &String| url.starts_with(&browser.address);
    assert!(browser.loaded().iter().all(own), "{:?}", browser.loaded());
}

#[test]
fn a_designer_repairs_a_picture_on_a_desktop() {
    a_designer_repairs_a_picture(DESKTOP);
}

#[test]
fn a_designer_repairs_a_picture_on_a_phone() {
    a_designer_repairs_a_picture(PHONE);
}

/// From an image to a file, and from the file to a game.
fn an_image_becomes_a_puzzle(screen: Screen) {
    let name = if screen.phone { "play-phone" } else { "play" };
    let Some(browser) = Browser::open(name, &[], screen, false) else {
        return;
    };
    let scratch = command::Scratch::new(&format!("page-image-{name}"));
    let png = scratch.file("heart.png");
    command::answer(&["convert", "-q", "puzzles/pictures/heart.non", &png]);
    let image = browser.file("heart.png", &std::fs::read(&png).unwrap());
    browser.send("#file", &image);
    browser.until("document.querySelector('#image-dialog').open && !document.querySelector('#use-image').disabled");
    let heart = command::answer(&[
        "convert",
        "-q",
        "--to",
        "text",
        "puzzles/pictures/heart.non",
        "-",
    ]);
    let heart: Vec<&str> = heart.lines().collect();
    // One column for each pixel, so that the picture is that of the image.
    browser.run(&format!(
        "const width = document.querySelector('#image-width'); width.value = {}; width.dispatchEvent(new Event('input', {{bubbles: true}})); width.dispatchEvent(new Event('change', {{bubbles: true}}));",
        heart[0].len()
    ));
    browser.until("!document.querySelector('#use-image').disabled");
    std::thread::sleep(std::time::Duration::from_millis(500));
    browser.checked(|browser| browser.click("#use-image"));
    assert_eq!(browser.picture(), heart);
    assert_eq!(browser.verdict(), "unique");

    browser.run("const title = document.querySelector('#title'); title.value = ''; title.focus();");
    browser.press("My Heart");
    browser.press(TAB);
    browser.run("document.querySelector('#save-format').value = 'non';");
    browser.click("#save");
    let saved = browser.download("my-heart.non");
    let text = String::from_utf8(saved.clone()).unwrap();
    assert!(text.contains("My Heart") && text.contains("goal"), "{text}");
    browser.new_picture(7, 7);
    let file = browser.file("reopened.non", &saved);
    browser.checked(|browser| browser.send("#file", &file));
    assert_eq!(browser.picture(), heart);
    assert_eq!(
        browser.value("document.querySelector('#title').value"),
        "My Heart"
    );

    // Two hints, a mistake, and the rest.
    browser.click("#play");
    browser.until("window.studio.drawing.mode === 'play'");
    for hint in 0..2 {
        let known = "window.studio.drawing.marks.reduce((sum, mark) => sum + (mark !== 0), 0)";
        let before = browser.value(known).as_u64().unwrap();
        browser.click("#hint");
        browser.until("document.querySelector('#play-words').textContent.trim().length > 10");
        browser.until("!document.querySelector('#hint').disabled");
        std::thread::sleep(std::time::Duration::from_millis(300));
        browser.click("#hint");
        browser.until(&format!("{known} > {before}"));
        println!("hint {hint}: {}", browser.text("#play-words"));
    }
    let wrong = |&(row, column): &(usize, usize)| heart[row].as_bytes()[column] == b'.';
    let mistake = (0..heart.len())
        .flat_map(|row| (0..heart[0].len()).map(move |column| (row, column)))
        .filter(wrong)
        .find(|(row, column)| {
            browser.value(&format!(
                "window.studio.drawing.marks[{}]",
                row * heart[0].len() + column
            )) == 0
        })
        .expect("an empty cell that no hint has shown");
    browser.stroke(&[mistake]);
    browser.click("#mistakes");
    browser.until("window.studio.board.layer('wrong')");
    assert_eq!(
        browser.value("window.studio.board.layer('wrong')"),
        json!([[mistake.0 + 1, mistake.1 + 1]])
    );
    browser.stroke(&[mistake]);
    for (row, cells) in heart.iter().enumerate() {
        for (column, cell) in cells.bytes().enumerate() {
            let mark = browser.value(&format!(
                "window.studio.drawing.marks[{}]",
                row * cells.len() + column
            ));
            if cell == b'#' && mark != 1 {
                browser.stroke(&[(row, column)]);
            }
        }
    }
    browser.until("document.body.dataset.solved === 'true'");
    assert!(browser.text("#play-words").contains("Solved"));
    browser.click("#play");
    browser.until("window.studio.drawing.mode === 'draw'");
    assert_eq!(browser.picture(), heart);
}

#[test]
fn an_image_becomes_a_puzzle_that_is_saved_opened_and_played_on_a_desktop() {
    an_image_becomes_a_puzzle(DESKTOP);
}

#[test]
fn an_image_becomes_a_puzzle_that_is_saved_opened_and_played_on_a_phone() {
    an_image_becomes_a_puzzle(PHONE);
}

/// The given cells of the page's drawing as rows of text, or null.
fn given(browser: &Browser) -> Value {
    browser.value("window.studio.drawing.givenText()")
}

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
    browser.checked(|browser| browser.click("#use-clues"));
    assert_eq!(given(&browser), mirrored);
    assert_eq!(browser.verdict(), "unique");
}

/// Moves the focus with the tab key alone.
fn tab_to(browser: &Browser, selector: &str) {
    for _ in 0..120 {
        if browser.value(&format!("document.activeElement.matches('{selector}')")) == true {
            return;
        }
        browser.press(TAB);
    }
    panic!("{selector} cannot be reached with the keyboard");
}

/// Moves the focus to a button with the tab key, and presses it.
fn press_button(browser: &Browser, selector: &str) {
    tab_to(browser, selector);
    browser.press(ENTER);
}

#[test]
fn the_keyboard_alone_is_enough() {
    let Some(browser) = Browser::open("keyboard", &[], DESKTOP, false) else {
        return;
    };
    press_button(&browser, "#new");
    browser.until("document.querySelector('#new-dialog').open");
    for side in ["#new-width", "#new-height"] {
        tab_to(&browser, side);
        browser.run("document.activeElement.select();");
        browser.press("5");
    }
    browser.checked(|browser| browser.press(ENTER));
    tab_to(&browser, "#board");
    browser.checked(|browser| {
        for row in SWITCH {
            browser.press(HOME);
            for cell in row.bytes() {
                if cell == b'#' {
                    browser.press(SPACE);
                }
                browser.press(RIGHT);
            }
            browser.press(DOWN);
        }
    });
    browser.until("document.querySelector('#solutions').textContent.trim() === '2'");
    assert_eq!(browser.picture(), SWITCH);
    assert_eq!(browser.verdict(), "multiple");
    // The answer is announced a while after the check; what the cursor says would be replaced by it.
    browser.until("document.querySelector('#status').textContent.includes('2 solutions')");
    browser.press(HOME);
    browser
        .until("document.querySelector('#status').textContent.includes('row 5, column 1, filled')");
    press_button(&browser, "#repair");
    browser.until("document.querySelectorAll('#repair-list .proposal').length > 0");
    press_button(&browser, ".proposal");
    browser.checked(|browser| press_button(browser, "#apply"));
    assert_eq!(browser.verdict(), "unique");
    press_button(&browser, "#explain");
    browser.until("document.querySelectorAll('#steps li').length > 1");
    press_button(&browser, "#step-on");
    browser.until("document.querySelector('#step-words').textContent.trim().length > 5");
    press_button(&browser, "#explain-close");
    browser.checked(|browser| press_button(browser, "#undo"));
    assert_eq!(browser.picture(), SWITCH);
    assert_eq!(browser.verdict(), "multiple");
}

/// Solutions, shares of cells, clues as text, links, and a collection.
#[test]
fn the_other_panels_work() {
    let pictures = [
        "puzzles/pictures/observatory.non",
        "puzzles/pictures/cat.non",
        "puzzles/pictures/key.non",
    ];
    let Some(browser) = Browser::open("panels", &pictures, DESKTOP, false) else {
        return;
    };
    browser.until("document.querySelectorAll('#collection [data-verdict]').length === 3 || document.querySelectorAll('#collection li').length === 3");
    assert_eq!(
        browser.value("document.querySelector('#title').value"),
        "Observatory"
    );
    browser.until("document.querySelector('#solutions').textContent.trim() === '6'");
    browser.click("#next-solution");
    browser.until("window.studio.board.layer('other')");
    let first = browser.text("#solution-number");
    browser.click("#next-solution");
    browser.until(&format!(
        "document.querySelector('#solution-number').textContent.trim() !== '{first}'"
    ));
    let other: Vec<String> =
        serde_json::from_value(browser.value("window.studio.board.layer('other')")).unwrap();
    let puzzle = omnogram::format::read_one(
        &std::fs::read("puzzles/pictures/observatory.non").unwrap(),
        "",
    )
    .unwrap();
    let grid = Grid::from_rows(&other).unwrap();
    assert!(omnogram::puzzle::verify(&puzzle, &grid).is_ok());
    browser.click("#solution-close");
    browser.click("#heat");
    browser.until("window.studio.board.layer('heat')");
    let heat = browser.value(
        "window.studio.board.layer('heat').flat().filter((share) => share > 0 && share < 1).length",
    );
    assert!(heat.as_u64().unwrap() > 0);
    browser.click("#heat");
    // Clues that are typed.
    browser.click("#clues");
    browser.until("document.querySelector('#clues-dialog').open");
    browser.run("const text = document.querySelector('#clues-text'); text.value = 'rows\\n1\\n1\\n1\\ncolumns\\n1\\n1\\n1\\n'; text.dispatchEvent(new Event('input', {bubbles: true}));");
    browser.checked(|browser| browser.click("#use-clues"));
    assert_eq!(browser.text("#solutions"), "6");
    assert_eq!(browser.value("window.studio.drawing.kind"), "clues");
    browser.checked(|browser| browser.click("#undo"));
    assert_eq!(browser.value("window.studio.drawing.kind"), "picture");
    assert_eq!(browser.text("#solutions"), "6");
    // A second puzzle of the collection.
    browser.checked(|browser| browser.click("#collection li:nth-child(2) button"));
    assert_eq!(browser.verdict(), "unique");
    // Its difficulty, and the narrowest place.
    browser.until("!document.querySelector('#narrowest').hidden && !document.querySelector('#narrowest').disabled");
    browser.click("#narrowest");
    browser.until("window.studio.board.layer('lines')");
    // An edit is kept in the collection, after a reload too.
    browser.checked(|browser| browser.click("#invert"));
    let inverted = browser.picture();
    browser.reload();
    assert_eq!(browser.picture(), inverted);
    browser.until("document.querySelectorAll('#collection li').length === 3");
    browser.checked(|browser| browser.click("#collection li:nth-child(1) button"));
    browser.checked(|browser| browser.click("#collection li:nth-child(2) button"));
    assert_eq!(browser.picture(), inverted);
    browser.checked(|browser| browser.click("#invert"));
    for format in ["svg", "png", "pdf"] {
        browser.click("#export");
        browser.until("document.querySelector('#export-dialog').open");
        browser.click(&format!("#export-{format}"));
        assert!(browser.download(&format!("cat.{format}")).len() > 500);
        browser.click("#export-dialog [data-close]");
    }
}

#[test]
fn a_link_carries_a_puzzle() {
    let Some(browser) = Browser::open("link", &[], DESKTOP, false) else {
        return;
    };
    browser.new_picture(5, 5);
    browser.checked(|browser| browser.draw(&SWITCH));
    let link = browser.run_async("const { Store } = await import('./store.js'); const store = new Store(window.studio.drawing); return store.link();");
    let link = link.as_str().expect("a link");
    let (_, fragment) = link.split_once('#').expect("a fragment");
    browser.new_picture(3, 3);
    browser.checked(|browser| browser.run(&format!("location.hash = '{fragment}';")));
    assert_eq!(browser.picture(), SWITCH);
}

/// A stroke is answered while a check runs that does not end. With `OMNOGRAM_MEASURE`, no task of the page takes longer than 50 ms.
#[test]
fn the_page_stays_responsive_while_a_hard_check_runs() {
    let Some(browser) = Browser::open("responsive", &[], DESKTOP, false) else {
        return;
    };
    let noise = common::Random(3).grid(45, 45, 0.42).to_string();
    let rows: Vec<&str> = noise.lines().collect();
    browser.run(
        "window.long = []; new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))) \
         .observe({type: 'longtask'});",
    );
    browser.run(&format!(
        "window.studio.drawing.setPicture({}, 'noise');",
        json!(rows)
    ));
    browser.until("document.querySelector('#verdict').dataset.verdict === 'multiple'");
    // The first painting of a new picture is not part of it.
    std::thread::sleep(std::time::Duration::from_millis(500));
    browser.run("window.long.length = 0;");
    browser.until("document.querySelector('#progress').textContent.trim() !== ''");
    std::thread::sleep(std::time::Duration::from_secs(3));
    browser.run("delete document.body.dataset.verdictTime;");
    browser.stroke(&[(3, 3), (3, 9)]);
    browser.until("document.body.dataset.verdictTime");
    browser.until("document.querySelector('#solutions').textContent.trim().startsWith('at least')");
    let long: Vec<f64> = serde_json::from_value(browser.value("window.long")).unwrap();
    println!("tasks over 50 ms: {long:?}");
    if measures() {
        assert!(long.is_empty());
    }
}

/// Whether times are measured, and not only printed.
fn measures() -> bool {
    std::env::var_os("OMNOGRAM_MEASURE").is_some()
}

/// Nothing that axe-core calls serious or critical, in both themes, on both screens, with all dialogs.
#[test]
fn the_page_is_accessible() {
    let axe =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("target/axe/node_modules/axe-core/axe.min.js");
    let Ok(axe) = std::fs::read_to_string(axe) else {
        println!(
            "skipped: axe-core is not in target/axe (npm install --prefix target/axe axe-core)"
        );
        return;
    };
    for screen in [DESKTOP, PHONE] {
        let name = if screen.phone { "axe-phone" } else { "axe" };
        let Some(browser) =
            Browser::open(name, &["puzzles/pictures/observatory.non"], screen, false)
        else {
            return;
        };
        browser.run(&axe);
        let check = |what: &str| {
            // Changes of colours are gradual.
            std::thread::sleep(std::time::Duration::from_millis(300));
            let found = browser.run_async("const found = await axe.run(document, {resultTypes: ['violations']}); \
                return found.violations.filter((one) => ['serious', 'critical'].includes(one.impact)) \
                    .map((one) => [one.id, one.help, one.nodes.map((node) => node.html).slice(0, 5)]);");
            assert_eq!(found, json!([]), "{what} {}", screen.width);
        };
        check("light");
        browser.run("document.documentElement.dataset.theme = 'dark';");
        check("dark");
        browser.click("#repair");
        browser.until("document.querySelectorAll('#repair-list .proposal').length > 0");
        browser.click("#explain");
        browser.until("document.querySelectorAll('#steps li').length > 1");
        check("dark with proposals and steps");
        browser.run("document.documentElement.dataset.theme = 'light';");
        check("light with proposals and steps");
        browser.click("#reveal");
        browser.until("!document.querySelector('#give').hidden");
        check("light with cells to give");
        browser.click("#give");
        browser.until("!document.querySelector('#give-none').hidden");
        check("light with given cells");
        let dialogs =
            browser.value("[...document.querySelectorAll('dialog')].map((dialog) => dialog.id)");
        for dialog in dialogs.as_array().unwrap() {
            let dialog = dialog.as_str().unwrap();
            browser.run(&format!("document.querySelector('#{dialog}').showModal();"));
            check(dialog);
            browser.run(&format!("document.querySelector('#{dialog}').close();"));
        }
    }
}

/// Measures, and prints: the time from a change to the verdict on the screen. `OMNOGRAM_MEASURE=1`.
#[test]
fn strokes_are_answered_at_once() {
    let measure = measures();
    let Some(browser) = Browser::open("latency", &[], DESKTOP, false) else {
        return;
    };
    for (side, drawings, strokes) in if measure {
        vec![(30, 10, 20), (100, 5, 20)]
    } else {
        vec![(30, 1, 3)]
    } {
        let mut times = Vec::new();
        for drawing in 0..drawings {
            let mut random = common::Random(drawing + 1);
            let rows: Vec<String> = smooth(&mut random, side)
                .to_string()
                .lines()
                .map(str::to_owned)
                .collect();
            browser.checked(|browser| {
                browser.run(&format!(
                    "window.studio.drawing.setPicture({}, 'drawing');",
                    json!(rows)
                ))
            });
            for _ in 0..strokes {
                let (row, column) = (random.below(side), random.below(side - 5));
                let cells: Vec<_> = (column..column + 1 + random.below(5))
                    .map(|column| (row, column))
                    .collect();
                browser.run("delete document.body.dataset.verdictTime;");
                browser.stroke(&cells);
                browser.until("document.body.dataset.verdictTime");
                browser.until(
                    "document.querySelector('#answers').getAttribute('aria-busy') === 'false'",
                );
                let time: Value = browser.value("Number(document.body.dataset.verdictTime)");
                times.push(time.as_f64().unwrap());
            }
        }
        times.sort_by(f64::total_cmp);
        let quantile = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
        println!(
            "{side}x{side}, {} strokes: median {} ms, 95th percentile {} ms, most {} ms",
            times.len(),
            quantile(50),
            quantile(95),
            quantile(100)
        );
    }
}

/// A drawing with smooth outlines: noise, averaged over neighbours, and cut at its median.
fn smooth(random: &mut common::Random, side: usize) -> Grid {
    let mut levels: Vec<f64> = (0..side * side)
        .map(|_| random.below(1 << 20) as f64)
        .collect();
    for _ in 0..3 {
        let at =
            |row: usize, column: usize| levels[row.min(side - 1) * side + column.min(side - 1)];
        let average = |i: usize| {
            let (row, column) = (i / side, i % side);
            let near = |k: usize| [k.saturating_sub(1), k, k + 1];
            let sum: f64 = near(row)
                .iter()
                .flat_map(|&r| near(column).map(|c| at(r, c)))
                .sum();
            sum / 9.0
        };
        levels = (0..side * side).map(average).collect();
    }
    let mut sorted = levels.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let mut grid = Grid::new(side, side);
    for (i, level) in levels.iter().enumerate() {
        grid.set(i / side, i % side, *level > median);
    }
    grid
}

/// Writes pictures of the page into the folder that `OMNOGRAM_SCREENSHOTS` names.
#[test]
fn screenshots() {
    let Some(folder) = std::env::var_os("OMNOGRAM_SCREENSHOTS") else {
        return;
    };
    for (screen, name) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
        for dark in [false, true] {
            let theme = if dark { "dark" } else { "light" };
            let puzzles = [
                "puzzles/pictures/observatory.non",
                "puzzles/pictures/castle.non",
                "puzzles/pictures/key.non",
                "puzzles/pictures/harbour.non",
            ];
            let Some(browser) =
                Browser::open(&format!("shot-{name}-{theme}"), &puzzles, screen, dark)
            else {
                return;
            };
            browser.run(&format!(
                "document.documentElement.dataset.theme = '{theme}';"
            ));
            browser.until("document.querySelectorAll('#collection li').length === 4");
            browser.click("#repair");
            browser.until("document.querySelectorAll('#repair-list .proposal').length > 0");
            browser.run("window.scrollTo(0, 0);");
            std::thread::sleep(std::time::Duration::from_secs(3));
            let path = Path::new(&folder).join(format!("studio-{name}-{theme}.png"));
            std::fs::write(path, browser.screenshot()).unwrap();
        }
    }
}
