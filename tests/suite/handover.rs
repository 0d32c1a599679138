//! Models of what threads hand to each other, run through all interleavings with up to three preemptions, and all values that weak memory
//! allows. Each is the core of a part of the engine, written out with the same steps, locks and orderings; the tests also break each on
//! purpose, and then the model must find it.
//!
//! | model | of | breaks |
//! |---|---|---|
//! | [`gaps`] | `count/walk/pool.rs`, `unfinished.rs`: components in progress, waiting sides, gaps | a key released before the value is stored or not looked up again, a gap filled before it is added, a waiting side that is dropped |
//! | [`ended_walk`] | `walk.rs`: the end of a walk, stacks and tasks that are collected | the collector does not wait for a worker between two checks; a flag without release |
//! | [`pivots`] | `search/product.rs`: regions of a product and its pivot | the last region and the pivot miss each other; an abandoned region that is not seen |
//! | [`stopped_tasks`] | `run/control.rs`, `search/task/share.rs`: the stop flag, reserved nodes, open nodes handed back | open nodes dropped, nodes returned twice, a later reason that replaces the first |

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use loom::model::Builder;
use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use loom::sync::{Arc, Mutex};
use loom::thread;

/// What is broken on purpose.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    ReleasedBeforeStored,
    NotLookedUpAgain,
    GapAddedLate,
    WaitingSideDropped,
    NoWaitForBeginners,
    RelaxedEnd,
    TriedUnwrap,
    AbandonedAfterDrop,
    OpenNodeDropped,
    NodesReturnedTwice,
    LastReasonWins,
}

/// Runs a model through its interleavings, with up to three preemptions in each; returns how many there are.
fn explore(model: impl Fn() + Sync + Send + 'static) -> usize {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    let explored = std::sync::Arc::new(std::sync::Mutex::new(0));
    let number = std::sync::Arc::clone(&explored);
    builder.check(move || {
        *number.lock().unwrap() += 1;
        model();
    });
    *explored.lock().unwrap()
}

/// Asserts that a model holds, and that it fails with each of these faults.
fn holds_and_bites(model: fn(Fault), faults: &[Fault]) {
    let explored = explore(move || model(Fault::None));
    eprintln!("{explored} interleavings");
    assert!(explored > 10, "{explored}");
    for (i, &fault) in faults.iter().enumerate() {
        let explored = catch_unwind(AssertUnwindSafe(|| explore(move || model(fault))));
        assert!(explored.is_err(), "fault {i} is not found");
    }
}

/// A sum with missing terms, as `Unfinished` is.
struct Sum {
    state: Mutex<(u64, usize)>,
}

impl Sum {
    fn new() -> Arc<Self> {
        // The frame on the stack is the first gap.
        Arc::new(Sum {
            state: Mutex::new((0, 1)),
        })
    }

    fn add_gap(&self) {
        self.state.lock().unwrap().1 += 1;
    }

    /// The value, when the last gap is filled.
    fn fill_gap(&self, value: u64) -> Option<u64> {
        let mut state = self.state.lock().unwrap();
        state.0 += value;
        state.1 = state.1.checked_sub(1).expect("a gap is filled once");
        (state.1 == 0).then_some(state.0)
    }
}

