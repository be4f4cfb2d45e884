//! The scores of the synthesisers on links made by a known model.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use airtcp_random::Seed;
use airtcp_study::{ModelsResult, StudyOptions, score_synthesisers};
use airtcp_trace::reader::{LinkTrace, Source};
use airtcp_trace::synth::SemiMarkov;
use airtcp_trace::{GeParams, SynthModel};
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

fn scores(links: &[LinkTrace], workers: u32) -> ModelsResult {
    let options = StudyOptions { workers: Some(workers), replicas: 6, ..StudyOptions::default() };
    score_synthesisers(links, Vec::new(), &options, |_, _| true).unwrap()
}

#[test]
fn rare_long_bursts_are_seen_by_the_models_that_keep_them() {
    let rare = SemiMarkov::rare_long_bursts(0.45, 0.6, 0.004, 300.0).unwrap();
    let chain = GeParams::from_prr_mu(0.45, 0.6).unwrap();
    let draw = |m: SynthModel| m.generate(40_000, &mut Seed::new(2).stream("link")).unwrap();
    let links = [
        link("rare", draw(SynthModel::SemiMarkov(rare))),
        link("chain", draw(SynthModel::GilbertElliott(chain))),
        link("dead", std::iter::repeat_n(false, 2000).collect()),
    ];
    let result = scores(&links, 2);
    assert_eq!(result, scores(&links, 1), "the number of workers changes nothing");
    let of = |link: usize, name: &str| {
        result.links[link].scores.iter().find(|s| s.synthesiser == name).unwrap()
    };
    let (ge, semi) = (of(0, "gilbert-elliott"), of(0, "semi-markov"));
    // S1's finding: the chain of the same PRR and mu has far shorter bursts and TCP gets less.
    assert!(ge.longest_burst_log_ratio.unwrap() < -1.0, "{ge:?}");
    assert!(ge.throughput_error.unwrap() < -0.15, "{ge:?}");
    assert!(semi.longest_burst_log_ratio.unwrap().abs() < 0.5, "{semi:?}");
    assert!(semi.throughput_error.unwrap().abs() < ge.throughput_error.unwrap().abs() / 2.0);
    assert!(semi.success_excess.mean.unwrap() > 1.0 && ge.success_excess.mean.unwrap() < 0.2);
    // On a true chain the chain model agrees: one trace of 400 s scatters by about 20 %.
    assert!(of(1, "gilbert-elliott").throughput_error.unwrap().abs() < 0.5);
    assert!(of(1, "gilbert-elliott").longest_burst_log_ratio.unwrap().abs() < 0.4);
    // A dead link has a PRR and nothing else.
    assert!(of(2, "semi-markov").model.is_none() && of(2, "independent").model.is_some());
    let overall = result.overall.iter().find(|o| o.synthesiser == "semi-markov").unwrap();
    assert_eq!(overall.links, 2);
}
