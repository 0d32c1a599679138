//! The check build's test of components and of their keys: each key has one plain description, and small components are counted again.

use std::collections::HashMap;
use std::sync::Mutex;

use super::cache::Key;
use crate::board::Board;
use crate::board::checked::Rows;
use crate::board::plain_region::PlainRegion;
use crate::line::Word;
use crate::puzzle::Cell;
use crate::run::lock;
use crate::solutions::Count;

/// Maximum number of keys whose descriptions are kept; those met later are compared only with these.
const MAX_DESCRIPTIONS: usize = 100_000;

/// Steps within which a component is counted again.
const MAX_STEPS: u64 = 4000;

/// For each key, the description of the first component that had it, and the number of its fillings once they were counted again.
#[derive(Debug, Default)]
pub(crate) struct Descriptions {
    by_key: Mutex<HashMap<Key, (PlainRegion, Option<u64>)>>,
}

/// Confirms that these components are the unknown cells among `cells`, and independent.
///
/// # Panics
///
/// If they are not.
pub(super) fn confirm_components<W: Word>(
    board: &Board<'_, W>,
    cells: &[(u16, W)],
    components: &[&[(u16, W)]],
) {
    let cells_of = |rows: &[(u16, W)]| -> Vec<Cell> {
        let row = |&(row, cells): &(u16, W)| {
            cells
                .cells()
                .map(move |column| Cell::new(row.into(), column))
        };
        rows.iter().flat_map(row).collect()
    };
    let mut unknown = cells_of(cells);
    unknown.retain(|&cell| board.is_unknown(cell));
    let components: Vec<Vec<Cell>> = components.iter().map(|rows| cells_of(rows)).collect();
    let mut found = components.concat();
    found.sort();
    assert!(
        found == unknown,
        "checked: components: the unknown cells are {unknown:?}, those of the components {found:?}"
    );
    Rows::of(board.rows(), board.clues().width()).confirm_regions(board.clues(), &components);
}

impl Descriptions {
    /// Confirms that the component of these cells has the description that its key had before.
    ///
    /// # Panics
    ///
    /// If it has another one.
    pub(crate) fn confirm<W: Word>(&self, key: &Key, board: &Board<'_, W>, rows: &[(u16, W)]) {
        if key.is_empty() {
            return;
        }
        let region = rows.iter().map(|&(row, cells)| (usize::from(row), cells));
        let description = PlainRegion::of(board.clues(), board.rows(), region);
        let mut by_key = lock(&self.by_key);
        if let Some((before, _)) = by_key.get(key) {
            assert!(
                *before == description,
                "checked: key: two components have the key {key:?}\n{before:?}\n{description:?}\n{}",
                Rows::of(board.rows(), board.clues().width()).with_clues(board.clues())
            );
        } else if by_key.len() < MAX_DESCRIPTIONS {
            by_key.insert(key.clone(), (description, None));
        }
    }

    /// Confirms the number of fillings that goes into the component table, where the component is small enough to be counted again.
    ///
    /// # Panics
    ///
    /// If there is another number of fillings.
    pub(crate) fn confirm_count(&self, key: &Key, count: &Count) {
        let mut by_key = lock(&self.by_key);
        let Some((description, number)) = by_key.get_mut(key) else {
            return;
        };
        if number.is_none() {
            *number = description.count(MAX_STEPS);
        }
        if let Some(number) = number {
            assert!(
                *count == Count::from(*number),
                "checked: count: {count} instead of {number} fillings of {description:?}"
            );
        }
    }
}
