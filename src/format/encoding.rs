//! The characters of a text file: UTF-8, or the encoding that the file declares by a mark or in the head of its XML. Bytes that are neither
//! are read as Latin-1, as in the title of an old file; clues are numbers in ASCII, so that no clue can be misread.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::foreign;
use super::place::not_utf8;
use super::table::FORMATS;
use crate::error::{Error, Result};

/// The text of a file, without a byte order mark.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// The error for the first byte that was read as Latin-1 because it is no UTF-8.
    pub(super) guessed: Option<Error>,
}

/// The text of a file.
///
/// # Errors
///
/// [`Kind::Data`](crate::error::Kind::Data) if it is not in the encoding that it declares, or is none by its first bytes.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<'_>> {
    if let Some(refusal) = foreign::refusal(bytes) {
        return Err(Error::data(refusal));
    }
    let exact = |text| Decoded {
        text,
        guessed: None,
    };
    let declared = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| declared(bytes));
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    // Latin-1 is declared by habit too, where any text in UTF-8 can be told.
    let utf_8 = str::from_utf8(text).map_err(|error| error.valid_up_to());
    match declared.unwrap_or(UTF_8) {
        encoding if encoding == UTF_8 || encoding == WINDOWS_1252 && utf_8.is_ok() => match utf_8 {
            Ok(text) => Ok(exact(text.into())),
            Err(bad) if is_picture(bytes) => Err(not_utf8(text, bad, 1)),
            Err(bad) => Ok(Decoded {
                text: latin_1(text).into(),
                guessed: Some(not_utf8(text, bad, 1)),
            }),
        },
        encoding => {
            let (text, _, has_errors) = encoding.decode(bytes);
            if has_errors {
                let message = format!("this file is not {} as it declares", encoding.name());
                return Err(Error::data(message));
            }
            Ok(exact(text))
        }
    }
}

/// Whether the bytes begin like a picture that can be read.
fn is_picture(bytes: &[u8]) -> bool {
    FORMATS
        .iter()
        .any(|format| format.codec.looks_like(bytes, None))
}

/// The encoding that the head of an XML document declares.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let text = bytes.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = text.iter().take(200).position(|b| *b == b'>')?;
    let (_, value) = str::from_utf8(&text[..end]).ok()?.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| "'\"".contains(*c))?;
    let declared = Encoding::for_label(value[1..].split(quote).next()?.as_bytes());
    // Some programs declare UTF-16 and write something else: these bytes could not be read so far.
    declared.filter(|encoding| ![UTF_16LE, UTF_16BE].contains(encoding))
}

/// The text with each byte that is no UTF-8 as a character of Latin-1, with the quotes and signs that Windows adds to it.
fn latin_1(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).unwrap().text.into_owned()
    }

    #[test]
    fn declared_encodings_are_used() {
        assert_eq!(text(b"\xef\xbb\xbf\xc3\xbc"), "ü");
        assert_eq!(text(b"\xff\xfe#\0\n\0"), "#\n");
        assert_eq!(text(b"\xfe\xff\0#\0\n"), "#\n");
        let xml = |encoding: &str, title: &[u8]| {
            let head = format!("<?xml version='1.0' encoding = \"{encoding}\"?><t>");
            [head.as_bytes(), title].concat()
        };
        for (encoding, title) in [
            ("ISO-8859-1", &b"\xfc"[..]),
            ("iso-8859-1", "ü".as_bytes()),
            ("windows-1252", b"\xfc"),
            ("UTF-8", "ü".as_bytes()),
            ("ISO-8859-2", b"\xfc"),
            ("no-such-encoding", "ü".as_bytes()),
            ("utf-16", "ü".as_bytes()),
        ] {
            let bytes = xml(encoding, title);
            let decoded = decode(&bytes).unwrap();
            assert!(
                decoded.text.ends_with("<t>ü"),
                "{encoding}: {}",
                decoded.text
            );
            assert!(decoded.guessed.is_none());
        }
        assert!(text(&xml("Shift_JIS", b"\x93\xfa\x96{")).ends_with("日本"));
        assert!(text(&xml("koi8-r", b"\xc4\xc1")).ends_with("да"));
        let error = decode(&xml("Shift_JIS", b"\xff")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this file is not Shift_JIS as it declares"
        );
        assert!(decode(b"\xff\xfe#").is_err());
    }

    #[test]
    fn other_bytes_are_latin_1_and_the_first_has_its_place() {
        assert!(decode("ü\nAndré é".as_bytes()).unwrap().guessed.is_none());
        let decoded = decode(b"\xef\xbb\xbfx\ntitle \"\xc3\xbc\xe9t\xe9\"\r\nwidth 3").unwrap();
        assert_eq!(decoded.text, "x\ntitle \"üété\"\r\nwidth 3");
        let guessed = decoded.guessed.unwrap();
        assert_eq!(
            guessed.to_string(),
            "2:9: the byte 0xe9 is not UTF-8: save the file as UTF-8"
        );
        assert_eq!(
            guessed.place().unwrap().text,
            "title \"ü\u{fffd}t\u{fffd}\""
        );
    }
}
