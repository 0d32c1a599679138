//! The way to where a walk is, so that a later one, also of another process, can come back to it.
//!
//! The cache knows what parts are worth, but a walk that is cut short has also left sides of branches behind that are counted, or were
//! proved to hold nothing, while their branches are not done. A trail has them all: for each branch on the way the side that is under way,
//! what the side before it was worth, and of the parts of the present one those that are done.

use crate::board::Cell;
use crate::count::components::{Reader, push};
use crate::count::plan::Plan;
use crate::solutions::Count;

/// A branch on the way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrailStep {
    /// Cells of the part that is branched: where memory is short, parts may be larger in one process than in another.
    pub(crate) size: u32,
    pub(crate) cell: Cell,
    /// The side under way.
    pub(crate) filled: bool,
    /// Is the other one still to come?
    pub(crate) more: bool,
    /// What the side before was worth.
    pub(crate) sum: Count,
    /// Parts of the side, those that are done, and their product.
    pub(crate) of: u32,
    pub(crate) components: u32,
    pub(crate) product: Count,
}

/// Where a walk has left off.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    /// What part of what board is walked.
    pub(crate) place: u64,
    pub(crate) plan: Plan,
    pub(crate) steps: Vec<TrailStep>,
}

/// Where the last walk by each plan has left off: a plan is followed on one board at a time.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    /// Each with whether it is in the journal.
    left: Vec<(Trail, bool)>,
}

impl Trails {
    pub(crate) fn note(&mut self, trail: Trail, written: bool) {
        self.left.retain(|(left, _)| left.plan != trail.plan);
        self.left.push((trail, written));
    }

    /// The way that a walk by this plan has left at this place.
    pub(crate) fn of(&self, place: u64, plan: Plan) -> Option<Vec<TrailStep>> {
        let here = |(left, _): &&(Trail, bool)| (left.place, left.plan) == (place, plan);
        let (trail, _) = self.left.iter().find(here)?;
        Some(trail.steps.clone())
    }

    /// Those that are not in the journal: from now on they are.
    pub(crate) fn unwritten(&mut self) -> impl Iterator<Item = &Trail> {
        self.left.iter_mut().filter_map(|left| match left.1 {
            true => None,
            false => {
                left.1 = true;
                Some(&left.0)
            }
        })
    }
}

/// A trail as text.
pub(crate) fn write(trail: &[TrailStep]) -> String {
    let mut text = String::new();
    for step in trail {
        let flags = u32::from(step.filled) << 1 | u32::from(step.more);
        let (row, column) = (u32::from(step.cell.row), u32::from(step.cell.column));
        for number in [
            step.components << 2 | flags,
            step.size,
            row,
            column,
            step.of,
        ] {
            push(&mut text, number);
        }
        if !step.more {
            text.push_str(&format!("+{}", step.sum));
        }
        if step.components > 0 {
            text.push_str(&format!("*{}", step.product));
        }
        text.push(' ');
    }
    text
}

/// The trail in a text; `None` when it is not in order.
pub(crate) fn read(text: &str) -> Option<Vec<TrailStep>> {
    let step = |word: &str| {
        let (word, product) = match word.split_once('*') {
            Some((word, product)) => (word, Some(product.parse().ok()?)),
            None => (word, None),
        };
        let (word, sum) = match word.split_once('+') {
            Some((word, sum)) => (word, Some(sum.parse().ok()?)),
            None => (word, None),
        };
        let mut numbers = Reader::new(word);
        let (first, size) = (numbers.number()?, numbers.number()?);
        let (row, column, of) = (numbers.number()?, numbers.number()?, numbers.number()?);
        let step = TrailStep {
            size,
            cell: Cell {
                row: row.try_into().ok()?,
                column: column.try_into().ok()?,
            },
            filled: first & 2 != 0,
            more: first & 1 != 0,
            of,
            components: first >> 2,
            product: product.unwrap_or(Count::ONE),
            sum: sum.unwrap_or(Count::ZERO),
        };
        numbers.is_empty().then_some(step)
    };
    text.split_terminator(' ').map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_read_back() {
        let trail = [
            (0, true, 0, 0, 1),
            (1, false, 77, 0, 1),
            (4095, false, 5, 3, 1 << 40),
        ];
        let trail = trail.map(|(at, more, sum, components, product)| TrailStep {
            cell: Cell::new(at, at / 2),
            filled: at != 1,
            more,
            size: 700 - u32::from(more),
            sum: Count::from(sum),
            of: components + 1,
            components,
            product: Count::from(product),
        });
        assert_eq!(read(&write(&trail)).unwrap(), trail);
        assert_eq!(read(""), Some(Vec::new()));
        for wrong in [
            " ", "!", "1234", "123456 ", "12345+ ", "12345* ", "12345*x ",
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
