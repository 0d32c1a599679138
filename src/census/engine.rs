//! The engine's answers on one clue set, which a census compares with its enumeration.

use super::lines::LineClue;
use super::problem::Engine;
use super::tables::Tables;
use crate::board::{Board, Clues};
use crate::puzzle::Puzzle;
use crate::search::Search;
use crate::solutions::Count;

/// Asks the engine about one clue set after the other.
#[derive(Debug)]
pub(super) struct Questioner<'t> {
    tables: &'t Tables,
    /// The clues of the last question, and their numbers, rows first. A question changes only the lines that differ.
    clues: Clues,
    numbers: Vec<usize>,
}

impl<'t> Questioner<'t> {
    pub(super) fn new(tables: &'t Tables) -> Self {
        let (rows, columns) = (tables.rows, tables.columns);
        Questioner {
            tables,
            clues: Clues::of_picture::<u64>(columns, rows, &vec![0; rows + columns]),
            // The clue of an empty line has the number 0.
            numbers: vec![0; rows + columns],
        }
    }

    /// Whether line solving alone solves the clue set. An error if the engine contradicts the enumeration, which finds these `solutions`.
    pub(super) fn ask(
        &mut self,
        rows: &[usize],
        columns: &[usize],
        solutions: u64,
    ) -> Result<bool, String> {
        let engine = self.tables.census.engine();
        if engine == Engine::None || engine == Engine::Lines && solutions > 1 {
            return Ok(false);
        }
        let answer = match self.solve_by_lines(rows, columns) {
            None => "line solving finds a contradiction".to_owned(),
            Some(true) if solutions != 1 => "line solving decides every cell".to_owned(),
            Some(is_solved) if engine == Engine::Lines => return Ok(is_solved),
            Some(is_solved) => {
                let counted = self.count(rows, columns);
                if counted == Count::from(solutions) {
                    return Ok(is_solved);
                }
                format!("the search counts {counted} solutions")
            }
        };
        Err(format!(
            "the engine is wrong about rows {} and columns {}: the enumeration finds {solutions} solutions, but {answer}",
            self.text(rows, true),
            self.text(columns, false)
        ))
    }

    /// Whether propagation decides every cell; `None` is a contradiction.
    fn solve_by_lines(&mut self, rows: &[usize], columns: &[usize]) -> Option<bool> {
        for (line, &number) in rows.iter().chain(columns).enumerate() {
            if std::mem::replace(&mut self.numbers[line], number) != number {
                let clue = self.clue(number, line < rows.len());
                self.clues.set_line(line, clue.example);
            }
        }
        let mut board = Board::<u64>::new(&self.clues);
        board.propagate().then(|| board.unknown() == 0)
    }

    /// The number of solutions that the search counts.
    fn count(&self, rows: &[usize], columns: &[usize]) -> Count {
        let [rows, columns] = [(rows, true), (columns, false)].map(|(numbers, is_row)| {
            let clue = |&number: &usize| self.clue(number, is_row).clue.clone();
            numbers.iter().map(clue).collect()
        });
        let puzzle = Puzzle::new(rows, columns);
        let puzzle = puzzle.expect("the clues are those of lines of the puzzle");
        let outcome = Search::new(&puzzle).single_threaded().count();
        outcome.solutions.number().clone()
    }

    fn clue(&self, number: usize, is_row: bool) -> &'t LineClue {
        let tables = self.tables;
        let clues = if is_row {
            &tables.row_clues
        } else {
            &tables.column_clues
        };
        &clues.clues[number]
    }

    /// Clues as text, as in a game ID: `1.1/2/0`.
    fn text(&self, tuple: &[usize], is_row: bool) -> String {
        let clues = tuple.iter().map(|&number| {
            let clue = &self.clue(number, is_row).clue;
            clue.to_string().replace(' ', ".")
        });
        clues.collect::<Vec<_>>().join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::census::Census;

    /// The answers to the permutation puzzle of four rows, if the enumeration finds this number of solutions.
    fn ask(engine: Engine, solutions: u64) -> Result<bool, String> {
        let tables = Tables::new(Census::new(4, 4, engine).unwrap());
        let one = usize::from(tables.row_clues.of_cells[1]);
        Questioner::new(&tables).ask(&[one; 4], &[one; 4], solutions)
    }

    #[test]
    fn a_wrong_number_is_an_error() {
        assert_eq!(ask(Engine::Count, 24), Ok(false));
        assert_eq!(
            ask(Engine::Count, 23).unwrap_err(),
            "the engine is wrong about rows 1/1/1/1 and columns 1/1/1/1: the enumeration finds 23 solutions, but the search counts 24 \
             solutions"
        );
        // Nothing is counted, so nothing is wrong.
        assert_eq!(ask(Engine::Lines, 23), Ok(false));
    }

    #[test]
    fn line_solving_may_not_solve_what_has_several_solutions() {
        let tables = Tables::new(Census::new(2, 3, Engine::Count).unwrap());
        let number = |cells: usize| usize::from(tables.row_clues.of_cells[cells]);
        let columns = [usize::from(tables.column_clues.of_cells[1]); 3];
        let mut questioner = Questioner::new(&tables);
        let rows = [number(0b111), number(0)];
        assert_eq!(questioner.ask(&rows, &columns, 1), Ok(true));
        let error = questioner.ask(&rows, &columns, 2).unwrap_err();
        assert!(
            error.ends_with("line solving decides every cell"),
            "{error}"
        );
        let error = questioner.ask(&[rows[0]; 2], &columns, 1).unwrap_err();
        assert!(
            error.ends_with("line solving finds a contradiction"),
            "{error}"
        );
    }
}
