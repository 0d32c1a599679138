//! Merges the answers to cubes.
//!
//! Every cube has to be answered. If an answer leaves cubes open, these have to be answered too. A repeated answer is added only once. If a
//! cube has several answers (one worker died, another took over), any one is sufficient, and all must agree. A record is accepted only if
//! it is whole and has the right checksum. Cubes that overlap others are removed until the rest are disjoint. An answer is rejected if it
//! has more than 2^n solutions, where n is the number of unknown cells of its cube.

use std::io::BufRead;

use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::{Answer, Open};
use super::cube::{CubeTask, Id};
use super::digest::Digest;
use super::line::Lines;
use super::part::Part;
use super::problems::Problems;
use crate::census::Tally;
use crate::error::{Error, Kind, Result};
use crate::search::{Cube, Total};
use crate::solutions::Count;

/// Cubes, or slices of a census, and the answers to them.
#[derive(Debug)]
pub struct Merge<P = Cube> {
    puzzle: Option<Digest>,
    /// Number of cubes of the split, according to the files of cubes.
    expected_cubes: u64,
    /// The cubes of the split.
    tasks: Vec<CubeTask<P>>,
    ids: FxHashSet<Id>,
    answers: FxHashMap<Id, Vec<PlacedAnswer<P>>>,
    problems: Problems,
    /// Whether the files of cubes are incomplete or invalid, so that it is not known which cubes are missing.
    has_invalid_cubes: bool,
    repeats: u64,
}

/// An answer, and its place: the index of the file and the line number.
#[derive(Debug)]
struct PlacedAnswer<P> {
    answer: Answer<P>,
    file: usize,
    line: usize,
    /// Set when the summation reaches its cube: a cube of the split, or one that an answer left open, at any depth.
    is_requested: bool,
}

/// The merged answers.
#[derive(Debug)]
pub struct Merged<P = Cube> {
    /// The number of solutions.
    pub solutions: Total,
    /// The answers that were added up, and their cubes.
    pub answers: Vec<(P, Answer<P>)>,
    /// Cubes without an answer.
    pub missing: Vec<CubeTask<P>>,
    /// Problems other than missing answers: for each file the first few, with their places, and the number of the others.
    pub problems: Vec<Error>,
    /// The number of all problems.
    pub problem_count: u64,
    /// Whether answers contradict each other, or the files of cubes are incomplete or invalid. Then more answers cannot make the result
    /// complete.
    pub has_invalid_input: bool,
    /// Number of repeated answers, which are not added.
    pub repeats: u64,
    /// Number of cubes of the split, without those removed because they overlap one that is kept.
    pub cubes: u64,
    /// Total nodes of the answers that were added up.
    pub nodes: u64,
    /// Total time of the answers that were added up, in seconds.
    pub seconds: f64,
}

impl Merge {
    /// A merge without cubes of a puzzle.
    pub fn new() -> Self {
        Self::default()
    }
}

/// A merge without cubes, or without slices.
impl<P> Default for Merge<P> {
    fn default() -> Self {
        Merge {
            puzzle: None,
            expected_cubes: 0,
            tasks: Vec::new(),
            ids: FxHashSet::default(),
            answers: FxHashMap::default(),
            problems: Problems::default(),
            has_invalid_cubes: false,
            repeats: 0,
        }
    }
}

impl<P: Part> Merge<P> {
    /// Reads a file of cubes. Several files are taken as one split.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when it cannot be read. Problems of its lines are kept for [`Merged::problems`].
    pub fn read_cubes<R: BufRead>(&mut self, mut lines: Lines<R>) -> Result<()> {
        let (mut valid, mut invalid) = (0, 0);
        while let Some(task) = lines.record::<CubeTask<P>>() {
            let problem = match task {
                Err(error) if error.kind() == Kind::Io => return Err(error),
                Err(error) => {
                    invalid += 1;
                    error
                }
                Ok(task) => {
                    valid += 1;
                    let puzzle = *self.puzzle.get_or_insert(task.puzzle);
                    if task.puzzle != puzzle {
                        let other =
                            Error::data("this cube belongs to another puzzle than the first cube");
                        lines.at_last_line(other)
                    } else if task.id != Id::of(puzzle, &task.cube) {
                        lines.at_last_line(Error::data(
                            "the id of this cube does not match its path",
                        ))
                    } else if !self.ids.insert(task.id) {
                        // A repeated cube is ignored.
                        continue;
                    } else {
                        self.expected_cubes = self.expected_cubes.max(task.of);
                        self.tasks.push(task);
                        continue;
                    }
                }
            };
            self.has_invalid_cubes = true;
            self.problems.add(lines.file(), problem);
        }
        if valid == 0 && invalid > 0 {
            self.problems.replace_all(lines.file(), invalid, "cube");
        }
        Ok(())
    }

