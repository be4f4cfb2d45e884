//! The receiving half: reassembly, window, and the content of the next acknowledgement.
//!
//! RFC 9293 section 3.10.7.4 (seventh), window management section 3.8.6.2.2, RFC 7323 window
//! scaling. Offsets in bytes from the peer's ISN: its SYN is at 0, its first byte at 1.

use airtcp_packet::{SackBlock, Segment, Seq};
use airtcp_units::{Nanos, Narrow, Span};

use super::ack_policy::{AckPolicy, Owed};
use super::config::{Reassembly as Policy, TcpConfig};
use super::misbehaviour::Misbehaving;
use super::reassembly::{Inserted, Reassembly};
use super::right_sizing::RightSizing;
use super::stats::TcpStats;
use super::timers::Timers;

/// The receiving half of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Receiver {
    pub(crate) irs: Seq,
    pub(crate) next: u64,
    /// Right edge of the window as advertised; it never moves left.
    edge: u64,
    ranges: Reassembly,
    /// Offset of the peer's FIN, once seen.
    fin_at: Option<u64>,
    /// Payload in order.
    in_order: u64,
    /// Payload read by the application.
    read: u64,
    auto_read: bool,
    buffer: u64,
    /// The window, if it grows with what the application reads.
    sizing: Option<Box<RightSizing>>,
    /// Scale of the windows we advertise.
    shift: u8,
    /// Payload per segment of the peer, for the avoidance of silly windows.
    mss: u64,
    /// SACK blocks may be sent.
    pub(crate) sack: bool,
    /// A duplicate to report in the next ACK.
    duplicate: Option<(u64, u64)>,
    misbehaving: Option<Box<Misbehaving>>,
    pub(crate) acks: AckPolicy,
}

impl Receiver {
    pub(crate) fn new(config: &TcpConfig) -> Self {
        let (buffer, mss) = (config.receive_buffer.0, u64::from(config.mss));
        let start = config.receive_buffer_start.map(|start| start.0);
        Self {
            irs: Seq(0),
            next: 0,
            edge: 0,
            ranges: Reassembly::default(),
            fin_at: None,
            in_order: 0,
            read: 0,
            auto_read: true,
            buffer,
            sizing: start.map(|start| Box::new(RightSizing::new(start, buffer, mss))),
            shift: 0,
            mss,
            sack: false,
            duplicate: None,
            misbehaving: Misbehaving::new(config.misbehaviour, mss),
            acks: AckPolicy::new(config.quick_acks),
        }
    }

    /// The scale to offer: the smallest that lets the window field hold the buffer.
    pub(crate) fn scale_for(buffer: u64) -> u8 {
        (0..14).find(|&s| buffer >> s <= 0xffff).unwrap_or(14)
    }

    /// The peer's SYN arrived. Our own SYN offers it the unscaled window.
    pub(crate) fn on_syn(&mut self, irs: Seq) {
        self.irs = irs;
        self.next = 1;
        self.edge = 1 + self.buffer.min(0xffff);
    }

    /// Both SYNs are settled: the scale in force.
    pub(crate) const fn set_shift(&mut self, shift: u8) {
        self.shift = shift;
    }

    pub(crate) const fn set_auto_read(&mut self, on: bool) {
        self.auto_read = on;
        if on {
            self.read = self.in_order;
        }
    }

    /// Payload in order that the application has not read.
    pub(crate) const fn readable(&self) -> u64 {
        self.in_order - self.read
    }

    /// Payload handed to the application.
    pub(crate) const fn delivered(&self) -> u64 {
        self.read
    }

    /// The peer's FIN has been reached.
    #[inline]
    pub(crate) fn peer_closed(&self) -> bool {
        self.fin_at.is_some_and(|at| at < self.next)
    }

    /// True if data wait behind a gap.
    pub(crate) fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// True if its acknowledgements say what has arrived.
    #[inline]
    pub(crate) const fn is_honest(&self) -> bool {
        self.misbehaving.is_none()
    }

    /// True if some of the window is open.
    pub(crate) const fn window_is_open(&self) -> bool {
        self.edge > self.next
    }

    /// Right edge of the advertised window.
    pub(crate) const fn edge(&self) -> u64 {
        self.edge
    }

    /// The application reads up to `max` bytes. The second value is true if the window opens enough
    /// for a window update.
    pub(crate) fn read(&mut self, now: Nanos, max: u64) -> (u64, bool) {
        let n = max.min(self.readable());
        self.read += n;
        self.on_read(now);
        let gain = self.open_to().saturating_sub(self.edge);
        // Two segments or half the buffer justify a window update. If the peer cannot send a whole
        // segment, one segment does.
        let stuck = self.edge - self.next < self.mss;
        let worth = if stuck { self.mss } else { 2 * self.mss };
        (n, n > 0 && gain >= worth.min(self.buffer / 2).max(1))
    }

