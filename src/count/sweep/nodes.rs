//! Adds the solution graph of a component, from the layers that a sweep has kept.
//!
//! Every [live](super::live) combination is a node. Its cells are those of a line along the frontier and of all lines behind that line, seen
//! from the near end. An edge decides the cells of the line, and leads to a combination one line further. So the near frontier gives the
//! nodes up to the line of the meeting, the far frontier those behind it, and the combinations to which both lead join them.

use rustc_hash::FxHashMap;

use super::allowance::{Direction, SweepEnd};
use super::filling_class::FillingClass;
use super::key::Key;
use super::lines::{End, Lines};
use super::live::{Live, Passed, SOURCES_PER_POLL};
use super::resources::{CHUNK, Resources};
use super::step::{MeetingStep, Step};
use super::transition::Transition;
use crate::count::components::{Component, Store};
use crate::graph::{CellFate, CountList, EdgeForm, NodeId};
use crate::line::Word;
use crate::solutions::Count;

/// Bytes charged for each node, and for each edge: they are in two lists while these are put together.
const BYTES_PER_NODE: u64 = 128;
const BYTES_PER_EDGE: u64 = 40;

/// The cells of a component in reading order: for each, the index of the line along the frontier that it is on.
#[derive(Debug)]
pub(super) struct CellOrder(Vec<usize>);

impl CellOrder {
    pub(super) fn new<W: Word>(component: &Component<W>, direction: Direction) -> Self {
        let mut all = W::ZERO;
        component.rows.iter().for_each(|&(_, cells)| all |= cells);
        let rows = component.rows.iter().enumerate();
        let line = |(row, cells): (usize, W)| {
            cells.cells().map(move |column| match direction {
                Direction::Down => row,
                Direction::Right => (all & W::low(column)).count(),
            })
        };
        CellOrder(
            rows.map(|(i, &(_, cells))| (i, cells))
                .flat_map(line)
                .collect(),
        )
    }

    /// The edges from the cells of this line, and of all behind it, that decide the cells of the line.
    fn edges(&self, lines: &Lines, line: usize) -> EdgeShape {
        let cells = lines.along[line].line_fillings.cells.iter().enumerate();
        let mut unknown = cells.filter_map(|(i, cell)| cell.is_none().then_some(i as u32));
        let here = self.0.iter().filter(|&&at| at >= line);
        EdgeShape(
            here.map(|&at| (at == line).then(|| unknown.next()).flatten())
                .collect(),
        )
    }

