//! The backbone, against all solutions: of random puzzles and of those in `puzzles/`, with every number of threads, stopped anywhere.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::corpus::{self, KnownPuzzle};
use crate::common::{Random, eager, on_threads, permutation, switches};
use omnogram::puzzle::{Clue, Grid, Puzzle};
use omnogram::sat::{Backbone, BackboneResult, BackboneSearch, SatAnswer, SatSolver};
use omnogram::search::{Limits, Options, Outcome, Search, Snapshot, Total, Verdict};
use omnogram::solutions::{Count, Stop};

/// What all these solutions have in common.
fn expected(solutions: &[Grid]) -> Backbone {
    let first = &solutions[0];
    let mut backbone = Backbone::unknown(first.width(), first.height());
    for row in 0..first.height() {
        for column in 0..first.width() {
            let filled = |grid: &&Grid| grid.get(row, column);
            let picture = match solutions.iter().filter(filled).count() {
                0 => &mut backbone.empty,
                all if all == solutions.len() => &mut backbone.filled,
                _ => &mut backbone.ambiguous,
            };
            picture.set(row, column, true);
        }
    }
    backbone
}

/// Does every cell of one picture belong to the other?
fn within(part: &Grid, whole: &Grid) -> bool {
    let mut words = part.words().iter().zip(whole.words());
    words.all(|(part, whole)| part & !whole == 0)
}

/// Is nothing said that is not so, and nothing twice?
fn agrees(part: &Backbone, whole: &Backbone) -> bool {
    let cells = whole.filled.width() * whole.filled.height();
    within(&part.filled, &whole.filled)
        && within(&part.empty, &whole.empty)
        && within(&part.ambiguous, &whole.ambiguous)
        && part.same() + part.differing() + part.undecided() == cells
}

/// Checks a complete answer against all solutions.
fn check(name: &str, answer: &(Backbone, Outcome), solutions: &[Grid]) {
    let (found, outcome) = answer;
    assert_eq!(outcome.stopped, None, "{name}");
    let all = Count::from(solutions.len() as u64);
    match solutions.len() {
        0 | 1 => assert_eq!(outcome.solutions, Total::Exactly(all.clone()), "{name}"),
        _ => assert_eq!(outcome.solutions.verdict(), Verdict::Multiple, "{name}"),
    }
    assert!(outcome.solutions.number() <= &all, "{name}");
    match solutions {
        [] => assert_eq!(found.same() + found.differing(), 0, "{name}"),
        _ => {
            assert_eq!(found, &expected(solutions), "{name}");
            assert!(found.is_complete());
        }
    }
}

#[test]
fn it_is_what_all_solutions_have_in_common() {
    let mut source = Random(11);
    let mut several = 0;
    for round in 0..600 {
        let puzzle = source.any_puzzle(round % 3 == 0, 9);
        let (solutions, outcome) = Search::new(&puzzle).collect();
        assert!(outcome.is_complete());
        several += usize::from(solutions.len() > 2);
        for threads in [1, 3] {
            for options in [Options::default(), eager()] {
                let search = Search::new(&puzzle).options(options);
                let answer = on_threads(threads, || search.backbone());
                check(&format!("round {round}"), &answer, &solutions);
            }
        }
    }
    assert!(several > 40, "{several}");
}

