//! Finds the components of the unknown cells, and the key of each.
//!
//! The pieces of rows and columns, which [`line_automaton`](super::line_automaton) finds, are the vertices of a graph; a row piece and a
//! column piece are joined where they cross in an unknown cell. The components are the connected components of this graph. The key of a
//! component lists, for each row piece, which of the component's column pieces it crosses and the number of its set of fillings, and for
//! each column piece the number of its set of fillings. The number of fillings of the component depends on nothing else: neither on its
//! place, nor on the known cells, nor on the clues. So two components with the same key have the same number of fillings.
//!
//! Row pieces and their cells are in the key in reading order, column pieces in the order of columns. So the cells of two components with
//! the same key correspond in reading order (the first to the first, and so on), and so do their fillings.

use super::cache::Key;
use super::line_automaton::{NONE, PieceCache, UniqueTable};
use crate::board::Board;
use crate::line::Word;
use crate::run::Pace;

/// The cells of a component, row by row.
pub(crate) type Rows<W> = Box<[(u16, W)]>;

/// A set of unknown cells whose fillings are independent of all others.
#[derive(Clone, Debug)]
pub(crate) struct Component<W> {
    /// Its cells, row by row; a row without cells of it may be missing.
    pub(crate) rows: Rows<W>,
    /// Number of cells.
    pub(crate) size: u32,
    /// Its key; empty when a piece has no number because the unique table was full.
    pub(crate) key: Key,
}

impl<W> Component<W> {
    /// Bytes of its cells and its key.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.rows) + size_of_val(&*self.key)) as u64
    }

    /// A component without cells.
    pub(crate) fn empty() -> Self {
        Component {
            rows: Box::default(),
            size: 0,
            key: Key::default(),
        }
    }
}

/// A piece of a line, restricted to the cells that are split.
#[derive(Clone, Copy, Debug)]
struct Strip<W> {
    line: u16,
    /// The number of its set of fillings.
    number: u32,
    cells: W,
    /// For rows: the union-find parent; for columns: a row strip that it crosses.
    link: u32,
    /// Its index within its component.
    local: u32,
}

/// Splits a set of cells into components; keeps its memory between calls.
#[derive(Debug)]
pub(crate) struct ComponentFinder<W> {
    rows: Vec<Strip<W>>,
    columns: Vec<Strip<W>>,
    /// The first strip of each row and column.
    first_of_row: Vec<u32>,
    first_of_column: Vec<u32>,
    /// The unknown cells of each row that are split.
    unknown: Vec<W>,
    /// The first row strip of each component: its root in the union-find forest.
    roots: Vec<u32>,
    component_of_row: Vec<u32>,
    component_of_column: Vec<u32>,
    /// Row strips and column strips grouped by component, each group in order.
    rows_of_components: Grouped,
    columns_of_components: Grouped,
    key: Vec<u32>,
}

/// Indices of strips, grouped by component.
#[derive(Debug, Default)]
struct Grouped {
    strips: Vec<u32>,
    /// Where the strips of each component begin, and at last where those of the last one end.
    starts: Vec<u32>,
}

impl Grouped {
    /// Groups all strips by their component (counting sort). O(strips + components).
    fn group(&mut self, components: usize, component_of_strip: &[u32]) {
        self.starts.clear();
        self.starts.resize(components + 1, 0);
        for &component in component_of_strip {
            self.starts[component as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.strips.clear();
        self.strips.resize(component_of_strip.len(), 0);
        for (strip, &component) in component_of_strip.iter().enumerate().rev() {
            let at = &mut self.starts[component as usize];
            *at -= 1;
            self.strips[*at as usize] = strip as u32;
        }
    }

    fn strips_of(&self, component: usize) -> &[u32] {
        &self.strips[self.starts[component] as usize..self.starts[component + 1] as usize]
    }
}

impl<W: Word> ComponentFinder<W> {
    /// A finder for a puzzle of this size.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        ComponentFinder {
            rows: Vec::new(),
            columns: Vec::new(),
            first_of_row: vec![0; height],
            first_of_column: vec![0; width],
            unknown: vec![W::ZERO; height],
            roots: Vec::new(),
            component_of_row: Vec::new(),
            component_of_column: Vec::new(),
            rows_of_components: Grouped::default(),
            columns_of_components: Grouped::default(),
            key: Vec::new(),
        }
    }

