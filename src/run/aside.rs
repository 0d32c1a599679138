//! Dropping what is large on a thread of its own, where runs have several.

use std::thread;

/// A value of this number of bytes or more is dropped on a thread of its own.
const MIN_BYTES: u64 = 1 << 25;

/// Drops a value that holds this number of bytes. A large value can take seconds; on a thread of its own it does not delay the answer. A run on one thread
/// starts none.
pub(crate) fn drop_aside<T: Send + 'static>(value: T, bytes: u64) {
    if bytes >= MIN_BYTES && rayon::current_num_threads() > 1 {
        // If there is no thread, the value is dropped here.
        let dropped = thread::Builder::new().spawn(move || drop(value));
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Sends the thread that drops it.
    struct Noted(mpsc::Sender<thread::ThreadId>);

    impl Drop for Noted {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
        }
    }

    #[test]
    fn only_what_is_large_is_dropped_on_another_thread() {
        let (noted, dropped) = mpsc::channel();
        for (bytes, is_large) in [(MIN_BYTES, true), (MIN_BYTES - 1, false)] {
            drop_aside(Noted(noted.clone()), bytes);
            let thread = dropped.recv().unwrap();
            assert_eq!(thread != thread::current().id(), is_large);
        }
    }
}
