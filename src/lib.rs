//! Omnogram finds **every** solution of a nonogram. It lists them, counts them exactly, or proves that there is one, on all cores, and says
//! so when it stopped early.
//!
//! A nonogram gives the lengths of the filled runs of every row and column; the task is to find the picture. Some puzzles have several:
//!
//! ```
//! use omnogram::{Puzzle, Search};
//!
//! let puzzle = Puzzle::from_clues(&[[1], [1], [1]], &[[1], [1], [1]])?;
//! let (solutions, outcome) = Search::new(&puzzle).collect();
//! assert!(outcome.is_complete());
//! assert_eq!(solutions.len(), 6);
//! assert_eq!(solutions[0].to_string(), "#..\n.#.\n..#\n");
//! # Ok::<(), omnogram::Error>(())
//! ```
//!
//! # Overview
//!
//! | you have or want | type or module |
//! |---|---|
//! | a puzzle from clues, from a text, from a file | [`Puzzle`], [`Puzzle::from_clues`], [`format::read_one`], [`mod@format`] |
//! | one solution; none, one or several; all of them | [`Search::solve`], [`Search::check`], [`Search::solutions`], [`Search::collect`] |
//! | the number of solutions without listing them | [`Counter`] |
//! | the share of each cell, random solutions, the k-th solution | [`graph::SolutionGraph`], from [`Counter::graph`] |
//! | about how many solutions | [`Estimator`] |
//! | the cells that are the same in every solution | [`Search::backbone`] |
//! | where a puzzle is ambiguous | [`design::Ambiguity`] |
//! | new puzzles that are unique, or solved by a given method | [`design::Generator`] |
//! | whether two puzzles are the same when mirrored or turned | [`design::Canonical`] |
//! | how a person solves a puzzle, and how hard that is | [`design::Explainer`], [`design::Profile`] |
//! | the smallest edit that makes a picture's puzzle unique, the fewest cells to give away | [`design::Repair`] |
//! | bounds on time, nodes, memory and solutions | [`Limits`], [`Outcome`] |
//! | results as JSON | `serde::Serialize`, by [`Outcome`], [`estimate::Estimate`], [`graph::CellCounts`], [`Puzzle`], [`Grid`] |
//! | drawings | [`render`] |
//!
//! Below these, [`solutions`] has the sinks that receive what a search finds, and [`error`] the one type of errors.
//!
//! # Features
//!
//! By default everything is built. A library that is embedded needs less: with `default-features = false` it needs no C++ compiler,
//! searches and counts, estimates, reads and writes all formats of text, and draws text, SVG and HTML. These features add to it:
//!
//! | feature | adds |
//! |---|---|
//! | `sat` | clause learning by CaDiCaL, which proves hard puzzles much faster; needs a C++ compiler |
//! | `sat-rust` | clause learning by batsat, about as fast, which needs Rust alone, also for WebAssembly; without proofs of its answers. With `sat` too, CaDiCaL is used |
//! | `images` | reading of PNG, JPEG, GIF, BMP and WebP; drawings as PNG and PDF |
//! | `design` | what designers of puzzles ask: [`design`] |
//! | `serde` | results implement `serde::Serialize` |
//! | `unstable` | the internals and expert options are public, without any promise of stability: `line`, `board`, `belief`, `sat`, `classic`, `census`, `cluster`, `studio` |
//! | `cli` | the command, which needs all of these; on by default |
//! | `checked` | a check build, for tests: fixpoints, contradictions, regions, components and solutions are recomputed by plain means, and a panic reports the first that differs; many times slower |
//! | `answers` | what answers the questions of the page of `studio`, without a server |
//! | `studio` | the verb `studio`: a page on which a designer draws, and its local server; on by default |
//!
//! # Cookbook
//!
//! **Bound a run.** A number from a run that was stopped says that it is a lower bound:
//!
//! ```
//! use omnogram::search::Total;
//! use omnogram::solutions::{Count, Stop};
//! use omnogram::{Limits, Puzzle, Search};
//!
//! let ones = vec![[1]; 20];
//! let puzzle = Puzzle::from_clues(&ones, &ones)?;
//! let limits = Limits::default().solutions(1000);
//! let outcome = Search::new(&puzzle).limits(limits).count();
//! assert_eq!(outcome.solutions, Total::AtLeast(Count::from(1000)));
//! assert_eq!(outcome.stopped, Some(Stop::Limit));
//! # Ok::<(), omnogram::Error>(())
//! ```
//!
//! **Read solutions while the search goes on.** Dropping the iterator stops the search:
//!
//! ```
//! use omnogram::{Puzzle, Search};
//!
//! let puzzle: Puzzle = r#"{"rows": [[1], [1], [1]], "columns": [[1], [1], [1]]}"#.parse()?;
//! let corner = Search::new(&puzzle).solutions().find(|grid| grid.get(2, 2));
//! assert!(corner.is_some());
//! # Ok::<(), omnogram::Error>(())
//! ```
//!
//! **Count what nobody can list:**
//!
//! ```
//! use omnogram::{Counter, Puzzle};
//!
//! let ones = vec![[1]; 20];
//! let puzzle = Puzzle::from_clues(&ones, &ones)?;
//! assert_eq!(Counter::new(&puzzle).run().solutions.to_string(), "2432902008176640000");
//! # Ok::<(), omnogram::Error>(())
//! ```
//!
//! **Choose the threads.** Searches and counts use the rayon pool in which they are called; [`rayon::ThreadPool::install`] chooses another.
//! The folder `examples` has five short programs.

#![cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "much of the internals is used by the command alone"
    )
)]

/// Makes items public with the feature `unstable`, and visible in this crate alone without it.
///
/// The modules below have no such macro because rustfmt would not find them.
macro_rules! unstable {
    ($(use $file:ident::$names:tt;)*) => {$(
        #[cfg(feature = "unstable")]
        pub use $file::$names;
        #[cfg(not(feature = "unstable"))]
        pub(crate) use $file::$names;
    )*};
}

pub mod count;
#[cfg(feature = "design")]
pub mod design;
pub mod error;
pub mod estimate;
pub mod format;
pub mod graph;
pub mod puzzle;
pub mod render;
mod run;
pub mod search;
#[cfg(feature = "serde")]
mod serialize;
pub mod solutions;

// The internals: public with the feature `unstable`, for the command, the tests and the benchmarks. They may change in every release.
#[cfg(feature = "unstable")]
pub mod belief;
#[cfg(not(feature = "unstable"))]
mod belief;
#[cfg(feature = "unstable")]
pub mod board;
#[cfg(not(feature = "unstable"))]
mod board;
#[cfg(feature = "unstable")]
pub mod census;
#[cfg(feature = "unstable")]
pub mod certificate;
#[cfg(feature = "unstable")]
pub mod classic;
#[cfg(not(feature = "unstable"))]
mod classic;
#[cfg(feature = "unstable")]
pub mod cluster;
#[cfg(feature = "unstable")]
pub mod line;
#[cfg(not(feature = "unstable"))]
mod line;
#[cfg(feature = "unstable")]
pub mod sat;
#[cfg(not(feature = "unstable"))]
mod sat;
#[cfg(all(feature = "answers", feature = "unstable"))]
pub mod studio;

pub use count::Counter;
pub use error::Error;
pub use estimate::Estimator;
pub use puzzle::{Cell, Clue, Grid, Puzzle};
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use run::set_clock;
pub use search::{Limits, Outcome, Search, Solutions};

/// The examples of the README hold too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
