//! Certificates: what is written can be checked, what is changed is refused, and nothing wrong is ever accepted.
//!
//! `OMNOGRAM_ROUNDS=10000` makes 10,000 random puzzles in each test.

use std::fs;
use std::path::Path;

use crate::common::command::{Scratch, assert_refused, ended, output, stderr, stdout};
use crate::common::proofs::{assert_true, graph_and_lemmas};
use crate::common::{
    Random, beside, brute_force, on_threads, permutation, restless, rounds, switches,
};
use omnogram::certificate::{
    Bounds, Checked, Formula, Lemmas, Refuted, check_formula, check_refutation,
};
use omnogram::cluster::seal;
use omnogram::count::Counter;
use omnogram::error::Result;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::sat::{Claim, Refutation, write_refutation};
use omnogram::search::Limits;
use serde_json::json;

/// A small puzzle: of a picture, or of two.
fn random_puzzle(random: &mut Random) -> Puzzle {
    let (width, height) = random.size(1, 7);
    let density = [0.3, 0.5, 0.7][random.below(3)];
    let mixed = random.below(3) == 0;
    random.puzzle_or_mixed(mixed, width, height, density)
}

/// Random puzzles with all their solutions.
fn solved(seed: u64, number: usize) -> impl Iterator<Item = (Puzzle, Vec<Grid>)> {
    let mut random = Random(seed);
    (0..number).map(move |_| {
        let puzzle = random_puzzle(&mut random);
        let solutions = brute_force(&puzzle);
        (puzzle, solutions)
    })
}

/// The clauses and the proof of a claim; `None` if it is wrong.
fn refute(puzzle: &Puzzle, claim: Claim<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut clauses = Vec::new();
    let proof = Vec::new();
    let written = write_refutation(puzzle, claim, &Limits::default(), &mut clauses, proof);
    let (answer, proof) = written.unwrap();
    match answer {
        Refutation::Complete => Some((clauses, proof)),
        Refutation::Wrong => None,
        Refutation::Stopped(stop) => panic!("stopped by {stop}"),
    }
}

fn check(puzzle: &Puzzle, (clauses, proof): (&[u8], &[u8])) -> Result<Refuted> {
    let (mut clauses, mut proof) = (clauses, proof);
    let mut bounds = Bounds {
        stop: &mut || false,
        memory: 1 << 30,
    };
    check_refutation(
        puzzle,
        (&mut clauses, "the clauses"),
        (&mut proof, "the proof"),
        &mut bounds,
    )
}

fn check_graph(puzzle: &Puzzle, mut text: &[u8], lemmas: &Lemmas) -> Result<Checked> {
    let mut bounds = Bounds {
        stop: &mut || false,
        memory: 1 << 30,
    };
    let cells = puzzle.width() * puzzle.height();
    let formula = Formula::read(&mut text, "the graph", cells, &mut bounds)?;
    let mut imply = |holding: &[i32], literal| Ok(lemmas.imply(holding, literal));
    check_formula(puzzle, &formula, &mut imply, &mut bounds)
}

/// The graph of a puzzle with solutions as text, and the lemmas that its check needs.
fn graph(puzzle: &Puzzle, options: omnogram::count::Options) -> (Vec<u8>, Lemmas) {
    let graph = on_threads(1, || Counter::new(puzzle).options(options).graph().0);
    graph_and_lemmas(puzzle, &graph.unwrap())
}

/// The text with one change: a byte, a number, a line left out, doubled or moved.
fn changed(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.is_empty() {
        return b"1".to_vec();
    }
    let at = random.below(lines.len());
    match random.below(6) {
        0 => {
            let byte = random.below(lines[at].len());
            lines[at][byte] = b"0123456789- adot\n"[random.below(17)];
        }
        1 => drop(lines.remove(at)),
        2 => lines.insert(random.below(at + 1), lines[at].clone()),
        3 => lines.truncate(at),
        choice => {
            let line = String::from_utf8(lines[at].clone()).unwrap();
            let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            if words.len() > 1 {
                let word = random.below(words.len() - 1);
                match words[word].parse::<i64>() {
                    Ok(number) if choice == 4 => words[word] = (-number).to_string(),
                    Ok(number) => words[word] = (number + random.below(3) as i64 - 1).to_string(),
                    Err(_) => drop(words.remove(word)),
                }
            }
            lines[at] = format!("{}\n", words.join(" ")).into_bytes();
        }
    }
    lines.concat()
}

