//! Where everything of a sheet goes when it is drawn in pixels, and the one way to draw it. SVG and PNG are canvases that can fill,
//! rule and write; what is drawn, and in which order, stands here.
//!
//! All lengths are whole pixels and follow from the side of a cell, so that a picture looks the same at any size.

use super::drawing::{Drawing, Mark, Sheet};
use super::paper::{Page, Paper};
use super::text::GROUP;
use crate::puzzle::Clue;

/// From the left, and from the top.
pub(super) type Point = (u32, u32);

/// What pictures are drawn on.
pub(super) trait Canvas {
    /// Fills a row of cells.
    fn fill(&mut self, at: Point, cells: u32);

    /// Fills every second square of a row of cells, as on a chessboard of four by four squares a cell.
    fn check(&mut self, at: Point, cells: u32);

    /// Fills one cell in a grey level, and keeps words for it if it can.
    fn shade(&mut self, at: Point, level: u8, words: Option<&str>);

    /// A small dot in the middle of a cell.
    fn dot(&mut self, at: Point);

    /// A rule, across or down.
    fn rule(&mut self, rule: Rule, from: Point, to: Point);

    /// A line of text.
    fn write(&mut self, line: &Line<'_>);
}

/// Kinds of rules, from the faintest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Between clues.
    Lane,
    /// Between cells.
    Thin,
    /// Every fifth, and around the grid.
    Heavy,
}

/// A line of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) words: &'a str,
    /// Half way up its digits.
    pub(super) at: Point,
    pub(super) align: Align,
    /// Height of the type, in pixels.
    pub(super) size: u32,
    pub(super) tone: Tone,
}

/// Which point of a line of text is given.
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
    /// What matters less.
    Faint,
    /// On filled cells.
    Paper,
}

/// Lengths that follow from the side of a cell and from the numbers to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) cell: u32,
    /// Height of clue numbers.
    pub(super) size: u32,
    /// Room for a number of a column clue, from one to the next.
    slot: u32,
    /// Room for all numbers of row clues left of a grid, for those of column clues above it, and above these for the caption.
    left: u32,
    top: u32,
    caption: u32,
    /// One drawing with all of that.
    each: (u32, u32),
    /// Drawings in one line, and room around them.
    across: u32,
    /// Room for the titles and for the legend.
    head: u32,
    foot: u32,
    /// Height of the title.
    title: u32,
    /// Room around everything; a page has its own.
    margin: u32,
    /// The whole picture.
    pub(super) width: u32,
    pub(super) height: u32,
}

/// A character is about so wide, in hundredths of its height; wide faces have digits of 64.
const WIDE: u32 = 64;

/// About how wide a line of text is. Nobody has room for ten thousand characters, however many more there are.
fn length(words: &str, size: u32) -> u32 {
    (words.chars().take(10_000).count() as u32 * size * WIDE).div_ceil(100)
}

/// Room for a number of a row clue, from one to the next.
fn room(number: &str, size: u32) -> u32 {
    length(number, size) + size / 2
}

/// The numbers of a clue as they are written, from the grid outwards.
fn numbers(clue: &Clue) -> impl Iterator<Item = String> {
    let zero = clue.blocks().is_empty().then_some(0);
    clue.lengths()
        .rev()
        .chain(zero)
        .map(|number| number.to_string())
}

impl Layout {
    /// A sheet whose cells have sides of `cell` pixels; for one page of paper, or about as wide as a screen.
    pub(super) fn new(sheet: &Sheet<'_>, cell: u32, page: Option<Page>) -> Self {
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
        // Two digits fit above a cell at this size; more must be smaller.
        let digits = longest.to_string().len() as u32;
        let size = (cell * 62).min(cell * 150 / digits) / 100;
        let slot = (size * 125).div_ceil(100);
        let deepest = columns().map(|clue| clue.blocks().len().max(1)).max();
        let gap = if with_clues().next().is_some() {
            cell / 4
        } else {
            0
        };
        let room = rows().map(|clue| numbers(clue).map(|number| room(&number, size)).sum::<u32>());
        let left = room.max().unwrap_or(0) + gap;
        let top = deepest.unwrap_or(0) as u32 * slot + gap;
        let each = (left + wide * cell, caption + top + high * cell);
        let mut layout = Layout {
            cell,
            size,
            slot,
            left,
            top,
            caption,
            each,
            across: 1,
            head: 0,
            foot: 0,
            title: 0,
            margin: if page.is_some() { 0 } else { cell },
            width: 0,
            height: 0,
        };
        layout.arrange(sheet, page);
        layout
    }

    /// The page on which a sheet comes out largest below a head of this many tenths of a millimetre, upright where that makes no
    /// difference.
    pub(super) fn page(sheet: &Sheet<'_>, paper: Paper, head: u32) -> Page {
        let page = |landscape| paper.page(landscape).below(head);
        let scale = |page: Page| page.scale(Layout::new(sheet, UNIT, Some(page)).size(), UNIT);
        page(scale(page(true)) > scale(page(false)))
    }

