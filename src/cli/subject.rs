//! One puzzle that a verb answers, with its names.

use omnogram::puzzle::Puzzle;

use super::{inputs, messages};

/// A puzzle to be answered.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// The name of the puzzle for text output, escaped.
    pub(super) name: &'a str,
    /// The name as it is, for JSON and for file names.
    pub(super) raw_name: &'a str,
    pub(super) puzzle: &'a Puzzle,
    /// Whether it is one of several puzzles, so that the answer has to name it.
    pub(super) several: bool,
}

impl Subject<'_> {
    /// The title of the puzzle, or else its number in a catalogue.
    pub(super) fn title(&self) -> Option<&str> {
        let notes = self.puzzle.notes();
        let texts = [&notes.title, &notes.catalogue].into_iter().flatten();
        texts.map(|text| text.trim()).find(|text| !text.is_empty())
    }

    /// The name of the puzzle in answers, with its title if it is one of a pack: `pack.nonpack#2 (Heart)`.
    pub(super) fn label(&self) -> String {
        match self
            .title()
            .filter(|_| inputs::pack_number(self.raw_name).is_some())
        {
            Some(title) => format!("{} ({})", self.name, messages::escaped(title)),
            None => self.name.to_owned(),
        }
    }
}
