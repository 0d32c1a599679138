//! The order of the house: a module uses only modules above it, and no two files of a folder need each other.

use std::path::Path;

/// Top to bottom. `error` stands above all.
const HOUSE: [&str; 21] = [
    "error",
    "puzzle",
    "certificate",
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
    "census",
    "estimate",
    "design",
    "serialize",
    "cluster",
    "studio",
];

/// Top to bottom within `count`. `mod` stands below all.
const COUNT: [&str; 13] = [
    "components",
    "sweep",
    "options",
    "setup",
    "status",
    "root",
    "crew",
    "walk",
    "backbone",
    "workers",
    "race",
    "racers",
    "run",
];

/// Rooms of `count` of which the lower one does not use the upper one either.
const APART: [(&str, &str); 1] = [("sweep", "walk")];

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

/// The lines of a file without its tests and comments. In a module that is written out in the file, `super` is the file: there it
/// becomes `self`.
fn code(text: &str) -> Vec<String> {
    let (mut code, mut inside) = (Vec::new(), false);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" {
            // The test item ends with a semicolon, or with a bracket on a line of its own.
            lines.find(|line| *line == "}" || (line.ends_with(';') && !line.starts_with(' ')));
            continue;
        }
        let line = line.split("//").next().unwrap_or_default();
        inside &= line != "}";
        code.push(match inside {
            true => line
                .replace("super::", "self::")
                .replace("self::self::", "super::"),
            false => line.to_owned(),
        });
        let item = line.split_once("mod ").filter(|_| line.ends_with('{'));
        inside |= item.is_some_and(|(before, _)| before.is_empty() || before.starts_with("pub"));
    }
    code
}

/// The tree of a `use`, as far as it stands on the first line.
fn tree(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    line.strip_prefix("use ")
}

/// The paths of a `use`: `a::{b, c::{d, e as f}}` is `a::b`, `a::c::d` and `a::c::e`.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, group)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.trim().to_owned()];
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

/// All paths that a file names outside its tests, in `use` lines and in its code.
fn named(text: &str) -> Vec<String> {
    let (mut named, mut open) = (Vec::new(), None::<String>);
    for line in code(text) {
        let line = line.trim();
        match (&mut open, tree(line)) {
            (Some(tree), _) => tree.push_str(line),
            (None, Some(begin)) => open = Some(begin.to_owned()),
            (None, None) => {
                // `pub(in crate::search)` says who may use an item, and uses nothing.
                let line = match line.strip_prefix("pub(in ") {
                    Some(rest) => rest.split_once(')').map_or("", |(_, item)| item),
                    None => line,
                };
                let tokens = line.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
                named.extend(tokens.filter(|s| s.contains("::")).map(str::to_owned));
            }
        }
        if let Some(tree) = open.take_if(|tree| tree.ends_with(';')) {
            named.extend(paths(tree.trim_end_matches(';')));
        }
    }
    named
}

/// The files that this file needs. A re-exported name counts as a use of the file that re-exports it.
fn used(module: &Module, text: &str, all: &[Module]) -> Vec<Module> {
    let mut used = Vec::new();
    for path in named(text) {
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
    used.sort();
    used.dedup();
    used
}

/// The files of `src` with their texts, and their names alone.
fn all_modules() -> (Vec<(Module, String)>, Vec<Module>) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    modules(&src, &Module::new(), &mut files);
    let all = files.iter().map(|(module, _)| module.clone()).collect();
    (files, all)
}

/// The files that stand in a circle, or between two circles, each with those of them that it needs.
fn circles(mut left: Vec<(Module, Vec<Module>)>) -> Vec<(Module, Vec<Module>)> {
    // A file goes when it needs none that is left, or none that is left needs it.
    loop {
        let before = left.len();
        let names: Vec<Module> = left.iter().map(|(module, _)| module.clone()).collect();
        for (_, used) in &mut left {
            used.retain(|other| names.contains(other));
        }
        left.retain(|(_, used)| !used.is_empty());
        let needed: Vec<Module> = left.iter().flat_map(|(_, used)| used.clone()).collect();
        left.retain(|(module, _)| needed.contains(module));
        if left.len() == before {
            return left;
        }
    }
}

