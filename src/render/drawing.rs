//! The content of pictures, whatever the format: a mark for every cell of a puzzle, with or without clues, and several drawings on one
//! sheet.

use std::collections::BTreeMap;
use std::fmt;

use crate::puzzle::{Grid, Position, Puzzle};

/// What a cell of a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mark {
    /// Unknown.
    Unknown,
    /// Empty.
    Empty,
    /// Filled.
    Filled,
    /// Given from the start: whether it is filled. It stands out among unknown cells.
    Given(bool),
    /// Filled in one solution and empty in another.
    Ambiguous,
    /// Filled in some solutions: their share in millionths, rounded to the nearest.
    Share(u32),
    /// Filled, and part of the block with this letter.
    Block(char),
    /// Ambiguous, and part of the region with this number, from 0.
    Region(u32),
}

impl Mark {
    /// The mark of a filled or an empty cell.
    pub fn of(filled: bool) -> Self {
        if filled { Mark::Filled } else { Mark::Empty }
    }

    /// The mark as one character: `#` filled, `.` empty, also if given, `?` ambiguous, `-` unknown, a digit for tenths of a share, or a letter. Regions
    /// are `1` to `9`, then `A` to `Z` and `a` to `z`, then `*`.
    pub fn character(self) -> char {
        match self {
            Mark::Unknown => '-',
            Mark::Empty | Mark::Given(false) => '.',
            Mark::Filled | Mark::Given(true) => '#',
            Mark::Ambiguous => '?',
            Mark::Share(millionths) => char::from(b'0' + (millionths / 100_000).min(9) as u8),
            Mark::Block(letter) => letter,
            Mark::Region(number) => {
                let names = (b'1'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z');
                names.map(char::from).nth(number as usize).unwrap_or('*')
            }
        }
    }
}

/// Which blocks are lettered.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Those of each row, from the left.
    Rows,
    /// Those of each column, from the top.
    Columns,
}

/// The sides of a grid on which its clues are drawn.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sides {
    /// On the left and at the top.
    LeftTop,
    /// On the right and at the bottom too.
    All,
}

/// One picture of a puzzle: its cells, with its clues unless they are left out.
///
/// It is displayed as rows of the characters of [`Mark::character`].
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{Drawing, Letters};
///
/// let grid = Grid::from_rows(&["##.#", ".###"]).unwrap();
/// let puzzle = Puzzle::from_grid(&grid);
/// assert_eq!(Drawing::blank(&puzzle).to_string(), "----\n----\n");
/// assert_eq!(Drawing::lettered(&puzzle, &grid, Letters::Rows).to_string(), "AA.B\n.AAA\n");
/// ```
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    puzzle: &'a Puzzle,
    marks: Box<[Mark]>,
    caption: Option<String>,
    sides: Option<Sides>,
    /// Texts for single cells, by the index of the cell, row by row.
    words: BTreeMap<usize, String>,
}

impl<'a> Drawing<'a> {
    /// A drawing with clues. `mark` gives the mark of each cell by its row and column, from 0.
    pub fn new(puzzle: &'a Puzzle, mut mark: impl FnMut(usize, usize) -> Mark) -> Self {
        Self::of_rows(puzzle, |row, marks| {
            marks.extend((0..puzzle.width()).map(|column| mark(row, column)));
        })
    }

    /// A drawing with clues. `add` appends the marks of each row.
    fn of_rows(puzzle: &'a Puzzle, mut add: impl FnMut(usize, &mut Vec<Mark>)) -> Self {
        let mut marks = Vec::with_capacity(puzzle.width() * puzzle.height());
        (0..puzzle.height()).for_each(|row| add(row, &mut marks));
        Drawing {
            puzzle,
            marks: marks.into(),
            caption: None,
            sides: Some(Sides::LeftTop),
            words: BTreeMap::new(),
        }
    }

