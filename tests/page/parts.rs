//! Parts of the picture are selected, moved, copied, cut and pasted: with the mouse, with a finger, and with the keyboard alone.

use serde_json::{Value, json};

use crate::browser::{Browser, DESKTOP, PHONE, Screen};
use crate::{CONTROL, DELETE, DOWN, ESCAPE, LEFT, RIGHT, SHIFT, SPACE, UP, given, tab_to};

/// A corner, and cells that it covers when it moves to the right.
const PICTURE: [&str; 3] = ["##.#.", "#....", "....."];

fn opened(name: &str, screen: Screen, dark: bool) -> Option<Browser> {
    let browser = Browser::open(name, &[], screen, dark)?;
    browser.new_picture(5, 3);
    browser.checked(|browser| browser.draw(&PICTURE));
    Some(browser)
}

/// The name of the step that undo would take back.
fn last_step(browser: &Browser) -> Value {
    browser.value("window.studio.drawing.undoName")
}

/// The selected rows and columns, or null.
fn selected(browser: &Browser) -> Value {
    browser.value(
        "(({ area }) => area && [area.height, area.width])(window.studio.board.selection.shown)",
    )
}

#[test]
fn a_part_is_moved_with_the_mouse() {
    for dark in [false, true] {
        let Some(browser) = opened("part-mouse", DESKTOP, dark) else {
            return;
        };
        assert!(
            !browser
                .value("document.querySelector('#part').checkVisibility()")
                .as_bool()
                .unwrap()
        );
        browser.click("[data-tool=select]");
        browser.stroke(&[(1, 1), (0, 0)]);
        assert_eq!(selected(&browser), json!([2, 2]));
        let before = browser.screenshot();
        browser.checked(|browser| browser.stroke(&[(0, 0), (1, 2)]));
        assert_eq!(browser.picture(), ["...#.", "..##.", "..#.."]);
        assert_ne!(browser.screenshot(), before);
        // What it covers comes back when it moves on; beyond the edge it is cut off, and whole again after that.
        browser.stroke(&[(1, 2), (0, 2)]);
        assert_eq!(browser.picture(), ["..##.", "..#..", "....."]);
        browser.stroke(&[(0, 2), (0, 4)]);
        assert_eq!(browser.picture(), ["...##", "....#", "....."]);
        browser.stroke(&[(0, 4), (0, 0)]);
        assert_eq!(browser.picture(), PICTURE);
        // One step for each.
        browser.click("#undo");
        assert_eq!(browser.picture(), ["...##", "....#", "....."]);
        assert_eq!(last_step(&browser), "Move part");
        // Undo drops the part, so that this selects another.
        browser.stroke(&[(0, 4), (0, 3)]);
        browser.click("#part-copy");
        browser.click("#part-drop");
        browser.stroke(&[(2, 0)]);
        browser.click("#part-paste");
        assert_eq!(browser.picture(), ["...##", "....#", "##..."]);
        assert_eq!(last_step(&browser), "Paste part");
        browser.click("#part-empty");
        assert_eq!(browser.picture(), ["...##", "....#", "....."]);
        browser.click("[data-tool=pen]");
        browser.stroke(&[(2, 0)]);
        assert_eq!(browser.picture(), ["...##", "....#", "#...."]);
    }
}

#[test]
fn a_part_is_cut_and_pasted_with_a_finger() {
    let Some(browser) = opened("part-touch", PHONE, true) else {
        return;
    };
    browser.click("[data-tool=select]");
    browser.until("window.studio.board.tool === 'select'");
    browser.touch(&[(0, 0), (1, 1)], 0);
    browser.touch(&[(0, 0), (1, 3)], 0);
    assert_eq!(browser.picture(), ["...#.", "...##", "...#."]);
    browser.click("#part-cut");
    browser.until("window.studio.drawing.undoName === 'Cut part'");
    assert_eq!(browser.picture(), ["...#.", ".....", "....."]);
    browser.touch(&[(1, 0)], 0);
    browser.click("#part-paste");
    browser.until("window.studio.drawing.undoName === 'Paste part'");
    assert_eq!(browser.picture(), ["...#.", "##...", "#...."]);
    // Neither in play nor with clues.
    browser.click("#play");
    browser.until("window.studio.drawing.mode === 'play'");
    assert_eq!(browser.value("window.studio.board.tool"), "pen");
    assert_eq!(
        browser.value("document.querySelector('[data-tool=select]').disabled"),
        true
    );
    browser.click("#play");
    browser.until("window.studio.drawing.mode === 'draw'");
    browser.click("[data-tool=select]");
    browser.until("window.studio.board.tool === 'select'");
    browser.run("window.studio.drawing.open({ rows: [[1]], columns: [[1]] });");
    browser.touch(&[(0, 0)], 0);
    assert_eq!(selected(&browser), Value::Null);
}

