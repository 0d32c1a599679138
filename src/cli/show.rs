//! `omnogram show`: draws puzzles and solutions as text, SVG, PNG, PDF or HTML.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use omnogram::error::{Error, Kind, Result};
use omnogram::render::{self, Html, HtmlSection, Look, Pages, Paper, Pdf, Sheet, Style, Text};

use super::drawing::{Content, Drawn};
use super::given::GivenOption;
use super::options::{Puzzles, SearchOptions, Verbosity};
use super::output::{Output, Outputs, Replacing, is_folder};
use super::session::Session;
use super::status::{Answered, usage};
use super::words::Subject;
use super::{inputs, messages};

/// Draw a puzzle, its solutions, or its ambiguous cells
///
/// Draws as text, SVG, PNG, PDF for printing, or HTML with the solution folded below the puzzle. Text is limited to the width of the
/// terminal; --style and --cell change its appearance. Several puzzles can be drawn as text, into one PDF file or one HTML page, or into
/// one file each in a folder given by --output.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram show puzzles/pictures/cup.non
  omnogram show --solution --style half puzzles/pictures/moonlit-bay.non
  omnogram show --solutions 6 --output stars.svg puzzles/pictures/observatory.non
  omnogram show --ambiguous --output snail.png puzzles/pictures/snail.non
  omnogram show --paper a4 --output cat.svg puzzles/pictures/cat.non
  omnogram show --per-page 6 --output book.pdf puzzles/pictures
  omnogram show --solutions end --output book.pdf puzzles/pictures
  omnogram show --solution --output book.html puzzles/pictures")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,
    #[command(flatten)]
    given: GivenOption,

    #[command(flatten)]
    what: Content,

    #[command(flatten)]
    appearance: Appearance,

    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// The appearance and destination of drawings.
#[derive(Args, Debug)]
#[command(next_help_heading = "Drawing options")]
struct Appearance {
    /// The format of the drawing [default: that of the ending of --output, or text]
    #[arg(long, value_name = "FORMAT", ignore_case = true)]
    format: Option<Format>,

    /// Draw into this file; or into one file per puzzle in this folder, if it exists or the name ends with a slash
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    /// Leave out the title, or the name of the file, with the author and the size
    #[arg(long)]
    no_title: bool,

    /// The characters of a drawing as text
    #[arg(long, value_name = "STYLE", default_value = "auto")]
    style: Style,

    /// Maximum width of text in characters [default: the width of the terminal]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    width: Option<u16>,

    /// Width of a cell in pixels, or in characters for text [default: 20 in SVG and HTML, 24 in PNG, as large as fits the paper in PDF, the
    /// width that the clues need in text]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    cell: Option<u16>,

    /// Fill a page of this paper size, portrait or landscape to suit the picture; PNG has 300 pixels per inch [default: A4 in PDF]
    #[arg(
        long,
        value_name = "PAPER",
        ignore_case = true,
        conflicts_with = "cell"
    )]
    paper: Option<Paper>,

    /// Puzzles per PDF page, arranged in rows and columns that suit them [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100), conflicts_with = "cell")]
    per_page: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "txt")]
    Text,
    Svg,
    Png,
    Pdf,
    #[value(alias = "htm")]
    Html,
}

/// Bytes of buffered text that are written at once: a buffer for the whole text would be as large as the drawing.
const FLUSH_BYTES: usize = 1 << 16;

pub(super) fn run(options: &Options) -> Answered {
    let puzzles = &options.puzzles.puzzles;
    let (what, appearance) = (&options.what, &options.appearance);
    let format = appearance.format()?;
    if what.at_end() && format != Format::Pdf {
        return Err(usage(
            "--solutions end is for --format pdf; HTML has each solution folded below its puzzle",
        )
        .into());
    }
    let list = what.solutions_from.as_slice();
    inputs::check_stdin_once(puzzles, list)?;
    let read = [list, options.given.file()].concat();
    let mut outputs = Outputs::new(appearance.replacing, puzzles, &read);
    let folder = appearance.folder();
    let output = match folder {
        Some(_) => Output::Stdout,
        None => outputs.file(appearance.output.as_deref())?,
    };
    let mut drawings = Drawings {
        what,
        appearance,
        format,
        outputs,
        output,
        folder,
        begun: false,
        page: None,
        pdf: None,
        at_end: None,
        number: 0,
        smallest: None,
    };
    let session = Session::new(&options.search_options, false, &options.verbosity)?;
    let session = session.giving(&options.given, puzzles)?;
    let session = &session.also_reading(list);
    let mut complete = true;
    let status = session.answer_each(puzzles, |subject| {
        let answered = drawings.answer(session, subject);
        complete &= answered.is_ok();
        answered
    })?;
    // An incomplete picture file is not published.
    if !complete && matches!(drawings.output, Output::File(_)) {
        return Ok(status);
    }
    let status = status.and(drawings.end());
    if let Some(words) = drawings.smallness() {
        session.warn(&words);
    }
    Ok(status)
}

