//! Designs in the JSON form that the command prints.

use serde::{Serialize, Serializer};

use super::round_to_micros;
use crate::board::Cell;
use crate::design::{Ambiguity, Generated, Method, Profile, Region, Repaired, Revealed, Step};
use crate::puzzle::{Grid, Puzzle};
use crate::render::differing;
use crate::search::{Outcome, Verdict};
use crate::solutions::{Count, Stop};

/// The fields of an [`Ambiguity`].
#[derive(Serialize)]
struct AmbiguityFields<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    examples: &'a [Grid],
    /// The cells in which the two examples differ, as row and column from 0.
    differs: Vec<(usize, usize)>,
    ambiguous: usize,
    undecided: usize,
    regions: &'a [Region],
    closest: Option<usize>,
}

/// The fields of a [`Region`].
#[derive(Serialize)]
struct RegionFields<'a> {
    r#box: [usize; 4],
    cells: usize,
    fillings: &'a Count,
    exact: bool,
}

/// The fields of a [`Profile`].
#[derive(Serialize)]
struct ProfileFields<'a> {
    method: Method,
    line_solvable: bool,
    sweeps: usize,
    /// Number of lines that help at the narrowest place, and number of open lines there.
    narrowest: Option<usize>,
    narrowest_of: Option<usize>,
    /// For each round of line solving: lines that help, open lines, unknown cells.
    rounds: Vec<[usize; 3]>,
    /// As text, since it may exceed the range of numbers in JSON readers.
    hardest: Option<&'a Count>,
    /// Number of cells that lines alone leave unknown.
    unknown: usize,
    probes: u64,
    depth: Option<u32>,
    stopped: Option<Stop>,
}

/// The fields of a [`Generated`] puzzle.
#[derive(Serialize)]
struct GeneratedFields<'a> {
    number: u64,
    /// The fields of the puzzle, if there is one, its goal among them.
    #[serde(flatten)]
    puzzle: PuzzleOrSize<'a>,
    made: bool,
    unique: bool,
    method: Option<Method>,
    attempts: u64,
    changed: usize,
    stopped: Option<Stop>,
    settles: u64,
    nodes: u64,
    seconds: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PuzzleOrSize<'a> {
    Puzzle(&'a Puzzle),
    Size { width: usize, height: usize },
}

/// The fields of a [`Repaired`].
#[derive(Serialize)]
struct RepairedFields<'a> {
    flips: Option<CellList<'a>>,
    minimal: bool,
    none_within: Option<usize>,
    alternatives: Vec<CellList<'a>>,
    stopped: Option<Stop>,
    seconds: f64,
}

/// The fields of a [`Revealed`].
#[derive(Serialize)]
struct RevealedFields<'a> {
    reveal: Option<CellList<'a>>,
    minimal: bool,
    none_within: Option<usize>,
    stopped: Option<Stop>,
    seconds: f64,
}

/// Cells as `[row, column]`, from 1.
struct CellList<'a>(&'a [Cell]);

impl Serialize for CellList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = |cell: &Cell| [u32::from(cell.row) + 1, u32::from(cell.column) + 1];
        serializer.collect_seq(self.0.iter().map(place))
    }
}

/// As an object with the fields `flips`, `minimal`, `none_within`, `alternatives`, `stopped` and `seconds`. Cells are `[row, column]`, from
/// 1.
impl Serialize for Repaired {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = RepairedFields {
            flips: self.flips.as_deref().map(CellList),
            minimal: self.minimal,
            none_within: self.none_within,
            alternatives: self
                .alternatives
                .iter()
                .map(|flips| CellList(flips))
                .collect(),
            stopped: self.stopped,
            seconds: round_to_micros(self.elapsed.as_secs_f64()),
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields `reveal`, `minimal`, `none_within`, `stopped` and `seconds`. Cells are `[row, column]`, from 1.
impl Serialize for Revealed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = RevealedFields {
            reveal: self.cells.as_deref().map(CellList),
            minimal: self.minimal,
            none_within: self.none_within,
            stopped: self.stopped,
            seconds: round_to_micros(self.elapsed.as_secs_f64()),
        };
        fields.serialize(serializer)
    }
}

