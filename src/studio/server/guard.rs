//! Who may use the server: a client that knows the token, and no page of another origin.
//!
//! The token keeps out other users of the machine and pages that guess the port. The check of `Host` keeps out pages whose name was made to
//! resolve to the loopback address (DNS rebinding). The check of `Origin` and `Sec-Fetch-Site` keeps out pages that were told the token.

use hyper::header::{HOST, ORIGIN};
use hyper::{HeaderMap, Uri};

use crate::studio::answers::Reply;

/// Number of random bytes of a token.
const TOKEN_BYTES: usize = 16;

/// The first part of the path of every address.
#[derive(Clone)]
pub(super) struct Guard {
    token: String,
    port: u16,
}

impl Guard {
    /// A guard with a new token, for a server on this port; an error if the system has no random numbers.
    pub(super) fn new(port: u16) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { token, port })
    }

    /// The address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// The path below the token, without the slash between them.
    pub(super) fn admit<'u>(&self, uri: &'u Uri, headers: &HeaderMap) -> Result<&'u str, Reply> {
        let forbidden = |message: &str| Reply::refusal(403, message);
        let names = ["127.0.0.1", "localhost"];
        let hosts = names.map(|name| format!("{name}:{}", self.port));
        // A header that comes twice with different values is refused like a foreign one.
        let text = |name: &str| {
            let mut values = headers.get_all(name).iter();
            let value = values.next()?.to_str().unwrap_or_default();
            Some(if values.all(|other| other == value) {
                value
            } else {
                ""
            })
        };
        let is_own_host = |host: &str| hosts.iter().any(|own| own == host);
        // A request to a proxy names the host in its target too.
        let target = uri.authority().map(|authority| authority.as_str());
        if !text(HOST.as_str()).is_some_and(is_own_host) || !target.is_none_or(is_own_host) {
            return Err(forbidden(
                "this server answers only under the address that it printed",
            ));
        }
        let is_own_origin = text(ORIGIN.as_str())
            .is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_own_host));
        let is_same_site =
            text("sec-fetch-site").is_none_or(|site| ["same-origin", "none"].contains(&site));
        if !is_own_origin || !is_same_site {
            return Err(forbidden("pages of another origin may not use this server"));
        }
        let path = uri.path();
        let (token, rest) = path
            .strip_prefix('/')
            .and_then(|path| path.split_once('/'))
            .unwrap_or_default();
        if is_equal(token.as_bytes(), self.token.as_bytes()) {
            Ok(rest)
        } else {
            Err(forbidden(
                "the token in the address is wrong: use the address that omnogram studio printed",
            ))
        }
    }
}

/// Compares in a time that does not depend on the content.
fn is_equal(given: &[u8], own: &[u8]) -> bool {
    let differing = given.iter().zip(own).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == own.len() && differing == 0
}

impl std::fmt::Debug for Guard {
    /// Without the token, which must not get into logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(guard: &Guard, path: &str, headers: &[(&'static str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        guard.admit(&path.parse().unwrap(), &map).is_ok()
    }

    #[test]
    fn only_the_own_host_origin_and_token_are_admitted() {
        let guard = Guard::new(8000).unwrap();
        let path = format!("/{}/api/check", guard.token);
        let host = ("host", "127.0.0.1:8000");
        assert!(admit(&guard, &path, &[host]));
        assert!(admit(&guard, &path, &[("host", "localhost:8000")]));
        assert!(admit(
            &guard,
            &path,
            &[host, ("origin", "http://127.0.0.1:8000")]
        ));
        assert!(admit(
            &guard,
            &path,
            &[host, ("sec-fetch-site", "same-origin")]
        ));
        assert!(!admit(&guard, &path, &[]));
        assert!(!admit(&guard, &path, &[host, ("host", "example.org:8000")]));
        assert!(!admit(
            &guard,
            &format!("http://example.org{path}"),
            &[host]
        ));
        assert!(admit(
            &guard,
            &format!("http://127.0.0.1:8000{path}"),
            &[host]
        ));
        assert!(!admit(&guard, "127.0.0.1:8000", &[host]));
        assert!(!admit(&guard, "*", &[host]));
        assert!(!admit(&guard, &path, &[("host", "example.org:8000")]));
        assert!(!admit(&guard, &path, &[("host", "127.0.0.1")]));
        assert!(!admit(
            &guard,
            &path,
            &[host, ("origin", "http://127.0.0.1:8001")]
        ));
        assert!(!admit(
            &guard,
            &path,
            &[host, ("origin", "https://127.0.0.1:8000")]
        ));
        assert!(!admit(&guard, &path, &[host, ("origin", "null")]));
        assert!(!admit(
            &guard,
            &path,
            &[host, ("sec-fetch-site", "cross-site")]
        ));
        assert!(!admit(&guard, "/", &[host]));
        assert!(!admit(&guard, "/0/api/check", &[host]));
        assert!(!admit(&guard, &path[..path.len() - 11], &[host]));
        assert_ne!(Guard::new(8000).unwrap().token, guard.token);
    }
}
