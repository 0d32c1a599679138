//! How often each cell is filled: as one character a cell for a terminal, or drawn in grey levels as SVG.
//!
//! The picture knows nothing of solutions: whoever draws says for each cell its share, and in words what it means.

use std::fmt::Write;

use html_escape::{encode_double_quoted_attribute, encode_text};

/// How often a cell is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Never.
    Never,
    /// In some pictures: so many of a million, rounded to the nearest.
    Some(u32),
    /// Always.
    Always,
}

/// The shares of all cells of a puzzle.
#[derive(Clone, Debug)]
pub struct Heat {
    width: usize,
    shares: Vec<Share>,
}

/// Pixels of a cell, and around the picture.
const CELL: usize = 24;
const MARGIN: usize = 12;

const HEAD: &str = "\
<style>
.paper { fill: #ffffff } .rule { stroke: #57606a } .faint { stroke: #d0d7de }
text { font: 9px sans-serif; text-anchor: middle; dominant-baseline: central }
</style>
";

impl Heat {
    /// What the characters of [`Heat::text`] mean.
    pub const LEGEND: &str =
        "# filled in all, . in none, 0 in less than a tenth, 1 to 9 in as many tenths or more";

    /// A picture of cells with these shares, row by row.
    ///
    /// # Panics
    ///
    /// When the rows are not all full.
    pub fn new(width: usize, shares: Vec<Share>) -> Self {
        assert!(
            width > 0 && shares.len().is_multiple_of(width),
            "rows of {width} cells"
        );
        Heat { width, shares }
    }

    /// One character a cell: `#` always, `.` never, and between them the tenths that are full, `0` to `9`. [`Heat::LEGEND`] says it in words.
    ///
    /// ```
    /// use omnogram::render::{Heat, Share};
    ///
    /// let shares = vec![Share::Always, Share::Some(1), Share::Never, Share::Some(999_999)];
    /// assert_eq!(Heat::new(2, shares).text(), "#0\n.9\n");
    /// ```
    pub fn text(&self) -> String {
        let mut text = String::new();
        for row in self.shares.chunks_exact(self.width) {
            text.extend(row.iter().map(|share| match share {
                Share::Never => '.',
                Share::Some(millionths) => char::from(b'0' + (millionths / 100_000).min(9) as u8),
                Share::Always => '#',
            }));
            text.push('\n');
        }
        text
    }

    /// An SVG picture: the darker a cell, the more often it is filled; per cent in the cells that are not the same in all pictures, and
    /// what `words` says of a cell (row and column from 0) where a pointer rests on it.
    pub fn svg(&self, title: &str, words: impl Fn(usize, usize) -> String) -> String {
        let height = self.shares.len() / self.width;
        let (wide, high) = (self.width * CELL, height * CELL);
        let (right, below) = (MARGIN + wide, MARGIN + high);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n\
             <title>{3}</title>\n{HEAD}<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
            right + MARGIN,
            below + MARGIN,
            encode_double_quoted_attribute(title),
            encode_text(title),
        );
        for (i, &share) in self.shares.iter().enumerate() {
            self.cell(&mut svg, i, share, &words);
        }
        for line in 0..=self.width {
            let (class, x) = (class(line, self.width), MARGIN + line * CELL);
            let _ = writeln!(
                svg,
                "<line class=\"{class}\" x1=\"{x}\" y1=\"{MARGIN}\" x2=\"{x}\" y2=\"{below}\"/>"
            );
        }
        for line in 0..=height {
            let (class, y) = (class(line, height), MARGIN + line * CELL);
            let _ = writeln!(
                svg,
                "<line class=\"{class}\" x1=\"{MARGIN}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\"/>"
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn cell(
        &self,
        svg: &mut String,
        i: usize,
        share: Share,
        words: &impl Fn(usize, usize) -> String,
    ) {
        let (row, column) = (i / self.width, i % self.width);
        let (x, y) = (MARGIN + column * CELL, MARGIN + row * CELL);
        // Shares between never and always keep away from white and from black, so that they are told apart at a glance.
        let (level, per_cent) = match share {
            Share::Never => (255, None),
            Share::Some(millionths) => {
                let part = millionths.min(1_000_000);
                (235 - part * 185 / 1_000_000, Some(part))
            }
            Share::Always => (24, None),
        };
        let words = words(row, column);
        let _ = write!(
            svg,
            "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"rgb({level},{level},{level})\"/>",
            encode_text(&words)
        );
        if let Some(part) = per_cent {
            // What rounds to 0 or to 100 is neither.
            let number = match (part + 5_000) / 10_000 {
                0 => "&lt;1".to_owned(),
                100 => "&gt;99".to_owned(),
                number => number.to_string(),
            };
            let ink = if level < 140 { "#ffffff" } else { "#1b1f24" };
            let (x, y) = (x + CELL / 2, y + CELL / 2);
            let _ = write!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" fill=\"{ink}\">{number}</text>"
            );
        }
        svg.push_str("</g>\n");
    }
}

/// Every fifth rule, and those around the picture, are stronger.
fn class(line: usize, lines: usize) -> &'static str {
    if line.is_multiple_of(5) || line == lines {
        "rule"
    } else {
        "faint"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_cells_say_what_they_are() {
        let shares = [
            Share::Never,
            Share::Some(1),
            Share::Some(500_000),
            Share::Some(999_999),
            Share::Always,
        ];
        let svg =
            Heat::new(5, shares.to_vec()).svg("a < b", |row, column| format!("{row} & {column}"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(
            svg.contains("<title>a &lt; b</title>") && svg.contains("<title>0 &amp; 4</title>")
        );
        for text in [
            ">&lt;1<",
            ">50<",
            ">&gt;99<",
            "rgb(24,24,24)",
            "rgb(255,255,255)",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg.matches("<text ").count(), 3);
    }
}
