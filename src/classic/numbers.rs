//! Lines as numbers: the leftmost cell is the highest binary digit, a filled cell a one, so that `#.#..` is 20.
//!
//! The arrangements of a clue are then some of the numbers between a smallest, with all blocks to the right, and a largest, with all
//! blocks to the left. Contract every block, with the gap that must follow it, to a single one: this gives numbers of n - s + 1 digits
//! with k ones. They are enumerated in increasing order, by going to the next greater number with as many ones (R. W. Gosper, in HAKMEM,
//! item 175, 1972), and expanded again.

use crate::puzzle::Clue;

/// A line of up to [`MAX_CELLS`] cells.
pub(super) type Number = u128;

/// The longest line that a number can hold.
pub(super) const MAX_CELLS: usize = Number::BITS as usize;

/// All numbers that are arrangements of a clue, from the smallest to the largest.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    blocks: Vec<usize>,
    digits: usize,
    /// The contracted form of the next number.
    ones: Option<Number>,
}

impl Numbers {
    /// The arrangements of a clue in a line of `cells` cells; the clue must fit.
    pub(super) fn new(clue: &Clue, cells: usize) -> Self {
        let blocks: Vec<usize> = clue.lengths().collect();
        Numbers {
            digits: cells - clue.span() + blocks.len(),
            ones: Some(low(blocks.len())),
            blocks,
        }
    }

    /// Expands a contracted number, from the highest digit on.
    fn expand(&self, ones: Number) -> Number {
        let mut number = 0;
        let mut block = 0;
        for digit in (0..self.digits).rev() {
            if ones >> digit & 1 == 0 {
                number <<= 1;
                continue;
            }
            let length = self.blocks[block];
            // Two shifts, because a block may fill the whole number and a shift by all its bits is not allowed.
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
        let number = self.expand(ones);
        // Two shifts, as above: without blocks this shifts by all the bits.
        let free = self.digits - self.blocks.len();
        let highest = low(self.blocks.len()) << (free / 2) << free.div_ceil(2);
        self.ones = (ones < highest).then(|| {
            // In the lowest run of ones, the highest one moves up by one digit, and the others move to the lowest digits.
            let lowest = ones & ones.wrapping_neg();
            let carried = ones + lowest;
            carried | ((carried ^ ones) >> 2 >> lowest.trailing_zeros())
        });
        Some(number)
    }
}

/// The number of arrangements of a clue in a line of unknown cells: C(n - s + 1, k), rounded above 2^53.
pub(super) fn count(clue: &Clue, cells: usize) -> f64 {
    let blocks = clue.blocks().len();
    let free = cells - clue.span();
    let (smaller, larger) = (blocks.min(free), blocks.max(free));
    // Each partial product is a binomial coefficient, so the division is exact.
    (1..=smaller).fold(1.0, |count, i| count * (larger + i) as f64 / i as f64)
}

/// The number whose lowest `ones` bits are set.
fn low(ones: usize) -> Number {
    match ones {
        0 => 0,
        _ => Number::MAX >> (MAX_CELLS - ones),
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
    fn numbers_are_all_arrangements_in_increasing_order() {
        // The example in the source of the bitwise algorithm.
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
