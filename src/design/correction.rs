//! What to do about clues that no picture has: the fewest of them whose change makes the puzzle solvable.
//!
//! First every clue is changed by a single edit. If that does not help, lines are left out of the puzzle until the others have a solution.
//! Lines that [contradict each other](crate::sat::LineSolver) are a *core*; a change must touch a line of every core, so that only such
//! lines are tried (the implicit hitting set method of maximum satisfiability: Davies and Bacchus, "Solving MAXSAT by solving a sequence of
//! simpler SAT instances", CP 2011). For a line that can be left out, new clues are tried in the order of their distance from the given
//! one. Only sums that the other lines leave are tried.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::profile::by_lines;
use crate::puzzle::{Clue, Grid, Line, Puzzle};
use crate::run::{Control, Instant, Limits, memory_plan};
use crate::sat::{LineAnswer, LineSolver};
use crate::search::{Search, Verdict};
use crate::solutions::Stop;

/// Most proposals.
const MAX_FOUND: usize = 10;

/// Most nodes of a search that tries a single edit.
const MAX_NODES: u64 = 100;

/// A mistyped number is not farther than this from the right one, unless the sums tell it.
const NEAR: usize = 10;

/// Most changes that are tried for each set of lines.
const MAX_TRIED: usize = 2000;

/// What an edit of a clue costs. The difference of the numbers is added to it.
const EDIT: usize = 100;

/// Other clues for some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Correction {
    /// The lines with their new clues.
    pub clues: Vec<(Line, Clue)>,
    /// Whether the puzzle has one solution then, or several, or undecided.
    pub verdict: Verdict,
    /// How far the new clues are from the given ones.
    distance: usize,
}

/// The fewest clues of a puzzle whose change makes it solvable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Corrections {
    /// Some proposals, nearest first. All have the same number of clues.
    pub found: Vec<Correction>,
    /// It is proved that at least this number of clues must be changed.
    pub at_least: usize,
    /// Whether the puzzle is solvable without its given cells, so that these are wrong rather than a clue. Then no clue is changed.
    pub without_given: bool,
    /// Why the search was stopped, if it was.
    pub stopped: Option<Stop>,
}

impl Correction {
    /// The puzzle with the new clues, the given cells and the notes of the old one.
    ///
    /// # Panics
    ///
    /// If the correction is that of a puzzle of another size.
    pub fn apply(&self, puzzle: &Puzzle) -> Puzzle {
        let mut sides = [puzzle.rows().to_vec(), puzzle.columns().to_vec()];
        for (line, clue) in &self.clues {
            match *line {
                Line::Row(row) => sides[0][row] = clue.clone(),
                Line::Column(column) => sides[1][column] = clue.clone(),
            }
        }
        let [rows, columns] = sides;
        let corrected = Puzzle::new(rows, columns).expect("the new clues fit their lines");
        let corrected = corrected
            .with_notes(puzzle.notes().clone())
            .expect("the size is the same");
        match puzzle.given() {
            Some(given) => corrected
                .with_given(given.clone())
                .expect("the size is the same"),
            None => corrected,
        }
    }
}

impl Corrections {
    /// Most clues that are changed together.
    pub const MAX_CLUES: usize = 2;