/// The fields of a [`Step`].
#[derive(Serialize)]
struct StepFields<'a> {
    line: String,
    /// Row and column from 1, and the sign of the value.
    cells: Vec<(u16, u16, char)>,
    reason: String,
    words: &'a str,
    /// The cell that is tried; the sign is `?` if it is tried both ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<(u16, u16, char)>,
    /// The lines that lead to a contradiction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    chain: Vec<String>,
}

/// As an object with the fields of its [`Outcome`], `examples` (the solutions), `differs` (the cells in which the two differ, as row and
/// column from 0), `ambiguous` and `undecided` (numbers of cells), `regions` and `closest`.
impl Serialize for Ambiguity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has_solution = self.outcome.solutions.verdict() != Verdict::None;
        let fields = AmbiguityFields {
            outcome: &self.outcome,
            examples: &self.solutions,
            differs: match &self.solutions[..] {
                [first, second] => differing(first, second),
                _ => Vec::new(),
            },
            ambiguous: self.backbone.differing(),
            // Without a solution there is no undecided cell.
            undecided: if has_solution {
                self.backbone.undecided()
            } else {
                0
            },
            regions: &self.regions,
            closest: self.closest(),
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields `box` (as [`Region::bounds`]), `cells` (their number), `fillings` and `exact`.
impl Serialize for Region {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = RegionFields {
            r#box: self.bounds(),
            cells: self.cells.len(),
            fillings: self.fillings.number(),
            exact: self.fillings.is_exact(),
        };
        fields.serialize(serializer)
    }
}

/// As its name.
impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// As an object with the fields `method`, `line_solvable`, `sweeps`, `narrowest`, `narrowest_of`, `rounds` (lists of the lines that help,
/// the open lines and the unknown cells), `hardest`, `unknown`, `probes`, `depth` and `stopped`.
impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let narrowest = self.narrowest();
        let rounds = self.rounds.iter();
        let fields = ProfileFields {
            method: self.method,
            line_solvable: self.line_solvable(),
            sweeps: self.sweeps,
            narrowest: narrowest.map(|round| round.helping),
            narrowest_of: narrowest.map(|round| round.open),
            rounds: rounds
                .map(|round| [round.helping, round.open, round.unknown])
                .collect(),
            hardest: self.hardest.as_ref(),
            unknown: self.unknown,
            probes: self.probes,
            depth: self.depth,
            stopped: self.stopped,
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields `line` (`row 3`), `cells` (lists of row and column from 1, and `#` or `.`), `reason`, `words`, and for a
/// cell that is tried `tried` and `chain`.
impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let signed = |cell: Cell, value: Option<bool>| {
            let sign = match value {
                Some(true) => '#',
                Some(false) => '.',
                None => '?',
            };
            (cell.row + 1, cell.column + 1, sign)
        };
        let cells = self.cells.iter();
        let fields = StepFields {
            line: self.line.to_string(),
            cells: cells
                .map(|&(cell, value)| signed(cell, Some(value)))
                .collect(),
            reason: self.reason.to_string(),
            words: &self.words,
            tried: self.tried.map(|(cell, value)| signed(cell, value)),
            chain: self.chain.iter().map(ToString::to_string).collect(),
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields of the puzzle, its goal among them, or without one `width` and `height` alone; and with `number`, `made`,
/// `unique`, `method`, `attempts`, `changed`, `stopped`, `settles`, `nodes` and `seconds`.
impl Serialize for Generated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = GeneratedFields {
            number: self.number,
            puzzle: match &self.puzzle {
                Some(puzzle) => PuzzleOrSize::Puzzle(puzzle),
                None => PuzzleOrSize::Size {
                    width: self.width,
                    height: self.height,
                },
            },
            made: self.puzzle.is_some(),
            unique: self.unique,
            method: self.method,
            attempts: self.attempts,
            changed: self.changed,
            stopped: self.stopped,
            settles: self.settles,
            nodes: self.nodes,
            seconds: round_to_micros(self.elapsed.as_secs_f64()),
        };
        fields.serialize(serializer)
    }
}
