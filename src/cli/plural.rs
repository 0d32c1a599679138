//! Numbers with a noun, singular or plural.

/// `1 file`, `2 files`.
pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
