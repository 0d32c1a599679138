//! Checks that a JPEG file is complete. Decoders silently fill missing data with grey, so half a file looks like a whole picture. This
//! module parses the entropy-coded data of every scan block by block (ITU-T T.81), without computing pixels: if the data end before the
//! last block, continue after it, or contain invalid codes, the file is truncated or damaged.
//!
//! Features that it does not support, such as arithmetic coding, are left to the decoder, which refuses them. A damaged file that still
//! decodes to the right number of blocks is not detected.

use super::super::picture::CUT_OFF;
use super::entropy::{Band, EntropyData, Fault, Huffman, Result as ParseResult};
use crate::error::{Error, Result};

/// Largest number of scans that the decoder accepts.
const MAX_SCANS: usize = 100;

/// The end-of-image marker.
const END_OF_IMAGE: u8 = 0xd9;

/// Fails when a part of the picture, which has this size in pixels, is missing.
pub(super) fn check(bytes: &[u8], width: u32, height: u32) -> Result<()> {
    let has_end = || bytes.windows(2).any(|pair| pair == [0xff, END_OF_IMAGE]);
    match Parser::new(bytes, (width, height)).run() {
        Ok(()) => Ok(()),
        Err(Fault::Unsupported) if has_end() => Ok(()),
        Err(Fault::Unsupported | Fault::Truncated) => Err(Error::data(CUT_OFF)),
        Err(Fault::Damaged) => Err(Error::data(
            "this image is damaged: part of its data cannot be decoded",
        )),
    }
}

#[derive(Debug)]
struct Component {
    id: u8,
    /// Blocks of one MCU (minimum coded unit), across and down.
    across: usize,
    down: usize,
    /// Blocks of the picture, across and down, without those that only pad the last MCU.
    columns: usize,
    rows: usize,
    /// Blocks per row in `nonzero`, including padding.
    stride: usize,
    /// For each block of a progressive picture, the set of coefficients that are not zero.
    nonzero: Vec<u64>,
    /// Whether a scan has coded blocks of it.
    seen: bool,
}

#[derive(Debug)]
struct Frame {
    progressive: bool,
    /// MCUs across and down.
    columns: usize,
    rows: usize,
    components: Vec<Component>,
}

