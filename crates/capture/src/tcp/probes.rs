//! Probes of a closed window, and keep-alives: segments that ask for an ACK and are neither new data nor sent
//! again.
//!
//! | segment | while the window is closed | otherwise |
//! |---|---|---|
//! | one byte, the next one or the first one in flight (RFC 9293 section 3.8.6.1) | probe of the window | data |
//! | nothing, or one byte, at the last acknowledged byte (section 3.8.4; Linux probes windows so as well) | probe of the window | keep-alive |
//!
//! The window is closed from an ACK with a window of 0 until the sender sends data again: the ACK that opens
//! it may be lost behind the capture. The receiver may take the byte of a probe; it is data once an ACK covers
//! it.

use crate::dissect::{Flags, Segment};

/// Shortest time after an ACK that opens the window before a byte is a probe: less than any timer, more than a
/// sender waits that received the ACK.
const UNOPENED_NS: u64 = 190_000_000;

/// The window of the receiver, as far as probes need it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Closed {
    shut: bool,
    /// When the last ACK came that closed it.
    shut_ns: u64,
    opened_ns: Option<u64>,
    /// The byte of the last probe that held the next one.
    byte: Option<(u64, u64)>,
}

/// Where the data of a direction stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    /// The first byte in flight, and the byte after the last one sent.
    pub(super) una: u64,
    pub(super) next: u64,
    /// True if the direction has ended.
    pub(super) ended: bool,
}

/// What asks for an ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Probe {
    Window,
    KeepAlive,
}

impl Closed {
    /// An ACK advertises a window.
    pub(super) fn advertised(&mut self, now: u64, window: u64) {
        if window == 0 {
            if !self.is_certain() {
                self.shut_ns = now;
            }
            self.shut = true;
            self.opened_ns = None;
        } else if self.shut {
            self.opened_ns.get_or_insert(now);
        }
    }

    /// Since when the window is closed; `None` if the last ACK opened it.
    pub(super) fn since_ns(&self) -> Option<u64> {
        self.is_certain().then_some(self.shut_ns)
    }

    /// True if the sender cannot know that the window is open.
    const fn is_certain(&self) -> bool {
        self.shut && self.opened_ns.is_none()
    }

    /// Data were sent that are no probe.
    pub(super) const fn on_data(&mut self) {
        if self.opened_ns.is_some() {
            self.shut = false;
            self.opened_ns = None;
        }
    }

    /// What a segment that begins at `start` asks for. `is_alone` tells if the byte at `start` was a segment of its own
    /// that may have been sent again.
    pub(super) fn take(
        &mut self,
        segment: &Segment,
        start: u64,
        stand: Stand,
        is_alone: impl Fn() -> bool,
    ) -> Option<Probe> {
        let is_plain = !segment.flags.has_any(Flags::SYN | Flags::FIN | Flags::RST);
        if segment.payload > 1 || !is_plain {
            return None;
        }
        let behind = start + 1 == stand.una && stand.una == stand.next && !stand.ended;
        if behind {
            return if self.shut {
                Some(Probe::Window)
            } else {
                (!is_alone()).then_some(Probe::KeepAlive)
            };
        }
        if segment.payload == 0 {
            return None;
        }
        let waited = |ns: u64| segment.time_ns.saturating_sub(ns) >= UNOPENED_NS;
        let unopened = self.opened_ns.is_some_and(waited);
        let at_edge = start == stand.next || start == stand.una;
        if !at_edge || !(self.is_certain() || unopened) {
            return None;
        }
        if start == stand.next {
            self.byte = Some((start, segment.time_ns));
        }
        Some(Probe::Window)
    }

    /// The byte of a probe that is the next one, if the bytes before `end` were sent: it and its time.
    pub(super) fn accepted(&mut self, next: u64, end: u64) -> Option<(u64, u64)> {
        self.byte.take_if(|(start, _)| *start == next && end > next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn probe(closed: &mut Closed, ms: u64, start: u64, payload: u32) -> Option<Probe> {
        let flags = Flags::ACK;
        let segment = Segment { time_ns: ms * MS, payload, flags, ..Segment::default() };
        closed.take(&segment, start, Stand { una: 100, next: 100, ended: false }, || false)
    }

    #[test]
    fn a_byte_is_a_probe_while_the_window_shut() {
        let mut closed = Closed::default();
        assert_eq!(probe(&mut closed, 0, 100, 1), None);
        assert_eq!(probe(&mut closed, 0, 99, 0), Some(Probe::KeepAlive));
        closed.advertised(0, 0);
        for (start, payload) in [(100, 1), (99, 0), (99, 1)] {
            assert_eq!(probe(&mut closed, 300, start, payload), Some(Probe::Window));
        }
        assert_eq!(probe(&mut closed, 300, 100, 2), None);
        assert_eq!(closed.accepted(100, 100), None);
        assert_eq!(closed.accepted(100, 101), Some((100, 300 * MS)));
        // An answer to a probe does not close it anew.
        closed.advertised(310 * MS, 0);
        assert_eq!(closed.since_ns(), Some(0));
        // The ACK that opens it is lost: the sender probes on. Soon after it, a byte is data.
        closed.advertised(400 * MS, 5000);
        assert_eq!(closed.since_ns(), None);
        assert_eq!(probe(&mut closed, 401, 100, 1), None);
        assert_eq!(probe(&mut closed, 900, 100, 1), Some(Probe::Window));
        assert_eq!(probe(&mut closed, 900, 99, 0), Some(Probe::Window));
        closed.on_data();
        assert_eq!(probe(&mut closed, 900, 100, 1), None);
        assert_eq!(probe(&mut closed, 900, 99, 0), Some(Probe::KeepAlive));
    }
}
