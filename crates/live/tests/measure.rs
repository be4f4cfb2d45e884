//! `airtcp measure` without sockets: over a path in virtual time, and against strangers.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::net::SocketAddr;

use airtcp_live::measure::{
    Client, Cut, GREETING, Key, LoadSample, Plan, RATE_ALLOWED, SECRET, SESSIONS, Server, TAG,
};
use airtcp_units::{LowBits as _, Narrow as _};

mod path;

use path::{MS, Numbers, Path, SECOND, host, measured};

fn secret() -> Key {
    Key::new(&[7; SECRET])
}

fn server() -> Server {
    Server::new(secret(), &[8; SECRET], RATE_ALLOWED)
}

fn plan() -> Plan {
    Plan { load_ms: 0, ..Plan::of(6.0, 1_000) }
}

fn new_client(plan: Plan) -> Client {
    Client::new(secret(), [1; 16], plan, false, 0, 0)
}

#[test]
fn a_clean_path_is_measured_exactly() {
    let (mut server, mut client) = (server(), new_client(plan()));
    let mut path = Path::new(10_000_000, 20 * MS, |_, _| false);
    let took = path.measure(&mut server, &mut client, None);
    let found = measured(&client);
    assert!(found["cut"].is_null());
    assert!((2 * SECOND..7 * SECOND).contains(&took), "{took}");
    // Two times 20 ms, and 100 bytes at 10 Mb/s twice.
    let rtt = found["idle"]["rtt"]["median_s"].as_f64().unwrap();
    assert!((rtt - 0.040_16).abs() < 1e-6, "{rtt}");
    for way in ["up", "down"] {
        let train = &found[way]["train"];
        assert_eq!((&train["sent"], &train["arrived"]), (&2_000.into(), &2_000.into()), "{way}");
        assert_eq!(train["outcomes"].as_str().unwrap(), "1".repeat(2_000));
        let bps = found[way]["capacity"]["bps"].as_f64().unwrap();
        assert!((bps / 1e7 - 1.0).abs() < 0.005, "{way}: {bps}");
    }
    assert_eq!(server.sessions(), 0);
}

#[test]
fn lost_control_packets_cost_a_repeat_and_losses_are_exact() {
    let (mut server, mut client) = (server(), new_client(plan()));
    let mut numbers = Numbers(11);
    let mut lost = 0;
    // A third of all packets, one way or the other.
    let lose = |_: bool, _: u64| {
        let gone = numbers.below(3) == 0;
        lost += u32::from(gone);
        gone
    };
    let mut path = Path::new(100_000_000, 5 * MS, lose);
    path.measure(&mut server, &mut client, None);
    let found = measured(&client);
    assert!(found["cut"].is_null());
    for way in ["up", "down"] {
        let train = &found[way]["train"];
        assert_eq!(train["sent"], 2_000, "{way}");
        let arrived = train["arrived"].as_f64().unwrap() / 2_000.0;
        assert!((arrived - 2.0 / 3.0).abs() < 0.05, "{way}: {arrived}");
    }
    assert!(lost > 1_000);
}

#[test]
fn what_was_measured_is_kept_when_the_user_ends_it() {
    let (mut server, mut client) = (server(), new_client(plan()));
    let mut path = Path::new(10_000_000, 20 * MS, |_, _| false);
    let took = path.measure(&mut server, &mut client, Some(1_500 * MS));
    assert_eq!(client.cut(), Some(&Cut::Interrupted));
    assert!(took < 3 * SECOND, "{took}");
    let found = measured(&client);
    for way in ["up", "down"] {
        let train = &found[way]["train"];
        let sent = train["sent"].as_u64().unwrap();
        assert!((500..1_500).contains(&sent), "{way}: {sent}");
        assert_eq!(train["arrived"], sent, "{way}");
    }
}

#[test]
fn a_server_that_falls_silent_ends_the_measurement() {
    let (mut server, mut client) = (server(), new_client(plan()));
    let mut path = Path::new(10_000_000, 20 * MS, |up, count| !up && count > 1_000);
    path.measure(&mut server, &mut client, None);
    assert_eq!(client.cut(), Some(&Cut::Silent));
    assert!(measured(&client)["down"]["train"]["arrived"].as_u64().unwrap() > 100);
}

