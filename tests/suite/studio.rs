//! The answers of the studio's server are those of the command.

#![cfg(feature = "studio")]

use std::collections::BTreeMap;
use std::io::{Read, Write};

use crate::common::command::answer;
use crate::common::{Random, brute_force};
use crate::studio_server::{Server, content, rows, status};
use omnogram::puzzle::{Grid, Position, Puzzle};
use serde_json::{Value, json};

#[test]
fn the_answers_are_those_of_the_command() {
    let server = Server::start(&[]);
    let picture = ["..##.#", "#..#..", ".#.##.", "#....#"];
    let puzzle = Puzzle::from_grid(&Grid::from_rows(&picture).unwrap());
    let goal = puzzle
        .notes()
        .clone()
        .goal(Grid::from_rows(&picture).unwrap());
    let puzzle = puzzle.with_notes(goal).unwrap();
    let text = serde_json::to_string(&puzzle).unwrap();
    let scratch = crate::common::command::Scratch::new("studio-answers");
    let file = scratch.file("puzzle.json");
    std::fs::write(&file, &text).unwrap();

    let events = server.ask("check", &json!({ "picture": picture }));
    let command: Value =
        serde_json::from_str(&answer_of(&["check", "--full", "--json", &file])).unwrap();
    for field in [
        "verdict",
        "solutions",
        "exact",
        "stopped",
        "ambiguous",
        "undecided",
        "closest",
        "examples",
        "goal",
    ] {
        assert_eq!(events["regions"][field], command[field], "{field}");
    }
    let strip = |regions: &Value| {
        let mut regions = regions.clone();
        for region in regions.as_array_mut().unwrap() {
            region.as_object_mut().unwrap().remove("members");
        }
        regions
    };
    assert_eq!(strip(&events["regions"]["regions"]), command["regions"]);

    let events = server.ask("repair", &json!({ "picture": picture, "alternatives": 2 }));
    let command: Value = serde_json::from_str(&answer_of(&[
        "repair",
        "--alternatives",
        "2",
        "--json",
        &file,
    ]))
    .unwrap();
    for field in ["flips", "minimal", "none_within", "alternatives"] {
        assert_eq!(events["repaired"][field], command[field], "{field}");
    }
    let events = server.ask("reveal", &json!({ "picture": picture }));
    let command: Value =
        serde_json::from_str(&answer_of(&["repair", "--reveal", "--json", &file])).unwrap();
    assert_eq!(events["revealed"]["reveal"], command["reveal"]);

    let clues = json!({"rows": [[2], [1, 1], [4]], "columns": [[2], [1, 1], [1, 1], [2]]});
    let file = scratch.file("unique.json");
    std::fs::write(&file, clues.to_string()).unwrap();
    let events = server.ask("check", &json!({ "puzzle": clues }));
    let command: Value =
        serde_json::from_str(&answer_of(&["check", "--full", "--json", &file])).unwrap();
    assert_eq!(events["verdict"]["goal"], Value::Null);
    for (field, value) in command["profile"].as_object().unwrap() {
        assert_eq!(&events["profile"][field], value, "{field}");
    }
    let events = server.ask("explain", &json!({ "puzzle": clues }));
    let steps = answer(&["explain", "--json", &file]);
    let last: Value = serde_json::from_str(steps.lines().last().unwrap()).unwrap();
    for field in ["ending", "steps", "unknown", "position"] {
        assert_eq!(events["explained"][field], last[field], "{field}");
    }
}

/// What the command prints, whatever its exit status.
fn answer_of(arguments: &[&str]) -> String {
    let output = crate::common::command::output(arguments);
    crate::common::command::stdout(&output).to_owned()
}

/// The table of components and the graph of all solutions live on from one question to the next; the server must never mix up puzzles,
/// nor those that differ in their given cells alone.
#[test]
fn counts_are_exact_one_after_the_other() {
    let server = Server::start(&[]);
    let mut random = Random(7);
    let mut verdicts = BTreeMap::new();
    for _ in 0..150 {
        let (width, height) = random.size(2, 4);
        let grid = random.grid(width, height, 0.4);
        let puzzle = Puzzle::from_grid(&grid);
        answers_are_exact(&server, &grid, &brute_force(&puzzle), json!({}));
        let given = random_given(&mut random, &grid);
        let question = json!({ "given": given.rows() });
        let solutions = brute_force(&puzzle.with_given(given).unwrap());
        let verdict = answers_are_exact(&server, &grid, &solutions, question);
        *verdicts.entry(verdict).or_insert(0) += 1;
    }
    assert_eq!(verdicts.len(), 3, "{verdicts:?}");
}

