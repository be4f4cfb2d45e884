//! Blocks: what stands between type and length at the front and length at the back.
//!
//! ```text
//! section    byte order 4, version 4, length of the section 8, options
//! interface  link type 2, reserved 2, longest packet 4, options
//! packet     interface 4, time 8 (upper half first), captured length 4, length 4, bytes
//! option     code 2, length 2, value, padded to a multiple of 4
//! ```
//! `statistics` has the blocks of counts. Leaves out: blocks of names and secrets, and those of packets without a time.

use airtcp_units::{LowBits, Narrow};

use super::order::Order;
use crate::bytes::{be32, le32};

/// The number that tells the byte order of a section.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Version 1.0.
const VERSION: [u16; 2] = [1, 0];
/// Codes of options: the end, the writing application, an interface's name, its units of time, and seconds to add.
const END: u16 = 0;
const APPLICATION: u16 = 4;
const NAME: u16 = 2;
const RESOLUTION: u16 = 9;
const OFFSET: u16 = 14;
/// Longest text in an option that is written.
const LONGEST_TEXT: usize = 255;

fn pad(out: &mut Vec<u8>, start: usize) {
    out.resize(start + (out.len() - start).next_multiple_of(4), 0);
}

pub(super) fn put_option(out: &mut Vec<u8>, order: Order, code: u16, value: &[u8]) {
    let start = out.len();
    order.put_half(out, code);
    order.put_half(out, u16::narrow(value.len()));
    out.extend(value);
    pad(out, start);
}

fn put_text(out: &mut Vec<u8>, order: Order, code: u16, text: &str) {
    put_option(out, order, code, &text.as_bytes()[..text.len().min(LONGEST_TEXT)]);
}

/// The options in some bytes, code and value, up to the one that ends them. A value that the bytes end within is as much
/// as is there.
pub fn options(order: Order, data: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (code, length) = (order.half(data, at)?, order.half(data, at + 2)?);
        let length = usize::from(length);
        let value = &data[at + 4..(at + 4 + length).min(data.len())];
        at += 4 + length.next_multiple_of(4);
        (code != END).then_some((code, value))
    })
}

/// A section header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// The program that wrote the file, as it names itself.
    pub application: Option<&'a str>,
}

impl<'a> Section<'a> {
    /// Type of the block, in either byte order.
    pub const KIND: u32 = 0x0a0d_0d0a;

    /// Byte order of the section with this header.
    pub fn order(content: &[u8]) -> Option<Order> {
        match (le32(content, 0)?, be32(content, 0)?) {
            (BYTE_ORDER, _) => Some(Order::Little),
            (_, BYTE_ORDER) => Some(Order::Big),
            _ => None,
        }
    }

    /// What a header says; `None` of another version.
    pub fn parse(content: &'a [u8]) -> Option<Self> {
        let order = Self::order(content)?;
        if order.half(content, 4)? != VERSION[0] {
            return None;
        }
        let text = options(order, content.get(16..)?).find(|(code, _)| *code == APPLICATION);
        Some(Self { application: text.and_then(|(_, text)| std::str::from_utf8(text).ok()) })
    }

    /// Appends the content of the block, of a section of unknown length.
    pub fn emit(&self, out: &mut Vec<u8>, order: Order) {
        order.put_word(out, BYTE_ORDER);
        order.put_half(out, VERSION[0]);
        order.put_half(out, VERSION[1]);
        order.put_long(out, u64::MAX);
        if let Some(application) = self.application {
            put_text(out, order, APPLICATION, application);
        }
        put_option(out, order, END, &[]);
    }
}

/// The description of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interface<'a> {
    /// Link type.
    pub link_type: u16,
    /// Most bytes kept of a packet; 0 for all.
    pub longest: u32,
    /// Its name.
    pub name: Option<&'a str>,
    /// Units of times per second: a power of ten, or of two with the top bit.
    pub resolution: Option<u8>,
    /// Seconds to add to times.
    pub offset: Option<i64>,
}

impl<'a> Interface<'a> {
    /// Type of the block.
    pub const KIND: u32 = 1;

    /// What a description says. Options whose values are too short are left out.
    pub fn parse(content: &'a [u8], order: Order) -> Option<Self> {
        let (link_type, longest) = (order.half(content, 0)?, order.word(content, 4)?);
        let mut found = Self { link_type, longest, name: None, resolution: None, offset: None };
        for (code, value) in options(order, content.get(8..)?) {
            match code {
                NAME => found.name = std::str::from_utf8(value).ok(),
                RESOLUTION => found.resolution = value.first().copied().or(found.resolution),
                OFFSET => {
                    found.offset = order.long(value, 0).map(u64::cast_signed).or(found.offset);
                }
                _ => {}
            }
        }
        Some(found)
    }

    /// Units of times per second; `None` if 64 bits do not hold them. Without the option they are µs.
    pub fn per_second(&self) -> Option<u64> {
        let value = self.resolution.unwrap_or(6);
        let exponent = u32::from(value & 0x7f);
        if value & 0x80 == 0 { 10u64.checked_pow(exponent) } else { 1u64.checked_shl(exponent) }
    }

