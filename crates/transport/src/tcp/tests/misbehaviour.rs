//! Receivers that divide their acknowledgements, or acknowledge data that have not arrived.

use super::pair::{Fate, ms};
use super::receiving::{CLIENT, acks, config, connected, write};
use crate::tcp::{Misbehaviour, TcpConfig};

fn misbehaving(ack_division: u32, optimistic_acks: u32) -> TcpConfig {
    TcpConfig { misbehaviour: Misbehaviour { ack_division, optimistic_acks }, ..config() }
}

/// Each ACK becomes as many as asked, of equal parts, the last one up to the whole.
#[test]
fn an_acknowledgement_is_divided() {
    let mut pair = connected(&misbehaving(4, 0));
    let start = pair.now;
    write(&mut pair, 3000);
    pair.run(start + ms(1000));
    let first = [500, 1000, 1500, 2000].map(|bytes| (10, bytes));
    let second = [2250, 2500, 2750, 3000].map(|bytes| (210, bytes));
    assert_eq!(acks(&pair, start), [first, second].concat());
    assert_eq!(pair.client.unacked(), 0);
    assert_eq!(pair.client.stats().dup_acks, 0);
}

/// A segment cannot be divided into more parts than it has bytes.
#[test]
fn few_bytes_have_few_parts() {
    let mut pair = connected(&misbehaving(1000, 0));
    let start = pair.now;
    write(&mut pair, 3);
    pair.run(start + ms(1000));
    assert_eq!(acks(&pair, start), [(200 + 10, 1), (210, 2), (210, 3)]);
}

/// The sender learns of no loss, and the receiver lacks the lost data. The claim beyond the end of the data is
/// refused, and the retransmission after the timeout is answered honestly.
#[test]
fn an_optimistic_receiver_hides_a_loss() {
    let mut pair = connected(&misbehaving(1, 1));
    let mut n = 0;
    pair.script = Box::new(move |side, _, s| {
        n += usize::from(side == CLIENT && s.len > 0);
        if side == CLIENT && s.len > 0 && n == 3 { Fate::Drop } else { Fate::Deliver }
    });
    let start = pair.now;
    write(&mut pair, 6000);
    pair.run(start + ms(10));
    assert_eq!(acks(&pair, start), [(10, 3000), (10, 6000)]);
    pair.run(start + ms(5000));
    assert_eq!((pair.client.unacked(), pair.server.delivered()), (0, 5000));
    let stats = pair.client.stats();
    assert_eq!((stats.fast_retransmits, stats.dup_acks), (0, 0));
}

#[test]
fn impossible_values_are_refused() {
    for (division, key) in [(0, "ack_division"), (1001, "ack_division")] {
        let error = misbehaving(division, 0).validate().unwrap_err();
        assert_eq!(error.key, format!("misbehaviour.{key}"));
    }
    assert!(misbehaving(1, 1001).validate().is_err());
    assert!(misbehaving(1000, 1000).validate().is_ok());
}
