//! The two frontiers of a sweep: which one moves when, until they meet, and when the rest is divided into parts.

use std::fmt::Debug;

use super::front::Front;
use super::key::{Key, PathCount, bytes_of};
use super::lines::{End, Lines};
use super::meeting::Meeting;
use super::nodes::{CellOrder, add_nodes};
use super::parts::Parts;
use super::pass::NextLayer;
use super::resources::{Resources, SweepEnd};
use super::step::MeetingStep;
use super::walks::choose_meeting;
use crate::count::components::Store;
use crate::graph::NodeId;
use crate::solutions::Count;

/// From this number of combinations on, in both layers together, random walks tell the work well enough, and take far less time than passing
/// a line.
const MIN_COMBINATIONS: u64 = 1 << 16;

/// Where the memory has room for fewer combinations than this many times that number, the number is smaller.
const SMALL_DIVISOR: u64 = 16;

/// Parts begin if the rest is expected to take more than this share of the memory. In sweeps of nine random puzzles with 12 to 384 MB, all that
/// were expected to take at most 0.2 of the memory fitted, and none that was expected to take all of it.
const MAX_EXPECTED_SHARE: f64 = 0.4;

/// If the rest is expected to take more than this multiple of the memory, it is not divided either.
const MAX_EXCESS: f64 = 256.0;

/// Parts begin before a line behind which both layers would take more than this share of the memory. As the layers from which the parts
/// begin are kept, these take at most the second share.
const MIN_START_SHARE: f64 = 0.25;
const MAX_START_SHARE: f64 = 0.5;

/// With more lines between the frontiers than this, it does not matter yet where the frontiers meet.
const MAX_LINES_AHEAD: usize = 16;

/// The expected work from here on, in combinations that are read or generated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// For the next line.
    pub(super) line: f64,
    /// For everything behind it.
    pub(super) rest: f64,
}

/// Both frontiers.
#[derive(Debug)]
pub(super) struct Fronts<K, N> {
    pub(super) near: Front<K, N>,
    pub(super) far: Front<K, N>,
    pub(super) meeting: Option<Meeting<K, N>>,
    /// Combinations read and generated at the line that is being passed, or at the meeting.
    pub(super) line_work: u64,
    /// Whether the near frontier passes the next line, and the expected work from there on, if it was estimated.
    pub(super) near_moves: bool,
    pub(super) ahead: Option<Ahead>,
    /// The parts, if there are several. Then the frontiers and the meeting are those of the part that is being swept.
    pub(super) parts: Option<Box<Parts<K, N>>>,
}

/// Frontiers with combinations of any width. See also the methods of [`Sweep`](super::Sweep) with these names.
pub(super) trait Run: Debug + Send {
    /// Nanoseconds for each combination that is read or generated.
    fn combination_ns(&self) -> u64;

    fn run(&mut self, lines: &Lines, resources: &mut Resources<'_>) -> Result<Count, SweepEnd>;

    /// Forecast of the combinations that are still to be read and generated. O(lines along * lines across).
    fn forecast(&self, lines: &Lines) -> f64;

    fn proved(&self) -> Count;

    /// Frees what has been done for the part that is being swept; without parts, for the class of fillings that is being joined. If there
    /// was any, returns the bytes that the sweep holds.
    fn shrink(&mut self) -> Option<u64>;

    fn add_nodes(
        &mut self,
        lines: &Lines,
        cells: &CellOrder,
        store: &Store,
        resources: &mut Resources<'_>,
    ) -> Result<NodeId, SweepEnd>;
}

impl<K: Key, N: PathCount> Run for Fronts<K, N> {
    fn combination_ns(&self) -> u64 {
        K::COMBINATION_NS
    }

    fn run(&mut self, lines: &Lines, resources: &mut Resources<'_>) -> Result<Count, SweepEnd> {
        loop {
            let before = resources.spent;
            let ended = match self.begin_part(resources) {
                Ok(true) => self.run_part(lines, resources),
                Ok(false) => return Ok(self.proved()),
                Err(end) => Err(end),
            };
            let Some(parts) = &mut self.parts else {
                return ended;
            };
            parts.work += resources.spent - before;
            match ended {
                Ok(count) => parts.end_part(&count),
                Err(SweepEnd::Full) if parts.divide() => {}
                Err(end) => return Err(end),
            }
            self.free_part();
        }
    }

