//! What has been counted, as text that another process can read.
//!
//! The key of a part is made of numbers of states, which are given in the order in which states turn up, and so differ from run to run.
//! A book numbers the states that occur in it by itself: each is written down once, by its two successors, before the first part that
//! needs it. Reading gives it the number that it has here.

use rustc_hash::FxHashMap;

use super::cache::Key;
use super::digits::{Reader, push};
use super::line_automaton::{END, NONE, UniqueTable};
use crate::solutions::Count;

/// How a state is written that there is not, and the one in which a word is complete; others follow.
const NO_STATE: u32 = 0;
const COMPLETE: u32 = 1;

/// A book that is written and read.
#[derive(Debug)]
pub(crate) struct Book {
    /// The states here by their numbers in the book.
    states: Vec<Option<u32>>,
    /// And the other way round.
    written: FxHashMap<u32, u32>,
    /// The successors of each state here, as far as they have been asked for.
    successors: Vec<[u32; 2]>,
}

/// Page of a book: states, then parts that need no others.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Page {
    pub(crate) states: String,
    pub(crate) components: String,
}

impl Book {
    pub(crate) fn new() -> Self {
        Book {
            states: vec![None, Some(END)],
            written: FxHashMap::from_iter([(NONE, NO_STATE), (END, COMPLETE)]),
            successors: Vec::new(),
        }
    }

    /// Writes down parts and what they are worth.
    pub(crate) fn write(
        &mut self,
        numbers: &UniqueTable,
        news: impl Iterator<Item = (Key, Count)>,
    ) -> Page {
        let mut page = Page::default();
        for (key, count) in news {
            let Some(places) = places(&key) else {
                debug_assert!(false, "a key has its form");
                continue;
            };
            let states = &mut page.states;
            let mut key: Vec<u32> = key.into();
            for place in places {
                key[place] = self.state(key[place], numbers, states);
            }
            key.iter().for_each(|&n| push(&mut page.components, n));
            page.components.push_str(&format!(" {count} "));
        }
        page
    }

    /// The number in the book of a state, which is written down first if it is not there.
    fn state(&mut self, state: u32, numbers: &UniqueTable, text: &mut String) -> u32 {
        if let Some(&number) = self.written.get(&state) {
            return number;
        }
        let mut path = vec![state];
        while let Some(&state) = path.last() {
            let successors = self.successors(state, numbers);
            let open = |state: &u32| !self.written.contains_key(state);
            if let Some(next) = successors.into_iter().find(open) {
                path.push(next);
                continue;
            }
            successors
                .iter()
                .for_each(|next| push(text, self.written[next]));
            self.written.insert(state, self.states.len() as u32);
            self.states.push(Some(state));
            path.pop();
        }
        self.written[&state]
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
        // A state that is met in a key has its number for some time.
        let all = &mut self.successors;
        numbers.each(|successors, number| {
            let number = number as usize;
            if all.len() <= number {
                all.resize(number + number / 4 + 1, [NONE; 2]);
            }
            all[number] = successors;
        });
        self.successors[state as usize]
    }

    /// Reads what [`Book::write`] has written, and calls `see` with each part; `None` when it is not in order. Parts for whose states
    /// there are no numbers left are passed over.
    pub(crate) fn read(
        &mut self,
        page: &Page,
        numbers: &UniqueTable,
        mut see: impl FnMut(Key, Count),
    ) -> Option<()> {
        let mut states = Reader::new(&page.states);
        while !states.is_empty() {
            let mut successor = || {
                let number = states.number()?;
                match number {
                    NO_STATE => Some(Some(NONE)),
                    _ => self.states.get(number as usize).copied(),
                }
            };
            let (empty, filled) = (successor()?, successor()?);
            let here = empty
                .zip(filled)
                .and_then(|(empty, filled)| numbers.of([empty, filled]));
            if let Some(here) = here {
                self.written.insert(here, self.states.len() as u32);
            }
            self.states.push(here);
        }
        let mut words = page.components.split_terminator(' ');
        while let Some(word) = words.next() {
            let mut reader = Reader::new(word);
            let mut key = Vec::with_capacity(word.len());
            while !reader.is_empty() {
                key.push(reader.number()?);
            }
            let count: Count = words.next()?.parse().ok()?;
            let mut there = true;
            for place in places(&key)? {
                match *self.states.get(key[place] as usize)? {
                    Some(state) => key[place] = state,
                    None => there = false,
                }
            }
            if there {
                see(key.into(), count);
            }
        }
        Some(())
    }
}

/// Where in a key the numbers of states are, as [`Component`](super::part::Part) makes keys that do not tell places apart: the number of
/// columns, then for each row its number and a bit for each column, then the numbers of the columns.
fn places(key: &[u32]) -> Option<impl Iterator<Item = usize> + use<>> {
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

    /// What one process has written another one reads, though it numbers states otherwise.
    #[test]
    fn parts_are_read_back() {
        let (here, there) = (UniqueTable::new(1 << 20), UniqueTable::new(1 << 20));
        let state = |numbers: &UniqueTable, successors| numbers.of(successors).unwrap();
        let a = state(&here, [END, NONE]);
        let b = state(&here, [a, END]);
        let c = state(&here, [NONE, b]);
        // Two columns; two rows with a number and a word of bits each.
        let first: Key = vec![2, c, 0b11, a, 0b01, b, a].into();
        let second: Key = vec![1, b, 1, c].into();
        let news = [
            (first, Count::from(7)),
            (
                second,
                "123456789012345678901234567890123456789012"
                    .parse()
                    .unwrap(),
            ),
        ];
        let mut book = Book::new();
        let page = book.write(&here, news.clone().into_iter());
        let more = book.write(&here, news[..1].iter().cloned());
        assert!(more.states.is_empty(), "each state is written once");
        let other = state(&there, [END, END]);
        let a = state(&there, [END, NONE]);
        let b = state(&there, [a, END]);
        let c = state(&there, [NONE, b]);
        assert!(other < a);
        let mut read = Vec::new();
        let mut book = Book::new();
        for page in [&page, &more] {
            let see = |key: Key, count: Count| read.push((key.to_vec(), count));
            book.read(page, &there, see).unwrap();
        }
        let first = (vec![2, c, 0b11, a, 0b01, b, a], Count::from(7));
        let second = (vec![1, b, 1, c], news[1].1.clone());
        assert_eq!(read, [first.clone(), second, first]);
        // The other process goes on with the same book.
        let d = state(&there, [c, c]);
        let more = book.write(&there, [(vec![1, d, 1, d].into(), Count::ONE)].into_iter());
        let mut third = Book::new();
        let numbers = UniqueTable::new(1 << 20);
        let mut components = 0;
        for page in [&page, &more] {
            third.read(page, &numbers, |_, _| components += 1).unwrap();
        }
        assert_eq!(components, 3);
    }

    #[test]
    fn what_is_out_of_order_is_refused() {
        let numbers = UniqueTable::new(1 << 20);
        let read = |states: &str, components: &str| {
            let page = Page {
                states: states.to_owned(),
                components: components.to_owned(),
            };
            Book::new().read(&page, &numbers, |_, _| {})
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
