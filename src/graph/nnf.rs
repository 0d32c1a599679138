//! The graph as text, for programs that reason on propositional formulas: a decision-DNNF in the format of the d4 compiler.
//!
//! The format is told in the README of <https://github.com/crillab/d4>. Every line ends with 0. A node is a line of its kind and its
//! number: `o 1 0` for an or-node, `a 2 0` for an and-node, `t 3 0` for true, `f 4 0` for false. Numbers begin at 1, which is the root,
//! and rise by 1 from node to node. An edge is a line of the node that it comes from, the node that it leads to, and the literals that
//! hold along it: `1 3 -2 5 0`. Its nodes stand above it. Cells are the variables 1, 2, 3 and so on, row by row; the literal of a filled
//! cell is positive.
//!
//! A node of the [`SolutionGraph`] is an or-node, and each of its edges is an edge with the literals of the cells that it decides; where such an
//! edge leads to several nodes there is an and-node between, and where it leads to none there is true. The root is an or-node with a
//! single edge, which has the literals of all cells that are the same in all solutions because no node decides them. Every way from an
//! or-node decides the same cells, so that the formula is smooth: its models are counted by adding and multiplying alone. In a graph that
//! counting has kept, an or-node has at most two edges, and these decide some cell in two ways.
//!
//! A node of the [`SolutionGraph`] does not know where it lies, but variables do. So it is written once for each place at which it can be
//! reached: where equal regions lie in many places, the text is longer than the graph is large. The nodes are gone through from the roots
//! down, in the order of the graph, in which a node comes after all that it leads to. All places of a node are known when its turn comes,
//! and are forgotten after it, so that only the places of nodes whose turn is to come are held.
//!
//! O(edges and cells of their nodes) for each place.

use rustc_hash::FxHashMap;

use super::runs::{EMPTY, FILLED, LEFT};
use super::solution_graph::SolutionGraph;
use crate::puzzle::Grid;
use crate::run::{Control, Limits, Pace};
use crate::solutions::Stop;

/// Bytes of text that are written at once.
const PIECE: usize = 1 << 16;

/// Size of a decision-DNNF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nnf {
    /// Number of nodes, those included that are true or false.
    pub nodes: u64,
    /// Number of edges.
    pub edges: u64,
}

impl SolutionGraph {
    /// Writes the graph as a decision-DNNF in the text format of the [d4] compiler: one formula whose models are the solutions, with the
    /// cells as variables 1, 2, 3 and so on, row by row, true where they are filled. Shows the text piece by piece, for as long as
    /// `write` returns `true`. A space without solutions is a root that leads to the node that is false.
    ///
    /// A node of the graph is written once for each place at which it lies, so that the text can be longer than the graph is large. Of the
    /// limits, those on time, memory and the interrupt are looked at; the memory is that for the graph and for the places that are
    /// still to be written together. The text itself is not held.
    ///
    /// [d4]: https://github.com/crillab/d4
    ///
    /// # Errors
    ///
    /// What stopped it before the text was whole: a limit, or [`Stop::Closed`] when `write` returned `false`.
    ///
    /// ```
    /// use omnogram::count::Counter;
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::search::Limits;
    ///
    /// // Two rows and two columns, one filled cell in each: one diagonal or the other.
    /// let ones = vec![Clue::new([1])?; 2];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let graph = Counter::new(&puzzle).graph().0.unwrap();
    /// let mut text = Vec::new();
    /// let size = graph.write_nnf(&Limits::default(), |piece| {
    ///     text.extend_from_slice(piece);
    ///     true
    /// });
    /// let lines: Vec<&str> = str::from_utf8(&text)?.lines().collect();
    /// assert_eq!(lines[..3], ["o 1 0", "o 2 0", "1 2 0"]);
    /// assert!(lines.contains(&"2 3 1 -2 -3 4 0") && lines.contains(&"2 3 -1 2 3 -4 0"));
    /// let size = size.unwrap();
    /// assert_eq!((size.nodes, size.edges), (3, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_nnf(
        &self,
        limits: &Limits,
        write: impl FnMut(&[u8]) -> bool,
    ) -> Result<Nnf, Stop> {
        let control = Control::new(limits, false);
        control.poll();
        let mut writing = Writing {
            graph: self,
            control: &control,
            pace: Pace::new(&control),
            write,
            text: Vec::with_capacity(PIECE + 64),
            size: Nnf::default(),
            truth: None,
            places: FxHashMap::default(),
            held: self.bytes(),
            memory: limits.memory.unwrap_or(u64::MAX),
        };
        writing.run()?;
        Ok(writing.size)
    }
}