    /// All cells unknown, except that the filled cells of each picture have its mark; where pictures overlap, the last one wins.
    ///
    /// # Panics
    ///
    /// When a picture does not have the size of the puzzle.
    pub fn marked(puzzle: &'a Puzzle, pictures: &[(&Grid, Mark)]) -> Self {
        Self::of_rows(puzzle, |row, marks| {
            let begin = marks.len();
            marks.resize(begin + puzzle.width(), Mark::Unknown);
            // Word by word, because most cells are unknown in a large puzzle whose search was stopped.
            for &(grid, mark) in pictures {
                for (i, &word) in grid.row(row).iter().enumerate() {
                    let mut remaining = word;
                    while remaining != 0 {
                        marks[begin + 64 * i + remaining.trailing_zeros() as usize] = mark;
                        remaining &= remaining - 1;
                    }
                }
            }
        })
    }

    /// The unsolved puzzle: all cells unknown but those that are given.
    pub fn blank(puzzle: &'a Puzzle) -> Self {
        match puzzle.given().map(Position::grids) {
            None => Self::marked(puzzle, &[]),
            Some((filled, empty)) => Self::marked(
                puzzle,
                &[(filled, Mark::Given(true)), (empty, Mark::Given(false))],
            ),
        }
    }

    /// A solution, or any other picture of the puzzle's size.
    ///
    /// # Panics
    ///
    /// When the grid is smaller than the puzzle.
    pub fn solution(puzzle: &'a Puzzle, grid: &Grid) -> Self {
        Self::new(puzzle, |row, column| Mark::of(grid.get(row, column)))
    }

    /// A solution whose blocks are lettered in the order of their clue: `A` to `Z`, `a` to `z`, and then from `A` again.
    ///
    /// # Panics
    ///
    /// When the grid is smaller than the puzzle.
    pub fn lettered(puzzle: &'a Puzzle, grid: &Grid, letters: Letters) -> Self {
        // For each line, the number of blocks so far, and whether the last one continues.
        let mut last = vec![(0, false); puzzle.width().max(puzzle.height())];
        Self::new(puzzle, |row, column| {
            let (block, inside) = match letters {
                Letters::Rows => &mut last[row],
                Letters::Columns => &mut last[column],
            };
            let filled = grid.get(row, column);
            *block += usize::from(filled && !*inside);
            *inside = filled;
            if filled {
                Mark::Block(letter(*block - 1))
            } else {
                Mark::Empty
            }
        })
    }

    /// The drawing with a line of text above it.
    #[must_use]
    pub fn captioned(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// The drawing with its clues on these sides.
    #[must_use]
    pub fn clues_on(mut self, sides: Sides) -> Self {
        self.sides = Some(sides);
        self
    }

    /// The drawing without its clues.
    #[must_use]
    pub fn without_clues(mut self) -> Self {
        self.sides = None;
        self
    }

    /// The drawing with a text for every cell marked as a share or a region, which a viewer may show as a tooltip.
    #[must_use]
    pub fn with_words(mut self, words: impl Fn(usize, usize) -> String) -> Self {
        let width = self.puzzle.width();
        let marks = self.marks.iter().enumerate();
        self.words = marks
            .filter(|(_, mark)| matches!(mark, Mark::Share(_) | Mark::Region(_)))
            .map(|(cell, _)| (cell, words(cell / width, cell % width)))
            .collect();
        self
    }

    /// The puzzle that is drawn.
    pub fn puzzle(&self) -> &'a Puzzle {
        self.puzzle
    }

    /// Whether its clues are drawn.
    pub fn has_clues(&self) -> bool {
        self.sides.is_some()
    }

    /// Whether its clues are drawn on the right and at the bottom too.
    pub fn has_all_clues(&self) -> bool {
        self.sides == Some(Sides::All)
    }

    /// The line of text above it.
    pub fn caption(&self) -> Option<&str> {
        self.caption.as_deref()
    }

    /// The marks of all cells, row by row.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The marks of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[Mark]> {
        self.marks.chunks_exact(self.puzzle.width())
    }

    /// Whether all cells are unknown or given.
    pub fn is_blank(&self) -> bool {
        let mut marks = self.marks.iter();
        marks.all(|mark| matches!(mark, Mark::Unknown | Mark::Given(_)))
    }

    /// The text of a cell, if it has one.
    pub fn words(&self, row: usize, column: usize) -> Option<&str> {
        let cell = row * self.puzzle.width() + column;
        self.words.get(&cell).map(String::as_str)
    }
}

