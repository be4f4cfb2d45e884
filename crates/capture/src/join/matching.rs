//! Which frame of the air carried which packet of a host, and the host's clock.
//!
//! A packet and its frames have the same key. Keys that a host's capture has once, and each link of
//! the air at most once, give the clock. Then all keys are matched: a frame carried the latest packet
//! that the host had sent before it.

use std::collections::{BTreeMap, BTreeSet};

use super::cover::Covering;
use super::hosts::HostLog;
use super::keys::Keys;
use crate::air::log::{LinkLog, LoggedPacket};
use crate::clocks::{Line, Point, fit};
use crate::identity::Identity;

/// Fewest packets with unique keys that show that two captures belong together.
const MIN_UNIQUE: usize = 5;
/// Smallest part of the packets of a pair that makes a link one of its hops.
const HOP_SHARE: f64 = 0.05;
/// How much later a packet may seem to be sent than its frame, beyond the uncertainty of the clock.
const SLACK_NS: f64 = 100_000.0;
/// The same if the uncertainty is not known.
const UNKNOWN_SLACK_NS: f64 = 5_000_000.0;
/// Share of the packets with the same identification at both places that makes it usable.
const SAME_IDS: f64 = 0.9;

/// A packet of the air that holds a TCP segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried<'a> {
    /// Number of its link.
    pub(super) link: usize,
    pub(super) packet: &'a LoggedPacket,
    pub(super) identity: Identity,
}

/// The TCP segments of the air.
#[derive(Debug)]
pub(super) struct Air<'a> {
    pub(super) carried: Vec<Carried<'a>>,
    keys: Keys,
    /// Timestamp of the first frame, in ns.
    pub(super) base_ns: u64,
    /// Timestamp of the last frame, in ns.
    pub(super) end_ns: u64,
}

impl<'a> Air<'a> {
    pub(super) fn new(logs: &'a [LinkLog]) -> Self {
        let of_link = |(link, log): (usize, &'a LinkLog)| {
            log.log.packets.iter().filter_map(move |packet| {
                packet.identity.map(|identity| Carried { link, packet, identity })
            })
        };
        let carried: Vec<Carried<'a>> = logs.iter().enumerate().flat_map(of_link).collect();
        let keys = Keys::new(carried.iter().map(|carried| carried.identity.key));
        let times = || carried.iter().map(|carried| carried.packet.start_ns);
        let (base_ns, end_ns) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        Self { carried, keys, base_ns, end_ns }
    }
}

/// A packet whose key is unique, with the differences of the timestamps.
#[derive(Debug, Clone, Copy)]
struct Unique {
    /// Time by the host's clock, in s since its first packet.
    time: f64,
    /// Start on the first hop minus timestamp of the host, in ns.
    first: f64,
    /// End of the first attempt on the last hop minus timestamp of the host, if it was captured.
    last: Option<f64>,
    first_link: usize,
    last_link: usize,
    same_id: bool,
}

/// The frames that carried the packets of a host.
#[derive(Debug, Default)]
pub(super) struct Matching {
    pub(super) line: Option<Line>,
    /// Packets with unique keys that the clock was taken from: sent, received.
    pub(super) pairs_used: (u64, u64),
    base_host_ns: u64,
    base_air_ns: u64,
    /// True for pairs of which the host sees the packets before the air does.
    pub(super) is_sent: BTreeMap<u64, bool>,
    /// Links that the packets of a pair pass next to the host.
    hops: BTreeMap<u64, BTreeSet<usize>>,
    /// The packet of the host that each packet of the air carries.
    pub(super) host_of: Vec<Option<usize>>,
}

/// The time from `base` to `ns`.
pub(super) fn since(ns: u64, base: u64) -> f64 {
    if ns >= base { (ns - base) as f64 } else { -((base - ns) as f64) }
}

