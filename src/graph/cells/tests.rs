use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::builder::Builder;
use super::super::edge::{CellFate, Edge, NodeId};
use super::super::places::{passage_bytes, place_bytes};
use super::*;
use crate::puzzle::Grid;

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
fn check_memory(graph: &SolutionGraph, held: u64) {
    let cells = graph.width() * graph.height();
    let lists = size_of::<Count>() * cells + size_of::<NodeState>() * graph.nodes();
    let bytes = graph.bytes() + lists as u64 + held;
    let stop = |bytes| graph.cells_within(&Limits::default().memory(bytes)).err();
    assert_eq!(stop(bytes), None);
    assert_eq!(stop(bytes - 1), Some(Stop::Memory));
}

/// Bytes of a place with this number of cells.
fn place(cells: usize) -> u64 {
    place_bytes(&vec![0; cells])
}

#[test]
fn what_a_pass_holds_is_within_the_memory_limit() {
    check_memory(&SolutionGraph::unsatisfiable(5, 7), 0);
    // Each of the two edges of the pair at each of the places.
    for places in 1..=4 {
        let mut builder = Builder::new();
        let node = pair(&mut builder);
        let graph = rows(builder, node, 2, places);
        let places = places as u64;
        check_memory(&graph, places * (place(2) + 2 * passage_bytes(0)));
    }
    // With five places: the placements besides the first one, the references to the nodes, and the marginals.
    let of_five = |cells, nodes: u64| 5 * place(cells) + 4 * PLACEMENT_BYTES + 4 * nodes;
    let mut builder = Builder::new();
    let node = pair(&mut builder);
    check_memory(&rows(builder, node, 2, 5), of_five(2, 1) + 8 * 2);
    // The marginal of the pair is needed until that of the pairs is complete.
    let mut builder = Builder::new();
    let node = pairs(&mut builder);
    let marginals = 8 * 2 + (size_of::<Count>() * 128) as u64;
    check_memory(&rows(builder, node, 128, 5), of_five(128, 2) + marginals);
    // Of a chain only two marginals are held at a time.
    let mut builder = Builder::new();
    let node = free(&mut builder, 20);
    check_memory(&rows(builder, node, 20, 5), of_five(20, 20) + 8 * (20 + 19));
}

#[test]
fn places_that_no_node_has_any_more_are_forgotten() {
    const CELLS: usize = 300;
    let mut builder = Builder::new();
    let node = free(&mut builder, CELLS);
    let graph = rows(builder, node, CELLS, 1);
    let all: u64 = (1..=CELLS)
        .map(|cells| place(cells) + 2 * passage_bytes(1))
        .sum();
    let lists = (size_of::<Count>() + size_of::<NodeState>()) * CELLS;
    // The counts have up to 300 bits, and each node has a weight.
    let memory = graph.bytes() + lists as u64 + LARGE_WEIGHT_BYTES * 2 + all / 2;
    let cells = graph.cells_within(&Limits::default().memory(memory));
    let half = number(1, CELLS as u64 - 1, 0);
    assert_eq!(cells.unwrap().filled(Cell::new(0, CELLS - 1)), &half);
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
        let mut pass = Pass::new(&graph, &control, &mut filled, 1000, u64::MAX);
        pass.run().unwrap();
        let states = 20 * size_of::<NodeState>() as u64;
        assert!(pass.more_placements.is_empty() && pass.marginals.is_empty());
        let unvisited = |node: &NodeState| node.place == NO_PLACE && node.weight == 0;
        assert!(pass.nodes.iter().all(unvisited));
        let has_marginals = places > MAX_PLACEMENTS;
        assert_eq!(
            pass.bytes,
            1000 + states + if has_marginals { 80 } else { 0 }
        );
        let mut unprocessed = vec![0; if has_marginals { 20 } else { 0 }];
        if has_marginals {
            unprocessed[node.0 as usize] = places as u32;
        }
        assert_eq!(pass.unprocessed, unprocessed);
    }
}

/// A weight that does not fit into a state is kept elsewhere, and its room is used again.
#[test]
fn weights_of_any_size_add_up() {
    let mut builder = Builder::new();
    let node = free(&mut builder, 3);
    let graph = rows(builder, node, 3, 1);
    let control = Control::new(&Limits::default(), false);
    let mut filled = vec![Count::ZERO; 3];
    let mut pass = Pass::new(&graph, &control, &mut filled, 0, u64::MAX);
    pass.nodes = vec![UNVISITED; 3];
    let mut taken = Vec::new();
    for _ in 0..2 {
        for node in [1, 2] {
            for weight in [number(1, 62, 5), number(1, 62, 0), number(1, 200, 1)] {
                pass.add_placement(node, 7, weight).unwrap();
            }
        }
        for node in [2, 0, 1] {
            pass.take_placements(node, &mut taken);
            let weights: Vec<Count> = taken.iter().map(|it| it.weight.clone()).collect();
            let mut sum = number(1, 200, 6);
            sum += &number(1, 63, 0);
            assert_eq!(weights, if node == 0 { vec![] } else { vec![sum] });
        }
    }
    assert_eq!((pass.large_weights.len(), pass.free_weights.len()), (2, 2));
}

#[test]
fn a_pass_polls_its_limits_after_a_certain_work() {
    let graph = SolutionGraph::unsatisfiable(1, 1);
    let interrupt = Arc::new(AtomicBool::new(false));
    let limits = Limits::default().interrupt(Arc::clone(&interrupt));
    let control = Control::new(&limits, false);
    let mut pass = Pass::new(&graph, &control, &mut [], 1000, u64::MAX);
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
