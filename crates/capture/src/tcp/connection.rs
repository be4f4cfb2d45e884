//! A connection: its two ends, its handshake, its two directions, and where the capture was taken.

mod waiting;

use super::accecn::AccEcn;
use super::causality::Causality;
use super::copies::{AckCopy, Acks, CopyCounts, MANY_COPIES};
use super::direction::{Direction, Path};
use super::log::Budget;
use super::sequence::later;
use super::vantage::{CLIENT, SERVER, Vantage};
use crate::dissect::{Endpoint, Flags, Segment};

/// What one end has shown.
#[derive(Debug, Clone, Default)]
pub(super) struct End {
    pub(super) endpoint: Endpoint,
    /// Options of its SYN.
    pub(super) mss: Option<u16>,
    pub(super) window_scale: Option<u8>,
    pub(super) sack_permitted: bool,
    pub(super) timestamps: bool,
    pub(super) syn_ns: Option<u64>,
    syn_sequence: u32,
    /// True if it sent a SYN with an ACK.
    answered: bool,
    /// Least time from the capture to this end and back.
    pub(super) half_ns: Option<u64>,
    /// A timestamp of the other end that this one has not echoed yet, and when it was seen.
    awaited: Option<(u32, u64)>,
    last_stamp: Option<u32>,
    acks: Acks,
    pub(super) fin: bool,
    pub(super) reset: bool,
    /// ECN: packets with congestion experienced, and ACKs with the echo of RFC 3168.
    pub(super) marked: u64,
    pub(super) echoes: u64,
}

/// Mean time from a segment to its copy above which the copy is from another point of the path.
const MERGED_GAP_NS: u64 = 500_000;

/// A connection.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    /// Client, then server.
    pub(super) ends: [End; 2],
    /// Data of the client, then of the server.
    pub(super) directions: [Direction; 2],
    pub(super) start_ns: u64,
    pub(super) last_ns: u64,
    /// Time from the SYN to the third step of the handshake.
    pub(super) handshake_ns: Option<u64>,
    /// ACKs that the capture holds twice.
    pub(super) copied_acks: u64,
    /// Those of them that another point of the path has seen.
    elsewhere: u64,
    pub(super) packets: u64,
    /// SYNs of both ends.
    syns: u64,
    pub(super) accurate: AccEcn,
    /// Packets that came before their causes.
    pub(super) causality: Option<Box<Causality>>,
    /// True if the capture has several points of the path.
    pub(super) is_merged: bool,
    /// True if the times of both ends are of different clocks.
    pub(super) has_two_clocks: bool,
    /// True if the client is known by its SYN.
    pub(super) client_known: bool,
    /// Where the capture was taken, if the user told it, or a radio shows it.
    pub(super) told: Option<Vantage>,
    /// True if the user told it.
    pub(super) by_user: bool,
}

impl Connection {
    /// A connection that begins with this segment. Its series are recorded if `series`, and its segments are kept if
    /// there is a budget for them.
    pub(super) fn new(
        first: &Segment,
        told: Option<Vantage>,
        series: bool,
        log: Option<&Budget>,
    ) -> Self {
        let syn = first.flags.has(Flags::SYN);
        let from_server = if syn {
            first.flags.has(Flags::ACK)
        } else {
            // Without handshake, the lower port is that of a service.
            first.from.port < first.to.port
        };
        let (client, server) =
            if from_server { (first.to, first.from) } else { (first.from, first.to) };
        let end = |endpoint| End { endpoint, ..End::default() };
        Self {
            ends: [end(client), end(server)],
            directions: [(); 2].map(|()| Direction::new(series, log)),
            start_ns: first.time_ns,
            last_ns: first.time_ns,
            handshake_ns: None,
            copied_acks: 0,
            elsewhere: 0,
            packets: 0,
            syns: 0,
            accurate: AccEcn::default(),
            causality: None,
            is_merged: false,
            has_two_clocks: false,
            client_known: syn,
            // A radio hears the packet on its way: the loss may come after it.
            told: told.or_else(|| first.of_air.then_some(Vantage::Middle)),
            by_user: told.is_some(),
        }
    }

    /// True if a SYN begins another connection between the same ends.
    pub(super) fn is_over_for(&self, segment: &Segment) -> bool {
        if !segment.flags.has(Flags::SYN) || segment.flags.has(Flags::ACK) {
            return false;
        }
        let end = &self.ends[self.place(segment)];
        let known = end.syn_ns.is_some() && end.syn_sequence == segment.sequence;
        // Both ends may open the connection: each sends SYNs (RFC 9293 section 3.5).
        let opening = self.packets <= self.syns.max(1);
        !known && (!opening || end.syn_ns.is_some())
    }

