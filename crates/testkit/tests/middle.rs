//! Machines in the middle of a flow: whatever the path does on both sides of the machine, every byte
//! arrives once and in order, and the connection ends.

use airtcp_packet::{EndpointId, Seq, Side};
use airtcp_testkit::{Pipe, Through, strategies};
use airtcp_transport::middle::{AckAgent, Eln, Middlebox, Snoop, SnoopParams, Split, SplitParams};
use airtcp_transport::tcp::{Recovery, State, TcpConfig};
use airtcp_units::{Bytes, Nanos, Span};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const DAY: Span = Span::from_secs(86_400);

/// Moves `bytes` to the server and to the client, closes both ends, and checks after every step that
/// a receiver has nothing that has not arrived.
fn transfer(path: &mut Through, bytes: [u64; 2]) -> Result<(), TestCaseError> {
    let [up, down] = bytes;
    path.ends[0].write(path.now(), up);
    path.ends[1].write(path.now(), down);
    path.ends[0].open(path.now());
    let mut closed = [false; 2];
    loop {
        let mut acted = false;
        for (side, expected) in [(Side::Client, down), (Side::Server, up)] {
            let (now, arrived) = (path.now(), path.arrived_in_order(side));
            let end = path.end(side);
            prop_assert!(end.delivered() <= arrived, "{side:?} at {now}");
            let open = matches!(end.state(), State::Established | State::CloseWait);
            if open && !closed[side as usize] && end.delivered() == expected {
                end.close(now);
                (closed[side as usize], acted) = (true, true);
            }
        }
        if !path.step() && !acted {
            break;
        }
        prop_assert!(path.now().0 < DAY.0, "it does not end");
    }
    let ends = &path.ends;
    prop_assert_eq!([ends[1].delivered(), ends[0].delivered()], bytes);
    prop_assert!(ends[0].is_finished() && ends[1].is_finished(), "{:?}", ends[0].state());
    Ok(())
}

fn snoop(cache_segments: u32, dup_thresh: u32) -> Box<dyn Middlebox> {
    let params = SnoopParams {
        cache_segments,
        dup_thresh,
        rto_min: Span::from_millis(100),
        rto_max: Span::from_secs(2),
    };
    Box::new(Snoop::new(params, [Through::guarded()].into()))
}

fn split(config: &TcpConfig, late: bool, buffer: u64, fails_at: Nanos) -> Box<dyn Middlebox> {
    let params = SplitParams { late, buffer: Bytes(buffer), fails_at };
    Box::new(Split::new(&params, [(0, config.clone())]))
}

/// Initial sequence numbers, many of which wrap within the transfer.
fn iss() -> impl Strategy<Value = [Seq; 2]> {
    let one = || prop_oneof![any::<u32>(), (u32::MAX - 60_000)..=u32::MAX].prop_map(Seq);
    [one(), one()]
}

/// Bytes to the server and to the client.
fn bytes() -> impl Strategy<Value = [u64; 2]> {
    (0u64..90_000, prop_oneof![Just(0u64), 0u64..20_000]).prop_map(|(up, down)| [up, down])
}

fn pipes() -> impl Strategy<Value = [Pipe; 4]> {
    [strategies::pipe(), strategies::pipe(), strategies::pipe(), strategies::pipe()]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn snoop_keeps_the_stream(
        config in strategies::config(),
        pipes in pipes(),
        bytes in bytes(),
        iss in iss(),
        cache in 1u32..40,
        dup_thresh in 1u32..4,
    ) {
        let mut path = Through::new(&config, iss, snoop(cache, dup_thresh));
        path.pipes = pipes;
        transfer(&mut path, bytes)?;
    }

    #[test]
    fn split_tcp_keeps_the_stream(
        config in strategies::config(),
        pipes in pipes(),
        bytes in bytes(),
        iss in iss(),
        late: bool,
        buffer in 4_096u64..100_000,
    ) {
        let mut path = Through::new(&config, iss, split(&config, late, buffer, Nanos::NEVER));
        path.pipes = pipes;
        transfer(&mut path, bytes)?;
    }

    /// The link layer also gives up packets that have arrived.
    #[test]
    fn eln_keeps_the_stream(
        config in strategies::config(),
        pipes in pipes(),
        bytes in bytes(),
        iss in iss(),
    ) {
        let ends = [Side::Client, Side::Server].map(|side| EndpointId::new(0, side));
        let mut path = Through::new(&config, iss, Box::new(Eln::new(ends.into())));
        path.pipes = pipes;
        transfer(&mut path, bytes)?;
    }

    /// The agent's link layer is reliable as far as it acknowledges: what arrives is acknowledged.
    #[test]
    fn the_ack_agent_keeps_the_stream(
        config in strategies::config(),
        pipes in pipes(),
        bytes in bytes(),
        iss in iss(),
    ) {
        let agent = AckAgent::new([Through::guarded()].into());
        let mut path = Through::new(&config, iss, Box::new(agent));
        path.pipes = pipes;
        transfer(&mut path, bytes)?;
    }
}

