//! A decision-DNNF as its file says it, in the text format of the d4 compiler, with the cells as variables 1, 2, 3 and so on, row by row.
//!
//! Only formulas of this form are read: the root is the or-node 1; an edge of an or-node leads to an or-node, an and-node, or the true
//! node, and has the literals that it decides, at least one if it leads from another or-node than the root to an or-node; an and-node has
//! two edges or more, which have no literals, and lead to or-nodes with cells below them. So the nodes below a node are fewer than a few
//! times its cells, on each way.

use std::io::BufRead;

use num_bigint::BigUint;

use super::text::{Bounds, Lines, integers};
use crate::error::Result;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of the edges holds.
    Or,
    /// All of the edges hold.
    And,
    /// Always holds.
    True,
}

/// An edge: the node it leads to, and where its literals end in the list of all; they begin where those of the edge before it end.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    end: u32,
}

/// A decision-DNNF over the cells of a grid.
#[derive(Debug)]
pub struct Formula {
    kinds: Vec<Kind>,
    /// For each node, its first edge; one more entry than nodes.
    first_edges: Vec<u32>,
    edges: Vec<Edge>,
    literals: Vec<i32>,
    /// All nodes that the root leads to, each after those that lead to it.
    order: Vec<u32>,
    /// For each node that the root leads to, the number of variables below it: along its first edges, for an and-node along all. At most
    /// `u32::MAX`.
    variable_counts: Vec<u32>,
}

impl Formula {
    /// Reads a formula over this number of cells. `name` is its name in errors.
    ///
    /// # Errors
    ///
    /// Errors of the input; [`Kind::Data`](crate::error::Kind::Data), with the place, for a text of another form; what ends the
    /// reading by its bounds.
    pub fn read(
        input: &mut dyn BufRead,
        name: &str,
        cells: usize,
        bounds: &mut Bounds<'_>,
    ) -> Result<Self> {
        let mut lines = Lines::new(input, name, bounds);
        let mut kinds = Vec::new();
        // The edges as they come: from, to, and the end of the literals.
        let mut unsorted: Vec<(u32, u32, u32)> = Vec::new();
        let mut unsorted_literals: Vec<i32> = Vec::new();
        let mut numbers: Vec<i64> = Vec::new();
        while let Some(text) = lines.next()? {
            let mut words = text.split_ascii_whitespace().peekable();
            let kind = match words.peek() {
                Some(&"o") => Some(Kind::Or),
                Some(&"a") => Some(Kind::And),
                Some(&"t") => Some(Kind::True),
                _ => None,
            };
            if let Some(kind) = kind {
                words.next();
                if !integers(&mut words, &mut numbers) || numbers != [kinds.len() as i64 + 1] {
                    return Err(lines.wrong(format!("expected the node {}", kinds.len() + 1)));
                }
                kinds.push(kind);
                continue;
            }
            let node = |number: i64| {
                let index = usize::try_from(number).ok()?.checked_sub(1)?;
                kinds.get(index).map(|&kind| (index as u32, kind))
            };
            let is_edge = integers(&mut words, &mut numbers) && numbers.len() >= 2;
            let nodes = is_edge.then(|| node(numbers[0]).zip(node(numbers[1])));
            let Some(((from, from_kind), (to, to_kind))) = nodes.flatten() else {
                return Err(lines.wrong("expected a node or an edge between nodes above"));
            };
            let literals = &numbers[2..];
            let has_form = match from_kind {
                Kind::Or => {
                    let may_be_empty = from == 0 || to_kind != Kind::Or;
                    (may_be_empty || !literals.is_empty())
                        && literals.iter().all(|l| l.unsigned_abs() <= cells as u64)
                }
                Kind::And => to_kind == Kind::Or && literals.is_empty(),
                Kind::True => false,
            };
            if !has_form {
                return Err(lines.wrong("this edge has another form than those of a counted graph"));
            }
            unsorted_literals.extend(literals.iter().map(|&literal| literal as i32));
            let longest = unsorted_literals.len().max(unsorted.len()).max(kinds.len());
            if longest >= u32::MAX as usize {
                return Err(lines.wrong_as_a_whole("this formula is too large to be checked"));
            }
            unsorted.push((from, to, unsorted_literals.len() as u32));
            // Everything is held twice while it is sorted.
            let bytes = Self::bytes_of(kinds.len(), unsorted.len(), unsorted_literals.len());
            lines.check_memory(2 * bytes)?;
        }
        if kinds.first() != Some(&Kind::Or) {
            return Err(lines.wrong_as_a_whole("the node 1 is not an or-node"));
        }
        let mut formula = Formula::sort(kinds, &unsorted, &unsorted_literals);
        match formula
            .sort_nodes()
            .and_then(|()| formula.count_variables())
        {
            Ok(()) => Ok(formula),
            Err(message) => Err(lines.wrong_as_a_whole(message)),
        }
    }

    /// Brings the edges of each node together, in their order.
    fn sort(kinds: Vec<Kind>, unsorted: &[(u32, u32, u32)], literals: &[i32]) -> Self {
        let mut first_edges = vec![0; kinds.len() + 1];
        for &(from, ..) in unsorted {
            first_edges[from as usize + 1] += 1;
        }
        for node in 0..kinds.len() {
            first_edges[node + 1] += first_edges[node];
        }
        let mut places: Vec<u32> = first_edges.clone();
        let mut sorted = vec![0; unsorted.len()];
        for (edge, &(from, ..)) in unsorted.iter().enumerate() {
            let place = &mut places[from as usize];
            sorted[*place as usize] = edge;
            *place += 1;
        }
        let mut formula = Formula {
            kinds,
            first_edges,
            edges: Vec::with_capacity(unsorted.len()),
            literals: Vec::with_capacity(literals.len()),
            order: Vec::new(),
            variable_counts: Vec::new(),
        };
        for edge in sorted {
            let begin = edge.checked_sub(1).map_or(0, |before| unsorted[before].2);
            let (_, to, end) = unsorted[edge];
            formula
                .literals
                .extend(&literals[begin as usize..end as usize]);
            formula.edges.push(Edge {
                to,
                end: formula.literals.len() as u32,
            });
        }
        formula
    }

