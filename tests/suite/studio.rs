//! The server of the studio: its answers are those of the command, and nobody but its page can use or harm it.

#![cfg(feature = "studio")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::command::{answer, ends, interrupt, omnogram, spawn};
use crate::common::{Random, brute_force};
use omnogram::puzzle::{Grid, Position, Puzzle};
use serde_json::{Value, json};

/// A running studio, which ends with the test.
struct Server {
    child: Child,
    host: String,
    /// The path of the page: `/TOKEN/`.
    base: String,
}

impl Server {
    fn start(puzzles: &[&str]) -> Self {
        let mut child = spawn(omnogram(&["studio", "--no-open", "-q", "-j2"]).args(puzzles));
        let mut address = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout)
            .read_line(&mut address)
            .expect("a line");
        let rest = address.trim_end().strip_prefix("http://").expect("a URL");
        let (host, base) = rest.split_once('/').expect("a path");
        Server {
            child,
            host: host.to_owned(),
            base: format!("/{base}"),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream
    }

    /// Sends these bytes, and returns all that comes back until the server closes.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may close before it has read all.
        let _ = stream.write_all(bytes);
        read_all(&mut stream)
    }

    /// A request for a path below the token.
    fn head(&self, method: &str, path: &str, length: usize) -> String {
        let (host, base) = (&self.host, &self.base);
        format!(
            "{method} {base}{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        )
    }

    /// The status and the body of a reply.
    fn post(&self, path: &str, body: &[u8]) -> (u16, String) {
        let request = [self.head("POST", path, body.len()).as_bytes(), body].concat();
        let reply = self.raw(&request);
        (status(&reply), content(&reply))
    }

    /// The events of an answer: each name with its last data.
    fn ask(&self, verb: &str, question: &Value) -> BTreeMap<String, Value> {
        let (status, body) = self.post(&format!("api/{verb}"), question.to_string().as_bytes());
        assert_eq!(status, 200, "{body}");
        let events = body.split_terminator("\n\n");
        let events = events.filter(|event| *event != ":").map(|event| {
            let (name, data) = event.split_once("\ndata: ").expect("an event");
            let name = name.strip_prefix("event: ").expect("a name");
            (name.to_owned(), serde_json::from_str(data).expect("JSON"))
        });
        events.collect()
    }

    /// Seconds of processor time so far.
    fn processor_time(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields = stat.rsplit(')').next().unwrap();
        let fields: Vec<u64> = fields
            .split_whitespace()
            .map(|field| field.parse().unwrap_or_default())
            .collect();
        (fields[11] + fields[12]) as f64 / 100.0
    }

    /// A figure of the process: `VmRSS` in KiB, `Threads`.
    fn figure(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A server that refuses may reset the connection after its reply.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The status of a reply; 0 without one.
fn status(reply: &str) -> u16 {
    let code = reply
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    code.map_or(0, |code| code.parse().unwrap())
}

/// The body of a reply, whose chunks are joined.
fn content(reply: &str) -> String {
    let (head, mut body) = reply.split_once("\r\n\r\n").unwrap_or((reply, ""));
    if !head.to_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let mut joined = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        joined += &rest[..size];
        body = rest[size..].trim_start_matches("\r\n");
    }
    joined
}

fn rows(grid: &Grid) -> Vec<String> {
    grid.to_string().lines().map(str::to_owned).collect()
}

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

#[test]
fn strangers_are_refused() {
    let server = Server::start(&[]);
    let (host, base) = (&server.host, &server.base);
    let port = host.rsplit(':').next().unwrap();
    let get = |path: &str, headers: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n");
        let reply = server.raw(request.as_bytes());
        (status(&reply), reply)
    };
    let own = format!("host: {host}\r\n");
    let (code, page) = get(base, &own);
    assert_eq!(code, 200);
    assert!(page.contains("content-security-policy: default-src 'none'"));
    assert!(!page.to_lowercase().contains("access-control"));
    assert_eq!(
        get(
            &format!("{base}api/start"),
            &format!("{own}origin: http://{host}\r\n")
        )
        .0,
        200
    );
    for (path, headers) in [
        (base.as_str(), String::new()),
        (base, "host: example.org\r\n".to_owned()),
        (base, format!("host: evil.example:{port}\r\n")),
        (base, format!("{own}origin: http://example.org\r\n")),
        (base, format!("{own}origin: null\r\n")),
        (base, format!("{own}sec-fetch-site: cross-site\r\n")),
        ("/", own.clone()),
        ("/0123456789abcdef0123456789abcdef/", own.clone()),
        ("//", own.clone()),
    ] {
        let (code, reply) = get(path, &headers);
        assert_eq!(code, 403, "{path} {headers}");
        assert!(content(&reply).starts_with("{\"error\":"), "{reply}");
        assert!(
            !reply.contains(base.trim_matches('/')),
            "the token must not be told"
        );
    }
    for path in [
        "nothing",
        "../Cargo.toml",
        "..%2fCargo.toml",
        "api/nothing",
        "api/check",
        "api/",
    ] {
        assert_eq!(get(&format!("{base}{path}"), &own).0, 404, "{path}");
    }
    assert_eq!(server.post("api/start", b"").0, 404);
    assert_eq!(server.post("index.html", b"").0, 404);
}