#[test]
fn it_is_that_of_every_puzzle_that_can_be_listed() {
    let mut seen = 0;
    // Lists of a million pictures would only take long.
    let short = |answer: &KnownPuzzle| answer.has_at_most(10_000);
    for KnownPuzzle { name, puzzle, .. } in corpus::answers().into_iter().filter(short) {
        let (solutions, _) = Search::new(&puzzle).collect();
        check(&name, &Search::new(&puzzle).backbone(), &solutions);
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
}

fn found_by(solver: &mut SatSolver, first: &Grid) -> BackboneResult {
    let search = BackboneSearch::new(&Arc::new(first.clone()), &[]);
    search.ask(solver, 1, |_, _| false);
    search.result()
}

#[test]
fn a_learner_alone_finds_it() {
    let mut source = Random(12);
    for round in 0..300 {
        let puzzle = source.any_puzzle(round % 3 == 0, 9);
        let (mut solutions, _) = Search::new(&puzzle).collect();
        let unknown = Grid::new(puzzle.width(), puzzle.height());
        let never = || false;
        let new = || SatSolver::new(&puzzle, &unknown, &unknown, u64::MAX, never);
        let mut solver = new().unwrap();
        let SatAnswer::Solution(first) = solver.solve(None) else {
            assert!(solutions.is_empty());
            continue;
        };
        let found = found_by(&mut solver, &first);
        assert_eq!(found.backbone, expected(&solutions));
        assert!(found.solutions < solutions.len() as u64);
        // Then it knows, and is of use as before.
        for row in 0..first.height() {
            for column in 0..first.width() {
                let known = found.backbone.get(row, column);
                assert_eq!(solver.fixed_cell(row, column), known);
            }
        }
        // Of all solutions but one.
        solver.forbid(&first);
        solutions.retain(|grid| *grid != first);
        match solver.solve(None) {
            SatAnswer::Solution(second) => {
                let found = found_by(&mut solver, &second);
                assert_eq!(found.backbone, expected(&solutions));
            }
            answer => assert_eq!((answer, solutions.len()), (SatAnswer::None, 0)),
        }
    }
}

#[test]
fn stopped_anywhere_it_says_nothing_wrong() {
    let mut source = Random(13);
    for round in 0..60 {
        let puzzle = source.any_puzzle(round % 3 == 0, 9);
        for threads in [1, 3] {
            stopped(&puzzle, threads, (0..30).chain((30..200).step_by(17)));
        }
    }
}

/// What is known by then depends on nothing else where there is one thread.
#[test]
fn stopped_midway_it_says_what_it_knows() {
    let mut partial = 0;
    for puzzle in Random(14).puzzles(20, 10, 10, 0.35) {
        partial += stopped(&puzzle, 1, (0..4000).step_by(101));
    }
    assert!(partial > 20, "{partial}");
}

/// Stops it after each of these numbers of looks at the limits; in how many answers is only a part known?
fn stopped(puzzle: &Puzzle, threads: usize, after: impl Iterator<Item = u64>) -> usize {
    let (solutions, _) = Search::new(puzzle).collect();
    let mut partial = 0;
    for checks in after {
        let limits = Limits::default().checks(checks);
        let search = Search::new(puzzle).options(eager()).limits(limits);
        let answer = on_threads(threads, || search.backbone());
        let (found, outcome) = &answer;
        if outcome.is_complete() {
            check(&format!("after {checks}"), &answer, &solutions);
            continue;
        }
        assert_eq!(outcome.stopped, Some(Stop::Interrupt));
        assert!(!outcome.solutions.is_exact() && outcome.cubes.is_empty());
        assert!(outcome.solutions.number() <= &Count::from(solutions.len() as u64));
        // Of no solutions, everything may be said.
        if !solutions.is_empty() {
            assert!(agrees(found, &expected(&solutions)), "after {checks}");
        }
        partial += usize::from(found.differing() > 0 && !found.is_complete());
    }
    partial
}

#[test]
fn limits_strike() {
    let puzzle = permutation(30);
    let limited = |limits| {
        let search = Search::new(&puzzle).limits(limits);
        on_threads(1, || search.backbone())
    };
    let (found, outcome) = limited(Limits::default().nodes(0));
    assert_eq!(outcome.stopped, Some(Stop::Nodes));
    assert_eq!((found.undecided(), found.differing()), (900, 0));
    // Two solutions take no memory to speak of, clauses do.
    let (found, outcome) = limited(Limits::default().memory(1000));
    assert_eq!(outcome.stopped, Some(Stop::Memory));
    assert!(found.differing() > 0 && found.undecided() > 0);
    // Nobody has ever solved it.
    let one = || Clue::new([1, 1, 2, 1, 3, 1, 1, 2]).unwrap();
    let puzzle = Puzzle::new(vec![one(); 45], vec![one(); 45]).unwrap();
    for threads in [1, 2] {
        let limits = Limits::default().time(Duration::from_millis(300));
        let search = Search::new(&puzzle).limits(limits);
        let (found, outcome) = on_threads(threads, || search.backbone());
        if !outcome.is_complete() {
            assert_eq!(outcome.stopped, Some(Stop::Time));
            assert!(found.undecided() > 0);
        }
        assert!(outcome.elapsed < Duration::from_secs(30), "{outcome:?}");
    }
}

#[test]
fn one_thread_repeats_exactly() {
    for puzzle in Random(14).puzzles(20, 18, 18, 0.4) {
        let run = || {
            on_threads(1, || {
                let (found, outcome) = Search::new(&puzzle).backbone();
                (found, outcome.solutions, outcome.statistics)
            })
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn many_ambiguities_take_few_questions() {
    let puzzle = switches(16);
    let (found, outcome) = Search::new(&puzzle).backbone();
    assert_eq!((found.differing(), found.undecided()), (64, 0));
    // 65,536 of them, and one for each switch is enough.
    assert!(outcome.solutions.number() <= &Count::from(17));
}

#[test]
fn what_is_shown_of_it_grows_to_the_whole() {
    for puzzle in Random(15).puzzles(50, 12, 12, 0.4) {
        let seen = Mutex::new(vec![0.0]);
        let observer = |snapshot: Snapshot| {
            // The race before it has none.
            let share = snapshot.share.into_iter();
            seen.lock().unwrap().extend(share);
        };
        let (_, outcome) = Search::new(&puzzle).observer(&observer).backbone();
        assert!(outcome.is_complete());
        let seen = seen.lock().unwrap();
        assert!(seen.is_sorted());
        assert_eq!(*seen.last().unwrap(), 1.0);
    }
}
