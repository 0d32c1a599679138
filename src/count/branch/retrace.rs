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