    fn forecast(&self, lines: &Lines) -> f64 {
        let rest = self.forecast_of_part(lines);
        let parts = self.parts.as_ref();
        parts.map_or(rest, |parts| parts.forecast(rest))
    }

    fn proved(&self) -> Count {
        let counts = [
            self.parts.as_ref().map(|parts| &parts.total),
            self.meeting.as_ref().map(|meeting| &meeting.total),
        ];
        let mut sum = Count::ZERO;
        counts.into_iter().flatten().for_each(|count| sum += count);
        sum
    }

    fn shrink(&mut self) -> Option<u64> {
        let Some(parts) = &mut self.parts else {
            let meeting = self.meeting.as_mut()?;
            return meeting.join.take().map(|_| meeting.held);
        };
        let held = parts.leave_part();
        self.free_part();
        Some(held)
    }

    fn add_nodes(
        &mut self,
        lines: &Lines,
        cells: &CellOrder,
        store: &Store,
        resources: &mut Resources<'_>,
    ) -> Result<NodeId, SweepEnd> {
        let met = self.meeting.take().and_then(|meeting| meeting.met);
        let layers = [
            self.near.take_layers(resources)?,
            self.far.take_layers(resources)?,
        ];
        add_nodes(
            lines,
            cells,
            layers,
            met.unwrap_or_default(),
            store,
            resources,
        )
    }
}

impl<K: Key, N: PathCount> Fronts<K, N> {
    /// The frontiers before the first lines. If `keeps_layers`, all combinations are kept.
    pub(super) fn new(keeps_layers: bool) -> Self {
        Fronts {
            near: Front::new(End::Near, keeps_layers),
            far: Front::new(End::Far, keeps_layers),
            meeting: None,
            line_work: 0,
            near_moves: true,
            ahead: None,
            parts: None,
        }
    }

    /// Goes on until the whole, or the part that is being swept, is counted.
    fn run_part(
        &mut self,
        lines: &Lines,
        resources: &mut Resources<'_>,
    ) -> Result<Count, SweepEnd> {
        loop {
            if self.near.len == 0 || self.far.len == 0 {
                return Ok(Count::ZERO);
            }
            if self.lines_between(lines) > 1 && self.next_layer().is_none() {
                self.choose(lines, resources)?;
            }
            let before = resources.spent;
            let ended = self.pass_line(lines, resources);
            self.line_work += resources.spent - before;
            if let Some(count) = ended? {
                return Ok(count);
            }
            self.line_work = 0;
            if let Some(ahead) = &mut self.ahead {
                ahead.line = 0.0;
            }
        }
    }

    /// Goes on past the next line; returns the count if that is the last one.
    fn pass_line(
        &mut self,
        lines: &Lines,
        resources: &mut Resources<'_>,
    ) -> Result<Option<Count>, SweepEnd> {
        let is_last = self.lines_between(lines) == 1;
        let (near, far) = (&mut self.near, &mut self.far);
        if is_last {
            let step = MeetingStep::new(lines, near.passed);
            let new = || Meeting::new(near, far, &step, resources);
            let meeting = self.meeting.get_or_insert_with(new);
            return meeting.run(near, far, &step, resources).map(Some);
        }
        let front = if self.near_moves { near } else { far };
        front.advance(lines, resources).map(|()| None)
    }

    /// Begins the next part if there are parts and none is being swept. Returns whether something is left to be swept.
    fn begin_part(&mut self, resources: &Resources<'_>) -> Result<bool, SweepEnd> {
        let Some(parts) = self.parts.as_mut().filter(|parts| parts.part.is_none()) else {
            return Ok(true);
        };
        let fronts = parts.begin_part(resources)?;
        let is_begun = fronts.is_some();
        if let Some(fronts) = fronts {
            [self.near, self.far] = fronts;
        }
        Ok(is_begun)
    }

    /// Frees the memory of the part that was swept.
    fn free_part(&mut self) {
        for front in [&mut self.near, &mut self.far] {
            (front.layer.partitions, front.next) = (Vec::new(), None);
        }
        (self.meeting, self.ahead, self.line_work) = (None, None, 0);
    }

