//! The documents: the commands in them print what is shown, the verbs, options, files and headings that they name exist, and the README
//! stays short.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::command::{Scratch, answer, omnogram, stderr, stdout};

/// Commands whose output is not compared, and why.
const NOT_COMPARED: [(&str, &str); 1] = [("omnogram bench", "the figures differ from run to run")];

/// The longest README.
const README_LINES: usize = 250;

/// The commands of a first visit; other checks rely on them.
const FIRST_COMMANDS: [&str; 2] = [
    "cargo run --release -- enumerate puzzles/pictures/observatory.non",
    "cargo test --release",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents, by their paths from the root.
fn documents() -> Vec<String> {
    let mut documents: Vec<String> = fs::read_dir(root().join("docs"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| format!("docs/{}", name.to_str().expect("UTF-8")))
        .filter(|path| path.ends_with(".md"))
        .collect();
    documents.sort();
    let others = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    documents.extend(others.map(str::to_owned));
    documents
}

fn text(document: &str) -> String {
    fs::read_to_string(root().join(document)).expect(document)
}

/// A fenced block of code.
struct Block {
    /// The document and line of the fence.
    place: String,
    language: String,
    lines: Vec<String>,
}

/// The lines outside of fenced blocks, and the blocks.
fn parts(document: &str) -> (Vec<String>, Vec<Block>) {
    let (mut prose, mut blocks) = (Vec::new(), Vec::new());
    let mut open: Option<Block> = None;
    for (number, line) in text(document).lines().enumerate() {
        match (open.take(), line.strip_prefix("```")) {
            (Some(block), Some(_)) => blocks.push(block),
            (Some(mut block), None) => {
                block.lines.push(line.to_owned());
                open = Some(block);
            }
            (None, Some(language)) => {
                open = Some(Block {
                    place: format!("{document}:{}", number + 1),
                    language: language.to_owned(),
                    lines: Vec::new(),
                });
            }
            (None, None) => prose.push(line.to_owned()),
        }
    }
    assert!(open.is_none(), "{document} ends within a block");
    (prose, blocks)
}

/// The blocks in this language of all documents.
fn blocks(language: &str) -> Vec<Block> {
    let documents = documents();
    let all = documents.iter().flat_map(|document| parts(document).1);
    all.filter(|block| block.language == language).collect()
}

/// The words of a command, as a shell takes them apart.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    for c in command.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == ' ' => words.extend(word.take()),
            None if c == '#' && word.is_none() => break,
            None => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote is open in {command}");
    words.extend(word);
    words
}

#[test]
fn words_are_taken_apart_as_by_a_shell() {
    assert_eq!(
        words("omnogram line '2 1' --known \"?#.??\"  # forced"),
        ["omnogram", "line", "2 1", "--known", "?#.??"]
    );
    assert_eq!(words("show FILE#2 ''"), ["show", "FILE#2", ""]);
}

/// The shown commands of a block, each with the shown output.
fn shown(block: &Block) -> Vec<(String, String)> {
    let mut shown: Vec<(String, String)> = Vec::new();
    for line in &block.lines {
        if let Some(command) = line.strip_prefix("$ ") {
            shown.push((command.to_owned(), String::new()));
        } else if let Some((_, output)) = shown.last_mut() {
            output.push_str(line);
            output.push('\n');
        } else {
            // This block does not begin with a command.
            return Vec::new();
        }
    }
    shown
}

/// With one thread, so that the output does not depend on the machine. Compares standard error where nothing else is printed. The commands
/// see the project's puzzles and write into a folder of their own.
#[cfg(unix)]
#[test]
fn commands_print_what_is_shown() {
    let scratch = Scratch::new("docs");
    std::os::unix::fs::symlink(root().join("puzzles"), scratch.join("puzzles")).expect("a link");
    let (mut compared, mut wrong) = (0, Vec::new());
    for block in blocks("text") {
        for (command, expected) in shown(&block) {
            let place = &block.place;
            let known = NOT_COMPARED.iter().find(|(name, _)| *name == command);
            if let Some((name, why)) = known {
                println!("{place}: {name} is not compared: {why}");
                continue;
            }
            let words = words(&command);
            assert_eq!(words[0], "omnogram", "{place}: {command}");
            let mut arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            if !arguments.contains(&"--threads") {
                arguments.splice(1..1, ["--threads", "1"]);
            }
            let mut run = omnogram(&arguments);
            let output = run.current_dir(&*scratch).output().expect("it runs");
            let printed = match stdout(&output) {
                "" => stderr(&output),
                printed => printed,
            };
            compared += 1;
            if printed.trim_end() != expected.trim_end() {
                wrong.push(format!("{place}: {command}\n{printed}"));
            }
        }
    }
    assert!(compared >= 10, "only {compared} commands are shown");
    assert!(wrong.is_empty(), "printed now:\n{}", wrong.join("\n"));
}

/// The verbs that the help lists.
fn verbs() -> Vec<String> {
    let help = answer(&["help"]);
    let list = help.split("Verbs:\n").nth(1).expect("a list of verbs");
    let lines = list.lines().take_while(|line| !line.is_empty());
    lines
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// The options that the help of a verb defines: lines that begin with a dash, less indented than the descriptions.
fn options(verb: &str) -> Vec<String> {
    let help = answer(&["help", verb]);
    let mut options = Vec::new();
    for line in help.lines() {
        let definition = line.trim_start();
        if definition.starts_with('-') && line.len() - definition.len() < 10 {
            let words = definition.split([' ', ',', '=', '[', '<']);
            options.extend(
                words
                    .filter(|word| word.starts_with('-'))
                    .map(str::to_owned),
            );
        }
    }
    options
}

#[test]
fn commands_have_verbs_and_options_that_exist() {
    let verbs = verbs();
    let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut seen = 0;
    for block in blocks("sh") {
        for line in &block.lines {
            let line = line.replace("cargo run --release --", "omnogram");
            for command in words(&line).split(|word| ["|", "||", "&&"].contains(&word.as_str())) {
                let redirected = |word: &&String| ![">", ">>", "<"].contains(&word.as_str());
                let command: Vec<&String> = command.iter().take_while(redirected).collect();
                let [first, verb, rest @ ..] = &command[..] else {
                    continue;
                };
                if *first != "omnogram" {
                    continue;
                }
                seen += 1;
                let place = &block.place;
                assert!(verbs.contains(verb), "{place}: no verb {verb}: {line}");
                let known = known
                    .entry(verb.to_string())
                    .or_insert_with(|| options(verb));
                for word in rest.iter().filter(|word| word.len() > 1) {
                    let option = word.split('=').next().unwrap_or_default();
                    let exists =
                        !option.starts_with('-') || known.iter().any(|known| known == option);
                    assert!(exists, "{place}: {verb} has no option {option}: {line}");
                }
            }
        }
    }
    assert!(seen >= 20, "only {seen} commands are seen");
}

/// The targets of the links and pictures in prose.
fn links(prose: &[String]) -> Vec<String> {
    let text = prose.join("\n");
    let targets = text.split("](").skip(1);
    targets
        .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
        .collect()
}

/// The anchors of the headings of a document.
fn anchors(document: &Path) -> Vec<String> {
    let text = fs::read_to_string(document).expect("a document");
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for document in documents() {
        let path = root().join(&document);
        let folder = path.parent().expect("a folder");
        for link in links(&parts(&document).0) {
            if link.starts_with("https://") {
                continue;
            }
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => path.clone(),
                file => folder.join(file),
            };
            let there = target.exists()
                && (anchor.is_empty() || anchors(&target).iter().any(|known| known == anchor));
            if !there {
                wrong.push(format!("{document}: {link}"));
            }
        }
    }
    assert!(seen >= 20, "only {seen} links are seen");
    assert!(wrong.is_empty(), "links to nothing:\n{}", wrong.join("\n"));
}

#[test]
fn the_readme_is_short_and_begins_with_the_two_commands() {
    let lines = text("README.md").lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines");
    let (_, blocks) = parts("README.md");
    let first = blocks.iter().find(|block| block.language == "sh");
    let commands = &first.expect("a block of commands").lines;
    assert_eq!(commands.len(), FIRST_COMMANDS.len());
    for (line, command) in commands.iter().zip(FIRST_COMMANDS) {
        assert_eq!(words(line).join(" "), command);
    }
}

/// `src/lib.rs` compiles the examples of the README.
#[test]
fn examples_in_rust_are_compiled() {
    for block in blocks("rust") {
        let place = &block.place;
        assert!(
            place.starts_with("README.md:"),
            "{place} is not a doc test: see the end of src/lib.rs"
        );
    }
}
