//! The lines of a component, ready for a sweep.

use serde::{Deserialize, Serialize};

use super::key::Packing;
use super::line_fillings::LineFillings;
use super::line_states::{AcrossLine, LineStates};
use super::resources::{Resources, SweepEnd};
use crate::board::Board;
use crate::count::components::{AutomatonBuilder, Component};
use crate::line::Word;
use crate::run::Pace;

/// Maximum number of states that are visited to build the automata: a component that needs more has too many combinations anyway.
const MAX_VISITED_STATES: usize = 10_000_000;

/// The direction in which the frontier moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) enum Direction {
    /// Row by row.
    Down,
    /// Column by column.
    Right,
}

/// The lines of a component, ready for a sweep.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) along: Vec<AlongLine>,
    pub(super) across: Vec<AcrossLine>,
    /// For each line across, the indices of the lines along that cross it in the component, in order.
    pub(super) crossed: Vec<Vec<usize>>,
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
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        let height = board.clues().height();
        let rows = component.rows.iter();
        let rows = rows.map(|&(row, cells)| (usize::from(row), cells));
        let rows: Vec<Line<W>> = rows.collect();
        let mut columns = vec![W::ZERO; board.clues().width()];
        for &(row, cells) in &rows {
            cells
                .cells()
                .for_each(|column| columns[column] |= W::bit(row));
        }
        let columns = (height..).zip(columns);
        let columns: Vec<Line<W>> = columns.filter(|(_, cells)| !cells.is_zero()).collect();
        let (along, across) = match direction {
            Direction::Down => (rows, columns),
            Direction::Right => (columns, rows),
        };
        let mut crossed_cells = W::ZERO;
        along.iter().for_each(|&(_, cells)| crossed_cells |= cells);
        let (mut builder, mut visits_left) = (AutomatonBuilder::default(), MAX_VISITED_STATES);
        let mut work = 0;
        let mut poll = |more: u64| {
            work += more;
            if work < Pace::WORK {
                return false;
            }
            work = 0;
            resources.poll().is_err()
        };
        let of_board = |line| {
            let clues = board.clues();
            (clues.line(line), clues.length(line), board.line(line))
        };
        let line_fillings = |&(line, cells): &Line<W>| {
            let (blocks, length, known) = of_board(line);
            if poll(LineFillings::work(blocks, length)) {
                return None;
            }
            let crossing = |cell| (crossed_cells & W::low(cell)).count();
            Some(AlongLine {
                line_fillings: LineFillings::new(blocks, length, known, cells)?,
                crossings: cells.cells().map(crossing).collect(),
            })
        };
        // First the lines along: these fail at once when they are too long, the most frequent reason to give up.
        let along: Option<Vec<AlongLine>> = along.iter().map(line_fillings).collect();
        let across_line = |&(line, cells): &Line<W>| {
            let (blocks, length, known) = of_board(line);
            let forward = LineStates::new(&mut builder, blocks, length, known, cells, &mut poll)?;
            AcrossLine::new(forward, &mut visits_left, resources, &mut poll)
        };
        let lines = along.and_then(|along| {
            let across: Option<Vec<AcrossLine>> = across.iter().map(across_line).collect();
            let across = across?;
            let mut crossed = vec![Vec::new(); across.len()];
            for (at, line) in along.iter().enumerate() {
                line.crossings.iter().for_each(|&i| crossed[i].push(at));
            }
            Some(Lines {
                along,
                across,
                crossed,
            })
        });
        lines.ok_or_else(|| resources.poll().err().unwrap_or(SweepEnd::Full))
    }

    /// The number of bits of the widest combination.
    pub(super) fn max_bits(&self) -> u32 {
        let fronts = (0..=self.along.len())
            .flat_map(|passed| [End::Near, End::Far].map(|end| self.packing(end, passed)));
        let meetings = (0..self.along.len()).map(|at| self.packing_of_meeting(at));
        let all = fronts.chain(meetings);
        all.map(|packing| packing.bits).max().unwrap_or(0)
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

    /// The number of cells of a line across that a frontier from this end has read when it has passed this number of lines.
    pub(super) fn depth(&self, end: End, passed: usize, i: usize) -> usize {
        let lines = &self.crossed[i];
        match end {
            End::Near => lines.partition_point(|&at| at < passed),
            End::Far => {
                let behind = self.along.len() - passed;
                lines.len() - lines.partition_point(|&at| at < behind)
            }
        }
    }

    /// For each line across, the number of its states there.
    pub(super) fn states(&self, end: End, passed: usize) -> impl Iterator<Item = usize> {
        (0..self.across.len())
            .map(move |i| self.automaton(end, i).states(self.depth(end, passed, i)))
    }

    /// The packing of the combinations of a frontier from this end that has passed this number of lines.
    pub(super) fn packing(&self, end: End, passed: usize) -> Packing {
        Packing::new(self.states(end, passed))
    }

    /// The packing of the combinations at which the frontiers meet if this line is the last one between them, see
    /// [`MeetingStep`](super::step::MeetingStep).
    pub(super) fn packing_of_meeting(&self, at: usize) -> Packing {
        let far_passed = self.along.len() - 1 - at;
        let states = self.states(End::Far, far_passed).enumerate();
        Packing::new(
            states.map(|(i, states)| match self.along[at].crossings.contains(&i) {
                true => {
                    let depth = self.depth(End::Far, far_passed, i);
                    self.across[i].states_with_cell(depth).len()
                }
                false => states,
            }),
        )
    }
}
