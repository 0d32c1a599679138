//! The check build's own view of a line, on its clue and its cells alone: slow, obvious, and without a line of code in common with the
//! kernel and the automata that it checks.
//!
//! A line is settled by sweeping its states: how many blocks are finished, and how long the run is that is under way. The unit test compares
//! this with a list of all arrangements on all short lines.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// What is known of the cells of a line: filled, empty or unknown.
pub(crate) type Cells = Vec<Option<bool>>;

/// Lines that a thread remembers; then it forgets all of them.
const MAX_REMEMBERED: usize = 1 << 15;

/// The number of finished blocks, and the length of the run under way.
type State = (usize, usize);

/// A line: the lengths of its blocks and its cells.
#[derive(Clone, Debug)]
struct Line {
    blocks: Vec<usize>,
    cells: Cells,
}

/// What the arrangements of a line have in common.
#[derive(Debug)]
struct Settled {
    /// The cells on which all arrangements agree; `None` if there is no arrangement.
    cells: Option<Cells>,
    /// The cells that are empty in all arrangements, each time with the same number of blocks before them.
    cuts: Vec<bool>,
}

/// A line, with what was found out about it so far.
#[derive(Debug)]
pub(crate) struct PlainLine {
    line: Line,
    settled: OnceCell<Settled>,
    /// For each number of leading cells, the states that these cells can lead to and from which the other cells can be completed.
    states: OnceCell<Vec<BTreeSet<State>>>,
}

/// The set of fillings that a piece of a line allows, in a form that is equal for equal sets: for each of its unknown
/// cells, the different classes of states before it, each given by the classes behind an empty and behind a filled cell. The first cell has
/// one class, number 0.
pub(crate) type FillingSet = Vec<Vec<[Option<usize>; 2]>>;

/// A piece of a line that is independent of the other cells of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlainPiece {
    /// Its unknown cells.
    pub(crate) cells: Vec<usize>,
    pub(crate) fillings: FillingSet,
}

/// Lines by their blocks and cells, written as bytes; and a buffer for such bytes.
type Remembered = (FxHashMap<Vec<u8>, Rc<PlainLine>>, Vec<u8>);

thread_local! {
    static REMEMBERED: RefCell<Remembered> = RefCell::default();
}

impl Line {
    /// The state after one more cell; `None` if the clue does not allow it.
    fn step(&self, (finished, run): State, filled: bool) -> Option<State> {
        let block = self.blocks.get(finished).copied().unwrap_or_default();
        match filled {
            true => (run < block).then_some((finished, run + 1)),
            false if run == 0 => Some((finished, 0)),
            false => (run == block).then_some((finished + 1, 0)),
        }
    }

    /// The values that a cell can have.
    fn values(&self, cell: usize) -> impl Iterator<Item = bool> {
        let known = self.cells[cell];
        [false, true]
            .into_iter()
            .filter(move |&value| known.is_none_or(|known| known == value))
    }

    fn is_complete(&self, (finished, run): State) -> bool {
        self.blocks[finished..].is_empty() && run == 0 || self.blocks[finished..] == [run]
    }

    fn states(&self) -> Vec<BTreeSet<State>> {
        let mut layers = vec![BTreeSet::from([(0, 0)])];
        for cell in 0..self.cells.len() {
            let after = |&state: &State| {
                self.values(cell)
                    .filter_map(move |filled| self.step(state, filled))
            };
            layers.push(layers[cell].iter().flat_map(after).collect());
        }
        layers[self.cells.len()].retain(|&state| self.is_complete(state));
        for cell in (0..self.cells.len()).rev() {
            let (before, after) = layers.split_at_mut(cell + 1);
            let lives = |&state: &State| {
                let mut after_it = self
                    .values(cell)
                    .filter_map(|filled| self.step(state, filled));
                after_it.any(|state| after[0].contains(&state))
            };
            before[cell].retain(lives);
        }
        layers
    }

    /// What all paths through these states have in common.
    fn settle(&self, states: &[BTreeSet<State>]) -> Settled {
        if states[0].is_empty() {
            return Settled {
                cells: None,
                cuts: Vec::new(),
            };
        }
        let (mut cells, mut cuts) = (Vec::new(), Vec::new());
        for cell in 0..self.cells.len() {
            let [empty, filled] = [false, true].map(|value| {
                let is_possible = self.values(cell).any(|possible| possible == value);
                states[cell]
                    .iter()
                    .filter(|_| is_possible)
                    .filter_map(|&state| self.step(state, value))
                    .filter(|state| states[cell + 1].contains(state))
                    .collect::<BTreeSet<State>>()
            });
            cells.push(match (empty.is_empty(), filled.is_empty()) {
                (false, false) => None,
                (is_filled, _) => Some(is_filled),
            });
            cuts.push(filled.is_empty() && empty.len() == 1);
        }
        Settled {
            cells: Some(cells),
            cuts,
        }
    }
}

