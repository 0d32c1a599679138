//! Chromium, driven by ChromeDriver, on the page of a studio. Without the two programs a test is skipped with a word.
//!
//! `OMNOGRAM_PAGE` names the folder of a static page, which then takes the place of the local server's page.
//!
//! ChromeDriver is a server that obeys requests with JSON: <https://www.w3.org/TR/webdriver2/>.
#![allow(dead_code, reason = "each test uses its share")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

use crate::common::command::{Scratch, omnogram, spawn};
use crate::file_server::{self, FileServer};

/// The time within which what a test waits for must happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// The size of a window, and whether it is that of a phone.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) phone: bool,
}

pub(crate) const DESKTOP: Screen = Screen {
    width: 1280,
    height: 900,
    phone: false,
};

pub(crate) const PHONE: Screen = Screen {
    width: 390,
    height: 844,
    phone: true,
};

/// A browser that shows the page of a studio. Both end with it.
pub(crate) struct Browser {
    /// The address of the session, with which every request begins.
    session: String,
    driver: Child,
    /// The local server; none for a static page.
    studio: Option<Child>,
    /// The server of a static page.
    pub(crate) files: Option<FileServer>,
    /// The address of the page.
    pub(crate) address: String,
    folder: Scratch,
}

/// The folder of the static page that is tested in place of the local server's page.
pub(crate) fn static_page() -> Option<PathBuf> {
    std::env::var_os("OMNOGRAM_PAGE").map(PathBuf::from)
}

/// The path of a program, if the machine has it.
fn program(name: &str) -> Option<String> {
    let folders = std::env::var("PATH").unwrap_or_default();
    let mut paths = folders.split(':').map(|folder| format!("{folder}/{name}"));
    paths.find(|path| Path::new(path).is_file())
}

/// The first line of a program's output that contains `mark`; `None` if it ends without one.
fn line_with(child: &mut Child, mark: &str) -> Option<String> {
    let stdout = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(stdout)
        .lines()
        .map(|line| line.expect("UTF-8"));
    let line = lines.find(|line| line.contains(mark));
    // The pipe must be emptied as long as the program lives.
    std::thread::spawn(move || lines.for_each(drop));
    line
}

/// ChromeDriver, and the port on which it listens. Now and then it ends because another program has just taken the port that it chose; then
/// it is started again.
fn start_driver(program: &str) -> (Child, String) {
    for _ in 0..10 {
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        if let Some(line) = line_with(&mut driver, "successfully on port ") {
            let port = line.rsplit("on port ").next().unwrap_or_default();
            return (driver, port.trim_end_matches('.').to_owned());
        }
        let _ = driver.wait();
    }
    panic!("chromedriver finds no port");
}

/// The value of the driver's reply to a request with these parameters.
fn asked(request: minreq::Request, parameters: &Value) -> Value {
    let body = match parameters {
        Value::Null => String::new(),
        parameters => parameters.to_string(),
    };
    let reply = request.with_body(body).send().expect("a reply");
    let text = reply.as_str().expect("UTF-8");
    assert_eq!(reply.status_code, 200, "{text}");
    let mut reply: Value = serde_json::from_str(text).expect("JSON");
    reply["value"].take()
}

/// The name of the element in a reply.
fn name_of(element: &Value) -> String {
    let name = element["element-6066-11e4-a52e-4f735466cecf"].as_str();
    name.expect("an element").to_owned()
}

