//! PBM, Netpbm's pictures in black and white: `P1` with a digit for each pixel, `P4` with a bit. Black pixels are filled.

use super::detect::at_byte;
use super::number;
use super::picture::Grey;
use crate::error::{Error, Result};
use crate::puzzle::Grid;

/// The greatest width and height; more would be for nothing.
const LARGEST: usize = 1 << 20;

/// Does a picture begin with this magic number?
fn begins(bytes: &[u8], magic: &[u8]) -> bool {
    let rest = bytes.strip_prefix(magic);
    rest.is_some_and(|rest| {
        rest.first()
            .is_none_or(|b| b.is_ascii_whitespace() || *b == b'#')
    })
}

/// Is it a plain one?
pub(super) fn looks_like_plain(bytes: &[u8]) -> bool {
    begins(bytes, b"P1")
}

/// Is it a raw one?
pub(super) fn looks_like_raw(bytes: &[u8]) -> bool {
    begins(bytes, b"P4")
}

/// What is left to be read.
struct Source<'a> {
    all: &'a [u8],
    at: usize,
}

impl Source<'_> {
    /// Skips blanks and comments.
    fn skip(&mut self) {
        let mut comment = false;
        while let Some(&b) = self.all.get(self.at) {
            comment = (comment || b == b'#') && b != b'\n';
            if !comment && !b.is_ascii_whitespace() {
                break;
            }
            self.at += 1;
        }
    }

    /// The number that comes next.
    fn size(&mut self, name: &str) -> Result<usize> {
        self.skip();
        let start = self.at;
        let digits = self.all[start..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        self.at += digits;
        let digits = str::from_utf8(&self.all[start..self.at]).unwrap_or_default();
        match digits.parse() {
            Ok(size @ 1..=LARGEST) => Ok(size),
            _ if digits.is_empty() => Err(self.error(start, format!("the {name} must come here"))),
            _ if number(digits) == Some(0) => Err(self.error(start, format!("a {name} of 0"))),
            _ => Err(self.error(
                start,
                format!("a {name} of {} is too large", super::brief(digits)),
            )),
        }
    }

    /// An error at this byte.
    fn error(&self, at: usize, message: String) -> Error {
        at_byte(Error::data(message), self.all, at, 1)
    }
}

/// Reads a picture of either kind.
pub(super) fn read(bytes: &[u8]) -> Result<Grey> {
    let mut source = Source { all: bytes, at: 2 };
    if !looks_like_plain(bytes) && !looks_like_raw(bytes) {
        return Err(source.error(0, "a PBM begins with P1 or P4".to_owned()));
    }
    let width = source.size("width")?;
    let height = source.size("height")?;
    let pixels = match bytes.get(1) {
        Some(b'1') => plain(&mut source, width, height)?,
        _ => raw(&mut source, width, height)?,
    };
    Ok(Grey {
        width,
        height,
        pixels,
    })
}

fn plain(source: &mut Source<'_>, width: usize, height: usize) -> Result<Vec<u8>> {
    let count = width * height;
    // There cannot be more pixels than bytes.
    let mut pixels = Vec::with_capacity(count.min(source.all.len()));
    loop {
        source.skip();
        let at = source.at;
        match source.all.get(at) {
            Some(b'0' | b'1') if pixels.len() == count => {
                return Err(source.error(at, format!("more pixels than {width}x{height}")));
            }
            Some(b'0') => pixels.push(255),
            Some(b'1') => pixels.push(0),
            Some(_) => return Err(source.error(at, "a pixel is 0, white, or 1, black".to_owned())),
            None if pixels.len() < count => return Err(too_few(source, pixels.len(), count)),
            None => return Ok(pixels),
        }
        source.at += 1;
    }
}

