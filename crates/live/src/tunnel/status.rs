//! What a running tunnel tells on this host: a document to everyone who connects to its socket.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use airtcp_os::clock;
use airtcp_os::wait::For;
use airtcp_tunnel::{Hub, Status};
use serde::{Deserialize, Deserializer, Serialize};

/// Bytes that an end must have sent for its rate to say something.
const TELLING: u64 = 100_000;
/// Longest document that is read.
const LONGEST: u64 = 64 << 20;
/// Who asks at a time, and time for an answer (ns).
const ASKS: usize = 8;
const PATIENCE: i64 = 5_000_000_000;

/// A tunnel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Document {
    /// `client` or `server`.
    #[serde(deserialize_with = "plain")]
    pub(super) role: String,
    /// This end's public key.
    #[serde(deserialize_with = "plain")]
    pub(super) key: String,
    /// Sessions that are open.
    pub(super) sessions: Vec<SessionDocument>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SessionDocument {
    /// The peer's public key, and its address.
    #[serde(deserialize_with = "plain")]
    peer: String,
    #[serde(deserialize_with = "plain")]
    address: String,
    #[serde(flatten)]
    measured: Status,
    channels: Vec<ChannelDocument>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ChannelDocument {
    #[serde(deserialize_with = "plain")]
    target: String,
    sent_bytes: u64,
    received_bytes: u64,
}

/// A text without what a terminal or a collector would act on: the socket may be anybody's.
fn plain<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    let acts = |c: char| c.is_control() || matches!(c, '"' | '\\');
    Ok(text.replace(acts, "?"))
}

impl Document {
    /// What an end knows now.
    pub(super) fn of(role: &str, hub: &mut Hub) -> Self {
        let ids = hub.sessions();
        let key = hub.key().to_string();
        let sessions = ids.into_iter().filter_map(|id| {
            let session = hub.session(id)?;
            let channel = |target: &airtcp_tunnel::Target, sent, received| ChannelDocument {
                target: target.to_string(),
                sent_bytes: sent,
                received_bytes: received,
            };
            Some(SessionDocument {
                peer: session.peer()?.to_string(),
                address: canonical(session.remote()).to_string(),
                measured: session.status(),
                channels: session
                    .mux()
                    .channels()
                    .map(|(_, target, sent, received)| channel(target, sent, received))
                    .collect(),
            })
        });
        Self { role: role.to_owned(), key, sessions: sessions.collect() }
    }

    /// A few lines for people.
    pub(super) fn lines(&self) -> String {
        if self.sessions.is_empty() {
            return format!("The {} has no session: nobody is connected.\n", self.role);
        }
        self.sessions.iter().map(SessionDocument::lines).collect()
    }

    /// Prometheus's text format, a gauge or counter a line.
    pub(super) fn prometheus(&self) -> String {
        self.sessions.iter().map(SessionDocument::prometheus).collect()
    }
}

impl SessionDocument {
    fn lines(&self) -> String {
        let path = format!(
            "The path to {} loses {:.1} % of the packets; a round trip takes {:.0} ms, {:.0} ms of it in a queue.\n",
            self.address,
            100.0 * self.measured.loss,
            1e3 * self.measured.rtt_s,
            1e3 * self.measured.queue_s
        );
        // An end that sends next to nothing knows no rate.
        let sends = self.channels.iter().map(|channel| channel.sent_bytes).sum::<u64>();
        let rate = if sends < TELLING {
            String::new()
        } else {
            format!(
                "The window allows {:.1} Mb/s; {:.2} bytes are sent for each that arrives.\n",
                self.measured.rate_bps / 1e6,
                self.measured.overhead
            )
        };
        let channel = |channel: &ChannelDocument| {
            format!(
                "  {:<50} sent {:>10.3} MB   received {:>10.3} MB\n",
                channel.target,
                channel.sent_bytes as f64 / 1e6,
                channel.received_bytes as f64 / 1e6
            )
        };
        path + &rate + &self.channels.iter().map(channel).collect::<String>()
    }

    fn prometheus(&self) -> String {
        let values = [
            ("rtt_seconds", self.measured.rtt_s),
            ("queue_seconds", self.measured.queue_s),
            ("loss_ratio", self.measured.loss),
            ("mean_burst_packets", self.measured.mean_burst),
            ("rate_bits_per_second", self.measured.rate_bps),
            ("overhead_ratio", self.measured.overhead),
            ("wire_sent_bytes_total", self.measured.wire_sent_bytes as f64),
            ("wire_received_bytes_total", self.measured.wire_received_bytes as f64),
            ("channels", self.channels.len() as f64),
        ];
        let line = |(name, value): (&str, f64)| {
            format!("airtcp_tunnel_{name}{{peer=\"{}\"}} {value}\n", self.peer)
        };
        values.into_iter().map(line).collect()
    }
}

