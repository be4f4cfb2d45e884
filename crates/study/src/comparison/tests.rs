//! Comparisons over scenarios: equal variants, shared links, exchanges, and what is refused.

use std::path::PathBuf;

use airtcp_random::Seed;
use airtcp_trace::reader::Source;
use airtcp_trace::{GeParams, LinkTrace, SynthModel};
use airtcp_units::{Capacity, Span};

use super::*;
use crate::document::compare::{
    Case, Channel, CompareRun, Outcome, Over, Remedies, Standing, SubjectKind,
};
use crate::document::compare_options::AsLink;

mod remedies;
mod traces;

const LOSSY: &str = r#"
title = "lossy"
duration = "4 s"
warmup = "500 ms"
replications = 4
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "10 ms"
loss = { model = "bernoulli", probability = 0.01 }
[[flows]]
from = "a"
to = "b"
tcp = "linux"
"#;

const FLOWS: &str = r#"
duration = "4 s"
replications = 3
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "10 Mb/s", delay = "10 ms" }
[[flows]]
name = "left"
from = "s0"
to = "r0"
[[flows]]
name = "right"
from = "s1"
to = "r1"
tcp = "linux"
[[flows]]
name = "noise"
from = "s0"
to = "r1"
transport = "udp"
app = { kind = "constant-rate", rate = "1 Mb/s" }
"#;

fn scenario(text: &str) -> Input {
    let scenario = airtcp_scenario::read(text, "test.toml", &[]).unwrap();
    Input::Scenario {
        name: "test.toml".into(),
        text: text.into(),
        set: Vec::new(),
        scenario: Box::new(scenario),
        folder: PathBuf::new(),
    }
}

fn link(prr: f64, mu: f64, packets: usize) -> Input {
    let model = SynthModel::GilbertElliott(GeParams::nearest(prr, mu).unwrap().0);
    let mut stream = Seed::new(9).stream("test");
    Input::Link(Box::new(LinkTrace {
        name: "link".into(),
        outcomes: model.generate(packets, &mut stream).unwrap(),
        capacity: None,
        interval: Some(Span::from_millis(10)),
        source: Source { path: "link.txt".into(), layout: "bits".into() },
        order_known: true,
        notes: vec!["a note of the reader".into()],
        labels: std::collections::BTreeMap::new(),
    }))
}

fn options(tcp: &[&str]) -> CompareOptions {
    CompareOptions { tcp: tcp.iter().map(|t| (*t).to_owned()).collect(), ..Default::default() }
}

fn compared(given: &[Input], options: &CompareOptions) -> CompareResult {
    compare(given, Vec::new(), options, |_, _| true).unwrap()
}

fn refused(given: &[Input], options: &CompareOptions) -> String {
    compare(given, Vec::new(), options, |_, _| true).unwrap_err().to_string()
}

#[test]
fn equal_variants_differ_in_nothing() {
    // Two names for the same TCP: with common random numbers the difference is exactly zero.
    let tcp = options(&["newreno", "newreno:dup_thresh=3", "newreno:initial_window=1"]);
    for given in [scenario(LOSSY), scenario(FLOWS), link(0.8, 0.6, 5000)] {
        for case in &compared(&[given], &tcp).subjects[0].cases {
            let same = case.outcomes[1].difference.unwrap();
            assert_eq!(same.standing, Standing::Equal, "{:?}", case.channel);
            assert_eq!((same.absolute.ci_low, same.absolute.ci_high), (Some(0.0), Some(0.0)));
            assert_ne!(case.outcomes[2].difference.unwrap().absolute.mean, Some(0.0));
            let of = |name: &str| -> Vec<CompareRun> {
                let runs = case.runs.iter().filter(|r| r.variant == name);
                runs.map(|r| CompareRun { variant: String::new(), ..r.clone() }).collect()
            };
            assert_eq!(of("newreno"), of("newreno:dup_thresh=3"));
        }
    }
}

