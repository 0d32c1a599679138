//! The results in the JSON form that the command prints.
//!
//! Numbers of solutions are decimal text, since they may exceed the range of numbers in JSON readers; shares and seconds have six decimals.

use serde::{Serialize, Serializer};

use crate::board::Cell;
use crate::design::{Ambiguity, Generated, Method, Profile, Region, Repaired, Revealed, Step};
use crate::estimate::Estimate;
use crate::format::json;
use crate::graph::CellCounts;
use crate::puzzle::{Clue, Grid, Puzzle};
use crate::render::differing;
use crate::run::Statistics;
use crate::search::{Outcome, Total, Verdict};
use crate::solutions::{Count, Rough, Stop};

/// The fields of a [`Total`].
#[derive(Serialize)]
struct TotalFields<'a> {
    verdict: Verdict,
    solutions: &'a Count,
    /// A large number in a few digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    magnitude: Option<Rough>,
    exact: bool,
}

/// The fields that all results of runs share.
#[derive(Serialize)]
struct OutcomeFields<'a> {
    #[serde(flatten)]
    solutions: &'a Total,
    stopped: Option<Stop>,
    nodes: u64,
    seconds: f64,
    statistics: &'a Statistics,
}

/// The fields of an [`Estimate`].
#[derive(Serialize)]
struct EstimateFields<'a> {
    #[serde(flatten)]
    outcome: OutcomeFields<'a>,
    estimate: EstimateFigures,
}

#[derive(Serialize)]
struct EstimateFigures {
    /// The estimate in a few digits, as text like the number of solutions.
    number: Option<String>,
    log10: Option<f64>,
    standard_error: Option<f64>,
    /// Whether the number and its standard error are reliable; if not, `warning` says why.
    trusted: bool,
    warning: Option<String>,
    dives: u64,
    /// The share of dives that ended in a dead end, from 0 to 1.
    dead_ends: f64,
    /// As text, since it may exceed the range of numbers in JSON readers.
    seed: String,
}

/// The fields of [`CellCounts`].
#[derive(Serialize)]
struct CellCountsFields<'a> {
    /// For each cell, row by row, the number of solutions in which it is filled.
    numerators: Vec<Vec<&'a Count>>,
    /// The number of all solutions.
    denominator: &'a Count,
}

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

/// As decimal text.
impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As text: `5.2e15`.
impl Serialize for Rough {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:e}"))
    }
}

/// As one word.
impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As one word.
impl Serialize for Stop {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As an object with the fields `verdict`, `solutions`, `magnitude` (only for ten digits or more) and `exact`.
impl Serialize for Total {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.number();
        let fields = TotalFields {
            verdict: self.verdict(),
            solutions: number,
            magnitude: number.rough(),
            exact: self.is_exact(),
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields of its [`Total`], `stopped`, `nodes`, `seconds` and `statistics`. The open cubes are not part of it.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = OutcomeFields {
            solutions: &self.solutions,
            stopped: self.stopped,
            nodes: self.statistics.nodes,
            seconds: round_to_micros(self.elapsed.as_secs_f64()),
            statistics: &self.statistics,
        };
        fields.serialize(serializer)
    }
}

/// As an object with the fields of an [`Outcome`], and `estimate`.
impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.number.filter(|number| !number.is_zero());
        let rough = number.and_then(|number| number.rough(4));
        let fields = EstimateFields {
            outcome: OutcomeFields {
                solutions: &self.solutions,
                stopped: self.stopped,
                nodes: self.statistics.nodes,
                seconds: round_to_micros(self.elapsed.as_secs_f64()),
                statistics: &self.statistics,
            },
            estimate: EstimateFigures {
                number: match self.number {
                    Some(number) if number.is_zero() => Some("0".to_owned()),
                    _ => rough.map(|rough| format!("{rough:e}")),
                },
                log10: number.map(|number| round_to_micros(number.log10())),
                standard_error: self.standard_error.map(round_to_micros),
                trusted: self.doubt.is_none(),
                warning: self.doubt.map(|doubt| doubt.to_string()),
                dives: self.particles,
                dead_ends: round_to_micros(self.dead_end_share()),
                seed: self.seed.to_string(),
            },
        };
        fields.serialize(serializer)
    }
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
            undecided: match has_solution {
                true => self.backbone.undecided(),
                false => 0,
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

/// As an object with the fields `numerators`, rows of decimal texts, and `denominator`, the number of all solutions.
impl Serialize for CellCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = |row| {
            let cells = (0..self.width()).map(|column| self.filled(Cell::new(row, column)));
            cells.collect()
        };
        let fields = CellCountsFields {
            numerators: (0..self.height()).map(row).collect(),
            denominator: self.count(),
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

/// As the list of its rows: `["#.", ".#"]`.
impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.to_string().lines())
    }
}

/// As the list of the lengths of its blocks.
impl Serialize for Clue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.lengths())
    }
}

/// As an object in the [JSON format](crate::format::json).
impl Serialize for Puzzle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(json::members(self))
    }
}

/// A number rounded to six decimals, in seconds a microsecond.
fn round_to_micros(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).unwrap()
    }

    #[test]
    fn a_puzzle_is_the_same_as_in_its_format() {
        let mut puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.", "##"]).unwrap());
        let notes = puzzle.notes().clone().title("Corner".to_owned());
        puzzle = puzzle.with_notes(notes).unwrap();
        let text = json(&puzzle);
        let wanted =
            r#"{"title":"Corner","width":2,"height":2,"rows":[[1],[2]],"columns":[[2],[1]]}"#;
        assert_eq!(text, wanted);
        assert_eq!(text.parse::<Puzzle>().unwrap(), puzzle);
    }

    #[test]
    fn large_numbers_have_a_magnitude() {
        let number: Count = "12345678901234567890".parse().unwrap();
        let wanted = r#"{"verdict":"multiple","solutions":"12345678901234567890","magnitude":"1.2e19","exact":false}"#;
        assert_eq!(json(&Total::AtLeast(number)), wanted);
        let wanted = r#"{"verdict":"none","solutions":"0","exact":true}"#;
        assert_eq!(json(&Total::Exactly(Count::ZERO)), wanted);
    }
}
