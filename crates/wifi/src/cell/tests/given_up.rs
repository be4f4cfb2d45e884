//! Records of packets that stations gave up: what the MAC knows, whether or not the packet arrived.

use airtcp_packet::{Flags, Seq};

use super::*;

/// Sends packets 0 to 4 of flow 1 from station 1, the last one without payload. `deaf` cannot hear the
/// other station. Returns the numbers given up and how many packets arrived.
fn given_up(deaf: u32, senders: &[usize]) -> (Vec<u32>, u64) {
    let mut plan = plan(2, Standard::A, MacConfig::default(), TimingConfig::default());
    if deaf < 2 {
        plan.power_mw[1 - deaf as usize][deaf as usize] = 0.0;
    }
    let mut bench = Bench::new(plan, 1);
    bench.cell.record_given_up((0..4).map(|i| senders.contains(&i)).collect());
    let to = EndpointId::new(1, Side::Server);
    let mut seen = Vec::new();
    for number in 0..5 {
        let mut segment = Segment::tcp(Flags::ACK, Seq(number));
        segment.len = if number == 4 { 0 } else { 500 };
        let packet = bench.pool.insert(Packet { to, segment });
        let offered = Offered { packet, to: NodeId(0), category: 0, entered: bench.now };
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut bench.pool, EventSource::Link(0));
        let at = bench.now;
        bench.cell.offer(at, NodeId(1), offered, &mut cx);
        bench.run(at + Span::from_millis(100));
        while let Some(record) = bench.cell.take_given_up() {
            assert_eq!((record.station, record.from), (NodeId(1), to.peer()));
            assert_eq!(record.started, at);
            seen.push(record.segment.seq.0);
        }
    }
    (seen, bench.delivered[0])
}

/// A station whose receiver gets nothing and one that gets no MAC ACK know the same.
#[test]
fn a_station_cannot_tell_a_lost_frame_from_a_lost_ack() {
    assert_eq!(given_up(0, &[2]), (vec![0, 1, 2, 3], 0));
    assert_eq!(given_up(1, &[2]), (vec![0, 1, 2, 3], 5));
}

#[test]
fn neither_acknowledged_packets_nor_those_of_others_are_recorded() {
    assert_eq!(given_up(2, &[2]), (vec![], 5));
    assert_eq!(given_up(0, &[0, 1, 3]), (vec![], 0));
}