/// A few cells of a grid, most of them with their values.
fn random_given(random: &mut Random, grid: &Grid) -> Position {
    let mut given = Position::unknown(grid.width(), grid.height());
    for row in 0..grid.height() {
        for column in 0..grid.width() {
            if random.chance(0.15) {
                let is_right = random.chance(0.9);
                given.set(row, column, Some(grid.get(row, column) == is_right));
            }
        }
    }
    given
}

/// Asks about a picture, with these further keys, and compares the answers with all solutions. Returns the verdict.
fn answers_are_exact(
    server: &Server,
    picture: &Grid,
    solutions: &[Grid],
    mut question: Value,
) -> String {
    question["picture"] = json!(rows(picture));
    let events = server.ask("check", &question);
    let counted = match events.get("regions") {
        Some(regions) => &regions["solutions"],
        None => &events["verdict"]["solutions"],
    };
    assert_eq!(counted, &json!(solutions.len().to_string()), "{question}");
    assert_eq!(events["verdict"]["goal"], solutions.contains(picture));
    let cells = server.ask("cells", &question);
    assert_eq!(cells.contains_key("unavailable"), solutions.is_empty());
    let rows_of_shares: Vec<Vec<f64>> = match cells.get("cells") {
        Some(cells) => serde_json::from_value(cells["shares"].clone()).unwrap(),
        None => Vec::new(),
    };
    for (row, shares) in rows_of_shares.iter().enumerate() {
        for (column, share) in shares.iter().enumerate() {
            let filled = solutions.iter().filter(|grid| grid.get(row, column));
            let wanted = filled.count() as f64 / solutions.len() as f64;
            assert!((share - wanted).abs() < 2e-6, "{question}");
        }
    }
    question["number"] = json!(1000);
    let listed = server.ask("solutions", &question);
    let mut listed: Vec<Vec<String>> =
        serde_json::from_value(listed["solutions"]["solutions"].clone()).unwrap();
    listed.sort();
    let mut wanted: Vec<Vec<String>> = solutions.iter().map(rows).collect();
    wanted.sort();
    assert_eq!(listed, wanted, "{question}");
    events["verdict"]["verdict"].as_str().unwrap().to_owned()
}

/// Three cells on the diagonal: six solutions, of which two given cells leave one.
const DIAGONAL: [&str; 3] = ["#..", ".#.", "..#"];

#[test]
fn a_designer_is_answered_for_the_given_cells() {
    let server = Server::start(&[]);
    let revealed = |given: Value| {
        let question = json!({ "picture": DIAGONAL, "given": given });
        server.ask("reveal", &question)["revealed"].clone()
    };
    assert_eq!(revealed(Value::Null)["reveal"].as_array().unwrap().len(), 2);
    let one_more = revealed(json!(["#??", "???", "???"]));
    assert_eq!(one_more["reveal"].as_array().unwrap().len(), 1);
    assert_eq!(one_more["words"], "1 cell to give away, proven minimal");
    let none = revealed(json!(["#??", "?#?", "???"]));
    assert_eq!(none["words"], "unique as it is");

    let repaired = |given: Value| {
        let question = json!({ "picture": DIAGONAL, "given": given, "alternatives": 20 });
        server.ask("repair", &question)["repaired"].clone()
    };
    assert_eq!(repaired(json!(["#??", "?#?", "???"]))["flips"], json!([]));
    let given = json!(["#??", ".??", "???"]);
    let answer = repaired(given);
    let flips = answer["flips"].as_array().unwrap();
    let alternatives = answer["alternatives"].as_array().unwrap();
    assert!(!flips.is_empty(), "{answer}");
    let all = alternatives.iter().flat_map(|one| one.as_array().unwrap());
    for flip in all.chain(flips) {
        assert!(![json!([1, 1]), json!([2, 1])].contains(flip), "{answer}");
    }

    // One step decides the rest; a position that contradicts a given cell is wrong there.
    let mut question = json!({ "picture": DIAGONAL, "given": ["#??", "?#?", "???"] });
    let events = server.ask("check", &question);
    assert_eq!(events["verdict"]["verdict"], "unique");
    assert_eq!(events["lines"]["position"], json!(DIAGONAL));
    let explained = &server.ask("explain", &question)["explained"];
    assert_eq!(explained["ending"], "solved");
    question["position"] = json!([".??", "???", "???"]);
    for (verb, event) in [("position", "position"), ("explain", "explained")] {
        let answer = &server.ask(verb, &question)[event];
        assert_eq!(answer["wrong"], json!([[1, 1]]), "{verb}");
    }
    // The given cells are known, although a line contradicts them.
    let question = json!({ "picture": DIAGONAL, "given": ["##?", "???", "???"] });
    let events = server.ask("check", &question);
    assert_eq!(events["lines"]["position"], question["given"]);
    assert_eq!(events["lines"]["unknown"], 7);
    assert_eq!(events["verdict"]["verdict"], "none");
    assert_eq!(events["verdict"]["goal"], false);
}

