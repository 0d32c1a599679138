//! Conversion of grey pixels to filled and empty cells: scaling, then a threshold or dithering.

use crate::error::{Error, Kind, Result};
use crate::puzzle::{Grid, MAX_SIDE};

/// Largest number of pixels of a picture. Decoding them takes some gigabytes at most.
const MAX_PIXELS: u64 = 200_000_000;

/// The message for an image file that ends too early.
pub(super) const CUT_OFF: &str = "this image is cut off: the file ends before the picture does";

/// Options for converting a picture to cells. Dark pixels become filled cells. Each is set by the method with its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct TraceOptions {
    /// Columns and rows of the puzzle; without rows, as many as keep the picture's aspect ratio. One cell per pixel if not given.
    pub size: Option<(usize, Option<usize>)>,
    /// The threshold between filled and empty cells.
    pub threshold: Threshold,
    /// Whether the error in the brightness of a cell is spread over its neighbours, which turns grey areas into patterns (Floyd and
    /// Steinberg, "An adaptive algorithm for spatial greyscale", 1976).
    pub dither: bool,
    /// Whether light pixels are filled instead of dark ones.
    pub invert: bool,
}

/// The lowest grey level, from 0 for black to 255 for white, that is not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Threshold {
    /// A fixed level.
    Fixed(u8),
    /// The level that best separates the grey levels of the picture into dark and light (Otsu, "A threshold selection method from
    /// gray-level histograms", 1979).
    Auto,
}

impl Default for Threshold {
    fn default() -> Self {
        Threshold::Fixed(128)
    }
}

impl TraceOptions {
    /// Reads columns and rows, `40x30`, or columns alone, `40`; `None` if the text is neither, or a side is not possible.
    pub fn parse_size(text: &str) -> Option<(usize, Option<usize>)> {
        let side = |text: &str| {
            let side = text.parse().ok();
            side.filter(|side| (1..=MAX_SIDE).contains(side))
        };
        match text.split_once('x') {
            Some((width, height)) => Some((side(width)?, Some(side(height)?))),
            None => Some((side(text)?, None)),
        }
    }

    /// Sets the columns and the rows of the puzzle.
    pub fn size(mut self, size: impl Into<Option<(usize, Option<usize>)>>) -> Self {
        self.size = size.into();
        self
    }

    /// Sets the threshold between filled and empty cells.
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets whether the error in the brightness of a cell is spread over its neighbours.
    pub fn dither(mut self, dither: bool) -> Self {
        self.dither = dither;
        self
    }

    /// Sets whether light pixels are filled instead of dark ones.
    pub fn invert(mut self, invert: bool) -> Self {
        self.invert = invert;
        self
    }

    /// Fails when a picture of this width and height, in pixels, is too large, or the wanted size is none of a puzzle.
    pub(super) fn check_size(&self, width: usize, height: usize) -> Result<()> {
        let size = format!("{width}x{height} pixels are too many");
        if width as u64 * height as u64 > MAX_PIXELS {
            let most = MAX_PIXELS / 1_000_000;
            return Err(Error::data(format!(
                "{size}: at most {most} megapixels can be read, scale the picture down first"
            )));
        }
        let (columns, rows) = self.size.unwrap_or((1, None));
        for side in [columns, rows.unwrap_or(1)] {
            if !(1..=MAX_SIDE).contains(&side) {
                let message = format!("a puzzle has 1 to {MAX_SIDE} cells a side, not {side}");
                return Err(Error::new(Kind::Usage, message));
            }
        }
        if self.size.is_none() && (width > MAX_SIDE || height > MAX_SIDE) {
            return Err(Error::data(format!(
                "{size}: a puzzle has at most {MAX_SIDE} cells a side; convert --size scales the picture down"
            )));
        }
        Ok(())
    }
}

/// The formats of images with compressed or packed pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageType {
    Png,
    Gif,
    Bmp,
    WebP,
    Jpeg,
}

impl ImageType {
    /// Whether a file begins like an image of this format.
    pub(super) fn looks_like(self, bytes: &[u8]) -> bool {
        match self {
            ImageType::Png => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
            ImageType::Gif => bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a"),
            // Two letters alone are a weak signature, so the reserved bytes must be zero too.
            ImageType::Bmp => bytes.starts_with(b"BM") && bytes.get(6..10) == Some(&[0; 4]),
            ImageType::WebP => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
            ImageType::Jpeg => bytes.starts_with(b"\xff\xd8\xff"),
        }
    }
}

