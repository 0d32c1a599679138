//! Images that are traced: thin lines, enlarged pixel art, margins, uneven light, and pictures that show nothing.

use image::{DynamicImage, GrayImage, ImageFormat, Luma, RgbImage};
use omnogram::format::{Format, ReadOptions, Threshold, TraceOptions};
use omnogram::puzzle::{Grid, Notes, Puzzle};

use crate::common::Random;
use crate::pictures::{disc, drawn, encoded};

/// What is said of a picture.
fn warnings(bytes: &[u8], tracing: TraceOptions) -> Vec<String> {
    let reading = ReadOptions::default().tracing(tracing);
    reading
        .entries(bytes, "x")
        .next()
        .expect("an entry")
        .warnings
}

fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
    encoded(&image.into(), ImageFormat::Png)
}

/// Lines of two pixels were an empty picture, and so was yellow on white.
#[test]
fn thin_lines_and_light_colours_are_drawn() {
    let frame = GrayImage::from_fn(240, 240, |x, y| {
        let near = |at: u32| [20, 21, 218, 219].contains(&at);
        let inside = |at: u32| (20..220).contains(&at);
        Luma([if near(x) && inside(y) || near(y) && inside(x) {
            0
        } else {
            255
        }])
    });
    let size = TraceOptions::default().size((10, None));
    let side = format!("#{}#\n", ".".repeat(8)).repeat(8);
    let expected = format!("{0}\n{side}{0}\n", "#".repeat(10));
    assert_eq!(drawn(&png(frame.clone()), size), expected);
    assert_eq!(
        warnings(&png(frame.clone()), size),
        ["the empty margin was cut off"]
    );
    let whole = drawn(&png(frame), size.size((12, None)).keep_margin(true));
    assert_eq!(whole.lines().next(), Some("............"));
    let yellow = RgbImage::from_fn(90, 90, |x, y| {
        image::Rgb([255, 255, if x.min(y) < 30 { 255 } else { 0 }])
    });
    let size = TraceOptions::default().size((3, None));
    assert_eq!(drawn(&png(yellow.clone()), size), "...\n.##\n.##\n");
    assert_eq!(warnings(&png(yellow), size), [""; 0]);
}

#[test]
fn a_picture_that_shows_nothing_is_warned_of() {
    let nothing = "so this picture shows nothing: try another threshold or size";
    for (level, what) in [(255, "no cell is filled"), (0, "every cell is filled")] {
        let image = GrayImage::from_pixel(70, 70, Luma([level]));
        let all = warnings(&png(image.clone()), TraceOptions::default());
        assert_eq!(all, [format!("{what}, {nothing}")]);
        let local = TraceOptions::default().threshold(Threshold::Local);
        assert_eq!(warnings(&png(image), local), all);
    }
    let fixed = TraceOptions::default().threshold(Threshold::Fixed(20));
    assert_eq!(warnings(&png(disc()), fixed).len(), 1);
    // Nobody chose a threshold here.
    assert_eq!(warnings(b"P1 3 1 000", TraceOptions::default()), [""; 0]);
}

/// Random cells of a width and a height.
fn cells(width: usize, height: usize, seed: u64) -> Grid {
    Random(seed).grid(width, height, 0.5)
}

/// The cells with this number of pixels a side, and a white margin of some pixels.
fn enlarged(grid: &Grid, side: usize, margin: usize) -> GrayImage {
    let length = |cells: usize| (cells * side + 2 * margin) as u32;
    GrayImage::from_fn(length(grid.width()), length(grid.height()), |x, y| {
        let cell = |at: u32, count: usize| {
            let at = (at as usize).checked_sub(margin)? / side;
            (at < count).then_some(at)
        };
        let (column, row) = (cell(x, grid.width()), cell(y, grid.height()));
        let filled = row.is_some_and(|row| column.is_some_and(|column| grid.get(row, column)));
        Luma([if filled { 0 } else { 255 }])
    })
}