    /// Looks for the fewest clues, up to [`Corrections::MAX_CLUES`], whose change makes this puzzle, which has no solution, solvable. In a
    /// build [without a SAT solver](crate::sat::SatSolver::IS_BUILT_IN) only single edits of one clue are tried.
    ///
    /// ```
    /// use omnogram::design::Corrections;
    /// use omnogram::{Limits, Puzzle};
    ///
    /// let puzzle: Puzzle = "rows\n3\n1\n2\ncolumns\n1 1\n2\n1\n".parse()?;
    /// let corrections = Corrections::of(&puzzle, &Limits::default());
    /// let [first, ..] = &corrections.found[..] else { panic!() };
    /// let [(line, clue)] = &first.clues[..] else { panic!() };
    /// assert_eq!((line.to_string().as_str(), clue.to_string().as_str()), ("row 3", "1"));
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn of(puzzle: &Puzzle, limits: &Limits) -> Self {
        let control = Arc::new(Control::new(limits, false));
        let mut finder = Finder {
            puzzle,
            limits,
            started: Instant::now(),
            control: &control,
            cores: Vec::new(),
            tried: BTreeSet::new(),
            corrections: Self::default(),
        };
        let stopped = match finder.find() {
            Some(()) => None,
            None => control.reason(),
        };
        let mut corrections = finder.corrections;
        corrections
            .found
            .sort_by_key(|found| (found.distance, found.verdict != Verdict::Unique));
        corrections.found.truncate(MAX_FOUND);
        corrections.stopped = stopped;
        corrections
    }
}

struct Finder<'a> {
    puzzle: &'a Puzzle,
    limits: &'a Limits,
    started: Instant,
    control: &'a Arc<Control>,
    /// Lines that contradict each other, and sets of lines that have been left out.
    cores: Vec<BTreeSet<Line>>,
    tried: BTreeSet<BTreeSet<Line>>,
    corrections: Corrections,
}