#[test]
fn a_bare_law_has_the_recovery_of_the_others() {
    let note = |given: Input, tcp: &[&str]| {
        let subject = compared(&[given], &options(tcp)).subjects.remove(0);
        let found = subject.notes.iter().find(|n| n.contains("loss recovery")).cloned();
        (subject, found)
    };
    let (subject, found) = note(scenario(LOSSY), &["cubic", "reno", "vegas"]);
    assert!(subject.tcp.iter().all(|t| t.recovery == "sack"), "{:?}", subject.tcp);
    assert_eq!((subject.tcp[1].law.as_str(), found), ("reno", None));
    // Recoveries alone may differ: that is then what is compared.
    assert_eq!(note(scenario(LOSSY), &["newreno", "sack", "reno-nosack"]).1, None);
    // If laws and recoveries differ, a note names the recovery of each.
    for given in [scenario(LOSSY), link(0.9, 0.5, 3000)] {
        let (_, found) = note(given, &["newreno", "cubic", "sack"]);
        let found = found.unwrap();
        assert!(found.contains("newreno with \"newreno\"; cubic, sack with \"sack\""), "{found}");
    }
}

#[test]
fn what_the_path_cannot_give_is_not_ranked() {
    // Jersey waits for marks. Without marks it ignores losses, which gives it the highest goodput.
    let tcp = options(&["sack", "jersey:ecn=true", "vegas:loss_response=ecn-only"]);
    let verdict =
        |given: Input| compared(&[given], &tcp).subjects.remove(0).cases.remove(0).verdict;
    for given in [scenario(LOSSY), link(0.9, 0.5, 3000)] {
        let found = verdict(given);
        let left: Vec<_> = found.not_ranked.iter().map(|n| n.variant.as_str()).collect();
        assert_eq!(left, &tcp.tcp[1..], "{found:?}");
        assert!(found.first.is_none_or(|name| name == "sack"));
    }
    // On a path that marks, they are ranked.
    let queue = |kind: &str| LOSSY.replace("loss =", &format!("queue = {kind}\nloss ="));
    let found = verdict(scenario(&queue("{ kind = \"jersey\" }")));
    assert_eq!(
        (found.not_ranked.len(), found.not_ranked[0].lacks.as_slice()),
        (1, &[crate::variant::preconditions::Lack::Ecn][..])
    );
    let found = verdict(scenario(&queue("{ kind = \"red\", ecn = true }")));
    assert_eq!(found.not_ranked[0].queue.as_deref(), Some("jersey"), "{found:?}");
}

#[test]
fn a_verdict_sees_what_is_left_to_others() {
    let tcp = CompareOptions { flow: Some("left".into()), ..options(&["newreno", "cubic"]) };
    let case = compared(&[scenario(FLOWS)], &tcp).subjects.remove(0).cases.remove(0);
    let quantities: Vec<_> = case.verdict.measures.iter().map(|m| m.quantity.as_str()).collect();
    let expected = ["goodput_bps", "delivery_p95_s", "retransmission_ratio", "others_goodput_bps"];
    assert_eq!(quantities, expected);
    // The other TCP flow and the noise: more than the noise alone, less than the link.
    for outcome in &case.outcomes {
        let others = outcome.others_goodput_bps.unwrap().mean.unwrap();
        assert!(others > 1.2e6 && others < 10e6, "{others}");
    }
    let difference = case.outcomes[1].share_difference.unwrap().absolute.mean.unwrap();
    let of = |i: usize| case.outcomes[i].others_goodput_bps.unwrap().mean.unwrap();
    assert!((difference - (of(1) - of(0))).abs() < 1.0);
    // A single flow has no other flows.
    let case = compared(&[scenario(LOSSY)], &tcp_alone()).subjects.remove(0).cases.remove(0);
    assert_eq!(case.verdict.measures.len(), 3);
    assert!(case.outcomes[1].share_difference.is_none());
}

fn tcp_alone() -> CompareOptions {
    options(&["newreno", "cubic"])
}

