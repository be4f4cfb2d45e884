//! What is written is read again, what is no datagram is refused, and greetings are long enough.

use super::*;
use proptest::prelude::*;

fn key() -> Key {
    Key::new(&[9; 32])
}

#[test]
fn datagrams_are_read_as_they_were_written() {
    let plan = Plan::of(60.0, 1_000);
    let probe = Probe { phase: Phase::Train, number: 7, sent: 9 };
    let all = [
        ToServer::Hello { nonce: [1; NONCE], version: VERSION },
        ToServer::Start { nonce: [1; NONCE], cookie: [2; COOKIE], plan },
        ToServer::Echo { number: 5 },
        ToServer::Begin(Phase::LoadDown),
        ToServer::Probe(probe),
        ToServer::Ask { phase: Phase::BurstsUp, chunk: 3 },
        ToServer::Bye,
    ];
    for message in all {
        let bytes = message.seal(&key());
        let body = key().open(&bytes).unwrap();
        assert_eq!(ToServer::read(body), Some(message));
        assert_eq!(ToClient::read(body), None);
    }
    let chunk = Chunk {
        phase: Phase::Train,
        number: 1,
        of: 2,
        sent: 3,
        pauses: 4,
        duplicates: 5,
        pace: 7,
        over: 1,
        records: vec![6; RECORDS],
    };
    let all = [
        ToClient::Cookie { nonce: [1; NONCE], cookie: [2; COOKIE] },
        ToClient::Accept { nonce: [1; NONCE], fresh: [2; NONCE], wall: -3 },
        ToClient::Refused { nonce: [1; NONCE], text: "it is full".to_owned() },
        ToClient::Echoed { number: 4, held: 5, there: 6 },
        ToClient::Begun(Phase::Train),
        ToClient::Probe(Probe { phase: Phase::BurstsDown, ..probe }),
        ToClient::Chunk(chunk),
        ToClient::Ended,
    ];
    for message in all {
        let bytes = message.seal(&key());
        assert!(bytes.len() <= LONGEST);
        assert_eq!(ToClient::read(key().open(&bytes).unwrap()), Some(message));
    }
}

#[test]
fn answers_to_a_greeting_are_no_longer_than_it() {
    let hello = ToServer::Hello { nonce: [1; NONCE], version: VERSION }.seal(&key());
    let text = "\u{fc}".repeat(2_000);
    let refused = ToClient::Refused { nonce: [1; NONCE], text }.seal(&key());
    let cookie = ToClient::Cookie { nonce: [1; NONCE], cookie: [0; COOKIE] }.seal(&key());
    assert_eq!(hello.len(), GREETING);
    assert!(refused.len() <= GREETING && refused.len() > GREETING - 2);
    assert!(cookie.len() <= GREETING);
}

#[test]
fn a_refusal_moves_no_cursor() {
    let text = "a\u{1b}[2Jb".to_owned();
    let bytes = ToClient::Refused { nonce: [1; NONCE], text }.seal(&key());
    let read = ToClient::read(key().open(&bytes).unwrap());
    let expected = ToClient::Refused { nonce: [1; NONCE], text: "a [2Jb".to_owned() };
    assert_eq!(read, Some(expected));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), kind in 0_u8..80) {
        let mut body = START.to_vec();
        body.push(kind);
        body.extend_from_slice(&bytes);
        let _ = (ToServer::read(&body), ToClient::read(&body));
        let _ = (ToServer::read(&bytes), ToClient::read(&bytes));
    }
}
