//! The settling kernel and the arrangements of a line against a from-scratch twin that tries every filling.

use crate::common::Random;
use num_bigint::BigUint;
use omnogram::line::{self, Arrangements, Kernel, Known, Wide, Word, arrangements};
use omnogram::puzzle::Clue;
use proptest::prelude::*;

type Cell = Option<bool>;

/// The clue of a full line.
fn clue_of(cells: &[bool]) -> Clue {
    Clue::new(crate::common::clue_of(cells.iter().copied())).unwrap()
}

/// All fillings of a line of at most 20 cells that have this clue and agree with what is known.
fn fillings(clue: &Clue, known: &[Cell]) -> Vec<Vec<bool>> {
    let all = (0..1u32 << known.len()).map(|bits| {
        (0..known.len())
            .map(|i| bits >> i & 1 == 1)
            .collect::<Vec<bool>>()
    });
    all.filter(|cells| {
        known
            .iter()
            .zip(cells)
            .all(|(k, c)| k.is_none_or(|k| k == *c))
            && clue_of(cells) == *clue
    })
    .collect()
}

/// What all of some fillings agree on.
fn agreed(fillings: &[Vec<bool>]) -> Option<Vec<Cell>> {
    let first = fillings.first()?;
    Some(
        (0..first.len())
            .map(|i| {
                fillings
                    .iter()
                    .all(|f| f[i] == first[i])
                    .then_some(first[i])
            })
            .collect(),
    )
}

fn draw(clue: &Clue, length: usize, starts: &[usize]) -> Vec<bool> {
    let mut cells = vec![false; length];
    for (&start, block) in starts.iter().zip(clue.lengths()) {
        cells[start..start + block].fill(true);
    }
    cells
}

fn settle(clue: &Clue, known: &[Cell]) -> Option<Vec<Cell>> {
    let mut cells = known.to_vec();
    line::settle(clue, &mut cells).then_some(cells)
}

/// The kernel with a given word, so that each width meets the same lines.
fn settle_with<W: Word>(clue: &Clue, known: &[Cell]) -> Option<Vec<Cell>> {
    let set = |value| {
        (0..known.len())
            .filter(|&i| known[i] == Some(value))
            .fold(W::ZERO, |set, i| set | W::bit(i))
    };
    let lengths: Vec<u16> = clue.lengths().map(|l| l as u16).collect();
    let before = Known {
        filled: set(true),
        empty: set(false),
    };
    let after = Kernel::new().settle(&lengths, known.len(), before)?;
    assert!((after.filled & after.empty).is_zero());
    let cell = |i| {
        after
            .filled
            .has(i)
            .then_some(true)
            .or(after.empty.has(i).then_some(false))
    };
    Some((0..known.len()).map(cell).collect())
}

/// Every clue and every partial knowledge of every line of up to 7 cells.
#[test]
fn every_short_line() {
    for length in 1..=7usize {
        let mut clues: Vec<Clue> = (0..1u32 << length)
            .map(|bits| clue_of(&(0..length).map(|i| bits >> i & 1 == 1).collect::<Vec<_>>()))
            .collect();
        clues.sort_by_key(|clue| clue.to_string());
        clues.dedup();
        let fibonacci = [1, 2, 3, 5, 8, 13, 21, 34];
        assert_eq!(
            clues.len(),
            fibonacci[length],
            "distinct clues of {length} cells"
        );
        for clue in &clues {
            for mut code in 0..3usize.pow(length as u32) {
                let known: Vec<Cell> = (0..length)
                    .map(|_| {
                        let digit = code % 3;
                        code /= 3;
                        [None, Some(true), Some(false)][digit]
                    })
                    .collect();
                assert_eq!(
                    settle(clue, &known),
                    agreed(&fillings(clue, &known)),
                    "{clue} in {known:?}"
                );
            }
        }
    }
}

#[test]
fn a_clue_that_does_not_fit_has_no_arrangement() {
    assert_eq!(settle(&Clue::new([3, 3]).unwrap(), &[None; 5]), None);
    assert_eq!(settle(&Clue::new([9]).unwrap(), &[None; 5]), None);
    assert_eq!(settle(&Clue::new([65]).unwrap(), &[None; 64]), None);
    assert_eq!(settle(&Clue::new([1]).unwrap(), &[]), None);
    assert_eq!(settle(&Clue::default(), &[]), Some(vec![]));
}

/// Random lines of every length to 20, of every density, with every share of known cells.
#[test]
fn every_length_to_twenty() {
    let mut random = Random(11);
    for length in 1..=20usize {
        for round in 0..12 {
            let density = 0.1 + 0.8 * f64::from(round % 4) / 3.0;
            let share = 0.6 * f64::from(round / 4) / 2.0;
            let cells: Vec<bool> = (0..length).map(|_| random.chance(density)).collect();
            let known: Vec<Cell> = cells
                .iter()
                .map(|&cell| random.chance(share).then_some(cell))
                .collect();
            let clue = clue_of(&cells);
            let fillings = fillings(&clue, &known);
            assert_eq!(
                settle(&clue, &known),
                agreed(&fillings),
                "{clue} in {known:?}"
            );
            assert_eq!(
                arrangements::count(&clue, &known),
                BigUint::from(fillings.len())
            );
            assert_eq!(Arrangements::new(&clue, &known).count(), fillings.len());
        }
    }
}

