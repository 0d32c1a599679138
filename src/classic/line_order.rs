//! Line order: depth first over whole lines, and a child that cannot be filled prunes its parent.
//!
//! *Idea.* Nothing is listed ahead. The lines are put into an order: rows and columns interleaved, those with fewest arrangements first, so
//! that every line crosses the one before it. Each in turn takes, lazily, the arrangements that fit the lines it crosses. If there is
//! none, that is the fault of a line above it, its parent: with the same value in the cell where the two cross it would happen again, so
//! the parent *bans* that value there and skips all its arrangements that have it. When both values are banned, the parent cannot
//! help at all, and the blame goes on to the parent's parent. When the last line is filled the picture is complete, and the walk goes on
//! to the next one.
//!
//! The blame here carries the name of the line that could not be filled: ancestors that run beside it are passed over, and the next one
//! that crosses it bans. The write-up means the same where rows and columns alternate, but its code bans in the cell of the line right
//! below the ancestor, which is another one where lines of one direction follow each other, at the end of a picture that is not square;
//! and it never raises the first blame, so that, as published, it prunes nothing. Here is what its text tells.
//!
//! *Cost.* O(wh) memory. The time is exponential in the number of lines at worst; a ban cuts away a whole subtree for each arrangement
//! that it spares. Nothing is deduced, so that even easy pictures of 20x20 cells may take for ever.
//!
//! *Source.* Kyle Keen (kmkeen), a literate Python program on nonograms, 2008, in the wake of Peter Norvig's "Solving Every Sudoku
//! Puzzle" (2006).

use super::numbers;
use super::rows::picture;
use super::slide::Slide;
use super::watch::{End, Flow, Watch};
use crate::puzzle::{Line, Puzzle};

/// A line that is being filled.
#[derive(Debug)]
struct Level {
    line: Line,
    /// What fits the lines above that it crosses.
    fitting: Slide,
    /// Has anything?
    fitted: bool,
    /// Values that some child cannot do with: for each of its cells, is empty banned, is filled?
    banned: Vec<[bool; 2]>,
}

/// The lines that are filled.
#[derive(Debug)]
struct Board {
    rows: Vec<Option<Vec<bool>>>,
    columns: Vec<Option<Vec<bool>>>,
}

/// Every solution. A step is a block set down.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Watch) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    // The picture twice, and twice again in the levels, with their bans.
    watch.keep(8 * (width * height) as u64)?;
    let order = order(puzzle);
    let mut board = Board {
        rows: vec![None; height],
        columns: vec![None; width],
    };
    let mut levels = vec![board.level(puzzle, order[0])];
    while let Some(level) = levels.last_mut() {
        if level.fitting.advance(watch)? {
            level.fitted = true;
            let cells = level.fitting.cells();
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
            let (line, fitted) = (level.line, level.fitted);
            levels.pop();
            board.put(line, None);
            if !fitted {
                blame(line, &mut levels, &mut board);
            }
        }
    }
    Flow::Continue(End::Complete)
}

/// Tells the lines above that this one could not be filled.
fn blame(child: Line, levels: &mut Vec<Level>, board: &mut Board) {
    while let Some(parent) = levels.last_mut() {
        if let Some(value) = board.crossing(parent.line, child) {
            let banned = &mut parent.banned[index(child)];
            banned[usize::from(value)] = true;
            if *banned != [true, true] {
                return;
            }
        }
        // Whatever it does, it is no help.
        board.put(parent.line, None);
        levels.pop();
    }
}

/// Rows and columns by turns, each kind by its number of arrangements.
fn order(puzzle: &Puzzle) -> Vec<Line> {
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
    /// The next line to be filled, with what its crossings say.
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
            fitting: Slide::new(clue, known),
            fitted: false,
        }
    }

    fn put(&mut self, line: Line, cells: Option<Vec<bool>>) {
        match line {
            Line::Row(r) => self.rows[r] = cells,
            Line::Column(c) => self.columns[c] = cells,
        }
    }

    /// The value of a filled line in the cell where the two cross; `None` if they run side by side.
    fn crossing(&self, filled: Line, other: Line) -> Option<bool> {
        match (filled, other) {
            (Line::Row(r), Line::Column(c)) => self.rows[r].as_ref().map(|row| row[c]),
            (Line::Column(c), Line::Row(r)) => self.columns[c].as_ref().map(|column| column[r]),
            _ => None,
        }
    }

    /// The rows, all of which are filled.
    fn picture(&self) -> crate::puzzle::Grid {
        let rows: Vec<Vec<bool>> = self.rows.iter().flatten().cloned().collect();
        picture(&rows)
    }
}
