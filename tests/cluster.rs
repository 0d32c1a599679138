//! Runs in pieces: split, work and merge against the plain search, and against what may go wrong on the way.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use common::command::{Scratch, answer, omnogram, output, stderr, stdout};
use common::{Random, beside, brute_force, permutation, switches};
use omnogram::board::Cell;
use omnogram::cluster::{
    Answer, Digest, Id, Job, Keeper, Lines, Merge, Office, Piece, Splitting, Sum, Task, Working,
    seal,
};
use omnogram::count::Method;
use omnogram::puzzle::Puzzle;
use omnogram::search::{Cube, Decision, Limits, Outcome, Search, Total};
use omnogram::solutions::{Batch, Count, Counter, Set, Stop};

/// Cubes in order, and what they have come to.
struct Desk<'a> {
    working: &'a Working<'a>,
    digest: Digest,
    cubes: Mutex<Vec<Cube>>,
    limits: Box<dyn Fn() -> Limits + Sync>,
    answers: Mutex<Vec<Answer>>,
}

impl Office for Desk<'_> {
    type Shelf = Option<Nothing>;

    fn next(&self) -> Option<Job<Self::Shelf>> {
        let cube = self.cubes.lock().unwrap().pop()?;
        Some(Job {
            cube,
            limits: (self.limits)(),
            keeper: Keeper::new(None),
            ticket: 0,
        })
    }

    fn take(&self, job: Job<Self::Shelf>, outcome: Outcome, counts: bool) {
        let outcome = self.working.cut(&job.cube, outcome);
        let set = job.keeper.into_parts().1;
        let listed = counts && self.working.task() == Task::List;
        let id = Id::of(self.digest, &job.cube);
        let answer = Answer::new(self.digest, id, &outcome, listed.then_some(set));
        self.answers.lock().unwrap().push(answer);
    }
}

struct Nothing;

impl omnogram::cluster::Shelf for Nothing {
    fn put(&mut self, _: Batch) -> std::ops::ControlFlow<Stop> {
        std::ops::ControlFlow::Continue(())
    }
}

/// Works off these cubes, each within limits.
fn work(
    puzzle: &Puzzle,
    task: Task,
    threads: usize,
    mut cubes: Vec<Cube>,
    limits: impl Fn() -> Limits + Sync + 'static,
) -> Vec<Answer> {
    cubes.reverse();
    let working = Working::new(puzzle, task, threads, 1 << 30);
    let desk = Desk {
        working: &working,
        digest: Digest::of(puzzle),
        cubes: Mutex::new(cubes),
        limits: Box::new(limits),
        answers: Mutex::new(Vec::new()),
    };
    working.run(&desk).unwrap();
    desk.answers.into_inner().unwrap()
}

fn pieces(puzzle: &Puzzle, cubes: usize) -> Vec<Piece> {
    let split = Splitting::new(puzzle, cubes).run();
    let of = split.cubes.len() as u64;
    assert!(of <= cubes.max(1) as u64 + 1 && split.unknown.len() as u64 == of);
    let piece = |((cube, size), unknown)| {
        Piece::new(Digest::of(puzzle), cube, of, size).with_unknown(unknown)
    };
    let cubes = split.cubes.into_iter().zip(split.unknown);
    cubes.map(piece).collect()
}

fn lines(records: &[impl serde::Serialize]) -> String {
    records.iter().map(|record| seal(record)).collect()
}

fn merged(pieces: &[Piece], results: &[&str]) -> Sum {
    let mut merge = Merge::new();
    merge
        .cubes(Lines::new(lines(pieces).as_bytes(), "cubes"))
        .unwrap();
    let names: Vec<String> = (0..results.len()).map(|i| format!("results-{i}")).collect();
    for (i, results) in results.iter().enumerate() {
        merge
            .results(Lines::new(results.as_bytes(), &names[i]), i)
            .unwrap();
    }
    merge.sum("cubes", &names)
}

