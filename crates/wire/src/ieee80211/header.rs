//! The header of an 802.11 frame (IEEE 802.11-2020 section 9.2 and 9.3).

use std::fmt;

use crate::bytes::{byte, le16};

/// A MAC address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    fn at(data: &[u8], at: usize) -> Option<Self> {
        data.get(at..)?.first_chunk().copied().map(Self)
    }

    /// True for an address of a group, such as broadcast.
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 != 0
    }

    /// The address without the group bit, which control frames use to announce a bandwidth.
    const fn individual(self) -> Self {
        let [first, a, b, c, d, e] = self.0;
        Self([first & !1, a, b, c, d, e])
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// Kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Data with a body.
    Data,
    /// A data frame without body, such as one that announces power saving.
    NullData,
    /// Beacon.
    Beacon,
    /// Another management frame, by its subtype.
    Management(u8),
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Acknowledgement.
    Ack,
    /// Request for a block acknowledgement.
    BlockAckRequest,
    /// Block acknowledgement.
    BlockAck,
    /// End of a contention-free period or of a reservation.
    CfEnd,
    /// Request of a sleeping station for a buffered frame.
    PsPoll,
    /// Another control frame, by its subtype.
    Control(u8),
    /// A frame of the extension type.
    Extension(u8),
}

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// Kind.
    pub kind: Kind,
    /// The frame was sent before.
    pub retry: bool,
    /// The body is encrypted.
    pub protected: bool,
    /// Another fragment follows.
    pub more_fragments: bool,
    /// Both directions of the distribution system: a bridge or mesh with four addresses.
    pub four_addresses: bool,
    /// Reservation in µs, if the field is one.
    pub duration_us: Option<u16>,
    /// Address of the receiver.
    pub receiver: Mac,
    /// Address of the transmitter; CTS and ACK have none.
    pub transmitter: Option<Mac>,
    /// Sequence number, of data and management.
    pub sequence: Option<u16>,
    /// Fragment number.
    pub fragment: u8,
    /// Traffic identifier, of QoS data.
    pub tid: Option<u8>,
    /// The sender asks for no acknowledgement.
    pub no_ack: bool,
    /// The body is an aggregate of MSDUs.
    pub is_amsdu: bool,
    /// What follows the header, the frame check sequence included if it was captured.
    pub body: &'a [u8],
}

impl<'a> Header<'a> {
    /// The header of a frame, or `None` if the capture cut it off or if its version is not 0. `padded` means that bytes after the
    /// header fill it up to a multiple of 4.
    pub fn parse(frame: &'a [u8], padded: bool) -> Option<Self> {
        let (first, flags) = (byte(frame, 0)?, byte(frame, 1)?);
        if first & 3 != 0 {
            return None;
        }
        let subtype = first >> 4;
        let duration = le16(frame, 2)?;
        let header = Self {
            kind: kind(first >> 2 & 3, subtype),
            retry: flags & 0x08 != 0,
            protected: flags & 0x40 != 0,
            more_fragments: flags & 0x04 != 0,
            four_addresses: flags & 0x03 == 3,
            duration_us: (duration & 0x8000 == 0).then_some(duration),
            receiver: Mac::at(frame, 4)?,
            transmitter: None,
            sequence: None,
            fragment: 0,
            tid: None,
            no_ack: false,
            is_amsdu: false,
            body: frame.get(10..)?,
        };
        match first >> 2 & 3 {
            0 => header.management(frame, flags),
            1 => Some(header.control(frame)),
            2 => header.data(frame, flags, subtype, padded),
            _ => Some(header),
        }
    }

    fn control(self, frame: &'a [u8]) -> Self {
        match self.kind {
            Kind::Ack | Kind::Cts | Kind::Control(_) | Kind::Extension(_) => self,
            // A frame that is cut off within the address lacks its transmitter.
            _ => Self {
                transmitter: Mac::at(frame, 10).map(Mac::individual),
                body: frame.get(16..).unwrap_or_default(),
                ..self
            },
        }
    }

    fn management(self, frame: &'a [u8], flags: u8) -> Option<Self> {
        // The order bit stands for a high-throughput control field.
        let length = if flags & 0x80 != 0 { 28 } else { 24 };
        self.with_sequence(frame, length)
    }

