//! Generated puzzles have what was asked for, by brute force and an independent loop of line solving; and the verb that writes them.

use crate::common::command::{
    Scratch, answer, ended, fed, interrupt, omnogram, output, spawn, stderr, stdout, words,
};
use crate::common::{brute_force, clue_of, on_threads};
use omnogram::design::{Generated, Generator, Method, Profile, Symmetry, Wanted};
use omnogram::puzzle::{Clue, Grid, Puzzle};
use omnogram::solutions::Stop;
use omnogram::{Limits, format};

/// Whether a puzzle is solved by looking at single lines, by trying all fillings of each line.
fn solved_by_lines(puzzle: &Puzzle) -> bool {
    let (width, height) = (puzzle.width(), puzzle.height());
    let fillings = |clue: &Clue, length: usize| -> Vec<u32> {
        let cells = |bits: u32| (0..length).map(move |i| bits >> i & 1 == 1);
        let fits = |bits: &u32| clue_of(cells(*bits)) == clue.lengths().collect::<Vec<_>>();
        (0..1 << length).filter(fits).collect()
    };
    let rows: Vec<_> = puzzle
        .rows()
        .iter()
        .map(|clue| fillings(clue, width))
        .collect();
    let columns: Vec<_> = puzzle
        .columns()
        .iter()
        .map(|clue| fillings(clue, height))
        .collect();
    let mut known = vec![vec![None; width]; height];
    loop {
        let before = known.clone();
        for (r, fillings) in rows.iter().enumerate() {
            let fits = |bits: &&u32| {
                (0..width).all(|c| known[r][c].is_none_or(|value| value == (**bits >> c & 1 == 1)))
            };
            let fitting: Vec<u32> = fillings.iter().filter(fits).copied().collect();
            for (c, value) in known[r].iter_mut().enumerate() {
                let filled = fitting.iter().filter(|&bits| bits >> c & 1 == 1).count();
                if filled == 0 || filled == fitting.len() {
                    *value = Some(filled > 0);
                }
            }
        }
        for (c, fillings) in columns.iter().enumerate() {
            let fits = |bits: &&u32| {
                (0..height).all(|r| known[r][c].is_none_or(|value| value == (**bits >> r & 1 == 1)))
            };
            let fitting: Vec<u32> = fillings.iter().filter(fits).copied().collect();
            for (r, row) in known.iter_mut().enumerate() {
                let filled = fitting.iter().filter(|&bits| bits >> r & 1 == 1).count();
                if filled == 0 || filled == fitting.len() {
                    row[c] = Some(filled > 0);
                }
            }
        }
        if known == before {
            return known.iter().flatten().all(Option::is_some);
        }
    }
}

fn generator(width: usize, height: usize, density: f64) -> Generator {
    Generator::new(width, height)
        .unwrap()
        .density(density)
        .unwrap()
}

/// The puzzle and its picture, which must be the goal and give the clues.
fn made(generated: &Generated) -> (&Puzzle, &Grid) {
    let puzzle = generated
        .puzzle
        .as_ref()
        .unwrap_or_else(|| panic!("{generated:?}"));
    let picture = puzzle.notes().goal.as_ref().expect("a goal");
    assert_eq!(Puzzle::from_grid(picture).rows(), puzzle.rows());
    assert_eq!(Puzzle::from_grid(picture).columns(), puzzle.columns());
    (puzzle, picture)
}

#[test]
fn small_unique_puzzles_have_one_solution() {
    for (width, height) in [(1, 1), (1, 7), (7, 1), (3, 3), (4, 6), (6, 6), (8, 7)] {
        for tenths in 1..10 {
            let density = f64::from(tenths) / 10.0;
            let generator = generator(width, height, density).wanted(Wanted::Unique);
            for number in 0..4 {
                let generated = generator.make(number);
                // A few pictures in one line are never unique, whatever is swapped.
                if generated.puzzle.is_none() && width.min(height) == 1 {
                    continue;
                }
                let (puzzle, picture) = made(&generated);
                assert_eq!(brute_force(puzzle), std::slice::from_ref(picture));
                assert_eq!(
                    picture.filled(),
                    (density * (width * height) as f64).round() as usize
                );
                assert!(generated.unique && generated.stopped.is_none());
            }
        }
    }
}

