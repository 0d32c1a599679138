//! `omnogram man`: the manual, a page for the command and one for each verb.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::Man;
use omnogram::error::{Error, Kind};

use super::status::Status;
use super::writer::print;
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
}

pub(super) fn run(options: &Options) -> Status {
    match pages(options) {
        Ok(page) => print(&page),
        Err(error) => {
            messages::error(&error);
            Status::from(&error)
        }
    }
}

/// The page that is wanted, or nothing when all have been written.
fn pages(options: &Options) -> Result<Vec<u8>, Error> {
    let mut command = Command::command().disable_help_subcommand(true);
    // Gives every verb its full name, as in `omnogram show`.
    command.build();
    let mut page = Vec::new();
    if let Some(folder) = &options.dir {
        let name = folder.display().to_string();
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder));
        written.map_err(|error| Error::io(&name, &error))?;
        return Ok(page);
    }
    if let Some(verb) = &options.verb {
        let found = command.find_subcommand(verb).cloned();
        command = found
            .ok_or_else(|| Error::new(Kind::Usage, format!("omnogram has no verb {verb:?}")))?;
    }
    // Nothing can go wrong in writing to memory.
    let rendered = Man::new(command).render(&mut page);
    rendered.map_err(|error| Error::io("<stdout>", &error))?;
    Ok(page)
}
