//! One of the two frontiers of a sweep: how it passes a line.

use super::allowance::{ShouldStop, SweepEnd};
use super::key::{Key, PathCount};
use super::layer::{Layer, Marks};
use super::lines::{End, Lines};
use super::live::Passed;
use super::memory::Memory;
use super::packing::Packing;
use super::pass::NextLayer;
use super::resources::Resources;
use super::step::Step;
use super::walks::{Expected, Walks};

/// A frontier that has started at one end.
#[derive(Debug)]
pub(super) struct Front<K, N> {
    pub(super) end: End,
    pub(super) layer: Layer<K, N>,
    /// Number of combinations in the layer.
    pub(super) len: u64,
    /// For each line across, the number of its cells behind the frontier.
    pub(super) depths: Vec<usize>,
    pub(super) packing: Packing,
    /// Number of lines passed.
    pub(super) passed: usize,
    /// The layer behind the next line, if the frontier has paused on the way.
    pub(super) next: Option<NextLayer<K, N>>,
    /// If the layers are kept: the combinations before each line passed.
    pub(super) kept: Option<Vec<Vec<K>>>,
}

impl<K: Key, N: PathCount> Front<K, N> {
    pub(super) fn new(lines: &Lines, end: End, keeps_layers: bool) -> Self {
        let depths = vec![0; lines.across.len()];
        Front {
            end,
            layer: Layer::first(),
            len: 1,
            packing: lines.packing(end, &depths),
            depths,
            passed: 0,
            next: None,
            kept: keeps_layers.then(Vec::new),
        }
    }

    /// Takes the layers, which must have been kept, and the last one, and frees the path counts. With `marks`, of the last one only the
    /// combinations that are marked.
    pub(super) fn take_layers(&mut self, marks: Option<Marks>, memory: &Memory<'_>) -> Passed<K> {
        let mut layers = self.kept.take().unwrap_or_default();
        layers.push(self.layer.take(marks.as_ref(), memory));
        memory.release(marks.as_ref().map_or(0, Marks::bytes));
        Passed {
            end: self.end,
            layers,
            is_last_live: marks.is_some(),
        }
    }

    /// A frontier at the same place, with the combinations for which `allows` returns `true`.
    pub(super) fn restricted(
        &self,
        allows: impl Fn(K) -> bool + Sync,
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        let layer = self.layer.restricted(allows, resources)?;
        Ok(Front {
            end: self.end,
            len: layer.len(),
            layer,
            depths: self.depths.clone(),
            packing: self.packing.clone(),
            passed: self.passed,
            next: None,
            kept: None,
        })
    }

    /// What it is expected to do at each of this number of lines, as far as it is not told to stop.
    pub(super) fn look_ahead(
        &self,
        lines: &Lines,
        number: usize,
        stop: ShouldStop<'_>,
    ) -> Vec<Expected> {
        let (mut walks, mut depths) = (Walks::new(&self.layer), self.depths.clone());
        let pass = |passed| {
            let step = Step::new(lines, self.end, passed, &depths);
            let expected = walks.pass(&step.transition);
            depths = step.depths;
            expected
        };
        let ahead = self.passed..self.passed + number;
        ahead.take_while(|_| !stop()).map(pass).collect()
    }

    /// Moves the frontier past the next line.
    pub(super) fn advance(
        &mut self,
        lines: &Lines,
        resources: &mut Resources<'_>,
    ) -> Result<(), SweepEnd> {
        let step = Step::new(lines, self.end, self.passed, &self.depths);
        let mut next = match self.next.take() {
            Some(next) => next,
            None => {
                if self.kept.is_some() {
                    self.layer.keep_freed();
                }
                NextLayer::new(&self.layer, &step.transition, true, resources)
            }
        };
        if let Err(end) = next.build(&mut self.layer, &step.transition, resources) {
            self.next = Some(next);
            return Err(end);
        }
        if let Some(kept) = &mut self.kept {
            kept.extend(self.layer.kept.take());
        }
        self.layer = next.finish(resources)?;
        self.len = self.layer.len();
        (self.depths, self.packing) = (step.depths, step.packing);
        self.passed += 1;
        Ok(())
    }
}
