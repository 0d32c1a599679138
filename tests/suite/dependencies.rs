//! The crates that omnogram is built from: their licences, the Rust version that they need, where they come from, and which of them are
//! built twice.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::process::Command;

use serde_json::Value;

/// Licences that ask for no more than a notice.
const LICENCES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that a build of the command contains in two versions, because two dependencies disagree.
const TWICE: [&str; 2] = ["hashbrown", "miniz_oxide"];

/// What cargo knows of the crates for this machine. It downloads those that only the Python package needs, if no build has.
fn metadata() -> Value {
    let rustc = Command::new(std::env::var("RUSTC").unwrap_or("rustc".into()))
        .arg("-vV")
        .output()
        .unwrap();
    let host = str::from_utf8(&rustc.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", host.unwrap()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The packages by their ids, without those of this repository.
fn packages(metadata: &Value) -> HashMap<&str, &Value> {
    let own = metadata["workspace_members"].as_array().unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .filter(|package| !own.contains(&package["id"]))
        .map(|package| (package["id"].as_str().unwrap(), package))
        .collect()
}

/// Whether one of the alternatives of a licence expression is allowed, with all that it joins.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace(['(', ')'], "").replace('/', " OR ");
    expression.split(" AND ").all(|alternatives| {
        let mut alternatives = alternatives.split(" OR ").map(str::trim);
        alternatives.any(|licence| LICENCES.contains(&licence))
    })
}

#[test]
fn licences_ask_for_no_more_than_a_notice() {
    let metadata = metadata();
    let packages = packages(&metadata);
    assert!(packages.len() > 100, "{}", packages.len());
    for package in packages.values() {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence), "{name}: {licence}");
    }
}

#[test]
fn no_crate_needs_a_later_rust_or_comes_from_elsewhere() {
    let metadata = metadata();
    let version = |text: &str| -> Vec<u32> {
        let parts = text.split('.').map(|part| part.parse().unwrap());
        parts.chain([0, 0]).take(3).collect()
    };
    let own = version(env!("CARGO_PKG_RUST_VERSION"));
    for package in packages(&metadata).values() {
        let name = &package["name"];
        if let Some(needed) = package["rust_version"].as_str() {
            assert!(version(needed) <= own, "{name} needs Rust {needed}");
        }
        let source = package["source"].as_str().unwrap();
        assert!(source.starts_with("registry+"), "{name}: {source}");
    }
}

#[test]
fn no_crate_of_the_command_is_built_twice_without_being_named() {
    let metadata = metadata();
    let packages = packages(&metadata);
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let nodes: HashMap<&str, &Value> = nodes
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    // What the command is linked with: dependencies of the usual kind, and theirs. Macros and what they need run at build time alone.
    let mut seen = BTreeSet::new();
    let mut open = vec![metadata["resolve"]["root"].as_str().unwrap()];
    while let Some(id) = open.pop() {
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            let to = dependency["pkg"].as_str().unwrap();
            let targets = packages[to]["targets"].as_array().unwrap();
            let is_macro = targets
                .iter()
                .any(|target| target["kind"][0] == "proc-macro");
            if !is_macro && kinds.iter().any(|kind| kind["kind"].is_null()) && seen.insert(to) {
                open.push(to);
            }
        }
    }
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in seen {
        let name = packages[id]["name"].as_str().unwrap();
        let version = packages[id]["version"].as_str().unwrap();
        versions.entry(name).or_default().push(version);
    }
    let twice: Vec<_> = versions
        .into_iter()
        .filter(|(name, versions)| versions.len() > 1 && !TWICE.contains(name))
        .collect();
    assert!(twice.is_empty(), "{twice:?}");
}
