//! Tests of both ends: the stream arrives complete under any network behaviour, and no peer can
//! bring a sender down.

mod bytes;
mod closed_forms;
mod hostile;
mod pair;

use airtcp_congestion::Needs;
use airtcp_units::{Nanos, Span};
use proptest::prelude::*;

use super::*;
use crate::tcp::{State, TcpConfig};
use pair::{Pair, Way};

const fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

fn tcp() -> TcpConfig {
    TcpConfig { rto_min: ms(200), time_wait: ms(1), ..TcpConfig::default() }
}

/// A path of 20 ms without losses.
fn clean() -> pair::Way {
    Box::new(|_, _, _| vec![ms(20)])
}

/// A fixed pseudo-random number.
fn mixed(n: u64, salt: u64) -> u64 {
    let mut z = n.wrapping_add(salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Loses and duplicates packets at random, per thousand and side. Delays them by 20 ms and up to
/// `jitter` ms more, so that they overtake each other.
fn at_random(salt: u64, losses: [u64; 2], copies: u64, jitter: u64) -> Way {
    Box::new(move |side, n, _| {
        let x = mixed(n * 2 + side as u64, salt);
        if x % 1000 < losses[side] {
            return vec![];
        }
        let late = |x: u64| ms(20) + Span((x >> 20) % (jitter * 1_000_000 + 1));
        let mut delays = vec![late(x)];
        if (x >> 10) % 1000 < copies {
            delays.push(late(x.rotate_left(9)));
        }
        delays
    })
}

/// Loses a share of the data packets, in thousandths; the reverse path is clean.
fn lossy(thousandths: u64, salt: u64) -> pair::Way {
    Box::new(move |side, n, _| {
        let lost = side == 0 && n > 1 && mixed(n, salt) % 1000 < thousandths;
        if lost { vec![] } else { vec![ms(20)] }
    })
}

#[test]
fn a_transfer_without_losses() {
    let mut pair = Pair::new(&LtConfig::default(), &tcp(), clean());
    assert!(pair.transfer(1_000_000, Span::from_secs(20)));
    let (client, server) = (&pair.ends[0], &pair.ends[1]);
    assert_eq!((client.mode(), server.mode()), (Mode::Coded, Mode::Coded));
    assert_eq!((server.delivered(), pair.record.in_order()), (1_000_000, 1_000_000));
    let s = client.stats();
    assert_eq!((s.data.bytes, s.bytes_acked), (1_000_000, 1_000_000));
    assert_eq!(s.proactive.symbols + s.reactive.symbols + s.resent.symbols, 0, "{s:?}");
    assert_eq!((s.timeouts, s.symbols_lost, server.stats().duplicates), (0, 0, 0));
    assert!(client.ecn_works() && client.is_finished() && server.is_finished());
    assert_eq!(client.segment_size(), 1460);
    // Opening takes 40 ms, plus the round trips that the window needs to double to a megabyte.
    assert!(pair.now < Nanos(800_000_000), "{:?}", pair.now);
}

#[test]
fn plain_tcp_with_a_peer_that_does_not_code() {
    let off = LtConfig { offer: false, ..LtConfig::default() };
    let on = LtConfig::default();
    for configs in [[&on, &off], [&off, &on], [&off, &off]] {
        let mut pair = Pair::of(configs, &tcp(), lossy(30, 5));
        assert!(pair.transfer(300_000, Span::from_secs(100)));
        for end in &pair.ends {
            assert_eq!((end.mode(), end.tcp().state()), (Mode::Plain, State::Closed));
            assert_eq!(end.stats(), &LtStats::default());
        }
        assert_eq!(pair.ends[1].delivered(), 300_000);
        assert!(pair.ends[0].counters().bytes_sent > 300_000, "SACK's retransmissions");
        assert_eq!(pair.record.in_order(), 0, "no coded segment");
    }
}

/// The option is lost with the SYN, the SYN-ACK or the ACK, and a retransmission repeats it.
#[test]
fn lost_handshakes() {
    for (side, n) in [(0, 0), (1, 0), (0, 1)] {
        let way = move |s: usize, i: u64, _: Nanos| {
            if (s, i) == (side, n) { vec![] } else { vec![ms(20)] }
        };
        let mut pair = Pair::new(&LtConfig::default(), &tcp(), Box::new(way));
        assert!(pair.transfer(100_000, Span::from_secs(20)));
        assert_eq!((pair.ends[1].mode(), pair.ends[1].delivered()), (Mode::Coded, 100_000));
    }
}

/// Both directions at once, with a late end of stream.
#[test]
fn both_ways() {
    let mut pair = Pair::new(&LtConfig::default(), &tcp(), lossy(100, 3));
    pair.ends[0].open(Nanos::ZERO);
    pair.ends[0].write(Nanos::ZERO, 200_000);
    pair.ends[1].write(Nanos::ZERO, 150_000);
    while pair.ends[0].delivered() < 150_000 || pair.ends[1].delivered() < 200_000 {
        assert!(pair.step() && pair.now < Nanos::ZERO + Span::from_secs(60));
    }
    let now = pair.now;
    pair.ends[0].close(now);
    assert!(pair.finish(Span::from_secs(100)));
    assert_eq!((pair.ends[0].delivered(), pair.ends[1].delivered()), (150_000, 200_000));
    assert!(pair.ends[1].peer_closed());
}

/// Half of everything is lost for a minute: blocks of up to 255 symbols, and each index is new
/// while any are unused.
#[test]
fn parity_uses_new_indices_while_the_code_has_any() {
    let mut pair = Pair::new(&LtConfig::default(), &tcp(), lossy(500, 9));
    assert!(pair.transfer(3_000_000, Span::from_secs(200)));
    let s = pair.ends[0].stats();
    assert_eq!(pair.record.in_order(), 3_000_000);
    assert!(pair.record.greatest_index() <= 254);
    assert!(s.reactive.symbols > 0 && s.resent.symbols * 20 < s.symbols_sent(), "{s:?}");
    assert!((pair.ends[0].loss_estimate() - 0.5).abs() < 0.2);
}

/// With a whole window as one block of 254, only one more index is left; after it, symbols repeat.
#[test]
fn symbols_repeat_once_the_indices_are_used_up() {
    let config = LtConfig {
        block_limit: 254,
        proactive: Proactive::Fixed,
        fixed_share: 0.0,
        ..LtConfig::default()
    };
    let mut pair = Pair::new(&config, &tcp(), lossy(300, 2));
    assert!(pair.transfer(3_000_000, Span::from_secs(200)));
    let s = *pair.ends[0].stats();
    assert_eq!(pair.record.in_order(), 3_000_000);
    assert!(s.resent.symbols > 100, "{s:?}");
}

/// The baseline without adaptation: a fixed share of parity, retransmission of lost segments, and
/// TCP's response to losses.
#[test]
fn fec_that_does_not_adapt() {
    let config = LtConfig {
        proactive: Proactive::Fixed,
        reactive: Reactive::Retransmission,
        response: Response::Loss,
        mss_min: 1460,
        ..LtConfig::default()
    };
    let mut pair = Pair::new(&config, &tcp(), lossy(50, 4));
    assert!(pair.transfer(500_000, Span::from_secs(200)));
    let s = pair.ends[0].stats();
    assert_eq!((pair.record.in_order(), s.reactive.symbols), (500_000, 0));
    assert!(s.loss_reactions > 3 && s.resent.symbols > 0, "{s:?}");
}

/// The reverse path fails for five seconds. The back-off limits the sender meanwhile, and
/// afterwards the stream continues.
#[test]
fn feedback_lost_for_seconds() {
    let dark = |now: Nanos| (Nanos(1_000_000_000)..Nanos(6_000_000_000)).contains(&now);
    let way = move |side: usize, _: u64, now: Nanos| {
        if side == 1 && dark(now) { vec![] } else { vec![ms(20)] }
    };
    let mut pair = Pair::new(&LtConfig::default(), &tcp(), Box::new(way));
    pair.ends[0].open(Nanos::ZERO);
    pair.ends[0].write(Nanos::ZERO, 80_000_000);
    while pair.now < Nanos(1_300_000_000) {
        pair.step();
    }
    let before = pair.sent[0];
    while pair.now < Nanos(5_900_000_000) {
        pair.step();
    }
    let meanwhile = pair.sent[0] - before;
    // 200 ms doubled: at most five expiries of ten segments. Between them three symbols every four
    // times 60 ms.
    assert!((1..=50 + 3 * 20).contains(&meanwhile), "{meanwhile}");
    let delivered = pair.ends[1].delivered();
    // Until everything is delivered, or 12 s.
    while pair.now < Nanos(12_000_000_000) && pair.step() {}
    assert!(pair.ends[1].delivered() > delivered + 1_000_000, "the stream does not continue");
    assert_eq!(pair.ends[1].delivered(), pair.record.in_order());
    assert!((3..=6).contains(&pair.ends[0].stats().timeouts));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Under any loss, delay and duplication in both directions every byte arrives once, in order.
    #[test]
    fn the_stream_arrives_whole(
        bytes in 1u64..300_000,
        (loss, copies, jitter) in (0u64..600, 0u64..200, 0u64..40),
        back in 0u64..400,
        salt in any::<u64>(),
        segment_delivery in any::<bool>(),
        retransmission in any::<bool>(),
        ewma in any::<bool>(),
    ) {
        let config = LtConfig {
            delivery: if segment_delivery { Delivery::Segment } else { Delivery::Block },
            reactive: if retransmission { Reactive::Retransmission } else { Reactive::Parity },
            std: if ewma { Deviation::Ewma } else { Deviation::Binomial },
            ..LtConfig::default()
        };
        let way = at_random(salt, [loss, back], copies, jitter);
        let mut pair = Pair::new(&config, &tcp(), way);
        prop_assert!(pair.transfer(bytes, Span::from_secs(4000)), "not over by {:?}", pair.now);
        let s = pair.ends[0].stats();
        prop_assert_eq!(pair.ends[1].delivered(), bytes);
        prop_assert_eq!(pair.record.in_order(), bytes);
        prop_assert_eq!(s.data.bytes, bytes);
        let r = pair.ends[1].stats();
        prop_assert_eq!(r.refused, 0);
        prop_assert_eq!((s.feedback_refused, s.feedback_taken_back), (0, 0));
        // Wasted symbols are the arrivals less the necessary ones: the K of each block.
        prop_assert!(r.blocks_decoded == s.blocks_sent);
    }
}

/// A request and its response, with the last ACK of the handshake lost: the segment that replaces
/// it must also carry the window.
#[test]
fn an_answer() {
    let way =
        |side: usize, n: u64, _: Nanos| if (side, n) == (0, 1) { vec![] } else { vec![ms(20)] };
    let mut pair = Pair::new(&LtConfig::default(), &tcp(), Box::new(way));
    pair.ends[0].open(Nanos::ZERO);
    pair.ends[0].write(Nanos::ZERO, 500);
    while pair.ends[1].delivered() < 500 {
        assert!(pair.step());
    }
    let now = pair.now;
    pair.ends[1].write(now, 50_000);
    while pair.ends[0].delivered() < 50_000 {
        assert!(pair.step() && pair.now < Nanos(5_000_000_000));
    }
}

/// LT-TCP responds to losses without marks, unless configured as in the papers.
#[test]
fn only_the_papers_configuration_needs_marks() {
    let tcp = TcpConfig::default();
    let papers = LtConfig { without_ecn: WithoutEcn::Nothing, ..LtConfig::default() };
    assert_eq!(LtConfig::default().needs(&tcp), Needs::Nothing);
    assert_eq!(papers.needs(&tcp), Needs::EcnMarks);
}