    pub(super) fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Puts as many drawings beside each other as suits the page, or a screen.
    fn arrange(&mut self, sheet: &Sheet<'_>, page: Option<Page>) {
        let number = sheet.drawings.len().max(1) as u32;
        let shape = page.map_or((4, 3), |page| (page.width, page.height));
        let (each, gap) = (self.each, self.gap());
        let grids = |across: u32| {
            let lines = number.div_ceil(across);
            let all = |each, number| number * each + (number - 1) * gap;
            (all(each.0, across), all(each.1, lines))
        };
        // The larger a picture of this shape can be, the less of the page is left over.
        let fit = |&across: &u32| {
            let (width, height) = grids(across);
            let fit = |side: u32, length: u32| u64::from(side) * 1_000_000 / u64::from(length);
            fit(shape.0, width).min(fit(shape.1, height))
        };
        // Of equals the last is taken: the widest.
        self.across = (1..=number).max_by_key(fit).unwrap_or(1);
        let (width, height) = grids(self.across);

        // A title may be wider than a small puzzle, up to a point; beyond that it is written smaller.
        let wanted = self.cell * 9 / 10;
        let title = length(&sheet.title, wanted);
        let byline = length(&sheet.byline, self.small());
        let legend = sheet
            .legend
            .iter()
            .map(|(_, words)| length(words, self.small()));
        let legend = legend.max().map_or(0, |words| words + self.cell * 3 / 2);
        let width = width.max(title.max(byline).min(24 * self.cell)).max(legend);
        self.title = match title > width {
            true => {
                ((u64::from(wanted) * u64::from(width) / u64::from(title)) as u32).max(wanted / 2)
            }
            false => wanted,
        };
        let line = self.cell * 5 / 4;
        let present = |words: &str| u32::from(!words.is_empty());
        let lines = present(&sheet.title) + present(&sheet.byline);
        self.head = match lines {
            0 => 0,
            lines => lines * line + self.cell / 2,
        };
        self.foot = match sheet.legend.len() as u32 {
            0 => 0,
            lines => lines * line + self.cell * 3 / 4,
        };
        self.width = width + 2 * self.margin;
        self.height = self.head + height + self.foot + 2 * self.margin;
    }

    /// Room between two drawings.
    fn gap(&self) -> u32 {
        self.cell * 3 / 2
    }

    /// Height of the type of captions and the like.
    fn small(&self) -> u32 {
        self.cell * 62 / 100
    }

