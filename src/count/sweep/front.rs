//! One of the two frontiers of a sweep: how it passes a line.

use super::key::{Key, PathCount};
use super::layer::Layer;
use super::lines::{End, Lines};
use super::pass::NextLayer;
use super::resources::{Resources, SweepEnd};
use super::step::step;
use super::walks::{Expected, Walks};

/// A frontier that has started at one end.
#[derive(Debug)]
pub(super) struct Front<K, N> {
    pub(super) end: End,
    pub(super) layer: Layer<K, N>,
    /// Number of combinations in the layer.
    pub(super) len: u64,
    /// Number of lines passed.
    pub(super) passed: usize,
    /// The layer behind the next line, if the frontier has paused on the way.
    pub(super) next: Option<NextLayer<K, N>>,
    /// If the layers are kept: the combinations before each line passed.
    pub(super) kept: Option<Vec<Vec<K>>>,
}

impl<K: Key, N: PathCount> Front<K, N> {
    pub(super) fn new(end: End, keeps_layers: bool) -> Self {
        Front {
            end,
            // One combination, reached by one path.
            layer: Layer {
                partitions: vec![vec![(K::ZERO, N::ONE)]],
            },
            len: 1,
            passed: 0,
            next: None,
            kept: keeps_layers.then(Vec::new),
        }
    }

    /// Takes the layers, which must have been kept, and the last one, and frees its path counts.
    pub(super) fn take_layers(
        &mut self,
        resources: &Resources<'_>,
    ) -> Result<Vec<Vec<K>>, SweepEnd> {
        let mut layers = self.kept.take().unwrap_or_default();
        layers.push(self.layer.keys(resources)?);
        self.layer.free(0..self.layer.partitions.len(), resources);
        Ok(layers)
    }

    /// What it is expected to do at each of this number of lines, as far as it is not told to stop.
    pub(super) fn look_ahead(
        &self,
        lines: &Lines,
        number: usize,
        resources: &Resources<'_>,
    ) -> Vec<Expected> {
        let mut walks = Walks::new(&self.layer);
        let ahead = self.passed..self.passed + number;
        let ahead = ahead.take_while(|_| resources.poll().is_ok());
        ahead
            .map(|passed| walks.pass(&step(lines, self.end, passed)))
            .collect()
    }

    /// Moves the frontier past the next line.
    pub(super) fn advance(
        &mut self,
        lines: &Lines,
        resources: &mut Resources<'_>,
    ) -> Result<(), SweepEnd> {
        let transition = step(lines, self.end, self.passed);
        let mut next = match self.next.take() {
            Some(next) => next,
            None => {
                if let Some(kept) = &mut self.kept {
                    kept.push(self.layer.keys(resources)?);
                }
                NextLayer::new(&self.layer, &transition, true, resources)
            }
        };
        if let Err(end) = next.build(&mut self.layer, &transition, resources) {
            self.next = Some(next);
            return Err(end);
        }
        self.layer = next.finish(resources)?;
        self.len = self.layer.len();
        self.passed += 1;
        Ok(())
    }
}
