//! A clue: the lengths of the filled blocks of one line, in order.

use std::fmt;

use super::line::{Line, MAX_SIDE};
use crate::error::{Error, Result};

/// A run of filled cells in a clue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block {
    length: u16,
}

impl Block {
    /// Number of cells, at least 1.
    pub fn length(self) -> usize {
        usize::from(self.length)
    }
}

/// The blocks of one line, in order; no blocks at all for an empty line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clue {
    blocks: Box<[Block]>,
}

impl Clue {
    /// A clue of blocks with these lengths.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) for a length of 0 or above [`MAX_SIDE`].
    pub fn new(lengths: impl IntoIterator<Item = usize>) -> Result<Self> {
        let mut blocks = Vec::new();
        for length in lengths {
            blocks.push(match u16::try_from(length) {
                Ok(0) => return Err(Error::data("a block has at least one cell")),
                Ok(length) if usize::from(length) <= MAX_SIDE => Block { length },
                _ => {
                    return Err(Error::data(format!(
                        "a block of {length} cells is longer than the longest line, {MAX_SIDE}"
                    )));
                }
            });
        }
        Ok(Clue {
            blocks: blocks.into(),
        })
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks' lengths in order.
    pub fn lengths(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + '_ {
        self.blocks.iter().map(|block| block.length())
    }

    /// Number of filled cells.
    pub fn filled(&self) -> usize {
        self.lengths().sum()
    }

    /// Length of the shortest line that it fits: its blocks, separated by one empty cell each.
    pub fn span(&self) -> usize {
        self.filled() + self.blocks.len().saturating_sub(1)
    }

    /// Checks that it fits into a line of `length` cells.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data), naming the line, if it does not fit.
    pub fn check_fit(&self, line: Line, length: usize) -> Result<()> {
        if self.span() <= length {
            return Ok(());
        }
        let span = self.span();
        let cells = if span == 1 { "cell" } else { "cells" };
        Err(Error::data(format!(
            "the clue {self} of {line} needs {span} {cells}, but the line has {length}"
        )))
    }
}

impl fmt::Display for Clue {
    /// The lengths, separated by spaces; `0` for an empty line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.blocks.is_empty() {
            return f.write_str("0");
        }
        for (i, length) in self.lengths().enumerate() {
            write!(f, "{}{length}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_checked() {
        assert!(Clue::new([1, 0]).is_err());
        assert!(Clue::new([MAX_SIDE + 1]).is_err());
        assert!(Clue::new([usize::MAX]).is_err());
        let clue = Clue::new([2, 1]).unwrap();
        assert_eq!(
            (clue.filled(), clue.span(), clue.to_string().as_str()),
            (3, 4, "2 1")
        );
        assert_eq!(
            (Clue::default().span(), Clue::default().to_string().as_str()),
            (0, "0")
        );
    }
}
