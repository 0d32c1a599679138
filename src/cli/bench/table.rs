//! The figures as a table of text.

use super::machine::Machine;
use super::row::Row;

/// The names of the columns, as wide as [`line`] prints them.
const COLUMNS: &str = "workload    threads  seconds  lowest..highest    nodes/s    found per second  speed-up  efficiency";

/// The lines above the table, and the names of its columns.
pub(super) fn heading(machine: &Machine, repeat: usize, quick: bool) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let quick = if quick { " --quick" } else { "" };
    let runs = match repeat {
        1 => "one run".to_owned(),
        n => format!("the median of {n} runs"),
    };
    format!("omnogram {version} bench{quick}, {runs}\n{machine}\n\n{COLUMNS}\n")
}

/// The note below a table with a noisy row.
pub(super) const NOISY: &str =
    "\n~ noisy: the slowest run took over 20 % longer than the fastest\n";

/// A line of the table; only the first of a workload has its name.
pub(super) fn line(row: &Row<'_>, first: bool) -> String {
    let name = if first {
        row.workload.to_string()
    } else {
        String::new()
    };
    let spread = format!("{:.3}..{:.3}", row.lowest, row.highest);
    let noise = if row.is_noisy() { '~' } else { ' ' };
    let found = match row.puzzles {
        1 => format!("{} solutions", rate(row.solutions_per_second)),
        _ => format!("{} puzzles", rate(row.puzzles_per_second)),
    };
    format!(
        "{name:<12}{:>7}{:>9.3}  {spread:>15}{noise}{:>10}{found:>20}{:>10.2}{:>10.0} %\n",
        row.threads,
        row.seconds,
        rate(row.nodes_per_second),
        row.speed_up,
        row.efficiency * 100.0,
    )
}

/// A number in three digits: `9.81 M`, `371 k`, `41.2`.
fn rate(number: f64) -> String {
    let (scaled, unit) = match number {
        n if n < 999.5 => (n, ""),
        n if n < 999.5e3 => (n / 1e3, " k"),
        n if n < 999.5e6 => (n / 1e6, " M"),
        n => (n / 1e9, " G"),
    };
    let digits = match scaled {
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::rows;
    use super::super::workload::{Name, Workload};
    use super::*;

    #[test]
    fn columns_are_aligned_with_their_headings() {
        let workload = Workload::new(Name::Permutation, true);
        let machine = Machine::this();
        let times: [&[f64]; 2] = [&[0.7412, 0.73, 0.801], &[0.3705, 0.37, 0.48]];
        let rows = rows(&workload, &machine, &times);
        let mut table = heading(&machine, 3, true);
        for (i, row) in rows.iter().enumerate() {
            table.push_str(&line(row, i == 0));
        }
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[3..],
            [
                "workload    threads  seconds  lowest..highest    nodes/s    found per second  speed-up  efficiency",
                "permutation       1    0.741     0.730..0.801     9.79 M     490 k solutions      1.00       100 %",
                "                  2    0.370     0.370..0.480~    19.6 M     979 k solutions      2.00       100 %",
            ]
        );
    }

    #[test]
    fn rates_have_three_digits() {
        let cases = [
            (0.0, "0.00"),
            (1.066, "1.07"),
            (9.996, "10.0"),
            (99.96, "100"),
            (999.6, "1.00 k"),
            (371_400.0, "371 k"),
            (9.81e6, "9.81 M"),
            (1.2e10, "12.0 G"),
        ];
        for (number, text) in cases {
            assert_eq!(rate(number), text);
        }
    }
}
