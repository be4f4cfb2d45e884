//! Comparisons of schemes over short cells: pairing, what variants set, and what is refused.

use std::path::PathBuf;

use super::*;
use crate::document::compare::Standing;
use crate::document::conclusion::{Aspect, StationChanges, TradeOff};
use crate::document::schemes::StationRun;

/// Three uploads to an access point for a second, after `more` keys of the cell.
fn cell(access: &str, more: &str) -> Input {
    let text = format!(
        r#"
duration = "1 s"
replications = 3
[[cells]]
layout = {{ kind = "star", stations = 3, radius_m = 5 }}
mac.access = "{access}"
{more}
[[flows]]
count = 3
from = "sta*"
to = "ap"
tcp = "linux"
"#
    );
    scenario(&text)
}

fn scenario(text: &str) -> Input {
    let scenario = airtcp_scenario::read(text, "cell.toml", &[]).unwrap();
    Input::Scenario {
        name: "cell.toml".into(),
        text: text.into(),
        set: Vec::new(),
        scenario: Box::new(scenario),
        folder: PathBuf::new(),
    }
}

fn options(schemes: &[&str]) -> SchemesOptions {
    let schemes = schemes.iter().map(|s| (*s).to_owned()).collect();
    SchemesOptions { schemes, ..SchemesOptions::default() }
}

fn compared(given: &Input, options: &SchemesOptions) -> SchemesSubject {
    let result = compare_schemes(std::slice::from_ref(given), options, |_, _| true).unwrap();
    assert!(!result.interrupted);
    result.subjects.into_iter().next().unwrap()
}

fn refusal(given: &Input, schemes: &[&str]) -> String {
    compare_schemes(std::slice::from_ref(given), &options(schemes), |_, _| true)
        .unwrap_err()
        .to_string()
}

fn sets<'a>(subject: &'a SchemesSubject, variant: &str) -> Vec<&'a str> {
    let found = subject.variants.iter().find(|v| v.variant == variant).unwrap();
    found.sets.iter().map(String::as_str).collect()
}

/// A variant that sets nothing is the base, bit for bit, in every replication.
#[test]
fn what_is_the_base_is_equal_to_it() {
    let many = SchemesOptions { replications: Some(12), ..options(&["base", "edca", "rts"]) };
    let subject = compared(&cell("edca", ""), &many);
    let [base, edca, rts] = &subject.outcomes[..] else { panic!("{:?}", subject.variants) };
    assert!(base.differences.is_empty() && sets(&subject, "edca").is_empty());
    assert!(edca.differences.contains_key("jain_index"));
    for (key, difference) in &edca.differences {
        assert_eq!(difference.standing, Standing::Equal, "{key}");
        assert_eq!(difference.absolute.ci_high, Some(0.0), "{key}");
    }
    // Replications differ from one another, so that the pairs are what is equal.
    let goodputs: Vec<f64> = subject.runs[..2].iter().map(|r| r.total_goodput_bps).collect();
    assert!(goodputs[0].to_bits() != goodputs[1].to_bits());
    // RTS before each frame of this size costs goodput, significantly.
    assert_eq!(rts.differences["total_goodput_bps"].standing, Standing::Less);
    assert!(rts.differences["total_goodput_bps"].percent.unwrap().ci_high.unwrap() < 0.0);
    assert_eq!(subject.verdict.questions[0].worse, ["rts"]);
    assert_eq!(subject.verdict.questions[0].ranking.worse, ["rts"]);
}

