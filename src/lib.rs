//! Omnogram finds **every** solution of a nonogram: it lists them, counts them exactly, or proves that there is one, on all cores,
//! and says honestly when it stopped early.
//!
//! A nonogram gives the lengths of the filled runs of every row and column; the picture is to be found. Often there is more than
//! one:
//!
//! ```
//! use omnogram::format;
//! use omnogram::search::Search;
//!
//! let text = r#"{"rows": [[1], [1], [1]], "columns": [[1], [1], [1]]}"#;
//! let puzzle = format::read(text.as_bytes(), "three.json").swap_remove(0).puzzle?;
//! let (solutions, outcome) = Search::new(&puzzle).collect();
//! assert!(outcome.is_complete());
//! assert_eq!(solutions.len(), 6);
//! assert_eq!(solutions[0].to_string(), "#..\n.#.\n..#\n");
//! # Ok::<(), omnogram::error::Error>(())
//! ```
//!
//! # What is where
//!
//! A file becomes a [`Puzzle`](puzzle::Puzzle) in [`format`](mod@format). [`line`](mod@line) completes one line exactly, [`board`]
//! propagates and probes a whole puzzle, [`search`] walks the tree in parallel and hands what it finds to a sink of [`solutions`]. Where
//! one or two solutions are wanted, or the cells that all of them share, it races clause learning, which is in [`sat`] and is guided by
//! [`belief`]. [`mod@count`] counts all solutions without listing them, keeps them as a graph that can be asked, and estimates how many
//! there are. [`render`] draws. [`classic`] has the published ways to solve, to learn from and to check against.
//!
//! # Stopping
//!
//! Every run can be bounded, and a number from a run that was stopped says that it is a lower bound:
//!
//! ```
//! use omnogram::puzzle::{Clue, Puzzle};
//! use omnogram::search::{Limits, Search, Total};
//! use omnogram::solutions::{Count, Stop};
//!
//! let ones = vec![Clue::new([1])?; 20];
//! let puzzle = Puzzle::new(ones.clone(), ones)?;
//! let limits = Limits { solutions: Some(1000), ..Limits::default() };
//! let outcome = Search::new(&puzzle).limits(limits).count();
//! assert_eq!(outcome.solutions, Total::AtLeast(Count::from(1000)));
//! assert_eq!(outcome.stopped, Some(Stop::Limit));
//! # Ok::<(), omnogram::error::Error>(())
//! ```
//!
//! # Solutions as they are found
//!
//! [`solutions::Stream`] passes them to another thread through a bounded channel; your own [`solutions::Sink`] can do anything else.
//!
//! ```
//! use omnogram::puzzle::{Clue, Puzzle};
//! use omnogram::search::Search;
//! use omnogram::solutions::Stream;
//!
//! let ones = vec![Clue::new([1])?; 7];
//! let puzzle = Puzzle::new(ones.clone(), ones)?;
//! let (stream, batches) = Stream::new(16);
//! let listed = std::thread::scope(|threads| {
//!     let reader = threads.spawn(move || batches.iter().flat_map(|batch| batch.grids()).count());
//!     Search::new(&puzzle).run(&stream);
//!     drop(stream);
//!     reader.join().unwrap()
//! });
//! assert_eq!(listed, 5040);
//! # Ok::<(), omnogram::error::Error>(())
//! ```

pub mod belief;
pub mod board;
pub mod classic;
pub mod cluster;
pub mod count;
pub mod error;
pub mod estimate;
pub mod format;
pub mod graph;
pub mod line;
pub mod puzzle;
pub mod render;
mod run;
pub mod sat;
pub mod search;
pub mod solutions;

/// The examples of the README hold too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
