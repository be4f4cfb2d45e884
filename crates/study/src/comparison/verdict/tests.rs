use super::*;
use crate::comparison::assemble::rare_runs_make_mean;
use crate::document::compare::Reason;
use crate::numbers::paired::mean;
use crate::variant::preconditions::Lack;
use airtcp_random::Seed;

const DELAY: usize = 1;
const WASTE: usize = 2;

fn names(n: usize) -> Vec<String> {
    ('a'..).take(n).map(String::from).collect()
}

/// Runs with this goodput (Mb/s), delay (ms) and retransmitted share, plus noise common to all
/// variants.
fn runs(goodput: f64, delay: f64, resent: f64) -> Vec<CompareRun> {
    let run = |n: u32| {
        let (common, own) = (f64::from(n) * 0.1, f64::from(n % 3) * 1e-3);
        CompareRun {
            replication: n,
            goodput_bps: (goodput + common + own) * 1e6,
            delivery_p95_s: Some((delay + common + own) * 1e-3),
            segments_sent: 1000,
            retransmission_ratio: resent + own * 1e-3,
            ..CompareRun::default()
        }
    };
    (0..10).map(run).collect()
}

/// Values of runs none of which is rare.
fn values(by_variant: &[Vec<CompareRun>], coded: bool) -> Vec<Values> {
    crate::comparison::verdict::values(by_variant, &vec![false; by_variant.len()], coded)
}

fn weighed(variants: &[(f64, f64, f64)], unmet: &[Option<Unmet>]) -> Verdict {
    let by: Vec<_> = variants.iter().map(|(g, d, w)| runs(*g, *d, *w)).collect();
    verdict(&names(by.len()), &values(&by, false), unmet)
}

fn variants(of: &[Compared]) -> Vec<&str> {
    of.iter().map(|c| c.variant.as_str()).collect()
}

#[test]
fn more_goodput_is_not_all() {
    // The highest goodput by 1 %, with 29 % retransmitted: the next is better.
    let found = weighed(&[(8.80, 60.0, 0.29), (8.72, 60.0, 0.01), (5.0, 60.0, 0.01)], &[]);
    assert_eq!(found.first.as_deref(), Some("b"));
    assert_eq!(variants(&found.worse), ["a", "c"]);
    assert_eq!(
        (found.worse[0].than.as_str(), &found.worse[0].worse[..]),
        ("b", &[Criterion::Waste][..])
    );
    assert_eq!(found.worse[1].worse, [Criterion::Goodput]);
    // By 20 %: it stays first, and the variant without retransmissions is an alternative.
    let found = weighed(&[(10.8, 60.0, 0.29), (8.72, 60.0, 0.01), (5.0, 60.0, 0.01)], &[]);
    assert_eq!(found.first.as_deref(), Some("a"));
    assert_eq!(variants(&found.alternatives), ["b"]);
    let b = &found.alternatives[0];
    assert_eq!((&b.better[..], &b.worse[..]), (&[Criterion::Waste][..], &[Criterion::Goodput][..]));
    assert_eq!((variants(&found.worse), found.worse[0].than.as_str()), (vec!["c"], "b"));
}

#[test]
fn what_lacks_its_preconditions_is_not_ranked() {
    let unmet = [Some(Unmet { lacks: vec![Lack::Queue], queue: None }), None];
    let found = weighed(&[(9.0, 60.0, 0.0), (5.0, 60.0, 0.0)], &unmet);
    assert_eq!((found.first.as_deref(), found.not_distinguishable.len()), (Some("b"), 0));
    assert_eq!(
        (found.not_ranked[0].variant.as_str(), found.not_ranked[0].reason),
        ("a", Reason::Unmet)
    );
    let found = weighed(&[(0.0, 60.0, 0.0), (5.0, 60.0, 0.0)], &[]);
    assert_eq!(found.not_ranked.len(), 0, "the noise of runs() delivers something");
    let silent = vec![CompareRun::default(); 10];
    let found = verdict(&names(2), &values(&[silent, runs(5.0, 60.0, 0.0)], false), &[]);
    assert_eq!(
        (found.not_ranked[0].reason, found.first.as_deref()),
        (Reason::DeliversNothing, Some("b"))
    );
}

