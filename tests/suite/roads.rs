//! The number of solutions by roads that share nothing with the engine: brute force, a count row by row over the states of the columns, and a
//! SAT solver in Rust with an encoding of its own. And by the engine itself: with each heuristic switched off or at its limit, and for the
//! puzzle mirrored, turned, transposed, and with empty lines at its borders.
//!
//! `OMNOGRAM_ROUNDS=100000` makes 100,000 random puzzles in each test.

use std::collections::HashMap;

use crate::common::corpus;
use crate::common::{METHODS, Random, brute_force, eager, on_threads, restless, rounds};
use batsat::{BasicSolver, Lit, SolverInterface, Var, lbool};
use omnogram::classic::{Algorithm, Classic};
use omnogram::count::Counter;
use omnogram::puzzle::{Clue, Puzzle};
use omnogram::search::{ClassicSearch, Options, Probing, Search, Total};
use omnogram::solutions::Count;

/// A clue as its lengths.
type Lengths = Vec<usize>;

/// The clues of a puzzle, which the roads below know alone.
struct Clues {
    rows: Vec<Lengths>,
    columns: Vec<Lengths>,
}

impl Clues {
    fn of(puzzle: &Puzzle) -> Self {
        let lengths = |clues: &[Clue]| clues.iter().map(|clue| clue.lengths().collect()).collect();
        Clues {
            rows: lengths(puzzle.rows()),
            columns: lengths(puzzle.columns()),
        }
    }
}

/// All arrangements of a clue in a line, as bits.
fn arrangements(clue: &[usize], length: usize) -> Vec<u64> {
    let Some((&first, rest)) = clue.split_first() else {
        return vec![0];
    };
    let mut all = Vec::new();
    for start in 0..=length.saturating_sub(first) {
        let block = ((1 << first) - 1) << start;
        let end = start + first;
        match rest.is_empty() {
            true if end <= length => all.push(block),
            false if end < length => {
                let rest = arrangements(rest, length - end - 1);
                all.extend(rest.into_iter().map(|bits| block | bits << (end + 1)));
            }
            _ => {}
        }
    }
    all
}

/// Counts row by row: how many ways lead to each combination of states of the columns. The state of a column is the number of its finished
/// blocks and the length of the one that is under way.
fn count_by_rows(clues: &Clues) -> u128 {
    let width = clues.columns.len();
    let mut ways: HashMap<Vec<(u8, u8)>, u128> = HashMap::from([(vec![(0, 0); width], 1)]);
    for row in &clues.rows {
        let rows = arrangements(row, width);
        let mut next: HashMap<Vec<(u8, u8)>, u128> = HashMap::new();
        for (states, number) in ways {
            'rows: for bits in &rows {
                let mut after = states.clone();
                for (column, state) in after.iter_mut().enumerate() {
                    let clue = &clues.columns[column];
                    let (finished, length) = *state;
                    let wanted = clue.get(usize::from(finished)).copied().unwrap_or_default();
                    *state = match (bits >> column & 1 == 1, length) {
                        (true, length) if usize::from(length) < wanted => (finished, length + 1),
                        (false, 0) => (finished, 0),
                        (false, length) if usize::from(length) == wanted => (finished + 1, 0),
                        _ => continue 'rows,
                    };
                }
                *next.entry(after).or_default() += number;
            }
        }
        ways = next;
    }
    let is_done = |states: &[(u8, u8)]| {
        states
            .iter()
            .zip(&clues.columns)
            .all(|(&(finished, length), clue)| {
                let rest = &clue[usize::from(finished)..];
                rest.is_empty() || rest == [usize::from(length)]
            })
    };
    ways.iter()
        .filter(|(states, _)| is_done(states))
        .map(|(_, number)| number)
        .sum()
}

/// Counts with a SAT solver, which is asked again and again, each time without the solutions found so far; `None` if there are more than
/// `most`. A line is encoded as the states of its automaton before each cell: exactly one state, which follows from the state before and
/// the cell.
fn count_by_sat(clues: &Clues, most: usize) -> Option<usize> {
    let mut solver = BasicSolver::default();
    let (height, width) = (clues.rows.len(), clues.columns.len());
    let cells: Vec<Vec<Var>> = (0..height)
        .map(|_| (0..width).map(|_| solver.new_var_default()).collect())
        .collect();
    for (row, clue) in clues.rows.iter().enumerate() {
        encode(&mut solver, clue, &cells[row]);
    }
    for (column, clue) in clues.columns.iter().enumerate() {
        let line: Vec<Var> = cells.iter().map(|row| row[column]).collect();
        encode(&mut solver, clue, &line);
    }
    for found in 0..=most {
        if solver.solve_limited(&[]) == lbool::FALSE {
            return Some(found);
        }
        let blocking = cells.iter().flatten();
        let mut blocking: Vec<Lit> = blocking
            .map(|&cell| Lit::new(cell, solver.value_var(cell) != lbool::TRUE))
            .collect();
        solver.add_clause_reuse(&mut blocking);
    }
    None
}

