//! Designs in the JSON form that the command prints.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Fields, add_fields, object, seconds};
use crate::design::{Ambiguity, Generated, Method, Profile, Region, Repaired, Revealed, Step};
use crate::puzzle::Cell;
use crate::render::differing;
use crate::search::Verdict;

/// Cells as `[row, column]`, from 1.
struct CellList<'a>(&'a [Cell]);

impl Serialize for CellList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|cell| [cell.row + 1, cell.column + 1]))
    }
}

object! {
    /// As an object with the fields `flips`, `minimal`, `none_within`, `alternatives`, `stopped` and `seconds`. Cells are `[row, column]`,
    /// from 1.
    Repaired, |repaired| {
        "flips": repaired.flips.as_deref().map(CellList),
        "minimal": repaired.minimal,
        "none_within": repaired.none_within,
        "alternatives": repaired.alternatives.iter().map(|flips| CellList(flips)).collect::<Vec<_>>(),
        "stopped": repaired.stopped,
        "seconds": seconds(repaired.elapsed),
    }
}

object! {
    /// As an object with the fields `reveal`, `minimal`, `none_within`, `stopped` and `seconds`. Cells are `[row, column]`, from 1.
    Revealed, |revealed| {
        "reveal": revealed.cells.as_deref().map(CellList),
        "minimal": revealed.minimal,
        "none_within": revealed.none_within,
        "stopped": revealed.stopped,
        "seconds": seconds(revealed.elapsed),
    }
}

object! {
    /// As an object with the fields of its [`Outcome`](crate::search::Outcome), `examples` (the solutions), `differs` (the cells in which
    /// the two differ, as row and column from 0), `ambiguous` and `undecided` (numbers of cells), `regions` and `closest`.
    Ambiguity, |ambiguity| {
        ..ambiguity.outcome,
        "examples": ambiguity.solutions,
        "differs": match &ambiguity.solutions[..] {
            [first, second] => differing(first, second),
            _ => Vec::new(),
        },
        "ambiguous": ambiguity.backbone.differing(),
        // Without a solution there is no undecided cell.
        "undecided": if ambiguity.outcome.solutions.verdict() == Verdict::None {
            0
        } else {
            ambiguity.backbone.undecided()
        },
        "regions": ambiguity.regions,
        "closest": ambiguity.closest(),
    }
}

object! {
    /// As an object with the fields `box` (as [`Region::bounds`]), `cells` (their number), `fillings` and `exact`.
    Region, |region| {
        "box": region.bounds(),
        "cells": region.cells.len(),
        "fillings": region.fillings.number(),
        "exact": region.fillings.is_exact(),
    }
}

/// As its name.
impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

object! {
    /// As an object with the fields `method`, `line_solvable`, `sweeps`, `narrowest`, `narrowest_of`, `rounds` (lists of the lines that
    /// help, the open lines and the unknown cells), `hardest`, `unknown`, `probes`, `depth` and `stopped`.
    Profile, |profile| {
        "method": profile.method,
        "line_solvable": profile.line_solvable(),
        "sweeps": profile.sweeps,
        "narrowest": profile.narrowest().map(|round| round.helping),
        "narrowest_of": profile.narrowest().map(|round| round.open),
        "rounds": profile.rounds.iter().map(|round| [round.helping, round.open, round.unknown]).collect::<Vec<_>>(),
        // As text, since it may exceed the range of numbers in JSON readers.
        "hardest": profile.hardest,
        "unknown": profile.unknown,
        "probes": profile.probes,
        "depth": profile.depth,
        "stopped": profile.stopped,
    }
}

/// Row and column from 1, and the sign of the value.
fn signed(cell: Cell, value: Option<bool>) -> (u16, u16, char) {
    let sign = match value {
        Some(true) => '#',
        Some(false) => '.',
        None => '?',
    };
    (cell.row + 1, cell.column + 1, sign)
}

object! {
    /// As an object with the fields `line` (`row 3`), `cells` (lists of row and column from 1, and `#` or `.`), `reason`, `words`, and for
    /// a cell that is tried `tried` (with `?` if it is tried both ways) and `chain`.
    Step, |step| {
        "line": step.line.to_string(),
        "cells": step.cells.iter().map(|&(cell, value)| signed(cell, Some(value))).collect::<Vec<_>>(),
        "reason": step.reason.to_string(),
        "words": step.words,
        "tried"?: step.tried.map(|(cell, value)| signed(cell, value)),
        "chain"?: (!step.chain.is_empty()).then(|| step.chain.iter().map(ToString::to_string).collect::<Vec<_>>()),
    }
}

/// The fields of the value, if there is one.
impl<T: Fields> Fields for Option<T> {
    fn add_to<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
        self.iter().try_for_each(|value| value.add_to(object))
    }
}

object! {
    /// As an object with the fields of the puzzle, its goal among them, or without one `width` and `height` alone; and with `number`,
    /// `made`, `unique`, `method`, `sweeps` if asked for, `attempts`, `changed`, `stopped`, `settles`, `nodes` and `seconds`.
    Generated, |generated| {
        "number": generated.number,
        ..generated.puzzle,
        "width"?: generated.puzzle.is_none().then_some(generated.width),
        "height"?: generated.puzzle.is_none().then_some(generated.height),
        "made": generated.puzzle.is_some(),
        "unique": generated.unique,
        "method": generated.method,
        "sweeps"?: generated.sweeps,
        "attempts": generated.attempts,
        "changed": generated.changed,
        "stopped": generated.stopped,
        "settles": generated.settles,
        "nodes": generated.nodes,
        "seconds": seconds(generated.elapsed),
    }
}
