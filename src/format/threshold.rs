//! The threshold between filled and empty cells: a fixed grey level, one that is found, or one for each pixel.

use std::fmt;
use std::str::FromStr;

use super::grey::Grey;
use crate::error::{Error, Kind, Result};

/// The lowest grey level, from 0 for black to 255 for white, that is not filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Threshold {
    /// A fixed level.
    Fixed(u8),
    /// The level that best separates the grey levels of the picture into dark and light (Otsu, "A threshold selection method from
    /// gray-level histograms", 1979).
    #[default]
    Auto,
    /// A level for each pixel, a share below the mean around it, so that an uneven light does not matter, and large dark areas become
    /// hollow (Bradley and Roth, "Adaptive thresholding using the integral image", 2007).
    Local,
}

/// How far below the mean around it a pixel of a picture from black to white is dark.
const LOCAL_SHARE: f64 = 0.08;

/// The side of the window of this mean, as a divisor of the longer side of the picture.
const WINDOWS: usize = 4;

impl Threshold {
    /// The level for each pixel: what is below it is filled, or with `invert` what is not.
    pub(super) fn levels(self, grey: &Grey, invert: bool) -> Vec<u8> {
        let count = grey.pixels.len();
        let (darkest, lightest) = grey.range();
        match self {
            Threshold::Fixed(level) => vec![level; count],
            Threshold::Local if darkest < lightest => {
                // In a picture of little contrast less is dark.
                let share = LOCAL_SHARE * f64::from(lightest - darkest) / 255.0;
                let radius = (grey.width.max(grey.height) / WINDOWS / 2).max(1);
                let level = |mean: f64| match invert {
                    false => (mean * (1.0 - share)).ceil(),
                    true => (mean + (255.0 - mean) * share).floor() + 1.0,
                };
                grey.means(radius, 1)
                    .map(|mean| level(mean) as u8)
                    .collect()
            }
            Threshold::Auto | Threshold::Local => vec![best(grey); count],
        }
    }
}

/// Otsu's threshold: it maximises the variance between the pixels below it and the others. That of a picture of one level is in the middle
/// of all levels, so that black is filled, and white is not.
pub(super) fn best(grey: &Grey) -> u8 {
    let histogram = grey.histogram();
    let count: u64 = histogram.iter().sum();
    let total: u64 = (0..).zip(histogram).map(|(grey, count)| grey * count).sum();
    let (mut dark, mut sum) = (0, 0);
    // If grey levels between dark and light do not occur, several thresholds are equally good; the middle one is taken.
    let (mut best, mut first, mut last) = (0.0, 128, 128);
    for threshold in 1..=255_u8 {
        let below = u64::from(threshold) - 1;
        dark += histogram[below as usize];
        sum += below * histogram[below as usize];
        if dark == 0 || dark == count {
            continue;
        }
        let difference = sum as f64 / dark as f64 - (total - sum) as f64 / (count - dark) as f64;
        let variance = dark as f64 * (count - dark) as f64 * difference * difference;
        if variance > best {
            (best, first, last) = (variance, threshold, threshold);
        } else if variance == best {
            last = threshold;
        }
    }
    first + (last - first) / 2
}

/// A grey level from 0 to 255, `auto` or `local`.
impl FromStr for Threshold {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Threshold::Auto),
            "local" => Ok(Threshold::Local),
            level => level.parse().map(Threshold::Fixed).map_err(|_| {
                Error::new(
                    Kind::Usage,
                    "a threshold is a grey from 0 to 255, auto or local",
                )
            }),
        }
    }
}

/// As it is parsed.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threshold::Fixed(level) => level.fmt(f),
            Threshold::Auto => f.pad("auto"),
            Threshold::Local => f.pad("local"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pixels: &[u8]) -> Grey {
        Grey {
            width: pixels.len(),
            height: 1,
            pixels: pixels.to_vec(),
            of_cells: false,
        }
    }

    fn filled(pixels: &[u8], threshold: Threshold) -> String {
        let levels = threshold.levels(&row(pixels), false);
        let filled = pixels.iter().zip(levels);
        filled
            .map(|(&pixel, level)| if pixel < level { '#' } else { '.' })
            .collect()
    }

    #[test]
    fn otsu_threshold_lies_in_the_gap() {
        for (pixels, expected) in [
            (&[200, 210, 205, 250, 252][..], "###.."),
            (&[3, 4], "#."),
            // Thin black lines on white, after scaling.
            (&[255, 242, 255, 255, 228], ".#..#"),
            // Yellow on white.
            (&[255, 236, 236, 255], ".##."),
            // One level is black or white.
            (&[90, 90], "##"),
            (&[128, 128], ".."),
        ] {
            assert_eq!(filled(pixels, Threshold::Auto), expected);
            assert_eq!(filled(pixels, Threshold::default()), expected);
        }
        assert_eq!(best(&row(&[0, 255])), 128);
    }

    /// From a dark side to a light one.
    #[test]
    fn a_local_threshold_follows_the_light() {
        let mut pixels: Vec<u8> = (0..32).map(|x| 60 + 5 * x).collect();
        for dark in [8, 9, 20, 28] {
            pixels[dark] /= 2;
        }
        let expected = "........##..........#.......#...";
        assert_eq!(filled(&pixels, Threshold::Local)[4..], expected[4..]);
        assert_ne!(filled(&pixels, Threshold::Auto), expected);
        let negative: Vec<u8> = pixels.iter().map(|pixel| 255 - pixel).collect();
        let levels = Threshold::Local.levels(&row(&negative), true);
        let filled = negative
            .iter()
            .zip(levels)
            .map(|(pixel, level)| *pixel >= level);
        let of_negative: String = filled
            .map(|filled| if filled { '#' } else { '.' })
            .collect();
        assert_eq!(of_negative, self::filled(&pixels, Threshold::Local));
        for (level, expected) in [(0, "##"), (255, "..")] {
            assert_eq!(self::filled(&[level; 2], Threshold::Local), expected);
        }
    }

    #[test]
    fn thresholds_are_written_as_they_are_read() {
        for threshold in [
            Threshold::Auto,
            Threshold::Local,
            Threshold::Fixed(0),
            Threshold::Fixed(255),
        ] {
            assert_eq!(
                threshold.to_string().parse::<Threshold>().unwrap(),
                threshold
            );
        }
        for text in ["", "256", "-1", "dark", "Auto"] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }
}
