//! Channels between two ends, in virtual time.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use airtcp_tunnel::{ChannelEvent, Code, Ended, HubEvent};
use airtcp_units::{Nanos, Span};
use support::{CLIENT, Pair, Path, SERVER, key, pattern, target};

/// A client sends `bytes` through a channel and gets them back.
fn echo(path: Path, bytes: usize) -> (Pair, Vec<u8>) {
    let mut pair = Pair::new(path);
    pair.connect();
    let channel = pair.mux(CLIENT).open(target(80)).unwrap();
    let data = pattern(0, bytes);
    let (mut written, mut returned) = (0, Vec::new());
    let mut waiting: Vec<u8> = Vec::new();
    let mut is_told = [false; 2];
    pair.run(Nanos::from_secs_f64(300.0), |pair| {
        while let Some((_, end, id, event)) = pair.channels.pop_front() {
            assert_eq!(id, channel);
            match event {
                ChannelEvent::Incoming(wanted) => {
                    assert_eq!((end, wanted), (SERVER, target(80)));
                    pair.mux(SERVER).accept(id);
                }
                ChannelEvent::Opened => assert_eq!(end, CLIENT),
                ChannelEvent::Reset(code) => panic!("{code}"),
            }
        }
        written += pair.mux(CLIENT).write(channel, &data[written..]);
        if written == data.len() && !std::mem::replace(&mut is_told[0], true) {
            pair.mux(CLIENT).finish(channel);
        }
        waiting.extend(pair.read(SERVER, channel));
        let taken = pair.mux(SERVER).write(channel, &waiting);
        waiting.drain(..taken);
        if waiting.is_empty()
            && pair.mux(SERVER).is_read(channel)
            && !std::mem::replace(&mut is_told[1], true)
        {
            pair.mux(SERVER).finish(channel);
        }
        returned.extend(pair.read(CLIENT, channel));
        is_told[1] && !pair.mux(CLIENT).is_alive(channel)
    });
    (pair, returned)
}

#[test]
fn what_is_sent_comes_back() {
    for (loss, bytes) in [(0.0, 1_000_000), (0.1, 300_000), (0.5, 100_000), (0.1, 0)] {
        let (mut pair, returned) = echo(Path::of(10.0, 40, loss, 1), bytes);
        assert_eq!(returned.len(), bytes, "at {loss}");
        assert_eq!(returned, pattern(0, bytes), "at {loss}");
        let channels = [CLIENT, SERVER].map(|end| pair.mux(end).channels().count());
        assert_eq!(channels, [0, 0], "both directions have ended");
    }
}

#[test]
fn the_same_seed_gives_the_same_times() {
    let run = || {
        let (pair, _) = echo(Path::of(10.0, 40, 0.2, 5), 200_000);
        (pair.now, pair.wire_bytes(CLIENT), pair.wire_bytes(SERVER))
    };
    assert_eq!(run(), run());
}

#[test]
fn each_end_knows_the_key_of_the_other() {
    let mut pair = Pair::new(Path::of(10.0, 40, 0.0, 1));
    pair.connect();
    assert_eq!(pair.session(CLIENT).peer(), Some(key(2).public()));
    assert_eq!(pair.session(SERVER).peer(), Some(key(1).public()));
    let open = pair.events.iter().filter(|e| matches!(e.3, HubEvent::Open(..))).count();
    assert_eq!(open, 2);
}

/// A wrong key is named on both sides, and no session opens.
#[test]
fn wrong_keys_are_named() {
    let path = Path::of(10.0, 40, 0.0, 1);
    let ends = |pair: &Pair| -> Vec<(usize, Ended)> {
        let ended = |(_, end, _, event): &(_, usize, _, HubEvent)| match event {
            HubEvent::Ended(why) => Some((*end, why.clone())),
            HubEvent::Open(..) => None,
        };
        pair.events.iter().filter_map(ended).collect()
    };
    let until = Nanos::from_secs_f64(5.0);
    // The server has another key than the client was told.
    let mut pair = Pair::with(path, &key(1), &key(2), key(9).public(), vec![key(1).public()]);
    pair.run(until, |_| false);
    assert!(ends(&pair).contains(&(CLIENT, Ended::WrongKey(key(2).public()))), "{:?}", pair.events);
    assert!(!pair.events.iter().any(|e| matches!(e.3, HubEvent::Open(..))));
    // The server does not know the client.
    let mut pair = Pair::with(path, &key(1), &key(2), key(2).public(), vec![key(9).public()]);
    pair.run(until, |_| false);
    let found = ends(&pair);
    assert!(found.contains(&(CLIENT, Ended::Refused(key(1).public()))), "{found:?}");
    assert!(found.contains(&(SERVER, Ended::WrongKey(key(1).public()))), "{found:?}");
    assert!(!pair.events.iter().any(|e| matches!(e.3, HubEvent::Open(..))));
}

#[test]
fn a_refused_target_is_told() {
    let mut pair = Pair::new(Path::of(10.0, 40, 0.1, 2));
    pair.connect();
    let channel = pair.mux(CLIENT).open(target(81)).unwrap();
    let mut why = None;
    pair.run(Nanos::from_secs_f64(10.0), |pair| {
        while let Some((_, _, id, event)) = pair.channels.pop_front() {
            match event {
                ChannelEvent::Incoming(_) => pair.mux(SERVER).reset(id, Code::Refused),
                ChannelEvent::Reset(code) => why = Some((id, code)),
                other @ ChannelEvent::Opened => panic!("{other:?}"),
            }
        }
        why.is_some()
    });
    assert_eq!(why, Some((channel, Code::Refused)));
    assert!(!pair.mux(CLIENT).is_alive(channel));
}

