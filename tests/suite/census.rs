//! The census: against known numbers, against an enumeration of all pictures without symmetry, in pieces, and when it is stopped or
//! killed.

use std::collections::HashMap;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::common::command::{
    Scratch, answer, assert_bad_data, assert_printed, ended, fed, kill_after, moment, omnogram,
    output, stderr, stdout, without_growth, words,
};
use crate::common::{HISTOGRAM_OF_4X4, Random};
use omnogram::census::{Census, Ended, Engine, Slice, Sweeper, Tables, Tally, cut, estimate};
use omnogram::cluster::{Digest, Header, UnitResult, seal};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::Limits;
use serde_json::Value;

/// All numbers of a size.
fn census(height: usize, width: usize, engine: Engine) -> Tally {
    let census = Census::new(height, width, engine).unwrap();
    let tables = Tables::new(census);
    let mut sweeper = Sweeper::new(&tables, 1 << 30);
    let (tally, ended) = sweeper
        .sweep(&Slice::whole(census), &Limits::default(), |_| false)
        .unwrap();
    assert_eq!(ended, Ended::Done);
    assert_eq!(tally.pictures, 1 << (height * width));
    assert!(tally.is_consistent());
    tally
}

/// Clue sets, unique ones, those that line solving alone solves if known, the most solutions, and the clue sets with that number.
type Known = (u64, u64, Option<u64>, (u64, u64));

/// The known numbers of sizes that take less than a second.
const KNOWN: [((usize, usize), Known); 6] = [
    ((2, 2), (15, 14, None, (2, 1))),
    ((2, 5), (918, 816, None, (4, 1))),
    ((3, 3), (445, 384, Some(384), (6, 1))),
    ((3, 4), (3588, 3152, None, (6, 10))),
    ((3, 5), (28_068, 24_230, None, (12, 3))),
    ((4, 5), (915_743, 814_632, Some(801_832), (36, 4))),
];

#[test]
fn known_numbers() {
    for ((height, width), (clue_sets, unique, line_solvable, most)) in KNOWN {
        let tally = census(height, width, Engine::Count);
        assert_eq!((tally.clue_sets, tally.unique()), (clue_sets, unique));
        assert_eq!(tally.most(), most);
        assert_eq!(
            line_solvable.unwrap_or(tally.line_solvable),
            tally.line_solvable
        );
        // The grids transposed.
        assert_eq!(
            census(width, height, Engine::None).histogram,
            tally.histogram
        );
    }
}

#[test]
fn all_numbers_of_4x4() {
    let tally = census(4, 4, Engine::Count);
    assert_eq!((tally.clue_sets, tally.line_solvable), (58_196, 51_234));
    assert_eq!(tally.histogram, HISTOGRAM_OF_4X4.into());
}

/// The unique puzzles of two columns, OEIS A383345.
#[test]
fn two_columns() {
    for (rows, unique) in [
        (1, 4),
        (2, 14),
        (3, 52),
        (4, 210),
        (6, 3206),
        (8, 48_962),
        (9, 191_226),
    ] {
        assert_eq!(census(rows, 2, Engine::Lines).unique(), unique);
    }
}

/// The puzzles of all pictures, without any symmetry.
#[test]
fn symmetry_loses_nothing() {
    for (height, width) in [(1, 1), (1, 6), (2, 2), (2, 4), (3, 3), (3, 4), (5, 2)] {
        let mut solutions: HashMap<String, u64> = HashMap::new();
        for bits in 0..1u64 << (height * width) {
            let mut grid = Grid::new(width, height);
            for cell in (0..height * width).filter(|cell| bits >> cell & 1 == 1) {
                grid.set(cell / width, cell % width, true);
            }
            *solutions
                .entry(format!("{:?}", Puzzle::from_grid(&grid)))
                .or_default() += 1;
        }
        let mut histogram = std::collections::BTreeMap::new();
        for number in solutions.into_values() {
            *histogram.entry(number).or_insert(0) += 1;
        }
        for engine in [Engine::None, Engine::Count] {
            assert_eq!(census(height, width, engine).histogram, histogram);
        }
    }
}

