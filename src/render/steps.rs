//! A page of HTML that shows how a puzzle is solved, one step after the other. It needs no other file, and no network.

use std::fmt::Write;

use html_escape::encode_text;
use serde_json::{Value, json};

use super::drawing::{Drawing, Sheet};
use super::harmless::sanitized;
use super::html::{Html, headings};
use super::layout::{Layout, UNIT};
use super::paper::Paper;
use super::svg::{FAINT, INK, picture};
use crate::puzzle::{Line, Puzzle};

/// One step on the page. Each field is set by the method with its name.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use]
pub struct Slide {
    /// The lines to highlight.
    pub lines: Vec<Line>,
    /// The cells that become known: row and column from 0, and whether they are filled.
    pub cells: Vec<(usize, usize, bool)>,
    /// A cell to put a frame around, by row and column from 0.
    pub tried: Option<(usize, usize)>,
    /// A word or two about the step.
    pub reason: String,
    /// The sentences that explain it.
    pub words: String,
}

impl Slide {
    /// A step in which these cells become known.
    pub fn new(cells: Vec<(usize, usize, bool)>) -> Self {
        Slide {
            cells,
            ..Slide::default()
        }
    }

    /// Sets the lines to highlight.
    pub fn lines(mut self, lines: Vec<Line>) -> Self {
        self.lines = lines;
        self
    }

    /// Sets the cell to put a frame around.
    pub fn tried(mut self, tried: impl Into<Option<(usize, usize)>>) -> Self {
        self.tried = tried.into();
        self
    }

    /// Sets the reason.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// Sets the sentences.
    pub fn words(mut self, words: impl Into<String>) -> Self {
        self.words = words.into();
        self
    }
}

/// A page that shows a puzzle, with buttons and arrow keys that step through `slides`, and a list of all steps below. `sheet` gives the
/// titles, `given` the cells known from the start, `closing` the sentence after the last step.
///
/// ```
/// use omnogram::puzzle::Line;
/// use omnogram::render::{Slide, Sheet, steps};
/// use omnogram::Puzzle;
///
/// let puzzle = Puzzle::from_clues(&[[2]], &[[1], [1]])?;
/// let slide = Slide::new(vec![(0, 0, true), (0, 1, true)]).lines(vec![Line::Row(0)]).words("Row 1: the 2 fills the whole row.");
/// let page = steps(&puzzle, &Sheet::default().title("Two"), &[], &[slide], "Solved.");
/// assert!(page.contains("<h1>Two</h1>") && page.contains("fills the whole row"));
/// # Ok::<(), omnogram::Error>(())
/// ```
pub fn steps(
    puzzle: &Puzzle,
    sheet: &Sheet<'_>,
    given: &[(usize, usize, bool)],
    slides: &[Slide],
    closing: &str,
) -> String {
    let title = sanitized(&sheet.title);
    let mut page = Html::new(&*title, Paper::A4).head_with(STYLE);
    page += &headings(sheet);
    let blank = Sheet::new([Drawing::blank(puzzle)]);
    let layout = Layout::new(&blank, UNIT, None);
    let layers = "<g id=\"lines\"></g>\n<g id=\"cells\"></g>\n";
    page += "<section>\n";
    page += &picture(&blank, &sheet.title, None, None, layers);
    let _ = write!(
        page,
        "<p id=\"controls\"><button id=\"first\">First</button> <button id=\"back\">Back</button> <button id=\"next\">Next</button> \
         <button id=\"last\">Last</button> <span id=\"place\">{} steps</span></p>\n\
         <p id=\"words\" aria-live=\"polite\">The arrow keys step too.</p>\n</section>\n<ol id=\"list\">\n",
        slides.len()
    );
    for slide in slides {
        let _ = writeln!(
            page,
            "<li>{} <small>{}</small></li>",
            encode_text(&sanitized(&slide.words)),
            encode_text(&sanitized(&slide.reason))
        );
    }
    let _ = writeln!(
        page,
        "</ol>\n<p id=\"closing\">{}</p>",
        encode_text(&sanitized(closing))
    );
    let (left, top) = layout.first_cell();
    let data = json!({
        "cell": UNIT,
        // The upper left corner of the cells, and the width and height of the grid in cells.
        "left": left,
        "top": top,
        "width": puzzle.width(),
        "height": puzzle.height(),
        // Cells that are known from the start: row, column, filled.
        "given": given,
        "steps": slides.iter().map(step_data).collect::<Vec<_>>(),
    });
    let _ = write!(
        page,
        "<script>\nconst ink = \"{INK}\", faint = \"{FAINT}\";\nconst data = {data};\n{SCRIPT}</script>\n"
    );
    page + Html::new("", Paper::A4).foot()
}

