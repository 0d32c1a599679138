//! The table of formats: the name of each, the functions that recognise, read and write it, and the metadata that it can hold. Format
//! names, detection, and the report of what is lost in writing all use this table.

use super::contents::Contents;
use super::image_type::{ImageType, looks_like};
use super::picture::{Grey, TraceOptions};
use super::{
    cwd, g, gno, image, json, mk, nin, non, pattern, picross, pnm, pynogram, rosetta, text,
    tournament, webpbn,
};
use crate::error::{Error, Result};
use crate::puzzle::{Grid, Notes, Puzzle, verify};

/// A format of files.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// A description for users.
    pub title: &'static str,
    /// File name extensions, the usual one first.
    pub endings: &'static [&'static str],
    /// Whether files with these extensions always hold puzzles, so that folders can be searched for them.
    pub puzzles_only: bool,
    pub(super) kind: Kind,
    holds: Capacity,
    /// The text around a puzzle that is alone in its file.
    single: Frame,
    /// The text around several puzzles, if a file can hold them.
    pack: Option<Frame>,
}

/// The functions that recognise, read and write files of a format.
#[derive(Debug)]
pub(super) enum Kind {
    Text {
        looks_like: fn(&str) -> bool,
        read: for<'a> fn(&'a str) -> Contents<'a>,
        write: fn(&Puzzle) -> Result<String>,
    },
    /// A picture, which becomes the goal of its puzzle.
    Picture {
        looks_like: fn(&[u8]) -> bool,
        read: fn(&[u8], &TraceOptions) -> Result<Grey>,
        write: Option<Draw>,
    },
}

/// Writes a picture as a file.
type Draw = fn(&Grid) -> Result<Vec<u8>>;

/// The metadata that a format can hold beside the clues.
#[derive(Debug)]
struct Capacity {
    title: FieldText,
    author: FieldText,
    copyright: FieldText,
    license: FieldText,
    catalogue: FieldText,
    goal: bool,
}

