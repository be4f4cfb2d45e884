//! LL-ARQ and LL-HARQ against closed forms: both ends over a channel of independent losses.

use airtcp_random::{Seed, Stream};
use airtcp_units::{Nanos, Narrow, Probability, Span, detmath};

use super::closed_form::{
    arq_rounds, arq_selective_share, arq_undelivered, arq_whole_share, harq_block,
};
use super::limits::MAX_FRAME_SPAN;
use super::*;

pub(super) fn arq(arq: Arq) -> ProtocolConfig {
    ProtocolConfig::LlArq(LlArqConfig { arq, ..LlArqConfig::default() })
}

/// LL-HARQ with the true loss as a fixed estimate.
fn harq(p: f64) -> LlHarqConfig {
    LlHarqConfig {
        initial_loss: Probability::clamped(p),
        weight: Probability::clamped(1e-12),
        ..LlHarqConfig::default()
    }
}

/// Record of two ends over a channel.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) decoded: Vec<u64>,
    pub(super) released: Vec<u64>,
    pub(super) skipped: Vec<u64>,
    pub(super) blocks: u64,
    pub(super) first_units: u64,
    pub(super) later_units: u64,
    pub(super) first_wasted: u64,
    pub(super) later_wasted: u64,
    pub(super) end: Nanos,
}

/// The two ends of a protocol, driven directly: a unit takes 40 us, propagation and reports 10 ms.
pub(super) struct Ends {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    now: Nanos,
    reports: Vec<(Nanos, Report)>,
    pub(super) seen: Seen,
}

pub(super) const WAY: Span = Span::from_millis(10);
const UNIT: Span = Span::from_micros(40);

impl Ends {
    pub(super) fn new(config: &ProtocolConfig) -> Self {
        let protocol = config.build(None).unwrap().unwrap();
        let common = config.common().unwrap();
        let receiver = Receiver::new(ReceiverParams {
            trigger: common.trigger,
            in_order: common.in_order,
            idle: common.feedback.idle,
            round_trip: WAY * 2,
            attempts: protocol.attempts(),
        });
        let times = SenderTimes { round_trip: WAY * 2, timer: common.feedback.timer };
        Self {
            sender: Sender::new(protocol, times),
            receiver,
            now: Nanos::ZERO,
            reports: Vec::new(),
            seen: Seen::default(),
        }
    }

    fn take(&mut self, passes: &mut dyn FnMut(Nanos, Report) -> bool) {
        while let Some((at, decision)) = self.receiver.poll() {
            match decision {
                Decision::Decoded(f) => self.seen.decoded.push(f),
                Decision::Released(f) => self.seen.released.push(f),
                Decision::Skipped(f) => self.seen.skipped.push(f),
                Decision::SkippedBefore(f) => {
                    let Seen { released, skipped, .. } = &mut self.seen;
                    let open = |f: &u64| !released.contains(f) && !skipped.contains(f);
                    let more: Vec<u64> = (0..f).filter(open).collect();
                    skipped.extend(more);
                }
                Decision::Report(report) => {
                    if passes(at, report) {
                        self.reports.push((at + WAY, report));
                    }
                }
            }
        }
    }

    fn transmit(
        &mut self,
        block: &Block,
        lost: &mut dyn FnMut(Nanos) -> bool,
        passes: &mut dyn FnMut(Nanos, Report) -> bool,
    ) {
        self.seen.blocks += 1;
        let (first, of) = (block.attempt == 1, block.symbols.len());
        *(if first { &mut self.seen.first_units } else { &mut self.seen.later_units }) +=
            u64::from(of);
        for (position, symbol) in (0..).zip(block.symbols.iter()) {
            let gone = lost(self.now);
            self.now += UNIT;
            let at = self.now + WAY;
            while self.receiver.next_timer() < at {
                self.receiver.on_timer(self.receiver.next_timer());
                self.take(passes);
            }
            if gone {
                continue;
            }
            let Block { frame, attempt, last, oldest, needed, .. } = *block;
            let unit_time = UNIT;
            let unit =
                Unit { frame, attempt, last, oldest, needed, symbol, position, of, unit_time };
            if !self.receiver.on_unit(at, &unit) {
                *(if first { &mut self.seen.first_wasted } else { &mut self.seen.later_wasted }) +=
                    1;
            }
            self.take(passes);
        }
        self.sender.on_sent(block, self.now, UNIT * u64::from(of));
    }

