//! Links: losses in series, rates, queues, the way of the ACKs, other flows.

use airtcp_study::{Cause, LimitsVerdict, Why};

use super::{explained, named, of, run, with};

/// Two links in series, with these keys.
fn two(first: &str, second: &str) -> String {
    format!(
        "duration = \"20 s\"\nreplications = 3\n\
         [[links]]\nname = \"near\"\nfrom = \"a\"\nto = \"b\"\ndelay = \"10 ms\"\n{first}\n\
         [[links]]\nname = \"far\"\nfrom = \"b\"\nto = \"c\"\ndelay = \"10 ms\"\n{second}\n\
         [[flows]]\nfrom = \"a\"\nto = \"c\"\ntcp = \"linux\"\n"
    )
}

/// Goodput falls with the square root of the loss at least: without one of two equal losses it rises by less
/// than without both.
#[test]
fn equal_losses_in_series_are_named_together() {
    let lossy = "rate = \"20 Mb/s\"\nloss = { model = \"bernoulli\", probability = 0.01 }";
    let found = explained(&two(lossy, lossy), Why::Auto);
    let first = &found.limits[0];
    assert_eq!((first.cause, first.place.as_str()), (Cause::LinkLosses, "near and far"));
    assert!(first.ratio.unwrap() > 2.0 && first.low.unwrap() > 1.0, "{first:?}");
    assert_eq!(first.change.len(), 2, "{:?}", first.change);
    assert_eq!(first.flows, ["flow0"]);
}

#[test]
fn links_of_one_rate_are_named_together() {
    let slow = "rate = \"5 Mb/s\"";
    let found = explained(&two(slow, slow), Why::Auto);
    let limit = of(&found, Cause::LinkRate);
    assert_eq!(limit.place, "near and far");
    assert!((limit.ratio.unwrap() - 2.0).abs() < 0.1, "{limit:?}");
    // Twice the rate there: the reverse directions stay as they are.
    assert!(limit.change.contains(&"links[1].rate=\"10 Mb/s\"".to_owned()), "{:?}", limit.change);
    assert!(limit.change.contains(&"links[1].reverse.rate=\"5 Mb/s\"".to_owned()));
}

/// Drops of a full link's queue are how TCP finds the rate.
#[test]
fn a_full_link_without_losses_names_neither_queue_nor_losses() {
    let found = explained(&two("rate = \"5 Mb/s\"", "rate = \"100 Mb/s\""), Why::Auto);
    assert_eq!(named(&found), [(Cause::LinkRate, "near")]);
    let limit = &found.limits[0];
    assert!((limit.ratio.unwrap() - 2.0).abs() < 0.1, "{limit:?}");
    assert_eq!(found.why.verdict, LimitsVerdict::Limited);
    assert!(found.why.undecided.is_empty());
}

/// 20 Mb/s of segments with 1448 bytes ask for 860 delayed ACKs a second of 52 bytes and more: 0.36 Mb/s.
#[test]
fn a_narrow_way_back_is_the_first_limit() {
    let near = "rate = \"20 Mb/s\"\nreverse = { rate = \"60 kb/s\" }";
    let found = explained(&two(near, "rate = \"200 Mb/s\""), Why::Auto);
    let first = &found.limits[0];
    assert_eq!((first.cause, first.place.as_str()), (Cause::ReturnPath, "near (reverse)"));
    assert_eq!(first.change, ["links[0].reverse.rate=\"480 kb/s\""]);
}

/// A flow of datagrams takes 8 of 10 Mb/s. What the scenario leaves out already stays out.
#[test]
fn other_flows_are_taken_out_and_absent_ones_stay_out() {
    let datagrams = |name: &str| {
        format!(
            "[[flows]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"c\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"8 Mb/s\", message = \"1200 B\" }}\n"
        )
    };
    let link = two("rate = \"10 Mb/s\"", "rate = \"100 Mb/s\"");
    let text = format!(
        "{link}{}{}\nwithout.flows = [\"absent\"]\n",
        datagrams("call"),
        datagrams("absent")
    )
    .replace("\nwithout.flows", "\n[without]\nflows");
    let found = explained(&text, Why::Auto);
    let limit = of(&found, Cause::OtherFlows);
    assert_eq!(limit.place, "call");
    assert_eq!(limit.change, ["without.flows=[\"absent\", \"call\"]"]);
    // 10 Mb/s instead of the 2 that are left.
    assert!(limit.ratio.unwrap() > 3.0, "{limit:?}");
    assert!(limit.without_bps < 10e6, "{limit:?}");
}

