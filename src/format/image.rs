//! Images: PNG, JPEG, GIF, BMP and WebP, read in grey with what is transparent as white; the first picture of an animation. What is written
//! has one pixel for each cell.

use std::io::Cursor;

use image::error::ImageError;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits, Luma};

use super::picture::Grey;
use crate::error::{Error, Result};
use crate::puzzle::Grid;

/// Bytes that decoding an image may take in any case, and for each byte of its file: some formats make a small file of an empty picture
/// of any size.
const MEMORY: u64 = 80 << 20;
const MEMORY_A_BYTE: u64 = 64;

/// Reads an image of this format.
pub(super) fn read(bytes: &[u8], format: ImageFormat) -> Result<Grey> {
    let bad = |error: &ImageError| Error::data(format!("this image cannot be read: {error}"));
    let memory = MEMORY.max(MEMORY_A_BYTE * bytes.len() as u64);
    let mut limits = Limits::default();
    limits.max_alloc = Some(memory);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|error| bad(&error))?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    // The image, its greys, and what the decoder keeps: coefficients, or another copy.
    let needed = 2 * decoder.total_bytes().saturating_add(pixels);
    if needed > memory {
        return Err(Error::data(format!(
            "{width}x{height} pixels are too many for an image file of {} bytes: scale it down first",
            bytes.len()
        )));
    }
    if pixels == 0 {
        return Err(Error::data("this image has no pixels"));
    }
    let image = DynamicImage::from_decoder(decoder).map_err(|error| bad(&error))?;
    Ok(Grey {
        width: width as usize,
        height: height as usize,
        pixels: grey(image),
    })
}

/// The greys of an image, laid on white.
fn grey(image: DynamicImage) -> Vec<u8> {
    if !image.color().has_alpha() {
        return image.into_luma8().into_raw();
    }
    let greys = image.into_luma_alpha8();
    let on_white = |[grey, alpha]: [u8; 2]| {
        let (grey, alpha) = (u32::from(grey), u32::from(alpha));
        ((grey * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    greys.pixels().map(|pixel| on_white(pixel.0)).collect()
}

/// The picture as an image of this format, which must lose nothing.
pub(super) fn write(grid: &Grid, format: ImageFormat) -> Result<Vec<u8>> {
    let pixel = |x: u32, y: u32| {
        Luma([if grid.get(y as usize, x as usize) {
            0
        } else {
            255
        }])
    };
    let grey = GrayImage::from_fn(grid.width() as u32, grid.height() as u32, pixel);
    let image = match format {
        // These know no grey.
        ImageFormat::Gif | ImageFormat::WebP => {
            DynamicImage::from(DynamicImage::from(grey).into_rgb8())
        }
        _ => DynamicImage::from(grey),
    };
    let mut bytes = Vec::new();
    let written = image.write_to(&mut Cursor::new(&mut bytes), format);
    written.map_err(|error| Error::data(format!("this picture cannot be written: {error}")))?;
    Ok(bytes)
}

/// Does it begin like an image of this format?
pub(super) fn looks_like(bytes: &[u8], format: ImageFormat) -> bool {
    match format {
        // Two letters are not much: the reserved bytes are zero.
        ImageFormat::Bmp => bytes.starts_with(b"BM") && bytes.get(6..10) == Some(&[0; 4]),
        format => image::guess_format(bytes).is_ok_and(|found| found == format),
    }
}
