//! Every registered law fills a clean link in virtual time.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and prints its measurements"
)]

use crate::common::run_first;
use airtcp_congestion::LawConfig;

/// Share of the link that a law must use.
const FLOOR: f64 = 0.85;

/// Laws whose sources promise less, with the reason.
const FLOORS: &[(&str, f64)] = &[
    // Its rate is that of a chain of four hops of 2 Mb/s each.
    ("tcp-ap", 0.03),
    // It paces a window in a smoothed round trip, which is too long after each reduction. With accurate feedback it fills a
    // link (`l4s.rs`).
    ("prague", 0.7),
];

/// 10 Mb/s, 40 ms, a queue of one bandwidth-delay product (33 packets of 1500 bytes), 30 s from
/// the first SYN on.
fn utilisation(law: &str) -> f64 {
    let text = format!(
        "duration = \"30 s\"\n\
         [[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"20 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = 33 }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ congestion = \"{law}\" }}\n"
    );
    run_first(&text).links[0].utilisation
}

#[test]
fn every_law_fills_a_clean_link() {
    for law in LawConfig::all() {
        let name = law.name();
        let floor = FLOORS.iter().find(|(n, _)| *n == name).map_or(FLOOR, |(_, floor)| *floor);
        let used = utilisation(name);
        println!("{name}: {used:.3}");
        assert!(used >= floor, "{name} uses {used:.3}, at least {floor} is asked for");
    }
}
