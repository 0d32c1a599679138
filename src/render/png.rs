//! Drawings as PNG, in grey levels: the same picture as in SVG, painted pixel by pixel.
//!
//! Text is set in Noto Sans Mono: the largest available bitmap is scaled to the font size by averaging.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};

use super::drawing::Sheet;
use super::harmless::sanitized;
use super::layout::{Align, Canvas, Layout, Point, Rule, Tone, UNIT};
use super::paper::{Page, Paper};
use crate::error::{Error, Kind, Result};

/// Default side of a cell, and the largest side of a picture whose cells may be made smaller; both in pixels.
const DEFAULT_CELL: u32 = 24;
const MAX_SIDE: u32 = 8000;

/// Pixels of the largest picture, of one byte each.
const MAX_PIXELS: u64 = 1 << 28;

/// Pixels per inch of paper, and per metre.
const DPI: f64 = 300.0;
const PIXELS_PER_METRE: u32 = 11_811;

/// A sheet as a PNG file, whose cells have sides of `cell` pixels (24 if not given, fewer for very large puzzles); or as a page of
/// paper with 300 pixels per inch. Numbers that would be too small to be legible are left out.
///
/// A title is drawn if [`can_write`] holds for it; the metadata of the file contain it in any case.
///
/// # Errors
///
/// [`Kind::Usage`] for a picture of more than 2^28 pixels, or of more cells than a page has pixels.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{self, Drawing, Sheet};
///
/// let puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.#"]).unwrap());
/// let sheet = Sheet::new([Drawing::blank(&puzzle)]);
/// assert!(render::png(&sheet, Some(10), None)?.starts_with(b"\x89PNG"));
/// # Ok::<(), omnogram::error::Error>(())
/// ```
pub fn png(sheet: &Sheet<'_>, cell: Option<u32>, paper: Option<Paper>) -> Result<Vec<u8>> {
    let drawable = |text: &str| {
        if can_write(text) {
            sanitized(text).into_owned()
        } else {
            String::new()
        }
    };
    let titled = sheet.clone().title(drawable(&sheet.title));
    let shown = titled.byline(drawable(&sheet.byline));
    let page = paper.map(|paper| Layout::page(&shown, paper, 0));
    let layout = match (cell, page) {
        (_, Some(page)) => filling(&shown, page),
        (Some(cell), None) => Layout::new(&shown, cell, None),
        (None, None) => {
            let fits = |layout: &Layout| layout.width.max(layout.height) <= MAX_SIDE;
            shrinking(&shown, None, DEFAULT_CELL, fits)
        }
    };
    let (width, height) = page.map_or(layout.size(), pixels);
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        let message = format!(
            "{width}x{height} pixels are too much for one picture: cells of {} are too large",
            layout.cell
        );
        return Err(Error::new(Kind::Usage, message));
    }
    if layout.width > width || layout.height > height {
        let message = "this puzzle has more cells than a page of this paper has pixels";
        return Err(Error::new(Kind::Usage, message));
    }
    let mut pixels = Pixels {
        cell: layout.cell,
        width,
        shift: ((width - layout.width) / 2, (height - layout.height) / 2),
        levels: vec![255; width as usize * height as usize],
    };
    layout.draw(&shown, &mut pixels);
    encode(&pixels, height, &sheet.title, page.is_some())
        .map_err(|error| Error::new(Kind::Io, format!("the picture cannot be packed: {error}")))
}

/// Whether a PNG picture can show this text: its font has Latin letters, digits and common punctuation.
pub fn can_write(text: &str) -> bool {
    sanitized(text).chars().all(|c| raster(c).is_some())
}

/// The size of a page in pixels.
fn pixels(page: Page) -> (u32, u32) {
    let pixels = |tenths: u32| (f64::from(tenths) / 254.0 * DPI) as u32;
    (pixels(page.width), pixels(page.height))
}

/// The layout that fills a page.
fn filling(sheet: &Sheet<'_>, page: Page) -> Layout {
    let measured = Layout::new(sheet, UNIT, Some(page));
    let scale = page.scale(measured.size(), UNIT) / 254.0 * DPI;
    let (width, height) = pixels(page);
    let fits = |layout: &Layout| layout.width <= width && layout.height <= height;
    shrinking(sheet, Some(page), (f64::from(UNIT) * scale) as u32, fits)
}

