//! Locking that ignores poisoning: a panic of one thread ends the run anyway, so the other threads need not panic too.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(feature = "checked")]
    super::checked::give_way();
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