/// Two workers count a side each of the same component. Both sides are the same smaller component: whoever comes second finds it in the
/// table, or in progress, and then leaves a gap that the first one fills.
fn gaps(fault: Fault) {
    const KEY: u32 = 7;
    struct Walk {
        stored: Mutex<HashMap<u32, u64>>,
        in_progress: Mutex<HashMap<u32, Vec<Arc<Sum>>>>,
        counted: AtomicUsize,
        result: Mutex<Option<u64>>,
    }
    fn fill(walk: &Walk, sum: &Sum, value: u64) {
        if let Some(value) = sum.fill_gap(value) {
            let before = walk.result.lock().unwrap().replace(value);
            assert_eq!(before, None, "the walk ends once");
        }
    }
    fn count_side(walk: &Walk, whole: &Arc<Sum>, fault: Fault) {
        let known = walk.stored.lock().unwrap().get(&KEY).copied();
        if let Some(value) = known {
            return fill(walk, whole, value);
        }
        // The claim, under one lock.
        let mut in_progress = walk.in_progress.lock().unwrap();
        if let Some(waiting) = in_progress.get_mut(&KEY) {
            if fault != Fault::GapAddedLate {
                whole.add_gap();
            }
            waiting.push(Arc::clone(whole));
            drop(in_progress);
            if fault == Fault::GapAddedLate {
                whole.add_gap();
            }
            // The gap of this worker's own stack.
            return fill(walk, whole, 0);
        }
        in_progress.insert(KEY, Vec::new());
        drop(in_progress);
        let release = || {
            let waiting = walk.in_progress.lock().unwrap().remove(&KEY);
            waiting.expect("it is in progress until it is released")
        };
        // Stored and released between the look-up and the claim.
        let known = walk.stored.lock().unwrap().get(&KEY).copied();
        if let Some(value) = known.filter(|_| fault != Fault::NotLookedUpAgain) {
            release().iter().for_each(|side| fill(walk, side, value));
            return fill(walk, whole, value);
        }
        // Relaxed: read when both threads have ended.
        walk.counted.fetch_add(1, Ordering::Relaxed);
        let store = || walk.stored.lock().unwrap().insert(KEY, 3);
        if fault != Fault::ReleasedBeforeStored {
            store();
        }
        let waiting = release();
        if fault == Fault::ReleasedBeforeStored {
            store();
        }
        for side in waiting {
            if fault != Fault::WaitingSideDropped {
                fill(walk, &side, 3);
            }
        }
        fill(walk, whole, 3);
    }
    let walk = Arc::new(Walk {
        stored: Mutex::new(HashMap::new()),
        in_progress: Mutex::new(HashMap::new()),
        counted: AtomicUsize::new(0),
        result: Mutex::new(None),
    });
    let whole = Sum::new();
    whole.add_gap();
    let (other_walk, other_whole) = (Arc::clone(&walk), Arc::clone(&whole));
    let other = thread::spawn(move || count_side(&other_walk, &other_whole, fault));
    count_side(&walk, &whole, fault);
    other.join().unwrap();
    assert_eq!(*walk.result.lock().unwrap(), Some(6), "every gap is filled");
    assert!(walk.in_progress.lock().unwrap().is_empty());
    let counted = walk.counted.load(Ordering::Relaxed);
    assert_eq!(counted, 1, "the component is counted once");
}

/// One worker ends a walk and collects what is open; another one may be about to begin a task, or hold a stack.
fn ended_walk(fault: Fault) {
    struct Walk {
        tasks: Mutex<Vec<u64>>,
        has_ended: AtomicBool,
        active_stacks: AtomicUsize,
        ended_stacks: Mutex<Vec<u64>>,
        result: AtomicU64,
    }
    impl Walk {
        fn is_over(&self, fault: Fault) -> bool {
            let order = match fault {
                Fault::RelaxedEnd => Ordering::Relaxed,
                _ => Ordering::Acquire,
            };
            self.has_ended.load(order)
        }
    }
    let walk = Arc::new(Walk {
        tasks: Mutex::new(vec![5]),
        has_ended: AtomicBool::new(false),
        active_stacks: AtomicUsize::new(0),
        ended_stacks: Mutex::new(Vec::new()),
        result: AtomicU64::new(0),
    });
    let helper = Arc::clone(&walk);
    let helper = thread::spawn(move || {
        // `wait_for_task`, then `end_stack` of a worker that sees the end at once.
        let mut tasks = helper.tasks.lock().unwrap();
        if helper.is_over(fault) {
            return;
        }
        let Some(task) = tasks.pop() else {
            return;
        };
        helper.active_stacks.fetch_add(1, Ordering::Relaxed);
        drop(tasks);
        helper.ended_stacks.lock().unwrap().push(task);
        helper.active_stacks.fetch_sub(1, Ordering::Release);
    });
    // The run is stopped by a third thread, as by a limit that any worker meets.
    let ender = Arc::clone(&walk);
    let ender = thread::spawn(move || {
        ender.result.store(1, Ordering::Relaxed);
        let order = match fault {
            Fault::RelaxedEnd => Ordering::Relaxed,
            _ => Ordering::Release,
        };
        ender.has_ended.store(true, order);
    });
    // The worker that began the walk: if it sees the end, it collects.
    if walk.is_over(fault) {
        assert_eq!(
            walk.result.load(Ordering::Relaxed),
            1,
            "the end has a result"
        );
        if fault != Fault::NoWaitForBeginners {
            // Whoever has taken a task before the end has a stack from here on.
            drop(walk.tasks.lock().unwrap());
        }
        let mut is_collected = false;
        for _ in 0..3 {
            if walk.active_stacks.load(Ordering::Acquire) == 0 {
                let mut found = std::mem::take(&mut *walk.ended_stacks.lock().unwrap());
                found.append(&mut walk.tasks.lock().unwrap());
                assert_eq!(found, [5], "a task is lost");
                is_collected = true;
                break;
            }
            thread::yield_now();
        }
        // The engine gives up after a time as well; then it claims nothing.
        let _ = is_collected;
    }
    helper.join().unwrap();
    ender.join().unwrap();
}

