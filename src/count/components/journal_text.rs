//! Counted components as text for a journal, which another process can read.
//!
//! The key of a component is made of numbers of automaton states. A process numbers states in the order in which it meets them, so the
//! numbers differ from run to run. The text has a numbering of its own: each state is written once, as the text numbers of its two
//! successors, before the first component whose key contains it. Reading translates text numbers into the numbers of this process.

use rustc_hash::FxHashMap;

use super::base32::{Reader, push_number};
use super::cache::Key;
use super::line_automaton::{END, NONE, UniqueTable};
use crate::solutions::Count;

/// Text numbers of [`NONE`] and of [`END`]; other states have the numbers from 2 on.
const TEXT_NONE: u32 = 0;
const TEXT_END: u32 = 1;

/// Writes and reads the text of one journal. *State numbers* are those of this process, *text numbers* those of the journal.
#[derive(Debug)]
pub(crate) struct ComponentCodec {
    /// State number by text number; `None` for [`NONE`] and for a state that got no number in this process.
    states: Vec<Option<u32>>,
    /// Text number by state number.
    text_numbers: FxHashMap<u32, u32>,
    /// The successors of each state by state number: a snapshot of the [`UniqueTable`], refreshed when a state is missing.
    successors: Vec<[u32; 2]>,
}

/// Text of states, and of components whose keys contain only these states and those of earlier texts of the same journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ComponentText {
    pub(crate) states: String,
    pub(crate) components: String,
}

impl ComponentCodec {
    pub(crate) fn new() -> Self {
        ComponentCodec {
            states: vec![None, Some(END)],
            text_numbers: FxHashMap::from_iter([(NONE, TEXT_NONE), (END, TEXT_END)]),
            successors: Vec::new(),
        }
    }

    /// Writes components and their counts.
    pub(crate) fn write(
        &mut self,
        numbers: &UniqueTable,
        counted: impl Iterator<Item = (Key, Count)>,
    ) -> ComponentText {
        let mut text = ComponentText::default();
        for (key, count) in counted {
            let Some(positions) = state_positions(&key) else {
                debug_assert!(
                    false,
                    "every key that is kept has the format of `state_positions`"
                );
                continue;
            };
            let states = &mut text.states;
            let mut key: Vec<u32> = key.into();
            for position in positions {
                key[position] = self.text_number(key[position], numbers, states);
            }
            key.iter()
                .for_each(|&n| push_number(&mut text.components, n));
            text.components.push_str(&format!(" {count} "));
        }
        text
    }

    /// The text number of a state. A state that has none is appended to `text` first, after all its unwritten descendants.
    fn text_number(&mut self, state: u32, numbers: &UniqueTable, text: &mut String) -> u32 {
        if let Some(&number) = self.text_numbers.get(&state) {
            return number;
        }
        let mut path = vec![state];
        while let Some(&state) = path.last() {
            let successors = self.successors(state, numbers);
            let unwritten = |state: &u32| !self.text_numbers.contains_key(state);
            if let Some(next) = successors.into_iter().find(unwritten) {
                path.push(next);
                continue;
            }
            successors
                .iter()
                .for_each(|next| push_number(text, self.text_numbers[next]));
            self.text_numbers.insert(state, self.states.len() as u32);
            self.states.push(Some(state));
            path.pop();
        }
        self.text_numbers[&state]
    }

    fn successors(&mut self, state: u32, numbers: &UniqueTable) -> [u32; 2] {
        let known = |of: &[[u32; 2]]| {
            of.get(state as usize)
                .copied()
                .filter(|of| *of != [NONE; 2])
        };
        if let Some(successors) = known(&self.successors) {
            return successors;
        }
        // The table is read as a whole, which finds the state: it got its number before the key that contains it was made.
        let all = &mut self.successors;
        numbers.for_each(|successors, number| {
            let number = number as usize;
            if all.len() <= number {
                all.resize(number + number / 4 + 1, [NONE; 2]);
            }
            all[number] = successors;
        });
        self.successors[state as usize]
    }

    /// Reads a text of [`ComponentCodec::write`] and calls `visit` with each component; `None` when the text is malformed. Components
    /// with a state for which the [`UniqueTable`] has no number left are skipped.
    pub(crate) fn read(
        &mut self,
        text: &ComponentText,
        numbers: &UniqueTable,
        mut visit: impl FnMut(Key, Count),
    ) -> Option<()> {
        let mut states = Reader::new(&text.states);
        while !states.is_empty() {
            let mut successor = || {
                let number = states.number()?;
                match number {
                    TEXT_NONE => Some(Some(NONE)),
                    _ => self.states.get(number as usize).copied(),
                }
            };
            let (empty, filled) = (successor()?, successor()?);
            let state = empty
                .zip(filled)
                .and_then(|(empty, filled)| numbers.number_of([empty, filled]));
            if let Some(state) = state {
                self.text_numbers.insert(state, self.states.len() as u32);
            }
            self.states.push(state);
        }
        let mut words = text.components.split_terminator(' ');
        while let Some(word) = words.next() {
            let mut reader = Reader::new(word);
            let mut key = Vec::with_capacity(word.len());
            while !reader.is_empty() {
                key.push(reader.number()?);
            }
            let count: Count = words.next()?.parse().ok()?;
            let mut is_numbered = true;
            for position in state_positions(&key)? {
                match *self.states.get(key[position] as usize)? {
                    Some(state) => key[position] = state,
                    None => is_numbered = false,
                }
            }
            if is_numbered {
                visit(key.into(), count);
            }
        }
        Some(())
    }
}