#[test]
fn differences_below_the_thresholds_do_not_count() {
    // 2 % of goodput, 8 % of delay, 0.8 points of waste: significant, and too small to matter.
    let found = weighed(&[(9.0, 60.0, 0.010), (8.82, 55.2, 0.002)], &[]);
    assert_eq!(
        (found.first.as_deref(), found.not_distinguishable),
        (Some("a"), vec!["b".to_owned()])
    );
    // The intervals lie within the thresholds: the two are as good.
    assert_eq!((found.equivalent, found.needed), (vec!["b".to_owned()], None));
    // One run has no significant difference.
    let by = [vec![runs(9.0, 60.0, 0.0)[0].clone()], vec![runs(5.0, 60.0, 0.0)[0].clone()]];
    let found = verdict(&names(2), &values(&by, false), &[]);
    assert_eq!((found.first, found.replications), (None, 1));
}

/// Two replications do not show that variants are as good, and say how many would tell.
#[test]
fn two_replications_do_not_tell() {
    let of = |goodputs: [f64; 2]| -> Vec<CompareRun> {
        let run = |goodput: f64| CompareRun {
            goodput_bps: goodput * 1e6,
            delivery_p95_s: Some(0.05),
            segments_sent: 1000,
            ..CompareRun::default()
        };
        goodputs.map(run).into()
    };
    let by = [of([9.0, 10.0]), of([8.8, 8.9])];
    let found = verdict(&names(2), &values(&by, false), &[]);
    assert_eq!(found.first.as_deref(), Some("a"));
    assert_eq!((found.not_distinguishable, found.equivalent), (vec!["b".to_owned()], Vec::new()));
    // Differences 0.2 and 1.1 Mb/s: mean 0.65, s 0.6364; alpha 0.05 / 3. t(9) = 2.9333 gives 0.590 for ten and
    // t(8) = 3.0158 gives 0.640 for nine replications.
    assert_eq!(found.needed, Some(9));
    assert_eq!(verdict(&names(2), &values(&by, false), &[]).place("b"), "undecided");
    // Equal in both: nothing is left to tell.
    let same = [of([9.0, 10.0]), of([9.0, 10.0])];
    let found = verdict(&names(2), &values(&same, false), &[]);
    assert_eq!((found.place("b"), found.needed), ("as-good", None));
}

/// Over stretches of different length in packets, the retransmitted share is all retransmissions over all packets.
#[test]
fn waste_is_a_ratio_of_totals() {
    let run = |sent: u64, again: u64| CompareRun {
        goodput_bps: 1e6,
        segments_sent: sent,
        retransmission_ratio: again as f64 / sent as f64,
        ..CompareRun::default()
    };
    let runs = vec![run(10, 9), run(990, 91)];
    let found = values(&[runs.clone(), runs], false);
    let waste = &found[WASTE];
    assert!((mean(&waste.each[0]) - 0.1).abs() < 1e-12);
}

/// If nearly all slots deliver, 5 against 9 Mb/s of goodput does not count; the delay does.
#[test]
fn goodputs_made_by_rare_replications_do_not_count() {
    let with = |slots: (f64, f64)| {
        let full = |mut run: CompareRun| {
            run.slots = Some(crate::base::slot_use::SlotUse::of_tcp(slots.0, slots.1));
            run
        };
        let by = [(9.0, 60.0), (5.0, 60.0), (5.0, 90.0)]
            .map(|(goodput, delay)| runs(goodput, delay, 0.0).into_iter().map(full).collect());
        let rare: Vec<bool> = by.iter().map(|runs: &Vec<_>| rare_runs_make_mean(runs)).collect();
        verdict(&names(3), &crate::comparison::verdict::values(&by, &rare, false), &[])
    };
    let found = with((1500.0, 500.0));
    assert_eq!(variants(&found.worse), ["b", "c"]);
    for slots in [(1990.0, 10.0), (20.0, 1980.0)] {
        let found = with(slots);
        assert_eq!(found.not_distinguishable, ["b"]);
        assert_eq!(variants(&found.worse), ["c"]);
        assert_eq!(found.worse[0].worse, [Criterion::Delay]);
    }
}