    /// Appends the components of the unknown cells among `cells`; the board must be at a fixpoint. `None` when the run was stopped
    /// meanwhile.
    pub(crate) fn split(
        &mut self,
        board: &Board<'_, W>,
        cells: &[(u16, W)],
        lines: &mut PieceCache<W>,
        numbers: &UniqueTable,
        components: &mut Vec<Component<W>>,
        pace: &mut Pace<'_>,
    ) -> Option<()> {
        self.gather_strips(board, cells, lines, numbers, pace)?;
        self.join_strips(pace)?;
        for i in 0..self.roots.len() {
            let component = self.component(i, pace)?;
            components.push(component);
        }
        #[cfg(feature = "checked")]
        self.confirm(board, cells, numbers, components);
        Some(())
    }

    /// Confirms the components found last, and their keys.
    #[cfg(feature = "checked")]
    fn confirm(
        &self,
        board: &Board<'_, W>,
        cells: &[(u16, W)],
        numbers: &UniqueTable,
        components: &[Component<W>],
    ) {
        let components = &components[components.len() - self.roots.len()..];
        let rows: Vec<_> = components
            .iter()
            .map(|component| &*component.rows)
            .collect();
        super::checked::confirm_components(board, cells, &rows);
        for component in components {
            numbers
                .descriptions
                .confirm(&component.key, board, &component.rows);
        }
    }

    /// Finds all strips.
    fn gather_strips(
        &mut self,
        board: &Board<'_, W>,
        cells: &[(u16, W)],
        lines: &mut PieceCache<W>,
        numbers: &UniqueTable,
        pace: &mut Pace<'_>,
    ) -> Option<()> {
        let clues = board.clues();
        let (width, height) = (clues.width(), clues.height());
        let strip = |line: usize, number: u32, cells: W, link: usize| Strip {
            line: line as u16,
            number,
            cells,
            link: link as u32,
            local: 0,
        };
        for strip in self.rows.drain(..) {
            self.unknown[usize::from(strip.line)] = W::ZERO;
        }
        self.columns.clear();
        let mut crossed = W::ZERO;
        for &(row, cells) in cells {
            let row = usize::from(row);
            let unknown = cells & board.unknown_in_row(row);
            if unknown.is_zero() {
                continue;
            }
            self.unknown[row] = unknown;
            crossed |= unknown;
            self.first_of_row[row] = self.rows.len() as u32;
            let known = board.rows()[row];
            for piece in lines.pieces(row, clues.line(row), width, known, numbers, pace)? {
                // `cells` contains a piece as a whole or not at all, unless the piece has no number and is all unknown cells of its line.
                let cells = piece.cells & unknown;
                if !cells.is_zero() {
                    self.rows
                        .push(strip(row, piece.number, cells, self.rows.len()));
                }
            }
        }
        for column in crossed.cells() {
            self.first_of_column[column] = self.columns.len() as u32;
            let (line, known) = (height + column, board.column(column));
            for piece in lines.pieces(line, clues.line(line), height, known, numbers, pace)? {
                let here = |&at: &usize| self.unknown[at].has(column);
                let mut inside = piece.cells;
                if piece.number == NONE {
                    inside = W::ZERO;
                    let rows = piece.cells.cells().filter(here);
                    rows.for_each(|at| inside |= W::bit(at));
                } else if !here(&inside.first()) {
                    continue;
                }
                if !inside.is_zero() {
                    let link = self.row_strip(inside.first(), column);
                    self.columns.push(strip(column, piece.number, inside, link));
                }
            }
        }
        Some(())
    }

    /// The row strip that contains this cell. O(strips of the row).
    fn row_strip(&self, row: usize, column: usize) -> usize {
        let mut i = self.first_of_row[row] as usize;
        while !self.rows[i].cells.has(column) {
            i += 1;
        }
        i
    }

    /// The column strip that contains this cell. O(strips of the column).
    fn column_strip(&self, row: usize, column: usize) -> usize {
        let mut i = self.first_of_column[column] as usize;
        while !self.columns[i].cells.has(row) {
            i += 1;
        }
        i
    }

    /// The root of a row strip in the union-find forest, with path halving.
    fn root(&mut self, strip: u32) -> u32 {
        let mut i = strip;
        while self.rows[i as usize].link != i {
            let up = self.rows[i as usize].link;
            self.rows[i as usize].link = self.rows[up as usize].link;
            i = up;
        }
        i
    }

