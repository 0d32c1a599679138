//! Classes of the fillings of a line, so that frontiers can meet at it in less memory.

use super::transition::Move;

/// Maximum number of cells that a class gives values to. Each class takes a pass of its own over both layers, so far more classes would take
/// longer than to branch.
const MAX_CELLS: usize = 8;

/// A class of the fillings of the line at which the frontiers meet: those in which these cells have these values. The cells are given by the
/// lines across.
#[derive(Clone, Debug, Default)]
pub(super) struct FillingClass(Vec<(usize, bool)>);

impl FillingClass {
    /// At least this number of classes that together hold all fillings, as far as [`halves`](Self::halves) allows.
    pub(super) fn classes(crossings: &[usize], number: f64) -> Vec<FillingClass> {
        let mut classes = vec![FillingClass::default()];
        while (classes.len() as f64) < number {
            let halves = classes.iter().map(|class| class.halves(crossings));
            match halves.collect::<Option<Vec<_>>>() {
                Some(halves) => classes = halves.into_iter().flatten().collect(),
                None => break,
            }
        }
        classes
    }

    /// Divides the class by the value of one more cell; `None` if there is none left, or if it gives [`MAX_CELLS`] values. Cells close
    /// together depend on each other, so the cells are chosen far apart: by the bits of their number in reverse order (van der Corput 1935).
    pub(super) fn halves(&self, crossings: &[usize]) -> Option<[FillingClass; 2]> {
        if self.0.len() == MAX_CELLS {
            return None;
        }
        let is_open = |i: &usize| self.0.iter().all(|(chosen, _)| chosen != i);
        let bits = usize::BITS - crossings.len().leading_zeros();
        let indices =
            (1..=1u32 << bits).map(|number| (number.reverse_bits() >> (u32::BITS - bits)) as usize);
        let mut crossings = indices.filter_map(|index| crossings.get(index)).copied();
        let cell = crossings.find(is_open)?;
        Some([false, true].map(|fill| {
            let mut class = self.clone();
            class.0.push((cell, fill));
            class
        }))
    }

    /// Its share of all fillings, if each cell is filled in half of them.
    pub(super) fn share(&self) -> f64 {
        0.5f64.powi(self.0.len() as i32)
    }

    /// Whether both classes give values to the same number of cells.
    pub(super) fn is_as_large_as(&self, other: &FillingClass) -> bool {
        self.0.len() == other.0.len()
    }

    /// The moves to the fillings of this class.
    pub(super) fn restricted(&self, moves: &[Move]) -> Vec<Move> {
        let mut moves = moves.to_vec();
        for &(i, fill) in &self.0 {
            if let Move::Crossed(states) = &mut moves[i] {
                states
                    .iter_mut()
                    .for_each(|next| next[usize::from(!fill)].clear());
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_filling_is_in_exactly_one_class() {
        let crossings = [1, 2, 4, 5, 7];
        for number in [1.0, 2.0, 5.0, 32.0, 1e9] {
            let classes = FillingClass::classes(&crossings, number);
            assert_eq!(classes.len() as f64, number.min(32.0).log2().ceil().exp2());
            assert_eq!(classes.iter().map(FillingClass::share).sum::<f64>(), 1.0);
            assert!(
                classes
                    .iter()
                    .all(|class| class.is_as_large_as(&classes[0]))
            );
            for filling in 0..1u32 << 8 {
                let agrees = |&(cell, fill): &(usize, bool)| (filling >> cell & 1 == 1) == fill;
                let holds = |class: &&FillingClass| class.0.iter().all(agrees);
                assert_eq!(classes.iter().filter(holds).count(), 1);
            }
        }
    }

    #[test]
    fn classes_are_bounded_also_without_memory() {
        let crossings: Vec<usize> = (0..1000).collect();
        let classes = FillingClass::classes(&crossings, f64::INFINITY);
        assert_eq!(classes.len(), 1 << MAX_CELLS);
        assert!(
            classes
                .iter()
                .all(|class| class.halves(&crossings).is_none())
        );
    }

    #[test]
    fn a_class_has_the_moves_to_its_fillings_only() {
        let moves = [0, 1].map(|_| Move::Crossed(vec![[vec![3], vec![4, 5]]]));
        let class = FillingClass(vec![(1, true)]);
        let restricted = class.restricted(&moves);
        let next = |i: usize| match &restricted[i] {
            Move::Crossed(states) => states[0].clone(),
            Move::Uncrossed(_) => panic!("both lines are crossed"),
        };
        assert_eq!(next(0), [vec![3], vec![4, 5]]);
        assert_eq!(next(1), [vec![], vec![4, 5]]);
    }
}
