//! One puzzle that a verb answers, and what it is called.

use omnogram::puzzle::Puzzle;

use super::{inputs, messages};

/// A puzzle to be answered.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// As it is printed in text.
    pub(super) name: &'a str,
    /// The same as it is: for programs, and for names of files.
    pub(super) file: &'a str,
    pub(super) puzzle: &'a Puzzle,
    /// Whether it is one of several puzzles, so that the answer has to name it.
    pub(super) several: bool,
}

impl Subject<'_> {
    /// What the puzzle is called: its title, or else its number in a collection.
    pub(super) fn title(&self) -> Option<&str> {
        let notes = self.puzzle.notes();
        let texts = [&notes.title, &notes.catalogue].into_iter().flatten();
        texts.map(|text| text.trim()).find(|text| !text.is_empty())
    }

    /// How answers name it: `pack.nonpack#2 (Heart)`.
    pub(super) fn label(&self) -> String {
        match self.title().filter(|_| inputs::number(self.file).is_some()) {
            Some(title) => format!("{} ({})", self.name, messages::escaped(title)),
            None => self.name.to_owned(),
        }
    }
}
