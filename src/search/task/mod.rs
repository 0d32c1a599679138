//! A task: walks one subtree depth first, in a loop, with an explicit stack of what is open.
//!
//! The board is changed in place; an open sibling is no more than a point of the undo trail and the decision to make there. Only when
//! too few tasks wait is the oldest open piece of the stack packed up as a [`Node`], which is data, and given to another task. When
//! the run must stop, everything open is handed back as cubes.

mod emit;
mod examine;
mod fill;
mod node;
mod share;
mod state;
mod subproblem_cache;
mod walk;

pub(crate) use examine::narrowest;
pub(super) use node::{Context, Goal, Node, Product};
pub(super) use share::spawn;
pub(super) use state::{Shared, Task};
pub(super) use subproblem_cache::Rests;
