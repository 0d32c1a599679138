//! The order of the house: a module uses only modules above it.

use std::path::Path;

/// Top to bottom. `error` stands above all.
const HOUSE: [&str; 13] = [
    "error",
    "puzzle",
    "format",
    "render",
    "line",
    "classic",
    "board",
    "belief",
    "solutions",
    "sat",
    "search",
    "count",
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
