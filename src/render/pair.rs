//! Comparison of two solutions, which shows where a puzzle is ambiguous.

use crate::puzzle::Grid;

/// The cells, as (row, column) from 0, in which two grids of the same size differ.
pub fn differing(first: &Grid, second: &Grid) -> Vec<(usize, usize)> {
    let mut cells = Vec::new();
    for row in 0..first.height() {
        for (i, (a, b)) in first.row(row).iter().zip(second.row(row)).enumerate() {
            let mut differ = a ^ b;
            while differ != 0 {
                cells.push((row, i * 64 + differ.trailing_zeros() as usize));
                differ &= differ - 1;
            }
        }
    }
    cells
}

/// One picture of two grids of the same size: `#` and `.` where they agree, `1` where only the first is filled, `2` where only the
/// second is. Marks at the right and below point at the rows and columns in which they differ.
///
/// ```
/// use omnogram::puzzle::Grid;
/// use omnogram::render::difference;
///
/// let first = Grid::from_rows(&["##.", "#..", "..#"]).unwrap();
/// let second = Grid::from_rows(&["##.", ".#.", "..#"]).unwrap();
/// assert_eq!(difference(&first, &second), "##.\n12. <\n..#\n^^\n");
/// ```
pub fn difference(first: &Grid, second: &Grid) -> String {
    let mut picture = String::new();
    let mut marks = vec![' '; first.width()];
    for row in 0..first.height() {
        let mut same = true;
        for (column, mark) in marks.iter_mut().enumerate() {
            let (a, b) = (first.get(row, column), second.get(row, column));
            if a != b {
                same = false;
                *mark = '^';
            }
            picture.push(match (a, b) {
                (true, true) => '#',
                (false, false) => '.',
                (true, false) => '1',
                (false, true) => '2',
            });
        }
        picture.push_str(if same { "\n" } else { " <\n" });
    }
    let marks = String::from_iter(marks);
    if !marks.trim().is_empty() {
        picture.push_str(&format!("{}\n", marks.trim_end()));
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_grids_have_no_difference_marks() {
        let grid = Grid::from_rows(&["#.", ".#"]).unwrap();
        assert_eq!(difference(&grid, &grid), grid.to_string());
        assert!(differing(&grid, &grid).is_empty());
    }

    #[test]
    fn wide_rows_are_compared_word_by_word() {
        let mut first = Grid::new(130, 2);
        let second = first.clone();
        for column in [0, 63, 64, 129] {
            first.set(1, column, true);
        }
        assert_eq!(
            differing(&first, &second),
            [(1, 0), (1, 63), (1, 64), (1, 129)]
        );
    }
}
