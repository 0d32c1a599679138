//! Images: PNG, JPEG, GIF, BMP and WebP, read as grey levels on a white background; of an animation the first picture. Images are written
//! with one pixel per cell. In a build without the feature `images`, `no_image` takes the place of this folder.

mod chunks;

use std::io::{self, Cursor};

use image::error::ImageError;
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits, Luma, Rgba};

use super::grey::Grey;
use super::picture::{CUT_OFF, ImageType, TraceOptions, grey_of_rgb};
use crate::error::{Error, Result};
use crate::puzzle::Grid;

/// Memory limit for decoding an image, in bytes: the larger of a fixed amount and an amount per pixel.
const MIN_MEMORY_LIMIT: u64 = 80 << 20;
const BYTES_PER_PIXEL: u64 = 16;

/// Reads an image of this format, checks that the file is complete, and applies the orientation in its metadata.
pub(super) fn read(bytes: &[u8], image: ImageType, tracing: &TraceOptions) -> Result<Grey> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MIN_MEMORY_LIMIT);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format_of(image));
    reader.limits(limits.clone());
    let mut decoder = reader
        .into_decoder()
        .map_err(|error| decoding_error(&error))?;
    let (width, height) = decoder.dimensions();
    tracing.check_size(width as usize, height as usize)?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err(Error::data("this image has no pixels"));
    }
    limits.max_alloc = Some(MIN_MEMORY_LIMIT.max(BYTES_PER_PIXEL * pixels));
    decoder
        .set_limits(limits)
        .map_err(|error| decoding_error(&error))?;
    let mut orientation = decoder.orientation().ok();
    match image {
        ImageType::Jpeg => chunks::jpeg(bytes)?,
        ImageType::Png => {
            let exif = chunks::png(bytes)?.and_then(Orientation::from_exif_chunk);
            orientation = exif.or(orientation);
        }
        ImageType::WebP => chunks::webp(bytes)?,
        _ => {}
    }
    let image = DynamicImage::from_decoder(decoder).map_err(|error| decoding_error(&error))?;
    let mut image = DynamicImage::from(grey(image));
    image.apply_orientation(orientation.unwrap_or(Orientation::NoTransforms));
    Ok(Grey {
        width: image.width() as usize,
        height: image.height() as usize,
        pixels: image.into_luma8().into_raw(),
        of_cells: false,
    })
}

/// The error for an image that cannot be decoded.
fn decoding_error(error: &ImageError) -> Error {
    let text = error.to_string();
    let cut = match error {
        ImageError::IoError(error) => error.kind() == io::ErrorKind::UnexpectedEof,
        // Some decoders have their own error types.
        _ => text.to_lowercase().ends_with("end of file"),
    };
    if cut {
        Error::data(CUT_OFF)
    } else {
        Error::data(format!("this image cannot be read: {text}"))
    }
}

/// The grey levels of an image on a white background.
fn grey(image: DynamicImage) -> GrayImage {
    if !image.color().has_color() && !image.color().has_alpha() {
        return image.into_luma8();
    }
    let pixels = image.into_rgba8();
    let (width, height) = pixels.dimensions();
    // The conversion of `image` differs by a level from one build to another.
    let greys = pixels
        .pixels()
        .map(|&Rgba([red, green, blue, alpha])| {
            let (grey, alpha) = (u32::from(grey_of_rgb([red, green, blue])), u32::from(alpha));
            ((grey * alpha + 255 * (255 - alpha) + 127) / 255) as u8
        })
        .collect();
    GrayImage::from_raw(width, height, greys).expect("there is one level per pixel")
}

/// The picture as an image of this format, which must be lossless.
pub(super) fn write(grid: &Grid, image: ImageType) -> Result<Vec<u8>> {
    let mut grey = GrayImage::from_pixel(grid.width() as u32, grid.height() as u32, Luma([255]));
    for (x, y, pixel) in grey.enumerate_pixels_mut() {
        if grid.get(y as usize, x as usize) {
            *pixel = Luma([0]);
        }
    }
    let picture = match image {
        // These formats have no grey levels.
        ImageType::Gif | ImageType::WebP => {
            DynamicImage::from(DynamicImage::from(grey).into_rgb8())
        }
        _ => DynamicImage::from(grey),
    };
    let mut bytes = Vec::new();
    let written = picture.write_to(&mut Cursor::new(&mut bytes), format_of(image));
    written.map_err(|error| Error::data(format!("this picture cannot be written: {error}")))?;
    Ok(bytes)
}

fn format_of(image: ImageType) -> ImageFormat {
    match image {
        ImageType::Png => ImageFormat::Png,
        ImageType::Gif => ImageFormat::Gif,
        ImageType::Bmp => ImageFormat::Bmp,
        ImageType::WebP => ImageFormat::WebP,
        ImageType::Jpeg => ImageFormat::Jpeg,
    }
}