/// The texts that a field of a format can hold.
#[derive(Clone, Copy, Debug)]
enum FieldText {
    None,
    /// One line that is not empty, without blanks around it, and does not begin with a bracket.
    Line,
    /// As [`FieldText::Line`], but not this text, which stands for none.
    LineExcept(&'static str),
    /// Characters that XML allows, without blanks around them.
    Xml,
    Any,
}

/// The text before the first puzzle of a file, before the `k`-th, and after the last one.
#[derive(Debug)]
struct Frame {
    open: &'static str,
    before: fn(usize) -> String,
    close: &'static str,
}

const NOTHING: Capacity = Capacity {
    title: FieldText::None,
    author: FieldText::None,
    copyright: FieldText::None,
    license: FieldText::None,
    catalogue: FieldText::None,
    goal: false,
};

const ALL: Capacity = Capacity {
    title: FieldText::Any,
    author: FieldText::Any,
    copyright: FieldText::Any,
    license: FieldText::Any,
    catalogue: FieldText::Any,
    goal: true,
};

const GOAL: Capacity = Capacity {
    goal: true,
    ..NOTHING
};

/// No text around a puzzle.
const BARE: Frame = Frame {
    open: "",
    before: |_| String::new(),
    close: "",
};

/// A blank line between two puzzles.
const BLANK_SEPARATED: Frame = Frame {
    before: |k| {
        if k > 1 {
            "\n".to_owned()
        } else {
            String::new()
        }
    },
    ..BARE
};

const PUZZLESET: Frame = Frame {
    open: webpbn::OPEN,
    close: webpbn::CLOSE,
    ..BARE
};

const NUMBERED: Frame = Frame {
    before: tournament::head,
    ..BARE
};

/// The row of an image format.
macro_rules! image {
    ($name:literal, $title:literal, $endings:expr, $image:expr, $write:expr) => {
        Format {
            name: $name,
            title: $title,
            endings: &$endings,
            puzzles_only: false,
            kind: Kind::Picture {
                looks_like: |bytes| looks_like(bytes, $image),
                read: |bytes, tracing| image::read(bytes, $image, tracing),
                write: $write,
            },
            holds: GOAL,
            single: BARE,
            pack: None,
        }
    };
}

/// All formats. If a text looks like several, the extension of its file decides, or else the first of them is taken.
pub static FORMATS: &[Format] = &[
    Format {
        name: "json",
        title: "JSON: rows and columns as lists of lists",
        endings: &["json"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: json::looks_like,
            read: json::read,
            write: |puzzle| Ok(json::write(puzzle)),
        },
        holds: ALL,
        single: BARE,
        pack: Some(Frame {
            open: "[\n",
            before: |k| {
                if k > 1 {
                    ",\n".to_owned()
                } else {
                    String::new()
                }
            },
            close: "]\n",
        }),
    },
    Format {
        name: "webpbn",
        title: "the XML of webpbn.com and pbnsolve",
        endings: &["xml", "pbn"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: webpbn::looks_like,
            read: webpbn::read,
            write: webpbn::write,
        },
        holds: Capacity {
            title: FieldText::Xml,
            author: FieldText::Xml,
            copyright: FieldText::Xml,
            catalogue: FieldText::Xml,
            ..GOAL
        },
        single: PUZZLESET,
        pack: Some(PUZZLESET),
    },
    Format {
        name: "picross",
        title: "the GRID text of picross-solver",
        endings: &["txt"],
        puzzles_only: false,
        kind: Kind::Text {
            looks_like: picross::looks_like,
            read: picross::read,
            write: picross::write,
        },
        holds: Capacity {
            title: FieldText::Line,
            ..NOTHING
        },
        single: BARE,
        pack: Some(BLANK_SEPARATED),
    },
    Format {
        name: "gno",
        title: "gnonograms",
        endings: &["gno"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: gno::looks_like,
            read: gno::read,
            write: gno::write,
        },
        holds: Capacity {
            title: FieldText::LineExcept(gno::UNTITLED),
            author: FieldText::Line,
            license: FieldText::Line,
            ..GOAL
        },
        single: BARE,
        pack: None,
    },
    Format {
        name: "toml",
        title: "nonogrid's TOML",
        endings: &["toml"],
        puzzles_only: false,
        kind: Kind::Text {
            looks_like: pynogram::looks_like_toml,
            read: pynogram::read_toml,
            write: pynogram::write_toml,
        },
        holds: NOTHING,
        single: BARE,
        pack: None,
    },
    Format {
        name: "ini",
        title: "pynogram's INI",
        endings: &["ini", "txt"],
        puzzles_only: false,
        kind: Kind::Text {
            looks_like: pynogram::looks_like_ini,
            read: pynogram::read_ini,
            write: pynogram::write_ini,
        },
        holds: NOTHING,
        single: BARE,
        pack: None,
    },
    Format {
        name: "tournament",
        title: "the $n text of the TAAI, TCGA and ICGA tournaments; square puzzles",
        endings: &["txt"],
        puzzles_only: false,
        kind: Kind::Text {
            looks_like: tournament::looks_like,
            read: tournament::read,
            write: tournament::write,
        },
        holds: NOTHING,
        single: NUMBERED,
        pack: Some(NUMBERED),
    },
    Format {
        name: "pattern",
        title: "game IDs of Pattern in Simon Tatham's collection",
        endings: &["pattern", "txt"],
        puzzles_only: false,
        kind: Kind::Text {
            looks_like: pattern::looks_like,
            read: pattern::read,
            write: pattern::write,
        },
        holds: NOTHING,
        single: BARE,
        pack: Some(BARE),
    },
    Format {
        name: "mk",
        title: "the short format of Olšák's grid",
        endings: &["mk"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: mk::looks_like,
            read: mk::read,
            write: mk::write,
        },
        holds: NOTHING,
        single: BARE,
        pack: None,
    },
    Format {
        name: "nin",
        title: "Wilk's nonogram and compatible solvers",
        endings: &["nin"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: nin::looks_like,
            read: nin::read,
            write: nin::write,
        },
        holds: NOTHING,
        single: BARE,
        pack: None,
    },
    Format {
        name: "cwd",
        title: "QNonograms",
        endings: &["cwd"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: cwd::looks_like,
            read: cwd::read,
            write: cwd::write,
        },
        holds: NOTHING,
        single: BARE,
        pack: None,
    },
    Format {
        name: "rosetta",
        title: "letters, as in the Rosetta Code task; no empty lines, blocks up to 26",
        endings: &["txt"],
        puzzles_only: false,
        kind: Kind::Text {
            looks_like: rosetta::looks_like,
            read: rosetta::read,
            write: rosetta::write,
        },
        holds: NOTHING,
        single: BARE,
        pack: Some(BLANK_SEPARATED),
    },
    Format {
        name: "non",
        title: "Simpson's .non, with the goals of pbnsolve and the packs of nonogram-db",
        endings: &["non", "nonpack"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: non::looks_like,
            read: non::read,
            write: |puzzle| Ok(non::write(puzzle)),
        },
        holds: ALL,
        single: BARE,
        pack: Some(Frame {
            before: |k| {
                if k > 1 {
                    "====\n".to_owned()
                } else {
                    String::new()
                }
            },
            ..BARE
        }),
    },
    Format {
        name: "g",
        title: "the general format of Olšák's grid, in black and white",
        endings: &["g"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: g::looks_like,
            read: g::read,
            write: g::write,
        },
        holds: NOTHING,
        single: BARE,
        pack: None,
    },
    Format {
        name: "text",
        title: "pictures in rows of # and ., as solve and enumerate print them",
        endings: &["txt"],
        puzzles_only: false,
        kind: Kind::Text {
            looks_like: text::looks_like,
            read: text::read,
            write: |puzzle| Ok(picture(puzzle)?.to_string()),
        },
        holds: GOAL,
        single: BARE,
        pack: Some(BLANK_SEPARATED),
    },
    Format {
        name: "pbm",
        title: "PBM, one bit per pixel",
        endings: &["pbm", "pnm"],
        puzzles_only: false,
        kind: Kind::Picture {
            looks_like: pnm::looks_like_raw,
            read: pnm::read_bits,
            write: Some(pnm::write_raw),
        },
        holds: GOAL,
        single: BARE,
        pack: None,
    },
    Format {
        name: "pbm-plain",
        title: "PBM, one digit per pixel",
        endings: &["pbm", "pnm"],
        puzzles_only: false,
        kind: Kind::Picture {
            looks_like: pnm::looks_like_plain,
            read: pnm::read_bits,
            write: Some(pnm::write_plain),
        },
        holds: GOAL,
        single: BARE,
        pack: None,
    },
    Format {
        name: "pgm",
        title: "PGM, greys",
        endings: &["pgm", "pnm"],
        puzzles_only: false,
        kind: Kind::Picture {
            looks_like: pnm::looks_like_grey,
            read: pnm::read_grey,
            write: None,
        },
        holds: GOAL,
        single: BARE,
        pack: None,
    },
    Format {
        name: "ppm",
        title: "PPM, colours",
        endings: &["ppm", "pnm"],
        puzzles_only: false,
        kind: Kind::Picture {
            looks_like: pnm::looks_like_colour,
            read: pnm::read_colour,
            write: None,
        },
        holds: GOAL,
        single: BARE,
        pack: None,
    },
    image!(
        "png",
        "PNG image",
        ["png"],
        ImageType::Png,
        Some(|grid| image::write(grid, ImageType::Png))
    ),
    image!(
        "gif",
        "GIF image",
        ["gif"],
        ImageType::Gif,
        Some(|grid| image::write(grid, ImageType::Gif))
    ),
    image!(
        "bmp",
        "BMP image",
        ["bmp"],
        ImageType::Bmp,
        Some(|grid| image::write(grid, ImageType::Bmp))
    ),
    image!(
        "webp",
        "WebP image",
        ["webp"],
        ImageType::WebP,
        Some(|grid| image::write(grid, ImageType::WebP))
    ),
    image!("jpeg", "JPEG image", ["jpg", "jpeg"], ImageType::Jpeg, None),
];

impl Format {
    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format of this file name extension, in any case of letters. `None` for `.txt`, which several formats use.
    pub fn of_ending(ending: &str) -> Option<&'static Format> {
        let mut formats = FORMATS.iter().filter(|format| format.has_ending(ending));
        formats.find(|_| !ending.eq_ignore_ascii_case("txt"))
    }

