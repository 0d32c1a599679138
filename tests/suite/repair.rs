//! Repair against brute force: every set of flips of a small picture, one after the other. And the command.

use crate::common::repairing::may_flip;
use crate::common::{Random, on_threads};
use omnogram::design::{Only, Repair, Repaired};
use omnogram::format;
use omnogram::puzzle::{Grid, Line, Puzzle};
use omnogram::search::Verdict;
use omnogram::{Cell, Limits, Search};

/// Whether the puzzle of a picture is unique, or solvable line by line, by listing all arrangements of each line.
struct Small {
    size: usize,
    /// For every word of a line, the words with the same clue.
    alike: Vec<Vec<u32>>,
}

impl Small {
    fn new(size: usize) -> Self {
        let clue = |bits: u32| {
            let mut grid = Grid::new(size, 1);
            (0..size).for_each(|i| grid.set(0, i, bits >> i & 1 == 1));
            grid.clue(Line::Row(0)).to_string()
        };
        let clues: Vec<String> = (0..1 << size).map(clue).collect();
        let alike = |clue: &String| {
            let words = (0..1u32 << size).filter(|&word| clues[word as usize] == *clue);
            words.collect()
        };
        Small {
            size,
            alike: clues.iter().map(alike).collect(),
        }
    }

    fn columns(&self, rows: &[u32]) -> Vec<u32> {
        let column = |c: usize| {
            let cells = rows.iter().enumerate();
            cells.fold(0, |column, (r, row)| column | (row >> c & 1) << r)
        };
        (0..self.size).map(column).collect()
    }

    /// Line by line, keeping the arrangements that agree with what is known: the cells that can be filled and can be empty.
    fn solve_lines(&self, rows: &[u32]) -> bool {
        let columns = self.columns(rows);
        let mut lines: Vec<Vec<u32>> = rows
            .iter()
            .chain(&columns)
            .map(|&word| self.alike[word as usize].clone())
            .collect();
        loop {
            let mut changed = false;
            for at in 0..2 * self.size {
                let crossing = if at < self.size { self.size } else { 0 };
                for i in 0..self.size {
                    let (all, any) = lines[at]
                        .iter()
                        .fold((u32::MAX, 0), |(all, any), word| (all & word, any | word));
                    let own = at % self.size;
                    let other = &mut lines[crossing + i];
                    let before = other.len();
                    other.retain(|word| {
                        let filled = word >> own & 1 == 1;
                        (filled || all >> i & 1 == 0) && (!filled || any >> i & 1 == 1)
                    });
                    changed |= other.len() < before;
                }
            }
            if !changed {
                return lines.iter().all(|line| line.len() == 1);
            }
        }
    }

    fn is_unique(&self, rows: &[u32]) -> bool {
        if self.solve_lines(rows) {
            return true;
        }
        let columns = self.columns(rows);
        let mut found = 0;
        self.fill(rows, &columns, &mut Vec::new(), &mut found);
        found == 1
    }

    /// Counts solutions row by row, up to two.
    fn fill(&self, rows: &[u32], columns: &[u32], above: &mut Vec<u32>, found: &mut usize) {
        if above.len() == self.size {
            *found += 1;
            return;
        }
        for &word in &self.alike[rows[above.len()] as usize] {
            above.push(word);
            let low = (1u32 << above.len()) - 1;
            let fits = (0..self.size).all(|c| {
                let part = above
                    .iter()
                    .enumerate()
                    .fold(0, |part, (r, row)| part | (row >> c & 1) << r);
                self.alike[columns[c] as usize]
                    .iter()
                    .any(|other| other & low == part)
            });
            if fits {
                self.fill(rows, columns, above, found);
            }
            above.pop();
            if *found > 1 {
                return;
            }
        }
    }

    /// The smallest number of these cells whose flips make the picture good, up to `most`.
    fn best(
        &self,
        rows: &[u32],
        cells: &[(usize, usize)],
        most: usize,
        lines: bool,
    ) -> Option<usize> {
        (0..=most).find(|&number| self.any(&mut rows.to_vec(), cells, number, lines))
    }

    fn any(&self, rows: &mut Vec<u32>, cells: &[(usize, usize)], left: usize, lines: bool) -> bool {
        if left == 0 {
            return if lines {
                self.solve_lines(rows)
            } else {
                self.is_unique(rows)
            };
        }
        (0..cells.len()).any(|i| {
            let (row, column) = cells[i];
            rows[row] ^= 1 << column;
            let any = self.any(rows, &cells[i + 1..], left - 1, lines);
            rows[row] ^= 1 << column;
            any
        })
    }
}

