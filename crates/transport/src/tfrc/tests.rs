//! Both ends over a link with a queue and losses of known cause, in virtual time.

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::{Ecn, EndpointId, Segment, Side};
use airtcp_probe::{Cx, Event, EventSource, LossCause, Machine, Probe};
use airtcp_random::{Seed, Stream};
use airtcp_units::{Nanos, Span};

use super::*;
use crate::lda::LdaConfig;

/// Records the classifications of the receiver.
#[derive(Default)]
struct Judgements(Vec<(u64, u64, LossCause)>);

impl Probe for Judgements {
    const ON: bool = true;
    fn record(&mut self, _: Nanos, _: EventSource, event: &Event) {
        if let Event::LossJudged { number, packets, cause } = *event {
            self.0.push((number, packets, cause));
        }
    }
}

/// A link of `rate` bytes/s behind a queue of `room` packets, with a delay each way. The share
/// `corruption` of the packets is corrupted; the full queue drops packets.
struct Path {
    rate: f64,
    delay: Span,
    room: usize,
    corruption: f64,
    /// Every packet with this period is lost instead, if not 0.
    every: u64,
    /// The queue marks packets from this length on.
    mark_from: usize,
}

const WIDE: Path = Path {
    rate: 1e9,
    delay: Span::from_millis(40),
    room: usize::MAX,
    corruption: 0.0,
    every: 0,
    mark_from: usize::MAX,
};

struct Outcome {
    /// Payload received, by second.
    received: Vec<u64>,
    sent: u64,
    /// Cause of each packet loss.
    causes: BTreeMap<u64, LossCause>,
    judged: Vec<(u64, u64, LossCause)>,
    receiver: TfrcReceiver,
    sender: TfrcSender,
    /// Allowed rate in bytes/s after every report.
    rates: Vec<f64>,
    departures: Vec<Nanos>,
}

impl Outcome {
    /// Mean receive rate between two seconds, in bytes/s.
    fn mean(&self, from: usize, to: usize) -> f64 {
        self.received[from..to].iter().sum::<u64>() as f64 / (to - from) as f64
    }
}

/// The data path: a queue, a rate, losses and a delay.
struct Wire<'a> {
    path: &'a Path,
    stream: Stream,
    queue: VecDeque<Nanos>,
    busy_until: Nanos,
    departures: Vec<Nanos>,
    causes: BTreeMap<u64, LossCause>,
    there: VecDeque<(Nanos, Segment)>,
}

impl Wire<'_> {
    fn take(&mut self, now: Nanos, mut segment: Segment) {
        let number = self.departures.len() as u64;
        self.departures.push(now);
        while self.queue.front().is_some_and(|&t| t <= now) {
            self.queue.pop_front();
        }
        if self.queue.len() >= self.path.room {
            self.causes.insert(number, LossCause::Overflow);
            return;
        }
        if self.queue.len() >= self.path.mark_from && segment.ecn == Ecn::Ect0 {
            segment.ecn = Ecn::Ce;
        }
        let time = Span::from_secs_f64(f64::from(segment.wire_len()) / self.path.rate);
        self.busy_until = self.busy_until.max(now) + time;
        self.queue.push_back(self.busy_until);
        let every = self.path.every;
        let chosen = every > 0 && number % every == every - 1;
        if chosen || self.stream.chance(self.path.corruption) {
            self.causes.insert(number, LossCause::Corruption);
            return;
        }
        self.there.push_back((self.busy_until + self.path.delay, segment));
    }
}