    /// Whether its files may have this extension.
    pub fn has_ending(&self, ending: &str) -> bool {
        self.endings
            .iter()
            .any(|known| known.eq_ignore_ascii_case(ending))
    }

    /// Whether it is a picture format.
    pub fn is_picture(&self) -> bool {
        matches!(self.kind, Kind::Picture { .. })
    }

    /// Whether it can be written.
    pub fn can_write(&self) -> bool {
        !matches!(self.kind, Kind::Picture { write: None, .. })
    }

    /// Whether a file can hold several puzzles.
    pub fn holds_several(&self) -> bool {
        self.pack.is_some()
    }

    /// The puzzle with the metadata that a file can hold, and the names of what is lost, for messages.
    pub fn kept(&self, puzzle: &Puzzle) -> (Puzzle, Vec<String>) {
        let notes = puzzle.notes();
        let mut lost = Vec::new();
        let mut keep = |name, value: &Option<String>, place: FieldText| {
            let kept = value.as_deref().and_then(|value| place.fitting(value));
            match (&kept, value) {
                (Some(kept), Some(value)) if kept != value => {
                    lost.push(format!("all of the {name}"))
                }
                (None, Some(value)) if !value.trim().is_empty() => lost.push(format!("the {name}")),
                _ => {}
            }
            kept
        };
        let holds = &self.holds;
        let kept = Notes {
            title: keep("title", &notes.title, holds.title),
            author: keep("author", &notes.author, holds.author),
            copyright: keep("copyright", &notes.copyright, holds.copyright),
            license: keep("licence", &notes.license, holds.license),
            catalogue: keep("catalogue number", &notes.catalogue, holds.catalogue),
            goal: notes.goal.clone().filter(|_| holds.goal),
        };
        if notes.goal.is_some() && !holds.goal {
            lost.push("the goal".to_owned());
        }
        let bare = puzzle.clone().with_notes(kept);
        (
            bare.expect("the goal was valid for this puzzle before"),
            lost,
        )
    }