fn words(grid: &Grid) -> Vec<u32> {
    (0..grid.height()).map(|r| grid.row(r)[0] as u32).collect()
}

fn edited(picture: &Grid, flips: &[Cell]) -> Grid {
    let mut edited = picture.clone();
    for cell in flips {
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        edited.set(row, column, !picture.get(row, column));
    }
    edited
}

/// Checks all that must hold for every result.
fn check(
    small: &Small,
    picture: &Grid,
    repaired: &Repaired,
    may: impl Fn(usize, usize) -> bool,
    lines: bool,
) {
    let all = repaired.flips.iter().chain(&repaired.alternatives);
    for flips in all {
        assert!(flips.is_sorted(), "{flips:?}");
        assert!(
            flips
                .iter()
                .all(|cell| may(usize::from(cell.row), usize::from(cell.column))),
            "{flips:?}\n{picture:?}"
        );
        let rows = words(&edited(picture, flips));
        assert!(if lines {
            small.solve_lines(&rows)
        } else {
            small.is_unique(&rows)
        });
    }
    for flips in &repaired.alternatives {
        assert_eq!(Some(flips.len()), repaired.flips.as_ref().map(Vec::len));
        assert_ne!(Some(flips), repaired.flips.as_ref());
    }
}

fn compare_with_brute_force(pictures: usize, seed: u64, size: usize, most: usize) {
    let small = Small::new(size);
    let mut random = Random(seed);
    let mut sizes = [0; 8];
    for i in 0..pictures {
        let density = 0.1 + 0.1 * random.below(5) as f64;
        let picture = random.grid(size, size, density);
        let mask = random.grid(size, size, [0.0, 0.3, 0.7][i % 3]);
        let only = [None, None, Some(Only::Add), Some(Only::Remove)][random.below(4)];
        let lines = random.chance(0.5);
        let may = |row, column| may_flip(&picture, only, &mask, row, column);
        let cells = (0..size * size).map(|i| (i / size, i % size));
        let cells: Vec<_> = cells.filter(|&(r, c)| may(r, c)).collect();
        let best = small.best(&words(&picture), &cells, most, lines);
        let repair = Repair::new(&picture)
            .keep(&mask)
            .only(only)
            .line_solvable(lines)
            .alternatives(3);
        let repaired = repair.run();
        check(&small, &picture, &repaired, may, lines);
        let found = repaired.flips.as_ref().map(Vec::len);
        sizes[found.map_or(7, |found| found.min(6))] += 1;
        match best {
            Some(best) => {
                assert_eq!(
                    found,
                    Some(best),
                    "{picture:?}{mask:?}{only:?} {lines}\n{repaired:?}"
                );
                assert!(repaired.minimal);
                assert_eq!(repaired.none_within, best.checked_sub(1));
            }
            None => {
                assert!(found.is_none_or(|found| found > most));
                assert!(repaired.none_within >= Some(most.min(3)));
            }
        }
        for budget in 0..=2 {
            let within = repair.clone().budget(budget).run();
            check(&small, &picture, &within, may, lines);
            assert_eq!(
                within.flips.is_some(),
                best.is_some_and(|best| best <= budget),
                "{picture:?} {budget}"
            );
            if within.flips.is_none() {
                assert!(within.none_within >= Some(budget) && within.stopped.is_none());
            }
        }
    }
    eprintln!("flips: {sizes:?}");
}

#[test]
fn flips_are_as_few_as_by_brute_force() {
    compare_with_brute_force(500, 1, 5, 6);
    compare_with_brute_force(500, 2, 6, 3);
}

