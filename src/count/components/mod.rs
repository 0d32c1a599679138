//! Components: the independent regions of the unknown cells, the keys that identify equal ones, and the table of counted components.

mod book;
mod cache;
mod component;
mod digits;
mod line_automaton;
mod store;
mod table;

pub(crate) use book::{ComponentCodec, ComponentText};
pub(crate) use cache::Key;
pub(crate) use component::{Component, ComponentFinder, Rows};
pub(crate) use digits::{Reader, push};
pub(crate) use line_automaton::{END, LineAutomata, NONE, Piece, States, UniqueTable};
pub(crate) use store::{Store, edge};
pub use table::ComponentTable;
pub(crate) use table::ComponentValue;
