//! Sequence numbers of a station: those that it gives, and those that it has received.
//!
//! A receiver takes a frame with the retry bit for a duplicate if sender, category, sequence and fragment number are
//! those of the last frame (802.11-2012 clause 9.3.2.10). Management frames count as a category of their own.

use super::{CATEGORIES, Frame};

/// Separate sequences in duplicate detection: access categories and management frames.
const SEQUENCES: usize = CATEGORIES + 1;

/// The sequence numbers of a station outside BlockAck sessions.
#[derive(Debug)]
pub(super) struct Numbers {
    next: u16,
    /// By sender and category (management last): 16 times the last sequence number, plus the
    /// fragment number, plus 1; 0 for none.
    received: Vec<u32>,
}

impl Numbers {
    /// Before the first frame, on a medium of `stations`.
    pub(super) fn new(stations: usize) -> Self {
        Self { next: 0, received: vec![0; stations * SEQUENCES] }
    }

    /// Takes the next number.
    #[inline]
    pub(super) const fn take(&mut self) -> u16 {
        let number = self.next;
        self.next = (number + 1) % 4096;
        number
    }

    /// Continues at a number.
    #[cfg(test)]
    pub(super) const fn set_next(&mut self, next: u16) {
        self.next = next;
    }

    /// Records a received frame. Returns true if it completes a packet not received before.
    /// `sequences` is the frame's category, or [`CATEGORIES`] for management.
    pub(super) fn completes_new_packet(&mut self, frame: &Frame, sequences: usize) -> bool {
        let place = frame.from.index() * SEQUENCES + sequences;
        let this = u32::from(frame.sequence) << 4 | u32::from(frame.fragment);
        let seen = &mut self.received[place];
        if frame.retry && *seen == this + 1 {
            return false;
        }
        // A fragment whose predecessor is missing is useless.
        let follows = frame.fragment == 0 || *seen == this;
        *seen = if follows { this + 1 } else { 0 };
        follows && !frame.more_fragments
    }
}
