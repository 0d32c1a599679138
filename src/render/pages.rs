//! The pages of a document to print.

use super::paper::Paper;

/// The size of pages, and the number of sheets on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pages {
    /// Pages of this paper, portrait or landscape as fits best, with this number of sheets on each; 0 counts as 1.
    Paper(Paper, usize),
    /// Pages as large as their sheet. The number is the side of a cell in pixels of 1/96 inch.
    Cell(u32),
}
