//! Adds the solution graph of a component, from the layers that a sweep has kept.
//!
//! A combination is live if it lies on the way of a filling. At the meeting these are known: they lead to the combinations that both frontiers
//! lead to. From there the way goes back layer by layer: a combination is live if it leads to a live one of the layer behind.
//!
//! Every live combination is a node. Its cells are those of a line along the frontier and of all lines behind that line, seen from the near
//! end. An edge decides the cells of the line, and leads to a combination one line further. So the near frontier gives the nodes up to the
//! line of the meeting, the far frontier those behind it, and the combinations to which both lead join them.

use rustc_hash::FxHashMap;

use super::key::Key;
use super::lines::{Direction, End, Lines};
use super::resources::{CHUNK, Resources, SweepEnd};
use super::step::{FillingClass, MeetingStep, step};
use super::transition::Transition;
use crate::count::components::Store;
use crate::graph::{CellFate, CountList, EdgeForm, NodeId};
use crate::solutions::Count;

/// Combinations whose successors are generated between two polls of `stop`: each may have many thousands.
const SOURCES_PER_POLL: usize = 16;

/// Bytes charged for each node, and for each edge: they are in two lists while these are put together.
const BYTES_PER_NODE: u64 = 128;
const BYTES_PER_EDGE: u64 = 40;

/// The cells of a component in reading order: for each, the index of the line along the frontier that it is on.
#[derive(Debug)]
pub(super) struct CellOrder(Vec<usize>);

impl CellOrder {
    pub(super) fn new(lines: &Lines, direction: Direction) -> Self {
        let along = lines.along.iter().enumerate();
        CellOrder(match direction {
            Direction::Down => along
                .flat_map(|(at, line)| std::iter::repeat_n(at, line.crossings.len()))
                .collect(),
            Direction::Right => lines.crossed.concat(),
        })
    }

    /// The edges from the cells of this line, and of all behind it, that decide the cells of the line.
    fn edges(&self, lines: &Lines, line: usize) -> EdgeShape {
        let cells = lines.along[line].line_fillings.cells.iter().enumerate();
        let mut unknown = cells.filter_map(|(i, cell)| cell.is_none().then_some(i as u32));
        let here = self.0.iter().filter(|&&at| at >= line);
        let indices = here.map(|&at| if at == line { unknown.next() } else { None });
        EdgeShape(indices.collect())
    }

    /// The edges from the same cells that decide none of them.
    fn empty_edges(&self, line: usize) -> EdgeShape {
        let here = self.0.iter().filter(|&&at| at >= line);
        EdgeShape(here.map(|_| None).collect())
    }
}

/// What the edges of nodes with the same cells have in common: for each cell its index in the filling of a line, or `None` if it is left to
/// the child.
#[derive(Debug)]
struct EdgeShape(Vec<Option<u32>>);

impl EdgeShape {
    /// Whether an edge decides a cell.
    fn decides(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// The form of the edges that fill these cells of the line. Without a child, the line has all cells.
    fn form(&self, filled: u64, children: usize) -> EdgeForm {
        let fate = |cell: &Option<u32>| match cell {
            Some(i) => CellFate::from(filled >> i & 1 == 1),
            None => CellFate::Child(0),
        };
        EdgeForm::new(self.0.iter().map(fate), children)
    }
}

/// The nodes of a layer in order, each with the number of its fillings.
struct Nodes {
    /// `None` for combinations without cells, which have no nodes.
    ids: Option<Vec<NodeId>>,
    counts: CountList,
}

/// The edges of several nodes: for each node a range of edges, and for each edge the number of its child and the filled cells of the line.
#[derive(Debug, Default)]
struct Edges {
    ends: Vec<usize>,
    edges: Vec<(u32, u64)>,
}

impl Edges {
    /// The combinations among these that lead to live ones, with their edges: all their successors among these.
    fn new<K: Key>(
        from: &[K],
        transition: &Transition<'_, K>,
        to: &Live<K>,
        resources: &Resources<'_>,
    ) -> Result<(Vec<K>, Self), SweepEnd> {
        let chunks = resources.in_chunks(from, |_, chunk| {
            let (mut successors, mut found) = (transition.successors(true), Edges::default());
            let mut sources = Vec::new();
            for (i, &source) in chunk.iter().enumerate() {
                if i % SOURCES_PER_POLL == 0 {
                    resources.poll()?;
                }
                let before = found.edges.len();
                successors.for_each_traced(transition, source, |key, filled| {
                    let child = to.number(key);
                    found.edges.extend(child.map(|child| (child, filled)));
                });
                if found.edges.len() > before {
                    found.ends.push(found.edges.len());
                    sources.push(source);
                }
            }
            resources.charge(found.bytes())?;
            Ok((sources, found))
        })?;
        let (mut sources, mut all) = (Vec::new(), Edges::default());
        for (more_sources, chunk) in chunks {
            let before = all.edges.len();
            all.ends.extend(chunk.ends.iter().map(|end| before + end));
            all.edges.extend(chunk.edges);
            sources.extend(more_sources);
        }
        Ok((sources, all))
    }

