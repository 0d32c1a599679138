//! What all workers of a count share: the root, the component table, the plan selection, the shared walk, and the proved bounds.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHasher;

use super::checkpointer::Checkpointer;
use super::components::{Component, Store};
use super::helpers::Helpers;
use super::open_tree::OpenTree;
use super::options::Options;
use super::plan::{Plan, Trial, TrialEnd};
use super::selection::PlanSelection;
use super::setup::Setup;
use super::status::Status;
use super::sweep::Direction;
use super::walk::paused_sweeps::PausedSweeps;
use super::walk::paused_walks::PausedWalks;
use super::walk::racer::Walk;
use super::walk::trail::{Trail, TrailStep};
use crate::board::Clues;
use crate::line::{Known, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::run::{Control, Statistics, lock, memory_plan};
use crate::solutions::{Count, Stop};

/// The state that all workers of a count share.
#[derive(Debug)]
pub(crate) struct Shared<'a, W: Word> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) clues: &'a Clues,
    pub(crate) options: &'a Options,
    pub(crate) control: Arc<Control>,
    pub(crate) checkpointer: Option<&'a Checkpointer>,
    /// Bytes that the whole count may take.
    pub(crate) memory: u64,
    pub(crate) workers: usize,
    /// The known cells at the root.
    pub(crate) rows: Vec<Known<W>>,
    /// A solution, if one is known.
    pub(crate) witness: Option<Grid>,
    /// The components of the root, the smallest first.
    pub(crate) components: Vec<Component<W>>,
    /// The component table, and the solution graph if it is kept.
    pub(crate) store: Store,
    /// The plan selection under way.
    pub(crate) selection: Mutex<PlanSelection>,
    /// The sweeps of the plan selection that go on in later rounds. They outlive the worker that began them, as the selection does.
    pub(crate) paused_sweeps: Mutex<PausedSweeps>,
    /// The walks of the plan selection that go on in later rounds.
    pub(crate) paused_walks: Mutex<PausedWalks<W>>,
    /// The walk that helpers may join.
    pub(crate) walk: Mutex<Option<Arc<Walk<W>>>>,
    /// The open tree of a component that the tree search has begun, and the [place](Shared::place) of that component.
    pub(crate) tree: Mutex<Option<(u64, OpenTree)>>,
    pub(crate) helpers: Helpers,
    pub(crate) status: &'a Status,
    /// The index of the component that is being counted, and the best lower bound of its count.
    bound: Mutex<(usize, Count)>,
    /// The same index: trials of other components are obsolete. Relaxed: a hint that saves work.
    current: AtomicUsize,
    /// The control of the slice of the tree that is being searched.
    pub(crate) slice: Mutex<Option<Arc<Control>>>,
    pub(crate) statistics: Mutex<Statistics>,
}

impl<'a, W: Word> Shared<'a, W> {
    /// The state before the root is known, for the threads of the current rayon pool and this many bytes of memory.
    pub(crate) fn new(
        setup: &'a Setup<'_>,
        clues: &'a Clues,
        control: Arc<Control>,
        status: &'a Status,
        memory: u64,
        store: Store,
        selection: PlanSelection,
    ) -> Self {
        let workers = setup.threads();
        Shared {
            puzzle: setup.puzzle,
            clues,
            options: &setup.options,
            control,
            checkpointer: None,
            memory,
            workers,
            rows: Vec::new(),
            witness: None,
            components: Vec::new(),
            store,
            selection: Mutex::new(selection),
            paused_sweeps: Mutex::default(),
            paused_walks: Mutex::default(),
            walk: Mutex::new(None),
            tree: Mutex::default(),
            helpers: Helpers::default(),
            status,
            bound: Mutex::new((0, Count::ZERO)),
            current: AtomicUsize::new(0),
            slice: Mutex::default(),
            statistics: Mutex::new(Statistics::default()),
        }
    }

    /// Makes this the plan selection under way, and drops the sweeps and walks of the previous one, which it returns.
    pub(crate) fn replace_selection(&self, selection: PlanSelection) -> PlanSelection {
        let component = selection.component();
        let before = std::mem::replace(&mut *lock(&self.selection), selection);
        *lock(&self.paused_sweeps) = PausedSweeps::default();
        *lock(&self.paused_walks) = PausedWalks::default();
        *lock(&self.bound) = (component, Count::ZERO);
        self.current.store(component, Ordering::Relaxed);
        before
    }

