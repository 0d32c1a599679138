//! `omnogram man`: the manual, a page for the command and one for each verb.

use std::io;
use std::path::PathBuf;

use clap::Args;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use omnogram::error::{Error, Kind};

use super::status::Status;
use super::writer::print;
use super::{command, messages};

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
    let mut command = command().disable_help_subcommand(true);
    // Gives every verb its full name, as in `omnogram show`.
    command.build();
    if let Some(folder) = &options.dir {
        let name = folder.display().to_string();
        let write = |command: &clap::Command| {
            let file = folder.join(Man::new(command.clone()).get_filename());
            std::fs::write(file, page_of(command.clone())?)
        };
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| command.get_subcommands().try_for_each(write))
            .and_then(|()| write(&command));
        written.map_err(|error| Error::io(&name, &error))?;
        return Ok(Vec::new());
    }
    if let Some(verb) = &options.verb {
        let found = command.find_subcommand(verb).cloned();
        command = found
            .ok_or_else(|| Error::new(Kind::Usage, format!("omnogram has no verb {verb:?}")))?;
    }
    page_of(command).map_err(|error| Error::io("<stdout>", &error))
}

/// The page on a command. What stands below its help, its examples above all, has sections of its own.
fn page_of(command: clap::Command) -> io::Result<Vec<u8>> {
    let below = command.get_after_help().map(ToString::to_string);
    let mut page = Vec::new();
    Man::new(command.after_help(Resettable::Reset)).render(&mut page)?;
    sections(&below.unwrap_or_default()).to_writer(&mut page)?;
    Ok(page)
}

/// Paragraphs that begin with a heading and a colon, each as a section.
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
            // More than a section is called by.
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
