//! Files as streams of packets: opening and decompression, the two formats, timestamps, damage.

mod input;
mod interfaces;
mod packets;

pub use input::{BytesRead, Input};
pub use packets::{FileSummary, Packet, Packets};
