//! Adds up the results of units of work, and of the units that these results leave open.
//!
//! Open units lie within the unit whose result leaves them open, so the results form a graph without cycles. The sum of a unit is computed
//! once, and after those of its open units.

use std::collections::{HashMap, HashSet};

use super::digest::{Digest, Id};
use super::problems::Problems;
use super::record::{OpenUnit, UnitResult, UnitTask};
use super::unit::WorkUnit;
use crate::error::Error;
use crate::solutions::Count;

/// A result, and its place: the index of the file and the line number.
#[derive(Debug)]
pub(super) struct PlacedResult<U> {
    pub(super) result: UnitResult<U>,
    pub(super) file: usize,
    pub(super) line: usize,
}

/// The sum of one unit.
#[derive(Debug)]
struct UnitSum {
    count: Count,
    /// Whether the count is exact.
    is_complete: bool,
    /// Whether the solutions of the result, and of those of its open units, are in files.
    is_listed: bool,
    source: Source,
}

/// Where the sum of a unit comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The result with this index.
    Result(usize),
    /// No result tells anything.
    Missing,
    /// Results contradict each other, and it is not known which is right.
    Contradiction,
}

/// A unit whose sum is to be computed.
struct PendingSum<'a, U> {
    unit: &'a U,
    id: Id,
    /// An upper bound on the unknown cells of the unit, if known: for an open unit that of the unit whose result left it open.
    unknown: Option<u32>,
    /// The indices of the results that may be right; `None` until the open units of these results are on the stack.
    usable: Option<Vec<usize>>,
}

impl UnitSum {
    /// The sum of a unit without a usable result.
    fn nothing(source: Source) -> Self {
        UnitSum {
            count: Count::ZERO,
            is_complete: false,
            is_listed: false,
            source,
        }
    }

    /// Complete sums are preferred, among these one whose solutions are in files; of incomplete sums the largest.
    fn rank(&self) -> (bool, Option<&Count>, bool) {
        let bound = (!self.is_complete).then_some(&self.count);
        (self.is_complete, bound, self.is_listed)
    }
}

impl<U> PendingSum<'_, U> {
    /// The problem of a count that exceeds 2 to the power of the unknown cells, the number of their fillings.
    fn excess(&self, count: &Count) -> Option<String> {
        let unknown = self.unknown?;
        let mut less = count.clone();
        if !less.is_zero() {
            less -= &Count::ONE;
        }
        if less.bits() <= u64::from(unknown) {
            return None;
        }
        let count = match count.rough() {
            Some(rough) if count.bits() > 128 => format!("about {rough}"),
            _ => count.to_string(),
        };
        Some(format!(
            "cube {} cannot have {count} solutions: it has at most {unknown} unknown cells, with 2^{unknown} fillings",
            self.id
        ))
    }
}

/// The addition of the results of all units of a split.
pub(super) struct Summation<'a, U> {
    puzzle: Digest,
    results: &'a HashMap<Id, Vec<PlacedResult<U>>>,
    /// The names of the files of results.
    result_files: &'a [String],
    problems: &'a mut Problems,
    sums: HashMap<Id, UnitSum>,
    /// The sum of the counts: the number of solutions, or a lower bound if `missing` is not empty or results contradict each other.
    pub(super) count: Count,
    /// The units without a result that tells anything.
    pub(super) missing: Vec<UnitTask<U>>,
    /// The results that were added up, and their units.
    pub(super) chosen: Vec<(U, UnitResult<U>)>,
    /// Whether results contradict each other.
    pub(super) has_contradiction: bool,
    /// The units of the split, and those that a result left open, at any depth.
    pub(super) requested: HashSet<Id>,
}

