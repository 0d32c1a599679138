//! The rules by which a player decides cells of one line, the simplest first.
//!
//! Each rule is sound by itself on a line that has an arrangement, and decides no cell that settling the line would not decide. The
//! techniques are those of the players' literature: simple boxes, simple spaces, forcing, glue, joining and splitting, punctuating.

use std::ops::Range;

use super::reason::Reason;
use super::view::{LineView, list, value_name};
use crate::line::{Arrangements, arrangements};
use crate::puzzle::Clue;

/// What a rule decides.
#[derive(Clone, Debug, Default)]
pub(super) struct Deduction {
    /// Unknown cells of the line, with their values.
    pub(super) cells: Vec<(usize, bool)>,
    /// Why, as clauses of a sentence.
    clauses: Vec<String>,
}

impl Deduction {
    /// Adds cells, and the words that explain them, unless all of them have been found already.
    fn add(&mut self, cells: Vec<(usize, bool)>, words: impl FnOnce() -> String) {
        let before = self.cells.len();
        for cell in cells {
            if !self.cells.contains(&cell) {
                self.cells.push(cell);
            }
        }
        if self.cells.len() > before {
            self.clauses.push(words());
        }
    }

    /// The sentence.
    pub(super) fn words(&self, view: &LineView<'_>) -> String {
        format!("{}: {}.", view.name(), self.clauses.join("; "))
    }
}