impl Finder<'_> {
    /// Looks for corrections of ever more clues. `None` if it was stopped.
    fn find(&mut self) -> Option<()> {
        if self.verdict(self.puzzle, None)? != Verdict::None {
            return Some(());
        }
        if self.puzzle.given().is_some() {
            let verdict = self.verdict(&self.puzzle.without_given(), None)?;
            self.corrections.without_given = verdict != Verdict::None;
            if self.corrections.without_given {
                return Some(());
            }
        }
        self.corrections.at_least = 1;
        self.edit_once()?;
        let control = Arc::clone(self.control);
        let memory = memory_plan::SOLVER.of(self.limits.bytes());
        let solver = LineSolver::new(self.puzzle, memory, move || control.poll());
        // Without a solver that is all.
        let Some(solver) = &mut solver.filter(|_| self.corrections.found.is_empty()) else {
            return (!self.control.poll()).then_some(());
        };
        for size in 1..=Corrections::MAX_CLUES {
            self.corrections.at_least = size;
            self.leave_out(solver, size, &mut BTreeSet::new())?;
            if !self.corrections.found.is_empty() {
                return Some(());
            }
        }
        self.corrections.at_least += 1;
        Some(())
    }

    /// Tries all single edits of one clue, which are what people mistype. Most are refuted by lines alone, so that this is quick on large
    /// puzzles too.
    fn edit_once(&mut self) -> Option<()> {
        let mut all = Vec::new();
        for (line, clue) in self.puzzle.lines() {
            let clue: Vec<usize> = clue.lengths().collect();
            let length = self.puzzle.length(line);
            if let Some(sum) = self.sum_with(line, self.missing()) {
                all.extend(
                    edits(&clue, length, Some(sum))
                        .into_iter()
                        .map(|clue| vec![(line, clue)]),
                );
            }
        }
        let mut open = Vec::new();
        for clues in self.nearest_first(all) {
            let mut candidate = self.correction(clues);
            candidate.verdict = by_lines(&candidate.apply(self.puzzle), || self.control.poll())?;
            match candidate.verdict {
                Verdict::None => {}
                Verdict::Undecided => open.push(candidate),
                Verdict::Unique | Verdict::Multiple => self.corrections.found.push(candidate),
            }
        }
        for mut candidate in open {
            if candidate.distance > self.bound() {
                break;
            }
            if self.judge(&mut candidate, Some(MAX_NODES))? {
                self.corrections.found.push(candidate);
            }
        }
        Some(())
    }

    /// Leaves out up to `size` lines more, in every way that meets every core.
    fn leave_out(
        &mut self,
        solver: &mut LineSolver,
        size: usize,
        left_out: &mut BTreeSet<Line>,
    ) -> Option<()> {
        loop {
            if let Some(core) = self.cores.iter().find(|core| core.is_disjoint(left_out)) {
                if size > 0 {
                    for line in core.clone() {
                        left_out.insert(line);
                        self.leave_out(solver, size - 1, left_out)?;
                        left_out.remove(&line);
                    }
                }
                return Some(());
            }
            if !self.tried.insert(left_out.clone()) {
                return Some(());
            }
            let lines: Vec<Line> = left_out.iter().copied().collect();
            match solver.solve_without(&lines) {
                LineAnswer::Solution(grid) => return self.correct(&lines, &grid),
                LineAnswer::Core(core) => self.cores.push(core.into_iter().collect()),
                LineAnswer::Unknown => return None,
            }
        }
    }

    /// Adds the nearest clues for these lines with which the puzzle is solvable; those of `grid`, which agrees with the other lines, if
    /// nearer ones are not found.
    fn correct(&mut self, lines: &[Line], grid: &Grid) -> Option<()> {
        let of_grid = Puzzle::from_grid(grid);
        let clues = lines
            .iter()
            .map(|&line| (line, of_grid.clue(line).clone()))
            .collect();
        let farthest = self.correction(clues);
        let mut nearest = farthest.distance.min(self.bound());
        let mut is_found = false;
        for clues in self.candidates(lines) {
            let mut candidate = self.correction(clues);
            if candidate.distance > nearest {
                break;
            }
            if self.judge(&mut candidate, None)? {
                (nearest, is_found) = (candidate.distance, true);
                self.corrections.found.push(candidate);
            }
        }
        let mut farthest = farthest;
        if !is_found && self.judge(&mut farthest, None)? {
            self.corrections.found.push(farthest);
        }
        Some(())
    }

    /// The distance above which a correction is none of the nearest.
    fn bound(&self) -> usize {
        let mut distances: Vec<usize> = self
            .corrections
            .found
            .iter()
            .map(|found| found.distance)
            .collect();
        distances.sort_unstable();
        distances.get(MAX_FOUND - 1).copied().unwrap_or(usize::MAX)
    }

    /// Whether the puzzle is solvable with a correction, whose verdict is set. `None` if the search was stopped before it knew.
    fn judge(&self, correction: &mut Correction, nodes: Option<u64>) -> Option<bool> {
        correction.verdict = self.verdict(&correction.apply(self.puzzle), nodes)?;
        Some(correction.verdict != Verdict::None)
    }

    /// Whether a puzzle has solutions: undecided is whether there is another than one; with a number of nodes, no solution means that none
    /// was found by these. `None` if the search was stopped before it knew.
    fn verdict(&self, puzzle: &Puzzle, nodes: Option<u64>) -> Option<Verdict> {
        if self.control.poll() {
            return None;
        }
        let limits = self.limits.clone().left_since(self.started);
        let nodes_left = nodes.into_iter().chain(limits.nodes).min();
        let limits = limits.nodes(nodes_left);
        let (found, outcome) = Search::new(puzzle).limits(limits).first(2);
        match (found.len(), outcome.stopped) {
            (0, Some(Stop::Nodes)) if nodes.is_some() => Some(Verdict::None),
            (0, Some(why)) => {
                self.control.stop(why);
                None
            }
            _ => Some(outcome.solutions.verdict()),
        }
    }

    fn correction(&self, clues: Vec<(Line, Clue)>) -> Correction {
        let distance = clues.iter().map(|(line, clue)| {
            let [old, new] =
                [self.puzzle.clue(*line), clue].map(|clue| clue.lengths().collect::<Vec<_>>());
            distance(&old, &new)
        });
        Correction {
            distance: distance.sum(),
            clues,
            verdict: Verdict::Undecided,
        }
    }

    /// New clues for these lines with a sum that the other lines leave, nearest first.
    fn candidates(&self, lines: &[Line]) -> Vec<Vec<(Line, Clue)>> {
        let mut candidates = Vec::new();
        match *lines {
            [line] => {
                let (clue, length) = (self.lengths(line), self.puzzle.length(line));
                let Some(sum) = self.sum_with(line, self.missing()) else {
                    return Vec::new();
                };
                let mut new = edits(&clue, length, Some(sum));
                let halfway = edits(&clue, length, None);
                new.extend(
                    halfway
                        .iter()
                        .flat_map(|clue| edits(clue, length, Some(sum))),
                );
                candidates.extend(new.into_iter().map(|clue| vec![(line, clue)]));
            }
            [one, other] => {
                let mut of_one = edits(&self.lengths(one), self.puzzle.length(one), None);
                // The clues of two lines may have been exchanged.
                of_one.insert(self.lengths(other));
                for clue in of_one {
                    let added =
                        sign(one) * (sum(&clue) as isize - sum(&self.lengths(one)) as isize);
                    let Some(rest) = self.sum_with(other, self.missing() - added) else {
                        continue;
                    };
                    let length = self.puzzle.length(other);
                    let mut of_other = edits(&self.lengths(other), length, Some(rest));
                    of_other.extend(Some(self.lengths(one)).filter(|clue| sum(clue) == rest));
                    let pair = |new| vec![(one, clue.clone()), (other, new)];
                    candidates.extend(of_other.into_iter().map(pair));
                }
            }
            _ => {}
        }
        self.nearest_first(candidates)
    }

    /// The nearest of these clues that fit their lines.
    fn nearest_first(
        &self,
        mut candidates: Vec<Vec<(Line, Vec<usize>)>>,
    ) -> Vec<Vec<(Line, Clue)>> {
        candidates.sort_by_cached_key(|clues| {
            let distances = clues
                .iter()
                .map(|(line, clue)| distance(&self.lengths(*line), clue));
            distances.sum::<usize>()
        });
        candidates.truncate(MAX_TRIED);
        let fitting = candidates.into_iter().filter_map(|clues| {
            let clues = clues.into_iter().map(|(line, clue)| {
                let clue = Clue::new(clue).ok()?;
                clue.check_fit(line, self.puzzle.length(line)).ok()?;
                Some((line, clue))
            });
            clues.collect()
        });
        fitting.collect()
    }

    fn lengths(&self, line: Line) -> Vec<usize> {
        self.puzzle.clue(line).lengths().collect()
    }

    /// How many filled cells the columns ask for more than the rows.
    fn missing(&self) -> isize {
        let (in_rows, in_columns) = self.puzzle.sums();
        in_columns as isize - in_rows as isize
    }

    /// The sum of a line's clue that adds this to the sum of the rows without that of the columns.
    fn sum_with(&self, line: Line, added: isize) -> Option<usize> {
        sum(&self.lengths(line)).checked_add_signed(sign(line) * added)
    }
}