    /// Orders the nodes that the root leads to.
    fn sort_nodes(&mut self) -> std::result::Result<(), &'static str> {
        const UNSEEN: u8 = 0;
        const OPEN: u8 = 1;
        const CLOSED: u8 = 2;
        let mut states = vec![UNSEEN; self.kinds.len()];
        let mut stack = vec![(0, self.first_edges[0])];
        states[0] = OPEN;
        while let Some((node, edge)) = stack.last_mut() {
            if *edge < self.first_edges[*node as usize + 1] {
                let to = self.edges[*edge as usize].to;
                *edge += 1;
                match states[to as usize] {
                    UNSEEN => {
                        states[to as usize] = OPEN;
                        stack.push((to, self.first_edges[to as usize]));
                    }
                    OPEN => return Err("the edges of this formula have a cycle"),
                    _ => {}
                }
                continue;
            }
            let edges = self.edges(*node).len();
            match self.kind(*node) {
                Kind::Or if edges == 0 => return Err("an or-node of this formula has no edge"),
                Kind::And if edges < 2 => {
                    return Err("a product of this formula has fewer than two edges");
                }
                _ => {}
            }
            states[*node as usize] = CLOSED;
            self.order.push(*node);
            stack.pop();
        }
        self.order.reverse();
        Ok(())
    }

    /// Counts the variables below each node that the root leads to.
    fn count_variables(&mut self) -> std::result::Result<(), &'static str> {
        let mut counts = vec![0_u32; self.kinds.len()];
        for &node in self.order.iter().rev() {
            let edges = self.edges(node);
            let below = |edge: u32| counts[self.target(edge) as usize];
            counts[node as usize] = match self.kind(node) {
                Kind::True => 0,
                Kind::Or => {
                    below(edges.start).saturating_add(self.literals(edges.start).len() as u32)
                }
                Kind::And if edges.clone().any(|edge| below(edge) == 0) => {
                    return Err("a product of this formula has a node without cells");
                }
                Kind::And => edges.map(below).fold(0, u32::saturating_add),
            };
        }
        self.variable_counts = counts;
        Ok(())
    }

    /// Approximate memory of these numbers of nodes, edges and literals, in bytes.
    fn bytes_of(nodes: usize, edges: usize, literals: usize) -> u64 {
        (24 * (nodes + edges) + 4 * literals) as u64
    }

    /// Approximate memory, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        Self::bytes_of(self.kinds.len(), self.edges.len(), self.literals.len())
    }

    pub(super) fn kind(&self, node: u32) -> Kind {
        self.kinds[node as usize]
    }

    /// The numbers of the edges of a node.
    pub(super) fn edges(&self, node: u32) -> std::ops::Range<u32> {
        self.first_edges[node as usize]..self.first_edges[node as usize + 1]
    }

    /// The node that an edge leads to.
    pub(super) fn target(&self, edge: u32) -> u32 {
        self.edges[edge as usize].to
    }

    /// The literals of an edge.
    pub(super) fn literals(&self, edge: u32) -> &[i32] {
        let before = edge
            .checked_sub(1)
            .map(|edge| self.edges[edge as usize].end);
        let (begin, end) = (before.unwrap_or(0), self.edges[edge as usize].end);
        &self.literals[begin as usize..end as usize]
    }

    /// All nodes that the root leads to, each after those that lead to it.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The number of variables that [`Formula::variables`] gives, or `u32::MAX` if there are more. O(1).
    pub(super) fn variable_count(&self, node: u32) -> usize {
        self.variable_counts[node as usize] as usize
    }

    /// The variables below a node: along its first edges, for an and-node along all. In increasing order; of a formula that is not smooth,
    /// those of one way. O(number of variables).
    pub(super) fn variables(&self, node: u32) -> Vec<u32> {
        let mut variables = Vec::with_capacity(self.variable_count(node));
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let edges = self.edges(node);
            match self.kind(node) {
                Kind::And => open.extend(edges.map(|edge| self.target(edge))),
                Kind::Or => {
                    let literals = self.literals(edges.start);
                    variables.extend(literals.iter().map(|literal| literal.unsigned_abs()));
                    open.push(self.target(edges.start));
                }
                Kind::True => {}
            }
        }
        variables.sort_unstable();
        variables
    }

    /// Number of models, if the formula is smooth, decomposable and deterministic. `poll` is called for every node, with the memory of the
    /// numbers so far, in bytes.
    pub(super) fn count(&self, mut poll: impl FnMut(u64) -> Result<()>) -> Result<BigUint> {
        let mut counts: Vec<BigUint> = vec![BigUint::ZERO; self.kinds.len()];
        let mut bytes = size_of_val(&*counts) as u64;
        for &node in self.order.iter().rev() {
            let mut below = self
                .edges(node)
                .map(|edge| &counts[self.target(edge) as usize]);
            let count = match self.kind(node) {
                Kind::True => BigUint::from(1_u8),
                Kind::And => below.product(),
                Kind::Or if below.len() == 1 => below.next().cloned().unwrap_or_default(),
                Kind::Or => below.sum(),
            };
            bytes += count.bits().div_ceil(8);
            poll(bytes)?;
            counts[node as usize] = count;
        }
        Ok(std::mem::take(&mut counts[0]))
    }
}
