//! Comparisons over a delivery trace: as a study has them, slot by slot, and behind a link.

use super::*;

#[test]
fn a_study_of_the_trace_gives_the_same_numbers() {
    let given = link(0.8, 0.6, 20_000);
    let Input::Link(trace) = &given else { unreachable!() };
    let study = crate::StudyOptions { replicas: 3, ..Default::default() };
    let studied =
        crate::study(std::slice::from_ref(&**trace), vec![], &study, |_, _| true).unwrap();
    let tcp = &studied.links[0].tcp;
    let asked = CompareOptions { replications: Some(3), ..options(&["newreno"]) };
    let result = compared(std::slice::from_ref(&given), &asked);
    let subject = &result.subjects[0];
    let channels: Vec<Channel> = subject.cases.iter().map(|c| c.channel).collect();
    assert_eq!(channels, [Channel::Trace, Channel::Independent, Channel::GilbertElliott]);
    let rate = |i: usize| subject.cases[i].outcomes[0].packets_per_second.unwrap();
    assert!((rate(0).mean.unwrap() - tcp.empirical.packets_per_second).abs() < 0.05);
    assert_eq!(subject.cases[0].over, Over::Stretches);
    let timeouts: u64 = subject.cases[0].runs.iter().map(|r| r.timeouts).sum();
    let sent: u64 = subject.cases[0].runs.iter().map(|r| r.segments_sent).sum();
    assert_eq!((timeouts, sent), (tcp.empirical.timeouts, tcp.empirical.sent_packets));
    assert_eq!(rate(1), tcp.independent.packets_per_second);
    assert_eq!(rate(2), tcp.gilbert_elliott.as_ref().unwrap().packets_per_second);
    assert_eq!(subject.notes[0], "a note of the reader");
    assert!(subject.notes[1].starts_with("One packet a slot"), "{:?}", subject.notes);
}

#[test]
fn a_study_holds_the_comparison_over_the_trace() {
    let given = link(0.8, 0.6, 20_000);
    let Input::Link(trace) = &given else { unreachable!() };
    let links = std::slice::from_ref(&**trace);
    let tcp = ["newreno", "sack", "reno-nosack"];
    let study = |compare_links| {
        let compare = tcp.iter().map(|t| (*t).to_owned()).collect();
        let options =
            crate::StudyOptions { replicas: 2, compare, compare_links, ..Default::default() };
        crate::study(links, vec![], &options, |_, _| true)
    };
    let found = study(1).unwrap().links.remove(0).compared.unwrap();
    let whole = compared(std::slice::from_ref(&given), &options(&tcp)).subjects.remove(0);
    assert_eq!(found.outcomes, whole.cases[0].outcomes);
    assert_eq!(found.ranking, whole.cases[0].ranking);
    assert_eq!((found.replications, found.runs.len()), (10, 0));
    assert!(study(0).unwrap().links[0].compared.is_none());
    let options = crate::StudyOptions {
        compare: vec!["renno".into()],
        compare_links: 1,
        ..Default::default()
    };
    let refusal = crate::study(links, vec![], &options, |_, _| true).unwrap_err().to_string();
    assert!(refusal.contains("\"reno\""), "{refusal}");
}

#[test]
fn a_law_that_paces_is_paced_slot_by_slot() {
    /// When segments leave the sender.
    #[derive(Default)]
    struct Leaving(Vec<airtcp_units::Nanos>);
    impl airtcp_probe::Probe for Leaving {
        const ON: bool = true;
        fn record(
            &mut self,
            now: airtcp_units::Nanos,
            source: airtcp_probe::EventSource,
            event: &airtcp_probe::Event,
        ) {
            if let (
                airtcp_probe::EventSource::Endpoint(end),
                airtcp_probe::Event::SegmentSent { segment, .. },
            ) = (source, event)
                && end.side() == airtcp_packet::Side::Client
                && segment.len > 0
            {
                self.0.push(now);
            }
        }
    }
    let base = crate::StudyOptions::default().slotted(None).unwrap();
    let perfect: airtcp_units::Outcomes = (0..20_000).map(|_| true).collect();
    // Share of segments sent at the same instant as the one before, and the number of used slots.
    let run = |text: &str| {
        let mut config = base.clone();
        config.tcp = airtcp_transport::tcp::Variant::parse(text).unwrap().apply(&base.tcp).unwrap();
        let mut leaving = Leaving::default();
        let result = airtcp_sim::slotted::run(&perfect, None, &config, &mut leaving);
        let late = &leaving.0[leaving.0.len() / 2..];
        let together = late.windows(2).filter(|w| w[0] == w[1]).count();
        (together as f64 / late.len() as f64, result.slots_used)
    };
    let (paced, used) = run("bbr");
    let (unpaced, _) = run("bbr:pacing=off");
    assert!(paced < 0.05 && unpaced > 0.3, "paced {paced}, unpaced {unpaced}");
    // The law finds the rate of the slots: one packet each.
    assert!(used > 16_000, "{used} of 20000 slots used");
}