#[test]
fn given_cells_that_cannot_be_are_refused() {
    let server = Server::start(&[]);
    let refused = |verb: &str, question: Value| {
        let (code, body) = server.post(&format!("api/{verb}"), question.to_string().as_bytes());
        assert_eq!(code, 400, "{verb} {question} {body}");
        let error: Value = serde_json::from_str(&body).unwrap();
        error["error"].as_str().unwrap().to_owned()
    };
    for verb in ["repair", "reveal"] {
        let wrong = json!({ "picture": DIAGONAL, "given": ["???", "?.?", "???"] });
        assert_eq!(
            refused(verb, wrong),
            "in the picture, row 2 column 2 is filled, but given as empty"
        );
    }
    for verb in ["repair", "reveal", "check", "draw"] {
        refused(verb, json!({ "picture": DIAGONAL, "given": ["#"] }));
        refused(verb, json!({ "picture": DIAGONAL, "given": ["#?x"] }));
    }
    let puzzle = json!({ "rows": [[1]], "columns": [[1]] });
    let both = json!({ "puzzle": puzzle, "given": ["#"] });
    assert!(refused("check", both).contains("given"));
}

#[test]
fn given_cells_are_kept_in_files() {
    let server = Server::start(&[]);
    let clue = [[1], [1], [1]];
    let puzzle =
        json!({ "rows": clue, "columns": clue, "given": ["#?.", "???", "???"], "goal": DIAGONAL });
    let write = |format: &str| {
        let question = json!({ "puzzles": [puzzle], "format": format }).to_string();
        let request = [server.head("POST", "api/write", question.len()), question].concat();
        let reply = server.raw(request.as_bytes());
        let lost = reply
            .lines()
            .find_map(|l| l.strip_prefix("omnogram-lost: "));
        (lost.unwrap().to_owned(), content(&reply))
    };
    for format in ["json", "non", "webpbn", "pattern"] {
        let (lost, file) = write(format);
        assert!(!lost.contains("given"), "{format}: {lost}");
        let (_, read) = server.post("api/read?name=file", file.as_bytes());
        let read: Value = serde_json::from_str(&read).unwrap();
        let read = &read["puzzles"][0]["puzzle"];
        assert_eq!(read["given"], puzzle["given"], "{format}");
        let events = server.ask("check", &json!({ "puzzle": read }));
        assert_eq!(events["regions"]["solutions"], "2", "{format}");
    }
    assert!(write("mk").0.contains("the%20given%20cells"));
    let (_, clauses) = write("dimacs");
    for unit in ["1 0", "-3 0"] {
        assert!(clauses.lines().any(|line| line == unit), "{clauses}");
    }

    // An empty cell that is given has a cross; a filled one is drawn.
    let drawn = |question: Value| {
        let (code, svg) = server.post("api/draw", question.to_string().as_bytes());
        assert_eq!(code, 200, "{svg}");
        svg
    };
    assert!(drawn(json!({ "puzzle": puzzle, "as": "svg" })).contains('×'));
    let picture = json!({ "picture": DIAGONAL, "given": ["#?.", "???", "???"], "as": "svg" });
    assert!(drawn(picture).contains('×'));
    // A goal that contradicts a given cell is not drawn as the solution.
    let solution = |goal: Value| {
        let other =
            json!({ "rows": clue, "columns": clue, "given": ["?#?", "#??", "???"], "goal": goal });
        drawn(json!({ "puzzle": other, "as": "svg", "what": "solution" }))
    };
    assert_eq!(solution(json!(DIAGONAL)), solution(Value::Null));
}