/// What a filled cell of a line adds to the sum of the rows without that of the columns.
fn sign(line: Line) -> isize {
    match line {
        Line::Row(_) => 1,
        Line::Column(_) => -1,
    }
}

fn sum(clue: &[usize]) -> usize {
    clue.iter().sum()
}

/// The clues that are made of this one by one edit: a number changed, added, removed, or exchanged with its neighbour, or all in the reverse
/// order. They have this sum, or else numbers near those of the clue. None needs more than `length` cells.
fn edits(clue: &[usize], length: usize, wanted: Option<usize>) -> BTreeSet<Vec<usize>> {
    // The numbers that can stand in the place of `old`, which is 0 where none stands.
    let numbers = |old: usize| match wanted {
        Some(wanted) => {
            let number = (wanted + old).saturating_sub(sum(clue));
            number..=number
        }
        None => old.saturating_sub(NEAR)..=old + NEAR,
    };
    let mut all = BTreeSet::new();
    let mut insert = |clue: Vec<usize>| {
        let fits = sum(&clue) + clue.len() <= length + 1;
        if fits && !clue.contains(&0) && wanted.is_none_or(|wanted| wanted == sum(&clue)) {
            all.insert(clue);
        }
    };
    let with = |at: std::ops::Range<usize>, new: &[usize]| {
        [&clue[..at.start], new, &clue[at.end..]].concat()
    };
    for at in 0..=clue.len() {
        numbers(0).for_each(|number| insert(with(at..at, &[number])));
        if let Some(&old) = clue.get(at) {
            numbers(old).for_each(|number| insert(with(at..at + 1, &[number])));
            insert(with(at..at + 1, &[]));
        }
        if let Some(&[one, other]) = clue.get(at..at + 2) {
            insert(with(at..at + 2, &[other, one]));
        }
    }
    insert(clue.iter().rev().copied().collect());
    all.remove(clue);
    all
}

