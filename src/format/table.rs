//! The table of formats: the name of each, the functions that recognise, read and write it, and the metadata that it can hold. Format
//! names, detection, and the report of what is lost in writing all use this table.

use super::contents::Contents;
use super::grey::Grey;
use super::picture::{ImageType, TraceOptions};
use super::pnm::Netpbm;
use super::{
    clues, cwd, g, gno, image, json, mk, nin, non, pattern, picross, puzzlink, pynogram, rosetta,
    text, tournament, webpbn,
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
    pub(super) codec: Codec,
    holds: Capacity,
    /// The text around a puzzle that is alone in its file.
    single: Wrapper,
    /// The text around several puzzles, if a file can hold them.
    pack: Option<Wrapper>,
}

/// What recognises, reads and writes files of a format.
#[derive(Clone, Copy, Debug)]
pub(super) enum Codec {
    /// A text of one puzzle.
    One(LooksLike, fn(&str) -> Result<Puzzle>, Write),
    /// A text that may hold several puzzles.
    Several(LooksLike, for<'a> fn(&'a str) -> Contents<'a>, Write),
    /// A text of drawings, and the character of their filled cells, if that is given.
    Drawings(
        LooksLike,
        for<'a> fn(&'a str, Option<char>) -> Contents<'a>,
        Write,
    ),
    /// A picture, which becomes the goal of its puzzle.
    Picture(PictureType),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum PictureType {
    Netpbm(Netpbm),
    Image(ImageType),
}

type LooksLike = fn(&str) -> bool;
type Write = fn(&Puzzle) -> Result<String>;

