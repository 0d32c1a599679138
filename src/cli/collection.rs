//! Collections of puzzles in `omnogram check`: which answers are printed, a table, duplicates, and the summary at the end.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use clap::{Args, ValueEnum};
use omnogram::cluster::{Digest, SetDigest};
use omnogram::design::{self, Canonical, Method, Profile, Transform};
use omnogram::error::Error;
use omnogram::puzzle::{Grid, Puzzle, verify};
use omnogram::render::differing;
use omnogram::search::{Outcome, Verdict};
use omnogram::solutions::Stop;

use super::ambiguity::Examination;
use super::messages;
use super::output::print;
use super::report::Form;
use super::session::Session;
use super::status::{Answered, Status, usage};
use super::words::{DuplicateFields, Subject, counted, goal};

/// Options for many puzzles.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Options for collections")]
pub(super) struct CollectionOptions {
    /// Print only puzzles with these verdicts, separated by commas; the summary and the exit status are those of all puzzles
    #[arg(long, value_name = "VERDICTS", value_delimiter = ',')]
    only: Vec<Class>,

    /// What every puzzle must be for exit status 0
    #[arg(long, value_name = "WHAT", default_value = "unique")]
    require: Requirement,

    /// Print a table: a line of names, and one line for each puzzle with its values separated by commas
    #[arg(long, conflicts_with_all = ["json", "pictures", "svg", "html"])]
    csv: bool,

    /// The form of the answers [default: text]
    #[arg(long, value_name = "FORM", conflicts_with_all = ["json", "csv"])]
    format: Option<Form>,

    /// Name puzzles that are the same as an earlier one when mirrored, turned, or without empty lines at the borders: they have the same
    /// solutions
    #[arg(long)]
    duplicates: bool,
}

/// The puzzles that `--only` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Class {
    /// No solution.
    None,
    /// Exactly one.
    Unique,
    /// Exactly one, and single lines alone find it.
    LineSolvable,
    /// More than one.
    Multiple,
    /// The run was stopped before this was decided.
    Undecided,
}

/// What `--require` asks of all puzzles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Requirement {
    /// Exactly one solution.
    #[default]
    Unique,
    /// Exactly one solution that single lines alone find.
    LineSolvable,
}

impl CollectionOptions {
    /// The form of the answers; `json` is whether --json is given. An error if they cannot be drawn in that form, and are `drawn`.
    pub(super) fn form(&self, json: bool, drawn: bool) -> Result<Form, Error> {
        let form = match (self.format, self.csv, json) {
            (Some(form), ..) => form,
            (None, true, _) => Form::Csv,
            (None, _, true) => Form::Json,
            (None, false, false) => Form::Text,
        };
        if drawn && (form == Form::Csv || form.is_report()) {
            return Err(usage(
                "--pictures, --svg and --html need --format text or json",
            ));
        }
        Ok(form)
    }

    /// Whether it is asked which puzzles single lines alone solve.
    fn asks_lines(&self) -> bool {
        self.only.contains(&Class::LineSolvable) || self.require == Requirement::LineSolvable
    }
}

#[derive(Debug)]
pub(super) enum Found {
    /// Up to two solutions.
    Solutions(Vec<Grid>, Box<Outcome>),
    /// With --full.
    Full(Box<Examination>),
}

impl Found {
    /// Up to two solutions, from a search that was limited to two.
    pub(super) fn two((solutions, mut outcome): (Vec<Grid>, Outcome)) -> Self {
        if solutions.len() == 2 {
            // The answer is complete.
            outcome.stopped = None;
        }
        Found::Solutions(solutions, Box::new(outcome))
    }

    pub(super) fn outcome(&self) -> &Outcome {
        match self {
            Found::Solutions(_, outcome) => outcome,
            Found::Full(examination) => &examination.ambiguity.outcome,
        }
    }

