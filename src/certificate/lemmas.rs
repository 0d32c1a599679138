//! Lemmas: clauses over cells that hold in every solution, found by their literals.

use rustc_hash::{FxHashMap, FxHashSet};

/// A list of clauses over cells, which are numbered from 1, row by row; a negative number says that the cell is empty.
///
/// ```
/// use omnogram::certificate::Lemmas;
///
/// // If cell 1 is filled, cell 2 is empty. Cell 4 is filled.
/// let lemmas = Lemmas::from_iter([Box::from([-1, -2]), Box::from([4])]);
/// assert!(lemmas.imply(&[3, 1], -2));
/// assert!(!lemmas.imply(&[3], -2));
/// assert!(lemmas.imply(&[], 4));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lemmas {
    clauses: Vec<Box<[i32]>>,
    /// The indices of the clauses with each literal.
    by_literal: FxHashMap<i32, Vec<u32>>,
}

impl Lemmas {
    /// Adds a clause.
    pub fn add(&mut self, clause: Box<[i32]>) {
        let index = self.clauses.len() as u32;
        for &literal in &clause {
            self.by_literal.entry(literal).or_default().push(index);
        }
        self.clauses.push(clause);
    }

    /// All clauses.
    pub fn clauses(&self) -> &[Box<[i32]>] {
        &self.clauses
    }

    /// Whether one of the clauses consists of this literal and opposites of literals that hold. O(literals that hold and of these clauses).
    pub fn imply(&self, holding: &[i32], literal: i32) -> bool {
        let Some(indices) = self.by_literal.get(&literal) else {
            return false;
        };
        let holding: FxHashSet<i32> = holding.iter().copied().collect();
        indices.iter().any(|&index| {
            let mut others = self.clauses[index as usize].iter();
            others.all(|&other| other == literal || holding.contains(&-other))
        })
    }
}

impl FromIterator<Box<[i32]>> for Lemmas {
    fn from_iter<I: IntoIterator<Item = Box<[i32]>>>(clauses: I) -> Self {
        let mut lemmas = Lemmas::default();
        clauses.into_iter().for_each(|clause| lemmas.add(clause));
        lemmas
    }
}
