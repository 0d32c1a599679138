//! The speed-up against the number of threads, drawn as SVG: one line for each workload, and the ideal one.
//!
//! Both axes are logarithmic, so that every doubling of threads has the same width and the ideal line is straight. The plot has a
//! background of its own, a dark one if the viewer prefers that. Lines differ in their markers as well as in colour.

use std::collections::BTreeSet;
use std::fmt::Write;

use html_escape::encode_text;

use super::machine::Machine;
use super::row::Row;

/// The size of the picture, and the margins around the axes, in pixels.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 32.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = 56.0;

/// Distance of the lines of the legend, in pixels.
const LEGEND_LINE_HEIGHT: f64 = 20.0;

/// Colours that most people, colour-blind ones among them, can tell apart on either background, each with the path of its marker: a circle,
/// a square, a triangle and a diamond.
const STYLES: [(&str, &str); 4] = [
    ("#2a83c4", "m-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z"),
    ("#dc6a1c", "m-4.5,-4.5h9v9h-9z"),
    ("#129a77", "m0,-6l5.5,9.5h-11z"),
    ("#c069a4", "m0,-6l6,6l-6,6l-6,-6z"),
];

const HEAD: &str = "\
<style>
.paper { fill: #ffffff } .ink { fill: #24292f } .faint { fill: #57606a }
.axis { stroke: #57606a } .grid { stroke: #d8dee4 } .ideal { stroke: #57606a; stroke-dasharray: 6 4 }
@media (prefers-color-scheme: dark) {
.paper { fill: #15181d } .ink { fill: #e6e8eb } .faint { fill: #a2abb6 }
.axis { stroke: #a2abb6 } .grid { stroke: #31363d } .ideal { stroke: #a2abb6 }
}
</style>
";

/// Pixels from the left and from the top.
type Point = (f64, f64);

/// The scales of the axes.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// The speed-up at the lower end of its axis; the axis of threads begins at 1. Both axes end at `most`.
    lowest: f64,
    most: f64,
}

impl Scale {
    fn x(self, threads: f64) -> f64 {
        LEFT + threads.log2() / self.most.log2() * (WIDTH - LEFT - RIGHT)
    }

    fn y(self, speed_up: f64) -> f64 {
        let share = (speed_up / self.lowest).log2() / (self.most / self.lowest).log2();
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }
}

/// The plot of these rows, each workload's one after the other.
pub(super) fn plot(rows: &[Row<'_>], machine: &Machine) -> String {
    let speed_ups = || rows.iter().map(|row| row.speed_up);
    let highest = speed_ups().fold(2.0, f64::max);
    let slowest = speed_ups().fold(1.0, f64::min);
    let threads = rows.iter().map(|row| row.threads as f64);
    let scale = Scale {
        // Rounded down to a power of two, as the grid lines are.
        lowest: slowest.log2().floor().exp2(),
        most: threads.fold(highest, f64::max),
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n{HEAD}\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
    );
    let title = format!(
        "omnogram {}: speed-up over one thread",
        env!("CARGO_PKG_VERSION")
    );
    svg.push_str("<g font-size=\"17\">\n");
    text(&mut svg, (LEFT, 30.0), "ink", "start", &title);
    svg.push_str("</g>\n");
    let machine = machine.to_string();
    text(&mut svg, (LEFT, 52.0), "faint", "start", &machine);
    axes(&mut svg, rows, scale);
    let [from, to] = legend(&mut svg, 0, "ideal");
    stroke(&mut svg, "ideal", from, to);
    let workloads = rows.chunk_by(|a, b| a.workload == b.workload);
    for ((i, rows), (colour, marker)) in workloads.enumerate().zip(STYLES) {
        let points: Vec<Point> = rows
            .iter()
            .map(|row| (scale.x(row.threads as f64), scale.y(row.speed_up)))
            .collect();
        line(&mut svg, &points, &points, colour, marker);
        let name = rows[0].workload.to_string();
        let sample @ [from, to] = legend(&mut svg, i + 1, &name);
        let middle = ((from.0 + to.0) / 2.0, from.1);
        line(&mut svg, &sample, &[middle], colour, marker);
    }
    svg.push_str("</svg>\n");
    svg
}

/// The grid, the axes with their numbers and names, and the ideal line.
fn axes(svg: &mut String, rows: &[Row<'_>], scale: Scale) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let across: BTreeSet<usize> = rows.iter().map(|row| row.threads).collect();
    for threads in across {
        let x = scale.x(threads as f64);
        stroke(svg, "grid", (x, TOP), (x, bottom));
        let number = threads.to_string();
        text(svg, (x, bottom + 20.0), "ink", "middle", &number);
    }
    let ups = std::iter::successors(Some(scale.lowest), |up| Some(up * 2.0));
    for up in ups.take_while(|&up| up <= scale.most) {
        let y = scale.y(up);
        stroke(svg, "grid", (LEFT, y), (right, y));
        text(svg, (LEFT - 10.0, y + 4.5), "ink", "end", &up.to_string());
    }
    stroke(svg, "ideal", (LEFT, scale.y(1.0)), (right, TOP));
    stroke(svg, "axis", (LEFT, TOP), (LEFT, bottom));
    stroke(svg, "axis", (LEFT, bottom), (right, bottom));
    let middle = (LEFT + right) / 2.0;
    text(svg, (middle, HEIGHT - 14.0), "ink", "middle", "threads");
    let middle = (TOP + bottom) / 2.0;
    let _ = writeln!(svg, "<g transform=\"translate(22 {middle}) rotate(-90)\">");
    text(svg, (0.0, 0.0), "ink", "middle", "speed-up");
    svg.push_str("</g>\n");
}

/// Draws the name on a line of the legend, and returns the ends of its sample.
fn legend(svg: &mut String, place: usize, name: &str) -> [Point; 2] {
    let y = TOP + LEGEND_LINE_HEIGHT * (place as f64 + 1.0);
    text(svg, (LEFT + 54.0, y + 4.5), "ink", "start", name);
    [(LEFT + 16.0, y), (LEFT + 44.0, y)]
}

fn stroke(svg: &mut String, class: &str, from: Point, to: Point) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        svg,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(svg: &mut String, (x, y): Point, class: &str, anchor: &str, text: &str) {
    let text = encode_text(text);
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}

/// A line through the points `through`, with its marker on the points `marked`.
fn line(svg: &mut String, through: &[Point], marked: &[Point], colour: &str, marker: &str) {
    let through = through.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
    let points = through.collect::<Vec<_>>().join(" ");
    let _ = writeln!(
        svg,
        "<g fill=\"{colour}\">\n<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>"
    );
    for (x, y) in marked {
        let _ = writeln!(svg, "<path d=\"M{x:.1},{y:.1}{marker}\"/>");
    }
    svg.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::rows;
    use super::super::workload::{Name, Workload};
    use super::*;

    /// The values of an attribute in all elements.
    fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
        let start = format!(" {attribute}=\"");
        svg.split(&start)
            .skip(1)
            .filter_map(|rest| rest.split('"').next()?.parse().ok())
            .collect()
    }

    #[test]
    fn everything_lies_within_the_picture() {
        let permutation = Workload::new(Name::Permutation, true);
        let hard = Workload::new(Name::Hard, true);
        let machine = Machine::this();
        // Faster than ideal; slower than one thread; a single point; no rows.
        let cases: [&[&[f64]]; 4] = [
            &[&[1.0], &[0.4], &[0.2]],
            &[&[1.0], &[1.5], &[4.1]],
            &[&[1.0]],
            &[],
        ];
        for times in cases {
            let mut all = rows(&permutation, &machine, times);
            all.extend(rows(&hard, &machine, times));
            let svg = plot(&all, &machine);
            for (attribute, end) in [("x", WIDTH), ("y", HEIGHT), ("y1", HEIGHT), ("y2", HEIGHT)] {
                let numbers = numbers(&svg, attribute);
                assert!(numbers.len() > 4, "{svg}");
                assert!(numbers.iter().all(|n| (0.0..=end).contains(n)), "{svg}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
        }
    }
}
