//! Line order: depth-first search over whole lines, in which a child that cannot be filled prunes its parent.
//!
//! *Idea.* No arrangements are listed in advance. Rows and columns are interleaved, those with the fewest arrangements first, so that
//! every line crosses the one before it. Each line in turn generates lazily the arrangements that fit the lines it crosses. If it has
//! none, a line above it, its parent, is the cause: the same value in the cell where the two cross would fail again. So the parent *bans*
//! that value there and skips all its arrangements that have it. When both values are banned, no arrangement of the parent can help, and
//! the blame passes to the parent's parent. When the last line is filled the picture is complete, and the search goes on to the next one.
//!
//! Here the blame names the line that could not be filled: ancestors parallel to it are skipped, and the next one that crosses it bans.
//! The published text means the same where rows and columns alternate. But its code bans in the cell of the line right below the
//! ancestor, which is a different cell where parallel lines follow each other, at the end of the order of a picture that is not square;
//! and it never raises the first blame, so that, as published, it prunes nothing. This file follows the text.
//!
//! *Cost.* O(wh) memory. The time is exponential in the number of lines at worst; a ban cuts off a whole subtree for each arrangement
//! that it skips. There is no deduction, so even easy pictures of 20x20 cells may not finish.
//!
//! *Source.* Kyle Keen (kmkeen), a literate Python program on nonograms, 2008, following Peter Norvig's "Solving Every Sudoku
//! Puzzle" (2006).

use super::numbers;
use super::rows::picture;
use super::slide::Slide;
use super::watch::{End, Flow, Observer};
use crate::puzzle::{Line, Puzzle};

/// A level of the search: the line that it fills.
#[derive(Debug)]
struct Level {
    line: Line,
    /// The arrangements that fit the lines above that it crosses.
    arrangements: Slide,
    /// Whether there was such an arrangement.
    has_arrangement: bool,
    /// For each of its cells, whether empty and whether filled is banned, because a descendant cannot be filled with that value.
    banned: Vec<[bool; 2]>,
}

/// The arrangements of the lines that are filled.
#[derive(Debug)]
struct Board {
    rows: Vec<Option<Vec<bool>>>,
    columns: Vec<Option<Vec<bool>>>,
}

/// Finds every solution. A step is a block placed.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Observer) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    // The picture by rows and by columns, and twice again in the levels, with their bans.
    watch.keep(8 * (width * height) as u64)?;
    let order = line_order(puzzle);
    let mut board = Board {
        rows: vec![None; height],
        columns: vec![None; width],
    };
    let mut levels = vec![board.level(puzzle, order[0])];
    while let Some(level) = levels.last_mut() {
        if level.arrangements.advance(watch)? {
            level.has_arrangement = true;
            let cells = level.arrangements.cells();
            let mut bans = cells.iter().zip(&level.banned);
            if bans.any(|(&value, banned)| banned[usize::from(value)]) {
                continue;
            }
            board.put(level.line, Some(cells));
            match order.get(levels.len()) {
                Some(&next) => levels.push(board.level(puzzle, next)),
                None => watch.found(board.picture())?,
            }
        } else {
            let (line, has_arrangement) = (level.line, level.has_arrangement);
            levels.pop();
            board.put(line, None);
            if !has_arrangement {
                blame(line, &mut levels, &mut board);
            }
        }
    }
    Flow::Continue(End::Complete)
}

/// Bans the value of the nearest ancestor that crosses a line that could not be filled, and removes ancestors that cannot help.
fn blame(child: Line, levels: &mut Vec<Level>, board: &mut Board) {
    while let Some(parent) = levels.last_mut() {
        if let Some(value) = board.crossing(parent.line, child) {
            let banned = &mut parent.banned[index(child)];
            banned[usize::from(value)] = true;
            if *banned != [true, true] {
                return;
            }
        }
        // No arrangement of this ancestor makes the child fit.
        board.put(parent.line, None);
        levels.pop();
    }
}

/// Rows and columns alternating, each sorted by its number of arrangements.
fn line_order(puzzle: &Puzzle) -> Vec<Line> {
    let sorted = |wanted: fn(Line) -> bool| {
        let lines = puzzle.lines().filter(|&(line, _)| wanted(line));
        let count = |(line, clue)| (numbers::count(clue, puzzle.length(line)), line);
        let mut lines: Vec<(f64, Line)> = lines.map(count).collect();
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.into_iter().map(|(_, line)| line)
    };
    let mut rows = sorted(|line| matches!(line, Line::Row(_)));
    let mut columns = sorted(|line| matches!(line, Line::Column(_)));
    let mut order = Vec::new();
    loop {
        let pair = [rows.next(), columns.next()];
        if pair == [None, None] {
            return order;
        }
        order.extend(pair.into_iter().flatten());
    }
}

fn index(line: Line) -> usize {
    match line {
        Line::Row(i) | Line::Column(i) => i,
    }
}

impl Board {
    /// A level for the next line to be filled, with the cells known from the filled lines that it crosses.
    fn level(&self, puzzle: &Puzzle, line: Line) -> Level {
        let (clue, crossing) = match line {
            Line::Row(r) => (&puzzle.rows()[r], &self.columns),
            Line::Column(c) => (&puzzle.columns()[c], &self.rows),
        };
        let cell = |other: &Option<Vec<bool>>| other.as_ref().map(|cells| cells[index(line)]);
        let known: Vec<Option<bool>> = crossing.iter().map(cell).collect();
        Level {
            line,
            banned: vec![[false; 2]; known.len()],
            arrangements: Slide::new(clue, known),
            has_arrangement: false,
        }
    }

    fn put(&mut self, line: Line, cells: Option<Vec<bool>>) {
        match line {
            Line::Row(r) => self.rows[r] = cells,
            Line::Column(c) => self.columns[c] = cells,
        }
    }

    /// The value of a filled line in the cell where the two cross; `None` if they are parallel.
    fn crossing(&self, filled: Line, other: Line) -> Option<bool> {
        match (filled, other) {
            (Line::Row(r), Line::Column(c)) => self.rows[r].as_ref().map(|row| row[c]),
            (Line::Column(c), Line::Row(r)) => self.columns[c].as_ref().map(|column| column[r]),
            _ => None,
        }
    }

    /// The picture; all rows are filled.
    fn picture(&self) -> crate::puzzle::Grid {
        let rows: Vec<Vec<bool>> = self.rows.iter().flatten().cloned().collect();
        picture(&rows)
    }
}
