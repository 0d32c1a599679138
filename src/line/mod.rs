//! Algorithms on single lines: [`settle`](Kernel::settle) completes a line, [`arrangements`] counts and lists its arrangements,
//! [`Kernel::cuts`] finds where it splits, and [`Marginals`] gives the probability of each cell to be filled.
//!
//! Sets of cells are [`Word`]s, so one implementation serves lines of any length.

pub mod arrangements;
#[cfg(any(test, feature = "checked"))]
#[cfg_attr(
    not(feature = "checked"),
    allow(dead_code, reason = "outside a check build only its own test uses it")
)]
pub(crate) mod checked;
mod marginals;
mod settle;
mod word;

pub use arrangements::Arrangements;
pub use marginals::Marginals;
pub use settle::{Kernel, Known};
pub use word::{Cells, Wide, Word};

use crate::puzzle::{Clue, MAX_SIDE};

/// Evaluates an expression in which a name stands for the narrowest [`Word`] that holds lines of this many cells, at most [`MAX_SIDE`].
macro_rules! by_width {
    ($cells:expr, $word:ident => $value:expr) => {
        match $cells {
            0..=64 => {
                type $word = u64;
                $value
            }
            65..=128 => {
                type $word = u128;
                $value
            }
            129..=512 => {
                type $word = $crate::line::Wide<8>;
                $value
            }
            _ => {
                type $word = $crate::line::Wide<64>;
                $value
            }
        }
    };
}
pub(crate) use by_width;

/// Completes one line: decides every cell on which all arrangements of `clue` that fit the known cells agree.
///
/// `known` holds `Some(true)` for filled, `Some(false)` for empty, `None` for unknown; it is completed in place. Returns `false`, and
/// leaves `known` unchanged, if no arrangement fits. O(k log c) operations on words of the length of the line, for k blocks of up to c
/// cells. The search uses a [`Kernel`] directly; this function wraps it for single lines.
///
/// ```
/// use omnogram::{line, puzzle::Clue};
///
/// let mut cells = [None; 5];
/// cells[1] = Some(true);
/// cells[2] = Some(false);
/// assert!(line::settle(&Clue::new([2, 1]).unwrap(), &mut cells));
/// assert_eq!(cells, [Some(true), Some(true), Some(false), None, None]);
/// ```
///
/// # Panics
///
/// If the line is longer than [`MAX_SIDE`].
pub fn settle(clue: &Clue, known: &mut [Option<bool>]) -> bool {
    let length = known.len();
    assert!(length <= MAX_SIDE, "a line of {length} cells is too long");
    by_width!(length, W => settle_in::<W>(clue, known))
}

fn settle_in<W: Word>(clue: &Clue, known: &mut [Option<bool>]) -> bool {
    if clue.span() > known.len() {
        return false;
    }
    let lengths: Vec<u16> = clue.lengths().map(|length| length as u16).collect();
    let before = Known::<W>::of_line(known.iter().copied());
    let Some(after) = Kernel::new().settle(&lengths, known.len(), before) else {
        return false;
    };
    for (i, cell) in known.iter_mut().enumerate() {
        *cell = after.get(i);
    }
    true
}