type Rule = fn(&LineView<'_>, &mut Deduction);

/// All rules but the last resort, which is to go through all arrangements.
const RULES: [(Reason, Rule); 8] = [
    (Reason::Overlap, overlap),
    (Reason::Complete, complete),
    (Reason::Edge, edge),
    (Reason::Complete, longest),
    (Reason::GapTooSmall, gap_too_small),
    (Reason::Glue, glue),
    (Reason::Split, split),
    (Reason::Overlap, room),
];

/// The rank of the last resort.
pub(super) const LAST: usize = RULES.len();

/// The simplest rule that decides a cell: its rank, its reason and what it finds; `None` if only the last resort does.
pub(super) fn simplest(view: &LineView<'_>) -> Option<(usize, Reason, Deduction)> {
    let mut rules = RULES.iter().enumerate();
    rules.find_map(|(rank, &(reason, rule))| {
        let mut found = Deduction::default();
        rule(view, &mut found);
        found.cells.sort_unstable();
        (!found.cells.is_empty()).then_some((rank, reason, found))
    })
}

/// The last resort: the cells on which all arrangements agree, which settling the line has found.
pub(super) fn all_arrangements(view: &LineView<'_>, cells: Vec<(usize, bool)>) -> Deduction {
    let number = arrangements::count(view.clue, view.cells);
    let mut clauses = Vec::new();
    for value in [true, false] {
        let alike = cells.iter().filter(|(_, filled)| *filled == value);
        let places: Vec<usize> = alike.map(|&(i, _)| i).collect();
        if !places.is_empty() {
            clauses.push(format!("{} {}", view.are(places), value_name(value)));
        }
    }
    let ways = match number.to_string().as_str() {
        "1" => format!("only one way is left to place {}", view.clue),
        "2" => format!("in both ways that are left to place {}", view.clue),
        number => format!("in all {number} ways that are left to place {}", view.clue),
    };
    let link = if number == 1u32.into() { ": " } else { ", " };
    Deduction {
        clauses: vec![format!("{ways}{link}{}", list(clauses))],
        cells,
    }
}

/// Leftmost and rightmost places by the clue alone, in the rest of the line.
fn overlap(view: &LineView<'_>, found: &mut Deduction) {
    let blocks = view.blocks();
    if blocks.is_empty() {
        return;
    }
    let span = blocks.iter().sum::<usize>() + blocks.len() - 1;
    let slack = view.end - view.start - span;
    let (mut left, mut cells, mut covered) = (view.start, Vec::new(), Vec::new());
    for (j, &block) in blocks.iter().enumerate() {
        let sure = left + slack..left + block;
        let new = view.unknown(sure.clone(), true);
        if !new.is_empty() {
            covered.push((j, sure));
        }
        cells.extend(new);
        if slack == 0 && left + block < view.end {
            cells.extend(view.unknown([left + block], false));
        }
        left += block + 1;
    }
    let left_for = || {
        let are = view.are(view.start..view.end);
        format!("only {are} left for {}", view.blocks_text())
    };
    found.add(cells, || match (slack, view.is_whole()) {
        (0, true) => {
            let blocks = match blocks {
                [block] => format!("the {block}"),
                _ => format!("{} with gaps of one cell", view.clue),
            };
            format!("{blocks} fills the whole {}", view.kind())
        }
        (0, false) if blocks.len() == 1 => left_for(),
        (0, false) => format!("{}, which just fit", left_for()),
        (_, whole) => {
            let each = list(covered.iter().map(|(j, sure)| {
                // The only block that is left has just been named.
                let block = match blocks {
                    [_] if !whole => "it".to_owned(),
                    _ => view.block(*j),
                };
                format!("{block} must cover {}", view.places(sure.clone()))
            }));
            match (whole, covered.len()) {
                (true, 1) => format!("{each} wherever it stands"),
                (true, _) => format!("{each} wherever they stand"),
                (false, _) => format!("{}, so {each}", left_for()),
            }
        }
    });
}

/// All filled cells of the line are there, or all empty ones.
fn complete(view: &LineView<'_>, found: &mut Deduction) {
    let wanted: usize = view.blocks().iter().sum();
    let count = |value| view.rest().filter(|&(_, cell)| cell == value).count();
    let (filled, unknown) = (count(Some(true)), count(None));
    if filled == wanted {
        found.add(view.unknown(view.start..view.end, false), || {
            let all = match view.lengths {
                [] => return "the clue is 0, so all its cells are empty".to_owned(),
                [one] => format!("the {one} is"),
                [_, _] => format!("both blocks ({}) are", view.clue),
                _ => format!("all blocks ({}) are", view.clue),
            };
            format!("{all} there, so the other cells are empty")
        });
    } else if filled + unknown == wanted {
        found.add(view.unknown(view.start..view.end, true), || match unknown {
            1 => "one filled cell is missing, and one cell is left for it".to_owned(),
            _ => format!(
                "{unknown} filled cells are missing, and just {unknown} cells are left for them"
            ),
        });
    }
}

/// The first block of the rest begins at its start, or the last block ends at its end.
fn edge(view: &LineView<'_>, found: &mut Deduction) {
    let blocks = view.blocks();
    let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else {
        return;
    };
    let mut anchor = |covered: Range<usize>, next: Option<usize>, block: usize, begins: bool| {
        let mut cells = view.unknown(covered.clone(), true);
        let covers_new = !cells.is_empty();
        cells.extend(view.unknown(next, false));
        found.add(cells, || {
            let (verb, anchor, wall) = if begins {
                ("begins", covered.start, covered.start == 0)
            } else {
                ("ends", covered.end - 1, covered.end == view.cells.len())
            };
            let place = if wall {
                view.edge(begins).to_owned()
            } else {
                view.places([anchor])
            };
            let covers = covers_new.then(|| format!("it covers {}", view.places(covered)));
            let next = next.filter(|&i| view.cells[i].is_none());
            let next = next.map(|next| format!("{} is empty", view.places([next])));
            let follows: Vec<String> = covers.into_iter().chain(next).collect();
            let follows = follows.join(", and ");
            let complete = if covers_new { "," } else { " and is complete," };
            format!(
                "{} {verb} at {place}{complete} so {follows}",
                view.block(block)
            )
        });
    };
    if view.cells[view.start] == Some(true) {
        let after = view.start + first;
        let next = (after < view.end).then_some(after);
        anchor(view.start..after, next, 0, true);
    }
    if view.cells[view.end - 1] == Some(true) {
        let begin = view.end - last;
        let before = (begin > view.start).then(|| begin - 1);
        anchor(begin..view.end, before, blocks.len() - 1, false);
    }
}

/// A group as long as the longest block is that block.
fn longest(view: &LineView<'_>, found: &mut Deduction) {
    let longest = view.blocks().iter().max().copied().unwrap_or_default();
    let (mut whole, mut cells) = (Vec::new(), Vec::new());
    for group in view.groups() {
        let beside = view.unknown(view.beside(&group), false);
        if group.len() == longest && !beside.is_empty() {
            whole.push(group);
            cells.extend(beside);
        }
    }
    cells.dedup();
    let places: Vec<usize> = cells.iter().map(|&(i, _)| i).collect();
    found.add(cells, || {
        let are = match whole.as_slice() {
            [group] => view.are(group.clone()),
            groups => {
                let names = groups.iter().map(|group| view.places(group.clone()));
                format!("{} are each", list(names))
            }
        };
        let it = match (whole.len(), view.blocks().len()) {
            (1, 1) => format!("{are} the whole {longest}"),
            _ => format!("{are} a whole {longest}, and no block is longer"),
        };
        format!("{it}, so {} empty", view.are(places))
    });
}

/// A gap that no block fits in.
fn gap_too_small(view: &LineView<'_>, found: &mut Deduction) {
    let blocks = view.blocks();
    let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else {
        return;
    };
    let shortest = blocks.iter().min().copied().unwrap_or_default();
    let gaps = view.gaps();
    // A gap in which a cell is filled holds a block, and the gaps beyond it may hold other blocks.
    let is_small = |gap: &Range<usize>, block: usize| {
        gap.len() < block && gap.clone().all(|i| view.cells[i].is_none())
    };
    let anywhere = gaps.iter().filter(|gap| is_small(gap, shortest));
    let begin = gaps.iter().take_while(|gap| is_small(gap, first));
    let end = gaps.iter().rev().take_while(|gap| is_small(gap, last));
    let mut end: Vec<&Range<usize>> = end.collect();
    end.reverse();
    let [any, begins, ends] = match blocks.len() {
        1 => [0, 0, 0].map(|only| view.block(only)),
        number => [
            format!("any block, even a {shortest}"),
            format!("{}, which comes first", view.block(0)),
            format!("{}, which comes last", view.block(number - 1)),
        ],
    };
    for (mut gaps, least, block) in [
        (anywhere.collect(), 0, any),
        (begin.collect(), shortest, begins),
        (end, shortest, ends),
    ] {
        gaps.retain(|gap| gap.len() >= least);
        let cells = || gaps.iter().copied().cloned().flatten();
        found.add(view.unknown(cells(), false), || match gaps.len() {
            1 => format!("{} too small a gap for {block}", view.are(cells())),
            _ => format!("{} gaps too small for {block}", view.are(cells())),
        });
    }
}

/// A group near the end of its gap is pushed away from it, because its block needs more cells; groups of the only block are joined.
fn glue(view: &LineView<'_>, found: &mut Deduction) {
    let (blocks, groups, gaps) = (view.blocks(), view.groups(), view.gaps());
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return;
    };
    if let [block] = blocks
        && groups.len() > 1
    {
        found.add(view.unknown(first.end..last.start, true), || {
            let [first, last] = [first, last].map(|group| view.places(group.clone()));
            format!(
                "{first} and {last} both belong to the {block}, so the cells between are filled"
            )
        });
    }
    for group in &groups {
        let Some(gap) = gaps.iter().find(|gap| gap.contains(&group.start)) else {
            continue;
        };
        // Which block it is, where that is certain: the first if no gap before has room for it, the last likewise.
        let before = view.start..group.start.saturating_sub(1).max(view.start);
        let behind = (group.end + 1).min(view.end)..view.end;
        let is_first = group == first && !has_room(&gaps, before, blocks[0]);
        let is_last = group == last && !has_room(&gaps, behind, blocks[blocks.len() - 1]);
        let (length, block) = if is_first || blocks.len() == 1 {
            (blocks[0], view.block(0))
        } else if is_last {
            (blocks[blocks.len() - 1], view.block(blocks.len() - 1))
        } else {
            let longer = blocks.iter().filter(|&&block| block >= group.len());
            let least = longer.min().copied().unwrap_or_default();
            (least, format!("a block of at least {least}"))
        };
        let to_the_end = view.unknown(group.end..(gap.start + length).min(gap.end), true);
        let begin = gap.end.saturating_sub(length).max(gap.start);
        let to_the_start = view.unknown(begin.min(group.start)..group.start, true);
        let from_start = to_the_start.is_empty();
        let both = !from_start && !to_the_end.is_empty();
        let cells = [to_the_start, to_the_end].concat();
        let places: Vec<usize> = cells.iter().map(|&(i, _)| i).collect();
        found.add(cells, || {
            let own = view.places(group.clone());
            let belong = if group.len() == 1 {
                "belongs"
            } else {
                "belong"
            };
            let at_wall = if from_start {
                gap.start == 0
            } else {
                gap.end == view.cells.len()
            };
            let limit = match (both, at_wall, from_start) {
                (true, ..) => format!("must fit into {}", view.places(gap.clone())),
                (false, true, _) => format!("is stopped by {}", view.edge(from_start)),
                (false, false, true) => format!("cannot begin before {}", view.places([gap.start])),
                (false, false, false) => format!("cannot end after {}", view.places([gap.end - 1])),
            };
            let covered = view.places(places);
            format!("{own} {belong} to {block}, which {limit}, so it covers {covered} too")
        });
    }
}

