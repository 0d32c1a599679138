//! Merging: answers put together against what may be wrong with them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

use crate::common::command::{
    PERMUTATION_5, Scratch, answer, assert_printed, ended, output, split, stderr, stdout, words,
};
use crate::common::permutation;
use crate::common::pieces::{answers_to, cubes_of, lines, merged, pieces, work};
use omnogram::census::Slice;
use omnogram::cluster::{
    Digest, Id, Merge, Merged, Mode, RecordReader, UnitResult, UnitTask, seal,
};
use omnogram::count::Method;
use omnogram::puzzle::Cell;
use omnogram::search::{Cube, Decision, Limits, Total};
use omnogram::solutions::Count;
use serde_json::json;

/// The pieces of a puzzle with 120 solutions, the answers to them, and these as lines.
fn permutation_in_ten_pieces() -> (Vec<UnitTask>, Vec<UnitResult>, String) {
    let puzzle = permutation(5);
    let pieces = pieces(&puzzle, 10);
    let answers = answers_to(&puzzle, Mode::List, &pieces);
    let lines = lines(&answers);
    (pieces, answers, lines)
}

#[test]
fn a_merge_names_what_is_wrong() {
    let (pieces, answers, good) = permutation_in_ten_pieces();
    let sum = merged(&pieces, &[&good, &good]);
    assert_eq!(
        (sum.solutions.to_string().as_str(), sum.repeats),
        ("120", 10)
    );
    assert!(sum.problems.is_empty() && !sum.has_invalid_input);

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
    assert!(problems.contains("solutions here, but") && problems.ends_with("results-0:4"));

    let mut other = answers[3].clone();
    other.set = answers[4].set;
    let (exact, _, problems) = said(&[&good, &seal(&other)]);
    assert!(
        !exact && problems.ends_with("and the sets of solutions differ"),
        "{problems}"
    );

    let mut stranger = answers[0].clone();
    stranger.id = "0123456789abcdef".parse().unwrap();
    let (exact, missing, problems) = said(&[&good, &seal(&stranger)]);
    assert!(exact && missing == 0);
    assert!(problems.ends_with("cube 0123456789abcdef is not one of the cubes to answer"));

    let mut elsewhere = answers[0].clone();
    elsewhere.puzzle = Digest::of(&permutation(4));
    let (exact, _, problems) = said(&[&good, &seal(&elsewhere)]);
    assert!(exact && problems == "results-1:1:1: this result belongs to another puzzle");

    let few: String = good
        .lines()
        .skip(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let sum = merged(&pieces, &[&few]);
    assert!(!sum.solutions.is_exact() && !sum.has_invalid_input);
    let missing: BTreeSet<Id> = sum.missing.iter().map(|piece| piece.id).collect();
    assert_eq!(
        missing,
        answers[..2].iter().map(|answer| answer.id).collect()
    );
    assert!(sum.missing.iter().all(|piece| piece.of == 2));

    // A file of cubes that has lost a line.
    let sum = merged(&pieces[1..], &[&good]);
    assert!(!sum.solutions.is_exact() && sum.has_invalid_input);
    assert_eq!(
        sum.problems[0].to_string(),
        "cubes: the file has 9 cubes, but the split has 10"
    );
}

#[test]
fn torn_or_changed_anywhere_no_wrong_number_is_told() {
    let puzzle = permutation(4);
    let pieces = pieces(&puzzle, 4);
    let good = lines(&answers_to(&puzzle, Mode::List, &pieces));
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
        let mut merge = Merge::<Cube>::default();
        merge
            .read_units(RecordReader::new(lines(&pieces).as_bytes(), "cubes"))
            .unwrap();
        merge
            .read_results(RecordReader::new(&bytes[..], "results"))
            .unwrap();
        let sum = merge.finish();
        assert!(!sum.problems.is_empty() || at == good.len() - 1, "{at}");
        assert!(sum.problems.iter().all(|problem| problem.place().is_some()));
        assert!(sum.solutions == Total::Exactly(24u64.into()) || !sum.solutions.is_exact());
        assert!(sum.solutions.number() <= &24u64.into());
    }
}

