//! Who may measure: a secret that both ends have, and keys that follow from it.
//!
//! Each datagram ends in a tag, HMAC-SHA-256 (RFC 2104, FIPS 180-4) of all before it, cut to 128 bits. Each direction has
//! a key of its own, so that a datagram sent back to its sender is not accepted. The keys of a measurement follow from
//! the secret and a number of each end that is used once, so that datagrams of one measurement mean nothing in another.

use std::fmt;
use std::net::SocketAddr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Bytes of a tag.
pub const TAG: usize = 16;
/// Bytes of a secret.
pub const SECRET: usize = 32;
/// Bytes of a number that is used once.
pub(super) const NONCE: usize = 16;
/// Bytes of a cookie: the second it was made in, and a tag.
pub(super) const COOKIE: usize = 4 + TAG;
/// Seconds for which a cookie is accepted.
const COOKIE_S: u32 = 10;

/// A number that is used once.
pub type Nonce = [u8; NONCE];
/// What shows that a client receives at the address that it sends from.
pub(super) type Cookie = [u8; COOKIE];

/// A key of HMAC-SHA-256.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key that these bytes are.
    pub fn new(bytes: &[u8; SECRET]) -> Self {
        // A block of SHA-256 has 64 bytes; a shorter key is filled with zeros (RFC 2104).
        let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
        block[..SECRET].copy_from_slice(bytes);
        Self(Hmac::new(&block))
    }

    fn sum(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut sum = self.0.clone();
        for part in parts {
            sum.update(part);
        }
        sum
    }

    /// A key for one purpose.
    pub fn derive(&self, purpose: &str, parts: &[&[u8]]) -> Self {
        // The length of the purpose comes first, so that no other purpose and parts give the same bytes.
        let length = [u8::try_from(purpose.len()).unwrap_or(u8::MAX)];
        let mut all: Vec<&[u8]> = vec![&length, purpose.as_bytes()];
        all.extend(parts);
        Self::new(&self.sum(&all).finalize().into_bytes().into())
    }

    /// The tag of some bytes.
    pub fn tag(&self, parts: &[&[u8]]) -> [u8; TAG] {
        let whole = self.sum(parts).finalize().into_bytes();
        let mut tag = [0; TAG];
        tag.copy_from_slice(&whole[..TAG]);
        tag
    }

    /// Whether these bytes have this tag. The time that it takes does not depend on where they differ.
    pub fn accepts(&self, parts: &[&[u8]], tag: &[u8]) -> bool {
        tag.len() == TAG && self.sum(parts).verify_truncated_left(tag).is_ok()
    }

    /// Puts a tag behind a datagram.
    pub fn seal(&self, bytes: &mut Vec<u8>) {
        let tag = self.tag(&[bytes]);
        bytes.extend_from_slice(&tag);
    }

    /// A datagram without its tag, if that is right.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (body, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG)?)?;
        self.accepts(&[body], tag).then_some(body)
    }
}

/// The keys of both directions.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// For what the client sends.
    pub client: Key,
    /// For what the server sends.
    pub server: Key,
}

impl Keys {
    /// Keys before a measurement has begun: they show that both ends have the secret.
    pub(super) fn greeting(secret: &Key) -> Self {
        Self {
            client: secret.derive("airtcp measure: greeting of the client", &[]),
            server: secret.derive("airtcp measure: greeting of the server", &[]),
        }
    }

    /// Keys of a measurement.
    pub(super) fn session(secret: &Key, client: &Nonce, server: &Nonce) -> Self {
        Self {
            client: secret.derive("airtcp measure 1: client", &[client, server]),
            server: secret.derive("airtcp measure 1: server", &[client, server]),
        }
    }

    /// What opens the TCP connection of a phase, which is sent in the clear.
    pub(super) fn opening(&self, phase: u8) -> [u8; TAG] {
        self.connection(phase).tag(&[])
    }

    /// Whether these bytes open the TCP connection of a phase.
    pub(super) fn is_opening(&self, phase: u8, bytes: &[u8]) -> bool {
        self.connection(phase).accepts(&[], bytes)
    }

    fn connection(&self, phase: u8) -> Key {
        self.client.derive("airtcp measure 1: TCP", &[&[phase]])
    }
}

/// The cookie for an address and the number of a client, at a second of the server's clock.
pub(super) fn cookie(key: &Key, from: SocketAddr, nonce: &Nonce, second: u32) -> Cookie {
    let second = second.to_be_bytes();
    let tag = key.tag(&[&second, &address(from), nonce]);
    let mut cookie = [0; COOKIE];
    cookie[..4].copy_from_slice(&second);
    cookie[4..].copy_from_slice(&tag);
    cookie
}

/// Whether a cookie was made for this address and number, not long ago.
pub(super) fn is_cookie(
    key: &Key,
    from: SocketAddr,
    nonce: &Nonce,
    now: u32,
    cookie: &Cookie,
) -> bool {
    let (second, tag) = cookie.split_at(4);
    let made = u32::from_be_bytes([second[0], second[1], second[2], second[3]]);
    let age = now.wrapping_sub(made);
    age <= COOKIE_S && key.accepts(&[second, &address(from), nonce], tag)
}

/// An address as bytes of one length.
fn address(of: SocketAddr) -> [u8; 18] {
    let mut bytes = [0; 18];
    let ip = match of.ip() {
        std::net::IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        std::net::IpAddr::V6(v6) => v6,
    };
    bytes[..16].copy_from_slice(&ip.octets());
    bytes[16..].copy_from_slice(&of.port().to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        use std::fmt::Write as _;
        bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// RFC 4231, test case 1 with its key of 20 bytes, filled with zeros to a block as RFC 2104 does.
    #[test]
    fn the_tag_is_that_of_rfc_4231() {
        let mut key = [0; SECRET];
        key[..20].fill(0x0b);
        assert_eq!(
            hex(&Key::new(&key).tag(&[b"Hi ", b"There"])),
            "b0344c61d8db38535ca8afceaf0bf12b"
        );
    }

    #[test]
    fn a_datagram_opens_with_its_key_only() {
        let secret = Key::new(&[1; SECRET]);
        let keys = Keys::session(&secret, &[2; NONCE], &[3; NONCE]);
        let mut bytes = b"probe".to_vec();
        keys.client.seal(&mut bytes);
        assert_eq!(keys.client.open(&bytes), Some(&b"probe"[..]));
        assert_eq!(keys.server.open(&bytes), None);
        assert_eq!(Keys::session(&secret, &[3; NONCE], &[2; NONCE]).client.open(&bytes), None);
        for at in 0..bytes.len() {
            assert_eq!(keys.client.open(&bytes[..at]), None);
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(keys.client.open(&other), None);
        }
    }

    #[test]
    fn a_cookie_is_for_one_address_one_number_and_ten_seconds() {
        let key = Key::new(&[1; SECRET]);
        let (from, nonce) = ("192.0.2.1:4000".parse().unwrap(), [5; NONCE]);
        let made = cookie(&key, from, &nonce, 100);
        assert!(is_cookie(&key, from, &nonce, 100, &made));
        assert!(is_cookie(&key, from, &nonce, 110, &made));
        assert!(!is_cookie(&key, from, &nonce, 111, &made));
        assert!(!is_cookie(&key, from, &nonce, 99, &made));
        assert!(!is_cookie(&key, "192.0.2.1:4001".parse().unwrap(), &nonce, 100, &made));
        assert!(!is_cookie(&key, "192.0.2.2:4000".parse().unwrap(), &nonce, 100, &made));
        assert!(!is_cookie(&key, from, &[6; NONCE], 100, &made));
    }
}