/// Whether a block of this length has room in a gap, as far as the gap lies within these cells.
fn has_room(gaps: &[Range<usize>], cells: Range<usize>, length: usize) -> bool {
    gaps.iter().any(|gap| {
        let (start, end) = (gap.start.max(cells.start), gap.end.min(cells.end));
        end.saturating_sub(start) >= length
    })
}

/// A cell that would join two groups to a block that is too long, or that no block reaches.
fn split(view: &LineView<'_>, found: &mut Deduction) {
    let longest = view.blocks().iter().max().copied().unwrap_or_default();
    let groups = view.groups();
    for pair in groups.windows(2) {
        let joined = pair[1].end - pair[0].start;
        if pair[0].end + 1 == pair[1].start && joined > longest {
            found.add(view.unknown([pair[0].end], false), || {
                let between = view.places([pair[0].end]);
                let all = view.places(pair[0].start..pair[1].end);
                format!("{between} is empty, or else {all} would be a block of {joined}, which is too long")
            });
        }
    }
    if found.cells.is_empty() {
        let ranges = ranges(view);
        let has_arrangement = ranges.len() == view.blocks().len();
        debug_assert!(has_arrangement, "the rest has an arrangement");
        let is_unreached = |i: &usize| !ranges.iter().any(|range| range.contains(i));
        let unreached = (view.start..view.end).filter(is_unreached);
        let cells = view.unknown(unreached, false);
        let places: Vec<usize> = cells.iter().map(|&(i, _)| i).collect();
        found.add(cells, || match view.blocks() {
            [block] => format!("the {block} cannot reach {}", view.places(places)),
            _ => format!("no block can reach {}", view.places(places)),
        });
    }
}

