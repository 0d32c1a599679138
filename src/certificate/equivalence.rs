//! Whether a decision-DNNF has the solutions of a puzzle as its models, each once.
//!
//! The check goes from the root down. At every node it knows a *context*: for each line, which words the cells of the node may still hold
//! together, given the literals on the path to the node. It checks that
//!
//! - the edges of an or-node are the cases of decisions: two edges, or groups of edges, disagree on a cell that is in all of them;
//! - every other literal of an edge holds in all solutions of its context and case: line by line to a fixpoint; or because its opposite
//!   leads to a contradiction line by line; or else by a lemma, a clause that is known to hold, whose other literals are false on the path;
//! - the nodes of a product have different cells, and each line is a product of words over them;
//! - at the end of every path all cells are decided, and every line has a word that is in its clue.
//!
//! The first two say that no solution is lost, the last that every model is a solution. A node is checked once for each context: a list of
//! numbers of [languages](super::language), which are equal for equal sets of words, so nodes that a counter shares mostly have one.
//!
//! A lemma holds in every solution of the whole puzzle, but a context says only what the cells of its node may hold. The lemma may be used
//! nevertheless. Suppose that these cells could be filled as the context allows, but against the literal. The other nodes of the products on
//! the path are checked too, so each of them has a model. These models, the literals on the path and that filling together would be a
//! solution of the puzzle that violates the lemma, so there is no such filling.

use std::collections::hash_map::Entry;
use std::rc::Rc;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::formula::{Formula, NodeKind};
use super::language::{self, END, Language, LanguageStore, NOTHING, Value};
use super::text::{Bounds, STOP_INTERVAL_STEPS, out_of_memory};
use crate::error::{Error, Result};
use crate::puzzle::Puzzle;

/// What the check of a formula found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// Number of solutions.
    pub solutions: BigUint,
    /// Number of nodes that were checked, each as often as there are contexts in which it is reached.
    pub contexts: u64,
    /// Number of literals for which a lemma was needed.
    pub lemmas: u64,
}

/// Checks that the models of a formula are the solutions of a puzzle, and counts them.
///
/// `lemma` is called for a literal that propagation does not prove, with the literals that hold on the path, and returns whether a clause
/// is known that consists of the literal and opposites of those.
///
/// O(contexts · cells), and for every line that changes the size of its diagram.
///
/// # Errors
///
/// [`Kind::Data`](crate::error::Kind::Data), naming the node, if this cannot be shown; what ends the check by its bounds;
/// errors of `lemma`.
pub fn check_formula(
    puzzle: &Puzzle,
    formula: &Formula,
    lemma: &mut dyn FnMut(&[i32], i32) -> Result<bool>,
    bounds: &mut Bounds<'_>,
) -> Result<Checked> {
    let mut store = LanguageStore::new();
    let mut root_context = Vec::new();
    for (line, clue) in puzzle.lines() {
        let poll = |bytes| poll(bounds, bytes, formula.bytes());
        root_context.push(store.of_clue(clue, puzzle.length(line), poll)?);
    }
    for (cell, filled) in puzzle.given_cells() {
        for (line, place) in [
            (cell.row.into(), cell.column),
            (puzzle.height() + usize::from(cell.column), cell.row),
        ] {
            root_context[line] = store.with(root_context[line], (place, filled));
        }
    }
    let mut checker = Checker {
        formula,
        width: puzzle.width() as u32,
        height: puzzle.height() as u32,
        workspace: Workspace {
            store,
            bounds,
            other_bytes: formula.bytes(),
            unpolled_steps: 0,
        },
        lemma,
        pending: FxHashMap::default(),
        paths: Vec::new(),
        lemmas: 0,
    };
    let cells: Rc<[u32]> = (1..=checker.width * checker.height).collect();
    checker.reach(0, &cells, root_context.into(), NO_PATH, 0)?;
    for &node in &formula.order {
        if let Some(pending) = checker.pending.remove(&node) {
            let bytes = cells_bytes(&pending.cells);
            let layout = Layout::new(pending.cells, checker.width, checker.height);
            checker.workspace.other_bytes -= bytes;
            checker.workspace.other_bytes += layout.bytes();
            for (context, path) in pending.contexts {
                checker.workspace.other_bytes -= context_bytes(&context);
                checker.check_node(&Visit {
                    node,
                    layout: &layout,
                    context: &context,
                    path,
                })?;
            }
            checker.workspace.other_bytes -= layout.bytes();
        }
    }
    let other_bytes = checker.workspace.other_bytes;
    let solutions = formula.count(|bytes| {
        checker.workspace.other_bytes = other_bytes + bytes;
        checker.workspace.work(1 << 8)
    })?;
    Ok(Checked {
        solutions,
        contexts: checker.paths.len() as u64,
        lemmas: checker.lemmas,
    })
}

