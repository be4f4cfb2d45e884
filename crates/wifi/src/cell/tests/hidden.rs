//! Losses of hidden stations by geometry, and the absence of effects of idle stations.

use airtcp_units::{Dbm, Narrow, Saturate, detmath};

use super::*;
use crate::mac::{AccessMethod, EdcaConfig, EdcaTable, TxopLimits};
use crate::phy::Band;
use crate::phy::propagation::{
    PathLossConfig, Position, Propagation, PropagationConfig, PropagationContext, RangesConfig,
};

const S: u64 = 1_000_000_000;
/// Distance of the stations from their access point.
const RADIUS_M: f64 = 200.0;
/// Maximum distance at which stations sense each other.
const SENSE_M: f64 = 300.0;

/// Share of frames lost by two stations that are `degrees` apart as seen from the access point, with
/// Poisson arrivals and one attempt per frame.
fn loss(degrees: f64, per_second: f64, seconds: u64) -> f64 {
    let ranges =
        RangesConfig { decode_m: 250.0, interference_m: SENSE_M, ..RangesConfig::default() };
    let config = PropagationConfig {
        path_loss: PathLossConfig::Ranges(ranges),
        ..PropagationConfig::default()
    };
    let names = ["ap", "a", "b"].map(String::from);
    let context = PropagationContext {
        frequency_hz: Band::Ghz5.frequency_hz(),
        stations: &names,
        seed: Seed::new(1),
        label: "cell",
    };
    let propagation = Propagation::new(&config, &context).unwrap();
    let thresholds = propagation.thresholds(Dbm(18.0)).unwrap();
    let angle = degrees.to_radians();
    let at = [
        Position::new(0.0, 0.0),
        Position::new(RADIUS_M, 0.0),
        Position::new(RADIUS_M * detmath::cos(angle), RADIUS_M * detmath::sin(angle)),
    ];
    let mac = MacConfig { attempts: 1, ..MacConfig::default() };
    let mut plan = plan(3, Standard::A, mac, TimingConfig::default());
    plan.sensing.sensitivity_dbm = thresholds.decode.0;
    plan.sensing.carrier_sense_dbm = thresholds.sense.0;
    for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        let lost = propagation.loss_db(from, at[from], to, at[to]);
        plan.power_mw[from][to] = Dbm(18.0 - lost).milliwatts();
    }
    let mut b = Bench::new(plan, 1);
    let mut random = Seed::new(2).stream("arrivals");
    let mut next = [0.0f64; 2];
    while b.now < Nanos(seconds * S) {
        let who = usize::from(next[1] < next[0]);
        b.run(Nanos(u64::saturate(next[who] * 1e9)));
        let station = NodeId(u32::narrow(who) + 1);
        if b.cell.is_ready(station, 0) {
            b.offer(station, NodeId(0));
        }
        next[who] -= detmath::ln(1.0 - random.unit()) / per_second;
    }
    let data = |i| *b.cell.stats(NodeId(i)).class(Class::Data);
    let (sent, decoded) = (data(1).sent + data(2).sent, data(1).decoded + data(2).decoded);
    1.0 - decoded as f64 / sent as f64
}

/// Hidden stations are beyond sensing range of each other. A frame of duration T is lost if a frame of
/// the other station begins within T before or after its start: `1 - exp(-2 T rate)`. Stations that
/// sense each other lose only frames that begin at the same instant, which do not occur here.
#[test]
fn hidden_stations_lose_what_geometry_says() {
    for degrees in [20.0, 60.0, 95.0, 99.0, 140.0, 180.0f64] {
        let apart = 2.0 * RADIUS_M * detmath::sin(degrees.to_radians() / 2.0);
        let rate = 150.0;
        let expected = if apart > SENSE_M { 1.0 - detmath::exp(-2.0 * 248e-6 * rate) } else { 0.0 };
        let lost = loss(degrees, rate, 60);
        assert!((lost - expected).abs() < 0.008, "{degrees} degrees: {lost} {expected}");
    }
}

fn busy(n: usize, params: &EdcaConfig) -> Vec<(Nanos, Frame)> {
    let params = params.params(Standard::A, EdcaTable::Stations, TxopLimits::Y2012).unwrap();
    let mac = MacConfig { access: AccessMethod::Edca, ..MacConfig::default() };
    let mut plan = plan(n, Standard::A, mac, TimingConfig::default());
    for station in &mut plan.stations {
        station.seams.access = params.to_vec();
    }
    plan.residual_error = 0.1;
    let mut b = Bench::new(plan, 1);
    b.saturated = (1..4).map(|i| (NodeId(i), NodeId(0))).collect();
    b.categories = vec![1; n];
    b.run(Nanos(S / 2));
    b.log
}

/// An idle station and unused categories change no frame, whatever their parameters.
#[test]
fn idle_stations_change_nothing() {
    let usual = busy(4, &EdcaConfig::default());
    assert!(usual.len() > 1000);
    assert!(usual == busy(5, &EdcaConfig::default()), "an idle station");
    let mut other = EdcaConfig::default();
    for category in [&mut other.background, &mut other.video, &mut other.voice] {
        category.aifsn = Some(1);
        category.cw_min = Some(1);
        category.cw_max = Some(3);
        category.txop_limit = Some(Span::ZERO);
    }
    assert!(usual == busy(4, &other), "unused categories");
    other.best_effort.cw_min = Some(31);
    assert!(usual != busy(4, &other), "the one that is used");
}
