//! The clues of all lines in contiguous memory, for the hot path.

use crate::puzzle::Puzzle;

/// The block lengths of every line, rows first, then columns.
#[derive(Clone, Debug)]
pub struct Clues {
    width: usize,
    height: usize,
    lengths: Vec<u16>,
    /// Line `i` has `lengths[ends[i]..ends[i + 1]]`.
    ends: Vec<u32>,
    /// Number of filled cells of each line.
    filled: Vec<u32>,
}

impl Clues {
    /// The clues of a puzzle.
    pub fn new(puzzle: &Puzzle) -> Self {
        let (mut lengths, mut ends, mut filled) = (Vec::new(), vec![0], Vec::new());
        for (_, clue) in puzzle.lines() {
            lengths.extend(clue.lengths().map(|length| length as u16));
            ends.push(lengths.len() as u32);
            filled.push(clue.filled() as u32);
        }
        Clues {
            width: puzzle.width(),
            height: puzzle.height(),
            lengths,
            ends,
            filled,
        }
    }

    /// Number of columns.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    #[inline]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The block lengths of a line.
    ///
    /// # Panics
    ///
    /// If the line is outside the puzzle.
    #[inline]
    pub fn line(&self, line: usize) -> &[u16] {
        &self.lengths[self.ends[line] as usize..self.ends[line + 1] as usize]
    }

    /// Number of filled cells of a line.
    ///
    /// # Panics
    ///
    /// If the line is outside the puzzle.
    #[inline]
    pub fn filled(&self, line: usize) -> usize {
        self.filled[line] as usize
    }
}
