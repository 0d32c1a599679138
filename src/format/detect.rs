//! Detects the format of a file by its content. Only its outer form is examined; errors inside are left to the reader. The file name
//! extension decides between formats that look alike.

use super::encoding::Decoded;
use super::fragment::Fragment;
use super::table::{FORMATS, Format};
use crate::error::{Error, Remedy, Result};

/// The format of this file, with its decoded text.
pub(super) fn format(
    bytes: &[u8],
    decoded: &Result<Decoded<'_>>,
    file: &str,
) -> Result<&'static Format> {
    let text = decoded.as_ref().map(|decoded| &*decoded.text);
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    // Those with the ending first.
    let [with, without] = [true, false].map(|wanted| {
        let formats = FORMATS.iter();
        formats.filter(move |format| format.has_ending(ending) == wanted)
    });
    let mut formats = with.chain(without);
    let found = formats.find(|format| format.codec.looks_like(bytes, text.ok()));
    if let Some(format) = found {
        return Ok(format);
    }
    let Decoded { text, guessed } = decoded.as_ref().map_err(Clone::clone)?;
    if let Some(guessed) = guessed {
        return Err(guessed.clone());
    }
    match Fragment::lines(text).find(|line| !line.is_blank()) {
        Some(line) => {
            let error = line.error("this is not a puzzle in any format that omnogram knows");
            Err(error.with_remedy(Remedy::Format))
        }
        None => Err(Error::data("the file is empty")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoding::decode;
    use super::*;

    fn message(bytes: &[u8]) -> String {
        format(bytes, &decode(bytes), "x").unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_type_of_unreadable_files() {
        assert_eq!(message(b""), "the file is empty");
        assert_eq!(message(b"\xef\xbb\xbf \r\n\t\n"), "the file is empty");
        assert!(message(&[0x1f, 0x8b, 8]).contains("gzip"));
        assert_eq!(
            message(b"\n4 3 2\n"),
            "2:1: this is not a puzzle in any format that omnogram knows"
        );
        assert!(message(b"[klues]\nx = 2\n").contains("not a puzzle"));
    }

    fn detected(text: &str, file: &str) -> &'static str {
        format(text.as_bytes(), &decode(text.as_bytes()), file).map_or("none", |format| format.name)
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
