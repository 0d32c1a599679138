//! The checks of the fuzz targets for answers and records, on some random inputs and on the seeds. `OMNOGRAM_ROUNDS=100000` makes that
//! number of random inputs in each test.

use std::fs;

use crate::common::{Random, proofs, records, repairing, rounds, settling, whole};

/// Random bytes.
fn noise(random: &mut Random, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.next() as u8).collect()
}

/// The seeds of a fuzz target: their names begin with its singular.
fn seeds(prefix: &str) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/seeds");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let seeds = entries.filter(|entry| entry.file_name().to_str().unwrap().starts_with(prefix));
    let seeds: Vec<Vec<u8>> = seeds.map(|seed| fs::read(seed.path()).unwrap()).collect();
    assert!(!seeds.is_empty(), "{prefix}");
    seeds
}

/// The inputs of a fuzz target that together reach the code that fuzzing has reached: hexadecimal digits, one input on each line.
fn packed(target: &str) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/seeds");
    let text = fs::read_to_string(format!("{folder}/{target}.hex")).unwrap();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    let input = |line: &str| line.as_bytes().chunks(2).map(byte).collect();
    text.lines().map(input).collect()
}

/// The seeds, and each with a few bytes changed, or a part left out or doubled.
fn changed(prefix: &str, rounds: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let mut all = seeds(prefix);
    let whole = all.len();
    for round in 0..rounds {
        let mut bytes = all[round % whole].clone();
        for _ in 0..=random.below(3) {
            let (a, b) = (random.below(bytes.len() + 1), random.below(bytes.len() + 1));
            let part = a.min(b)..a.max(b);
            match random.below(4) {
                0 => drop(bytes.drain(part)),
                1 => bytes.extend_from_within(part),
                _ if a < bytes.len() => {
                    bytes[a] = b"0123456789- adot\n\"{}[],:.#"[random.below(26)]
                }
                _ => {}
            }
        }
        all.push(bytes);
    }
    all
}

#[test]
fn lines_are_settled_as_by_counting() {
    let mut random = Random(1);
    for _ in 0..rounds(3000) {
        let length = 1 + random.below(130);
        let mut bytes = noise(&mut random, length + 1);
        bytes[0] = bytes[0] / 131 * 131 + length as u8 % 125;
        // Most cells are unknown.
        for byte in &mut bytes[1..] {
            if !random.chance(0.1) {
                *byte &= !3;
            }
        }
        settling::any(&bytes);
    }
}

#[test]
fn puzzles_are_solved_as_by_brute_force() {
    let mut random = Random(2);
    for round in 0..rounds(150) {
        whole::any(&noise(&mut random, 5 + 4 * (round % 2)));
    }
}

#[test]
fn pictures_are_repaired_as_by_brute_force() {
    let mut random = Random(3);
    for _ in 0..rounds(150) {
        let mut bytes = noise(&mut random, 10);
        // A few cells are kept.
        bytes[6..].iter_mut().for_each(|byte| *byte &= 0x24);
        repairing::any(&bytes);
    }
}

#[test]
fn what_fuzzing_has_reached_is_right() {
    packed("settle")
        .iter()
        .for_each(|input| settling::any(input));
    packed("whole").iter().for_each(|input| whole::any(input));
    packed("repair")
        .iter()
        .for_each(|input| repairing::any(input));
}

#[test]
fn changed_records_are_refused_or_merged_rightly() {
    let mut random = Random(4);
    for bytes in changed("cubes", rounds(1000), &mut random) {
        records::any_cubes(&bytes);
    }
    for bytes in changed("results", rounds(1000), &mut random) {
        records::any_results(&bytes);
    }
    for bytes in changed("journal", rounds(300), &mut random) {
        records::any_journal(&bytes);
    }
}

#[test]
fn changed_proofs_are_refused_or_prove_something_true() {
    let mut random = Random(5);
    for bytes in changed("proof", rounds(2000), &mut random) {
        proofs::any(&bytes);
    }
}

/// Seeds that are no proofs of today's format would reach little. `OMNOGRAM_SEEDS=overwrite` writes them.
#[test]
fn the_seeds_of_proofs_are_what_is_written_today() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/seeds");
    for (number, seed) in (1..).zip(proofs::seeds()) {
        let file = format!("{folder}/proof-{number}");
        if std::env::var("OMNOGRAM_SEEDS").is_ok_and(|way| way == "overwrite") {
            fs::write(&file, &seed).unwrap();
        }
        assert!(fs::read(&file).unwrap() == seed, "{file} is out of date");
    }
}