#[test]
fn refutations_prove_what_brute_force_finds() {
    let (mut none, mut unique) = (0, 0);
    for (puzzle, solutions) in solved(1, rounds(600)) {
        match refute(&puzzle, Claim::NoSolution) {
            Some((clauses, proof)) => {
                assert!(solutions.is_empty());
                let refuted = check(&puzzle, (&clauses, &proof)).unwrap();
                assert!(refuted.is_unsolvable);
                none += 1;
            }
            None => assert!(!solutions.is_empty()),
        }
        let Some(first) = solutions.first() else {
            continue;
        };
        match refute(&puzzle, Claim::OnlySolution(first)) {
            Some((clauses, proof)) => {
                assert_eq!(solutions.len(), 1);
                let refuted = check(&puzzle, (&clauses, &proof)).unwrap();
                assert_true(&refuted, &solutions);
                let literals = refuted.lemmas.clauses().len();
                assert_eq!(literals, puzzle.width() * puzzle.height());
                unique += 1;
            }
            None => assert!(solutions.len() > 1),
        }
    }
    assert!(none > 50 && unique > 50);
}

#[test]
fn graphs_prove_what_brute_force_counts() {
    let mut with_lemmas = 0;
    for (round, (puzzle, solutions)) in solved(2, rounds(400)).enumerate() {
        if solutions.is_empty() {
            continue;
        }
        let options = match round % 2 {
            0 => restless(),
            _ => omnogram::count::Options::default(),
        };
        let (text, lemmas) = graph(&puzzle, options);
        let mut proved = Lemmas::default();
        if !lemmas.clauses().is_empty() {
            with_lemmas += 1;
            let (clauses, proof) = refute(&puzzle, Claim::Lemmas(&lemmas)).unwrap();
            let refuted = check(&puzzle, (&clauses, &proof)).unwrap();
            assert_true(&refuted, &solutions);
            proved = refuted.lemmas;
        }
        let checked = check_graph(&puzzle, &text, &proved).unwrap();
        assert_eq!(checked.solutions.to_string(), solutions.len().to_string());
    }
    // Propagation with the opposite of a literal proves most of what small puzzles need.
    println!("{with_lemmas} graphs needed lemmas");
}

#[test]
fn a_shared_node_is_checked_once() {
    // 10! has 10 * 2^9 - 1 or so states, and 3,628,800 ways to them.
    let (text, lemmas) = graph(&permutation(10), omnogram::count::Options::default());
    let checked = check_graph(&permutation(10), &text, &lemmas).unwrap();
    assert_eq!(checked.solutions.to_string(), "3628800");
    assert!(checked.contexts < 6000, "{checked:?}");
    let puzzle = beside(&switches(3), &permutation(5));
    let (text, lemmas) = graph(&puzzle, omnogram::count::Options::default());
    let checked = check_graph(&puzzle, &text, &lemmas).unwrap();
    assert_eq!(checked.solutions.to_string(), "960");
    assert!(checked.contexts < 100, "{checked:?}");
}

