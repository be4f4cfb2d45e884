//! Conformance tests of every registered rate control, and scripted tests of each.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Nanos, Narrow, Span};
use proptest::prelude::*;

use super::*;
use crate::node::NodeId;
use crate::phy::error::ErrorModel;
use crate::phy::{Mode, Standard, Timing, TimingConfig};

/// The station that frames are sent to.
pub(crate) const PEER: NodeId = NodeId(1);
const BYTES: u32 = 1536;
/// Attempts of a packet.
const ATTEMPTS: u32 = 7;

fn try_build(config: &RateConfig, start: Option<Mode>, seed: u64) -> Result<Rate, ConfigError> {
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    let error = ErrorModel::default();
    let plan = RatePlan { control: config.clone(), start, modes: Mode::OFDM.to_vec() };
    let context =
        RateContext { timing: &timing, error: &error, seed: Seed::new(seed), label: "sta/0/rate" };
    Rate::new(&plan, context)
}

fn build(config: &RateConfig, seed: u64) -> Rate {
    try_build(config, None, seed).unwrap_or_else(|e| panic!("{config:?}: {e}"))
}

/// The error message of an impossible configuration.
pub(crate) fn refusal(config: &RateConfig) -> String {
    try_build(config, None, 0).expect_err("an impossible configuration").to_string()
}

/// A control that sends packets to one station with 802.11a.
pub(crate) struct Script {
    pub(crate) rate: Rate,
    pub(crate) now: Nanos,
}

impl Script {
    pub(crate) fn new(config: &RateConfig) -> Self {
        Self { rate: build(config, 1), now: Nanos::ZERO }
    }

    pub(crate) fn wait(&mut self, ms: u64) {
        self.now += Span::from_millis(ms);
    }

    fn attempt(&self, number: u32) -> Attempt {
        Attempt { now: self.now, to: PEER, category: 0, bytes: BYTES, number }
    }

    /// Makes one attempt. Returns its step, and true if it was acknowledged.
    fn send(&mut self, number: u32, passes: impl FnOnce(usize) -> Option<bool>) -> (usize, bool) {
        let attempt = self.attempt(number);
        let mode = self.rate.pick(&attempt);
        assert_eq!(mode, self.rate.pick(&attempt), "the same attempt has the same mode");
        let step = Mode::OFDM.iter().position(|m| *m == mode).expect("an allowed mode");
        let ending = match passes(step) {
            Some(true) => Ending::Acknowledged,
            Some(false) => Ending::NoAck,
            None => Ending::NoCts,
        };
        let given_up = ending != Ending::Acknowledged && number + 1 >= ATTEMPTS;
        self.rate.on_result(&Outcome::of_frame(attempt, mode, ending, given_up));
        (step, ending == Ending::Acknowledged)
    }

    /// Sends a packet whose attempts succeed (`.`) or fail (`x`). Returns true if the last one
    /// succeeded, and the step of each attempt.
    pub(crate) fn packet(&mut self, endings: &str) -> (bool, Vec<usize>) {
        self.rate.on_packet(&self.attempt(0));
        let mut steps = Vec::new();
        let mut passed = false;
        for (number, ending) in endings.chars().enumerate() {
            let (step, passes) = self.send(u32::narrow(number), |_| Some(ending == '.'));
            steps.push(step);
            passed = passes;
        }
        (passed, steps)
    }

    /// Sends a PPDU with an answer, and numbers of MPDUs: those sent and those acknowledged. Returns its step.
    pub(crate) fn aggregate(&mut self, (mpdus, acknowledged): (u32, u32)) -> usize {
        let (attempt, ending, given_up) = (self.attempt(0), Ending::Acknowledged, false);
        self.rate.on_packet(&attempt);
        let mode = self.rate.pick(&attempt);
        self.rate.on_result(&Outcome { attempt, mode, ending, given_up, mpdus, acknowledged });
        Mode::OFDM.iter().position(|m| *m == mode).expect("an allowed mode")
    }
}

/// Checks the steps of each line of attempts. Every attempt is a separate packet.
pub(crate) fn script(config: &RateConfig, lines: &[(&str, &[usize])]) {
    let mut s = Script::new(config);
    for (i, (endings, expected)) in lines.iter().enumerate() {
        let steps: Vec<usize> = endings.chars().map(|c| s.packet(&c.to_string()).1[0]).collect();
        assert_eq!(&steps, expected, "line {i}: {endings}");
    }
}

/// A channel on which modes up to a step succeed, or all modes with a probability.
#[derive(Debug, Clone, Copy)]
enum Channel {
    UpTo(usize),
    Random(f64),
}

