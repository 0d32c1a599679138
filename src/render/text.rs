//! A puzzle for people: its clues around the grid, as in print, with a rule after every fifth line.
//!
//! Column clues stand in as many characters as the longest number takes, and one more to keep neighbours apart; that is also the
//! width of a cell. With numbers of one digit a cell is then two characters wide, about as wide as high.

use std::fmt::Write;

use crate::puzzle::{Clue, Grid, Puzzle};

/// Lines between two rules.
const GROUP: usize = 5;

/// The joints of a rule: at its left end, where it meets a rule down, at its right end.
type Joints = [char; 3];

const TOP: Joints = ['┌', '┬', '┐'];
const BETWEEN: Joints = ['├', '┼', '┤'];
const BOTTOM: Joints = ['└', '┴', '┘'];

/// The puzzle with its clues, its grid empty, or filled in as `grid` is; many lines, none of which ends in a blank.
///
/// # Panics
///
/// When the grid is smaller than the puzzle.
pub fn puzzle(puzzle: &Puzzle, grid: Option<&Grid>) -> String {
    let rows: Vec<String> = puzzle.rows().iter().map(Clue::to_string).collect();
    let margin = rows.iter().map(String::len).max().unwrap_or_default();
    let columns: Vec<Vec<String>> = puzzle.columns().iter().map(numbers).collect();
    let deepest = columns.iter().map(Vec::len).max().unwrap_or_default();
    let digits = columns.iter().flatten().map(String::len).max();
    let cell = digits.unwrap_or(1) + 1;
    let rule = |[left, cross, right]: Joints| {
        let groups = columns
            .chunks(GROUP)
            .map(|group| "─".repeat(group.len() * cell));
        let line = groups.collect::<Vec<_>>().join(&cross.to_string());
        format!("{:margin$} {left}{line}{right}\n", "")
    };

    let mut picture = String::new();
    for level in 0..deepest {
        let clues = columns.iter().map(|clue| {
            // Bottom-aligned: short clues begin further down.
            let number = (level + clue.len()).checked_sub(deepest);
            number.map_or("", |i| clue[i].as_str())
        });
        let line = line("", margin, clues, cell, ' ');
        let _ = writeln!(picture, "{}", line.trim_end());
    }
    let filled = "█".repeat(cell);
    for (row, clue) in rows.iter().enumerate() {
        if row.is_multiple_of(GROUP) {
            picture.push_str(&rule(if row == 0 { TOP } else { BETWEEN }));
        }
        let cells = (0..columns.len()).map(|column| match grid {
            Some(grid) if grid.get(row, column) => filled.as_str(),
            Some(_) => "",
            None => "·",
        });
        let _ = writeln!(picture, "{}", line(clue, margin, cells, cell, '│'));
    }
    picture.push_str(&rule(BOTTOM));
    picture
}

/// The numbers of a clue as they are printed; an empty line has a 0.
fn numbers(clue: &Clue) -> Vec<String> {
    clue.to_string().split(' ').map(str::to_owned).collect()
}

/// One line: `left` right-aligned in the margin, then its cells, with `bar` around each group of them.
fn line<'a>(
    left: &str,
    margin: usize,
    cells: impl Iterator<Item = &'a str>,
    cell: usize,
    bar: char,
) -> String {
    let mut line = format!("{left:>margin$} ");
    for (column, text) in cells.enumerate() {
        if column.is_multiple_of(GROUP) {
            line.push(bar);
        }
        let _ = write!(line, "{text:>cell$}");
    }
    line.push(bar);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clues_stand_around_the_grid() {
        let grid = Grid::from_rows(&["##.#..", "#....."]).unwrap();
        let drawn = [
            "      2 1 0 1 0  0",
            "    ┌──────────┬──┐",
            "2 1 │████  ██  │  │",
            "  1 │██        │  │",
            "    └──────────┴──┘",
            "",
        ];
        let clues = Puzzle::from_grid(&grid);
        assert_eq!(puzzle(&clues, Some(&grid)), drawn.join("\n"));
        let empty = puzzle(&clues, None);
        assert!(empty.contains("2 1 │ · · · · ·│ ·│\n"), "{empty}");
    }

    #[test]
    fn long_numbers_widen_the_cells() {
        let mut grid = Grid::new(2, 12);
        (0..10).for_each(|row| grid.set(row, 1, true));
        let drawn = puzzle(&Puzzle::from_grid(&grid), Some(&grid));
        assert!(
            drawn.starts_with("     0 10\n  ┌──────┐\n1 │   ███│\n"),
            "{drawn}"
        );
    }
}