    /// Records a problem if the files of cubes are incomplete.
    fn check_cubes(&mut self, file: &str) {
        let found = self.tasks.len() as u64;
        if found == 0 && !self.has_invalid_cubes {
            let message = "this file contains no cubes";
            self.problems.add(file, Error::data(message));
        } else if found != self.expected_cubes {
            let message = format!(
                "the file has {found} cubes, but the split has {}",
                self.expected_cubes
            );
            self.problems.add(file, Error::data(message));
        }
        self.has_invalid_cubes |= found == 0 || found != self.expected_cubes;
    }

    /// Removes cubes until the rest are disjoint, because solutions in two cubes would be counted twice.
    fn remove_overlaps(&mut self, file: &str) {
        let cubes: Vec<&P> = self.tasks.iter().map(|task| &task.cube).collect();
        let mut is_removed = vec![false; cubes.len()];
        for (cube, other) in P::overlapping(&cubes) {
            let [cube_id, other_id] = [cube, other].map(|place| self.tasks[place].id);
            let message = format!(
                "cube {cube_id} is ignored: it overlaps cube {other_id}, and {} in both would be counted twice",
                P::COUNTED
            );
            self.problems.add(file, Error::data(message));
            is_removed[cube] = true;
            self.has_invalid_cubes = true;
        }
        let mut is_removed = is_removed.into_iter();
        self.tasks.retain(|_| is_removed.next() == Some(false));
    }

    /// Reads a file of results, after all cubes; `file` is its index in the names that are passed to [`finish`](Self::finish).
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when one cannot be read.
    pub fn read_results<R: BufRead>(&mut self, mut lines: Lines<R>, file: usize) -> Result<()> {
        let (mut valid, mut invalid) = (0, 0);
        while let Some(answer) = lines.record::<Answer<P>>() {
            match answer {
                Err(error) if error.kind() == Kind::Io => return Err(error),
                Err(error) => {
                    invalid += 1;
                    self.problems.add(lines.file(), error);
                }
                Ok(answer) if self.puzzle.is_some_and(|puzzle| puzzle != answer.puzzle) => {
                    valid += 1;
                    let other = Error::data("this result belongs to another puzzle");
                    self.problems.add(lines.file(), lines.at_last_line(other));
                }
                Ok(answer) => {
                    valid += 1;
                    let placed = self.answers.entry(answer.id).or_default();
                    if placed.iter().any(|placed| is_same(&placed.answer, &answer)) {
                        self.repeats += 1;
                    } else {
                        let line = lines.line();
                        placed.push(PlacedAnswer {
                            answer,
                            file,
                            line,
                            is_requested: false,
                        });
                    }
                }
            }
        }
        if valid == 0 && invalid > 1 {
            self.problems.replace_all(lines.file(), invalid, "result");
        }
        Ok(())
    }

    /// Merges the answers. `cubes_file` is the name for problems of the split as a whole; `result_files` are the names of the files of
    /// results, by the index passed to [`read_results`](Self::read_results).
    pub fn finish(mut self, cubes_file: &str, result_files: &[String]) -> Merged<P> {
        self.check_cubes(cubes_file);
        self.remove_overlaps(cubes_file);
        let mut summation = Summation {
            puzzle: self.puzzle,
            answers: &mut self.answers,
            results: result_files,
            problems: &mut self.problems,
            has_contradiction: false,
            missing: Vec::new(),
            chosen: Vec::new(),
        };
        let mut total = Count::ZERO;
        let tasks = std::mem::take(&mut self.tasks);
        for task in &tasks {
            let subtotal = summation.add(&task.cube, task.size, task.unknown);
            total += &subtotal.count;
        }
        let Summation {
            mut missing,
            has_contradiction,
            chosen,
            ..
        } = summation;
        let mut unrequested: Vec<&PlacedAnswer<P>> = self
            .answers
            .values()
            .flatten()
            // Without cubes every answer would be unrequested. Then only the lack of cubes is reported.
            .filter(|placed| !placed.is_requested && !tasks.is_empty())
            .collect();
        unrequested.sort_by_key(|placed| (placed.file, placed.line));
        for placed in unrequested {
            let message = format!(
                "cube {} is not one of the cubes to answer",
                placed.answer.id
            );
            let error = Error::data(message).at(placed.line, 1, "");
            self.problems.add(&result_files[placed.file], error);
        }
        let number = missing.len() as u64;
        missing.iter_mut().for_each(|task| task.of = number);
        let complete = missing.is_empty() && !has_contradiction && !self.has_invalid_cubes;
        let used = chosen.iter().map(|(_, answer)| answer);
        let (problems, problem_count) = self.problems.into_parts();
        Merged {
            solutions: match complete {
                true => Total::Exactly(total),
                false => Total::AtLeast(total),
            },
            has_invalid_input: has_contradiction || self.has_invalid_cubes,
            problems,
            problem_count,
            repeats: self.repeats,
            cubes: tasks.len() as u64,
            nodes: used
                .clone()
                .fold(0, |sum, answer| sum.saturating_add(answer.nodes)),
            // A fold, because `sum` of no numbers would be -0.
            seconds: used.fold(0.0, |sum, answer| sum + answer.seconds.max(0.0)),
            answers: chosen,
            missing,
        }
    }
}

