//! The profile of a puzzle: how it can be solved, in figures that a person understands.
//!
//! Studies find that the node counts of solvers do not predict what people find hard, so there is no single grade. The sweeps are those of
//! Batenburg, Henstra, Kosters and Palenstijn, "Constructing simple nonograms of varying difficulty", Pure Mathematics and Applications 20
//! (2009): a *simple* nonogram is solved by settling all rows, then all columns, in turn, and the number of sweeps is its difficulty.

use std::fmt;

use super::nested::Nested;
use super::rounds::{self, Ended, Round};
use crate::board::{Board, Clues};
use crate::format::plural;
use crate::line::{Word, by_width};
use crate::puzzle::{Line, Position, Puzzle};
use crate::run::{Control, Instant, Limits, Pace};
use crate::search::{Search, Verdict};
use crate::solutions::{Count, Stop};

/// The simplest method that solves a puzzle.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Method {
    /// Single lines are enough.
    ///
    /// They are settled over and over.
    Lines,
    /// A cell must be tried both ways.
    ///
    /// Probing is enough: an unknown cell is tried both ways, and each time lines are settled. If one way ends in a contradiction, the cell
    /// has the other value; cells on which both ways agree are decided too.
    Probing,
    /// A cell must be tried, and others within the trial.
    ///
    /// Probing within probing is enough: a cell is tried, and probing ends in a contradiction.
    #[cfg_attr(feature = "cli", value(name = "nested-2"))]
    Nested2,
    /// None of these is enough.
    ///
    /// A search shows that the puzzle has one solution.
    Search,
    /// There is no way to deduce the solution, because there are several.
    #[cfg_attr(feature = "cli", value(skip))]
    Multiple,
    /// The puzzle has no solution.
    #[cfg_attr(feature = "cli", value(skip))]
    None,
    /// The run was stopped before this was decided.
    #[cfg_attr(feature = "cli", value(skip))]
    Undecided,
}

impl Method {
    /// All methods, the simplest first.
    pub const ALL: [Method; 7] = [
        Method::Lines,
        Method::Probing,
        Method::Nested2,
        Method::Search,
        Method::Multiple,
        Method::None,
        Method::Undecided,
    ];

    /// Its name: `lines`, `probing`, `nested 2`, `search`, `multiple`, `none` or `undecided`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Lines => "lines",
            Method::Probing => "probing",
            Method::Nested2 => "nested 2",
            Method::Search => "search",
            Method::Multiple => "multiple",
            Method::None => "none",
            Method::Undecided => "undecided",
        }
    }
}

impl fmt::Display for Method {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a puzzle can be solved.
///
/// It is displayed as a sentence. With the feature `serde` it is serialized as an object.
///
/// ```
/// use omnogram::design::{Method, Profile};
/// use omnogram::{Limits, Puzzle};
///
/// let puzzle = Puzzle::from_clues(&[vec![1], vec![1, 1], vec![4]], &[vec![3], vec![1], vec![1], vec![2]])?;
/// let profile = Profile::of(&puzzle, &Limits::default());
/// assert_eq!((profile.method, profile.sweeps), (Method::Lines, 2));
/// assert_eq!(profile.to_string(), "Solved by lines alone in 2 sweeps; at the narrowest place 3 lines of 7 help.");
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The simplest method that solves the puzzle.
    pub method: Method,
    /// Number of cells.
    pub cells: usize,
    /// Number of sweeps: all rows are settled, then all columns, then all rows, and so on in turn. A sweep is one side, as in the paper
    /// above, and the last one counted is the last that decides a cell.
    pub sweeps: usize,
    /// The rounds of line solving in which a line decides a cell, with the number of lines that do.
    pub rounds: Vec<Round>,
    /// The hardest single line: if the line with the fewest arrangements of those that decide a cell is always settled first, the largest
    /// number of arrangements of a line at that moment. No order of lines has a smaller one. `None` if no line decides a cell.
    pub hardest: Option<Count>,
    /// Number of cells that lines alone leave unknown.
    pub unknown: usize,
    /// Number of probes that decided a cell, when unknown cells are probed in reading order, over and over. Other orders may need fewer.
    pub probes: u64,
    /// The least depth of nested probing that solves the puzzle: 0 by lines alone, 1 by probing, 2 by probing within probing; `None` if
    /// these are not enough.
    pub depth: Option<u32>,
    /// Why the run was stopped, if it was. The figures are those found until then.
    pub stopped: Option<Stop>,
}

