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
        let step = |set: usize| {
            let rows = (0..rows as u32).filter(|row| set >> row & 1 == 1);
            rows.map(|row| 1 << (STATE_BITS * row)).sum()
        };
        Tables {
            census,
            rows,
            columns,
            row_clues: LineClues::new(columns),
            column_clues: LineClues::new(rows),
            steps: (0..1 << rows).map(step).collect(),
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

    /// The number of a tuple of row clues.
    pub(super) fn number(&self, tuple: &[usize]) -> u64 {
        let base = self.row_clues.clues.len() as u64;
        let digits = tuple.iter().map(|&clue| clue as u64);
        digits.fold(0, |number, digit| number * base + digit)
    }

    /// The codes of a tuple of row clues. The order of codes is that of the numbers of tuples.
    pub(super) fn row_codes(&self, tuple: &[usize]) -> Codes {
        codes(tuple.iter().copied(), &self.row_clues)
    }

    /// The codes of a tuple of column clues.
    pub(super) fn column_codes(&self, tuple: &[usize]) -> Codes {
        codes(tuple.iter().copied(), &self.column_clues)
    }

    /// Number of clue sets that are images of the clue set with these codes, if it is the one of them that is worked out; otherwise 0.
    /// The codes of its rows must be least at the first.
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
        let least = |tuple: &[usize], clues: &LineClues| {
            let reversed: Vec<usize> = tuple
                .iter()
                .map(|&clue| clues.clues[clue].reversed)
                .collect();
            let back = |tuple: &[usize]| tuple.iter().rev().copied().collect::<Vec<_>>();
            let images = [tuple.to_vec(), back(tuple), back(&reversed), reversed];
            images.into_iter().min().unwrap_or_default()
        };
        let mut first = least(rows, &self.row_clues);
        if self.is_square() {
            first = first.min(least(columns, &self.column_clues));
        }
        self.number(&first)
    }
}

/// The codes of a tuple of clues.
fn codes(tuple: impl DoubleEndedIterator<Item = usize> + Clone, clues: &LineClues) -> Codes {
    let pack = |code: u64, clue: usize| code << clues.bits | clue as u64;
    let reversed = |clue: usize| clues.clues[clue].reversed;
    [
        tuple.clone().fold(0, pack),
        tuple.clone().map(reversed).fold(0, pack),
        tuple.clone().rev().fold(0, pack),
        tuple.rev().map(reversed).fold(0, pack),
    ]
}
