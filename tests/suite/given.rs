//! Cells given from the start, against brute force: every question, every method, certificates, and the formats that hold them.

use crate::common::command::{Scratch, answer, ended, fed, stderr};
use crate::common::proofs::{assert_true, graph_and_lemmas};
use crate::common::{
    METHODS, Random, brute_force, eager, on_threads, permutation, restless, rounds,
};
use omnogram::certificate::{Bounds, Formula, check_formula, check_refutation};
use omnogram::cluster::{Digest, Splitter};
use omnogram::count::Counter;
use omnogram::design::{
    self, Canonical, Ending, Explainer, Method, Profile, Repair, Standing, Transform,
};
use omnogram::estimate::Estimator;
use omnogram::format::{self, FORMATS, Format};
use omnogram::puzzle::{Cell, Grid, Mismatch, Position, Puzzle, verify};
use omnogram::sat::{Claim, Refutation, write_refutation};
use omnogram::search::{Limits, Options, Probing, Search, Total, Verdict};
use omnogram::solutions::Count;

/// Gives random cells of a puzzle, most of them as in this grid.
fn with_random_given(random: &mut Random, puzzle: Puzzle, grid: &Grid) -> Puzzle {
    let mut given = Position::unknown(puzzle.width(), puzzle.height());
    let share = [0.02, 0.1, 0.3, 0.6][random.below(4)];
    for row in 0..puzzle.height() {
        for column in 0..puzzle.width() {
            if random.chance(share) {
                let is_right = random.chance(0.98);
                given.set(row, column, Some(grid.get(row, column) == is_right));
            }
        }
    }
    puzzle.with_given(given).unwrap()
}

/// Random puzzles with given cells, and their solutions.
fn random_puzzles(seed: u64, number: usize) -> impl Iterator<Item = (Puzzle, Vec<Grid>)> {
    let mut random = Random(seed);
    (0..number).map(move |i| {
        let (width, height) = random.size(1, 6);
        let grid = random.grid(width, height, [0.3, 0.5, 0.7][i % 3]);
        let puzzle = match i % 10 {
            0 => random.mixed(width, height, 0.5),
            _ => Puzzle::from_grid(&grid),
        };
        let puzzle = with_random_given(&mut random, puzzle, &grid);
        let solutions = brute_force(&puzzle);
        (puzzle, solutions)
    })
}

fn verdict(solutions: &[Grid]) -> Verdict {
    match solutions.len() {
        0 => Verdict::None,
        1 => Verdict::Unique,
        _ => Verdict::Multiple,
    }
}

/// The value that a cell has in all of these grids, if it is the same.
fn common_value(solutions: &[Grid], row: usize, column: usize) -> Option<bool> {
    let value = solutions.first()?.get(row, column);
    let is_common = solutions.iter().all(|grid| grid.get(row, column) == value);
    is_common.then_some(value)
}

