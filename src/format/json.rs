//! Puzzles as JSON: `{"rows": [[2], [1, 1], [4]], "columns": [[2], [1, 1], [1, 1], [2]]}`. There is no standard for this format, so
//! the variants that programs write are accepted:
//!
//! - other names of the rows and columns, such as `hor` and `ver`, or `rowsDef` and `colsDef`; zeros in clues; sizes as `width` and `height`, or
//!   as numbers under a name of the rows or columns, if they agree with the clues;
//! - `title`, `author` (or `by`), `copyright`, `license`, `catalogue`;
//! - a `goal`, or `picture`, in rows of `#` and `.` or of 0 and 1, as texts or lists. Alone, it makes the puzzle; it may be the whole file;
//! - `given` cells in rows of `#`, `.` and `?`, or as the list `content` of ThomasR's nonogram-solver: row by row 1 for a filled cell, -1
//!   for an empty one, 0 for an unknown one; and `saved`, a list of grids drawn like these, of players who have not finished.
//!
//! Other keys, and these with values of another kind, are skipped with a warning. An array of puzzles is a pack.
//!
//! The text is parsed one level at a time, and each value is kept as a slice of the file: its address gives the place for errors,
//! including semantic ones, and deep nesting does not use the stack.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::brief::{brief, plural};
use super::characters::plain;
use super::contents::{Contents, Parsed};
use super::fragment::ONLY_BLACK_AND_WHITE;
use super::number::{block_too_long, is_number, number};
use super::place::Places;
use super::side::Side;
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Grid, Notes, Position, Puzzle};

/// Whether the text begins like an object, or like an array whose first element is not a bare word.
pub(super) fn looks_like(text: &str) -> bool {
    let mut chars = text.chars().filter(|c| !c.is_whitespace());
    match chars.next() {
        Some('{') => true,
        Some('[') => chars.next().is_none_or(|c| !c.is_alphabetic()),
        _ => false,
    }
}

/// Reads a puzzle or a pack of them.
pub(super) fn read(text: &str) -> Contents<'_> {
    if !text.trim_start().starts_with('[') {
        return puzzle(&Places::new(text), text).into();
    }
    match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(rows) if rows.first().is_some_and(|row| is_row_of_cells(row.get())) => {
            drawing(&Places::new(text), text.trim()).into()
        }
        Ok(puzzles) => {
            let places = Places::new(text);
            Contents::pack(
                puzzles
                    .into_iter()
                    .map(move |part| puzzle(&places, part.get())),
            )
        }
        Err(error) => Err::<Puzzle, _>(syntax(&error, text)).into(),
    }
}

/// The error for a text that is not JSON.
pub(super) fn syntax(error: &serde_json::Error, text: &str) -> Error {
    syntax_in(error, &Places::new(text), text)
}

/// The error for a slice `part` of the text that is not JSON.
fn syntax_in(error: &serde_json::Error, places: &Places<'_>, part: &str) -> Error {
    // The end of the message, which repeats the place, is removed.
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    let message = match words {
        _ if error.is_eof() => "the JSON ends in the middle of a value".to_owned(),
        "expected value" => "this is not JSON: a value must come here".to_owned(),
        "key must be a string" => "this is not JSON: a key must be a text".to_owned(),
        "trailing characters" => "there is more text after the end of the JSON".to_owned(),
        words => format!("this is not JSON: {words}"),
    };
    // This error counts columns in bytes; it may point past the end of the line, or to column 0, the line break before.
    let lines = part.split_inclusive('\n');
    let before: usize = lines
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let line = part[before..].lines().next().unwrap_or_default();
    let column = error.column().saturating_sub(1).min(line.len());
    let boundary = (0..=column).rev().find(|&i| line.is_char_boundary(i));
    let start = before + boundary.unwrap_or_default();
    places.locate(Error::data(message), &part[start..])
}

