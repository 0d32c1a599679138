//! Drafts: temporary files that hold an output until it is complete. A draft lies in the folder of its target file, under a hidden name
//! that contains the target's name. It is removed when it is dropped, and by the signal handler; only SIGKILL or a crash of the machine
//! can leave one behind.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

/// The paths of this process's drafts. A thread that creates, publishes or removes a draft holds the lock, so that none is created or
/// published while the signal handler removes them.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Most bytes of the target's name in the name of its draft: file systems limit the length of names.
const MAX_NAME_BYTES: usize = 180;

/// A temporary file.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    /// Closed before the draft is published or removed: not every system renames or removes an open file.
    file: Option<File>,
    /// Bytes written by complete calls of [`write`](Draft::write).
    written: u64,
}

impl Draft {
    /// Creates a draft in the folder of `target`. `private`: only the owner may read it, as it is to replace a file whose permissions it
    /// does not have yet.
    pub(super) fn create_beside(target: &Path, private: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        #[cfg(not(unix))]
        let _ = private;
        let mut drafts = DRAFTS.lock().unwrap_or_else(PoisonError::into_inner);
        // A killed process with the same process id may have left a draft of this name.
        for attempt in 0.. {
            let path = draft_path(target, attempt);
            match options.open(&path) {
                Ok(file) => {
                    drafts.push(path.clone());
                    return Ok(Draft {
                        path,
                        file: Some(file),
                        written: 0,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {}
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last attempt returns an error")
    }

    /// Appends to the draft. If that fails, the bytes of this call that were written are cut off again.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let written = file.write_all(bytes);
        match written {
            Ok(()) => self.written += bytes.len() as u64,
            Err(_) => {
                // If this fails too, `publish` tries again and returns the error.
                let _ = file.set_len(self.written);
            }
        }
        written
    }

    /// Moves the draft to its target. `replace`: an existing target is replaced, and the draft takes its permissions and, where that is
    /// allowed, its owner. Otherwise an existing target gives the error [`io::ErrorKind::AlreadyExists`].
    ///
    /// On file systems without hard links, such as FAT, an empty file claims the name first; what another process writes to that file
    /// before it is replaced is lost.
    pub(super) fn publish(&mut self, target: &Path, replace: bool) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            // An earlier attempt to publish it failed.
            None => OpenOptions::new().write(true).open(&self.path)?,
        };
        if file.metadata()?.len() != self.written {
            file.set_len(self.written)?;
        }
        if replace && let Ok(old) = fs::metadata(target) {
            copy_permissions(&file, &old)?;
            // If the machine crashes during the rename, the old or the new file must be complete.
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

    /// Keeps the draft as a file under its temporary name, and returns its path.
    pub(super) fn keep(mut self) -> PathBuf {
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

/// Removes all drafts of this process, which ends now: the lock is never released, so that no draft can be created or published any more.
/// Waits at most half a second for the lock, in case a thread holds it while the file system does not respond.
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

/// The path of a draft: `.all.txt-4711.part` for `all.txt` in process 4711.
fn draft_path(target: &Path, attempt: u32) -> PathBuf {
    let own = target.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=MAX_NAME_BYTES.min(own.len())).rfind(|&end| own.is_char_boundary(end));
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
    fn a_draft_is_hidden_beside_its_file() {
        let pid = process::id();
        let path = |target: &str, attempt| draft_path(Path::new(target), attempt);
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
