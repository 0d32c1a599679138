//! What is wrong with files of records: the first few problems of each file, and how many there are. A wrong file has a problem in every
//! line, and nobody reads them all.

use rustc_hash::FxHashSet;

use crate::error::Error;

/// Problems of a file that are named.
const NAMED: usize = 5;

/// Problems by file, in the order in which the files came.
#[derive(Debug, Default)]
pub(super) struct Problems {
    files: Vec<Of>,
    /// Those that must be said only once.
    said: FxHashSet<String>,
}

/// The problems of one file.
#[derive(Debug)]
struct Of {
    file: String,
    named: Vec<Error>,
    number: u64,
}

impl Problems {
    /// One more.
    pub(super) fn add(&mut self, file: &str, error: Error) {
        let of = match self.files.iter().position(|of| of.file == file) {
            Some(place) => &mut self.files[place],
            None => {
                self.files.push(Of {
                    file: file.to_owned(),
                    named: Vec::new(),
                    number: 0,
                });
                self.files.last_mut().expect("one was added")
            }
        };
        of.number += 1;
        if of.named.len() < NAMED {
            of.named.push(error.in_file(file));
        }
    }

    /// One more, unless it has been said before.
    pub(super) fn add_once(&mut self, file: &str, error: Error) {
        if self.said.insert(error.clone().in_file(file).to_string()) {
            self.add(file, error);
        }
    }

    /// That a file, which has had this many problems, holds nothing of what it should: this alone is said in place of them all, at the line
    /// of the first one.
    pub(super) fn nothing(&mut self, file: &str, number: u64, what: &str) {
        let of = self.files.iter_mut().rev().find(|of| of.file == file);
        let Some((of, first)) =
            of.and_then(|of| of.named.first().cloned().map(|first| (of, first)))
        else {
            return;
        };
        let message = format!("there is no {what} in this file: none of its {number} lines is one");
        let error = Error::data(message);
        let error = match first.place() {
            Some(place) => error.at(place.line, 1, &place.text),
            None => error,
        };
        (of.named, of.number) = (vec![error.in_file(file)], 1);
    }

    /// All that is to be said, and how many problems there are.
    pub(super) fn told(self) -> (Vec<Error>, u64) {
        let number = self.files.iter().map(|of| of.number).sum();
        let each = self.files.into_iter().flat_map(|of| {
            let more = of.number - of.named.len() as u64;
            let message = match more {
                1 => "1 more problem".to_owned(),
                more => format!("{more} more problems"),
            };
            let rest = (more > 0).then(|| Error::data(message).in_file(&of.file));
            of.named.into_iter().chain(rest)
        });
        (each.collect(), number)
    }
}
