//! Goes through all pictures with the same row clues, and finds their clue sets with the number of solutions of each.
//!
//! A node of the tree is a tuple of clues of the first columns. With it are the states of all rows after these columns, as one word each,
//! with the number of fillings of the columns that lead to them. A filling of the next column gives a state each row its next state, and
//! the column its clue; sorting by clue gives the children, and equal states are merged. No state is entered from which the rows cannot be
//! completed, so every node leads to a clue set.
//!
//! Where the size is square, the columns of a clue set that is worked out come after its rows in the order of tuples, and so do the
//! columns with each clue reversed. Nodes whose first clues contradict that are left out.

use std::collections::BTreeMap;

use super::engine::Questioner;
use super::problem::MAX_LINE;
use super::slice::Slice;
use super::tables::{Codes, STATE_BITS, Tables};
use super::tally::Tally;
use crate::run::{Control, Limits};
use crate::solutions::Stop;

/// The number of the clue in the key of an entry, above the states of the rows.
const CLUE_SHIFT: u32 = 48;

/// Numbers of solutions below this are counted in an array.
const SMALL: usize = 64;

/// Clue sets between two polls of the limits.
const SETS_PER_POLL: u32 = 64;

/// How a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All tuples are done.
    Done,
    /// The caller asked to pause before this tuple.
    Paused(u64),
    /// A limit was reached; this tuple is the first that is not done.
    Stopped(u64, Stop),
}

impl Ended {
    /// What is left of the slice; `None` if nothing is.
    pub fn rest(&self, slice: &Slice) -> Option<Slice> {
        match *self {
            Ended::Done => None,
            Ended::Paused(next) | Ended::Stopped(next, _) => {
                Some(slice.split_at(next).1).filter(|rest| !rest.is_empty())
            }
        }
    }

    /// The limit that was reached, if one was.
    pub fn stopped(&self) -> Option<Stop> {
        match *self {
            Ended::Done | Ended::Paused(_) => None,
            Ended::Stopped(_, stop) => Some(stop),
        }
    }
}

/// The states of all rows, below the number of the clue of the last column; and the number of fillings that lead to them.
type Entry = (u64, u64);

/// Works out clue sets, one tuple of row clues after the other. Each thread has one.
#[derive(Debug)]
pub struct Sweeper<'t> {
    tables: &'t Tables,
    questioner: Questioner<'t>,
    /// Most bytes of the entries.
    memory: u64,
    /// The present tuple of row clues, its codes, and the tuple of column clues of the present node.
    tuple: Vec<usize>,
    codes: Codes,
    columns: Vec<usize>,
    /// The entries of all nodes on the path, the root first.
    entries: Vec<Entry>,
    /// The numbers of the present tuple.
    counts: [u64; SMALL],
    others: BTreeMap<u64, u64>,
    worked_out: u64,
    line_solvable: u64,
    until_poll: u32,
}

/// Why a tuple is not finished.
enum Halt {
    Stopped(Stop),
    Wrong(String),
}

impl<'t> Sweeper<'t> {
    /// A sweeper that keeps at most `memory` bytes of entries.
    pub fn new(tables: &'t Tables, memory: u64) -> Self {
        Sweeper {
            tables,
            questioner: Questioner::new(tables),
            memory,
            tuple: vec![0; tables.rows],
            codes: [0; 4],
            columns: vec![0; tables.columns],
            entries: Vec::new(),
            counts: [0; SMALL],
            others: BTreeMap::new(),
            worked_out: 0,
            line_solvable: 0,
            until_poll: SETS_PER_POLL,
        }
    }