/// Adds the clauses of a line.
fn encode(solver: &mut BasicSolver, clue: &[usize], line: &[Var]) {
    // The states are the cells of the arrangement that begins at the edge and has gaps of one cell: `pattern[state]` is whether the next
    // cell must be filled. The last state takes empty cells alone.
    let mut pattern = Vec::new();
    for (i, &length) in clue.iter().enumerate() {
        // Before a block any number of empty cells may stand; the first cell of the block goes on to the next state.
        pattern.extend([0].into_iter().chain((1..length).map(|_| 1)));
        if i + 1 < clue.len() {
            pattern.push(2);
        }
    }
    pattern.push(3);
    let after = |state: usize, filled: bool| match (pattern[state], filled) {
        (0 | 3, false) => Some(state),
        (0 | 1, true) | (2, false) => Some(state + 1),
        _ => None,
    };
    let states: Vec<Vec<Var>> = (0..=line.len())
        .map(|_| pattern.iter().map(|_| solver.new_var_default()).collect())
        .collect();
    let mut add = |literals: &[Lit]| {
        solver.add_clause_reuse(&mut literals.to_vec());
    };
    for (place, here) in states.iter().enumerate() {
        for (state, &var) in here.iter().enumerate() {
            if place == 0 {
                add(&[Lit::new(var, state == 0)]);
            }
            if place == line.len() {
                add(&[Lit::new(var, state + 1 == pattern.len())]);
                continue;
            }
            for filled in [false, true] {
                let unless = [Lit::new(var, false), Lit::new(line[place], !filled)];
                match after(state, filled) {
                    None => add(&unless),
                    Some(next) => add(&[
                        unless[0],
                        unless[1],
                        Lit::new(states[place + 1][next], true),
                    ]),
                }
            }
            for &other in &here[..state] {
                add(&[Lit::new(var, false), Lit::new(other, false)]);
            }
        }
    }
}

/// The same puzzle in other positions, and with empty lines at its borders. All have the same number of solutions.
fn images(puzzle: &Puzzle, random: &mut Random) -> Vec<Puzzle> {
    let (rows, columns) = (puzzle.rows().to_vec(), puzzle.columns().to_vec());
    let reversed = |clues: &[Clue]| -> Vec<Clue> {
        let clue = |clue: &Clue| Clue::new(clue.lengths().rev()).unwrap();
        clues.iter().map(clue).collect()
    };
    let upside_down = |clues: &[Clue]| clues.iter().rev().cloned().collect::<Vec<_>>();
    let mut with_empty_lines = (rows.clone(), columns.clone());
    for clues in [&mut with_empty_lines.0, &mut with_empty_lines.1] {
        for _ in 0..2 {
            let at = [0, clues.len()][random.below(2)];
            clues.insert(at, Clue::new([]).unwrap());
        }
    }
    let images = [
        (columns.clone(), rows.clone()),
        (upside_down(&rows), reversed(&columns)),
        (reversed(&rows), upside_down(&columns)),
        (upside_down(&columns), reversed(&rows)),
        with_empty_lines,
    ];
    let images = images.into_iter();
    images
        .map(|(rows, columns)| Puzzle::new(rows, columns).unwrap())
        .collect()
}

/// Options of the search with each heuristic switched off or at its limit.
fn heuristics() -> Vec<Options> {
    let with = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options
    };
    vec![
        Options::default(),
        with(|options| options.probing = Probing::Always),
        with(|options| options.probing = Probing::Root),
        with(|options| options.probing = Probing::Never),
        with(|options| options.regions = false),
        with(|options| options.subproblem_cache = false),
        with(|options| options.stretch_solutions = 1),
        with(|options| options.probing_settles = 1),
        with(|options| options.fewest_cells_to_split = 2),
        with(|options| options.region_bytes = 0),
        with(|options| options.settles_per_poll = 1),
        with(|options| options.batch_leaves = 1),
        with(|options| options.batch_cells = 1),
        with(|options| options.sat_after_settles = None),
        eager(),
    ]
}