/// Whether one answer repeats the other: the same count, digest of the set, file of solutions and open cubes. All else may differ, its
/// place too.
fn is_same<P: Part>(a: &Answer<P>, b: &Answer<P>) -> bool {
    let paths = |answer: &Answer<P>| -> FxHashSet<P> {
        answer.open.iter().map(|open| open.cube.clone()).collect()
    };
    a.count == b.count
        && a.tally == b.tally
        && a.set == b.set
        && a.file == b.file
        && paths(a) == paths(b)
}

/// The state of [`Merge::finish`] while it adds up the cubes.
struct Summation<'a, P> {
    puzzle: Option<Digest>,
    answers: &'a mut FxHashMap<Id, Vec<PlacedAnswer<P>>>,
    results: &'a [String],
    problems: &'a mut Problems,
    has_contradiction: bool,
    missing: Vec<CubeTask<P>>,
    chosen: Vec<(P, Answer<P>)>,
}

/// The sum over one answer to a cube and the answers to the cubes that it leaves open.
struct CubeSum {
    count: Count,
    complete: bool,
}

impl<P: Part> Summation<'_, P> {
    /// Adds up a cube and, recursively, the cubes that its answers leave open; these have longer paths, so the recursion ends. `unknown` is
    /// an upper bound on the number of unknown cells in the cube, if one is known; an open cube uses the bound of the cube whose answer
    /// left it open.
    fn add(&mut self, cube: &P, size: f64, unknown: Option<u32>) -> CubeSum {
        let incomplete = || CubeSum {
            count: Count::ZERO,
            complete: false,
        };
        let Some(puzzle) = self.puzzle else {
            return incomplete();
        };
        let id = Id::of(puzzle, cube);
        let mut placed = self.answers.remove(&id).unwrap_or_default();
        let (missing_before, chosen_before) = (self.missing.len(), self.chosen.len());
        let mut best: Option<Candidate<P>> = None;
        let mut cube_has_contradiction = false;
        for placed in &mut placed {
            placed.is_requested = true;
            let answer = &placed.answer;
            // If two answers leave the same cube open, the answers to it are checked twice, but each problem is reported once.
            let mut wrong = |message: String| {
                let error = Error::data(message).at(placed.line, 1, "");
                self.problems.add_once(&self.results[placed.file], error);
            };
            let inside = |open: &Open<P>| cube.contains(&open.cube);
            if !answer.open.iter().all(inside) {
                wrong(format!(
                    "this result leaves a cube open that is not part of cube {id}"
                ));
                continue;
            }
            let open: Vec<&P> = answer.open.iter().map(|open| &open.cube).collect();
            if !P::overlapping(&open).is_empty() {
                wrong(format!(
                    "the cubes that this result leaves open in cube {id} overlap"
                ));
                continue;
            }
            if let Some(unknown) =
                unknown.filter(|&unknown| exceeds_fillings(&answer.count, unknown))
            {
                wrong(too_many(id, &answer.count, unknown));
                continue;
            }
            if answer.open.iter().any(|open| open.cube == *cube) {
                // The whole cube stays open, so any solutions found in it will be found again.
                continue;
            }
            let mut subtotal = CubeSum {
                count: answer.count.clone(),
                complete: true,
            };
            self.chosen.push((cube.clone(), answer.clone()));
            for Open { cube, share } in &answer.open {
                let open_sum = self.add(cube, size * share.clamp(0.0, 1.0), unknown);
                subtotal.count += &open_sum.count;
                subtotal.complete &= open_sum.complete;
            }
            if let Some(unknown) =
                unknown.filter(|&unknown| exceeds_fillings(&subtotal.count, unknown))
            {
                let error =
                    Error::data(too_many(id, &subtotal.count, unknown)).at(placed.line, 1, "");
                self.problems.add_once(&self.results[placed.file], error);
                self.missing.truncate(missing_before);
                self.chosen.truncate(chosen_before);
                continue;
            }
            let candidate = Candidate {
                place: (placed.file, placed.line),
                has_file: answer.file.is_some(),
                set: answer.set.filter(|_| answer.is_complete()),
                tally: answer.tally.clone().filter(|_| answer.is_complete()),
                missing: self.missing.split_off(missing_before),
                chosen: self.chosen.split_off(chosen_before),
                subtotal,
            };
            match &mut best {
                None => best = Some(candidate),
                Some(best) => {
                    let differ = candidate.contradicts(best);
                    if differ {
                        let (file, line) = best.place;
                        let message = format!(
                            "cube {id} has {} {} here, but {} in {}:{line}{}",
                            candidate.subtotal.count,
                            P::COUNTED,
                            best.subtotal.count,
                            self.results[file],
                            match (
                                candidate.subtotal.count == best.subtotal.count,
                                &candidate.tally
                            ) {
                                (true, None) => ", and the sets of solutions differ",
                                (true, Some(_)) => ", and their histograms differ",
                                (false, _) => "",
                            }
                        );
                        let error = Error::data(message).at(placed.line, 1, "");
                        self.problems.add_once(&self.results[placed.file], error);
                        self.has_contradiction = true;
                        cube_has_contradiction = true;
                    }
                    // Of complete answers one with a list, of incomplete ones that with the most solutions.
                    let rank = |candidate: &Candidate<P>| {
                        let complete = candidate.subtotal.complete;
                        let count = (!complete).then(|| candidate.subtotal.count.clone());
                        (complete, count, candidate.has_file)
                    };
                    if rank(&candidate) > rank(best) {
                        *best = candidate;
                    }
                }
            }
        }
        if !placed.is_empty() {
            self.answers.insert(id, placed);
        }
        match best {
            // It is not known which of the conflicting answers is right.
            Some(_) if cube_has_contradiction => incomplete(),
            Some(best) => {
                self.missing.extend(best.missing);
                self.chosen.extend(best.chosen);
                best.subtotal
            }
            None => {
                let mut task = CubeTask::new(puzzle, cube.clone(), 0, size);
                task.unknown = unknown;
                self.missing.push(task);
                incomplete()
            }
        }
    }
}

