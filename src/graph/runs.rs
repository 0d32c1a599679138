//! What an edge of the graph makes of the cells of its node, packed.
//!
//! The cells of a node are numbered in reading order, and an edge says of each what becomes of it: it is empty, it is filled, or it
//! is left open, as a cell of one of the nodes that the edge leads to. Neighbours of which the same becomes are a *run*. Runs follow
//! each other without a gap, so that a run is what becomes of its cells, in as few bits as tell that, and above these one less than
//! its length. That number is written in bytes, seven bits each, the lowest first, with a top bit that says that more follow. Most runs
//! take one byte.

/// What becomes of a cell: a number from [`LEFT`] on is the place of a node among those that the edge leads to, and [`LEFT`] more.
pub(super) const EMPTY: u32 = 0;
pub(super) const FILLED: u32 = 1;
pub(super) const LEFT: u32 = 2;

/// Bits that encode what becomes of a cell, for an edge that leads to `rest` nodes.
fn bits(rest: usize) -> u32 {
    usize::BITS - (rest + 1).leading_zeros()
}

/// Packs runs.
#[derive(Clone, Debug)]
pub(super) struct Packer {
    bytes: Vec<u8>,
    bits: u32,
    /// The run that may still grow.
    open: Option<(u32, u32)>,
    size: u32,
}

impl Packer {
    /// For an edge that leads to `rest` nodes.
    pub(super) fn new(rest: usize) -> Self {
        Packer {
            bytes: Vec::new(),
            bits: bits(rest),
            open: None,
            size: 0,
        }
    }

    /// Adds a run of `length` cells that become this.
    pub(super) fn push(&mut self, becomes: u32, length: u32) {
        self.size += length;
        match &mut self.open {
            Some((same, open)) if *same == becomes => *open += length,
            _ => {
                self.write();
                self.open = Some((becomes, length));
            }
        }
    }

    fn write(&mut self) {
        if let Some((becomes, length)) = self.open.take() {
            let mut number = u64::from(length - 1) << self.bits | u64::from(becomes);
            while number > 0x7f {
                self.bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            self.bytes.push(number as u8);
        }
    }

    /// The bytes, and how many cells they are about.
    pub(super) fn finish(mut self) -> (Vec<u8>, u32) {
        self.write();
        (self.bytes, self.size)
    }
}

/// Adds bytes to words, four to each.
pub(super) fn store(bytes: &[u8], words: &mut Vec<u32>) {
    let word = |bytes: &[u8]| {
        let shifted = bytes.iter().rev();
        shifted.fold(0, |word, &byte| word << 8 | u32::from(byte))
    };
    words.extend(bytes.chunks(4).map(word));
}

/// The runs of an edge, in order: what becomes of the cells, and how many they are.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    words: &'a [u32],
    /// The next byte.
    at: usize,
    /// Cells to come.
    left: u32,
    bits: u32,
}

impl<'a> Runs<'a> {
    /// The runs in the words of an edge that leads to `rest` nodes, and whose node has `size` cells.
    #[inline]
    pub(super) fn new(words: &'a [u32], size: u32, rest: usize) -> Self {
        Runs {
            words,
            at: 0,
            left: size,
            bits: bits(rest),
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
        if self.left == 0 {
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
        let becomes = number as u32 & ((1 << self.bits) - 1);
        let length = (number >> self.bits) as u32 + 1;
        self.left -= length;
        Some((becomes, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_all_lengths_come_back() {
        for rest in [0, 1, 2, 3, 6, 7, 200, 70_000] {
            let mut packer = Packer::new(rest);
            let last = rest as u32 + FILLED;
            let mut wanted = Vec::new();
            for (i, length) in [1, 2, 31, 32, 33, 64, 65, 127, 128, 129, 5000, 1 << 24]
                .into_iter()
                .enumerate()
            {
                let becomes = if i % 2 == 0 { last } else { EMPTY };
                packer.push(becomes, length);
                wanted.push((becomes, length));
            }
            let (bytes, size) = packer.finish();
            assert_eq!(size, wanted.iter().map(|&(_, length)| length).sum::<u32>());
            let mut words = vec![7];
            store(&bytes, &mut words);
            let runs: Vec<_> = Runs::new(&words[1..], size, rest).collect();
            assert_eq!(runs, wanted, "{rest}");
        }
    }

    #[test]
    fn neighbours_of_which_the_same_becomes_are_one_run() {
        let mut packer = Packer::new(1);
        for _ in 0..32 {
            packer.push(LEFT, 1);
        }
        assert_eq!(packer.clone().finish(), (vec![0x7e], 32));
        packer.push(FILLED, 1);
        assert_eq!(packer.finish(), (vec![0x7e, 1], 33));
    }
}
