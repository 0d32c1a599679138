//! Why a step of an explanation holds.

use std::fmt;

/// The reason of a step, from the simplest to the hardest.
///
/// All but the last two look at one line alone. The *rest* of a line is what finished blocks at its ends leave over; a *gap* is a stretch
/// of cells that are not known to be empty, between known empty cells or the edge; a *group* is a stretch of filled cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// The leftmost and the rightmost place of a block overlap, by the clue alone (also in the rest of a line), or given the known cells.
    Overlap,
    /// All blocks are there, so the other cells are empty; or only as many cells are left as must be filled; or a group is as long as the
    /// longest block, so its neighbours are empty.
    Complete,
    /// A block begins or ends at the edge or at the end of the rest.
    Edge,
    /// A gap is shorter than every block that could be in it.
    GapTooSmall,
    /// A filled cell so near the end of a gap that its block extends to the other side; or two groups of one block.
    Glue,
    /// A cell between two groups that would join them to a block that is too long; or a cell that no block reaches.
    Split,
    /// All arrangements of the clue that fit the known cells agree.
    AllArrangements,
    /// A cell is tried, and after this number of lines one has no arrangement left; so the cell has the other value.
    Contradiction(usize),
    /// A cell is tried both ways, and either way the same other cells follow.
    EitherWay,
}

impl Reason {
    /// Its name without a number: `overlap`, `complete`, `edge`, `gap too small`, `glue`, `split`, `all arrangements`, `contradiction` or
    /// `either way`.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Overlap => "overlap",
            Reason::Complete => "complete",
            Reason::Edge => "edge",
            Reason::GapTooSmall => "gap too small",
            Reason::Glue => "glue",
            Reason::Split => "split",
            Reason::AllArrangements => "all arrangements",
            Reason::Contradiction(_) => "contradiction",
            Reason::EitherWay => "either way",
        }
    }
}

impl fmt::Display for Reason {
    /// Its name; `contradiction in 3 steps` with the number of lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Contradiction(1) => f.write_str("contradiction in 1 step"),
            Reason::Contradiction(steps) => write!(f, "contradiction in {steps} steps"),
            reason => f.write_str(reason.name()),
        }
    }
}
