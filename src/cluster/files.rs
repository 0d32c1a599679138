//! Files of the solutions of one cube each, as workers write them beside the results.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::digest::{Digest, SetDigest};
use super::record::UnitResult;
use crate::error::{Error, Result};
use crate::format::Solutions;
use crate::puzzle::Grid;
use crate::search::{Cube, Decision};
use crate::solutions::Count;

/// Bytes of a file that are read at a time.
const BUFFER_BYTES: usize = 1 << 18;

/// The file in this folder that the result of a cube names; `None` if there are no solutions. The file is read and checked: it has the
/// solutions that the result recorded, in the cube, and of the same `size` (width and height) as all solutions before, if there were any.
///
/// # Errors
///
/// [`Kind::Data`](crate::error::Kind::Data) when it has others, or the result names no file;
/// [`Kind::Io`](crate::error::Kind::Io) when the file cannot be read.
pub fn checked_file(
    folder: &Path,
    cube: &Cube,
    result: &UnitResult,
    size: &mut Option<(usize, usize)>,
) -> Result<Option<PathBuf>> {
    if result.count.is_zero() {
        return Ok(None);
    }
    let wrong = |message: &str| Error::data(format!("cube {}: {message}", result.id));
    let (Some(name), Some(expected)) = (&result.file, result.set) else {
        let message =
            "its solutions were counted but not written: answer it again with work --solutions-dir";
        return Err(wrong(message));
    };
    if !is_file_name(name) {
        return Err(wrong("its result names a file outside the folder"));
    }
    let path = folder.join(name);
    let bad = |message: &str| Error::data(message).in_file(&path.display().to_string());
    let (mut set, mut count) = (SetDigest::new(), Count::ZERO);
    for grid in read_solutions(&path)? {
        let grid = grid?;
        let own_size = (grid.width(), grid.height());
        if *size.get_or_insert(own_size) != own_size {
            return Err(bad("this solution has another size than those before it"));
        }
        if !is_in(&grid, cube) {
            return Err(bad("this file has a solution outside its cube"));
        }
        set.add(grid.words());
        count.add_one();
    }
    if count != result.count || set.digest() != expected {
        let message = "the solutions in this file differ from those that the result recorded";
        return Err(bad(message));
    }
    Ok(Some(path))
}

/// Whether this file lists the set of solutions with this digest.
pub fn lists_set(path: &Path, set: Digest) -> bool {
    let mut found = SetDigest::new();
    let whole = read_solutions(path).is_ok_and(|mut solutions| {
        solutions.all(|grid| grid.map(|grid| found.add(grid.words())).is_ok())
    });
    whole && found.digest() == set
}

/// The solutions in a file.
///
/// # Errors
///
/// [`Kind::Io`](crate::error::Kind::Io) when it cannot be opened.
pub fn read_solutions(path: &Path) -> Result<Solutions<BufReader<File>>> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| Error::io(&name, error))?;
    let input = BufReader::with_capacity(BUFFER_BYTES, file);
    Ok(Solutions::new(input, &name))
}

/// Whether a name, joined to a folder, is that of a file in the folder. Both separators are refused on every system, so that a record means
/// the same everywhere; `C:x` leaves the folder on Windows.
pub fn is_file_name(name: &str) -> bool {
    !name.contains(['/', '\\']) && Path::new(name).file_name() == Some(name.as_ref())
}

/// Whether a grid makes the decisions of a cube.
fn is_in(grid: &Grid, cube: &Cube) -> bool {
    cube.path.iter().all(|Decision { cell, filled }| {
        let (row, column) = cell.place();
        row < grid.height() && column < grid.width() && grid.get(row, column) == *filled
    })
}

#[cfg(test)]
mod tests {
    use super::is_file_name;

    /// Names were only searched for separators, so that on Windows `C:x` left the folder.
    #[test]
    fn a_record_names_a_file_inside_the_folder() {
        assert!(is_file_name("0123456789abcdef.txt"));
        for name in ["", ".", "..", "a/b", "a\\b", "/a", "a/", "a/."] {
            assert!(!is_file_name(name), "{name}");
        }
        assert_eq!(is_file_name("C:x"), cfg!(not(windows)));
    }
}
