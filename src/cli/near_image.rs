//! `omnogram generate --from`: puzzles near an image. It is decoded once and traced in several ways, and each tracing is repaired.

use std::path::Path;
use std::time::{Duration, Instant};

use omnogram::design::{Repair, Repaired};
use omnogram::error::Result;
use omnogram::format::{Picture, ReadOptions, Threshold, TraceOptions};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::json::json_line;
use super::puzzle_output::PuzzleOutput;
use super::repair::edited;
use super::session::{self, Session};
use super::status::{Answered, Status};
use super::words::counted;
use super::{inputs, messages};

/// The thresholds at which an image is traced.
const THRESHOLDS: [Threshold; 5] = [
    Threshold::Auto,
    Threshold::Fixed(128),
    Threshold::Fixed(96),
    Threshold::Fixed(160),
    Threshold::Fixed(64),
];

/// An image with at most this number of pixels a side is traced with one cell per pixel.
const MAX_PIXELS: usize = 60;

/// The widths at which a larger image is traced.
const WIDTHS: [usize; 4] = [20, 25, 30, 40];

/// Nodes of a repair, unless --nodes says otherwise: some seconds.
const REPAIR_NODES: u64 = 20_000;

/// What is wanted of the puzzles near an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct WantedNear<'a> {
    pub(super) image: &'a Path,
    /// Columns and rows, if they are given.
    pub(super) size: Option<(usize, Option<usize>)>,
    /// Whether single lines must be enough to solve them.
    pub(super) line_solvable: bool,
    /// Number of puzzles.
    pub(super) number: u64,
    /// Whether they are written although the answer is JSON.
    pub(super) to_file: bool,
}

/// A puzzle near the image.
#[derive(Debug, Serialize)]
struct Near {
    #[serde(flatten)]
    puzzle: Puzzle,
    /// The grey level at which the image was traced, or `auto`.
    threshold: String,
    /// Cells that differ from the tracing, and whether no smaller number suffices.
    changed: usize,
    minimal: bool,
}

pub(super) fn run(
    session: &Session,
    wanted: WantedNear<'_>,
    output: &mut PuzzleOutput,
) -> Answered {
    // There is nothing to report yet, so that a signal may end the process.
    let (picture, started) = session.interrupt().while_reading(|| read(wanted))?;
    let traced = tracings(session, wanted, &picture, started);
    repair_all(session, wanted, traced, started, output)
}

/// Reads and decodes the image, and tells when the decoding began: `--time` does not hold for the wait for an input.
fn read(wanted: WantedNear<'_>) -> Result<(Picture, Instant)> {
    let bytes = inputs::read_file(wanted.image)?;
    let started = Instant::now();
    // With a size, images are read that are too large to be traced without one.
    let size = wanted.size.unwrap_or((WIDTHS[0], None));
    let reading = ReadOptions::default().tracing(TraceOptions::default().size(size));
    let picture = reading.picture(&bytes, &inputs::name(wanted.image))?;
    Ok((picture, started))
}

/// The different tracings of the image, and what stopped the tracing before the last of them.
fn tracings(
    session: &Session,
    wanted: WantedNear<'_>,
    picture: &Picture,
    started: Instant,
) -> (Vec<(Grid, Threshold)>, Option<Stop>) {
    let (width, height) = picture.size();
    let sizes: Vec<_> = match wanted.size {
        Some(size) => vec![Some(size)],
        None if width.max(height) <= MAX_PIXELS => vec![None],
        None => WIDTHS.map(|width| Some((width, None))).to_vec(),
    };
    let mut tracings: Vec<(Grid, Threshold)> = Vec::new();
    for size in sizes {
        let mut scaled = None;
        for threshold in THRESHOLDS {
            if let Some(stop) = stop(session, started) {
                return (tracings, Some(stop));
            }
            let scale = || size.map_or_else(|| picture.clone(), |size| picture.scaled(size));
            let grid = scaled.get_or_insert_with(scale).trace(threshold);
            // A picture without filled or without empty cells shows nothing.
            let shows = grid.filled() > 0 && grid.filled() < grid.width() * grid.height();
            if shows && !tracings.iter().any(|(other, _)| *other == grid) {
                tracings.push((grid, threshold));
            }
        }
    }
    (tracings, None)
}