/// A reader that does not read stops its channel alone, at its window; when it reads, all arrives.
#[test]
fn a_slow_reader_stops_its_channel_alone() {
    let mut pair = Pair::new(Path::of(100.0, 20, 0.01, 3));
    pair.connect();
    let [slow, fast] = [1, 2].map(|port| pair.mux(CLIENT).open(target(port)).unwrap());
    let data = pattern(0, 1 << 16);
    let (mut written, mut read) = ([0_usize; 2], 0_usize);
    let mut step = |pair: &mut Pair, reads: bool| {
        while let Some((_, _, id, event)) = pair.channels.pop_front() {
            if matches!(event, ChannelEvent::Incoming(_)) {
                pair.mux(SERVER).accept(id);
            }
        }
        for (i, id) in [slow, fast].into_iter().enumerate() {
            let from = written[i] % data.len();
            written[i] += pair.mux(CLIENT).write(id, &data[from..]);
        }
        read += pair.read(SERVER, fast).len();
        if reads {
            pair.read(SERVER, slow);
        }
        (written, read)
    };
    let until = pair.now + Span::from_secs(5);
    let mut seen = ([0; 2], 0);
    pair.run(until, |pair| {
        seen = step(pair, false);
        false
    });
    assert!(seen.1 > 30_000_000, "the fast channel has {} bytes", seen.1);
    // A third of the memory for readers, and what may be written ahead.
    assert!(seen.0[0] <= (16 << 20) / 3 + (256 << 10), "the slow one has {}", seen.0[0]);
    let stopped = seen.0[0];
    let until = pair.now + Span::from_secs(2);
    pair.run(until, |pair| {
        seen = step(pair, true);
        false
    });
    assert!(seen.0[0] > stopped + 5_000_000, "{} after {stopped}", seen.0[0]);
}

#[test]
fn a_closed_session_ends_at_both_ends() {
    let mut pair = Pair::new(Path::of(10.0, 40, 0.0, 1));
    let [id, _] = pair.connect();
    let now = pair.now;
    pair.hubs[CLIENT].session(id).unwrap().close(now);
    pair.run(now + Span::from_secs(20), |_| false);
    let ended: Vec<usize> =
        pair.events.iter().filter(|e| e.3 == HubEvent::Ended(Ended::Closed)).map(|e| e.1).collect();
    assert_eq!(ended.len(), 2, "{:?}", pair.events);
    assert!(pair.hubs.iter().all(airtcp_tunnel::Hub::is_empty));
}

#[test]
fn silence_ends_a_session() {
    let mut pair = Pair::new(Path::of(10.0, 40, 0.0, 1));
    pair.connect();
    pair.set_loss(1.0);
    let until = pair.now + Span::from_secs(60);
    pair.run(until, |_| false);
    let ended = pair.events.iter().filter(|e| e.3 == HubEvent::Ended(Ended::Silent)).count();
    assert_eq!(ended, 2, "{:?}", pair.events);
    // A blackout that is shorter does not.
    let mut pair = Pair::new(Path::of(10.0, 40, 0.0, 1));
    pair.connect();
    pair.set_loss(1.0);
    let until = pair.now + Span::from_secs(20);
    pair.run(until, |_| false);
    pair.set_loss(0.0);
    let until = pair.now + Span::from_secs(60);
    pair.run(until, |_| false);
    assert!(pair.session(CLIENT).is_open());
}

/// The client's address changes during a transfer, as when a host moves to another network: the session goes on.
#[test]
fn a_session_survives_a_change_of_address() {
    let mut pair = Pair::new(Path::of(10.0, 40, 0.05, 8));
    pair.connect();
    let channel = pair.mux(CLIENT).open(target(80)).unwrap();
    let (mut written, mut received) = (0_u64, 0_u64);
    let mut step = |pair: &mut Pair| {
        while let Some((_, _, id, event)) = pair.channels.pop_front() {
            if matches!(event, ChannelEvent::Incoming(_)) {
                pair.mux(SERVER).accept(id);
            }
        }
        written += pair.mux(CLIENT).write(channel, &pattern(written, 4096)) as u64;
        let read = pair.read(SERVER, channel);
        assert_eq!(read, pattern(received, read.len()));
        received += read.len() as u64;
        received
    };
    let mut before = 0;
    pair.run(Nanos::from_secs_f64(5.0), |pair| {
        before = step(pair);
        false
    });
    pair.addresses[CLIENT] = "203.0.113.5:77".parse().unwrap();
    let mut after = 0;
    pair.run(Nanos::from_secs_f64(10.0), |pair| {
        after = step(pair);
        false
    });
    assert_eq!(pair.session(SERVER).remote(), pair.addresses[CLIENT]);
    let rate = (after - before) as f64 / 5.0;
    assert!(rate > 0.8 * 10e6 / 8.0 * 0.95, "{rate} bytes/s after the change");
    assert!(!pair.events.iter().any(|e| matches!(e.3, HubEvent::Ended(_))), "{:?}", pair.events);
}
