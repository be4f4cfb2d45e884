//! Two ends joined by paths that lose, delay and duplicate packets as configured, and a record of
//! the arrivals that does not depend on the receiver.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use airtcp_packet::{EndpointId, Kind, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_units::{Nanos, Span};

use super::bytes::Bytes;
use crate::lt::block::DATA_HEADER;
use crate::lt::{LtConfig, LtConnection};
use crate::tcp::{Role, TcpConfig};

/// Fate of the `n`-th packet that `side` sends at a time: the delays of its copies.
pub(super) type Way = Box<dyn FnMut(usize, u64, Nanos) -> Vec<Span>>;

pub(super) const ISS: [Seq; 2] = [Seq(4_294_967_000), Seq(70)];

/// Client and server, and the packets between them.
pub(super) struct Pair {
    pub(super) ends: [LtConnection; 2],
    pub(super) now: Nanos,
    pub(super) way: Way,
    /// Modifies arrivals at a side.
    pub(super) tamper: Box<dyn FnMut(usize, &mut Segment)>,
    travelling: BTreeMap<(Nanos, u64), (usize, Segment, Rc<[u8]>)>,
    pub(super) sent: [u64; 2],
    ordinal: u64,
    /// Arrivals at the server.
    pub(super) record: Record,
    /// Arrivals are not recorded.
    pub(super) record_off: bool,
    /// Largest number of packets of a side at one instant.
    pub(super) greatest_burst: u64,
    /// The client's packets carry bytes.
    pub(super) bytes: Option<Bytes>,
}

impl Pair {
    pub(super) fn new(lt: &LtConfig, tcp: &TcpConfig, way: Way) -> Self {
        Self::of([lt, lt], tcp, way)
    }

    pub(super) fn of(lt: [&LtConfig; 2], tcp: &TcpConfig, way: Way) -> Self {
        let end = |i: usize, role| LtConnection::new(lt[i], tcp, role, ISS[i]);
        Self {
            ends: [end(0, Role::Active), end(1, Role::Passive)],
            now: Nanos::ZERO,
            way,
            tamper: Box::new(|_, _| ()),
            travelling: BTreeMap::new(),
            sent: [0; 2],
            ordinal: 0,
            record: Record::default(),
            record_off: false,
            greatest_burst: 0,
            bytes: None,
        }
    }

    fn on<T>(
        &mut self,
        side: usize,
        f: impl FnOnce(&mut LtConnection, Nanos, &mut Cx<'_, NoProbe>) -> T,
    ) -> T {
        let source = EventSource::Endpoint(EndpointId::new(0, [Side::Client, Side::Server][side]));
        f(&mut self.ends[side], self.now, &mut Cx::new(&mut NoProbe, source))
    }

    fn drain(&mut self) {
        for side in [0, 1] {
            let mut burst = 0;
            while let Some(segment) = self.on(side, Machine::poll) {
                let n = self.sent[side];
                self.sent[side] += 1;
                burst += 1;
                assert!(burst < 100_000, "a machine that never stops sending");
                let payload: Rc<[u8]> = match &mut self.bytes {
                    Some(bytes) if side == 0 => bytes.payload(&segment).into(),
                    _ => Rc::default(),
                };
                for delay in (self.way)(side, n, self.now) {
                    let packet = (1 - side, segment, Rc::clone(&payload));
                    self.travelling.insert((self.now + delay, self.ordinal), packet);
                    self.ordinal += 1;
                }
            }
            self.greatest_burst = self.greatest_burst.max(burst);
        }
    }

    /// Advances to the next event; false if there is none.
    pub(super) fn step(&mut self) -> bool {
        self.drain();
        let arrival = self.travelling.first_key_value().map_or(Nanos::NEVER, |(k, _)| k.0);
        let timers = [0, 1].map(|side| self.ends[side].next_timer());
        let next = arrival.min(timers[0]).min(timers[1]);
        if next == Nanos::NEVER {
            return false;
        }
        self.now = self.now.max(next);
        if arrival <= next {
            if let Some((_, (side, mut segment, payload))) = self.travelling.pop_first() {
                (self.tamper)(side, &mut segment);
                if side == 1 && !self.record_off {
                    self.record.take(&segment);
                }
                self.on(side, |end, now, cx| end.handle(now, segment, cx));
                if let (1, Some(bytes)) = (side, &mut self.bytes) {
                    bytes.take(&segment, &payload);
                    let told = self.ends[1].delivered();
                    assert_eq!(told, bytes.delivered(), "what can be decoded is delivered");
                }
            }
        } else {
            for side in [0, 1] {
                if timers[side] <= self.now {
                    self.on(side, Machine::on_timer);
                }
            }
        }
        // The server closes when the client has.
        if self.ends[1].peer_closed() {
            self.ends[1].close(self.now);
        }
        self.drain();
        true
    }

    /// Sends `bytes`, closes, and runs until both ends have finished, at most for `limit`.
    pub(super) fn transfer(&mut self, bytes: u64, limit: Span) -> bool {
        self.ends[0].open(self.now);
        self.ends[0].write(self.now, bytes);
        self.ends[0].close(self.now);
        self.finish(limit)
    }

    pub(super) fn finish(&mut self, limit: Span) -> bool {
        let mut delivered = 0;
        for _ in 0..3_000_000 {
            if !self.step() || (self.ends[0].is_finished() && self.ends[1].is_finished()) {
                return true;
            }
            let now = self.ends[1].delivered();
            assert!(now >= delivered, "what was delivered stays delivered");
            delivered = now;
            if self.now > Nanos::ZERO + limit {
                return false;
            }
        }
        panic!("too many events: a machine keeps itself awake");
    }
}

/// Arrivals by block: its position in the stream, its size, its symbols.
#[derive(Debug, Default)]
pub(super) struct Record {
    blocks: BTreeMap<u32, (u64, u64, u16, BTreeSet<u8>)>,
    /// Packet numbers that arrived.
    pub(super) numbers: BTreeSet<u32>,
}

impl Record {
    fn take(&mut self, segment: &Segment) {
        if segment.kind != Kind::Coded || segment.len == 0 {
            return;
        }
        let (words, _) = segment.words();
        let [index, k, padding, _] = words[2].to_be_bytes();
        let last = u16::from(index) + 1 == u16::from(k);
        let symbol = u64::from(segment.len) + if last { u64::from(padding) } else { 0 };
        let bytes = symbol * u64::from(k) - u64::from(padding);
        assert!(segment.wire_len() == 40 + u32::from(DATA_HEADER) + u32::from(segment.len));
        let start = u64::from(segment.seq.0.wrapping_sub(ISS[0].0).wrapping_sub(1));
        self.numbers.insert(words[0]);
        let known = self
            .blocks
            .entry(words[1])
            .or_insert_with(|| (start, bytes, u16::from(k), BTreeSet::new()));
        assert_eq!(
            (known.0, known.1, known.2),
            (start, bytes, u16::from(k)),
            "one block, one shape"
        );
        known.3.insert(index);
    }

    /// Decodable in-order bytes: whole blocks that follow one another.
    pub(super) fn in_order(&self) -> u64 {
        let mut next = 0;
        for (expected, (number, (start, bytes, k, symbols))) in self.blocks.iter().enumerate() {
            if *number as usize != expected || symbols.len() < usize::from(*k) {
                break;
            }
            assert_eq!(*start, next, "blocks tile the stream");
            next += bytes;
        }
        next
    }

    /// Highest index of any block.
    pub(super) fn greatest_index(&self) -> u8 {
        self.blocks.values().filter_map(|b| b.3.last()).copied().max().unwrap_or(0)
    }
}