#[test]
fn a_trace_behind_a_link_is_cut_into_stretches() {
    let asked =
        CompareOptions { as_link: Some(AsLink::default()), ..options(&["newreno", "sack"]) };
    let result = compared(&[link(0.95, 0.2, 10_000)], &asked);
    let subject = &result.subjects[0];
    assert_eq!(subject.kind, SubjectKind::TraceAsLink);
    let [case] = &subject.cases[..] else { panic!("one case") };
    // 100 s of trace in stretches of 20 s, each with losses of its own.
    assert_eq!((case.replications, case.over, subject.duration_s), (5, Over::Stretches, 20.0));
    let mut sent: Vec<u64> = case.runs.iter().take(5).map(|r| r.segments_sent).collect();
    sent.sort_unstable();
    sent.dedup();
    assert_eq!(sent.len(), 5, "{sent:?}");
    assert!(case.outcomes[0].rtt_mean_s.mean.unwrap() > 0.04);
}

#[test]
fn fewer_stretches_than_asked_for_have_their_reason() {
    let notes = |packets: usize, asked: &CompareOptions| {
        let result = compared(&[link(0.95, 0.2, packets)], asked);
        result.subjects[0].notes.join(" ")
    };
    let slotted = options(&["newreno"]);
    let why = "cut into 2 stretches, not 10: a stretch has at least 1000 slots";
    assert!(notes(2_500, &slotted).contains(why));
    assert!(!notes(10_000, &slotted).contains("a stretch has at least"));
    // One stretch has a note of its own.
    assert!(!notes(1_500, &slotted).contains("a stretch has at least"));
    let behind = CompareOptions { as_link: Some(AsLink::default()), ..slotted };
    let why = "cut into 5 stretches, not 10: a stretch lasts at least 20 s";
    assert!(notes(10_000, &behind).contains(why));
}

#[test]
fn no_chain_is_made_of_an_order_that_was_drawn() {
    let Input::Link(trace) = link(0.8, 0.6, 5_000) else { unreachable!() };
    let drawn = Input::Link(Box::new(LinkTrace { order_known: false, ..*trace }));
    let result = compared(&[drawn], &options(&["newreno"]));
    let subject = &result.subjects[0];
    let channels: Vec<Channel> = subject.cases.iter().map(|c| c.channel).collect();
    assert_eq!(channels, [Channel::Trace, Channel::Independent]);
    let said = |text: &str| subject.notes.iter().any(|note| note.contains(text));
    assert!(said("mu is not known") && said("drawn at random"), "{:?}", subject.notes);
}

/// Ten packets every 200 ms, in a file of 200 ms that repeats: about 0.6 Mb/s.
#[test]
fn a_short_file_of_a_capacity_is_repeated() {
    let Input::Link(mut trace) = link(0.8, 0.6, 10) else { unreachable!() };
    trace.outcomes = airtcp_units::Outcomes::new();
    let at = vec![Span::from_millis(200); 10];
    trace.capacity = airtcp_units::Capacity::opportunities(at, 1504).map(std::sync::Arc::new);
    let result = compared(&[Input::Link(trace)], &options(&["newreno", "cubic"]));
    let subject = &result.subjects[0];
    assert!((subject.duration_s - 20.0).abs() < 1e-9, "{}", subject.duration_s);
    assert!(subject.cases[0].runs.iter().all(|run| run.segments_sent > 500));
    assert!(subject.notes.iter().any(|n| n.contains("starts over")), "{:?}", subject.notes);
}
