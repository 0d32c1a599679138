//! Drawings as PNG, in grey levels: the same picture as the SVG has, painted pixel by pixel.
//!
//! Text is set in Noto Sans Mono from its largest drawn size, brought to the size that is wanted by averaging.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster};

use super::drawing::Sheet;
use super::harmless::harmless;
use super::layout::{Align, Canvas, Layout, Line, Point, Rule, Tone, UNIT};
use super::paper::{Page, Paper};
use crate::error::{Error, Kind, Result};

/// Pixels of a cell where nobody says otherwise, and pixels of the largest side of a picture whose cells may be made smaller.
const CELL: u32 = 24;
const LARGEST_SIDE: u32 = 8000;

/// Pixels of the largest picture: a byte each.
const MOST_PIXELS: u64 = 1 << 28;

/// Pixels in an inch of paper, and in a metre.
const DPI: f64 = 300.0;
const PER_METRE: u32 = 11_811;

/// A sheet as a PNG file, whose cells have sides of `cell` pixels (24 if not given, fewer for very large puzzles); or as a page of
/// paper with 300 pixels an inch. Numbers that would be too small to be read are left out.
///
/// A title is drawn if it is written in Latin letters; it is kept in the file in any case.
///
/// # Errors
///
/// [`Kind::Usage`] for a picture of more than 2^28 pixels, or one that a page has too few pixels for.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{self, Drawing, Sheet};
///
/// let puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.#"]).unwrap());
/// let sheet = Sheet { drawings: vec![Drawing::blank(&puzzle)], ..Sheet::default() };
/// assert!(render::png(&sheet, Some(10), None)?.starts_with(b"\x89PNG"));
/// # Ok::<(), omnogram::error::Error>(())
/// ```
pub fn png(sheet: &Sheet<'_>, cell: Option<u32>, paper: Option<Paper>) -> Result<Vec<u8>> {
    let drawable = |text: &str| match can_write(text) {
        true => harmless(text).into_owned(),
        false => String::new(),
    };
    let shown = Sheet {
        title: drawable(&sheet.title),
        byline: drawable(&sheet.byline),
        ..sheet.clone()
    };
    let page = paper.map(|paper| Layout::page(&shown, paper, 0));
    let layout = match (cell, page) {
        (_, Some(page)) => filling(&shown, page),
        (Some(cell), None) => Layout::new(&shown, cell, None),
        (None, None) => {
            let fits = |layout: &Layout| layout.width.max(layout.height) <= LARGEST_SIDE;
            shrinking(&shown, None, CELL, fits)
        }
    };
    let (width, height) = page.map_or(layout.size(), pixels);
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
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

/// Can a PNG picture show this text? It knows Latin letters, digits and the signs of a keyboard.
pub fn can_write(text: &str) -> bool {
    harmless(text).chars().all(|c| raster(c).is_some())
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
    let mut layouts = (1..=cell.max(1))
        .rev()
        .map(|cell| Layout::new(sheet, cell, page));
    let found = layouts.find(|layout| fits(layout) || layout.cell == 1);
    found.unwrap_or_else(|| Layout::new(sheet, 1, page))
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
            xppu: PER_METRE,
            yppu: PER_METRE,
            unit: png::Unit::Meter,
        }));
    }
    if !title.is_empty() {
        encoder.add_itxt_chunk("Title".to_owned(), harmless(title).into_owned())?;
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
    /// Where the drawing begins.
    shift: Point,
    levels: Vec<u8>,
}

/// Grey levels of ink and of what is fainter.
const INK: u8 = 27;
const FAINT: u8 = 95;

impl Pixels {
    /// Fills a rectangle, as far as it lies in the picture.
    fn rectangle(&mut self, (x, y): Point, (width, height): (u32, u32), level: u8) {
        let stride = self.width as usize;
        let (x, y) = ((x + self.shift.0) as usize, (y + self.shift.1) as usize);
        let end = (x + width as usize).min(stride);
        for row in self
            .levels
            .chunks_exact_mut(stride)
            .skip(y)
            .take(height as usize)
        {
            row[x.min(end)..end].fill(level);
        }
    }

    /// Lays ink of this level over a pixel: `ink` is its share, and 255 is all of it.
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
        // Squares of a cell that four does not divide differ by a pixel.
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

    fn shade(&mut self, at: Point, level: u8, _words: Option<&str>) {
        self.rectangle(at, (self.cell, self.cell), level);
    }