impl<'a, U: WorkUnit> Summation<'a, U> {
    /// Adds up disjoint units.
    pub(super) fn of(
        tasks: &'a [UnitTask<U>],
        puzzle: Digest,
        results: &'a HashMap<Id, Vec<PlacedResult<U>>>,
        result_files: &'a [String],
        problems: &'a mut Problems,
    ) -> Self {
        let mut summation = Summation {
            puzzle,
            results,
            result_files,
            problems,
            sums: HashMap::new(),
            count: Count::ZERO,
            missing: Vec::new(),
            chosen: Vec::new(),
            has_contradiction: false,
            requested: HashSet::new(),
        };
        let mut seen = HashSet::new();
        for task in tasks {
            summation.compute(task);
            summation.count += &summation.sums[&task.id].count;
            summation.collect(task, &mut seen);
        }
        summation
    }

    /// Collects what the sum of a unit of the split consists of, in the order of the open units. `seen` has the units that were visited.
    fn collect(&mut self, task: &'a UnitTask<U>, seen: &mut HashSet<Id>) {
        let mut stack = vec![(&task.unit, task.id, task.size)];
        while let Some((unit, id, size)) = stack.pop() {
            // Disjoint units come once each, unless two have the same id.
            if !seen.insert(id) {
                continue;
            }
            match self.sums.get(&id).map(|sum| sum.source) {
                Some(Source::Result(index)) => {
                    let result = &self.results_of(id)[index].result;
                    self.chosen.push((unit.clone(), result.clone()));
                    stack.extend(result.open.iter().rev().map(|OpenUnit { unit, share }| {
                        let id = Id::of(self.puzzle, unit);
                        (unit, id, size * share.clamp(0.0, 1.0))
                    }));
                }
                Some(Source::Contradiction) => {}
                Some(Source::Missing) | None => {
                    let task = UnitTask::new(self.puzzle, unit.clone(), 0, size, task.unknown);
                    self.missing.push(task);
                }
            }
        }
    }

    /// Computes the sum of a unit after the sums of all units left open in it. The depth depends on the files, so the stack is explicit.
    fn compute(&mut self, task: &'a UnitTask<U>) {
        let pending = |unit: &'a U, id: Id| PendingSum {
            unit,
            id,
            unknown: task.unknown,
            usable: None,
        };
        let mut stack = vec![pending(&task.unit, task.id)];
        while let Some(mut next) = stack.pop() {
            if let Some(usable) = &next.usable {
                let sum = self.combine(&next, usable);
                self.sums.insert(next.id, sum);
                continue;
            }
            if !self.requested.insert(next.id) {
                continue;
            }
            let (usable, results) = (self.usable(&next), self.results_of(next.id));
            next.usable = Some(usable.clone());
            stack.push(next);
            for index in usable {
                let open = results[index].result.open.iter();
                stack.extend(open.map(|open| pending(&open.unit, Id::of(self.puzzle, &open.unit))));
            }
        }
    }

    fn results_of(&self, id: Id) -> &'a [PlacedResult<U>] {
        self.results.get(&id).map_or(&[], |placed| placed)
    }

    /// Adds a problem of a result.
    fn add_problem(&mut self, placed: &PlacedResult<U>, message: String) {
        let error = Error::data(message).at(placed.line, 1, "");
        self.problems.add(&self.result_files[placed.file], error);
    }

    /// The indices of the results of a unit that may be right. Reports why the others cannot.
    fn usable(&mut self, pending: &PendingSum<'a, U>) -> Vec<usize> {
        let (unit, id) = (pending.unit, pending.id);
        let mut usable = Vec::new();
        for (index, placed) in self.results_of(id).iter().enumerate() {
            let count = &placed.result.count;
            let open = placed.result.open_units();
            if !open.iter().all(|open| unit.contains(open)) {
                let message =
                    format!("this result leaves a cube open that is not part of cube {id}");
                self.add_problem(placed, message);
            } else if !U::overlapping(&open).is_empty() {
                let message =
                    format!("the cubes that this result leaves open in cube {id} overlap");
                self.add_problem(placed, message);
            } else if let Some(message) = pending.excess(count) {
                self.add_problem(placed, message);
            } else if !open.contains(&unit) {
                // If the whole unit stays open, any solutions found in it will be found again.
                usable.push(index);
            }
        }
        usable
    }

    /// The sum of a unit by the best of its results. The sums of their open units are known.
    fn combine(&mut self, pending: &PendingSum<'a, U>, usable: &[usize]) -> UnitSum {
        let results = self.results_of(pending.id);
        let mut best: Option<UnitSum> = None;
        let mut claims = Claims::default();
        let mut has_contradiction = false;
        for &index in usable {
            let placed = &results[index];
            let sum = self.sum_of(index, &placed.result);
            if let Some(message) = pending.excess(&sum.count) {
                self.add_problem(placed, message);
                continue;
            }
            if let Some((other, difference)) = claims.add(results, index, &sum) {
                let PlacedResult { file, line, .. } = &results[other.index];
                let here = format!("cube {} has {} {} here", pending.id, sum.count, U::COUNTED);
                let there = format!("{} in {}:{line}", other.count, self.result_files[*file]);
                self.add_problem(placed, format!("{here}, but {there}{difference}"));
                has_contradiction = true;
            }
            if best.as_ref().is_none_or(|best| sum.rank() > best.rank()) {
                best = Some(sum);
            }
        }
        self.has_contradiction |= has_contradiction;
        match best {
            Some(_) if has_contradiction => UnitSum::nothing(Source::Contradiction),
            Some(best) => best,
            None => UnitSum::nothing(Source::Missing),
        }
    }

    /// The sum of the result with this index and of its open units.
    fn sum_of(&self, index: usize, result: &UnitResult<U>) -> UnitSum {
        let mut sum = UnitSum {
            count: result.count.clone(),
            is_complete: true,
            is_listed: result.file.is_some(),
            source: Source::Result(index),
        };
        for open in &result.open {
            // There is no sum only if two units have the same id.
            let Some(open_sum) = self.sums.get(&Id::of(self.puzzle, &open.unit)) else {
                sum.is_complete = false;
                continue;
            };
            sum.count += &open_sum.count;
            sum.is_complete &= open_sum.is_complete;
            sum.is_listed &= open_sum.is_listed;
        }
        sum
    }
}

