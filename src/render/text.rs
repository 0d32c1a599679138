//! Drawings for a terminal: clues around the grid as in print, with a rule after every fifth line, in box-drawing characters or in
//! plain ASCII; or half blocks, two cells to a character, for large pictures without clues.
//!
//! A cell is one character wider than the longest number of a column clue, to keep neighbours apart; with numbers of one digit these are
//! two characters, about as wide as high. In narrower cells the digits of the column clues are stacked vertically.

use std::fmt;

use crate::error::{Error, Kind, Result};
use crate::puzzle::Clue;

use super::drawing::{Drawing, Mark, Sheet};

/// Lines between two rules.
pub(super) const GROUP: usize = 5;

/// Characters between drawings side by side.
const GAP: usize = 3;

/// The characters with which drawings are written.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// Boxes, with narrower cells if a line would be too long; half blocks without clues if it still would be.
    ///
    /// Cells are as wide as the width allows, down to one character. Half blocks are taken only if they can show the drawing.
    #[default]
    Auto,
    /// Box-drawing characters and full blocks.
    Boxes,
    /// Half blocks, two cells in one character, without clues.
    ///
    /// The two cells are above each other; filled and empty cells only.
    Half,
    /// Plain ASCII: '#' filled, '.' empty, '?' ambiguous.
    ///
    /// An unknown cell is blank.
    Ascii,
}

/// Options for writing a sheet as text. Each is set by the method with its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Look {
    /// The characters.
    pub style: Style,
    /// Width of a cell in characters; as wide as the clues need if not given.
    pub cell: Option<usize>,
    /// Desired maximum width of a line in characters.
    pub width: Option<usize>,
}

impl Look {
    /// Sets the characters.
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Sets the width of a cell in characters.
    pub fn cell(mut self, cell: impl Into<Option<usize>>) -> Self {
        self.cell = cell.into();
        self
    }

    /// Sets the desired maximum width of a line in characters.
    pub fn width(mut self, width: impl Into<Option<usize>>) -> Self {
        self.width = width.into();
        self
    }
}

/// A sheet as text. It is displayed as its lines, with a line break after each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Text {
    /// The lines from top to bottom, without line breaks; none of them ends in a blank.
    pub lines: Vec<String>,
    /// Width of the longest line in characters.
    pub width: usize,
    /// Whether clues were left out because they did not fit the width.
    pub lacks_clues: bool,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// The characters of a style; `top`, `between` and `bottom` hold the left end, the crossing and the right end of a rule.
struct Glyphs {
    top: [char; 3],
    between: [char; 3],
    bottom: [char; 3],
    across: &'static str,
    down: char,
    filled: char,
    ambiguous: char,
    empty: char,
    given_empty: char,
    unknown: char,
}

const BOXES: Glyphs = Glyphs {
    top: ['┌', '┬', '┐'],
    between: ['├', '┼', '┤'],
    bottom: ['└', '┴', '┘'],
    across: "─",
    down: '│',
    filled: '█',
    ambiguous: '▒',
    empty: ' ',
    given_empty: '×',
    unknown: '·',
};

const ASCII: Glyphs = Glyphs {
    top: ['+'; 3],
    between: ['+'; 3],
    bottom: ['+'; 3],
    across: "-",
    down: '|',
    filled: '#',
    ambiguous: '?',
    empty: '.',
    given_empty: 'x',
    unknown: ' ',
};