    /// Sends `frames` of 1000 bytes, each as soon as the transmitter is free, and then runs until nothing is
    /// left to do.
    pub(super) fn run(
        &mut self,
        frames: u64,
        lost: &mut dyn FnMut(Nanos) -> bool,
        passes: &mut dyn FnMut(Nanos, Report) -> bool,
    ) {
        let mut left = frames;
        loop {
            let now = self.now;
            while self.reports.first().is_some_and(|r| r.0 <= now) {
                let (_, report) = self.reports.remove(0);
                self.sender.on_report(&report);
            }
            self.sender.on_timer(now);
            while self.receiver.next_timer() <= now {
                self.receiver.on_timer(self.receiver.next_timer());
                self.take(passes);
            }
            if let Some(block) = self.sender.retry() {
                self.transmit(&block, lost, passes);
            } else if left > 0 && self.sender.has_room() {
                left -= 1;
                let block = self.sender.start(1000);
                self.transmit(&block, lost, passes);
            } else {
                let report = self.reports.first().map_or(Nanos::NEVER, |r| r.0);
                let next = self.receiver.next_timer().min(self.sender.next_timer()).min(report);
                if next == Nanos::NEVER {
                    self.seen.end = self.now;
                    return;
                }
                self.now = next.max(self.now);
            }
        }
    }
}

/// Independent losses, all reports arrive.
fn over(config: &ProtocolConfig, p: f64, frames: u64) -> Seen {
    let mut draws: Stream = Seed::new(5).stream("units");
    let mut ends = Ends::new(config);
    ends.run(frames, &mut |_| draws.chance(p), &mut |_, _| true);
    let Seen { decoded, released, skipped, .. } = &ends.seen;
    assert_eq!(decoded.len(), released.len());
    assert_eq!(released.len() + skipped.len(), usize::narrow(frames), "every frame ends once");
    assert!(released.windows(2).all(|w| w[0] < w[1]), "in order");
    ends.seen
}

/// Asserts that a mean of `n` values with standard deviation `sd` is within `errors` standard errors.
#[track_caller]
fn close(found: f64, expected: f64, sd: f64, n: u64, errors: f64) {
    let allowed = errors * sd / (n as f64).sqrt();
    assert!((found - expected).abs() <= allowed, "{found}, expected {expected} +- {allowed}");
}

#[test]
fn closed_forms_reproduce_s2() {
    // S2's parameters: mean rounds and the bound of goodput at 10 Mb/s, 10 to 50 % loss.
    let table = [
        (0.1, 2.08, 4.80),
        (0.2, 2.73, 3.66),
        (0.3, 3.49, 2.87),
        (0.4, 4.43, 2.26),
        (0.5, 5.69, 1.76),
    ];
    for (p, rounds, bound) in table {
        assert!((arq_rounds(20, p, 15) - rounds).abs() < 0.006, "{p}");
        assert!((10.0 * arq_whole_share(20, p, 15) - bound).abs() < 0.006, "{p}");
        assert!((arq_selective_share(20, p, 15) - (1.0 - p)).abs() < 1e-3, "{p}");
    }
    let residual = [(0.1, 2e-14), (0.2, 6.6e-10), (0.3, 2.87e-7), (0.4, 2.15e-5), (0.5, 6.1e-4)];
    for (p, expected) in residual {
        let found = arq_undelivered(20, p, 15);
        assert!((found / expected - 1.0).abs() < 0.02, "{p}: {found}");
    }
    // Compare with the plain formula where it has no cancellation.
    assert!((arq_undelivered(20, 0.4, 3) - (1.0 - detmath::pow(1.0 - 0.064, 20.0))).abs() < 1e-12);
}

#[test]
fn arq_undelivered_after_each_number_of_attempts() {
    let frames = 20_000;
    for p in [0.1, 0.3, 0.5] {
        for attempts in [1, 2, 3, 5] {
            let config = ProtocolConfig::LlArq(LlArqConfig { attempts, ..LlArqConfig::default() });
            let seen = over(&config, p, frames);
            let expected = arq_undelivered(20, p, attempts);
            let sd = (expected * (1.0 - expected)).sqrt();
            close(seen.skipped.len() as f64 / frames as f64, expected, sd, frames, 4.5);
        }
    }
}

