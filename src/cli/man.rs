//! `omnogram man`: the manual, a page for the command and one for each verb.

use std::iter;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_mangen::Man;
use omnogram::error::{Error, Kind};

use super::output::{Output, Outputs, Replacing, print};
use super::status::{Answered, Halt, Status};
use super::{Command, messages};

/// Write the manual
///
/// Prints the page on omnogram, or on one verb, for man to show; --dir writes all pages into a folder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram man | man -l -
  omnogram man show | man -l -
  omnogram man --dir ~/.local/share/man/man1")]
pub(super) struct Options {
    /// The verb that the page is on
    #[arg(value_name = "VERB", conflicts_with = "dir")]
    verb: Option<String>,

    /// Write a page for omnogram and one for each verb into this folder
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,
}

pub(super) fn run(options: &Options) -> Status {
    match pages(options) {
        Ok(page) => print(&page),
        Err(Halt::Closed) => Status::Stopped,
        Err(Halt::Failed(error)) => messages::failed(&error),
    }
}

/// The page that is wanted, or nothing when all have been written.
fn pages(options: &Options) -> Answered<Vec<u8>> {
    let mut command = Command::command().disable_help_subcommand(true);
    // Gives every verb its full name, as in `omnogram show`.
    command.build();
    let mut page = Vec::new();
    if let Some(folder) = &options.dir {
        write_all(command, folder, options.replacing)?;
        return Ok(page);
    }
    if let Some(verb) = &options.verb {
        let found = command.find_subcommand(verb).cloned();
        let unknown = || Error::new(Kind::Usage, format!("omnogram has no verb {verb:?}"));
        command = found.ok_or_else(|| Halt::Failed(unknown()))?;
    }
    render(command, &mut page)?;
    Ok(page)
}

/// Writes a page for the command and one for each verb, or none.
fn write_all(command: clap::Command, folder: &Path, replacing: Replacing) -> Answered<()> {
    let mut outputs = Outputs::new(replacing, &[], &[]);
    outputs.folder(folder).map_err(Halt::Failed)?;
    let verbs: Vec<_> = command.get_subcommands().cloned().collect();
    let mut pages = Vec::new();
    for command in iter::once(command).chain(verbs) {
        let name = format!("{}.1", command.get_display_name().unwrap_or("omnogram"));
        let mut output = outputs
            .file(Some(&folder.join(name)))
            .map_err(Halt::Failed)?;
        let mut page = Vec::new();
        render(command, &mut page)?;
        output.write(&page)?;
        pages.push(output);
    }
    pages.iter_mut().try_for_each(Output::finish)
}

fn render(command: clap::Command, page: &mut Vec<u8>) -> Answered<()> {
    // Nothing can go wrong in writing to memory.
    let rendered = Man::new(command).render(page);
    rendered.map_err(|error| Halt::writing("<stdout>", &error))
}