    /// True if both ends have closed it, or one has reset it.
    pub(super) fn is_over(&self) -> bool {
        self.ends.iter().all(|end| end.fin) || self.ends.iter().any(|end| end.reset)
    }

    fn place(&self, segment: &Segment) -> usize {
        if segment.from == self.ends[CLIENT].endpoint { CLIENT } else { SERVER }
    }

    /// Takes a segment of this connection. `room` is that for packets that wait for others.
    #[inline]
    pub(super) fn on_segment(&mut self, segment: &Segment, room: &mut usize) {
        self.last_ns = self.last_ns.max(segment.time_ns);
        let from = self.place(segment);
        if self.causality.is_some() || self.is_early(from, segment) {
            self.in_order(from, segment, room);
        } else {
            self.take(segment, segment.time_ns, false);
        }
    }

    /// Takes a segment that came at `own_ns`; `waited` if it came before its cause.
    fn take(&mut self, segment: &Segment, own_ns: u64, waited: bool) {
        let from = self.place(segment);
        let to = 1 - from;
        self.packets += 1;
        if let Some(copy) = self.ends[from].acks.take(segment) {
            self.copied_acks += 1;
            self.syns += u64::from(segment.flags.has(Flags::SYN));
            self.elsewhere += u64::from(copy == AckCopy::Elsewhere);
            return;
        }
        self.syns += u64::from(segment.flags.has(Flags::SYN));
        self.take_options(from, segment, own_ns, waited);
        self.take_echo(from, segment, own_ns, waited);
        let told = self.told;
        let path = |sender: usize, ends: &[End; 2]| Path {
            to_sender_ns: ends[sender].half_ns,
            to_receiver_ns: ends[1 - sender].half_ns,
            told: told.map(|vantage| vantage.along(sender == CLIENT)),
            is_early: waited,
        };
        // The ACK reaches the sender before the sender reacts, so it is taken first.
        let reverse = path(to, &self.ends);
        if let Some(ns) = self.directions[to].on_ack(segment, reverse) {
            lower(&mut self.ends[from].half_ns, ns);
        }
        let forward = path(from, &self.ends);
        self.directions[from].on_segment(segment, forward);
        let end = &mut self.ends[from];
        end.fin |= segment.flags.has(Flags::FIN);
        end.reset |= segment.flags.has(Flags::RST);
        end.marked += u64::from(segment.ecn == 3);
        end.echoes += u64::from(self.accurate.take(from, segment));
    }

    /// Ends the connection. In a capture of several points, a copy at one point does not show that the
    /// segment passed the other, and the place of the capture is not one.
    pub(super) fn end(&mut self, room: &mut usize) {
        self.give_up(room);
        self.merged_clocks();
        let CopyCounts { same, elsewhere, .. } = self.copies();
        if (same + elsewhere).saturating_mul(MANY_COPIES) <= self.packets {
            return;
        }
        let sum = |count: fn(&Direction) -> u64| self.directions.iter().map(count).sum::<u64>();
        let gaps = sum(|direction| direction.counters.duplicate_gap_ns);
        let copies = sum(|direction| direction.counters.network_duplicates);
        self.is_merged = elsewhere > 0 || gaps > MERGED_GAP_NS.saturating_mul(copies);
        for direction in &mut self.directions {
            direction.counters.forget_seen_twice();
            direction.counters.leave_out_copies();
        }
    }

    /// Packets that the capture holds twice.
    pub(super) fn copies(&self) -> CopyCounts {
        let (mut all, mut elsewhere) = (self.copied_acks, self.elsewhere);
        for direction in &self.directions {
            all += direction.counters.network_duplicates;
            elsewhere += direction.counters.copies_elsewhere;
        }
        let waited = self.causality.iter().flat_map(|causality| &causality.lags);
        let late = self.directions.iter().filter_map(|d| d.counters.late_records.as_deref());
        let (mut early, mut early_ns) = (0, 0);
        for lags in waited.chain(late) {
            early += lags.count();
            early_ns = early_ns.max(lags.max_ns().unwrap_or(0));
        }
        CopyCounts { same: all - elsewhere, elsewhere, early, early_ns }
    }

