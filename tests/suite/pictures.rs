//! Images as puzzles: greys, transparency, every kind of file, and files that promise more than they hold.

use std::io::Cursor;
use std::time::{Duration, Instant};

use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, GrayImage, ImageEncoder, ImageFormat, Luma, LumaA, RgbImage, RgbaImage};
use omnogram::format::{Format, ReadOptions, Threshold, TraceOptions, read};
use omnogram::puzzle::verify;

pub(crate) fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = image.write_to(&mut Cursor::new(&mut bytes), format);
    written.expect("an image");
    bytes
}

/// The picture that a file is taken for, which must solve its own puzzle.
pub(crate) fn drawn(bytes: &[u8], tracing: TraceOptions) -> String {
    let reading = ReadOptions::default().tracing(tracing);
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
pub(crate) fn disc() -> GrayImage {
    GrayImage::from_fn(64, 64, |x, y| {
        let (x, y) = (i64::from(x) * 2 - 63, i64::from(y) * 2 - 63);
        Luma([if x * x + y * y < 56 * 56 { 30 } else { 230 }])
    })
}

#[test]
fn every_kind_of_image_is_the_same_picture() {
    let grey = DynamicImage::from(disc());
    let size = TraceOptions::default().size((8, None)).keep_margin(true);
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
        let fixed = size.threshold(Threshold::Fixed(128));
        assert_eq!(drawn(&bytes, fixed), expected, "{format:?}");
    }
}

#[test]
fn what_is_transparent_is_white() {
    let image = RgbaImage::from_fn(3, 1, |x, _| {
        image::Rgba([0, 0, 0, [255, 0, 100][x as usize]])
    });
    let bytes = encoded(&image.into(), ImageFormat::Png);
    assert_eq!(drawn(&bytes, TraceOptions::default()), "#..\n");
    let image = image::GrayAlphaImage::from_fn(2, 1, |x, _| LumaA([0, [255, 0][x as usize]]));
    let bytes = encoded(&image.into(), ImageFormat::Png);
    assert_eq!(drawn(&bytes, TraceOptions::default()), "#.\n");
}

#[test]
fn an_image_of_more_pixels_than_cells_wants_a_size() {
    let wide = DynamicImage::from(GrayImage::new(5000, 2));
    let bytes = encoded(&wide, ImageFormat::Png);
    assert!(
        message(&bytes).contains("cells a side"),
        "{}",
        message(&bytes)
    );
    let size = TraceOptions::default().size((50, None));
    assert_eq!(drawn(&bytes, size), format!("{}\n", "#".repeat(50)));
}

/// Some kilobytes of file were too few for as many pixels.
#[test]
fn a_large_drawing_of_few_bytes_is_scaled() {
    let drawing = GrayImage::from_fn(6000, 4000, |x, _| Luma([if x < 3000 { 0 } else { 255 }]));
    let bytes = encoded(&drawing.into(), ImageFormat::Png);
    assert_eq!(
        message(&bytes),
        "x: 6000x4000 pixels are too many: a puzzle has at most 4096 cells a side"
    );
    let size = TraceOptions::default().size((6, None));
    assert_eq!(drawn(&bytes, size), "###...\n".repeat(4));
}

