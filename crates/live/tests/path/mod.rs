//! A path in virtual time between a client and a server whose clocks differ.

#![allow(dead_code, reason = "each test takes a part")]

use std::collections::BTreeMap;
use std::net::SocketAddr;

use airtcp_live::measure::{Client, Document, Fresh, Nonce, Server};
use airtcp_units::{LowBits as _, Narrow as _};

pub(crate) const MS: i64 = 1_000_000;
pub(crate) const SECOND: i64 = 1_000 * MS;

pub(crate) fn host(n: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, n], 4_000))
}

pub(crate) fn measured(client: &Client) -> serde_json::Value {
    serde_json::to_value(Document::new(client, "192.0.2.9:5299".to_owned())).unwrap()
}

/// The server's clock: what it shows at the start, and what it gains.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    /// Its monotonic clock at the start, ns.
    pub(crate) start: i64,
    /// Its system clock at the start, ns since 1970.
    pub(crate) wall: i64,
    /// Nanoseconds that it gains in a millisecond.
    pub(crate) ppm: i64,
}

impl Clock {
    fn at(self, time: i64) -> i64 {
        self.start + time + time / MS * self.ppm
    }

    /// When it shows this time, or a little later.
    fn shows(self, time: i64) -> i64 {
        let since = time - self.start;
        let near = since - since / MS * self.ppm;
        near + MS * i64::from(self.at(near) < time)
    }
}

/// Small numbers, the same in each run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn nonce(&mut self) -> Nonce {
        std::array::from_fn(|_| u8::low_bits(self.next()))
    }

    /// What a server gives a measurement, at this time since 1970.
    pub(crate) fn fresh(&mut self, wall: i64) -> Fresh {
        Fresh { number: self.nonce(), wall }
    }
}

/// A path: a link of a rate and a delay in each direction, which loses what `lose` says.
pub(crate) struct Path<L> {
    bps: i64,
    delay: i64,
    free: [i64; 2],
    lose: L,
    under_way: BTreeMap<(i64, u64), (bool, Vec<u8>)>,
    count: u64,
    /// The clock of the server.
    pub(crate) clock: Clock,
}

impl<L: FnMut(bool, u64) -> bool> Path<L> {
    pub(crate) fn new(bps: i64, delay: i64, lose: L) -> Self {
        let (free, under_way, clock) = ([0; 2], BTreeMap::new(), Clock::default());
        Self { bps, delay, free, lose, under_way, count: 0, clock }
    }

    fn send(&mut self, now: i64, up: bool, bytes: Vec<u8>) {
        self.count += 1;
        if (self.lose)(up, self.count) {
            return;
        }
        let bits = 8 * (i64::narrow(bytes.len()) + 28);
        let free = &mut self.free[usize::from(up)];
        *free = now.max(*free) + bits * SECOND / self.bps;
        self.under_way.insert((*free + self.delay, self.count), (up, bytes));
    }

    /// Measures, and ends it at a time if there is one.
    pub(crate) fn measure(
        &mut self,
        server: &mut Server,
        client: &mut Client,
        end: Option<i64>,
    ) -> i64 {
        let mut now = 0;
        let clock = self.clock;
        let mut numbers = Numbers(5);
        let mut end = end;
        while !client.is_done() {
            while let Some(bytes) = client.take(now) {
                self.send(now, true, bytes);
            }
            while let Some((_, bytes)) = server.due(clock.at(now)) {
                self.send(now, false, bytes);
            }
            let due = self.under_way.keys().next().map(|key| key.0);
            let next = [client.next(), server.next().map(|at| clock.shows(at)), due, end]
                .into_iter()
                .flatten()
                .min();
            now = now.max(next.unwrap_or(now + MS)).max(now + 1_000);
            if end.is_some_and(|end| end <= now) {
                client.interrupt(now);
                end = None;
            }
            while let Some(entry) =
                self.under_way.first_entry().filter(|entry| entry.key().0 <= now)
            {
                let at = entry.key().0;
                let (up, bytes) = entry.remove();
                if up {
                    let (there, at) = (clock.at(now), clock.at(at));
                    let fresh = || Some(numbers.fresh(there - clock.start + clock.wall));
                    if let Some(answer) = server.receive(there, at, host(1), &bytes, fresh) {
                        self.send(now, false, answer);
                    }
                } else {
                    client.receive(now, at, &bytes);
                }
            }
            server.expire(clock.at(now));
            assert!(now < 150 * SECOND, "it never ends");
        }
        now
    }
}