    fn dot(&mut self, (x, y): Point) {
        let side = (self.cell / 10).max(1);
        let start = (self.cell - side) / 2;
        self.rectangle((x + start, y + start), (side, side), FAINT);
    }

    fn rule(&mut self, rule: Rule, (x, y): Point, (right, bottom): Point) {
        let (level, weight) = match rule {
            Rule::Lane => (222, self.cell / 20),
            Rule::Thin => (184, self.cell / 20),
            Rule::Heavy => (FAINT, self.cell / 10),
        };
        let weight = weight.max(1);
        // Longer by as much as it is wide, so that rules meet in full corners.
        let start = |from: u32| from.saturating_sub(weight / 2);
        let size = (right - x + weight, bottom - y + weight);
        self.rectangle((start(x), start(y)), size, level);
    }

    fn write(&mut self, line: &Line<'_>) {
        let level = match line.tone {
            Tone::Ink => INK,
            Tone::Faint => FAINT,
            Tone::Paper => 255,
        };
        // All lengths below are in 256ths of a pixel.
        let advance = line.size * ADVANCE * 256 / EM;
        let long = line.words.chars().count() as u32 * advance;
        let mut x = match line.align {
            Align::Left => line.at.0 * 256,
            Align::Middle => (line.at.0 * 256).saturating_sub(long / 2),
        };
        let y = (line.at.1 * 256).saturating_sub(line.size * MIDDLE * 128 / EM);
        for c in line.words.chars() {
            if let Some(rows) = raster(c) {
                self.glyph(rows, (x, y), line.size, level);
            }
            x += advance;
        }
    }
}

/// What all drawn characters have: pixels from one to the next, of the height of the type, and half pixels down to the middle of a
/// digit.
const ADVANCE: u32 = 14;
const EM: u32 = 24;
const MIDDLE: u32 = 33;

/// The rows of a character, and pixels in each; `None` when it has not been drawn.
fn raster(c: char) -> Option<(&'static [u8], usize)> {
    let raster = get_raster(c, FontWeight::Regular, RasterHeight::Size32)?;
    Some((raster.pixels(), raster.width()))
}

/// Points that are looked at across a pixel, and down.
const POINTS: u32 = 4;

impl Pixels {
    /// Writes a character of this size with its upper left corner here, in 256ths of a pixel.
    fn glyph(&mut self, (pixels, stride): (&[u8], usize), (x, y): Point, size: u32, level: u8) {
        let height = pixels.len() / stride;
        // Drawn pixels in one that is painted.
        let scale = EM as f32 / size as f32;
        let (left, top) = (x / 256, y / 256);
        let right = left + (stride as f32 / scale) as u32 + 2;
        let bottom = top + (height as f32 / scale) as u32 + 2;
        let drawn = |column: i32, row: i32| {
            let inside = (0..stride as i32).contains(&column) && (0..height as i32).contains(&row);
            match inside {
                true => f32::from(pixels[row as usize * stride + column as usize]),
                false => 0.0,
            }
        };
        // Between the middles of four drawn pixels their levels pass smoothly into each other.
        let between = |column: f32, row: f32| {
            let (column, row) = (column - 0.5, row - 0.5);
            let (i, j) = (column.floor(), row.floor());
            let (across, down) = (column - i, row - j);
            let (i, j) = (i as i32, j as i32);
            let upper = drawn(i, j) * (1.0 - across) + drawn(i + 1, j) * across;
            let lower = drawn(i, j + 1) * (1.0 - across) + drawn(i + 1, j + 1) * across;
            upper * (1.0 - down) + lower * down
        };
        for row in top..bottom {
            for column in left..right {
                let mut sum = 0.0;
                for point in 0..POINTS * POINTS {
                    let part = |i: u32| (i as f32 + 0.5) / POINTS as f32;
                    let at = |pixel: u32, part: f32, start: u32| {
                        (pixel as f32 + part - start as f32 / 256.0) * scale
                    };
                    sum += between(
                        at(column, part(point % POINTS), x),
                        at(row, part(point / POINTS), y),
                    );
                }
                let mean = sum / (POINTS * POINTS) as f32;
                // What is made larger would be blurred: the edge is drawn as steep as it was.
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
    fn the_type_is_as_wide_and_as_high_as_it_is_said_to_be() {
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
        // Digits are 0.72 of their type high.
        assert_eq!(((last + 1 - first) as f64 / 0.72).round() as u32, EM);
    }
}
