//! Reading of the certificate's text files, line by line, with the place of what is wrong.

use std::io::{self, BufRead, Read};

use crate::error::{Error, Result};

/// Bytes that are read, or steps of work of a few nanoseconds, between two calls of `stop`.
pub(super) const STOP_INTERVAL_STEPS: usize = 1 << 20;

/// Length of the longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 28;

/// What bounds a check.
pub struct Bounds<'a> {
    /// Called at intervals; ends the check when it returns `true`. The error then has the source [`io::ErrorKind::Interrupted`].
    pub stop: &'a mut dyn FnMut() -> bool,
    /// Approximate memory, in bytes. The error of a check that would need more has the source [`io::ErrorKind::OutOfMemory`].
    pub memory: u64,
}

impl std::fmt::Debug for Bounds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bounds")
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

impl Bounds<'_> {
    /// Fails if the check is stopped.
    pub(super) fn poll(&mut self, name: &str) -> Result<()> {
        if (self.stop)() {
            Err(Error::io(name, io::ErrorKind::Interrupted.into()))
        } else {
            Ok(())
        }
    }

    /// Fails if this number of bytes is more than allowed.
    pub(super) fn check_memory(&self, bytes: u64, name: &str) -> Result<()> {
        if bytes > self.memory {
            Err(out_of_memory(name))
        } else {
            Ok(())
        }
    }
}

/// The error of a check that would need more memory than it may have.
pub(super) fn out_of_memory(name: &str) -> Error {
    Error::io(name, io::ErrorKind::OutOfMemory.into())
}

/// The lines of a text.
pub(super) struct TextLines<'a, 'b> {
    input: &'a mut dyn BufRead,
    bounds: &'a mut Bounds<'b>,
    name: &'a str,
    text: String,
    number: usize,
    unpolled_bytes: usize,
}

impl<'a, 'b> TextLines<'a, 'b> {
    /// The lines of `input`, which is called `name` in errors.
    pub(super) fn new(
        input: &'a mut dyn BufRead,
        name: &'a str,
        bounds: &'a mut Bounds<'b>,
    ) -> Self {
        TextLines {
            input,
            bounds,
            name,
            text: String::new(),
            number: 0,
            unpolled_bytes: 0,
        }
    }

    /// The next line without its line break; `None` at the end.
    ///
    /// # Errors
    ///
    /// Errors of the input, a line that is not UTF-8, and what ends the check.
    pub(super) fn next(&mut self) -> Result<Option<&str>> {
        self.work(self.text.len() + 1)?;
        self.text.clear();
        self.number += 1;
        // A line and what is made of it fit into the memory.
        let most = MAX_LINE_BYTES.min(self.bounds.memory / 8);
        let mut line = (&mut *self.input).take(most + 1);
        match line.read_line(&mut self.text) {
            Ok(0) => Ok(None),
            Ok(length) if length as u64 > most => {
                self.text.clear();
                self.bounds.check_memory(8 * MAX_LINE_BYTES, self.name)?;
                Err(self.wrong("this line is too long"))
            }
            Ok(_) => Ok(Some(self.text.trim_end_matches('\n'))),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                self.text.clear();
                Err(self.wrong("this line is not UTF-8 text"))
            }
            Err(error) => Err(Error::io(self.name, error)),
        }
    }

    /// Fails if this number of bytes is more than allowed.
    pub(super) fn check_memory(&self, bytes: u64) -> Result<()> {
        self.bounds.check_memory(bytes, self.name)
    }

    /// Counts work on the current line, in steps of a few nanoseconds, so that a check of much work per byte is stopped too.
    pub(super) fn work(&mut self, steps: usize) -> Result<()> {
        self.unpolled_bytes += steps;
        if self.unpolled_bytes >= STOP_INTERVAL_STEPS {
            self.unpolled_bytes = 0;
            self.bounds.poll(self.name)?;
        }
        Ok(())
    }

    /// An error in the current line.
    pub(super) fn wrong(&self, message: impl Into<String>) -> Error {
        let text = self.text.trim_end_matches('\n');
        self.wrong_as_a_whole(message).at(self.number, 1, text)
    }

    /// An error in the text as a whole.
    pub(super) fn wrong_as_a_whole(&self, message: impl Into<String>) -> Error {
        Error::data(message).in_file(self.name)
    }
}

/// Reads the integers of a line that ends with 0, without the 0, into `into`; `false` if it is not such a line.
pub(super) fn integers<N: std::str::FromStr + Default + PartialEq>(
    words: &mut dyn Iterator<Item = &str>,
    into: &mut Vec<N>,
) -> bool {
    into.clear();
    while let Some(Ok(number)) = words.next().map(str::parse::<N>) {
        if number == N::default() {
            return words.next().is_none();
        }
        into.push(number);
    }
    false
}
