//! The meeting of the frontiers at the last line between them.

use super::allowance::SweepEnd;
use super::filling_class::FillingClass;
use super::front::Front;
use super::join::Join;
use super::key::{Key, PathCount};
use super::layer::Marks;
use super::lines::{End, Lines};
use super::resources::Resources;
use super::step::MeetingStep;
use super::table::bytes_of;
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

/// The number of fillings of the component, by joining both frontiers across the last line between them: both are moved past it by a
/// [`MeetingStep`], and the join is over equal combinations.
///
/// There are several times as many of these combinations as of those before the line. So they are joined for one [class of
/// fillings](FillingClass) of the line after the other: as many classes as the memory seems to require, and a class that does not fit is
/// divided.
pub(super) fn meet<K: Key, N: PathCount>(
    near: &mut Front<K, N>,
    far: &mut Front<K, N>,
    meeting: &mut Option<Meeting<K, N>>,
    lines: &Lines,
    resources: &mut Resources<'_>,
) -> Result<Count, SweepEnd> {
    let crossings = &lines.after(End::Near, near.passed).crossings;
    let step = MeetingStep::new(lines, near.passed, &near.depths, &far.depths);
    let meeting = meeting.get_or_insert_with(|| {
        let free = (resources.memory.remaining() / bytes_of::<K, N>(1)) as f64;
        let room = |front: &Front<K, N>| {
            let transition = step.transition(front.end, &FillingClass::default());
            Walks::new(&front.layer).pass(&transition).room()
        };
        let rooms = (room(near), room(far));
        let stores_near = rooms.0 < rooms.1;
        let first = if stores_near { &far.layer } else { &near.layer };
        let marks = near.kept.as_ref().map(|_| Marks::new(first));
        resources
            .memory
            .reserve(marks.as_ref().map_or(0, Marks::bytes));
        let classes = FillingClass::classes(crossings, rooms.0.min(rooms.1) / free);
        Meeting::new(stores_near, classes, marks, resources.memory.held())
    });
    let (first, second) = match meeting.stores_near {
        true => (far, near),
        false => (near, far),
    };
    while let Some(class) = meeting.classes.pop() {
        let to_first = step.transition(first.end, &class);
        let to_second = step.transition(second.end, &class);
        let before = resources.spent;
        let first = (&mut first.layer, &to_first);
        let second = (&mut second.layer, &to_second);
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
        match (joint, class.halves(crossings)) {
            (Ok((count, met)), _) => {
                meeting.share += class.share();
                meeting.total += &count;
                meeting.met.extend(met);
            }
            (Err(SweepEnd::Full), Some(halves)) => {
                // The other classes of this size would hardly fit either.
                let smaller = |other: FillingClass| match other.halves(crossings) {
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