#[test]
fn a_scheme_that_needs_categories_sets_them_and_says_so() {
    let subject = compared(
        &cell("dcf", "schemes = []"),
        &options(&["ftca:exclusive=true+fq-codel", "ack-1", "rts:threshold=1 kB"]),
    );
    assert_eq!(
        sets(&subject, "ftca:exclusive=true+fq-codel"),
        [
            "cells[0].schemes = [{ scheme = \"ftca\", exclusive = true }]",
            "cells[0].mac.access = \"edca\"",
            "cells[0].queue = { kind = \"fq-codel\", limit = 100 }",
        ]
    );
    assert_eq!(sets(&subject, "ack-1"), ["flows[*].tcp.ack_every = 1"]);
    assert_eq!(sets(&subject, "rts:threshold=1 kB"), ["cells[0].mac.rts_threshold = \"1000 B\""]);
    assert!(
        subject
            .notes
            .iter()
            .any(|note| note.contains("the reference has DCF: ftca:exclusive=true+fq-codel."))
    );
    assert_eq!(subject.flows.len(), 3);
    assert_eq!(subject.stations.len(), 4 * 4);
    // A scheme takes the place of the scenario's.
    let other = cell("edca", "schemes = [{ scheme = \"ftca\" }]");
    let subject = compared(&other, &options(&["same-category", "edca", "ftca"]));
    assert_eq!(sets(&subject, "edca"), ["cells[0].schemes = []"]);
    assert_eq!(sets(&subject, "same-category").len(), 1);
    assert!(sets(&subject, "ftca").is_empty());
    assert!(subject.notes.is_empty());
}

/// A discipline stands at every queue of the cell, also where the scenario describes one apart, with its capacity.
#[test]
fn a_queue_discipline_replaces_the_queues_described_apart() {
    let keys = "access_point_queue = { kind = \"drop-tail\", packets = 20 }\n\
                stations = [{ name = \"sta0\", queue = { kind = \"drop-tail\", packets = 5 } }]";
    let subject = compared(&cell("dcf", keys), &options(&["codel"]));
    assert_eq!(
        sets(&subject, "codel"),
        [
            "cells[0].queue = { kind = \"codel\", limit = 100 }",
            "cells[0].access_point_queue = { kind = \"codel\", limit = 20 }",
            "cells[0].stations[0].queue = { kind = \"codel\", limit = 5 }",
        ]
    );
}

#[test]
fn all_leaves_out_what_cannot_act() {
    let given = cell("dcf", "mac.rts_threshold = \"100 B\"");
    let subject = compared(&given, &SchemesOptions { replications: Some(2), ..options(&["all"]) });
    let ran: Vec<&str> = subject.variants.iter().map(|v| v.variant.as_str()).collect();
    for name in ["base", "edca", "ftca", "leith-clifford", "ack-1", "codel", "fq-codel", "pie"] {
        assert!(ran.contains(&name), "{ran:?}");
    }
    // A scheme that needs a key has one, and acts.
    assert_eq!(
        sets(&subject, "per-station:controller={}"),
        ["cells[0].schemes = [{ scheme = \"per-station\", controller = {} }]"]
    );
    assert!(!ran.contains(&"drop-tail") && !ran.contains(&"rts"));
    let left = subject.verdict.not_ranked.iter().find(|n| n.variant == "rts").unwrap();
    let error = left.error.as_deref().unwrap();
    assert!(error.contains("already sends RTS before these frames"), "{error}");
    // All flows end at the access point.
    for name in BOUNDARY {
        let left = subject.verdict.not_ranked.iter().find(|n| n.variant == name).unwrap();
        let error = left.error.as_deref();
        assert_eq!(error, Some("no TCP flow crosses the access point"), "{name}");
    }
    // Every scheme either runs or says why not.
    for entry in airtcp_wifi::scheme::registry() {
        let is = |variant: &str| variant.split(':').next() == Some(entry.name);
        let named = |n: &crate::NotRanked| is(&n.variant) && n.error.is_some();
        let ran = ran.iter().any(|variant| is(variant));
        assert!(ran || subject.verdict.not_ranked.iter().any(named));
    }
}

