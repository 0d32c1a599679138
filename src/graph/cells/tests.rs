use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::builder::Builder;
use super::super::edge::{CellFate, Edge, NodeId};
use super::*;

/// One of two cells is filled.
fn pair(builder: &mut Builder) -> NodeId {
    builder.add(&[("#.", &[]), (".#", &[])])
}

/// Three solutions; two fill the first cell, one the second, and one the third.
fn uneven(builder: &mut Builder) -> NodeId {
    builder.add(&[("##.", &[]), ("#..", &[]), ("..#", &[])])
}

/// 64 pairs: 2^64 solutions.
fn pairs(builder: &mut Builder) -> NodeId {
    let pair = pair(builder);
    let cells = (0..64).flat_map(|i| [CellFate::Child(i); 2]);
    builder.add_node(vec![Edge::new(cells, vec![pair; 64])])
}

/// Cells that do not depend on each other: a chain of nodes, one for each number of cells.
fn free(builder: &mut Builder, cells: usize) -> NodeId {
    let mut node = builder.add(&[("#", &[]), (".", &[])]);
    for below in 1..cells {
        let below = "0".repeat(below);
        let (filled, empty) = (format!("#{below}"), format!(".{below}"));
        node = builder.add(&[(&filled, &[node]), (&empty, &[node])]);
    }
    node
}

/// A graph of this number of rows, each of which is this node.
fn rows(builder: Builder, node: NodeId, width: usize, height: usize) -> SolutionGraph {
    let row = |row| {
        (
            node,
            (0..width).map(|column| Cell::new(row, column)).collect(),
        )
    };
    builder.finish(&Grid::new(width, height), (0..height).map(row).collect())
}

/// `multiple` times 2 to the power of `exponent`, plus `more`.
fn number(multiple: u64, exponent: u64, more: u64) -> Count {
    let mut number = Count::from(multiple);
    (0..exponent).for_each(|_| number *= &Count::from(2));
    number += &Count::from(more);
    number
}

/// Checks the number of solutions, and the number of those that fill each cell, of a node in several numbers of places: it is expanded in
/// few, and has a marginal in many.
fn check(build: impl Fn(&mut Builder) -> NodeId, count: &Count, filled: &[Count]) {
    for places in [1, MAX_PLACEMENTS, MAX_PLACEMENTS + 1, MAX_PLACEMENTS + 3] {
        let mut builder = Builder::new();
        let node = build(&mut builder);
        let cells = rows(builder, node, filled.len(), places).cells();
        let mut others = Count::ONE;
        (1..places).for_each(|_| others *= count);
        for (column, filled) in filled.iter().enumerate() {
            let mut filled = filled.clone();
            filled *= &others;
            for row in 0..places {
                assert_eq!(
                    cells.filled(Cell::new(row, column)),
                    &filled,
                    "column {column}"
                );
            }
        }
        others *= count;
        assert_eq!(cells.count(), &others);
    }
}

#[test]
fn cells_of_a_small_node_in_many_places_have_its_numbers() {
    let build = |builder: &mut Builder| {
        let (uneven, pair) = (uneven(builder), pair(builder));
        builder.add(&[("#01010", &[uneven, pair]), ("000###", &[uneven])])
    };
    check(build, &Count::from(9), &[8, 5, 4, 5, 6, 5].map(Count::from));
}

/// As for a small node, with 2^64 solutions of one child.
#[test]
fn cells_of_a_large_node_in_many_places_have_its_numbers() {
    let build = |builder: &mut Builder| {
        let (uneven, pairs) = (uneven(builder), pairs(builder));
        let long = format!("#010{}0", "1".repeat(127));
        let short = format!("000{}", "#".repeat(129));
        builder.add(&[(&long, &[uneven, pairs]), (&short, &[uneven])])
    };
    let mut filled = vec![
        number(3, 64, 2),
        number(2, 64, 1),
        number(3, 63, 1),
        number(1, 64, 3),
    ];
    filled.resize(131, number(3, 63, 3));
    filled.push(number(1, 64, 3));
    check(build, &number(3, 64, 3), &filled);
}

