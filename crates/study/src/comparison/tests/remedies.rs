//! Remedies against losses: which help, which do not, and that other ways to run them give the same
//! numbers.

use airtcp_sim::Estimate;

use super::*;

fn helped(given: Input, options: &CompareOptions) -> Remedies {
    compared(&[given], options).subjects.remove(0).remedies.unwrap()
}

fn asked(remedies: &[&str]) -> CompareOptions {
    CompareOptions {
        remedies: remedies.iter().map(|r| (*r).to_owned()).collect(),
        synthetic: false,
        ..options(&["sack"])
    }
}

fn of<'a>(remedies: &'a Remedies, name: &str) -> &'a Outcome {
    remedies.case.outcomes.iter().find(|o| o.variant == name).unwrap()
}

fn mean(estimate: &Estimate) -> f64 {
    estimate.mean.unwrap()
}

#[test]
fn on_a_link_that_loses_a_fifth() {
    let found = helped(link(0.8, 0.0, 20_000), &asked(&["usual"]));
    assert_eq!(found.reference, "sack");
    assert_eq!((found.case.channel, found.case.replications), (Channel::Trace, 10));
    for outcome in &found.case.outcomes[1..] {
        let difference = outcome.difference.unwrap();
        assert_eq!(difference.standing, Standing::More, "{}", outcome.variant);
        assert!(difference.percent.unwrap().ci_low.unwrap() > 300.0, "{}", outcome.variant);
    }
    let lost = of(&found, "lt-tcp").residual_loss;
    assert!(lost.ci_low.unwrap() < 0.2 && lost.ci_high.unwrap() > 0.18, "{lost:?}");
    // LL-ARQ retransmits until all units arrive: 1/(1-p) times a packet with its headers. No loss
    // is left, and TCP uses the whole link.
    let arq = of(&found, "sack@ll-arq:arq=selective");
    assert!(mean(&arq.residual_loss) < 1e-12);
    let got = mean(&arq.packets_per_second.unwrap());
    assert!((got / 80.0 - 1.0).abs() < 0.02, "{got}");
    let cost = mean(&arq.bytes_per_byte);
    assert!((cost / (1500.0 / 1460.0 / 0.8) - 1.0).abs() < 0.02, "{cost}");
    // All units of a packet share the outcome of its slot: parity within it does not help, and
    // LL-HARQ's second attempt leaves a loss of about p^2.
    let left = mean(&of(&found, "sack@ll-harq").residual_loss);
    assert!((0.03..0.07).contains(&left), "{left}");
    assert!(mean(&of(&found, "sack@ll-harq").bytes_per_byte) > 1.2 * cost);
    // The parity of a transport that the queue does not slow down costs bytes in every round trip.
    assert!(mean(&of(&found, "lt-tcp").bytes_per_byte) > cost);
    assert!(found.notes[0].starts_with("One packet a slot, behind a queue"), "{:?}", found.notes);
}

#[test]
fn without_losses_nothing_helps() {
    let Input::Link(mut trace) = link(0.9, 0.0, 20_000) else { unreachable!() };
    trace.outcomes = (0..20_000).map(|_| true).collect();
    let found = helped(Input::Link(trace), &asked(&["usual"]));
    for outcome in &found.case.outcomes[1..] {
        assert_ne!(outcome.difference.unwrap().standing, Standing::More, "{}", outcome.variant);
    }
    let arq = of(&found, "sack@ll-arq:arq=selective");
    assert_eq!(arq.difference.unwrap().standing, Standing::Equal);
    // A transport that reacts to the round-trip time keeps the queue short.
    let sliding = of(&found, "sliding").delivery_p95_difference.unwrap();
    assert_eq!(sliding.standing, Standing::Less);
}

/// If nearly no slot is lost, goodput and its differences have no interval.
#[test]
fn near_full_use_of_the_slots_a_remedy_has_no_interval() {
    let known = |found: &Remedies| {
        let plain = of(found, &found.reference).goodput_bps.ci_low;
        let difference = of(found, "lt-tcp").difference.unwrap();
        let ends = [plain, difference.absolute.ci_low, difference.percent.unwrap().ci_high];
        assert!(ends.iter().all(Option::is_some) || ends.iter().all(Option::is_none), "{ends:?}");
        (plain.is_some(), difference.standing)
    };
    let noted = |found: &Remedies| found.notes.iter().any(|note| note == remarks::RARE_REMEDY);
    // 20 of the 2000 slots of a stretch lose what is sent in them; the rest deliver a packet.
    let found = helped(link(0.99, 0.9, 20_000), &asked(&["lt-tcp"]));
    assert_eq!(known(&found), (false, Standing::Undecided));
    assert!(noted(&found), "{:?}", found.notes);
    // With 400 lost slots there is an interval.
    let found = helped(link(0.8, 0.0, 20_000), &asked(&["lt-tcp"]));
    assert_eq!(known(&found), (true, Standing::More));
    assert!(!noted(&found), "{:?}", found.notes);
}

