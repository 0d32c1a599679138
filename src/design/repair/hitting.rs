//! Hitting sets: elements that meet every one of some sets, few of them by a greedy rule, or as few as possible by branch and bound.
//!
//! The minimum is found by iterative deepening: a node branches on the elements of the smallest set that is not met yet, and is closed when
//! more disjoint sets are not met than elements are left. Sets that share no element, directly or through others, are independent problems.

use std::cmp::Reverse;
use std::collections::HashMap;

/// For each element the sets that it is in, by their numbers in ascending order.
fn sets_by_element<S: AsRef<[usize]>>(sets: &[S]) -> HashMap<usize, Vec<usize>> {
    let mut found: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, set) in sets.iter().enumerate() {
        for &element in set.as_ref() {
            found.entry(element).or_default().push(i);
        }
    }
    found
}

/// A hitting set by the greedy rule: takes the element in most sets not met yet, then drops what is not needed.
pub(super) fn greedy(sets: &[Vec<usize>]) -> Vec<usize> {
    let by_element = sets_by_element(sets);
    let mut met = vec![0u32; sets.len()];
    let mut chosen: Vec<usize> = Vec::new();
    while met.contains(&0) {
        let elements = by_element.iter();
        let best = elements.map(|(&element, own)| (not_met(own, &met), Reverse(element)));
        let Some((_, Reverse(element))) = best.max().filter(|best| best.0 > 0) else {
            // An empty set cannot be met.
            break;
        };
        by_element[&element].iter().for_each(|&i| met[i] += 1);
        chosen.push(element);
    }
    for at in (0..chosen.len()).rev() {
        let own = &by_element[&chosen[at]];
        if own.iter().all(|&i| met[i] > 1) {
            own.iter().for_each(|&i| met[i] -= 1);
            chosen.remove(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// How many of these sets are not met by any element chosen.
fn not_met(sets: &[usize], met: &[u32]) -> usize {
    sets.iter().filter(|&&i| met[i] == 0).count()
}

/// A smallest hitting set of sets that are not empty; if `stop`, called at every node, returns `true`, a lower bound on its size.
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
        let joined = set.iter().filter_map(|element| part_of.get(element));
        let mut joined: Vec<usize> = joined.copied().collect();
        joined.sort_unstable();
        joined.dedup();
        let into = joined.first().copied().unwrap_or(parts.len());
        if into == parts.len() {
            parts.push(Vec::new());
        }
        let mut added: Vec<&[usize]> = vec![set];
        for &other in joined.iter().skip(1) {
            added.append(&mut parts[other]);
        }
        let elements = added.iter().copied().flatten();
        part_of.extend(elements.map(|&element| (element, into)));
        parts[into].extend(added);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// One independent problem. Of elements that are in the same sets one is kept, and none that is only in sets of another.
struct Problem {
    /// For each element, its name and the sets that it is in.
    elements: Vec<(usize, Vec<usize>)>,
    /// For each set, its elements.
    sets: Vec<Vec<usize>>,
}

impl Problem {
    fn new(sets: &[&[usize]]) -> Self {
        let mut all: Vec<(usize, Vec<usize>)> = sets_by_element(sets).into_iter().collect();
        all.sort_by_key(|(name, own)| (Reverse(own.len()), *name));
        let mut problem = Problem {
            elements: Vec::new(),
            sets: vec![Vec::new(); sets.len()],
        };
        for (name, own) in all {
            let is_within = |other: &[usize]| own.iter().all(|i| other.binary_search(i).is_ok());
            if !problem.elements.iter().any(|(_, other)| is_within(other)) {
                let at = problem.elements.len();
                own.iter().for_each(|&i| problem.sets[i].push(at));
                problem.elements.push((name, own));
            }
        }
        problem
    }

    fn solve(&self, stop: &mut dyn FnMut(usize) -> bool) -> Result<Vec<usize>, usize> {
        let mut met = vec![0; self.sets.len()];
        let mut excluded = vec![false; self.elements.len()];
        let (mut chosen, mut size) = (Vec::new(), 0);
        loop {
            let suffices = self.within(size, &mut met, &mut excluded, &mut chosen, stop);
            if suffices.ok_or(size)? {
                return Ok(chosen.into_iter().map(|at| self.elements[at].0).collect());
            }
            size += 1;
        }
    }

    /// The elements of a set that are not excluded.
    fn free<'a>(&'a self, set: usize, excluded: &'a [bool]) -> impl Iterator<Item = usize> + 'a {
        let elements = self.sets[set].iter().copied();
        elements.filter(|&at| !excluded[at])
    }

    /// Whether `left` further elements suffice; if not, all is as before. `None` if stopped. `met`: for each set, how many of its elements
    /// are chosen.
    fn within(
        &self,
        left: usize,
        met: &mut [u32],
        excluded: &mut [bool],
        chosen: &mut Vec<usize>,
        stop: &mut dyn FnMut(usize) -> bool,
    ) -> Option<bool> {
        if stop(chosen.len()) {
            return None;
        }
        let open = (0..self.sets.len()).filter(|&i| met[i] == 0);
        let open = open.map(|i| (self.free(i, excluded).count(), i));
        let mut open: Vec<(usize, usize)> = open.collect();
        open.sort_unstable();
        let Some(&(free, smallest)) = open.first() else {
            return Some(true);
        };
        if left == 0 || free == 0 {
            return Some(false);
        }
        // Disjoint sets, the smallest first: each needs an element of its own.
        let (mut used, mut disjoint) = (vec![false; self.elements.len()], 0);
        for &(_, i) in &open {
            if self.free(i, excluded).all(|at| !used[at]) {
                self.free(i, excluded).for_each(|at| used[at] = true);
                disjoint += 1;
            }
        }
        if disjoint > left {
            return Some(false);
        }
        let mut branches: Vec<usize> = self.free(smallest, excluded).collect();
        branches.sort_by_key(|&at| (Reverse(not_met(&self.elements[at].1, met)), at));
        for &at in &branches {
            let own = &self.elements[at].1;
            own.iter().for_each(|&i| met[i] += 1);
            chosen.push(at);
            let suffices = self.within(left - 1, met, excluded, chosen, stop);
            if suffices != Some(false) {
                return suffices;
            }
            chosen.pop();
            own.iter().for_each(|&i| met[i] -= 1);
            excluded[at] = true;
        }
        branches.iter().for_each(|&at| excluded[at] = false);
        Some(false)
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
