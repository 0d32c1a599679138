//! Components: the regions into which the unknown cells fall apart, the keys by which equal ones are known, and the table of those that
//! have been counted.

mod book;
mod cache;
mod counted;
mod diagram;
mod digits;
mod part;
mod store;

pub(crate) use book::{Book, Page};
pub(crate) use cache::Key;
pub use counted::Counted;
pub(crate) use counted::Worth;
pub(crate) use diagram::{END, Lines, NONE, Numbers, Piece, States};
pub(crate) use digits::{Reader, push};
pub(crate) use part::{Part, Parts, Rows};
pub(crate) use store::{Store, edge};