    /// Works out a slice within limits on time and interrupts. After every tuple of row clues `pauses` is called with the numbers of the
    /// tuples so far, and may end the sweep.
    ///
    /// A tuple that a limit stops in the middle is not counted. The longest tuple of 6x6 takes about a second, of 7x7 some minutes.
    ///
    /// # Errors
    ///
    /// A message if the engine contradicts the enumeration.
    pub fn sweep(
        &mut self,
        slice: &Slice,
        limits: &Limits,
        mut pauses: impl FnMut(&Tally) -> bool,
    ) -> Result<(Tally, Ended), String> {
        let control = Control::new(limits, false);
        let mut tally = Tally::default();
        let mut tuples = 0u64;
        for number in slice.from()..slice.to() {
            tuples += 1;
            if tuples.is_multiple_of(1 << 10) {
                control.poll();
            }
            if let Err(stop) = control.check() {
                return Ok((tally, Ended::Stopped(number, stop)));
            }
            if !self.begin(number) {
                continue;
            }
            match self.finish_tuple(&control) {
                Ok(()) => self.add_to(&mut tally),
                Err(Halt::Wrong(message)) => return Err(message),
                Err(Halt::Stopped(stop)) => return Ok((tally, Ended::Stopped(number, stop))),
            }
            if pauses(&tally) && number + 1 < slice.to() {
                return Ok((tally, Ended::Paused(number + 1)));
            }
        }
        Ok((tally, Ended::Done))
    }

    /// Sets the tuple with this number. `false` if its clue sets are worked out with a mirror image of the tuple.
    fn begin(&mut self, number: u64) -> bool {
        self.tables.tuple(number, &mut self.tuple);
        self.codes = self.tables.row_codes(&self.tuple);
        self.codes[1..].iter().all(|image| self.codes[0] <= *image)
    }

    /// Works out the clue sets of the present tuple.
    fn finish_tuple(&mut self, control: &Control) -> Result<(), Halt> {
        self.entries.clear();
        self.entries.push((0, 1));
        self.counts = [0; SMALL];
        self.others.clear();
        (self.worked_out, self.line_solvable) = (0, 0);
        self.descend(control, 0, (0, 1), [self.tables.is_square(); 2])
    }

    /// Adds the numbers of the present tuple.
    fn add_to(&self, tally: &mut Tally) {
        tally.worked_out += self.worked_out;
        tally.line_solvable += self.line_solvable;
        let small = (0..).zip(self.counts).filter(|&(_, number)| number > 0);
        let others = self.others.iter().map(|(&value, &number)| (value, number));
        for (solutions, number) in small.chain(others) {
            *tally.histogram.entry(solutions).or_default() += number;
            tally.clue_sets += number;
            tally.pictures += number * solutions;
        }
    }

    /// Goes through the clue sets below a node of the first `depth` columns. `tight`: whether the clues of its columns, and these clues
    /// reversed, are still those of the rows, so that the next clue has to be at least that of the next row.
    fn descend(
        &mut self,
        control: &Control,
        depth: usize,
        (begin, end): (usize, usize),
        tight: [bool; 2],
    ) -> Result<(), Halt> {
        if depth == self.tables.columns {
            // All rows are complete, so there is a single entry.
            debug_assert_eq!(end - begin, 1);
            return self.count(control, self.entries[begin].1);
        }
        let is_tight = tight.contains(&true);
        let least = if is_tight { self.tuple[depth] } else { 0 };
        // The siblings that follow are in between.
        let first = self.entries.len();
        self.expand(depth, (begin, end), least, tight);
        if 2 * std::mem::size_of::<Entry>() as u64 * self.entries.len() as u64 > self.memory {
            control.stop(Stop::Memory);
            control.check().map_err(Halt::Stopped)?;
        }
        let last = self.merge(first);
        let clue_of = |entry: &Entry| (entry.0 >> CLUE_SHIFT) as usize;
        let mut child = first;
        while child < last {
            let clue = clue_of(&self.entries[child]);
            let mut next = child;
            while next < last && clue_of(&self.entries[next]) == clue {
                self.entries[next].0 &= (1 << CLUE_SHIFT) - 1;
                next += 1;
            }
            self.columns[depth] = clue;
            let reversed = self.tables.column_clues.clues[clue].reversed;
            let tight = [tight[0] && clue == least, tight[1] && reversed == least];
            self.descend(control, depth + 1, (child, next), tight)?;
            child = next;
        }
        self.entries.truncate(first);
        Ok(())
    }

