//! Recognises files that cannot be read, so that the error can name their type: pictures in other formats, documents, archives.

/// The advice to the user for a file that cannot be read.
#[derive(Clone, Copy, Debug)]
enum Advice {
    SaveAsPng,
    Unpack,
    Decompress,
    None,
}

/// A file signature: offset, bytes at this offset, description of the type, and advice.
type Signature = (usize, &'static [u8], &'static str, Advice);

const SIGNATURES: &[Signature] = &[
    (0, b"II*\0", "a TIFF image", Advice::SaveAsPng),
    (0, b"MM\0*", "a TIFF image", Advice::SaveAsPng),
    (0, b"II+\0", "a TIFF image", Advice::SaveAsPng),
    (0, b"MM\0+", "a TIFF image", Advice::SaveAsPng),
    (4, b"ftypavif", "an AVIF image", Advice::SaveAsPng),
    (4, b"ftypavis", "an AVIF image", Advice::SaveAsPng),
    (4, b"ftyphei", "a HEIC image", Advice::SaveAsPng),
    (4, b"ftyphev", "a HEIC image", Advice::SaveAsPng),
    (4, b"ftypmif1", "a HEIF image", Advice::SaveAsPng),
    (4, b"ftypmsf1", "a HEIF image", Advice::SaveAsPng),
    (
        0,
        b"\0\0\0\x0cJXL \r\n\x87\n",
        "a JPEG XL image",
        Advice::SaveAsPng,
    ),
    (0, b"\xff\x0a", "a JPEG XL image", Advice::SaveAsPng),
    (
        0,
        b"\0\0\0\x0cjP  \r\n\x87\n",
        "a JPEG 2000 image",
        Advice::SaveAsPng,
    ),
    (
        0,
        b"\xff\x4f\xff\x51",
        "a JPEG 2000 image",
        Advice::SaveAsPng,
    ),
    (0, b"\0\0\x01\0", "an icon", Advice::SaveAsPng),
    (0, b"8BPS", "a Photoshop image", Advice::SaveAsPng),
    (0, b"gimp xcf", "a GIMP image", Advice::SaveAsPng),
    (0, b"qoif", "a QOI image", Advice::SaveAsPng),
    (0, b"farbfeld", "a farbfeld image", Advice::SaveAsPng),
    (0, b"DDS ", "a DDS image", Advice::SaveAsPng),
    (0, b"v/1\x01", "an OpenEXR image", Advice::SaveAsPng),
    (0, b"#?RADIANCE", "a Radiance image", Advice::SaveAsPng),
    (0, b"P7\n", "a PAM image", Advice::SaveAsPng),
    (0, b"PF\n", "a PFM image", Advice::SaveAsPng),
    (0, b"Pf\n", "a PFM image", Advice::SaveAsPng),
    (0, b"/* XPM */", "an XPM image", Advice::SaveAsPng),
    (0, b"%PDF-", "a PDF document", Advice::SaveAsPng),
    (0, b"%!PS", "a PostScript document", Advice::SaveAsPng),
    (
        0,
        b"\xc5\xd0\xd3\xc6",
        "a PostScript document",
        Advice::SaveAsPng,
    ),
    (0, b"PK\x03\x04", "a ZIP archive", Advice::Unpack),
    (0, b"\x1f\x8b", "compressed with gzip", Advice::Decompress),
    (0, b"BZh", "compressed with bzip2", Advice::Decompress),
    (0, b"\xfd7zXZ\0", "compressed with xz", Advice::Decompress),
    (
        0,
        b"\x28\xb5\x2f\xfd",
        "compressed with zstd",
        Advice::Decompress,
    ),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", Advice::Unpack),
    (0, b"Rar!\x1a\x07", "a RAR archive", Advice::Unpack),
];

/// The message for a file of a known type that is not a puzzle; `None` for other files.
pub(super) fn refusal(bytes: &[u8]) -> Option<String> {
    let known = SIGNATURES.iter().find(|(at, magic, ..)| {
        let rest = bytes.get(*at..);
        rest.is_some_and(|rest| rest.starts_with(magic))
    });
    let (name, advice) = match known {
        Some((.., name, advice)) => (*name, *advice),
        None => markup(bytes)?,
    };
    Some(match advice {
        Advice::SaveAsPng => {
            format!("this is {name}, which omnogram does not read: save the picture as PNG")
        }
        Advice::Unpack => format!("this is {name}: unpack it first"),
        Advice::Decompress => format!("this file is {name}: unpack it first"),
        Advice::None => format!("this is {name}, which omnogram does not read"),
    })
}

/// The type of an XML text that is not a puzzle, by the name of its first element.
fn markup(bytes: &[u8]) -> Option<(&'static str, Advice)> {
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
                match rest[..end].contains(&b'[') {
                    true => (1, b"]>"),
                    false => (1, b">"),
                }
            }
            _ => {
                let end = rest
                    .iter()
                    .position(|b| !b.is_ascii_alphanumeric() && *b != b':');
                return match &rest[..end.unwrap_or(rest.len())] {
                    b"svg" | b"svg:svg" => Some(("an SVG drawing", Advice::SaveAsPng)),
                    b"html" => Some(("an HTML page", Advice::None)),
                    _ => None,
                };
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