    /// The right edge that the buffer would allow.
    fn open_to(&self) -> u64 {
        let window = self.sizing.as_ref().map_or(self.buffer, |sizing| sizing.window());
        self.next + window.saturating_sub(self.readable())
    }

    /// The window field of a segment that leaves now. Silly-window avoidance (RFC 9293
    /// section 3.8.6.2.2): the edge moves by at least a segment or half the buffer.
    pub(crate) fn advertise(&mut self, syn: bool) -> u16 {
        let open_to = self.open_to();
        let step = self.mss.min(self.buffer / 2).max(1);
        let target = if open_to >= self.edge + step { open_to } else { self.edge };
        // RFC 7323 section 2.2: the window of a SYN is never scaled.
        let shift = if syn { 0 } else { self.shift };
        let field = ((target - self.next) >> shift).min(0xffff);
        self.edge = self.edge.max(self.next + (field << shift));
        field as u16
    }

    /// Takes `len` bytes at `start`, and a FIN after them. The segment lies at least partly in the
    /// window. Returns the number of bytes that became deliverable.
    pub(crate) fn on_data(
        &mut self,
        now: Nanos,
        (start, len, fin): (u64, u64, bool),
        config: &TcpConfig,
        timers: &mut Timers,
        stats: &mut TcpStats,
    ) -> u64 {
        // Drops everything after a FIN or beyond the window.
        let limit = self.fin_at.unwrap_or(u64::MAX).min(self.edge);
        let data_end = (start + len).min(limit);
        let fin = fin && data_end == start + len && data_end < self.edge;
        let end = data_end + u64::from(fin);
        if end <= self.next || end <= start {
            self.note_duplicate(start, data_end.min(self.next), config, stats);
            self.acks.at_once(Owed::PureAck);
            return 0;
        }
        let mut hidden = 0;
        if start > self.next {
            if !self.misbehaving.as_ref().is_some_and(|m| m.hides_gaps()) {
                self.on_gap(start, end, fin, config, stats);
                return 0;
            }
            hidden = start - self.next;
        }
        if let Some(misbehaving) = &mut self.misbehaving {
            misbehaving.on_progress();
        }
        self.note_duplicate(start, self.next, config, stats);
        let before = self.next;
        if fin && self.fin_at.is_none() {
            self.fin_at = Some(data_end);
        }
        if let Some(sizing) = &mut self.sizing
            && sizing.on_segment(len)
        {
            self.acks.on_growth();
        }
        self.next = end;
        let had_gap = !self.ranges.is_empty();
        if had_gap {
            if let Some((s, e)) = self.ranges.containing(end - 1) {
                self.note_duplicate(s.max(before), e.min(end), config, stats);
            }
            self.next = self.ranges.advance(end);
        }
        if had_gap || self.peer_closed() {
            self.acks.at_once(Owed::Now);
        } else {
            self.acks.on_in_order(now, config, timers);
        }
        let fin_octet = u64::from(self.fin_at.is_some_and(|at| (before..self.next).contains(&at)));
        let payload = self.next - before - hidden - fin_octet;
        self.in_order += payload;
        if self.auto_read {
            self.read = self.in_order;
            self.on_read(now);
        }
        payload
    }

    /// True if the next `len` bytes only move the window: they lie in it, nothing waits behind a gap, the peer has not
    /// closed, and the application reads at once.
    #[inline]
    pub(crate) fn only_moves(&self, len: u64) -> bool {
        self.next + len <= self.edge
            && self.ranges.is_empty()
            && self.fin_at.is_none()
            && self.auto_read
            && self.misbehaving.is_none()
    }

    /// Takes the next `len` bytes, as [`on_data`](Self::on_data) does, if they [only move the window](Self::only_moves).
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a segment, by one caller")]
    pub(crate) fn take_next(
        &mut self,
        now: Nanos,
        len: u64,
        config: &TcpConfig,
        timers: &mut Timers,
    ) {
        if let Some(sizing) = &mut self.sizing
            && sizing.on_segment(len)
        {
            self.acks.on_growth();
        }
        self.next += len;
        self.acks.on_in_order(now, config, timers);
        self.in_order += len;
        self.read = self.in_order;
        if let Some(sizing) = &mut self.sizing {
            sizing.on_read(now, self.read, 0);
        }
    }

