//! The page on which a designer draws, what answers its questions, and its local server.
//!
//! The folder `page` has the page. It asks questions with JSON bodies; the [`answers`] are those of the library, in the form that the
//! command prints with `--json`. They know nothing of how a question comes and an answer goes: beside the local server, which the command
//! starts, a worker of the browser brings them, with this library as WebAssembly.

pub mod answers;
#[cfg(feature = "studio")]
mod server;

#[cfg(feature = "studio")]
pub use server::{Studio, StudioOptions};
