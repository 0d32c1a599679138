//! The layout of a sheet in pixels, and the code that draws it on any canvas. SVG, PNG and PDF implement [`Canvas`], with operations to
//! fill, rule and write; what is drawn, and in which order, is decided here.
//!
//! All lengths are whole pixels and follow from the side of a cell, so a picture looks the same at any size.

use super::drawing::{Drawing, Mark, Sheet};
use super::paper::{POINTS_PER_TENTH, Page, Paper};
use super::text::GROUP;
use crate::puzzle::Clue;

/// Distances from the left and from the top, in pixels.
pub(super) type Point = (u32, u32);

/// An output format on which pictures are drawn.
pub(super) trait Canvas {
    /// Fills a row of cells.
    fn fill(&mut self, at: Point, cells: u32);

    /// Fills every second square of a row of cells, as on a chessboard of four by four squares per cell.
    fn check(&mut self, at: Point, cells: u32);

    /// Fills one cell in a colour, given as red, green and blue, and attaches a text to it if the format supports that.
    fn shade(&mut self, at: Point, colour: [u8; 3], words: Option<&str>);

    /// Draws a small dot in the middle of a cell.
    fn dot(&mut self, at: Point);

    /// Draws a rule, horizontal or vertical.
    fn rule(&mut self, rule: Rule, from: Point, to: Point);

    /// Writes a line of text of this font size in pixels. `at` is the reference point that `align` names, at half the height of the digits.
    fn write(&mut self, words: &str, at: Point, align: Align, size: u32, tone: Tone);
}

/// Kinds of rules, the faintest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Between clues.
    Clue,
    /// Between cells.
    Thin,
    /// After every fifth line, and around the grid.
    Heavy,
}

/// The horizontal position of the reference point of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Middle,
}

/// Colours of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Clues and titles.
    Ink,
    /// Bylines, captions and the legend.
    Faint,
    /// On filled cells.
    Paper,
}

/// Lengths in pixels, which follow from the side of a cell and from the numbers and texts to be written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    pub(super) cell: u32,
    /// Font size of clue numbers.
    pub(super) size: u32,
    /// Vertical distance of the numbers of a column clue.
    number_height: u32,
    /// Width of the row clues to the left of a grid, height of the column clues above it, and height of the caption above these.
    clue_width: u32,
    clue_height: u32,
    caption: u32,
    /// Width and height of one drawing with clues and caption.
    drawing_size: (u32, u32),
    /// Number of drawings side by side.
    per_row: u32,
    /// Height of the titles and of the legend.
    header_height: u32,
    legend_height: u32,
    /// Font size of the title.
    title_size: u32,
    /// Margin on each side; 0 for a page, which has its own.
    margin: u32,
    /// Size of the whole picture.
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Assumed width of a character, in hundredths of the font size: that of digits in wide fonts.
const CHARACTER_WIDTH: u32 = 64;

/// Estimated width of a line of text in pixels. Only its first 10,000 characters are counted.
pub(super) fn text_width(words: &str, size: u32) -> u32 {
    let characters = words.chars().take(10_000).count() as u64;
    (characters * u64::from(size) * u64::from(CHARACTER_WIDTH)).div_ceil(100) as u32
}

/// Horizontal distance from one number of a row clue to the next.
fn room(number: &str, size: u32) -> u32 {
    text_width(number, size) + size / 2
}

/// The numbers of a clue as text, in its order.
fn numbers(clue: &Clue) -> impl DoubleEndedIterator<Item = String> {
    let zero = clue.blocks().is_empty().then_some(0);
    let numbers = clue.lengths().chain(zero);
    numbers.map(|number| number.to_string())
}