#[test]
fn every_question_is_answered_for_the_given_cells_too() {
    let mut verdicts = [0; 3];
    for (puzzle, solutions) in random_puzzles(67, rounds(2000)) {
        let number = Count::from(solutions.len() as u64);
        verdicts[solutions.len().min(2)] += 1;
        for options in [
            Options::default(),
            eager(),
            Options {
                probing: Probing::Never,
                fewest_cells_to_split: 2,
                ..Options::default()
            },
        ] {
            let search = Search::new(&puzzle).options(options);
            assert_eq!(search.collect().0, solutions, "{puzzle:?}");
            assert_eq!(search.first(2).1.solutions.verdict(), verdict(&solutions));
        }
        if let Some(first) = solutions.first() {
            let (found, outcome) = Search::new(&puzzle).second(first);
            assert_eq!(
                outcome.solutions.verdict(),
                verdict(&solutions),
                "{puzzle:?}"
            );
            assert!(found.iter().all(|grid| verify(&puzzle, grid).is_ok()));
            let (backbone, _) = Search::new(&puzzle).backbone();
            for row in 0..puzzle.height() {
                for column in 0..puzzle.width() {
                    let common = common_value(&solutions, row, column);
                    assert_eq!(backbone.get(row, column), common, "{puzzle:?}");
                }
            }
        }
        for method in METHODS {
            for options in [restless(), omnogram::count::Options::default()] {
                let counter = Counter::new(&puzzle).method(method).options(options);
                assert_eq!(
                    counter.run().solutions.number(),
                    &number,
                    "{method:?} {puzzle:?}"
                );
            }
        }
        let graph = Counter::new(&puzzle).graph().0.expect("nothing stops it");
        assert_eq!(graph.count(), &number);
        let mut list = graph.lexicographic(&Count::ZERO);
        let mut listed = Vec::new();
        while let Some(words) = list.next_words() {
            listed.push(Grid::from_words(
                puzzle.width(),
                puzzle.height(),
                words.into(),
            ));
        }
        assert_eq!(listed, solutions, "{puzzle:?}");
        let estimate = Estimator::new(&puzzle).populations(1).run();
        assert_eq!(
            estimate.solutions,
            Total::Exactly(number.clone()),
            "{puzzle:?}"
        );
        let cubes = Splitter::new(&puzzle, 4).run().cubes.into_iter();
        let counts =
            cubes.map(|(cube, _)| Search::new(&puzzle).cubes(vec![cube]).count().solutions);
        let mut sum = Count::ZERO;
        counts.for_each(|count| sum += count.number());
        assert_eq!(sum, number, "{puzzle:?}");
    }
    assert!(verdicts.iter().all(|&seen| seen > 100), "{verdicts:?}");
}

#[test]
fn designers_questions_are_answered_for_the_given_cells_too() {
    let limits = Limits::default();
    for (puzzle, solutions) in random_puzzles(68, rounds(2000)) {
        let profile = Profile::of(&puzzle, &limits);
        let method = match solutions.len() {
            0 => profile.method == Method::None,
            1 => profile.method < Method::Multiple,
            _ => profile.method == Method::Multiple,
        };
        assert!(method, "{puzzle:?} {profile:?}");
        assert_eq!(design::line_solvable(&puzzle), profile.line_solvable());
        let agree = |position: &Position| {
            position.known().all(|(cell, value)| {
                solutions
                    .iter()
                    .all(|grid| grid.get(cell.row.into(), cell.column.into()) == value)
            })
        };
        match Position::by_lines(&puzzle, &limits) {
            Ok(position) => {
                assert!(agree(&position), "{puzzle:?}");
                let standing = position.check(&puzzle, &limits).unwrap();
                let wanted = if solutions.is_empty() {
                    Standing::Unsolvable
                } else {
                    Standing::Right
                };
                assert_eq!(standing, wanted, "{puzzle:?}");
            }
            Err(_) => assert!(solutions.is_empty()),
        }
        let mut steps = Vec::new();
        let explanation = Explainer::new(&puzzle).run(|step| {
            steps.push(step.cells.clone());
            true
        });
        let explanation = explanation.unwrap();
        assert!(agree(&explanation.position), "{puzzle:?}");
        let given = puzzle.given_cells().map(|(cell, _)| cell);
        let given: Vec<_> = given.collect();
        assert!(
            steps
                .iter()
                .flatten()
                .all(|(cell, _)| !given.contains(cell))
        );
        match explanation.ending {
            Ending::Solved | Ending::Deeper => assert_eq!(solutions.len(), 1, "{puzzle:?}"),
            Ending::Several => assert!(solutions.len() > 1, "{puzzle:?}"),
            Ending::Unsolvable(_) => assert!(solutions.is_empty(), "{puzzle:?}"),
            ending => panic!("{ending:?}"),
        }
        let ambiguity = design::Ambiguity::of(&puzzle, &limits);
        assert_eq!(ambiguity.outcome.solutions.verdict(), verdict(&solutions));
        assert!(
            ambiguity
                .solutions
                .iter()
                .all(|grid| verify(&puzzle, grid).is_ok())
        );
    }
}