impl Browser {
    /// Opens the page of a studio with these arguments; `None` without a browser. `name` is that of the test.
    pub(crate) fn open(name: &str, arguments: &[&str], screen: Screen, dark: bool) -> Option<Self> {
        let (Some(chromium), Some(driver)) = (program("chromium"), program("chromedriver")) else {
            println!("skipped: this test needs chromium and chromedriver");
            return None;
        };
        let (mut studio, files) = match static_page() {
            Some(page) => (None, Some(file_server::serve(&page))),
            None => {
                let verb = ["studio", "--no-open", "-q"];
                (Some(spawn(omnogram(&verb).args(arguments))), None)
            }
        };
        let address = match (&mut studio, &files) {
            (Some(studio), _) => line_with(studio, "http://").expect("an address"),
            (_, files) => files.as_ref().expect("a server").address.clone(),
        };
        let puzzles = arguments;
        let folder = Scratch::new(&format!("browser-{name}"));
        let (driver, port) = start_driver(&driver);
        let mut arguments: Vec<String> = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            // There is no network but this machine.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        .map(str::to_owned)
        .into();
        arguments.push(format!("--window-size={},{}", screen.width, screen.height));
        arguments.push(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ));
        if dark {
            arguments.push("--force-dark-mode".to_owned());
            arguments.push("--blink-settings=preferredColorScheme=0".to_owned());
        }
        let mut options = json!({
            "binary": chromium,
            "args": arguments,
            "prefs": {
                "download.default_directory": folder.join("downloads"),
                "download.prompt_for_download": false,
            },
        });
        if screen.phone {
            options["mobileEmulation"] = json!({ "deviceMetrics": {
                "width": screen.width, "height": screen.height, "pixelRatio": 2.0, "touch": true, "mobile": true,
            }});
        }
        let capabilities = json!({ "alwaysMatch": { "goog:chromeOptions": options } });
        let sessions = format!("http://127.0.0.1:{port}/session");
        let session = asked(
            minreq::post(&sessions),
            &json!({ "capabilities": capabilities }),
        );
        let session = session["sessionId"].as_str().expect("a session");
        let browser = Browser {
            session: format!("{sessions}/{session}"),
            driver,
            studio,
            files,
            address,
            folder,
        };
        browser.goto("");
        if browser.studio.is_none() && !puzzles.is_empty() {
            browser.open_files(puzzles);
        }
        Some(browser)
    }

    /// Opens files, and those of folders, as the local server begins with them.
    fn open_files(&self, paths: &[&str]) {
        let mut files = Vec::new();
        for path in paths {
            let path = std::fs::canonicalize(path).expect("it exists");
            if path.is_dir() {
                let entries = std::fs::read_dir(path).expect("a folder");
                let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
                paths.sort();
                files.extend(paths);
            } else {
                files.push(path);
            }
        }
        // The browser hands several files over in the order of their names.
        let is_one = files.len() == 1;
        let names = files.iter().enumerate().map(|(i, file)| {
            let name = file.file_name().unwrap().to_str().unwrap();
            let numbered = format!("{:03}-{name}", i + 1);
            let name = if is_one { name } else { &numbered };
            self.file(name, &std::fs::read(file).unwrap())
        });
        let names: Vec<String> = names.collect();
        self.checked(|browser| browser.send("#file", &names.join("\n")));
    }

    /// Has the browser obey a command of the session; the value of its reply.
    fn command(&self, name: &str, parameters: &Value) -> Value {
        asked(minreq::post(format!("{}/{name}", self.session)), parameters)
    }

    /// Has the browser type into an element of its reply to another command.
    fn type_into(&self, element: &str, keys: &str) {
        self.command(
            &format!("element/{element}/value"),
            &json!({ "text": keys }),
        );
    }

    /// The name that the driver has given to the element of a selector.
    fn element(&self, selector: &str) -> String {
        let search = json!({ "using": "css selector", "value": selector });
        name_of(&self.command("element", &search))
    }

    /// Goes to the page, with this fragment.
    pub(crate) fn goto(&self, fragment: &str) {
        self.command(
            "url",
            &json!({ "url": format!("{}{fragment}", self.address) }),
        );
        self.until("window.studio && document.body.dataset.checked !== '0'");
    }

    pub(crate) fn reload(&self) {
        self.command("refresh", &json!({}));
        self.until("window.studio && document.body.dataset.checked !== '0'");
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let script = format!("return ({expression});");
        self.command("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Runs statements in the page.
    pub(crate) fn run(&self, statements: &str) {
        self.command("execute/sync", &json!({ "script": statements, "args": [] }));
    }

    /// Runs the body of an async function in the page, and returns its value.
    pub(crate) fn run_async(&self, body: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1]; (async () => {{ {body} }})().then(done, error => done({{failed: String(error)}}));"
        );
        self.command("execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression in the page is true.
    pub(crate) fn until(&self, expression: &str) {
        let started = Instant::now();
        while self.value(&format!("Boolean({expression})")) != true {
            if started.elapsed() > PATIENCE {
                let page = self.value("document.body.innerText");
                panic!(
                    "not within {PATIENCE:?}: {expression}\n{}",
                    page.as_str().unwrap_or_default()
                );
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Does something that changes the puzzle, and waits until the check after it has finished.
    pub(crate) fn checked(&self, change: impl FnOnce(&Self)) {
        let before = self.value("document.body.dataset.checked");
        change(self);
        let before = before.as_str().expect("a number").to_owned();
        self.until(&format!("Number(document.body.dataset.checked) > {before}"));
        self.until("document.querySelector('#answers').getAttribute('aria-busy') === 'false'");
    }

    pub(crate) fn text(&self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector('{selector}').textContent"));
        text.as_str().expect("text").trim().to_owned()
    }

    pub(crate) fn verdict(&self) -> String {
        let verdict = self.value("document.querySelector('#verdict').dataset.verdict");
        verdict.as_str().expect("a verdict").to_owned()
    }

    /// Clicks as a person does: on what is at that place of the page.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.command(&format!("element/{element}/click"), &json!({}));
    }

    /// Types into a field, or chooses files in a file field.
    pub(crate) fn send(&self, selector: &str, text: &str) {
        self.type_into(&self.element(selector), text);
    }

    /// Presses keys where the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let focused = asked(
            minreq::get(format!("{}/element/active", self.session)),
            &Value::Null,
        );
        self.type_into(&name_of(&focused), keys);
    }

    /// The middle of a cell, from 0, in the window.
    fn place(&self, row: usize, column: usize) -> (f64, f64) {
        let place = self.value(&format!(
            "(() => {{ const {{ board }} = window.studio, box = board.canvas.getBoundingClientRect(), view = board.view; \
             return [box.left + view.gridX + ({column} + 0.5) * view.cell, box.top + view.gridY + ({row} + 0.5) * view.cell]; }})()"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// Draws a stroke through these cells, from 0, with the mouse.
    pub(crate) fn stroke(&self, cells: &[(usize, usize)]) {
        self.point("mouse", cells, 0);
    }

    /// Draws a stroke through these cells, from 0, with a finger that rests on the first for a time in ms.
    pub(crate) fn touch(&self, cells: &[(usize, usize)], rest: u64) {
        self.point("touch", cells, rest);
    }

    fn point(&self, kind: &str, cells: &[(usize, usize)], rest: u64) {
        // On a phone the panels are below the board.
        self.run("window.studio.board.canvas.scrollIntoView({ block: 'center' });");
        let mut actions = Vec::new();
        for (i, &(row, column)) in cells.iter().enumerate() {
            let (x, y) = self.place(row, column);
            let duration = if i == 0 { 0 } else { 5 };
            actions.push(json!({ "type": "pointerMove", "duration": duration, "x": x, "y": y }));
            if i == 0 {
                actions.push(json!({ "type": "pointerDown", "button": 0 }));
                actions.push(json!({ "type": "pause", "duration": rest }));
            }
        }
        if kind == "touch" {
            // Else the browser takes it for a fling, and the next tap for the end of that.
            actions.push(json!({ "type": "pause", "duration": 100 }));
        }
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let pointer = json!({
            "type": "pointer", "id": kind, "parameters": { "pointerType": kind }, "actions": actions,
        });
        self.command("actions", &json!({ "actions": [pointer] }));
    }

    /// Draws a picture row by row with the mouse, on an empty grid of its size.
    pub(crate) fn draw(&self, rows: &[&str]) {
        for (row, cells) in rows.iter().enumerate() {
            let runs = cells.split('.').scan(0, |start, run| {
                let begin = *start;
                *start += run.len() + 1;
                Some((begin, run.len()))
            });
            for (begin, length) in runs.filter(|(_, length)| *length > 0) {
                let cells: Vec<_> = (begin..begin + length)
                    .map(|column| (row, column))
                    .collect();
                self.stroke(&cells);
            }
        }
    }

    /// Starts with an empty picture of this size.
    pub(crate) fn new_picture(&self, width: usize, height: usize) {
        self.checked(|browser| {
            browser.click("#new");
            browser.run(&format!(
                "document.querySelector('#new-width').value = {width}; document.querySelector('#new-height').value = {height};"
            ));
            browser.click("#create");
        });
    }

    /// The rows of the picture.
    pub(crate) fn picture(&self) -> Vec<String> {
        let rows = self.value("window.studio.drawing.gridText(window.studio.drawing.cells)");
        serde_json::from_value(rows).expect("rows")
    }

    /// The content of the file with this name, once it is downloaded.
    pub(crate) fn download(&self, name: &str) -> Vec<u8> {
        let path = self.folder.join("downloads").join(name);
        let started = Instant::now();
        loop {
            if let Ok(bytes) = std::fs::read(&path)
                && !bytes.is_empty()
            {
                return bytes;
            }
            assert!(started.elapsed() < PATIENCE, "{name} was not downloaded");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Writes a file that the page can open; its path.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.folder.file(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A picture of the window: the bytes of a PNG file.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        let picture = asked(
            minreq::get(format!("{}/screenshot", self.session)),
            &Value::Null,
        );
        let picture = picture.as_str().expect("base64");
        BASE64_STANDARD.decode(picture).expect("base64")
    }

    /// All that the page has loaded.
    pub(crate) fn loaded(&self) -> Vec<String> {
        let names =
            self.value("performance.getEntriesByType('resource').map((entry) => entry.name)");
        serde_json::from_value(names).expect("names")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = minreq::delete(&self.session).send();
        for child in [Some(&mut self.driver), self.studio.as_mut()]
            .into_iter()
            .flatten()
        {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