/// A product of two regions beside the pivot: the tasks of the regions and the owner of the pivot all let go of it, and whoever is last
/// searches the pivot.
fn pivots(fault: Fault) {
    struct Product {
        /// As the count of an `Arc`: one for the owner, one for the region.
        holders: AtomicUsize,
        pivot: Mutex<Option<u64>>,
        is_abandoned: AtomicBool,
        searched: AtomicUsize,
    }
    /// `Arc::into_inner`: the last holder gets what is in it.
    fn is_last(product: &Product, fault: Fault) -> bool {
        if fault == Fault::TriedUnwrap {
            // `Arc::try_unwrap(..).ok()`: two holders at once may both find the other one, and then both drop.
            let is_last = product.holders.load(Ordering::Acquire) == 1;
            product.holders.fetch_sub(1, Ordering::Release);
            return is_last;
        }
        let is_last = product.holders.fetch_sub(1, Ordering::Release) == 1;
        if is_last {
            fence(Ordering::Acquire);
        }
        is_last
    }
    let product = Arc::new(Product {
        holders: AtomicUsize::new(3),
        pivot: Mutex::new(None),
        is_abandoned: AtomicBool::new(false),
        searched: AtomicUsize::new(0),
    });
    let region = |is_stopped: bool| {
        let region = Arc::clone(&product);
        thread::spawn(move || {
            // The task of a region that is stopped abandons the region, then releases it.
            if is_stopped && fault != Fault::AbandonedAfterDrop {
                region.is_abandoned.store(true, Ordering::Release);
            }
            if is_last(&region, fault) {
                let pivot = region.pivot.lock().unwrap().take();
                assert!(pivot.is_some(), "the pivot was stored by its owner");
                let is_abandoned = region.is_abandoned.load(Ordering::Acquire);
                assert!(
                    is_abandoned,
                    "a partial list of fillings is taken for the whole"
                );
                region.searched.fetch_add(1, Ordering::Relaxed);
            }
            if is_stopped && fault == Fault::AbandonedAfterDrop {
                region.is_abandoned.store(true, Ordering::Release);
            }
        })
    };
    let regions = [region(true), region(false)];
    // `results_or_store`.
    if product.holders.load(Ordering::Relaxed) > 1 {
        *product.pivot.lock().unwrap() = Some(1);
    }
    if is_last(&product, fault) {
        assert!(
            product.is_abandoned.load(Ordering::Acquire),
            "a partial list of fillings is taken for the whole"
        );
        product.searched.fetch_add(1, Ordering::Relaxed);
    }
    for region in regions {
        region.join().unwrap();
    }
    let searched = product.searched.load(Ordering::Relaxed);
    assert_eq!(searched, 1, "the pivot is searched once");
}

