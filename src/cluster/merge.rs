//! Puts the answers to cubes together.
//!
//! Every cube has to be answered once. An answer that leaves cubes open is as good as theirs; the same answer given again counts once,
//! and where a cube has been answered in several ways (one worker died, another took over) any of them does, and all must agree.
//! Nothing is believed but whole records with the right checksums, and no record that says more than can be: cubes that overlap, or more
//! solutions than the unknown cells of a cube have fillings.

use std::io::BufRead;

use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::{Answer, Open};
use super::cube::{Id, Piece};
use super::digest::Digest;
use super::disjoint::overlaps;
use super::line::Lines;
use super::problems::Problems;
use crate::error::{Error, Kind, Result};
use crate::search::{Cube, Total};
use crate::solutions::Count;

/// Cubes, and the answers to them.
#[derive(Debug, Default)]
pub struct Merge {
    puzzle: Option<Digest>,
    /// How many cubes there are to be.
    of: u64,
    pieces: Vec<Piece>,
    ids: FxHashSet<Id>,
    answers: FxHashMap<Id, Vec<PlacedAnswer>>,
    problems: Problems,
    /// The file of cubes is not whole: nobody can say what is missing.
    holes: bool,
    repeats: u64,
}

/// An answer, and where it stands.
#[derive(Debug)]
struct PlacedAnswer {
    answer: Answer,
    file: usize,
    line: usize,
    /// Is the cube one of those that are asked about?
    wanted: bool,
}

/// What the answers come to.
#[derive(Debug)]
pub struct Sum {
    /// How many solutions.
    pub solutions: Total,
    /// The answers that it is made of, and their cubes.
    pub answers: Vec<(Cube, Answer)>,
    /// Cubes that nobody has answered.
    pub missing: Vec<Piece>,
    /// What is wrong, other than that: the first few problems of each file with their places, and how many more there are.
    pub problems: Vec<Error>,
    /// How many problems there are.
    pub wrong: u64,
    /// Do answers contradict each other, or are there cubes of which nothing is known? More work does not help then.
    pub contradicted: bool,
    /// Answers that were given again.
    pub repeats: u64,
    /// Cubes there were.
    pub cubes: u64,
    /// Nodes of all answers that it is made of.
    pub nodes: u64,
    /// Time that they took, one after the other.
    pub seconds: f64,
}

impl Merge {
    /// No cubes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file of cubes. There may be several; they are one.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when it cannot be read. What is wrong with its lines is kept for the sum.
    pub fn cubes<R: BufRead>(&mut self, mut lines: Lines<R>) -> Result<()> {
        let (mut good, mut bad) = (0, 0);
        while let Some(piece) = lines.record::<Piece>() {
            let problem = match piece {
                Err(error) if error.kind() == Kind::Io => return Err(error),
                Err(error) => {
                    bad += 1;
                    error
                }
                Ok(piece) => {
                    good += 1;
                    let puzzle = *self.puzzle.get_or_insert(piece.puzzle);
                    if piece.puzzle != puzzle {
                        let other = Error::data("this cube is of another puzzle than the first");
                        lines.blame(other)
                    } else if piece.id != Id::of(puzzle, &piece.cube) {
                        lines.blame(Error::data("the id does not belong to the path"))
                    } else if !self.ids.insert(piece.id) {
                        // The same line twice says nothing new.
                        continue;
                    } else {
                        self.of = self.of.max(piece.of);
                        self.pieces.push(piece);
                        continue;
                    }
                }
            };
            self.holes = true;
            self.problems.add(lines.file(), problem);
        }
        if good == 0 && bad > 0 {
            self.problems.nothing(lines.file(), bad, "cube");
        }
        Ok(())
    }

    /// Says so if the files of cubes that were read are not whole.
    fn check_cubes(&mut self, file: &str) {
        let there = self.pieces.len() as u64;
        if there == 0 && !self.holes {
            let message = "there is no cube in this file";
            self.problems.add(file, Error::data(message));
        } else if there != self.of {
            let message = format!(
                "there are {there} cubes, but each says that it is one of {}",
                self.of
            );
            self.problems.add(file, Error::data(message));
        }
        self.holes |= there == 0 || there != self.of;
    }

    /// Leaves away cubes that overlap others, as their solutions would be counted twice.
    fn check_disjoint(&mut self, file: &str) {
        let cubes: Vec<&Cube> = self.pieces.iter().map(|piece| &piece.cube).collect();
        let mut gone = vec![false; cubes.len()];
        for (cube, other) in overlaps(&cubes) {
            let [cube_id, other_id] = [cube, other].map(|place| self.pieces[place].id);
            let message = format!(
                "cube {cube_id} overlaps cube {other_id}: what both hold would count twice"
            );
            self.problems.add(file, Error::data(message));
            gone[cube] = true;
            self.holes = true;
        }
        let mut gone = gone.into_iter();
        self.pieces.retain(|_| gone.next() == Some(false));
    }