#[test]
fn methods_are_the_simplest_that_suffice() {
    for seed in 0..10 {
        let lines = generator(8, 8, 0.45)
            .seed(seed)
            .wanted(Wanted::Method(Method::Lines))
            .make(0);
        assert!(solved_by_lines(made(&lines).0));
        assert_eq!(lines.method, Some(Method::Lines));
        let probing = generator(8, 8, 0.45)
            .seed(seed)
            .wanted(Wanted::Method(Method::Probing))
            .make(0);
        let puzzle = made(&probing).0;
        assert!(!solved_by_lines(puzzle));
        assert_eq!(
            Profile::of(puzzle, &Limits::default()).method,
            Method::Probing
        );
    }
}

#[test]
fn line_solvable_puzzles_need_as_many_sweeps_as_wanted() {
    for (density, sweeps) in [(0.6, 2..=3), (0.5, 4..=4), (0.5, 5..=usize::MAX)] {
        let generator = generator(7, 6, density).wanted(Wanted::Method(Method::Lines));
        let generator = generator.sweeps(sweeps.clone());
        for number in 0..4 {
            let generated = generator.make(number);
            let puzzle = made(&generated).0;
            assert!(solved_by_lines(puzzle));
            let profile = Profile::of(puzzle, &Limits::default());
            assert_eq!(generated.sweeps, Some(profile.sweeps));
            assert!(sweeps.contains(&profile.sweeps), "{generated:?}");
        }
    }
    // A picture of 3x3 cells is solved by a few sweeps or never.
    let long = generator(3, 3, 0.5).wanted(Wanted::Method(Method::Lines));
    let generated = long.sweeps(30..=40).attempts(20).make(0);
    assert_eq!((generated.puzzle, generated.sweeps), (None, None));
    assert_eq!(generated.attempts, 20);
}

#[test]
fn few_given_cells_make_a_picture_unique() {
    let mut cells = [0; 3];
    for seed in 0..40 {
        for wanted in [Wanted::Unique, Wanted::Method(Method::Lines)] {
            let generator = generator(6, 6, 0.35).seed(seed).wanted(wanted);
            let generated = generator.reveal(2).make(0);
            let (puzzle, picture) = made(&generated);
            cells[puzzle.given_cells().count()] += 1;
            assert_eq!(brute_force(puzzle), std::slice::from_ref(picture));
            assert_eq!(picture.filled(), 13);
            if wanted != Wanted::Unique {
                assert!(omnogram::design::line_solvable(puzzle));
                assert_eq!(generated.method, Some(Method::Lines));
            }
        }
    }
    assert!(cells.iter().all(|&puzzles| puzzles > 0), "{cells:?}");
}

#[test]
fn symmetric_pictures_are_symmetric() {
    for symmetry in [
        Symmetry::LeftRight,
        Symmetry::TopBottom,
        Symmetry::Both,
        Symmetry::HalfTurn,
        Symmetry::QuarterTurn,
        Symmetry::Diagonal,
        Symmetry::Full,
    ] {
        for side in [6, 7] {
            let generator = generator(side, side, 0.5)
                .wanted(Wanted::Unique)
                .symmetry(symmetry)
                .unwrap();
            for number in 0..3 {
                let generated = generator.make(number);
                let (puzzle, picture) = made(&generated);
                assert!(symmetry.holds(picture), "{symmetry:?}\n{picture}");
                assert_eq!(brute_force(puzzle).len(), 1);
                // As near to the density as sets of images allow.
                assert!(picture.filled().abs_diff(side * side / 2) <= 8);
            }
        }
        let oblong = Generator::new(5, 4).unwrap().symmetry(symmetry);
        assert_eq!(oblong.is_err(), symmetry.needs_square());
    }
}