    fn with_sequence(self, frame: &'a [u8], length: usize) -> Option<Self> {
        let control = le16(frame, 22)?;
        Some(Self {
            transmitter: Mac::at(frame, 10),
            sequence: Some(control >> 4),
            fragment: u8::try_from(control & 0x0f).ok()?,
            body: frame.get(length..).unwrap_or_default(),
            ..self
        })
    }

    fn data(self, frame: &'a [u8], flags: u8, subtype: u8, padded: bool) -> Option<Self> {
        let mut length = 24 + if self.four_addresses { 6 } else { 0 };
        let qos = if subtype & 8 != 0 { Some(byte(frame, length)?) } else { None };
        if qos.is_some() {
            // The order bit of QoS data stands for a high-throughput control field.
            length += if flags & 0x80 != 0 { 6 } else { 2 };
        }
        if padded {
            length = length.next_multiple_of(4);
        }
        let header = self.with_sequence(frame, length)?;
        Some(Self {
            tid: qos.map(|qos| qos & 0x0f),
            no_ack: qos.is_some_and(|qos| qos >> 5 & 3 == 1),
            is_amsdu: qos.is_some_and(|qos| qos & 0x80 != 0),
            ..header
        })
    }
}

const fn kind(class: u8, subtype: u8) -> Kind {
    match (class, subtype) {
        (0, 8) => Kind::Beacon,
        (0, other) => Kind::Management(other),
        (1, 8) => Kind::BlockAckRequest,
        (1, 9) => Kind::BlockAck,
        (1, 10) => Kind::PsPoll,
        (1, 11) => Kind::Rts,
        (1, 12) => Kind::Cts,
        (1, 13) => Kind::Ack,
        (1, 14 | 15) => Kind::CfEnd,
        (1, other) => Kind::Control(other),
        (2, subtype) if subtype & 4 != 0 => Kind::NullData,
        (2, _) => Kind::Data,
        (_, other) => Kind::Extension(other),
    }
}

/// Interval between beacons in units of 1024 µs, from the body of a beacon.
pub fn beacon_interval(body: &[u8]) -> Option<u16> {
    le16(body, 8).filter(|units| *units > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(control: [u8; 2], rest: &[u8]) -> Vec<u8> {
        let mut frame = vec![control[0], control[1], 48, 0];
        frame.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 0x53, 0x12]);
        frame.extend(rest);
        frame
    }

    #[test]
    fn data_with_every_optional_field() {
        // QoS data with four addresses, HT control, retry, A-MSDU, TID 5.
        let mut rest = vec![2, 0, 0, 0, 0, 4, 0x85, 0, 1, 2, 3, 4, 0xaa];
        let bytes = frame([0x88, 0x8b], &rest);
        let header = Header::parse(&bytes, false).unwrap();
        assert_eq!(header.kind, Kind::Data);
        assert!(header.retry && header.four_addresses && header.is_amsdu && !header.protected);
        assert_eq!((header.sequence, header.fragment, header.tid), (Some(0x125), 3, Some(5)));
        assert_eq!((header.duration_us, header.body), (Some(48), &[0xaa][..]));
        assert_eq!(header.transmitter.unwrap().to_string(), "02:00:00:00:00:02");
        // 36 bytes need no padding; without HT control, 32 do not either, 26 do.
        rest.splice(..6, []);
        let bytes = frame([0x88, 0x01], &[0, 0, 0xff, 0xff, 0xaa]);
        assert_eq!(Header::parse(&bytes, true).unwrap().body, [0xaa]);
    }

    #[test]
    fn control_frames() {
        let ack = [0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1];
        let header = Header::parse(&ack, false).unwrap();
        assert_eq!((header.kind, header.transmitter), (Kind::Ack, None));
        let mut rts = vec![0xb4, 0, 0, 0, 2, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 2];
        let header = Header::parse(&rts, false).unwrap();
        assert_eq!(header.transmitter.unwrap(), Mac([2, 0, 0, 0, 0, 2]));
        rts.truncate(15);
        assert_eq!(Header::parse(&rts, false).unwrap().transmitter, None);
        assert_eq!(Header::parse(&ack[..9], false), None);
        assert_eq!(Header::parse(&[0xd5, 0, 0, 0, 2, 0, 0, 0, 0, 1], false), None);
    }

    #[test]
    fn no_length_panics() {
        for first in 0..=255u8 {
            for flags in [0, 0xff] {
                let bytes = frame([first, flags], &[0xff; 24]);
                for cut in 0..bytes.len() {
                    let _ = Header::parse(&bytes[..cut], cut % 2 == 0);
                }
            }
        }
    }
}
