//! The forms of the answers, and the two of them that a build server shows: annotations of GitHub, and a report in the XML of JUnit.

use std::fmt::Write;
use std::path::Path;

use clap::ValueEnum;
use html_escape::{encode_double_quoted_attribute, encode_text};
use omnogram::error::{Error, Kind};
use omnogram::format;

use super::messages::{escaped, escaped_lines};
use super::words::pack_number;

/// The form of the answers of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// Sentences and pictures
    #[default]
    Text,
    /// One JSON object for each puzzle, as --json prints
    Json,
    /// A table, as --csv prints
    Csv,
    /// An annotation of GitHub Actions for each puzzle that is not as required
    Github,
    /// One report in the XML of JUnit: a failure for each puzzle that is not as required, an error for bad data or an undecided puzzle
    Junit,
}

impl Form {
    /// Whether it is for a build server.
    pub(super) fn is_report(self) -> bool {
        matches!(self, Form::Github | Form::Junit)
    }
}

/// What a report says of a puzzle that is not as required.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is known not to be as required.
    Failure(&'static str),
    /// It is not known: the puzzle cannot be read, or a limit stopped the run.
    Error(&'static str),
}

impl Fault {
    /// The fault of an input that is not a puzzle.
    pub(super) fn of(error: &Error) -> Self {
        Fault::Error(match error.kind() {
            Kind::Io => "not read",
            _ => "bad data",
        })
    }

    /// It in two words.
    fn title(&self) -> &'static str {
        match self {
            Fault::Failure(title) | Fault::Error(title) => title,
        }
    }
}

/// The annotation of a puzzle: a workflow command on one line. The place is that of the error if it has one, and else the first line of
/// the file. What is no file, as standard input or a game ID, has no place.
pub(super) fn annotation(name: &str, fault: &Fault, text: &str, error: Option<&Error>) -> String {
    let mut line = "::error ".to_owned();
    if let Some(file) = file(name) {
        let place = error.and_then(Error::place);
        let (row, column) = place.map_or((1, 1), |place| (place.line, place.column));
        let file = property(&escaped(file));
        line += &format!("file={file},line={row},col={column},");
    }
    let text = escaped_lines(text.trim_end());
    line + &format!("title={}::{}\n", property(fault.title()), data(&text))
}

/// The file of the puzzle of this name, if it is in one.
fn file(name: &str) -> Option<&str> {
    let is_file = !name.starts_with('<') && format::of_word(name.trim_end_matches("...")).is_none();
    let pack = pack_number(name).map(|number| &name[..name.len() - number.len() - 1]);
    let pack = pack.filter(|_| !Path::new(name).exists());
    is_file.then_some(pack.unwrap_or(name))
}

/// The text of a workflow command.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The report of a run in the XML of JUnit, which is printed at its end because its head has the totals.
#[derive(Debug, Default)]
pub(super) struct Junit {
    cases: String,
    tests: u64,
    failures: u64,
    errors: u64,
    seconds: f64,
}

impl Junit {
    /// Adds the case of a puzzle, with what is wrong with it and the text that says so.
    pub(super) fn add(&mut self, name: &str, fault: Option<&Fault>, text: &str, seconds: f64) {
        self.tests += 1;
        self.seconds += seconds;
        let name = xml(name);
        let name = encode_double_quoted_attribute(&name);
        let head =
            format!("    <testcase classname=\"check\" name=\"{name}\" time=\"{seconds:.3}\"");
        let (element, title) = match fault {
            None => return self.cases += &format!("{head}/>\n"),
            Some(Fault::Failure(title)) => ("failure", title),
            Some(Fault::Error(title)) => ("error", title),
        };
        match element {
            "failure" => self.failures += 1,
            _ => self.errors += 1,
        }
        let lines: Vec<String> = text.trim_end().lines().map(xml).collect();
        let message = lines.first().map_or("", String::as_str);
        let message = encode_double_quoted_attribute(message);
        let text = lines.join("\n");
        let text = encode_text(&text);
        self.cases += &format!(
            "{head}>\n      <{element} type=\"{title}\" message=\"{message}\">{text}</{element}>\n    </testcase>\n"
        );
    }

    /// The whole report.
    pub(super) fn report(&self) -> String {
        let totals = format!(
            "name=\"omnogram check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3}\"",
            self.tests, self.failures, self.errors, self.seconds
        );
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {totals}>\n  <testsuite {totals}>\n{}  </testsuite>\n</testsuites>\n",
            self.cases
        )
    }
}

/// A line of text with the characters escaped that XML has no way to write, and those that steer a terminal.
fn xml(text: &str) -> String {
    let mut xml = String::new();
    for c in escaped(text).chars() {
        match c {
            '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(xml, "{}", c.escape_unicode());
            }
            c => xml.push(c),
        }
    }
    xml
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_escaped() {
        let error = Error::data("x").at(3, 7, "abc");
        assert_eq!(
            annotation(
                "a,b:%#2",
                &Fault::of(&error),
                "50%,\r: \ntwo\n",
                Some(&error)
            ),
            "::error file=a%2Cb%3A%25,line=3,col=7,title=bad data::50%25,\\r: %0Atwo\n"
        );
        let none = Fault::Failure("none");
        for name in ["<stdin>", "<stdin>#2", "2x2:1/1/1/1"] {
            let expected = "::error title=none::t\n";
            assert_eq!(annotation(name, &none, "t", None), expected, "{name}");
        }
    }

    #[test]
    fn reports_are_xml_with_any_text() {
        let mut junit = Junit::default();
        let text = "<&>\"' \u{0}\u{1b}\u{fffe}\u{ffff}]]>\nsecond\u{8}\n";
        junit.add("good \"<&\u{7}", None, "", 0.5);
        junit.add("b", Some(&Fault::Failure("multiple")), text, 0.25);
        junit.add("c", Some(&Fault::Error("bad data")), text, 0.0);
        let report = junit.report();
        let read = roxmltree::Document::parse(&report).unwrap();
        let suite = read.root_element().first_element_child().unwrap();
        let totals = ["tests", "failures", "errors", "time"].map(|name| suite.attribute(name));
        assert_eq!(totals, [Some("3"), Some("1"), Some("1"), Some("0.750")]);
        let cases: Vec<_> = suite.children().filter(|node| node.is_element()).collect();
        assert_eq!(cases[0].attribute("name"), Some("good \"<&\\u{7}"));
        for (case, element) in [(cases[1], "failure"), (cases[2], "error")] {
            let fault = case.first_element_child().unwrap();
            assert!(fault.has_tag_name(element));
            let first = "<&>\"' \\u{0}\\u{1b}\\u{fffe}\\u{ffff}]]>";
            assert_eq!(fault.attribute("message"), Some(first));
            let text = format!("{first}\nsecond\\u{{8}}");
            assert_eq!(fault.text(), Some(text.as_str()));
        }
    }
}