/// A transfer of two initial windows takes round trips, and hardly a link of 1 Gb/s.
#[test]
fn a_short_transfer_is_limited_by_the_round_trip_time() {
    let text = two("rate = \"1 Gb/s\"", "rate = \"1 Gb/s\"")
        .replace("tcp = \"linux\"", "tcp = \"linux\"\napp = { kind = \"bulk\", size = \"20 kB\" }");
    let found = explained(&text, Why::Auto);
    assert_eq!(named(&found), [(Cause::RoundTripTime, "all links")]);
    // A quarter of the delays.
    let limit = &found.limits[0];
    assert!((limit.ratio.unwrap() - 4.0).abs() < 0.05, "{limit:?}");
}

/// One message a second, each answered within 40 ms: without the pauses 25 a second. Nothing else is short.
#[test]
fn pauses_limit_where_nothing_else_does() {
    let text = two("rate = \"1 Gb/s\"", "rate = \"1 Gb/s\"").replace(
        "tcp = \"linux\"",
        "tcp = \"linux\"\n\
         app = { kind = \"request-response\", request = \"300 B\", response = \"300 B\", think = \"1 s\" }",
    );
    let found = explained(&text, Why::Auto);
    assert_eq!(named(&found), [(Cause::Application, "flow0")]);
    let limit = &found.limits[0];
    assert_eq!(limit.change, ["flows[0].app.think=\"0 s\""]);
    // At each end of the measured time, an exchange counts or does not.
    assert!((limit.ratio.unwrap() / 26.0 - 1.0).abs() < 0.1, "{limit:?}");
}

/// An exchange of 300 kB over 20 Mb/s and 240 ms: twice the rate saves 60 ms, a quarter of the delays more.
#[test]
fn delays_come_before_a_rate_that_matters_less() {
    let text = two("rate = \"20 Mb/s\"", "rate = \"1 Gb/s\"")
        .replace("delay = \"10 ms\"", "delay = \"60 ms\"")
        .replace(
            "tcp = \"linux\"",
            "tcp = \"linux\"\n\
             app = { kind = \"request-response\", request = \"500 B\", response = \"300 kB\" }",
        );
    let found = explained(&text, Why::Auto);
    assert_eq!(found.limits[0].cause, Cause::RoundTripTime, "{:?}", found.limits);
    assert!(found.limits[0].ratio.unwrap() > 1.7, "{:?}", found.limits);
    assert!(found.limits.iter().all(|l| l.cause != Cause::LinkRate || !l.after.is_empty()));
}

/// Without reordering alone, losses hold the window down; the link is the limit once both are gone.
#[test]
fn what_stands_behind_a_limit_is_measured_behind_exactly_that() {
    let near = "rate = \"25 Mb/s\"\nloss = { model = \"bernoulli\", probability = 0.001 }\n\
        reordering = { probability = 0.02, extra = \"8 ms\", extra_max = \"14 ms\" }";
    let text = two(near, "rate = \"1 Gb/s\"").replace("tcp = \"linux\"", "tcp = \"rfc\"");
    let found = explained(&text, Why::Auto);
    assert_eq!(
        named(&found),
        [(Cause::Reordering, "near"), (Cause::LinkLosses, "near"), (Cause::LinkRate, "near")]
    );
    let [first, second, third] = found.limits.as_slice() else { panic!("{:?}", found.limits) };
    assert_eq!(second.after, [Cause::Reordering]);
    assert_eq!(third.after, [Cause::Reordering, Cause::LinkLosses]);
    // Each number is the one before without one thing more.
    assert_eq!(first.without_bps.to_bits(), second.goodput_bps.to_bits());
    assert_eq!(second.without_bps.to_bits(), third.goodput_bps.to_bits());
    assert!(!first.change.iter().any(|set| set.contains("loss")), "{:?}", first.change);
}

/// The next link in a row is nearly as slow.
#[test]
fn another_rate_may_stand_behind_a_rate() {
    let found = explained(&two("rate = \"5 Mb/s\"", "rate = \"7 Mb/s\""), Why::Auto);
    let named: Vec<_> = found.limits.iter().map(|l| (l.place.as_str(), l.after.len())).collect();
    assert_eq!(named, [("near", 0), ("far", 1)], "{:?}", found.limits);
    assert!((found.limits[1].ratio.unwrap() - 10.0 / 7.0).abs() < 0.05, "{:?}", found.limits[1]);
}

/// The round trip of 40 ms at 20 Mb/s holds 70 packets: three are too few, and 24 better.
#[test]
fn a_longer_queue_is_advised_only_if_it_helps() {
    let queue = |packets: u32| {
        let near = format!(
            "rate = \"20 Mb/s\"\nqueue = {{ kind = \"drop-tail\", packets = {packets} }}\nreverse = {{ rate = \"20 Mb/s\" }}"
        );
        explained(&two(&near, "rate = \"100 Mb/s\""), Why::Auto)
    };
    let short = queue(3);
    let limit = of(&short, Cause::Queue);
    assert!(
        limit.help.contains(&"links[0].queue={ kind = \"drop-tail\", packets = 24 }".to_owned()),
        "{limit:?}"
    );
    assert!(queue(100).limits.iter().all(|limit| limit.help.is_empty()));
}

