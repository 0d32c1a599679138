//! The way to where a walk is, noted now and then, and gone again by another process.

use std::time::Instant;

use super::frame::Frame;
use super::trail::Step;
use super::worker::Worker;
use crate::line::Word;
use crate::solutions::Count;

impl<W: Word> Worker<'_, '_, W> {
    /// Notes the way to where the walk is.
    pub(crate) fn note_trail(&mut self) {
        self.noted = Instant::now();
        let Some(plan) = self.plan else {
            return;
        };
        // The first frame has nothing but the one part, which is under way.
        let frames = self.frames.get(1..).unwrap_or_default();
        // Where others have added to a part, or are to do so, what is known here is not all: it is begun anew.
        let known = |frame: &&Frame<W>| frame.component.is_none() || frame.lent;
        let frames = &frames[..frames.iter().take_while(known).count()];
        let steps = frames.iter().enumerate().filter_map(|(i, frame)| {
            let (cell, filled) = frame.decision?;
            // The innermost side is begun anew.
            let parts = match i + 1 < frames.len() && !frame.gaps {
                true => frame.parts as usize - frame.pending.len() - 1,
                false => 0,
            };
            Some(Step {
                size: frame.part.size,
                cell,
                filled,
                more: frame.more || frame.lent,
                sum: frame.sum.clone(),
                of: frame.parts as u32,
                parts: parts as u32,
                product: match parts {
                    0 => Count::ONE,
                    _ => frame.product.clone(),
                },
            })
        });
        self.shared.note_trail(self.part, plan, steps.collect());
    }

    /// Goes to where an earlier walk in the same order has left off, as far as its trail leads.
    pub(crate) fn follow(&mut self, trail: &[Step]) {
        for (i, step) in trail.iter().enumerate() {
            let Some(part) = self.top().pending.pop() else {
                return;
            };
            let known = self.shared.store.get(&part.key).is_some();
            let cell = self.pick(&part);
            let same = cell == step.cell && part.size == step.size;
            if known || !same || self.shared.control.stopped() {
                self.top().pending.push(part);
                return;
            }
            self.branch(part, cell, Some(step), false);
            let parts = step.parts as usize;
            let top = self.top();
            let fits = top.pending.len() == step.of as usize && parts < top.pending.len();
            if i + 1 == trail.len() || top.product.is_zero() || !fits || step.product.is_zero() {
                return;
            }
            // The last ones are counted first.
            top.pending.truncate(top.pending.len() - parts);
            top.product = step.product.clone();
        }
    }
}
