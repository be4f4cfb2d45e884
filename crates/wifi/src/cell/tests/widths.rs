//! Frames narrower than their cell: noise and interference of their own band.

use super::*;
use crate::mac::AggregationConfig;
use crate::phy::{Format, GuardInterval, Mode, Width};

fn vht(mcs: u8, width: Width) -> Mode {
    Mode::mcs(Format::Vht, mcs, 1, width, GuardInterval::Ns400).unwrap()
}

/// Stations 1 and 2 send to station 0 over 20 and 80 MHz, and do not hear each other. The stations send one MPDU,
/// once.
fn cell(narrow_mw: f64, wide_mw: f64, noise_mw: f64) -> Bench {
    let aggregation = Some(AggregationConfig { max_mpdus: Some(1), ..Default::default() });
    let mac = MacConfig { attempts: 1, aggregation, ..MacConfig::default() };
    let mut plan = plan(3, Standard::Ac, mac, TimingConfig::default());
    plan.capture = Capture::Sinr { late_db: 0.0 };
    plan.noise_mw = noise_mw;
    plan.power_mw = vec![vec![0.0; 3]; 3];
    plan.power_mw[1][0] = narrow_mw;
    plan.power_mw[2][0] = wide_mw;
    for (station, width) in [(1, Width::Mhz20), (2, Width::Mhz80)] {
        plan.stations[station].rate = RatePlan::fixed(vht(0, width));
        plan.stations[station].width = width;
    }
    Bench::new(plan, 1)
}

/// Frames of stations 1 and 2 that station 0 decodes, if they begin in this order.
fn decoded(b: &mut Bench, order: [u32; 2]) -> [u64; 2] {
    b.run(Nanos(1_000_000));
    for (wait, station) in [0, 60].into_iter().zip(order) {
        b.run(b.now + Span::from_micros(wait));
        b.offer(NodeId(station), NodeId(0));
    }
    b.run(b.now + Span::from_micros(5_000));
    [1, 2].map(|i| b.cell.stats(NodeId(i)).class(Class::Data).decoded)
}

/// The error model decodes every frame that is stronger than noise and interference. Of the wide frame a quarter of
/// the power meets the narrow one, and of the narrow frame all of it meets the wide one.
#[test]
fn interference_counts_in_the_band_of_the_frame() {
    let narrow = |others: f64| decoded(&mut cell(1e-6, others * 1e-6, 1e-10), [1, 2])[0];
    assert_eq!([0.9, 3.9, 4.1].map(narrow), [1, 1, 0]);
    let wide = |others: f64| decoded(&mut cell(others * 1e-6, 1e-6, 1e-10), [2, 1])[1];
    assert_eq!([0.2, 0.9, 1.1].map(wide), [1, 1, 0]);
}

/// A narrow frame meets a quarter of the noise of the cell.
#[test]
fn noise_counts_in_the_band_of_the_frame() {
    let both = |snr: f64| {
        let mut b = cell(1e-6, 1e-6, 1e-6 / snr);
        b.run(Nanos(1_000_000));
        for station in [1, 2] {
            b.offer(NodeId(station), NodeId(0));
            b.run(b.now + Span::from_micros(5_000));
        }
        [1, 2].map(|i| b.cell.stats(NodeId(i)).class(Class::Data).decoded)
    };
    assert_eq!(both(1.1), [1, 1]);
    assert_eq!(both(0.9), [1, 0]);
    assert_eq!(both(0.26), [1, 0]);
    assert_eq!(both(0.24), [0, 0]);
}
