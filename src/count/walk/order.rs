//! Branching orders: which cell to decide next.
//!
//! Equal components recur most often under the order that keeps the boundary between decided and undecided cells simplest. On one puzzle
//! that is row by row, on another along a diagonal, and the time differs by a factor of up to a thousand. The best order cannot be told in
//! advance, so plan selection tries [`Order::ALL`].

use serde::{Deserialize, Serialize};

use super::dissection::LineRanks;
use crate::board::{Board, Cell};
use crate::count::components::Component;
use crate::line::Word;

/// A branching order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) enum Order {
    /// From the top row down.
    Down,
    /// From the bottom row up.
    Up,
    /// From the left column to the right.
    Right,
    /// From the right column to the left.
    Left,
    /// By diagonals from the top left corner.
    Falling,
    /// By diagonals from the top right corner.
    Rising,
    /// The cell whose row and column have the fewest unknown cells.
    Narrow,
    /// The first cell of the row with the fewest unknown cells in the component.
    Shortest,
    /// The cell for which the product of the numbers of cells that its two sides decide is largest. Every side of a branch is probed to find
    /// it, which takes much time but detects dead ends early. In components too small to be probed, the same cell as [`Order::Narrow`].
    Probed,
    /// A cell of the line that divides the component best ([`dissection`](super::dissection)), of its cells the one with the largest
    /// product. Sides are probed as under [`Order::Probed`].
    Dissected,
}

impl Order {
    /// All orders, those that win most often first.
    pub(crate) const ALL: [Order; 10] = [
        Order::Down,
        Order::Probed,
        Order::Dissected,
        Order::Right,
        Order::Falling,
        Order::Narrow,
        Order::Up,
        Order::Left,
        Order::Rising,
        Order::Shortest,
    ];

    /// The name that is displayed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Order::Down => "down",
            Order::Up => "up",
            Order::Right => "right",
            Order::Left => "left",
            Order::Falling => "falling",
            Order::Rising => "rising",
            Order::Narrow => "narrow",
            Order::Shortest => "shortest",
            Order::Probed => "probed",
            Order::Dissected => "dissected",
        }
    }

    /// Whether the sides of its branches are probed.
    pub(crate) fn probes(self) -> bool {
        matches!(self, Order::Probed | Order::Dissected)
    }

    /// The cell of a component to branch on, without probing. All cells of the component must be unknown.
    pub(crate) fn pick<W: Word>(
        self,
        board: &Board<'_, W>,
        component: &Component<W>,
        ranks: &LineRanks,
    ) -> Cell {
        let rows = || {
            component
                .rows
                .iter()
                .map(|&(row, cells)| (usize::from(row), cells))
        };
        let last = |cells: W| W::BITS - 1 - cells.reverse().first();
        let firsts = || rows().map(|(row, cells)| (row, cells.first()));
        let picked = match self {
            Order::Down => firsts().next(),
            Order::Up => rows().next_back().map(|(row, cells)| (row, last(cells))),
            Order::Right => firsts().min_by_key(|&(row, column)| (column, row)),
            Order::Left => rows()
                .map(|(row, cells)| (row, last(cells)))
                .max_by_key(|&(row, column)| (column, row)),
            Order::Falling => firsts().min_by_key(|&(row, column)| (row + column, row)),
            Order::Rising => rows()
                .map(|(row, cells)| (row, last(cells)))
                .min_by_key(|&(row, column)| (row + W::BITS - column, row)),
            Order::Narrow | Order::Probed => {
                // The unknown cells of each column are counted once, because a component has many more cells than columns.
                let columns = rows().fold(W::ZERO, |columns, (_, cells)| columns | cells);
                let mut in_columns = vec![0; board.clues().width()];
                columns.cells().for_each(|column| {
                    in_columns[column] = board.unknown_in_column(column).count();
                });
                rows()
                    .flat_map(|(row, cells)| {
                        let in_row = board.unknown_in_row(row).count();
                        let narrowest = cells.cells().min_by_key(|&column| in_columns[column]);
                        narrowest.map(|column| (in_row + in_columns[column], row, column))
                    })
                    .min()
                    .map(|(_, row, column)| (row, column))
            }
            Order::Dissected => {
                (ranks.first_line(component).first()).map(|&(row, cells)| (row, cells.first()))
            }
            Order::Shortest => rows()
                .min_by_key(|(_, cells)| cells.count())
                .map(|(row, cells)| (row, cells.first())),
        };
        let (row, column) = picked.expect("a component has a cell");
        Cell::new(row, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_displayed_by_their_names() {
        for order in Order::ALL {
            assert_eq!(order.name(), format!("{order:?}").to_lowercase());
        }
    }
}
