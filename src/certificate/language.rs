//! The set of words that a line may still hold, as a decision diagram.
//!
//! A word says for each cell of a line, in order, whether it is filled. A diagram has a node for every prefix, where prefixes with the same
//! continuations share their node; no level is skipped. So equal sets have equal numbers, however they were made. Such diagrams are called
//! quasi-reduced: Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE Transactions on Computers 35 (1986), without the
//! rule that removes nodes with equal children.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::puzzle::Clue;

/// A set of words of the same length: the number of its root.
pub(super) type Language = u32;

/// The language without a word.
pub(super) const NOTHING: Language = 0;

/// The language of the word without cells.
pub(super) const END: Language = 1;

/// Approximate memory of a node with its entry in the hash table, which is up to half empty and is copied when it grows.
const BYTES_PER_NODE: usize = 64;

/// Languages of more bytes might have nodes that cannot be numbered.
pub(super) const MAX_BYTES: u64 = BYTES_PER_NODE as u64 * (u32::MAX / 2) as u64;

/// A cell of a line, counted from its first, and its value: `true` is filled.
pub(super) type Value = (u16, bool);

/// All languages in use, with shared nodes.
#[derive(Debug, Default)]
pub(super) struct LanguageStore {
    /// The continuations of each node after an empty and after a filled cell.
    nodes: Vec<[Language; 2]>,
    /// The length of the words of each node.
    lengths: Vec<u16>,
    numbers: FxHashMap<[Language; 2], Language>,
    forced: FxHashMap<Language, Rc<[Value]>>,
    /// The results of [`LanguageStore::with`] for one cell, which are asked for again and again.
    with_one: FxHashMap<(Language, Value), Language>,
    /// Approximate memory of the two tables above.
    table_bytes: u64,
    /// The results of the current operation.
    results: FxHashMap<Language, Language>,
}

impl LanguageStore {
    pub(super) fn new() -> Self {
        LanguageStore {
            nodes: vec![[NOTHING; 2]; 2],
            lengths: vec![0; 2],
            ..LanguageStore::default()
        }
    }

    /// The node with these continuations.
    fn node(&mut self, next: [Language; 2]) -> Language {
        if next == [NOTHING; 2] {
            return NOTHING;
        }
        let number = self.nodes.len() as Language;
        *self.numbers.entry(next).or_insert_with(|| {
            self.nodes.push(next);
            let [empty, filled] = next.map(|node| self.lengths[node as usize]);
            self.lengths.push(1 + empty.max(filled));
            number
        })
    }

