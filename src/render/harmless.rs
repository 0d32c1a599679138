//! Sanitises texts of puzzle files for all outputs.

use std::borrow::Cow;

/// The text with control characters and noncharacters replaced by U+FFFD: XML does not allow them, and they would garble a line of text.
pub(super) fn sanitized(text: &str) -> Cow<'_, str> {
    let is_forbidden = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    if text.contains(is_forbidden) {
        text.replace(is_forbidden, "\u{fffd}").into()
    } else {
        text.into()
    }
}