/// The members of an object, in order and with duplicates.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// The puzzle in the slice `object` of the text, with a warning of keys that are not known.
fn puzzle(places: &Places<'_>, object: &str) -> Result<Parsed> {
    let object = object.trim();
    if !object.starts_with('{') {
        let message = format!(
            "{} is not a puzzle: a puzzle is an object with rows and columns",
            kind(object)
        );
        return Err(places.locate(Error::data(message), object));
    }
    let Members(members) =
        serde_json::from_str(object).map_err(|error| syntax_in(&error, places, object))?;
    let source = Source {
        places,
        object,
        members,
    };
    let goal = source.goal()?;
    let mut puzzle = match &goal {
        Some(goal) if !source.has_clues() => Puzzle::from_grid(goal),
        _ => {
            let (rows, columns) = (source.side(Side::Rows)?, source.side(Side::Columns)?);
            places.puzzle(rows, columns, object)?
        }
    };
    let size = (puzzle.width(), puzzle.height());
    for (side, name, number) in [
        (Side::Columns, "width", size.0),
        (Side::Rows, "height", size.1),
    ] {
        source.check_size(|key, _| key == name, name, number)?;
        source.check_size(|key, value| side.has_number(key, value), name, number)?;
    }
    if let Some((given, here)) = source.given(size)? {
        puzzle = puzzle
            .with_given(given)
            .map_err(|error| places.locate(error, here))?;
    }
    let notes = Notes {
        title: source.string(&["title"])?,
        author: source.string(&["author", "by"])?,
        copyright: source.string(&["copyright"])?,
        license: source.string(&["license"])?,
        catalogue: source.string(&["catalogue"])?,
        goal,
        saved: source.saved()?,
    };
    let goal = source.find(is_goal)?.map_or(object, |(_, value)| value);
    let puzzle = puzzle.with_notes(notes);
    let puzzle = puzzle.map_err(|error| places.locate(error, goal))?;
    let mut members = source.members.iter().map(|(key, raw)| (key, raw.get()));
    let is_coloured =
        |(key, value): &(&String, &str)| !is_known(key, value) && has_colours(key, value);
    if let Some((key, value)) = members.find(is_coloured) {
        let message = format!("{}: {ONLY_BLACK_AND_WHITE}", brief(key));
        return Err(places.locate(Error::data(message), value));
    }
    let warnings = source.unknown().into_iter().collect();
    Ok(Parsed { puzzle, warnings })
}

/// The keys of texts.
const TEXTS: [&str; 6] = ["title", "author", "by", "copyright", "license", "catalogue"];

/// Whether a member says something that is known.
fn is_known(key: &str, value: &str) -> bool {
    let sides = [Side::Rows, Side::Columns].into_iter();
    TEXTS.contains(&key)
        || ["width", "height"].contains(&key)
        || is_list("given", key, value)
        || is_list("content", key, value)
        || is_saved(key, value)
        || is_goal(key, value)
        || sides
            .into_iter()
            .any(|side| side.has_clues(key, value) || side.has_number(key, value))
}

/// Whether a member of this name is a list that is not empty. In other programs it may be something else, such as a description.
fn is_list(wanted: &str, name: &str, value: &str) -> bool {
    let inner = value.strip_prefix('[').map(str::trim_start);
    name == wanted && inner.is_some_and(|inner| !inner.starts_with(']'))
}

/// Whether a member is the list of the grids of players. Other programs may say by this name that something has been saved.
fn is_saved(name: &str, value: &str) -> bool {
    name == "saved" && value.starts_with('[')
}

/// Whether a member is the picture that a puzzle is to show. Under the second name, other programs may have a file.
fn is_goal(name: &str, value: &str) -> bool {
    name == "goal" || is_list("picture", name, value)
}

impl Side {
    /// Whether a member has its clues, or is to have them. Clues are lists: under most names, anything else says something else, such as
    /// `ver` a version.
    fn has_clues(self, key: &str, value: &str) -> bool {
        let is_list = value.starts_with('[');
        let is_usual = ["rows", "columns", "cols"].contains(&key) && !is_number(value);
        (is_list || is_usual) && Side::named(key) == Some(self)
    }

    /// Whether a member has its number.
    fn has_number(self, key: &str, value: &str) -> bool {
        let names: &[&str] = match self {
            Side::Rows => &["row", "rows"],
            Side::Columns => &["col", "cols", "column", "columns"],
        };
        is_number(value) && names.contains(&key.to_lowercase().as_str())
    }
}

/// Whether a value is a row of a drawing: a text, or a list of cells.
fn is_row_of_cells(value: &str) -> bool {
    let inner = value.strip_prefix('[').map(str::trim_start);
    value.starts_with('"') || inner.is_some_and(|inner| !inner.starts_with(['[', '{', ']']))
}

/// The puzzle of a drawing that is a whole file.
fn drawing(places: &Places<'_>, value: &str) -> Result<Puzzle> {
    let source = Source {
        places,
        object: value,
        members: Vec::new(),
    };
    let goal = source.grid("the drawing", value)?;
    Puzzle::from_grid(&goal).with_notes(Notes::default().goal(goal))
}

