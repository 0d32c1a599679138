//! All solutions of a small node, one after the other.

use super::picture::masks;
use super::restrict::Layers;

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
    node: u32,
    /// What else is open then.
    waiting: Option<usize>,
}

/// Lists the solutions of a node, in the order of the graph.
///
/// Depth first: at every level lie the words as they are there, so that nothing is taken back. What is open is a chain that the
/// levels share. O(depth) words for each solution at worst, a few in practice.
pub(super) fn list(layers: &Layers<'_>, node: u32) -> Fillings {
    let spots = layers.spots(node);
    let size = spots.len();
    let (width, stride) = (layers.space().width(), layers.space().stride());
    let place = |spot: usize| spots.binary_search(&(spot as u32)).unwrap_or_default();
    let mut words = Vec::new();
    // Chains of open nodes, each with the rest of its chain.
    let mut chains: Vec<(u32, Option<usize>)> = Vec::new();
    let mut marks = vec![0];
    let mut drawn = vec![0u64; size];
    let mut levels = vec![Level {
        at: Some(layers.start(node)),
        node,
        waiting: None,
    }];
    while let Some(depth) = levels.len().checked_sub(1) {
        let level = &mut levels[depth];
        chains.truncate(marks[depth]);
        let Some(at) = level.at else {
            levels.pop();
            marks.pop();
            continue;
        };
        let (step, next) = layers.step(level.node, at);
        level.at = next;
        let mut open = level.waiting;
        drawn.resize((depth + 2) * size, 0);
        drawn.copy_within(depth * size..(depth + 1) * size, (depth + 1) * size);
        let here = &mut drawn[(depth + 1) * size..];
        for &run in step.cells.runs {
            masks(run, width, stride, |spot, mask| here[place(spot)] |= mask);
        }
        for &node in step.rest {
            chains.push((node, open));
            open = Some(chains.len() - 1);
        }
        match open {
            None => words.extend_from_slice(&here[..size]),
            Some(chain) => {
                let (node, waiting) = chains[chain];
                marks.push(chains.len());
                levels.push(Level {
                    at: Some(layers.start(node)),
                    node,
                    waiting,
                });
            }
        }
    }
    Fillings { spots, words }
}
