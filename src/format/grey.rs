//! A picture in grey levels: scaling, means, and likeness to cells.

use std::ops::Range;

use crate::puzzle::{Grid, MAX_SIDE};

/// A picture in grey levels.
#[derive(Clone, Debug)]
pub(super) struct Grey {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The grey levels row by row, 0 for black.
    pub(super) pixels: Vec<u8>,
    /// Whether each pixel is a cell for certain, as in a file without greys.
    pub(super) of_cells: bool,
}

/// Half the side, less a half, of the windows in which pictures are compared.
#[cfg(feature = "unstable")]
const COMPARED: usize = 2;

/// A deviation that is no drawing, as a share of the contrast of a picture.
#[cfg(feature = "unstable")]
const NOISE: f64 = 0.05;

impl Grey {
    /// The picture of cells: filled ones are black.
    #[cfg(feature = "unstable")]
    pub(super) fn of_grid(grid: &Grid) -> Self {
        let (width, height) = (grid.width(), grid.height());
        let filled = (0..width * height).map(|i| grid.get(i / width, i % width));
        Grey {
            width,
            height,
            pixels: filled.map(|filled| if filled { 0 } else { 255 }).collect(),
            of_cells: true,
        }
    }

    /// The darkest and the lightest level.
    pub(super) fn range(&self) -> (u8, u8) {
        let pixels = || self.pixels.iter().copied();
        (
            pixels().min().expect("there is a pixel"),
            pixels().max().expect("there is a pixel"),
        )
    }

    /// How often each level occurs.
    pub(super) fn histogram(&self) -> [u64; 256] {
        let mut histogram = [0; 256];
        for &pixel in &self.pixels {
            histogram[usize::from(pixel)] += 1;
        }
        histogram
    }

    /// The mean of the pixels of a box, which is not empty.
    pub(super) fn mean(&self, columns: Range<usize>, rows: Range<usize>) -> u8 {
        let count = (rows.len() * columns.len()) as u64;
        let sum: u64 = rows
            .flat_map(|row| &self.pixels[row * self.width..][columns.clone()])
            .map(|&pixel| u64::from(pixel))
            .sum();
        ((sum + count / 2) / count) as u8
    }

    /// The pixels of a box.
    pub(super) fn part(&self, columns: &Range<usize>, rows: &Range<usize>) -> Self {
        let pixels = rows
            .clone()
            .flat_map(|row| &self.pixels[row * self.width..][columns.clone()]);
        Grey {
            width: columns.len(),
            height: rows.len(),
            pixels: pixels.copied().collect(),
            of_cells: self.of_cells,
        }
    }

