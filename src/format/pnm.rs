//! Netpbm's pictures: PBM in black and white, `P1` with a digit for each pixel and `P4` with a bit; PGM in grey and PPM in colour, `P2` and
//! `P3` with numbers, `P5` and `P6` with bytes or pairs of them. Black pixels are filled. PBM is written too.

use super::brief::brief;
use super::image;
use super::number::number;
use super::picture::{CUT, Grey, Tracing};
use super::place::at_byte;
use crate::error::{Error, Result};
use crate::puzzle::Grid;

/// The greatest width and height; more would be for nothing.
const LARGEST: usize = 1 << 20;

/// The greatest sample, white, that a file can choose.
const BRIGHTEST: usize = 0xffff;

/// Does a picture begin with this magic number?
fn begins(bytes: &[u8], magic: &[u8]) -> bool {
    let rest = bytes.strip_prefix(magic);
    rest.is_some_and(|rest| {
        rest.first()
            .is_none_or(|b| b.is_ascii_whitespace() || *b == b'#')
    })
}

/// Is it a plain PBM?
pub(super) fn looks_like_plain(bytes: &[u8]) -> bool {
    begins(bytes, b"P1")
}

/// Is it a raw PBM?
pub(super) fn looks_like_raw(bytes: &[u8]) -> bool {
    begins(bytes, b"P4")
}

/// Is it a PGM?
pub(super) fn looks_like_grey(bytes: &[u8]) -> bool {
    begins(bytes, b"P2") || begins(bytes, b"P5")
}

/// Is it a PPM?
pub(super) fn looks_like_colour(bytes: &[u8]) -> bool {
    begins(bytes, b"P3") || begins(bytes, b"P6")
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

    /// The digits that come next, and where they begin.
    fn digits(&mut self) -> (usize, &str) {
        self.skip();
        let start = self.at;
        let digits = self.all[start..].iter().take_while(|b| b.is_ascii_digit());
        self.at += digits.count();
        let digits = str::from_utf8(&self.all[start..self.at]);
        (start, digits.unwrap_or_default())
    }

    /// The number that comes next, from 1 to `most`.
    fn size(&mut self, name: &str, most: usize) -> Result<usize> {
        let (start, digits) = self.digits();
        let message = match digits.parse() {
            Ok(size) if (1..=most).contains(&size) => return Ok(size),
            _ if digits.is_empty() => format!("the {name} must come here"),
            _ if number(digits) == Some(0) => format!("a {name} of 0"),
            _ => format!("a {name} of {} is too large", brief(digits)),
        };
        Err(self.error(start, message))
    }

    /// The sample that comes next in a plain file; none at its end.
    fn sample(&mut self, white: usize) -> Result<Option<usize>> {
        let (start, digits) = self.digits();
        let (value, length) = (digits.parse(), digits.len());
        let ends = self.at == self.all.len();
        match value {
            // At the very end more digits may be missing.
            Ok(value) if ends && value > 0 && value * 10 <= white => {
                let message = "the file may end in the middle of this number: a line break must follow if it does not";
                Err(self.error(start, message.to_owned()))
            }
            Ok(value) if value <= white => Ok(Some(value)),
            _ if length == 0 && ends => Ok(None),
            _ => {
                let message = format!("a sample is a number from 0, black, to {white}, white");
                Err(self.error(start, message))
            }
        }
    }

    /// An error at this byte.
    fn error(&self, at: usize, message: String) -> Error {
        at_byte(Error::data(message), self.all, at, 1)
    }
}

/// What stands before the pixels.
struct Head {
    width: usize,
    height: usize,
    /// Numbers that a pixel has.
    samples: usize,
    /// The sample that is white.
    white: usize,
}

impl Head {
    /// A sample where 255 is white.
    fn eight_bits(&self, sample: usize) -> u8 {
        ((sample * 255 + self.white / 2) / self.white) as u8
    }

    /// The greys of such samples.
    fn grey(&self, samples: Vec<u8>) -> Vec<u8> {
        match self.samples {
            1 => samples,
            _ => image::grey_of(samples, self.width, self.height),
        }
    }
}

