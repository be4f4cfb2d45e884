//! Links: losses in series, rates, queues, the way of the ACKs, other flows.

use airtcp_study::{Cause, LimitsVerdict, Why};

use super::{explained, named, of};

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

/// One message a second, each answered at once: nothing else is short.
#[test]
fn pauses_of_the_user_are_no_limit() {
    let text = two("rate = \"1 Gb/s\"", "rate = \"1 Gb/s\"").replace(
        "tcp = \"linux\"",
        "tcp = \"linux\"\n\
         app = { kind = \"request-response\", request = \"300 B\", response = \"300 B\", think = \"1 s\" }",
    );
    let found = explained(&text, Why::Auto);
    assert!(found.limits.is_empty(), "{:?}", found.limits);
    assert_eq!(found.why.verdict, LimitsVerdict::NothingSingle);
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
