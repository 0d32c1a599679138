//! `omnogram check --full`: where each puzzle is ambiguous, or how it is solved, as text, as JSON and drawn.

use std::path::PathBuf;

use clap::Args;
use omnogram::design::{Ambiguity, Profile, Region};
use omnogram::error::{Error, Kind};
use omnogram::puzzle::Puzzle;
use omnogram::render::{self, Drawing, Html, HtmlSection, Mark, Paper, Sheet, difference};
use omnogram::search::{Limits, Search, Total, Verdict};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::corrections::Proposals;
use super::drawing::unsolved_sheet;
use super::output::{Output, Outputs, Replacing};
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::{DuplicateFields, Subject, counted, goal};

/// Whether and where the regions are drawn.
#[derive(Args, Debug)]
pub(super) struct Drawn {
    /// Draw the puzzle as SVG into this file: its regions in colours if it has several solutions, or its only solution
    #[arg(long, value_name = "FILE", requires = "full")]
    svg: Option<PathBuf>,

    /// Draw all puzzles into this page of HTML, with the two closest solutions folded below the regions
    #[arg(long, value_name = "FILE", requires = "full")]
    html: Option<PathBuf>,

    #[command(flatten)]
    pub(super) replacing: Replacing,
}

/// All that is found out about a puzzle.
#[derive(Debug)]
pub(super) struct Examination {
    pub(super) ambiguity: Ambiguity,
    /// How the puzzle is solved, if it is unique.
    pub(super) profile: Option<Profile>,
}

/// Examines a puzzle: the search is of this puzzle, within these limits.
pub(super) fn examine(search: &Search<'_>, puzzle: &Puzzle, limits: &Limits) -> Examination {
    let ambiguity = Ambiguity::by(search);
    let unique = ambiguity.outcome.solutions.verdict() == Verdict::Unique;
    let elapsed = ambiguity.outcome.elapsed;
    let left = limits.time.map(|time| time.saturating_sub(elapsed));
    let limits = limits.clone().time(left);
    Examination {
        ambiguity,
        profile: unique.then(|| Profile::of_unique(puzzle, &limits)),
    }
}

#[derive(Serialize)]
struct Full<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    ambiguity: &'a Ambiguity,
    profile: Option<&'a Profile>,
    goal: Option<bool>,
    #[serde(flatten)]
    duplicate: Option<DuplicateFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrections: Option<Proposals<'a>>,
    #[serde(skip)]
    examination: &'a Examination,
    #[serde(skip)]
    pictures: bool,
}

impl Answer for Full<'_> {
    fn text(&self, session: &Session) -> String {
        let mut text = self.examination.text(session, self.subject, self.pictures);
        text += &self
            .corrections
            .as_ref()
            .map_or_else(String::new, Proposals::text);
        text + self.duplicate.as_ref().map_or("", |fields| &fields.text)
    }

    fn status(&self) -> Status {
        Status::from(self.examination.verdict()).max(Status::of(self.examination.stopped()))
    }
}

impl Drawn {
    /// Whether a file is to be drawn.
    pub(super) fn is_asked(&self) -> bool {
        self.svg.is_some() || self.html.is_some()
    }
}

/// The files into which the puzzles are drawn.
#[derive(Debug)]
pub(super) struct Files {
    svg: Option<Output>,
    html: Option<Output>,
    /// The HTML page, once it is begun.
    page: Option<Html>,
}

impl Files {
    pub(super) fn new(drawn: &Drawn, puzzles: &[PathBuf]) -> Result<Self, Error> {
        let mut outputs = Outputs::new(drawn.replacing, puzzles, &[]);
        Ok(Files {
            svg: outputs.optional(drawn.svg.as_deref())?,
            html: outputs.optional(drawn.html.as_deref())?,
            page: None,
        })
    }

    /// Prints the answer for a puzzle, and draws it. With `pictures` the text has pictures.
    pub(super) fn answer(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        examination: &Examination,
        pictures: bool,
        duplicate: Option<DuplicateFields>,
        corrections: Option<Proposals<'_>>,
    ) -> Answered<()> {
        if self.svg.is_some() && subject.several {
            let message = "--svg draws one puzzle, and there are several: --html draws them all";
            return Err(Error::new(Kind::Usage, message).into());
        }
        let Examination { ambiguity, profile } = examination;
        session.answer(&Full {
            subject,
            ambiguity,
            profile: profile.as_ref(),
            goal: goal(subject.puzzle),
            duplicate,
            corrections,
            examination,
            pictures,
        })?;
        self.draw(subject, examination)
    }