/// Whether `count` exceeds 2 to the power of `unknown`, the number of fillings of that many cells.
fn exceeds_fillings(count: &Count, unknown: u32) -> bool {
    let unknown = u64::from(unknown);
    match count.bits().checked_sub(unknown + 1) {
        None => false,
        Some(0) => {
            let mut words = vec![0; unknown as usize / 64 + 1];
            words[unknown as usize / 64] = 1 << (unknown % 64);
            *count > Count::from_words(&words)
        }
        Some(_) => true,
    }
}

fn too_many(id: Id, count: &Count, unknown: u32) -> String {
    let count = match count.rough() {
        Some(rough) if count.bits() > 128 => format!("about {rough}"),
        _ => count.to_string(),
    };
    format!(
        "cube {id} cannot have {count} solutions: it has at most {unknown} unknown cells, with 2^{unknown} fillings"
    )
}

/// One answer to a cube, with the answers to the cubes that it leaves open: a candidate for the result of the cube.
struct Candidate<P> {
    /// The place of the answer: index of the file, and line number.
    place: (usize, usize),
    /// Whether its solutions are in a file.
    has_file: bool,
    /// The digest of the set of solutions, if the answer is complete and has one.
    set: Option<Digest>,
    /// The numbers of a slice of a census, if the answer is complete.
    tally: Option<Tally>,
    missing: Vec<CubeTask<P>>,
    chosen: Vec<(P, Answer<P>)>,
    subtotal: CubeSum,
}

impl<P> Candidate<P> {
    /// Whether the two cannot both be right. A sum with missing cubes is only a lower bound.
    fn contradicts(&self, other: &Candidate<P>) -> bool {
        let (a, b) = (&self.subtotal, &other.subtotal);
        match (a.complete, b.complete) {
            (true, true) => {
                let tallies = self.tally.as_ref().zip(other.tally.as_ref());
                a.count != b.count
                    || self.set.zip(other.set).is_some_and(|(a, b)| a != b)
                    || tallies.is_some_and(|(a, b)| a != b)
            }
            (true, false) => b.count > a.count,
            (false, true) => a.count > b.count,
            (false, false) => false,
        }
    }
}
