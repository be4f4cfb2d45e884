//! Links of varying capacity in whole runs: a saturated flow gets the capacity, and packets are conserved.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use crate::common::{no_traces, plan};
use airtcp_link::Rate;
use airtcp_scenario::Resolved;
use airtcp_sim::results::Replication;
use airtcp_sim::run;
use airtcp_units::{Capacity, Span};

fn with_capacity(text: &str, capacity: &Arc<Capacity>) -> Resolved {
    let mut plan = plan(text);
    for link in &mut plan.links {
        if let Some(Rate::Trace(trace)) = &mut link.direction.rate {
            trace.capacity = Some(capacity.clone());
        }
    }
    plan
}

fn first(plan: &Resolved) -> Replication {
    let r = run(plan, &no_traces, Some(1), |_, _| true).unwrap().replications.remove(0);
    assert!(r.conservation.ok, "{:?}", r.conservation);
    r
}

fn scenario(flow: &str) -> String {
    format!(
        "duration = \"60 s\"\nwarmup = \"10 s\"\n\
         [[links]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\nrate = {{ trace = \"x\" }}\ndelay = \"20 ms\"\n\
         reverse = {{ rate = \"1 Gb/s\" }}\nqueue = {{ kind = \"drop-tail\", packets = 60 }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    )
}

/// Zero to three opportunities per millisecond, and fades of 200 ms without any.
fn uneven() -> Arc<Capacity> {
    let ms = (0..5000u64).filter(|t| t % 1000 >= 200).flat_map(|t| {
        let n = usize::try_from(t / 700 % 4).unwrap();
        std::iter::repeat_n(Span::from_millis(t), n)
    });
    Arc::new(Capacity::opportunities(ms.chain([Span::from_millis(5000)]).collect(), 1504).unwrap())
}

#[test]
fn a_saturated_link_carries_its_capacity() {
    let capacity = uneven();
    // More than the link's maximum rate, in packets of 1504 bytes.
    let flow = "transport = \"udp\"\n\
                app = { kind = \"constant-rate\", rate = \"60 Mb/s\", message = \"1476 B\" }";
    let found = first(&with_capacity(&scenario(flow), &capacity));
    let link = &found.links[0];
    // 50 s are ten periods.
    let offered = capacity.mean_bps();
    assert!((link.capacity_bps.unwrap() - offered).abs() < 1.0);
    assert!((link.sent_bps / offered - 1.0).abs() < 1e-3, "{} of {offered}", link.sent_bps);
    assert!((link.delivered_bps / offered - 1.0).abs() < 1e-3, "{}", link.delivered_bps);
    assert!((link.utilisation - 1.0).abs() < 1e-3, "{}", link.utilisation);
    assert!(found.links[1].capacity_bps.is_none());
}

#[test]
fn tcp_gets_most_of_a_varying_link_and_never_more() {
    let capacity = uneven();
    let found = first(&with_capacity(&scenario("tcp = \"linux\""), &capacity));
    // A fade of 700 ms every 2.8 s outlasts the queue and the timeout.
    let (goodput, offered) = (found.flows[0].goodput_bps, capacity.mean_bps());
    assert!(goodput < offered && goodput > 0.4 * offered, "{goodput} of {offered}");
    assert!(found.flows[0].rtt_mean_s.unwrap() > 0.05);
}

/// Steps of one rate give the same run as a constant rate.
#[test]
fn steps_of_one_rate_are_that_rate() {
    let s = Span::from_secs;
    let steps = Capacity::rates(&[(s(0), 10_000_000), (s(3), 10_000_000)], s(7)).unwrap();
    let text = scenario("tcp = \"linux\"");
    let varying = first(&with_capacity(&text, &Arc::new(steps)));
    let constant = first(&plan(&text.replace("{ trace = \"x\" }", "\"10 Mb/s\"")));
    assert_eq!(varying.fingerprint, constant.fingerprint);
    assert_eq!(varying.flows, constant.flows);
}