/// What the whole check shares: all languages, and its bounds.
struct Workspace<'a, 'b> {
    store: LanguageStore,
    bounds: &'a mut Bounds<'b>,
    /// Approximate memory besides the store.
    other_bytes: u64,
    unpolled_steps: usize,
}

impl Workspace<'_, '_> {
    /// Fails if a bound is reached.
    fn poll(&mut self) -> Result<()> {
        self.unpolled_steps = 0;
        poll(self.bounds, self.store.bytes(), self.other_bytes)
    }

    /// Counts work, in steps of a few nanoseconds, and polls at intervals.
    fn work(&mut self, steps: usize) -> Result<()> {
        self.unpolled_steps += steps;
        if self.unpolled_steps >= STOP_INTERVAL_STEPS {
            self.poll()?;
        }
        Ok(())
    }
}

/// Fails if a bound is reached by a check whose languages and everything else have this approximate memory.
fn poll(bounds: &mut Bounds<'_>, language_bytes: u64, other_bytes: u64) -> Result<()> {
    if language_bytes > language::MAX_BYTES {
        return Err(out_of_memory(CHECK));
    }
    bounds.check_memory(other_bytes.saturating_add(language_bytes), CHECK)?;
    bounds.poll(CHECK)
}

/// What the errors of bounds name.
const CHECK: &str = "the check";

/// Approximate memory of a context with its entry in the hash table, which is up to half empty and is copied when it grows.
fn context_bytes(context: &[Language]) -> u64 {
    (size_of_val(context) + 96) as u64
}

/// Approximate memory of the cells of a node with the table of its contexts.
fn cells_bytes(cells: &[u32]) -> u64 {
    (size_of_val(cells) + 128) as u64
}

/// The path to the root, which has no edge.
const NO_PATH: u32 = u32::MAX;

/// The cells of a node, and the lines that they are in.
#[derive(Debug)]
struct Layout {
    /// Their variables, in increasing order.
    cells: Rc<[u32]>,
    /// For each cell, its two lines, as indices into `lines`, and its index in them.
    places: Vec<[(u32, u16); 2]>,
    /// For each line with cells, the indices of its cells, in order.
    lines: Vec<Vec<u32>>,
}

impl Layout {
    fn new(cells: Rc<[u32]>, width: u32, height: u32) -> Self {
        let mut lines: Vec<Vec<u32>> = vec![Vec::new(); (width + height) as usize];
        for (index, &cell) in (0..).zip(cells.iter()) {
            let (row, column) = ((cell - 1) / width, (cell - 1) % width);
            lines[row as usize].push(index);
            lines[(height + column) as usize].push(index);
        }
        lines.retain(|cells| !cells.is_empty());
        let mut places = vec![[(0, 0); 2]; cells.len()];
        for (line, cells) in (0..).zip(&lines) {
            for (place, &index) in (0..).zip(cells) {
                // A cell comes twice, first by its row: the place before moves to the first entry.
                let [row, column] = &mut places[index as usize];
                *row = std::mem::replace(column, (line, place));
            }
        }
        Layout {
            cells,
            places,
            lines,
        }
    }

