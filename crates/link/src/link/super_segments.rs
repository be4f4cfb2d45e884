//! Losses of whole super-segments.
//!
//! A sending host hands its TCP data to the interface as super-segments of up to 64 KiB (GSO, TSO), and netem on that
//! host drops a super-segment as one packet: `netem_enqueue` of Linux asks for a loss before the interface cuts it.
//!
//! The senders here have no super-segments. Data packets of one TCP flow that come to the queue of the link at one
//! instant form one, up to 64 KiB of payload. On the first link of a flow these are the packets that the sender
//! releases at one instant: a window, what an ACK allows, or a quantum of a pacing law. Behind another link packets
//! come one by one, and so do pure ACKs, datagrams and packets of coded transports: each is lost by itself.
//!
//! Unlike Linux, a retransmission joins new data of the same instant.

use airtcp_packet::{EndpointId, Kind, Packet};
use airtcp_units::Nanos;

/// Maximum payload of a super-segment (Linux: `GSO_LEGACY_MAX_SIZE`).
const MAX_BYTES: u32 = 65_536;

/// The last super-segment to an endpoint.
#[derive(Debug, Clone, Copy)]
struct Last {
    /// When it came to the queue.
    queued: Nanos,
    /// Payload so far.
    bytes: u32,
    lost: bool,
}

/// The last super-segment to each endpoint.
#[derive(Debug, Default)]
pub(super) struct SuperSegments {
    last: Vec<Option<Last>>,
}

/// The part of a packet in a super-segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    to: EndpointId,
    queued: Nanos,
    bytes: u32,
}

impl Part {
    /// A packet that came to the queue at `queued`; `None` for a packet by itself.
    pub(super) fn of(packet: &Packet, queued: Nanos) -> Option<Self> {
        let Packet { to, segment } = packet;
        let joins = segment.kind == Kind::Tcp && segment.len > 0;
        joins.then_some(Self { to: *to, queued, bytes: u32::from(segment.len) })
    }
}

impl SuperSegments {
    /// The fate of the super-segment that a packet continues; `None` if the packet begins one.
    pub(super) fn fate(&mut self, part: Part) -> Option<bool> {
        let last = self.last.get_mut(part.to.index())?.as_mut()?;
        if last.queued != part.queued || last.bytes + part.bytes > MAX_BYTES {
            return None;
        }
        last.bytes += part.bytes;
        Some(last.lost)
    }

    /// A packet begins a super-segment with this fate.
    pub(super) fn begin(&mut self, part: Part, lost: bool) {
        let index = part.to.index();
        if index >= self.last.len() {
            self.last.resize(index + 1, None);
        }
        self.last[index] = Some(Last { queued: part.queued, bytes: part.bytes, lost });
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{Flags, Pool, Segment, Seq, Side};
    use airtcp_probe::{EventSource, NoProbe, PoolCx};
    use airtcp_random::Seed;
    use proptest::prelude::*;

    use super::*;
    use crate::{Link, LinkConfig};

    fn link(more: &str) -> Link {
        let text = format!("rate = \"10 Mb/s\"\nloss_unit = \"super-segment\"\n{more}");
        let config: LinkConfig = toml::from_str(&text).unwrap();
        Link::new(&config, Seed::new(3), "l", &|path| Err(path.into())).unwrap()
    }

    fn data(flow: u32, seq: u32, len: u16) -> Packet {
        let mut segment = Segment::tcp(Flags::ACK, Seq(seq));
        segment.len = len;
        Packet { to: EndpointId::new(flow, Side::Server), segment }
    }

    /// Which packets are lost. Each comes to the queue at its time, and starts when the link is free.
    fn lost(link: &mut Link, packets: &[(u64, Packet)]) -> Vec<bool> {
        let (mut pool, mut probe) = (Pool::new(), NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Link(0));
        let mut lost = Vec::new();
        for (queued, packet) in packets {
            let id = cx.pool.insert(*packet);
            cx.pool.set_queued(Nanos(*queued), id);
            let now = Nanos(*queued).max(link.ready_at());
            link.handle(now, id, &mut cx);
            lost.push(!cx.pool.contains(id));
            while let Some(id) = link.poll(now, &mut cx) {
                cx.pool.remove(id);
            }
        }
        lost
    }

    /// The second super-segment is lost: 45 packets of 1448 B are 65,160 B, and a 46th begins the next one.
    #[test]
    fn a_super_segment_has_at_most_64_kib() {
        let packets: Vec<_> = (0..100).map(|n| (0, data(0, n, 1448))).collect();
        let fates = lost(&mut link("loss = { model = \"script\", drop = [2] }"), &packets);
        let expected: Vec<bool> = (0..100).map(|n| (45..90).contains(&n)).collect();
        assert_eq!(fates, expected);
    }

    /// Two flows in turn, at one instant: two super-segments. Packets of the next instant are a third and a fourth.
    #[test]
    fn each_flow_and_each_instant_has_its_own() {
        let packets: Vec<_> = (0..8).map(|n| (u64::from(n / 4), data(n % 2, n, 1000))).collect();
        let fates = lost(&mut link("loss = { model = \"script\", drop = [2, 3] }"), &packets);
        assert_eq!(fates, [false, true, false, true, true, false, true, false]);
    }

    #[test]
    fn acks_and_datagrams_are_lost_by_themselves() {
        let datagram =
            |n| Packet { to: EndpointId::new(0, Side::Server), segment: Segment::datagram(n, 500) };
        let packets = [
            (0, data(0, 0, 1000)),
            (0, data(0, 0, 0)),
            (0, datagram(1)),
            (0, datagram(2)),
            (0, data(0, 1, 1000)),
        ];
        let fates = lost(&mut link("loss = { model = \"script\", drop = [2, 4] }"), &packets);
        assert_eq!(fates, [false, true, false, true, false]);
    }

    #[test]
    fn it_is_not_for_a_link_protocol() {
        let text =
            "rate = \"1 Mb/s\"\nloss_unit = \"super-segment\"\nprotocol = { kind = \"ll-arq\" }";
        let config: LinkConfig = toml::from_str(text).unwrap();
        let error = Link::new(&config, Seed::new(3), "l", &|path| Err(path.into())).unwrap_err();
        assert!(error.to_string().starts_with("loss_unit: "), "{error}");
    }

    proptest! {
        /// Packets that come one by one are lost as with `loss_unit = "packet"`.
        #[test]
        fn single_packets_are_lost_as_ever(gaps in proptest::collection::vec(1u64..3_000_000, 1..60)) {
            let mut at = 0;
            let packets: Vec<_> = gaps
                .iter()
                .enumerate()
                .map(|(n, gap)| {
                    at += gap;
                    (at, data(0, u32::try_from(n).unwrap(), 1000))
                })
                .collect();
            let loss = "loss = { model = \"bernoulli\", probability = 0.3 }";
            let config: LinkConfig = toml::from_str(&format!("rate = \"10 Mb/s\"\n{loss}")).unwrap();
            let mut plain = Link::new(&config, Seed::new(3), "l", &|p| Err(p.into())).unwrap();
            prop_assert_eq!(lost(&mut link(loss), &packets), lost(&mut plain, &packets));
        }
    }
}
