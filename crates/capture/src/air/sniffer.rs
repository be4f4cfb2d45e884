//! Frames in, report out.

use airtcp_wire::capture_headers;
use airtcp_wire::ieee80211::block_ack;
use airtcp_wire::ieee80211::management::beacon_interval;
use airtcp_wire::ieee80211::{self, Kind, Mac, Repr};
use airtcp_wire::radio::Radio;

use super::airtime::{Airtime, airtime};
use super::answers::{Answer, Answers, Last, Stamps};
use super::beacons::AllBeacons;
use super::clock::Instant;
use super::hidden::hidden;
use super::link::FlowKey;
use super::links::{Ends, Links};
use super::log::LinkLog;
use super::over_time;
use super::packet::Attempt;
use super::payload::ip_packets;
use super::reasons::reasons;
use super::relays::Relays;
use super::report::{AirReport, BeaconReport, FrameCounts, LinkReport, StationReport, seconds};
use super::sensing::{Heard, Sensing};
use super::stations::{Sent, Stations};
use crate::dissect::{Content, Fragments, dissect_ip};
use crate::identity::Identity;
use crate::read::Packet;

/// Links, and stations, with counts over time in the report.
const SERIES: usize = 64;

/// A frame with what surrounds it.
struct Frame<'a> {
    header: Repr,
    /// What follows the header.
    body: &'a [u8],
    radio: Radio,
    at: Instant,
    airtime: Option<Airtime>,
    /// Length on the wire, from the 802.11 header on.
    wire: usize,
    /// Length of the 802.11 header.
    header_len: usize,
}

/// Follows the frames of a capture.
#[derive(Debug, Clone, Default)]
pub struct Sniffer {
    frames: FrameCounts,
    links: Links,
    stations: Stations,
    beacons: AllBeacons,
    relays: Relays,
    sensing: Sensing,
    answers: Answers,
    /// A-MPDU of the last frame, of which only the first frame has a preamble.
    last_ampdu: Option<u32>,
    began_ns: Option<u64>,
    end: Instant,
}

impl Sniffer {
    /// A sniffer that keeps packets and attempts one by one.
    pub(crate) fn with_log() -> Self {
        let mut sniffer = Self::default();
        sniffer.links.keep_log();
        sniffer
    }

    /// Takes over what an earlier reading of the frames has shown of their stamps.
    pub fn give_stamps(&mut self, stamps: Stamps) {
        self.answers.give(stamps);
    }

    /// What the stamps of the frames so far are.
    pub fn stamps(&self) -> Stamps {
        self.answers.stamps()
    }

    /// Frames so far, by their kind.
    pub(crate) const fn frames(&self) -> FrameCounts {
        self.frames
    }

    /// What a reader of the numbers must know of a file, by the frames before it and its segments.
    pub(crate) fn notes(&self, before: &FrameCounts, tcp: u64) -> Vec<String> {
        if self.frames == *before {
            return Vec::new();
        }
        let mut notes = self.answers.notes();
        notes.extend(reasons(before, &self.frames, !self.links.is_empty(), tcp));
        notes
    }

    /// Takes a packet of a link type of 802.11. The IP packets of unprotected data go to `sink`, each
    /// with its length on the wire, once for all attempts, and TCP once for all hops. False if the
    /// headers of the packet are malformed or cut off.
    pub fn on_packet<'a>(
        &mut self,
        packet: &Packet<'a>,
        sink: impl FnMut(&'a [u8], usize),
    ) -> bool {
        let Some((radio, data)) = capture_headers::read(packet.link_type, packet.data) else {
            self.frames.unreadable += 1;
            return false;
        };
        let wire = (packet.wire_len as usize).saturating_sub(packet.data.len() - data.len());
        // Rates count the frame check sequence, whether or not it was captured.
        let bytes = if radio.has_fcs { wire } else { wire + 4 };
        let airtime = airtime(&radio, bytes);
        let at = self.answers.instant(packet.time_ns, packet.interface, &radio, airtime);
        self.began_ns.get_or_insert(at.host_ns);
        if at.host_ns >= self.end.host_ns {
            self.end = at;
        }
        self.frames.damaged += u64::from(radio.bad_fcs);
        let Some((header, body)) = header(data, radio.padded) else {
            self.frames.unreadable += 1;
            self.answers.forget(at.interface);
            return false;
        };
        let header_len = data.len() - body.len();
        let frame = Frame { header, body, radio, at, airtime, wire, header_len };
        self.frames.count(&header);
        self.sensing.on_frame(&Heard { header: &header, radio: &radio, at: &at, airtime });
        if radio.bad_fcs {
            self.on_damaged(&frame);
        } else {
            self.on_frame(&frame, sink);
        }
        true
    }