/// Every way in which the engine counts this puzzle gives this number.
fn check_engine(puzzle: &Puzzle, number: u128, random: &mut Random) {
    let wanted = Total::Exactly(number.to_string().parse::<Count>().unwrap());
    for options in heuristics() {
        let outcome = Search::new(puzzle).options(options.clone()).count();
        assert_eq!(outcome.solutions, wanted, "{options:?} {puzzle:?}");
    }
    for method in METHODS {
        for options in [omnogram::count::Options::default(), restless()] {
            let counter = Counter::new(puzzle).method(method).options(options.clone());
            assert_eq!(
                counter.run().solutions,
                wanted,
                "{method:?} {options:?} {puzzle:?}"
            );
        }
    }
    let (_, outcome) = Counter::new(puzzle).graph();
    assert_eq!(outcome.solutions, wanted, "graph {puzzle:?}");
    for image in images(puzzle, random) {
        let counted = Counter::new(&image).run().solutions;
        assert_eq!(counted, wanted, "{image:?} is an image of {puzzle:?}");
        let (verdict, ..) = Search::new(&image).check();
        assert_eq!(
            verdict,
            wanted.verdict(),
            "{image:?} is an image of {puzzle:?}"
        );
    }
}

#[test]
fn small_puzzles_by_every_road() {
    let mut random = Random(2026);
    for round in 0..rounds(1500) {
        let (width, height) = random.size(1, 5);
        let density = 0.2 + 0.6 * random.below(100) as f64 / 100.0;
        let puzzle = random.puzzle_or_mixed(round % 3 == 0, width, height, density);
        let clues = Clues::of(&puzzle);
        let number = brute_force(&puzzle).len();
        assert_eq!(count_by_rows(&clues), number as u128, "{puzzle:?}");
        assert_eq!(count_by_sat(&clues, number), Some(number), "{puzzle:?}");
        for algorithm in [Algorithm::BacktrackingPrefix, Algorithm::Bitwise] {
            let search = ClassicSearch::new(&puzzle, Classic::new(algorithm));
            let wanted = Total::Exactly(Count::from(number as u64));
            assert_eq!(search.count().solutions, wanted, "{algorithm:?} {puzzle:?}");
        }
        check_engine(&puzzle, number as u128, &mut random);
    }
}

#[test]
fn larger_puzzles_by_rows_and_by_clauses() {
    let mut random = Random(1126);
    for round in 0..rounds(360) {
        let (width, height) = (5 + random.below(5), 5 + random.below(8));
        let density = 0.3 + 0.4 * random.below(100) as f64 / 100.0;
        let puzzle = random.puzzle_or_mixed(round % 5 == 0, width, height, density);
        let clues = Clues::of(&puzzle);
        let number = count_by_rows(&clues);
        if let Some(found) = count_by_sat(&clues, 300) {
            assert_eq!(found as u128, number, "{puzzle:?}");
        } else {
            assert!(number > 300, "{puzzle:?}");
        }
        check_engine(&puzzle, number, &mut random);
    }
}

/// More puzzles in less time: each is counted row by row, and by one way of the engine, in turn.
#[test]
fn many_puzzles_by_one_way_each() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let ways = heuristics();
    let count = |seed: u64, rounds: usize| {
        let mut random = Random(seed);
        for round in 0..rounds {
            let (width, height) = random.size(1, 6);
            let density = 0.2 + 0.6 * random.below(100) as f64 / 100.0;
            let puzzle = random.puzzle_or_mixed(round % 3 == 0, width, height, density);
            let number = count_by_rows(&Clues::of(&puzzle));
            let wanted = Total::Exactly(number.to_string().parse::<Count>().unwrap());
            let way = random.below(ways.len() + METHODS.len() + 2);
            let counted = if let Some(options) = ways.get(way) {
                let search = Search::new(&puzzle).options(options.clone());
                search.count().solutions
            } else if let Some(&method) = METHODS.get(way - ways.len()) {
                Counter::new(&puzzle).method(method).run().solutions
            } else if way == ways.len() + METHODS.len() {
                let counter = Counter::new(&puzzle).method(METHODS[random.below(4)]);
                counter.options(restless()).run().solutions
            } else {
                let (verdict, ..) = Search::new(&puzzle).check();
                assert_eq!(verdict, wanted.verdict(), "{puzzle:?}");
                continue;
            };
            assert_eq!(counted, wanted, "{way} {puzzle:?}");
        }
    };
    let rounds = rounds(20_000).div_ceil(cores);
    std::thread::scope(|scope| {
        for seed in 0..cores as u64 {
            // A pool of one thread has no work to hand over, which takes longer than such a puzzle.
            let count = &count;
            scope.spawn(move || on_threads(1, || count(seed, rounds)));
        }
    });
}

/// The known answers of the puzzles that a count by rows can do.
#[test]
fn known_puzzles_by_rows() {
    let mut counted = 0;
    for known in corpus::answers() {
        let clues = Clues::of(&known.puzzle);
        let narrow = if clues.columns.len() <= clues.rows.len() {
            clues
        } else {
            Clues {
                rows: clues.columns,
                columns: clues.rows,
            }
        };
        if narrow.columns.len() > 9 {
            continue;
        }
        let found = count_by_rows(&narrow).to_string();
        assert_eq!(found, known.solutions, "{}", known.name);
        counted += 1;
    }
    assert!(counted > 10, "{counted}");
}