    /// Joins the row strips that a column strip crosses, and groups all strips by component.
    fn join_strips(&mut self, pace: &mut Pace<'_>) -> Option<()> {
        let mut trees = self.rows.len();
        for j in 0..self.columns.len() {
            // Mostly the cells hang together, which a few columns show.
            if trees <= 1 {
                break;
            }
            let Strip {
                line, cells, link, ..
            } = self.columns[j];
            if pace.spend(cells.count() as u64) {
                return None;
            }
            let mut first = self.root(link);
            for row in cells.cells() {
                let other = self.row_strip(row, usize::from(line)) as u32;
                let other = self.root(other);
                if other != first {
                    let (low, high) = (first.min(other), first.max(other));
                    self.rows[high as usize].link = low;
                    first = low;
                    trees -= 1;
                }
            }
        }
        // The component of each strip: a root comes before the strips that are joined to it.
        self.roots.clear();
        let mut component_of_row = std::mem::take(&mut self.component_of_row);
        component_of_row.clear();
        for i in 0..self.rows.len() as u32 {
            let root = self.root(i);
            component_of_row.push(match root == i {
                true => self.roots.len() as u32,
                false => component_of_row[root as usize],
            });
            if root == i {
                self.roots.push(i);
            }
        }
        let columns = self.columns.iter();
        let mut component_of_column = std::mem::take(&mut self.component_of_column);
        component_of_column.clear();
        component_of_column.extend(columns.map(|strip| component_of_row[strip.link as usize]));
        let components = self.roots.len();
        self.rows_of_components.group(components, &component_of_row);
        self.columns_of_components
            .group(components, &component_of_column);
        (self.component_of_row, self.component_of_column) = (component_of_row, component_of_column);
        Some(())
    }