/// The memory that suffices for the pass over a graph, besides that for the nodes and the cells.
fn check_memory(graph: &SolutionGraph, held: usize) {
    let cells = graph.width() * graph.height();
    let lists = size_of::<Count>() * cells + 4 * graph.nodes();
    let bytes = graph.bytes() + (lists + held) as u64;
    let stop = |bytes| graph.cells_within(&Limits::default().memory(bytes)).err();
    assert_eq!(stop(bytes), None);
    assert_eq!(stop(bytes - 1), Some(Stop::Memory));
}

#[test]
fn what_a_pass_holds_is_within_the_memory_limit() {
    let placement = |cells: usize| 4 * cells + 2 * size_of::<Placement>();
    check_memory(&SolutionGraph::unsatisfiable(5, 7), 0);
    for (places, marginal) in [(1, 0), (4, 0), (5, 8 * 2), (6, 8 * 2)] {
        let mut builder = Builder::new();
        let node = pair(&mut builder);
        let graph = rows(builder, node, 2, places);
        check_memory(&graph, places.min(5) * placement(2) + marginal);
    }
    // The marginal of the pair is needed until that of the pairs is complete.
    let mut builder = Builder::new();
    let node = pairs(&mut builder);
    let graph = rows(builder, node, 128, 5);
    let marginals = 8 * 2 + size_of::<Count>() * 128;
    check_memory(&graph, 5 * placement(128) + marginals);
    // Of a chain only two nodes are held at a time.
    let chain = |places| {
        let mut builder = Builder::new();
        let node = free(&mut builder, 20);
        rows(builder, node, 20, places)
    };
    check_memory(&chain(4), 4 * (placement(20) + placement(19)));
    check_memory(&chain(5), 5 * placement(20) + 8 * (20 + 19));
}

fn pass<'a>(graph: &'a SolutionGraph, control: &'a Control, filled: &'a mut [Count]) -> Pass<'a> {
    Pass {
        graph,
        control,
        filled,
        placements: FxHashMap::default(),
        marginals: FxHashMap::default(),
        unprocessed_edges: Vec::new(),
        bytes: 1000,
        memory: u64::MAX,
        work_since_poll: 0,
    }
}

/// At the end no edge is unprocessed; the references that the roots are remain.
#[test]
fn a_pass_gives_back_what_it_held_for_placements_and_marginals() {
    for places in [3, 4, 5, 6] {
        let mut builder = Builder::new();
        let node = free(&mut builder, 20);
        let graph = rows(builder, node, 20, places);
        let control = Control::new(&Limits::default(), false);
        let mut filled = vec![Count::ZERO; 20 * places];
        let mut pass = pass(&graph, &control, &mut filled);
        pass.run().unwrap();
        assert_eq!(pass.bytes, 1000 + 4 * 20);
        assert!(pass.placements.is_empty() && pass.marginals.is_empty());
        let mut unprocessed = vec![0; 20];
        unprocessed[node.0 as usize] = places as u32;
        assert_eq!(pass.unprocessed_edges, unprocessed);
    }
}

#[test]
fn a_pass_polls_its_limits_after_a_certain_work() {
    let graph = SolutionGraph::unsatisfiable(1, 1);
    let interrupt = Arc::new(AtomicBool::new(false));
    let limits = Limits::default().interrupt(Arc::clone(&interrupt));
    let control = Control::new(&limits, false);
    let mut pass = pass(&graph, &control, &mut []);
    interrupt.store(true, Ordering::Relaxed);
    // A call is work by itself.
    for (cells, result) in [
        (WORK_PER_POLL - 24, Ok(())),
        (7, Ok(())),
        (0, Err(Stop::Interrupt)),
    ] {
        assert_eq!(pass.poll(cells), result);
    }
}