#[test]
fn no_two_files_of_a_folder_need_each_other() {
    let (files, all) = all_modules();
    let (mut seen, mut wrong) = (0, Vec::new());
    // Circles between folders are against their order.
    for (module, text) in &files {
        let mut used = used(module, text, &all);
        used.retain(|other| other[0] == module[0]);
        seen += used.len();
        wrong.push((module.clone(), used));
    }
    assert!(seen > 300, "only {seen} uses are seen");
    let wrong: Vec<String> = circles(wrong)
        .iter()
        .map(|(module, used)| {
            let used: Vec<String> = used.iter().map(|other| other.join("::")).collect();
            format!("{} needs {}", module.join("::"), used.join(", "))
        })
        .collect();
    assert!(wrong.is_empty(), "circles:\n{}", wrong.join("\n"));
}

#[test]
fn a_room_of_the_counter_uses_only_rooms_above_it() {
    let (files, all) = all_modules();
    // The room of a file of `count`, and its place; `mod` has the last place.
    let room = |module: &Module| {
        (module[0] == "count").then(|| match module.get(1) {
            Some(name) => {
                let place = COUNT.iter().position(|room| room == name);
                let place = place.unwrap_or_else(|| panic!("{name} has no place in `count`"));
                (name.clone(), place)
            }
            None => ("mod".to_owned(), COUNT.len()),
        })
    };
    let (mut seen, mut wrong) = (0, Vec::new());
    for (file, text) in &files {
        let Some((name, place)) = room(file) else {
            continue;
        };
        // These are built for tests only.
        if ["tests", "fixtures"].contains(&file.last().unwrap().as_str()) {
            continue;
        }
        for other in used(file, text, &all) {
            let Some((upper, above)) = room(&other).filter(|(upper, _)| *upper != name) else {
                continue;
            };
            seen += 1;
            if above > place || APART.contains(&(upper.as_str(), name.as_str())) {
                wrong.push(format!("{} needs {}", file.join("::"), other.join("::")));
            }
        }
    }
    assert!(seen > 50, "only {seen} uses are seen");
    assert!(wrong.is_empty(), "against the order:\n{}", wrong.join("\n"));
}

/// A module by its path.
fn module(path: &str) -> Module {
    path.split("::").map(str::to_owned).collect()
}

#[test]
fn all_ways_to_name_a_file_are_seen() {
    let all = ["a", "a::b", "a::c", "a::f", "d::e", "d::g"].map(module);
    let text = "\
use super::{
    c::{X, Y},
};
pub(crate) use crate::d::e as f;
use std::fmt;
#[cfg(test)]
use super::f::Twin;

/// Comments use nothing: super::f.
pub(in crate::a) fn work() -> crate::d::g::Z {
    work::<fmt::Error>()
}

pub mod text {
    use super::super::c;
    use super::*;
}

#[cfg(test)]
mod tests {
    use super::super::f;
}
";
    assert_eq!(
        used(&all[1], text, &all),
        ["a::c", "d::e", "d::g"].map(module)
    );
    let text = "mod c;\nmod f;\npub use c::X;\n\nfn run() {\n    f::run(c::X)\n}\n";
    assert_eq!(used(&all[0], text, &all), ["a::c", "a::f"].map(module));
    assert_eq!(used(&all[3], "use super::X;\n", &all), [module("a")]);
}

#[test]
fn a_circle_is_told_from_what_leads_to_it() {
    let needs = |file: &str, used: &[&str]| {
        let used = used.iter().map(|other| module(other));
        (module(file), used.collect())
    };
    let line = vec![needs("a", &["b", "c"]), needs("b", &["c"]), needs("c", &[])];
    assert_eq!(circles(line), []);
    let ring = vec![
        needs("a", &["b"]),
        needs("b", &["c", "d"]),
        needs("c", &["b"]),
        needs("d", &[]),
    ];
    assert_eq!(circles(ring), [needs("b", &["c"]), needs("c", &["b"])]);
}
