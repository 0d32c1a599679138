use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::allowance::Allowance;
use super::super::line_fillings::LineFillings;
use super::super::transition::{Move, Packing};
use super::*;
use crate::count::scratch::Scratch;
use crate::line::Known;

type Builders = Vec<PartitionBuilder<u64, u64>>;

fn resources(bytes: u64, scratch: Option<&Scratch>) -> Resources<'_> {
    let allowance = Allowance {
        bytes,
        work_ns: u64::MAX,
        threads: 1,
        scratch,
        may_divide: true,
        stop: &|| false,
        make_room: &|_| (),
        beside: &|| 0,
    };
    Resources::new(allowance, 1, 0)
}

/// The combinations below `len` in this number of partitions.
fn builders(partitions: usize, len: u64) -> Builders {
    let memory = resources(1 << 24, None).memory;
    let mut tables = vec![Table::default(); partitions];
    for key in 0..len {
        let table = &mut tables[Partitioning { partitions }.partition(key)];
        assert_eq!(table.add(&[(key, 1)], &memory), Added::All);
    }
    tables.into_iter().map(PartitionBuilder::new).collect()
}

#[test]
fn large_partitions_are_split() {
    let split_with = |partitions: usize, len: u64, resources: &Resources<'_>| {
        let mut builders = builders(partitions, len);
        split(&mut builders, resources).unwrap();
        let tables = || builders.iter().map(|it| &it.table);
        assert_eq!(tables().map(Table::len).sum::<usize>() as u64, len);
        let partitioning = Partitioning {
            partitions: builders.len(),
        };
        assert!((0..len).all(|key| {
            let table = &builders[partitioning.partition(key)].table;
            table.get(key) == Some(1)
        }));
        builders.len()
    };
    let enough = resources(1 << 24, None);
    let large = 4 * COMBINATIONS_PER_PARTITION;
    assert_eq!(split_with(1, large - 1, &enough), 1);
    assert_eq!(split_with(1, large, &enough), MAX_SPLIT_FACTOR);
    assert_eq!(split_with(2, 2 * large - 1, &enough), 2);
    assert_eq!(split_with(2, 2 * large, &enough), 2 * MAX_SPLIT_FACTOR);
    let needed = builders(1, large)[0].table.split_bytes(MAX_SPLIT_FACTOR);
    assert_eq!(
        split_with(1, large, &resources(needed, None)),
        MAX_SPLIT_FACTOR
    );
    assert_eq!(split_with(1, large, &resources(needed - 1, None)), 1);
    // With batches this small there are at most two partitions.
    let mut small = resources(1 << 24, None);
    small.bytes = 1 << 16;
    assert_eq!(small.max_partitions::<u64, u64>(), 2);
    assert_eq!(split_with(1, large, &small), 2);
    assert_eq!(split_with(2, 2 * large, &small), 2);
}

#[test]
fn partitions_with_a_part_on_disk_are_not_split() {
    let scratch = Scratch::new(std::env::temp_dir()).unwrap();
    let file = ScratchFile::new(&scratch).unwrap();
    let mut builders = builders(1, 4 * COMBINATIONS_PER_PARTITION);
    let run = file.write(1, [Ok((1u64, 1u64))].into_iter()).unwrap();
    builders[0].runs.push(run);
    split(&mut builders, &resources(1 << 24, None)).unwrap();
    assert_eq!((builders.len(), builders[0].runs.len()), (1, 1));
}

