//! The library without any feature, or with clause learning in Rust: `cargo test --no-default-features --lib --test bare`, or the same with
//! `--features sat-rust`. The same holds with all features.

use omnogram::format::{self, FORMATS, Format};
use omnogram::render::{self, Drawing, Html, HtmlSection, Pages, Paper, Pdf, Sheet};
use omnogram::search::Verdict;
use omnogram::{Counter, Estimator, Grid, Limits, Puzzle, Search};

fn puzzle(file: &str) -> Puzzle {
    let path = format!("{}/puzzles/{file}", env!("CARGO_MANIFEST_DIR"));
    format::read_one(&std::fs::read(&path).unwrap(), file).unwrap()
}

/// The number of solutions, which searching and counting find alike.
fn number(puzzle: &Puzzle) -> String {
    let found = Search::new(puzzle).count();
    let counted = Counter::new(puzzle).run();
    assert!(found.is_complete() && counted.is_complete());
    let number = counted.solutions.to_string();
    assert_eq!(found.solutions.to_string(), number);
    number
}

#[test]
fn known_numbers_are_found() {
    let mut seen = 0;
    for answer in include_str!("../puzzles/answers.tsv").lines().skip(1) {
        let fields: Vec<&str> = answer.split('\t').collect();
        let side = |i: usize| fields[i].parse::<usize>().unwrap();
        if side(1) * side(2) <= 64 && fields[6] == "yes" && !fields[0].contains('#') {
            assert_eq!(number(&puzzle(fields[0])), fields[3], "{}", fields[0]);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn small_puzzles_have_as_many_solutions_as_grids() {
    for side in [3, 4] {
        let (mut unique, mut step) = (0, 1);
        if side == 4 {
            // Every 37th of the 65,536 grids.
            step = 37;
        }
        for cells in (0..1u32 << (side * side)).step_by(step) {
            let mut grid = Grid::new(side, side);
            (0..side * side).for_each(|i| grid.set(i / side, i % side, cells >> i & 1 == 1));
            let puzzle = Puzzle::from_grid(&grid);
            let solutions = number(&puzzle);
            let (verdict, found, outcome) = Search::new(&puzzle).check();
            assert_eq!(verdict == Verdict::Unique, solutions == "1");
            unique += u32::from(solutions == "1");
            let (backbone, _) = Search::new(&puzzle).backbone();
            assert!(backbone.is_complete(), "{backbone}");
            assert_eq!(backbone.differing() == 0, solutions == "1");
            assert!(found.len() <= 2 && !outcome.solutions.number().is_zero());
        }
        // All of 3x3: the known number of puzzles with one solution (OEIS A242876).
        assert!(side == 4 || unique == 384, "{unique}");
    }
}

#[test]
fn a_backbone_is_that_of_all_solutions() {
    for file in [
        "pictures/observatory.non",
        "hard/random-8x8-density-0.3-seed-1.non",
        "hard/stall-4x4.non",
    ] {
        let puzzle = puzzle(file);
        let (backbone, outcome) = Search::new(&puzzle).backbone();
        let (grids, all) = Search::new(&puzzle).collect();
        assert!(all.is_complete() && backbone.is_complete(), "{file}");
        assert_eq!(outcome.stopped, None);
        for (row, column) in
            (0..puzzle.height()).flat_map(|r| (0..puzzle.width()).map(move |c| (r, c)))
        {
            let filled = grids.iter().filter(|grid| grid.get(row, column)).count();
            let same = match filled {
                0 => Some(false),
                _ => (filled == grids.len()).then_some(true),
            };
            assert_eq!(backbone.get(row, column), same, "{file}: {row}, {column}");
        }
    }
}

#[test]
fn components_count_what_nobody_can_list() {
    let counted = Counter::new(&puzzle("families/permutation-20.non")).run();
    assert_eq!(counted.solutions.to_string(), "2432902008176640000");
    let (graph, outcome) = Counter::new(&puzzle("families/permutation-8.non")).graph();
    assert!(outcome.is_complete());
    assert_eq!(graph.unwrap().count().to_string(), "40320");
}

#[test]
fn estimates_are_near() {
    let puzzle = puzzle("families/permutation-20.non");
    let estimate = Estimator::new(&puzzle).populations(4).run();
    let number = estimate.number.unwrap().to_f64();
    assert!(
        (number / 2_432_902_008_176_640_000.0 - 1.0).abs() < 0.2,
        "{number}"
    );
}

#[test]
fn formats_of_text_read_what_they_write() {
    let puzzle = puzzle("pictures/cat.non");
    let formats = FORMATS.iter().filter(|format| !format.is_picture());
    let mut read = 0;
    for format in formats {
        // Some have no empty lines, or need a goal.
        if let Ok(bytes) = format.write(&puzzle) {
            let again = format::read_one(&bytes, &format!("x.{}", format.endings[0])).unwrap();
            assert_eq!(again.rows(), puzzle.rows(), "{}", format.name);
            read += 1;
        }
    }
    assert!(read > 10, "{read}");
}

/// Holds, or is the error of a build without images.
fn images<T>(result: omnogram::error::Result<T>, what: &str) {
    let refused =
        format!("this build of omnogram cannot {what}: it was built without the feature `images`");
    match (result, cfg!(feature = "images")) {
        (Ok(_), has) => assert!(has, "{what}"),
        (Err(error), has) => assert!(!has && error.message() == refused, "{error}"),
    }
}

#[test]
fn images_are_read_and_drawn_or_refused() {
    let drawn = format::read_one(b"#.\n.#\n", "x").unwrap();
    let written = Format::named("png").unwrap().write(&drawn);
    // A file is recognised by its first bytes.
    let png = written.clone().unwrap_or(b"\x89PNG\r\n\x1a\n".to_vec());
    images(written, "write images");
    images(format::read_one(&png, "x"), "read images");
    let sheet = Sheet::new([Drawing::blank(&drawn)]);
    images(render::png(&sheet, None, None), "draw PNG");
    images(Pdf::new(Pages::Paper(Paper::A4, 1)).add(&sheet), "draw PDF");
    // PNM is built in.
    assert!(format::read_one(b"P1 1 1 1", "x").is_ok());
}

#[test]
fn svg_and_html_are_drawn() {
    let puzzle = puzzle("pictures/cat.non");
    let sheet = Sheet::new([Drawing::blank(&puzzle)]);
    assert!(render::svg(&sheet, None, None).starts_with("<svg"));
    let html = Html::new("Cat", Paper::A4);
    let section = HtmlSection::new(sheet);
    assert!(html.part(&section).contains("<svg"));
}

/// Searching, counting and estimating on a pool of the calling thread alone start no other thread: the observer is called on it, and the
/// process has no more threads then.
#[cfg(target_os = "linux")]
#[test]
fn a_run_on_one_thread_starts_none() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    const ALONE: &str = "OMNOGRAM_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        // Other tests have threads, so this one is run again without them.
        let name = "a_run_on_one_thread_starts_none";
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--test-threads=1"])
            .env(ALONE, "1")
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let (before, caller) = (threads(), std::thread::current().id());
    let seen = AtomicUsize::new(0);
    let observer = |_| {
        assert_eq!(std::thread::current().id(), caller);
        assert_eq!(threads(), before);
        seen.fetch_add(1, Ordering::Relaxed);
    };
    let clue = vec![vec![1, 1, 2]; 40];
    let puzzle = Puzzle::from_clues(&clue, &clue).unwrap();
    let limits = Limits::default().time(Duration::from_millis(700));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build()
        .unwrap();
    pool.install(|| {
        let search = Search::new(&puzzle).limits(limits.clone());
        search.clone().observer(&observer).count();
        search.observer(&observer).check();
        let counter = Counter::new(&puzzle).limits(limits.clone());
        counter.observer(&observer).run();
        Estimator::new(&puzzle).limits(limits).run();
    });
    assert_eq!(threads(), before);
    let seen = seen.into_inner();
    assert!(seen > 8, "{seen}");
}