/// Reads a PBM of either kind.
pub(super) fn read_bits(bytes: &[u8], tracing: &Tracing) -> Result<Grey> {
    match looks_like_plain(bytes) || looks_like_raw(bytes) {
        true => read(bytes, tracing),
        false => Err(magic(bytes, "a PBM begins with P1 or P4")),
    }
}

/// Reads a PGM of either kind.
pub(super) fn read_grey(bytes: &[u8], tracing: &Tracing) -> Result<Grey> {
    match looks_like_grey(bytes) {
        true => read(bytes, tracing),
        false => Err(magic(bytes, "a PGM begins with P2 or P5")),
    }
}

/// Reads a PPM of either kind.
pub(super) fn read_colour(bytes: &[u8], tracing: &Tracing) -> Result<Grey> {
    match looks_like_colour(bytes) {
        true => read(bytes, tracing),
        false => Err(magic(bytes, "a PPM begins with P3 or P6")),
    }
}

fn magic(bytes: &[u8], message: &str) -> Error {
    at_byte(Error::data(message), bytes, 0, 1)
}

fn read(bytes: &[u8], tracing: &Tracing) -> Result<Grey> {
    let kind = bytes[1];
    let mut source = Source { all: bytes, at: 2 };
    let width = source.size("width", LARGEST)?;
    let height = source.size("height", LARGEST)?;
    tracing.check_size(width, height)?;
    let bits = matches!(kind, b'1' | b'4');
    let head = Head {
        width,
        height,
        samples: if matches!(kind, b'3' | b'6') { 3 } else { 1 },
        white: if bits {
            1
        } else {
            source.size("greatest sample", BRIGHTEST)?
        },
    };
    let pixels = match kind {
        b'1' => plain_bits(&mut source, &head)?,
        b'4' => raw_bits(&source, &head)?,
        b'2' | b'3' => plain(&mut source, &head)?,
        _ => raw(&source, &head)?,
    };
    Ok(Grey {
        width,
        height,
        pixels,
    })
}

