//! What channels say to one another, as it stands in the stream.
//!
//! ```text
//! record   channel | type | then by type
//! 1 OPEN   window | length of the host (1 byte) | host | port (2 bytes)
//! 2 OPENED window
//! 3 DATA   length | bytes
//! 4 FIN
//! 5 RESET  code (1 byte)
//! 6 WINDOW bytes
//! ```
//! Channel, window, length and bytes are variable-length integers (RFC 9000 section 16), of at most four bytes.

use airtcp_units::{LowBits as _, Narrow as _};
use thiserror::Error;

use crate::target::{Code, Target};

/// What a peer does against the protocol. The connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the other end broke the protocol: {0}")]
pub struct Violation(pub(crate) &'static str);

/// Largest number that a variable-length integer of four bytes has.
pub(crate) const MAX_NUMBER: u32 = (1 << 30) - 1;
/// Most bytes of DATA in a record.
pub(crate) const MAX_DATA: usize = 1 << 14;
/// Bytes before the data of a record, at most.
pub(crate) const DATA_HEADER: usize = 4 + 1 + 4;

/// A record, its data apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// The client asks the server to connect to a target; the server may send `window` bytes.
    Open { window: u32, target: Target },
    /// The server has connected; the client may send `window` bytes.
    Opened { window: u32 },
    /// Data, of this number of bytes.
    Data(usize),
    /// No data follow in this direction.
    Fin,
    /// The channel ends at once.
    Reset(Code),
    /// The other end may send this number of bytes more.
    Window(u32),
}

/// Appends a variable-length integer.
fn put(to: &mut Vec<u8>, number: u32) {
    match number {
        0..=0x3f => to.push(u8::low_bits(number)),
        0x40..=0x3fff => to.extend((u16::low_bits(number) | 0x4000).to_be_bytes()),
        _ => to.extend((number.min(MAX_NUMBER) | 0x8000_0000).to_be_bytes()),
    }
}

/// Takes a variable-length integer off the front; `None` if it is not complete.
fn number(from: &mut &[u8]) -> Result<Option<u32>, Violation> {
    let Some(first) = from.first() else { return Ok(None) };
    let length = 1 << (first >> 6);
    if length > 4 {
        return Err(Violation("a number of more than four bytes"));
    }
    let Some((bytes, rest)) = from.split_at_checked(length) else { return Ok(None) };
    *from = rest;
    let value = bytes.iter().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
    Ok(Some(value & ((1 << (8 * length - 2)) - 1)))
}

fn byte(from: &mut &[u8]) -> Option<u8> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    Some(*first)
}

impl Record {
    /// Appends the record of a channel; data follow from the caller.
    pub(crate) fn put(&self, channel: u32, to: &mut Vec<u8>) {
        put(to, channel);
        match self {
            Self::Open { window, target } => {
                to.push(1);
                put(to, *window);
                to.push(u8::narrow(target.host().len()));
                to.extend(target.host().as_bytes());
                to.extend(target.port().to_be_bytes());
            }
            Self::Opened { window } => {
                to.push(2);
                put(to, *window);
            }
            Self::Data(length) => {
                to.push(3);
                put(to, u32::try_from(*length).unwrap_or(MAX_NUMBER));
            }
            Self::Fin => to.push(4),
            Self::Reset(code) => to.extend([5, code.number()]),
            Self::Window(bytes) => {
                to.push(6);
                put(to, *bytes);
            }
        }
    }

    /// Takes the record of a channel off the front, its data apart; `None` if it is not complete.
    pub(crate) fn take(from: &mut &[u8]) -> Result<Option<(u32, Self)>, Violation> {
        let mut rest = *from;
        let Some(channel) = number(&mut rest)? else { return Ok(None) };
        let Some(kind) = byte(&mut rest) else { return Ok(None) };
        let record = match kind {
            1 => Self::open(&mut rest)?,
            2 => number(&mut rest)?.map(|window| Self::Opened { window }),
            3 => number(&mut rest)?.map(|length| Self::Data(length as usize)),
            4 => Some(Self::Fin),
            5 => byte(&mut rest).map(|code| Self::Reset(Code::of(code))),
            6 => number(&mut rest)?.map(Self::Window),
            _ => return Err(Violation("a record of an unknown type")),
        };
        let Some(record) = record else { return Ok(None) };
        if matches!(record, Self::Data(length) if length == 0 || length > MAX_DATA) {
            return Err(Violation("data of no length, or of more than a record carries"));
        }
        *from = rest;
        Ok(Some((channel, record)))
    }

    fn open(rest: &mut &[u8]) -> Result<Option<Self>, Violation> {
        let Some(window) = number(rest)? else { return Ok(None) };
        let Some(length) = byte(rest) else { return Ok(None) };
        let Some((host, after)) = rest.split_at_checked(usize::from(length)) else {
            return Ok(None);
        };
        let Some((port, after)) = after.split_first_chunk::<2>() else { return Ok(None) };
        *rest = after;
        let target = str::from_utf8(host)
            .ok()
            .and_then(|host| Target::new(host, u16::from_be_bytes(*port)))
            .ok_or(Violation("a target that is no host and port"))?;
        Ok(Some(Self::Open { window, target }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some_record() -> impl Strategy<Value = Record> {
        let host = prop_oneof![Just("host.example"), Just("2001:db8::1"), Just("192.0.2.1")];
        prop_oneof![
            (0..=MAX_NUMBER, host, 1..=u16::MAX).prop_map(|(window, host, port)| Record::Open {
                window,
                target: Target::new(host, port).unwrap()
            }),
            (0..=MAX_NUMBER).prop_map(|window| Record::Opened { window }),
            (1..=MAX_DATA).prop_map(Record::Data),
            Just(Record::Fin),
            any::<u8>().prop_map(|code| Record::Reset(Code::of(code))),
            (0..=MAX_NUMBER).prop_map(Record::Window),
        ]
    }

    proptest! {
        #[test]
        fn what_is_put_is_taken(channel in 0..=MAX_NUMBER, record in some_record()) {
            let mut bytes = Vec::new();
            record.put(channel, &mut bytes);
            for cut in 0..bytes.len() {
                prop_assert_eq!(Record::take(&mut &bytes[..cut]), Ok(None), "{} bytes of it", cut);
            }
            bytes.push(7);
            let mut rest = &bytes[..];
            prop_assert_eq!(Record::take(&mut rest), Ok(Some((channel, record))));
            prop_assert_eq!(rest, [7]);
        }

        #[test]
        fn anything_is_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut rest = &bytes[..];
            while let Ok(Some((channel, record))) = Record::take(&mut rest) {
                let mut again = Vec::new();
                record.put(channel, &mut again);
                prop_assert_eq!(Record::take(&mut &again[..]), Ok(Some((channel, record))));
            }
        }
    }

    #[test]
    fn numbers_are_those_of_the_standard() {
        // RFC 9000 appendix A.1.
        for (bytes, value) in
            [(&[0x9d, 0x7f, 0x3e, 0x7d][..], 494_878_333), (&[0x7b, 0xbd], 15_293), (&[0x25], 37)]
        {
            assert_eq!(number(&mut &bytes[..]), Ok(Some(value)));
            let mut again = Vec::new();
            put(&mut again, value);
            assert_eq!(again, bytes);
        }
        assert!(number(&mut &[0xc2, 0, 0, 0, 0, 0, 0, 0][..]).is_err());
    }
}
