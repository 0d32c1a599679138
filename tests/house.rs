//! The order of the house: a module uses only modules above it.

use std::path::Path;

/// Top to bottom. `error` stands above all.
const HOUSE: [&str; 16] = [
    "error",
    "puzzle",
    "format",
    "render",
    "line",
    "classic",
    "solutions",
    "run",
    "board",
    "belief",
    "sat",
    "search",
    "graph",
    "count",
    "estimate",
    "cluster",
];

fn sources(path: &Path, into: &mut Vec<String>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), into);
        }
    } else if path.extension().is_some_and(|ending| ending == "rs") {
        into.push(std::fs::read_to_string(path).unwrap());
    }
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for entry in std::fs::read_dir(&src).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        // The command is a crate of its own, which sees only what the library makes public.
        if ["lib", "main", "cli"].contains(&name.as_str()) {
            continue;
        }
        let place = HOUSE
            .iter()
            .position(|room| *room == name)
            .unwrap_or_else(|| panic!("{name} has no place in the house"));
        let mut texts = Vec::new();
        sources(&path, &mut texts);
        for text in texts {
            for used in text.split("crate::").skip(1) {
                let used: String = used
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let Some(other) = HOUSE.iter().position(|room| *room == used) else {
                    continue;
                };
                assert!(other <= place, "{name} uses {used}, which stands below it");
                seen += 1;
            }
        }
    }
    assert!(seen > 20);
}

/// The folders in which no two files need each other, directly or by way of others.
const WITHOUT_CIRCLES: [&str; 4] = ["run", "graph", "count", "estimate"];

/// A file as a module, by its path from the crate's root: `["count", "branch", "walk"]`.
type Module = Vec<String>;

/// All files below a folder.
fn modules(folder: &Path, module: &Module, into: &mut Vec<(Module, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut inner = module.clone();
        if name != "mod" {
            inner.push(name);
        }
        if path.is_dir() {
            modules(&path, &inner, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push((inner, std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The paths of a `use`: `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, group)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let group = group.trim_end().strip_suffix('}').unwrap();
    let (mut depth, mut begin, mut found) = (0, 0, Vec::new());
    for (i, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let inner = paths(&group[begin..i]).into_iter();
                let inner = inner.filter(|path| !path.is_empty());
                found.extend(inner.map(|path| format!("{}{path}", before.trim())));
                begin = i + 1;
            }
            _ => {}
        }
    }
    found
}

/// The `use` trees of a file, but for those of its tests.
fn trees(text: &str) -> Vec<String> {
    let (mut trees, mut open) = (Vec::new(), None::<String>);
    for line in text.lines().take_while(|line| *line != "#[cfg(test)]") {
        let begin = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];
        let begin = begin.iter().find_map(|begin| line.strip_prefix(begin));
        match (&mut open, begin) {
            (Some(tree), _) => tree.push_str(line),
            (None, Some(begin)) => open = Some(begin.to_owned()),
            (None, None) => continue,
        }
        if let Some(tree) = open.take_if(|tree| tree.ends_with(';')) {
            trees.push(tree.trim_end_matches(';').to_owned());
        }
    }
    trees
}

/// The files that this file's `use` lines name.
fn used(module: &Module, text: &str, all: &[Module]) -> Vec<Module> {
    let mut used = Vec::new();
    for path in trees(text).iter().flat_map(|tree| paths(tree)) {
        let mut names: Vec<&str> = path.split("::").collect();
        let (mut at, least) = match names[0] {
            "crate" => (Module::new(), 1),
            "super" => (module.clone(), 1),
            // A file of this module's folder, or another crate.
            _ => (module.clone(), module.len() + 1),
        };
        names.retain(|name| !["crate", "self"].contains(name));
        for name in names {
            match name {
                "super" => drop(at.pop()),
                _ => at.push(name.to_owned()),
            }
        }
        // What it names is in the file whose path is the longest.
        while at.len() >= least && !all.contains(&at) {
            at.pop();
        }
        if at.len() >= least && at != *module {
            used.push(at);
        }
    }
    used
}

#[test]
fn no_two_files_of_a_folder_need_each_other() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    modules(&src, &Module::new(), &mut files);
    let all: Vec<Module> = files.iter().map(|(module, _)| module.clone()).collect();
    for folder in WITHOUT_CIRCLES {
        let inside = files.iter().filter(|(module, _)| module[0] == folder);
        let inside = inside.map(|(module, text)| (module.clone(), used(module, text, &all)));
        let mut left: Vec<(Module, Vec<Module>)> = inside.collect();
        let within = |other: &Module| other[0] == folder;
        assert!(
            left.iter().any(|(_, used)| used.iter().any(within)),
            "{folder}"
        );
        // A file goes when it needs none that is left, or none that is left needs it: what stays stands in circles.
        loop {
            let before = left.len();
            let names: Vec<Module> = left.iter().map(|(module, _)| module.clone()).collect();
            left.retain(|(_, used)| used.iter().any(|other| names.contains(other)));
            let needed: Vec<Module> = left.iter().flat_map(|(_, used)| used.clone()).collect();
            left.retain(|(module, _)| needed.contains(module));
            if left.len() == before {
                break;
            }
        }
        let names: Vec<String> = left.iter().map(|(module, _)| module.join("::")).collect();
        assert!(names.is_empty(), "circles in {folder}: {names:?}");
    }
}

#[test]
fn grouped_and_nested_uses_are_seen() {
    let all = [["a", "b"], ["a", "c"], ["d", "e"]];
    let all: Vec<Module> = all
        .iter()
        .map(|m| m.iter().map(ToString::to_string).collect())
        .collect();
    let text = "use super::{\n    c::{X, Y},\n};\npub(crate) use crate::d::e::Z;\nuse std::fmt;\n#[cfg(test)]\nuse super::b;\n";
    assert_eq!(
        used(&all[0], text, &all),
        [all[1].clone(), all[1].clone(), all[2].clone()]
    );
}