/// The limit of a slow flow is what it is short of.
#[test]
fn a_slow_flow_is_short_of_its_own_limit() {
    let near = "rate = \"16 Mb/s\"\n\
        reverse = { rate = \"800 kb/s\", queue = { kind = \"drop-tail\", packets = 30 } }";
    let text = two(near, "rate = \"100 Mb/s\"");
    let upload = "[[flows]]\nname = \"upload\"\nfrom = \"c\"\nto = \"a\"\ntcp = \"linux\"\n";
    let found = explained(&format!("{text}{upload}"), Why::Auto);
    let [slow] = found.why.slow_flows.as_slice() else { panic!("{:?}", found.why.slow_flows) };
    assert_eq!((slow.flow.as_str(), slow.short_of), ("upload", Some(Cause::LinkRate)));
    let limit = found.limits.iter().find(|limit| limit.flows == ["upload"]).unwrap();
    assert_eq!((limit.place.as_str(), &limit.change), (slow.place.as_str(), &slow.change));
}

/// The links carry more: a policer, a shaper.
#[test]
fn policers_and_shapers_are_named() {
    let policer = "rate = \"100 Mb/s\"\npolicer = { rate = \"5 Mb/s\", burst = \"60 kB\" }";
    let shaper =
        "rate = \"100 Mb/s\"\nqueue = { kind = \"tbf\", rate = \"5 Mb/s\", burst = \"6 kB\" }";
    for (link, cause, change) in [
        (policer, Cause::Policer, "links[0].policer={ burst = \"120000 B\", rate = \"10 Mb/s\" }"),
        (
            shaper,
            Cause::Shaper,
            "links[0].queue={ kind = \"tbf\", burst = \"12000 B\", rate = \"10 Mb/s\" }",
        ),
    ] {
        let found = explained(&two(link, "rate = \"100 Mb/s\""), Why::Auto);
        assert_eq!(named(&found), [(cause, "near")]);
        let limit = &found.limits[0];
        // TCP does not use all of the rate of a policer.
        assert!((1.5..=2.1).contains(&limit.ratio.unwrap()), "{limit:?}");
        assert!(limit.change.iter().any(|set| set == change), "{:?}", limit.change);
    }
}

#[test]
fn transfers_that_end_early_have_no_more_than_the_link_together() {
    let transfer = |bytes: &str| {
        format!(
            "[[flows]]\nfrom = \"a\"\nto = \"b\"\napp = {{ kind = \"bulk\", size = \"{bytes}\" }}\n"
        )
    };
    let text = format!(
        "duration = \"20 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n{}{}{}",
        transfer("8 MB"),
        transfer("3 MB"),
        transfer("6 MB")
    );
    let run = run(&text, &[]);
    let added: f64 = run.replications[0].flows.iter().map(|flow| flow.goodput_bps).sum();
    assert!(added > 1.1e7, "each is over its own time");
    let found = with(&text, &run, Why::Yes, None, |_, _| true).unwrap();
    let rate = of(&found, Cause::LinkRate);
    assert!((9.0e6..=9.8e6).contains(&rate.goodput_bps), "{}", rate.goodput_bps);
}

/// While the return path fails, the queue fills: a queue without an end hides the outage. The outage is first, even if
/// the run without drops gets a little more.
#[test]
fn an_outage_comes_before_the_queue_that_it_fills() {
    let text = "duration = \"30 s\"\nwarmup = \"2 s\"\nreplications = 4\n\
        [[links]]\nname = \"relay\"\nfrom = \"a\"\nto = \"b\"\nrate = \"12 Mb/s\"\ndelay = \"20 ms\"\n\
        queue = { kind = \"drop-tail\", packets = 60 }\n\
        reverse = { rate = \"12 Mb/s\", loss = { model = \"blackout\", duration = \"600 ms\", period = \"2500 ms\" } }\n\
        [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = \"linux\"\n";
    for why in [Why::Auto, Why::Yes] {
        let found = explained(text, why);
        assert_eq!(found.limits[0].cause, Cause::LinkLosses, "{:?}", found.limits);
        assert_eq!(found.limits[0].or, [Cause::Queue]);
    }
    // Without outages, a queue that is too short is no consequence of losses.
    let short = text.replace("packets = 60", "packets = 4").replace("600 ms", "1 ms");
    let found = explained(&short, Why::Auto);
    assert_eq!(found.limits[0].cause, Cause::Queue, "{:?}", found.limits);
}
