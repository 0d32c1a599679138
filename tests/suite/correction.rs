//! Corrections of clues that no picture has, against all pictures of a small size.

use std::collections::HashMap;
use std::fs;

use omnogram::Limits;
use omnogram::design::Corrections;
use omnogram::format::read_one;
use omnogram::puzzle::{Clue, Grid, Line, Puzzle};
use omnogram::search::{Search, Verdict};

use crate::common::Random;
use crate::common::corpus;

/// The clues of all lines, rows first.
fn clues(puzzle: &Puzzle) -> Vec<Vec<usize>> {
    puzzle
        .lines()
        .map(|(_, clue)| clue.lengths().collect())
        .collect()
}

/// The clues of all pictures of this size.
fn all_clues(width: usize, height: usize) -> Vec<Vec<Vec<usize>>> {
    let pictures = 0_u32..1 << (width * height);
    pictures
        .map(|picture| {
            let mut grid = Grid::new(width, height);
            for cell in 0..width * height {
                grid.set(cell / width, cell % width, picture >> cell & 1 == 1);
            }
            clues(&Puzzle::from_grid(&grid))
        })
        .collect()
}

/// A puzzle in which the clues of some lines are those of another picture.
fn mistyped(all: &[Vec<Vec<usize>>], height: usize, lines: usize, random: &mut Random) -> Puzzle {
    let mut clues = all[random.below(all.len())].clone();
    for _ in 0..lines {
        let line = random.below(clues.len());
        let of_side = if line < height {
            0..height
        } else {
            height..clues.len()
        };
        let other = of_side.start + random.below(of_side.len());
        clues[line] = all[random.below(all.len())][other].clone();
    }
    let clue = |lengths: &Vec<usize>| Clue::new(lengths.iter().copied()).unwrap();
    let (rows, columns) = clues.split_at(height);
    Puzzle::new(
        rows.iter().map(clue).collect(),
        columns.iter().map(clue).collect(),
    )
    .unwrap()
}

#[test]
fn the_fewest_clues_are_found() {
    let mut random = Random(7);
    let mut seen = HashMap::new();
    for (width, height) in [(3, 3), (4, 3), (4, 4)] {
        let all = all_clues(width, height);
        for round in 0..60 {
            let puzzle = mistyped(&all, height, 1 + round % 8, &mut random);
            let own = clues(&puzzle);
            let differing =
                |other: &Vec<Vec<usize>>| own.iter().zip(other).filter(|(a, b)| a != b).count();
            let fewest = all.iter().map(differing).min().unwrap();
            *seen.entry(fewest.min(3)).or_insert(0) += 1;

            let corrections = Corrections::of(&puzzle, &Limits::default());
            assert_eq!(
                corrections.at_least,
                fewest.min(Corrections::MAX_CLUES + 1),
                "{own:?}"
            );
            assert_eq!(corrections.stopped, None);
            let is_found = (1..=Corrections::MAX_CLUES).contains(&fewest);
            assert_eq!(!corrections.found.is_empty(), is_found, "{own:?}");
            for correction in &corrections.found {
                assert_eq!(correction.clues.len(), fewest);
                let corrected = correction.apply(&puzzle);
                assert_eq!(
                    differing(&clues(&corrected)),
                    fewest,
                    "no clue is named in vain"
                );
                let solutions = all
                    .iter()
                    .filter(|other| **other == clues(&corrected))
                    .count();
                let verdict = if solutions == 1 {
                    Verdict::Unique
                } else {
                    Verdict::Multiple
                };
                assert!(solutions > 0 && correction.verdict == verdict, "{own:?}");
            }
        }
    }
    assert!((0..=3).all(|fewest| seen[&fewest] >= 5), "{seen:?}");
}

/// One mistyped number, and two that were exchanged, in pictures with one solution: the right clue is mostly
/// among the proposals, unless others are as near.
#[test]
fn mistyped_numbers_of_pictures_are_found() {
    let mut random = Random(11);
    let (mut cases, mut found, mut first) = (0, 0, 0);
    for file in corpus::files(&corpus::folder().join("pictures")) {
        let puzzle = read_one(&fs::read(&file).unwrap(), "x").unwrap();
        let outcome = Search::new(&puzzle).first(2).1;
        if outcome.solutions.verdict() != Verdict::Unique || puzzle.width() > 40 {
            continue;
        }
        let lines: Vec<(Line, Clue)> = puzzle
            .lines()
            .map(|(line, clue)| (line, clue.clone()))
            .collect();
        let (line, clue) = &lines[random.below(lines.len())];
        let mut lengths: Vec<usize> = clue.lengths().collect();
        match lengths.len() {
            0 => continue,
            1 if lengths[0] > 1 => lengths[0] -= 1,
            1 => lengths[0] += 1,
            blocks => lengths.swap(0, blocks - 1),
        }
        let wrong = Clue::new(lengths).unwrap();
        let mut sides = [puzzle.rows().to_vec(), puzzle.columns().to_vec()];
        match *line {
            Line::Row(row) => sides[0][row] = wrong.clone(),
            Line::Column(column) => sides[1][column] = wrong.clone(),
        }
        let [rows, columns] = sides;
        let mistyped = Puzzle::new(rows, columns).unwrap();
        if wrong == *clue || Search::new(&mistyped).first(1).1.solutions.verdict() != Verdict::None
        {
            continue;
        }
        let corrections = Corrections::of(&mistyped, &Limits::default());
        let right = vec![(*line, clue.clone())];
        let place = corrections
            .found
            .iter()
            .position(|correction| correction.clues == right);
        cases += 1;
        found += usize::from(place.is_some());
        first += usize::from(place == Some(0));
    }
    println!("{cases} cases, {found} found, {first} first");
    assert!(cases >= 10 && 10 * found >= 8 * cases);
}

/// The clues alone have one solution, and a given cell contradicts it: once two other clues were proposed.
#[test]
fn a_wrong_given_cell_is_not_blamed_on_the_clues() {
    let text = r##"{"rows":[[2],[2]],"columns":[[2],[2]],"given":["#?","?."]}"##;
    let corrections = Corrections::of(&text.parse().unwrap(), &Limits::default());
    assert!(corrections.without_given && corrections.found.is_empty());
}
