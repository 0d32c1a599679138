//! Journalled runs that are killed, cut short, and gone on with.

use std::collections::HashMap;
use std::fs;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::command::{
    PERMUTATION_7, Scratch, answer, assert_printed, ended, kill_after, moment, omnogram, output,
    slow, stdout, without_growth, words,
};
use crate::common::{Random, corpus, on_threads, permutation};
use omnogram::cluster::{
    Attempt, CubeSolver, Digest, Header, Id, Journal, JournalRecord, JournalledRun, Mode,
    UnitResult, seal,
};
use omnogram::count::{Counter, Method};
use omnogram::puzzle::Puzzle;
use omnogram::search::{Cube, Limits, Outcome};
use omnogram::solutions::Count;

/// Runs a command again and again, killed at a random moment each time but the last.
#[cfg(unix)]
fn kill_and_go_on(
    arguments: &[&str],
    kills: usize,
    longest: Duration,
    random: &mut Random,
) -> Output {
    for _ in 0..kills {
        kill_after(
            moment(longest, random),
            omnogram(arguments).stdout(Stdio::null()),
        );
    }
    output(arguments)
}

#[cfg(unix)]
#[test]
fn a_journalled_count_that_is_killed_ten_times_is_exact() {
    let scratch = Scratch::new("killed-count");
    let permutation = "puzzles/families/permutation-10.non";
    let slow = slow(&scratch);
    let mut random = Random(1);
    for (method, puzzle) in [
        ("tree", permutation),
        ("auto", &slow),
        ("regions", &slow),
        ("frontier", &slow),
    ] {
        let journal = scratch.file(method);
        let number = answer(&["count", puzzle]);
        let arguments = ["count", "--method", method, "--journal", &journal, puzzle];
        let done = kill_and_go_on(&arguments, 10, Duration::from_millis(500), &mut random);
        assert_printed(&done, 0, &format!("{number}\n"));
        // What is done is not done again.
        let again = without_growth(&journal, || answer(&arguments));
        assert_eq!(again, number);
    }
}

#[cfg(unix)]
#[test]
fn a_journalled_listing_that_is_killed_ten_times_has_every_solution_once() {
    let scratch = Scratch::new("killed-list");
    let [journal, list] = scratch.files(["journal", "list"]);
    let puzzle = "puzzles/bench/ambiguous-quick.non";
    let arguments = format!("enumerate --journal {journal} --output {list} {puzzle}");
    let arguments = words(&arguments);
    let mut random = Random(2);
    let done = kill_and_go_on(&arguments, 10, Duration::from_millis(400), &mut random);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let sorted = |text: &str| {
        let mut solutions: Vec<String> = text.split_terminator("\n\n").map(str::to_owned).collect();
        solutions.sort_unstable();
        solutions
    };
    let there = sorted(&fs::read_to_string(&list).unwrap());
    let plain = sorted(str::from_utf8(&output(&["enumerate", puzzle]).stdout).unwrap());
    assert!(there == plain, "{} and {}", there.len(), plain.len());
}

/// Goes on with a run, each time for a part of the time that it takes undisturbed, until it is done; how often it was cut.
fn in_slices(arguments: &[&str], slice: Duration, killed: bool, most: usize) -> (Output, usize) {
    let time = format!("--time={}ms", slice.as_millis());
    for cuts in 0..most {
        let done = if killed {
            let ended = kill_after(slice, omnogram(arguments).stdout(Stdio::null()));
            ended.then(|| output(arguments))
        } else {
            Some(output(&[arguments, &[&time]].concat()))
        };
        if let Some(done) = done.filter(|done| done.status.code() != Some(3)) {
            return (done, cuts);
        }
    }
    panic!("{arguments:?}: not done after {most} parts of {slice:?}");
}

/// It began anew each time: in its first ten seconds nothing was written down.
#[test]
fn a_journalled_count_that_is_cut_short_again_and_again_gets_on() {
    let scratch = Scratch::new("slices");
    let puzzle = slow(&scratch);
    for (method, threads) in [("auto", "-j1"), ("regions", "-j2"), ("frontier", "-j2")] {
        let plain = ["count", threads, "--method", method, &puzzle];
        let began = Instant::now();
        let number = answer(&plain);
        // A process that is killed before it has written anything down cannot get on.
        let slice = (began.elapsed() / 6).max(Duration::from_millis(250));
        for killed in [false, cfg!(unix)] {
            let journal = scratch.file(&format!("{method}{threads}{killed}"));
            let run = [&plain[..], &["--journal", &journal]].concat();
            let (done, cuts) = in_slices(&run, slice, killed, 120);
            assert_printed(&done, 0, &format!("{number}\n"));
            println!("{method} {threads} killed {killed}: {cuts} cuts of {slice:?}");
        }
    }
}