    /// Reads files of results, after all cubes.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when one cannot be read.
    pub fn results<R: BufRead>(&mut self, mut lines: Lines<R>, file: usize) -> Result<()> {
        let (mut good, mut bad) = (0, 0);
        while let Some(answer) = lines.record::<Answer>() {
            match answer {
                Err(error) if error.kind() == Kind::Io => return Err(error),
                Err(error) => {
                    bad += 1;
                    self.problems.add(lines.file(), error);
                }
                Ok(answer) if self.puzzle.is_some_and(|puzzle| puzzle != answer.puzzle) => {
                    good += 1;
                    let other = Error::data("this result is of another puzzle");
                    self.problems.add(lines.file(), lines.blame(other));
                }
                Ok(answer) => {
                    good += 1;
                    let told = self.answers.entry(answer.id).or_default();
                    if told.iter().any(|told| is_same(&told.answer, &answer)) {
                        self.repeats += 1;
                    } else {
                        let line = lines.line();
                        told.push(PlacedAnswer {
                            answer,
                            file,
                            line,
                            wanted: false,
                        });
                    }
                }
            }
        }
        if good == 0 && bad > 1 {
            self.problems.nothing(lines.file(), bad, "result");
        }
        Ok(())
    }

    /// Adds up. `cubes` and `results` are the names of the files, in the order in which they were read.
    pub fn sum(mut self, cubes: &str, results: &[String]) -> Sum {
        self.check_cubes(cubes);
        self.check_disjoint(cubes);
        let mut adding = Adding {
            puzzle: self.puzzle,
            answers: &mut self.answers,
            results,
            problems: &mut self.problems,
            contradicted: false,
            missing: Vec::new(),
            chosen: Vec::new(),
        };
        let mut total = Count::ZERO;
        let pieces = std::mem::take(&mut self.pieces);
        for piece in &pieces {
            let known = adding.add(&piece.cube, piece.size, piece.unknown);
            total += &known.count;
        }
        let Adding {
            missing,
            contradicted,
            chosen,
            ..
        } = adding;
        let mut strangers: Vec<&PlacedAnswer> = self
            .answers
            .values()
            .flatten()
            // Without a cube nobody has asked about anything, and that is what is wrong.
            .filter(|told| !told.wanted && !pieces.is_empty())
            .collect();
        strangers.sort_by_key(|told| (told.file, told.line));
        for told in strangers {
            let message = format!("nobody has asked about cube {}", told.answer.id);
            let error = Error::data(message).at(told.line, 1, "");
            self.problems.add(&results[told.file], error);
        }
        let mut missing = missing;
        let of = missing.len() as u64;
        missing.iter_mut().for_each(|piece| piece.of = of);
        let complete = missing.is_empty() && !contradicted && !self.holes;
        let used = chosen.iter().map(|(_, answer)| answer);
        let (problems, wrong) = self.problems.told();
        Sum {
            solutions: match complete {
                true => Total::Exactly(total),
                false => Total::AtLeast(total),
            },
            contradicted: contradicted || self.holes,
            problems,
            wrong,
            repeats: self.repeats,
            cubes: pieces.len() as u64,
            nodes: used
                .clone()
                .fold(0, |sum, answer| sum.saturating_add(answer.nodes)),
            // The sum of no numbers would be -0.
            seconds: used.fold(0.0, |sum, answer| sum + answer.seconds.max(0.0)),
            answers: chosen,
            missing,
        }
    }
}

/// Do they say the same? How long it took does not matter, nor in what order cubes stay open.
fn is_same(a: &Answer, b: &Answer) -> bool {
    let paths = |answer: &Answer| -> FxHashSet<Cube> {
        answer.open.iter().map(|open| open.cube.clone()).collect()
    };
    a.count == b.count && a.set == b.set && a.file == b.file && paths(a) == paths(b)
}

/// A sum under way.
struct Adding<'a> {
    puzzle: Option<Digest>,
    answers: &'a mut FxHashMap<Id, Vec<PlacedAnswer>>,
    results: &'a [String],
    problems: &'a mut Problems,
    contradicted: bool,
    missing: Vec<Piece>,
    chosen: Vec<(Cube, Answer)>,
}

/// What is known of a cube.
struct CubeRecord {
    count: Count,
    complete: bool,
}