    /// The bytes charged for it.
    fn bytes(&self) -> u64 {
        BYTES_PER_NODE * self.ends.len() as u64 + BYTES_PER_EDGE * self.edges.len() as u64
    }

    fn of(&self, node: usize) -> &[(u32, u64)] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[node]]
    }

    /// The same edges in the other direction: for each of the children, which are `children` in number, the nodes that lead to it.
    fn reversed(&self, children: usize, resources: &Resources<'_>) -> Result<Edges, SweepEnd> {
        let mut ends = vec![0; children + 1];
        self.edges
            .iter()
            .for_each(|&(child, _)| ends[child as usize + 1] += 1);
        for child in 0..children {
            ends[child + 1] += ends[child];
        }
        // The end of each child is moved from its first edge to behind its last one.
        let mut edges = vec![(0, 0); self.edges.len()];
        for node in 0..self.ends.len() {
            if node % CHUNK == 0 {
                resources.poll()?;
            }
            for &(child, filled) in self.of(node) {
                let end = &mut ends[child as usize];
                edges[*end] = (node as u32, filled);
                *end += 1;
            }
        }
        ends.truncate(children);
        let reversed = Edges { ends, edges };
        resources.reserve(reversed.bytes());
        resources.release(self.bytes());
        Ok(reversed)
    }

    /// Adds a node with these edges for each combination of a layer. A node with a single edge that decides nothing is its child.
    fn add(
        &self,
        children: &Nodes,
        shape: &EdgeShape,
        store: &Store,
        resources: &Resources<'_>,
    ) -> Result<Nodes, SweepEnd> {
        let (decides, child_number) = (shape.decides(), usize::from(children.ids.is_some()));
        // The edges that decide nothing have the same form.
        let form_of = |filled: u64| if decides { filled } else { 0 };
        let chunks = resources.in_chunks(&self.ends, |first, chunk| {
            let mut forms: FxHashMap<u64, EdgeForm> = FxHashMap::default();
            let mut added = Vec::with_capacity(chunk.len());
            for number in first..first + chunk.len() {
                let mut count = Count::ZERO;
                for &(child, filled) in self.of(number) {
                    count += &children.counts.get(child as usize);
                    let form = || shape.form(filled, child_number);
                    forms.entry(form_of(filled)).or_insert_with(form);
                }
                let node = match (self.of(number), &children.ids) {
                    (&[(child, _)], Some(ids)) if !decides => Some(ids[child as usize]),
                    (edges, ids) => {
                        let edges = edges.iter().map(|&(child, filled)| {
                            let child = child as usize;
                            let child = ids.as_ref().map_or(&[][..], |ids| &ids[child..=child]);
                            forms[&form_of(filled)].with_children(child)
                        });
                        store.add_node(edges, &count)
                    }
                };
                added.extend(node.map(|node| (node, count)));
            }
            // The graph shares the memory of the sweep, and has its own bound.
            let is_full = resources.remaining() == 0 || store.is_outgrown();
            match is_full || added.len() < chunk.len() {
                true => Err(SweepEnd::Full),
                false => Ok(added),
            }
        })?;
        let (mut ids, mut counts) = (Vec::with_capacity(self.ends.len()), CountList::default());
        for (node, count) in chunks.into_iter().flatten() {
            ids.push(node);
            counts.push(count);
        }
        Ok(Nodes {
            ids: Some(ids),
            counts,
        })
    }
}

/// The live combinations of a layer, numbered in order.
#[derive(Debug)]
struct Live<K> {
    keys: Vec<K>,
    numbers: FxHashMap<K, u32>,
}

impl<K: Key> Live<K> {
    /// Bytes charged for a combination: it is in a list and in a table, which may have twice as many places.
    const BYTES: u64 = (3 * size_of::<K>() + 10) as u64;