/// Transforms carry the given cells along, so the canonical form does not depend on them.
#[test]
fn given_cells_are_mirrored_and_turned() {
    for (puzzle, solutions) in random_puzzles(69, rounds(300)) {
        let canonical = Canonical::of(&puzzle).puzzle;
        assert_eq!(brute_force(&canonical).len(), solutions.len());
        for transform in Transform::ALL {
            let turned = transform.puzzle(&puzzle);
            let mut grids: Vec<Grid> = solutions.iter().map(|grid| transform.grid(grid)).collect();
            grids.sort();
            assert_eq!(brute_force(&turned), grids, "{puzzle:?}");
            if puzzle.given().is_some() {
                assert_eq!(Canonical::of(&turned).puzzle, canonical, "{puzzle:?}");
            }
        }
    }
}

#[test]
fn certificates_prove_answers_for_the_given_cells_too() {
    let limits = Limits::default();
    for (puzzle, solutions) in random_puzzles(70, rounds(500)) {
        let mut bounds = Bounds {
            stop: &mut || false,
            memory: 1 << 30,
        };
        if let [first, rest @ ..] = &solutions[..] {
            let graph = Counter::new(&puzzle).graph().0.expect("nothing stops it");
            let (text, lemmas) = graph_and_lemmas(&puzzle, &graph);
            let cells = puzzle.width() * puzzle.height();
            let formula = Formula::read(&mut &text[..], "graph", cells, &mut bounds).unwrap();
            let mut imply = |holding: &[i32], literal| Ok(lemmas.imply(holding, literal));
            let checked = check_formula(&puzzle, &formula, &mut imply, &mut bounds).unwrap();
            assert_eq!(checked.solutions.to_string(), solutions.len().to_string());
            // The graph proves nothing of the clues alone, unless these have the same solutions.
            let bare = Puzzle::new(puzzle.rows().to_vec(), puzzle.columns().to_vec()).unwrap();
            if brute_force(&bare).len() != solutions.len() {
                assert!(check_formula(&bare, &formula, &mut imply, &mut bounds).is_err());
            }
            if !rest.is_empty() {
                let claim = Claim::OnlySolution(first);
                let ended = write_refutation(&puzzle, claim, &limits, &mut Vec::new(), Vec::new());
                assert_eq!(ended.unwrap().0, Refutation::Wrong);
                continue;
            }
        }
        let claim = solutions
            .first()
            .map_or(Claim::NoSolution, Claim::OnlySolution);
        let mut clauses = Vec::new();
        let (ended, steps) =
            write_refutation(&puzzle, claim, &limits, &mut clauses, Vec::new()).unwrap();
        assert_eq!(ended, Refutation::Complete, "{puzzle:?}");
        let (clauses, steps) = (&mut &clauses[..], &mut &steps[..]);
        let refuted =
            check_refutation(&puzzle, (clauses, "clauses"), (steps, "steps"), &mut bounds);
        let refuted = refuted.unwrap();
        assert_true(&refuted, &solutions);
        assert_eq!(refuted.is_unsolvable, solutions.is_empty());
    }
}

/// Every set of up to this number of cells of these, the smaller ones first.
fn subsets(cells: &[(usize, usize)], most: usize) -> Vec<Vec<(usize, usize)>> {
    let mut sets = vec![Vec::new()];
    let mut from = vec![(Vec::new(), 0)];
    for _ in 0..most {
        let mut larger = Vec::new();
        for (set, next) in &from {
            for (i, &cell) in cells.iter().enumerate().skip(*next) {
                larger.push(([&set[..], &[cell]].concat(), i + 1));
            }
        }
        sets.extend(larger.iter().map(|(set, _)| set.clone()));
        from = larger;
    }
    sets
}

/// Whether a picture is the only solution of its clues and these cells, or, if wanted, line solving finds it.
fn is_good(picture: &Grid, given: &Position, by_lines: bool) -> bool {
    let puzzle = Puzzle::from_grid(picture)
        .with_given(given.clone())
        .unwrap();
    if by_lines {
        return design::line_solvable(&puzzle);
    }
    brute_force(&puzzle).len() == 1
}