/// One puzzle's object in the text of the file.
struct Source<'a> {
    places: &'a Places<'a>,
    object: &'a str,
    members: Vec<(String, &'a RawValue)>,
}

impl<'a> Source<'a> {
    /// The value of the member with one of these names; null counts as absent.
    fn get(&self, names: &[&str]) -> Result<Option<&'a str>> {
        let found = self.find(|name, _| names.contains(&name))?;
        Ok(found.map(|(_, value)| value))
    }

    /// The name and the value of the one member that is wanted; null counts as absent.
    fn find(&self, is_wanted: impl Fn(&str, &str) -> bool) -> Result<Option<(&str, &'a str)>> {
        let members = self
            .members
            .iter()
            .map(|(name, raw)| (name.as_str(), raw.get()));
        let mut wanted = members.filter(|(name, value)| is_wanted(name, value));
        let first = wanted.next();
        if let (Some((name, _)), Some((other, second))) = (first, wanted.next()) {
            let names = if name == other {
                name.to_owned()
            } else {
                format!("{name} or {other}")
            };
            return Err(self.error(second, format!("{names} is given twice")));
        }
        Ok(first.filter(|(_, value)| *value != "null"))
    }

    /// Whether there are clues of rows or of columns.
    fn has_clues(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|(name, raw)| {
            let mut sides = [Side::Rows, Side::Columns].into_iter();
            sides.any(|side| side.has_clues(name, raw.get()))
        })
    }

    /// Some of these keys, for a message.
    fn listed(keys: Vec<&str>) -> String {
        /// Most keys that are listed.
        const MAX_KEYS: usize = 8;
        let more = keys.len() > MAX_KEYS;
        let keys = keys.into_iter().map(brief).take(MAX_KEYS);
        keys.chain(more.then(|| "others".into()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The error of an object without clues and without a goal, with the keys that it has.
    fn no_puzzle(&self) -> Error {
        let keys: Vec<&str> = self.members.iter().map(|(name, _)| name.as_str()).collect();
        let known = "a puzzle has rows and columns (also row and column, hor and ver, rowsDef and colsDef), or a goal";
        let message = match keys.len() {
            0 => format!("there are no keys here: {known}"),
            _ => format!("the keys here are {}: {known}", Self::listed(keys)),
        };
        self.error(self.object, message)
    }

    /// A warning of the keys that are not known.
    fn unknown(&self) -> Option<String> {
        let members = self.members.iter();
        let unknown = members.filter(|(name, raw)| !is_known(name, raw.get()));
        let keys: Vec<&str> = unknown.map(|(name, _)| name.as_str()).collect();
        match keys.len() {
            0 => None,
            1 => Some(format!(
                "the key {} is not known and was skipped",
                brief(keys[0])
            )),
            _ => Some(format!(
                "the keys {} are not known and were skipped",
                Self::listed(keys)
            )),
        }
    }

    /// The clues of the rows or of the columns, each with its place.
    fn side(&self, side: Side) -> Result<Vec<(Clue, &'a str)>> {
        let found = self.find(|name, value| side.has_clues(name, value))?;
        let Some((name, value)) = found else {
            if !self.has_clues() {
                return Err(self.no_puzzle());
            }
            let message = format!("this puzzle has no {}", side.name());
            return Err(self.error(self.object, message));
        };
        let mut clues = Vec::new();
        for (i, clue) in self
            .array(value, name, "a list of clues")?
            .into_iter()
            .enumerate()
        {
            let path = format!("{name}[{i}]");
            let mut lengths = Vec::new();
            for (k, length) in self.array(clue, &path, "a clue")?.into_iter().enumerate() {
                let path = || format!("{path}[{k}]");
                if !is_number(length) {
                    let message = if is_coloured(length) {
                        format!("{}: a block with a colour: {ONLY_BLACK_AND_WHITE}", path())
                    } else {
                        format!("{}: {} is not a block length", path(), kind(length))
                    };
                    return Err(self.error(length, message));
                }
                match number(length) {
                    Some(0) => {}
                    Some(length) => lengths.push(length),
                    None => {
                        let error = block_too_long(length);
                        return Err(self.error(length, format!("{}: {}", path(), error.message())));
                    }
                }
            }
            let built = Clue::new(lengths).map_err(|error| self.places.locate(error, clue))?;
            clues.push((built, clue));
        }
        if clues.is_empty() {
            return Err(self.error(value, format!("this puzzle has no {name}")));
        }
        Ok(clues)
    }

    /// The elements of an array.
    fn array(&self, value: &'a str, path: &str, what: &str) -> Result<Vec<&'a str>> {
        if !value.starts_with('[') {
            return Err(self.error(value, format!("{path}: {} is not {what}", kind(value))));
        }
        let elements: Vec<&RawValue> =
            serde_json::from_str(value).map_err(|error| syntax_in(&error, self.places, value))?;
        Ok(elements.into_iter().map(RawValue::get).collect())
    }

    /// Checks that a size, if a member gives it, agrees with the clues or the goal.
    fn check_size(
        &self,
        is_wanted: impl Fn(&str, &str) -> bool,
        name: &str,
        size: usize,
    ) -> Result<()> {
        match self.find(is_wanted)? {
            Some((_, value)) if value != size.to_string() => {
                let message = format!(
                    "the {name} is given as {}, but there are clues for {size}",
                    kind(value)
                );
                Err(self.error(value, message))
            }
            _ => Ok(()),
        }
    }

    fn string(&self, names: &[&str]) -> Result<Option<String>> {
        let Some(value) = self.get(names)? else {
            return Ok(None);
        };
        if !value.starts_with('"') {
            return Err(self.error(
                value,
                format!("{}: {} is not a text", names[0], kind(value)),
            ));
        }
        let text = serde_json::from_str(value);
        Ok(Some(
            text.map_err(|error| syntax_in(&error, self.places, value))?,
        ))
    }

    fn goal(&self) -> Result<Option<Grid>> {
        match self.find(is_goal)? {
            Some((name, value)) => self.grid(name, value).map(Some),
            None => Ok(None),
        }
    }

    /// The picture in rows of `#` and `.`, or of 0 and 1.
    fn grid(&self, name: &str, value: &'a str) -> Result<Grid> {
        let rows = self.rows_of_cells(name, value)?;
        Grid::from_rows(&rows)
            .map_err(|error| self.error(value, format!("{name}: {}", error.message())))
    }

    /// The given cells of a puzzle of this width and height, and where they stand.
    fn given(&self, (width, height): (usize, usize)) -> Result<Option<(Position, &'a str)>> {
        let is_given = |name: &str, value: &str| {
            is_list("given", name, value) || is_list("content", name, value)
        };
        let value = match self.find(is_given)? {
            None => return Ok(None),
            Some(("given", value)) => return Ok(Some((self.position("given", value)?, value))),
            Some((_, value)) => value,
        };
        let cells = self.array(value, "content", "a list of cells")?;
        if cells.len() != width * height {
            let message = format!(
                "content has {}, but a {width}x{height} puzzle has {}",
                plural(cells.len(), "cell"),
                width * height
            );
            return Err(self.error(value, message));
        }
        let mut given = Position::unknown(width, height);
        for (i, cell) in cells.into_iter().enumerate() {
            let known = match cell {
                "1" => Some(true),
                "-1" => Some(false),
                "0" => None,
                _ => {
                    let message = format!(
                        "content[{i}]: {} is not a cell, which is 1 if filled, -1 if empty, 0 if unknown",
                        kind(cell)
                    );
                    return Err(self.error(cell, message));
                }
            };
            given.set(i / width, i % width, known);
        }
        Ok(Some((given, value)))
    }

    /// The grids of players who have not finished.
    fn saved(&self) -> Result<Vec<Position>> {
        let Some((_, value)) = self.find(is_saved)? else {
            return Ok(Vec::new());
        };
        let grids = self.array(value, "saved", "a list of grids")?;
        let grids = grids.into_iter().enumerate();
        grids
            .map(|(i, grid)| self.position(&format!("saved[{i}]"), grid))
            .collect()
    }

    /// The position that is drawn in rows of `#`, `.` and `?`.
    fn position(&self, name: &str, value: &'a str) -> Result<Position> {
        let position = self.rows_of_cells(name, value)?.join("\n").parse();
        position.map_err(|error: Error| self.error(value, format!("{name}: {}", error.message())))
    }

    /// The rows of a drawing as `#` for filled cells, `.` for empty ones and `?` for unknown ones, from texts or from lists of 1 and 0, or true
    /// and false. Texts whose characters are not clear are kept.
    fn rows_of_cells(&self, name: &str, value: &'a str) -> Result<Vec<String>> {
        let mut rows = Vec::new();
        let elements = self.array(value, name, "a list of rows")?;
        for (i, row) in elements.into_iter().enumerate() {
            let path = format!("{name}[{i}]");
            if let Ok(text) = serde_json::from_str::<String>(row) {
                rows.push(text);
                continue;
            }
            let mut cells = String::new();
            for (k, cell) in self
                .array(row, &path, "a row of cells")?
                .into_iter()
                .enumerate()
            {
                cells.push(match cell {
                    "1" | "true" => '#',
                    "0" | "false" => '.',
                    _ => {
                        let message =
                            format!("{path}[{k}]: {} is not a cell: it is 0 or 1", kind(cell));
                        return Err(self.error(cell, message));
                    }
                });
            }
            rows.push(cells);
        }
        Ok(plain(rows))
    }

    fn error(&self, part: &str, message: String) -> Error {
        self.places.locate(Error::data(message), part)
    }
}

/// Whether a value of a clue is a block with a colour: a text such as `3r`, a list such as `["red", 3]`, or an object with a colour.
fn is_coloured(block: &str) -> bool {
    if let Ok(text) = serde_json::from_str::<String>(block) {
        let letters = |c: char| c.is_ascii_alphabetic() || c.is_whitespace();
        let bare = text.trim_matches(letters);
        return bare != text && is_number(bare);
    }
    if let Ok(pair) = serde_json::from_str::<Vec<&RawValue>>(block) {
        return pair.len() == 2 && pair.iter().any(|value| is_number(value.get()));
    }
    serde_json::from_str::<Members<'_>>(block).is_ok_and(|Members(members)| {
        let names = ["color", "colour", "c", "clr"];
        members
            .iter()
            .any(|(name, _)| names.contains(&name.to_lowercase().as_str()))
    })
}

/// Whether a member has the colours of a puzzle: more than one beside the ground, or a list for each line.
fn has_colours(key: &str, value: &str) -> bool {
    let key = key.to_lowercase();
    let number = || match value.chars().next() {
        Some('[') => serde_json::from_str::<Vec<&RawValue>>(value).map_or(0, |list| list.len()),
        Some('{') => {
            serde_json::from_str::<Members<'_>>(value).map_or(0, |members| members.0.len())
        }
        _ => 0,
    };
    let is_named = ["color", "colour", "palette"]
        .iter()
        .any(|name| key.contains(name));
    is_named && (number() > 2 || value.starts_with("[["))
}

/// A value for a message: the value itself if it is simple, else its type.
fn kind(value: &str) -> std::borrow::Cow<'_, str> {
    match value.chars().next() {
        Some('{') => "an object".into(),
        Some('[') => "an array".into(),
        Some('"') => "a text".into(),
        _ => brief(value),
    }
}

