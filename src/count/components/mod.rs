//! Components: the regions into which the unknown cells fall apart, the keys by which equal ones are known, and the table of those that
//! have been counted.

mod book;
mod cache;
mod component;
mod digits;
mod line_automaton;
mod store;
mod table;

pub(crate) use book::{Book, Page};
pub(crate) use cache::Key;
pub(crate) use component::{Component, ComponentFinder, Rows};
pub(crate) use digits::{Reader, push};
pub(crate) use line_automaton::{END, LineAutomata, NONE, Piece, States, UniqueTable};
pub(crate) use store::{Store, edge};
pub use table::ComponentTable;
pub(crate) use table::ComponentValue;