    fn on_frame<'a>(&mut self, frame: &Frame<'a>, sink: impl FnMut(&'a [u8], usize)) {
        let Frame { header, at, .. } = frame;
        let mut transmitter = header.transmitter;
        match header.kind {
            Kind::Ack => {
                transmitter = self.on_ack(frame);
                self.answers.forget(at.interface);
            }
            Kind::BlockAck => {
                self.on_block_ack(frame);
                self.answers.forget(at.interface);
            }
            Kind::Data => self.on_data(frame, sink),
            Kind::NullData | Kind::Beacon | Kind::Management(_) => {
                if let (Kind::Beacon, Some(mac)) = (header.kind, transmitter) {
                    self.beacons.add(mac, at, beacon_interval(frame.body));
                }
                self.remember(frame, None);
            }
            Kind::PsPoll => self.remember(frame, None),
            _ => {
                self.answers.forget(at.interface);
            }
        }
        let airtime_ns = self.airtime_ns(frame);
        self.stations.add(transmitter, header.retry, airtime_ns, at.host_ns);
    }

    /// Airtime of a frame; only the first of an A-MPDU has a preamble.
    fn airtime_ns(&mut self, frame: &Frame<'_>) -> u64 {
        let reference = frame.radio.ampdu.map(|ampdu| ampdu.reference);
        let continues = reference.is_some() && reference == self.last_ampdu;
        self.last_ampdu = reference;
        frame.airtime.map_or(0, |time| if continues { time.body_ns } else { time.all_ns() })
    }

    /// The next acknowledgement to this frame's transmitter may answer it.
    fn remember(&mut self, frame: &Frame<'_>, packet: Option<(Ends, FlowKey, u64)>) {
        match frame.header.transmitter {
            Some(transmitter) if !frame.header.receiver.is_group() => {
                let Frame { at, airtime, .. } = *frame;
                let is_aggregated = frame.radio.ampdu.is_some();
                self.answers.remember(Last { transmitter, at, airtime, is_aggregated, packet });
            }
            _ => self.answers.forget(frame.at.interface),
        }
    }

    fn on_data<'a>(&mut self, frame: &Frame<'a>, mut sink: impl FnMut(&'a [u8], usize)) {
        let header = &frame.header;
        let (Some(transmitter), Some(sequence)) = (header.transmitter, header.sequence) else {
            return;
        };
        let ends = (transmitter, header.receiver);
        let key = (header.tid(), header.fragment);
        // The counter of QoS data to a station belongs to its traffic identifier (10.3.2.14.2).
        let has_own = header.qos.is_some() && header.fragment == 0 && !header.receiver.is_group();
        let link = self.links.link(ends, &frame.at);
        link.last_ns = frame.at.host_ns;
        let (flow, tally) = link.flow_or_new(key, has_own, &frame.at);
        let number = flow.on_attempt(&attempt(frame, sequence), tally);
        let is_new = flow.is_new(number);
        tally.bytes += frame.wire as u64;
        tally.in_ampdu += u64::from(frame.radio.ampdu.is_some());
        if let Some(dbm) = frame.radio.signal_dbm {
            tally.signal.add(frame.at.host_ns, dbm);
        }
        tally.noise.add(frame.radio.noise_dbm);
        tally.frequency_mhz = frame.radio.frequency_mhz.or(tally.frequency_mhz);
        self.links.on_data(ends, key, frame.at.host_ns);
        self.remember(frame, Some((ends, key, number)).filter(|_| !header.no_ack()));
        if is_new {
            let check = if frame.radio.has_fcs { 4 } else { 0 };
            let bytes = frame.wire.saturating_sub(frame.header_len + check);
            let (relays, now) = (&mut self.relays, frame.at.host_ns);
            let is_logged = self.links.has_log();
            let mut identities = Vec::new();
            ip_packets(header, frame.body, bytes, |ip, wire| {
                if is_logged {
                    identities.extend(identity(now, ip, wire));
                }
                if !relays.is_relayed(transmitter, ip, now) {
                    sink(ip, wire);
                }
            });
            let known = self.links.known(ends).and_then(|link| link.flow(key));
            if let Some((flow, _)) = known.filter(|_| is_logged) {
                for identity in identities {
                    flow.identify(number, identity);
                }
            }
        }
    }

    /// A frame with a wrong frame check sequence is an attempt if its header fits a known flow.
    fn on_damaged(&mut self, frame: &Frame<'_>) {
        let header = &frame.header;
        self.answers.forget(frame.at.interface);
        let (Kind::Data, Some(transmitter), Some(sequence)) =
            (header.kind, header.transmitter, header.sequence)
        else {
            return;
        };
        let ends = (transmitter, header.receiver);
        let key = (header.tid(), header.fragment);
        let Some(link) = self.links.known(ends) else { return };
        let Some((flow, tally)) = link.flow(key) else { return };
        if !flow.is_near(sequence) {
            return;
        }
        let number = flow.on_attempt(&attempt(frame, sequence), tally);
        tally.damaged += 1;
        tally.bytes += frame.wire as u64;
        tally.in_ampdu += u64::from(frame.radio.ampdu.is_some());
        link.last_ns = frame.at.host_ns;
        self.links.on_data(ends, key, frame.at.host_ns);
        self.remember(frame, Some((ends, key, number)));
        let airtime_ns = self.airtime_ns(frame);
        self.stations.add(Some(transmitter), header.retry, airtime_ns, frame.at.host_ns);
    }