impl Appearance {
    /// The format from `--format` or the ending of `--output`, or an error if another option does not apply to it.
    fn format(&self) -> Result<Format> {
        let file = self.output.as_ref().filter(|_| self.folder().is_none());
        let format = match (self.format, file.and_then(|file| file.extension())) {
            (Some(format), _) => format,
            (None, None) => Format::Text,
            (None, Some(ending)) => {
                let ending = ending.to_string_lossy().to_lowercase();
                Format::from_str(&ending, false).map_err(|_| {
                    usage(format!(
                        "no drawing has the ending .{ending}, but .txt, .svg, .png, .pdf or .html: use one of them, or name the format with --format"
                    ))
                })?
            }
        };
        let text = format == Format::Text;
        if text && self.paper.is_some() {
            return Err(usage("--paper is for --format svg, png, pdf and html"));
        }
        if format != Format::Pdf && self.per_page.is_some() {
            return Err(usage("--per-page is for --format pdf"));
        }
        if !text && (self.style != Style::Auto || self.width.is_some()) {
            return Err(usage("--style and --width are for --format text"));
        }
        if self.style == Style::Half && self.cell.is_some() {
            return Err(usage("--cell does not apply to --style half"));
        }
        let binary = matches!(format, Format::Png | Format::Pdf);
        if binary && self.output.is_none() && io::stdout().is_terminal() {
            let name = format.ending().to_uppercase();
            return Err(usage(format!(
                "a terminal cannot show a {name} file: name a file with --output"
            )));
        }
        Ok(format)
    }

    /// The folder of `--output`, if every puzzle is drawn into a file of its own.
    fn folder(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| is_folder(path))
    }

    fn pixels(&self) -> Option<u32> {
        self.cell.map(u32::from)
    }

    fn pages(&self) -> Pages {
        match self.pixels() {
            Some(cell) => Pages::Cell(cell),
            None => Pages::Paper(
                self.paper.unwrap_or(Paper::A4),
                self.per_page.map_or(1, usize::from),
            ),
        }
    }

    fn look(&self) -> Look {
        let stdout = io::stdout();
        let terminal = if self.output.is_none() && stdout.is_terminal() {
            terminal_size::terminal_size_of(stdout).map(|(width, _)| width.0)
        } else {
            None
        };
        Look::default()
            .style(self.style)
            .cell(self.cell.map(usize::from))
            .width(self.width.or(terminal).map(usize::from))
    }
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Format::Text => "txt",
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Pdf => "pdf",
            Format::Html => "html",
        }
    }
}

/// The destination of the drawings, and its state.
struct Drawings<'a> {
    what: &'a Content,
    appearance: &'a Appearance,
    format: Format,
    outputs: Outputs,
    /// The output of all puzzles, or with a folder that of the current puzzle.
    output: Output,
    folder: Option<&'a Path>,
    /// Whether another text has been written to the same output.
    begun: bool,
    /// The HTML page, once it is begun.
    page: Option<Html>,
    /// The PDF pages so far.
    pdf: Option<Pdf>,
    /// The PDF pages that follow after all puzzles.
    at_end: Option<Pdf>,
    /// Puzzles drawn so far.
    number: usize,
    /// The smallest font size of clue numbers on paper so far, in points.
    smallest: Option<f64>,
}

/// Numbers on paper of a smaller font size, in points, are hard to read.
const LEGIBLE_POINTS: f64 = 6.0;

