//! The workflows of a public host, and the action that others use in theirs: they may do no more than they have to, and what they run is a
//! script that `.ci/run` runs as well, since they themselves cannot be tried before a change lands.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use saphyr::{LoadableYamlNode, Yaml};

use crate::common::command::answer;

/// What a step may run beside the scripts: the tests where `.ci/run` does not work, and what makes files of a release of what scripts built.
const OTHERS: [&str; 5] = [
    "cargo test --locked --release",
    "rustup target add ",
    "npm pack ",
    "tar --create ",
    "gh release create ",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A job of a workflow: the files' name and its own, what it may do by itself, and its steps.
struct Job {
    place: String,
    permissions: Option<Vec<(String, String)>>,
    steps: Vec<Step>,
}

enum Step {
    Runs(String),
    Uses(String),
}

fn permissions(of: &Yaml) -> Option<Vec<(String, String)>> {
    let mapping = of.as_mapping_get("permissions")?.as_mapping();
    let mapping = mapping.expect("each permission by itself").iter();
    let text = |yaml: &Yaml| yaml.as_str().expect("a text").to_owned();
    Some(mapping.map(|(of, may)| (text(of), text(may))).collect())
}

/// The jobs of all workflows.
fn jobs() -> Vec<Job> {
    let folder = root().join(".github/workflows");
    let mut files: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    files.sort_by_key(|file| file.as_ref().expect("a file").file_name());
    let mut jobs = Vec::new();
    for file in files {
        let file = file.expect("a file");
        let text = fs::read_to_string(file.path()).expect("a text");
        let documents = Yaml::load_from_str(&text).expect("YAML");
        let [workflow] = &documents[..] else {
            panic!("{file:?} has {} documents", documents.len());
        };
        let read = vec![("contents".to_owned(), "read".to_owned())];
        assert_eq!(permissions(workflow), Some(read), "{file:?}");
        let all = workflow
            .as_mapping_get("jobs")
            .and_then(Yaml::as_mapping)
            .expect("jobs");
        for (name, job) in all {
            assert!(job.as_mapping_get("runs-on").is_some(), "{file:?}");
            let steps = job
                .as_mapping_get("steps")
                .and_then(Yaml::as_sequence)
                .expect("steps");
            jobs.push(Job {
                place: format!(
                    "{}, {}",
                    file.path().display(),
                    name.as_str().expect("a name")
                ),
                permissions: permissions(job),
                steps: steps.iter().map(step).collect(),
            });
        }
    }
    jobs
}

fn step(step: &Yaml) -> Step {
    let text = |key| {
        Some(
            step.as_mapping_get(key)?
                .as_str()
                .expect("a text")
                .to_owned(),
        )
    };
    match (text("run"), text("uses")) {
        (Some(line), None) => Step::Runs(line),
        (None, Some(action)) => Step::Uses(action),
        other => panic!("a step runs a line or uses an action: {other:?}"),
    }
}

/// The script that a line calls, by its path from the root.
fn script(line: &str) -> Option<&str> {
    let first = line.split(' ').next().unwrap_or_default();
    [".ci/", "scripts/"]
        .iter()
        .any(|folder| first.starts_with(folder))
        .then_some(first)
}

#[test]
fn a_step_is_one_line_that_calls_a_script() {
    let mut called = BTreeSet::new();
    for job in jobs() {
        let place = &job.place;
        let lines = job.steps.iter().filter_map(|step| match step {
            Step::Runs(line) => Some(line),
            Step::Uses(_) => None,
        });
        for line in lines {
            assert!(!line.contains('\n'), "{place}: {line:?} has several lines");
            let joined = ["&&", "||", ";", "|"]
                .iter()
                .any(|join| line.contains(join));
            assert!(!joined, "{place}: {line:?} has several commands");
            match script(line) {
                Some(script) => drop(called.insert(script.to_owned())),
                None => assert!(
                    OTHERS.iter().any(|other| line.starts_with(other)),
                    "{place}: {line:?} calls no script"
                ),
            }
        }
    }
    let expected = [
        ".ci/run",
        "scripts/package",
        "scripts/python",
        "scripts/web",
    ];
    assert_eq!(called, BTreeSet::from(expected.map(str::to_owned)));
}

#[test]
fn the_scripts_exist_and_are_run_before_a_change_lands() {
    let checks = fs::read_to_string(root().join(".ci/run")).expect("the checks");
    // The calls, not the comments.
    let words: BTreeSet<&str> = checks
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .flat_map(|line| line.split([' ', ';']))
        .collect();
    let steps = jobs().into_iter().flat_map(|job| job.steps);
    let lines = steps.filter_map(|step| match step {
        Step::Runs(line) => script(&line).map(str::to_owned),
        Step::Uses(_) => None,
    });
    for script in lines.collect::<BTreeSet<String>>() {
        let file = root().join(&script);
        assert!(file.is_file(), "there is no {script}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata().expect("a file").permissions().mode();
            assert_eq!(mode & 0o111, 0o111, "{script} cannot be executed");
        }
        let run = script == ".ci/run" || words.contains(&script[..]);
        assert!(run, "{script} is not run by .ci/run");
    }
}

/// An action is pinned by its major version and comes from the host itself, and only the job that makes a release may write.
#[test]
fn actions_are_few_and_jobs_may_little() {
    let mut writes = Vec::new();
    for job in jobs() {
        for step in &job.steps {
            let Step::Uses(action) = step else { continue };
            let version = action
                .strip_prefix("actions/")
                .and_then(|action| action.split_once("@v"));
            let major = version.is_some_and(|(_, version)| version.parse::<u32>().is_ok());
            assert!(major, "{}: {action}", job.place);
        }
        let Some(permissions) = job.permissions else {
            continue;
        };
        assert_eq!(
            permissions,
            [("contents".to_owned(), "write".to_owned())],
            "{}",
            job.place
        );
        writes.push(job.place);
    }
    assert_eq!(writes.len(), 1, "{writes:?}");
    assert!(writes[0].ends_with("release.yml, release"), "{writes:?}");
}

/// The steps of `action.yml`: each runs one line with the inputs as variables of its environment, never as a part of the line.
fn action() -> (Vec<String>, Vec<(String, String)>) {
    let text = fs::read_to_string(root().join("action.yml")).expect("a text");
    let documents = Yaml::load_from_str(&text).expect("YAML");
    let [action] = &documents[..] else {
        panic!("action.yml has {} documents", documents.len());
    };
    let text = |yaml: &Yaml| yaml.as_str().expect("a text").to_owned();
    let runs = action.as_mapping_get("runs").expect("what it runs");
    let using = runs.as_mapping_get("using").map(text);
    assert_eq!(using.as_deref(), Some("composite"));
    let steps = runs.as_mapping_get("steps").and_then(Yaml::as_sequence);
    let (mut lines, mut variables) = (Vec::new(), Vec::new());
    for step in steps.expect("steps") {
        let shell = step.as_mapping_get("shell").map(text);
        assert_eq!(shell.as_deref(), Some("bash"));
        let line = step.as_mapping_get("run").map(text).expect("a line");
        assert!(!line.trim_end().contains('\n'), "{line} has several lines");
        assert!(!line.contains("${{"), "{line} has an input in it");
        lines.push(line);
        if let Some(environment) = step.as_mapping_get("env") {
            let environment = environment.as_mapping().expect("variables").iter();
            variables.extend(environment.map(|(name, value)| (text(name), text(value))));
        }
    }
    let inputs = action.as_mapping_get("inputs").and_then(Yaml::as_mapping);
    let mut inputs: Vec<_> = inputs.expect("inputs").keys().map(text).collect();
    inputs.sort();
    let mut used: Vec<_> = variables.iter().map(|(_, value)| value.clone()).collect();
    used.sort();
    let wanted = inputs
        .iter()
        .map(|input| format!("${{{{ inputs.{input} }}}}"));
    assert_eq!(used, wanted.collect::<Vec<_>>());
    (lines, variables)
}

#[test]
fn the_action_names_options_that_the_command_has() {
    let (lines, _) = action();
    assert_eq!(lines.len(), 2);
    let text = fs::read_to_string(root().join("action.yml")).expect("a text");
    let installing = "cargo install --locked --path";
    assert!(text.contains(installing));
    let text = text.replace(installing, "");
    let help = answer(&["check", "--help"]);
    let options = text.split([' ', ',']).filter(|word| word.starts_with("--"));
    let named: BTreeSet<_> = options
        .map(str::trim_end)
        .filter(|word| *word != "--")
        .collect();
    assert_eq!(
        named.iter().copied().collect::<Vec<_>>(),
        ["--format", "--require", "--time"]
    );
    for option in named {
        let is_in_help = |line: &str| line.split([' ', ',', '=']).any(|word| word == option);
        assert!(help.lines().any(is_in_help), "{option} is not in the help");
    }
    assert!(help.contains("github"));
}

#[cfg(unix)]
#[test]
fn the_action_annotates_what_is_not_as_required() {
    let (lines, variables) = action();
    let [build, check] = &lines[..] else {
        panic!("{lines:?}");
    };
    let folder = Path::new(env!("CARGO_BIN_EXE_omnogram")).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let run = |line: &str, checked: &str, args: &str| {
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", line]);
        command.current_dir(root()).env("PATH", &path);
        for (name, value) in &variables {
            let is_path = value.contains("inputs.path");
            command.env(name, if is_path { checked } else { args });
        }
        let done = command.output().expect("a shell");
        let printed = String::from_utf8(done.stdout).expect("UTF-8");
        (done.status.code(), printed)
    };
    assert_eq!(run(build, "", "").0, Some(0));
    let (status, printed) = run(check, "puzzles/known", "");
    let place = "::error file=puzzles/known/diagonals.non,line=1,col=1,title=multiple::";
    assert_eq!((status, printed.lines().count()), (Some(1), 1), "{printed}");
    assert!(printed.starts_with(place), "{printed}");
    let literate = "puzzles/known/literate.non";
    assert_eq!(run(check, literate, ""), (Some(0), String::new()));
    let (status, printed) = run(check, literate, "--require line-solvable --time 1m");
    assert_eq!(status, Some(1));
    assert!(printed.contains("title=not line-solvable::"), "{printed}");
}
