//! The entropy-coded data of a JPEG file: Huffman codes, and the blocks that are passed over without making pixels of them (ITU-T T.81,
//! annexes C, F and G). Whether the data are all there is what counts.

/// Bytes behind the last block of a scan that do no harm. Some cameras leave a few there.
const SURPLUS: usize = 4;

/// What comes of passing over something.
pub(super) type Result<T> = std::result::Result<T, Fault>;

/// Why a picture is not whole.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// The file ends.
    Cut,
    /// There is something else where a piece of the picture should be.
    Damaged,
    /// This is for the decoder to say.
    Strange,
}

/// Which coefficients a scan codes, and whether it refines what an earlier one has coded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) refines: bool,
}

/// A Huffman code: for each length the first code beyond those of that length, in the upper bits of a word of 16, and the place of the last
/// symbol among all.
#[derive(Clone, Debug)]
pub(super) struct Huffman {
    beyond: [u32; 17],
    offset: [i32; 17],
    symbols: Vec<u8>,
}

/// Entropy-coded data, bit by bit, up to the next marker.
#[derive(Debug)]
pub(super) struct Data<'a> {
    bytes: &'a [u8],
    /// Where the next byte stands.
    pub(super) at: usize,
    /// The next bits, the first of them the highest of the lowest `count`.
    bits: u64,
    count: u32,
}

impl<'a> Data<'a> {
    /// The data that begin here.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Data {
            bytes,
            at,
            bits: 0,
            count: 0,
        }
    }

    /// The next byte, unless a marker or the end of the file comes.
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        if byte == 0xff {
            // A zero behind it tells it from a marker.
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

    /// Why there are no more bits.
    fn missing(&self) -> Fault {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default().iter();
        match rest.any(|&b| b != 0xff) {
            true => Fault::Damaged,
            false => Fault::Cut,
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
        let code = code.ok_or(Fault::Strange)?;
        if self.count < 16 {
            self.fill();
        }
        let next = match self.count {
            // What is missing is taken for zeros, and paid for below.
            0..16 => (self.bits << (16 - self.count)) as u32 & 0xffff,
            count => (self.bits >> (count - 16)) as u32 & 0xffff,
        };
        let length = (1..=16).find(|&length| next < code.beyond[length]);
        let length = length.ok_or(Fault::Damaged)?;
        self.take(length as u32)?;
        let place = (next >> (16 - length)) as i32 + code.offset[length];
        let symbol = code.symbols.get(place as usize);
        symbol.copied().ok_or(Fault::Damaged)
    }

    /// A block of a picture in one pass.
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

    /// The first coefficient of a block.
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

    /// How many blocks from here on have no more coefficients, after the symbol that says so.
    fn blocks(&mut self, size: usize) -> Result<usize> {
        Ok((1 << size) + self.take(size as u32)? as usize)
    }

    /// Coefficients of a block that are coded for the first time.
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

    /// One more bit for the coefficients of a block: for each that was not zero a bit comes in between.
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
                // The sign.
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

    /// The end of a scan or of a piece of it: no more data may come than fills the last byte, and what does no harm.
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
            if surplus > SURPLUS && !fill {
                return Err(Fault::Damaged);
            }
        }
        Ok(())
    }

    /// Passes over the restart marker of this number.
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
            None => Err(Fault::Cut),
        }
    }
}

impl Huffman {
    /// The code with `counts[i]` symbols of `i + 1` bits, for the symbols in this order.
    pub(super) fn new(counts: &[u8], symbols: &[u8]) -> Self {
        let mut code = Huffman {
            beyond: [0; 17],
            offset: [0; 17],
            symbols: symbols.to_vec(),
        };
        let (mut next, mut place) = (0_u32, 0);
        for (length, &count) in (1..=16).zip(counts) {
            code.offset[length] = place - next as i32;
            next += u32::from(count);
            place += i32::from(count);
            code.beyond[length] = next << (16 - length);
            next <<= 1;
        }
        code
    }
}
