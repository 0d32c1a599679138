//! Pictures out. The renderers draw what they are given and depend on the puzzle model alone.
//!
//! A [`Sheet`] of [`Drawing`]s describes the content: a puzzle, solutions, ambiguous cells, how often cells are filled. [`text()`],
//! [`svg()`], [`png()`], [`Pdf`] and [`Html`] are the output formats, and each can draw any sheet. [`List`] writes many solutions one
//! after the other, as fast as they are found; [`difference`] compares two in one picture.

mod drawing;
mod harmless;
mod html;
#[cfg(feature = "images")]
mod latin;
mod layout;
mod list;
#[cfg(not(feature = "images"))]
mod no_images;
mod pair;
mod paper;
#[cfg(feature = "images")]
mod pdf;
#[cfg(feature = "images")]
mod png;
mod steps;
mod svg;
mod text;

pub use drawing::{Drawing, Letters, Mark, Sheet, Sides};
pub use html::{Html, HtmlSection};
pub use layout::number_size;
pub use list::{List, Listing};
#[cfg(not(feature = "images"))]
pub use no_images::{Pdf, can_write, png};
pub use pair::{difference, differing};
pub use paper::{Pages, Paper};
#[cfg(feature = "images")]
pub use pdf::Pdf;
#[cfg(feature = "images")]
pub use png::{can_write, png};
pub use steps::{Slide, steps};
pub use svg::svg;
pub use text::{Look, Style, Text, text};
