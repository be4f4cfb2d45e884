//! New segments that leave at one instant, as one answer to the driver.
//!
//! An ACK lets a sender of bulk data send one or two segments, and a poll more finds that the window is full. If the sender
//! sends plainly and the last header still holds (`tcp/template.rs`), the segments of one instant differ in the sequence number
//! only: nothing arrives between two polls, and a timestamp is the same. So the answer is the first of them and their number,
//! and `sender/run.rs` finds the number and does the sender's part at once. A segment with CWR goes the other way.
//!
//! [`Machine::poll`](airtcp_probe::Machine::poll) asks for one segment, which is never an answer for several.
//! `tests/predict.rs` compares both.

use airtcp_packet::{Segment, Seq};
use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::Nanos;

use super::{Connection, env};
use crate::tcp::sender::{Departures, Plain};

/// Segments that leave at one instant: the first, and others that differ from it in the sequence number only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first segment. The next one begins where its payload ends, and so on.
    pub first: Segment,
    /// Number of segments.
    pub count: u32,
    /// True if a poll at the same instant would find nothing more.
    pub ends: bool,
}

impl Run {
    /// A segment of which nothing follows.
    pub const fn one(first: Segment) -> Self {
        Self { first, count: 1, ends: false }
    }
}

#[allow(clippy::copy_iterator, reason = "the end of a run is read after its segments")]
impl Iterator for Run {
    type Item = Segment;

    #[inline]
    fn next(&mut self) -> Option<Segment> {
        self.count = self.count.checked_sub(1)?;
        let segment = self.first;
        self.first.seq = segment.seq.plus(u32::from(segment.len));
        Some(segment)
    }
}

impl Connection {
    /// True if a poll after [`handle`](airtcp_probe::Machine::handle) at the same time would find nothing and change nothing.
    #[inline]
    pub fn rests(&self) -> bool {
        self.is_silent() && self.sender.is_idle()
    }

    /// The next segments to send at `now`, at most `most`: those of as many polls.
    #[inline]
    pub fn poll_run<P: Probe>(&mut self, now: Nanos, most: u32, cx: &mut Cx<'_, P>) -> Option<Run> {
        self.now = self.now.max(now);
        if !self.is_silent() {
            return self.emit_run(now, most, cx);
        }
        if !self.sender.is_idle() {
            self.wait(now);
        }
        None
    }

    /// The next segments of a connection that has something to send. Apart, so that a poll that finds nothing is short.
    #[inline(never)]
    fn emit_run<P: Probe>(&mut self, now: Nanos, most: u32, cx: &mut Cx<'_, P>) -> Option<Run> {
        if !(self.predicts() && self.sends_plainly()) {
            return self.emit(now, cx).map(Run::one);
        }
        if most > 1
            && let Some(run) = self.emit_several(now, most, cx)
        {
            return Some(run);
        }
        match self.sender.next_plain(now, &mut env!(self)) {
            Plain::Segment(out) => {
                let segment = self.emit_plain(now, out, cx);
                self.record_window(now, cx);
                Some(Run::one(segment))
            }
            Plain::Held => None,
            Plain::Unknown => self.emit(now, cx).map(Run::one),
        }
    }

    /// Full segments with the header of the last one, if the sender knows how many of them leave now.
    #[inline]
    fn emit_several<P: Probe>(&mut self, now: Nanos, most: u32, cx: &mut Cx<'_, P>) -> Option<Run> {
        let mut first = self.template.of(self.sender.mss()).filter(|_| !self.ecn.cwr)?;
        let Departures { start, count, held } = self.sender.next_run(now, most, &mut env!(self))?;
        first.seq = Seq::wrap(self.iss, start);
        if self.timestamps.enabled {
            first.set_timestamps(self.timestamps.clock(now), self.timestamps.recent());
        }
        let run = Run { first, count, ends: held };
        self.stats.segments_sent += u64::from(count);
        self.stats.data_segments_sent += u64::from(count);
        self.stats.bytes_sent += u64::from(count) * u64::from(first.len);
        if P::ON {
            for segment in run {
                cx.record(now, || Event::SegmentSent { segment, retransmission: false });
            }
            self.record_window(now, cx);
        }
        Some(run)
    }
}
