//! Pictures out. Everything here draws what it is given, with nothing but the model at hand: [`List`] writes many solutions one after
//! the other, as fast as they are found; [`puzzle`] draws one puzzle with its clues for people; [`difference`] lays two solutions
//! over each other.

mod list;
mod pair;
mod text;

pub use list::{List, Listing};
pub use pair::{difference, differing};
pub use text::puzzle;
