//! Loss differentiation by trip times (TP-LDA), compared with the true cause of each loss.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and prints its measurements"
)]

use std::collections::BTreeMap;

use crate::common::{no_traces, plan};
use airtcp_packet::{Flags, PacketId, Side};
use airtcp_probe::{DropReason, Event, EventSource, LossCause, Probe};
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::Replication;
use airtcp_sim::run_one;
use airtcp_units::Nanos;

/// True and judged causes of losses.
#[derive(Default)]
struct Judgements {
    /// Initial sequence number of each flow.
    iss: BTreeMap<u32, u32>,
    /// The data packet just sent: flow and stream offset.
    leaving: Option<(u32, u64)>,
    under_way: Vec<(PacketId, (u32, u64))>,
    /// Drop reason of the latest lost copy.
    truth: BTreeMap<(u32, u64), DropReason>,
    /// Rows: dropped by the queue, lost by the link. Columns: judged congestion, judged corruption.
    matrix: [[u32; 2]; 2],
    /// Packets judged lost that were not lost.
    unlabelled: u32,
}

impl Judgements {
    fn share(&self, row: usize) -> f64 {
        f64::from(self.matrix[row][row]) / f64::from(self.matrix[row].iter().sum::<u32>())
    }
}

impl Probe for Judgements {
    const ON: bool = true;

    fn record(&mut self, _: Nanos, source: EventSource, event: &Event) {
        match (source, event) {
            (EventSource::Endpoint(end), Event::SegmentSent { segment, .. })
                if end.side() == Side::Client =>
            {
                let flow = end.flow();
                if segment.flags.has(Flags::SYN) {
                    self.iss.insert(flow, segment.seq.0);
                }
                let iss = self.iss[&flow];
                let offset = u64::from(segment.seq.0.wrapping_sub(iss).wrapping_sub(1));
                self.leaving = (segment.len > 0).then_some((flow, offset));
            }
            (EventSource::Endpoint(_), Event::SegmentSent { .. }) => self.leaving = None,
            (EventSource::Endpoint(end), Event::LossJudged { number, packets, cause }) => {
                assert_eq!(*packets, 1);
                let Some(reason) = self.truth.get(&(end.flow(), *number)) else {
                    self.unlabelled += 1;
                    return;
                };
                let row = usize::from(*reason == DropReason::Loss);
                self.matrix[row][usize::from(*cause == LossCause::Corruption)] += 1;
            }
            (
                EventSource::Queue(0) | EventSource::Link(0),
                Event::Enqueued { packet, .. }
                | Event::TxStart { packet, .. }
                | Event::Arrived { packet }
                | Event::Dropped { packet, .. },
            ) => {
                let mut at = self.under_way.iter().position(|(id, _)| id == packet);
                if at.is_none()
                    && let Some(what) = self.leaving.take()
                {
                    at = Some(self.under_way.len());
                    self.under_way.push((*packet, what));
                }
                let Some(at) = at else { return };
                if let Event::Dropped { reason, .. } = event {
                    self.truth.insert(self.under_way[at].1, *reason);
                }
                if matches!(event, Event::Dropped { .. } | Event::Arrived { .. }) {
                    self.under_way.swap_remove(at);
                }
            }
            _ => {}
        }
    }
}

const TP_LDA: &str = "loss_response = \"tp-lda\"";

/// A link of 10 Mb/s and 40 ms with this queue and random loss, and counts of flows with these keys.
fn run(queue: &str, loss: f64, flows: &[(u32, &str)]) -> (Replication, Judgements) {
    let mut text = format!(
        "seed = 3\nduration = \"120 s\"\nwarmup = \"20 s\"\n\
         [[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n\
         queue = {{ {queue} }}\nloss = {{ model = \"bernoulli\", probability = {loss} }}\n"
    );
    for (count, keys) in flows {
        let flow = format!(
            "[[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = {count}\nstart_spread = \"1 s\"\n\
             tcp = {{ timestamps = true, {keys} }}\n"
        );
        text.push_str(&flow);
    }
    let (plan, probe) = (plan(&text), Judgements::default());
    run_one(&plan, 0, &no_traces, probe, &Stop::default()).unwrap().unwrap()
}

fn drop_tail(packets: u32) -> String {
    format!("kind = \"drop-tail\", packets = {packets}")
}

/// Results of a run that do not depend on judgements.
fn traffic(r: &Replication) -> (Vec<(u64, u64, u64)>, u64) {
    let flow =
        |f: &airtcp_sim::results::FlowResult| (f.delivered_bytes, f.segments_sent, f.timeouts);
    (r.flows.iter().map(flow).collect(), r.links[0].sent_packets)
}

