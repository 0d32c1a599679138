//! Errors outside the puzzle itself: bad input, failed input or output, files that do not belong together.
//!
//! That a puzzle has no solution is an answer, not an error. There is one opaque [`Error`] with a [`Kind`] to match on; the reader of a
//! file adds the [`Place`], so that the command can show the line with a caret below it.

use std::fmt;
use std::io;
use std::sync::Arc;

/// The category of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The call or the command line is invalid.
    Usage,
    /// The data is not a puzzle (or not a grid, or not a list of solutions).
    Data,
    /// Reading or writing failed.
    Io,
}

/// An option of a reader that can do something about an [`Error`]. Each program has its own name for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Another format.
    Format,
    /// A size to which a picture is scaled.
    Size,
    /// The character of the filled cells of a drawing.
    Filled,
}

/// Where in a file an error was found; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file as the user named it (`<stdin>` for standard input); empty when the text came from memory.
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
    /// Column number in characters, from 1.
    pub column: usize,
    /// The line itself, without its line break.
    pub text: String,
}

/// A failure: a [`Kind`], a message for people, and the [`Place`] if there is one.
///
/// Its `Display` form is one line, `file:line:column: message`; [`Error::excerpt`] shows the place. Where reading or writing failed,
/// [`source`](std::error::Error::source) is the [`io::Error`].
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    kind: Kind,
    message: String,
    file: String,
    place: Option<Place>,
    remedy: Option<Remedy>,
    source: Option<Arc<io::Error>>,
}

/// Columns of a long line that an excerpt shows, with the caret among them.
const WINDOW: usize = 72;

impl Error {
    /// An error of this kind with a message for people.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            file: String::new(),
            place: None,
            remedy: None,
            source: None,
        }))
    }

    /// An error of kind [`Kind::Data`] with a message for people.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(Kind::Data, message)
    }

    /// For what this build cannot do without the feature `images`.
    #[cfg(not(feature = "images"))]
    pub(crate) fn without_images(what: &str) -> Self {
        let message = format!(
            "this build of omnogram cannot {what}: it was built without the feature `images`"
        );
        Self::new(Kind::Usage, message)
    }

    /// Input or output of this file that failed.
    pub fn io(file: &str, error: io::Error) -> Self {
        // Without the error number that the standard library appends: "(os error 2)".
        let text = error.to_string();
        let text = text
            .split(" (os error")
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let mut failed = Self::new(Kind::Io, text).in_file(file);
        failed.0.source = Some(Arc::new(error));
        failed
    }

    /// The same error at a place of a text: `line` and `column` from 1, `text` the whole line.
    #[must_use]
    pub fn at(mut self, line: usize, column: usize, text: &str) -> Self {
        self.0.place = Some(Place {
            file: self.0.file.clone(),
            line,
            column,
            text: text.to_owned(),
        });
        self
    }

    /// The same error with the name of its file, and for a pack the number of the puzzle (`pack.nonpack#3`).
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.0.file = file.to_owned();
        if let Some(place) = &mut self.0.place {
            place.file = file.to_owned();
        }
        self
    }

    /// The same error with what can be done about it.
    #[must_use]
    pub(crate) fn with_remedy(mut self, remedy: Remedy) -> Self {
        self.0.remedy = Some(remedy);
        self
    }

    /// The category of this error.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The message, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The name of the file, if it is known.
    pub fn file(&self) -> Option<&str> {
        Some(&*self.0.file).filter(|file| !file.is_empty())
    }

    /// The place of the error, if it was found in a text.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The option that can do something about it, if there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        self.0.remedy
    }

    /// The offending line with a caret below the column, as two lines of text; `None` without a place.
    ///
    /// A long line is cut to a window around the caret, tabs and control characters become single spaces.
    pub fn excerpt(&self) -> Option<String> {
        let place = self.0.place.as_ref()?;
        let cells: Vec<char> = place
            .text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let caret = place.column.saturating_sub(1).min(cells.len());
        let start = if caret > WINDOW * 3 / 4 {
            caret - WINDOW / 2
        } else {
            0
        };
        let end = cells.len().min(start + WINDOW);
        let (left, right) = (
            if start > 0 { "..." } else { "" },
            if end < cells.len() { "..." } else { "" },
        );
        let shown: String = cells[start..end].iter().collect();
        let number = place.line.to_string();
        let gutter = " ".repeat(number.len());
        let indent = " ".repeat(left.len() + caret - start);
        Some(format!(
            "{number} | {left}{}{right}\n{gutter} | {indent}^",
            shown.trim_end()
        ))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        match &inner.place {
            Some(place) if !inner.file.is_empty() => {
                write!(f, "{}:{}:{}: ", inner.file, place.line, place.column)?
            }
            Some(place) => write!(f, "{}:{}: ", place.line, place.column)?,
            None if !inner.file.is_empty() => write!(f, "{}: ", inner.file)?,
            None => {}
        }
        f.write_str(&inner.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}

/// The result of anything that can fail with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_place_with_a_caret() {
        let error = Error::data("absurd number")
            .at(7, 3, "1,99999999")
            .in_file("a.non");
        assert_eq!(error.to_string(), "a.non:7:3: absurd number");
        assert_eq!(error.excerpt().unwrap(), "7 | 1,99999999\n  |   ^");
    }

    #[test]
    fn a_failed_file_has_the_error_of_the_system_as_its_source() {
        let error = Error::io("a.non", io::Error::from(io::ErrorKind::NotFound));
        let copy = error.clone().in_file("b.non");
        assert_eq!(copy.to_string(), "b.non: entity not found");
        let source = std::error::Error::source(&copy).unwrap();
        let source: &io::Error = source.downcast_ref().unwrap();
        assert_eq!(source.kind(), io::ErrorKind::NotFound);
        assert!(std::error::Error::source(&Error::data("x")).is_none());
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let line = "1,".repeat(2000);
        let excerpt = Error::data("x").at(1, 1001, &line).excerpt().unwrap();
        let (shown, caret) = excerpt.split_once('\n').unwrap();
        assert!(shown.len() < 100 && shown.starts_with("1 | ...") && shown.ends_with("..."));
        assert_eq!(shown.as_bytes()[caret.len() - 1], b'1');
    }
}
