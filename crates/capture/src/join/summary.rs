//! The report of joined captures.

use std::collections::BTreeMap;

use airtcp_units::{Narrow as _, Saturate as _};

use super::fates::{Fate, Fates};
use super::hosts::HostLog;
use super::matching::{Air, Carried, Matching, since};
use super::report::{
    ClockReport, HostLinkReport, HostReport, JoinedReport, PacketReport, TimeoutCause,
    TimeoutCauses, TimeoutReport,
};
use super::timeouts::Copies;
use crate::air::log::{LinkLog, PacketFate};
use crate::air::report::{DurationReport, seconds};
use crate::tcp::report::ConnectionReport;
use crate::times::Times;

/// Timeouts that are listed.
const MAX_TIMEOUTS: usize = 10_000;
/// Packets with more attempts count with those of this many.
const MAX_ATTEMPTS: usize = 64;

/// The capture of a host.
pub(crate) struct Host<'a> {
    pub(crate) path: String,
    pub(crate) log: &'a HostLog,
    pub(crate) connections: &'a [ConnectionReport],
}

/// Joins the captures of hosts with one of the air. With `with_packets`, every packet is listed.
pub(crate) fn join(
    paths: Vec<String>,
    logs: &[LinkLog],
    hosts: &[Host<'_>],
    with_packets: bool,
) -> JoinedReport {
    let air = Air::new(logs);
    let matchings: Vec<Matching> = hosts.iter().map(|host| Matching::new(&air, host.log)).collect();
    let fates = Fates::new(&air, logs, &matchings);
    let omitted = logs.iter().map(|log| log.log.omitted).sum::<u64>()
        + hosts.iter().map(|host| host.log.omitted).sum::<u64>();
    let mut report = JoinedReport { air: paths, omitted, ..JoinedReport::default() };
    for (host, matching) in hosts.iter().zip(&matchings) {
        let view = View { air: &air, logs, host, matching, fates: &fates };
        if with_packets {
            view.list(report.hosts.len(), &mut report.packets);
        }
        report.hosts.push(view.report());
        let copies = Copies::new(&air, host.log, matching, &fates);
        for timeout in host.connections.iter().flat_map(|c| copies.timeouts(c)) {
            count(&mut report.timeout_causes, &timeout);
            if report.timeouts.len() < MAX_TIMEOUTS {
                report.timeouts.push(timeout);
            }
        }
    }
    report.packets.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    report
}

fn count(causes: &mut TimeoutCauses, timeout: &TimeoutReport) {
    let counter = match timeout.cause {
        TimeoutCause::LostOnLink => &mut causes.lost_on_link,
        TimeoutCause::SlowPacket => &mut causes.slow_packet,
        TimeoutCause::StuckBehindOthers => &mut causes.stuck_behind_others,
        TimeoutCause::Acknowledgement => &mut causes.acknowledgement,
        TimeoutCause::NotOnAir => &mut causes.not_on_air,
        TimeoutCause::Unknown => &mut causes.unknown,
    };
    *counter += 1;
}

/// A host and the air.
struct View<'a> {
    air: &'a Air<'a>,
    logs: &'a [LinkLog],
    host: &'a Host<'a>,
    matching: &'a Matching,
    fates: &'a Fates,
}

/// What is counted for a link.
#[derive(Default)]
struct Sums {
    packets: u64,
    queueing: Times,
    latency: Times,
    after: Times,
    attempts: u64,
    by_attempts: Vec<u64>,
    delivered: u64,
    lost: u64,
    undecided: u64,
    without_ack: u64,
}