/// The weights of red, green and blue in a grey level (ITU-R BT.709).
const WEIGHTS: [f32; 3] = [0.212_639, 0.715_168_7, 0.072_192_32];

/// The grey level of a pixel of this red, green and blue.
pub(super) fn grey_of_rgb(samples: [u8; 3]) -> u8 {
    let weighted = samples.iter().zip(WEIGHTS);
    let sum: f32 = weighted
        .map(|(&sample, weight)| f32::from(sample) * weight)
        .sum();
    sum.round() as u8
}

/// The picture of a file, decoded once, so that it can be traced in several ways.
#[derive(Clone, Debug)]
pub struct Picture(Source);

/// Grey levels, or cells, which neither a size nor a threshold changes.
#[derive(Clone, Debug)]
enum Source {
    Grey(Grey),
    Goal(Grid),
}

#[cfg(feature = "unstable")]
impl Picture {
    pub(super) fn from_grey(grey: Grey) -> Self {
        Picture(Source::Grey(grey))
    }

    pub(super) fn from_goal(goal: Grid) -> Self {
        Picture(Source::Goal(goal))
    }

    /// Width and height, in pixels or cells.
    pub fn size(&self) -> (usize, usize) {
        match &self.0 {
            Source::Grey(grey) => (grey.width, grey.height),
            Source::Goal(goal) => (goal.width(), goal.height()),
        }
    }

    /// The picture scaled to these columns and rows, as [`TraceOptions::size`] describes them; the goal of a puzzle as it is.
    pub fn scaled(&self, size: (usize, Option<usize>)) -> Self {
        match &self.0 {
            Source::Grey(grey) => Self::from_grey(grey.scaled(size)),
            Source::Goal(goal) => Self::from_goal(goal.clone()),
        }
    }

    /// The picture as cells, one per pixel; the goal of a puzzle as it is.
    ///
    /// # Panics
    ///
    /// If a side is above [`MAX_SIDE`].
    pub fn trace(&self, threshold: Threshold) -> Grid {
        match &self.0 {
            Source::Grey(grey) => {
                let tracing = TraceOptions::default().threshold(threshold);
                grey.clone().trace(&tracing)
            }
            Source::Goal(goal) => goal.clone(),
        }
    }
}

/// A picture in grey levels.
#[derive(Clone, Debug)]
pub(super) struct Grey {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The grey levels row by row, 0 for black.
    pub(super) pixels: Vec<u8>,
}

impl Grey {
    /// The picture as cells. Its size must have been checked by [`TraceOptions::check_size`].
    pub(super) fn trace(self, tracing: &TraceOptions) -> Grid {
        let mut grey = match tracing.size {
            Some(size) => self.scaled(size),
            None => self,
        };
        let threshold = match tracing.threshold {
            Threshold::Fixed(threshold) => threshold,
            Threshold::Auto => grey.best_threshold(),
        };
        if tracing.dither {
            grey.dither(threshold);
        }
        let mut grid = Grid::new(grey.width, grey.height);
        for (i, &pixel) in grey.pixels.iter().enumerate() {
            let filled = (pixel < threshold) != tracing.invert;
            if filled {
                grid.set(i / grey.width, i % grey.width, true);
            }
        }
        grid
    }

