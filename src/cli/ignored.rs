//! Common options that have no effect on some verb. Every verb accepts all of them, so that a script can pass the same options to each; a
//! warning is printed if an option is ignored that normally limits the run or changes the answer.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

use super::messages;
use super::options::{AnswerOptions, SearchOptions};

/// The common options.
const COMMON: [&str; 7] = [
    "threads", "time", "nodes", "memory", "progress", "json", "quiet",
];

/// Verbs, and the options that have no effect on them.
const IGNORED: [(&str, &[&str]); 13] = [
    ("classic", &["threads", "progress"]),
    ("line", &["threads", "nodes", "memory", "progress", "quiet"]),
    ("verify", &["threads", "nodes", "progress"]),
    ("show", &["json"]),
    (
        "convert",
        &["threads", "time", "nodes", "memory", "progress", "json"],
    ),
    ("bench", &["nodes", "memory"]),
    ("census", &["nodes"]),
    ("studio", &["json", "progress"]),
    ("split", &["nodes", "progress", "json"]),
    ("work", &["json"]),
    ("merge", &["threads", "time", "nodes", "progress"]),
    ("completions", &COMMON),
    ("man", &COMMON),
];

/// Those of them that cause a warning; `--json` does not for `split` and `work`, which always write JSON.
const WARNED: [&str; 4] = ["time", "nodes", "memory", "json"];
const ALWAYS_JSON: [&str; 2] = ["split", "work"];

/// Adds these options to the verbs that lack them, hidden from their help.
pub(super) fn add_ignored_options(command: Command) -> Command {
    let every = AnswerOptions::augment_args(SearchOptions::augment_args(Command::new("every")));
    let option = |name: &&str| -> Option<Arg> {
        let option = every
            .get_arguments()
            .find(|option| option.get_id() == *name)?;
        Some(option.clone().hide(true))
    };
    IGNORED.into_iter().fold(command, |command, (verb, names)| {
        if command.find_subcommand(verb).is_none() {
            // The verb is not built in.
            return command;
        }
        command.mut_subcommand(verb, |verb| {
            names.iter().fold(verb, |verb, name| {
                if verb.get_arguments().any(|option| option.get_id() == *name) {
                    verb.mut_arg(name, |option| option.hide(true))
                } else {
                    verb.args(option(name))
                }
            })
        })
    })
}

/// Warns of options on the command line that have no effect, unless `--quiet` is given.
pub(super) fn warn_ignored(matches: &ArgMatches) {
    let Some((verb, given)) = matches.subcommand() else {
        return;
    };
    let is_given = |name: &str| {
        let known = given.try_contains_id(name).unwrap_or_default();
        known && given.value_source(name) == Some(ValueSource::CommandLine)
    };
    let ignored = IGNORED.iter().find(|(name, _)| *name == verb);
    for name in ignored.map_or(&[][..], |(_, names)| *names) {
        let json = *name == "json" && ALWAYS_JSON.contains(&verb);
        if WARNED.contains(name) && !json && is_given(name) && !is_given("quiet") {
            messages::warning(&format!("--{name} has no effect on {verb}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::COMMON;

    #[test]
    fn every_verb_takes_the_common_options() {
        let command = command();
        for verb in command.get_subcommands() {
            let missing = COMMON.iter().filter(|name| {
                let is_it = |option: &&clap::Arg| option.get_id() == **name;
                verb.get_arguments().find(is_it).is_none()
            });
            let missing: Vec<_> = missing.collect();
            assert!(missing.is_empty(), "{} lacks {missing:?}", verb.get_name());
        }
    }

    #[test]
    fn the_command_passes_the_checks_of_clap() {
        command().debug_assert();
    }
}