    fn on_read(&mut self, now: Nanos) {
        if let Some(sizing) = &mut self.sizing {
            let beyond = self.ranges.end().map_or(0, |end| end - self.next);
            sizing.on_read(now, self.read, beyond);
        }
    }

    /// True if the window grows with what the application reads.
    pub(crate) const fn grows(&self) -> bool {
        self.sizing.is_some()
    }

    /// A data segment of `len` bytes arrived; the echo of its timestamp gives this round-trip time.
    #[inline]
    pub(crate) fn measure(&mut self, now: Nanos, echo: Option<(u32, Span)>, len: u64) {
        if let Some(sizing) = &mut self.sizing {
            match echo {
                Some((echo, rtt)) => sizing.on_echo(echo, rtt, len),
                None => sizing.on_progress(now, self.next),
            }
        }
    }

    /// Data beyond the next expected byte: buffers or drops it, and answers with a duplicate ACK.
    fn on_gap(
        &mut self,
        start: u64,
        end: u64,
        fin: bool,
        config: &TcpConfig,
        stats: &mut TcpStats,
    ) {
        self.acks.at_once(Owed::PureAck);
        if config.reassembly == Policy::GoBackN {
            return;
        }
        match self.ranges.insert(start, end) {
            Inserted::New(overlap) => {
                if let Some(sizing) = &mut self.sizing {
                    sizing.on_segment(end - start);
                    sizing.on_gap(end - self.next);
                }
                if let Some((s, e)) = overlap {
                    self.note_duplicate(s, e, config, stats);
                }
                if fin && self.fin_at.is_none() {
                    self.fin_at = Some(end - 1);
                }
            }
            Inserted::Duplicate => self.note_duplicate(start, end, config, stats),
            Inserted::Refused => stats.segments_refused += 1,
        }
    }

    /// Notes that `start..end` was a duplicate (RFC 2883 section 4).
    pub(crate) fn note_duplicate(
        &mut self,
        start: u64,
        end: u64,
        config: &TcpConfig,
        stats: &mut TcpStats,
    ) {
        if start >= end {
            return;
        }
        stats.bytes_duplicate += end - start;
        // RFC 2883 section 4.2.2: of several duplicates in one segment the first is reported.
        if self.sack && config.dsack && self.duplicate.is_none() {
            self.duplicate = Some((start, end));
        }
    }

    /// The offset that the next segment acknowledges; `pure` if it carries no data.
    #[inline]
    pub(crate) fn acknowledged(&mut self, pure: bool) -> u64 {
        match &mut self.misbehaving {
            None => self.next,
            Some(misbehaving) => {
                let (ack, more) = misbehaving.next_ack(self.next, pure);
                self.acks.set_parts(more);
                ack
            }
        }
    }

    /// True if the next ACK has SACK blocks.
    #[inline]
    pub(crate) fn has_sacks(&self) -> bool {
        self.sack && (!self.ranges.is_empty() || self.duplicate.is_some())
    }

    /// Bytes of SACK option that a segment would carry now.
    #[inline]
    pub(crate) fn sack_option_len(&self, timestamps: bool) -> u32 {
        if self.has_sacks() { self.blocks_len(timestamps) } else { 0 }
    }

    fn blocks_len(&self, timestamps: bool) -> u32 {
        let room = if timestamps { 3 } else { 4 };
        let blocks = self.ranges.blocks(room).count() + usize::from(self.duplicate.is_some());
        4 + 8 * u32::narrow(blocks.min(room))
    }

    /// Adds the SACK blocks that fit into `room` bytes of options.
    #[inline]
    pub(crate) fn add_sacks(&mut self, segment: &mut Segment, room: u32) {
        if self.has_sacks() {
            self.add_blocks(segment, room);
        }
    }

    fn add_blocks(&mut self, segment: &mut Segment, room: u32) {
        let most = (room.saturating_sub(4) / 8) as usize;
        let irs = self.irs;
        let block =
            |(s, e): (u64, u64)| SackBlock { start: Seq::wrap(irs, s), end: Seq::wrap(irs, e) };
        let duplicate = if most > 0 { self.duplicate.take() } else { None };
        let mut left = most;
        // RFC 2883 section 4: the duplicate first, then, if it lies in one, the block that holds
        // it, then the others.
        for pair in duplicate.into_iter().chain(self.ranges.blocks(4)).take(most) {
            if left == 0 || !segment.push_sack(block(pair)) {
                break;
            }
            left -= 1;
        }
    }
}
