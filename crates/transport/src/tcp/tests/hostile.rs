//! Any segments at any time: no panic, no endless answer, bounded memory, timers in the future.

use airtcp_packet::{Ecn, EndpointId, Flags, SackBlock, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_units::{Nanos, Span};
use proptest::prelude::*;

use crate::tcp::{
    CarefulHeuristic, Connection, Corrupted, EarlyRetransmit, Frto, LossNotification, LossResponse,
    Recovery, Role, SpuriousResponse, TcpConfig,
};

const ISS: u32 = u32::MAX - 500;
const PEER: u32 = u32::MAX - 1000;

#[derive(Debug, Clone)]
enum Step {
    Feed(Segment),
    /// A link reports this packet as corrupted.
    Corrupted(Segment),
    Wait(u64),
    Write(u64),
    Read(u64),
    Close,
    Abort,
    Manual,
}

/// Near the expected number, near the edges, or arbitrary.
fn number(base: u32) -> impl Strategy<Value = Seq> {
    prop_oneof![
        6 => (0u32..6000).prop_map(move |d| Seq(base.wrapping_add(d))),
        2 => (0u32..20).prop_map(move |d| Seq(base.wrapping_sub(d))),
        1 => (0u32..2_000_000).prop_map(move |d| Seq(base.wrapping_add(d))),
        1 => any::<u32>().prop_map(Seq),
    ]
}

fn flags() -> impl Strategy<Value = Flags> {
    prop_oneof![
        8 => Just(Flags::ACK),
        2 => Just(Flags::ACK | Flags::FIN),
        1 => Just(Flags::SYN),
        1 => Just(Flags::SYN | Flags::ACK),
        1 => Just(Flags::RST),
        1 => Just(Flags::ACK | Flags::ECE),
        1 => any::<u8>().prop_map(Flags),
    ]
}

fn segment() -> impl Strategy<Value = Segment> {
    let block = (number(ISS), number(ISS)).prop_map(|(start, end)| SackBlock { start, end });
    (
        (number(PEER), number(ISS), flags()),
        prop_oneof![4 => Just(0u16), 4 => 0u16..1500, 1 => any::<u16>()],
        prop_oneof![1 => Just(0u16), 4 => any::<u16>()],
        prop::option::of((0u32..5000, 0u32..5000)),
        prop::collection::vec(block, 0..5),
        (any::<u16>(), any::<u8>(), any::<bool>(), any::<bool>(), any::<bool>()),
    )
        .prop_map(
            |((seq, ack, flags), len, window, stamps, blocks, (mss, scale, sack, ce, lost))| {
                let mut s = Segment::tcp(flags, seq);
                (s.ack, s.len, s.window) = (ack, len, window);
                if let Some((value, echo)) = stamps {
                    s.set_timestamps(value, echo);
                }
                for b in blocks {
                    s.push_sack(b);
                }
                if flags.has(Flags::SYN) {
                    (s.mss, s.window_scale) = (mss, scale);
                    if sack {
                        s.set_sack_permitted();
                    }
                }
                if ce {
                    s.ecn = Ecn::Ce;
                }
                if lost {
                    s.set_loss_mark();
                }
                s
            },
        )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        20 => segment().prop_map(Step::Feed),
        3 => segment().prop_map(Step::Corrupted),
        5 => (0u64..5_000_000_000).prop_map(Step::Wait),
        3 => (0u64..20_000).prop_map(Step::Write),
        2 => (0u64..5000).prop_map(Step::Read),
        1 => Just(Step::Close),
        1 => Just(Step::Manual),
        1 => prop::bool::weighted(0.2).prop_map(|a| if a { Step::Abort } else { Step::Wait(1) }),
    ];
    prop::collection::vec(step, 1..150)
}

