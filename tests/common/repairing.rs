//! The smallest edit of a picture against all smaller ones: for any bytes.
#![allow(dead_code, reason = "each user takes its share")]

use std::sync::OnceLock;

use omnogram::design::{Only, Repair};
use omnogram::puzzle::Grid;

use super::brute::clue_of;
use super::whole::{MAX_SIDE, one_thread, picture};

/// Edits of up to this number of flips are tried by brute force.
const MAX_FLIPS: usize = 3;

/// Repairs the picture that the bytes describe: its size and cells, a byte of options, and a mask of cells to keep.
pub(crate) fn any(bytes: &[u8]) {
    let grid = picture(bytes);
    let options = bytes.get(5).copied().unwrap_or_default();
    let only = match options % 4 {
        1 => Some(Only::Add),
        2 => Some(Only::Remove),
        _ => None,
    };
    let line_solvable = options & 4 != 0;
    let budget = (options & 8 != 0).then_some(usize::from(options >> 4) % (MAX_FLIPS + 1));
    let mask = picture(
        &[
            &[bytes.first().copied().unwrap_or_default()],
            bytes.get(6..).unwrap_or_default(),
        ]
        .concat(),
    );
    let repair = Repair::new(&grid)
        .keep(&mask)
        .only(only)
        .line_solvable(line_solvable);
    let repaired = one_thread().install(|| repair.budget(budget).alternatives(2).run());
    assert_eq!(repaired.stopped, None);
    let may = |cell: &usize| {
        let (row, column) = (cell / grid.width(), cell % grid.width());
        may_flip(&grid, only, &mask, row, column)
    };
    let cells: Vec<usize> = (0..grid.width() * grid.height()).filter(may).collect();
    for flips in repaired.flips.iter().chain(&repaired.alternatives) {
        let flips: Vec<usize> = flips
            .iter()
            .map(|cell| usize::from(cell.row) * grid.width() + usize::from(cell.column))
            .collect();
        assert!(
            flips.iter().all(|cell| cells.contains(cell)),
            "{flips:?} {grid:?}"
        );
        assert!(
            is_good(&edited(&grid, &flips), line_solvable),
            "{flips:?} {grid:?}"
        );
    }
    let size = repaired.flips.as_ref().map(Vec::len);
    assert!(
        repaired
            .alternatives
            .iter()
            .all(|flips| Some(flips.len()) == size)
    );
    let most = MAX_FLIPS.min(budget.unwrap_or(MAX_FLIPS));
    let best =
        (0..=most).find(|&flips| exists(&grid, &cells, flips, &mut Vec::new(), line_solvable));
    let shown = || format!("{grid:?}{mask:?}{only:?} {line_solvable} {budget:?} {repaired:?}");
    match best {
        Some(best) => {
            assert!(size == Some(best) && repaired.minimal, "{}", shown());
            assert_eq!(repaired.none_within, best.checked_sub(1), "{}", shown());
        }
        None => {
            assert!(size.is_none_or(|size| size > most), "{}", shown());
            assert!(repaired.none_within >= Some(most), "{}", shown());
        }
    }
}

/// Whether an edit may flip this cell.
pub(crate) fn may_flip(
    grid: &Grid,
    only: Option<Only>,
    mask: &Grid,
    row: usize,
    column: usize,
) -> bool {
    let filled = grid.get(row, column);
    let wanted = match only {
        Some(Only::Add) => !filled,
        Some(Only::Remove) => filled,
        _ => true,
    };
    wanted && !mask.get(row, column)
}

fn edited(grid: &Grid, flips: &[usize]) -> Grid {
    let mut edited = grid.clone();
    for cell in flips {
        let (row, column) = (cell / grid.width(), cell % grid.width());
        edited.set(row, column, !grid.get(row, column));
    }
    edited
}