/// Sends packets one after the other, 2 ms per attempt. Returns the steps of their attempts.
fn drive(s: &mut Script, channel: Channel, packets: u32, seed: u64) -> Vec<Vec<usize>> {
    let error = ErrorModel::default();
    let snr = match channel {
        Channel::UpTo(step) => 1.01 * error.sinr_for(Mode::OFDM[step], 8 * 1536 + 22, 0.99),
        Channel::Random(_) => 100.0,
    };
    let mut random = Seed::new(seed).stream("channel");
    let mut all = Vec::new();
    for _ in 0..packets {
        s.rate.on_rx(s.now, PEER, None, snr);
        let granted = s.rate.grant(PEER, snr, BYTES);
        if let Some(mode) = granted {
            s.rate.on_grant(PEER, mode);
        }
        s.rate.on_packet(&s.attempt(0));
        let mut steps = Vec::new();
        for number in 0..ATTEMPTS {
            let (step, passed) = s.send(number, |step| match channel {
                Channel::UpTo(top) => Some(step <= top),
                Channel::Random(p) => Some(random.unit() < p),
            });
            steps.push(step);
            s.now += Span::from_millis(2);
            if passed {
                break;
            }
        }
        all.push(steps);
    }
    all
}

fn adapts(config: &RateConfig) -> bool {
    config.control() != "fixed"
}

/// Packets in which even Onoe reaches the top: 7 steps of 10 credits, one second per credit.
const LONG: u32 = 45_000;

#[test]
fn a_clean_channel_brings_the_top_rate_and_a_dead_one_the_lowest() {
    for config in RateConfig::samples() {
        let mut s = Script::new(&config);
        for _ in 0..2 {
            let last = drive(&mut s, Channel::UpTo(7), LONG, 1).split_off(LONG as usize - 1_000);
            let top = last.iter().filter(|steps| **steps == [7]).count();
            // One of Minstrel's configurations samples in half of the packets.
            assert!(top > 400, "{config:?}: {top} of 1000 at the top");
            if !adapts(&config) {
                continue;
            }
            let last = drive(&mut s, Channel::UpTo(0), LONG, 1).pop().unwrap();
            let lowest = last.last().unwrap();
            assert_eq!(*lowest, 0, "{config:?}: {last:?}");
        }
    }
}

#[test]
fn a_channel_that_carries_half_the_rates_is_used() {
    for config in RateConfig::samples() {
        if matches!(config.control(), "fixed" | "chain") {
            continue;
        }
        let mut s = Script::new(&config);
        let last = drive(&mut s, Channel::UpTo(4), LONG, 1).split_off(LONG as usize - 1_000);
        let through = last.iter().filter(|steps| *steps.last().unwrap() == 4).count();
        assert!(through > 400, "{config:?}: {through} of 1000 came through at the best rate");
    }
}

/// An RTS without a CTS says nothing about the rate of the data.
#[test]
fn missing_cts_does_not_lower_the_rate() {
    for config in RateConfig::samples() {
        let mut s = Script::new(&config);
        drive(&mut s, Channel::UpTo(7), LONG, 1);
        for _ in 0..3_000 {
            s.rate.on_packet(&s.attempt(0));
            for _ in 0..ATTEMPTS {
                s.send(0, |_| None);
                s.now += Span::from_millis(1);
            }
        }
        // Of two packets at once, one may sample another rate.
        let next = [s.packet(".").1[0], s.packet(".").1[0]];
        assert!(next.contains(&7), "{config:?}: {next:?}");
    }
}

/// A PPDU counts once for the controls that count attempts, whatever the number of its MPDUs.
#[test]
fn an_aggregate_is_one_attempt() {
    for (control, failures) in [("s0", 2), ("arf", 2), ("aarf", 2)] {
        let config = toml::from_str(&format!("control = \"{control}\"")).unwrap();
        let mut rate = try_build(&config, Some(Mode::OFDM[7]), 1).unwrap();
        let mut tell = |ending, mpdus, acknowledged| {
            let attempt =
                Attempt { now: Nanos::ZERO, to: PEER, category: 0, bytes: BYTES, number: 0 };
            let mode = rate.pick(&attempt);
            let given_up = false;
            rate.on_result(&Outcome { attempt, mode, ending, given_up, mpdus, acknowledged });
            Mode::OFDM.iter().position(|m| *m == rate.pick(&attempt)).unwrap()
        };
        for failure in 1..=failures {
            // Half of the MPDUs make a success.
            assert_eq!(tell(Ending::Acknowledged, 64, 32), 7, "{control}");
            for lost in 1..=failure {
                let (ending, acknowledged) =
                    if lost == 1 { (Ending::NoAck, 0) } else { (Ending::Acknowledged, 31) };
                let step = if lost < failures { 7 } else { 6 };
                assert_eq!(tell(ending, 64, acknowledged), step, "{control}, {lost} lost");
            }
        }
        assert_eq!(tell(Ending::NoCts, 0, 0), 6, "{control}");
    }
}

