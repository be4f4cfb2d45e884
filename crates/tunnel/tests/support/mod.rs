//! Two ends of a tunnel and a path between them, in virtual time.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use airtcp_packet::Ecn;
use airtcp_random::{Seed, Stream};
use airtcp_tunnel::{
    ChannelEvent, ChannelId, Hub, HubEvent, Outgoing, Peers, PrivateKey, SessionId, Target,
};
use airtcp_units::{LowBits as _, Nanos, Span};

pub const CLIENT: usize = 0;
pub const SERVER: usize = 1;
/// Headers of IPv4 and UDP.
const BELOW: u64 = 28;

/// A path: the same in both directions.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    pub rate_bps: f64,
    pub delay: Span,
    /// Packets that wait at most.
    pub queue: usize,
    pub loss: f64,
    pub seed: u64,
}

impl Path {
    pub fn of(rate_mbps: f64, rtt_ms: u64, loss: f64, seed: u64) -> Self {
        let delay = Span::from_micros(rtt_ms * 500);
        Self { rate_bps: rate_mbps * 1e6, delay, queue: 100, loss, seed }
    }
}

/// One direction of it.
struct Wire {
    free: Nanos,
    waiting: VecDeque<Nanos>,
    draws: Stream,
    /// Bytes that entered, headers included.
    bytes: u64,
    /// Longest time in the queue since the last look.
    queued: Span,
}

pub struct Pair {
    pub hubs: [Hub; 2],
    pub addresses: [SocketAddr; 2],
    pub now: Nanos,
    path: Path,
    wires: [Wire; 2],
    flying: BTreeMap<(Nanos, u64), (usize, Outgoing)>,
    order: u64,
    pub events: Vec<(Nanos, usize, SessionId, HubEvent)>,
    /// Events of channels that nobody has taken.
    pub channels: VecDeque<(Nanos, usize, ChannelId, ChannelEvent)>,
    /// Every datagram sent, with its end, if it is kept.
    pub sent: Option<Vec<(usize, Outgoing)>>,
}

pub fn key(number: u8) -> PrivateKey {
    PrivateKey::from_seed([number; 32])
}

impl Pair {
    /// A client and its server, which know each other's keys.
    pub fn new(path: Path) -> Self {
        Self::with(path, &key(1), &key(2), key(2).public(), vec![key(1).public()])
    }

    /// A client beside those before, with the same key.
    pub fn another_client(&self, seed: u8) -> Hub {
        let peers = Peers::Server(self.addresses[SERVER], key(2).public());
        Hub::begin(&key(1), &peers, self.now, Some([seed; 32])).unwrap()
    }

    pub fn with(
        path: Path,
        client: &PrivateKey,
        server: &PrivateKey,
        told: airtcp_tunnel::PublicKey,
        allowed: Vec<airtcp_tunnel::PublicKey>,
    ) -> Self {
        let addresses = ["192.0.2.1:1000", "192.0.2.2:5298"].map(|a| a.parse().unwrap());
        let begin = |key: &PrivateKey, peers: &Peers, seed| {
            Hub::begin(key, peers, Nanos::ZERO, Some([seed; 32])).unwrap()
        };
        let hubs = [
            begin(client, &Peers::Server(addresses[SERVER], told), 3),
            begin(server, &Peers::Clients(allowed), 4),
        ];
        let wires = ["there", "back"].map(|name| Wire {
            free: Nanos::ZERO,
            waiting: VecDeque::new(),
            draws: Seed::new(path.seed).stream(name),
            bytes: 0,
            queued: Span::ZERO,
        });
        Self {
            hubs,
            addresses,
            now: Nanos::ZERO,
            path,
            wires,
            flying: BTreeMap::new(),
            order: 0,
            events: Vec::new(),
            channels: VecDeque::new(),
            sent: None,
        }
    }

    /// Bytes that an end has sent, with all headers.
    pub fn wire_bytes(&self, end: usize) -> u64 {
        self.wires[end].bytes
    }

    /// Longest time that a packet of an end has queued since the last call.
    pub fn queued(&mut self, end: usize) -> Span {
        std::mem::take(&mut self.wires[end].queued)
    }

    pub fn set_loss(&mut self, loss: f64) {
        self.path.loss = loss;
    }

