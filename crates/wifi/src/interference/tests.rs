//! Configuration tables, on-intervals and reach of interferers.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Dbm, Nanos, Span};

use super::*;
use crate::phy::propagation::{self, Position, Propagation, PropagationConfig};

/// The access point at the origin and stations "sta0", "sta1", ... 10 m apart along a line.
pub(crate) struct Line {
    names: Vec<String>,
    positions: Vec<Position>,
    propagation: Propagation,
}

impl Line {
    pub(crate) fn new(stations: usize) -> Self {
        let named = (0..stations).map(|i| format!("sta{i}"));
        let names: Vec<String> = std::iter::once("ap".to_owned()).chain(named).collect();
        let context = propagation::PropagationContext {
            frequency_hz: 2.437e9,
            stations: &names,
            seed: Seed::new(1),
            label: "cell",
        };
        let propagation = Propagation::new(&PropagationConfig::default(), &context).unwrap();
        let positions = (0..=stations).map(|i| Position::new(10.0 * i as f64, 0.0)).collect();
        Self { names, positions, propagation }
    }

    pub(crate) fn build(&self, text: &str, seed: u64) -> Result<Source, ConfigError> {
        let context = InterferenceContext {
            stations: &self.names,
            positions: &self.positions,
            propagation: &self.propagation,
            energy_detect_mw: Dbm(-62.0).milliwatts(),
            number: 0,
            seed: Seed::new(seed),
            label: "cell/interference/0",
        };
        let config: InterferenceConfig = toml::from_str(text).unwrap();
        Source::new(&config, &context)
    }
}

fn build(text: &str) -> Source {
    Line::new(2).build(text, 1).unwrap()
}

fn exposure(from: u64, length: u64) -> Exposure {
    Exposure { station: 0, from: Nanos(from), to: Nanos(from + length), payload: Span::ZERO }
}

#[test]
fn every_kind_is_listed_and_has_defaults() {
    let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["bluetooth", "periodic", "microwave-oven", "polling"]);
    for name in names {
        let text = format!("kind = \"{name}\"");
        let config: InterferenceConfig = toml::from_str(&text).unwrap();
        assert_eq!(config.kind(), name);
        let written = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<InterferenceConfig>(&written).unwrap(), config);
        let source = build(&text);
        assert!((0..3).all(|i| source.reach().destroys(i)) && source.heard_by().is_empty());
    }
    assert!(toml::from_str::<InterferenceConfig>("kind = \"periodic\"\nduty = 1").is_err());
}

const MS: u64 = 1_000_000;

/// `[phase + k period, phase + k period + on)`, and any part of a frame counts.
#[test]
fn edges_of_windows_are_exact() {
    let source = build("kind = \"periodic\"\nphase = \"300 ms\"");
    for k in 0..3 {
        let (begin, end) = ((300 + 2000 * k) * MS, (550 + 2000 * k) * MS);
        for (from, length, hit) in [
            (begin - 10, 10, false),
            (begin - 10, 11, true),
            (begin, 1, true),
            (end - 1, 1, true),
            (end, 10, false),
            (begin - 10, 300 * MS, true),
            (end, 1750 * MS, false),
            (end, 1750 * MS + 1, true),
        ] {
            assert_eq!(source.hits(&exposure(from, length)), hit, "{k} {from} {length}");
        }
        assert_eq!(source.state(Nanos(begin)), (true, Nanos(end)));
        assert_eq!(source.state(Nanos(end)), (false, Nanos(begin + 2000 * MS)));
    }
    assert_eq!(source.state(Nanos::ZERO), (false, Nanos(300 * MS)));
}

/// Always off, and always on.
#[test]
fn extreme_duty_cycles() {
    let never = build("kind = \"periodic\"\non = \"0 s\"");
    assert!(!never.hits(&exposure(0, 10_000_000_000)));
    assert_eq!(never.state(Nanos(7)), (false, Nanos::NEVER));
    let always = build("kind = \"periodic\"\non = \"2 s\"");
    assert!(always.hits(&exposure(5, 1)));
    assert_eq!(always.state(Nanos(7)), (true, Nanos::NEVER));
}

