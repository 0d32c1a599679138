//! Explanations: every step is sound, no simpler one is passed over, and the steps lead to the solution.

use std::fs;

use crate::common::command::{Scratch, ended, fed, output, stderr, stdout};
use crate::common::{Random, brute_force, permutation};
use omnogram::design::{
    Ending, Explainer, Explanation, Method, Profile, Reason, Standing, Step, line_solvable,
};
use omnogram::format;
use omnogram::puzzle::{Clue, Grid, Line, Position, Puzzle, verify};
use omnogram::solutions::Stop;
use omnogram::{Limits, line};

fn explained(explainer: &Explainer<'_>) -> (Vec<Step>, Explanation) {
    let mut steps = Vec::new();
    let explanation = explainer.run(|step| {
        steps.push(step.clone());
        true
    });
    (steps, explanation.unwrap())
}

/// The cells of a line.
fn cells(position: &Position, line: Line) -> Vec<Option<bool>> {
    match line {
        Line::Row(row) => (0..position.width())
            .map(|i| position.get(row, i))
            .collect(),
        Line::Column(column) => (0..position.height())
            .map(|i| position.get(i, column))
            .collect(),
    }
}

fn clue(puzzle: &Puzzle, line: Line) -> &Clue {
    match line {
        Line::Row(row) => &puzzle.rows()[row],
        Line::Column(column) => &puzzle.columns()[column],
    }
}

/// Replaces the cells of a line.
fn put(position: &mut Position, line: Line, cells: &[Option<bool>]) {
    for (i, &cell) in cells.iter().enumerate() {
        match line {
            Line::Row(row) => position.set(row, i, cell),
            Line::Column(column) => position.set(i, column, cell),
        }
    }
}

/// The cells that the block places decide on a line, from a list of all arrangements: those that a block always covers, those that none
/// reaches.
fn by_places(clue: &Clue, cells: &[Option<bool>]) -> bool {
    let all: Vec<Vec<usize>> = line::Arrangements::new(clue, cells).collect();
    let lengths: Vec<usize> = clue.lengths().collect();
    let range = |j: usize| {
        let starts = all.iter().map(|starts| starts[j]);
        (starts.clone().min().unwrap(), starts.max().unwrap())
    };
    let ranges: Vec<(usize, usize)> = (0..lengths.len()).map(range).collect();
    let unknown = |i: &usize| cells[*i].is_none();
    (0..cells.len()).filter(unknown).any(|i| {
        let mut places = ranges.iter().zip(&lengths);
        let covered = places
            .clone()
            .any(|((min, max), length)| *max <= i && i < min + length);
        covered || !places.any(|((min, max), length)| (*min..max + length).contains(&i))
    })
}

/// Would a block of the clue, pushed to both ends of an empty line, cover an unknown cell?
fn by_clue_alone(clue: &Clue, cells: &[Option<bool>]) -> bool {
    let lengths: Vec<usize> = clue.lengths().collect();
    let slack = cells.len() - clue.span();
    let mut left = 0;
    lengths.iter().any(|length| {
        let sure = (left + slack).min(left + length)..left + length;
        left += length + 1;
        cells[sure].iter().any(Option::is_none)
    })
}

