//! Conversion of an image to filled and empty cells: what is scaled to cells, then a threshold or dithering.

use std::borrow::Cow;
use std::ops::Range;

use super::enlarged::{self, Enlarged, MIN_CELL};
use super::grey::Grey;
use super::margin;
use super::threshold::Threshold;
use crate::error::{Error, Kind, Remedy, Result};
use crate::puzzle::{Grid, MAX_SIDE};

/// Largest number of pixels of a picture. Decoding them takes some gigabytes at most.
const MAX_PIXELS: u64 = 200_000_000;

/// The message for an image file that ends too early.
pub(super) const CUT_OFF: &str = "this image is cut off: the file ends before the picture does";

/// What is said when a margin is cut off.
const CUT: &str = "the empty margin was cut off";

/// Options for converting a picture to cells. Dark pixels become filled cells. Each is set by the method with its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct TraceOptions {
    /// Columns and rows of the puzzle; without rows, as many as keep the picture's aspect ratio. If not given, those of enlarged pixel art,
    /// whose cells have several pixels, or else one cell per pixel.
    pub size: Option<(usize, Option<usize>)>,
    /// The threshold between filled and empty cells.
    pub threshold: Threshold,
    /// Whether the error in the brightness of a cell is spread over its neighbours, which turns grey areas into patterns (Floyd and
    /// Steinberg, "An adaptive algorithm for spatial greyscale", 1976).
    pub dither: bool,
    /// Whether light pixels are filled instead of dark ones.
    pub invert: bool,
    /// Whether an empty margin around the drawing is kept where several pixels become a cell; else it is cut off.
    pub keep_margin: bool,
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

    /// Sets whether an empty margin around the drawing is kept.
    pub fn keep_margin(mut self, keep_margin: bool) -> Self {
        self.keep_margin = keep_margin;
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
            let message = format!("{size}: a puzzle has at most {MAX_SIDE} cells a side");
            return Err(Error::data(message).with_remedy(Remedy::Size));
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

    /// The picture with one pixel per cell, by the size and the margin of these options, and what is to be said of it; the goal of a
    /// puzzle as it is.
    pub fn fitted(&self, tracing: &TraceOptions) -> (Self, Vec<String>) {
        match &self.0 {
            Source::Grey(grey) => {
                let (grey, words) = fitted(grey, tracing);
                (Self::from_grey(grey.into_owned()), words)
            }
            Source::Goal(_) => (self.clone(), Vec::new()),
        }
    }

    /// The picture as cells, one per pixel; the goal of a puzzle as it is.
    ///
    /// # Panics
    ///
    /// If a side is above [`MAX_SIDE`].
    pub fn trace(&self, tracing: &TraceOptions) -> Grid {
        match &self.0 {
            Source::Grey(grey) => filled(grey, tracing),
            Source::Goal(goal) => goal.clone(),
        }
    }

    /// How alike the drawings are in this picture and in cells of its size, from 1 for the same to -1 for the negative; with `invert` the
    /// other way round.
    pub fn likeness(&self, cells: &Grid, invert: bool) -> f64 {
        let cells = Grey::of_grid(cells);
        match &self.0 {
            Source::Grey(grey) if invert => -grey.likeness(&cells),
            Source::Grey(grey) => grey.likeness(&cells),
            Source::Goal(goal) => Grey::of_grid(goal).likeness(&cells),
        }
    }
}

/// The picture as cells, and what is to be said of them. Its size must have been checked by [`TraceOptions::check_size`].
pub(super) fn trace(grey: &Grey, tracing: &TraceOptions) -> (Grid, Vec<String>) {
    let (fitted, mut words) = fitted(grey, tracing);
    let grid = filled(&fitted, tracing);
    // Where pixels are cells, nobody chose a threshold.
    if !grey.of_cells
        && let Some(word) = shows_nothing(&grid)
    {
        words.push(word.to_owned());
    }
    (grid, words)
}

