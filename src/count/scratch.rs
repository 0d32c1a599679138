//! A folder for what a count cannot keep in memory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};

/// A folder for what a count cannot keep in memory (see [`Counter::scratch`](super::Counting::scratch)).
///
/// The files there have no names, where the system allows that, so that nothing is left of them however the run ends; elsewhere they are
/// removed when they are closed.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    error: Mutex<Option<Error>>,
}

impl Scratch {
    /// In this folder.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when no file can be made there.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self> {
        let scratch = Scratch {
            folder: folder.into(),
            error: Mutex::default(),
        };
        let file = scratch.file();
        file.map_err(|error| scratch.named(&error))?;
        Ok(scratch)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The first error in reading or writing there. It has stopped the count, whose number is a lower bound.
    pub fn error(&self) -> Option<Error> {
        self.first().clone()
    }

    /// A new file, which is gone when it is closed.
    pub(crate) fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.folder)
    }

    /// Notes an error.
    pub(crate) fn fail(&self, error: &io::Error) {
        let error = self.named(error);
        self.first().get_or_insert(error);
    }

    fn first(&self) -> std::sync::MutexGuard<'_, Option<Error>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named(&self, error: &io::Error) -> Error {
        Error::io(&self.folder.display().to_string(), error)
    }
}
