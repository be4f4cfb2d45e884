//! Which frame an acknowledgement answers: the one before it, if it comes SIFS after its end.
//!
//! TSFT is the time of the first bit of the MPDU (radiotap.org). Some drivers stamp the start or the end of
//! the PPDU instead. Then the interval to an acknowledgement differs by the preamble of the frame or by its
//! length:
//!
//! | stamps of | interval from frame to acknowledgement |
//! |---|---|
//! | the first bit of the MPDU | body + SIFS + preamble of the acknowledgement |
//! | the start of the PPDU | preamble + body + SIFS |
//! | the end of the PPDU | SIFS + acknowledgement |
//!
//! An acknowledgement that comes up to the longest of these and a tolerance later answers the frame: a
//! retry that was not captured would come later by its own length. If most acknowledgements directly
//! behind a frame to their receiver come at other times, the stamps are of an unknown place. Then an
//! acknowledgement answers the frame before it, whatever the time.

use std::collections::BTreeMap;

use airtcp_wire::ieee80211::Mac;
use airtcp_wire::radio::{Place, Radio};

use super::airtime::Airtime;
use super::clock::{Elapsed, Instant};
use super::link::FlowKey;
use super::links::Ends;
use super::resolution::Resolution;

/// Longest short interframe space, in ns.
const SIFS_NS: u64 = 16_000;
/// How much later than computed an acknowledgement may appear by the radio's clock.
const RADIO_TOLERANCE_NS: u64 = 20_000;
/// The same by the host's clock, whose interrupts are late.
const HOST_TOLERANCE_NS: u64 = 400_000;
/// An acknowledgement that is later than that by up to this time, by the host's clock, may answer the
/// frame or a retry that was not captured. It is left out.
const HOST_DOUBT_NS: u64 = 2_000_000;
/// Longest time to an acknowledgement if the rate is not known.
const UNKNOWN_RATE_NS: u64 = 1_000_000;
/// Acknowledgements directly behind a frame below which their times are believed.
const FEW: u64 = 4;
/// How near an interval is to that of a place.
const NEAR_NS: u64 = 6_000;
/// Intervals below which the place of the stamps is not named.
const FEW_PLACED: u64 = 8;
/// A millisecond.
const MS_NS: u64 = 1_000_000;
/// Interfaces of which the last frame and the clocks are remembered.
const MAX_INTERFACES: usize = 256;

/// The last frame of an interface, which the next acknowledgement may answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub(super) transmitter: Mac,
    pub(super) at: Instant,
    pub(super) airtime: Option<Airtime>,
    /// It is part of an A-MPDU.
    pub(super) is_aggregated: bool,
    /// The packet, if it is data: link, flow, number.
    pub(super) packet: Option<(Ends, FlowKey, u64)>,
}

/// Whether an acknowledgement answers the frame before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    Doubtful,
    No,
}

/// What the stamps of a capture are, as an earlier reading has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamps {
    /// What the radio stamps.
    pub place: Place,
    /// The times do not tell which frame an acknowledgement answers; the order does.
    pub by_order: bool,
}

/// The clocks of an interface.
#[derive(Debug, Clone, Copy, Default)]
struct Clocks {
    radio: Resolution,
    host: Resolution,
    /// The radio's header says that its clock counts milliseconds.
    counts_ms: bool,
}

impl Clocks {
    /// True if the radio has a clock.
    const fn has_radio(&self) -> bool {
        self.counts_ms || self.radio.has_stamps()
    }

    /// The steps of the radio's clock, and of the host's, where they are longer than SIFS.
    const fn steps_ns(&self) -> (u64, u64) {
        let radio_ns = if self.counts_ms { MS_NS } else { self.radio.coarse_ns() };
        (radio_ns, self.host.coarse_ns())
    }

    /// True if the radio's clock orders frames: not if the host's has shorter steps.
    const fn prefers_radio(&self) -> bool {
        let (radio_ns, host_ns) = self.steps_ns();
        !self.counts_ms && (radio_ns == 0 || radio_ns < host_ns)
    }
}

