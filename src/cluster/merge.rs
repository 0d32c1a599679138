//! Merges the answers to cubes.
//!
//! Every cube has to be answered. If an answer leaves cubes open, these have to be answered too. A repeated answer is added only once. If a
//! cube has several answers (one worker died, another took over), any one is sufficient, and all must agree. A record is accepted only if
//! it is whole and has the right checksum. Cubes that overlap others are removed until the rest are disjoint. An answer is rejected if it
//! has more than 2^n solutions, where n is the number of unknown cells of its cube.

use std::io::BufRead;

use std::collections::{HashMap, HashSet};

use super::answer::Answer;
use super::cube::{CubeTask, Id};
use super::digest::Digest;
use super::line::Lines;
use super::part::{Part, Text};
use super::problems::Problems;
use super::summation::{PlacedAnswer, Summation};
use crate::error::{Error, Kind, Result};
use crate::search::{Cube, Total};

/// Cubes, or slices of a census, and the answers to them.
#[derive(Debug)]
pub struct Merge<P = Cube> {
    puzzle: Option<Digest>,
    /// Number of cubes of the split, according to the files of cubes.
    expected_cubes: u64,
    /// The cubes of the split.
    tasks: Vec<CubeTask<P>>,
    // The keys come from files, so they must not be able to make a table slow.
    ids: HashSet<Id>,
    answers: HashMap<Id, Vec<PlacedAnswer<P>>>,
    /// The fingerprints of all answers, by which repeated ones are found.
    fingerprints: HashSet<(Id, Digest)>,
    problems: Problems,
    /// Whether the files of cubes are incomplete or invalid, so that it is not known which cubes are missing.
    has_invalid_cubes: bool,
    repeats: u64,
}

/// The merged answers.
#[derive(Debug)]
pub struct Merged<P = Cube> {
    /// The number of solutions.
    pub solutions: Total,
    /// The answers that were added up, and their cubes.
    pub answers: Vec<(P, Answer<P>)>,
    /// Cubes without an answer that tells anything.
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
            ids: HashSet::new(),
            answers: HashMap::new(),
            fingerprints: HashSet::new(),
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
                    if self.fingerprints.insert((answer.id, fingerprint(&answer))) {
                        let line = lines.line();
                        let placed = self.answers.entry(answer.id).or_default();
                        placed.push(PlacedAnswer { answer, file, line });
                    } else {
                        self.repeats += 1;
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
        let tasks = std::mem::take(&mut self.tasks);
        let summation =
            Summation::new(self.puzzle, &self.answers, result_files, &mut self.problems);
        let sum = summation.add_up(&tasks);
        let (mut missing, has_contradiction) = (sum.missing, sum.has_contradiction);
        let mut unrequested: Vec<&PlacedAnswer<P>> = self
            .answers
            .iter()
            // Without cubes every answer would be unrequested. Then only the lack of cubes is reported.
            .filter(|(id, _)| !sum.requested.contains(id) && !tasks.is_empty())
            .flat_map(|(_, placed)| placed)
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
        let used = sum.chosen.iter().map(|(_, answer)| answer);
        let (problems, problem_count) = self.problems.into_parts();
        Merged {
            solutions: match complete {
                true => Total::Exactly(sum.count),
                false => Total::AtLeast(sum.count),
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
            answers: sum.chosen,
            missing,
        }
    }
}

/// What an answer says: its count, its tally, the digest of the set, the file of solutions and the open cubes. An answer with the same
/// fingerprint repeats it, wherever it is and whatever it cost.
fn fingerprint<P: Part>(answer: &Answer<P>) -> Digest {
    let mut open: Vec<String> = answer
        .open
        .iter()
        .map(|open| Text(&open.cube).to_string())
        .collect();
    open.sort_unstable();
    let Answer {
        count,
        set,
        tally,
        file,
        ..
    } = answer;
    Digest::of_text(&format!("{count} {tally:?} {set:?} {file:?} {open:?}"))
}