impl Adding<'_> {
    /// Adds up a cube, with all that its answers have left open. Its path grows with every step down. So many cells at most are
    /// `unknown` in it, if that is known.
    fn add(&mut self, cube: &Cube, size: f64, unknown: Option<u32>) -> CubeRecord {
        let nothing = |complete| CubeRecord {
            count: Count::ZERO,
            complete,
        };
        let Some(puzzle) = self.puzzle else {
            return nothing(false);
        };
        let id = Id::of(puzzle, cube);
        let mut told = self.answers.remove(&id).unwrap_or_default();
        let (missing, chosen) = (self.missing.len(), self.chosen.len());
        let mut best: Option<Best> = None;
        let mut clash = false;
        for told in &mut told {
            told.wanted = true;
            let answer = &told.answer;
            // A cube that two ways lead to is looked at twice.
            let mut wrong = |message: String| {
                let error = Error::data(message).at(told.line, 1, "");
                self.problems.add_once(&self.results[told.file], error);
            };
            let inside = |open: &Open| open.cube.path.starts_with(&cube.path);
            if !answer.open.iter().all(inside) {
                wrong(format!("what is left open of cube {id} is not within it"));
                continue;
            }
            let open: Vec<&Cube> = answer.open.iter().map(|open| &open.cube).collect();
            if !overlaps(&open).is_empty() {
                wrong(format!("what is left open of cube {id} overlaps"));
                continue;
            }
            if let Some(unknown) = unknown.filter(|&unknown| exceeds(&answer.count, unknown)) {
                wrong(too_many(id, &answer.count, unknown));
                continue;
            }
            if answer.open.iter().any(|open| open.cube == *cube) {
                // Nothing was done. What was found all the same would be found again.
                continue;
            }
            let mut known = CubeRecord {
                count: answer.count.clone(),
                complete: true,
            };
            self.chosen.push((cube.clone(), answer.clone()));
            for Open { cube, share } in &answer.open {
                let part = self.add(cube, size * share.clamp(0.0, 1.0), unknown);
                known.count += &part.count;
                known.complete &= part.complete;
            }
            if let Some(unknown) = unknown.filter(|&unknown| exceeds(&known.count, unknown)) {
                let error = Error::data(too_many(id, &known.count, unknown)).at(told.line, 1, "");
                self.problems.add_once(&self.results[told.file], error);
                self.missing.truncate(missing);
                self.chosen.truncate(chosen);
                continue;
            }
            let way = Best {
                line: (told.file, told.line),
                listed: answer.file.is_some(),
                set: answer.set.filter(|_| answer.is_complete()),
                missing: self.missing.split_off(missing),
                chosen: self.chosen.split_off(chosen),
                known,
            };
            match &mut best {
                None => best = Some(way),
                Some(best) => {
                    let differ = way.contradicts(best);
                    if differ {
                        let (file, line) = best.line;
                        let message = format!(
                            "cube {id} has {} solutions here, and {} in {}:{line}{}",
                            way.known.count,
                            best.known.count,
                            self.results[file],
                            match way.known.count == best.known.count {
                                true => ", but not the same",
                                false => "",
                            }
                        );
                        let error = Error::data(message).at(told.line, 1, "");
                        self.problems.add_once(&self.results[told.file], error);
                        self.contradicted = true;
                        clash = true;
                    }
                    let rank = |way: &Best| (way.known.complete, way.listed);
                    let more = rank(&way) > rank(best)
                        || !best.known.complete && way.known.count > best.known.count;
                    if more && (way.known.complete || !best.known.complete) {
                        *best = way;
                    }
                }
            }
        }
        if !told.is_empty() {
            self.answers.insert(id, told);
        }
        match best {
            // Nobody knows which of them is right.
            Some(_) if clash => nothing(false),
            Some(best) => {
                self.missing.extend(best.missing);
                self.chosen.extend(best.chosen);
                best.known
            }
            None => {
                let mut piece = Piece::new(puzzle, cube.clone(), 0, size);
                piece.unknown = unknown;
                self.missing.push(piece);
                nothing(false)
            }
        }
    }
}

/// Is this number more than 2 to the power of `unknown`, the number of fillings of that many cells?
fn exceeds(count: &Count, unknown: u32) -> bool {
    let unknown = u64::from(unknown);
    match count.bits().checked_sub(unknown + 1) {
        None => false,
        Some(0) => {
            let mut words = vec![0; unknown as usize / 64 + 1];
            words[unknown as usize / 64] = 1 << (unknown % 64);
            *count > Count::from_words(&words)
        }
        Some(_) => true,
    }
}

fn too_many(id: Id, count: &Count, unknown: u32) -> String {
    let count = match count.rough() {
        Some(rough) if count.bits() > 128 => format!("about {rough}"),
        _ => count.to_string(),
    };
    format!(
        "cube {id} cannot have {count} solutions: {unknown} unknown cells have 2^{unknown} fillings"
    )
}

/// The best way to answer a cube so far.
struct Best {
    line: (usize, usize),
    /// Are its solutions in a file?
    listed: bool,
    set: Option<Digest>,
    missing: Vec<Piece>,
    chosen: Vec<(Cube, Answer)>,
    known: CubeRecord,
}

impl Best {
    /// Can they not both be right? Where cubes are missing there may be more solutions than are known.
    fn contradicts(&self, other: &Best) -> bool {
        let (a, b) = (&self.known, &other.known);
        match (a.complete, b.complete) {
            (true, true) => {
                a.count != b.count || self.set.zip(other.set).is_some_and(|(a, b)| a != b)
            }
            (true, false) => b.count > a.count,
            (false, true) => a.count > b.count,
            (false, false) => false,
        }
    }
}