/// AMRR and Onoe start at 36 Mb/s or at the scheme with its modulation and code, whatever its rate.
#[test]
fn start_of_controls_with_periods() {
    use crate::phy::{PhySetup, SetupKeys};
    for (standard, streams, mcs) in [
        (Standard::G, 1, None),
        (Standard::N, 1, Some(4)),
        (Standard::Ac, 2, Some(4)),
        (Standard::Ax, 4, Some(4)),
    ] {
        let keys = SetupKeys { streams: Some(streams), ..SetupKeys::default() };
        let modes = PhySetup::new(standard, &keys).unwrap().modes(true);
        let timing = Timing::new(standard, &TimingConfig::default()).unwrap();
        let error = ErrorModel::default();
        for control in ["amrr", "onoe"] {
            let control = toml::from_str(&format!("control = \"{control}\"")).unwrap();
            let plan = RatePlan { control, start: None, modes: modes.clone() };
            let seed = Seed::new(1);
            let context = RateContext { timing: &timing, error: &error, seed, label: "rate" };
            let attempt =
                Attempt { now: Nanos::ZERO, to: PEER, category: 0, bytes: BYTES, number: 0 };
            let mode = Rate::new(&plan, context).unwrap().pick(&attempt);
            assert_eq!((mode.mcs_index(), mode.streams()), (mcs, streams), "{mode}");
            assert_eq!(mode.reference_kbps(), 36_000);
        }
    }
}

