//! Runs that are stopped at their n-th check of the stop flag, for a thousand random puzzles, numbers of threads, methods and n: each ends,
//! and says something that holds. Where it hands back open cubes, or has a journal, these complete the answer exactly. Afterwards no thread
//! is left behind.

#![cfg(feature = "cli")]

mod common;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use common::{Random, eager, pool, restless, switches};
use omnogram::cluster::{CubeSolver, Digest, Header, Journal, JournalledRun, Mode};
use omnogram::count::{ComponentTable, Counter, Method};
use omnogram::design::{Ambiguity, Generator, Repair, Wanted};
use omnogram::graph::SolutionGraph;
use omnogram::puzzle::{Grid, Puzzle, verify};
use omnogram::search::{self, Outcome, Search, Total, Verdict};
use omnogram::solutions::{Count, Set, Stop};
use omnogram::{Estimator, Limits};

/// How many runs are stopped.
const ROUNDS: usize = 10_000;

/// Nothing here takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ends the process if a round does not end: a test that hangs says nothing.
struct Watchdog {
    round: Arc<AtomicU64>,
    done: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watchdog {
    fn new() -> Self {
        let (round, done) = (
            Arc::new(AtomicU64::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (watched, ended) = (Arc::clone(&round), Arc::clone(&done));
        let thread = std::thread::spawn(move || {
            let (mut seen, mut since) = (0, std::time::Instant::now());
            while !ended.load(Ordering::Relaxed) {
                std::thread::park_timeout(Duration::from_secs(1));
                let now = watched.load(Ordering::Relaxed);
                if now != seen {
                    (seen, since) = (now, std::time::Instant::now());
                } else if since.elapsed() > PATIENCE {
                    eprintln!("round {now} does not end");
                    std::process::exit(1);
                }
            }
        });
        Watchdog {
            round,
            done,
            thread: Some(thread),
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Number of threads of this process; `None` where the system does not tell.
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

/// Resident memory of this process in KiB; `None` where the system does not tell.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A puzzle and all that there is to know about it.
struct Sample {
    puzzle: Puzzle,
    picture: Grid,
    solutions: Vec<Grid>,
    all: Count,
}

fn samples(random: &mut Random) -> Vec<Sample> {
    let mut samples = Vec::new();
    while samples.len() < 40 {
        let (width, height) = random.size(4, 6);
        let density = 0.25 + 0.3 * random.below(100) as f64 / 100.0;
        let picture = random.grid(width, height, density);
        let puzzle = match samples.len() {
            0 => switches(3),
            1..=4 => random.mixed(width, height, density),
            _ => Puzzle::from_grid(&picture),
        };
        let (solutions, outcome) = Search::new(&puzzle).collect();
        if outcome.is_complete() && solutions.len() < 1500 {
            let all = Count::from(solutions.len() as u64);
            samples.push(Sample {
                puzzle,
                picture,
                solutions,
                all,
            });
        }
    }
    samples
}

/// Asserts that a run said the number, or that it was stopped and said a lower bound.
fn is_right(outcome: &Outcome, all: &Count) {
    match (&outcome.solutions, outcome.stopped) {
        (Total::Exactly(count), None) => assert_eq!(count, all),
        (Total::AtLeast(count), Some(Stop::Interrupt)) => assert!(count <= all, "{count} of {all}"),
        other => panic!("{other:?}"),
    }
}

/// Lists the solutions, stopped; then those of the open cubes.
fn list(sample: &Sample, limits: Limits, options: search::Options) -> bool {
    let search = Search::new(&sample.puzzle).options(options);
    let set = Set::new(1 << 30);
    let outcome = search.clone().limits(limits).run(&set);
    is_right(&outcome, &sample.all);
    let stopped = !outcome.is_complete();
    if stopped {
        assert!(!outcome.cubes.is_empty());
        assert!(search.cubes(outcome.cubes).run(&set).is_complete());
    }
    assert_eq!(set.repeats(), 0);
    let grids = set.into_sorted(sample.puzzle.width(), sample.puzzle.height());
    assert!(grids == sample.solutions);
    stopped
}

/// Counts the solutions by the tree, stopped; then those of the open cubes.
fn count_by_tree(sample: &Sample, limits: Limits) -> bool {
    let outcome = Counter::new(&sample.puzzle)
        .method(Method::Tree)
        .limits(limits)
        .run();
    is_right(&outcome, &sample.all);
    let mut sum = outcome.solutions.number().clone();
    if !outcome.is_complete() {
        assert!(!outcome.cubes.is_empty());
        let rest = Search::new(&sample.puzzle).cubes(outcome.cubes).count();
        assert!(rest.is_complete());
        sum += rest.solutions.number();
    }
    assert_eq!(sum, sample.all);
    outcome.stopped.is_some()
}

/// Counts by this method, stopped; then again with the components that are counted.
fn count_on(sample: &Sample, limits: Limits, method: Method, is_restless: bool) -> bool {
    let table = Arc::new(ComponentTable::new(1 << 26));
    let mut counter = Counter::new(&sample.puzzle).method(method).sharing(&table);
    if is_restless {
        counter = counter.options(restless());
    }
    let first = counter.clone().limits(limits).run();
    is_right(&first, &sample.all);
    let second = counter.run();
    assert_eq!(second.solutions, Total::Exactly(sample.all.clone()));
    first.stopped.is_some()
}

/// Counts by this method with a journal, stopped; then again from the journal, where every cube is cut that takes a moment.
fn count_with_journal(sample: &Sample, limits: Limits, method: Method) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let header = Header::new(Digest::of(&sample.puzzle), "count");
    let run = |limits: Limits| {
        let (journal, records) = Journal::open(&path, &header, |_| ()).unwrap();
        let threads = rayon::current_num_threads();
        let cube_solver = CubeSolver::new(&sample.puzzle, Mode::Count(method), threads, 1 << 26);
        let run = JournalledRun::new(cube_solver, journal, records, None, limits).unwrap();
        assert!(run.done_and_proved().1 <= sample.all);
        run.cut_after(Duration::ZERO).run(None).unwrap()
    };
    let first = run(limits);
    is_right(&first, &sample.all);
    let second = run(Limits::default());
    assert_eq!(second.solutions, Total::Exactly(sample.all.clone()));
    first.stopped.is_some()
}

/// Whether the count of this graph was stopped. The number may be known where the graph is not.
fn is_right_graph((graph, outcome): (Option<SolutionGraph>, Outcome), all: &Count) -> bool {
    let number = outcome.solutions.number();
    assert!(number <= all && (number == all || !outcome.solutions.is_exact()));
    match graph {
        Some(graph) => assert_eq!(graph.count(), all),
        None => assert!(outcome.stopped.is_some()),
    }
    outcome.stopped.is_some()
}

/// One round of a kind: whether the run was stopped.
fn round(kind: usize, sample: &Sample, limits: Limits) -> bool {
    let Sample {
        puzzle,
        picture,
        solutions,
        all,
    } = sample;
    let search = Search::new(puzzle).limits(limits.clone());
    match kind {
        0 => list(sample, limits, search::Options::default()),
        1 => list(
            sample,
            limits,
            search::Options {
                settles_per_poll: 1,
                region_bytes: 0,
                ..search::Options::default()
            },
        ),
        2 => count_by_tree(sample, limits),
        3..=8 => {
            let method = [Method::Auto, Method::Regions, Method::Frontier][kind % 3];
            count_on(sample, limits, method, kind < 6)
        }
        9 => {
            let search = search.options(eager());
            let (verdict, found, outcome) = search.check();
            assert!(found.iter().all(|grid| verify(puzzle, grid).is_ok()));
            let known = Total::Exactly(all.clone()).verdict();
            assert!([known, Verdict::Undecided].contains(&verdict));
            assert!(verdict == known || outcome.stopped.is_some());
            outcome.stopped == Some(Stop::Interrupt)
        }
        10 => {
            let (backbone, outcome) = search.backbone();
            for row in 0..puzzle.height() {
                for column in 0..puzzle.width() {
                    if let Some(value) = backbone.get(row, column) {
                        let same = |grid: &Grid| grid.get(row, column) == value;
                        assert!(solutions.iter().all(same));
                    }
                }
            }
            assert!(outcome.solutions.number() <= all);
            outcome.stopped.is_some()
        }
        11 => {
            let graph = Counter::new(puzzle).limits(limits).graph();
            is_right_graph(graph, all)
        }
        12 => {
            let estimate = Estimator::new(puzzle).limits(limits).populations(1).run();
            assert!(estimate.solutions.number() <= all);
            assert!(!estimate.solutions.is_exact() || estimate.solutions.number() == all);
            estimate.stopped.is_some()
        }
        13 => {
            let found = Ambiguity::by(&search);
            assert!(found.outcome.solutions.number() <= all);
            let exact = found.outcome.solutions.is_exact();
            assert!(!exact || found.outcome.solutions.number() == all);
            found.outcome.stopped.is_some()
        }
        14 => {
            let small = Grid::from_rows(&["##..", "..##", "#..#", ".##."]).unwrap();
            let picture = if picture.words().len() < 7 {
                picture
            } else {
                &small
            };
            let repaired = Repair::new(picture).budget(2).limits(limits).run();
            if let Some(flips) = &repaired.flips {
                let mut edited = picture.clone();
                for cell in flips {
                    let (row, column) = (usize::from(cell.row), usize::from(cell.column));
                    edited.set(row, column, !edited.get(row, column));
                }
                let edited = Puzzle::from_grid(&edited);
                assert_eq!(Search::new(&edited).check().0, Verdict::Unique);
            }
            repaired.stopped.is_some()
        }
        15 => {
            let generator = Generator::new(8, 8).unwrap().seed(all.to_u64().unwrap());
            let made = generator.wanted(Wanted::Unique).limits(limits).make(0);
            if let Some(puzzle) = &made.puzzle {
                assert_eq!(Search::new(puzzle).check().0, Verdict::Unique);
            }
            assert!(made.puzzle.is_some() || made.stopped.is_some());
            made.stopped.is_some()
        }
        16 => {
            // Without an opening, sweeps have their turn early.
            let counter = Counter::new(puzzle).limits(limits).options(restless());
            is_right_graph(counter.quick_graph(), all)
        }
        17..=19 => {
            let method = [Method::Auto, Method::Regions, Method::Frontier][kind % 3];
            count_with_journal(sample, limits, method)
        }
        _ => unreachable!("there are {KINDS} kinds"),
    }
}

const KINDS: usize = 20;

#[test]
fn a_run_that_is_stopped_anywhere_says_what_holds() {
    let watchdog = Watchdog::new();
    let mut random = Random(2027);
    let samples = samples(&mut random);
    let pools: Vec<_> = [1, 2, 3, 4, 8].map(pool).into();
    // The global pool starts with its first use.
    rayon::join(|| (), || ());
    let mut stopped = BTreeMap::new();
    let (mut before, mut after_warming) = (None, None);
    for i in 0..ROUNDS {
        watchdog.round.store(i as u64 + 1, Ordering::Relaxed);
        let sample = &samples[random.below(samples.len())];
        let size = 1 + random.below(11);
        let checks = random.below(1 << size);
        let pool = &pools[random.below(pools.len())];
        let limits = Limits::default().checks(checks as u64);
        let kind = i % KINDS;
        let said = std::panic::catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| round(kind, sample, limits))
        }));
        let said = said.unwrap_or_else(|panic| {
            let threads = pool.current_num_threads();
            let puzzle = &sample.puzzle;
            eprintln!("round {i}: kind {kind}, check {checks}, {threads} threads: {puzzle:?}");
            std::panic::resume_unwind(panic)
        });
        *stopped.entry(kind).or_insert(0) += usize::from(said);
        if i == 0 {
            before = threads();
        }
        if i == ROUNDS / 4 {
            after_warming = resident();
        }
    }
    let total: usize = stopped.values().sum();
    assert!(total > ROUNDS / 4, "{stopped:?}");
    assert!(stopped.values().all(|&stopped| stopped > 3), "{stopped:?}");
    // A thread that has ended may be listed for a moment.
    let patience = std::time::Instant::now();
    while threads() > before && patience.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(
        threads() <= before,
        "{:?} threads, {before:?} before",
        threads()
    );
    if let (Some(before), Some(after)) = (after_warming, resident()) {
        assert!(after < before + (96 << 10), "{before} KiB, then {after}");
    }
    eprintln!("{total} of {ROUNDS} runs were stopped: {stopped:?}");
}
