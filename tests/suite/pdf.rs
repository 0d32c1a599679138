//! PDF files are read back: the grid that was drawn, the numbers of the clues, the titles, and whether the file is whole.

use crate::common::command::{Scratch, ended, output, stderr, words};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::render::{Drawing, Letters, Mark, Pages, Paper, Pdf, Sheet};
use proptest::prelude::*;

const A4: Pages = Pages::Paper(Paper::A4, 1);

/// A file with these sheets.
fn file(pages: Pages, sheets: &[Sheet<'_>]) -> Vec<u8> {
    let mut pdf = Pdf::new(pages);
    for sheet in sheets {
        pdf.add(sheet).expect("it can be drawn");
    }
    pdf.finish()
}

fn sheet<'a>(title: &str, drawing: Drawing<'a>) -> Sheet<'a> {
    Sheet::new([drawing]).title(title)
}

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    let at = rest.windows(what.len()).position(|window| window == what)?;
    Some(from + at)
}

/// The number before the first byte that is no digit.
fn number(bytes: &[u8], at: usize) -> usize {
    let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'))
}

/// The objects of a file, found by its table; checks the table.
fn objects(bytes: &[u8]) -> Vec<&[u8]> {
    assert!(bytes.starts_with(b"%PDF-1.7") && bytes.ends_with(b"%%EOF"));
    let start = find(bytes, b"startxref\n", 0).expect("where the table is");
    let table = number(bytes, start + 10);
    assert_eq!(&bytes[table..table + 7], b"xref\n0 ");
    let count = number(bytes, table + 7);
    let first = find(bytes, b"\n", table + 7).expect("a line") + 1;
    (1..count)
        .filter_map(|i| {
            let entry = &bytes[first + 20 * i..][..20];
            if entry[17] == b'f' {
                return None;
            }
            assert_eq!(entry[17], b'n');
            let at = str::from_utf8(&entry[..10]).expect("digits");
            let at: usize = at.parse().expect("an offset");
            assert!(bytes[at..].starts_with(format!("{i} 0 obj").as_bytes()));
            let end = find(bytes, b"endobj", at).expect("an end");
            Some(&bytes[at..end])
        })
        .collect()
}

/// What is drawn on each page.
fn contents(bytes: &[u8]) -> Vec<String> {
    let objects = objects(bytes);
    let packed = objects.iter().filter_map(|object| {
        let start = find(object, b"stream\n", 0)? + 7;
        let end = find(object, b"\nendstream", start)?;
        let length = find(object, b"/Length ", 0)? + 8;
        assert_eq!(number(object, length), end - start);
        Some(&object[start..end])
    });
    packed
        .map(|packed| {
            let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(packed).expect("packed");
            // Titles are in an encoding of single bytes.
            bytes.into_iter().map(char::from).collect()
        })
        .collect()
}

/// Every operator with its operands.
fn operations<'a>(content: &'a str, operator: &'a str) -> impl Iterator<Item = Vec<f32>> + 'a {
    let lines = content.lines();
    lines.filter_map(move |line| {
        let operands = line.strip_suffix(operator)?.strip_suffix(' ')?;
        Some(
            operands
                .split(' ')
                .map(|text| text.parse().expect("a number"))
                .collect(),
        )
    })
}

/// The texts of a page, in order, a character for each byte.
fn texts(content: &str) -> Vec<String> {
    let shown = content.lines().filter_map(|line| line.strip_suffix(" Tj"));
    shown.map(decoded).collect()
}

/// A string as it is written in a file, in brackets or as hexadecimal digits.
fn decoded(text: &str) -> String {
    if let Some(digits) = text
        .strip_prefix('<')
        .and_then(|text| text.strip_suffix('>'))
    {
        let byte = |pair: &[u8]| {
            let pair = str::from_utf8(pair).expect("digits");
            u8::from_str_radix(pair, 16)
                .map(char::from)
                .expect("a byte")
        };
        return digits.as_bytes().chunks(2).map(byte).collect();
    }
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    let mut decoded = String::new();
    let mut characters = inner.expect("brackets").chars();
    while let Some(c) = characters.next() {
        decoded.extend(if c == '\\' {
            characters.next()
        } else {
            Some(c)
        });
    }
    decoded
}