/// What the script of the page reads of a step.
fn step_data(slide: &Slide) -> Value {
    // Rows, then columns.
    let mut lines = [Vec::new(), Vec::new()];
    for line in &slide.lines {
        match *line {
            Line::Row(row) => lines[0].push(row),
            Line::Column(column) => lines[1].push(column),
        }
    }
    json!({ "lines": lines, "cells": slide.cells, "tried": slide.tried })
}

const STYLE: &str = "\
button { font: inherit; padding: 0.2rem 0.8rem }
#controls { margin-top: 0.8rem }
#words { color: #1b1f24; min-height: 3em; max-width: 45rem }
#list { max-width: 45rem; color: #57606a }
#list li { cursor: pointer; padding: 0.1rem 0.3rem }
#list li.now { background: #fff8c5; color: #1b1f24 }
small { color: #0969da }
@media print { #controls, #words { display: none } }
";

/// Draws the cells known after the first `now` steps; the lines and the cells of the last one are highlighted.
const SCRIPT: &str = r##"const svgName = "http://www.w3.org/2000/svg";
const element = (id) => document.getElementById(id);
const items = element("list").children;
const accent = "#0969da";
let now = 0;
function rectangle(group, x, y, width, height, attributes) {
  const rect = document.createElementNS(svgName, "rect");
  const all = Object.assign({ x: x, y: y, width: width, height: height }, attributes);
  for (const name in all) rect.setAttribute(name, all[name]);
  group.appendChild(rect);
}
function mark(group, [row, column, filled], fresh) {
  const x = data.left + column * data.cell, y = data.top + row * data.cell;
  if (fresh) rectangle(group, x, y, data.cell, data.cell, { fill: filled ? accent : "#ddf4ff" });
  else if (filled) rectangle(group, x, y, data.cell, data.cell, { fill: ink });
  if (!filled) {
    const side = data.cell / 5;
    rectangle(group, x + 2 * side, y + 2 * side, side, side, { fill: fresh ? accent : faint, rx: side / 2 });
  }
}
function show(step) {
  now = Math.max(0, Math.min(data.steps.length, step));
  const lines = element("lines"), cells = element("cells");
  lines.textContent = "";
  cells.textContent = "";
  data.given.forEach((cell) => mark(cells, cell, false));
  data.steps.slice(0, now).forEach((each, i) => each.cells.forEach((cell) => mark(cells, cell, i === now - 1)));
  for (let i = 0; i < items.length; i++) items[i].className = i === now - 1 ? "now" : "";
  element("place").textContent = now ? "Step " + now + " of " + data.steps.length : data.steps.length + " steps";
  element("back").disabled = element("first").disabled = now === 0;
  element("next").disabled = element("last").disabled = now === data.steps.length;
  if (!now) {
    element("words").textContent = "The arrow keys step too.";
    return;
  }
  const current = data.steps[now - 1];
  const right = data.left + data.width * data.cell, bottom = data.top + data.height * data.cell;
  const band = { fill: "#fff8c5" };
  current.lines[0].forEach((row) => rectangle(lines, 0, data.top + row * data.cell, right, data.cell, band));
  current.lines[1].forEach((column) => rectangle(lines, data.left + column * data.cell, 0, data.cell, bottom, band));
  if (current.tried) {
    const x = data.left + current.tried[1] * data.cell, y = data.top + current.tried[0] * data.cell;
    rectangle(cells, x + 2, y + 2, data.cell - 4, data.cell - 4, { fill: "none", stroke: "#bc4c00", "stroke-width": 3 });
  }
  element("words").innerHTML = items[now - 1].innerHTML;
}
element("first").onclick = () => show(0);
element("back").onclick = () => show(now - 1);
element("next").onclick = () => show(now + 1);
element("last").onclick = () => show(data.steps.length);
for (let i = 0; i < items.length; i++) items[i].onclick = () => show(i + 1);
document.onkeydown = (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: data.steps.length }[event.key];
  if (to === undefined) return;
  show(to);
  event.preventDefault();
};
show(0);
"##;