impl Matching {
    /// Matches the packets of a host with those of the air.
    pub(super) fn new(air: &Air<'_>, host: &HostLog) -> Self {
        let base_host_ns = host.packets.first().map_or(0, |packet| packet.time_ns);
        let mut matching = Self {
            base_host_ns,
            base_air_ns: air.base_ns,
            host_of: vec![None; air.carried.len()],
            ..Self::default()
        };
        let host_keys = Keys::new(host.packets.iter().map(|packet| packet.identity.key));
        let unique = matching.unique(air, host, &host_keys);
        matching.align(host, &unique);
        if matching.line.is_none() {
            return matching;
        }
        matching.find_hops(&unique);
        let same = unique.values().flatten().filter(|unique| unique.same_id).count() as f64;
        let all = unique.values().map(Vec::len).sum::<usize>() as f64;
        for (key, hosts) in host_keys.groups() {
            matching.assign(air, host, key, &hosts, same >= SAME_IDS * all);
        }
        matching.cover(air, host);
        matching
    }

    /// Packets whose keys are unique, by pair.
    fn unique(&self, air: &Air<'_>, host: &HostLog, keys: &Keys) -> BTreeMap<u64, Vec<Unique>> {
        let mut found: BTreeMap<u64, Vec<Unique>> = BTreeMap::new();
        for (key, hosts) in keys.groups() {
            let [number] = hosts[..] else { continue };
            let mut hops: Vec<&Carried<'_>> = air.keys.of(key).map(|n| &air.carried[n]).collect();
            hops.sort_by_key(|carried| carried.packet.start_ns);
            let links: BTreeSet<usize> = hops.iter().map(|carried| carried.link).collect();
            let (Some(first), Some(last)) = (hops.first(), hops.last()) else { continue };
            if links.len() < hops.len() {
                continue;
            }
            let packet = &host.packets[number];
            let at = since(packet.time_ns, self.base_host_ns);
            let difference = |ns: u64| since(ns, air.base_ns) - at;
            found.entry(packet.identity.pair).or_default().push(Unique {
                time: at / 1e9,
                first: difference(first.packet.start_ns),
                last: last.packet.has_first.then(|| difference(last.packet.first_ns)),
                first_link: first.link,
                last_link: last.link,
                same_id: packet.identity.ip_id == first.identity.ip_id && packet.identity.ip_id > 0,
            });
        }
        found
    }

    /// Finds which pairs the host sends, and the clock.
    fn align(&mut self, host: &HostLog, unique: &BTreeMap<u64, Vec<Unique>>) {
        let of = |pair: Option<u64>| pair.and_then(|pair| unique.get(&pair)).map_or(&[][..], |v| v);
        if unique.values().map(Vec::len).sum::<usize>() < MIN_UNIQUE {
            return;
        }
        let both = |pair: &u64| of(Some(*pair)).len() + of(host.reverse(*pair)).len();
        let Some(main) = unique.keys().max_by_key(|pair| (both(pair), of(Some(**pair)).len()))
        else {
            return;
        };
        let (there, back) = (of(Some(*main)), of(host.reverse(*main)));
        let forward = fit(&firsts(there), &lasts(back));
        let backward = fit(&firsts(back), &lasts(there)).filter(|_| !back.is_empty());
        let margin = |line: &Option<Line>| line.map_or(f64::NEG_INFINITY, |line| line.margin);
        let line = if margin(&backward) > margin(&forward) { backward } else { forward };
        let Some(line) = line else { return };
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for (pair, packets) in unique {
            let mut after: Vec<f64> = packets.iter().map(|u| u.first - line.at(u.time)).collect();
            after.sort_by(f64::total_cmp);
            // The host sends the packets of a pair if the air has them later.
            let is_sent = after[after.len() / 2] > 0.0;
            self.is_sent.insert(*pair, is_sent);
            if is_sent {
                sent.extend(firsts(packets));
            } else {
                received.extend(lasts(packets));
            }
        }
        self.pairs_used = (sent.len() as u64, received.len() as u64);
        self.line = fit(&sent, &received);
    }

