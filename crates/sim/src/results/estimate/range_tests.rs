//! Intervals within ranges.

use super::*;

fn ends(values: &[f64], range: Range) -> [f64; 2] {
    let found = Estimate::within(values.iter().copied(), range);
    [found.ci_low.unwrap(), found.ci_high.unwrap()]
}

#[test]
fn far_from_its_bounds_an_interval_is_students() {
    let values = [9.0, 10.0, 11.0, 10.5];
    let student = Estimate::of(values);
    for range in [Range::NOT_NEGATIVE, Range::up_to(100.0), Range::ANY] {
        let found = Estimate::within(values, range);
        assert_eq!((found.mean, found.ci_low), (student.mean, student.ci_low));
        assert!((found.ci_high.unwrap() - student.ci_high.unwrap()).abs() < 1e-12);
    }
}

#[test]
fn an_interval_stays_in_its_range_and_grows_with_the_scatter() {
    // Two values, t = 12.7: Student's ends are 4 - 25.4 and 4 + 25.4.
    let student = Estimate::of([2.0, 6.0]);
    assert!(student.ci_low.unwrap() < -20.0);
    let [low, high] = ends(&[2.0, 6.0], Range::up_to(10.0));
    assert!(0.0 < low && low < 0.1 && 9.9 < high && high < 10.0, "{low} {high}");
    // The change of scale has no step: at half of the distance both are the same.
    let range = Range::up_to(10.0);
    let [at, beyond] = [2.0, 2.0 + 1e-6].map(|half| range.ends(4.0, half, 0.0)[0]);
    assert!((at - beyond - 1e-6).abs() < 1e-9, "{at} {beyond}");
    let mut last = 4.0;
    for half in 1..60 {
        let [low, _] = range.ends(4.0, f64::from(half) / 4.0, 0.0);
        assert!(0.0 < low && low < last, "{low} {last}");
        last = low;
    }
}

#[test]
fn a_skewed_sample_reaches_farther_on_its_long_side() {
    let values = [0.2, 0.3, 0.4, 0.5, 3.0];
    let student = Estimate::of(values);
    let [low, high] = ends(&values, Range::NOT_NEGATIVE);
    assert!(low > 0.0 && high > student.ci_high.unwrap() + 0.5, "{low} {high}");
    // Mirrored at the upper bound, the interval is mirrored.
    let mirrored = ends(&values.map(|v| 4.0 - v), Range { least: f64::NEG_INFINITY, most: 4.0 });
    assert!((mirrored[0] - (4.0 - high)).abs() < 1e-9 && (mirrored[1] - (4.0 - low)).abs() < 1e-9);
}

#[test]
fn values_at_a_bound_or_outside_of_the_range() {
    assert!(ends(&[1.0, 1.0, 1.0], Range::SHARE).iter().all(|end| (end - 1.0).abs() < 1e-12));
    let outside = [-50.0, -51.0, -52.0];
    assert_eq!(Estimate::within(outside, Range::NOT_NEGATIVE), Estimate::of(outside));
    assert_eq!(Estimate::within([0.5], Range::SHARE).ci_low, None);
    assert_eq!(Estimate::within([], Range::SHARE).mean, None);
    let [low, high] = ends(&[0.0, 0.0, 0.6], Range::SHARE);
    assert!(0.0 < low && high < 1.0, "{low} {high}");
}
