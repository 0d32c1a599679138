//! Netpbm's pictures: PBM in black and white, `P1` with a digit for each pixel and `P4` with a bit; PGM in grey and PPM in colour, `P2` and
//! `P3` with numbers, `P5` and `P6` with bytes or pairs of them. Black pixels are filled. PBM is written too.

use super::brief::brief;
use super::grey::Grey;
use super::number::number;
use super::picture::{CUT_OFF, TraceOptions, grey_of_rgb};
use super::place::at_byte;
use crate::error::{Error, Result};
use crate::puzzle::Grid;

/// Largest accepted width and height.
const MAX_SIDE_PIXELS: usize = 1 << 20;

/// Largest value that a file may declare for white.
const MAX_WHITE: usize = 0xffff;

/// The formats. Those of PBM differ in how they are written; each is read in both ways.
#[derive(Clone, Copy, Debug)]
pub(super) enum Netpbm {
    Bits,
    Digits,
    Grey,
    Colour,
}

impl Netpbm {
    /// The name of the format, and the magic numbers of its plain and its raw files.
    fn magics(self) -> (&'static str, [&'static str; 2]) {
        match self {
            Netpbm::Bits | Netpbm::Digits => ("PBM", ["P1", "P4"]),
            Netpbm::Grey => ("PGM", ["P2", "P5"]),
            Netpbm::Colour => ("PPM", ["P3", "P6"]),
        }
    }

    pub(super) fn looks_like(self, bytes: &[u8]) -> bool {
        match self {
            Netpbm::Bits => begins(bytes, "P4"),
            Netpbm::Digits => begins(bytes, "P1"),
            _ => self.magics().1.iter().any(|magic| begins(bytes, magic)),
        }
    }

    /// Reads a picture, plain or raw.
    pub(super) fn read(self, bytes: &[u8], tracing: &TraceOptions) -> Result<Grey> {
        let (name, [plain, raw]) = self.magics();
        if begins(bytes, plain) || begins(bytes, raw) {
            return read(bytes, tracing);
        }
        let message = format!("a {name} begins with {plain} or {raw}");
        Err(at_byte(Error::data(message), bytes, 0, 1))
    }

    /// The picture as a PBM.
    pub(super) fn write(self, grid: &Grid) -> Vec<u8> {
        match self {
            Netpbm::Digits => write_plain(grid),
            _ => write_raw(grid),
        }
    }
}

/// Whether a picture begins with this magic number.
fn begins(bytes: &[u8], magic: &str) -> bool {
    bytes.strip_prefix(magic.as_bytes()).is_some_and(|rest| {
        rest.first()
            .is_none_or(|b| b.is_ascii_whitespace() || *b == b'#')
    })
}

