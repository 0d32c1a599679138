//! The chunks of PNG and WebP files, skipped up to the last one. A decoder stops when it has all pixels, but the orientation of the
//! picture may come after them, so a file whose end is missing is incomplete.

use super::super::picture::CUT_OFF;
use crate::error::{Error, Result};

/// The Exif metadata of a PNG file, before or after the pixels.
///
/// # Errors
///
/// When the last chunk is missing.
pub(super) fn png(bytes: &[u8]) -> Result<Option<&[u8]>> {
    let mut rest = bytes.get(8..).unwrap_or_default();
    let mut exif = None;
    loop {
        // Length, name, data, checksum.
        let [a, b, c, d, name @ ..] = rest else {
            return Err(Error::data(CUT_OFF));
        };
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let data = name.get(4..).and_then(|data| data.get(..length));
        let after = name.get(length.saturating_add(8)..);
        let (Some(data), Some(after)) = (data, after) else {
            return Err(Error::data(CUT_OFF));
        };
        match &name[..4] {
            b"IEND" => return Ok(exif),
            b"eXIf" => exif = Some(data),
            _ => {}
        }
        rest = after;
    }
}

/// Fails when a WebP file is shorter than its header says.
pub(super) fn webp(bytes: &[u8]) -> Result<()> {
    match bytes.get(4..8).and_then(|length| length.try_into().ok()) {
        Some(length) if u64::from(u32::from_le_bytes(length)) + 8 <= bytes.len() as u64 => Ok(()),
        _ => Err(Error::data(CUT_OFF)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_chunk_of_a_png_file_is_required() {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, data) in [(b"IHDR", &b"head"[..]), (b"eXIf", b"II*"), (b"IEND", b"")] {
            bytes.extend((data.len() as u32).to_be_bytes());
            bytes.extend(name);
            bytes.extend(data);
            bytes.extend([0; 4]);
        }
        assert_eq!(png(&bytes).unwrap(), Some(&b"II*"[..]));
        for length in 0..bytes.len() {
            assert!(png(&bytes[..length]).is_err(), "{length}");
        }
        bytes[8] = 0xff;
        assert!(png(&bytes).is_err());
    }

    #[test]
    fn a_webp_file_must_have_the_length_in_its_header() {
        assert!(webp(b"RIFF\x04\0\0\0WEBP").is_ok() && webp(b"RIFF\x04\0\0\0WEBPx").is_ok());
        assert!(webp(b"RIFF\x04\0\0\0WEB").is_err() && webp(b"RIFF\xff\xff\xff\xffWEBP").is_err());
        assert!(webp(b"RIFF").is_err());
    }
}
