//! The eight symmetries of the square: pictures and puzzles mirrored and turned, symmetric pictures, and a canonical form of puzzles.

use std::cmp::Ordering;
use std::fmt;

use super::picture::filled_cells;
use crate::puzzle::{Clue, Grid, Position, Puzzle};

/// One of the eight ways to mirror or turn a picture: at the main diagonal or not, then upside down or not, then left to right or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transform {
    diagonal: bool,
    upside_down: bool,
    left_right: bool,
}

impl Transform {
    /// All eight, the simplest first: nothing is changed.
    pub const ALL: [Transform; 8] = [
        Self::of(false, false, false),
        Self::of(false, false, true),
        Self::of(false, true, false),
        Self::of(false, true, true),
        Self::of(true, false, true),
        Self::of(true, true, false),
        Self::of(true, false, false),
        Self::of(true, true, true),
    ];

    /// The transform that leaves everything as it is.
    pub const IDENTITY: Transform = Self::ALL[0];

    const fn of(diagonal: bool, upside_down: bool, left_right: bool) -> Self {
        Transform {
            diagonal,
            upside_down,
            left_right,
        }
    }

    /// Whether rows become columns, so that width and height are exchanged.
    pub fn exchanges_sides(self) -> bool {
        self.diagonal
    }

    /// This transform, and then another.
    #[must_use]
    pub fn then(self, next: Transform) -> Self {
        let mut own = self;
        if next.diagonal {
            std::mem::swap(&mut own.upside_down, &mut own.left_right);
        }
        Self::of(
            own.diagonal != next.diagonal,
            own.upside_down != next.upside_down,
            own.left_right != next.left_right,
        )
    }

    /// The transform that undoes this one.
    #[must_use]
    pub fn inverse(self) -> Self {
        if self.diagonal {
            Self::of(true, self.left_right, self.upside_down)
        } else {
            self
        }
    }

    /// The place of a cell, by row and column, of a picture of this size, after the transform.
    pub(crate) fn place(
        self,
        (row, column): (usize, usize),
        width: usize,
        height: usize,
    ) -> (usize, usize) {
        let (mut row, mut column, width, height) = if self.diagonal {
            (column, row, height, width)
        } else {
            (row, column, width, height)
        };
        if self.upside_down {
            row = height - 1 - row;
        }
        if self.left_right {
            column = width - 1 - column;
        }
        (row, column)
    }

    /// The picture after the transform.
    ///
    /// ```
    /// use omnogram::Grid;
    /// use omnogram::design::Transform;
    ///
    /// let grid = Grid::from_rows(&["##.", "#.."])?;
    /// let turned = Transform::ALL.iter().find(|transform| transform.to_string() == "turned right").unwrap();
    /// assert_eq!(turned.grid(&grid).to_string(), "##\n.#\n..\n");
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn grid(self, grid: &Grid) -> Grid {
        let (width, height) = (grid.width(), grid.height());
        let mut transformed = if self.diagonal {
            Grid::new(height, width)
        } else {
            Grid::new(width, height)
        };
        for cell in filled_cells(grid) {
            let (row, column) = self.place(cell.place(), width, height);
            transformed.set(row, column, true);
        }
        transformed
    }

    /// The puzzle whose solutions are those of `puzzle` after the transform. It has no notes.
    pub fn puzzle(self, puzzle: &Puzzle) -> Puzzle {
        let [rows, columns] = self.clues([puzzle.rows(), puzzle.columns()]);
        let transformed = Puzzle::new(rows, columns).expect("the clues fit as before");
        match puzzle.given() {
            None => transformed,
            Some(given) => transformed
                .with_given(self.position(given))
                .expect("the size of the puzzle"),
        }
    }

    /// The position after the transform.
    fn position(self, position: &Position) -> Position {
        let (filled, empty) = position.grids();
        Position::of_grids(self.grid(filled), self.grid(empty))
    }

    /// The clues of the rows and columns after the transform.
    fn clues(self, [mut rows, mut columns]: [&[Clue]; 2]) -> [Vec<Clue>; 2] {
        if self.diagonal {
            std::mem::swap(&mut rows, &mut columns);
        }
        [
            mirrored(rows, self.upside_down, self.left_right),
            mirrored(columns, self.left_right, self.upside_down),
        ]
    }
}

/// These clues in reverse order, and each with its blocks in reverse order, if wanted.
fn mirrored(clues: &[Clue], reverse_lines: bool, reverse_blocks: bool) -> Vec<Clue> {
    let mut clues = clues.to_vec();
    if reverse_lines {
        clues.reverse();
    }
    if reverse_blocks {
        for clue in &mut clues {
            *clue = Clue::new(clue.lengths().rev()).expect("the same blocks");
        }
    }
    clues
}