/// Checks every step of an explanation, and returns what is known in the end.
fn check(puzzle: &Puzzle, start: Position, steps: &[Step]) -> Position {
    let mut position = start;
    let lines: Vec<Line> = puzzle.lines().map(|(line, _)| line).collect();
    for step in steps {
        assert!(!step.cells.is_empty() && !step.words.is_empty(), "{step:?}");
        let known = |line| cells(&position, line);
        // No simpler reason is passed over.
        if step.reason > Reason::Overlap {
            assert!(
                !lines
                    .iter()
                    .any(|&line| by_clue_alone(clue(puzzle, line), &known(line))),
                "{step:?}"
            );
        }
        if step.reason > Reason::Complete {
            let complete = |&line: &Line| {
                let (cells, wanted) = (known(line), clue(puzzle, line).filled());
                let of = |value| cells.iter().filter(|&&cell| cell == value).count();
                let unknown = of(None);
                unknown > 0 && (of(Some(true)) == wanted || of(Some(true)) + unknown == wanted)
            };
            assert!(!lines.iter().any(complete), "{step:?}");
        }
        if step.reason >= Reason::AllArrangements {
            assert!(
                !lines
                    .iter()
                    .any(|&line| by_places(clue(puzzle, line), &known(line))),
                "{step:?}"
            );
        }
        let settled = |line: Line| {
            let mut cells = known(line);
            assert!(line::settle(clue(puzzle, line), &mut cells), "{step:?}");
            cells
        };
        let at = |r: usize, c: usize| {
            step.cells
                .iter()
                .find(|(cell, _)| (usize::from(cell.row), usize::from(cell.column)) == (r, c))
        };
        match step.reason {
            Reason::Contradiction(number) => {
                assert!(
                    lines.iter().all(|&line| settled(line) == known(line)),
                    "{step:?}"
                );
                let (cell, value) = step.tried.unwrap();
                assert_eq!(step.cells, [(cell, !value.unwrap())]);
                assert_eq!(step.chain.len(), number);
                let mut trial = position.clone();
                trial.set(cell.row.into(), cell.column.into(), value);
                let (last, before) = step.chain.split_last().unwrap();
                for &line in before {
                    let mut cells = cells(&trial, line);
                    assert!(line::settle(clue(puzzle, line), &mut cells), "{step:?}");
                    put(&mut trial, line, &cells);
                }
                assert!(
                    !line::settle(clue(puzzle, *last), &mut cells(&trial, *last)),
                    "{step:?}"
                );
            }
            Reason::EitherWay => {
                assert!(
                    lines.iter().all(|&line| settled(line) == known(line)),
                    "{step:?}"
                );
            }
            _ => {
                let settled = settled(step.line);
                let mut found = 0;
                for (i, &cell) in settled.iter().enumerate() {
                    let (r, c) = match step.line {
                        Line::Row(row) => (row, i),
                        Line::Column(column) => (i, column),
                    };
                    if let Some(&(_, value)) = at(r, c) {
                        assert_eq!(cell, Some(value), "{step:?}");
                        found += 1;
                    }
                }
                assert_eq!(found, step.cells.len(), "a cell of another line: {step:?}");
                let values: Vec<bool> = step.cells.iter().map(|&(_, value)| value).collect();
                match step.reason {
                    Reason::GapTooSmall | Reason::Split => assert!(values.iter().all(|&v| !v)),
                    Reason::Glue => assert!(values.iter().all(|&v| v)),
                    _ => {}
                }
            }
        }
        for &(cell, value) in &step.cells {
            let (r, c) = (cell.row.into(), cell.column.into());
            assert_eq!(position.get(r, c), None, "{step:?}");
            position.set(r, c, Some(value));
        }
    }
    position
}

fn grid(position: &Position) -> Grid {
    let mut grid = Grid::new(position.width(), position.height());
    position
        .known()
        .for_each(|(cell, value)| grid.set(cell.row.into(), cell.column.into(), value));
    grid
}

#[test]
fn every_step_is_sound_and_the_simplest() {
    let mut random = Random(16);
    let mut seen = std::collections::BTreeMap::new();
    for i in 0..400 {
        let (width, height) = random.size(3, 10);
        let puzzle = match i % 8 {
            0 => random.mixed(5, 5, 0.5),
            _ => random.puzzle(width, height, [0.4, 0.5, 0.6][i % 3]),
        };
        let (steps, explanation) = explained(&Explainer::new(&puzzle));
        let blank = Position::unknown(puzzle.width(), puzzle.height());
        let position = check(&puzzle, blank, &steps);
        assert_eq!(
            (&position, steps.len()),
            (&explanation.position, explanation.steps)
        );
        steps
            .iter()
            .for_each(|step| *seen.entry(step.reason.name()).or_insert(0) += 1);
        let profile = Profile::of(&puzzle, &Limits::default());
        // Before a cell is tried, lines lead as far as they can.
        let by_lines = steps.iter().take_while(|step| step.tried.is_none());
        let known: usize = by_lines.map(|step| step.cells.len()).sum();
        if profile.method != Method::None {
            assert_eq!(known, profile.cells - profile.unknown, "{puzzle:?}");
        }
        match (profile.method, explanation.ending) {
            (Method::Lines | Method::Probing, Ending::Solved) => {
                assert_eq!(verify(&puzzle, &grid(&position)), Ok(()));
            }
            (Method::Nested2 | Method::Search, Ending::Deeper) => {}
            (Method::Multiple, Ending::Several) => {}
            (Method::None, Ending::Unsolvable(_)) => {}
            other => panic!("{other:?} {puzzle:?}"),
        }
        if profile.method != Method::None && width * height <= 64 {
            // What follows holds in every solution.
            for solution in brute_force(&puzzle) {
                for (cell, value) in position.known() {
                    assert_eq!(solution.get(cell.row.into(), cell.column.into()), value);
                }
            }
        }
    }
    for reason in [
        "overlap",
        "complete",
        "edge",
        "gap too small",
        "glue",
        "split",
        "all arrangements",
        "contradiction",
    ] {
        assert!(
            seen.get(reason).is_some_and(|&number| number > 10),
            "{reason}: {seen:?}"
        );
    }
}

