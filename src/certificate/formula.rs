//! A decision-DNNF as its file says it, in the text format of the d4 compiler, with the cells as variables 1, 2, 3 and so on, row by row.
//!
//! Only formulas of this form are read: the root is the or-node 1; an edge of an or-node leads to an or-node, an and-node, or the true
//! node, and has the literals that it decides, at least one if it leads from another or-node than the root to an or-node; an and-node has
//! two edges or more, which have no literals, and lead to or-nodes with cells below them. So the nodes below a node are fewer than a few
//! times its cells, on each path.

use std::io::BufRead;

use num_bigint::BigUint;

use super::text::{Bounds, TextLines, integers};
use crate::error::Result;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// One of the edges holds.
    Or,
    /// All of the edges hold.
    And,
    /// Always holds.
    True,
}

/// A node, and the numbers of its edges.
#[derive(Debug)]
struct Node {
    kind: NodeKind,
    edges: Vec<u32>,
}

/// An edge: the node it leads to, and where its literals end in the list of all; they begin where those of the edge before it end.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    end: u32,
}

/// A decision-DNNF over the cells of a grid.
#[derive(Debug, Default)]
pub struct Formula {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    literals: Vec<i32>,
    /// All nodes that the root leads to, each after those that lead to it.
    pub(super) order: Vec<u32>,
    /// For each node that the root leads to, the number of variables below it, as in [`Formula::variables`]; at most `u32::MAX`.
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
        let mut lines = TextLines::new(input, name, bounds);
        let mut formula = Formula::default();
        let mut numbers: Vec<i64> = Vec::new();
        while let Some(text) = lines.next()? {
            let mut words = text.split_ascii_whitespace().peekable();
            let kind = words.peek().and_then(|&word| match word {
                "o" => Some(NodeKind::Or),
                "a" => Some(NodeKind::And),
                "t" => Some(NodeKind::True),
                _ => None,
            });
            if let Some(kind) = kind {
                words.next();
                let number = formula.nodes.len() + 1;
                if !integers(&mut words, &mut numbers) || numbers != [number as i64] {
                    return Err(lines.wrong(format!("expected the node {number}")));
                }
                let edges = Vec::new();
                formula.nodes.push(Node { kind, edges });
                continue;
            }
            let node = |number: i64| {
                let index = usize::try_from(number).ok()?.checked_sub(1)?;
                let node = formula.nodes.get(index)?;
                Some((index as u32, node.kind))
            };
            let is_edge = integers(&mut words, &mut numbers) && numbers.len() >= 2;
            let nodes = is_edge.then(|| node(numbers[0]).zip(node(numbers[1])));
            let Some(((from, from_kind), (to, to_kind))) = nodes.flatten() else {
                return Err(lines.wrong("expected a node or an edge between nodes above"));
            };
            let literals = &numbers[2..];
            let has_form = match from_kind {
                NodeKind::Or => {
                    let may_be_empty = from == 0 || to_kind != NodeKind::Or;
                    (may_be_empty || !literals.is_empty())
                        && literals.iter().all(|l| l.unsigned_abs() <= cells as u64)
                }
                NodeKind::And => to_kind == NodeKind::Or && literals.is_empty(),
                NodeKind::True => false,
            };
            if !has_form {
                return Err(lines.wrong("this edge has another form than those of a counted graph"));
            }
            let literals = literals.iter().map(|&literal| literal as i32);
            formula.literals.extend(literals);
            let longest = formula.literals.len().max(formula.edges.len());
            if longest.max(formula.nodes.len()) >= u32::MAX as usize {
                return Err(lines.wrong_as_a_whole("this formula is too large to be checked"));
            }
            let number = formula.edges.len() as u32;
            formula.nodes[from as usize].edges.push(number);
            let end = formula.literals.len() as u32;
            formula.edges.push(Edge { to, end });
            lines.check_memory(formula.bytes())?;
        }
        if formula.nodes.first().map(|node| node.kind) != Some(NodeKind::Or) {
            return Err(lines.wrong_as_a_whole("the node 1 is not an or-node"));
        }
        let checked = formula.sort_nodes();
        let checked = checked.and_then(|()| formula.count_variables());
        checked.map_err(|message| lines.wrong_as_a_whole(message))?;
        Ok(formula)
    }

    /// Orders the nodes that the root leads to.
    fn sort_nodes(&mut self) -> std::result::Result<(), &'static str> {
        // Of each node whether it is closed; `None` if it has not been seen.
        let mut closed = vec![None; self.nodes.len()];
        // Each node on the path, and how many of its edges have been followed.
        let mut stack = vec![(0, 0)];
        closed[0] = Some(false);
        while let Some((node, followed)) = stack.last_mut() {
            if let Some(&edge) = self.edges(*node).get(*followed) {
                let to = self.target(edge);
                *followed += 1;
                match closed[to as usize] {
                    None => {
                        closed[to as usize] = Some(false);
                        stack.push((to, 0));
                    }
                    Some(false) => return Err("the edges of this formula have a cycle"),
                    Some(true) => {}
                }
                continue;
            }
            let edges = self.edges(*node).len();
            match self.kind(*node) {
                NodeKind::Or if edges == 0 => return Err("an or-node of this formula has no edge"),
                NodeKind::And if edges < 2 => {
                    return Err("a product of this formula has fewer than two edges");
                }
                _ => {}
            }
            closed[*node as usize] = Some(true);
            self.order.push(*node);
            stack.pop();
        }
        self.order.reverse();
        Ok(())
    }

    /// Counts the variables below each node that the root leads to.
    fn count_variables(&mut self) -> std::result::Result<(), &'static str> {
        let mut counts = vec![0_u32; self.nodes.len()];
        for &node in self.order.iter().rev() {
            let edges = self.edges(node);
            let below = |&edge: &u32| counts[self.target(edge) as usize];
            counts[node as usize] = match self.kind(node) {
                NodeKind::True => 0,
                NodeKind::Or => {
                    (self.literals(edges[0]).len() as u32).saturating_add(below(&edges[0]))
                }
                NodeKind::And if edges.iter().any(|edge| below(edge) == 0) => {
                    return Err("a product of this formula has a node without cells");
                }
                NodeKind::And => edges.iter().map(below).fold(0, u32::saturating_add),
            };
        }
        self.variable_counts = counts;
        Ok(())
    }

    /// Approximate memory, in bytes; a list may have twice as much room as it needs.
    pub(super) fn bytes(&self) -> u64 {
        // Each list of the edges of a node is allocated by itself.
        let nodes = self.nodes.len() * (size_of::<Node>() + 24);
        let edges = self.edges.len() * (size_of::<Edge>() + size_of::<u32>());
        (2 * (nodes + edges + size_of_val(&*self.literals))) as u64
    }

    pub(super) fn kind(&self, node: u32) -> NodeKind {
        self.nodes[node as usize].kind
    }

    /// The numbers of the edges of a node.
    pub(super) fn edges(&self, node: u32) -> &[u32] {
        &self.nodes[node as usize].edges
    }

    /// The node that an edge leads to.
    pub(super) fn target(&self, edge: u32) -> u32 {
        self.edges[edge as usize].to
    }

    /// The literals of an edge.
    pub(super) fn literals(&self, edge: u32) -> &[i32] {
        let end_of = |edge: u32| self.edges[edge as usize].end as usize;
        &self.literals[edge.checked_sub(1).map_or(0, end_of)..end_of(edge)]
    }

    /// The number of variables that [`Formula::variables`] gives, or `u32::MAX` if there are more. O(1).
    pub(super) fn variable_count(&self, node: u32) -> usize {
        self.variable_counts[node as usize] as usize
    }

    /// The variables below a node, in increasing order: along its first edges, for an and-node along all; if the
    /// formula is not smooth, those of one path. O(number of variables).
    pub(super) fn variables(&self, node: u32) -> Vec<u32> {
        let mut variables = Vec::with_capacity(self.variable_count(node));
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let edges = self.edges(node);
            match self.kind(node) {
                NodeKind::And => open.extend(edges.iter().map(|&edge| self.target(edge))),
                NodeKind::Or => {
                    let literals = self.literals(edges[0]);
                    variables.extend(literals.iter().map(|literal| literal.unsigned_abs()));
                    open.push(self.target(edges[0]));
                }
                NodeKind::True => {}
            }
        }
        variables.sort_unstable();
        variables
    }

    /// Number of models of a smooth, decomposable and deterministic formula. `poll` is called for every node, with the bytes of the
    /// numbers.
    pub(super) fn count(&self, mut poll: impl FnMut(u64) -> Result<()>) -> Result<BigUint> {
        let mut counts: Vec<BigUint> = vec![BigUint::ZERO; self.nodes.len()];
        let mut bytes = size_of_val(&*counts) as u64;
        for &node in self.order.iter().rev() {
            let edges = self.edges(node).iter();
            let mut below = edges.map(|&edge| &counts[self.target(edge) as usize]);
            let count = match self.kind(node) {
                NodeKind::True => BigUint::from(1_u8),
                NodeKind::And => below.product(),
                NodeKind::Or if below.len() == 1 => below.next().cloned().unwrap_or_default(),
                NodeKind::Or => below.sum(),
            };
            bytes += count.bits().div_ceil(8);
            poll(bytes)?;
            counts[node as usize] = count;
        }
        Ok(std::mem::take(&mut counts[0]))
    }
}