/// The layout with the largest cells, of at most `cell` pixels, that fits.
fn shrinking(
    sheet: &Sheet<'_>,
    page: Option<Page>,
    cell: u32,
    fits: impl Fn(&Layout) -> bool,
) -> Layout {
    let mut layouts = (1..=cell).rev().map(|cell| Layout::new(sheet, cell, page));
    layouts
        .find(|layout| fits(layout) || layout.cell == 1)
        .unwrap_or_else(|| Layout::new(sheet, 1, page))
}

fn encode(
    pixels: &Pixels,
    height: u32,
    title: &str,
    printed: bool,
) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    if printed {
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: PIXELS_PER_METRE,
            yppu: PIXELS_PER_METRE,
            unit: png::Unit::Meter,
        }));
    }
    if !title.is_empty() {
        encoder.add_itxt_chunk("Title".to_owned(), sanitized(title).into_owned())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels.levels)?;
    writer.finish()?;
    Ok(bytes)
}

/// A picture in grey levels.
struct Pixels {
    cell: u32,
    width: u32,
    /// The upper left corner of the drawing.
    shift: Point,
    levels: Vec<u8>,
}

/// Grey levels of ink and of fainter elements.
const INK: u8 = 27;
const FAINT: u8 = 95;

impl Pixels {
    /// Fills the part of a rectangle that lies in the picture.
    fn rectangle(&mut self, (x, y): Point, (width, height): (u32, u32), level: u8) {
        let stride = self.width as usize;
        let (x, y) = ((x + self.shift.0) as usize, (y + self.shift.1) as usize);
        let end = (x + width as usize).min(stride);
        let rows = self.levels.chunks_exact_mut(stride);
        for row in rows.skip(y).take(height as usize) {
            row[x.min(end)..end].fill(level);
        }
    }

    /// Blends a grey level into a pixel with opacity `ink`, where 255 is opaque.
    fn blend(&mut self, (x, y): Point, level: u8, ink: u32) {
        let at = (y + self.shift.1) as usize * self.width as usize + (x + self.shift.0) as usize;
        if x + self.shift.0 < self.width
            && let Some(pixel) = self.levels.get_mut(at)
        {
            let mixed = u32::from(*pixel) * (255 - ink) + u32::from(level) * ink;
            *pixel = (mixed / 255) as u8;
        }
    }
}

impl Canvas for Pixels {
    fn fill(&mut self, at: Point, cells: u32) {
        self.rectangle(at, (cells * self.cell, self.cell), INK);
    }

    fn check(&mut self, (x, y): Point, cells: u32) {
        // If the side of a cell is not a multiple of four, the squares differ by a pixel.
        let cell = self.cell;
        let edge = |i: u32| i * cell / 4;
        for square in 0..cells * 16 {
            let (i, j) = (square % (cells * 4), square / (cells * 4));
            if (i + j) % 2 == 0 {
                let (left, top) = (edge(i), edge(j));
                let size = (edge(i + 1) - left, edge(j + 1) - top);
                self.rectangle((x + left, y + top), size, INK);
            }
        }
    }

    fn shade(&mut self, at: Point, colour: [u8; 3], _words: Option<&str>) {
        // The picture is grey: this is the luma of the colour. The weights add up to 256.
        let [red, green, blue] = colour.map(u32::from);
        let level = (54 * red + 183 * green + 19 * blue) / 256;
        self.rectangle(at, (self.cell, self.cell), level as u8);
    }

    fn dot(&mut self, (x, y): Point) {
        let side = (self.cell / 10).max(1);
        let start = (self.cell - side) / 2;
        self.rectangle((x + start, y + start), (side, side), FAINT);
    }

    fn rule(&mut self, rule: Rule, (x, y): Point, (right, bottom): Point) {
        let (level, weight) = match rule {
            Rule::Clue => (222, self.cell / 20),
            Rule::Thin => (184, self.cell / 20),
            Rule::Heavy => (FAINT, self.cell / 10),
        };
        let weight = weight.max(1);
        // Rules are extended by their width, so that they meet in full corners.
        let start = |from: u32| from.saturating_sub(weight / 2);
        let size = (right - x + weight, bottom - y + weight);
        self.rectangle((start(x), start(y)), size, level);
    }