/// The first step on a line with these known cells, and the line after it.
fn first_step(blocks: &[usize], known: &str) -> (Step, String) {
    // The columns say nothing: in each, the second row can make up for what the first one has.
    let columns = known.chars().map(|cell| match cell {
        '.' => Clue::default(),
        _ => Clue::new([1]).unwrap(),
    });
    let rows = vec![
        Clue::new(blocks.iter().copied()).unwrap(),
        Clue::new([1]).unwrap(),
    ];
    let puzzle = Puzzle::new(rows, columns.collect()).unwrap();
    let position = format!("{known}\n{}\n", known.replace('#', "."));
    let mut position: Position = position.parse().unwrap();
    let mut first = None;
    let explainer = Explainer::new(&puzzle).position(position.clone());
    let explanation = explainer.run(|step| {
        first = Some(step.clone());
        false
    });
    assert_eq!(explanation.unwrap().ending, Ending::Enough);
    let step = first.unwrap();
    assert_eq!(step.line, Line::Row(0));
    for &(cell, value) in &step.cells {
        position.set(cell.row.into(), cell.column.into(), Some(value));
    }
    let row = position.to_string().lines().next().unwrap().to_owned();
    (step, row)
}

#[test]
fn reasons_are_those_of_players() {
    use Reason::{Complete, Edge, GapTooSmall, Glue, Overlap, Split};
    for (blocks, known, reason, row, words) in [
        (
            &[5][..],
            "???????",
            Overlap,
            "??###??",
            "the 5 must cover columns 3 to 5 wherever it stands",
        ),
        (
            &[4, 3],
            "?????????",
            Overlap,
            "?###??##?",
            "the 4 must cover columns 2 to 4 and the 3 must cover columns 7 and 8 wherever they stand",
        ),
        (
            &[2, 1],
            "????",
            Overlap,
            "##.#",
            "2 1 with gaps of one cell fills the whole row",
        ),
        (
            &[1, 3],
            "#.????",
            Overlap,
            "#.?##?",
            "only columns 3 to 6 are left for the 3, so it must cover columns 4 and 5",
        ),
        (
            &[1, 3],
            "#.???.",
            Overlap,
            "#.###.",
            "only columns 3 to 5 are left for the 3",
        ),
        (
            &[],
            "???",
            Complete,
            "...",
            "the clue is 0, so all its cells are empty",
        ),
        (
            &[1, 1],
            "?#?#??",
            Complete,
            ".#.#..",
            "both blocks (1 1) are there, so the other cells are empty",
        ),
        (
            &[1, 3],
            "#?????????",
            Edge,
            "#.????????",
            "the 1 begins at the left edge and is complete, so column 2 is empty",
        ),
        (
            &[2, 3],
            "#?????????",
            Edge,
            "##.???????",
            "the 2 begins at the left edge, so it covers columns 1 and 2, and column 3 is empty",
        ),
        (
            &[2, 3],
            "?????????#",
            Edge,
            "??????.###",
            "the 3 ends at the right edge, so it covers columns 8 to 10, and column 7 is empty",
        ),
        (
            &[2, 2, 1],
            "??##???????",
            Complete,
            "?.##.??????",
            "columns 3 and 4 are a whole 2, and no block is longer, so columns 2 and 5 are empty",
        ),
        (
            &[3, 1],
            "??.????????",
            GapTooSmall,
            "...????????",
            "columns 1 and 2 are too small a gap for the 3, which comes first",
        ),
        (
            &[3, 3],
            "?????.??.?????",
            GapTooSmall,
            "?????....?????",
            "columns 7 and 8 are too small a gap for any block, even a 3",
        ),
        (
            &[5, 1],
            "??#??????????",
            Glue,
            "??###????????",
            "column 3 belongs to the 5, which is stopped by the left edge, so it covers columns 4 and 5 too",
        ),
        (
            &[7],
            "????#??#??????",
            Glue,
            "????####??????",
            "column 5 and column 8 both belong to the 7, so the cells between are filled",
        ),
        (
            &[3, 2],
            "???##?#??????",
            Split,
            "???##.#??????",
            "column 6 is empty, or else columns 4 to 7 would be a block of 4, which is too long",
        ),
    ] {
        let (step, found) = first_step(blocks, known);
        assert_eq!(
            (step.reason, found.as_str()),
            (reason, row),
            "{blocks:?} {known} {step:?}"
        );
        assert_eq!(step.words, format!("Row 1: {words}."));
    }
}

