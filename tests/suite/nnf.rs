//! The graph of solutions as a file, held against the engine by a reader that shares nothing with the library.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::Duration;

use crate::common::command::{
    Scratch, answer, assert_printed, ended, omnogram, output, stderr, stdout,
};
use crate::common::corpus::{self, KnownPuzzle};
use crate::common::{Random, beside, on_threads, permutation, switches};
use num_bigint::BigUint;
use omnogram::count::Counter;
use omnogram::graph::{Builder, CellFate, Edge, Nnf, SolutionGraph};
use omnogram::puzzle::{Cell, Grid, Puzzle};
use omnogram::search::{Cube, Decision, Limits, Search};
use omnogram::solutions::Stop;

const KEY: &str = "puzzles/pictures/key.non";

/// A formula as its file says it.
struct Formula {
    kinds: Vec<char>,
    /// Of each node, where its edges lead to, and their literals.
    edges: Vec<Vec<(usize, Vec<i64>)>>,
    /// Nodes, each after all that it leads to.
    order: Vec<usize>,
}

impl Formula {
    /// Reads a text, which must be in the format to the letter.
    fn read(text: &str) -> Formula {
        assert!(text.ends_with(" 0\n"));
        let (mut kinds, mut edges) = (Vec::new(), Vec::<Vec<(usize, Vec<i64>)>>::new());
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words.last(), Some(&"0"), "{line}");
            if let "o" | "a" | "t" | "f" = words[0] {
                kinds.push(words[0].chars().next().unwrap());
                edges.push(Vec::new());
                assert_eq!(words[1..], [&*kinds.len().to_string(), "0"], "{line}");
                continue;
            }
            let numbers: Vec<i64> = words.iter().map(|word| word.parse().unwrap()).collect();
            let (from, to) = (numbers[0] as usize - 1, numbers[1] as usize - 1);
            assert!(from.max(to) < kinds.len(), "its nodes stand above: {line}");
            assert!(kinds[from] == 'o' || kinds[from] == 'a', "{line}");
            let literals = numbers[2..numbers.len() - 1].to_vec();
            assert!(!literals.contains(&0), "{line}");
            edges[from].push((to, literals));
        }
        let number = |kind: char| kinds.iter().filter(|&&other| other == kind).count();
        assert_eq!((kinds[0], number('t') + number('f')), ('o', 1), "{text}");
        // Depth first; a node that is met again before it is left would be a circle.
        let (mut order, mut state) = (Vec::new(), vec![0u8; kinds.len()]);
        let mut stack = vec![(0, 0)];
        state[0] = 1;
        while let Some((node, next)) = stack.last_mut() {
            match edges[*node].get(*next) {
                Some(&(to, _)) => {
                    *next += 1;
                    assert_ne!(state[to], 1, "a circle");
                    if state[to] == 0 {
                        state[to] = 1;
                        stack.push((to, 0));
                    }
                }
                None => {
                    state[*node] = 2;
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        assert_eq!(order.len(), kinds.len(), "the root leads to every node");
        Formula {
            kinds,
            edges,
            order,
        }
    }

    /// Models in which these variables have these values.
    fn count(&self, fixed: &HashMap<u64, bool>) -> BigUint {
        let mut counts = vec![BigUint::ZERO; self.kinds.len()];
        for &node in &self.order {
            let along = |(to, literals): &(usize, Vec<i64>)| {
                let holds = |literal: &i64| {
                    let value = fixed.get(&literal.unsigned_abs());
                    value.is_none_or(|&value| value == (*literal > 0))
                };
                if literals.iter().all(holds) {
                    counts[*to].clone()
                } else {
                    BigUint::ZERO
                }
            };
            let edges = self.edges[node].iter();
            counts[node] = match self.kinds[node] {
                'o' => edges.map(along).sum(),
                'a' => edges.map(along).product(),
                kind => BigUint::from(u8::from(kind == 't')),
            };
        }
        counts.swap_remove(0)
    }

    /// No two children of an and-node share a variable, all children of an or-node have the same ones, and differ in one. The root has all.
    fn is_smooth_and_decides(&self, variables: u64) {
        let mut below: Vec<HashSet<u64>> = vec![HashSet::new(); self.kinds.len()];
        for &node in &self.order {
            let mut all: Vec<HashSet<u64>> = Vec::new();
            for (to, literals) in &self.edges[node] {
                let mut here = below[*to].clone();
                for literal in literals {
                    assert!(here.insert(literal.unsigned_abs()), "twice on one way");
                }
                all.push(here);
            }
            match self.kinds[node] {
                'o' => {
                    assert!(all.windows(2).all(|two| two[0] == two[1]), "smooth");
                    for (i, (_, a)) in self.edges[node].iter().enumerate() {
                        for (_, b) in &self.edges[node][..i] {
                            assert!(a.iter().any(|literal| b.contains(&-literal)), "decided");
                        }
                    }
                    below[node] = all.swap_remove(0);
                }
                'a' => {
                    assert!(all.len() > 1);
                    for child in all {
                        assert!(below[node].is_disjoint(&child), "decomposable");
                        below[node].extend(child);
                    }
                }
                _ => assert!(all.is_empty()),
            }
        }
        assert_eq!(below[0], (1..=variables).collect());
    }

    /// Every model as it is come by, as the variables that hold; for a few.
    fn models(&self) -> Vec<Vec<i64>> {
        let mut models: Vec<Vec<Vec<i64>>> = vec![Vec::new(); self.kinds.len()];
        for &node in &self.order {
            let along = |(to, literals): &(usize, Vec<i64>)| {
                let more = |model: &Vec<i64>| [&model[..], literals].concat();
                models[*to].iter().map(more).collect::<Vec<_>>()
            };
            let edges = self.edges[node].iter().map(along);
            models[node] = match self.kinds[node] {
                'o' => edges.flatten().collect(),
                'a' => edges.fold(vec![Vec::new()], |product, child| {
                    let pairs = product
                        .iter()
                        .flat_map(|a| child.iter().map(move |b| (a, b)));
                    pairs.map(|(a, b)| [&a[..], b].concat()).collect()
                }),
                't' => vec![Vec::new()],
                _ => Vec::new(),
            };
        }
        let mut all = models.swap_remove(0);
        for model in &mut all {
            model.retain(|&literal| literal > 0);
            model.sort_unstable();
        }
        all.sort_unstable();
        all
    }
}

fn space(puzzle: &Puzzle) -> SolutionGraph {
    let (space, outcome) = Counter::new(puzzle).graph();
    assert!(outcome.is_complete());
    space.expect("nothing stops it")
}

fn written(space: &SolutionGraph) -> (String, Nnf) {
    let mut text = Vec::new();
    let size = space.write_nnf(&Limits::default(), |piece| {
        text.extend_from_slice(piece);
        true
    });
    (String::from_utf8(text).unwrap(), size.unwrap())
}

/// The same numbers as the engine's, of all solutions and under ten conditions.
fn agrees(puzzle: &Puzzle, space: &SolutionGraph, random: &mut Random) -> Formula {
    let (text, size) = written(space);
    let formula = Formula::read(&text);
    let edges: usize = formula.edges.iter().map(Vec::len).sum();
    assert_eq!(size.nodes, formula.kinds.len() as u64);
    assert_eq!(size.edges, edges as u64);
    let all = Counter::new(puzzle).run().solutions;
    assert!(all.is_exact());
    assert_eq!(
        formula.count(&HashMap::new()).to_string(),
        all.number().to_string()
    );
    let (width, height) = (puzzle.width(), puzzle.height());
    // What holds in one solution, now and then changed: nothing and everything are rare.
    let sample = space.samples(random.next()).next();
    for _ in 0..10 {
        let mut fixed = HashMap::new();
        for _ in 0..1 + random.below(4) {
            let cell = random.below(width * height);
            let there = sample
                .as_ref()
                .map(|grid| grid.get(cell / width, cell % width));
            let filled = there.filter(|_| random.chance(0.8));
            fixed.insert(cell as u64 + 1, filled.unwrap_or(random.chance(0.5)));
        }
        let decision = |(&variable, &filled): (&u64, &bool)| {
            let cell = variable as usize - 1;
            let cell = Cell::new(cell / width, cell % width);
            Decision { cell, filled }
        };
        let path = fixed.iter().map(decision).collect();
        let there = Counter::new(puzzle).within(Cube { path }).run().solutions;
        assert!(there.is_exact());
        assert_eq!(
            formula.count(&fixed).to_string(),
            there.number().to_string(),
            "{fixed:?} {puzzle:?}"
        );
    }
    if text.len() < 1 << 20 && !space.count().is_zero() {
        formula.is_smooth_and_decides((width * height) as u64);
    }
    formula
}

/// Every solution is a model, once.
fn lists(puzzle: &Puzzle, formula: &Formula) {
    let (solutions, _) = Search::new(puzzle).single_threaded().collect();
    let filled = |grid: &Grid| -> Vec<i64> {
        let width = puzzle.width();
        let filled = |&cell: &usize| grid.get(cell / width, cell % width);
        let cells = (0..width * puzzle.height()).filter(filled);
        cells.map(|cell| cell as i64 + 1).collect()
    };
    let mut wanted: Vec<Vec<i64>> = solutions.iter().map(filled).collect();
    wanted.sort_unstable();
    assert_eq!(formula.models(), wanted);
}

#[test]
fn random_puzzles_have_the_same_models_as_solutions() {
    let mut random = Random(11);
    let mut several = 0;
    for i in 0..300 {
        let puzzle = random.sized_puzzle(3, 7, 0.1 + 0.05 * (i % 10) as f64);
        let space = space(&puzzle);
        let formula = agrees(&puzzle, &space, &mut random);
        several += usize::from(space.count() > &2u64.into());
        if space.count() < &2000u64.into() {
            lists(&puzzle, &formula);
        }
    }
    assert!(several > 60, "{several}");
}

/// Equal regions in several places are one node of the graph, and several of the formula.
#[test]
fn regions_that_lie_in_several_places_are_written_for_each() {
    let mut random = Random(12);
    for (puzzle, more) in [
        (switches(40), 20),
        (permutation(7), 1),
        (
            beside(&permutation(4), &beside(&permutation(4), &permutation(3))),
            1,
        ),
    ] {
        let space = space(&puzzle);
        let formula = agrees(&puzzle, &space, &mut random);
        let (nodes, written) = (space.nodes(), formula.kinds.len());
        assert!(written > more * nodes, "{written} for {nodes}");
    }
    for puzzle in [
        permutation(3),
        switches(5),
        random.puzzle(12, 12, 0.35),
        random.puzzle(13, 14, 0.4),
    ] {
        let space = space(&puzzle);
        let formula = agrees(&puzzle, &space, &mut random);
        if space.count() < &10_000u64.into() {
            lists(&puzzle, &formula);
        }
    }
}

#[test]
fn puzzles_of_the_corpus_have_the_same_numbers() {
    let mut random = Random(13);
    let mut tried = 0;
    for KnownPuzzle { puzzle, .. } in corpus::answers() {
        if puzzle.width() * puzzle.height() > 1300 {
            continue;
        }
        let limits = Limits::default().nodes(2_000);
        let counting = Counter::new(&puzzle).limits(limits);
        let Some(space) = on_threads(1, || counting.graph().0) else {
            continue;
        };
        let mut length = 0;
        let short = space.write_nnf(&Limits::default(), |piece| {
            length += piece.len();
            length < 1 << 20
        });
        if short.is_ok() {
            agrees(&puzzle, &space, &mut random);
            tried += 1;
        }
    }
    println!("{tried} puzzles");
    assert!(tried > 50, "{tried}");
}

#[test]
fn without_solutions_it_is_false_and_with_one_it_is_a_conjunction() {
    let none = crate::common::puzzle(&[&[1], &[1]], &[&[2], &[1]]);
    let (text, size) = written(&space(&none));
    assert_eq!(
        (text.as_str(), size.nodes, size.edges),
        ("o 1 0\nf 2 0\n1 2 0\n", 2, 1)
    );
    agrees(&none, &SolutionGraph::unsatisfiable(2, 2), &mut Random(1));
    let one = crate::common::puzzle(&[&[2], &[1]], &[&[2], &[1]]);
    let (text, _) = written(&space(&one));
    assert_eq!(text, "o 1 0\nt 2 0\n1 2 1 2 3 -4 0\n");
}

/// A graph that was built by hand may have nodes with more edges than two, and nodes of which no cell is left open.
#[test]
fn a_graph_of_any_shape() {
    let way = |filled: usize| Edge::new((0..3).map(|cell| (cell == filled).into()), vec![]);
    let mut builder = Builder::new();
    let one = builder.add_node((0..3).map(way).collect());
    let (a, b) = (CellFate::Child(0), CellFate::Child(1));
    let both = Edge::new([a, b, CellFate::Filled, b, a, b, a], vec![one, one]);
    let neither = Edge::new([CellFate::Empty; 7], vec![]);
    let node = builder.add_node(vec![both, neither]);
    let cells = |row| (0..7).map(|column| Cell::new(row, column)).collect();
    let known = Grid::from_rows(&["........", "........", ".#.#.#.#"]).unwrap();
    let space = builder.finish(&known, vec![(node, cells(0)), (node, cells(1))]);
    let (text, _) = written(&space);
    let formula = Formula::read(&text);
    formula.is_smooth_and_decides(24);
    assert_eq!(formula.count(&HashMap::new()), BigUint::from(100u8));
    let fixed = [(3, true), (1, true), (22, false)].into();
    assert_eq!(formula.count(&fixed), BigUint::ZERO);
    let fixed = [(3, true), (1, true), (24, true)].into();
    assert_eq!(formula.count(&fixed), BigUint::from(30u8));
}

#[test]
fn limits_stop_it() {
    let space = space(&permutation(9));
    let (text, _) = written(&space);
    let stopped = |limits: Limits| space.write_nnf(&limits, |_| true).unwrap_err();
    let memory = |more: u64| Limits::default().memory(space.bytes() + more);
    assert_eq!(stopped(memory(0)), Stop::Memory);
    assert_eq!(stopped(memory(1 << 17)), Stop::Memory);
    assert!(space.write_nnf(&memory(1 << 22), |_| true).is_ok());
    let time = Limits::default().time(Duration::ZERO);
    assert_eq!(stopped(time), Stop::Time);
    let interrupt = Limits::default().interrupt(std::sync::Arc::new(true.into()));
    assert_eq!(stopped(interrupt), Stop::Interrupt);
    for checks in [0, 1, 10, 1000] {
        let checks = Limits::default().checks(checks);
        assert_eq!(stopped(checks), Stop::Interrupt);
    }
    let mut length = 0;
    let closed = space.write_nnf(&Limits::default(), |piece| {
        length += piece.len();
        2 * length < text.len()
    });
    assert_eq!(closed, Err(Stop::Closed));
    assert!(
        2 * length < text.len() + (1 << 18),
        "{length} of {}",
        text.len()
    );
}

#[test]
fn count_writes_the_graph_beside_its_answer() {
    let scratch = Scratch::new("graph");
    let file = scratch.file("key.nnf");
    let plain = ["count", "-j1", KEY];
    let with = |more: &[&str]| {
        output(&[&["count", "-j1", "--force", "--graph", &file, KEY], more].concat())
    };
    let done = with(&[]);
    assert_printed(&done, 0, "5\n");
    let text = fs::read_to_string(&file).unwrap();
    let formula = Formula::read(&text);
    assert_eq!(formula.count(&HashMap::new()), BigUint::from(5u8));
    let edges: usize = formula.edges.iter().map(Vec::len).sum();
    let nodes = formula.kinds.len();
    assert_eq!(
        stderr(&done),
        format!("{KEY}: graph of {nodes} nodes and {edges} edges\n")
    );
    assert_eq!(stderr(&with(&["-q"])), "");
    // One graph serves both.
    let done = with(&["--cells"]);
    let cells = answer(&[&plain[..], &["--cells"]].concat());
    assert_eq!(stdout(&done).trim_end(), cells);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // The same fields, of which some differ from run to run.
    let fields = |text: &str| {
        let mut answer: serde_json::Value = serde_json::from_str(text).unwrap();
        for field in ["seconds", "nodes", "statistics"] {
            answer[field] = serde_json::Value::Null;
        }
        answer.to_string()
    };
    let done = with(&["--json"]);
    let json = answer(&[&plain[..], &["--json"]].concat());
    assert_eq!(fields(stdout(&done)), fields(&json));
    let none = "puzzles/hard/no-solution-sums.non";
    assert_eq!(
        answer(&["count", "-q", "--force", "--graph", &file, none]),
        "0"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "o 1 0\nf 2 0\n1 2 0\n");
}

#[test]
fn a_graph_has_a_file_of_its_own() {
    let scratch = Scratch::new("graph-errors");
    let file = scratch.file("graph.nnf");
    let said = |arguments: &[&str]| {
        let done = output(&[&["count"], arguments].concat());
        (
            done.status.code().unwrap(),
            stdout(&done).to_owned(),
            stderr(&done).to_owned(),
        )
    };
    let nothing =
        |status: i32, message: &str| (status, String::new(), format!("error: {message}\n"));
    assert_eq!(
        said(&["--graph", &file, "puzzles/known"]),
        nothing(
            2,
            "--graph writes the graph of one puzzle, and there are several"
        )
    );
    assert_eq!(
        said(&["--graph", "-", KEY]),
        nothing(
            2,
            "--graph writes to a file, as standard output is for the number"
        )
    );
    assert_eq!(
        said(&["--graph", &scratch.display().to_string(), KEY]).0,
        74
    );
    assert_eq!(said(&["--graph", &scratch.file("no/where"), KEY]).0, 74);
    for other in [
        &["--method", "tree"][..],
        &["--estimate"],
        &["--journal", "x"],
    ] {
        assert_eq!(said(&[&["--graph", &file, KEY], other].concat()).0, 2);
    }
    #[cfg(target_os = "linux")]
    {
        let (status, answer, error) = said(&["--graph", "/dev/full", KEY]);
        assert_eq!((status, answer.as_str()), (74, "5\n"));
        assert!(
            error.starts_with("error: /dev/full: no space left on device"),
            "{error}"
        );
    }
    assert_eq!(fs::read_dir(&*scratch).unwrap().count(), 0);
}

/// Whatever stops it, the file of an earlier run is still there, and half a file is not.
#[test]
fn a_graph_that_is_stopped_leaves_no_file() {
    let scratch = Scratch::new("graph-stopped");
    let [file, old] = scratch.files(["graph.nnf", "old.nnf"]);
    fs::write(&old, "old\n").unwrap();
    let puzzle = "puzzles/families/permutation-20.non";
    for (limit, why) in [
        (["--memory", "24M"], "stopped by --memory 24M"),
        (["--time", "700ms"], "stopped by --time 700ms"),
    ] {
        for file in [&file, &old] {
            let done = ended(
                3,
                &[&["count", "-f", "--graph", file, puzzle], &limit[..]].concat(),
            );
            assert!(stderr(&done).contains(why), "{done:?}");
            assert!(
                stderr(&done).contains(": no graph is written, as it is incomplete\n"),
                "{done:?}"
            );
        }
    }
    let mut child = omnogram(&["count", "--graph", &file, puzzle])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    #[cfg(unix)]
    crate::common::command::interrupt(&child);
    #[cfg(not(unix))]
    child.kill().unwrap();
    let status = crate::common::command::ends(&mut child);
    assert!(status == Some(3) || cfg!(not(unix)), "{status:?}");
    assert_eq!(fs::read_to_string(&old).unwrap(), "old\n");
    let there = fs::read_dir(&*scratch).unwrap();
    let there: Vec<_> = there.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there, ["old.nnf"]);
}
