//! Drawings are read back: what text, SVG and PNG show is the grid that was drawn, whatever the grid, and titles come out as they went in.

use omnogram::puzzle::{Grid, Puzzle};
use omnogram::render::{
    self, Drawing, Html, HtmlSection, Letters, Look, Mark, Paper, Sheet, Style,
};
use proptest::prelude::*;

/// Titles that break what is put together without care.
const TITLES: [&str; 6] = [
    "Tom & \"Jerry\" <cat@example>",
    "&lt;&#39;]]> <!-- --> </title></svg>",
    "two\nlines\tand a tab",
    "\u{1}\u{0}\u{1b}[31m\u{fffe}",
    "雪だるま ☃ é ż",
    "",
];

fn grids() -> impl Strategy<Value = Grid> {
    let sizes = prop_oneof![(1..=7usize, 1..=7usize), (1..=70usize, 1..=40usize)];
    sizes.prop_flat_map(|(width, height)| {
        let cells = prop::collection::vec(any::<bool>(), width * height);
        cells.prop_map(move |cells| {
            let mut grid = Grid::new(width, height);
            let filled = cells.iter().enumerate().filter(|(_, filled)| **filled);
            filled.for_each(|(i, _)| grid.set(i / width, i % width, true));
            grid
        })
    })
}

fn sheet<'a>(drawing: Drawing<'a>) -> Sheet<'a> {
    Sheet::new([drawing])
}

fn text(drawing: Drawing<'_>, look: Look) -> String {
    render::text(&sheet(drawing), &look)
        .expect("it can be drawn")
        .to_string()
}

/// The cells between the bars of every line that has some.
fn between(text: &str, bar: char) -> Vec<Vec<char>> {
    let lines = text.lines().filter_map(|line| line.split_once(bar));
    let cells = lines.map(|(_, cells)| cells.chars().filter(|&c| c != bar).collect());
    cells.collect()
}

/// Every so manieth character of each row, the last of each cell.
fn cells(rows: &[Vec<char>], width: usize, filled: char) -> Grid {
    let row = |row: &Vec<char>| -> String {
        let cells = row.chunks_exact(width).map(|cell| cell[width - 1]);
        cells.map(|c| if c == filled { '#' } else { '.' }).collect()
    };
    Grid::from_rows(&rows.iter().map(row).collect::<Vec<_>>()).expect("a grid")
}

/// The two rows that each row of half blocks shows.
fn halves(rows: &[Vec<char>], height: usize) -> Grid {
    let mut drawn = Vec::new();
    for row in rows {
        for half in ["▀█", "▄█"] {
            drawn.push(
                row.iter()
                    .map(|&c| if half.contains(c) { '#' } else { '.' })
                    .collect(),
            );
        }
    }
    drawn.truncate(height);
    Grid::from_rows::<String>(&drawn).expect("a grid")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn text_shows_the_grid(grid in grids(), cell in 1..=4usize) {
        let puzzle = Puzzle::from_grid(&grid);
        let solution = || Drawing::solution(&puzzle, &grid);
        let look = |style, cell| Look::default().style(style).cell(cell);
        let boxes = text(solution(), look(Style::Boxes, Some(cell)));
        prop_assert_eq!(cells(&between(&boxes, '│'), cell, '█'), grid.clone());
        let ascii = text(solution(), look(Style::Ascii, Some(cell)));
        prop_assert!(ascii.is_ascii());
        prop_assert_eq!(cells(&between(&ascii, '|'), cell, '#'), grid.clone());
        let half = text(solution(), look(Style::Half, None));
        prop_assert_eq!(halves(&between(&half, '│'), grid.height()), grid.clone());
        prop_assert!([boxes, ascii, half].iter().all(|text| text.lines().all(|line| !line.ends_with(' '))));
    }

    #[test]
    fn text_fits_where_it_says_so(grid in grids(), width in 5..120usize) {
        let puzzle = Puzzle::from_grid(&grid);
        let look = Look::default().width(width);
        let text = render::text(&sheet(Drawing::solution(&puzzle, &grid)), &look).expect("it can be drawn");
        let widest = text.lines.iter().map(|line| line.chars().count()).max();
        prop_assert_eq!(widest, Some(text.width));
        // Half blocks take a character for each cell and a frame: wherever these fit, something fits.
        prop_assert!(text.width <= width || width < grid.width() + 2);
    }

    #[test]
    fn svg_shows_the_grid(grid in grids(), clues: bool) {
        let puzzle = Puzzle::from_grid(&grid);
        let drawing = if clues { Drawing::solution(&puzzle, &grid) } else { Drawing::solution(&puzzle, &grid).without_clues() };
        let svg = render::svg(&sheet(drawing), Some(10), None);
        let document = roxmltree::Document::parse(&svg).expect("well-formed");
        // Filled cells are strokes as thick as a cell: "M30 15h20".
        let fills = document.descendants().find(|node| node.attribute("stroke-width") == Some("10"));
        let strokes = fills.and_then(|node| node.attribute("d")).unwrap_or_default();
        let side = |name: &str| -> usize {
            document.root_element().attribute(name).expect("a size").parse().expect("a number")
        };
        // The grid ends one cell before the picture does.
        let left = side("width") - 10 - grid.width() * 10;
        let top = side("height") - 10 - grid.height() * 10;
        let mut drawn = Grid::new(grid.width(), grid.height());
        for stroke in strokes.split('M').skip(1) {
            let (at, length) = stroke.split_once('h').expect("a stroke across");
            let (x, y) = at.split_once(' ').expect("a point");
            let number = |text: &str| text.parse::<usize>().expect("a number");
            let first = (number(x) - left) / 10;
            for column in first..first + number(length) / 10 {
                drawn.set((number(y) - top) / 10, column, true);
            }
        }
        prop_assert_eq!(drawn, grid);
    }

    #[test]
    fn png_shows_the_grid(grid in grids(), clues: bool, cell in 3..=13u32) {
        let puzzle = Puzzle::from_grid(&grid);
        let drawing = if clues { Drawing::solution(&puzzle, &grid) } else { Drawing::solution(&puzzle, &grid).without_clues() };
        let (pixels, info) = decoded(&render::png(&sheet(drawing), Some(cell), None).expect("small"));
        let left = info.width - cell - grid.width() as u32 * cell;
        let top = info.height - cell - grid.height() as u32 * cell;
        for row in 0..grid.height() {
            for column in 0..grid.width() {
                let middle = |line: usize| line as u32 * cell + cell / 2;
                let at = (top + middle(row)) * info.width + left + middle(column);
                prop_assert_eq!(pixels[at as usize] < 100, grid.get(row, column), "{},{}", row, column);
            }
        }
    }
}

