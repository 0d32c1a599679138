//! Enlarged pixel art: the side of its cells in pixels. The edges between dark and light lie on the lines of a lattice of squares, in both
//! directions, and the squares drawn in their colours are the image again. Drawings and photos do not pass this test.

use super::grey::Grey;
use super::threshold;
use crate::puzzle::MAX_SIDE;

/// An image with no longer side than this has one pixel per cell: a puzzle may have only even blocks.
const MAX_EXACT: usize = 60;

/// The least side of a cell in pixels, and of one whose edges are blurred.
pub(super) const MIN_CELL: f64 = 4.0;
const MIN_BLURRED: f64 = 8.0;

/// The least number of cells in the longer direction: a simple drawing, such as a cross, is on a coarse lattice too.
const MIN_CELLS: usize = 5;

/// The least share of the edges that lie on the lattice, and how far from a line of it they may be, as a share of a cell.
const MIN_SHARE: f64 = 0.9;
const NEAR: f64 = 0.125;

/// The least number of lines with edges, in each direction, and their least share of all lines: few lines are on some lattice by chance.
const MIN_LINES: usize = 3;
const MIN_LINE_SHARE: f64 = 1.0 / 3.0;

/// A level that differs by less than this share of the contrast from the threshold is neither dark nor light: noise makes a blurred edge rough.
const DOUBT: f64 = 1.0 / 6.0;

/// Shares of the pixels of a blurred image, and of the length of its edges, that may differ from those of the squares.
const MAX_WRONG: f64 = 0.05;
const MAX_EDGE_ERROR: f64 = 0.15;

/// The most lattices that are compared with the image.
const MAX_LATTICES: usize = 8;

/// An image of enlarged cells.
pub(super) struct Enlarged {
    /// The image with one pixel per cell.
    pub(super) cells: Grey,
    /// The side of a cell in pixels.
    pub(super) side: f64,
}

/// The cells of an image that has several pixels per cell; `None` if it has one, or is no pixel art.
pub(super) fn find(grey: &Grey) -> Option<Enlarged> {
    let longer = grey.width.max(grey.height);
    if grey.of_cells || longer <= MAX_EXACT || longer > MAX_SIDE {
        return None;
    }
    let level = threshold::best(grey);
    let dark: Vec<bool> = grey.pixels.iter().map(|&pixel| pixel < level).collect();
    let (darkest, lightest) = grey.range();
    let doubt = f64::from(lightest - darkest) * DOUBT;
    let is_dark = |x: usize, y: usize| {
        let pixel = grey.pixels[y * grey.width + x];
        let doubtful = f64::from(pixel.abs_diff(level)) < doubt;
        (!doubtful).then_some(pixel < level)
    };
    let across = Edges::new(lengths(grey.width, grey.height, is_dark))?;
    let down = Edges::new(lengths(grey.height, grey.width, |y, x| is_dark(x, y)))?;
    let image = Image {
        grey,
        dark: &dark,
        level,
        blurred: grey.histogram().iter().filter(|&&count| count > 0).count() > 2,
    };
    let lattice = |columns: usize| {
        let side = across.span() / columns as f64;
        let rows = (down.span() / side).round();
        let height = down.span() / rows;
        let square = (height - side).abs() <= side * NEAR / 2.0;
        let fits = square && across.fit(columns) && down.fit(rows as usize);
        fits.then(|| {
            let lines = [across.lines(side), down.lines(height)];
            let edges = across.between(&lines[0]) + down.between(&lines[1]);
            Lattice { side, lines, edges }
        })
    };
    // The largest cells first: their divisors fit too.
    let most = (across.span() / MIN_CELL) as usize;
    let mut lattices = (1..=most).filter_map(lattice).take(MAX_LATTICES);
    let found = lattices.find_map(|lattice| {
        let (cells, side) = (image.cells(&lattice)?, lattice.side);
        Some(Enlarged { cells, side })
    })?;
    (found.cells.width.max(found.cells.height) >= MIN_CELLS).then_some(found)
}

/// The number of edges for each position along one direction: each lies midway between a dark and a light pixel, with none but doubtful ones
/// between them.
fn lengths(
    along: usize,
    across: usize,
    is_dark: impl Fn(usize, usize) -> Option<bool>,
) -> Vec<usize> {
    let mut lengths = vec![0; along];
    for i in 0..across {
        let mut before: Option<(usize, bool)> = None;
        for at in 0..along {
            let Some(dark) = is_dark(at, i) else { continue };
            if let Some((last, was_dark)) = before
                && was_dark != dark
            {
                lengths[(last + at).div_ceil(2)] += 1;
            }
            before = Some((at, dark));
        }
    }
    lengths
}

/// The edges between dark and light in one direction.
struct Edges {
    lengths: Vec<usize>,
    /// The sum of the lengths.
    total: usize,
    /// The first and the last position of an edge as long as a cell.
    first: f64,
    last: f64,
}