#[test]
fn a_puzzle_depends_on_seed_and_number_alone() {
    let generator = generator(20, 16, 0.45).seed(3).wanted(Wanted::Unique);
    let pictures = |threads| {
        on_threads(threads, || {
            (0..4)
                .map(|number| generator.make(number).puzzle)
                .collect::<Vec<_>>()
        })
    };
    let one = pictures(1);
    assert!(one == pictures(3) && one[0] != one[1]);
    let other = generator.clone().seed(4).make(0).puzzle;
    assert_ne!(one[0], other);
    let write = |threads, number| {
        answer(&words(&format!(
            "generate --size 20x16 --density 0.45 --seed 3 --unique -n {number} -j {threads}"
        )))
    };
    let four = write("1", "4");
    assert_eq!(four, write("3", "4"));
    assert!(four.starts_with(&write("2", "3")));
}

#[test]
fn a_run_stops_at_any_check_of_its_limits() {
    for checks in (0..40).chain([100, 400, 1600]) {
        let limits = Limits::default().checks(checks);
        let generated = generator(25, 25, 0.3)
            .wanted(Wanted::Unique)
            .limits(limits)
            .make(0);
        match generated.puzzle {
            Some(_) => assert_eq!(generated.stopped, None),
            None => assert_eq!(generated.stopped, Some(Stop::Interrupt), "{checks}"),
        }
    }
    let small = Limits::default().memory(1000);
    let generated = generator(25, 25, 0.3)
        .wanted(Wanted::Unique)
        .limits(small)
        .make(0);
    assert_eq!(generated.stopped, Some(Stop::Memory));
    // Nothing with fewer than three blocks in a line is hard.
    let generated = generator(3, 3, 0.5)
        .wanted(Wanted::Method(Method::Search))
        .attempts(5)
        .make(0);
    assert!(generated.puzzle.is_none() && generated.attempts == 5 && generated.stopped.is_none());
}

#[test]
fn edge_sizes_and_densities() {
    for (width, height) in [(1, 1), (200, 1), (1, 200), (200, 200)] {
        for (density, filled) in [(0.0, 0), (1.0, width * height)] {
            for wanted in [
                Wanted::Anything,
                Wanted::Unique,
                Wanted::Method(Method::Lines),
            ] {
                let generated = generator(width, height, density).wanted(wanted).make(0);
                assert_eq!(made(&generated).1.filled(), filled);
            }
        }
    }
    assert!(Generator::new(0, 3).is_err() && Generator::new(3, 5000).is_err());
    for density in [-0.1, 1.1, f64::NAN] {
        assert!(Generator::new(3, 3).unwrap().density(density).is_err());
    }
    let generated = generator(300, 200, 0.5).make(0);
    assert_eq!(made(&generated).1.filled(), 30_000);
}

