//! Drawings as PDF, to be printed: a page for each sheet, or several on one. The same picture as the SVG has, in vectors.
//!
//! Text is set in Helvetica, which every viewer has, so that no font is embedded; titles outside its letters are brought to them as far
//! as that can be done. Nothing in the file depends on the day: the same sheets give the same bytes.

mod strokes;

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::{Content, Filter, Finish, Name, Rect, Ref, TextStr};

use super::drawing::Sheet;
use super::harmless::harmless;
use super::latin;
use super::layout::{Layout, UNIT};
use super::paper::{Page, Paper};
use crate::error::{Error, Kind, Result};
use strokes::{FACE, Strokes};

/// Points in a tenth of a millimetre, and in a pixel.
const TENTH: f64 = 72.0 / 254.0;
const PIXEL: f64 = 0.75;

/// Points of the longest side that a page may have.
const LONGEST: f64 = 14_400.0;

/// What packing may cost: the usual.
const LEVEL: u8 = 6;

/// How large pages are, and what is on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Pages of this paper, upright or turned as fits best, with this number of sheets on each; 0 counts as 1.
    Paper(Paper, usize),
    /// Pages as large as their sheet. The number is the side of a cell in pixels, 96 to the inch.
    Cell(u32),
}

/// A PDF file that sheets are added to, one after the other.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{Drawing, Pages, Paper, Pdf, Sheet};
///
/// let puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.#"]).unwrap());
/// let mut pdf = Pdf::new(Pages::Paper(Paper::A4, 1));
/// pdf.add(&Sheet { drawings: vec![Drawing::blank(&puzzle)], ..Sheet::default() })?;
/// assert!(pdf.finish().starts_with(b"%PDF-"));
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Pdf {
    pages: Pages,
    /// Pages that are complete.
    done: Vec<Sealed>,
    /// Pictures that wait for others on the same page.
    waiting: Vec<Picture>,
    /// The last page that was full, and its slots across and down.
    full: Option<(Page, (usize, usize))>,
}

/// A sheet that has been drawn.
#[derive(Debug)]
struct Picture {
    title: String,
    /// Width and height, in pixels of a cell of [`UNIT`].
    size: (u32, u32),
    strokes: Vec<u8>,
}

/// A page: width and height in points, what is drawn on it, packed, and the titles of its sheets.
#[derive(Debug)]
struct Sealed {
    size: (f64, f64),
    packed: Vec<u8>,
    titles: Vec<String>,
}

impl Pdf {
    /// An empty file.
    pub fn new(pages: Pages) -> Self {
        Pdf {
            pages,
            done: Vec::new(),
            waiting: Vec::new(),
            full: None,
        }
    }

    /// Are all characters of this text drawn as they are, or in the Latin letters that they are made of? Others become `?`; a title of
    /// nothing else is left out. The file keeps it in any case.
    pub fn can_write(text: &str) -> bool {
        harmless(text).chars().all(|c| latin::byte(c).is_some())
    }

    /// Draws a sheet on the next page, or on the present one as long as there is room.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for cells that make a page larger than pages can be, 200 inches.
    pub fn add(&mut self, sheet: &Sheet<'_>) -> Result<()> {
        let title = harmless(&sheet.title).into_owned();
        let shown = Sheet {
            title: writable(&sheet.title),
            byline: writable(&sheet.byline),
            ..sheet.clone()
        };
        match self.pages {
            Pages::Cell(cell) => {
                let layout = Layout::new(&shown, cell, None);
                let picture = Picture::new(&shown, &layout, title);
                let size = picture.points(PIXEL);
                if size.0.max(size.1) > LONGEST {
                    let message = format!(
                        "cells of {cell} are too large for a page of PDF, which can be 200 inches long"
                    );
                    return Err(Error::new(Kind::Usage, message));
                }
                let placed = [(picture, PIXEL, (0.0, 0.0))];
                self.done.push(Sealed::new(size, placed));
            }
            Pages::Paper(paper, each) => {
                let page = match each {
                    0 | 1 => Layout::page(&shown, paper, 0),
                    _ => paper.page(false),
                };
                let layout = Layout::new(&shown, UNIT, Some(page));
                self.waiting.push(Picture::new(&shown, &layout, title));
                if self.waiting.len() >= each {
                    self.turn(paper, None);
                }
            }
        }
        Ok(())
    }

