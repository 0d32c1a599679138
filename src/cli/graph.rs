//! `omnogram count --graph`: the solution graph as a file, a decision-DNNF in the text format of the d4 compiler.

use std::path::Path;

use omnogram::error::{Error, Kind};
use omnogram::graph::{Nnf, SolutionGraph};
use omnogram::search::Limits;
use omnogram::solutions::Stop;

use super::output::{Output, Outputs};
use super::session::Session;
use super::status::Answered;
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
    pub(super) fn new(outputs: &mut Outputs, path: &Path) -> Result<Self, Error> {
        let output = outputs.file(Some(path))?;
        match output {
            Output::Stdout => {
                let message = "--graph writes to a file, as standard output is for the number";
                Err(Error::new(Kind::Usage, message))
            }
            output => Ok(GraphFile { output, size: None }),
        }
    }

    /// Writes the graph of a puzzle. Returns the reason if a limit stopped it before the end.
    pub(super) fn write(
        &mut self,
        solution_graph: &SolutionGraph,
        limits: &Limits,
    ) -> Answered<Option<Stop>> {
        let mut halt = None;
        let written = solution_graph.write_nnf(limits, |text| {
            let written = self.output.write(text);
            halt = written.err();
            halt.is_none()
        });
        match (written, halt) {
            (_, Some(halt)) => Err(halt),
            (Err(stop), None) => Ok(Some(stop)),
            (Ok(size), None) => {
                self.size = Some(size);
                Ok(None)
            }
        }
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

    /// Checks that the graph is of a single puzzle.
    pub(super) fn check_single(&self, subject: &Subject<'_>) -> Answered<()> {
        if subject.several {
            let message = "--graph writes the graph of one puzzle, and there are several";
            Err(Error::new(Kind::Usage, message).into())
        } else {
            Ok(())
        }
    }
}
