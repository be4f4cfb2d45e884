//! Channels in one stream.
//!
//! The stream is asked for its next bytes only when the transport can send them ([`Mux::fill`]), so that nothing waits in a
//! line that could still change. Channels take turns, a record each, and one that was idle goes before those with a backlog
//! (as flows in RFC 8290 do): an exchange of a few bytes does not wait behind a download.
//!
//! The client opens channels, with rising numbers. Memory is bounded whatever the peer sends: by the number of channels, by
//! the windows of all of them together, and by what applications may write ahead.

use std::collections::{BTreeMap, VecDeque};

use crate::channel::{Channel, LEAST_WINDOW};
use crate::quic::SEGMENT;
use crate::record::{DATA_HEADER, Record, Violation};
use crate::target::{Code, Target};

/// Channels at a time.
pub const MAX_CHANNELS: usize = 1024;
/// Resets that wait to be sent, and events that nobody has taken: an honest peer has far fewer.
const MAX_WAITING: usize = 8 * MAX_CHANNELS;
/// Bytes that the readers of all channels may leave unread, except for the least window of each.
const MEMORY: u64 = 16 << 20;
/// Bytes that all applications may write ahead of the transport, and one of them at least and at most.
const AHEAD: usize = 8 << 20;
const LEAST_AHEAD: usize = 8 << 10;
const MOST_AHEAD: usize = 256 << 10;

/// Number of a channel.
pub type ChannelId = u32;

/// What happened to a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelEvent {
    /// The client asks for a connection; [`Mux::accept`] or [`Mux::reset`] answers.
    Incoming(Target),
    /// The server has connected.
    Opened,
    /// The peer ended the channel; it is gone.
    Reset(Code),
}

/// The channels of one end.
#[derive(Debug)]
pub struct Mux {
    is_client: bool,
    channels: BTreeMap<ChannelId, Channel>,
    /// Number of the next channel to open, or that the peer may open.
    next: ChannelId,
    /// Channels with something to send: those that were idle, and the others.
    fresh: VecDeque<ChannelId>,
    others: VecDeque<ChannelId>,
    /// Resets of channels that are gone.
    resets: VecDeque<(ChannelId, Code)>,
    /// Bytes of the stream that are not a whole record yet.
    partial: Vec<u8>,
    /// Bytes that windows may still grow by.
    spare: u64,
    events: VecDeque<(ChannelId, ChannelEvent)>,
}

impl Mux {
    /// The channels of a client, or of a server.
    pub(crate) fn new(is_client: bool) -> Self {
        Self {
            is_client,
            channels: BTreeMap::new(),
            next: 0,
            fresh: VecDeque::new(),
            others: VecDeque::new(),
            resets: VecDeque::new(),
            partial: Vec::new(),
            spare: MEMORY,
            events: VecDeque::new(),
        }
    }

    /// Asks the server for a connection. `None` if there are as many channels as there may be, or at a server.
    pub fn open(&mut self, target: Target) -> Option<ChannelId> {
        if !self.is_client || self.channels.len() >= MAX_CHANNELS {
            return None;
        }
        let id = self.next;
        self.next = self.next.checked_add(1)?;
        self.add(id, Channel::open(target, self.spare));
        self.awake(id);
        Some(id)
    }

    /// The server has connected a channel to its target.
    pub fn accept(&mut self, id: ChannelId) {
        self.with(id, Channel::accept);
    }

    /// Takes data to send, and returns how many bytes were taken: [`room`](Self::room) at most.
    pub fn write(&mut self, id: ChannelId, data: &[u8]) -> usize {
        let limit = self.limit();
        self.with(id, |channel| channel.write(data, limit)).unwrap_or(0)
    }

    /// Bytes that may be written to a channel now.
    pub fn room(&self, id: ChannelId) -> usize {
        self.channels.get(&id).map_or(0, |channel| channel.room(self.limit()))
    }

    /// Ends the data of a channel in this direction, after what was written.
    pub fn finish(&mut self, id: ChannelId) {
        self.with(id, Channel::finish);
    }

    /// Ends a channel at once, and tells the peer why.
    pub fn reset(&mut self, id: ChannelId, code: Code) {
        if self.remove(id) {
            self.resets.push_back((id, code));
        }
    }

    /// Data that arrived, from the first not read on; perhaps not all of them.
    pub fn unread(&self, id: ChannelId) -> &[u8] {
        self.channels.get(&id).map_or(&[], Channel::unread)
    }

