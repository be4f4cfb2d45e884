//! Studies end to end: synthetic links with known answers, and public data sets.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and says what it skips"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use airtcp_random::Seed;
use airtcp_study::{LinkStudy, StudyOptions, StudyResult, study};
use airtcp_trace::reader::{LinkTrace, ReadOptions, Source, read_many};
use airtcp_trace::{Class, GeParams, SynthModel};
use airtcp_units::{Outcomes, Span};

fn link(name: &str, outcomes: Outcomes) -> LinkTrace {
    LinkTrace {
        name: name.into(),
        outcomes,
        capacity: None,
        interval: Some(Span::from_millis(10)),
        source: Source { path: PathBuf::from(name), layout: "bits".into() },
        order_known: true,
        notes: Vec::new(),
        labels: BTreeMap::new(),
    }
}

fn synthetic(name: &str, model: &SynthModel, packets: usize) -> LinkTrace {
    link(name, model.generate(packets, &mut Seed::new(5).stream(name)).unwrap())
}

fn chain(prr: f64, mu: f64) -> SynthModel {
    SynthModel::GilbertElliott(GeParams::from_prr_mu(prr, mu).unwrap())
}

fn run(links: &[LinkTrace], options: &StudyOptions) -> StudyResult {
    study(links, Vec::new(), options, |_, _| true).unwrap()
}

fn four() -> Vec<LinkTrace> {
    vec![
        synthetic("independent", &SynthModel::Independent { prr: 0.7 }, 40_000),
        synthetic("bursty", &chain(0.7, 0.9), 40_000),
        link("perfect", std::iter::repeat_n(true, 5_000).collect()),
        link("dead", std::iter::repeat_n(false, 5_000).collect()),
    ]
}

#[test]
fn workers_and_neighbours_do_not_matter() {
    let links = four();
    let with = |workers| {
        let options =
            StudyOptions { workers: Some(workers), replicas: 5, ..StudyOptions::default() };
        run(&links, &options).links
    };
    let (one, three) = (with(1), with(3));
    assert_eq!(one, three);
    let options = StudyOptions { replicas: 5, ..StudyOptions::default() };
    assert_eq!(run(&links[1..2], &options).links[0], one[1], "a link alone is the same link");
}

/// The random numbers of a link depend on its outcomes, not on the name of its file.
#[test]
fn a_file_under_another_name_gives_the_same_results() {
    let options = StudyOptions { replicas: 5, ..StudyOptions::default() };
    let mut renamed = four();
    for link in &mut renamed {
        link.name.insert_str(0, "moved/");
        link.source.path = PathBuf::from(&link.name);
    }
    let (before, after) = (run(&four(), &options).links, run(&renamed, &options).links);
    for (before, mut after) in before.into_iter().zip(after) {
        assert_eq!(after.name, format!("moved/{}", before.name));
        after.name.clone_from(&before.name);
        after.source.clone_from(&before.source);
        assert_eq!(after, before);
    }
}

#[test]
fn an_independent_link_is_like_its_ensemble_and_a_bursty_one_is_not() {
    let result = run(&four(), &StudyOptions::default());
    let difference = |i: usize| result.links[i].tcp.difference.independent.packets_per_second;
    let spread = |l: &LinkStudy| {
        let p = &l.tcp.independent.replica_packets_per_second;
        (p.iter().copied().fold(f64::INFINITY, f64::min), p.iter().copied().fold(0.0, f64::max))
    };
    // One more draw of the same kind lies beyond all of 20 others with probability 2/21.
    let (low, high) = spread(&result.links[0]);
    let own = result.links[0].tcp.empirical.packets_per_second;
    assert!(own > 0.5 * low && own < 2.0 * high, "{own} outside {low}..{high}");
    assert!(difference(1).ci_low.unwrap() > 0.0, "{:?}", difference(1));
    let beyond = |i: usize| result.links[i].tcp.difference.independent.beyond_chance;
    assert_eq!((beyond(0), beyond(1)), (Some(false), Some(true)));
    // A Gilbert-Elliott link is like the Gilbert-Elliott ensemble.
    let ge = result.links[1].tcp.gilbert_elliott.as_ref().unwrap();
    let (own, mean) =
        (result.links[1].tcp.empirical.packets_per_second, ge.packets_per_second.mean.unwrap());
    assert!((own / mean - 1.0).abs() < 0.4, "{own} against {mean}");
    assert!(result.links[1].stats.converged);
}

#[test]
fn links_without_a_mu() {
    let result = run(&four(), &StudyOptions { replicas: 3, ..StudyOptions::default() });
    let (perfect, dead) = (&result.links[2], &result.links[3]);
    assert_eq!((perfect.stats.class, perfect.stats.mu), (Class::Perfect, None));
    assert!(perfect.tcp.empirical.packets_per_second > 99.0);
    assert!(perfect.tcp.difference.independent.packets_per_second.mean.unwrap().abs() < 1e-9);
    assert!(perfect.tcp.gilbert_elliott.is_none() && perfect.tcp.gilbert_elliott_note.is_some());
    assert_eq!(dead.stats.class, Class::VeryPoor);
    assert!(dead.tcp.empirical.packets_per_second.abs() < 1e-12);
    assert!(dead.tcp.difference.independent.percent.is_none());
}