impl PlainLine {
    /// The line with these blocks and cells. A thread remembers the lines that it has met.
    pub(crate) fn of(blocks: &[u16], cells: &[Option<bool>]) -> Rc<Self> {
        REMEMBERED.with_borrow_mut(|(remembered, key)| {
            key.clear();
            key.push(blocks.len() as u8);
            key.extend(blocks.iter().flat_map(|block| block.to_le_bytes()));
            key.extend(cells.iter().map(|cell| cell.map_or(2, u8::from)));
            if let Some(line) = remembered.get(key) {
                return Rc::clone(line);
            }
            if remembered.len() >= MAX_REMEMBERED {
                remembered.clear();
            }
            let line = Rc::new(PlainLine {
                line: Line {
                    blocks: blocks.iter().map(|&length| usize::from(length)).collect(),
                    cells: cells.to_vec(),
                },
                settled: OnceCell::new(),
                states: OnceCell::new(),
            });
            remembered.insert(key.clone(), Rc::clone(&line));
            line
        })
    }

    fn states(&self) -> &[BTreeSet<State>] {
        self.states.get_or_init(|| self.line.states())
    }

    fn settled(&self) -> &Settled {
        self.settled.get_or_init(|| self.line.settle(self.states()))
    }

    /// The cells on which all arrangements agree; `None` if there is no arrangement.
    pub(crate) fn settle(&self) -> Option<&[Option<bool>]> {
        self.settled().cells.as_deref()
    }

    /// For each number of leading cells, the class of each state: states of one class allow the same cells behind them. And the classes
    /// themselves, each by the classes behind an empty and behind a filled cell, in order.
    fn classes(&self) -> (Vec<BTreeMap<State, usize>>, FillingSet) {
        let states = self.states();
        let length = self.line.cells.len();
        let end = states[length].iter().map(|&state| (state, 0)).collect();
        let (mut layers, mut contents): (Vec<BTreeMap<State, usize>>, _) = (vec![end], Vec::new());
        for cell in (0..length).rev() {
            let behind = &layers[layers.len() - 1];
            let class = |state: State, filled: bool| {
                let value = self.line.values(cell).find(|&value| value == filled)?;
                behind.get(&self.line.step(state, value)?).copied()
            };
            let content = |state: State| match self.line.cells[cell] {
                None => [class(state, false), class(state, true)],
                // A known cell tells nothing: the class is that behind it.
                Some(filled) => [class(state, filled), None],
            };
            let mut different: Vec<_> = states[cell].iter().map(|&state| content(state)).collect();
            different.sort_unstable();
            different.dedup();
            let number = |state: State| different.iter().position(|other| *other == content(state));
            let layer = states[cell]
                .iter()
                .map(|&state| (state, number(state).unwrap_or_default()));
            layers.push(layer.collect());
            contents.push(different);
        }
        layers.reverse();
        contents.reverse();
        (layers, contents)
    }

    /// The pieces of the line: as small as possible, without those that have no unknown cell.
    pub(crate) fn pieces(&self) -> Vec<PlainPiece> {
        let (layers, contents) = self.classes();
        let mut pieces = Vec::new();
        let empty = || PlainPiece {
            cells: Vec::new(),
            fillings: Vec::new(),
        };
        let mut piece = empty();
        for (i, content) in contents.into_iter().enumerate() {
            if layers[i].values().all(|&class| class == 0) && !piece.cells.is_empty() {
                pieces.push(std::mem::replace(&mut piece, empty()));
            }
            if self.line.cells[i].is_none() {
                piece.cells.push(i);
                piece.fillings.push(content);
            }
        }
        if !piece.cells.is_empty() {
            pieces.push(piece);
        }
        pieces
    }

    /// Confirms that the unknown cells of different groups are independent: between two of them that follow each other, all states allow the
    /// same cells behind them. `group` is that of each unknown cell.
    ///
    /// # Errors
    ///
    /// Why they are not.
    pub(crate) fn confirm_independent(&self, group: &dyn Fn(usize) -> usize) -> Result<(), String> {
        let cells = &self.line.cells;
        let unknown: Vec<usize> = (0..cells.len()).filter(|&i| cells[i].is_none()).collect();
        if unknown.iter().all(|&i| group(i) == group(unknown[0])) {
            return Ok(());
        }
        let (layers, _) = self.classes();
        for pair in unknown.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let is_boundary =
                |classes: &BTreeMap<State, usize>| classes.values().all(|&class| class == 0);
            if group(from) != group(to) && !layers[from + 1..=to].iter().any(is_boundary) {
                return Err(format!("cells {from} and {to} depend on each other"));
            }
        }
        Ok(())
    }
}

/// Cells as text: `#` filled, `.` empty, `?` unknown.
pub(crate) fn text(cells: &[Option<bool>]) -> String {
    let cell = |cell: &Option<bool>| match cell {
        Some(true) => '#',
        Some(false) => '.',
        None => '?',
    };
    cells.iter().map(cell).collect()
}

