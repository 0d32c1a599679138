//! How the lists of a graph grow.

/// Makes room for this many more items, at least a quarter of the list at a time: doubling would hold twice what is needed.
pub(super) fn room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4).max(64));
    }
}