/// Where a node lies: its cells as variables, in reading order; and the number that it has in the text.
type Places = FxHashMap<Box<[u32]>, u64>;

/// A text on its way.
struct Writing<'a, F> {
    graph: &'a SolutionGraph,
    control: &'a Control,
    pace: Pace<'a>,
    write: F,
    /// What has not been written yet.
    text: Vec<u8>,
    size: Nnf,
    /// The number of the node that is true, once there is one.
    truth: Option<u64>,
    /// The places of nodes whose turn is to come.
    places: FxHashMap<u32, Places>,
    /// Bytes held, and how many they may be.
    held: u64,
    memory: u64,
}

impl<F: FnMut(&[u8]) -> bool> Writing<'_, F> {
    fn run(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.hold(self.text.capacity() as u64)?;
        match graph.count().is_zero() {
            true => {
                let root = self.node(b'o')?;
                let nothing = self.node(b'f')?;
                self.edge(root, nothing)?;
                self.end_of_edge()?;
            }
            false => {
                self.root()?;
                for node in (0..graph.nodes() as u32).rev() {
                    self.look(0)?;
                    if let Some(places) = self.places.remove(&node) {
                        self.all_of(node, places)?;
                    }
                }
            }
        }
        self.flush()
    }

    /// Writes the root, with the cells that no node decides.
    fn root(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        let (width, height) = (graph.width(), graph.height());
        let line = Grid::stride(width) * 64;
        let variable =
            |&place: &u32| (place as usize / line * width + place as usize % line) as u32;
        let bytes = (height * line / 8) as u64;
        self.hold(bytes)?;
        let mut open = Grid::new(width, height);
        let mut below = Vec::with_capacity(graph.roots().len());
        for root in graph.roots() {
            self.look(root.places.len())?;
            let cells: Box<[u32]> = root
                .places
                .iter()
                .map(|place| variable(place) + 1)
                .collect();
            for &cell in &cells {
                let cell = cell as usize - 1;
                open.set(cell / width, cell % width, true);
            }
            below.push((root.node, cells));
        }
        let root = self.node(b'o')?;
        let to = self.product(below)?;
        self.edge(root, to)?;
        for row in 0..height {
            self.look(width)?;
            for column in (0..width).filter(|&column| !open.get(row, column)) {
                let cell = (row * width + column + 1) as u32;
                self.literal(cell, graph.known().get(row, column))?;
            }
        }
        self.end_of_edge()?;
        self.held -= bytes;
        Ok(())
    }

    /// Writes the edges of a node at all of its places.
    fn all_of(&mut self, node: u32, places: Places) -> Result<(), Stop> {
        let graph = self.graph;
        let bytes: u64 = places.keys().map(|cells| bytes_of_place(cells)).sum();
        let mut places: Vec<(Box<[u32]>, u64)> = places.into_iter().collect();
        places.sort_unstable_by_key(|&(_, number)| number);
        for (cells, number) in &places {
            for edge in graph.edges_of(node) {
                self.look(2 * cells.len())?;
                let size = |&node: &u32| Vec::with_capacity(graph.size(node) as usize);
                let mut below: Vec<Vec<u32>> = edge.rest.iter().map(size).collect();
                edge.each(cells, |becomes, here| {
                    if let Some(i) = becomes.checked_sub(LEFT) {
                        below[i as usize].extend_from_slice(here);
                    }
                });
                let below = below.into_iter().map(Vec::into_boxed_slice);
                let to = self.product(edge.rest.iter().copied().zip(below).collect())?;
                self.edge(*number, to)?;
                let mut rest = &cells[..];
                for (becomes, length) in edge.runs() {
                    let (here, more) = rest.split_at(length as usize);
                    rest = more;
                    if let EMPTY | FILLED = becomes {
                        for &cell in here {
                            self.literal(cell, becomes == FILLED)?;
                        }
                    }
                }
                self.end_of_edge()?;
            }
        }
        self.held -= bytes;
        Ok(())
    }

    /// The number of what these nodes at these places come to together.
    fn product(&mut self, mut nodes: Vec<(u32, Box<[u32]>)>) -> Result<u64, Stop> {
        match nodes.len() {
            0 => match self.truth {
                Some(truth) => Ok(truth),
                None => {
                    let truth = self.node(b't')?;
                    self.truth = Some(truth);
                    Ok(truth)
                }
            },
            1 => {
                let (node, cells) = nodes.remove(0);
                self.placed(node, cells)
            }
            _ => {
                let product = self.node(b'a')?;
                for (node, cells) in nodes {
                    let to = self.placed(node, cells)?;
                    self.edge(product, to)?;
                    self.end_of_edge()?;
                }
                Ok(product)
            }
        }
    }

    /// The number of a node that lies here.
    fn placed(&mut self, node: u32, cells: Box<[u32]>) -> Result<u64, Stop> {
        let known = self.places.get(&node).and_then(|places| places.get(&cells));
        if let Some(&number) = known {
            return Ok(number);
        }
        self.hold(bytes_of_place(&cells))?;
        let number = self.node(b'o')?;
        self.places.entry(node).or_default().insert(cells, number);
        Ok(number)
    }

    /// Writes a node of this kind; its number.
    fn node(&mut self, kind: u8) -> Result<u64, Stop> {
        self.size.nodes += 1;
        let number = self.size.nodes;
        self.text.extend_from_slice(&[kind, b' ']);
        self.number(number);
        self.text.extend_from_slice(b" 0\n");
        self.flush_full()?;
        Ok(number)
    }

    /// Begins an edge.
    fn edge(&mut self, from: u64, to: u64) -> Result<(), Stop> {
        self.size.edges += 1;
        self.number(from);
        self.text.push(b' ');
        self.number(to);
        self.text.push(b' ');
        self.flush_full()
    }

    /// Adds a literal to the edge that was begun.
    fn literal(&mut self, cell: u32, filled: bool) -> Result<(), Stop> {
        if !filled {
            self.text.push(b'-');
        }
        self.number(u64::from(cell));
        self.text.push(b' ');
        self.flush_full()
    }

    fn end_of_edge(&mut self) -> Result<(), Stop> {
        self.text.extend_from_slice(b"0\n");
        self.flush_full()
    }

    /// Writes a number in decimal; most of the text is numbers.
    fn number(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.text.extend_from_slice(&digits[first..]);
    }

    #[inline]
    fn flush_full(&mut self) -> Result<(), Stop> {
        match self.text.len() < PIECE {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        let written = (self.write)(&self.text);
        self.text.clear();
        match written {
            true => Ok(()),
            false => Err(Stop::Closed),
        }
    }

    fn hold(&mut self, bytes: u64) -> Result<(), Stop> {
        self.held += bytes;
        match self.held > self.memory {
            true => Err(Stop::Memory),
            false => Ok(()),
        }
    }

    /// Notes that this number of further cells has been looked at; an error when the run is stopped.
    fn look(&mut self, cells: usize) -> Result<(), Stop> {
        match self.pace.spend(cells as u64 + 8) || self.control.stopped() {
            true => Err(self.control.reason().unwrap_or(Stop::Interrupt)),
            false => Ok(()),
        }
    }
}

/// Bytes that a place takes; a table is up to half empty, and is copied when it grows.
fn bytes_of_place(cells: &[u32]) -> u64 {
    (size_of_val(cells) + 4 * size_of::<(Box<[u32]>, u64)>()) as u64
}