fn raw(source: &mut Source<'_>, width: usize, height: usize) -> Result<Vec<u8>> {
    // One blank, then the rows, each in whole bytes.
    let stride = width.div_ceil(8);
    let rows = source.all.get(source.at + 1..).unwrap_or_default();
    match rows.len().cmp(&(stride * height)) {
        std::cmp::Ordering::Less => {
            return Err(too_few(source, rows.len() / stride * width, width * height));
        }
        std::cmp::Ordering::Greater if rows[stride * height..].starts_with(b"P4") => {
            let message = "there are several pictures in this file: split it";
            return Err(Error::data(message));
        }
        _ => {}
    }
    let pixel = |row: &[u8], x: usize| {
        if row[x / 8] >> (7 - x % 8) & 1 == 1 {
            0
        } else {
            255
        }
    };
    let rows = rows.chunks(stride).take(height);
    Ok(rows
        .flat_map(|row| (0..width).map(move |x| pixel(row, x)))
        .collect())
}

fn too_few(source: &Source<'_>, found: usize, wanted: usize) -> Error {
    let message = format!("the picture ends after {found} of its {wanted} pixels");
    match source.all.get(1) {
        Some(b'1') => source.error(source.all.len(), message),
        _ => Error::data(message),
    }
}

/// The picture as a plain PBM, at most 70 characters a line, as the format wants it.
pub(super) fn write_plain(grid: &Grid) -> Result<Vec<u8>> {
    let mut text = format!("P1\n{} {}\n", grid.width(), grid.height());
    for row in grid.to_string().lines() {
        let digits = row.replace('#', "1").replace('.', "0");
        for piece in digits.as_bytes().chunks(70) {
            text.push_str(&String::from_utf8_lossy(piece));
            text.push('\n');
        }
    }
    Ok(text.into_bytes())
}

/// The picture as a raw PBM.
pub(super) fn write_raw(grid: &Grid) -> Result<Vec<u8>> {
    let mut bytes = format!("P4\n{} {}\n", grid.width(), grid.height()).into_bytes();
    for row in 0..grid.height() {
        // The leftmost cell is the lowest bit of a word here, and the highest of a byte there.
        let packed = grid.row(row).iter().flat_map(|word| word.to_le_bytes());
        bytes.extend(packed.take(grid.width().div_ceil(8)).map(u8::reverse_bits));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::picture::Tracing;
    use super::*;

    fn drawn(bytes: &[u8]) -> String {
        read(bytes)
            .unwrap()
            .trace(&Tracing::default())
            .unwrap()
            .to_string()
    }

    fn message(bytes: &[u8]) -> String {
        read(bytes).unwrap_err().to_string()
    }

    #[test]
    fn reads_both_kinds() {
        let grid = ".##.\n#..#\n####\n";
        assert_eq!(drawn(b"P1\n# NotchO\n4 3\n0110\n1 0 0 1\n1111\n"), grid);
        assert_eq!(drawn(b"P1 4#w\n#h\n3 011010011111"), grid);
        assert_eq!(drawn(b"P4\n4 3\n\x60\x90\xf0"), grid);
        assert_eq!(drawn(b"P4 4 3 \x6f\x9f\xff\n"), grid);
        let wide = Grid::from_rows(&[format!("{}#", ".".repeat(99))]).unwrap();
        for bytes in [write_plain(&wide).unwrap(), write_raw(&wide).unwrap()] {
            assert_eq!(drawn(&bytes), wide.to_string());
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        assert_eq!(message(b"P1"), "1:3: the width must come here");
        assert_eq!(message(b"P1\n3 x\n"), "2:3: the height must come here");
        assert_eq!(message(b"P1 0 1\n"), "1:4: a width of 0");
        assert_eq!(
            message(b"P4 9999999999 1\n"),
            "1:4: a width of 9999999999 is too large"
        );
        assert_eq!(
            message(b"P1 2 1\n0"),
            "2:2: the picture ends after 1 of its 2 pixels"
        );
        assert_eq!(
            message(b"P1 1 1\n02"),
            "2:2: a pixel is 0, white, or 1, black"
        );
        assert_eq!(message(b"P1 1 1\n01"), "2:2: more pixels than 1x1");
        assert_eq!(
            message(b"P4 1000000 1000000\n0"),
            "the picture ends after 0 of its 1000000000000 pixels"
        );
        assert!(message(b"P4 1 1 \x80P4 1 1 \x80").contains("several"));
    }
}
