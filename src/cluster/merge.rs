//! Merges the answers to units of work: the cubes of a puzzle, or the slices of a census.
//!
//! Every unit has to be answered, and those that its answer leaves open. A record is accepted only if it is whole and has the right
//! checksum. A repeated answer is added only once. If a unit has several answers (one worker died, another took over), any one is
//! sufficient, and all must agree. Units that overlap others are removed until the rest are disjoint. An answer is rejected if it has more
//! than 2^n solutions, where n is the number of unknown cells of its unit.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use serde::de::DeserializeOwned;

use super::digest::{Digest, Id};
use super::line::RecordReader;
use super::problems::Problems;
use super::record::{UnitResult, UnitTask};
use super::summation::{PlacedResult, Summation};
use super::unit::WorkUnit;
use crate::error::{Error, Kind, Result};
use crate::search::{Cube, Total};

/// Units, and the answers to them.
#[derive(Debug)]
pub struct Merge<U = Cube> {
    puzzle: Option<Digest>,
    /// The name of the first file of units, for problems of the split as a whole.
    units_file: Option<String>,
    /// The names of the files of results.
    result_files: Vec<String>,
    /// Number of units of the split, according to the files of units.
    expected_units: u64,
    /// The units of the split.
    tasks: Vec<UnitTask<U>>,
    // The keys come from files, so they must not be able to make a table slow.
    ids: HashSet<Id>,
    results: HashMap<Id, Vec<PlacedResult<U>>>,
    /// The fingerprints of all results, by which repeated ones are found.
    fingerprints: HashSet<(Id, Digest)>,
    problems: Problems,
    /// Whether the files of units are incomplete or invalid, so that it is not known which units are missing.
    has_invalid_units: bool,
    repeats: u64,
}

/// The merged answers.
#[derive(Debug)]
pub struct Merged<U = Cube> {
    /// The number of solutions.
    pub solutions: Total,
    /// The results that were added up, and their units.
    pub results: Vec<(U, UnitResult<U>)>,
    /// Units without an answer that tells anything.
    pub missing: Vec<UnitTask<U>>,
    /// Problems other than missing answers: for each file the first few, with their places, and the number of the others.
    pub problems: Vec<Error>,
    /// The number of all problems.
    pub problem_count: u64,
    /// Whether answers contradict each other, or the files of units are incomplete or invalid, so that more answers cannot help.
    pub has_invalid_input: bool,
    /// Number of repeated answers, which are not added.
    pub repeats: u64,
    /// Number of units of the split, without those removed because they overlap one that is kept.
    pub units: u64,
    /// Total nodes of the answers that were added up.
    pub nodes: u64,
    /// Total time of the answers that were added up, in seconds.
    pub seconds: f64,
}

/// A merge without units.
impl<U> Default for Merge<U> {
    fn default() -> Self {
        Merge {
            puzzle: None,
            units_file: None,
            result_files: Vec::new(),
            expected_units: 0,
            tasks: Vec::new(),
            ids: HashSet::new(),
            results: HashMap::new(),
            fingerprints: HashSet::new(),
            problems: Problems::default(),
            has_invalid_units: false,
            repeats: 0,
        }
    }
}

impl<U: WorkUnit> Merge<U> {
    /// Reads a file of units. Several files are taken as one split.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when it cannot be read. Problems of its lines are kept for [`Merged::problems`].
    pub fn read_units<R: BufRead>(&mut self, reader: RecordReader<R>) -> Result<()> {
        let name = || reader.file().to_owned();
        self.units_file.get_or_insert_with(name);
        let is_valid = self.read_records(reader, "cube", 1, |merge, task: UnitTask<U>, _| {
            let puzzle = *merge.puzzle.get_or_insert(task.puzzle);
            if task.puzzle != puzzle {
                let message = "this cube belongs to another puzzle than the first cube";
                return Err(Error::data(message));
            }
            if task.id != Id::of(puzzle, &task.unit) {
                return Err(Error::data("the id of this cube does not match its path"));
            }
            // A repeated unit is ignored.
            if merge.ids.insert(task.id) {
                merge.expected_units = merge.expected_units.max(task.of);
                merge.tasks.push(task);
            }
            Ok(())
        })?;
        self.has_invalid_units |= !is_valid;
        Ok(())
    }

    /// Reads a file of results, after all units.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when it cannot be read.
    pub fn read_results<R: BufRead>(&mut self, reader: RecordReader<R>) -> Result<()> {
        let file = self.result_files.len();
        self.result_files.push(reader.file().to_owned());
        self.read_records(reader, "result", 2, |merge, result: UnitResult<U>, line| {
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

    /// Records a problem if the files of units are incomplete.
    fn check_units(&mut self, file: &str) {
        let found = self.tasks.len() as u64;
        let expected = self.expected_units;
        if found == 0 && !self.has_invalid_units {
            let message = "this file contains no cubes";
            self.problems.add(file, Error::data(message));
        } else if found != expected {
            let message = format!("the file has {found} cubes, but the split has {expected}");
            self.problems.add(file, Error::data(message));
        }
        self.has_invalid_units |= found == 0 || found != expected;
    }

    /// Removes units until the rest are disjoint, because solutions in two units would be counted twice.
    fn remove_overlaps(&mut self, file: &str) {
        let units: Vec<&U> = self.tasks.iter().map(|task| &task.unit).collect();
        let mut is_removed = vec![false; units.len()];
        for (unit, other) in U::overlapping(&units) {
            let [unit_id, other_id] = [unit, other].map(|place| self.tasks[place].id);
            let message = format!(
                "cube {unit_id} is ignored: it overlaps cube {other_id}, and {} in both would be counted twice",
                U::COUNTED
            );
            self.problems.add(file, Error::data(message));
            is_removed[unit] = true;
            self.has_invalid_units = true;
        }
        let mut is_removed = is_removed.into_iter();
        self.tasks.retain(|_| is_removed.next() == Some(false));
    }

    /// Merges the results.
    pub fn finish(mut self) -> Merged<U> {
        let units_file = self.units_file.take().unwrap_or_default();
        self.check_units(&units_file);
        self.remove_overlaps(&units_file);
        // Without units there is nothing to add up, and only the lack of units is reported.
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
        let has_invalid_input = has_contradiction || self.has_invalid_units;
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
            units: self.tasks.len() as u64,
            nodes: (chosen.iter()).fold(0, |sum, (_, result)| sum.saturating_add(result.nodes)),
            // A fold, because `sum` of no numbers would be -0.
            seconds: (chosen.iter()).fold(0.0, |sum, (_, result)| sum + result.seconds.max(0.0)),
            results: chosen,
            missing,
        }
    }

    /// Reports the results of units that were not to be answered.
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
fn fingerprint<U: WorkUnit>(result: &UnitResult<U>) -> Digest {
    let mut open: Vec<String> = result.open_units().into_iter().map(U::to_string).collect();
    open.sort_unstable();
    let rest = (&result.tally, result.set, &result.file, open);
    Digest::of_text(&format!("{} {rest:?}", result.count))
}