#[test]
fn workers_and_order_change_nothing() {
    let given = [scenario(LOSSY), link(0.7, 0.5, 4000)];
    let tcp = ["newreno", "sack", "reno-nosack"];
    let text = |workers: u32, tcp: &[&str]| {
        let options = CompareOptions { workers: Some(workers), ..options(tcp) };
        let result = compared(&given, &options);
        let plain = CompareOptions { workers: None, ..result.options };
        CompareResult { options: plain, ..result }
    };
    assert_eq!(text(1, &tcp), text(2, &tcp));
    // The results of a variant do not depend on the other variants.
    let (all, one) = (text(2, &tcp), text(2, &["sack"]));
    let alone: Vec<_> = one.subjects.iter().flat_map(|s| &s.cases).collect();
    for (case, alone) in all.subjects.iter().flat_map(|s| &s.cases).zip(alone) {
        assert_eq!(case.outcomes[1].goodput_bps, alone.outcomes[0].goodput_bps);
        assert_eq!(case.outcomes[1].rtt_p95_s, alone.outcomes[0].rtt_p95_s);
    }
}

#[test]
fn a_run_alone_gives_the_same_numbers() {
    // A comparison gives a variant the numbers that `run` gives a scenario with this TCP. Long, so
    // that packets waiting at the ends of the measured time hardly count.
    let text = LOSSY.replace("4 s", "30 s").replace("500 ms", "5 s");
    let result = compared(&[scenario(&text)], &options(&["newreno"]));
    let outcome = &result.subjects[0].cases[0].outcomes[0];
    let sets = [
        ("flows[0].tcp.recovery", "newreno"),
        ("flows[0].tcp.sack", "false"),
        ("flows[0].tcp.dsack", "false"),
    ];
    let sets: Vec<(String, String)> = sets.map(|(k, v)| (k.into(), v.into())).into();
    let plan = airtcp_scenario::read(&text, "", &sets).unwrap().resolve().unwrap();
    let run = airtcp_sim::run(&plan, &|_| Err(String::new()), None, |_, _| true).unwrap();
    let quantities = &run.summary.flows[0].quantities;
    assert_eq!(outcome.goodput_bps, quantities["goodput_bps"]);
    assert_eq!(outcome.timeouts, quantities["timeouts"]);
    assert_eq!(outcome.retransmission_ratio, quantities["retransmission_ratio"]);
    let (mean, own) = (outcome.rtt_mean_s.mean.unwrap(), quantities["rtt_mean_s"].mean.unwrap());
    assert!((mean / own - 1.0).abs() < 1e-9, "{mean} {own}");
    assert!(outcome.rtt_p95_s.mean.unwrap() >= mean);
    // Little's law agrees with the measured wait of every packet.
    let waits: Vec<f64> = (0..4)
        .map(|n| {
            let stop = airtcp_sim::parallel::Stop::new();
            let watch = Stopwatch::default();
            let done = airtcp_sim::run_one(&plan, n, &|_| Err(String::new()), watch, &stop);
            done.unwrap().unwrap().1.mean_s()
        })
        .collect();
    for (run, wait) in result.subjects[0].cases[0].runs.iter().zip(waits) {
        assert!((run.queue_delay_s.unwrap() / wait - 1.0).abs() < 0.02, "{run:?} {wait}");
    }
}

/// Times every packet through the queue of the link that goes forward, after the warm-up.
#[derive(Default)]
struct Stopwatch {
    entered: std::collections::VecDeque<(airtcp_packet::PacketId, airtcp_units::Nanos)>,
    waits: Vec<Span>,
}

impl Stopwatch {
    fn mean_s(&self) -> f64 {
        self.waits.iter().map(|w| w.as_secs_f64()).sum::<f64>() / self.waits.len() as f64
    }
}

impl airtcp_probe::Probe for Stopwatch {
    const ON: bool = true;
    fn record(
        &mut self,
        now: airtcp_units::Nanos,
        source: airtcp_probe::EventSource,
        event: &airtcp_probe::Event,
    ) {
        use airtcp_probe::{Event, EventSource};
        match (source, event) {
            (EventSource::Queue(0), Event::Enqueued { packet, .. }) => {
                self.entered.push_back((*packet, now));
            }
            (EventSource::Queue(0), Event::Dequeued { packet, .. }) => {
                let (first, entered) = self.entered.pop_front().unwrap();
                assert_eq!(first, *packet);
                if now.0 >= 5_000_000_000 {
                    self.waits.push(now.since(entered));
                }
            }
            _ => {}
        }
    }
}

