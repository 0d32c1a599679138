//! The files of the page, which are part of the program.

use crate::studio::answers::Reply;

/// A file of the page: its name, its type and its content.
type File = (&'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($name:literal: $type:ident,)*) => {
        [$(($name, $type, include_str!(concat!("../page/", $name)))),*]
    };
}

/// All files of the folder `page`.
const FILES: &[File] = &files! {
    "announce.js": SCRIPT,
    "answers.js": SCRIPT,
    "api.js": SCRIPT,
    "badges.js": SCRIPT,
    "bands.js": SCRIPT,
    "board.js": SCRIPT,
    "cell-words.js": SCRIPT,
    "check.js": SCRIPT,
    "clipboard.js": SCRIPT,
    "clues-dialog.js": SCRIPT,
    "clues.js": SCRIPT,
    "collection-view.js": SCRIPT,
    "collection.js": SCRIPT,
    "download.js": SCRIPT,
    "drawing.js": SCRIPT,
    "dropped.js": SCRIPT,
    "elements.js": SCRIPT,
    "events.js": SCRIPT,
    "explain.js": SCRIPT,
    "export.js": SCRIPT,
    "files.js": SCRIPT,
    "finished.js": SCRIPT,
    "heat.js": SCRIPT,
    "history.js": SCRIPT,
    "image.js": SCRIPT,
    "index.html": HTML,
    "keys.js": SCRIPT,
    "layers.js": SCRIPT,
    "main.js": SCRIPT,
    "markers.js": SCRIPT,
    "opening.js": SCRIPT,
    "parts.js": SCRIPT,
    "patterns.js": SCRIPT,
    "play.js": SCRIPT,
    "pointer.js": SCRIPT,
    "print.js": SCRIPT,
    "profile.js": SCRIPT,
    "repair.js": SCRIPT,
    "run-button.js": SCRIPT,
    "selection.js": SCRIPT,
    "shapes.js": SCRIPT,
    "side.js": SCRIPT,
    "solutions.js": SCRIPT,
    "store.js": SCRIPT,
    "style.css": CSS,
    "theme.js": SCRIPT,
    "toolbar.js": SCRIPT,
    "tools.js": SCRIPT,
    "transform.js": SCRIPT,
    "view.js": SCRIPT,
    "words.js": SCRIPT,
};

/// The file with this name; the page itself has none.
pub(super) fn file(name: &str) -> Option<Reply> {
    let name = if name.is_empty() { "index.html" } else { name };
    let (_, content_type, content) = FILES.iter().find(|(own, ..)| *own == name)?;
    Some(Reply {
        status: 200,
        content_type,
        headers: Vec::new(),
        body: content.as_bytes().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_page_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/studio/page");
        let files = fs::read_dir(folder).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        let mut served: Vec<&str> = FILES.iter().map(|(name, ..)| *name).collect();
        served.sort();
        assert_eq!(served, names);
    }
}