    /// Maximum bytes of a walk's unfinished components, and of the sides that wait for them.
    pub(crate) fn max_unfinished_bytes(&self) -> u64 {
        memory_plan::DEFERRED.of(self.memory)
    }

    /// Maximum bytes of all paused walks together.
    pub(crate) fn max_paused_bytes(&self) -> u64 {
        memory_plan::PAUSED_WALKS.of(self.memory)
    }

    /// Records that the component with this index has at least `bound` fillings, if it is still being counted.
    pub(crate) fn raise_bound(&self, component: usize, bound: Count) {
        let mut best = lock(&self.bound);
        if component == best.0 && bound > best.1 {
            best.1 = bound;
            drop(best);
            self.status.raise_bound(self.lower_bound());
        }
    }

    /// Records how a trial ended. If that completes the component, the trials of other workers on it stop.
    pub(crate) fn report(&self, trial: Trial, ended: TrialEnd) {
        let mut selection = lock(&self.selection);
        let component = selection.report(trial, ended);
        if self.store.is_outgrown() {
            selection.halt();
        }
        self.record_selection(&selection);
        if selection.has_no_solution() {
            // The component has no solution, so the puzzle has none.
            self.control.finish();
        }
        // Still under the selection's lock: whoever reads both sees the component and its bound together.
        let mut bound = lock(&self.bound);
        if component != bound.0 {
            *bound = (component, Count::ZERO);
            self.current.store(component, Ordering::Relaxed);
            if let Some(slice) = &*lock(&self.slice) {
                slice.stop(Stop::Interrupt);
            }
        }
        drop((selection, bound));
        self.status.raise_bound(self.lower_bound());
    }

    /// Records that sweeps of this component in these directions, which had paused, have to begin again.
    pub(crate) fn record_dropped_sweeps(&self, component: usize, directions: &[Direction]) {
        for &direction in directions {
            lock(&self.selection).record_dropped_sweep(component, direction);
        }
    }

    /// Whether this component is not being counted any more.
    pub(crate) fn is_obsolete(&self, component: usize) -> bool {
        self.current.load(Ordering::Relaxed) != component
    }

    /// Records the state of plan selection, if there is a checkpointer.
    pub(crate) fn record_selection(&self, selection: &PlanSelection) {
        if let (Some(checkpointer), Some(state)) = (self.checkpointer, selection.state()) {
            checkpointer.record_selection(Some(state));
        }
    }

    /// A hash that identifies a component among those of all boards of a puzzle; it is the same in every process.
    pub(crate) fn place(&self, component: usize) -> u64 {
        let mut hasher = FxHasher::default();
        let mut hash = |number: usize, words: &[W]| {
            number.hash(&mut hasher);
            let parts = |word: &W| (0..W::BITS / 64).map(|i| word.part(i)).collect::<Vec<_>>();
            words.iter().for_each(|word| parts(word).hash(&mut hasher));
        };
        for (row, known) in self.rows.iter().enumerate() {
            hash(row, &[known.filled, known.empty]);
        }
        for &(row, cells) in &self.components[component].rows {
            hash(row.into(), &[cells]);
        }
        hasher.finish()
    }

    /// The trail of an earlier walk through this component by this plan, if there is a checkpointer.
    pub(crate) fn trail(&self, component: usize, plan: Plan) -> Option<Vec<TrailStep>> {
        let checkpointer = self.checkpointer?;
        checkpointer.trail(self.place(component), plan)
    }

    /// Records the trail of a walk, and its work so far, if there is a checkpointer.
    pub(crate) fn record_trail(
        &self,
        component: usize,
        plan: Plan,
        steps: Vec<TrailStep>,
        work: u64,
    ) {
        if let Some(checkpointer) = self.checkpointer {
            let place = self.place(component);
            checkpointer.record_trail(Trail { place, plan, steps }, work);
        }
    }