#[test]
fn a_changed_graph_is_refused_or_says_the_same() {
    let mut random = Random(3);
    let (mut refused, mut same) = (0, 0);
    for _ in 0..rounds(300) {
        let puzzle = random_puzzle(&mut random);
        let solutions = brute_force(&puzzle);
        if solutions.is_empty() {
            continue;
        }
        let (text, lemmas) = graph(&puzzle, omnogram::count::Options::default());
        for _ in 0..30 {
            let mut other = changed(&text, &mut random);
            if random.chance(0.3) {
                other = changed(&other, &mut random);
            }
            match check_graph(&puzzle, &other, &lemmas) {
                Err(_) => refused += 1,
                Ok(checked) => {
                    same += 1;
                    assert_eq!(checked.solutions.to_string(), solutions.len().to_string());
                }
            }
        }
    }
    assert!(refused > 1000, "{refused} {same}");
}

#[test]
fn a_changed_refutation_is_refused_or_proves_something_true() {
    let mut random = Random(4);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..rounds(300) {
        let puzzle = random_puzzle(&mut random);
        let solutions = brute_force(&puzzle);
        let claim = match &solutions[..] {
            [] => Claim::NoSolution,
            [only] => Claim::OnlySolution(only),
            _ => continue,
        };
        let (clauses, proof) = refute(&puzzle, claim).unwrap();
        for round in 0..30 {
            let (mut other_clauses, mut other_proof) = (clauses.clone(), proof.clone());
            if round % 2 == 0 {
                other_clauses = changed(&clauses, &mut random);
            }
            if round % 3 != 0 && !proof.is_empty() {
                other_proof = changed(&proof, &mut random);
            }
            match check(&puzzle, (&other_clauses, &other_proof)) {
                Err(_) => refused += 1,
                Ok(refuted) => {
                    accepted += 1;
                    assert_true(&refuted, &solutions);
                }
            }
        }
        // The proof of this puzzle says nothing of another one.
        let other = random.puzzle(puzzle.width(), puzzle.height(), 0.5);
        if let Ok(refuted) = check(&other, (&clauses, &proof)) {
            assert_true(&refuted, &brute_force(&other));
        }
    }
    assert!(refused > 500 && accepted > 0, "{refused} {accepted}");
}

#[test]
fn a_graph_of_another_puzzle_is_refused() {
    let mut random = Random(5);
    for _ in 0..200 {
        let (width, height) = random.size(2, 4);
        let puzzle = random.puzzle(width, height, 0.5);
        let other = random.puzzle(width, height, 0.5);
        let (text, lemmas) = graph(&puzzle, omnogram::count::Options::default());
        let equal = brute_force(&puzzle) == brute_force(&other);
        assert_eq!(check_graph(&other, &text, &lemmas).is_ok(), equal);
    }
}

#[test]
fn checks_end_at_their_bounds() {
    let puzzle = permutation(8);
    let (text, lemmas) = graph(&puzzle, omnogram::count::Options::default());
    for (late, memory) in [(true, u64::MAX), (false, 20_000)] {
        let mut bounds = Bounds {
            stop: &mut || late,
            memory,
        };
        let mut reads = Bounds {
            stop: &mut || false,
            memory: u64::MAX,
        };
        let formula = Formula::read(&mut &text[..], "the graph", 64, &mut reads).unwrap();
        let mut imply = |holding: &[i32], literal| Ok(lemmas.imply(holding, literal));
        let error = check_formula(&puzzle, &formula, &mut imply, &mut bounds).unwrap_err();
        let source = std::error::Error::source(&error).unwrap();
        let kind = source.downcast_ref::<std::io::Error>().unwrap().kind();
        let expected = if late {
            std::io::ErrorKind::Interrupted
        } else {
            std::io::ErrorKind::OutOfMemory
        };
        assert_eq!(kind, expected);
    }
}

/// The status of a command and what it prints on standard error.
fn status(arguments: &[&str]) -> (Option<i32>, String) {
    let output = output(arguments);
    (output.status.code(), stderr(&output).to_owned())
}

