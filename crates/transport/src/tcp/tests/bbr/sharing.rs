//! Two flows over one bottleneck.

use super::*;

/// Shares of two flows, the second of which begins two seconds later, and the mean queue.
fn two(laws: [&str; 2], queue: usize) -> ([f64; 2], f64) {
    let path = Path { queue, ..Path::default() };
    let mut b = Bottleneck::new(path, &laws.map(config));
    b.open(0, u64::MAX);
    b.run(seconds(2.0));
    b.open(1, u64::MAX);
    b.run(seconds(20.0));
    let before = [b.delivered(0), b.delivered(1)];
    b.run(seconds(140.0));
    let got =
        [0, 1].map(|i| (b.delivered(i) - before[i]) as f64 * 8.0 / 120.0 / path.payload_rate(MSS));
    let (sum, n) = b.between(0, 20.0, 140.0).fold((0, 0), |(sum, n), s| (sum + s.queued, n + 1));
    (got, sum as f64 / f64::from(n))
}

#[test]
fn two_flows_share_evenly() {
    for law in LAWS {
        for queue in [50, 100, 300] {
            let (got, waiting) = two([law, law], queue);
            println!("{law} and {law}, queue {queue}: {got:.3?}, on average {waiting:.0} waiting");
            assert!(got[0] + got[1] > 0.92, "{law} {queue}: {got:?}");
            assert!(got.iter().all(|g| (0.38..0.62).contains(g)), "{law} {queue}: {got:?}");
        }
    }
}

/// Against Reno the shares depend on the queue; the test only requires that neither starves.
#[test]
fn beside_reno() {
    for law in LAWS {
        for queue in [50, 100, 300] {
            let (got, waiting) = two([law, "reno"], queue);
            println!("{law} and reno, queue {queue}: {got:.3?}, on average {waiting:.0} waiting");
            assert!(got[0] > 0.2 && got[1] > 0.01, "{law} {queue}: {got:?}");
        }
    }
}
