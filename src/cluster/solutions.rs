//! The sink of a cube whose solutions are listed: it computes the digest of their set and passes them to a [`SolutionStore`], which
//! writes, keeps or drops them.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::digest::{Digest, SetDigest};
use crate::run::lock;
use crate::solutions::{Batch, Sink, Stop};

/// Receives the solutions of one cube.
pub trait SolutionStore: Send {
    /// Takes a batch of solutions; [`ControlFlow::Break`] stops the search of the cube.
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop>;
}

/// `None` drops the solutions.
impl<S: SolutionStore> SolutionStore for Option<S> {
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop> {
        match self {
            Some(store) => store.put(batch),
            None => ControlFlow::Continue(()),
        }
    }
}

/// A sink for the solutions of one cube.
#[derive(Debug)]
pub(super) struct DigestSink<S>(Mutex<(S, SetDigest)>);

impl<S: SolutionStore> DigestSink<S> {
    /// A sink that passes the solutions to `store`.
    pub(super) fn new(store: S) -> Self {
        DigestSink(Mutex::new((store, SetDigest::new())))
    }

    /// The store, and the digest of the set of solutions.
    pub(super) fn into_parts(self) -> (S, Digest) {
        let (store, set) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (store, set.digest())
    }
}

impl<S: SolutionStore> Sink for DigestSink<S> {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        // One thread works on a cube, so the lock is never contended.
        let mut inner = lock(&self.0);
        let (store, set) = &mut *inner;
        batch.each(|words| set.add(words));
        store.put(batch)
    }
}
