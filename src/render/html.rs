//! Drawings as one self-contained page of HTML, for the screen and for print. Solutions can be folded away.

use html_escape::encode_text;

use super::drawing::Sheet;
use super::harmless::sanitized;
use super::layout::{Layout, UNIT};
use super::paper::Paper;
use super::svg::picture;

/// A sheet as a section of the page.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct HtmlSection<'a> {
    /// The sheet to draw; its titles become headings of the page.
    pub sheet: Sheet<'a>,
    /// The text to click on to unfold the sheet, which is not printed while folded. `None` shows the sheet at once.
    pub folded: Option<String>,
}

impl<'a> HtmlSection<'a> {
    /// A sheet that is shown at once.
    pub fn new(sheet: Sheet<'a>) -> Self {
        HtmlSection {
            sheet,
            folded: None,
        }
    }

    /// Sets the text to click on to unfold the sheet.
    pub fn folded(mut self, folded: impl Into<Option<String>>) -> Self {
        self.folded = folded.into();
        self
    }
}

/// A page of HTML, written in pieces: its head, any number of sections, its foot.
///
/// ```
/// use omnogram::puzzle::{Grid, Puzzle};
/// use omnogram::render::{Drawing, Html, Paper, HtmlSection, Sheet};
///
/// let grid = Grid::from_rows(&["#.#", "..#"]).unwrap();
/// let puzzle = Puzzle::from_grid(&grid);
/// let sheet = |drawing| Sheet::new([drawing]);
/// let html = Html::new("Corner", Paper::A4);
/// let set = HtmlSection::new(sheet(Drawing::blank(&puzzle)));
/// let solved = HtmlSection::new(sheet(Drawing::solution(&puzzle, &grid))).folded("Solution".to_owned());
/// let page = html.head() + &html.part(&set) + &html.part(&solved) + html.foot();
/// assert_eq!(page.matches("<svg ").count(), 2);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Html {
    /// The title of the window.
    pub title: String,
    /// Side of a cell in pixels; 20 if not given.
    pub cell: Option<u32>,
    /// The paper for printing. Each section gets its own page, portrait or landscape, whichever lets it be larger.
    pub paper: Paper,
}

impl Html {
    /// A page with this title and for this paper.
    pub fn new(title: impl Into<String>, paper: Paper) -> Self {
        Html {
            title: title.into(),
            cell: None,
            paper,
        }
    }

    /// Sets the side of a cell in pixels.
    #[must_use]
    pub fn cell(mut self, cell: impl Into<Option<u32>>) -> Self {
        self.cell = cell.into();
        self
    }

    /// The beginning of the page.
    pub fn head(&self) -> String {
        self.head_with("")
    }

    /// The same, with more rules in the style sheet.
    pub(super) fn head_with(&self, rules: &str) -> String {
        let title = sanitized(&self.title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{}{rules}</style>\n</head>\n<body>\n",
            encode_text(&title),
            style(self.paper)
        )
    }

    /// A section of the page.
    pub fn part(&self, part: &HtmlSection<'_>) -> String {
        let sheet = part.sheet.untitled();
        let page = Layout::page(&sheet, self.paper, HEADING_HEIGHT);
        let layout = Layout::new(&sheet, self.cell.unwrap_or(UNIT), None);
        let scale = page.scale(layout.size(), layout.cell) / 10.0;
        let wide = page.is_landscape();
        let class = if wide { "wide" } else { "upright" };
        let printed = f64::from(layout.width) * scale;
        let mut html = format!("<section class=\"{class}\" style=\"--printed: {printed:.1}mm\">\n");
        html += &headings(&part.sheet);
        let own = &part.sheet.title;
        let label = if own.is_empty() { &self.title } else { own };
        let picture = picture(&sheet, label, self.cell, None, "");
        html += &match part.folded.as_deref().map(sanitized) {
            None => picture,
            Some(words) => {
                let summary = encode_text(&words);
                format!("<details>\n<summary>{summary}</summary>\n{picture}</details>\n")
            }
        };
        html + "</section>\n"
    }

    /// The end of the page.
    pub fn foot(&self) -> &'static str {
        "</body>\n</html>\n"
    }
}

/// The titles of a sheet as headings.
pub(super) fn headings(sheet: &Sheet<'_>) -> String {
    [(&sheet.title, "h1"), (&sheet.byline, "p")]
        .into_iter()
        .filter(|(words, _)| !words.is_empty())
        .map(|(words, tag)| format!("<{tag}>{}</{tag}>\n", encode_text(&sanitized(words))))
        .collect()
}

/// Height that is reserved for the titles on a printed page, in tenths of a millimetre.
const HEADING_HEIGHT: u32 = 250;

/// The style sheet, for the screen and for print.
fn style(paper: Paper) -> String {
    let paper = paper.name();
    format!(
        "body {{ margin: 2rem; font-family: Helvetica, Arial, sans-serif; color: #1b1f24; background: #fff }}\n\
         h1 {{ margin: 0; font-size: 1.5rem }}\n\
         p {{ margin: 0.3rem 0 1rem; color: #57606a }}\n\
         section {{ margin-bottom: 2rem; overflow-x: auto }}\n\
         summary {{ cursor: pointer; color: #57606a }}\n\
         svg {{ display: block }}\n\
         @page upright {{ size: {paper} portrait; margin: 10mm }}\n\
         @page wide {{ size: {paper} landscape; margin: 10mm }}\n\
         @media print {{\n\
         body {{ margin: 0 }}\n\
         section {{ margin: 0; overflow: visible; break-after: page; break-inside: avoid }}\n\
         section:last-child {{ break-after: auto }}\n\
         section.upright {{ page: upright }}\n\
         section.wide {{ page: wide }}\n\
         section:has(details:not([open])) {{ display: none }}\n\
         svg {{ width: var(--printed); height: auto; margin: auto }}\n\
         }}\n"
    )
}