/// How far two clues are apart: the fewest edits of `edits` that make one of the other, and the differences of the numbers that they change
/// or add (the optimal string alignment distance).
fn distance(old: &[usize], new: &[usize]) -> usize {
    if old.len() > 1 && old.iter().rev().eq(new) && old != new {
        return EDIT;
    }
    let (rows, columns) = (old.len() + 1, new.len() + 1);
    let mut costs = vec![0; rows * columns];
    for i in 0..rows {
        for j in 0..columns {
            let at = |i: usize, j: usize| costs[i * columns + j];
            let mut least = if i + j == 0 { 0 } else { usize::MAX };
            if i > 0 {
                least = least.min(at(i - 1, j) + EDIT + old[i - 1]);
            }
            if j > 0 {
                least = least.min(at(i, j - 1) + EDIT + new[j - 1]);
            }
            if i > 0 && j > 0 {
                let difference = old[i - 1].abs_diff(new[j - 1]);
                let edit = if difference == 0 {
                    0
                } else {
                    EDIT + difference
                };
                least = least.min(at(i - 1, j - 1) + edit);
            }
            if i > 1 && j > 1 && old[i - 1] == new[j - 2] && old[i - 2] == new[j - 1] {
                least = least.min(at(i - 2, j - 2) + EDIT);
            }
            costs[i * columns + j] = least;
        }
    }
    costs[rows * columns - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_typing() {
        for (old, new, expected) in [
            (&[1, 2][..], &[1, 2][..], 0),
            (&[1, 2], &[2, 1], 100),
            (&[1, 2, 3], &[3, 2, 1], 100),
            (&[1, 2, 3], &[1, 3, 2], 100),
            (&[4], &[5], 101),
            (&[4], &[], 104),
            (&[], &[1], 101),
            (&[1, 1], &[11], 100 + 10 + 101),
        ] {
            assert_eq!(distance(old, new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn edits_are_those_within_the_distance() {
        let found = edits(&[1, 2], 5, None);
        assert!(
            found.contains(&vec![2, 1]) && found.contains(&vec![2]) && found.contains(&vec![1, 3])
        );
        assert!(
            found.contains(&vec![1, 1])
                && !found.contains(&vec![1, 2])
                && !found.contains(&vec![4, 1])
        );
        assert_eq!(edits(&[1, 2], 9, Some(3)), BTreeSet::from([vec![2, 1]]));
        assert_eq!(
            edits(&[1, 2], 9, Some(6)),
            BTreeSet::from([
                vec![1, 2, 3],
                vec![1, 3, 2],
                vec![1, 5],
                vec![3, 1, 2],
                vec![4, 2]
            ])
        );
        assert_eq!(edits(&[], 3, Some(3)), BTreeSet::from([vec![3]]));
        for clue in edits(&[3, 1, 4], 20, None) {
            assert!(distance(&[3, 1, 4], &clue) <= EDIT + NEAR, "{clue:?}");
        }
    }
}