/// Lines whose blocks reach the very ends of the words.
#[test]
fn words_are_used_to_their_last_bit() {
    for length in [63usize, 64, 65, 127, 128, 129, 511, 512, 513, 4096] {
        for blocks in [
            vec![length],
            vec![length - 1],
            vec![1, length - 2],
            vec![1; length.div_ceil(2)],
            vec![length / 2],
        ] {
            let clue = Clue::new(blocks).unwrap();
            let settled = settle(&clue, &vec![None; length]).unwrap();
            let slack = length - clue.span();
            // With slack s a block of b cells has b - s sure cells.
            let sure: usize = clue
                .lengths()
                .map(|block| block.saturating_sub(slack))
                .sum();
            assert_eq!(
                settled.iter().filter(|cell| **cell == Some(true)).count(),
                sure,
                "{clue} in {length}"
            );
            let empty = settled.iter().filter(|cell| **cell == Some(false)).count();
            assert_eq!(
                empty,
                if slack == 0 {
                    length - clue.filled()
                } else {
                    0
                },
                "{clue} in {length}"
            );
        }
    }
}

/// A line of a picture with some of its cells known; sometimes one of them wrongly.
fn known_line(lengths: std::ops::Range<usize>) -> impl Strategy<Value = (Clue, Vec<Cell>)> {
    (lengths, 0.05..0.95f64, 0.0..1.0f64, any::<bool>())
        .prop_flat_map(|(length, density, share, lie)| {
            let cells = prop::collection::vec(prop::bool::weighted(density), length);
            let shown = prop::collection::vec(prop::bool::weighted(share), length);
            (cells, shown, 0..length, Just(lie))
        })
        .prop_map(|(cells, shown, at, lie)| {
            let mut known: Vec<Cell> = cells
                .iter()
                .zip(&shown)
                .map(|(&cell, &show)| show.then_some(cell))
                .collect();
            if lie {
                known[at] = Some(!cells[at]);
            }
            (clue_of(&cells), known)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn settles_as_brute_force_does((clue, known) in known_line(1..21)) {
        let fillings = fillings(&clue, &known);
        prop_assert_eq!(settle(&clue, &known), agreed(&fillings));
        prop_assert_eq!(arrangements::count(&clue, &known), BigUint::from(fillings.len()));
        let mut listed: Vec<Vec<bool>> =
            Arrangements::new(&clue, &known).map(|starts| draw(&clue, known.len(), &starts)).collect();
        prop_assert_eq!(listed.len(), fillings.len());
        listed.sort();
        let mut expected = fillings;
        expected.sort();
        prop_assert_eq!(listed, expected);
    }

    /// Longer lines: a cell is decided exactly when no arrangement is left with the opposite, which counting can tell.
    #[test]
    fn settles_as_counting_does((clue, known) in known_line(1..301)) {
        let possible = arrangements::count(&clue, &known) > BigUint::ZERO;
        let settled = settle(&clue, &known);
        prop_assert_eq!(settled.is_some(), possible);
        if let Some(settled) = settled {
            for i in (0..known.len()).step_by(1 + known.len() / 40) {
                let can = |value| {
                    let mut tried = known.clone();
                    tried[i] = Some(value);
                    known[i].is_none_or(|k| k == value) && arrangements::count(&clue, &tried) > BigUint::ZERO
                };
                let expected = match (can(true), can(false)) {
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    _ => None,
                };
                prop_assert_eq!(settled[i], expected, "cell {}", i);
            }
        }
    }

    /// Every width of word gives the same answer.
    #[test]
    fn words_agree((clue, known) in known_line(1..65)) {
        let narrow = settle_with::<u64>(&clue, &known);
        prop_assert_eq!(&settle_with::<u128>(&clue, &known), &narrow);
        prop_assert_eq!(&settle_with::<Wide<3>>(&clue, &known), &narrow);
        prop_assert_eq!(&settle_with::<Wide<64>>(&clue, &known), &narrow);
    }

    #[test]
    fn arrangements_come_in_order((clue, known) in known_line(1..16)) {
        let all: Vec<_> = Arrangements::new(&clue, &known).collect();
        prop_assert!(all.is_sorted());
        prop_assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }

    /// A cut parts the line: what is known on one side does not change what can be decided on the other.
    #[test]
    fn cuts_part_the_line((clue, known) in known_line(1..15)) {
        let set = |value| (0..known.len()).filter(|&i| known[i] == Some(value)).fold(0u64, |set, i| set | 1 << i);
        let lengths: Vec<u16> = clue.lengths().map(|l| l as u16).collect();
        let before = Known { filled: set(true), empty: set(false) };
        if let Some((settled, cuts)) = Kernel::new().cuts(&lengths, known.len(), before) {
            let fillings = fillings(&clue, &known);
            let blocks_before = |cells: &[bool], p: usize| clue_of(&cells[..p]).blocks().len();
            for p in 0..known.len() {
                let same = fillings.iter().all(|f| !f[p] && blocks_before(f, p) == blocks_before(&fillings[0], p));
                prop_assert_eq!(cuts.has(p), same, "cell {}", p);
            }
            prop_assert!((cuts & !settled.empty).is_zero());
        }
    }
}
