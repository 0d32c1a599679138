//! Drafts: temporary files that hold an output until it is complete. A draft lies in the folder of its target file, under a hidden name
//! that contains the target's name. It is removed when it is dropped, and by the signal handler; only SIGKILL or a crash of the machine
//! can leave one behind.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use std::{mem, thread};

use tempfile::{NamedTempFile, PersistError};

/// The paths of this process's drafts, some of which may be dropped. A thread that creates or publishes a draft holds the lock, so that
/// none is created or published while the signal handler removes them.
static DRAFTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn drafts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Most characters of the target's name in the name of its draft: file systems limit the length of names to 255 bytes.
const MAX_NAME_CHARS: usize = 60;

#[derive(Debug)]
pub(super) struct Draft {
    file: NamedTempFile,
    /// Bytes written by complete calls of [`write`](Draft::write).
    written: u64,
}

impl Draft {
    /// Creates a draft in the folder of `target`, such as `.all.txt-k3Xw9q.part` for `all.txt`. `private`: only the owner may read it, as
    /// it is to replace a file whose permissions it does not have yet.
    pub(super) fn create_beside(target: &Path, private: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        #[cfg(not(unix))]
        let _ = private;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let shortened: String = name.chars().take(MAX_NAME_CHARS).collect();
        let mut drafts = drafts();
        let file = tempfile::Builder::new()
            .prefix(&format!(".{shortened}-"))
            .suffix(".part")
            .make_in(target.parent().unwrap_or(Path::new("")), |path| {
                options.open(path)
            })?;
        drafts.insert(file.path().to_owned());
        Ok(Draft { file, written: 0 })
    }

    /// Appends to the draft. If that fails, the bytes of this call that were written are cut off again.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(bytes);
        if written.is_ok() {
            self.written += bytes.len() as u64;
        } else {
            // If this fails too, `complete` tries again and returns the error.
            let _ = self.file.as_file().set_len(self.written);
        }
        written
    }

    /// Moves the draft to its target. `replace`: an existing target is replaced, and the draft takes its permissions and, where that is
    /// allowed, its owner. Otherwise an existing target gives the error [`io::ErrorKind::AlreadyExists`].
    ///
    /// On file systems without hard links, such as FAT, an empty file claims the name first; what another process writes to that file
    /// before it is replaced is lost.
    pub(super) fn publish(self, target: &Path, replace: bool) -> Result<(), (io::Error, Self)> {
        if let Err(error) = self.complete(target, replace) {
            return Err((error, self));
        }
        let Draft { file, written } = self;
        let path = file.path().to_owned();
        let mut drafts = drafts();
        let moved = if replace {
            file.persist(target)
        } else {
            file.persist_noclobber(target).or_else(|failed| {
                if failed.error.kind() == io::ErrorKind::AlreadyExists {
                    return Err(failed);
                }
                if let Err(error) = File::create_new(target) {
                    let file = failed.file;
                    return Err(PersistError { error, file });
                }
                let moved = failed.file.persist(target);
                moved.inspect_err(|_| drop(fs::remove_file(target)))
            })
        };
        match moved {
            Ok(_) => {
                drafts.remove(&path);
                Ok(())
            }
            Err(PersistError { error, file }) => Err((error, Draft { file, written })),
        }
    }

    /// Cuts off what a failed write has left, and prepares the draft to replace an existing target.
    fn complete(&self, target: &Path, replace: bool) -> io::Result<()> {
        let file = self.file.as_file();
        if file.metadata()?.len() != self.written {
            file.set_len(self.written)?;
        }
        if replace && let Ok(old) = fs::metadata(target) {
            copy_permissions(file, &old)?;
            // If the machine crashes during the rename, the old or the new file must be complete.
            file.sync_all()?;
        }
        Ok(())
    }

    /// Keeps the draft as a file under its temporary name, and returns its path.
    pub(super) fn keep(mut self) -> PathBuf {
        let path = self.file.path().to_owned();
        drafts().remove(&path);
        self.file.disable_cleanup(true);
        path
    }
}

/// Removes all drafts of this process, which ends now: the lock is never released, so that no draft can be created or published any more.
/// Waits at most half a second for the lock, in case a thread holds it while the file system does not respond.
pub(super) fn remove_all() {
    for _ in 0..100 {
        let drafts = match DRAFTS.try_lock() {
            Ok(drafts) => drafts,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => {
                thread::sleep(Duration::from_millis(5));
                continue;
            }
        };
        for path in drafts.iter() {
            let _ = fs::remove_file(path);
        }
        mem::forget(drafts);
        return;
    }
}

/// Copies the permissions of `old` to a file, and its owner where that is allowed.
fn copy_permissions(file: &File, old: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // The owner comes first: changing it clears the setuid and setgid bits.
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
    fn the_name_of_a_draft_is_not_too_long() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("ä".repeat(127));
        assert!(Draft::create_beside(&target, true).is_ok());
    }
}
