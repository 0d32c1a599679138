//! What is told when puzzles are opened: by the command line, the button, dropping, pasting, and the dialogs.

use serde_json::json;

use crate::browser::{Browser, DESKTOP};
use crate::common::command;

/// Has all answers with puzzles contain this warning.
fn warned(browser: &Browser, warning: &str) {
    browser.run(&format!(
        "const real = Response.prototype.json; \
         Response.prototype.json = async function () {{ \
             const body = await real.call(this); \
             body.puzzles?.forEach((entry) => {{ entry.warnings = ['{warning}']; }}); \
             return body; \
         }};"
    ));
}

/// Waits for an alert of this kind with these words, and takes it away.
fn alerted(browser: &Browser, kind: &str, words: &str) {
    browser.until(&format!(
        "document.querySelector('#alert').textContent.includes({})",
        json!(words)
    ));
    assert_eq!(
        browser.value("document.querySelector('#alert').dataset.kind"),
        kind
    );
    browser.run("document.querySelector('#alert').textContent = '';");
}

/// Pastes or drops data that is made by these statements, in the variable `data`.
fn given_to_page(browser: &Browser, event: &str, data: &str) {
    let made = match event {
        "paste" => {
            "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })"
        }
        _ => "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })",
    };
    browser.run(&format!(
        "const data = new DataTransfer(); {data} document.querySelector('#board').dispatchEvent({made});"
    ));
}

#[test]
fn what_is_wrong_with_opened_puzzles_is_told() {
    let clue = json!([[1], [1]]);
    let goal = json!(["#.", ".#"]);
    let contradicted =
        json!({ "rows": clue, "columns": clue, "goal": goal, "given": [".?", "??"] });
    let scratch = command::Scratch::new("page-opening");
    let file = scratch.file("told.json");
    std::fs::write(&file, json!([contradicted]).to_string()).unwrap();
    let Some(browser) = Browser::open("opening", &[&file], DESKTOP, false) else {
        return;
    };
    alerted(
        &browser,
        "notice",
        "told.json#1: The goal contradicts the given cells, and is left out.",
    );
    assert_eq!(browser.value("window.studio.drawing.kind"), "clues");
    // A goal that is no solution has its own clues.
    let other = json!({ "rows": clue, "columns": clue, "goal": ["##", ".."] }).to_string();
    let path = browser.file("other.json", other.as_bytes());
    browser.checked(|browser| browser.send("#file", &path));
    alerted(
        &browser,
        "notice",
        "other.json: The goal is no solution; its own clues",
    );
    assert_eq!(browser.picture(), ["##", ".."]);

    warned(&browser, "the last line was cut off");
    let words = "The last line was cut off.";
    browser.send("#file", &path);
    alerted(
        &browser,
        "notice",
        &format!("other.json: {words} other.json: The goal"),
    );
    let text = json!({ "rows": clue, "columns": clue }).to_string();
    given_to_page(
        &browser,
        "paste",
        &format!("data.setData('text/plain', {});", json!(text)),
    );
    alerted(&browser, "notice", &format!("pasted: {words}"));
    // Together with what cannot be read.
    let dropped = format!(
        "data.items.add(new File([{}], 'a.json')); data.items.add(new File(['no puzzle'], 'b.txt'));",
        json!(text)
    );
    given_to_page(&browser, "drop", &dropped);
    alerted(
        &browser,
        "alert",
        "b.txt:1:1: this is not a puzzle in any format that omnogram knows. a.json: The last",
    );
    browser.click("#clues");
    browser.until("document.querySelector('#clues-dialog').open");
    browser.run(&format!(
        "const text = document.querySelector('#clues-text'); text.value = {}; text.dispatchEvent(new Event('input', {{ bubbles: true }}));",
        json!(text)
    ));
    browser.until(&format!(
        "document.querySelector('#clues-words').textContent === '2 rows, 2 columns. {words}'"
    ));
    browser.click("#clues-dialog [data-close]");
    let png = scratch.file("cat.png");
    command::answer(&["convert", "-q", "puzzles/pictures/cat.non", &png]);
    browser.send("#file", &png);
    browser.until(&format!(
        "document.querySelector('#image-words').textContent.endsWith('. {words}')"
    ));
}

/// The grids of players who have not finished go with the puzzle; Play begins with the only one.
#[test]
fn saved_grids_are_kept_and_played_on() {
    let clue = json!([[1], [1]]);
    let first = json!(["#?", "?."]);
    let goal = json!(["#.", ".#"]);
    let one = json!({ "rows": clue, "columns": clue, "goal": goal, "saved": [first] });
    let mut two = one.clone();
    two["saved"] = json!([first, ["??", ".?"]]);
    let Some(browser) = Browser::open("saved", &[], DESKTOP, false) else {
        return;
    };
    let open = |name: &str, puzzle: &serde_json::Value| {
        let path = browser.file(name, puzzle.to_string().as_bytes());
        browser.checked(|browser| browser.send("#file", &path));
    };
    let saved = || browser.value("window.studio.drawing.saved");
    let marks = || browser.value("window.studio.drawing.positionText()");
    open("one.json", &one);
    assert_eq!((saved(), marks()), (one["saved"].clone(), first.clone()));
    browser.checked(|browser| browser.click("#mirror-x"));
    assert_eq!(saved(), json!([["?#", ".?"]]));
    browser.checked(|browser| browser.click("#undo"));
    browser.click("#play");
    browser.stroke(&[(1, 1)]);
    assert_eq!(marks(), json!(["#?", "??"]));
    std::thread::sleep(std::time::Duration::from_millis(700));
    browser.reload();
    assert_eq!(
        (saved(), marks()),
        (one["saved"].clone(), json!(["#?", "??"]))
    );
    browser.click("#play");
    browser.run("document.querySelector('#save-format').value = 'json';");
    browser.click("#save");
    let written: serde_json::Value =
        serde_json::from_slice(&browser.download("puzzle.json")).unwrap();
    let written = written.as_array().map_or(&written, |puzzles| &puzzles[0]);
    assert_eq!(written["saved"], one["saved"]);
    // Of several none is chosen.
    open("two.json", &two);
    assert_eq!(
        (saved(), marks()),
        (two["saved"].clone(), json!(["??", "??"]))
    );
    browser.checked(|browser| browser.click("#clear"));
    assert_eq!(saved(), json!([]));
}
