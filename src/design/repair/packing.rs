//! A lower bound on the flips that a picture still needs, and the cells that no smallest edit flips: a fractional packing of obstacles.
//!
//! Take the flips that remove an obstacle, as few of them as possible. If there are at least `k` of them whenever a certain flip is among
//! them, then this flip has the *share* 1/k of the obstacle; so whatever flips remove it, their shares sum to at least 1. Give every
//! obstacle a price, such that for no cell the prices times the shares of its flip, its *load*, sum to more than 1. By the duality of
//! linear programming, at least as many flips are needed as the sum of the prices; and if a certain flip is among them, at least one more
//! than that sum without its load.
//!
//! The prices are found by multiplicative weights: Garg and Könemann, "Faster and simpler algorithms for multicommodity flow and other
//! fractional packing problems", SIAM Journal on Computing 37, 2007.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::board::DisjointSets;
use crate::puzzle::Cell;

/// Slack for rounding.
const TOLERANCE: f64 = 1e-6;

/// An obstacle as the cells whose flips help to remove it, each with the least number of flips of which it is one.
pub(super) type Helping = Vec<(Cell, usize)>;

/// The same with cells by number, each with the share of its flip.
type Shares = Vec<(usize, f64)>;

/// What follows from the prices of some obstacles.
#[derive(Clone, Debug, Default)]
pub(super) struct Packing {
    /// At least this number of flips are needed; `None` if no number suffices.
    pub(super) least: Option<usize>,
    /// The cells of the obstacles, each with the number of flips that are needed at least if its own is among them.
    pub(super) least_with: Vec<(Cell, usize)>,
}