#[test]
fn the_command_refuses_every_changed_byte() {
    let folder = Scratch::new("certificates");
    let path = folder.display().to_string();
    let puzzles = [
        "puzzles/pictures/heart.non",
        "puzzles/pictures/key.non",
        "puzzles/pictures/snail.non",
        "3x2:1/1/1/1/1",
    ];
    let verdicts = [&["check", "-q", "--proof", &path][..], &puzzles].concat();
    assert_eq!(status(&verdicts).0, Some(1));
    let counts = folder.file("counts");
    let arguments = [&["count", "-q", "--proof", &counts][..], &puzzles].concat();
    assert_eq!(status(&arguments).0, Some(0));
    for path in [&path, &counts] {
        let verified = ended(0, &["verify", "--proof", path]);
        assert_eq!(stdout(&verified).matches("proved by").count(), 4);
        assert_eq!(stderr(&verified), "4 certificates valid\n");
        for entry in fs::read_dir(path).unwrap() {
            let file = entry.unwrap().path();
            if file.is_dir() {
                continue;
            }
            let text = fs::read(&file).unwrap();
            let step = (text.len() / 12).max(1);
            for at in (0..text.len()).step_by(step).chain([text.len() - 1]) {
                let mut other = text.clone();
                other[at] ^= 1;
                fs::write(&file, &other).unwrap();
                let (code, message) = status(&["verify", "-q", "--proof", path]);
                assert_eq!(code, Some(65), "{file:?} {at} {message}");
            }
            fs::write(&file, &text[..text.len() - 2]).unwrap();
            let (code, _) = status(&["verify", "-q", "--proof", path]);
            assert_eq!(code, Some(65), "{file:?}");
            fs::write(&file, &text).unwrap();
        }
    }
}

#[test]
fn the_command_says_what_is_missing() {
    let folder = Scratch::new("missing-certificates");
    let path = folder.display().to_string();
    let (code, message) = status(&["verify", "--proof", &folder.file("nothing")]);
    assert_eq!(code, Some(74), "{message}");
    let heart = "puzzles/pictures/heart.non";
    assert_eq!(status(&["check", "-q", "--proof", &path, heart]).0, Some(0));
    // Nothing is replaced without --force.
    let (code, message) = status(&["check", "-q", "--proof", &path, heart]);
    assert!(code == Some(2) && message.contains("--force"), "{message}");
    let again = ["check", "-q", "--force", "--proof", &path, heart];
    assert_eq!(status(&again).0, Some(0));
    assert_eq!(status(&["verify", "--proof", &path, heart]).0, Some(0));
    let cat = "puzzles/pictures/cat.non";
    let (code, message) = status(&["verify", "--proof", &path, cat]);
    let expected = format!("error: {cat}: there is no valid certificate of this puzzle\n");
    assert!(code == Some(65) && message.contains(&expected), "{message}");
    fs::remove_file(Path::new(&path).join("1.lrat")).unwrap();
    let (code, message) = status(&["verify", "--proof", &path]);
    assert!(code == Some(74) && message.contains("1.lrat"), "{message}");
    let (code, message) = status(&["verify", "--proof", &path, "--time", "0s", heart]);
    assert_ne!(code, Some(0), "{message}");
}

#[test]
fn a_stopped_answer_has_no_certificate() {
    let folder = Scratch::new("stopped-certificates");
    let path = folder.display().to_string();
    let long = "puzzles/families/permutation-20.non";
    let arguments = ["count", "--proof", &path, "--time", "50ms", long];
    let (code, message) = status(&arguments);
    assert_eq!(code, Some(3), "{message}");
    assert!(message.contains("no certificate"), "{message}");
    let verified = output(&["verify", "--proof", &path]);
    assert_eq!(stderr(&verified), "0 certificates valid\n");
}

/// Makes a folder of certificates with one record.
fn list_one(scratch: &Scratch, record: &serde_json::Value) {
    fs::write(scratch.join("certificates.jsonl"), seal(record)).expect("a list");
}

