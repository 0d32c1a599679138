//! The XML of webpbn.com and pbnsolve: a `<puzzleset>` of puzzles, each with clues for rows and columns, with a goal, or with both;
//! missing clues are derived from the goal. A solution of type `saved` is the grid of a player, or, with our own id `given`, the cells that
//! are given from the start. Multi-colour puzzles, blotted clues and triddlers are recognised and refused; a single
//! colour on a background is accepted as black and white.
//!
//! The text is parsed once, tag by tag. Entities that a file declares in its document type are neither fetched nor expanded, so they
//! cannot use up memory or stack.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::brief::brief;
use super::contents::Contents;
use super::fragment::ONLY_BLACK_AND_WHITE;
use super::number::{block_too_long, is_number, number};
use super::place::Places;
use super::properties::properties;
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Grid, MAX_SIDE, Notes, Puzzle};

/// Whether the text begins with a tag.
pub(super) fn looks_like(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// Reads all puzzles.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut document = Document {
        places: Places::new(text),
        reader,
        author: None,
        copyright: None,
        ended: false,
    };
    Contents::several(move || document.next().transpose())
}

/// A document that is being parsed.
struct Document<'a> {
    places: Places<'a>,
    reader: Reader<&'a [u8]>,
    /// Author and copyright given for all puzzles of the set.
    author: Option<String>,
    copyright: Option<String>,
    /// Whether its end has been reached, or an error after which nothing can be read.
    ended: bool,
}

/// The next item of the document.
enum Node<'a> {
    /// The opening tag of an element.
    Open(Element<'a>),
    /// The closing tag of the element that was opened last.
    Close,
    Text(String),
    End,
}

/// Levels of elements that are kept: a puzzle, its clues, their lines, and the numbers of these.
const LEVELS: usize = 4;

/// The elements and the attributes that are read. Others are skipped, so that they take no memory.
const ELEMENTS: [&str; 11] = [
    "puzzle",
    "title",
    "author",
    "copyright",
    "id",
    "color",
    "clues",
    "line",
    "count",
    "solution",
    "image",
];
const ATTRIBUTES: [&str; 7] = [
    "type",
    "defaultcolor",
    "backgroundcolor",
    "name",
    "char",
    "color",
    "id",
];

/// The id of the saved solution that has the given cells.
const GIVEN: &str = "given";

/// The one of these names that a tag or an attribute has, in any case of letters.
fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names
        .iter()
        .find(|known| name.to_lowercase() == **known)
        .copied()
}

/// An element that is read.
struct Element<'a> {
    /// Empty if it is not one of [`ELEMENTS`].
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    /// The text of the document from its opening tag on.
    place: &'a str,
    children: Vec<Element<'a>>,
    /// The text in it, without that in its children.
    text: String,
}