    /// The picture scaled to these columns and rows; without rows, as many as keep its aspect ratio. Each pixel is the mean of the pixels
    /// that it replaces.
    pub(super) fn scaled(&self, (width, height): (usize, Option<usize>)) -> Self {
        let height = height.unwrap_or_else(|| {
            let height = (width * self.height + self.width / 2) / self.width;
            height.clamp(1, MAX_SIDE)
        });
        let range = |i: usize, to: usize, from: usize| {
            let start = i * from / to;
            start..((i + 1) * from / to).max(start + 1)
        };
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows = range(y, height, self.height);
            for x in 0..width {
                pixels.push(self.mean(range(x, width, self.width), rows.clone()));
            }
        }
        Grey {
            width,
            height,
            pixels,
            of_cells: self.of_cells,
        }
    }

    /// For each pixel the mean of those up to this many columns and rows away, each with this exponent.
    pub(super) fn means(&self, radius: usize, exponent: u32) -> impl Iterator<Item = f64> {
        // The sum of the pixels above and to the left of each corner.
        let stride = self.width + 1;
        let mut sums = vec![0_u64; stride * (self.height + 1)];
        for (y, row) in self.pixels.chunks(self.width).enumerate() {
            let mut sum = 0;
            for (x, &pixel) in row.iter().enumerate() {
                sum += u64::from(pixel).pow(exponent);
                let at = (y + 1) * stride + x + 1;
                sums[at] = sums[at - stride] + sum;
            }
        }
        let (width, height) = (self.width, self.height);
        (0..width * height).map(move |i| {
            let around =
                |at: usize, side: usize| (at.saturating_sub(radius), (at + radius + 1).min(side));
            let (left, right) = around(i % width, width);
            let (top, bottom) = around(i / width, height);
            let row = |row: usize| sums[row * stride + right] - sums[row * stride + left];
            let count = (right - left) * (bottom - top);
            (row(bottom) - row(top)) as f64 / count as f64
        })
    }

    /// How alike two pictures of the same size are, from 1 for the same drawing to -1 for its negative: the correlation of their pixels, each
    /// relative to the mean and the deviation around it, so that what counts is where something is drawn, and neither the light nor how dark
    /// it is (as in the structure of Wang and others, "Image quality assessment: from error visibility to structural similarity", 2004).
    #[cfg(feature = "unstable")]
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let (a, b) = (self.relative(), other.relative());
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let spread = (product(&a, &a) * product(&b, &b)).sqrt();
        if spread > 0.0 {
            product(&a, &b) / spread
        } else {
            0.0
        }
    }

    /// Each pixel relative to the mean and the deviation around it.
    #[cfg(feature = "unstable")]
    fn relative(&self) -> Vec<f64> {
        let (darkest, lightest) = self.range();
        let noise = f64::from(lightest - darkest) * NOISE + f64::EPSILON;
        let means = self.means(COMPARED, 1).zip(self.means(COMPARED, 2));
        let pixels = self.pixels.iter().zip(means);
        let relative = pixels.map(|(&pixel, (mean, square))| {
            let deviation = (square - mean * mean).max(0.0).sqrt();
            (f64::from(pixel) - mean) / (deviation + noise)
        });
        relative.collect()
    }

    /// Makes every pixel black or white by its level, and spreads the error over its neighbours.
    pub(super) fn dither(&mut self, levels: &[u8]) {
        // The error passed to the row below, in sixteenths of a level; with one extra entry on both sides.
        let mut below = vec![0_i32; self.width + 2];
        let rows = self.pixels.chunks_mut(self.width);
        for (row, levels) in rows.zip(levels.chunks(self.width)) {
            let mut here = std::mem::replace(&mut below, vec![0; self.width + 2]);
            for (x, (pixel, level)) in row.iter_mut().zip(levels).enumerate() {
                let grey = i32::from(*pixel) + here[x + 1] / 16;
                *pixel = if grey < i32::from(*level) { 0 } else { 255 };
                let error = grey - i32::from(*pixel);
                here[x + 2] += error * 7;
                below[x] += error * 3;
                below[x + 1] += error * 5;
                below[x + 2] += error;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(width: usize, pixels: Vec<u8>) -> Grey {
        Grey {
            width,
            height: pixels.len() / width,
            pixels,
            of_cells: false,
        }
    }

    #[test]
    fn means_are_those_of_the_pixels_around() {
        let picture = grey(7, (0..35).map(|i| (i * 37 % 256) as u8).collect());
        for (radius, exponent) in [(0, 1), (1, 1), (2, 2), (9, 1)] {
            let means: Vec<f64> = picture.means(radius, exponent).collect();
            for (i, mean) in means.iter().enumerate() {
                let (x, y) = (i % 7, i / 7);
                let around: Vec<f64> = (0..35_usize)
                    .filter(|j| (j % 7).abs_diff(x) <= radius && (j / 7).abs_diff(y) <= radius)
                    .map(|j| f64::from(picture.pixels[j]).powi(exponent as i32))
                    .collect();
                let expected = around.iter().sum::<f64>() / around.len() as f64;
                assert!(
                    (mean - expected).abs() < 1e-6,
                    "{i}: {mean}, not {expected}"
                );
            }
        }
    }

    #[cfg(feature = "unstable")]
    #[test]
    fn likeness_is_of_the_drawing_and_not_of_the_light() {
        let cells: Vec<u8> = (0..144)
            .map(|i| {
                if (i / 12 + i % 12) % 5 == 0 || i % 12 == 4 {
                    0
                } else {
                    255
                }
            })
            .collect();
        let negative = cells.iter().map(|cell| 255 - cell).collect();
        // Darker to the left, and of little contrast.
        let lit: Vec<u8> = (0..144)
            .map(|i| 80 + 8 * (i % 12) as u8 + cells[i] / 8)
            .collect();
        let half = (0..144).map(|i| if i % 12 < 6 { 0 } else { 255 }).collect();
        let [cells, negative, lit, half] =
            [cells, negative, lit, half].map(|pixels| grey(12, pixels));
        let blank = grey(12, vec![255; 144]);
        assert!((cells.likeness(&cells) - 1.0).abs() < 1e-9);
        assert!((cells.likeness(&negative) + 1.0).abs() < 1e-9);
        assert!(lit.likeness(&cells) > 0.9, "{}", lit.likeness(&cells));
        assert!(lit.likeness(&half) < 0.3, "{}", lit.likeness(&half));
        assert_eq!(cells.likeness(&blank), 0.0);
    }
}
