//! Files as streams of packets: opening and decompression, the two formats, timestamps, damage.

mod blocks;
mod buffer;
mod damage;
mod drops;
mod input;
mod interfaces;
mod packet;
mod packets;
mod records;
mod sorter;

pub use drops::Dropped;
pub use input::{BytesRead, Input};
pub use packet::{DamagedPlace, FileSummary, Packet};
pub use packets::Packets;
pub use sorter::Sorter;
