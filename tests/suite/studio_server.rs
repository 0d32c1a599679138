//! The server of the studio: nobody but its page can use or harm it, and it ends with its clients and with an interrupt.

#![cfg(feature = "studio")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::Random;
use crate::common::command::{ends, interrupt, omnogram, spawn};
use omnogram::puzzle::Grid;
use serde_json::{Value, json};

/// A running studio, which ends with the test.
pub(super) struct Server {
    child: Child,
    host: String,
    /// The path of the page: `/TOKEN/`.
    base: String,
}

impl Server {
    pub(super) fn start(puzzles: &[&str]) -> Self {
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

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream
    }

    /// Sends these bytes, and returns all that comes back until the server closes.
    pub(super) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may close before it has read all.
        let _ = stream.write_all(bytes);
        read_all(&mut stream)
    }

    /// A request for a path below the token.
    pub(super) fn head(&self, method: &str, path: &str, length: usize) -> String {
        let (host, base) = (&self.host, &self.base);
        format!(
            "{method} {base}{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        )
    }

    /// The status and the body of a reply.
    pub(super) fn post(&self, path: &str, body: &[u8]) -> (u16, String) {
        let request = [self.head("POST", path, body.len()).as_bytes(), body].concat();
        let reply = self.raw(&request);
        (status(&reply), content(&reply))
    }

    /// The events of an answer: each name with its last data.
    pub(super) fn ask(&self, verb: &str, question: &Value) -> BTreeMap<String, Value> {
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
pub(super) fn status(reply: &str) -> u16 {
    let code = reply
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    code.map_or(0, |code| code.parse().unwrap())
}

/// The body of a reply, whose chunks are joined.
pub(super) fn content(reply: &str) -> String {
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
/// The rows of a picture in a question.
pub(super) fn rows(grid: &Grid) -> Vec<String> {
    grid.to_string().lines().map(str::to_owned).collect()
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