/// Puzzles of some kinds: with many solutions, one, none; that fall apart, and that do not.
fn some() -> Vec<Puzzle> {
    let mut random = Random(5);
    let mut puzzles = vec![permutation(1), permutation(5), switches(4)];
    puzzles.extend((0..12).map(|i| {
        let (width, height) = (3 + random.below(6), 3 + random.below(5));
        Puzzle::from_grid(&random.grid(width, height, 0.25 + 0.03 * f64::from(i)))
    }));
    puzzles.push(common::puzzle(&[&[1], &[1]], &[&[2], &[1]]));
    let several = Puzzle::from_grid(&random.grid(6, 6, 0.3));
    puzzles.push(beside(&permutation(4), &beside(&several, &permutation(3))));
    puzzles.push(beside(
        &permutation(4),
        &common::puzzle(&[&[1], &[1]], &[&[2], &[1]]),
    ));
    puzzles
}

/// What falls apart is searched once, not in every cube.
#[test]
fn two_puzzles_in_one_cost_no_more_than_both() {
    let puzzle = beside(&permutation(7), &permutation(6));
    let plain = common::on_threads(1, || {
        omnogram::count::Counting::new(&puzzle)
            .method(Method::Tree)
            .run()
    });
    assert_eq!(plain.solutions.number(), &Count::from(5040 * 720));
    let cubes: Vec<_> = pieces(&puzzle, 300)
        .into_iter()
        .map(|piece| piece.cube)
        .collect();
    for task in [Task::Count(Method::Tree), Task::List] {
        let answers = work(&puzzle, task, 1, cubes.clone(), Limits::default);
        let number = |answer: &Answer| answer.count.clone();
        let sum = answers.iter().map(number).fold(Count::ZERO, |sum, count| {
            let mut sum = sum;
            sum += &count;
            sum
        });
        assert_eq!(&sum, plain.solutions.number());
        let nodes: u64 = answers.iter().map(|answer| answer.nodes).sum();
        assert!(
            10 * nodes < 11 * plain.statistics.nodes + 10 * 300,
            "{nodes} for {plain:?}"
        );
    }
}

/// What was counted of a region is no list of it.
#[test]
fn cubes_are_counted_and_listed_by_turns() {
    let puzzle = beside(&permutation(4), &permutation(3));
    let cubes = pieces(&puzzle, 12);
    Search::new(&puzzle).apart(|ask| {
        let mut all = Vec::new();
        let mut sum = Count::ZERO;
        for piece in &cubes {
            let counted = ask(&piece.cube, &Limits::default(), &Counter::new());
            sum += counted.solutions.number();
            let set = Set::new(1 << 20);
            ask(&piece.cube, &Limits::default(), &set);
            all.extend(set.into_sorted(puzzle.width(), puzzle.height()));
        }
        all.sort();
        assert_eq!(all, Search::new(&puzzle).collect().0);
        assert_eq!(sum, Count::from(144));
    });
}

/// Cubes in any order, of any shape, whatever was searched before them.
#[test]
fn cubes_that_decide_in_several_regions() {
    let puzzle = beside(&permutation(4), &permutation(3));
    let cell = |row, column, filled| Decision {
        cell: Cell::new(row, column),
        filled,
    };
    let (first, second) = (cell(0, 0, true), cell(5, 5, true));
    let not = |decision: Decision| Decision {
        filled: !decision.filled,
        ..decision
    };
    let cubes: Vec<Cube> = [
        vec![first, second],
        vec![first, not(second)],
        vec![first],
        vec![not(first)],
        vec![not(first), cell(1, 0, true), second],
        vec![not(first), cell(1, 0, true)],
        vec![second, first],
        vec![second, cell(6, 6, true), not(first)],
        vec![not(second), cell(5, 6, false)],
        vec![],
    ]
    .map(|path| Cube { path })
    .into();
    let expected = |cube: &Cube| Search::new(&puzzle).cubes(vec![cube.clone()]).count();
    let mut random = Random(3);
    for _ in 0..50 {
        let some: Vec<Cube> = (0..8)
            .map(|_| cubes[random.below(cubes.len())].clone())
            .collect();
        for task in [Task::Count(Method::Tree), Task::List] {
            let answers = work(&puzzle, task, 1, some.clone(), Limits::default);
            for (cube, answer) in some.iter().zip(&answers) {
                assert_eq!(&answer.count, expected(cube).solutions.number(), "{cube:?}");
            }
        }
    }
}