/// Repairs flip no given cell, and as few others as brute force; as few cells are revealed beside the given ones.
#[test]
fn repairs_count_on_the_given_cells() {
    let mut random = Random(73);
    let mut sizes = [0; 4];
    for i in 0..rounds(120) {
        let (width, height) = random.size(4, 4);
        let picture = random.grid(width, height, 0.3);
        let mut given = Position::unknown(width, height);
        let mut free = Vec::new();
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |c| (row, c))) {
            if random.chance(0.05) {
                given.set(row, column, Some(picture.get(row, column)));
            } else {
                free.push((row, column));
            }
        }
        let by_lines = i % 2 == 1;
        let repair = Repair::new(&picture).given(&given).unwrap();
        let repair = repair.line_solvable(by_lines);
        let flipped = |set: &Vec<(usize, usize)>| {
            let mut edited = picture.clone();
            for &(row, column) in set {
                edited.set(row, column, !picture.get(row, column));
            }
            edited
        };
        let best = subsets(&free, 2)
            .into_iter()
            .find(|set| is_good(&flipped(set), &given, by_lines));
        let repaired = repair.run();
        let places = |cells: &[Cell]| -> Vec<(usize, usize)> {
            let cells = cells.iter();
            cells
                .map(|cell| (cell.row.into(), cell.column.into()))
                .collect()
        };
        match (&best, &repaired.flips) {
            (Some(best), Some(flips)) => {
                assert_eq!(best.len(), flips.len(), "{picture:?}{given:?}");
                let flips = places(flips);
                assert!(flips.iter().all(|cell| free.contains(cell)));
                assert!(is_good(&flipped(&flips), &given, by_lines));
                assert!(repaired.minimal);
                sizes[best.len()] += 1;
            }
            (Some(_), None) => panic!("{picture:?}{given:?}"),
            (None, flips) => {
                assert!(flips.as_ref().is_none_or(|flips| flips.len() > 2));
                sizes[3] += 1;
            }
        }
        let with = |set: &[(usize, usize)]| {
            let mut all = given.clone();
            for &(row, column) in set {
                all.set(row, column, Some(picture.get(row, column)));
            }
            all
        };
        let revealed = repair.reveal();
        let cells = places(&revealed.cells.unwrap());
        assert!(revealed.minimal && cells.iter().all(|cell| free.contains(cell)));
        assert!(is_good(&picture, &with(&cells), by_lines));
        let fewest = subsets(&free, 2)
            .into_iter()
            .find(|set| is_good(&picture, &with(set), by_lines));
        match fewest {
            Some(set) => assert_eq!(set.len(), cells.len(), "{picture:?}{given:?}"),
            None => assert!(cells.len() > 2),
        }
    }
    assert!(sizes[..3].iter().all(|&seen| seen > 3), "{sizes:?}");
}

#[test]
fn revealed_cells_are_saved() {
    let scratch = Scratch::new("revealed");
    let [picture, saved] = scratch.files(["picture.non", "saved.json"]);
    answer(&["convert", "3x3:1/1/1/1/1/1", &picture]);
    let revealed = answer(&["repair", "--reveal", "-q", "--output", &saved, &picture]);
    assert!(
        revealed.contains("unique with 2 cells given away, proven minimal"),
        "{revealed}"
    );
    assert_eq!(answer(&["count", &saved]), "1");
    assert!(answer(&["repair", "--reveal", &saved]).contains("unique as it is"));
    assert!(answer(&["repair", &saved]).contains("unique as it is"));
    // The picture has to have the given cells.
    let text = std::fs::read_to_string(&saved).unwrap();
    let (head, goal) = text.split_once("\"goal\"").unwrap();
    let other = format!(
        "{head}\"goal\"{}",
        goal.replace('#', "x").replace('.', "#").replace('x', ".")
    );
    std::fs::write(&saved, other).unwrap();
    let against = ended(65, &["repair", &saved]);
    assert!(
        stderr(&against).contains("in the picture, row "),
        "{}",
        stderr(&against)
    );
}