#[test]
fn a_scheme_that_cannot_act_is_refused_if_it_is_named() {
    let udp = scenario(
        "duration = \"1 s\"\n[[cells]]\nlayout = { kind = \"star\", stations = 2, radius_m = 5 }\n\
         [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\ntransport = \"udp\"\n\
         app = { kind = \"constant-rate\", rate = \"1 Mb/s\" }\n",
    );
    let message = refusal(&udp, &["ack-1"]);
    assert!(message.contains("cell.toml") && message.contains("no TCP flow"), "{message}");
    let subject = compared(&udp, &SchemesOptions { replications: Some(2), ..options(&["all"]) });
    let left = subject.verdict.not_ranked.iter().find(|n| n.variant == "ack-1").unwrap();
    assert!(left.error.as_deref().unwrap().contains("no TCP flow"), "{left:?}");
    // One flow: nobody to be fair to.
    assert_eq!(subject.verdict.questions.len(), 1);

    let cell = cell("edca", "");
    let message = refusal(&cell, &["leith-clifford:cw_min=6"]);
    assert!(message.contains("\"leith-clifford:cw_min=6\": cw_min: "), "{message}");
    let message = refusal(&cell, &["tap:acks=1000"]);
    assert!(message.ends_with("\"tap:acks=1000\": acks: is 1000: expected 1 to 64"), "{message}");
    let message = refusal(&cell, &["link-red:min_th=9"]);
    assert!(message.contains(": max_th: is 4: expected numbers above min_th (9)"), "{message}");
    let message = refusal(&cell, &["ftca+same-category"]);
    assert!(
        message.contains("cannot act here") && message.contains("leave one of them out"),
        "{message}"
    );
    assert!(refusal(&cell, &["ftac"]).contains("did you mean \"ftca\""));
    assert!(refusal(&cell, &[]).contains("none is named"));
    let wired = scenario("[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\n");
    assert!(refusal(&wired, &["rts"]).contains("[[cells]]"));
    let zero = SchemesOptions { workers: Some(0), ..options(&["rts"]) };
    assert!(compare_schemes(&[cell], &zero, |_, _| true).is_err());
}

/// Schemes at the transport boundary of the access point.
const BOUNDARY: [&str; 4] = ["snoop", "split-tcp", "ack-agent", "eln"];