/// Whether the time since `started` is over, or there has been an interrupt.
fn stop(session: &Session, started: Instant) -> Option<Stop> {
    if session.interrupt().is_requested() {
        return Some(Stop::Interrupt);
    }
    let is_over = session.limits_since(started).time == Some(Duration::ZERO);
    is_over.then_some(Stop::Time)
}

/// Repairs all tracings, several at once, each on one thread, and writes the best.
fn repair_all(
    session: &Session,
    wanted: WantedNear<'_>,
    (tracings, mut stopped): (Vec<(Grid, Threshold)>, Option<Stop>),
    started: Instant,
    output: &mut PuzzleOutput,
) -> Answered {
    let repair = |(grid, _): &(Grid, Threshold)| {
        let grid = grid.clone();
        session.start(started, move |limits| {
            let nodes = limits.nodes.unwrap_or(REPAIR_NODES);
            let repair = Repair::new(&grid)
                .line_solvable(wanted.line_solvable)
                .limits(limits.nodes(nodes));
            // On one thread a repair is reproducible.
            Some(session::pool(1).ok()?.install(|| repair.run()))
        })
    };
    let repairs: Vec<_> = tracings.iter().map(repair).collect();
    let name = messages::escaped(&inputs::name(wanted.image)).into_owned();
    let mut found = Vec::new();
    for ((grid, threshold), receiver) in tracings.iter().zip(repairs) {
        let (width, height) = (grid.width(), grid.height());
        let about = format!("{name}: {width}x{height}, threshold {}", word(*threshold));
        let repaired: Option<Repaired> = receiver.recv().ok().flatten();
        let stop = repaired.as_ref().and_then(|repaired| repaired.stopped);
        stopped = stopped.or(stop.filter(|&stop| stop != Stop::Nodes));
        let Some(near) = repaired.and_then(|repaired| near(grid, *threshold, &repaired)) else {
            session.note(&format!("{about}: no good picture found near it"));
            continue;
        };
        let cells = width * height;
        let share = 100.0 * near.changed as f64 / cells as f64;
        let changed = counted(near.changed as u64, "cell");
        let minimal = if near.minimal { ", proven minimal" } else { "" };
        session.note(&format!(
            "{about}: {changed} of {cells} changed ({share:.1} %{minimal})"
        ));
        found.push((share, near));
    }
    // The smallest share first; the sort keeps the order of equal ones.
    found.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let most = usize::try_from(wanted.number).unwrap_or(usize::MAX);
    let made = found.len().min(most);
    for (i, (_, near)) in found.into_iter().take(most).enumerate() {
        if session.json() {
            session.print(&json_line(&near))?;
        }
        if !session.json() || wanted.to_file {
            output.add(format!("generated#{}", i + 1), near.puzzle)?;
        }
    }
    output.finish()?;
    if made == most && stopped.is_none() {
        return Ok(Status::Complete);
    }
    let wanted = counted(wanted.number, "puzzle");
    let why = match stopped {
        Some(stop) => session.stop_reason(stop, None),
        None => "there are no more tracings that differ".to_owned(),
    };
    session.note(&format!("{made} of {wanted} made: {why}"));
    Ok(Status::Stopped)
}

/// The puzzle of a repaired tracing; `None` if there is no edit.
fn near(grid: &Grid, threshold: Threshold, repaired: &Repaired) -> Option<Near> {
    let flips = repaired.flips.as_ref()?;
    Some(Near {
        puzzle: edited(&Puzzle::from_grid(grid), grid, flips),
        threshold: word(threshold),
        changed: flips.len(),
        minimal: repaired.minimal,
    })
}

fn word(threshold: Threshold) -> String {
    match threshold {
        Threshold::Fixed(level) => level.to_string(),
        _ => "auto".to_owned(),
    }
}
