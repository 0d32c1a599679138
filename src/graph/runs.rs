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

/// Packs runs.
#[derive(Clone, Debug)]
pub(super) struct Packer {
    bytes: Vec<u8>,
    code_bits: u32,
    /// The code and the length of the last run, which may still grow.
    pending: Option<(u32, u32)>,
    size: u32,
}

impl Packer {
    /// A packer for an edge with this number of children.
    pub(super) fn new(children: usize) -> Self {
        Packer {
            bytes: Vec::new(),
            code_bits: code_bits(children),
            pending: None,
            size: 0,
        }
    }

    /// Adds `length` cells of this code.
    pub(super) fn push(&mut self, code: u32, length: u32) {
        self.size += length;
        match &mut self.pending {
            Some((same, grown)) if *same == code => *grown += length,
            _ => {
                self.flush();
                self.pending = Some((code, length));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((code, length)) = self.pending.take() {
            let mut number = u64::from(length - 1) << self.code_bits | u64::from(code);
            while number > 0x7f {
                self.bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            self.bytes.push(number as u8);
        }
    }

    /// The packed bytes, and the number of cells.
    pub(super) fn finish(mut self) -> (Vec<u8>, u32) {
        self.flush();
        (self.bytes, self.size)
    }
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
    use super::*;

    #[test]
    fn runs_of_all_lengths_survive_packing() {
        for children in [0, 1, 2, 3, 6, 7, 200, 70_000] {
            let mut packer = Packer::new(children);
            let last = children as u32 + FILLED;
            let mut wanted = Vec::new();
            for (i, length) in [1, 2, 31, 32, 33, 64, 65, 127, 128, 129, 5000, 1 << 24]
                .into_iter()
                .enumerate()
            {
                let code = if i % 2 == 0 { last } else { EMPTY };
                packer.push(code, length);
                wanted.push((code, length));
            }
            let (bytes, size) = packer.finish();
            assert_eq!(size, wanted.iter().map(|&(_, length)| length).sum::<u32>());
            let mut words = vec![7];
            store(&bytes, &mut words);
            let runs: Vec<_> = Runs::new(&words[1..], size, children).collect();
            assert_eq!(runs, wanted, "{children}");
        }
    }

    #[test]
    fn adjacent_cells_of_equal_code_are_one_run() {
        let mut packer = Packer::new(1);
        for _ in 0..32 {
            packer.push(FIRST_CHILD, 1);
        }
        assert_eq!(packer.clone().finish(), (vec![0x7e], 32));
        packer.push(FILLED, 1);
        assert_eq!(packer.finish(), (vec![0x7e, 1], 33));
        // The greatest number of one byte, and the one after it.
        for (code, length, bytes) in [
            (FIRST_CHILD + 1, 32, vec![0x7f]),
            (EMPTY, 33, vec![0x80, 1]),
        ] {
            let mut packer = Packer::new(2);
            packer.push(code, length);
            assert_eq!(packer.finish(), (bytes, length));
        }
    }
}
