//! Results that are recorded in a file, which a variable of the environment overwrites.

use std::path::Path;

/// Compares a text with a file of the package, line by line. With `VARIABLE=overwrite` in the environment the file is written first.
pub(crate) fn compare(is: &str, file: &str, variable: &str, test: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var(variable).is_ok_and(|way| way == "overwrite") {
        std::fs::write(&path, is).unwrap();
    }
    let was = std::fs::read_to_string(&path).unwrap_or_default();
    let only = |these: &str, those: &str, sign: &str| -> String {
        let lines = these
            .lines()
            .filter(|line| those.lines().all(|other| other != *line));
        lines.map(|line| format!("{sign} {line}\n")).collect()
    };
    let (lost, new) = (only(&was, is, "-"), only(is, &was, "+"));
    let accept = format!("{variable}=overwrite cargo test --release --test suite {test}::");
    assert!(
        was == is,
        "what is found differs from {file}:\n{lost}{new}to accept this: {accept}"
    );
}
