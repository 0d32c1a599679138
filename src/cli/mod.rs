//! The command line: one file for each verb, which parses its options, calls the library and prints. Answers go to standard output,
//! everything else to standard error.

mod ambiguity;
mod backbone;
mod bench;
mod census;
mod certificate;
mod certify;
mod check;
mod classic;
mod collection;
mod completions;
mod convert;
mod corrections;
mod count;
mod drafts;
mod drawing;
mod enumerate;
mod estimate;
mod explain;
mod generate;
mod given;
mod graph;
mod ignored;
mod input_files;
mod inputs;
mod interrupt;
mod journal;
mod json;
mod line;
mod man;
mod merge;
mod messages;
mod options;
mod output;
mod panics;
mod progress;
mod puzzle_output;
mod queue;
mod repair;
mod report;
mod sample;
mod session;
mod shares;
mod show;
mod solution_output;
mod solve;
mod split;
mod status;
#[cfg(feature = "studio")]
mod studio;
mod total;
mod verify;
mod verify_proof;
mod words;
mod work;
mod writer;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use status::{Answered, Failure, Status};

/// Every solution of a nonogram: list them, count them exactly, or prove that there is one
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs",
    after_help = "\
Examples:
  omnogram check puzzles/pictures                 is every puzzle of a folder unique?
  omnogram count puzzles/families/switches-8.non  how many solutions has it?
  omnogram enumerate puzzles/pictures/key.non     all of them
  omnogram help enumerate                         more about one verb

Exit status: 0 answered in full; 1 answered in full by check, and some puzzle is not unique, or not
what --require asks, or by repair, and some picture cannot be repaired as wanted; 2 wrong usage; 3
stopped before the answer was complete; 65 bad puzzle data; 70 bench or census found a wrong
answer, or an internal error; 74 input or output failed; 130 interrupted a second time. The
greatest status that applies is used."
)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Solve(solve::Options),
    Enumerate(enumerate::Options),
    Count(count::Options),
    Sample(sample::Options),
    Check(check::Options),
    Backbone(backbone::Options),
    Classic(classic::Options),
    Line(line::Options),
    Explain(explain::Options),
    Repair(repair::Options),
    Generate(generate::Options),
    #[cfg(feature = "studio")]
    Studio(studio::Options),
    Verify(verify::Options),
    Show(show::Options),
    Convert(convert::Options),
    Bench(bench::Options),
    Census(census::Options),
    Split(split::Options),
    Work(work::Options),
    Merge(merge::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// Parses the command line and runs its verb.
pub(super) fn run() -> ExitCode {
    panics::end_process_on_abort();
    let status = match parse_verb() {
        Ok(verb) => run_verb(verb).unwrap_or_else(Failure::report),
        Err(error) => print_clap_error(&error),
    };
    ExitCode::from(flush_stdout(status) as u8)
}

fn command() -> clap::Command {
    ignored::add_ignored_options(Command::command())
}

/// The verb on the command line, with its options.
fn parse_verb() -> Result<Verb, clap::Error> {
    let matches = command().try_get_matches()?;
    let verb = Command::from_arg_matches(&matches)?.verb;
    ignored::warn_ignored(&matches);
    Ok(verb)
}

fn run_verb(verb: Verb) -> Answered {
    // The studio answers with an error, and goes on.
    #[cfg(feature = "studio")]
    let ends_on_panic = !matches!(verb, Verb::Studio(_));
    #[cfg(not(feature = "studio"))]
    let ends_on_panic = true;
    if ends_on_panic {
        panics::end_process_on_panic();
    }
    match verb {
        Verb::Solve(options) => solve::run(&options),
        Verb::Enumerate(options) => enumerate::run(&options),
        Verb::Count(options) => count::run(&options),
        Verb::Sample(options) => sample::run(&options),
        Verb::Check(options) => check::run(&options),
        Verb::Backbone(options) => backbone::run(&options),
        Verb::Classic(options) => classic::run(&options),
        Verb::Line(options) => line::run(&options),
        Verb::Explain(options) => explain::run(&options),
        Verb::Repair(options) => repair::run(&options),
        Verb::Generate(options) => generate::run(&options),
        #[cfg(feature = "studio")]
        Verb::Studio(options) => studio::run(&options),
        Verb::Verify(options) => verify::run(&options),
        Verb::Show(options) => show::run(&options),
        Verb::Convert(options) => convert::run(&options),
        Verb::Bench(options) => bench::run(&options),
        Verb::Census(options) => census::run(&options),
        Verb::Split(options) => split::run(&options),
        Verb::Work(options) => work::run(&options),
        Verb::Merge(options) => merge::run(&options),
        Verb::Completions(options) => completions::run(&options, command()),
        Verb::Man(options) => man::run(&options, command()),
    }
}

/// Prints the help that was requested, or the error in the command line.
fn print_clap_error(error: &clap::Error) -> Status {
    if error.use_stderr() {
        if error.get(ContextKind::InvalidArg)
            == Some(&ContextValue::String("--algorithm".to_owned()))
        {
            messages::note(
                "error: the published algorithms have a verb: omnogram classic NAME PUZZLE...",
            );
            return Status::Usage;
        }
        let text = error.to_string();
        let harmless = text.lines().all(|line| messages::escaped(line) == line);
        if harmless {
            // In colour, where the terminal supports it.
            drop(error.print())
        } else {
            messages::note(text.trim_end())
        }
        return Status::Usage;
    }
    match error.print() {
        Ok(()) => Status::Complete,
        Err(error) => stdout_failure(error),
    }
}

/// Flushes standard output: it is line-buffered, so output without a final line break is still in the buffer.
fn flush_stdout(status: Status) -> Status {
    match io::stdout().flush() {
        Err(error) if status != Status::Io => status.max(stdout_failure(error)),
        _ => status,
    }
}

/// The exit status for a failed write to standard output. What its reader no longer wants is not missing.
fn stdout_failure(error: io::Error) -> Status {
    match Failure::writing("<stdout>", error) {
        Failure::Closed => Status::Complete,
        failure => failure.report(),
    }
}
