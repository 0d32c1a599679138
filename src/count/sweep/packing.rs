//! The layout of a packed combination of states.

use super::key::Key;

/// The layout of a packed combination: the bits of the state of each line across.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    /// For each line, its first bit and its number of bits.
    fields: Vec<(u32, u32)>,
    /// Number of bits in all.
    pub(crate) bits: u32,
}

impl Packing {
    /// For lines with these numbers of states.
    pub(crate) fn new(states: impl Iterator<Item = usize>) -> Self {
        let mut bits = 0;
        let fields = states.map(|states| {
            let first = bits;
            bits += usize::BITS - (states - 1).leading_zeros();
            (first, bits - first)
        });
        let fields = fields.collect();
        Packing { fields, bits }
    }

    /// The state of this line in a combination.
    #[inline]
    pub(super) fn state<K: Key>(&self, key: K, line: usize) -> usize {
        self.field(line).state(key)
    }

    pub(super) fn field(&self, line: usize) -> Field {
        let (first, bits) = self.fields[line];
        Field {
            // An empty field at the end would have a shift by the whole width, which is not allowed.
            first: if bits == 0 { 0 } else { first },
            mask: (1 << bits) - 1,
        }
    }
}

/// The bits of the state of a line across.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    first: u32,
    mask: u64,
}

impl Field {
    /// The field for a known cell of the passed line, where no line across has a state.
    pub(super) const NONE: Field = Field { first: 0, mask: 0 };

    #[inline]
    pub(super) fn state<K: Key>(self, key: K) -> usize {
        (key.bits(self.first) & self.mask) as usize
    }

    pub(super) fn key<K: Key>(self, state: u32) -> K {
        K::new(state, self.first)
    }
}