fn grids() -> impl Strategy<Value = Grid> {
    (1..=40usize, 1..=30usize).prop_flat_map(|(width, height)| {
        let cells = prop::collection::vec(any::<bool>(), width * height);
        cells.prop_map(move |cells| {
            let mut grid = Grid::new(width, height);
            for (i, filled) in cells.into_iter().enumerate() {
                grid.set(i / width, i % width, filled);
            }
            grid
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_drawn_is_the_grid(grid in grids()) {
        let puzzle = Puzzle::from_grid(&grid);
        let drawing = Drawing::solution(&puzzle, &grid).without_clues();
        let bytes = file(A4, &[sheet("", drawing)]);
        let mut drawn = Grid::new(grid.width(), grid.height());
        for content in contents(&bytes) {
            for rectangle in operations(&content, "re") {
                let [x, y, width, height] = rectangle[..] else { panic!("{rectangle:?}") };
                prop_assert_eq!(height, 20.0);
                for column in (x / 20.0) as usize..((x + width) / 20.0) as usize {
                    drawn.set((y / 20.0) as usize, column, true);
                }
            }
        }
        prop_assert_eq!(drawn, grid);
    }

    #[test]
    fn every_number_of_every_clue_is_written(grid in grids()) {
        let puzzle = Puzzle::from_grid(&grid);
        let bytes = file(A4, &[sheet("", Drawing::blank(&puzzle))]);
        let contents = contents(&bytes);
        let mut written: Vec<String> = contents.iter().flat_map(|content| texts(content)).collect();
        let mut wanted: Vec<String> = puzzle
            .lines()
            .flat_map(|(_, clue)| if clue.blocks().is_empty() { vec![0] } else { clue.lengths().collect() })
            .map(|length| length.to_string())
            .collect();
        written.sort_unstable();
        wanted.sort_unstable();
        prop_assert_eq!(written, wanted);
    }
}

#[test]
fn everything_that_svg_draws_is_drawn() {
    let grid = Grid::from_rows(&["##.#", ".###"]).expect("a grid");
    let puzzle = Puzzle::from_grid(&grid);
    let lettered = Drawing::lettered(&puzzle, &grid, Letters::Rows);
    let marks = [
        Mark::Share(250_000),
        Mark::Ambiguous,
        Mark::Unknown,
        Mark::Share(1),
    ];
    let others = Drawing::new(&puzzle, |_, column| marks[column]).captioned("Others");
    let legend = vec![(Mark::Ambiguous, "ambiguous".to_owned())];
    let sheet = Sheet::new([lettered.without_clues(), others.without_clues()])
        .title("Łódź (2)")
        .byline("by Ann")
        .legend(legend);
    let content = contents(&file(A4, &[sheet])).concat();
    let mut wanted = vec!["L\u{f3}dz (2)", "by Ann"];
    wanted.extend(["A", "A", "B", "A", "A", "A", "Others"]);
    wanted.extend(["25", "<1", "25", "<1", "ambiguous"]);
    assert_eq!(texts(&content), wanted);
    // Eight squares for each cell that is ambiguous, and one rectangle for all others.
    let small = operations(&content, "re").filter(|rectangle| rectangle[2] == 5.0);
    assert_eq!(small.count(), 3 * 8);
    assert!(
        content.contains("1 J\n") && content.contains(" g\n"),
        "a dot, a grey"
    );
}

#[test]
fn pages_hold_as_many_as_they_are_told() {
    let grid = Grid::from_rows(&["##.#", ".###"]).expect("a grid");
    let puzzle = Puzzle::from_grid(&grid);
    let sheets: Vec<_> = (1..=7)
        .map(|i| sheet(&format!("No. {i}"), Drawing::blank(&puzzle)))
        .collect();
    for (each, pages) in [(1, 7), (2, 4), (3, 3), (6, 2), (7, 1), (100, 1)] {
        let bytes = file(Pages::Paper(Paper::Letter, each), &sheets);
        let contents = contents(&bytes);
        assert_eq!(contents.len(), pages);
        let titles = contents.iter().flat_map(|content| texts(content));
        let titles: Vec<_> = titles.filter(|text| text.starts_with("No")).collect();
        assert_eq!(titles.len(), 7, "{each}");
        // None lies on another, and all lie on the page.
        for content in &contents {
            let places: Vec<_> = operations(content, "cm").collect();
            for (i, place) in places.iter().enumerate() {
                assert!((0.0..792.0).contains(&place[4]) && (0.0..=792.0).contains(&place[5]));
                let same = |other: &Vec<f32>| (other[4], other[5]) == (place[4], place[5]);
                assert!(!places[i + 1..].iter().any(same));
            }
        }
    }
    // A page as large as its picture.
    let sized = file(Pages::Cell(40), &sheets[..1]);
    assert_eq!(contents(&sized).len(), 1);
    let mut pdf = Pdf::new(Pages::Cell(60_000));
    assert!(pdf.add(&sheets[0]).is_err());
    // An empty file has a page.
    assert_eq!(contents(&Pdf::new(A4).finish()).len(), 1);
}

/// Headings once had the scale of their picture.
#[test]
fn headings_on_a_page_have_one_size() {
    let grids = [Grid::new(3, 3), Grid::new(60, 60)];
    let puzzles = grids.map(|grid| Puzzle::from_grid(&grid));
    let long = format!(
        "Large, and its title is cut {}",
        "since it is too long ".repeat(10)
    );
    let titles = ["Small", &long];
    let sheets = puzzles.iter().zip(titles).map(|(puzzle, title)| {
        let drawing = Drawing::blank(puzzle).without_clues();
        sheet(title, drawing).byline("by Ann")
    });
    let sheets: Vec<_> = sheets.collect();
    let bytes = file(Pages::Paper(Paper::A4, 4), &sheets);
    let content = contents(&bytes).concat();
    let sizes = content.lines().filter_map(|line| line.strip_suffix(" Tf"));
    let sizes: Vec<_> = sizes.collect();
    assert_eq!(sizes.len(), 4, "{sizes:?}");
    assert_eq!(sizes[..2], sizes[2..]);
    let written = texts(&content);
    assert_eq!(written[0], "Small");
    assert!(written[2].starts_with("Large, and its title is") && written[2].ends_with('\u{85}'));
    // The bookmark has all of it.
    let name: Vec<u8> = titles[1].bytes().collect();
    assert!(find(&bytes, &name, 0).is_some());
}

#[test]
fn titles_are_kept_whatever_they_are() {
    let puzzle = Puzzle::from_grid(&Grid::from_rows(&["#"]).expect("a grid"));
    for (title, drawn) in [
        ("A) \\ (B", Some("A) \\ (B")),
        ("Žluťoučký kůň", Some("\u{8e}lutouck\u{fd} kun")),
        ("雪だるま", None),
        ("雪 2", Some("? 2")),
        ("\u{1b}[31m\n", Some("?[31m?")),
    ] {
        let bytes = file(A4, &[sheet(title, Drawing::blank(&puzzle).without_clues())]);
        let content = contents(&bytes).concat();
        let written = texts(&content);
        assert_eq!(written.first().map(String::as_str), drawn, "{title:?}");
        assert_eq!(
            Pdf::can_write(title),
            drawn.is_some_and(|drawn| !drawn.contains('?'))
        );
        if title == "雪 2" {
            let name: Vec<u8> = "FEFF96EA00200032".into();
            assert!(find(&bytes, &name, 0).is_some());
        }
    }
}

#[test]
fn solutions_follow_after_all_puzzles() {
    let folder = Scratch::new("pdf-end");
    let file = folder.file("book.pdf");
    let draw = |more: &str| {
        let run = output(&words(&format!(
            "show --solutions end --force -o {file} {more}"
        )));
        let bytes = std::fs::read(&file).expect("a file");
        (run.status.code(), contents(&bytes))
    };
    let headings = |pages: &[String]| -> Vec<String> {
        let texts = pages.iter().flat_map(|page| texts(page));
        texts
            .filter(|text| text.contains(char::is_alphabetic) && !text.starts_with("by"))
            .collect()
    };
    // The first puzzle of the pack has no solution.
    let (status, pages) = draw("puzzles/pictures/heart.non puzzles/pack.nonpack");
    assert_eq!((status, pages.len()), (Some(0), 4 + 3));
    let wanted = [
        "1. Heart",
        "2. No picture",
        "3. Pine",
        "4. Three cats on three roofs",
        "Solution 1: Heart",
        "Solution 3: Pine",
        "Solution 4: Three cats on three roofs",
    ];
    assert_eq!(headings(&pages), wanted);
    // Solutions begin on a page of their own, and a puzzle by itself needs no number.
    let (_, pages) = draw("--per-page 6 puzzles/pack.nonpack");
    assert_eq!(pages.len(), 2);
    let (_, pages) = draw("puzzles/pictures/heart.non");
    assert_eq!(headings(&pages), ["Heart", "Solution: Heart"]);
    let (_, pages) = draw("--no-title puzzles/pictures/heart.non");
    assert_eq!(headings(&pages), ["Solution"]);
    assert_eq!(operations(&pages[0], "re").count(), 0);
    assert_ne!(operations(&pages[1], "re").count(), 0);
}

#[test]
fn the_same_puzzles_give_the_same_bytes() {
    let folder = Scratch::new("pdf");
    let draw = |name: &str| {
        let file = folder.file(name);
        let run = output(&words(&format!(
            "show --per-page 6 -q -o {file} puzzles/pictures"
        )));
        assert_eq!((run.status.code(), stderr(&run)), (Some(0), ""));
        std::fs::read(file).expect("a file")
    };
    let bytes = draw("one.pdf");
    assert_eq!(contents(&bytes).len(), 4);
    assert!(find(&bytes, b"Date", 0).is_none());
    assert!(bytes == draw("two.PDF"));
}

#[test]
fn pdf_is_one_file_or_one_for_each_puzzle() {
    let folder = Scratch::new("pdf-folder");
    let name = folder.to_str().expect("UTF-8");
    let both = ["puzzles/pictures/cup.non", "puzzles/pictures/owl.non"];
    ended(
        0,
        &[
            "show",
            "--solution",
            "--format",
            "PDF",
            "-o",
            name,
            both[0],
            both[1],
        ],
    );
    for file in ["cup.pdf", "owl.pdf"] {
        let bytes = std::fs::read(folder.join(file)).expect("a file");
        assert_eq!(contents(&bytes).len(), 1);
    }
    let run = output(&["show", "--format", "pdf", both[0], both[1]]);
    assert_eq!(contents(&run.stdout).len(), 2);
    for wrong in [
        &["--format", "svg", "--per-page", "2"][..],
        &["--format", "pdf", "--per-page", "2", "--cell", "9"],
        &["--format", "pdf", "--style", "half"],
        &["--format", "pdf", "--per-page", "0"],
    ] {
        let run = output(&[&["show", both[0]], wrong].concat());
        assert_eq!(run.status.code(), Some(2), "{wrong:?}");
    }
}