/// The record of a puzzle of 2x2 cells with two solutions, whose proof is in these files.
fn record(graph: Option<&str>, refutation: Option<&str>) -> serde_json::Value {
    let file = |name: &str| json!({ "name": name, "bytes": 1, "checksum": "00" });
    json!({
        "puzzle": "x", "rows": [[1], [1]], "columns": [[1], [1]], "verdict": "multiple", "solutions": "2", "examples": [],
        "clauses": refutation.map(|_| file("clauses")), "refutation": refutation.map(file), "graph": graph.map(file),
    })
}

#[cfg(target_os = "linux")]
#[test]
fn certificates_name_no_files_elsewhere_and_none_without_end() {
    let scratch = Scratch::new("hostile-certificates");
    let verify = |more: &[&str]| {
        let folder = scratch.display().to_string();
        output(&[&["verify", "--proof", &folder, "-q"], more].concat())
    };
    for name in [
        "../clauses",
        "/etc/passwd",
        "",
        ".",
        "..",
        "a/b",
        "a/",
        "/",
        "\0",
    ] {
        list_one(&scratch, &record(Some(name), None));
        let done = verify(&[]);
        assert!(
            matches!(done.status.code(), Some(65 | 74)),
            "{name:?}: {done:?}"
        );
        assert!(stderr(&done).starts_with("error: "), "{done:?}");
    }
    // Once, a line without an end was read until no memory was left.
    std::os::unix::fs::symlink("/dev/zero", scratch.join("zero")).expect("a link");
    fs::write(scratch.join("clauses"), "p cnf 8 0\n").expect("a file");
    for record in [record(Some("zero"), None), record(None, Some("zero"))] {
        list_one(&scratch, &record);
        let done = verify(&["--memory", "16M"]);
        assert_eq!(done.status.code(), Some(3), "{done:?}");
        assert!(stderr(&done).contains("stopped by --memory"), "{done:?}");
        assert_refused(&verify(&[]), 65, "this line is too long");
    }
    // A puzzle that is none, and numbers that are none.
    for (field, value) in [
        ("rows", json!([[u64::MAX, u64::MAX]])),
        ("rows", json!([])),
        ("columns", json!([[1]])),
        ("examples", json!([["#?", ".."]])),
        ("examples", json!([["#", ".."]])),
        ("solutions", json!("-1")),
        ("verdict", json!("")),
        (
            "graph",
            json!({ "name": "zero", "bytes": -1, "checksum": "" }),
        ),
        ("graph", json!(null)),
    ] {
        let mut changed = record(None, None);
        changed[field] = value;
        list_one(&scratch, &changed);
        assert_eq!(verify(&[]).status.code(), Some(65), "{changed}");
    }
}

/// Once, the check of a graph whose products share their nodes went all ways through it: 2 to the power of 40 here.
#[test]
fn a_graph_of_many_ways_is_refused_at_once() {
    let scratch = Scratch::new("hostile-graph");
    let mut graph = String::new();
    // Each or-node leads to a product of one or-node with itself.
    for level in 0..40 {
        graph += &format!("o {} 0\na {} 0\n", 2 * level + 1, 2 * level + 2);
    }
    graph += "o 81 0\nt 82 0\n81 82 0\n";
    for level in 0..40 {
        let (or, and) = (2 * level + 1, 2 * level + 2);
        graph += &format!("{or} {and} 0\n{and} {} 0\n{and} {} 0\n", or + 2, or + 2);
    }
    // Once, a chain of nodes without literals, longer than any graph of the puzzle, used up the number of nodes that a check could visit,
    // which then began again at the largest number.
    let chain = 300;
    let mut long = String::new();
    for node in 1..=chain {
        long += &format!("o {node} 0\n");
    }
    for node in 1..chain {
        long += &format!("{node} {} 0\n", node + 1);
    }
    for level in 0..40 {
        let or = chain + 2 * level;
        let (and, next) = (or + 1, or + 2);
        long += &format!("a {and} 0\no {next} 0\n{or} {and} 0\n{and} {next} 0\n{and} {next} 0\n");
    }
    // A product of one node, and a product of nodes without cells.
    let one = "o 1 0\na 2 0\no 3 0\nt 4 0\n1 2 1 0\n2 3 0\n3 4 2 3 4 0\n".to_owned();
    let empty = "o 1 0\na 2 0\no 3 0\nt 4 0\n1 2 1 2 3 4 0\n2 3 0\n2 3 0\n3 4 0\n".to_owned();
    for (graph, message) in [
        (graph, "a product of this formula has a node without cells"),
        (long, "another form than those of a counted graph"),
        (one, "a product of this formula has fewer than two edges"),
        (empty, "a product of this formula has a node without cells"),
    ] {
        fs::write(scratch.join("graph"), graph).expect("a file");
        list_one(&scratch, &record(Some("graph"), None));
        let done = output(&["verify", "-q", "--proof", &scratch.display().to_string()]);
        assert_refused(&done, 65, message);
    }
}