/// Confirms what settling a line with these blocks and cells has found: the cells, or no arrangement; and the cuts, where they were wanted.
///
/// # Panics
///
/// If it differs.
pub(crate) fn confirm_settled(
    blocks: &[u16],
    cells: &[Option<bool>],
    settled: Option<Cells>,
    cuts: Option<Vec<bool>>,
) {
    let line = PlainLine::of(blocks, cells);
    // The kernel returns the cells that were known as well.
    let wanted = line.settle();
    assert!(
        settled.as_deref() == wanted,
        "checked: settled line\nclue {blocks:?}, cells {}\nfound  {:?}\nwanted {:?}",
        text(cells),
        settled.as_deref().map(text),
        wanted.map(text)
    );
    if let Some(cuts) = cuts.filter(|_| wanted.is_some()) {
        let wanted = &line.settled().cuts;
        // Lines without unknown cells need no cuts.
        assert!(
            cuts.iter()
                .zip(wanted)
                .all(|(&found, &wanted)| wanted || !found),
            "checked: cuts of a line\nclue {blocks:?}, cells {}\nfound  {cuts:?}\nwanted {wanted:?}",
            text(cells)
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// All clues of a line of this length.
    fn clues(length: usize) -> BTreeSet<Vec<usize>> {
        let clue = |bits: usize| {
            let cells: String = (0..length)
                .map(|i| if bits >> i & 1 == 1 { '#' } else { '.' })
                .collect();
            cells
                .split('.')
                .map(str::len)
                .filter(|&block| block > 0)
                .collect()
        };
        (0..1 << length).map(clue).collect()
    }

    /// The arrangements of a line, as bits.
    fn list(line: &Line) -> Vec<u128> {
        let length = line.cells.len();
        let fits = |bits: &u128| {
            let cells: String = (0..length)
                .map(|i| if bits >> i & 1 == 1 { '#' } else { '.' })
                .collect();
            let blocks = cells.split('.').map(str::len).filter(|&block| block > 0);
            let agrees = |i: usize| line.cells[i].is_none_or(|value| (bits >> i & 1 == 1) == value);
            blocks.eq(line.blocks.iter().copied()) && (0..length).all(agrees)
        };
        (0..1 << length).filter(fits).collect()
    }

    /// What these arrangements have in common.
    fn settle_by_list(length: usize, arrangements: &[u128]) -> Settled {
        let Some(&first) = arrangements.first() else {
            return Settled {
                cells: None,
                cuts: Vec::new(),
            };
        };
        let value = |bits: u128, i: usize| bits >> i & 1 == 1;
        let same = |i: usize| {
            let mut all = arrangements.iter();
            all.all(|&bits| value(bits, i) == value(first, i))
                .then_some(value(first, i))
        };
        // Before an empty cell, each block ends with a filled cell before an empty one.
        let blocks_before =
            |bits: u128, i: usize| (bits & !(bits >> 1) & ((1 << i) - 1)).count_ones();
        let is_cut = |i: usize| {
            let number = blocks_before(first, i);
            let mut all = arrangements.iter();
            same(i) == Some(false) && all.all(|&bits| blocks_before(bits, i) == number)
        };
        Settled {
            cells: Some((0..length).map(same).collect()),
            cuts: (0..length).map(is_cut).collect(),
        }
    }

    #[test]
    fn listing_and_sweeping_agree_on_all_short_lines() {
        let mut pieces = 0;
        let mut forms: HashMap<BTreeSet<Vec<bool>>, FillingSet> = HashMap::new();
        for length in 1..=7usize {
            for blocks in clues(length) {
                for code in 0..3usize.pow(length as u32) {
                    let cell =
                        |i: usize| [None, Some(false), Some(true)][code / 3usize.pow(i as u32) % 3];
                    let line = Line {
                        blocks: blocks.clone(),
                        cells: (0..length).map(cell).collect(),
                    };
                    let all = list(&line);
                    let by_list = settle_by_list(length, &all);
                    let by_states = line.settle(&line.states());
                    assert_eq!(
                        (&by_list.cells, &by_list.cuts),
                        (&by_states.cells, &by_states.cuts),
                        "{line:?}"
                    );
                    let Some(cells) = by_list.cells else { continue };
                    // Fillings of pieces multiply, and equal sets have equal forms.
                    let lengths: Vec<u16> = blocks.iter().map(|&block| block as u16).collect();
                    let plain = PlainLine::of(&lengths, &cells);
                    let of_piece = |piece: &PlainPiece| {
                        let part = |line: &u128| {
                            let cells = piece.cells.iter();
                            cells.map(|&i| line >> i & 1 == 1).collect::<Vec<_>>()
                        };
                        all.iter().map(part).collect::<BTreeSet<_>>()
                    };
                    let mut product = 1;
                    for piece in plain.pieces() {
                        let listed = of_piece(&piece);
                        product *= listed.len();
                        pieces += 1;
                        let form = forms
                            .entry(listed)
                            .or_insert_with(|| piece.fillings.clone());
                        assert_eq!(*form, piece.fillings, "{line:?}");
                    }
                    assert_eq!(product, all.len(), "{line:?}");
                }
            }
        }
        assert!(pieces > 3000, "{pieces}");
    }
}
