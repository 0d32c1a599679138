//! The smallest set of cells that, given away at the start, leave the picture as the only solution, or let line solving reach it.
//!
//! A set suffices if and only if it meets every obstacle, so it is a smallest hitting set of all obstacles. These are far too many, but a
//! few suffice: a hitting set of the obstacles known is examined, and either it suffices or an obstacle is found that it does not meet
//! (implicit hitting set: Moreno-Centeno and Karp, "The implicit hitting set approach to solve combinatorial optimization problems",
//! Operations Research 61, 2013). The known obstacles give a lower bound at any time, a set that suffices an upper one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::examine::{Examiner, Finding};
use super::given::GivenExaminer;
use super::hitting::{Minimum, greedy, minimum};
use super::obstacle::{Kind, Scratch};
use super::repairer::Repair;
use crate::board::Cell;
use crate::design::picture::Picture;
use crate::line::{Word, by_width};
use crate::run::{Control, memory_plan};
use crate::solutions::Stop;

/// Most nodes of one search for a smallest hitting set.
const MAX_NODES: u64 = 2_000_000;

/// The result of [`Repair::reveal`].
///
/// With the feature `serde` it is serialized as the command prints it with `--json`, with rows and columns from 1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Revealed {
    /// The cells to be given away, in reading order; none if the picture needs none. `None`: the run was stopped before any set was
    /// found.
    pub cells: Option<Vec<Cell>>,
    /// Whether it is proved that no smaller set suffices.
    pub minimal: bool,
    /// The largest number of cells that is proved not to suffice; `None` if no cell is needed, or nothing is proved.
    pub none_within: Option<usize>,
    /// Why the run stopped before its answer was complete.
    pub stopped: Option<Stop>,
    /// Duration of the run.
    pub elapsed: Duration,
}

impl Repair<'_> {
    /// Looks for the smallest set of cells that, given away at the start, make the picture the only solution of its clues; with
    /// [`Repair::line_solvable`], that let line solving reach it. The picture stays as it is. Cells to keep, a direction, a budget and
    /// alternatives have no effect.
    ///
    /// ```
    /// use omnogram::design::Repair;
    ///
    /// let picture = omnogram::Grid::from_rows(&["#..", ".#.", "..#"])?;
    /// let revealed = Repair::new(&picture).reveal();
    /// assert_eq!(revealed.cells.map(|cells| cells.len()), Some(2));
    /// assert!(revealed.minimal);
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn reveal(&self) -> Revealed {
        let longest = self.picture.width().max(self.picture.height());
        by_width!(longest, W => self.reveal_for_width::<W>())
    }

    fn reveal_for_width<W: Word>(&self) -> Revealed {
        let started = Instant::now();
        let control = Arc::new(Control::new(&self.limits, false));
        let original = Picture::<W>::new(self.picture);
        let examiner = Examiner {
            control: &control,
            original: &original,
            kind: if self.line_solvable {
                Kind::Stuck
            } else {
                Kind::Difference
            },
            memory: memory_plan::EXAMINATIONS.of(self.limits.bytes()),
        };
        let max_elements = memory_plan::OBSTACLES.of(self.limits.bytes()) / BYTES_PER_ELEMENT;
        // Relaxed: a sum that is only shown.
        let examined = AtomicU64::new(0);
        let bounds = self.observed(
            started,
            || examined.load(Ordering::Relaxed),
            || search(&examiner, &original, max_elements, &examined),
        );
        let size = bounds.best.as_ref().map(Vec::len);
        let minimal = size == Some(bounds.least);
        Revealed {
            minimal,
            none_within: bounds.least.checked_sub(1),
            cells: bounds.best,
            stopped: control.reason().filter(|_| !minimal),
            elapsed: started.elapsed(),
        }
    }
}

/// The approximate memory per cell of an obstacle in the search for hitting sets, in bytes.
const BYTES_PER_ELEMENT: u64 = 64;

/// What is known of the smallest set.
struct Bounds {
    /// The smallest set found that suffices.
    best: Option<Vec<Cell>>,
    /// No smaller number suffices.
    least: usize,
}

fn search<W: Word>(
    examiner: &Examiner<'_, W>,
    original: &Picture<W>,
    max_elements: u64,
    examined: &AtomicU64,
) -> Bounds {
    let width = original.width();
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut elements = 0;
    let mut bounds = Bounds {
        best: None,
        least: 0,
    };
    let mut given_examiner = GivenExaminer::new(examiner);
    let mut scratch = Scratch::default();
    // Examines a set of given cells: adds new obstacles, or improves the upper bound. `false`: the run has been stopped.
    let mut examine = |given: &[usize], sets: &mut Vec<Vec<usize>>, bounds: &mut Bounds| {
        examined.fetch_add(1, Ordering::Relaxed);
        if examiner.control.reserve_nodes(1) == 0 || examiner.control.poll() {
            return false;
        }
        let cells: Vec<Cell> = given
            .iter()
            .map(|&i| Cell::new(i / width, i % width))
            .collect();
        match given_examiner.examine(&cells, &mut scratch) {
            Finding::Unknown => false,
            Finding::Good => {
                if bounds
                    .best
                    .as_ref()
                    .is_none_or(|best| cells.len() < best.len())
                {
                    bounds.best = Some(cells);
                }
                true
            }
            Finding::Obstacles(obstacles) => {
                for obstacle in obstacles {
                    let rows = obstacle.cells();
                    let set = rows.flat_map(|(row, cells)| {
                        cells.cells().map(move |column| row * width + column)
                    });
                    let set: Vec<usize> = set.collect();
                    elements += set.len() as u64;
                    sets.push(set);
                }
                if elements > max_elements {
                    examiner.control.stop(Stop::Memory);
                }
                true
            }
        }
    };
    loop {
        // The greedy set needs no proof, and finds obstacles as well as a smallest one.
        let known = sets.len();
        let set = greedy(&sets);
        if !examine(&set, &mut sets, &mut bounds) {
            return bounds;
        }
        if sets.len() > known {
            bounds.least = bounds.least.max(1);
            continue;
        }
        let mut nodes = 0;
        let found = minimum(&sets, || {
            nodes += 1;
            nodes > MAX_NODES || examiner.control.poll()
        });
        let set = match found {
            Minimum::Found(set) => set,
            Minimum::AtLeast(number) => {
                bounds.least = bounds.least.max(number);
                return bounds;
            }
        };
        bounds.least = bounds.least.max(set.len());
        let is_met = |bounds: &Bounds| {
            let best = bounds.best.as_ref();
            best.is_some_and(|best| best.len() == bounds.least)
        };
        if is_met(&bounds) || !examine(&set, &mut sets, &mut bounds) || is_met(&bounds) {
            return bounds;
        }
    }
}
