//! Is a picture good: is it the only solution of its clues, or, for line solving, does that alone find it? If not, the obstacles say why.
//!
//! Most pictures are decided by propagation, others by obstacles near the picture; what these leave open is searched by the tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::edit::CellSet;
use super::near::{Near, unknown};
use super::obstacle::{Obstacle, ObstacleKind, Scratch};
use crate::board::Board;
use crate::design::picture::Picture;
use crate::line::Word;
use crate::puzzle::{Grid, Position, Puzzle};
use crate::run::Control;
use crate::search::{Limits, Search, switch_rectangle};

/// Most cells of a second solution that are tried in vain before the tree search begins.
const MAX_FAILED_DIVES: usize = 4;

/// Most obstacles taken from one picture.
const MAX_OBSTACLES: usize = 64;

/// What an examination has found.
#[derive(Debug)]
pub(super) enum Examined<W> {
    /// The picture is good.
    Good,
    /// It is not, for these reasons.
    Bad(Vec<Obstacle<W>>),
    /// The effort was not enough, or the run has been stopped.
    Unknown,
}

/// The effort of an examination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// At most this number of nodes of the tree search, on the calling thread alone; `None`: until the end, on all threads.
    pub(super) nodes: Option<u64>,
    /// Whether to look for several obstacles where one is enough.
    pub(super) several: bool,
}

/// Examines pictures.
#[derive(Debug)]
pub(super) struct Examiner<'a, W> {
    pub(super) control: &'a Arc<Control>,
    /// The picture before any edit.
    pub(super) original: &'a Picture<W>,
    /// The cells that are given beside the clues of every picture. No edit flips them.
    pub(super) given: Option<&'a Position>,
    pub(super) kind: ObstacleKind,
    /// Memory for one search, in bytes.
    pub(super) memory: u64,
    /// Pictures examined so far. Relaxed: a sum.
    pub(super) examined: AtomicU64,
}

impl<W: Word> Examiner<'_, W> {
    /// Number of pictures examined so far.
    pub(super) fn examined(&self) -> u64 {
        self.examined.load(Ordering::Relaxed)
    }

    /// The puzzle of a picture and the given cells.
    pub(super) fn puzzle(&self, grid: &Grid) -> Puzzle {
        let puzzle = Puzzle::from_grid(grid);
        match self.given {
            Some(given) => (puzzle.with_given(given.clone())).expect("the size of the picture"),
            None => puzzle,
        }
    }

    /// Counts an examination; `false` if the run has been stopped.
    pub(super) fn begin(&self) -> bool {
        self.examined.fetch_add(1, Ordering::Relaxed);
        self.control.reserve_nodes(1) > 0 && !self.control.poll()
    }

    /// Whether this picture is good.
    pub(super) fn examine(
        &self,
        picture: &Picture<W>,
        effort: Effort,
        scratch: &mut Scratch<W>,
    ) -> Examined<W> {
        let clues = picture.clues().with_given(self.given);
        let mut board = Board::<W>::new(&clues);
        if board.propagate_unless(|| self.control.poll()).is_none() {
            return Examined::Unknown;
        }
        if board.unknown() == 0 {
            return Examined::Good;
        }
        let grid = picture.to_grid();
        let mut found = Vec::new();
        if self.kind == ObstacleKind::Difference
            && let Some(other) = switch_rectangle(&grid)
            && self.given.is_none_or(|given| given.agrees_with(&other))
        {
            found.push(difference(picture, &other));
        }
        let search = || {
            let puzzle = self.puzzle(&grid);
            let search = Search::new(&puzzle).limits(Limits::default().memory(self.memory));
            match effort.nodes {
                Some(nodes) => self.other(&search.single_threaded(), &grid, nodes),
                None => self.other(&search, &grid, u64::MAX),
            }
        };
        self.judge(&mut board, picture, found, effort.several, search, scratch)
    }

    /// Whether a picture is good, from the board at a fixpoint that still has unknown cells. `found` are obstacles known already, and
    /// `search` returns another solution, or `None` if it was stopped before it had an answer.
    pub(super) fn judge(
        &self,
        board: &mut Board<'_, W>,
        picture: &Picture<W>,
        mut found: Vec<CellSet<W>>,
        several: bool,
        search: impl FnOnce() -> Option<Option<Grid>>,
        scratch: &mut Scratch<W>,
    ) -> Examined<W> {
        let near = Near {
            control: self.control,
            kind: self.kind,
            picture,
            clues: board.clues(),
        };
        if found.is_empty() || several {
            found.extend(near.in_windows(board, if several { MAX_OBSTACLES } else { 1 }));
        }
        if found.is_empty() {
            found.push(match self.kind {
                ObstacleKind::Stuck => unknown(board),
                ObstacleKind::Difference => {
                    let searched = || Some(search()?.map(|other| difference(picture, &other)));
                    match near.dive(board, MAX_FAILED_DIVES).or_else(searched) {
                        Some(Some(cells)) => cells,
                        Some(None) => return Examined::Good,
                        None => return Examined::Unknown,
                    }
                }
            });
        }
        let mut smallest: Vec<CellSet<W>> = Vec::new();
        for cells in found.iter().flat_map(|cells| near.groups(cells)) {
            let cells = near.shrink(cells);
            if smallest.len() < MAX_OBSTACLES && !smallest.contains(&cells) {
                smallest.push(cells);
            }
        }
        let obstacles = smallest.iter();
        let obstacles =
            obstacles.map(|cells| Obstacle::new(self.kind, cells, self.original, scratch));
        Examined::Bad(obstacles.collect())
    }

    /// Another solution than this grid, within a number of nodes; `None` if stopped before there was an answer.
    pub(super) fn other(
        &self,
        search: &Search<'_>,
        grid: &Grid,
        nodes: u64,
    ) -> Option<Option<Grid>> {
        let control = Arc::new(self.control.part(nodes));
        let (other, outcome) = search.other_under(&control, grid);
        (other.is_some() || outcome.is_complete()).then_some(other)
    }
}

/// The cells in which a grid differs from a picture.
fn difference<W: Word>(picture: &Picture<W>, other: &Grid) -> CellSet<W> {
    let rows = 0..picture.height;
    rows.map(|row| picture.line(row) ^ W::from_parts(other.row(row)))
        .collect()
}