    /// Approximate memory, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.nodes.len() * BYTES_PER_NODE) as u64 + self.table_bytes
    }

    /// Number of nodes that the last operation went through.
    pub(super) fn last_work(&self) -> usize {
        self.results.len()
    }

    /// The arrangements of a clue, which fits into `length` cells. O(length²). `poll` is called for every block, with the bytes in use.
    pub(super) fn of_clue(
        &mut self,
        clue: &Clue,
        length: usize,
        mut poll: impl FnMut(u64) -> Result<()>,
    ) -> Result<Language> {
        let slack = length - clue.span();
        // `after[extra]`: what follows when this number of extra empty cells is left. After the last block all are empty.
        let mut after = vec![END];
        for extra in 0..slack {
            after.push(self.node([after[extra], NOTHING]));
        }
        for (i, block) in clue.lengths().enumerate().rev() {
            let is_last = i + 1 == clue.blocks().len();
            let mut before = Vec::with_capacity(slack + 1);
            let mut later = NOTHING;
            for mut node in after {
                if !is_last {
                    node = self.node([node, NOTHING]);
                }
                for _ in 1..block {
                    node = self.node([NOTHING, node]);
                }
                later = self.node([later, node]);
                before.push(later);
            }
            after = before;
            poll(self.bytes())?;
        }
        Ok(after[slack])
    }

    /// The words in which this cell has this value. O(nodes) for the first call, then O(1).
    pub(super) fn with(&mut self, language: Language, value: Value) -> Language {
        if let Some(&result) = self.with_one.get(&(language, value)) {
            return result;
        }
        self.results.clear();
        let result = self.condition(language, 0, &[value], true);
        self.with_one.insert((language, value), result);
        self.table_bytes += BYTES_PER_NODE as u64;
        result
    }

    /// The words in which these cells, in increasing order, have these values, without the cells. O(nodes).
    pub(super) fn without(&mut self, language: Language, values: &[Value]) -> Language {
        self.results.clear();
        self.condition(language, 0, values, false)
    }

    /// `at`: the cell that the node decides.
    fn condition(&mut self, node: Language, at: u16, values: &[Value], keep: bool) -> Language {
        let Some((&(cell, value), rest)) = values.split_first() else {
            return node;
        };
        if node == NOTHING {
            return NOTHING;
        }
        if let Some(&result) = self.results.get(&node) {
            return result;
        }
        let [empty, filled] = self.nodes[node as usize];
        let result = if cell > at {
            let empty = self.condition(empty, at + 1, values, keep);
            let filled = self.condition(filled, at + 1, values, keep);
            self.node([empty, filled])
        } else {
            let chosen = if value { filled } else { empty };
            match (self.condition(chosen, at + 1, rest, keep), value) {
                (conditioned, _) if !keep => conditioned,
                (conditioned, false) => self.node([conditioned, NOTHING]),
                (conditioned, true) => self.node([NOTHING, conditioned]),
            }
        };
        self.results.insert(node, result);
        result
    }

    /// The cells that have the same value in every word. O(nodes) for the first call, then O(1).
    pub(super) fn forced(&mut self, language: Language) -> Rc<[Value]> {
        if let Some(forced) = self.forced.get(&language) {
            return Rc::clone(forced);
        }
        let mut values = Vec::new();
        self.each_level(language, |at, level, nodes| {
            let possible = |value: usize| {
                let mut nodes = level.iter().map(|&node| nodes[node as usize]);
                nodes.any(|next| next[value] != NOTHING)
            };
            let can_be_filled = possible(1);
            if possible(0) != can_be_filled {
                values.push((at, can_be_filled));
            }
        });
        let values: Rc<[Value]> = values.into();
        self.forced.insert(language, Rc::clone(&values));
        self.table_bytes += (BYTES_PER_NODE + size_of_val(&*values)) as u64;
        values
    }

    /// Calls `visit` for every cell with all nodes that decide it.
    fn each_level(
        &self,
        language: Language,
        mut visit: impl FnMut(u16, &[Language], &[[Language; 2]]),
    ) {
        let mut level = vec![language];
        let mut next = FxHashSet::default();
        for at in 0..self.lengths[language as usize] {
            visit(at, &level, &self.nodes);
            for &node in &level {
                next.extend(self.nodes[node as usize]);
            }
            next.remove(&NOTHING);
            level.clear();
            level.extend(next.drain());
        }
    }

    /// The language of the cells of each owner: `owners[i]`, less than `count`, owns cell `i`. `None` if the line is not shown to be their
    /// product: wherever the owner changes, all words must have the same continuations from that cell on. O(nodes).
    pub(super) fn divide(
        &mut self,
        language: Language,
        owners: &[u32],
        count: usize,
    ) -> Option<Vec<Language>> {
        // Where each stretch of cells of one owner begins, and the only node there.
        let mut stretches: Vec<(usize, Language)> = Vec::new();
        let mut is_product = true;
        self.each_level(language, |at, level, _| {
            let at = usize::from(at);
            if at == 0 || owners[at] != owners[at - 1] {
                is_product &= level.len() == 1;
                stretches.push((at, level[0]));
            }
        });
        if !is_product {
            return None;
        }
        let mut parts = vec![END; count];
        let mut end = owners.len();
        for (at, node) in stretches.into_iter().rev() {
            let part = &mut parts[owners[at] as usize];
            self.results.clear();
            *part = self.replace_tail(node, end - at, *part);
            end = at;
        }
        Some(parts)
    }

    /// The words cut off after `length` cells, each continued by `tail`. All of them must have the same continuations there.
    fn replace_tail(&mut self, node: Language, length: usize, tail: Language) -> Language {
        if node == NOTHING {
            return NOTHING;
        }
        if length == 0 {
            return tail;
        }
        if let Some(&result) = self.results.get(&node) {
            return result;
        }
        let next = self.nodes[node as usize];
        let replaced = next.map(|node| self.replace_tail(node, length - 1, tail));
        let result = self.node(replaced);
        self.results.insert(node, result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All words, as numbers with bit `i` for cell `i`.
    fn words(languages: &LanguageStore, node: Language, length: usize) -> Vec<u32> {
        match (node, length) {
            (NOTHING, _) => vec![],
            (_, 0) => vec![0],
            _ => (0..2)
                .flat_map(|value| {
                    let next = languages.nodes[node as usize][value as usize];
                    let words = words(languages, next, length - 1);
                    words.into_iter().map(move |word| word << 1 | value)
                })
                .collect(),
        }
    }

    fn clue_of(word: u32, length: usize) -> Clue {
        let text: String = (0..length)
            .map(|i| if word >> i & 1 == 1 { '#' } else { ' ' })
            .collect();
        Clue::new(text.split_whitespace().map(str::len)).unwrap()
    }

    #[test]
    fn languages_are_the_sets_of_words_that_listing_gives() {
        let length = 7;
        let mut languages = LanguageStore::new();
        for picture in 0..1_u32 << length {
            let clue = clue_of(picture, length);
            let all: Vec<u32> = (0..1 << length)
                .filter(|&word| clue_of(word, length) == clue)
                .collect();
            let language = languages.of_clue(&clue, length, |_| Ok(())).unwrap();
            let sorted = |mut words: Vec<u32>| {
                words.sort_unstable();
                words
            };
            assert_eq!(sorted(words(&languages, language, length)), all);
            assert_eq!(usize::from(languages.lengths[language as usize]), length);
            for mask in [0, 0b1, 0b100, 0b1001000, 0b110, 0b1111111] {
                let values: Vec<Value> = (0..length as u16)
                    .filter(|i| mask >> i & 1 == 1)
                    .map(|i| (i, picture >> i & 1 == 1))
                    .collect();
                let kept: Vec<u32> = all
                    .iter()
                    .copied()
                    .filter(|word| (word ^ picture) & mask == 0)
                    .collect();
                let with = values.iter().fold(language, |language, &value| {
                    let with = languages.with(language, value);
                    assert_eq!(languages.with(language, value), with);
                    with
                });
                assert_eq!(sorted(words(&languages, with, length)), kept);
                let (any, every) = (
                    kept.iter().fold(0, |bits, word| bits | word),
                    kept.iter().fold(!0, |bits, word| bits & word),
                );
                let forced: Vec<Value> = (0..length as u16)
                    .filter(|i| (any >> i & 1) == (every >> i & 1))
                    .map(|i| (i, any >> i & 1 == 1))
                    .collect();
                assert_eq!(*languages.forced(with), *forced);
                // Removing the cells from the words gives the same language however it is done.
                let without = languages.without(language, &values);
                let again = languages.without(with, &values);
                assert_eq!(without, again);
                assert_eq!(
                    words(&languages, without, length - values.len()).len(),
                    kept.len()
                );
            }
        }
    }

    #[test]
    fn a_line_is_divided_only_where_it_is_a_product() {
        let mut languages = LanguageStore::new();
        // Where the second block can be depends on the first.
        let of_clue = |languages: &mut LanguageStore, lengths: &[usize], length| {
            let clue = Clue::new(lengths.iter().copied()).unwrap();
            languages.of_clue(&clue, length, |_| Ok(())).unwrap()
        };
        let line = of_clue(&mut languages, &[1, 1], 5);
        assert_eq!(languages.divide(line, &[0, 0, 0, 1, 1], 2), None);
        let line = of_clue(&mut languages, &[2, 2], 7);
        let values = [(1, true), (3, false), (5, true)];
        let mut with = |line, values: &[Value]| {
            let values = values.iter();
            values.fold(line, |line, &value| languages.with(line, value))
        };
        let line = with(line, &values);
        let half = of_clue(&mut languages, &[2], 3);
        let half = languages.with(half, (1, true));
        let parts = languages.divide(line, &[0, 0, 0, 1, 1, 1, 1], 2).unwrap();
        assert_eq!(parts[0], half);
        assert_eq!(words(&languages, parts[1], 4).len(), 2);
        // The same cells, where the owner of the first three owns the last three too.
        let parts = languages.divide(line, &[0, 0, 0, 1, 0, 0, 0], 2).unwrap();
        assert_eq!(words(&languages, parts[0], 6).len(), 4);
        assert_eq!(words(&languages, parts[1], 1), [0]);
    }
}