impl Drawings<'_> {
    /// Finds the content for a puzzle and draws it. In a folder, a file that must not be overwritten gives an error, and the next puzzle
    /// follows.
    fn answer(&mut self, session: &Session, subject: &Subject<'_>) -> Answered {
        if matches!(self.format, Format::Svg | Format::Png) && self.folder.is_none() {
            subject.require_single(&format!(
                "there are several puzzles: draw {} files into a folder, one each, such as --output out/; or use --format pdf or html",
                self.format.ending()
            ))?;
        }
        if let Some(folder) = self.folder {
            let (name, ending) = (subject.raw_name, self.format.ending());
            self.output = match self.outputs.file_for(name, folder, ending) {
                Ok(output) => output,
                Err(error) if error.kind() == Kind::Usage => return Ok(messages::error(&error)),
                Err(error) => return Err(error.into()),
            };
        }
        let mut drawn = self.what.draw(session, subject)?;
        if self.appearance.no_title {
            drawn.sheet = drawn.sheet.title("").byline("");
        }
        let status = drawn.status;
        if self.what.at_end() {
            self.draw_at_end(session, subject, drawn)?;
        } else {
            self.draw(session, subject, drawn)?;
        }
        if self.folder.is_some() {
            self.end()?;
        }
        Ok(status)
    }

    fn draw(&mut self, session: &Session, subject: &Subject<'_>, drawn: Drawn<'_>) -> Answered<()> {
        let appearance = self.appearance;
        let failed = |error: Error| error.in_file(subject.name);
        let on_paper = |sheet: &Sheet<'_>| render::number_size(sheet, appearance.paper?);
        match self.format {
            Format::Text => {
                let text = self.text(session, subject, &drawn.sheet)?;
                // A blank line after the text before it.
                let blank = if self.begun { "\n" } else { "" };
                self.begun = self.folder.is_none();
                let mut piece = blank.to_owned();
                if !appearance.no_title {
                    piece.push_str(&format!("{}\n\n", subject.heading()));
                }
                for line in text.lines {
                    piece.push_str(&line);
                    piece.push('\n');
                    if piece.len() >= FLUSH_BYTES {
                        self.output.write(piece.as_bytes())?;
                        piece.clear();
                    }
                }
                self.output.write(piece.as_bytes())
            }
            Format::Svg => {
                self.note_number_size(on_paper(&drawn.sheet));
                let svg = render::svg(&drawn.sheet, appearance.pixels(), appearance.paper);
                self.output.write(svg.as_bytes())
            }
            Format::Png => {
                self.note_number_size(on_paper(&drawn.sheet));
                if !render::can_write(&drawn.sheet.title) {
                    session.note(&format!(
                        "{}: the title is kept in the file but not drawn: PNG pictures are written in Latin letters only",
                        subject.name
                    ));
                }
                let png = render::png(&drawn.sheet, appearance.pixels(), appearance.paper)
                    .map_err(failed)?;
                self.output.write(&png)
            }
            Format::Pdf => {
                self.note_title(session, subject, &drawn.sheet);
                let pdf = self.pdf.get_or_insert_with(|| Pdf::new(appearance.pages()));
                Ok(pdf.add(&drawn.sheet).map_err(failed)?)
            }
            Format::Html => {
                let html = self.html(subject, drawn);
                self.output.write(html.as_bytes())
            }
        }
    }

    /// Notes the font size of clue numbers on paper, in points.
    fn note_number_size(&mut self, points: Option<f64>) {
        let sizes = [self.smallest, points];
        self.smallest = sizes.into_iter().flatten().reduce(f64::min);
    }

    /// What to say if numbers on paper are too small to be read with ease.
    fn smallness(&self) -> Option<String> {
        let points = (self.smallest? * 10.0).round() / 10.0;
        if points >= LEGIBLE_POINTS {
            return None;
        }
        let appearance = self.appearance;
        let is_several = appearance.per_page.is_some_and(|number| number > 1);
        let remedies = [
            (is_several, "fewer puzzles per page"),
            (appearance.cell.is_some(), "a larger --cell"),
            (
                appearance.cell.is_none() && appearance.paper != Some(Paper::A3),
                "a larger --paper",
            ),
        ];
        let remedies = remedies.into_iter().filter(|(applies, _)| *applies);
        let remedies: Vec<_> = remedies.map(|(_, words)| words).collect();
        let remedy = match &remedies[..] {
            [] => String::new(),
            remedies => format!(": use {}", remedies.join(" or ")),
        };
        Some(format!(
            "the smallest numbers are printed in only {points:.1} points{remedy}"
        ))
    }

    fn note_title(&self, session: &Session, subject: &Subject<'_>, sheet: &Sheet<'_>) {
        if !Pdf::can_write(&sheet.title) {
            session.note(&format!(
                "{}: the title is kept in the file, but only its Latin letters are drawn",
                subject.name
            ));
        }
    }

    /// Draws a puzzle, and its solution after all puzzles. Of several puzzles each has a number, which stands by its solution too.
    fn draw_at_end(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        drawn: Drawn<'_>,
    ) -> Answered<()> {
        let failed = |error: Error| error.in_file(subject.name);
        self.number += 1;
        let number = (subject.several && self.folder.is_none()).then_some(self.number);
        let title = drawn.sheet.title.clone();
        let byline = drawn.sheet.byline.clone();
        self.note_title(session, subject, &drawn.sheet);
        let [puzzles, solutions] = [&mut self.pdf, &mut self.at_end]
            .map(|pdf| pdf.get_or_insert_with(|| Pdf::new(self.appearance.pages())));
        let puzzle = self
            .what
            .unsolved_sheet(subject)
            .title(joined(
                number.map(|number| number.to_string()),
                ". ",
                &title,
            ))
            .byline(byline);
        puzzles.add(&puzzle).map_err(failed)?;
        if let Some(reveals) = drawn.reveals {
            let words = number.map_or(reveals.to_owned(), |number| format!("{reveals} {number}"));
            let sheet = drawn
                .sheet
                .title(joined(Some(words), ": ", &title))
                .byline("");
            solutions.add(&sheet).map_err(failed)?;
        }
        Ok(())
    }

    fn text(&self, session: &Session, subject: &Subject<'_>, sheet: &Sheet<'_>) -> Answered<Text> {
        let name = subject.name;
        let look = self.appearance.look();
        let text = render::text(sheet, &look).map_err(|error| error.in_file(name))?;
        if let Some(width) = look.width {
            if text.width > width {
                // `auto` has already made it as narrow as it can.
                let narrower = match (look.style, look.cell) {
                    (Style::Auto, None) => "--no-clues makes it narrower",
                    _ => "--style auto or --cell 1 make it narrower",
                };
                session.note(&format!(
                    "{name}: {} characters wide, but there is room for {width}; {narrower}; or scroll with less -S, or use --format svg",
                    text.width
                ));
            } else if text.lacks_clues {
                session.note(&format!(
                    "{name}: no room for the clues; --style boxes draws them anyway"
                ));
            }
        }
        Ok(text)
    }

    /// A puzzle as a section of an HTML page: the unsolved puzzle, and below it, folded, the content that reveals the solution.
    fn html(&mut self, subject: &Subject<'_>, drawn: Drawn<'_>) -> String {
        let mut text = String::new();
        let page = self.page.get_or_insert_with(|| {
            let title = if subject.several && self.folder.is_none() {
                "Nonograms".to_owned()
            } else if drawn.sheet.title.is_empty() {
                "Nonogram".to_owned()
            } else {
                drawn.sheet.title.clone()
            };
            let paper = self.appearance.paper.unwrap_or(Paper::A4);
            let page = Html::new(title, paper).cell(self.appearance.pixels());
            text = page.head();
            page
        });
        let Some(reveals) = drawn.reveals else {
            return text + &page.part(&HtmlSection::new(drawn.sheet));
        };
        let mut unsolved = self.what.unsolved_sheet(subject);
        if self.appearance.no_title {
            unsolved = unsolved.title("").byline("");
        }
        text += &page.part(&HtmlSection::new(unsolved));
        let revealing = HtmlSection::new(drawn.sheet.title("").byline(""));
        text + &page.part(&revealing.folded(reveals.to_owned()))
    }

    /// Finishes the current output.
    fn end(&mut self) -> Answered<()> {
        if let Some(mut pdf) = self.pdf.take() {
            if let Some(solutions) = self.at_end.take() {
                pdf.append(solutions);
            }
            pdf.end_page();
            self.note_number_size(pdf.number_size());
            self.output.write(&pdf.finish())?;
        }
        if let Some(page) = self.page.take() {
            self.output.write(page.foot().as_bytes())?;
        }
        self.output.finish()
    }
}

/// `begin: end`, or the one that there is.
fn joined(begin: Option<String>, between: &str, end: &str) -> String {
    match begin {
        Some(begin) if end.is_empty() => begin,
        Some(begin) => begin + between + end,
        None => end.to_owned(),
    }
}