#[test]
fn positions_are_checked() {
    let mut random = Random(7);
    let (mut right, mut wrong, mut together) = (0, 0, 0);
    for _ in 0..300 {
        let puzzle = random.puzzle(5, 5, 0.5);
        let solutions = brute_force(&puzzle);
        let base = &solutions[random.below(solutions.len())];
        let mut position = Position::unknown(5, 5);
        for i in 0..25 {
            if random.chance(0.3) {
                let flip = random.chance(0.05);
                position.set(i / 5, i % 5, Some(base.get(i / 5, i % 5) != flip));
            }
        }
        let agrees = |grid: &Grid| {
            position
                .known()
                .all(|(cell, value)| grid.get(cell.row.into(), cell.column.into()) == value)
        };
        let bad = position.known().filter(|&(cell, value)| {
            solutions
                .iter()
                .all(|grid| grid.get(cell.row.into(), cell.column.into()) != value)
        });
        let bad: Vec<_> = bad.map(|(cell, _)| cell).collect();
        match position.check(&puzzle, &Limits::default()).unwrap() {
            Standing::Right => {
                assert!(solutions.iter().any(agrees));
                right += 1;
                let (steps, explanation) =
                    explained(&Explainer::new(&puzzle).position(position.clone()));
                let end = check(&puzzle, position, &steps);
                assert_eq!(end, explanation.position);
                let left: Vec<&Grid> = solutions
                    .iter()
                    .filter(|grid| agrees_with(&end, grid))
                    .collect();
                assert!(!left.is_empty());
                assert_eq!(
                    explanation.ending == Ending::Several,
                    left.len() > 1,
                    "{puzzle:?}"
                );
            }
            Standing::Wrong(cells) => {
                assert_eq!(cells, bad);
                wrong += 1;
            }
            Standing::Together => {
                assert!(bad.is_empty() && !solutions.iter().any(agrees));
                together += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(
        right > 50 && wrong > 20 && together > 0,
        "{right} {wrong} {together}"
    );
    let puzzle = permutation(3);
    let position: Position = "#?\n".parse().unwrap();
    let error = position.check(&puzzle, &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "the position is 2x1, the puzzle 3x3");
    for (text, message) in [
        (
            "",
            "a position of 0 rows and 0 columns: it has 1 to 4096 of each",
        ),
        (
            "#.\n#\n",
            "2:1: a row of 1 cells in a position with 2 columns",
        ),
        ("#x\n", "1:2: 'x' in a position: a cell is '#', '.' or '?'"),
    ] {
        assert_eq!(text.parse::<Position>().unwrap_err().to_string(), message);
    }
}

fn agrees_with(position: &Position, grid: &Grid) -> bool {
    position
        .known()
        .all(|(cell, value)| grid.get(cell.row.into(), cell.column.into()) == value)
}

#[test]
fn pictures_of_the_project_are_explained() {
    let mut solved = 0;
    for folder in ["pictures", "known", "families"] {
        let folder = format!("{}/puzzles/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let bytes = fs::read(&file).unwrap();
            let Ok(puzzle) = format::read_one(&bytes, "") else {
                continue;
            };
            if !line_solvable(&puzzle) {
                continue;
            }
            let (steps, explanation) = explained(&Explainer::new(&puzzle));
            assert_eq!(explanation.ending, Ending::Solved, "{file:?}");
            assert!(steps.iter().all(|step| step.tried.is_none()));
            assert_eq!(verify(&puzzle, &grid(&explanation.position)), Ok(()));
            solved += 1;
        }
    }
    assert!(solved > 10, "{solved}");
}

#[test]
fn a_stopped_explanation_says_so() {
    let puzzle = Random(3).puzzle(15, 15, 0.4);
    let (all, _) = explained(&Explainer::new(&puzzle));
    for checks in [0, 1, 10, 100, 300, 1000] {
        let limits = Limits::default().checks(checks);
        let (steps, explanation) = explained(&Explainer::new(&puzzle).limits(limits));
        assert!(steps.len() <= all.len() && steps == all[..steps.len()]);
        if steps.len() < all.len() {
            assert_eq!(explanation.ending, Ending::Stopped(Stop::Interrupt));
        }
    }
    for (width, height) in [(1, 1), (1, 8), (8, 1), (200, 200)] {
        let blank = Grid::new(width, height);
        let mut full = blank.clone();
        (0..width * height).for_each(|i| full.set(i / width, i % width, true));
        for grid in [blank, full] {
            let (steps, explanation) = explained(&Explainer::new(&Puzzle::from_grid(&grid)));
            assert_eq!(explanation.ending, Ending::Solved);
            assert_eq!(steps.len(), width.min(height));
        }
    }
}

#[test]
fn hints_lead_from_position_to_position() {
    let scratch = Scratch::new("explain-hints");
    let file = scratch.file("position.txt");
    let puzzle = "puzzles/pictures/heart.non";
    let mut position = "?????\n".repeat(5);
    for _ in 0..30 {
        fs::write(&file, &position).unwrap();
        let run = output(&["explain", "--json", "--hint", "--position", &file, puzzle]);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        let last: serde_json::Value =
            serde_json::from_str(stdout(&run).lines().last().unwrap()).unwrap();
        let rows = last["position"].as_array().unwrap().iter();
        position = rows
            .map(|row| format!("{}\n", row.as_str().unwrap()))
            .collect();
        if last["ending"] == "solved" {
            let solved = output(&["solve", puzzle]);
            assert_eq!(position, stdout(&solved));
            return;
        }
        assert_eq!(last["ending"], "more");
    }
    panic!("no end");
}

#[test]
fn wrong_positions_are_refused() {
    let puzzle = "puzzles/pictures/heart.non";
    let wrong = b"#????\n?????\n?????\n?????\n.????\n";
    let run = fed(&["explain", "--position", "-", puzzle], wrong);
    assert_eq!(run.status.code(), Some(65));
    assert!(
        stdout(&run).contains("row 1, column 1 is filled, and must be empty"),
        "{}",
        stdout(&run)
    );
    for (arguments, status) in [
        (&["explain", "--position", "-", "-"][..], 2),
        (&["explain", "--position", "/nonexistent", puzzle], 74),
        (
            &["explain", "--position", "-", "puzzles/pictures/cup.non"],
            65,
        ),
        (&["explain", "--position", "-", "puzzles/pack.nonpack"], 2),
    ] {
        let run = fed(arguments, wrong);
        assert_eq!(
            run.status.code(),
            Some(status),
            "{arguments:?} {}",
            stderr(&run)
        );
    }
}

#[test]
fn the_page_is_whole_and_harmless() {
    let scratch = Scratch::new("explain-page");
    let [file, page] = scratch.files(["a.non", "a.html"]);
    let text = "title \"</script><b>\"\nwidth 3\nheight 2\nrows\n2\n1\ncolumns\n1\n1\n1\n";
    fs::write(&file, text).unwrap();
    let run = output(&["explain", "--html", &page, &file]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let html = fs::read_to_string(&page).unwrap();
    assert_eq!(html.matches("<script>").count(), 1);
    assert_eq!(html.matches("</script>").count(), 1);
    assert!(html.contains("&lt;/script&gt;") && !html.contains("<b>"));
    assert!(
        !html.contains("http://")
            || html.matches("http://").count() == html.matches("http://www.w3.org").count()
    );
    let svg = &html[html.find("<svg").unwrap()..html.find("</svg>").unwrap() + 6];
    roxmltree::Document::parse(svg).unwrap();
    let data = html.split("const data = ").nth(1).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split(";\n").next().unwrap()).unwrap();
    let steps = data["steps"].as_array().unwrap();
    assert_eq!(steps.len(), html.matches("<li>").count());
    ended(2, &["explain", "--html", &page, &file]);
}
