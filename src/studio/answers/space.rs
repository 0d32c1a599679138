//! `cells` and `solutions`: the share of all solutions in which each cell is filled, and single solutions by their index in sorted order.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::engine::Run;
use super::question::{Question, most_solutions};
use super::refusal::Refusal;
use crate::count::Counter;
use crate::graph::SolutionGraph;
use crate::puzzle::{Cell, Grid, Puzzle};
use crate::search::Search;
use crate::solutions::Count;

/// Maximum time for the graph of all solutions, before single solutions are searched instead.
const MAX_GRAPH_TIME: Duration = Duration::from_secs(5);

/// Number of solutions that are searched without a graph.
const SEARCHED: u64 = 64;

#[derive(Serialize)]
struct Shares {
    shares: Vec<Vec<f64>>,
    solutions: Count,
}

#[derive(Serialize)]
struct Solutions {
    from: Count,
    count: Count,
    /// Whether `count` is the number of all solutions. If not, the order is that in which they were found.
    exact: bool,
    solutions: Vec<Grid>,
}

pub(super) fn cells(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    run.begin();
    let unavailable = |words: &str| {
        let words = serde_json::json!({ "words": words });
        run.send("unavailable", &words);
    };
    let Some(graph) = graph(run, &puzzle, None) else {
        unavailable("The graph of all solutions needs more time or memory than it may take.");
        return Ok(());
    };
    if graph.count().is_zero() {
        unavailable("There is no solution.");
        return Ok(());
    }
    let Ok(counts) = run.engine.on_threads(|| graph.cells_within(&run.limits())) else {
        unavailable("The shares of the cells need more time than they may take.");
        return Ok(());
    };
    let shares = (0..puzzle.height()).map(|row| {
        let cells = (0..puzzle.width()).map(|column| Cell::new(row, column));
        let shares = cells.map(|cell| f64::from(counts.millionths(cell)) / 1e6);
        shares.collect()
    });
    let shares = Shares {
        shares: shares.collect(),
        solutions: graph.count().clone(),
    };
    run.send("cells", &shares);
    Ok(())
}

pub(super) fn solutions(run: &Run<'_>, question: &Question<'_>) -> Result<(), Refusal> {
    let puzzle = question.subject()?;
    let from = question.from()?;
    let most = most_solutions(&puzzle);
    let number = question.number.unwrap_or(1).min(most);
    run.begin();
    let solutions = match graph(run, &puzzle, Some(MAX_GRAPH_TIME)) {
        Some(graph) => Solutions {
            count: graph.count().clone(),
            exact: true,
            solutions: if &from < graph.count() {
                graph.lexicographic(&from).take(number).collect()
            } else {
                Vec::new()
            },
            from,
        },
        None => {
            let limits = run.limits().solutions(SEARCHED);
            let search = Search::new(&puzzle).limits(limits);
            let (found, _) = run.engine.on_threads(|| search.collect());
            let index = from.to_u64().and_then(|from| usize::try_from(from).ok());
            Solutions {
                count: Count::from(found.len() as u64),
                exact: false,
                solutions: found
                    .into_iter()
                    .skip(index.unwrap_or(usize::MAX))
                    .take(number)
                    .collect(),
                from,
            }
        }
    };
    run.send("solutions", &solutions);
    Ok(())
}

/// The graph of all solutions; `None` if it takes more than the limits of the run or this time.
fn graph(run: &Run<'_>, puzzle: &Puzzle, most: Option<Duration>) -> Option<Arc<SolutionGraph>> {
    if let Some(graph) = run.engine.kept_graph(puzzle) {
        return Some(graph);
    }
    let limits = run.limits();
    let time = limits.time.into_iter().chain(most).min();
    let (graph, _) = run.engine.on_threads(|| {
        Counter::new(puzzle)
            .limits(limits.time(time))
            .observer(&|snapshot| run.progress(snapshot))
            .quick_graph()
    });
    let graph = Arc::new(graph?);
    run.engine.keep_graph(puzzle, &graph);
    Some(graph)
}