/// The share of short frames that are hit is the duty cycle at any phase; the phase is random.
#[test]
fn shares() {
    let line = Line::new(1);
    let mut begins = std::collections::BTreeSet::new();
    for (kind, duty) in [("periodic", 0.125), ("microwave-oven", 0.5), ("polling", 0.01)] {
        for seed in 1..=5 {
            let source = line.build(&format!("kind = \"{kind}\""), seed).unwrap();
            let n = 400_000;
            // 100.7 ms apart: all phases of all three periods.
            let hit = (0..n).filter(|i| source.hits(&exposure(i * 100_700_013, 1))).count();
            assert!((hit as f64 / n as f64 - duty).abs() < 0.002, "{kind} {hit}");
            begins.insert((kind, source.state(Nanos::ZERO).1));
        }
    }
    assert_eq!(begins.len(), 15);
}

#[test]
fn reached_stations() {
    let power = |text: &str| -> Vec<f64> {
        let source = build(&format!("kind = \"periodic\"\n{text}"));
        (0..3).map(|i| source.reach().power_mw(i)).collect()
    };
    let inf = f64::INFINITY;
    assert_eq!(power("reach.stations = [\"sta1\"]"), [0.0, 0.0, inf]);
    assert_eq!(power("reach = { position = [0, 1], range_m = 10.5 }"), [inf, inf, 0.0]);
    let near = "reach = { position = [0, 1], range_m = 10.5, stations = [\"ap\", \"sta1\"] }";
    assert_eq!(power(near), [inf, 0.0, 0.0]);
    let given = power("reach = { received_dbm = -60, stations = [\"sta0\"] }");
    assert!((given[1] / 1e-6 - 1.0).abs() < 1e-9 && given[0] == 0.0 && given[2] == 0.0);
    // Path loss as between stations.
    let line = Line::new(2);
    let sent = power("reach = { position = [0, 10], power_dbm = 10 }");
    for (i, mw) in sent.iter().enumerate() {
        let distance = line.positions[i].distance_m(Position::new(0.0, 10.0));
        let expected = Dbm(10.0 - line.propagation.loss_at(distance).unwrap()).milliwatts();
        assert!((mw / expected - 1.0).abs() < 1e-9);
    }
}

/// The power decides which stations sense the interferer, unless `heard_by` lists them.
#[test]
fn sensing_stations() {
    let heard = |text: &str| build(&format!("kind = \"periodic\"\n{text}")).heard_by().to_vec();
    assert!(heard("").is_empty());
    assert_eq!(heard("heard_by = [\"sta1\", \"ap\"]"), [2, 0]);
    assert_eq!(heard("reach = { received_dbm = -62, stations = [\"sta0\"] }"), [1]);
    assert!(heard("reach.received_dbm = -62.1").is_empty());
    assert!(heard("reach.received_dbm = -20\nheard_by = []").is_empty());
}

#[test]
fn bad_input_is_named() {
    let refuse = |text: &str| Line::new(2).build(text, 1).unwrap_err().to_string();
    let periodic = |text: &str| refuse(&format!("kind = \"periodic\"\n{text}"));
    let bluetooth = |text: &str| refuse(&format!("kind = \"bluetooth\"\n{text}"));
    for (message, start) in [
        (periodic("on = \"3 s\""), "on: is 3 s: expected"),
        (periodic("period = \"10 ns\""), "period: is 10 ns"),
        (periodic("heard_by = [\"x\"]"), "heard_by: the cell has no node \"x\" (nodes: ap, sta0"),
        (periodic("reach.stations = [\"x\"]"), "reach.stations: the cell has no node"),
        (periodic("reach.range_m = 3"), "reach.range_m: needs reach.position"),
        (periodic("reach.power_dbm = 3"), "reach.power_dbm: needs reach.position"),
        (periodic("reach.position = [0, 1]"), "reach.position: has no effect"),
        (periodic("reach = { position = [nan, 1], range_m = 3 }"), "reach.position: is"),
        (periodic("reach.received_dbm = 70"), "reach.received_dbm: is 70 dBm"),
        (periodic("reach = { received_dbm = 0, power_dbm = 0 }"), "reach.received_dbm: excludes"),
        (bluetooth("duty = 0.3"), "duty: has no effect"),
        (bluetooth("overlap = \"frame-slots\"\nreach.received_dbm = -60"), "overlap: counts slots"),
    ] {
        assert!(message.starts_with(start), "{message}");
    }
}