    fn draw(&mut self, subject: &Subject<'_>, examination: &Examination) -> Answered<()> {
        if let Some(output) = &mut self.svg {
            let sheet = examination.sheet(subject, &examination.verdict_words());
            let drawn = render::svg(&sheet, None, None);
            output.write(drawn.as_bytes())?;
        }
        let Some(output) = &mut self.html else {
            return Ok(());
        };
        let mut text = String::new();
        let page = self.page.get_or_insert_with(|| {
            let title = if subject.several {
                "Nonograms".to_owned()
            } else {
                subject.titled_sheet().title
            };
            let page = Html::new(title, Paper::A4);
            text = page.head();
            page
        });
        let facts = examination.facts(subject);
        text += &page.part(&HtmlSection::new(examination.sheet(subject, &facts)));
        if let [first, second] = &examination.ambiguity.solutions[..] {
            let drawings = [("1", first), ("2", second)];
            let drawings = drawings.map(|(caption, grid)| {
                let drawing = Drawing::solution(subject.puzzle, grid);
                drawing.captioned(caption).without_clues()
            });
            let folded = format!("Two solutions that differ in {}", examination.distance());
            text += &page.part(&HtmlSection::new(Sheet::new(drawings)).folded(folded));
        }
        output.write(text.as_bytes())
    }

    /// Finishes the files, once all puzzles are drawn.
    pub(super) fn finish(&mut self) -> Answered<()> {
        if let (Some(page), Some(output)) = (self.page.take(), &mut self.html) {
            output.write(page.foot().as_bytes())?;
        }
        [&mut self.svg, &mut self.html]
            .into_iter()
            .flatten()
            .try_for_each(Output::finish)
    }
}

/// Maximum number of regions that are listed in text and in the legend of a drawing: those that have a character of their own.
const MAX_LISTED: usize = 61;

impl Examination {
    /// Why a run was stopped, if one was.
    pub(super) fn stopped(&self) -> Option<Stop> {
        let profile = self.profile.as_ref();
        let stopped = self.ambiguity.outcome.stopped;
        stopped.or_else(|| profile.and_then(|profile| profile.stopped))
    }

    fn verdict(&self) -> Verdict {
        self.ambiguity.outcome.solutions.verdict()
    }

    /// The answer as text: `name: verdict`, what else is known, and with `pictures` the regions and the closest solutions.
    pub(super) fn text(&self, session: &Session, subject: &Subject<'_>, pictures: bool) -> String {
        let stopped = session.why_stopped(self.stopped(), None);
        let facts = self.facts(subject);
        let mut text = format!("{}: {facts}{stopped}\n", subject.label());
        let [first, second] = &self.ambiguity.solutions[..] else {
            return text;
        };
        if !pictures {
            return text;
        }
        text.push('\n');
        push_picture(&mut text, &self.drawing(subject.puzzle).to_string());
        text.push_str(&format!("\n  {}\n\n", self.legend()));
        for (i, region) in self.listed() {
            text.push_str(&format!("  {}: {}\n", name(i), about(region)));
        }
        let others = self.ambiguity.regions.len().saturating_sub(MAX_LISTED);
        if others > 0 {
            text.push_str(&format!("  *: {} more\n", counted(others as u64, "region")));
        }
        if self.ambiguity.regions.len() > 1 {
            text.push_str(&format!("  product: {}\n", self.product()));
        }
        let least = if self.ambiguity.is_least {
            "no two differ in fewer"
        } else {
            "others may differ in fewer"
        };
        text.push_str(&format!(
            "\n  Two solutions that differ in {}; {least}:\n\n",
            self.distance()
        ));
        push_picture(&mut text, &difference(first, second));
        let goal = subject.puzzle.notes().goal.as_ref();
        let (one, two) = match goal {
            Some(goal) if goal == first => ("in the goal", "in the other"),
            Some(goal) if goal == second => ("in the other", "in the goal"),
            _ => ("in the first", "in the second"),
        };
        text.push_str(&format!(
            "\n  # filled in both, 1 {one} only, 2 {two} only\n"
        ));
        text + subject.blank_line()
    }

    /// The verdict and what else is known, in one line.
    fn facts(&self, subject: &Subject<'_>) -> String {
        let verdict = self.verdict();
        let goal = match goal(subject.puzzle) {
            Some(false) if verdict != Verdict::None => ", the goal is not a solution",
            Some(true) if verdict == Verdict::Undecided => ", the goal is a solution",
            Some(true) if verdict == Verdict::Multiple => ", the goal is one of them",
            _ => "",
        };
        match (verdict, &self.profile) {
            (Verdict::Multiple, _) => {
                let ambiguity = &self.ambiguity;
                let ambiguous = counted(ambiguity.backbone.differing() as u64, "ambiguous cell");
                let undecided = match ambiguity.backbone.undecided() {
                    0 => String::new(),
                    cells => format!(" and {cells} undecided"),
                };
                let regions = counted(ambiguity.regions.len() as u64, "region");
                format!(
                    "multiple, {} solutions{goal}, {ambiguous}{undecided} in {regions}, two solutions differ in {}",
                    number(&ambiguity.outcome.solutions),
                    self.distance()
                )
            }
            (Verdict::Unique, Some(profile)) => format!("unique{goal}. {profile}"),
            (Verdict::None, _) => format!("none{}", subject.why_no_solution()),
            _ => format!("{verdict}{goal}"),
        }
    }

