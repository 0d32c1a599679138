//! Where puzzles are ambiguous, against all solutions: of random puzzles and of those in `puzzles/`, with every number of threads, stopped
//! anywhere.

use std::collections::HashSet;
use std::time::Duration;

use crate::common::corpus::{self, KnownPuzzle};
use crate::common::{Random, beside, brute_force, on_threads, permutation, pool, rounds, switches};
use omnogram::design::Ambiguity;
use omnogram::puzzle::{Cell, Grid, Puzzle, verify};
use omnogram::sat::{SatAnswer, SatSolver};
use omnogram::search::{Limits, Search, Total, Verdict};
use omnogram::solutions::{Count, Stop};

fn get(grid: &Grid, cell: &Cell) -> bool {
    grid.get(cell.row.into(), cell.column.into())
}

/// The number of different fillings of these cells.
fn fillings(solutions: &[Grid], cells: &[Cell]) -> usize {
    let filling = |grid: &Grid| -> Vec<bool> { cells.iter().map(|cell| get(grid, cell)).collect() };
    solutions.iter().map(filling).collect::<HashSet<_>>().len()
}

/// Can these cells be divided into two sets that are independent in these solutions? Tries all sets of up to twelve cells.
fn is_divisible(solutions: &[Grid], cells: &[Cell]) -> bool {
    let all = fillings(solutions, cells);
    cells.len() <= 12
        && (1..1u32 << (cells.len() - 1)).any(|choice| {
            let (some, others): (Vec<usize>, Vec<usize>) =
                (0..cells.len()).partition(|i| choice >> i & 1 == 1);
            let number = |part: &[usize]| {
                let part: Vec<Cell> = part.iter().map(|&i| cells[i]).collect();
                fillings(solutions, &part)
            };
            number(&some) * number(&others) == all
        })
}

fn difference(a: &Grid, b: &Grid) -> usize {
    let cells = (0..a.height()).flat_map(|row| (0..a.width()).map(move |column| (row, column)));
    cells
        .filter(|&(row, column)| a.get(row, column) != b.get(row, column))
        .count()
}

/// What does not depend on how the run ended.
fn check_sound(name: &str, puzzle: &Puzzle, found: &Ambiguity, solutions: &[Grid]) {
    for grid in &found.solutions {
        assert_eq!(verify(puzzle, grid), Ok(()), "{name}");
    }
    let all = Count::from(solutions.len() as u64);
    match &found.outcome.solutions {
        Total::Exactly(number) => assert_eq!(number, &all, "{name}"),
        Total::AtLeast(number) => assert!(number <= &all, "{name}: {number} of {all}"),
    }
    let ambiguous = |cell: &Cell| {
        let filled = solutions.iter().filter(|grid| get(grid, cell)).count();
        (1..solutions.len()).contains(&filled)
    };
    let mut seen = HashSet::new();
    let mut product = Count::ONE;
    for region in &found.regions {
        assert!(
            !region.cells.is_empty() && region.cells.is_sorted(),
            "{name}"
        );
        for cell in &region.cells {
            assert!(ambiguous(cell) && seen.insert(*cell), "{name}: {cell:?}");
        }
        let number = Count::from(fillings(solutions, &region.cells) as u64);
        match &region.fillings {
            Total::Exactly(found) => assert_eq!(found, &number, "{name}"),
            Total::AtLeast(found) => assert!(found > &Count::ONE && found <= &number, "{name}"),
        }
        product *= region.fillings.number();
    }
    assert!(
        solutions.is_empty() || product <= all,
        "{name}: the regions are independent"
    );
    assert_eq!(found.backbone.differing(), seen.len(), "{name}");
    if let Some(cells) = found.closest() {
        assert_eq!(
            difference(&found.solutions[0], &found.solutions[1]),
            cells,
            "{name}"
        );
    }
}