impl Edges {
    fn new(lengths: Vec<usize>) -> Option<Self> {
        // A blurred edge is spread over some positions, whose mean is its own.
        let position = |at: usize| {
            let around = at.saturating_sub(1)..(at + 2).min(lengths.len());
            let length: usize = lengths[around.clone()].iter().sum();
            let moment: usize = around.map(|at| at * lengths[at]).sum();
            (length as f64 >= MIN_CELL).then(|| moment as f64 / length as f64)
        };
        // The largest of the three comes first on either side, unless the edge is weak.
        let is_peak = |at: &usize| {
            let length = |at: usize| lengths.get(at).copied().unwrap_or(0);
            length(*at) >= length(at + 1) && length(*at) >= length(at.wrapping_sub(1))
        };
        let first = (0..lengths.len()).filter(is_peak).find_map(position)?;
        let last = (0..lengths.len())
            .rev()
            .filter(is_peak)
            .find_map(position)?;
        let total = lengths.iter().sum();
        (first < last).then_some(Edges {
            lengths,
            total,
            first,
            last,
        })
    }

    fn span(&self) -> f64 {
        self.last - self.first
    }

    /// Whether the edges lie on the lines of a lattice with this number of cells between the first and the last of them.
    fn fit(&self, count: usize) -> bool {
        let side = self.span() / count as f64;
        let mut near = 0;
        let mut on_line = vec![0; count + 1];
        for (at, &length) in self.lengths.iter().enumerate().filter(|edge| *edge.1 > 0) {
            let offset = (at as f64 - self.first) / side;
            let line = offset.round();
            if (offset - line).abs() <= NEAR && (0.0..=count as f64).contains(&line) {
                near += length;
                on_line[line as usize] += length;
            }
        }
        let lines = on_line
            .iter()
            .filter(|&&length| length as f64 >= side / 2.0);
        let lines = lines.count();
        near as f64 >= MIN_SHARE * self.total as f64
            && lines >= MIN_LINES
            && lines as f64 >= MIN_LINE_SHARE * (count + 1) as f64
    }

    /// The length of the edges between the first and the last of these lines.
    fn between(&self, lines: &[usize]) -> usize {
        let (first, last) = (lines[0], lines[lines.len() - 1]);
        self.lengths[first + 1..last].iter().sum()
    }

    /// The positions of all lines of the lattice in the image. A part of a cell at either side of it is one, if it is at least half a cell.
    fn lines(&self, side: f64) -> Vec<usize> {
        let length = self.lengths.len() as f64;
        let before = (self.first / side).round();
        let count = ((length - self.first) / side).round() + before;
        (0..=count as usize)
            .map(|line| self.first + (line as f64 - before) * side)
            .map(|position| position.round().clamp(0.0, length) as usize)
            .collect()
    }
}

/// Lines between squares.
struct Lattice {
    /// The side of a square.
    side: f64,
    /// The positions of the lines across and down.
    lines: [Vec<usize>; 2],
    /// The length of all edges of the image within the lattice.
    edges: usize,
}

/// What the squares are compared with.
struct Image<'a> {
    grey: &'a Grey,
    /// The pixels below this level.
    dark: &'a [bool],
    level: u8,
    /// Whether there are more than two grey levels.
    blurred: bool,
}

