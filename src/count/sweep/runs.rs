//! Combinations on disk: sorted runs in a scratch file, and their merging.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use crate::count::scratch::Scratch;

/// Bytes that are written at once.
const WRITE_BYTES: usize = 1 << 16;

/// Bounds on the bytes that are read at once.
const MIN_READ_BYTES: u64 = 1 << 12;
const MAX_READ_BYTES: u64 = 1 << 18;

/// A file of runs.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    scratch: Scratch,
    file: File,
    /// Where the next run begins. Relaxed: runs do not overlap, and the way in which a run gets from its writer to its reader synchronises
    /// these threads.
    end: AtomicU64,
}

/// A run: combinations with their path counts, sorted by key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortedRun {
    /// Its first byte in the file.
    at: u64,
    /// Number of its combinations.
    pub(crate) len: u64,
}

impl ScratchFile {
    pub(crate) fn new(scratch: &Scratch) -> Result<Self, SweepEnd> {
        let file = scratch.file().map_err(|error| fail(scratch, error))?;
        Ok(ScratchFile {
            scratch: scratch.share(),
            file,
            end: AtomicU64::new(0),
        })
    }

    /// Writes a run of at most `max_len` combinations, which must come sorted by key.
    pub(crate) fn write<K: Key, N: PathCount>(
        &self,
        max_len: u64,
        combinations: impl Iterator<Item = Result<(K, N), SweepEnd>>,
    ) -> Result<SortedRun, SweepEnd> {
        let size = (K::BYTES + N::BYTES) as u64;
        let at = self.end.fetch_add(max_len * size, Ordering::Relaxed);
        let mut run = SortedRun { at, len: 0 };
        let mut buffer = Vec::with_capacity(WRITE_BYTES + size as usize);
        let mut to = at;
        let mut write = |buffer: &mut Vec<u8>| {
            let written = positioned::write(&self.file, buffer, to);
            to += buffer.len() as u64;
            buffer.clear();
            written.map_err(|error| fail(&self.scratch, error))
        };
        for combination in combinations {
            let (key, paths) = combination?;
            key.write(&mut buffer);
            paths.write(&mut buffer);
            run.len += 1;
            if buffer.len() >= WRITE_BYTES {
                write(&mut buffer)?;
            }
        }
        write(&mut buffer)?;
        Ok(run)
    }
}

fn fail(scratch: &Scratch, error: io::Error) -> SweepEnd {
    scratch.fail(error);
    SweepEnd::Scratch
}

/// Merges several runs into one sequence, sorted by key, where the path counts of equal combinations are added up.
#[derive(Debug)]
pub(crate) struct Merge<K, N> {
    readers: Vec<Reader>,
    /// The next combination of each run.
    heads: BinaryHeap<Reverse<(K, usize)>>,
    paths: Vec<N>,
}

/// A run that is being read.
#[derive(Debug)]
struct Reader {
    run: SortedRun,
    buffer: Vec<u8>,
    at: usize,
}

/// The number of runs that are merged at once with buffers of `bytes` bytes in all. It is at least 16, as merging fewer runs at a time
/// would read and write everything many times.
pub(crate) fn max_merged_runs(bytes: u64) -> usize {
    (bytes / MIN_READ_BYTES).clamp(16, 1 << 12) as usize
}

impl<K: Key, N: PathCount> Merge<K, N> {
    /// Begins to read these runs, with buffers of about `bytes` bytes in all.
    pub(crate) fn new(
        scratch_file: &ScratchFile,
        runs: &[SortedRun],
        bytes: u64,
    ) -> Result<Self, SweepEnd> {
        let each = bytes / runs.len().max(1) as u64;
        let size = K::BYTES + N::BYTES;
        let buffer = each.clamp(MIN_READ_BYTES, MAX_READ_BYTES) as usize / size * size;
        let mut merge = Merge {
            readers: Vec::with_capacity(runs.len()),
            heads: BinaryHeap::with_capacity(runs.len()),
            paths: vec![N::NONE; runs.len()],
        };
        for (i, &run) in runs.iter().enumerate() {
            merge.readers.push(Reader {
                run,
                buffer: Vec::with_capacity(buffer),
                at: 0,
            });
            merge.advance(scratch_file, i)?;
        }
        Ok(merge)
    }

