//! The entropy-coded data of a JPEG file: Huffman codes, and blocks that are parsed without computing pixels (ITU-T T.81, annexes C, F
//! and G). The only purpose is to check that the data are complete.

/// Largest number of bytes after the last block of a scan that is tolerated. Some cameras leave a few there.
const MAX_SURPLUS_BYTES: usize = 4;

/// The result of parsing.
pub(super) type Result<T> = std::result::Result<T, Fault>;

/// Why a picture could not be parsed.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// The file ends too early.
    Truncated,
    /// The data are invalid.
    Damaged,
    /// A feature that is not supported here; the decoder decides.
    Unsupported,
}

/// The coefficients that a scan codes, from `start` to `end`, and whether it refines those of an earlier scan by one bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) refines: bool,
}

/// A Huffman code. For each length in bits, `beyond` is the first code above those of that length, left-aligned in 16 bits, and adding
/// `offset` to a code of that length gives the index of its symbol.
#[derive(Clone, Debug)]
pub(super) struct Huffman {
    beyond: [u32; 17],
    offset: [i32; 17],
    symbols: Vec<u8>,
}

/// Entropy-coded data, bit by bit, up to the next marker.
#[derive(Debug)]
pub(super) struct EntropyData<'a> {
    bytes: &'a [u8],
    /// Offset of the next byte.
    pub(super) at: usize,
    /// The next bits, in the lowest `count` bits of the word, the first one highest.
    bits: u64,
    count: u32,
}