/// What a count has found is not lost when it is stopped: the bound that it gives never falls, and neither does the journal shrink.
#[test]
fn a_journalled_count_tells_what_its_earlier_parts_have_proved() {
    let scratch = Scratch::new("bounds");
    let journal = scratch.file("journal");
    let puzzle = slow(&scratch);
    let number = answer(&["count", &puzzle]);
    let run = ["count", "-j1", "--method", "regions", "--nodes", "4000"];
    let run = [&run[..], &["--journal", &journal, &puzzle]].concat();
    let (mut size, mut least) = (0, 0u64);
    for _ in 0..200 {
        let done = output(&run);
        let there = fs::metadata(&journal).unwrap().len();
        assert!(there > size, "it grows");
        size = there;
        let said = stdout(&done).trim_end();
        match done.status.code() {
            Some(0) => {
                assert_eq!(said, number);
                assert!(least > 0);
                return;
            }
            Some(3) => {
                let bound: u64 = said.strip_prefix("at least ").unwrap().parse().unwrap();
                assert!(bound >= least, "{bound} after {least}");
                least = bound;
            }
            _ => panic!("{done:?}"),
        }
    }
    panic!("it does not come to its end");
}

/// One process of a journalled count in this process: its outcome, with the records of the journal before it.
fn process(
    puzzle: &Puzzle,
    path: &str,
    (method, threads): (Method, usize),
    limits: Limits,
    cut_after: Duration,
) -> (Vec<JournalRecord>, Outcome) {
    let header = Header::new(Digest::of(puzzle), "count");
    let (journal, records) = Journal::open(path.as_ref(), &header, |_| ()).unwrap();
    let cube_solver = CubeSolver::new(puzzle, Mode::Count(method), threads, 1 << 28);
    let run = JournalledRun::new(cube_solver, journal, records.clone(), None, limits).unwrap();
    (records, run.cut_after(cut_after).run(None).unwrap())
}

/// The answers of a journal that leave cubes open, and the largest number of such answers one inside the other.
fn cuts(records: &[JournalRecord], puzzle: &Puzzle) -> (usize, usize) {
    let digest = Digest::of(puzzle);
    let mut depths = HashMap::from([(Id::of(digest, &Cube::default()), 0)]);
    let (mut cuts, mut deepest) = (0, 0);
    for record in records {
        let JournalRecord::Result(answer) = record else {
            continue;
        };
        let depth = depths[&answer.id] + usize::from(!answer.open.is_empty());
        cuts += usize::from(!answer.open.is_empty());
        deepest = deepest.max(depth);
        let open = answer.open.iter();
        depths.extend(open.map(|open| (Id::of(digest, &open.unit), depth)));
    }
    (cuts, deepest)
}

/// Every cube has a moment only, and then a twentieth of the time of the run.
#[test]
fn a_count_whose_cubes_are_cut_several_times_is_exact() {
    let scratch = Scratch::new("cut");
    let puzzle = corpus::read(&slow(&scratch));
    let number = Counter::new(&puzzle).run().solutions;
    for method in [Method::Auto, Method::Regions, Method::Frontier] {
        for threads in [1, 2] {
            let path = scratch.file(&format!("{method:?}{threads}"));
            let run = |limits| {
                let moment = Duration::from_millis(2);
                process(&puzzle, &path, (method, threads), limits, moment)
            };
            let (_, outcome) = run(Limits::default());
            assert_eq!(outcome.solutions, number);
            let (records, again) = run(Limits::default());
            assert_eq!(again.solutions, number);
            assert_eq!(again.statistics.nodes, outcome.statistics.nodes);
            let (cuts, deepest) = cuts(&records, &puzzle);
            println!("{method:?} {threads}: {cuts} cuts, up to {deepest} deep");
            assert!(cuts >= 4 && deepest >= 3, "{method:?}: {cuts}, {deepest}");
        }
    }
}