    /// Two solutions, the only one, or none.
    pub(super) fn solutions(&self) -> &[Grid] {
        match self {
            Found::Solutions(solutions, _) => solutions,
            Found::Full(examination) => &examination.ambiguity.solutions,
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.outcome().solutions.verdict()
    }

    /// Why a run was stopped before its answer was complete, if one was.
    pub(super) fn stopped(&self) -> Option<Stop> {
        match self {
            Found::Solutions(_, outcome) => outcome.stopped,
            Found::Full(examination) => examination.stopped(),
        }
    }

    /// Whether single lines alone solve the puzzle of which this was found; `None` if the run was stopped before this was decided.
    fn line_solvable(&self, puzzle: &Puzzle) -> Option<bool> {
        match (self.verdict(), self.profile()) {
            (Verdict::Undecided, _) => None,
            (Verdict::None | Verdict::Multiple, _) => Some(false),
            (Verdict::Unique, None) => Some(design::line_solvable(puzzle)),
            (Verdict::Unique, Some(profile)) => {
                (profile.stopped.is_none()).then(|| profile.line_solvable())
            }
        }
    }

    fn examination(&self) -> Option<&Examination> {
        match self {
            Found::Solutions(..) => None,
            Found::Full(examination) => Some(examination),
        }
    }

    fn profile(&self) -> Option<&Profile> {
        self.examination()?.profile.as_ref()
    }
}

/// The first puzzle of those that are the same.
#[derive(Debug)]
struct First {
    name: String,
    transforms: Vec<Transform>,
    borders: [usize; 4],
    picture: Option<Digest>,
}

#[derive(Debug)]
struct Duplicate {
    of: String,
    /// The simplest transform that leads from it to this one, and what else differs.
    how: String,
}

/// What a collection has to do with the answer for a puzzle.
#[derive(Debug)]
pub(super) enum Shown {
    /// It is printed, with these fields if --duplicates is given.
    Answer(Option<DuplicateFields>),
    /// It is left out, or it is printed already, as a row of the table.
    Nothing,
}

/// What the collection knows of a puzzle that was added.
#[derive(Debug)]
pub(super) struct Added {
    pub(super) shown: Shown,
    /// Whether single lines alone solve it, if that is asked and known.
    pub(super) line_solvable: Option<bool>,
    /// Whether it is as required; stopped if that is not known.
    pub(super) required: Status,
    pub(super) status: Status,
}

/// The longest sides of the sizes in the summary.
const SIDES: [usize; 12] = [5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200, usize::MAX];

/// The state of a run over many puzzles. Of each puzzle it keeps a digest and a name, and only if duplicates are wanted.
#[derive(Debug)]
pub(super) struct Collection<'a> {
    options: &'a CollectionOptions,
    form: Form,
    full: bool,
    several: bool,
    /// Number of puzzles by their verdict, in the order of its variants.
    totals: [u64; 4],
    /// Number of puzzles that single lines alone solve, if that is asked.
    line_solvable: u64,
    methods: BTreeMap<Method, u64>,
    /// Number of puzzles by their longer side: the index in [`SIDES`].
    sizes: BTreeMap<usize, u64>,
    firsts: HashMap<Digest, First>,
    duplicates: u64,
    has_heading: bool,
}

impl<'a> Collection<'a> {
    /// No puzzles yet. `full`: whether each puzzle is examined in full.
    pub(super) fn new(options: &'a CollectionOptions, form: Form, full: bool) -> Self {
        Collection {
            options,
            form,
            full,
            several: false,
            totals: [0; 4],
            line_solvable: 0,
            methods: BTreeMap::new(),
            sizes: BTreeMap::new(),
            firsts: HashMap::new(),
            duplicates: 0,
            has_heading: false,
        }
    }

    /// Adds a puzzle, and prints its row if there is a table.
    pub(super) fn add(&mut self, subject: &Subject<'_>, found: &Found) -> Answered<Added> {
        let asks_lines = self.options.asks_lines();
        let line_solvable = asks_lines
            .then(|| found.line_solvable(subject.puzzle))
            .flatten();
        let is_lacking =
            self.options.require == Requirement::LineSolvable && line_solvable == Some(false);
        let required = match Status::from(found.verdict()) {
            Status::Complete if is_lacking => Status::NotUnique,
            status => status,
        };
        // --full may be stopped before it is known how a unique puzzle is solved.
        let needs_lines = self.options.require == Requirement::LineSolvable;
        let required = match required {
            Status::Complete if needs_lines && line_solvable.is_none() => Status::Stopped,
            required => required,
        };
        self.line_solvable += u64::from(line_solvable == Some(true));
        Ok(Added {
            shown: self.show(subject, found, line_solvable)?,
            line_solvable,
            required,
            status: required.max(Status::of(found.stopped())),
        })
    }