    /// Draws a sheet that this layout was made for.
    pub(super) fn draw(&self, sheet: &Sheet<'_>, canvas: &mut impl Canvas) {
        let margin = self.margin;
        let line = self.cell * 5 / 4;
        let mut y = margin;
        for (words, size, tone) in [
            (&sheet.title, self.title, Tone::Ink),
            (&sheet.byline, self.small(), Tone::Faint),
        ] {
            if !words.is_empty() {
                let words = &shortened(words, self.width - 2 * margin, size);
                let at = (margin, y + line / 2);
                canvas.write(&left(words, at, size, tone));
                y += line;
            }
        }
        y = margin + self.head;
        for (i, drawing) in sheet.drawings.iter().enumerate() {
            let (column, row) = (i as u32 % self.across, i as u32 / self.across);
            let x = margin + column * (self.each.0 + self.gap());
            self.drawing(drawing, (x, y + row * (self.each.1 + self.gap())), canvas);
        }
        let mut y = self.height - margin - self.foot + self.cell * 3 / 4;
        for (mark, words) in &sheet.legend {
            let (x, side) = (margin, self.cell);
            self.mark((x, y), *mark, None, canvas);
            let corners = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)];
            for (i, &corner) in corners.iter().enumerate() {
                let next = corners[(i + 1) % 4];
                canvas.rule(Rule::Thin, corner.min(next), corner.max(next));
            }
            let at = (x + side * 3 / 2, y + side / 2);
            canvas.write(&left(words, at, self.small(), Tone::Faint));
            y += line;
        }
    }

    /// Draws one drawing with its upper left corner here.
    fn drawing(&self, drawing: &Drawing<'_>, (x, y): Point, canvas: &mut impl Canvas) {
        let puzzle = drawing.puzzle();
        let (columns, rows) = (puzzle.width() as u32, puzzle.height() as u32);
        let (gx, gy) = (x + self.left, y + self.caption + self.top);
        if let Some(caption) = drawing.caption() {
            let at = (gx, y + self.caption / 2);
            canvas.write(&left(caption, at, self.small(), Tone::Faint));
        }
        // Too small for anyone to see them apart, rules would hide the picture.
        let ruled = self.cell >= 5;
        if ruled && drawing.has_clues() {
            self.lanes((gx, gy), (columns, rows), canvas);
        }
        if ruled {
            self.rules((gx, gy), (columns, rows), Rule::Thin, canvas);
        }
        self.cells(drawing, (gx, gy), canvas);
        self.rules((gx, gy), (columns, rows), Rule::Heavy, canvas);
        if self.size >= 5 && drawing.has_clues() {
            for (row, clue) in puzzle.rows().iter().enumerate() {
                let y = gy + row as u32 * self.cell + self.cell / 2;
                let mut right = gx - self.cell / 4;
                for number in numbers(clue) {
                    let room = room(&number, self.size);
                    canvas.write(&self.number(&number, (right - room / 2, y)));
                    right -= room;
                }
            }
            for (column, clue) in puzzle.columns().iter().enumerate() {
                let x = gx + column as u32 * self.cell + self.cell / 2;
                let mut bottom = gy - self.cell / 4;
                for number in numbers(clue) {
                    canvas.write(&self.number(&number, (x, bottom - self.slot / 2)));
                    bottom -= self.slot;
                }
            }
        }
    }

    fn number<'a>(&self, words: &'a str, at: Point) -> Line<'a> {
        Line {
            words,
            at,
            align: Align::Middle,
            size: self.size,
            tone: Tone::Ink,
        }
    }

    /// The rules between clues.
    fn lanes(&self, (x, y): Point, (columns, rows): (u32, u32), canvas: &mut impl Canvas) {
        // Every fifth is stronger here too, so that a line is found from its clue.
        let rule = |line: u32| match line.is_multiple_of(GROUP as u32) {
            true => Rule::Thin,
            false => Rule::Lane,
        };
        for column in 0..=columns {
            let x = x + column * self.cell;
            canvas.rule(rule(column), (x, y - self.top), (x, y));
        }
        for row in 0..=rows {
            let y = y + row * self.cell;
            canvas.rule(rule(row), (x - self.left, y), (x, y));
        }
    }

    /// The rules of a grid of one kind.
    fn rules(
        &self,
        (x, y): Point,
        (columns, rows): (u32, u32),
        rule: Rule,
        canvas: &mut impl Canvas,
    ) {
        let is_meant = |line: u32, lines: u32| {
            let heavy =
                line == lines || line == 0 || (self.cell >= 3 && line.is_multiple_of(GROUP as u32));
            heavy == (rule == Rule::Heavy)
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

    /// The cells of a grid.
    fn cells(&self, drawing: &Drawing<'_>, (x, y): Point, canvas: &mut impl Canvas) {
        // What is unknown throughout is left blank, to be filled in.
        let blank = drawing.is_blank();
        for (row, marks) in drawing.rows().enumerate() {
            let y = y + row as u32 * self.cell;
            let mut column = 0;
            for run in marks.chunk_by(|a, b| a == b || both_filled(*a, *b)) {
                let at = |column: usize| (x + column as u32 * self.cell, y);
                match run[0] {
                    Mark::Filled | Mark::Block(_) => canvas.fill(at(column), run.len() as u32),
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

    /// One cell.
    fn mark(&self, at: Point, mark: Mark, words: Option<&str>, canvas: &mut impl Canvas) {
        match mark {
            Mark::Empty => {}
            Mark::Unknown => canvas.dot(at),
            Mark::Filled => canvas.fill(at, 1),
            Mark::Ambiguous => canvas.check(at, 1),
            Mark::Block(letter) => {
                canvas.fill(at, 1);
                self.label(&letter.to_string(), at, Tone::Paper, canvas);
            }
            Mark::Share(millionths) => {
                let part = millionths.min(1_000_000);
                // Away from white and from black, so that they are told apart at a glance.
                let level = (235 - part * 185 / 1_000_000) as u8;
                canvas.shade(at, level, words);
                // What rounds to 0 or to 100 is neither.
                let number = match (part + 5_000) / 10_000 {
                    0 => "<1".to_owned(),
                    100 => ">99".to_owned(),
                    number => number.to_string(),
                };
                let tone = if level < 140 { Tone::Paper } else { Tone::Ink };
                self.label(&number, at, tone, canvas);
            }
        }
    }

    /// A few characters in the middle of a cell.
    fn label(&self, words: &str, (x, y): Point, tone: Tone, canvas: &mut impl Canvas) {
        let size = self.cell * if words.len() > 2 { 40 } else { 52 } / 100;
        if size >= 5 {
            canvas.write(&Line {
                words,
                at: (x + self.cell / 2, y + self.cell / 2),
                align: Align::Middle,
                size,
                tone,
            });
        }
    }
}

/// The side of a cell to measure with.
pub(super) const UNIT: u32 = 20;

fn both_filled(a: Mark, b: Mark) -> bool {
    matches!((a, b), (Mark::Block(_), Mark::Block(_)))
}

fn left(words: &str, at: Point, size: u32, tone: Tone) -> Line<'_> {
    Line {
        words,
        at,
        align: Align::Left,
        size,
        tone,
    }
}

/// As much of a text as there is room for.
fn shortened(words: &str, room: u32, size: u32) -> String {
    if length(words, size) <= room {
        return words.to_owned();
    }
    let characters = room * 100 / (size * WIDE).max(1);
    let begin: String = words
        .chars()
        .take((characters as usize).saturating_sub(1))
        .collect();
    format!("{}…", begin.trim_end())
}
