//! Images as puzzles: greys, transparency, every kind of file, and files that promise more than they hold.

use std::io::Cursor;
use std::time::{Duration, Instant};

use image::{DynamicImage, GrayImage, ImageFormat, Luma, LumaA, RgbaImage};
use omnogram::format::{Format, Reading, Threshold, Tracing, read};
use omnogram::puzzle::verify;

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = image.write_to(&mut Cursor::new(&mut bytes), format);
    written.expect("an image");
    bytes
}

/// The picture that a file is taken for, which must solve its own puzzle.
fn drawn(bytes: &[u8], tracing: Tracing) -> String {
    let reading = Reading {
        tracing,
        ..Reading::default()
    };
    let entry = reading.entries(bytes, "x").next().expect("an entry");
    let puzzle = entry.puzzle.expect("a puzzle");
    let goal = puzzle.notes().goal.as_ref().expect("a goal");
    assert_eq!(verify(&puzzle, goal), Ok(()));
    goal.to_string()
}

fn message(bytes: &[u8]) -> String {
    let entry = read(bytes, "x").swap_remove(0);
    entry.puzzle.expect_err("no puzzle").to_string()
}

/// A disc on white, eight pixels a cell.
fn disc() -> GrayImage {
    GrayImage::from_fn(64, 64, |x, y| {
        let (x, y) = (i64::from(x) * 2 - 63, i64::from(y) * 2 - 63);
        Luma([if x * x + y * y < 56 * 56 { 30 } else { 230 }])
    })
}

#[test]
fn every_kind_of_image_is_the_same_picture() {
    let grey = DynamicImage::from(disc());
    let size = Tracing {
        size: Some((8, None)),
        ..Tracing::default()
    };
    let expected =
        "........\n..####..\n.######.\n.######.\n.######.\n.######.\n..####..\n........\n";
    for (format, image) in [
        (ImageFormat::Png, grey.clone()),
        (ImageFormat::Png, grey.to_rgba16().into()),
        (ImageFormat::Jpeg, grey.to_rgb8().into()),
        (ImageFormat::Gif, grey.to_rgba8().into()),
        (ImageFormat::Bmp, grey.to_rgb8().into()),
        (ImageFormat::WebP, grey.to_rgb8().into()),
    ] {
        let bytes = encoded(&image, format);
        assert_eq!(drawn(&bytes, size), expected, "{format:?}");
        let auto = Tracing {
            threshold: Threshold::Auto,
            ..size
        };
        assert_eq!(drawn(&bytes, auto), expected, "{format:?}");
    }
}

#[test]
fn what_is_transparent_is_white() {
    let image = RgbaImage::from_fn(3, 1, |x, _| {
        image::Rgba([0, 0, 0, [255, 0, 100][x as usize]])
    });
    let bytes = encoded(&image.into(), ImageFormat::Png);
    assert_eq!(drawn(&bytes, Tracing::default()), "#..\n");
    let image = image::GrayAlphaImage::from_fn(2, 1, |x, _| LumaA([0, [255, 0][x as usize]]));
    let bytes = encoded(&image.into(), ImageFormat::Png);
    assert_eq!(drawn(&bytes, Tracing::default()), "#.\n");
}

#[test]
fn an_image_of_more_pixels_than_cells_wants_a_size() {
    let wide = DynamicImage::from(GrayImage::new(5000, 2));
    let bytes = encoded(&wide, ImageFormat::Png);
    assert!(message(&bytes).contains("--size"), "{}", message(&bytes));
    let size = Tracing {
        size: Some((50, None)),
        ..Tracing::default()
    };
    assert_eq!(drawn(&bytes, size), format!("{}\n", "#".repeat(50)));
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

/// A chunk of a PNG file.
fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut body = name.to_vec();
    body.extend(data);
    let mut bytes = (data.len() as u32).to_be_bytes().to_vec();
    bytes.extend(&body);
    bytes.extend(crc(&body).to_be_bytes());
    bytes
}

/// Files of a few bytes that promise billions of pixels.
#[test]
fn bombs_are_refused_before_anything_is_kept() {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend(65_535_u32.to_be_bytes());
    head.extend(65_535_u32.to_be_bytes());
    head.extend([8, 6, 0, 0, 0]);
    png.extend(chunk(b"IHDR", &head));
    png.extend(chunk(b"IDAT", &[0x78, 0x9c, 3, 0, 0, 0, 0, 1]));
    png.extend(chunk(b"IEND", &[]));

    let mut gif = b"GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    gif.extend(b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;");

    let mut bmp = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bmp.extend(60_000_i32.to_le_bytes());
    bmp.extend(60_000_i32.to_le_bytes());
    bmp.extend([1, 0, 24, 0]);
    bmp.extend([0; 24]);

    let small = encoded(
        &DynamicImage::from(GrayImage::new(16, 16)),
        ImageFormat::Jpeg,
    );
    // Height and width stand in the frame header.
    let at = small
        .windows(2)
        .position(|pair| pair == [0xff, 0xc0])
        .expect("a frame")
        + 5;
    let mut jpeg = small;
    jpeg[at..at + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);

    for (name, bytes) in [("png", png), ("gif", gif), ("bmp", bmp), ("jpeg", jpeg)] {
        let began = Instant::now();
        let format = Format::named(name).expect("a format");
        let found = read(&bytes, "x");
        assert!(found[0].puzzle.is_err(), "{name}");
        let message = message(&bytes);
        println!("{} of {} bytes: {message}", format.title, bytes.len());
        assert!(
            message.contains("too many") || message.contains("cannot be read"),
            "{name}: {message}"
        );
        assert!(began.elapsed() < Duration::from_secs(2), "{name}");
    }
}
