//! Takes the place of `png` and `pdf` in a build without the feature `images`: nothing can be drawn.

use super::drawing::Sheet;
use super::paper::{Pages, Paper};
use crate::error::{Error, Result};

/// A sheet as a PNG file, in builds with the feature `images`; here always an error.
///
/// # Errors
///
/// [`Kind::Usage`](crate::error::Kind::Usage).
pub fn png(_sheet: &Sheet<'_>, _cell: Option<u32>, _paper: Option<Paper>) -> Result<Vec<u8>> {
    Err(Error::without_images("draw PNG"))
}

/// Whether a PNG picture can show this text: here it cannot.
pub fn can_write(_text: &str) -> bool {
    false
}

/// A PDF file, in builds with the feature `images`; here nothing can be added to it.
#[derive(Debug)]
pub struct Pdf {
    _pages: Pages,
}

impl Pdf {
    /// An empty file.
    pub fn new(pages: Pages) -> Self {
        Pdf { _pages: pages }
    }

    /// Whether a title can be drawn: here it cannot.
    pub fn can_write(_text: &str) -> bool {
        false
    }

    /// Fails.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`](crate::error::Kind::Usage).
    pub fn add(&mut self, _sheet: &Sheet<'_>) -> Result<()> {
        Err(Error::without_images("draw PDF"))
    }

    /// Nothing: there are no pages.
    pub fn number_size(&self) -> Option<f64> {
        None
    }

    /// Completes nothing.
    pub fn end_page(&mut self) {}

    /// Adds nothing.
    pub fn append(&mut self, _other: Pdf) {}

    /// Nothing.
    pub fn finish(self) -> Vec<u8> {
        Vec::new()
    }
}
