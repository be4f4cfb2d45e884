use super::*;

const RTT: Span = Span::from_millis(100);
const SEGMENT: u64 = 1460;

/// A path without a visible queue: it carries `capacity` bytes per round trip and itself loses
/// `share`.
struct Bench {
    path: PathLoss,
    now: Nanos,
    arrived: f64,
    owed: f64,
    capacity: f64,
    share: f64,
    smoothed: Span,
}

impl Bench {
    fn new(capacity: f64, share: f64) -> Self {
        let (path, now) = (PathLoss::default(), Nanos::ZERO);
        Self { path, now, arrived: 0.0, owed: 0.0, capacity, share, smoothed: RTT }
    }

    /// A round trip with a window in segments of 1000 bytes. Returns whether it was reported as
    /// congestion.
    fn round(&mut self, window: u64, starting: bool) -> bool {
        let begun = self.now;
        self.now += RTT;
        let floor = Span::from_millis(10);
        self.path.on_rtt(self.now, self.smoothed, RTT, floor);
        let kept = (1.0 - self.share) * (self.capacity / window as f64).min(1.0);
        self.arrived += window as f64 * kept;
        self.path.on_arrived(self.now, self.arrived as u64, RTT);
        let sent = (window / 1000).max(1) as u16;
        self.owed += f64::from(sent) * (1.0 - kept);
        let lost = self.owed as u16;
        self.owed -= f64::from(lost);
        let sample = Sample { lost, sent, window, begun, starting };
        self.path.sample(self.now, &sample, SEGMENT)
    }
}

/// Slow start far beyond the path's capacity, and the law's reactions. The window ends near the
/// capacity at any loss rate of the path, and the law does not react to the path's own losses for
/// ever.
#[test]
fn a_flood_ends_and_the_law_does_not_react_to_corruption() {
    for share in [0.0, 0.1, 0.3, 0.5] {
        let mut b = Bench::new(50_000.0, share);
        let mut window = 4_000_u64;
        while window < 800_000 {
            b.round(window, true);
            window *= 2;
        }
        assert!(b.path.base.known().sent() <= 0.0, "{share}: nothing is learned in slow start");
        let (mut told, mut most) = (0, 0);
        for round in 0..600 {
            if b.round(window, false) {
                window = (window / 2).max(2 * SEGMENT);
                b.path.on_reaction();
                told += u32::from(round >= 100);
            } else {
                window += SEGMENT;
            }
            if round >= 100 {
                most = most.max(window);
            }
        }
        // A part of the base is removed while no window is small.
        let base = b.path.base.known().of();
        assert!((0.6 * share..share + 0.06).contains(&base), "{share}: {base}");
        assert!(most < 100_000 && most > 50_000, "{share}: windows of up to {most}");
        assert!(told < 40, "{share}: {told} answers in 500 round trips");
    }
}

#[test]
fn every_loss_counts_until_the_base_is_known() {
    let mut b = Bench::new(1e6, 0.2);
    assert!(b.round(20_000, true), "slow start");
    let fast = (0..8).map(|_| b.round(30_000, false)).filter(|told| *told).count();
    assert!(fast > 6, "a window above what was carried: {fast}");
    // Half of the capacity is small: 16 kB of 24 kB.
    let small: Vec<bool> = (0..10).map(|_| b.round(15_000, false)).collect();
    assert!(!small.contains(&true) && b.path.base.known().sent() > MIN_KNOWN_SEGMENTS, "{small:?}");
    assert!((0..40).all(|_| !b.round(30_000, false)), "it is the path's: {:?}", b.path.base);
}

#[test]
fn nothing_is_learned_while_a_queue_stands() {
    let mut b = Bench::new(1e6, 0.3);
    (0..2).for_each(|_| _ = b.round(200_000, false));
    let known = b.path.base.known().sent();
    b.smoothed = RTT * 2;
    let told = (0..50).map(|_| b.round(20_000, false)).filter(|told| *told).count();
    assert!(told == 50 && b.path.base.known().sent() <= known, "{:?}", b.path.base);
    // A tenth of the longest queue does not count.
    b.smoothed = RTT * 11 / 10;
    (0..10).for_each(|_| _ = b.round(20_000, false));
    assert!((b.path.base.known().of() - 0.3).abs() < 0.02, "{:?}", b.path.base);
}

/// Two segments are the law's minimum; three are small unless the path carries less.
#[test]
fn the_least_window_is_small() {
    for (capacity, window, small) in
        [(1e6, 2920, true), (1e6, 4380, true), (3000.0, 2920, true), (3000.0, 4380, false)]
    {
        let mut b = Bench::new(capacity, 0.0);
        b.round(2000, true);
        let before = b.path.base.known().sent();
        (0..10).for_each(|_| _ = b.round(window, true));
        assert_eq!(
            b.path.base.known().sent() > before,
            small,
            "{capacity}, {window}: {:?}",
            b.path.base
        );
    }
}

#[test]
fn an_unconfirmed_base_shrinks() {
    let mut b = Bench::new(1e6, 0.4);
    (0..2).for_each(|_| _ = b.round(200_000, false));
    (0..30).for_each(|_| _ = b.round(20_000, false));
    let before = b.path.base.known().of();
    assert!((before - 0.4).abs() < 0.02);
    b.smoothed = RTT * 2;
    (0..210).for_each(|_| _ = b.round(20_000, false));
    let kept = b.path.base.known().of() / before;
    assert!((kept - 0.7 * 0.7).abs() < 1e-9, "{kept}");
}