/// Whether flipping this number of these cells makes the picture good.
fn exists(
    grid: &Grid,
    cells: &[usize],
    left: usize,
    flips: &mut Vec<usize>,
    line_solvable: bool,
) -> bool {
    if left == 0 {
        return is_good(&edited(grid, flips), line_solvable);
    }
    (0..cells.len()).any(|i| {
        flips.push(cells[i]);
        let exists = exists(grid, &cells[i + 1..], left - 1, flips, line_solvable);
        flips.pop();
        exists
    })
}

/// Whether the picture's puzzle is unique, or solved by its lines alone.
fn is_good(grid: &Grid, line_solvable: bool) -> bool {
    let lines = all_words(grid);
    solve_lines(grid, lines.clone()) || (!line_solvable && count_to_two(grid, &lines) == 1)
}

/// For each length of a line and each word, all words with the same clue: bit i is cell i.
fn alike() -> &'static [Vec<Vec<u32>>] {
    static ALIKE: OnceLock<Vec<Vec<Vec<u32>>>> = OnceLock::new();
    ALIKE.get_or_init(|| {
        let of_length = |length: usize| {
            let clue = |word: u32| clue_of((0..length).map(|i| word >> i & 1 == 1));
            let words = 0..1_u32 << length;
            words
                .clone()
                .map(|word| {
                    words
                        .clone()
                        .filter(|&other| clue(other) == clue(word))
                        .collect()
                })
                .collect()
        };
        (0..=MAX_SIDE).map(of_length).collect()
    })
}

/// The words of the clue of each line, rows first.
fn all_words(grid: &Grid) -> Vec<&'static [u32]> {
    let (width, height) = (grid.width(), grid.height());
    let row = |row: usize| (0..width).fold(0, |word, i| word | usize::from(grid.get(row, i)) << i);
    let column =
        |column: usize| (0..height).fold(0, |word, i| word | usize::from(grid.get(i, column)) << i);
    let rows = (0..height).map(|i| &*alike()[width][row(i)]);
    rows.chain((0..width).map(|i| &*alike()[height][column(i)]))
        .collect()
}

/// Keeps the words of each line that agree with what all words of the crossing lines have, until nothing changes.
fn solve_lines(grid: &Grid, lines: Vec<&[u32]>) -> bool {
    let (width, height) = (grid.width(), grid.height());
    let mut lines: Vec<Vec<u32>> = lines.into_iter().map(<[u32]>::to_vec).collect();
    loop {
        let mut changed = false;
        for at in 0..height + width {
            let (own, crossing, length) = match at.checked_sub(height) {
                None => (at, height, width),
                Some(column) => (column, 0, height),
            };
            let all = lines[at].iter().fold(u32::MAX, |all, word| all & word);
            let any = lines[at].iter().fold(0, |any, word| any | word);
            for i in 0..length {
                let other = &mut lines[crossing + i];
                let before = other.len();
                other.retain(|word| {
                    if word >> own & 1 == 1 {
                        any >> i & 1 == 1
                    } else {
                        all >> i & 1 == 0
                    }
                });
                changed |= other.len() < before;
            }
        }
        if !changed {
            return lines.iter().all(|words| words.len() == 1);
        }
    }
}

/// The number of solutions, up to two: row by row, as long as every column has a word that begins so.
fn count_to_two(grid: &Grid, lines: &[&[u32]]) -> usize {
    let (rows, columns) = lines.split_at(grid.height());
    fn fill(rows: &[&[u32]], columns: &[&[u32]], above: &mut Vec<u32>, found: &mut usize) {
        let Some(words) = rows.get(above.len()) else {
            *found += 1;
            return;
        };
        for &word in *words {
            above.push(word);
            let low = (1_u32 << above.len()) - 1;
            let fits = columns.iter().enumerate().all(|(column, words)| {
                let bits = (0..).zip(&*above);
                let part = bits.fold(0, |part, (i, row)| part | (row >> column & 1) << i);
                words.iter().any(|word| word & low == part)
            });
            if fits && *found < 2 {
                fill(rows, columns, above, found);
            }
            above.pop();
        }
    }
    let mut found = 0;
    fill(rows, columns, &mut Vec::new(), &mut found);
    found
}
