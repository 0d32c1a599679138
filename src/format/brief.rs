//! Shortened text and plural forms for messages.

use std::borrow::Cow;

/// The beginning of a text from the file, short enough for a message.
pub(super) fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

/// `1 clue`, `2 clues`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
