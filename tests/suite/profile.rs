//! The profile, against loops over lists of arrangements that share nothing with it, and against known numbers of simple puzzles.

use std::time::{Duration, Instant};

use crate::common::{Random, brute_force, permutation, switches};
use omnogram::Limits;
use omnogram::design::{Method, Profile, line_solvable};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::solutions::{Count, Stop};
use rayon::prelude::*;

/// Known cells of a line: filled and empty, as bits.
type Known = (u32, u32);

/// The lines of a small puzzle as lists of arrangements, rows first, and their known cells.
#[derive(Clone)]
struct Naive {
    width: usize,
    height: usize,
    arrangements: Vec<Vec<u32>>,
    known: Vec<Known>,
}

impl Naive {
    fn new(puzzle: &Puzzle) -> Self {
        let all = |(line, clue): (_, &omnogram::Clue)| {
            let length = puzzle.length(line);
            let wanted: Vec<usize> = clue.lengths().collect();
            let fits = |bits: &u32| {
                crate::common::clue_of((0..length).map(|i| bits >> i & 1 == 1)) == wanted
            };
            (0..1 << length).filter(fits).collect()
        };
        Naive {
            width: puzzle.width(),
            height: puzzle.height(),
            arrangements: puzzle.lines().map(all).collect(),
            known: vec![(0, 0); puzzle.height() + puzzle.width()],
        }
    }

    fn lines(&self) -> usize {
        self.known.len()
    }

    fn all(&self, line: usize) -> u32 {
        (1 << if line < self.height {
            self.width
        } else {
            self.height
        }) - 1
    }

    fn fitting(&self, line: usize) -> Vec<u32> {
        let (filled, empty) = self.known[line];
        let fits = |bits: &&u32| *bits & empty == 0 && filled & !*bits == 0;
        self.arrangements[line]
            .iter()
            .filter(fits)
            .copied()
            .collect()
    }

    /// New cells of a line; `None` is a contradiction.
    fn new_cells(&self, line: usize) -> Option<Known> {
        let fitting = self.fitting(line);
        if fitting.is_empty() {
            return None;
        }
        let filled = fitting.iter().fold(u32::MAX, |all, bits| all & bits);
        let empty = fitting.iter().fold(u32::MAX, |all, bits| all & !bits) & self.all(line);
        Some((filled & !self.known[line].0, empty & !self.known[line].1))
    }

    fn learn(&mut self, line: usize, new: Known) {
        let (first, bit) = match line.checked_sub(self.height) {
            None => (self.height, 1 << line),
            Some(column) => (0, 1 << column),
        };
        self.known[line].0 |= new.0;
        self.known[line].1 |= new.1;
        for i in 0..32 {
            if new.0 >> i & 1 == 1 {
                self.known[first + i].0 |= bit;
            }
            if new.1 >> i & 1 == 1 {
                self.known[first + i].1 |= bit;
            }
        }
    }

    fn unknown(&self) -> usize {
        let cells = (0..self.height).map(|r| self.all(r) & !(self.known[r].0 | self.known[r].1));
        cells.map(|cells| cells.count_ones() as usize).sum()
    }

    /// Settles all lines of a side, over and over in turn; `None` is a contradiction. Returns the last sweep that decided a cell.
    fn sweeps(&mut self) -> Option<usize> {
        let (mut sweep, mut last) = (0, 0);
        while sweep < last + 3 {
            let lines = if sweep % 2 == 0 {
                0..self.height
            } else {
                self.height..self.lines()
            };
            sweep += 1;
            for line in lines {
                let new = self.new_cells(line)?;
                if new != (0, 0) {
                    last = sweep;
                    self.learn(line, new);
                }
            }
        }
        Some(last)
    }

    /// For each round that decides cells: lines that help, open lines, unknown cells.
    fn rounds(&mut self) -> Vec<[usize; 3]> {
        let mut rounds = Vec::new();
        loop {
            let new: Vec<Known> = (0..self.lines())
                .map(|i| self.new_cells(i).unwrap())
                .collect();
            let helping = new.iter().filter(|&&new| new != (0, 0)).count();
            if helping == 0 {
                return rounds;
            }
            let open = |&line: &usize| self.known[line].0 | self.known[line].1 != self.all(line);
            rounds.push([
                helping,
                (0..self.lines()).filter(open).count(),
                self.unknown(),
            ]);
            new.iter()
                .enumerate()
                .for_each(|(i, &new)| self.learn(i, new));
        }
    }

    /// The least number such that settling only lines with at most that number of arrangements reaches the same fixpoint.
    fn hardest(&self) -> Option<usize> {
        let mut full = self.clone();
        full.sweeps()?;
        let mut most = 0;
        loop {
            let mut limited = self.clone();
            loop {
                let helps = |&line: &usize| {
                    limited.fitting(line).len() <= most
                        && limited.new_cells(line).unwrap() != (0, 0)
                };
                let Some(line) = (0..limited.lines()).find(helps) else {
                    break;
                };
                limited.learn(line, limited.new_cells(line).unwrap());
            }
            if limited.known == full.known {
                return (most > 0).then_some(most);
            }
            most += 1;
        }
    }

