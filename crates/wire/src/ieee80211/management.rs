//! Bodies of management frames (IEEE 802.11-2020 section 9.3.3): their fixed fields, then elements; and the SNAP
//! header before a packet in a data frame (RFC 1042).

use super::kind::Kind;
use crate::bytes::{byte, le16, le64};

/// Subtypes of management frames.
const ASSOCIATION_REQUEST: Kind = Kind::Management(0);
const ASSOCIATION_RESPONSE: Kind = Kind::Management(1);
const AUTHENTICATION: Kind = Kind::Management(11);

/// Fixed fields of a management frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repr {
    /// Beacon.
    Beacon {
        /// Time of its sender in µs.
        timestamp_us: u64,
        /// Interval between beacons in units of 1024 µs.
        interval: u16,
        /// Capabilities.
        capabilities: u16,
    },
    /// Authentication.
    Authentication {
        /// 0: open system.
        algorithm: u16,
        /// Number of the frame within the exchange, from 1.
        transaction: u16,
        /// 0: success.
        status: u16,
    },
    /// Association request.
    AssociationRequest {
        /// Capabilities.
        capabilities: u16,
        /// Beacons from one time that the station wakes up to the next.
        listen_interval: u16,
    },
    /// Association response.
    AssociationResponse {
        /// Capabilities.
        capabilities: u16,
        /// 0: success.
        status: u16,
        /// Identifier of the station, with the two highest bits set.
        association: u16,
    },
}

/// The bit ESS of capabilities: the sender is an access point.
pub const ESS: u16 = 1;

impl Repr {
    /// The kind of frame with these fields.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Beacon { .. } => Kind::Beacon,
            Self::Authentication { .. } => AUTHENTICATION,
            Self::AssociationRequest { .. } => ASSOCIATION_REQUEST,
            Self::AssociationResponse { .. } => ASSOCIATION_RESPONSE,
        }
    }

    /// The fixed fields in the body of a frame of this kind; `None` of other kinds, and if the capture cut them off.
    pub fn parse(kind: Kind, body: &[u8]) -> Option<Self> {
        let half = |at: usize| le16(body, at);
        match kind {
            Kind::Beacon => Some(Self::Beacon {
                timestamp_us: le64(body, 0)?,
                interval: half(8)?,
                capabilities: half(10)?,
            }),
            AUTHENTICATION => Some(Self::Authentication {
                algorithm: half(0)?,
                transaction: half(2)?,
                status: half(4)?,
            }),
            ASSOCIATION_REQUEST => {
                Some(Self::AssociationRequest { capabilities: half(0)?, listen_interval: half(2)? })
            }
            ASSOCIATION_RESPONSE => Some(Self::AssociationResponse {
                capabilities: half(0)?,
                status: half(2)?,
                association: half(4)?,
            }),
            _ => None,
        }
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub const fn buffer_len(&self) -> usize {
        match self {
            Self::Beacon { .. } => 12,
            Self::AssociationRequest { .. } => 4,
            Self::Authentication { .. } | Self::AssociationResponse { .. } => 6,
        }
    }

    /// Appends the fields.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let mut halves = |fields: &[u16]| out.extend(fields.iter().flat_map(|f| f.to_le_bytes()));
        match *self {
            Self::Beacon { timestamp_us, interval, capabilities } => {
                out.extend(timestamp_us.to_le_bytes());
                out.extend(interval.to_le_bytes());
                out.extend(capabilities.to_le_bytes());
            }
            Self::Authentication { algorithm, transaction, status } => {
                halves(&[algorithm, transaction, status]);
            }
            Self::AssociationRequest { capabilities, listen_interval } => {
                halves(&[capabilities, listen_interval]);
            }
            Self::AssociationResponse { capabilities, status, association } => {
                halves(&[capabilities, status, association]);
            }
        }
    }
}

/// Interval between beacons in units of 1024 µs, from the body of a beacon that may be cut off behind it.
pub fn beacon_interval(body: &[u8]) -> Option<u16> {
    le16(body, 8).filter(|units| *units > 0)
}

/// Elements by their number: name of the network, rates, channel, of a vendor.
pub const SSID: u8 = 0;
/// Supported rates.
pub const RATES: u8 = 1;
/// The channel of direct sequence.
pub const CHANNEL: u8 = 3;
/// Of a vendor.
pub const VENDOR: u8 = 221;

/// Appends an element with the first 255 bytes of its value.
pub fn emit_element(out: &mut Vec<u8>, id: u8, value: &[u8]) {
    let value = &value[..value.len().min(255)];
    out.extend([id, u8::try_from(value.len()).unwrap_or(u8::MAX)]);
    out.extend(value);
}

/// The elements in some bytes, number and value, up to the first that the bytes end within.
pub fn elements(mut data: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (id, length) = (byte(data, 0)?, usize::from(byte(data, 1)?));
        let value = data.get(2..2 + length)?;
        data = &data[2 + length..];
        Some((id, value))
    })
}

/// Bytes of [`snap`].
pub const SNAP: usize = 8;

/// LLC and SNAP before what an EtherType stands for.
pub const fn snap(ether_type: u16) -> [u8; SNAP] {
    let [high, low] = ether_type.to_be_bytes();
    [0xaa, 0xaa, 3, 0, 0, 0, high, low]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn round_trip(fields: [u16; 3], timestamp_us: u64, kind in 0..4u8) {
            let [a, b, c] = fields;
            let repr = match kind {
                0 => Repr::Beacon { timestamp_us, interval: a, capabilities: b },
                1 => Repr::Authentication { algorithm: a, transaction: b, status: c },
                2 => Repr::AssociationRequest { capabilities: a, listen_interval: b },
                _ => Repr::AssociationResponse { capabilities: a, status: b, association: c },
            };
            let mut out = Vec::new();
            repr.emit(&mut out);
            prop_assert_eq!(out.len(), repr.buffer_len());
            prop_assert_eq!(Repr::parse(repr.kind(), &out), Some(repr));
            if let Repr::Beacon { interval, .. } = repr {
                prop_assert_eq!(beacon_interval(&out), Some(interval).filter(|i| *i > 0));
            }
            out.pop();
            prop_assert_eq!(Repr::parse(repr.kind(), &out), None);
        }

        #[test]
        fn elements_come_back(
            all in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..300)), 0..5),
        ) {
            let mut out = Vec::new();
            for (id, value) in &all {
                emit_element(&mut out, *id, value);
            }
            let kept = |(id, value): &(u8, Vec<u8>)| (*id, value[..value.len().min(255)].to_vec());
            let read: Vec<_> = elements(&out).map(|(id, value)| (id, value.to_vec())).collect();
            prop_assert_eq!(read, all.iter().map(kept).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes(body in prop::collection::vec(any::<u8>(), 0..40), subtype: u8) {
            for kind in [Kind::Beacon, Kind::Management(subtype % 12), Kind::Data] {
                let _ = Repr::parse(kind, &body);
            }
            prop_assert!(elements(&body).all(|(_, value)| value.len() < body.len()));
        }
    }
}