    /// The application took this many bytes of [`unread`](Self::unread).
    pub fn consume(&mut self, id: ChannelId, bytes: usize) {
        let spare = self.spare;
        let grown = self.with(id, |channel| channel.consume(bytes, spare)).unwrap_or(0);
        self.spare -= grown;
    }

    /// True if the peer's data were read to their end.
    pub fn is_read(&self, id: ChannelId) -> bool {
        self.channels.get(&id).is_some_and(Channel::is_read)
    }

    /// True while a channel exists: until both directions have ended, or a reset.
    pub fn is_alive(&self, id: ChannelId) -> bool {
        self.channels.contains_key(&id)
    }

    /// True if nothing that was written waits to be sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.resets.is_empty() && self.channels.values().all(Channel::is_sent)
    }

    /// Channels with their targets, bytes sent and bytes received.
    pub fn channels(&self) -> impl Iterator<Item = (ChannelId, &Target, u64, u64)> {
        self.channels.iter().map(|(id, c)| (*id, &c.target, c.sent, c.received))
    }

    /// What happened next.
    pub fn poll(&mut self) -> Option<(ChannelId, ChannelEvent)> {
        self.events.pop_front()
    }

    /// The next bytes of the stream: whole records, at least one segment of them if there are so many.
    pub(crate) fn fill(&mut self, unsent: usize) -> Vec<u8> {
        let segment = usize::from(SEGMENT);
        let mut bytes = Vec::new();
        while unsent + bytes.len() < segment {
            if let Some((id, code)) = self.resets.pop_front() {
                Record::Reset(code).put(id, &mut bytes);
                continue;
            }
            let (fresh, id) = match self.fresh.pop_front() {
                Some(id) => (true, id),
                None => match self.others.pop_front() {
                    Some(id) => (false, id),
                    None => break,
                },
            };
            let Some(channel) = self.channels.get_mut(&id) else { continue };
            if channel.is_ready() {
                channel.put(id, segment - DATA_HEADER, &mut bytes);
            } else if !fresh {
                channel.is_in_line = false;
                continue;
            }
            if channel.is_over() {
                self.remove(id);
            } else {
                self.others.push_back(id);
            }
        }
        bytes
    }

    /// Bytes of the stream arrived.
    ///
    /// # Errors
    /// If the peer breaks the protocol; the connection cannot go on.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        let mut all = std::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        loop {
            if self.resets.len() + self.events.len() > MAX_WAITING {
                return Err(Violation("channels without end"));
            }
            let before = rest;
            match Record::take(&mut rest)? {
                Some((id, Record::Data(length))) => {
                    let Some((data, after)) = rest.split_at_checked(length) else {
                        rest = before;
                        break;
                    };
                    rest = after;
                    self.data(id, data)?;
                }
                Some((id, record)) => self.record(id, record)?,
                None => break,
            }
        }
        self.partial = rest.to_vec();
        Ok(())
    }

    fn data(&mut self, id: ChannelId, data: &[u8]) -> Result<(), Violation> {
        let Some(channel) = self.known(id)? else { return Ok(()) };
        if !channel.receive(data.iter().copied()) {
            return Err(Violation("more data than the channel takes"));
        }
        Ok(())
    }

    fn record(&mut self, id: ChannelId, record: Record) -> Result<(), Violation> {
        if let Record::Open { window, target } = record {
            return self.incoming(id, window, target);
        }
        let Some(channel) = self.known(id)? else { return Ok(()) };
        match record {
            Record::Opened { window } => {
                if !channel.opened(window) {
                    return Err(Violation("a channel that opens twice"));
                }
                self.events.push_back((id, ChannelEvent::Opened));
                self.awake(id);
            }
            Record::Fin => {
                if !channel.peer_finished() {
                    return Err(Violation("a channel that ends twice"));
                }
                self.settle(id);
            }
            Record::Reset(code) => {
                self.remove(id);
                self.events.push_back((id, ChannelEvent::Reset(code)));
            }
            Record::Window(bytes) => {
                if !channel.credit(bytes) {
                    return Err(Violation("a window beyond all bounds"));
                }
                self.awake(id);
            }
            Record::Open { .. } | Record::Data(_) => {}
        }
        Ok(())
    }

    fn incoming(&mut self, id: ChannelId, window: u32, target: Target) -> Result<(), Violation> {
        if self.is_client {
            return Err(Violation("a server that opens a channel"));
        }
        if id < self.next {
            return Err(Violation("a number of a channel that was used"));
        }
        self.next = id.saturating_add(1);
        if self.channels.len() >= MAX_CHANNELS {
            self.resets.push_back((id, Code::TooMany));
            return Ok(());
        }
        self.add(id, Channel::incoming(target.clone(), window, self.spare));
        self.events.push_back((id, ChannelEvent::Incoming(target)));
        Ok(())
    }

    /// The channel of a record; `None` if it has ended, since the peer may not know yet.
    fn known(&mut self, id: ChannelId) -> Result<Option<&mut Channel>, Violation> {
        if id >= self.next {
            return Err(Violation("a channel that nobody opened"));
        }
        Ok(self.channels.get_mut(&id))
    }

    fn add(&mut self, id: ChannelId, channel: Channel) {
        self.spare -= (channel.window() - LEAST_WINDOW).min(self.spare);
        self.channels.insert(id, channel);
    }

    fn remove(&mut self, id: ChannelId) -> bool {
        let Some(channel) = self.channels.remove(&id) else { return false };
        self.spare += channel.window() - LEAST_WINDOW;
        true
    }

    /// Does something with a channel, and what follows from it.
    fn with<T>(&mut self, id: ChannelId, f: impl FnOnce(&mut Channel) -> T) -> Option<T> {
        let done = f(self.channels.get_mut(&id)?);
        self.settle(id);
        Some(done)
    }

    fn settle(&mut self, id: ChannelId) {
        if self.channels.get(&id).is_some_and(Channel::is_over) {
            self.remove(id);
        } else {
            self.awake(id);
        }
    }

    /// A channel that has something to send, and is in no line, goes to the front.
    fn awake(&mut self, id: ChannelId) {
        let Some(channel) = self.channels.get_mut(&id) else { return };
        if channel.is_ready() && !channel.is_in_line {
            channel.is_in_line = true;
            self.fresh.push_back(id);
        }
    }

    fn limit(&self) -> usize {
        (AHEAD / self.channels.len().max(1)).clamp(LEAST_AHEAD, MOST_AHEAD)
    }
}