/// Checks a complete answer against all solutions.
fn check(name: &str, puzzle: &Puzzle, found: &Ambiguity, solutions: &[Grid]) {
    check_sound(name, puzzle, found, solutions);
    assert_eq!(found.outcome.stopped, None, "{name}");
    assert!(found.outcome.solutions.is_exact(), "{name}");
    assert_eq!(found.solutions.len(), solutions.len().min(2), "{name}");
    let none = solutions.is_empty();
    assert!(none || found.backbone.is_complete(), "{name}");
    for row in 0..puzzle.height() {
        for column in 0..puzzle.width() {
            let filled = solutions
                .iter()
                .filter(|grid| grid.get(row, column))
                .count();
            let wanted = (1..solutions.len()).contains(&filled);
            assert_eq!(found.backbone.ambiguous.get(row, column), wanted, "{name}");
        }
    }
    let numbers = found.regions.iter().map(|region| region.fillings.number());
    let mut product = Count::from(u64::from(!none));
    numbers.for_each(|number| product *= number);
    assert_eq!(product, Count::from(solutions.len() as u64), "{name}");
    if solutions.len() <= 200 {
        for region in &found.regions {
            assert!(
                !is_divisible(solutions, &region.cells),
                "{name}: {:?}",
                region.bounds()
            );
        }
        let pairs = solutions.iter().enumerate();
        let distances =
            pairs.flat_map(|(i, a)| solutions[i + 1..].iter().map(|b| difference(a, b)));
        let least = distances.min();
        if found.is_least {
            assert_eq!(found.closest(), least, "{name}")
        } else {
            assert!(solutions.len() < 2 && found.closest() == least, "{name}")
        }
    }
}

#[test]
fn regions_agree_with_all_solutions_of_random_puzzles() {
    let mut source = Random(16);
    let rounds = rounds(400);
    let mut several = 0;
    for round in 0..rounds {
        let puzzle = match round % 5 {
            // Two puzzles in one have at least the regions of both.
            4 => beside(&source.puzzle(4, 3, 0.4), &source.puzzle(3, 4, 0.4)),
            _ => source.any_puzzle(round % 6 == 0, 7),
        };
        let solutions = brute_force(&puzzle);
        if solutions.len() > 2000 {
            continue;
        }
        let found = Ambiguity::of(&puzzle, &Limits::default());
        check(&format!("round {round}"), &puzzle, &found, &solutions);
        several += usize::from(solutions.len() > 1);
    }
    assert!(several > rounds / 5, "{several}");
}

#[test]
fn regions_agree_with_all_solutions_of_the_corpus() {
    let known = corpus::answers().into_iter();
    let known = known.filter(|known| known.listable && known.has_at_most(2000));
    for KnownPuzzle { name, puzzle, .. } in known {
        let (solutions, _) = Search::new(&puzzle).collect();
        for threads in [1, 2] {
            let found = on_threads(threads, || Ambiguity::of(&puzzle, &Limits::default()));
            check(&name, &puzzle, &found, &solutions);
        }
    }
}

/// Whether there is a solution with this value of a cell.
fn is_possible(puzzle: &Puzzle, (row, column): (usize, usize), filled: bool) -> bool {
    let nothing = Grid::new(puzzle.width(), puzzle.height());
    let mut cell = nothing.clone();
    cell.set(row, column, true);
    let (filled, empty) = if filled {
        (&cell, &nothing)
    } else {
        (&nothing, &cell)
    };
    let solver = SatSolver::new(puzzle, filled, empty, u64::MAX, || false);
    match solver.unwrap().solve(None) {
        SatAnswer::Solution(grid) => verify(puzzle, &grid).is_ok(),
        answer => answer != SatAnswer::None,
    }
}

#[test]
fn ambiguous_cells_agree_with_two_questions_for_each_cell() {
    let mut source = Random(25);
    for round in 0..rounds(3) {
        let side = 12 + round % 14;
        let puzzle = source.puzzle(side, side, 0.45);
        let found = Ambiguity::of(&puzzle, &Limits::default().time(Duration::from_secs(20)));
        let backbone = &found.backbone;
        for cell in (0..side * side).map(|i| (i / side, i % side)) {
            let [filled, empty] = [true, false].map(|filled| is_possible(&puzzle, cell, filled));
            let place = format!("round {round}, {cell:?}, {:?}, {puzzle:?}", found.outcome);
            let is_ambiguous = backbone.ambiguous.get(cell.0, cell.1);
            let known = backbone.get(cell.0, cell.1);
            // A count that was stopped leaves no cell undecided here.
            assert!(is_ambiguous != known.is_some(), "{place}");
            assert_eq!(is_ambiguous, filled && empty, "{place}");
            assert!(known.is_none_or(|known| known == filled), "{place}");
        }
    }
}

