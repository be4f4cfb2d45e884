//! What every scheme must do, registered ones all.

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

/// A scheme contradicts itself.
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
