//! Images: PNG, JPEG, GIF, BMP and WebP, read in grey with what is transparent as white; the first picture of an animation. What is written
//! has one pixel for each cell.

use std::io::{self, Cursor};

use image::error::ImageError;
use image::metadata::Orientation;
use image::{
    DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits, Luma, RgbImage,
};

use super::picture::{CUT, Grey, Tracing};
use super::{chunks, jpeg};
use crate::error::{Error, Result};
use crate::puzzle::Grid;

/// Bytes that decoding an image may take in any case, and for each of its pixels.
const MEMORY: u64 = 80 << 20;
const MEMORY_A_PIXEL: u64 = 16;

/// Reads an image of this format, all of which must be there, and turns it as its metadata say.
pub(super) fn read(bytes: &[u8], format: ImageFormat, tracing: &Tracing) -> Result<Grey> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MEMORY);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(|error| bad(&error))?;
    let (width, height) = decoder.dimensions();
    tracing.check_size(width as usize, height as usize)?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err(Error::data("this image has no pixels"));
    }
    limits.max_alloc = Some(MEMORY.max(MEMORY_A_PIXEL * pixels));
    decoder.set_limits(limits).map_err(|error| bad(&error))?;
    let mut orientation = decoder.orientation().ok();
    match format {
        ImageFormat::Jpeg => jpeg::check(bytes, width, height)?,
        ImageFormat::Png => {
            let late = chunks::png(bytes)?.and_then(Orientation::from_exif_chunk);
            orientation = late.or(orientation);
        }
        ImageFormat::WebP => chunks::webp(bytes)?,
        _ => {}
    }
    let image = DynamicImage::from_decoder(decoder).map_err(|error| bad(&error))?;
    let mut image = DynamicImage::from(grey(image));
    image.apply_orientation(orientation.unwrap_or(Orientation::NoTransforms));
    Ok(Grey {
        width: image.width() as usize,
        height: image.height() as usize,
        pixels: image.into_luma8().into_raw(),
    })
}

/// What is said of an image that does not decode.
fn bad(error: &ImageError) -> Error {
    let text = error.to_string();
    let cut = match error {
        ImageError::IoError(error) => error.kind() == io::ErrorKind::UnexpectedEof,
        // Some decoders have errors of their own.
        _ => text.to_lowercase().ends_with("end of file"),
    };
    match cut {
        true => Error::data(CUT),
        false => Error::data(format!("this image cannot be read: {text}")),
    }
}

/// The greys of an image, laid on white.
fn grey(image: DynamicImage) -> GrayImage {
    if !image.color().has_alpha() {
        return image.into_luma8();
    }
    let greys = image.into_luma_alpha8();
    let (width, height) = greys.dimensions();
    let on_white = |[grey, alpha]: [u8; 2]| {
        let (grey, alpha) = (u32::from(grey), u32::from(alpha));
        ((grey * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let pixels = greys.pixels().map(|pixel| on_white(pixel.0)).collect();
    GrayImage::from_raw(width, height, pixels).expect("a grey for each pixel")
}

/// The greys of a picture in red, green and blue, by turns.
pub(super) fn grey_of(colours: Vec<u8>, width: usize, height: usize) -> Vec<u8> {
    let image = RgbImage::from_raw(width as u32, height as u32, colours);
    grey(DynamicImage::from(image.expect("three for each pixel"))).into_raw()
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
