//! Files of pcapng (draft-ietf-opsawg-pcapng): their blocks, and a writer.

mod blocks;
mod order;
mod statistics;
mod writer;

pub use blocks::{EnhancedPacket, Interface, Section, options};
pub use order::Order;
pub use statistics::Statistics;
pub use writer::Pcapng;
