//! The XML of webpbn.com and pbnsolve: a `<puzzleset>` of puzzles, each with clues for rows and columns, with a goal, or with both;
//! missing clues are derived from the goal. Multi-colour puzzles, blotted clues and triddlers are recognised and refused; a single
//! colour on a background is accepted as black and white.
//!
//! The text is parsed once, tag by tag. Entities that a file declares in its document type are neither fetched nor expanded, so they
//! cannot use up memory or stack.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::brief::brief;
use super::contents::Contents;
use super::number::{block_too_long, number};
use super::place::Places;
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Grid, Line, MAX_SIDE, Notes, Puzzle};

/// Whether the text begins with a tag.
pub(super) fn looks_like(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// Reads all puzzles.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut document = Document {
        places: Places::new(text),
        reader: Reader::from_str(text),
        author: None,
        copyright: None,
        ended: false,
    };
    Contents::several(move || document.next())
}

/// A document that is being parsed.
struct Document<'a> {
    places: Places<'a>,
    reader: Reader<&'a [u8]>,
    /// Author and copyright given for all puzzles of the set.
    author: Option<String>,
    copyright: Option<String>,
    ended: bool,
}

/// The next item of the document.
enum Node<'a> {
    /// An opening tag.
    Open(Tag<'a>),
    /// The closing tag of the tag that was opened last.
    Close,
    Text(String),
    End,
}

/// An opening tag: its name and the names of its attributes in lower case.
struct Tag<'a> {
    name: String,
    attributes: Vec<(String, String)>,
    /// The text of the document from the tag on.
    place: &'a str,
    /// Whether it is an empty-element tag, which has no closing tag.
    empty: bool,
}

impl Tag<'_> {
    fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A puzzle that is being parsed.