    fn travel(&mut self, from: usize, packet: Outgoing) {
        if let Some(sent) = &mut self.sent {
            sent.push((from, packet.clone()));
        }
        let wire = &mut self.wires[from];
        let bytes = packet.bytes.len() as u64 + BELOW;
        wire.bytes += bytes;
        while wire.waiting.front().is_some_and(|left| *left <= self.now) {
            wire.waiting.pop_front();
        }
        if wire.waiting.len() >= self.path.queue {
            return;
        }
        let service = Span::from_secs_f64(bytes as f64 * 8.0 / self.path.rate_bps);
        wire.queued = wire.queued.max(wire.free.since(self.now));
        wire.free = wire.free.max(self.now) + service;
        wire.waiting.push_back(wire.free);
        if wire.draws.chance(self.path.loss) {
            return;
        }
        let at = wire.free + self.path.delay;
        self.order += 1;
        self.flying.insert((at, self.order), (1 - from, packet));
    }

    /// Hands a datagram to an end at once, as if it came from there.
    pub fn inject(&mut self, end: usize, from: SocketAddr, bytes: &[u8]) {
        self.hubs[end].receive(self.now, from, None, Ecn::NotEct, bytes);
    }

    fn collect(&mut self) {
        for end in [CLIENT, SERVER] {
            while let Some((id, event)) = self.hubs[end].poll() {
                self.events.push((self.now, end, id, event));
            }
            for id in self.hubs[end].sessions() {
                while let Some((channel, event)) =
                    self.hubs[end].session(id).and_then(|s| s.mux().poll())
                {
                    self.channels.push_back((self.now, end, channel, event));
                }
            }
        }
    }

    /// Runs until `until`, or until `done` says so after something happened. `each` acts in between.
    pub fn run(&mut self, until: Nanos, mut each: impl FnMut(&mut Self) -> bool) {
        loop {
            for end in [CLIENT, SERVER] {
                while let Some(packet) = self.hubs[end].transmit(self.now) {
                    self.travel(end, packet);
                }
            }
            self.collect();
            if each(self) {
                return;
            }
            // What was written in between leaves at once.
            for end in [CLIENT, SERVER] {
                while let Some(packet) = self.hubs[end].transmit(self.now) {
                    self.travel(end, packet);
                }
            }
            let timer =
                self.hubs.iter_mut().filter_map(Hub::next_timer).min().unwrap_or(Nanos::NEVER);
            let arrival = self.flying.first_key_value().map_or(Nanos::NEVER, |(key, _)| key.0);
            let next = self.now.max(timer.min(arrival));
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            if arrival <= self.now {
                let (_, (end, packet)) = self.flying.pop_first().unwrap();
                let from = self.addresses[1 - end];
                self.hubs[end].receive(self.now, from, None, packet.ecn, &packet.bytes);
            } else {
                for hub in &mut self.hubs {
                    hub.on_timer(self.now);
                }
            }
        }
    }

    /// Runs until the client is connected; returns its session and the server's.
    pub fn connect(&mut self) -> [SessionId; 2] {
        self.run(Nanos::from_secs_f64(30.0), |pair| {
            pair.hubs.iter().all(|hub| !hub.sessions().is_empty())
        });
        [CLIENT, SERVER].map(|end| *self.hubs[end].sessions().first().expect("is connected"))
    }

    pub fn session(&mut self, end: usize) -> &mut airtcp_tunnel::Session {
        let sessions = self.hubs[end].sessions();
        let id = *sessions.first().unwrap_or_else(|| panic!("no session: {:?}", self.events));
        self.hubs[end].session(id).unwrap()
    }

    pub fn mux(&mut self, end: usize) -> &mut airtcp_tunnel::Mux {
        self.session(end).mux()
    }

    /// Reads all that waits on a channel.
    pub fn read(&mut self, end: usize, channel: ChannelId) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let part = self.mux(end).unread(channel).to_vec();
            if part.is_empty() {
                return all;
            }
            self.mux(end).consume(channel, part.len());
            all.extend(part);
        }
    }
}

pub fn target(port: u16) -> Target {
    Target::new("host.example", port).unwrap()
}

/// Bytes that tell where they stand.
pub fn pattern(from: u64, bytes: usize) -> Vec<u8> {
    (from..from + bytes as u64)
        .map(|i| u8::low_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56))
        .collect()
}
