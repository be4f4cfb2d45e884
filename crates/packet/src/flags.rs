//! The bits of the headers: TCP's flags (RFC 9293 section 3.1) and the ECN field of IP (RFC 3168).

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// TCP header flags, in their wire positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// The sender has no more data.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push: the segment ends an application's write.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement field is valid.
    pub const ACK: Self = Self(0x10);
    /// ECN echo (RFC 3168).
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced (RFC 3168).
    pub const CWR: Self = Self(0x80);

    /// True if every flag of `other` is set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if a flag of `other` is set.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// These flags without those of `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::SYN, 'S'),
            (Self::FIN, 'F'),
            (Self::RST, 'R'),
            (Self::PSH, 'P'),
            (Self::ACK, '.'),
            (Self::ECE, 'E'),
            (Self::CWR, 'W'),
        ];
        for (flag, letter) in names {
            if self.has(flag) {
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }
}

/// The ECN field of the IP header, RFC 3168 section 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ecn {
    /// Not ECN-capable: a congested queue must drop the packet.
    #[default]
    NotEct,
    /// ECN-capable, codepoint 1.
    Ect1,
    /// ECN-capable, codepoint 0, the usual one.
    Ect0,
    /// Congestion experienced: a queue on the way marked this packet.
    Ce,
}

impl Ecn {
    /// True if a queue may mark instead of dropping.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }

    /// The two bits as they stand in the IP header.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// The field with these two low bits.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::NotEct,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }
}
