use super::*;
use crate::board::Clues;
use crate::line::Wide;
use crate::puzzle::{Puzzle, random_grid};

/// The clues of a square picture of this size with random cells, half of them filled.
fn random_clues(size: usize, seed: u64) -> Clues {
    Clues::new(&Puzzle::from_grid(&random_grid(size, seed)))
}

/// Decides cells one after the other, and probes after each with the records of the node above and from scratch: both must end alike.
/// Returns the settles of both.
fn compare_with_scratch<W: Word>(clues: &Clues) -> (u64, u64) {
    compare_within::<W>(clues, 1 << 23)
}

/// The same, with a prober that takes this number of bytes.
fn compare_within<W: Word>(clues: &Clues, bytes: usize) -> (u64, u64) {
    let mut board = Board::<W>::new(clues);
    assert!(board.propagate());
    let region = Region::whole(&board);
    let mut settles = (0, 0);
    let (mut prober, mut inherited) = (Prober::new(bytes as u64), None);
    loop {
        let mut other = board.clone();
        let mut scratch = Prober::default();
        let before = board.settles();
        let probed = prober.probe(&mut board, &region, inherited, || false, |_| false);
        let expected = scratch.probe(&mut other, &region, None, || false, |_| false);
        settles.0 += board.settles() - before;
        settles.1 += other.settles() - before;
        assert!(prober.side_rows.len() <= bytes / 4 / size_of::<SideRow<W>>());
        let (records, cell) = match (probed, expected) {
            (
                NodeProbeResult::Fixpoint(records, Some(cell)),
                NodeProbeResult::Fixpoint(_, Some(_)),
            ) => (records, cell),
            (NodeProbeResult::Fixpoint(_, None), NodeProbeResult::Fixpoint(_, None))
            | (NodeProbeResult::Contradiction, NodeProbeResult::Contradiction) => return settles,
            different => panic!("{different:?}"),
        };
        assert_eq!(board.rows(), other.rows());
        board.take_changed();
        let filled = (cell.row + cell.column) % 2 == 0;
        assert!(board.decide(cell, filled), "probing refutes such a side");
        inherited = Some(records.after(board.take_changed()));
    }
}

/// The numbers of cells that become known when this cell gets each value; `None` if a value contradicts or if both decide a cell alike.
fn decides(board: &Board<'_, u64>, cell: Cell) -> Option<[u32; 2]> {
    let side = |filled| {
        let mut side = board.clone();
        side.decide(cell, filled).then_some(side)
    };
    let [filled, empty] = [side(true)?, side(false)?];
    let has_agreement = (board.rows().iter().zip(filled.rows()).zip(empty.rows())).any(
        |((known, filled), empty)| {
            let both = filled.filled & empty.filled | filled.empty & empty.empty;
            both != known.cells()
        },
    );
    (!has_agreement).then(|| [filled, empty].map(|it| (board.unknown() - it.unknown()) as u32))
}

#[test]
fn at_the_end_no_value_of_a_cell_contradicts_and_no_two_decide_a_cell_alike() {
    let (mut deductions, mut probes, mut unknown) = (0, 0, 0);
    for seed in 0..40 {
        let clues = random_clues(12, seed);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let (region, before) = (Region::whole(&board), board.unknown());
        let mut prober = Prober::default();
        let probe = |prober: &mut Prober<u64>, board: &mut Board<'_, u64>| {
            let probed = prober.probe(board, &region, None, || false, |_| false);
            assert!(
                matches!(probed, NodeProbeResult::Fixpoint(..)),
                "{probed:?}"
            );
        };
        probe(&mut prober, &mut board);
        let decided = (before - board.unknown()) as u64;
        assert!(prober.deductions() <= decided);
        assert_eq!(prober.deductions() == 0, decided == 0);
        deductions += prober.deductions();
        // Once more: what was deduced is known, so each cell that does not follow an earlier one is probed once.
        let mut prober = Prober::default();
        probe(&mut prober, &mut board);
        assert_eq!(prober.deductions(), 0);
        assert!(prober.probes() >= prober.records.len() as u64);
        probes += prober.probes();
        unknown += board.unknown() as u64;
        for record in &prober.records {
            let expected = decides(&board, record.cell).expect("it is the end");
            assert_eq!(record.sides.map(|side| side.decides), expected);
            assert!(record.sides.iter().all(|side| !side.range().is_empty()));
        }
        prober.clear();
        let mark = prober.mark();
        assert_eq!((mark.records, mark.side_rows), (0, 0));
    }
    assert!(deductions > 10, "{deductions}");
    assert!(5 * probes < 4 * unknown, "{probes} of {unknown}");
}

