//! Predicted paths equal the general ones: of the next data at a receiver, and of the next ACK and the next segment at a
//! sender.

use airtcp_congestion::LawConfig;
use airtcp_packet::{Ecn, EndpointId, Flags, SackBlock, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_units::{Bytes, Nanos, Span};
use proptest::prelude::*;

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{Connection, Ect, Profile, Recovery, Role, RttSampling, TcpConfig};

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
    let more = (0u16..60_000, 0u64..300_000_000, any::<[bool; 5]>());
    (ahead, acked, flags, len, writes, more).prop_map(
        |(ahead, acked, flags, len, write, (window, wait, f))| {
            let mut segment = Segment::tcp(flags, PEER);
            (segment.len, segment.window) = (len, if f[0] { 60_000 } else { window });
            segment.ecn = if f[1] && f[2] { Ecn::Ce } else { Ecn::NotEct };
            // The flag AE: with a count of marks, no flag but ACK may be a count of 0 or 4.
            segment.set_ace(segment.ace() | if f[4] { 4 } else { 0 });
            if f[3] && f[2] {
                segment.push_sack(SackBlock { start: ISS.plus(1), end: ISS.plus(1001) });
            }
            Arrival { ahead, acked, segment, wait, write }
        },
    )
}

fn connected(config: &TcpConfig) -> Connection {
    let mut c = Connection::new(config, Role::Passive, ISS);
    let mut syn = Segment::tcp(Flags::SYN, PEER);
    syn.set_ace(if config.accecn { 0b111 } else { 0b011 });
    (syn.mss, syn.window, syn.window_scale) = (1460, 60_000, 2);
    syn.set_sack_permitted();
    let mut ack = Segment::tcp(Flags::ACK, PEER.plus(1));
    (ack.ack, ack.window) = (ISS.plus(1), 60_000);
    ack.set_ace(if config.accecn { 0b010 } else { 0 });
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
    act: impl Fn(&mut Connection),
) -> Result<(), TestCaseError> {
    act(a);
    act(b);
    loop {
        let next = [&mut *a, &mut *b].map(|c| c.poll(now, &mut cx(&mut NoProbe)));
        prop_assert_eq!(next[0], next[1]);
        if next[0].is_none() {
            break;
        }
    }
    prop_assert_eq!(state(a), state(b));
    Ok(())
}

/// All of a connection but whether it predicts.
fn state(c: &Connection) -> String {
    format!("{c:?}").replace("takes_general_paths: true", "takes_general_paths: false")
}

