//! Pictures out. Everything here draws what it is given, with nothing but the model at hand: [`List`] writes many solutions one after
//! the other, as fast as they are found; [`puzzle`] draws one puzzle with its clues for people; [`difference`] lays two solutions
//! over each other, and [`Heat`] all of them.

mod heat;
mod list;
mod pair;
mod text;

pub use heat::{Heat, Share};
pub use list::{List, Listing};
pub use pair::{difference, differing};
pub use text::puzzle;