/// The picture as cells, one per pixel.
fn filled(grey: &Grey, tracing: &TraceOptions) -> Grid {
    let levels = tracing.threshold.levels(grey, tracing.invert);
    let mut grey = Cow::Borrowed(grey);
    if tracing.dither {
        grey.to_mut().dither(&levels);
    }
    let mut grid = Grid::new(grey.width, grey.height);
    for (i, (pixel, level)) in grey.pixels.iter().zip(&levels).enumerate() {
        let filled = (pixel < level) != tracing.invert;
        if filled {
            grid.set(i / grey.width, i % grey.width, true);
        }
    }
    grid
}

/// What is said of a tracing that shows nothing.
fn shows_nothing(grid: &Grid) -> Option<&'static str> {
    match grid.filled() {
        0 => {
            Some("no cell is filled, so this picture shows nothing: try another threshold or size")
        }
        all if all == grid.width() * grid.height() => Some(
            "every cell is filled, so this picture shows nothing: try another threshold or size",
        ),
        _ => None,
    }
}

/// The picture with one pixel per cell, and what is to be said of it.
fn fitted<'a>(grey: &'a Grey, tracing: &TraceOptions) -> (Cow<'a, Grey>, Vec<String>) {
    let mut words = Vec::new();
    let fitted = match (enlarged::find(grey), tracing.size) {
        (Some(Enlarged { cells, .. }), Some((width, height)))
            if cells.width == width && height.is_none_or(|height| cells.height == height) =>
        {
            Cow::Owned(cells)
        }
        (Some(Enlarged { cells, side }), None) => {
            let cells = match margin::drawing(&cells, tracing.invert) {
                Some((columns, rows)) if !tracing.keep_margin => {
                    words.push(CUT.to_owned());
                    cells.part(&columns, &rows)
                }
                _ => cells,
            };
            let (width, height) = (cells.width, cells.height);
            let side = (side * 10.0).round() / 10.0;
            words.push(format!(
                "each cell has {side}x{side} pixels, so there are {width}x{height} cells"
            ));
            Cow::Owned(cells)
        }
        (_, Some(size)) => match drawing(grey, size, tracing) {
            Some((columns, rows)) => {
                words.push(CUT.to_owned());
                Cow::Owned(grey.part(&columns, &rows).scaled(size))
            }
            None => Cow::Owned(grey.scaled(size)),
        },
        (None, None) => Cow::Borrowed(grey),
    };
    (fitted, words)
}

/// The columns and rows that become cells when the margin is cut off before the picture is scaled; `None` if all do.
fn drawing(
    grey: &Grey,
    (width, height): (usize, Option<usize>),
    tracing: &TraceOptions,
) -> Option<(Range<usize>, Range<usize>)> {
    // With few pixels per cell, the margin may be part of the picture.
    let is_scaled = grey.width as f64 >= MIN_CELL * width as f64;
    if tracing.keep_margin || grey.of_cells || !is_scaled {
        return None;
    }
    let mut drawing = margin::drawing(grey, tracing.invert)?;
    if let Some(height) = height {
        drawing = margin::proportioned(grey, drawing, (width, height));
    }
    let all = (0..grey.width, 0..grey.height);
    (drawing != all).then_some(drawing)
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
            of_cells: false,
        }
    }

    fn traced(grey: Grey, tracing: TraceOptions) -> String {
        trace(&grey, &tracing).0.to_string()
    }

    #[test]
    fn dark_is_filled() {
        let picture = || grey(3, &[0, 127, 128, 255, 10, 200]);
        let fixed = TraceOptions::default().threshold(Threshold::Fixed(128));
        assert_eq!(traced(picture(), fixed), "##.\n.#.\n");
        let invert = fixed.invert(true);
        assert_eq!(traced(picture(), invert), "..#\n#.#\n");
        let dark = TraceOptions::default().threshold(Threshold::Fixed(5));
        assert_eq!(traced(picture(), dark), "#..\n...\n");
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
            assert!(error.to_string().contains("cells a side"), "{error}");
            assert!(scaled.check_size(width, height).is_ok());
        }
        assert!(scaled.check_size(20_000, 10_000).is_ok());
        let error = scaled.check_size(20_000, 10_001).unwrap_err();
        assert!(error.to_string().contains("200 megapixels"), "{error}");
        assert_eq!(traced(grey(5000, &[0; 5000]), scaled), "##########\n");
    }
}