#[test]
fn cubes_are_disjoint_and_hold_everything() {
    for puzzle in some() {
        let (all, _) = Search::new(&puzzle).collect();
        if puzzle.width() <= 10 {
            assert_eq!(all, brute_force(&puzzle));
        }
        for cubes in [1, 2, 7, 40] {
            let pieces = pieces(&puzzle, cubes);
            let mut found = Vec::new();
            for piece in &pieces {
                found.extend(
                    Search::new(&puzzle)
                        .cubes(vec![piece.cube.clone()])
                        .collect()
                        .0,
                );
            }
            found.sort();
            assert_eq!(found, all);
        }
    }
}

#[test]
fn a_split_repeats_whatever_the_threads() {
    let puzzle = permutation(7);
    let split = |threads| common::on_threads(threads, || lines(&pieces(&puzzle, 100)));
    let one = split(1);
    assert_eq!(one, split(2));
    assert_eq!(one.lines().count(), 100);
}

/// The permutation puzzle and a real picture: no cube holds up all the others, and together they take little more than the plain run.
#[test]
fn a_split_is_balanced_and_costs_little() {
    let text = fs::read("puzzles/bench/ambiguous-quick.non").unwrap();
    let picture = omnogram::format::read(&text, "")
        .swap_remove(0)
        .puzzle
        .unwrap();
    for puzzle in [permutation(8), picture] {
        let plain = common::on_threads(1, || {
            omnogram::count::Counting::new(&puzzle)
                .method(Method::Tree)
                .run()
        });
        let pieces = pieces(&puzzle, 300);
        let cubes = pieces.iter().map(|piece| piece.cube.clone()).collect();
        let answers = work(
            &puzzle,
            Task::Count(Method::Tree),
            1,
            cubes,
            Limits::default,
        );
        let nodes: Vec<u64> = answers.iter().map(|answer| answer.nodes).collect();
        let (sum, largest) = (nodes.iter().sum::<u64>(), *nodes.iter().max().unwrap());
        assert!(20 * largest < sum, "{largest} of {sum}");
        assert!(
            10 * sum < 11 * plain.statistics.nodes + 10 * 300,
            "{sum} for {plain:?}"
        );
    }
}

#[test]
fn pieces_add_up_to_the_plain_answer_by_every_method() {
    for puzzle in some() {
        let plain = Search::new(&puzzle).count().solutions;
        let pieces = pieces(&puzzle, 20);
        let methods = [
            Method::Auto,
            Method::Tree,
            Method::Regions,
            Method::Frontier,
        ];
        let tasks = methods.map(Task::Count).into_iter().chain([Task::List]);
        for task in tasks {
            let cubes = pieces.iter().map(|piece| piece.cube.clone()).collect();
            let answers = work(&puzzle, task, 2, cubes, Limits::default);
            let sum = merged(&pieces, &[&lines(&answers)]);
            assert_eq!(sum.solutions, plain, "{task:?}");
            assert!(sum.problems.is_empty() && sum.missing.is_empty());
        }
    }
}

#[test]
fn stopped_anywhere_nothing_is_lost_or_doubled() {
    for (seed, puzzle) in (0..).zip(some()) {
        let plain = Search::new(&puzzle).count().solutions;
        for task in [
            Task::Count(Method::Tree),
            Task::List,
            Task::Count(Method::Regions),
        ] {
            let pieces = pieces(&puzzle, 3);
            let mut results = Vec::new();
            let mut random = Random(seed);
            let mut sum = merged(&pieces, &[]);
            for round in 0.. {
                assert!(!sum.solutions.is_exact() && round < 400);
                let cubes = sum.missing.iter().map(|piece| piece.cube.clone()).collect();
                // Stopped by the clock, so that what cannot be left in the middle is cut; at last not at all.
                let checks = (round < 40).then(|| 1 + random.below(30 + 10 * round) as u64);
                let by_clock = round % 2 == 0;
                let answers = work(&puzzle, task, 1, cubes, move || Limits {
                    checks: checks.filter(|_| !by_clock),
                    nodes: checks.filter(|_| by_clock),
                    ..Limits::default()
                });
                results.push(lines(&answers));
                let all: Vec<&str> = results.iter().map(String::as_str).collect();
                sum = merged(&pieces, &all);
                assert!(sum.problems.is_empty(), "{:?}", sum.problems);
                assert!(sum.solutions.number() <= plain.number());
                if sum.missing.is_empty() {
                    break;
                }
            }
            assert_eq!(sum.solutions, plain);
        }
    }
}

