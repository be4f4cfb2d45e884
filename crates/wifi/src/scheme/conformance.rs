//! Tests that every registered scheme must pass.

use super::*;
use crate::mac::AccessMethod;

fn edca() -> MacConfig {
    MacConfig { access: AccessMethod::Edca, ..MacConfig::default() }
}

fn names(stations: usize) -> Vec<String> {
    let stations = (0..stations).map(|i| format!("sta{i}"));
    std::iter::once("ap".to_owned()).chain(stations).collect()
}

/// A sample applies to a cell with access categories, and leaves all stations with the same number
/// of possible categories.
#[test]
fn samples_apply() {
    for config in SchemeConfig::samples() {
        let seams = apply(std::slice::from_ref(&config), &edca(), Standard::A, &names(6))
            .unwrap_or_else(|(_, e)| panic!("{config:?}: {e:?}"));
        let count = seams.stations[0].access.len();
        for station in &seams.stations {
            assert_eq!(station.access.len(), count, "{config:?}");
            if let ControlCategory::Fixed(category) = station.control {
                assert!(usize::from(category) < count, "{config:?}");
            }
        }
    }
}

/// Both copies set the same seams.
#[test]
fn a_scheme_given_twice_is_refused() {
    for config in SchemeConfig::samples() {
        let Err((number, e)) =
            apply(&[config.clone(), config.clone()], &edca(), Standard::A, &names(3))
        else {
            panic!("{config:?} is accepted twice");
        };
        assert_eq!(number, Some(1), "{config:?}");
        assert!(e.message.contains("leave one of them out"), "{config:?}: {}", e.message);
    }
}

/// At most one scheme acts at the transport boundary of an access point.
#[test]
fn schemes_at_the_boundary_exclude_each_other() {
    let boundary: Vec<SchemeConfig> = vec![
        SchemeConfig::Snoop(SnoopConfig::default()),
        SchemeConfig::SplitTcp(SplitTcpConfig::default()),
        SchemeConfig::AckAgent(AckAgentConfig::default()),
        SchemeConfig::Eln(ElnConfig {}),
    ];
    for first in &boundary {
        assert!(apply(std::slice::from_ref(first), &edca(), Standard::A, &names(3)).is_ok());
        for second in &boundary {
            let both = [first.clone(), second.clone()];
            let Err((number, e)) = apply(&both, &edca(), Standard::A, &names(3)) else {
                panic!("{both:?} are accepted");
            };
            assert_eq!(number, Some(1));
            assert!(e.message.contains("transport boundary"), "{}", e.message);
        }
    }
}

/// Keys out of range are refused with the key and the range.
#[test]
fn boundary_keys_have_ranges() {
    let default = SnoopConfig::default();
    let bad = [
        ("cache_segments", SnoopConfig { cache_segments: 0, ..default }),
        ("dup_thresh", SnoopConfig { dup_thresh: 0, ..default }),
        ("rto_min", SnoopConfig { rto_min: airtcp_units::Span::ZERO, ..default }),
        ("rto_max", SnoopConfig { rto_max: airtcp_units::Span::ZERO, ..default }),
    ];
    let snoop = bad.map(|(key, config)| (key, SchemeConfig::Snoop(config)));
    let buffer = SplitTcpConfig { buffer: airtcp_units::Bytes(1), ..SplitTcpConfig::default() };
    let split = [("buffer", SchemeConfig::SplitTcp(buffer))];
    for (key, config) in snoop.into_iter().chain(split) {
        let Err((_, e)) = apply(std::slice::from_ref(&config), &edca(), Standard::A, &names(3))
        else {
            panic!("{config:?} is accepted");
        };
        assert_eq!(e.key, key);
        assert!(e.message.contains("accepted is"), "{}", e.message);
    }
}
