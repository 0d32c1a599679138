//! `omnogram count`: the exact number of solutions of each puzzle.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use clap::{Args, ValueEnum};
use omnogram::cluster::Mode;
use omnogram::count::{self, Counter, Method, Slice};
use omnogram::error::Error;
use omnogram::search::Outcome;

use super::certify::CertificateFolder;
use super::graph::GraphFile;
use super::json::json_line;
use super::options::PuzzleOptions;
use super::output::{Outputs, Replacing};
use super::session::Session;
use super::shares::{self, CellOutput};
use super::status::Answered;
use super::total::Counted;
use super::words::Subject;
use super::{estimate, journal};

/// Count the solutions exactly
///
/// Prints the number, preceded by the puzzle's name if there are several puzzles. When the run was stopped, the number is a lower bound
/// and begins with "at least", and the exit status is 3.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram count puzzles/pictures/harbour.non
  omnogram count --time 10s --json puzzles/hard
  omnogram count --cells --exact --json puzzles/pictures/snail.non
  omnogram count --cells --svg snail.svg puzzles/pictures/snail.non
  omnogram count --graph harbour.nnf puzzles/pictures/harbour.non
  omnogram count --proof certificates puzzles/pictures/harbour.non
  omnogram count --estimate --time 1m puzzles/families/permutation-20.non
  omnogram count --method frontier puzzles/families/permutation-20.non
  omnogram count --method tree --journal count.journal puzzles/families/permutation-12.non")]
pub(super) struct Options {
    /// Counting method
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: Method,

    /// Also print for each cell the share of solutions in which it is filled: as one character per cell, or with --json as a number with
    /// six decimals
    #[arg(long, conflicts_with_all = ["method", "estimate"])]
    cells: bool,

    /// Print these shares exactly: in text as numbers of solutions, with --json as `fractions` whose denominator is the number of all
    /// solutions
    #[arg(long, requires = "cells")]
    exact: bool,

    /// Draw these shares as SVG into this file
    #[arg(long, value_name = "FILE", requires = "cells")]
    svg: Option<PathBuf>,

    /// Also write the solution graph into this file: a decision-DNNF in the text format of the d4 compiler, for knowledge compilation
    /// tools. Its variables 1, 2, 3 ... are the cells, row by row
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "estimate"])]
    graph: Option<PathBuf>,

    /// Write certificates into this folder, which verify --proof checks: the solution graph and, where propagation alone does not show that
    /// it is complete, clauses in DIMACS and their refutation in LRAT. The limits on time apply to each certificate again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["method", "estimate", "journal"])]
    proof: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    #[command(flatten)]
    estimate: estimate::Options,

    /// Record the count of one puzzle in this file, part by part. If the run is stopped or killed, the same command resumes it, and has
    /// lost about a twentieth of its time at most
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cells", "graph", "estimate"])]
    journal: Option<PathBuf>,

    /// Only these racers, separated by commas: for measurements
    #[arg(long, value_name = "NAMES", hide = true, value_delimiter = ',')]
    racer: Vec<String>,

    /// Write what each slice of work has brought into this file, as lines of JSON: for measurements
    #[arg(long, value_name = "FILE", hide = true)]
    trace: Option<PathBuf>,

    #[command(flatten)]
    common: PuzzleOptions,
}

pub(super) fn run(options: &Options) -> Answered {
    let mut outputs = Outputs::new(options.replacing, &options.common.inputs(), &[]);
    let svg = outputs.optional(options.svg.as_deref())?;
    let graph = options.graph.as_deref();
    let graph = graph.map(|path| GraphFile::new(&mut outputs, path));
    let puzzles = options.common.puzzles();
    let inputs = &options.common.inputs();
    let proof = options.proof.as_deref();
    let proof = proof.map(|folder| CertificateFolder::new(folder, options.replacing, inputs));
    let mut graph_outputs = GraphOutputs {
        graph: graph.transpose()?,
        proof: proof.transpose()?,
        cell_output: options.cells.then_some(CellOutput {
            svg,
            exact: options.exact,
            legend_shown: false,
        }),
    };
    if let Some(journal) = &options.journal {
        journal::check_one_puzzle(journal, puzzles)?;
    }
    let session = &Session::for_puzzles(&options.common)?;
    let answer = |subject: &Subject<'_>| {
        if graph_outputs.is_any() {
            graph_outputs.answer(session, subject)
        } else if options.estimate.estimate {
            estimate::answer(session, subject, options.estimate.seed)
        } else {
            count(session, subject, options)
        }
    };
    let status = if options.journal.is_some() {
        journal::answer(session, puzzles, answer)?
    } else {
        session.answer_each(puzzles, answer)?
    };
    Ok(match &mut graph_outputs.proof {
        Some(proof) => status.and(proof.finish()),
        None => status,
    })
}

