//! The clauses of a puzzle, read back as any solver would: the models, projected on the cells, are the solutions.

use std::collections::BTreeSet;

use crate::common::{Random, brute_force, permutation, puzzle, switches};
use cadical_sys::{CaDiCal, Status};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::sat::dimacs;

/// Variables, clauses, and the variables projected on.
fn parse(text: &str) -> (i32, Vec<Vec<i32>>, Vec<i32>) {
    let numbers = |line: &str| -> Vec<i32> {
        let mut numbers: Vec<i32> = line
            .split(' ')
            .map(|word| word.parse().expect("a number"))
            .collect();
        assert_eq!(numbers.pop(), Some(0), "{line}");
        numbers
    };
    let mut head = None;
    let mut shown = None;
    let mut clauses = Vec::new();
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("c p show ") {
            assert!(shown.replace(numbers(line)).is_none());
        } else if let Some(line) = line.strip_prefix("p cnf ") {
            let (variables, clauses) = line.split_once(' ').expect("two numbers");
            head = Some((
                variables.parse().expect("a number"),
                clauses.parse::<usize>().expect("a number"),
            ));
        } else if !line.starts_with('c') {
            clauses.push(numbers(line));
        }
    }
    let (variables, count) = head.expect("a header");
    assert_eq!(clauses.len(), count);
    assert!(
        clauses
            .iter()
            .flatten()
            .all(|literal| literal.abs() <= variables)
    );
    (variables, clauses, shown.expect("a projection"))
}

/// All models of the file, forbidding each on `these` variables, as pictures.
fn models(puzzle: &Puzzle, all_variables: bool) -> Vec<Grid> {
    let mut text = Vec::new();
    dimacs(puzzle, "title\nof two lines", &mut text).expect("written");
    let text = String::from_utf8(text).expect("a text");
    assert!(text.starts_with("c t pmc\n"));
    let (variables, clauses, shown) = parse(&text);
    let cells = (puzzle.width() * puzzle.height()) as i32;
    assert_eq!(shown, (1..=cells).collect::<Vec<_>>());
    let mut solver = CaDiCal::new();
    for clause in clauses {
        clause
            .into_iter()
            .chain([0])
            .for_each(|literal| solver.add(literal));
    }
    let forbidden = if all_variables { variables } else { cells };
    let mut found = Vec::new();
    while solver.solve() == Status::SATISFIABLE {
        let mut grid = Grid::new(puzzle.width(), puzzle.height());
        let model: Vec<bool> = (1..=variables)
            .map(|variable| solver.val(variable) > 0)
            .collect();
        for (cell, &filled) in model.iter().take(cells as usize).enumerate() {
            grid.set(cell / puzzle.width(), cell % puzzle.width(), filled);
        }
        found.push(grid);
        for variable in 1..=forbidden {
            solver.add(if model[variable as usize - 1] {
                -variable
            } else {
                variable
            });
        }
        solver.add(0);
    }
    found
}

#[test]
fn models_are_solutions_projected_or_not() {
    let mut random = Random(17);
    let mut puzzles: Vec<Puzzle> = (0..60)
        .map(|_| {
            let (width, height) = random.size(1, 6);
            random.puzzle(width, height, 0.45)
        })
        .collect();
    puzzles.push(puzzle(&[&[]], &[&[]]));
    puzzles.push(puzzle(&[&[1], &[1]], &[&[], &[]]));
    puzzles.push(permutation(4));
    puzzles.push(switches(1));
    for puzzle in &puzzles {
        let expected = match puzzle.width() {
            8.. => None,
            _ => Some(brute_force(puzzle)),
        };
        for all_variables in [false, true] {
            let mut found = models(puzzle, all_variables);
            let different: BTreeSet<&Grid> = found.iter().collect();
            assert_eq!(different.len(), found.len());
            found.sort();
            match &expected {
                Some(expected) => assert_eq!(&found, expected),
                None => assert_eq!(found.len(), 2),
            }
        }
    }
}
