//! BBR over a bottleneck: its estimates, its flight, and the cost of losses. Numbers in brackets
//! are those of draft-ietf-ccwg-bbr-06, appendix A.
#![allow(clippy::print_stdout, reason = "a test shows what it measured")]

mod losses;
mod sharing;

use airtcp_units::{BitRate, Bytes, Nanos, Span};

use super::bottleneck::{Bottleneck, HEADERS, Path, Seen};
use crate::tcp::{Profile, TcpConfig};
use airtcp_congestion::{Law, LawRules};

const MSS: u64 = 1460;
const LAWS: [&str; 2] = ["bbr1", "bbr"];

/// Linux's parameters with another law, or with its own, and buffers that do not limit.
fn config(law: &str) -> TcpConfig {
    let mut config = TcpConfig::profile(Profile::Linux);
    if config.congestion.name() != law {
        config.congestion = serde_json::from_str(&format!("\"{law}\"")).unwrap();
    }
    TcpConfig {
        timestamps: false,
        receive_buffer: Bytes(16 << 20),
        receive_buffer_start: None,
        send_buffer: None,
        ..config
    }
}

fn seconds(s: f64) -> Nanos {
    Nanos::from_secs_f64(s)
}

/// One endless flow.
fn run(law: &str, path: Path, until: f64) -> Bottleneck {
    run_by(LawRules::Linux, law, path, until)
}

fn run_by(law_rules: LawRules, law: &str, path: Path, until: f64) -> Bottleneck {
    let mut b = Bottleneck::new(path, &[TcpConfig { law_rules, ..config(law) }]);
    b.open(0, u64::MAX);
    b.run(seconds(until));
    b
}

/// Share of the bottleneck's payload rate that a flow gets from now until `until`.
fn share_until(b: &mut Bottleneck, flow: usize, until: f64) -> f64 {
    let (before, from) = (b.delivered(flow), b.now);
    b.run(seconds(until));
    let rate = (b.delivered(flow) - before) as f64 * 8.0 / b.now.since(from).as_secs_f64();
    rate / b.path.payload_rate(MSS)
}

/// The same for one endless flow between two times.
fn share(law: &str, path: Path, from: f64, to: f64) -> (f64, Bottleneck) {
    let mut b = run(law, path, from);
    let share = share_until(&mut b, 0, to);
    (share, b)
}

fn last(b: &Bottleneck) -> &Seen {
    b.seen[0].last().unwrap()
}

/// Estimated over true bandwidth.
fn estimate(b: &Bottleneck) -> f64 {
    last(b).bandwidth as f64 / b.path.payload_rate(MSS)
}

fn min_rtt(b: &Bottleneck) -> Option<Span> {
    match b.flows[0].0.law() {
        Law::Bbr1(l) => l.min_rtt(),
        Law::Bbr(l) => l.min_rtt(),
        _ => None,
    }
}

/// Bandwidth-delay product in payload.
fn bdp(path: &Path) -> f64 {
    path.payload_rate(MSS) / 8.0 * path.rtt(MSS).as_secs_f64()
}

/// [A.1]
#[test]
fn the_model_of_an_empty_path_is_exact() {
    for law in LAWS {
        for (mbps, ms) in [(1, 40), (10, 5), (10, 40), (100, 100)] {
            let path = Path {
                rate: BitRate::from_mbps(mbps),
                delay: Span::from_millis(ms),
                queue: 10_000,
                ..Path::default()
            };
            let b = run(law, path, 4.9);
            // A SYN has the shortest round-trip time.
            assert_eq!(min_rtt(&b), Some(path.rtt(0)), "{law} {mbps} Mb/s {ms} ms");
            // Linux's pairs queue behind each other, also in ProbeRTT.
            let b = run_by(LawRules::Documents, law, path, 16.0);
            let found = estimate(&b);
            assert!((found - 1.0).abs() < 0.02, "{law} {mbps} Mb/s {ms} ms: {found}");
            // ProbeRTT has measured the round-trip time of full segments without a queue.
            assert_eq!(min_rtt(&b), Some(path.rtt(MSS)), "{law} {mbps} Mb/s {ms} ms");
        }
    }
}

