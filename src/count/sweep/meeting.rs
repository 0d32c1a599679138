//! The meeting of the frontiers at the last line between them.

use super::allowance::SweepEnd;
use super::filling_class::FillingClass;
use super::front::Front;
use super::join::Join;
use super::key::{Key, PathCount};
use super::layer::Marks;
use super::lines::{AlongLine, Lines};
use super::resources::Resources;
use super::step::meeting_moves;
use super::table::bytes_of;
use super::transition::{Move, Packing, Transition};
use super::walks::Walks;
use crate::solutions::Count;

/// The meeting of the frontiers at the last line.
#[derive(Debug)]
pub(super) struct Meeting<K, N> {
    /// Whether what the near frontier leads to is stored, and not what the far one leads to.
    pub(super) stores_near: bool,
    /// The classes of fillings still to be joined, the next one last.
    classes: Vec<FillingClass>,
    /// The join of the next class, if it has paused on the way.
    join: Option<Join<K, N>>,
    /// The combinations behind the line to which both frontiers lead, for the classes that are done; empty unless the layers are kept.
    pub(super) met: Vec<K>,
    /// If the layers are kept: marks of the combinations that lead to these, in the layer that is not stored.
    pub(super) marks: Option<Marks>,
    /// The sum for the classes that are done, and their share of all.
    pub(super) total: Count,
    share: f64,
    /// Bytes of memory that the sweep holds between two classes.
    held: u64,
    /// Combinations read and generated so far.
    pub(super) work: u64,
}

impl<K: Key, N: PathCount> Meeting<K, N> {
    /// A meeting that has not begun, for these classes. `held`: the bytes of memory that the sweep holds, with the marks.
    pub(super) fn new(
        stores_near: bool,
        classes: Vec<FillingClass>,
        marks: Option<Marks>,
        held: u64,
    ) -> Self {
        Meeting {
            stores_near,
            classes,
            join: None,
            met: Vec::new(),
            marks,
            total: Count::ZERO,
            share: 0.0,
            held,
            work: 0,
        }
    }

    /// The share of the meeting that is done, roughly.
    pub(super) fn share(&self) -> f64 {
        let class = self.classes.last().map_or(0.0, FillingClass::share);
        let join = self.join.as_ref().map_or(0.0, Join::share);
        self.share + class * join
    }

    /// Frees what has been done for the class of fillings that is being joined. If there was any, returns the bytes that the sweep holds.
    pub(super) fn drop_join(&mut self) -> Option<u64> {
        self.join.take().map(|_| self.held)
    }
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
pub(super) fn meet<K: Key, N: PathCount>(
    near: &mut Front<K, N>,
    far: &mut Front<K, N>,
    meeting: &mut Option<Meeting<K, N>>,
    (lines, line): (&Lines, &AlongLine),
    resources: &mut Resources<'_>,
) -> Result<Count, SweepEnd> {
    let (near_moves, far_moves, packing) = meeting_moves(lines, line, &near.depths, &far.depths);
    let keeps_met = near.kept.is_some();
    let transition = |moves: &[Move], before: &Packing| {
        let (fillings, crossings) = (&line.line_fillings, &line.crossings);
        Transition::new(fillings, crossings, moves, before, &packing)
    };
    let meeting = meeting.get_or_insert_with(|| {
        let free = (resources.memory.remaining() / bytes_of::<K, N>(1)) as f64;
        let room = |front: &Front<K, N>, moves: &[Move]| {
            let transition = transition(moves, &front.packing);
            Walks::new(&front.layer).pass(&transition).room()
        };
        let rooms = (room(near, &near_moves), room(far, &far_moves));
        let stores_near = rooms.0 < rooms.1;
        let first = if stores_near { &far.layer } else { &near.layer };
        let marks = keeps_met.then(|| Marks::new(first));
        resources
            .memory
            .reserve(marks.as_ref().map_or(0, Marks::bytes));
        let classes = FillingClass::classes(&line.crossings, rooms.0.min(rooms.1) / free);
        Meeting::new(stores_near, classes, marks, resources.memory.held())
    });
    while let Some(class) = meeting.classes.pop() {
        let near_transition = transition(&class.restricted(&near_moves), &near.packing);
        let far_transition = transition(&class.restricted(&far_moves), &far.packing);
        let before = resources.spent;
        let near = (&mut near.layer, &near_transition);
        let far = (&mut far.layer, &far_transition);
        let (first, second) = match meeting.stores_near {
            true => (far, near),
            false => (near, far),
        };
        let join = (meeting.join).get_or_insert_with(|| Join::new(second.0, second.1, resources));
        let joint = join.run(meeting.marks.as_ref(), first, second, resources);
        meeting.work += resources.spent - before;
        if joint.as_ref().err() == Some(&SweepEnd::Paused) {
            meeting.classes.push(class);
            return Err(SweepEnd::Paused);
        }
        meeting.join = None;
        // Of the combinations behind the line, at most those that both lead to are kept.
        let kept = joint.as_ref().map_or(0, |(_, met)| size_of_val(&met[..]));
        meeting.held += kept as u64;
        resources.memory.restore(meeting.held);
        match (joint, class.halves(&line.crossings)) {
            (Ok((count, met)), _) => {
                meeting.share += class.share();
                meeting.total += &count;
                meeting.met.extend(met);
            }
            (Err(SweepEnd::Full), Some(halves)) => {
                // The other classes of this size would hardly fit either.
                let smaller = |other: FillingClass| match other.halves(&line.crossings) {
                    Some(halves) if other.is_as_large_as(&class) => halves.to_vec(),
                    _ => vec![other],
                };
                let others = std::mem::take(&mut meeting.classes);
                let others = others.into_iter().flat_map(smaller);
                meeting.classes = others.chain(halves).collect();
            }
            (Err(end), _) => return Err(end),
        }
    }
    Ok(std::mem::replace(&mut meeting.total, Count::ZERO))
}
