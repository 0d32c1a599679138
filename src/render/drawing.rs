//! What is to be drawn, before it is decided how: a mark for every cell of a puzzle, clues or none around them, and several such
//! drawings on one sheet. Text, SVG, PNG and HTML all draw the same sheet.

use std::collections::BTreeMap;
use std::fmt;

use crate::puzzle::{Grid, Puzzle};

/// What a cell of a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing is known of it.
    Unknown,
    /// Empty.
    Empty,
    /// Filled.
    Filled,
    /// Filled in one solution and empty in another.
    Ambiguous,
    /// Filled in some solutions: their share in millionths, rounded to the nearest.
    Share(u32),
    /// Filled, and part of a block that has this letter.
    Block(char),
}

impl Mark {
    /// Filled or empty.
    pub fn of(filled: bool) -> Self {
        match filled {
            true => Mark::Filled,
            false => Mark::Empty,
        }
    }

    /// As one character: `#` filled, `.` empty, `?` ambiguous, `-` unknown, a digit for the tenths of a share, and a block's letter.
    pub fn character(self) -> char {
        match self {
            Mark::Unknown => '-',
            Mark::Empty => '.',
            Mark::Filled => '#',
            Mark::Ambiguous => '?',
            Mark::Share(millionths) => char::from(b'0' + (millionths / 100_000).min(9) as u8),
            Mark::Block(letter) => letter,
        }
    }
}

/// Which blocks are lettered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Those of each row, from the left.
    Rows,
    /// Those of each column, from the top.
    Columns,
}

/// One picture of a puzzle: its cells, with its clues unless they are left out.
///
/// It prints as rows of characters, as [`Mark::character`] has them.
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
    clues: bool,
    /// What is said of single cells, by their number, row by row.
    words: BTreeMap<usize, String>,
}

impl<'a> Drawing<'a> {
    /// A drawing with its clues, of the mark that each cell (row and column from 0) is given.
    pub fn new(puzzle: &'a Puzzle, mut mark: impl FnMut(usize, usize) -> Mark) -> Self {
        Self::of_rows(puzzle, |row, marks| {
            marks.extend((0..puzzle.width()).map(|column| mark(row, column)));
        })
    }

    /// A drawing to whose marks `add` adds those of each row.
    fn of_rows(puzzle: &'a Puzzle, mut add: impl FnMut(usize, &mut Vec<Mark>)) -> Self {
        let mut marks = Vec::with_capacity(puzzle.width() * puzzle.height());
        (0..puzzle.height()).for_each(|row| add(row, &mut marks));
        Drawing {
            puzzle,
            marks: marks.into(),
            caption: None,
            clues: true,
            words: BTreeMap::new(),
        }
    }

    /// All cells unknown but for the filled cells of these pictures, which have a mark each; where they overlap the last one counts.
    ///
    /// # Panics
    ///
    /// When a picture has not the size of the puzzle.
    pub fn marked(puzzle: &'a Puzzle, pictures: &[(&Grid, Mark)]) -> Self {
        Self::of_rows(puzzle, |row, marks| {
            let begin = marks.len();
            marks.resize(begin + puzzle.width(), Mark::Unknown);
            // Word by word, for most cells of a large puzzle whose search is stopped are unknown.
            for &(grid, mark) in pictures {
                for (i, &word) in grid.row(row).iter().enumerate() {
                    let mut left = word;
                    while left != 0 {
                        marks[begin + 64 * i + left.trailing_zeros() as usize] = mark;
                        left &= left - 1;
                    }
                }
            }
        })
    }

    /// The puzzle as it is set: all cells unknown.
    pub fn blank(puzzle: &'a Puzzle) -> Self {
        Self::marked(puzzle, &[])
    }

    /// A solution, or any other picture of that size.
    ///
    /// # Panics
    ///
    /// When the grid is smaller than the puzzle.
    pub fn solution(puzzle: &'a Puzzle, grid: &Grid) -> Self {
        Self::new(puzzle, |row, column| Mark::of(grid.get(row, column)))
    }

    /// A solution whose blocks are lettered in the order of their clue: `A` to `Z`, `a` to `z`, and from the beginning again.
    ///
    /// # Panics
    ///
    /// When the grid is smaller than the puzzle.
    pub fn lettered(puzzle: &'a Puzzle, grid: &Grid, letters: Letters) -> Self {
        // The last block of each line so far, and whether it goes on.
        let lines = match letters {
            Letters::Rows => puzzle.height(),
            Letters::Columns => puzzle.width(),
        };
        let mut last = vec![(0, false); lines];
        Self::new(puzzle, |row, column| {
            let (block, inside) = match letters {
                Letters::Rows => &mut last[row],
                Letters::Columns => &mut last[column],
            };
            let filled = grid.get(row, column);
            *block += usize::from(filled && !*inside);
            *inside = filled;
            match filled {
                true => Mark::Block(letter(*block - 1)),
                false => Mark::Empty,
            }
        })
    }

    /// The same with a line of text above it.
    #[must_use]
    pub fn captioned(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// The same without the clues.
    #[must_use]
    pub fn without_clues(mut self) -> Self {
        self.clues = false;
        self
    }

    /// The same with words for every cell that is filled in some solutions, which a viewer may show where a pointer rests on it.
    #[must_use]
    pub fn with_words(mut self, words: impl Fn(usize, usize) -> String) -> Self {
        let width = self.puzzle.width();
        let shares = self.marks.iter().enumerate();
        self.words = shares
            .filter(|(_, mark)| matches!(mark, Mark::Share(_)))
            .map(|(cell, _)| (cell, words(cell / width, cell % width)))
            .collect();
        self
    }

    /// The puzzle that is drawn.
    pub fn puzzle(&self) -> &'a Puzzle {
        self.puzzle
    }

    /// Are its clues drawn?
    pub fn has_clues(&self) -> bool {
        self.clues
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

    /// Is nothing known of any cell?
    pub fn is_blank(&self) -> bool {
        self.marks.iter().all(|&mark| mark == Mark::Unknown)
    }

    /// What is said of a cell.
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

/// The letter of a block, by its number from 0.
fn letter(block: usize) -> char {
    let letters = (b'A'..=b'Z').chain(b'a'..=b'z');
    letters.cycle().nth(block % 52).map_or('A', char::from)
}

/// Drawings that belong together.
#[derive(Clone, Debug, Default)]
pub struct Sheet<'a> {
    /// What stands above all.
    pub title: String,
    /// What stands below that, in smaller type.
    pub byline: String,
    /// The drawings, in order.
    pub drawings: Vec<Drawing<'a>>,
    /// What marks mean that do not explain themselves.
    pub legend: Vec<(Mark, String)>,
}

impl Sheet<'_> {
    /// The same with nothing above the drawings.
    pub(super) fn untitled(&self) -> Self {
        Sheet {
            title: String::new(),
            byline: String::new(),
            ..self.clone()
        }
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
    fn words_are_kept_for_shares_alone() {
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