#[test]
fn the_queue_stays_short_and_the_link_busy() {
    let mut means = Vec::new();
    for (law, steady) in [("bbr1", 1.5), ("bbr", 2.1)] {
        let (share, b) = share(law, Path::default(), 3.0, 43.0);
        assert!(share > 0.95, "{share}");
        let bdp = bdp(&b.path);
        let flights = b.between(0, 3.0, 43.0).map(|s| s.pipe as f64 / bdp);
        let (sum, n, most) =
            flights.fold((0.0, 0, 0.0f64), |(sum, n, m), f| (sum + f, n + 1, m.max(f)));
        let mean = sum / f64::from(n);
        let waiting = b.between(0, 3.0, 43.0).filter(|s| s.queued > 1).count() as f64;
        let part = waiting / f64::from(n);
        println!(
            "{law}: share {share:.3}; in flight {mean:.3} BDP, at most {most:.2}; queue {part:.2} of the time"
        );
        // Version 1: 5/4 of a BDP and the quanta; version 3: up to 2.25 BDP while it probes.
        assert!(most < steady && mean < 1.2, "{law}: {most} {mean}");
        means.push((mean, part));
        // Startup leaves a BDP or two in the queue; Drain removes them except for the quanta.
        let drain = b.states(0).iter().find(|s| s.0 == "drain").unwrap().1;
        let startup = b.seen[0].iter().filter(|s| s.at < drain).map(|s| s.queued).max().unwrap();
        let left = b.between(0, 1.7, 2.0).map(|s| s.queued).min().unwrap();
        assert!(startup as f64 * 1500.0 > 0.9 * bdp && left <= 6, "{law} {startup} {left}");
    }
    let (v1, v3) = (means[0], means[1]);
    assert!(v3.0 < v1.0 && v3.1 < 0.6 * v1.1, "{means:?}");
}

/// Every ten (five) seconds, for 200 ms and a round trip, with an empty queue at the end. [A.10]
#[test]
fn probe_rtt_drains_the_queue() {
    for (law, spells_due, bdps) in [("bbr1", 4..=6, 0.0), ("bbr", 10..=12, 0.5)] {
        let b = run(law, Path::default(), 60.0);
        let most = ((bdps * bdp(&b.path)) as u64).max(4 * MSS);
        let states = b.states(0);
        let spells: Vec<_> = states.windows(2).filter(|w| w[0].0 == "probe-rtt").collect();
        assert!(spells_due.contains(&spells.len()), "{law}: {states:?}");
        for w in &spells {
            let length = w[1].1.since(w[0].1);
            let due = Span::from_millis(200)..Span::from_millis(450);
            assert!(due.contains(&length), "{law}: {length}");
            let spell: Vec<_> =
                b.seen[0].iter().filter(|s| s.at >= w[0].1 && s.at < w[1].1).collect();
            let last = spell.last().unwrap();
            assert!(last.queued == 0 && last.pipe <= most && last.cwnd <= most, "{law}: {last:?}");
        }
    }
}

/// Departures of a paced flow are spaced by payload over rate, to the nanosecond.
#[test]
fn segments_are_paced() {
    for (law, gains) in [("bbr1", [1.25, 0.75, 1.0]), ("bbr", [1.25 * 0.99, 0.9 * 0.99, 0.99])] {
        let b = run_by(LawRules::Documents, law, Path::default(), 20.0);
        let departures = &b.departures[0];
        let (mut exact, mut rates) = (0, Vec::new());
        for w in departures.windows(2) {
            let ((t, bytes, rate), (next, ..)) = (w[0], w[1]);
            let rate = rate.unwrap();
            let gap = next.since(t);
            assert!(gap >= rate.time_for(bytes), "{law}: {gap} after {bytes} B at {rate}");
            exact += usize::from(gap == rate.time_for(bytes));
            rates.push(rate.bps() as f64 / b.path.payload_rate(MSS));
        }
        let part = exact as f64 / departures.len() as f64;
        // The other segments wait for the window, at Startup's end and in ProbeRTT.
        assert!(part > 0.9, "{law}: {part}");
        for gain in gains {
            let n = rates.iter().filter(|r| (**r / gain - 1.0).abs() < 0.02).count();
            assert!(n > 300, "{law} at {gain}: {n}");
        }
    }
}

/// By Linux's rules version 1 sends two segments at once between 1.2 and 24 Mb/s, and waits for the
/// time of both, or half of it if they left late.
#[test]
fn by_linuxs_rules_version_1_sends_pairs() {
    let b = run("bbr1", Path::default(), 20.0);
    let mut pairs: Vec<(Nanos, u64, BitRate)> = Vec::new();
    let (mut whole, mut segments) = (0, 0);
    for &(at, bytes, rate) in b.departures[0].iter().filter(|d| d.0 >= seconds(5.0)) {
        segments += 1;
        match pairs.last_mut() {
            Some(p) if p.0 == at => {
                p.1 += bytes;
                whole += 1;
            }
            _ => pairs.push((at, bytes, rate.unwrap())),
        }
    }
    for w in pairs.windows(2) {
        let ((at, bytes, rate), (next, ..)) = (w[0], w[1]);
        assert!(bytes <= 2 * MSS, "{bytes} B at once");
        let least = rate.time_for(bytes) / 2;
        assert!(next.since(at) >= least, "{} after {bytes} B at {rate}", next.since(at));
    }
    let part = 2.0 * f64::from(whole) / f64::from(segments);
    assert!(part > 0.9, "{part} in pairs");
}

