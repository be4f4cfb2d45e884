//! Keys: Ed25519 (RFC 8032), named by their public half. There is no authority that signs them: each end is told the keys
//! of its peers.

use std::fmt;
use std::str::FromStr;

use ring::signature::{Ed25519KeyPair, KeyPair as _};
use thiserror::Error;

/// Bytes of a key, private or public.
pub(crate) const KEY: usize = 32;
/// What stands before the private key in its file, so that nobody takes one for a public key.
const PRIVATE: &str = "airtcp-tunnel-private-key ";
/// DER of an Ed25519 public key (RFC 8410 section 4), before the key.
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// DER of an Ed25519 private key (RFC 8410 section 7, PKCS #8), before the key.
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Why a text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeyError {
    /// It is no public key.
    #[error(
        "expected a public key: {} hexadecimal digits, as `airtcp tunnel keygen` prints them",
        2 * KEY
    )]
    Public,
    /// It is no private key.
    #[error("is no private key of a tunnel; `airtcp tunnel keygen --out FILE` makes one")]
    Private,
}

/// A private key. It is never printed.
#[derive(Clone)]
pub struct PrivateKey {
    seed: [u8; KEY],
    public: PublicKey,
}

/// The public half of a key, by which an end is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; KEY]);

impl PrivateKey {
    /// The key of these random bytes.
    pub fn from_seed(seed: [u8; KEY]) -> Self {
        // Any 32 bytes are a private key (RFC 8032 section 5.1.5); the length is right by its type.
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).ok();
        let public = pair.and_then(|pair| pair.public_key().as_ref().try_into().ok());
        Self { seed, public: PublicKey(public.unwrap_or_default()) }
    }

    /// The public half.
    pub const fn public(&self) -> PublicKey {
        self.public
    }

    /// The text of its file.
    pub fn to_text(&self) -> String {
        format!("{PRIVATE}{}\n", hexadecimal(&self.seed))
    }

    pub(crate) fn pkcs8(&self) -> Vec<u8> {
        [&PKCS8[..], &self.seed].concat()
    }
}

impl FromStr for PrivateKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let digits = text.trim_end().strip_prefix(PRIVATE).ok_or(KeyError::Private)?;
        Ok(Self::from_seed(bytes(digits).ok_or(KeyError::Private)?))
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey(of {})", self.public)
    }
}

impl PublicKey {
    /// The key as TLS has it, a SubjectPublicKeyInfo (RFC 7250).
    pub(crate) fn spki(self) -> Vec<u8> {
        [&SPKI[..], &self.0].concat()
    }

    /// The key in a SubjectPublicKeyInfo; `None` if it is of another kind.
    pub(crate) fn of_spki(der: &[u8]) -> Option<Self> {
        Some(Self(der.strip_prefix(&SPKI)?.try_into().ok()?))
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        bytes(text.trim()).map(Self).ok_or(KeyError::Public)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hexadecimal(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from_digit(four.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn bytes(digits: &str) -> Option<[u8; KEY]> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let all: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    all?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032 section 7.1, test 1.
    #[test]
    fn the_public_half_is_that_of_the_standard() {
        let text = "airtcp-tunnel-private-key 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n";
        let key: PrivateKey = text.parse().unwrap();
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(key.public().to_string(), public);
        assert_eq!(key.to_text(), text);
        assert_eq!(public.parse(), Ok(key.public()));
        assert!(!format!("{key:?}").contains("9d61"));
        assert_eq!(PublicKey::of_spki(&key.public().spki()), Some(key.public()));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let digits = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        for wrong in ["", "d75a", &digits[1..], &format!("{digits}00"), &digits.replace('d', "g")] {
            assert_eq!(wrong.parse::<PublicKey>(), Err(KeyError::Public), "{wrong}");
        }
        // A public key is no private one, and the other way round.
        assert!(matches!(digits.parse::<PrivateKey>(), Err(KeyError::Private)));
        assert_eq!(format!("{PRIVATE}{digits}").parse::<PublicKey>(), Err(KeyError::Public));
    }
}
