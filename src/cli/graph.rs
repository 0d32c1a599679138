//! `omnogram count --graph`: the solution graph as a file, a decision-DNNF in the text format of the d4 compiler.

use std::path::Path;

use omnogram::error::Result;
use omnogram::graph::{Nnf, SolutionGraph};
use omnogram::search::Limits;
use omnogram::solutions::Stop;

use super::output::{Output, Outputs};
use super::session::Session;
use super::status::{Answered, usage};
use super::words::{Subject, counted};

/// The output file of a solution graph.
#[derive(Debug)]
pub(super) struct GraphFile {
    output: Output,
    /// The size of the graph, once it is completely written.
    size: Option<Nnf>,
}

impl GraphFile {
    /// Opens this file, which cannot be standard output: the number of solutions is printed there.
    pub(super) fn new(outputs: &mut Outputs, path: &Path) -> Result<Self> {
        let output = outputs.file(Some(path))?;
        if matches!(output, Output::Stdout) {
            let message = "--graph writes to a file, as standard output is for the number";
            return Err(usage(message));
        }
        Ok(GraphFile { output, size: None })
    }

    /// Writes the graph of a puzzle. Returns the reason if a limit stopped it before the end.
    pub(super) fn write(
        &mut self,
        graph: &SolutionGraph,
        limits: &Limits,
    ) -> Answered<Option<Stop>> {
        let size = write_nnf(graph, limits, |text| self.output.write(text))?;
        self.size = size.ok();
        Ok(size.err())
    }

    /// Finishes the file and prints the size of the graph if it is complete; otherwise prints that there is no graph.
    pub(super) fn finish(&mut self, session: &Session, subject: &Subject<'_>) -> Answered<()> {
        let name = subject.label();
        let Some(size) = self.size else {
            session.note(&format!("{name}: no graph is written, as it is incomplete"));
            return Ok(());
        };
        self.output.finish()?;
        session.note(&format!(
            "{name}: graph of {} and {}",
            counted(size.nodes, "node"),
            counted(size.edges, "edge")
        ));
        Ok(())
    }
}

/// Writes a graph, and returns its size, or the reason if a limit stopped it before the end.
pub(super) fn write_nnf(
    graph: &SolutionGraph,
    limits: &Limits,
    mut write: impl FnMut(&[u8]) -> Answered<()>,
) -> Answered<std::result::Result<Nnf, Stop>> {
    let mut written = Ok(());
    let size = graph.write_nnf(limits, |text| {
        written = write(text);
        written.is_ok()
    });
    written?;
    Ok(size)
}