impl Profile {
    /// Finds the profile of a puzzle.
    ///
    /// Nearly all puzzles in print are solved by lines, which takes well under a millisecond for 30x30 cells. Where probing is not enough,
    /// a search decides whether there is one solution; if so, probing within probing is tried, which may take seconds. Probes count as
    /// nodes.
    pub fn of(puzzle: &Puzzle, limits: &Limits) -> Profile {
        Self::find(puzzle, limits, false)
    }

    /// The same for a puzzle that is known to have exactly one solution, so that no search is needed.
    pub fn of_unique(puzzle: &Puzzle, limits: &Limits) -> Profile {
        Self::find(puzzle, limits, true)
    }

    fn find(puzzle: &Puzzle, limits: &Limits, unique: bool) -> Profile {
        let start = Instant::now();
        let control = Control::new(limits, false);
        let mut profile = Profile {
            method: Method::Undecided,
            cells: puzzle.width() * puzzle.height(),
            sweeps: 0,
            rounds: Vec::new(),
            hardest: None,
            unknown: puzzle.width() * puzzle.height(),
            probes: 0,
            depth: None,
            stopped: None,
        };
        let mut verdict = || {
            if unique {
                return (Verdict::Unique, None);
            }
            let limits = limits.left_since(start).solutions(2);
            let (_, outcome) = Search::new(puzzle).limits(limits).first(2);
            (outcome.solutions.verdict(), outcome.stopped)
        };
        profile.method = by_width!(puzzle.width().max(puzzle.height()), W => {
            profile.find_in::<W>(puzzle, &control, &mut verdict)
        });
        profile.depth = match profile.method {
            Method::Lines => Some(0),
            Method::Probing => Some(1),
            Method::Nested2 => Some(2),
            _ => None,
        };
        if profile.method == Method::Undecided {
            profile.stopped = profile.stopped.or(control.reason());
        }
        profile
    }

    /// Fills in the figures, and returns the method.
    fn find_in<W: Word>(
        &mut self,
        puzzle: &Puzzle,
        control: &Control,
        verdict: &mut dyn FnMut() -> (Verdict, Option<Stop>),
    ) -> Method {
        let clues = Clues::new(puzzle);
        let mut pace = Pace::new(control);
        let mut board = Board::<W>::new(&clues);
        let mut ended;
        (self.sweeps, ended) = rounds::sweeps(&mut board, &mut pace);
        self.unknown = board.unknown();
        match ended {
            Ended::Fixpoint => {}
            Ended::Contradiction => return Method::None,
            Ended::Stopped => return Method::Undecided,
        }
        (self.rounds, ended) = rounds::rounds(&mut Board::<W>::new(&clues), usize::MAX, &mut pace);
        self.hardest = rounds::hardest::<W>(puzzle, &clues, &mut pace);
        if ended == Ended::Stopped || control.stopped() {
            return Method::Undecided;
        }
        if self.unknown == 0 {
            return Method::Lines;
        }
        let mut nested = Nested::new(&mut board, control);
        ended = nested.probe();
        self.probes = nested.probes;
        match ended {
            Ended::Contradiction => return Method::None,
            Ended::Stopped => return Method::Undecided,
            Ended::Fixpoint if nested.board.unknown() == 0 => return Method::Probing,
            Ended::Fixpoint => {}
        }
        match verdict() {
            (Verdict::None, _) => return Method::None,
            (Verdict::Multiple, _) => return Method::Multiple,
            (Verdict::Undecided, stopped) => {
                self.stopped = stopped;
                return Method::Undecided;
            }
            (Verdict::Unique, _) => {}
        }
        ended = nested.probe_within();
        self.probes = nested.probes;
        match ended {
            Ended::Contradiction => Method::None,
            Ended::Stopped => Method::Undecided,
            Ended::Fixpoint if nested.board.unknown() == 0 => Method::Nested2,
            Ended::Fixpoint => Method::Search,
        }
    }

    /// Whether single lines are enough. [`line_solvable`] finds only this, and faster.
    pub fn line_solvable(&self) -> bool {
        self.method == Method::Lines
    }

    /// The narrowest place: the round in which the smallest share of the open lines helps, the first of several.
    pub fn narrowest(&self) -> Option<Round> {
        self.narrowest_index().map(|index| self.rounds[index])
    }

