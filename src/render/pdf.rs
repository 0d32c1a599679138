//! Drawings as PDF, for printing: a page for each sheet, or several sheets on a page. The same picture as in SVG, in vectors.
//!
//! Text is set in Helvetica, which every viewer has, so no font is embedded; letters of titles that it lacks are replaced by their base
//! letters where possible. The file contains no date: the same sheets give the same bytes.

mod heading;
mod strokes;

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::{Content, Filter, Finish, Name, Rect, Ref, TextStr};

use super::drawing::Sheet;
use super::harmless::sanitized;
use super::latin;
use super::layout::{Layout, UNIT};
use super::paper::{MARGIN, POINTS_PER_TENTH, Page, Pages, Paper};
use crate::error::{Error, Kind, Result};
use heading::Headings;
use strokes::{FACE, Strokes};

/// Points per pixel.
const POINTS_PER_PIXEL: f64 = 0.75;

/// Longest side that a page may have, in points.
const MAX_PAGE_POINTS: f64 = 14_400.0;

/// Compression level of zlib: its default.
const COMPRESSION_LEVEL: u8 = 6;

/// A PDF file to which sheets are added one after the other.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{Drawing, Pages, Paper, Pdf, Sheet};
///
/// let puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.#"]).unwrap());
/// let mut pdf = Pdf::new(Pages::Paper(Paper::A4, 1));
/// pdf.add(&Sheet::new([Drawing::blank(&puzzle)]))?;
/// assert!(pdf.finish().starts_with(b"%PDF-"));
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Pdf {
    pages: Pages,
    /// The complete pages.
    done: Vec<FinishedPage>,
    /// The pictures of the page that is not full yet.
    pending: Vec<Picture>,
    /// The last complete page, and its slots across and down.
    last_page: Option<(Page, (usize, usize))>,
    /// The smallest font size of clue numbers on the complete pages, in points.
    number_size: Option<f64>,
}

/// A sheet that has been drawn.
#[derive(Debug)]
struct Picture {
    title: String,
    /// Title and byline, where the page writes them, because it has several pictures; else the picture has them.
    heading: [String; 2],
    /// Width and height, in pixels of a cell of [`UNIT`].
    size: (u32, u32),
    /// Font size of clue numbers, in such pixels.
    number_size: Option<u32>,
    strokes: Vec<u8>,
}

/// A complete page: width and height in points, its compressed content, and the titles of its sheets.
#[derive(Debug)]
struct FinishedPage {
    size: (f64, f64),
    compressed: Vec<u8>,
    titles: Vec<String>,
}

impl Pdf {
    /// An empty file.
    pub fn new(pages: Pages) -> Self {
        Pdf {
            pages,
            done: Vec::new(),
            pending: Vec::new(),
            last_page: None,
            number_size: None,
        }
    }

    /// Whether all characters of this text can be drawn as they are or as their Latin base letters. Others become `?`; a title without
    /// any letter or digit that can be drawn is left out. The metadata of the file contain it in any case.
    pub fn can_write(text: &str) -> bool {
        sanitized(text).chars().all(|c| latin::byte(c).is_some())
    }

    /// Draws a sheet on the current page if it has room, or on the next one.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for cells that make a page larger than the limit of PDF, 200 inches.
    pub fn add(&mut self, sheet: &Sheet<'_>) -> Result<()> {
        let title = sanitized(&sheet.title).into_owned();
        let titled = sheet.clone().title(writable(&sheet.title));
        let shown = titled.byline(writable(&sheet.byline));
        match self.pages {
            Pages::Cell(cell) => {
                let layout = Layout::new(&shown, cell, None);
                let picture = Picture::new(&shown, &layout, title);
                let points = |side: u32| f64::from(side) * POINTS_PER_PIXEL;
                let size = (points(picture.size.0), points(picture.size.1));
                if size.0.max(size.1) > MAX_PAGE_POINTS {
                    let message = format!(
                        "cells of {cell} are too large for a page of PDF, which can be 200 inches long"
                    );
                    return Err(Error::new(Kind::Usage, message));
                }
                self.note_number(&picture, POINTS_PER_PIXEL);
                let placed = [(picture.strokes, POINTS_PER_PIXEL, (0.0, 0.0))];
                self.done
                    .push(FinishedPage::new(size, placed, vec![picture.title]));
            }
            Pages::Paper(paper, each) => {
                let picture = if each > 1 {
                    let drawings = shown.untitled();
                    let layout = Layout::new(&drawings, UNIT, Some(paper.page(false)));
                    let heading = [shown.title, shown.byline];
                    Picture {
                        heading,
                        ..Picture::new(&drawings, &layout, title)
                    }
                } else {
                    let page = Layout::page(&shown, paper, 0);
                    Picture::new(&shown, &Layout::new(&shown, UNIT, Some(page)), title)
                };
                self.pending.push(picture);
                if self.pending.len() >= each {
                    self.finish_page(paper, None);
                }
            }
        }
        Ok(())
    }

