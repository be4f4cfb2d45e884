//! `airtcp measure` between hosts whose clocks differ: what it says of them, and of delays in one direction.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use airtcp_live::measure::{Client, Key, Plan, RATE_ALLOWED, SECRET, Server};

mod path;

use path::{Clock, MS, Path, SECOND, measured};

/// 2026, ns since 1970.
const WALL: i64 = 1_780_000_000 * SECOND;

#[test]
fn the_clocks_of_both_ends_are_compared() {
    for (ahead, ppm) in [(0, 0), (3_600 * SECOND, 80), (-250 * MS, -45), (-7 * MS, 400)] {
        let secret = || Key::new(&[7; SECRET]);
        let mut server = Server::new(secret(), &[8; SECRET], RATE_ALLOWED);
        let plan = Plan { load_ms: 0, ..Plan::of(12.0, 1_000) };
        let mut client = Client::new(secret(), [1; 16], plan, false, 0, WALL);
        let mut path = Path::new(10_000_000, 20 * MS, |_, count| count % 9 == 0);
        path.clock = Clock { start: 5_000 * SECOND, wall: WALL + ahead, ppm };
        path.measure(&mut server, &mut client, None);
        let found = measured(&client);
        let clocks = &found["clocks"];
        let [offset, bound, drift, error] = ["offset_s", "offset_error_s", "drift", "drift_error"]
            .map(|key| clocks[key].as_f64().unwrap());
        // The clocks drift apart for 12 s at most.
        let gained = ppm.abs() as f64 * 12e-6;
        assert!((offset - ahead as f64 / 1e9).abs() <= bound + gained, "{clocks}");
        // Half of two times 20 ms, and of 100 bytes at 10 Mb/s twice.
        assert!((bound - 0.020_08).abs() < 2e-5, "{clocks}");
        assert!((drift * 1e6 - ppm as f64).abs() <= error * 1e6 && error < 5e-6, "{clocks}");
        // Neither the distance of the clocks nor their drift is a delay.
        for way in ["up", "down"] {
            let delay = found[way]["train"]["delay"]["median_s"].as_f64().unwrap();
            assert!(delay < 0.002, "{way}: {delay}");
        }
    }
}
