//! Divides what lies between the frontiers into parts, where the memory does not suffice for all of it at once.
//!
//! A part holds the fillings whose combinations in both layers have certain states of some lines across. It is swept like the whole, from the
//! combinations of both layers that it allows. No filling is in two parts, so the counts of the parts are added up.
//!
//! The layers from which the parts begin are kept. A part that does not fit into the remaining memory is divided again. Combinations that
//! fillings of several parts lead to are counted once in each of these parts, so parts take more work than the whole would take.

use std::ops::Range;

use super::front::Front;
use super::key::{Key, Packing, PathCount};
use super::lines::{End, Lines};
use super::resources::{Resources, SweepEnd};
use crate::solutions::Count;

/// Combinations of a layer that are looked at to divide the whole, and the maximum factor by which there are more for smaller parts.
const SAMPLE: u64 = 1 << 14;
const MAX_SAMPLE_FACTOR: u64 = 1 << 6;

/// Minimum number of combinations of each layer in the sample of a part that is divided.
const MIN_SAMPLED: usize = 1 << 4;

/// Maximum number of times that the whole is divided for a part.
const MAX_DIVISIONS: usize = 16;

/// A part is divided only if the larger half has at most this share of its combinations.
const MAX_HALF: f64 = 0.95;

/// The states of a line across that a part allows: these near ones, and the far ones that are compatible with one of these.
#[derive(Clone, Debug)]
struct Restriction {
    line: usize,
    near: Range<u32>,
    far: Vec<bool>,
}

/// A part: its restrictions, and its share of the work of all parts, roughly.
#[derive(Clone, Debug)]
pub(super) struct Part {
    restrictions: Vec<Restriction>,
    share: f64,
}

/// The parts of what lies between two frontiers.
#[derive(Debug)]
pub(super) struct Parts<K, N> {
    near: Front<K, N>,
    far: Front<K, N>,
    /// The numbers of lines that both have passed.
    pub(super) begin_at: [usize; 2],
    /// The packings of the combinations of both.
    near_packing: Packing,
    far_packing: Packing,
    /// For each line across and each of its far states: the near states that are compatible with it, in order.
    compatible: Vec<Vec<Vec<u32>>>,
    /// Bytes of memory that the sweep holds between two parts.
    held: u64,
    /// The part that is being swept, if there is one, and those still to be swept, the next one last.
    pub(super) part: Option<Part>,
    open: Vec<Part>,
    /// The sum for the parts that are done, and their share of the work.
    pub(super) total: Count,
    done: f64,
    /// Combinations read and generated so far.
    pub(super) work: u64,
}

impl<K: Key, N: PathCount> Parts<K, N> {
    /// One part, which holds all. The frontiers must not be on the way past a line.
    pub(super) fn new(lines: &Lines, [near, far]: [Front<K, N>; 2], held: u64) -> Self {
        let compatible = lines.across.iter().enumerate().map(|(i, line)| {
            let [near, far] = [&near, &far].map(|front| lines.depth(front.end, front.passed, i));
            line.compatible_between(near, far)
        });
        Parts {
            compatible: compatible.collect(),
            near_packing: lines.packing(End::Near, near.passed),
            far_packing: lines.packing(End::Far, far.passed),
            begin_at: [near.passed, far.passed],
            near,
            far,
            held,
            part: None,
            open: vec![Part {
                restrictions: Vec::new(),
                share: 1.0,
            }],
            total: Count::ZERO,
            done: 0.0,
            work: 0,
        }
    }

    /// Adds the count of the part that is being swept.
    pub(super) fn end_part(&mut self, count: &Count) {
        self.total += count;
        self.done += self.part.take().map_or(0.0, |part| part.share);
    }

    /// Leaves the part that is being swept, which then has to begin again. Returns the bytes of memory that the sweep holds then.
    pub(super) fn leave_part(&mut self) -> u64 {
        self.open.extend(self.part.take());
        self.held
    }

    /// The frontiers of the next part; `None` if all are done. [`SweepEnd::Full`] if the part does not fit into the memory.
    pub(super) fn begin_part(
        &mut self,
        resources: &Resources<'_>,
    ) -> Result<Option<[Front<K, N>; 2]>, SweepEnd> {
        self.part = self.open.pop();
        let Some(part) = &self.part else {
            return Ok(None);
        };
        resources.restore(self.held);
        let restricted = |front: &Front<K, N>| {
            let allows = |key| self.allows(part, front.end, key);
            let layer = front.layer.restricted(allows, resources)?;
            Ok(Front {
                len: layer.len(),
                layer,
                passed: front.passed,
                ..Front::new(front.end, false)
            })
        };
        Ok(Some([restricted(&self.near)?, restricted(&self.far)?]))
    }

