//! Every interval covers the truth as often as it says, in the corners of `examples/coverage`, with
//! fewer draws than the sweep behind `docs/models/intervals.md`.

#[path = "../examples/coverage/corners.rs"]
mod corners;

/// Draws of a cheap corner; a dear one gets fewer, and the dearest none.
const DRAWS: u32 = 200;
const FEWEST: u32 = 50;

#[test]
fn intervals_miss_no_more_often_than_they_say() {
    let mut faults = Vec::new();
    let mut tried = std::collections::BTreeSet::new();
    for corner in corners::corners().iter().filter(|corner| corner.holds) {
        let draws = (4 * DRAWS / corner.cost).min(DRAWS);
        if draws < FEWEST && tried.contains(corner.interval) || corner.cost > 25 {
            continue;
        }
        tried.insert(corner.interval);
        let found: Vec<bool> =
            (0..u64::from(draws.max(FEWEST))).filter_map(|seed| (corner.draw)(seed)).collect();
        let n = found.len() as f64;
        let missed = found.iter().filter(|hit| !**hit).count() as f64;
        // Nominal is 5 %; rates are skewed, and intervals of their means may miss 7 %. Four errors
        // of a binomial number above that: a right interval is this far off once in 1e4 corners.
        let most = 0.07 * n + 4.0 * (0.07 * 0.93 * n).sqrt();
        if missed > most {
            faults.push(format!("{}: {}: {missed} of {n} miss", corner.interval, corner.name));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(tried.len(), 10, "{tried:?}");
}