#[test]
fn disjoint_slices_add_up() {
    let mut random = Random(4);
    for (height, width) in [(3, 4), (4, 4)] {
        let census_of = Census::new(height, width, Engine::Lines).unwrap();
        let tables = Tables::new(census_of);
        let whole = census(height, width, Engine::Lines);
        for slices in [1, 2, 7, 100, 100_000] {
            let cut = cut(&tables, slices, random.below(1000) as u64);
            assert!(cut.len() <= slices && cut.len() * 3 >= slices.min(30));
            assert_eq!(
                (cut[0].0.from(), cut[cut.len() - 1].0.to()),
                (0, census_of.tuples())
            );
            let mut sum = Tally::default();
            let mut last = 0;
            for (slice, _) in cut {
                assert_eq!(slice.from(), last);
                last = slice.to();
                let mut rest = slice;
                // Paused and stopped at random moments.
                while !rest.is_empty() {
                    let limits = Limits::default().checks(1 + random.below(40) as u64);
                    let pause = random.below(20) as u64;
                    let mut sweeper = Sweeper::new(&tables, 1 << 30);
                    let result = sweeper.sweep(&rest, &limits, |tally| tally.worked_out > pause);
                    let (tally, ended) = result.unwrap();
                    sum.add(&tally);
                    rest = match ended {
                        Ended::Done => break,
                        Ended::Paused(next) | Ended::Stopped(next, _) => rest.split_at(next).1,
                    };
                }
            }
            assert_eq!(sum, whole);
        }
    }
}

#[test]
fn slices_are_about_as_much_work() {
    let census_of = Census::new(4, 5, Engine::None).unwrap();
    let tables = Tables::new(census_of);
    for (slice, size) in cut(&tables, 12, 1) {
        let mut sweeper = Sweeper::new(&tables, 1 << 30);
        let (tally, _) = sweeper
            .sweep(&slice, &Limits::default(), |_| false)
            .unwrap();
        let share = tally.pictures as f64 / size;
        assert!((0.5..2.0).contains(&share), "{slice}: {share}");
    }
}

/// With three thousand tuples each of these estimates is within four standard errors, and the error is small.
#[test]
fn estimates_are_near_the_truth() {
    let census_of = Census::new(4, 4, Engine::Lines).unwrap();
    let tables = Tables::new(census_of);
    let estimates = |threads| {
        crate::common::on_threads(threads, || {
            estimate(&tables, 3000, 7, &Limits::default()).unwrap()
        })
    };
    let estimated = estimates(1);
    assert_eq!((estimated.tuples, estimated.stopped), (3000, None));
    for (figure, truth) in [
        (estimated.clue_sets, 58_196.0),
        (estimated.unique, 52_362.0),
        (estimated.line_solvable, 51_234.0),
    ] {
        assert!(figure.standard_error < 0.05 * truth, "{figure:?}");
        assert!(
            (figure.mean - truth).abs() < 4.0 * figure.standard_error,
            "{figure:?}"
        );
    }
    assert_eq!(estimates(3).unique, estimated.unique);
}

/// The answer as JSON, without the time.
fn json(text: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap();
    let fields = value.as_object_mut().unwrap();
    assert!(fields.remove("seconds").is_some());
    value
}

/// The numbers that a census and a merge print alike.
fn numbers(text: &str) -> Value {
    let mut value = json(text);
    let fields = value.as_object_mut().unwrap();
    let others = [
        "cubes", "answers", "repeats", "missing", "problems", "nodes",
    ];
    for name in others.iter().chain(&["worked_out", "stopped"]) {
        fields.remove(*name);
    }
    value
}

#[test]
fn threads_and_pieces_give_the_same_answer() {
    let whole = answer(&["census", "--json", "-j1", "4x4"]);
    let fields = json(&whole);
    assert_eq!(fields["unique"], 52_362);
    assert_eq!(
        (&fields["grids"], &fields["exact"]),
        (&65_536.into(), &true.into())
    );
    assert_eq!(
        (&fields["most"], &fields["most_clue_sets"]),
        (&24.into(), &1.into())
    );
    assert_eq!(
        (&fields["histogram"]["9"], &fields["stopped"]),
        (&16.into(), &Value::Null)
    );
    for threads in ["-j2", "-j5"] {
        assert_eq!(json(&answer(&["census", "--json", threads, "4x4"])), fields);
    }
    let scratch = Scratch::new("census-pieces");
    let [slices, results, more] = ["slices", "results", "more"].map(|name| scratch.file(name));
    let split = output(&["split", "--census", "4x4", "--cubes", "9"]);
    fs::write(&slices, &split.stdout).unwrap();
    let lines: Vec<&str> = stdout(&split).lines().collect();
    assert!(lines.len() > 4);
    // A part of the slices, one of them twice.
    let some = [lines[3], lines[0], lines[3]].join("\n");
    let done = fed(&["work", "--census", "-j2"], some.as_bytes());
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    fs::write(&results, &done.stdout).unwrap();
    let again = scratch.file("again");
    let merge = ["merge", "--json", "--missing", &again, &slices, &results];
    let part = ended(3, &merge);
    let fields = json(stdout(&part));
    assert_eq!(
        (&fields["exact"], &fields["most_clue_sets"]),
        (&false.into(), &Value::Null)
    );
    assert_eq!(
        (&fields["missing"], &fields["repeats"]),
        (&(lines.len() - 2).into(), &1.into())
    );
    fs::write(&more, answer(&["work", "--census", &again]) + "\n").unwrap();
    let merged = answer(&["merge", "--json", &slices, &results, &more]);
    assert_eq!(numbers(&merged), numbers(&whole));
    // A result that was changed, with a checksum that matches, contradicts the other.
    let text = fs::read_to_string(&more).unwrap();
    let line = text.lines().next().unwrap();
    let mut record: UnitResult<Slice> = serde_json::from_str(line).unwrap();
    record.tally.as_mut().unwrap().line_solvable -= 1;
    fs::write(&again, omnogram::cluster::seal(&record)).unwrap();
    let merged = ended(65, &["merge", &slices, &results, &more, &again]);
    assert!(
        stderr(&merged).contains("and their histograms differ"),
        "{merged:?}"
    );
}

