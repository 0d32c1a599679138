//! The sink of a cube that is listed: it adds up the digest of the set. What else becomes of the solutions is for a [`SolutionStore`]: they are
//! written, kept for later, or let go.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::digest::{Digest, SetDigest};
use crate::solutions::{Batch, Sink, Stop};

/// Where the solutions of one cube go.
pub trait SolutionStore: Send {
    /// Takes some of them; [`ControlFlow::Break`] stops the run of the cube.
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop>;
}

/// Without a shelf they are let go.
impl<S: SolutionStore> SolutionStore for Option<S> {
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop> {
        match self {
            Some(shelf) => shelf.put(batch),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Takes the solutions of one cube.
#[derive(Debug)]
pub struct DigestSink<S>(Mutex<(S, SetDigest)>);

impl<S: SolutionStore> DigestSink<S> {
    /// One that puts them there.
    pub fn new(shelf: S) -> Self {
        DigestSink(Mutex::new((shelf, SetDigest::new())))
    }

    /// Where they are, and the digest of their set.
    pub fn into_parts(self) -> (S, Digest) {
        let (shelf, set) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (shelf, set.digest())
    }
}

impl<S: SolutionStore> Sink for DigestSink<S> {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        // One thread works on a cube: nobody waits here.
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (shelf, set) = &mut *inner;
        batch.each(|words| set.add(words));
        shelf.put(batch)
    }
}