/// Results with one destination change nothing for another.
#[test]
fn destinations_are_apart() {
    for config in RateConfig::samples() {
        let one = |config| {
            let mut s = Script::new(config);
            drive(&mut s, Channel::UpTo(3), 3_000, 1);
            s
        };
        let mut s = one(&config);
        let other = |to| Attempt { now: Nanos::ZERO, to, category: 0, bytes: BYTES, number: 0 };
        let fresh = build(&config, 1).pick(&other(NodeId(7)));
        assert_eq!(s.rate.pick(&other(NodeId(7))), fresh, "{config:?}");
        assert_eq!(drive(&mut s, Channel::UpTo(3), 50, 1), {
            let mut t = one(&config);
            t.rate.on_packet(&Attempt { now: t.now, ..other(NodeId(7)) });
            drive(&mut t, Channel::UpTo(3), 50, 1)
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_registered_control_conforms(p in 0.0f64..1.0, seed in 0u64..1000) {
        for config in RateConfig::samples() {
            let mut one = Script { rate: build(&config, seed), now: Nanos::ZERO };
            let all = drive(&mut one, Channel::Random(p), 300, seed);
            let mut two = Script { rate: build(&config, seed), now: Nanos::ZERO };
            prop_assert_eq!(&all, &drive(&mut two, Channel::Random(p), 300, seed));
            let boxed = Rate::custom(build(&config, seed));
            let mut boxed = Script { rate: boxed, now: Nanos::ZERO };
            prop_assert_eq!(&all, &drive(&mut boxed, Channel::Random(p), 300, seed));
        }
    }
}

#[test]
fn the_first_mode_can_be_chosen() {
    for config in RateConfig::samples() {
        match try_build(&config, Some(Mode::OFDM[3]), 1) {
            Ok(rate) => {
                let mut s = Script { rate, now: Nanos::ZERO };
                assert!(s.packet("xxxxxxx").1[..2].contains(&3), "{config:?}");
            }
            Err(e) => assert_eq!((e.key, config.control()), ("rate", "chain")),
        }
        let e = try_build(&config, Some(Mode::DSSS[3]), 1).unwrap_err();
        assert_eq!(e.key, "rate");
    }
}

/// A control without effect of received frames chooses the same rates whether or not it is told of them.
#[test]
fn only_controls_that_say_so_learn_from_receptions() {
    for config in RateConfig::samples() {
        let (mut told, mut untold) = (build(&config, 1), build(&config, 1));
        let mut differs = false;
        for i in 0..200 {
            let now = Nanos(i * 1_000_000);
            let attempt = Attempt { now, to: PEER, category: 0, bytes: BYTES, number: 0 };
            let snr = [1.0, 1e3, 1e6][usize::narrow(i % 3)];
            told.on_rx(now, PEER, None, snr);
            for rate in [&mut told, &mut untold] {
                rate.on_packet(&attempt);
                let (mode, ending) = (rate.pick(&attempt), Ending::Acknowledged);
                rate.on_result(&Outcome::of_frame(attempt, mode, ending, false));
            }
            differs |= told.pick(&attempt) != untold.pick(&attempt);
        }
        assert_eq!(differs, told.learns_from_receptions(), "{config:?}");
    }
}

#[test]
fn registry_and_samples_agree() {
    for entry in registry() {
        assert_eq!(entry.family, "rate-control");
        let has_sample = RateConfig::samples().iter().any(|c| c.control() == entry.name);
        assert!(has_sample, "{} is never tested", entry.name);
        let text = [entry.description, entry.source];
        assert!(text.iter().all(|t| !t.is_empty() && t.trim() == *t && !t.ends_with('.')));
    }
}

#[test]
fn tables_read_and_round_trip() {
    let read = |text: &str| toml::from_str::<RateConfig>(text);
    for config in RateConfig::samples() {
        let text = toml::to_string(&config).unwrap();
        assert_eq!(read(&text).unwrap(), config, "{text}");
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<RateConfig>(&json).unwrap(), config, "{json}");
    }
    for (text, part) in [
        ("control = \"arff\"", "arf"),
        ("control = \"arf\"\nfailure = 3", "failure"),
        ("control = \"ideal\"\ntarget = 2", "between 0 and 1"),
        ("control = \"chain\"", "stages"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
    for (text, part) in [
        ("control = \"arf\"\nsuccesses = 0", "successes: is 0"),
        ("control = \"aarf\"\nmax_successes = 5", "max_successes: is 5, below successes (10)"),
        ("control = \"amrr\"\nsuccess_ratio = 0.5", "success_ratio: is 0.5, above failure_ratio"),
        ("control = \"onoe\"\nperiod = \"0 s\"", "period: is 0 s"),
        ("control = \"minstrel\"\newma = 1.0", "ewma: is 1"),
        ("control = \"minstrel\"\ncolumns = 0", "columns: is 0"),
        ("control = \"rbar\"\ntarget = 1.0", "target: is 1"),
        ("control = \"minstrel-ht\"\nperiod = \"0 s\"", "period: is 0 s"),
        ("control = \"minstrel-ht\"\nsample_interval = \"0 s\"", "sample_interval: is 0 s"),
    ] {
        let message = refusal(&read(text).unwrap());
        assert!(message.contains(part), "{text}: {message}");
    }
}

/// Bluetooth voice: a frame of N slots of 625 us is lost with probability 1 - 0.73^N, so that slower
/// frames are lost more often. Controls that count failures fall to the lowest rate and lose nearly all
/// frames. Minstrel measures the throughput and keeps the fast rate.
#[test]
fn losses_by_time_on_the_air_drive_the_rate_down() {
    let timing = Timing::new(Standard::B, &TimingConfig::default()).unwrap();
    let error = ErrorModel::default();
    let share = |control: &str| {
        let control = serde_json::from_str(&format!("{{\"control\": \"{control}\"}}")).unwrap();
        let modes = Mode::DSSS.to_vec();
        let plan = RatePlan { control, start: Some(Mode::DSSS[3]), modes };
        let seed = Seed::new(1);
        let context = RateContext { timing: &timing, error: &error, seed, label: "sta/0/rate" };
        let mut rate = Rate::new(&plan, context).unwrap();
        let mut random = seed.stream("bluetooth");
        let (mut now, mut delivered) = (Nanos::ZERO, 0u64);
        while now < Nanos(20_000_000_000) {
            rate.on_packet(&Attempt { now, to: PEER, category: 0, bytes: BYTES, number: 0 });
            for number in 0..ATTEMPTS {
                let attempt = Attempt { now, to: PEER, category: 0, bytes: BYTES, number };
                let mode = rate.pick(&attempt);
                let time = timing.frame(mode, BYTES);
                let clear: f64 = (0..(time.0 / 625_000).max(1)).map(|_| 0.73).product();
                let passed = random.unit() < clear;
                now = now + time + timing.ack(mode) + timing.difs();
                let ending = if passed { Ending::Acknowledged } else { Ending::NoAck };
                let given_up = !passed && number + 1 == ATTEMPTS;
                let attempt = Attempt { now, ..attempt };
                rate.on_result(&Outcome::of_frame(attempt, mode, ending, given_up));
                if passed {
                    delivered += 1;
                    break;
                }
            }
        }
        delivered as f64 / 20.0
    };
    let fixed = share("fixed");
    for (control, most) in [("s0", 0.1), ("arf", 0.1), ("aarf", 0.1), ("amrr", 0.2)] {
        let got = share(control);
        assert!(got < most * fixed, "{control}: {got} of {fixed}");
    }
    let got = share("minstrel");
    assert!(got > 0.8 * fixed, "minstrel: {got} of {fixed}");
}