/// What is lost beyond the machine costs no window, in either direction; what is lost before it does.
#[test]
fn eln_tells_losses_of_the_air_from_others() {
    let lost = 1 << 14 | 1 << 22 | 1 << 23 | 1 << 35;
    let ends = || [Side::Client, Side::Server].map(|side| EndpointId::new(0, side));
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let config = TcpConfig {
            recovery,
            sack: recovery == Recovery::Sack,
            initial_window: Some(20),
            initial_ssthresh: Some(Bytes(20 * 1460)),
            ..TcpConfig::default()
        };
        for (pipe, from, is_air) in [(1, 0, true), (2, 1, true), (0, 0, false), (3, 1, false)] {
            let mut path =
                Through::new(&config, [Seq(1), Seq(2)], Box::new(Eln::new(ends().into())));
            path.pipes[pipe].lost = lost;
            let bytes = if from == 0 { [150_000, 0] } else { [0, 150_000] };
            transfer(&mut path, bytes).unwrap();
            let stats = path.ends[from].stats();
            let found = (stats.segments_retransmitted, stats.timeouts, stats.fast_retransmits > 0);
            assert_eq!(found, (4, 0, !is_air), "{recovery:?}, lost in pipe {pipe}");
            assert_eq!(stats.corruption_notices, if is_air { 4 } else { 0 });
        }
    }
}

/// The sender's round trip is its own half with early acknowledgement, and the whole path without.
#[test]
fn split_tcp_shortens_the_round_trip() {
    let config = TcpConfig { ack_every: 1, ..TcpConfig::default() };
    let rtt = |late: bool| {
        let middle = split(&config, late, 1 << 20, Nanos::NEVER);
        let mut path = Through::new(&config, [Seq(1), Seq(2)], middle);
        path.pipes[1] = Pipe::new(Span::from_millis(40));
        path.pipes[2] = Pipe::new(Span::from_millis(40));
        transfer(&mut path, [100_000, 0]).unwrap();
        assert_eq!(path.ends[0].stats().segments_retransmitted, 0, "late: {late}");
        path.ends[0].stats().rtt.min
    };
    assert_eq!(rtt(false), Span::from_millis(20));
    assert_eq!(rtt(true), Span::from_millis(100));
}

/// An end that is closed answers the FIN of its half with a reset, which ends the half: it would
/// retransmit the FIN for ever.
#[test]
fn a_reset_of_a_closed_end_ends_its_half() {
    let config = TcpConfig {
        mss: 896,
        recovery: Recovery::Tahoe,
        initial_window: Some(1),
        rto_initial: Span::from_millis(110),
        rto_min: Span::from_millis(110),
        receive_buffer: Bytes(896),
        window_scaling: false,
        sack: false,
        ..TcpConfig::default()
    };
    let middle = split(&config, false, 21_505, Nanos::NEVER);
    let mut path = Through::new(&config, [Seq(0), Seq(0)], middle);
    let pipe = |delay, lost, duplicated, late, late_by| Pipe {
        delay: Span::from_millis(delay),
        lost,
        duplicated,
        late,
        late_by: Span::from_millis(late_by),
    };
    path.pipes = [
        pipe(1, 4_655_760_892_950_272, 2_097_144, 0, 209),
        pipe(64, 0, 0, 0, 1),
        pipe(156, 0, 0, 0, 1),
        pipe(110, 16_449_764_982_832, 0, 17_596_749_447_936, 29),
    ];
    transfer(&mut path, [16_577, 0]).unwrap();
}

/// The client is gone before its ACK of the server's FIN has come: its reset stands for that ACK, also
/// where ACKs are withheld.
#[test]
fn a_reset_stands_for_the_last_ack() {
    let config = TcpConfig {
        initial_window: Some(8),
        ack_every: 1,
        receive_buffer: Bytes(11_680),
        window_scaling: false,
        ..TcpConfig::default()
    };
    for lost in [13_857_789_780_585_615_681, u64::MAX << 40, u64::MAX << 30] {
        let middle = split(&config, true, 11_680, Nanos::NEVER);
        let mut path = Through::new(&config, [Seq(0), Seq(0)], middle);
        path.pipes[0] = Pipe { lost, ..Pipe::new(Span::from_millis(1)) };
        path.pipes[3].lost = 71_776_119_061_217_280;
        transfer(&mut path, [29_201, 14_601]).unwrap();
    }
}

