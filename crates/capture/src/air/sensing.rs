//! Hidden stations: frames that begin although carrier sensing forbids it.
//!
//! A station that hears a frame waits for its end, and then longer than the acknowledgement does: at
//! least PIFS, a slot more than SIFS (IEEE 802.11-2020 section 10.3.2.3). Only in the first slot of a
//! frame another station may begin too. A frame that begins later than that within another station's
//! frame (an overlap), or after its end but before PIFS (an early start), is of a station that did not
//! hear the other. Answers to the frame are excepted: they are the receiver's.
//!
//! A radio that receives one frame hardly captures another that begins within it. The counts are
//! therefore lower bounds. Several radios that captured the same frames have a common clock
//! (`shared_clock`).
//!
//! Times must be exact within half a slot. The acknowledgements show whether they are: they follow
//! frames in SIFS.

use std::collections::{BTreeMap, VecDeque};

use airtcp_wire::ieee80211::{Kind, Mac, Repr};
use airtcp_wire::radio::{Phy, Radio};

use super::airtime::Airtime;
use super::clock::Instant;
use super::shared_clock::SharedClock;

/// Time after the start of a frame in which another station cannot know of it: the longest slot, and
/// the resolution of two timestamps.
const UNAWARE_NS: i64 = 22_000;
/// Frames of the last while are compared, and acknowledgements awaited.
const RECENT_NS: i64 = 20_000_000;
const MAX_RECENT: usize = 24;
/// The same frame at two radios starts at the same time within this.
const SAME_NS: i64 = 6_000;
/// Stations and pairs that are counted.
const MAX_STATIONS: usize = 4096;
const MAX_PAIRS: usize = 16_384;
/// Gaps up to this many µs are counted one by one.
pub(super) const GAPS: usize = 64;

/// Gaps after the end of a frame, by whole µs.
pub(super) type Gaps = [u64; GAPS];

/// A frame on the air.
#[derive(Debug, Clone)]
struct OnAir {
    interface: u32,
    from: Mac,
    to: Mac,
    start_ns: i64,
    end_ns: i64,
    /// It is data that is to be acknowledged.
    is_attempt: bool,
    is_answered: bool,
    /// Stations whose frames overlap it.
    overlapped_by: Vec<Mac>,
}

/// Attempts, and those without acknowledgement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Losses {
    pub(super) attempts: u64,
    pub(super) lost: u64,
}

impl Losses {
    fn add(&mut self, is_lost: bool) {
        self.attempts += 1;
        self.lost += u64::from(is_lost);
    }
}

/// Two stations, the one with the lower address first.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// Frames of one that followed the last frame of the other.
    pub(super) met: u64,
    /// Frames that began within a frame of the other.
    pub(super) overlaps: u64,
    /// Frames that began after a frame of the other, by the time since its end.
    pub(super) gaps: Gaps,
    /// Attempts of each that a frame of the other overlaps.
    pub(super) overlapped: [Losses; 2],
}

impl Default for Pair {
    fn default() -> Self {
        Self { met: 0, overlaps: 0, gaps: [0; GAPS], overlapped: Default::default() }
    }
}

/// What is counted of carrier sensing.
#[derive(Debug, Clone)]
pub(super) struct Sensing {
    clock: SharedClock,
    recent: VecDeque<OnAir>,
    /// Attempts of each station.
    pub(super) stations: BTreeMap<Mac, Losses>,
    pub(super) pairs: BTreeMap<(Mac, Mac), Pair>,
    /// From the end of a frame to its acknowledgement.
    pub(super) answers: Gaps,
    /// Acknowledgements that follow a frame of their receiver later than that.
    pub(super) late_answers: u64,
}

impl Default for Sensing {
    fn default() -> Self {
        Self {
            clock: SharedClock::default(),
            recent: VecDeque::new(),
            stations: BTreeMap::new(),
            pairs: BTreeMap::new(),
            answers: [0; GAPS],
            late_answers: 0,
        }
    }
}

/// A frame as the sniffer has read it.
pub(super) struct Heard<'a> {
    pub(super) header: &'a Repr,
    pub(super) radio: &'a Radio,
    pub(super) at: &'a Instant,
    pub(super) airtime: Option<Airtime>,
}