#[test]
fn bad_requests_are_refused() {
    let server = Server::start(&[]);
    for question in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"picture": []}"#,
        r###"{"picture": ["#", "##"]}"###,
        r#"{"picture": ["x"]}"#,
        r#"{"picture": ["."], "puzzle": {}}"#,
        r#"{"puzzle": {"rows": [[3]], "columns": [[1]]}}"#,
        r#"{"picture": ["."], "secods": 1}"#,
        r#"{"picture": ["."], "seconds": "1"}"#,
    ] {
        for verb in ["check", "explain", "cells", "solutions", "draw"] {
            let (code, body) = server.post(&format!("api/{verb}"), question.as_bytes());
            assert_eq!(code, 400, "{verb} {question}");
            assert!(body.starts_with("{\"error\":\""), "{body}");
        }
    }
    let bad = [
        ("repair", json!({ "picture": ["#."], "keep": ["#"] })),
        ("position", json!({ "picture": ["#."] })),
        ("position", json!({ "picture": ["#."], "position": ["?"] })),
        ("solutions", json!({ "picture": ["#."], "from": "-1" })),
        (
            "solutions",
            json!({ "picture": ["#."], "from": "1".repeat(100_000) }),
        ),
        ("check", json!({ "picture": ["#."], "seconds": -1 })),
        ("write", json!({ "puzzles": [], "format": "non" })),
        (
            "write",
            json!({ "puzzles": [{"rows": [[1]], "columns": [[1]]}], "format": "exe" }),
        ),
        (
            "write",
            json!({ "puzzles": [{"rows": [[1]], "columns": [[1]]}], "format": "png" }),
        ),
        ("draw", json!({ "picture": ["#."], "as": "gif" })),
    ];
    for (verb, question) in bad {
        let (code, body) = server.post(&format!("api/{verb}"), question.to_string().as_bytes());
        assert_eq!(code, 400, "{verb} {question} {body}");
    }
    assert_eq!(server.post("api/read?size=0", b"").0, 400);
    assert_eq!(server.post("api/read?colour=red", b"").0, 400);
    // Too large, by its own words and in fact.
    let head = server.head("POST", "api/read", 1 << 40);
    let reply = server.raw(head.as_bytes());
    assert_eq!(status(&reply), 413, "{reply}");
    let (host, base) = (&server.host, &server.base);
    let head = format!(
        "POST {base}api/read HTTP/1.1\r\nhost: {host}\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
    let mut sent = 0;
    while sent < 64 && stream.write_all(chunk.as_bytes()).is_ok() {
        sent += 1;
    }
    assert!(sent < 64, "the server must not read on");
    // Malformed.
    let own = format!("GET foo HTTP/1.1\r\nhost: {host}\r\n\r\n");
    let connect = format!("CONNECT {host} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    for request in [own, connect] {
        assert!([400, 403].contains(&status(&server.raw(request.as_bytes()))));
    }
    for bytes in [
        &b"hello\r\n\r\n"[..],
        b"\0\0\0\0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        assert!([0, 400].contains(&status(&server.raw(bytes))));
    }
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(1 << 20));
    assert!([0, 400, 414, 431].contains(&status(&server.raw(long.as_bytes()))));
    assert_eq!(
        server.ask("check", &json!({ "picture": ["#."] }))["verdict"]["verdict"],
        "unique"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_requests_at_once_leave_it_well() {
    let server = Server::start(&[]);
    let question = json!({ "picture": ["#..#", ".##.", "#..#"] }).to_string();
    let request = [server.head("POST", "api/check", question.len()), question].concat();
    let mut streams: Vec<TcpStream> = (0..1000).map(|_| server.connect()).collect();
    for stream in &mut streams {
        // A connection that is refused may be closed already.
        let _ = stream.write_all(request.as_bytes());
    }
    let mut replies: BTreeMap<u16, usize> = BTreeMap::new();
    for stream in &mut streams {
        *replies.entry(status(&read_all(stream))).or_default() += 1;
    }
    let answered = replies.get(&200).copied().unwrap_or_default();
    assert!(answered >= 100, "{replies:?}");
    assert!(
        replies.keys().all(|code| [0, 200, 503].contains(code)),
        "{replies:?}"
    );
    drop(streams);
    // Slow clients: some never send their head, some never send their body, some never read.
    let mut slow: Vec<TcpStream> = (0..150).map(|_| server.connect()).collect();
    for (i, stream) in slow.iter_mut().enumerate() {
        let text = match i % 2 {
            0 => "POST /x HTTP/1.1\r\nhost: ".to_owned(),
            _ => server.head("POST", "api/check", 100),
        };
        stream.write_all(text.as_bytes()).unwrap();
    }
    let started = Instant::now();
    let events = server.ask("check", &json!({ "picture": ["#."] }));
    assert_eq!(events["verdict"]["verdict"], "unique");
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    assert!(
        server.figure("Threads") < 24,
        "{}",
        server.figure("Threads")
    );
    assert!(
        server.figure("VmRSS") < 300 << 10,
        "{}",
        server.figure("VmRSS")
    );
    for stream in &mut slow {
        let reply = status(&read_all(stream));
        assert!([0, 408].contains(&reply), "{reply}");
    }
    assert!(
        started.elapsed() < Duration::from_secs(40),
        "{:?}",
        started.elapsed()
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_that_has_gone_holds_no_core() {
    let server = Server::start(&[]);
    let grid = Random(3).grid(45, 45, 0.42);
    let question = json!({ "picture": rows(&grid), "alternatives": 3 }).to_string();
    let puzzle = Random(5).puzzle(90, 90, 0.5);
    for verb in ["check", "repair", "cells", "draw"] {
        let question = match verb {
            "repair" => question.clone(),
            // A puzzle without a goal, whose solution is searched.
            "draw" => json!({ "puzzle": puzzle, "as": "svg", "what": "solution" }).to_string(),
            _ => json!({ "picture": rows(&grid) }).to_string(),
        };
        let mut stream = server.connect();
        let request = [
            server.head("POST", &format!("api/{verb}"), question.len()),
            question,
        ]
        .concat();
        stream.write_all(request.as_bytes()).unwrap();
        let before = server.processor_time();
        thread::sleep(Duration::from_secs(3));
        assert!(
            server.processor_time() - before > 0.3,
            "{verb}: this must take long"
        );
        drop(stream);
        thread::sleep(Duration::from_millis(500));
        let before = server.processor_time();
        thread::sleep(Duration::from_millis(500));
        let used = server.processor_time() - before;
        assert!(used < 0.1, "{verb}: {used} s after the end");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_studio() {
    let mut server = Server::start(&[]);
    let grid = Random(3).grid(45, 45, 0.42);
    let question = json!({ "picture": rows(&grid) }).to_string();
    let request = [server.head("POST", "api/check", question.len()), question].concat();
    let mut stream = server.connect();
    stream.write_all(request.as_bytes()).unwrap();
    let mut byte = [0];
    stream.read_exact(&mut byte).unwrap();
    let started = Instant::now();
    interrupt(&server.child);
    assert_eq!(ends(&mut server.child), Some(0));
    assert!(
        started.elapsed() < Duration::from_millis(450),
        "{:?}",
        started.elapsed()
    );
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
