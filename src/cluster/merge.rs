//! Merges the answers to cubes.
//!
//! Every cube has to be answered, and those that its answer leaves open. A record is accepted only if it is whole and has the right
//! checksum. A repeated answer is added only once. If a cube has several answers (one worker died, another took over), any one is
//! sufficient, and all must agree. Cubes that overlap others are removed until the rest are disjoint. An answer is rejected if it has more
//! than 2^n solutions, where n is the number of unknown cells of its cube.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use serde::de::DeserializeOwned;

use super::digest::{Digest, Id};
use super::line::RecordReader;
use super::problems::Problems;
use super::record::{CubeResult, CubeTask};
use super::summation::{PlacedResult, Summation};
use super::unit::WorkUnit;
use crate::error::{Error, Kind, Result};
use crate::search::{Cube, Total};

/// Cubes, or slices of a census, and the answers to them.
#[derive(Debug)]
pub struct Merge<U = Cube> {
    puzzle: Option<Digest>,
    /// The name of the first file of cubes, for problems of the split as a whole.
    cubes_file: Option<String>,
    /// The names of the files of results.
    result_files: Vec<String>,
    /// Number of cubes of the split, according to the files of cubes.
    expected_cubes: u64,
    /// The cubes of the split.
    tasks: Vec<CubeTask<U>>,
    // The keys come from files, so they must not be able to make a table slow.
    ids: HashSet<Id>,
    results: HashMap<Id, Vec<PlacedResult<U>>>,
    /// The fingerprints of all results, by which repeated ones are found.
    fingerprints: HashSet<(Id, Digest)>,
    problems: Problems,
    /// Whether the files of cubes are incomplete or invalid, so that it is not known which cubes are missing.
    has_invalid_cubes: bool,
    repeats: u64,
}

/// The merged answers.
#[derive(Debug)]
pub struct Merged<U = Cube> {
    /// The number of solutions.
    pub solutions: Total,
    /// The results that were added up, and their cubes.
    pub results: Vec<(U, CubeResult<U>)>,
    /// Cubes without an answer that tells anything.
    pub missing: Vec<CubeTask<U>>,
    /// Problems other than missing answers: for each file the first few, with their places, and the number of the others.
    pub problems: Vec<Error>,
    /// The number of all problems.
    pub problem_count: u64,
    /// Whether answers contradict each other, or the files of cubes are incomplete or invalid, so that more answers cannot help.
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

/// A merge without cubes, or without slices.
impl<U> Default for Merge<U> {
    fn default() -> Self {
        Merge {
            puzzle: None,
            cubes_file: None,
            result_files: Vec::new(),
            expected_cubes: 0,
            tasks: Vec::new(),
            ids: HashSet::new(),
            results: HashMap::new(),
            fingerprints: HashSet::new(),
            problems: Problems::default(),
            has_invalid_cubes: false,
            repeats: 0,
        }
    }
}

impl<U: WorkUnit> Merge<U> {
    /// Reads a file of cubes. Several files are taken as one split.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when it cannot be read. Problems of its lines are kept for [`Merged::problems`].
    pub fn read_cubes<R: BufRead>(&mut self, reader: RecordReader<R>) -> Result<()> {
        let name = || reader.file().to_owned();
        self.cubes_file.get_or_insert_with(name);
        let is_valid = self.read_records(reader, "cube", 1, |merge, task: CubeTask<U>, _| {
            let puzzle = *merge.puzzle.get_or_insert(task.puzzle);
            if task.puzzle != puzzle {
                let message = "this cube belongs to another puzzle than the first cube";
                return Err(Error::data(message));
            }
            if task.id != Id::of(puzzle, &task.cube) {
                return Err(Error::data("the id of this cube does not match its path"));
            }
            // A repeated cube is ignored.
            if merge.ids.insert(task.id) {
                merge.expected_cubes = merge.expected_cubes.max(task.of);
                merge.tasks.push(task);
            }
            Ok(())
        })?;
        self.has_invalid_cubes |= !is_valid;
        Ok(())
    }