impl Sensing {
    /// Takes a frame. Frames without exact duration are left out: those of unknown rate, of A-MPDUs, and
    /// of 802.11n and later, whose preambles depend on what the radio header lacks.
    pub(super) fn on_frame(&mut self, heard: &Heard<'_>) {
        let Heard { header, radio, at, airtime } = heard;
        let is_first = header.kind == Kind::Data && !header.retry && !radio.bad_fcs;
        let first = header.transmitter.zip(header.sequence).filter(|_| is_first);
        let first = first.map(|(from, number)| (from, number, header.fragment));
        let Some(stamp_ns) = self.clock.common_ns(at, first) else { return };
        let is_exact = matches!(radio.phy, Phy::Dsss | Phy::Ofdm) && radio.ampdu.is_none();
        let Some(airtime) = airtime.filter(|_| is_exact) else { return };
        let (Ok(before), Ok(after)) =
            (i64::try_from(airtime.preamble_ns), i64::try_from(airtime.body_ns))
        else {
            return;
        };
        let (start_ns, end_ns) = (stamp_ns.saturating_sub(before), stamp_ns.saturating_add(after));
        match (header.kind, header.transmitter) {
            (Kind::Ack, _) if !radio.bad_fcs => self.on_ack(header.receiver, start_ns),
            (Kind::Data | Kind::NullData | Kind::Management(_) | Kind::Rts, Some(from))
                if !header.receiver.is_group() && self.is_known(from, radio.bad_fcs) =>
            {
                let frame = OnAir {
                    interface: at.interface,
                    from,
                    to: header.receiver,
                    start_ns,
                    end_ns,
                    is_attempt: header.kind == Kind::Data && !header.no_ack(),
                    is_answered: false,
                    overlapped_by: Vec::new(),
                };
                self.take(frame);
            }
            _ => {}
        }
    }

    /// True for a station that sent an undamaged frame, now or before.
    fn is_known(&mut self, from: Mac, is_damaged: bool) -> bool {
        if self.stations.contains_key(&from) {
            return true;
        }
        let is_new = !is_damaged && self.stations.len() < MAX_STATIONS;
        if is_new {
            self.stations.insert(from, Losses::default());
        }
        is_new
    }

    /// An acknowledgement answers the last frame of its receiver.
    fn on_ack(&mut self, to: Mac, start_ns: i64) {
        let is_it = |frame: &&mut OnAir| frame.from == to && frame.end_ns <= start_ns;
        let Some(frame) = self.recent.iter_mut().rev().find(is_it) else { return };
        let gap = usize::try_from((start_ns - frame.end_ns) / 1000).unwrap_or(GAPS);
        match self.answers.get_mut(gap) {
            // A second radio may capture the acknowledgement too.
            Some(count) if !frame.is_answered => {
                *count += 1;
                frame.is_answered = true;
            }
            _ => self.late_answers += u64::from(!frame.is_answered),
        }
    }

    /// Compares a frame with those before it.
    fn take(&mut self, mut frame: OnAir) {
        while self.recent.len() >= MAX_RECENT
            || self.recent.front().is_some_and(|old| {
                frame.start_ns.saturating_sub(old.end_ns).saturating_abs() > RECENT_NS
            })
        {
            self.retire();
        }
        let is_copy = |other: &OnAir| {
            other.interface != frame.interface
                && other.from == frame.from
                && (other.start_ns - frame.start_ns).abs() <= SAME_NS
        };
        if self.recent.iter().any(is_copy) {
            return;
        }
        let mut met: Vec<Mac> = Vec::new();
        let mut recent = std::mem::take(&mut self.recent);
        let from = frame.from;
        for other in recent.iter_mut().rev().filter(|other| other.from != from) {
            let is_last = !met.contains(&other.from);
            if is_last {
                met.push(other.from);
            }
            self.compare(&mut frame, other, is_last);
        }
        recent.push_back(frame);
        self.recent = recent;
    }

    /// Counts what two frames say of their stations. `is_last` if no frame of the same station is between.
    fn compare(&mut self, frame: &mut OnAir, other: &mut OnAir, is_last: bool) {
        let ends = (frame.from.min(other.from), frame.from.max(other.from));
        let is_full = self.pairs.len() >= MAX_PAIRS;
        if is_full && !self.pairs.contains_key(&ends) {
            return;
        }
        let pair = self.pairs.entry(ends).or_default();
        pair.met += u64::from(is_last);
        let is_later = frame.start_ns >= other.start_ns;
        let (first, second) = if is_later { (other, frame) } else { (frame, other) };
        let is_answer = second.from == first.to;
        if is_answer || second.start_ns - first.start_ns <= UNAWARE_NS {
            return;
        }
        if second.start_ns < first.end_ns {
            pair.overlaps += 1;
            first.overlapped_by.push(second.from);
            second.overlapped_by.push(first.from);
        } else if let Ok(gap) = usize::try_from((second.start_ns - first.end_ns) / 1000)
            && let Some(count) = pair.gaps.get_mut(gap).filter(|_| is_last)
        {
            *count += 1;
        }
    }

    /// Counts the oldest frame, whose fate is known.
    fn retire(&mut self) {
        let Some(frame) = self.recent.pop_front().filter(|frame| frame.is_attempt) else { return };
        let is_lost = !frame.is_answered;
        self.stations.entry(frame.from).or_default().add(is_lost);
        let mut by = frame.overlapped_by;
        by.sort_unstable();
        by.dedup();
        for other in by {
            let ends = (frame.from.min(other), frame.from.max(other));
            if let Some(pair) = self.pairs.get_mut(&ends) {
                pair.overlapped[usize::from(frame.from != ends.0)].add(is_lost);
            }
        }
    }

    /// Counts the frames that are left.
    pub(super) fn finish(&mut self) {
        while !self.recent.is_empty() {
            self.retire();
        }
    }
}
