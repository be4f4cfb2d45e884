//! Capture: which of two overlapping frames is decoded, at each rate.

use airtcp_units::detmath;

use super::*;
use crate::phy::Mode;
use crate::phy::error::ThresholdConfig;

const MS: u64 = 1_000_000;
/// The sender of the first frame, and the sender of a frame that begins during its body.
const FIRST: NodeId = NodeId(1);
const LAST: NodeId = NodeId(2);

/// Threshold of each rate of 802.11a, in dB.
const NEEDS_DB: [f64; 8] = [4.0, 5.0, 7.0, 9.0, 12.0, 16.0, 20.0, 21.0];

const CASES: Capture = Capture::Cases {
    sir_first_db: 0.0,
    sir_last_clear_db: 10.0,
    sir_last_garbled_db: 15.0,
    gamma_mr_db: 8.0,
};

/// True for each of the first and the last frame if it is decoded, and the number of frames captured
/// away. Only station 0 receives signals, the first one `sir` dB stronger than the last. A garbled
/// first frame begins while station 0 is transmitting.
fn overlap(capture: Capture, mode: Mode, sir: f64, garbled: bool) -> (bool, bool, u64) {
    let mut plan = plan(3, Standard::A, MacConfig::default(), TimingConfig::default());
    plan.capture = capture;
    plan.error = ErrorModel::new(&ErrorModelConfig::Threshold(ThresholdConfig::default())).unwrap();
    plan.power_mw = vec![vec![0.0; 3]; 3];
    plan.power_mw[1][0] = 1e-4 * detmath::pow(10.0, sir / 20.0);
    plan.power_mw[2][0] = 1e-4 / detmath::pow(10.0, sir / 20.0);
    for station in &mut plan.stations {
        station.rate = RatePlan::fixed(mode);
    }
    let mut b = Bench::new(plan, 1);
    let mut at = MS;
    b.run(Nanos(at));
    if garbled {
        b.payload = 0;
        b.offer(NodeId(0), NodeId::BROADCAST);
        b.run(Nanos(at + 5_000));
    }
    b.payload = 1460;
    b.offer(FIRST, NodeId(0));
    at += 130_000;
    b.run(Nanos(at));
    b.offer(LAST, NodeId(0));
    let timing = b.cell.cells.first().rules.timing;
    b.run(Nanos(at) + timing.frame(mode, 1524));
    let data = |id| *b.cell.stats(id).class(Class::Data);
    let (first, last) = (data(FIRST), data(LAST));
    assert!(first.sent >= 1 && last.sent >= 1);
    (first.decoded > 0, last.decoded > 0, first.captured + last.captured)
}

/// Half a dB below and above every threshold, at every rate.
#[test]
fn the_table_of_cases_at_each_rate() {
    for (mode, needs) in Mode::OFDM.into_iter().zip(NEEDS_DB) {
        let edges = [0.0, 8.0, 10.0, 15.0, needs];
        let sirs = edges.into_iter().flat_map(|e| [e - 0.5, e + 0.5, -e - 0.5, -e + 0.5]);
        for sir in sirs {
            // SF and SLC.
            let first = sir >= needs.max(0.0);
            let restarts = -sir >= 8.0;
            let last = -sir >= needs.max(10.0);
            let met = overlap(CASES, mode, sir, false);
            assert_eq!(met, (first, last, u64::from(restarts)), "{mode} {sir} dB");
            // SLG: the first frame is always lost.
            let last = -sir >= needs.max(15.0);
            let met = overlap(CASES, mode, sir, true);
            assert_eq!(met, (false, last, 0), "{mode} {sir} dB, garbled");
        }
    }
}

/// The other models with a last frame 12 and 20 dB stronger at 6 Mb/s. If the first frame is in
/// reception, only message in message receives the last one. If the first frame is garbled, all
/// SINR-based models receive a last frame 20 dB stronger.
#[test]
fn the_other_models() {
    let late_db = 15.0;
    let mode = Mode::OFDM[0];
    for (capture, clear, garbled) in [
        (Capture::None, [false, false], [false, false]),
        (Capture::Threshold { ratio_db: 10.0 }, [false, false], [false, false]),
        (Capture::Sinr { late_db }, [false, false], [false, true]),
        (Capture::PreambleWindow { margin_db: 5.0, late_db }, [false, false], [false, true]),
        (Capture::MessageInMessage { margin_db: 8.0, late_db }, [true, true], [false, true]),
        (CASES, [true, true], [false, true]),
    ] {
        let last = |garbled| [-12.0, -20.0].map(|sir| overlap(capture, mode, sir, garbled).1);
        assert_eq!((last(false), last(true)), (clear, garbled), "{capture:?}");
    }
}