    fn legend(&self) -> String {
        let regions = match self.ambiguity.regions.len() {
            1 => format!("{} the ambiguous region", name(0)),
            2 => format!("{} and {} the ambiguous regions", name(0), name(1)),
            regions => format!("{} to {} the ambiguous regions", name(0), name(regions - 1)),
        };
        let undecided = if self.ambiguity.backbone.is_complete() {
            ""
        } else {
            ", - undecided"
        };
        format!("# filled in every solution, . empty in every solution, {regions}{undecided}")
    }

    /// `4 cells`
    fn distance(&self) -> String {
        counted(self.ambiguity.closest().unwrap_or_default() as u64, "cell")
    }

    /// `2 x 2 x 3 = 12 solutions`
    fn product(&self) -> String {
        let total = format!("{} solutions", number(&self.ambiguity.outcome.solutions));
        let regions = &self.ambiguity.regions;
        let exact = regions.iter().all(|region| region.fillings.is_exact());
        if regions.len() < 2 || regions.len() > 12 || !exact {
            return total;
        }
        let factors = regions.iter().map(|region| number(&region.fillings));
        format!("{} = {total}", factors.collect::<Vec<_>>().join(" x "))
    }

    fn listed(&self) -> impl Iterator<Item = (usize, &Region)> {
        self.ambiguity.regions.iter().enumerate().take(MAX_LISTED)
    }

    /// The cells that are the same in every solution, and the regions.
    fn drawing<'a>(&self, puzzle: &'a Puzzle) -> Drawing<'a> {
        let backbone = &self.ambiguity.backbone;
        let width = puzzle.width();
        let regions = &self.ambiguity.regions;
        let mut region_of = vec![None; width * puzzle.height()];
        for (i, region) in regions.iter().enumerate() {
            for cell in &region.cells {
                region_of[usize::from(cell.row) * width + usize::from(cell.column)] = Some(i);
            }
        }
        let mark = |row, column| match (region_of[row * width + column], backbone.get(row, column))
        {
            (Some(i), _) => Mark::Region(i as u32),
            (None, Some(filled)) => Mark::of(filled),
            (None, None) => Mark::Unknown,
        };
        Drawing::new(puzzle, mark).with_words(|row, column| {
            let region = region_of[row * width + column].unwrap_or_default();
            format!("region {}: {}", region + 1, about(&regions[region]))
        })
    }

    /// The verdict in a few words, for below the title of a drawing.
    fn verdict_words(&self) -> String {
        match self.verdict() {
            Verdict::Multiple => format!("{} solutions", number(&self.ambiguity.outcome.solutions)),
            Verdict::None => "no solution".to_owned(),
            verdict => verdict.to_string(),
        }
    }

    /// The puzzle as drawn into a file: with its regions or its only solution, and without them if there is no solution. `words` are added
    /// to the line below the title.
    fn sheet<'a>(&self, subject: &Subject<'a>, words: &str) -> Sheet<'a> {
        let mut sheet = match self.verdict() {
            Verdict::None | Verdict::Undecided => unsolved_sheet(subject),
            Verdict::Unique | Verdict::Multiple => {
                let legend = self.listed().map(|(i, region)| {
                    let mark = Mark::Region(i as u32);
                    (mark, about(region))
                });
                let others = self.ambiguity.regions.len().saturating_sub(MAX_LISTED);
                let others = (others > 0).then(|| {
                    let words = format!("{} more", counted(others as u64, "region"));
                    (Mark::Region(MAX_LISTED as u32), words)
                });
                let undecided = self.ambiguity.backbone.undecided() > 0;
                let undecided = undecided.then(|| (Mark::Unknown, "undecided".to_owned()));
                subject
                    .titled_sheet()
                    .drawings([self.drawing(subject.puzzle)])
                    .legend(legend.chain(others).chain(undecided))
            }
        };
        sheet.byline = format!("{}; {words}", sheet.byline);
        sheet
    }
}

/// Appends a picture, indented.
pub(super) fn push_picture(text: &mut String, picture: &str) {
    for line in picture.lines() {
        text.push_str(&format!("  {line}\n"));
    }
}

/// The character of a region.
fn name(region: usize) -> char {
    Mark::Region(region as u32).character()
}

/// `rows 3 to 5, column 7: 4 cells, 2 fillings`
fn about(region: &Region) -> String {
    let [top, left, height, width] = region.bounds();
    let range = |noun: &str, first: usize, length: usize| match length {
        1 => format!("{noun} {}", first + 1),
        _ => format!("{noun}s {} to {}", first + 1, first + length),
    };
    format!(
        "{}, {}: {}, {} fillings",
        range("row", top, height),
        range("column", left, width),
        counted(region.cells.len() as u64, "cell"),
        number(&region.fillings)
    )
}

/// A number of solutions, rounded if it has more than fifteen digits: `12`, `at least 12`, `about 5.2 x 10^15`.
fn number(total: &Total) -> String {
    let rough = total.number().rough().filter(|rough| rough.power() >= 15);
    match (rough, total.is_exact()) {
        (None, _) => total.to_string(),
        (Some(rough), true) => format!("about {rough}"),
        (Some(rough), false) => format!("at least about {rough}"),
    }
}