#[test]
fn parts_go_from_puzzle_to_puzzle_with_the_keyboard_alone() {
    let Some(browser) = opened("part-keys", DESKTOP, false) else {
        return;
    };
    browser.run("window.studio.drawing.give([[1, 1], [2, 2]]);");
    let rows = |rows: [&str; 3]| json!(rows);
    tab_to(&browser, "#board");
    browser.run("window.studio.board.moveCursor(0, 0);");
    browser.press("s");
    browser.press(SPACE);
    browser.press(RIGHT);
    browser.press(DOWN);
    browser.press(SPACE);
    assert_eq!(selected(&browser), json!([2, 2]));
    browser.press(DOWN);
    assert_eq!(browser.picture(), ["...#.", "##...", "#...."]);
    assert_eq!(given(&browser), rows(["?????", "#????", "?.???"]));
    browser.press(&[RIGHT, RIGHT].concat());
    assert_eq!(browser.picture(), ["...#.", "..##.", "..#.."]);
    browser.press("u");
    assert_eq!(browser.picture(), ["...#.", ".##..", ".#..."]);
    browser.press(ESCAPE);
    // With Shift and the arrows.
    browser.run("window.studio.board.moveCursor(1, 1);");
    browser.press(&[SHIFT, RIGHT, DOWN].concat());
    assert_eq!(selected(&browser), json!([2, 2]));
    browser.press(&[CONTROL, "x"].concat());
    assert_eq!(browser.picture(), ["...#.", ".....", "....."]);
    assert_eq!(
        (given(&browser), last_step(&browser)),
        (Value::Null, json!("Cut part"))
    );
    browser.press(ESCAPE);
    assert_eq!(selected(&browser), Value::Null);
    browser.press(&[UP, LEFT].concat());
    browser.press(&[CONTROL, "v"].concat());
    browser.until("window.studio.drawing.undoName === 'Paste part'");
    assert_eq!(browser.picture(), ["##.#.", "#....", "....."]);
    assert_eq!(given(&browser), rows(["#????", "?.???", "?????"]));
    // The whole picture, and into another puzzle, inwards of its edges, and cut off where it is too large.
    browser.press(&[CONTROL, "a"].concat());
    assert_eq!(selected(&browser), json!([3, 5]));
    browser.press(&[CONTROL, "c"].concat());
    browser.new_picture(4, 4);
    tab_to(&browser, "#board");
    browser.run("window.studio.board.moveCursor(3, 3);");
    browser.press(&[CONTROL, "v"].concat());
    browser.until("window.studio.drawing.undoName === 'Paste part'");
    assert_eq!(browser.picture(), ["....", "##.#", "#...", "...."]);
    browser.press(DELETE);
    assert_eq!(browser.picture(), ["....", "....", "....", "...."]);
    assert_eq!(last_step(&browser), "Empty part");
    browser.press(&[CONTROL, "z"].concat());
    assert_eq!(browser.picture(), ["....", "##.#", "#...", "...."]);
    // While parts are selected, lines from elsewhere are a part too.
    browser.run(
        "const data = new DataTransfer(); data.setData('text/plain', '#.\\r\\n##\\r\\n'); \
         window.studio.board.tool = 'select'; window.studio.board.moveCursor(0, 2); \
         document.querySelector('#board').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));",
    );
    assert_eq!(browser.picture(), ["..#.", "####", "#...", "...."]);
}