    /// The layer behind the next line, if a frontier has paused on the way there.
    pub(super) fn next_layer(&self) -> Option<&NextLayer<K, N>> {
        self.near.next.as_ref().or(self.far.next.as_ref())
    }

    /// The number of lines that neither frontier has passed: at least one.
    pub(super) fn lines_between(&self, lines: &Lines) -> usize {
        lines.along.len() - self.near.passed - self.far.passed
    }

    /// Chooses the frontier that passes the next line. [`SweepEnd::Full`] if the rest does not fit into the memory and is to be divided into
    /// parts first.
    fn choose(&mut self, lines: &Lines, resources: &Resources<'_>) -> Result<(), SweepEnd> {
        let (near, far, between) = (&self.near, &self.far, self.lines_between(lines));
        self.ahead = None;
        self.near_moves = near.len <= far.len;
        let free = resources.remaining() / bytes_of::<K, N>(1);
        let max = near.len + far.len + free;
        let parts = self.parts.as_ref();
        let begins_part = parts.is_some_and(|parts| parts.begin_at == [near.passed, far.passed]);
        let is_small =
            !begins_part && near.len + far.len < MIN_COMBINATIONS.min(max / SMALL_DIVISOR);
        if is_small || between > MAX_LINES_AHEAD {
            return Ok(());
        }
        let near_expected = near.look_ahead(lines, between, resources);
        let mut far_expected = far.look_ahead(lines, between, resources);
        far_expected.reverse();
        if near_expected.len() + far_expected.len() < 2 * between {
            return Ok(());
        }
        let choose = |max: f64| choose_meeting(&near_expected, &far_expected, max);
        let meeting = choose(max as f64);
        let last = between - 1;
        self.near_moves = match meeting {
            Some((meeting, _)) if meeting == last => true,
            Some((0, _)) => false,
            _ => self.near_moves,
        };
        let next = match self.near_moves {
            true => near_expected[0],
            false => far_expected[last],
        };
        // The layers of which a graph is built cannot be divided.
        let may_divide = near.kept.is_none();
        let expected = meeting.or_else(|| choose(f64::INFINITY).filter(|_| may_divide));
        self.ahead = expected.map(|(_, work)| Ahead {
            line: next.work(),
            rest: work - next.work(),
        });
        let is_too_large = match &self.parts {
            Some(_) => begins_part && meeting.is_none(),
            None if !may_divide => false,
            None if choose(MAX_EXCESS * max as f64).is_none() => return Err(SweepEnd::Full),
            None => {
                let (now, max) = ((near.len + far.len) as f64, max as f64);
                choose(MAX_EXPECTED_SHARE * max).is_none()
                    && now < MAX_START_SHARE * max
                    && now + next.room() > MIN_START_SHARE * max
            }
        };
        if !is_too_large {
            return Ok(());
        }
        if self.parts.is_none() {
            let fronts = [&mut self.near, &mut self.far];
            let fronts = fronts.map(|front| {
                let empty = Front::new(front.end, false);
                std::mem::replace(front, empty)
            });
            let parts = Parts::new(lines, fronts, resources.held());
            self.parts = Some(Box::new(parts));
        }
        Err(SweepEnd::Full)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::Sweep;
    use super::super::fixtures::{permutations, with_components};
    use super::super::forecast::GROWTH_PER_LINE;
    use super::super::lines::Direction;
    use super::super::resources::Allowance;
    use super::super::step::FillingClass;
    use super::super::walks::Expected;
    use super::*;

    /// The lines of the permutations of this number of cells.
    fn permutation_lines(side: usize) -> Lines {
        let resources = Resources::new(Allowance::of(1 << 26, 0), 1, 0);
        with_components(&permutations(side), |board, components, _| {
            Lines::new(board, &components[0], Direction::Down, &resources).unwrap()
        })
    }

    /// Chooses the first line of a sweep of the permutations of this number of cells as if the layers had these numbers of combinations, and
    /// is told to stop after this number of lines that are looked at. Returns the frontiers and the forecast then.
    fn choose_first(
        side: usize,
        lens: [u64; 2],
        lines_until_stop: usize,
    ) -> (Fronts<u64, u64>, f64) {
        let lines = permutation_lines(side);
        let polls = AtomicUsize::new(0);
        let allowance = Allowance {
            stop: &|| polls.fetch_add(1, Ordering::Relaxed) >= lines_until_stop,
            ..Allowance::of(1 << 26, u64::MAX)
        };
        let resources = Resources::new(allowance, 45, 0);
        let mut fronts = Fronts::<u64, u64>::new(false);
        [fronts.near.len, fronts.far.len] = lens;
        fronts.choose(&lines, &resources).unwrap();
        [fronts.near.len, fronts.far.len] = [1, 1];
        let forecast = fronts.forecast(&lines);
        (fronts, forecast)
    }

    #[test]
    fn large_frontiers_look_ahead_as_far_as_16_lines() {
        let half = MIN_COMBINATIONS / 2;
        let looks_ahead = |side: usize, lens: [u64; 2], lines_until_stop: usize| {
            choose_first(side, lens, lines_until_stop).0.ahead.is_some()
        };
        assert!(looks_ahead(10, [half; 2], usize::MAX));
        assert!(!looks_ahead(10, [half, half - 1], usize::MAX));
        assert!(looks_ahead(16, [half; 2], usize::MAX));
        assert!(!looks_ahead(17, [half; 2], usize::MAX));
        assert!(!looks_ahead(10, [half; 2], 12));
    }

    #[test]
    fn the_expected_work_is_that_of_both_frontiers_up_to_the_meeting() {
        for side in [2, 10] {
            let (fronts, forecast) = choose_first(side, [MIN_COMBINATIONS; 2], usize::MAX);
            // Behind k lines there are side - k successors of each combination. Each frontier also generates those at the line of the
            // meeting, which is in the middle.
            let mut expected = vec![Expected {
                read: 1.0,
                generated: side as f64,
            }];
            for k in 1..side {
                let before = expected[k - 1];
                // A table has room for 2.3 times as many as are stored.
                let read = before.room() / 2.3;
                let generated = read * (side - k) as f64;
                expected.push(Expected { read, generated });
            }
            let work = |lines: usize| {
                expected[..lines]
                    .iter()
                    .map(|line| line.work())
                    .sum::<f64>()
            };
            let wanted = work(side / 2) + work(side / 2 + 1);
            let ahead = fronts.ahead.unwrap();
            assert_eq!(ahead.line, 1.0 + side as f64);
            assert!(
                ((ahead.line + ahead.rest) / wanted - 1.0).abs() < 1e-9,
                "{ahead:?} {wanted}"
            );
            // The forecast is at least what the walks expect, and at most that by growth. For ten lines, that is as long as in the test of
            // forecasts by growth; for two lines it is longer than by walks.
            let raised = ahead.line + ahead.rest * GROWTH_PER_LINE.powi(side as i32);
            let by_growth = match side {
                10 => 64.0 * (9.0 * 3.0 + 2.0 * 8.0),
                _ => f64::INFINITY,
            };
            let within = raised.min(by_growth).max(wanted);
            assert!(
                (forecast / within - 1.0).abs() < 1e-9,
                "{forecast} {within}"
            );
        }
    }

    #[test]
    fn a_forecast_is_by_walks_if_the_growth_so_far_is_greater() {
        for side in [2, 10] {
            let (mut fronts, _) = choose_first(side, [MIN_COMBINATIONS; 2], usize::MAX);
            let lines = permutation_lines(side);
            let ahead = fronts.ahead.unwrap();
            let rest = ahead.rest * GROWTH_PER_LINE.powi(side as i32);
            fronts.near.len = 1 << 40;
            // What is done of the line is not expected any more.
            for line_work in [0, 1] {
                fronts.line_work = line_work;
                let wanted = ahead.line - line_work as f64 + rest;
                let forecast = fronts.forecast(&lines);
                assert!((forecast - wanted).abs() < 1e-9, "{forecast} {wanted}");
            }
        }
    }

    #[test]
    fn the_frontiers_move_to_the_meeting_that_the_memory_allows() {
        let lines = permutation_lines(2);
        // One layer has many combinations (the same one again and again), and the other one a single one. So the frontiers must meet at the
        // line next to the large layer, whatever numbers of combinations the frontiers say they have.
        let many = MIN_COMBINATIONS;
        let choose = |end: End, lens: [u64; 2], bytes: u64| {
            let mut fronts = Fronts::<u64, u64>::new(false);
            let front = match end {
                End::Near => &mut fronts.near,
                End::Far => &mut fronts.far,
            };
            front.layer.partitions = vec![vec![(0, 1); many as usize]];
            [fronts.near.len, fronts.far.len] = lens;
            let resources = Resources::new(Allowance::of(bytes, u64::MAX), 45, 0);
            fronts.choose(&lines, &resources).unwrap();
            (fronts.near_moves, fronts.ahead.is_some())
        };
        // The small layer is kept until its frontier has passed a line; a combination takes 16 bytes.
        let passed = Expected {
            read: 1.0,
            generated: 2.0,
        };
        let enough = 16 * passed.room().floor() as u64;
        for lens in [[1, many], [many, 1]] {
            assert_eq!(choose(End::Near, lens, enough), (false, true));
            assert_eq!(choose(End::Far, lens, enough), (true, true));
            // If no meeting is possible, the smaller one moves: what lies between them may still be divided.
            let smaller = (lens[0] == 1, true);
            assert_eq!(choose(End::Near, lens, enough - 1), smaller);
            assert_eq!(choose(End::Far, lens, enough - 1), smaller);
        }
    }

    #[test]
    fn the_smaller_frontier_moves_while_the_meeting_is_between_other_lines() {
        let near_moves = |lens: [u64; 2]| {
            let (fronts, _) = choose_first(10, lens, usize::MAX);
            assert!(fronts.ahead.is_some());
            fronts.near_moves
        };
        assert!(near_moves([MIN_COMBINATIONS; 2]));
        assert!(!near_moves([MIN_COMBINATIONS + 1, MIN_COMBINATIONS]));
    }

    #[test]
    fn the_share_of_a_meeting_grows_class_by_class() {
        let lines = permutation_lines(8);
        let mut fronts = Fronts::<u64, u64>::new(false);
        let mut held = 0;
        let resources = Resources::new(Allowance::of(1 << 26, 0), 45, held);
        let step = MeetingStep::new(&lines, 0);
        let mut meeting = Meeting::new(&fronts.near, &fronts.far, &step, &resources);
        meeting.classes = FillingClass::classes(&step.line.crossings, 4.0);
        fronts.meeting = Some(meeting);
        let mut shares = Vec::new();
        let count = loop {
            let mut resources = Resources::new(Allowance::of(1 << 26, 45 * 50), 45, held);
            let ended = fronts.run(&lines, &mut resources);
            held = resources.held();
            shares.push(fronts.meeting.as_ref().unwrap().share());
            if ended != Err(SweepEnd::Paused) {
                break ended;
            }
        };
        assert_eq!(count, Ok(Count::from(40_320)));
        assert!(shares.is_sorted(), "{shares:?}");
        for class in 0..4 {
            let part = f64::from(class) / 4.0..f64::from(class + 1) / 4.0;
            assert!(
                shares.iter().any(|share| part.contains(share)),
                "{shares:?}"
            );
        }
        assert_eq!(shares.last(), Some(&1.0));
    }

    #[test]
    fn a_sweep_whose_path_counts_overflow_begins_again_with_wider_ones() {
        let sweep = |paths: u64| {
            let lines = permutation_lines(10);
            let mut fronts = Fronts::<u64, u64>::new(false);
            fronts.near.layer.partitions = vec![vec![(0, paths)]];
            Sweep {
                fronts: Box::new(fronts),
                cells: None,
                is_widest: false,
                lines,
                held_at_start: 0,
                held: 0,
                work_ns: 0,
            }
        };
        let (mut narrow, mut wide) = (sweep(1), sweep(u64::MAX));
        for sweep in [&mut narrow, &mut wide] {
            let count = sweep.run(Allowance::of(1 << 26, u64::MAX));
            assert_eq!(count, Ok(Count::from(3_628_800)));
            // The keys are as wide as before.
            assert_eq!(sweep.fronts.combination_ns(), u64::COMBINATION_NS);
        }
        assert!(!narrow.is_widest && wide.is_widest);
        assert_eq!(narrow.work_ns(), wide.work_ns());
    }
}
