//! Growth policy of the lists of a graph.

/// Reserves capacity for `more` items, growing by at least a quarter of the length; doubling could waste half of the memory.
pub(super) fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4).max(64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_room_grows_by_a_quarter_or_by_what_is_needed() {
        let grown = |length: usize, more| {
            let mut list = vec![0u8; length];
            list.shrink_to_fit();
            reserve(&mut list, more);
            list.capacity() - length
        };
        // An allocator may give a little more.
        for (length, more, by) in [(0, 1, 64), (100, 1, 64), (1000, 1, 250), (1000, 300, 300)] {
            assert!((by..by + 16).contains(&grown(length, more)), "{length}");
        }
        assert!(grown(1000, 0) < 16);
    }

    #[test]
    fn a_list_with_room_stays() {
        let mut list = Vec::with_capacity(1000);
        list.resize(900, 0u8);
        let capacity = list.capacity();
        for more in [0, 50, capacity - 900] {
            reserve(&mut list, more);
            assert_eq!(list.capacity(), capacity);
        }
        reserve(&mut list, capacity - 899);
        assert!(list.capacity() > capacity);
    }
}
