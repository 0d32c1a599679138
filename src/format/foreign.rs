//! Recognises files that cannot be read, so that the error can name their type: pictures in other formats, documents, archives.

/// A file signature: offset, bytes at this offset, and description of the type.
type Signature = (usize, &'static [u8], &'static str);

/// Files that show pictures.
const PICTURES: &[Signature] = &[
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (0, b"II+\0", "a TIFF image"),
    (0, b"MM\0+", "a TIFF image"),
    (4, b"ftypavif", "an AVIF image"),
    (4, b"ftypavis", "an AVIF image"),
    (4, b"ftyphei", "a HEIC image"),
    (4, b"ftyphev", "a HEIC image"),
    (4, b"ftypmif1", "a HEIF image"),
    (4, b"ftypmsf1", "a HEIF image"),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", "a JPEG XL image"),
    (0, b"\xff\x0a", "a JPEG XL image"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n", "a JPEG 2000 image"),
    (0, b"\xff\x4f\xff\x51", "a JPEG 2000 image"),
    (0, b"\0\0\x01\0", "an icon"),
    (0, b"8BPS", "a Photoshop image"),
    (0, b"gimp xcf", "a GIMP image"),
    (0, b"qoif", "a QOI image"),
    (0, b"farbfeld", "a farbfeld image"),
    (0, b"DDS ", "a DDS image"),
    (0, b"v/1\x01", "an OpenEXR image"),
    (0, b"#?RADIANCE", "a Radiance image"),
    (0, b"P7\n", "a PAM image"),
    (0, b"PF\n", "a PFM image"),
    (0, b"Pf\n", "a PFM image"),
    (0, b"/* XPM */", "an XPM image"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"%!PS", "a PostScript document"),
    (0, b"\xc5\xd0\xd3\xc6", "a PostScript document"),
];

/// Files that contain others.
const ARCHIVES: &[Signature] = &[
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
];

/// Files that are compressed.
const COMPRESSED: &[Signature] = &[
    (0, b"\x1f\x8b", "compressed with gzip"),
    (0, b"BZh", "compressed with bzip2"),
    (0, b"\xfd7zXZ\0", "compressed with xz"),
    (0, b"\x28\xb5\x2f\xfd", "compressed with zstd"),
];

/// The message for a file of a known type that is not a puzzle; `None` for other files.
pub(super) fn refusal(bytes: &[u8]) -> Option<String> {
    let picture =
        |name| format!("this is {name}, which omnogram does not read: save the picture as PNG");
    if let Some(name) = known(bytes, PICTURES) {
        Some(picture(name))
    } else if let Some(name) = known(bytes, ARCHIVES) {
        Some(format!("this is {name}: unpack it first"))
    } else if let Some(name) = known(bytes, COMPRESSED) {
        Some(format!("this file is {name}: unpack it first"))
    } else {
        match first_element(bytes)? {
            b"svg" | b"svg:svg" => Some(picture("an SVG drawing")),
            b"html" => Some("this is an HTML page, which omnogram does not read".to_owned()),
            _ => None,
        }
    }
}

fn known(bytes: &[u8], signatures: &[Signature]) -> Option<&'static str> {
    signatures
        .iter()
        .find(|(at, magic, _)| {
            // Before `ftyp` stands a length of less than 2^24, whose first byte is 0; a text such as `by "ftypheic"` has none.
            let has_length = *at == 0 || bytes.starts_with(b"\0");
            has_length && bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic))
        })
        .map(|(.., name)| *name)
}

/// The name of the first element of an XML text.
fn first_element(bytes: &[u8]) -> Option<&[u8]> {
    let mut text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    loop {
        text = text.trim_ascii_start();
        let rest = text.strip_prefix(b"<")?;
        let (open, close): (usize, &[u8]) = match rest {
            [b'?', ..] => (1, b"?>"),
            [b'!', b'-', b'-', ..] => (3, b"-->"),
            [b'!', ..] => {
                // A document type may contain declarations in brackets.
                let end = rest.iter().position(|&b| b == b'>')?;
                if rest[..end].contains(&b'[') {
                    (1, b"]>")
                } else {
                    (1, b">")
                }
            }
            _ => {
                let end = rest
                    .iter()
                    .position(|b| !b.is_ascii_alphanumeric() && *b != b':');
                return Some(&rest[..end.unwrap_or(rest.len())]);
            }
        };
        let at = rest[open..]
            .windows(close.len())
            .position(|part| part == close)?;
        text = &rest[open + at + close.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_type_of_known_files() {
        for (bytes, name) in [
            (&b"II*\0\x08\0\0\0"[..], "TIFF"),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1", "HEIC"),
            (b"\0\0\0\x20ftypavif", "AVIF"),
            (b"%PDF-1.7\n", "PDF"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"<svg width='3'>", "SVG"),
            (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- <puzzle> -->\n<!DOCTYPE svg [ <!ENTITY a 'b>'> ]>\n<svg:svg>", "SVG"),
            (b"<!DOCTYPE html><html lang='en'>", "HTML"),
        ] {
            let refusal = refusal(bytes).unwrap();
            assert!(refusal.contains(name), "{refusal}");
        }
        for text in [
            "",
            "by \"ftypheic\"",
            "<",
            "<?xml",
            "<?xml version='1.0'?><puzzleset>",
            "<!--",
            "P5 1 1 1 1",
            "4 3",
        ] {
            assert_eq!(refusal(text.as_bytes()), None, "{text}");
        }
    }
}
