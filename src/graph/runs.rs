//! The cells of an edge as packed runs.
//!
//! The cells of a node are numbered in reading order, and an edge has a *code* for each: empty, filled, or left undecided as a cell of one
//! of the children. Adjacent cells of equal code form a *run*. A run is packed as one number: the code in the lowest bits, as many as the
//! codes of the edge need, and above them its length less one. The number is stored as a varint: seven bits per byte, the lowest first, and
//! the top bit set if more bytes follow. Runs are stored without gaps; most take one byte.

/// Cell codes; the code of a cell that is left to child `i` is `FIRST_CHILD + i`.
pub(super) const EMPTY: u32 = 0;
pub(super) const FILLED: u32 = 1;
pub(super) const FIRST_CHILD: u32 = 2;

/// Bits of a cell code, for an edge with this number of children.
fn code_bits(children: usize) -> u32 {
    usize::BITS - (children + 1).leading_zeros()
}

/// Packs the runs of these cell codes, of an edge with this number of children: the bytes, and the number of cells.
pub(super) fn pack(codes: impl IntoIterator<Item = u32>, children: usize) -> (Vec<u8>, u32) {
    let code_bits = code_bits(children);
    let (mut bytes, mut size) = (Vec::new(), 0);
    let mut codes = codes.into_iter().peekable();
    while let Some(code) = codes.next() {
        let mut length = 1;
        while codes.next_if_eq(&code).is_some() {
            length += 1;
        }
        size += length;
        let mut number = u64::from(length - 1) << code_bits | u64::from(code);
        while number > 0x7f {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    }
    (bytes, size)
}

/// Appends bytes to words, four bytes per word, little-endian.
pub(super) fn store(bytes: &[u8], words: &mut Vec<u32>) {
    words.extend(bytes.chunks(4).map(|bytes| {
        let highest_first = bytes.iter().rev();
        highest_first.fold(0, |word, &byte| word << 8 | u32::from(byte))
    }));
}

/// Iterates over the runs of an edge, in order, as pairs of code and length.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    words: &'a [u32],
    /// Index of the next byte.
    at: usize,
    /// Number of cells not yet read.
    remaining: u32,
    code_bits: u32,
}

impl<'a> Runs<'a> {
    /// Reads the runs in the words of an edge with this number of children; its node has `size` cells.
    #[inline]
    pub(super) fn new(words: &'a [u32], size: u32, children: usize) -> Self {
        Runs {
            words,
            at: 0,
            remaining: size,
            code_bits: code_bits(children),
        }
    }

    #[inline]
    fn byte(&mut self) -> u32 {
        let byte = self.words[self.at / 4] >> (self.at % 4 * 8) & 0xff;
        self.at += 1;
        byte
    }
}

impl Iterator for Runs<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        if self.remaining == 0 {
            return None;
        }
        let first = self.byte();
        let mut number = u64::from(first & 0x7f);
        let (mut more, mut shift) = (first > 0x7f, 7);
        while more {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            (more, shift) = (byte > 0x7f, shift + 7);
        }
        let code = number as u32 & ((1 << self.code_bits) - 1);
        let length = (number >> self.code_bits) as u32 + 1;
        self.remaining -= length;
        Some((code, length))
    }
}

#[cfg(test)]
mod tests {
    use std::iter::repeat_n;

    use super::*;

    #[test]
    fn runs_of_all_lengths_survive_packing() {
        for children in [0, 1, 2, 3, 6, 7, 200, 70_000] {
            let last = children as u32 + FILLED;
            let mut wanted = Vec::new();
            for (i, length) in [1, 2, 31, 32, 33, 64, 65, 127, 128, 129, 5000, 1 << 24]
                .into_iter()
                .enumerate()
            {
                let code = if i % 2 == 0 { last } else { EMPTY };
                wanted.push((code, length));
            }
            let runs = wanted.iter();
            let codes = runs.flat_map(|&(code, length)| repeat_n(code, length as usize));
            let (bytes, size) = pack(codes, children);
            assert_eq!(size, wanted.iter().map(|&(_, length)| length).sum::<u32>());
            let mut words = vec![7];
            store(&bytes, &mut words);
            let runs: Vec<_> = Runs::new(&words[1..], size, children).collect();
            assert_eq!(runs, wanted, "{children}");
        }
    }

    #[test]
    fn adjacent_cells_of_equal_code_are_one_run() {
        let left = repeat_n(FIRST_CHILD, 32);
        assert_eq!(pack(left.clone(), 1), (vec![0x7e], 32));
        assert_eq!(pack(left.chain([FILLED]), 1), (vec![0x7e, 1], 33));
        // The greatest number of one byte, and the one after it.
        for (code, length, bytes) in [
            (FIRST_CHILD + 1, 32, vec![0x7f]),
            (EMPTY, 33, vec![0x80, 1]),
        ] {
            assert_eq!(pack(repeat_n(code, length as usize), 2), (bytes, length));
        }
    }
}