impl fmt::Display for Transform {
    /// In words, such as `mirrored left to right`; `as it is` for the identity.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.diagonal, self.upside_down, self.left_right) {
            (false, false, false) => "as it is",
            (false, false, true) => "mirrored left to right",
            (false, true, false) => "mirrored top to bottom",
            (false, true, true) => "turned by half",
            (true, false, true) => "turned right",
            (true, true, false) => "turned left",
            (true, false, false) => "mirrored at the diagonal",
            (true, true, true) => "mirrored at the other diagonal",
        })
    }
}

/// A symmetry of a picture: it is the same after each of some transforms.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symmetry {
    /// The left half mirrors the right one.
    LeftRight,
    /// The upper half mirrors the lower one.
    TopBottom,
    /// Left-right and top-bottom.
    ///
    /// The four quarters are mirror images.
    Both,
    /// The same upside down.
    HalfTurn,
    /// The same after a quarter turn; square pictures.
    QuarterTurn,
    /// Mirrored at the main diagonal; square pictures.
    Diagonal,
    /// All of these; square pictures.
    ///
    /// All eight transforms leave the picture the same.
    Full,
}

impl Symmetry {
    /// The transforms that leave the picture the same; they form a group, and the identity is the first.
    pub fn transforms(self) -> &'static [Transform] {
        const LEFT_RIGHT: Transform = Transform::ALL[1];
        const TOP_BOTTOM: Transform = Transform::ALL[2];
        const HALF: Transform = Transform::ALL[3];
        const RIGHT: Transform = Transform::ALL[4];
        const LEFT: Transform = Transform::ALL[5];
        const DIAGONAL: Transform = Transform::ALL[6];
        match self {
            Symmetry::LeftRight => &[Transform::IDENTITY, LEFT_RIGHT],
            Symmetry::TopBottom => &[Transform::IDENTITY, TOP_BOTTOM],
            Symmetry::Both => &[Transform::IDENTITY, LEFT_RIGHT, TOP_BOTTOM, HALF],
            Symmetry::HalfTurn => &[Transform::IDENTITY, HALF],
            Symmetry::QuarterTurn => &[Transform::IDENTITY, RIGHT, HALF, LEFT],
            Symmetry::Diagonal => &[Transform::IDENTITY, DIAGONAL],
            Symmetry::Full => &Transform::ALL,
        }
    }

    /// Whether only square pictures can have this symmetry.
    pub fn needs_square(self) -> bool {
        self.transforms().iter().any(|transform| transform.diagonal)
    }

    /// Whether a picture has this symmetry.
    pub fn holds(self, grid: &Grid) -> bool {
        let mut transforms = self.transforms().iter();
        transforms.all(|transform| transform.grid(grid) == *grid)
    }
}

/// The canonical form of a puzzle: equal for puzzles that can be mirrored and turned into one another after the empty lines at their
/// borders are removed. No border is removed from a puzzle with given cells, nor from one whose other clues need the cells there, so that it
/// has no solution.
///
/// Any solution determines the clues. So up to the eight symmetries and empty borders, two solvable puzzles have the same canonical form if
/// and only if they have a common solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The puzzle in its canonical form, without notes.
    pub puzzle: Puzzle,
    /// The transforms that lead from the given puzzle, without its empty borders, to the canonical form; several if it is symmetric.
    pub transforms: Vec<Transform>,
    /// The empty lines removed from the given puzzle: above, below, left, right.
    pub borders: [usize; 4],
}

impl Canonical {
    /// The canonical form of a puzzle.
    ///
    /// ```
    /// use omnogram::Puzzle;
    /// use omnogram::design::Canonical;
    ///
    /// let puzzle = Puzzle::from_clues(&[vec![2], vec![1]], &[vec![2], vec![1]])?;
    /// let turned = Puzzle::from_clues(&[vec![], vec![1], vec![2]], &[vec![1], vec![2]])?;
    /// assert_eq!(Canonical::of(&puzzle).puzzle, Canonical::of(&turned).puzzle);
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn of(puzzle: &Puzzle) -> Self {
        let (trimmed, borders) = match puzzle.given() {
            None => without_borders(puzzle),
            Some(_) => (puzzle.clone(), [0; 4]),
        };
        let mut best: Option<Puzzle> = None;
        let mut transforms = Vec::new();
        for transform in Transform::ALL {
            let transformed = transform.puzzle(&trimmed);
            match best.as_ref().map(|best| compare(&transformed, best)) {
                Some(Ordering::Greater) => {}
                Some(Ordering::Equal) => transforms.push(transform),
                Some(Ordering::Less) | None => {
                    best = Some(transformed);
                    transforms = vec![transform];
                }
            }
        }
        Canonical {
            puzzle: best.expect("there are eight transforms"),
            transforms,
            borders,
        }
    }
}