impl Layout {
    /// The layout of a sheet with cells of `cell` pixels, or fewer where lengths would overflow, in the shape of a page or a screen.
    pub(super) fn new(sheet: &Sheet<'_>, cell: u32, page: Option<Page>) -> Self {
        let cell = cell.clamp(1, MAX_CELL);
        let (mut wide, mut high, mut caption) = (0, 0, 0);
        let with_clues = || sheet.drawings.iter().filter(|drawing| drawing.has_clues());
        for drawing in &sheet.drawings {
            wide = wide.max(drawing.puzzle().width() as u32);
            high = high.max(drawing.puzzle().height() as u32);
            if drawing.caption().is_some() {
                caption = cell;
            }
        }
        let columns = || with_clues().flat_map(|drawing| drawing.puzzle().columns());
        let rows = || with_clues().flat_map(|drawing| drawing.puzzle().rows());
        let longest = columns().flat_map(Clue::lengths).max().unwrap_or(0);
        // Two digits fit above a cell at this size; more digits need a smaller one.
        let digits = longest.to_string().len() as u32;
        let size = (cell * 62).min(cell * 150 / digits) / 100;
        let number_height = (size * 125).div_ceil(100);
        let max_numbers = columns().map(|clue| clue.blocks().len().max(1)).max();
        let gap = with_clues().next().map_or(0, |_| cell / 4);
        let room = rows().map(|clue| numbers(clue).map(|number| room(&number, size)).sum::<u32>());
        let clue_width = room.max().unwrap_or(0) + gap;
        let clue_height = max_numbers.unwrap_or(0) as u32 * number_height + gap;
        // With clues on all sides there is as much room to the right of a grid and below it.
        let clued = if sheet.drawings.iter().any(Drawing::has_all_clues) {
            2
        } else {
            1
        };
        let drawing_height = caption + clued * clue_height + high * cell;
        let mut layout = Layout {
            cell,
            size,
            number_height,
            clue_width,
            clue_height,
            caption,
            drawing_size: (clued * clue_width + wide * cell, drawing_height),
            margin: if page.is_some() { 0 } else { cell },
            ..Layout::default()
        };
        match layout.arrange(sheet, page) {
            false if cell > 1 => Layout::new(sheet, cell / 2, page),
            _ => layout,
        }
    }

    /// The page, portrait or landscape, on which a sheet is larger below a header of `header_height` tenths of a millimetre; else portrait.
    pub(super) fn page(sheet: &Sheet<'_>, paper: Paper, header_height: u32) -> Page {
        let page = |landscape| paper.page(landscape).below(header_height);
        let scale = |page: Page| page.scale(Layout::new(sheet, UNIT, Some(page)).size(), UNIT);
        page(scale(page(true)) > scale(page(false)))
    }

    /// The upper left corner of the cells of the first drawing.
    pub(super) fn first_cell(&self) -> Point {
        (
            self.margin + self.clue_width,
            self.margin + self.header_height + self.caption + self.clue_height,
        )
    }

    /// Font size of clue numbers, if there are any.
    pub(super) fn number_size(&self) -> Option<u32> {
        (self.clue_width > 0).then_some(self.size)
    }

    pub(super) fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Chooses how many drawings are side by side, and computes the size of the picture. Returns whether it is at most [`MAX_LENGTH`].
    fn arrange(&mut self, sheet: &Sheet<'_>, page: Option<Page>) -> bool {
        let number = sheet.drawings.len().max(1) as u32;
        let shape = page.map_or((4, 3), |page| (page.width, page.height));
        let (drawing_size, gap) = (self.drawing_size, u64::from(self.gap()));
        // Thousands of drawings in one line are longer than `u32` can hold.
        let grids = |per_row: u32| {
            let all = |length: u32, number: u32| {
                let number = u64::from(number);
                number * u64::from(length) + (number - 1) * gap
            };
            let lines = number.div_ceil(per_row);
            (all(drawing_size.0, per_row), all(drawing_size.1, lines))
        };
        // The scale at which the drawings fill the shape, fine enough for the longest lengths.
        let fit = |&per_row: &u32| {
            let (width, height) = grids(per_row);
            let fit = |side: u32, length: u64| (u128::from(side) << 64) / u128::from(length);
            fit(shape.0, width).min(fit(shape.1, height))
        };
        // `max_by_key` takes the last of equals: the widest.
        self.per_row = (1..=number).max_by_key(fit).unwrap_or(1);
        let (width, height) = grids(self.per_row);
        let fits = width.max(height) <= u64::from(MAX_LENGTH);
        let [width, height] = [width, height].map(|side| side.min(MAX_LENGTH.into()) as u32);

        // A title may be wider than a small puzzle, up to 24 cells; a longer title is written smaller.
        let wanted = self.cell * 9 / 10;
        let title = text_width(&sheet.title, wanted);
        let byline = text_width(&sheet.byline, self.small());
        let words = sheet.legend.iter().map(|(_, words)| words);
        let legend = words.map(|words| text_width(words, self.small()));
        let legend = legend.max().map_or(0, |words| words + self.cell * 3 / 2);
        let width = width.max(title.max(byline).min(24 * self.cell)).max(legend);
        self.title_size = if title > width {
            ((u64::from(wanted) * u64::from(width) / u64::from(title)) as u32).max(wanted / 2)
        } else {
            wanted
        };
        let line = self.cell * 5 / 4;
        let present = |words: &str| u32::from(!words.is_empty());
        let lines = present(&sheet.title) + present(&sheet.byline);
        self.header_height = match lines {
            0 => 0,
            lines => lines * line + self.cell / 2,
        };
        self.legend_height = match sheet.legend.len() as u32 {
            0 => 0,
            lines => lines * line + self.cell * 3 / 4,
        };
        self.width = width + 2 * self.margin;
        self.height = self.header_height + height + self.legend_height + 2 * self.margin;
        fits
    }