    fn write(&mut self, words: &str, at: Point, align: Align, size: u32, tone: Tone) {
        let level = match tone {
            Tone::Ink => INK,
            Tone::Faint => FAINT,
            Tone::Paper => 255,
        };
        // All lengths below are in 256ths of a pixel.
        let advance = size * ADVANCE * 256 / EM;
        let long = words.chars().count() as u32 * advance;
        let mut x = match align {
            Align::Left => at.0 * 256,
            Align::Middle => (at.0 * 256).saturating_sub(long / 2),
        };
        let y = (at.1 * 256).saturating_sub(size * MIDDLE * 128 / EM);
        for c in words.chars() {
            if let Some(rows) = raster(c) {
                self.glyph(rows, (x, y), size, level);
            }
            x += advance;
        }
    }
}

/// Metrics of the bitmap font in pixels: advance, font size, and twice the distance from the top to the middle of a digit.
const ADVANCE: u32 = 14;
const EM: u32 = 24;
const MIDDLE: u32 = 33;

/// The bitmap of a character, row by row, and the pixels per row; `None` if the font does not have it.
fn raster(c: char) -> Option<(&'static [u8], usize)> {
    let raster = get_raster(c, FontWeight::Regular, RasterHeight::Size32)?;
    Some((raster.pixels(), raster.width()))
}

/// Sample points per pixel in each direction.
const SAMPLES: u32 = 4;

impl Pixels {
    /// Draws a character of font size `size` with its upper left corner at a point in 256ths of a pixel.
    fn glyph(&mut self, (pixels, stride): (&[u8], usize), (x, y): Point, size: u32, level: u8) {
        let height = pixels.len() / stride;
        // Pixels of the bitmap per pixel of the picture.
        let scale = EM as f32 / size as f32;
        let (left, top) = (x / 256, y / 256);
        let right = left + (stride as f32 / scale) as u32 + 2;
        let bottom = top + (height as f32 / scale) as u32 + 2;
        let bitmap_level = |column: i32, row: i32| {
            let inside = (0..stride as i32).contains(&column) && (0..height as i32).contains(&row);
            if inside {
                f32::from(pixels[row as usize * stride + column as usize])
            } else {
                0.0
            }
        };
        // Bilinear interpolation between the centres of four pixels of the bitmap.
        let interpolated = |column: f32, row: f32| {
            let (column, row) = (column - 0.5, row - 0.5);
            let (i, j) = (column.floor(), row.floor());
            let (across, down) = (column - i, row - j);
            let (i, j) = (i as i32, j as i32);
            let in_row = |j| bitmap_level(i, j) * (1.0 - across) + bitmap_level(i + 1, j) * across;
            in_row(j) * (1.0 - down) + in_row(j + 1) * down
        };
        for row in top..bottom {
            for column in left..right {
                let mut sum = 0.0;
                for point in 0..SAMPLES * SAMPLES {
                    let part = |i: u32| (i as f32 + 0.5) / SAMPLES as f32;
                    let at = |pixel: u32, part: f32, start: u32| {
                        (pixel as f32 + part - start as f32 / 256.0) * scale
                    };
                    sum += interpolated(
                        at(column, part(point % SAMPLES), x),
                        at(row, part(point / SAMPLES), y),
                    );
                }
                let mean = sum / (SAMPLES * SAMPLES) as f32;
                // Magnification blurs edges; this restores their steepness.
                let steep = (1.0 / scale).max(1.0);
                let ink = ((mean - 127.5) * steep + 127.5).clamp(0.0, 255.0);
                if ink >= 1.0 {
                    self.blend((column, row), level, ink as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn font_metrics_match_the_bitmaps() {
        let (pixels, stride) = raster('0').unwrap();
        let rows: Vec<usize> = pixels
            .chunks_exact(stride)
            .enumerate()
            .filter(|(_, row)| row.iter().any(|&level| level > 127))
            .map(|(i, _)| i)
            .collect();
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        assert_eq!(
            (stride, first + last + 1),
            (ADVANCE as usize, MIDDLE as usize)
        );
        // Digits are 0.72 of the font size high.
        assert_eq!(((last + 1 - first) as f64 / 0.72).round() as u32, EM);
    }
}