    /// The time that the sweep of a component within a branching walk may take, in nanoseconds.
    pub(crate) fn sweep_budget_ns(&self) -> u64 {
        self.checkpointer
            .and_then(Checkpointer::sweep_budget_ns)
            .unwrap_or(u64::MAX)
    }

    /// The size in cells of the smallest component that is known to be too wide to be swept, in a walk through the root component with this
    /// index. Before any is known, the size of the root component.
    pub(crate) fn sweep_size_bound(&self, component: usize) -> u32 {
        let too_wide = self.checkpointer.and_then(Checkpointer::too_wide);
        self.components[component]
            .size
            .min(too_wide.unwrap_or(u32::MAX))
    }

    /// Records that a component of this size cannot be swept within [`sweep_budget_ns`](Self::sweep_budget_ns).
    pub(crate) fn record_too_wide(&self, size: u32) {
        if let Some(checkpointer) = self.checkpointer
            && checkpointer.sweep_budget_ns().is_some()
            && !self.control.stopped()
        {
            checkpointer.record_too_wide(size);
        }
    }

    /// The proved lower bound: the product of the components counted so far and of the bound of the one that is being counted.
    pub(crate) fn lower_bound(&self) -> Count {
        // This lock is held until the bound is read, as both change together.
        let selection = lock(&self.selection);
        let (mut count, open) = selection.result();
        if open > 0 && !count.is_zero() {
            // Of the components after the current one it is only known that each has a solution if the puzzle has one.
            let bound = &lock(&self.bound).1;
            match &self.witness {
                Some(_) if bound.is_zero() => {}
                None if open > 1 => count = Count::ZERO,
                _ => count *= bound,
            }
        }
        count
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::{Duration, Instant};

    use super::super::Counter;
    use super::super::checkpointer::Checkpoint;
    use super::super::components::{ComponentTable, ComponentValue};
    use super::super::options::Method;
    use super::super::root::components;
    use super::super::selection::Next;
    use super::*;
    use crate::board::Board;

    const MEMORY: u64 = 1 << 24;

    /// The setup of a count on one thread.
    pub(crate) fn setup(puzzle: &Puzzle) -> Setup<'_> {
        Counter::new(puzzle).single_threaded().setup
    }

    /// Calls `test` with the state of a count in which everything is known that propagation finds.
    pub(crate) fn with_shared(
        setup: &Setup<'_>,
        keeps_graph: bool,
        test: impl for<'s> FnOnce(Shared<'s, u64>, Board<'s, u64>),
    ) {
        let clues = Clues::new(setup.puzzle);
        let control = Arc::new(Control::new(&setup.limits, false));
        let status = Status::new(Instant::now(), Count::ZERO);
        let store = Store::new(Arc::new(ComponentTable::new(MEMORY)), keeps_graph, MEMORY);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let components = components(&board, &store.table.state_numbers, &control);
        let components = components.expect("nothing stops it");
        let trial_ns = setup.options.trial_ns;
        let selection = PlanSelection::new(Method::Auto, components.len(), trial_ns);
        let mut shared = Shared::new(setup, &clues, control, &status, MEMORY, store, selection);
        shared.checkpointer = setup.checkpointer;
        shared.rows = board.rows().to_vec();
        shared.components = components;
        test(shared, board);
    }

    /// Two permutations in the corners, of 2x2 and 3x3 cells: two components, which have 2 and 6 fillings.
    pub(crate) fn two_permutations() -> Puzzle {
        let (first, second) = (vec![1, 3], vec![2, 1]);
        let lines = [&first, &first, &vec![], &second, &second, &second];
        let lines: Vec<Vec<usize>> = lines.into_iter().cloned().collect();
        Puzzle::from_clues(&lines, &lines).unwrap()
    }

