//! Packets that fill one aggregate in a row.
//!
//! [`Medium::fill`] finds out for each packet which station, category and receiver the aggregate has, what room is left,
//! which rules hold and which session numbers the packet. None of these changes while one aggregate takes packets for
//! its receiver, so that a [`FillRun`] holds them. What it does with each packet is what [`Medium::fill`] does:
//!
//! - a packet for another receiver, or one that is too long, stays with the caller;
//! - an expired packet is dropped;
//! - any other one becomes the last MPDU, with the next sequence number of the session.
//!
//! A medium has none for multi-user PPDUs, for packets that share an MPDU (A-MSDU), for a receiver that the station does
//! not serve, and on a clock of its own. `crates/sim/tests/cells/overload.rs` compares both ways on random cells.

use airtcp_packet::{PacketId, Pool};
use airtcp_probe::{DropReason, PoolCx, Probe};
use airtcp_units::{Nanos, Span};

use super::books::Books;
use super::medium::Medium;
use super::packet::{Filling, Offered};
use crate::mac::{Class, Joining, Joins, data_bytes};
use crate::node::NodeId;

/// The aggregate of a station at this instant, while it takes packets.
#[derive(Debug)]
pub struct FillRun<'a> {
    now: Nanos,
    station: NodeId,
    category: usize,
    to: NodeId,
    joins: Joins<'a>,
    books: &'a mut Books,
    /// True if data frames have a QoS control field.
    qos: bool,
    /// Maximum age of a packet when an attempt begins.
    lifetime: Option<Span>,
}

impl Medium {
    /// Begins to fill an aggregate that [`Self::filling`] names with packets in a row, if that can be.
    pub fn fill_run(&mut self, now: Nanos, filling: Filling) -> Option<FillRun<'_>> {
        let Filling { station, category, to, multi_user } = filling;
        let Self { stations, cells, books, clock, .. } = self;
        let rules = &cells.of(station.index()).rules;
        let sender = &mut stations[station.index()];
        if multi_user || !clock.is_run() || !sender.serves(to) {
            return None;
        }
        let (qos, lifetime) = (rules.has_qos_control(), sender.lifetime(category));
        let joins = sender.joins(now, rules)?;
        Some(FillRun { now, station, category, to, joins, books, qos, lifetime })
    }
}

impl FillRun<'_> {
    /// True if a packet may fit.
    #[inline]
    pub const fn is_open(&self) -> bool {
        self.joins.is_open()
    }

    /// True if a packet of `wire_len` bytes fits.
    #[inline]
    pub fn has_room(&self, wire_len: u32) -> bool {
        self.joins.has_room_for(data_bytes(wire_len, self.qos))
    }

    /// Adds a packet. False if it is for another receiver or does not fit: it then stays with the caller.
    #[inline]
    pub fn add<P: Probe>(&mut self, offered: Offered, cx: &mut PoolCx<'_, P>) -> bool {
        let Offered { packet, to, entered, .. } = offered;
        let bytes = data_bytes(cx.pool.wire_len(packet), self.qos);
        if to != self.to || !self.joins.has_room_for(bytes) {
            return false;
        }
        let expires = self.lifetime.map_or(Nanos::NEVER, |l| Nanos(entered.0.saturating_add(l.0)));
        if expires < self.now {
            cx.discard(self.now, packet, DropReason::Lifetime, self.station.0);
            self.books.on_expired(self.station, self.category);
            return true;
        }
        self.join(packet, bytes, expires, cx.pool);
        true
    }

    #[inline]
    fn join(&mut self, packet: PacketId, bytes: u32, expires: Nanos, pool: &mut Pool) {
        let record = pool.get(packet);
        let class = if record.segment.len == 0 { Class::TcpAck } else { Class::Data };
        let flow = record.to.flow();
        self.books.on_join(flow);
        let sequence = self.joins.join(packet, &Joining { class, bytes, expires, flow });
        self.books.on_numbered(self.station, (self.category, self.to, sequence), packet, pool);
    }
}
