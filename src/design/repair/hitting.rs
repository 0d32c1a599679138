//! Hitting sets: elements that meet every one of some sets, few of them by a greedy rule, or as few as possible by branch and bound.
//!
//! The minimum is found by iterative deepening: a node branches on the elements of the smallest set that is not met yet, and is closed when
//! more disjoint sets are not met than elements are left. Sets that share no element, directly or through others, are independent problems.

use std::collections::HashMap;

/// A hitting set by the greedy rule: takes the element in most sets not met yet, then drops what is not needed.
pub(super) fn greedy(sets: &[Vec<usize>]) -> Vec<usize> {
    let mut hits: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, set) in sets.iter().enumerate() {
        set.iter()
            .for_each(|&element| hits.entry(element).or_default().push(i));
    }
    let mut met = vec![0u32; sets.len()];
    let mut chosen: Vec<usize> = Vec::new();
    while met.contains(&0) {
        let new = |element: usize| hits[&element].iter().filter(|&&i| met[i] == 0).count();
        let best = hits
            .keys()
            .map(|&element| (new(element), std::cmp::Reverse(element)))
            .max();
        let Some((_, std::cmp::Reverse(element))) = best.filter(|best| best.0 > 0) else {
            // An empty set cannot be met.
            break;
        };
        hits[&element].iter().for_each(|&i| met[i] += 1);
        chosen.push(element);
    }
    for at in (0..chosen.len()).rev() {
        let own = &hits[&chosen[at]];
        if own.iter().all(|&i| met[i] > 1) {
            own.iter().for_each(|&i| met[i] -= 1);
            chosen.remove(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// A smallest hitting set of sets that are not empty. `stop` is called at every node; when it returns `true`, the error is a number of
/// elements below which there is no hitting set.
pub(super) fn minimum(
    sets: &[Vec<usize>],
    mut stop: impl FnMut() -> bool,
) -> Result<Vec<usize>, usize> {
    let (mut all, mut least, mut stopped) = (Vec::new(), 0, false);
    for part in independent(sets) {
        match Problem::new(&part).solve(&mut |depth| depth > 0 && stopped || stop()) {
            Ok(elements) => {
                least += elements.len();
                all.extend(elements);
            }
            Err(number) => {
                least += number;
                stopped = true;
            }
        }
    }
    all.sort_unstable();
    if stopped { Err(least) } else { Ok(all) }
}

/// The sets in parts that share no element.
fn independent(sets: &[Vec<usize>]) -> Vec<Vec<&[usize]>> {
    let mut part_of: HashMap<usize, usize> = HashMap::new();
    let mut parts: Vec<Vec<&[usize]>> = Vec::new();
    for set in sets {
        let mut joined: Vec<usize> = set
            .iter()
            .filter_map(|element| part_of.get(element).copied())
            .collect();
        joined.sort_unstable();
        joined.dedup();
        let into = joined.first().copied().unwrap_or_else(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[into].push(set);
        for &other in joined.iter().skip(1) {
            let moved = std::mem::take(&mut parts[other]);
            for element in moved.iter().copied().flatten() {
                part_of.insert(*element, into);
            }
            parts[into].extend(moved);
        }
        set.iter().for_each(|&element| {
            part_of.insert(element, into);
        });
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A set of sets, by their numbers.
type Bits = Vec<u64>;

/// One independent problem. Of elements that are in the same sets one is kept, and none that is only in sets of another.
struct Problem {
    /// For each element, its name and the sets that it is in.
    elements: Vec<(usize, Bits)>,
    /// For each set, its elements.
    sets: Vec<Vec<usize>>,
}

impl Problem {
    fn new(sets: &[&[usize]]) -> Self {
        let words = sets.len().div_ceil(64);
        let mut bits: HashMap<usize, Bits> = HashMap::new();
        for (i, set) in sets.iter().enumerate() {
            for &element in *set {
                bits.entry(element).or_insert_with(|| vec![0; words])[i / 64] |= 1 << (i % 64);
            }
        }
        let mut all: Vec<(usize, Bits)> = bits.into_iter().collect();
        let size = |bits: &Bits| bits.iter().map(|word| word.count_ones()).sum::<u32>();
        all.sort_by_key(|(name, bits)| (std::cmp::Reverse(size(bits)), *name));
        let mut elements: Vec<(usize, Bits)> = Vec::new();
        for (name, bits) in all {
            let covers = |(_, other): &(usize, Bits)| {
                bits.iter().zip(other).all(|(own, other)| own & !other == 0)
            };
            if !elements.iter().any(covers) {
                elements.push((name, bits));
            }
        }
        let holds = |i: usize, bits: &Bits| bits[i / 64] >> (i % 64) & 1 == 1;
        let of_set = |i: usize| {
            let numbered = elements.iter().enumerate();
            let own = numbered.filter(|(_, (_, bits))| holds(i, bits));
            own.map(|(at, _)| at).collect()
        };
        Problem {
            sets: (0..sets.len()).map(of_set).collect(),
            elements,
        }
    }

    fn solve(&self, stop: &mut dyn FnMut(usize) -> bool) -> Result<Vec<usize>, usize> {
        let words = self.sets.len().div_ceil(64);
        let mut size = 0;
        loop {
            let (met, mut excluded) = (vec![0; words], vec![false; self.elements.len()]);
            let mut chosen = Vec::new();
            match self.within(size, &met, &mut excluded, &mut chosen, stop) {
                None => return Err(size),
                Some(true) => {
                    let names = chosen.into_iter().map(|at| self.elements[at].0);
                    return Ok(names.collect());
                }
                Some(false) => size += 1,
            }
        }
    }

    /// Whether `left` further elements suffice; `None` if stopped.
    fn within(
        &self,
        left: usize,
        met: &Bits,
        excluded: &mut [bool],
        chosen: &mut Vec<usize>,
        stop: &mut dyn FnMut(usize) -> bool,
    ) -> Option<bool> {
        if stop(chosen.len()) {
            return None;
        }
        let mut open: Vec<(usize, usize)> = (0..self.sets.len())
            .filter(|i| met[i / 64] >> (i % 64) & 1 == 0)
            .map(|i| {
                let free = self.sets[i].iter().filter(|&&at| !excluded[at]);
                (free.count(), i)
            })
            .collect();
        let Some(&(free, smallest)) = open.iter().min() else {
            return Some(true);
        };
        if left == 0 || free == 0 {
            return Some(false);
        }
        // Disjoint sets, the smallest first: each needs an element of its own.
        open.sort_unstable();
        let (mut used, mut disjoint) = (vec![false; self.elements.len()], 0);
        for &(_, i) in &open {
            let free = || self.sets[i].iter().filter(|&&at| !excluded[at]);
            if free().all(|&at| !used[at]) {
                free().for_each(|&at| used[at] = true);
                disjoint += 1;
            }
        }
        if disjoint > left {
            return Some(false);
        }
        let new = |at: usize| {
            let words = self.elements[at].1.iter().zip(met);
            words
                .map(|(own, met)| (own & !met).count_ones())
                .sum::<u32>()
        };
        let set = self.sets[smallest].iter().copied();
        let mut branches: Vec<usize> = set.filter(|&at| !excluded[at]).collect();
        branches.sort_by_key(|&at| (std::cmp::Reverse(new(at)), at));
        let mut result = Some(false);
        let mut tried = 0;
        for &at in &branches {
            let words = self.elements[at].1.iter().zip(met);
            let met: Bits = words.map(|(own, met)| own | met).collect();
            chosen.push(at);
            result = self.within(left - 1, &met, excluded, chosen, stop);
            if result != Some(false) {
                break;
            }
            chosen.pop();
            excluded[at] = true;
            tried += 1;
        }
        branches[..tried]
            .iter()
            .for_each(|&at| excluded[at] = false);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(sets: &[Vec<usize>], chosen: &[usize]) -> bool {
        sets.iter()
            .all(|set| set.iter().any(|element| chosen.contains(element)))
    }

    #[test]
    fn the_minimum_is_that_of_all_subsets() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize
        };
        for _ in 0..300 {
            let sets: Vec<Vec<usize>> = (0..1 + next() % 9)
                .map(|_| {
                    let mut set: Vec<usize> = (0..1 + next() % 4).map(|_| next() % 11).collect();
                    set.sort_unstable();
                    set.dedup();
                    set
                })
                .collect();
            let best = (0u32..1 << 11)
                .filter(|subset| {
                    let chosen: Vec<usize> = (0..11).filter(|i| subset >> i & 1 == 1).collect();
                    hits(&sets, &chosen)
                })
                .map(u32::count_ones)
                .min();
            let chosen = minimum(&sets, || false).expect("it is not stopped");
            assert!(hits(&sets, &chosen));
            assert_eq!(Some(chosen.len() as u32), best, "{sets:?}");
            let chosen = greedy(&sets);
            assert!(hits(&sets, &chosen) && chosen.len() as u32 >= best.unwrap());
        }
    }

    #[test]
    fn a_stopped_search_gives_a_lower_bound() {
        let sets = vec![vec![0, 1], vec![1, 2], vec![2, 0], vec![5, 6]];
        for stop_after in 0..10 {
            let mut calls = 0;
            let found = minimum(&sets, || {
                calls += 1;
                calls > stop_after
            });
            match found {
                Ok(elements) => assert_eq!(elements.len(), 3),
                Err(number) => assert!(number <= 3),
            }
        }
    }
}