fn config() -> impl Strategy<Value = TcpConfig> {
    let recovery = prop::sample::select(vec![
        Recovery::Tahoe,
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack,
    ]);
    let frto = prop::sample::select(vec![Frto::Off, Frto::Rfc5682, Frto::Linux]);
    let response = prop::sample::select(vec![
        SpuriousResponse::Undo,
        SpuriousResponse::Eifel,
        SpuriousResponse::Keep,
    ]);
    let early = prop::sample::select(vec![
        EarlyRetransmit::Off,
        EarlyRetransmit::Segments,
        EarlyRetransmit::Bytes,
    ]);
    let answers = (frto, response, early, any::<[bool; 4]>());
    (recovery, any::<[bool; 6]>(), answers).prop_map(|(recovery, f, a)| TcpConfig {
        recovery,
        frto: a.0,
        spurious_response: a.1,
        early_retransmit: a.2,
        eifel_detection: a.3[0],
        dsack_undo: a.3[1],
        loss_notification: if a.3[2] { LossNotification::Oracle } else { LossNotification::None },
        careful_heuristic: if a.3[3] { CarefulHeuristic::Ack } else { CarefulHeuristic::None },
        timestamps: f[0],
        loss_response: if f[0] && a.3[3] { LossResponse::TpLda } else { LossResponse::Always },
        ecn: f[1],
        careful: f[2],
        keep_sack_after_rto: f[3],
        max_retries: f[4].then_some(5),
        nagle: f[5],
        ..TcpConfig::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn anything_may_arrive(
        config in config(),
        active in any::<bool>(),
        shake in prop::bool::weighted(0.8),
        steps in steps(),
    ) {
        let role = if active { Role::Active } else { Role::Passive };
        let mut c = Connection::new(&config, role, Seq(ISS));
        let mut probe = NoProbe;
        let mut cx = Cx::new(&mut probe, EventSource::Endpoint(EndpointId::new(0, Side::Client)));
        let mut now = Nanos::ZERO;
        c.open(now);
        let mut all = Vec::new();
        if shake {
            // Most cases begin with a proper handshake, so that later states are reached.
            let mut syn = Segment::tcp(if active { Flags::SYN | Flags::ACK } else { Flags::SYN }, Seq(PEER));
            (syn.ack, syn.mss, syn.window, syn.window_scale) = (Seq(ISS.wrapping_add(1)), 1460, 60_000, 2);
            syn.set_sack_permitted();
            let mut ack = Segment::tcp(Flags::ACK, Seq(PEER.wrapping_add(1)));
            (ack.ack, ack.window) = (Seq(ISS.wrapping_add(1)), 60_000);
            all.push(Step::Wait(1));
            all.push(Step::Feed(syn));
            if !active {
                all.push(Step::Feed(ack));
            }
            all.push(Step::Write(10_000));
        }
        all.extend(steps);
        for step in all {
            let answers = match &step {
                Step::Feed(_) => 2,
                // A FIN.
                Step::Corrupted(_) => 1,
                _ => 0,
            };
            let bare_limit = 2 + answers;
            match step {
                Step::Feed(segment) => c.handle(now, segment, &mut cx),
                Step::Corrupted(mut segment) => {
                    // Sometimes the correct numbers.
                    segment.seq = segment.ack;
                    c.on_corrupted(now, &Corrupted { segment, started: now });
                }
                Step::Wait(ns) => {
                    now += Span(ns);
                    let mut fired = 0;
                    while c.next_timer() <= now {
                        c.on_timer(now, &mut cx);
                        while c.poll(now, &mut cx).is_some() {}
                        fired += 1;
                        prop_assert!(fired < 10, "a timer that never stops");
                    }
                }
                Step::Write(n) => {
                    c.write(now, n);
                }
                Step::Read(n) => {
                    c.read(now, n);
                }
                Step::Close => c.close(now),
                Step::Abort => c.abort(now),
                Step::Manual => c.set_auto_read(false),
            }
            let mut bare = 0;
            let mut sent = 0;
            while let Some(s) = c.poll(now, &mut cx) {
                bare += u32::from(s.len == 0);
                sent += 1;
                prop_assert!(sent < 10_000, "never stops sending");
                prop_assert!(s.options_len() <= 40);
                prop_assert!(u32::from(s.len) + s.options_len() <= 1460 + 12);
            }
            prop_assert!(bare <= bare_limit, "{} bare segments at once", bare);
            prop_assert!(c.next_timer() >= now, "a timer in the past");
            prop_assert!(c.cwnd() >= 1 && c.readable() <= config.receive_buffer.0 + 65_535);
            prop_assert!(c.stats().state == c.state());
        }
    }
}

/// Thousands of one-byte islands: memory stays bounded, and order is restored.
#[test]
fn one_byte_islands_take_bounded_memory() {
    let mut c = Connection::new(&TcpConfig::default(), Role::Passive, Seq(ISS));
    let mut probe = NoProbe;
    let mut cx = Cx::new(&mut probe, EventSource::Endpoint(EndpointId::new(0, Side::Client)));
    let now = Nanos(1);
    let mut feed = |c: &mut Connection, s: Segment| {
        c.handle(now, s, &mut cx);
        while c.poll(now, &mut cx).is_some() {}
    };
    feed(&mut c, Segment::tcp(Flags::SYN, Seq(PEER)));
    let mut ack = Segment::tcp(Flags::ACK, Seq(PEER.wrapping_add(1)));
    ack.ack = Seq(ISS.wrapping_add(1));
    feed(&mut c, ack);
    assert!(c.is_established());
    for i in 0..30_000u32 {
        let mut s = ack;
        (s.seq, s.len) = (Seq(PEER.wrapping_add(3 + 2 * i)), 1);
        feed(&mut c, s);
    }
    assert_eq!(c.delivered(), 0);
    assert!(c.stats().segments_refused >= 30_000 - (1 << 14));
    let mut s = ack;
    s.len = 60_000;
    feed(&mut c, s);
    assert!(c.delivered() >= 60_000);
}