/// What a format can hold beside the clues.
#[derive(Debug)]
struct Capacity {
    title: FieldText,
    author: FieldText,
    copyright: FieldText,
    license: FieldText,
    catalogue: FieldText,
    goal: bool,
    given: bool,
    saved: bool,
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

/// The text before the first puzzle of a file, between two puzzles, and after the last one.
#[derive(Debug)]
struct Wrapper {
    open: &'static str,
    between: &'static str,
    close: &'static str,
    /// Whether each puzzle is headed by its number, as in a tournament.
    numbered: bool,
}

const NOTHING: Capacity = Capacity {
    title: FieldText::None,
    author: FieldText::None,
    copyright: FieldText::None,
    license: FieldText::None,
    catalogue: FieldText::None,
    goal: false,
    given: false,
    saved: false,
};

const GOAL: Capacity = Capacity {
    goal: true,
    ..NOTHING
};

const ALL: Capacity = Capacity {
    title: FieldText::Any,
    author: FieldText::Any,
    copyright: FieldText::Any,
    license: FieldText::Any,
    catalogue: FieldText::Any,
    goal: true,
    given: true,
    saved: true,
};

/// Puzzles with this text between two of them.
const fn separated(between: &'static str) -> Wrapper {
    Wrapper {
        open: "",
        between,
        close: "",
        numbered: false,
    }
}

const BARE: Wrapper = separated("");

const PUZZLESET: Wrapper = Wrapper {
    open: webpbn::OPEN,
    close: webpbn::CLOSE,
    ..BARE
};

const NUMBERED: Wrapper = Wrapper {
    numbered: true,
    ..BARE
};

/// What most formats of puzzles have in common.
const PUZZLE: Format = Format {
    name: "",
    title: "",
    endings: &[],
    puzzles_only: true,
    codec: Codec::Picture(PictureType::Image(ImageType::Png)),
    holds: NOTHING,
    single: BARE,
    pack: None,
};

/// As [`PUZZLE`], with the extension of any text.
const TXT: Format = Format {
    endings: &["txt"],
    puzzles_only: false,
    ..PUZZLE
};

type Text = &'static str;

const PBM: &[Text] = &["pbm", "pnm"];

/// A format whose files are pictures.
const fn picture(
    name: Text,
    title: Text,
    endings: &'static [Text],
    picture: PictureType,
) -> Format {
    Format {
        name,
        title,
        endings,
        codec: Codec::Picture(picture),
        holds: GOAL,
        ..TXT
    }
}

const fn netpbm(name: Text, title: Text, endings: &'static [Text], netpbm: Netpbm) -> Format {
    picture(name, title, endings, PictureType::Netpbm(netpbm))
}

const fn image(name: Text, title: Text, endings: &'static [Text], image: ImageType) -> Format {
    picture(name, title, endings, PictureType::Image(image))
}

/// All formats. If a text looks like several, the extension of its file decides, or else the first of them is taken.
pub static FORMATS: &[Format] = &[
    Format {
        name: "json",
        title: "JSON: rows and columns as lists of lists",
        endings: &["json"],
        codec: Codec::Several(json::looks_like, json::read, |puzzle| {
            Ok(json::write(puzzle))
        }),
        holds: ALL,
        pack: Some(Wrapper {
            open: "[\n",
            between: ",\n",
            close: "]\n",
            ..BARE
        }),
        ..PUZZLE
    },
    Format {
        name: "webpbn",
        title: "the XML of webpbn.com and pbnsolve",
        endings: &["xml", "pbn"],
        codec: Codec::Several(webpbn::looks_like, webpbn::read, webpbn::write),
        holds: Capacity {
            title: FieldText::Xml,
            author: FieldText::Xml,
            copyright: FieldText::Xml,
            catalogue: FieldText::Xml,
            given: true,
            saved: true,
            ..GOAL
        },
        single: PUZZLESET,
        pack: Some(PUZZLESET),
        ..PUZZLE
    },
    Format {
        name: "picross",
        title: "the GRID text of picross-solver",
        codec: Codec::Several(picross::looks_like, picross::read, picross::write),
        holds: Capacity {
            title: FieldText::Line,
            ..NOTHING
        },
        pack: Some(separated("\n")),
        ..TXT
    },
    Format {
        name: "gno",
        title: "gnonograms",
        endings: &["gno"],
        codec: Codec::One(gno::looks_like, gno::read, gno::write),
        holds: Capacity {
            title: FieldText::LineExcept(gno::UNTITLED),
            author: FieldText::Line,
            license: FieldText::Line,
            ..GOAL
        },
        ..PUZZLE
    },
    Format {
        name: "toml",
        title: "nonogrid's TOML",
        endings: &["toml"],
        codec: Codec::One(
            pynogram::looks_like_toml,
            pynogram::read_toml,
            pynogram::write_toml,
        ),
        ..TXT
    },
    Format {
        name: "ini",
        title: "pynogram's INI",
        endings: &["ini", "txt"],
        codec: Codec::One(
            pynogram::looks_like_ini,
            pynogram::read_ini,
            pynogram::write_ini,
        ),
        ..TXT
    },
    Format {
        name: "tournament",
        title: "the $n text of the TAAI, TCGA and ICGA tournaments; square puzzles",
        codec: Codec::Several(tournament::looks_like, tournament::read, tournament::write),
        single: NUMBERED,
        pack: Some(NUMBERED),
        ..TXT
    },
    Format {
        name: "pattern",
        title: "game IDs of Pattern in Simon Tatham's collection",
        endings: &["pattern", "txt"],
        codec: Codec::Several(pattern::looks_like, pattern::read, pattern::write),
        holds: Capacity {
            given: true,
            ..NOTHING
        },
        pack: Some(BARE),
        ..TXT
    },
    Format {
        name: "puzzlink",
        title: "addresses of puzz.link and other places that run pzpr",
        codec: Codec::Several(puzzlink::looks_like, puzzlink::read, puzzlink::write),
        pack: Some(BARE),
        ..TXT
    },
    Format {
        name: "clues",
        title: "lines of numbers under rows and columns, or divided by a line --- or a blank one",
        endings: &["txt"],
        codec: Codec::One(clues::looks_like, clues::read, clues::write),
        ..TXT
    },
    Format {
        name: "text",
        title: "pictures in rows of two characters, such as # and ., as solve and enumerate print them",
        codec: Codec::Drawings(text::looks_like, text::read, |puzzle| {
            Ok(goal(puzzle)?.to_string())
        }),
        holds: GOAL,
        pack: Some(separated("\n")),
        ..TXT
    },
    Format {
        name: "mk",
        title: "the short format of Olšák's grid",
        endings: &["mk"],
        codec: Codec::One(mk::looks_like, mk::read, mk::write),
        ..PUZZLE
    },
    Format {
        name: "nin",
        title: "Wilk's nonogram and compatible solvers",
        endings: &["nin"],
        codec: Codec::One(nin::looks_like, nin::read, nin::write),
        ..PUZZLE
    },
    Format {
        name: "cwd",
        title: "QNonograms",
        endings: &["cwd"],
        codec: Codec::One(cwd::looks_like, cwd::read, cwd::write),
        ..PUZZLE
    },
    Format {
        name: "rosetta",
        title: "letters, as in the Rosetta Code task; no empty lines, blocks up to 26",
        codec: Codec::Several(rosetta::looks_like, rosetta::read, rosetta::write),
        pack: Some(separated("\n")),
        ..TXT
    },
    Format {
        name: "non",
        title: "Simpson's .non, with the goals of pbnsolve and the packs of nonogram-db",
        endings: &["non", "nonpack"],
        codec: Codec::Several(non::looks_like, non::read, |puzzle| Ok(non::write(puzzle))),
        holds: ALL,
        pack: Some(separated("====\n")),
        ..PUZZLE
    },
    Format {
        name: "g",
        title: "the general format of Olšák's grid, in black and white",
        endings: &["g"],
        codec: Codec::One(g::looks_like, g::read, g::write),
        ..PUZZLE
    },
    netpbm("pbm", "PBM, one bit per pixel", PBM, Netpbm::Bits),
    netpbm("pbm-plain", "PBM, one digit per pixel", PBM, Netpbm::Digits),
    netpbm("pgm", "PGM, greys", &["pgm", "pnm"], Netpbm::Grey),
    netpbm("ppm", "PPM, colours", &["ppm", "pnm"], Netpbm::Colour),
    image("png", "PNG image", &["png"], ImageType::Png),
    image("gif", "GIF image", &["gif"], ImageType::Gif),
    image("bmp", "BMP image", &["bmp"], ImageType::Bmp),
    image("webp", "WebP image", &["webp"], ImageType::WebP),
    image("jpeg", "JPEG image", &["jpg", "jpeg"], ImageType::Jpeg),
];

/// The name of given cells among what a format [cannot hold](Format::kept).
pub const GIVEN_CELLS: &str = "the given cells";

impl Codec {
    /// Whether a file looks like one of the format; `text` is what it holds, if that is text.
    pub(super) fn looks_like(self, bytes: &[u8], text: Option<&str>) -> bool {
        match self {
            Codec::One(looks_like, ..)
            | Codec::Several(looks_like, ..)
            | Codec::Drawings(looks_like, ..) => text.is_some_and(looks_like),
            Codec::Picture(PictureType::Netpbm(netpbm)) => netpbm.looks_like(bytes),
            Codec::Picture(PictureType::Image(image)) => image.looks_like(bytes),
        }
    }
}

impl PictureType {
    pub(super) fn read(self, bytes: &[u8], tracing: &TraceOptions) -> Result<Grey> {
        match self {
            PictureType::Netpbm(netpbm) => netpbm.read(bytes, tracing),
            PictureType::Image(image) => image::read(bytes, image, tracing),
        }
    }
}

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
        matches!(self.codec, Codec::Picture(_))
    }

    /// Whether it can be written.
    pub fn can_write(&self) -> bool {
        match self.codec {
            Codec::One(..) | Codec::Several(..) | Codec::Drawings(..) => true,
            Codec::Picture(PictureType::Netpbm(netpbm)) => {
                matches!(netpbm, Netpbm::Bits | Netpbm::Digits)
            }
            Codec::Picture(PictureType::Image(image)) => image != ImageType::Jpeg,
        }
    }

    /// Whether a file can hold several puzzles.
    pub fn holds_several(&self) -> bool {
        self.pack.is_some()
    }

    /// The puzzle with the given cells and the metadata that a file can hold, and the names of what is lost, for messages:
    /// [`GIVEN_CELLS`] first.
    pub fn kept(&self, puzzle: &Puzzle) -> (Puzzle, Vec<String>) {
        let notes = puzzle.notes();
        let mut lost = Vec::new();
        if puzzle.given().is_some() && !self.holds.given {
            lost.push(GIVEN_CELLS.to_owned());
        }
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
            saved: if holds.saved {
                notes.saved.clone()
            } else {
                Vec::new()
            },
        };
        if notes.goal.is_some() && !holds.goal {
            lost.push("the goal".to_owned());
        }
        if !notes.saved.is_empty() && !holds.saved {
            lost.push("the saved grid".to_owned());
        }
        let bare = if holds.given {
            puzzle.clone()
        } else {
            puzzle.without_given()
        };
        let bare = bare.with_notes(kept);
        (
            bare.expect("the notes were valid for this puzzle before"),
            lost,
        )
    }

    /// A file of this one puzzle. Given cells and metadata that the format cannot hold are left out; [`Format::kept`] tells which.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the format cannot hold the puzzle itself: a picture needs a goal that is a solution,
    /// and some formats have no way to write some clues.
    pub fn write(&self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        let mut bytes = self.single.before(1).into_bytes();
        bytes.extend(self.bare(puzzle)?);
        bytes.extend(self.single.close.bytes());
        Ok(bytes)
    }

    /// A writer for a file of several puzzles, if the format supports them.
    pub fn pack(&'static self) -> Option<Pack> {
        Some(Pack {
            format: self,
            wrapper: self.pack.as_ref()?,
            written: 0,
        })
    }

    /// The puzzle without the text around it.
    fn bare(&self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        if !self.can_write() {
            return Err(Error::data(format!("{} can only be read", self.title)));
        }
        match self.codec {
            Codec::One(.., write) | Codec::Several(.., write) | Codec::Drawings(.., write) => {
                write(&self.kept(puzzle).0).map(String::into_bytes)
            }
            Codec::Picture(PictureType::Netpbm(netpbm)) => Ok(netpbm.write(goal(puzzle)?)),
            Codec::Picture(PictureType::Image(image)) => image::write(goal(puzzle)?, image),
        }
    }
}

