//! Chooses the line at which the two frontiers meet.
//!
//! A frontier generates the same combinations wherever it meets the other one. So the work of a sweep is what the near frontier generates at
//! each line up to that of the meeting, and what the far one generates at each line from there on. The choice is repeated after each
//! line, so the estimates need not be accurate: what is far ahead does not matter yet.

use super::walks::Expected;

/// Maximum number of classes of fillings at the meeting.
const MAX_CLASSES: f64 = 64.0;

/// The best line for the meeting, and the combinations that are read and generated then. `near` and `far` are what the frontiers are expected
/// to do at each of the lines between them. `None` if the memory, which has room for `max` combinations including those of the current
/// layers, suffices for no line.
pub(super) fn choose_meeting(
    near: &[Expected],
    far: &[Expected],
    max: f64,
) -> Option<(usize, f64)> {
    let (Some(at_near), Some(at_far)) = (near.first(), far.last()) else {
        return None;
    };
    // While a frontier passes a line, its layer before the line is freed.
    let fits = |passed: &[Expected], other: &Expected| {
        let needed = |line: &Expected| line.room() + other.read;
        passed.iter().all(|line| needed(line) < max)
    };
    let work = |passed: &[Expected]| passed.iter().map(|line| line.work()).sum::<f64>();
    let work_of_meeting = |line: usize| {
        let (before, behind) = (&near[..line], &far[line + 1..]);
        if !fits(before, at_far) || !fits(behind, at_near) {
            return None;
        }
        let (near, far) = (near[line], far[line]);
        let stored = near.room().min(far.room());
        let free = max - near.read - far.read;
        if stored > MAX_CLASSES * free {
            return None;
        }
        // Of several classes of fillings, each combination is read for about the root of their number: a cell that can have one value only
        // rules out half of them.
        let reads = (stored / free).max(1.0).sqrt();
        let meeting = near.generated + far.generated + reads * (near.read + far.read);
        Some((line, work(before) + work(behind) + meeting))
    };
    let meetings = (0..near.len()).filter_map(work_of_meeting);
    meetings.min_by(|(_, a), (_, b)| a.total_cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layers of these sizes before each line, with 10 successors for each combination.
    fn expected(read: &[f64]) -> Vec<Expected> {
        let line = |&read: &f64| Expected {
            read,
            generated: 10.0 * read,
        };
        read.iter().map(line).collect()
    }

    #[test]
    fn frontiers_meet_where_the_work_is_least() {
        let near = expected(&[1e3, 1e4, 1e5]);
        let far = expected(&[3e3, 2e3, 1e3]);
        let meeting = choose_meeting(&near, &far, 1e9);
        assert_eq!(meeting, Some((0, 11.0 * 7e3)));
        let (near, far) = (expected(&[1e3, 1e3, 1e5]), expected(&[1e5, 5e3, 1e3]));
        let meeting = choose_meeting(&near, &far, 1e9);
        assert_eq!(meeting, Some((1, 11.0 * 8e3)));
    }

    #[test]
    fn a_layer_that_does_not_fit_is_avoided() {
        let (near, far) = (expected(&[1e3, 1e5]), expected(&[1e3, 1e3]));
        assert_eq!(choose_meeting(&near, &far, 1e9).unwrap().0, 0);
        let (near, far) = (expected(&[1e3, 2e3]), expected(&[1e3, 1e5]));
        assert_eq!(choose_meeting(&near, &far, 1e9).unwrap().0, 0);
        assert_eq!(choose_meeting(&near, &far, 5e5).unwrap().0, 1);
        assert_eq!(choose_meeting(&near, &far, 1e4), None);
    }

    #[test]
    fn little_memory_costs_more_readings_at_the_meeting() {
        let (near, far) = (expected(&[1e6]), expected(&[1e6]));
        let work = |max| choose_meeting(&near, &far, max).unwrap().1;
        assert_eq!(work(1e9), 2.2e7);
        assert!(work(3e6) > 2.3e7);
        assert_eq!(choose_meeting(&near, &far, 2e6), None);
    }

    #[test]
    fn the_other_frontier_keeps_its_layer_while_one_passes_a_line() {
        // A table for what is behind the first line has room for 6.5e4 combinations.
        let (near, far) = (expected(&[1e4, 1e4]), expected(&[1e9, 1e4]));
        assert_eq!(choose_meeting(&near, &far, 7e4), None);
        assert_eq!(choose_meeting(&near, &far, 8e4).unwrap().0, 1);
    }
}