#[derive(Debug)]
struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    size: (u32, u32),
    frame: Option<Frame>,
    /// The Huffman codes of the first (DC) coefficients and of the others (AC), by their numbers.
    codes: [[Option<Huffman>; 4]; 2],
    /// MCUs between two restart markers; 0 without them.
    interval: usize,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8], size: (u32, u32)) -> Self {
        Parser {
            bytes,
            at: 2,
            size,
            frame: None,
            codes: Default::default(),
            interval: 0,
        }
    }

    /// Parses the segments up to the end of the picture.
    fn run(&mut self) -> ParseResult<()> {
        let mut scans = 0;
        loop {
            let marker = self.marker()?;
            match marker {
                END_OF_IMAGE => break,
                // Markers without a segment.
                0x01 | 0xd0..=0xd8 => continue,
                _ => {}
            }
            let segment = self.segment()?;
            match marker {
                0xc4 => self.tables(segment)?,
                0xc0..=0xc2 => self.begin_frame(segment, marker == 0xc2)?,
                0xdd => {
                    let interval = segment.get(..2).ok_or(Fault::Unsupported)?;
                    self.interval = usize::from(u16::from_be_bytes([interval[0], interval[1]]));
                }
                0xda => {
                    scans += 1;
                    if scans > MAX_SCANS {
                        return Err(Fault::Unsupported);
                    }
                    self.scan(segment)?;
                }
                // Unsupported coding modes, and a height that is defined after the first scan.
                0xc3 | 0xc5..=0xcf | 0xdc => return Err(Fault::Unsupported),
                _ => {}
            }
        }
        let frame = self.frame.as_ref().ok_or(Fault::Unsupported)?;
        match frame.components.iter().all(|component| component.seen) {
            true => Ok(()),
            false => Err(Fault::Damaged),
        }
    }

    /// The next marker. Bytes before it are skipped, as decoders do.
    fn marker(&mut self) -> ParseResult<u8> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let start = rest
                .iter()
                .position(|&b| b == 0xff)
                .ok_or(Fault::Truncated)?;
            let fill = rest[start..].iter().take_while(|&&b| b == 0xff).count();
            self.at += start + fill;
            match self.bytes.get(self.at) {
                None => return Err(Fault::Truncated),
                Some(0) => {}
                Some(&marker) => {
                    self.at += 1;
                    return Ok(marker);
                }
            }
        }
    }

    /// The segment of a marker, without its length field.
    fn segment(&mut self) -> ParseResult<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.get(..2).ok_or(Fault::Truncated)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        if length < 2 {
            return Err(Fault::Unsupported);
        }
        self.at += length;
        rest.get(2..length).ok_or(Fault::Truncated)
    }

    fn tables(&mut self, mut segment: &[u8]) -> ParseResult<()> {
        while let [which, rest @ ..] = segment {
            let (class, number) = (usize::from(which >> 4), usize::from(which & 15));
            let counts = rest.get(..16).ok_or(Fault::Unsupported)?;
            let symbols = counts.iter().map(|&count| usize::from(count)).sum();
            let symbols = rest[16..].get(..symbols).ok_or(Fault::Unsupported)?;
            let index = self.codes.get_mut(class).and_then(|c| c.get_mut(number));
            *index.ok_or(Fault::Unsupported)? = Some(Huffman::new(counts, symbols));
            segment = &rest[16 + symbols.len()..];
        }
        Ok(())
    }

    fn begin_frame(&mut self, segment: &[u8], progressive: bool) -> ParseResult<()> {
        let [_, y1, y0, x1, x0, count, rest @ ..] = segment else {
            return Err(Fault::Unsupported);
        };
        let side = |high: &u8, low: &u8| usize::from(u16::from_be_bytes([*high, *low]));
        let (width, height) = (side(x1, x0), side(y1, y0));
        let size = (width as u32, height as u32);
        if self.frame.is_some() || size != self.size || rest.len() < 3 * usize::from(*count) {
            return Err(Fault::Unsupported);
        }
        let factors = |triple: &[u8]| (usize::from(triple[1] >> 4), usize::from(triple[1] & 15));
        let triples = || rest.chunks_exact(3).take(usize::from(*count));
        let max_across = triples().map(|triple| factors(triple).0).max();
        let max_down = triples().map(|triple| factors(triple).1).max();
        let (Some(max_across), Some(max_down)) = (max_across, max_down) else {
            return Err(Fault::Unsupported);
        };
        if triples().any(|triple| !matches!(factors(triple), (1..=4, 1..=4))) {
            return Err(Fault::Unsupported);
        }
        let (columns, rows) = (
            width.div_ceil(8 * max_across),
            height.div_ceil(8 * max_down),
        );
        let component = |triple: &[u8]| {
            let (across, down) = factors(triple);
            let blocks = columns * across * rows * down;
            Component {
                id: triple[0],
                across,
                down,
                columns: (width * across).div_ceil(max_across).div_ceil(8),
                rows: (height * down).div_ceil(max_down).div_ceil(8),
                stride: columns * across,
                nonzero: vec![0; if progressive { blocks } else { 0 }],
                seen: false,
            }
        };
        self.frame = Some(Frame {
            progressive,
            columns,
            rows,
            components: triples().map(component).collect(),
        });
        Ok(())
    }

    /// Parses the blocks of a scan.
    fn scan(&mut self, segment: &[u8]) -> ParseResult<()> {
        let frame = self.frame.as_mut().ok_or(Fault::Unsupported)?;
        let count = usize::from(*segment.first().ok_or(Fault::Unsupported)?);
        let [pairs @ .., start, end, bits] = segment.get(1..).unwrap_or_default() else {
            return Err(Fault::Unsupported);
        };
        if pairs.len() != 2 * count || count == 0 {
            return Err(Fault::Unsupported);
        }
        let band = match frame.progressive {
            false => Band {
                start: 0,
                end: 63,
                refines: false,
            },
            true => Band {
                start: usize::from(*start),
                end: usize::from(*end),
                refines: bits >> 4 > 0,
            },
        };
        if band.end > 63
            || band.start > band.end
            || frame.progressive && (band.start == 0) != (band.end == 0)
            || frame.progressive && band.start > 0 && count > 1
        {
            return Err(Fault::Unsupported);
        }
        // Indices of the components in the scan, with the two codes of each.
        let mut parts = Vec::with_capacity(count);
        for pair in pairs.chunks_exact(2) {
            let index = frame.components.iter().position(|c| c.id == pair[0]);
            let index = index.ok_or(Fault::Unsupported)?;
            let code = |class: usize, number: u8| {
                self.codes[class]
                    .get(usize::from(number))
                    .and_then(Option::as_ref)
            };
            parts.push((index, code(0, pair[1] >> 4), code(1, pair[1] & 15)));
        }
        let is_single = count == 1;
        let (columns, rows) = match parts[..] {
            [(index, ..)] => {
                let component = &frame.components[index];
                (component.columns, component.rows)
            }
            _ => (frame.columns, frame.rows),
        };
        let mut data = EntropyData::new(self.bytes, self.at);
        let mut run = 0;
        for mcu in 0..columns * rows {
            if self.interval > 0 && mcu > 0 && mcu % self.interval == 0 {
                run = 0;
                data.restart((mcu / self.interval - 1) as u8 % 8)?;
            }
            let (x, y) = (mcu % columns, mcu / columns);
            for &(index, first, others) in &parts {
                let component = &mut frame.components[index];
                component.seen = true;
                let (across, down) = match is_single {
                    true => (1, 1),
                    false => (component.across, component.down),
                };
                for block in 0..across * down {
                    let (x, y) = (x * across + block % across, y * down + block / across);
                    if !frame.progressive {
                        data.sequential(first, others)?;
                    } else if band.start == 0 {
                        data.first(first, band.refines)?;
                    } else {
                        let nonzero = &mut component.nonzero[y * component.stride + x];
                        match band.refines {
                            false => data.band(others, band, &mut run, nonzero)?,
                            true => data.refine(others, band, &mut run, nonzero)?,
                        }
                    }
                }
            }
        }
        data.end()?;
        self.at = data.at;
        Ok(())
    }
}
