//! The page on which a designer draws, and the server of that page.
//!
//! The server listens on the loopback address alone. Every address begins with a random token, and a request from another origin or with
//! another host is refused, so that only a program that was told the address can use it (`guard`). The page is part of the program
//! (`page`). Its questions are requests with JSON bodies (`question`); the answers are those of the library, in the form that the
//! command prints with `--json`. An answer that may take long is a stream of events, and closing the stream stops the run (`events`).
//!
//! One thread serves all connections. Each run has a thread of its own and a pool of threads for its search; there are at most
//! `engine::MAX_RUNS` runs at a time. Connections, bodies and runs are bounded in number and in bytes, and a client that is slow loses
//! its connection.

mod body;
mod check;
mod edit;
mod engine;
mod events;
mod explain;
mod files;
mod guard;
mod interrupt;
mod page;
mod question;
mod refusal;
mod reply;
mod route;
mod server;
mod space;

pub use server::{Studio, StudioOptions};