fn count(session: &Session, subject: &Subject<'_>, options: &Options) -> Answered {
    let method = options.method;
    let trace = options.trace.as_deref().map(Trace::new).transpose()?;
    let outcome = if let Some(journal) = &options.journal {
        let name = method.to_possible_value().expect("no method is hidden");
        let verb = format!("count --method {}", name.get_name());
        journal::run(session, subject, journal, &verb, Mode::Count(method), None)?
    } else {
        let racers = racers(&options.racer)?;
        // A failure is told at the end.
        let note = |slice: &Slice| {
            let _ = trace.as_ref().map(|trace| trace.write(&trace_line(slice)));
        };
        session.run_observed(subject.name, true, |observer| {
            let mut counter = Counter::new(subject.puzzle)
                .limits(session.limits())
                .method(method)
                .options(racers);
            if let Some(observer) = observer {
                counter = counter.observer(observer);
            }
            if trace.is_some() {
                counter = counter.slice_observer(&note);
            }
            counter.run()
        })
    };
    let outcome = &outcome;
    let status = session.answer(&Counted { subject, outcome })?;
    if let Some(trace) = trace {
        trace.finish(&trace_end(outcome))?;
    }
    Ok(status)
}

/// The options of a count by the racers with these names, or by those of its method.
fn racers(names: &[String]) -> Answered<count::Options> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let options = count::Options::default();
    if names.is_empty() {
        return Ok(options);
    }
    options
        .racers(&names)
        .ok_or_else(|| Error::data(format!("no racer is called {}", names.join(","))).into())
}

/// The file of --trace.
struct Trace {
    name: String,
    file: Mutex<BufWriter<File>>,
}

impl Trace {
    fn new(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let file = File::create(path).map_err(|error| Error::io(&name, error))?;
        let file = Mutex::new(BufWriter::new(file));
        Ok(Trace { name, file })
    }

    fn lock(&self) -> MutexGuard<'_, BufWriter<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, line: &str) -> io::Result<()> {
        self.lock().write_all(line.as_bytes())
    }

    fn finish(self, last: &str) -> Result<(), Error> {
        let written = self.write(last).and_then(|()| self.lock().flush());
        written.map_err(|error| Error::io(&self.name, error))
    }
}

/// What a slice of a count has brought, for --trace. An infinite forecast is null.
fn trace_line(slice: &Slice) -> String {
    json_line(&serde_json::json!({
        "component": slice.component,
        "racer": slice.racer,
        "spent": slice.spent,
        "left": slice.left,
        "proved": slice.proved.to_f64(),
    }))
}

fn trace_end(outcome: &Outcome) -> String {
    let statistics = &outcome.statistics;
    json_line(&serde_json::json!({
        "nodes": statistics.nodes,
        "settles": statistics.settles,
        "conflicts": statistics.conflicts,
    }))
}

/// The outputs that need the solution graph: the file of the graph itself, the certificates, and the shares of the cells.
#[derive(Debug)]
struct GraphOutputs {
    graph: Option<GraphFile>,
    proof: Option<CertificateFolder>,
    cell_output: Option<CellOutput>,
}

impl GraphOutputs {
    fn is_any(&self) -> bool {
        self.graph.is_some() || self.proof.is_some() || self.cell_output.is_some()
    }

    /// Counts the solutions of a puzzle with their solution graph, and writes the outputs from the graph.
    fn answer(&mut self, session: &Session, subject: &Subject<'_>) -> Answered {
        if self.graph.is_some() {
            let message = "--graph writes the graph of one puzzle, and there are several";
            subject.require_single(message)?;
        }
        if (self.cell_output.as_ref()).is_some_and(|output| output.svg.is_some()) {
            subject.require_single("--svg draws one puzzle, and there are several")?;
        }
        let started = Instant::now();
        // What reads a file or a certificate expects nodes that decide a cell.
        let decides_cells = self.graph.is_some() || self.proof.is_some();
        let (solution_graph, mut outcome) = session.solution_graph(subject, |counter| {
            if decides_cells {
                counter.graph()
            } else {
                counter.quick_graph()
            }
        });
        let (mut cells, mut written) = (None, Ok(None));
        if let Some(solution_graph) = &solution_graph {
            if let Some(graph) = &mut self.graph {
                written = graph.write(solution_graph, &session.limits_since(started));
                let stopped = written.as_ref().ok().copied().flatten();
                outcome.stopped = outcome.stopped.or(stopped);
            }
            if self.cell_output.is_some() {
                cells = shares::cell_counts(
                    solution_graph,
                    &session.limits_since(started),
                    &mut outcome,
                );
            }
        }
        outcome.elapsed = started.elapsed();
        // The number is printed even when writing the file failed.
        let counted = Counted {
            subject,
            outcome: &outcome,
        };
        let status = match &mut self.cell_output {
            Some(cell_output) => cell_output.answer(session, counted, cells.as_ref())?,
            None => session.answer(&counted)?,
        };
        written?;
        if let Some(graph) = &mut self.graph {
            graph.finish(session, subject)?;
        }
        if let Some(proof) = &mut self.proof {
            let graph = solution_graph.as_ref();
            return Ok(status.max(proof.add_count(session, subject, graph, &outcome)?));
        }
        Ok(status)
    }
}
