//! The image formats with compressed or packed pixels, and how their files begin.

/// A format of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageType {
    Png,
    Gif,
    Bmp,
    WebP,
    Jpeg,
}

/// Whether a file begins like an image of this format.
pub(super) fn looks_like(bytes: &[u8], image: ImageType) -> bool {
    match image {
        ImageType::Png => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
        ImageType::Gif => bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a"),
        // Two letters alone are a weak signature, so the reserved bytes must be zero too.
        ImageType::Bmp => bytes.starts_with(b"BM") && bytes.get(6..10) == Some(&[0; 4]),
        ImageType::WebP => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        ImageType::Jpeg => bytes.starts_with(b"\xff\xd8\xff"),
    }
}