/// A scheme at the transport boundary acts on TCP flows that cross the access point, and on no others.
#[test]
fn a_boundary_scheme_needs_a_flow_across_the_access_point() {
    let ends = |from: &str, to: &str, more: &str| {
        scenario(&format!(
            "duration = \"1 s\"\n[[links]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"100 Mb/s\"\n\
             delay = \"5 ms\"\n[[cells]]\nlayout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
             [[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n"
        ))
    };
    let udp = "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"1 Mb/s\" }";
    for name in BOUNDARY {
        for (from, to, more) in [("sta0", "ap", ""), ("ap", "sta0", ""), ("sta0", "server", udp)] {
            let message = refusal(&ends(from, to, more), &[name]);
            let expected =
                format!("\"{name}\" cannot act here: no TCP flow crosses the access point");
            assert!(message.contains(&expected), "{message}");
        }
        for (from, to) in [("sta0", "server"), ("server", "sta0"), ("sta0", "sta1")] {
            let once = SchemesOptions { replications: Some(1), ..options(&[name]) };
            assert_eq!(compared(&ends(from, to, ""), &once).variants.len(), 2, "{name}");
        }
    }
    // A scheme of the scenario itself is as written.
    let given = cell("dcf", "schemes = [{ scheme = \"snoop\" }]");
    let once = SchemesOptions { replications: Some(1), ..options(&["rts", "edca"]) };
    assert_eq!(compared(&given, &once).variants.len(), 3);
}

/// RTS raises a threshold only to one that is named: else a cell that sends RTS before these frames is the
/// cell as written.
#[test]
fn rts_does_not_raise_a_lower_threshold() {
    for (has, given, expected) in [
        ("0 B", "rts", None),
        ("100 B", "rts", None),
        ("500 B", "rts:threshold=2 kB", Some("cells[0].mac.rts_threshold = \"2000 B\"")),
        ("500 B", "rts", Some("cells[0].mac.rts_threshold = \"100 B\"")),
    ] {
        let base = cell("dcf", &format!("mac.rts_threshold = \"{has}\""));
        let subject = compared(&base, &options(&[given]));
        assert_eq!(
            sets(&subject, given),
            expected.into_iter().collect::<Vec<_>>(),
            "{has} {given}"
        );
        let equal = &subject.outcomes[1].differences["total_goodput_bps"];
        assert_eq!(equal.standing == Standing::Equal, expected.is_none(), "{has} {given}");
    }
}

#[test]
fn one_replication_gives_an_order_and_no_interval() {
    let given = cell("edca", "");
    let one = SchemesOptions { replications: Some(1), ..options(&["ftca", "rts"]) };
    let subject = compared(&given, &one);
    assert!(subject.notes.iter().any(|note| note.contains("no intervals")));
    for outcome in &subject.outcomes {
        assert!(outcome.total_goodput_bps.mean.is_some(), "{}", outcome.variant);
        assert_eq!(outcome.total_goodput_bps.ci_low, None);
        assert!(outcome.differences.values().all(|d| d.absolute.ci_low.is_none()));
    }
    for question in &subject.verdict.questions {
        assert_eq!(question.ranking.order.len(), 3);
        assert!(question.ranking.worse.is_empty() && question.better.is_empty());
    }
    assert!(subject.verdict.trade_offs.is_empty() && subject.verdict.stations.is_empty());
}

/// Exchanges are a fourth question, in which less is better; they do not compete for the fair share.
#[test]
fn latency_is_asked_for_where_there_are_exchanges() {
    let given = cell(
        "edca",
        "[[flows]]\nname = \"small\"\nfrom = \"sta0\"\nto = \"ap\"\n\
         app = { kind = \"request-response\", request = \"100 B\", response = \"100 B\", think = \"20 ms\" }\n",
    );
    let subject = compared(&given, &options(&["base", "rts"]));
    assert_eq!(subject.flows.len(), 3);
    let question = subject.verdict.questions.iter().find(|q| q.aspect == Aspect::Latency).unwrap();
    assert!(!question.more_is_better);
    let of = |name: &str| {
        let outcome = subject.outcomes.iter().find(|o| o.variant == name).unwrap();
        outcome.exchange_p95_s.mean.unwrap()
    };
    let [first, second] = &question.ranking.order[..] else { panic!("{question:?}") };
    assert!(of(first) <= of(second));
    assert!((question.lags[0].behind.mean.unwrap() - (of(second) - of(first))).abs() < 1e-9);
    for run in &subject.runs {
        let (mean, p50, p95, p99) =
            (run.exchange_mean_s, run.exchange_p50_s, run.exchange_p95_s, run.exchange_p99_s);
        assert!(p50 <= p95 && p95 <= p99 && mean.unwrap() > 0.0, "{run:?}");
    }
}

#[test]
fn the_result_does_not_depend_on_workers_and_is_kept_when_stopped() {
    let given = cell("edca", "");
    let with = |workers: u32| {
        let options = SchemesOptions { workers: Some(workers), ..options(&["ftca"]) };
        compared(&given, &options)
    };
    assert_eq!(with(1), with(2));
    let one = SchemesOptions { workers: Some(1), ..options(&["ftca"]) };
    let stopped = compare_schemes(&[given], &one, |done, _| done < 2).unwrap();
    assert!(stopped.interrupted);
    for subject in &stopped.subjects {
        assert!(subject.replications < 3);
        assert_eq!(subject.runs.len(), 2 * subject.replications as usize);
    }
}

/// Two replications do not tell whether a scheme helps, and say what would; equal runs tell that it does not.
#[test]
fn two_replications_leave_a_scheme_open() {
    let runs = |goodputs: [f64; 2]| -> Vec<SchemeRun> {
        let run = |(i, goodput): (usize, f64)| {
            let json = serde_json::json!({
                "variant": "", "replication": i, "tcp_acks": 0.0, "data_frames": 0.0, "packets": 0.0,
                "total_goodput_bps": goodput, "slowest_flow_bps": goodput, "jain_index": null,
            });
            serde_json::from_value(json).unwrap()
        };
        goodputs.into_iter().enumerate().map(run).collect()
    };
    let names = ["base", "open", "same"].map(str::to_owned);
    let found = [runs([5e6, 5.2e6]), runs([5.5e6, 6.1e6]), runs([5e6, 5.2e6])];
    let setup = Setup { names: &names, runs: &found, flows: 1, stations: &[] };
    let verdict = verdict(&setup, Vec::new());
    let [goodput] = &verdict.questions[..] else { panic!("{verdict:?}") };
    assert!(goodput.better.is_empty() && goodput.worse.is_empty());
    assert_eq!(
        (&goodput.undecided[..], &goodput.equivalent[..]),
        (&["open".into()][..], &["same".into()][..])
    );
    // Differences 0.5 and 0.9 Mb/s, s 0.28284, alpha 0.025: t(3) s / 2 = 0.591, t(2) s / sqrt 3 = 1.013.
    assert_eq!(goodput.needed, Some(4));
}

/// A run, a comparison of TCPs and one of schemes have one Jain's index of a scenario: that of its endless flows, and
/// that of each direction.
#[test]
fn every_document_has_one_fairness() {
    let text = "duration = \"2 s\"\nreplications = 2\n[[cells]]\n\
        layout = { kind = \"star\", stations = 4, radius_m = 5 }\nmac.access = \"edca\"\n\
        [[flows]]\nname = \"up\"\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\ntcp = \"linux\"\n\
        [[flows]]\nname = \"down\"\ncount = 2\nfrom = \"ap\"\nto = \"sta*\"\ntcp = \"linux\"\n\
        [[flows]]\nname = \"voice\"\nfrom = \"sta3\"\nto = \"ap\"\ntransport = \"udp\"\n\
        app = { kind = \"constant-rate\", rate = \"64 kb/s\" }\n";
    let given = scenario(text);
    let base = compared(&given, &options(&["rts"])).outcomes.remove(0);
    let plan = airtcp_scenario::read(text, "", &[]).unwrap().resolve().unwrap();
    let run = airtcp_sim::run(&plan, &|_| Err(String::new()), None, |_, _| true).unwrap().summary;
    let asked = crate::CompareOptions { tcp: vec!["own".into()], ..Default::default() };
    let asked = crate::CompareOptions { remedies: Vec::new(), ..asked };
    let tcp = crate::comparison::compare(&[given], Vec::new(), &asked, |_, _| true).unwrap();
    let tcp = &tcp.subjects[0].cases[0].outcomes[0];
    assert_eq!((run.jain_index, run.jain_index), (base.jain_index, tcp.jain_index));
    let [up, down] = [run.jain_index_up.unwrap(), run.jain_index_down.unwrap()];
    assert_eq!((up, down), (base.jain_index_up, base.jain_index_down));
    assert_eq!((Some(up), Some(down)), (tcp.jain_index_up, tcp.jain_index_down));
    // The voice flow, a thousandth of the goodput, would lower the index to below that of four.
    let flows: Vec<f64> =
        run.flows.iter().map(|f| f.quantities["goodput_bps"].mean.unwrap()).collect();
    assert_eq!(flows.len(), 5);
    assert!(run.jain_index.mean.unwrap() > airtcp_sim::results::jain_index(&flows).unwrap());
}

/// A station that one variant starves is named.
#[test]
fn stations_that_lose_are_named() {
    let runs = |goodputs: [f64; 2], wobble: f64| -> Vec<SchemeRun> {
        let run = |i: u32| {
            let noise = wobble * f64::from(i % 3);
            let stations = goodputs
                .map(|goodput| StationRun { goodput_bps: goodput + noise, airtime_share: 0.1 });
            let json = serde_json::json!({
                "variant": "", "replication": i, "tcp_acks": 0.0, "data_frames": 0.0, "packets": 0.0,
                "total_goodput_bps": goodputs[0] + goodputs[1] + 2.0 * noise,
                "slowest_flow_bps": goodputs[1] + noise,
                "jain_index": airtcp_sim::results::jain_index(&goodputs),
            });
            SchemeRun { stations: stations.into(), ..serde_json::from_value(json).unwrap() }
        };
        (0..8).map(run).collect()
    };
    let names = ["base", "other", "even"].map(str::to_owned);
    let found = [runs([5e6, 5e6], 1e4), runs([9e6, 2e6], 1.1e4), runs([5e6, 5e6], 1e4)];
    let stations = [Some("near".to_owned()), Some("far".to_owned())];
    let setup = Setup { names: &names, runs: &found, flows: 2, stations: &stations };
    let verdict = verdict(&setup, Vec::new());
    let change = StationChanges {
        variant: "other".into(),
        gain: vec!["near".into()],
        lose: vec!["far".into()],
    };
    assert_eq!(verdict.stations, [change]);
    let trade = TradeOff {
        variant: "other".into(),
        better: vec![Aspect::Goodput],
        worse: vec![Aspect::Fairness, Aspect::SlowestFlow],
    };
    assert_eq!(verdict.trade_offs, [trade]);
    assert_eq!(verdict.questions[0].ranking.order, ["other", "base", "even"]);
    assert_eq!(verdict.questions[0].lags.len(), 2);
}
