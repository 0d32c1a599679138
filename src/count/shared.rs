//! What all workers of a count share: the root, the component table, the contest of plans, the walk under way, and what has been proved.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHasher;

use super::branch::trail::{Trail, TrailStep, Trails};
use super::branch::walk::Walk;
use super::checkpointer::Checkpointer;
use super::components::{Component, Store};
use super::open_tree::OpenTree;
use super::options::Options;
use super::plan::{Plan, Trial, TrialEnd};
use super::plan_selection::PlanSelection;
use super::scratch::Scratch;
use super::setup::Setup;
use super::status::Status;
use crate::board::Clues;
use crate::line::{Known, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::run::{Control, Statistics, lock, shares};
use crate::solutions::{Count, Stop};

/// What all workers of a run share.
#[derive(Debug)]
pub(crate) struct Shared<'a, W: Word> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) clues: &'a Clues,
    pub(crate) options: &'a Options,
    pub(crate) control: Arc<Control>,
    pub(crate) checkpointer: Option<&'a Checkpointer>,
    pub(crate) scratch: Option<&'a Scratch>,
    /// Bytes for everything.
    pub(crate) memory: u64,
    pub(crate) workers: usize,
    /// The known cells at the root.
    pub(crate) rows: Vec<Known<W>>,
    /// A solution, if one is at hand.
    pub(crate) witness: Option<Grid>,
    /// The parts of the root, the smallest first.
    pub(crate) components: Vec<Component<W>>,
    /// What has been counted.
    pub(crate) store: Store,
    pub(crate) selection: Mutex<PlanSelection>,
    /// The walk that workers may join.
    pub(crate) walk: Mutex<Option<Arc<Walk<W>>>>,
    /// Where walks have left off, unless that is noted for a journal.
    trails: Mutex<Trails>,
    /// How far the tree of a part has been searched, and [which](Shared::place).
    pub(crate) tree: Mutex<Option<(u64, OpenTree)>>,
    /// May no more workers begin? A thread that waits for the pieces of its sweep runs whatever it finds, also a worker that has not begun,
    /// which would come to an end only when the sweep has. Relaxed: the thread that sets it is the one that must not miss it.
    pub(crate) closed: AtomicBool,
    pub(crate) status: &'a Status,
    /// The index of the component that is being counted, and the best lower bound of its fillings.
    bound: Mutex<(usize, Count)>,
    /// That index once more: a trial of another component is of no use any more. Relaxed: a hint, which saves work.
    current: AtomicUsize,
    /// Limits of the slice of the tree that is being searched.
    pub(crate) slice: Mutex<Option<Arc<Control>>>,
    pub(crate) statistics: Mutex<Statistics>,
}

impl<'a, W: Word> Shared<'a, W> {
    /// A count of which nothing is known yet, on the threads of the pool at hand, within this memory.
    pub(crate) fn new(
        setup: &'a Setup<'_>,
        clues: &'a Clues,
        control: Arc<Control>,
        status: &'a Status,
        memory: u64,
        store: Store,
        selection: PlanSelection,
    ) -> Self {
        let workers = rayon::current_num_threads();
        Shared {
            puzzle: setup.puzzle,
            clues,
            options: &setup.options,
            control,
            checkpointer: None,
            scratch: setup.scratch,
            memory,
            workers,
            rows: Vec::new(),
            witness: None,
            components: Vec::new(),
            store,
            selection: Mutex::new(selection),
            walk: Mutex::new(None),
            trails: Mutex::default(),
            tree: Mutex::default(),
            closed: AtomicBool::new(false),
            status,
            bound: Mutex::new((0, Count::ZERO)),
            current: AtomicUsize::new(0),
            slice: Mutex::default(),
            statistics: Mutex::new(Statistics::default()),
        }
    }

    /// Makes ready for this contest, or for going on with it; returns the one before.
    pub(crate) fn begin(&self, selection: PlanSelection) -> PlanSelection {
        let before = std::mem::replace(&mut *lock(&self.selection), selection);
        *lock(&self.bound) = (0, Count::ZERO);
        self.current.store(0, Ordering::Relaxed);
        before
    }

