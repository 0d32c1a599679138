//! The table of formats: what each is called, how it is recognised, who reads and writes it, and what it can hold. Whatever names formats,
//! finds out what a file is, or says what is lost by writing it, goes by this table.

use image::ImageFormat;

use super::contents::Contents;
use super::picture::{Grey, Tracing};
use super::{
    cwd, g, gno, image as pictures, json, mk, nin, non, pattern, picross, pnm, pynogram, rosetta,
    text, tournament, webpbn,
};
use crate::error::{Error, Result};
use crate::puzzle::{Grid, Notes, Puzzle, verify};

/// A format of files.
#[derive(Debug)]
pub struct Format {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// The endings of its files' names, the usual one first.
    pub endings: &'static [&'static str],
    /// Do files with these endings hold nothing but puzzles, so that they can be looked for in folders?
    pub puzzles_only: bool,
    pub(super) kind: Kind,
    holds: Holds,
    /// What stands around a puzzle that is alone in its file.
    alone: Frame,
    /// What stands around several, where a file can hold them.
    pack: Option<Frame>,
}

/// How files of a format are recognised, read and written.
#[derive(Debug)]
pub(super) enum Kind {
    Text {
        looks_like: fn(&str) -> bool,
        read: for<'a> fn(&'a str) -> Contents<'a>,
        write: fn(&Puzzle) -> Result<String>,
    },
    /// A picture, which is the goal of the puzzle that it makes.
    Picture {
        looks_like: fn(&[u8]) -> bool,
        read: fn(&[u8], &Tracing) -> Result<Grey>,
        write: Option<Draw>,
    },
}

/// Makes a file of a picture.
type Draw = fn(&Grid) -> Result<Vec<u8>>;

/// What a format holds beside the clues.
#[derive(Debug)]
struct Holds {
    title: Text,
    author: Text,
    copyright: Text,
    license: Text,
    catalogue: Text,
    goal: bool,
}

/// Which texts can stand in a place.
#[derive(Clone, Copy, Debug)]
enum Text {
    None,
    /// One line that is not empty, without blanks around it, and does not begin with a bracket.
    Line,
    /// What XML can hold, without blanks around it.
    Xml,
    Any,
}

/// What stands before the first puzzle of a file, before the `k`-th, and after the last one.
#[derive(Debug)]
struct Frame {
    open: &'static str,
    before: fn(usize) -> String,
    close: &'static str,
}

const NOTHING: Holds = Holds {
    title: Text::None,
    author: Text::None,
    copyright: Text::None,
    license: Text::None,
    catalogue: Text::None,
    goal: false,
};

const ALL: Holds = Holds {
    title: Text::Any,
    author: Text::Any,
    copyright: Text::Any,
    license: Text::Any,
    catalogue: Text::Any,
    goal: true,
};

const GOAL: Holds = Holds {
    goal: true,
    ..NOTHING
};

/// Nothing around a puzzle.
const BARE: Frame = Frame {
    open: "",
    before: |_| String::new(),
    close: "",
};

/// A blank line between two.
const APART: Frame = Frame {
    before: |k| {
        if k > 1 {
            "\n".to_owned()
        } else {
            String::new()
        }
    },
    ..BARE
};

const SET: Frame = Frame {
    open: webpbn::OPEN,
    close: webpbn::CLOSE,
    ..BARE
};

const NUMBERED: Frame = Frame {
    before: tournament::head,
    ..BARE
};

/// An image format: its row's name, title, endings, and itself.
macro_rules! picture {
    ($name:literal, $title:literal, $endings:expr, $format:expr, $write:expr) => {
        Format {
            name: $name,
            title: $title,
            endings: &$endings,
            puzzles_only: false,
            kind: Kind::Picture {
                looks_like: |bytes| pictures::looks_like(bytes, $format),
                read: |bytes, tracing| pictures::read(bytes, $format, tracing),
                write: $write,
            },
            holds: GOAL,
            alone: BARE,
            pack: None,
        }
    };
}

