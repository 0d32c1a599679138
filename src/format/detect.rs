//! Detects the encoding and the format of a file by its content. Only its outer form is examined; errors inside are left to the reader.
//! The file name extension decides between formats that look alike.

use super::foreign;
use super::fragment::Fragment;
use super::place::not_utf8;
use super::table::{FORMATS, Format};
use crate::error::{Error, Result};

/// The text of a file, without a byte order mark.
///
/// # Errors
///
/// [`Kind::Data`](crate::error::Kind::Data) if it is not UTF-8, with the place of the first byte that is not.
pub fn decode(bytes: &[u8]) -> Result<&str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Error::data("this text is UTF-16: save it as UTF-8"));
    }
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    str::from_utf8(text).map_err(|error| match foreign::refusal(bytes) {
        Some(refusal) => Error::data(refusal),
        None => not_utf8(text, error.valid_up_to(), 1),
    })
}

/// The format of this file. `text` is its decoded text, or the error of decoding it.
pub(super) fn format(bytes: &[u8], text: Result<&str>, file: &str) -> Result<&'static Format> {
    if let Some(refusal) = foreign::refusal(bytes) {
        return Err(Error::data(refusal));
    }
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    // `min_by_key` takes the first of equals.
    let found = FORMATS
        .iter()
        .filter(|format| format.codec.looks_like(bytes, text.as_ref().ok().copied()))
        .min_by_key(|format| !format.has_ending(ending));
    if let Some(format) = found {
        return Ok(format);
    }
    match Fragment::lines(text?).find(|line| !line.is_blank()) {
        Some(line) => Err(line.error(
            "this is not a puzzle in any format that omnogram knows; omnogram help convert lists them",
        )),
        None => Err(Error::data("the file is empty")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        format(bytes, decode(bytes), "x").unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_type_of_unreadable_files() {
        assert_eq!(message(b""), "the file is empty");
        assert_eq!(message(b"\xef\xbb\xbf \r\n\t\n"), "the file is empty");
        assert!(message(&[0x1f, 0x8b, 8]).contains("gzip"));
        assert!(message(b"\xff\xfew\0").contains("UTF-16"));
        assert_eq!(
            message(b"\n4 3 2\n"),
            "2:1: this is not a puzzle in any format that omnogram knows; omnogram help convert lists them"
        );
        assert!(message(b"[klues]\nx = 2\n").contains("not a puzzle"));
    }

    #[test]
    fn finds_the_first_bad_byte() {
        let error = decode("ü\nAndré é".as_bytes()).err();
        assert!(error.is_none());
        let error = decode(b"\xef\xbb\xbfx\ntitle \"\xc3\xbc\xe9t\xe9\"\r\nwidth 3").unwrap_err();
        assert_eq!(
            error.to_string(),
            "2:9: the byte 0xe9 is not UTF-8: save the file as UTF-8"
        );
        assert_eq!(error.place().unwrap().text, "title \"ü\u{fffd}t\u{fffd}\"");
    }

    fn detected(text: &str, file: &str) -> &'static str {
        format(text.as_bytes(), Ok(text), file).map_or("none", |format| format.name)
    }

    #[test]
    fn formats_are_distinguished() {
        for (text, name) in [
            (" \n{", "json"),
            ("[ {", "json"),
            ("[", "json"),
            ("<?xml version='1.0'?>", "webpbn"),
            ("# x\nGRID a\nROWS\n", "picross"),
            ("[Description]\nrows\n[Dimensions]\n", "gno"),
            ("[clues]\ncolumns = '1'\n", "toml"),
            ("[clues]\ncolumns = 1\n", "ini"),
            ("$1\n1\n1\n", "tournament"),
            ("1x1:1/1", "pattern"),
            ("1 1\n1\n#\n1\n", "mk"),
            ("1 1\n1\n1\n", "nin"),
            ("1\n1\n1\n\n1\n", "cwd"),
            ("A\nA\n", "rosetta"),
            ("title x\n  Width 3", "non"),
            ("a\n:\n1\n:\n1\n", "g"),
            ("P1 1 1 1", "pbm-plain"),
            ("P4 1 1 1", "pbm"),
            ("GIF89a", "gif"),
            ("P2 1 1 1 1", "pgm"),
            ("P6 1 1 1 1", "ppm"),
            ("#.\n.#\n", "text"),
            ("==> a.non <==\n#.\n\n..\n", "text"),
            ("####\nGRID a\nROWS\n", "picross"),
            ("widths 3\n{rows}", "none"),
        ] {
            assert_eq!(detected(text, "x"), name, "{text:?}");
        }
    }

    #[test]
    fn the_extension_decides_between_similar_formats() {
        // Free text above the first colon of .g may be anything.
        let text = "rows and columns\n:\n1\n:\n1\n";
        assert_eq!(
            (detected(text, "x.G"), detected(text, "x.txt")),
            ("g", "non")
        );
        let text = "1 1\n1\n1\n";
        assert_eq!(
            (detected(text, "x.mk"), detected(text, "x.png")),
            ("nin", "nin")
        );
    }
}