/// Gives an end a stream from a peer that may send anything, and checks that memory stays bounded: for the fuzzer.
#[doc(hidden)]
pub fn fuzz(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let mut mux = Mux::new(first & 1 == 0);
    for _ in 0..usize::from(first >> 1) % 8 {
        mux.open(Target::new("a", 1).unwrap_or_else(|| unreachable!()));
    }
    for part in bytes.chunks(1 + usize::from(first >> 4)) {
        if mux.take(part).is_err() {
            return;
        }
        while let Some((id, event)) = mux.poll() {
            match event {
                ChannelEvent::Incoming(target) if target.port() % 3 == 0 => {
                    mux.reset(id, Code::Refused);
                }
                ChannelEvent::Incoming(_) => mux.accept(id),
                ChannelEvent::Opened if id % 3 == 0 => mux.finish(id),
                _ => {}
            }
        }
        let even: Vec<ChannelId> =
            mux.channels.keys().copied().filter(|id| id.is_multiple_of(2)).collect();
        for id in even {
            mux.consume(id, mux.unread(id).len());
            mux.write(id, &[0; 99]);
        }
        assert!(mux.fill(0).len() < 4 * usize::from(SEGMENT));
        assert!(mux.channels.len() <= MAX_CHANNELS && mux.partial.len() < 1 << 15);
        let windows: u64 = mux.channels.values().map(|c| c.window() - LEAST_WINDOW).sum();
        assert_eq!(windows + mux.spare, MEMORY);
        let unread: u64 = mux.channels.values().map(|c| c.unread().len() as u64).sum();
        assert!(unread <= windows + LEAST_WINDOW * MAX_CHANNELS as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that opens channels for ever, and takes none of the answers, ends its session. What it drops in the same
    /// breath counts as well.
    #[test]
    fn channels_without_end_are_a_violation() {
        let target = Target::new("a", 1).unwrap();
        for drops in [false, true] {
            let mut mux = Mux::new(false);
            let mut bytes = Vec::new();
            let taken = (0..100_000).take_while(|id| {
                bytes.clear();
                Record::Open { window: 1, target: target.clone() }.put(*id, &mut bytes);
                if drops {
                    Record::Reset(Code::Reset).put(*id, &mut bytes);
                }
                let is_taken = mux.take(&bytes).is_ok();
                if !drops {
                    while mux.poll().is_some() {
                        mux.reset(*id, Code::Refused);
                    }
                }
                is_taken
            });
            let taken = taken.count();
            assert!((MAX_CHANNELS..2 * MAX_WAITING).contains(&taken), "{taken}");
        }
    }
}