impl Packing {
    /// Packs these obstacles. Obstacles that share no cell, directly or through others, are packed apart, so that each bound is rounded up.
    /// A smaller `step` gives better bounds, and takes longer: about the square of its inverse.
    pub(super) fn new(obstacles: &[Helping], step: f64, stop: impl Fn() -> bool) -> Self {
        if obstacles.iter().any(Vec::is_empty) {
            // No flip that is allowed removes it.
            return Packing::default();
        }
        let mut cells: Vec<Cell> = obstacles.iter().flatten().map(|&(cell, _)| cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let share = |&(cell, flips): &(Cell, usize)| {
            let number = cells.partition_point(|&other| other < cell);
            (number, 1.0 / flips as f64)
        };
        let obstacles = obstacles.iter();
        let obstacles = obstacles.map(|helping| helping.iter().map(share).collect());
        let obstacles: Vec<Shares> = obstacles.collect();
        let (mut values, mut loads) = (vec![1.0; cells.len()], vec![0.0; cells.len()]);
        let mut bounds = Vec::new();
        for component in components(&obstacles, cells.len()) {
            let total = pack(&component, (&mut values, &mut loads), step, &stop);
            bounds.push((rounded_up(total), total, component));
        }
        let least: usize = bounds.iter().map(|(own, ..)| own).sum();
        let mut least_with: Vec<(Cell, usize)> = cells.iter().map(|&cell| (cell, 0)).collect();
        for (own, total, component) in bounds {
            for &(cell, _) in component.into_iter().flatten() {
                least_with[cell].1 = least - own + rounded_up(total + 1.0 - loads[cell]);
            }
        }
        Packing {
            least: Some(least),
            least_with,
        }
    }
}

/// The number of flips that a sum of prices stands for.
fn rounded_up(prices: f64) -> usize {
    (prices - TOLERANCE).ceil().max(0.0) as usize
}

/// The obstacles in groups that share no cell.
fn components(obstacles: &[Shares], cells: usize) -> Vec<Vec<&Shares>> {
    let mut sets = DisjointSets::new(obstacles.len());
    // The first obstacle of each cell.
    let mut owners = vec![None; cells];
    for (i, obstacle) in obstacles.iter().enumerate() {
        for &(cell, _) in obstacle {
            match owners[cell] {
                Some(owner) => sets.join(owner, i),
                None => owners[cell] = Some(i),
            }
        }
    }
    let mut groups = vec![Vec::new(); obstacles.len()];
    for (i, obstacle) in obstacles.iter().enumerate() {
        groups[sets.root(i)].push(obstacle);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Packs the obstacles of a group: sets the loads of their cells, and returns the sum of the prices. Of these cells the values are 1 and
/// the loads 0 before; the values are arbitrary after. When `stop` returns true, the prices are what they are by then.
fn pack(
    obstacles: &[&Shares],
    (values, loads): (&mut [f64], &mut [f64]),
    step: f64,
    stop: &impl Fn() -> bool,
) -> f64 {
    let all = obstacles.iter().copied().flatten();
    let mut cells: Vec<usize> = all.map(|&(cell, _)| cell).collect();
    cells.sort_unstable();
    cells.dedup();
    // The value of a cell grows with its load, and the obstacle of least value gets the next unit of price. Values only grow, so
    // an obstacle that still comes first in the queue once its value is brought up to date has the least. The bits of positive numbers are
    // in the order of the numbers.
    let value = |i: usize, values: &[f64]| {
        let shares = obstacles[i].iter();
        let value: f64 = shares.map(|&(cell, share)| share * values[cell]).sum();
        value.to_bits()
    };
    let queue = (0..obstacles.len()).map(|i| Reverse((value(i, values), i)));
    let mut queue: BinaryHeap<Reverse<(u64, usize)>> = queue.collect();
    let end = (1.0 + cells.len() as f64).ln() / step;
    let (mut total, mut largest) = (0.0, 0.0f64);
    while largest < end
        && let Some(Reverse((known, i))) = queue.pop()
    {
        let now = value(i, values);
        let is_least = queue.peek().is_none_or(|Reverse((next, _))| now <= *next);
        if now == known || is_least {
            total += 1.0;
            for &(cell, share) in obstacles[i] {
                loads[cell] += share;
                values[cell] *= 1.0 + step * share;
                largest = largest.max(loads[cell]);
            }
            if stop() {
                break;
            }
        }
        queue.push(Reverse((now, i)));
    }
    total /= largest;
    cells.iter().for_each(|&cell| loads[cell] /= largest);
    // What is left of the loads.
    for obstacle in obstacles {
        let shares = obstacle.iter();
        let left = shares.map(|&(cell, share)| (1.0 - loads[cell]) / share);
        let more = left.fold(f64::INFINITY, f64::min).max(0.0);
        total += more;
        for &(cell, share) in *obstacle {
            loads[cell] += more * share;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether these flips have a share of at least 1 of every obstacle.
    fn removes_all(flips: u32, obstacles: &[Helping]) -> bool {
        obstacles.iter().all(|obstacle| {
            let own = obstacle
                .iter()
                .filter(|(cell, _)| flips >> cell.column & 1 == 1);
            own.map(|&(_, flips)| 1.0 / flips as f64).sum::<f64>() > 1.0 - TOLERANCE
        })
    }

    #[test]
    fn the_bound_holds_for_all_sets_of_flips() {
        let mut seed = 5u64;
        let mut next = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let (mut met, mut excluded) = (0, 0);
        for _ in 0..1000 {
            let cells = 3 + next(8);
            let obstacles: Vec<Helping> = (0..1 + next(6))
                .map(|_| {
                    let all: Vec<usize> = (0..cells).filter(|_| next(3) == 0).collect();
                    let helping = all
                        .into_iter()
                        .map(|cell| (Cell::new(0, cell), 1 + next(4)));
                    helping.collect()
                })
                .collect();
            let packing = Packing::new(&obstacles, 0.1, || false);
            let good = (0u32..1 << cells).filter(|&flips| removes_all(flips, &obstacles));
            let Some(fewest) = good.clone().map(u32::count_ones).min() else {
                continue;
            };
            let least = packing.least.expect("there is an edit");
            assert!(least <= fewest as usize, "{obstacles:?}");
            met += usize::from(least == fewest as usize);
            for cell in 0..cells as u32 {
                let mut listed = packing.least_with.iter();
                let listed = listed.find(|listed| u32::from(listed.0.column) == cell);
                if listed.map_or(least + 1, |listed| listed.1) <= fewest as usize {
                    continue;
                }
                let mut smallest = good.clone().filter(|flips| flips.count_ones() == fewest);
                assert!(
                    smallest.all(|flips| flips >> cell & 1 == 0),
                    "{obstacles:?}"
                );
                excluded += 1;
            }
        }
        assert!(met > 100 && excluded > 500, "{met}, {excluded}");
    }
}
