//! A line as the rules see it, and the words for its cells and blocks.
//!
//! Known cells at both ends of a line, as far as the last empty one, hold whole blocks. The rules look at the *rest* between them: a
//! shorter line with the other blocks. A player strikes off finished blocks in the same way.

use std::ops::Range;

use crate::puzzle::{Clue, Line};

/// A line that has an arrangement and an unknown cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineView<'a> {
    pub(super) line: Line,
    pub(super) clue: &'a Clue,
    /// All cells of the line.
    pub(super) cells: &'a [Option<bool>],
    /// The lengths of all blocks.
    pub(super) lengths: &'a [usize],
    /// First cell of the rest, and the one after it.
    pub(super) start: usize,
    pub(super) end: usize,
    /// First block of the rest, and the one after it.
    first: usize,
    last: usize,
}

impl<'a> LineView<'a> {
    pub(super) fn new(
        line: Line,
        clue: &'a Clue,
        lengths: &'a [usize],
        cells: &'a [Option<bool>],
    ) -> Self {
        let (start, before) = finished(cells.iter());
        let (behind, after) = finished(cells.iter().rev());
        LineView {
            line,
            clue,
            cells,
            lengths,
            start,
            end: cells.len() - behind,
            first: before,
            last: lengths.len() - after,
        }
    }

    /// The blocks of the rest.
    pub(super) fn blocks(&self) -> &'a [usize] {
        &self.lengths[self.first..self.last]
    }

    /// The cells of the rest, with their places in the line.
    pub(super) fn rest(&self) -> impl Iterator<Item = (usize, Option<bool>)> + 'a {
        let cells = self.cells[self.start..self.end].iter().copied();
        (self.start..).zip(cells)
    }

    /// Whether the rest is the whole line.
    pub(super) fn is_whole(&self) -> bool {
        self.start == 0 && self.end == self.cells.len()
    }

    /// The maximal stretches of cells of the rest that satisfy a condition.
    fn stretches(&self, wanted: impl Fn(Option<bool>) -> bool) -> Vec<Range<usize>> {
        let cells = self.rest().filter(|&(_, cell)| wanted(cell));
        runs(cells.map(|(i, _)| i))
    }

    /// The gaps of the rest: stretches without a known empty cell.
    pub(super) fn gaps(&self) -> Vec<Range<usize>> {
        self.stretches(|cell| cell != Some(false))
    }

    /// The groups of the rest: stretches of filled cells.
    pub(super) fn groups(&self) -> Vec<Range<usize>> {
        self.stretches(|cell| cell == Some(true))
    }

    /// The cells of the rest before and after these.
    pub(super) fn beside(&self, cells: &Range<usize>) -> impl Iterator<Item = usize> + use<> {
        let before = (cells.start > self.start).then(|| cells.start - 1);
        let after = (cells.end < self.end).then_some(cells.end);
        before.into_iter().chain(after)
    }

    /// The unknown cells among these, with a value.
    pub(super) fn unknown(
        &self,
        cells: impl IntoIterator<Item = usize>,
        filled: bool,
    ) -> Vec<(usize, bool)> {
        let cells = cells.into_iter().filter(|&i| self.cells[i].is_none());
        cells.map(|i| (i, filled)).collect()
    }

    /// `Row 3`.
    pub(super) fn name(&self) -> String {
        capital(&self.line.to_string())
    }

    /// `row`: what the line is called.
    pub(super) fn kind(&self) -> &'static str {
        match self.line {
            Line::Row(_) => "row",
            Line::Column(_) => "column",
        }
    }

    /// `the left edge`: the wall before the first cell, or after the last one.
    pub(super) fn edge(&self, first: bool) -> &'static str {
        match (self.line, first) {
            (Line::Row(_), true) => "the left edge",
            (Line::Row(_), false) => "the right edge",
            (Line::Column(_), true) => "the top edge",
            (Line::Column(_), false) => "the bottom edge",
        }
    }

    /// The names of cells, which are in order: `column 3`, `columns 3 to 5 and 8`.
    pub(super) fn places(&self, cells: impl IntoIterator<Item = usize>) -> String {
        let runs = runs(cells);
        // Two cells are named one by one.
        let words = runs.iter().flat_map(|run| match run.len() {
            1 | 2 => run.clone().map(|i| (i + 1).to_string()).collect(),
            _ => vec![format!("{} to {}", run.start + 1, run.end)],
        });
        let crossing = match self.line {
            Line::Row(_) => "column",
            Line::Column(_) => "row",
        };
        let is_single = runs.len() == 1 && runs[0].len() == 1;
        let plural = if is_single { "" } else { "s" };
        format!("{crossing}{plural} {}", list(words))
    }

    /// The names of cells with a verb: `column 3 is`, `columns 3 to 5 are`.
    pub(super) fn are(&self, cells: impl IntoIterator<Item = usize> + Clone) -> String {
        let has_several = cells.clone().into_iter().nth(1).is_some();
        let verb = if has_several { "are" } else { "is" };
        format!("{} {verb}", self.places(cells))
    }

    /// `the 5`, or where the clue has several of this length, `the second 5`. `block` counts from the first block of the rest.
    pub(super) fn block(&self, block: usize) -> String {
        const NAMES: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
        let at = self.first + block;
        let length = self.lengths[at];
        let same = |blocks: &[usize]| blocks.iter().filter(|&&other| other == length).count();
        let (before, all) = (same(&self.lengths[..at]), same(self.lengths));
        match (all, NAMES.get(before)) {
            (1, _) => format!("the {length}"),
            (all, _) if before + 1 == all => format!("the last {length}"),
            (_, Some(name)) => format!("the {name} {length}"),
            _ => format!("{length} number {}", before + 1),
        }
    }

    /// The blocks of the rest as the clue writes them, `5 3 1`, or `the last 1` for a single one.
    pub(super) fn blocks_text(&self) -> String {
        if self.blocks().len() == 1 {
            return self.block(0);
        }
        let lengths: Vec<String> = self.blocks().iter().map(usize::to_string).collect();
        lengths.join(" ")
    }
}

/// How far a line is known from one end, as far as the last empty cell, and the number of blocks there.
fn finished<'c>(cells: impl Iterator<Item = &'c Option<bool>>) -> (usize, usize) {
    let (mut end, mut blocks, mut inside) = (0, 0, false);
    for (i, cell) in cells.enumerate() {
        match cell {
            None => break,
            Some(true) => inside = true,
            Some(false) => {
                blocks += usize::from(inside);
                (inside, end) = (false, i + 1);
            }
        }
    }
    (end, blocks)
}

/// Numbers, which are in order, as ranges without gaps.
fn runs(numbers: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for i in numbers {
        match runs.last_mut() {
            Some(last) if last.end == i => last.end = i + 1,
            _ => runs.push(i..i + 1),
        }
    }
    runs
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(words: impl IntoIterator<Item = String>) -> String {
    let words: Vec<String> = words.into_iter().collect();
    match words.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        words => words.concat(),
    }
}

/// `filled` or `empty`.
pub(super) fn value_name(filled: bool) -> &'static str {
    if filled { "filled" } else { "empty" }
}

/// The text with a capital letter at the beginning.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