#[test]
fn a_cell_that_is_not_probed_follows_another_and_no_cell_is_better_to_branch_on_than_the_best() {
    let mut followers = 0;
    for seed in 0..40 {
        let clues = random_clues(12, seed);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let (region, mut prober, mut inherited) = (Region::whole(&board), Prober::default(), None);
        // From the root to a node without unknown cells.
        while let NodeProbeResult::Fixpoint(records, Some(best)) =
            prober.probe(&mut board, &region, inherited, || false, |_| false)
        {
            let records_made = &prober.records[prober.range(records).unwrap()];
            let probed: Vec<Cell> = records_made.iter().map(|record| record.cell).collect();
            let score = |cell| branch_score(decides(&board, cell).expect("it is a fixpoint"));
            for cell in region.unknown(&board) {
                assert!(score(cell) <= score(best), "{cell:?} {best:?}");
                if probed.contains(&cell) {
                    continue;
                }
                followers += 1;
                let is_leader = |leader: &Cell| {
                    let [filled, empty] = [true, false].map(|it| value(&board, *leader, it, cell));
                    filled.is_some() && empty.is_some() && filled != empty
                };
                assert!(probed.iter().any(is_leader), "{cell:?}");
            }
            board.take_changed();
            assert!(board.decide(best, seed % 2 == 0));
            inherited = Some(records.after(board.take_changed()));
        }
        assert_eq!(board.unknown(), 0);
    }
    assert!(followers > 100, "{followers}");
}

/// The value that a cell gets from propagation when another one is decided.
fn value(board: &Board<'_, u64>, decided: Cell, filled: bool, cell: Cell) -> Option<bool> {
    let mut side = board.clone();
    assert!(side.decide(decided, filled));
    let (row, column) = (side.rows()[usize::from(cell.row)], usize::from(cell.column));
    (!side.is_unknown(cell)).then(|| row.filled.has(column))
}

#[test]
fn a_probe_that_begins_with_the_cells_of_an_earlier_one_ends_like_one_from_scratch() {
    let settles = (0..40).map(|seed| compare_with_scratch::<u64>(&random_clues(14, seed)));
    let (inherited, scratch) = settles.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!(inherited < scratch, "{inherited} {scratch}");
}

/// A count with many threads and little memory has few bytes for each prober.
#[test]
fn probes_end_alike_however_few_bytes_there_are_for_the_cells_of_sides() {
    for bytes in [0, 1 << 11, 1 << 15] {
        for seed in 0..10 {
            let (inherited, scratch) = compare_within::<u64>(&random_clues(14, seed), bytes);
            assert!(inherited <= scratch, "{inherited} {scratch}");
        }
    }
}

/// Probes every node of a tree, depth first, and returns the known cells at each. Counts the children whose parent has no records any more.
fn walk(clues: &Clues, prober: &mut Prober<u64>) -> (Vec<Vec<Known<u64>>>, usize) {
    let mut board = Board::<u64>::new(clues);
    assert!(board.propagate());
    let (mut nodes, mut from_scratch) = (Vec::new(), 0);
    let mut open = vec![(
        board.mark(),
        prober.mark(),
        None::<(Cell, bool, NodeRecords)>,
    )];
    while let Some((on_board, in_prober, decision)) = open.pop() {
        board.undo(on_board);
        prober.backtrack(in_prober);
        let mut inherited = None;
        if let Some((cell, filled, parent)) = decision {
            board.take_changed();
            assert!(board.decide(cell, filled), "probing refutes such a side");
            inherited = Some(parent.after(board.take_changed()));
            from_scratch += usize::from(prober.range(parent).is_none());
            assert!(prober.best(parent, &Region::whole(&board)).is_some() || prober.dropped > 0);
        }
        let region = Region::whole(&board);
        let probed = prober.probe(&mut board, &region, inherited, || false, |_| false);
        nodes.push(board.rows().to_vec());
        if let NodeProbeResult::Fixpoint(records, Some(cell)) = probed {
            let (branch, branched) = prober.branch(records).expect("they were just made");
            let range = branch.range(branched).expect("it has nothing else");
            assert!(!range.is_empty());
            assert_eq!(range.len(), prober.range(records).unwrap().len());
            for filled in [false, true] {
                let decision = Some((cell, filled, records));
                open.push((board.mark(), prober.mark(), decision));
            }
        }
    }
    (nodes, from_scratch)
}

