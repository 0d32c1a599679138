//! `omnogram convert`: writes puzzles of any format in another, one by one as they are read.

use std::path::PathBuf;

use clap::Args;
use omnogram::format::{Entry, FORMATS, Format, ReadOptions, Threshold, TraceOptions};
use omnogram::puzzle::{MAX_SIDE, Puzzle};

use super::given::{Given, GivenOption};
use super::options::Verbosity;
use super::output::Replacing;
use super::puzzle_output::{DIMACS, DIMACS_ENDINGS, PuzzleOutput, Target, format, target};
use super::status::{Answered, Status, usage};
use super::words::goal_warning;
use super::{input_files, inputs, messages};

/// Write puzzles in another format
///
/// The input format is detected from the content unless --from is given. The output format is that of --to, or of the ending of OUT.
/// Several puzzles are written into one file if the format supports packs, otherwise into a folder, one file each, named after the input
/// files. Given cells, titles, authors, licences and goals are kept where the output format has them; a warning names what is lost. A picture is read as
/// the puzzle that has this picture as its goal; a puzzle can be written as a picture if it has a goal.
#[derive(Args, Debug)]
#[command(
    override_usage = "omnogram convert [OPTIONS] <IN>... <OUT>",
    after_help = help()
)]
pub(super) struct Options {
    /// IN: puzzle files, packs, folders, pictures, a game ID or an address of puzz.link, or - for standard input; FILE#2 is the second puzzle of a pack. OUT, the
    /// last argument: the file to write, a folder, or - for standard output
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The format of all inputs [default: detected from the content]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<&'static Format>,

    /// The output format [default: that of the ending of OUT]
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,

    /// The character of the filled cells in drawings as text [default: told from usual characters, such as # or 1]
    #[arg(long, value_name = "C")]
    filled: Option<char>,

    #[command(flatten)]
    replacing: Replacing,

    /// Set the title of every puzzle, or remove it if empty [default: its own title; in a pack, puzzles without one get their file's name]
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,

    /// Set the author of every puzzle, or remove it if empty [default: its own author]
    #[arg(long, value_name = "AUTHOR")]
    author: Option<String>,

    #[command(flatten)]
    given: GivenOption,
    #[command(flatten)]
    tracing: TracingOptions,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// How pictures are turned into grids.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options for input pictures")]
struct TracingOptions {
    /// Scale the picture, which may have up to 200 megapixels, to W columns and H rows; with W alone, H keeps the proportions [default:
    /// the cells of enlarged pixel art, or else one cell per pixel, up to 4096 per side]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(usize, Option<usize>)>,

    /// Fill pixels darker than this grey level, from 0 to 255; auto: choose the level by Otsu's method; local: compare each pixel with
    /// those around it, for a picture in uneven light or for outlines
    #[arg(long, value_name = "N|auto|local", default_value_t)]
    threshold: Threshold,

    /// Render greys as patterns of cells (Floyd-Steinberg dithering)
    #[arg(long)]
    dither: bool,

    /// Fill the light pixels instead of the dark ones
    #[arg(long)]
    invert: bool,

