//! Adds up the answers to cubes, and to the cubes that these answers leave open.
//!
//! Open cubes lie within the cube whose answer leaves them open, so the answers form a graph without cycles, from each cube down to smaller
//! ones. The sum of a cube is computed once, however many answers leave the cube open, and after those of its open cubes.

use std::collections::{HashMap, HashSet};

use super::answer::{Answer, Open};
use super::cube::{CubeTask, Id};
use super::digest::Digest;
use super::part::Part;
use super::problems::Problems;
use crate::error::Error;
use crate::solutions::Count;

/// An answer, and its place: the index of the file and the line number.
#[derive(Debug)]
pub(super) struct PlacedAnswer<P> {
    pub(super) answer: Answer<P>,
    pub(super) file: usize,
    pub(super) line: usize,
}

/// The sum over all cubes of a split.
#[derive(Debug)]
pub(super) struct Sum<P> {
    /// The sum of the counts: the number of solutions, or a lower bound if `missing` is not empty or answers contradict each other.
    pub(super) count: Count,
    /// The cubes without an answer that tells anything.
    pub(super) missing: Vec<CubeTask<P>>,
    /// The answers that were added up, and their cubes.
    pub(super) chosen: Vec<(P, Answer<P>)>,
    /// Whether answers contradict each other.
    pub(super) has_contradiction: bool,
    /// The cubes of the split, and those that an answer left open, at any depth.
    pub(super) requested: HashSet<Id>,
}

/// The sum of one cube.
#[derive(Debug)]
struct CubeSum {
    count: Count,
    /// Whether the count is exact.
    is_complete: bool,
    /// Whether the solutions of the answer, and of those to its open cubes, are in files.
    is_listed: bool,
    source: Source,
}

/// Where the sum of a cube comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The answer with this index.
    Answer(usize),
    /// No answer tells anything.
    Missing,
    /// Answers contradict each other, and it is not known which is right.
    Contradiction,
}

/// A cube whose sum is to be computed.
struct Frame<'a, P> {
    cube: &'a P,
    id: Id,
    /// An upper bound on the number of unknown cells in the cube, if one is known; an open cube has the bound of the cube whose answer left
    /// it open.
    unknown: Option<u32>,
    /// The indices of the answers that may be right; `None` until the open cubes of these answers are on the stack.
    usable: Option<Vec<usize>>,
}

/// The state of the addition.
pub(super) struct Summation<'a, P> {
    puzzle: Option<Digest>,
    answers: &'a HashMap<Id, Vec<PlacedAnswer<P>>>,
    /// The names of the files of results.
    result_files: &'a [String],
    problems: &'a mut Problems,
    sums: HashMap<Id, CubeSum>,
    requested: HashSet<Id>,
    has_contradiction: bool,
}

impl<'a, P: Part> Summation<'a, P> {
    pub(super) fn new(
        puzzle: Option<Digest>,
        answers: &'a HashMap<Id, Vec<PlacedAnswer<P>>>,
        result_files: &'a [String],
        problems: &'a mut Problems,
    ) -> Self {
        Summation {
            puzzle,
            answers,
            result_files,
            problems,
            sums: HashMap::new(),
            requested: HashSet::new(),
            has_contradiction: false,
        }
    }