/// The goal of a puzzle, if it is a solution.
fn goal(puzzle: &Puzzle) -> Result<&Grid> {
    let Some(goal) = &puzzle.notes().goal else {
        let message = "this puzzle gives no goal, which would be the picture";
        return Err(Error::data(message));
    };
    match verify(puzzle, goal) {
        Ok(()) => Ok(goal),
        Err(mismatch) => Err(Error::data(format!(
            "its goal, the picture, is not a solution: {mismatch}"
        ))),
    }
}

/// Writes a file of several puzzles, one at a time.
#[derive(Debug)]
pub struct Pack {
    format: &'static Format,
    wrapper: &'static Wrapper,
    written: usize,
}

impl Pack {
    /// The bytes to append to the file for one more puzzle.
    ///
    /// # Errors
    ///
    /// As [`Format::write`]; the puzzle is then skipped, and others can still be added.
    pub fn add(&mut self, puzzle: &Puzzle) -> Result<Vec<u8>> {
        let puzzle = self.format.bare(puzzle)?;
        self.written += 1;
        let mut bytes = self.wrapper.before(self.written).into_bytes();
        bytes.extend(puzzle);
        Ok(bytes)
    }

    /// Whether a puzzle has been added.
    pub fn has_begun(&self) -> bool {
        self.written > 0
    }

    /// The end of the file, after at least one puzzle.
    pub fn end(self) -> &'static str {
        self.wrapper.close
    }
}

impl Wrapper {
    /// The text before the `k`-th puzzle.
    fn before(&self, k: usize) -> String {
        let text = if k == 1 { self.open } else { self.between };
        if self.numbered {
            tournament::head(k)
        } else {
            text.to_owned()
        }
    }
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