#[test]
fn the_tcp_without_remedy_is_that_of_the_comparison() {
    // Two drivers over the same link, one of them the general simulator.
    let given = || link(0.97, 0.3, 20_000);
    let result = compared(&[given()], &asked(&["ll-arq"]));
    let subject = &result.subjects[0];
    let alone = mean(&subject.cases[0].outcomes[0].packets_per_second.unwrap());
    let remedies = subject.remedies.as_ref().unwrap();
    let beside = mean(&of(remedies, "sack").packets_per_second.unwrap());
    assert!((alone / beside - 1.0).abs() < 0.02, "{alone} {beside}");
    assert_eq!(result.options.remedies, ["sack", "sack@ll-arq"]);
    // A single remedy has the same numbers as beside others.
    let more = helped(given(), &asked(&["lt-tcp", "sack@ll-arq"]));
    assert_eq!(of(&more, "sack@ll-arq").goodput_bps, of(remedies, "sack@ll-arq").goodput_bps);
}

#[test]
fn workers_change_nothing() {
    let text = |workers| {
        let options = CompareOptions { workers: Some(workers), ..asked(&["usual"]) };
        let given = [link(0.85, 0.5, 5000), scenario(LOSSY)];
        let subjects = compare(&given, vec![], &options, |_, _| true).unwrap().subjects;
        serde_json::to_string(&subjects).unwrap()
    };
    assert_eq!(text(1), text(2));
}

#[test]
fn a_study_holds_the_remedies() {
    let given = link(0.8, 0.6, 10_000);
    let Input::Link(trace) = &given else { unreachable!() };
    let links = std::slice::from_ref(&**trace);
    let study = |remedy_links| {
        let remedies = vec!["lt-tcp".to_owned(), "ll-harq".to_owned()];
        let options =
            crate::StudyOptions { replicas: 2, remedies, remedy_links, ..Default::default() };
        crate::study(links, vec![], &options, |_, _| true).unwrap().links.remove(0)
    };
    assert!(study(0).remedies.is_none());
    let found = study(1).remedies.unwrap();
    let whole = helped(given.clone(), &asked(&["lt-tcp", "ll-harq"]));
    assert_eq!((&found.case.outcomes, found.case.runs.len()), (&whole.case.outcomes, 0));
    assert_eq!(found.notes, whole.notes);
    let names: Vec<&str> = found.case.outcomes.iter().map(|o| o.variant.as_str()).collect();
    assert_eq!(names, ["sack", "lt-tcp", "sack@ll-harq"]);
}

#[test]
fn transports_run_as_a_scenario_runs_them() {
    let text = LOSSY.replace("4 s", "12 s").replace("500 ms", "2 s");
    let result = compared(&[scenario(&text)], &options(&["sack", "lt-tcp", "sliding:coding=off"]));
    let subject = &result.subjects[0];
    let kinds: Vec<&str> = subject.tcp.iter().map(|t| t.transport.as_str()).collect();
    assert_eq!(kinds, ["tcp", "lt-tcp", "sliding"]);
    let run = |transport: &str, more: &[(&str, &str)]| {
        let base = [("flows[0].transport", transport)];
        let sets: Vec<(String, String)> =
            base.iter().chain(more).map(|(k, v)| ((*k).into(), (*v).into())).collect();
        let plan = airtcp_scenario::read(&text, "", &sets).unwrap().resolve().unwrap();
        airtcp_sim::run(&plan, &|_| Err(String::new()), None, |_, _| true).unwrap()
    };
    let sack = [("flows[0].tcp.recovery", "sack"), ("flows[0].tcp.sack", "true")];
    for (i, other) in
        [(1, run("lt-tcp", &sack)), (2, run("sliding", &[("flows[0].sliding.coding", "off")]))]
    {
        let own = other.summary.flows[0].quantities["goodput_bps"];
        assert_eq!(subject.cases[0].outcomes[i].goodput_bps, own);
    }
    // Data are delivered a propagation delay and a transmission after they left, at the soonest, and
    // a stream that keeps 3 packets queued delivers half of them within a few more.
    let half = mean(&subject.cases[0].outcomes[2].delivery_p50_s);
    assert!((0.0112..0.020).contains(&half), "{half}");
    // 1500 bytes per 1448 of payload and hop, and 1 % lost.
    let cost = mean(&subject.cases[0].outcomes[0].bytes_per_byte);
    assert!((cost / (1500.0 / 1448.0 / 0.99) - 1.0).abs() < 0.01, "{cost}");
}

