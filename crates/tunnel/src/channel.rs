//! One channel: a stream of bytes in each direction, with credit.
//!
//! Each end says how many bytes it takes. What an application does not read stays within that, and the sender stops. So a
//! slow reader costs its own channel, and no other.

use std::collections::VecDeque;
use std::fmt;
use std::net::IpAddr;

use crate::record::{MAX_NUMBER, Record};

/// Window that a channel has at least, and at most. The most is what 1 Gb/s takes in 67 ms.
pub(crate) const LEAST_WINDOW: u64 = 4 << 10;
const MOST_WINDOW: u64 = 8 << 20;
/// A new channel gets this share of the memory that is left: a lone one is never held up by its window, since that looks to
/// the transport as if the application had nothing to send, and ends its start too early.
const SHARE: u64 = 3;

/// Why a channel ended before its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The application ended its connection.
    Reset,
    /// The target refused the connection.
    Refused,
    /// No route leads to the target's network.
    NetworkUnreachable,
    /// The target does not answer.
    HostUnreachable,
    /// The target's name has no address.
    NoName,
    /// The server does not allow this target.
    NotAllowed,
    /// The server has as many channels as it takes.
    TooMany,
    /// Anything else.
    Failed,
}

/// Each code with its number in a record.
const CODES: [(Code, u8); 8] = [
    (Code::Reset, 0),
    (Code::Refused, 1),
    (Code::NetworkUnreachable, 2),
    (Code::HostUnreachable, 3),
    (Code::NoName, 4),
    (Code::NotAllowed, 5),
    (Code::TooMany, 6),
    (Code::Failed, 7),
];

impl Code {
    pub(crate) fn number(self) -> u8 {
        CODES.iter().find(|(code, _)| *code == self).map_or(7, |(_, number)| *number)
    }

    /// The code of a number; a number that this version does not know says only that it failed.
    pub(crate) fn of(number: u8) -> Self {
        CODES.iter().find(|(_, n)| *n == number).map_or(Self::Failed, |(code, _)| *code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reset => "the application ended the connection",
            Self::Refused => "the target refused the connection",
            Self::NetworkUnreachable => "no route leads to the target",
            Self::HostUnreachable => "the target does not answer",
            Self::NoName => "the target's name has no address",
            Self::NotAllowed => "the server does not allow this target",
            Self::TooMany => "the server has as many channels as it takes",
            Self::Failed => "the connection failed",
        })
    }
}

/// Where the server connects to: a host name or an address, and a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    host: String,
    port: u16,
}

impl Target {
    /// A target; `None` if the host is no address and no name (RFC 1123 section 2.1, and underscores), or if the port is 0.
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let label = |label: &str| {
            let inner = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(inner) && !label.starts_with('-')
        };
        let name = host.strip_suffix('.').unwrap_or(host);
        let is_name = host.len() <= 253 && name.split('.').all(label);
        let valid = port != 0 && (is_name || host.parse::<IpAddr>().is_ok());
        valid.then(|| Self { host: host.to_owned(), port })
    }

    /// The host, as it was given.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// How far the direction towards the peer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Open,
    /// A FIN follows the data.
    Ending,
    Ended,
}

