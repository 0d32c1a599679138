//! Records the trail of a walk, and follows a recorded trail.

use std::time::Instant;

use super::frame::Frame;
use super::trail::TrailStep;
use super::worker::Worker;
use crate::line::Word;
use crate::solutions::Count;

impl<W: Word> Worker<'_, '_, W> {
    /// Records the path of decisions to where the walk is, and its work so far, if the trail of this walk is recorded.
    pub(crate) fn record_trail(&mut self, walk_work: u64) {
        self.trail_recorded = Instant::now();
        let Some(plan) = self.recorded_plan else {
            return;
        };
        // The first frame only holds the component that is counted, and has no decision.
        let frames = self.frames.get(1..).unwrap_or_default();
        // The trail ends above a component of which other workers count sides, unless it is the whole other side: the sum in the frame is
        // incomplete, so the component will be begun afresh.
        let is_complete =
            |frame: &&Frame<W>| frame.open_component.is_none() || frame.gave_other_side;
        let frames = &frames[..frames.iter().take_while(is_complete).count()];
        let steps = frames.iter().enumerate().filter_map(|(i, frame)| {
            let (cell, filled) = frame.decision?;
            // The innermost side will be begun afresh.
            let done_components = match i + 1 < frames.len() && !frame.has_gaps {
                true => frame.component_count as usize - frame.pending.len() - 1,
                false => 0,
            };
            Some(TrailStep {
                size: frame.component.size,
                cell,
                filled,
                has_other_side: frame.has_other_side || frame.gave_other_side,
                sum: frame.sum.clone(),
                component_count: frame.component_count as u32,
                done_components: done_components as u32,
                product: match done_components {
                    0 => Count::ONE,
                    _ => frame.product.clone(),
                },
            })
        });
        self.shared
            .record_trail(self.component, plan, steps.collect(), walk_work);
    }

