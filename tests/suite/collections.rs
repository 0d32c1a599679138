//! `check` on many puzzles: filters, the table, and duplicates.

use crate::common::Random;
use crate::common::command::{Scratch, ended, output, stderr, stdout};
use omnogram::design::{Canonical, Transform};
use omnogram::format::Format;
use omnogram::puzzle::{Grid, Puzzle};

/// A picture without the empty lines at its borders.
fn trimmed(grid: &Grid) -> Grid {
    let cells = |grid: &Grid| -> Vec<(usize, usize)> {
        let all =
            (0..grid.height()).flat_map(|row| (0..grid.width()).map(move |column| (row, column)));
        all.filter(|&(row, column)| grid.get(row, column)).collect()
    };
    let filled = cells(grid);
    let Some(top) = filled.iter().map(|cell| cell.0).min() else {
        return Grid::new(1, 1);
    };
    let bottom = filled.iter().map(|cell| cell.0).max().unwrap();
    let left = filled.iter().map(|cell| cell.1).min().unwrap();
    let right = filled.iter().map(|cell| cell.1).max().unwrap();
    let mut inner = Grid::new(right + 1 - left, bottom + 1 - top);
    for (row, column) in filled {
        inner.set(row - top, column - left, true);
    }
    inner
}

#[test]
fn puzzles_are_the_same_when_their_clues_are_up_to_symmetry() {
    let mut random = Random(11);
    let grids: Vec<Grid> = (0..120)
        .map(|_| {
            let (width, height) = random.size(1, 4);
            random.grid(width, height, 0.4)
        })
        .collect();
    for a in &grids {
        let canonical = Canonical::of(&Puzzle::from_grid(a));
        for b in &grids {
            let clues = Puzzle::from_grid(&trimmed(b));
            let same = Transform::ALL
                .iter()
                .any(|transform| Puzzle::from_grid(&transform.grid(&trimmed(a))) == clues);
            let other = Canonical::of(&Puzzle::from_grid(b)).puzzle;
            assert_eq!(canonical.puzzle == other, same, "{a}\n{b}");
        }
    }
}

/// A folder with a picture as it is, turned, with a border, another one, and two ambiguous ones with the same clues.
fn folder(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let non = Format::named("non").unwrap();
    let write = |name: &str, grid: &Grid| {
        let puzzle = Puzzle::from_grid(grid);
        let notes = puzzle.notes().clone().goal(grid.clone());
        let puzzle = puzzle.with_notes(notes).unwrap();
        std::fs::write(folder.join(name), non.write(&puzzle).unwrap()).unwrap();
    };
    let boot = Grid::from_rows(&["##..", "##..", "###.", "####"]).unwrap();
    write("a.non", &boot);
    write("b.non", &Transform::ALL[4].grid(&boot));
    let mut padded = Grid::new(5, 5);
    for (row, column) in (0..4).flat_map(|row| (0..4).map(move |column| (row, column))) {
        padded.set(row + 1, column, boot.get(row, column));
    }
    write("c,\"quoted\".non", &padded);
    write("d.non", &Grid::from_rows(&["#.", ".#"]).unwrap());
    write("e.non", &Grid::from_rows(&[".#", "#."]).unwrap());
    write("f.non", &Grid::from_rows(&["###", "#.#"]).unwrap());
    folder
}

#[test]
fn duplicates_are_named() {
    let folder = folder("collection-duplicates");
    let path = folder.display().to_string();
    let run = ended(1, &["check", "--duplicates", "-j", "1", &path]);
    let text = stdout(&run).replace(&format!("{path}/"), "");
    let wanted = "\
a.non: unique
b.non: unique
b.non: the same as a.non, turned right
c,\"quoted\".non: unique
c,\"quoted\".non: the same as a.non, with other empty borders
d.non: multiple, two of them differ in 4 cells
e.non: multiple, two of them differ in 4 cells
e.non: the same as d.non
f.non: unique
";
    assert_eq!(text, wanted);
    assert!(
        stderr(&run)
            .ends_with("6 puzzles: 4 unique, 0 none, 2 multiple, 0 undecided\n3 duplicates\n")
    );
    let run = output(&["check", "--duplicates", "--json", "-j", "1", &path]);
    let lines: Vec<&str> = stdout(&run).lines().collect();
    assert!(lines[0].contains("\"duplicate_of\":null,\"duplicate_how\":null"));
    assert!(
        lines[1].contains("a.non\",\"duplicate_how\":\"turned right\""),
        "{}",
        lines[1]
    );
    let run = output(&["check", "--json", "-j", "1", &path]);
    assert!(!stdout(&run).contains("\"duplicate_"));
}

#[test]
fn only_some_verdicts_are_printed() {
    let folder = folder("collection-only");
    let path = folder.display().to_string();
    for more in [&[][..], &["--full"]] {
        let arguments = [
            &["check", "--only", "multiple,undecided", "-j", "2"],
            more,
            &[&path],
        ]
        .concat();
        let run = ended(1, &arguments);
        let names: Vec<&str> = stdout(&run)
            .lines()
            .filter(|line| line.contains(".non: "))
            .collect();
        assert_eq!(names.len(), 2, "{run:?}");
        assert!(names.iter().all(|line| line.contains(": multiple")));
        assert!(stderr(&run).contains("6 puzzles: 4 unique, 0 none, 2 multiple, 0 undecided\n"));
    }
    ended(2, &["check", "--only", "some", &path]);
}

/// Splits a table as RFC 4180 says.
fn parse(table: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut chars = table.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match (quoted, c) {
            (true, '"') if chars.peek() == Some(&'"') => field.push(chars.next().unwrap()),
            (_, '"') => quoted = !quoted,
            (false, ',') => row.push(std::mem::take(&mut field)),
            (false, '\n') => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            (_, c) => field.push(c),
        }
    }
    rows
}

#[test]
fn a_table_has_a_row_for_each_puzzle() {
    let folder = folder("collection-table");
    let path = folder.display().to_string();
    let run = output(&["check", "--csv", "--full", "--duplicates", &path]);
    let rows = parse(stdout(&run));
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let column = |name: &str| rows[0].iter().position(|other| other == name).unwrap();
    assert_eq!(rows[3][0], format!("{path}/c,\"quoted\".non"));
    let verdicts: Vec<&str> = rows[1..]
        .iter()
        .map(|row| row[column("verdict")].as_str())
        .collect();
    assert_eq!(
        verdicts,
        [
            "unique", "unique", "unique", "multiple", "multiple", "unique"
        ]
    );
    assert_eq!(rows[1][column("method")], "lines");
    assert_eq!(
        (
            rows[4][column("method")].as_str(),
            rows[4][column("solutions")].as_str()
        ),
        ("", "2")
    );
    assert_eq!(rows[2][column("duplicate_how")], "turned right");
    assert!(
        stderr(&run).contains("solved: 4 by lines\nsizes: 6 up to 5x5\n3 duplicates\n"),
        "{run:?}"
    );
    let run = output(&["check", "--csv", &path]);
    assert_eq!(parse(stdout(&run))[0].len(), 8);
    ended(2, &["check", "--csv", "--json", &path]);
}
