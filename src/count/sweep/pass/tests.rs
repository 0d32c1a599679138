use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::fixtures::{fills_once, must_fill, with_transition};
use super::super::resources::Allowance;
use super::*;

fn resources(bytes: u64) -> Resources<'static> {
    Resources::new(Allowance::of(bytes, u64::MAX), 1, 0)
}

/// The combinations below `len` in this number of partitions.
fn tables(partitions: usize, len: u64) -> Vec<Table<u64, u64>> {
    let resources = resources(1 << 24);
    let mut tables = vec![Table::default(); partitions];
    for key in 0..len {
        let table = &mut tables[key.partition(partitions)];
        assert_eq!(table.add(&[(key, 1)], &resources), Ok(()));
    }
    tables
}

#[test]
fn the_size_of_a_layer_is_extrapolated_from_two_shares_of_it() {
    // With 1000 combinations a table has 2048 buckets of 17 bytes, for up to 1792.
    let tables = tables(1, 1000);
    let outgrows =
        |remaining: u64, before, now| outgrows(&tables, &resources(remaining), before, now);
    let more = 2048 * 17;
    // Twice as many combinations at twice the share: 2000 in all.
    assert!(outgrows(more - 1, (0.25, 500), (0.5, 1000)));
    assert!(!outgrows(more, (0.25, 500), (0.5, 1000)));
    // Twice as many at four times the share: 1414 in all.
    assert!(!outgrows(0, (0.125, 500), (0.5, 1000)));
    // A quarter has been read: 2000 in all.
    assert!(outgrows(more - 1, (0.0625, 500), (0.25, 1000)));
    // Too little has been read, or none of it since then.
    assert!(!outgrows(0, (0.1, 500), (0.2, 1000)));
    assert!(!outgrows(0, (0.0, 0), (0.5, 1000)));
    assert!(!outgrows(0, (0.5, 500), (0.5, 1000)));
}

/// Calls `test` with a layer of 2^17 combinations, each of which has one successor, where the first of 18 bits is set.
fn with_layer(test: impl FnOnce(Layer<u64, u64>, &Transition<'_, u64>)) {
    let mut moves = vec![fills_once(); 18];
    moves[0] = must_fill();
    let combinations = (0..1 << 17).map(|key: u64| (2 * key, 1u64));
    let layer = Layer {
        partitions: vec![combinations.collect()],
    };
    with_transition(&[1], &moves, |transition| test(layer, transition));
}

#[test]
fn a_layer_that_cannot_be_built_again_is_built_as_far_as_possible() {
    let build = |frees: bool, remaining: u64| {
        let (ended_with, len) = (Cell::new(None), Cell::new(0));
        with_layer(|mut layer, transition| {
            let mut resources = resources(1 << 24);
            resources.combinations = 1 << 20;
            let reserved = resources.remaining() - remaining;
            resources.charge(reserved).unwrap();
            let mut next = NextLayer::new(&layer, transition, frees, &resources);
            // So that there are several batches.
            next.tables.truncate(64);
            next.generation.batch_size = FIRST_BATCH;
            ended_with.set(Some(next.build(&mut layer, transition, &mut resources)));
            len.set(next.len());
        });
        (ended_with.get().unwrap(), len.get())
    };
    let blocks = Partitioner::<u64, u64>::bytes(resources(1 << 24).max_batch::<u64, u64>());
    // The 64 tables double up to 2^12 buckets of 17 bytes.
    for frees in [false, true] {
        assert_eq!(build(frees, 1 << 24), (Ok(()), 1 << 17));
    }
    let too_little = blocks + 17 * (1 << 18) - 1;
    // After the second batch, at most 5 / 8 of the layer, it is seen not to fit.
    let (ended, len) = build(false, too_little);
    assert_eq!(ended, Err(SweepEnd::Full));
    let (ended, more) = build(true, too_little);
    assert_eq!(ended, Err(SweepEnd::Full));
    let batches = (1 << 17) / 2..=(1 << 17) / 8 * 5;
    assert!(batches.contains(&len) && len < more, "{len} {more}");
}

/// The second phase of a large batch once took up to half a second in which a sweep did not notice that it was told to stop.
#[test]
fn a_batch_is_polled_while_its_blocks_are_added() {
    let ended_after = |max_blocks: u64| {
        let added = AtomicU64::new(0);
        with_layer(|mut layer, transition| {
            let since_poll = AtomicU64::new(0);
            let stop = || {
                since_poll.store(0, Ordering::Relaxed);
                added.load(Ordering::Relaxed) >= max_blocks
            };
            let allowance = Allowance {
                stop: &stop,
                ..Allowance::of(1 << 24, u64::MAX)
            };
            let mut resources = Resources::new(allowance, 1, 0);
            let mut generation = Generation::new(&layer, transition, 1, true, &resources);
            let ended = generation.run(
                &mut layer,
                transition,
                &mut [()],
                &mut resources,
                |_, _, _| {
                    added.fetch_add(1, Ordering::Relaxed);
                    assert!(since_poll.fetch_add(1, Ordering::Relaxed) < BLOCKS_PER_POLL);
                    Ok(())
                },
                |_, _, _| true,
            );
            let is_stopped = max_blocks < u64::MAX;
            assert_eq!(ended.err(), is_stopped.then_some(SweepEnd::Stopped));
        });
        added.into_inner()
    };
    let all = (1 << 17) / BLOCK as u64;
    assert_eq!(ended_after(u64::MAX), all);
    // The second batch has four times as many blocks as are added between two polls.
    let first = FIRST_BATCH as u64 / BLOCK as u64;
    assert_eq!(ended_after(first + 1), first + BLOCKS_PER_POLL);
}
