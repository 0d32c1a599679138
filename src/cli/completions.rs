//! `omnogram completions`: the script with which a shell completes command lines.

use clap::Args;
use clap_complete::Shell;

use super::output::print_last;
use super::status::{Answered, Status};

/// Write completions for a shell
///
/// Prints a script for bash, zsh, fish, PowerShell or elvish to standard output.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram completions bash > ~/.local/share/bash-completion/completions/omnogram
  omnogram completions zsh > ~/.zfunc/_omnogram      with ~/.zfunc in your fpath
  omnogram completions fish > ~/.config/fish/completions/omnogram.fish")]
pub(super) struct Options {
    /// The shell to write the script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(options: &Options, mut command: clap::Command) -> Answered {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "omnogram", &mut script);
    print_last(&script)?;
    Ok(Status::Complete)
}
