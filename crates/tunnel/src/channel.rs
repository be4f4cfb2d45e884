//! One channel: a stream of bytes in each direction, with credit.
//!
//! Each end says how many bytes it takes. What an application does not read stays within that, and the sender stops. So a
//! slow reader costs its own channel, and no other.

use std::collections::VecDeque;

use crate::record::{MAX_NUMBER, Record};
use crate::target::Target;

/// Window that a channel has at least, and at most. The most is what 1 Gb/s takes in 67 ms.
pub(crate) const LEAST_WINDOW: u64 = 4 << 10;
const MOST_WINDOW: u64 = 8 << 20;
/// A new channel gets this share of the memory that is left: a lone one is never held up by its window, since that looks to
/// the transport as if the application had nothing to send, and ends its start too early.
const SHARE: u64 = 3;

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
    /// Whether it stands in one of the lines of those that send.
    pub(crate) is_in_line: bool,
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
            is_in_line: false,
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

    /// Whether nothing waits to be sent, with credit or without.
    pub(crate) fn is_sent(&self) -> bool {
        self.unsent.is_empty() && self.due.is_empty() && self.sending != Sending::Ending
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
        match self.due.back_mut() {
            // One that waits says both.
            Some(Record::Window(before)) => *before = number(u64::from(*before) + told),
            _ => self.due.push_back(Record::Window(number(told))),
        }
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
