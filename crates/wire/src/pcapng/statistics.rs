//! Interface statistics blocks: what the capturing system counted up to a time.
//!
//! ```text
//! interface 4, time 8 (upper half first), options: 4 packets received, 5 dropped by the interface, 7 by the system
//! ```
//! Counts are those since the capture began. dumpcap writes what the kernel dropped as dropped by the interface.

use airtcp_units::LowBits;

use super::blocks::{options, put_option};
use super::order::Order;

const END: u16 = 0;
const RECEIVED: u16 = 4;
const INTERFACE_DROPPED: u16 = 5;
const SYSTEM_DROPPED: u16 = 7;

/// What was counted at an interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of the interface in the section.
    pub interface: u32,
    /// Time in units of the interface.
    pub ticks: u64,
    /// Packets that the interface received.
    pub received: Option<u64>,
    /// Packets that it dropped.
    pub dropped: Option<u64>,
    /// Packets that the operating system dropped.
    pub dropped_by_system: Option<u64>,
}

impl Statistics {
    /// Type of the block.
    pub const KIND: u32 = 5;

    /// What a block says. Options whose values are too short are left out.
    pub fn parse(content: &[u8], order: Order) -> Option<Self> {
        let (upper, lower) = (order.word(content, 4)?, order.word(content, 8)?);
        let mut found = Self {
            interface: order.word(content, 0)?,
            ticks: u64::from(upper) << 32 | u64::from(lower),
            ..Self::default()
        };
        for (code, value) in options(order, content.get(12..)?) {
            let field = match code {
                RECEIVED => &mut found.received,
                INTERFACE_DROPPED => &mut found.dropped,
                SYSTEM_DROPPED => &mut found.dropped_by_system,
                _ => continue,
            };
            *field = order.long(value, 0).or(*field);
        }
        Some(found)
    }

    /// Appends the content of the block.
    pub fn emit(&self, out: &mut Vec<u8>, order: Order) {
        order.put_word(out, self.interface);
        order.put_word(out, (self.ticks >> 32) as u32);
        order.put_word(out, u32::low_bits(self.ticks));
        let counts = [
            (RECEIVED, self.received),
            (INTERFACE_DROPPED, self.dropped),
            (SYSTEM_DROPPED, self.dropped_by_system),
        ];
        for (code, count) in counts {
            if let Some(count) = count {
                let mut value = Vec::new();
                order.put_long(&mut value, count);
                put_option(out, order, code, &value);
            }
        }
        put_option(out, order, END, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn statistics(
            big: bool,
            interface: u32,
            ticks: u64,
            received: Option<u64>,
            dropped: Option<u64>,
            dropped_by_system: Option<u64>,
        ) {
            let order = if big { Order::Big } else { Order::Little };
            let block = Statistics { interface, ticks, received, dropped, dropped_by_system };
            let mut out = Vec::new();
            block.emit(&mut out, order);
            prop_assert_eq!(out.len() % 4, 0);
            prop_assert_eq!(Statistics::parse(&out, order), Some(block));
            for end in 0..out.len() {
                let _ = Statistics::parse(&out[..end], order);
            }
        }
    }
}
