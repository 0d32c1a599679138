//! The lines of a component, ready for a sweep.

use rustc_hash::FxHashMap;

use super::allowance::{Direction, ShouldStop, SweepEnd};
use super::line_fillings::LineFillings;
use super::line_states::{AcrossLine, LineStates};
use super::memory::Memory;
use super::packing::Packing;
use crate::board::Board;
use crate::count::components::{AutomatonBuilder, Component};
use crate::line::{Known, Word};
use crate::run::Pace;

/// Maximum number of states that are visited to build the automata: a component that needs more has too many combinations anyway.
const MAX_VISITED_STATES: usize = 10_000_000;

/// The lines of a component, ready for a sweep.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) along: Vec<AlongLine>,
    pub(super) across: Vec<AcrossLine>,
}

/// A line along the frontier.
#[derive(Debug)]
pub(super) struct AlongLine {
    pub(super) line_fillings: LineFillings,
    /// The indices of the lines across that it crosses in the component, in order.
    pub(super) crossings: Vec<usize>,
}

/// The end at which a frontier has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Near,
    Far,
}

/// The index of a line (columns come after rows), and its cells in the component.
type Line<W> = (usize, W);

impl Lines {
    /// [`SweepEnd::Full`] when lines are too long, or have too many states.
    pub(super) fn new<W: Word>(
        board: &Board<'_, W>,
        component: &Component<W>,
        direction: Direction,
        memory: &Memory<'_>,
        stop: ShouldStop<'_>,
    ) -> Result<Self, SweepEnd> {
        let height = board.clues().height();
        let mut columns = vec![W::ZERO; board.clues().width()];
        for &(row, cells) in &component.rows {
            for column in cells.cells() {
                columns[column] |= W::bit(usize::from(row));
            }
        }
        let rows = component
            .rows
            .iter()
            .map(|&(row, cells)| (usize::from(row), cells));
        let rows: Vec<Line<W>> = rows.collect();
        let columns = (height..)
            .zip(columns)
            .filter(|(_, cells)| !cells.is_zero());
        let columns: Vec<Line<W>> = columns.collect();
        let (along, across, first_across) = match direction {
            Direction::Down => (rows, columns, height),
            Direction::Right => (columns, rows, 0),
        };
        // For each cell of a line along, the index of the line across.
        let indices: FxHashMap<usize, usize> = (across.iter().enumerate())
            .map(|(i, (line, _))| (line - first_across, i))
            .collect();
        let (mut builder, mut visits_left) = (AutomatonBuilder::default(), MAX_VISITED_STATES);
        let (mut stopped, mut work) = (false, 0);
        let mut poll = |more: u64| {
            work += more;
            if work >= Pace::WORK {
                work = 0;
                stopped |= stop();
            }
            stopped
        };
        let line_fillings = |&(line, cells): &Line<W>| {
            let (blocks, length, known) = board_line(board, line);
            if poll(LineFillings::work(blocks, length)) {
                return None;
            }
            Some(AlongLine {
                line_fillings: LineFillings::new(blocks, length, known, cells)?,
                crossings: cells.cells().map(|cell| indices[&cell]).collect(),
            })
        };
        // First the lines along: these fail at once when they are too long, the most frequent reason to give up.
        let along: Option<Vec<AlongLine>> = along.iter().map(line_fillings).collect();
        let across_line = |&(line, cells): &Line<W>| {
            let (blocks, length, known) = board_line(board, line);
            let forward = LineStates::new(&mut builder, blocks, length, known, cells, &mut poll)?;
            AcrossLine::new(forward, &mut visits_left, memory, &mut poll)
        };
        let lines = along.and_then(|along| {
            let across: Option<Vec<AcrossLine>> = across.iter().map(across_line).collect();
            across.map(|across| Lines { along, across })
        });
        match lines {
            Some(lines) => Ok(lines),
            None if stopped => Err(SweepEnd::Stopped),
            None => Err(SweepEnd::Full),
        }
    }

    /// The number of bits of the widest combination.
    pub(super) fn max_bits(&self) -> u32 {
        let widest = |end| {
            let depths = self.depths(end, self.along.len());
            let bits = depths.iter().map(|depths| self.packing(end, depths).bits);
            bits.max().unwrap_or(0)
        };
        let depths = self.depths(End::Near, self.along.len());
        let meeting = self.along.iter().zip(&depths).map(|(line, depths)| {
            let states = depths.iter().enumerate().map(|(i, &depth)| {
                let across = &self.across[i];
                let far = across.forward.layers.len() - depth;
                match line.crossings.contains(&i) {
                    true => across.states_with_cell(far - 1).len(),
                    false => across.backward.states(far),
                }
            });
            Packing::new(states).bits
        });
        let meeting = meeting.max().unwrap_or(0);
        widest(End::Near).max(widest(End::Far)).max(meeting)
    }

    /// The automaton of a line across, read from this end.
    pub(super) fn automaton(&self, end: End, i: usize) -> &LineStates {
        match end {
            End::Near => &self.across[i].forward,
            End::Far => &self.across[i].backward,
        }
    }

    /// The line that a frontier from this end passes when it has passed this number of lines.
    pub(super) fn after(&self, end: End, passed: usize) -> &AlongLine {
        match end {
            End::Near => &self.along[passed],
            End::Far => &self.along[self.along.len() - 1 - passed],
        }
    }

    /// The depths of a frontier from this end, before the first line and behind each of the first `passed` lines: for each line across, the
    /// number of its cells that are read.
    pub(super) fn depths(&self, end: End, passed: usize) -> Vec<Vec<usize>> {
        let mut depths = vec![vec![0; self.across.len()]];
        for i in 0..passed {
            let mut behind = depths[i].clone();
            let crossings = self.after(end, i).crossings.iter();
            crossings.for_each(|&across| behind[across] += 1);
            depths.push(behind);
        }
        depths
    }

    /// The packing of the combinations of a frontier from this end, at these depths.
    pub(super) fn packing(&self, end: End, depths: &[usize]) -> Packing {
        let lines = depths.iter().enumerate();
        Packing::new(lines.map(|(i, &depth)| self.automaton(end, i).states(depth)))
    }
}

/// The blocks, the length and the known cells of a line; columns come after rows.
fn board_line<'b, W: Word>(board: &'b Board<'_, W>, line: usize) -> (&'b [u16], usize, Known<W>) {
    let clues = board.clues();
    let known = match line.checked_sub(clues.height()) {
        None => board.rows()[line],
        Some(column) => board.column(column),
    };
    let length = match line < clues.height() {
        true => clues.width(),
        false => clues.height(),
    };
    (clues.line(line), length, known)
}