/// What is known of answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    last: BTreeMap<u32, Last>,
    clocks: BTreeMap<u32, Clocks>,
    /// What an earlier reading has shown.
    given: Stamps,
    /// What the radio's header says that it stamps, if it is not the first bit of the MPDU.
    told: Place,
    /// Acknowledgements directly behind a frame to their receiver, and those at the right time.
    direct: u64,
    in_time: u64,
    /// Intervals by the radio's clock; those near that of a place (MPDU, start, end), and near that of this
    /// one only.
    intervals: u64,
    near: [u64; 3],
    only: [u64; 3],
}

impl Answers {
    /// Takes over what an earlier reading has shown.
    pub(super) fn give(&mut self, stamps: Stamps) {
        self.given = stamps;
    }

    /// What the stamps are, as far as it is known.
    pub(super) fn stamps(&self) -> Stamps {
        if self.given != Stamps::default() {
            return self.given;
        }
        let by_order = self.is_out_of_time();
        Stamps { place: if by_order { Place::Mpdu } else { self.place() }, by_order }
    }

    /// True if the times of most acknowledgements are those of no place.
    const fn is_out_of_time(&self) -> bool {
        self.direct >= FEW && self.in_time * 2 < self.direct
    }

    /// The place that four of five intervals are near, if enough of them are near no other.
    fn place(&self) -> Place {
        [(Place::Start, 1), (Place::End, 2)]
            .into_iter()
            .find(|(_, n)| self.only[*n] >= FEW_PLACED && self.near[*n] * 5 >= self.intervals * 4)
            .filter(|(_, n)| self.only[0] * 5 <= self.only[*n])
            .map_or(Place::Mpdu, |(place, _)| place)
    }