#[test]
fn a_chain_costs_a_hop() {
    let hop = |n: u32| {
        format!(
            "[[links]]\nfrom = \"n{n}\"\nto = \"n{}\"\nrate = \"10 Mb/s\"\ndelay = \"2 ms\"\n\
             loss = {{ model = \"bernoulli\", probability = 0.2 }}\n",
            n + 1
        )
    };
    let text = format!(
        "duration = \"5 s\"\nreplications = 2\n{}{}[[flows]]\nfrom = \"n0\"\nto = \"n2\"\n",
        hop(0),
        hop(1)
    );
    let found = helped(scenario(&text), &asked(&["ll-arq:arq=selective"]));
    let arq = &found.case.outcomes[1];
    assert_eq!(arq.variant, "sack@ll-arq:arq=selective");
    let cost = mean(&arq.bytes_per_byte);
    assert!((cost / (1500.0 / 1460.0 / 0.8) - 1.0).abs() < 0.03, "{cost}");
    assert_eq!(arq.difference.unwrap().standing, Standing::More);
}

#[test]
fn what_cannot_be_is_left_out_and_said() {
    let plain = LOSSY.replace("loss = { model = \"bernoulli\", probability = 0.01 }", "");
    let found = helped(scenario(&plain), &asked(&["usual"]));
    let names: Vec<&str> = found.case.outcomes.iter().map(|o| o.variant.as_str()).collect();
    assert_eq!(names, ["sack", "lt-tcp", "sliding"]);
    assert!(found.notes[0].contains("no link of the scenario loses packets"), "{:?}", found.notes);
    let jittery =
        LOSSY.replace("delay = \"10 ms\"", "delay = \"10 ms\"\njitter = { mean = \"1 ms\" }");
    let found = helped(scenario(&jittery), &asked(&["ll-arq", "sliding"]));
    assert_eq!(found.case.outcomes.len(), 2);
    assert!(found.notes[0].starts_with("sack@ll-arq is left out: "), "{:?}", found.notes);
    // Slots longer than the transports' own timers.
    let slow = CompareOptions { slot: Some(Span::from_secs(60)), ..asked(&["usual"]) };
    assert!(compared(&[link(0.8, 0.0, 2000)], &slow).subjects[0].remedies.is_none());
    // A long trace runs from its start, and a note says so.
    let long = helped(link(0.3, 0.0, 100_100), &asked(&["lt-tcp@ll-harq"]));
    assert!(long.notes[1].contains("100000 of the trace's 100100"), "{:?}", long.notes);
    let none = compared(&[link(0.9, 0.0, 2000)], &options(&["sack"]));
    assert!(none.subjects[0].remedies.is_none());
}

#[test]
fn names_that_are_refused() {
    let trace = || [link(0.9, 0.0, 2000)];
    for (asked, part) in [
        (asked(&["lt-tpc"]), "did you mean \"lt-tcp\""),
        (asked(&["lt-tcp:granulaton=5"]), "granulation"),
        (asked(&["lt-tcp:alpha"]), "KEY=VALUE"),
        (asked(&["sliding:coding=on"]), "coding"),
        (asked(&["lt-tcp:congestion=cubik"]), "cubic"),
        (asked(&["ll-arq:attempts=0"]), "1 (no retransmission)"),
        (options(&["sliding"]), "name sliding among the remedies"),
    ] {
        let message = refused(&trace(), &asked);
        assert!(message.contains(part), "{part}: {message}");
    }
    let bad = refused(&[scenario(LOSSY)], &options(&["lt-tcp:alpha=7"]));
    assert!(bad.contains("alpha") && bad.contains("lt-tcp:alpha=7"), "{bad}");
}

/// A plain TCP over slots has the same numbers beside the other TCPs and beside remedies, whatever is lost.
#[test]
fn a_tcp_has_one_goodput_over_a_trace() {
    for (prr, mu) in [(0.4, 0.97), (0.7, 0.5), (0.97, 0.0)] {
        let asked = CompareOptions { synthetic: false, ..options(&["sack", "newreno"]) };
        let given = CompareOptions { remedies: vec!["sliding".into()], ..asked };
        let result = compared(&[link(prr, mu, 20_000)], &given);
        let subject = &result.subjects[0];
        let of = |case: &Case| case.outcomes.iter().find(|o| o.variant == "sack").cloned().unwrap();
        let (tcp, plain) = (of(&subject.cases[0]), of(&subject.remedies.as_ref().unwrap().case));
        assert_eq!(tcp.timeouts, plain.timeouts, "{prr} {mu}");
        let [a, b] = [&tcp, &plain].map(|o| o.packets_per_second.unwrap().mean.unwrap());
        assert!((a - b).abs() < 1e-9 * a, "{prr} {mu}: {a} {b}");
        let [a, b] = [&tcp, &plain].map(|o| o.retransmission_ratio.mean.unwrap());
        assert!((a - b).abs() < 1e-9, "{prr} {mu}: {a} {b}");
    }
}