#[test]
fn a_merge_names_what_is_wrong() {
    let puzzle = permutation(5);
    let pieces = pieces(&puzzle, 10);
    let cubes: Vec<Cube> = pieces.iter().map(|piece| piece.cube.clone()).collect();
    let answers = work(&puzzle, Task::List, 1, cubes, Limits::default);
    let good = lines(&answers);
    let sum = merged(&pieces, &[&good, &good]);
    assert_eq!(
        (sum.solutions.to_string().as_str(), sum.repeats),
        ("120", 10)
    );
    assert!(sum.problems.is_empty() && !sum.contradicted);

    let said = |results: &[&str]| {
        let sum = merged(&pieces, results);
        let problems: Vec<String> = sum.problems.iter().map(ToString::to_string).collect();
        (
            sum.solutions.is_exact(),
            sum.missing.len(),
            problems.join("; "),
        )
    };
    let mut wrong = answers[3].clone();
    wrong.count.add_one();
    let (exact, missing, problems) = said(&[&good, &seal(&wrong)]);
    assert!(!exact && missing == 0);
    assert!(problems.starts_with("results-1:1:1: cube "), "{problems}");
    assert!(problems.contains("solutions here, and") && problems.ends_with("results-0:4"));

    let mut other = answers[3].clone();
    other.set = answers[4].set;
    let (exact, _, problems) = said(&[&good, &seal(&other)]);
    assert!(
        !exact && problems.ends_with("but not the same"),
        "{problems}"
    );

    let mut stranger = answers[0].clone();
    stranger.id = "0123456789abcdef".parse().unwrap();
    let (exact, missing, problems) = said(&[&good, &seal(&stranger)]);
    assert!(exact && missing == 0);
    assert!(problems.ends_with("nobody has asked about cube 0123456789abcdef"));

    let mut elsewhere = answers[0].clone();
    elsewhere.puzzle = Digest::of(&permutation(4));
    let (exact, _, problems) = said(&[&good, &seal(&elsewhere)]);
    assert!(exact && problems == "results-1:1:1: this result is of another puzzle");

    let few: String = good
        .lines()
        .skip(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let sum = merged(&pieces, &[&few]);
    assert!(!sum.solutions.is_exact() && !sum.contradicted);
    let missing: BTreeSet<Id> = sum.missing.iter().map(|piece| piece.id).collect();
    assert_eq!(
        missing,
        answers[..2].iter().map(|answer| answer.id).collect()
    );
    assert!(sum.missing.iter().all(|piece| piece.of == 2));

    // A file of cubes that has lost a line.
    let sum = merged(&pieces[1..], &[&good]);
    assert!(!sum.solutions.is_exact() && sum.contradicted);
    assert_eq!(
        sum.problems[0].to_string(),
        "cubes: there are 9 cubes, but each says that it is one of 10"
    );
}

#[test]
fn torn_or_changed_anywhere_no_wrong_number_is_told() {
    let puzzle = permutation(4);
    let pieces = pieces(&puzzle, 4);
    let cubes: Vec<Cube> = pieces.iter().map(|piece| piece.cube.clone()).collect();
    let good = lines(&work(&puzzle, Task::List, 1, cubes, Limits::default));
    for end in 0..good.len() - 1 {
        let sum = merged(&pieces, &[&good[..end]]);
        let torn = end > 0 && !good[..end].ends_with('\n') && !good[..=end].ends_with('\n');
        assert_eq!(sum.problems.len(), usize::from(torn), "{end}");
        let whole = good[..=end].matches('\n').count();
        assert_eq!(sum.missing.len(), pieces.len() - whole);
        assert!(whole == pieces.len() || !sum.solutions.is_exact());
    }
    for at in 0..good.len() {
        let mut bytes = good.clone().into_bytes();
        bytes[at] ^= 1 << (at % 8);
        let mut merge = Merge::new();
        merge
            .cubes(Lines::new(lines(&pieces).as_bytes(), "cubes"))
            .unwrap();
        merge.results(Lines::new(&bytes[..], "results"), 0).unwrap();
        let sum = merge.sum("cubes", &["results".to_owned()]);
        assert!(!sum.problems.is_empty() || at == good.len() - 1, "{at}");
        assert!(sum.problems.iter().all(|problem| problem.place().is_some()));
        assert!(sum.solutions == Total::Exactly(24u64.into()) || !sum.solutions.is_exact());
        assert!(sum.solutions.number() <= &24u64.into());
    }
}

/// The commands on every puzzle that is quick enough, and the lists byte for byte.
#[test]
fn split_work_and_merge_agree_with_the_plain_verbs() {
    let scratch = Scratch::new("agree");
    let (cubes, results, found) = (
        scratch.file("cubes"),
        scratch.file("results"),
        scratch.file("found"),
    );
    let table = fs::read_to_string("puzzles/answers.tsv").unwrap();
    let mut tried = 0;
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let puzzle = format!("puzzles/{}", fields[0]);
        let few = fields[3]
            .parse::<u64>()
            .is_ok_and(|number| number <= 20_000);
        let _ = fs::remove_dir_all(&found);
        answer(&["split", "-qf", "--cubes", "12", "--output", &cubes, &puzzle]);
        let count = output(&["work", "-q", "--puzzle", &puzzle, &cubes]);
        assert_eq!(count.status.code(), Some(0), "{puzzle}: {count:?}");
        fs::write(&results, &count.stdout).unwrap();
        assert_eq!(answer(&["merge", &cubes, &results]), fields[3], "{puzzle}");
        if few {
            let list = output(&[
                "work",
                "-q",
                "--puzzle",
                &puzzle,
                "--solutions",
                &found,
                &cubes,
            ]);
            assert_eq!(list.status.code(), Some(0), "{puzzle}: {list:?}");
            fs::write(&results, &list.stdout).unwrap();
            let merged = answer(&["merge", "--sort", "--solutions", &found, &cubes, &results]);
            assert_eq!(
                merged,
                answer(&["enumerate", "--sort", &puzzle]),
                "{puzzle}"
            );
            tried += 1;
        }
    }
    assert!(tried > 60, "{tried}");
}