    fn show(
        &mut self,
        subject: &Subject<'_>,
        found: &Found,
        line_solvable: Option<bool>,
    ) -> Answered<Shown> {
        self.several |= subject.several;
        self.totals[found.verdict() as usize] += 1;
        if let Some(profile) = found.profile() {
            *self.methods.entry(profile.method).or_default() += 1;
        }
        let side = subject.puzzle.width().max(subject.puzzle.height());
        let size = SIDES.iter().position(|&most| side <= most);
        *self.sizes.entry(size.unwrap_or_default()).or_default() += 1;
        let wanted = self.options.duplicates;
        let duplicate = wanted.then(|| self.duplicate(subject)).flatten();
        self.duplicates += u64::from(duplicate.is_some());
        let only = &self.options.only;
        let verdict = found.verdict();
        let is_wanted = |class: &Class| match class {
            Class::LineSolvable => line_solvable == Some(true),
            Class::None => verdict == Verdict::None,
            Class::Unique => verdict == Verdict::Unique,
            Class::Multiple => verdict == Verdict::Multiple,
            Class::Undecided => verdict == Verdict::Undecided,
        };
        if !only.is_empty() && !only.iter().any(is_wanted) {
            return Ok(Shown::Nothing);
        }
        if self.form == Form::Csv {
            let row = self.row(subject, found, line_solvable, duplicate.as_ref());
            let (names, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
            if !std::mem::replace(&mut self.has_heading, true) {
                print(&(names.join(",") + "\n"))?;
            }
            print(&line(&values))?;
            return Ok(Shown::Nothing);
        }
        let fields = self.options.duplicates.then(|| DuplicateFields {
            duplicate_of: duplicate.as_ref().map(|duplicate| duplicate.of.clone()),
            duplicate_how: duplicate.as_ref().map(|duplicate| duplicate.how.clone()),
            text: duplicate.map_or(String::new(), |duplicate| {
                format!("{}: {duplicate}\n", subject.label())
            }),
        });
        Ok(Shown::Answer(fields))
    }

    /// How the puzzle is the same as an earlier one, if it is.
    fn duplicate(&mut self, subject: &Subject<'_>) -> Option<Duplicate> {
        let canonical = Canonical::of(subject.puzzle);
        let picture = picture(subject.puzzle, &canonical);
        match self.firsts.entry(Digest::of(&canonical.puzzle)) {
            Entry::Vacant(entry) => {
                entry.insert(First {
                    name: subject.raw_name.to_owned(),
                    transforms: canonical.transforms,
                    borders: canonical.borders,
                    picture,
                });
                None
            }
            Entry::Occupied(entry) => {
                let first = entry.get();
                // Every way from the first to the canonical form and from there to this puzzle.
                let there = first.transforms.iter();
                let ways = there.flat_map(|there| {
                    let back = canonical.transforms.iter();
                    back.map(|back| there.then(back.inverse()))
                });
                let transform = ways
                    .min_by_key(|way| Transform::ALL.iter().position(|other| other == way))
                    .unwrap_or(Transform::IDENTITY);
                let mut borders = [first.borders, canonical.borders];
                if transform != Transform::IDENTITY {
                    // The transform moves the borders too: only their presence is compared.
                    borders.iter_mut().for_each(|sides| sides.sort_unstable());
                }
                let mut how = transform.to_string();
                if borders[0] != borders[1] {
                    how.push_str(", with other empty borders");
                }
                if first.picture.zip(picture).is_some_and(|(a, b)| a != b) {
                    how.push_str(", with another goal");
                }
                Some(Duplicate {
                    of: first.name.clone(),
                    how,
                })
            }
        }
    }

    /// The row of a puzzle in the table: the name of each column, and the value.
    fn row(
        &self,
        subject: &Subject<'_>,
        found: &Found,
        line_solvable: Option<bool>,
        duplicate: Option<&Duplicate>,
    ) -> Vec<(&'static str, String)> {
        fn text(value: Option<impl fmt::Display>) -> String {
            value.map_or(String::new(), |value| value.to_string())
        }
        let differs = match found.solutions() {
            [first, second] => Some(differing(first, second).len()),
            _ => None,
        };
        let outcome = found.outcome();
        let mut row = vec![
            ("puzzle", messages::escaped(subject.raw_name).into_owned()),
            ("title", text(subject.title().map(messages::escaped))),
            ("width", subject.puzzle.width().to_string()),
            ("height", subject.puzzle.height().to_string()),
            ("verdict", found.verdict().to_string()),
            ("stopped", text(outcome.stopped)),
            ("goal", text(goal(subject.puzzle))),
            ("differs", text(differs)),
        ];
        if self.options.asks_lines() {
            row.push(("line_solvable", text(line_solvable)));
        }
        if let Some(Examination { ambiguity, profile }) = found.examination() {
            let profile = profile.as_ref();
            let narrowest = profile.and_then(Profile::narrowest);
            row.extend([
                ("ambiguous", ambiguity.backbone.differing().to_string()),
                ("regions", ambiguity.regions.len().to_string()),
                ("solutions", outcome.solutions.number().to_string()),
                ("exact", outcome.solutions.is_exact().to_string()),
                ("method", text(profile.map(|profile| profile.method))),
                ("sweeps", text(profile.map(|profile| profile.sweeps))),
                ("narrowest", text(narrowest.map(|round| round.helping))),
                (
                    "hardest",
                    text(profile.and_then(|profile| profile.hardest.as_ref())),
                ),
                ("probes", text(profile.map(|profile| profile.probes))),
                ("depth", text(profile.and_then(|profile| profile.depth))),
            ]);
        }
        if self.options.duplicates {
            let of = duplicate.map(|duplicate| messages::escaped(&duplicate.of));
            row.push(("duplicate_of", text(of)));
            let how = duplicate.map(|duplicate| &duplicate.how);
            row.push(("duplicate_how", text(how)));
        }
        row
    }

    /// Prints the summary, if there were several puzzles; returns whether there were.
    pub(super) fn summarise(&self, session: &Session) -> bool {
        if !self.several {
            return false;
        }
        let [none, unique, multiple, undecided] = self.totals;
        let checked = counted(unique + none + multiple + undecided, "puzzle");
        let by_lines = match self.options.asks_lines() {
            true => format!(" ({} by lines alone)", self.line_solvable),
            false => String::new(),
        };
        session.note(&format!(
            "{checked}: {unique} unique{by_lines}, {none} none, {multiple} multiple, {undecided} undecided"
        ));
        if self.full {
            let methods = self.methods.iter();
            let methods = methods.map(|(method, number)| format!("{number} by {method}"));
            let methods: Vec<String> = methods.collect();
            if !methods.is_empty() {
                session.note(&format!("solved: {}", methods.join(", ")));
            }
            let sizes = self.sizes.iter().map(|(&size, number)| match SIDES[size] {
                usize::MAX => format!("{number} larger"),
                side => format!("{number} up to {side}x{side}"),
            });
            let sizes: Vec<String> = sizes.collect();
            session.note(&format!("sizes: {}", sizes.join(", ")));
        }
        if self.options.duplicates {
            session.note(&counted(self.duplicates, "duplicate"));
        }
        true
    }
}

impl fmt::Display for Duplicate {
    /// `the same as other.non`, and how it is transformed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the same as {}", messages::escaped(&self.of))?;
        match self.how.strip_prefix("as it is") {
            Some(rest) => f.write_str(rest),
            None => write!(f, ", {}", self.how),
        }
    }
}