impl<'a> EntropyData<'a> {
    /// The data that begin at offset `at`.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        EntropyData {
            bytes,
            at,
            bits: 0,
            count: 0,
        }
    }

    /// The next byte; `None` at a marker or the end of the file.
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        if byte == 0xff {
            // A zero after it distinguishes it from a marker.
            if self.bytes.get(self.at + 1) != Some(&0) {
                return None;
            }
            self.at += 1;
        }
        self.at += 1;
        Some(byte)
    }

    fn fill(&mut self) {
        while self.count <= 48 {
            let Some(byte) = self.byte() else { return };
            self.bits = self.bits << 8 | u64::from(byte);
            self.count += 8;
        }
    }

    /// The fault when there are no more bits.
    fn missing(&self) -> Fault {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default().iter();
        match rest.any(|&b| b != 0xff) {
            true => Fault::Damaged,
            false => Fault::Truncated,
        }
    }

    fn take(&mut self, count: u32) -> Result<u32> {
        if self.count < count {
            self.fill();
            if self.count < count {
                return Err(self.missing());
            }
        }
        self.count -= count;
        Ok((self.bits >> self.count) as u32 & ((1 << count) - 1))
    }

    fn symbol(&mut self, code: Option<&Huffman>) -> Result<u8> {
        let code = code.ok_or(Fault::Unsupported)?;
        if self.count < 16 {
            self.fill();
        }
        let next = match self.count {
            // Missing bits are read as zeros; `take` below fails if the symbol needs them.
            0..16 => (self.bits << (16 - self.count)) as u32 & 0xffff,
            count => (self.bits >> (count - 16)) as u32 & 0xffff,
        };
        let length = (1..=16).find(|&length| next < code.beyond[length]);
        let length = length.ok_or(Fault::Damaged)?;
        self.take(length as u32)?;
        let index = (next >> (16 - length)) as i32 + code.offset[length];
        let symbol = code.symbols.get(index as usize);
        symbol.copied().ok_or(Fault::Damaged)
    }

    /// Parses a block of a sequential picture.
    pub(super) fn sequential(
        &mut self,
        first: Option<&Huffman>,
        others: Option<&Huffman>,
    ) -> Result<()> {
        self.first(first, false)?;
        let mut k = 1;
        while k < 64 {
            let symbol = self.symbol(others)?;
            let (run, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            match (run, size) {
                (15, 0) => k += 16,
                (_, 0) => break,
                _ => {
                    k += run + 1;
                    if k > 64 {
                        return Err(Fault::Damaged);
                    }
                    self.take(size)?;
                }
            }
        }
        Ok(())
    }

    /// Parses the first coefficient of a block.
    pub(super) fn first(&mut self, code: Option<&Huffman>, refines: bool) -> Result<()> {
        let size = match refines {
            true => 1,
            false => u32::from(self.symbol(code)?),
        };
        match size {
            0..=16 => self.take(size).map(|_| ()),
            _ => Err(Fault::Damaged),
        }
    }

    /// Reads the number of blocks from the current one on that have no more coefficients, after the symbol that announces them.
    fn blocks(&mut self, size: usize) -> Result<usize> {
        Ok((1 << size) + self.take(size as u32)? as usize)
    }

    /// Parses the coefficients of a block in their first scan.
    pub(super) fn band(
        &mut self,
        code: Option<&Huffman>,
        band: Band,
        run: &mut usize,
        nonzero: &mut u64,
    ) -> Result<()> {
        if *run > 0 {
            *run -= 1;
            return Ok(());
        }
        let mut k = band.start;
        while k <= band.end {
            let symbol = self.symbol(code)?;
            let (zeros, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            match (zeros, size) {
                (15, 0) => k += 16,
                (zeros, 0) => {
                    *run = self.blocks(zeros)? - 1;
                    break;
                }
                _ => {
                    k += zeros;
                    if k > band.end {
                        return Err(Fault::Damaged);
                    }
                    self.take(size)?;
                    *nonzero |= 1 << k;
                    k += 1;
                }
            }
        }
        Ok(())
    }

    /// Parses one more bit of the coefficients of a block: correction bits of those that were already nonzero are interleaved.
    pub(super) fn refine(
        &mut self,
        code: Option<&Huffman>,
        band: Band,
        run: &mut usize,
        nonzero: &mut u64,
    ) -> Result<()> {
        let mut k = band.start;
        while *run == 0 && k <= band.end {
            let symbol = self.symbol(code)?;
            let (mut zeros, size) = (usize::from(symbol >> 4), symbol & 15);
            match (zeros, size) {
                (15, 0) => {}
                (zeros, 0) => {
                    *run = self.blocks(zeros)?;
                    break;
                }
                // The sign bit of a new coefficient.
                _ => drop(self.take(1)?),
            }
            while k <= band.end {
                if *nonzero >> k & 1 == 1 {
                    self.take(1)?;
                } else if zeros == 0 {
                    break;
                } else {
                    zeros -= 1;
                }
                k += 1;
            }
            if size > 0 {
                if k > band.end {
                    return Err(Fault::Damaged);
                }
                *nonzero |= 1 << k;
            }
            k += 1;
        }
        if *run > 0 {
            *run -= 1;
            for k in k..=band.end {
                if *nonzero >> k & 1 == 1 {
                    self.take(1)?;
                }
            }
        }
        Ok(())
    }

    /// Checks the end of a scan or restart interval: after the last byte, only a few surplus bytes, or equal fill bytes, may follow.
    pub(super) fn end(&mut self) -> Result<()> {
        self.count -= self.count % 8;
        let (mut surplus, mut fill) = (0, true);
        let mut first = None;
        loop {
            let byte = match self.count {
                0 => self.byte(),
                _ => Some(self.take(8)? as u8),
            };
            let Some(byte) = byte else { break };
            surplus += 1;
            fill &= [0, 0xff].contains(&byte) && *first.get_or_insert(byte) == byte;
            if surplus > MAX_SURPLUS_BYTES && !fill {
                return Err(Fault::Damaged);
            }
        }
        Ok(())
    }

    /// Parses the restart marker with this number.
    pub(super) fn restart(&mut self, number: u8) -> Result<()> {
        self.end()?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let fill = rest.iter().take_while(|&&b| b == 0xff).count();
        self.at += fill;
        match self.bytes.get(self.at) {
            Some(&marker) if fill > 0 && marker == 0xd0 + number => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(Fault::Damaged),
            None => Err(Fault::Truncated),
        }
    }
}

impl Huffman {
    /// The code with `counts[i]` codes of `i + 1` bits, for the symbols in this order.
    pub(super) fn new(counts: &[u8], symbols: &[u8]) -> Self {
        let mut code = Huffman {
            beyond: [0; 17],
            offset: [0; 17],
            symbols: symbols.to_vec(),
        };
        let (mut next, mut index) = (0_u32, 0);
        for (length, &count) in (1..=16).zip(counts) {
            code.offset[length] = index - next as i32;
            next += u32::from(count);
            index += i32::from(count);
            code.beyond[length] = next << (16 - length);
            next <<= 1;
        }
        code
    }
}
