//! Replications with a bound on their events.
#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may fail; zeros are exact")]

use airtcp_sim::parallel::Stop;
use airtcp_sim::results::Replication;
use airtcp_sim::{Bounded, run_bounded, run_raised_replication, run_replication};

use crate::common::{no_traces, plan};

const LINK: &str = "duration = \"10 s\"\nwarmup = \"1 s\"\nreplications = 2\n\
    [[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n\
    loss = { model = \"bernoulli\", probability = 0.01 }\n";
const CELL: &str = "duration = \"3 s\"\nwarmup = \"500 ms\"\nreplications = 2\n\
    [[cells]]\nstandard = \"802.11n\"\nlayout = { kind = \"disc\", stations = 3 }\n\
    [[flows]]\nfrom = \"sta*\"\nto = \"ap\"\ncount = 3\n";

fn bounded(text: &str, numbers: &[u32], most: u64, workers: usize) -> Vec<Bounded> {
    run_bounded(&plan(text), numbers, most, &no_traces, Some(workers), |_| true).unwrap()
}

fn whole(text: &str, number: u32) -> Replication {
    run_replication(&plan(text), number, &no_traces, &Stop::new()).unwrap().unwrap()
}

#[test]
fn a_bound_that_is_not_reached_changes_nothing() {
    for text in [LINK, CELL] {
        let all = bounded(text, &[1, 0, 5], u64::MAX, 2);
        for (found, number) in all.iter().zip([1, 0, 5]) {
            assert!(!found.reached_bound);
            assert_eq!(found.replication, whole(text, number));
        }
    }
}

#[test]
fn a_replication_ends_at_the_bound() {
    for text in [LINK, CELL] {
        let all = whole(text, 1);
        let most = all.events / 2;
        let found = bounded(text, &[0, 1], most, 2);
        assert_eq!(found, bounded(text, &[0, 1], most, 1), "with any number of workers");
        assert_eq!(found[1..], bounded(text, &[1], most, 3), "whatever else runs");
        let cut = &found[1].replication;
        assert!(found[1].reached_bound && cut.conservation.ok);
        assert!((most..most + 200).contains(&cut.events), "{} of {most}", cut.events);
        let warmup = all.duration_s - all.measured_s;
        assert!((cut.duration_s - cut.measured_s - warmup).abs() < 1e-9);
        assert!((cut.duration_s / all.duration_s - 0.5).abs() < 0.1, "{}", cut.duration_s);
        // Rates are over the time simulated.
        let delivered: u64 = cut.flows.iter().map(|flow| flow.delivered_bytes).sum();
        let rate = delivered as f64 * 8.0 / cut.measured_s;
        assert!((cut.total_goodput_bps / rate - 1.0).abs() < 1e-9);
        assert!((cut.total_goodput_bps / all.total_goodput_bps - 1.0).abs() < 0.25);
    }
}

/// The part that is cut off changes nothing before: a scenario of that duration has the same results.
#[test]
fn what_is_simulated_is_as_in_a_run_of_that_duration() {
    for text in [LINK, CELL] {
        let cut = &bounded(text, &[0], whole(text, 0).events / 3, 1)[0].replication;
        let end = format!("duration = \"{} ns\"", (cut.duration_s * 1e9).round());
        let written = text.split_once('\n').unwrap().1;
        let short = whole(&format!("{end}\n{written}"), 0);
        for (ours, theirs) in cut.flows.iter().zip(&short.flows) {
            let most = 4 * 1500;
            assert!(ours.delivered_bytes.abs_diff(theirs.delivered_bytes) <= most);
            assert!(ours.segments_sent.abs_diff(theirs.segments_sent) <= 64);
        }
    }
}

#[test]
fn a_bound_within_the_warm_up_measures_nothing() {
    for text in [LINK, CELL] {
        let found = bounded(text, &[0], 100, 1);
        let cut = &found[0].replication;
        assert!(found[0].reached_bound && cut.conservation.ok);
        assert!(cut.measured_s == 0.0 && cut.duration_s > 0.0 && cut.duration_s < 0.5);
        assert!(cut.total_goodput_bps == 0.0 && cut.flows.iter().all(|f| f.delivered_bytes == 0));
        let shares = cut.cells.iter().flat_map(|c| &c.stations).map(|s| s.airtime_share);
        assert!(shares.chain(cut.cells.iter().map(|c| c.busy_share)).all(|share| share == 0.0));
        assert!(cut.links.iter().all(|link| link.utilisation == 0.0));
    }
    assert!(bounded(LINK, &[0], 0, 1)[0].reached_bound);
}

/// A replication whose bound rises on the way has the results of one that had the last bound from the beginning, also
/// if a bound ends in the warm-up.
#[test]
fn a_bound_that_rises_is_as_if_it_had_been_so_from_the_beginning() {
    for text in [LINK, CELL] {
        let all = whole(text, 1).events;
        for last in [all / 2, 2 * all] {
            let mut bounds = [all / 50, all / 3 + 1, last].into_iter();
            let mut measured = Vec::new();
            let raise = |so_far| {
                measured.push(so_far);
                bounds.next()
            };
            let found =
                run_raised_replication(&plan(text), 1, 100, raise, &no_traces, &Stop::new());
            assert_eq!(found.unwrap().unwrap(), bounded(text, &[1], last, 1)[0]);
            assert!(measured.is_sorted() && measured[0].0 == 0, "{measured:?}");
            assert!(measured[measured.len() - 1].0 > 0, "{measured:?}");
        }
    }
}

/// What `raise` is told is what the results would have: a caller decides by it.
#[test]
fn the_measured_time_at_a_bound_is_that_of_the_results() {
    for text in [LINK, CELL] {
        let mut seen = Vec::new();
        let most = whole(text, 0).events / 2;
        let raise = |so_far: airtcp_units::Span| {
            seen.push(so_far.as_secs_f64());
            None
        };
        let found = run_raised_replication(&plan(text), 0, most, raise, &no_traces, &Stop::new());
        assert_eq!(seen, [found.unwrap().unwrap().replication.measured_s]);
    }
}
