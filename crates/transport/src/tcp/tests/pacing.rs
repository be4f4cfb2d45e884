//! Paced segments are spread in time, others are not.
#![allow(clippy::print_stdout, reason = "a test shows what it measured")]

use airtcp_packet::Side;
use airtcp_units::{BitRate, Bytes};

use super::bottleneck::{Bottleneck, Path};
use super::pair::{Pair, at, ms};
use crate::tcp::{Pacing, TcpConfig};

/// Departure times of the client's data in nanoseconds, over a path with delay only.
fn departures(config: &TcpConfig, run_ms: u64) -> (Vec<u64>, Option<BitRate>) {
    let mut pair = Pair::new(config, ms(50));
    pair.connect();
    pair.act(Side::Client, |c, now| c.write(now, u64::MAX));
    pair.run(at(run_ms));
    let data = pair.sent.iter().filter(|s| s.from == Side::Client && s.segment.len > 0);
    (data.map(|s| s.at.0).collect(), pair.client.pacing_rate())
}

fn gaps(times: &[u64]) -> Vec<u64> {
    times.windows(2).map(|w| w[1] - w[0]).collect()
}

fn config(pacing: Pacing) -> TcpConfig {
    TcpConfig {
        mss: 1000,
        ack_every: 1,
        initial_window: Some(10),
        max_window: Some(20),
        initial_ssthresh: Some(Bytes(10_000)),
        pacing,
        ..TcpConfig::default()
    }
}

/// Ten segments of 1000 B in 100 ms at 1.2 times the window per round trip: one every 8.333 ms. At
/// twenty, one every 4.167 ms. None leaves sooner, although the ACKs of a round trip are closer
/// together.
#[test]
fn a_window_is_spread_over_five_sixths_of_a_round_trip() {
    let (times, rate) = departures(&config(Pacing::Cwnd), 4000);
    // `time_for` rounds up to the nanosecond.
    assert!(gaps(&times)[..9].iter().all(|g| *g == 8_333_334), "{:?}", gaps(&times));
    assert_eq!(rate, BitRate::new(1_920_000));
    let settled: Vec<u64> = times.into_iter().filter(|t| *t > 2_000_000_000).collect();
    let gaps = gaps(&settled);
    assert!(gaps.len() > 350, "{}", gaps.len());
    assert!(gaps.iter().all(|g| (4_166_667..9_000_000).contains(g)), "{gaps:?}");
    assert!(gaps.contains(&4_166_667));
}

/// In slow start the rate is twice the window per round trip; before the first sample there is no
/// pacing.
#[test]
fn slow_start_is_paced_at_twice_the_window() {
    let slow = TcpConfig { initial_ssthresh: None, ..config(Pacing::Cwnd) };
    let (times, rate) = departures(&slow, 4000);
    // Twice 20 segments in 100 ms.
    assert_eq!(rate, BitRate::new(3_200_000));
    // The handshake's sample: the first ten at 2 * 10 kB / 100 ms, 5 ms apart.
    assert!(gaps(&times)[..9].iter().all(|g| *g == 5_000_000), "{:?}", gaps(&times));
}

/// Without pacing the initial window leaves at one instant, and the ACKs keep it together.
#[test]
fn unpaced_windows_leave_in_bursts() {
    for pacing in [Pacing::Off, Pacing::Law] {
        let (times, rate) = departures(&config(pacing), 4000);
        assert_eq!(rate, None);
        assert!(gaps(&times)[..9].iter().all(|g| *g == 0));
        let settled: Vec<u64> = times.into_iter().filter(|t| *t > 2_000_000_000).collect();
        let bursts = gaps(&settled).iter().filter(|g| **g == 0).count();
        assert!(bursts * 20 >= settled.len() * 17, "{bursts} of {}", settled.len());
    }
}

/// Pacing does not change the window or the throughput; it costs at most the wait of the first
/// round trips.
#[test]
fn pacing_moves_segments_but_keeps_their_number() {
    let (unpaced, _) = departures(&config(Pacing::Off), 4000);
    let (paced, _) = departures(&config(Pacing::Cwnd), 4000);
    assert!(paced.len().abs_diff(unpaced.len()) <= 20, "{} {}", paced.len(), unpaced.len());
}

/// Prague paces one window in a smoothed round trip, and does not stop to grow for that. Without marks it is Reno: its window
/// returns to the bandwidth-delay product, but its rate falls below the link's until the smoothed round trip has followed.
#[test]
fn a_law_that_paces_its_window_grows() {
    let path = Path { delay: ms(20), queue: 33, ..Path::default() };
    let config = TcpConfig {
        congestion: serde_json::from_str("\"prague\"").unwrap(),
        ..TcpConfig::default()
    };
    let mss = u64::from(config.mss);
    let mut b = Bottleneck::new(path, &[config]);
    b.open(0, u64::MAX);
    b.run(at(30_000));
    let share = b.delivered(0) as f64 * 8.0 / 30.0 / b.path.payload_rate(mss);
    println!("{share:.3}");
    assert!(share > 0.7, "{share}");
}