#[test]
fn formats_that_hold_given_cells_give_them_back() {
    let holding = ["json", "webpbn", "pattern", "non"];
    for (puzzle, _) in random_puzzles(71, rounds(300)) {
        for format in FORMATS
            .iter()
            .filter(|format| format.can_write() && !format.is_picture())
        {
            let (kept, _) = format.kept(&puzzle);
            let holds = holding.contains(&format.name);
            assert_eq!(
                kept.given(),
                puzzle.given().filter(|_| holds),
                "{}",
                format.name
            );
            if holds {
                let bytes = format.write(&puzzle).unwrap();
                let read = format::read_one(&bytes, "x").unwrap();
                assert_eq!(read.given(), puzzle.given(), "{}", format.name);
                assert_eq!(Digest::of(&read), Digest::of(&puzzle));
            }
        }
        if puzzle.given().is_some() {
            let bare = Format::named("nin").unwrap().kept(&puzzle).0;
            assert_ne!(Digest::of(&bare), Digest::of(&puzzle));
        }
    }
}

#[test]
fn a_grid_that_contradicts_a_given_cell_is_named_with_the_cell() {
    let given: Position = "??\n.?\n".parse().unwrap();
    let puzzle = permutation(2).with_given(given.clone()).unwrap();
    let wrong = Grid::from_rows(&[".#", "#."]).unwrap();
    let mismatch = verify(&puzzle, &wrong).unwrap_err();
    assert!(matches!(mismatch, Mismatch::Given(..)));
    assert_eq!(
        mismatch.to_string(),
        "row 2 column 1 is filled, but given as empty"
    );
    assert!(permutation(3).with_given(given).is_err());
    let nothing = Position::unknown(2, 2);
    assert_eq!(puzzle.with_given(nothing).unwrap(), permutation(2));
}

/// Once, the key `content` was ignored: the puzzle had two solutions.
#[test]
fn the_content_of_a_json_file_is_given() {
    let head = r#"{"columns":[[1],[1]],"rows":[[1],[1]],"content":"#;
    for (content, count) in [
        ("[1,0,0,0]", "1"),
        ("[0,-1,0,0]", "1"),
        ("[0,0,0,0]", "2"),
        ("null", "2"),
        ("[1,1,0,0]", "0"),
    ] {
        let text = format!("{head}{content}}}");
        let counted = fed(&["count", "-"], text.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(&counted.stdout).trim(),
            count,
            "{content}"
        );
    }
    for (content, message) in [
        ("[1,0,0]", "content has 3 cells, but a 2x2 puzzle has 4"),
        (
            "[1,0,0,2]",
            "content[3]: 2 is not a cell, which is 1 if filled, -1 if empty, 0 if unknown",
        ),
        (
            "[0,0,0,0],\"given\":[\"??\",\"??\"]",
            "content or given is given twice",
        ),
    ] {
        let refused = fed(&["count", "-"], format!("{head}{content}}}").as_bytes());
        assert_eq!(refused.status.code(), Some(65), "{content}");
        assert!(
            stderr(&refused).contains(message),
            "{content}: {}",
            stderr(&refused)
        );
    }
}