/// One end of a channel.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) target: Target,
    /// The server has connected to the target: data may be sent.
    is_connected: bool,
    sending: Sending,
    /// Data to send, and the bytes that the peer takes.
    unsent: VecDeque<u8>,
    credit: u64,
    /// Records to send before data.
    due: VecDeque<Record>,
    /// Data that arrived and were not read.
    unread: VecDeque<u8>,
    /// Bytes that this end takes in all, that the peer may still send, and that were read since it was last told.
    window: u64,
    granted: u64,
    consumed: u64,
    peer_ended: bool,
    /// Bytes sent and received.
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Channel {
    /// A channel whose reader may have `spare` bytes of memory at most.
    fn new(target: Target, credit: u64, spare: u64) -> Self {
        let window = (spare / SHARE).clamp(LEAST_WINDOW, MOST_WINDOW);
        Self {
            target,
            is_connected: false,
            sending: Sending::Open,
            unsent: VecDeque::new(),
            credit,
            due: VecDeque::new(),
            unread: VecDeque::new(),
            window,
            granted: window,
            consumed: 0,
            peer_ended: false,
            sent: 0,
            received: 0,
        }
    }

    /// The client's end: it asks for a connection.
    pub(crate) fn open(target: Target, spare: u64) -> Self {
        let mut this = Self::new(target.clone(), 0, spare);
        this.due.push_back(Record::Open { window: number(this.window), target });
        this
    }

    /// The server's end, before it is connected.
    pub(crate) fn incoming(target: Target, credit: u32, spare: u64) -> Self {
        Self::new(target, u64::from(credit), spare)
    }

    /// The server has connected.
    pub(crate) fn accept(&mut self) {
        if !self.is_connected {
            self.is_connected = true;
            self.due.push_back(Record::Opened { window: number(self.window) });
        }
    }

    /// The peer says that it has connected. False if it said so before.
    pub(crate) const fn opened(&mut self, window: u32) -> bool {
        let is_first = !self.is_connected;
        if is_first {
            self.is_connected = true;
            self.credit += window as u64;
        }
        is_first
    }

    /// Takes data to send, as many as fit into `limit` bytes that wait, and returns how many.
    pub(crate) fn write(&mut self, data: &[u8], limit: usize) -> usize {
        if self.sending != Sending::Open {
            return 0;
        }
        let taken = data.len().min(self.room(limit));
        self.unsent.extend(&data[..taken]);
        taken
    }

    /// Bytes that may be written.
    pub(crate) fn room(&self, limit: usize) -> usize {
        limit.saturating_sub(self.unsent.len())
    }

    /// A FIN follows the data that were written.
    pub(crate) fn finish(&mut self) {
        if self.sending == Sending::Open {
            self.sending = Sending::Ending;
        }
    }

    /// Whether something is to be sent.
    pub(crate) fn is_ready(&self) -> bool {
        let data = !self.unsent.is_empty() && self.credit > 0;
        let fin = self.sending == Sending::Ending && self.unsent.is_empty();
        self.is_connected && (data || fin) || !self.due.is_empty()
    }

    /// Appends the next record of channel `id`, with at most `most` bytes of data.
    pub(crate) fn put(&mut self, id: u32, most: usize, to: &mut Vec<u8>) {
        if let Some(record) = self.due.pop_front() {
            record.put(id, to);
            return;
        }
        if !self.is_connected {
            return;
        }
        let credit = usize::try_from(self.credit).unwrap_or(usize::MAX);
        let length = self.unsent.len().min(most).min(credit);
        if length > 0 {
            Record::Data(length).put(id, to);
            to.extend(self.unsent.drain(..length));
            self.credit -= length as u64;
            self.sent += length as u64;
        } else if self.sending == Sending::Ending && self.unsent.is_empty() {
            Record::Fin.put(id, to);
            self.sending = Sending::Ended;
        }
    }

    /// Data arrived. False if they are more than the peer was told to send, or come after its end.
    pub(crate) fn receive(&mut self, data: impl ExactSizeIterator<Item = u8>) -> bool {
        let length = data.len() as u64;
        if length > self.granted || self.peer_ended {
            return false;
        }
        self.granted -= length;
        self.received += length;
        self.unread.extend(data);
        true
    }

    /// The peer takes more. False if the number is impossible.
    pub(crate) const fn credit(&mut self, bytes: u32) -> bool {
        self.credit += bytes as u64;
        self.credit <= MAX_NUMBER as u64
    }

    /// No data follow from the peer. False if it said so before.
    pub(crate) const fn peer_finished(&mut self) -> bool {
        let was = self.peer_ended;
        self.peer_ended = true;
        !was
    }

    /// Data that arrived, from the first not read on.
    pub(crate) fn unread(&self) -> &[u8] {
        self.unread.as_slices().0
    }

    /// The application took this many bytes. The peer is told when half of the window was read; the window doubles if the peer
    /// used it up meanwhile, and if `spare` bytes of memory are left. Returns by how much it grew.
    pub(crate) fn consume(&mut self, bytes: usize, spare: u64) -> u64 {
        let bytes = bytes.min(self.unread.len());
        self.unread.drain(..bytes);
        self.consumed += bytes as u64;
        if self.peer_ended || self.consumed < self.window / 2 {
            return 0;
        }
        let doubles =
            self.granted < self.window / 2 && self.window <= spare && self.window < MOST_WINDOW;
        let more = if doubles { self.window } else { 0 };
        self.window += more;
        let told = std::mem::take(&mut self.consumed) + more;
        self.granted += told;
        self.due.push_back(Record::Window(number(told)));
        more
    }

    /// Bytes of memory that its reader may take.
    pub(crate) const fn window(&self) -> u64 {
        self.window
    }

    /// True if the peer's data were read to their end.
    pub(crate) fn is_read(&self) -> bool {
        self.peer_ended && self.unread.is_empty()
    }

    /// True if both directions have ended, and nothing is left to send or to read.
    pub(crate) fn is_over(&self) -> bool {
        self.sending == Sending::Ended && self.is_read() && self.due.is_empty()
    }
}

/// A window as a record has it; windows are far below the greatest.
fn number(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(MAX_NUMBER).min(MAX_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_names_or_addresses() {
        let longest = format!("{0}.{0}.{0}.{1}", "a".repeat(63), "b".repeat(61));
        for good in
            ["a", "host.example", "host.example.", "_x.y", "192.0.2.1", "2001:db8::1", &longest]
        {
            assert!(Target::new(good, 80).is_some(), "{good}");
        }
        let long = "a".repeat(64);
        for wrong in ["", ".", "a..b", "a b", "-a", "a/b", "[::1]", "ü", "a\0", &long] {
            assert!(Target::new(wrong, 80).is_none(), "{wrong}");
        }
        assert!(Target::new("a", 0).is_none());
        assert_eq!(Target::new("::1", 7).unwrap().to_string(), "[::1]:7");
    }

    #[test]
    fn codes_have_numbers_of_their_own() {
        for (code, number) in CODES {
            assert_eq!((Code::of(number), code.number()), (code, number));
        }
        assert_eq!(Code::of(200), Code::Failed);
    }
}