    /// Adds up disjoint cubes.
    pub(super) fn add_up(mut self, tasks: &'a [CubeTask<P>]) -> Sum<P> {
        let (mut count, mut missing, mut chosen) = (Count::ZERO, Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        let Some(puzzle) = self.puzzle else {
            return self.finish(count, missing, chosen);
        };
        for task in tasks {
            self.compute(puzzle, task);
            let id = Id::of(puzzle, &task.cube);
            count += &self.sums[&id].count;
            // What the sum of the task consists of, in the order of the open cubes.
            let mut stack = vec![(&task.cube, id, task.size)];
            while let Some((cube, id, size)) = stack.pop() {
                // Disjoint cubes come once each, unless two have the same id.
                if !seen.insert(id) {
                    continue;
                }
                match self.sums.get(&id).map(|sum| sum.source) {
                    Some(Source::Answer(index)) => {
                        let answer = &self.answers[&id][index].answer;
                        chosen.push((cube.clone(), answer.clone()));
                        let open = answer.open.iter().rev();
                        stack.extend(open.map(|Open { cube, share }| {
                            (cube, Id::of(puzzle, cube), size * share.clamp(0.0, 1.0))
                        }));
                    }
                    Some(Source::Contradiction) => {}
                    Some(Source::Missing) | None => {
                        let mut task_of_cube = CubeTask::new(puzzle, cube.clone(), 0, size);
                        task_of_cube.unknown = task.unknown;
                        missing.push(task_of_cube);
                    }
                }
            }
        }
        self.finish(count, missing, chosen)
    }

    fn finish(
        self,
        count: Count,
        missing: Vec<CubeTask<P>>,
        chosen: Vec<(P, Answer<P>)>,
    ) -> Sum<P> {
        Sum {
            count,
            missing,
            chosen,
            has_contradiction: self.has_contradiction,
            requested: self.requested,
        }
    }

    /// Computes the sum of a cube of the split, after the sums of all cubes that answers leave open in it. The stack is explicit because
    /// the depth depends on the files.
    fn compute(&mut self, puzzle: Digest, task: &'a CubeTask<P>) {
        let mut stack = vec![Frame {
            cube: &task.cube,
            id: Id::of(puzzle, &task.cube),
            unknown: task.unknown,
            usable: None,
        }];
        while let Some(mut frame) = stack.pop() {
            if let Some(usable) = &frame.usable {
                let sum = self.combine(puzzle, &frame, usable);
                self.sums.insert(frame.id, sum);
                continue;
            }
            if !self.requested.insert(frame.id) {
                continue;
            }
            let usable = self.usable(&frame);
            let (answers, unknown) = (self.answers_to(frame.id), frame.unknown);
            frame.usable = Some(usable.clone());
            stack.push(frame);
            for index in usable {
                let open = answers[index].answer.open.iter();
                stack.extend(open.map(|Open { cube, .. }| Frame {
                    cube,
                    id: Id::of(puzzle, cube),
                    unknown,
                    usable: None,
                }));
            }
        }
    }

    fn answers_to(&self, id: Id) -> &'a [PlacedAnswer<P>] {
        self.answers.get(&id).map_or(&[], |placed| placed)
    }

    /// Adds a problem of an answer.
    fn add_problem(&mut self, placed: &PlacedAnswer<P>, message: String) {
        let error = Error::data(message).at(placed.line, 1, "");
        self.problems.add(&self.result_files[placed.file], error);
    }

    /// The indices of the answers to a cube that may be right. Reports why the others cannot.
    fn usable(&mut self, frame: &Frame<'a, P>) -> Vec<usize> {
        let (cube, id) = (frame.cube, frame.id);
        let mut usable = Vec::new();
        for (index, placed) in self.answers_to(id).iter().enumerate() {
            let answer = &placed.answer;
            let open: Vec<&P> = answer.open.iter().map(|open| &open.cube).collect();
            let excess = frame
                .unknown
                .filter(|&unknown| exceeds_fillings(&answer.count, unknown));
            if !open.iter().all(|open| cube.contains(open)) {
                let message =
                    format!("this result leaves a cube open that is not part of cube {id}");
                self.add_problem(placed, message);
            } else if !P::overlapping(&open).is_empty() {
                let message =
                    format!("the cubes that this result leaves open in cube {id} overlap");
                self.add_problem(placed, message);
            } else if let Some(unknown) = excess {
                self.add_problem(placed, too_many(id, &answer.count, unknown));
            } else if !open.contains(&cube) {
                // If the whole cube stays open, any solutions found in it will be found again.
                usable.push(index);
            }
        }
        usable
    }