/// The goal of a puzzle in the canonical form, if it is a solution: equal for pictures that can be mirrored and turned into one another.
fn picture(puzzle: &Puzzle, canonical: &Canonical) -> Option<Digest> {
    let goal = puzzle.notes().goal.as_ref()?;
    verify(puzzle, goal).ok()?;
    let [above, below, left, right] = canonical.borders;
    let (width, height) = (goal.width() - left - right, goal.height() - above - below);
    let mut inner = Grid::new(width, height);
    for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
        inner.set(row, column, goal.get(row + above, column + left));
    }
    let pictures = canonical.transforms.iter();
    let least = pictures.map(|transform| transform.grid(&inner)).min()?;
    let mut digest = SetDigest::new();
    digest.add(least.words());
    Some(digest.digest())
}

/// A line of a table. Values with commas, quotes or line breaks are quoted, as RFC 4180 says.
fn line(values: &[String]) -> String {
    let quoted = values.iter().map(|value| {
        if value.contains([',', '"', '\r', '\n']) {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.clone()
        }
    });
    let mut line = quoted.collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let values = ["plain", "a,b", "say \"no\"", "two\nlines", ""].map(str::to_owned);
        assert_eq!(
            line(&values),
            "plain,\"a,b\",\"say \"\"no\"\"\",\"two\nlines\",\n"
        );
    }
}
