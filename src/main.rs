//! The command `omnogram`. Everything it knows is in the library; everything it says is in `cli`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