    /// Whether a part allows this combination of the layer of the frontier from this end.
    fn allows(&self, part: &Part, end: End, key: K) -> bool {
        part.restrictions.iter().all(|restriction| match end {
            End::Near => {
                let state = self.near_packing.fields[restriction.line].state(key);
                restriction.near.contains(&(state as u32))
            }
            End::Far => restriction.far[self.far_packing.fields[restriction.line].state(key)],
        })
    }

    /// Divides the part that is being swept, which then has to begin again in two halves. Returns whether it could be divided.
    pub(super) fn divide(&mut self) -> bool {
        let halves = self.part.as_ref().and_then(|part| self.halves(part));
        if let Some(halves) = halves {
            self.part = None;
            self.open.extend(halves);
        }
        self.part.is_none()
    }

    /// The two halves of the part, by the states of the line across that leave the fewest combinations in the larger half.
    fn halves(&self, part: &Part) -> Option<[Part; 2]> {
        let divisions = part.restrictions.len();
        if divisions == MAX_DIVISIONS {
            return None;
        }
        let number = SAMPLE * MAX_SAMPLE_FACTOR.min(1 << divisions);
        let sample = |front: &Front<K, N>| -> Vec<K> {
            let sample = front.layer.sample(number);
            sample
                .filter(|&key| self.allows(part, front.end, key))
                .collect()
        };
        let (near, far) = (sample(&self.near), sample(&self.far));
        if near.len().min(far.len()) < MIN_SAMPLED {
            return None;
        }
        let divisions = (0..self.compatible.len()).filter_map(|i| self.division(i, &near, &far));
        let best = divisions.min_by(|a, b| a.larger().total_cmp(&b.larger()))?;
        if best.larger() > MAX_HALF {
            return None;
        }
        let compatible = &self.compatible[best.line];
        let sum: f64 = best.shares.iter().sum();
        let half = |near: Range<u32>, share: f64| {
            let far = |states: &Vec<u32>| states.iter().any(|state| near.contains(state));
            let restriction = Restriction {
                line: best.line,
                far: compatible.iter().map(far).collect(),
                near,
            };
            let mut part = part.clone();
            part.restrictions.push(restriction);
            part.share *= share / sum;
            part
        };
        let [first, second] = best.shares;
        Some([
            half(0..best.bound, first),
            half(best.bound..u32::MAX, second),
        ])
    }

    /// The best division of these combinations of both layers by the states of a line across: those below a bound, and the others.
    fn division(&self, line: usize, near: &[K], far: &[K]) -> Option<Division> {
        // For each state, the share of the combinations with it.
        let shares = |packing: &Packing, keys: &[K]| {
            let mut shares = Vec::new();
            for &key in keys {
                let state = packing.fields[line].state(key);
                shares.resize(shares.len().max(state + 1), 0.0);
                shares[state] += 1.0 / keys.len() as f64;
            }
            shares
        };
        let near = shares(&self.near_packing, near);
        let far = shares(&self.far_packing, far);
        // For each far state its share, and the first and the last near state among those that occur and are compatible with it.
        let far = self.compatible[line].iter().zip(far);
        let far = far.filter_map(|(compatible, share)| {
            let occurs = |state: &&u32| near.get(**state as usize).is_some_and(|&near| near > 0.0);
            let mut states = compatible.iter().filter(occurs);
            let first = *states.next()?;
            Some((share, first, states.next_back().copied().unwrap_or(first)))
        });
        let far: Vec<(f64, u32, u32)> = far.collect();
        let divisions = (1..near.len() as u32).map(|bound| {
            let near_below: f64 = near[..bound as usize].iter().sum();
            let (mut far_below, mut far_above) = (0.0, 0.0);
            for &(share, first, last) in &far {
                far_below += if first < bound { share } else { 0.0 };
                far_above += if last >= bound { share } else { 0.0 };
            }
            Division {
                line,
                bound,
                shares: [
                    (near_below + far_below) / 2.0,
                    (1.0 - near_below + far_above) / 2.0,
                ],
            }
        });
        divisions.min_by(|a, b| a.larger().total_cmp(&b.larger()))
    }

    /// Forecast of the combinations that will be read and generated for all parts that are left, if this number is expected for the rest of
    /// the part that is being swept.
    pub(super) fn forecast(&self, rest_of_part: f64) -> f64 {
        let share = self.done + self.part.as_ref().map_or(0.0, |part| part.share);
        if share == 0.0 {
            return rest_of_part;
        }
        let per_share = (self.work as f64 + rest_of_part) / share;
        rest_of_part + (1.0 - share).max(0.0) * per_share
    }
}

/// A division of a part by the near states of a line across below this bound, with the share of the combinations in each half: the mean of the
/// shares in both layers.
#[derive(Clone, Copy, Debug)]
struct Division {
    line: usize,
    bound: u32,
    shares: [f64; 2],
}

impl Division {
    fn larger(&self) -> f64 {
        self.shares[0].max(self.shares[1])
    }
}