    /// The sum of a cube by the best of its answers. The sums of their open cubes are known.
    fn combine(&mut self, puzzle: Digest, frame: &Frame<'a, P>, usable: &[usize]) -> CubeSum {
        let answers = self.answers_to(frame.id);
        let mut best: Option<CubeSum> = None;
        let mut claims = Claims::default();
        let mut has_contradiction = false;
        for &index in usable {
            let (placed, answer) = (&answers[index], &answers[index].answer);
            let mut sum = CubeSum {
                count: answer.count.clone(),
                is_complete: true,
                is_listed: answer.file.is_some(),
                source: Source::Answer(index),
            };
            for open in &answer.open {
                // There is no sum only if two cubes have the same id.
                let Some(open_sum) = self.sums.get(&Id::of(puzzle, &open.cube)) else {
                    sum.is_complete = false;
                    continue;
                };
                sum.count += &open_sum.count;
                sum.is_complete &= open_sum.is_complete;
                sum.is_listed &= open_sum.is_listed;
            }
            let excess = |&unknown: &u32| exceeds_fillings(&sum.count, unknown);
            if let Some(unknown) = frame.unknown.filter(excess) {
                self.add_problem(placed, too_many(frame.id, &sum.count, unknown));
                continue;
            }
            if let Some((other, difference)) = claims.add(answers, index, &sum) {
                let message = format!(
                    "cube {} has {} {} here, but {} in {}:{}{difference}",
                    frame.id,
                    sum.count,
                    P::COUNTED,
                    other.count,
                    self.result_files[answers[other.index].file],
                    answers[other.index].line,
                );
                self.add_problem(placed, message);
                has_contradiction = true;
            }
            // Complete sums are preferred, among these one whose solutions are in files; of incomplete sums the largest.
            let rank = |sum: &CubeSum| {
                let count = (!sum.is_complete).then(|| sum.count.clone());
                (sum.is_complete, count, sum.is_listed)
            };
            if best.as_ref().is_none_or(|best| rank(&sum) > rank(best)) {
                best = Some(sum);
            }
        }
        self.has_contradiction |= has_contradiction;
        let nothing = |source: Source| CubeSum {
            count: Count::ZERO,
            is_complete: false,
            is_listed: false,
            source,
        };
        match best {
            Some(_) if has_contradiction => nothing(Source::Contradiction),
            Some(best) => best,
            None => nothing(Source::Missing),
        }
    }
}

/// What the answers to a cube claim, as far as it can contradict another answer.
#[derive(Debug, Default)]
struct Claims {
    /// The first exact count.
    exact: Option<Claim>,
    /// The greatest lower bound.
    bound: Option<Claim>,
    /// The first complete answer with a digest of the set of solutions, and the first with a tally. A set or a tally that is completed by
    /// other answers is not known.
    with_set: Option<Claim>,
    with_tally: Option<Claim>,
}

/// A count that an answer claims.
#[derive(Clone, Debug)]
struct Claim {
    count: Count,
    /// The index of the answer.
    index: usize,
}

impl Claims {
    /// Adds what the answer with this index claims, whose sum this is. Returns an earlier claim that contradicts it, and how if the counts
    /// are equal.
    fn add<P>(
        &mut self,
        answers: &[PlacedAnswer<P>],
        index: usize,
        sum: &CubeSum,
    ) -> Option<(Claim, &'static str)> {
        let claim = Claim {
            count: sum.count.clone(),
            index,
        };
        if !sum.is_complete {
            let exceeded = |exact: &&Claim| sum.count > exact.count;
            let contradiction = self.exact.as_ref().filter(exceeded).cloned();
            if (self.bound.as_ref()).is_none_or(|bound| sum.count > bound.count) {
                self.bound = Some(claim);
            }
            return contradiction.map(|other| (other, ""));
        }
        let answer = &answers[index].answer;
        let other_count = self.exact.as_ref().filter(|exact| exact.count != sum.count);
        let higher_bound = self.bound.as_ref().filter(|bound| bound.count > sum.count);
        let other_answer = |claim: &Claim| &answers[claim.index].answer;
        let (mut set, mut tally) = (None, None);
        if answer.is_complete() {
            let other_set = |claim: &&Claim| other_answer(claim).set != answer.set;
            let other_tally = |claim: &&Claim| other_answer(claim).tally != answer.tally;
            set = (self.with_set.as_ref()).filter(|claim| answer.set.is_some() && other_set(claim));
            tally = (self.with_tally.as_ref())
                .filter(|claim| answer.tally.is_some() && other_tally(claim));
        }
        let contradiction = other_count
            .or(higher_bound)
            .map(|claim| (claim.clone(), ""))
            .or(set.map(|claim| (claim.clone(), ", and the sets of solutions differ")))
            .or(tally.map(|claim| (claim.clone(), ", and their histograms differ")));
        if answer.is_complete() && answer.set.is_some() {
            self.with_set.get_or_insert_with(|| claim.clone());
        }
        if answer.is_complete() && answer.tally.is_some() {
            self.with_tally.get_or_insert_with(|| claim.clone());
        }
        self.exact.get_or_insert(claim);
        contradiction
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