    fn begin_trial(shared: &Shared<'_, u64>) -> Trial {
        match lock(&shared.selection).next() {
            Next::Try(trial) => trial,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_lower_bound_is_the_product_of_what_is_proved_of_each_component() {
        with_shared(&setup(&two_permutations()), false, |mut shared, _| {
            assert_eq!(shared.components.len(), 2);
            let bounds = |shared: &mut Shared<'_, u64>| {
                shared.witness = None;
                let without_witness = shared.lower_bound();
                shared.witness = Some(Grid::new(6, 6));
                [without_witness, shared.lower_bound()].map(|it| it.to_u64().unwrap())
            };
            assert_eq!(bounds(&mut shared), [0, 1]);
            // A bound of a component that is not being counted is ignored, and a bound never falls.
            shared.raise_bound(1, Count::from(5));
            assert_eq!(bounds(&mut shared), [0, 1]);
            shared.raise_bound(0, Count::from(2));
            shared.raise_bound(0, Count::ONE);
            assert_eq!(bounds(&mut shared), [0, 2]);
            assert!(!shared.is_obsolete(0) && shared.is_obsolete(1));
            let two = ComponentValue::number(Count::from(2));
            shared.report(begin_trial(&shared), TrialEnd::Done(two));
            assert!(shared.is_obsolete(0) && !shared.is_obsolete(1));
            // What had been proved of the first component is not taken for a bound of the second.
            assert_eq!(bounds(&mut shared), [0, 2]);
            shared.raise_bound(0, Count::from(5));
            assert_eq!(bounds(&mut shared), [0, 2]);
            shared.raise_bound(1, Count::from(4));
            assert_eq!(bounds(&mut shared), [8, 8]);
            assert_eq!(shared.status.raise_bound(Count::ZERO), Count::from(8));
            let six = ComponentValue::number(Count::from(6));
            shared.report(begin_trial(&shared), TrialEnd::Done(six));
            assert_eq!(bounds(&mut shared), [12, 12]);
        });
    }

    #[test]
    fn a_sweep_that_is_dropped_has_done_nothing() {
        with_shared(&setup(&two_permutations()), false, |shared, _| {
            let mut sweeps = Vec::new();
            while sweeps.len() < 2 {
                let trial = begin_trial(&shared);
                let (forecast, kept) = (1e15, 7);
                let ended = match trial.plan.is_sweep() {
                    true => TrialEnd::Paused { forecast, kept },
                    false => TrialEnd::Full,
                };
                sweeps.extend(trial.plan.is_sweep().then_some(trial.plan));
                shared.report(trial, ended);
            }
            let spent = || {
                let state = lock(&shared.selection).state().unwrap();
                let spent = state.tried.iter().map(|tried| (tried.plan, tried.spent));
                spent.collect::<Vec<_>>()
            };
            let [down, right] = [Direction::Down, Direction::Right].map(Plan::Sweep);
            assert_eq!(spent(), [(down, 7), (right, 7)]);
            shared.record_dropped_sweeps(1, &[Direction::Down, Direction::Right]);
            assert_eq!(spent(), [(down, 7), (right, 7)]);
            shared.record_dropped_sweeps(0, &[Direction::Right]);
            assert_eq!(spent(), [(down, 7), (right, 0)]);
        });
    }

    #[test]
    fn a_component_is_too_wide_if_its_sweep_used_up_a_share_of_a_lifetime() {
        let puzzle = two_permutations();
        let checkpointer = Checkpointer::new(&puzzle, MEMORY);
        let mut setup = setup(&puzzle);
        setup.checkpointer = Some(&checkpointer);
        with_shared(&setup, false, |shared, _| {
            let bounds = || [0, 1].map(|component| shared.sweep_size_bound(component));
            assert_eq!(bounds(), [4, 9]);
            // The first process has no bound on the time of a sweep.
            assert_eq!(shared.sweep_budget_ns(), u64::MAX);
            shared.record_too_wide(5);
            assert_eq!(bounds(), [4, 9]);
            let lifetime = Duration::from_secs(8);
            checkpointer.read(Checkpoint::default(), lifetime).unwrap();
            assert_eq!(shared.sweep_budget_ns(), 1_000_000_000);
            shared.record_too_wide(5);
            assert_eq!(bounds(), [4, 5]);
            // A sweep that was stopped with the run has not used up its time.
            shared.control.stop(Stop::Interrupt);
            shared.record_too_wide(3);
            assert_eq!(bounds(), [4, 5]);
        });
    }

    #[test]
    fn deferred_work_takes_a_32nd_of_the_memory() {
        with_shared(&setup(&two_permutations()), false, |shared, _| {
            assert_eq!(shared.max_unfinished_bytes(), MEMORY / 32);
        });
    }
}