/// A file and the position up to which it has been read.
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

    /// Reads the next digits, and returns them with the offset at which they begin.
    fn digits(&mut self) -> (usize, &str) {
        self.skip();
        let start = self.at;
        let digits = self.all[start..].iter().take_while(|b| b.is_ascii_digit());
        self.at += digits.count();
        let digits = str::from_utf8(&self.all[start..self.at]);
        (start, digits.unwrap_or_default())
    }

    /// Reads the next number, from 1 to `most`.
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

    /// Reads the next sample of a plain file; `None` at its end.
    fn sample(&mut self, white: usize) -> Result<Option<usize>> {
        let (start, digits) = self.digits();
        let (value, length) = (digits.parse::<usize>(), digits.len());
        let ends = self.at == self.all.len();
        match value {
            // At the end of the file, further digits of the number may have been cut off.
            Ok(value) if ends && value > 0 && value.saturating_mul(10) <= white => {
                let message = "the file ends with this number, which may be cut off: if it is complete, add a line break";
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

    /// Reads the next digit of a plain file without greys, 1 for black; `None` at its end.
    fn bit(&mut self, white: usize) -> Result<Option<usize>> {
        self.skip();
        self.at += 1;
        match self.all.get(self.at - 1) {
            Some(digit @ (b'0' | b'1')) => Ok(Some(white - usize::from(digit - b'0'))),
            Some(_) => Err(self.error(self.at - 1, "a pixel is 0, white, or 1, black".to_owned())),
            None => Ok(None),
        }
    }

    /// An error at this byte.
    fn error(&self, at: usize, message: String) -> Error {
        at_byte(Error::data(message), self.all, at, 1)
    }
}

/// The header before the pixels.
struct Header {
    width: usize,
    height: usize,
    /// Samples per pixel.
    samples: usize,
    /// The value of a sample that is white.
    white: usize,
}

impl Header {
    /// A sample scaled so that 255 is white.
    fn eight_bits(&self, sample: usize) -> u8 {
        ((sample * 255 + self.white / 2) / self.white) as u8
    }

    /// The grey levels of the pixels with these scaled samples.
    fn grey(&self, samples: Vec<u8>) -> Vec<u8> {
        match self.samples {
            1 => samples,
            _ => {
                let pixels = samples.as_chunks::<3>().0;
                pixels.iter().copied().map(grey_of_rgb).collect()
            }
        }
    }
}

fn read(bytes: &[u8], tracing: &TraceOptions) -> Result<Grey> {
    let kind = bytes[1];
    let mut source = Source { all: bytes, at: 2 };
    let width = source.size("width", MAX_SIDE_PIXELS)?;
    let height = source.size("height", MAX_SIDE_PIXELS)?;
    tracing.check_size(width, height)?;
    let bits = matches!(kind, b'1' | b'4');
    let header = Header {
        width,
        height,
        samples: if matches!(kind, b'3' | b'6') { 3 } else { 1 },
        white: if bits {
            1
        } else {
            source.size("greatest sample", MAX_WHITE)?
        },
    };
    let pixels = match kind {
        b'1' => plain(&mut source, &header, Source::bit)?,
        b'4' => raw_bits(&source, &header)?,
        b'2' | b'3' => plain(&mut source, &header, Source::sample)?,
        _ => raw(&source, &header)?,
    };
    Ok(Grey {
        width,
        height,
        pixels,
        of_cells: bits,
    })
}

/// Reads samples, each with `next`.
fn plain<'a>(
    source: &mut Source<'a>,
    header: &Header,
    next: fn(&mut Source<'a>, usize) -> Result<Option<usize>>,
) -> Result<Vec<u8>> {
    let count = header.width * header.height * header.samples;
    // A sample takes at least one byte, so the size of the file bounds the allocation.
    let mut samples = Vec::with_capacity(count.min(source.all.len()));
    loop {
        match next(source, header.white)? {
            Some(_) if samples.len() == count => {
                let message = format!("more pixels than {}x{}", header.width, header.height);
                return Err(source.error(source.at - 1, message));
            }
            Some(sample) => samples.push(header.eight_bits(sample)),
            None if samples.len() < count => {
                let found = samples.len() / header.samples;
                let wanted = header.width * header.height;
                let message = format!("the picture ends after {found} of its {wanted} pixels");
                return Err(source.error(source.all.len(), message));
            }
            None => return Ok(header.grey(samples)),
        }
    }
}

/// Reads one bit per pixel; each row takes whole bytes.
fn raw_bits(source: &Source<'_>, header: &Header) -> Result<Vec<u8>> {
    let (width, height) = (header.width, header.height);
    let stride = width.div_ceil(8);
    let rows = raster(source, stride, header)?;
    Ok(rows
        .chunks(stride)
        .take(height)
        .flat_map(|row| (0..width).map(move |x| row[x / 8] >> (7 - x % 8) & 1))
        .map(|bit| if bit == 1 { 0 } else { 255 })
        .collect())
}

/// Reads samples of one byte, or of two if white is above 255.
fn raw(source: &Source<'_>, header: &Header) -> Result<Vec<u8>> {
    let bytes = if header.white > 0xff { 2 } else { 1 };
    let rows = raster(source, header.width * header.samples * bytes, header)?;
    let value = |sample: &[u8]| {
        let value = sample
            .iter()
            .fold(0, |value, &b| value << 8 | usize::from(b));
        if value <= header.white {
            Ok(header.eight_bits(value))
        } else {
            Err(Error::data(format!(
                "a sample of {value} is above {}, the value of white in this file",
                header.white
            )))
        }
    };
    let samples = rows.chunks_exact(bytes).map(value).collect::<Result<_>>()?;
    Ok(header.grey(samples))
}

/// The rows of a raw picture, which begin one whitespace character after its header and have `stride` bytes each.
fn raster<'a>(source: &Source<'a>, stride: usize, header: &Header) -> Result<&'a [u8]> {
    let rest = source.all.get(source.at + 1..).unwrap_or_default();
    match rest.split_at_checked(stride * header.height) {
        None => Err(Error::data(CUT_OFF)),
        Some((_, after)) if after.starts_with(&source.all[..2]) => {
            let message = "there are several pictures in this file: split it";
            Err(Error::data(message))
        }
        Some((rows, _)) => Ok(rows),
    }
}

