//! Drafts: temporary files that hold an output until it is whole. A draft lies in the folder of the file that it will become, under a
//! hidden name that tells which file that is. Whatever ends the process, but SIGKILL and a failing machine, removes it: going out of
//! scope does, and the handler of signals removes those that are left.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

/// Where the drafts of this process are. Whoever makes, publishes or removes one holds the lock, so that none is made or published
/// while the handler of signals removes them.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Bytes of a file's name that the name of its draft repeats: file systems bound the length of names.
const REPEATED: usize = 180;

/// A temporary file.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    /// Closed when it is published or removed: not every system renames or removes an open file.
    file: Option<File>,
    /// Bytes of it that are whole.
    whole: u64,
}

impl Draft {
    /// A new one in the folder of `target`. Where it is to replace a file, nobody else may read it before it has that file's permissions.
    pub(super) fn beside(target: &Path, private: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        #[cfg(not(unix))]
        let _ = private;
        let mut drafts = DRAFTS.lock().unwrap_or_else(PoisonError::into_inner);
        // A process of the same number may have been killed here before.
        for attempt in 0.. {
            let path = name(target, attempt);
            match options.open(&path) {
                Ok(file) => {
                    drafts.push(path.clone());
                    return Ok(Draft {
                        path,
                        file: Some(file),
                        whole: 0,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {}
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Adds to it. What is torn off at its end when that fails goes away again.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let written = file.write_all(bytes);
        match written {
            Ok(()) => self.whole += bytes.len() as u64,
            Err(_) => {
                // Where this fails as well, so does publishing.
                let _ = file.set_len(self.whole);
            }
        }
        written
    }

    /// Gives it the name of its file. `replace`: in the place of whatever has that name, with the permissions and, where that is allowed,
    /// the owner of the file there. Otherwise what has come meanwhile is not replaced: the error is then [`io::ErrorKind::AlreadyExists`].
    ///
    /// Without hard links, as on FAT, an empty file claims the name first; somebody who writes to that one in the moment before it is
    /// replaced loses what he has written.
    pub(super) fn publish(&mut self, target: &Path, replace: bool) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            // It could not be published before.
            None => OpenOptions::new().write(true).open(&self.path)?,
        };
        if file.metadata()?.len() != self.whole {
            file.set_len(self.whole)?;
        }
        if replace && let Ok(old) = fs::metadata(target) {
            resemble(&file, &old)?;
            // Should the machine fail now, one of the two files must be whole.
            file.sync_all()?;
        }
        drop(file);
        let mut drafts = DRAFTS.lock().unwrap_or_else(PoisonError::into_inner);
        if replace {
            fs::rename(&self.path, target)?;
        } else {
            match fs::hard_link(&self.path, target) {
                Ok(()) => {
                    let _ = fs::remove_file(&self.path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
                Err(_) => {
                    OpenOptions::new()
                        .write(true)
                        .create_new(true)
                        .open(target)?;
                    if let Err(error) = fs::rename(&self.path, target) {
                        let _ = fs::remove_file(target);
                        return Err(error);
                    }
                }
            }
        }
        drafts.retain(|path| *path != self.path);
        self.path = PathBuf::new();
        Ok(())
    }

    /// Leaves it where it is, for its owner to find, and says where that is.
    pub(super) fn leave(mut self) -> PathBuf {
        let mut drafts = DRAFTS.lock().unwrap_or_else(PoisonError::into_inner);
        drafts.retain(|path| *path != self.path);
        mem::take(&mut self.path)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.path.as_os_str().is_empty() {
            return;
        }
        self.file = None;
        let mut drafts = DRAFTS.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = fs::remove_file(&self.path);
        drafts.retain(|path| *path != self.path);
    }
}

/// Removes all drafts of this process, which is to end now: none can be made or published any more. Does not wait for ever for a file
/// system that does not answer.
pub(super) fn remove_all() {
    for _ in 0..100 {
        let mut drafts = match DRAFTS.try_lock() {
            Ok(drafts) => drafts,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => {
                thread::sleep(Duration::from_millis(5));
                continue;
            }
        };
        for path in drafts.drain(..) {
            let _ = fs::remove_file(path);
        }
        mem::forget(drafts);
        return;
    }
}

/// `.all.txt-4711.part` for `all.txt`
fn name(target: &Path, attempt: u32) -> PathBuf {
    let own = target.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=REPEATED.min(own.len())).rfind(|&end| own.is_char_boundary(end));
    let own = &own[..end.unwrap_or(0)];
    let number = match attempt {
        0 => String::new(),
        more => format!("-{more}"),
    };
    target.with_file_name(OsString::from(format!(
        ".{own}-{}{number}.part",
        process::id()
    )))
}

/// Gives a file the permissions of another one, and its owner where that is allowed.
fn resemble(file: &File, old: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // First the owner: to change it takes special permissions away.
        if fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
            let _ = fchown(file, None, Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_hidden_beside_its_file() {
        let pid = process::id();
        let path = |target: &str, attempt| name(Path::new(target), attempt);
        assert_eq!(
            path("a/all.txt", 0),
            PathBuf::from(format!("a/.all.txt-{pid}.part"))
        );
        assert_eq!(path("all", 2), PathBuf::from(format!(".all-{pid}-2.part")));
        let long = "ä".repeat(127);
        let draft = path(&long, 0);
        assert!(draft.as_os_str().len() < 255);
    }
}
