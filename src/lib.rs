//! Every solution of a nonogram.
pub mod error;
pub mod line;
pub mod puzzle;