#[test]
fn replications_without_randomness_are_told() {
    let plain = LOSSY.replace("loss = { model = \"bernoulli\", probability = 0.01 }", "");
    let notes = |text: &str| {
        let result = compared(&[scenario(text)], &options(&["sack", "tahoe"]));
        result.subjects[0].notes.clone()
    };
    let found = notes(&plain).join(" ");
    assert!(found.contains("hardly differ") && found.contains("A loss model, or"), "{found}");
    assert!(notes(LOSSY).is_empty());
}

/// A loss model is random, whatever it does to the replications.
#[test]
fn a_loss_model_is_not_called_next_to_nothing() {
    let notes = |probability: &str| {
        let result = compared(
            &[scenario(&LOSSY.replace("0.01", probability))],
            &options(&["sack", "cubic"]),
        );
        result.subjects[0].notes.clone()
    };
    // Replications that deliver nothing get no note on their scatter.
    assert_eq!(notes("0.999"), Vec::<String>::new());
    // Nearly no packet is lost: the replications are alike, and the note does not advise a loss
    // model.
    let found = notes("1e-9").join(" ");
    assert!(found.contains("The replications hardly differ"), "{found}");
    assert!(!found.contains("little") && !found.contains("A loss model"), "{found}");
}

#[test]
fn sharing() {
    let asked = CompareOptions { share: Some("newreno".into()), ..options(&["newreno", "tahoe"]) };
    let given = [scenario(LOSSY.replace("0.01", "0.001").as_str())];
    let case = &compared(&given, &asked).subjects[0].cases[0];
    let [same, tahoe] = &case.outcomes[..] else { panic!("two variants") };
    // Two of a kind share evenly in the mean, and every replication adds up.
    // One of 20 intervals of 95 % leaves the true share out, so twice its width.
    let share = same.share.unwrap();
    let half = share.ci_high.unwrap() - share.mean.unwrap();
    assert!((share.mean.unwrap() - 0.5).abs() < 2.0 * half, "{share:?}");
    for run in &case.runs {
        let rival = run.rival_goodput_bps.unwrap();
        assert!((run.share.unwrap() - run.goodput_bps / (run.goodput_bps + rival)).abs() < 1e-12);
        assert!(run.jain_index.unwrap() <= 1.0);
    }
    assert!(tahoe.rival_difference.is_some() && same.rival_difference.is_none());
    // Of several TCP flows only the compared one and its rival remain; UDP stays.
    let asked = CompareOptions { flow: Some("right".into()), ..asked };
    let result = compared(&[scenario(FLOWS)], &asked);
    assert_eq!(result.subjects[0].flows, ["right"]);
    assert!(refused(&[link(0.9, 0.0, 2000)], &asked).contains("share: one packet a slot"));
}

#[test]
fn exchanges_are_timed_where_the_data_come_from() {
    let text = LOSSY.replace(
        "tcp = \"linux\"",
        "tcp = \"linux\"\napp = { kind = \"request-response\", request = \"200 B\", response = \"30 kB\" }",
    );
    let case = &compared(&[scenario(&text)], &options(&["newreno"])).subjects[0].cases[0];
    let plan = airtcp_scenario::read(&text, "", &[]).unwrap().resolve().unwrap();
    let run = airtcp_sim::run(&plan, &|_| Err(String::new()), None, |_, _| true).unwrap();
    let rtt = run.summary.flows[0].quantities["rtt_mean_s"].mean.unwrap();
    // The recovery differs, the end that measures does not.
    assert!((case.outcomes[0].rtt_mean_s.mean.unwrap() / rtt - 1.0).abs() < 0.1);
    assert!(case.outcomes[0].exchange_mean_s.mean.unwrap() > rtt);
}

#[test]
fn flows_and_their_own_parameters() {
    let result = compared(&[scenario(FLOWS)], &options(&["own", "newreno"]));
    let subject = &result.subjects[0];
    assert_eq!(subject.flows, ["left", "right"]);
    assert!(subject.cases[0].outcomes[0].jain_index.mean.is_some());
    let right = CompareOptions { flow: Some("right".into()), ..options(&["newreno"]) };
    let result = compared(&[scenario(FLOWS)], &right);
    assert_eq!(result.subjects[0].tcp[0].parameters["initial_window"], 10);
    let profile = CompareOptions { profile: Some("s2".into()), ..right.clone() };
    let result = compared(&[scenario(FLOWS)], &profile);
    assert_eq!(result.subjects[0].tcp[0].parameters["initial_window"], 3);
    assert_eq!(result.subjects[0].tcp[0].recovery, "newreno");
}

