//! The parts of PNG, WebP and JPEG files, skipped up to the last one, because decoders accept files whose end is missing: that of JPEG
//! fills missing data with grey, so half a file looks like a whole picture; the others stop when they have all pixels, but the orientation
//! of the picture may come after them.

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

/// Fails when the end-of-image marker of a JPEG file is missing.
pub(super) fn jpeg(bytes: &[u8]) -> Result<()> {
    const END_OF_IMAGE: u8 = 0xd9;
    let mut rest = bytes.get(2..).unwrap_or_default();
    // A zero after 0xff makes it a byte of the data between markers, another 0xff fills, and the others have no segment.
    while let Some(at) = rest
        .windows(2)
        .position(|pair| pair[0] == 0xff && !matches!(pair[1], 0..=1 | 0xd0..=0xd8 | 0xff))
    {
        let [marker, segment @ ..] = &rest[at + 1..] else {
            break;
        };
        if *marker == END_OF_IMAGE {
            return Ok(());
        }
        // A segment begins with its length. It is skipped because a small preview in it has an end of its own.
        let length = segment
            .first_chunk()
            .map_or(0, |length| u16::from_be_bytes(*length));
        rest = segment.get(usize::from(length)..).unwrap_or_default();
    }
    Err(Error::data(CUT_OFF))
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

    #[test]
    fn a_jpeg_file_must_have_its_own_end() {
        // A segment with a preview, which ends before it, and data with a restart marker, a byte of 0xff and one that fills.
        let bytes =
            b"\xff\xd8\xff\xe1\0\x06\xff\xd8\xff\xd9\xff\xda\0\x02a\xff\0\xd9\xff\xd0b\xff\xff\xd9";
        assert!(jpeg(bytes).is_ok() && jpeg(&[&bytes[..], b"more"].concat()).is_ok());
        for length in 0..bytes.len() {
            assert!(jpeg(&bytes[..length]).is_err(), "{length}");
        }
    }
}