    /// The cells that probing of this depth decides: at depth 1 by contradiction or agreement, beyond by contradiction alone. `false` is a
    /// contradiction.
    fn probe(&mut self, depth: u32) -> bool {
        if depth == 0 {
            return self.sweeps().is_some();
        }
        loop {
            if !self.probe(depth - 1) {
                return false;
            }
            let before = self.known.clone();
            for i in 0..self.width * self.height {
                let (row, cell) = (i / self.width, 1 << (i % self.width));
                if (self.known[row].0 | self.known[row].1) & cell != 0 {
                    continue;
                }
                let sides = [(cell, 0), (0, cell)].map(|value| {
                    let mut side = self.clone();
                    side.learn(row, value);
                    side.probe(depth - 1).then_some(side)
                });
                match sides {
                    [None, None] => return false,
                    [Some(side), None] | [None, Some(side)] if depth == 1 => *self = side,
                    [Some(_), None] => self.learn(row, (cell, 0)),
                    [None, Some(_)] => self.learn(row, (0, cell)),
                    [Some(a), Some(b)] if depth == 1 => {
                        for line in 0..self.height {
                            let both = (
                                a.known[line].0 & b.known[line].0,
                                a.known[line].1 & b.known[line].1,
                            );
                            self.learn(line, both);
                        }
                        if !self.probe(0) {
                            return false;
                        }
                    }
                    _ => {}
                }
            }
            if self.known == before {
                return true;
            }
        }
    }
}

fn of(puzzle: &Puzzle) -> Profile {
    Profile::of(puzzle, &Limits::default())
}

/// The picture with these bits.
fn picture(width: usize, height: usize, bits: u64) -> Grid {
    let mut grid = Grid::new(width, height);
    (0..width * height).for_each(|i| grid.set(i / width, i % width, bits >> i & 1 == 1));
    grid
}

fn simple(side: usize) -> u64 {
    let pictures = 0..1 << (side * side);
    let solvable = |&bits: &u64| line_solvable(&Puzzle::from_grid(&picture(side, side, bits)));
    pictures.filter(solvable).count() as u64
}

#[test]
fn as_many_puzzles_are_simple_as_is_known() {
    assert_eq!(
        (simple(1), simple(2), simple(3), simple(4)),
        (2, 14, 384, 51_234)
    );
}

/// The symmetries of the square keep a puzzle simple, so of each class of pictures only the one with the least bits is solved.
#[test]
fn as_many_puzzles_of_five_by_five_are_simple_as_is_known() {
    const SIDE: usize = 5;
    let mirrored = |bits: u64| {
        let row = |r: usize| (bits >> (SIDE * r) & 31).reverse_bits() >> (64 - SIDE) << (SIDE * r);
        (0..SIDE).map(row).fold(0, |all, row| all | row)
    };
    let transposed = |bits: u64| {
        (0..SIDE * SIDE).fold(0, |all, i| {
            all | (bits >> i & 1) << (i % SIDE * SIDE + i / SIDE)
        })
    };
    let class = |bits: u64| {
        let mut pictures = [bits; 8];
        for i in 1..8 {
            pictures[i] = match i % 2 {
                1 => mirrored(pictures[i - 1]),
                _ => transposed(pictures[i - 1]),
            };
        }
        pictures
    };
    let simple = |bits: u64| {
        let mut class = class(bits);
        if class.iter().any(|&other| other < bits) {
            return 0;
        }
        class.sort_unstable();
        let size = 1 + class.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
        size * u64::from(line_solvable(&Puzzle::from_grid(&picture(
            SIDE, SIDE, bits,
        ))))
    };
    let pictures = (0..1u64 << (SIDE * SIDE)).into_par_iter();
    assert_eq!(pictures.map(simple).sum::<u64>(), 24_976_511);
}

/// 48,625,108,931 of the 2^36 pictures are simple; the mean number of sweeps in the paper is 4.51.
#[test]
fn random_pictures_are_as_simple_as_is_known() {
    let mut random = Random(2009);
    let (mut simple, mut sweeps, mut profiles) = (0, 0, 0);
    for i in 0..100_000 {
        let puzzle = random.puzzle(6, 6, 0.5);
        if line_solvable(&puzzle) {
            simple += 1;
            // The mean needs fewer puzzles than the share.
            if i < 30_000 {
                profiles += 1;
                sweeps += of(&puzzle).sweeps;
            }
        }
    }
    // Four standard errors.
    assert!((70_180..71_340).contains(&simple), "{simple}");
    let mean = sweeps as f64 / f64::from(profiles);
    assert!((4.47..4.54).contains(&mean), "{mean}");
}