    /// Appends the content of the block.
    pub fn emit(&self, out: &mut Vec<u8>, order: Order) {
        order.put_half(out, self.link_type);
        out.extend([0, 0]);
        order.put_word(out, self.longest);
        if let Some(name) = self.name {
            put_text(out, order, NAME, name);
        }
        if let Some(resolution) = self.resolution {
            put_option(out, order, RESOLUTION, &[resolution]);
        }
        if let Some(offset) = self.offset {
            let mut value = Vec::new();
            order.put_long(&mut value, offset.cast_unsigned());
            put_option(out, order, OFFSET, &value);
        }
        put_option(out, order, END, &[]);
    }
}

/// An enhanced packet block: a packet with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnhancedPacket<'a> {
    /// Number of its interface in the section.
    pub interface: u32,
    /// Time in units of the interface.
    pub ticks: u64,
    /// Length on the wire.
    pub length: u32,
    /// The bytes that were kept.
    pub data: &'a [u8],
}

impl<'a> EnhancedPacket<'a> {
    /// Type of the block.
    pub const KIND: u32 = 6;
    /// Type of the obsolete block for the same.
    pub const OBSOLETE: u32 = 2;

    /// What a block says; `None` if it ends within the bytes that it states.
    #[inline]
    pub fn parse(content: &'a [u8], order: Order) -> Option<Self> {
        Self::behind(order.word(content, 0)?, content, order)
    }

    /// The same of the obsolete block, which has 16 bits for the interface, and 16 for a count of drops.
    pub fn parse_obsolete(content: &'a [u8], order: Order) -> Option<Self> {
        Self::behind(u32::from(order.half(content, 0)?), content, order)
    }

    #[inline]
    fn behind(interface: u32, content: &'a [u8], order: Order) -> Option<Self> {
        let (upper, lower) = (order.word(content, 4)?, order.word(content, 8)?);
        let kept = order.word(content, 12)? as usize;
        Some(Self {
            interface,
            ticks: u64::from(upper) << 32 | u64::from(lower),
            length: order.word(content, 16)?,
            data: content.get(20..)?.get(..kept)?,
        })
    }

    /// Appends the content of the block.
    pub fn emit(&self, out: &mut Vec<u8>, order: Order) {
        let start = out.len();
        order.put_word(out, self.interface);
        order.put_word(out, (self.ticks >> 32) as u32);
        order.put_word(out, u32::low_bits(self.ticks));
        order.put_word(out, u32::narrow(self.data.len()));
        order.put_word(out, self.length);
        out.extend(self.data);
        pad(out, start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order() -> impl Strategy<Value = Order> {
        prop_oneof![Just(Order::Little), Just(Order::Big)]
    }

    proptest! {
        #[test]
        fn sections(order in order(), name in prop::option::of("[a-z 0-9.]{0,20}")) {
            let section = Section { application: name.as_deref() };
            let mut out = Vec::new();
            section.emit(&mut out, order);
            prop_assert_eq!(Section::order(&out), Some(order));
            prop_assert_eq!(Section::parse(&out), Some(section));
        }

        #[test]
        fn interfaces(
            order in order(),
            link_type: u16,
            longest: u32,
            name in prop::option::of("\\PC{0,20}"),
            resolution: Option<u8>,
            offset: Option<i64>,
        ) {
            let name = name.as_deref();
            let interface = Interface { link_type, longest, name, resolution, offset };
            let mut out = Vec::new();
            interface.emit(&mut out, order);
            prop_assert_eq!(out.len() % 4, 0);
            prop_assert_eq!(Interface::parse(&out, order), Some(interface));
        }

        #[test]
        fn packets(
            order in order(),
            interface: u32,
            ticks: u64,
            length: u32,
            data in prop::collection::vec(any::<u8>(), 0..30),
        ) {
            let packet = EnhancedPacket { interface, ticks, length, data: &data };
            let mut content = vec![];
            packet.emit(&mut content, order);
            prop_assert_eq!(EnhancedPacket::parse(&content, order), Some(packet));
            prop_assert_eq!(content.len() % 4, 0);
            // Interface number and count of drops share the place of the number.
            let old = EnhancedPacket::parse_obsolete(&content, order);
            prop_assert_eq!(old.map(|old| (old.ticks, old.data)), Some((ticks, &data[..])));
        }

        #[test]
        fn any_bytes(order in order(), data in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = Section::parse(&data);
            let _ = Interface::parse(&data, order).map(|interface| interface.per_second());
            let _ = EnhancedPacket::parse_obsolete(&data, order);
            if let Some(packet) = EnhancedPacket::parse(&data, order) {
                prop_assert!(packet.data.len() + 20 <= data.len());
            }
            prop_assert!(options(order, &data).count() <= data.len() / 4);
        }
    }

    #[test]
    fn units_of_times() {
        let interface = |resolution| Interface {
            link_type: 1,
            longest: 0,
            name: None,
            resolution,
            offset: None,
        };
        assert_eq!(interface(None).per_second(), Some(1_000_000));
        assert_eq!(interface(Some(9)).per_second(), Some(1_000_000_000));
        assert_eq!(interface(Some(0x80 | 32)).per_second(), Some(1 << 32));
        assert_eq!(interface(Some(20)).per_second(), None);
        assert_eq!(interface(Some(0xff)).per_second(), None);
    }
}
