//! Lines as numbers: the leftmost cell is the highest binary digit, a filled cell a one, so that `#.#..` is 20.
//!
//! The arrangements of a clue are then some of the numbers between a smallest, with all blocks to the right, and a largest, with all
//! to the left. Shrink every block, and the gap that must follow it, to a single one: k ones among n - s + 1 digits are left. Those are
//! counted through in order, by the least number that is greater and has as many ones (R. W. Gosper, in HAKMEM, item 175, 1972), and
//! blown up again.

use crate::puzzle::Clue;

/// A line, up to [`CELLS`] long.
pub(super) type Number = u128;

/// The longest line that a number can hold.
pub(super) const CELLS: usize = Number::BITS as usize;

/// All numbers that are arrangements of a clue, from the smallest to the largest.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    blocks: Vec<usize>,
    digits: usize,
    /// The next one, shrunk.
    ones: Option<Number>,
}

impl Numbers {
    /// The arrangements of a clue, which must fit, in a line of `cells` cells.
    pub(super) fn new(clue: &Clue, cells: usize) -> Self {
        let blocks: Vec<usize> = clue.lengths().collect();
        Numbers {
            digits: cells - clue.span() + blocks.len(),
            ones: Some(low(blocks.len())),
            blocks,
        }
    }

    /// Every digit back to what it stands for, from the highest on.
    fn blow_up(&self, ones: Number) -> Number {
        let mut number = 0;
        let mut block = 0;
        for digit in (0..self.digits).rev() {
            if ones >> digit & 1 == 0 {
                number <<= 1;
                continue;
            }
            let length = self.blocks[block];
            // In two steps: a block may fill the whole number.
            number = number << (length - 1) << 1 | low(length);
            block += 1;
            if block < self.blocks.len() {
                number <<= 1;
            }
        }
        number
    }
}

impl Iterator for Numbers {
    type Item = Number;

    fn next(&mut self) -> Option<Number> {
        let ones = self.ones?;
        let number = self.blow_up(ones);
        let highest = low(self.blocks.len()) << (self.digits - self.blocks.len());
        self.ones = (ones < highest).then(|| {
            // The lowest run of ones: its highest one goes up by one digit, the others down to the end.
            let lowest = ones & ones.wrapping_neg();
            let carried = ones + lowest;
            carried | ((carried ^ ones) >> 2 >> lowest.trailing_zeros())
        });
        Some(number)
    }
}

/// How many arrangements a clue has in an empty line: C(n - s + 1, k), rounded where it is beyond 2^53.
pub(super) fn count(clue: &Clue, cells: usize) -> f64 {
    let blocks = clue.blocks().len();
    let free = cells - clue.span();
    let (few, rest) = (blocks.min(free), blocks.max(free));
    // Each product is a binomial itself, so that the division leaves nothing.
    (1..=few).fold(1.0, |count, i| count * (rest + i) as f64 / i as f64)
}

/// The number whose lowest `ones` bits are set.
fn low(ones: usize) -> Number {
    match ones {
        0 => 0,
        _ => Number::MAX >> (CELLS - ones),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(clue: &[usize], cells: usize) -> Vec<Number> {
        let clue = Clue::new(clue.iter().copied()).unwrap();
        let all: Vec<Number> = Numbers::new(&clue, cells).collect();
        assert_eq!(all.len() as f64, count(&clue, cells), "{clue} in {cells}");
        all
    }

    #[test]
    fn numbers_go_up() {
        // The example of the essay.
        assert_eq!(all(&[1, 1], 5), [5, 9, 10, 17, 18, 20]);
        assert_eq!(all(&[3], 5), [7, 14, 28]);
        assert_eq!(all(&[2, 1], 5), [0b01101, 0b11001, 0b11010]);
        assert_eq!(all(&[], 5), [0]);
        assert_eq!(all(&[5], 5), [31]);
        assert_eq!(all(&[2, 2], 5), [0b11011]);
        assert_eq!(all(&[128], 128), [Number::MAX]);
        assert_eq!(all(&[1], 128).len(), 128);
        assert_eq!(all(&[127], 128), [Number::MAX >> 1, Number::MAX << 1]);
        assert_eq!(all(&[1, 1], 128).len(), 127 * 126 / 2);
        assert_eq!(all(&[1; 64], 128).len(), 65);
        assert_eq!(all(&[], 128), [0]);
    }
}
