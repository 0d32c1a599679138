//! Counting along a frontier (transfer matrix method): line by line through a component.
//!
//! A frontier moves across the component in one direction. It passes the lines *along* it one after the other; the lines *across* it are
//! those that cross them. The filled cells behind the frontier matter only through the state of each line across, that is, of the automaton
//! that reads the line. So a frontier keeps *combinations*, each with one state for every line across, and the *path count* of each: the
//! number of fillings behind the frontier that lead to it. Equal combinations are merged, so no work is ever repeated.
//!
//! Two frontiers start, one at either end (*near* and *far*). The one with fewer combinations moves, again and again, until one line is
//! left, where they meet. So no frontier has to pass all of a wide middle, and dead ends are often found early on one of the two sides. On
//! wide components with few solutions there are too many combinations; then the sweep gives up.

mod allowance;
mod filling_class;
mod forecast;
mod key;
mod layer;
mod line_fillings;
mod line_states;
mod memory;
mod partitioner;
mod pass;
mod runs;
mod table;
mod transition;

use allowance::ShouldStop;
pub(crate) use allowance::{Allowance, Direction, SweepEnd};
use filling_class::FillingClass;
use key::{Key, Pair, PathCount};
use layer::Layer;
use line_fillings::LineFillings;
use line_states::{AcrossLine, LineStates};
use memory::Memory;
use pass::Resources;
use rustc_hash::FxHashMap;
use table::bytes_of;
use transition::{Move, Packing, Transition};

use super::components::{AutomatonBuilder, Component, NONE};
use crate::board::Board;
use crate::line::{Known, Word};
use crate::run::Pace;
use crate::solutions::Count;

/// Maximum number of states that are visited to build the automata: a component that needs more has too many combinations anyway.
const MAX_VISITED_STATES: usize = 10_000_000;

/// Expected number of combinations behind the last line for each one of the frontier whose combinations are stored there, with some room for
/// the buckets of the tables.
const STORED_AT_MEETING: f64 = 5.0;

/// Counts the fillings of a component. The board must be at a fixpoint.
pub(crate) fn sweep<W: Word>(
    board: &Board<'_, W>,
    component: &Component<W>,
    direction: Direction,
    allowance: Allowance<'_>,
    stop: ShouldStop<'_>,
) -> Result<Count, SweepEnd> {
    let memory = Memory::new(allowance.bytes);
    let sweep = Sweep::new(board, component, direction, &memory, stop)?;
    let bits = sweep.max_bits();
    let allowance = Allowance {
        bytes: memory.remaining(),
        ..allowance
    };
    // Path counts have 64 bits, or 128 bits when that has overflowed.
    let result = match bits {
        0..=64 => sweep.run::<u64, u64>(allowance, stop),
        65..=128 => sweep.run::<Pair, u64>(allowance, stop),
        _ => Err(SweepEnd::Full),
    };
    match (result, bits) {
        (Err(SweepEnd::Overflow), 0..=64) => sweep.run::<u64, Pair>(allowance, stop),
        (Err(SweepEnd::Overflow), _) => sweep.run::<Pair, Pair>(allowance, stop),
        (ended, _) => ended,
    }
}

/// The lines of a component, ready for a sweep.
#[derive(Debug)]
struct Sweep {
    along: Vec<AlongLine>,
    across: Vec<AcrossLine>,
}

/// A line along the frontier.
#[derive(Debug)]
struct AlongLine {
    line_fillings: LineFillings,
    /// The indices of the lines across that it crosses in the component, in order.
    crossings: Vec<usize>,
}

/// The end at which a frontier has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Near,
    Far,
}

/// A frontier that has started at one end.
#[derive(Debug)]
struct Front<'s, K, N> {
    end: End,
    layer: Layer<'s, K, N>,
    /// Number of combinations in the layer.
    len: u64,
    /// For each line across, the number of its cells behind the frontier.
    depths: Vec<usize>,
    packing: Packing,
    /// Number of lines passed.
    passed: usize,
}

/// The index of a line (columns come after rows), and its cells in the component.
type Line<W> = (usize, W);

