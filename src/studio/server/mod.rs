//! The server of the page.
//!
//! It listens on the loopback address alone. Every address begins with a random token, and a request from another origin or with another
//! host is refused, so that only a program that was told the address can use it (`guard`). The page is part of the program (`page`). An
//! answer that may take long is a stream of events, and closing the stream stops the run (`events`).
//!
//! One thread serves all connections. Each run has a thread of its own and a pool of threads for its search; there are at most
//! `route::MAX_RUNS` runs at a time. Connections, bodies and runs are bounded in number and in bytes, and a client that
//! is slow loses its connection.

mod body;
mod events;
mod guard;
mod interrupt;
mod page;
mod reply;
mod route;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use guard::Guard;
use route::{MAX_RUNS, Site};

use super::answers::Answers;
use crate::error::{Error, Kind, Result};
use crate::format::Entry;
use crate::run::Limits;

/// Maximum number of connections at a time. Others are refused.
const MAX_CONNECTIONS: usize = 256;

/// Maximum number of connections that are being refused at a time. Others are closed without a word.
const MAX_REFUSALS: usize = 256;

/// Time within which the head of a request must be complete, and within which a client must read on.
const MAX_HEAD_TIME: Duration = Duration::from_secs(10);
const MAX_WRITE_TIME: Duration = Duration::from_secs(20);

/// Maximum number of bytes of the head of a request; also the size of the buffer for its body.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// Interval at which the server looks whether it must end.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum time for which the end waits for runs, which the end of their connections has interrupted.
const MAX_END_TIME: Duration = Duration::from_millis(500);

/// The reply to a connection too many.
const TOO_MANY: &str = "{\"error\":\"too many connections at a time\"}";

/// Options of the server.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StudioOptions {
    /// The port; 0 for any free one.
    pub port: u16,
    /// Threads of each search; 0 for all cores.
    pub threads: usize,
    /// The limits on every run, but for the memory, which is that of all runs together.
    pub limits: Limits,
    /// The puzzles with which the page begins.
    pub puzzles: Vec<Entry>,
}

/// The server of the page, which listens from its creation on.
#[derive(Debug)]
pub struct Studio {
    runtime: Runtime,
    listener: TcpListener,
    site: Arc<Site>,
}

impl Studio {
    /// Listens on the loopback address.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] if the port is taken, or the system refuses a thread or random numbers.
    pub fn new(options: StudioOptions) -> Result<Self> {
        let name = match options.port {
            0 => "127.0.0.1".to_owned(),
            port => format!("127.0.0.1:{port}"),
        };
        let io = |error| Error::io(&name, error);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = TcpListener::bind(address).map_err(io)?;
        listener.set_nonblocking(true).map_err(io)?;
        let port = listener.local_addr().map_err(io)?.port();
        let guard = Guard::new(port)
            .map_err(|error| Error::new(Kind::Io, format!("no random numbers: {error}")))?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(MAX_RUNS)
            .build()
            .map_err(io)?;
        let answers = Answers::new(options.threads, MAX_RUNS, options.limits, options.puzzles);
        Ok(Studio {
            runtime,
            listener,
            site: Arc::new(Site::new(guard, answers)),
        })
    }

    /// The address of the page, with its token.
    pub fn address(&self) -> String {
        self.site.guard.address()
    }

    /// Serves the page until `ends` says so. Whatever runs then is interrupted.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] if the system cannot accept connections.
    pub fn serve(self, ends: impl Fn() -> bool) -> Result<()> {
        let Studio {
            runtime,
            listener,
            site,
        } = self;
        let io = |error| Error::io("127.0.0.1", error);
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).map_err(io)?;
            let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
            let refusals = Arc::new(Semaphore::new(MAX_REFUSALS));
            // Dropping them when the server ends interrupts their runs.
            let mut tasks = JoinSet::new();
            while !ends() {
                while tasks.try_join_next().is_some() {}
                let Ok(accepted) = tokio::time::timeout(POLL_INTERVAL, listener.accept()).await
                else {
                    continue;
                };
                let Ok((stream, _)) = accepted else {
                    // The client has gone, or the system is out of file descriptors for the moment.
                    tokio::time::sleep(POLL_INTERVAL).await;
                    continue;
                };
                if let Ok(place) = Arc::clone(&connections).try_acquire_owned() {
                    tasks.spawn(serve(stream, Arc::clone(&site), place));
                } else if let Ok(place) = Arc::clone(&refusals).try_acquire_owned() {
                    tasks.spawn(refuse(stream, place));
                }
            }
            tasks.shutdown().await;
            Ok(())
        });
        runtime.shutdown_timeout(MAX_END_TIME);
        served
    }
}

/// Serves a connection until it ends.
async fn serve(stream: TcpStream, site: Arc<Site>, _place: OwnedSemaphorePermit) {
    // Events are short and must not wait for more.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(MAX_WRITE_TIME));
    let service = service_fn(|request| Arc::clone(&site).reply(request));
    // It ends with an error if the client closes early or is too slow: there is nobody to tell.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
        .await;
}

/// Refuses a connection, and waits until the client has read why.
async fn refuse(mut stream: TcpStream, _place: OwnedSemaphorePermit) {
    let reply = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{TOO_MANY}",
        TOO_MANY.len()
    );
    let refused = async {
        stream.write_all(reply.as_bytes()).await?;
        stream.shutdown().await?;
        // Closing while the request is unread would discard the reply.
        let mut unread = [0; 1024];
        while stream.read(&mut unread).await? > 0 {}
        Ok::<(), std::io::Error>(())
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), refused).await;
}