impl Image<'_> {
    /// The cells between the lines of a lattice, if they are the image again.
    fn cells(&self, lattice: &Lattice) -> Option<Grey> {
        let Lattice {
            side,
            lines: [across, down],
            ..
        } = lattice;
        let inner = (side * NEAR) as usize;
        let (width, height) = (across.len() - 1, down.len() - 1);
        let mut pixels = Vec::with_capacity(width * height);
        let (mut wrong, mut edges) = (0, 0);
        for y in 0..height {
            for x in 0..width {
                let (columns, rows) = (across[x]..across[x + 1], down[y]..down[y + 1]);
                // The middle, which has the colour of the cell alone.
                let mean = self.grey.mean(
                    columns.start + inner..columns.end - inner,
                    rows.start + inner..rows.end - inner,
                );
                let is_dark = mean < self.level;
                wrong += rows
                    .clone()
                    .flat_map(|row| &self.dark[row * self.grey.width..][columns.clone()])
                    .filter(|dark| **dark != is_dark)
                    .count();
                let differs = |other: Option<&u8>| {
                    other.is_some_and(|&other| (other < self.level) != is_dark)
                };
                if x > 0 && differs(pixels.last()) {
                    edges += rows.len();
                }
                if y > 0 && differs(pixels.get((y - 1) * width + x)) {
                    edges += columns.len();
                }
                pixels.push(mean);
            }
        }
        let most_wrong = MAX_WRONG * self.dark.len() as f64;
        let edge_error = edges.abs_diff(lattice.edges) as f64 / lattice.edges as f64;
        let same = wrong == 0 && edges == lattice.edges;
        let alike = self.blurred
            && *side >= MIN_BLURRED
            && wrong as f64 <= most_wrong
            && edge_error <= MAX_EDGE_ERROR;
        (same || alike).then_some(Grey {
            width,
            height,
            pixels,
            of_cells: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ART: [&str; 6] = [
        "..##....", ".####..#", "##.###.#", "########", ".#####.#", "..##....",
    ];

    /// The drawing with this many pixels per cell, and this many white ones to the left and above.
    fn enlarged(side: f64, margin: usize) -> Grey {
        let length = |cells: usize| (cells as f64 * side) as usize + margin;
        let (width, height) = (length(8), length(6));
        let level = |x: usize, y: usize| {
            let cell = |at: usize| ((at - margin) as f64 / side) as usize;
            if x < margin || y < margin || ART[cell(y)].as_bytes()[cell(x)] == b'.' {
                255
            } else {
                0
            }
        };
        Grey {
            width,
            height,
            pixels: (0..width * height)
                .map(|i| level(i % width, i / width))
                .collect(),
            of_cells: false,
        }
    }

    /// The mean of the pixels around each, and noise.
    fn blurred(picture: &Grey, radius: usize) -> Grey {
        let noise = |i: usize| (i * 7919 % 41) as f64 - 20.0;
        let means = picture.means(radius, 1).zip(0..);
        let pixels = means.map(|(mean, i)| (mean + noise(i)).clamp(0.0, 255.0) as u8);
        Grey {
            pixels: pixels.collect(),
            ..*picture
        }
    }

    /// The side of the cells, and the cells in rows.
    fn found(grey: &Grey) -> Option<(f64, Vec<String>)> {
        let Enlarged { cells, side } = find(grey)?;
        let rows = cells.pixels.chunks(cells.width).map(|row| {
            let cell = |&pixel: &u8| if pixel < 128 { '#' } else { '.' };
            row.iter().map(cell).collect()
        });
        Some((side, rows.collect()))
    }

    fn assert_found(grey: &Grey, side: f64, margin: usize) {
        let (found_side, cells) = found(grey).unwrap_or_else(|| panic!("{side}, {margin}"));
        assert!(
            (found_side - side).abs() < side / 100.0,
            "{found_side}, not {side}"
        );
        let drawn = &cells[margin..];
        assert!(
            drawn.iter().map(|row| &row[margin..]).eq(ART),
            "{side}, {margin}: {cells:?}"
        );
    }

    #[test]
    fn cells_of_several_pixels_are_found() {
        for side in [8, 9, 16, 40] {
            let side = f64::from(side);
            assert_found(&enlarged(side, 0), side, 0);
            // Less than half a cell is none.
            assert_found(&enlarged(side, 3), side, 0);
            assert_found(&enlarged(side, side as usize * 2), side, 2);
        }
        for (side, radius) in [(10.0, 1), (16.0, 2), (20.0, 2), (20.5, 2), (33.3, 3)] {
            assert_found(&blurred(&enlarged(side, 0), radius), side, 0);
            assert_found(
                &blurred(&enlarged(side, 36), radius),
                side,
                (36.0 / side).round() as usize,
            );
        }
    }

    #[test]
    fn other_pictures_have_one_pixel_per_cell() {
        // As many pixels as a puzzle has cells, and a file without greys.
        assert!(find(&enlarged(7.0, 0)).is_none());
        let cells = Grey {
            of_cells: true,
            ..enlarged(16.0, 0)
        };
        assert!(find(&cells).is_none());
        // One pixel that is not of its cell.
        let mut spoilt = enlarged(16.0, 0);
        spoilt.pixels[50 * 128 + 50] ^= 255;
        assert!(find(&spoilt).is_none());
        let picture = |width: usize, height: usize, dark: &dyn Fn(usize, usize) -> bool| Grey {
            width,
            height,
            pixels: (0..width * height)
                .map(|i| if dark(i % width, i / width) { 0 } else { 255 })
                .collect(),
            of_cells: false,
        };
        let disc = |x: usize, y: usize| x.abs_diff(100).pow(2) + y.abs_diff(100).pow(2) < 6400;
        let lines = |x: usize, y: usize| x % 50 < 3 || y % 50 < 3;
        let square = |x: usize, y: usize| (50..150).contains(&x) && (50..150).contains(&y);
        let random = |x: usize, y: usize| (x * 7919 + y * 104_729 + x * y) % 7 < 3;
        for dark in [
            &disc as &dyn Fn(usize, usize) -> bool,
            &lines,
            &square,
            &random,
            &|_, _| true,
            &|_, _| false,
        ] {
            let drawing = picture(200, 200, dark);
            assert!(find(&drawing).is_none());
            assert!(find(&blurred(&drawing, 1)).is_none());
        }
    }
}
