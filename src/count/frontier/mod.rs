//! Counting along a frontier: line by line through a part, with nothing in memory but the states that its other lines can be in.
//!
//! What was filled in so far matters only through the state of each line that the frontier crosses; how many ways lead to each
//! combination of states is all that is kept. Two frontiers come from both ends, always the one that has fewer combinations, and meet
//! at a line between them: so neither has to pass the wide middle, and what leads nowhere dies early on one side or the other. Nothing
//! is ever tried twice; but on wide, tight parts there are too many combinations, and then the sweep gives up.

mod allowance;
mod crossing;
mod deal;
mod key;
mod layer;
mod line_fillings;
mod memory;
mod pass;
mod runs;
mod table;
mod transition;

use allowance::Stop;
pub(crate) use allowance::{Allowance, Direction, SweepEnd};
use crossing::{Crossing, LineStates};
use key::{Key, Pair, PathCount};
use layer::Layer;
use line_fillings::LineFillings;
use memory::Memory;
use pass::Means;
use rustc_hash::FxHashMap;
use transition::{Move, Packing, Transition};

use super::components::{Component, NONE, States};
use crate::board::Board;
use crate::line::{Known, Word};
use crate::run::Pace;
use crate::solutions::Count;

/// States that may be looked at before a sweep begins: whatever takes more has too many combinations of them anyway.
const EFFORT: usize = 10_000_000;

/// Counts the fillings of a part of a board at a fixpoint.
pub(crate) fn sweep<W: Word>(
    board: &Board<'_, W>,
    component: &Component<W>,
    way: Direction,
    allowance: Allowance<'_>,
    stop: Stop<'_>,
) -> Result<Count, SweepEnd> {
    let memory = Memory::new(allowance.bytes);
    let sweep = Sweep::new(board, component, way, &memory, stop)?;
    let bits = sweep.bits();
    let allowance = Allowance {
        bytes: memory.left(),
        ..allowance
    };
    let narrow = match bits {
        0..=64 => sweep.run::<u64, u64>(allowance, stop),
        65..=128 => sweep.run::<Pair, u64>(allowance, stop),
        _ => Err(SweepEnd::Full),
    };
    match (narrow, bits) {
        (Err(SweepEnd::Overflow), 0..=64) => sweep.run::<u64, Pair>(allowance, stop),
        (Err(SweepEnd::Overflow), _) => sweep.run::<Pair, Pair>(allowance, stop),
        (ended, _) => ended,
    }
}

/// A part, ready to be swept.
#[derive(Debug)]
struct Sweep {
    along: Vec<Along>,
    across: Vec<Crossing>,
}

/// A line along the frontier.
#[derive(Debug)]
struct Along {
    line_fillings: LineFillings,
    /// The lines that cross it in the part, in order.
    crossings: Vec<usize>,
}

/// From which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Near,
    Far,
}

/// A frontier.
#[derive(Debug)]
struct Front<'s, K, N> {
    end: End,
    layer: Layer<'s, K, N>,
    /// Combinations in it.
    len: u64,
    /// How many cells of each line across are behind it.
    depths: Vec<usize>,
    packing: Packing,
    /// Lines passed.
    passed: usize,
}

impl<K: Key, N: PathCount> Front<'_, K, N> {
    /// How many combinations it will have if the lines that are left, shared with the other front, multiply them as those before did.
    fn grown(&self, left: usize) -> f64 {
        let passed = self.passed.max(1) as f64;
        (self.len as f64).powf(1.0 + left as f64 / 2.0 / passed)
    }

    /// The reason to give up, where both fronts are stopped for `halt` with `left` lines between them.
    fn foresee(&self, other: &Self, left: usize, halt: SweepEnd) -> SweepEnd {
        match halt {
            SweepEnd::Spent(passed) => {
                SweepEnd::Spent(passed.max(self.grown(left) + other.grown(left)))
            }
            _ => halt,
        }
    }
}

/// A line, and its cells in the part.
type Line<W> = (usize, W);

