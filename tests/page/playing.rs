//! Play: what the player has finished is seen in the clues.

use serde_json::json;

use crate::browser::{Browser, DESKTOP, PHONE, Screen};
use crate::common::Random;
use crate::{DOWN, HOME, RIGHT, SPACE, tab_to};

/// One row with a clue of two blocks that are the same.
const PICTURE: [&str; 2] = ["##.##.#", "......."];

/// What is said of the clue of the first row.
fn first_clue(browser: &Browser) -> String {
    let words = browser.value("window.studio.board.describe({ row: 0, column: 0 })");
    let words = words.as_str().unwrap();
    let clue = words.split("; clue ").nth(1).unwrap();
    clue.split("; column").next().unwrap().to_owned()
}

/// Opens the picture in play.
fn playing(name: &str, screen: Screen, dark: bool) -> Option<Browser> {
    let browser = Browser::open(name, &[], screen, dark)?;
    browser.new_picture(7, 2);
    browser.checked(|browser| browser.draw(&PICTURE));
    browser.click("#play");
    browser.until("window.studio.drawing.mode === 'play'");
    Some(browser)
}

#[test]
fn finished_blocks_are_struck_through_one_by_one() {
    for dark in [false, true] {
        let Some(browser) = playing("finished", DESKTOP, dark) else {
            return;
        };
        let before = browser.screenshot();
        browser.stroke(&[(0, 0), (0, 1)]);
        // As long as the next cell is open, the block may be longer.
        assert_eq!(first_clue(&browser), "2 2 1");
        tab_to(&browser, "#board");
        browser.press(HOME);
        browser.press(RIGHT);
        browser.press(RIGHT);
        browser.press("x");
        assert_eq!(first_clue(&browser), "2 finished, 2, 1");
        assert_ne!(browser.screenshot(), before);
        // The block in the middle, which is not decided from an end.
        browser.press(RIGHT);
        browser.press(RIGHT);
        browser.press(SPACE);
        assert_eq!(first_clue(&browser), "2 finished, 2, 1");
        // Now the rest has no room for the blocks that are missing.
        browser.press(RIGHT);
        browser.press("x");
        browser.press(RIGHT);
        browser.press("x");
        assert_eq!(first_clue(&browser), "2 2 1");
        // The first takes the cross away.
        browser.press(SPACE);
        browser.press(SPACE);
        browser.press(DOWN);
        assert_eq!(first_clue(&browser), "2 finished, 2, 1 finished");
        browser.stroke(&[(0, 3)]);
        assert_eq!(first_clue(&browser), "2 finished, 2 finished, 1 finished");
        // Play is over, and the clues are those of the picture again.
        browser.click("#play");
        assert_eq!(first_clue(&browser), "2 2 1");
    }
}

#[test]
fn finished_blocks_are_struck_through_on_a_phone() {
    let Some(browser) = playing("finished-phone", PHONE, true) else {
        return;
    };
    browser.touch(&[(0, 6)], 0);
    assert_eq!(first_clue(&browser), "2 2 1");
    browser.touch(&[(0, 5)], 600);
    assert_eq!(first_clue(&browser), "2, 2, 1 finished");
}

/// In both themes, on every paper that a clue may have.
#[test]
fn finished_blocks_can_be_read() {
    let Some(browser) = Browser::open("contrast", &[], DESKTOP, false) else {
        return;
    };
    for theme in ["light", "dark"] {
        browser.run(&format!(
            "document.documentElement.dataset.theme = '{theme}';"
        ));
        let contrast = browser.run_async(
            "const { readPalette } = await import('./theme.js'); \
             const colours = readPalette(); \
             const part = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4); \
             const light = (colour) => [1, 3, 5].map((at) => part(parseInt(colour.slice(at, at + 2), 16) / 255)) \
                 .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0.05); \
             return ['band', 'highlight', 'background'].map((paper) => { \
                 const [one, other] = [light(colours.clueSoft), light(colours[paper])]; \
                 return Math.max(one / other, other / one); });",
        );
        let contrast: Vec<f64> = serde_json::from_value(contrast).unwrap();
        assert!(
            contrast.iter().all(|&value| value >= 4.5),
            "{theme} {contrast:?}"
        );
    }
}

/// The start and the length of each run of filled cells.
fn runs(line: &[u8]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.iter().enumerate().filter(|(_, cell)| **cell == 1) {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == at => *length += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

/// Which blocks are finished, from all arrangements that agree with the marks.
fn finished(clue: &[usize], marks: &[u8]) -> Vec<bool> {
    let clue_of = |line: &[u8]| runs(line).iter().map(|run| run.1).collect::<Vec<_>>();
    if clue_of(marks) == clue {
        return vec![true; clue.len()];
    }
    let length = marks.len();
    let decided = |cells: std::ops::Range<usize>| marks[cells].iter().all(|mark| *mark != 0);
    let line = |bits: u32| {
        (0..length)
            .map(|at| 2 - (bits >> at & 1) as u8)
            .collect::<Vec<_>>()
    };
    let agrees = |line: &Vec<u8>| {
        clue_of(line) == clue
            && line
                .iter()
                .zip(marks)
                .all(|(cell, mark)| [0, *cell].contains(mark))
    };
    // Where a block is decided from an end, it is the same in all arrangements.
    match (0..1 << length).map(line).find(agrees) {
        None => vec![false; clue.len()],
        Some(line) => runs(&line)
            .iter()
            .map(|&(start, run)| {
                decided(0..(start + run + 1).min(length))
                    || decided(start.saturating_sub(1)..length)
            })
            .collect(),
    }
}

/// A mark that agrees with a solution mostly, and sometimes with none.
#[test]
fn blocks_are_finished_as_all_arrangements_say() {
    let Some(browser) = Browser::open("arrangements", &[], DESKTOP, false) else {
        return;
    };
    let mut random = Random(11);
    let cases: Vec<(Vec<usize>, Vec<u8>)> = (0..3000)
        .map(|_| {
            let length = 1 + random.below(9);
            let line: Vec<u8> = (0..length)
                .map(|_| 1 + u8::from(random.chance(0.4)))
                .collect();
            let known = [0.3, 0.7, 0.9][random.below(3)];
            let marks = line.iter().map(|cell| match () {
                () if random.chance(0.05) => 3 - cell,
                () if random.chance(known) => *cell,
                () => 0,
            });
            let marks = marks.collect();
            (runs(&line).iter().map(|run| run.1).collect(), marks)
        })
        .collect();
    let found = browser.run_async(&format!(
        "const {{ finishedBlocks }} = await import('./finished.js'); \
         return {}.map(([clue, marks]) => finishedBlocks(clue, marks, [0, 1, marks.length]));",
        json!(cases)
    ));
    let found: Vec<Vec<bool>> = serde_json::from_value(found).unwrap();
    let mut some = 0;
    for ((clue, marks), found) in cases.iter().zip(&found) {
        assert_eq!(found, &finished(clue, marks), "{clue:?} {marks:?}");
        some += usize::from(found.contains(&true) && found.contains(&false));
    }
    assert!(some > 100, "{some}");
}