/// Pixel art of 15x10 cells was a puzzle of 300x200.
#[test]
fn enlarged_pixel_art_has_its_own_cells() {
    for seed in 0..12 {
        let grid = cells(15, 10, seed);
        let text = grid.to_string();
        for (side, margin) in [(5, 0), (8, 0), (20, 0), (20, 7), (20, 20), (16, 40)] {
            let image = enlarged(&grid, side, margin);
            let jpeg = encoded(&image.clone().into(), ImageFormat::Jpeg);
            let soft = image::imageops::blur(&image, side as f32 / 16.0);
            let mut files = vec![png(image)];
            if side >= 8 {
                files.extend([jpeg, png(soft)]);
            }
            for (kind, bytes) in files.iter().enumerate() {
                let about = format!("seed {seed}, {side} pixels, margin {margin}, {kind}");
                assert_eq!(drawn(bytes, TraceOptions::default()), text, "{about}");
                let said = warnings(bytes, TraceOptions::default());
                let of_cells = "pixels, so there are 15x10 cells";
                assert!(
                    said.last().unwrap().ends_with(of_cells),
                    "{about}: {said:?}"
                );
                assert_eq!(
                    said.len(),
                    if 2 * margin < side { 1 } else { 2 },
                    "{about}: {said:?}"
                );
                let size = TraceOptions::default().size((15, None));
                assert_eq!(drawn(bytes, size), text, "{about}");
            }
        }
        let kept = TraceOptions::default().keep_margin(true);
        let with_margin = drawn(&png(enlarged(&grid, 20, 20)), kept);
        assert_eq!(with_margin.lines().count(), 12);
        let size = kept.size((300, Some(200)));
        assert_eq!(
            drawn(&png(enlarged(&grid, 20, 0)), size).lines().count(),
            200
        );
    }
}

/// What is written with one pixel per cell is read so, whatever its blocks and its empty lines.
#[test]
fn a_picture_of_one_pixel_per_cell_is_not_scaled() {
    let mut grids: Vec<Grid> = (0..8).map(|seed| cells(97, 71, seed)).collect();
    // Even blocks, in a picture as large as most puzzles, and a margin.
    for (side, margin) in [(2, 0), (4, 0), (4, 4), (10, 5)] {
        let image = enlarged(&cells(5, 5, 1), side, margin);
        let rows: Vec<String> = image
            .rows()
            .map(|row| {
                row.map(|pixel| if pixel.0 == [0] { '#' } else { '.' })
                    .collect()
            })
            .collect();
        grids.push(Grid::from_rows(&rows).unwrap());
    }
    for grid in grids {
        let puzzle = Puzzle::from_grid(&grid);
        let puzzle = puzzle
            .with_notes(Notes::default().goal(grid.clone()))
            .unwrap();
        for format in ["png", "gif", "bmp", "webp", "pbm", "pbm-plain"] {
            let bytes = Format::named(format).unwrap().write(&puzzle).unwrap();
            assert_eq!(
                drawn(&bytes, TraceOptions::default()),
                grid.to_string(),
                "{format}"
            );
            assert_eq!(
                warnings(&bytes, TraceOptions::default()),
                [""; 0],
                "{format}"
            );
        }
    }
    // Bits are cells, in a picture of any size.
    let large = enlarged(&cells(15, 10, 1), 20, 20);
    let digits: String = large
        .iter()
        .map(|level| if *level == 0 { '1' } else { '0' })
        .collect();
    let pbm = format!("P1 {} {} {digits}", large.width(), large.height());
    let read = drawn(pbm.as_bytes(), TraceOptions::default());
    assert_eq!(read.lines().count(), large.height() as usize);
}

#[test]
fn light_drawings_on_a_dark_ground_are_inverted_and_cut_out() {
    let grid = cells(15, 10, 3);
    let mut image = enlarged(&grid, 20, 30);
    image::imageops::invert(&mut image);
    let invert = TraceOptions::default().invert(true);
    assert_eq!(drawn(&png(image.clone()), invert), grid.to_string());
    // A dark margin is filled unless the light pixels are.
    let dark = drawn(&png(image), TraceOptions::default());
    assert!(dark.starts_with("######"), "{dark}");
}
