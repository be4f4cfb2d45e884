//! SOCKS 5 (RFC 1928), as far as a client of TCP needs it: no authentication, CONNECT.

use airtcp_tunnel::{Code, Target};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Longest request: version, command, reserved, kind, a name of 255 bytes with its length, a port.
pub(super) const LONGEST: usize = 4 + 1 + 255 + 2;
const VERSION: u8 = 5;

/// What to do after more bytes of a client have come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Wait for more.
    More,
    /// Send this, and go on with the bytes after the first `used`.
    Answer { bytes: Vec<u8>, used: usize },
    /// Connect to this target; the bytes after the first `used` are data.
    Connect { target: Target, used: usize },
    /// Send this, and close.
    Refuse(Vec<u8>),
}

/// Where the conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The client says which kinds of authentication it has.
    Greeting,
    /// The client says what it wants.
    Request,
}

/// Reads what a client has sent so far in a stage.
pub(super) fn read(stage: Stage, bytes: &[u8]) -> Step {
    match stage {
        Stage::Greeting => greeting(bytes),
        Stage::Request => request(bytes),
    }
}

fn greeting(bytes: &[u8]) -> Step {
    /// "No authentication", and "none of these is acceptable".
    const NONE: u8 = 0;
    const NO_METHOD: u8 = 0xff;
    if bytes.first().is_some_and(|version| *version != VERSION) {
        return Step::Refuse(vec![VERSION, NO_METHOD]);
    }
    let Some(count) = bytes.get(1).copied().map(usize::from) else { return Step::More };
    let Some(methods) = bytes.get(2..2 + count) else { return Step::More };
    if methods.contains(&NONE) {
        Step::Answer { bytes: vec![VERSION, NONE], used: 2 + count }
    } else {
        Step::Refuse(vec![VERSION, NO_METHOD])
    }
}

fn request(bytes: &[u8]) -> Step {
    const CONNECT: u8 = 1;
    let (Some(version), Some(command), Some(kind)) = (bytes.first(), bytes.get(1), bytes.get(3))
    else {
        return Step::More;
    };
    if *version != VERSION {
        return Step::Refuse(reply(GENERAL));
    }
    if *command != CONNECT {
        return Step::Refuse(reply(NO_COMMAND));
    }
    let rest = &bytes[4..];
    let (host, length) = match kind {
        1 => match rest.first_chunk::<4>() {
            Some(ip) => (Ipv4Addr::from(*ip).to_string(), 4),
            None => return Step::More,
        },
        4 => match rest.first_chunk::<16>() {
            Some(ip) => (Ipv6Addr::from(*ip).to_string(), 16),
            None => return Step::More,
        },
        3 => {
            let Some(length) = rest.first().copied().map(usize::from) else { return Step::More };
            let Some(name) = rest.get(1..=length) else { return Step::More };
            (String::from_utf8_lossy(name).into_owned(), 1 + length)
        }
        _ => return Step::Refuse(reply(NO_KIND)),
    };
    let Some(port) = rest.get(length..).and_then(|rest| rest.first_chunk::<2>()) else {
        return Step::More;
    };
    match Target::new(&host, u16::from_be_bytes(*port)) {
        Some(target) => Step::Connect { target, used: 4 + length + 2 },
        None => Step::Refuse(reply(GENERAL)),
    }
}

const GENERAL: u8 = 1;
const NO_COMMAND: u8 = 7;
const NO_KIND: u8 = 8;

/// The answer to a request that was granted.
pub(super) fn granted() -> Vec<u8> {
    reply(0)
}

/// The answer to a request that failed.
pub(super) fn failed(code: Code) -> Vec<u8> {
    reply(match code {
        Code::NotAllowed => 2,
        Code::NetworkUnreachable => 3,
        Code::HostUnreachable | Code::NoName => 4,
        Code::Refused => 5,
        Code::Reset | Code::TooMany | Code::Failed => GENERAL,
    })
}

/// A reply; the address that the server bound is not said (0.0.0.0:0).
fn reply(code: u8) -> Vec<u8> {
    vec![VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_is_read_when_it_is_complete() {
        let requests: [(&[u8], &str); 3] = [
            (b"\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x50", "192.0.2.1:80"),
            (b"\x05\x01\x00\x03\x0chost.example\x01\xbb", "host.example:443"),
            (
                b"\x05\x01\x00\x04\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x00\x16",
                "[2001:db8::1]:22",
            ),
        ];
        for (bytes, wanted) in requests {
            for cut in 0..bytes.len() {
                assert_eq!(
                    read(Stage::Request, &bytes[..cut]),
                    Step::More,
                    "{cut} bytes for {wanted}"
                );
            }
            let with_data = [bytes, b"GET"].concat();
            let Step::Connect { target, used } = read(Stage::Request, &with_data) else {
                panic!("{wanted}")
            };
            assert_eq!((target.to_string().as_str(), used), (wanted, bytes.len()));
            assert!(used <= LONGEST);
        }
    }

    #[test]
    fn what_is_not_offered_is_refused_with_its_code() {
        assert_eq!(read(Stage::Greeting, b"\x05"), Step::More);
        assert_eq!(
            read(Stage::Greeting, b"\x05\x02\x00\x02"),
            Step::Answer { bytes: b"\x05\x00".to_vec(), used: 4 }
        );
        // A password alone, and SOCKS 4.
        assert_eq!(read(Stage::Greeting, b"\x05\x01\x02"), Step::Refuse(b"\x05\xff".to_vec()));
        assert!(matches!(read(Stage::Greeting, b"\x04\x01"), Step::Refuse(_)));
        let code = |bytes: &[u8]| match read(Stage::Request, bytes) {
            Step::Refuse(reply) => reply[1],
            other => panic!("{other:?}"),
        };
        assert_eq!(code(b"\x05\x02\x00\x01\x7f\0\0\x01\0\x50"), 7, "BIND");
        assert_eq!(code(b"\x05\x03\x00\x01\x7f\0\0\x01\0\x50"), 7, "UDP ASSOCIATE");
        assert_eq!(code(b"\x05\x01\x00\x09\x7f\0\0\x01\0\x50"), 8, "an unknown kind of address");
        assert_eq!(code(b"\x05\x01\x00\x01\x7f\0\0\x01\0\x00"), 1, "port 0");
        assert_eq!([Code::Refused, Code::NoName].map(|code| failed(code)[1]), [5, 4]);
    }

    proptest! {
        #[test]
        fn anything_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for stage in [Stage::Greeting, Stage::Request] {
                let used = match read(stage, &bytes) {
                    Step::Answer { used, .. } | Step::Connect { used, .. } => used,
                    Step::More => { prop_assert!(bytes.len() < LONGEST); 0 }
                    Step::Refuse(_) => 0,
                };
                prop_assert!(used <= bytes.len());
            }
        }
    }
}