#[test]
fn the_same_twice() {
    for law in LAWS {
        let lossy = Path { loss: 0.02, ..Path::default() };
        let [a, b] = [(); 2].map(|()| run(law, lossy, 20.0));
        assert_eq!(a.departures, b.departures);
    }
}

/// [A.15, A.16] A tenfold rate is found within a probe or two; a tenth of the rate, with a queue of
/// about a BDP of the fast path, within two cycles or ten long round trips.
#[test]
fn the_estimate_follows_the_path() {
    for law in LAWS {
        let mut b = run(law, Path { queue: 300, ..Path::default() }, 8.0);
        b.set_rate(BitRate::from_mbps(100));
        b.run(seconds(14.0));
        let up = estimate(&b);
        let busy = share_until(&mut b, 0, 18.0);
        b.set_rate(BitRate::from_mbps(10));
        b.run(seconds(32.0));
        let down = estimate(&b);
        println!("{law}: tenfold {up:.3}, busy {busy:.3}, a tenth {down:.3}");
        assert!((up - 1.0).abs() < 0.02 && busy > 0.8 && (down - 1.0).abs() < 0.02);
    }
}

/// [A.14] The BDP is less than a segment. Startup's rounds take seconds here, and ProbeRTT
/// interrupts it.
#[test]
fn a_path_that_holds_less_than_a_segment() {
    for law in LAWS {
        let path = Path {
            rate: BitRate::new(64_000).unwrap(),
            delay: Span::from_millis(1),
            ..Path::default()
        };
        let (share, b) = share(law, path, 40.0, 100.0);
        assert!(share > 0.95, "{law}: {share}");
        let cwnd = b.between(0, 40.0, 100.0).map(|s| s.cwnd / MSS);
        let (least, most) = cwnd.fold((99, 0), |(a, b), c| (a.min(c), b.max(c)));
        // By Linux's rules, as here, version 1 adds two segments while probing.
        assert!((4..=12).contains(&least) && most <= 14, "{law}: {least} {most}");
    }
}

/// [A.12, A.13] Aggregated ACKs: the bandwidth is found, and the window covers the waits.
#[test]
fn bundled_acks_do_not_starve_the_path() {
    for law in LAWS {
        for ms in [5, 20, 60] {
            let path = Path { ack_slot: Some(Span::from_millis(ms)), ..Path::default() };
            let (share, b) = share(law, path, 5.0, 65.0);
            let found = estimate(&b);
            let cwnd = last(&b).cwnd as f64 / bdp(&path);
            println!(
                "{law}: bundles of {ms} ms: share {share:.3}, estimate {found:.3}, window {cwnd:.2} BDP"
            );
            assert!(share > 0.95 && (found - 1.0).abs() < 0.06, "{law} {ms} ms: {share} {found}");
            assert!(law == "bbr1" || cwnd > 2.0);
        }
    }
}

/// [A.11] Little to send for a minute: the estimate is unchanged, and the next transfer runs at it.
#[test]
fn an_idle_application_does_not_lower_the_estimate() {
    for law in LAWS {
        let mut b = Bottleneck::new(Path::default(), &[config(law)]);
        b.open(0, 5_000_000);
        b.run(seconds(6.0));
        assert_eq!(b.delivered(0), 5_000_000);
        let before = last(&b).bandwidth;
        for n in 0..120 {
            b.write(0, 20_000);
            b.run(seconds(6.5 + 0.5 * f64::from(n)));
        }
        let after = last(&b).bandwidth;
        assert!(after >= before && after as f64 <= 1.02 * b.path.payload_rate(MSS), "{law}");
        let probes = b.between(0, 7.0, 100.0).filter(|s| s.state == "probe-rtt");
        assert_eq!(probes.count(), 0, "{law}: the pauses drain the queue");
        let start = b.now;
        b.write(0, 2_000_000);
        while b.delivered(0) < 5_000_000 + 120 * 20_000 + 2_000_000 {
            b.run(b.now + Span::from_millis(1));
        }
        // Two megabytes at the link's rate take 1.64 s plus a round trip.
        let took = b.now.since(start).as_secs_f64();
        assert!(took < 1.64 + 0.3, "{law}: {took} s");
    }
}
