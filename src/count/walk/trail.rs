//! The path of decisions to where a walk has stopped, so that a later walk, also in another process, can resume there.
//!
//! The component table has the values of whole components. An interrupted walk has also counted first sides of branches, or proved them to
//! have no solution, while the second side was not done. A trail records these: for each branch on the path the current side, the count of
//! the side before it, and the product of the current side's components that are done.

use crate::board::Cell;
use crate::count::components::{Reader, push_number};
use crate::count::plan::Plan;
use crate::solutions::Count;

/// A branch on the path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrailStep {
    /// Number of cells of the branched component, to check that it is the same: when the unique table is full, components may be larger in
    /// one process than in another.
    pub(crate) size: u32,
    pub(crate) cell: Cell,
    /// The current side.
    pub(crate) filled: bool,
    /// Whether the other side is still to be counted.
    pub(crate) has_other_side: bool,
    /// The count of the first side, if the current side is the second one; else zero.
    pub(crate) sum: Count,
    /// Number of components of the current side, number of those that are counted, and the product of their counts.
    pub(crate) component_count: u32,
    pub(crate) done_components: u32,
    pub(crate) product: Count,
}

/// Where a walk has stopped.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    /// Hash of the board at the root and of the component that is counted.
    pub(crate) place: u64,
    pub(crate) plan: Plan,
    pub(crate) steps: Vec<TrailStep>,
}

/// For each plan, the trail of its last walk. One trail per plan suffices, because a plan is tried on one component at a time.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    /// The trails, each with whether it has been written to the journal.
    trails: Vec<(Trail, bool)>,
}

impl Trails {
    /// Records a trail in place of that of the same plan; `written` says whether it comes from the journal.
    pub(crate) fn record(&mut self, trail: Trail, written: bool) {
        self.trails.retain(|(other, _)| other.plan != trail.plan);
        self.trails.push((trail, written));
    }

    /// The trail of the last walk by this plan, if it was at this place.
    pub(crate) fn of(&self, place: u64, plan: Plan) -> Option<Vec<TrailStep>> {
        let here = |(trail, _): &&(Trail, bool)| (trail.place, trail.plan) == (place, plan);
        let (trail, _) = self.trails.iter().find(here)?;
        Some(trail.steps.clone())
    }

    /// The trails that have not been written to the journal; marks them as written.
    pub(crate) fn take_unwritten(&mut self) -> impl Iterator<Item = &Trail> {
        self.trails
            .iter_mut()
            .filter_map(|(trail, written)| match *written {
                true => None,
                false => {
                    *written = true;
                    Some(&*trail)
                }
            })
    }
}

/// A trail as text.
pub(crate) fn write(trail: &[TrailStep]) -> String {
    let mut text = String::new();
    for step in trail {
        let flags = u32::from(step.filled) << 1 | u32::from(step.has_other_side);
        let (row, column) = (u32::from(step.cell.row), u32::from(step.cell.column));
        for number in [
            step.done_components << 2 | flags,
            step.size,
            row,
            column,
            step.component_count,
        ] {
            push_number(&mut text, number);
        }
        if !step.has_other_side {
            text.push_str(&format!("+{}", step.sum));
        }
        if step.done_components > 0 {
            text.push_str(&format!("*{}", step.product));
        }
        text.push(' ');
    }
    text
}

/// The trail in a text of [`write`]; `None` when the text is malformed.
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
            has_other_side: first & 1 != 0,
            component_count: of,
            done_components: first >> 2,
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
        let trail = trail.map(|(at, has_other_side, sum, components, product)| TrailStep {
            cell: Cell::new(at, at / 2),
            filled: at != 1,
            has_other_side,
            size: 700 - u32::from(has_other_side),
            sum: Count::from(sum),
            component_count: components + 1,
            done_components: components,
            product: Count::from(product),
        });
        assert_eq!(read(&write(&trail)).unwrap(), trail);
        // Only the last step has a product.
        assert_eq!(write(&trail).matches('*').count(), 1);
        assert_eq!(read(""), Some(Vec::new()));
        for wrong in [
            " ", "!", "1234", "123456 ", "12345+ ", "12345* ", "12345*x ",
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