/// Once, the time limit was looked at once in a million bytes, each of which may stand for a million steps.
#[test]
fn a_refutation_of_much_work_stops_by_its_limits() {
    let scratch = Scratch::new("hostile-refutation");
    let verify = |more: &[&str]| {
        let folder = scratch.display().to_string();
        output(&[&["verify", "--proof", &folder], more].concat())
    };
    // One clause of all variables but the last, which a step names again and again after all its literals are false but one.
    let most = 50_000;
    let literals: Vec<String> = (1..most)
        .map(|variable: i32| (variable + 8).to_string())
        .collect();
    let opposites: Vec<String> = (2..most)
        .map(|variable| (variable + 8).to_string())
        .collect();
    let (literals, opposites) = (literals.join(" "), opposites.join(" "));
    fs::write(
        scratch.join("clauses"),
        format!("p cnf {} 1\n{literals} 0\n", most + 8),
    )
    .expect("a file");
    let step = format!("2 {opposites} 0 {}0\n", "1 ".repeat(300_000));
    fs::write(scratch.join("steps"), step).expect("a file");
    list_one(&scratch, &record(None, Some("steps")));
    let done = verify(&["--time", "100ms"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(stderr(&done).contains("stopped by --time"), "{done:?}");
    // Once, the number of variables was memory that no limit counted.
    fs::write(scratch.join("clauses"), format!("p cnf {} 0\n", i32::MAX)).expect("a file");
    let done = verify(&["--memory", "100M"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    // Numbers at their bounds.
    let bounds = [
        ("I32_MIN", i32::MIN.to_string()),
        ("I32_MAX", i32::MAX.to_string()),
        ("I64_MIN", i64::MIN.to_string()),
        ("U64_MAX", u64::MAX.to_string()),
    ];
    for (file, text) in [
        ("clauses", "p cnf 8 1\nI32_MIN 0\n"),
        ("clauses", "p cnf 8 1\nI32_MAX 0\n"),
        ("clauses", "p cnf I32_MIN 1\n1 0\n"),
        ("clauses", "p cnf 8 U64_MAX\n"),
        ("clauses", "p cnf 8 1\nI64_MIN 0\n"),
        ("clauses", "p cnf -1 0\n"),
        ("clauses", "p cnf 8 1\n1 2\n"),
        ("steps", "U64_MAX 0 1 0\n"),
        ("steps", "1 I32_MIN 0 1 0\n"),
        ("steps", "1 0 I64_MIN 0\n"),
        ("steps", "1 d I64_MIN 0\n"),
        ("steps", "1 d 0\n"),
        ("steps", "-1 0 0\n"),
    ] {
        let text = bounds.iter().fold(text.to_owned(), |text, (name, number)| {
            text.replace(name, number)
        });
        // The steps are read after the clauses.
        fs::write(scratch.join("clauses"), "p cnf 8 0\n").expect("a file");
        fs::write(scratch.join(file), &text).expect("a file");
        println!("{file}: {text}");
        assert_refused(&verify(&["-q"]), 65, file);
    }
}
