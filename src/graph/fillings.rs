//! Lists all solutions of a small node.

use super::condition::{ALL_DECIDED, Overlay};
use super::packed_grid::fill;
use super::runs::{EMPTY, FILLED, FIRST_CHILD};

/// The solutions of a region: the indices of the words of a packed grid that it overlaps, and for each solution its filled cells in these
/// words.
#[derive(Clone, Debug)]
pub(super) struct Fillings {
    pub(super) word_indices: Vec<u32>,
    pub(super) words: Vec<u64>,
}

/// A level of the depth-first traversal.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Offset of the next edge.
    next_edge: Option<u32>,
    open: OpenNode,
}

/// An undecided node: the index of its first cell in the list of positions, and the next undecided node of the chain, as an index into the
/// list of undecided nodes.
#[derive(Clone, Copy, Debug)]
struct OpenNode {
    node: u32,
    start: u32,
    next_open: Option<u32>,
}

/// Stands for the position of a cell that was decided before.
const DECIDED: u32 = u32::MAX;

/// Lists the solutions of a node whose cells have these positions, in the order of the graph.
///
/// Depth-first: each level has its own copy of the words, so that nothing need be undone. The undecided nodes form linked lists with shared
/// tails. Worst case O(cells) per node on the path to a solution; few nodes in practice.
pub(super) fn list_solutions(overlay: &Overlay<'_>, node: u32, positions: &[u32]) -> Fillings {
    let decided = overlay.decided(node) as usize;
    let (mut word_indices, mut local_positions) = (Vec::new(), vec![DECIDED; decided]);
    // Positions are translated to bits of the listed words, which are stored without gaps.
    for &position in &positions[decided..] {
        let word_index = position / 64;
        if word_indices.last() != Some(&word_index) {
            word_indices.push(word_index);
        }
        local_positions.push((word_indices.len() as u32 - 1) * 64 + position % 64);
    }
    let size = word_indices.len();
    let mut words = Vec::new();
    let mut positions = local_positions;
    let mut open_nodes: Vec<OpenNode> = Vec::new();
    let mut lengths = vec![(0, positions.len())];
    let mut grids = vec![0u64; size];
    let mut ends = Vec::new();
    let mut levels = vec![Level {
        next_edge: Some(overlay.first_edge(node)),
        open: OpenNode {
            node,
            start: 0,
            next_open: None,
        },
    }];
    while let Some(depth) = levels.len().checked_sub(1) {
        let Level { next_edge, open } = &mut levels[depth];
        let (before, end_here) = lengths[depth];
        open_nodes.truncate(before);
        positions.truncate(end_here);
        let Some(at) = *next_edge else {
            levels.pop();
            lengths.pop();
            continue;
        };
        let (edge, next) = overlay.edge_at(open.node, at);
        *next_edge = next;
        grids.resize((depth + 2) * size, 0);
        grids.copy_within(depth * size..(depth + 1) * size, (depth + 1) * size);
        let grid = &mut grids[(depth + 1) * size..];
        let mut next_open = open.next_open;
        ends.clear();
        let mut end = positions.len();
        for &node in edge.children {
            ends.push(end);
            if node != ALL_DECIDED {
                open_nodes.push(OpenNode {
                    node,
                    start: end as u32,
                    next_open,
                });
                next_open = Some(open_nodes.len() as u32 - 1);
                end += overlay.cell_count(node) as usize;
            }
        }
        let mut from = open.start as usize;
        positions.resize(end, 0);
        for (code, length) in edge.graph_edge.runs() {
            let length = length as usize;
            let (node_positions, child_positions) = positions.split_at_mut(end_here);
            let cells = &node_positions[from..from + length];
            match code {
                EMPTY => {}
                FILLED => {
                    let open = cells.iter().position(|&position| position != DECIDED);
                    fill(grid, &cells[open.unwrap_or(length)..]);
                }
                left => {
                    let i = (left - FIRST_CHILD) as usize;
                    if edge.children[i] != ALL_DECIDED {
                        child_positions[ends[i] - end_here..][..length].copy_from_slice(cells);
                        ends[i] += length;
                    }
                }
            }
            from += length;
        }
        match next_open {
            None => words.extend_from_slice(&grid[..size]),
            Some(next) => {
                let open = open_nodes[next as usize];
                lengths.push((open_nodes.len(), positions.len()));
                levels.push(Level {
                    next_edge: Some(overlay.first_edge(open.node)),
                    open,
                });
            }
        }
    }
    Fillings {
        word_indices,
        words,
    }
}
