//! Priority of TCP ACKs never changes the order of a flow's data.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{no_traces, plan};
use airtcp_packet::{EndpointId, Kind, Seq};
use airtcp_probe::{Event, EventSource, Probe};
use airtcp_sim::parallel::Stop;
use airtcp_sim::run_one;
use airtcp_units::Nanos;

/// The data segments of each flow and direction, as they were sent and as they arrived.
#[derive(Debug, Default)]
struct Order {
    sent: BTreeMap<EndpointId, Vec<Seq>>,
    arrived: BTreeMap<EndpointId, Vec<Seq>>,
    /// Sent more than once.
    again: BTreeSet<(EndpointId, u32)>,
}

impl Probe for Order {
    const ON: bool = true;

    fn record(&mut self, _: Nanos, source: EventSource, event: &Event) {
        let EventSource::Endpoint(end) = source else { return };
        match event {
            Event::SegmentSent { segment, retransmission } if carries(segment) => {
                if *retransmission {
                    self.again.insert((end, segment.seq.0));
                } else {
                    self.sent.entry(end).or_default().push(segment.seq);
                }
            }
            Event::SegmentReceived { segment } if carries(segment) => {
                self.arrived.entry(end.peer()).or_default().push(segment.seq);
            }
            _ => {}
        }
    }
}

const fn carries(segment: &airtcp_packet::Segment) -> bool {
    segment.len > 0 && matches!(segment.kind, Kind::Tcp)
}

/// Uploads and downloads between a server and the stations, a flow between two stations, and requests
/// with responses, whose data are mixed with ACKs in both directions. The windows are such that no queue
/// overflows, and the MAC repairs nearly all losses.
fn cell(link: &str, access: &str, schemes: &str, categories: &str) -> String {
    format!(
        r#"
        duration = "2 s"
        [[links]]
        from = "server"
        to = "ap"
        rate = "100 Mb/s"
        delay = "5 ms"
        {link}
        [[cells]]
        layout = {{ kind = "star", stations = 3, radius_m = 5 }}
        propagation.path_loss = {{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }}
        noise.floor_dbm = -99
        residual_error = "5 %"
        mac = {{ access = "{access}", attempts = 50, attempts_long = 50 }}
        queue = {{ kind = "drop-tail", packets = 1000 }}
        schemes = [{schemes}]
        [[flows]]
        count = 3
        from = "sta*"
        to = "server"
        tcp = {{ receive_buffer = "64 kB" }}
        {categories}
        [[flows]]
        count = 3
        from = "server"
        to = "sta*"
        tcp = {{ receive_buffer = "64 kB" }}
        {categories}
        [[flows]]
        from = "sta0"
        to = "sta2"
        tcp = {{ receive_buffer = "64 kB" }}
        {categories}
        [[flows]]
        count = 3
        from = "sta*"
        to = "server"
        app = {{ kind = "request-response", request = "20 kB", response = "30 kB", think = "1 ms" }}
        tcp = {{ receive_buffer = "64 kB" }}
        {categories}
    "#
    )
}

fn observed(text: &str) -> Order {
    run_one(&plan(text), 0, &no_traces, Order::default(), &Stop::new()).unwrap().unwrap().1
}

impl Order {
    /// The first segment of a sender that arrives behind one that was sent later, of those that were sent once.
    fn overtaken(&self, sender: EndpointId) -> Option<Seq> {
        let once = |seq: &&Seq| !self.again.contains(&(sender, seq.0));
        // Each is found behind the one before.
        let mut rest = self.sent[&sender].iter();
        let mut arrived = self.arrived[&sender].iter().filter(once);
        arrived.find(|seq| !rest.any(|next| next == *seq)).copied()
    }
}

/// The segments of each flow and direction that were sent once arrive in the order in which they were sent.
fn check(access: &str, schemes: &str, categories: &str) {
    let order = observed(&cell("", access, schemes, categories));
    let what = format!("{access} [{schemes}] {categories}");
    // Seven flows have data in one direction, and three in both.
    assert_eq!(order.sent.len(), 13, "{what}");
    let total: usize = order.sent.values().map(Vec::len).sum();
    assert!(20 * order.again.len() < total, "{what}: {} of {total} again", order.again.len());
    for sender in order.sent.keys() {
        let arrived = order.arrived[sender].len();
        assert!(arrived > 10, "{what}: {arrived} of {sender:?} arrived");
        assert_eq!(order.overtaken(*sender), None, "{what}: {sender:?}");
    }
}

/// Data in one direction of a flow have another category than those in the other.
const TWO: &str = "access_category = \"best-effort\"\nreverse_access_category = \"video\"";

#[test]
fn priority_of_acks_keeps_the_order_of_data() {
    for at in ["both", "access-point", "stations"] {
        for more in ["", ", exclusive = true", ", ack_access = \"always-backoff\""] {
            check("edca", &format!("{{ scheme = \"ftca\", at = \"{at}\"{more} }}"), "");
        }
        check("edca", &format!("{{ scheme = \"same-category\", at = \"{at}\" }}"), TWO);
    }
    check("edca", "{ scheme = \"ftca\", exclusive = true }", TWO);
    check("edca", "{ scheme = \"leith-clifford\" }", "");
    check("edca", "{ scheme = \"tap\" }", "");
    check("edca", "{ scheme = \"tap\", mac_acks = false }", "");
    check("edca", "{ scheme = \"ftca\", at = \"stations\" }, { scheme = \"tap\" }", "");
}

/// Without access categories, schemes change only the turn of a station.
#[test]
fn other_schemes_keep_the_order_of_data() {
    for scheme in ["dcf+", "auto-zoom"] {
        check("dcf", &format!("{{ scheme = \"{scheme}\" }}"), "");
    }
    check("edca", "", TWO);
}

/// A link that reorders packets is seen.
#[test]
fn the_check_sees_data_that_overtake() {
    let link = "reordering = { probability = 0.1, extra = \"5 ms\" }";
    let order = observed(&cell(link, "dcf", "", ""));
    let overtaken = order.sent.keys().filter(|sender| order.overtaken(**sender).is_some());
    assert!(overtaken.count() > 3);
}
