//! Certificates of small puzzles, whatever is in their texts: what is accepted must be true.
#![allow(dead_code, reason = "each user takes its share")]

use std::sync::OnceLock;

use omnogram::certificate::{Bounds, Formula, Lemmas, Refuted, check_formula, check_refutation};
use omnogram::graph::SolutionGraph;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::sat::{Claim, LemmaFinder, Refutation, write_refutation};
use omnogram::{Counter, Limits};

use super::brute::brute_force;

/// A puzzle, its solutions, and lemmas that hold in all of them.
struct Known {
    puzzle: Puzzle,
    solutions: Vec<Grid>,
    lemmas: Lemmas,
}

/// The lengths of the blocks of some lines.
type Lengths = &'static [&'static [usize]];

/// The clues of the puzzles: without a solution, with one, with two, with 24, and of a few regions.
const CLUES: [(Lengths, Lengths); 5] = [
    (&[&[1], &[1]], &[&[2], &[]]),
    (&[&[2], &[1, 1], &[4]], &[&[2], &[1, 1], &[1, 1], &[2]]),
    (&[&[1], &[1]], &[&[1], &[1]]),
    (&[&[1], &[1], &[1], &[1]], &[&[1], &[1], &[1], &[1]]),
    (
        &[&[1, 1], &[1, 1], &[3], &[1]],
        &[&[1, 1], &[1], &[2], &[1], &[2]],
    ),
];

fn known() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let known = |(rows, columns): (Lengths, Lengths)| {
            let puzzle = Puzzle::from_clues(rows, columns).unwrap();
            Known {
                solutions: brute_force(&puzzle),
                lemmas: texts(&puzzle).3,
                puzzle,
            }
        };
        CLUES.into_iter().map(known).collect()
    })
}

/// What the bytes prove of a puzzle must be true. The first byte gives the puzzle and the kind of proof; the others are a graph, or the
/// clauses and the steps of a refutation with a line `=` between.
pub(crate) fn any(bytes: &[u8]) {
    let Some((&head, text)) = bytes.split_first() else {
        return;
    };
    let puzzles = known();
    let known = &puzzles[usize::from(head) % puzzles.len()];
    let mut bounds = Bounds {
        stop: &mut || false,
        memory: 1 << 26,
    };
    if head >= 128 {
        let mut text = text;
        let cells = known.puzzle.width() * known.puzzle.height();
        let Ok(formula) = Formula::read(&mut text, "x", cells, &mut bounds) else {
            return;
        };
        let mut imply = |holding: &[i32], literal| Ok(known.lemmas.imply(holding, literal));
        if let Ok(checked) = check_formula(&known.puzzle, &formula, &mut imply, &mut bounds) {
            let number = known.solutions.len().to_string();
            assert_eq!(checked.solutions.to_string(), number);
        }
        return;
    }
    let (mut clauses, mut steps) = match text.windows(3).position(|bytes| bytes == b"\n=\n") {
        Some(at) => (&text[..at], &text[at + 3..]),
        None => (text, &b""[..]),
    };
    let texts = (&mut clauses, &mut steps);
    let refuted = check_refutation(&known.puzzle, (texts.0, "x"), (texts.1, "y"), &mut bounds);
    if let Ok(refuted) = refuted {
        assert_true(&refuted, &known.solutions);
    }
}

/// What a refutation has shown is true of these solutions.
pub(crate) fn assert_true(refuted: &Refuted, solutions: &[Grid]) {
    assert!(!refuted.is_unsolvable || solutions.is_empty());
    for lemma in refuted.lemmas.clauses() {
        assert!(solutions.iter().all(|grid| holds(lemma, grid)), "{lemma:?}");
    }
}

/// Whether a clause over cells holds in a grid.
fn holds(clause: &[i32], grid: &Grid) -> bool {
    clause.iter().any(|&literal| {
        let index = literal.unsigned_abs() as usize - 1;
        grid.get(index / grid.width(), index % grid.width()) == (literal > 0)
    })
}

/// A graph of a puzzle as text, and the lemmas that its check needs.
pub(crate) fn graph_and_lemmas(puzzle: &Puzzle, graph: &SolutionGraph) -> (Vec<u8>, Lemmas) {
    let limits = Limits::default();
    let mut text = Vec::new();
    let write = |piece: &[u8]| {
        text.extend_from_slice(piece);
        true
    };
    graph.write_nnf(&limits, write).unwrap();
    let mut finder = LemmaFinder::new(puzzle, &limits).unwrap();
    let mut bounds = Bounds {
        stop: &mut || false,
        memory: 1 << 30,
    };
    let cells = puzzle.width() * puzzle.height();
    let formula = Formula::read(&mut &text[..], "the graph", cells, &mut bounds).unwrap();
    let mut find = |holding: &[i32], literal| Ok(finder.find(holding, literal));
    check_formula(puzzle, &formula, &mut find, &mut bounds).unwrap();
    (text, finder.into_lemmas())
}

/// The clauses, the steps and the graph of a puzzle as the command writes them, as far as it has them, and the lemmas of the graph.
fn texts(puzzle: &Puzzle) -> (Vec<u8>, Vec<u8>, Vec<u8>, Lemmas) {
    let solutions = brute_force(puzzle);
    let limits = Limits::default();
    let (mut graph, mut lemmas) = (Vec::new(), Lemmas::default());
    if !solutions.is_empty() {
        let solution_graph = Counter::new(puzzle).graph().0.expect("nothing stops it");
        (graph, lemmas) = graph_and_lemmas(puzzle, &solution_graph);
    }
    let claim = match &solutions[..] {
        [] => Claim::NoSolution,
        [only] => Claim::OnlySolution(only),
        _ => Claim::Lemmas(&lemmas),
    };
    let (mut clauses, steps) = (Vec::new(), Vec::new());
    if solutions.len() > 1 && lemmas.clauses().is_empty() {
        return (clauses, steps, graph, lemmas);
    }
    let (answer, steps) = write_refutation(puzzle, claim, &limits, &mut clauses, steps).unwrap();
    assert!(matches!(answer, Refutation::Complete));
    (clauses, steps, graph, lemmas)
}

/// The inputs of [`any`] that are proofs: the seeds of the fuzz target.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, (rows, columns)) in (0_u8..).zip(CLUES) {
        let puzzle = Puzzle::from_clues(rows, columns).unwrap();
        let (clauses, steps, graph, _) = texts(&puzzle);
        if !clauses.is_empty() {
            seeds.push([&[number], &clauses[..], b"=\n", &steps].concat());
        }
        if !graph.is_empty() {
            // The least byte from 128 on that means this puzzle.
            let puzzles = CLUES.len() as u8;
            let head = (128..).find(|head| head % puzzles == number).unwrap();
            seeds.push([&[head], &graph[..]].concat());
        }
    }
    seeds
}