impl fmt::Display for Drawing<'_> {
    /// Rows of characters, without clues.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows().try_for_each(|row| {
            let row: String = row.iter().map(|mark| mark.character()).collect();
            writeln!(f, "{row}")
        })
    }
}

/// The letter of a block, by its index from 0.
fn letter(block: usize) -> char {
    let letters = (b'A'..=b'Z').chain(b'a'..=b'z');
    letters.cycle().nth(block % 52).map_or('A', char::from)
}

/// Drawings that are shown together. Each field is set by the method with its name.
///
/// ```
/// use omnogram::Puzzle;
/// use omnogram::render::{Drawing, Sheet, svg};
///
/// let puzzle = Puzzle::from_clues(&[[1], [1]], &[[1], [1]])?;
/// let sheet = Sheet::new([Drawing::blank(&puzzle)]).title("Two by two");
/// assert!(svg(&sheet, None, None).contains("Two by two"));
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use]
pub struct Sheet<'a> {
    /// The text above the drawings.
    pub title: String,
    /// The text below the title, in smaller type.
    pub byline: String,
    /// The drawings, in order.
    pub drawings: Vec<Drawing<'a>>,
    /// Explanations of marks that need one.
    pub legend: Vec<(Mark, String)>,
}

impl<'a> Sheet<'a> {
    /// A sheet of these drawings, without texts.
    pub fn new(drawings: impl IntoIterator<Item = Drawing<'a>>) -> Self {
        Sheet::default().drawings(drawings)
    }

    /// Sets the text above the drawings.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the text below the title.
    pub fn byline(mut self, byline: impl Into<String>) -> Self {
        self.byline = byline.into();
        self
    }

    /// Sets the drawings.
    pub fn drawings(mut self, drawings: impl IntoIterator<Item = Drawing<'a>>) -> Self {
        self.drawings = drawings.into_iter().collect();
        self
    }

    /// Sets the explanations of marks.
    pub fn legend(mut self, legend: impl IntoIterator<Item = (Mark, String)>) -> Self {
        self.legend = legend.into_iter().collect();
        self
    }

    /// The sheet without title and byline.
    pub(super) fn untitled(&self) -> Self {
        self.clone().title(String::new()).byline(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_get_their_letters() {
        let grid = Grid::from_rows(&["#.##", "#..#", ".#.#"]).unwrap();
        let puzzle = Puzzle::from_grid(&grid);
        let rows = Drawing::lettered(&puzzle, &grid, Letters::Rows);
        assert_eq!(rows.to_string(), "A.BB\nA..B\n.A.B\n");
        let columns = Drawing::lettered(&puzzle, &grid, Letters::Columns);
        assert_eq!(columns.to_string(), "A.AA\nA..A\n.A.A\n");
        let letters: String = [0, 25, 26, 51, 52].into_iter().map(letter).collect();
        assert_eq!(letters, "AZazA");
    }

    #[test]
    fn marks_are_characters() {
        let puzzle = Puzzle::from_grid(&Grid::new(7, 1));
        let marks = [
            Mark::Unknown,
            Mark::Empty,
            Mark::Filled,
            Mark::Ambiguous,
            Mark::Share(1),
            Mark::Share(999_999),
            Mark::Share(1_000_000),
        ];
        let drawing = Drawing::new(&puzzle, |_, column| marks[column]);
        assert_eq!(drawing.to_string(), "-.#?099\n");
    }

    #[test]
    fn only_shares_have_words() {
        let puzzle = Puzzle::from_grid(&Grid::new(2, 2));
        let share = |row, column| match (row, column) {
            (1, 0) => Mark::Share(500_000),
            _ => Mark::Filled,
        };
        let drawing =
            Drawing::new(&puzzle, share).with_words(|row, column| format!("{row},{column}"));
        assert_eq!(drawing.words(1, 0), Some("1,0"));
        assert_eq!(drawing.words(0, 0), None);
    }
}