    /// Most bytes of what a walk puts aside.
    pub(crate) fn put_aside(&self) -> u64 {
        self.memory / shares::PUT_ASIDE
    }

    /// Notes that the component with this index has at least `bound` fillings, if it is still the one that is being counted.
    pub(crate) fn raise_bound(&self, component: usize, bound: Count) {
        let mut best = lock(&self.bound);
        if component == best.0 && bound > best.1 {
            best.1 = bound;
            drop(best);
            self.status.raise(self.proved());
        }
    }

    /// Takes in how a trial ended. The trials of other workers are broken off when that was the last one of its component.
    pub(crate) fn report(&self, trial: Trial, ended: TrialEnd) {
        let mut selection = lock(&self.selection);
        let component = selection.report(trial, ended);
        if self.store.is_outgrown() {
            selection.halt();
        }
        self.note(&selection);
        if selection.is_void() {
            // No solution of this component, none at all.
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
        self.status.raise(self.proved());
    }

    /// Whether this component is not being counted any more.
    pub(crate) fn is_obsolete(&self, component: usize) -> bool {
        self.current.load(Ordering::Relaxed) != component
    }

    /// Notes how a contest stands, where somebody keeps track of it.
    pub(crate) fn note(&self, selection: &PlanSelection) {
        if let (Some(checkpointer), Some(state)) = (self.checkpointer, selection.state()) {
            checkpointer.stands(Some(state));
        }
    }

    /// Tells the parts of all boards of a puzzle apart, in every process alike.
    pub(crate) fn place(&self, component: usize) -> u64 {
        let mut hasher = FxHasher::default();
        let mut hash = |number: usize, words: &[W]| {
            number.hash(&mut hasher);
            let components = |word: &W| (0..W::BITS / 64).map(|i| word.part(i)).collect::<Vec<_>>();
            words
                .iter()
                .for_each(|word| components(word).hash(&mut hasher));
        };
        for (row, known) in self.rows.iter().enumerate() {
            hash(row, &[known.filled, known.empty]);
        }
        for &(row, cells) in &self.components[component].rows {
            hash(row.into(), &[cells]);
        }
        hasher.finish()
    }

    /// The way that an earlier walk through a part by this plan has left.
    pub(crate) fn trail(&self, component: usize, plan: Plan) -> Option<Vec<TrailStep>> {
        let place = self.place(component);
        match self.checkpointer {
            Some(checkpointer) => checkpointer.trail(place, plan),
            None => lock(&self.trails).of(place, plan),
        }
    }

    /// Notes the way to where a walk is.
    pub(crate) fn note_trail(&self, component: usize, plan: Plan, steps: Vec<TrailStep>) {
        let place = self.place(component);
        let trail = Trail { place, plan, steps };
        match self.checkpointer {
            Some(checkpointer) => checkpointer.goes(trail),
            None => lock(&self.trails).note(trail, false),
        }
    }

    /// What a sweep of a part may take, in nanoseconds.
    pub(crate) fn bite(&self) -> u64 {
        self.checkpointer
            .and_then(Checkpointer::bite)
            .unwrap_or(u64::MAX)
    }

    /// Parts of one of the whole, a good deal smaller than this, are swept.
    pub(crate) fn narrow(&self, component: usize) -> u32 {
        let wide = self.checkpointer.and_then(Checkpointer::wide);
        self.components[component]
            .size
            .min(wide.unwrap_or(u32::MAX))
    }

    /// Notes that a part of this size is too wide to be swept within a bite.
    pub(crate) fn is_too_wide(&self, size: u32) {
        if let Some(checkpointer) = self.checkpointer
            && checkpointer.bite().is_some()
            && !self.control.stopped()
        {
            checkpointer.is_too_wide(size);
        }
    }

    /// What is proved of the parts: the product of those that are done, with the bound of the one that is under way.
    pub(crate) fn proved(&self) -> Count {
        // Held until the bound is known, as both change together.
        let selection = lock(&self.selection);
        let (mut count, open) = selection.result();
        if open > 0 && !count.is_zero() {
            // Of parts that nobody has looked at nothing is known, but that they have a solution each where the whole has one.
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
