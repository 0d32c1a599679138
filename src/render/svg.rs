//! Drawings as SVG: for a screen, or for one page of paper.
//!
//! A run of filled cells is one stroke as thick as a cell, so a picture takes about ten bytes per run. Styles are given by attributes
//! alone: editors understand them, and several pictures in one page do not affect each other.

use std::fmt::Write;

use html_escape::{encode_double_quoted_attribute, encode_text};

use super::drawing::Sheet;
use super::harmless::sanitized;
use super::layout::{Align, Canvas, Layout, Point, Rule, Tone, UNIT};
use super::paper::{Page, Paper};

pub(super) const INK: &str = "#1b1f24";
pub(super) const FAINT: &str = "#57606a";

/// Fonts whose digits are no wider than the layout assumes; the first one available is used.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// A sheet as an SVG picture, whose cells have sides of `cell` pixels (20 if not given, at most 10,000); or as large as fits on a page of
/// paper, portrait or landscape.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{self, Drawing, Sheet};
///
/// let puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.#"]).unwrap());
/// let sheet = Sheet::new([Drawing::blank(&puzzle)]).title("A < B");
/// let svg = render::svg(&sheet, None, None);
/// assert!(svg.starts_with("<svg ") && svg.contains("<title>A &lt; B</title>"));
/// ```
pub fn svg(sheet: &Sheet<'_>, cell: Option<u32>, paper: Option<Paper>) -> String {
    let page = paper.map(|paper| Layout::page(sheet, paper, 0));
    picture(sheet, &sheet.title, cell, page, "")
}

/// As [`svg`], with an accessible name other than the sheet's title, and with these elements beneath the drawings.
pub(super) fn picture(
    sheet: &Sheet<'_>,
    label: &str,
    cell: Option<u32>,
    page: Option<Page>,
    beneath: &str,
) -> String {
    let layout = Layout::new(sheet, cell.unwrap_or(UNIT), page);
    let title = sanitized(label);
    let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" ");
    let (width, height) = layout.size();
    // The area that is shown, in pixels of the picture: x, y, width and height.
    let mut area = (0.0, 0.0, f64::from(width), f64::from(height));
    let mut style = String::new();
    svg += &match page {
        None => {
            format!("width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"")
        }
        Some(page) => {
            area = window(page, &layout);
            let (x, y, wide, high) = area;
            let [width, height] = [page.width, page.height].map(|tenths| f64::from(tenths) / 10.0);
            // For browsers, which would otherwise print it on another paper size, and on two pages.
            style = format!("<style>@page {{ size: {width}mm {height}mm; margin: 0 }}</style>\n");
            format!(
                "width=\"{width}mm\" height=\"{height}mm\" viewBox=\"{x:.1} {y:.1} {wide:.1} {high:.1}\""
            )
        }
    };
    let (x, y, width, height) = area;
    // A white background, whatever the picture is shown on.
    let _ = write!(
        svg,
        " role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n{style}\
         <rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#fff\"/>\n{beneath}",
        encode_double_quoted_attribute(&title),
        encode_text(&title)
    );
    let mut canvas = Strokes {
        cell: layout.cell,
        ..Strokes::default()
    };
    layout.draw(sheet, &mut canvas);
    canvas.finish(&mut svg);
    svg.push_str("</svg>\n");
    svg
}

/// The area that a page shows, with the picture in its centre: x, y, width and height in pixels of the picture.
fn window(page: Page, layout: &Layout) -> (f64, f64, f64, f64) {
    let scale = page.scale(layout.size(), layout.cell);
    let [width, height] = [page.width, page.height].map(|side| f64::from(side) / scale);
    let x = (f64::from(layout.width) - width) / 2.0;
    let y = (f64::from(layout.height) - height) / 2.0;
    (x, y, width, height)
}

/// The elements drawn so far, with one path for all elements of the same style.
#[derive(Default)]
struct Strokes {
    cell: u32,
    fills: String,
    checks: String,
    shades: String,
    dots: String,
    clue_rules: String,
    thin: String,
    heavy: String,
    texts: String,
    /// The style of the last text.
    look: Option<(u32, Align, Tone)>,
}