#[test]
fn criteria_are_those_that_were_measured() {
    let of = |runs: Vec<CompareRun>, coded: bool| -> Vec<String> {
        values(&[runs.clone(), runs], coded)
            .into_iter()
            .map(|v| v.criterion.quantity.to_owned())
            .collect()
    };
    let plain = runs(9.0, 60.0, 0.01);
    assert_eq!(of(plain.clone(), false), ["goodput_bps", "delivery_p95_s", "retransmission_ratio"]);
    let with = |change: fn(&mut CompareRun)| {
        plain
            .iter()
            .cloned()
            .map(|mut r| {
                change(&mut r);
                r
            })
            .collect::<Vec<_>>()
    };
    let both = with(|r| (r.jain_index, r.others_goodput_bps) = (Some(0.9), Some(1e6)));
    assert_eq!(of(both, false)[3], "others_goodput_bps");
    assert_eq!(of(with(|r| r.jain_index = Some(0.9)), false)[3], "jain_index");
    let bytes = with(|r| (r.link_bps, r.carried_bps) = (Some(2e6), Some(1e6)));
    assert_eq!(
        (of(bytes.clone(), true)[WASTE].as_str(), of(bytes, false)[WASTE].as_str()),
        ("bytes_per_byte", "retransmission_ratio")
    );
    // A replication without a delay makes this criterion undecided, but not the verdict.
    let mut late = runs(5.0, 600.0, 0.01);
    late[3].delivery_p95_s = None;
    let found = values(&[plain, late], false);
    assert!(found[DELAY].each[1].is_empty());
    let found = verdict(&names(2), &found, &[]);
    assert_eq!(found.worse[0].worse, [Criterion::Goodput]);
}

#[test]
fn the_share_left_to_others_counts() {
    let beside = |goodput: f64, rival: f64| -> Vec<CompareRun> {
        let runs = runs(goodput, 60.0, 0.01).into_iter();
        runs.map(|r| CompareRun {
            rival_goodput_bps: Some(rival * 1e6 + r.goodput_bps * 1e-3),
            ..r
        })
        .collect()
    };
    let by = [beside(8.0, 1.0), beside(4.5, 4.5)];
    let found = verdict(&names(2), &values(&by, false), &[]);
    assert_eq!(found.first.as_deref(), Some("a"));
    assert_eq!(found.alternatives[0].better, [Criterion::Share]);
}

#[test]
fn equal_variants_are_told_apart_in_one_of_twenty_comparisons_at_most() {
    // Five variants that are alike, with noise far above the thresholds.
    let (trials, mut wrong) = (1000, 0);
    for trial in 0..trials {
        let mut stream = Seed::new(7).replicate(trial).stream("verdict");
        let mut noise = || stream.normal();
        let by: Vec<Vec<CompareRun>> = (0..5)
            .map(|_| {
                let mut run = |_| CompareRun {
                    goodput_bps: 1e6 * (10.0 + 3.0 * noise()).max(0.1),
                    delivery_p95_s: Some(0.1 * (1.0 + 0.5 * noise()).max(0.01)),
                    retransmission_ratio: 0.5 + 0.1 * noise(),
                    ..CompareRun::default()
                };
                (0..10).map(&mut run).collect()
            })
            .collect();
        let found = verdict(&names(5), &values(&by, false), &[]);
        let told = found.alternatives.iter().chain(&found.worse);
        let first = found.first.unwrap();
        let apart = told.into_iter().any(|c| c.than == first);
        wrong += u32::from(apart);
    }
    // Three standard deviations above 5 % of 1000.
    assert!(wrong <= 71, "{wrong} of {trials}");
    // The noise is small enough that a true difference is found.
    assert!(wrong > 0);
}