#[test]
fn lines_agree_with_lists_of_arrangements() {
    let mut random = Random(1);
    for i in 0..500 {
        let puzzle = random.sized_puzzle(1, 8, [0.3, 0.5, 0.7][i % 3]);
        let profile = of(&puzzle);
        let naive = Naive::new(&puzzle);
        let mut swept = naive.clone();
        assert_eq!(swept.sweeps(), Some(profile.sweeps), "{puzzle:?}");
        assert_eq!(swept.unknown(), profile.unknown, "{puzzle:?}");
        assert_eq!(profile.line_solvable(), profile.unknown == 0);
        assert_eq!(line_solvable(&puzzle), profile.unknown == 0);
        let rounds: Vec<[usize; 3]> = profile
            .rounds
            .iter()
            .map(|round| [round.helping, round.open, round.unknown])
            .collect();
        assert_eq!(naive.clone().rounds(), rounds, "{puzzle:?}");
        let hardest = naive.hardest().map(|most| Count::from(most as u64));
        assert_eq!(hardest, profile.hardest, "{puzzle:?}");
        let share = |round: &[usize; 3]| round[0] as f64 / round[1] as f64;
        let narrowest = rounds.iter().map(share).fold(f64::INFINITY, f64::min);
        match profile.narrowest() {
            None => assert!(rounds.is_empty()),
            Some(round) => assert_eq!(share(&[round.helping, round.open, 0]), narrowest),
        }
    }
}

#[test]
fn depths_agree_with_a_naive_search() {
    let mut random = Random(3);
    let mut seen = std::collections::BTreeMap::new();
    for i in 0..600 {
        let side = 6 + random.below(3);
        let puzzle = match i % 10 {
            0 => random.mixed(4, 4, 0.5),
            _ => random.puzzle(side, side, 0.4),
        };
        let profile = of(&puzzle);
        *seen.entry(profile.method).or_insert(0) += 1;
        let solutions = brute_force(&puzzle).len();
        let mut naive = Naive::new(&puzzle);
        let mut depth = 0;
        let solvable = loop {
            if !naive.probe(depth) {
                break false;
            }
            if naive.unknown() == 0 || depth == 2 || (depth == 1 && solutions > 1) {
                break true;
            }
            depth += 1;
        };
        let method = match (solutions, depth) {
            (0, _) => Method::None,
            (1, 0) => Method::Lines,
            (1, 1) => Method::Probing,
            (1, _) if naive.unknown() == 0 => Method::Nested2,
            (1, _) => Method::Search,
            _ => Method::Multiple,
        };
        assert_eq!(profile.method, method, "{puzzle:?}");
        assert!(solvable || method == Method::None);
        let wanted = (method <= Method::Nested2).then_some(depth);
        assert_eq!(profile.depth, wanted, "{puzzle:?}");
        assert_eq!(profile.stopped, None);
        if method <= Method::Nested2 {
            assert_eq!(profile.probes == 0, depth == 0, "{puzzle:?}");
            assert_eq!(Profile::of_unique(&puzzle, &Limits::default()), profile);
        }
    }
    for method in [
        Method::Lines,
        Method::Probing,
        Method::Multiple,
        Method::None,
    ] {
        assert!(seen[&method] > 5, "{seen:?}");
    }
}

#[test]
fn a_stopped_run_says_so() {
    for puzzle in Random(5).puzzles(20, 12, 12, 0.35) {
        let whole = of(&puzzle);
        for checks in [0, 1, 2, 5, 10, 50, 200, 1000] {
            let profile = Profile::of(&puzzle, &Limits::default().checks(checks));
            match profile.method {
                Method::Undecided => {
                    assert_eq!(profile.stopped, Some(Stop::Interrupt));
                    assert!(profile.probes <= whole.probes && profile.sweeps <= whole.sweeps);
                }
                _ => assert_eq!(profile.method, whole.method),
            }
        }
    }
    // 200x200 cells of which nearly all are ambiguous.
    let start = Instant::now();
    let limits = Limits::default().time(Duration::from_millis(100));
    let profile = Profile::of(&permutation(200), &limits);
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!(
        (profile.method, profile.stopped),
        (Method::Undecided, Some(Stop::Time))
    );
    let profile = Profile::of(&switches(3), &Limits::default().nodes(2));
    assert_eq!(
        (profile.method, profile.stopped),
        (Method::Undecided, Some(Stop::Nodes))
    );
}

#[test]
fn all_sizes_have_a_profile() {
    for (width, height) in [
        (1, 1),
        (1, 9),
        (9, 1),
        (70, 3),
        (130, 2),
        (200, 200),
        (600, 1),
    ] {
        let blank = Grid::new(width, height);
        let mut full = blank.clone();
        (0..width * height).for_each(|i| full.set(i / width, i % width, true));
        for grid in [blank, full] {
            let profile = of(&Puzzle::from_grid(&grid));
            assert_eq!(
                (profile.method, profile.sweeps, profile.depth),
                (Method::Lines, 1, Some(0))
            );
            assert_eq!(profile.hardest, Some(Count::ONE));
            assert_eq!(profile.rounds.len(), 1);
        }
    }
    // The only line that helps has more arrangements than a machine word holds.
    let mut grid = Grid::new(600, 1);
    (0..400)
        .filter(|i| i % 4 < 2)
        .for_each(|i| grid.set(0, i, true));
    let profile = of(&Puzzle::from_grid(&grid));
    assert_eq!(
        (profile.method, profile.hardest),
        (Method::Lines, Some(Count::ONE))
    );
}
