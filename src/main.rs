//! The command `omnogram`: the solving is in the library, the command line in `cli`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
