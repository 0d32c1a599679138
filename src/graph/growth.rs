//! Growth policy of the lists of a graph.

/// Reserves capacity for `more` items, growing by at least a quarter of the length; doubling could waste half of the memory.
pub(super) fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4).max(64));
    }
}
