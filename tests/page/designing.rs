//! From an empty picture, an image or a file to a puzzle with one solution, to a file, a link and a game.

use omnogram::puzzle::Grid;
use serde_json::json;

use crate::browser::{Browser, DESKTOP, PHONE, Screen};
use crate::common::command;
use crate::{DOWN, ENTER, HOME, RIGHT, SPACE, SWITCH, TAB, press_button, tab_to};

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
    browser.until("!document.querySelector('#use-clues').disabled");
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