#[test]
fn packs_and_folders_are_written() {
    let folder = Scratch::new("generate");
    let pack = folder.file("pack.nonpack");
    let make = |output: &str, more: &[&str]| {
        let arguments = format!("generate --size 12x9 --seed 5 --line-solvable -o {output}");
        let arguments = words(&arguments);
        crate::common::command::output(&[&arguments, more].concat())
    };
    assert_eq!(make(&pack, &["-n", "25"]).status.code(), Some(0));
    let bytes = std::fs::read(&pack).unwrap();
    let entries = format::read(&bytes, "pack");
    assert_eq!(entries.len(), 25);
    for (i, entry) in entries.iter().enumerate() {
        let puzzle = entry.puzzle.as_ref().unwrap();
        assert_eq!(
            puzzle.notes().title,
            Some(format!("Seed 5, number {}", i + 1))
        );
        assert!(omnogram::design::line_solvable(puzzle));
    }
    let checked = answer(&["check", "-q", &pack]);
    assert!(checked.lines().all(|line| line.ends_with(": unique")));
    // An existing file, and a format that holds one puzzle.
    assert_eq!(make(&pack, &["-n", "2"]).status.code(), Some(2));
    assert_eq!(
        make(&folder.file("two.png"), &["-n", "2"]).status.code(),
        Some(2)
    );
    assert!(!folder.join("two.png").exists());
    assert_eq!(
        make(&folder.file("out/"), &["-n", "2", "--to", "png"])
            .status
            .code(),
        Some(0)
    );
    assert!(folder.join("out/generated-2.png").exists());
    // JSON beside a file, and without one with the puzzle in it.
    let json = make(&folder.file("one.non"), &["--json"]);
    assert!(
        stdout(&json).contains("\"made\":true,\"unique\":true,\"method\":\"lines\""),
        "{json:?}"
    );
    let json = output(&words("generate --size 5x4 --seed 1 --unique --json"));
    assert_eq!(
        stdout(&fed(&["check", "-"], &json.stdout)),
        "<stdin>: unique\n"
    );
}

#[test]
fn bad_options_are_refused() {
    for arguments in [
        &["--size", "0x5"][..],
        &["--size", "5000"],
        &["--size", "5", "--density", "1.5"],
        &["--size", "5", "--density", "nan"],
        &["--size", "5x6", "--symmetric=full"],
        &["--size", "5", "--unique", "--method", "lines"],
        &[
            "--size",
            "5",
            "--from",
            "puzzles/pictures/key.non",
            "--density",
            "0.4",
        ],
        &[],
    ] {
        let run = ended(2, &[&["generate"], arguments].concat());
        assert_eq!(stdout(&run), "");
    }
    ended(74, &["generate", "--from", "puzzles/none.png"]);
    let run = output(&["generate", "--from", "puzzles/known/r-package.non"]);
    assert!([Some(0), Some(65)].contains(&run.status.code()), "{run:?}");
    ended(65, &["generate", "--from", "puzzles/bad/empty.non"]);
}

#[test]
fn what_was_made_is_kept_when_a_limit_stops_the_rest() {
    let folder = Scratch::new("generate-limit");
    let pack = folder.file("pack.nonpack");
    let size = words("generate --size 10 --method search --seed 1");
    let run = ended(3, &[&size[..], &["--time", "300ms"]].concat());
    assert!(
        stderr(&run).contains("0 of 1 puzzle made: stopped by --time 300ms"),
        "{run:?}"
    );
    let run = ended(
        3,
        &words("generate --size 3 --method search --attempts 3 --json"),
    );
    assert!(
        stdout(&run).contains("\"made\":false") && stdout(&run).contains("\"attempts\":3"),
        "{run:?}"
    );

    let many = format!("generate --size 25 --unique --seed 1 -n 100000000 -o {pack}");
    let many = words(&many);
    let mut child = spawn(&mut omnogram(&many));
    std::thread::sleep(std::time::Duration::from_millis(400));
    interrupt(&child);
    assert_eq!(crate::common::command::ends(&mut child), Some(3));
    let bytes = std::fs::read(&pack).unwrap();
    let entries = format::read(&bytes, "pack");
    assert!(
        entries.iter().all(|entry| entry.puzzle.is_ok()),
        "{}",
        entries.len()
    );
}

#[test]
fn a_puzzle_near_a_picture_is_unique_and_differs_in_few_cells() {
    let run = output(&words("generate --from puzzles/pictures/key.non --seed 1"));
    assert_eq!(run.status.code(), Some(2), "a seed has no meaning here");
    let run = ended(
        0,
        &["generate", "--from", "puzzles/pictures/key.non", "--json"],
    );
    assert!(stderr(&run).contains("15x7, threshold auto: "), "{run:?}");
    assert_eq!(
        stdout(&fed(&["check", "-"], &run.stdout)),
        "<stdin>: unique\n"
    );
    let changed = stdout(&run).split("\"changed\":").nth(1).unwrap();
    let changed: usize = changed.split(',').next().unwrap().parse().unwrap();
    let key = crate::common::corpus::read("pictures/key.non");
    let near = format::read_one(&run.stdout, "near").unwrap();
    let (a, b) = (
        key.notes().goal.clone().unwrap(),
        near.notes().goal.clone().unwrap(),
    );
    assert_eq!(omnogram::render::differing(&a, &b).len(), changed);
    assert!((1..=3).contains(&changed));
}

