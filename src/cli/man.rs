//! `omnogram man`: the manual, with one page for the command and one for each verb.

use std::iter;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::output::{Output, Outputs, Replacing, print_last};
use super::status::{Answered, Status, usage};

/// Write the manual pages
///
/// Prints the page of omnogram, or of one verb, in the format of man; --dir writes all pages into a folder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram man | man -l -
  omnogram man show | man -l -
  omnogram man --dir ~/.local/share/man/man1")]
pub(super) struct Options {
    /// The verb to print the page of
    #[arg(value_name = "VERB", conflicts_with = "dir")]
    verb: Option<String>,

    /// Write a page for omnogram and one for each verb into this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,
}

pub(super) fn run(options: &Options, command: clap::Command) -> Answered {
    let mut command = command.disable_help_subcommand(true);
    // Sets the full name of every verb, such as `omnogram show`.
    command.build();
    if let Some(folder) = &options.dir {
        write_all(command, folder, options.replacing)?;
        return Ok(Status::Complete);
    }
    if let Some(verb) = &options.verb {
        let found = command.find_subcommand(verb).cloned();
        command = found.ok_or_else(|| usage(format!("omnogram has no verb {verb:?}")))?;
    }
    print_last(&page_of(command))?;
    Ok(Status::Complete)
}

/// Writes the page of the command and that of each verb; no page is published before all are written.
fn write_all(command: clap::Command, folder: &Path, replacing: Replacing) -> Answered<()> {
    let mut outputs = Outputs::new(replacing, &[], &[]);
    outputs.folder(folder)?;
    let verbs: Vec<_> = command.get_subcommands().cloned().collect();
    let mut pages = Vec::new();
    for command in iter::once(command).chain(verbs) {
        let name = format!("{}.1", command.get_display_name().unwrap_or("omnogram"));
        let mut output = outputs.file(Some(&folder.join(name)))?;
        output.write(&page_of(command))?;
        pages.push(output);
    }
    pages.iter_mut().try_for_each(Output::finish)
}

/// The page of a command. The text after its help, such as the examples, becomes sections of the page.
fn page_of(command: clap::Command) -> Vec<u8> {
    let below = command.get_after_help().map(ToString::to_string);
    let sections = sections(&below.unwrap_or_default());
    let mut page = Vec::new();
    let man = Man::new(command.after_help(Resettable::Reset));
    man.render(&mut page)
        .and_then(|()| sections.to_writer(&mut page))
        .expect("memory takes all that is written");
    page
}

/// The paragraphs of a text that begin with a heading and a colon, each as a section.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for paragraph in text.split("\n\n") {
        let paragraph = paragraph.trim_matches('\n');
        let first = paragraph.lines().next().unwrap_or_default();
        let (heading, body) = match first.strip_suffix(':') {
            Some(heading) => (heading, &paragraph[first.len()..]),
            None => paragraph.split_once(':').unwrap_or(("", paragraph)),
        };
        match heading.split(' ').count() {
            1 | 2 => roff.control("SH", [heading.to_uppercase().as_str()]),
            // Too long for the heading of a section.
            _ => roff.control("SS", [heading]),
        };
        match body.strip_prefix('\n') {
            Some(lines) => {
                roff.control("nf", []);
                for line in lines.lines() {
                    roff.text([roman(line)]);
                }
                roff.control("fi", []);
            }
            None => {
                roff.text([roman(body.trim_start())]);
            }
        }
    }
    roff
}