/// The puzzle as JSON text, which reads back as the same puzzle.
pub fn write(puzzle: &Puzzle) -> String {
    // One member per line: the clues stay compact and the text is readable.
    let members: Vec<String> = members(puzzle)
        .into_iter()
        .map(|(name, value)| format!("  \"{name}\": {value}"))
        .collect();
    format!("{{\n{}\n}}\n", members.join(",\n"))
}

/// The members of the object of a puzzle, in order.
pub(crate) fn members(puzzle: &Puzzle) -> Vec<(&'static str, serde_json::Value)> {
    let notes = puzzle.notes();
    let mut members = Vec::new();
    let texts = [
        ("title", &notes.title),
        ("author", &notes.author),
        ("copyright", &notes.copyright),
        ("license", &notes.license),
        ("catalogue", &notes.catalogue),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            members.push((name, serde_json::json!(value)));
        }
    }
    let clues = |clues: &[Clue]| {
        clues
            .iter()
            .map(|clue| clue.lengths().collect())
            .collect::<Vec<Vec<_>>>()
    };
    members.push(("width", puzzle.width().into()));
    members.push(("height", puzzle.height().into()));
    members.push(("rows", serde_json::json!(clues(puzzle.rows()))));
    members.push(("columns", serde_json::json!(clues(puzzle.columns()))));
    if let Some(given) = puzzle.given() {
        members.push(("given", serde_json::json!(given.rows())));
    }
    if let Some(goal) = &notes.goal {
        let drawn = goal.to_string();
        members.push(("goal", drawn.lines().collect()));
    }
    if !notes.saved.is_empty() {
        let grids: Vec<_> = notes.saved.iter().map(Position::rows).collect();
        members.push(("saved", serde_json::json!(grids)));
    }
    members
}

#[cfg(test)]
mod tests;