    fn find_hops(&mut self, unique: &BTreeMap<u64, Vec<Unique>>) {
        for (pair, packets) in unique {
            let is_sent = self.is_sent.get(pair).copied().unwrap_or(true);
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for unique in packets {
                let link = if is_sent { unique.first_link } else { unique.last_link };
                *counts.entry(link).or_default() += 1;
            }
            let least = packets.len() as f64 * HOP_SHARE;
            let hops = counts.into_iter().filter(|(_, n)| *n as f64 >= least);
            self.hops.insert(*pair, hops.map(|(link, _)| link).collect());
        }
    }

    /// A time of the host by the clock of the air, in ns since the first frame.
    pub(super) fn by_air(&self, host_ns: u64) -> f64 {
        let at = since(host_ns, self.base_host_ns);
        at + self.line.map_or(0.0, |line| line.at(at / 1e9))
    }

    fn slack(&self) -> f64 {
        let uncertainty = self.line.and_then(|line| line.uncertainty);
        uncertainty.map_or(UNKNOWN_SLACK_NS, |ns| ns + SLACK_NS)
    }

    fn is_hop(&self, pair: u64, link: usize) -> bool {
        self.hops.get(&pair).is_some_and(|links| links.contains(&link))
    }

    /// Offset by which the host's clock was shifted, in s: sniffer minus host at the first packet.
    pub(super) fn offset_s(&self) -> Option<f64> {
        let line = self.line?;
        Some((since(self.base_air_ns, self.base_host_ns) + line.offset) / 1e9)
    }

    /// Matches the packets of one key.
    fn assign(&mut self, air: &Air<'_>, host: &HostLog, key: u64, hosts: &[usize], by_id: bool) {
        let pair = host.packets[hosts[0]].identity.pair;
        let is_sent = self.is_sent.get(&pair).copied().unwrap_or(true);
        let start = |n: usize| since(air.carried[n].packet.start_ns, air.base_ns);
        let mut airs: Vec<usize> =
            air.keys.of(key).filter(|n| self.is_hop(pair, air.carried[*n].link)).collect();
        airs.sort_by(|a, b| start(*a).total_cmp(&start(*b)));
        let (slack, mut free) = (self.slack(), hosts.to_vec());
        free.sort_by_key(|n| host.packets[*n].time_ns);
        for carried in airs.into_iter().rev() {
            let id = air.carried[carried].identity.ip_id;
            let fits = |n: &usize| {
                let packet = &host.packets[*n];
                let later = start(carried) - self.by_air(packet.time_ns);
                let in_time = if is_sent { later >= -slack } else { later <= slack };
                in_time && (!by_id || id == 0 || packet.identity.ip_id == id)
            };
            // Of several, the latest that was sent before, or the first that was received after.
            let place =
                if is_sent { free.iter().rposition(fits) } else { free.iter().position(fits) };
            if let Some(place) = place {
                self.host_of[carried] = Some(free.remove(place));
            }
        }
    }

    /// Matches packets of the air with longer segments of the host: a network card cuts these, or puts
    /// them together.
    fn cover(&mut self, air: &Air<'_>, host: &HostLog) {
        let covering = Covering::new(host);
        let slack = self.slack();
        for (number, carried) in air.carried.iter().enumerate() {
            let Identity { pair, sequence, payload, .. } = carried.identity;
            if self.host_of[number].is_some() || payload == 0 || !self.is_hop(pair, carried.link) {
                continue;
            }
            let is_sent = self.is_sent.get(&pair).copied().unwrap_or(true);
            let start = since(carried.packet.start_ns, air.base_ns);
            self.host_of[number] = covering.find(pair, sequence, payload, |time_ns| {
                let later = start - self.by_air(time_ns);
                if is_sent {
                    (later >= -slack).then_some(later)
                } else {
                    (later <= slack).then_some(-later)
                }
            });
        }
    }
}

fn firsts(packets: &[Unique]) -> Vec<Point> {
    packets.iter().map(|unique| (unique.time, unique.first)).collect()
}

fn lasts(packets: &[Unique]) -> Vec<Point> {
    packets.iter().filter_map(|unique| Some((unique.time, unique.last?))).collect()
}