#[test]
fn files_are_read_and_written() {
    let server = Server::start(&["puzzles/pictures/key.non", "puzzles/pictures/cat.non"]);
    let (_, start) = {
        let reply = server.raw(server.head("GET", "api/start", 0).as_bytes());
        (status(&reply), content(&reply))
    };
    let start: Value = serde_json::from_str(&start).unwrap();
    assert_eq!(start["puzzles"].as_array().unwrap().len(), 2);
    let puzzle = &start["puzzles"][0]["puzzle"];
    assert_eq!(puzzle["title"], "Key");
    for format in [
        "non", "json", "webpbn", "png", "text", "pbm", "dimacs", "pattern",
    ] {
        let question = json!({ "puzzles": [puzzle], "format": format }).to_string();
        let request = [server.head("POST", "api/write", question.len()), question].concat();
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let end = reply
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .unwrap();
        assert!(reply.starts_with(b"HTTP/1.1 200"), "{format}");
        let head = String::from_utf8_lossy(&reply[..end]).into_owned();
        assert!(head.contains("omnogram-file: key."), "{head}");
        if format == "dimacs" {
            continue;
        }
        let (status, read) = server.post("api/read?name=file", &reply[end + 4..]);
        assert_eq!(status, 200);
        let read: Value = serde_json::from_str(&read).unwrap();
        assert_eq!(
            read["puzzles"][0]["puzzle"]["rows"], puzzle["rows"],
            "{format}"
        );
        assert_eq!(
            read["image"],
            json!(["png", "pbm"].contains(&format)),
            "{format}"
        );
    }
    let (_, read) = server.post("api/read?name=bad.non", b"width 2\nheight x\n");
    let read: Value = serde_json::from_str(&read).unwrap();
    let message = read["puzzles"][0]["error"].as_str().unwrap();
    assert!(message.starts_with("bad.non:2:"), "{message}");
    for kind in ["svg", "png", "pdf", "html"] {
        for what in ["puzzle", "solution"] {
            let question = json!({ "puzzle": puzzle, "as": kind, "what": what });
            let (status, _) = server.post("api/draw", question.to_string().as_bytes());
            assert_eq!(status, 200, "{kind} {what}");
        }
    }
}

/// A component that was counted before is not counted again.
#[test]
fn a_stroke_elsewhere_costs_little() {
    let server = Server::start(&[]);
    // A region with too many fillings to be listed; right of it a bar that lines find, and room for a stroke.
    let (size, bar) = (14, 16);
    let noise = Random(14).grid(size, size, 0.3);
    let mut grid = Grid::new(size + bar + 6, size);
    for row in 0..size {
        for column in 0..size {
            grid.set(row, column, noise.get(row, column));
        }
        for column in size + 1..size + 1 + bar {
            grid.set(row, column, true);
        }
    }
    let count = |grid: &Grid| {
        let events = server.ask("check", &json!({ "picture": rows(grid) }));
        let regions = &events["regions"];
        assert_eq!(regions["exact"], true);
        (
            regions["solutions"].clone(),
            regions["nodes"].as_u64().unwrap(),
        )
    };
    let (first, nodes) = count(&grid);
    grid.set(5, size + bar + 3, true);
    grid.set(6, size + bar + 4, true);
    let (second, nodes_then) = count(&grid);
    let number = |count: &Value| count.as_str().unwrap().parse::<u64>().unwrap();
    assert_eq!(number(&second), 2 * number(&first));
    // Both times some thousand nodes list the first fillings.
    assert!(5 * nodes_then < nodes, "{nodes_then} of {nodes}");
}