    /// Distance between two drawings.
    fn gap(&self) -> u32 {
        self.cell * 3 / 2
    }

    /// Font size of bylines, captions and the legend.
    fn small(&self) -> u32 {
        self.cell * 62 / 100
    }

    /// Draws the sheet for which this layout was made.
    pub(super) fn draw(&self, sheet: &Sheet<'_>, canvas: &mut impl Canvas) {
        let margin = self.margin;
        let line = self.cell * 5 / 4;
        let mut y = margin;
        for (words, size, tone) in [
            (&sheet.title, self.title_size, Tone::Ink),
            (&sheet.byline, self.small(), Tone::Faint),
        ] {
            if !words.is_empty() {
                let words = &shortened(words, self.width - 2 * margin, size);
                let at = (margin, y + line / 2);
                canvas.write(words, at, Align::Left, size, tone);
                y += line;
            }
        }
        y = margin + self.header_height;
        for (i, drawing) in sheet.drawings.iter().enumerate() {
            let (column, row) = (i as u32 % self.per_row, i as u32 / self.per_row);
            let x = margin + column * (self.drawing_size.0 + self.gap());
            let y = y + row * (self.drawing_size.1 + self.gap());
            self.drawing(drawing, (x, y), canvas);
        }
        let mut y = self.height - margin - self.legend_height + self.cell * 3 / 4;
        for (mark, words) in &sheet.legend {
            let (x, side) = (margin, self.cell);
            self.mark((x, y), *mark, None, canvas);
            let corners = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)];
            for (i, &corner) in corners.iter().enumerate() {
                let next = corners[(i + 1) % 4];
                canvas.rule(Rule::Thin, corner.min(next), corner.max(next));
            }
            let at = (x + side * 3 / 2, y + side / 2);
            canvas.write(words, at, Align::Left, self.small(), Tone::Faint);
            y += line;
        }
    }

    /// Draws one drawing with its upper left corner at a point.
    fn drawing(&self, drawing: &Drawing<'_>, (x, y): Point, canvas: &mut impl Canvas) {
        let puzzle = drawing.puzzle();
        let (columns, rows) = (puzzle.width() as u32, puzzle.height() as u32);
        let (gx, gy) = (x + self.clue_width, y + self.caption + self.clue_height);
        if let Some(caption) = drawing.caption() {
            let at = (gx, y + self.caption / 2);
            canvas.write(caption, at, Align::Left, self.small(), Tone::Faint);
        }
        // In cells too small to be told apart, rules would hide the picture.
        let ruled = self.cell >= 5;
        if ruled && drawing.has_clues() {
            self.clue_rules((gx, gy), (columns, rows), drawing.has_all_clues(), canvas);
        }
        if ruled {
            self.rules((gx, gy), (columns, rows), Rule::Thin, canvas);
        }
        self.cells(drawing, (gx, gy), canvas);
        self.rules((gx, gy), (columns, rows), Rule::Heavy, canvas);
        if self.size >= 5 && drawing.has_clues() {
            let write = |number: &str, at: Point, canvas: &mut _| {
                Canvas::write(canvas, number, at, Align::Middle, self.size, Tone::Ink);
            };
            let is_far = drawing.has_all_clues();
            let (gap, height) = (self.cell / 4, self.number_height);
            let (far_x, far_y) = (gx + columns * self.cell, gy + rows * self.cell);
            for (row, clue) in puzzle.rows().iter().enumerate() {
                let y = gy + row as u32 * self.cell + self.cell / 2;
                let mut right = gx - gap;
                for number in numbers(clue).rev() {
                    let room = room(&number, self.size);
                    write(&number, (right - room / 2, y), canvas);
                    right -= room;
                }
                let mut left = far_x + gap;
                for number in numbers(clue).filter(|_| is_far) {
                    let room = room(&number, self.size);
                    write(&number, (left + room / 2, y), canvas);
                    left += room;
                }
            }
            for (column, clue) in puzzle.columns().iter().enumerate() {
                let x = gx + column as u32 * self.cell + self.cell / 2;
                let mut bottom = gy - gap;
                for number in numbers(clue).rev() {
                    write(&number, (x, bottom - height / 2), canvas);
                    bottom -= height;
                }
                let mut top = far_y + gap;
                for number in numbers(clue).filter(|_| is_far) {
                    write(&number, (x, top + height / 2), canvas);
                    top += height;
                }
            }
        }
    }

    /// Draws the rules between clues.
    fn clue_rules(
        &self,
        (x, y): Point,
        (columns, rows): (u32, u32),
        is_far: bool,
        canvas: &mut impl Canvas,
    ) {
        let (far_x, far_y) = (x + columns * self.cell, y + rows * self.cell);
        // Every fifth rule is stronger here too, so that the eye can follow a line from its clue.
        let rule = |line: u32| match line % GROUP as u32 {
            0 => Rule::Thin,
            _ => Rule::Clue,
        };
        for column in 0..=columns {
            let x = x + column * self.cell;
            canvas.rule(rule(column), (x, y - self.clue_height), (x, y));
            if is_far {
                canvas.rule(rule(column), (x, far_y), (x, far_y + self.clue_height));
            }
        }
        for row in 0..=rows {
            let y = y + row * self.cell;
            canvas.rule(rule(row), (x - self.clue_width, y), (x, y));
            if is_far {
                canvas.rule(rule(row), (far_x, y), (far_x + self.clue_width, y));
            }
        }
    }

    /// Draws the rules of one kind of a grid.
    fn rules(
        &self,
        (x, y): Point,
        (columns, rows): (u32, u32),
        rule: Rule,
        canvas: &mut impl Canvas,
    ) {
        let is_meant = |line: u32, lines: u32| {
            let ends_group = self.cell >= 3 && line.is_multiple_of(GROUP as u32);
            (line == lines || line == 0 || ends_group) == (rule == Rule::Heavy)
        };
        let (right, bottom) = (x + columns * self.cell, y + rows * self.cell);
        for column in (0..=columns).filter(|&column| is_meant(column, columns)) {
            let x = x + column * self.cell;
            canvas.rule(rule, (x, y), (x, bottom));
        }
        for row in (0..=rows).filter(|&row| is_meant(row, rows)) {
            let y = y + row * self.cell;
            canvas.rule(rule, (x, y), (right, y));
        }
    }

    /// Draws the cells of a grid.
    fn cells(&self, drawing: &Drawing<'_>, (x, y): Point, canvas: &mut impl Canvas) {
        // A drawing in which all cells are unknown or given is left blank, for solving on paper.
        let blank = drawing.is_blank();
        for (row, marks) in drawing.rows().enumerate() {
            let y = y + row as u32 * self.cell;
            let mut column = 0;
            for run in marks.chunk_by(|a, b| a == b || both_filled(*a, *b)) {
                let at = |column: usize| (x + column as u32 * self.cell, y);
                match run[0] {
                    Mark::Filled | Mark::Given(true) | Mark::Block(_) => {
                        canvas.fill(at(column), run.len() as u32)
                    }
                    Mark::Ambiguous => canvas.check(at(column), run.len() as u32),
                    Mark::Unknown if blank => {}
                    _ => {
                        for (i, &mark) in run.iter().enumerate() {
                            let words = drawing.words(row, column + i);
                            self.mark(at(column + i), mark, words, canvas);
                        }
                    }
                }
                for (i, mark) in run.iter().enumerate() {
                    if let Mark::Block(letter) = mark {
                        let words = letter.to_string();
                        self.label(&words, at(column + i), Tone::Paper, canvas);
                    }
                }
                column += run.len();
            }
        }
    }

    /// Draws one cell.
    fn mark(&self, at: Point, mark: Mark, words: Option<&str>, canvas: &mut impl Canvas) {
        match mark {
            Mark::Empty => {}
            Mark::Unknown => canvas.dot(at),
            Mark::Filled | Mark::Given(true) => canvas.fill(at, 1),
            Mark::Given(false) => self.label("×", at, Tone::Ink, canvas),
            Mark::Ambiguous => canvas.check(at, 1),
            Mark::Block(letter) => {
                canvas.fill(at, 1);
                self.label(&letter.to_string(), at, Tone::Paper, canvas);
            }
            Mark::Share(millionths) => {
                let part = millionths.min(1_000_000);
                // The levels stay away from white and black, so that shares differ visibly from empty and filled cells.
                let level = (235 - part * 185 / 1_000_000) as u8;
                canvas.shade(at, [level; 3], words);
                // A share that rounds to 0 or 100 percent is neither.
                let number = match (part + 5_000) / 10_000 {
                    0 => "<1".to_owned(),
                    100 => ">99".to_owned(),
                    number => number.to_string(),
                };
                let tone = if level < 140 { Tone::Paper } else { Tone::Ink };
                self.label(&number, at, tone, canvas);
            }
            Mark::Region(number) => {
                let colour = REGION_COLOURS[number as usize % REGION_COLOURS.len()];
                canvas.shade(at, colour, words);
                self.label(&mark.character().to_string(), at, Tone::Ink, canvas);
            }
        }
    }

    /// Writes a few characters in the middle of a cell, unless they would be too small.
    fn label(&self, words: &str, (x, y): Point, tone: Tone, canvas: &mut impl Canvas) {
        let size = self.cell * if words.chars().count() > 2 { 40 } else { 52 } / 100;
        if size >= 5 {
            let middle = (x + self.cell / 2, y + self.cell / 2);
            canvas.write(words, middle, Align::Middle, size, tone);
        }
    }
}

