//! The command: one file for each verb, which parses its options, calls the library and prints. Answers go to standard output,
//! everything else to standard error.

mod backbone;
mod bench;
mod check;
mod classics;
mod completions;
mod convert;
mod count;
mod drafts;
mod drawn;
mod enumerate;
mod estimate;
mod heat;
mod inputs;
mod interrupt;
mod journal;
mod line;
mod listed;
mod man;
mod merge;
mod messages;
mod options;
mod output;
mod progress;
mod queue;
mod reads;
mod report;
mod sample;
mod session;
mod show;
mod solve;
mod split;
mod status;
mod verify;
mod window;
mod work;
mod writer;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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

Exit status: 0 answered in full; 1 answered in full by check, and some puzzle is not unique; 2 wrong
usage; 3 stopped before the answer was complete; 65 bad puzzle data; 70 bench found a wrong answer;
74 input or output failed; 130 interrupted a second time. Of several, the greatest."
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
    Line(line::Options),
    Verify(verify::Options),
    Show(show::Options),
    Convert(convert::Options),
    Bench(bench::Options),
    Split(split::Options),
    Work(work::Options),
    Merge(merge::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// Does what the command line asks for.
pub(super) fn run() -> ExitCode {
    let status = match Command::parse().verb {
        Verb::Solve(options) => solve::run(&options),
        Verb::Enumerate(options) => enumerate::run(&options),
        Verb::Count(options) => count::run(&options),
        Verb::Sample(options) => sample::run(&options),
        Verb::Check(options) => check::run(&options),
        Verb::Backbone(options) => backbone::run(&options),
        Verb::Line(options) => line::run(&options),
        Verb::Verify(options) => verify::run(&options),
        Verb::Show(options) => show::run(&options),
        Verb::Convert(options) => convert::run(&options),
        Verb::Bench(options) => bench::run(&options),
        Verb::Split(options) => split::run(&options),
        Verb::Work(options) => work::run(&options),
        Verb::Merge(options) => merge::run(&options),
        Verb::Completions(options) => completions::run(&options),
        Verb::Man(options) => man::run(&options),
    };
    status.into()
}
