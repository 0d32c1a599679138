//! Components: the independent regions of the unknown cells, the keys that identify equal ones, and the table of counted components.

mod base32;
mod cache;
#[cfg(feature = "checked")]
mod checked;
mod component;
mod journal_text;
mod line_automaton;
mod store;
mod table;

pub(crate) use base32::{Reader, push_number};
pub(crate) use cache::Key;
pub(crate) use component::{Component, ComponentFinder, Rows};
pub(crate) use journal_text::{ComponentCodec, ComponentText};
pub(crate) use line_automaton::{AutomatonBuilder, END, NONE, Piece, PieceCache, UniqueTable};
pub(crate) use store::{Store, edge};
pub use table::ComponentTable;
pub(crate) use table::ComponentValue;