    /// The edges from the same cells that decide none of them.
    fn empty_edges(&self, line: usize) -> EdgeShape {
        EdgeShape(
            self.0
                .iter()
                .filter(|&&at| at >= line)
                .map(|_| None)
                .collect(),
        )
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

/// The forms of edges of the same shape, by their filled cells.
#[derive(Default)]
struct EdgeForms {
    indices: FxHashMap<u64, u32>,
    forms: Vec<EdgeForm>,
}

impl EdgeForms {
    fn index(&mut self, shape: &EdgeShape, filled: u64, children: usize) -> u32 {
        *self.indices.entry(filled).or_insert_with(|| {
            self.forms.push(shape.form(filled, children));
            self.forms.len() as u32 - 1
        })
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
    /// The edges from these combinations to live ones: all their successors among these.
    fn new<K: Key>(
        from: &Live<K>,
        transition: &Transition<'_, K>,
        to: &Live<K>,
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        let chunks = resources.in_chunks(&from.keys, |_, chunk| {
            let (mut successors, mut found) = (transition.traced_successors(), Edges::default());
            for (i, &source) in chunk.iter().enumerate() {
                if i % SOURCES_PER_POLL == 0 && (resources.stop)() {
                    return Err(SweepEnd::Stopped);
                }
                successors.for_each_traced(transition, source, |key, filled| {
                    let child = to.number(key);
                    found.edges.extend(child.map(|child| (child, filled)));
                });
                found.ends.push(found.edges.len());
            }
            match resources.memory.try_reserve(found.bytes()) {
                true => Ok(found),
                false => Err(SweepEnd::Full),
            }
        })?;
        let mut all = Edges::default();
        for chunk in chunks {
            let before = all.edges.len();
            all.ends.extend(chunk.ends.iter().map(|end| before + end));
            all.edges.extend(chunk.edges);
        }
        Ok(all)
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
            if node % CHUNK == 0 && (resources.stop)() {
                return Err(SweepEnd::Stopped);
            }
            for &(child, filled) in self.of(node) {
                let end = &mut ends[child as usize];
                edges[*end] = (node as u32, filled);
                *end += 1;
            }
        }
        ends.truncate(children);
        let reversed = Edges { ends, edges };
        resources.memory.reserve(reversed.bytes());
        resources.memory.release(self.bytes());
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
        let chunks = resources.in_chunks(&self.ends, |first, chunk| {
            let (mut forms, mut parts) = (EdgeForms::default(), Vec::new());
            let mut added = Vec::with_capacity(chunk.len());
            for number in first..first + chunk.len() {
                let mut count = Count::ZERO;
                parts.clear();
                for &(child, filled) in self.of(number) {
                    let child = child as usize;
                    count += &children.counts.get(child);
                    let filled = if decides { filled } else { 0 };
                    let form = forms.index(shape, filled, child_number);
                    parts.push((form, children.ids.as_ref().map(|ids| ids[child])));
                }
                let node = match parts[..] {
                    [(_, Some(child))] if !decides => Some(child),
                    _ => {
                        let edges = parts.iter().map(|(form, child)| {
                            forms.forms[*form as usize].with_children(child.as_slice())
                        });
                        store.add_node(edges, &count)
                    }
                };
                added.extend(node.map(|node| (node, count)));
            }
            // The graph shares the memory of the sweep, and has its own bound.
            let is_full = resources.memory.remaining() == 0 || store.is_outgrown();
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

/// Adds the nodes of a component to the store, from what both frontiers have passed. `met` are the combinations behind the line of the meeting
/// to which both lead. Returns the node of the whole component. [`SweepEnd::Full`] if the memory, or that of the graph, does not suffice.
pub(super) fn add_nodes<K: Key>(
    lines: &Lines,
    cells: &CellOrder,
    [near, far]: [Passed<K>; 2],
    met: Vec<K>,
    store: &Store,
    resources: &Resources<'_>,
) -> Result<NodeId, SweepEnd> {
    // The numbers of lines that they have passed.
    let (at, far_passed) = (near.layers.len() - 1, far.layers.len() - 1);
    let (near_depths, far_depths) = (near.depths(lines), far.depths(lines));
    let (last_near, last_far) = (&near_depths[at], &far_depths[far_passed]);
    let step = MeetingStep::new(lines, at, last_near, last_far);
    let all = FillingClass::default();
    let near_across = step.transition(End::Near, &all);
    let far_across = step.transition(End::Far, &all);
    let met = Live::new(met, resources)?;
    let find_near = || near.live(lines, &met, &near_across, resources);
    let find_far = || far.live(lines, &met, &far_across, resources);
    // Each is alone on a thread for a part of its time.
    let (live_near, live_far) = match resources.threads {
        1 => (find_near()?, find_far()?),
        _ => {
            let (live_near, live_far) = rayon::join(find_near, find_far);
            (live_near?, live_far?)
        }
    };
    let add = |edges: Edges, children: &Nodes, shape: EdgeShape| {
        let nodes = edges.add(children, &shape, store, resources);
        resources.memory.release(edges.bytes());
        nodes
    };

    // Before its first line, the far frontier has one combination, without cells.
    let mut nodes = Nodes {
        ids: None,
        counts: CountList::default(),
    };
    nodes.counts.push(Count::ONE);
    for (i, live) in live_far.windows(2).enumerate() {
        let step = Step::new(lines, End::Far, i, &far_depths[i]);
        let edges = Edges::new(&live[0], &step.transition, &live[1], resources)?;
        let edges = edges.reversed(live[1].keys.len(), resources)?;
        nodes = add(edges, &nodes, cells.edges(lines, lines.along.len() - 1 - i))?;
    }
    let edges = Edges::new(&live_far[far_passed], &far_across, &met, resources)?;
    let edges = edges.reversed(met.keys.len(), resources)?;
    nodes = add(edges, &nodes, cells.edges(lines, at))?;
    let edges = Edges::new(&live_near[at], &near_across, &met, resources)?;
    nodes = add(edges, &nodes, cells.empty_edges(at))?;
    for (i, live) in live_near.windows(2).enumerate().rev() {
        let step = Step::new(lines, End::Near, i, &near_depths[i]);
        let edges = Edges::new(&live[0], &step.transition, &live[1], resources)?;
        nodes = add(edges, &nodes, cells.edges(lines, i))?;
    }
    let node = nodes.ids.and_then(|ids| ids.first().copied());
    node.ok_or(SweepEnd::Full)
}