/// A count of survey puzzle Knotty on eight threads took 42 MB for records, outside of a memory limit of 40 MB.
#[test]
fn a_tree_is_the_same_however_few_records_are_kept() {
    let permutations = Clues::new(&Puzzle::from_clues(&[[1]; 6], &[[1]; 6]).unwrap());
    let (expected, from_scratch) = walk(&permutations, &mut Prober::default());
    assert!(expected.len() > 1000);
    assert_eq!(from_scratch, 0);
    let mut dropped = Vec::new();
    for max_records in [0, 40, 80] {
        let mut prober = Prober {
            max_records,
            ..Prober::default()
        };
        let (nodes, from_scratch) = walk(&permutations, &mut prober);
        assert_eq!(nodes, expected);
        assert!(prober.records.capacity() < 4 * (max_records + 36));
        dropped.push(from_scratch);
    }
    assert!(
        dropped.is_sorted_by(|a, b| a >= b) && dropped[2] > 0,
        "{dropped:?}"
    );
    assert!(dropped[1] < expected.len() / 4, "{dropped:?}");
    let few = Prober::<u64>::new(0).max_records * size_of::<ProbeRecord>();
    assert!((few as u64).abs_diff(MIN_RECORD_BYTES / 2) < 1000);
}

/// Wide words reach the limit on the cells that are kept.
#[test]
fn probes_end_alike_when_the_cells_of_sides_are_too_many_to_be_kept() {
    let (inherited, scratch) = compare_with_scratch::<Wide<64>>(&random_clues(24, 1));
    assert!(inherited < scratch, "{inherited} {scratch}");
    // Here the list is full, and as much is settled as from scratch.
    let permutations = Clues::new(&Puzzle::from_clues(&[[1]; 14], &[[1]; 14]).unwrap());
    let (inherited, scratch) = compare_with_scratch::<Wide<64>>(&permutations);
    assert!(inherited <= scratch, "{inherited} {scratch}");
}

#[test]
fn cells_that_both_sides_decide_alike_are_assigned_though_the_sides_differ_in_their_rows() {
    let clues = Clues::new(&Puzzle::from_clues(&[[1]; 4], &[[1]; 4]).unwrap());
    let mut board = Board::<u64>::new(&clues);
    let side_row = |row, filled, empty| SideRow {
        row,
        cells: Known { filled, empty },
    };
    let mut prober = Prober {
        followers: vec![0; 4],
        ..Prober::default()
    };
    let filled = [side_row(1, 0b1, 0b10), side_row(3, 0b10, 0b1)];
    let empty = (0..4).map(|row| side_row(row, 0b1, 0b110));
    prober.side_rows.extend(filled.into_iter().chain(empty));
    let side = |start, end| Side {
        start,
        end,
        ..Side::NONE
    };
    assert!(!prober.compare_sides(&mut board, Cell::new(0, 3), [side(1, 2), side(2, 5)]));
    for sides in [[side(0, 2), side(2, 6)], [side(2, 6), side(0, 2)]] {
        let mut board = board.clone();
        assert!(prober.compare_sides(&mut board, Cell::new(0, 3), sides));
        let known = board.rows().iter().map(|row| (row.filled, row.empty));
        assert!(known.eq([(0, 0), (0b1, 0b10), (0, 0), (0, 0)]));
        // One side has filled what the other has empty, and the other way round.
        assert_eq!(prober.followers, [0, 0, 0, 0b11]);
        assert!(!prober.compare_sides(&mut board, Cell::new(0, 3), sides));
    }
}

#[test]
fn branches_are_ranked_by_the_product_of_what_their_sides_decide() {
    assert_eq!(branch_score([3, 5]), branch_score([5, 3]));
    let scores = [[1, 9], [3, 4], [2, 6], [4, 4], [2, 100]].map(branch_score);
    assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
}

#[test]
fn cells_of_a_side_that_are_known_by_now_do_not_count() {
    let clues = Clues::new(&Puzzle::from_clues(&[[1]; 4], &[[1]; 4]).unwrap());
    let mut board = Board::<u64>::new(&clues);
    assert!(board.propagate());
    // Row 0 and column 0 are known then.
    board.decide(Cell::new(0, 0), true);
    assert!(board.propagate());
    let side = |row, filled, empty| SideRow {
        row,
        cells: Known { filled, empty },
    };
    let on_board = |side_rows: &[SideRow<u64>]| {
        let whole = Side {
            end: side_rows.len() as u32,
            ..Side::NONE
        };
        whole.on(&board, side_rows)
    };
    let left = on_board(&[side(0, 1, 0b10), side(1, 0b10, 0b101), side(2, 0, 0b10)]).unwrap();
    assert_eq!(left.range(), 0..3);
    assert_eq!((left.lines.rows, left.lines.columns), (0b110, 0b110));
    assert_eq!(left.decides, 3);
    for conflict in [side(0, 0b10, 0), side(0, 0, 1), side(0, 0b10, 1)] {
        assert!(on_board(&[conflict]).is_none());
    }
}