/// With queue drops and corruption, nearly every queue drop is judged correctly, and few corrupted packets are
/// judged congestion. Those few met a long queue, so trip times cannot distinguish them.
#[test]
fn losses_are_judged_by_cause() {
    // Minimum share of correct judgements of either kind, by recovery. Without SACK only the first hole of
    // a window is judged, by the packets before it.
    let rack = "rack = true, tlp = true, rate_reduction = \"prr\"";
    for (keys, queue, loss, overflow, corruption) in [
        ("", 40, 0.003, 0.95, 0.6),
        ("congestion = \"cubic\"", 40, 0.003, 0.95, 0.6),
        (rack, 40, 0.003, 0.95, 0.6),
        ("ack_every = 1", 40, 0.003, 0.95, 0.6),
        ("timestamp_tick = \"10 ms\"", 40, 0.003, 0.9, 0.6),
        ("recovery = \"newreno\"", 40, 0.003, 0.7, 0.6),
    ] {
        let keys = format!("{keys}{}{TP_LDA}", if keys.is_empty() { "" } else { ", " });
        let (_, j) = run(&drop_tail(queue), loss, &[(4, &keys)]);
        println!("{keys}: {:?}, {:.3} and {:.3} right", j.matrix, j.share(0), j.share(1));
        let count = |row: usize| j.matrix[row].iter().sum::<u32>();
        assert!(count(0) > 50 && count(1) > 200, "{:?}", j.matrix);
        assert!(j.share(0) > overflow && j.share(1) > corruption, "{:?}", j.matrix);
        assert_eq!(j.unlabelled, 0, "nothing is judged that was not lost");
    }
}

/// If only the link loses packets, the window is rarely reduced.
#[test]
fn random_loss_costs_less() {
    for (law, loss, gain) in
        [("reno", 0.01, 3.0), ("reno", 0.02, 3.0), ("cubic", 0.01, 3.0), ("cubic", 0.02, 3.0)]
    {
        let keys = format!("congestion = \"{law}\"");
        let goodput = |keys: &str| run(&drop_tail(100), loss, &[(1, keys)]).0.flows[0].goodput_bps;
        let (plain, told) = (goodput(&keys), goodput(&format!("{keys}, {TP_LDA}")));
        println!("{law} at {loss}: {:.2} instead of {:.2} Mb/s", told / 1e6, plain / 1e6);
        assert!(told > gain * plain, "{law} at {loss}: {told} against {plain}");
    }
}

/// If only a full queue loses packets, every loss is judged congestion, and the traffic is packet by packet
/// that of the plain law.
#[test]
fn congestion_alone_changes_no_packet() {
    for (law, packets) in [("reno", 100), ("reno", 30), ("cubic", 100), ("cubic", 30)] {
        let keys = format!("congestion = \"{law}\"");
        let told = format!("{keys}, {TP_LDA}");
        let queue = drop_tail(packets);
        let (plain, _) = run(&queue, 0.0, &[(4, &keys)]);
        let (all, j) = run(&queue, 0.0, &[(4, &told)]);
        let (half, _) = run(&queue, 0.0, &[(2, &keys), (2, &told)]);
        println!("{law}, {packets}: {:?}, fairness {:?}", j.matrix, half.jain_index);
        assert!(j.matrix[0][0] > 50 && j.matrix[0][1] == 0, "{:?}", j.matrix);
        assert_eq!(traffic(&plain), traffic(&all));
        assert_eq!(traffic(&plain), traffic(&half));
    }
}

/// If trip times differ by less than two clock ticks, every loss counts as congestion.
#[test]
fn a_coarse_clock_judges_every_loss_congestion() {
    for (tick, least) in [("200 ms", 0.0), ("1 ms", 3.0)] {
        let keys = format!("timestamp_tick = \"{tick}\"");
        let plain = run(&drop_tail(100), 0.01, &[(1, &keys)]).0;
        let (told, j) = run(&drop_tail(100), 0.01, &[(1, &format!("{keys}, {TP_LDA}"))]);
        println!("{tick}: {:?}", j.matrix);
        if least > 0.0 {
            assert!(told.flows[0].goodput_bps > least * plain.flows[0].goodput_bps);
        } else {
            assert_eq!(j.matrix[1][1], 0);
            assert_eq!(traffic(&plain), traffic(&told));
        }
    }
}

/// RED's drops from a short queue look like corruption, so the flow gets more than its share, within a bound.
/// Marks are congestion whatever the trip times.
#[test]
fn early_drops_are_misjudged_but_marks_are_not() {
    let keys = "congestion = \"cubic\"";
    let shares = |more: &str| {
        let (plain, told) = (format!("{keys}{more}"), format!("{keys}{more}, {TP_LDA}"));
        let (r, j) = run("kind = \"red\", ecn = true", 0.0, &[(2, &plain), (2, &told)]);
        let of = |k: std::ops::Range<usize>| r.flows[k].iter().map(|f| f.goodput_bps).sum::<f64>();
        println!("{more}: {:?}, {:.2} times as much", j.matrix, of(2..4) / of(0..2));
        (of(2..4) / of(0..2), j.matrix)
    };
    let (dropped, matrix) = shares("");
    assert!(matrix[0][1] > matrix[0][0] && (1.2..3.0).contains(&dropped), "{dropped}");
    let (marked, _) = shares(", ecn = true");
    assert!((0.8..1.25).contains(&marked), "{marked}");
}
