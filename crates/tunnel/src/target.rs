//! Where a channel leads, and why it does not.

use std::fmt;
use std::net::IpAddr;

/// Why a channel ended before its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The application ended its connection.
    Reset,
    /// The target refused the connection.
    Refused,
    /// No route leads to the target's network.
    NetworkUnreachable,
    /// The target does not answer.
    HostUnreachable,
    /// The target's name has no address.
    NoName,
    /// The server does not allow this target.
    NotAllowed,
    /// The server has as many channels as it takes.
    TooMany,
    /// Anything else.
    Failed,
}

/// Each code with its number in a record.
const CODES: [(Code, u8); 8] = [
    (Code::Reset, 0),
    (Code::Refused, 1),
    (Code::NetworkUnreachable, 2),
    (Code::HostUnreachable, 3),
    (Code::NoName, 4),
    (Code::NotAllowed, 5),
    (Code::TooMany, 6),
    (Code::Failed, 7),
];

impl Code {
    pub(crate) fn number(self) -> u8 {
        CODES.iter().find(|(code, _)| *code == self).map_or(7, |(_, number)| *number)
    }

    /// The code of a number; a number that this version does not know says only that it failed.
    pub(crate) fn of(number: u8) -> Self {
        CODES.iter().find(|(_, n)| *n == number).map_or(Self::Failed, |(code, _)| *code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reset => "the application ended the connection",
            Self::Refused => "the target refused the connection",
            Self::NetworkUnreachable => "no route leads to the target",
            Self::HostUnreachable => "the target does not answer",
            Self::NoName => "the target's name has no address",
            Self::NotAllowed => "the server does not allow this target",
            Self::TooMany => "the server has as many channels as it takes",
            Self::Failed => "the connection failed",
        })
    }
}

/// Where the server connects to: a host name or an address, and a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    host: String,
    port: u16,
}

impl Target {
    /// A target; `None` if the host is no address and no name (RFC 1123 section 2.1, and underscores), or if the port is 0.
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let label = |label: &str| {
            let inner = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(inner) && !label.starts_with('-')
        };
        let name = host.strip_suffix('.').unwrap_or(host);
        let is_name = host.len() <= 253 && name.split('.').all(label);
        let valid = port != 0 && (is_name || host.parse::<IpAddr>().is_ok());
        valid.then(|| Self { host: host.to_owned(), port })
    }

    /// The host, as it was given.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_names_or_addresses() {
        let longest = format!("{0}.{0}.{0}.{1}", "a".repeat(63), "b".repeat(61));
        for good in
            ["a", "host.example", "host.example.", "_x.y", "192.0.2.1", "2001:db8::1", &longest]
        {
            assert!(Target::new(good, 80).is_some(), "{good}");
        }
        let long = "a".repeat(64);
        for wrong in ["", ".", "a..b", "a b", "-a", "a/b", "[::1]", "ü", "a\0", &long] {
            assert!(Target::new(wrong, 80).is_none(), "{wrong}");
        }
        assert!(Target::new("a", 0).is_none());
        assert_eq!(Target::new("::1", 7).unwrap().to_string(), "[::1]:7");
    }

    #[test]
    fn codes_have_numbers_of_their_own() {
        for (code, number) in CODES {
            assert_eq!((Code::of(number), code.number()), (code, number));
        }
        assert_eq!(Code::of(200), Code::Failed);
    }
}
