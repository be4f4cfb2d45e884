use super::*;
use crate::{DropReason, FrameClass, LossCause};
use airtcp_packet::{Ecn, EndpointId, Flags, Packet, Pool, SackBlock, Seq, Side};
use airtcp_units::{BitRate, Span};
use std::collections::BTreeSet;

const END: Who = Who::Endpoint(EndpointId::new(4, Side::Client));

/// Events that differ from one another in one thing each.
fn different() -> Vec<(Nanos, Who, Event)> {
    let packet = Packet { to: EndpointId::new(0, Side::Server), segment: Segment::default() };
    let packet = Pool::new().insert(packet);
    let base = Segment::default();
    let change = |f: &dyn Fn(&mut Segment)| {
        let mut s = base;
        f(&mut s);
        s
    };
    let block = SackBlock { start: Seq(1), end: Seq(2) };
    let segments = [
        base,
        change(&|s| s.seq = Seq(1)),
        change(&|s| s.ack = Seq(1)),
        change(&|s| s.len = 1),
        change(&|s| s.window = 1),
        change(&|s| s.mss = 1),
        change(&|s| s.flags = Flags::FIN),
        change(&|s| s.window_scale = 1),
        change(&|s| s.ecn = Ecn::Ect1),
        change(&|s| s.kind = Kind::Udp),
        change(&|s| s.kind = Kind::Coded),
        change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[0])),
        change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1])),
        change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1, 0])),
        change(&|s| s.set_coding_permitted()),
        change(&|s| s.set_sack_permitted()),
        change(&|s| s.set_timestamps(0, 0)),
        change(&|s| s.set_timestamps(0, 1)),
        change(&|s| _ = s.push_sack(SackBlock::default())),
        change(&|s| _ = s.push_sack(block)),
    ];
    let mut events: Vec<Event> = Vec::new();
    for segment in segments {
        events.push(Event::SegmentReceived { segment });
        events.extend([true, false].map(|r| Event::SegmentSent { segment, retransmission: r }));
    }
    for i in 0..4 {
        let at = |n| u64::from(n == i);
        events.push(Event::Window {
            cwnd: at(0),
            ssthresh: at(1),
            pipe: at(2),
            peer_window: at(3),
        });
    }
    for i in 0..4 {
        let at = |n| u32::from(n == i);
        events.push(Event::Coding {
            estimate_ppm: at(0),
            segment: at(1),
            data: at(2),
            parity: at(3),
        });
    }
    for i in 0..3 {
        let at = |n| Span(u64::from(n == i));
        events.push(Event::Rtt { sample: at(0), srtt: at(1), rto: at(2) });
    }
    events.extend([Event::FastRetransmit, Event::Recovered, Event::Spurious]);
    events.extend([Event::Marked { packet }, Event::Arrived { packet }]);
    for n in [0, 1] {
        let (packets, bytes, duration) = (n, u64::from(n), Span(u64::from(n)));
        events.extend([Event::Timeout { backoff: n }, Event::Delivered { bytes }]);
        events.push(Event::Enqueued { packet, packets, bytes: 0 });
        events.push(Event::Enqueued { packet, packets: 7, bytes });
        events.push(Event::Dequeued { packet, packets, bytes: 0 });
        events.push(Event::Dequeued { packet, packets: 7, bytes });
        events.push(Event::TxStart { packet, duration });
    }
    events.extend(DropReason::ALL.map(|reason| Event::Dropped { packet, reason }));
    for cause in [LossCause::Overflow, LossCause::Collision, LossCause::Corruption] {
        for (number, packets) in [(0, 1), (1, 1), (0, 2)] {
            events.push(Event::LossJudged { number, packets, cause });
        }
    }
    let mut all: Vec<_> = events.into_iter().map(|e| (Nanos(5), END, e)).collect();
    all.push((Nanos(6), END, Event::Recovered));
    let others = [
        Who::Endpoint(EndpointId::new(4, Side::Server)),
        Who::Endpoint(EndpointId::new(0, Side::Client)),
        Who::Link(0),
        Who::Link(8),
        Who::Queue(0),
        Who::Queue(8),
    ];
    all.extend(others.map(|who| (Nanos(5), who, Event::Recovered)));
    all
}

