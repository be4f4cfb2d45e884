//! Reno and CUBIC in C do at every call what the built-in laws do, and keep the rules of all laws.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use airtcp_congestion::conformance::check;
use airtcp_congestion::external::{Keys, LawMaker};
use airtcp_congestion::{
    AckSample, Congestion, CongestionControl, CongestionKind, CubicConfig, Growth, Idle, LawConfig,
    LawParams, LawRules, RenoConfig,
};
use airtcp_laws::{Faults, Library, Maker};
use airtcp_units::{Nanos, Span};

const MSS: u64 = 1460;

/// A law of `tests/laws`, compiled; `None` without a C compiler.
fn compiled(name: &str) -> Option<Library> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::temp_dir().join(format!("airtcp-gate-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("airtcp_law.h"), airtcp_laws::header()).unwrap();
    let library: PathBuf = folder.join(format!("{name}.so"));
    let built = Command::new("cc")
        .args(["-O2", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Werror", "-I"])
        .arg(&folder)
        .arg(root.join(format!("tests/laws/{name}.c")))
        .arg("-o")
        .arg(&library)
        .arg("-lm")
        .status();
    let opened = built.ok().map(|status| {
        assert!(status.success(), "{name} is C");
        Library::open(&library).unwrap()
    });
    std::fs::remove_dir_all(&folder).unwrap();
    opened
}

/// Numbers of a case (a linear congruence suffices to mix calls).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % n
    }
}

fn kind(number: u64) -> CongestionKind {
    match number {
        0 => CongestionKind::FastRetransmit,
        1 => CongestionKind::Rto,
        2 => CongestionKind::EcnCe,
        _ => CongestionKind::Persistent,
    }
}

fn params(rules: LawRules, case: u64) -> LawParams {
    LawParams {
        mss: 1460,
        initial_window: 10 * MSS,
        initial_ssthresh: if case.is_multiple_of(3) { 30 * MSS } else { u64::MAX },
        max_cwnd: 4000 * MSS,
        half_of_cwnd: case.is_multiple_of(2),
        selective_acks: true,
        rules,
        ..LawParams::default()
    }
}

/// Calls two laws alike, and compares their windows after each call.
fn alike([mine, theirs]: [&mut dyn CongestionControl; 2], rules: LawRules, case: u64) {
    let mut numbers = Numbers(case);
    let params = params(rules, case);
    let mut now = Nanos::ZERO;
    mine.start(now, &params);
    theirs.start(now, &params);
    let (mut acked_up_to, min_rtt) = (0, Span::from_millis(40));
    for call in 0..3000 {
        now += Span(200_000 + numbers.below(30_000_000));
        match numbers.below(60) {
            0 => {
                let kind = kind(numbers.below(4));
                let c =
                    Congestion { kind, flight: mine.cwnd() + numbers.below(9000), restart: false };
                mine.on_congestion(now, &c);
                theirs.on_congestion(now, &c);
            }
            1 => {
                mine.on_spurious(now);
                theirs.on_spurious(now);
            }
            2 => {
                let idle = Span::from_millis(numbers.below(3000));
                let pause =
                    Idle { idle, rto: Span::from_secs(1), restart: true, app_limited: true };
                mine.on_idle(now, &pause);
                theirs.on_idle(now, &pause);
            }
            _ => {
                let acked = numbers.below(4) * MSS;
                acked_up_to += acked;
                let rtt = min_rtt + Span(numbers.below(8_000_000));
                let ack = AckSample {
                    acked,
                    delivered: acked.min(MSS * numbers.below(4)),
                    acked_up_to,
                    sent_up_to: acked_up_to + mine.cwnd(),
                    rtt: Some(rtt),
                    srtt: Some(rtt),
                    min_rtt: Some(min_rtt),
                    cwnd_limited: numbers.below(5) > 0,
                    in_fast_recovery: numbers.below(9) == 0,
                    ends_recovery: numbers.below(2) == 0,
                    ece: numbers.below(20) == 0,
                    ..AckSample::default()
                };
                mine.on_ack(now, &ack);
                theirs.on_ack(now, &ack);
            }
        }
        let windows = (mine.cwnd(), mine.ssthresh());
        assert_eq!(windows, (theirs.cwnd(), theirs.ssthresh()), "call {call} of {case}, {rules:?}");
    }
}

#[allow(clippy::print_stdout, reason = "says why it is skipped")]
#[test]
fn laws_in_c_are_the_built_in_ones() {
    let built_in = [
        ("reno_c", LawConfig::Reno(RenoConfig { growth: Growth::PerAck })),
        ("cubic_c", LawConfig::Cubic(CubicConfig::default())),
    ];
    for (name, law) in built_in {
        let Some(library) = compiled(name) else {
            println!("skipped: there is no C compiler");
            return;
        };
        let faults = Arc::new(Faults::default());
        let maker = Maker::new(Arc::new(library), faults.clone());
        let make = || maker.make(&Keys::new());
        for rules in [LawRules::Documents, LawRules::Linux] {
            for case in 0..40 {
                alike([&mut *make(), &mut law.build()], rules, case);
            }
        }
        assert_eq!(check(&make, 256, 200, 1), Ok(()), "{name}");
        assert_eq!(faults.first(), None);
    }
}