/// The batch systems' warning: what is under way is handed back, and the total stays exact.
#[cfg(unix)]
#[test]
fn work_that_is_told_to_terminate_hands_back_what_is_open() {
    let scratch = Scratch::new("term");
    let (cubes, one, two, missing) = (
        scratch.file("cubes"),
        scratch.file("one"),
        scratch.file("two"),
        scratch.file("missing"),
    );
    let puzzle = "puzzles/families/permutation-10.non";
    answer(&["split", "-q", "-n", "6", "-o", &cubes, puzzle]);
    let task = ["work", "--puzzle", puzzle, "-j1", "--method", "tree"];
    let child = omnogram(&[&task[..], &[&cubes]].concat())
        .stdout(fs::File::create(&one).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(60));
    let kill = Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert!([Some(3), Some(0)].contains(&done.status.code()), "{done:?}");
    let text = fs::read_to_string(&one).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    let merge = output(&["merge", "--missing", &missing, &cubes, &one]);
    if done.status.code() == Some(3) {
        assert_eq!(merge.status.code(), Some(3), "{merge:?}");
        assert!(
            stdout(&merge).trim_end().starts_with("at least "),
            "{merge:?}"
        );
        let rest = omnogram(&[&task[..], &[&missing]].concat())
            .stdout(fs::File::create(&two).unwrap())
            .output()
            .unwrap();
        assert_eq!(rest.status.code(), Some(0), "{rest:?}");
    } else {
        fs::write(&two, "").unwrap();
    }
    assert_eq!(answer(&["merge", &cubes, &one, &two]), "3628800");
}

