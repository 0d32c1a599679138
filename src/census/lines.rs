//! All clues of a line of one length, with the automaton of each.

use rustc_hash::FxHashMap;

use crate::puzzle::Clue;

/// A clue, and the automaton that reads a line with it.
///
/// The state of the automaton is the number of cells read of the shortest line with this clue: `##.#` for `2 1`. In a state in which an
/// empty cell may be inserted the automaton may stay.
#[derive(Debug)]
pub(super) struct LineClue {
    pub(super) clue: Clue,
    /// The filled cells of one line with this clue, as bits.
    pub(super) example: u64,
    /// The number of the clue of the mirrored line.
    pub(super) reversed: usize,
    /// Number of lines with this clue.
    pub(super) lines: u64,
    /// Length of the shortest line with this clue.
    pub(super) span: u32,
    /// States from which a filled cell leads on, as bits.
    pub(super) filled: u32,
    /// States from which an empty cell leads on.
    pub(super) empty: u32,
    /// States in which an empty cell may be inserted.
    pub(super) stay: u32,
}

/// All clues of a line of one length; a clue is known by its number.
#[derive(Debug)]
pub(super) struct LineClues {
    pub(super) clues: Vec<LineClue>,
    /// The number of the clue of each line, by its filled cells as bits.
    pub(super) of_cells: Vec<u16>,
    /// Number of bits of the number of a clue.
    pub(super) bits: u32,
}

impl LineClues {
    pub(super) fn new(length: usize) -> Self {
        let (mut numbers, mut clues, mut of_cells) = (FxHashMap::default(), Vec::new(), Vec::new());
        for cells in 0..1u64 << length {
            let number = *numbers.entry(block_lengths(cells)).or_insert(clues.len());
            if number == clues.len() {
                clues.push(line_clue(cells));
            }
            clues[number].lines += 1;
            of_cells.push(number as u16);
        }
        for clue in &mut clues {
            let mirrored = clue.example.reverse_bits() >> (64 - length);
            clue.reversed = usize::from(of_cells[mirrored as usize]);
        }
        LineClues {
            bits: (clues.len() - 1).max(1).ilog2() + 1,
            clues,
            of_cells,
        }
    }

    /// The number of the clue of the line with these filled cells.
    pub(super) fn number(&self, filled: impl Iterator<Item = usize>) -> usize {
        let cells: usize = filled.map(|cell| 1 << cell).sum();
        usize::from(self.of_cells[cells])
    }
}

/// The lengths of the runs of ones, the lowest first.
fn block_lengths(mut cells: u64) -> Vec<usize> {
    let mut lengths = Vec::new();
    while cells != 0 {
        cells >>= cells.trailing_zeros();
        lengths.push(cells.trailing_ones() as usize);
        cells >>= cells.trailing_ones();
    }
    lengths
}

fn line_clue(example: u64) -> LineClue {
    let lengths = block_lengths(example);
    let (mut filled, mut empty, mut stay, mut state) = (0, 0, 0, 0);
    for (i, &length) in lengths.iter().enumerate() {
        if i > 0 {
            empty |= 1 << state;
            state += 1;
        }
        stay |= 1 << state;
        for _ in 0..length {
            filled |= 1 << state;
            state += 1;
        }
    }
    stay |= 1 << state;
    LineClue {
        clue: Clue::new(lengths).expect("blocks of one to sixteen cells"),
        example,
        reversed: 0,
        lines: 0,
        span: state,
        filled,
        empty,
        stay,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_clues_are_fibonacci_numbers() {
        for (length, number) in [(1, 2), (2, 3), (3, 5), (5, 13), (8, 55), (10, 144)] {
            let clues = LineClues::new(length);
            assert_eq!(clues.clues.len(), number);
            let lines: u64 = clues.clues.iter().map(|clue| clue.lines).sum();
            assert_eq!(lines, 1 << length);
            for (number, clue) in clues.clues.iter().enumerate() {
                assert_eq!(clues.clues[clue.reversed].reversed, number);
                let mut back: Vec<usize> = clues.clues[clue.reversed].clue.lengths().collect();
                back.reverse();
                assert!(back.into_iter().eq(clue.clue.lengths()));
            }
        }
    }

    #[test]
    fn the_automaton_reads_the_lines_with_its_clue() {
        let length = 7;
        let clues = LineClues::new(length);
        for (cells, &number) in clues.of_cells.iter().enumerate() {
            for (other, clue) in clues.clues.iter().enumerate() {
                let mut state = Some(0);
                for place in 0..length {
                    state = state.and_then(|s: u32| match cells >> place & 1 {
                        1 => (clue.filled >> s & 1 == 1).then_some(s + 1),
                        _ if clue.empty >> s & 1 == 1 => Some(s + 1),
                        _ => (clue.stay >> s & 1 == 1).then_some(s),
                    });
                }
                assert_eq!(state == Some(clue.span), other == usize::from(number));
            }
        }
    }
}
