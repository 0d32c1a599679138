//! A task: searches one subtree depth first, in a loop, with an explicit stack of open entries.
//!
//! The board is changed in place; an open sibling is only an undo mark and a decision. When too few tasks are waiting, the oldest open
//! entry is packed as a [`Node`], which is plain data, and given to another task. When the run must stop, everything open is handed back as
//! cubes.

mod emit;
mod examine;
mod fill;
mod node;
mod search_loop;
mod share;
mod state;
mod subproblem_cache;

pub(crate) use examine::narrowest_cell;
pub(super) use node::{Context, LeafTarget, Node, Product};
pub(super) use share::{run_all, spawn};
pub(super) use state::Shared;
pub(super) use subproblem_cache::SubproblemCache;