/// Cubes that a limit stops leave their solutions in files like all others, and what is joined is held against the digests.
#[test]
fn solutions_in_files_are_joined_if_they_are_what_was_answered() {
    let scratch = Scratch::new("files");
    let (cubes, one, two, missing, found, list) = (
        scratch.file("cubes"),
        scratch.file("one"),
        scratch.file("two"),
        scratch.file("missing"),
        scratch.file("found"),
        scratch.file("list"),
    );
    let puzzle = "puzzles/families/permutation-8.non";
    answer(&["split", "-q", "-n", "6", "-o", &cubes, puzzle]);
    let task = ["work", "-q", "--puzzle", puzzle, "--solutions", &found];
    let done = output(&[&task[..], &["--nodes", "300", &cubes]].concat());
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    fs::write(&one, &done.stdout).unwrap();
    let merge = output(&["merge", "--missing", &missing, &cubes, &one]);
    assert_eq!(merge.status.code(), Some(3), "{merge:?}");
    let done = output(&[&task[..], &[&missing]].concat());
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    fs::write(&two, &done.stdout).unwrap();
    answer(&[
        "merge",
        "--solutions",
        &found,
        "-o",
        &list,
        &cubes,
        &one,
        &two,
    ]);
    let verified = answer(&["verify", puzzle, &list]);
    assert!(
        verified.starts_with("40320 solutions, all right, each once"),
        "{verified}"
    );
    // One of the files is changed: its solutions are left away, and it is named.
    let file = fs::read_dir(&found)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut text = fs::OpenOptions::new().append(true).open(&file).unwrap();
    writeln!(text, "{}", "#.......\n".repeat(8)).unwrap();
    let done = output(&[
        "merge",
        "--force",
        "--solutions",
        &found,
        "-o",
        &list,
        &cubes,
        &one,
        &two,
    ]);
    assert_eq!(done.status.code(), Some(65), "{done:?}");
    assert!(
        stderr(&done).contains(&file.display().to_string()),
        "{done:?}"
    );
    assert!(stderr(&done).contains("at least "), "{done:?}");
}

#[test]
fn bad_cubes_are_named_and_the_others_worked_on() {
    let scratch = Scratch::new("bad");
    let (cubes, results) = (scratch.file("cubes"), scratch.file("results"));
    let (puzzle, other) = (
        "puzzles/families/permutation-5.non",
        "puzzles/families/permutation-6.non",
    );
    answer(&["split", "-q", "-n", "5", "-o", &cubes, puzzle]);
    let text = fs::read_to_string(&cubes).unwrap();
    let strange = answer(&["split", "-q", "-n", "2", other]);
    fs::write(&cubes, format!("{}x{text}{strange}", &text[..40])).unwrap();
    let done = output(&["work", "--puzzle", puzzle, &cubes]);
    assert_eq!(done.status.code(), Some(65), "{done:?}");
    let said = stderr(&done);
    assert!(
        said.contains(&format!("{cubes}:1:1: ")) && said.contains("of another puzzle"),
        "{said}"
    );
    fs::write(&results, &done.stdout).unwrap();
    assert_eq!(stdout(&done).trim_end().lines().count(), 4);
    assert!(Path::new(&results).exists());
}

