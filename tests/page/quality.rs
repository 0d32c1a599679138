//! What holds for the whole page: it is accessible, and answers at once; and pictures of it.

use std::path::Path;

use omnogram::puzzle::Grid;
use serde_json::{Value, json};

use crate::browser::{Browser, DESKTOP, PHONE};
use crate::common;

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
        for theme in ["light", "dark"] {
            browser.run(&format!(
                "document.documentElement.dataset.theme = '{theme}';"
            ));
            browser.click("[data-tool=select]");
            browser.stroke(&[(0, 0), (2, 2)]);
            check(&format!("{theme} with a selected part"));
            browser.click("[data-tool=pen]");
        }
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