#[test]
fn large_regions_are_counted() {
    let numbers = |puzzle: &Puzzle| {
        let found = Ambiguity::of(puzzle, &Limits::default());
        assert!(found.outcome.is_complete() && found.is_least);
        let fillings = found
            .regions
            .iter()
            .map(|region| region.fillings.to_string());
        (fillings.collect::<Vec<_>>(), found.closest())
    };
    let (fillings, closest) = numbers(&permutation(12));
    assert_eq!((fillings, closest), (vec!["479001600".to_owned()], Some(4)));
    let (fillings, closest) = numbers(&beside(&permutation(9), &switches(2)));
    assert_eq!(fillings, ["362880", "2", "2"]);
    assert_eq!(closest, Some(4));
}

#[test]
fn one_thread_is_reproducible() {
    for puzzle in Random(3).puzzles(20, 12, 12, 0.4) {
        let run = || {
            let found = Ambiguity::by(&Search::new(&puzzle).single_threaded());
            let Ambiguity {
                regions,
                solutions,
                outcome,
                ..
            } = found;
            (regions, solutions, outcome.statistics)
        };
        assert_eq!(run(), run());
        // Other numbers of threads find the same regions.
        assert_eq!(
            pool(3)
                .install(|| Ambiguity::of(&puzzle, &Limits::default()))
                .regions,
            run().0
        );
    }
}

#[test]
fn a_run_stopped_anywhere_says_what_it_knows() {
    let mut source = Random(5);
    let mut stopped = 0;
    for round in 0..60 {
        let puzzle = match round % 3 {
            0 => permutation(6),
            1 => beside(&switches(1), &source.puzzle(5, 5, 0.4)),
            _ => source.puzzle(7, 7, 0.4),
        };
        let (solutions, _) = Search::new(&puzzle).collect();
        for checks in [0, 1, 2, 3, 5, 8, 13, 21, 40, 80, 160] {
            let found = Ambiguity::by(
                &Search::new(&puzzle)
                    .single_threaded()
                    .limits(Limits::default().checks(checks)),
            );
            check_sound(
                &format!("round {round}, {checks}"),
                &puzzle,
                &found,
                &solutions,
            );
            let exact = found.outcome.solutions.is_exact();
            assert_eq!(exact, found.outcome.stopped.is_none());
            stopped +=
                usize::from(!exact && found.outcome.solutions.verdict() == Verdict::Multiple);
        }
    }
    assert!(stopped > 20, "{stopped}");
}

#[test]
fn limits_hold() {
    let puzzle = permutation(60);
    let limits = Limits::default().time(Duration::from_millis(300));
    let found = Ambiguity::of(&puzzle, &limits);
    // A machine under load is slow to stop, but without limits this would take years.
    assert!(found.outcome.elapsed < Duration::from_secs(5));
    assert_eq!(found.outcome.stopped, Some(Stop::Time));
    assert!(!found.outcome.solutions.is_exact());
    let found = Ambiguity::of(&puzzle, &Limits::default().nodes(0));
    assert_eq!(found.outcome.stopped, Some(Stop::Nodes));
    assert_eq!(found.outcome.solutions.verdict(), Verdict::Undecided);
}

#[test]
fn edge_sizes() {
    let filled = |width, height| {
        let mut grid = Grid::new(width, height);
        (0..width * height).for_each(|i| grid.set(i / width, i % width, true));
        grid
    };
    for grid in [
        Grid::new(1, 1),
        Grid::new(9, 1),
        filled(1, 9),
        filled(9, 9),
        Grid::new(200, 200),
        filled(200, 200),
    ] {
        let found = Ambiguity::of(&Puzzle::from_grid(&grid), &Limits::default());
        assert_eq!(found.outcome.solutions.verdict(), Verdict::Unique);
        assert_eq!(found.solutions, [grid]);
        assert!(found.regions.is_empty() && found.closest().is_none());
    }
    // Lines of more than 64 cells.
    let found = Ambiguity::of(&switches(20), &Limits::default());
    assert_eq!(found.regions.len(), 20);
    assert_eq!(
        found.outcome.solutions.to_string(),
        (1u64 << 20).to_string()
    );
}

#[test]
fn the_goal_is_the_first_of_two_closest() {
    let goal = Grid::from_rows(&["..#", "#..", ".#."]).unwrap();
    let puzzle = Puzzle::from_grid(&goal);
    let puzzle = puzzle
        .clone()
        .with_notes(puzzle.notes().clone().goal(goal.clone()))
        .unwrap();
    let found = Ambiguity::of(&puzzle, &Limits::default());
    assert_eq!((&found.solutions[0], found.closest()), (&goal, Some(4)));
}
