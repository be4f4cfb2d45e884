//! Ends of flows: buffers, and applications.

use airtcp_study::{Cause, Why};

use super::{explained, named, of};

/// A link of 20 Mb/s and 100 ms of round trip, which hold 250 kB.
fn flows(tcp: &str, more: &str) -> String {
    format!(
        "duration = \"20 s\"\nreplications = 3\n\
         [[links]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\nrate = \"20 Mb/s\"\ndelay = \"50 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = 300 }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ profile = \"linux\", {tcp} }}\n{more}"
    )
}

/// 32 kB each round trip are 2.6 Mb/s, and two thirds of them 1.7: the application writes again when a third is free.
#[test]
fn a_small_send_buffer_is_the_first_limit() {
    let found = explained(&flows("send_buffer = \"32 kB\"", ""), Why::Auto);
    let first = &found.limits[0];
    assert_eq!((first.cause, first.place.as_str()), (Cause::SendBuffer, "a (flow0)"));
    assert!((1.7e6..2.7e6).contains(&first.goodput_bps), "{first:?}");
    assert_eq!(first.change, ["flows[0].tcp.send_buffer=\"256000 B\""]);
    assert!(first.ratio.unwrap() > 4.0, "{first:?}");
}

/// Either buffer alone, made larger, leaves the other one.
#[test]
fn equal_buffers_at_both_ends_are_named_together() {
    let found =
        explained(&flows("send_buffer = \"32 kB\", receive_buffer = \"32 kB\"", ""), Why::Auto);
    let first = &found.limits[..2];
    assert_eq!(first[0].with, [first[1].cause]);
    assert_eq!(first[1].with, [first[0].cause]);
    let both = [first[0].cause, first[1].cause];
    assert!(both.contains(&Cause::SendBuffer) && both.contains(&Cause::ReceiveWindow), "{both:?}");
    assert_eq!(first[0].change.len(), 2, "{:?}", first[0].change);
    assert_eq!(first[0].change, first[1].change);
}

/// The flows of one table have one bound: it is one change, not one for each of them.
#[test]
fn flows_of_one_table_are_one_place() {
    let found = explained(&flows("receive_buffer = \"16 kB\"", "count = 3\n"), Why::Auto);
    let first = &found.limits[0];
    let place = "b (flow0 to flow2)";
    assert_eq!((first.cause, first.place.as_str()), (Cause::ReceiveWindow, place));
    assert_eq!(first.change, ["flows[0].tcp.receive_buffer=\"128000 B\""]);
    assert_eq!(first.flows, ["flow0", "flow1", "flow2"]);
}

/// Many places of two causes: each cause is tried, and the one that changes nothing is not named.
#[test]
fn of_many_bounds_only_the_cause_that_limits_is_named() {
    let table = "[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
        tcp = { profile = \"linux\", receive_buffer = \"16 kB\", send_buffer = \"64 kB\" }\n";
    let found = explained(
        &flows("receive_buffer = \"16 kB\", send_buffer = \"64 kB\"", &table.repeat(4)),
        Why::Auto,
    );
    let causes: Vec<Cause> =
        found.limits.iter().filter(|l| l.after.is_empty()).map(|l| l.cause).collect();
    assert_eq!(causes, [Cause::ReceiveWindow], "{:?}", found.limits);
    assert_eq!(found.limits[0].change.len(), 5);
}

#[test]
fn an_application_that_gets_what_it_asks_for_is_the_only_limit() {
    let app = "app = { kind = \"constant-rate\", rate = \"2 Mb/s\", message = \"1200 B\" }\n";
    let found = explained(&flows("ecn = false", app), Why::Auto);
    assert_eq!(named(&found), [(Cause::Application, "flow0")]);
    let limit = of(&found, Cause::Application);
    assert!((limit.goodput_bps / 2e6 - 1.0).abs() < 0.03, "{limit:?}");
    assert!(limit.without_bps > 10e6, "{limit:?}");
}

/// A flow that asks for little and gets it is not slow.
#[test]
fn a_flow_that_gets_what_it_asks_for_is_not_slow() {
    let apps = "app = { kind = \"constant-rate\", rate = \"100 kb/s\", message = \"1200 B\" }\n\
        [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = \"linux\"\n\
        app = { kind = \"constant-rate\", rate = \"3 Mb/s\", message = \"1200 B\" }\n";
    let found = explained(&flows("ecn = false", apps), Why::Auto);
    assert!(found.why.slow_flows.is_empty(), "{:?}", found.why.slow_flows);
    assert_eq!(found.why.slowest_of_each_run_bps, None);
}

/// A larger buffer of one flow fills the link, and so lowers the other flow: it is no cure of that one.
#[test]
fn each_flow_has_the_limit_that_raises_it() {
    let second = "[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
        tcp = { profile = \"linux\", receive_buffer = \"32 kB\" }\n";
    let found = explained(&flows("send_buffer = \"40 kB\"", second), Why::Auto);
    for (cause, flow) in [(Cause::SendBuffer, "flow0"), (Cause::ReceiveWindow, "flow1")] {
        let limit = of(&found, cause);
        assert_eq!(limit.flows, [flow]);
        assert!(limit.or.is_empty() && limit.after.is_empty(), "{limit:?}");
        assert!(limit.low.unwrap() > 3.0, "{limit:?}");
    }
}

/// One flow waits for its requests, the other sends all that its application writes.
#[test]
fn applications_that_limit_their_flows_are_named_one_by_one() {
    let pages = "app = { kind = \"request-response\", request = \"400 B\", response = \"40 kB\", think = \"700 ms\" }\n\
        [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = \"linux\"\n\
        app = { kind = \"on-off\", rate = \"4 Mb/s\", on = \"400 ms\", off = \"600 ms\" }\n";
    let found = explained(&flows("ecn = false", pages), Why::Auto);
    let applications: Vec<_> =
        found.limits.iter().filter(|l| l.cause == Cause::Application).collect();
    let [pauses, content] = applications.as_slice() else { panic!("{:?}", found.limits) };
    assert_eq!(
        (&pauses.flows[..], &content.flows[..]),
        (&["flow0".to_owned()][..], &["flow1".to_owned()][..])
    );
    assert_eq!(pauses.change, ["flows[0].app.think=\"0 s\""]);
    assert_eq!(content.change, ["flows[1].app={ kind = \"bulk\" }"]);
    let [slow] = found.why.slow_flows.as_slice() else { panic!("{:?}", found.why.slow_flows) };
    assert_eq!(slow.short_of, Some(Cause::Application));
}