    /// These combinations, which are pairwise different.
    fn new(mut keys: Vec<K>, resources: &Resources<'_>) -> Result<Self, SweepEnd> {
        resources.charge(Self::BYTES * keys.len() as u64)?;
        // In this order, those that lead to the same combinations tend to be near each other, so nodes are found in the caches more often.
        keys.sort_unstable();
        let mut numbers = FxHashMap::with_capacity_and_hasher(keys.len(), Default::default());
        for (first, chunk) in (0..).step_by(CHUNK).zip(keys.chunks(CHUNK)) {
            resources.poll()?;
            numbers.extend(chunk.iter().copied().zip(first..));
        }
        Ok(Live { keys, numbers })
    }

    /// The combinations of a layer that lead to these. The layer, whose memory is charged, is freed.
    fn before(
        &self,
        layer: Vec<K>,
        transition: &Transition<'_, K>,
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        let live = resources.in_chunks(&layer, |_, chunk| {
            let (mut successors, mut live) = (transition.successors(false), Vec::new());
            for (i, &key) in chunk.iter().enumerate() {
                if i % SOURCES_PER_POLL == 0 {
                    resources.poll()?;
                }
                successors.begin(transition, key);
                // It ends early at a live one.
                let ended = successors.resume(transition, |key| self.number(key).is_none());
                live.extend((!ended).then_some(key));
            }
            Ok(live)
        })?;
        let live = Live::new(live.concat(), resources);
        resources.release(size_of_val(&layer[..]) as u64);
        live
    }

    /// The number of a combination, if it is live.
    #[inline]
    fn number(&self, key: K) -> Option<u32> {
        self.numbers.get(&key).copied()
    }
}

/// Adds the nodes of a component to the store. `near` and `far` are the layers of both frontiers, whose memory is charged: the combinations
/// before each line that they have passed, and the last ones. `met` are the combinations behind the line of the meeting to which both lead.
/// Returns the node of the whole component. [`SweepEnd::Full`] if the memory, or that of the graph, does not suffice.
pub(super) fn add_nodes<K: Key>(
    lines: &Lines,
    cells: &CellOrder,
    [near, mut far]: [Vec<Vec<K>>; 2],
    met: Vec<K>,
    store: &Store,
    resources: &Resources<'_>,
) -> Result<NodeId, SweepEnd> {
    let at = near.len() - 1;
    let meeting = MeetingStep::new(lines, at);
    let all = FillingClass::default();
    // The transition of a frontier from its layer with this index.
    let transition = |end: End, passed: usize, last: usize| match passed == last {
        true => meeting.transition(end, &all),
        false => step(lines, end, passed),
    };
    let add = |edges: Edges, children: &Nodes, shape: EdgeShape| {
        let nodes = edges.add(children, &shape, store, resources);
        resources.release(edges.bytes());
        nodes
    };

    // The live combinations of the far frontier, from the meeting on.
    let last_far = far.len() - 1;
    let met = Live::new(met, resources)?;
    let mut live: Vec<Live<K>> = Vec::with_capacity(far.len());
    while let Some(layer) = far.pop() {
        let across = transition(End::Far, far.len(), last_far);
        let behind = live.last().unwrap_or(&met);
        live.push(behind.before(layer, &across, resources)?);
    }
    // Before its first line, it has one combination, without cells.
    let mut nodes = Nodes {
        ids: None,
        counts: CountList::default(),
    };
    nodes.counts.push(Count::ONE);
    while let Some(before) = live.pop() {
        let passed = last_far - live.len();
        let across = transition(End::Far, passed, last_far);
        let behind = live.last().unwrap_or(&met);
        let (_, edges) = Edges::new(&before.keys, &across, behind, resources)?;
        let edges = edges.reversed(behind.keys.len(), resources)?;
        nodes = add(
            edges,
            &nodes,
            cells.edges(lines, lines.along.len() - 1 - passed),
        )?;
    }
    let mut behind = met;
    for (passed, mut layer) in near.into_iter().enumerate().rev() {
        let across = transition(End::Near, passed, at);
        // The order of live combinations.
        layer.sort_unstable();
        let (sources, edges) = Edges::new(&layer, &across, &behind, resources)?;
        resources.release(size_of_val(&layer[..]) as u64);
        let shape = match passed == at {
            true => cells.empty_edges(at),
            false => cells.edges(lines, passed),
        };
        nodes = add(edges, &nodes, shape)?;
        behind = Live::new(sources, resources)?;
    }
    let node = nodes.ids.and_then(|ids| ids.first().copied());
    node.ok_or(SweepEnd::Full)
}