#[test]
fn a_stopped_census_has_lower_bounds() {
    for (limit, stopped) in [("--time=30ms", "time"), ("--memory=1", "memory")] {
        let done = ended(3, &["census", "--json", "-q", limit, "6x6"]);
        let fields = json(stdout(&done));
        assert_eq!(
            (&fields["exact"], &fields["stopped"]),
            (&false.into(), &stopped.into())
        );
        assert!(fields["unique"].as_u64().unwrap() < 49_745_060_669);
    }
    let done = output(&["census", "--time=30ms", "6x6"]);
    assert!(stdout(&done).contains("\nunique:                at least "));
    assert!(
        stderr(&done).contains("stopped by --time 30ms, at "),
        "{done:?}"
    );
    let done = output(&["census", "--sample", "1000000", "--time=30ms", "7x7"]);
    assert!(stderr(&done).contains("stopped by --time 30ms"), "{done:?}");
}

#[test]
fn what_is_no_census_is_refused() {
    for size in ["0x5", "5", "9x9", "17x2", "5x", "x", "", "8x7", "-1x3"] {
        let done = output(&["census", "--", size]);
        assert_eq!((done.status.code(), stdout(&done)), (Some(2), ""), "{size}");
        assert!(
            stderr(&done).starts_with("error: invalid value"),
            "{done:?}"
        );
    }
    for arguments in [
        &["split", "-n", "3"][..],
        &[
            "split",
            "-n",
            "3",
            "--census",
            "4x4",
            "puzzles/pictures/key.non",
        ],
        &["work", "--census", "--method", "tree"],
        &["census", "--seed", "3", "4x4"],
    ] {
        assert_eq!(output(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_journal_of_something_else_is_refused_unchanged() {
    let scratch = Scratch::new("census-journal");
    let journal = scratch.file("journal");
    let run = |size: &str| output(&["census", "--journal", &journal, size]);
    let whole = run("3x4");
    assert_eq!(whole.status.code(), Some(0));
    let text = fs::read(&journal).unwrap();
    let refused = |done: std::process::Output, message: &str| {
        assert_printed(&done, 65, "");
        assert!(stderr(&done).contains(message), "{done:?}");
        assert_eq!(
            stderr(&done)
                .lines()
                .filter(|line| line.starts_with("error"))
                .count(),
            1
        );
    };
    refused(
        run("4x4"),
        "was started by `census 3x4 count`, not by `census 4x4 count`",
    );
    let lines = ["census", "--engine", "lines", "--journal", &journal, "3x4"];
    refused(output(&lines), "not by `census 3x4 lines`");
    let puzzle = "puzzles/pictures/key.non";
    refused(
        output(&["count", "--journal", &journal, puzzle]),
        "was started by `census 3x4 count`",
    );
    assert_eq!(fs::read(&journal).unwrap(), text);
    // Torn anywhere, it is resumed, and its end is the same.
    let mut random = Random(3);
    for _ in 0..12 {
        fs::write(&journal, &text[..random.below(text.len())]).unwrap();
        let done = run("3x4");
        assert_eq!(done.stdout, whole.stdout, "{done:?}");
    }
    // A damaged line that is not the last one.
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    fs::write(&journal, [lines[0], &b"x"[..], lines[1], lines[2]].concat()).unwrap();
    refused(run("3x4"), ":2:1: ");
    fs::write(&journal, [lines[0], lines[2], lines[1]].concat()).unwrap();
    refused(run("3x4"), ":2:1: this slice was not open");
    fs::write(&journal, "not a journal\n").unwrap();
    refused(run("3x4"), "not a journal");
    assert_eq!(fs::read(&journal).unwrap(), b"not a journal\n");
}

/// Starts a command, and kills it after a random time.
#[cfg(unix)]
fn kill(arguments: &[&str], stdout: Stdio, longest: Duration, random: &mut Random) {
    let wait = moment(longest, random);
    kill_after(wait, omnogram(arguments).stdout(stdout));
}

#[cfg(unix)]
#[test]
fn a_census_that_is_killed_is_exact() {
    let scratch = Scratch::new("census-killed");
    let journal = scratch.file("journal");
    let run = format!("census --engine lines --json --journal {journal} 4x6");
    let run = words(&run);
    let expected = numbers(&answer(&["census", "--engine", "lines", "--json", "4x6"]));
    assert_eq!(
        (&expected["unique"], &expected["line_solvable"]),
        (&12_819_322.into(), &12_560_410.into())
    );
    let mut random = Random(11);
    for _ in 0..8 {
        kill(&run, Stdio::null(), Duration::from_millis(700), &mut random);
    }
    let done = output(&run);
    assert_eq!(numbers(stdout(&done)), expected, "{done:?}");
    assert!(stderr(&done).contains("4x6: resuming at "), "{done:?}");
    // What is done is not done again.
    let again = without_growth(&journal, || output(&run));
    assert_eq!(numbers(stdout(&again)), expected);
}

#[cfg(unix)]
#[test]
fn work_on_a_census_that_is_killed_is_done_by_others() {
    let scratch = Scratch::new("census-work");
    let [slices, missing] = scratch.files(["slices", "missing"]);
    fs::write(
        &slices,
        answer(&["split", "--census", "4x5", "-n", "60"]) + "\n",
    )
    .unwrap();
    fs::copy(&slices, &missing).unwrap();
    let mut random = Random(12);
    let mut results = Vec::new();
    let merge = |results: &[String]| {
        let merge = ["merge", "--json", "--force", "--missing", &missing, &slices];
        let results = results.iter().map(String::as_str);
        output(&merge.into_iter().chain(results).collect::<Vec<_>>())
    };
    for round in 0.. {
        let result = scratch.file(&format!("results-{round}"));
        let file = fs::File::create(&result).unwrap();
        let time = format!("--time={}ms", 1 + random.below(50));
        // At last every slice may take its time.
        let work: &[&str] = if round < 8 {
            &["work", "--census", "-j2", &time, &missing]
        } else {
            &["work", "--census", "-j2", &missing]
        };
        kill(work, file.into(), Duration::from_millis(1500), &mut random);
        results.push(result);
        let merged = merge(&results);
        if merged.status.code() == Some(0) {
            let expected = answer(&["census", "--json", "4x5"]);
            assert_eq!(numbers(stdout(&merged)), numbers(&expected));
            println!("{round} rounds");
            return;
        }
        assert_eq!(merged.status.code(), Some(3), "{merged:?}");
        assert!(round < 60);
    }
}

/// The journal of 3x3 with one record, of the whole census.
fn journal_of_3x3(tally: Tally, open: Slice, elapsed: Option<f64>) -> String {
    let census = open.census();
    let header = Header::new(Digest::of_census(census), format!("census {census}"));
    let mut answer = UnitResult::of_slice(
        &Slice::whole(census),
        tally,
        vec![open],
        None,
        Duration::ZERO,
    );
    answer.elapsed = elapsed;
    seal(&header) + &seal(&answer)
}

/// A census whose journal left an empty slice open went on for ever, whatever its limits: nothing was done of it, so it stayed open.
#[test]
fn a_journal_with_an_empty_slice_is_refused() {
    let scratch = Scratch::new("census-empty");
    let journal = scratch.file("journal");
    let census = Census::new(3, 3, Engine::Count).unwrap();
    let text = journal_of_3x3(Tally::default(), Slice::new(census, 7, 7), None);
    fs::write(&journal, &text).unwrap();
    let done = output(&["census", "--journal", &journal, "3x3"]);
    let message = "\"3x3 count 7..7\" is not a slice of a census";
    assert_bad_data(&done, &format!("{journal}:2"), message);
    assert_eq!(fs::read_to_string(&journal).unwrap(), text);
}

/// Clue sets of a record that leaves its whole slice open are counted again; a duration near the largest one ended the program with a
/// panic.
#[test]
fn a_journal_that_leaves_the_whole_census_open() {
    let scratch = Scratch::new("census-whole");
    let journal = scratch.file("journal");
    let run = ["census", "--journal", &journal, "3x3"];
    let whole = Slice::whole(Census::new(3, 3, Engine::Count).unwrap());
    let elapsed = Some(18_446_744_073_709_549_568.0);
    fs::write(&journal, journal_of_3x3(Tally::default(), whole, elapsed)).unwrap();
    assert_eq!(answer(&run), answer(&["census", "3x3"]));
    let one = Tally {
        pictures: 1,
        clue_sets: 1,
        worked_out: 1,
        line_solvable: 1,
        histogram: [(1, 1)].into(),
    };
    fs::write(&journal, journal_of_3x3(one, whole, None)).unwrap();
    let done = output(&run);
    assert_printed(&done, 65, "");
    let message = "this record has numbers, but leaves its whole slice open";
    assert!(stderr(&done).contains(message), "{done:?}");
}
