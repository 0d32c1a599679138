//! Combinations on disk: sorted runs in a file, and how several of them are read as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use crate::count::scratch::Scratch;

/// Bytes that are written at once, and the fewest that are read at once.
const WRITTEN: usize = 1 << 16;
const READ: u64 = 1 << 12;

/// Most bytes that are read at once.
const MOST_READ: u64 = 1 << 18;

/// A file of runs.
#[derive(Debug)]
pub(crate) struct ScratchFile<'s> {
    scratch: &'s Scratch,
    file: File,
    /// Where the next run begins. Relaxed: each run has its own place, and is read by whoever has been told of it.
    end: AtomicU64,
}

/// A run: combinations in order of their keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortedRun {
    /// Its first byte in the file.
    at: u64,
    /// Its combinations.
    pub(crate) len: u64,
}

impl<'s> ScratchFile<'s> {
    pub(crate) fn new(scratch: &'s Scratch) -> Result<Self, SweepEnd> {
        let file = scratch.file().map_err(|error| fail(scratch, &error))?;
        Ok(ScratchFile {
            scratch,
            file,
            end: AtomicU64::new(0),
        })
    }

    /// Writes combinations, of which at most `most` come, in order.
    pub(crate) fn write<K: Key, N: PathCount>(
        &self,
        most: u64,
        combinations: impl Iterator<Item = Result<(K, N), SweepEnd>>,
    ) -> Result<SortedRun, SweepEnd> {
        let size = (K::BYTES + N::BYTES) as u64;
        let at = self.end.fetch_add(most * size, Ordering::Relaxed);
        let mut run = SortedRun { at, len: 0 };
        let mut buffer = Vec::with_capacity(WRITTEN + size as usize);
        let mut to = at;
        let mut write = |buffer: &mut Vec<u8>| {
            let written = place::write(&self.file, buffer, to);
            to += buffer.len() as u64;
            buffer.clear();
            written.map_err(|error| fail(self.scratch, &error))
        };
        for combination in combinations {
            let (key, ways) = combination?;
            key.write(&mut buffer);
            ways.write(&mut buffer);
            run.len += 1;
            if buffer.len() >= WRITTEN {
                write(&mut buffer)?;
            }
        }
        write(&mut buffer)?;
        Ok(run)
    }
}

fn fail(scratch: &Scratch, error: &io::Error) -> SweepEnd {
    scratch.fail(error);
    SweepEnd::Scratch
}

/// Several runs, read as one: in order of their keys, the ways of equal ones added up.
#[derive(Debug)]
pub(crate) struct Merge<K, N> {
    readers: Vec<Reader>,
    /// The next combination of each run.
    heads: BinaryHeap<Reverse<(K, usize)>>,
    ways: Vec<N>,
}

/// A run that is being read.
#[derive(Debug)]
struct Reader {
    run: SortedRun,
    buffer: Vec<u8>,
    at: usize,
}

/// The number of runs that may be merged at once with buffers of `bytes` in all. It is never below 16, as merging a few runs at a time
/// would read and write everything many times.
pub(crate) fn most_runs(bytes: u64) -> usize {
    (bytes / READ).clamp(16, 1 << 12) as usize
}

impl<K: Key, N: PathCount> Merge<K, N> {
    /// Begins to read these runs, with buffers of about `bytes` in all.
    pub(crate) fn new(
        sheet: &ScratchFile<'_>,
        runs: &[SortedRun],
        bytes: u64,
    ) -> Result<Self, SweepEnd> {
        let each = bytes / runs.len().max(1) as u64;
        let size = K::BYTES + N::BYTES;
        let buffer = each.clamp(READ, MOST_READ) as usize / size * size;
        let mut merge = Merge {
            readers: Vec::with_capacity(runs.len()),
            heads: BinaryHeap::with_capacity(runs.len()),
            ways: vec![N::NONE; runs.len()],
        };
        for (i, &run) in runs.iter().enumerate() {
            merge.readers.push(Reader {
                run,
                buffer: Vec::with_capacity(buffer),
                at: 0,
            });
            merge.advance(sheet, i)?;
        }
        Ok(merge)
    }