#[test]
fn stopping_keeps_whole_links_only() {
    let links: Vec<LinkTrace> = (0..60)
        .map(|i| synthetic(&format!("l{i}"), &SynthModel::Independent { prr: 0.9 }, 20_000))
        .collect();
    let options = StudyOptions { workers: Some(2), replicas: 4, ..StudyOptions::default() };
    let result = study(&links, Vec::new(), &options, |done, _| done < 100 * 20_000).unwrap();
    assert!(result.interrupted);
    assert!(!result.links.is_empty() && result.links.len() < 60, "{}", result.links.len());
    let whole = run(&links[..1], &options);
    assert_eq!(result.links[0], whole.links[0]);
}

#[test]
fn names_of_the_documented_format() {
    let result = run(&four()[1..2], &StudyOptions { replicas: 2, ..StudyOptions::default() });
    let json = serde_json::to_value(&result).unwrap();
    let link = &json["links"][0];
    for name in [
        "name",
        "packets",
        "prr",
        "prr_ci",
        "class",
        "g",
        "b",
        "mu",
        "beta",
        "longest_success_burst",
        "longest_loss_burst",
        "converged",
    ] {
        assert!(!link[name].is_null(), "{name}");
    }
    assert!(link["tcp"]["empirical"]["packets_per_second"].is_number());
    for kind in ["independent", "gilbert_elliott"] {
        for key in ["mean", "ci_low", "ci_high"] {
            assert!(link["tcp"][kind]["packets_per_second"][key].is_number(), "{kind} {key}");
        }
    }
    let back: StudyResult = serde_json::from_value(json).unwrap();
    assert_eq!(back, result);
}

/// The ORBIT noise links (300 packets each): counts found by hand from the raw files.
#[test]
fn orbit_noise_links() {
    let Some(data) = std::env::var_os("AIRTCP_DATA") else {
        println!("skipped: AIRTCP_DATA is not set");
        return;
    };
    let folder = PathBuf::from(data).join("rutgers-noise-80211");
    let (links, _) = read_many(&[folder], &ReadOptions::default(), |_, _, _| {}).unwrap();
    assert_eq!(links.len(), 2780);
    let result = run(&links, &StudyOptions { replicas: 2, ..StudyOptions::default() });
    assert_eq!(result.links.len(), 2780);
    let count = |f: &dyn Fn(&LinkStudy) -> bool| result.links.iter().filter(|l| f(l)).count();
    assert_eq!(count(&|l| l.stats.received == 0), 673);
    assert_eq!(count(&|l| l.stats.class == Class::Perfect), 1428);
    assert_eq!(count(&|l| l.stats.converged), 0, "300 packets are too few for mu");
    // A dead link delivers nothing, a perfect one nearly a packet per slot: handshake, slow start
    // and the end cost some of the 300 slots.
    for l in &result.links {
        let rate = l.tcp.empirical.packets_per_second;
        match l.stats.received {
            0 => assert!(rate.abs() < 1e-12, "{}", l.name),
            300 => assert!((95.0..100.0).contains(&rate), "{}: {rate}", l.name),
            _ => assert!(rate < 100.0, "{}: {rate}", l.name),
        }
    }
}

/// A simulation takes as long as its trace, so progress counts slots, not simulations.
#[test]
fn progress_goes_by_slots() {
    let mut seen = Vec::new();
    let links = four();
    let options = StudyOptions { replicas: 2, workers: Some(1), ..StudyOptions::default() };
    study(&links, Vec::new(), &options, |done, total| {
        seen.push((done, total));
        true
    })
    .unwrap();
    // The trace and two links of each kind; links that never change have no chains.
    let total = 5 * (40_000 + 40_000) + 3 * (5_000 + 5_000);
    assert!(seen.iter().all(|(_, t)| *t == total));
    assert!(seen.windows(2).all(|w| w[0].0 <= w[1].0));
    assert_eq!(seen.last().unwrap().0, total);
}

#[test]
fn a_trace_longer_than_time_is_refused() {
    let links = [link("long", std::iter::repeat_n(true, 1_000_000).collect())];
    let options = StudyOptions { slot: Some(Span::from_secs(3600)), ..StudyOptions::default() };
    let refused = study(&links, Vec::new(), &options, |_, _| true).unwrap_err().to_string();
    assert!(refused.contains("slot") && refused.contains("1000000 packets"), "{refused}");
    // A slot of an hour costs no more work than any other.
    let links = [link("hours", std::iter::repeat_n(true, 1_000).collect())];
    assert!(run(&links, &options).links[0].tcp.empirical.delivered_packets > 900.0);
}

#[test]
fn more_simulations_than_memory_are_refused() {
    let changing: Outcomes = [true, false, false, true, true].into_iter().collect();
    let links: Vec<_> = (0..1_001).map(|i| link(&i.to_string(), changing.clone())).collect();
    let options = StudyOptions { replicas: 10_000, ..StudyOptions::default() };
    let refused = study(&links, Vec::new(), &options, |_, _| true).unwrap_err().to_string();
    assert!(refused.contains("replicas") && refused.contains("1001 links"), "{refused}");
}

#[test]
fn a_trace_of_one_packet() {
    for outcome in [true, false] {
        let result =
            run(&[link("one", std::iter::once(outcome).collect())], &StudyOptions::default());
        let one = &result.links[0];
        assert_eq!((one.stats.packets, one.stats.received), (1, u64::from(outcome)));
        assert!(one.tcp.empirical.packets_per_second == 0.0);
        assert!(one.tcp.gilbert_elliott.is_none() && !one.stats.convergence.converged);
    }
}
