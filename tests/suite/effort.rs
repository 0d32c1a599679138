//! What a count costs: its number, nodes, settles and so on are those in `tests/effort/`. On one thread a count repeats exactly, so every
//! change of what it does shows here, also where the number of solutions stays right: where it branches, a slice, a forecast or a limit.
//!
//! A change that is meant is accepted with `OMNOGRAM_EFFORT=overwrite cargo test --release --test suite effort::`, and the difference of
//! these files then shows to the reviewer what became cheaper and what became dearer.

use crate::common::{
    METHODS, Random, beside, corpus, on_threads, permutation, recorded, restless, switches,
};
use omnogram::count::{Counter, Method, Options};
use omnogram::puzzle::Puzzle;
use omnogram::search::{Limits, Outcome};

/// Slices so short that a puzzle of the tests takes several of them.
fn short_slices() -> Options {
    let mut options = Options::default();
    options.slice_ns = 30_000;
    options.max_probing_settles = 200;
    options
}

/// Random pictures of these sizes and densities; with the same seed always the same.
fn random(seed: u64, kinds: &[(usize, usize, f64)]) -> Vec<(String, Puzzle)> {
    let puzzle = |&(width, height, density): &(usize, usize, f64)| {
        let name = format!("random {width}x{height} {density} {seed}");
        (name, Random(seed).puzzle(width, height, density))
    };
    kinds.iter().map(puzzle).collect()
}

fn of_corpus(names: &[&str]) -> Vec<(String, Puzzle)> {
    names
        .iter()
        .map(|&name| (name.to_owned(), corpus::read(name)))
        .collect()
}

fn facts(outcome: &Outcome) -> String {
    let statistics = &outcome.statistics;
    let stopped = match outcome.stopped {
        Some(stop) => format!(" {stop:?}"),
        None => String::new(),
    };
    format!(
        "{}{stopped}; nodes {} leaves {} dead_ends {} splits {} probes {} settles {} conflicts {}",
        outcome.solutions,
        statistics.nodes,
        statistics.leaves,
        statistics.dead_ends,
        statistics.splits,
        statistics.probes,
        statistics.settles,
        statistics.conflicts,
    )
}

/// The facts of one puzzle: by every method, with several options, stopped by limits, and of the solution graph.
fn lines(name: &str, puzzle: &Puzzle) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |what: &str, facts: String| lines.push(format!("{name}, {what}: {facts}\n"));
    for (habit, options) in [
        ("usual", Options::default()),
        ("restless", restless()),
        ("short", short_slices()),
    ] {
        for method in METHODS {
            // The tree has no options.
            if method != Method::Tree || habit == "usual" {
                let counter = Counter::new(puzzle).method(method).options(options.clone());
                add(&format!("{method:?} {habit}"), facts(&counter.run()));
            }
        }
    }
    let counter = Counter::new(puzzle).options(short_slices());
    let limits = Limits::default().memory(1 << 20);
    add("1 MiB", facts(&counter.clone().limits(limits).run()));
    for nodes in [1, 30, 300] {
        let limits = Limits::default().nodes(Some(nodes));
        add(
            &format!("{nodes} nodes"),
            facts(&counter.clone().limits(limits).run()),
        );
    }
    let (graph, outcome) = counter.graph();
    let graph = graph.expect("no limit");
    let size = format!(
        "graph {} nodes {} edges {} bytes; ",
        graph.nodes(),
        graph.edges(),
        graph.bytes()
    );
    add("graph", size + &facts(&outcome));
    lines
}

/// Compares the facts of these puzzles with a file.
fn check(puzzles: &[(String, Puzzle)], file: &str) {
    let is = on_threads(1, || -> String {
        puzzles
            .iter()
            .flat_map(|(name, puzzle)| lines(name, puzzle))
            .collect()
    });
    recorded::compare(
        &is,
        &format!("tests/effort/{file}"),
        "OMNOGRAM_EFFORT",
        "effort",
    );
}

#[test]
fn small_counts_cost_what_is_recorded() {
    let mut puzzles = random(2, &[(9, 9, 0.3), (12, 10, 0.3), (20, 20, 0.5)]);
    puzzles.extend(random(3, &[(9, 9, 0.3), (12, 10, 0.3), (20, 20, 0.5)]));
    puzzles.extend(of_corpus(&[
        "hard/no-solution-deep-12x12.non",
        "hard/unique-20x20-seed-2114.non",
        "pictures/harbour.non",
        "pictures/moonlit-bay.non",
    ]));
    puzzles.push(("permutation 6".to_owned(), permutation(6)));
    puzzles.push(("switches 6".to_owned(), switches(6)));
    let mut random = Random(2);
    let two = beside(&random.puzzle(8, 8, 0.3), &random.puzzle(8, 7, 0.35));
    puzzles.push(("two beside".to_owned(), two));
    check(&puzzles, "small.txt");
}

#[test]
fn larger_counts_cost_what_is_recorded() {
    let mut puzzles = random(
        4,
        &[(12, 12, 0.3), (13, 13, 0.4), (70, 6, 0.4), (3, 130, 0.4)],
    );
    puzzles.extend(random(5, &[(12, 12, 0.3), (13, 13, 0.4)]));
    puzzles.extend(of_corpus(&[
        "hard/random-25x25-density-0.5-seed-2.non",
        "hard/random-12x12-density-0.35-seed-3.non",
    ]));
    check(&puzzles, "larger.txt");
}