/// The positions of state numbers in a key of a [`Component`](super::component::Component); `None` when the length does not fit. A key
/// is the number of column pieces; for each row piece its state and a bit set of the columns that it crosses; the states of the columns.
fn state_positions(key: &[u32]) -> Option<impl Iterator<Item = usize> + use<>> {
    let columns = *key.first()? as usize;
    let row = 1 + columns.div_ceil(u32::BITS as usize);
    let rows = key.len().checked_sub(1 + columns)?;
    let of_rows = (1..=rows).step_by(row);
    rows.is_multiple_of(row)
        .then(|| of_rows.chain(1 + rows..key.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of one process can be read by another process that numbers the states differently.
    #[test]
    fn components_are_read_back() {
        let (here, there) = (UniqueTable::new(1 << 20), UniqueTable::new(1 << 20));
        let state = |numbers: &UniqueTable, successors| numbers.number_of(successors).unwrap();
        let a = state(&here, [END, NONE]);
        let b = state(&here, [a, END]);
        let c = state(&here, [NONE, b]);
        // Two columns; two rows with a state and a word of bits each.
        let first: Key = vec![2, c, 0b11, a, 0b01, b, a].into();
        let second: Key = vec![1, b, 1, c].into();
        let counted = [
            (first, Count::from(7)),
            (
                second,
                "123456789012345678901234567890123456789012"
                    .parse()
                    .unwrap(),
            ),
        ];
        let mut codec = ComponentCodec::new();
        let text = codec.write(&here, counted.clone().into_iter());
        let more = codec.write(&here, counted[..1].iter().cloned());
        assert!(more.states.is_empty(), "each state is written once");
        let other = state(&there, [END, END]);
        let a = state(&there, [END, NONE]);
        let b = state(&there, [a, END]);
        let c = state(&there, [NONE, b]);
        assert!(other < a);
        let mut read = Vec::new();
        let mut codec = ComponentCodec::new();
        for text in [&text, &more] {
            let visit = |key: Key, count: Count| read.push((key.to_vec(), count));
            codec.read(text, &there, visit).unwrap();
        }
        let first = (vec![2, c, 0b11, a, 0b01, b, a], Count::from(7));
        let second = (vec![1, b, 1, c], counted[1].1.clone());
        assert_eq!(read, [first.clone(), second, first]);
        // The other process continues the same text.
        let d = state(&there, [c, c]);
        let more = codec.write(&there, [(vec![1, d, 1, d].into(), Count::ONE)].into_iter());
        let mut third = ComponentCodec::new();
        let numbers = UniqueTable::new(1 << 20);
        let mut components = 0;
        for text in [&text, &more] {
            third.read(text, &numbers, |_, _| components += 1).unwrap();
        }
        assert_eq!(components, 3);
    }

    /// The codec reads the table of states ahead of what it writes, and must notice the states that came later.
    #[test]
    fn states_that_came_after_an_earlier_text_are_written() {
        let numbers = UniqueTable::new(1 << 20);
        let mut codec = ComponentCodec::new();
        let mut last = END;
        let mut texts = Vec::new();
        for _ in 0..24 {
            last = numbers.number_of([NONE, last]).unwrap();
            let key: Key = vec![1, last, 1, last].into();
            texts.push(codec.write(&numbers, [(key, Count::ONE)].into_iter()));
        }
        let mut codec = ComponentCodec::new();
        let mut read = Vec::new();
        for text in &texts {
            let visit = |key: Key, _| read.push(key[1]);
            codec.read(text, &numbers, visit).unwrap();
        }
        assert_eq!(read.len(), 24);
        assert!(read.is_sorted_by(|a, b| a < b) && read[23] == last);
    }

    #[test]
    fn malformed_text_is_rejected() {
        let numbers = UniqueTable::new(1 << 20);
        let read = |states: &str, components: &str| {
            let text = ComponentText {
                states: states.to_owned(),
                components: components.to_owned(),
            };
            ComponentCodec::new().read(&text, &numbers, |_, _| {})
        };
        assert!(read("10", "1212 2 ").is_some());
        for (states, components) in [
            ("1", ""),
            ("15", ""),
            ("!", ""),
            ("10", "1212"),
            ("10", "1212 x "),
            ("10", "1214 2 "),
            ("10", "121 2 "),
            ("10", " 2 "),
        ] {
            assert!(read(states, components).is_none(), "{states} {components}");
        }
    }
}
