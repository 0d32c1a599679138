//! One line by the kernel against plain reachability over cells and blocks: for any bytes.
#![allow(dead_code, reason = "each user takes its share")]

use omnogram::line::{self, Kernel, Known, Wide, Word, arrangements};
use omnogram::puzzle::Clue;

/// Longest line, in cells.
const MAX_LENGTH: usize = 130;

/// Settles the line that the bytes describe. The first byte gives its length, each further byte a cell: in the lowest two bits, what is
/// known of it; in the next, the cell of a picture, with which what is known agrees unless the length is 0 modulo 4; in the next, the cell
/// of the picture whose clue is taken if the length is 1 modulo 4.
pub(crate) fn any(bytes: &[u8]) {
    let Some((&head, cells)) = bytes.split_first() else {
        return;
    };
    let length = usize::from(head) % (MAX_LENGTH + 1);
    let cell = |i: usize| cells.get(i).copied().unwrap_or_default();
    let picture = |bit: u8| -> Vec<bool> { (0..length).map(|i| cell(i) >> bit & 1 == 1).collect() };
    let drawn = picture(2);
    let known: Vec<Option<bool>> = (0..length)
        .map(|i| match (cell(i) & 3, head % 4) {
            (0 | 1, _) => None,
            (2, 0) => Some(!drawn[i]),
            _ => Some(drawn[i]),
        })
        .collect();
    let clue = lengths(&if head % 4 == 1 { picture(3) } else { drawn });
    check(&clue, &known);
}

fn lengths(cells: &[bool]) -> Vec<usize> {
    let runs = cells.split(|&filled| !filled).map(<[bool]>::len);
    runs.filter(|&length| length > 0).collect()
}

fn check(lengths: &[usize], known: &[Option<bool>]) {
    let clue = Clue::new(lengths.iter().copied()).unwrap();
    let (expected, number) = plain(lengths, known);
    let mut settled = known.to_vec();
    let possible = line::settle(&clue, &mut settled);
    assert_eq!(possible.then_some(settled), expected, "{clue} in {known:?}");
    assert_eq!(
        arrangements::count(&clue, known).to_string(),
        number.to_string(),
        "{clue} in {known:?}"
    );
    if known.len() <= 64 {
        assert_eq!(by_kernel::<u64>(lengths, known), expected);
    }
    if known.len() <= 128 {
        assert_eq!(by_kernel::<u128>(lengths, known), expected);
    }
    assert_eq!(by_kernel::<Wide<3>>(lengths, known), expected);
    assert_eq!(by_kernel::<Wide<64>>(lengths, known), expected);
}

fn by_kernel<W: Word>(lengths: &[usize], known: &[Option<bool>]) -> Option<Vec<Option<bool>>> {
    let cells = |value: bool| {
        let cells = (0..known.len()).filter(|&i| known[i] == Some(value));
        cells.fold(W::ZERO, |cells, i| cells | W::bit(i))
    };
    let before = Known {
        filled: cells(true),
        empty: cells(false),
    };
    let lengths: Vec<u16> = lengths.iter().map(|&length| length as u16).collect();
    let after = Kernel::new().settle(&lengths, known.len(), before)?;
    let cell = |i| match (after.filled.has(i), after.empty.has(i)) {
        (true, true) => panic!("cell {i} is filled and empty"),
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    Some((0..known.len()).map(cell).collect())
}

/// What all arrangements agree on, and their number. An empty cell is added behind the line, so that every block has one behind it.
fn plain(lengths: &[usize], known: &[Option<bool>]) -> (Option<Vec<Option<bool>>>, u128) {
    let end = known.len() + 1;
    let may = |cell: usize, filled: bool| match known.get(cell) {
        Some(value) => value.is_none_or(|value| value == filled),
        None => !filled,
    };
    let fits = |cell: usize, block: usize| {
        let stop = cell + lengths[block];
        stop < end && (cell..stop).all(|cell| may(cell, true)) && may(stop, false)
    };
    // In how many ways the cells before a cell hold the first blocks, and the cells from it on the others.
    let mut before = vec![vec![0_u128; lengths.len() + 1]; end + 1];
    let mut behind = before.clone();
    before[0][0] = 1;
    behind[end][lengths.len()] = 1;
    for cell in 0..end {
        for block in 0..=lengths.len() {
            let ways = before[cell][block];
            if may(cell, false) {
                before[cell + 1][block] += ways;
            }
            if block < lengths.len() && fits(cell, block) {
                before[cell + lengths[block] + 1][block + 1] += ways;
            }
        }
    }
    for cell in (0..end).rev() {
        for block in 0..=lengths.len() {
            let mut ways = 0;
            if may(cell, false) {
                ways += behind[cell + 1][block];
            }
            if block < lengths.len() && fits(cell, block) {
                ways += behind[cell + lengths[block] + 1][block + 1];
            }
            behind[cell][block] = ways;
        }
    }
    let number = before[end][lengths.len()];
    assert_eq!(number, behind[0][0]);
    if number == 0 {
        return (None, 0);
    }
    let mut can = vec![[false; 2]; end];
    for cell in 0..end {
        for block in 0..=lengths.len() {
            if before[cell][block] == 0 {
                continue;
            }
            can[cell][0] |= may(cell, false) && behind[cell + 1][block] > 0;
            if block < lengths.len() && fits(cell, block) {
                let stop = cell + lengths[block];
                if behind[stop + 1][block + 1] > 0 {
                    can[cell..stop].iter_mut().for_each(|can| can[1] = true);
                    can[stop][0] = true;
                }
            }
        }
    }
    let cells = can[..known.len()].iter().map(|&can| match can {
        [true, false] => Some(false),
        [false, true] => Some(true),
        _ => None,
    });
    (Some(cells.collect()), number)
}