impl Sweep {
    /// [`SweepEnd::Full`] when lines are too long, or have too many states.
    fn new<W: Word>(
        board: &Board<'_, W>,
        component: &Component<W>,
        direction: Direction,
        memory: &Memory,
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
        let (along, across, first_along, first_across) = match direction {
            Direction::Down => (rows, columns, 0, height),
            Direction::Right => (columns, rows, height, 0),
        };
        let indices = |lines: &[Line<W>], first: usize| -> FxHashMap<usize, usize> {
            let lines = lines.iter().enumerate();
            lines.map(|(i, (line, _))| (line - first, i)).collect()
        };
        let (along_indices, across_indices) =
            (indices(&along, first_along), indices(&across, first_across));
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
                crossings: cells.cells().map(|cell| across_indices[&cell]).collect(),
            })
        };
        // First the lines along: these fail at once when they are too long, the most frequent reason to give up.
        let along: Option<Vec<AlongLine>> = along.iter().map(line_fillings).collect();
        let Some(along) = along else {
            return Err(if stopped {
                SweepEnd::Stopped
            } else {
                SweepEnd::Full
            });
        };
        let mut across_line = |&(line, cells): &Line<W>| {
            let (blocks, length, known) = board_line(board, line);
            let crossing = |cell: usize| along_indices[&cell];
            let forward = LineStates::new(
                &mut builder,
                blocks,
                length,
                known,
                cells,
                crossing,
                &mut poll,
            )?;
            AcrossLine::new(forward, &mut visits_left, memory, &mut poll)
        };
        let across: Option<Vec<AcrossLine>> = across.iter().map(&mut across_line).collect();
        match across {
            Some(across) => Ok(Sweep { along, across }),
            None if stopped => Err(SweepEnd::Stopped),
            None => Err(SweepEnd::Full),
        }
    }

    /// The number of bits of the widest combination.
    fn max_bits(&self) -> u32 {
        let widest = |end| {
            let mut depths = vec![0; self.across.len()];
            let order: Box<dyn Iterator<Item = &AlongLine>> = match end {
                End::Near => Box::new(self.along.iter()),
                End::Far => Box::new(self.along.iter().rev()),
            };
            let bits = order.map(|line| {
                line.crossings.iter().for_each(|&i| depths[i] += 1);
                self.packing(end, &depths).bits
            });
            bits.max().unwrap_or(0)
        };
        let mut before = vec![0; self.across.len()];
        let meeting = self.along.iter().map(|line| {
            let states = before.iter().enumerate().map(|(i, &depth)| {
                let across = &self.across[i];
                let far = across.forward.layers.len() - depth;
                match line.crossings.contains(&i) {
                    true => across.states_with_cell(far - 1).len(),
                    false => across.backward.states(far),
                }
            });
            let bits = Packing::new(states).bits;
            line.crossings.iter().for_each(|&i| before[i] += 1);
            bits
        });
        let meeting = meeting.max().unwrap_or(0);
        widest(End::Near).max(widest(End::Far)).max(meeting)
    }

    /// The automaton of a line across, read from this end.
    fn automaton(&self, end: End, i: usize) -> &LineStates {
        match end {
            End::Near => &self.across[i].forward,
            End::Far => &self.across[i].backward,
        }
    }

    fn packing(&self, end: End, depths: &[usize]) -> Packing {
        let lines = depths.iter().enumerate();
        Packing::new(lines.map(|(i, &depth)| self.automaton(end, i).states(depth)))
    }

    fn front<K: Key, N: PathCount>(&self, end: End) -> Front<'_, K, N> {
        let depths = vec![0; self.across.len()];
        Front {
            end,
            layer: Layer::first(),
            len: 1,
            packing: self.packing(end, &depths),
            depths,
            passed: 0,
        }
    }

    fn run<K: Key, N: PathCount>(
        &self,
        allowance: Allowance<'_>,
        stop: ShouldStop<'_>,
    ) -> Result<Count, SweepEnd> {
        let mut resources = Resources::new(allowance, K::COMBINATION_NS, stop);
        let (mut near, mut far) = (self.front::<K, N>(End::Near), self.front::<K, N>(End::Far));
        let mut lines = &self.along[..];
        while lines.len() > 1 {
            // A forecast visits each line across for each line between: a long puzzle has far more of these visits than combinations.
            if resources.wants_forecast((lines.len() * self.across.len()) as u64) {
                resources.record_forecast(self.forecast(&near, &far, lines));
            }
            let (end, line, left) = next_line(lines, near.len <= far.len);
            let front = match end {
                End::Near => &mut near,
                End::Far => &mut far,
            };
            let ended = self.advance(front, line, &mut resources);
            ended.map_err(|end| self.with_forecast(&near, &far, lines, end))?;
            lines = left;
            if near.len.min(far.len) == 0 {
                return Ok(Count::ZERO);
            }
        }
        let [line] = lines else {
            unreachable!("a component has a line, and the loop leaves one")
        };
        resources.grant_meeting(self.forecast(&near, &far, lines));
        let ended = self.meet(&mut near, &mut far, line, &mut resources);
        ended.map_err(|end| self.with_forecast(&near, &far, lines, end))
    }

    /// Moves a frontier past a line.
    fn advance<'s, K: Key, N: PathCount>(
        &self,
        front: &mut Front<'s, K, N>,
        line: &AlongLine,
        resources: &mut Resources<'s>,
    ) -> Result<(), SweepEnd> {
        let end = front.end;
        let moves = (0..self.across.len()).map(|i| {
            let (automaton, depth) = (self.automaton(end, i), front.depths[i]);
            if !line.crossings.contains(&i) {
                return identity(automaton.states(depth));
            }
            let layer = automaton.layers[depth].iter();
            let single = |state: u32| Vec::from_iter((state != NONE).then_some(state));
            Move::Crossed(layer.map(|next| next.map(single)).collect())
        });
        let moves: Vec<Move> = moves.collect();
        line.crossings.iter().for_each(|&i| front.depths[i] += 1);
        let packing = self.packing(end, &front.depths);
        let transition = Transition::new(
            &line.line_fillings,
            &line.crossings,
            &moves,
            &front.packing,
            &packing,
        );
        let layer = std::mem::replace(&mut front.layer, Layer::empty());
        front.layer = layer.advance(&transition, resources)?;
        front.len = front.layer.len();
        front.packing = packing;
        front.passed += 1;
        Ok(())
    }

    /// The number of fillings of the component, by joining both frontiers across the last line between them.
    ///
    /// A backward state may be compatible with several forward states, and vice versa. So both frontiers are moved past the line, to
    /// combinations that also tell how the line is filled: for each line across that it crosses, a backward state together with the value
    /// of the cell on the line that leads to it. The far frontier moves to these directly. The near one moves, for each filling of the
    /// line, to those with compatible backward states. The join is over equal combinations.
    ///
    /// There are several times as many of these combinations as of those before the line. So they are joined for one [class of
    /// fillings](FillingClass) of the line after the other: as many classes as the memory seems to require, and a class that does not fit is
    /// divided.
    fn meet<'s, K: Key, N: PathCount>(
        &self,
        near: &mut Front<'s, K, N>,
        far: &mut Front<'s, K, N>,
        line: &AlongLine,
        resources: &mut Resources<'s>,
    ) -> Result<Count, SweepEnd> {
        let mut states = vec![0; self.across.len()];
        let mut far_moves = Vec::with_capacity(self.across.len());
        let mut near_moves = Vec::with_capacity(self.across.len());
        for (i, across) in self.across.iter().enumerate() {
            let compatible = across.compatible_states(near.depths[i]);
            let depth = far.depths[i];
            if !line.crossings.contains(&i) {
                states[i] = across.backward.states(depth);
                far_moves.push(identity(states[i]));
                near_moves.push(Move::Uncrossed(compatible));
                continue;
            }
            let labelled = across.states_with_cell(depth);
            states[i] = labelled.len();
            let index_of = |state: u32, fill: usize| {
                let index = labelled.binary_search(&(state, fill));
                index.ok().map(|index| index as u32)
            };
            let layer = across.backward.layers[depth].iter();
            let next_labelled =
                |next: &[u32; 2]| [0, 1].map(|fill| Vec::from_iter(index_of(next[fill], fill)));
            far_moves.push(Move::Crossed(layer.map(next_labelled).collect()));
            let compatible_labelled = |compatible: &Vec<u32>| {
                [0, 1].map(|fill| {
                    compatible
                        .iter()
                        .filter_map(|&state| index_of(state, fill))
                        .collect()
                })
            };
            near_moves.push(Move::Crossed(
                compatible.iter().map(compatible_labelled).collect(),
            ));
        }
        let packing = Packing::new(states.into_iter());
        let remaining = resources.memory.remaining();
        let expected = STORED_AT_MEETING * bytes_of::<K, N>(1) as f64 * far.len as f64;
        let mut classes = FillingClass::classes(&line.crossings, expected / remaining as f64);
        let mut total = Count::ZERO;
        while let Some(class) = classes.pop() {
            let transition = |moves: &[Move], before: &Packing| {
                let moves = class.restricted(moves);
                Transition::new(
                    &line.line_fillings,
                    &line.crossings,
                    &moves,
                    before,
                    &packing,
                )
            };
            let near_transition = transition(&near_moves, &near.packing);
            let far_transition = transition(&far_moves, &far.packing);
            let (near, far) = (&mut near.layer, &mut far.layer);
            let ended = near.join(&near_transition, far, &far_transition, resources);
            // The combinations behind the line are not kept.
            resources.memory.restore(remaining);
            match (ended, class.halves(&line.crossings)) {
                (Ok(count), _) => total += &count,
                (Err(SweepEnd::Full), Some(halves)) => {
                    // The other classes of this size would hardly fit either.
                    let smaller = |other: FillingClass| match other.halves(&line.crossings) {
                        Some(halves) if other.is_as_large_as(&class) => halves.to_vec(),
                        _ => vec![other],
                    };
                    let others = classes.into_iter().flat_map(smaller);
                    classes = others.chain(halves).collect();
                }
                (Err(end), _) => return Err(end),
            }
        }
        Ok(total)
    }
}

/// The end whose frontier moves next, the line that it passes, and the lines that are left. `near_is_smaller`: whether the near frontier has
/// at most as many combinations as the far one.
fn next_line(lines: &[AlongLine], near_is_smaller: bool) -> (End, &AlongLine, &[AlongLine]) {
    match (near_is_smaller, lines) {
        (true, [first, left @ ..]) => (End::Near, first, left),
        (false, [left @ .., last]) => (End::Far, last, left),
        (_, []) => unreachable!("a line is left"),
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

/// The transitions of a line of `states` states that is not crossed: each state stays the same.
fn identity(states: usize) -> Move {
    Move::Uncrossed((0..states as u32).map(|state| vec![state]).collect())
}