    /// Keep an empty margin around the drawing, which is cut off where several pixels become a cell
    #[arg(long)]
    no_crop: bool,
}

fn help() -> String {
    let mut text = String::from(
        "\
Formats (r: read, w: written, p: packs of several puzzles):
",
    );
    for format in FORMATS {
        let written = if format.can_write() { 'w' } else { '-' };
        let packs = if format.holds_several() { 'p' } else { '-' };
        let (name, title, endings) = (format.name, format.title, format.endings.join(", ."));
        text += &format!("  {name:<10} r{written}{packs}  {title} (.{endings})\n");
    }
    let title =
        "clauses for SAT solvers and projected model counters; the projection is on the cells";
    let endings = DIMACS_ENDINGS.join(", .");
    text += &format!("  {DIMACS:<10} -w-  {title} (.{endings})\n");
    text.push_str(
        "
Examples:
  omnogram convert heart.xml heart.non
  omnogram convert --to webpbn puzzles/pictures out/      one file each
  omnogram convert puzzles/pictures all.nonpack           all in one file
  omnogram convert photo.jpg --size 40 --title Photo photo.non
  omnogram convert 4x3:2/1.1/1.1/2/2/1.1/4 --to dimacs - | ganak

An existing file is replaced only with --force, and an input file never. No file is created when
there is nothing to write.",
    );
    text
}

pub(super) fn size(text: &str) -> std::result::Result<(usize, Option<usize>), String> {
    TraceOptions::parse_size(text).ok_or_else(|| {
        format!("expected a width and a height from 1 to {MAX_SIDE}, such as 40x30, or a width")
    })
}

pub(super) fn run(options: &Options) -> Answered {
    let paths = options.paths.split_last();
    let Some((output, inputs)) = paths.filter(|(_, inputs)| !inputs.is_empty()) else {
        let message = "expected at least two paths: the inputs and, last, the output";
        return Err(usage(message).into());
    };
    let files = options.given.file();
    input_files::check_stdout(inputs, files)?;
    let given = options.given.read(inputs)?;
    let mut output = PuzzleOutput::new(output, options.to, options.replacing, inputs, files)?;
    output.sets_title = options.title.is_some();
    output.sets_author = options.author.as_ref().is_some_and(|text| !text.is_empty());
    let status = Status::Complete.and(convert(options, inputs, &given, &mut output));
    Ok(status.max(output.end(options.verbosity.quiet)))
}

fn convert(
    options: &Options,
    inputs: &[PathBuf],
    given: &Given,
    output: &mut PuzzleOutput,
) -> Answered<()> {
    let tracing = &options.tracing;
    let reading = ReadOptions::default()
        .format(options.from)
        .filled(options.filled)
        .tracing(
            TraceOptions::default()
                .size(tracing.size)
                .threshold(tracing.threshold)
                .dither(tracing.dither)
                .invert(tracing.invert)
                .keep_margin(tracing.no_crop),
        );
    if !options.verbosity.quiet {
        inputs::note_skipped(inputs, options.from);
    }
    for source in inputs::find_as(inputs, options.from) {
        let mut added = Ok(());
        source.each(&reading, &mut |entry| {
            added = add_entry(options, given.add_to(entry), output);
            added.is_ok()
        });
        added?;
    }
    output.finish()
}

fn add_entry(options: &Options, entry: Entry, output: &mut PuzzleOutput) -> Answered<()> {
    let Entry {
        name,
        puzzle,
        warnings,
        ..
    } = entry;
    let puzzle = match puzzle {
        Ok(puzzle) => with_title_and_author(options, puzzle),
        Err(error) => {
            output.report_error(&error);
            return Ok(());
        }
    };
    let shown = messages::escaped(&name);
    if !options.verbosity.quiet {
        let of_reader = warnings.iter().map(|warning| format!("{shown}: {warning}"));
        for warning in of_reader.chain(goal_warning(&shown, &puzzle)) {
            messages::warning(&warning);
        }
    }
    output.add(name, puzzle)
}

fn with_title_and_author(options: &Options, puzzle: Puzzle) -> Puzzle {
    if options.title.is_none() && options.author.is_none() {
        return puzzle;
    }
    let mut notes = puzzle.notes().clone();
    for (asked, text) in [
        (&options.title, &mut notes.title),
        (&options.author, &mut notes.author),
    ] {
        if let Some(asked) = asked {
            *text = Some(asked.clone()).filter(|asked| !asked.is_empty());
        }
    }
    puzzle.with_notes(notes).expect("the goal is unchanged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("40x30"), Ok((40, Some(30))));
        assert_eq!(size("40"), Ok((40, None)));
        for text in ["", "x", "0x3", "3x0", "4097", "3x", "-1", "3 x 4"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
