//! A sheet as operators of a PDF content stream: all elements of the same style in one layer, and the layers in painting order.

use pdf_writer::types::LineCapStyle;
use pdf_writer::{Content, Name, Str};

use super::super::harmless::sanitized;
use super::super::latin;
use super::super::layout::{Align, Canvas, Point, Rule, Tone};

/// The name of the font within a page.
pub(super) const FACE: Name<'static> = Name(b"F");

type Colour = [f32; 3];

const INK: Colour = [27.0 / 255.0, 31.0 / 255.0, 36.0 / 255.0];
const FAINT: Colour = [87.0 / 255.0, 96.0 / 255.0, 106.0 / 255.0];
const PAPER: Colour = [1.0; 3];
const CLUE_RULE: Colour = [216.0 / 255.0, 222.0 / 255.0, 228.0 / 255.0];
const THIN: Colour = [175.0 / 255.0, 184.0 / 255.0, 193.0 / 255.0];

/// All elements of one style.
struct Layer {
    content: Content,
    /// Length of the content before anything is drawn.
    blank: usize,
}

impl Layer {
    fn new(content: Content) -> Self {
        Layer {
            blank: content.len(),
            content,
        }
    }

    fn filled([r, g, b]: Colour) -> Self {
        let mut content = Content::new();
        content.set_fill_rgb(r, g, b);
        Layer::new(content)
    }

    fn ruled([r, g, b]: Colour, weight: f32, cap: LineCapStyle) -> Self {
        let mut content = Content::new();
        content.set_stroke_rgb(r, g, b).set_line_width(weight);
        content.set_line_cap(cap);
        Layer::new(content)
    }

    /// Appends the layer if anything was drawn in it; `end` paints the outlined paths.
    fn finish(mut self, bytes: &mut Vec<u8>, end: fn(&mut Content) -> &mut Content) {
        if self.content.len() > self.blank {
            end(&mut self.content);
            bytes.extend_from_slice(&self.content.finish());
            bytes.push(b'\n');
        }
    }
}

/// The elements drawn so far, layer by layer.
pub(super) struct Strokes {
    cell: u32,
    clue_rules: Layer,
    thin: Layer,
    fills: Layer,
    checks: Layer,
    dots: Layer,
    shades: Layer,
    heavy: Layer,
    texts: Layer,
    /// The style of the last text.
    look: Option<(u32, Tone)>,
}

impl Strokes {
    pub(super) fn new(cell: u32) -> Self {
        let (thin, heavy) = (cell as f32 / 20.0, cell as f32 / 10.0);
        let mut texts = Content::new();
        texts.begin_text();
        Strokes {
            cell,
            clue_rules: Layer::ruled(CLUE_RULE, thin, LineCapStyle::ButtCap),
            thin: Layer::ruled(THIN, thin, LineCapStyle::ButtCap),
            fills: Layer::filled(INK),
            checks: Layer::filled(INK),
            dots: Layer::ruled(FAINT, heavy, LineCapStyle::RoundCap),
            shades: Layer::new(Content::new()),
            heavy: Layer::ruled(FAINT, heavy, LineCapStyle::ProjectingSquareCap),
            texts: Layer::new(texts),
            look: None,
        }
    }

    /// The content stream, the lowest layer first.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.clue_rules.finish(&mut bytes, Content::stroke);
        self.thin.finish(&mut bytes, Content::stroke);
        self.fills.finish(&mut bytes, Content::fill_nonzero);
        self.checks.finish(&mut bytes, Content::fill_nonzero);
        self.dots.finish(&mut bytes, Content::stroke);
        self.shades.finish(&mut bytes, |content| content);
        self.heavy.finish(&mut bytes, Content::stroke);
        self.texts.finish(&mut bytes, Content::end_text);
        bytes
    }
}

impl Canvas for Strokes {
    fn fill(&mut self, (x, y): Point, cells: u32) {
        let (width, height) = ((cells * self.cell) as f32, self.cell as f32);
        self.fills.content.rect(x as f32, y as f32, width, height);
    }

    fn check(&mut self, (x, y): Point, cells: u32) {
        let quarter = self.cell as f32 / 4.0;
        for square in 0..cells * 16 {
            let (i, j) = (square % (cells * 4), square / (cells * 4));
            if (i + j) % 2 == 0 {
                let at = |start: u32, number: u32| start as f32 + number as f32 * quarter;
                let checks = &mut self.checks.content;
                checks.rect(at(x, i), at(y, j), quarter, quarter);
            }
        }
    }

    fn shade(&mut self, (x, y): Point, colour: [u8; 3], _words: Option<&str>) {
        let side = self.cell as f32;
        let shades = &mut self.shades.content;
        let [red, green, blue] = colour.map(|part| f32::from(part) / 255.0);
        if red == green && green == blue {
            shades.set_fill_gray(red)
        } else {
            shades.set_fill_rgb(red, green, blue)
        };
        shades.rect(x as f32, y as f32, side, side);
        shades.fill_nonzero();
    }

    fn dot(&mut self, (x, y): Point) {
        let half = self.cell as f32 / 2.0;
        let (x, y) = (x as f32 + half, y as f32 + half);
        self.dots.content.move_to(x, y).line_to(x, y);
    }

    fn rule(&mut self, rule: Rule, (x, y): Point, (right, bottom): Point) {
        let layer = match rule {
            Rule::Clue => &mut self.clue_rules,
            Rule::Thin => &mut self.thin,
            Rule::Heavy => &mut self.heavy,
        };
        layer.content.move_to(x as f32, y as f32);
        layer.content.line_to(right as f32, bottom as f32);
    }

    fn write(&mut self, words: &str, at: Point, align: Align, size: u32, tone: Tone) {
        let look = Some((size, tone));
        let size = size as f32;
        if self.look != look {
            self.look = look;
            let [r, g, b] = match tone {
                Tone::Ink => INK,
                Tone::Faint => FAINT,
                Tone::Paper => PAPER,
            };
            let texts = &mut self.texts.content;
            texts.set_fill_rgb(r, g, b).set_font(FACE, size);
        }
        let bytes = latin::bytes(&sanitized(words));
        let shift = match align {
            Align::Left => 0.0,
            Align::Middle => latin::width(&bytes) as f32 * size / 2000.0,
        };
        // Digits are about 0.72 of the font size high, and stand on the baseline.
        let (x, y) = (at.0 as f32 - shift, at.1 as f32 + 0.36 * size);
        let texts = &mut self.texts.content;
        texts.set_text_matrix([1.0, 0.0, 0.0, -1.0, x, y]);
        texts.show(Str(&bytes));
    }
}