impl Strokes {
    /// Writes all elements, the lowest layer first.
    fn finish(self, svg: &mut String) {
        let cell = f64::from(self.cell);
        let (thin, heavy, quarter) = (cell / 20.0, cell / 10.0, cell / 4.0);
        let [round, square] = ["round", "square"].map(|cap| format!(" stroke-linecap=\"{cap}\""));
        path(svg, &self.clue_rules, "#d8dee4", thin, "");
        path(svg, &self.thin, "#afb8c1", thin, "");
        path(svg, &self.fills, INK, cell, "");
        let dashes = format!(" stroke-dasharray=\"{quarter}\"");
        path(svg, &self.checks, INK, quarter, &dashes);
        path(svg, &self.dots, FAINT, heavy, &round);
        svg.push_str(&self.shades);
        path(svg, &self.heavy, FAINT, heavy, &square);
        if self.look.is_some() {
            let texts = &self.texts;
            let _ = write!(svg, "<g font-family=\"{FONTS}\">\n{texts}</g>\n</g>\n");
        }
    }
}

/// Writes a path of strokes of this colour and width, with more attributes, if there are any strokes.
fn path(svg: &mut String, strokes: &str, colour: &str, width: f64, more: &str) {
    if !strokes.is_empty() {
        let style = format!("stroke=\"{colour}\" stroke-width=\"{width}\"{more}");
        let _ = writeln!(svg, "<path {style} d=\"{strokes}\"/>");
    }
}

impl Canvas for Strokes {
    fn fill(&mut self, (x, y): Point, cells: u32) {
        let y = f64::from(y) + f64::from(self.cell) / 2.0;
        let _ = write!(self.fills, "M{x} {y}h{}", cells * self.cell);
    }

    fn check(&mut self, (x, y): Point, cells: u32) {
        let quarter = f64::from(self.cell) / 4.0;
        let (x, y, width) = (f64::from(x), f64::from(y), f64::from(cells * self.cell));
        for stripe in 0..4 {
            // Dashes begin with the stroke, so every second stripe begins one square further right.
            let shift = if stripe % 2 == 0 { 0.0 } else { quarter };
            let y = y + quarter * (f64::from(stripe) + 0.5);
            let _ = write!(self.checks, "M{} {y}h{}", x + shift, width - shift);
        }
    }

    fn shade(&mut self, (x, y): Point, [red, green, blue]: [u8; 3], words: Option<&str>) {
        let title = words.map_or(String::new(), |words| {
            format!("<title>{}</title>", encode_text(&sanitized(words)))
        });
        let _ = writeln!(
            self.shades,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{0}\" height=\"{0}\" fill=\"#{red:02x}{green:02x}{blue:02x}\">{title}</rect>",
            self.cell
        );
    }

    fn dot(&mut self, (x, y): Point) {
        let half = f64::from(self.cell) / 2.0;
        let (x, y) = (f64::from(x) + half, f64::from(y) + half);
        let _ = write!(self.dots, "M{x} {y}h0");
    }

    fn rule(&mut self, rule: Rule, (x, y): Point, (right, bottom): Point) {
        let strokes = match rule {
            Rule::Clue => &mut self.clue_rules,
            Rule::Thin => &mut self.thin,
            Rule::Heavy => &mut self.heavy,
        };
        let _ = match right - x {
            0 => write!(strokes, "M{x} {y}v{}", bottom - y),
            width => write!(strokes, "M{x} {y}h{width}"),
        };
    }

    fn write(&mut self, words: &str, (x, y): Point, align: Align, size: u32, tone: Tone) {
        let look = (size, align, tone);
        if self.look != Some(look) {
            if self.look.is_some() {
                self.texts.push_str("</g>\n");
            }
            self.look = Some(look);
            let fill = match tone {
                Tone::Ink => INK,
                Tone::Faint => FAINT,
                Tone::Paper => "#fff",
            };
            let anchor = match align {
                Align::Left => "start",
                Align::Middle => "middle",
            };
            let _ = writeln!(
                self.texts,
                "<g font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\">"
            );
        }
        // Digits are about 0.72 of the font size high, and stand on the baseline.
        let y = f64::from(y) + 0.36 * f64::from(size);
        let words = sanitized(words);
        let words = encode_text(&words);
        let _ = writeln!(self.texts, "<text x=\"{x}\" y=\"{y:.1}\">{words}</text>");
    }
}