/// The puzzle without the empty lines at its borders, and the numbers of those lines: above, below, left, right.
fn without_borders(puzzle: &Puzzle) -> (Puzzle, [usize; 4]) {
    let (rows, above, below) = trimmed(puzzle.rows());
    let (columns, left, right) = trimmed(puzzle.columns());
    match Puzzle::new(rows.to_vec(), columns.to_vec()) {
        Ok(trimmed) => (trimmed, [above, below, left, right]),
        Err(_) => (puzzle.clone(), [0; 4]),
    }
}

/// The clues without the empty lines at both ends, and the numbers of those lines; one line is kept if all are empty.
fn trimmed(clues: &[Clue]) -> (&[Clue], usize, usize) {
    let is_filled = |clue: &Clue| !clue.blocks().is_empty();
    let first = clues.iter().position(is_filled).unwrap_or(clues.len() - 1);
    let last = clues.iter().rposition(is_filled).unwrap_or(first);
    (&clues[first..=last], first, clues.len() - 1 - last)
}

/// A total order of puzzles: by the numbers of rows, by the rows, then the columns likewise, and then by the given cells.
fn compare(a: &Puzzle, b: &Puzzle) -> Ordering {
    let [of_a, of_b] = [a, b].map(|puzzle| {
        let sides = [puzzle.rows(), puzzle.columns()];
        sides.map(|side| {
            let blocks: Vec<_> = side.iter().map(Clue::blocks).collect();
            (side.len(), blocks)
        })
    });
    of_a.cmp(&of_b)
        .then_with(|| a.given_cells().cmp(b.given_cells()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid::from_rows(&["##..#", "#.#..", ".#..."]).unwrap()
    }

    #[test]
    fn transforms_form_a_group() {
        let grid = grid();
        for first in Transform::ALL {
            assert_eq!(first.then(first.inverse()), Transform::IDENTITY);
            for second in Transform::ALL {
                assert_eq!(
                    first.then(second).grid(&grid),
                    second.grid(&first.grid(&grid))
                );
            }
        }
    }

    #[test]
    fn puzzles_are_transformed_as_their_pictures() {
        let puzzle = Puzzle::from_grid(&grid());
        for transform in Transform::ALL {
            assert_eq!(
                transform.puzzle(&puzzle),
                Puzzle::from_grid(&transform.grid(&grid()))
            );
        }
    }

    /// Once, a clue that needs the cells of an empty border made it panic.
    #[test]
    fn a_border_that_a_clue_needs_stays() {
        let puzzle = Puzzle::from_clues(&[vec![], vec![1]], &[vec![2], vec![]]).unwrap();
        let canonical = Canonical::of(&puzzle);
        assert_eq!(canonical.borders, [0; 4]);
        assert_eq!(canonical.puzzle.height() * canonical.puzzle.width(), 4);
    }

    #[test]
    fn the_canonical_form_ignores_symmetries_and_empty_borders() {
        let canonical = Canonical::of(&Puzzle::from_grid(&grid()));
        let mut padded = Grid::new(9, 8);
        for transform in Transform::ALL {
            let transformed = transform.grid(&grid());
            let other = Canonical::of(&Puzzle::from_grid(&transformed));
            assert_eq!(other.puzzle, canonical.puzzle);
            let back = transform.then(other.transforms[0]);
            assert!(canonical.transforms.contains(&back));
            for (row, column) in (0..8).flat_map(|row| (0..9).map(move |column| (row, column))) {
                let inside = (1..=transformed.height()).contains(&row)
                    && (2..transformed.width() + 2).contains(&column);
                padded.set(row, column, inside && transformed.get(row - 1, column - 2));
            }
            let padded = Canonical::of(&Puzzle::from_grid(&padded));
            assert_eq!(padded.puzzle, canonical.puzzle);
            assert_eq!((padded.borders[0], padded.borders[2]), (1, 2));
        }
        let empty = Canonical::of(&Puzzle::from_grid(&Grid::new(3, 5)));
        assert_eq!(
            (empty.puzzle.width(), empty.puzzle.height(), empty.borders),
            (1, 1, [4, 0, 2, 0])
        );
    }

    #[test]
    fn symmetric_pictures_are_recognised() {
        let picture = |rows: &[&str]| Grid::from_rows(rows).unwrap();
        let heart = picture(&[".#.#.", "#####", ".###.", "..#.."]);
        assert!(Symmetry::LeftRight.holds(&heart) && !Symmetry::TopBottom.holds(&heart));
        assert!(!Symmetry::Full.holds(&heart));
        let wheel = picture(&["##.", ".#.", ".##"]);
        assert!(Symmetry::HalfTurn.holds(&wheel) && !Symmetry::QuarterTurn.holds(&wheel));
        assert!(Symmetry::Full.holds(&picture(&["#.#", ".#.", "#.#"])));
    }
}
