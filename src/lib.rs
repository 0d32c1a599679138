//! Every solution of a nonogram.
pub mod board;
pub mod error;
pub mod format;
pub mod line;
pub mod puzzle;
pub mod search;
pub mod solutions;
