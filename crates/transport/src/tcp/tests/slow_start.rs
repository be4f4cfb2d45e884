//! HyStart++ in whole connections under jitter, a temporary delay and a lasting delay.

use airtcp_packet::Side;
use airtcp_units::Span;

use super::pair::{Fate, Pair, ms};
use crate::tcp::TcpConfig;
use airtcp_congestion::{LawState, SlowStartKind};

const CONSERVATIVE: LawState = LawState::Other("conservative slow start");

/// State of a connection at the end of each round trip.
struct RoundTrips {
    /// Segments.
    windows: Vec<u64>,
    states: Vec<LawState>,
    ssthresh: u64,
}

/// Nine round trips of 100 ms from a window of ten segments, an ACK per segment. The ACKs of slow
/// start's n-th round trip, counted from 0, arrive `late(n)` later.
fn round_trips(
    slow_start: SlowStartKind,
    late: impl Fn(u64) -> Span + 'static,
    round_ms: u64,
) -> RoundTrips {
    let config = TcpConfig {
        mss: 1000,
        ack_every: 1,
        initial_window: Some(10),
        receive_buffer: airtcp_units::Bytes(1 << 26),
        slow_start,
        ..TcpConfig::default()
    };
    let mut acks = 0u64;
    let mut pair = Pair::new(&config, ms(50)).script(move |side, _, s| {
        if side == Side::Server && s.len == 0 {
            acks += 1;
            // One of the handshake, ten in the first round trip, twice as many in each later one.
            return Fate::Late(late(u64::from((acks.saturating_sub(2) / 10 + 1).ilog2())));
        }
        Fate::Deliver
    });
    pair.keep = false;
    pair.connect();
    let begin = pair.now;
    pair.act(Side::Client, |c, now| c.write(now, u64::MAX));
    let (mut windows, mut states) = (Vec::new(), Vec::new());
    for round in 1..=9 {
        pair.run(begin + ms(round_ms * round));
        windows.push(pair.client.cwnd() / 1000);
        states.push(pair.client.law_state());
    }
    assert_eq!(pair.client.stats().segments_retransmitted, 0);
    RoundTrips { windows, states, ssthresh: pair.client.ssthresh() }
}

/// Round trips of 100 and 111 ms alternate, below the threshold of an eighth more: the same as
/// without HyStart++.
#[test]
fn jitter_below_the_threshold_is_harmless() {
    let jitter = |round| ms(11 * (round % 2));
    let standard = round_trips(SlowStartKind::Standard, jitter, 111);
    let hystart = round_trips(SlowStartKind::HyStartPlusPlus, jitter, 111);
    assert_eq!(hystart.states, [LawState::SlowStart; 9]);
    assert_eq!(hystart.windows, standard.windows);
    assert!(hystart.windows[8] > 4000, "{:?}", hystart.windows);
    assert_eq!(hystart.ssthresh, u64::MAX);
}

/// 30 ms more in the third and fourth round trip: conservative, then standard again.
#[test]
fn after_a_temporary_delay_slow_start_continues() {
    let passing = |round| if (2..4).contains(&round) { ms(30) } else { ms(0) };
    let hystart = round_trips(SlowStartKind::HyStartPlusPlus, passing, 110);
    let conservative = hystart.states.iter().filter(|s| **s == CONSERVATIVE).count();
    assert!((1..=4).contains(&conservative), "{:?}", hystart.states);
    assert_eq!(hystart.states[8], LawState::SlowStart, "{:?}", hystart.states);
    assert_eq!(hystart.ssthresh, u64::MAX);
}

/// 30 ms more from the third round trip on: five conservative round trips, then avoidance from the
/// present window.
#[test]
fn a_lasting_delay_ends_slow_start() {
    let lasting = |round| if round >= 2 { ms(30) } else { ms(0) };
    let hystart = round_trips(SlowStartKind::HyStartPlusPlus, lasting, 130);
    assert_eq!(hystart.states[8], LawState::Avoidance, "{:?}", hystart.states);
    assert!(hystart.ssthresh < 400_000, "{}", hystart.ssthresh);
    let standard = round_trips(SlowStartKind::Standard, lasting, 130);
    assert_eq!(standard.states[8], LawState::SlowStart);
    assert!(standard.windows[8] > 5 * hystart.windows[8]);
}