/// Leftmost and rightmost places that fit the known cells.
fn room(view: &LineView<'_>, found: &mut Deduction) {
    for (j, (range, &block)) in ranges(view).into_iter().zip(view.blocks()).enumerate() {
        if range.len() == block {
            let mut cells = view.unknown(range.clone(), true);
            cells.extend(view.unknown(view.beside(&range), false));
            found.add(cells, || {
                format!("{} can only be in {}", view.block(j), view.places(range))
            });
        } else if range.len() < 2 * block {
            let sure = range.end - block..range.start + block;
            found.add(view.unknown(sure.clone(), true), || {
                let [room, sure] = [range, sure].map(|cells| view.places(cells));
                format!(
                    "{} has only {room} to be in, so it must cover {sure}",
                    view.block(j)
                )
            });
        }
    }
}

/// For each block of the rest, the cells from its leftmost to its rightmost place that fit the known cells.
///
/// All blocks are leftmost at once, because of two arrangements the one that takes the left place of every block is an arrangement too.
fn ranges(view: &LineView<'_>) -> Vec<Range<usize>> {
    let blocks = view.blocks();
    let cells = view.cells[view.start..view.end].iter().copied();
    let leftmost = leftmost_starts(blocks.iter().copied(), cells.clone());
    let rightmost = leftmost_starts(blocks.iter().rev().copied(), cells.rev());
    let (Some(leftmost), Some(rightmost)) = (leftmost, rightmost) else {
        return Vec::new();
    };
    let ends = rightmost.into_iter().rev().map(|start| view.end - start);
    let begins = leftmost.into_iter().map(|start| view.start + start);
    begins.zip(ends).map(|(begin, end)| begin..end).collect()
}

/// Where the blocks start in the leftmost arrangement.
fn leftmost_starts(
    blocks: impl Iterator<Item = usize>,
    cells: impl Iterator<Item = Option<bool>>,
) -> Option<Vec<usize>> {
    let clue = Clue::new(blocks).ok()?;
    Arrangements::new(&clue, &cells.collect::<Vec<_>>()).next()
}
