//! Where the unknown cells fall apart, and what a part of them depends on: its key.
//!
//! Parts are joined from the pieces of rows and columns, as [`diagram`](super::diagram) finds them, where those cross in an unknown
//! cell. The key of a part lists, for each of its row pieces, which of the part's column pieces it crosses and what it can be, and for
//! each column piece what it can be. That is all that the number of its fillings depends on, so two parts with one key have equally
//! many, wherever in the picture and whatever the cells around them; known cells within have vanished from it, and so have the lines'
//! clues.
//!
//! Row pieces and their cells stand in the key in reading order, and column pieces in the order of columns. So the cells of two parts
//! with one key correspond in reading order, the first one to the first one and so on, and so do their fillings.

use super::cache::Key;
use super::line_automaton::{LineAutomata, NONE, UniqueTable};
use crate::board::Board;
use crate::line::Word;
use crate::run::Pace;

/// The cells of a part, row by row.
pub(crate) type Rows<W> = Box<[(u16, W)]>;

/// Unknown cells that are independent of all others.
#[derive(Clone, Debug)]
pub(crate) struct Component<W> {
    /// Its cells, row by row; a row where it has none may be missing.
    pub(crate) rows: Rows<W>,
    /// Number of cells.
    pub(crate) size: u32,
    /// What it depends on; empty when that is not known, for want of memory.
    pub(crate) key: Key,
}

impl<W> Component<W> {
    /// A part without cells.
    pub(crate) fn nothing() -> Self {
        Component {
            rows: Box::default(),
            size: 0,
            key: Key::default(),
        }
    }
}

/// A piece of a line within the cells at hand.
#[derive(Clone, Copy, Debug)]
struct Strip<W> {
    line: u16,
    number: u32,
    cells: W,
    /// For rows: the union-find parent; for columns: a row piece that it crosses.
    link: u32,
    /// Its number within its part.
    local: u32,
}

/// Scratch memory for falling apart.
#[derive(Debug)]
pub(crate) struct ComponentFinder<W> {
    rows: Vec<Strip<W>>,
    columns: Vec<Strip<W>>,
    /// Of each row and column, its first strip.
    first_of_row: Vec<u32>,
    first_of_column: Vec<u32>,
    /// The open cells of each row.
    open: Vec<W>,
    /// The first row of each part.
    roots: Vec<u32>,
    component_of_row: Vec<u32>,
    component_of_column: Vec<u32>,
    /// Rows and columns part by part, each in order.
    rows_of_components: Grouped,
    columns_of_components: Grouped,
    key: Vec<u32>,
}

/// Numbers of strips, part by part.
#[derive(Debug, Default)]
struct Grouped {
    strips: Vec<u32>,
    /// Where the strips of each part begin, and of the last one end.
    starts: Vec<u32>,
}

impl Grouped {
    /// `component_of_strip` says to which of `components` each strip belongs. O(strips + parts).
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

    fn of(&self, component: usize) -> &[u32] {
        &self.strips[self.starts[component] as usize..self.starts[component + 1] as usize]
    }
}