    /// Reads the next combination of a run into `heads`, if there is one.
    fn advance(&mut self, scratch_file: &ScratchFile, i: usize) -> Result<(), SweepEnd> {
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
            positioned::read(&scratch_file.file, &mut reader.buffer, reader.run.at)
                .map_err(|error| fail(&scratch_file.scratch, error))?;
            reader.run.at += bytes as u64;
            reader.run.len -= (bytes / size) as u64;
            reader.at = 0;
        }
        let next = &reader.buffer[reader.at..];
        self.heads.push(Reverse((K::read(next), i)));
        self.paths[i] = N::read(&next[K::BYTES..]);
        reader.at += size;
        Ok(())
    }

    /// The next combination with its path count; `None` at the end.
    pub(crate) fn next(&mut self, scratch_file: &ScratchFile) -> Result<Option<(K, N)>, SweepEnd> {
        let Some(Reverse((key, i))) = self.heads.pop() else {
            return Ok(None);
        };
        let mut sum = self.paths[i];
        self.advance(scratch_file, i)?;
        while let Some(&Reverse((other, i))) = self.heads.peek()
            && other == key
        {
            self.heads.pop();
            sum = sum.add(self.paths[i]).ok_or(SweepEnd::Overflow)?;
            self.advance(scratch_file, i)?;
        }
        Ok(Some((key, sum)))
    }
}

/// Reading and writing at an offset of a file, which several threads may do at once.
mod positioned {
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
    fn merging_adds_up_the_path_counts_of_equal_keys() {
        let scratch = Scratch::new(std::env::temp_dir()).unwrap();
        let scratch_file = ScratchFile::new(&scratch).unwrap();
        let run = |step: usize| {
            let all = (0..20_000u64).step_by(step);
            scratch_file
                .write(20_000, all.map(|key| Ok((key, step as u64))))
                .unwrap()
        };
        let runs = [run(2), run(3), run(20_001), run(30_000)];
        // With 1 byte the buffers are as small as possible, so they are filled many times.
        let mut merge = Merge::<u64, u64>::new(&scratch_file, &runs, 1).unwrap();
        for key in 0..20_000 {
            let divides = |step: u64| if key % step == 0 { step } else { 0 };
            let wanted = [2, 3, 20_001, 30_000].map(divides).iter().sum();
            if wanted > 0 {
                assert_eq!(merge.next(&scratch_file).unwrap(), Some((key, wanted)));
            }
        }
        assert_eq!(merge.next(&scratch_file).unwrap(), None);
        // A run begins behind the room of the one before.
        assert_eq!(runs.map(|run| run.at / 16), [0, 20_000, 40_000, 60_000]);
        let large = [Ok((1, u64::MAX))];
        let large = scratch_file.write(1, large.into_iter()).unwrap();
        let overflow = Merge::<u64, u64>::new(&scratch_file, &[large, large], 1);
        assert_eq!(
            overflow.unwrap().next(&scratch_file),
            Err(SweepEnd::Overflow)
        );
        assert!(scratch.error().is_none());
    }

    #[test]
    fn reading_beyond_the_end_is_an_error() {
        let scratch = Scratch::new(std::env::temp_dir()).unwrap();
        let scratch_file = ScratchFile::new(&scratch).unwrap();
        let run = SortedRun { at: 1000, len: 1 };
        let merge = Merge::<u64, u64>::new(&scratch_file, &[run], 1);
        assert_eq!(merge.unwrap_err(), SweepEnd::Scratch);
        let folder = std::env::temp_dir().display().to_string();
        assert!(scratch.error().unwrap().to_string().starts_with(&folder));
    }

    #[test]
    fn at_least_16_runs_are_merged_at_once() {
        assert_eq!(max_merged_runs(0), 16);
        assert_eq!(max_merged_runs(100 * MIN_READ_BYTES), 100);
        assert_eq!(max_merged_runs(u64::MAX), 4096);
    }
}