/// The font size in points of the clue numbers of a sheet that fills a page of this paper; `None` if it has no clues.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{Drawing, Paper, Sheet, number_size};
///
/// let puzzle = Puzzle::from_grid(&Grid::new(100, 100));
/// let size = number_size(&Sheet::new([Drawing::blank(&puzzle)]), Paper::A4);
/// assert!(size.is_some_and(|points| points < 6.0));
/// ```
pub fn number_size(sheet: &Sheet<'_>, paper: Paper) -> Option<f64> {
    let page = Layout::page(sheet, paper, 0);
    let layout = Layout::new(sheet, UNIT, Some(page));
    let size = f64::from(layout.number_size()?);
    Some(size * page.scale(layout.size(), layout.cell) * POINTS_PER_TENTH)
}

/// The colours of regions, in turn: light enough for black numbers, and easy to tell apart, also for most people who are colour-blind.
const REGION_COLOURS: [[u8; 3]; 8] = [
    [0xff, 0xc8, 0x57],
    [0x8e, 0xc7, 0xf2],
    [0xf4, 0x9a, 0xc1],
    [0xa6, 0xd9, 0x6a],
    [0xc9, 0xb3, 0xf5],
    [0xf4, 0x84, 0x5f],
    [0x6f, 0xd6, 0xc6],
    [0xd9, 0xc3, 0xa5],
];

