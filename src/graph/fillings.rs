//! All solutions of a small node, one after the other.

use super::condition::{DONE, Layers};
use super::picture::fill;
use super::runs::{EMPTY, FILLED, LEFT};

/// The solutions of a region: which words of a packed picture it touches, and the filled cells of each solution in them.
#[derive(Clone, Debug)]
pub(super) struct Fillings {
    pub(super) spots: Vec<u32>,
    pub(super) words: Vec<u64>,
}

/// A node on the way down.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Where its next edge is.
    at: Option<u32>,
    open: OpenNode,
}

/// A node that is open: where its cells begin in the list of places, and what else is open, as the place of that in a list of such.
#[derive(Clone, Copy, Debug)]
struct OpenNode {
    node: u32,
    places: u32,
    waiting: Option<u32>,
}

/// In the place of a cell that was decided before.
const OUTSIDE: u32 = u32::MAX;

/// Lists the solutions of a node whose cells lie at these places, in the order of the graph.
///
/// Depth first: at every level lie the words as they are there, so that nothing is taken back. What is open is a chain that the
/// levels share. O(cells) for each node on the way to a solution at worst, for a few nodes in practice.
pub(super) fn list(layers: &Layers<'_>, node: u32, places: &[u32]) -> Fillings {
    let decided = layers.decided(node) as usize;
    let (mut spots, mut local) = (Vec::new(), vec![OUTSIDE; decided]);
    // Bits of the words that are listed, which lie without gaps.
    for &place in &places[decided..] {
        let spot = place / 64;
        if spots.last() != Some(&spot) {
            spots.push(spot);
        }
        local.push((spots.len() as u32 - 1) * 64 + place % 64);
    }
    let size = spots.len();
    let mut words = Vec::new();
    let mut places = local;
    let mut opens: Vec<OpenNode> = Vec::new();
    let mut marks = vec![(0, places.len())];
    let mut drawn = vec![0u64; size];
    let mut ends = Vec::new();
    let mut levels = vec![Level {
        at: Some(layers.start(node)),
        open: OpenNode {
            node,
            places: 0,
            waiting: None,
        },
    }];
    while let Some(depth) = levels.len().checked_sub(1) {
        let Level { at, open } = &mut levels[depth];
        let (before, here) = marks[depth];
        opens.truncate(before);
        places.truncate(here);
        let Some(edge) = *at else {
            levels.pop();
            marks.pop();
            continue;
        };
        let (step, next) = layers.step(open.node, edge);
        *at = next;
        drawn.resize((depth + 2) * size, 0);
        drawn.copy_within(depth * size..(depth + 1) * size, (depth + 1) * size);
        let picture = &mut drawn[(depth + 1) * size..];
        let mut waiting = open.waiting;
        ends.clear();
        let mut end = places.len();
        for &node in step.rest {
            ends.push(end);
            if node != DONE {
                opens.push(OpenNode {
                    node,
                    places: end as u32,
                    waiting,
                });
                waiting = Some(opens.len() as u32 - 1);
                end += layers.size(node) as usize;
            }
        }
        let mut from = open.places as usize;
        places.resize(end, 0);
        for (becomes, length) in step.edge.runs() {
            let length = length as usize;
            let (all, below) = places.split_at_mut(here);
            let cells = &all[from..from + length];
            match becomes {
                EMPTY => {}
                FILLED => {
                    let open = cells.iter().position(|&place| place != OUTSIDE);
                    fill(picture, &cells[open.unwrap_or(length)..]);
                }
                left => {
                    let i = (left - LEFT) as usize;
                    if step.rest[i] != DONE {
                        below[ends[i] - here..][..length].copy_from_slice(cells);
                        ends[i] += length;
                    }
                }
            }
            from += length;
        }
        match waiting {
            None => words.extend_from_slice(&picture[..size]),
            Some(next) => {
                let open = opens[next as usize];
                marks.push((opens.len(), places.len()));
                levels.push(Level {
                    at: Some(layers.start(open.node)),
                    open,
                });
            }
        }
    }
    Fillings { spots, words }
}