#[test]
fn what_is_finished_is_kept() {
    let asked =
        CompareOptions { workers: Some(1), replications: Some(5), ..options(&["newreno", "sack"]) };
    // Stopped after five jobs: two whole replications, and half of a third.
    let mut jobs = 0;
    let result = compare(&[scenario(LOSSY)], vec![], &asked, |done, total| {
        assert_eq!(total, 10);
        jobs = done;
        done < 5
    });
    let result = result.unwrap();
    assert!(result.interrupted);
    let case = &result.subjects[0].cases[0];
    assert_eq!(case.replications as usize, jobs / 2);
    assert_eq!(case.runs.len(), 2 * (jobs / 2));
    let none = compare(&[scenario(LOSSY)], vec![], &asked, |_, _| false).unwrap();
    assert!(none.interrupted && none.subjects.iter().all(|s| s.cases[0].replications == 0));
}

#[test]
fn refusals() {
    let lossy = || [scenario(LOSSY)];
    for (asked, part) in [
        (options(&[]), "0 variants"),
        (options(&["newrno"]), "did you mean \"newreno\""),
        (options(&["sack", "SACK"]), "stands twice"),
        (options(&["newreno:mss=7"]), "mss: 7 is out of range"),
        (CompareOptions { reference: Some("tahoe".into()), ..options(&["sack"]) }, "not among"),
        (CompareOptions { replications: Some(0), ..options(&["sack"]) }, "replications is 0"),
        (CompareOptions { workers: Some(0), ..options(&["sack"]) }, "workers is 0"),
        (CompareOptions { profile: Some("linu".into()), ..options(&["sack"]) }, "\"linux\""),
        (CompareOptions { flow: Some("flow1".into()), ..options(&["sack"]) }, "\"flow0\""),
        (CompareOptions { share: Some("cubik".into()), ..options(&["sack"]) }, "\"cubik\""),
        (
            CompareOptions { as_link: Some(AsLink::default()), ..options(&["sack"]) },
            "a scenario has its own links",
        ),
    ] {
        let message = refused(&lossy(), &asked);
        assert!(message.contains(part), "{part}: {message}");
    }
    let udp = FLOWS.split("[[flows]]").next().unwrap().to_owned()
        + "[[flows]]\nfrom = \"s0\"\nto = \"r1\"\ntransport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"1 Mb/s\" }\n";
    assert!(refused(&[scenario(&udp)], &options(&["sack"])).contains("no TCP flow"));
    let lost = LOSSY.replace(
        "model = \"bernoulli\", probability = 0.01",
        "model = \"trace\", path = \"none.txt\", slot = \"1 ms\"",
    );
    let message = refused(&[scenario(&lost)], &options(&["sack"]));
    assert!(message.contains("test.toml:12") && message.contains("none.txt"), "{message}");
}

#[test]
fn stretches_of_a_constant_capacity_are_alike() {
    let asked = CompareOptions { remedies: Vec::new(), ..options(&["newreno", "cubic", "bbr"]) };
    let notes = |rates: &[(Span, u64)]| {
        let Input::Link(mut made) = link(1.0, 0.0, 1000) else { panic!("a link") };
        made.capacity = Some(Capacity::rates(rates, Span::from_secs(60)).unwrap().into());
        let result = compared(&[Input::Link(made)], &asked);
        assert_eq!(result.subjects[0].cases[0].replications, 3);
        result.subjects[0].notes.join(" ")
    };
    let s = Span::from_secs;
    let constant = notes(&[(Span::ZERO, 5_000_000)]);
    assert!(constant.contains("they say nothing of other links"), "{constant}");
    let varying = notes(&[(Span::ZERO, 5_000_000), (s(20), 7_000_000), (s(40), 4_000_000)]);
    assert!(!varying.contains("alike"), "{varying}");
}