#[test]
fn another_secret_gets_silence() {
    let mut server = server();
    let mut client = Client::new(Key::new(&[9; SECRET]), [1; 16], plan(), false, 0, 0);
    let mut path = Path::new(10_000_000, 20 * MS, |_, _| false);
    path.measure(&mut server, &mut client, None);
    assert_eq!(client.cut(), Some(&Cut::NoAnswer));
    assert!(!client.has_met());
}

#[test]
fn refusals_have_their_text() {
    let mut path = Path::new(10_000_000, 20 * MS, |_, _| false);
    let (mut server, mut client) = (server(), new_client(Plan::of(6.0, 5_000)));
    path.measure(&mut server, &mut client, None);
    let Some(Cut::Refused(text)) = client.cut() else { panic!("{:?}", client.cut()) };
    assert!(text.contains("--rate 5000/s"), "{text}");
    assert_eq!(server.sessions(), 0);
}

/// Datagrams of a client until its measurement has begun, and of the measurement.
fn recorded(
    server: &mut Server,
    from: SocketAddr,
    client: &mut Client,
    numbers: &mut Numbers,
) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for now in (0..400).map(|n| n * MS) {
        while let Some(bytes) = client.take(now) {
            all.push(bytes.clone());
            let fresh = || Some(numbers.fresh(0));
            if let Some(answer) = server.receive(now, now, from, &bytes, fresh) {
                client.receive(now, now, &answer);
            }
        }
    }
    all
}

#[test]
fn forged_cut_and_replayed_datagrams_do_nothing() {
    let mut numbers = Numbers(3);
    let mut server = server();
    let mut client = new_client(plan());
    let real = recorded(&mut server, host(1), &mut client, &mut numbers);
    assert!(client.has_met() && real.len() > 10);
    let now = 400 * MS;
    let mut answered = 0;
    for n in 0..10_000_u64 {
        let mut bytes = real[usize::narrow(numbers.below(real.len() as u64))].clone();
        match n % 4 {
            0 => bytes.truncate(usize::narrow(numbers.below(bytes.len() as u64))),
            1 => {
                let at = usize::narrow(numbers.below(bytes.len() as u64));
                bytes[at] ^= 1 << numbers.below(8);
            }
            2 => bytes = (0..numbers.below(1_400)).map(|_| u8::low_bits(numbers.next())).collect(),
            _ => bytes.push(0),
        }
        // From the client's address, and from others.
        let from = if n % 2 == 0 { host(1) } else { host(9) };
        answered += usize::from(server.receive(now, now, from, &bytes, || None).is_some());
    }
    assert_eq!(answered, 0);
    // What the client itself sent does nothing from elsewhere, but for a cookie.
    for bytes in &real {
        let answer = server.receive(now, now, host(9), bytes, || None);
        assert!(answer.is_none_or(|answer| answer.len() <= bytes.len()));
    }
    assert_eq!(server.sessions(), 1);
}

#[test]
fn a_replayed_measurement_sends_no_more_than_the_client_may_ask_for() {
    let mut numbers = Numbers(3);
    let mut server = server();
    let mut client = new_client(plan());
    let real = recorded(&mut server, host(1), &mut client, &mut numbers);
    let mut sent = 0;
    for n in 0..100_000_i64 {
        let now = 400 * MS + n * MS / 10;
        let bytes = &real[usize::narrow(n) % real.len()];
        sent += server.receive(now, now, host(1), bytes, || None).map_or(0, |answer| answer.len());
        while let Some((_, bytes)) = server.due(now) {
            sent += bytes.len();
        }
    }
    // 2,000 probes of 72 bytes, 160 of 1,172, echoes and reports.
    assert!(sent < 1_200_000, "{sent}");
    // However long it is replayed, it is over after two minutes.
    let mut now = 11 * SECOND;
    while now < 125 * SECOND {
        server.receive(now, now, host(1), &real[real.len() - 1], || None);
        server.expire(now);
        now += SECOND;
    }
    assert_eq!(server.sessions(), 0);
}