    /// A file of this one puzzle. Metadata that the format cannot hold are left out; [`Format::kept`] lists them.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the format cannot hold the puzzle itself: a picture needs a goal that is a solution,
    /// and some formats have no way to write some clues.
    pub fn write(&self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        framed(&self.single, 1, self.bare(puzzle)?).map(|mut bytes| {
            bytes.extend(self.single.close.bytes());
            bytes
        })
    }

    /// A writer for a file of several puzzles, if the format supports them.
    pub fn pack(&'static self) -> Option<Pack> {
        let frame = self.pack.as_ref()?;
        Some(Pack {
            format: self,
            frame,
            written: 0,
        })
    }

    /// The puzzle without the text around it.
    fn bare(&self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        match self.kind {
            Kind::Text { write, .. } => write(&self.kept(puzzle).0).map(String::into_bytes),
            Kind::Picture {
                write: Some(write), ..
            } => write(picture(puzzle)?),
            Kind::Picture { write: None, .. } => {
                Err(Error::data(format!("{} can only be read", self.title)))
            }
        }
    }
}

/// The goal of a puzzle, if it is a solution.
fn picture(puzzle: &Puzzle) -> Result<&Grid> {
    let goal = puzzle.notes().goal.as_ref();
    let none = || Error::data("this puzzle gives no goal, which would be the picture");
    let goal = goal.ok_or_else(none)?;
    let wrong = |mismatch| {
        Error::data(format!(
            "its goal, the picture, is not a solution: {mismatch}"
        ))
    };
    verify(puzzle, goal).map_err(wrong)?;
    Ok(goal)
}

/// Writes a file of several puzzles, one at a time.
#[derive(Debug)]
pub struct Pack {
    format: &'static Format,
    frame: &'static Frame,
    written: usize,
}

impl Pack {
    /// The bytes to append to the file for one more puzzle.
    ///
    /// # Errors
    ///
    /// As [`Format::write`]; the puzzle is then skipped, and others can still be added.
    pub fn add(&mut self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        let bytes = framed(self.frame, self.written + 1, self.format.bare(puzzle)?)?;
        self.written += 1;
        Ok(bytes)
    }

    /// Whether a puzzle has been added.
    pub fn has_begun(&self) -> bool {
        self.written > 0
    }

    /// The end of the file, after at least one puzzle.
    pub fn end(self) -> &'static str {
        self.frame.close
    }
}

/// The `k`-th puzzle of a file with the text before it.
fn framed(frame: &Frame, k: usize, puzzle: Vec<u8>) -> Result<Vec<u8>> {
    let open = if k == 1 { frame.open } else { "" };
    let mut bytes = Vec::with_capacity(open.len() + puzzle.len() + frame.close.len() + 8);
    bytes.extend(open.bytes());
    bytes.extend((frame.before)(k).bytes());
    bytes.extend(puzzle);
    Ok(bytes)
}

impl FieldText {
    /// The text adapted to the field; `None` if nothing of it can be held.
    fn fitting(self, value: &str) -> Option<String> {
        let fitting = match self {
            FieldText::None => return None,
            FieldText::Any => return Some(value.to_owned()),
            FieldText::Line => {
                let line = value.replace(|c: char| c.is_control(), " ");
                line.trim()
                    .trim_start_matches(|c: char| c == '[' || c.is_whitespace())
                    .to_owned()
            }
            FieldText::LineExcept(none) => {
                let line = FieldText::Line.fitting(value);
                return line.filter(|line| line != none);
            }
            FieldText::Xml => {
                let allowed = |c: char| {
                    c >= ' ' && !['\u{fffe}', '\u{ffff}'].contains(&c) || "\t\n\r".contains(c)
                };
                value
                    .replace(|c: char| !allowed(c), "\u{fffd}")
                    .trim()
                    .to_owned()
            }
        };
        (!fitting.is_empty()).then_some(fitting)
    }
}