/// The picture as a plain PBM, with at most 70 characters per line, as the format requires.
fn write_plain(grid: &Grid) -> Vec<u8> {
    let mut text = format!("P1\n{} {}\n", grid.width(), grid.height());
    for row in grid.to_string().lines() {
        let digits = row.replace('#', "1").replace('.', "0");
        for piece in digits.as_bytes().chunks(70) {
            text.push_str(&String::from_utf8_lossy(piece));
            text.push('\n');
        }
    }
    text.into_bytes()
}

/// The picture as a raw PBM.
fn write_raw(grid: &Grid) -> Vec<u8> {
    let mut bytes = format!("P4\n{} {}\n", grid.width(), grid.height()).into_bytes();
    for row in 0..grid.height() {
        // The leftmost cell is the lowest bit of a word in `Grid`, and the highest bit of a byte in PBM.
        let packed = grid.row(row).iter().flat_map(|word| word.to_le_bytes());
        bytes.extend(packed.take(grid.width().div_ceil(8)).map(u8::reverse_bits));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::picture::trace;
    use super::super::threshold::Threshold;
    use super::*;

    fn drawn(bytes: &[u8]) -> String {
        let tracing = TraceOptions::default().threshold(Threshold::Fixed(128));
        trace(&read(bytes, &tracing).unwrap(), &tracing)
            .0
            .to_string()
    }

    fn message(bytes: &[u8]) -> String {
        read(bytes, &TraceOptions::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn plain_and_raw_files_are_read() {
        let grid = ".##.\n#..#\n####\n";
        assert_eq!(drawn(b"P1\n# NotchO\n4 3\n0110\n1 0 0 1\n1111\n"), grid);
        assert_eq!(drawn(b"P1 4#w\n#h\n3 011010011111"), grid);
        assert_eq!(drawn(b"P4\n4 3\n\x60\x90\xf0"), grid);
        assert_eq!(drawn(b"P4 4 3 \x6f\x9f\xff\n"), grid);
        let wide = Grid::from_rows(&[format!("{}#", ".".repeat(99))]).unwrap();
        for bytes in [write_plain(&wide), write_raw(&wide)] {
            assert_eq!(drawn(&bytes), wide.to_string());
        }
    }

    #[test]
    fn errors_have_a_place() {
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
        assert_eq!(message(b"P4 1000 1000\n0"), CUT_OFF);
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
        let bright = "a sample of 9 is above 8, the value of white in this file";
        assert_eq!(message(b"P5 1 1 8\n\x09"), bright);
        assert!(message(b"P5 1 1 8\n\x08P5 1 1 8 \x08").contains("several"));
        assert_eq!(
            Netpbm::Grey
                .read(b"P4", &TraceOptions::default())
                .unwrap_err()
                .message(),
            "a PGM begins with P2 or P5"
        );
    }

    /// Ten times the last sample, computed to see whether a digit may have been cut off, once overflowed.
    #[test]
    fn a_huge_last_sample_is_an_error() {
        for sample in [usize::MAX, usize::MAX / 2, usize::MAX / 10 + 1] {
            assert_eq!(
                message(format!("P2 1 1 255 {sample}").as_bytes()),
                "1:12: a sample is a number from 0, black, to 255, white"
            );
        }
    }

    #[test]
    fn a_possibly_cut_off_number_is_an_error() {
        for text in [
            "P2 2 1 255 0 200\n",
            "P3 1 1 255 9 20 20\n",
            "P2 1 1 9 7",
            "P1 2 1 10",
        ] {
            let text = text.as_bytes();
            assert!(read(text, &TraceOptions::default()).is_ok());
            for length in 2..text.len() {
                let cut = &text[..length];
                let whole = text[length..] == *b"\n" && text[length - 2..length] != *b"20";
                assert_eq!(
                    read(cut, &TraceOptions::default()).is_ok(),
                    whole,
                    "{:?}",
                    String::from_utf8_lossy(cut)
                );
            }
        }
    }
}