proptest! {
    #[test]
    fn prediction_changes_nothing(
        arrivals in prop::collection::vec(arrival(), 1..60),
        [ecn, accurate, rack, eifel_detection, automatic] in any::<[bool; 5]>(),
        buffer in 3u64..80,
    ) {
        let receive_buffer = Bytes(buffer * 1000);
        let accecn = ecn && accurate;
        let config = TcpConfig {
            ecn, accecn, rack, tlp: rack, eifel_detection, receive_buffer, ..TcpConfig::default()
        };
        let [mut a, mut b] = [(); 2].map(|()| connected(&config));
        b.take_general_paths();
        for c in [&mut a, &mut b] {
            c.set_auto_read(automatic);
        }
        let mut now = Nanos(1);
        for Arrival { ahead, acked, segment: mut s, wait, write } in arrivals {
            now += Span(wait);
            let next = a.next_timer();
            both([&mut a, &mut b], now, |c| {
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
            both([&mut a, &mut b], now, |c| c.handle(now, s, &mut cx(&mut NoProbe)))?;
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
        assert!(c.is_next_data(Nanos(2), &s));
        let mut others = [s; 4];
        others[0].flags = Flags::ACK | Flags::FIN;
        others[1].seq = s.seq.plus(1);
        others[2].len = 0;
        others[3].ack = ISS.plus(2);
        assert!(others.iter().all(|other| !c.is_next_data(Nanos(2), other)));
        c.handle(Nanos(2), s, &mut cx(&mut NoProbe));
        while c.poll(Nanos(2), &mut cx(&mut NoProbe)).is_some() {}
    }
    assert_eq!(c.delivered(), 10_000);
    // Something of this end is outstanding.
    c.write(Nanos(2), 500);
    assert!(c.poll(Nanos(2), &mut cx(&mut NoProbe)).is_some());
    let mut s = Segment::tcp(Flags::ACK, c.next_expected());
    (s.ack, s.len, s.window) = (ISS.plus(1), 1000, 60_000);
    assert!(!c.is_next_data(Nanos(2), &s));
}

/// Every law, recovery and option that the sender of bulk data meets.
fn bulk_config() -> impl Strategy<Value = TcpConfig> {
    let law = prop::sample::select(LawConfig::all());
    let recovery = prop::sample::select(vec![
        Recovery::Tahoe,
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack,
        Recovery::SackNs2,
    ]);
    let profile = prop::sample::select(Profile::ALL.to_vec());
    let buffers = (2u64..60, prop::option::of(2u64..60));
    let flags = prop::collection::vec(any::<bool>(), 12);
    (profile, law, recovery, flags, 1u32..4, buffers).prop_map(
        |(profile, congestion, recovery, f, ack_every, (buffer, start))| {
            let base = TcpConfig::profile(profile);
            if f[0] {
                return TcpConfig { congestion, ..base };
            }
            let rack = f[1] && recovery == Recovery::Sack;
            TcpConfig {
                congestion,
                recovery,
                rack,
                tlp: rack && f[2],
                sack: true,
                timestamps: f[3],
                ecn: f[4],
                accecn: f[4] && f[11],
                ect: if f[4] && f[11] { Ect::Ect1 } else { Ect::Ect0 },
                nagle: f[5],
                limited_transmit: f[6],
                dsack: f[7],
                dsack_undo: f[7] && f[8],
                eifel_detection: f[3] && f[8],
                careful: f[9],
                ack_every,
                receive_buffer: Bytes(buffer * 1000),
                send_buffer: start.map(|n| Bytes(n * 1000)),
                rtt_sampling: if f[10] {
                    RttSampling::EveryAck
                } else {
                    RttSampling::OnePerRoundTrip
                },
                ..base
            }
        },
    )
}

/// The fates of segments in one direction: a few losses, late segments and copies, and marks.
fn fates() -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop_oneof![
        1 => Just(Vec::new()),
        4 => prop::collection::vec((0usize..300, 0u8..8), 0..14),
    ]
}

fn fate(list: &[(usize, u8)], number: usize, segment: &Segment) -> Fate {
    match list.iter().find(|(n, _)| *n == number).map(|(_, kind)| *kind) {
        None => Fate::Deliver,
        Some(0..=3) => Fate::Drop,
        Some(4) => Fate::Late(ms(7)),
        Some(5) => Fate::Twice(ms(3)),
        Some(6) if segment.ecn.is_capable() => Fate::Mark,
        Some(_) => Fate::Late(ms(400)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Two pairs make the same transfer, one of them without prediction and with a poll for each segment: they send the same
    /// segments and end in the same states.
    #[test]
    fn transfers_are_the_same(
        config in bulk_config(),
        forward in fates(),
        back in fates(),
        bytes in prop_oneof![1 => 1u64..3000, 4 => 20_000u64..400_000],
        parts in 1u64..4,
        most in prop::sample::select(vec![1, 2, 3, u32::MAX]),
    ) {
        prop_assume!(config.validate().is_ok());
        let [mut a, mut b] = [false, true].map(|general| {
            let (forward, back) = (forward.clone(), back.clone());
            let mut pair = Pair::new(&config, ms(10)).script(move |side, number, segment| {
                fate(if side == Side::Client { &forward } else { &back }, number, segment)
            });
            pair.most = if general { 1 } else { most };
            if general {
                pair.client.take_general_paths();
                pair.server.take_general_paths();
            }
            pair.act(Side::Client, Connection::open);
            pair
        });
        let (mut written, mut step) = (0, 0);
        while step < 3000 && !a.client.is_closed() {
            for pair in [&mut a, &mut b] {
                // The application writes in parts, and closes at the end.
                if step % 40 == 0 && written < parts {
                    pair.act(Side::Client, |c, now| {
                        c.write(now, bytes);
                    });
                    if written + 1 == parts {
                        pair.act(Side::Client, Connection::close);
                    }
                }
            }
            written += u64::from(step % 40 == 0);
            step += 1;
            let more = a.step(at(60_000));
            prop_assert_eq!(more, b.step(at(60_000)));
            if !more {
                break;
            }
            if step % 16 == 0 {
                prop_assert_eq!(state(&a.client), state(&b.client));
                prop_assert_eq!(state(&a.server), state(&b.server));
            }
        }
        let sent = |pair: &Pair| pair.sent.iter().map(|s| (s.at, s.from, s.segment)).collect::<Vec<_>>();
        prop_assert_eq!(sent(&a), sent(&b));
        prop_assert_eq!(state(&a.client), state(&b.client));
        prop_assert_eq!(state(&a.server), state(&b.server));
    }
}

/// The sender of bulk data predicts ACKs, and goes back to it after a loss.
#[test]
fn the_next_ack_is_predicted() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::SackNs2] {
        let config = TcpConfig { recovery, ..TcpConfig::default() };
        let mut pair = Pair::new(&config, ms(10)).script(|side, i, _| {
            if side == Side::Client && i == 60 { Fate::Drop } else { Fate::Deliver }
        });
        pair.most = u32::MAX;
        pair.start(400_000);
        let (mut plain, mut steps) = (0, 0);
        while pair.step(at(1000)) && pair.client.unacked() > 0 {
            plain += u32::from(pair.client.is_plain());
            steps += 1;
        }
        assert_eq!(pair.client.stats().fast_retransmits, 1, "{recovery:?}");
        assert!(plain * 3 > steps * 2, "{recovery:?}: plain at {plain} of {steps} steps");
        assert!(pair.longest > 1, "{recovery:?}: no two segments left at once");
    }
}