/// What the results of a unit claim, as far as it can contradict another result.
#[derive(Debug, Default)]
struct Claims {
    /// The first exact count.
    exact: Option<Claim>,
    /// The greatest lower bound.
    bound: Option<Claim>,
    /// The first complete result with a digest of the set of solutions, and the first with a tally; incomplete results do not tell these.
    with_set: Option<Claim>,
    with_tally: Option<Claim>,
}

/// A count that a result claims.
#[derive(Clone, Debug)]
struct Claim {
    count: Count,
    /// The index of the result.
    index: usize,
}

impl Claims {
    /// Adds what the result with this index and sum claims. Returns an earlier claim that contradicts it, and how if the counts are equal.
    fn add<U: WorkUnit>(
        &mut self,
        results: &[PlacedResult<U>],
        index: usize,
        sum: &UnitSum,
    ) -> Option<(Claim, &'static str)> {
        let count = &sum.count;
        let claim = Claim {
            count: count.clone(),
            index,
        };
        if !sum.is_complete {
            let contradiction = self.exact.clone().filter(|exact| *count > exact.count);
            if (self.bound.as_ref()).is_none_or(|bound| *count > bound.count) {
                self.bound = Some(claim);
            }
            return Some((contradiction?, ""));
        }
        let mut contradiction = (self.exact.clone().filter(|exact| *count != exact.count))
            .or_else(|| self.bound.clone().filter(|bound| *count < bound.count))
            .map(|other| (other, ""));
        self.exact.get_or_insert_with(|| claim.clone());
        let result = &results[index].result;
        if result.is_complete() && result.set.is_some() {
            let other = self.with_set.get_or_insert_with(|| claim.clone());
            if results[other.index].result.set != result.set {
                let how = ", and the sets of solutions differ";
                contradiction.get_or_insert((other.clone(), how));
            }
        }
        if result.is_complete() && result.tally.is_some() {
            let other = self.with_tally.get_or_insert(claim);
            if results[other.index].result.tally != result.tally {
                let how = ", and their histograms differ";
                contradiction.get_or_insert((other.clone(), how));
            }
        }
        contradiction
    }
}