#[test]
fn it_reflects_no_more_than_it_gets_before_a_cookie_came_back() {
    let mut numbers = Numbers(3);
    let mut server = server();
    let greetings = recorded(&mut server, host(1), &mut new_client(plan()), &mut numbers);
    let (mut heard, mut told) = (0, 0);
    for n in 0..10_000_u64 {
        let victim = SocketAddr::from(([198, 51, 100, u8::low_bits(n)], 53));
        let bytes = &greetings[usize::narrow(n) % greetings.len()];
        heard += bytes.len();
        let now = 400 * MS + i64::narrow(n);
        let answer = server.receive(now, now, victim, bytes, || None);
        told += answer.map_or(0, |answer| answer.len());
        if let Some((to, _)) = server.due(now) {
            assert_eq!(to, host(1), "probes go to who asked for them only");
        }
    }
    assert!(told <= heard, "{told} > {heard}");
    assert_eq!(server.sessions(), 1);
    assert_eq!(greetings[0].len(), GREETING);
}

#[test]
fn clients_are_bounded() {
    let mut numbers = Numbers(3);
    let mut server = server();
    let enter = |server: &mut Server, n: u8, numbers: &mut Numbers| {
        let mut client = Client::new(secret(), numbers.nonce(), plan(), false, 0, 0);
        recorded(server, host(n), &mut client, numbers);
        client
    };
    for n in 0..SESSIONS {
        assert!(enter(&mut server, u8::narrow(n), &mut numbers).has_met());
    }
    // The same host from another port, and one host too many.
    let other_port = SocketAddr::from(([192, 0, 2, 0], 4_001));
    let mut again = Client::new(secret(), [2; 16], plan(), false, 0, 0);
    recorded(&mut server, other_port, &mut again, &mut numbers);
    assert!(matches!(again.cut(), Some(Cut::Refused(text)) if text.contains("already")));
    let over = enter(&mut server, 200, &mut numbers);
    assert!(matches!(over.cut(), Some(Cut::Refused(text)) if text.contains("16 others")));
    assert_eq!(server.sessions(), SESSIONS);
    server.expire(10 * SECOND);
    assert_eq!(server.sessions(), 0);
    assert!(enter(&mut server, 200, &mut numbers).has_met());
}

#[test]
fn a_tcp_connection_needs_the_bytes_of_its_measurement_and_opens_once() {
    let mut numbers = Numbers(3);
    let mut server = server();
    let mut client =
        new_client(Plan { idle_ms: 50, train_ms: 0, bursts: 0, load_ms: 500, ..plan() });
    recorded(&mut server, host(1), &mut client, &mut numbers);
    let (phase, opening, lasts) = client.load().unwrap();
    assert_eq!(lasts, 500 * MS);
    assert!(server.awaits_tcp());
    assert_eq!(server.open(host(1).ip(), &[0; TAG]), None);
    assert_eq!(server.open(host(2).ip(), &opening), None);
    assert_eq!(server.open(host(1).ip(), &opening[..TAG - 1]), None);
    assert_eq!(server.open(host(1).ip(), &opening), Some((phase, lasts)));
    assert_eq!(server.open(host(1).ip(), &opening), None);
    assert!(!server.awaits_tcp());
}

#[test]
fn what_the_server_saw_of_its_tcp_connection_is_fetched() {
    let mut numbers = Numbers(3);
    let mut server = server();
    let mut client =
        new_client(Plan { idle_ms: 50, train_ms: 0, bursts: 0, load_ms: 300, ..plan() });
    let mut phases = Vec::new();
    for now in (0..10_000).map(|n| n * MS) {
        while let Some(bytes) = client.take(now) {
            let fresh = || Some(numbers.fresh(0));
            if let Some(answer) = server.receive(now, now, host(1), &bytes, fresh) {
                client.receive(now, now, &answer);
            }
        }
        if let Some((phase, opening, _)) = client.load() {
            assert!(server.open(host(1).ip(), &opening).is_some());
            phases.push(phase);
            for at in (1..=40).map(|n| n * 10_000_000) {
                let mut sample = LoadSample { at, ..LoadSample::default() };
                sample.info.bytes_acked = at / 100;
                server.loaded(host(1).ip(), phase, Some(sample));
                client.loaded(phase, Some(sample));
            }
            server.loaded(host(1).ip(), phase, None);
            client.loaded(phase, None);
        }
    }
    assert!(client.is_done() && client.cut().is_none());
    assert_eq!(phases.len(), 2);
    let found = measured(&client);
    for way in ["up", "down"] {
        let load = &found[way]["load"];
        assert_eq!(
            (&load["acked"], &load["duration_s"]),
            (&4_000_000.into(), &0.4.into()),
            "{way}"
        );
        assert_eq!(load["samples"].as_array().unwrap().len(), 40, "{way}");
    }
}