#[test]
fn every_verb_takes_given_cells_from_a_file() {
    let scratch = Scratch::new("given");
    let [cells, puzzle, cubes, list] = scratch.files(["cells", "2.non", "cubes", "list"]);
    std::fs::write(&cells, "#???\n????\n????\n????\n").unwrap();
    let plain = "4x4:1/1/1/1/1/1/1/1";
    let given = ["--given", &cells];
    let asked = |verb: &[&str]| answer(&[verb, &given[..], &[plain]].concat());
    assert_eq!(answer(&["count", plain]), "24");
    assert_eq!(asked(&["count"]), "6");
    assert_eq!(
        asked(&["enumerate"])
            .lines()
            .filter(|line| line.is_empty())
            .count(),
        5
    );
    assert!(asked(&["solve"]).starts_with("#...\n"));
    assert!(asked(&["sample", "--seed", "1"]).starts_with("#...\n"));
    assert!(asked(&["backbone"]).contains("#..."));
    assert!(asked(&["show", "--style", "ascii"]).contains("1 |##"));
    assert_eq!(
        ended(1, &["check", "--given", &cells, plain]).status.code(),
        Some(1)
    );
    ended(2, &["classic", "set-based", "--given", &cells, plain]);

    // A file with the cells, and everything that is done with it afterwards.
    answer(&["convert", "--given", &cells, plain, &puzzle]);
    assert_eq!(answer(&["count", &puzzle]), "6");
    answer(&["split", "-q", "--cubes", "3", "--output", &cubes, &puzzle]);
    let results = scratch.file("results");
    let worked = ended(0, &["work", "-q", "--puzzle", &puzzle, &cubes]);
    std::fs::write(&results, &worked.stdout).unwrap();
    assert_eq!(answer(&["merge", &cubes, &results]), "6");
    ended(65, &["work", "-q", "--puzzle", plain, &cubes]);
    ended(
        0,
        &["work", "-q", "--puzzle", plain, "--given", &cells, &cubes],
    );
    std::fs::write(&list, answer(&["enumerate", plain]) + "\n").unwrap();
    let wrong = ended(65, &["verify", &puzzle, &list]);
    let message = "not a solution: row 1 column 1 is empty, but given as filled";
    assert!(stderr(&wrong).contains(message), "{}", stderr(&wrong));
    ended(0, &["verify", plain, &list]);

    let folder = scratch.file("proofs");
    ended(0, &["count", "--proof", &folder, &puzzle]);
    ended(0, &["verify", "--proof", &folder, &puzzle]);
    ended(65, &["verify", "--proof", &folder, plain]);
    ended(0, &["verify", "--proof", &folder, "--given", &cells, plain]);

    // What a format cannot hold is said.
    let lost = ended(0, &["convert", "--to", "nin", &puzzle, "-"]);
    assert!(
        stderr(&lost).contains("the format nin cannot hold 1 given cell\n"),
        "{}",
        stderr(&lost)
    );
    // The cells must fit.
    std::fs::write(&cells, "#?\n??\n").unwrap();
    ended(65, &["count", "--given", &cells, plain]);
    std::fs::write(&cells, ".???\n????\n????\n????\n").unwrap();
    let against = ended(65, &["count", "--given", &cells, &puzzle]);
    assert!(stderr(&against).contains("row 1 column 1 is empty, but given as filled"));
}

#[test]
fn a_saved_grid_is_given_when_asked_for() {
    let scratch = Scratch::new("saved");
    let [xml, non] = scratch.files(["saved.xml", "saved.non"]);
    let image = "<solution type='saved'><image>|X?||??|</image></solution>";
    let text = format!(
        "<puzzleset><puzzle>{}{image}</puzzle></puzzleset>",
        ["rows", "columns"]
            .map(|side| format!(
                "<clues type='{side}'>{0}{0}</clues>",
                "<line><count>1</count></line>"
            ))
            .concat()
    );
    std::fs::write(&xml, &text).unwrap();
    assert_eq!(answer(&["count", &xml]), "2");
    assert_eq!(answer(&["count", "--given", "saved", &xml]), "1");
    answer(&["convert", &xml, &non]);
    assert_eq!(answer(&["count", "--given", "saved", &non]), "1");
    let lost = ended(0, &["convert", "--to", "nin", &xml, "-"]);
    assert!(stderr(&lost).contains("the format nin cannot hold the saved grid\n"));
    std::fs::write(&xml, text.replace(image, &image.repeat(2))).unwrap();
    let several = ended(65, &["count", "--given", "saved", &xml]);
    assert!(stderr(&several).contains("this puzzle has 2 saved grids"));
    let none = ended(65, &["count", "--given", "saved", "2x2:1/1/1/1"]);
    assert!(stderr(&none).contains("this puzzle has no saved grid"));
}

/// The same on any number of threads.
#[test]
fn threads_agree_on_given_cells() {
    let mut random = Random(72);
    for _ in 0..rounds(20) {
        let grid = random.grid(12, 10, 0.4);
        let puzzle = with_random_given(&mut random, Puzzle::from_grid(&grid), &grid);
        let wanted = on_threads(1, || Search::new(&puzzle).count().solutions);
        for threads in [2, 4] {
            on_threads(threads, || {
                assert_eq!(Search::new(&puzzle).count().solutions, wanted);
                assert_eq!(Counter::new(&puzzle).run().solutions, wanted, "{puzzle:?}");
            });
        }
    }
}
