//! The numbers of a census, or of a part of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The numbers of some clue sets: all those of a census, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of pictures with these clue sets.
    pub pictures: u64,
    /// Number of clue sets.
    pub clue_sets: u64,
    /// Number of them that were worked out; the others are mirror images or transposes of these.
    pub worked_out: u64,
    /// Number of clue sets that line solving alone solves. It stays 0 where the engine is not asked.
    pub line_solvable: u64,
    /// From a number of solutions to the number of clue sets with that number.
    pub histogram: BTreeMap<u64, u64>,
}

impl Tally {
    /// Number of clue sets with exactly one solution.
    pub fn unique(&self) -> u64 {
        self.histogram.get(&1).copied().unwrap_or(0)
    }

    /// The largest number of solutions, and the number of clue sets with that number; zeros if there is no clue set.
    pub fn most(&self) -> (u64, u64) {
        let last = self.histogram.last_key_value();
        last.map_or((0, 0), |(&solutions, &number)| (solutions, number))
    }

    /// Adds the numbers of other clue sets. O(k log n) for the k entries of the other histogram.
    pub fn add(&mut self, other: &Tally) {
        let Tally {
            pictures,
            clue_sets,
            worked_out,
            line_solvable,
            histogram,
        } = other;
        // Saturating, because records of files may hold any number.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.pictures, *pictures);
        add(&mut self.clue_sets, *clue_sets);
        add(&mut self.worked_out, *worked_out);
        add(&mut self.line_solvable, *line_solvable);
        for (&solutions, &number) in histogram {
            add(self.histogram.entry(solutions).or_default(), number);
        }
    }

    /// Whether the histogram agrees with the other numbers.
    pub fn is_consistent(&self) -> bool {
        let sum = |value: fn((&u64, &u64)) -> u128| self.histogram.iter().map(value).sum::<u128>();
        sum(|(_, &number)| u128::from(number)) == u128::from(self.clue_sets)
            && sum(|(&solutions, &number)| u128::from(solutions) * u128::from(number))
                == u128::from(self.pictures)
            && self.line_solvable <= self.unique()
    }
}
