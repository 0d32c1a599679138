//! The titles of drawings.

use std::path::Path;

use omnogram::render::Sheet;

use super::messages;
use super::subject::Subject;

/// An empty sheet with the titles of a puzzle.
pub(super) fn titled_sheet<'a>(subject: &Subject<'_>) -> Sheet<'a> {
    let notes = subject.puzzle.notes();
    let file = || {
        let stem = Path::new(subject.raw_name).file_stem();
        stem.map_or(subject.raw_name.to_owned(), |stem| {
            stem.to_string_lossy().into_owned()
        })
    };
    Sheet::default()
        .title(notes.title.clone().unwrap_or_else(file))
        .byline(byline(subject))
}

/// `by Ann, 5x5`
fn byline(subject: &Subject<'_>) -> String {
    let puzzle = subject.puzzle;
    let author = puzzle.notes().author.iter();
    let author = author.map(|author| format!("by {author}"));
    let size = format!("{}x{}", puzzle.width(), puzzle.height());
    author.chain([size]).collect::<Vec<_>>().join(", ")
}

/// `heart.non: Heart, by Ann, 5x5`
pub(super) fn heading(subject: &Subject<'_>) -> String {
    let title = subject.puzzle.notes().title.iter();
    let title: String = title.map(|title| format!("{title}, ")).collect();
    messages::escaped(&format!("{}: {title}{}", subject.name, byline(subject))).into_owned()
}
