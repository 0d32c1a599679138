//! The page of the studio, in a real browser, as a designer uses it.

#![cfg(all(feature = "cli", feature = "studio", target_os = "linux"))]

#[path = "../common/browser.rs"]
mod browser;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/file_server.rs"]
mod file_server;

mod designing;
mod given;
mod offline;
mod opening;
mod parts;
mod playing;
mod quality;

use browser::Browser;
use serde_json::Value;

/// Two solutions: the switch at the left.
const SWITCH: [&str; 5] = ["#..#.", ".#.#.", "...#.", "...#.", "#####"];

/// The keys of the WebDriver protocol.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const SPACE: &str = " ";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";
const LEFT: &str = "\u{e012}";
const UP: &str = "\u{e013}";
const ESCAPE: &str = "\u{e00c}";
const DELETE: &str = "\u{e017}";
const CONTROL: &str = "\u{e009}";
const SHIFT: &str = "\u{e008}";
const HOME: &str = "\u{e011}";

/// The given cells of the page's drawing as rows of text, or null.
fn given(browser: &Browser) -> Value {
    browser.value("window.studio.drawing.givenText()")
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