    /// An acknowledgement answers the frame before it, or one that was not captured. Its
    /// transmitter, if that is known.
    fn on_ack(&mut self, frame: &Frame<'_>) -> Option<Mac> {
        let to = frame.header.receiver;
        let ack_ns = frame.airtime.map_or(0, |time| time.body_ns);
        match self.answers.of(to, &frame.at, frame.airtime) {
            Some((_, Answer::Doubtful)) => None,
            Some((last, Answer::Yes)) => {
                let (ends, key, number) = last.packet?;
                let (flow, tally) = self.links.known(ends)?.flow(key)?;
                flow.on_ack(number, &frame.at, ack_ns, tally);
                Some(ends.1)
            }
            _ => {
                let (ends, key) = self.links.recent(to, &frame.at)?;
                let (flow, tally) = self.links.known(ends)?.flow(key)?;
                flow.on_ack_without_data(tally);
                None
            }
        }
    }

    fn on_block_ack(&mut self, frame: &Frame<'_>) {
        let Some(block) = block_ack::Packet::new_checked(frame.body) else {
            self.frames.block_ack_unread += 1;
            return;
        };
        let Some(from) = frame.header.transmitter else { return };
        let ack_ns = frame.airtime.map_or(0, |time| time.body_ns);
        let Some(link) = self.links.known((frame.header.receiver, from)) else { return };
        if let Some((flow, tally)) = link.flow((Some(block.tid()), 0)) {
            flow.on_block_ack(&block, &frame.at, ack_ns, tally);
        }
    }

    /// The report of all frames, and that of the links. `None` without any frame.
    pub fn finish(self) -> (Option<AirReport>, Vec<LinkReport>) {
        let (air, links, _) = self.finish_with_logs();
        (air, links)
    }

    /// The reports of the links, and the length of the intervals of all series, in ns.
    fn finish_links(&mut self) -> (Vec<LinkReport>, u64) {
        let mut links = self.links.finish(&self.end);
        let of_links = links.iter().map(|(_, counted)| counted.width_ns());
        let of_stations = self.stations.iter().map(|(_, sent)| sent.over_time.width_ns());
        let width_ns = of_links.chain(of_stations).max().unwrap_or(0);
        for (link, counted) in links.iter_mut().take(SERIES) {
            link.over_time = over_time::attempts(counted, width_ns);
        }
        (links.into_iter().map(|(link, _)| link).collect(), width_ns)
    }

    /// The same, with what was kept one by one.
    pub(crate) fn finish_with_logs(mut self) -> (Option<AirReport>, Vec<LinkReport>, Vec<LinkLog>) {
        let Some(began_ns) = self.began_ns else {
            let report = AirReport { frames: self.frames, ..AirReport::default() };
            return ((self.frames.unreadable > 0).then_some(report), Vec::new(), Vec::new());
        };
        let (links, width_ns) = self.finish_links();
        self.sensing.finish();
        let duration_ns = self.end.host_ns.saturating_sub(began_ns);
        let mut stations: Vec<_> = self.stations.iter().collect();
        stations.sort_by_key(|(_, sent)| std::cmp::Reverse(sent.airtime_ns));
        let station = |(place, (mac, sent)): (usize, (&Mac, &Sent))| {
            let airtimes = if place < SERIES {
                over_time::airtime(&sent.over_time, width_ns)
            } else {
                Vec::new()
            };
            StationReport::of(*mac, sent, duration_ns, airtimes)
        };
        let report = AirReport {
            frames: self.frames,
            duration_s: seconds(duration_ns),
            interval_s: seconds(width_ns),
            stations: stations.into_iter().enumerate().map(station).collect(),
            unattributed_airtime_s: seconds(self.stations.others().airtime_ns),
            beacons: self.beacons.iter().map(|(mac, b)| BeaconReport::of(*mac, b)).collect(),
            carrier_sensing: hidden(&self.sensing),
            evicted_links: self.links.evicted,
            omitted_links: self.links.omitted,
        };
        (Some(report), links, self.links.take_logs())
    }
}

/// What the header of a frame says, and what follows it.
fn header(data: &[u8], padded: bool) -> Option<(Repr, &[u8])> {
    let packet = ieee80211::Packet::new_checked(data)?;
    Some((Repr::parse(&packet)?, packet.body(padded)))
}

/// The attempt that a data frame is.
fn attempt(frame: &Frame<'_>, sequence: u16) -> Attempt {
    let airtime = frame.airtime.unwrap_or_default();
    Attempt {
        sequence,
        retry: frame.header.retry,
        at: frame.at,
        rate: frame.radio.rate_bps.unwrap_or(0),
        preamble_ns: airtime.preamble_ns,
        airtime_ns: airtime.all_ns(),
        ampdu: frame.radio.ampdu.map(|ampdu| ampdu.reference),
        signal_dbm: frame.radio.signal_dbm,
    }
}

/// The TCP segment in an IP packet.
fn identity(time_ns: u64, ip: &[u8], wire: usize) -> Option<Identity> {
    match dissect_ip(time_ns, ip, wire, &mut Fragments::default()) {
        Content::Tcp(segment) => Some(Identity::of(&segment)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