/// Runs a bulk flow; reports are lost during `mute`.
fn run(config: &TfrcConfig, path: &Path, seconds: u64, mute: (u64, u64)) -> Outcome {
    let mut sender = TfrcSender::new(config, config.segment);
    let mut receiver = TfrcReceiver::new(config);
    let mut wire = Wire {
        path,
        stream: Seed::new(7).stream("loss"),
        queue: VecDeque::new(),
        busy_until: Nanos::ZERO,
        departures: Vec::new(),
        causes: BTreeMap::new(),
        there: VecDeque::new(),
    };
    let mut probe = Judgements::default();
    let source = EventSource::Endpoint(EndpointId::new(0, Side::Server));
    let cx = &mut Cx::new(&mut probe, source);
    sender.send(1 << 40);
    let end = Nanos(seconds * 1_000_000_000);
    let mut back: VecDeque<(Nanos, Segment)> = VecDeque::new();
    let mut now = Nanos::ZERO;
    let (mut received, mut rates) = (vec![0u64; seconds as usize], Vec::new());
    while now < end {
        while let Some(segment) = sender.poll(now, cx) {
            wire.take(now, segment);
        }
        while let Some(report) = receiver.poll(now, cx) {
            let at = now.0 / 1_000_000_000;
            if !(mute.0..mute.1).contains(&at) {
                back.push_back((now + path.delay, report));
            }
        }
        let arrivals = [wire.there.front(), back.front()].map(|f| f.map_or(Nanos::NEVER, |f| f.0));
        let timers = sender.next_timer().min(receiver.next_timer());
        now = arrivals[0].min(arrivals[1]).min(timers).max(now);
        if arrivals[0] <= now {
            let (_, segment) = wire.there.pop_front().unwrap();
            let second = (now.0 / 1_000_000_000) as usize;
            if second < received.len() {
                received[second] += u64::from(segment.len - DATA_HEADER);
            }
            receiver.handle(now, segment, cx);
        } else if arrivals[1] <= now {
            let (_, report) = back.pop_front().unwrap();
            sender.handle(now, report, cx);
            rates.push(sender.allowed_rate());
        } else {
            sender.on_timer(now, cx);
            receiver.on_timer(now, cx);
        }
    }
    let Wire { departures, causes, .. } = wire;
    let sent = departures.len() as u64;
    Outcome { received, sent, causes, judged: probe.0, receiver, sender, rates, departures }
}

const PLAIN: (u64, u64) = (0, 0);

/// Every hundredth packet is lost on a path without other limits: every interval is 100, p is 1 %,
/// and the rate is the equation's.
#[test]
fn periodic_losses_give_the_equation() {
    for every in [50u64, 100, 400] {
        let path = Path { every, ..WIDE };
        let out = run(&TfrcConfig::default(), &path, 120, PLAIN);
        let p = out.receiver.loss_event_rate();
        assert!((p * every as f64 - 1.0).abs() < 0.02, "{every}: {p}");
        let expected = throughput(1460.0, 0.08, 0.32, 1.0 / every as f64, 1.0);
        let ratio = out.mean(60, 120) / ((1.0 - 1.0 / every as f64) * expected);
        assert!((0.95..1.05).contains(&ratio), "{every}: {ratio}");
    }
}

/// Slow start doubles once per round trip from four segments of 1095 bytes, and the rate is at most
/// twice the receive rate.
#[test]
fn slow_start_doubles() {
    let config = TfrcConfig { segment: 1000, ..TfrcConfig::default() };
    let out = run(&config, &WIDE, 2, PLAIN);
    // W_init/R with R = 80 ms (and 1 us or so of serialisation): min(4000, max(2000, 4380)).
    assert!((out.rates[0] * 0.08 / 4000.0 - 1.0).abs() < 1e-3, "{}", out.rates[0]);
    let mut largest: f64 = 0.0;
    for pair in out.rates.windows(2) {
        largest = largest.max(pair[1] / pair[0]);
    }
    assert!(largest <= 2.0 + 1e-9, "{largest}");
    assert!(out.rates.last().unwrap() / out.rates[0] > 100.0);
}

/// Packets leave at equal intervals, without bursts.
#[test]
fn packets_are_paced() {
    let path = Path { every: 100, ..WIDE };
    let out = run(&TfrcConfig::default(), &path, 60, PLAIN);
    let tail = &out.departures[out.departures.len() / 2..];
    let gaps: Vec<f64> = tail.windows(2).map(|w| w[1].since(w[0]).as_secs_f64()).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least > 0.7 * mean, "{least} of {mean}");
}

/// A full link of 1 Mb/s with a queue of 20: the link is used, and the queue's losses set the rate.
#[test]
fn a_bottleneck_is_used() {
    let path = Path { rate: 125_000.0, room: 20, ..WIDE };
    let out = run(&TfrcConfig::default(), &path, 120, PLAIN);
    let share = out.mean(30, 120) * 1500.0 / 1460.0 / 125_000.0;
    assert!((0.85..=1.0).contains(&share), "{share}");
    assert!(out.receiver.stats().loss_events > 3);
    assert!(out.causes.values().all(|c| *c == LossCause::Overflow));
}

/// Without reports the rate halves at every expiry, down to one packet in 64 s, and recovers later.
#[test]
fn silence_halves_the_rate() {
    let path = Path { every: 100, ..WIDE };
    let out = run(&TfrcConfig::default(), &path, 90, (30, 60));
    assert!(out.sender.stats().timeouts >= 8, "{}", out.sender.stats().timeouts);
    let before = out.mean(20, 30);
    let late = out.mean(50, 60);
    assert!(late < before / 50.0, "{late} after {before}");
    assert!(out.mean(80, 90) > 0.5 * before, "{}", out.mean(80, 90));
    let none = run(&TfrcConfig::default(), &path, 40, (0, 40));
    assert!(none.sender.rtt().is_none());
    // 1, halved after 2 s, and so on: very few packets without a report.
    assert!(none.sent <= 12, "{}", none.sent);
}