#[derive(Default)]
struct Draft<'a> {
    /// The names of the colours, by the letter for each in images.
    letters: HashMap<char, String>,
    default: String,
    background: String,
    /// The only colour of filled cells, once one has been seen.
    colour: Option<String>,
    rows: Option<Vec<(Clue, &'a str)>>,
    columns: Option<Vec<(Clue, &'a str)>>,
    goal: Option<(String, &'a str)>,
    notes: Notes,
}

impl<'a> Document<'a> {
    /// The next puzzle.
    fn next(&mut self) -> Option<Result<Puzzle>> {
        while !self.ended {
            match self.node() {
                Ok(Node::Open(tag)) if tag.name == "puzzle" => {
                    let puzzle = self.puzzle(tag);
                    return Some(puzzle);
                }
                Ok(Node::Open(tag)) if tag.name == "author" || tag.name == "copyright" => {
                    let slot = tag.name == "author";
                    match self.content(&tag) {
                        Ok(text) if slot => self.author = text,
                        Ok(text) => self.copyright = text,
                        Err(error) => return Some(Err(error)),
                    }
                }
                Ok(Node::End) => self.ended = true,
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }

    /// The next item. After an error, `ended` is set.
    fn node(&mut self) -> Result<Node<'a>> {
        loop {
            let start = self.reader.buffer_position() as usize;
            let here = self.places.text.get(start..).unwrap_or_default();
            let event = self.reader.read_event().map_err(|error| {
                self.ended = true;
                let at = self.reader.error_position() as usize;
                let here = self.places.text.get(at..).unwrap_or(here);
                self.error(here, &format!("this is not XML: {error}"))
            })?;
            let (name, empty) = match &event {
                Event::Start(tag) => (tag, false),
                Event::Empty(tag) => (tag, true),
                Event::End(_) => return Ok(Node::Close),
                Event::Text(_) => {
                    let end = self.reader.buffer_position() as usize;
                    return Ok(Node::Text(
                        self.places
                            .text
                            .get(start..end)
                            .unwrap_or_default()
                            .to_owned(),
                    ));
                }
                Event::CData(text) => {
                    return Ok(Node::Text(text.to_string()));
                }
                Event::GeneralRef(_) => {
                    let end = self.reader.buffer_position() as usize;
                    return self.reference(self.places.text.get(start..end).unwrap_or_default());
                }
                Event::Eof => return Ok(Node::End),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            };
            return Ok(Node::Open(tag(name, here, empty)));
        }
    }

    /// The text of a reference such as `&eacute;`.
    fn reference(&mut self, reference: &'a str) -> Result<Node<'a>> {
        let text = html_escape::decode_html_entities(reference);
        if text == reference {
            let message = format!(
                "{} is not a known entity: entities that a file declares itself are not supported",
                brief(reference)
            );
            self.ended = true;
            return Err(self.places.place(Error::data(message), reference));
        }
        Ok(Node::Text(text.into_owned()))
    }

    /// The text in the tag that has just been opened; `None` if there are only blanks. Nested tags are skipped.
    fn content(&mut self, tag: &Tag<'a>) -> Result<Option<String>> {
        let mut content = String::new();
        let mut depth = usize::from(!tag.empty);
        while depth > 0 {
            match self.node()? {
                Node::Open(tag) => depth += usize::from(!tag.empty),
                Node::Close => depth -= 1,
                Node::Text(text) if depth == 1 => content.push_str(&text),
                Node::Text(_) => {}
                Node::End => return Err(self.unclosed(tag)),
            }
        }
        let content = content.trim();
        Ok((!content.is_empty()).then(|| content.to_owned()))
    }

    fn unclosed(&mut self, tag: &Tag<'a>) -> Error {
        self.ended = true;
        let message = format!("the file ends before <{}> is closed", brief(&tag.name));
        self.places.place(Error::data(message), tag.place)
    }

    /// The puzzle in the tag that has just been opened. All of it is parsed, even after an error, so that the next puzzle begins at its
    /// tag.
    fn puzzle(&mut self, tag: Tag<'a>) -> Result<Puzzle> {
        let named =
            |name: &str, otherwise: &str| tag.attribute(name).unwrap_or(otherwise).to_lowercase();
        let mut draft = Draft {
            default: named("defaultcolor", "black"),
            background: named("backgroundcolor", "white"),
            letters: HashMap::from([('X', "black".to_owned()), ('.', "white".to_owned())]),
            ..Draft::default()
        };
        draft.notes.author = self.author.clone();
        draft.notes.copyright = self.copyright.clone();
        let mut first_error = match named("type", "grid").as_str() {
            "grid" => None,
            "triddler" => Some(self.error(
                tag.place,
                "a triddler: only rows and columns can be read so far",
            )),
            other => {
                let message = format!(
                    "a puzzle of type {:?}: only grids can be read",
                    brief(other)
                );
                Some(self.error(tag.place, &message))
            }
        };
        let mut open = !tag.empty;
        while open {
            match self.node()? {
                Node::Open(part) => {
                    // Only one error is built, because each quotes its line, which may be the whole file.
                    let parsed = match first_error {
                        None => self.part(&part, &mut draft),
                        Some(_) => self.content(&part).map(drop),
                    };
                    if let Err(error) = parsed {
                        first_error = first_error.or(Some(error));
                        if self.ended {
                            break;
                        }
                    }
                }
                Node::Close => open = false,
                Node::Text(_) => {}
                Node::End => return Err(self.unclosed(&tag)),
            }
        }
        match first_error {
            Some(error) => Err(error),
            None => self.finish(draft, tag.place),
        }
    }

    /// Parses one child element of a puzzle.
    fn part(&mut self, tag: &Tag<'a>, draft: &mut Draft<'a>) -> Result<()> {
        match tag.name.as_str() {
            "title" => draft.notes.title = self.content(tag)?,
            "author" => draft.notes.author = self.content(tag)?.or(draft.notes.author.take()),
            "copyright" => {
                draft.notes.copyright = self.content(tag)?.or(draft.notes.copyright.take())
            }
            "id" => draft.notes.catalogue = self.content(tag)?,
            "color" => {
                self.content(tag)?;
                if let (Some(name), Some(letter)) = (tag.attribute("name"), tag.attribute("char"))
                    && let Some(letter) = letter.chars().next()
                {
                    draft.letters.insert(letter, name.to_lowercase());
                }
            }
            "clues" => {
                let clues = self.clues(tag, draft)?;
                let kind = tag.attribute("type").unwrap_or_default().to_lowercase();
                let slot = match kind.as_str() {
                    "rows" => &mut draft.rows,
                    "columns" => &mut draft.columns,
                    "top" | "topleft" | "topright" | "bottom" | "bottomleft" | "bottomright" => {
                        return Err(self.error(
                            tag.place,
                            "a triddler: only rows and columns can be read so far",
                        ));
                    }
                    _ => return Err(self.error(tag.place, "clues must be of type rows or columns")),
                };
                if slot.is_some() {
                    return Err(self.error(
                        tag.place,
                        &format!("the clues of the {kind} are given twice"),
                    ));
                }
                *slot = Some(clues);
            }
            "solution" => {
                let kind = tag.attribute("type").unwrap_or("goal").to_lowercase();
                let image = self.image(tag)?;
                if kind == "goal" && draft.goal.is_none() {
                    draft.goal = image.map(|image| (image, tag.place));
                }
            }
            _ => {
                self.content(tag)?;
            }
        }
        Ok(())
    }

    /// The clues in a tag.
    fn clues(&mut self, tag: &Tag<'a>, draft: &mut Draft<'a>) -> Result<Vec<(Clue, &'a str)>> {
        let mut clues = Vec::new();
        let mut first_error = None;
        let mut open = !tag.empty;
        while open {
            match self.node()? {
                Node::Open(line) if line.name == "line" && first_error.is_none() => {
                    let clue = self.clue(&line, draft);
                    if self.ended {
                        return Err(clue.err().unwrap_or_else(|| self.unclosed(&line)));
                    }
                    match clue {
                        Ok(clue) => clues.push((clue, line.place)),
                        Err(error) => first_error = Some(error),
                    }
                }
                Node::Open(other) => {
                    self.content(&other)?;
                }
                Node::Close => open = false,
                Node::Text(_) => {}
                Node::End => return Err(self.unclosed(tag)),
            }
        }
        first_error.map_or(Ok(clues), Err)
    }

    /// The clue in a `<line>`.
    fn clue(&mut self, tag: &Tag<'a>, draft: &mut Draft<'a>) -> Result<Clue> {
        let mut lengths = Vec::new();
        let mut first_error = None;
        let mut open = !tag.empty;
        while open {
            match self.node()? {
                Node::Open(count) if count.name == "count" => {
                    let content = self.content(&count)?.unwrap_or_default();
                    if first_error.is_none() {
                        match self.length(&count, &content, draft) {
                            Ok(length) => lengths.push(length),
                            Err(error) => first_error = Some(error),
                        }
                    }
                }
                Node::Open(other) => {
                    self.content(&other)?;
                }
                Node::Close => open = false,
                Node::Text(_) => {}
                Node::End => return Err(self.unclosed(tag)),
            }
        }
        match first_error {
            Some(error) => Err(error),
            None => Clue::new(lengths).map_err(|error| self.places.place(error, tag.place)),
        }
    }

    /// The length of the block in a `<count>`.
    fn length(&self, tag: &Tag<'a>, content: &str, draft: &mut Draft<'a>) -> Result<usize> {
        let colour = tag.attribute("color").map(str::to_lowercase);
        self.check_single_colour(
            colour.unwrap_or_else(|| draft.default.clone()),
            draft,
            tag.place,
        )?;
        if content.is_empty() || !content.bytes().all(|b| b.is_ascii_digit()) {
            let message = format!("{:?} is not a block length", brief(content));
            return Err(self.error(tag.place, &message));
        }
        match number(content) {
            Some(0) => Err(self.error(
                tag.place,
                "a block of unknown length: blotted clues cannot be read so far; an empty line is <line/>",
            )),
            Some(length) => Ok(length),
            None => Err(self.places.place(block_too_long(content), tag.place)),
        }
    }

    /// Checks that no other colour than this one occurs on the background.
    fn check_single_colour(&self, colour: String, draft: &mut Draft<'a>, here: &str) -> Result<()> {
        match &draft.colour {
            Some(only) if *only != colour => {
                let message = format!(
                    "{:?} and {:?} are two colours: only black-and-white puzzles can be read so far",
                    brief(only),
                    brief(&colour)
                );
                Err(self.error(here, &message))
            }
            Some(_) => Ok(()),
            None => {
                draft.colour = Some(colour);
                Ok(())
            }
        }
    }

    /// The image in a `<solution>`.
    fn image(&mut self, tag: &Tag<'a>) -> Result<Option<String>> {
        let mut image = None;
        let mut open = !tag.empty;
        while open {
            match self.node()? {
                Node::Open(part) if part.name == "image" => image = self.content(&part)?,
                Node::Open(other) => {
                    self.content(&other)?;
                }
                Node::Close => open = false,
                Node::Text(_) => {}
                Node::End => return Err(self.unclosed(tag)),
            }
        }
        Ok(image)
    }

    /// Builds the puzzle from a draft.
    fn finish(&self, mut draft: Draft<'a>, here: &'a str) -> Result<Puzzle> {
        let goal = match draft.goal.take() {
            Some((image, here)) => self.goal(&image, here, &mut draft)?,
            None => None,
        };
        let (rows, columns) = (draft.rows.take(), draft.columns.take());
        let drawn = goal.as_ref().map(Puzzle::from_grid);
        let clues = |found: Option<Vec<(Clue, &'a str)>>, side: &str, drawn: Option<&[Clue]>| match (
            found, drawn,
        ) {
            (Some(found), _) if !found.is_empty() => Ok(found),
            (_, Some(drawn)) => Ok(drawn.iter().map(|clue| (clue.clone(), here)).collect()),
            _ => Err(self.error(
                here,
                &format!("this puzzle has neither clues for its {side} nor a whole goal"),
            )),
        };
        let rows = clues(rows, "rows", drawn.as_ref().map(Puzzle::rows))?;
        let columns = clues(columns, "columns", drawn.as_ref().map(Puzzle::columns))?;
        for (side, clues) in [("rows", &rows), ("columns", &columns)] {
            if clues.len() > MAX_SIDE {
                let message = format!(
                    "{} {side} are more than the {MAX_SIDE} that omnogram can hold",
                    clues.len()
                );
                return Err(self.error(here, &message));
            }
        }
        let (width, height) = (columns.len(), rows.len());
        let fitting = |clues: Vec<(Clue, &str)>, line: fn(usize) -> Line, length| {
            let clue =
                |(i, (clue, here)): (usize, (Clue, &str))| match clue.check_fit(line(i), length) {
                    Ok(()) => Ok(clue),
                    Err(error) => Err(self.places.place(error, here)),
                };
            clues
                .into_iter()
                .enumerate()
                .map(clue)
                .collect::<Result<_>>()
        };
        let puzzle = Puzzle::new(
            fitting(rows, Line::Row, width)?,
            fitting(columns, Line::Column, height)?,
        )?;
        let notes = Notes {
            goal,
            ..draft.notes
        };
        puzzle
            .with_notes(notes)
            .map_err(|error| self.places.place(error, here))
    }

    /// The picture in the text of an image, with rows between bars; `None` if a cell is unknown.
    fn goal(&self, image: &str, here: &'a str, draft: &mut Draft<'a>) -> Result<Option<Grid>> {
        let mut rows = Vec::new();
        let mut known = true;
        // Text before the first bar, between two rows and after the last bar is ignored.
        for row in image.split('|').skip(1).step_by(2).take(MAX_SIDE + 1) {
            let mut cells = String::new();
            let mut letters = row.chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '?' => known = false,
                    '[' => {
                        known = false;
                        if !letters.any(|c| c == ']') {
                            return Err(self.error(here, "a '[' without its ']' in the image"));
                        }
                    }
                    letter => {
                        let Some(colour) = draft.letters.get(&letter).cloned() else {
                            let message =
                                format!("{letter:?} in the image is not the letter of a colour");
                            return Err(self.error(here, &message));
                        };
                        let filled = colour != draft.background;
                        if filled {
                            self.check_single_colour(colour, draft, here)?;
                        }
                        cells.push(if filled { '#' } else { '.' });
                    }
                }
            }
            rows.push(cells);
        }
        if !known {
            return Ok(None);
        }
        let grid = Grid::from_rows(&rows);
        grid.map(Some)
            .map_err(|error| self.error(here, &format!("the goal: {}", error.message())))
    }

    fn error(&self, here: &str, message: &str) -> Error {
        self.places.place(Error::data(message), here)
    }
}

/// A tag with its attributes; the first of each name counts.
fn tag<'a>(tag: &BytesStart<'_>, place: &'a str, empty: bool) -> Tag<'a> {
    let mut attributes = Vec::new();
    // No element needs more than 16, and the bound keeps the linear look-ups short.
    for attribute in tag.html_attributes().with_checks(false).flatten().take(16) {
        let value = html_escape::decode_html_entities(&*attribute.value).into_owned();
        attributes.push((attribute.key.local_name().as_ref().to_lowercase(), value));
    }
    Tag {
        name: tag.local_name().as_ref().to_lowercase(),
        attributes,
        place,
        empty,
    }
}

/// The text before and after the puzzles of a file.
pub(super) const OPEN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE pbn SYSTEM \"http://webpbn.com/pbn-0.3.dtd\">\n<puzzleset>\n";
pub(super) const CLOSE: &str = "</puzzleset>\n";

/// The puzzle as a `<puzzle>` element.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let notes = puzzle.notes();
    let mut text = String::from("<puzzle type=\"grid\" defaultcolor=\"black\">\n");
    let texts = [
        ("id", &notes.catalogue),
        ("title", &notes.title),
        ("author", &notes.author),
        ("copyright", &notes.copyright),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            text.push_str(&format!("<{name}>{}</{name}>\n", escape(value)));
        }
    }
    text.push_str("<color name=\"white\" char=\".\">FFFFFF</color>\n<color name=\"black\" char=\"X\">000000</color>\n");
    for (kind, clues) in [("columns", puzzle.columns()), ("rows", puzzle.rows())] {
        text.push_str(&format!("<clues type=\"{kind}\">\n"));
        for clue in clues {
            let counts: Vec<String> = clue
                .lengths()
                .map(|length| format!("<count>{length}</count>"))
                .collect();
            text.push_str(&format!("<line>{}</line>\n", counts.concat()));
        }
        text.push_str("</clues>\n");
    }
    if let Some(goal) = &notes.goal {
        text.push_str("<solution type=\"goal\">\n<image>\n");
        for row in goal.to_string().lines() {
            text.push_str(&format!("|{}|\n", row.replace('#', "X")));
        }
        text.push_str("</image>\n</solution>\n");
    }
    text.push_str("</puzzle>\n");
    Ok(text)
}

/// Escapes a text, including its line breaks, so that the reader restores it.
fn escape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '\n' | '\r' | '\t' => text.push_str(&format!("&#{};", u32::from(c))),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests;