/// A picture of these grey levels, in the folder.
fn pgm(folder: &Scratch, name: &str, side: usize, level: impl Fn(usize, usize) -> usize) -> String {
    let levels = (0..side * side).map(|i| level(i % side, i / side).to_string());
    let text = format!(
        "P2 {side} {side} 255\n{}\n",
        levels.collect::<Vec<_>>().join("\n")
    );
    let file = folder.file(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// A cross of two diagonals in a square.
fn is_drawn(x: usize, y: usize) -> bool {
    let in_square = |at: usize| (40..160).contains(&at);
    in_square(x) && in_square(y) && (x.abs_diff(y) < 12 || (x + y).abs_diff(200) < 12)
}

/// Half of the picture was black, for that needed no changes.
#[test]
fn the_picture_that_keeps_the_drawing_comes_first() {
    let folder = Scratch::new("generate-light");
    let lit = |x: usize, y: usize| (40 + x) / if is_drawn(x, y) { 2 } else { 1 };
    let file = pgm(&folder, "lit.pgm", 200, lit);
    let run = ended(
        0,
        &[
            "generate", "--from", &file, "--size", "20", "-n", "3", "--json",
        ],
    );
    let lines = stdout(&run);
    let objects: Vec<&str> = lines.lines().collect();
    assert!(objects[0].contains("\"threshold\":\"local\""), "{lines}");
    let likeness: Vec<f64> = objects
        .iter()
        .map(|object| object.split("\"likeness\":").nth(1).unwrap())
        .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert!(likeness[0] > 0.7 && likeness[1] < 0.7, "{likeness:?}");
}

#[test]
fn a_light_drawing_on_a_dark_ground_is_filled() {
    let folder = Scratch::new("generate-invert");
    let chalk = |x: usize, y: usize| if is_drawn(x, y) { 230 } else { 30 };
    let file = pgm(&folder, "chalk.pgm", 200, chalk);
    let run = ended(
        0,
        &[
            "generate", "--from", &file, "--size", "20", "--invert", "--to", "text",
        ],
    );
    assert!(
        stdout(&run).starts_with("##................##\n"),
        "{run:?}"
    );
    assert!(
        stderr(&run).contains("the empty margin was cut off"),
        "{run:?}"
    );
    ended(2, &words("generate --size 5 --invert"));
}

/// Pixel art of 15x10 cells was traced at a bent 20x13.
#[test]
fn enlarged_pixel_art_is_traced_with_its_own_cells() {
    let folder = Scratch::new("generate-art");
    let art = |x: usize, y: usize| {
        if is_drawn(x / 20 * 20, y / 20 * 20) {
            0
        } else {
            255
        }
    };
    let file = pgm(&folder, "art.pgm", 200, art);
    let run = ended(0, &["generate", "--from", &file, "--to", "text"]);
    let found = "each cell has 20x20 pixels, so there are 6x6 cells";
    assert!(stderr(&run).contains(found), "{run:?}");
    assert_eq!(
        stdout(&run).lines().next().map(str::len),
        Some(6),
        "{run:?}"
    );
    // Nothing is drawn.
    let blank = pgm(&folder, "blank.pgm", 80, |_, _| 255);
    let run = ended(3, &["generate", "--from", &blank]);
    assert!(
        stderr(&run).contains("no tracing of this image shows anything"),
        "{run:?}"
    );
}