#[test]
fn arq_rounds_and_shares() {
    let frames = 20_000;
    for p in [0.1, 0.2, 0.3, 0.4, 0.5] {
        let whole = over(&arq(Arq::WholeAccumulate), p, frames);
        // The rounds are the maximum of 20 geometric numbers, with a standard deviation below 2.
        close(whole.blocks as f64 / frames as f64, arq_rounds(20, p, 15), 2.0, frames, 4.5);
        let units = (whole.first_units + whole.later_units) as f64;
        let share = whole.released.len() as f64 * 20.0 / units;
        assert!((share / arq_whole_share(20, p, 15) - 1.0).abs() < 0.02, "{p}: {share}");
        let some = over(&arq(Arq::Selective), p, frames);
        let units = (some.first_units + some.later_units) as f64;
        let share = some.released.len() as f64 * 20.0 / units;
        assert!((share / arq_selective_share(20, p, 15) - 1.0).abs() < 0.01, "{p}: {share}");
        assert_eq!(some.later_wasted, 0, "nothing is sent that is there");
    }
}

#[test]
fn stop_and_wait_waits() {
    // A frame of 20 units takes 0.8 ms; its report arrives 20 ms later.
    let seen = over(&arq(Arq::StopAndWait), 0.0, 100);
    assert_eq!(seen.end, Nanos::ZERO + (UNIT * 20 + WAY * 2) * 100);
}

#[test]
fn harq_against_the_block() {
    let frames = 20_000;
    for (p, parity) in [(0.1, 3), (0.2, 6), (0.3, 8), (0.4, 10), (0.5, 12)] {
        let config = harq(p);
        let model = LlHarq::build(&config, None).unwrap();
        assert_eq!(model.parity(), parity, "{p}");
        let block = harq_block(20, parity, p, |need| model.demand(parity, need));
        let seen = over(&ProtocolConfig::LlHarq(config), p, frames);
        assert_eq!(seen.first_units, 20 * frames);
        let per_frame = |units: u64| units as f64 / frames as f64;
        let retried = (seen.blocks - frames) as f64 / frames as f64;
        close(retried, 1.0 - block.decoded_at_once, 0.5, frames, 4.5);
        close(per_frame(seen.first_wasted), block.pfec_wasted, 2.0, frames, 4.5);
        close(per_frame(seen.later_units), block.rfec, 6.0, frames, 4.5);
        close(per_frame(seen.later_wasted), block.rfec_wasted, 3.0, frames, 4.5);
        let residual = seen.skipped.len() as f64 / frames as f64;
        let sd = (block.residual * (1.0 - block.residual)).sqrt();
        close(residual, block.residual, sd.max(1e-9), frames, 4.5);
        assert!(block.residual < 2e-3, "{p}: {}", block.residual);
    }
}

#[test]
fn table_one_of_s2_in_closed_form() {
    // Mb/s: goodput, PFEC and RFEC sent, PFEC and RFEC wasted. The sum of the first three is the link's
    // throughput: 9.92 to 9.98.
    let table = [
        (0.1, 3, [8.05, 1.48, 0.39, 0.61, 0.26]),
        (0.2, 6, [6.71, 2.90, 0.36, 1.04, 0.23]),
        (0.3, 8, [5.61, 3.77, 0.59, 1.03, 0.33]),
        (0.4, 10, [4.58, 4.60, 0.80, 1.02, 0.38]),
        (0.5, 12, [3.59, 5.40, 0.98, 1.00, 0.39]),
    ];
    for (p, parity, printed) in table {
        let model = LlHarq::build(&harq(p), None).unwrap();
        let b = harq_block(20, parity, p, |need| model.demand(parity, need));
        let rate = printed[..3].iter().sum::<f64>() / (20.0 + b.rfec);
        let p = f64::from(parity);
        let found = [20.0 - p, p, b.rfec, b.pfec_wasted, b.rfec_wasted].map(|units| units * rate);
        for (found, printed) in found.iter().zip(printed) {
            assert!((found - printed).abs() < 0.1, "{p}: {found}, printed {printed}");
        }
    }
}

#[test]
fn the_loss_estimate_converges() {
    let mut model = LlHarq::build(&LlHarqConfig::default(), None).unwrap();
    let start = model.estimate().unwrap();
    // A worked example: one block with 5 of 20 lost.
    model.on_report(1, 20, 15);
    assert!((model.estimate().unwrap() - (0.995 * start + 0.005 * 0.25)).abs() < 1e-15);
    model.on_report(2, 10, 0);
    assert!(
        (model.estimate().unwrap() - (0.995 * start + 0.00125)).abs() < 1e-15,
        "RFEC counts not"
    );
    for _ in 0..3000 {
        model.on_report(1, 20, 20);
    }
    assert_eq!(model.parity(), 0, "no parity without loss");
    for _ in 0..3000 {
        model.on_report(1, 20, 10);
    }
    assert_eq!(model.parity(), 12);
    for _ in 0..5000 {
        model.on_report(1, 20, 0);
    }
    assert_eq!(model.parity(), 19, "one unit is always data");
    assert!(model.demand(19, 1) <= MAX_SYMBOLS);
}