/// Marks count as losses: no packet is lost, and the queue does not overflow.
#[test]
fn marks_are_losses() {
    let config = TfrcConfig { ecn: true, ..TfrcConfig::default() };
    let path = Path { rate: 125_000.0, mark_from: 15, room: 60, ..WIDE };
    let out = run(&config, &path, 120, PLAIN);
    assert!(out.receiver.stats().loss_events > 3);
    let overflow_later = out.causes.keys().filter(|n| **n > out.sent / 4).count();
    assert_eq!(overflow_later, 0, "marks keep the queue from filling after slow start");
    assert!(out.mean(30, 120) * 1500.0 / 1460.0 / 125_000.0 > 0.8);
}

/// Confusion matrix of TP-LDA over a bottleneck with 1 % corruption.
#[test]
fn losses_are_classified() {
    let config =
        TfrcConfig { loss_differentiation: Some(LdaConfig::default()), ..TfrcConfig::default() };
    let path = Path { rate: 250_000.0, room: 30, corruption: 0.01, ..WIDE };
    let out = run(&config, &path, 400, PLAIN);
    let mut matrix = [[0u32; 2]; 2];
    for (number, packets, cause) in &out.judged {
        for n in *number..number + packets {
            let Some(truth) = out.causes.get(&n) else { continue };
            matrix[usize::from(*truth == LossCause::Corruption)]
                [usize::from(*cause == LossCause::Corruption)] += 1;
        }
    }
    let [[overflow_right, overflow_wrong], [corruption_wrong, corruption_right]] = matrix;
    let (overflow, corruption) =
        (overflow_right + overflow_wrong, corruption_right + corruption_wrong);
    assert!(overflow >= 30 && corruption > 200, "{matrix:?}");
    assert!(f64::from(overflow_right) > 0.95 * f64::from(overflow), "{matrix:?}");
    assert!(f64::from(corruption_right) > 0.6 * f64::from(corruption), "{matrix:?}");
}

/// S3's ordering: E-TFRC gets more than TFRC under random loss, the same under overflow alone.
#[test]
fn differentiation_helps_under_corruption_only() {
    let plain = TfrcConfig::default();
    let lda = Some(LdaConfig::default());
    let told = TfrcConfig { loss_differentiation: lda, ..TfrcConfig::default() };
    let lossy = Path { rate: 1_250_000.0, room: 100, corruption: 0.02, ..WIDE };
    let (a, b) = (run(&plain, &lossy, 150, PLAIN), run(&told, &lossy, 150, PLAIN));
    let (a, b) = (a.mean(50, 150), b.mean(50, 150));
    assert!(b > 2.0 * a, "{b} against {a}");
    let clean = Path { rate: 250_000.0, room: 30, ..WIDE };
    let (a, b) = (run(&plain, &clean, 150, PLAIN), run(&told, &clean, 150, PLAIN));
    let (a, b) = (a.mean(50, 150), b.mean(50, 150));
    assert!((b / a - 1.0).abs() < 0.02, "{b} against {a}");
}

#[test]
fn hostile_packets_do_no_harm() {
    let config =
        TfrcConfig { loss_differentiation: Some(LdaConfig::default()), ..TfrcConfig::default() };
    let mut sender = TfrcSender::new(&config, 1000);
    let mut receiver = TfrcReceiver::new(&config);
    let mut stream = Seed::new(3).stream("hostile");
    let mut probe = Judgements::default();
    let source = EventSource::Endpoint(EndpointId::new(0, Side::Server));
    let cx = &mut Cx::new(&mut probe, source);
    sender.send(1 << 20);
    let mut now = Nanos::ZERO;
    for _ in 0..20_000 {
        now += Span(stream.below(50_000_000));
        let mut segment = Segment::datagram(stream.next_u64() as u32, stream.next_u64() as u16);
        segment.timestamps = (stream.next_u64() as u32, stream.next_u64() as u32);
        segment.ack = airtcp_packet::Seq(stream.next_u64() as u32);
        segment.flags = airtcp_packet::Flags(stream.next_u64() as u8);
        sender.handle(now, segment, cx);
        receiver.handle(now, segment, cx);
        for _ in 0..3 {
            sender.poll(now, cx);
            receiver.poll(now, cx);
        }
        sender.on_timer(now, cx);
        receiver.on_timer(now, cx);
        let rate = sender.allowed_rate();
        assert!(rate.is_finite() && rate > 0.0);
        assert!((0.0..=1.0).contains(&receiver.loss_event_rate()));
    }
}