#[test]
fn the_size_of_a_layer_is_extrapolated_from_two_shares_of_it() {
    // With 1000 combinations a table has 2048 buckets of 17 bytes, for up to 1792.
    let builders = builders(1, 1000);
    let outgrows =
        |remaining: u64, before, now| outgrows(&builders, &resources(remaining, None), before, now);
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

#[test]
fn the_first_allocation_may_exceed_the_memory_if_there_is_a_scratch_folder() {
    let scratch = Scratch::new(std::env::temp_dir()).unwrap();
    let file = ScratchFile::new(&scratch).unwrap();
    let (without, with) = (resources(0, None), resources(0, Some(&scratch)));
    let mut builder = PartitionBuilder::<u64, u64>::new(Table::default());
    assert_eq!(builder.add(&[(1, 1)], &without, None), Err(SweepEnd::Full));
    assert_eq!(builder.add(&[(1, 1)], &with, Some(&file)), Ok(()));
    assert_eq!((builder.table.len(), builder.runs.len()), (1, 0));
    // What does not fit then is written to disk first; from 16 runs on they are merged.
    let mut numbers = Vec::new();
    for key in 2..=20 * 112 {
        assert_eq!(builder.add(&[(key, 1)], &with, Some(&file)), Ok(()));
        numbers.push(builder.runs.len());
    }
    numbers.dedup();
    assert_eq!(numbers, Vec::from_iter((0..16).chain(1..5)));
    let lens = builder.runs.iter().map(|run| run.len);
    assert_eq!(Vec::from_iter(lens), [16 * 112, 112, 112, 112]);
}

#[test]
fn a_large_layer_goes_to_disk() {
    let scratch = Scratch::new(std::env::temp_dir()).unwrap();
    let next_layer = || {
        let mut builders = builders(1, 1000);
        builders.push(PartitionBuilder::new(Table::default()));
        NextLayer {
            builders,
            file: Some(ScratchFile::new(&scratch).unwrap()),
            may_split: false,
            before: (0.0, 0),
            generation: Generation {
                chunks: Chunks::new(&Layer::<u64, u64>::first(), 1),
                partitioners: Vec::new(),
                batch_size: 1,
                frees: true,
                freed: 0,
                has_places: false,
            },
        }
    };
    // It takes 16 000 bytes, a quarter of the memory or more.
    let in_memory = next_layer().finish(&resources(64_000, Some(&scratch)));
    let in_memory = in_memory.unwrap();
    assert!(in_memory.file.is_none() && in_memory.len() == 1000);
    let on_disk = next_layer().finish(&resources(63_999, Some(&scratch)));
    let on_disk = on_disk.unwrap();
    assert!(on_disk.file.is_some() && on_disk.len() == 1000);
    // An empty partition has no run.
    assert!(matches!(&on_disk.partitions[1], Partition::Disk(runs) if runs.is_empty()));
}

#[test]
fn the_merging_of_runs_is_polled_now_and_then() {
    let scratch = Scratch::new(std::env::temp_dir()).unwrap();
    for stops in [false, true] {
        let file = ScratchFile::new(&scratch).unwrap();
        let run = |i: u64| {
            let keys = 3000 * i..3000 * (i + 1);
            file.write(3000, keys.map(|key| Ok((key, 1u64)))).unwrap()
        };
        let mut builder = builders(1, 1000).remove(0);
        builder.runs = (0..15).map(run).collect();
        // The first poll is before the merging.
        let polls = AtomicU64::new(0);
        let stop = || polls.fetch_add(1, Ordering::Relaxed) > 0 && stops;
        let resources = Resources {
            stop: &stop,
            ..resources(1 << 10, Some(&scratch))
        };
        let ended = builder.write(&resources, &file);
        if stops {
            assert_eq!(ended, Err(SweepEnd::Stopped));
            continue;
        }
        assert_eq!(ended, Ok(()));
        assert_eq!(polls.into_inner(), 1 + 45_000 / COMBINATIONS_PER_POLL);
        let lens: Vec<u64> = builder.runs.iter().map(|run| run.len).collect();
        assert_eq!(lens, [45_000]);
    }
}

/// Calls `test` with a layer of 2^17 combinations, each of which has one successor, where the first of 18 bits is set.
fn with_layer(test: impl Fn(Layer<u64, u64>, &Transition<'_, u64>)) {
    let known = Known {
        filled: 0u64,
        empty: 0,
    };
    let line_fillings = LineFillings::new(&[1], 18, known, 0x3ffff).unwrap();
    let mut moves = vec![Move::Crossed(vec![[vec![0], vec![1]], [vec![1], vec![]]]); 18];
    moves[0] = Move::Crossed(vec![[vec![], vec![1]], [vec![], vec![]]]);
    let crossings: Vec<usize> = (0..18).collect();
    let packing = Packing::new(std::iter::repeat_n(2, 18));
    let transition = Transition::new(&line_fillings, &crossings, &moves, &packing, &packing);
    let layer = Layer {
        partitions: vec![Partition::Memory(
            (0..1 << 17).map(|key: u64| (2 * key, 1u64)).collect(),
        )],
        file: None,
        kept: None,
    };
    test(layer, &transition);
}

#[test]
fn a_layer_that_cannot_be_built_again_is_built_as_far_as_possible() {
    let build = |frees: bool, remaining: u64| {
        let (ended_with, len) = (Cell::new(None), Cell::new(0));
        with_layer(|mut layer, transition| {
            let mut resources = resources(1 << 24, None);
            resources.combinations = 1 << 20;
            let reserved = resources.memory.remaining() - remaining;
            assert!(resources.memory.try_reserve(reserved));
            let next = NextLayer::new(&layer, transition, Some(1), frees, &resources);
            let mut next = next.unwrap();
            ended_with.set(Some(next.build(&mut layer, transition, &mut resources)));
            len.set(next.len());
        });
        (ended_with.get().unwrap(), len.get())
    };
    let blocks = Partitioner::<u64, u64>::bytes(resources(1 << 24, None).max_batch::<u64, u64>());
    // The table doubles up to 2^18 buckets of 17 bytes.
    for frees in [false, true] {
        assert_eq!(build(frees, 1 << 24), (Ok(()), 1 << 17));
    }
    let too_little = blocks + 17 * (1 << 18) - 1;
    // After the second batch, 5 / 8 of the layer, it is seen not to fit.
    let (ended, len) = build(false, too_little);
    assert_eq!(ended, Err(SweepEnd::Full));
    let (ended, more) = build(true, too_little);
    assert_eq!(ended, Err(SweepEnd::Full));
    assert!(len == (1 << 17) / 8 * 5 && len < more, "{len} {more}");
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
            let mut resources = Resources {
                stop: &stop,
                ..resources(1 << 24, None)
            };
            let mut generation = Generation::new(&layer, transition, 1, true, &resources).unwrap();
            let ended = layer.generate_successors(
                &mut generation,
                transition,
                &mut vec![()],
                &mut resources,
                |_, _, _, _| {
                    added.fetch_add(1, Ordering::Relaxed);
                    assert!(since_poll.fetch_add(1, Ordering::Relaxed) < BLOCKS_PER_POLL);
                    Ok(())
                },
                |_, _, _| Ok(()),
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