#[test]
fn rules_of_rfec() {
    // A = 0.3, s = sqrt(0.3 0.7 / 20) = 0.10247; P = 8, X = 2.
    let demand =
        |rfec| LlHarq::build(&LlHarqConfig { rfec, ..harq(0.3) }, None).unwrap().demand(8, 2);
    assert_eq!(demand(Rfec::ParityAndMargin), 8 + 4); // 2 / 0.59753 = 3.35
    assert_eq!(demand(Rfec::ParityAndMean), 8 + 3); // 2 / 0.7 = 2.86
    assert_eq!(demand(Rfec::Sum), 11); // 8.0494 + 2.857
    assert_eq!(demand(Rfec::NeedAndSpread), 2 + 8 + 3); // 20 x 0.10247 = 2.05
    assert_eq!(demand(Rfec::Margin), 4);
}

/// After an outage in which the sender abandons more frames than a receiver keeps, both continue at the
/// sender's frame. The receiver ignores a header with a span greater than the limit.
#[test]
fn an_outage_longer_than_the_receivers_memory() {
    let mut ends = Ends::new(&arq(Arq::Selective));
    let unit = |frame: u64, oldest: u64| Unit {
        frame,
        attempt: 1,
        last: false,
        oldest,
        needed: 1,
        symbol: 0,
        position: 0,
        of: 1,
        unit_time: UNIT,
    };
    let (receiver, mut now) = (&mut ends.receiver, Nanos::ZERO);
    assert!(receiver.on_unit(now, &unit(0, 0)));
    let far = 5 * MAX_FRAME_SPAN;
    for (head, used) in [
        (unit(far, far - MAX_FRAME_SPAN), false),
        (unit(u64::MAX, u64::MAX - 1), false),
        (unit(far, far - 2), true),
        (unit(far - 1, far - 2), true),
        (unit(far - 2, far - 2), true),
    ] {
        now += UNIT;
        assert_eq!(receiver.on_unit(now, &head), used, "{head:?}");
    }
    assert_eq!(receiver.malformed(), 2);
    let mut seen = Vec::new();
    while let Some((_, decision)) = receiver.poll() {
        seen.extend(
            (!matches!(decision, Decision::Report(_) | Decision::Decoded(_))).then_some(decision),
        );
    }
    let up = [far - 2, far - 1, far].map(Decision::Released);
    let expected = [&[Decision::Released(0), Decision::SkippedBefore(far - 2)][..], &up].concat();
    assert_eq!(seen, expected);
    // The sender stays within the limit.
    let sender = &mut ends.sender;
    (0..MAX_FRAME_SPAN).for_each(|_| assert_eq!(sender.start(100).attempt, 1));
    assert!(!sender.has_room());
}

/// A report that settles a frame after its timer expired and before its retransmission starts.
#[test]
fn a_late_report_cancels_the_retransmission() {
    let mut sender = Ends::new(&arq(Arq::WholeAccumulate)).sender;
    let block = sender.start(1000);
    sender.on_sent(&block, Nanos::ZERO, UNIT * 20);
    sender.on_timer(sender.next_timer());
    assert!(sender.has_retry() && sender.counts().timeouts == 1);
    let have = block.symbols;
    sender.on_report(&Report { frame: 0, attempt: 1, received: 20, have, settled: true });
    assert_eq!((sender.retry().is_none(), sender.oldest()), (true, 1));
}

/// Reactive parity is limited by `rfec_max`. Then the sender retransmits the same number of lost units.
#[test]
fn units_are_retransmitted_when_parity_is_used_up() {
    let config = LlHarqConfig { rfec_max: Some(1), attempts: 3, ..LlHarqConfig::default() };
    let mut rules = LlHarq::build(&config, None).unwrap();
    let have = SymbolSet::range(0, 4);
    let missing = |fresh| Missing { needed: 6, parity: 14, have, fresh };
    let demand = usize::from(rules.demand(14, 2));
    assert_eq!(rules.again(&missing(20)).iter().collect::<Vec<_>>(), [20]);
    let lost: Vec<u16> = rules.again(&missing(21)).iter().collect();
    assert_eq!(lost, (4..21).take(demand).collect::<Vec<_>>());
    let need = Missing { needed: 6, parity: 2, have, fresh: 21 };
    assert!((1..17).contains(&usize::from(rules.again(&need).len())));
}