fn decoded(png: &[u8]) -> (Vec<u8>, png::Info<'static>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("a picture");
    reader.finish().expect("an end");
    (pixels, reader.info().clone())
}

/// A drawing with every mark that there is.
fn motley(puzzle: &Puzzle) -> Drawing<'_> {
    let marks = [
        Mark::Unknown,
        Mark::Empty,
        Mark::Filled,
        Mark::Ambiguous,
        Mark::Share(1),
        Mark::Share(400_000),
        Mark::Share(999_999),
        Mark::Block('A'),
    ];
    Drawing::new(puzzle, |row, column| {
        marks[(row * 3 + column) % marks.len()]
    })
    .with_words(|row, column| format!("<{row}> & \"{column}\""))
}

#[test]
fn titles_are_escaped_wherever_they_stand() {
    let puzzle = Puzzle::from_grid(&Grid::from_rows(&["#.##.#.#", "..#####."]).unwrap());
    for title in TITLES {
        let harmless = |c: char| {
            if c.is_control() || c == '\u{fffe}' {
                '\u{fffd}'
            } else {
                c
            }
        };
        let wanted: String = title.chars().map(harmless).collect();
        let sheet = Sheet::new([
            motley(&puzzle).captioned(title),
            motley(&puzzle).captioned(title),
        ])
        .title(title)
        .byline(title)
        .legend([(Mark::Ambiguous, title.to_owned())]);
        for paper in [None, Some(Paper::A4)] {
            let svg = render::svg(&sheet, None, paper);
            let document = roxmltree::Document::parse(&svg)
                .unwrap_or_else(|error| panic!("{title:?}: {error}"));
            let named = |name| {
                move |node: &roxmltree::Node<'_, '_>| {
                    node.has_tag_name(("http://www.w3.org/2000/svg", name))
                }
            };
            let first = document
                .descendants()
                .find(named("title"))
                .expect("a title");
            assert_eq!(first.text().unwrap_or_default(), wanted);
            assert_eq!(
                document.root_element().attribute("aria-label"),
                Some(wanted.as_str())
            );
            let words: Vec<_> = document
                .descendants()
                .filter(named("title"))
                .skip(1)
                .collect();
            assert_eq!(words[0].text(), Some("<0> & \"4\""));
            assert_eq!(words.len(), 12);
        }
        let png = render::png(&sheet, None, None).expect("small");
        let (_, info) = decoded(&png);
        let kept = info
            .utf8_text
            .first()
            .map(|chunk| chunk.get_text().expect("text"));
        assert_eq!(kept.unwrap_or_default(), wanted);
        let html = Html::new(title, Paper::A4);
        let part = html.part(&HtmlSection::new(sheet).folded(title.to_owned()));
        let part =
            roxmltree::Document::parse(&part).unwrap_or_else(|error| panic!("{title:?}: {error}"));
        let summary = part.descendants().find(|node| node.has_tag_name("summary"));
        assert_eq!(
            summary.and_then(|node| node.text()).unwrap_or_default(),
            wanted
        );
        assert!(!html.head().contains(TITLES[1]));
    }
}

