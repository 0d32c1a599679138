//! The texts about a puzzle that files name in their own words.

use crate::puzzle::Notes;

/// The catalogue number, the title, the author, the copyright and the licence, as far as they are given, each with its name of these.
pub(super) fn properties<'a, const N: usize>(
    notes: &'a Notes,
    names: [&'static str; N],
) -> impl Iterator<Item = (&'static str, &'a str)> {
    let values = [
        &notes.catalogue,
        &notes.title,
        &notes.author,
        &notes.copyright,
        &notes.license,
    ];
    let named = names.into_iter().zip(values);
    named.filter_map(|(name, value)| Some((name, value.as_deref()?)))
}