/// A file of each kind of image, with bytes at its end that are not needed for a single pixel.
fn one_of_each() -> Vec<(&'static str, Vec<u8>, usize)> {
    // The last pixel is dark: where it is missing the picture is another.
    let grey = GrayImage::from_fn(13, 11, |x, y| {
        Luma([if (x * y + x / 3) % 4 == 0 || (x, y) == (12, 10) {
            9
        } else {
            250
        }])
    });
    let picture = DynamicImage::from(grey);
    let samples = || picture.to_luma8().into_raw();
    let numbers = samples()
        .iter()
        .map(|sample| format!("{sample}\n"))
        .collect::<String>();
    let bits = |sample: &u8| if *sample < 128 { "1" } else { "0" };
    let digits: String = samples().iter().map(bits).collect();
    let raw_bits = samples()
        .chunks(13)
        .flat_map(|row| {
            let bit = |x: usize| u16::from(row.get(x).is_some_and(|&sample| sample < 128));
            (0..16)
                .fold(0_u16, |word, x| word << 1 | bit(x))
                .to_be_bytes()
        })
        .collect();
    let netpbm = |head: &str, body: Vec<u8>| [head.as_bytes(), b" 13 11", &body].concat();
    let colours = picture.to_rgb8().into_raw();
    let seed = |name: &str| {
        let path = format!("{}/tests/fuzz/seeds/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read(path).expect("a seed")
    };
    vec![
        ("png", encoded(&picture, ImageFormat::Png), 0),
        (
            "png of 16 bits",
            encoded(&picture.to_rgba16().into(), ImageFormat::Png),
            0,
        ),
        ("png in passes", interlaced(), 0),
        // The end of the codes, that of the frame's data and that of the file.
        (
            "gif",
            encoded(&picture.to_rgba8().into(), ImageFormat::Gif),
            3,
        ),
        (
            "bmp",
            encoded(&picture.to_rgb8().into(), ImageFormat::Bmp),
            0,
        ),
        (
            "webp",
            encoded(&picture.to_rgb8().into(), ImageFormat::WebP),
            0,
        ),
        ("webp, lossy", seed("webp-lossy.webp"), 0),
        (
            "jpeg",
            encoded(&picture.to_rgb8().into(), ImageFormat::Jpeg),
            0,
        ),
        ("jpeg, grey", encoded(&picture, ImageFormat::Jpeg), 0),
        ("jpeg of one block", seed("jpeg-baseline.jpg"), 0),
        ("jpeg, progressive", seed("jpeg-progressive.jpg"), 0),
        ("jpeg with restarts", seed("jpeg-restarts.jpg"), 0),
        (
            "jpeg, subsampled",
            seed("jpeg-subsampled-progressive.jpg"),
            0,
        ),
        ("pbm-plain", netpbm("P1", format!("\n{digits}\n").into()), 1),
        ("pbm", netpbm("P4", [b"\n".to_vec(), raw_bits].concat()), 0),
        // No number can go on behind 250 if 255 is white.
        (
            "pgm, plain",
            netpbm(
                "P2",
                format!(" 255\n{numbers}").replace("\n9\n", "\n27\n").into(),
            ),
            1,
        ),
        (
            "pgm",
            netpbm("P5", [b" 255\n".to_vec(), samples()].concat()),
            0,
        ),
        (
            "ppm",
            netpbm("P6", [b" 255\n".to_vec(), colours].concat()),
            0,
        ),
    ]
}

/// A PNG file of 5x5 pixels in seven passes, a dark one in the last corner.
fn interlaced() -> Vec<u8> {
    let dark = |x: usize, y: usize| x == y;
    let passes = [
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ];
    let mut rows = Vec::new();
    for (x0, y0, across, down) in passes {
        for y in (y0..5).step_by(down) {
            let row: Vec<u8> = (x0..5)
                .step_by(across)
                .map(|x| if dark(x, y) { 0 } else { 255 })
                .collect();
            if !row.is_empty() {
                // No filter.
                rows.push(0);
                rows.extend(row);
            }
        }
    }
    // One block of zlib that is stored as it is.
    let length = rows.len() as u16;
    let mut data = vec![0x78, 1, 1];
    data.extend(length.to_le_bytes());
    data.extend((!length).to_le_bytes());
    let (low, high) = rows.iter().fold((1_u32, 0_u32), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    data.extend(rows);
    data.extend((high << 16 | low).to_be_bytes());
    let head = [0, 0, 0, 5, 0, 0, 0, 5, 8, 0, 0, 0, 1];
    let chunks = [
        chunk(b"IHDR", &head),
        chunk(b"IDAT", &data),
        chunk(b"IEND", &[]),
    ];
    [&b"\x89PNG\r\n\x1a\n"[..], &chunks.concat()].concat()
}

/// The goal of the puzzle that a file is, if it is one.
fn goal(bytes: &[u8]) -> Option<String> {
    let entry = read(bytes, "x").swap_remove(0);
    let puzzle = entry.puzzle.ok()?;
    puzzle.notes().goal.as_ref().map(ToString::to_string)
}

/// Half a JPEG was a puzzle with one solution, the rest of it blank.
#[test]
fn an_image_that_is_cut_off_is_no_puzzle() {
    for (name, bytes, spare) in one_of_each() {
        let whole = goal(&bytes).unwrap_or_else(|| panic!("{name}: {}", message(&bytes)));
        for length in 0..bytes.len() {
            match goal(&bytes[..length]) {
                None => {}
                Some(cut) => {
                    assert!(
                        length + spare >= bytes.len(),
                        "{name}: {length} of {}",
                        bytes.len()
                    );
                    assert_eq!(cut, whole, "{name}");
                }
            }
        }
    }
}

#[test]
fn what_is_said_of_an_image_that_is_cut_off_is_clear() {
    for (name, bytes, _) in one_of_each() {
        let message = message(&bytes[..bytes.len() * 9 / 10]);
        let plain = message.contains("the picture ends after")
            || message.contains("the file ends with this number, which may be cut off");
        assert!(
            plain || message == "x: this image is cut off: the file ends before the picture does",
            "{name}: {message}"
        );
    }
}

/// Metadata with this orientation, in either order of bytes.
fn exif(orientation: u8, little: bool) -> Vec<u8> {
    match little {
        true => [
            &b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"[..],
            &[orientation, 0, 0, 0, 0, 0, 0, 0],
        ]
        .concat(),
        false => [
            &b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01"[..],
            &[0, orientation, 0, 0, 0, 0, 0, 0],
        ]
        .concat(),
    }
}

/// A phone's photo lay on its side.
#[test]
fn a_photo_is_turned_as_its_metadata_say() {
    // What is stored, eight pixels a cell, and what is seen.
    let stored = ["##..", "#...", "#..#"];
    let image = RgbImage::from_fn(32, 24, |x, y| {
        let dark = stored[y as usize / 8].as_bytes()[x as usize / 8] == b'#';
        image::Rgb([if dark { 0 } else { 255 }; 3])
    });
    let seen = [
        "##../#.../#..#",
        "..##/...#/#..#",
        "#..#/...#/..##",
        "#..#/#.../##..",
        "###/#../.../..#",
        "###/..#/.../#..",
        "#../.../..#/###",
        "..#/.../#../###",
    ];
    for (orientation, seen) in (1..).zip(seen) {
        let width = seen.find('/').expect("rows");
        let size = TraceOptions::default().size((width, None));
        let expected = seen.replace('/', "\n") + "\n";
        for little in [false, true] {
            let exif = exif(orientation, little);
            let mut jpeg = encoded(&image.clone().into(), ImageFormat::Jpeg);
            let mut segment = vec![0xff, 0xe1];
            segment.extend((exif.len() as u16 + 8).to_be_bytes());
            segment.extend(b"Exif\0\0");
            segment.extend(&exif);
            jpeg.splice(2..2, segment);

            let mut png = Vec::new();
            let mut encoder = PngEncoder::new(&mut png);
            encoder
                .set_exif_metadata(exif.clone())
                .expect("a place for it");
            let write = |encoder: PngEncoder<_>| {
                encoder.write_image(&image, 32, 24, image::ExtendedColorType::Rgb8)
            };
            write(encoder).expect("an image");
            // Some programs write it behind the pixels.
            let mut late = encoded(&image.clone().into(), ImageFormat::Png);
            let end = late.len() - 12;
            late.splice(end..end, chunk(b"eXIf", &exif));

            let mut webp = Vec::new();
            let mut encoder = WebPEncoder::new_lossless(&mut webp);
            encoder.set_exif_metadata(exif).expect("a place for it");
            encoder
                .write_image(&image, 32, 24, image::ExtendedColorType::Rgb8)
                .expect("an image");
            for (name, bytes) in [
                ("jpeg", jpeg),
                ("png", png),
                ("png, late", late),
                ("webp", webp),
            ] {
                assert_eq!(
                    drawn(&bytes, size),
                    expected,
                    "{name}, orientation {orientation}"
                );
                for length in bytes.len() - 60..bytes.len() {
                    assert_eq!(
                        goal(&bytes[..length]),
                        None,
                        "{name}, {length} of {}",
                        bytes.len()
                    );
                }
            }
        }
    }
    // What is no orientation turns nothing.
    let mut png = encoded(&image.into(), ImageFormat::Png);
    png.splice(33..33, chunk(b"eXIf", &exif(9, true)));
    let size = TraceOptions::default().size((4, None));
    assert_eq!(drawn(&png, size), stored.join("\n") + "\n");
}

#[test]
fn greys_and_colours_of_netpbm_are_those_of_other_images() {
    let colours = RgbImage::from_fn(64, 64, |x, y| {
        image::Rgb([(x * 4) as u8, (y * 4) as u8, (x * 3 + y) as u8])
    });
    let picture = DynamicImage::from(colours);
    let png = encoded(&picture, ImageFormat::Png);
    let netpbm =
        |magic: &str, samples: &[u8]| [format!("{magic} 64 64 255\n").as_bytes(), samples].concat();
    let ppm = netpbm("P6", picture.as_bytes());
    let pgm = netpbm("P5", picture.to_luma8().as_raw());
    for threshold in [
        Threshold::Auto,
        Threshold::Local,
        Threshold::Fixed(40),
        Threshold::Fixed(200),
    ] {
        for dither in [false, true] {
            let tracing = TraceOptions::default().threshold(threshold).dither(dither);
            let expected = drawn(&png, tracing);
            assert_eq!(drawn(&ppm, tracing), expected);
            assert_eq!(drawn(&pgm, tracing), expected);
        }
    }
}

#[test]
fn pictures_that_are_not_read_are_called_by_their_names() {
    assert_eq!(
        message(b"II*\0\x08\0\0\0\xff\xfe"),
        "x: this is a TIFF image, which omnogram does not read: save the picture as PNG"
    );
    assert!(message(b"\0\0\0\x18ftypheic\0\0\0\0").contains("HEIC"));
    assert!(message(b"<?xml version='1.0'?>\n<svg/>").contains("SVG"));
    assert!(message(b"\x1f\x8b\x08\0").contains("gzip"));
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