    /// Notes for the reader of the numbers.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let stamps = self.stamps();
        if stamps.by_order {
            notes.push(format!(
                "{} of {} MAC ACKs are not where SIFS puts them: the radio stamps an unknown place. A MAC \
                 ACK answers the frame before it, whatever the time; latencies are inexact",
                self.direct - self.in_time,
                self.direct
            ));
        }
        let place = if stamps.place == Place::Mpdu { self.told } else { stamps.place };
        match place {
            Place::Mpdu => {}
            Place::Start => notes.push(
                "the radio stamps the start of the PPDU, not the first bit of the MPDU: times are \
                 corrected for the preamble"
                    .to_owned(),
            ),
            Place::End => notes.push(
                "the radio stamps the end of the PPDU, not the first bit of the MPDU: times are \
                 corrected for the length of the frame"
                    .to_owned(),
            ),
        }
        notes.extend(self.note_on_steps());
        notes
    }

    /// A note on clocks whose steps are longer than SIFS.
    fn note_on_steps(&self) -> Option<String> {
        if self.direct == 0 {
            return None;
        }
        let ms = |ns: u64| ns as f64 / MS_NS as f64;
        let all = self.clocks.values().map(|clocks| (clocks.prefers_radio(), clocks.steps_ns()));
        let (prefers_radio, (radio_ns, host_ns)) =
            all.max_by_key(|(_, (radio, host))| *radio.max(host))?;
        let has_radio = self.clocks.values().any(Clocks::has_radio);
        let used_ns = if prefers_radio && has_radio { radio_ns } else { host_ns };
        match (used_ns, radio_ns) {
            (u64::MAX, _) => Some(
                "the packets have no times: a MAC ACK answers the frame before it, and there are no \
                 latencies"
                    .to_owned(),
            ),
            (0, ns) if has_radio && ns > 0 => Some(format!(
                "the radio's clock has steps of {} ms, longer than SIFS: the clock of the host \
                 tells which frame a MAC ACK answers",
                ms(ns)
            )),
            (0, _) => None,
            (ns, _) => Some(format!(
                "the clock has steps of {} ms, longer than SIFS: a MAC ACK answers the frame \
                 before it, and there are no latencies",
                ms(ns)
            )),
        }
    }

    /// The time of a frame. A clock of the radio whose steps are longer than SIFS gives way to that of the
    /// host if that one's are shorter.
    pub(super) fn instant(
        &mut self,
        host_ns: u64,
        interface: u32,
        radio: &Radio,
        airtime: Option<Airtime>,
    ) -> Instant {
        let mut clocks = self.clocks.get(&interface).copied().unwrap_or_default();
        clocks.host.add(host_ns);
        clocks.counts_ms |= radio.counts_ms;
        if let Some(us) = radio.tsft_us {
            clocks.radio.add(us.saturating_mul(1000));
        }
        if self.clocks.len() < MAX_INTERFACES || self.clocks.contains_key(&interface) {
            self.clocks.insert(interface, clocks);
        }
        let (radio_ns, host_ns_steps) = clocks.steps_ns();
        let tsft_us = radio.tsft_us.filter(|_| clocks.prefers_radio());
        let steps_ns = if tsft_us.is_some() { radio_ns } else { host_ns_steps };
        let tsft_us = tsft_us.map(|us| self.corrected(us, radio, airtime));
        Instant { host_ns, tsft_us, interface, steps_ns }
    }

    /// The time of the first bit of the MPDU.
    fn corrected(&mut self, us: u64, radio: &Radio, airtime: Option<Airtime>) -> u64 {
        if radio.place != Place::Mpdu {
            self.told = radio.place;
        }
        let place = if self.given.place == Place::Mpdu { radio.place } else { self.given.place };
        let Some(time) = airtime else { return us };
        match place {
            Place::Mpdu => us,
            Place::Start => us.saturating_add(time.preamble_ns / 1000),
            // All frames of an A-MPDU have one end.
            Place::End if radio.ampdu.is_some() => us,
            Place::End => us.saturating_sub(time.body_ns / 1000),
        }
    }

    /// The next acknowledgement to this frame's transmitter may answer it.
    pub(super) fn remember(&mut self, last: Last) {
        let interface = last.at.interface;
        if self.last.len() < MAX_INTERFACES || self.last.contains_key(&interface) {
            self.last.insert(interface, last);
        }
    }

    /// What follows answers no frame before it.
    pub(super) fn forget(&mut self, interface: u32) {
        self.last.remove(&interface);
    }

    /// The frame before an acknowledgement to this station, and whether it is answered.
    pub(super) fn of(
        &mut self,
        to: Mac,
        at: &Instant,
        airtime: Option<Airtime>,
    ) -> Option<(Last, Answer)> {
        let last = self.last.get(&at.interface).copied().filter(|last| last.transmitter == to)?;
        let elapsed = at.since(&last.at);
        let in_time = in_time(&last, airtime, &elapsed);
        self.direct += 1;
        self.in_time += u64::from(in_time == Answer::Yes);
        if in_time == Answer::Yes && elapsed.by_radio && elapsed.steps_ns == 0 {
            self.compare(&last, airtime, elapsed.ns);
        }
        let by_order = self.given.by_order || self.is_out_of_time();
        Some((last, if by_order { Answer::Yes } else { in_time }))
    }

    /// Counts the place whose interval this one is near, if it tells.
    fn compare(&mut self, last: &Last, answer: Option<Airtime>, ns: u64) {
        let (Some(frame), Some(answer)) = (last.airtime, answer) else { return };
        if self.given.place != Place::Mpdu || last.is_aggregated {
            return;
        }
        let intervals = [
            frame.body_ns + SIFS_NS + answer.preamble_ns,
            frame.preamble_ns + frame.body_ns + SIFS_NS,
            SIFS_NS + answer.all_ns(),
        ];
        let is_near = intervals.map(|interval| ns.abs_diff(interval) <= NEAR_NS);
        self.intervals += 1;
        for (place, near) in is_near.into_iter().enumerate() {
            self.near[place] += u64::from(near);
            let is_only = near && is_near.iter().filter(|near| **near).count() == 1;
            self.only[place] += u64::from(is_only);
        }
    }
}

/// Whether an acknowledgement comes in time.
fn in_time(last: &Last, answer: Option<Airtime>, elapsed: &Elapsed) -> Answer {
    let (limit, doubt) = match (last.airtime, answer) {
        (Some(frame), Some(answer)) => {
            let time = frame.all_ns() + frame.extension_ns + SIFS_NS + answer.all_ns();
            if elapsed.by_radio {
                (time + RADIO_TOLERANCE_NS, 0)
            } else {
                (time + HOST_TOLERANCE_NS, HOST_DOUBT_NS)
            }
        }
        _ => (UNKNOWN_RATE_NS, HOST_DOUBT_NS),
    };
    // The steps of a clock can make an interval appear longer by one of them.
    match elapsed.ns.saturating_sub(elapsed.steps_ns) {
        ns if ns <= limit => Answer::Yes,
        ns if ns <= limit + doubt => Answer::Doubtful,
        _ => Answer::No,
    }
}