/// A sheet without its titles: its drawings in rows of as many as fit the width, and the legend.
///
/// # Errors
///
/// [`Kind::Usage`] when half blocks are requested and there are marks other than filled and empty.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{self, Drawing, Look, Sheet, Style};
///
/// let grid = Grid::from_rows(&["##.", "#.#"]).unwrap();
/// let puzzle = Puzzle::from_grid(&grid);
/// let sheet = Sheet::new([Drawing::solution(&puzzle, &grid)]);
/// let look = Look::default().style(Style::Ascii);
/// let drawn = [
///     "      2 1 1",
///     "    +------+",
///     "  2 |#### .|",
///     "1 1 |## .##|",
///     "    +------+",
/// ];
/// assert_eq!(render::text(&sheet, &look)?.lines, drawn);
/// # Ok::<(), omnogram::error::Error>(())
/// ```
pub fn text(sheet: &Sheet<'_>, look: &Look) -> Result<Text> {
    let halves = sheet.drawings.iter().all(can_halve);
    let half = || -> Vec<Block> { sheet.drawings.iter().map(half).collect() };
    let boxes = |glyphs: &Glyphs, cell: Option<usize>| -> Vec<Block> {
        let draw = |drawing| boxed(drawing, glyphs, cell);
        sheet.drawings.iter().map(draw).collect()
    };
    let (blocks, glyphs, lacks_clues) = match look.style {
        Style::Half if halves => (half(), &BOXES, false),
        Style::Half => {
            let message = "half blocks can show filled and empty cells only";
            return Err(Error::new(Kind::Usage, message));
        }
        Style::Boxes => (boxes(&BOXES, look.cell), &BOXES, false),
        Style::Ascii => (boxes(&ASCII, look.cell), &ASCII, false),
        Style::Auto => {
            let narrower = look.cell.map_or(&[Some(2), Some(1)][..], |_| &[]);
            let cells = [look.cell].into_iter().chain(narrower.iter().copied());
            let mut tried = cells.map(|cell| boxes(&BOXES, cell));
            let blocks = match look.width {
                None => tried.next(),
                Some(width) => tried.find(|blocks| max_width(blocks) <= width),
            };
            let clues = || sheet.drawings.iter().any(Drawing::has_clues);
            match (blocks, look.cell) {
                (Some(blocks), _) => (blocks, &BOXES, false),
                (None, None) if halves => (half(), &BOXES, clues()),
                (None, cell) => (boxes(&BOXES, cell), &BOXES, false),
            }
        }
    };
    let (mut lines, mut width) = side_by_side(blocks, look.width.unwrap_or(DEFAULT_WIDTH));
    if !sheet.legend.is_empty() {
        let legend = legend(&sheet.legend, glyphs);
        width = width.max(legend.chars().count());
        lines.extend([String::new(), legend]);
    }
    Ok(Text {
        lines,
        width,
        lacks_clues,
    })
}

/// Width in characters within which drawings are put side by side if no width is given.
const DEFAULT_WIDTH: usize = 100;

/// The lines of one drawing, and their width in characters.
struct Block {
    lines: Vec<String>,
    width: usize,
}

impl Block {
    /// `lines` are at most this wide.
    fn new(caption: Option<&str>, indent: usize, mut lines: Vec<String>, width: usize) -> Self {
        let caption = caption.map(|caption| format!("{:indent$}{caption}", ""));
        let above = caption.as_ref().map_or(0, |line| line.chars().count());
        lines.splice(0..0, caption);
        Block {
            lines,
            width: width.max(above),
        }
    }
}

fn max_width(blocks: &[Block]) -> usize {
    blocks.iter().map(|block| block.width).max().unwrap_or(0)
}

/// Arranges blocks in bands of as many as fit the width, at least one: the lines, and the width of the longest in characters.
fn side_by_side(mut blocks: Vec<Block>, width: usize) -> (Vec<String>, usize) {
    let across = ((width + GAP) / (max_width(&blocks) + GAP)).max(1);
    let (mut lines, mut longest) = (Vec::new(), 0);
    for band in blocks.chunks_mut(across) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let height = band.iter().map(|block| block.lines.len()).max();
        let Some((last, before)) = band.split_last_mut() else {
            continue;
        };
        let left: usize = before.iter().map(|block| block.width + GAP).sum();
        longest = longest.max(left + last.width);
        for i in 0..height.unwrap_or_default() {
            let part = last.lines.get_mut(i).map(std::mem::take);
            let mut line = part.unwrap_or_default();
            for block in before.iter().rev() {
                let part = block.lines.get(i).map_or("", String::as_str);
                let wide = block.width + GAP;
                line.insert_str(0, &format!("{part:wide$}"));
            }
            line.truncate(line.trim_end().len());
            lines.push(line);
        }
    }
    (lines, longest)
}

/// Digits of the longest number of a column clue.
fn longest_number(drawing: &Drawing<'_>) -> usize {
    if !drawing.has_clues() {
        return 1;
    }
    let columns = drawing.puzzle().columns().iter();
    let longest = columns.flat_map(Clue::lengths).max().unwrap_or(0);
    longest.to_string().len()
}