    /// Completes a page with the pending pictures; it is divided into slots as `like`, or else as suits the pictures best.
    fn finish_page(&mut self, paper: Paper, like: Option<(Page, (usize, usize))>) {
        let pictures = std::mem::take(&mut self.pending);
        let (page, grid) = like.unwrap_or_else(|| best_page(paper, &pictures));
        self.last_page = Some((page, grid));
        let slot = page.slot(grid);
        let headings = Headings::new(&headings_of(&pictures), slot);
        let room = slot.below(headings.height);
        let (mut placed, mut titles) = (Vec::new(), Vec::new());
        for (i, picture) in pictures.into_iter().enumerate() {
            let scale = room.scale(picture.size, UNIT);
            self.note_number(&picture, scale * POINTS_PER_TENTH);
            let (width, height) = picture.size;
            let (left, top) = page.corner(grid, (i % grid.0, i / grid.0));
            let [left, top] = [left, top].map(f64::from);
            let spare = |side: u32, length: f64| f64::from(side) - length;
            let x = left + spare(room.width, f64::from(width) * scale) / 2.0;
            // A single picture is centred vertically; several are aligned at the top.
            let above = match grid {
                (1, 1) => spare(room.height, f64::from(height) * scale) / 2.0,
                _ => f64::from(MARGIN),
            };
            let mut place = |strokes, scale, x, y| {
                let [scale, x, y] = [scale, x, y].map(|length| length * POINTS_PER_TENTH);
                placed.push((strokes, scale, (x, y)));
            };
            if picture.heading.iter().any(|words| !words.is_empty()) {
                // It begins above the left side of its picture if there is room enough to the right.
                let (strokes, wide) = headings.draw(&picture.heading);
                let right = left + spare(room.width, f64::from(MARGIN + wide));
                place(strokes, 1.0, x.min(right), top + above);
            }
            let y = top + above + f64::from(headings.height);
            place(picture.strokes, scale, x, y);
            titles.push(picture.title);
        }
        let points = |side: u32| f64::from(side) * POINTS_PER_TENTH;
        let size = (points(page.width), points(page.height));
        self.done.push(FinishedPage::new(size, placed, titles));
    }

    /// Adds the pages of another file after those of this one.
    pub fn append(&mut self, mut other: Pdf) {
        self.end_page();
        other.end_page();
        self.done.append(&mut other.done);
        let sizes = [self.number_size, other.number_size];
        self.number_size = sizes.into_iter().flatten().reduce(f64::min);
    }

    /// The smallest font size of clue numbers on the complete pages, in points; `None` if they have no clues.
    pub fn number_size(&self) -> Option<f64> {
        self.number_size
    }

    /// Notes the size of the numbers of a picture at this scale, in points per pixel.
    fn note_number(&mut self, picture: &Picture, scale: f64) {
        if let Some(size) = picture.number_size {
            let smallest = self.number_size.unwrap_or(f64::INFINITY);
            self.number_size = Some(smallest.min(f64::from(size) * scale));
        }
    }

    /// Completes the last page, so that the next sheet is drawn on another. A page that is not full is divided like the one before it.
    pub fn end_page(&mut self) {
        if let Pages::Paper(paper, _) = self.pages
            && !self.pending.is_empty()
        {
            self.finish_page(paper, self.last_page);
        }
    }

    /// The whole file; it has one empty page if nothing was added.
    pub fn finish(mut self) -> Vec<u8> {
        self.end_page();
        if let (Pages::Paper(paper, _), true) = (self.pages, self.done.is_empty()) {
            self.finish_page(paper, None);
        }
        assemble(&self.done)
    }
}

/// The page and its numbers of slots across and down, at least one per picture, on which these pictures are largest.
fn best_page(paper: Paper, pictures: &[Picture]) -> (Page, (usize, usize)) {
    let headings = headings_of(pictures);
    let slots = pictures.len().max(1);
    let mut best = (f64::NEG_INFINITY, paper.page(false), (1, slots));
    for landscape in [false, true] {
        let page = paper.page(landscape);
        for across in 1..=slots {
            let grid = (across, slots.div_ceil(across));
            let slot = page.slot(grid);
            let room = slot.below(Headings::new(&headings, slot).height);
            // The sum of logarithms: doubling the scale of one picture counts as much as doubling that of another.
            let sizes = pictures.iter().map(|picture| picture.size);
            let score = sizes.map(|size| room.scale(size, UNIT).ln()).sum();
            if score > best.0 {
                best = (score, page, grid);
            }
        }
    }
    (best.1, best.2)
}