    fn take_options(&mut self, from: usize, segment: &Segment, own_ns: u64, waited: bool) {
        if !segment.flags.has(Flags::SYN) {
            if self.ends[from].syn_ns.is_none() && segment.options.timestamps.is_some() {
                self.ends[from].timestamps = true;
            }
            self.take_third_step(from, segment, own_ns, waited);
            return;
        }
        let now = segment.time_ns;
        let other_syn = self.ends[1 - from].syn_ns;
        let end = &mut self.ends[from];
        let acks = segment.flags.has(Flags::ACK);
        let again = end.answered;
        end.answered |= acks;
        // An end that opens at the same time as the other sends a SYN before its SYN with an ACK.
        if !acks || end.syn_ns.is_none() {
            end.syn_ns = Some(now);
        }
        end.syn_sequence = segment.sequence;
        end.mss = segment.options.mss;
        end.window_scale = segment.options.window_scale;
        end.sack_permitted = segment.options.sack_permitted;
        end.timestamps = segment.options.timestamps.is_some();
        if acks
            && !again
            && !waited
            && let Some(syn) = other_syn
        {
            let ns = now.saturating_sub(syn);
            lower(&mut end.half_ns, ns);
            self.directions[1 - from].on_handshake(ns);
        }
        if self.ends.iter().all(|end| end.syn_ns.is_some()) {
            let none = !self.ends.iter().all(|end| end.sack_permitted);
            for direction in &mut self.directions {
                direction.no_sack = none;
            }
        }
        // A window is scaled only if both ends agree (RFC 7323 section 2.2).
        if let [Some(client), Some(server)] = self.ends.each_ref().map(|end| end.window_scale) {
            self.directions[CLIENT].shift = server;
            self.directions[SERVER].shift = client;
        }
    }

    /// The third step of the handshake gives the time to the client and back.
    fn take_third_step(&mut self, from: usize, segment: &Segment, own_ns: u64, waited: bool) {
        // Copies of another point of the path make the times of one point those of two.
        let copies = self.copied_acks - self.elsewhere;
        if from != CLIENT || self.packets - copies != 3 {
            return;
        }
        if let (Some(syn), Some(syn_ack)) = (self.ends[CLIENT].syn_ns, self.ends[SERVER].syn_ns) {
            // Both are of the client: their difference is right by any clock.
            self.handshake_ns = Some(own_ns.saturating_sub(syn));
            if waited {
                return;
            }
            let ns = segment.time_ns.saturating_sub(syn_ack);
            lower(&mut self.ends[CLIENT].half_ns, ns);
            self.directions[SERVER].on_handshake(ns);
        }
    }

    /// Times from a timestamp of one end to its echo by the other.
    fn take_echo(&mut self, from: usize, segment: &Segment, own_ns: u64, waited: bool) {
        let Some((value, echo)) = segment.options.timestamps else { return };
        let now = segment.time_ns;
        let end = &mut self.ends[from];
        if let Some((awaited, seen)) = end.awaited
            && segment.flags.has(Flags::ACK)
            && !later(awaited, echo)
        {
            if echo == awaited && !waited {
                lower(&mut end.half_ns, now.saturating_sub(seen));
            }
            end.awaited = None;
        }
        let fresh = end.last_stamp.is_none_or(|last| later(value, last));
        if fresh {
            end.last_stamp = Some(value);
            self.ends[1 - from].awaited.get_or_insert((value, own_ns));
        }
    }

    /// Points of the series of both directions.
    pub(super) fn recorded(&self) -> usize {
        self.directions.iter().filter_map(|d| d.series.as_ref()).map(|series| series.len()).sum()
    }

    /// Where the capture was taken.
    pub(super) fn vantage(&self) -> &'static str {
        if let Some(told) = self.told {
            return told.name();
        }
        if self.is_merged || self.has_two_clocks {
            return "unknown";
        }
        let [Some(client), Some(server)] = self.ends.each_ref().map(|end| end.half_ns) else {
            return "unknown";
        };
        let all = client.saturating_add(server);
        if all == 0 {
            return "unknown";
        }
        let share = client as f64 / all as f64;
        if share < 0.2 {
            "client"
        } else if share > 0.8 {
            "server"
        } else {
            "middle"
        }
    }
}

fn lower(least: &mut Option<u64>, ns: u64) {
    *least = Some(least.map_or(ns, |known| known.min(ns)));
}