/// A drawing with its clues and rules around every five lines; if no width is given, the numbers of the column clues are kept apart.
fn boxed<'d>(drawing: &'d Drawing<'_>, glyphs: &Glyphs, cell: Option<usize>) -> Block {
    let cell = cell.unwrap_or_else(|| 1 + longest_number(drawing));
    let puzzle = drawing.puzzle();
    let rows: Vec<String> = if drawing.has_clues() {
        let clues = puzzle.rows().iter();
        clues.map(|clue| format!("{clue} ")).collect()
    } else {
        vec![String::new(); puzzle.height()]
    };
    let margin = rows.iter().map(String::len).max().unwrap_or_default();
    let rule = |[left, cross, right]: [char; 3]| {
        let columns = vec![(); puzzle.width()];
        let groups = columns.chunks(GROUP);
        let groups = groups.map(|group| glyphs.across.repeat(group.len() * cell));
        let line = groups.collect::<Vec<_>>().join(&cross.to_string());
        format!("{:margin$}{left}{line}{right}", "")
    };
    let mut lines = if drawing.has_clues() {
        column_clues(drawing, margin, cell, false)
    } else {
        Vec::new()
    };
    let is_right = drawing.has_all_clues();
    // Adjacent groups are mostly equal, so the text of the last one is reused.
    let (mut latest, mut drawn): (&[Mark], _) = (&[], String::new());
    let mut draw = |line: &mut String, group: &'d [Mark]| {
        if latest != group {
            latest = group;
            drawn.clear();
            for &mark in group {
                glyphs.draw(&mut drawn, mark, cell);
            }
        }
        line.push_str(&drawn);
    };
    for (row, (clue, marks)) in rows.iter().zip(drawing.rows()).enumerate() {
        if row == 0 {
            lines.push(rule(glyphs.top));
        } else if row.is_multiple_of(GROUP) {
            lines.push(rule(glyphs.between));
        }
        let mut line = line(clue, margin, marks, &mut draw, glyphs.down);
        if is_right {
            line.push(' ');
            line.push_str(clue.trim_end());
        }
        lines.push(line);
    }
    let last = rule(glyphs.bottom);
    let width = last.chars().count() + if is_right { margin } else { 0 };
    lines.push(last);
    if is_right {
        lines.extend(column_clues(drawing, margin, cell, true));
    }
    Block::new(drawing.caption(), margin, lines, width)
}

/// The lines above or below a grid: one for each number of the longest clue, or for each digit if the numbers are wider than a cell.
fn column_clues(drawing: &Drawing<'_>, margin: usize, cell: usize, below: bool) -> Vec<String> {
    let digits = longest_number(drawing);
    // Numbers of one digit may touch their neighbours; longer ones would be misread.
    let stacked = digits > 1 && digits >= cell;
    let entries = |number: &str| -> Vec<String> {
        if stacked {
            // Every number takes the same number of lines, so that the last digits are aligned across columns.
            let padded = format!("{number:>digits$}");
            padded.chars().map(String::from).collect()
        } else {
            vec![number.to_owned()]
        }
    };
    let columns = drawing.puzzle().columns().iter();
    let columns: Vec<Vec<String>> = columns
        .map(|clue| clue.to_string().split(' ').flat_map(entries).collect())
        .collect();
    let max_depth = columns.iter().map(Vec::len).max().unwrap_or_default();
    let level = |level: usize| {
        let draw = |line: &mut String, clues: &[Vec<String>]| {
            for clue in clues {
                // Above, shorter clues begin further down; below, they end further up.
                let shift = if below { 0 } else { max_depth - clue.len() };
                let number = level.checked_sub(shift).and_then(|i| clue.get(i));
                let number = number.map_or("", String::as_str);
                line.push_str(&format!("{number:>cell$}"));
            }
        };
        let mut line = line("", margin, &columns, draw, ' ');
        line.truncate(line.trim_end().len());
        line
    };
    // The first lines are blank if the longest clues, or below all of them, begin with short numbers.
    let levels = (0..max_depth).map(level);
    levels.skip_while(String::is_empty).collect()
}