    /// Follows the trail of an earlier walk by the same plan, as far as it fits.
    pub(crate) fn follow_trail(&mut self, trail: &[TrailStep]) {
        for (i, step) in trail.iter().enumerate() {
            let Some(component) = self.top().pending.pop() else {
                return;
            };
            let known = self.shared.store.get(&component.key).is_some();
            let cell = self.pick(&component);
            let same = cell == step.cell && component.size == step.size;
            if known || !same || self.shared.control.stopped() {
                self.top().pending.push(component);
                return;
            }
            self.branch(component, cell, Some(step), false);
            let done_components = step.done_components as usize;
            let top = self.top();
            let fits = top.pending.len() == step.component_count as usize
                && done_components < top.pending.len();
            if i + 1 == trail.len() || top.product.is_zero() || !fits || step.product.is_zero() {
                return;
            }
            // Pending components are counted from the last to the first.
            top.pending.truncate(top.pending.len() - done_components);
            top.product = step.product.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::*;
    use crate::board::Cell;
    use crate::count::checkpointer::Checkpointer;
    use crate::count::components::Component;
    use crate::count::plan::{Plan, Trial, TrialEnd};
    use crate::count::shared::tests::{setup, two_permutations, with_shared};
    use crate::puzzle::{Puzzle, random_grid};
    use crate::run::Limits;

    const PLAN: Plan = Plan::Branch(Order::Down);

    /// What a walk through the first component leaves behind.
    struct Walked {
        ended: TrialEnd,
        nodes: u64,
        trail: Vec<TrailStep>,
    }

    /// Walks through the first component of a puzzle with an empty component table, from where the trail ends, for this number of nodes.
    fn walk(puzzle: &Puzzle, trail: &[TrailStep], nodes: Option<u64>) -> Walked {
        let checkpointer = Checkpointer::new(puzzle, 1 << 20);
        let mut setup = setup(puzzle);
        setup.checkpointer = Some(&checkpointer);
        setup.limits = Limits::default().nodes(nodes);
        let mut walked = None;
        with_shared(&setup, false, |shared, _| {
            shared.record_trail(0, PLAN, trail.to_vec(), 0);
            let mut worker = Worker::new(&shared, None);
            let ended = worker.run_walk(Trial {
                thorough: true,
                ..Trial::of(PLAN)
            });
            walked = Some(Walked {
                ended,
                nodes: worker.statistics.nodes,
                trail: shared.trail(0, PLAN).expect("a walk records its trail"),
            });
        });
        walked.expect("the test was called")
    }

    /// The number of solutions of a walk that has ended.
    fn count(walked: &Walked) -> &Count {
        match &walked.ended {
            TrialEnd::Done(value) => &value.count,
            ended => panic!("nothing stops it: {ended:?}"),
        }
    }

    /// The puzzle of a random picture.
    fn random(size: usize, seed: u64) -> Puzzle {
        Puzzle::from_grid(&random_grid(size, seed))
    }

    #[test]
    fn a_walk_goes_on_where_its_trail_ends() {
        // Some sides of these pictures split into two components, and some of the last one into three. `max_nodes`: those of all resumed
        // walks together, with the oracle or without.
        for (seed, max_done, max_nodes) in [(34, 1, 2022), (115, 1, 4065), (301, 2, 1420)] {
            let puzzle = random(16, seed);
            let whole = walk(&puzzle, &[], None);
            let (mut done, mut nodes) = (0, 0);
            for stop in 0..whole.nodes {
                let first = walk(&puzzle, &[], Some(stop));
                assert!(matches!(first.ended, TrialEnd::Stopped));
                let second = walk(&puzzle, &first.trail, None);
                assert_eq!(count(&second), count(&whole));
                let steps = first.trail.iter();
                done = steps.map(|step| step.done_components).fold(done, u32::max);
                nodes += second.nodes;
            }
            assert_eq!(done, max_done);
            assert!(nodes <= max_nodes, "{seed}: {nodes}");
        }
    }

    /// The product of a side lacks the components that other workers count.
    #[test]
    fn a_side_with_a_gap_is_recorded_without_what_is_done() {
        for (has_gaps, done, product) in [(false, 1, 5), (true, 0, 1)] {
            let puzzle = two_permutations();
            let checkpointer = Checkpointer::new(&puzzle, 1 << 20);
            let mut setup = setup(&puzzle);
            setup.checkpointer = Some(&checkpointer);
            with_shared(&setup, false, |shared, _| {
                let mut worker = Worker::new(&shared, None);
                let side = || Frame {
                    decision: Some((Cell::new(0, 0), true)),
                    component_count: 3,
                    pending: vec![Component::empty()],
                    product: Count::from(5),
                    ..Frame::new(Component::empty(), 0, None)
                };
                worker.recorded_plan = Some(PLAN);
                worker.frames = vec![side(), Frame { has_gaps, ..side() }, side()];
                worker.record_trail(0);
                let trail = shared.trail(0, PLAN).expect("it was recorded");
                let steps = trail
                    .iter()
                    .map(|step| (step.done_components, &step.product));
                let expected = [(done, &Count::from(product)), (0, &Count::ONE)];
                assert!(steps.eq(expected), "{trail:?}");
            });
        }
    }

    #[test]
    fn a_trail_of_another_component_is_followed_as_far_as_it_fits() {
        let puzzle = random(16, 301);
        let whole = walk(&puzzle, &[], None);
        let trail = walk(&puzzle, &[], Some(24)).trail;
        assert!(trail.len() > 3);
        let nodes = |trail: &[TrailStep]| {
            let resumed = walk(&puzzle, trail, None);
            assert_eq!(count(&resumed), count(&whole));
            resumed.nodes
        };
        for i in 0..trail.len() {
            let changed = |change: fn(&mut TrailStep)| {
                let mut trail = trail.clone();
                change(&mut trail[i]);
                nodes(&trail)
            };
            // A step for another component is not followed.
            let steps_before = nodes(&trail[..i]);
            assert_eq!(changed(|step| step.size += 1), steps_before);
            assert_eq!(changed(|step| step.cell.row += 1), steps_before);
            // A side with other components is counted afresh.
            let with_this_step = nodes(&trail[..=i]);
            assert_eq!(changed(|step| step.component_count += 1), with_this_step);
            let all_done = changed(|step| step.done_components = step.component_count);
            assert_eq!(all_done, with_this_step);
        }
    }
}