    /// Takes up the next combination of a run.
    fn advance(&mut self, sheet: &ScratchFile<'_>, i: usize) -> Result<(), SweepEnd> {
        let reader = &mut self.readers[i];
        let size = K::BYTES + N::BYTES;
        if reader.at == reader.buffer.len() {
            let bytes = (reader.run.len * size as u64).min(reader.buffer.capacity() as u64);
            let bytes = bytes as usize / size * size;
            if bytes == 0 {
                reader.buffer = Vec::new();
                reader.at = 0;
                return Ok(());
            }
            reader.buffer.resize(bytes, 0);
            place::read(&sheet.file, &mut reader.buffer, reader.run.at)
                .map_err(|error| fail(sheet.scratch, &error))?;
            reader.run.at += bytes as u64;
            reader.run.len -= (bytes / size) as u64;
            reader.at = 0;
        }
        let next = &reader.buffer[reader.at..];
        self.heads.push(Reverse((K::read(next), i)));
        self.ways[i] = N::read(&next[K::BYTES..]);
        reader.at += size;
        Ok(())
    }

    /// The next combination, if there is one.
    pub(crate) fn next(&mut self, sheet: &ScratchFile<'_>) -> Result<Option<(K, N)>, SweepEnd> {
        let Some(Reverse((key, i))) = self.heads.pop() else {
            return Ok(None);
        };
        let mut sum = self.ways[i];
        self.advance(sheet, i)?;
        while let Some(&Reverse((other, i))) = self.heads.peek()
            && other == key
        {
            self.heads.pop();
            sum = sum.add(self.ways[i]).ok_or(SweepEnd::Overflow)?;
            self.advance(sheet, i)?;
        }
        Ok(Some((key, sum)))
    }
}

/// Reading and writing at a place of a file, which several threads may do at once.
mod place {
    use std::fs::File;
    use std::io;

    #[cfg(unix)]
    pub(crate) fn write(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
    }

    #[cfg(unix)]
    pub(crate) fn read(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
    }

    #[cfg(windows)]
    pub(crate) fn write(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
            bytes = &bytes[written..];
            at += written as u64;
        }
        Ok(())
    }

    #[cfg(windows)]
    pub(crate) fn read(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            bytes = &mut bytes[read..];
            at += read as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_runs_are_read_as_one() {
        let scratch = Scratch::new(std::env::temp_dir()).unwrap();
        let sheet = ScratchFile::new(&scratch).unwrap();
        let run = |step: usize| {
            let all = (0..20_000u64).step_by(step);
            sheet
                .write(20_000, all.map(|key| Ok((key, step as u64))))
                .unwrap()
        };
        let runs = [run(2), run(3), run(20_001), run(30_000)];
        // The fewest bytes, so that buffers are filled again and again.
        let mut merge = Merge::<u64, u64>::new(&sheet, &runs, 1).unwrap();
        for key in 0..20_000 {
            let divides = |step: u64| if key % step == 0 { step } else { 0 };
            let wanted = [2, 3, 20_001, 30_000].map(divides).iter().sum();
            if wanted > 0 {
                assert_eq!(merge.next(&sheet).unwrap(), Some((key, wanted)));
            }
        }
        assert_eq!(merge.next(&sheet).unwrap(), None);
        let large = [Ok((1, u64::MAX))];
        let large = sheet.write(1, large.into_iter()).unwrap();
        let overflow = Merge::<u64, u64>::new(&sheet, &[large, large], 1);
        assert_eq!(overflow.unwrap().next(&sheet), Err(SweepEnd::Overflow));
        assert!(scratch.error().is_none());
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let scratch = Scratch::new(std::env::temp_dir()).unwrap();
        let sheet = ScratchFile::new(&scratch).unwrap();
        let run = SortedRun { at: 1000, len: 1 };
        let merge = Merge::<u64, u64>::new(&sheet, &[run], 1);
        assert_eq!(merge.unwrap_err(), SweepEnd::Scratch);
        let folder = std::env::temp_dir().display().to_string();
        assert!(scratch.error().unwrap().to_string().starts_with(&folder));
    }
}
