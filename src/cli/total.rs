//! The number of solutions, as text.

use omnogram::search::Outcome;

use super::session::Session;
use super::status::Answered;
use super::subject::Subject;

/// Prints the number of solutions, preceded by the puzzle's name if there are several puzzles.
pub(super) fn print_total(
    session: &Session,
    subject: &Subject<'_>,
    outcome: &Outcome,
) -> Answered<()> {
    if subject.several {
        session.print(&format!("{}: {}\n", subject.label(), outcome.solutions))
    } else {
        session.print(&format!("{}\n", outcome.solutions))
    }
}