impl Sweep {
    /// [`SweepEnd::Full`] when lines are too long, or have too many states.
    fn new<W: Word>(
        board: &Board<'_, W>,
        component: &Component<W>,
        way: Direction,
        memory: &Memory,
        stop: Stop<'_>,
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
        let (along, across, first_along, first_across) = match way {
            Direction::Down => (rows, columns, 0, height),
            Direction::Right => (columns, rows, height, 0),
        };
        let numbers = |lines: &[Line<W>], first: usize| -> FxHashMap<usize, usize> {
            let lines = lines.iter().enumerate();
            lines.map(|(i, (line, _))| (line - first, i)).collect()
        };
        let (along_numbers, across_numbers) =
            (numbers(&along, first_along), numbers(&across, first_across));
        let line_fillings = |&(line, cells): &Line<W>| {
            let (blocks, length, known) = board_line(board, line);
            Some(Along {
                line_fillings: LineFillings::new(blocks, length, known, cells)?,
                crossings: cells.cells().map(|cell| across_numbers[&cell]).collect(),
            })
        };
        let (mut states, mut effort) = (States::default(), EFFORT);
        let (mut stopped, mut work) = (false, 0);
        let mut paced = |more: u64| {
            work += more;
            if work >= Pace::WORK {
                work = 0;
                stopped |= stop();
            }
            stopped
        };
        let mut track = |&(line, cells): &Line<W>| {
            let (blocks, length, known) = board_line(board, line);
            let crossing = |cell: usize| along_numbers[&cell];
            let track = LineStates::new(
                &mut states,
                blocks,
                length,
                known,
                cells,
                crossing,
                &mut paced,
            )?;
            Crossing::new(track, &mut effort, memory, &mut paced)
        };
        // Long lines are found at once, and are the usual reason to give up.
        let along: Option<Vec<Along>> = along.iter().map(line_fillings).collect();
        let along = along.ok_or(SweepEnd::Full)?;
        let across: Option<Vec<Crossing>> = across.iter().map(&mut track).collect();
        match across {
            Some(across) => Ok(Sweep { along, across }),
            None if stopped => Err(SweepEnd::Stopped),
            None => Err(SweepEnd::Full),
        }
    }