    /// Approximate memory, in bytes.
    fn bytes(&self) -> u64 {
        let cells = size_of_val(&*self.places) + 2 * size_of_val(&*self.cells);
        (cells + size_of_val(&*self.lines)) as u64
    }

    /// The index of a variable.
    fn index(&self, variable: u32) -> Option<usize> {
        self.cells.binary_search(&variable).ok()
    }
}

/// What is known in a context after some assumptions, to a fixpoint of its lines.
#[derive(Clone, Debug)]
struct State {
    /// The language of each line.
    languages: Vec<Language>,
    /// For each cell 1 if it is filled, -1 if it is empty, 0 if it is unknown.
    values: Vec<i8>,
}

impl State {
    /// Approximate memory, in bytes.
    fn bytes(&self) -> u64 {
        (size_of_val(&*self.languages) + size_of_val(&*self.values)) as u64
    }

    /// Adds the value of a cell and what follows from it; `false` if nothing is left.
    fn assume(
        &mut self,
        workspace: &mut Workspace<'_, '_>,
        layout: &Layout,
        cell: usize,
        filled: bool,
    ) -> Result<bool> {
        let value = if filled { 1 } else { -1 };
        if self.values[cell] != 0 {
            return Ok(self.values[cell] == value);
        }
        self.values[cell] = value;
        let changed = layout.places[cell].map(|(line, place)| {
            let language = &mut self.languages[line as usize];
            *language = workspace.store.with(*language, (place, filled));
            line
        });
        self.propagate(workspace, layout, changed.into())
    }

    /// Takes over what every word of a changed line has, until nothing changes; `false` if a line has no word left.
    fn propagate(
        &mut self,
        workspace: &mut Workspace<'_, '_>,
        layout: &Layout,
        mut changed: Vec<u32>,
    ) -> Result<bool> {
        while let Some(line) = changed.pop() {
            workspace.poll()?;
            let language = self.languages[line as usize];
            if language == NOTHING {
                return Ok(false);
            }
            for &(place, filled) in workspace.store.forced(language).iter() {
                let cell = layout.lines[line as usize][usize::from(place)] as usize;
                if self.values[cell] != 0 {
                    // A crossing line that says the opposite has no word left, and is among the changed.
                    continue;
                }
                self.values[cell] = if filled { 1 } else { -1 };
                let [row, column] = layout.places[cell];
                let (other, place) = if row.0 == line { column } else { row };
                let language = &mut self.languages[other as usize];
                *language = workspace.store.with(*language, (place, filled));
                if !changed.contains(&other) {
                    changed.push(other);
                }
            }
        }
        Ok(true)
    }
}

/// A node that is reached, and the contexts in which it is.
#[derive(Debug)]
struct Pending {
    cells: Rc<[u32]>,
    /// Each context with its path.
    contexts: FxHashMap<Box<[Language]>, u32>,
}

struct Checker<'a, 'b> {
    formula: &'a Formula,
    width: u32,
    height: u32,
    workspace: Workspace<'a, 'b>,
    lemma: &'a mut dyn FnMut(&[i32], i32) -> Result<bool>,
    pending: FxHashMap<u32, Pending>,
    /// For each context one path to it: the number of the path to the node before it, and the edge from there.
    paths: Vec<(u32, u32)>,
    lemmas: u64,
}

impl Checker<'_, '_> {
    /// A node is reached in this context, along an edge at the end of a path.
    fn reach(
        &mut self,
        node: u32,
        cells: &[u32],
        context: Box<[Language]>,
        path: u32,
        edge: u32,
    ) -> Result<()> {
        let other_cells = || wrong(node, "its cells are not those that are still undecided");
        let pending = match self.pending.entry(node) {
            Entry::Occupied(pending) => pending.into_mut(),
            Entry::Vacant(place) => {
                self.workspace.work(8 * cells.len())?;
                let has_number = self.formula.variable_count(node) == cells.len();
                if !has_number || self.formula.variables(node) != cells {
                    return Err(other_cells());
                }
                self.workspace.other_bytes += cells_bytes(cells);
                let contexts = FxHashMap::default();
                let cells = cells.into();
                place.insert(Pending { cells, contexts })
            }
        };
        if *pending.cells != *cells {
            return Err(other_cells());
        }
        // Its path is kept, and so never subtracted.
        let bytes = context_bytes(&context) + size_of::<(u32, u32)>() as u64;
        pending.contexts.entry(context).or_insert_with(|| {
            self.workspace.other_bytes += bytes;
            self.paths.push((path, edge));
            self.paths.len() as u32 - 1
        });
        Ok(())
    }