#[test]
fn a_page_is_as_large_as_its_paper() {
    let wide = Puzzle::from_grid(&Grid::new(40, 10));
    let high = Puzzle::from_grid(&Grid::new(10, 40));
    for (puzzle, landscape) in [(&wide, true), (&high, false)] {
        let sheet = sheet(Drawing::blank(puzzle));
        let svg = render::svg(&sheet, None, Some(Paper::A4));
        let size = if landscape {
            "width=\"297mm\" height=\"210mm\""
        } else {
            "width=\"210mm\" height=\"297mm\""
        };
        assert!(svg.contains(size), "{svg}");
        let (_, info) = decoded(&render::png(&sheet, None, Some(Paper::A4)).expect("a page"));
        let size = (info.width, info.height);
        assert_eq!(
            size,
            if landscape {
                (3507, 2480)
            } else {
                (2480, 3507)
            }
        );
        assert_eq!(info.pixel_dims.expect("a size").xppu, 11_811);
    }
}

/// Cells are made so small that their rules and numbers go, but no smaller than a pixel.
#[test]
fn the_longest_puzzles_can_be_drawn() {
    for (width, height) in [(4096, 1), (1, 4096), (700, 700)] {
        let mut grid = Grid::new(width, height);
        for i in 0..width * height {
            grid.set(i / width, i % width, i % 2 == 0);
        }
        let puzzle = Puzzle::from_grid(&grid);
        let sheet = sheet(Drawing::solution(&puzzle, &grid));
        for paper in [None, Some(Paper::A5)] {
            assert!(render::svg(&sheet, None, paper).ends_with("</svg>\n"));
            match render::png(&sheet, None, paper) {
                Ok(png) => {
                    let (_, info) = decoded(&png);
                    assert!(info.width.max(info.height) <= 9000);
                }
                Err(error) => {
                    assert!(paper.is_some() && width.max(height) == 4096, "{error}");
                }
            }
        }
        assert!(render::png(&sheet, Some(1000), None).is_err());
    }
}

#[test]
fn a_title_may_be_of_any_length() {
    let puzzle = Puzzle::from_grid(&Grid::new(4096, 1));
    let sheet = sheet(Drawing::blank(&puzzle)).title("long ".repeat(200_000));
    for cell in [1, 20, 1000] {
        assert!(render::svg(&sheet, Some(cell), None).len() < 5_000_000);
    }
    assert!(render::png(&sheet, None, None).is_ok());
}

#[test]
fn lettered_blocks_are_drawn_everywhere() {
    let grid = Grid::from_rows(&["#.##", "####"]).unwrap();
    let puzzle = Puzzle::from_grid(&grid);
    let sheet = sheet(Drawing::lettered(&puzzle, &grid, Letters::Rows));
    let look = Look::default().style(Style::Ascii).cell(1);
    let text = render::text(&sheet, &look)
        .expect("it can be drawn")
        .to_string();
    assert!(text.contains("|A.BB|") && text.contains("|AAAA|"), "{text}");
    let svg = render::svg(&sheet, None, None);
    assert_eq!(
        (
            svg.matches(">A</text>").count(),
            svg.matches(">B</text>").count()
        ),
        (5, 2)
    );
}

#[test]
fn a_heat_map_says_what_its_cells_are() {
    let puzzle = Puzzle::from_grid(&Grid::new(5, 1));
    let marks = [
        Mark::Empty,
        Mark::Share(1),
        Mark::Share(500_000),
        Mark::Share(999_999),
        Mark::Filled,
    ];
    let drawing = Drawing::new(&puzzle, |_, column| marks[column]).without_clues();
    let svg = render::svg(
        &sheet(drawing.with_words(|row, column| format!("{row} & {column}"))),
        None,
        None,
    );
    for text in [">&lt;1<", ">50<", ">&gt;99<", "<title>0 &amp; 3</title>"] {
        assert!(svg.contains(text), "{text}");
    }
    assert_eq!(svg.matches("<text ").count(), 3);
}