/// Once, a file of 300,000 lines that were no results made 300,000 errors, and a merge in which nothing was answered took `-0.000 s`.
#[test]
fn a_wrong_file_gets_one_message_not_one_for_each_line() {
    let scratch = Scratch::new("wrong");
    let (cubes, wrong) = (scratch.file("cubes"), scratch.file("wrong"));
    let puzzle = "puzzles/families/permutation-5.non";
    answer(&["split", "-q", "-n", "5", "-o", &cubes, puzzle]);
    let numbers: String = (0..3000).map(|i| format!("{i}\n")).collect();
    fs::write(&wrong, numbers).unwrap();
    let done = output(&["merge", "--json", &cubes, &wrong]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    let said = "there is no result in this file: none of its 3000 lines is one";
    assert!(
        stderr(&done).starts_with(&format!("error: {wrong}:1:1: {said}\n  1 | 0\n    | ^\n")),
        "{done:?}"
    );
    assert_eq!(stderr(&done).lines().count(), 4, "{done:?}");
    assert!(
        stderr(&done).ends_with(", 0 answers, 0 repeats, 0.000 s of work\n"),
        "{done:?}"
    );
    assert!(stdout(&done).contains("\"problems\":1,"), "{done:?}");
    assert!(stdout(&done).contains("\"seconds\":0.0"), "{done:?}");
    // Cubes in the place of results, and the other way round.
    let done = output(&["merge", "-q", &cubes, &cubes]);
    assert_eq!(stderr(&done).matches("error: ").count(), 1, "{done:?}");
    let done = output(&["merge", "-q", &wrong, &cubes]);
    assert_eq!(done.status.code(), Some(65), "{done:?}");
    let said = format!("error: {wrong}:1:1: there is no cube in this file");
    assert!(stderr(&done).starts_with(&said), "{done:?}");
    let done = output(&["work", "-q", "--puzzle", puzzle, &wrong]);
    assert_eq!(done.status.code(), Some(65), "{done:?}");
    assert_eq!(stderr(&done).matches("error: ").count(), 6, "{done:?}");
    assert!(stderr(&done).contains("2995 more lines"), "{done:?}");
}

/// The first few of the problems of each file are named, with the lines in which they are, and the others counted.
#[test]
fn many_problems_of_a_file_are_counted() {
    let puzzle = permutation(5);
    let pieces = pieces(&puzzle, 10);
    let cubes: Vec<Cube> = pieces.iter().map(|piece| piece.cube.clone()).collect();
    let answers = work(&puzzle, Task::List, 1, cubes, Limits::default);
    let good = lines(&answers);
    let elsewhere: Vec<Answer> = answers
        .iter()
        .cloned()
        .map(|answer| Answer {
            puzzle: Digest::of(&permutation(4)),
            ..answer
        })
        .collect();
    let torn = good.replace("\"}\n", "\n").repeat(40);
    let sum = merged(&pieces, &[&torn, &lines(&elsewhere), &good]);
    assert!(sum.solutions.is_exact() && sum.wrong == 11);
    let said: Vec<String> = sum.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        said[0],
        "results-0:1:1: there is no result in this file: none of its 400 lines is one"
    );
    assert_eq!(said.len(), 7, "{said:?}");
    assert_eq!(said[6], "results-1: 5 more problems");
    // Whoever reads about a line sees it.
    let shown = |problem: &omnogram::error::Error| {
        let place = problem.place();
        place.is_none_or(|place| place.text.starts_with("{\"id\":"))
    };
    assert!(sum.problems.iter().all(shown));
}