/// One line: `left` right-aligned in the margin, then the cells group by group as `draw` appends them, with `bar` around the groups.
fn line<'c, T>(
    left: &str,
    margin: usize,
    cells: &'c [T],
    mut draw: impl FnMut(&mut String, &'c [T]),
    bar: char,
) -> String {
    // Most characters of a grid take three bytes, and most cells two characters.
    let mut line = String::with_capacity(margin + 6 * cells.len());
    line.push_str(&format!("{left:>margin$}"));
    for group in cells.chunks(GROUP) {
        line.push(bar);
        draw(&mut line, group);
    }
    line.push(bar);
    line
}

impl Glyphs {
    /// Appends a cell of `width` characters: filled completely, or one character at its right end.
    fn draw(&self, line: &mut String, mark: Mark, width: usize) {
        let (before, last) = match mark {
            Mark::Filled | Mark::Given(true) => (self.filled, self.filled),
            Mark::Given(false) => (' ', self.given_empty),
            Mark::Ambiguous => (self.ambiguous, self.ambiguous),
            Mark::Empty => (' ', self.empty),
            Mark::Unknown => (' ', self.unknown),
            Mark::Share(_) | Mark::Block(_) | Mark::Region(_) => (' ', mark.character()),
        };
        line.extend(std::iter::repeat_n(before, width - 1));
        line.push(last);
    }
}

/// `█ filled in every solution, ▒ ambiguous`
fn legend(legend: &[(Mark, String)], glyphs: &Glyphs) -> String {
    let entries = legend.iter().map(|(mark, words)| {
        let mut sample = String::new();
        glyphs.draw(&mut sample, *mark, 1);
        let sample = if sample == " " { "blank" } else { &sample };
        format!("{sample} {words}")
    });
    entries.collect::<Vec<_>>().join(", ")
}

/// Whether all cells are filled or empty.
fn can_halve(drawing: &Drawing<'_>) -> bool {
    let mut marks = drawing.marks().iter();
    marks.all(|mark| matches!(mark, Mark::Filled | Mark::Empty))
}

