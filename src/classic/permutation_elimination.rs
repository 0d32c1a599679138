//! Permutation elimination: list all arrangements of every line, and remove those that the crossing lines rule out.
//!
//! *Idea.* For every row and every column list all its arrangements. If all arrangements of a column are filled in a cell, remove those
//! of the row that are empty there; likewise for empty cells, and with rows and columns exchanged. Repeat over all lines until nothing
//! more is removed. If every line has one arrangement left, that is the only solution; if some line has none left, there is no solution.
//! Otherwise it is stuck: it never guesses, and the cells on which its lists agree hold in every solution.
//!
//! *Cost.* All memory is needed at the start: sixteen bytes for each of the C(n - s + 1, k) arrangements of every line, which is computed
//! in advance. A round goes through every arrangement that is left. Lines of 30 cells already have up to some million arrangements each.
//!
//! *Source.* hrj21, "nonogram", a package for R, which calls it `perm_elim`. The package lists all 2^n lines of n cells, sorts them by
//! their runs, and keeps them for other puzzles of the same size; here only those with the runs of a clue are
//! [generated](super::numbers), and kept for other puzzles with lines of the same length.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::numbers::{self, Number, Numbers};
use super::rows::picture;
use super::watch::{End, Flow, Observer};
use crate::puzzle::{Clue, Line, Puzzle};

/// The arrangements of all clues met so far, by the length of the line and the clue.
#[derive(Debug, Default)]
pub(super) struct Tables(HashMap<(usize, Clue), Vec<Number>>);

/// The arrangements to list before elimination starts, and their memory; numbers are rounded above 2^53.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// Number of arrangements of all lines.
    pub arrangements: f64,
    /// Bytes for them, and for the tables from which they are copied, as far as these are not built yet.
    pub bytes: f64,
    /// Bytes of the tables that are already built.
    pub kept: f64,
}

impl Tables {
    /// What this puzzle needs.
    pub(super) fn needs(&self, puzzle: &Puzzle) -> Needs {
        let mut new = HashSet::new();
        let mut arrangements = 0.0;
        let mut made = 0.0;
        for (line, clue) in puzzle.lines() {
            let cells = puzzle.length(line);
            let count = numbers::count(clue, cells);
            arrangements += count;
            let key = (cells, clue.clone());
            if !self.0.contains_key(&key) && new.insert(key) {
                made += count;
            }
        }
        Needs {
            arrangements,
            bytes: (arrangements + made) * size_of::<Number>() as f64,
            kept: self.bytes(),
        }
    }

    /// Bytes of all tables.
    pub(super) fn bytes(&self) -> f64 {
        let count: usize = self.0.values().map(Vec::len).sum();
        (count * size_of::<Number>()) as f64
    }

    /// The arrangements of a clue in a line of `cells` cells, listed at the first request.
    fn table(&mut self, clue: &Clue, cells: usize, watch: &mut dyn Observer) -> Flow<&[Number]> {
        let entry = match self.0.entry((cells, clue.clone())) {
            Entry::Occupied(entry) => return Flow::Continue(entry.into_mut()),
            Entry::Vacant(entry) => entry,
        };
        // Reserve the whole table at once, up to a bound on what is allocated before the arrangements exist.
        let mut table = Vec::with_capacity((numbers::count(clue, cells) as usize).min(1 << 26));
        for number in Numbers::new(clue, cells) {
            watch.step()?;
            table.push(number);
        }
        Flow::Continue(entry.insert(table))
    }
}

/// Finds the solution, if there is exactly one and elimination suffices. A step is an arrangement read, or a list filtered for a cell.
pub(super) fn run(puzzle: &Puzzle, tables: &mut Tables, watch: &mut dyn Observer) -> Flow<End> {
    // Charged before anything is listed. The conversion saturates.
    let needs = tables.needs(puzzle);
    watch.keep((needs.bytes + needs.kept) as u64)?;
    let mut lists = Lists {
        rows: Vec::new(),
        columns: Vec::new(),
    };
    for (line, clue) in puzzle.lines() {
        let table = tables.table(clue, puzzle.length(line), watch)?;
        lists.of(line).push(table.to_vec());
    }
    loop {
        let mut removed = false;
        for line in puzzle.lines().map(|(line, _)| line) {
            let agreed = lists.agreed(line, puzzle, watch)?;
            for (cell, value) in agreed.into_iter().enumerate() {
                let Some(value) = value else { continue };
                watch.step()?;
                removed |= lists.remove_conflicting(line, cell, value, puzzle);
            }
        }
        if lists.is_impossible() {
            return Flow::Continue(End::Complete);
        }
        if !removed {
            break;
        }
    }
    let mut known = Vec::new();
    for r in 0..puzzle.height() {
        known.push(lists.agreed(Line::Row(r), puzzle, watch)?);
    }
    let cells = |row: &Vec<Option<bool>>| row.iter().copied().collect::<Option<Vec<bool>>>();
    let Some(rows) = known.iter().map(cells).collect::<Option<Vec<_>>>() else {
        return Flow::Continue(End::Stuck(known));
    };
    watch.found(picture(&rows))?;
    Flow::Continue(End::Complete)
}

/// The remaining arrangements of every line.
#[derive(Debug)]
struct Lists {
    rows: Vec<Vec<Number>>,
    columns: Vec<Vec<Number>>,
}

impl Lists {
    fn of(&mut self, line: Line) -> &mut Vec<Vec<Number>> {
        match line {
            Line::Row(_) => &mut self.rows,
            Line::Column(_) => &mut self.columns,
        }
    }

    /// The value of each cell on which all arrangements of a line agree; all `None` if the line has no arrangement left.
    fn agreed(
        &self,
        line: Line,
        puzzle: &Puzzle,
        watch: &mut dyn Observer,
    ) -> Flow<Vec<Option<bool>>> {
        let list = match line {
            Line::Row(r) => &self.rows[r],
            Line::Column(c) => &self.columns[c],
        };
        let (mut all, mut any) = (Number::MAX, 0);
        for number in list {
            watch.step()?;
            all &= number;
            any |= number;
        }
        let cells = (0..puzzle.length(line)).rev().map(|bit| {
            let has = |number: Number| number >> bit & 1 == 1;
            (has(all) == has(any)).then(|| has(all))
        });
        Flow::Continue(cells.collect())
    }

    /// Removes the arrangements of the crossing line that have another value in this cell of `line`. Returns whether there were any.
    fn remove_conflicting(
        &mut self,
        line: Line,
        cell: usize,
        value: bool,
        puzzle: &Puzzle,
    ) -> bool {
        let (list, bit) = match line {
            Line::Row(r) => (&mut self.columns[cell], puzzle.height() - 1 - r),
            Line::Column(c) => (&mut self.rows[cell], puzzle.width() - 1 - c),
        };
        let before = list.len();
        list.retain(|number| (number >> bit & 1 == 1) == value);
        list.len() < before
    }

    /// Whether some line has no arrangement left.
    fn is_impossible(&self) -> bool {
        self.rows.iter().chain(&self.columns).any(Vec::is_empty)
    }
}