fn on_air() -> Vec<AirEvent> {
    let base = AirFrame {
        from: 1,
        to: None,
        class: FrameClass::Data,
        rate: BitRate::from_mbps(6),
        ofdm: true,
        bytes: 9,
        category: None,
        sequence: 0,
        fragment: 0,
        more_fragments: false,
        retry: false,
        attempt: 1,
        duration: Span::ZERO,
        started: Nanos(1),
        body: Nanos(2),
        ended: Nanos(3),
        content: None,
    };
    let segment = Segment::default();
    let ends = [0, 1].map(|flow| EndpointId::new(flow, Side::Server));
    let mut events: Vec<AirEvent> = [
        base,
        AirFrame { from: 2, ..base },
        AirFrame { to: Some(0), ..base },
        AirFrame { class: FrameClass::Rts, ..base },
        AirFrame { rate: BitRate::from_mbps(9), ..base },
        AirFrame { ofdm: false, ..base },
        AirFrame { bytes: 8, ..base },
        AirFrame { category: Some(0), ..base },
        AirFrame { category: Some(1), ..base },
        AirFrame { sequence: 1, ..base },
        AirFrame { fragment: 1, ..base },
        AirFrame { more_fragments: true, ..base },
        AirFrame { retry: true, ..base },
        AirFrame { attempt: 2, ..base },
        AirFrame { duration: Span(1), ..base },
        AirFrame { started: Nanos(0), ..base },
        AirFrame { body: Nanos(1), ..base },
        AirFrame { ended: Nanos(2), ..base },
        AirFrame { content: Some((ends[0], segment)), ..base },
        AirFrame { content: Some((ends[1], segment)), ..base },
    ]
    .map(|frame| AirEvent::Sent { frame, loss: None })
    .to_vec();
    let losses = [FrameLoss::TransmitterSide, FrameLoss::Interferer, FrameLoss::Noise]
        .into_iter()
        .chain(FrameClass::ALL.map(FrameLoss::Collision))
        .chain(FrameClass::ALL.map(FrameLoss::Captured));
    events.extend(losses.map(|loss| AirEvent::Sent { frame: base, loss: Some(loss) }));
    for (station, signal_dbm, noise_dbm, whole) in
        [(0, 1.0, 1.0, true), (1, 1.0, 1.0, true), (0, 2.0, 1.0, true), (0, 1.0, 2.0, true)]
    {
        let frame = base;
        events.push(AirEvent::Heard { station, frame, signal_dbm, noise_dbm, whole });
        events.push(AirEvent::Heard { station, frame, signal_dbm, noise_dbm, whole: !whole });
    }
    for (station, category, from, until, slots, left) in [
        (0, 0, 0, 0, 0, 0),
        (1, 0, 0, 0, 0, 0),
        (0, 1, 0, 0, 0, 0),
        (0, 0, 1, 0, 0, 0),
        (0, 0, 0, 1, 0, 0),
        (0, 0, 0, 0, 1, 0),
        (0, 0, 0, 0, 0, 1),
    ] {
        let (from, until) = (Nanos(from), Nanos(until));
        events.push(AirEvent::BackedOff { station, category, from, until, slots, left });
    }
    for (station, until) in [(0, Nanos(0)), (1, Nanos(0)), (0, Nanos(1))] {
        events.push(AirEvent::Reserved { station, until });
    }
    events
}

fn of(events: &[(Nanos, Who, Event)]) -> u64 {
    let mut fingerprint = Fingerprint::new();
    for (now, who, event) in events {
        fingerprint.record(*now, *who, event);
    }
    fingerprint.value()
}

#[test]
fn every_field_counts() {
    let mut events = different();
    // Not in `different()`, which the pinned number is of.
    events.extend(
        [1, 2].map(|n| (Nanos(5), END, Event::Bandwidth { estimate: BitRate::from_mbps(n) })),
    );
    events.extend(on_air().into_iter().map(|event| (Nanos(5), END, Event::Air(event))));
    events.push((Nanos(5), Who::Air(8), Event::Recovered));
    let seen: BTreeSet<u64> = events.iter().map(|e| of(&[*e])).collect();
    assert_eq!(seen.len(), events.len());
}

#[test]
fn order_counts() {
    let events = different();
    let mut swapped = events.clone();
    swapped.swap(3, 17);
    assert_ne!(of(&events), of(&swapped));
    assert_ne!(of(&events), of(&events[..events.len() - 1]));
    assert_eq!(of(&events), of(&different()));
}

#[test]
fn packet_handles_do_not_count() {
    let mut pool = Pool::new();
    let packet = Packet { to: EndpointId::new(0, Side::Server), segment: Segment::default() };
    let ids = [pool.insert(packet), pool.insert(packet)];
    let [a, b] = ids.map(|packet| of(&[(Nanos(1), END, Event::Arrived { packet })]));
    assert_eq!(a, b);
}

#[test]
fn the_number_is_pinned() {
    // The same in every process, build and platform. A change here makes every published
    // fingerprint another one; it needs a line under "Changed behaviour".
    let mut fingerprint = Fingerprint::new();
    for (now, who, event) in different() {
        fingerprint.record(now, who, &event);
    }
    assert_eq!(fingerprint.hex(), PINNED);
    assert_eq!(fingerprint.events(), different().len() as u64);
}

const PINNED: &str = "241a7307ff603fb6";