fn plain_bits(source: &mut Source<'_>, head: &Head) -> Result<Vec<u8>> {
    let count = head.width * head.height;
    // There cannot be more pixels than bytes.
    let mut pixels = Vec::with_capacity(count.min(source.all.len()));
    loop {
        source.skip();
        let at = source.at;
        match source.all.get(at) {
            Some(b'0' | b'1') if pixels.len() == count => {
                return Err(too_many(source, at, head));
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

fn plain(source: &mut Source<'_>, head: &Head) -> Result<Vec<u8>> {
    let count = head.width * head.height * head.samples;
    // There cannot be more samples than bytes.
    let mut samples = Vec::with_capacity(count.min(source.all.len()));
    loop {
        match source.sample(head.white)? {
            Some(_) if samples.len() == count => {
                return Err(too_many(source, source.at - 1, head));
            }
            Some(sample) => samples.push(head.eight_bits(sample)),
            None if samples.len() < count => {
                let pixels = samples.len() / head.samples;
                return Err(too_few(source, pixels, count / head.samples));
            }
            None => return Ok(head.grey(samples)),
        }
    }
}

/// Bits in rows, each in whole bytes.
fn raw_bits(source: &Source<'_>, head: &Head) -> Result<Vec<u8>> {
    let (width, height) = (head.width, head.height);
    let stride = width.div_ceil(8);
    let rows = raster(source, stride, head)?;
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

/// Bytes, or pairs of them where white is more than a byte can tell.
fn raw(source: &Source<'_>, head: &Head) -> Result<Vec<u8>> {
    let bytes = if head.white > 0xff { 2 } else { 1 };
    let rows = raster(source, head.width * head.samples * bytes, head)?;
    let value = |sample: &[u8]| {
        let value = sample
            .iter()
            .fold(0, |value, &b| value << 8 | usize::from(b));
        match value <= head.white {
            true => Ok(head.eight_bits(value)),
            false => Err(Error::data(format!(
                "a sample of {value}, and the file says that {} is white",
                head.white
            ))),
        }
    };
    let samples = rows.chunks_exact(bytes).map(value).collect::<Result<_>>()?;
    Ok(head.grey(samples))
}

/// The rows of a raw picture, which begin one blank after its head and have `stride` bytes each.
fn raster<'a>(source: &Source<'a>, stride: usize, head: &Head) -> Result<&'a [u8]> {
    let rest = source.all.get(source.at + 1..).unwrap_or_default();
    match rest.split_at_checked(stride * head.height) {
        None => Err(Error::data(CUT)),
        Some((_, after)) if after.starts_with(&source.all[..2]) => {
            let message = "there are several pictures in this file: split it";
            Err(Error::data(message))
        }
        Some((rows, _)) => Ok(rows),
    }
}

fn too_many(source: &Source<'_>, at: usize, head: &Head) -> Error {
    let message = format!("more pixels than {}x{}", head.width, head.height);
    source.error(at, message)
}

fn too_few(source: &Source<'_>, found: usize, wanted: usize) -> Error {
    let message = format!("the picture ends after {found} of its {wanted} pixels");
    source.error(source.all.len(), message)
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
    use super::*;

    fn drawn(bytes: &[u8]) -> String {
        let tracing = Tracing::default();
        read(bytes, &tracing).unwrap().trace(&tracing).to_string()
    }

    fn message(bytes: &[u8]) -> String {
        read(bytes, &Tracing::default()).unwrap_err().to_string()
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
        assert_eq!(message(b"P4 1000 1000\n0"), CUT);
        assert!(message(b"P4 1000000 1000000\n0").contains("too many"));
        assert!(message(b"P4 1 1 \x80P4 1 1 \x80").contains("several"));
    }

    #[test]
    fn greys_and_colours_are_read() {
        let grid = "#.#\n.#.\n";
        for picture in [
            &b"P2\n# NotchO\n3 2\n255\n0 255 100\n128#x\n127 255\n"[..],
            b"P2 3 2 15 0 15 7 8 7 15",
            b"P2 3 2 65535 0 65535 300 65535 32767 40000\n",
            b"P5 3 2 255\n\x00\xff\x10\x80\x7f\xff",
            b"P5 3 2 256\n\0\0\x01\0\0\0\0\xff\0\0\x01\0",
            b"P3 3 2 255 0 0 0 255 255 255 255 0 0 0 255 0 0 0 255 255 255 0\n",
            b"P6 3 2 1\n\0\0\0\x01\x01\x01\x01\0\0\0\x01\0\0\0\x01\x01\x01\0",
        ] {
            assert_eq!(
                drawn(picture),
                grid,
                "{:?}",
                String::from_utf8_lossy(picture)
            );
        }
        assert_eq!(
            message(b"P2 1 1\n"),
            "2:1: the greatest sample must come here"
        );
        assert_eq!(
            message(b"P2 1 1 65536\n1"),
            "1:8: a greatest sample of 65536 is too large"
        );
        for (text, wrong) in [
            (
                &b"P2 1 1 15\n16\n"[..],
                "2:1: a sample is a number from 0, black, to 15, white",
            ),
            (
                b"P2 1 1 15\nx\n",
                "2:1: a sample is a number from 0, black, to 15, white",
            ),
            (b"P2 1 1 15 1 1 ", "1:13: more pixels than 1x1"),
            (
                b"P3 1 1 15 1 1 ",
                "1:14: the picture ends after 0 of its 1 pixels",
            ),
        ] {
            assert_eq!(message(text), wrong);
        }
        let bright = "a sample of 9, and the file says that 8 is white";
        assert_eq!(message(b"P5 1 1 8\n\x09"), bright);
        assert!(message(b"P5 1 1 8\n\x08P5 1 1 8 \x08").contains("several"));
        assert_eq!(
            read_grey(b"P4", &Tracing::default()).unwrap_err().message(),
            "a PGM begins with P2 or P5"
        );
    }

    #[test]
    fn a_number_that_was_cut_is_not_another_number() {
        for text in [
            "P2 2 1 255 0 200\n",
            "P3 1 1 255 9 20 20\n",
            "P2 1 1 9 7",
            "P1 2 1 10",
        ] {
            let text = text.as_bytes();
            assert!(read(text, &Tracing::default()).is_ok());
            for length in 2..text.len() {
                let cut = &text[..length];
                let whole = text[length..] == *b"\n" && text[length - 2..length] != *b"20";
                assert_eq!(
                    read(cut, &Tracing::default()).is_ok(),
                    whole,
                    "{:?}",
                    String::from_utf8_lossy(cut)
                );
            }
        }
    }
}