fn headings_of(pictures: &[Picture]) -> Vec<&[String; 2]> {
    pictures.iter().map(|picture| &picture.heading).collect()
}

impl Picture {
    fn new(sheet: &Sheet<'_>, layout: &Layout, title: String) -> Self {
        let mut canvas = Strokes::new(layout.cell);
        layout.draw(sheet, &mut canvas);
        Picture {
            title,
            heading: Default::default(),
            size: layout.size(),
            number_size: layout.number_size(),
            strokes: canvas.finish(),
        }
    }
}

impl FinishedPage {
    /// A page with these strokes. Each has its scale in points per pixel, and its upper left corner from that of the page.
    fn new(
        size: (f64, f64),
        placed: impl IntoIterator<Item = (Vec<u8>, f64, (f64, f64))>,
        titles: Vec<String>,
    ) -> Self {
        let mut bytes = Vec::new();
        for (strokes, scale, (x, y)) in placed {
            bytes.extend_from_slice(b"q\n");
            let mut begin = Content::new();
            // Drawings measure y from the top, PDF from the bottom.
            let matrix = [scale, 0.0, 0.0, -scale, x, size.1 - y];
            begin.transform(matrix.map(|number| number as f32));
            bytes.extend_from_slice(&begin.finish());
            bytes.push(b'\n');
            bytes.extend_from_slice(&strokes);
            bytes.extend_from_slice(b"Q\n");
        }
        FinishedPage {
            size,
            compressed: compress_to_vec_zlib(&bytes, COMPRESSION_LEVEL),
            titles,
        }
    }
}

/// Writes the file of these pages.
fn assemble(pages: &[FinishedPage]) -> Vec<u8> {
    let [catalog, tree, font, info, outline] = [1, 2, 3, 4, 5].map(Ref::new);
    let page_of = |i: usize| Ref::new(6 + 2 * i as i32);
    let content_of = |i: usize| Ref::new(7 + 2 * i as i32);
    let entry_of = |i: usize| Ref::new((6 + 2 * pages.len() + i) as i32);

    let mut pdf = pdf_writer::Pdf::new();
    let named = |(i, page): (usize, &'_ FinishedPage)| {
        let titles = page.titles.iter().cloned();
        titles.map(move |title| (i, title)).collect::<Vec<_>>()
    };
    let entries: Vec<_> = pages.iter().enumerate().flat_map(named).collect();
    // A single title becomes the title of the file; several become bookmarks.
    let several = entries.len() > 1;
    let title = match &entries[..] {
        [(_, title)] => title,
        _ => "Nonograms",
    };
    let mut root = pdf.catalog(catalog);
    root.pages(tree);
    root.viewer_preferences().display_doc_title(true);
    if several {
        root.outlines(outline);
    }
    root.finish();
    let mut about = pdf.document_info(info);
    about.title(TextStr(title)).producer(TextStr("omnogram"));
    about.finish();
    let kids = (0..pages.len()).map(page_of);
    pdf.pages(tree).kids(kids).count(pages.len() as i32);
    for (i, finished) in pages.iter().enumerate() {
        let (width, height) = (finished.size.0 as f32, finished.size.1 as f32);
        let mut page = pdf.page(page_of(i));
        page.media_box(Rect::new(0.0, 0.0, width, height));
        page.parent(tree).contents(content_of(i));
        page.resources().fonts().pair(FACE, font);
        page.finish();
        pdf.stream(content_of(i), &finished.compressed)
            .filter(Filter::FlateDecode);
    }
    pdf.type1_font(font)
        .base_font(Name(b"Helvetica"))
        .encoding_predefined(Name(b"WinAnsiEncoding"));
    if several {
        let last = entries.len() - 1;
        pdf.outline(outline)
            .first(entry_of(0))
            .last(entry_of(last))
            .count(entries.len() as i32);
        for (i, (page, title)) in entries.iter().enumerate() {
            let mut entry = pdf.outline_item(entry_of(i));
            entry.title(TextStr(title)).parent(outline);
            if i > 0 {
                entry.prev(entry_of(i - 1));
            }
            if i < last {
                entry.next(entry_of(i + 1));
            }
            entry.dest().page(page_of(*page)).fit();
        }
    }
    pdf.finish()
}

/// A title as it is drawn; empty if none of its letters and digits can be drawn.
fn writable(text: &str) -> String {
    let text = sanitized(text);
    let legible = |c: char| c.is_alphanumeric() && latin::byte(c).is_some();
    if text.chars().any(legible) {
        text.into_owned()
    } else {
        String::new()
    }
}