impl<'a> Element<'a> {
    /// An element without content. The first of its attributes of each name counts.
    fn new(tag: &BytesStart<'_>, place: &'a str) -> Self {
        let mut attributes = Vec::new();
        // No element needs more than 16, and the bound keeps the linear look-ups short.
        for attribute in tag.html_attributes().with_checks(false).flatten().take(16) {
            if let Some(name) = known(&ATTRIBUTES, attribute.key.local_name().as_ref()) {
                let value = html_escape::decode_html_entities(&*attribute.value);
                attributes.push((name, value.into_owned()));
            }
        }
        Element {
            name: known(&ELEMENTS, tag.local_name().as_ref()).unwrap_or_default(),
            attributes,
            place,
            children: Vec::new(),
            text: String::new(),
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of an attribute in lower case.
    fn lower(&self, name: &str, otherwise: &str) -> String {
        self.attribute(name).unwrap_or(otherwise).to_lowercase()
    }

    /// The text in it without blanks around it; `None` if there are only blanks.
    fn content(&self) -> Option<String> {
        let content = self.text.trim();
        (!content.is_empty()).then(|| content.to_owned())
    }

    fn children(&self, name: &'static str) -> impl DoubleEndedIterator<Item = &Element<'a>> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The colours of a puzzle.
struct Colours {
    /// Their names, by the letter for each in images.
    letters: HashMap<char, String>,
    default: String,
    background: String,
    /// The only colour of filled cells, once one has been seen.
    ink: Option<String>,
}

const TRIDDLER: &str = "a triddler: only rows and columns can be read so far";

impl<'a> Document<'a> {
    /// The next puzzle.
    fn next(&mut self) -> Result<Option<Puzzle>> {
        while !self.ended {
            match self.node()? {
                Node::Open(tag) if tag.name == "author" => {
                    self.author = self.element(tag)?.content();
                }
                Node::Open(tag) if tag.name == "copyright" => {
                    self.copyright = self.element(tag)?.content();
                }
                Node::Open(tag) if tag.name == "puzzle" => {
                    let element = self.element(tag)?;
                    return self.puzzle(&element).map(Some);
                }
                Node::Open(_) | Node::Close | Node::Text(_) => {}
                Node::End => self.ended = true,
            }
        }
        Ok(None)
    }

    /// The next item. After an error, `ended` is set.
    fn node(&mut self) -> Result<Node<'a>> {
        loop {
            let text = self.places.text;
            let start = self.reader.buffer_position() as usize;
            let here = text.get(start..).unwrap_or_default();
            let event = self.reader.read_event().map_err(|error| {
                self.ended = true;
                let here = text
                    .get(self.reader.error_position() as usize..)
                    .unwrap_or(here);
                self.error(here, &format!("this is not XML: {error}"))
            })?;
            let end = self.reader.buffer_position() as usize;
            let written = text.get(start..end).unwrap_or_default();
            return Ok(match event {
                Event::Start(tag) => Node::Open(Element::new(&tag, here)),
                Event::End(_) => Node::Close,
                Event::Text(_) => Node::Text(written.to_owned()),
                Event::CData(text) => Node::Text(text.to_string()),
                Event::GeneralRef(_) => Node::Text(self.reference(written)?),
                Event::Eof => Node::End,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
                // `expand_empty_elements` makes an opening and a closing tag of it.
                Event::Empty(_) => continue,
            });
        }
    }

    /// The text of a reference such as `&eacute;`.
    fn reference(&mut self, reference: &str) -> Result<String> {
        let text = html_escape::decode_html_entities(reference);
        if text == reference {
            self.ended = true;
            let message = format!(
                "{} is not a known entity: entities that a file declares itself are not supported",
                brief(reference)
            );
            return Err(self.error(reference, &message));
        }
        Ok(text.into_owned())
    }

    /// The element whose tag has just been opened, with what is in it.
    fn element(&mut self, mut element: Element<'a>) -> Result<Element<'a>> {
        let mut parents: Vec<Element<'a>> = Vec::new();
        // The open elements of which nothing is kept: those below the last level, unknown ones, and what is in them.
        let mut deeper = 0;
        loop {
            match self.node()? {
                Node::Open(child)
                    if deeper > 0 || parents.len() + 1 == LEVELS || child.name.is_empty() =>
                {
                    deeper += 1
                }
                Node::Open(child) => parents.push(std::mem::replace(&mut element, child)),
                Node::Close if deeper > 0 => deeper -= 1,
                Node::Close => match parents.pop() {
                    Some(parent) => {
                        let child = std::mem::replace(&mut element, parent);
                        element.children.push(child);
                    }
                    None => return Ok(element),
                },
                Node::Text(text) if deeper == 0 => element.text += &text,
                Node::Text(_) => {}
                Node::End => {
                    self.ended = true;
                    let message = format!("the file ends before <{}> is closed", element.name);
                    return Err(self.error(element.place, &message));
                }
            }
        }
    }

    fn puzzle(&self, puzzle: &Element<'a>) -> Result<Puzzle> {
        match puzzle.lower("type", "grid").as_str() {
            "grid" => {}
            "triddler" => return Err(self.error(puzzle.place, TRIDDLER)),
            other => {
                let message = format!(
                    "a puzzle of type {:?}: only grids can be read",
                    brief(other)
                );
                return Err(self.error(puzzle.place, &message));
            }
        }
        let mut colours = Colours {
            letters: HashMap::from([('X', "black".to_owned()), ('.', "white".to_owned())]),
            default: puzzle.lower("defaultcolor", "black"),
            background: puzzle.lower("backgroundcolor", "white"),
            ink: None,
        };
        let mut notes = Notes::default()
            .author(self.author.clone())
            .copyright(self.copyright.clone());
        let (mut rows, mut columns, mut goal, mut saved) = (None, None, None, Vec::new());
        for part in &puzzle.children {
            match part.name {
                "title" => notes.title = part.content(),
                "author" => notes.author = part.content().or(notes.author),
                "copyright" => notes.copyright = part.content().or(notes.copyright),
                "id" => notes.catalogue = part.content(),
                "color" => {
                    if let (Some(name), Some(letter)) =
                        (part.attribute("name"), part.attribute("char"))
                        && let Some(letter) = letter.chars().next()
                    {
                        colours.letters.insert(letter, name.to_lowercase());
                    }
                }
                "clues" => {
                    let clues = self.clues(part, &mut colours)?;
                    let kind = part.lower("type", "");
                    let slot = match kind.as_str() {
                        "rows" => &mut rows,
                        "columns" => &mut columns,
                        "top" | "topleft" | "topright" | "bottom" | "bottomleft"
                        | "bottomright" => return Err(self.error(part.place, TRIDDLER)),
                        _ => {
                            let message = "clues must be of type rows or columns";
                            return Err(self.error(part.place, message));
                        }
                    };
                    if slot.replace(clues).is_some() {
                        let message = format!("the clues of the {kind} are given twice");
                        return Err(self.error(part.place, &message));
                    }
                }
                "solution" => {
                    let last = part.children("image").next_back();
                    let image = last.and_then(Element::content);
                    match (part.lower("type", "goal").as_str(), image) {
                        ("goal", image) if goal.is_none() => {
                            goal = image.map(|image| (image, part.place));
                        }
                        ("saved", Some(image)) => saved.push((image, part)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if let Some((image, here)) = goal {
            notes.goal = self.goal(&image, here, &mut colours)?;
        }
        let mut given = None;
        for (image, part) in saved {
            let rows = self.rows_of_image(&image, part.place, &mut colours)?;
            let position = rows.join("\n").parse().map_err(|error: Error| {
                self.error(part.place, &format!("the saved grid: {}", error.message()))
            })?;
            if part.lower("id", "") == GIVEN {
                given = Some((position, part.place));
            } else {
                notes.saved.push(position);
            }
        }
        let drawn = notes.goal.as_ref().map(Puzzle::from_grid);
        let (drawn_rows, drawn_columns) = (
            drawn.as_ref().map(Puzzle::rows),
            drawn.as_ref().map(Puzzle::columns),
        );
        let read = self.places.puzzle(
            self.or_drawn(rows, "rows", drawn_rows, puzzle)?,
            self.or_drawn(columns, "columns", drawn_columns, puzzle)?,
            puzzle.place,
        )?;
        let read = read
            .with_notes(notes)
            .map_err(|error| self.places.locate(error, puzzle.place))?;
        match given {
            Some((given, here)) => read
                .with_given(given)
                .map_err(|error| self.places.locate(error, here)),
            None => Ok(read),
        }
    }

    /// The clues of a side: those that are given, or else those of the goal.
    fn or_drawn(
        &self,
        given: Option<Vec<(Clue, &'a str)>>,
        side: &str,
        drawn: Option<&[Clue]>,
        puzzle: &Element<'a>,
    ) -> Result<Vec<(Clue, &'a str)>> {
        match (given, drawn) {
            (Some(given), _) if !given.is_empty() => Ok(given),
            (_, Some(drawn)) => Ok(drawn
                .iter()
                .map(|clue| (clue.clone(), puzzle.place))
                .collect()),
            _ => {
                let message =
                    format!("this puzzle has neither clues for its {side} nor a whole goal");
                Err(self.error(puzzle.place, &message))
            }
        }
    }

    /// The clues in an element, each with the place of its line.
    fn clues(&self, clues: &Element<'a>, colours: &mut Colours) -> Result<Vec<(Clue, &'a str)>> {
        let mut found = Vec::new();
        for line in clues.children("line") {
            let lengths = line
                .children("count")
                .map(|count| self.length(count, colours))
                .collect::<Result<Vec<_>>>()?;
            let clue = Clue::new(lengths).map_err(|error| self.places.locate(error, line.place))?;
            found.push((clue, line.place));
        }
        Ok(found)
    }

    /// The length of the block in a `<count>`.
    fn length(&self, count: &Element<'a>, colours: &mut Colours) -> Result<usize> {
        let colour = count.lower("color", &colours.default);
        self.note_ink(colour, colours, count.place)?;
        let content = count.content().unwrap_or_default();
        if !is_number(&content) {
            let message = format!("{:?} is not a block length", brief(&content));
            return Err(self.error(count.place, &message));
        }
        match number(&content) {
            Some(0) => Err(self.error(
                count.place,
                "a block of unknown length: blotted clues cannot be read so far; an empty line is <line/>",
            )),
            Some(length) => Ok(length),
            None => Err(self.places.locate(block_too_long(&content), count.place)),
        }
    }

    /// Notes a colour of filled cells; an error if they have another one already.
    fn note_ink(&self, colour: String, colours: &mut Colours, here: &str) -> Result<()> {
        let ink = colours.ink.get_or_insert_with(|| colour.clone());
        if *ink == colour {
            return Ok(());
        }
        let message = format!(
            "{:?} and {:?} are two colours: {ONLY_BLACK_AND_WHITE}",
            brief(ink),
            brief(&colour)
        );
        Err(self.error(here, &message))
    }

    /// The picture in the text of an image; `None` if a cell is unknown.
    fn goal(&self, image: &str, here: &'a str, colours: &mut Colours) -> Result<Option<Grid>> {
        let rows = self.rows_of_image(image, here, colours)?;
        if rows.iter().any(|row| row.contains('?')) {
            return Ok(None);
        }
        let grid = Grid::from_rows(&rows);
        grid.map(Some)
            .map_err(|error| self.error(here, &format!("the goal: {}", error.message())))
    }

    /// The rows of an image, which stand between bars, as `#`, `.` and `?`.
    fn rows_of_image(
        &self,
        image: &str,
        here: &'a str,
        colours: &mut Colours,
    ) -> Result<Vec<String>> {
        let mut rows = Vec::new();
        // Of the pieces between the bars, every second one is a row, from that after the first bar on; a missing last bar is allowed.
        for row in image.split('|').skip(1).step_by(2).take(MAX_SIDE + 1) {
            let mut cells = String::new();
            let mut letters = row.chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '?' => cells.push('?'),
                    '[' => {
                        cells.push('?');
                        if !letters.any(|c| c == ']') {
                            return Err(self.error(here, "a '[' without its ']' in the image"));
                        }
                    }
                    letter => {
                        let Some(colour) = colours.letters.get(&letter).cloned() else {
                            let message =
                                format!("{letter:?} in the image is not the letter of a colour");
                            return Err(self.error(here, &message));
                        };
                        let filled = colour != colours.background;
                        if filled {
                            self.note_ink(colour, colours, here)?;
                        }
                        cells.push(if filled { '#' } else { '.' });
                    }
                }
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    fn error(&self, here: &str, message: &str) -> Error {
        self.places.locate(Error::data(message), here)
    }
}

/// The text before and after the puzzles of a file.
pub(super) const OPEN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE pbn SYSTEM \"http://webpbn.com/pbn-0.3.dtd\">\n<puzzleset>\n";
pub(super) const CLOSE: &str = "</puzzleset>\n";

/// The puzzle as a `<puzzle>` element.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let notes = puzzle.notes();
    let mut text = String::from("<puzzle type=\"grid\" defaultcolor=\"black\">\n");
    for (name, value) in properties(notes, ["id", "title", "author", "copyright"]) {
        text.push_str(&format!("<{name}>{}</{name}>\n", escape(value)));
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
    let mut solution = |attributes: &str, cells: &dyn std::fmt::Display| {
        text.push_str(&format!("<solution {attributes}>\n<image>\n"));
        for row in cells.to_string().lines() {
            text.push_str(&format!("|{}|\n", row.replace('#', "X")));
        }
        text.push_str("</image>\n</solution>\n");
    };
    if let Some(goal) = &notes.goal {
        solution("type=\"goal\"", goal);
    }
    if let Some(given) = puzzle.given() {
        solution(&format!("type=\"saved\" id=\"{GIVEN}\""), given);
    }
    for saved in &notes.saved {
        solution("type=\"saved\"", saved);
    }
    text.push_str("</puzzle>\n");
    Ok(text)
}

/// Escapes a text, including its line breaks, so that the reader restores it.
fn escape(value: &str) -> String {
    html_escape::encode_text(value)
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
        .replace('\t', "&#9;")
}

#[cfg(test)]
mod tests;
