//! In how many solutions each cell is filled.
//!
//! One pass from the roots down. How often a node is reached is the sum, over the edges that lead to it, of how often their nodes
//! are reached, times the solutions of what else those edges lead to. An edge that is taken so often, times all that it leads to,
//! fills its cells in as many solutions. O(edges and their cells).

use super::Space;
use super::space::unpack;
use super::tally::Tallies;
use crate::board::Cell;
use crate::solutions::Count;

/// For each cell the number of solutions in which it is filled.
#[derive(Clone, Debug)]
pub struct Cells {
    width: usize,
    count: Count,
    filled: Vec<Count>,
}

impl Cells {
    /// Number of all solutions.
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Number of solutions in which this cell is filled.
    ///
    /// # Panics
    ///
    /// When the cell is outside.
    pub fn filled(&self, cell: Cell) -> &Count {
        assert!(
            usize::from(cell.column) < self.width,
            "{cell:?} is outside the puzzle"
        );
        &self.filled[usize::from(cell.row) * self.width + usize::from(cell.column)]
    }

    /// The share of solutions in which this cell is filled, in millionths, rounded to the nearest one, halves up; 0 when there are
    /// no solutions.
    ///
    /// # Panics
    ///
    /// When the cell is outside.
    pub fn millionths(&self, cell: Cell) -> u32 {
        if self.count.is_zero() {
            return 0;
        }
        let twice = |number: &Count| {
            let mut twice = number.clone();
            twice += number;
            twice
        };
        let mut parts = twice(self.filled(cell));
        parts *= &Count::from(1_000_000);
        parts += &self.count;
        let (parts, _) = parts.div_rem(&twice(&self.count));
        // No more than a million.
        parts.to_u64().unwrap_or_default() as u32
    }
}

impl Space {
    /// In how many solutions each cell is filled, exactly.
    ///
    /// Takes some bytes for each node, beside the graph.
    pub fn cells(&self) -> Cells {
        let (width, height) = (self.width(), self.height());
        let mut filled = vec![Count::ZERO; width * height];
        if !self.count().is_zero() {
            self.add_reached(&mut filled);
            self.times_other_roots(&mut filled);
            for (i, cell) in filled.iter_mut().enumerate() {
                if self.known().get(i / width, i % width) {
                    *cell = self.count().clone();
                }
            }
        }
        Cells {
            width,
            count: self.count().clone(),
            filled,
        }
    }

    /// Adds up for each cell in how many solutions of its root it is filled.
    fn add_reached(&self, filled: &mut [Count]) {
        let mut reached = Tallies::zeros(self.nodes());
        for &root in self.roots() {
            reached.add(root as usize, &Count::ONE);
        }
        let mut others = Vec::new();
        for node in (0..self.nodes() as u32).rev() {
            let often = reached.get(node as usize);
            if often.is_zero() {
                continue;
            }
            for edge in self.edges_of(node) {
                let mut all = often.clone();
                match *edge.rest {
                    [] => {}
                    [only] => {
                        reached.add(only as usize, &often);
                        all *= &self.tallies().get(only as usize);
                    }
                    ref rest => {
                        self.products_of_others(rest, &mut others);
                        for (&node, others) in rest.iter().zip(&mut others) {
                            *others *= &often;
                            reached.add(node as usize, others);
                        }
                        all *= &self.product(rest);
                    }
                }
                for (start, is_filled, end) in edge.runs.iter().map(|&run| unpack(run)) {
                    if is_filled {
                        let cells = &mut filled[start as usize..end as usize];
                        cells.iter_mut().for_each(|cell| *cell += &all);
                    }
                }
            }
        }
    }

    /// Makes numbers of solutions of one root numbers of solutions of all.
    fn times_other_roots(&self, filled: &mut [Count]) {
        let mut others = Vec::new();
        self.products_of_others(self.roots(), &mut others);
        for (&root, others) in self.roots().iter().zip(&others) {
            self.each_decided(root, |run| {
                let (start, _, end) = unpack(run);
                let cells = &mut filled[start as usize..end as usize];
                cells.iter_mut().for_each(|cell| *cell *= others);
            });
        }
    }

    /// For each of these nodes the product of all but it.
    fn products_of_others(&self, nodes: &[u32], products: &mut Vec<Count>) {
        products.clear();
        let mut product = Count::ONE;
        for &node in nodes {
            products.push(product.clone());
            product *= &self.tallies().get(node as usize);
        }
        product = Count::ONE;
        for (&node, others) in nodes.iter().zip(products).rev() {
            *others *= &product;
            product *= &self.tallies().get(node as usize);
        }
    }
}