    /// Appends the children of a node: for every entry and every filling of the next column that the rows allow, the next states.
    fn expand(
        &mut self,
        depth: usize,
        (begin, end): (usize, usize),
        least: usize,
        tight: [bool; 2],
    ) {
        let tables = self.tables;
        let mut rows = [(0u32, 0u32, 0u32); MAX_LINE];
        for (row, &clue) in rows.iter_mut().zip(&self.tuple) {
            let clue = &tables.row_clues.clues[clue];
            // Only from a state greater than this the rest of the clue fits after one more inserted empty cell.
            let last = (clue.span as usize + depth + 1).saturating_sub(tables.columns) as u32;
            let stay = clue.stay & !((1 << last) - 1);
            *row = (clue.filled, clue.empty, stay);
        }
        let rows = &rows[..tables.rows];
        for place in begin..end {
            let (states, number) = self.entries[place];
            let (mut filled, mut empty, mut stay) = (0usize, 0usize, 0usize);
            for (row, &(row_filled, row_empty, row_stay)) in rows.iter().enumerate() {
                let state = (states >> (STATE_BITS * row as u32)) as u32 & ((1 << STATE_BITS) - 1);
                filled |= ((row_filled >> state & 1) as usize) << row;
                empty |= ((row_empty >> state & 1) as usize) << row;
                stay |= ((row_stay >> state & 1) as usize) << row;
            }
            // From here on the empty cells between blocks are the same for all fillings.
            let states = states + tables.steps[empty];
            let (must, free) = (filled & !stay, filled & stay);
            let mut chosen = free;
            loop {
                let cells = must | chosen;
                let clue = usize::from(tables.column_clues.of_cells[cells]);
                let is_left_out = tight[0] && clue < least
                    || tight[1] && tables.column_clues.clues[clue].reversed < least;
                if !is_left_out {
                    let key = (clue as u64) << CLUE_SHIFT | (states + tables.steps[cells]);
                    self.entries.push((key, number));
                }
                if chosen == 0 {
                    break;
                }
                chosen = (chosen - 1) & free;
            }
        }
    }

    /// Sorts the entries from `begin` on by clue and states, and merges equal ones; the end of what is left.
    fn merge(&mut self, begin: usize) -> usize {
        let new = &mut self.entries[begin..];
        if new.len() > 1 {
            new.sort_unstable_by_key(|&(key, _)| key);
            let mut kept = 0;
            for place in 1..new.len() {
                if new[place].0 == new[kept].0 {
                    new[kept].1 += new[place].1;
                } else {
                    kept += 1;
                    new[kept] = new[place];
                }
            }
            self.entries.truncate(begin + kept + 1);
        }
        self.entries.len()
    }

    /// Counts the present clue set, which has this number of solutions, with its images, if it is the one that is worked out.
    fn count(&mut self, control: &Control, solutions: u64) -> Result<(), Halt> {
        let codes = self.tables.column_codes(&self.columns);
        let weight = self.tables.weight(&self.codes, &codes);
        self.until_poll -= 1;
        if self.until_poll == 0 {
            self.until_poll = SETS_PER_POLL;
            if control.poll() {
                return Err(Halt::Stopped(control.reason().unwrap_or(Stop::Interrupt)));
            }
        }
        if weight == 0 {
            return Ok(());
        }
        let asked = self.questioner.ask(&self.tuple, &self.columns, solutions);
        let is_solved = asked.map_err(Halt::Wrong)?;
        self.worked_out += 1;
        self.line_solvable += if is_solved { weight } else { 0 };
        match self.counts.get_mut(solutions as usize) {
            Some(number) => *number += weight,
            None => *self.others.entry(solutions).or_default() += weight,
        }
        Ok(())
    }
}
