//! Texts of puzzle files, made fit for every output.

use std::borrow::Cow;

/// A text without control characters and noncharacters, which XML cannot hold and which no line of text should.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let wrong = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    match text.contains(wrong) {
        true => text.replace(wrong, "\u{fffd}").into(),
        false => text.into(),
    }
}