/// Every format. Where a text looks like several, its name's ending decides, or else the first of them is taken.
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
        alone: BARE,
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
        holds: Holds {
            title: Text::Xml,
            author: Text::Xml,
            copyright: Text::Xml,
            catalogue: Text::Xml,
            ..GOAL
        },
        alone: SET,
        pack: Some(SET),
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
        holds: Holds {
            title: Text::Line,
            ..NOTHING
        },
        alone: BARE,
        pack: Some(APART),
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
        holds: Holds {
            title: Text::Line,
            author: Text::Line,
            license: Text::Line,
            ..GOAL
        },
        alone: BARE,
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
        alone: BARE,
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
        alone: BARE,
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
        alone: NUMBERED,
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
        alone: BARE,
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
        alone: BARE,
        pack: None,
    },
    Format {
        name: "nin",
        title: "Wilk's nonogram and those that follow it",
        endings: &["nin"],
        puzzles_only: true,
        kind: Kind::Text {
            looks_like: nin::looks_like,
            read: nin::read,
            write: nin::write,
        },
        holds: NOTHING,
        alone: BARE,
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
        alone: BARE,
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
        alone: BARE,
        pack: Some(APART),
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
        alone: BARE,
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
        alone: BARE,
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
        alone: BARE,
        pack: Some(APART),
    },
    Format {
        name: "pbm",
        title: "PBM, a bit a pixel",
        endings: &["pbm", "pnm"],
        puzzles_only: false,
        kind: Kind::Picture {
            looks_like: pnm::looks_like_raw,
            read: pnm::read_bits,
            write: Some(pnm::write_raw),
        },
        holds: GOAL,
        alone: BARE,
        pack: None,
    },
    Format {
        name: "pbm-plain",
        title: "PBM, a digit a pixel",
        endings: &["pbm", "pnm"],
        puzzles_only: false,
        kind: Kind::Picture {
            looks_like: pnm::looks_like_plain,
            read: pnm::read_bits,
            write: Some(pnm::write_plain),
        },
        holds: GOAL,
        alone: BARE,
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
        alone: BARE,
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
        alone: BARE,
        pack: None,
    },
    picture!(
        "png",
        "PNG image",
        ["png"],
        ImageFormat::Png,
        Some(|grid| pictures::write(grid, ImageFormat::Png))
    ),
    picture!(
        "gif",
        "GIF image",
        ["gif"],
        ImageFormat::Gif,
        Some(|grid| pictures::write(grid, ImageFormat::Gif))
    ),
    picture!(
        "bmp",
        "BMP image",
        ["bmp"],
        ImageFormat::Bmp,
        Some(|grid| pictures::write(grid, ImageFormat::Bmp))
    ),
    picture!(
        "webp",
        "WebP image",
        ["webp"],
        ImageFormat::WebP,
        Some(|grid| pictures::write(grid, ImageFormat::WebP))
    ),
    picture!(
        "jpeg",
        "JPEG image",
        ["jpg", "jpeg"],
        ImageFormat::Jpeg,
        None
    ),
];

impl Format {
    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format that this ending of a name means, in small or large letters. Of `.txt` there are too many.
    pub fn of_ending(ending: &str) -> Option<&'static Format> {
        let mut formats = FORMATS.iter().filter(|format| format.has_ending(ending));
        formats.find(|_| !ending.eq_ignore_ascii_case("txt"))
    }

    /// Do names of its files end like this?
    pub fn has_ending(&self, ending: &str) -> bool {
        self.endings
            .iter()
            .any(|known| known.eq_ignore_ascii_case(ending))
    }

    /// Is it a format of pictures?
    pub fn is_picture(&self) -> bool {
        matches!(self.kind, Kind::Picture { .. })
    }

    /// Can it be written?
    pub fn can_write(&self) -> bool {
        !matches!(self.kind, Kind::Picture { write: None, .. })
    }

    /// Can a file hold several puzzles?
    pub fn holds_several(&self) -> bool {
        self.pack.is_some()
    }

    /// The puzzle as far as a file can hold it, and what it cannot hold, in words.
    pub fn kept(&self, puzzle: &Puzzle) -> (Puzzle, Vec<String>) {
        let notes = puzzle.notes();
        let mut lost = Vec::new();
        let mut keep = |name, value: &Option<String>, place: Text| {
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
        (bare.expect("its goal has the puzzle's size"), lost)
    }

    /// A file of this one puzzle. What the format cannot hold beside the clues is left out; [`Format::kept`] tells what.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the format cannot hold the puzzle itself: a picture needs a goal that is a solution,
    /// and some formats have no way to write some clues.
    pub fn write(&self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        framed(&self.alone, 1, self.bare(puzzle)?).map(|mut bytes| {
            bytes.extend(self.alone.close.bytes());
            bytes
        })
    }

    /// A file of several puzzles, if the format has such.
    pub fn pack(&'static self) -> Option<Pack> {
        let frame = self.pack.as_ref()?;
        Some(Pack {
            format: self,
            frame,
            written: 0,
        })
    }

    /// The puzzle without a frame.
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

/// The goal of a puzzle, if it is a picture of it.
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

/// A file of several puzzles, made one by one.
#[derive(Debug)]
pub struct Pack {
    format: &'static Format,
    frame: &'static Frame,
    written: usize,
}

impl Pack {
    /// What comes next in the file for one more puzzle.
    ///
    /// # Errors
    ///
    /// As [`Format::write`]; the file then goes on as if the puzzle were not there.
    pub fn add(&mut self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        let bytes = framed(self.frame, self.written + 1, self.format.bare(puzzle)?)?;
        self.written += 1;
        Ok(bytes)
    }

    /// Has a puzzle been added?
    pub fn has_begun(&self) -> bool {
        self.written > 0
    }

    /// What comes after the last one, of which there must have been one.
    pub fn end(self) -> &'static str {
        self.frame.close
    }
}

/// The `k`-th puzzle of a file with what stands before it.
fn framed(frame: &Frame, k: usize, puzzle: Vec<u8>) -> Result<Vec<u8>> {
    let open = if k == 1 { frame.open } else { "" };
    let mut bytes = Vec::with_capacity(open.len() + puzzle.len() + frame.close.len() + 8);
    bytes.extend(open.bytes());
    bytes.extend((frame.before)(k).bytes());
    bytes.extend(puzzle);
    Ok(bytes)
}

impl Text {
    /// The text as it can stand there.
    fn fitting(self, value: &str) -> Option<String> {
        let fitting = match self {
            Text::None => return None,
            Text::Any => return Some(value.to_owned()),
            Text::Line => {
                let line = value.replace(|c: char| c.is_control(), " ");
                line.trim()
                    .trim_start_matches(|c: char| c == '[' || c.is_whitespace())
                    .to_owned()
            }
            Text::Xml => {
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
