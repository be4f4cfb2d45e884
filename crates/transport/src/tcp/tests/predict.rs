//! The predicted path of the next data at a receiver equals the path through all checks.

use airtcp_packet::{Ecn, EndpointId, Flags, SackBlock, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_units::{Bytes, Nanos, Span};
use proptest::prelude::*;

use crate::tcp::{Connection, Role, TcpConfig};

const ISS: Seq = Seq(u32::MAX - 500);
const PEER: Seq = Seq(u32::MAX - 1000);

/// A segment of the peer by its distance from the next expected byte and from our first byte.
#[derive(Debug, Clone)]
struct Arrival {
    ahead: i32,
    acked: u32,
    segment: Segment,
    wait: u64,
    /// Bytes that the application writes before.
    write: u64,
}

fn arrival() -> impl Strategy<Value = Arrival> {
    let flags = prop_oneof![
        8 => Just(Flags::ACK),
        2 => Just(Flags::ACK | Flags::PSH),
        1 => Just(Flags::ACK | Flags::FIN),
        1 => Just(Flags::ACK | Flags::CWR),
        1 => Just(Flags::ACK | Flags::ECE),
        1 => any::<u8>().prop_map(Flags),
    ];
    let ahead = prop_oneof![8 => Just(0), 1 => Just(1000), 1 => Just(-1000), 1 => -3000..3000i32];
    let acked = prop_oneof![8 => Just(0u32), 1 => Just(1000), 1 => 0u32..3000];
    let len = prop_oneof![4 => Just(1000u16), 1 => 0u16..1500];
    let writes = prop_oneof![15 => Just(0u64), 1 => Just(1000)];
    let more = (0u16..60_000, 0u64..300_000_000, any::<[bool; 4]>());
    (ahead, acked, flags, len, writes, more).prop_map(
        |(ahead, acked, flags, len, write, (window, wait, f))| {
            let mut segment = Segment::tcp(flags, PEER);
            (segment.len, segment.window) = (len, if f[0] { 60_000 } else { window });
            segment.ecn = if f[1] && f[2] { Ecn::Ce } else { Ecn::NotEct };
            if f[3] && f[2] {
                segment.push_sack(SackBlock { start: ISS.plus(1), end: ISS.plus(1001) });
            }
            Arrival { ahead, acked, segment, wait, write }
        },
    )
}

fn connected(config: &TcpConfig) -> Connection {
    let mut c = Connection::new(config, Role::Passive, ISS);
    let mut syn = Segment::tcp(Flags::SYN | Flags::ECE | Flags::CWR, PEER);
    (syn.mss, syn.window, syn.window_scale) = (1460, 60_000, 2);
    syn.set_sack_permitted();
    let mut ack = Segment::tcp(Flags::ACK, PEER.plus(1));
    (ack.ack, ack.window) = (ISS.plus(1), 60_000);
    for segment in [syn, ack] {
        c.handle(Nanos(1), segment, &mut cx(&mut NoProbe));
        while c.poll(Nanos(1), &mut cx(&mut NoProbe)).is_some() {}
    }
    assert!(c.is_established());
    c
}

fn cx(probe: &mut NoProbe) -> Cx<'_, NoProbe> {
    Cx::new(probe, EventSource::Endpoint(EndpointId::new(0, Side::Server)))
}

/// Acts on both connections at `now`. They send the same segments and are in the same state.
fn both(
    [a, b]: [&mut Connection; 2],
    now: Nanos,
    act: impl Fn(&mut Connection, bool),
) -> Result<(), TestCaseError> {
    act(a, true);
    act(b, false);
    loop {
        let next = [&mut *a, &mut *b].map(|c| c.poll(now, &mut cx(&mut NoProbe)));
        prop_assert_eq!(next[0], next[1]);
        if next[0].is_none() {
            break;
        }
    }
    prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
    Ok(())
}

proptest! {
    #[test]
    fn prediction_changes_nothing(
        arrivals in prop::collection::vec(arrival(), 1..60),
        [ecn, rack, eifel_detection, automatic] in any::<[bool; 4]>(),
        buffer in 3u64..80,
    ) {
        let receive_buffer = Bytes(buffer * 1000);
        let config =
            TcpConfig { ecn, rack, tlp: rack, eifel_detection, receive_buffer, ..TcpConfig::default() };
        let [mut a, mut b] = [(); 2].map(|()| connected(&config));
        for c in [&mut a, &mut b] {
            c.set_auto_read(automatic);
        }
        let mut now = Nanos(1);
        for Arrival { ahead, acked, segment: mut s, wait, write } in arrivals {
            now += Span(wait);
            let next = a.next_timer();
            both([&mut a, &mut b], now, |c, _| {
                if next <= now {
                    c.on_timer(now, &mut cx(&mut NoProbe));
                }
                c.write(now, write);
            })?;
            s.seq = Seq(a.next_expected().0.wrapping_add_signed(ahead));
            s.ack = ISS.plus(1 + acked);
            if a.is_closed() {
                break;
            }
            both([&mut a, &mut b], now, |c, predicted| {
                if predicted {
                    c.handle(now, s, &mut cx(&mut NoProbe));
                } else {
                    c.handle_unpredicted(now, &s, &mut cx(&mut NoProbe));
                }
            })?;
        }
    }
}

/// Bulk data is predicted, and other segments are not.
#[test]
fn the_next_data_is_predicted() {
    let mut c = connected(&TcpConfig::default());
    for _ in 0..10 {
        let mut s = Segment::tcp(Flags::ACK, c.next_expected());
        (s.ack, s.len, s.window) = (ISS.plus(1), 1000, 60_000);
        assert!(c.is_next_data(&s));
        let mut others = [s; 4];
        others[0].flags = Flags::ACK | Flags::FIN;
        others[1].seq = s.seq.plus(1);
        others[2].len = 0;
        others[3].ack = ISS.plus(2);
        assert!(others.iter().all(|other| !c.is_next_data(other)));
        c.handle(Nanos(2), s, &mut cx(&mut NoProbe));
        while c.poll(Nanos(2), &mut cx(&mut NoProbe)).is_some() {}
    }
    assert_eq!(c.delivered(), 10_000);
    // Something of this end is outstanding.
    c.write(Nanos(2), 500);
    assert!(c.poll(Nanos(2), &mut cx(&mut NoProbe)).is_some());
    let mut s = Segment::tcp(Flags::ACK, c.next_expected());
    (s.ack, s.len, s.window) = (ISS.plus(1), 1000, 60_000);
    assert!(!c.is_next_data(&s));
}