/// Once, that was an error, with exit status 0.
#[test]
fn a_torn_line_of_which_there_is_a_good_copy_is_warned_of() {
    let scratch = Scratch::new("copy");
    let (cubes, results) = (scratch.file("cubes"), scratch.file("results"));
    let puzzle = "puzzles/families/permutation-5.non";
    answer(&["split", "-q", "-n", "5", "-o", &cubes, puzzle]);
    let good = answer(&["work", "-q", "--puzzle", puzzle, &cubes]);
    fs::write(&results, format!("{}\n{good}\n", &good[..50])).unwrap();
    let done = output(&["merge", &cubes, &results]);
    assert_eq!((done.status.code(), stdout(&done)), (Some(0), "120\n"));
    let warned = format!("warning: {results}:1:1: this line is torn");
    assert!(stderr(&done).starts_with(&warned), "{done:?}");
    assert!(!stderr(&done).contains("error:"), "{done:?}");
    let done = output(&["merge", "--quiet", &cubes, &results]);
    assert_eq!(stderr(&done), "");
    // Without the copy it is an error.
    fs::write(&results, &good[..good.len() - 9]).unwrap();
    let done = output(&["merge", &cubes, &results]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(stderr(&done).starts_with("error: "), "{done:?}");
}

/// Once, a lone result of 10^26 solutions of an 8x8 was believed.
#[test]
fn a_result_with_more_solutions_than_fillings_is_not_believed() {
    let scratch = Scratch::new("forged");
    let (cubes, results) = (scratch.file("cubes"), scratch.file("results"));
    let puzzle = "puzzles/families/permutation-8.non";
    answer(&["split", "-q", "-n", "4", "-o", &cubes, puzzle]);
    let good = answer(&["work", "-q", "--puzzle", puzzle, &cubes]);
    let mut read = Lines::new(good.as_bytes(), "");
    let mut forged = read.record::<Answer>().unwrap().unwrap();
    forged.count = "100000000000000000000000000".parse().unwrap();
    let forge = |answer: &Answer, more: &str| {
        fs::write(&results, format!("{}{more}\n", seal(answer))).unwrap();
        output(&["merge", &cubes, &results])
    };
    let rest = good.split_once('\n').unwrap().1;
    let done = forge(&forged, rest);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(stdout(&done).starts_with("at least "), "{done:?}");
    assert!(
        stderr(&done).contains("cannot have 100000000000000000000000000 solutions: "),
        "{done:?}"
    );
    // Beside the true one it changes nothing.
    let done = forge(&forged, &good);
    assert_eq!((done.status.code(), stdout(&done)), (Some(0), "40320\n"));
    // Not even all the digits are written out.
    forged.count = format!("1{}", "0".repeat(5000)).parse().unwrap();
    let done = forge(&forged, rest);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(stderr(&done).len() < 1000, "{done:?}");
}

/// The bound is met exactly: a cell of which nothing is known can have no solution too many.
#[test]
fn a_cube_may_have_as_many_solutions_as_fillings() {
    let puzzle = permutation(2);
    let digest = Digest::of(&puzzle);
    let told = |unknown: u32, count: u64| {
        let piece = Piece::new(digest, Cube::default(), 1, 1.0).with_unknown(unknown);
        let cubes = vec![Cube::default()];
        let mut answers = work(
            &puzzle,
            Task::Count(Method::Tree),
            1,
            cubes,
            Limits::default,
        );
        answers[0].count = Count::from(count);
        merged(&[piece], &[&lines(&answers)])
    };
    for unknown in [0, 1, 5, 63] {
        let most = 1 << unknown;
        assert!(told(unknown, most).problems.is_empty(), "{unknown}");
        let sum = told(unknown, most + 1);
        assert!(sum.problems.len() == 1 && sum.missing.len() == 1, "{sum:?}");
        assert_eq!(sum.missing[0].unknown, Some(unknown));
    }
}

/// What two cubes share would count twice: it is no lower bound either.
#[test]
fn cubes_that_overlap_are_not_added_up() {
    let puzzle = permutation(5);
    let mut pieces = pieces(&puzzle, 6);
    let cubes = |pieces: &[Piece]| pieces.iter().map(|piece| piece.cube.clone()).collect();
    // In the place of the last one, a part of the first.
    let mut within = pieces[0].cube.clone();
    within.path.push(Decision {
        cell: Cell::new(4, 4),
        filled: true,
    });
    let last = pieces.len() - 1;
    let of = pieces[0].of;
    pieces[last] = Piece::new(Digest::of(&puzzle), within, of, 1.0);
    let answers = work(
        &puzzle,
        Task::Count(Method::Tree),
        1,
        cubes(&pieces),
        Limits::default,
    );
    let sum = merged(&pieces, &[&lines(&answers)]);
    assert!(sum.contradicted && !sum.solutions.is_exact());
    assert!(sum.solutions.number() < &Count::from(120));
    let said = sum.problems[0].to_string();
    assert!(
        said.starts_with("cubes: cube ") && said.contains(" overlaps cube "),
        "{said}"
    );
}

/// On a cluster whose workers are killed while they work, and to which one is added late, the total is exact. Runs where Python has the
/// packages; `OMNOGRAM_PYTHON` names one that has.
#[cfg(unix)]
#[test]
fn a_dask_cluster_whose_workers_die() {
    let python = std::env::var("OMNOGRAM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&python)
        .args(["-c", "import dask, distributed"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !there {
        eprintln!("skipped: {python} has no dask and distributed");
        return;
    }
    let done = Command::new(&python)
        .args(["tests/dask.py", env!("CARGO_BIN_EXE_omnogram")])
        .args(["puzzles/families/permutation-10.non", "3628800"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
}
