//! Solutions one by one, from a search on threads of its own.

use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::options::Options;
use super::outcome::{Outcome, Verdict};
use super::tree::Search;
use crate::puzzle::Grid;
use crate::run::Control;
use crate::solutions::{Batches, Stop, Stream};

/// Solutions per batch from the search to the iterator, and the maximum number of unread batches.
const SOLUTIONS_PER_BATCH: usize = 256;
const MAX_BATCHES: usize = 16;

/// An iterator over the solutions of a puzzle, in the order in which the search finds them. Made by [`Search::solutions`].
///
/// The search runs on threads of its own, and pauses while some thousand solutions are unread. It stops when the iterator is dropped.
pub struct Solutions {
    batches: Batches,
    /// The solutions of the latest batch that have not been read.
    grids: std::vec::IntoIter<Grid>,
    control: Arc<Control>,
    /// The thread of the search; `None` once it has been joined.
    search: Option<JoinHandle<Outcome>>,
    outcome: Option<Outcome>,
}

impl fmt::Debug for Solutions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solutions").finish_non_exhaustive()
    }
}

impl Search<'_> {
    /// Finds a solution, if there is one. If the run was stopped, `None` does not prove that there is no solution.
    ///
    /// ```
    /// let puzzle = omnogram::Puzzle::from_clues(&[vec![2], vec![1]], &[vec![1], vec![2]])?;
    /// let (solution, _) = omnogram::Search::new(&puzzle).solve();
    /// assert_eq!(solution.unwrap().to_string(), "##\n.#\n");
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn solve(&self) -> (Option<Grid>, Outcome) {
        let (found, outcome) = self.first(1);
        (found.into_iter().next(), outcome)
    }

    /// Decides whether the puzzle has none, one, or several solutions, and returns up to two of them.
    ///
    /// ```
    /// use omnogram::search::Verdict;
    ///
    /// let puzzle = omnogram::Puzzle::from_clues(&[[1], [1]], &[[1], [1]])?;
    /// let (verdict, solutions, _) = omnogram::Search::new(&puzzle).check();
    /// assert_eq!((verdict, solutions.len()), (Verdict::Multiple, 2));
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn check(&self) -> (Verdict, Vec<Grid>, Outcome) {
        let (found, outcome) = self.first(2);
        (outcome.solutions.verdict(), found, outcome)
    }

    /// The solutions in the order in which they are found. The search runs in the background, with as many threads as the current rayon
    /// pool has.
    ///
    /// The limits apply; the observer is not called.
    ///
    /// ```
    /// use omnogram::{Puzzle, Search};
    ///
    /// let ones = vec![[1]; 20];
    /// let puzzle = Puzzle::from_clues(&ones, &ones)?;
    /// // It has 20! solutions; the search stops after the first thousand.
    /// let found: Vec<_> = Search::new(&puzzle).solutions().take(1000).collect();
    /// assert_eq!(found.len(), 1000);
    ///
    /// let puzzle = Puzzle::from_clues(&ones[..5], &ones[..5])?;
    /// let mut solutions = Search::new(&puzzle).solutions();
    /// assert_eq!(solutions.by_ref().count(), 120);
    /// assert!(solutions.finish().is_complete());
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn solutions(&self) -> Solutions {
        let control = Arc::new(Control::new(&self.limits, true));
        let (stream, batches) = Stream::new(MAX_BATCHES);
        let (puzzle, threads) = (self.puzzle.clone(), self.threads());
        let cubes = self.cubes.clone();
        let limits = self.limits.clone();
        let cells = puzzle.width() * puzzle.height();
        let options = Options {
            batch_cells: (SOLUTIONS_PER_BATCH * cells) as u64,
            ..self.options.clone()
        };
        let search_control = Arc::clone(&control);
        let search = std::thread::spawn(move || {
            let search = Search {
                puzzle: &puzzle,
                cubes,
                limits,
                options,
                single_threaded: threads == 1,
                observer: None,
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            match pool.build() {
                Ok(pool) if threads > 1 => {
                    pool.install(|| search.run_under(&search_control, &stream))
                }
                // One thread needs no pool. If no pool can be built, one thread is used.
                _ => search.single_threaded().run_under(&search_control, &stream),
            }
        });
        Solutions {
            batches,
            grids: Vec::new().into_iter(),
            control,
            search: Some(search),
            outcome: None,
        }
    }
}

impl Solutions {
    /// Stops the search, if it has not ended, and returns its outcome. The solutions found but not read are lost.
    pub fn finish(mut self) -> Outcome {
        self.stop();
        self.join();
        self.outcome.take().expect("the search has ended")
    }

    /// Tells the search to stop, if it is still running.
    fn stop(&mut self) {
        if self.search.is_some() {
            self.control.stop(Stop::Closed);
            // Drops the receiver, so that a search that waits for room in the stream is woken by an error.
            self.batches = Stream::new(0).1;
        }
    }

    /// Waits for the end of the search and keeps its outcome. If the search has panicked, resumes the panic.
    fn join(&mut self) {
        match self.search.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => self.outcome = Some(outcome),
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => {}
        }
    }
}

impl Iterator for Solutions {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        loop {
            if let Some(grid) = self.grids.next() {
                return Some(grid);
            }
            match self.batches.recv() {
                Ok(batch) => self.grids = batch.grids().into_iter(),
                // The search drops its stream when it ends.
                Err(_) => {
                    self.join();
                    return None;
                }
            }
        }
    }
}

impl Drop for Solutions {
    fn drop(&mut self) {
        self.stop();
        // A panic of the search has been reported on its thread.
        let _ = self.search.take().map(JoinHandle::join);
    }
}
