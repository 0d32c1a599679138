//! Lists of solutions, in the formats that `format::Solutions` reads. Throughput matters, because millions of solutions are written per
//! second: a table turns packed words into text eight cells at a time, into one buffer that its owner empties when it is full.

use crate::puzzle::Grid;

/// The format of a list of solutions.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listing {
    /// Rows of `#` and `.`, and a blank line after each solution.
    Text,
    /// `{"solution":["#..#",...]}`, one object per line.
    Ndjson,
}

impl Listing {
    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Listing::Text => "text",
            Listing::Ndjson => "ndjson",
        }
    }
}

/// A buffer of solutions of one size as text. It always holds whole solutions.
#[derive(Debug)]
pub struct List {
    listing: Listing,
    width: usize,
    stride: usize,
    /// Words of one solution.
    words: usize,
    /// Bytes of one solution.
    bytes_per_solution: usize,
    bytes: Vec<u8>,
    used: usize,
}

/// For every byte of packed cells, the eight cells as text.
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

/// The text before and after the rows in a JSON object.
const OPEN: &[u8] = b"{\"solution\":[";
const CLOSE: &[u8] = b"]}\n";

/// Bytes reserved beyond the end of a solution, because cells are written eight at a time and the last ones of a row may exceed it.
const OVERHANG: usize = 8;

/// Number of bytes at which a list counts as full.
const FULL_BYTES: usize = 1 << 18;

impl List {
    /// An empty list for grids of this size.
    pub fn new(listing: Listing, width: usize, height: usize) -> Self {
        let bytes_per_solution = match listing {
            Listing::Text => (width + 1) * height + 1,
            // Two quotes and a comma for each row, but no comma after the last.
            Listing::Ndjson => OPEN.len() + (width + 3) * height - 1 + CLOSE.len(),
        };
        List {
            listing,
            width,
            stride: Grid::stride(width),
            words: Grid::stride(width) * height,
            bytes_per_solution,
            bytes: vec![0; FULL_BYTES + bytes_per_solution + OVERHANG],
            used: 0,
        }
    }

    /// The bytes so far: whole solutions.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    /// Number of solutions in it.
    pub fn solutions(&self) -> u64 {
        (self.used / self.bytes_per_solution) as u64
    }

    /// Bytes of one solution.
    pub fn each(&self) -> u64 {
        self.bytes_per_solution as u64
    }

    /// Whether it holds no solution.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Whether the bytes should be written out now: there are a few hundred kilobytes, enough for efficient writes.
    pub fn is_full(&self) -> bool {
        self.used >= FULL_BYTES
    }

    /// Removes all solutions, after the bytes have been written.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Adds a solution, packed as in [`Grid`]. The buffer grows if it is not cleared when full.
    ///
    /// # Panics
    ///
    /// When `words` has another length than a grid of the list's size.
    pub fn push(&mut self, words: &[u64]) {
        assert_eq!(words.len(), self.words, "words of a grid");
        let end = self.used + self.bytes_per_solution + OVERHANG;
        if end > self.bytes.len() {
            self.bytes.resize(end, 0);
        }
        let out = &mut self.bytes[self.used..end];
        let written = match self.listing {
            Listing::Text => text(out, words, self.stride, self.width),
            Listing::Ndjson => ndjson(out, words, self.stride, self.width),
        };
        debug_assert_eq!(written, self.bytes_per_solution, "length of a solution");
        self.used += self.bytes_per_solution;
    }
}

/// Writes the cells of a row to the beginning of `out`, and dots after them up to the next multiple of eight.
#[inline]
fn cells(out: &mut [u8], row: &[u64], width: usize) {
    let (eights, _) = out[..width.next_multiple_of(8)].as_chunks_mut();
    for (i, eight) in eights.iter_mut().enumerate() {
        let byte = (row[i / 8] >> (i % 8 * 8)) as u8;
        *eight = CELLS[usize::from(byte)];
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
    // Overwrite the comma after the last row.
    at -= 1;
    out[at..at + CLOSE.len()].copy_from_slice(CLOSE);
    at + CLOSE.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Solutions;

    /// A deterministic pattern of this size, which depends on `seed`.
    fn grid(width: usize, height: usize, seed: usize) -> Grid {
        let mut grid = Grid::new(width, height);
        for i in 0..width * height {
            grid.set(i / width, i % width, (i * i + seed) % 5 < 2);
        }
        grid
    }

    #[test]
    fn text_lists_equal_displayed_grids() {
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
    fn both_formats_are_read_back() {
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
    fn a_cleared_list_can_be_filled_again() {
        let grid = grid(100, 100, 0);
        let mut list = List::new(Listing::Ndjson, 100, 100);
        while !list.is_full() {
            list.push(grid.words());
        }
        assert!(list.bytes().len() < FULL_BYTES + list.bytes_per_solution);
        list.clear();
        assert!(list.is_empty());
        list.push(grid.words());
        assert_eq!(list.bytes().len(), list.bytes_per_solution);
        (0..100).for_each(|_| list.push(grid.words()));
        assert_eq!(list.solutions(), 101);
    }
}