/// Cubes that a limit stops leave their solutions in files like all others, and what is joined is held against the digests.
#[test]
fn solutions_in_files_are_joined_if_they_are_what_was_answered() {
    let scratch = Scratch::new("files");
    let [one, two, missing, found, list] =
        scratch.files(["one", "two", "missing", "found", "list"]);
    let puzzle = "puzzles/families/permutation-8.non";
    let cubes = split(&scratch, "6", puzzle);
    let task = ["work", "-q", "--puzzle", puzzle, "--solutions-dir", &found];
    let done = ended(3, &[&task[..], &["--nodes", "300", &cubes]].concat());
    fs::write(&one, &done.stdout).unwrap();
    ended(3, &["merge", "--missing", &missing, &cubes, &one]);
    let done = ended(0, &[&task[..], &[&missing]].concat());
    fs::write(&two, &done.stdout).unwrap();
    answer(&words(&format!(
        "merge --solutions-dir {found} -o {list} {cubes} {one} {two}"
    )));
    let verified = answer(&["verify", puzzle, &list]);
    assert!(
        verified.starts_with("40320 solutions, all valid, no repeats"),
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
    let done = ended(
        65,
        &words(&format!(
            "merge --force --solutions-dir {found} -o {list} {cubes} {one} {two}"
        )),
    );
    assert!(
        stderr(&done).contains(&file.display().to_string()),
        "{done:?}"
    );
    assert!(stderr(&done).contains("at least "), "{done:?}");
}

/// Once, a file of 300,000 lines that were no results made 300,000 errors, and a merge in which nothing was answered took `-0.000 s`.
#[test]
fn a_wrong_file_gets_one_message_not_one_for_each_line() {
    let scratch = Scratch::new("wrong");
    let wrong = scratch.file("wrong");
    let cubes = split(&scratch, "5", PERMUTATION_5);
    let numbers: String = (0..3000).map(|i| format!("{i}\n")).collect();
    fs::write(&wrong, numbers).unwrap();
    let done = ended(3, &["merge", "--json", &cubes, &wrong]);
    let said = "no line of this file is a result (3000 read)";
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
    let done = ended(65, &["merge", "-q", &wrong, &cubes]);
    let said = format!("error: {wrong}:1:1: no line of this file is a cube (3000 read)");
    assert!(stderr(&done).starts_with(&said), "{done:?}");
    let done = ended(65, &["work", "-q", "--puzzle", PERMUTATION_5, &wrong]);
    assert_eq!(stderr(&done).matches("error: ").count(), 6, "{done:?}");
    assert!(stderr(&done).contains("2995 more lines"), "{done:?}");
}

/// The first few of the problems of each file are named, with the lines in which they are, and the others counted.
#[test]
fn many_problems_of_a_file_are_counted() {
    let (pieces, answers, good) = permutation_in_ten_pieces();
    let elsewhere: Vec<UnitResult> = answers
        .iter()
        .cloned()
        .map(|answer| UnitResult {
            puzzle: Digest::of(&permutation(4)),
            ..answer
        })
        .collect();
    let torn = good.replace("\"}\n", "\n").repeat(40);
    let sum = merged(&pieces, &[&torn, &lines(&elsewhere), &good]);
    assert!(sum.solutions.is_exact() && sum.problem_count == 11);
    let said: Vec<String> = sum.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        said[0],
        "results-0:1:1: no line of this file is a result (400 read)"
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
    let results = scratch.file("results");
    let cubes = split(&scratch, "5", PERMUTATION_5);
    let good = answer(&["work", "-q", "--puzzle", PERMUTATION_5, &cubes]);
    fs::write(&results, format!("{}\n{good}\n", &good[..50])).unwrap();
    let done = output(&["merge", &cubes, &results]);
    assert_printed(&done, 0, "120\n");
    let warned = format!("warning: {results}:1:1: this line is incomplete");
    assert!(stderr(&done).starts_with(&warned), "{done:?}");
    assert!(!stderr(&done).contains("error:"), "{done:?}");
    let done = output(&["merge", "--quiet", &cubes, &results]);
    assert_eq!(stderr(&done), "");
    // Without the copy it is an error.
    fs::write(&results, &good[..good.len() - 9]).unwrap();
    let done = ended(3, &["merge", &cubes, &results]);
    assert!(stderr(&done).starts_with("error: "), "{done:?}");
}

/// Once, a lone result of 10^26 solutions of an 8x8 was believed.
#[test]
fn a_result_with_more_solutions_than_fillings_is_not_believed() {
    let scratch = Scratch::new("forged");
    let results = scratch.file("results");
    let puzzle = "puzzles/families/permutation-8.non";
    let cubes = split(&scratch, "4", puzzle);
    let good = answer(&["work", "-q", "--puzzle", puzzle, &cubes]);
    let mut read = RecordReader::new(good.as_bytes(), "");
    let mut forged = read.record::<UnitResult>().unwrap().unwrap();
    forged.count = "100000000000000000000000000".parse().unwrap();
    let forge = |answer: &UnitResult, more: &str| {
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
    assert_printed(&done, 0, "40320\n");
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
        let piece = UnitTask::new(digest, Cube::default(), 1, 1.0, Some(unknown));
        let pieces = [piece];
        let mut answers = answers_to(&puzzle, Mode::Count(Method::Tree), &pieces);
        answers[0].count = Count::from(count);
        merged(&pieces, &[&lines(&answers)])
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
    // In the place of the last one, a part of the first.
    let mut within = pieces[0].unit.clone();
    within.path.push(Decision {
        cell: Cell::new(4, 4),
        filled: true,
    });
    let last = pieces.len() - 1;
    let of = pieces[0].of;
    pieces[last] = UnitTask::new(Digest::of(&puzzle), within, of, 1.0, None);
    let answers = answers_to(&puzzle, Mode::Count(Method::Tree), &pieces);
    let sum = merged(&pieces, &[&lines(&answers)]);
    assert!(sum.has_invalid_input && !sum.solutions.is_exact());
    assert!(sum.solutions.number() < &Count::from(120));
    let said = sum.problems[0].to_string();
    assert!(
        said.starts_with("cubes: cube ") && said.contains(" overlaps cube "),
        "{said}"
    );
}

/// Which of two incomplete answers to a cube counts once depended on the order of their lines.
#[test]
fn of_two_incomplete_answers_the_one_with_more_solutions_counts() {
    let puzzle = permutation(7);
    let pieces = pieces(&puzzle, 2);
    let stopped = |nodes| {
        let limits = move || Limits::default().nodes(nodes);
        let answers = work(
            &puzzle,
            Mode::Count(Method::Tree),
            1,
            cubes_of(&pieces),
            limits,
        );
        assert!(answers.iter().all(|answer| !answer.open.is_empty()));
        answers
    };
    let (mut few, many) = (stopped(40), stopped(400));
    for answer in &mut few {
        answer.file = Some(format!("{}.txt", answer.id));
    }
    let number = |answers: &[UnitResult]| {
        let mut sum = Count::ZERO;
        answers.iter().for_each(|answer| sum += &answer.count);
        sum
    };
    assert!(number(&few) < number(&many));
    for results in [[&few, &many], [&many, &few]] {
        let results = results.map(|answers| lines(answers));
        let sum = merged(&pieces, &[&results[0], &results[1]]);
        assert_eq!(sum.solutions, Total::AtLeast(number(&many)));
    }
}

/// A merge of the answers to one slice of a census. Each answer has the start of its part, a number of clue sets, a file, and the starts of
/// the parts that it leaves open; all parts end where the slice ends.
fn merged_slices(answers: &[(u64, u64, Option<String>, Vec<u64>)]) -> Merged<Slice> {
    let slice = |from: u64| format!("5x5 none {from}..371293").parse::<Slice>().unwrap();
    let digest = Digest::of_census(slice(0).census());
    let id = |from: u64| Id::of(digest, &slice(from)).to_string();
    let mut merge = Merge::<Slice>::default();
    let task = json!({
        "id": id(0), "path": slice(0).to_string(), "puzzle": digest.to_string(), "of": 1, "size": 1.0,
    });
    merge
        .read_units(RecordReader::new(seal(&task).as_bytes(), "cubes"))
        .unwrap();
    let records: String = answers
        .iter()
        .map(|(from, count, file, open)| {
            let open = open.iter().map(|&from| json!({ "path": slice(from).to_string(), "share": 0.5 }));
            seal(&json!({
                "id": id(*from), "puzzle": digest.to_string(), "count": count.to_string(), "set": null,
                "open": open.collect::<Vec<_>>(), "stopped": null, "nodes": 1, "seconds": 0.0, "file": file,
            }))
        })
        .collect();
    merge
        .read_results(RecordReader::new(records.as_bytes(), "results"))
        .unwrap();
    merge.finish()
}

/// Once, the answers to a cube that several answers left open were added up again for each of these, so that a chain of 40 cubes would have
/// taken weeks; and a chain of 20,000 was too deep for the stack.
#[test]
fn a_long_chain_of_open_cubes_is_added_up_once() {
    for file in [None, Some("a.txt"), Some("b.txt")] {
        let depth = if file.is_none() { 20_000 } else { 200 };
        let mut answers = Vec::new();
        for from in 0..depth {
            let open = || {
                if from + 1 < depth {
                    vec![from + 1]
                } else {
                    Vec::new()
                }
            };
            answers.push((from, 1, file.map(str::to_owned), open()));
            if file.is_some() {
                answers.push((from, 1, None, open()));
            }
        }
        let sum = merged_slices(&answers);
        assert!(sum.problems.is_empty(), "{:?}", sum.problems);
        assert_eq!(sum.solutions, Total::Exactly(Count::from(depth)));
        assert_eq!(sum.results.len() as u64, depth);
        // Of two complete sums the one whose solutions are all in files.
        let listed = sum.results.iter().all(|(_, answer)| answer.file.is_some());
        assert_eq!(listed, file.is_some());
    }
}

/// Once, an answer was compared only with the best so far, and the sets of two others could differ.
#[test]
fn all_answers_to_a_cube_must_agree() {
    let puzzle = permutation(5);
    let pieces = pieces(&puzzle, 2);
    let listed = answers_to(&puzzle, Mode::List, &pieces);
    let stopped = work(&puzzle, Mode::List, 1, cubes_of(&pieces), || {
        Limits::default().nodes(3)
    });
    let open: Vec<Cube> = (stopped.iter())
        .flat_map(|answer| answer.open.iter().map(|open| open.unit.clone()))
        .collect();
    assert!(!open.is_empty());
    let rest = work(&puzzle, Mode::List, 1, open, Limits::default);
    let mut in_pieces = stopped;
    (in_pieces.iter_mut()).for_each(|answer| answer.file = Some(format!("{}.txt", answer.id)));
    in_pieces.extend(rest);
    let mut changed = listed.clone();
    changed[0].set = changed[1].set;
    let all = [&in_pieces[..], &listed, &changed].map(lines);
    let sum = merged(&pieces, &[&all[0], &all[1]]);
    assert!(sum.solutions.is_exact() && sum.problems.is_empty());
    let sum = merged(&pieces, &[&all[0], &all[1], &all[2]]);
    assert!(sum.has_invalid_input && !sum.solutions.is_exact());
    let problem = sum.problems[0].to_string();
    assert!(
        problem.contains("and the sets of solutions differ"),
        "{problem}"
    );
}
