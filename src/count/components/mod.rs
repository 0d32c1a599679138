//! Components: the independent regions of the unknown cells, the keys that identify equal ones, and the table of counted components.

mod cache;
#[cfg(feature = "checked")]
mod checked;
mod component;
mod line_automaton;
mod store;
mod table;

pub(crate) use cache::Key;
pub(crate) use component::{Component, ComponentFinder, Rows};
pub(crate) use line_automaton::{AutomatonBuilder, END, NONE, Piece, PieceCache, UniqueTable};
pub(crate) use store::{Store, edge};
pub use table::ComponentTable;
pub(crate) use table::ComponentValue;