/// A drawing in a frame of half blocks: two of its rows in every line.
fn half(drawing: &Drawing<'_>) -> Block {
    let rows: Vec<&[Mark]> = drawing.rows().collect();
    let rule = BOXES.across.repeat(drawing.puzzle().width());
    let mut lines = vec![format!("┌{rule}┐")];
    for two in rows.chunks(2) {
        let is_filled = |row: usize, column: usize| {
            let mark = two.get(row).map(|marks| marks[column]);
            mark == Some(Mark::Filled)
        };
        let both = |column| match (is_filled(0, column), is_filled(1, column)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        let cells: String = (0..drawing.puzzle().width()).map(both).collect();
        lines.push(format!("│{cells}│"));
    }
    lines.push(format!("└{rule}┘"));
    let width = drawing.puzzle().width() + 2;
    Block::new(drawing.caption(), 0, lines, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Grid, Puzzle};
    use crate::render::Sides;

    fn drawn(drawings: Vec<Drawing<'_>>, look: Look) -> Text {
        let sheet = Sheet::new(drawings);
        text(&sheet, &look).unwrap()
    }

    fn lines(lines: &[&str]) -> String {
        format!("{}\n", lines.join("\n"))
    }

    #[test]
    fn clues_are_drawn_around_the_grid() {
        let grid = Grid::from_rows(&["##.#..", "#....."]).unwrap();
        let wanted = lines(&[
            "      2 1 0 1 0  0",
            "    ┌──────────┬──┐",
            "2 1 │████  ██  │  │",
            "  1 │██        │  │",
            "    └──────────┴──┘",
        ]);
        let puzzle = Puzzle::from_grid(&grid);
        let text = drawn(vec![Drawing::solution(&puzzle, &grid)], Look::default());
        assert_eq!(text.to_string(), wanted);
        assert_eq!(text.width, 19);
        let empty = drawn(vec![Drawing::blank(&puzzle)], Look::default()).to_string();
        assert!(empty.contains("2 1 │ · · · · ·│ ·│\n"), "{empty}");
    }

    #[test]
    fn clues_are_drawn_on_all_sides() {
        let grid = Grid::from_rows(&["##.#..", "#.....", "#.##.."]).unwrap();
        let puzzle = Puzzle::from_grid(&grid);
        let solution = || Drawing::solution(&puzzle, &grid).clues_on(Sides::All);
        let wanted = lines(&[
            "            1",
            "      3 1 1 1 0  0",
            "    ┌──────────┬──┐",
            "2 1 │████  ██  │  │ 2 1",
            "  1 │██        │  │ 1",
            "1 2 │██  ████  │  │ 1 2",
            "    └──────────┴──┘",
            "      3 1 1 1 0  0",
            "            1",
        ]);
        let text = drawn(vec![solution()], Look::default());
        assert_eq!((text.to_string(), text.width), (wanted, 23));
        let two = drawn(vec![solution(), solution()], Look::default());
        assert_eq!(two.width, 23 + GAP + 23);
        assert!(
            two.lines[3].ends_with("│ 2 1   2 1 │████  ██  │  │ 2 1"),
            "{two}"
        );
    }

    #[test]
    fn long_numbers_widen_the_cells_or_are_stacked() {
        let mut grid = Grid::new(2, 12);
        (0..12)
            .filter(|&row| row != 1)
            .for_each(|row| grid.set(row, 1, true));
        let puzzle = Puzzle::from_grid(&grid);
        let solution = || vec![Drawing::solution(&puzzle, &grid)];
        let natural = drawn(solution(), Look::default());
        let wanted = "        1\n     0 10\n  ┌──────┐\n1 │   ███│\n";
        assert!(natural.to_string().starts_with(wanted), "{natural}");
        let look = Look::default().cell(1);
        let narrow = drawn(solution(), look);
        let wanted = "    1\n    1\n   00\n  ┌──┐\n1 │ █│\n";
        assert!(narrow.to_string().starts_with(wanted), "{narrow}");
    }

    #[test]
    fn cells_narrow_and_then_halve_to_fit_the_width() {
        let mut grid = Grid::new(20, 12);
        (0..12).for_each(|row| grid.set(row, 3, true));
        let puzzle = Puzzle::from_grid(&grid);
        let fitted = |width| {
            let look = Look::default().width(width);
            drawn(vec![Drawing::solution(&puzzle, &grid)], look)
        };
        // A margin of two, five rules, and 3, 2 or 1 characters for each of 20 cells.
        assert_eq!(
            (fitted(67).width, fitted(66).width, fitted(46).width),
            (67, 47, 27)
        );
        assert_eq!((fitted(27).width, fitted(27).lacks_clues), (27, false));
        assert_eq!((fitted(26).width, fitted(26).lacks_clues), (22, true));
        let look = Look::default().width(26);
        assert_eq!(drawn(vec![Drawing::blank(&puzzle)], look).width, 67);
    }

    #[test]
    fn half_blocks_hold_two_rows() {
        let grid = Grid::from_rows(&["##..", "#.#.", "..##"]).unwrap();
        let puzzle = Puzzle::from_grid(&grid);
        let look = Look::default().style(Style::Half);
        let text = drawn(vec![Drawing::solution(&puzzle, &grid)], look).lines;
        assert_eq!(text, ["┌────┐", "│█▀▄ │", "│  ▀▀│", "└────┘"]);
        let sheet = Sheet::new([Drawing::blank(&puzzle)]);
        assert_eq!(super::text(&sheet, &look).unwrap_err().kind(), Kind::Usage);
    }

    #[test]
    fn drawings_are_side_by_side_within_the_width() {
        let grid = Grid::from_rows(&["#"]).unwrap();
        let puzzle = Puzzle::from_grid(&grid);
        let one = |i: usize| {
            let drawing = Drawing::solution(&puzzle, &grid).without_clues();
            drawing.captioned(i.to_string())
        };
        let look = Look::default().style(Style::Ascii).width(11);
        let text = drawn((1..=3).map(one).collect(), look).lines;
        let wanted = [
            "1      2",
            "+--+   +--+",
            "|##|   |##|",
            "+--+   +--+",
            "",
            "3",
            "+--+",
            "|##|",
            "+--+",
        ];
        assert_eq!(text, wanted);
    }
}