    /// The picture scaled to these columns and rows; without rows, as many as keep its aspect ratio. Each pixel is the mean of the pixels
    /// that it replaces.
    fn scaled(&self, (width, height): (usize, Option<usize>)) -> Self {
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
                let columns = range(x, width, self.width);
                let count = (rows.len() * columns.len()) as u64;
                let sum: u64 = rows
                    .clone()
                    .flat_map(|row| &self.pixels[row * self.width..][columns.clone()])
                    .map(|&pixel| u64::from(pixel))
                    .sum();
                pixels.push(((sum + count / 2) / count) as u8);
            }
        }
        Grey {
            width,
            height,
            pixels,
        }
    }

    /// Otsu's threshold: it maximises the variance between the pixels below it and the others.
    fn best_threshold(&self) -> u8 {
        let mut histogram = [0_u64; 256];
        for &pixel in &self.pixels {
            histogram[usize::from(pixel)] += 1;
        }
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
            let difference =
                sum as f64 / dark as f64 - (total - sum) as f64 / (count - dark) as f64;
            let variance = dark as f64 * (count - dark) as f64 * difference * difference;
            if variance > best {
                (best, first, last) = (variance, threshold, threshold);
            } else if variance == best {
                last = threshold;
            }
        }
        first + (last - first) / 2
    }

    /// Makes every pixel black or white, and spreads the error over its neighbours.
    fn dither(&mut self, threshold: u8) {
        // The error passed to the row below, in sixteenths of a level; with one extra entry on both sides.
        let mut below = vec![0_i32; self.width + 2];
        for row in self.pixels.chunks_mut(self.width) {
            let mut here = std::mem::replace(&mut below, vec![0; self.width + 2]);
            for (x, pixel) in row.iter_mut().enumerate() {
                let grey = i32::from(*pixel) + here[x + 1] / 16;
                *pixel = if grey < i32::from(threshold) { 0 } else { 255 };
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

    fn grey(width: usize, pixels: &[u8]) -> Grey {
        let height = pixels.len() / width;
        Grey {
            width,
            height,
            pixels: pixels.to_vec(),
        }
    }

    fn traced(grey: Grey, tracing: TraceOptions) -> String {
        grey.trace(&tracing).to_string()
    }

    #[test]
    fn dark_is_filled() {
        let picture = || grey(3, &[0, 127, 128, 255, 10, 200]);
        assert_eq!(traced(picture(), TraceOptions::default()), "##.\n.#.\n");
        let invert = TraceOptions::default().invert(true);
        assert_eq!(traced(picture(), invert), "..#\n#.#\n");
        let dark = TraceOptions::default().threshold(Threshold::Fixed(5));
        assert_eq!(traced(picture(), dark), "#..\n...\n");
    }

    #[test]
    fn otsu_threshold_lies_in_the_gap() {
        let auto = TraceOptions::default().threshold(Threshold::Auto);
        assert_eq!(traced(grey(5, &[200, 210, 205, 250, 252]), auto), "###..\n");
        assert_eq!(traced(grey(2, &[3, 4]), auto), "#.\n");
        // A picture of a single grey level gets the default threshold.
        assert_eq!(traced(grey(2, &[90, 90]), auto), "##\n");
        assert_eq!(grey(2, &[0, 255]).best_threshold(), 128);
    }

    #[test]
    fn scaling_takes_the_mean() {
        let to = |width, height| TraceOptions::default().size((width, height));
        let picture = || grey(4, &[0, 0, 255, 255, 0, 255, 255, 0]);
        assert_eq!(traced(picture(), to(2, Some(1))), "#.\n");
        assert_eq!(traced(picture(), to(2, None)), "#.\n");
        assert_eq!(
            traced(grey(1, &[0, 255]), to(2, Some(4))),
            "##\n##\n..\n..\n"
        );
        assert_eq!(traced(grey(3, &[0, 255, 255]), to(2, Some(1))), "#.\n");
    }

    #[test]
    fn dithering_keeps_the_share_of_black() {
        let tracing = TraceOptions::default().dither(true);
        for level in [32_u8, 64, 128, 192] {
            let drawn = traced(grey(64, &[level; 64 * 64]), tracing);
            let filled = drawn.matches('#').count() as f64 / 4096.0;
            let wanted = 1.0 - f64::from(level) / 255.0;
            assert!((filled - wanted).abs() < 0.02, "{level}: {filled}");
        }
    }

    #[test]
    fn large_pictures_need_a_size() {
        let scaled = TraceOptions::default().size((10, None));
        assert!(
            TraceOptions::default()
                .check_size(MAX_SIDE, MAX_SIDE)
                .is_ok()
        );
        for (width, height) in [(6000, 4000), (2, 5000)] {
            let error = TraceOptions::default()
                .check_size(width, height)
                .unwrap_err();
            assert!(error.to_string().contains("convert --size"), "{error}");
            assert!(scaled.check_size(width, height).is_ok());
        }
        assert!(scaled.check_size(20_000, 10_000).is_ok());
        let error = scaled.check_size(20_000, 10_001).unwrap_err();
        assert!(error.to_string().contains("200 megapixels"), "{error}");
        assert_eq!(traced(grey(5000, &[0; 5000]), scaled), "##########\n");
    }
}
