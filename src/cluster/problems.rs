//! The problems found in files of records: the first few of each file, and their number, as a wrong file has one in every line.

use crate::error::Error;

/// Number of problems per file that are shown in full.
const MAX_SHOWN: usize = 5;

/// Problems by file, in the order in which the files were first added.
#[derive(Debug, Default)]
pub(super) struct Problems {
    files: Vec<FileProblems>,
}

/// The problems of one file.
#[derive(Debug)]
struct FileProblems {
    file: String,
    shown: Vec<Error>,
    total: u64,
}

impl Problems {
    /// Adds a problem.
    pub(super) fn add(&mut self, file: &str, error: Error) {
        let entry = match self.files.iter().position(|entry| entry.file == file) {
            Some(place) => &mut self.files[place],
            None => {
                self.files.push(FileProblems {
                    file: file.to_owned(),
                    shown: Vec::new(),
                    total: 0,
                });
                self.files.last_mut().expect("one was added")
            }
        };
        entry.total += 1;
        if entry.shown.len() < MAX_SHOWN {
            entry.shown.push(error.in_file(file));
        }
    }

    /// Replaces all problems of a file by one, at the line of the first: that none of its `total` lines is a record of the expected kind.
    pub(super) fn replace_all(&mut self, file: &str, total: u64, what: &str) {
        let entry = self.files.iter_mut().find(|entry| entry.file == file);
        let Some(entry) = entry.filter(|entry| !entry.shown.is_empty()) else {
            return;
        };
        let message = format!("no line of this file is a {what} ({total} read)");
        let mut error = Error::data(message);
        if let Some(place) = entry.shown[0].place() {
            error = error.at(place.line, 1, &place.text);
        }
        (entry.shown, entry.total) = (vec![error.in_file(file)], 1);
    }

    /// The problems to show, in which a line per file stands for those not shown, and the number of all problems.
    pub(super) fn into_parts(self) -> (Vec<Error>, u64) {
        let total = self.files.iter().map(|entry| entry.total).sum();
        let errors = self.files.into_iter().flat_map(|entry| {
            let more = entry.total - entry.shown.len() as u64;
            let message = match more {
                1 => "1 more problem".to_owned(),
                more => format!("{more} more problems"),
            };
            let not_shown = (more > 0).then(|| Error::data(message).in_file(&entry.file));
            entry.shown.into_iter().chain(not_shown)
        });
        (errors.collect(), total)
    }
}