    /// Reads a file of results, after all cubes.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when it cannot be read.
    pub fn read_results<R: BufRead>(&mut self, reader: RecordReader<R>) -> Result<()> {
        let file = self.result_files.len();
        self.result_files.push(reader.file().to_owned());
        self.read_records(reader, "result", 2, |merge, result: CubeResult<U>, line| {
            if merge.puzzle.is_some_and(|puzzle| puzzle != result.puzzle) {
                return Err(Error::data("this result belongs to another puzzle"));
            }
            if merge.fingerprints.insert((result.id, fingerprint(&result))) {
                let placed = merge.results.entry(result.id).or_default();
                placed.push(PlacedResult { result, file, line });
            } else {
                merge.repeats += 1;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Reads the records of a file, and passes each with its line number to `take`. What cannot be read or taken is a problem. If there are
    /// at least `many` lines and none is a record, one problem stands for all. Returns whether there was no problem.
    fn read_records<R: BufRead, T: DeserializeOwned>(
        &mut self,
        mut reader: RecordReader<R>,
        what: &str,
        many: u64,
        take: impl Fn(&mut Self, T, usize) -> Result<()>,
    ) -> Result<bool> {
        let (mut records, mut invalid, mut is_valid) = (0, 0, true);
        while let Some(record) = reader.record::<T>() {
            let problem = match record {
                Err(error) if error.kind() == Kind::Io => return Err(error),
                Err(error) => {
                    invalid += 1;
                    error
                }
                Ok(record) => {
                    records += 1;
                    match take(self, record, reader.line()) {
                        Ok(()) => continue,
                        Err(error) => reader.at_last_line(error),
                    }
                }
            };
            is_valid = false;
            self.problems.add(reader.file(), problem);
        }
        if records == 0 && invalid >= many {
            self.problems.replace_all(reader.file(), invalid, what);
        }
        Ok(is_valid)
    }

    /// Records a problem if the files of cubes are incomplete.
    fn check_cubes(&mut self, file: &str) {
        let found = self.tasks.len() as u64;
        let expected = self.expected_cubes;
        if found == 0 && !self.has_invalid_cubes {
            let message = "this file contains no cubes";
            self.problems.add(file, Error::data(message));
        } else if found != expected {
            let message = format!("the file has {found} cubes, but the split has {expected}");
            self.problems.add(file, Error::data(message));
        }
        self.has_invalid_cubes |= found == 0 || found != expected;
    }

    /// Removes cubes until the rest are disjoint, because solutions in two cubes would be counted twice.
    fn remove_overlaps(&mut self, file: &str) {
        let cubes: Vec<&U> = self.tasks.iter().map(|task| &task.cube).collect();
        let mut is_removed = vec![false; cubes.len()];
        for (cube, other) in U::overlapping(&cubes) {
            let [cube_id, other_id] = [cube, other].map(|place| self.tasks[place].id);
            let message = format!(
                "cube {cube_id} is ignored: it overlaps cube {other_id}, and {} in both would be counted twice",
                U::COUNTED
            );
            self.problems.add(file, Error::data(message));
            is_removed[cube] = true;
            self.has_invalid_cubes = true;
        }
        let mut is_removed = is_removed.into_iter();
        self.tasks.retain(|_| is_removed.next() == Some(false));
    }

    /// Merges the results.
    pub fn finish(mut self) -> Merged<U> {
        let cubes_file = self.cubes_file.take().unwrap_or_default();
        self.check_cubes(&cubes_file);
        self.remove_overlaps(&cubes_file);
        // Without cubes there is nothing to add up, and only the lack of cubes is reported.
        let puzzle = self.puzzle.unwrap_or_else(|| Digest::of_text(""));
        let sum = Summation::of(
            &self.tasks,
            puzzle,
            &self.results,
            &self.result_files,
            &mut self.problems,
        );
        let Summation {
            count,
            mut missing,
            chosen,
            has_contradiction,
            requested,
            ..
        } = sum;
        if !self.tasks.is_empty() {
            self.report_unrequested(&requested);
        }
        let number = missing.len() as u64;
        missing.iter_mut().for_each(|task| task.of = number);
        let has_invalid_input = has_contradiction || self.has_invalid_cubes;
        let (problems, problem_count) = self.problems.into_parts();
        Merged {
            solutions: if missing.is_empty() && !has_invalid_input {
                Total::Exactly(count)
            } else {
                Total::AtLeast(count)
            },
            has_invalid_input,
            problems,
            problem_count,
            repeats: self.repeats,
            cubes: self.tasks.len() as u64,
            nodes: (chosen.iter()).fold(0, |sum, (_, result)| sum.saturating_add(result.nodes)),
            // A fold, because `sum` of no numbers would be -0.
            seconds: (chosen.iter()).fold(0.0, |sum, (_, result)| sum + result.seconds.max(0.0)),
            results: chosen,
            missing,
        }
    }

    /// Reports the results of cubes that were not to be answered.
    fn report_unrequested(&mut self, requested: &HashSet<Id>) {
        let mut unrequested = Vec::new();
        let results = self.results.iter();
        for (id, placed) in results.filter(|(id, _)| !requested.contains(id)) {
            unrequested.extend(placed.iter().map(|placed| (placed.file, placed.line, id)));
        }
        unrequested.sort_unstable();
        for (file, line, id) in unrequested {
            let message = format!("cube {id} is not one of the cubes to answer");
            let error = Error::data(message).at(line, 1, "");
            self.problems.add(&self.result_files[file], error);
        }
    }
}

/// What a result says. A result with the same fingerprint repeats it, wherever it is and whatever it cost.
fn fingerprint<U: WorkUnit>(result: &CubeResult<U>) -> Digest {
    let mut open: Vec<String> = result.open_cubes().into_iter().map(U::to_string).collect();
    open.sort_unstable();
    let rest = (&result.tally, result.set, &result.file, open);
    Digest::of_text(&format!("{} {rest:?}", result.count))
}
