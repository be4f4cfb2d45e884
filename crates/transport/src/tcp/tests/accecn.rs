//! Accurate ECN feedback between two ends, RFC 9768.

use airtcp_packet::{Ecn, Flags};

use super::pair::{Fate, Pair, ms};
use super::receiving::{CLIENT, SERVER, config, connected, write};
use crate::tcp::{Ect, TcpConfig};

fn accurate() -> TcpConfig {
    TcpConfig { ecn: true, accecn: true, ect: Ect::Ect1, ..config() }
}

/// Marks every `each`-th packet of the client that may be marked.
fn marking(pair: &mut Pair, each: u64) {
    let mut n = 0_u64;
    pair.script = Box::new(move |side, _, s| {
        if side == CLIENT && s.ecn.is_capable() {
            n += 1;
            return if n.is_multiple_of(each) { Fate::Mark } else { Fate::Deliver };
        }
        Fate::Deliver
    });
}

fn capable(pair: &Pair) -> Vec<Ecn> {
    pair.sent.iter().filter(|s| s.from == CLIENT).map(|s| s.segment.ecn).collect()
}

/// RFC 9768 table 2, by the flags on the wire: what either end offers, and what data carry.
#[test]
fn every_pair_of_ends_agrees_on_what_both_have() {
    let classic = TcpConfig { ecn: true, ..config() };
    let none = config();
    let all = accurate();
    for (client, server, syn, syn_ack, data) in [
        (&all, &all, 0b111, 0b010, Ecn::Ect1),
        (&all, &classic, 0b111, 0b001, Ecn::Ect0),
        (&all, &none, 0b111, 0b000, Ecn::NotEct),
        (&classic, &all, 0b011, 0b001, Ecn::Ect0),
        (&none, &all, 0b000, 0b000, Ecn::NotEct),
    ] {
        let mut pair = Pair::with(client, server, ms(10));
        pair.start(20_000);
        pair.run(airtcp_units::Nanos::ZERO + ms(500));
        let first = |side| pair.sent.iter().find(|s| s.from == side).unwrap().segment;
        assert_eq!((first(CLIENT).ace(), first(SERVER).ace()), (syn, syn_ack));
        assert!(capable(&pair).contains(&data));
        assert!(capable(&pair).iter().all(|field| *field == data || *field == Ecn::NotEct));
        if syn_ack == 0b010 {
            // The pure ACK of the SYN/ACK tells its field, and all that follows counts from 5.
            let mut acks = pair.sent.iter().filter(|s| s.segment.flags.has(Flags::ACK));
            let of_client: Vec<u8> =
                acks.clone().filter(|s| s.from == CLIENT).map(|s| s.segment.ace()).collect();
            assert_eq!((of_client[0], of_client[1]), (0b010, 5));
            assert!(
                acks.all(|s| s.segment.flags.has(Flags::SYN) || [2, 5].contains(&s.segment.ace()))
            );
        }
    }
}

/// All marks arrive at the sender, with delayed and lost ACKs; the reaction of Reno is still one a
/// window, and nobody sends CWR as an answer.
#[test]
fn the_sender_learns_of_every_mark() {
    for (each, lost) in [(3, 0), (7, 0), (5, 3)] {
        let mut pair = connected(&accurate());
        let (mut n, mut acks) = (0_u64, 0_u64);
        pair.script = Box::new(move |side, _, s| {
            if side == CLIENT && s.ecn.is_capable() {
                n += 1;
                return if n.is_multiple_of(each) { Fate::Mark } else { Fate::Deliver };
            }
            acks += u64::from(side == SERVER);
            let drop = side == SERVER && lost > 0 && acks.is_multiple_of(lost);
            if drop { Fate::Drop } else { Fate::Deliver }
        });
        let start = pair.now;
        write(&mut pair, 400_000);
        pair.run(start + ms(600_000));
        let marks = pair.server.stats().ecn_marks;
        assert!(marks >= 400 / each - 1, "{marks} marks");
        assert_eq!(pair.client.marks_told(), Some(marks), "each {each}, lost {lost}");
        assert_eq!(pair.client.unacked(), 0);
        let reactions = pair.client.stats().ecn_reactions;
        assert!(reactions > 0 && reactions < marks, "{reactions} of {marks}");
    }
}

/// A mark after data without one is told at once, not with the delayed ACK.
#[test]
fn a_first_mark_is_told_at_once() {
    let mut pair = connected(&TcpConfig { ack_every: 1000, ack_delay: ms(200), ..accurate() });
    marking(&mut pair, 3);
    let start = pair.now;
    write(&mut pair, 3000);
    pair.run(start + ms(500));
    let acks: Vec<(u64, u8)> = pair
        .sent
        .iter()
        .filter(|s| s.from == SERVER && s.at > start)
        .map(|s| (s.at.since(start).0 / 1_000_000, s.segment.ace()))
        .collect();
    assert_eq!(acks, [(10, 6)], "with the third segment");
}
