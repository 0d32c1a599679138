//! A plain server of static files, as the smallest that a designer may use: it knows types by endings, and nothing else.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The folder under which the files are served, so that only relative addresses find them.
const PREFIX: &str = "/some/where/";

/// A server that runs until the process ends, or until it is told to go.
#[derive(Debug)]
pub(crate) struct FileServer {
    /// The address of the folder.
    pub(crate) address: String,
    /// Relaxed: it publishes no other data.
    is_gone: Arc<AtomicBool>,
}

impl FileServer {
    /// From now on, nothing is answered.
    pub(crate) fn go(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

/// Serves the files of a folder.
pub(crate) fn serve(folder: &Path) -> FileServer {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let folder = folder.to_path_buf();
    let is_gone = Arc::new(AtomicBool::new(false));
    let goes = Arc::clone(&is_gone);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if goes.load(Ordering::Relaxed) {
                continue;
            }
            let folder = folder.clone();
            std::thread::spawn(move || answer(stream, &folder));
        }
    });
    FileServer {
        address: format!("http://{address}{PREFIX}"),
        is_gone,
    }
}

/// Answers one request. A client that has gone is not told.
fn answer(mut stream: TcpStream, folder: &Path) {
    let mut lines = BufReader::new(&stream).lines();
    let request = lines.next().and_then(Result::ok).unwrap_or_default();
    // The head must be read whole, or closing would discard the answer.
    lines.map_while(Result::ok).find(String::is_empty);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let name = match path.strip_prefix(PREFIX) {
        Some("") => "index.html",
        Some(name) if !name.contains("..") => name,
        _ => "none",
    };
    let kind = match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html",
        "css" => "text/css",
        "js" => "text/javascript",
        _ => "application/octet-stream",
    };
    let (status, body) = match std::fs::read(folder.join(name)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
}