    /// Bits that every combination fits in.
    fn bits(&self) -> u32 {
        let widest = |end| {
            let mut depths = vec![0; self.across.len()];
            let order: Box<dyn Iterator<Item = &Along>> = match end {
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
                let far = across.forth.layers.len() - depth;
                match line.crossings.contains(&i) {
                    true => across.beginnings(far - 1).len(),
                    false => across.back.states(far),
                }
            });
            let bits = Packing::new(states).bits;
            line.crossings.iter().for_each(|&i| before[i] += 1);
            bits
        });
        let meeting = meeting.max().unwrap_or(0);
        widest(End::Near).max(widest(End::Far)).max(meeting)
    }

    fn track(&self, end: End, i: usize) -> &LineStates {
        match end {
            End::Near => &self.across[i].forth,
            End::Far => &self.across[i].back,
        }
    }

    fn packing(&self, end: End, depths: &[usize]) -> Packing {
        let lines = depths.iter().enumerate();
        Packing::new(lines.map(|(i, &depth)| self.track(end, i).states(depth)))
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
        stop: Stop<'_>,
    ) -> Result<Count, SweepEnd> {
        let mut means = Means::new(allowance, stop);
        let (mut near, mut far) = (self.front::<K, N>(End::Near), self.front::<K, N>(End::Far));
        let mut lines = &self.along[..];
        while let [first, .., last] = lines {
            let (front, line) = match near.len <= far.len {
                true => (&mut near, first),
                false => (&mut far, last),
            };
            lines = match front.end {
                End::Near => &lines[1..],
                End::Far => &lines[..lines.len() - 1],
            };
            let left = lines.len();
            let ended = self.advance(front, line, &mut means);
            ended.map_err(|halt| near.foresee(&far, left, halt))?;
            if near.len.min(far.len) == 0 {
                return Ok(Count::ZERO);
            }
        }
        let [line] = lines else {
            unreachable!("a part has a line, and the last one is left")
        };
        let ended = self.meet(&mut near, &mut far, line, &mut means);
        ended.map_err(|halt| near.foresee(&far, 1, halt))
    }

    /// Moves a frontier past a line.
    fn advance<'s, K: Key, N: PathCount>(
        &self,
        front: &mut Front<'s, K, N>,
        line: &Along,
        means: &mut Means<'s>,
    ) -> Result<(), SweepEnd> {
        let end = front.end;
        let moves = (0..self.across.len()).map(|i| {
            let (track, depth) = (self.track(end, i), front.depths[i]);
            if !line.crossings.contains(&i) {
                return stays(track.states(depth));
            }
            let layer = track.layers[depth].iter();
            let single = |state: u32| Vec::from_iter((state != NONE).then_some(state));
            Move::Crossed(layer.map(|next| next.map(single)).collect())
        });
        let moves: Vec<Move> = moves.collect();
        line.crossings.iter().for_each(|&i| front.depths[i] += 1);
        let packing = self.packing(end, &front.depths);
        let step = Transition::new(
            &line.line_fillings,
            &line.crossings,
            &moves,
            &front.packing,
            &packing,
        );
        let layer = std::mem::replace(&mut front.layer, Layer::nothing());
        front.layer = layer.step(&step, means)?;
        front.len = front.layer.len();
        front.packing = packing;
        front.passed += 1;
        Ok(())
    }

    /// The number of ways in which what comes from both ends goes together, across the last line between them.
    ///
    /// A state from the far end may suit several from the near end, and the other way round. So the far frontier passes the line, its
    /// states told apart by the cell that they begin with: these say how the line is filled. And each combination of the near one, with
    /// each filling of the line, leads to those that suit it.
    fn meet<'s, K: Key, N: PathCount>(
        &self,
        near: &mut Front<'s, K, N>,
        far: &mut Front<'s, K, N>,
        line: &Along,
        means: &mut Means<'s>,
    ) -> Result<Count, SweepEnd> {
        let mut states = vec![0; self.across.len()];
        let mut of_far = Vec::with_capacity(self.across.len());
        let mut of_near = Vec::with_capacity(self.across.len());
        for (i, across) in self.across.iter().enumerate() {
            let partners = across.partners(near.depths[i]);
            let depth = far.depths[i];
            if !line.crossings.contains(&i) {
                states[i] = across.back.states(depth);
                of_far.push(stays(states[i]));
                of_near.push(Move::Other(partners));
                continue;
            }
            let beginnings = across.beginnings(depth);
            states[i] = beginnings.len();
            let number = |state: u32, fill: usize| {
                let place = beginnings.binary_search(&(state, fill));
                place.ok().map(|place| place as u32)
            };
            let layer = across.back.layers[depth].iter();
            let told_apart =
                |next: &[u32; 2]| [0, 1].map(|fill| Vec::from_iter(number(next[fill], fill)));
            of_far.push(Move::Crossed(layer.map(told_apart).collect()));
            let suit = |partners: &Vec<u32>| {
                [0, 1].map(|fill| {
                    partners
                        .iter()
                        .filter_map(|&state| number(state, fill))
                        .collect()
                })
            };
            of_near.push(Move::Crossed(partners.iter().map(suit).collect()));
        }
        let packing = Packing::new(states.into_iter());
        let near_step = Transition::new(
            &line.line_fillings,
            &line.crossings,
            &of_near,
            &near.packing,
            &packing,
        );
        let far_step = Transition::new(
            &line.line_fillings,
            &line.crossings,
            &of_far,
            &far.packing,
            &packing,
        );
        let layer =
            |front: &mut Front<'s, K, N>| std::mem::replace(&mut front.layer, Layer::nothing());
        let (near, far) = (layer(near), layer(far));
        near.join(&near_step, far, &far_step, means)
    }
}

/// Blocks, length and what is known of a line; columns come after rows.
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

/// The move of a line of `states` states that is not crossed: each state stays what it is.
fn stays(states: usize) -> Move {
    Move::Other((0..states as u32).map(|state| vec![state]).collect())
}
