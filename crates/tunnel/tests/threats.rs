//! What strangers and hostile peers can do: nothing, or little, within bounds.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use airtcp_packet::Ecn;
use airtcp_random::Seed;
use airtcp_tunnel::{ChannelEvent, Ended, HubEvent, MAX_CHANNELS};
use airtcp_units::{LowBits as _, Nanos, Narrow as _, Span};
use proptest::prelude::*;
use support::{CLIENT, Pair, Path, SERVER, pattern, target};

/// Packets of each kind that a stranger sends; `AIRTCP_THREATS` asks for more.
fn many() -> u64 {
    std::env::var("AIRTCP_THREATS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

/// A transfer, with `stranger` called about a thousand times a second; returns the bytes that arrived, all of them checked.
fn transfer(seconds: f64, mut stranger: impl FnMut(&mut Pair)) -> u64 {
    let mut pair = Pair::new(Path::of(10.0, 40, 0.01, 4));
    pair.connect();
    pair.sent = Some(Vec::new());
    let channel = pair.mux(CLIENT).open(target(80)).unwrap();
    let (mut written, mut received, mut next) = (0_u64, 0_u64, Nanos::ZERO);
    let until = pair.now + Span::from_secs_f64(seconds);
    pair.run(until, |pair| {
        while let Some((_, _, id, event)) = pair.channels.pop_front() {
            match event {
                ChannelEvent::Incoming(_) => pair.mux(SERVER).accept(id),
                ChannelEvent::Reset(code) => panic!("{code}"),
                ChannelEvent::Opened => {}
            }
        }
        written += pair.mux(CLIENT).write(channel, &pattern(written, 4096)) as u64;
        let read = pair.read(SERVER, channel);
        assert_eq!(read, pattern(received, read.len()));
        received += read.len() as u64;
        if pair.now >= next {
            next = pair.now + Span::from_millis(1);
            stranger(pair);
        }
        false
    });
    assert!(!pair.events.iter().any(|e| matches!(e.3, HubEvent::Ended(_))), "{:?}", pair.events);
    received
}

/// Datagrams that passed the path, to use again. Those on their way are not among them: who can bring a copy there before
/// the packet itself has a faster path, and only moves when it arrives.
fn recorded(pair: &mut Pair) -> Vec<(usize, Vec<u8>)> {
    let sent = pair.sent.as_mut().unwrap();
    let keep = sent.len().saturating_sub(512);
    sent.drain(..keep);
    let past = sent.len().saturating_sub(256);
    sent.iter().take(past).map(|(end, packet)| (*end, packet.bytes.clone())).collect()
}

/// Forged, truncated, changed, replayed and reflected datagrams neither arrive nor slow the transfer down.
#[test]
fn strangers_change_nothing() {
    let seconds = 10.0;
    let quiet = transfer(seconds, |_| {});
    let mut draws = Seed::new(1).stream("stranger");
    let a_call = many() / 10_000;
    let disturbed = transfer(seconds, |pair| {
        let addresses = pair.addresses;
        for _ in 0..a_call.max(1) {
            let seen = recorded(pair);
            let Some((from, bytes)) =
                seen.get(usize::narrow(draws.below(seen.len() as u64))).cloned()
            else {
                return;
            };
            let to = 1 - from;
            let mut changed = bytes.clone();
            let at = usize::narrow(draws.below(changed.len() as u64));
            changed[at] ^= 1 << draws.below(8);
            let cut = usize::narrow(draws.below(bytes.len() as u64));
            let random: Vec<u8> =
                (0..draws.below(1300)).map(|_| u8::narrow(draws.below(256))).collect();
            pair.inject(to, addresses[from], &bytes);
            pair.inject(to, addresses[from], &changed);
            pair.inject(to, addresses[from], &bytes[..cut]);
            pair.inject(to, addresses[from], &random);
            pair.inject(from, addresses[to], &bytes);
            // From another address: nothing goes there but a challenge.
            pair.inject(to, "198.51.100.7:9".parse().unwrap(), &changed);
        }
    });
    let ratio = disturbed as f64 / quiet as f64;
    assert!(ratio > 0.95, "{ratio}");
}

/// A server sends at most three bytes for each that an unproved address has sent it; many handshakes at once are asked to
/// prove the address first, and then the answer is shorter than the question.
#[test]
fn a_server_does_not_amplify() {
    let mut pair = Pair::new(Path::of(10.0, 40, 0.0, 5));
    pair.sent = Some(Vec::new());
    // The first flight of a client, seen once, sent from addresses that are not its own.
    let first = pair.hubs[CLIENT].transmit(Nanos::ZERO).unwrap().bytes;
    let (mut into, mut most) = (0_u64, 0.0_f64);
    let mut now = Nanos::ZERO;
    for number in 0..400_u64 {
        now += Span::from_millis(1);
        let mut bytes = first.clone();
        // Another connection identifier, so that it is another connection: its packet then cannot be read, as its keys
        // follow from that. The untouched first one can.
        if number > 0 {
            bytes[6] ^= u8::narrow(number % 255 + 1);
        }
        let from = format!("198.51.100.{}:{}", number % 250 + 1, 1000 + number).parse().unwrap();
        pair.hubs[SERVER].receive(now, from, None, Ecn::NotEct, &bytes);
        into += bytes.len() as u64;
        let mut out = 0;
        while let Some(packet) = pair.hubs[SERVER].transmit(now) {
            out += packet.bytes.len() as u64;
        }
        most = most.max(out as f64 / bytes.len() as f64);
    }
    assert!(most > 0.0 && most <= 3.0, "{most} of {into}");
    // Repetitions of the handshake, which is never answered, stay within the limit, too.
    let (mut out, until) = (0, now + Span::from_secs(60));
    while let Some(at) = pair.hubs[SERVER].next_timer().filter(|at| *at < until) {
        pair.hubs[SERVER].on_timer(at);
        while let Some(packet) = pair.hubs[SERVER].transmit(at) {
            out += packet.bytes.len() as u64;
        }
    }
    assert!(out <= 3 * first.len() as u64, "{out}");
}

/// Real handshakes from many addresses: beyond a few, a server asks each to prove its address, with a datagram that is
/// shorter than what it got, and holds nothing for it.
#[test]
fn a_flood_of_handshakes_is_held_off() {
    let server = support::key(2);
    let mut flood = Pair::new(Path::of(10.0, 40, 0.0, 6));
    let mut now = Nanos::ZERO;
    let (mut retries, mut answers) = (0, 0);
    for number in 0..300_u64 {
        let peers = airtcp_tunnel::Peers::Server(flood.addresses[SERVER], server.public());
        let seed = Some([u8::low_bits(number); 32]);
        let mut client = airtcp_tunnel::Hub::begin(&support::key(1), &peers, now, seed).unwrap();
        let first = client.transmit(now).unwrap().bytes;
        let from = format!("198.51.{}.{}:1000", number / 250, number % 250 + 1).parse().unwrap();
        flood.hubs[SERVER].receive(now, from, None, Ecn::NotEct, &first);
        let mut out = 0;
        while let Some(packet) = flood.hubs[SERVER].transmit(now) {
            out += packet.bytes.len();
        }
        if out > 0 && out < first.len() {
            retries += 1;
        } else if out > 0 {
            answers += 1;
        }
        now += Span::from_millis(1);
    }
    assert!(answers <= 17 && retries >= 250, "{answers} answers, {retries} retries");
}

/// Handshakes that nobody ends give their places back, and those of one address take few.
#[test]
fn handshakes_without_an_end_take_no_places() {
    let server = support::key(2);
    let mut flood = Pair::new(Path::of(10.0, 40, 0.0, 7));
    let peers = airtcp_tunnel::Peers::Server(flood.addresses[SERVER], server.public());
    let mut begin = |number: u64, now: Nanos| {
        let seed = Some([u8::low_bits(number); 32]);
        let mut client = airtcp_tunnel::Hub::begin(&support::key(1), &peers, now, seed).unwrap();
        let first = client.transmit(now).unwrap().bytes;
        let from = format!("198.51.100.7:{}", 1000 + number).parse().unwrap();
        flood.hubs[SERVER].receive(now, from, None, Ecn::NotEct, &first);
        let mut out = 0;
        while let Some(packet) = flood.hubs[SERVER].transmit(now) {
            out += usize::from(packet.bytes.len() >= first.len());
        }
        let _ = flood.hubs[SERVER].poll();
        out > 0
    };
    let first = Nanos::from_secs_f64(0.001);
    assert_eq!((0..40).filter(|number| begin(*number, first)).count(), 16);
    let late = first + Span::from_secs(11);
    flood.hubs[SERVER].on_timer(late);
    let mut ended = 0;
    while let Some((_, event)) = flood.hubs[SERVER].poll() {
        ended += usize::from(event == HubEvent::Ended(Ended::Silent));
    }
    assert!(ended >= 15, "{ended}");
}

/// The time for a handshake is enough on bad paths: with 30 % of the packets lost always, with half of them mostly. Who fails
/// tries again.
#[test]
fn handshakes_on_bad_paths_have_time() {
    for (loss, rtt_ms, least) in [(0.3, 80, 200), (0.5, 200, 160)] {
        let opens = |seed: &u64| {
            let mut pair = Pair::new(Path::of(10.0, rtt_ms, loss, *seed));
            pair.run(Nanos::from_secs_f64(40.0), |pair| pair.events.iter().any(|e| e.1 == CLIENT));
            let first = pair.events.iter().find(|event| event.1 == CLIENT);
            first.is_some_and(|event| matches!(event.3, HubEvent::Open(..)))
        };
        let opened = (0..200).filter(opens).count();
        assert!(opened >= least, "{opened} of 200 at {loss}");
    }
}

/// A key holds so many sessions; one more is told why it has none, and tries again later.
#[test]
fn the_sessions_of_a_key_are_bounded() {
    let mut pair = Pair::new(Path::of(100.0, 10, 0.0, 8));
    pair.connect();
    let mut told = Vec::new();
    for number in 0..9_u8 {
        pair.hubs[CLIENT] = pair.another_client(100 + number);
        let until = pair.now + Span::from_secs(2);
        pair.addresses[CLIENT] = format!("192.0.2.1:{}", 2000 + u16::from(number)).parse().unwrap();
        pair.events.clear();
        pair.run(until, |pair| pair.events.iter().any(|event| event.1 == CLIENT));
        let event = pair.events.iter().find(|event| event.1 == CLIENT).unwrap().3.clone();
        told.push(event);
    }
    let open = |event: &HubEvent| matches!(event, HubEvent::Open(..));
    assert!(told[..7].iter().all(open), "{told:?}");
    assert_eq!(told[7..], [HubEvent::Ended(Ended::Full), HubEvent::Ended(Ended::Full)]);
    assert!(Ended::Full.may_recover());
}

/// A peer that proves its key and then opens more channels than there may be gets a refusal for each, and the session lives.
#[test]
fn channels_are_bounded() {
    let mut pair = Pair::new(Path::of(100.0, 10, 0.0, 1));
    pair.connect();
    let mut opened = 0;
    while pair.mux(CLIENT).open(target(1)).is_some() {
        opened += 1;
    }
    assert_eq!(opened, MAX_CHANNELS);
    let until = pair.now + Span::from_secs(2);
    let mut incoming = 0;
    pair.run(until, |pair| {
        while let Some((_, end, _, event)) = pair.channels.pop_front() {
            incoming += usize::from(end == SERVER && matches!(event, ChannelEvent::Incoming(_)));
        }
        false
    });
    assert_eq!(incoming, MAX_CHANNELS);
    assert!(pair.session(SERVER).is_open());
}

/// What ends a session for the one end is told to the other with its reason.
#[test]
fn an_end_has_a_reason() {
    let ended = Ended::Refused(support::key(1).public());
    assert!(!ended.may_recover() && Ended::Silent.may_recover());
    assert!(ended.to_string().contains("--peer"));
}

proptest! {
    /// A peer that has proved its key may send anything.
    #[test]
    fn memory_is_bounded(
        first: u8,
        records in proptest::collection::vec(
            (0_u8..40, 1_u8..7, proptest::collection::vec(any::<u8>(), 0..9)), 0..200),
    ) {
        let all = records.iter().flat_map(|(channel, kind, rest)| {
            [&[*channel, *kind][..], rest].concat()
        });
        let bytes: Vec<u8> = std::iter::once(first).chain(all).collect();
        airtcp_tunnel::fuzz(&bytes);
    }
}
