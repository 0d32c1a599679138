//! In which order cells are decided.
//!
//! Nothing tells beforehand which order keeps the boundary between what is decided and what is not the simplest, so that the same
//! parts come again: on one puzzle it is row by row, on another along a diagonal, and the difference is a thousandfold. Hence
//! [`Order::ALL`] are tried.

use serde::{Deserialize, Serialize};

use crate::board::{Board, Cell};
use crate::count::components::Component;
use crate::line::Word;

/// An order of branching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Order {
    /// From the top row down.
    Down,
    /// From the bottom row up.
    Up,
    /// From the left column to the right.
    Right,
    /// From the right column to the left.
    Left,
    /// From the top left corner.
    Falling,
    /// From the top right corner.
    Rising,
    /// The cell whose row and column have the fewest unknown cells.
    Narrow,
    /// The row with the fewest unknown cells in the part.
    Shortest,
    /// The cell whose two sides decide most. To know it each side is probed, which finds dead ends early and costs much time. Where
    /// nothing is probed, as [`Order::Narrow`].
    Probed,
}

impl Order {
    /// All of them, those that win most often first.
    pub(crate) const ALL: [Order; 9] = [
        Order::Down,
        Order::Probed,
        Order::Right,
        Order::Falling,
        Order::Narrow,
        Order::Up,
        Order::Left,
        Order::Rising,
        Order::Shortest,
    ];

    /// What people call it.
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
        }
    }

    /// The cell of a part to branch on, as far as the order tells without probing. All its cells must be unknown.
    pub(crate) fn pick<W: Word>(self, board: &Board<'_, W>, component: &Component<W>) -> Cell {
        let rows = || {
            component
                .rows
                .iter()
                .map(|&(row, cells)| (usize::from(row), cells))
        };
        let last = |cells: W| W::BITS - 1 - cells.reverse().first();
        let ends = || rows().map(|(row, cells)| (row, cells.first()));
        let picked = match self {
            Order::Down => ends().next(),
            Order::Up => rows().next_back().map(|(row, cells)| (row, last(cells))),
            Order::Right => ends().min_by_key(|&(row, column)| (column, row)),
            Order::Left => rows()
                .map(|(row, cells)| (row, last(cells)))
                .max_by_key(|&(row, column)| (column, row)),
            Order::Falling => ends().min_by_key(|&(row, column)| (row + column, row)),
            Order::Rising => rows()
                .map(|(row, cells)| (row, last(cells)))
                .min_by_key(|&(row, column)| (row + W::BITS - column, row)),
            Order::Narrow | Order::Probed => {
                // Of each column once: a part has many more cells than columns.
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
            Order::Shortest => rows()
                .min_by_key(|(_, cells)| cells.count())
                .map(|(row, cells)| (row, cells.first())),
        };
        let (row, column) = picked.expect("a part has a cell");
        Cell::new(row, column)
    }
}