/// The machine dies in the middle of a transfer. With early acknowledgement the sender has been told
/// that bytes arrived that never do. With late acknowledgement it has not, and the two ends finish the
/// transfer by themselves.
#[test]
fn a_failure_breaks_early_acknowledgement_only() {
    let config = TcpConfig::default();
    for late in [false, true] {
        let middle = split(&config, late, 1 << 18, Nanos::from_secs_f64(0.4));
        let mut path = Through::new(&config, [Seq(1), Seq(2)], middle);
        path.pipes[1] = Pipe::new(Span::from_millis(60));
        path.ends[0].write(path.now(), 20_000_000);
        path.ends[0].open(path.now());
        while path.now() < Nanos::from_secs_f64(60.0) && path.step() {
            let [sender, receiver] = &path.ends;
            assert!(!late || sender.stats().bytes_acked <= receiver.delivered(), "{}", path.now());
        }
        let (acked, delivered) = (path.ends[0].stats().bytes_acked, path.ends[1].delivered());
        assert_eq!(acked > delivered, !late, "{acked} acknowledged, {delivered} delivered");
        assert_eq!(delivered == 20_000_000, late, "{delivered} delivered");
    }
}

/// Without loss beyond the agent few bare ACKs of the station reach the air: those that it sends before
/// the agent has seen its window.
#[test]
fn the_ack_agent_takes_acks_from_the_air() {
    let config = TcpConfig::default();
    let agent = AckAgent::new([Through::guarded()].into());
    let mut path = Through::new(&config, [Seq(1), Seq(2)], Box::new(agent));
    path.ends[0].write(path.now(), 1_000_000);
    path.ends[0].open(path.now());
    while path.ends[0].stats().bytes_acked < 1_000_000 {
        assert!(path.step());
    }
    let sent = path.sent()[2];
    assert!(sent <= 5, "{sent} packets for 685 segments");
    assert_eq!(path.ends[0].stats().segments_retransmitted, 0);
}

/// A segment lost beyond the machine comes from its cache, and the sender hears nothing of it; a
/// segment lost before the machine is the sender's.
#[test]
fn snoop_repairs_what_is_lost_behind_it() {
    for (pipe, by_sender, by_snoop) in [(1, 0, 3), (0, 3, 0)] {
        let mut path = Through::new(&TcpConfig::default(), [Seq(1), Seq(2)], snoop(100, 1));
        path.pipes[pipe].lost = 1 << 12 | 1 << 20 | 1 << 33;
        transfer(&mut path, [100_000, 0]).unwrap();
        let sender = path.ends[0].stats().segments_retransmitted;
        assert_eq!(
            (sender, path.middle.counts().retransmissions),
            (by_sender, by_snoop),
            "lost in pipe {pipe}"
        );
    }
}

/// Without a duplicate ACK the local timer repairs, long before the sender's timeout of 1 s.
#[test]
fn snoop_repairs_the_last_segment_by_its_timer() {
    // A delayed ACK comes later than the local timer.
    let config = TcpConfig { ack_every: 1, ..TcpConfig::default() };
    let mut path = Through::new(&config, [Seq(1), Seq(2)], snoop(100, 1));
    // The SYN, nine segments of data, and the tenth.
    path.pipes[1].lost = 1 << 10;
    path.ends[0].write(path.now(), 14_600);
    path.ends[0].open(path.now());
    while path.ends[1].delivered() < 14_600 {
        assert!(path.step());
    }
    assert!(path.now() < Nanos::from_secs_f64(0.5), "{}", path.now());
    assert_eq!(path.middle.counts().retransmissions, 1);
    assert_eq!(path.ends[0].stats().segments_retransmitted, 0);
}

/// A full cache evicts its oldest segments and counts them.
#[test]
fn snoop_counts_evictions() {
    let config = TcpConfig { initial_window: Some(20), ..TcpConfig::default() };
    let mut path = Through::new(&config, [Seq(1), Seq(2)], snoop(5, 1));
    transfer(&mut path, [20 * 1460, 0]).unwrap();
    assert_eq!(path.middle.counts().evictions, 15);
}
