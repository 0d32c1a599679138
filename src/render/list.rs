//! Lists of solutions, as `format::Solutions` reads them back. Millions of pictures a second go through here, so that packed words
//! become text eight cells at a time by a table, into one buffer that its owner empties when it is full.

use crate::puzzle::Grid;

/// How the solutions of a list are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Rows of `#` and `.`, and a blank line after each solution.
    Text,
    /// `{"solution":["#..#",...]}`, one object a line.
    Ndjson,
}

/// A buffer of solutions of one size, written out as text. It never holds a part of a solution.
#[derive(Debug)]
pub struct List {
    listing: Listing,
    width: usize,
    stride: usize,
    /// Words of one solution.
    words: usize,
    /// Bytes of one solution.
    each: usize,
    bytes: Vec<u8>,
    used: usize,
}

/// Eight cells as text for every byte of packed cells.
static CELLS: [[u8; 8]; 256] = {
    let mut table = [[b'.'; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = b'#';
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// What stands around the rows of an object.
const OPEN: &[u8] = b"{\"solution\":[";
const CLOSE: &[u8] = b"]}\n";

/// Cells are stored eight at a time, the last ones of a row partly beyond it.
const OVERHANG: usize = 8;

/// Bytes after which a list is full.
const FULL: usize = 1 << 18;

impl List {
    /// An empty list for grids of this size.
    pub fn new(listing: Listing, width: usize, height: usize) -> Self {
        let each = match listing {
            Listing::Text => (width + 1) * height + 1,
            // Two quotes and a comma for each row, but no comma after the last.
            Listing::Ndjson => OPEN.len() + (width + 3) * height - 1 + CLOSE.len(),
        };
        List {
            listing,
            width,
            stride: Grid::stride(width),
            words: Grid::stride(width) * height,
            each,
            bytes: vec![0; FULL + each + OVERHANG],
            used: 0,
        }
    }

    /// The bytes so far: whole solutions.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    /// Number of solutions in it.
    pub fn solutions(&self) -> u64 {
        (self.used / self.each) as u64
    }

    /// Bytes of one solution.
    pub fn each(&self) -> u64 {
        self.each as u64
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Is it time to write the bytes out? A few hundred kilobytes make writing cheap.
    pub fn is_full(&self) -> bool {
        self.used >= FULL
    }

    /// Empties it, after its bytes have been written.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Adds a solution, packed as in [`Grid`]. The list grows when nobody empties it.
    ///
    /// # Panics
    ///
    /// When it has another number of words than the grids of the list.
    pub fn push(&mut self, words: &[u64]) {
        assert_eq!(words.len(), self.words, "words of a grid");
        let end = self.used + self.each + OVERHANG;
        if end > self.bytes.len() {
            self.bytes.resize(end, 0);
        }
        let out = &mut self.bytes[self.used..end];
        let written = match self.listing {
            Listing::Text => text(out, words, self.stride, self.width),
            Listing::Ndjson => ndjson(out, words, self.stride, self.width),
        };
        debug_assert_eq!(written, self.each, "length of a solution");
        self.used += self.each;
    }
}

/// Writes the cells of a row to the beginning of `out`, and dots or nothing beyond them, up to the next multiple of eight.
#[inline]
fn cells(out: &mut [u8], row: &[u64], width: usize) {
    for (i, eight) in out[..width.next_multiple_of(8)]
        .chunks_exact_mut(8)
        .enumerate()
    {
        let byte = (row[i / 8] >> (i % 8 * 8)) as u8;
        eight.copy_from_slice(&CELLS[usize::from(byte)]);
    }
}

fn text(out: &mut [u8], words: &[u64], stride: usize, width: usize) -> usize {
    let mut at = 0;
    for row in words.chunks_exact(stride) {
        cells(&mut out[at..], row, width);
        at += width;
        out[at] = b'\n';
        at += 1;
    }
    out[at] = b'\n';
    at + 1
}

fn ndjson(out: &mut [u8], words: &[u64], stride: usize, width: usize) -> usize {
    out[..OPEN.len()].copy_from_slice(OPEN);
    let mut at = OPEN.len();
    for row in words.chunks_exact(stride) {
        out[at] = b'"';
        cells(&mut out[at + 1..], row, width);
        at += width + 1;
        out[at] = b'"';
        out[at + 1] = b',';
        at += 2;
    }
    // The last comma gives way.
    at -= 1;
    out[at..at + CLOSE.len()].copy_from_slice(CLOSE);
    at + CLOSE.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Solutions;

    /// A checked pattern of this size, shifted by `seed`.
    fn grid(width: usize, height: usize, seed: usize) -> Grid {
        let mut grid = Grid::new(width, height);
        for i in 0..width * height {
            grid.set(i / width, i % width, (i * i + seed) % 5 < 2);
        }
        grid
    }

    #[test]
    fn writes_what_a_grid_shows() {
        for (width, height) in [(1, 1), (7, 2), (8, 3), (9, 1), (64, 2), (65, 3), (130, 4)] {
            let grids = [grid(width, height, 0), grid(width, height, 1)];
            let mut list = List::new(Listing::Text, width, height);
            grids.iter().for_each(|grid| list.push(grid.words()));
            let wanted = format!("{}\n{}\n", grids[0], grids[1]);
            assert_eq!(str::from_utf8(list.bytes()), Ok(wanted.as_str()));
            assert_eq!(list.solutions(), 2);
        }
    }

    #[test]
    fn both_listings_are_read_back() {
        for listing in [Listing::Text, Listing::Ndjson] {
            for (width, height) in [(1, 1), (8, 2), (20, 18), (129, 5)] {
                let grids: Vec<Grid> = (0..3).map(|seed| grid(width, height, seed)).collect();
                let mut list = List::new(listing, width, height);
                grids.iter().for_each(|grid| list.push(grid.words()));
                let back: Result<Vec<Grid>, _> = Solutions::new(list.bytes(), "list").collect();
                assert_eq!(back.unwrap(), grids);
            }
        }
    }

    #[test]
    fn is_emptied_and_filled_again() {
        let grid = grid(100, 100, 0);
        let mut list = List::new(Listing::Ndjson, 100, 100);
        while !list.is_full() {
            list.push(grid.words());
        }
        assert!(list.bytes().len() < FULL + list.each);
        list.clear();
        assert!(list.is_empty());
        list.push(grid.words());
        assert_eq!(list.bytes().len(), list.each);
        (0..100).for_each(|_| list.push(grid.words()));
        assert_eq!(list.solutions(), 101);
    }
}
