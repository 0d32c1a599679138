//! The names by which texts call the rows and the columns.

/// The rows or the columns. In any case of letters, with or without underscores and blanks, their names are `row`, `rows`, `hor`,
/// `horizontal`, and `col`, `cols`, `column`, `columns`, `ver`, `vert`, `vertical`; also followed by `def`, `defs`, `clue`, `clues`, `hints`,
/// `counts` or `numbers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Rows,
    Columns,
}

impl Side {
    pub(super) fn name(self) -> &'static str {
        match self {
            Side::Rows => "rows",
            Side::Columns => "columns",
        }
    }

    /// The side that has this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        // Most keys and lines are told by their first letter, without a copy.
        if name.len() > 40 || !name.starts_with(['r', 'R', 'h', 'H', 'c', 'C', 'v', 'V']) {
            return None;
        }
        let name = name.replace(['_', ' '], "").to_lowercase();
        let endings = ["defs", "def", "clues", "clue", "hints", "counts", "numbers"];
        let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
        match stem.unwrap_or(&name) {
            "row" | "rows" | "hor" | "horizontal" => Some(Side::Rows),
            "col" | "cols" | "column" | "columns" | "ver" | "vert" | "vertical" => {
                Some(Side::Columns)
            }
            _ => None,
        }
    }
}