    /// Checks an or-node in one context.
    fn check_node(&mut self, visit: &Visit<'_>) -> Result<()> {
        let (node, layout) = (visit.node, visit.layout);
        let mut state = State {
            languages: visit.context.to_vec(),
            values: vec![0; layout.cells.len()],
        };
        let all = (0..layout.lines.len() as u32).collect();
        if !state.propagate(&mut self.workspace, layout, all)? {
            return Err(wrong(node, "its context has no solution"));
        }
        let mut edges: Vec<Edge> = Vec::new();
        // One state for each group of edges, of which few are open at a time, and one that is tried.
        let groups = 2 + self.formula.edges(node).len().ilog2();
        let mut bytes = u64::from(groups) * state.bytes();
        self.workspace.other_bytes += bytes;
        for &edge in self.formula.edges(node) {
            let literals = self.formula.literals(edge);
            self.workspace.work(8 * literals.len())?;
            let mut decided: Vec<(usize, bool)> = Vec::with_capacity(literals.len());
            for &literal in literals {
                let index = layout.index(literal.unsigned_abs());
                let of_decided = || wrong(node, "an edge has a literal of a decided cell");
                decided.push((index.ok_or_else(of_decided)?, literal > 0));
            }
            decided.sort_unstable();
            if decided.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(wrong(node, "an edge has two literals of one cell"));
            }
            let number = edge;
            let edge = Edge { number, decided };
            bytes += edge.bytes();
            self.workspace.other_bytes += edge.bytes();
            edges.push(edge);
        }
        self.check_edges(visit, &edges, state)?;
        self.workspace.other_bytes -= bytes;
        Ok(())
    }

    /// Checks that these edges are the cases of what the state allows.
    fn check_edges(&mut self, visit: &Visit<'_>, edges: &[Edge], state: State) -> Result<()> {
        // Groups of edges, each with the state in which it is to be all cases.
        let mut groups: Vec<(Vec<&Edge>, State)> = vec![(edges.iter().collect(), state)];
        while let Some((edges, mut state)) = groups.pop() {
            if let [edge] = edges[..] {
                self.check_literals(visit, &edge.decided, &mut state)?;
                self.follow(visit, edge.number, &edge.decided)?;
                continue;
            }
            let cell = self.decision(visit.node, &edges)?;
            let first = groups.len();
            for filled in [false, true] {
                let mut state = state.clone();
                if !state.assume(&mut self.workspace, visit.layout, cell, filled)? {
                    return Err(wrong(visit.node, "an edge has no solution"));
                }
                let group = edges.iter().copied();
                let group = group.filter(|edge| edge.value(cell) == Some(filled));
                groups.push((group.collect(), state));
            }
            // The smaller group comes next, so no more are open than the logarithm of the number of edges.
            if groups[first].0.len() < groups[first + 1].0.len() {
                groups.swap(first, first + 1);
            }
        }
        Ok(())
    }

    /// The first cell that is in all of these edges, not with the same value.
    fn decision(&mut self, node: u32, edges: &[&Edge]) -> Result<usize> {
        for &(cell, filled) in &edges[0].decided {
            self.workspace.work(8 * edges.len())?;
            let mut differs = false;
            let is_in_all = edges.iter().all(|edge| {
                let value = edge.value(cell);
                differs |= value == Some(!filled);
                value.is_some()
            });
            if is_in_all && differs {
                return Ok(cell);
            }
        }
        Err(wrong(node, "its edges do not decide a cell both ways"))
    }

    /// Checks that these values hold in all solutions that the state allows.
    fn check_literals(
        &mut self,
        visit: &Visit<'_>,
        decided: &[(usize, bool)],
        state: &mut State,
    ) -> Result<()> {
        let layout = visit.layout;
        let contradiction = || wrong(visit.node, "an edge has no solution");
        let mut open: Vec<(usize, bool)> = decided.to_vec();
        loop {
            let before = open.len();
            let mut kept = Vec::new();
            for (cell, filled) in open {
                if state.values[cell] == 0 {
                    let mut opposite = state.clone();
                    if opposite.assume(&mut self.workspace, layout, cell, !filled)? {
                        kept.push((cell, filled));
                        continue;
                    }
                }
                if !state.assume(&mut self.workspace, layout, cell, filled)? {
                    return Err(contradiction());
                }
            }
            open = kept;
            if open.is_empty() {
                return Ok(());
            }
            if open.len() == before {
                break;
            }
        }
        // The literals on the path, and all of the edge that are proved.
        let literal = |&(cell, filled): &(usize, bool)| {
            let variable = layout.cells[cell] as i32;
            if filled { variable } else { -variable }
        };
        let mut holding = self.literals_on(visit.path);
        let mut unproved = open.iter().peekable();
        let proved = decided.iter();
        let proved = proved.filter(|value| unproved.next_if_eq(value).is_none());
        holding.extend(proved.map(literal));
        for value in open {
            if state.values[value.0] == 0 {
                self.workspace.poll()?;
                self.lemmas += 1;
                if !(self.lemma)(&holding, literal(&value))? {
                    let cell = layout.cells[value.0] - 1;
                    let (row, column) = (cell / self.width + 1, cell % self.width + 1);
                    let message = format!("row {row} column {column} is not shown to be decided");
                    return Err(wrong(visit.node, &message));
                }
            }
            if !state.assume(&mut self.workspace, layout, value.0, value.1)? {
                return Err(contradiction());
            }
            holding.push(literal(&value));
        }
        Ok(())
    }

    /// The literals of all edges on a path.
    fn literals_on(&self, mut path: u32) -> Vec<i32> {
        let mut literals = Vec::new();
        while let Some(&(before, edge)) = self.paths.get(path as usize)
            && before != NO_PATH
        {
            literals.extend(self.formula.literals(edge));
            path = before;
        }
        literals
    }

    /// Reaches the node behind an edge.
    fn follow(&mut self, visit: &Visit<'_>, edge: u32, decided: &[(usize, bool)]) -> Result<()> {
        let (layout, node) = (visit.layout, visit.node);
        let mut values: Vec<Vec<Value>> = vec![Vec::new(); layout.lines.len()];
        let mut is_decided = vec![false; layout.cells.len()];
        // In increasing order of cells, so also along each line.
        for &(cell, filled) in decided {
            is_decided[cell] = true;
            for (line, place) in layout.places[cell] {
                values[line as usize].push((place, filled));
            }
        }
        let mut lines = Vec::new();
        for (line, cells) in layout.lines.iter().enumerate() {
            let store = &mut self.workspace.store;
            let language = store.without(visit.context[line], &values[line]);
            if language == NOTHING {
                return Err(wrong(node, "an edge has a model that is not a solution"));
            }
            let steps = 8 * store.last_work() + cells.len();
            self.workspace.work(steps)?;
            let mut cells = cells.clone();
            cells.retain(|&cell| !is_decided[cell as usize]);
            if !cells.is_empty() {
                lines.push((language, cells));
            } else if language != END {
                return Err(wrong(node, "a line is longer than its cells"));
            }
        }
        let mut left = layout.cells.to_vec();
        let mut is_decided = is_decided.into_iter();
        left.retain(|_| is_decided.next() == Some(false));
        let to = self.formula.target(edge);
        match self.formula.kind(to) {
            NodeKind::True if left.is_empty() => Ok(()),
            NodeKind::True => Err(wrong(node, "an edge ends before all cells are decided")),
            NodeKind::Or => {
                let context = lines.iter().map(|&(language, _)| language).collect();
                self.reach(to, &left, context, visit.path, edge)
            }
            NodeKind::And => self.follow_product(visit, edge, &left, &lines),
        }
    }

    /// Reaches the nodes of a product. `left`: the undecided cells; `lines`: for each line with such cells its language and their indices.
    fn follow_product(
        &mut self,
        visit: &Visit<'_>,
        edge: u32,
        left: &[u32],
        lines: &[(Language, Vec<u32>)],
    ) -> Result<()> {
        let node = visit.node;
        let edges = self.formula.edges(self.formula.target(edge)).iter();
        let factors: Vec<u32> = edges.map(|&edge| self.formula.target(edge)).collect();
        const NOBODY: u32 = u32::MAX;
        let counts = factors.iter().map(|&to| self.formula.variable_count(to));
        if counts.sum::<usize>() != left.len() {
            let message = "a product does not have all undecided cells once";
            return Err(wrong(node, message));
        }
        self.workspace.work(8 * left.len())?;
        let mut owners = vec![NOBODY; visit.layout.cells.len()];
        let mut cells: Vec<Vec<u32>> = Vec::new();
        for (factor, &to) in (0..).zip(&factors) {
            let variables = self.formula.variables(to);
            for &variable in &variables {
                match visit.layout.index(variable) {
                    Some(cell) if owners[cell] == NOBODY => owners[cell] = factor,
                    _ => return Err(wrong(node, "two nodes of a product share a cell")),
                }
            }
            cells.push(variables);
        }
        let mut contexts: Vec<Vec<Language>> = vec![Vec::new(); factors.len()];
        for (language, indices) in lines {
            let mut owners: Vec<u32> = indices.iter().map(|&cell| owners[cell as usize]).collect();
            if owners.contains(&NOBODY) {
                return Err(wrong(node, "a product does not have all undecided cells"));
            }
            if owners.iter().all(|&owner| owner == owners[0]) {
                // The usual case: all cells of the line are in one node.
                contexts[owners[0] as usize].push(*language);
                continue;
            }
            let store = &mut self.workspace.store;
            let divided = store.divide(*language, &owners, factors.len());
            self.workspace.poll()?;
            let parts =
                divided.ok_or_else(|| wrong(node, "a line is not shown to be a product"))?;
            owners.sort_unstable();
            owners.dedup();
            for owner in owners {
                contexts[owner as usize].push(parts[owner as usize]);
            }
        }
        for ((to, cells), context) in factors.into_iter().zip(cells).zip(contexts) {
            self.reach(to, &cells, context.into(), visit.path, edge)?;
        }
        Ok(())
    }
}

/// An edge of an or-node, with its literals.
#[derive(Debug)]
struct Edge {
    number: u32,
    /// The indices of the cells that it decides, in increasing order, with their values.
    decided: Vec<(usize, bool)>,
}

impl Edge {
    /// The value of a cell, if the edge decides it.
    fn value(&self, cell: usize) -> Option<bool> {
        let at = self.decided.binary_search_by_key(&cell, |&(cell, _)| cell);
        Some(self.decided[at.ok()?].1)
    }

    /// Approximate memory with the references to the edge.
    fn bytes(&self) -> u64 {
        (2 * size_of::<Self>() + size_of_val(&*self.decided)) as u64
    }
}

/// The check of an or-node in one context: a pair of node and context is visited once.
struct Visit<'a> {
    node: u32,
    layout: &'a Layout,
    context: &'a [Language],
    /// A path to the node in this context.
    path: u32,
}

/// What is wrong at a node, which the text counts from 1.
fn wrong(node: u32, message: &str) -> Error {
    Error::data(format!("node {}: {message}", node + 1))
}
