//! Opening and closing: RFC 9293 sections 3.5, 3.6 and 3.10, RFC 6298 5.7, RFC 5961.

use airtcp_packet::{EndpointId, Flags, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_units::{Nanos, Span};

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{Connection, Recovery, Role, State, TcpConfig};

const CLIENT: Side = Side::Client;
const SERVER: Side = Side::Server;

/// A short exchange with data both ways, so that every kind of segment occurs.
fn exchange(config: &TcpConfig, lost: &[(Side, usize)]) -> Pair {
    let (lost, lost_too) = (lost.to_vec(), lost.to_vec());
    let mut pair = Pair::new(config, ms(10)).script(move |side, i, _| {
        if lost.contains(&(side, i)) { Fate::Drop } else { Fate::Deliver }
    });
    pair.act(SERVER, |s, now| s.write(now, 3000));
    pair.start(3000);
    pair.finish(Nanos(3_600_000_000_000));
    assert_eq!((pair.server.delivered(), pair.client.delivered()), (3000, 3000), "{lost_too:?}");
    pair
}

#[test]
fn every_segment_and_every_pair_lost() {
    for (recovery, timestamps, ecn) in [
        (Recovery::Sack, false, true),
        (Recovery::NewReno, true, false),
        (Recovery::Tahoe, false, false),
    ] {
        let config = TcpConfig { recovery, timestamps, ecn, ..TcpConfig::default() };
        let sent = exchange(&config, &[]).sent.len();
        assert!(sent >= 10);
        let all: Vec<(Side, usize)> = (0..14).flat_map(|i| [(CLIENT, i), (SERVER, i)]).collect();
        for a in 0..all.len() {
            for b in a..all.len() {
                let pair = exchange(&config, &[all[a], all[b]]);
                assert_eq!(pair.client.state(), State::TimeWait);
                assert_eq!(pair.server.state(), State::Closed);
            }
        }
    }
}

#[test]
fn the_usual_course() {
    let config = TcpConfig { time_wait: ms(5000), ..TcpConfig::default() };
    let mut pair = Pair::new(&config, ms(10));
    pair.start(100);
    pair.finish(at(1000));
    let flags: Vec<_> = pair
        .sent
        .iter()
        .map(|s| (s.at.0 / 1_000_000, s.from, format!("{:?}", s.segment.flags)))
        .collect();
    let expected = [
        (0, CLIENT, "S"),
        (10, SERVER, "S."),
        // The handshake's ACK carries the data, and the data the FIN.
        (20, CLIENT, "FP."),
        (30, SERVER, "."),
        (30, SERVER, "F."),
        (40, CLIENT, "."),
    ];
    let expected: Vec<_> = expected.iter().map(|e| (e.0, e.1, e.2.to_owned())).collect();
    assert_eq!(flags, expected);
    assert_eq!((pair.client.state(), pair.server.state()), (State::TimeWait, State::Closed));
    pair.run(at(5039));
    assert_eq!(pair.client.state(), State::TimeWait);
    pair.run(at(5040));
    assert_eq!(pair.client.state(), State::Closed);
    assert_eq!(pair.client.next_timer(), Nanos::NEVER);
}

#[test]
fn syn_is_repeated_with_back_off_and_its_loss_remembered() {
    let mut pair = Pair::new(&TcpConfig::default(), ms(10))
        .script(|side, i, _| if side == CLIENT && i < 3 { Fate::Drop } else { Fate::Deliver });
    pair.start(100_000);
    pair.run(at(7030));
    let times: Vec<u64> =
        pair.sent.iter().filter(|s| s.from == CLIENT).map(|s| s.at.0 / 1_000_000).collect();
    // 1 s, 2 s, 4 s in succession; then one segment of data (RFC 5681 section 3.1).
    assert_eq!(times, [0, 1000, 3000, 7000, 7020]);
    assert_eq!(pair.sent.iter().filter(|s| s.segment.len > 0).count(), 1);
    assert_eq!(pair.client.rto(), Span::from_secs(3), "RFC 6298 5.7");
    assert_eq!(pair.client.stats().handshake_retransmissions, 3);
    assert_eq!(pair.client.srtt(), None, "a repeated SYN is not timed");
    // With timestamps it is.
    let config = TcpConfig { timestamps: true, ..TcpConfig::default() };
    let mut pair = Pair::new(&config, ms(10))
        .script(|side, i, _| if side == CLIENT && i < 1 { Fate::Drop } else { Fate::Deliver });
    pair.start(100_000);
    pair.run(at(1021));
    assert_eq!(pair.client.srtt(), Some(ms(20)));
}

#[test]
fn a_syn_is_repeated_linearly_first_if_so_configured() {
    let config = TcpConfig { syn_linear_timeouts: 2, ..TcpConfig::default() };
    let mut pair = Pair::new(&config, ms(10))
        .script(|side, i, _| if side == CLIENT && i < 4 { Fate::Drop } else { Fate::Deliver });
    pair.act(CLIENT, Connection::open);
    pair.run(at(5010));
    let times: Vec<u64> =
        pair.sent.iter().filter(|s| s.from == CLIENT).map(|s| s.at.0 / 1_000_000).collect();
    // Two timeouts keep the second, the third doubles it.
    assert_eq!(times, [0, 1000, 2000, 3000, 5000]);
}

#[test]
fn giving_up() {
    let config = TcpConfig { max_syn_retries: Some(2), ..TcpConfig::default() };
    let mut pair = Pair::new(&config, ms(10)).script(|_, _, _| Fate::Drop);
    pair.act(CLIENT, Connection::open);
    pair.run(at(6999));
    assert_eq!(pair.client.state(), State::SynSent);
    pair.run(at(7000));
    assert_eq!(pair.client.state(), State::Closed);

    // Linear timeouts come on top: SYNs at 0, 1, 2, 3 and 5 s, as Linux has them at 0 to 5, 7, ..., 67 s.
    let config = TcpConfig { syn_linear_timeouts: 2, ..config };
    let mut pair = Pair::new(&config, ms(10)).script(|_, _, _| Fate::Drop);
    pair.act(CLIENT, Connection::open);
    pair.run(at(8999));
    assert_eq!(pair.client.state(), State::SynSent);
    assert_eq!(pair.sent.len(), 5);
    pair.run(at(9000));
    assert_eq!(pair.client.state(), State::Closed);

    let config = TcpConfig { max_retries: Some(3), ..TcpConfig::default() };
    let mut pair = Pair::new(&config, ms(10))
        .script(|_, _, s| if s.len > 0 { Fate::Drop } else { Fate::Deliver });
    pair.start(5000);
    pair.run(at(200_000));
    assert_eq!(pair.client.state(), State::Closed);
    assert_eq!(pair.client.stats().timeouts, 3);
}

#[test]
fn simultaneous_open_and_close() {
    let config = TcpConfig { time_wait: ms(1000), ..TcpConfig::default() };
    let mut pair = Pair::new(&config, ms(10));
    pair.server = Connection::new(&config, Role::Active, Seq(77));
    pair.server_closes = false;
    pair.act(CLIENT, Connection::open);
    pair.act(SERVER, Connection::open);
    pair.run(at(10));
    assert_eq!(
        (pair.client.state(), pair.server.state()),
        (State::SynReceived, State::SynReceived)
    );
    pair.run(at(100));
    assert!(pair.client.is_established() && pair.server.is_established());
    // It is unclear whether the SYN or the SYN-ACK was acknowledged: no sample, but no loss either.
    assert_eq!(pair.client.srtt(), None);
    assert_eq!(pair.client.stats().handshake_retransmissions, 0);
    assert_eq!(pair.client.cwnd(), 3 * 1460);
    for side in [CLIENT, SERVER] {
        pair.act(side, |c, now| {
            c.write(now, 500);
            c.close(now);
        });
    }
    pair.run(at(110));
    assert_eq!((pair.client.state(), pair.server.state()), (State::Closing, State::Closing));
    pair.run(at(120));
    assert_eq!((pair.client.state(), pair.server.state()), (State::TimeWait, State::TimeWait));
    assert_eq!((pair.client.delivered(), pair.server.delivered()), (500, 500));
    pair.run(at(1200));
    assert!(pair.client.is_closed() && pair.server.is_closed());
}

#[test]
fn half_close_lets_the_other_side_go_on() {
    let mut pair = Pair::new(&TcpConfig::default(), ms(10));
    pair.server_closes = false;
    pair.start(100);
    pair.run(at(100));
    assert_eq!((pair.client.state(), pair.server.state()), (State::FinWait2, State::CloseWait));
    assert!(pair.server.peer_closed());
    pair.act(SERVER, |s, now| s.write(now, 50_000));
    pair.run(at(1000));
    assert_eq!(pair.client.delivered(), 50_000);
    assert_eq!(pair.client.write(at(1000), 5), 0, "closed for writing");
    pair.act(SERVER, Connection::close);
    pair.run(at(1100));
    assert_eq!((pair.client.state(), pair.server.state()), (State::TimeWait, State::Closed));
}

#[test]
fn abort_resets_the_peer() {
    let mut pair = Pair::new(&TcpConfig::default(), ms(10));
    pair.connect();
    pair.act(CLIENT, |c, now| {
        c.write(now, 100_000);
        c.abort(now);
    });
    pair.run(at(1000));
    assert!(pair.client.is_closed() && pair.server.is_closed());
    assert_eq!(pair.client.next_timer(), Nanos::NEVER);
}

#[test]
fn closing_before_opening() {
    let mut c = Connection::new(&TcpConfig::default(), Role::Active, Seq(0));
    c.open(Nanos::ZERO);
    c.close(Nanos::ZERO);
    assert!(c.is_closed(), "nothing was written: the connection is gone");
    c.open(Nanos::ZERO);
    assert!(c.is_closed(), "a connection is used once");
    let mut c = Connection::new(&TcpConfig::default(), Role::Passive, Seq(0));
    c.close(Nanos::ZERO);
    assert!(c.is_closed());
}

#[test]
fn options_hold_only_if_both_offer_them() {
    let on = TcpConfig { timestamps: true, ecn: true, ..TcpConfig::default() };
    let off = TcpConfig {
        timestamps: false,
        ecn: false,
        sack: false,
        recovery: Recovery::NewReno,
        window_scaling: false,
        receive_buffer: airtcp_units::Bytes(65_535),
        mss: 536,
        ..TcpConfig::default()
    };
    for (client, server, all) in [(&on, &on, true), (&on, &off, false), (&off, &on, false)] {
        let mut pair = Pair::with(client, server, ms(10));
        pair.start(20_000);
        pair.finish(at(10_000));
        let data = pair.sent.iter().find(|s| s.segment.len > 0).unwrap().segment;
        assert_eq!(data.has_timestamps(), all);
        assert_eq!(data.ecn.is_capable(), all);
        assert_eq!(data.len, if all { 1448 } else { 536 });
        let synack = pair.sent.iter().find(|s| s.from == SERVER).unwrap().segment;
        assert_eq!(synack.sack_permitted(), all);
        assert_eq!(synack.flags.has(Flags::ECE), all);
        assert!(!synack.flags.has(Flags::CWR));
        assert_eq!(synack.window_scale != airtcp_packet::NO_WINDOW_SCALE, all);
        assert!(!pair.sent[0].segment.ecn.is_capable(), "a SYN is never ECT");
        if all {
            // A buffer of 1 MiB needs a shift of 5; the field of a SYN is not scaled.
            assert_eq!(synack.window_scale, 5);
            assert_eq!(synack.window, 65_535);
            let ack = pair.sent.iter().rfind(|s| s.from == SERVER).unwrap().segment;
            assert_eq!(ack.window, 32_768, "1 MiB / 2^5");
        }
    }
}

/// A single connection, driven by hand.
struct SingleEnd {
    c: Connection,
    now: Nanos,
}

impl SingleEnd {
    fn feed(&mut self, segment: Segment) -> Vec<Segment> {
        let mut probe = NoProbe;
        let mut cx = Cx::new(&mut probe, EventSource::Endpoint(EndpointId::new(0, CLIENT)));
        self.c.handle(self.now, segment, &mut cx);
        std::iter::from_fn(|| self.c.poll(self.now, &mut cx)).collect()
    }

    fn segment(flags: Flags, seq: u32, ack: u32) -> Segment {
        let mut s = Segment::tcp(flags, Seq(seq));
        s.ack = Seq(ack);
        s.window = 1000;
        s
    }

    /// Established, with ISNs 0 (ours) and 100.
    fn established() -> Self {
        let c = Connection::new(&TcpConfig::default(), Role::Passive, Seq(0));
        let mut a = Self { c, now: Nanos::ZERO };
        let synack = a.feed(Self::segment(Flags::SYN, 100, 0));
        assert_eq!(synack.len(), 1);
        a.feed(Self::segment(Flags::ACK, 101, 1));
        assert!(a.c.is_established());
        a
    }
}

#[test]
fn closed_and_listen_answer_with_resets() {
    let ack = SingleEnd::segment(Flags::ACK, 100, 55);
    let mut syn = SingleEnd::segment(Flags::SYN, 100, 0);
    syn.len = 10;
    let closed = Connection::new(&TcpConfig::default(), Role::Active, Seq(0));
    let mut a = SingleEnd { c: closed, now: Nanos::ZERO };
    let r = a.feed(ack);
    assert_eq!((r.len(), r[0].flags, r[0].seq), (1, Flags::RST, Seq(55)));
    let r = a.feed(syn);
    assert_eq!((r[0].flags, r[0].seq, r[0].ack), (Flags::RST | Flags::ACK, Seq(0), Seq(111)));
    assert!(a.feed(SingleEnd::segment(Flags::RST, 0, 0)).is_empty(), "a reset is never answered");
    let listen = Connection::new(&TcpConfig::default(), Role::Passive, Seq(0));
    let mut a = SingleEnd { c: listen, now: Nanos::ZERO };
    assert_eq!(a.feed(ack)[0].flags, Flags::RST);
    assert_eq!(a.c.state(), State::Listen);
}

#[test]
fn a_reset_in_syn_received_returns_to_listen() {
    let c = Connection::new(&TcpConfig::default(), Role::Passive, Seq(0));
    let mut a = SingleEnd { c, now: Nanos::ZERO };
    a.feed(SingleEnd::segment(Flags::SYN, 100, 0));
    assert_eq!(a.c.state(), State::SynReceived);
    a.feed(SingleEnd::segment(Flags::RST, 101, 0));
    assert_eq!((a.c.state(), a.c.next_timer()), (State::Listen, Nanos::NEVER));
    // Another peer may then connect.
    a.feed(SingleEnd::segment(Flags::SYN, 5000, 0));
    a.feed(SingleEnd::segment(Flags::ACK, 5001, 1));
    assert!(a.c.is_established());
}

#[test]
fn resets_and_syns_inside_the_window_are_challenged() {
    let mut a = SingleEnd::established();
    assert!(a.feed(SingleEnd::segment(Flags::RST, 1, 0)).is_empty(), "outside: dropped");
    let r = a.feed(SingleEnd::segment(Flags::RST, 150, 0));
    assert_eq!((r.len(), r[0].flags, r[0].ack), (1, Flags::ACK, Seq(101)));
    a.now = at(1000);
    let r = a.feed(SingleEnd::segment(Flags::SYN, 150, 0));
    assert_eq!((r.len(), r[0].flags), (1, Flags::ACK));
    assert!(a.c.is_established());
    a.feed(SingleEnd::segment(Flags::RST, 101, 0));
    assert!(a.c.is_closed(), "an exact reset resets");
}

#[test]
fn acknowledgements_of_unsent_data_are_refused() {
    let mut a = SingleEnd::established();
    a.c.write(Nanos::ZERO, 500);
    let r = a.feed(SingleEnd::segment(Flags::ACK, 101, 900));
    assert!(r.iter().any(|s| s.ack == Seq(101)), "answered with the correct number");
    assert_eq!(a.c.unacked(), 500);
    assert_eq!(a.c.peer_window(), 1000);
}

/// PAWS, RFC 7323 section 5.3.
#[test]
fn old_timestamps_are_refused() {
    let config = TcpConfig { timestamps: true, ..TcpConfig::default() };
    let c = Connection::new(&config, Role::Passive, Seq(0));
    let mut a = SingleEnd { c, now: Nanos::ZERO };
    let with = |mut s: Segment, value| {
        s.set_timestamps(value, 1);
        s
    };
    a.feed(with(SingleEnd::segment(Flags::SYN, 100, 0), 50));
    a.feed(with(SingleEnd::segment(Flags::ACK, 101, 1), 51));
    let mut data = SingleEnd::segment(Flags::ACK, 101, 1);
    data.len = 10;
    assert_eq!(a.feed(with(data, 40))[0].ack, Seq(101), "old: acknowledged, not delivered");
    assert_eq!(a.c.delivered(), 0);
    a.feed(data);
    assert_eq!(a.c.delivered(), 0, "without the option: dropped");
    a.feed(with(data, 60));
    assert_eq!(a.c.delivered(), 10);
}

/// A sender that has filled our window acknowledges from its right edge.
#[test]
fn a_bare_ack_on_the_right_edge_counts() {
    let mut a = SingleEnd::established();
    a.c.write(Nanos::ZERO, 500);
    let sent = a.feed(SingleEnd::segment(Flags::ACK, 101, 1));
    assert_eq!(sent.iter().map(|s| s.len).sum::<u16>(), 500);
    a.feed(SingleEnd::segment(Flags::ACK, 101 + 65_536, 501));
    assert_eq!(a.c.unacked(), 500, "one beyond it does not");
    a.feed(SingleEnd::segment(Flags::ACK, 101 + 65_535, 501));
    assert_eq!(a.c.unacked(), 0);
}