#[test]
fn a_count_that_another_process_goes_on_with_at_every_turn_is_exact() {
    let mut random = Random(7);
    let (mut stops, mut processes, mut in_cubes) = (0, 0, 0);
    let scratch = Scratch::new("turns");
    for i in 0..120 {
        let side = 5 + random.below(5);
        let puzzle = random.puzzle(side, side, 0.3 + 0.01 * (i % 10) as f64);
        let method = [Method::Auto, Method::Regions, Method::Frontier][i % 3];
        let expected = Counter::new(&puzzle).method(method).run().solutions;
        let path = scratch.file(&i.to_string());
        let mut checks = 1 + random.below(30) as u64;
        let mut proved = Count::ZERO;
        loop {
            let limits = Limits::default().checks(checks);
            let moment = [Duration::ZERO, Duration::from_secs(1)][i / 3 % 2];
            let how = (method, 1 + i % 2);
            let (records, outcome) = process(&puzzle, &path, how, limits, moment);
            processes += 1;
            in_cubes += usize::from(cuts(&records, &puzzle).0 > 0);
            if outcome.is_complete() {
                assert_eq!(outcome.solutions, expected, "{method:?} {puzzle:?}");
                break;
            }
            let bound = outcome.solutions.number();
            assert!(bound <= expected.number());
            // What was stopped before it had had any time is not recorded.
            assert!(*bound >= proved || moment > Duration::ZERO);
            proved = bound.clone();
            stops += 1;
            checks += checks / 8 + 1;
        }
    }
    let seen = (stops, processes, in_cubes);
    assert!(stops > 150 && in_cubes > 60, "{seen:?}");
}

/// Each process may take a twentieth of the nodes that the whole takes. What a cube that was stopped has counted is lost with its process.
#[test]
fn a_count_gets_on_with_few_nodes_at_a_time() {
    let scratch = Scratch::new("nodes");
    let puzzle = corpus::read(&slow(&scratch));
    let plain = on_threads(1, || Counter::new(&puzzle).method(Method::Regions).run());
    let slice = plain.statistics.nodes / 20;
    let path = scratch.file("journal");
    for processes in 1.. {
        assert!(processes < 600, "{} nodes", plain.statistics.nodes);
        let limits = Limits::default().nodes(slice);
        let how = (Method::Regions, 1);
        let (_, outcome) = process(&puzzle, &path, how, limits, Duration::from_secs(1));
        if outcome.is_complete() {
            assert_eq!(outcome.solutions, plain.solutions);
            println!(
                "{processes} processes, {} nodes of {}",
                outcome.statistics.nodes, plain.statistics.nodes
            );
            break;
        }
    }
}

/// How long work might go unrecorded depended on all the time that a run had taken: after twenty seconds nothing was recorded in the
/// first second.
#[cfg(unix)]
#[test]
fn an_old_run_that_is_killed_every_moment_gets_on() {
    let scratch = Scratch::new("old");
    let journal = scratch.file("journal");
    let puzzle = "puzzles/families/permutation-12.non";
    let run = ["count", "-j1", "--method", "tree", "--journal", &journal];
    let run = [&run[..], &[puzzle]].concat();
    output(&[&run[..], &["--nodes", "3000"]].concat());
    let text = fs::read_to_string(&journal).unwrap();
    let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
    let mut old: UnitResult = serde_json::from_str(last).unwrap();
    old.elapsed = Some(100_000.0);
    fs::write(&journal, format!("{rest}\n{}", seal(&old))).unwrap();
    let mut grown = 0;
    for _ in 0..8 {
        let before = fs::metadata(&journal).unwrap().len();
        kill_after(
            Duration::from_millis(1500),
            omnogram(&run).stdout(Stdio::null()),
        );
        grown += usize::from(fs::metadata(&journal).unwrap().len() > before);
    }
    assert!(grown >= 4, "{grown}");
}

/// A cube of which nothing comes in the time that there is must become smaller.
#[test]
fn a_cube_that_was_worked_on_in_vain_is_cut() {
    let scratch = Scratch::new("vain");
    let digest = Digest::of(&permutation(7));
    for verb in ["count", "enumerate"] {
        let (journal, list) = (scratch.file(verb), scratch.file("list"));
        let run = match verb {
            "count" => vec![
                verb,
                "-j1",
                "--method",
                "tree",
                "--journal",
                &journal,
                PERMUTATION_7,
            ],
            _ => vec![
                verb,
                "-j1",
                "-o",
                &list,
                "--journal",
                &journal,
                PERMUTATION_7,
            ],
        };
        output(&[&run[..], &["--nodes", "0"]].concat());
        let header = fs::read_to_string(&journal).unwrap();
        assert_eq!(header.lines().count(), 1, "{header}");
        let vain = Attempt {
            id: Id::of(digest, &Cube::default()),
            puzzle: digest,
            elapsed: 1.0,
            proved: Count::ZERO,
        };
        fs::write(&journal, format!("{header}{}", seal(&vain))).unwrap();
        let done = ended(0, &run);
        let text = fs::read_to_string(&journal).unwrap();
        let first: UnitResult = serde_json::from_str(text.lines().nth(2).unwrap()).unwrap();
        assert!(first.open.len() > 1 && first.count.is_zero(), "{text}");
        match verb {
            "count" => assert_eq!(stdout(&done), "5040\n"),
            _ => assert_eq!(
                crate::common::command::whole(&fs::read_to_string(&list).unwrap(), 7),
                5040
            ),
        }
    }
}