#[test]
fn revealed_cells_are_as_few_as_by_brute_force() {
    let mut random = Random(4);
    let mut needed = 0;
    for i in 0..40 {
        let picture = random.grid(4, 4, 0.4);
        let lines = i % 2 == 1;
        let revealed = Repair::new(&picture).line_solvable(lines).reveal();
        let puzzle = Puzzle::from_grid(&picture);
        let (solutions, _) = Search::new(&puzzle).collect();
        let suffices = |subset: u32| {
            let given = |i: usize| subset >> i & 1 == 1;
            let agrees = |grid: &Grid| {
                (0..16).all(|i| !given(i) || grid.get(i / 4, i % 4) == picture.get(i / 4, i % 4))
            };
            if lines {
                solves_lines_from(&puzzle, &picture, given)
            } else {
                solutions.iter().filter(|grid| agrees(grid)).count() == 1
            }
        };
        let subsets = 0u32..1 << 16;
        let best = subsets
            .filter(|&subset| subset.count_ones() <= 5 && suffices(subset))
            .map(u32::count_ones)
            .min();
        let cells = revealed.cells.unwrap();
        assert!(revealed.minimal);
        assert_eq!(Some(cells.len() as u32), best, "{picture:?} {lines}");
        assert_eq!(revealed.none_within, cells.len().checked_sub(1));
        needed += cells.len();
    }
    assert!(needed > 10, "{needed}");
}

/// Line solving from given cells, line by line until nothing changes.
fn solves_lines_from(puzzle: &Puzzle, picture: &Grid, given: impl Fn(usize) -> bool) -> bool {
    let (width, height) = (picture.width(), picture.height());
    let mut known: Vec<Option<bool>> = (0..width * height)
        .map(|i| given(i).then(|| picture.get(i / width, i % width)))
        .collect();
    loop {
        let before = known.clone();
        for (line, clue) in puzzle.lines() {
            let places: Vec<usize> = match line {
                Line::Row(r) => (0..width).map(|c| r * width + c).collect(),
                Line::Column(c) => (0..height).map(|r| r * width + c).collect(),
            };
            let mut cells: Vec<_> = places.iter().map(|&i| known[i]).collect();
            assert!(omnogram::line::settle(clue, &mut cells));
            places
                .iter()
                .zip(cells)
                .for_each(|(&i, cell)| known[i] = cell);
        }
        if known == before {
            return known.iter().all(Option::is_some);
        }
    }
}

/// An ambiguous picture: its puzzle needs three flips.
const TILES: [&str; 6] = ["#.#...", ".#.#..", "......", "..#..#", "...#..", "#....#"];

#[test]
fn a_stopped_repair_claims_nothing_that_is_not_so() {
    let picture = Grid::from_rows(&TILES).unwrap();
    let whole = on_threads(1, || Repair::new(&picture).run());
    let best = whole.flips.as_ref().unwrap().len();
    assert!(
        whole.minimal && best > 1 && whole.stopped.is_none(),
        "{whole:?}"
    );
    let mut stopped = 0;
    for checks in (0..20).chain((20..6000).step_by(499)) {
        let limits = Limits::default().checks(checks);
        let repair = Repair::new(&picture).limits(limits);
        let repaired = on_threads(1, || repair.run());
        stopped += usize::from(repaired.stopped.is_some());
        let found = repaired.flips.as_ref().map(Vec::len);
        assert!(found.is_none_or(|found| found >= best));
        assert!(!repaired.minimal || found == Some(best));
        assert!(repaired.none_within.is_none_or(|within| within < best));
        if let Some(flips) = &repaired.flips {
            let puzzle = Puzzle::from_grid(&edited(&picture, flips));
            assert_eq!(Search::new(&puzzle).check().0, Verdict::Unique);
        }
        let revealed = on_threads(1, || repair.reveal());
        assert!(revealed.cells.is_some() || revealed.stopped.is_some());
    }
    assert!(stopped > 10, "{stopped}");
}

#[test]
fn threads_do_not_change_the_number_of_flips() {
    let mut random = Random(5);
    for _ in 0..6 {
        let picture = random.grid(9, 8, 0.4);
        let run = |threads| on_threads(threads, || Repair::new(&picture).alternatives(2).run());
        let (one, again, four) = (run(1), run(1), run(4));
        assert_eq!(
            (&one.flips, &one.alternatives),
            (&again.flips, &again.alternatives)
        );
        if one.minimal {
            assert_eq!(
                one.flips.map(|flips| flips.len()),
                four.flips.map(|flips| flips.len())
            );
            assert!(four.minimal);
        }
    }
}