    /// The component with this index.
    fn component(&mut self, component: usize, pace: &mut Pace<'_>) -> Option<Component<W>> {
        let columns = self.columns_of_components.strips_of(component);
        for (local, &j) in (0..).zip(columns) {
            self.columns[j as usize].local = local;
        }
        let columns = columns.len() as u32;
        // Without room for what comes, the list would be allocated several times.
        let strips = self.rows_of_components.strips_of(component);
        let (mut rows, mut size): (Vec<(u16, W)>, _) = (Vec::with_capacity(strips.len()), 0);
        let mut is_numbered = true;
        self.key.clear();
        self.key.push(columns);
        let words = columns.div_ceil(u32::BITS) as usize;
        for &i in strips {
            let Strip {
                line,
                number,
                cells,
                ..
            } = self.rows[i as usize];
            if pace.spend(cells.count() as u64 + words as u64) {
                return None;
            }
            is_numbered &= number != NONE;
            size += cells.count() as u32;
            match rows.last_mut() {
                Some((row, all)) if *row == line => *all |= cells,
                _ => rows.push((line, cells)),
            }
            self.key.push(number);
            let at = self.key.len();
            self.key.resize(at + words, 0);
            for column in cells.cells() {
                let j = self.column_strip(usize::from(line), column);
                let local = self.columns[j].local;
                self.key[at + (local / u32::BITS) as usize] |= 1 << (local % u32::BITS);
            }
        }
        for &j in self.columns_of_components.strips_of(component) {
            let number = self.columns[j as usize].number;
            is_numbered &= number != NONE;
            self.key.push(number);
        }
        Some(Component {
            rows: rows.into(),
            size,
            key: if is_numbered {
                self.key.as_slice().into()
            } else {
                Key::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Clues;
    use crate::count::components::line_automaton::BYTES_PER_STATE;
    use crate::puzzle::{Clue, Puzzle};
    use crate::run::{Control, Limits};

    /// Regression: a line without a number was once taken as a whole into each component that it has cells in.
    #[test]
    fn components_stay_apart_when_the_unique_table_is_full() {
        let clue = |blocks: &[usize]| Clue::new(blocks.iter().copied()).unwrap();
        let rows = vec![clue(&[1, 1]); 2];
        let columns = [&[1][..], &[1], &[], &[1], &[1]].map(clue).to_vec();
        let puzzle = Puzzle::new(rows, columns).unwrap();
        let clues = Clues::new(&puzzle);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let control = Control::new(&Limits::default(), false);
        for (bytes, is_numbered) in [(1 << 20, true), (0, false)] {
            let (numbers, mut pace) = (UniqueTable::new(bytes), Pace::new(&control));
            let (mut lines, mut components) = (PieceCache::new(7, 1 << 20), Vec::new());
            let right = [(0, 0b11000), (1, 0b11000)];
            let split = ComponentFinder::new(5, 2).split(
                &board,
                &right,
                &mut lines,
                &numbers,
                &mut components,
                &mut pace,
            );
            assert!(split.is_some() && components.len() == 1);
            assert_eq!(*components[0].rows, right);
            assert_eq!(
                (components[0].size, components[0].key.is_empty()),
                (4, !is_numbered)
            );
        }
    }

    /// As above, with columns that have two components.
    #[test]
    fn components_stay_apart_in_columns_without_a_number() {
        let rows: [&[usize]; 5] = [&[1], &[1], &[], &[1], &[1]];
        let puzzle = Puzzle::from_clues(&rows, &[&[1, 1][..]; 2]).unwrap();
        let clues = Clues::new(&puzzle);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let control = Control::new(&Limits::default(), false);
        let (numbers, mut pace) = (UniqueTable::new(0), Pace::new(&control));
        for part in [[(0, 0b11), (1, 0b11)], [(3, 0b11), (4, 0b11)]] {
            let (mut lines, mut components) = (PieceCache::new(7, 1 << 20), Vec::new());
            let mut finder = ComponentFinder::new(2, 5);
            let split = finder.split(
                &board,
                &part,
                &mut lines,
                &numbers,
                &mut components,
                &mut pace,
            );
            assert!(split.is_some() && components.len() == 1);
            assert_eq!(*components[0].rows, part);
            assert!(components[0].key.is_empty());
        }
    }

    /// The columns that a row crosses take a bit each, in as many words as it takes.
    #[test]
    fn a_key_has_the_crossings_of_all_columns() {
        let ones = [&[1][..]; 40];
        let key = key_of(&ones[..2], &ones, &UniqueTable::new(1 << 20));
        assert_eq!(key.len(), 1 + 2 * 3 + 40);
        assert_eq!(key[0], 40);
        for row in [1, 4] {
            assert_eq!(key[row], key[1]);
            assert_eq!(key[row + 1..row + 3], [u32::MAX, 0xff]);
        }
        assert!(key[7..].iter().all(|&number| number == key[7]));
    }

    /// The key of the only component of a puzzle without known cells.
    fn key_of(rows: &[&[usize]], columns: &[&[usize]], numbers: &UniqueTable) -> Key {
        let puzzle = Puzzle::from_clues(rows, columns).unwrap();
        let clues = Clues::new(&puzzle);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let (width, height) = (columns.len(), rows.len());
        let all: Vec<_> = (0..height)
            .map(|row| (row as u16, (1 << width) - 1))
            .collect();
        let control = Control::new(&Limits::default(), false);
        let (mut pace, mut components) = (Pace::new(&control), Vec::new());
        let mut lines = PieceCache::new(width + height, 1 << 20);
        let mut finder = ComponentFinder::new(width, height);
        let split = finder.split(
            &board,
            &all,
            &mut lines,
            numbers,
            &mut components,
            &mut pace,
        );
        assert!(split.is_some() && components.len() == 1);
        assert_eq!(components[0].size as usize, width * height);
        components[0].key.clone()
    }

    /// Different fillings of a piece without a number must not share a key, whether it is a piece of a row or of a column.
    #[test]
    fn a_component_with_one_piece_without_a_number_has_no_key() {
        let (simple, pairs) = ([&[1][..]; 2], [&[1, 1][..]; 2]);
        let large = UniqueTable::new(1 << 20);
        key_of(&simple, &simple, &large);
        let states = large.number_of([u32::MAX; 2]).unwrap();
        // Has room for the states of two cells of which one is filled, and for no others.
        let full = UniqueTable::new(u64::from(states) * BYTES_PER_STATE);
        assert!(!key_of(&simple, &simple, &full).is_empty());
        assert!(full.is_full());
        let ones = [&[1][..]; 4];
        assert!(key_of(&ones, &pairs, &full).is_empty());
        assert!(key_of(&pairs, &ones, &full).is_empty());
        assert!(!key_of(&pairs, &ones, &large).is_empty());
    }
}
