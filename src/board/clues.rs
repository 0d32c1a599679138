//! The clues of all lines in contiguous memory, for the hot path, and the given cells.

use crate::line::Word;
use crate::puzzle::{Position, Puzzle};

/// The block lengths of every line, rows first, then columns, and the cells that are given.
#[derive(Clone, Debug)]
pub struct Clues {
    width: usize,
    height: usize,
    lengths: Vec<u16>,
    /// Line `i` has `lengths[ends[i]..ends[i + 1]]`.
    ends: Vec<u32>,
    /// Number of filled cells of each line.
    filled: Vec<u32>,
    given: Option<Position>,
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
            given: puzzle.given().cloned(),
        }
    }

    /// The clues of a picture of this size, from the filled cells of every line: rows first, then columns.
    pub(crate) fn of_picture<W: Word>(width: usize, height: usize, lines: &[W]) -> Self {
        let mut clues = Clues {
            width,
            height,
            lengths: Vec::new(),
            ends: vec![0],
            filled: Vec::with_capacity(lines.len()),
            given: None,
        };
        for &filled in lines {
            clues.lengths.extend(blocks(filled));
            clues.ends.push(clues.lengths.len() as u32);
            clues.filled.push(filled.count() as u32);
        }
        clues
    }

    /// The same clues with these given cells.
    pub(crate) fn with_given(self, given: Option<&Position>) -> Self {
        Clues {
            given: given.cloned(),
            ..self
        }
    }

    /// Replaces the clue of a line by that of a line with these filled cells. O(n) for n lines.
    pub(crate) fn set_line<W: Word>(&mut self, line: usize, filled: W) {
        let (start, end) = (self.ends[line] as usize, self.ends[line + 1] as usize);
        self.lengths.splice(start..end, blocks(filled));
        let new_end = start + blocks(filled).count();
        for later in &mut self.ends[line + 1..] {
            *later = (*later as usize + new_end - end) as u32;
        }
        self.filled[line] = filled.count() as u32;
    }

    /// Whether a line with these filled cells has the clue of this line.
    pub(crate) fn is_clue_of<W: Word>(&self, line: usize, filled: W) -> bool {
        blocks(filled).eq(self.line(line).iter().copied())
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

    /// The given cells, if there are any.
    pub(super) fn given(&self) -> Option<&Position> {
        self.given.as_ref()
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

    /// Number of cells of a line.
    #[inline]
    pub fn length(&self, line: usize) -> usize {
        if line < self.height {
            self.width
        } else {
            self.height
        }
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

/// The lengths of the blocks that these filled cells form. O(blocks).
pub(crate) fn blocks<W: Word>(filled: W) -> impl Iterator<Item = u16> {
    let (starts, lasts) = (filled & !filled.up(1), filled & !filled.down(1));
    let ends = starts.cells().zip(lasts.cells());
    ends.map(|(start, last)| (last - start + 1) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Grid, Line, Puzzle};

    #[test]
    fn blocks_of_words_are_those_of_grids() {
        for bits in 0u64..1 << 8 {
            let grid = Grid::from_words(8, 1, vec![bits].into());
            let wanted = grid
                .clue(Line::Row(0))
                .lengths()
                .map(|n| n as u16)
                .collect::<Vec<_>>();
            assert_eq!(blocks(bits).collect::<Vec<_>>(), wanted);
        }
    }

    /// Lines get more blocks, fewer, none, and as many as before.
    #[test]
    fn a_line_that_is_set_moves_the_clues_behind_it() {
        let pictures = [0b00110101u64, 0, 0b11111111, 0b10101010, 0b01111011];
        let words = |lines: &[u64]| Grid::from_words(8, lines.len(), lines.to_vec().into());
        let mut lines = pictures.to_vec();
        let mut clues = Clues::new(&Puzzle::from_grid(&words(&lines)));
        for round in 0..25 {
            let (line, filled) = (round * 3 % 5, pictures[round / 5]);
            lines[line] = filled;
            clues.set_line(line, filled);
            let wanted = Clues::new(&Puzzle::from_grid(&words(&lines)));
            for (line, filled) in lines.iter().enumerate() {
                assert_eq!(clues.line(line), wanted.line(line));
                assert_eq!(clues.filled(line), filled.count_ones() as usize);
                for picture in pictures {
                    let is_same = clues.is_clue_of(line, picture);
                    assert_eq!(is_same, blocks(picture).eq(blocks(*filled)));
                }
            }
            assert_eq!(clues.lengths.len(), clues.ends[13] as usize);
        }
    }
}
