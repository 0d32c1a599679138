//! The empty margin around a drawing.

use std::ops::Range;

use super::grey::Grey;
use super::threshold;

/// A level that differs by less than this share of the contrast from that of the margin belongs to it: paper and compression are not even.
const TOLERANCE: f64 = 1.0 / 6.0;

/// The columns and rows of the drawing, if there is an empty margin on all four sides of it: one of an even light level, or an even dark
/// level when the light pixels are filled. Dark pixels at the edge are part of the drawing.
pub(super) fn drawing(grey: &Grey, invert: bool) -> Option<(Range<usize>, Range<usize>)> {
    let (darkest, lightest) = grey.range();
    let margin = grey.pixels[0];
    let empty = (margin >= threshold::best(grey)) != invert;
    let tolerance = f64::from(lightest - darkest) * TOLERANCE;
    let is_drawn = |&pixel: &u8| f64::from(pixel.abs_diff(margin)) > tolerance;
    let (mut columns, mut rows) = (grey.width..0, grey.height..0);
    for (y, row) in grey.pixels.chunks(grey.width).enumerate() {
        let Some(first) = row.iter().position(is_drawn) else {
            continue;
        };
        let last = row.iter().rposition(is_drawn).expect("one is drawn");
        columns = columns.start.min(first)..columns.end.max(last + 1);
        rows = rows.start.min(y)..y + 1;
    }
    let surrounded = columns.start > 0
        && rows.start > 0
        && (columns.start..grey.width).contains(&columns.end)
        && (rows.start..grey.height).contains(&rows.end);
    (empty && surrounded).then_some((columns, rows))
}

/// A range widened to this length, where that is possible, with equal parts on both sides, within `0..side`.
fn widened(range: &Range<usize>, length: usize, side: usize) -> Range<usize> {
    let length = length.clamp(range.len(), side);
    let start = range.start.saturating_sub((length - range.len()) / 2);
    let start = start.min(side - length);
    start..start + length
}

/// The columns and rows of the drawing with as much margin as gives them the proportions of this size.
pub(super) fn proportioned(
    grey: &Grey,
    (columns, rows): (Range<usize>, Range<usize>),
    (width, height): (usize, usize),
) -> (Range<usize>, Range<usize>) {
    let across = (rows.len() * width).div_ceil(height);
    let down = (columns.len() * height).div_ceil(width);
    (
        widened(&columns, across, grey.width),
        widened(&rows, down, grey.height),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(rows: &[&str]) -> Grey {
        let level = |&pixel: &u8| match pixel {
            b'#' => 10,
            b'-' => 240,
            _ => 250,
        };
        Grey {
            width: rows[0].len(),
            height: rows.len(),
            pixels: rows
                .iter()
                .flat_map(|row| row.as_bytes())
                .map(level)
                .collect(),
            of_cells: false,
        }
    }

    #[test]
    fn a_margin_is_empty_and_on_all_sides() {
        let surrounded = grey(&["......", "..##-.", ".-#...", "......", "......"]);
        assert_eq!(drawing(&surrounded, false), Some((2..4, 1..3)));
        for rows in [
            &["......", "###...", "......"][..],
            &["......", "..#..."],
            &["...", "..."],
            &["###", "#.#", "###"],
        ] {
            assert_eq!(drawing(&grey(rows), false), None);
        }
        // The light pixels are drawn.
        assert_eq!(
            drawing(&grey(&["###", "#.#", "###"]), true),
            Some((1..2, 1..2))
        );
        assert_eq!(drawing(&surrounded, true), None);
    }

    #[test]
    fn a_drawing_gets_the_proportions_of_the_puzzle() {
        let picture = grey(&[".........."; 10]);
        for (size, expected) in [
            ((4, 2), (2..6, 4..6)),
            ((1, 1), (2..6, 3..7)),
            ((4, 1), (0..8, 4..6)),
            ((1, 20), (2..6, 0..10)),
        ] {
            assert_eq!(proportioned(&picture, (2..6, 4..6), size), expected);
        }
    }
}