impl View<'_> {
    fn is_sent(&self, pair: u64) -> bool {
        self.matching.is_sent.get(&pair).copied().unwrap_or(true)
    }

    /// From the capture of the host to the start of the first attempt, in ns.
    fn queueing(&self, carried: &Carried<'_>, number: usize) -> f64 {
        let start = since(carried.packet.start_ns, self.air.base_ns);
        start - self.matching.by_air(self.host.log.packets[number].time_ns)
    }

    /// The packets of the air that belong to this host: number, packet, number of the host's packet.
    fn matched(&self) -> impl Iterator<Item = (usize, &Carried<'_>, usize)> {
        let pairs = self.air.carried.iter().zip(&self.matching.host_of).enumerate();
        pairs.filter_map(|(n, (carried, host))| Some((n, carried, (*host)?)))
    }

    fn list(&self, host: usize, packets: &mut Vec<PacketReport>) {
        for (number, carried, of_host) in self.matched() {
            let log = &self.logs[carried.link];
            let identity = carried.identity;
            let is_sent = self.is_sent(identity.pair);
            let queueing = self.queueing(carried, of_host).max(0.0) / 1e9;
            let latency_ns = carried.packet.latency_ns;
            let from = self.host.log.pairs.get(&identity.pair).map(|(from, _)| from.to_string());
            packets.push(PacketReport {
                host: u32::narrow(host),
                time_s: seconds(carried.packet.start_ns),
                transmitter: log.transmitter.to_string(),
                receiver: log.receiver.to_string(),
                from: from.unwrap_or_default(),
                ip_id: identity.ip_id,
                sequence: identity.sequence,
                length: identity.payload,
                is_sent,
                queueing_s: (is_sent && carried.packet.has_first).then_some(queueing),
                attempts: carried.packet.attempts,
                latency_s: (latency_ns > 0).then(|| seconds(latency_ns)),
                fate: self.fates.of(number),
            });
        }
    }

    fn report(&self) -> HostReport {
        let (sent, received) = self.counts();
        HostReport {
            path: self.host.path.clone(),
            clock: self.clock(),
            sent: sent.0,
            sent_on_air: sent.1,
            sent_not_on_air: sent.0 - sent.1,
            received: received.0,
            received_on_air: received.1,
            links: self.links(),
        }
    }

    fn clock(&self) -> Option<ClockReport> {
        let line = self.matching.line?;
        Some(ClockReport {
            offset_s: self.matching.offset_s()?,
            drift_ppm: line.drift / 1000.0,
            drift_uncertainty_ppm: line.drift_error / 1000.0,
            uncertainty_s: line.uncertainty.map(|ns| ns / 1e9),
            sent_packets: self.matching.pairs_used.0,
            received_packets: self.matching.pairs_used.1,
            contradiction_s: if line.margin < 0.0 { -line.margin / 1e9 } else { 0.0 },
        })
    }

    /// Packets within the time of the air, and those of them on the air: sent, received.
    fn counts(&self) -> ((u64, u64), (u64, u64)) {
        let packets = &self.host.log.packets;
        let mut on_air = vec![false; packets.len()];
        for (_, _, number) in self.matched() {
            on_air[number] = true;
        }
        // A packet that the host sent after the last one on the air may be in a queue at the end.
        let last = self.matched().filter(|(_, carried, _)| self.is_sent(carried.identity.pair));
        let last_sent = last.map(|(_, _, number)| number).max().unwrap_or(0);
        let end = since(self.air.end_ns, self.air.base_ns);
        let (mut sent, mut received) = ((0, 0), (0, 0));
        for (number, (packet, on_air)) in packets.iter().zip(on_air).enumerate() {
            let Some(is_sent) = self.matching.is_sent.get(&packet.identity.pair) else { continue };
            if !on_air && !(0.0..=end).contains(&self.matching.by_air(packet.time_ns)) {
                continue;
            }
            if *is_sent && number > last_sent {
                continue;
            }
            let counter = if *is_sent { &mut sent } else { &mut received };
            counter.0 += 1;
            counter.1 += u64::from(on_air);
        }
        (sent, received)
    }

    fn links(&self) -> Vec<HostLinkReport> {
        let mut sums: BTreeMap<(usize, bool), Sums> = BTreeMap::new();
        for (number, carried, of_host) in self.matched() {
            let is_sent = self.is_sent(carried.identity.pair);
            let sum = sums.entry((carried.link, is_sent)).or_default();
            sum.add(carried, self.fates.of(number));
            if is_sent && carried.packet.has_first {
                sum.queueing.add(u64::saturate(self.queueing(carried, of_host)));
            } else if !is_sent {
                let by_air = self.matching.by_air(self.host.log.packets[of_host].time_ns);
                let last = since(carried.packet.last_ns, self.air.base_ns);
                sum.after.add(u64::saturate(by_air - last));
            }
        }
        let report =
            |((link, is_sent), sum): ((usize, bool), Sums)| sum.report(&self.logs[link], is_sent);
        let mut links: Vec<HostLinkReport> = sums.into_iter().map(report).collect();
        links.sort_by_key(|link| std::cmp::Reverse(link.packets));
        links
    }
}

impl Sums {
    fn add(&mut self, carried: &Carried<'_>, fate: Fate) {
        let packet = carried.packet;
        self.packets += 1;
        self.attempts += u64::from(packet.attempts);
        let place = usize::from(packet.attempts).clamp(1, MAX_ATTEMPTS);
        if self.by_attempts.len() < place {
            self.by_attempts.resize(place, 0);
        }
        self.by_attempts[place - 1] += 1;
        if packet.latency_ns > 0 {
            self.latency.add(packet.latency_ns);
        }
        match fate {
            Fate::Delivered => self.delivered += 1,
            Fate::LostOnLink => self.lost += 1,
            Fate::Undecided => self.undecided += 1,
        }
        let has_ack = packet.fate == PacketFate::Delivered;
        self.without_ack += u64::from(fate == Fate::Delivered && !has_ack);
    }

    fn report(self, log: &LinkLog, is_sent: bool) -> HostLinkReport {
        HostLinkReport {
            transmitter: log.transmitter.to_string(),
            receiver: log.receiver.to_string(),
            is_sent,
            packets: self.packets,
            queueing_s: DurationReport::of(&self.queueing),
            latency_s: DurationReport::of(&self.latency),
            after_air_s: DurationReport::of(&self.after),
            mean_attempts: (self.packets > 0).then(|| self.attempts as f64 / self.packets as f64),
            packets_by_attempts: self.by_attempts,
            attempt_intervals_s: intervals(log),
            delivered: self.delivered,
            lost_on_link: self.lost,
            undecided: self.undecided,
            delivered_without_ack: self.without_ack,
        }
    }
}

/// Mean time between an attempt and the one before, by the number of the attempt, from the second on.
fn intervals(log: &LinkLog) -> Vec<Option<f64>> {
    let mut sums: Vec<(f64, u64)> = Vec::new();
    let mut attempts: Vec<_> = log.log.attempts.iter().filter(|a| !a.is_hidden).collect();
    attempts.sort_by_key(|attempt| (attempt.packet, attempt.ordinal));
    for pair in attempts.windows(2) {
        let place = usize::from(pair[1].ordinal);
        let follows = pair[0].packet == pair[1].packet && pair[0].ordinal + 1 == pair[1].ordinal;
        if !follows || place > MAX_ATTEMPTS {
            continue;
        }
        if sums.len() < place - 1 {
            sums.resize(place - 1, (0.0, 0));
        }
        let sum = &mut sums[place - 2];
        sum.0 += since(pair[1].time_ns, pair[0].time_ns) / 1e9;
        sum.1 += 1;
    }
    sums.into_iter().map(|(sum, n)| (n > 0).then(|| sum / n as f64)).collect()
}
