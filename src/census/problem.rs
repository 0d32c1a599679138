//! What a census is of: the size, and what the engine does with every clue set.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Kind, Result};

/// Most cells of a grid of a census. Every number of a census, which is at most 2^52, is then exact in any reader of JSON.
pub const MAX_CELLS: usize = 52;

/// Most cells of a line of a census.
pub const MAX_LINE: usize = 16;

/// What the engine does with every clue set.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Solve it by lines, and count its solutions.
    #[default]
    Count,
    /// Solve it by lines if it is unique.
    Lines,
    /// Nothing; the number of clue sets that line solving solves stays unknown.
    None,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Count => "count",
            Engine::Lines => "lines",
            Engine::None => "none",
        })
    }
}

/// A census: of all clue sets of grids of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Census {
    height: u8,
    width: u8,
    engine: Engine,
}

impl Census {
    /// A census of this size.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for a side of 0 or above [`MAX_LINE`], and for more than [`MAX_CELLS`] cells.
    pub fn new(height: usize, width: usize, engine: Engine) -> Result<Self> {
        let cells = height.saturating_mul(width);
        let message = if cells == 0 {
            "a grid has at least one row and one column".to_owned()
        } else if height.max(width) > MAX_LINE {
            format!("a census is of lines of at most {MAX_LINE} cells")
        } else if cells > MAX_CELLS {
            format!(
                "a census of {height}x{width} goes through 2^{cells} pictures, which no machine can do; the limit is {MAX_CELLS} cells"
            )
        } else {
            return Ok(Census {
                height: height as u8,
                width: width as u8,
                engine,
            });
        };
        Err(Error::new(Kind::Usage, message))
    }

    /// The census of the same size in which the engine does this.
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        Census { engine, ..self }
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// What the engine does with every clue set.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Number of pictures of this size.
    pub fn pictures(&self) -> u64 {
        1 << (self.height() * self.width())
    }

    /// Number of lines whose clues make up a tuple, and the length of each: as few lines as transposition, which changes no number, allows.
    pub(super) fn lines(&self) -> (usize, usize) {
        let (a, b) = (self.height(), self.width());
        (a.min(b), a.max(b))
    }

    /// Number of tuples of row clues; the rows are the longer lines.
    pub fn tuples(&self) -> u64 {
        let (rows, length) = self.lines();
        // Distinct clues of a line: each cell more adds those that end with a filled cell, a Fibonacci number.
        let (clues, _) = (0..length).fold((1u64, 1), |(a, b), _| (a + b, a));
        clues.pow(rows as u32)
    }
}

impl fmt::Display for Census {
    /// `5x5 count`: the size, and what the engine does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} {}", self.height, self.width, self.engine)
    }
}

impl FromStr for Census {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (size, name) = text.split_once(' ')?;
            let (height, width) = size.split_once('x')?;
            let mut engines = [Engine::Count, Engine::Lines, Engine::None].into_iter();
            let engine = engines.find(|engine| engine.to_string() == name)?;
            Census::new(height.parse().ok()?, width.parse().ok()?, engine).ok()
        };
        parse().ok_or_else(|| Error::data(format!("{text:?} is not a census")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_census_is_read_back() {
        for text in ["5x5 count", "1x16 lines", "7x7 none", "13x4 count"] {
            assert_eq!(text.parse::<Census>().unwrap().to_string(), text);
        }
        for text in ["", "5x5", "5x5 all", "0x5 count", "8x8 count", "2x17 none"] {
            assert!(text.parse::<Census>().is_err(), "{text}");
        }
    }

    #[test]
    fn tuples_of_row_clues() {
        let tuples = |height, width| Census::new(height, width, Engine::None).unwrap().tuples();
        assert_eq!((tuples(1, 1), tuples(2, 2), tuples(5, 5)), (2, 9, 371_293));
        assert_eq!((tuples(3, 8), tuples(8, 3)), (55 * 55 * 55, 55 * 55 * 55));
    }
}
