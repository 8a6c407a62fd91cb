//! As much of an HTTP/1.1 server as agents need to talk to a scripted model: loopback only, a thread per connection,
//! one answer per connection. Bodies are bounded; it never connects anywhere.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Largest request body that is read, in bytes.
const MOST: u64 = 64 << 20;
/// How long a connection may stay silent.
const SILENCE: Duration = Duration::from_secs(60);

/// One request.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// path without the query
    pub(crate) path: String,
    /// header names in lower case
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The first header of this name (lower case).
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// One answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: String,
}

impl Response {
    /// A JSON answer.
    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self { status: 200, kind: "application/json", body: value.to_string() }
    }

    /// A stream of events that is already complete.
    pub(crate) fn events(body: String) -> Self {
        Self { status: 200, kind: "text/event-stream", body }
    }

    /// Nothing of that name is here.
    pub(crate) fn missing() -> Self {
        Self {
            status: 404,
            ..Self::json(&serde_json::json!({"error": {"type": "not_found_error", "message": "scripted"}}))
        }
    }
}

/// A running server; ends when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one on a free loopback port.
    pub(crate) fn start(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Result<Self, std::io::Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let answer = Arc::new(answer);
        let ended = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || {
                    // a connection that breaks is the agent's affair; what counts is what was asked and told
                    let _ = serve(stream, answer.as_ref());
                });
            }
        });
        Ok(Self { address, stop, thread: Some(thread) })
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // wakes the listener so that it sees the flag
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(stream: TcpStream, answer: &dyn Fn(&Request) -> Response) -> std::io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let Some(request) = read(&mut reader, &stream)? else { return Ok(()) };
    let response = answer(&request);
    let head = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        response.status,
        if response.status == 200 { "OK" } else { "Not Found" },
        response.kind,
        response.body.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        stream.write_all(response.body.as_bytes())?;
    }
    stream.flush()
}

fn read(reader: &mut BufReader<TcpStream>, stream: &TcpStream) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.by_ref().take(65_536).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let mut request = Request { method, path, ..Request::default() };
    while request.headers.len() < 200 {
        let mut line = String::new();
        reader.by_ref().take(65_536).read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            request.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    if request.header("expect").is_some() {
        let mut stream = stream;
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if request.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        request.body = chunks(reader)?;
    } else {
        let length = request.header("content-length").and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        reader.by_ref().take(length.min(MOST)).read_to_end(&mut request.body)?;
    }
    Ok(Some(request))
}

fn chunks(reader: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.by_ref().take(1024).read_line(&mut line)?;
        let size = u64::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16).unwrap_or(0);
        if size == 0 || body.len() as u64 + size > MOST {
            return Ok(body);
        }
        reader.by_ref().take(size).read_to_end(&mut body)?;
        reader.by_ref().take(2).read_line(&mut String::new())?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(port: u16, text: &[u8]) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(text).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    }

    #[test]
    fn a_body_arrives_whole_in_either_form() {
        let server = Server::start(|request| {
            Response::json(&serde_json::json!({"path": request.path, "body": String::from_utf8_lossy(&request.body)}))
        })
        .unwrap();
        let plain = talk(server.port(), b"POST /v1/x?a=b HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
        assert!(plain.ends_with(r#"{"body":"hello","path":"/v1/x"}"#), "{plain}");
        let chunked = talk(
            server.port(),
            b"POST /v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        );
        assert!(chunked.ends_with(r#"{"body":"hello","path":"/v1/x"}"#), "{chunked}");
    }
}
