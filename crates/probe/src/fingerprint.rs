//! One number for everything that happened, in order: two runs with the same fingerprint recorded
//! the same events.
//!
//! Every event is turned into 64-bit words (time, who, a fixed tag, its fields) that are folded
//! one after another with the multiply-and-shift finaliser of SplitMix64. Only integers take part
//! and every tag is written out, so the number is the same in every process, on every platform and
//! in debug and release builds. It changes when an event gains a field. Not cryptographic.
//!
//! Leaves out: packet handles, which say where a record lay in memory.

use std::fmt;

use airtcp_packet::{Kind, Segment};
use airtcp_units::Nanos;

use crate::air::{AirEvent, AirFrame, FrameLoss};
use crate::{Event, Probe, Who};

/// A running fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    state: u64,
    events: u64,
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// The fingerprint of nothing.
    pub const fn new() -> Self {
        Self { state: 0x6169_7274_6370_0001, events: 0 }
    }

    /// Folds in a word; the order matters.
    #[inline]
    pub const fn fold(&mut self, word: u64) {
        // The odd constants are those of SplitMix64; adding one keeps zeros from vanishing.
        let mut z = (self.state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.state = z ^ (z >> 31);
    }

    /// Folds in an event.
    pub fn event(&mut self, now: Nanos, who: Who, event: &Event) {
        self.events += 1;
        self.fold(now.0);
        self.fold(match who {
            Who::Endpoint(end) => end.index() as u64,
            Who::Link(n) => 1 << 40 | u64::from(n),
            Who::Queue(n) => 2 << 40 | u64::from(n),
            Who::Air(n) => 3 << 40 | u64::from(n),
        });
        match event {
            Event::SegmentSent { segment, retransmission } => {
                self.fold(1 << 8 | u64::from(*retransmission));
                self.segment(segment);
            }
            Event::SegmentReceived { segment } => {
                self.fold(2 << 8);
                self.segment(segment);
            }
            Event::Window { cwnd, ssthresh, pipe, peer_window } => {
                self.words(3, &[*cwnd, *ssthresh, *pipe, *peer_window]);
            }
            Event::Rtt { sample, srtt, rto } => self.words(4, &[sample.0, srtt.0, rto.0]),
            Event::Timeout { backoff } => self.words(5, &[u64::from(*backoff)]),
            Event::FastRetransmit => self.words(6, &[]),
            Event::Recovered => self.words(7, &[]),
            Event::Spurious => self.words(8, &[]),
            Event::Delivered { bytes } => self.words(9, &[*bytes]),
            Event::Enqueued { packets, bytes, .. } => {
                self.words(10, &[u64::from(*packets), *bytes]);
            }
            Event::Dequeued { packets, bytes, .. } => {
                self.words(11, &[u64::from(*packets), *bytes]);
            }
            Event::Marked { .. } => self.words(12, &[]),
            Event::TxStart { duration, .. } => self.words(13, &[duration.0]),
            Event::Arrived { .. } => self.words(14, &[]),
            Event::Dropped { reason, .. } => self.words(15, &[*reason as u64]),
            Event::Bandwidth { estimate } => self.words(16, &[estimate.bps()]),
            Event::LossJudged { number, packets, cause } => {
                self.words(17, &[*number, *packets, *cause as u64]);
            }
            Event::Coding { estimate_ppm, segment, data, parity } => {
                self.words(18, &[*estimate_ppm, *segment, *data, *parity].map(u64::from));
            }
            Event::Air(event) => self.air(event),
        }
    }

    fn air(&mut self, event: &AirEvent) {
        let loss = |loss: &Option<FrameLoss>| match loss {
            None => 0,
            Some(FrameLoss::TransmitterSide) => 1,
            Some(FrameLoss::Interferer) => 2,
            Some(FrameLoss::Noise) => 3,
            Some(FrameLoss::Collision(class)) => 16 + *class as u64,
            Some(FrameLoss::Captured(class)) => 32 + *class as u64,
        };
        match event {
            AirEvent::Sent { frame, loss: why } => {
                self.words(19, &[loss(why)]);
                self.frame(frame);
            }
            AirEvent::Heard { station, frame, signal_dbm, noise_dbm, whole } => {
                let (signal, noise) = (signal_dbm.to_bits(), noise_dbm.to_bits());
                self.words(20, &[u64::from(*station), signal, noise, u64::from(*whole)]);
                self.frame(frame);
            }
            AirEvent::BackedOff { station, category, from, until, slots, left } => {
                let who = u64::from(*station) << 8 | u64::from(*category);
                let slots = u64::from(*slots) << 32 | u64::from(*left);
                self.words(21, &[who, from.0, until.0, slots]);
            }
            AirEvent::Reserved { station, until } => {
                self.words(22, &[u64::from(*station), until.0]);
            }
        }
    }

    fn frame(&mut self, f: &AirFrame) {
        let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        let flags = u64::from(f.retry)
            | u64::from(f.more_fragments) << 1
            | u64::from(f.ofdm) << 2
            | u64::from(f.content.is_some()) << 3;
        let category = f.category.map_or(0, |c| u64::from(c) + 1);
        let number = u64::from(f.sequence) << 8 | u64::from(f.fragment);
        for word in [
            pair(f.from, f.to.unwrap_or(u32::MAX)),
            pair(f.bytes, f.attempt),
            number << 32 | category << 16 | (f.class as u64) << 8 | flags,
            f.rate.bps(),
            f.duration.0,
            f.started.0,
            f.body.0,
            f.ended.0,
        ] {
            self.fold(word);
        }
        if let Some((end, segment)) = &f.content {
            self.fold(end.index() as u64);
            self.segment(segment);
        }
    }

    fn words(&mut self, tag: u64, words: &[u64]) {
        self.fold(tag << 8);
        for word in words {
            self.fold(*word);
        }
    }

    fn segment(&mut self, s: &Segment) {
        let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        let bytes = |a: u8, b: u8, c: u8, d: u8| u32::from_be_bytes([a, b, c, d]);
        self.fold(pair(s.seq.0, s.ack.0));
        self.fold(pair(u32::from(s.len) << 16 | u32::from(s.window), u32::from(s.mss)));
        let present = u8::from(s.has_timestamps())
            | u8::from(s.sack_permitted()) << 1
            | u8::from(s.coding_permitted()) << 2;
        let blocks = s.sacks().len() as u8;
        let kind = match s.kind {
            Kind::Tcp => 0,
            Kind::Udp => 1,
            Kind::Coded => 2,
        };
        self.fold(pair(
            bytes(s.flags.0, s.window_scale, s.ecn.bits(), kind),
            bytes(present, blocks, 0, 0),
        ));
        if s.has_timestamps() {
            self.fold(pair(s.timestamps.0, s.timestamps.1));
        }
        for block in s.sacks() {
            self.fold(pair(block.start.0, block.end.0));
        }
        let (words, n) = s.words();
        for word in &words[..n] {
            self.fold(u64::from(*word));
        }
    }

    /// The fingerprint so far.
    pub const fn value(&self) -> u64 {
        self.state
    }

    /// Number of events folded in.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Sixteen hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.state)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.state)
    }
}

impl Probe for Fingerprint {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        self.event(now, who, event);
    }
    fn wants_air(&self, _now: Nanos) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