/// An address of IPv4 that came through a socket of IPv6, as it is.
pub(super) fn canonical(address: std::net::SocketAddr) -> std::net::SocketAddr {
    std::net::SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// The folder of sockets: one that only this user may use.
fn folder() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder).join("airtcp"),
        _ => std::env::temp_dir().join(format!("airtcp-{}", airtcp_os::user::id())),
    }
}

/// Whether a folder is this user's alone: none of the six rights of others is set.
fn is_own(folder: &Path) -> io::Result<bool> {
    let about = fs::symlink_metadata(folder)?;
    Ok(about.is_dir() && about.uid() == airtcp_os::user::id() && about.mode().trailing_zeros() >= 6)
}

/// The socket of a running tunnel, which goes with it.
#[derive(Debug)]
pub(super) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    answers: Vec<Answer>,
}

/// An answer on its way: a reader that is slow holds nobody up.
#[derive(Debug)]
struct Answer {
    stream: UnixStream,
    text: Vec<u8>,
    sent: usize,
    until: i64,
}

impl Socket {
    /// Opens it, under the name of this process by default.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, String> {
        let path = path.map_or_else(
            || folder().join(format!("tunnel-{}.sock", std::process::id())),
            Path::to_owned,
        );
        let at = |e: io::Error| format!("{}: {e}", path.display());
        if let Some(folder) = path.parent().filter(|folder| **folder == *self::folder()) {
            let _ = fs::DirBuilder::new().mode(0o700).create(folder);
            if !is_own(folder).map_err(at)? {
                return Err(format!("{}: is not this user's alone", folder.display()));
            }
        }
        let listener = UnixListener::bind(&path).or_else(|error| {
            // The socket of a tunnel that was killed.
            let is_left = || {
                UnixStream::connect(&path)
                    .is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused)
            };
            if error.kind() == io::ErrorKind::AddrInUse && is_left() {
                fs::remove_file(&path)?;
                return UnixListener::bind(&path);
            }
            Err(error)
        });
        let listener = listener.map_err(at)?;
        listener.set_nonblocking(true).map_err(at)?;
        Ok(Self { listener, path, answers: Vec::new() })
    }

    /// What to wait for.
    pub(super) fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, For)> {
        let listener = (self.listener.as_fd(), For::Reading);
        let answers = self.answers.iter().map(|one| (one.stream.as_fd(), For::Writing));
        (self.answers.len() < ASKS).then_some(listener).into_iter().chain(answers)
    }

    /// When an answer has taken too long.
    pub(super) fn next(&self) -> Option<i64> {
        self.answers.iter().map(|answer| answer.until).min()
    }

    /// Answers who asks.
    pub(super) fn turn(&mut self, mut document: impl FnMut() -> Document) {
        while self.answers.len() < ASKS {
            let Ok((stream, _)) = self.listener.accept() else { break };
            let Ok(text) = serde_json::to_vec(&document()) else { continue };
            if stream.set_nonblocking(true).is_ok() {
                let until = clock::now() + PATIENCE;
                self.answers.push(Answer { stream, text, sent: 0, until });
            }
        }
        self.answers.retain_mut(Answer::goes_on);
    }
}

impl Answer {
    fn goes_on(&mut self) -> bool {
        while self.sent < self.text.len() {
            match self.stream.write(&self.text[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    return clock::now() < self.until;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        false
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Asks the tunnels that run: one, or all of this user.
///
/// # Errors
/// If none runs, or if one gives no answer.
pub(super) fn ask(path: Option<&Path>) -> Result<Vec<Document>, String> {
    let paths = path.map_or_else(sockets, |path| vec![path.to_owned()]);
    let mut documents = Vec::new();
    for found in &paths {
        match one(found) {
            Ok(document) => documents.push(document),
            // The socket of a tunnel that was killed.
            Err(error) if path.is_none() && error.kind() == io::ErrorKind::ConnectionRefused => {
                let _ = fs::remove_file(found);
            }
            Err(error) => {
                return Err(format!("{}: no tunnel answers there: {error}", found.display()));
            }
        }
    }
    if documents.is_empty() {
        return Err(
            "no tunnel of this user runs here; with --socket FILE another can be asked".to_owned()
        );
    }
    Ok(documents)
}

/// The sockets of this user's tunnels.
fn sockets() -> Vec<PathBuf> {
    let folder = folder();
    // Anyone may have made one of that name in a folder of all users.
    if !is_own(&folder).unwrap_or(false) {
        return Vec::new();
    }
    let all = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = all
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .collect();
    found.sort();
    found
}

fn one(path: &Path) -> io::Result<Document> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut text = String::new();
    stream.take(LONGEST).read_to_string(&mut text)?;
    serde_json::from_str(&text).map_err(io::Error::other)
}