/// The local search once stayed at the first smaller edit that it found, without end; and a count of obstacles that share no line proved no
/// more than three or four flips necessary.
#[test]
fn edits_of_many_flips_are_proved_minimal() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/puzzles/pictures/harbour.non");
    let puzzle = format::read_one(&std::fs::read(file).unwrap(), file).unwrap();
    let harbour = puzzle.notes().goal.as_ref().unwrap();
    for (top, left, width, height, flips) in [(0, 4, 21, 28, 6), (6, 15, 23, 23, 7)] {
        let mut picture = Grid::new(width, height);
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |c| (row, c))) {
            picture.set(row, column, harbour.get(top + row, left + column));
        }
        for threads in [1, 2] {
            let repaired = on_threads(threads, || Repair::new(&picture).run());
            assert_eq!(repaired.flips.map(|flips| flips.len()), Some(flips));
            assert!(repaired.minimal && repaired.none_within == Some(flips - 1));
        }
    }
}

#[test]
fn pictures_of_extreme_sizes_are_good_as_they_are() {
    for (width, height) in [(1, 1), (1, 30), (70, 1), (200, 200)] {
        for filled in [false, true] {
            let mut picture = Grid::new(width, height);
            (0..width * height).for_each(|i| picture.set(i / width, i % width, filled));
            let repaired = Repair::new(&picture).line_solvable(true).run();
            assert_eq!(repaired.flips, Some(Vec::new()));
            assert!(repaired.minimal && repaired.none_within.is_none());
        }
    }
}

#[cfg(feature = "cli")]
mod command {
    use std::fs;

    use crate::common::command::{Scratch, answer, ended, fed, output, stderr, stdout};

    const KEY: &str = "puzzles/pictures/key.non";

    #[test]
    fn the_repaired_picture_is_written_in_any_format() {
        let scratch = Scratch::new("repair-output");
        for ending in ["non", "json", "png"] {
            let file = scratch.file(&format!("key.{ending}"));
            answer(&["repair", KEY, "-o", &file]);
            assert!(answer(&["check", "-q", &file]).contains(": unique"));
            let again = ended(2, &["repair", KEY, "-o", &file]);
            assert!(stderr(&again).contains("--force"));
        }
        let pack = scratch.file("all.nonpack");
        output(&["repair", "puzzles/pack.nonpack", "-q", "-o", &pack]);
        let checked = answer(&["check", "-q", &pack]);
        assert_eq!(checked.matches(": unique").count(), 2, "{checked}");
        let own = scratch.file("own.non");
        fs::copy(KEY, &own).unwrap();
        ended(2, &["repair", &own, "-f", "-o", &own]);
    }

    #[test]
    fn kept_cells_are_never_flipped() {
        let scratch = Scratch::new("repair-keep");
        let [picture, mask] = scratch.files(["picture.txt", "mask.txt"]);
        fs::write(&picture, "#.\n.#\n").unwrap();
        fs::write(&mask, "##\n##\n").unwrap();
        let kept = output(&["repair", "--keep", &mask, &picture]);
        assert_eq!(kept.status.code(), Some(1), "{}", stdout(&kept));
        assert!(stdout(&kept).contains("no edit makes it unique"));
        fs::write(&mask, "##\n#.\n").unwrap();
        let json = answer(&["repair", "--json", "--keep", &mask, &picture]);
        assert!(
            json.contains(r#""flips":[[2,2]],"minimal":true,"none_within":0"#),
            "{json}"
        );
        fs::write(&mask, "##\n").unwrap();
        let wrong = ended(65, &["repair", "--keep", &mask, &picture]);
        assert!(stderr(&wrong).contains("the picture is 2x2, the mask of --keep 2x1"));
        ended(74, &["repair", "--keep", &scratch.file("absent"), &picture]);
    }

    #[test]
    fn exit_statuses_tell_what_is_proved() {
        ended(1, &["repair", "--budget", "0", KEY]);
        ended(3, &["repair", "--time", "0", KEY]);
        ended(2, &["repair", "--reveal", "--budget", "1", KEY]);
        let mistyped = fed(&["repair", "-"], b"2x2:2/1/1/1");
        assert_eq!(mistyped.status.code(), Some(0), "{}", stderr(&mistyped));
        assert!(stdout(&mistyped).contains("solvable with another clue"));
        // Here no change of a clue makes it unique.
        ended(1, &["repair", "puzzles/pack.nonpack#1"]);
        let without_goal = fed(&["repair", "-"], b"2x2:1/1/1/1");
        assert_eq!(without_goal.status.code(), Some(0));
        assert!(stderr(&without_goal).contains("its first solution is taken"));
    }
}