    fn narrowest_index(&self) -> Option<usize> {
        // The shares are helping / open.
        (0..self.rounds.len()).min_by(|&first, &second| {
            let [first, second] = [first, second].map(|index| &self.rounds[index]);
            (first.helping * second.open).cmp(&(second.helping * first.open))
        })
    }

    /// Where the [narrowest](Self::narrowest) place is: the known cells before that round, and the lines that help in it. The profile must
    /// be that of `puzzle`. `None` if no line helps, or if a limit stops it. Takes about as long as solving the puzzle by lines.
    ///
    /// ```
    /// use omnogram::design::Profile;
    /// use omnogram::puzzle::{Line, Puzzle};
    /// use omnogram::Limits;
    ///
    /// let puzzle = Puzzle::from_clues(&[[1], [2]], &[[1], [2]])?;
    /// let profile = Profile::of(&puzzle, &Limits::default());
    /// let (position, lines) = profile.narrowest_place(&puzzle, &Limits::default()).unwrap();
    /// assert_eq!(position.to_string(), "??\n??\n");
    /// assert_eq!(lines, [Line::Row(1), Line::Column(1)]);
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn narrowest_place(
        &self,
        puzzle: &Puzzle,
        limits: &Limits,
    ) -> Option<(Position, Vec<Line>)> {
        let index = self.narrowest_index()?;
        let clues = Clues::new(puzzle);
        let control = Control::new(limits, false);
        let mut pace = Pace::new(&control);
        by_width!(puzzle.width().max(puzzle.height()), W => {
            let (board, lines) = rounds::before_round::<W>(&clues, index, &mut pace)?;
            Some((Position::of_board(&board), lines))
        })
    }
}

impl fmt::Display for Profile {
    /// A sentence, or two clauses: how far lines lead, and what then.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NESTED: &str = "probing within probing (depth 2)";
        let sweeps = plural(self.sweeps, "sweep");
        let (decided, cells) = (self.cells - self.unknown, plural(self.cells, "cell"));
        let lines = format!("Lines alone decide {decided} of {cells} in {sweeps}");
        let probes = match self.probes {
            1 => "one cell needs a probe".to_owned(),
            probes => format!("{probes} cells need a probe"),
        };
        match self.method {
            Method::Lines => {
                write!(f, "Solved by lines alone in {sweeps}")?;
                let Some(Round { helping, open, .. }) = self.narrowest() else {
                    return f.write_str(".");
                };
                f.write_str("; at the narrowest place ")?;
                match helping {
                    1 => write!(f, "one line of {open} helps."),
                    _ => write!(f, "{helping} lines of {open} help."),
                }
            }
            Method::Probing => write!(f, "{lines}; probing decides the others: {probes}."),
            Method::Nested2 => write!(f, "{lines}; {NESTED} decides the others: {probes}."),
            Method::Search => {
                let fails = "does not decide all others: it takes a search";
                write!(f, "{lines}; {NESTED} {fails}.")
            }
            Method::Multiple => write!(f, "{lines}; the puzzle has several solutions."),
            Method::None => f.write_str("The puzzle has no solution."),
            Method::Undecided => {
                let ends = "stopped before a method was found that decides the others";
                write!(f, "{lines}; {ends}.")
            }
        }
    }
}

/// Whether single lines alone solve a puzzle, which then has exactly one solution.
///
/// Takes a few microseconds for 10x10 cells and some 50 for 30x30. [`Profile::of`] gives figures too.
///
/// ```
/// use omnogram::{Puzzle, design};
///
/// assert!(design::line_solvable(&Puzzle::from_clues(&[[2], [1]], &[[2], [1]])?));
/// assert!(!design::line_solvable(&Puzzle::from_clues(&[[1], [1]], &[[1], [1]])?));
/// # Ok::<(), omnogram::Error>(())
/// ```
pub fn line_solvable(puzzle: &Puzzle) -> bool {
    by_lines(puzzle, || false) == Some(Verdict::Unique)
}

/// What lines alone tell of a puzzle; `None` if `stop`, called between two lines, returns `true`.
pub(super) fn by_lines(puzzle: &Puzzle, stop: impl FnMut() -> bool) -> Option<Verdict> {
    by_width!(puzzle.width().max(puzzle.height()), W => {
        let clues = Clues::new(puzzle);
        let mut board = Board::<W>::new(&clues);
        Some(match (board.propagate_unless(stop)?, board.unknown()) {
            (false, _) => Verdict::None,
            (true, 0) => Verdict::Unique,
            (true, _) => Verdict::Undecided,
        })
    })
}
