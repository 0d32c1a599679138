//! A scratch folder for data of a count that exceeds the memory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};
use crate::run::lock;

/// A scratch folder for data of a count that exceeds the memory (see [`Counter::scratch`](super::Counter::scratch)).
///
/// Where the system allows it the files there have no names, so that they vanish however the run ends; elsewhere they are removed when
/// they are closed.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// Shared by all handles of the folder.
    error: Arc<Mutex<Option<Error>>>,
}

impl Scratch {
    /// Uses this folder.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when no file can be created there.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self> {
        let scratch = Scratch {
            folder: folder.into(),
            error: Arc::default(),
        };
        let file = scratch.file();
        file.map_err(|error| scratch.with_folder(error))?;
        Ok(scratch)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The first error in reading or writing a file. It has stopped the count, whose number is then a lower bound.
    pub fn error(&self) -> Option<Error> {
        self.first_error().clone()
    }

    /// Another handle of the same folder.
    pub(crate) fn share(&self) -> Self {
        Scratch {
            folder: self.folder.clone(),
            error: Arc::clone(&self.error),
        }
    }

    /// A new file, which is removed when it is closed.
    pub(crate) fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.folder)
    }

    /// Records an error; only the first one is kept.
    pub(crate) fn fail(&self, error: io::Error) {
        let error = self.with_folder(error);
        self.first_error().get_or_insert(error);
    }

    fn first_error(&self) -> std::sync::MutexGuard<'_, Option<Error>> {
        lock(&self.error)
    }

    fn with_folder(&self, error: io::Error) -> Error {
        Error::io(&self.folder.display().to_string(), error)
    }
}