/// Two tasks with two open nodes each, a limit on nodes, and an interrupt: what is found and what is handed back is everything.
fn stopped_tasks(fault: Fault) {
    struct Run {
        stop: AtomicU64,
        nodes: AtomicU64,
        found: AtomicU64,
        open: Mutex<u64>,
    }
    fn stop(run: &Run, reason: u64, fault: Fault) {
        if fault == Fault::LastReasonWins {
            run.stop.store(reason, Ordering::Relaxed);
            return;
        }
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = run.stop.compare_exchange(0, reason, success, failure);
    }
    /// Searches its open nodes until it must stop, and then hands back the others.
    fn task(run: &Run, fault: Fault) {
        let (mut open, mut reserved) = (2, 0);
        while open > 0 {
            if run.stop.load(Ordering::Relaxed) != 0 {
                break;
            }
            if reserved == 0 {
                let take = |left: u64| left.checked_sub(1);
                let order = Ordering::Relaxed;
                match run.nodes.fetch_update(order, order, take) {
                    Ok(_) => reserved = 1,
                    Err(_) => {
                        stop(run, 1, fault);
                        break;
                    }
                }
            }
            reserved -= 1;
            open -= 1;
            run.found.fetch_add(1, Ordering::Relaxed);
            // It goes on with its last node without a new reservation, so that a node may be left over.
            if open == 1
                && run
                    .nodes
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                        left.checked_sub(1)
                    })
                    .is_ok()
            {
                reserved = 1;
            }
        }
        if open > 0 && fault != Fault::OpenNodeDropped {
            *run.open.lock().unwrap() += open;
        }
        let returned = match fault {
            Fault::NodesReturnedTwice => 2 * reserved,
            _ => reserved,
        };
        run.nodes.fetch_add(returned, Ordering::Relaxed);
    }
    let run = Arc::new(Run {
        stop: AtomicU64::new(0),
        nodes: AtomicU64::new(3),
        found: AtomicU64::new(0),
        open: Mutex::new(0),
    });
    let other = Arc::clone(&run);
    let other = thread::spawn(move || {
        task(&other, fault);
        other.stop.load(Ordering::Relaxed)
    });
    stop_later(&run, fault);
    task(&run, fault);
    let seen = run.stop.load(Ordering::Relaxed);
    stop_later(&run, fault);
    let seen_there = other.join().unwrap();
    let (found, open) = (run.found.load(Ordering::Relaxed), *run.open.lock().unwrap());
    assert_eq!(found + open, 4, "open nodes are lost");
    assert_eq!(
        run.nodes.load(Ordering::Relaxed),
        3 - found,
        "nodes are lost or made up"
    );
    let reason = run.stop.load(Ordering::Relaxed);
    assert!(
        [0, reason].contains(&seen) && [0, reason].contains(&seen_there),
        "the first reason stays"
    );

    /// An interrupt that comes when the other task may have met the limit already.
    fn stop_later(run: &Run, fault: Fault) {
        if run.found.load(Ordering::Relaxed) > 0 {
            stop(run, 2, fault);
        }
    }
}

#[test]
fn every_gap_is_filled_once_and_nobody_waits_for_ever() {
    let faults = [
        Fault::ReleasedBeforeStored,
        Fault::NotLookedUpAgain,
        Fault::GapAddedLate,
        Fault::WaitingSideDropped,
    ];
    holds_and_bites(gaps, &faults);
}

#[test]
fn what_is_open_when_a_walk_ends_is_collected() {
    holds_and_bites(ended_walk, &[Fault::NoWaitForBeginners, Fault::RelaxedEnd]);
}

#[test]
fn a_pivot_is_searched_once_and_knows_what_was_abandoned() {
    holds_and_bites(pivots, &[Fault::TriedUnwrap, Fault::AbandonedAfterDrop]);
}

#[test]
fn a_stop_loses_no_node() {
    let faults = [
        Fault::OpenNodeDropped,
        Fault::NodesReturnedTwice,
        Fault::LastReasonWins,
    ];
    holds_and_bites(stopped_tasks, &faults);
}