impl<W: Word> ComponentFinder<W> {
    /// For a picture of this size.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        ComponentFinder {
            rows: Vec::new(),
            columns: Vec::new(),
            first_of_row: vec![0; height],
            first_of_column: vec![0; width],
            open: vec![W::ZERO; height],
            roots: Vec::new(),
            component_of_row: Vec::new(),
            component_of_column: Vec::new(),
            rows_of_components: Grouped::default(),
            columns_of_components: Grouped::default(),
            key: Vec::new(),
        }
    }

    /// The parts into which these cells fall, as far as they are unknown; the board must be at a fixpoint. `None` when the run has been
    /// stopped meanwhile.
    pub(crate) fn split(
        &mut self,
        board: &Board<'_, W>,
        cells: &[(u16, W)],
        lines: &mut LineAutomata<W>,
        numbers: &UniqueTable,
        components: &mut Vec<Component<W>>,
        pace: &mut Pace<'_>,
    ) -> Option<()> {
        self.gather(board, cells, lines, numbers, pace)?;
        self.join(pace)?;
        for i in 0..self.roots.len() {
            let component = self.component(i, pace)?;
            components.push(component);
        }
        Some(())
    }

    /// Finds all strips with open cells.
    fn gather(
        &mut self,
        board: &Board<'_, W>,
        cells: &[(u16, W)],
        lines: &mut LineAutomata<W>,
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
        self.rows.clear();
        self.columns.clear();
        let mut crossed = W::ZERO;
        for &(row, cells) in cells {
            let row = usize::from(row);
            let open = cells & board.unknown_in_row(row);
            self.open[row] = open;
            if open.is_zero() {
                continue;
            }
            crossed |= open;
            self.first_of_row[row] = self.rows.len() as u32;
            let known = board.rows()[row];
            for piece in lines.pieces(row, clues.line(row), width, known, numbers, pace)? {
                // A piece is in the part as a whole or not at all, but for one without a number, which is all that is open of its line.
                let cells = piece.cells & open;
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
                // Of a row without cells here the open cells are another part's, left from before.
                let here = |&at: &usize| self.open[at].has(column) && has_row(cells, at);
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

    /// The strip of this row that has this cell. O(strips of the row).
    fn row_strip(&self, row: usize, column: usize) -> usize {
        let mut i = self.first_of_row[row] as usize;
        while !self.rows[i].cells.has(column) {
            i += 1;
        }
        i
    }

    /// The strip of this column that has this cell. O(strips of the column).
    fn column_strip(&self, row: usize, column: usize) -> usize {
        let mut i = self.first_of_column[column] as usize;
        while !self.columns[i].cells.has(row) {
            i += 1;
        }
        i
    }

    fn root(&mut self, strip: u32) -> u32 {
        let mut i = strip;
        while self.rows[i as usize].link != i {
            let up = self.rows[i as usize].link;
            self.rows[i as usize].link = self.rows[up as usize].link;
            i = up;
        }
        i
    }

    /// Joins the rows that a column crosses, and puts together what belongs to one part.
    fn join(&mut self, pace: &mut Pace<'_>) -> Option<()> {
        for j in 0..self.columns.len() {
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
                }
            }
        }
        // The part of each strip: a root comes before the rows that are joined to it.
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

    /// The part with this number.
    fn component(&mut self, component: usize, pace: &mut Pace<'_>) -> Option<Component<W>> {
        let columns = self.columns_of_components.of(component);
        for (local, &j) in (0..).zip(columns) {
            self.columns[j as usize].local = local;
        }
        let columns = columns.len() as u32;
        let (mut rows, mut size): (Vec<(u16, W)>, _) = (Vec::new(), 0);
        let mut numbered = true;
        self.key.clear();
        self.key.push(columns);
        let words = columns.div_ceil(u32::BITS) as usize;
        for &i in self.rows_of_components.of(component) {
            let Strip {
                line,
                number,
                cells,
                ..
            } = self.rows[i as usize];
            if pace.spend(cells.count() as u64 + words as u64) {
                return None;
            }
            numbered &= number != NONE;
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
        for &j in self.columns_of_components.of(component) {
            let number = self.columns[j as usize].number;
            numbered &= number != NONE;
            self.key.push(number);
        }
        Some(Component {
            rows: rows.into(),
            size,
            key: if numbered {
                self.key.as_slice().into()
            } else {
                Key::default()
            },
        })
    }
}

/// Is this row among the cells?
fn has_row<W>(cells: &[(u16, W)], row: usize) -> bool {
    cells
        .binary_search_by_key(&(row as u16), |&(row, _)| row)
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Clues;
    use crate::puzzle::{Clue, Puzzle};
    use crate::run::{Control, Limits};

    /// A line without a number was once taken whole into each part that it has cells in.
    #[test]
    fn parts_stay_apart_when_numbers_run_out() {
        let clue = |blocks: &[usize]| Clue::new(blocks.iter().copied()).unwrap();
        let rows = vec![clue(&[1, 1]); 2];
        let columns = [&[1][..], &[1], &[], &[1], &[1]].map(clue).to_vec();
        let puzzle = Puzzle::new(rows, columns).unwrap();
        let clues = Clues::new(&puzzle);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let control = Control::new(&Limits::default(), false);
        for (bytes, numbered) in [(1 << 20, true), (0, false)] {
            let (numbers, mut pace) = (UniqueTable::new(bytes), Pace::new(&control));
            let (mut lines, mut components) = (LineAutomata::new(7, 1 << 20), Vec::new());
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
                (4, !numbered)
            );
        }
    }
}
