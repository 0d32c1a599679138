//! What all threads of a census share: the clues of its lines, and the numbering of tuples of row clues.

use super::lines::LineClues;
use super::problem::Census;

/// Bits of the state of one row in the state of all rows.
pub(super) const STATE_BITS: u32 = 5;

/// The tables of a census, which do not change.
#[derive(Debug)]
pub struct Tables {
    pub(super) census: Census,
    /// Number of rows, the fewer lines, and of columns.
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) row_clues: LineClues,
    pub(super) column_clues: LineClues,
    /// For a set of rows, the sum of one step of the state of each of them.
    pub(super) steps: Vec<u64>,
}

/// The four mirror images of a tuple of clues as codes: the tuple, with each clue reversed, in reverse order, and both.
pub(super) type Codes = [u64; 4];

impl Tables {
    /// The tables of this census. O(2^n) for lines of n cells.
    pub fn new(census: Census) -> Self {
        let (rows, columns) = census.lines();
        Tables {
            census,
            rows,
            columns,
            row_clues: LineClues::new(columns),
            column_clues: LineClues::new(rows),
            steps: (0..1usize << rows)
                .map(|set| {
                    let rows = (0..rows as u32).filter(|row| set >> row & 1 == 1);
                    rows.map(|row| 1 << (STATE_BITS * row)).sum()
                })
                .collect(),
        }
    }

    /// Whether grids are square, so that transposes are grids of this census too.
    pub(super) fn is_square(&self) -> bool {
        self.rows == self.columns
    }

    /// The clues of the tuple with this number, the first row in the highest digit.
    pub(super) fn tuple(&self, mut number: u64, tuple: &mut [usize]) {
        let base = self.row_clues.clues.len() as u64;
        for clue in tuple.iter_mut().rev() {
            *clue = (number % base) as usize;
            number /= base;
        }
    }

    /// The number of the tuple of row clues with this code.
    pub(super) fn number(&self, code: u64) -> u64 {
        let (base, bits) = (self.row_clues.clues.len() as u64, self.row_clues.bits);
        (0..self.rows as u32).rev().fold(0, |number, row| {
            number * base + (code >> (bits * row) & ((1 << bits) - 1))
        })
    }

    /// The codes of a tuple of row clues. The order of codes is that of the numbers of tuples.
    pub(super) fn row_codes(&self, tuple: &[usize]) -> Codes {
        codes(tuple, &self.row_clues)
    }

    /// The codes of a tuple of column clues.
    pub(super) fn column_codes(&self, tuple: &[usize]) -> Codes {
        codes(tuple, &self.column_clues)
    }

    /// The number of different clue sets among the images of the one with these codes, if it is the smallest of them, by the pair of codes
    /// of its rows and columns: only the smallest is worked out. Otherwise 0. `rows[0]` must be the smallest of the codes of the rows.
    pub(super) fn weight(&self, rows: &Codes, columns: &Codes) -> u64 {
        // The mirror images: none, left-right, up-down, and both.
        let images = [
            (rows[0], columns[0]),
            (rows[1], columns[2]),
            (rows[2], columns[1]),
            (rows[3], columns[3]),
        ];
        let own = images[0];
        let (mut equal, mut all) = (0, 4);
        for image in images {
            if image < own {
                return 0;
            }
            equal += u64::from(image == own);
        }
        if self.is_square() {
            all = 8;
            for (rows, columns) in images {
                let transposed = (columns, rows);
                if transposed < own {
                    return 0;
                }
                equal += u64::from(transposed == own);
            }
        }
        all / equal
    }

    /// The number of the tuple of row clues with which the clue set of these tuples is worked out.
    pub(super) fn worked_out_with(&self, rows: &[usize], columns: &[usize]) -> u64 {
        let mut codes = self.row_codes(rows).to_vec();
        if self.is_square() {
            codes.extend(self.column_codes(columns));
        }
        self.number(codes.into_iter().min().expect("a tuple has four codes"))
    }
}

/// The codes of a tuple of clues.
fn codes(tuple: &[usize], clues: &LineClues) -> Codes {
    let tuple = tuple.iter().copied();
    let pack = |code: u64, clue: usize| code << clues.bits | clue as u64;
    let reversed = |clue: usize| clues.clues[clue].reversed;
    [
        tuple.clone().fold(0, pack),
        tuple.clone().map(reversed).fold(0, pack),
        tuple.clone().rev().fold(0, pack),
        tuple.rev().map(reversed).fold(0, pack),
    ]
}
