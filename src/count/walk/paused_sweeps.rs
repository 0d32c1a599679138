//! The sweeps that go on in later rounds, and the memory that they hold meanwhile.

use super::paused::{Held, Paused};
use crate::count::sweep::{Direction, Sweep};

/// The sweeps of one component that have paused, at most one in each direction.
pub(crate) type PausedSweeps = Paused<Direction, Sweep>;

impl Held for Sweep {
    fn bytes(&self) -> u64 {
        Sweep::bytes(self)
    }
}

impl PausedSweeps {
    /// Frees what the sweeps can do again with little work, if they hold more than this number of bytes; if that does not suffice, also what
    /// they have done for the part of a divided sweep.
    fn shrink_beyond(&mut self, bytes: u64) {
        if self.bytes() > bytes {
            self.trials_mut().for_each(Sweep::shrink);
        }
        if self.bytes() > bytes {
            self.trials_mut().for_each(Sweep::drop_part);
        }
    }

    /// Drops all sweeps, [aside](crate::run::drop_aside) if they are large.
    pub(crate) fn drop_aside(&mut self) {
        self.drain().for_each(Sweep::drop_aside);
    }

    /// Frees memory until all sweeps together hold at most this number of bytes: first what they can do again, then whole sweeps, the one that
    /// has paused first at first. Returns the directions of the sweeps that are dropped.
    pub(super) fn fit(&mut self, bytes: u64) -> Vec<Direction> {
        self.shrink_beyond(bytes);
        self.drop_beyond(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Clues};
    use crate::count::components::UniqueTable;
    use crate::count::root;
    use crate::count::sweep::{Allowance, SweepEnd};
    use crate::puzzle::{Clue, Puzzle};
    use crate::run::{Control, Limits};

    /// A sweep that has paused.
    fn sweep(direction: Direction) -> Sweep {
        let ones = vec![Clue::new([1]).unwrap(); 9];
        let puzzle = Puzzle::new(ones.clone(), ones).unwrap();
        let clues = Clues::new(&puzzle);
        let board = Board::<u64>::new(&clues);
        let control = Control::new(&Limits::default(), false);
        let components = root::components(&board, &UniqueTable::new(1 << 20), &control);
        let allowance = Allowance::of(1 << 22, 45);
        let component = &components.expect("nothing stops it")[0];
        let mut sweep = Sweep::new(&board, component, direction, false, allowance).unwrap();
        assert_eq!(sweep.run(allowance), Err(SweepEnd::Paused));
        sweep
    }

    fn paused(component: usize) -> PausedSweeps {
        let mut paused = PausedSweeps::default();
        assert!(paused.take(component, Direction::Down).is_none());
        paused.keep(Direction::Down, sweep(Direction::Down));
        paused.keep(Direction::Right, sweep(Direction::Right));
        assert_eq!(paused.component(), component);
        paused
    }

    #[test]
    fn a_sweep_goes_on_for_its_component_and_its_direction_only() {
        let mut sweeps = paused(5);
        assert!(sweeps.take(5, Direction::Right).is_some());
        assert!(sweeps.take(5, Direction::Right).is_none());
        assert!(sweeps.take(5, Direction::Down).is_some());
        let mut sweeps = PausedSweeps::default();
        sweeps.keep(Direction::Down, sweep(Direction::Down));
        assert!(sweeps.take(0, Direction::Right).is_none());
        assert!(sweeps.take(0, Direction::Down).is_some());
        let mut sweeps = paused(5);
        assert!(sweeps.take(6, Direction::Down).is_none());
        assert_eq!((sweeps.component(), sweeps.bytes()), (6, 0));
    }

    #[test]
    fn the_sweep_that_paused_first_is_dropped_first_and_no_more_than_needed() {
        let (down, right) = (
            sweep(Direction::Down).bytes(),
            sweep(Direction::Right).bytes(),
        );
        assert!(down > 1 && right > 1);
        for (bytes, dropped) in [
            (down + right, &[][..]),
            (down + right - 1, &[Direction::Down]),
            (right, &[Direction::Down]),
            (right - 1, &[Direction::Down, Direction::Right]),
        ] {
            let mut sweeps = paused(5);
            assert_eq!(sweeps.bytes(), down + right);
            assert_eq!(sweeps.drop_beyond(bytes), dropped);
        }
    }
}