/// Side of a cell in pixels, by default and for measuring.
pub(super) const UNIT: u32 = 20;

/// Largest side of a cell, and largest width and height of the drawings, in pixels. With them no length overflows.
const MAX_CELL: u32 = 10_000;
const MAX_LENGTH: u32 = 1 << 30;

fn both_filled(a: Mark, b: Mark) -> bool {
    matches!((a, b), (Mark::Block(_), Mark::Block(_)))
}

/// The text, cut and ended with an ellipsis if it is wider than `room`.
pub(super) fn shortened(words: &str, room: u32, size: u32) -> String {
    if text_width(words, size) <= room {
        return words.to_owned();
    }
    let characters = u64::from(room) * 100 / u64::from(size * CHARACTER_WIDTH).max(1);
    let kept = (characters as usize).saturating_sub(1);
    let begin: String = words.chars().take(kept).collect();
    format!("{}…", begin.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Grid, Puzzle};

    /// The length of a thousand long drawings in one line once overflowed, and beyond four million pixels all arrangements were taken to
    /// be equal, so that this one was chosen.
    #[test]
    fn very_large_pictures_have_the_shape_of_a_screen() {
        let puzzle = Puzzle::from_grid(&Grid::new(4096, 1));
        let sheet = Sheet::new(vec![Drawing::blank(&puzzle); 1100]);
        let layout = Layout::new(&sheet, 1000, None);
        assert_eq!(layout.cell, 1000);
        assert!(layout.width > 4_096_000 * layout.per_row);
        assert!(layout.height > 1_000 * 1100 / layout.per_row);
        let ratio = f64::from(layout.width) / f64::from(layout.height);
        assert!((0.5..3.0).contains(&ratio), "{layout:?}");
    }

    #[test]
    fn no_length_overflows() {
        let grid = Grid::from_rows(&["#.".repeat(2048)]).unwrap();
        let puzzle = Puzzle::from_grid(&grid);
        for number in [1, 500] {
            let sheet = Sheet::new(vec![Drawing::solution(&puzzle, &grid); number]);
            let sheet = sheet.title("long ".repeat(10_000));
            for cell in [0, 1, 1000, u32::MAX] {
                let layout = Layout::new(&sheet, cell, None);
                let total = (u64::from(layout.width), u64::from(layout.height));
                let least = 4096 * u64::from(layout.cell) * u64::from(layout.cell) * number as u64;
                assert!(total.0 * total.1 > least, "{cell}: {layout:?}");
            }
        }
    }
}