    /// Puts what waits onto a page of its own, divided like another if it is to look like that.
    fn turn(&mut self, paper: Paper, like: Option<(Page, (usize, usize))>) {
        let pictures = std::mem::take(&mut self.waiting);
        let sizes: Vec<_> = pictures.iter().map(|picture| picture.size).collect();
        let (page, grid) = like.unwrap_or_else(|| best(paper, &sizes));
        self.full = Some((page, grid));
        let alone = grid == (1, 1);
        let slot = page.slot(grid);
        let placed = pictures.into_iter().enumerate().map(|(i, picture)| {
            let scale = slot.scale(picture.size, UNIT);
            let (width, height) = picture.size;
            let (left, top) = page.corner(grid, (i % grid.0, i / grid.0));
            let spare = |side: u32, length: u32| f64::from(side) - f64::from(length) * scale;
            let x = f64::from(left) + spare(slot.width, width) / 2.0;
            // Alone it stands in the middle; several begin at the same height.
            let y = f64::from(top)
                + match alone {
                    true => spare(slot.height, height) / 2.0,
                    false => f64::from(Page::MARGIN),
                };
            (picture, scale * TENTH, (x * TENTH, y * TENTH))
        });
        let size = (
            f64::from(page.width) * TENTH,
            f64::from(page.height) * TENTH,
        );
        self.done.push(Sealed::new(size, placed));
    }

    /// The whole file; an empty page where nothing was added.
    pub fn finish(mut self) -> Vec<u8> {
        if let Pages::Paper(paper, _) = self.pages
            && (!self.waiting.is_empty() || self.done.is_empty())
        {
            // A last page that is not full looks like the one before it.
            self.turn(paper, self.full);
        }
        assemble(&self.done)
    }
}

/// The page on which pictures of these sizes come out largest, and slots across it and down, at least as many as there are pictures.
fn best(paper: Paper, sizes: &[(u32, u32)]) -> (Page, (usize, usize)) {
    let slots = sizes.len().max(1);
    let mut best = (f64::NEG_INFINITY, paper.page(false), (1, slots));
    for landscape in [false, true] {
        let page = paper.page(landscape);
        for across in 1..=slots {
            let grid = (across, slots.div_ceil(across));
            let slot = page.slot(grid);
            // As large as all can be together: twice one is as good as twice another.
            let worth = sizes.iter().map(|&size| slot.scale(size, UNIT).ln()).sum();
            if worth > best.0 {
                best = (worth, page, grid);
            }
        }
    }
    (best.1, best.2)
}

impl Picture {
    fn new(sheet: &Sheet<'_>, layout: &Layout, title: String) -> Self {
        let mut canvas = Strokes::new(layout.cell);
        layout.draw(sheet, &mut canvas);
        Picture {
            title,
            size: layout.size(),
            strokes: canvas.finish(),
        }
    }

    /// Its width and height in points, of which a pixel has `scale`.
    fn points(&self, scale: f64) -> (f64, f64) {
        (
            f64::from(self.size.0) * scale,
            f64::from(self.size.1) * scale,
        )
    }
}

impl Sealed {
    /// A page with these pictures: points of a pixel of each, and where its upper left corner is, from that of the page.
    fn new(
        size: (f64, f64),
        pictures: impl IntoIterator<Item = (Picture, f64, (f64, f64))>,
    ) -> Self {
        let mut bytes = Vec::new();
        let mut titles = Vec::new();
        for (picture, scale, (x, y)) in pictures {
            bytes.extend_from_slice(b"q\n");
            let mut begin = Content::new();
            // A drawing counts from the top.
            let matrix = [scale, 0.0, 0.0, -scale, x, size.1 - y];
            begin.transform(matrix.map(|number| number as f32));
            bytes.extend_from_slice(&begin.finish());
            bytes.push(b'\n');
            bytes.extend_from_slice(&picture.strokes);
            bytes.extend_from_slice(b"Q\n");
            titles.push(picture.title);
        }
        Sealed {
            size,
            packed: compress_to_vec_zlib(&bytes, LEVEL),
            titles,
        }
    }
}

/// The file of these pages.
fn assemble(pages: &[Sealed]) -> Vec<u8> {
    let [catalog, tree, font, info, outline] = [1, 2, 3, 4, 5].map(Ref::new);
    let page_of = |i: usize| Ref::new(6 + 2 * i as i32);
    let content_of = |i: usize| Ref::new(7 + 2 * i as i32);
    let entry_of = |i: usize| Ref::new((6 + 2 * pages.len() + i) as i32);

    let mut pdf = pdf_writer::Pdf::new();
    let named = |(i, page): (usize, &'_ Sealed)| {
        let titles = page.titles.iter().cloned();
        titles.map(move |title| (i, title)).collect::<Vec<_>>()
    };
    let entries: Vec<_> = pages.iter().enumerate().flat_map(named).collect();
    // One title is the file's; several are found by their bookmarks.
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
    for (i, sealed) in pages.iter().enumerate() {
        let (width, height) = (sealed.size.0 as f32, sealed.size.1 as f32);
        let mut page = pdf.page(page_of(i));
        page.media_box(Rect::new(0.0, 0.0, width, height));
        page.parent(tree).contents(content_of(i));
        page.resources().fonts().pair(FACE, font);
        page.finish();
        pdf.stream(content_of(i), &sealed.packed)
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

/// A title as it is drawn; nothing where hardly anything of it would be left.
fn writable(text: &str) -> String {
    let text = harmless(text);
    let legible = |c: char| c.is_alphanumeric() && latin::byte(c).is_some();
    match text.chars().any(legible) {
        true => text.into_owned(),
        false => String::new(),
    }
}
